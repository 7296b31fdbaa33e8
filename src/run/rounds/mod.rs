//! What the rounds of bagging and boosting leave behind, below `rounds/` of the run folder:
//!
//! | file | holds |
//! |---|---|
//! | `train.json.gz`, `dev.json.gz`, `test.json.gz` | the sentences as parsers see them, with place and hash of the original ([`KeptPart`]); `dev` and `test` as far as they are given |
//! | `003.json` | number, vote, figures and seconds of a round ([`KeptRound`]); written last, so a round is complete iff it is there. `000` is the single parser, which has no vote |
//! | `003.weights.gz` | per training sentence: weight before and after, how often drawn, and how the analysis agrees with the annotation ([`KeptWeights`]): what sparklines and rankings are drawn from |
//! | `003.train.gz`, … | the analyses of every sentence of a part by the round's parser ([`Analyses`]) |
//!
//! The parser of a round is not kept: it is induced again from the training sentences and
//! [`Round::training_weights`], to the same bit. The events of the run have a `round` for every
//! [`KeptRound`], with the same figures. Binary files are little-endian, in gzip; each begins with
//! eight letters that name it and a schema number.

mod analyses;
mod bytes;
mod scores;
mod weights;

pub use scores::borrowed;
pub use weights::KeptWeights;

use super::trees::{read_gz, write_gz};
use super::{RunError, RunFolder, json};
use crate::ensemble::{Analyses, Annotated, Part, Round, fingerprint};
use crate::evaluation::{Agreement, Constituents};
use crate::report::{Metrics, SCHEMA};
use crate::treebank::{Place, Reader, Tree};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use std::sync::Arc;

/// A round that is complete in the folder.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct KeptRound {
    pub schema: u32,
    /// 0 is the single parser.
    pub number: u64,
    /// Weight of its vote; `None` where it has none.
    pub vote: Option<f64>,
    /// As in the event.
    pub metrics: Metrics,
    pub seconds: Metrics,
    /// Running time of the run until then, seconds.
    pub elapsed: f64,
    /// What it was made with, as far as rounds depend on it; folders of early versions lack it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub settings: Option<toml::Table>,
}

/// The sentences of one part of the data.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct KeptPart {
    pub schema: u32,
    pub sentences: Vec<KeptTree>,
}

/// A sentence with its annotation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeptTree {
    /// Where the original begins; lines and columns count from 1.
    pub file: Arc<str>,
    pub line: u32,
    pub column: u32,
    /// Number of the sentence in its corpus as read, from 0.
    pub index: usize,
    /// [`fingerprint`] of the original.
    pub hash: String,
    /// Brackets of the tree as parsers see it.
    pub tree: String,
}

impl KeptPart {
    /// What is kept of a part.
    pub fn of(part: &Part) -> KeptPart {
        let kept = |sentence: &Annotated| {
            let Place { file, line, column } = sentence.original.place.clone();
            let (hash, tree) = (fingerprint(&sentence.original), sentence.tree.to_string());
            KeptTree { file, line, column, index: sentence.index, hash, tree }
        };
        KeptPart { schema: SCHEMA, sentences: part.sentences.iter().map(kept).collect() }
    }

    /// The part again, less the originals: the trees as parsers see them stand for them. `None` if
    /// a tree is damaged.
    pub fn part(&self, name: &'static str) -> Option<Part> {
        let annotated = |kept: &KeptTree| {
            let tree = Arc::new(kept.tree()?);
            let constituents = Constituents::counted(&tree);
            Some(Annotated { original: tree.clone(), tree, index: kept.index, constituents })
        };
        let sentences = self.sentences.par_iter().map(annotated).collect::<Option<_>>()?;
        Some(Part { name, sentences })
    }
}

impl KeptTree {
    /// The tree as parsers see it; `None` if it is damaged.
    pub fn tree(&self) -> Option<Tree> {
        let mut tree = Reader::new(self.tree.as_bytes(), "kept").next()?.ok()?;
        tree.place = Place { file: self.file.clone(), line: self.line, column: self.column };
        Some(tree)
    }
}

/// Says of which round something is damaged.
fn of_round(number: u64) -> impl Fn(RunError) -> RunError {
    move |source| RunError::Round { number, source: Box::new(source) }
}

impl RunFolder {
    fn round_file(&self, number: u64, end: &str) -> PathBuf {
        self.rounds().join(format!("{number:03}.{end}"))
    }

    /// The file of a round's weights, below the run folder.
    pub(super) fn weights_name(number: u64) -> String {
        format!("rounds/{number:03}.weights.gz")
    }

    /// Complete rounds without a gap, in their order; none where there is no such folder.
    pub fn kept_rounds(&self) -> Result<Vec<KeptRound>, RunError> {
        match self.readable_rounds() {
            (rounds, None) => Ok(rounds),
            (_, Some(damage)) => Err(damage),
        }
    }

