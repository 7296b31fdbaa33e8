use super::data::SsnData;
use super::evaluate::Evaluation;
use crate::config::{Config, Select};
use crate::model::Diverged;
use crate::parser::Parsed;
use crate::parser::ssn::{Part as Matrix, Pass, Plan, Ssn, Weights, Workspace};
use crate::report::{EventKind, Level, Metrics, Reporter, counted, epoch_at};
use crate::training::{
    Adam, Best, Ending, Epoch, Plain, Progress, State, TrainingError, plain_norm,
};
use crate::treebank::Sentence;
use candle_core::Tensor;
use pulp::Arch;
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use std::collections::BTreeMap;
use std::time::Instant;

/// Result of an evaluation on the development set.
#[derive(Debug)]
pub struct SsnEvaluated {
    pub step: u64,
    pub epoch: u64,
    /// Whether these are the best weights so far.
    pub best: bool,
    pub dev: Metrics,
    /// In the order of the development set; `None` for sentences that were not parsed.
    pub parsed: Vec<Option<Parsed>>,
}

/// Training in progress.
pub struct SsnTrainer {
    config: Config,
    ssn: Ssn,
    data: SsnData,
    plans: Vec<Plan>,
    adam: Adam,
    gradient: Weights<f32>,
    work: Workspace<f32>,
    state: State,
    /// Order of the sentences in the running epoch, when it has been worked out.
    order: Option<(u64, Vec<usize>)>,
    dev: Option<Evaluation>,
    /// The best parser so far, and how it does on the test set, at the end.
    best: Option<Ssn>,
    test: Option<Evaluation>,
    tested: bool,
}

impl SsnTrainer {
    /// A fresh start.
    pub fn new(config: &Config, data: SsnData) -> Result<SsnTrainer, TrainingError> {
        let ssn = Ssn::start(&config.ssn, &data.trees(), config.seed)?;
        let trainer = SsnTrainer::with(config, ssn, data)?;
        // Better no training than one at whose end no weights are the best.
        match config.training.select {
            Select::LogLikelihood if trainer.data.dev.plans.iter().all(Option::is_none) => {
                Err(TrainingError::NoDerivation)
            }
            Select::SF1 if config.ssn.parsed == 0 => Err(TrainingError::NoneParsed),
            _ => Ok(trainer),
        }
    }

    fn with(config: &Config, ssn: Ssn, mut data: SsnData) -> Result<SsnTrainer, TrainingError> {
        let plans = data.train.iter().map(|sentence| {
            let place = &sentence.original.place;
            ssn.plan(&sentence.tree).map_err(|source| TrainingError::Derivation {
                file: place.file.clone(),
                line: place.line,
                source,
            })
        });
        let plans = plans.collect::<Result<Vec<Plan>, _>>()?;
        data.dev.derive(&ssn);
        if let Some(test) = &mut data.test {
            test.derive(&ssn);
        }
        let sizes = Matrix::ALL.map(|part| (part.name(), ssn.weights().part(part).len()));
        let adam = Adam::for_plain(&config.training, sizes);
        Ok(SsnTrainer {
            config: config.clone(),
            gradient: Weights::zeros(*ssn.weights().sizes()),
            state: State::start(config.training.learning_rate, fingerprint(&plans)),
            ssn,
            data,
            plans,
            adam,
            work: Workspace::default(),
            order: None,
            dev: None,
            best: None,
            test: None,
            tested: false,
        })
    }

