//! The helper thread of a job: signs of life, and commands of other processes.

use super::control::Control;
use super::{Command, Holder, Lock, RunFolder, Status, clock};
use crossbeam_channel::{Receiver, RecvTimeoutError, Sender, bounded, unbounded};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// How often commands of other processes are looked for.
const LISTEN: Duration = Duration::from_millis(200);

/// How often the run gives a sign of life.
const BEAT: Duration = Duration::from_secs(1);

/// What the helper thread found out.
#[derive(Debug)]
pub enum Notice {
    /// Somebody else holds the lock now.
    TakenOver(Holder),
    /// A line of the control file that is no command.
    Unreadable(String),
}

/// The status as both threads share it.
#[derive(Clone, Debug)]
pub struct SharedStatus(Arc<Mutex<Status>>);

impl SharedStatus {
    pub fn new(status: Status) -> SharedStatus {
        SharedStatus(Arc::new(Mutex::new(status)))
    }

    /// A panic elsewhere leaves nothing half done in a status.
    pub fn lock(&self) -> MutexGuard<'_, Status> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The running helper thread; it ends, and the lock is released, when this is dropped.
#[derive(Debug)]
pub struct Heart {
    pub notices: Receiver<Notice>,
    stop: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Heart {
    pub fn start(
        folder: RunFolder,
        lock: Lock,
        status: SharedStatus,
        commands: Sender<Command>,
    ) -> std::io::Result<Heart> {
        let (stop, stopped) = bounded(0);
        let (notices_out, notices) = unbounded();
        let control = Control::open(&folder);
        let thread = std::thread::Builder::new().name("heart".into()).spawn(move || {
            beat(&folder, lock, control, &status, &commands, &notices_out, &stopped);
        })?;
        Ok(Heart { notices, stop: Some(stop), thread: Some(thread) })
    }
}

impl Drop for Heart {
    fn drop(&mut self) {
        self.stop.take();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn beat(
    folder: &RunFolder,
    mut lock: Lock,
    mut control: Control,
    status: &SharedStatus,
    commands: &Sender<Command>,
    notices: &Sender<Notice>,
    stopped: &Receiver<()>,
) {
    let mut last_beat = Instant::now();
    while stopped.recv_timeout(LISTEN) == Err(RecvTimeoutError::Timeout) {
        for command in control.poll() {
            // The job may have ended a moment ago; then nobody is left to hear.
            let _ = match command {
                Ok(command) => commands.send(command).is_ok(),
                Err(text) => notices.send(Notice::Unreadable(text)).is_ok(),
            };
        }
        if last_beat.elapsed() < BEAT {
            continue;
        }
        last_beat = Instant::now();
        if let Some(holder) = lock.usurper() {
            let _ = notices.send(Notice::TakenOver(holder));
            return;
        }
        // A full disk or a folder that is gone shows itself where it matters, at the next
        // event or checkpoint.
        let _ = lock.beat();
        let mut status = status.lock();
        status.heartbeat = clock::now();
        let _ = status.write(folder);
    }
}
