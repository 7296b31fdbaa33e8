use super::analyses::{Analyses, set_figures};
use super::boosting::{self, judge, uniform};
use super::data::{Data, Part};
use super::round::{Round, set_judgement, set_member, vote_on};
use super::sampling::resample;
use super::{EnsembleError, cartography};
use crate::config::{Config, Kind, OnFailure, Sampling, Update};
use crate::parser::{self, Prepared, TreeParser};
use crate::report::{EventKind, Level, Metrics, Reporter};
use rayon::prelude::*;
use std::sync::Arc;
use std::time::Instant;

/// Sentences parsed at a time: commands are answered, and progress is told, in between.
const CHUNK: usize = 256;

/// How often in a round progress is told.
const TELLINGS: usize = 50;

/// What one call of [`Rounds::advance`] did.
#[derive(Debug)]
pub enum Progress {
    /// Part of a round.
    Working,
    /// A round is complete.
    Round(Arc<Round>),
    /// Nothing is left to do.
    Finished(Ending),
}

/// Why an ensemble is complete.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    Rounds(u64),
    /// The round was wrong on half of the weight or more.
    Failed(u64),
}

impl std::fmt::Display for Ending {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        match self {
            Ending::Rounds(n) => write!(f, "all {n} rounds are done"),
            Ending::Failed(n) => {
                write!(f, "round {n} was wrong on half of the weight or more, so boosting ends")
            }
        }
    }
}

/// Bagging or boosting in progress: every call of [`Rounds::advance`] does a small piece. All that
/// decides the next round is in the rounds before, so that a run that ends anywhere and goes on
/// from the rounds that were complete comes to the same.
pub struct Rounds {
    config: Config,
    data: Data,
    prepared: Box<dyn Prepared>,
    done: Vec<Arc<Round>>,
    /// Sentences whose weight rose in every round so far.
    raised: Vec<bool>,
    current: Option<Current>,
}

/// A round under way.
struct Current {
    round: Round,
    parser: Arc<dyn TreeParser>,
    parsing: Instant,
}

impl Rounds {
    /// Prepares the training trees; no round is begun.
    pub fn new(config: &Config, data: Data) -> Result<Rounds, EnsembleError> {
        let prepared = parser::build(&config.parser)?.prepare(&data.train.trees())?;
        let raised = vec![true; data.train.sentences.len()];
        let (config, done) = (config.clone(), Vec::new());
        Ok(Rounds { config, data, prepared, done, raised, current: None })
    }

    /// Takes a round that an earlier session completed; in their order.
    pub fn restore(&mut self, round: Round) -> Result<(), EnsembleError> {
        let number = round.number;
        let expected = self.next_number();
        if number != expected {
            let text = format!("round {number} stands where round {expected} should");
            return Err(EnsembleError::Resume(text));
        }
        let m = self.data.train.sentences.len();
        if round.weights.len() != m || round.next.as_ref().is_some_and(|next| next.len() != m) {
            let text = format!("round {number} has {} weights for {m}", round.weights.len());
            return Err(EnsembleError::Resume(text));
        }
        let parts: Vec<&Part> = self.data.parts().collect();
        let fits = |(analyses, part): (&Analyses, &&Part)| {
            let n = part.sentences.len();
            analyses.trees.len() == n
                && (0..n).into_par_iter().all(|i| analyses.tree(i, part).is_some())
        };
        if round.analyses.len() != parts.len() || !round.analyses.iter().zip(&parts).all(fits) {
            let text = format!("the trees of round {number} are not over the words of the corpus");
            return Err(EnsembleError::Resume(text));
        }
        self.note_raised(&round);
        self.done.push(Arc::new(round));
        Ok(())
    }

    pub fn config(&self) -> &Config {
        &self.config
    }

    pub fn data(&self) -> &Data {
        &self.data
    }

    /// Complete rounds in their order, the single parser among them.
    pub fn done(&self) -> &[Arc<Round>] {
        &self.done
    }

    /// Number of the last complete round.
    pub fn number(&self) -> u64 {
        self.done.last().map_or(0, |round| round.number)
    }

