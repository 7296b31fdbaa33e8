//! `watch`: the plain lines of a live or finished run, from its folder alone.

use super::args::Watch;
use super::lines::Lines;
use super::plain::tell;
use crate::report::RunState;
use crate::run::{Follower, RunFolder, Status};
use anyhow::{Result, bail};
use std::io::Write;
use std::path::Path;
use std::time::Duration;

/// How often the folder is looked at; works on disks that tell nothing of others' writes.
const PAUSE: Duration = Duration::from_millis(250);

/// Less room than this is told: a checkpoint does not fit into it.
const SCARCE: u64 = 1 << 20;

/// The end of a run whose events do not tell of it: its last words found no room, or there were
/// none. What the status file says is told.
fn ended(status: &Status, args: &Watch, out: &mut dyn Write) -> Result<()> {
    let (shown, step) = (args.run.display(), status.step);
    let reason = status.reason.as_deref().unwrap_or("for an unknown reason");
    let state = match status.state {
        RunState::Failed => bail!("the run failed at step {step}: {reason}{}", room(&args.run)),
        RunState::Finished => "finished",
        RunState::Stopped => "stopped",
        RunState::Running | RunState::Paused => bail!(
            "the process of the run is gone ({} on {}){}; go on with: rankspace resume {shown}",
            status.pid,
            status.host,
            room(&args.run)
        ),
    };
    if args.json {
        tell(&format!("{state} at step {step}, as status.json says; events.jsonl lacks the end"));
        return Ok(());
    }
    writeln!(out, "{state} at step {step}, as status.json says; events.jsonl lacks the end")?;
    Ok(())
}

/// A remark where the disk of a run folder is as good as full; else nothing.
fn room(folder: &Path) -> String {
    match free_bytes(folder) {
        Some(free) if free < SCARCE => {
            format!("; its disk has {} KiB left: make room before going on", free >> 10)
        }
        _ => String::new(),
    }
}

/// Bytes that may still be written beside a file; `None` where the system does not say.
#[cfg(unix)]
fn free_bytes(folder: &Path) -> Option<u64> {
    use std::os::unix::ffi::OsStrExt;
    let path = std::ffi::CString::new(folder.as_os_str().as_bytes()).ok()?;
    // SAFETY: `statvfs` reads the path, which lives until it returns, and fills the structure that
    // it is given, which any bytes are valid for.
    let found = unsafe {
        let mut found: libc::statvfs = std::mem::zeroed();
        (libc::statvfs(path.as_ptr(), &mut found) == 0).then_some(found)?
    };
    // The types differ between systems.
    #[allow(clippy::unnecessary_cast)]
    Some((found.f_bavail as u64).saturating_mul(found.f_frsize as u64))
}

#[cfg(not(unix))]
fn free_bytes(_: &Path) -> Option<u64> {
    None
}

/// Follows until the run ends. A failed run is a failure, and so is one whose process died.
pub fn run(args: &Watch, out: &mut dyn Write) -> Result<()> {
    let folder = RunFolder::open(&args.run)?;
    // A folder whose settings cannot be read can be watched all the same.
    let config = folder.config().unwrap_or_default();
    let mut follower = Follower::new(&folder);
    let mut lines = Lines::of(&config);
    loop {
        // The status is read first: what a process wrote before it died is not missed so.
        let status = Status::read(&folder)?;
        let mut events = follower.poll()?;
        while !events.is_empty() {
            for event in &events {
                let line = lines.line(event);
                if args.json {
                    serde_json::to_writer(&mut *out, event)?;
                    writeln!(out)?;
                    continue;
                }
                for line in line.into_iter().chain(lines.alarms(event)) {
                    writeln!(out, "{line}")?;
                }
            }
            events = follower.poll()?;
        }
        if let Some(complaint) = follower.complaint() {
            tell(&format!("warning: {complaint}"));
        }
        out.flush()?;
        let reason = lines.timeline.reason().unwrap_or("for an unknown reason");
        match lines.timeline.state() {
            Some(RunState::Finished | RunState::Stopped) => return Ok(()),
            Some(RunState::Failed) => bail!("the run failed: {reason}"),
            Some(RunState::Running | RunState::Paused) | None => {}
        }
        match status {
            None => bail!("{}: nothing has run here yet", args.run.display()),
            Some(status) if !status.is_live(&folder) && !Status::is_at_work(&folder) => {
                return ended(&status, args, out);
            }
            Some(_) => std::thread::sleep(PAUSE),
        }
    }
}
