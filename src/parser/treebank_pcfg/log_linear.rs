//! The grammar as a log-linear model: a decision is a rule or a tagged word, what is allowed are
//! those of the same left-hand side, theta is the log-probability and every history vector is (1).

use super::PcfgParser;
use super::scheme::{Derivation, Rule};
use super::symbols::{NONE, Symbol};
use crate::parser::{LogLinear, Step, Trace};
use crate::treebank::Tree;
use std::sync::Arc;

/// A grammar with its choices laid out by left-hand side. Decisions are numbered: rules, then tagged
/// words, then for every symbol a word that it was never seen with.
pub struct PcfgDecisions {
    grammar: Arc<PcfgParser>,
    /// Rules of every symbol with their probabilities.
    rules: Vec<Vec<(u32, f64)>>,
    /// Tagged words of every symbol with theirs, and what is left for other words.
    words: Vec<Vec<(u32, f64)>>,
}

impl PcfgDecisions {
    pub fn new(grammar: Arc<PcfgParser>) -> PcfgDecisions {
        let inventory = &grammar.inventory;
        let (symbols, all) = (inventory.symbols.len(), inventory.rules.all());
        let mut rules = vec![Vec::new(); symbols];
        for (id, (rule, log_prob)) in all.iter().zip(&grammar.log_probs).enumerate() {
            if *log_prob > f64::NEG_INFINITY {
                rules[rule.lhs as usize].push((id as u32, log_prob.exp()));
            }
        }
        let mut words = vec![Vec::new(); symbols];
        let emissions = inventory.emissions.all();
        for (id, &(tag, word)) in emissions.iter().enumerate() {
            let word = &inventory.words.all()[word as usize];
            let log_prob = grammar.lexicon.log_prob(tag, word, INSIDE);
            if log_prob > f64::NEG_INFINITY {
                words[tag as usize].push(((all.len() + id) as u32, log_prob.exp()));
            }
        }
        for (symbol, words) in words.iter_mut().enumerate() {
            let left = 1.0 - words.iter().map(|(_, p)| p).sum::<f64>();
            if left > 0.0 && !words.is_empty() {
                words.push(((all.len() + emissions.len() + symbol) as u32, left));
            }
        }
        PcfgDecisions { grammar, rules, words }
    }

    pub fn grammar(&self) -> &Arc<PcfgParser> {
        &self.grammar
    }

    fn first_word(&self) -> usize {
        self.grammar.inventory.rules.all().len()
    }

    fn first_unseen(&self) -> usize {
        self.first_word() + self.grammar.inventory.emissions.all().len()
    }

    /// The step of a tagged word, and what of its log-probability is no decision.
    fn word(&self, tag: Symbol, word: &str, position: usize, allowed: bool) -> (Step<'_>, f64) {
        let log_prob = self.grammar.lexicon.log_prob(tag, word, position);
        let inventory = &self.grammar.inventory;
        let id = inventory.words.get(&*self.grammar.lexicon.as_looked_up(word, position));
        let seen = id.and_then(|id| inventory.emissions.get(&(tag, id)));
        let choices = &self.words[tag as usize];
        let unseen = (self.first_unseen() + tag as usize) as u32;
        let decision = seen.map_or(unseen, |id| self.first_word() as u32 + id);
        let taken = choices.binary_search_by_key(&decision, |(d, _)| *d);
        let taken = taken.map_or(log_prob, |at| choices[at].1.ln());
        let step = Step {
            decision,
            log_prob: taken,
            allowed: if allowed { choices.as_slice().into() } else { Vec::new().into() },
            history: HISTORY.as_slice().into(),
        };
        (step, log_prob - taken)
    }
}

/// A position at which a word has no capital but its own.
const INSIDE: usize = 1;

const HISTORY: [f64; 1] = [1.0];

impl LogLinear for PcfgDecisions {
    fn decisions(&self) -> usize {
        self.first_unseen() + self.grammar.inventory.symbols.len()
    }

    fn hidden(&self) -> usize {
        1
    }

    fn row_name(&self, decision: u32) -> String {
        let inventory = &self.grammar.inventory;
        let symbols = &inventory.symbols;
        let at = decision as usize;
        if let Some(&Rule { lhs, left, right }) = inventory.rules.all().get(at) {
            let (lhs, left) = (symbols.name(lhs), symbols.name(left));
            return match right {
                NONE => format!("{lhs} -> {left}"),
                right => format!("{lhs} -> {left} {}", symbols.name(right)),
            };
        }
        match inventory.emissions.all().get(at - self.first_word()) {
            Some(&(tag, word)) => {
                format!("{} -> \"{}\"", symbols.name(tag), inventory.words.all()[word as usize])
            }
            None => {
                let tag = (at - self.first_unseen()) as Symbol;
                format!("{} -> an unseen word", symbols.name(tag))
            }
        }
    }

