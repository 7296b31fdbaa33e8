//! The sizes of a model by the names that its family has for them.

use crate::config::{Family, Model};

/// Name and value of every size that the family has.
pub fn rows(m: &Model) -> Vec<(&'static str, String)> {
    let symbols = ("symbols", format!("{} NT, {} PT", m.nonterminals, m.preterminals));
    let rank = ("rank", m.rank.to_string());
    match m.family {
        Family::RankPcfg | Family::TdPcfg | Family::Lpcfg => vec![symbols, rank],
        Family::NPcfg => vec![symbols],
        Family::CPcfg => vec![symbols, ("latent", m.latent.to_string())],
        Family::RankHmm => vec![("states", m.states.to_string()), rank],
        Family::Lhmm => vec![("states", m.states.to_string()), ("features", m.rank.to_string())],
        Family::Hmm => vec![("states", m.states.to_string())],
        Family::Ngram => vec![("order", m.order.to_string())],
    }
}

/// The sizes in one line.
pub fn line(m: &Model) -> String {
    let words = rows(m).into_iter().map(|(name, value)| match name {
        "symbols" => value.replace(", ", "  "),
        _ => format!("{name} {value}"),
    });
    words.collect::<Vec<_>>().join("  ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_sizes_of_the_family_are_named() {
        let of = |family| Model { family, ..Model::default() };
        assert_eq!(line(&of(Family::RankPcfg)), "64 NT  128 PT  rank 128");
        assert_eq!(line(&of(Family::NPcfg)), "64 NT  128 PT");
        assert_eq!(line(&of(Family::CPcfg)), "64 NT  128 PT  latent 64");
        assert_eq!(line(&of(Family::RankHmm)), "states 256  rank 128");
        assert_eq!(line(&of(Family::Lhmm)), "states 256  features 128");
    }
}
