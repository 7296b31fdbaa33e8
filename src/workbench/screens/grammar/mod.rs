//! The Grammar screen: what the nonterminals and preterminals of a grammar, or the states of an
//! HMM, have learned.

mod align;
mod aligned;
mod commands;
mod compute;
mod draw;
mod exporting;
mod notes;
mod shared;
mod states;
#[cfg(test)]
mod tests;

use crate::analysis::listing::{self, Kind, Sort};
use crate::analysis::{
    Matched, Neighbours, Rules, Similar, WordProbability, likeliest_rules, likeliest_words,
    neighbours, similar_nonterminals, similar_words,
};
use crate::workbench::choice::named;
use crate::workbench::field::Field;
use crate::workbench::names::{RunId, ScreenId};
use crate::workbench::news::TaskReport;
use crate::workbench::screen::{Context, Effect, Input, Screen, Target, View};
use crate::workbench::shared::Shared;
use crate::workbench::task::Task;
use crate::workbench::widgets::moves;
use compute::{Compared, Computed, Other, compute};
use crossterm::event::{KeyCode, KeyEvent};
use ratatui::Frame;
use ratatui::layout::Rect;
use std::collections::HashMap;
use std::path::PathBuf;

pub use commands::COMMANDS;
pub use notes::NOTES;

/// Expansions and words shown of a symbol.
const SHOWN: usize = 30;
/// Similar symbols shown of a symbol.
const SIMILAR: usize = 20;
/// Products that a search for expansions may take.
const SEARCH: usize = 2_000_000_000;

#[derive(Default)]
pub struct Grammar {
    run: Option<RunId>,
    computed: Option<Computed>,
    /// Step of the newest checkpoint when it was last computed.
    asked: Option<u64>,
    /// Whether the screen has been looked at; before, nothing is computed.
    seen: bool,
    failure: Option<String>,
    kind: Kind,
    sort: Sort,
    filter: Field,
    editing: bool,
    order: Vec<usize>,
    at: usize,
    /// First line of the detail pane.
    scroll: usize,
    rules: HashMap<usize, Rules>,
    words: HashMap<usize, Vec<WordProbability>>,
    neighbours: HashMap<usize, Neighbours>,
    similar: HashMap<(Kind, usize), Vec<Similar>>,
    /// Weights that were offered to be aligned with, and those that were chosen.
    others: Vec<Other>,
    with: Option<Other>,
    compared: Option<Compared>,
    /// Whether the table of the alignment takes the place of list and symbol.
    aligned: bool,
    /// Whether the transitions of an HMM take the place of the selected state.
    mapped: bool,
}

/// A detail that a task found, for the weights of a step.
enum Detail {
    Rules(usize, Rules),
    Words(usize, Vec<WordProbability>),
    State(usize, Vec<WordProbability>, Neighbours),
}

/// Symbols like one, as a task found them.
struct Like(Kind, usize, Vec<Similar>);

impl Grammar {
    /// What the symbols of the kind in view are in the other grammar.
    fn matched(&self) -> Option<&Matched> {
        let alignment = &self.compared.as_ref()?.alignment;
        Some(match self.kind {
            Kind::Nonterminals => &alignment.nonterminals,
            Kind::Preterminals | Kind::States => &alignment.preterminals,
        })
    }

    /// Number of the selected symbol within its kind.
    fn symbol(&self) -> Option<usize> {
        self.order.get(self.at).copied()
    }

    fn command(&mut self, name: &str, context: &mut Context) {
        if let Some(at) = moves::moved(name, self.at, self.order.len()) {
            return self.select(at, context);
        }
        if let Some((_, rows)) = moves::scrolled(name) {
            self.scroll = self.scroll.saturating_add_signed(rows);
            return;
        }
        match name {
            "kind" if self.kind == Kind::States => {
                self.mapped = !self.mapped || self.aligned;
                self.aligned = false;
            }
            "kind" => {
                self.kind = self.kind.other();
                // A symbol of that number is another one now.
                self.order.clear();
                self.relist(context);
            }
            "sort" => {
                self.sort = self.sort.next(self.matched().is_some());
                self.relist(context);
            }
            "filter" if self.computed.is_none() => context.status("no symbols are listed yet"),
            "filter" => self.editing = true,
            "clear" => {
                self.filter.clear();
                self.relist(context);
            }
            "refresh" => self.compute(context),
            "sentences" => self.show_sentences(context),
            "align" => self.turn_table(context),
            "align-with" => self.ask_for_other(context),
            "export" => self.ask_for_format(context),
            _ => {}
        }
    }