    fn trace(&self, tree: &Tree, allowed: bool) -> Option<Trace<'_>> {
        let grammar = &self.grammar;
        let mut derivation = Derivation::default();
        grammar.scheme.read(tree, &grammar.inventory.symbols, &mut derivation)?;
        let root = grammar.roots.iter().find(|(root, _)| *root == derivation.root);
        let rest = root.map_or(f64::NEG_INFINITY, |(_, p)| *p);
        let mut trace = Trace { steps: Vec::new(), rest };
        for rule in &derivation.rules {
            let Some(decision) = grammar.inventory.rules.get(rule) else {
                trace.rest = f64::NEG_INFINITY;
                continue;
            };
            let log_prob = grammar.log_probs[decision as usize];
            let choices = if allowed { self.rules[rule.lhs as usize].as_slice() } else { &[] };
            trace.steps.push(Step {
                decision,
                log_prob,
                allowed: choices.into(),
                history: HISTORY.as_slice().into(),
            });
        }
        for (i, (&tag, word)) in derivation.tags.iter().zip(tree.words()).enumerate() {
            let (step, rest) = self.word(tag, word, i, allowed);
            trace.steps.push(step);
            trace.rest += rest;
        }
        Some(trace)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config;
    use crate::parser::{TreeParser, TreebankPcfg};
    use crate::treebank::Reader;

    fn decisions(text: &str) -> (Vec<Arc<Tree>>, PcfgDecisions) {
        let trees: Vec<Arc<Tree>> =
            Reader::new(text.as_bytes(), "test").map(|t| Arc::new(t.expect("a tree"))).collect();
        let prepared = TreebankPcfg::new(&config::Parser::default()).read(&trees).expect("trees");
        let grammar = prepared.grammar(&vec![1.0; trees.len()]).expect("weights");
        (trees, PcfgDecisions::new(Arc::new(grammar)))
    }

    const TREES: &str = "(TOP (S (NP (DT the) (JJ old) (JJ tired) (NN dog)) (VP (VBZ barks))))\n\
        (TOP (S (NP (PRP it)) (VP (VBZ sees) (NP (DT The) (NN cat)) (ADVP (RB now)))))\n\
        (TOP (FRAG (S (S (NP (PRP we))))))";

    #[test]
    fn the_decisions_of_a_tree_have_its_log_probability_and_are_among_those_allowed() {
        let (mut trees, model) = decisions(TREES);
        let unseen = "(TOP (S (NP (DT The) (JJ old) (JJ tired) (NN zebra)) (VP (VBZ barks))))";
        trees.push(Arc::new(Reader::new(unseen.as_bytes(), "").next().unwrap().expect("a tree")));
        for tree in &trees {
            let trace = model.trace(tree, true).expect("known symbols");
            assert!((trace.log_prob() - model.grammar().tree_score(tree)).abs() < 1e-9, "{tree}");
            for step in &trace.steps {
                let sum: f64 = step.allowed.iter().map(|(_, p)| p).sum();
                assert!((sum - 1.0).abs() < 1e-9, "{}", model.row_name(step.decision));
                let taken = step.allowed.iter().find(|(d, _)| *d == step.decision);
                let (_, p) = taken.expect("what was taken was allowed");
                assert!((p.ln() - step.log_prob).abs() < 1e-12);
                assert!((step.decision as usize) < model.decisions());
            }
            let short = model.trace(tree, false).expect("known symbols");
            assert!(short.steps.iter().all(|s| s.allowed.is_empty()));
            assert_eq!(short.log_prob(), trace.log_prob());
        }
        let names: Vec<String> = model
            .trace(&trees[3], false)
            .iter()
            .flat_map(|t| t.steps.iter().map(|s| model.row_name(s.decision)))
            .collect();
        assert!(names.iter().any(|n| n.ends_with("-> an unseen word")), "{names:?}");
        assert!(names.iter().any(|n| n.contains("-> \"barks\"")), "{names:?}");
        let foreign = "(TOP (X (NN dog)))";
        let foreign = Reader::new(foreign.as_bytes(), "").next().unwrap().expect("a tree");
        assert_eq!(model.trace(&foreign, true), None);
        // Its rule for the subject is of objects only.
        let impossible = "(TOP (S (NP (DT the) (NN dog)) (VP (VBZ barks))))";
        let impossible = Reader::new(impossible.as_bytes(), "").next().unwrap().expect("a tree");
        let trace = model.trace(&impossible, false).expect("known symbols");
        assert_eq!(trace.log_prob(), f64::NEG_INFINITY);
        assert!(!trace.steps.is_empty());
    }
}
