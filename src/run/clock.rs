//! Wall clock, calendar date, running time without pauses, and who we are.

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// Seconds since 1970-01-01 UTC.
pub fn now() -> f64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0.0, |d| d.as_secs_f64())
}

/// Today as `YYYY-MM-DD` in local time.
pub fn today() -> String {
    let seconds = now() as libc::time_t;
    // SAFETY: localtime_r fills the struct that it is given and keeps no pointer.
    let mut parts: libc::tm = unsafe { std::mem::zeroed() };
    unsafe { libc::localtime_r(&seconds, &mut parts) };
    format!("{:04}-{:02}-{:02}", parts.tm_year + 1900, parts.tm_mon + 1, parts.tm_mday)
}

/// Name of this machine; empty if it has none.
pub fn host() -> String {
    let mut buffer = [0u8; 256];
    // SAFETY: the buffer outlives the call and its length is given.
    let failed = unsafe { libc::gethostname(buffer.as_mut_ptr().cast(), buffer.len()) } != 0;
    let end = buffer.iter().position(|&b| b == 0).unwrap_or(buffer.len());
    if failed { String::new() } else { String::from_utf8_lossy(&buffer[..end]).into_owned() }
}

/// Whether a process of this machine lives.
pub fn is_alive(pid: u32) -> bool {
    let Ok(pid) = libc::pid_t::try_from(pid) else { return false };
    // SAFETY: signal 0 only asks.
    let answer = unsafe { libc::kill(pid, 0) };
    answer == 0 || std::io::Error::last_os_error().raw_os_error() == Some(libc::EPERM)
}

/// Running time: goes on from where an earlier session stopped, stands still in pauses.
#[derive(Debug)]
pub struct Stopwatch {
    before: Duration,
    since: Option<Instant>,
}

impl Stopwatch {
    /// Runs on from `seconds`.
    pub fn start(seconds: f64) -> Stopwatch {
        let before = Duration::try_from_secs_f64(seconds).unwrap_or_default();
        Stopwatch { before, since: Some(Instant::now()) }
    }

    pub fn seconds(&self) -> f64 {
        (self.before + self.since.map_or(Duration::ZERO, |s| s.elapsed())).as_secs_f64()
    }

    pub fn pause(&mut self) {
        self.before += self.since.take().map_or(Duration::ZERO, |s| s.elapsed());
    }

    pub fn resume(&mut self) {
        self.since.get_or_insert_with(Instant::now);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_process_lives_and_an_impossible_one_does_not() {
        assert!(is_alive(std::process::id()));
        assert!(!is_alive(u32::MAX));
    }

    #[test]
    fn a_date_has_its_usual_form() {
        let date = today();
        assert!(date.len() == 10 && date.starts_with("20"), "{date}");
    }

    #[test]
    fn a_paused_stopwatch_stands_still() {
        let mut watch = Stopwatch::start(5.0);
        watch.pause();
        let (a, b) = (watch.seconds(), watch.seconds());
        assert!(a >= 5.0 && a == b);
        watch.resume();
        assert!(watch.seconds() >= a);
    }
}
