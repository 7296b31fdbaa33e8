//! `sweep`: runs of one config in which settings are varied, and the table that they give.

pub mod args;
mod table;

use super::args::Train;
use super::failure::{Told, Usage};
use super::members::{self, Task, say};
use super::train;
use super::values::blame;
use crate::config::{Config, ConfigError};
use crate::report::counted;
use crate::run::{self, Group, RunError, Varied};
use anyhow::{Result, bail};
use args::Sweep;
use std::io::Write;
use std::path::Path;

pub fn run(args: &Sweep, out: &mut dyn Write) -> Result<()> {
    let varied = args.vary.iter().map(|text| read(text)).collect::<Result<Vec<Varied>, Usage>>()?;
    let mut first = Train {
        config: args.config.clone(),
        preset: args.preset.clone(),
        set: args.set.clone(),
        out: None,
        seeds: None,
        parallel: 1,
        device: args.device.clone(),
        json: args.json,
    };
    check(&train::settings(&first)?, &varied)?;
    // What the settings leave open, as the data, may be what is varied.
    first.set.extend(varied.iter().map(|varied| format!("{}={}", varied.key, varied.values[0])));
    let config = train::checked_settings(&first)?;
    let sweep = sweep(args, &config, varied)?;
    run::stop_on_signals()?;
    attend(&sweep, (args.parallel, None), args.json, out)
}

/// A setting with its values: `model.rank=16,32`. Commas within brackets and quotes belong to a
/// value.
fn read(text: &str) -> Result<Varied, Usage> {
    let wrong = |why: &str| Usage(format!("--vary {text}: {why}"));
    let (key, list) =
        text.split_once('=').ok_or_else(|| wrong("expected KEY=A,B,C, e.g. model.rank=16,32"))?;
    let (mut values, mut value, mut depth, mut quote) = (Vec::new(), String::new(), 0, None);
    for c in list.chars() {
        match (quote, c) {
            (Some(open), _) if c == open => quote = None,
            (None, '"' | '\'') => quote = Some(c),
            (None, '[' | '{') => depth += 1,
            (None, ']' | '}') => depth -= 1,
            (None, ',') if depth == 0 => {
                values.push(std::mem::take(&mut value));
                continue;
            }
            _ => {}
        }
        value.push(c);
    }
    values.push(value);
    let values: Vec<String> = values.iter().map(|value| value.trim().to_owned()).collect();
    let key = key.trim().to_owned();
    if key.is_empty() || values.iter().any(String::is_empty) {
        return Err(wrong("expected KEY=A,B,C, e.g. model.rank=16,32"));
    }
    let twice = values.iter().enumerate().find(|(i, value)| values[..*i].contains(value));
    match twice {
        Some((_, value)) => Err(wrong(&format!("{value} stands there twice"))),
        None if key == "seed" => Err(wrong("seeds are counted: --seeds N")),
        None => Ok(Varied { key, values }),
    }
}

/// That the config takes every value, one setting at a time, so that the one is named which it
/// does not take.
fn check(config: &Config, varied: &[Varied]) -> Result<()> {
    let text = config.to_toml();
    for (i, Varied { key, values }) in varied.iter().enumerate() {
        if varied[..i].iter().any(|other| other.key == *key) {
            return Err(Usage(format!("--vary {key}=…: given twice")).into());
        }
        for value in values {
            let change = format!("{key}={value}");
            let read = Config::from_toml("its config", &text, std::slice::from_ref(&change));
            // What is wrong alone may be right with the others, which is seen with all of them.
            match read {
                Ok(_) | Err(ConfigError::Invalid { .. }) => {}
                Err(error) => {
                    let Usage(said) = blame(&change, error);
                    return Err(Usage(said.replacen("--set", "--vary", 1)).into());
                }
            }
        }
    }
    Ok(())
}

