//! A grammar with its lexicon, as a parser.

use super::events::{Counts, Events};
use super::lexicon::Lexicon;
use super::scheme::{Derivation, Scheme};
use super::symbols::{NONE, Symbol};
use crate::inference::sparse_pcfg::{self, BinaryRule, Grammar, Node, UnaryRule, viterbi};
use crate::parser::{Candidate, Fallback, Parsed, TreeParser, Words};
use crate::treebank::{Place, Tree, TreeBuilder};
use std::sync::Arc;

/// An induced treebank grammar.
pub struct PcfgParser {
    scheme: Arc<Scheme>,
    events: Arc<Events>,
    grammar: Grammar,
    lexicon: Lexicon,
    /// log P(rule | left-hand side) by the ids of the events.
    log_probs: Vec<f64>,
    /// log P(root).
    roots: Vec<(Symbol, f64)>,
}

impl PcfgParser {
    pub fn new(scheme: Arc<Scheme>, events: Arc<Events>, counts: &Counts) -> PcfgParser {
        let symbols = events.symbols.len();
        let mut of_lhs = vec![0.0; symbols];
        let rules = events.rules.all();
        for (rule, weight) in rules.iter().zip(&counts.rules) {
            of_lhs[rule.lhs as usize] += weight;
        }
        let log_probs: Vec<f64> = rules
            .iter()
            .zip(&counts.rules)
            .map(|(rule, weight)| match *weight > 0.0 {
                true => (weight / of_lhs[rule.lhs as usize]).ln(),
                false => f64::NEG_INFINITY,
            })
            .collect();
        let (mut binary, mut unary) = (Vec::new(), Vec::new());
        for (rule, &log_prob) in rules.iter().zip(&log_probs) {
            let (parent, left) = (rule.lhs, rule.left);
            match rule.right {
                NONE => unary.push(UnaryRule { parent, child: left, log_prob }),
                right => binary.push(BinaryRule { parent, left, right, log_prob }),
            }
        }
        let total: f64 = counts.roots.iter().map(|(_, weight)| weight).sum();
        let roots = counts.roots.iter().map(|(root, weight)| (*root, (weight / total).ln()));
        PcfgParser {
            grammar: Grammar::new(symbols, binary, unary),
            lexicon: Lexicon::new(&events, counts),
            roots: roots.collect(),
            log_probs,
            scheme,
            events,
        }
    }

    /// The rules without those of words, as people write symbols: left-hand side, right-hand side
    /// and log-probability, nats.
    pub fn rules(&self) -> impl Iterator<Item = (String, Vec<String>, f64)> {
        let symbols = &self.events.symbols;
        let rules = self.events.rules.all().iter().zip(&self.log_probs);
        rules.filter(|(_, p)| **p > f64::NEG_INFINITY).map(|(rule, &log_prob)| {
            let children = [rule.left, rule.right];
            let children = children.into_iter().filter(|c| *c != NONE);
            (symbols.name(rule.lhs), children.map(|c| symbols.name(c)).collect(), log_prob)
        })
    }

    /// The tree of a derivation: parts are spliced, labels lose their annotation.
    fn tree(&self, nodes: &[Node], words: &[Arc<str>]) -> Tree {
        let symbols = &self.events.symbols;
        let mut builder = TreeBuilder::new();
        // Ends of the open nodes, in children still to come; parts open no bracket.
        let mut open: Vec<(u8, bool)> = Vec::new();
        for node in nodes {
            let label = symbols.plain(node.symbol).clone();
            if node.children == 0 {
                builder.word(label, words[node.start as usize].clone());
            } else {
                let is_part = symbols.is_part(node.symbol);
                if !is_part {
                    builder.open(label);
                }
                open.push((node.children, is_part));
                continue;
            }
            while let Some((left, is_part)) = open.last_mut() {
                *left -= 1;
                if *left > 0 {
                    break;
                }
                if !*is_part {
                    builder.close();
                }
                open.pop();
            }
        }
        builder.finish(Place::default()).expect("a derivation is a tree")
    }

    /// All words under the likeliest root, where there is nothing better.
    fn flat(&self, leaves: &sparse_pcfg::Leaves, words: &[Arc<str>]) -> Tree {
        let symbols = &self.events.symbols;
        let best = |candidates: &[(Symbol, f64)]| {
            candidates.iter().copied().max_by(|a, b| a.1.total_cmp(&b.1)).map(|(s, _)| s)
        };
        let label = |s: Option<Symbol>| s.map_or("".into(), |s| symbols.plain(s).clone());
        let mut builder = TreeBuilder::new();
        builder.open(label(best(&self.roots)));
        for (word, tags) in words.iter().zip(leaves) {
            builder.word(label(best(tags)), word.clone());
        }
        if words.is_empty() {
            builder.word("", "");
        }
        builder.close();
        builder.finish(Place::default()).expect("a root over words is a tree")
    }
}

impl TreeParser for PcfgParser {
    fn parse(&self, sentence: Words<'_>) -> Parsed {
        let leaves = self.lexicon.leaves(sentence);
        match viterbi(&self.grammar, &leaves, &self.roots, |_, _, _| true) {
            Some(best) => Parsed {
                tree: self.tree(&best.nodes, sentence.words),
                score: best.log_prob,
                fallback: None,
            },
            None => Parsed {
                tree: self.flat(&leaves, sentence.words),
                score: f64::NEG_INFINITY,
                fallback: Some(Fallback::Fragments),
            },
        }
    }

    fn k_best(&self, sentence: Words<'_>, k: usize) -> Vec<Candidate> {
        let Parsed { tree, score, .. } = self.parse(sentence);
        if k == 0 { Vec::new() } else { vec![Candidate { tree, score }] }
    }

    fn tree_score(&self, tree: &Tree) -> f64 {
        let mut derivation = Derivation::default();
        if self.scheme.read(tree, &self.events.symbols, &mut derivation).is_none() {
            return f64::NEG_INFINITY;
        }
        let root = self.roots.iter().find(|(root, _)| *root == derivation.root);
        let rules = derivation.rules.iter().map(|rule| match self.events.rules.get(rule) {
            Some(id) => self.log_probs[id as usize],
            None => f64::NEG_INFINITY,
        });
        let words = derivation.tags.iter().zip(tree.words());
        let words: f64 = words.map(|(tag, word)| self.lexicon.log_prob(*tag, word)).sum();
        root.map_or(f64::NEG_INFINITY, |(_, p)| *p) + rules.sum::<f64>() + words
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
        let inducer = build(&config::Parser::default()).expect("there is such a parser");
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