    /// Says what is to come; once, before the first round.
    pub fn introduce(&self, reporter: &mut dyn Reporter) {
        let text = "a constituent is what evalb counts: without the root, without words of \
                    punctuation (by the tags of the annotation), labels cut at the first - or =";
        reporter.message(Level::Info, text.into());
        let settings = &self.config.ensemble;
        if self.config.kind == Kind::Boost && settings.update == Update::Literal {
            let text = "the literal update multiplies a weight by about the number of the \
                        sentence's constituents: after some rounds the ranking is one by length";
            reporter.message(Level::Warning, text.into());
        }
    }

    /// Does the next piece of work.
    pub fn advance(&mut self, reporter: &mut dyn Reporter) -> Result<Progress, EnsembleError> {
        match self.current.take() {
            Some(current) => Ok(self.parse(current, reporter)),
            None => match self.ending() {
                Some(ending) => Ok(Progress::Finished(ending)),
                None => {
                    self.current = Some(self.begin(reporter)?);
                    Ok(Progress::Working)
                }
            },
        }
    }

    /// The single parser stands before rounds that are drawn; without drawing, round 1 is it.
    fn next_number(&self) -> u64 {
        match self.done.last() {
            Some(round) => round.number + 1,
            None => u64::from(!self.draws()),
        }
    }

    fn draws(&self) -> bool {
        self.config.kind == Kind::Bag || self.config.ensemble.sampling == Sampling::Resample
    }

    fn ending(&self) -> Option<Ending> {
        let last = self.done.last()?;
        if last.next.is_none() {
            return Some(Ending::Failed(last.number));
        }
        let rounds = self.config.ensemble.rounds as u64;
        (last.number >= rounds).then_some(Ending::Rounds(rounds))
    }

    fn begin(&self, reporter: &mut dyn Reporter) -> Result<Current, EnsembleError> {
        let number = self.next_number();
        let m = self.data.train.sentences.len();
        let weights = self.done.last().and_then(|r| r.next.clone()).unwrap_or_else(|| uniform(m));
        let drawn = (number > 0 && self.draws()).then(|| {
            let counts = resample(&weights, self.config.seed, number);
            counts.into_iter().map(|n| n as u32).collect()
        });
        let mut round = Round { number, weights, drawn, ..Round::default() };
        self.tell(reporter, number, 0);
        let start = Instant::now();
        let parser = self.prepared.induce(&round.training_weights())?;
        round.seconds.set("induction", start.elapsed().as_secs_f64());
        round.analyses = vec![Analyses::default(); 1 + self.data.held_out.len()];
        Ok(Current { round, parser, parsing: Instant::now() })
    }

    fn sentences(&self) -> usize {
        self.data.parts().map(|part| part.sentences.len()).sum()
    }

    fn tell(&self, reporter: &mut dyn Reporter, round: u64, done: usize) {
        let (done, of) = (done as u64, self.sentences() as u64);
        reporter.report(EventKind::Progress { round, done, of });
    }

    /// Parses some more sentences; the round is complete when there are none left.
    fn parse(&mut self, mut current: Current, reporter: &mut dyn Reporter) -> Progress {
        let parsed = |round: &Round| round.analyses.iter().map(|a| a.trees.len()).sum::<usize>();
        let before = parsed(&current.round);
        let next = self
            .data
            .parts()
            .zip(&mut current.round.analyses)
            .find(|(part, analyses)| analyses.trees.len() < part.sentences.len());
        if let Some((part, analyses)) = next {
            analyses.extend(&*current.parser, part, CHUNK);
        }
        let (now, all) = (parsed(&current.round), self.sentences());
        if now < all {
            if now * TELLINGS / all > before * TELLINGS / all {
                self.tell(reporter, current.round.number, now);
            }
            self.current = Some(current);
            return Progress::Working;
        }
        let Current { mut round, parsing, .. } = current;
        round.seconds.set("parsing", parsing.elapsed().as_secs_f64());
        self.conclude(&mut round, reporter);
        let round = Arc::new(round);
        self.done.push(round.clone());
        Progress::Round(round)
    }

