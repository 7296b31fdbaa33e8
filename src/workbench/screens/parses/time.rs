//! One sentence over all evaluations of the run: how its tree, its figures and its marginals changed.

use super::Parses;
use super::rows::Row;
use crate::report::epoch_at;
use crate::run::{EvaluatedTrees, RunFolder};
use crate::workbench::screen::{Context, Effect};
use crate::workbench::task::{Task, TaskHandle};
use crate::workbench::widgets::moves;
use std::collections::HashSet;
use std::path::Path;

/// The task that reads them.
pub const TASK: &str = "time";

/// Ticks between two evaluations while time is played.
const PACE: u64 = 5;

/// What an evaluation says of the sentence.
#[derive(Clone, Debug, PartialEq)]
pub struct Moment {
    pub step: u64,
    pub epoch: u64,
    pub row: Row,
    /// Spans that the evaluation before lacks, and those that only that one has.
    pub new: usize,
    pub gone: usize,
}

/// The sentence of a number over the evaluations that are kept; there is at least one.
#[derive(Clone, Debug)]
pub struct Time {
    pub number: usize,
    moments: Vec<Moment>,
    at: usize,
    /// Ticks since time is played.
    playing: Option<u64>,
}

impl Time {
    /// Reads what all evaluations say of a sentence, whose words and gold tree are those of `row`.
    /// Those of `known` are not read again. The evaluation of `step` is in view, or the one before it.
    pub fn read(
        folder: &Path,
        (number, row): (usize, Row),
        known: Vec<Moment>,
        step: u64,
        handle: &TaskHandle,
    ) -> Result<Time, String> {
        let folder = RunFolder::open(folder).map_err(|e| e.to_string())?;
        let kept = folder.evaluations_with_trees();
        let mut moments: Vec<Moment> = Vec::new();
        for (i, (step, file)) in kept.iter().enumerate() {
            if handle.cancelled() {
                return Err("cancelled".into());
            }
            handle.progress(i as u64, kept.len() as u64);
            let mut moment = match known.iter().find(|m| m.step == *step) {
                Some(moment) => moment.clone(),
                None => {
                    let trees = EvaluatedTrees::read(file).map_err(|e| e.to_string())?;
                    Moment::of(trees, number, &row)
                }
            };
            moment.compare(moments.last());
            moments.push(moment);
        }
        if moments.is_empty() {
            return Err("no evaluation is kept yet".into());
        }
        let at = moments.partition_point(|m| m.step <= step).saturating_sub(1);
        Ok(Time { number, moments, at, playing: None })
    }

    pub fn moments(&self) -> &[Moment] {
        &self.moments
    }

    /// The place of the evaluation in view.
    pub fn at(&self) -> usize {
        self.at
    }

    /// The evaluation in view.
    pub fn shown(&self) -> &Moment {
        &self.moments[self.at]
    }

    /// Whether the newest evaluation is in view.
    pub fn is_newest(&self) -> bool {
        self.at + 1 == self.moments.len()
    }

    /// Shows another evaluation, and stands still there.
    pub fn turn(&mut self, to: usize) {
        self.playing = None;
        self.at = to.min(self.moments.len() - 1);
    }

    /// Plays time from the evaluation in view on, from the first one where it is the last; or stops.
    pub fn play(&mut self) {
        if self.playing.take().is_some() {
            return;
        }
        if self.is_newest() {
            self.at = 0;
        }
        self.playing = Some(0);
    }

    pub fn is_playing(&self) -> bool {
        self.playing.is_some()
    }

    /// A tick has passed; whether another evaluation is in view.
    pub fn tick(&mut self) -> bool {
        let Some(ticks) = &mut self.playing else { return false };
        *ticks += 1;
        if !ticks.is_multiple_of(PACE) {
            return false;
        }
        self.at = (self.at + 1).min(self.moments.len() - 1);
        if self.is_newest() {
            self.playing = None;
        }
        true
    }
}

