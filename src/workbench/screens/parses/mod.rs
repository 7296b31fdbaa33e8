//! The Parses screen: development sentences with gold and induced trees, or with the surprisals
//! of a language model, and typed sentences.

mod analysis;
mod commands;
mod draw;
mod exporting;
mod facts;
mod follow;
#[cfg(test)]
mod language_tests;
mod listing;
mod matching;
mod moments;
mod notes;
mod panes;
mod parsing;
mod rows;
#[cfg(test)]
mod search_tests;
#[cfg(test)]
mod supervised_tests;
mod surprisal;
#[cfg(test)]
mod tests;
mod time;
#[cfg(test)]
mod time_tests;

use crate::render::SurprisalUnit;
use crate::workbench::choice::{named, on_off};
use crate::workbench::field::Field;
use crate::workbench::jump;
use crate::workbench::names::{RunId, ScreenId};
use crate::workbench::news::TaskReport;
use crate::workbench::patterns::{self, Hits, PatternSearch};
use crate::workbench::recall::{self, RecallLine};
use crate::workbench::screen::{Context, Effect, Input, Screen, Target, View};
use crate::workbench::shared::{RunEntry, Shared};
use crate::workbench::weights::Loaded;
use crate::workbench::widgets::{Fold, TreeLayout, moves};
use analysis::Analysis;
use crossterm::event::{KeyCode, KeyEvent};
use listing::Listing;
use matching::Trees;
use panes::Panes;
use parsing::{Parsed, Typed};
use ratatui::Frame;
use ratatui::layout::Rect;
use rows::{Evaluation, Row, Wanted};
use std::collections::HashMap;
use std::path::PathBuf;
use time::Time;

pub use commands::COMMANDS;
pub use notes::NOTES;

/// Which line of text has the keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Editing {
    Filter,
    Sentence,
}

/// Whose weights and trees are shown.
#[derive(Clone, Debug, PartialEq)]
enum Subject {
    Run(RunId),
    Checkpoint(PathBuf),
}

#[derive(Default)]
pub struct Parses {
    subject: Option<Subject>,
    evaluation: Option<Evaluation>,
    /// Whether the screen has been looked at; before, nothing is read.
    seen: bool,
    /// Whether the run's trees were asked for at all.
    asked: bool,
    /// Newest evaluation that needs no reading any more: it was read, or could not be.
    settled: Option<u64>,
    /// Whether something happened to the run while its trees were being read.
    missed: bool,
    /// Whether newer evaluations replace the one in view.
    scrubbing: bool,
    failure: Option<String>,
    listing: Listing,
    /// Why only some sentences are listed.
    only_title: String,
    /// What to look at in each of those, if it is known.
    uses: HashMap<usize, Vec<(u32, u32)>>,
    order: Vec<usize>,
    at: usize,
    editing: Option<Editing>,
    filter: Field,
    search: PatternSearch,
    trees: Trees,
    sentence: RecallLine,
    layout: TreeLayout,
    fold: Fold,
    heat_first: bool,
    /// Whether the list is hidden.
    zoomed: bool,
    /// Whether every selected sentence is parsed with the current weights, if the user said so.
    live: Option<bool>,
    unit: SurprisalUnit,
    weights: Option<Loaded>,
    typed: Typed,
    /// The selected sentence over all evaluations, while that is looked at.
    time: Option<Time>,
    /// Of the selected sentence, by its number.
    analysis: Option<(usize, Analysis)>,
    panes: Panes,
}

impl Parses {
    /// The selected sentence.
    fn row(&self) -> Option<(usize, &Row)> {
        let number = *self.order.get(self.at)?;
        if let Some(time) = self.time.as_ref().filter(|time| time.number == number) {
            return Some((number, &time.shown().row));
        }
        Some((number, self.evaluation.as_ref()?.rows.get(number)?))
    }

    /// Whether the sentences are those of a language model.
    fn is_language_model(&self) -> bool {
        self.evaluation.as_ref().is_some_and(|e| e.language_model)
    }

