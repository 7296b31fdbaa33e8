//! Choosing a file: what was opened before, and what lies in a folder, narrowed by what is typed.

mod check;
mod draw;
mod listing;

pub use check::CHECK;
pub use listing::TASK;

use super::choose::fuzzy;
use super::layer::{Layer, LayerInput, Verdict};
use crate::workbench::field::Field;
use crate::workbench::memory::Recent;
use crate::workbench::news::TaskReport;
use crate::workbench::popup::{Answer, Wanted};
use crate::workbench::screen::{Effect, View};
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use listing::{Described, Entry, Listing, What};
use ratatui::Frame;
use ratatui::layout::Rect;
use std::path::{Path, PathBuf};

/// A row of the list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Row {
    /// What stands for no file.
    Instead,
    Recent(usize),
    /// The folder itself, as a treebank.
    This,
    /// The folder above.
    Up,
    Entry(usize),
}

/// A line for a path, and below it what it could become.
pub struct Files {
    title: String,
    wanted: Wanted,
    instead: Option<&'static str>,
    recent: Vec<Recent>,
    /// What paths that are typed begin from.
    base: PathBuf,
    home: Option<PathBuf>,
    field: Field,
    /// `None` while it is being read.
    listing: Option<Listing>,
    shown: Vec<Row>,
    selected: usize,
    /// What is being looked into before it is the answer.
    chosen: Option<PathBuf>,
    /// Why what was chosen is none.
    problem: Option<String>,
}

impl Files {
    /// Begins in the folder `base`; `~` is `home`.
    pub fn new(
        title: String,
        wanted: Wanted,
        instead: Option<&'static str>,
        recent: Vec<Recent>,
        (base, home): (PathBuf, Option<PathBuf>),
    ) -> Files {
        let mut files = Files {
            title,
            wanted,
            instead,
            recent,
            base,
            home,
            field: Field::default(),
            listing: None,
            shown: Vec::new(),
            selected: 0,
            chosen: None,
            problem: None,
        };
        files.relist();
        files
    }

    /// Has a path typed already.
    pub fn beginning_with(mut self, text: String) -> Files {
        if !text.is_empty() {
            self.field = Field::new(text);
            self.relist();
        }
        self
    }

    /// What is typed, as a folder and what is looked for in it.
    fn typed(&self) -> (&str, &str) {
        let text = self.field.text();
        // A home alone is a folder already.
        match text.rfind('/') {
            _ if text == "~" => (text, ""),
            Some(at) => text.split_at(at + 1),
            None => ("", text),
        }
    }

    /// The folder that is listed.
    fn folder(&self) -> PathBuf {
        self.resolved(self.typed().0)
    }

    fn resolved(&self, typed: &str) -> PathBuf {
        match (typed.strip_prefix('~'), &self.home) {
            (Some(rest), Some(home)) if rest.is_empty() || rest.starts_with('/') => {
                home.join(rest.trim_start_matches('/'))
            }
            _ if typed.is_empty() => self.base.clone(),
            _ => self.base.join(typed),
        }
    }

    /// The listing of the folder that is typed, once it is read.
    fn here(&self) -> Option<&Listing> {
        let folder = self.folder();
        self.listing.as_ref().filter(|listing| listing.folder == folder)
    }

    fn fits(&self, what: &str) -> bool {
        match self.wanted {
            Wanted::Anything => !matches!(what, "no text" | "empty" | "TOML"),
            Wanted::Lists => matches!(what, "candidate lists" | "reranker"),
            Wanted::Config => what.starts_with("config"),
        }
    }

    /// Makes the rows anew: without a word to look for what was opened before comes first.
    fn relist(&mut self) {
        let (folder, wanted) = self.typed();
        let mut rows = Vec::new();
        let at_start = folder.is_empty();
        if at_start && wanted.is_empty() {
            rows.extend(self.instead.map(|_| Row::Instead));
        }
        if at_start {
            let recent = self.recent.iter().enumerate().filter(|(_, recent)| {
                let path = recent.path.strip_prefix(&self.base).unwrap_or(&recent.path);
                self.fits(&recent.what) && fuzzy(wanted, &path.to_string_lossy()).is_some()
            });
            rows.extend(recent.map(|(i, _)| Row::Recent(i)));
        }
        if wanted.is_empty() || wanted == ".." {
            rows.push(Row::Up);
            if self.wanted == Wanted::Anything && !at_start {
                rows.push(Row::This);
            }
        }
        let entries = self.here().map_or(&[][..], |listing| &listing.entries);
        // Hidden ones for those who ask for them.
        let hidden = wanted.starts_with('.');
        let seen = entries.iter().enumerate().filter(|(_, e)| hidden || !e.name.starts_with('.'));
        let mut found: Vec<(i64, usize)> =
            seen.filter_map(|(i, entry)| Some((fuzzy(wanted, &entry.name)?, i))).collect();
        if !wanted.is_empty() {
            let begins = |i: usize| entries[i].name.starts_with(wanted);
            found.sort_by_key(|&(score, i)| (!begins(i), -score, i));
        }
        rows.extend(found.into_iter().map(|(_, i)| Row::Entry(i)));
        self.shown = rows;
        self.selected = self.selected.min(self.shown.len().saturating_sub(1));
    }

