use super::evaluate::Pass;
use super::{Adam, Batches, Best, Dataset, Ending, Epoch, Progress, Split, State, TrainingError};
use crate::config::{Config, Select};
use crate::model::{Model, ModelError, Noise, Parse, Parser};
use crate::report::{EventKind, Level, Metrics, Reporter, counted, epoch_at};
use crate::treebank::Sentence;
use candle_core::Tensor;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;

/// Result of an evaluation on the development set.
#[derive(Debug)]
pub struct Evaluated {
    pub step: u64,
    pub epoch: u64,
    /// Whether these are the best weights so far.
    pub best: bool,
    pub dev: Metrics,
    /// Analyses in the order of the development set; `None` for sentences too short to have one.
    pub parses: Vec<Option<Parse>>,
}

/// Training in progress.
pub struct Trainer {
    config: Config,
    model: Box<dyn Model>,
    optimizer: Adam,
    data: Dataset,
    batches: Batches,
    state: State,
    /// Order of the batches in the running epoch, when it has been worked out.
    order: Option<(u64, Vec<usize>)>,
    evaluation: Option<Running>,
    /// Training sentences that are too short for the model.
    short: usize,
}

impl Trainer {
    /// A fresh start with the model's present weights.
    pub fn new(
        config: &Config,
        model: Box<dyn Model>,
        data: Dataset,
    ) -> Result<Trainer, TrainingError> {
        let min_length = model.min_length().max(1);
        let long = || data.train.iter().map(Vec::as_slice).filter(|s| s.len() >= min_length);
        let batches = Batches::new(long(), config);
        if batches.is_empty() {
            return Err(TrainingError::NoSentences { min_length });
        }
        if config.training.select == Select::SF1 && !data.dev.has_gold() {
            return Err(TrainingError::NoGold);
        }
        Ok(Trainer {
            optimizer: Adam::for_model(&config.training, &*model)?,
            state: State::start(config.training.learning_rate, batches.fingerprint()),
            short: data.train.len() - long().count(),
            config: config.clone(),
            model,
            data,
            batches,
            order: None,
            evaluation: None,
        })
    }

    /// Goes on from a checkpoint: the model holds its weights, `moments` and `state` are as
    /// [`Trainer::moments`] and [`Trainer::state`] gave them.
    pub fn resume(
        config: &Config,
        model: Box<dyn Model>,
        data: Dataset,
        moments: &BTreeMap<String, Tensor>,
        state: State,
    ) -> Result<Trainer, TrainingError> {
        let mut trainer = Trainer::new(config, model, data)?;
        if state.fingerprint != trainer.state.fingerprint {
            return Err(TrainingError::Resume(
                "the training sentences or their batches differ from those that the run was \
                 started with (were the corpus files or the [data] settings changed?)"
                    .into(),
            ));
        }
        if state.epoch == 0 || state.position > trainer.batches.steps_in(state.epoch) {
            return Err(TrainingError::Resume(format!(
                "the checkpoint stands at batch {} of epoch {}, which has {}",
                state.position,
                state.epoch,
                trainer.batches.steps_in(state.epoch)
            )));
        }
        trainer.optimizer.restore(state.step, moments)?;
        if let Some(device) = trainer.model.resident_mut() {
            device.put_moments(moments)?;
        }
        trainer.state = state;
        Ok(trainer)
    }

    pub fn state(&self) -> &State {
        &self.state
    }

    pub fn config(&self) -> &Config {
        &self.config
    }

    pub fn model(&self) -> &dyn Model {
        &*self.model
    }

    /// Optimiser state by tensor name, for checkpoints.
    pub fn moments(&self) -> Result<BTreeMap<String, Tensor>, TrainingError> {
        match self.model.resident() {
            Some(device) => Ok(device.moments()?),
            None => self.optimizer.tensors(self.model.parameters()),
        }
    }

    /// Development sentences in the order of [`Evaluated::parses`].
    pub fn dev_sentences(&self) -> &[Sentence] {
        &self.data.dev.sentences
    }

    /// From the next step on; the schedule goes on from it.
    pub fn set_learning_rate(&mut self, learning_rate: f64) {
        self.state.learning_rate = learning_rate;
        // Whoever changes it wants to see whether that helps.
        self.state.bad_evaluations = 0;
    }

    /// A parser with the present weights.
    pub fn freeze(&self) -> Result<Arc<dyn Parser>, TrainingError> {
        match &self.evaluation {
            Some(running) => Ok(running.dev.parser().clone()),
            None => Ok(self.model.freeze()?),
        }
    }

