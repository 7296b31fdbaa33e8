//! What a run has reported so far, in the shape that screens need.
//!
//! Live, finished and remote runs give the same events, and this is the one
//! place that reads them. An event that arrives twice is counted once.

use super::clock::Clock;
use super::series::Series;
use crate::analysis::alarms::{self, Alarm, Figures};
use crate::report::{DeviceUse, Event, EventKind, Level, Metrics, RunState, epoch_at};
use crate::run::out_of_order;
use std::collections::BTreeMap;

/// Figures of one evaluation.
#[derive(Clone, Debug, PartialEq)]
pub struct Evaluated {
    pub step: u64,
    pub epoch: u64,
    pub split: String,
    pub metrics: Metrics,
    pub elapsed: f64,
}

/// The newest step.
#[derive(Clone, Debug, PartialEq)]
pub struct LastStep {
    pub step: u64,
    pub epoch: u64,
    pub loss: f64,
    pub learning_rate: f64,
    pub gradient_norm: f64,
    pub steps_per_epoch: u64,
    pub total_steps: u64,
}

/// A note of a run, for the log.
#[derive(Clone, Debug, PartialEq)]
pub struct Note {
    pub time: f64,
    pub level: Level,
    pub text: String,
}

/// Everything that a run's events say.
#[derive(Clone, Debug, Default)]
pub struct History {
    /// As reported: nats a sentence, of a language model nats a token.
    pub loss: Series,
    /// Nats a word, where the run says how many sentences its batches have; not of language models.
    loss_a_word: Series,
    pub learning_rate: Series,
    /// Steps before which the learning rate fell, with the new rate.
    pub rate_cuts: Vec<(u64, f64)>,
    pub gradient_norm: Series,
    pub tokens_per_second: Series,
    /// Dev figures by name, over steps.
    pub dev: BTreeMap<String, Series>,
    /// Figures of the other splits over steps, by split and name, e.g. `test_s_f1`.
    pub other_splits: BTreeMap<String, Series>,
    /// When every step and evaluation was.
    pub clock: Clock,
    pub evaluations: Vec<Evaluated>,
    /// Figures of trivial trees on the dev split, by name, e.g. `right_branching`.
    pub baselines: Metrics,
    pub last: Option<LastStep>,
    pub state: Option<RunState>,
    /// Why the run stopped or failed.
    pub reason: Option<String>,
    /// Name and step of the newest checkpoints.
    pub checkpoints: BTreeMap<String, u64>,
    pub notes: Vec<Note>,
    /// Of what learns in rounds: the present one, and what is done of it.
    pub progress: Option<(u64, u64, u64)>,
    /// Seconds of running time.
    pub elapsed: f64,
    /// Wall clock of the newest event.
    pub time: f64,
    /// Recent steps: tokens, seconds and seconds by part, averaged.
    pub speed: Speed,
    pace: Pace,
    /// The device of the run, as it was last said.
    pub device: Option<DeviceUse>,
    next_seq: u64,
}

/// Exponential averages over about the last fifty steps.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Speed {
    weight: f64,
    tokens: f64,
    parts: BTreeMap<String, f64>,
}

impl Speed {
    const DECAY: f64 = 0.98;

    fn push(&mut self, tokens: u64, seconds: &Metrics) {
        self.weight = Self::DECAY * self.weight + 1.0;
        self.tokens = Self::DECAY * self.tokens + tokens as f64;
        for value in self.parts.values_mut() {
            *value *= Self::DECAY;
        }
        for (name, &value) in &seconds.0 {
            if value.is_finite() {
                *self.parts.entry(name.clone()).or_default() += value;
            }
        }
    }

    /// Mean seconds a step in a part (`network`, `inference`, `optimizer`, `total`).
    pub fn seconds(&self, part: &str) -> Option<f64> {
        self.parts.get(part).map(|v| v / self.weight).filter(|v| v.is_finite())
    }

    /// Mean tokens a step.
    pub fn tokens(&self) -> Option<f64> {
        (self.weight > 0.0).then(|| self.tokens / self.weight)
    }

    /// Words a second.
    pub fn tokens_per_second(&self) -> Option<f64> {
        let total = self.parts.get("total")?;
        (*total > 0.0).then(|| self.tokens / total)
    }
}

