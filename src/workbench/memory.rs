//! What the workbench remembers from one start to the next: how things were shown, and which files
//! were opened.
//!
//! One small file in the user's state directory. It is a convenience: a file that cannot be read is
//! told and set aside, one of a newer version is left alone, and where none can be written nothing
//! is lost.

use super::message::Message;
use super::names::ScreenId;
use super::panes::Panes;
use super::theme::ThemeName;
use crate::checkpoint::write_atomically;
use crate::report::Level;
use crossbeam_channel::{Sender, unbounded};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::thread::JoinHandle;

/// Version of the file.
const SCHEMA: u32 = 1;
/// Files remembered.
const RECENT: usize = 20;

/// What a screen shows and how, by names that stay.
pub type Choices = BTreeMap<String, String>;

/// What is remembered.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Memory {
    /// The screen that was in view.
    pub screen: Option<ScreenId>,
    /// The theme that was chosen by key.
    pub theme: Option<ThemeName>,
    /// Whether the mouse was taken.
    pub mouse: Option<bool>,
    pub panes: Panes,
    /// By the names of the screens.
    pub choices: BTreeMap<String, Choices>,
    /// What was opened, the newest first.
    pub recent: Vec<Recent>,
}

/// Something that was opened.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Recent {
    pub path: PathBuf,
    /// What it was, in a few words.
    pub what: String,
}

impl Memory {
    /// Puts an opened file before all others.
    pub fn note(&mut self, path: &Path, what: &str) {
        let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        self.recent.retain(|recent| recent.path != path);
        self.recent.insert(0, Recent { path, what: what.to_owned() });
        self.recent.truncate(RECENT);
    }

    /// Adds files that another workbench opened.
    fn merge(&mut self, others: Vec<Recent>) {
        let new = |other: &Recent| self.recent.iter().all(|recent| recent.path != other.path);
        let others: Vec<Recent> = others.into_iter().filter(new).collect();
        self.recent.extend(others);
        self.recent.truncate(RECENT);
    }
}

/// The file.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default)]
struct Stored {
    schema: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    screen: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    theme: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    mouse: Option<bool>,
    panes: BTreeMap<String, f32>,
    choices: BTreeMap<String, Choices>,
    recent: Vec<Recent>,
}

impl Stored {
    fn of(memory: &Memory) -> Stored {
        // TOML has no place for names of files that are no text.
        let recent = memory.recent.iter().filter(|recent| recent.path.to_str().is_some());
        Stored {
            schema: SCHEMA,
            screen: memory.screen.map(|screen| screen.title().to_lowercase()),
            theme: memory.theme.map(|theme| theme.name().to_owned()),
            mouse: memory.mouse,
            panes: memory.panes.iter().map(|(name, share)| (name.to_owned(), share)).collect(),
            choices: memory.choices.clone(),
            recent: recent.cloned().collect(),
        }
    }

    /// What this version knows of it.
    fn memory(self) -> Memory {
        let named =
            |name: &String| ScreenId::ALL.into_iter().find(|s| s.title().to_lowercase() == *name);
        let mut panes = Panes::default();
        for (name, share) in &self.panes {
            panes.set(name, *share);
        }
        Memory {
            screen: self.screen.as_ref().and_then(named),
            theme: self.theme.as_deref().and_then(ThemeName::parse),
            mouse: self.mouse,
            panes,
            choices: self.choices,
            recent: self.recent,
        }
    }
}

/// What came of reading the file.
#[derive(Debug, Default, PartialEq)]
pub struct Remembered {
    pub memory: Memory,
    /// What is wrong with the file.
    pub note: Option<String>,
    /// Whether it may be written anew.
    pub writable: bool,
}

/// Reads what was remembered; never fails.
pub fn read(path: &Path) -> Remembered {
    let text = match std::fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            return Remembered { writable: true, ..Remembered::default() };
        }
        Err(error) => {
            let note = format!("{}: {error}; nothing is remembered", path.display());
            return Remembered { note: Some(note), ..Remembered::default() };
        }
    };
    match toml::from_str::<Stored>(&text) {
        Ok(stored) if stored.schema > SCHEMA => {
            let note = format!(
                "{} was written by a newer rankspace (schema {}, this one knows {SCHEMA}): it is \
                 left as it is, and nothing is remembered",
                path.display(),
                stored.schema
            );
            Remembered { note: Some(note), ..Remembered::default() }
        }
        Ok(stored) => Remembered { memory: stored.memory(), note: None, writable: true },
        Err(error) => {
            let line = error.span().map_or(1, |span| {
                text.get(..span.start).unwrap_or_default().matches('\n').count() + 1
            });
            let aside = aside(path);
            let kept = match std::fs::rename(path, &aside) {
                Ok(()) => format!("it was set aside as {}", aside.display()),
                Err(error) => format!("it could not be set aside: {error}"),
            };
            let note = format!(
                "{}:{line}: {}; {kept}, and the workbench begins as at its first start",
                path.display(),
                error.message()
            );
            let writable = !path.exists();
            Remembered { note: Some(note), writable, ..Remembered::default() }
        }
    }
}

/// Where a damaged file goes: beside it, under the first name that is free.
fn aside(path: &Path) -> PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let numbered = |n: u32| match n {
        1 => path.with_file_name(format!("{name}.damaged")),
        n => path.with_file_name(format!("{name}.damaged-{n}")),
    };
    (1..).map(numbered).find(|path| !path.exists()).unwrap_or_else(|| numbered(1))
}

/// Writes what is to be remembered, on a thread of its own: home folders can be slow.
pub struct Keeper {
    sender: Option<Sender<Memory>>,
    thread: Option<JoinHandle<()>>,
}