    /// Goes on from a checkpoint: `moments` and `state` are as [`SsnTrainer::moments`] and
    /// [`SsnTrainer::state`] gave them, `best` is the best parser so far.
    pub fn resume(
        config: &Config,
        ssn: Ssn,
        data: SsnData,
        moments: &BTreeMap<String, Tensor>,
        state: State,
        best: Option<Ssn>,
    ) -> Result<SsnTrainer, TrainingError> {
        let mut trainer = SsnTrainer::with(config, ssn, data)?;
        if state.fingerprint != trainer.state.fingerprint {
            return Err(TrainingError::Resume(
                "the training trees differ from those that the run was started with (were the \
                 corpus files or the [data] settings changed?)"
                    .into(),
            ));
        }
        let steps = trainer.steps_per_epoch();
        if state.epoch == 0 || state.position > steps {
            return Err(TrainingError::Resume(format!(
                "the checkpoint stands at batch {} of epoch {}, which has {steps}",
                state.position, state.epoch,
            )));
        }
        trainer.adam.restore(state.step, moments)?;
        trainer.state = state;
        trainer.best = best;
        Ok(trainer)
    }

    pub fn state(&self) -> &State {
        &self.state
    }

    pub fn config(&self) -> &Config {
        &self.config
    }

    /// The parser with its present weights.
    pub fn ssn(&self) -> &Ssn {
        &self.ssn
    }

    /// Optimiser state by name, for checkpoints.
    pub fn moments(&self) -> Result<BTreeMap<String, Tensor>, TrainingError> {
        self.adam.plain_moments()
    }

    /// Development sentences in the order of [`SsnEvaluated::parsed`].
    pub fn dev_sentences(&self) -> &[Sentence] {
        &self.data.dev.sentences
    }

    /// From the next step on; the schedule goes on from it.
    pub fn set_learning_rate(&mut self, learning_rate: f64) {
        self.state.learning_rate = learning_rate;
        // Whoever changes it wants to see whether that helps.
        self.state.bad_evaluations = 0;
    }

    fn steps_per_epoch(&self) -> u64 {
        self.plans.len().div_ceil(self.config.training.batch_size.max(1)) as u64
    }

    /// Steps of the whole run as planned, early stopping left aside.
    pub fn total_steps(&self) -> u64 {
        let all = self.steps_per_epoch().saturating_mul(self.config.training.epochs);
        match self.config.training.max_steps {
            0 => all,
            limit => all.min(limit),
        }
    }

    /// Says how large the network is and what has no derivation; once, before the first step.
    pub fn introduce(&self, reporter: &mut dyn Reporter) {
        let vocabulary = self.ssn.vocabulary();
        let text = format!(
            "{}, {}, {}; {}, {}",
            counted(vocabulary.labels().len(), "label"),
            counted(vocabulary.tags().len(), "tag"),
            counted(vocabulary.words().len(), "known word"),
            counted(self.ssn.decisions(), "decision"),
            counted(self.ssn.weights().count(), "parameter"),
        );
        reporter.message(Level::Info, text);
        for (name, part) in [("dev", Some(&self.data.dev)), ("test", self.data.test.as_ref())] {
            let Some(part) = part else { continue };
            let without = part.plans.iter().filter(|plan| plan.is_none()).count();
            if without > 0 {
                let text = format!(
                    "{name}: {} without a derivation, for labels or tags that no training tree \
                     has; the log-likelihood leaves them out",
                    counted(without, "tree")
                );
                reporter.message(Level::Warning, text);
            }
        }
        if self.config.training.select == Select::SF1 {
            let text = "the best weights are chosen by dev F1 of the sentences that are parsed";
            reporter.message(Level::Info, text.into());
        }
    }

    /// Does the next piece of work. After an error the weights are those of the last good step.
    pub fn advance(
        &mut self,
        reporter: &mut dyn Reporter,
    ) -> Result<Progress<SsnEvaluated>, TrainingError> {
        if self.dev.is_some() || self.evaluation_due() {
            return self.evaluate(reporter);
        }
        if let Some(ending) = self.ending() {
            return self.finish(ending, reporter);
        }
        self.step(reporter)?;
        Ok(Progress::Step)
    }

    fn at_end_of_epoch(&self) -> bool {
        self.state.position == self.steps_per_epoch()
    }

    fn ending(&self) -> Option<Ending> {
        self.state.ending(&self.config.training, self.at_end_of_epoch())
    }

