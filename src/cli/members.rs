//! Several runs of one command, in turn or side by side.

use super::failure::{self, is_closed_pipe};
use super::plain::tell;
use super::progress::Bars;
use super::teller::Teller;
use crate::config::Config;
use crate::report::{Event, RunState};
use crate::run::{self, Command, Group, Member, Outcome};
use anyhow::Result;
use crossbeam_channel::{RecvTimeoutError, Sender, unbounded};
use std::collections::{BTreeMap, VecDeque};
use std::io::Write;
use std::path::Path;
use std::time::Duration;

/// A run to be trained.
pub struct Task<'a> {
    pub group: &'a Group,
    pub member: &'a Member,
    /// What it is called in lines.
    pub name: String,
}

/// How the tasks came out.
pub struct Ended {
    /// Before all were done.
    pub stopped: bool,
    /// The reader of standard output has gone.
    pub unread: bool,
    /// By the number of the task; what could not start has its reason.
    pub outcomes: BTreeMap<usize, Result<Outcome, String>>,
}

impl Ended {
    pub fn failed(&self) -> usize {
        let failed = |ended: &&Result<Outcome, String>| {
            ended.as_ref().map_or(true, |outcome| outcome.state == RunState::Failed)
        };
        self.outcomes.values().filter(failed).count()
    }
}

/// How many trainings of these configs go on at a time, of those wanted: what fits into the free
/// memory. Says so where it is less.
pub fn side_by_side<'a>(configs: impl Iterator<Item = &'a Config>, wanted: usize) -> usize {
    let fitting = configs.map(|config| run::side_by_side(config, wanted)).min().unwrap_or(1);
    if fitting < wanted {
        tell(&format!("note: {fitting} at a time, for no more fit into the free memory"));
    }
    fitting
}

/// That standard output was closed, so that what goes on in a folder was stopped.
pub fn unread(folder: &Path) -> anyhow::Error {
    tell(&format!(
        "note: standard output was closed, and the runs were stopped; go on with: rankspace resume {}",
        folder.display()
    ));
    failure::Told.into()
}

/// A line that is no figure: on standard error where standard output is kept for the JSON object.
pub fn say(line: &str, json: bool, out: &mut dyn Write) -> Result<()> {
    if json {
        tell(line);
    } else {
        writeln!(out, "{line}")?;
        out.flush()?;
    }
    Ok(())
}

/// Trains what is not finished, so many at a time, on the device that stands in for the config's.
pub fn train(
    tasks: &[Task],
    parallel: usize,
    device: Option<&str>,
    json: bool,
    out: &mut dyn Write,
) -> Result<Ended> {
    let mut work = Work {
        tasks,
        parallel,
        // Each its share of the cores; more would only wait for each other.
        threads: std::thread::available_parallelism().map_or(1, usize::from).div_ceil(parallel),
        device,
        json,
        outcomes: BTreeMap::new(),
    };
    let (stopped, unread) = match work.train(out) {
        Err(error) if is_closed_pipe(&error) => (true, true),
        other => (other?, false),
    };
    Ok(Ended { stopped, unread, outcomes: work.outcomes })
}

/// What a run's thread says.
enum Told {
    Event(Event),
    Ended(Outcome),
}

struct Work<'a> {
    tasks: &'a [Task<'a>],
    /// At a time.
    parallel: usize,
    threads: usize,
    device: Option<&'a str>,
    json: bool,
    outcomes: BTreeMap<usize, Result<Outcome, String>>,
}

impl Work<'_> {
    /// Trains until all are done; whether it was stopped before.
    fn train(&mut self, out: &mut dyn Write) -> Result<bool> {
        let (sender, told) = unbounded();
        let mut waiting = VecDeque::new();
        for (number, task) in self.tasks.iter().enumerate() {
            if task.group.is_finished(task.member) {
                say(&format!("{}  finished before", task.name), self.json, out)?;
            } else {
                waiting.push_back(number);
            }
        }
        let mut running: BTreeMap<usize, (Sender<Command>, Teller)> = BTreeMap::new();
        let mut stopping = false;
        let mut printed = Ok(());
        loop {
            while running.len() < self.parallel && !stopping {
                let Some(number) = waiting.pop_front() else { break };
                let task = &self.tasks[number];
                match self.start(number, &sender) {
                    Ok(commands) => {
                        let teller = self.teller(task);
                        if printed.is_ok() {
                            let folder = task.group.folder_of(task.member);
                            printed = teller.say(&format!("run folder {}", folder.display()), out);
                        }
                        running.insert(number, (commands, teller));
                    }
                    Err(error) => {
                        tell(&format!("error: {}: {error}", task.name));
                        self.outcomes.insert(number, Err(error.to_string()));
                    }
                }
            }
            if running.is_empty() {
                printed?;
                return Ok(stopping);
            }
            match told.recv_timeout(Duration::from_millis(100)) {
                Ok((number, Told::Event(event))) => {
                    if let (Ok(()), Some((_, teller))) = (&printed, running.get_mut(&number)) {
                        printed = teller.tell(&event, out);
                    }
                }
                Ok((number, Told::Ended(outcome))) => {
                    if let Some((_, Teller { bars: Some(bars), .. })) = running.remove(&number) {
                        bars.clear();
                    }
                    self.outcomes.insert(number, Ok(outcome));
                }
                // The sender of this loop keeps the channel open.
                Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {}
            }
            // Where nobody reads us any more, end in good order.
            if !stopping && (run::stop_requested() || printed.is_err()) {
                stopping = true;
                running.values().for_each(|(commands, _)| drop(commands.send(Command::Stop)));
                if printed.is_ok() {
                    tell("stopping after this step; once more to end at once");
                }
            }
        }
    }

    fn teller(&self, task: &Task) -> Teller {
        // Bars of several runs would overwrite each other.
        let bars = (self.parallel == 1).then(Bars::on_terminal).flatten();
        Teller::new(task.group.config(), format!("{}  ", task.name), bars, self.json)
    }

    /// Starts a run and a thread that passes on what it says.
    fn start(
        &self,
        number: usize,
        sender: &Sender<(usize, Told)>,
    ) -> Result<Sender<Command>, run::RunError> {
        let Task { group, member, name } = &self.tasks[number];
        let job = group.start(member, self.threads, self.device)?;
        let (commands, sender) = (job.commands(), sender.clone());
        let listen = move || {
            while let Ok(event) = job.events().recv() {
                let _ = sender.send((number, Told::Event(event)));
            }
            let _ = sender.send((number, Told::Ended(job.join())));
        };
        std::thread::Builder::new()
            .name(name.clone())
            .spawn(listen)
            .map_err(|source| run::RunError::Start { what: "a thread to listen".into(), source })?;
        Ok(commands)
    }
}