/// Fewest steps that say how long the others will take.
const KNOWN: u32 = 3;

/// Where the running time of this session goes: to steps, and to evaluations with what is written
/// after them. What comes before the first of them, as loading, comes only once.
#[derive(Clone, Debug, Default)]
struct Pace {
    /// Steps that were counted, and a mean of their seconds in which recent ones weigh more.
    steps: u32,
    weight: f64,
    seconds: f64,
    /// Development evaluations, and the seconds of all that was no step.
    evaluations: u32,
    beside: f64,
}

impl Pace {
    fn push(&mut self, kind: &EventKind, seconds: f64) {
        match kind {
            EventKind::Step { .. } => {
                self.steps = self.steps.saturating_add(1);
                self.weight = Speed::DECAY * self.weight + 1.0;
                self.seconds = Speed::DECAY * self.seconds + seconds;
            }
            EventKind::Evaluation { split, .. } if split.ends_with(".baselines") => {}
            EventKind::Evaluation { split, .. } => {
                self.evaluations += u32::from(split == "dev");
                self.beside += seconds;
            }
            EventKind::Checkpoint { .. } => self.beside += seconds,
            EventKind::State { resumed: true, .. } => *self = Pace::default(),
            _ => {}
        }
    }

    /// Seconds a step, evaluations spread over the steps between them.
    fn step(&self, between: f64) -> Option<f64> {
        let evaluation = self.beside / f64::from(self.evaluations.max(1));
        (self.steps >= KNOWN).then(|| self.seconds / self.weight + evaluation / between.max(1.0))
    }
}

impl History {
    /// Takes in one event; `false` if it had been counted before.
    pub fn push(&mut self, event: &Event) -> bool {
        if event.seq < self.next_seq {
            return false;
        }
        self.next_seq = event.seq + 1;
        self.pace.push(&event.kind, (event.elapsed - self.elapsed).max(0.0));
        self.elapsed = event.elapsed;
        self.time = event.time;
        match &event.kind {
            EventKind::State { state, step, resumed, reason } => {
                self.state = Some(*state);
                self.reason.clone_from(reason);
                if *resumed {
                    self.go_back_to(*step);
                }
            }
            EventKind::Step {
                step,
                epoch,
                loss,
                tokens,
                sentences,
                learning_rate,
                gradient_norm,
                seconds,
                steps_per_epoch,
                total_steps,
            } => {
                // Without a resumption steps only rise, see `run::Timeline`.
                if let Some(wrong) = self.last.as_ref().map(|l| l.step).filter(|s| s >= step) {
                    self.go_back_to(step.saturating_sub(1));
                    let text = out_of_order(wrong, *step);
                    self.notes.push(Note { time: event.time, level: Level::Warning, text });
                }
                let x = *step as f64;
                self.clock.push(x, event.elapsed, event.time);
                self.loss.push(x, *loss);
                if let Some(sentences) = sentences.filter(|_| *tokens > 0) {
                    self.loss_a_word.push(x, loss * sentences as f64 / *tokens as f64);
                }
                if self.learning_rate.last().is_some_and(|(_, before)| *learning_rate < before) {
                    self.rate_cuts.push((*step, *learning_rate));
                }
                self.learning_rate.push(x, *learning_rate);
                self.gradient_norm.push(x, *gradient_norm);
                self.speed.push(*tokens, seconds);
                if let Some(total) = seconds.get("total").filter(|t| *t > 0.0) {
                    self.tokens_per_second.push(x, *tokens as f64 / total);
                }
                self.last = Some(LastStep {
                    step: *step,
                    epoch: *epoch,
                    loss: *loss,
                    learning_rate: *learning_rate,
                    gradient_norm: *gradient_norm,
                    steps_per_epoch: *steps_per_epoch,
                    total_steps: *total_steps,
                });
            }
            EventKind::Evaluation { split, metrics, .. } if split == "dev.baselines" => {
                self.baselines.clone_from(metrics);
            }
            EventKind::Evaluation { step, epoch, split, metrics } => {
                let x = *step as f64;
                self.clock.push(x, event.elapsed, event.time);
                for (name, &value) in &metrics.0 {
                    let series = match split.as_str() {
                        "dev" => self.dev.entry(name.clone()),
                        other => self.other_splits.entry(format!("{other}_{name}")),
                    };
                    series.or_default().push(x, value);
                }
                self.evaluations.push(Evaluated {
                    step: *step,
                    epoch: epoch_at(*step, *epoch),
                    split: split.clone(),
                    metrics: metrics.clone(),
                    elapsed: event.elapsed,
                });
            }
            EventKind::Checkpoint { step, name } => {
                self.checkpoints.insert(name.clone(), *step);
            }
            EventKind::Message { level, text } => {
                self.notes.push(Note { time: event.time, level: *level, text: text.clone() });
            }
            EventKind::Device(device) => self.device = Some(device.clone()),
            EventKind::Round { .. } => {}
            EventKind::Progress { round, done, of } => self.progress = Some((*round, *done, *of)),
        }
        true
    }

