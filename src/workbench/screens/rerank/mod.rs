//! The Rerank screen: candidate lists, what a reranker makes of them, and why.

mod book;
mod choosing;
mod commands;
mod contributions;
mod draw;
mod exporting;
mod listing;
mod load;
mod notes;
mod opening;
mod panes;
mod summary;
#[cfg(test)]
mod tests;
mod training;

use crate::rerank::Parts;
use crate::workbench::choice::{named, on_off};
use crate::workbench::field::Field;
use crate::workbench::names::{RunId, ScreenId};
use crate::workbench::news::TaskReport;
use crate::workbench::popup::{Answer, Popup};
use crate::workbench::screen::{Context, Effect, Input, Screen, Target, View};
use crate::workbench::task::Task;
use crate::workbench::widgets::{TreeLayout, moves};
use book::{Book, Tool};
use contributions::Contributions;
use listing::Sort;
use load::{Loaded, Source};
use panes::{Against, Panes};
use ratatui::Frame;
use ratatui::layout::Rect;
use std::path::PathBuf;
use std::sync::Arc;
use summary::Summary;
use training::Plan;

pub use commands::COMMANDS;
pub use notes::NOTES;

/// What fills the screen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Page {
    #[default]
    Lists,
    Figures,
    Problems,
}

/// Which list the keys for moving about go through.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Focus {
    #[default]
    Sentences,
    Candidates,
}

#[derive(Default)]
pub struct Rerank {
    /// Whether the screen has been looked at; before, nothing is read.
    seen: bool,
    /// What was asked for: nothing yet, or these lists and this reranker (`None` inside: the
    /// sample's).
    source: Option<Source>,
    tool_path: Option<Option<PathBuf>>,
    /// Gold trees of another file for the lists.
    gold: Option<PathBuf>,
    loaded: Option<Loaded>,
    tool: Option<Arc<Tool>>,
    /// Why there are no lists, and no reranker.
    failure: Option<String>,
    tool_failure: Option<String>,
    book: Option<Arc<Book>>,
    summary: Option<Summary>,
    /// Why there are no figures.
    unsummarised: Option<String>,
    page: Page,
    focus: Focus,
    sort: Sort,
    reversed: bool,
    only_changed: bool,
    filter: Field,
    filtering: bool,
    /// Sentences as listed.
    order: Vec<u32>,
    at: usize,
    /// The sentence that the list which is being made is for.
    wanted: Option<usize>,
    /// The selected candidate, by its place in the base parser's order.
    candidate: usize,
    /// Candidates are listed in the order of the base parser, though there is a reranker.
    base_order: bool,
    against: Against,
    panes: Panes,
    /// Why the candidates of a sentence have their scores.
    parts: Option<(usize, Vec<Parts>)>,
    /// Whether decisions are shown in place of trees.
    decisions: bool,
    /// The first decision in view.
    decision: usize,
    problem: usize,
    /// The first row of lengths in view.
    length: usize,
    layout: TreeLayout,
    zoomed: bool,
    /// The reranker that is to be trained, as far as it was asked for.
    plan: Plan,
    /// The run whose reranker was opened.
    followed: Option<RunId>,
    /// Whether the reranker was trained on the lists that are shown.
    knows: bool,
}

/// Sentences in their order, as a task listed them.
struct Listed(Vec<u32>);

/// Parts of the scores of a sentence's candidates.
struct Explained(usize, Vec<Parts>);

impl Rerank {
    /// The selected sentence.
    fn sentence(&self) -> Option<usize> {
        Some(*self.order.get(self.at)? as usize)
    }

    /// Candidates of the selected sentence in the order in which they are listed.
    fn candidates(&self) -> Vec<usize> {
        match (self.sentence(), &self.book) {
            (Some(i), Some(book)) => book.order(i, !self.base_order),
            _ => Vec::new(),
        }
    }

    /// What makes the margin of the selected candidate, once it is known.
    fn contributions(&self) -> Option<Contributions> {
        let sentence = self.sentence()?;
        let (_, parts) = self.parts.as_ref().filter(|(of, _)| *of == sentence)?;
        Contributions::of(parts, self.candidate, 0)
    }

