//! `train --seeds`: runs of one config with several seeds, in turn or side by side, and what
//! they give together: mean, spread and the consensus of their trees.

use super::args::Train;
use super::consensus::{self, Compared};
use super::failure::is_closed_pipe;
use super::lines;
use super::plain::tell;
use super::progress::Bars;
use super::teller::{Summary, Teller};
use crate::config::Config;
use crate::report::{Event, RunState, counted};
use crate::run::{self, Command, Group, Member, Outcome, Spreads};
use crate::treebank::{Preprocessing, Splits};
use anyhow::{Result, bail};
use crossbeam_channel::{RecvTimeoutError, Sender, unbounded};
use serde::Serialize;
use std::collections::{BTreeMap, VecDeque};
use std::io::Write;
use std::path::Path;
use std::time::Duration;

/// Makes the group that the command line asks for, or finds it where it was begun.
pub fn group(args: &Train, config: &Config, seeds: usize, base: &Path) -> Result<Group> {
    let Some(path) = &args.out else {
        return Ok(Group::create(base, config, seeds)?);
    };
    if !Group::is_one(path) {
        return Ok(Group::create_at(path, config, seeds)?);
    }
    let mut group = Group::open(path)?;
    if !group.has_config(config) {
        bail!(
            "{} was begun with other settings, and nothing is overwritten: name a new folder, or \
             go on with `rankspace resume`",
            path.display()
        );
    }
    group.extend(seeds)?;
    Ok(group)
}

/// Trains what is not finished, and tells what all members give together.
pub fn attend(
    group: &Group,
    (parallel, device): (usize, Option<&str>),
    json: bool,
    out: &mut dyn Write,
) -> Result<()> {
    let fitting = run::side_by_side(group.config(), parallel);
    if fitting < parallel {
        tell(&format!("note: {fitting} at a time, for no more fit into the free memory"));
    }
    let mut work = Work {
        group,
        parallel: fitting,
        // Each its share of the cores; more would only wait for each other.
        threads: std::thread::available_parallelism().map_or(1, usize::from).div_ceil(fitting),
        device,
        json,
        ended: BTreeMap::new(),
    };
    say(&format!("group folder {}", group.path().display()), json, out)?;
    let stopped = match work.train(out) {
        Err(error) if is_closed_pipe(&error) => return Ok(()),
        other => other?,
    };
    let failed = work.failed();
    if stopped {
        let path = group.path().display();
        say(&format!("go on with: rankspace resume {path}"), json, out)?;
    }
    let together = Together::of(group, &work.ended, stopped || failed > 0)?;
    together.tell(json, out)?;
    match failed {
        0 => Ok(()),
        n => bail!("{n} of {} failed", counted(group.members().len(), "seed")),
    }
}

fn say(line: &str, json: bool, out: &mut dyn Write) -> Result<()> {
    if json {
        tell(line);
    } else {
        writeln!(out, "{line}")?;
        out.flush()?;
    }
    Ok(())
}

/// What a member's thread says.
enum Told {
    Event(Event),
    Ended(Outcome),
}

struct Work<'a> {
    group: &'a Group,
    /// At a time.
    parallel: usize,
    threads: usize,
    device: Option<&'a str>,
    json: bool,
    /// Outcomes by seed; what could not start has its reason.
    ended: BTreeMap<u64, Result<Outcome, String>>,
}

