//! `train --seeds`: runs of one config with several seeds, in turn or side by side, and what
//! they give together: mean, spread and the consensus of their trees.

use super::consensus::{self, Compared};
use super::failure::Told;
use super::lines;
use super::members::{self, Ended, Task, say};
use super::teller::Summary;
use crate::config::{Config, Kind};
use crate::report::{RunState, counted};
use crate::run::{Group, Member, Spreads};
use crate::treebank::{Preprocessing, Splits};
use anyhow::{Result, bail};
use serde::Serialize;
use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Makes the group that the command line asks for, or finds it where it was begun.
pub fn group(out: Option<&Path>, config: &Config, seeds: usize, base: &Path) -> Result<Group> {
    let Some(path) = out else {
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
    let parallel = members::side_by_side([group.config()].into_iter(), parallel);
    say(&format!("group folder {}", group.path().display()), json, out)?;
    let task = |member| Task { group, member, name: format!("seed {}", member.seed) };
    let tasks: Vec<Task> = group.members().iter().map(task).collect();
    let ended = members::train(&tasks, parallel, device, json, out)?;
    if ended.unread {
        return Err(members::unread(group.path()));
    }
    let failed = ended.failed();
    if ended.stopped {
        let path = group.path().display();
        say(&format!("go on with: rankspace resume {path}"), json, out)?;
    }
    let mut together = Together::of(group, &ended);
    let mut disagreed = None;
    if !ended.stopped && failed == 0 {
        match agree(group) {
            Ok(consensus) => together.consensus = consensus,
            // The figures are those of the members, which need no data.
            Err(error) => disagreed = Some(error),
        }
    }
    together.tell(json, out)?;
    match failed {
        0 if ended.stopped => Err(Told.into()),
        0 => match disagreed {
            None => Ok(()),
            Some(error) => bail!("no consensus of the seeds, which are finished: {error:#}"),
        },
        n => bail!("{n} of {} failed", counted(group.members().len(), "seed")),
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
    fn of(group: &Group, ended: &Ended) -> Together {
        let seeds = group.members().iter().enumerate().map(|(number, member)| {
            let summary = group.summary(member);
            let status = summary.as_ref().and_then(|s| s.status.as_ref());
            let best = status.and_then(|s| s.best.as_ref());
            let outcome = ended.outcomes.get(&number).and_then(|ended| ended.as_ref().ok());
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
        Together {
            group: group.path().display().to_string(),
            seeds: seeds.collect(),
            spread: group.spread(),
            // A consensus of some of them would not be the group's.
            consensus: BTreeMap::new(),
        }
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
    let mut agreed = BTreeMap::new();
    let is_induced = config.kind == Kind::Train && config.model.family.has_trees();
    if !is_induced || group.members().len() < 2 {
        return Ok(agreed);
    }
    let members = best_of_all(group)?;
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

/// The best weights of every seed.
pub fn best_of_all(group: &Group) -> Result<Vec<PathBuf>> {
    let best = |member: &Member| {
        let path = group.folder_of(member).join("checkpoints").join("best.safetensors");
        if !path.is_file() {
            bail!("seed {} has no {}", member.seed, path.display());
        }
        Ok(path)
    };
    group.members().iter().map(best).collect()
}
