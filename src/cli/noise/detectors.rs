//! The rankings of one noisy treebank, each kept in a file of its own.

use crate::analysis::conflicts::Unit;
use crate::analysis::conflicts::Variation;
use crate::analysis::noise::{Ranked, ranking_from_tsv, ranking_to_tsv};
use crate::checkpoint::write_atomically;
use crate::config::Config;
use crate::ensemble::detect::{self, DETECTORS};
use crate::ensemble::{Analyses, Part};
use crate::evaluation::Agreement;
use crate::parser;
use crate::run::{self, RunFolder};
use anyhow::{Context, Result, anyhow};
use std::path::Path;

/// The user asked for an end.
#[derive(Debug, thiserror::Error)]
#[error("stopped; the same command goes on from here")]
pub struct Stopped;

/// What rankings are made of.
pub struct Sources<'a> {
    pub part: &'a Part,
    pub config: &'a Config,
    pub boost: &'a RunFolder,
    pub bag: &'a RunFolder,
    pub folds: usize,
    pub seed: u64,
}

/// Rankings by their detector.
pub type Rankings = Vec<(&'static str, Ranked)>;

/// The scores of every detector, made where they are not kept yet: sentences in the order of the
/// ranking.
pub fn rankings(folder: &Path, sources: &Sources) -> Result<Rankings> {
    std::fs::create_dir_all(folder).with_context(|| format!("{}", folder.display()))?;
    let mut all = Vec::new();
    for (name, _) in DETECTORS {
        let path = folder.join(format!("{name}.tsv"));
        let shown = || format!("{}", path.display());
        if !path.is_file() {
            let scores = sources.scores(name)?;
            let mut ranking: Ranked =
                sources.part.sentences.iter().map(|s| s.index).zip(scores).collect();
            ranking.sort_by(|a, b| b.1.total_cmp(&a.1));
            write_atomically(&path, ranking_to_tsv(&ranking).as_bytes()).with_context(shown)?;
        }
        let text = std::fs::read_to_string(&path).with_context(shown)?;
        all.push((name, ranking_from_tsv(&text).with_context(shown)?));
    }
    Ok(all)
}

impl Sources<'_> {
    /// A score for every sentence of the part.
    fn scores(&self, name: &str) -> Result<Vec<f64>> {
        let part = self.part;
        let n = part.sentences.len();
        Ok(match name {
            "random" => detect::random(n, self.seed),
            "length" => detect::length(part),
            "surprise" => {
                let inducer = parser::build(&self.config.parser)?;
                let parser = inducer.induce(&part.trees(), &vec![1.0; n])?;
                detect::surprise(part, &*parser)
            }
            "cross-validation" => {
                let go_on = |_| !run::stop_requested();
                let settings = &self.config.parser;
                detect::cross_validation(settings, part, self.folds, self.seed, go_on)?
                    .ok_or(Stopped)?
            }
            "bag-disagreement" => {
                let bags: Vec<Analyses> =
                    members(self.bag)?.into_iter().map(|(analyses, _)| analyses).collect();
                detect::bag_disagreement(part, &bags)
            }
            "bag-error" => detect::mean_error(&agreements(self.bag)?),
            "variation" => {
                let trees = part.trees();
                let evidence = Unit::ALL.map(|unit| Variation::find(&trees, unit).evidence(n));
                detect::variation(&evidence)
            }
            "mean-error" => detect::mean_error(&agreements(self.boost)?),
            "error-variance" => detect::error_variance(&agreements(self.boost)?),
            "boosting" => weights(self.boost)?,
            "boosting+conflicts" => {
                let members = members(self.boost)?;
                let members: Vec<(&Analyses, f64)> = members.iter().map(|(a, v)| (a, *v)).collect();
                let evidence = Unit::ALL.map(|unit| detect::supported(part, &members, unit));
                detect::combine(&weights(self.boost)?, &detect::variation(&evidence))
            }
            other => return Err(anyhow!("there is no detector {other}")),
        })
    }
}

/// Analyses of the training sentences by every member, with its vote.
fn members(folder: &RunFolder) -> Result<Vec<(Analyses, f64)>> {
    let mut members = Vec::new();
    for round in folder.kept_rounds()? {
        if let Some(vote) = round.vote {
            members.push((folder.kept_analyses(round.number, "train")?, vote));
        }
    }
    Ok(members)
}

/// How every member agrees with the annotation.
fn agreements(folder: &RunFolder) -> Result<Vec<Vec<Agreement>>> {
    let rounds = folder.kept_rounds()?;
    let voting = rounds.iter().filter(|round| round.vote.is_some());
    voting.map(|round| Ok(folder.kept_weights(round.number)?.agreements)).collect()
}

/// Weights after the last round.
fn weights(folder: &RunFolder) -> Result<Vec<f64>> {
    let rounds = folder.kept_rounds()?;
    let last = rounds.last().ok_or_else(|| anyhow!("boosting has no round"))?;
    let kept = folder.kept_weights(last.number)?;
    Ok(kept.after.unwrap_or(kept.before))
}