    fn command(&mut self, name: &'static str, context: &mut Context) {
        if self.moves(name, context) {
            return;
        }
        if let Some((columns, rows)) = moves::scrolled(name) {
            if self.decisions {
                let most = self.contributions().map_or(0, |c| c.decisions.len());
                self.decision =
                    self.decision.saturating_add_signed(rows).min(most.saturating_sub(1));
            }
            return self.panes.scroll((columns, rows));
        }
        let turn = |page: Page, to: Page| if page == to { Page::Lists } else { to };
        match name {
            "candidates" => {
                self.page = Page::Lists;
                self.focus = match self.focus {
                    Focus::Sentences => Focus::Candidates,
                    Focus::Candidates => Focus::Sentences,
                };
            }
            "next-candidate" => self.turn_candidate("down", context),
            "previous-candidate" => self.turn_candidate("up", context),
            "compare" => self.compare(context),
            "decisions" => {
                self.page = Page::Lists;
                self.decisions = !self.decisions;
                self.explain(context);
            }
            "figures" => self.page = turn(self.page, Page::Figures),
            "problems" => self.page = turn(self.page, Page::Problems),
            "open" => self.ask_for_file(context),
            "gold" => self.ask_for_gold(context),
            "learn" => self.ask_for_kernel(context),
            "filter" => {
                self.page = Page::Lists;
                self.focus = Focus::Sentences;
                self.filtering = true;
            }
            "changed" => self.toggle_changed(context),
            "sort" => {
                let Some(book) = &self.book else { return };
                self.sort = self.sort.next(book);
                self.relist(context);
            }
            "reverse" => {
                self.reversed = !self.reversed;
                self.relist(context);
            }
            "candidate-order" => {
                self.base_order = !self.base_order;
                let order = if self.base_order { "the base parser" } else { "the reranker" };
                match self.book.as_ref().is_some_and(|book| book.ranked.is_some()) {
                    true => context.status(format!("candidates in the order of {order}")),
                    false => context.warn("there is no reranker: this is the base parser's order"),
                }
            }
            "jump" => context.push(Effect::Popup(Popup::Prompt {
                id: "rerank-jump",
                title: "Jump".into(),
                text: "The number of a sentence (from 1), or its name in the file".into(),
                initial: String::new(),
            })),
            "layout" => {
                self.layout = self.layout.next();
                self.lay_out(context);
            }
            "zoom" => {
                self.page = Page::Lists;
                self.zoomed = !self.zoomed;
            }
            "export" => self.ask_for_format(context),
            "reload" => self.reload(context),
            "clear" => self.clear(context),
            _ => {}
        }
    }

    fn moves(&mut self, name: &'static str, context: &mut Context) -> bool {
        match self.page {
            Page::Problems => {
                let n = self.loaded.as_ref().map_or(0, |loaded| loaded.troubles.len());
                let Some(at) = moves::moved(name, self.problem, n) else { return false };
                self.problem = at;
            }
            Page::Figures => {
                let n = self.summary.as_ref().map_or(0, |summary| summary.lengths.len());
                let Some(at) = moves::moved(name, self.length, n) else { return false };
                self.length = at;
            }
            Page::Lists if self.focus == Focus::Sentences => {
                let Some(at) = moves::moved(name, self.at, self.order.len()) else { return false };
                self.select(at, context);
            }
            Page::Lists => {
                if moves::moved(name, 0, 1).is_none() {
                    return false;
                }
                self.turn_candidate(name, context);
            }
        }
        true
    }

    /// Selects what the mouse chose; the keys go with it.
    fn point(&mut self, list: &str, row: usize, context: &mut Context) {
        match list {
            "problems" => self.problem = row,
            "sentences" => {
                self.focus = Focus::Sentences;
                self.select(row, context);
            }
            "candidates" => {
                self.focus = Focus::Candidates;
                self.select_candidate(row, context);
            }
            _ => {}
        }
    }

    fn turn_candidate(&mut self, name: &'static str, context: &mut Context) {
        let order = self.candidates();
        let at = order.iter().position(|k| *k == self.candidate).unwrap_or(0);
        if let Some(at) = moves::moved(name, at, order.len()) {
            self.select_candidate(at, context);
        }
    }

    fn select_candidate(&mut self, at: usize, context: &mut Context) {
        if let Some(candidate) = self.candidates().get(at) {
            self.candidate = *candidate;
            self.decision = 0;
            self.lay_out(context);
        }
    }

    fn compare(&mut self, context: &mut Context) {
        let (Some(i), Some(book)) = (self.sentence(), &self.book) else { return };
        if book.lists[i].list.gold.is_none() {
            return context
                .warn("the sentence has no gold tree: it is compared with the base choice");
        }
        self.against = match self.against {
            Against::Gold => Against::Base,
            Against::Base => Against::Gold,
        };
        self.decisions = false;
        self.lay_out(context);
    }

    fn toggle_changed(&mut self, context: &mut Context) {
        match self.book.as_ref().is_some_and(|book| book.ranked.is_some()) {
            true => {
                self.only_changed = !self.only_changed;
                self.relist(context);
            }
            false => context.warn("there is no reranker: no choice is changed"),
        }
    }

    fn clear(&mut self, context: &mut Context) {
        if self.page != Page::Lists {
            self.page = Page::Lists;
        } else if self.focus == Focus::Candidates {
            self.focus = Focus::Sentences;
        } else if !self.filter.is_empty() || self.only_changed {
            self.filter.clear();
            self.only_changed = false;
            self.relist(context);
        }
    }

