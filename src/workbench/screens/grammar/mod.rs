//! The Grammar screen: what the nonterminals and preterminals of a grammar, or the states of an
//! HMM, have learned.

mod compute;
mod draw;
mod list;
mod notes;
mod shared;
mod states;
#[cfg(test)]
mod tests;

use crate::analysis::{
    Neighbours, Rules, WordProbability, likeliest_rules, likeliest_words, neighbours,
};
use crate::workbench::command::Command;
use crate::workbench::field::Field;
use crate::workbench::names::{RunId, ScreenId};
use crate::workbench::news::TaskReport;
use crate::workbench::screen::{Context, Effect, Input, Screen, Target, View};
use crate::workbench::task::Task;
use crate::workbench::widgets::moves;
use compute::{Computed, compute};
use crossterm::event::{KeyCode, KeyEvent};
use list::{Kind, Sort};
use ratatui::Frame;
use ratatui::layout::Rect;
use std::collections::HashMap;

pub use notes::NOTES;

pub const COMMANDS: &[Command] = &[
    Command {
        name: "kind",
        keys: &["t"],
        help: "Show nonterminals or preterminals; of an HMM its states or their transitions",
        short: "kind",
    },
    Command {
        name: "sentences",
        keys: &["Enter"],
        help: "Show the sentences that use the symbol, on Parses",
        short: "sentences",
    },
    Command {
        name: "refresh",
        keys: &["r"],
        help: "Compute again with the current weights",
        short: "refresh",
    },
    Command {
        name: "filter",
        keys: &["/"],
        help: "List symbols by name, gold label, word or yield",
        short: "filter",
    },
    Command {
        name: "sort",
        keys: &["s"],
        help: "Sort by expected use, purity or number",
        short: "sort",
    },
    Command { name: "clear", keys: &["Esc"], help: "List all symbols again", short: "" },
];

/// Expansions and words shown of a symbol.
const SHOWN: usize = 30;
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
    /// Whether the transitions of an HMM take the place of the selected state.
    mapped: bool,
}

/// A detail that a task found, for the weights of a step.
enum Detail {
    Rules(usize, Rules),
    Words(usize, Vec<WordProbability>),
    State(usize, Vec<WordProbability>, Neighbours),
}

impl Grammar {
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
            "kind" if self.kind == Kind::States => self.mapped = !self.mapped,
            "kind" => {
                self.kind = self.kind.other();
                // A symbol of that number is another one now.
                self.order.clear();
                self.relist(context);
            }
            "sort" => {
                self.sort = self.sort.next();
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
        let indices = statistics.sentences.iter().map(|&i| i as usize).collect();
        let title = format!("with {name} at step {}", computed.weights.step);
        context.push(Effect::Open(ScreenId::Parses, Target::Sentences { title, indices }));
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

    fn relist(&mut self, context: &mut Context) {
        let symbol = self.symbol();
        let symbols = self.computed.as_ref().map(|c| self.kind.of(&c.symbols));
        self.order =
            list::order(self.kind, symbols.unwrap_or_default(), self.sort, self.filter.text());
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
            if report.kind == "symbols" {
                self.failure = Some(error.to_owned());
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
            match (computed.has_states(), self.kind) {
                (true, _) => self.kind = Kind::States,
                (false, Kind::States) => self.kind = Kind::Nonterminals,
                (false, _) => {}
            }
            self.computed = Some(computed);
            self.relist(context);
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
            Input::LeaveField => self.editing = false,
            Input::Shown => {
                self.seen = true;
                self.follow(context);
            }
            Input::Selection => self.follow(context),
            Input::Run(id) if Some(id) == self.run => self.follow(context),
            Input::Task(report) => self.task(report, context),
            _ => {}
        }
    }

    fn draw(&self, frame: &mut Frame, area: Rect, view: &View) {
        draw::draw(self, frame, area, view);
    }

    fn editing(&self) -> bool {
        self.editing
    }
}
