//! `card`: what is needed to get a figure again, and whether it comes out again.

use super::args::{self, Train};
use super::ensemble::{self, args::EnsembleRun, args::Supervision};
use super::failure::Usage;
use super::plain::tell;
use super::train;
use crate::checkpoint::write_atomically;
use crate::report::counted;
use crate::run::{Card, Sweep};
use anyhow::{Context, Result, bail};
use std::io::Write;
use std::path::Path;

/// Files of a card's folder.
const JSON: &str = "card.json";
const TEXT: &str = "card.md";
const CONFIG: &str = "config.toml";

pub fn run(args: &args::Card, out: &mut dyn Write) -> Result<()> {
    if args.check || args.rerun.is_some() {
        return check(args, out);
    }
    if Sweep::is_one(&args.run) {
        let shown = args.run.display();
        bail!("{shown} is a sweep: name one of the folders in it, which stand for its rows");
    }
    let card = Card::of(&args.run)?;
    if !card.unfinished.is_empty() {
        let n = counted(card.unfinished.len(), "run");
        tell(&format!("warning: {n} of {} not finished", card.seeds.len()));
    }
    if let Some(folder) = &args.out {
        if train::holds_anything(folder) {
            bail!("{} holds something already, and nothing is overwritten", folder.display());
        }
        std::fs::create_dir_all(folder).with_context(|| format!("{}", folder.display()))?;
        let json = serde_json::to_vec_pretty(&card)?;
        let config = card.config.clone().into_bytes();
        for (name, bytes) in
            [(JSON, json), (CONFIG, config), (TEXT, card.text(CONFIG).into_bytes())]
        {
            let path = folder.join(name);
            write_atomically(&path, &bytes).with_context(|| format!("{}", path.display()))?;
        }
    }
    match args.json {
        true => {
            serde_json::to_writer(&mut *out, &card)?;
            writeln!(out)?;
        }
        false => write!(out, "{}", card.text(CONFIG))?,
    }
    Ok(())
}

/// Whether a card's data is as it was; with a folder to do it again in, whether its figures are.
fn check(args: &args::Card, out: &mut dyn Write) -> Result<()> {
    let path = match args.run.is_dir() {
        true => args.run.join(JSON),
        false => args.run.clone(),
    };
    if !path.is_file() {
        let shown = path.display();
        return Err(
            Usage(format!("{shown}: there is no card; `card RUN --out DIR` makes one")).into()
        );
    }
    let card = Card::read(&path)?;
    let beside = path.with_file_name(CONFIG);
    if std::fs::read_to_string(&beside).is_ok_and(|config| config != card.config) {
        let shown = beside.display();
        tell(&format!("warning: {shown} is not as the card has it: what stands in {JSON} holds"));
    }
    let changed = card.changed_data();
    for line in &changed {
        tell(&format!("warning: {line}"));
    }
    if !changed.is_empty() {
        bail!("{} of {} changed", changed.len(), counted(card.data.len(), "data file"));
    }
    writeln!(out, "the data is as it was: {}", counted(card.data.len(), "file"))?;
    let Some(folder) = &args.rerun else { return Ok(()) };
    again(&card, folder, out)?;
    let now = Card::of(folder)?;
    if !now.unfinished.is_empty() {
        bail!("stopped; go on with: rankspace resume {}", folder.display());
    }
    let differences = card.differences(&now);
    for (split, name, was, is) in &differences {
        let is = is.map_or("nothing".to_owned(), |is| is.to_string());
        writeln!(out, "{split} {name}: {was} on the card, now {is}")?;
    }
    let all: usize = card.figures.values().map(|figures| figures.len()).sum();
    match differences.len() {
        0 => writeln!(out, "{} as on the card", counted(all, "figure"))?,
        n => bail!(
            "{n} of {} differ: the same numbers come with the same device and number of threads",
            counted(all, "figure")
        ),
    }
    Ok(())
}

/// Does what the card says in a new folder.
fn again(card: &Card, folder: &Path, out: &mut dyn Write) -> Result<()> {
    card.config()?;
    let config = tempfile::Builder::new().prefix("card-").suffix(".toml").tempfile()?;
    std::fs::write(config.path(), &card.config)?;
    let (config, to) = (Some(config.path().to_owned()), Some(folder.to_owned()));
    if !card.kind.is_ensemble() {
        let seeds = (card.seeds.len() > 1).then_some(card.seeds.len());
        return train::train(
            &Train {
                config,
                preset: None,
                set: Vec::new(),
                out: to,
                seeds,
                parallel: 1,
                device: None,
                json: false,
            },
            out,
        );
    }
    let supervision = Supervision { train: Vec::new(), test: Vec::new(), set: Vec::new() };
    let run =
        EnsembleRun { config, supervision, dev: Vec::new(), rounds: None, out: to, json: false };
    ensemble::begin(&run, card.kind, Vec::new(), out)
}