    /// Finds out why the candidates of the selected sentence have their scores. One sentence is done
    /// at a time; the newest one follows.
    fn explain(&mut self, context: &mut Context) {
        let (Some(i), Some(book)) = (self.sentence(), &self.book) else { return };
        let known = self.parts.as_ref().is_some_and(|(of, _)| *of == i);
        let busy = context.shared.task(ScreenId::Rerank, "parts").is_some();
        if known || busy || book.ranked.is_none() {
            return;
        }
        let book = book.clone();
        context.spawn(Task::new("parts", "explaining the scores", move |_| {
            let ranked = book.ranked.as_ref().ok_or("there is no reranker")?;
            Ok(Explained(i, ranked.tool.reranker.explain(&book.lists[i])))
        }));
    }

    fn task(&mut self, report: &mut TaskReport, context: &mut Context) {
        if let Some(error) = report.error() {
            match report.kind {
                "lists" => self.failure = Some(error.to_owned()),
                // Nothing else was asked for.
                "reranker" if self.source.is_none() => self.failure = Some(error.to_owned()),
                "reranker" | "scores" => self.tool_failure = Some(error.to_owned()),
                "summary" => self.unsummarised = Some(error.to_owned()),
                _ => {}
            }
            context.error(error);
            // Without a reranker there is something to be told as well.
            return if report.kind == "reranker" {
                self.score(context)
            } else {
                Default::default()
            };
        }
        if let Some(loaded) = report.take::<Loaded>() {
            self.take_lists(loaded, context);
        } else if let Some(tool) = report.take::<Tool>() {
            self.take_tool(tool, context);
        } else if let Some(book) = report.take::<Book>() {
            self.take_book(book, context);
        } else if let Some(summary) = report.take::<Summary>() {
            self.summary = Some(summary);
        } else if let Some(Listed(order)) = report.take::<Listed>() {
            self.listed(order, context);
        } else if let Some(Explained(sentence, parts)) = report.take::<Explained>() {
            self.parts = Some((sentence, parts));
            self.explain(context);
        } else if let Some(path) = report.take::<PathBuf>() {
            context.status(format!("written to {}", path.display()));
        }
    }

    fn answer(&mut self, popup: &str, answer: &Answer, context: &mut Context) {
        match (popup, answer) {
            ("rerank-jump", Answer::Text(text)) => self.jump(text, context),
            ("open", Answer::Text(text)) => self.open_file(text, context),
            ("open", Answer::File(path)) => self.open_file(&path.to_string_lossy(), context),
            ("rerank-export", Answer::Item(i)) => self.export(*i, context),
            ("rerank-gold", Answer::Text(text)) => self.attach_gold(text, context),
            ("kernel", Answer::Item(i)) => self.choose_kernel(*i, context),
            ("ssn", Answer::Text(text)) => self.choose_parser(text, context),
            ("dev", Answer::Text(text)) => self.choose_dev(text, context),
            ("dev-gold", Answer::Text(text)) => self.train(text, context),
            _ => {}
        }
    }
}

impl Screen for Rerank {
    fn id(&self) -> ScreenId {
        ScreenId::Rerank
    }

    fn update(&mut self, input: Input, context: &mut Context) {
        match input {
            Input::Command(name) => self.command(name, context),
            Input::Key(key) if self.filtering => self.filter_key(&key, context),
            Input::Paste(text) if self.filtering => {
                self.filter.paste(text);
                self.relist(context);
            }
            Input::Point { list, row } => self.point(list, row, context),
            Input::LeaveField => self.filtering = false,
            Input::Shown => {
                self.seen = true;
                self.follow(context);
                self.begin(context);
            }
            Input::Selection | Input::Run(_) => self.follow(context),
            Input::Open(Target::Lists(path)) => self.open_lists(path.clone(), context),
            Input::Open(Target::Reranker(path)) => self.open_reranker(path.clone(), context),
            Input::Answer { popup, answer } => self.answer(popup, answer, context),
            Input::Task(report) => self.task(report, context),
            _ => {}
        }
    }

    fn choices(&self) -> Vec<(&'static str, String)> {
        vec![("layout", self.layout.name().to_owned()), ("base-order", on_off(self.base_order))]
    }

    fn recall(&mut self, name: &str, value: &str) {
        match name {
            "layout" => {
                self.layout = named(self.layout, TreeLayout::next, TreeLayout::name, value)
                    .unwrap_or(self.layout);
            }
            "base-order" => self.base_order = value == "on",
            _ => {}
        }
    }

    fn draw(&self, frame: &mut Frame, area: Rect, view: &View) {
        draw::draw(self, frame, area, view);
    }

    fn editing(&self) -> bool {
        self.filtering
    }
}
