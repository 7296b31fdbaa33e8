//! What part of the curves is seen, smoothing, and the cursor.

use crate::workbench::choice::{named, on_off};
use crate::workbench::clock::{Along, XAxis};
use crate::workbench::figures::{Figure, Kind, Page};
use crate::workbench::names::RunId;
use crate::workbench::screen::Context;
use crate::workbench::series::{Series, Smoothed};
use crate::workbench::shared::{RunEntry, Shared};
use crate::workbench::widgets::chart::Scale;
use std::collections::HashMap;

/// Weights of the past; the first is off.
const SMOOTHING: [f64; 4] = [0.0, 0.6, 0.9, 0.97];

/// Fewest steps in view.
const CLOSEST: f64 = 8.0;

/// What is in view, in steps or in seconds as the axis is.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
enum Window {
    /// From the first to the newest.
    #[default]
    All,
    /// The newest, so wide.
    Tail(f64),
    Fixed(f64, f64),
}

/// State of the charts.
pub struct Charts {
    pub page: Page,
    pub log_y: bool,
    /// Whether the loss is that of a sentence.
    per_sentence: bool,
    /// Step of the selected run under the cursor.
    pub cursor: Option<f64>,
    pub axis: XAxis,
    log_x: bool,
    smoothing: usize,
    window: Window,
    smoothed: HashMap<(RunId, Figure), Smoothed>,
}

impl Default for Charts {
    fn default() -> Self {
        Charts {
            page: Page::default(),
            log_y: false,
            per_sentence: false,
            cursor: None,
            axis: XAxis::default(),
            log_x: false,
            // Losses of single batches still differ.
            smoothing: 2,
            window: Window::default(),
            smoothed: HashMap::new(),
        }
    }
}

impl Charts {
    /// What is remembered of how curves are drawn.
    pub fn choices(&self) -> Vec<(&'static str, String)> {
        vec![
            ("smoothing", SMOOTHING[self.smoothing].to_string()),
            ("log-y", on_off(self.log_y)),
            ("loss-a-sentence", on_off(self.per_sentence)),
            ("x", self.axis.name().to_owned()),
            ("log-x", on_off(self.log_x)),
        ]
    }

    /// Takes up what was remembered.
    pub fn recall(&mut self, name: &str, value: &str) {
        match name {
            "smoothing" => {
                let at = SMOOTHING.iter().position(|weight| weight.to_string() == value);
                self.smoothing = at.unwrap_or(self.smoothing);
            }
            "log-y" => self.log_y = value == "on",
            "loss-a-sentence" => self.per_sentence = value == "on",
            "log-x" => self.log_x = value == "on",
            "x" => {
                self.axis = named(self.axis, XAxis::next, XAxis::name, value).unwrap_or(self.axis);
            }
            _ => {}
        }
    }

    /// Weight of the past; `None` while off.
    pub fn smoothing(&self) -> Option<f64> {
        (self.smoothing > 0).then(|| SMOOTHING[self.smoothing])
    }

    /// The smoothed curve that belongs to a raw one.
    pub fn smoothed(&self, run: RunId, figure: Figure) -> Option<&Series> {
        self.smoothed.get(&(run, figure)).map(Smoothed::series)
    }

    /// Whether x is logarithmic: no time of the calendar is.
    pub fn log_x(&self) -> bool {
        self.log_x && self.axis != XAxis::Wall
    }

    /// Where the cursor lies along x.
    pub fn cursor_place(&self, shared: &Shared) -> Option<f64> {
        let run = shared.selected_run()?;
        Some(Along::of(&run.history.clock, self.axis).place(self.cursor?))
    }

    /// From edge to edge, in steps or in seconds.
    pub fn window(&self, shared: &Shared) -> (f64, f64) {
        let (first, last) = self.span(shared);
        match self.window {
            Window::All => (first, last),
            Window::Tail(width) => ((last - width).max(first), last),
            Window::Fixed(from, to) => (from, to),
        }
    }