    /// Selects the first row that is something new.
    fn select_first(&mut self) {
        let is_new = |row: &Row| !matches!(row, Row::Up | Row::This);
        self.selected = self.shown.iter().position(is_new).unwrap_or(0);
    }

    /// Something else is typed: the list follows, and another folder is read.
    fn retype(&mut self, text: String) -> Verdict {
        let before = self.folder();
        self.field = Field::new(text);
        self.typed_on(&before)
    }

    fn typed_on(&mut self, before: &Path) -> Verdict {
        (self.chosen, self.problem) = (None, None);
        self.relist();
        self.select_first();
        let folder = self.folder();
        if folder == before && self.listing.is_some() {
            return Verdict::Consumed;
        }
        Verdict::Ask(Effect::Spawn(listing::read(folder)))
    }

    fn entry(&self, i: usize) -> Option<&Entry> {
        self.here()?.entries.get(i)
    }

    /// What Enter does on the selected row.
    fn accept(&mut self) -> Verdict {
        let folder = self.typed().0.to_owned();
        match self.shown.get(self.selected) {
            None => {
                // What is typed may be there though it is not listed.
                match self.field.text().trim() {
                    "" => Verdict::Consumed,
                    text => self.choose(self.resolved(text)),
                }
            }
            Some(Row::Instead) => Verdict::Close(Answer::Text(String::new())),
            Some(Row::Recent(i)) => match self.recent.get(*i) {
                Some(recent) => self.choose(recent.path.clone()),
                None => Verdict::Consumed,
            },
            Some(Row::This) => self.choose(self.folder()),
            Some(Row::Up) => self.retype(above(&folder)),
            Some(Row::Entry(i)) => match self.entry(*i) {
                Some(entry) if entry.is_folder && !is_whole(entry) => {
                    let name = entry.name.clone();
                    self.retype(format!("{folder}{name}/"))
                }
                Some(entry) => self.choose(entry.path.clone()),
                None => Verdict::Consumed,
            },
        }
    }

    /// The answer, once it is known that it can be one; until then the field stays.
    fn choose(&mut self, path: PathBuf) -> Verdict {
        (self.chosen, self.problem) = (Some(path.clone()), None);
        Verdict::Ask(Effect::Spawn(check::look(self.wanted, path)))
    }

    /// What was chosen can be no answer: its path stands in the field, to be mended.
    fn refuse(&mut self, path: &Path, reason: String) -> Verdict {
        let typed = path.strip_prefix(&self.base).unwrap_or(path).display().to_string();
        let verdict = match self.resolved(self.field.text()) == path {
            true => Verdict::Consumed,
            false => self.retype(typed),
        };
        self.problem = Some(reason);
        verdict
    }

    /// What Tab does: types as much of the names as those that begin so have in common; of one name
    /// all, and of a folder the stroke behind it.
    fn complete(&mut self) -> Verdict {
        let (folder, wanted) = self.typed();
        let (folder, wanted) = (folder.to_owned(), wanted.to_owned());
        let Some(listing) = self.here() else { return Verdict::Consumed };
        let hidden = wanted.starts_with('.');
        let begins = |entry: &&Entry| {
            entry.name.starts_with(&wanted) && (hidden || !entry.name.starts_with('.'))
        };
        let begun: Vec<&Entry> = listing.entries.iter().filter(begins).collect();
        let chosen = match (&begun[..], self.shown.get(self.selected)) {
            ([only], _) => Some(*only),
            // Nothing begins so: the row that was chosen among those that match.
            ([], Some(Row::Entry(i))) => self.entry(*i),
            _ => None,
        };
        if let Some(entry) = chosen {
            let stroke = if entry.is_folder { "/" } else { "" };
            return self.retype(format!("{folder}{}{stroke}", entry.name));
        }
        let common = common(begun.iter().map(|entry| entry.name.as_str()));
        match common.len() > wanted.len() {
            true => self.retype(format!("{folder}{common}")),
            false => {
                self.move_by(1);
                Verdict::Consumed
            }
        }
    }

