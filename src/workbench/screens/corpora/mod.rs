//! The Corpora screen: what is in a treebank, what its reader complained about, and what
//! preprocessing makes of it.

mod commands;
mod draw;
mod effect;
mod entries;
mod excerpt;
mod load;
mod notes;
mod searching;
mod settings;
mod shape;
#[cfg(test)]
mod tests;

use crate::config::Data;
use crate::render::{Diagram, DiagramSpan};
use crate::treebank::{Preprocessing, Sentence};
use crate::workbench::choice::named;
use crate::workbench::export::{self, Format};
use crate::workbench::field::Field;
use crate::workbench::jump;
use crate::workbench::names::ScreenId;
use crate::workbench::news::TaskReport;
use crate::workbench::patterns::{self, Hits, PatternSearch};
use crate::workbench::popup::Answer;
use crate::workbench::recall;
use crate::workbench::screen::{Context, Effect, Input, Screen, Target, View};
use crate::workbench::task::Task;
use crate::workbench::widgets::{Fold, TreeLayout, TreePane, moves};
use crossterm::event::{KeyCode, KeyEvent};
use effect::Effect as SentenceEffect;
use entries::Entry;
use load::Loaded;
use ratatui::Frame;
use ratatui::layout::Rect;
use settings::Setting;
use std::path::PathBuf;

pub use commands::COMMANDS;
pub use notes::NOTES;

/// What the main part shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Mode {
    #[default]
    Overview,
    Distributions,
    Sentences,
    Problems,
    Settings,
}

#[derive(Default)]
pub struct Corpora {
    entries: Vec<Entry>,
    at: usize,
    opened: Vec<PathBuf>,
    seen: bool,
    mode: Mode,
    loaded: Option<Loaded>,
    failure: Option<String>,
    /// Selected row of the sentences, problems and settings.
    sentence: usize,
    problem: usize,
    setting: usize,
    order: Vec<usize>,
    filter: Field,
    editing: bool,
    search: PatternSearch,
    layout: TreeLayout,
    fold: Fold,
    /// Whether the tree, and the histograms, are shown after preprocessing.
    scored: bool,
    /// Whether the selected sentence is shown before and after preprocessing.
    compared: bool,
    /// Selected row of the labels and tags among the histograms.
    ranked: usize,
    pane: Option<TreePane>,
    diagram: Option<Diagram>,
    /// The selected sentence in comparison: its two trees and what happened between them.
    as_read: Option<TreePane>,
    as_scored: Option<TreePane>,
    effect: Option<SentenceEffect>,
}

impl Corpora {
    fn command(&mut self, name: &str, context: &mut Context) {
        if self.moves(name, context) {
            return;
        }
        if let Some(by) = moves::scrolled(name) {
            let panes = [&mut self.pane, &mut self.as_read, &mut self.as_scored];
            panes.into_iter().flatten().for_each(|pane| pane.scroll(by));
            return;
        }
        match name {
            "overview" => self.mode = Mode::Overview,
            "distributions" => self.mode = Mode::Distributions,
            "sentences" => self.mode = Mode::Sentences,
            "problems" => self.mode = Mode::Problems,
            "preprocessing" => self.mode = Mode::Settings,
            "previous-corpus" => self.choose(self.at.saturating_sub(1), context),
            "next-corpus" => self.choose(self.at + 1, context),
            "change" if self.mode == Mode::Settings => {
                self.edit(|data, setting| setting.change(data), context);
            }
            "change" => self.read(None, context),
            "undo" => {
                let Some(loaded) = self.loaded.as_ref().filter(|l| l.is_edited()) else { return };
                let data = loaded.entry.data.clone();
                self.read(Some(data), context);
            }
            "copy" => self.copy(context),
            "filter" => {
                self.mode = Mode::Sentences;
                self.editing = true;
            }
            "pattern" => {
                self.mode = Mode::Sentences;
                self.search.open();
            }
            "jump" => self.ask_for_number(context),
            "next-match" | "previous-match" => self.go_to_match(name == "next-match", context),
            "fold" | "unfold" => self.refold(name, context),
            "scored" => {
                self.scored = !self.scored;
                self.search_trees(context);
                self.lay_out(context);
            }
            "compare" => {
                self.compared = self.mode != Mode::Sentences || !self.compared;
                self.mode = Mode::Sentences;
                self.lay_out(context);
            }
            "layout" => {
                self.layout = self.layout.next();
                self.lay_out(context);
            }
            "export" if self.diagram.is_some() => context.push(Effect::Popup(export::popup())),
            "export" => context
                .warn("no tree is in view: <corpora.sentences> lists the sentences with theirs"),
            "reload" => {
                self.loaded = None;
                self.read(None, context);
            }
            "clear" => {
                if !self.search.end(context) {
                    self.filter.clear();
                }
                self.relist(context);
            }
            _ => {}
        }
    }

