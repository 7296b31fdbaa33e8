//! Whether a process of another machine lives. Its clock may be wrong, or ours: what decides is
//! whether its heartbeat changes while it is watched, and only at first sight the clocks.

use super::clock;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Silence after which a process of another machine counts as gone.
pub(super) const SILENCE: Duration = Duration::from_secs(60);

/// How long is listened for a heartbeat that is old by this machine's clock: three beats.
#[cfg(not(test))]
const PATIENCE: Duration = Duration::from_secs(3);
#[cfg(test)]
const PATIENCE: Duration = Duration::from_millis(300);

/// Between two looks at a file that is listened to.
const LOOK: Duration = Duration::from_millis(50);

/// What this process has heard of a file's heartbeats.
#[derive(Clone, Copy, Debug)]
struct Pulse {
    heartbeat: f64,
    /// When it was first looked at.
    first: Instant,
    /// When it was last seen to be another one.
    changed: Option<Instant>,
}

static HEARD: Mutex<BTreeMap<PathBuf, Pulse>> = Mutex::new(BTreeMap::new());

/// Notes the heartbeat that stands in a file now.
fn hear(file: &Path, heartbeat: f64) -> Pulse {
    let mut heard = HEARD.lock().unwrap_or_else(PoisonError::into_inner);
    let now = Instant::now();
    let first = || Pulse { heartbeat, first: now, changed: None };
    let pulse = heard.entry(file.to_owned()).or_insert_with(first);
    if pulse.heartbeat != heartbeat {
        (pulse.heartbeat, pulse.changed) = (heartbeat, Some(now));
    }
    *pulse
}

/// Seconds between two readings of clocks, whichever is ahead.
fn apart(heartbeat: f64) -> f64 {
    (clock::now() - heartbeat).abs()
}

/// Whether the process that wrote a heartbeat into a file lives, without waiting. One of this
/// machine lives as the system says; one elsewhere while its heartbeat changes.
pub(super) fn is_beating(file: &Path, host: &str, pid: u32, heartbeat: f64) -> bool {
    if host == clock::host() {
        return clock::is_alive(pid) && clock::now() - heartbeat < SILENCE.as_secs_f64();
    }
    let pulse = hear(file, heartbeat);
    match pulse.changed {
        Some(at) => at.elapsed() < SILENCE,
        None => apart(heartbeat) < SILENCE.as_secs_f64() && pulse.first.elapsed() < SILENCE,
    }
}

/// The same, by listening for a few beats where a process elsewhere seems gone. `read` gives who
/// is named in the file now: host, process and heartbeat.
pub(super) fn listen(file: &Path, read: impl Fn() -> Option<(String, u32, f64)>) -> bool {
    loop {
        let Some((host, pid, heartbeat)) = read() else { return false };
        if is_beating(file, &host, pid, heartbeat) {
            return true;
        }
        if host == clock::host() || hear(file, heartbeat).first.elapsed() > PATIENCE {
            return false;
        }
        std::thread::sleep(LOOK);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    /// A name of another machine.
    const ELSEWHERE: &str = "another-machine";

    #[test]
    fn a_machine_whose_clock_is_an_hour_behind_lives_while_its_heartbeat_changes() {
        let file = Path::new("behind/status.json");
        let behind = clock::now() - 3600.0;
        assert!(!is_beating(file, ELSEWHERE, 1, behind), "at first sight it seems gone");
        assert!(is_beating(file, ELSEWHERE, 1, behind + 1.0));
        assert!(is_beating(file, ELSEWHERE, 1, behind + 1.0), "it may be silent for a minute");
    }

    #[test]
    fn who_seems_gone_is_listened_to_for_some_beats() {
        let old = clock::now() - 3600.0;
        let looks = Cell::new(0.0);
        let beating = || {
            looks.set(looks.get() + 1.0);
            Some((ELSEWHERE.to_owned(), 1, old + f64::from(looks.get() > 2.0)))
        };
        assert!(listen(Path::new("beats/status.json"), beating));
        assert_eq!(looks.get(), 3.0);
        let silent = || Some((ELSEWHERE.to_owned(), 1, old));
        assert!(!listen(Path::new("silent/status.json"), silent));
        assert!(!listen(Path::new("nobody/status.json"), || None));
    }

    #[test]
    fn a_clock_that_is_far_ahead_does_not_keep_the_dead_alive() {
        let ahead = clock::now() + 3600.0;
        assert!(!is_beating(Path::new("ahead/status.json"), ELSEWHERE, 1, ahead));
    }

    #[test]
    fn a_dead_process_of_this_machine_is_not_listened_to() {
        let looks = Cell::new(0);
        let dead = || {
            looks.set(looks.get() + 1);
            Some((clock::host(), u32::MAX, clock::now()))
        };
        assert!(!listen(Path::new("dead/status.json"), dead));
        assert_eq!(looks.get(), 1);
    }
}
