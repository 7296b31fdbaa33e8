use super::{Kind, PlantedError};
use crate::evaluation::Ranking;
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
    /// Planted sentences that the ranking does not have; they count as ranked last.
    pub unranked: usize,
}

impl Scores {
    /// Scores a ranking. A planted sentence that is missing in it comes last.
    pub fn of(ranking: &[(usize, f64)], planted: &[PlantedError]) -> Scores {
        let mut kind_of: BTreeMap<usize, BTreeSet<Kind>> = BTreeMap::new();
        for error in planted {
            kind_of.entry(error.sentence).or_default().insert(error.kind);
        }
        let ranked: BTreeSet<usize> = ranking.iter().map(|(sentence, _)| *sentence).collect();
        let missing: Vec<usize> =
            kind_of.keys().copied().filter(|sentence| !ranked.contains(sentence)).collect();
        let items: Vec<(usize, f64)> = ranking
            .iter()
            .copied()
            .chain(missing.iter().map(|&sentence| (sentence, f64::NEG_INFINITY)))
            .collect();
        let kinds: BTreeSet<Kind> = planted.iter().map(|error| error.kind).collect();
        let figures = |kind: Option<Kind>| {
            let item = |&(sentence, score): &(usize, f64)| match (kind_of.get(&sentence), kind) {
                (None, _) => Some((score, false)),
                (Some(_), None) => Some((score, true)),
                (Some(kinds), Some(kind)) => kinds.contains(&kind).then_some((score, true)),
            };
            Figures::of(&Ranking::sorted(items.iter().filter_map(item).collect()))
        };
        Scores {
            all: figures(None),
            kinds: kinds.into_iter().map(|kind| (kind, figures(Some(kind)))).collect(),
            unranked: missing.len(),
        }
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
        let ranking = [(0, 3.0), (1, 2.0), (2, 1.0), (3, 0.0)];
        let scores = Scores::of(&ranking, &planted);
        assert_eq!((scores.all.planted, scores.unranked), (3, 1));
        assert_eq!(scores.all.precision_at_planted, 2.0 / 3.0);
        let label = &scores.kinds[&Kind::Label];
        assert_eq!((label.planted, label.average_precision), (1, Some(1.0)));
        let tag = &scores.kinds[&Kind::Tag];
        assert_eq!((tag.planted, tag.roc_auc), (2, Some(0.5)));
        assert_eq!(tag.precision_at_50, 2.0 / 50.0);
    }

    #[test]
    fn nothing_planted_has_no_average() {
        let scores = Scores::of(&[(0, 1.0)], &[]);
        assert_eq!((scores.all.average_precision, scores.kinds.len()), (None, 0));
    }
}