    fn moves(&mut self, name: &str, context: &mut Context) -> bool {
        let problems = self.loaded.as_ref().map_or(0, |l| l.corpus.problems.len());
        let (at, len) = match self.mode {
            Mode::Overview => (self.at, self.entries.len()),
            Mode::Distributions => (self.ranked, self.ranks()),
            Mode::Sentences => (self.sentence, self.order.len()),
            Mode::Problems => (self.problem, problems),
            Mode::Settings => (self.setting, Setting::ALL.len()),
        };
        let Some(at) = moves::moved(name, at, len) else { return false };
        match self.mode {
            Mode::Overview => self.choose(at, context),
            Mode::Distributions => self.ranked = at,
            Mode::Sentences => {
                self.sentence = at;
                self.search.to_first();
                self.lay_out(context);
            }
            Mode::Problems => self.problem = at,
            Mode::Settings => self.setting = at,
        }
        true
    }

    /// Selects what the mouse chose.
    fn point(&mut self, list: &str, row: usize, context: &mut Context) {
        match list {
            "corpora" => self.choose(row, context),
            "ranked" => self.ranked = row,
            "problems" => self.problem = row,
            "settings" => self.setting = row,
            "sentences" => {
                self.sentence = row;
                self.lay_out(context);
            }
            _ => {}
        }
    }

    /// Rows of the longer list among the histograms.
    fn ranks(&self) -> usize {
        let Some(loaded) = &self.loaded else { return 0 };
        let measured = if self.scored { &loaded.current } else { &loaded.as_read };
        measured.statistics.labels.len().max(measured.statistics.tags.len())
    }

    /// Selects a corpus and reads it.
    fn choose(&mut self, at: usize, context: &mut Context) {
        let at = at.min(self.entries.len().saturating_sub(1));
        if at != self.at || self.loaded.is_none() {
            self.at = at;
            self.forget();
            self.read(None, context);
        }
    }

    fn forget(&mut self) {
        self.search.forget();
        self.loaded = None;
        self.failure = None;
        self.order.clear();
        self.sentence = 0;
        self.problem = 0;
        self.ranked = 0;
        self.pane = None;
        self.diagram = None;
        (self.as_read, self.as_scored, self.effect) = (None, None, None);
    }

    /// Reads the selected corpus, under other settings if some are given.
    fn read(&mut self, data: Option<Data>, context: &mut Context) {
        let Some(entry) = self.entries.get(self.at).cloned() else { return };
        let same = self.loaded.as_ref().filter(|l| l.entry == entry);
        let data = data.unwrap_or_else(|| entry.data.clone());
        // What was read otherwise tells nothing of the file as it is read now.
        let same =
            same.filter(|l| (l.data.format, l.data.encoding) == (data.format, data.encoding));
        let known = same.map(|l| (l.as_read.clone(), l.configured.clone()));
        self.failure = None;
        let title = format!("reading {}", entry.name);
        let work = move |handle: &crate::workbench::task::TaskHandle| {
            load::read(entry, data, known, handle)
        };
        context.spawn(Task::new("corpus", title, work));
    }