    /// Whether every selected sentence is parsed with the current weights. Of a language model they
    /// are unless an earlier evaluation is looked at: what the evaluation kept has no states.
    fn is_live(&self) -> bool {
        self.live.unwrap_or(self.is_language_model() && self.past().is_none())
    }

    /// The step of an earlier evaluation, while one is looked at.
    fn past(&self) -> Option<u64> {
        match &self.time {
            Some(time) => Some(time.shown().step),
            None => self.evaluation.as_ref().filter(|_| self.scrubbing).map(|e| e.step),
        }
    }

    fn command(&mut self, name: &str, context: &mut Context) {
        if self.typed.len() > 1
            && let Some(at) = moves::moved(name, self.typed.at(), self.typed.len())
        {
            self.turn_typed(at, context);
            return;
        }
        if self.time_command(name, context) {
            return;
        }
        if let Some(at) = moves::moved(name, self.at, self.order.len()) {
            self.typed.leave();
            self.search.to_first();
            self.select(at, context);
            return;
        }
        if let Some(by) = moves::scrolled(name) {
            let Panes { gold, induced, heat, surprisal, .. } = &mut self.panes;
            [gold, induced, heat].into_iter().flatten().for_each(|pane| pane.scroll(by));
            if let Some(pane) = surprisal {
                pane.scroll(by, self.unit);
            }
            return;
        }
        match name {
            "type" => self.editing = Some(Editing::Sentence),
            "filter" => self.editing = Some(Editing::Filter),
            "pattern" => self.ask_for_pattern(context),
            "trees" => self.turn_trees(context),
            "jump" => self.ask_for_number(context),
            "next-match" | "previous-match" => self.go_to_match(name == "next-match", context),
            "fold" | "unfold" => {
                let levels = self.panes.gold_levels.max(self.panes.induced_levels);
                match name {
                    "fold" => self.fold.less(levels),
                    _ => self.fold.more(levels),
                }
                self.lay_out(context);
            }
            "sort" => {
                self.listing.sort = self.listing.sort.next(self.is_language_model());
                self.relist(context);
            }
            "reverse" => {
                self.listing.reversed = !self.listing.reversed;
                self.relist(context);
            }
            "unit" => {
                self.unit = self.unit.other();
                context.status(format!("surprisals in {}", self.unit.name()));
            }
            "layout" if self.panes.surprisal.is_some() => self.heat_first = !self.heat_first,
            "layout" => {
                self.layout = self.layout.next();
                self.lay_out(context);
            }
            "zoom" => self.zoomed = !self.zoomed,
            "heat-map" => self.heat_first = !self.heat_first,
            "analyse" => {
                self.live = Some(!self.is_live());
                if self.is_live() {
                    self.weights = None;
                    self.analyse(context);
                } else {
                    self.analysis = None;
                    context.push(Effect::Cancel("parse"));
                    self.lay_out(context);
                }
            }
            "older" | "newer" => self.scrub(name == "newer", context),
            "reload" => {
                self.scrubbing = false;
                self.weights = None;
                self.failure = None;
                self.read(Wanted::Newest, context);
                self.read_weights(context);
            }
            "export" => self.ask_for_format(context),
            "copy" => self.copy(context),
            "clear" => self.clear(context),
            _ => {}
        }
    }

    /// Shows another one of the typed sentences.
    fn turn_typed(&mut self, at: usize, context: &mut Context) {
        self.typed.turn(at);
        self.lay_out(context);
    }

    fn clear(&mut self, context: &mut Context) {
        if self.typed.leave() {
            self.lay_out(context);
        } else if self.end_search(context) {
            // All sentences of the filter are listed again.
        } else if !self.listing.filter.is_empty() {
            self.filter.clear();
            self.listing.filter.clear();
            self.relist(context);
        } else if self.listing.only.take().is_some() {
            self.uses.clear();
            self.relist(context);
        }
    }

    fn relist(&mut self, context: &mut Context) {
        let number = self.row().map(|(number, _)| number);
        let rows = self.evaluation.as_ref().map_or(&[][..], |e| &e.rows[..]);
        self.order = self.listing.order(rows);
        self.order.retain(|&i| self.search.keeps(i));
        let found = number.and_then(|n| self.order.iter().position(|&i| i == n));
        if found.is_none() {
            self.search.to_first();
        }
        let at = found.unwrap_or(0);
        self.select(at, context);
    }