    /// A resumed run supersedes what it had reported behind the step it went on from.
    fn go_back_to(&mut self, step: u64) {
        let x = step as f64;
        let curves = [
            &mut self.loss,
            &mut self.loss_a_word,
            &mut self.learning_rate,
            &mut self.gradient_norm,
            &mut self.tokens_per_second,
        ];
        let evaluated = self.dev.values_mut().chain(self.other_splits.values_mut());
        for series in curves.into_iter().chain(evaluated) {
            series.truncate_after(x);
        }
        self.clock.truncate_after(x);
        self.evaluations.retain(|e| e.step <= step);
        self.rate_cuts.retain(|(at, _)| *at <= step);
        self.checkpoints.retain(|_, at| *at <= step);
        if self.last.as_ref().is_some_and(|l| l.step > step) {
            // The step that it stands at, as far as the curves tell; sizes stay as they were.
            let point = self.loss.last();
            if let Some(last) = &mut self.last {
                last.step = step;
                last.epoch = match last.steps_per_epoch {
                    0 => last.epoch,
                    n => step.div_ceil(n),
                };
                if let Some((_, loss)) = point {
                    last.loss = loss;
                }
            }
        }
    }

    /// The loss a word in nats, if every step of the run says it. Of a language model
    /// [`History::loss`] is that already.
    pub fn loss_a_word(&self) -> Option<&Series> {
        Some(&self.loss_a_word).filter(|words| words.len() == self.loss.len())
    }

    /// The newest figures of a split.
    pub fn newest(&self, split: &str) -> Option<&Evaluated> {
        self.evaluations.iter().rev().find(|e| e.split == split)
    }

    /// The evaluation with the best dev log-likelihood, or perplexity where that is absent.
    pub fn best_dev(&self) -> Option<&Evaluated> {
        let score = |e: &Evaluated| {
            e.metrics
                .get("log_likelihood")
                .or_else(|| e.metrics.get("perplexity").map(|p| -p))
                .filter(|v| v.is_finite())
        };
        self.evaluations
            .iter()
            .filter(|e| e.split == "dev")
            .filter_map(|e| Some((score(e)?, e)))
            .max_by(|a, b| a.0.total_cmp(&b.0))
            .map(|(_, e)| e)
    }

    /// What goes wrong, the worst first; `symbols` as [`alarms::symbols`] gives them.
    pub fn alarms(&self, symbols: Option<usize>) -> Vec<Alarm> {
        let steps = (0..self.loss.len()).rev().map(|i| self.loss.point(i));
        let not_a_number = steps.take_while(|(_, loss)| !loss.is_finite()).last();
        let evaluations = self.evaluations.iter();
        let evaluations: Vec<Figures> = evaluations
            .map(|e| Figures { step: e.step, split: &e.split, metrics: &e.metrics })
            .collect();
        alarms::alarms(&alarms::Training {
            evaluations: &evaluations,
            not_a_number_since: not_a_number.map(|(step, _)| step as u64),
            symbols,
        })
    }

    /// Share of the run that is done, if its length is known.
    pub fn progress(&self) -> Option<f64> {
        let last = self.last.as_ref()?;
        (last.total_steps > 0).then(|| (last.step as f64 / last.total_steps as f64).min(1.0))
    }

