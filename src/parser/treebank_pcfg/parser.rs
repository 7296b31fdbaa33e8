//! A grammar with its lexicon, as a parser: a coarse pass over all spans, the fine grammar where
//! that left something, and ways out where nothing is left.

use super::estimate::{self, CoarseGrammar};
use super::events::Counts;
use super::inventory::Inventory;
use super::lexicon::Lexicon;
use super::output::Output;
use super::scheme::{self, Scheme};
use super::store;
use super::symbols::{NONE, Symbol};
use crate::checkpoint::TensorFile;
use crate::config::{self, LexiconKind};
use crate::inference::sparse_pcfg::{
    Chart, Coarse, Derivation, Everything, Grammar, KBest, Leaves, Node, Spans, posteriors,
};
use crate::parser::{Candidate, Fallback, Parsed, TreeParser, Words};
use crate::treebank::Tree;
use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;

/// Log-probability of a fragment beside that of its derivation: as few as possible are wanted.
const FRAGMENT: f64 = -10.0;

/// Derivations that are looked through, at most, for every tree of a list.
const DERIVATIONS_A_TREE: usize = 20;

/// An induced treebank grammar.
pub struct PcfgParser {
    prune: f64,
    max_length: usize,
    pub(super) scheme: Arc<Scheme>,
    pub(super) inventory: Arc<Inventory>,
    grammar: Grammar,
    pub(super) lexicon: Lexicon,
    /// log P(rule | left-hand side) by the ids of the inventory.
    pub(super) log_probs: Vec<f64>,
    /// log P(root).
    pub(super) roots: Vec<(Symbol, f64)>,
    coarse: CoarseGrammar,
    counts: Counts,
}

/// What the search came to.
enum Found {
    Fine(Box<Chart>, Derivation),
    /// The coarse grammar's best derivation.
    Relaxed(Derivation),
    /// Derivations of the coarse grammar side by side.
    Fragments(Vec<Vec<Node>>),
}

impl PcfgParser {
    pub fn new(
        settings: &config::Parser,
        scheme: Arc<Scheme>,
        inventory: Arc<Inventory>,
        counts: Counts,
    ) -> PcfgParser {
        let (symbols, rules) = (inventory.symbols.len(), inventory.rules.all());
        let log_probs = estimate::log_probs(symbols, rules, &counts.rules);
        let is_smooth = settings.lexicon == LexiconKind::Smoothed;
        PcfgParser {
            prune: settings.prune,
            max_length: settings.max_length,
            grammar: estimate::grammar(symbols, rules, &log_probs),
            lexicon: Lexicon::new(inventory.clone(), &counts, is_smooth),
            roots: estimate::roots(&counts.roots),
            coarse: CoarseGrammar::new(&inventory, &counts),
            log_probs,
            scheme,
            inventory,
            counts,
        }
    }

    /// A parser that [`TreeParser::store`] put into a file; says what is wrong with the file.
    pub fn restore(settings: &config::Parser, file: &TensorFile) -> Result<PcfgParser, String> {
        let mut scheme = Scheme::new(settings);
        let (inventory, counts) = store::read(file, &mut scheme)?;
        Ok(PcfgParser::new(settings, Arc::new(scheme), Arc::new(inventory), counts))
    }

    /// Number of symbols that have rules or words of their own, parts of phrases included.
    pub fn symbols(&self) -> usize {
        let rules = self.inventory.rules.all().iter().zip(&self.log_probs);
        let with_rules = rules.filter(|(_, p)| **p > f64::NEG_INFINITY).map(|(rule, _)| rule.lhs);
        let all: BTreeSet<Symbol> = with_rules.chain(self.lexicon.tags().iter().copied()).collect();
        all.len()
    }

    /// The rules without those of words, as people write symbols: left-hand side, right-hand side
    /// and log-probability, nats.
    pub fn rules(&self) -> impl Iterator<Item = (String, Vec<String>, f64)> {
        let symbols = &self.inventory.symbols;
        let rules = self.inventory.rules.all().iter().zip(&self.log_probs);
        rules.filter(|(_, p)| **p > f64::NEG_INFINITY).map(|(rule, &log_prob)| {
            let children = [rule.left, rule.right];
            let children = children.into_iter().filter(|c| *c != NONE);
            (symbols.name(rule.lhs), children.map(|c| symbols.name(c)).collect(), log_prob)
        })
    }

    /// The cells for a sentence, and whether it has all of them.
    fn spans(&self, length: usize) -> (Spans, bool) {
        if length <= self.max_length {
            return (Spans::all(length), true);
        }
        let widest = self.max_length * self.max_length / length;
        (Spans::narrow(length, widest.max(1)), false)
    }

