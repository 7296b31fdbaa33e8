//! Boosting says which sentences are hard, conflicts say why one may be wrong: what looks like it
//! is annotated otherwise, and the ensemble would annotate it so too.

use super::super::Analyses;
use super::super::data::Part;
use super::super::round::voted_trees;
use crate::analysis::conflicts::{Evidence, NIL, Place, Unit, Variation, chains};
use crate::treebank::Tree;
use rayon::prelude::*;
use std::collections::HashMap;
use std::sync::Arc;

/// What evidence counts for where the ensemble's analysis is that of the annotation.
const CONTRADICTED: f64 = 0.25;

/// And where it is a third one.
const UNDECIDED: f64 = 0.5;

/// The strongest evidence against every sentence for one kind of unit, where what the ensemble
/// would annotate counts: in full where it takes the side of the others. `members` are the analyses
/// of the part by the members of an ensemble, with their votes.
pub fn supported(part: &Part, members: &[(&Analyses, f64)], unit: Unit) -> Vec<Option<Evidence>> {
    let variation = Variation::find(&part.trees(), unit);
    let found: Vec<Labels> = voted_trees(part, members)
        .into_par_iter()
        .map(|tree| tree.map(|tree| labels(&tree, unit)).unwrap_or_default())
        .collect();
    variation.weighed_evidence(part.sentences.len(), |place, label, other| {
        let Place { sentence, start, end } = place;
        let chain = found[sentence as usize].get(&(start, end)).map_or(NIL, |chain| chain);
        let is = |label: &str| match unit {
            Unit::Word | Unit::Tag | Unit::Tagging => chain == label,
            // A local tree has one of the labels over its words.
            Unit::Yield => chain.split('/').any(|one| one == label) || chain == label,
        };
        if is(other) {
            1.0
        } else if is(label) {
            CONTRADICTED
        } else {
            UNDECIDED
        }
    })
}

/// Labels by span.
type Labels = HashMap<(u32, u32), Arc<str>>;

/// What a tree has over its spans: chains of phrases, or tags.
fn labels(tree: &Tree, unit: Unit) -> Labels {
    match unit {
        Unit::Tagging => tree.tags().zip(0..).map(|(tag, i)| ((i, i + 1), tag.clone())).collect(),
        Unit::Word | Unit::Tag | Unit::Yield => {
            chains(tree).into_iter().map(|(start, end, chain)| ((start, end), chain)).collect()
        }
    }
}

/// Share of the sentences with a lower score, ties counting one half: from 0 to 1, whatever the
/// scale.
pub fn percentiles(scores: &[f64]) -> Vec<f64> {
    let mut sorted = scores.to_vec();
    sorted.sort_by(f64::total_cmp);
    let n = scores.len() as f64;
    let share = |score: &f64| {
        let below = sorted.partition_point(|s| s < score);
        let up_to = sorted.partition_point(|s| s <= score);
        (below + up_to) as f64 / 2.0 / n
    };
    scores.iter().map(share).collect()
}

/// The weights of boosting with the strength of the conflicts, from 0 to 1 each.
pub fn combine(weights: &[f64], conflicts: &[f64]) -> Vec<f64> {
    percentiles(weights).into_iter().zip(conflicts).map(|(p, strength)| p * p + strength).collect()
}

/// All that is known of a sentence: the score of its best slip, in nats, and what [`combine`] says
/// of it, from 0 to 2. One of these counts as much as a nat: that decides between sentences whose
/// slips are about as likely, and no figure of any treebank has set it.
pub fn combine_all(slips: &[f64], combined: &[f64]) -> Vec<f64> {
    slips.iter().zip(combined).map(|(slip, score)| slip + score).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_share_ties_and_forget_the_scale() {
        assert_eq!(percentiles(&[1e9, 0.0, 0.0, 5.0]), [0.875, 0.25, 0.25, 0.625]);
        assert!(percentiles(&[]).is_empty());
    }

    #[test]
    fn conflicts_decide_between_sentences_of_equal_weight() {
        let scores = combine(&[1.0, 1.0, 0.0], &[0.5, 0.25, 0.25]);
        assert!(scores[0] > scores[1] && scores[1] > scores[2]);
    }

    #[test]
    fn boosting_and_conflicts_decide_between_equal_slips_and_a_likely_slip_over_both() {
        let combined = combine(&[1.0, 2.0, 3.0], &[0.0, 0.75, 0.5]);
        let scores = combine_all(&[4.0, -1.0, -1.0], &combined);
        assert!(scores[0] > scores[2] && scores[2] > scores[1], "{scores:?}");
    }
}
