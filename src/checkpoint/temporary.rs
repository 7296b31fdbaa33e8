//! Temporary files that exist now: who ends the process before they have their names can take them
//! away.

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use tempfile::{Builder, NamedTempFile};

static ALIVE: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

fn alive() -> MutexGuard<'static, BTreeSet<PathBuf>> {
    // A set of paths is whole whatever a thread died of.
    ALIVE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Keeps a temporary file on the list while it lives. A file that has its own name by then is
/// not found under the temporary one, and nothing happens to it.
#[derive(Debug)]
pub struct Listed(PathBuf);

impl Drop for Listed {
    fn drop(&mut self) {
        alive().remove(&self.0);
    }
}

/// Makes a temporary file in a folder.
pub fn temporary(builder: &Builder, folder: &Path) -> io::Result<(NamedTempFile, Listed)> {
    // The folder of the process may change.
    let folder = std::path::absolute(folder)?;
    let mut alive = alive();
    let file = builder.tempfile_in(folder)?;
    alive.insert(file.path().to_owned());
    let listed = Listed(file.path().to_owned());
    Ok((file, listed))
}

/// Removes all temporary files and then does something, which is to end the process: until it has
/// been done no other one is made.
pub fn remove_temporaries(then: impl FnOnce()) {
    let alive = alive();
    for path in &*alive {
        // Whether it could be removed or not: there is nobody left to tell.
        let _ = std::fs::remove_file(path);
    }
    then();
}
