//! Which symbols of one grammar do what those of another do: two seeds, or two moments of one
//! training, number the same categories differently.

use super::matching::{Edge, heaviest_matching};
use super::{Agreement, Labelled, Symbols};
use std::collections::{BTreeMap, HashMap};

/// Symbols kept that share most with one.
const NEAREST: usize = 10;

/// The symbols of a grammar (or states of an HMM) beside those of another, over the trees that
/// both give the same sentences.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Alignment {
    /// Sentences that both analyse; only these count.
    pub sentences: usize,
    /// By spans of two words and more; empty where one of the two has no phrases.
    pub nonterminals: Matched,
    /// By words; of an HMM its states.
    pub preterminals: Matched,
}

/// One kind of symbol, matched by the things (spans, words) that both label.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Matched {
    /// Things in the trees of the one, and of the other.
    pub own: u64,
    pub other: u64,
    /// Things in both.
    pub shared: u64,
    /// Shared things whose two symbols are partners.
    pub matched: u64,
    /// Of both labellings of the shared things.
    pub agreement: Agreement,
    /// What every symbol of the one is in the other.
    pub rows: Vec<Aligned>,
}

/// What a symbol is in the other grammar.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Aligned {
    /// Things with the symbol.
    pub count: u32,
    /// Its partner, if it has one.
    pub partner: Option<Partner>,
    /// Symbols of the other with the number of things that are this one's too, most first.
    pub nearest: Vec<(usize, u32)>,
}

/// The symbol of the other grammar that one is matched with: one to one, so that as many shared
/// things as can be have partners as their symbols.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Partner {
    pub symbol: usize,
    /// Things with the partner.
    pub count: u32,
    /// Things that have both symbols.
    pub shared: u32,
}

impl Aligned {
    /// F1 of the things of the symbol and of its partner, 0 to 1; 0 without one.
    pub fn f1(&self) -> f64 {
        let Some(partner) = self.partner else { return 0.0 };
        2.0 * f64::from(partner.shared) / (f64::from(self.count) + f64::from(partner.count))
    }
}

impl Matched {
    /// Share of the shared things whose symbols are partners: one-to-one accuracy, 0 to 1.
    pub fn one_to_one(&self) -> f64 {
        self.matched as f64 / self.shared.max(1) as f64
    }
}

impl Alignment {
    /// Aligns the symbols of `one` with those of `other`, found on the same sentences.
    pub fn new(one: &Symbols, other: &Symbols) -> Alignment {
        let sentences = one.trees.iter().zip(&other.trees);
        let both: Vec<(&Labelled, &Labelled)> =
            sentences.filter_map(|(a, b)| Some((a.as_ref()?, b.as_ref()?))).collect();
        let mut phrases = Counts::new(one.nonterminals.len(), other.nonterminals.len());
        let mut words = Counts::new(one.preterminals.len(), other.preterminals.len());
        for (a, b) in &both {
            let symbols: HashMap<(u32, u32), u32> =
                b.spans.iter().map(|&(start, end, symbol)| ((start, end), symbol)).collect();
            for &(start, end, symbol) in &a.spans {
                phrases.add(Some(symbol), None);
                if let Some(&other) = symbols.get(&(start, end)) {
                    phrases.meet(symbol, other);
                }
            }
            b.spans.iter().for_each(|&(_, _, symbol)| phrases.add(None, Some(symbol)));
            for (&a, &b) in a.tags.iter().zip(&b.tags) {
                words.add(Some(a), Some(b));
                words.meet(a, b);
            }
        }
        let has_phrases = !one.nonterminals.is_empty() && !other.nonterminals.is_empty();
        Alignment {
            sentences: both.len(),
            nonterminals: if has_phrases { phrases.matched() } else { Matched::default() },
            preterminals: words.matched(),
        }
    }
}

/// How often which symbols meet.
struct Counts {
    own: Vec<u32>,
    other: Vec<u32>,
    both: BTreeMap<(u32, u32), u32>,
}

impl Counts {
    fn new(own: usize, other: usize) -> Counts {
        Counts { own: vec![0; own], other: vec![0; other], both: BTreeMap::new() }
    }

    /// A thing of one of the two, or of each.
    fn add(&mut self, own: Option<u32>, other: Option<u32>) {
        for (counts, symbol) in [(&mut self.own, own), (&mut self.other, other)] {
            if let Some(symbol) = symbol {
                counts[symbol as usize] += 1;
            }
        }
    }

    fn meet(&mut self, own: u32, other: u32) {
        *self.both.entry((own, other)).or_insert(0) += 1;
    }

