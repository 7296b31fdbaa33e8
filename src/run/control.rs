//! `control.jsonl`: commands of other processes, one a line.

use super::{Command, RunError, RunFolder, Status, clock};
use crate::report::SCHEMA;
use serde::{Deserialize, Serialize};
use std::fs::{File, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::PathBuf;

#[derive(Debug, Serialize, Deserialize)]
struct Line {
    schema: u32,
    time: f64,
    #[serde(flatten)]
    command: Word,
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "command", rename_all = "kebab-case")]
enum Word {
    Pause,
    Resume,
    Stop,
    Checkpoint,
    LearningRate { value: f64 },
}

/// Sends a command to the process that works in a folder, on this machine or another.
/// [`Command::Snapshot`] cannot travel this way: read the checkpoint instead.
pub fn send_control(folder: &RunFolder, command: &Command) -> Result<(), RunError> {
    let command = match command {
        Command::Pause => Word::Pause,
        Command::Resume => Word::Resume,
        Command::Stop => Word::Stop,
        Command::Checkpoint => Word::Checkpoint,
        Command::LearningRate(value) => Word::LearningRate { value: *value },
        Command::Snapshot(_) => {
            return Err(RunError::Unsuitable("a snapshot stays within its process".into()));
        }
    };
    // A status that cannot be read is told as such.
    Status::read(folder)?;
    if !Status::is_at_work(folder) {
        return Err(RunError::NotRunning(folder.path().to_owned()));
    }
    let path = folder.control_path();
    let write = || {
        let mut line = serde_json::to_vec(&Line { schema: SCHEMA, time: clock::now(), command })?;
        line.push(b'\n');
        OpenOptions::new().create(true).append(true).open(&path)?.write_all(&line)
    };
    write().map_err(RunError::io(&path))
}

/// Reads what is appended from now on.
#[derive(Debug)]
pub(super) struct Control {
    path: PathBuf,
    offset: u64,
}

impl Control {
    /// Starts at the end: commands to an earlier session are not for this one.
    pub fn open(folder: &RunFolder) -> Control {
        let path = folder.control_path();
        let offset = std::fs::metadata(&path).map_or(0, |m| m.len());
        Control { path, offset }
    }

    /// New commands, and lines that are none.
    pub fn poll(&mut self) -> Vec<Result<Command, String>> {
        // A file that cannot be read now is tried again at the next poll.
        let Ok(bytes) = self.appended() else { return Vec::new() };
        let Some(end) = bytes.iter().rposition(|&b| b == b'\n') else { return Vec::new() };
        self.offset += end as u64 + 1;
        bytes[..end]
            .split(|&b| b == b'\n')
            .filter(|line| !line.trim_ascii().is_empty())
            .map(|line| match serde_json::from_slice::<Line>(line).map(|l| l.command) {
                Ok(Word::Pause) => Ok(Command::Pause),
                Ok(Word::Resume) => Ok(Command::Resume),
                Ok(Word::Stop) => Ok(Command::Stop),
                Ok(Word::Checkpoint) => Ok(Command::Checkpoint),
                Ok(Word::LearningRate { value }) => Ok(Command::LearningRate(value)),
                Err(e) => {
                    Err(format!("control.jsonl: {e} in `{:.80}`", String::from_utf8_lossy(line)))
                }
            })
            .collect()
    }

    fn appended(&mut self) -> std::io::Result<Vec<u8>> {
        let mut file = File::open(&self.path)?;
        if file.metadata()?.len() < self.offset {
            self.offset = 0;
        }
        file.seek(SeekFrom::Start(self.offset))?;
        let mut bytes = Vec::new();
        file.take(1 << 16).read_to_end(&mut bytes)?;
        Ok(bytes)
    }
}