impl Work<'_> {
    /// Trains until all are done; whether it was stopped before.
    fn train(&mut self, out: &mut dyn Write) -> Result<bool> {
        let (sender, told) = unbounded();
        let mut waiting = VecDeque::new();
        for member in self.group.members() {
            if self.group.is_finished(member) {
                say(&format!("seed {}  finished before", member.seed), self.json, out)?;
            } else {
                waiting.push_back(member);
            }
        }
        let mut running: BTreeMap<u64, (Sender<Command>, Teller)> = BTreeMap::new();
        let mut stopping = false;
        let mut printed = Ok(());
        loop {
            while running.len() < self.parallel && !stopping {
                let Some(member) = waiting.pop_front() else { break };
                match self.start(member, &sender) {
                    Ok(commands) => {
                        let teller = self.teller(member);
                        if printed.is_ok() {
                            let folder = self.group.folder_of(member);
                            printed = teller.say(&format!("run folder {}", folder.display()), out);
                        }
                        running.insert(member.seed, (commands, teller));
                    }
                    Err(error) => {
                        tell(&format!("error: seed {}: {error}", member.seed));
                        self.ended.insert(member.seed, Err(error.to_string()));
                    }
                }
            }
            if running.is_empty() {
                printed?;
                return Ok(stopping);
            }
            match told.recv_timeout(Duration::from_millis(100)) {
                Ok((seed, Told::Event(event))) => {
                    if let (Ok(()), Some((_, teller))) = (&printed, running.get_mut(&seed)) {
                        printed = teller.tell(&event, out);
                    }
                }
                Ok((seed, Told::Ended(outcome))) => {
                    if let Some((_, Teller { bars: Some(bars), .. })) = running.remove(&seed) {
                        bars.clear();
                    }
                    self.ended.insert(seed, Ok(outcome));
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

    fn teller(&self, member: &Member) -> Teller {
        // Bars of several runs would overwrite each other.
        let bars = (self.parallel == 1).then(Bars::on_terminal).flatten();
        Teller::new(
            self.group.config().model.family,
            format!("seed {}  ", member.seed),
            bars,
            self.json,
        )
    }

    /// Starts a member and a thread that passes on what it says.
    fn start(
        &self,
        member: &Member,
        sender: &Sender<(u64, Told)>,
    ) -> Result<Sender<Command>, run::RunError> {
        let job = self.group.start(member, self.threads, self.device)?;
        let (commands, sender, seed) = (job.commands(), sender.clone(), member.seed);
        let listen = move || {
            while let Ok(event) = job.events().recv() {
                let _ = sender.send((seed, Told::Event(event)));
            }
            let _ = sender.send((seed, Told::Ended(job.join())));
        };
        std::thread::Builder::new()
            .name(format!("seed {seed}"))
            .spawn(listen)
            .map_err(|source| run::RunError::Start { what: "a thread to listen".into(), source })?;
        Ok(commands)
    }

    fn failed(&self) -> usize {
        let failed = |ended: &&Result<Outcome, String>| {
            ended.as_ref().map_or(true, |outcome| outcome.state == RunState::Failed)
        };
        self.ended.values().filter(failed).count()
    }
}

/// The JSON object that ends it.
#[derive(Serialize)]
struct Together {
    group: String,
    seeds: Vec<Seed>,
    #[serde(flatten)]
    spread: BTreeMap<&'static str, Spreads>,
    /// By split.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    consensus: BTreeMap<&'static str, Compared>,
}

#[derive(Serialize)]
struct Seed {
    seed: u64,
    state: Option<RunState>,
    #[serde(flatten)]
    summary: Summary,
}

impl Together {
    fn of(
        group: &Group,
        ended: &BTreeMap<u64, Result<Outcome, String>>,
        partly: bool,
    ) -> Result<Together> {
        let seeds = group.members().iter().map(|member| {
            let summary = group.summary(member);
            let status = summary.as_ref().and_then(|s| s.status.as_ref());
            let best = status.and_then(|s| s.best.as_ref());
            let outcome = ended.get(&member.seed).and_then(|ended| ended.as_ref().ok());
            Seed {
                seed: member.seed,
                state: summary.as_ref().and_then(|s| s.state()),
                summary: Summary {
                    run: group.folder_of(member).display().to_string(),
                    best_epoch: best.map(|b| b.epoch),
                    dev: best.map(|b| lines::known(&b.dev)),
                    test: best.and_then(|b| b.test.as_ref()).map(lines::known),
                    train_seconds: outcome
                        .map(|o| o.train_seconds)
                        .or(status.map(|s| s.elapsed))
                        .unwrap_or(0.0),
                },
            }
        });
        Ok(Together {
            group: group.path().display().to_string(),
            seeds: seeds.collect(),
            spread: group.spread(),
            // A consensus of some of them would not be the group's.
            consensus: if partly { BTreeMap::new() } else { agree(group)? },
        })
    }

    fn tell(&self, json: bool, out: &mut dyn Write) -> Result<()> {
        for (split, figures) in &self.spread {
            let of = figures.values().map(|f| f.count).max().unwrap_or(0);
            let seeds = counted(of, "seed");
            say(&format!("{seeds}  {split}  {}", lines::spreads(figures)), json, out)?;
        }
        for (split, compared) in &self.consensus {
            say(&format!("{split}  {}", compared.line()), json, out)?;
        }
        if json {
            serde_json::to_writer(&mut *out, self)?;
            writeln!(out)?;
        }
        Ok(())
    }
}

/// The members' consensus on the development and test sentences, where it means something.
fn agree(group: &Group) -> Result<BTreeMap<&'static str, Compared>> {
    let config = group.config();
    let members = group.best();
    let mut agreed = BTreeMap::new();
    if !config.model.family.has_trees() || members.len() < 2 {
        return Ok(agreed);
    }
    let splits = Splits::load(config)?;
    let preprocessing = Preprocessing::resolve(&config.data)?;
    let test = splits.test.as_ref().map(|test| ("test", test));
    for (name, corpus) in [("dev", &splits.dev)].into_iter().chain(test) {
        let compared = consensus::compare(&members, &preprocessing, &corpus.sentences, false)?;
        if compared.has_gold() {
            agreed.insert(name, compared);
        }
    }
    Ok(agreed)
}
