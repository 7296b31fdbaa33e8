//! Opening a file while the workbench runs: the list to choose from, and what is made of the choice.

use super::App;
use super::runs::same_place;
use crate::workbench::layers::LayerInput;
use crate::workbench::news::TaskReport;
use crate::workbench::popup::{Popup, Wanted};
use crate::workbench::start::Named;
use crate::workbench::task::Task;
use std::path::PathBuf;

/// The popup of the workbench's own that asks for a file.
pub(super) const POPUP: &str = "open-file";
/// The task that looks what was chosen.
pub(super) const TASK: &str = "opening";

/// What a chosen path names.
struct Opened(Vec<Named>);

impl App {
    pub(super) fn ask_for_path(&mut self) {
        let title = "Open a treebank, run, checkpoint or candidate list".into();
        let (wanted, initial) = (Wanted::Anything, String::new());
        self.ask(POPUP, Popup::Files { id: POPUP, title, wanted, instead: None, initial });
    }

    pub(super) fn open_path(&mut self, path: PathBuf) {
        let title = format!("opening {}", path.display());
        let task = Task::new(TASK, title, move |_| Named::all(&path).map(Opened));
        self.tasks.spawn(self.active, task, &mut self.shared.tasks);
    }

    /// News of what lies in a folder, or of what was chosen.
    pub(super) fn picking(&mut self, report: &mut TaskReport) {
        if let Some(Opened(named)) = report.take::<Opened>() {
            self.leave_field();
            let paths: Vec<PathBuf> = named.iter().filter_map(runs_beside).collect();
            self.open_named(named);
            self.watch_more(paths);
        } else if report.kind == TASK {
            let reason = report.error().unwrap_or("stopped").to_owned();
            self.fail(format!("{reason}; {} opens another file", self.key_of("open-file")));
        } else if let Some(open) = self.layers.last_mut() {
            let verdict = open.layer.update(LayerInput::Task(report));
            self.judged(verdict);
        }
    }

    /// Lists the runs of further folders too.
    fn watch_more(&mut self, folders: Vec<PathBuf>) {
        let known = self.bases.len();
        for folder in folders {
            if !self.bases.iter().any(|base| same_place(base, &folder)) {
                self.bases.push(folder);
            }
        }
        if self.bases.len() > known {
            self.watch_folders(self.bases.clone());
        }
    }
}

/// The folder whose runs are listed with one that is opened.
fn runs_beside(named: &Named) -> Option<PathBuf> {
    match named {
        Named::Runs(path) => Some(path.clone()),
        Named::Run(path) | Named::Sweep(path) => {
            let full = path.canonicalize().unwrap_or_else(|_| path.clone());
            full.parent().map(PathBuf::from)
        }
        _ => None,
    }
}
