//! `noise table`: every way to rank sentences, scored on treebanks with known errors.

use super::detectors::{Rankings, Sources, Stopped, rankings};
use super::plant;
use crate::analysis::noise::{Kind, Planting, Scores, from_tsv};
use crate::checkpoint::write_atomically;
use crate::cli::ensemble::args::{NoiseTable, Supervision};
use crate::cli::ensemble::{settings, trees};
use crate::cli::plain::tell;
use crate::config::{self, Config};
use crate::ensemble::detect::DETECTORS;
use crate::evaluation::Spread;
use crate::report::{EventKind, Level, RunState, counted};
use crate::run::{self, Job, RunFolder, RunSummary};
use anyhow::{Context, Result, bail};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Scores by detector, one a seed.
type Table = BTreeMap<&'static str, Vec<Scores>>;

pub fn run(args: &NoiseTable, out: &mut dyn Write) -> Result<()> {
    std::fs::create_dir_all(&args.out).with_context(|| format!("{}", args.out.display()))?;
    remember(args)?;
    run::stop_on_signals()?;
    let files: Vec<PathBuf> = args.files.iter().map(PathBuf::from).collect();
    let clean = plant::read(&files)?;
    let mut tables = Vec::new();
    for &share in &args.share {
        let mut table = Table::new();
        for seed in 0..args.seeds as u64 {
            let folder = args.out.join(format!("share-{share}-seed-{seed}"));
            std::fs::create_dir_all(&folder).with_context(|| format!("{}", folder.display()))?;
            let list = folder.join("planted.tsv");
            if !list.is_file() {
                let kinds = Kind::ALL.to_vec();
                let planted = Planting { share: share / 100.0, kinds, seed }.plant(&clean);
                planted.notes.iter().for_each(|note| tell(&format!("seed {seed}: {note}")));
                plant::write(&folder, &clean, &planted)?;
            }
            let text = std::fs::read_to_string(&list)?;
            let planted = from_tsv(&text).with_context(|| format!("{}", list.display()))?;
            for (name, ranking) in ranked(args, &folder, seed)? {
                let scores = Scores::of(&ranking, &planted).with_context(|| name.to_owned())?;
                table.entry(name).or_default().push(scores);
            }
        }
        if !args.json {
            print(share, &table, out)?;
        }
        tables.push((share, table));
    }
    if args.json {
        let tables: Vec<Value> = tables
            .iter()
            .map(|(share, table)| json!({ "share": share, "detectors": table }))
            .collect();
        serde_json::to_writer(&mut *out, &tables)?;
        writeln!(out)?;
    }
    Ok(())
}

/// Refuses to mix figures of different settings in one folder.
fn remember(args: &NoiseTable) -> Result<()> {
    let path = args.out.join("table.json");
    let settings = json!({
        "schema": crate::report::SCHEMA,
        "files": args.files,
        "rounds": args.rounds,
        "folds": args.folds,
        "set": args.set,
    });
    match std::fs::read(&path) {
        Ok(bytes) => match serde_json::from_slice::<Value>(&bytes).is_ok_and(|old| old == settings)
        {
            true => Ok(()),
            false => bail!(
                "{} was begun with other settings, and nothing is overwritten: name a new folder",
                args.out.display()
            ),
        },
        Err(_) if std::fs::read_dir(&args.out)?.next().is_some() => {
            bail!("{} holds something already, and nothing is overwritten", args.out.display())
        }
        Err(_) => Ok(write_atomically(&path, settings.to_string().as_bytes())?),
    }
}

/// All rankings of one noisy treebank.
fn ranked(args: &NoiseTable, folder: &Path, seed: u64) -> Result<Rankings> {
    let noisy = folder.join("noisy.mrg").display().to_string();
    let supervision = Supervision { train: vec![noisy], test: Vec::new(), set: args.set.clone() };
    let config = |kind| {
        let mut flags = vec![format!("seed={seed}"), format!("ensemble.rounds={}", args.rounds)];
        if kind == config::Kind::Boost {
            // A failed round would end the ranking early.
            flags.push("ensemble.on_failure=reset".to_owned());
        }
        settings(None, kind, &supervision, flags)
    };
    let boosting = config(config::Kind::Boost)?;
    let boost = finish(&folder.join("boost"), boosting.clone())?;
    let bag = finish(&folder.join("bag"), config(config::Kind::Bag)?)?;
    let data = trees(&boosting)?;
    rankings(
        &folder.join("rankings"),
        &Sources {
            part: &data.train,
            config: &boosting,
            boost: &boost,
            bag: &bag,
            folds: args.folds,
            seed,
        },
    )
}

