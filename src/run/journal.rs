//! `events.jsonl`: one event a line, appended, read back with torn and foreign lines left out.

use super::RunError;
use crate::report::{Event, SCHEMA};
use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// Appends events; remembers whether the last line is whole.
#[derive(Debug)]
pub struct Journal {
    path: PathBuf,
    file: File,
    torn: bool,
}

impl Journal {
    /// Opens for appending and gives the sequence number of the next event.
    pub fn open(path: &Path) -> Result<(Journal, u64), RunError> {
        let file = OpenOptions::new().create(true).append(true).read(true).open(path);
        let mut file = file.map_err(RunError::io(path))?;
        let (next, torn) = end_of(&mut file).map_err(RunError::io(path))?;
        Ok((Journal { path: path.to_owned(), file, torn }, next))
    }

    /// Writes one event as one line with one call, so that readers see it whole or torn at the end.
    pub fn append(&mut self, event: &Event) -> Result<(), RunError> {
        let mut line = Vec::with_capacity(512);
        if self.torn {
            line.push(b'\n');
        }
        serde_json::to_writer(&mut line, event)
            .map_err(|e| RunError::Io { path: self.path.clone(), source: e.into() })?;
        line.push(b'\n');
        self.torn = true;
        self.file.write_all(&line).map_err(RunError::io(&self.path))?;
        self.torn = false;
        Ok(())
    }
}

/// Sequence number after the last readable event, and whether the last line lacks its end.
fn end_of(file: &mut File) -> std::io::Result<(u64, bool)> {
    let length = file.seek(SeekFrom::End(0))?;
    let mut window = 1 << 16;
    loop {
        let start = length.saturating_sub(window);
        file.seek(SeekFrom::Start(start))?;
        let mut tail = Vec::new();
        file.take(window).read_to_end(&mut tail)?;
        let torn = tail.last().is_some_and(|&b| b != b'\n');
        let last = tail.split(|&b| b == b'\n').rev().find_map(sequence_number);
        match last {
            Some(seq) => return Ok((seq + 1, torn)),
            None if start == 0 => return Ok((0, torn)),
            None => window *= 16,
        }
    }
}

fn sequence_number(line: &[u8]) -> Option<u64> {
    #[derive(serde::Deserialize)]
    struct Numbered {
        seq: u64,
    }
    serde_json::from_slice::<Numbered>(line).ok().map(|n| n.seq)
}

/// One line as an event; `None` for an unreadable one, an error for a newer schema.
pub fn parse(path: &Path, line: &[u8]) -> Result<Option<Event>, RunError> {
    #[derive(serde::Deserialize)]
    struct Versioned {
        schema: u32,
    }
    match serde_json::from_slice::<Event>(line) {
        Ok(event) if event.schema <= SCHEMA => Ok(Some(event)),
        Ok(event) => Err(newer(path, event.schema)),
        Err(_) => match serde_json::from_slice::<Versioned>(line) {
            Ok(v) if v.schema > SCHEMA => Err(newer(path, v.schema)),
            _ => Ok(None),
        },
    }
}

fn newer(path: &Path, found: u32) -> RunError {
    RunError::Newer { path: path.to_owned(), found, known: SCHEMA }
}

/// All events of a file; a missing file has none.
pub fn read_all(path: &Path) -> Result<Vec<Event>, RunError> {
    let file = match File::open(path) {
        Ok(file) => file,
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(e) => return Err(RunError::io(path)(e)),
    };
    let mut events = Vec::new();
    for line in BufReader::new(file).split(b'\n') {
        events.extend(parse(path, &line.map_err(RunError::io(path))?)?);
    }
    Ok(events)
}