impl Keeper {
    /// Writes to that file from now on; `messages` hears once if it cannot.
    pub fn spawn(path: PathBuf, messages: Sender<Message>) -> std::io::Result<Keeper> {
        let (sender, memories) = unbounded::<Memory>();
        let thread = std::thread::Builder::new().name("memory".into()).spawn(move || {
            let mut told = false;
            while let Ok(first) = memories.recv() {
                // Only the newest matters.
                let memory = memories.try_iter().last().unwrap_or(first);
                if let Err(error) = write(&path, memory)
                    && !std::mem::replace(&mut told, true)
                {
                    let text =
                        format!("what you choose is not remembered: {}: {error}", path.display());
                    // Nobody listening means that the workbench is closing.
                    let _ = messages.send(Message::Log(Level::Warning, text));
                }
            }
        })?;
        Ok(Keeper { sender: Some(sender), thread: Some(thread) })
    }

    /// Remembers this from now on.
    pub fn keep(&self, memory: Memory) {
        if let Some(sender) = &self.sender {
            // The thread ends with this value, not before.
            let _ = sender.send(memory);
        }
    }
}

impl Drop for Keeper {
    /// Waits until the last word is written.
    fn drop(&mut self) {
        self.sender = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn write(path: &Path, mut memory: Memory) -> std::io::Result<()> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)?;
    }
    let there = std::fs::read_to_string(path).ok();
    let there = there.and_then(|text| toml::from_str::<Stored>(&text).ok());
    memory.merge(there.map(|stored| stored.recent).unwrap_or_default());
    let text = toml::to_string(&Stored::of(&memory)).map_err(std::io::Error::other)?;
    write_atomically(path, text.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn memory() -> Memory {
        let mut memory = Memory {
            screen: Some(ScreenId::Grammar),
            theme: Some(ThemeName::SafeLight),
            mouse: Some(false),
            ..Memory::default()
        };
        memory.panes.set("grammar.list", 0.25);
        let choices = Choices::from([("smoothing".into(), "0.9".into())]);
        memory.choices.insert("train".into(), choices);
        memory.note(Path::new("/data/own.mrg"), "treebank");
        memory
    }

    #[test]
    fn what_was_written_is_read_back() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("not/there/yet/state.toml");
        let (sender, messages) = unbounded();
        let keeper = Keeper::spawn(path.clone(), sender).expect("a thread");
        keeper.keep(Memory::default());
        keeper.keep(memory());
        drop(keeper);
        let read = read(&path);
        assert_eq!(read, Remembered { memory: memory(), note: None, writable: true });
        assert!(messages.try_recv().is_err());
        let left = std::fs::read_dir(path.parent().expect("a folder")).expect("readable").count();
        assert_eq!(left, 1, "no temporary file stays");
    }

    #[test]
    fn a_damaged_file_is_a_note_and_is_kept() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("state.toml");
        for name in ["state.toml.damaged", "state.toml.damaged-2"] {
            std::fs::write(&path, "schema = 1\nscreen = \"gram").expect("writes");
            let read = read(&path);
            assert_eq!((read.memory, read.writable), (Memory::default(), true));
            let note = read.note.expect("a note");
            assert!(note.contains("state.toml:2:") && note.contains(name), "{note}");
            let kept = std::fs::read_to_string(folder.path().join(name)).expect("kept");
            assert!(kept.ends_with("gram"));
        }
        std::fs::write(&path, [0xff, 0xfe]).expect("writes");
        assert!(read(&path).note.is_some_and(|note| note.contains("nothing is remembered")));
    }

    #[test]
    fn a_newer_file_is_left_alone_and_unknown_names_are_no_fault() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("state.toml");
        std::fs::write(&path, "schema = 2\nscreens = 3\n").expect("writes");
        let newer = read(&path);
        assert!(!newer.writable && newer.note.is_some_and(|note| note.contains("newer rankspace")));
        let text = "schema = 1\nscreen = \"tables\"\ntheme = \"sepia\"\n[panes]\nlist = 7.0\n";
        std::fs::write(&path, text).expect("writes");
        let odd = read(&path);
        assert_eq!(odd, Remembered { writable: true, ..Remembered::default() });
    }

    #[test]
    fn where_nothing_can_be_written_it_is_said_once() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let file = folder.path().join("file");
        std::fs::write(&file, "").expect("writes");
        let (sender, messages) = unbounded();
        let keeper = Keeper::spawn(file.join("state.toml"), sender).expect("a thread");
        keeper.keep(memory());
        let said = messages.recv_timeout(std::time::Duration::from_secs(20)).expect("a word");
        let Message::Log(Level::Warning, text) = said else { panic!("{said:?}") };
        assert!(text.contains("not remembered"), "{text}");
        keeper.keep(Memory::default());
        drop(keeper);
        assert!(messages.try_recv().is_err(), "once is enough");
    }

    #[test]
    fn files_of_two_workbenches_are_both_remembered_newest_first() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("state.toml");
        write(&path, memory()).expect("writes");
        let mut other = Memory::default();
        for i in 0..RECENT + 3 {
            other.note(&PathBuf::from(format!("/data/{i}.mrg")), "treebank");
        }
        assert_eq!(other.recent.len(), RECENT);
        other.recent.truncate(2);
        other.note(Path::new("/data/21.mrg"), "text");
        write(&path, other).expect("writes");
        let recent: Vec<_> = read(&path).memory.recent;
        let names: Vec<_> = recent.iter().map(|r| r.path.display().to_string()).collect();
        assert_eq!(names, ["/data/21.mrg", "/data/22.mrg", "/data/own.mrg"]);
        assert_eq!(recent[0].what, "text");
    }
}
