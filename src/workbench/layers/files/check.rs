//! Whether what was chosen can be opened, before the choice is an answer.

use crate::config::Config;
use crate::run::Job;
use crate::workbench::popup::Wanted;
use crate::workbench::start::Named;
use crate::workbench::task::Task;
use std::path::{Path, PathBuf};

/// Names the tasks that look into what was chosen.
pub const CHECK: &str = "file-check";

/// Fails with what is wrong with a path.
pub fn look(wanted: Wanted, path: PathBuf) -> Task {
    let title = format!("looking at {}", path.display());
    Task::new(CHECK, title, move |_| check(wanted, &path))
}

fn check(wanted: Wanted, path: &Path) -> Result<(), String> {
    path.metadata().map_err(|e| format!("{}: {e}", path.display()))?;
    match wanted {
        Wanted::Anything => Named::all(path).map(drop),
        // The screen reads all of it, and says what is wrong where.
        Wanted::Lists => Ok(()),
        Wanted::Config => {
            let config = Config::read(path, &[]).map_err(|e| e.to_string())?;
            Job::check(&config).map_err(|e| e.to_string())
        }
    }
}