    /// Steps of the whole run as planned, early stopping left aside.
    pub fn total_steps(&self) -> u64 {
        let all = self.batches.steps_until(self.config.training.epochs);
        match self.config.training.max_steps {
            0 => all,
            limit => all.min(limit),
        }
    }

    /// Says what was left out and what trivial trees score; once, before the first step.
    pub fn introduce(&self, reporter: &mut dyn Reporter) {
        if self.short > 0 {
            let min = self.model.min_length();
            reporter.message(
                Level::Warning,
                format!(
                    "left out, for the model derives none so short: {} of fewer than {}",
                    counted(self.short, "training sentence"),
                    counted(min, "word")
                ),
            );
        }
        if self.config.training.select == Select::SF1 {
            let text = "the best weights are chosen by dev S-F1: this run uses gold trees";
            reporter.message(Level::Warning, text.into());
        }
        if let Some(bound) = self.config.model.family.bound() {
            let text =
                format!("log-likelihood and perplexity are no exact figures but the {bound}");
            reporter.message(Level::Info, text);
        }
        if self.config.model.family.has_trees() {
            super::evaluate::report_baselines(&self.data, reporter);
        }
    }

    /// Does the next piece of work. After an error the weights are those of the last good step.
    pub fn advance(
        &mut self,
        reporter: &mut dyn Reporter,
    ) -> Result<Progress<Evaluated>, TrainingError> {
        if self.evaluation.is_some() || self.evaluation_due() {
            return self.evaluate(reporter);
        }
        if let Some(ending) = self.ending() {
            return Ok(Progress::Finished(ending));
        }
        self.step(reporter)?;
        Ok(Progress::Step)
    }

    fn at_end_of_epoch(&self) -> bool {
        self.state.position == self.batches.steps_in(self.state.epoch)
    }

    fn ending(&self) -> Option<Ending> {
        self.state.ending(&self.config.training, self.at_end_of_epoch())
    }

    fn evaluation_due(&self) -> bool {
        !self.data.dev.ids.is_empty()
            && self.state.evaluation_due(&self.config, self.at_end_of_epoch())
    }

    fn step(&mut self, reporter: &mut dyn Reporter) -> Result<(), TrainingError> {
        let start = Instant::now();
        let (mut epoch, mut position) = (self.state.epoch, self.state.position);
        let mut partial = self.state.partial;
        if self.at_end_of_epoch() {
            (epoch, position, partial) = (epoch + 1, 0, Epoch::default());
        }
        let order = match self.order.take() {
            Some((of, order)) if of == epoch => order,
            _ => self.batches.order(epoch),
        };
        let batch = self.batches.batch(order[position as usize]);
        let next = order.get(position as usize + 1).map(|&next| self.batches.batch(next));
        self.order = Some((epoch, order));

        let noise = Noise::Drawn { seed: self.config.seed, step: self.state.step };
        let rate = self.state.learning_rate;
        let stepped =
            super::step(&mut *self.model, &mut self.optimizer, (batch, next), noise, rate);
        let output = stepped.map_err(|error| match error {
            // A fresh model gives every sentence a probability: updates took it away.
            TrainingError::Model(source @ ModelError::Sentence { .. }) if self.state.step > 0 => {
                TrainingError::NoProbability { step: self.state.step + 1, source }
            }
            other => other,
        })?;
        let gradient_norm = output.gradient_norm;
        let diverged = output.diverged();
        let total = start.elapsed().as_secs_f64();
        let step = self.state.step + 1;
        reporter.report(EventKind::Step {
            step,
            epoch,
            loss: output.loss,
            tokens: batch.tokens() as u64,
            sentences: Some(batch.len() as u64),
            learning_rate: self.state.learning_rate,
            gradient_norm,
            seconds: [
                ("network", output.network_seconds),
                ("inference", output.inference_seconds),
                ("optimizer", output.optimizer_seconds),
                ("total", total),
            ]
            .into_iter()
            .collect(),
            steps_per_epoch: self.batches.steps_in(epoch),
            total_steps: self.total_steps(),
        });
        if let Some((what, value)) = diverged {
            return Err(TrainingError::Diverged {
                what,
                value,
                step,
                epoch,
                sentences: batch.len(),
                length: batch.longest(),
            });
        }
        partial.sentences += batch.len() as u64;
        // The end of a sentence is no word of it.
        let ends = if self.data.ended { batch.len() } else { 0 };
        partial.tokens += (batch.tokens() - ends) as u64;
        partial.log_prob += output.log_probs.iter().sum::<f64>();
        let s = &mut self.state;
        (s.step, s.epoch, s.position, s.partial) = (step, epoch, position + 1, partial);
        s.train_seconds += total;
        if self.at_end_of_epoch() {
            reporter.report(EventKind::Evaluation {
                step,
                epoch,
                split: "train".into(),
                metrics: self.state.partial.metrics(),
            });
        }
        Ok(())
    }