    fn edit(&mut self, change: impl FnOnce(&mut Data, Setting), context: &mut Context) {
        let Some(loaded) = &self.loaded else {
            context.warn("the corpus is not read yet: <corpora.change> reads it");
            return;
        };
        let mut data = loaded.data.clone();
        change(&mut data, Setting::ALL[self.setting]);
        self.read(Some(data), context);
    }

    fn copy(&mut self, context: &mut Context) {
        let Some(loaded) = &self.loaded else { return };
        if self.mode == Mode::Settings {
            let lines = settings::changed_lines(&loaded.entry.data, &loaded.data);
            if lines.is_empty() {
                context.status("nothing is edited");
            } else {
                context.push(Effect::Copy(lines));
                context.status("the edited settings are on the clipboard, for a config");
            }
        } else if let Some(diagram) = &self.diagram {
            context.push(Effect::Copy(export::bracket_line(diagram).trim_end().to_owned()));
            context.status("the tree is on the clipboard, as brackets");
        }
    }

    /// Takes in which corpora there are; keeps the selected one if it is still there.
    fn refresh(&mut self, context: &mut Context) {
        let selected = self.entries.get(self.at).cloned();
        self.entries = entries::entries(context.shared, &self.opened);
        let kept = selected.as_ref().and_then(|s| self.entries.iter().position(|e| e == s));
        match kept {
            Some(at) => self.at = at,
            None => {
                self.at = 0;
                self.forget();
            }
        }
        let reading = context.shared.task(ScreenId::Corpora, "corpus").is_some();
        if self.seen && self.loaded.is_none() && self.failure.is_none() && !reading {
            self.read(None, context);
        }
    }

    fn open(&mut self, path: &PathBuf, context: &mut Context) {
        if !self.opened.contains(path) {
            self.opened.push(path.clone());
        }
        self.entries = entries::entries(context.shared, &self.opened);
        let source = path.display().to_string();
        let at = self.entries.iter().position(|e| e.sources.0 == [source.clone()]).unwrap_or(0);
        self.at = at;
        self.seen = true;
        self.forget();
        self.read(None, context);
    }

    fn selected(&self) -> Option<&Sentence> {
        let number = *self.order.get(self.sentence)?;
        self.loaded.as_ref()?.corpus.sentences.get(number)
    }

    /// Whether the selected tree has phrases with gaps, which no drawing shows as such.
    fn has_gaps(&self) -> bool {
        let tree = self.selected().and_then(|s| s.tree.as_ref());
        tree.is_some_and(|tree| tree.is_discontinuous())
    }

    fn lay_out(&mut self, context: &Context) {
        let mut read = self.selected().and_then(|s| s.tree.as_deref()).map(Diagram::from_tree);
        let mut scored = self.selected().and_then(scored_tree);
        for (tree, searched) in [(&mut read, !self.scored), (&mut scored, self.scored)] {
            if let Some(tree) = tree {
                self.search.mark(tree, searched.then_some(0));
            }
        }
        let pane = |d: &Diagram| self.fold.pane(d, self.layout, context.theme);
        (self.as_read, self.as_scored, self.effect) = match self.compared {
            true => (read.as_ref().map(pane), scored.as_ref().map(pane), self.effect_on_selected()),
            false => (None, None, None),
        };
        self.diagram = if self.scored { scored } else { read };
        self.pane = self.diagram.as_ref().map(|d| self.fold.pane(d, self.layout, context.theme));
    }

    fn effect_on_selected(&self) -> Option<SentenceEffect> {
        let rules = Preprocessing::resolve(&self.loaded.as_ref()?.data).ok()?;
        Some(SentenceEffect::of(self.selected()?, &rules))
    }

