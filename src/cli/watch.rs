//! `watch`: the plain lines of a live or finished run, from its folder alone.

use super::args::Watch;
use super::lines::Lines;
use crate::report::RunState;
use crate::run::{Follower, RunFolder, Status};
use anyhow::{Result, bail};
use std::io::Write;
use std::time::Duration;

/// How often the folder is looked at; works on disks that tell nothing of others' writes.
const PAUSE: Duration = Duration::from_millis(250);

/// Follows until the run ends. A failed run is a failure, and so is one whose process died.
pub fn run(args: &Watch, out: &mut dyn Write) -> Result<()> {
    let folder = RunFolder::open(&args.run)?;
    let mut follower = Follower::new(&folder);
    let mut lines = Lines::default();
    loop {
        // The status is read first: what a process wrote before it died is not missed so.
        let status = Status::read(&folder)?;
        let mut events = follower.poll()?;
        while !events.is_empty() {
            for event in &events {
                if let Some(line) = lines.line(event) {
                    writeln!(out, "{line}")?;
                }
            }
            events = follower.poll()?;
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
            Some(status) if !status.is_live() => bail!(
                "the process of the run is gone ({} on {}); go on with: rankspace resume {}",
                status.pid,
                status.host,
                args.run.display()
            ),
            Some(_) => std::thread::sleep(PAUSE),
        }
    }
}