    fn select(&mut self, at: usize, context: &mut Context) {
        let before = self.row().map(|(number, _)| number);
        self.at = at;
        let number = self.row().map(|(number, _)| number);
        if self.analysis.as_ref().map(|(n, _)| *n) != number {
            self.analysis = None;
        }
        self.time = self.time.take().filter(|time| Some(time.number) == number);
        self.lay_out(context);
        if self.is_live() && (number != before || self.analysis.is_none()) {
            self.analyse(context);
        }
    }

    /// The run in view.
    fn run<'a>(&self, context: &Context<'a>) -> Option<&'a RunEntry> {
        match self.subject {
            Some(Subject::Run(id)) => context.shared.run(id),
            _ => None,
        }
    }

    fn key(&mut self, key: &KeyEvent, context: &mut Context) {
        if self.search.editing() {
            return self.key_of_pattern(key, context);
        }
        let Some(editing) = self.editing else { return };
        match (key.code, editing) {
            (KeyCode::Enter, Editing::Sentence) => {
                self.editing = None;
                if !self.sentence.field.text().trim().is_empty() {
                    self.parse_typed(context);
                }
            }
            (KeyCode::Enter | KeyCode::Esc, _) => self.editing = None,
            (_, Editing::Filter) => self.filter.key(key),
            (_, Editing::Sentence) => self.sentence.key(key),
        }
        self.refilter(context);
    }

    fn refilter(&mut self, context: &mut Context) {
        if self.listing.filter != self.filter.text() {
            self.listing.filter = self.filter.text().to_owned();
            self.relist(context);
        }
    }

    fn open(&mut self, target: &Target, context: &mut Context) {
        self.seen = true;
        match target {
            Target::Sentences { title, indices, spans, step } => {
                self.typed.leave();
                self.at = 0;
                // Following another run starts afresh.
                self.follow(context);
                // What was looked for before would hide some of them.
                if self.search.clear() {
                    context.push(Effect::Cancel(patterns::TASK));
                }
                self.filter.clear();
                self.listing.filter.clear();
                self.listing.only = Some(indices.clone());
                self.only_title = title.clone();
                self.uses = indices.iter().copied().zip(spans.iter().cloned()).collect();
                self.relist(context);
                self.show_step(*step, context);
            }
            Target::Sentence(number) => {
                self.follow(context);
                self.list_all(context);
                self.go_to(*number, context);
            }
            Target::Evaluation(step) => {
                self.follow(context);
                self.typed.leave();
                (self.asked, self.scrubbing) = (true, true);
                self.read(Wanted::At(*step), context);
            }
            Target::Checkpoint(path) => {
                *self = Parses {
                    subject: Some(Subject::Checkpoint(path.clone())),
                    // There is nothing else to do with it.
                    editing: Some(Editing::Sentence),
                    sentence: std::mem::take(&mut self.sentence),
                    ..Parses::default()
                };
                self.read_weights(context);
            }
            Target::Corpus(_) | Target::Lists(_) | Target::Reranker(_) | Target::Sweep(_) => {}
        }
    }

    fn task(&mut self, report: &mut TaskReport, context: &mut Context) {
        if let Some(error) = report.error() {
            if report.kind == "trees" {
                self.failure = Some(error.to_owned());
                // Once more only for a newer evaluation, or when the user asks.
                let newest = self.run(context).and_then(|run| run.history.newest("dev"));
                self.settled = self.settled.max(newest.map(|e| e.step));
            } else if report.kind == "weights" {
                self.failure = Some(error.to_owned());
            } else if report.kind == patterns::TASK {
                self.end_search(context);
                return;
            } else if report.kind == "parse" {
                self.live = Some(false);
            }
            context.error(error);
            return;
        }
        if let Some(evaluation) = report.take::<Option<Evaluation>>() {
            self.failure = None;
            let ours = |e: &Evaluation| self.subject == Some(Subject::Run(e.run));
            if let Some(evaluation) = evaluation.filter(ours) {
                let newest = evaluation.steps.last().copied();
                self.settled = self.settled.max(newest);
                self.scrubbing &= Some(evaluation.step) != newest;
                self.evaluation = Some(evaluation);
                if self.is_language_model() {
                    // What the weights say goes with the figures of the list.
                    (self.weights, self.analysis) = (None, None);
                }
                self.search.forget();
                self.relist(context);
                self.search_trees(context);
                self.renew_time(context);
            }
            if std::mem::take(&mut self.missed) {
                self.follow(context);
            }
        } else if let Some(weights) = report.take::<Loaded>() {
            if matches!(self.subject, Some(Subject::Checkpoint(_))) {
                self.weights = Some(weights);
            }
        } else if let Some(parsed) = report.take::<Parsed>() {
            self.parsed(parsed, context);
        } else if let Some(hits) = report.take::<Hits>() {
            self.found(hits, context);
        } else if let Some(time) = report.take::<Time>() {
            self.take_time(time, context);
        } else if let Some(path) = report.take::<PathBuf>() {
            context.status(format!("written to {}", path.display()));
        }
    }
}

