//! The sizes of a model by the names that its family has for them.

use crate::config::{Config, Family, Kind};

/// Name and value of every size that the family has.
pub fn rows(config: &Config) -> Vec<(&'static str, String)> {
    let m = &config.model;
    if config.kind == Kind::Ssn {
        let known = match config.ssn.min_count {
            0 | 1 => "seen once".to_owned(),
            n => format!("seen {n} times"),
        };
        return vec![("units", config.ssn.hidden.to_string()), ("words", known)];
    }
    if config.kind == Kind::Rerank {
        let candidates = config.rerank.candidates.to_string();
        return vec![("kernel", config.rerank.kernel.name().into()), ("candidates", candidates)];
    }
    let symbols = ("symbols", format!("{} NT, {} PT", m.nonterminals, m.preterminals));
    let rank = ("rank", m.rank.to_string());
    if config.kind.is_ensemble() {
        let parser = config.parser.family.name().to_owned();
        return vec![("parser", parser), ("rounds", config.ensemble.rounds.to_string())];
    }
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
pub fn line(config: &Config) -> String {
    let words = rows(config).into_iter().map(|(name, value)| match name {
        "symbols" => value.replace(", ", "  "),
        _ => format!("{name} {value}"),
    });
    words.collect::<Vec<_>>().join("  ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Model;

    #[test]
    fn only_the_sizes_of_the_family_are_named() {
        let of =
            |family| Config { model: Model { family, ..Model::default() }, ..Config::default() };
        let ssn = Config { kind: Kind::Ssn, ..Config::default() };
        let reranker = Config { kind: Kind::Rerank, ..Config::default() };
        let boosted = Config { kind: Kind::Boost, ..Config::default() };
        assert_eq!(line(&boosted), "parser treebank-pcfg  rounds 15");
        assert_eq!(line(&reranker), "kernel top-efficient  candidates 20");
        assert_eq!(line(&ssn), "units 80  words seen 20 times");
        assert_eq!(line(&of(Family::RankPcfg)), "64 NT  128 PT  rank 128");
        assert_eq!(line(&of(Family::NPcfg)), "64 NT  128 PT");
        assert_eq!(line(&of(Family::CPcfg)), "64 NT  128 PT  latent 64");
        assert_eq!(line(&of(Family::RankHmm)), "states 256  rank 128");
        assert_eq!(line(&of(Family::Lhmm)), "states 256  features 128");
    }
}
