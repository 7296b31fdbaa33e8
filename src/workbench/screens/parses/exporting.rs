//! What is in view, to a file or to the clipboard.

use super::{Parses, Subject};
use crate::workbench::export::{self, Format, SurprisalFormat};
use crate::workbench::popup::Answer;
use crate::workbench::screen::{Context, Effect};
use crate::workbench::task::Task;
use std::path::PathBuf;

impl Parses {
    /// Asks for a format of what is in view.
    pub(super) fn ask_for_format(&self, context: &mut Context) {
        let popup = match (&self.panes.surprisal, &self.panes.diagram) {
            (Some(_), _) => export::surprisal_popup(),
            (None, Some(_)) => export::popup(),
            (None, None) => return context.warn("nothing to export is in view"),
        };
        context.push(Effect::Popup(popup));
    }

    pub(super) fn copy(&self, context: &mut Context) {
        let (text, what) = match (&self.panes.surprisal, &self.panes.diagram) {
            (Some(pane), _) => {
                let text = SurprisalFormat::Text.text(&pane.sentence, self.unit);
                (text, "the surprisals are on the clipboard, a line a token")
            }
            (None, Some(diagram)) => {
                (export::bracket_line(diagram), "the tree is on the clipboard, as brackets")
            }
            (None, None) => return context.warn("nothing to copy is in view"),
        };
        context.push(Effect::Copy(text.trim_end().to_owned()));
        context.status(what);
    }

    /// Writes what is in view in the format that was chosen.
    pub(super) fn export(&mut self, popup: &str, answer: &Answer, context: &mut Context) {
        let Answer::Item(i) = answer else { return };
        let (folder, stem) = (self.exports(context), self.stem());
        match popup {
            export::POPUP => {
                let Some(format) = Format::ALL.get(*i).copied() else { return };
                let Some(diagram) = self.panes.diagram.clone() else { return };
                context.spawn(Task::new("export", "writing the tree", move |_| {
                    export::save(&folder, &stem, format, &diagram)
                }));
            }
            export::SURPRISAL_POPUP => {
                let Some(format) = SurprisalFormat::ALL.get(*i).copied() else { return };
                let Some(pane) = &self.panes.surprisal else { return };
                let (sentence, unit) = (pane.sentence.clone(), self.unit);
                context.spawn(Task::new("export", "writing the surprisals", move |_| {
                    export::save_surprisals(&folder, &stem, format, (&sentence, unit))
                }));
            }
            _ => {}
        }
    }

    /// In the run's folder, or beside that of the runs.
    fn exports(&self, context: &Context) -> PathBuf {
        let of_run = match self.subject {
            Some(Subject::Run(id)) => context.shared.run(id).map(|r| r.path.join(export::FOLDER)),
            _ => None,
        };
        of_run.unwrap_or_else(|| context.shared.runs_folder.with_file_name(export::FOLDER))
    }

    /// Name of the file, less its ending.
    fn stem(&self) -> String {
        let step = match (self.typed.shown(), &self.analysis, &self.evaluation) {
            (Some(typed), ..) => typed.step,
            (None, Some((_, analysis)), _) => analysis.step,
            (None, None, evaluation) => {
                self.past().or(evaluation.as_ref().map(|e| e.step)).unwrap_or(0)
            }
        };
        match self.row().filter(|_| self.typed.is_empty()) {
            Some((number, _)) => format!("sentence-{}-step-{step}", number + 1),
            None if self.typed.len() > 1 => format!("typed-{}-step-{step}", self.typed.at() + 1),
            None => format!("typed-step-{step}"),
        }
    }
}