impl Screen for Parses {
    fn id(&self) -> ScreenId {
        ScreenId::Parses
    }

    fn update(&mut self, input: Input, context: &mut Context) {
        match input {
            Input::Command(name) => self.command(name, context),
            Input::Key(key) => self.key(&key, context),
            Input::Paste(text) => {
                match self.editing {
                    Some(Editing::Filter) => self.filter.paste(text),
                    Some(Editing::Sentence) => self.sentence.field.paste(text),
                    None if self.search.editing() => self.search.paste(text),
                    None => {}
                }
                self.refilter(context);
            }
            Input::LeaveField => {
                self.editing = None;
                self.search.leave();
            }
            Input::Point { list: "sentences", row } => {
                self.typed.leave();
                self.select(row, context);
            }
            Input::Point { list: "evaluations", row } => {
                if let Some(time) = &mut self.time {
                    time.turn(row);
                    self.show_moment(context);
                }
            }
            Input::Shown => {
                self.seen = true;
                self.follow(context);
            }
            Input::Selection => self.follow(context),
            Input::Run(id) if Some(id) == context.shared.selected => self.follow(context),
            Input::Open(target) => self.open(target, context),
            Input::Answer { popup: jump::POPUP, answer } => self.jump(answer, context),
            Input::Answer { popup, answer } => self.export(popup, answer, context),
            Input::Task(report) => self.task(report, context),
            Input::Tick => {
                if self.time.as_mut().is_some_and(Time::tick) {
                    self.show_moment(context);
                }
            }
            Input::Run(_) | Input::Point { .. } | Input::Along { .. } => {}
        }
    }

    fn choices(&self) -> Vec<(&'static str, String)> {
        vec![
            ("layout", self.layout.name().to_owned()),
            ("unit", self.unit.name().to_owned()),
            ("heat-map", on_off(self.heat_first)),
            ("zoom", on_off(self.zoomed)),
        ]
    }

    fn recall(&mut self, name: &str, value: &str) {
        match name {
            "layout" => {
                self.layout = named(self.layout, TreeLayout::next, TreeLayout::name, value)
                    .unwrap_or(self.layout);
            }
            "unit" => {
                let unit = named(self.unit, SurprisalUnit::other, SurprisalUnit::name, value);
                self.unit = unit.unwrap_or(self.unit);
            }
            "heat-map" => self.heat_first = value == "on",
            "zoom" => self.zoomed = value == "on",
            _ => {}
        }
    }

    fn draw(&self, frame: &mut Frame, area: Rect, view: &View) {
        draw::draw(self, frame, area, view);
    }

    fn editing(&self) -> bool {
        self.editing.is_some() || self.search.editing()
    }

    fn animates(&self, _: &Shared) -> bool {
        self.time.as_ref().is_some_and(Time::is_playing)
    }

    fn field_keys(&self) -> &'static [(&'static str, &'static str)] {
        match self.editing {
            Some(Editing::Filter) => &[("Enter", "accept"), ("Esc", "leave the field")],
            Some(Editing::Sentence) | None => recall::KEYS,
        }
    }
}
