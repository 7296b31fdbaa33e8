//! What lies in a folder, read on another thread: names first, then what each of them holds.

use crate::workbench::describe::{describe, is_whole};
use crate::workbench::task::{Task, TaskHandle};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Names the tasks that read folders.
pub const TASK: &str = "files";
/// Entries read of a folder at most.
const MOST: usize = 20_000;
/// Time between two parts of what entries hold.
const PART: Duration = Duration::from_millis(60);

/// An entry of a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// As shown; not every name is text.
    pub name: String,
    pub path: PathBuf,
    pub is_folder: bool,
    /// In bytes, of a file.
    pub size: Option<u64>,
    /// What it holds, once that is known.
    pub what: Option<What>,
}

/// What an entry holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct What {
    pub text: String,
    /// Whether a folder is opened as a whole.
    pub is_whole: bool,
}

/// A folder as far as it is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listing {
    pub folder: PathBuf,
    pub entries: Vec<Entry>,
    /// Why it could not be read, or not all of it.
    pub problem: Option<String>,
}

/// What entries of a folder hold, from one on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Described {
    pub folder: PathBuf,
    pub from: usize,
    pub whats: Vec<What>,
}

/// Reads a folder: its [`Listing`], then [`Described`] bit by bit.
pub fn read(folder: PathBuf) -> Task {
    let title = format!("reading {}", folder.display());
    Task::new(TASK, title, move |handle| {
        let listing = list(&folder);
        let entries = listing.entries.clone();
        handle.partial(listing);
        Ok(describe_all(folder, &entries, handle))
    })
}

fn list(folder: &Path) -> Listing {
    let empty = |problem| Listing { folder: folder.to_owned(), entries: Vec::new(), problem };
    let read = match std::fs::read_dir(folder) {
        Ok(read) => read,
        Err(error) => return empty(Some(format!("{}: {error}", folder.display()))),
    };
    let mut listing = empty(None);
    for found in read {
        if listing.entries.len() == MOST {
            let problem = format!("more than {MOST} entries: type the name of one that is missing");
            listing.problem = Some(problem);
            break;
        }
        let Ok(found) = found else { continue };
        let path = found.path();
        // Behind links too.
        let meta = path.metadata().ok();
        let is_folder = meta.as_ref().is_some_and(|meta| meta.is_dir());
        let name = found.file_name().to_string_lossy().into_owned();
        let size = meta.filter(|meta| meta.is_file()).map(|meta| meta.len());
        listing.entries.push(Entry { name, path, is_folder, size, what: None });
    }
    listing.entries.sort_by_cached_key(|entry| {
        (!entry.is_folder, entry.name.to_lowercase(), entry.name.clone())
    });
    listing
}

/// Looks into every entry; parts of the answer come as they are known.
fn describe_all(folder: PathBuf, entries: &[Entry], handle: &TaskHandle) -> Described {
    let mut part = Described { folder, from: 0, whats: Vec::new() };
    let mut begun = Instant::now();
    for entry in entries {
        if handle.cancelled() {
            break;
        }
        let text = describe(&entry.path);
        // Only what says something can be opened as a whole.
        let is_whole = entry.is_folder && !text.is_empty() && is_whole(&entry.path);
        part.whats.push(What { text, is_whole });
        if begun.elapsed() >= PART {
            handle.partial(part.clone());
            part.from += part.whats.len();
            part.whats.clear();
            begun = Instant::now();
        }
    }
    part
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// What a task tells first of a folder.
    pub fn list_of(folder: &Path) -> Listing {
        list(folder)
    }

    #[test]
    fn folders_come_first_and_names_are_sorted_as_people_do() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        for name in ["beta.mrg", "Alpha.mrg", ".hidden", "alpha.mrg"] {
            std::fs::write(folder.path().join(name), "(S (NN a))").expect("writes");
        }
        std::fs::create_dir(folder.path().join("zeta")).expect("makes");
        let listing = list(folder.path());
        let names: Vec<_> = listing.entries.iter().map(|entry| entry.name.as_str()).collect();
        assert_eq!(names, ["zeta", ".hidden", "Alpha.mrg", "alpha.mrg", "beta.mrg"]);
        assert_eq!((listing.entries[0].size, listing.entries[1].size), (None, Some(10)));
        let described = read(folder.path().to_owned()).run().expect("reads");
        let described = described.downcast::<Described>().expect("the last part");
        assert_eq!((described.from, described.whats.len()), (0, 5));
        assert_eq!(described.whats[4].text, "bracketed trees");
    }

    #[test]
    fn a_folder_that_cannot_be_read_says_why() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let gone = list(&folder.path().join("gone"));
        assert!(gone.problem.is_some_and(|problem| problem.contains("gone: ")));
    }
}