    /// What the round is worth, what follows, and how the members do together.
    fn conclude(&mut self, round: &mut Round, reporter: &mut dyn Reporter) {
        let agreements = round.analyses[0].agreements();
        let mut metrics = Metrics::default();
        let judgement = judge(&round.weights, &agreements, self.config.ensemble.update);
        if self.config.kind == Kind::Bag || round.number == 0 {
            metrics.set("error", judgement.weighted_error);
            metrics.set("hard_mass", judgement.hard_mass);
            round.vote = (round.number > 0).then_some(1.0);
            round.next = Some(round.weights.clone());
            if let Some(drawn) = &round.drawn {
                let distinct = drawn.iter().filter(|n| **n > 0).count();
                metrics.set("effective_size", distinct as f64);
            }
            if let Some(vote) = round.vote {
                metrics.set("vote", vote);
            }
        } else {
            set_judgement(&mut metrics, &judgement);
            match judgement.verdict {
                Some(verdict) => {
                    round.vote = Some(verdict.vote);
                    round.next = Some(verdict.next);
                }
                None => {
                    let reset = self.config.ensemble.on_failure == OnFailure::Reset;
                    round.next = reset.then(|| uniform(round.weights.len()));
                    let what = if reset { "all weights are equal again" } else { "boosting ends" };
                    let (number, error) = (round.number, judgement.epsilon);
                    let text = match round.weights.len() {
                        1 => format!(
                            "round {number} has no vote, as one sentence has no others to be \
                             weighed against, and {what}"
                        ),
                        _ => format!(
                            "round {number} has no vote: it is wrong on {:.1} % of the weight, \
                             and {what}",
                            100.0 * error
                        ),
                    };
                    reporter.message(Level::Warning, text);
                }
            }
        }
        self.note_raised(round);
        if self.config.kind == Kind::Boost {
            let raised = self.raised.iter().filter(|r| **r).count();
            metrics.set("raised_always", raised as f64);
        }
        let parts: Vec<&Part> = self.data.parts().collect();
        set_member(&mut metrics, &round.analyses, &parts);
        let voting = Instant::now();
        for (i, part) in parts.iter().enumerate() {
            let members = self.done.iter().map(|r| &**r).chain([&*round]);
            let mut members: Vec<(&Analyses, f64)> =
                members.filter_map(|r| Some((&r.analyses[i], r.vote?))).collect();
            if members.is_empty() {
                // Until there is a vote, the parser that has none is all there is.
                members.push((&round.analyses[i], 1.0));
            }
            set_figures(&mut metrics, part.name, &vote_on(part, &members));
        }
        round.seconds.set("voting", voting.elapsed().as_secs_f64());
        round.metrics = metrics;
    }

    /// A sentence counts as raised where its weight grew in every round with a vote.
    fn note_raised(&mut self, round: &Round) {
        if let (Some(next), Some(_), true) =
            (&round.next, round.vote, self.config.kind == Kind::Boost)
        {
            for (raised, (before, after)) in
                self.raised.iter_mut().zip(round.weights.iter().zip(next))
            {
                *raised &= after > before;
            }
        }
    }

    /// Mean and variance of every training sentence's error over the rounds with a vote.
    pub fn cartography(&self) -> Vec<Option<cartography::Location>> {
        let rounds: Vec<&Arc<Round>> = self.done.iter().filter(|r| r.vote.is_some()).collect();
        (0..self.data.train.sentences.len())
            .map(|i| {
                let errors = rounds.iter().map(|r| r.analyses[0].trees[i].agreement.error());
                cartography::Location::of(errors)
            })
            .collect()
    }

    /// Weights of the training sentences after the last round that left any; they sum to 1.
    pub fn weights(&self) -> Vec<f64> {
        let last = self.done.iter().rev().find_map(|round| round.next.clone());
        last.unwrap_or_else(|| boosting::uniform(self.data.train.sentences.len()))
    }
}