    fn show_sentences(&mut self, context: &mut Context) {
        let (Some(symbol), Some(computed)) = (self.symbol(), &self.computed) else { return };
        let name = self.kind.name_of(symbol);
        let statistics = &self.kind.of(&computed.symbols)[symbol];
        if statistics.sentences.is_empty() {
            context.warn(match self.kind {
                Kind::States => format!("{name} is the likeliest state of no word"),
                _ => format!("no tree has {name}"),
            });
            return;
        }
        let indices: Vec<usize> = statistics.sentences.iter().map(|&i| i as usize).collect();
        let tree = |&i: &usize| computed.symbols.trees.get(i)?.as_ref();
        let uses = |i| tree(i).map_or(Vec::new(), |tree| self.kind.uses(tree, symbol));
        let spans = indices.iter().map(uses).collect();
        let step = computed.weights.step;
        let title = format!("with {name} at step {step}");
        let target = Target::Sentences { title, indices, spans, step };
        context.push(Effect::Open(ScreenId::Parses, target));
    }

    fn compute(&mut self, context: &mut Context) {
        // That there are no symbols is no failure: the screen says so.
        let Some(run) = context.shared.selected_run().filter(|r| !r.is_counted()) else { return };
        let weights = run.weights();
        let (id, path, config) = (run.id, run.path.clone(), run.config.clone());
        self.asked = Some(run.history.checkpoints.get("last").copied().unwrap_or(0));
        let title = format!("counting the symbols of {}", run.name);
        context.spawn(Task::new("symbols", title, move |handle| {
            compute(id, &path, config.as_ref(), &weights, handle)
        }));
    }

    /// Turns to the selected run, and computes once it has a checkpoint.
    fn follow(&mut self, context: &mut Context) {
        if self.run != context.shared.selected {
            let seen = self.seen;
            context.push(Effect::Cancel("symbols"));
            context.push(Effect::Cancel("detail"));
            context.push(Effect::Cancel("similar"));
            context.push(Effect::Cancel(align::ALIGN));
            *self = Grammar { run: context.shared.selected, seen, ..Grammar::default() };
        }
        let Some(run) = context.shared.selected_run().filter(|_| self.seen) else { return };
        // Before its folder is listed nobody knows whether it has symbols.
        if run.config.is_none() && !context.shared.listed {
            return;
        }
        let written = run.history.checkpoints.get("last").copied();
        // A failure for lack of a checkpoint ends with the first one.
        let first = self.asked.is_none() || (self.failure.is_some() && written > self.asked);
        if self.computed.is_none() && first {
            self.compute(context);
        }
    }

    /// Whether the run has other weights than those whose symbols are listed.
    fn is_old(&self, shared: &Shared) -> bool {
        let (Some(run), Some(computed)) = (shared.selected_run(), &self.computed) else {
            return false;
        };
        let listed = computed.run == run.id && shared.checkpoint.is_none();
        listed && run.newest_step().is_some_and(|step| step != computed.weights.step)
    }

    fn relist(&mut self, context: &mut Context) {
        let symbol = self.symbol();
        let symbols = self.computed.as_ref().map(|c| self.kind.of(&c.symbols));
        let sorted = (self.sort, self.filter.text());
        self.order = listing::order(self.kind, symbols.unwrap_or_default(), sorted, self.matched());
        let at = symbol.and_then(|s| self.order.iter().position(|&i| i == s)).unwrap_or(0);
        self.select(at, context);
    }

    fn select(&mut self, at: usize, context: &mut Context) {
        if at != self.at {
            self.scroll = 0;
        }
        self.at = at;
        let (Some(symbol), Some(computed)) = (self.symbol(), &self.computed) else { return };
        let parser = computed.weights.parser.clone();
        let title = format!("reading {} off the weights", self.kind.name_of(symbol));
        match self.kind {
            Kind::Nonterminals if !self.rules.contains_key(&symbol) => {
                context.spawn(Task::new("detail", title, move |handle| {
                    let grammar = parser.grammar().ok_or("this model has no rules")?;
                    let limit = SEARCH / grammar.cost().max(1);
                    let stop = || handle.cancelled();
                    let rules = likeliest_rules(&grammar, symbol, SHOWN, limit, &stop);
                    Ok(Detail::Rules(symbol, rules))
                }));
            }
            Kind::States if !self.neighbours.contains_key(&symbol) => {
                let symbols = &computed.symbols.preterminals;
                let expected: Vec<f64> = symbols.iter().map(|s| s.expected).collect();
                context.spawn(Task::new("detail", title, move |_| {
                    let chain = parser.chain().ok_or("this model has no states")?;
                    let around = neighbours(&chain, symbol, &expected, SHOWN);
                    let mut words = likeliest_words(&*parser, symbol..symbol + 1, SHOWN)
                        .map_err(|e| e.to_string())?;
                    Ok(Detail::State(symbol, words.pop().unwrap_or_default(), around))
                }));
            }
            Kind::Preterminals if !self.words.contains_key(&symbol) => {
                context.spawn(Task::new("detail", title, move |_| {
                    let mut words = likeliest_words(&*parser, symbol..symbol + 1, SHOWN)
                        .map_err(|e| e.to_string())?;
                    Ok(Detail::Words(symbol, words.pop().unwrap_or_default()))
                }));
            }
            _ => {}
        }
        self.find_similar(symbol, context);
    }