    fn search(&self, leaves: &Leaves, spans: Spans) -> Found {
        let coarse_leaves = self.lexicon.coarse(leaves);
        let (compact, roots) = (&self.coarse.compact, &self.coarse.roots);
        let least = self.prune / 100.0;
        let Some(posteriors) = posteriors(compact, &coarse_leaves, roots, spans, least) else {
            return Found::Fragments(self.fragments(&coarse_leaves, spans));
        };
        for threshold in [self.prune, least, 0.0] {
            let filter = Coarse::new(&self.coarse.refined, &posteriors, spans, threshold);
            let chart = Chart::new(&self.grammar, leaves, spans, &filter);
            if let Some(best) = chart.best(&self.roots) {
                return Found::Fine(Box::new(chart), best);
            }
        }
        let filter = Coarse::new(&self.coarse.itself, &posteriors, spans, self.prune);
        let chart = Chart::new(&self.coarse.grammar, &coarse_leaves, spans, &filter);
        match chart.best(roots) {
            Some(best) => Found::Relaxed(best),
            None => Found::Fragments(self.fragments(&coarse_leaves, spans)),
        }
    }

    /// The best row of phrases and words of the coarse grammar.
    fn fragments(&self, leaves: &Leaves, spans: Spans) -> Vec<Vec<Node>> {
        let chart = Chart::new(&self.coarse.grammar, leaves, spans, &Everything);
        let n = leaves.len();
        let is_part = |symbol: Symbol| {
            self.inventory.symbols.is_part(self.inventory.coarse.example[symbol as usize])
        };
        // By end: log-probability, start and symbol of the last fragment.
        let mut best = vec![(f64::NEG_INFINITY, 0, NONE); n + 1];
        best[0].0 = 0.0;
        for end in 1..=n {
            for start in 0..end {
                for item in chart.cell(start, end) {
                    let log_prob = best[start].0 + item.log_prob + FRAGMENT;
                    if log_prob > best[end].0 && !is_part(item.symbol) {
                        best[end] = (log_prob, start, item.symbol);
                    }
                }
            }
        }
        let mut fragments = Vec::new();
        let mut end = n;
        while end > 0 {
            let (_, start, symbol) = best[end];
            fragments.push(chart.nodes(start, end, symbol));
            end = start;
        }
        fragments.reverse();
        fragments
    }

    /// What was found, as a tree.
    fn parsed(&self, found: Found, is_whole: bool, sentence: Words<'_>) -> Parsed {
        let score = f64::NEG_INFINITY;
        match found {
            Found::Fine(_, Derivation { nodes, log_prob }) => Parsed {
                tree: self.tree(&nodes, sentence),
                score: log_prob,
                fallback: (!is_whole).then_some(Fallback::TooLong),
            },
            Found::Relaxed(best) => {
                let mut output = self.coarse_output(sentence);
                output.derivation(&best.nodes);
                Parsed { tree: output.finish(), score, fallback: Some(Fallback::Relaxed) }
            }
            Found::Fragments(fragments) => {
                let tree = self.under_root(&fragments, sentence);
                Parsed { tree, score, fallback: Some(Fallback::Fragments) }
            }
        }
    }

    fn tree(&self, nodes: &[Node], sentence: Words<'_>) -> Tree {
        let mut output = Output::new(&self.inventory.symbols, None, sentence);
        output.derivation(nodes);
        output.finish()
    }

    fn coarse_output<'a>(&'a self, sentence: Words<'a>) -> Output<'a> {
        Output::new(&self.inventory.symbols, Some(&self.inventory.coarse.example), sentence)
    }

    /// Derivations of the coarse grammar under the likeliest root.
    fn under_root(&self, fragments: &[Vec<Node>], sentence: Words<'_>) -> Tree {
        let root = self.roots.iter().max_by(|a, b| a.1.total_cmp(&b.1));
        let (root, _) = root.expect("a grammar has a root");
        let mut output = self.coarse_output(sentence);
        output.open(self.inventory.symbols.plain(*root));
        fragments.iter().for_each(|nodes| output.derivation(nodes));
        output.finish()
    }
}

impl TreeParser for PcfgParser {
    fn size(&self) -> (usize, &'static str) {
        (self.grammar.binary().len() + self.grammar.unary().len(), "rules")
    }

    fn store(&self, file: &mut TensorFile) -> Result<(), candle_core::Error> {
        store::write(&self.inventory, &self.counts, &self.scheme, file)
    }