    /// What is in view, in a word.
    pub fn window_name(&self) -> &'static str {
        match self.window {
            Window::All => "whole run",
            Window::Tail(_) => "newest",
            Window::Fixed(..) => "zoomed",
        }
    }

    /// Other runs are shown.
    pub fn selection(&mut self, shared: &Shared) {
        self.smoothed.retain(|(run, _), _| shared.drawn_runs().any(|r| r.id == *run));
        self.follow(shared);
    }

    /// Takes in what is new.
    pub fn follow(&mut self, shared: &Shared) {
        let Some(weight) = self.smoothing() else {
            self.smoothed.clear();
            return;
        };
        let figures = Page::ALL.iter().flat_map(|page| page.figures(Kind::Grammar).iter().copied());
        let figures = figures.chain([Figure::SentenceLoss]);
        for figure in figures.filter(|f| f.per_step() && *f != Figure::LearningRate) {
            for run in shared.drawn_runs() {
                let Some(raw) = figure.series(run) else { continue };
                let entry = self.smoothed.entry((run.id, figure));
                let smooth = entry.or_insert_with(|| Smoothed::new(weight));
                if smooth.weight() != weight {
                    *smooth = Smoothed::new(weight);
                }
                smooth.follow(raw);
            }
        }
    }

    pub fn command(&mut self, name: &'static str, context: &mut Context) {
        let shared = context.shared;
        let (from, to) = self.window(shared);
        match name {
            "smoothing" => {
                self.smoothing = (self.smoothing + 1) % SMOOTHING.len();
                self.follow(shared);
                context.status(match self.smoothing() {
                    None => "smoothing off".into(),
                    Some(weight) => format!("smoothing {weight}; the raw line is behind"),
                });
            }
            "log-y" => {
                self.log_y = !self.log_y;
                let scale = if self.log_y { "logarithmic" } else { "linear" };
                context.status(format!("{scale} values"));
            }
            "loss" if of_language_model(shared) => {
                context.status("the loss of a language model is a token's");
            }
            "loss" => {
                self.per_sentence = !self.per_sentence;
                let what = if self.loss(shared) == Figure::Loss { "word" } else { "sentence" };
                let early = !self.per_sentence && what == "sentence";
                let why = if early { ": a run in view does not say the other" } else { "" };
                context.status(format!("loss a {what}{why}"));
            }
            "axis" => {
                self.axis = self.axis.next();
                // What was in view were other units.
                self.window = Window::All;
                context.status(format!("by {}", self.axis.name()));
            }
            "log-x" if self.axis == XAxis::Wall => {
                context.status(
                    "wall time has no logarithm: <train.axis> draws by step or running time",
                );
            }
            "log-x" => {
                self.log_x = !self.log_x;
                let scale = if self.log_x { "logarithmic" } else { "linear" };
                context.status(format!("{scale} {}", self.axis.name()));
            }
            "figures" if Kind::of(shared.selected_run()) == Kind::Counted => {
                context.status("a model that is counted has no optimiser: these are its curves");
            }
            "figures" => self.page = self.page.next(Kind::of(shared.selected_run())),
            "cursor-left" => self.move_cursor(-1.0, shared),
            "cursor-right" => self.move_cursor(1.0, shared),
            "cursor-off" => self.cursor = None,
            "zoom-in" => self.zoom(0.5, shared),
            "zoom-out" => self.zoom(2.0, shared),
            "pan-left" => self.pan((from - to) / 4.0, shared),
            "pan-right" => self.pan((to - from) / 4.0, shared),
            "follow" => {
                self.window = Window::Tail(to - from);
                context.status("following the newest steps");
            }
            "reset" => self.window = Window::All,
            _ => {}
        }
    }

    /// Shows the curves of learning around a step of the selected run, with the cursor there.
    pub fn show(&mut self, step: u64, shared: &Shared) {
        (self.page, self.window) = (Page::Learning, Window::All);
        self.cursor = Some(step as f64);
        self.zoom(0.25, shared);
    }

    /// The loss that is drawn: a token's beside that of a language model, else one unit for all
    /// runs in view.
    pub fn loss(&self, shared: &Shared) -> Figure {
        let known = |run: &RunEntry| run.is_counted() || Figure::Loss.series(run).is_some();
        let a_word = !self.per_sentence && shared.drawn_runs().all(known);
        if of_language_model(shared) || a_word { Figure::Loss } else { Figure::SentenceLoss }
    }

    /// By a hundredth of what is seen, at least to the next step.
    fn move_cursor(&mut self, direction: f64, shared: &Shared) {
        let (from, to) = self.window(shared);
        let Some(run) = shared.selected_run() else { return };
        let clock = &run.history.clock;
        let row = |x: f64| clock.nearest(self.axis, x.clamp(from, to));
        let next = match self.cursor.and_then(|step| clock.nearest(XAxis::Step, step)) {
            // It comes in at the newest step in view.
            None => row(to),
            Some(at) => {
                let x = clock.at(at, self.axis);
                let target = match self.log_x() && from > 0.0 {
                    true => x * (to / from).powf(direction / 100.0),
                    false => x + direction * (to - from) / 100.0,
                };
                let next = row(target).map(|next| match direction > 0.0 {
                    true => next.max(at + 1).min(clock.len() - 1),
                    false => next.min(at.saturating_sub(1)),
                });
                next.filter(|&next| (from..=to).contains(&clock.at(next, self.axis)))
            }
        };
        if let Some(next) = next {
            self.cursor = Some(clock.at(next, XAxis::Step));
        }
    }

    /// Sets the cursor to the step that is nearest to a share of the width of the charts.
    pub fn point(&mut self, share: f64, shared: &Shared) {
        let Some(run) = shared.selected_run() else { return };
        let (from, to) = self.window(shared);
        let x = Scale::across(from, to, self.log_x()).value(share);
        let clock = &run.history.clock;
        if let Some(row) = clock.nearest(self.axis, x) {
            self.cursor = Some(clock.at(row, XAxis::Step));
        }
    }

    /// Around the cursor, or at the newest end.
    fn zoom(&mut self, by: f64, shared: &Shared) {
        let (first, last) = self.span(shared);
        let (from, to) = self.window(shared);
        let width = ((to - from) * by).max(self.closest(shared));
        if width >= last - first {
            self.window = Window::All;
            return;
        }
        self.window = match (self.cursor_place(shared), self.window) {
            (Some(at), _) => fixed(at - width / 2.0, width, first, last),
            (None, Window::Fixed(..)) => fixed((from + to - width) / 2.0, width, first, last),
            (None, _) => Window::Tail(width),
        };
    }

    /// The width of so few steps.
    fn closest(&self, shared: &Shared) -> f64 {
        if self.axis == XAxis::Step {
            return CLOSEST;
        }
        let (first, last) = self.span(shared);
        let steps = shared.drawn_runs().map(|r| r.history.clock.len()).max().unwrap_or(1);
        (last - first) * CLOSEST / steps.max(8) as f64
    }

    /// Where all runs shown begin and end.
    fn span(&self, shared: &Shared) -> (f64, f64) {
        let ends = shared.drawn_runs().filter_map(|run| {
            let clock = &run.history.clock;
            let last = clock.len().checked_sub(1)?;
            // A logarithm has no place for step 0.
            let first = match self.log_x() {
                true => (0..=last).find(|&i| clock.at(i, self.axis) > 0.0)?,
                false => 0,
            };
            Some((clock.at(first, self.axis), clock.at(last, self.axis)))
        });
        ends.reduce(|a, b| (a.0.min(b.0), a.1.max(b.1))).unwrap_or((0.0, 1.0))
    }

    fn pan(&mut self, by: f64, shared: &Shared) {
        let (first, last) = self.span(shared);
        let (from, to) = self.window(shared);
        if to - from < last - first {
            self.window = fixed(from + by, to - from, first, last);
        }
    }
}

/// Whether the selected run trains a language model: its figures are those that are drawn.
pub fn of_language_model(shared: &Shared) -> bool {
    shared.selected_run().is_some_and(RunEntry::is_language_model)
}

fn fixed(from: f64, width: f64, first: f64, last: f64) -> Window {
    let from = from.min(last - width).max(first);
    Window::Fixed(from, from + width)
}