    fn move_by(&mut self, by: isize) {
        let last = self.shown.len().saturating_sub(1);
        self.selected = self.selected.saturating_add_signed(by).min(last);
    }

    fn key(&mut self, key: KeyEvent) -> Verdict {
        let control = key.modifiers.contains(KeyModifiers::CONTROL);
        match key.code {
            KeyCode::Esc => return Verdict::Close(Answer::Cancelled),
            KeyCode::Enter => return self.accept(),
            KeyCode::Tab => return self.complete(),
            KeyCode::BackTab | KeyCode::Up => self.move_by(-1),
            KeyCode::Down => self.move_by(1),
            KeyCode::Char('n') if control => self.move_by(1),
            KeyCode::Char('p') if control => self.move_by(-1),
            KeyCode::PageDown => self.move_by(10),
            KeyCode::PageUp => self.move_by(-10),
            _ => {
                let (text, before) = (self.field.text().to_owned(), self.folder());
                self.field.key(&key);
                if self.field.text() != text {
                    return self.typed_on(&before);
                }
            }
        }
        Verdict::Consumed
    }

    fn hear(&mut self, report: &mut TaskReport) -> Verdict {
        if report.kind == CHECK {
            let Some(path) = self.chosen.take() else { return Verdict::Consumed };
            return match report.error() {
                Some(reason) => self.refuse(&path, reason.to_owned()),
                None => Verdict::Close(Answer::File(path)),
            };
        }
        if let Some(listing) = report.take::<Listing>() {
            if listing.folder == self.folder() {
                self.listing = Some(listing);
                self.relist();
                self.select_first();
            }
        } else if let Some(described) = report.take::<Described>()
            && let Some(listing) = &mut self.listing
            && listing.folder == described.folder
        {
            let entries = listing.entries.iter_mut().skip(described.from);
            for (entry, what) in entries.zip(described.whats) {
                entry.what = Some(what);
            }
        }
        Verdict::Consumed
    }
}

/// Whether a folder is opened as a whole.
fn is_whole(entry: &Entry) -> bool {
    entry.what.as_ref().is_some_and(|what: &What| what.is_whole)
}

/// The text of the folder above one that is typed.
fn above(folder: &str) -> String {
    let inner = folder.trim_end_matches('/');
    let last = inner.rsplit('/').next().unwrap_or_default();
    match last {
        _ if folder == "/" => folder.to_owned(),
        "" | ".." | "~" => {
            format!("{folder}{}../", if last == "~" && inner == folder { "/" } else { "" })
        }
        _ => inner[..inner.len() - last.len()].to_owned(),
    }
}

/// What all names begin with.
fn common<'a>(mut names: impl Iterator<Item = &'a str>) -> String {
    let Some(first) = names.next() else { return String::new() };
    let mut length = first.len();
    for name in names {
        let same = first.char_indices().zip(name.chars()).take_while(|((_, a), b)| a == b);
        length = length.min(same.last().map_or(0, |((at, a), _)| at + a.len_utf8()));
    }
    first[..length].to_owned()
}

impl Layer for Files {
    fn begin(&mut self) -> Option<Effect> {
        Some(Effect::Spawn(listing::read(self.folder())))
    }

    fn update(&mut self, input: LayerInput) -> Verdict {
        match input {
            LayerInput::Key(key) => self.key(key),
            LayerInput::Paste(text) => {
                let before = self.folder();
                self.field.paste(text);
                self.typed_on(&before)
            }
            LayerInput::Wheel(by) => {
                self.move_by(by);
                Verdict::Consumed
            }
            LayerInput::Point(row) if row < self.shown.len() => {
                self.selected = row;
                self.accept()
            }
            LayerInput::Point(_) => Verdict::Consumed,
            LayerInput::Task(report) => self.hear(report),
        }
    }

    fn draw(&self, frame: &mut Frame, area: Rect, view: &View) {
        draw::draw(self, frame, area, view);
    }

    fn editing(&self) -> bool {
        true
    }

    fn keys(&self) -> &'static [(&'static str, &'static str)] {
        &[
            ("Up", ""),
            ("Down", "select"),
            ("Tab", "complete"),
            ("Enter", "open"),
            ("Esc", "cancel"),
            (".", "hidden"),
        ]
    }
}

#[cfg(test)]
mod tests;
