//! A sweep: a figure against what is varied, and the table of all choices. Read from its folder,
//! again whenever a run in it has moved on, whichever process trains it.

mod draw;
mod files;

use crate::run::{Column, Sweep, SweepRow};
use crate::workbench::news::TaskReport;
use crate::workbench::popup::{Answer, Popup};
use crate::workbench::screen::{Context, Effect};
use crate::workbench::task::Task;
use crate::workbench::widgets::moves;
use crate::workbench::{ScreenId, export};
use std::path::{Path, PathBuf};

pub use draw::draw;

/// Kinds of tasks.
pub const READ: &str = "sweep";
pub const CARD: &str = "card";

/// What was read of a sweep's folder.
#[derive(Clone, Debug)]
pub struct Read {
    pub sweep: Sweep,
    pub rows: Vec<SweepRow>,
}

/// The card of a choice, ready to be shown.
struct Shown {
    title: String,
    lines: Vec<String>,
}

/// State of the page.
pub struct Page {
    pub path: PathBuf,
    read: Option<Read>,
    /// Why it cannot be read.
    problem: Option<String>,
    /// The row under the cursor, and the column whose figure is drawn.
    at: usize,
    column: usize,
    /// Place among the settings that a figure can be drawn against.
    axis: usize,
}

impl Page {
    pub fn new(path: PathBuf) -> Page {
        Page { path, read: None, problem: None, at: 0, column: 0, axis: 0 }
    }

    /// Selects the row that the mouse chose.
    pub fn point(&mut self, row: usize) {
        self.at = row;
    }

    /// Reads the folder once more.
    pub fn load(&self, context: &mut Context) {
        let path = self.path.clone();
        context.spawn(Task::new(READ, "reading the sweep", move |_| {
            let sweep = Sweep::open(&path).map_err(|e| e.to_string())?;
            let rows = sweep.rows();
            Ok(Read { sweep, rows })
        }));
    }

    /// Takes in what a task of the page has found.
    pub fn hear(&mut self, report: &mut TaskReport, context: &mut Context) {
        let error = report.error().map(str::to_owned);
        match (report.kind, error) {
            (READ, None) => {
                if let Some(read) = report.take::<Read>() {
                    self.at = self.at.min(read.rows.len().saturating_sub(1));
                    (self.read, self.problem) = (Some(read), None);
                }
            }
            // What was read before stays in view; a file may be in the middle of being replaced.
            (READ, Some(reason)) => self.problem = Some(reason),
            (CARD, None) => {
                if let Some(Shown { title, lines }) = report.take::<Shown>() {
                    context.push(Effect::Popup(Popup::Note { title, lines }));
                }
            }
            (files::EXPORT, None) => {
                if let Some(path) = report.take::<PathBuf>() {
                    context.status(format!("written to {}", path.display()));
                }
            }
            (CARD | files::EXPORT, Some(reason)) => context.error(reason),
            _ => {}
        }
    }

    /// Carries out a command of the screen; whether the page stays open.
    pub fn command(&mut self, name: &'static str, context: &mut Context) -> bool {
        if name == "clear" {
            return false;
        }
        let Some(read) = &self.read else { return true };
        if let Some(to) = moves::moved(name, self.at, read.rows.len()) {
            self.at = to;
            return true;
        }
        match name {
            "next-figure" => self.turn(1),
            "previous-figure" => self.turn(-1),
            "axis" => match read.sweep.axes().len() {
                0 => context.status("no setting that is varied is a number"),
                1 => context.status("only one setting that is varied is a number"),
                n => self.axis = (self.axis + 1) % n,
            },
            "open" => self.show_runs(context),
            "card" => self.ask_for_card(context),
            "export" => context.push(Effect::Popup(files::popup())),
            _ => context.status("<runs.clear> leads back to the list of runs, where that works"),
        }
        true
    }

    /// Writes the format that was chosen.
    pub fn answered(&self, popup: &str, answer: &Answer, context: &mut Context) {
        let (Some(read), Answer::Item(i)) = (&self.read, answer) else { return };
        if popup == files::EXPORT {
            files::export(read, (self.at, self.axis()), self.shown_column(), *i, context);
        }
    }

    fn columns(&self) -> Vec<Column> {
        self.read.as_ref().map(|read| Column::known(&read.rows)).unwrap_or_default()
    }

    /// The figure that is drawn.
    fn shown_column(&self) -> Option<Column> {
        let columns = self.columns();
        columns.get(self.column.min(columns.len().saturating_sub(1))).copied()
    }

    /// Place of the setting that it is drawn against.
    fn axis(&self) -> Option<usize> {
        self.read.as_ref()?.sweep.axes().get(self.axis).copied()
    }

    fn turn(&mut self, by: isize) {
        let count = self.columns().len().max(1) as isize;
        let at = (self.column as isize).min(count - 1);
        self.column = (at + by).rem_euclid(count) as usize;
    }

    fn row(&self) -> Option<&SweepRow> {
        self.read.as_ref()?.rows.get(self.at)
    }

    /// Draws the curves of the row's runs on Train.
    fn show_runs(&self, context: &mut Context) {
        let Some(row) = self.row() else { return };
        let of_row = |run: &&crate::workbench::shared::RunEntry| {
            run.group.as_deref().is_some_and(|group| is_same(group, &row.group)) && !run.gone
        };
        let mut runs: Vec<_> = context.shared.runs.iter().filter(of_row).collect();
        runs.sort_by_key(|run| run.config.as_ref().map(|config| config.seed));
        let Some((first, others)) = runs.split_first() else {
            return context.status(match row.runs.is_empty() {
                true => "none of its runs has begun",
                false => "its runs are not listed yet",
            });
        };
        let drawn: Vec<_> = context.shared.overlaid.clone();
        let (first, others) = (first.id, others.iter().map(|run| run.id).collect::<Vec<_>>());
        context.push(Effect::Select(first));
        // What another row had drawn goes.
        for id in drawn.iter().filter(|id| !others.contains(id) && **id != first) {
            context.push(Effect::Overlay(*id));
        }
        for id in others.into_iter().filter(|id| !drawn.contains(id)) {
            context.push(Effect::Overlay(id));
        }
        context.push(Effect::Show(ScreenId::Train));
    }

    fn ask_for_card(&self, context: &mut Context) {
        let Some(row) = self.row() else { return };
        if row.runs.is_empty() {
            return context.status("none of its runs has begun: there is nothing on its card");
        }
        let group = row.group.clone();
        context.spawn(Task::new(CARD, "hashing the data", move |_| {
            let card = files::card(&group)?;
            // Settings are long; what identifies the experiment comes first.
            let title = format!("Experiment card: {}", card.name);
            let text = card.text("config.toml");
            let lines = text.lines().skip(2).map(str::to_owned).collect();
            Ok(Shown { title, lines })
        }));
    }
}

/// Whether two paths name the same folder.
fn is_same(a: &Path, b: &Path) -> bool {
    a == b || matches!((a.canonicalize(), b.canonicalize()), (Ok(a), Ok(b)) if a == b)
}

/// Where the files of the page go.
fn exports(sweep: &Sweep) -> PathBuf {
    sweep.path().join(export::FOLDER)
}

#[cfg(test)]
mod tests;