    /// One batch of the evaluation; the state changes only when all of it is done, so that an
    /// interrupted evaluation is simply repeated.
    fn evaluate(
        &mut self,
        reporter: &mut dyn Reporter,
    ) -> Result<Progress<Evaluated>, TrainingError> {
        let mut running = match self.evaluation.take() {
            Some(running) => running,
            None => {
                let parser = self.model.freeze()?;
                Running { dev: self.pass(parser, &self.data.dev), verdict: None, test: None }
            }
        };
        let pass = running.test.as_mut().unwrap_or(&mut running.dev);
        pass.advance()?;
        if !pass.is_done() {
            self.evaluation = Some(running);
            return Ok(Progress::Evaluating);
        }
        if running.verdict.is_none() {
            let verdict = self.judge(self.dev_figures(&running.dev)?);
            let best = verdict.best;
            running.verdict = Some(verdict);
            if let (true, Some(test)) = (best, &self.data.test) {
                running.test = Some(self.pass(running.dev.parser().clone(), test));
                self.evaluation = Some(running);
                return Ok(Progress::Evaluating);
            }
        }
        self.conclude(running, reporter).map(Progress::Evaluated)
    }

    fn dev_figures(&self, pass: &Pass) -> Result<Metrics, TrainingError> {
        let mut figures = pass.metrics(&self.data.dev);
        if let Some(symbols) = pass.effective_symbols(&self.data.dev)? {
            figures.set("effective_symbols", symbols);
        }
        Ok(figures)
    }

    fn pass(&self, parser: Arc<dyn Parser>, split: &Split) -> Pass {
        let Config { model, training, .. } = &self.config;
        Pass::new(parser, model.family, split, self.model.min_length(), training.batch_size)
    }

    /// The untrained model only starts the curves: it chooses nothing.
    fn judge(&self, dev: Metrics) -> Verdict {
        let figure = match self.config.training.select {
            Select::LogLikelihood => dev.get("log_likelihood"),
            Select::SF1 => dev.get("s_f1"),
        }
        .unwrap_or(f64::NAN);
        let better = self.state.best.as_ref().map_or(!figure.is_nan(), |b| figure > b.figure);
        Verdict { dev, figure, best: better && self.state.step > 0 }
    }

    /// Reports the figures and lets schedule and patience take note of them.
    fn conclude(
        &mut self,
        running: Running,
        reporter: &mut dyn Reporter,
    ) -> Result<Evaluated, TrainingError> {
        let step = self.state.step;
        let epoch = epoch_at(step, self.state.epoch);
        let Verdict { dev, figure, best } = match running.verdict {
            Some(verdict) => verdict,
            None => self.judge(self.dev_figures(&running.dev)?),
        };
        let test =
            running.test.zip(self.data.test.as_ref()).map(|(pass, split)| pass.metrics(split));
        let splits = [("dev", Some(&dev)), ("test", test.as_ref())];
        for (split, metrics) in splits {
            if let Some(metrics) = metrics {
                reporter.report(EventKind::Evaluation {
                    step,
                    epoch,
                    split: split.into(),
                    metrics: metrics.clone(),
                });
            }
        }
        self.state.evaluated = Some(step);
        if step > 0 {
            self.state.bad_evaluations = if best { 0 } else { self.state.bad_evaluations + 1 };
            self.follow_schedule(figure, reporter);
        }
        if best {
            self.state.best = Some(Best { figure, step, epoch, dev: dev.clone(), test });
        }
        Ok(Evaluated { step, epoch, best, dev, parses: running.dev.into_parses() })
    }

    fn follow_schedule(&mut self, figure: f64, reporter: &mut dyn Reporter) {
        let Some(schedule) = self.config.training.schedule.filter(|s| s.plateau > 0) else {
            return;
        };
        if self.state.plateau.cut(figure, schedule.plateau, self.config.model.compat) {
            self.state.learning_rate *= schedule.factor;
            reporter.message(
                Level::Info,
                format!(
                    "learning rate cut to {:e}: no better development figure",
                    self.state.learning_rate
                ),
            );
        }
    }
}

/// An evaluation under way: the development set, then the test set if the weights are the best.
struct Running {
    dev: Pass,
    verdict: Option<Verdict>,
    test: Option<Pass>,
}

/// What the development figures say.
struct Verdict {
    dev: Metrics,
    figure: f64,
    best: bool,
}

#[cfg(test)]
#[path = "trainer_tests.rs"]
mod tests;