    /// The complete rounds before the first that is damaged, and what is wrong with that one.
    pub fn readable_rounds(&self) -> (Vec<KeptRound>, Option<RunError>) {
        let first = u64::from(!self.round_file(0, "json").is_file());
        let mut rounds = Vec::new();
        for number in first.. {
            let path = self.round_file(number, "json");
            if !path.is_file() {
                break;
            }
            match json::read(&path) {
                Ok(round @ KeptRound { .. }) if round.number == number => rounds.push(round),
                Ok(KeptRound { number: other, .. }) => {
                    let reason = format!("it is of round {other}");
                    let damage = of_round(number)(RunError::Malformed { path, reason });
                    return (rounds, Some(damage));
                }
                Err(damage) => return (rounds, Some(of_round(number)(damage))),
            }
        }
        (rounds, None)
    }

    /// The sentences of `train`, `dev` or `test`; `None` where there is no such part.
    pub fn kept_part(&self, name: &str) -> Result<Option<KeptPart>, RunError> {
        let path = self.rounds().join(format!("{name}.json.gz"));
        if !path.is_file() {
            return Ok(None);
        }
        json::parse(read_gz(&path)?, &path).map(Some)
    }

    /// Weights and agreements of a complete round.
    pub fn kept_weights(&self, number: u64) -> Result<KeptWeights, RunError> {
        KeptWeights::read(&self.round_file(number, "weights.gz")).map_err(of_round(number))
    }

    /// The analyses of a part in a complete round.
    pub fn kept_analyses(&self, number: u64, part: &str) -> Result<Analyses, RunError> {
        analyses::read(&self.round_file(number, &format!("{part}.gz"))).map_err(of_round(number))
    }

    /// The analyses of a part by every member that votes, with its vote.
    pub fn kept_members(&self, part: &str) -> Result<Vec<(Analyses, f64)>, RunError> {
        let rounds = self.kept_rounds()?;
        let voting = rounds.iter().filter_map(|round| Some((round.number, round.vote?)));
        voting.map(|(number, vote)| Ok((self.kept_analyses(number, part)?, vote))).collect()
    }

    /// How every member that votes agrees with the annotation of the training sentences; every
    /// round where none has a vote.
    pub fn kept_agreements(&self) -> Result<Vec<Vec<Agreement>>, RunError> {
        let rounds = self.kept_rounds()?;
        let none_votes = rounds.iter().all(|round| round.vote.is_none());
        let voting = rounds.iter().filter(|round| none_votes || round.vote.is_some());
        voting.map(|round| Ok(self.kept_weights(round.number)?.agreements)).collect()
    }

    /// Weights of the training sentences after the last round; they sum to 1. `None` before a round
    /// is complete.
    pub fn last_weights(&self) -> Result<Option<Vec<f64>>, RunError> {
        let Some(last) = self.kept_rounds()?.pop() else { return Ok(None) };
        let kept = self.kept_weights(last.number)?;
        Ok(Some(kept.after.unwrap_or(kept.before)))
    }

    pub(super) fn keep_part(&self, part: &Part) -> Result<(), RunError> {
        let folder = self.rounds();
        std::fs::create_dir_all(&folder).map_err(RunError::io(&folder))?;
        write_gz(&folder.join(format!("{}.json.gz", part.name)), &KeptPart::of(part))
    }

    /// Everything but the file that says that the round is complete.
    pub(super) fn keep_round(&self, round: &Round, parts: &[&Part]) -> Result<(), RunError> {
        KeptWeights::of(round).write(&self.round_file(round.number, "weights.gz"))?;
        for (part, kept) in parts.iter().zip(&round.analyses) {
            analyses::write(kept, &self.round_file(round.number, &format!("{}.gz", part.name)))?;
        }
        Ok(())
    }

    /// Says that the round is complete.
    pub(super) fn complete_round(
        &self,
        round: &Round,
        elapsed: f64,
        settings: toml::Table,
    ) -> Result<(), RunError> {
        let Round { number, vote, metrics, seconds, .. } = round.clone();
        let settings = Some(settings);
        let kept = KeptRound { schema: SCHEMA, number, vote, metrics, seconds, elapsed, settings };
        let path = self.round_file(number, "json");
        json::write(&path, &kept)
    }

    /// A complete round as its ensemble had it, with the analyses of these parts.
    pub(super) fn read_round(&self, kept: &KeptRound, parts: &[&str]) -> Result<Round, RunError> {
        let KeptWeights { before, after, drawn, .. } = self.kept_weights(kept.number)?;
        let analyses = parts.iter().map(|part| self.kept_analyses(kept.number, part));
        Ok(Round {
            number: kept.number,
            weights: before,
            drawn,
            next: after,
            vote: kept.vote,
            analyses: analyses.collect::<Result<_, _>>()?,
            metrics: kept.metrics.clone(),
            seconds: kept.seconds.clone(),
        })
    }
}
