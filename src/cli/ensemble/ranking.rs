//! `boost ranking`: the sentences that boosting pushes up, as a table for other programs or with
//! their trees for people.

use super::args::{By, Ranking};
use crate::analysis::slips::{Slip, slips};
use crate::cli::failure::Usage;
use crate::cli::plain::tell;
use crate::config::Kind;
use crate::ensemble::{Part, voted_trees};
use crate::evaluation::{Agreement, Constituents};
use crate::report::counted;
use crate::run::{KeptPart, RunFolder, borrowed};
use crate::treebank::Tree;
use anyhow::{Result, bail};
use clap::ValueEnum;
use std::collections::BTreeSet;
use std::io::Write;
use std::path::Path;

pub fn run(args: &Ranking, out: &mut dyn Write) -> Result<()> {
    let folder = RunFolder::open(&args.run)?;
    let kind = folder.config()?.kind;
    if !kind.is_ensemble() {
        bail!("{} is no run of bag or boost", args.run.display());
    }
    let by = match (args.by, kind) {
        (None, Kind::Bag) => By::MeanError,
        (None, _) => By::Boosting,
        (Some(by), Kind::Bag) if by.weighs() => {
            let why = "bags weigh all sentences alike: rank by mean-error, error-variance, \
                       combined, variation or slips";
            return Err(Usage(format!("--by {}: {why}", name_of(by))).into());
        }
        (Some(by), _) => by,
    };
    let rounds = folder.kept_rounds()?;
    let kept = folder.kept_part("train")?;
    let (false, Some(kept)) = (rounds.is_empty(), kept) else {
        bail!("{} has no complete round yet", args.run.display());
    };
    let Some(part) = kept.part("train") else {
        bail!("{}: a sentence of rounds/train.json.gz is damaged", args.run.display());
    };
    tell_changed(&kept, &folder);
    let name = name_of(by);
    let Some(mut scores) = folder.scores(&name, &part)? else {
        bail!("sentences are not ranked by {name}");
    };
    if by == By::Boosting {
        // As multiples of the weight that all have at first.
        let n = scores.len() as f64;
        scores.iter_mut().for_each(|weight| *weight *= n);
    }
    let mut order: Vec<usize> = (0..scores.len()).collect();
    order.sort_by(|a, b| scores[*b].total_cmp(&scores[*a]).then(a.cmp(b)));
    if args.top > 0 {
        order.truncate(args.top);
    }
    // The analyses are the vote of the rounds, as far as they have one.
    let members = folder.kept_members("train")?;
    let voted = voted_trees(&part, &borrowed(&members));
    let shown = Shown { kept: &kept, part: &part, scores: &scores, voted: &voted };
    match args.trees {
        true => shown.trees(&order, out)?,
        false => shown.table(&order, out)?,
    }
    let rounds = rounds.iter().filter(|r| r.vote.is_some()).count();
    let rounds = counted(rounds, if kind == Kind::Bag { "bag" } else { "round" });
    let all = counted(scores.len(), "sentence");
    let n = order.len();
    tell(&format!("{n} of {all} by {name}, after {rounds}; sentences are counted from 0"));
    Ok(())
}

/// Says which files were written to since their sentences were read: lines may be others by now.
fn tell_changed(kept: &KeptPart, folder: &RunFolder) {
    let changed = |path: &Path| std::fs::metadata(path).and_then(|file| file.modified()).ok();
    let Some(read) = changed(&folder.rounds().join("train.json.gz")) else { return };
    let files: BTreeSet<&str> = kept.sentences.iter().map(|tree| &*tree.file).collect();
    for file in files.into_iter().filter(|file| !file.starts_with("sample:")) {
        let what = match changed(Path::new(file)) {
            Some(time) if time <= read => continue,
            Some(_) => "was written to since the run read it: its lines may be others by now",
            None => "is no longer there",
        };
        tell(&format!("warning: {file} {what}"));
    }
}

/// The name on the command line.
fn name_of(by: By) -> String {
    by.to_possible_value().map_or(String::new(), |name| name.get_name().to_owned())
}

struct Shown<'a> {
    kept: &'a KeptPart,
    part: &'a Part,
    scores: &'a [f64],
    voted: &'a [Option<Tree>],
}

impl Shown<'_> {
    fn agreement(&self, i: usize) -> Agreement {
        let found = self.voted[i].as_ref().map(Constituents::counted);
        self.part.sentences[i].constituents.agreement(&found.unwrap_or_default())
    }

    /// As `noise score` takes it: rank, sentence and score first.
    fn table(&self, order: &[usize], out: &mut dyn Write) -> Result<()> {
        writeln!(out, "rank\tsentence\tscore\tcorrect\tspurious\tmissing\tfile\tline\twords")?;
        for (rank, &i) in order.iter().enumerate() {
            let (kept, a) = (&self.kept.sentences[i], self.agreement(i));
            let words = self.part.sentences[i].tree.words().join(" ");
            writeln!(
                out,
                "{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{words}",
                rank + 1,
                kept.index,
                self.scores[i],
                a.correct,
                a.spurious,
                a.missing,
                kept.file,
                kept.line
            )?;
        }
        Ok(())
    }

    fn trees(&self, order: &[usize], out: &mut dyn Write) -> Result<()> {
        let slips = slips(&self.part.trees());
        for (rank, &i) in order.iter().enumerate() {
            let (kept, a) = (&self.kept.sentences[i], self.agreement(i));
            writeln!(
                out,
                "{}. sentence {}, score {:.4}, {} correct, {} spurious, {} missing  {}:{}",
                rank + 1,
                kept.index,
                self.scores[i],
                a.correct,
                a.spurious,
                a.missing,
                kept.file,
                kept.line
            )?;
            writeln!(out, "   annotated  {}", kept.tree)?;
            let voted = self.voted[i].as_ref().map_or("-".to_owned(), Tree::to_string);
            writeln!(out, "   analysed   {voted}")?;
            if let Some(Slip { gain, change, span: (start, end) }) = &slips[i]
                && *gain > 0.0
            {
                // Counted from 1, as on the screen.
                let place = match end - start {
                    1 => format!("word {end}"),
                    _ => format!("words {} to {end}", start + 1),
                };
                writeln!(out, "   slip       {change}, {place} (gains {gain:.1} nats)")?;
            }
            writeln!(out)?;
        }
        Ok(())
    }
}