    fn matched(self) -> Matched {
        let edges: Vec<Edge> = self
            .both
            .iter()
            .map(|(&(row, column), &weight)| Edge {
                row: row as usize,
                column: column as usize,
                weight,
            })
            .collect();
        let partners = heaviest_matching(self.own.len(), self.other.len(), &edges);
        let mut rows: Vec<Aligned> =
            self.own.iter().map(|&count| Aligned { count, ..Aligned::default() }).collect();
        for edge in &edges {
            rows[edge.row].nearest.push((edge.column, edge.weight));
        }
        for (row, partner) in rows.iter_mut().zip(&partners) {
            row.nearest.sort_by_key(|&(symbol, shared)| (std::cmp::Reverse(shared), symbol));
            let shared = |symbol| row.nearest.iter().find(|n| n.0 == symbol).map_or(0, |n| n.1);
            row.partner = partner.map(|symbol| Partner {
                symbol,
                count: self.other[symbol],
                shared: shared(symbol),
            });
            row.nearest.truncate(NEAREST);
        }
        let sum = |counts: &[u32]| counts.iter().map(|&n| u64::from(n)).sum();
        let joint = self.both.iter().map(|(&pair, &count)| (pair, f64::from(count)));
        Matched {
            own: sum(&self.own),
            other: sum(&self.other),
            shared: edges.iter().map(|e| u64::from(e.weight)).sum(),
            matched: rows.iter().filter_map(|r| Some(u64::from(r.partner?.shared))).sum(),
            agreement: Agreement::new(joint),
            rows,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::SymbolStatistics;

    /// Spans and tags of a sentence.
    type Tree<'a> = (&'a [(u32, u32, u32)], &'a [u32]);

    /// Symbols with these trees.
    fn symbols(kinds: (usize, usize), trees: &[Option<Tree>]) -> Symbols {
        let tree = |&(spans, tags): &Tree| Labelled { spans: spans.to_vec(), tags: tags.to_vec() };
        Symbols {
            nonterminals: vec![SymbolStatistics::default(); kinds.0],
            preterminals: vec![SymbolStatistics::default(); kinds.1],
            trees: trees.iter().map(|t| t.as_ref().map(tree)).collect(),
            ..Symbols::default()
        }
    }

    #[test]
    fn renumbered_symbols_are_each_others_partners() {
        let one = symbols(
            (3, 2),
            &[
                Some((&[(0, 3, 0), (1, 3, 1)], &[0, 1, 1])),
                None,
                Some((&[(0, 2, 0)], &[0, 1])),
                Some((&[(0, 2, 2)], &[1, 1])),
            ],
        );
        let other = symbols(
            (3, 2),
            &[
                Some((&[(0, 3, 2), (1, 3, 0)], &[1, 0, 0])),
                Some((&[(0, 2, 1)], &[0, 0])),
                Some((&[(0, 2, 2)], &[1, 0])),
                None,
            ],
        );
        let alignment = Alignment::new(&one, &other);
        assert_eq!(alignment.sentences, 2);
        let phrases = &alignment.nonterminals;
        let partner = |symbol, count| Some(Partner { symbol, count, shared: count });
        let partners: Vec<_> = phrases.rows.iter().map(|row| row.partner).collect();
        // Symbol 2 stands only where the other has no tree.
        assert_eq!(partners, [partner(2, 2), partner(0, 1), None]);
        assert_eq!((phrases.shared, phrases.one_to_one()), (3, 1.0));
        assert!((phrases.agreement.v_measure() - 1.0).abs() < 1e-12);
        assert_eq!((phrases.rows[0].f1(), phrases.rows[2].f1()), (1.0, 0.0));
        let words = &alignment.preterminals;
        assert_eq!((words.own, words.other, words.matched), (5, 5, 5));
    }

    #[test]
    fn what_one_symbol_covers_and_two_share_goes_to_the_pair_that_is_worth_most() {
        // 0 is split: most of it is 1 of the other, some 0; 1 has nothing but 1.
        let one = symbols((0, 2), &[Some((&[], &[0, 0, 0, 0, 0, 1, 1, 1]))]);
        let other = symbols((0, 2), &[Some((&[], &[1, 1, 1, 0, 0, 1, 1, 1]))]);
        let words = Alignment::new(&one, &other).preterminals;
        assert_eq!(words.rows[0].nearest, [(1, 3), (0, 2)]);
        assert_eq!(words.rows[0].partner.map(|p| p.symbol), Some(0));
        assert_eq!(words.rows[1].partner.map(|p| p.symbol), Some(1));
        assert_eq!((words.matched, words.one_to_one()), (5, 5.0 / 8.0));
        assert!((words.rows[0].f1() - 4.0 / 7.0).abs() < 1e-12);
    }

    #[test]
    fn spans_of_one_tree_alone_are_not_shared() {
        let one = symbols((1, 1), &[Some((&[(0, 3, 0), (0, 2, 0)], &[0, 0, 0]))]);
        let other = symbols((1, 1), &[Some((&[(0, 3, 0), (1, 3, 0)], &[0, 0, 0]))]);
        let phrases = Alignment::new(&one, &other).nonterminals;
        assert_eq!((phrases.own, phrases.other, phrases.shared), (2, 2, 1));
        assert_eq!(phrases.rows[0].f1(), 0.5);
    }

    #[test]
    fn a_grammar_and_an_hmm_are_aligned_by_words() {
        let grammar = symbols((1, 1), &[Some((&[(0, 2, 0)], &[0, 0]))]);
        let chain = symbols((0, 3), &[Some((&[], &[2, 2]))]);
        let alignment = Alignment::new(&grammar, &chain);
        assert_eq!(alignment.nonterminals, Matched::default());
        assert_eq!(alignment.preterminals.matched, 2);
    }

    #[test]
    fn thousands_of_symbols_are_aligned_in_a_moment() {
        // 9000 symbols of each on 120 000 words; in one block of four they go elsewhere.
        let tags: Vec<u32> = (0..120_000u32).map(|i| i * 7919 % 9000).collect();
        let moved = |(i, &tag): (usize, &u32)| match i / 9000 % 4 {
            3 => (tag + 1 + i as u32 % 7) % 9000,
            _ => 8999 - tag,
        };
        let others: Vec<u32> = tags.iter().enumerate().map(moved).collect();
        let one = symbols((0, 9000), &[Some((&[], &tags))]);
        let other = symbols((0, 9000), &[Some((&[], &others))]);
        let start = std::time::Instant::now();
        let words = Alignment::new(&one, &other).preterminals;
        println!("9000 by 9000 symbols over 120 000 words: {:.1?}", start.elapsed());
        assert!(words.one_to_one() > 0.74, "{}", words.one_to_one());
        let right = words
            .rows
            .iter()
            .enumerate()
            .filter(|(i, row)| row.partner.is_none_or(|partner| partner.symbol == 8999 - i));
        assert_eq!(right.count(), 9000);
    }
}
