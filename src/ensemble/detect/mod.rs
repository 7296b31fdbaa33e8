//! Scores that rank sentences by how likely their annotation is wrong: boosting with conflicts, and
//! everything simpler that it has to beat. Every function gives one score a sentence, the higher the
//! more suspicious.

mod combined;
mod signals;

pub use combined::{combine, combine_all, percentiles, supported};
pub use signals::{
    bag_disagreement, cross_validation, error_variance, length, mean_error, random, slips,
    surprise, variation,
};

/// Scores by what they go by, as tables name them.
pub const DETECTORS: [(&str, &str); 13] = [
    ("random", "chance"),
    ("length", "words"),
    ("surprise", "-log P of the annotation a word, by a parser of the whole treebank"),
    ("cross-validation", "1 - F1 of a parser of nine tenths that do not have the sentence"),
    ("bag-disagreement", "how much the bags' analyses differ among themselves"),
    ("bag-error", "mean share of wrong constituents over the bags"),
    ("variation", "the strongest evidence of a variation nucleus"),
    ("mean-error", "mean share of wrong constituents over the rounds of boosting"),
    ("error-variance", "variance of that share over the rounds"),
    ("boosting", "weight after the last round of boosting"),
    ("boosting+conflicts", "that weight with what the conflicts say of the sentence"),
    ("slips", "what the best single change of the tree gains, by the other trees"),
    ("combined", "boosting+conflicts and slips"),
];
