//! A job from its start to its end: what it reports is told, and what it came to.

use super::ensemble::figures;
use super::failure::{Told, is_closed_pipe};
use super::lines;
use super::plain::tell;
use super::progress::Bars;
use super::teller::{Summary, Teller};
use crate::report::RunState;
use crate::run::{self, Command, Job, Outcome, RunFolder};
use anyhow::{Result, bail};
use crossbeam_channel::RecvTimeoutError;
use serde::Serialize;
use std::io::Write;
use std::time::Duration;

/// Listens until the job has ended, and tells how it did.
pub fn attend(job: Job, json: bool, out: &mut dyn Write) -> Result<()> {
    let folder = job.folder().path().to_owned();
    let config = job.folder().config().unwrap_or_default();
    let mut teller = Teller::new(&config, String::new(), Bars::on_terminal(), json);
    teller.say(&format!("run folder {}", folder.display()), out)?;
    let mut told = Ok(());
    let mut stopping = false;
    loop {
        match job.events().recv_timeout(Duration::from_millis(100)) {
            Ok(event) => {
                if told.is_ok() {
                    told = teller.tell(&event, out);
                    if told.is_err() {
                        // Nobody reads us any more: end in good order.
                        job.send(Command::Stop);
                    }
                }
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => break,
        }
        if run::stop_requested() && !stopping {
            stopping = true;
            teller.note("stopping after this step; once more to end at once");
        }
    }
    if let Some(bars) = &teller.bars {
        bars.clear();
    }
    let outcome = job.join();
    match told {
        Err(error) if is_closed_pipe(&error) => {
            tell(&format!(
                "note: standard output was closed, and the run was stopped at step {}; go on with: \
                 rankspace resume {}",
                outcome.step,
                folder.display()
            ));
            return Err(Told.into());
        }
        other => other?,
    }
    conclude(&outcome, &RunFolder::open(&folder)?, &teller, out)
}

/// The JSON object that ends it.
#[derive(Serialize)]
struct Ended {
    state: RunState,
    #[serde(flatten)]
    summary: Summary,
}

fn conclude(
    outcome: &Outcome,
    folder: &RunFolder,
    teller: &Teller,
    out: &mut dyn Write,
) -> Result<()> {
    let shown = folder.path().display();
    if outcome.state == RunState::Failed {
        let reason = outcome.reason.as_deref().unwrap_or("for an unknown reason");
        if outcome.run != RunState::Failed {
            bail!("the run in {shown} does not go on, and stays {}: {reason}", outcome.run.word());
        }
        bail!("the run in {shown} failed: {reason}");
    }
    if let Some(best) = &outcome.best {
        let mut line = format!("best  epoch {}  dev  {}", best.epoch, lines::figures(&best.dev));
        if let Some(test) = &best.test {
            line.push_str(&format!("  test  {}", lines::figures(test)));
        }
        teller.say(&line, out)?;
    }
    let stopped = outcome.state == RunState::Stopped;
    if stopped {
        teller.say(&format!("go on with: rankspace resume {shown}"), out)?;
    }
    let config = folder.config()?;
    if config.kind.is_ensemble() {
        figures::conclude(folder, &config, outcome.state, teller.json, out)?;
    } else if teller.json {
        let summary = Summary::of(outcome, folder.path());
        serde_json::to_writer(&mut *out, &Ended { state: outcome.state, summary })?;
        writeln!(out)?;
    }
    // What follows in a script must not take a run for trained that is not.
    if stopped { Err(Told.into()) } else { Ok(()) }
}