    fn evaluation_due(&self) -> bool {
        !self.data.dev.trees.is_empty()
            && self.state.evaluation_due(&self.config, self.at_end_of_epoch())
    }

    /// A function of seed and epoch alone, so that the place in an epoch is all that a resumption
    /// needs.
    fn order_of(&mut self, epoch: u64) -> &[usize] {
        if self.order.as_ref().is_none_or(|(of, _)| *of != epoch) {
            let mut order: Vec<usize> = (0..self.plans.len()).collect();
            let mut random = ChaCha8Rng::seed_from_u64(self.config.seed);
            random.set_stream(epoch);
            order.shuffle(&mut random);
            self.order = Some((epoch, order));
        }
        self.order.as_ref().map_or(&[], |(_, order)| order)
    }

    fn step(&mut self, reporter: &mut dyn Reporter) -> Result<(), TrainingError> {
        let start = Instant::now();
        let (mut epoch, mut position) = (self.state.epoch, self.state.position);
        let mut partial = self.state.partial;
        if self.at_end_of_epoch() {
            (epoch, position, partial) = (epoch + 1, 0, Epoch::default());
        }
        let size = self.config.training.batch_size.max(1);
        let begin = position as usize * size;
        let order = self.order_of(epoch);
        let chosen = order[begin..(begin + size).min(order.len())].to_vec();
        let plans: Vec<&Plan> = chosen.iter().map(|&i| &self.plans[i]).collect();
        self.gradient.clear();
        let weights = self.ssn.weights();
        let mut pass = Pass { weights, work: &mut self.work, arch: Arch::new() };
        let log_probs = pass.gradient(&plans, &mut self.gradient);
        let network = start.elapsed().as_secs_f64();
        let (sentences, log_prob) = (plans.len() as u64, log_probs.iter().sum::<f64>());
        let tokens = plans.iter().map(|plan| plan.words as u64).sum::<u64>();
        let longest = plans.iter().map(|plan| plan.words).max().unwrap_or(0);
        let loss = -log_prob / sentences as f64;
        let norm = plain_norm(Matrix::ALL.map(|part| self.gradient.part(part)));
        let step = self.state.step + 1;
        let rate = self.state.learning_rate;
        let diverged = Diverged::of(loss, norm);
        if diverged.is_none() {
            let gradient = &self.gradient;
            let values = self.ssn.weights_mut().parts_mut();
            let parameters = values.map(|(part, values)| Plain {
                name: part.name(),
                values,
                gradient: gradient.part(part),
            });
            self.adam.update_plain(parameters, rate, norm)?;
        }
        let total = start.elapsed().as_secs_f64();
        reporter.report(EventKind::Step {
            step,
            epoch,
            loss,
            tokens,
            sentences: Some(sentences),
            learning_rate: rate,
            gradient_norm: norm,
            seconds: [("network", network), ("optimizer", total - network), ("total", total)]
                .into_iter()
                .collect(),
            steps_per_epoch: self.steps_per_epoch(),
            total_steps: self.total_steps(),
        });
        if let Some((what, value)) = diverged {
            let (sentences, length) = (sentences as usize, longest);
            return Err(TrainingError::Diverged { what, value, step, epoch, sentences, length });
        }
        partial.sentences += sentences;
        partial.tokens += tokens;
        partial.log_prob += log_prob;
        let s = &mut self.state;
        (s.step, s.epoch, s.position, s.partial) = (step, epoch, position + 1, partial);
        s.train_seconds += total;
        if self.at_end_of_epoch() {
            let Epoch { sentences, tokens, log_prob } = self.state.partial;
            let metrics = [
                ("log_likelihood", log_prob / sentences as f64),
                ("sentences", sentences as f64),
                ("tokens", tokens as f64),
            ];
            reporter.report(EventKind::Evaluation {
                step,
                epoch,
                split: "train".into(),
                metrics: metrics.into_iter().collect(),
            });
        }
        Ok(())
    }

