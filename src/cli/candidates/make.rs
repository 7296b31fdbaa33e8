use super::args::Make;
use crate::checkpoint::write_atomically;
use crate::cli::ensemble::{settings, trees};
use crate::cli::plain::tell;
use crate::cli::progress;
use crate::config::{Config, Kind};
use crate::parser;
use crate::report::counted;
use crate::rerank::{Judged, ListStatistics, Sentences, candidates_of, jackknifed};
use crate::run;
use crate::treebank::candidates::{
    CandidateFile, CandidateList, ListFormat, ReadOptions, write_list,
};
use anyhow::{Context, Result, bail};
use serde_json::json;
use std::io::Write;
use std::ops::Range;
use std::path::Path;

pub fn run(args: &Make, out: &mut dyn Write) -> Result<()> {
    let config = config(args)?;
    begin(&args.out, &config)?;
    let data = trees(&config)?;
    let inducer = parser::build(&config.parser)?;
    run::stop_on_signals()?;
    let most = config.rerank.candidates;
    let gold_tags = config.rerank.gold_tags;
    let train = &data.train.sentences;
    let prepared = inducer.prepare(&data.train.trees())?;
    let parts = parts(train.len(), config.rerank.folds)?;
    let all = train.len() + data.held_out.iter().map(|part| part.sentences.len()).sum::<usize>();
    let bar = progress::bar(all, "sentences");
    let mut go_on = |done: usize| {
        bar.inc(done as u64);
        !run::stop_requested()
    };
    let mut rows = Vec::new();
    let mut keep = |name: &str, lists: Vec<CandidateList>| {
        let statistics = ListStatistics::of(&Judged::all(lists, most));
        rows.push((name.to_owned(), statistics));
    };
    let sentences = |name, all| Sentences { name, all, most, gold_tags };
    let folder = args.out.join("folds");
    let mut lists = Vec::with_capacity(train.len());
    for (fold, part) in parts.into_iter().enumerate() {
        let path = folder.join(format!("fold-{fold:03}.jsonl"));
        let fold = fold as u32;
        let n = part.len();
        if let Some(known) = kept(&path, n)? {
            go_on(n);
            lists.extend(known);
            continue;
        }
        let made = jackknifed(&*prepared, sentences("train", train), fold, part, &mut go_on)?;
        write(&path, &made)?;
        lists.extend(made);
    }
    write(&args.out.join("train.jsonl"), &lists)?;
    keep("train", lists);
    let parser = prepared.induce(&vec![1.0; train.len()])?;
    for part in &data.held_out {
        let path = args.out.join(format!("{}.jsonl", part.name));
        let n = part.sentences.len();
        let lists = match kept(&path, n)? {
            Some(known) => {
                go_on(n);
                known
            }
            None => {
                let all = sentences(part.name, &part.sentences);
                let made = candidates_of(&*parser, all, 0..n, &mut go_on)?;
                write(&path, &made)?;
                made
            }
        };
        keep(part.name, lists);
    }
    bar.finish_and_clear();
    report(args, &rows, out)
}

fn config(args: &Make) -> Result<Config> {
    let mut changes = Vec::new();
    changes.extend(args.k.map(|k| format!("rerank.candidates={k}")));
    changes.extend(args.folds.map(|n| format!("rerank.folds={n}")));
    changes.extend(args.gold_tags.then(|| "rerank.gold_tags=true".to_owned()));
    if !args.dev.is_empty() {
        changes.push(format!("data.dev={:?}", args.dev));
    }
    let config = settings(args.config.as_deref(), Kind::Bag, &args.supervision, changes)?;
    if config.data.train.0.is_empty() {
        bail!("no training trees: name some by --train, or in the config as data.train");
    }
    Ok(config)
}

/// Makes the folder, or finds that of an earlier call with the same settings.
fn begin(folder: &Path, config: &Config) -> Result<()> {
    let shown = folder.display();
    let (path, text) = (folder.join("config.toml"), config.to_toml());
    match std::fs::read_to_string(&path) {
        Ok(known) if known == text => {
            tell(&format!("note: going on in {shown}"));
            return Ok(());
        }
        Ok(_) => bail!("{shown} has candidates of other settings: name another folder"),
        Err(_) => {}
    }
    let is_filled = std::fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_some());
    if is_filled {
        bail!("{shown} is not empty, and no folder of candidates");
    }
    std::fs::create_dir_all(folder.join("folds")).with_context(|| format!("{shown}"))?;
    write_atomically(&path, text.as_bytes()).with_context(|| path.display().to_string())
}

/// Neighbouring sentences by part.
fn parts(sentences: usize, folds: usize) -> Result<Vec<Range<usize>>> {
    if sentences < folds {
        bail!("{}: too few for {folds} folds", counted(sentences, "training sentence"));
    }
    let at = |fold: usize| fold * sentences / folds;
    Ok((0..folds).map(|fold| at(fold)..at(fold + 1)).collect())
}

/// The lists of an earlier call.
fn kept(path: &Path, sentences: usize) -> Result<Option<Vec<CandidateList>>> {
    if !path.exists() {
        return Ok(None);
    }
    let file = CandidateFile::read(path, ReadOptions::default())?;
    if file.lists.len() != sentences || !file.dropped.is_empty() {
        bail!("{}: not the lists that this command wrote there", path.display());
    }
    Ok(Some(file.lists))
}

fn write(path: &Path, lists: &[CandidateList]) -> Result<()> {
    let mut text = Vec::new();
    for list in lists {
        write_list(list, ListFormat::Jsonl, &mut text)?;
    }
    write_atomically(path, &text).with_context(|| path.display().to_string())
}

fn report(args: &Make, rows: &[(String, ListStatistics)], out: &mut dyn Write) -> Result<()> {
    if args.json {
        let row = |(name, found): &(String, ListStatistics)| {
            let path = args.out.join(format!("{name}.jsonl"));
            (name.clone(), super::stats::statistics_object(&path, found))
        };
        let object: serde_json::Map<_, _> = rows.iter().map(row).collect();
        serde_json::to_writer(&mut *out, &json!(object))?;
        writeln!(out)?;
        return Ok(());
    }
    let titles = ["sentences", "empty", "mean", "first F1", "best F1", "worst F1"];
    writeln!(
        out,
        "{:8} {:>9} {:>7} {:>7} {:>9} {:>9} {:>9}",
        "", titles[0], titles[1], titles[2], titles[3], titles[4], titles[5]
    )?;
    for (name, found) in rows {
        let mean = found.candidates as f64 / found.sentences.max(1) as f64;
        writeln!(
            out,
            "{name:8} {:>9} {:>7} {mean:>7.2} {:>9.2} {:>9.2} {:>9.2}",
            found.sentences,
            found.empty,
            found.base.f1(),
            found.oracle.f1(),
            found.anti_oracle.f1()
        )?;
    }
    Ok(())
}
