//! `consensus`: one tree of those that several models give a sentence, and its figures beside
//! theirs.

use super::args;
use super::lines;
use super::plain::tell;
use super::sentences;
use crate::analysis;
use crate::checkpoint::Checkpoint;
use crate::config::Sources;
use crate::evaluation::{Scores, Spread};
use crate::model::Wanted;
use crate::report::{Metrics, counted};
use crate::run::Group;
use crate::treebank::{LengthLimits, Preprocessing, Sentence, load};
use anyhow::{Context, Result, bail};
use serde::Serialize;
use std::collections::BTreeMap;
use std::io::Write;
use std::path::PathBuf;

/// The figures that are compared.
const COMPARED: [&str; 2] = ["s_f1", "c_f1"];

/// Figures of several models on a corpus, and of the trees that they agree on most.
#[derive(Serialize)]
pub struct Compared {
    /// Whether trees voted, or span marginals were added up.
    votes: bool,
    members: Vec<Member>,
    /// Of the members, by figure.
    spread: BTreeMap<&'static str, Spread>,
    consensus: Metrics,
}

#[derive(Serialize)]
struct Member {
    checkpoint: String,
    #[serde(flatten)]
    metrics: Metrics,
}

pub fn run(args: &args::Consensus, out: &mut dyn Write) -> Result<()> {
    let mut members = Vec::new();
    for path in &args.checkpoints {
        match Group::is_one(path) {
            true => {
                let group = Group::open(path)?;
                let best = group.best();
                let without = group.members().len() - best.len();
                if without > 0 && !best.is_empty() {
                    let seeds = counted(without, "seed");
                    tell(&format!(
                        "note: {}: left out, without best.safetensors: {seeds}",
                        path.display()
                    ));
                }
                members.extend(best);
            }
            false => members.push(path.clone()),
        }
    }
    let Some(first) = members.first() else {
        bail!("none of the seeds has a checkpoint yet");
    };
    let first = Checkpoint::load(&sentences::checkpoint_file(first)?)?;
    let max = match args.max_length.unwrap_or(first.config.evaluation.max_length) {
        0 => usize::MAX,
        max => max,
    };
    let source = Sources(vec![args.corpus.to_string_lossy().into_owned()]);
    let corpus = load(&source, "", &first.preprocessing, LengthLimits { min: 2, max })?;
    sentences::tell_problems(&corpus.problems);
    let preprocessing = first.preprocessing.clone();
    drop(first);
    let compared = compare(&members, &preprocessing, &corpus.sentences, args.votes)?;
    if !compared.has_gold() {
        bail!("{}: no sentence has a gold tree to compare with", args.corpus.display());
    }
    if args.json {
        serde_json::to_writer(&mut *out, &compared)?;
        writeln!(out)?;
        return Ok(());
    }
    for member in &compared.members {
        writeln!(out, "{}  {}", lines::figures(&member.metrics), member.checkpoint)?;
    }
    writeln!(out, "{}", compared.line())?;
    Ok(())
}

/// Parses all sentences with every checkpoint, one after the other, and adds up what they say.
pub fn compare(
    checkpoints: &[PathBuf],
    preprocessing: &Preprocessing,
    corpus: &[Sentence],
    votes: bool,
) -> Result<Compared> {
    let mut sums: Vec<analysis::Consensus> =
        corpus.iter().map(|s| analysis::Consensus::new(s.len())).collect();
    let mut members = Vec::new();
    for path in checkpoints {
        let checkpoint = sentences::checkpoint(path)?;
        check(&checkpoint, preprocessing).with_context(|| path.display().to_string())?;
        let parser = checkpoint.parser()?;
        let wanted = Wanted { tree: true, labels: false };
        let all = corpus.iter().map(Some);
        let parses = sentences::parse(&*parser, &checkpoint, all, wanted)?;
        let mut scores = Scores::default();
        for ((sentence, parse), sum) in corpus.iter().zip(parses).zip(&mut sums) {
            let Some(parse) = parse.filter(|p| p.log_prob.is_finite()) else {
                scores.skip();
                continue;
            };
            let spans: Vec<_> = parse.spans.iter().map(|s| (s.start, s.end)).collect();
            let gold = sentence.gold.as_deref();
            scores.add(sentence.len(), Some(parse.log_prob), Some(&spans), gold);
            if votes { sum.add_vote(&parse) } else { sum.add(&parse) }
        }
        let (checkpoint, metrics) = (path.display().to_string(), scores.metrics());
        members.push(Member { checkpoint, metrics });
    }
    let mut scores = Scores::default();
    for (sentence, sum) in corpus.iter().zip(&sums) {
        match sum.tree() {
            Some(tree) => scores.add(sentence.len(), None, Some(&tree), sentence.gold.as_deref()),
            None => scores.skip(),
        }
    }
    let spread = COMPARED.into_iter().filter_map(|key| {
        let values = members.iter().filter_map(|m| m.metrics.get(key));
        Some((key, Spread::of(values)?))
    });
    Ok(Compared { votes, spread: spread.collect(), members, consensus: scores.metrics() })
}

fn check(checkpoint: &Checkpoint, preprocessing: &Preprocessing) -> Result<()> {
    let family = checkpoint.config.model.family;
    if !family.has_trees() {
        bail!("{} gives no trees", family.with_article());
    }
    if checkpoint.preprocessing != *preprocessing {
        bail!("it treats sentences otherwise than the first checkpoint, so their words differ");
    }
    Ok(())
}

impl Compared {
    /// Whether there were gold trees to compare with.
    pub fn has_gold(&self) -> bool {
        self.consensus.get("s_f1").is_some()
    }

    /// `consensus  S-F1 … (members: mean …, best …)  C-F1 …`.
    pub fn line(&self) -> String {
        let by = if self.votes { "consensus by votes" } else { "consensus" };
        let mut line = by.to_owned();
        for (key, name) in COMPARED.into_iter().zip(["S-F1", "C-F1"]) {
            if let (Some(own), Some(of)) = (self.consensus.get(key), self.spread.get(key)) {
                line.push_str(&format!(
                    "  {name} {own:.2} (members: mean {:.2}, best {:.2})",
                    of.mean, of.greatest
                ));
            }
        }
        line
    }
}