    /// A piece of the evaluation; the state changes only when all of it is done, so that an
    /// interrupted evaluation is simply repeated.
    fn evaluate(
        &mut self,
        reporter: &mut dyn Reporter,
    ) -> Result<Progress<SsnEvaluated>, TrainingError> {
        let mut running = self.dev.take().unwrap_or_else(|| {
            // What an untrained network gives is no tree to look at.
            let parsed = if self.state.step == 0 { 0 } else { self.config.ssn.parsed };
            Evaluation::new(&self.data.dev, parsed)
        });
        if !running.advance(&self.data.dev, &self.ssn, &mut self.work)? {
            self.dev = Some(running);
            return Ok(Progress::Evaluating);
        }
        let (step, dev) = (self.state.step, running.metrics());
        let epoch = epoch_at(step, self.state.epoch);
        reporter.report(EventKind::Evaluation {
            step,
            epoch,
            split: "dev".into(),
            metrics: dev.clone(),
        });
        let figure = match self.config.training.select {
            Select::LogLikelihood => dev.get("log_likelihood"),
            Select::SF1 => dev.get("f1"),
        };
        let figure = figure.unwrap_or(f64::NAN);
        let better = self.state.best.as_ref().map_or(!figure.is_nan(), |b| figure > b.figure);
        let best = better && step > 0;
        self.state.evaluated = Some(step);
        if step > 0 {
            self.state.bad_evaluations = if best { 0 } else { self.state.bad_evaluations + 1 };
            self.follow_schedule(figure, reporter);
        }
        if best {
            self.state.best = Some(Best { figure, step, epoch, dev: dev.clone(), test: None });
            self.best = Some(self.ssn.clone());
        }
        let mut parsed: Vec<Option<Parsed>> = vec![None; self.data.dev.trees.len()];
        for (place, tree) in running.places().to_vec().into_iter().zip(running.parsed) {
            parsed[place] = Some(tree);
        }
        Ok(Progress::Evaluated(SsnEvaluated { step, epoch, best, dev, parsed }))
    }

    fn follow_schedule(&mut self, figure: f64, reporter: &mut dyn Reporter) {
        let Some(schedule) = self.config.training.schedule.filter(|s| s.plateau > 0) else {
            return;
        };
        if self.state.plateau.cut(figure, schedule.plateau, self.config.model.compat) {
            self.state.learning_rate *= schedule.factor;
            let text = format!(
                "learning rate cut to {:e}: no better development figure",
                self.state.learning_rate
            );
            reporter.message(Level::Info, text);
        }
    }

    /// The best parser on all of the test set, which chooses nothing.
    fn finish(
        &mut self,
        ending: Ending,
        reporter: &mut dyn Reporter,
    ) -> Result<Progress<SsnEvaluated>, TrainingError> {
        let (Some(test), Some(best), Some(of)) =
            (&self.data.test, &self.best, &mut self.state.best)
        else {
            return Ok(Progress::Finished(ending));
        };
        if self.tested {
            return Ok(Progress::Finished(ending));
        }
        let running = self.test.get_or_insert_with(|| Evaluation::new(test, usize::MAX));
        if running.advance(test, best, &mut self.work)? {
            let metrics = running.metrics();
            of.test = Some(metrics.clone());
            self.tested = true;
            reporter.report(EventKind::Evaluation {
                step: of.step,
                epoch: of.epoch,
                split: "test".into(),
                metrics,
            });
        }
        Ok(Progress::Evaluating)
    }
}

/// A hash (64-bit FNV-1a) over all derivations: tells whether a resumed run sees the trees that it
/// was started with.
fn fingerprint(plans: &[Plan]) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    let mut add = |value: u32| {
        for byte in value.to_le_bytes() {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    };
    for plan in plans {
        add(plan.steps.len() as u32);
        plan.steps.iter().for_each(|step| add(step.decision));
    }
    hash
}
