use crate::report::{Event, EventKind, Level, Metrics, RunState, epoch_at};
use std::collections::BTreeMap;

/// State of a run as its events tell it, superseded ones dropped: the one place that decides
/// what counts, for live, finished and followed runs alike.
///
/// Apply events in the order of the file. Each is counted once by its sequence number, so the
/// same event may come from the folder and from a job's channel (the folder first).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Timeline {
    steps: Vec<Step>,
    evaluations: Vec<Evaluated>,
    baselines: BTreeMap<String, Metrics>,
    rounds: Vec<Round>,
    progress: Option<RoundProgress>,
    checkpoints: BTreeMap<String, u64>,
    notes: Vec<Note>,
    state: Option<RunState>,
    reason: Option<String>,
    next_seq: u64,
    time: f64,
    elapsed: f64,
    steps_per_epoch: u64,
    total_steps: u64,
}

/// One optimiser step, compact, for runs of millions.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Step {
    pub step: u64,
    pub epoch: u64,
    pub loss: f64,
    pub tokens: u64,
    pub learning_rate: f64,
    /// Before clipping.
    pub gradient_norm: f64,
    /// Seconds in the networks, the dynamic program, the optimiser, and all together; NaN if
    /// not reported.
    pub network: f32,
    pub inference: f32,
    pub optimizer: f32,
    pub total: f32,
    /// Wall clock, seconds since 1970.
    pub time: f64,
    /// Running time of the run, seconds.
    pub elapsed: f64,
}

/// Figures of a split (`train`, `dev`, `test`) at a step.
#[derive(Clone, Debug, PartialEq)]
pub struct Evaluated {
    pub step: u64,
    pub epoch: u64,
    pub split: String,
    pub metrics: Metrics,
    pub time: f64,
    pub elapsed: f64,
}

/// A round of an ensemble.
#[derive(Clone, Debug, PartialEq)]
pub struct Round {
    /// 0 is the single parser.
    pub round: u64,
    /// As the event has them, see [`EventKind::Round`].
    pub metrics: Metrics,
    /// The file of the sentences' weights, below the run folder.
    pub weights: Option<String>,
    /// For `induction`, `parsing` and `voting`.
    pub seconds: Metrics,
    pub time: f64,
    pub elapsed: f64,
}

/// How far the round under way is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RoundProgress {
    pub round: u64,
    /// Sentences parsed, of all.
    pub done: u64,
    pub of: u64,
}

/// A message with its time.
#[derive(Clone, Debug, PartialEq)]
pub struct Note {
    pub seq: u64,
    pub time: f64,
    pub elapsed: f64,
    pub level: Level,
    pub text: String,
}

/// Says that a step came before one that is not behind it, without a resumption between them.
pub fn out_of_order(wrong: u64, step: u64) -> String {
    format!(
        "the events name step {wrong} before step {step}: what was told from step {step} on is left \
         out"
    )
}

/// Splits whose name ends so hold figures of trivial trees (`dev.baselines`).
const BASELINES: &str = ".baselines";

