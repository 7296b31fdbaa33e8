//! `events.jsonl`: one event a line, appended, read back with torn and foreign lines left out.

use super::RunError;
use crate::report::{Event, EventKind, Metrics, SCHEMA, numbers};
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

/// A step as its line has it. A long history is nearly all steps, and to read them flat takes
/// about half the time of the general form, which looks at every field twice (release build,
/// 100,000 steps: 0.39 s against 0.71 s).
#[derive(serde::Deserialize)]
struct StepLine {
    schema: u32,
    seq: u64,
    time: f64,
    elapsed: f64,
    step: u64,
    epoch: u64,
    #[serde(with = "numbers")]
    loss: f64,
    tokens: u64,
    #[serde(default)]
    sentences: Option<u64>,
    #[serde(with = "numbers")]
    learning_rate: f64,
    #[serde(with = "numbers")]
    gradient_norm: f64,
    seconds: Metrics,
    #[serde(default)]
    steps_per_epoch: u64,
    #[serde(default)]
    total_steps: u64,
}

/// A line that is a step, in the form that [`Journal::append`] gives it.
fn parse_step(line: &[u8]) -> Option<Event> {
    const STEP: &[u8] = b"\"type\":\"step\"";
    // The type comes right after the four numbers that every event has.
    let head = line.get(..160).unwrap_or(line);
    if !head.windows(STEP.len()).any(|w| w == STEP) {
        return None;
    }
    let l: StepLine = serde_json::from_slice(line).ok()?;
    Some(Event {
        schema: l.schema,
        seq: l.seq,
        time: l.time,
        elapsed: l.elapsed,
        kind: EventKind::Step {
            step: l.step,
            epoch: l.epoch,
            loss: l.loss,
            tokens: l.tokens,
            sentences: l.sentences,
            learning_rate: l.learning_rate,
            gradient_norm: l.gradient_norm,
            seconds: l.seconds,
            steps_per_epoch: l.steps_per_epoch,
            total_steps: l.total_steps,
        },
    })
}

/// One line as an event; `None` for an unreadable one, an error for a newer schema.
pub fn parse(path: &Path, line: &[u8]) -> Result<Option<Event>, RunError> {
    #[derive(serde::Deserialize)]
    struct Versioned {
        schema: u32,
    }
    if let Some(event) = parse_step(line).filter(|e| e.schema <= SCHEMA) {
        return Ok(Some(event));
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::Level;
    use crate::run::{Follower, RunFolder};

    fn message(seq: u64) -> Event {
        let kind = EventKind::Message { level: Level::Info, text: format!("number {seq}") };
        Event { schema: SCHEMA, seq, time: 1.0, elapsed: 1.0, kind }
    }

    fn folder(base: &Path) -> RunFolder {
        RunFolder::create(base, &crate::config::Config::default()).expect("creates")
    }

    #[test]
    fn numbering_goes_on_behind_a_torn_line_which_is_left_out() {
        let base = tempfile::tempdir().expect("temporary folder");
        let folder = folder(base.path());
        let path = folder.events_path();
        let (mut journal, next) = Journal::open(&path).expect("opens");
        assert_eq!(next, 0);
        for seq in 0..3 {
            journal.append(&message(seq)).expect("appends");
        }
        let bytes = std::fs::read(&path).expect("reads");
        // The process died while it wrote the third event.
        std::fs::write(&path, &bytes[..bytes.len() - 10]).expect("writes");
        let (mut journal, next) = Journal::open(&path).expect("opens");
        assert_eq!(next, 2);
        journal.append(&message(2)).expect("appends");
        let events = folder.events().expect("reads");
        assert_eq!(events, [message(0), message(1), message(2)]);
    }

    #[test]
    fn the_last_number_is_found_behind_long_lines() {
        let base = tempfile::tempdir().expect("temporary folder");
        let path = folder(base.path()).events_path();
        let (mut journal, _) = Journal::open(&path).expect("opens");
        journal.append(&message(41)).expect("appends");
        let mut long = std::fs::read(&path).expect("reads");
        long.extend(std::iter::repeat_n(b'x', 200_000));
        std::fs::write(&path, long).expect("writes");
        assert_eq!(Journal::open(&path).expect("opens").1, 42);
    }

    #[test]
    fn a_follower_waits_for_the_end_of_a_torn_line() {
        let base = tempfile::tempdir().expect("temporary folder");
        let folder = folder(base.path());
        let mut follower = Follower::new(&folder);
        assert!(follower.poll().expect("no file yet").is_empty());
        let line = serde_json::to_string(&message(0)).expect("writes") + "\n";
        let (head, tail) = line.split_at(25);
        std::fs::write(folder.events_path(), head).expect("writes");
        assert!(follower.poll().expect("torn").is_empty());
        let mut file = OpenOptions::new().append(true).open(folder.events_path()).expect("opens");
        file.write_all(tail.as_bytes()).expect("writes");
        assert_eq!(follower.poll().expect("whole"), [message(0)]);
        file.write_all(b"no event\n").expect("writes");
        assert!(follower.poll().expect("left out").is_empty());
        file.write_all(serde_json::to_string(&message(1)).expect("writes").as_bytes())
            .and_then(|()| file.write_all(b"\n"))
            .expect("writes");
        assert_eq!(follower.poll().expect("goes on"), [message(1)]);
    }

    #[test]
    fn steps_read_by_the_short_way_equal_those_of_the_general_one() {
        // The first is as early files have it.
        for (loss, seq) in [(0.1 + 0.2, 0), (f64::NAN, u64::MAX), (f64::NEG_INFINITY, 7)] {
            let kind = EventKind::Step {
                step: 3,
                epoch: 1,
                loss,
                tokens: 32,
                sentences: (seq > 0).then_some(2),
                learning_rate: 1e-300,
                gradient_norm: f64::INFINITY,
                seconds: [("network", 0.25), ("total", f64::NAN)].into_iter().collect(),
                steps_per_epoch: 10,
                total_steps: 100,
            };
            let event = Event { schema: SCHEMA, seq, time: 1.7e9 + 0.1, elapsed: 1e-7, kind };
            let line = serde_json::to_string(&event).expect("writes");
            let short = parse_step(line.as_bytes()).expect("a step");
            let general: Event = serde_json::from_str(&line).expect("reads");
            assert_eq!(format!("{short:?}"), format!("{general:?}"));
            assert_eq!(format!("{short:?}"), format!("{event:?}"));
        }
        let other = serde_json::to_string(&message(1)).expect("writes");
        assert!(parse_step(other.as_bytes()).is_none());
    }

    #[test]
    fn a_newer_schema_is_refused_with_a_sentence() {
        let line = br#"{"schema":99,"seq":0,"type":"hologram"}"#;
        let error = parse(Path::new("events.jsonl"), line).expect_err("newer").to_string();
        assert!(error.contains("schema 99") && error.contains("newer rankspace"), "{error}");
    }

    #[test]
    fn a_full_disk_is_an_error_and_the_next_line_starts_afresh() {
        let (mut journal, _) = Journal::open(Path::new("/dev/full")).expect("opens");
        let error = journal.append(&message(0)).expect_err("full").to_string();
        assert!(error.contains("/dev/full"), "{error}");
        assert!(journal.torn);
    }
}