    fn parse(&self, sentence: Words<'_>) -> Parsed {
        let leaves = self.lexicon.leaves(sentence);
        let (spans, is_whole) = self.spans(leaves.len());
        self.parsed(self.search(&leaves, spans), is_whole, sentence)
    }

    fn k_best(&self, sentence: Words<'_>, k: usize) -> Vec<Candidate> {
        let leaves = self.lexicon.leaves(sentence);
        let (spans, is_whole) = self.spans(leaves.len());
        let chart = match self.search(&leaves, spans) {
            Found::Fine(chart, _) if is_whole && k > 1 => chart,
            found => {
                let Parsed { tree, score, .. } = self.parsed(found, is_whole, sentence);
                return [Candidate { tree, score }].into_iter().take(k).collect();
            }
        };
        let longest = self.inventory.longest_chain + 1;
        let mut derivations = KBest::new(&self.grammar, &chart, &leaves, &self.roots, longest);
        let mut candidates: Vec<Candidate> = Vec::new();
        let mut seen = HashSet::new();
        // Annotation that a tree does not show may give it several derivations.
        for rank in 0..k.saturating_mul(DERIVATIONS_A_TREE).min(u32::MAX as usize) {
            if candidates.len() == k {
                break;
            }
            let Some(Derivation { nodes, log_prob }) = derivations.get(rank as u32) else { break };
            let tree = self.tree(&nodes, sentence);
            if seen.insert(tree.to_string()) {
                candidates.push(Candidate { tree, score: log_prob });
            }
        }
        candidates
    }

    fn tree_score(&self, tree: &Tree) -> f64 {
        let mut derivation = scheme::Derivation::default();
        if self.scheme.read(tree, &self.inventory.symbols, &mut derivation).is_none() {
            return f64::NEG_INFINITY;
        }
        let root = self.roots.iter().find(|(root, _)| *root == derivation.root);
        let rules = derivation.rules.iter().map(|rule| match self.inventory.rules.get(rule) {
            Some(id) => self.log_probs[id as usize],
            None => f64::NEG_INFINITY,
        });
        let words = derivation.tags.iter().zip(tree.words()).enumerate();
        let words = words.map(|(i, (&tag, word))| self.lexicon.log_prob(tag, word, i));
        root.map_or(f64::NEG_INFINITY, |(_, p)| *p) + rules.sum::<f64>() + words.sum::<f64>()
    }
}
#[cfg(test)]
mod tests {
    use crate::config;
    use crate::parser::{ParserError, Words, build};
    use crate::treebank::{Reader, Tree};
    use std::sync::Arc;

    fn trees(text: &str) -> Vec<Arc<Tree>> {
        Reader::new(text.as_bytes(), "test").map(|t| Arc::new(t.expect("a tree"))).collect()
    }

    #[test]
    fn a_tree_that_was_learned_is_given_back() {
        let text = "(TOP (S (NP (DT the) (JJ old) (JJ tired) (NN dog)) (VP (VBZ barks))))\n\
                    (TOP (S (NP (PRP it)) (VP (VBZ sees) (NP (DT the) (NN cat)) (ADVP (RB now)))))\n\
                    (TOP (FRAG (S (S (NP (PRP we))))))";
        let trees = trees(text);
        let settings = config::Parser { min_count: 1, ..config::Parser::default() };
        let inducer = build(&settings).expect("there is such a parser");
        let parser = inducer.induce(&trees, &[1.0, 1.0, 1.0]).expect("trees");
        for tree in &trees {
            let parsed = parser.parse(Words::new(tree.words()));
            assert_eq!(parsed.tree.to_string(), tree.to_string());
            assert_eq!(parsed.fallback, None);
            assert!((parsed.score - parser.tree_score(tree)).abs() < 1e-9);
        }
    }

    #[test]
    fn weights_that_mean_nothing_are_refused() {
        let trees = trees("(S (A a))\n(S (B b))");
        let inducer = build(&config::Parser::default()).expect("there is such a parser");
        let error = |weights: &[f64]| inducer.induce(&trees, weights).err().map(|e| e.to_string());
        assert!(error(&[1.0]).expect("refused").contains("2 trees and 1 weight:"));
        assert!(error(&[1.0, f64::NAN]).expect("refused").contains("tree 1 has the weight NaN"));
        assert!(error(&[1.0, -1.0]).expect("refused").contains("tree 1 has the weight -1"));
        assert_eq!(inducer.induce(&trees, &[0.0, 0.0]).err(), Some(ParserError::NoWeight));
        assert_eq!(inducer.induce(&[], &[]).err(), Some(ParserError::NoTrees));
        assert_eq!(error(&[0.0, 2.0]), None);
    }
}