    /// Share of the epoch that is done.
    pub fn epoch_progress(&self) -> Option<f64> {
        let last = self.last.as_ref()?;
        let n = last.steps_per_epoch;
        let within = last.step.checked_sub((last.epoch.max(1) - 1).checked_mul(n)?)?;
        (n > 0).then(|| (within as f64 / n as f64).min(1.0))
    }

    /// Seconds left at the pace of this session, once some steps have shown it.
    pub fn seconds_left(&self, share: f64, of_steps: u64) -> Option<f64> {
        let last = self.last.as_ref()?;
        let mut later = self.evaluations.iter().filter(|e| e.split == "dev" && e.step > 0);
        let (newest, seen) = (later.next_back().map(|e| e.step), later.count() + 1);
        // Before the second evaluation it is taken to come at the end of the epoch.
        let between = newest.map_or(last.steps_per_epoch as f64, |step| step as f64 / seen as f64);
        Some((1.0 - share) * of_steps as f64 * self.pace.step(between)?)
    }

    /// The run has come to its end and cannot say so itself.
    pub fn end(&mut self, state: RunState, reason: Option<String>) {
        (self.state, self.reason) = (Some(state), reason);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workbench::testing::{event, step};

    fn evaluation(at: u64, log_likelihood: f64) -> EventKind {
        EventKind::Evaluation {
            step: at,
            epoch: at / 10,
            split: "dev".into(),
            metrics: [("log_likelihood", log_likelihood), ("s_f1", 40.0)].into_iter().collect(),
        }
    }

    #[test]
    fn an_event_that_comes_twice_is_counted_once() {
        let mut history = History::default();
        let first = event(3, step(1, 5.0));
        assert!(history.push(&first));
        assert!(!history.push(&first));
        assert!(!history.push(&event(2, step(1, 5.0))));
        assert_eq!(history.loss.len(), 1);
    }

    #[test]
    fn a_step_of_a_damaged_number_hides_none_behind_it() {
        let mut history = History::default();
        for (seq, at) in [1, 2, 100_000, 4, 5].into_iter().enumerate() {
            history.push(&event(seq as u64, step(at, at as f64)));
        }
        let points: Vec<f64> = (0..history.loss.len()).map(|i| history.loss.point(i).0).collect();
        assert_eq!(points, [1.0, 2.0, 4.0, 5.0]);
        assert_eq!(history.last.as_ref().map(|l| l.step), Some(5));
        assert!(history.notes[0].text.contains("step 100000 before step 4"), "{:?}", history.notes);
    }

    #[test]
    fn a_resumed_run_forgets_what_it_superseded() {
        let mut history = History::default();
        for i in 1..=25 {
            history.push(&event(i, step(i, 10.0 - i as f64 * 0.1)));
        }
        history.push(&event(26, evaluation(10, -50.0)));
        history.push(&event(27, evaluation(20, -40.0)));
        let resumed =
            EventKind::State { state: RunState::Running, step: 12, resumed: true, reason: None };
        history.push(&event(28, resumed));
        assert_eq!(history.loss.last().map(|p| p.0), Some(12.0));
        assert_eq!(history.evaluations.len(), 1);
        assert_eq!(history.dev["s_f1"].len(), 1);
        let last = history.last.as_ref().expect("steps were reported");
        assert_eq!((last.step, last.epoch), (12, 2));
        history.push(&event(29, step(13, 3.0)));
        assert_eq!(history.loss.last(), Some((13.0, 3.0)));
    }

    #[test]
    fn cuts_of_the_learning_rate_are_counted_and_those_behind_a_resumption_forgotten() {
        let mut history = History::default();
        for (i, rate) in [0.001, 0.001, 0.0005, 0.0005, 0.002, 0.00025].into_iter().enumerate() {
            let mut kind = step(i as u64 + 1, 5.0);
            if let EventKind::Step { learning_rate, .. } = &mut kind {
                *learning_rate = rate;
            }
            history.push(&event(i as u64, kind));
        }
        assert_eq!(history.rate_cuts, [(3, 0.0005), (6, 0.00025)]);
        let resumed =
            EventKind::State { state: RunState::Running, step: 4, resumed: true, reason: None };
        history.push(&event(10, resumed));
        assert_eq!(history.rate_cuts, [(3, 0.0005)]);
    }

    #[test]
    fn the_loss_a_word_does_not_jump_with_the_length_of_the_sentences() {
        let mut history = History::default();
        for (i, length) in [4, 40, 10].into_iter().enumerate() {
            let mut kind = step(i as u64 + 1, 5.0 * length as f64);
            if let EventKind::Step { tokens, .. } = &mut kind {
                *tokens = 16 * length;
            }
            history.push(&event(i as u64, kind));
        }
        let words = history.loss_a_word().expect("every step says its sentences");
        assert!((0..3).all(|i| words.point(i) == (i as f64 + 1.0, 5.0)));
        // A run that an early version began has no such curve.
        let mut kind = step(4, 8.0);
        if let EventKind::Step { sentences, .. } = &mut kind {
            *sentences = None;
        }
        history.push(&event(3, kind));
        assert!(history.loss_a_word().is_none());
        assert_eq!(history.loss.len(), 4);
    }

    #[test]
    fn speed_and_progress_come_from_the_steps() {
        let mut history = History::default();
        for i in 1..=25 {
            history.push(&event(i, step(i, 1.0)));
        }
        let speed = history.speed.tokens_per_second().expect("known");
        assert!((speed - 2000.0).abs() < 1e-6, "{speed}");
        assert!((history.speed.seconds("inference").expect("known") - 0.06).abs() < 1e-9);
        assert_eq!(history.progress(), Some(0.25));
        assert_eq!(history.epoch_progress(), Some(0.5));
        assert_eq!(history.seconds_left(0.25, 100), Some(75.0));
    }

    #[test]
    fn the_time_left_counts_evaluations_as_often_as_they_come_and_loading_never() {
        let mut history = History::default();
        let (mut seq, mut now) = (0, 0.0);
        let mut tell = |history: &mut History, seconds: f64, kind: EventKind| {
            now += seconds;
            history.push(&Event { elapsed: now, ..event(seq, kind) });
            seq += 1;
        };
        // Half a minute of loading, 4 s of evaluation and writing, then steps of 0.1 s.
        let text = "loaded".to_owned();
        tell(&mut history, 30.0, EventKind::Message { level: Level::Info, text });
        tell(&mut history, 3.0, evaluation(0, -50.0));
        tell(&mut history, 1.0, EventKind::Checkpoint { step: 0, name: "best".into() });
        for i in 1..=2 {
            tell(&mut history, 0.1, step(i, 1.0));
            assert_eq!(history.seconds_left(0.0, 100), None, "two steps tell nothing");
        }
        tell(&mut history, 0.1, step(3, 1.0));
        let left = |history: &History| history.seconds_left(0.03, 100).expect("known");
        // 97 steps, and an evaluation every ten.
        assert!((left(&history) - 97.0 * (0.1 + 0.4)).abs() < 1e-9, "{}", left(&history));
        for i in 4..=20 {
            tell(&mut history, 0.1, step(i, 1.0));
        }
        // It is seen to come every twenty.
        tell(&mut history, 3.0, evaluation(20, -40.0));
        tell(&mut history, 1.0, EventKind::Checkpoint { step: 20, name: "best".into() });
        assert!((left(&history) - 97.0 * (0.1 + 0.2)).abs() < 1e-9, "{}", left(&history));
        // Another machine may go on with it.
        let state = RunState::Running;
        tell(&mut history, 60.0, EventKind::State { state, step: 20, resumed: true, reason: None });
        assert_eq!(history.seconds_left(0.2, 100), None);
        for i in 21..=23 {
            tell(&mut history, 2.0, step(i, 1.0));
        }
        assert!((history.seconds_left(0.5, 100).expect("known") - 100.0).abs() < 1e-9);
    }

    #[test]
    fn the_best_evaluation_goes_by_dev_log_likelihood() {
        let mut history = History::default();
        for (i, value) in [-50.0, -30.0, f64::NAN, -35.0].into_iter().enumerate() {
            history.push(&event(i as u64, evaluation(10 * (i as u64 + 1), value)));
        }
        assert_eq!(history.best_dev().map(|e| e.step), Some(20));
        assert_eq!(history.newest("dev").map(|e| e.step), Some(40));
        assert!(history.newest("test").is_none());
    }
}
