//! Which symbols are listed, and in which order, wherever symbols are listed.

use super::{Labelled, Matched, SymbolStatistics, Symbols, Usage};
use crate::model::{nonterminal_name, preterminal_name, state_name};

/// The two kinds of symbols of a grammar, and that of an HMM.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
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

    /// Where a symbol stands in a tree: from and to behind these words.
    pub fn uses(self, tree: &Labelled, symbol: usize) -> Vec<(u32, u32)> {
        match self {
            Kind::Nonterminals => {
                let spans = tree.spans.iter().filter(|span| span.2 as usize == symbol);
                spans.map(|&(start, end, _)| (start, end)).collect()
            }
            Kind::Preterminals | Kind::States => {
                let words = (0u32..).zip(&tree.tags).filter(|(_, tag)| **tag as usize == symbol);
                words.map(|(i, _)| (i, i + 1)).collect()
            }
        }
    }

    pub fn usage(self, symbols: &Symbols) -> Usage {
        match self {
            Kind::Nonterminals => symbols.nonterminal_usage,
            Kind::Preterminals | Kind::States => symbols.preterminal_usage,
        }
    }

    /// The kind of the symbols of words, by whether there are phrases.
    pub fn of_words(symbols: &Symbols) -> Kind {
        if symbols.nonterminals.is_empty() { Kind::States } else { Kind::Preterminals }
    }

    /// The kind and number of a symbol by its name, as in trees.
    pub fn parse(name: &str) -> Option<(Kind, usize)> {
        let kind = match name.get(..1)? {
            "N" => Kind::Nonterminals,
            "T" => Kind::Preterminals,
            "S" => Kind::States,
            _ => return None,
        };
        let number = name[1..].parse().ok()?;
        (kind.name_of(number) == name).then_some((kind, number))
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
    /// F1 with the partner in another grammar.
    Partner,
}

impl Sort {
    /// The next one, where symbols may have partners.
    pub fn next(self, aligned: bool) -> Sort {
        match self {
            Sort::Use => Sort::Purity,
            Sort::Purity => Sort::Number,
            Sort::Number if aligned => Sort::Partner,
            Sort::Number | Sort::Partner => Sort::Use,
        }
    }

    pub fn name(self) -> &'static str {
        match self {
            Sort::Use => "by expected use",
            Sort::Purity => "by purity",
            Sort::Number => "by number",
            Sort::Partner => "by partner",
        }
    }
}

/// Symbols that have every blank-separated part of the filter in their name, a gold label, a word
/// or a yield, sorted; by their partners where those are given.
pub fn order(
    kind: Kind,
    symbols: &[SymbolStatistics],
    (sort, filter): (Sort, &str),
    aligned: Option<&Matched>,
) -> Vec<usize> {
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
    let f1 = |i: usize| aligned.and_then(|m| m.rows.get(i)).map_or(0.0, |row| row.f1());
    match sort {
        Sort::Use => {}
        Sort::Purity => order.sort_by(|&a, &b| purity(b).total_cmp(&purity(a))),
        Sort::Number => order.sort_unstable(),
        Sort::Partner => order.sort_by(|&a, &b| f1(b).total_cmp(&f1(a))),
    }
    order
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::{Aligned, GoldCover, Partner, Yield};

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
        let sorted = |sort| order(Kind::Nonterminals, &symbols(), (sort, ""), None);
        assert_eq!(sorted(Sort::Use), [1, 2, 0]);
        assert_eq!(sorted(Sort::Purity), [2, 0, 1]);
        assert_eq!(sorted(Sort::Number), [0, 1, 2]);
    }

    #[test]
    fn filters_look_at_names_labels_and_yields() {
        let found = |filter| order(Kind::Nonterminals, &symbols(), (Sort::Number, filter), None);
        assert_eq!(found("np"), [0, 2]);
        assert_eq!(found("cat"), [1, 2]);
        assert_eq!(found("np cat"), [2]);
        assert_eq!(found("N1"), [1]);
    }

    #[test]
    fn symbols_are_sorted_by_how_much_they_share_with_their_partners() {
        let row = |shared| Aligned {
            count: 10,
            partner: Some(Partner { symbol: 0, count: 10, shared }),
            ..Aligned::default()
        };
        let rows = vec![row(3), Aligned::default(), row(7)];
        let matched = Matched { rows, ..Matched::default() };
        let sorted = order(Kind::Nonterminals, &symbols(), (Sort::Partner, ""), Some(&matched));
        assert_eq!(sorted, [2, 0, 1]);
    }

    #[test]
    fn a_name_tells_the_kind_and_the_number_of_a_symbol() {
        assert_eq!(Kind::parse("N12"), Some((Kind::Nonterminals, 12)));
        assert_eq!(Kind::parse("T0"), Some((Kind::Preterminals, 0)));
        assert_eq!(Kind::parse("S7"), Some((Kind::States, 7)));
        for odd in ["", "N", "N-1", "N01", "NP", "X3", "é1", "n3"] {
            assert_eq!(Kind::parse(odd), None, "{odd}");
        }
    }
}