/// A run that is done, started or gone on with where it is not.
fn finish(path: &Path, config: Config) -> Result<RunFolder> {
    let job = match path.join("config.toml").is_file() {
        false => {
            let folder = RunFolder::create_at(path, &config)?;
            Job::train(config, folder)?
        }
        true => {
            let folder = RunFolder::open(path)?;
            if RunSummary::read(&folder).state() == Some(RunState::Finished) {
                return Ok(folder);
            }
            Job::resume(folder)?
        }
    };
    let shown = path.display().to_string();
    for event in job.events() {
        match event.kind {
            EventKind::Round { round, metrics, .. } => {
                let error = metrics.get("error").unwrap_or(f64::NAN);
                tell(&format!("{shown}: round {round}, error {error:.4}"));
            }
            EventKind::Message { level: Level::Warning | Level::Error, text } => {
                tell(&format!("{shown}: {text}"));
            }
            _ => {}
        }
    }
    let folder = job.folder().clone();
    let outcome = job.join();
    match outcome.state {
        RunState::Finished => Ok(folder),
        RunState::Stopped => Err(Stopped.into()),
        _ => bail!("{shown}: {}", outcome.reason.unwrap_or_default()),
    }
}

/// A figure of a table.
type Read = fn(&Scores) -> Option<f64>;

fn print(share: f64, table: &Table, out: &mut dyn Write) -> Result<()> {
    let seeds = table.values().map(Vec::len).max().unwrap_or(0);
    let seeds = counted(seeds, "seed");
    writeln!(out, "\n{share} % of the sentences with an error, {seeds}; mean ± deviation")?;
    let columns: [(&str, Read); 5] = [
        ("AP", |s| s.all.average_precision),
        ("AUC", |s| s.all.roc_auc),
        ("P@50", |s| Some(s.all.precision_at_50)),
        ("P@100", |s| Some(s.all.precision_at_100)),
        ("P@n", |s| Some(s.all.precision_at_planted)),
    ];
    write!(out, "{:20}", "")?;
    for (title, _) in columns {
        write!(out, " {title:>15}")?;
    }
    writeln!(out)?;
    for (name, scores) in rows(table) {
        write!(out, "{name:20}")?;
        for (_, read) in columns {
            write!(out, " {:>15}", cell(scores, read))?;
        }
        writeln!(out)?;
    }
    writeln!(out, "\naverage precision by kind, among sentences without another error")?;
    write!(out, "{:20}", "")?;
    for kind in Kind::ALL {
        write!(out, " {:>15}", kind.name())?;
    }
    writeln!(out)?;
    for (name, scores) in rows(table) {
        write!(out, "{name:20}")?;
        for kind in Kind::ALL {
            let read = |s: &Scores| s.kinds.get(&kind)?.average_precision;
            write!(out, " {:>15}", cell(scores, read))?;
        }
        writeln!(out)?;
    }
    Ok(out.flush()?)
}

/// Detectors in the order in which they are listed.
fn rows(table: &Table) -> impl Iterator<Item = (&'static str, &Vec<Scores>)> {
    DETECTORS.iter().filter_map(|(name, _)| Some((*name, table.get(name)?)))
}

fn cell(scores: &[Scores], read: impl Fn(&Scores) -> Option<f64>) -> String {
    match Spread::of(scores.iter().filter_map(read)) {
        Some(Spread { mean, sd: Some(sd), .. }) => format!("{mean:.3} ± {sd:.3}"),
        Some(Spread { mean, .. }) => format!("{mean:.3}"),
        None => "-".to_owned(),
    }
}
