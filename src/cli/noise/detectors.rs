//! The rankings of one noisy treebank, each kept in a file of its own.

use crate::analysis::noise::{Ranked, ranking_from_tsv, ranking_to_tsv};
use crate::checkpoint::write_atomically;
use crate::config::Config;
use crate::ensemble::detect::{self, DETECTORS};
use crate::ensemble::{Analyses, Part};
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
        if let Some(scores) = self.boost.scores(name, part)? {
            return Ok(scores);
        }
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
                let members = self.bag.kept_members("train")?;
                let bags: Vec<Analyses> = members.into_iter().map(|(bag, _)| bag).collect();
                detect::bag_disagreement(part, &bags)
            }
            "bag-error" => detect::mean_error(&self.bag.kept_agreements()?),
            other => return Err(anyhow!("there is no detector {other}")),
        })
    }
}