/// Makes the sweep that the command line asks for, or finds it where it was begun.
fn sweep(args: &Sweep, config: &Config, varied: Vec<Varied>) -> Result<run::Sweep> {
    let made = |made: Result<run::Sweep, RunError>| {
        made.map_err(|error| match error {
            RunError::Config(error) => Usage(format!("--vary: {error}")).into(),
            other => anyhow::Error::from(other),
        })
    };
    let Some(path) = &args.out else {
        return made(run::Sweep::create(Path::new(train::RUNS), config, varied, args.seeds));
    };
    if run::Sweep::is_one(path) {
        let mut sweep = run::Sweep::open(path)?;
        if !sweep.is_of(config, &varied) {
            bail!(
                "{} was begun with other settings, and nothing is overwritten: name a new folder, \
                 or go on with `rankspace resume`",
                path.display()
            );
        }
        sweep.extend(args.seeds)?;
        return Ok(sweep);
    }
    if train::holds_anything(path) {
        bail!("{} holds something already, and nothing is overwritten", path.display());
    }
    made(run::Sweep::create_at(path, config, varied, args.seeds))
}

/// Trains what is not finished, and tells what it gives.
pub fn attend(
    sweep: &run::Sweep,
    (parallel, device): (usize, Option<&str>),
    json: bool,
    out: &mut dyn Write,
) -> Result<()> {
    let points = sweep.points();
    let groups: Vec<Group> = points.iter().map(|p| sweep.group(p)).collect::<Result<_, _>>()?;
    say(&format!("sweep folder {}", sweep.path().display()), json, out)?;
    // What fits nowhere is told before hours have passed, and the others are trained.
    let mut tasks = Vec::new();
    let mut unfit = 0;
    for (point, group) in points.iter().zip(&groups) {
        let name = sweep.changes(point).join(" ");
        if let Err(error) = run::check_memory(group.config(), 0) {
            super::plain::tell(&format!("error: {name}: {error}"));
            unfit += 1;
            continue;
        }
        tasks.extend(group.members().iter().map(|member| Task {
            group,
            member,
            name: format!("{name}  seed {}", member.seed),
        }));
    }
    let configs = tasks.iter().map(|task| task.group.config());
    let parallel = members::side_by_side(configs, parallel);
    let ended = members::train(&tasks, parallel, device, json, out)?;
    if ended.unread {
        return Err(members::unread(sweep.path()));
    }
    if ended.stopped {
        let path = sweep.path().display();
        say(&format!("go on with: rankspace resume {path}"), json, out)?;
    }
    table::tell(sweep, json, out)?;
    match (ended.failed(), unfit) {
        (0, 0) if ended.stopped => Err(Told.into()),
        (0, 0) => Ok(()),
        (failed, 0) => bail!("{failed} of {} failed", counted(tasks.len(), "run")),
        (_, unfit) => {
            bail!("{unfit} of {} do not fit into the memory", counted(points.len(), "choice"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_separated_by_commas_outside_of_brackets_and_quotes() {
        let values = |text: &str| read(text).map(|varied| varied.values).map_err(|e| e.0);
        assert_eq!(values("model.rank=16, 32"), Ok(vec!["16".into(), "32".into()]));
        let lists = values(r#"data.train=["a,b", "c"],"d,e""#).expect("two values");
        assert_eq!(lists, [r#"["a,b", "c"]"#, r#""d,e""#]);
        for (text, said) in [
            ("model.rank", "expected KEY=A,B,C"),
            ("model.rank=", "expected KEY=A,B,C"),
            ("model.rank=1,,2", "expected KEY=A,B,C"),
            ("=1,2", "expected KEY=A,B,C"),
            ("model.rank=1,2,1", "1 stands there twice"),
            ("seed=1,2", "--seeds N"),
        ] {
            let error = values(text).expect_err(text);
            assert!(error.contains(said), "{error}");
        }
    }

    #[test]
    fn a_key_or_value_that_no_config_takes_is_named() {
        let check = |vary: &[&str]| {
            let varied: Vec<Varied> = vary.iter().map(|text| read(text).expect("reads")).collect();
            check(&Config::default(), &varied).map_err(|error| error.to_string())
        };
        assert!(check(&["model.rank=16,32", "seed2=1"]).unwrap_err().contains("seed2"));
        assert!(check(&["model.rank=16", "model.rank=32"]).unwrap_err().contains("given twice"));
        assert_eq!(check(&["model.rank=16,32"]), Ok(()));
    }
}