    /// Looks for symbols that do what one does.
    fn find_similar(&self, symbol: usize, context: &mut Context) {
        let (kind, Some(computed)) = (self.kind, &self.computed) else { return };
        if self.similar.contains_key(&(kind, symbol)) {
            return;
        }
        let (parser, count) = (computed.weights.parser.clone(), kind.of(&computed.symbols).len());
        let title = format!("looking for symbols like {}", kind.name_of(symbol));
        context.spawn(Task::new("similar", title, move |handle| {
            let found = match (kind, parser.grammar()) {
                (Kind::Nonterminals, Some(grammar)) => {
                    Some(similar_nonterminals(&grammar, symbol, SIMILAR))
                }
                _ => {
                    let mut go_on = |done: usize| {
                        handle.progress(done as u64, count as u64);
                        !handle.cancelled()
                    };
                    similar_words(&*parser, symbol, count, SIMILAR, &mut go_on)
                        .map_err(|e| e.to_string())?
                }
            };
            Ok(Like(kind, symbol, found.ok_or("stopped")?))
        }));
    }

    fn key(&mut self, key: &KeyEvent, context: &mut Context) {
        match key.code {
            _ if !self.editing => return,
            KeyCode::Enter | KeyCode::Esc => self.editing = false,
            _ => self.filter.key(key),
        }
        self.relist(context);
    }

    fn task(&mut self, report: &mut TaskReport, context: &mut Context) {
        if let Some(error) = report.error() {
            match report.kind {
                "symbols" => self.failure = Some(error.to_owned()),
                align::ALIGN => (self.with, self.aligned) = (None, false),
                _ => {}
            }
            context.error(error);
            return;
        }
        if let Some(computed) = report.take::<Computed>() {
            if Some(computed.run) != self.run {
                return;
            }
            self.failure = None;
            self.rules.clear();
            self.words.clear();
            self.neighbours.clear();
            self.similar.clear();
            match (computed.has_states(), self.kind) {
                (true, _) => self.kind = Kind::States,
                (false, Kind::States) => self.kind = Kind::Nonterminals,
                (false, _) => {}
            }
            self.computed = Some(computed);
            self.align(context);
            self.relist(context);
        } else if let Some(compared) = report.take::<Compared>() {
            self.take_compared(compared, context);
        } else if let Some(path) = report.take::<PathBuf>() {
            context.status(format!("written to {}", path.display()));
        } else if let Some(Like(kind, symbol, found)) = report.take::<Like>() {
            self.similar.insert((kind, symbol), found);
        } else if let Some(detail) = report.take::<Detail>() {
            match detail {
                Detail::Rules(symbol, rules) => drop(self.rules.insert(symbol, rules)),
                Detail::Words(symbol, words) => drop(self.words.insert(symbol, words)),
                Detail::State(symbol, words, neighbours) => {
                    self.words.insert(symbol, words);
                    self.neighbours.insert(symbol, neighbours);
                }
            }
        }
    }
}

impl Screen for Grammar {
    fn id(&self) -> ScreenId {
        ScreenId::Grammar
    }

    fn update(&mut self, input: Input, context: &mut Context) {
        match input {
            Input::Command(name) => self.command(name, context),
            Input::Key(key) => self.key(&key, context),
            Input::Paste(text) if self.editing => {
                self.filter.paste(text);
                self.relist(context);
            }
            Input::Point { list: "symbols", row } => self.select(row, context),
            Input::LeaveField => self.editing = false,
            Input::Shown => {
                self.seen = true;
                self.follow(context);
                // Whoever comes back wants to see what has been learned meanwhile.
                if self.is_old(context.shared)
                    && context.shared.task(ScreenId::Grammar, "symbols").is_none()
                {
                    self.compute(context);
                }
            }
            Input::Selection => self.follow(context),
            Input::Run(id) if Some(id) == self.run => self.follow(context),
            Input::Task(report) => self.task(report, context),
            Input::Answer { popup: align::ALIGN, answer } => self.choose_other(answer, context),
            Input::Answer { popup: exporting::EXPORT, answer } => self.export(answer, context),
            _ => {}
        }
    }

    fn choices(&self) -> Vec<(&'static str, String)> {
        vec![("sort", self.sort.name().to_owned())]
    }

    fn recall(&mut self, name: &str, value: &str) {
        if name == "sort" {
            self.sort =
                named(self.sort, |sort| sort.next(false), Sort::name, value).unwrap_or(self.sort);
        }
    }

    fn draw(&self, frame: &mut Frame, area: Rect, view: &View) {
        draw::draw(self, frame, area, view);
    }

    fn editing(&self) -> bool {
        self.editing
    }
}