    fn key(&mut self, key: &KeyEvent, context: &mut Context) {
        if self.search.editing() {
            return self.key_of_pattern(key, context);
        }
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
                "corpus" => self.failure = Some(error.to_owned()),
                patterns::TASK => {
                    self.search.clear();
                    return self.relist(context);
                }
                _ => {}
            }
            context.error(error);
        } else if let Some(hits) = report.take::<Hits>() {
            self.found(hits, context);
        } else if let Some(loaded) = report.take::<Loaded>() {
            if self.entries.get(self.at) == Some(&loaded.entry) {
                self.failure = None;
                if let Some(failure) = &loaded.failure {
                    context.error(failure.clone());
                }
                self.loaded = Some(loaded);
                self.search.forget();
                self.relist(context);
                self.search_trees(context);
            }
        } else if let Some(path) = report.take::<PathBuf>() {
            context.status(format!("written to {}", path.display()));
        }
    }

    fn export(&mut self, format: Format, context: &mut Context) {
        let (Some(diagram), Some(sentence)) = (self.diagram.clone(), self.selected()) else {
            return;
        };
        let folder = context.shared.runs_folder.with_file_name("exports");
        let name: String = self.entries[self.at]
            .name
            .chars()
            .map(|c| if c.is_alphanumeric() || "-_.".contains(c) { c } else { '-' })
            .collect();
        let stem = format!("{name}-sentence-{}", sentence.index + 1);
        context.spawn(Task::new("export", "writing the tree", move |_| {
            export::save(&folder, &stem, format, &diagram)
        }));
    }
}

/// The tree that scores see.
fn scored_tree(sentence: &Sentence) -> Option<Diagram> {
    let spans: Vec<_> = sentence
        .gold
        .as_ref()?
        .iter()
        .map(|g| DiagramSpan { start: g.start, end: g.end, label: &g.label })
        .collect();
    Diagram::from_spans(&sentence.words, sentence.tags.as_deref(), &spans)
}

impl Screen for Corpora {
    fn id(&self) -> ScreenId {
        ScreenId::Corpora
    }

    fn update(&mut self, input: Input, context: &mut Context) {
        match input {
            Input::Command(name) => self.command(name, context),
            Input::Key(key) => self.key(&key, context),
            Input::Paste(text) if self.search.editing() => self.search.paste(text),
            Input::Paste(text) if self.editing => {
                self.filter.paste(text);
                self.relist(context);
            }
            Input::LeaveField => {
                self.editing = false;
                self.search.leave();
            }
            Input::Point { list, row } => self.point(list, row, context),
            Input::Shown => {
                self.seen = true;
                self.refresh(context);
            }
            Input::Selection => self.refresh(context),
            Input::Open(Target::Corpus(path)) => self.open(path, context),
            Input::Answer { popup: export::POPUP, answer: Answer::Item(i) } => {
                if let Some(format) = Format::ALL.get(*i) {
                    self.export(*format, context);
                }
            }
            Input::Answer { popup: jump::POPUP, answer: Answer::Text(text) } => {
                self.jump(text, context);
            }
            Input::Task(report) => self.task(report, context),
            _ => {}
        }
    }

    fn choices(&self) -> Vec<(&'static str, String)> {
        vec![("layout", self.layout.name().to_owned())]
    }

    fn recall(&mut self, name: &str, value: &str) {
        if name == "layout" {
            self.layout = named(self.layout, TreeLayout::next, TreeLayout::name, value)
                .unwrap_or(self.layout);
        }
    }

    fn draw(&self, frame: &mut Frame, area: Rect, view: &View) {
        draw::draw(self, frame, area, view);
    }

    fn editing(&self) -> bool {
        self.editing || self.search.editing()
    }

    fn field_keys(&self) -> &'static [(&'static str, &'static str)] {
        match self.search.editing() {
            true => recall::KEYS,
            false => &[("Enter", "accept"), ("Esc", "leave the field")],
        }
    }
}