impl Timeline {
    /// The timeline of a list of events.
    pub fn of<'a>(events: impl IntoIterator<Item = &'a Event>) -> Timeline {
        let mut timeline = Timeline::default();
        for event in events {
            timeline.apply(event);
        }
        timeline
    }

    /// Takes the next event; false if it was counted before.
    pub fn apply(&mut self, event: &Event) -> bool {
        if event.seq < self.next_seq {
            return false;
        }
        self.next_seq = event.seq + 1;
        self.time = event.time;
        self.elapsed = event.elapsed;
        let (time, elapsed) = (event.time, event.elapsed);
        match &event.kind {
            EventKind::State { state, step, resumed, reason } => {
                if *resumed {
                    self.supersede_after(*step);
                }
                if *state != RunState::Running && *state != RunState::Paused {
                    self.progress = None;
                }
                self.state = Some(*state);
                self.reason.clone_from(reason);
            }
            EventKind::Step {
                step,
                epoch,
                loss,
                tokens,
                learning_rate,
                gradient_norm,
                seconds,
                steps_per_epoch,
                total_steps,
                ..
            } => {
                // Without a resumption steps only rise: one that does not tells that what stands
                // before it with a later number was damaged.
                if let Some(wrong) = self.steps.last().map(|s| s.step).filter(|s| s >= step) {
                    self.supersede_after(step.saturating_sub(1));
                    let (level, text) = (Level::Warning, out_of_order(wrong, *step));
                    self.notes.push(Note { seq: event.seq, time, elapsed, level, text });
                }
                self.steps_per_epoch = *steps_per_epoch;
                self.total_steps = *total_steps;
                let part = |name| seconds.get(name).map_or(f32::NAN, |s| s as f32);
                self.steps.push(Step {
                    step: *step,
                    epoch: *epoch,
                    loss: *loss,
                    tokens: *tokens,
                    learning_rate: *learning_rate,
                    gradient_norm: *gradient_norm,
                    network: part("network"),
                    inference: part("inference"),
                    optimizer: part("optimizer"),
                    total: part("total"),
                    time,
                    elapsed,
                });
            }
            EventKind::Evaluation { step, epoch, split, metrics } => {
                if let Some(of) = split.strip_suffix(BASELINES) {
                    self.baselines.insert(of.to_owned(), metrics.clone());
                    return true;
                }
                // An evaluation may be repeated after a resumption at its very step.
                let here = self.evaluations.partition_point(|e| e.step < *step);
                if let Some(i) = self.evaluations[here..].iter().position(|e| e.split == *split) {
                    self.evaluations.remove(here + i);
                }
                self.evaluations.push(Evaluated {
                    step: *step,
                    epoch: epoch_at(*step, *epoch),
                    split: split.clone(),
                    metrics: metrics.clone(),
                    time,
                    elapsed,
                });
            }
            EventKind::Round { round, metrics, weights, seconds } => {
                self.rounds.retain(|r| r.round < *round);
                self.progress = None;
                self.rounds.push(Round {
                    round: *round,
                    metrics: metrics.clone(),
                    weights: weights.clone(),
                    seconds: seconds.clone(),
                    time,
                    elapsed,
                });
            }
            EventKind::Progress { round, done, of } => {
                let (round, done, of) = (*round, *done, *of);
                self.progress = Some(RoundProgress { round, done, of });
            }
            EventKind::Checkpoint { step, name } => {
                self.checkpoints.insert(name.clone(), *step);
            }
            EventKind::Device(_) => {}
            EventKind::Message { level, text } => {
                let (level, text) = (*level, text.clone());
                self.notes.push(Note { seq: event.seq, time, elapsed, level, text });
            }
        }
        true
    }

    fn supersede_after(&mut self, step: u64) {
        let kept = self.steps.partition_point(|s| s.step <= step);
        self.steps.truncate(kept);
        self.evaluations.retain(|e| e.step <= step);
        self.checkpoints.retain(|_, s| *s <= step);
        // Of an ensemble the steps are rounds.
        self.rounds.retain(|r| r.round <= step);
        self.progress = None;
    }

    /// Steps in ascending order.
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// The first of the newest steps that all have a loss that is no number; `None` where the
    /// newest has one.
    pub fn not_a_number_since(&self) -> Option<u64> {
        let row = self.steps.iter().rev().take_while(|s| !s.loss.is_finite());
        row.last().map(|s| s.step)
    }

    /// Evaluations of all splits in the order of reporting.
    pub fn evaluations(&self) -> &[Evaluated] {
        &self.evaluations
    }

    /// Evaluations of one split, ascending by step.
    pub fn split<'a>(&'a self, split: &'a str) -> impl DoubleEndedIterator<Item = &'a Evaluated> {
        self.evaluations.iter().filter(move |e| e.split == split)
    }

    /// What trivial trees score on a split: `right_s_f1`, `left_s_f1`, `balanced_s_f1`,
    /// `oracle_s_f1` and the same with `c_f1`.
    pub fn baselines(&self, split: &str) -> Option<&Metrics> {
        self.baselines.get(split)
    }

    /// Rounds of an ensemble, ascending.
    pub fn rounds(&self) -> &[Round] {
        &self.rounds
    }

    /// How far the round is that is under way.
    pub fn progress(&self) -> Option<RoundProgress> {
        self.progress
    }

    /// Step of the newest checkpoint of that name (`last`, `best`).
    pub fn checkpoint(&self, name: &str) -> Option<u64> {
        self.checkpoints.get(name).copied()
    }

    pub fn notes(&self) -> &[Note] {
        &self.notes
    }

    /// State as last reported; a process that died says nothing, see [`super::Status::is_live`].
    pub fn state(&self) -> Option<RunState> {
        self.state
    }

    /// Why the run is in its state (failed: what happened; finished: which limit).
    pub fn reason(&self) -> Option<&str> {
        self.reason.as_deref()
    }

    /// The last step that counts.
    pub fn step(&self) -> u64 {
        self.steps.last().map_or(0, |s| s.step)
    }

    /// Running epoch, from 1; 0 before the first step.
    pub fn epoch(&self) -> u64 {
        self.steps.last().map_or(0, |s| s.epoch)
    }

    /// Steps in the running epoch; 0 before the first step.
    pub fn steps_per_epoch(&self) -> u64 {
        self.steps_per_epoch
    }

    /// Steps of the whole run as planned.
    pub fn total_steps(&self) -> u64 {
        self.total_steps
    }

    /// Wall clock of the latest event, seconds since 1970.
    pub fn time(&self) -> f64 {
        self.time
    }

    /// Running time at the latest event, seconds.
    pub fn elapsed(&self) -> f64 {
        self.elapsed
    }

    /// Sequence number that the next new event has.
    pub fn next_seq(&self) -> u64 {
        self.next_seq
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::SCHEMA;

    fn event(seq: u64, kind: EventKind) -> Event {
        Event { schema: SCHEMA, seq, time: seq as f64, elapsed: seq as f64, kind }
    }

    fn step(seq: u64, step: u64, loss: f64) -> Event {
        event(
            seq,
            EventKind::Step {
                step,
                epoch: 1,
                loss,
                tokens: 10,
                sentences: Some(1),
                learning_rate: 0.1,
                gradient_norm: 1.0,
                seconds: [("total", 0.5)].into_iter().collect(),
                steps_per_epoch: 5,
                total_steps: 10,
            },
        )
    }

    fn evaluation(seq: u64, step: u64, split: &str, figure: f64) -> Event {
        let metrics = [("log_likelihood", figure)].into_iter().collect();
        event(seq, EventKind::Evaluation { step, epoch: 1, split: split.into(), metrics })
    }

    fn state(seq: u64, state: RunState, step: u64, resumed: bool) -> Event {
        event(seq, EventKind::State { state, step, resumed, reason: None })
    }

    #[test]
    fn a_resumption_drops_what_came_after_its_step() {
        let events = [
            state(0, RunState::Running, 0, false),
            step(1, 1, 5.0),
            step(2, 2, 4.0),
            evaluation(3, 2, "dev", -4.0),
            step(4, 3, 3.0),
            evaluation(5, 3, "dev", -3.0),
            state(6, RunState::Running, 2, true),
            step(7, 3, 3.5),
        ];
        let timeline = Timeline::of(&events);
        let losses: Vec<_> = timeline.steps().iter().map(|s| (s.step, s.loss)).collect();
        assert_eq!(losses, [(1, 5.0), (2, 4.0), (3, 3.5)]);
        let figures: Vec<_> = timeline.split("dev").map(|e| e.step).collect();
        assert_eq!(figures, [2]);
        assert_eq!(timeline.state(), Some(RunState::Running));
        assert_eq!((timeline.steps_per_epoch(), timeline.total_steps()), (5, 10));
    }

    #[test]
    fn a_step_of_a_damaged_number_hides_none_behind_it_and_is_told() {
        let timeline = Timeline::of(&[
            step(0, 1, 5.0),
            step(1, 100_000, 4.0),
            step(2, 3, 3.0),
            step(3, 4, 2.0),
        ]);
        let losses: Vec<_> = timeline.steps().iter().map(|s| (s.step, s.loss)).collect();
        assert_eq!(losses, [(1, 5.0), (3, 3.0), (4, 2.0)]);
        let [note] = timeline.notes() else { panic!("{:?}", timeline.notes()) };
        let told = "the events name step 100000 before step 3: what was told from step 3 on is left \
                    out";
        assert_eq!((note.level, note.text.as_str()), (Level::Warning, told));
    }

    #[test]
    fn an_event_that_comes_twice_counts_once() {
        let events = [step(0, 1, 5.0), step(1, 2, 4.0)];
        let mut timeline = Timeline::of(&events);
        assert!(!timeline.apply(&events[1]));
        assert!(timeline.apply(&step(2, 3, 3.0)));
        assert_eq!(timeline.steps().len(), 3);
        assert_eq!(timeline.next_seq(), 3);
    }

    #[test]
    fn an_evaluation_repeated_at_its_step_replaces_the_first() {
        let timeline = Timeline::of(&[
            evaluation(0, 2, "dev", -4.0),
            evaluation(1, 2, "test", -5.0),
            state(2, RunState::Running, 2, true),
            evaluation(3, 2, "dev", -4.0),
        ]);
        assert_eq!(timeline.split("dev").count(), 1);
        assert_eq!(timeline.split("test").count(), 1);
    }

    /// Says what a run of seven steps says, evaluating at every second one.
    fn say(from: u64, to: u64, events: &mut Vec<Event>) {
        for at in from + 1..=to {
            events.push(step(events.len() as u64, at, at as f64));
            if at % 2 == 0 {
                events.push(evaluation(events.len() as u64, at, "dev", -(at as f64)));
            }
        }
    }

    proptest::proptest! {
        #[test]
        fn a_run_that_dies_anywhere_any_number_of_times_tells_the_same_in_the_end(
            deaths in proptest::collection::vec((0u64..7, 0u64..7), 0..6)
        ) {
            let mut undisturbed = vec![state(0, RunState::Running, 0, false)];
            say(0, 7, &mut undisturbed);
            let mut events = vec![state(0, RunState::Running, 0, false)];
            let mut at = 0;
            for (death, saved) in deaths {
                say(at, death.max(at), &mut events);
                at = saved.min(death.max(at));
                events.push(state(events.len() as u64, RunState::Running, at, true));
            }
            say(at, 7, &mut events);
            let (told, expected) = (Timeline::of(&events), Timeline::of(&undisturbed));
            let steps = |t: &Timeline| t.steps().iter().map(|s| (s.step, s.loss)).collect::<Vec<_>>();
            let figures = |t: &Timeline| {
                t.evaluations().iter().map(|e| (e.step, e.metrics.clone())).collect::<Vec<_>>()
            };
            proptest::prop_assert_eq!(steps(&told), steps(&expected));
            proptest::prop_assert_eq!(figures(&told), figures(&expected));
        }
    }

    #[test]
    fn baselines_are_no_points_of_a_curve() {
        let timeline = Timeline::of(&[evaluation(0, 0, "dev.baselines", -4.0)]);
        assert!(timeline.evaluations().is_empty());
        assert_eq!(timeline.baselines("dev").and_then(|m| m.get("log_likelihood")), Some(-4.0));
    }
}
