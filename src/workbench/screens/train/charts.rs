//! What part of the curves is seen, smoothing, and the cursor.

use super::figures::{Figure, Kind, Page};
use crate::workbench::names::RunId;
use crate::workbench::screen::Context;
use crate::workbench::series::{Series, Smoothed};
use crate::workbench::shared::{RunEntry, Shared};
use std::collections::HashMap;

/// Weights of the past; the first is off.
const SMOOTHING: [f64; 4] = [0.0, 0.6, 0.9, 0.97];

/// Fewest steps in view.
const CLOSEST: f64 = 8.0;

/// Which steps are in view.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
enum Window {
    /// From the first to the newest.
    #[default]
    All,
    /// The newest, that many.
    Tail(f64),
    Fixed(f64, f64),
}

/// State of the charts.
pub struct Charts {
    pub page: Page,
    pub log_y: bool,
    /// Whether the loss is that of a sentence.
    per_sentence: bool,
    /// Step under the cursor.
    pub cursor: Option<f64>,
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
            // Losses of single batches still differ.
            smoothing: 2,
            window: Window::default(),
            smoothed: HashMap::new(),
        }
    }
}

impl Charts {
    /// Weight of the past; `None` while off.
    pub fn smoothing(&self) -> Option<f64> {
        (self.smoothing > 0).then(|| SMOOTHING[self.smoothing])
    }

    /// The smoothed curve that belongs to a raw one.
    pub fn smoothed(&self, run: RunId, figure: Figure) -> Option<&Series> {
        self.smoothed.get(&(run, figure)).map(Smoothed::series)
    }

    /// Steps from edge to edge.
    pub fn window(&self, shared: &Shared) -> (f64, f64) {
        let (first, last) = span(shared);
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
        let pages = [Page::Learning, Page::Optimiser].into_iter();
        let figures = pages.flat_map(|page| page.figures(Kind::Grammar).iter().copied());
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
            "figures" if Kind::of(shared.selected_run()) == Kind::Counted => {
                context.status("a model that is counted has no optimiser: these are its curves");
            }
            "figures" => self.page = self.page.other(),
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

    /// The loss that is drawn: a token's beside that of a language model, else one unit for all
    /// runs in view.
    pub fn loss(&self, shared: &Shared) -> Figure {
        let known = |run: &RunEntry| run.is_counted() || Figure::Loss.series(run).is_some();
        let a_word = !self.per_sentence && shared.drawn_runs().all(known);
        if of_language_model(shared) || a_word { Figure::Loss } else { Figure::SentenceLoss }
    }

    /// By a hundredth of what is seen, at least to the next point.
    fn move_cursor(&mut self, direction: f64, shared: &Shared) {
        let (from, to) = self.window(shared);
        let Some(run) = shared.selected_run() else { return };
        let loss = &run.history.loss;
        let at = match self.cursor {
            // It comes in at the newest step in view.
            None => to,
            Some(at) => {
                let by = ((to - from) / 100.0).max(1.0);
                at + direction * by
            }
        };
        let nearest = loss.nearest(at.clamp(from, to)).map(|(x, _)| x);
        self.cursor = nearest.or(self.cursor);
    }

    /// Around the cursor, or at the newest end.
    fn zoom(&mut self, by: f64, shared: &Shared) {
        let (first, last) = span(shared);
        let (from, to) = self.window(shared);
        let width = ((to - from) * by).max(CLOSEST);
        if width >= last - first {
            self.window = Window::All;
            return;
        }
        self.window = match (self.cursor, self.window) {
            (Some(at), _) => fixed(at - width / 2.0, width, first, last),
            (None, Window::Fixed(..)) => fixed((from + to - width) / 2.0, width, first, last),
            (None, _) => Window::Tail(width),
        };
    }

    fn pan(&mut self, by: f64, shared: &Shared) {
        let (first, last) = span(shared);
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

/// First and last step of all runs shown.
fn span(shared: &Shared) -> (f64, f64) {
    let ends = shared.drawn_runs().filter_map(|r| {
        let loss = &r.history.loss;
        let evaluated = || r.history.evaluations.iter().map(|e| e.step as f64);
        let steps = || loss.first_x().into_iter().chain(loss.last().map(|p| p.0));
        let all = || evaluated().chain(steps());
        Some((all().reduce(f64::min)?, all().reduce(f64::max)?))
    });
    ends.reduce(|a, b| (a.0.min(b.0), a.1.max(b.1))).unwrap_or((0.0, 1.0))
}
