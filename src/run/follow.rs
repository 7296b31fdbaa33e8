use super::{RunError, RunFolder, is_change, journal};
use crate::report::{Event, counted};
use crossbeam_channel::{Receiver, Sender, bounded, select, unbounded};
use notify::{RecursiveMode, Watcher};
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::PathBuf;
use std::time::Duration;

/// Bytes read at once, so that a long history arrives in pieces.
const PIECE: u64 = 1 << 20;

/// How often the file is looked at without being told: network disks do not tell of other
/// machines' writes.
const POLL: Duration = Duration::from_millis(500);

/// Reads a run's events from its folder as they are written, from the first one on.
#[derive(Debug)]
pub struct Follower {
    path: PathBuf,
    offset: u64,
    /// The start of a line whose end is not written yet.
    partial: Vec<u8>,
    /// Whole lines so far.
    lines: u64,
    unreadable: Unreadable,
}

/// Whole lines that are no events, since somebody asked.
#[derive(Clone, Copy, Debug, Default)]
struct Unreadable {
    first: u64,
    count: usize,
}

impl Unreadable {
    fn add(&mut self, line: u64) {
        if self.count == 0 {
            self.first = line;
        }
        self.count += 1;
    }
}

impl Follower {
    /// At the beginning of the run's events.
    pub fn new(folder: &RunFolder) -> Follower {
        Follower {
            path: folder.events_path(),
            offset: 0,
            partial: Vec::new(),
            lines: 0,
            unreadable: Unreadable::default(),
        }
    }

    /// Events that were completed since the last call, at most about 1 MB of them: call until it
    /// gives none. A torn last line is waited for; an unreadable one is left out, see
    /// [`Follower::complaint`].
    pub fn poll(&mut self) -> Result<Vec<Event>, RunError> {
        let mut events = Vec::new();
        // A piece may hold no end of a line, or only unreadable ones.
        while events.is_empty() {
            let piece = match self.piece() {
                Err(e) if e.kind() == std::io::ErrorKind::NotFound => break,
                other => other.map_err(RunError::io(&self.path))?,
            };
            if piece.is_empty() {
                break;
            }
            self.offset += piece.len() as u64;
            self.partial.extend_from_slice(&piece);
            let Some(end) = self.partial.iter().rposition(|&b| b == b'\n') else { continue };
            let rest = self.partial.split_off(end + 1);
            let lines = std::mem::replace(&mut self.partial, rest);
            for line in lines.split_inclusive(|&b| b == b'\n') {
                self.lines += 1;
                let line = line.trim_ascii_end();
                if line.is_empty() {
                    continue;
                }
                match journal::parse(&self.path, line)? {
                    Some(event) => events.push(event),
                    None => self.unreadable.add(self.lines),
                }
            }
        }
        Ok(events)
    }

    /// What was left out since the last call, in a sentence.
    pub fn complaint(&mut self) -> Option<String> {
        let Unreadable { first, count } = std::mem::take(&mut self.unreadable);
        let more = match count {
            0 => return None,
            1 => String::new(),
            _ => format!(", and {} behind it", counted(count - 1, "line")),
        };
        let path = self.path.display();
        Some(format!("{path}:{first}: no event that can be read{more}; left out"))
    }

    fn piece(&mut self) -> std::io::Result<Vec<u8>> {
        let mut file = File::open(&self.path)?;
        if file.metadata()?.len() < self.offset {
            // Another file in its place (copied back, edited): its events are numbered, so
            // those that were seen count once.
            self.offset = 0;
            self.partial.clear();
            self.lines = 0;
        }
        file.seek(SeekFrom::Start(self.offset))?;
        let mut piece = Vec::new();
        file.take(PIECE).read_to_end(&mut piece)?;
        Ok(piece)
    }

    /// Follows on a thread of its own.
    pub fn spawn(self) -> Following {
        let (events_out, events) = unbounded();
        let (alive, dropped) = bounded(0);
        let (failed, problem) = bounded(1);
        let (complaints_out, complaints) = unbounded();
        std::thread::spawn(move || {
            if let Err(e) = self.follow(&events_out, &complaints_out, &dropped) {
                let _ = failed.send(e);
            }
        });
        Following { events, complaints, problem, _alive: alive }
    }

    /// Until nobody listens.
    fn follow(
        mut self,
        out: &Sender<Event>,
        complaints: &Sender<String>,
        dropped: &Receiver<()>,
    ) -> Result<(), RunError> {
        let (changed_in, changed) = bounded(1);
        // One pending wake-up is enough. Where watching is impossible, polling remains.
        let watcher = notify::recommended_watcher(move |told: notify::Result<notify::Event>| {
            if is_change(&told) {
                let _ = changed_in.try_send(());
            }
        });
        let folder = self.path.parent().map(PathBuf::from).unwrap_or_default();
        let _watcher = watcher.ok().and_then(|mut watcher| {
            watcher.watch(&folder, RecursiveMode::NonRecursive).ok().map(|()| watcher)
        });
        loop {
            let events = self.poll()?;
            if let Some(complaint) = self.complaint() {
                let _ = complaints.send(complaint);
            }
            if events.is_empty() {
                select! {
                    recv(changed) -> message => if message.is_err() {
                        // No watcher: the channel is closed, so wait on the clock alone.
                        if dropped.recv_timeout(POLL) == Err(crossbeam_channel::RecvTimeoutError::Disconnected) {
                            return Ok(());
                        }
                    },
                    recv(dropped) -> _ => return Ok(()),
                    default(POLL) => {}
                }
            }
            for event in events {
                if out.send(event).is_err() {
                    return Ok(());
                }
            }
        }
    }
}

/// Events of a followed run; following ends when this is dropped.
#[derive(Debug)]
pub struct Following {
    events: Receiver<Event>,
    complaints: Receiver<String>,
    problem: Receiver<RunError>,
    _alive: Sender<()>,
}

impl Following {
    pub fn events(&self) -> &Receiver<Event> {
        &self.events
    }

    /// What was left out of the events, a sentence each time.
    pub fn complaints(&self) -> &Receiver<String> {
        &self.complaints
    }

    /// Why following ended, if it did (the channel of events is closed then).
    pub fn problem(&self) -> Option<RunError> {
        self.problem.try_recv().ok()
    }
}
