//! Which symbols are listed, and in which order.

use crate::analysis::{SymbolStatistics, Symbols, Usage};
use crate::model::{nonterminal_name, preterminal_name, state_name};

/// The two kinds of symbols of a grammar, and that of an HMM.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Kind {
    #[default]
    Nonterminals,
    Preterminals,
    States,
}

impl Kind {
    /// The other one of the same model.
    pub fn other(self) -> Kind {
        match self {
            Kind::Nonterminals => Kind::Preterminals,
            Kind::Preterminals => Kind::Nonterminals,
            Kind::States => Kind::States,
        }
    }

    pub fn title(self) -> &'static str {
        match self {
            Kind::Nonterminals => "Nonterminals",
            Kind::Preterminals => "Preterminals",
            Kind::States => "States",
        }
    }

    /// What a symbol covers, in the plural.
    pub fn things(self) -> &'static str {
        match self {
            Kind::Nonterminals => "spans",
            Kind::Preterminals | Kind::States => "words",
        }
    }

    /// What is counted by the posterior: ends of sentences have a state, but are no words.
    pub fn expected(self) -> &'static str {
        match self {
            Kind::States => "tokens",
            other => other.things(),
        }
    }

    pub fn of(self, symbols: &Symbols) -> &[SymbolStatistics] {
        match self {
            Kind::Nonterminals => &symbols.nonterminals,
            Kind::Preterminals | Kind::States => &symbols.preterminals,
        }
    }

    pub fn usage(self, symbols: &Symbols) -> Usage {
        match self {
            Kind::Nonterminals => symbols.nonterminal_usage,
            Kind::Preterminals | Kind::States => symbols.preterminal_usage,
        }
    }

    /// The symbol's name, as in trees.
    pub fn name_of(self, symbol: usize) -> String {
        match self {
            Kind::Nonterminals => nonterminal_name(symbol as u32),
            Kind::Preterminals => preterminal_name(symbol as u32),
            Kind::States => state_name(symbol as u32),
        }
    }
}

/// What the list is sorted by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sort {
    #[default]
    Use,
    Purity,
    Number,
}

impl Sort {
    pub fn next(self) -> Sort {
        match self {
            Sort::Use => Sort::Purity,
            Sort::Purity => Sort::Number,
            Sort::Number => Sort::Use,
        }
    }

    pub fn name(self) -> &'static str {
        match self {
            Sort::Use => "by expected use",
            Sort::Purity => "by purity",
            Sort::Number => "by number",
        }
    }
}

/// Symbols that have every blank-separated part of the filter in their name, a gold label, a word
/// or a yield, sorted.
pub fn order(kind: Kind, symbols: &[SymbolStatistics], sort: Sort, filter: &str) -> Vec<usize> {
    let parts: Vec<String> = filter.split_whitespace().map(str::to_lowercase).collect();
    let has = |text: &str, part: &str| text.to_lowercase().contains(part);
    let fits = |&i: &usize| {
        let statistics = &symbols[i];
        parts.iter().all(|part| {
            has(&kind.name_of(i), part)
                || statistics.gold.iter().any(|cover| has(&cover.label, part))
                || statistics.yields.iter().any(|y| has(&y.words, part))
        })
    };
    let mut order: Vec<usize> = Symbols::order(symbols);
    if !parts.is_empty() {
        order.retain(fits);
    }
    let purity = |i: usize| symbols[i].gold.first().map_or(-1.0, |cover| cover.purity);
    match sort {
        Sort::Use => {}
        Sort::Purity => order.sort_by(|&a, &b| purity(b).total_cmp(&purity(a))),
        Sort::Number => order.sort_unstable(),
    }
    order
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::{GoldCover, Yield};

    fn symbols() -> Vec<SymbolStatistics> {
        let symbol = |expected, label: &str, purity, words: &str| SymbolStatistics {
            expected,
            gold: vec![GoldCover { label: label.into(), count: 1, recall: 0.5, purity }],
            yields: vec![Yield { words: words.into(), count: 2 }],
            ..SymbolStatistics::default()
        };
        vec![
            symbol(1.0, "NP", 0.3, "the dog"),
            symbol(9.0, "VP", 0.2, "saw the cat"),
            symbol(4.0, "NP", 0.9, "a cat"),
        ]
    }

    #[test]
    fn symbols_are_sorted_by_use_purity_or_number() {
        let sorted = |sort| order(Kind::Nonterminals, &symbols(), sort, "");
        assert_eq!(sorted(Sort::Use), [1, 2, 0]);
        assert_eq!(sorted(Sort::Purity), [2, 0, 1]);
        assert_eq!(sorted(Sort::Number), [0, 1, 2]);
    }

    #[test]
    fn filters_look_at_names_labels_and_yields() {
        let found = |filter| order(Kind::Nonterminals, &symbols(), Sort::Number, filter);
        assert_eq!(found("np"), [0, 2]);
        assert_eq!(found("cat"), [1, 2]);
        assert_eq!(found("np cat"), [2]);
        assert_eq!(found("N1"), [1]);
    }
}