impl Moment {
    fn of(evaluated: EvaluatedTrees, number: usize, row: &Row) -> Moment {
        let EvaluatedTrees { step, epoch, mut trees, pinned, .. } = evaluated;
        let mut row = Row::new(row.kept());
        if let Some(tree) = trees.get_mut(number).and_then(Option::take) {
            let language_model = !tree.surprisals.is_empty();
            row.take(tree, language_model);
        }
        let length = row.words.len();
        let own = pinned.into_iter().find(|p| p.sentence == number && p.length == length);
        row.marginals = own.map(|p| p.marginals);
        Moment { step, epoch: epoch_at(step, epoch), row, new: 0, gone: 0 }
    }

    fn compare(&mut self, before: Option<&Moment>) {
        let spans = |moment: &Moment| -> HashSet<(u32, u32)> {
            moment.row.spans.iter().map(|s| (s.0, s.1)).collect()
        };
        let here = spans(self);
        let there = before.map_or_else(|| here.clone(), spans);
        self.new = here.difference(&there).count();
        self.gone = there.difference(&here).count();
    }
}

impl Parses {
    /// What keys do while one sentence is looked at over time; whether this was one of those.
    pub(super) fn time_command(&mut self, name: &str, context: &mut Context) -> bool {
        if name == "evaluations" {
            self.turn_to_time(context);
            return true;
        }
        if !self.typed.is_empty() {
            return false;
        }
        let Some(time) = &mut self.time else {
            if name == "play" {
                context.status("<parses.evaluations> lists the evaluations of a sentence: there they are played");
            }
            return name == "play";
        };
        let (at, len) = (time.at, time.moments.len());
        match name {
            "older" => time.turn(at.saturating_sub(1)),
            "newer" => time.turn(at + 1),
            "play" => time.play(),
            "clear" => self.time = None,
            _ => match moves::moved(name, at, len) {
                Some(to) => time.turn(to),
                None => return false,
            },
        }
        self.show_moment(context);
        true
    }

    /// Looks at the selected sentence over time, or at all sentences of an evaluation again.
    fn turn_to_time(&mut self, context: &mut Context) {
        if self.time.take().is_some() {
            return self.show_moment(context);
        }
        if !self.typed.is_empty() {
            return context.status(
                "evaluations keep the sentences of the development set, not typed ones: \
                 <parses.clear> leaves those",
            );
        }
        let step = self.evaluation.as_ref().map_or(0, |e| e.step);
        self.read_time(step, context);
    }

    /// Reads all evaluations of the selected sentence that were not read yet.
    pub(super) fn read_time(&mut self, step: u64, context: &mut Context) {
        let (Some(run), Some((number, row))) = (self.run(context), self.row()) else {
            return context.status("no sentence of a run is selected");
        };
        let (path, row) = (run.path.clone(), row.clone());
        let known = self.time.as_ref().map(|time| time.moments.clone()).unwrap_or_default();
        let title = format!("reading all evaluations of sentence {}", number + 1);
        context.spawn(Task::new(TASK, title, move |handle| {
            Time::read(&path, (number, row), known, step, handle)
        }));
    }

    /// All evaluations of a sentence were read; it may be another one that is selected by now.
    pub(super) fn take_time(&mut self, time: Time, context: &mut Context) {
        if self.row().is_some_and(|(number, _)| number == time.number) {
            self.time = Some(time);
            self.show_moment(context);
        }
    }

    /// There are further evaluations: the newest one stays in view if it was.
    pub(super) fn renew_time(&mut self, context: &mut Context) {
        if let Some(time) = &self.time {
            let step = if time.is_newest() { u64::MAX } else { time.shown().step };
            self.read_time(step, context);
        }
    }

    /// Another evaluation of the sentence is in view.
    pub(super) fn show_moment(&mut self, context: &mut Context) {
        self.analysis = None;
        context.push(Effect::Cancel("parse"));
        self.lay_out(context);
        if self.is_live() {
            self.analyse(context);
        }
    }
}
