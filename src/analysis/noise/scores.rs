use super::{Kind, PlantedError};
use crate::evaluation::Ranking;
use crate::report::counted;
use std::collections::{BTreeMap, BTreeSet};

/// A ranking of sentences, the most suspicious first: sentence and score.
pub type Ranked = Vec<(usize, f64)>;

/// How well a ranking finds planted errors.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Figures {
    /// Sentences with an error.
    pub planted: usize,
    /// From 0 to 1, as the others; tied sentences share their places.
    pub precision_at_50: f64,
    pub precision_at_100: f64,
    /// Among as many as are planted.
    pub precision_at_planted: f64,
    /// `None` where nothing is planted.
    pub average_precision: Option<f64>,
    /// `None` where nothing, or everything, is planted.
    pub roc_auc: Option<f64>,
}

/// Figures over all errors, and by kind among the sentences without one of another kind.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Scores {
    pub all: Figures,
    pub kinds: BTreeMap<Kind, Figures>,
}

/// Why a ranking cannot be scored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RankingError {
    #[error("sentence {0} is ranked twice")]
    Twice(usize),
    /// Figures of a part would flatter a ranking: of what is not planted there is less, too.
    #[error(
        "not ranked {}, the first of them {first}; a ranking is scored as a whole (`boost ranking` \
         without --top)",
        counted(*missing, "planted sentence")
    )]
    Partial { missing: usize, first: usize },
}

impl Scores {
    /// Scores a ranking of all sentences, each once.
    pub fn of(ranking: &[(usize, f64)], planted: &[PlantedError]) -> Result<Scores, RankingError> {
        let mut kind_of: BTreeMap<usize, BTreeSet<Kind>> = BTreeMap::new();
        for error in planted {
            kind_of.entry(error.sentence).or_default().insert(error.kind);
        }
        let mut ranked = BTreeSet::new();
        if let Some((twice, _)) = ranking.iter().find(|(sentence, _)| !ranked.insert(*sentence)) {
            return Err(RankingError::Twice(*twice));
        }
        let mut missing = kind_of.keys().copied().filter(|sentence| !ranked.contains(sentence));
        if let Some(first) = missing.next() {
            return Err(RankingError::Partial { missing: 1 + missing.count(), first });
        }
        let kinds: BTreeSet<Kind> = planted.iter().map(|error| error.kind).collect();
        let figures = |kind: Option<Kind>| {
            let item = |&(sentence, score): &(usize, f64)| match (kind_of.get(&sentence), kind) {
                (None, _) => Some((score, false)),
                (Some(_), None) => Some((score, true)),
                (Some(kinds), Some(kind)) => kinds.contains(&kind).then_some((score, true)),
            };
            Figures::of(&Ranking::sorted(ranking.iter().filter_map(item).collect()))
        };
        Ok(Scores {
            all: figures(None),
            kinds: kinds.into_iter().map(|kind| (kind, figures(Some(kind)))).collect(),
        })
    }
}

impl Figures {
    fn of(ranking: &Ranking) -> Figures {
        let planted = ranking.planted();
        Figures {
            planted,
            precision_at_50: ranking.precision_at_expected(50),
            precision_at_100: ranking.precision_at_expected(100),
            precision_at_planted: ranking.precision_at_expected(planted),
            average_precision: ranking.average_precision(),
            roc_auc: ranking.roc_auc(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(sentence: usize, kind: Kind) -> PlantedError {
        let (start, end, before, after) = (0, 1, String::new(), String::new());
        PlantedError { sentence, kind, start, end, before, after }
    }

    #[test]
    fn kinds_are_scored_among_sentences_without_another_error() {
        let planted = [error(0, Kind::Label), error(1, Kind::Tag), error(9, Kind::Tag)];
        let ranking = [(0, 3.0), (1, 2.0), (2, 1.0), (3, 0.0), (9, -1.0)];
        let scores = Scores::of(&ranking, &planted).expect("whole");
        assert_eq!(scores.all.planted, 3);
        assert_eq!(scores.all.precision_at_planted, 2.0 / 3.0);
        let label = &scores.kinds[&Kind::Label];
        assert_eq!((label.planted, label.average_precision), (1, Some(1.0)));
        let tag = &scores.kinds[&Kind::Tag];
        assert_eq!((tag.planted, tag.roc_auc), (2, Some(0.5)));
        assert_eq!(tag.precision_at_50, 2.0 / 50.0);
    }

    #[test]
    fn a_part_of_a_ranking_is_refused_and_so_is_a_sentence_ranked_twice() {
        let planted = [error(0, Kind::Label), error(4, Kind::Tag), error(9, Kind::Tag)];
        let partial = RankingError::Partial { missing: 2, first: 4 };
        assert_eq!(Scores::of(&[(0, 1.0), (1, 0.5)], &planted), Err(partial));
        let twice = [(0, 1.0), (4, 0.5), (9, 0.2), (4, 0.1)];
        assert_eq!(Scores::of(&twice, &planted), Err(RankingError::Twice(4)));
    }

    #[test]
    fn nothing_planted_has_no_average() {
        let scores = Scores::of(&[(0, 1.0)], &[]).expect("whole");
        assert_eq!((scores.all.average_precision, scores.kinds.len()), (None, 0));
    }
}
