use super::clock::Stopwatch;
use super::heart::SharedStatus;
use super::journal::Journal;
use super::{BestFigures, RunFolder, clock};
use crate::report::{Event, EventKind, Level, Reporter, RunState, SCHEMA, counted};
use crossbeam_channel::Sender;

/// Events that may wait unread in the channel before further steps are left out of it; the
/// folder always has them.
const WAITING: usize = 100_000;

/// A job's reporter: numbers events, appends them to the folder, sends them to listeners and
/// keeps the status.
#[derive(Debug)]
pub struct Reports {
    folder: RunFolder,
    journal: Journal,
    next_seq: u64,
    channel: Sender<Event>,
    pub status: SharedStatus,
    pub stopwatch: Stopwatch,
    /// Events that could not be appended since the last one that could.
    lost: u64,
}

impl Reports {
    pub fn new(
        folder: RunFolder,
        (journal, next_seq): (Journal, u64),
        channel: Sender<Event>,
        status: SharedStatus,
    ) -> Reports {
        let stopwatch = Stopwatch::start(0.0);
        Reports { folder, journal, next_seq, channel, status, stopwatch, lost: 0 }
    }

    /// Says where the run stands, in the status first: who hears of it finds it there.
    pub fn state(&mut self, state: RunState, step: u64, resumed: bool, reason: Option<String>) {
        {
            let mut status = self.status.lock();
            status.state = state;
            status.step = step;
            status.reason.clone_from(&reason);
            status.elapsed = self.stopwatch.seconds();
            status.heartbeat = clock::now();
            // A failure here is that of the journal below, which is reported.
            let _ = status.write(&self.folder);
        }
        self.report(EventKind::State { state, step, resumed, reason });
    }

    fn emit(&mut self, kind: EventKind) -> Result<(), String> {
        let elapsed = self.stopwatch.seconds();
        let event = Event { schema: SCHEMA, seq: self.next_seq, time: clock::now(), elapsed, kind };
        self.next_seq += 1;
        let written = self.journal.append(&event).map_err(|e| e.to_string());
        let skip = matches!(event.kind, EventKind::Step { .. }) && self.channel.len() > WAITING;
        if !skip {
            // Nobody need listen.
            let _ = self.channel.send(event);
        }
        written
    }

    fn note_status(&self, kind: &EventKind) {
        let mut status = self.status.lock();
        status.elapsed = self.stopwatch.seconds();
        match kind {
            EventKind::Step { step, epoch, loss, total_steps, .. } => {
                (status.step, status.epoch) = (*step, *epoch);
                (status.loss, status.total_steps) = (Some(*loss), *total_steps);
            }
            EventKind::Evaluation { split, metrics, .. } if split == "dev" => {
                status.dev = Some(metrics.clone());
            }
            EventKind::Round { round, .. } => status.step = *round,
            _ => {}
        }
    }

    /// How many steps, or rounds, there are to be.
    pub fn planned(&self, steps: u64) {
        self.status.lock().total_steps = steps;
    }

    pub fn best(&self, best: BestFigures) {
        self.status.lock().best = Some(best);
    }
}

impl Reporter for Reports {
    fn report(&mut self, event: EventKind) {
        self.note_status(&event);
        match self.emit(event) {
            Err(reason) => {
                self.lost += 1;
                if self.lost == 1 {
                    let text = format!("events are not written: {reason}; the run goes on");
                    // It cannot be written either, but whoever listens hears it.
                    let _ = self.emit(EventKind::Message { level: Level::Error, text });
                }
            }
            Ok(()) if self.lost > 0 => {
                let text = format!(
                    "missing, for they could not be written: {}",
                    counted(self.lost, "event")
                );
                self.lost = 0;
                let _ = self.emit(EventKind::Message { level: Level::Warning, text });
            }
            Ok(()) => {}
        }
    }
}
