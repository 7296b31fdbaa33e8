//! `boost ranking`: the sentences that boosting pushes up, as a table for other programs or with
//! their trees for people.

use super::args::{By, Ranking};
use crate::analysis::conflicts::{Unit, Variation};
use crate::cli::plain::tell;
use crate::ensemble::{Analyses, Part, detect, voted_trees};
use crate::evaluation::Agreement;
use crate::report::counted;
use crate::run::{KeptPart, KeptRound, RunFolder};
use crate::treebank::Tree;
use anyhow::{Result, bail};
use std::io::Write;

pub fn run(args: &Ranking, out: &mut dyn Write) -> Result<()> {
    let folder = RunFolder::open(&args.run)?;
    if !folder.config()?.kind.is_ensemble() {
        bail!("{} is no run of bag or boost", args.run.display());
    }
    let rounds = folder.kept_rounds()?;
    let kept = folder.kept_part("train")?;
    let (Some(last), Some(kept)) = (rounds.last(), kept) else {
        bail!("{} has no complete round yet", args.run.display());
    };
    let Some(part) = kept.part("train") else {
        bail!("{}: a sentence of rounds/train.json.gz is damaged", args.run.display());
    };
    let scores = scores(args.by, &folder, &rounds, last, &part)?;
    let mut order: Vec<usize> = (0..scores.len()).collect();
    order.sort_by(|a, b| scores[*b].total_cmp(&scores[*a]).then(a.cmp(b)));
    if args.top > 0 {
        order.truncate(args.top);
    }
    // The analyses are the vote of the rounds, as far as they have one.
    let voted = voted_trees(&part, &refs(&members(&folder, &rounds)?));
    let shown = Shown { kept: &kept, part: &part, scores: &scores, voted: &voted };
    match args.trees {
        true => shown.trees(&order, out)?,
        false => shown.table(&order, out)?,
    }
    let by = counted(rounds.iter().filter(|r| r.vote.is_some()).count(), "round");
    tell(&format!("{} of {}, after {by}", order.len(), counted(scores.len(), "sentence")));
    Ok(())
}

fn scores(
    by: By,
    folder: &RunFolder,
    rounds: &[KeptRound],
    last: &KeptRound,
    part: &Part,
) -> Result<Vec<f64>> {
    let n = part.sentences.len();
    let agreements = || -> Result<Vec<Vec<Agreement>>> {
        let voting = rounds.iter().filter(|round| round.vote.is_some());
        voting.map(|round| Ok(folder.kept_weights(round.number)?.agreements)).collect()
    };
    // As multiples of the weight that all have at first.
    let weights = || -> Result<Vec<f64>> {
        let kept = folder.kept_weights(last.number)?;
        let weights = kept.after.unwrap_or(kept.before);
        Ok(weights.into_iter().map(|w| w * n as f64).collect())
    };
    Ok(match by {
        By::Boosting => weights()?,
        By::MeanError => detect::mean_error(&agreements()?),
        By::ErrorVariance => detect::error_variance(&agreements()?),
        By::Variation => {
            let trees = part.trees();
            detect::variation(&Unit::ALL.map(|unit| Variation::find(&trees, unit).evidence(n)))
        }
        By::BoostingConflicts => {
            let members = members(folder, rounds)?;
            let evidence = Unit::ALL.map(|unit| detect::supported(part, &refs(&members), unit));
            detect::combine(&weights()?, &detect::variation(&evidence))
        }
    })
}

/// Analyses of the training sentences by every member, with its vote.
fn members(folder: &RunFolder, rounds: &[KeptRound]) -> Result<Vec<(Analyses, f64)>> {
    let voting = rounds.iter().filter_map(|round| Some((round.number, round.vote?)));
    voting.map(|(number, vote)| Ok((folder.kept_analyses(number, "train")?, vote))).collect()
}

fn refs(members: &[(Analyses, f64)]) -> Vec<(&Analyses, f64)> {
    members.iter().map(|(analyses, vote)| (analyses, *vote)).collect()
}

struct Shown<'a> {
    kept: &'a KeptPart,
    part: &'a Part,
    scores: &'a [f64],
    voted: &'a [Option<Tree>],
}

impl Shown<'_> {
    fn agreement(&self, i: usize) -> Agreement {
        let found = self.voted[i].as_ref().map(crate::evaluation::Constituents::counted);
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
            writeln!(out, "   analysed   {voted}\n")?;
        }
        Ok(())
    }
}
