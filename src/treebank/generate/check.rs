//! Faults that only the whole grammar shows, so that sampling cannot fail.

use super::{Expansions, Grammar, GrammarError};
use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashSet};

/// With [`super::MAX_NODES`] this bounds a sampled tree.
pub(super) const MAX_SMALLEST_TREE: u64 = 1_000;

impl Grammar {
    pub(super) fn check(&mut self) -> Result<(), GrammarError> {
        if !self.symbols.iter().any(|s| matches!(s.expansions, Expansions::Rules { .. })) {
            return Err(GrammarError::Empty);
        }
        self.check_defined()?;
        self.check_reachable()?;
        self.find_smallest_trees()?;
        self.check_roots()
    }

    fn check_defined(&self) -> Result<(), GrammarError> {
        match self.symbols.iter().find(|s| matches!(s.expansions, Expansions::Undefined)) {
            Some(s) => Err(GrammarError::Undefined { line: s.line, symbol: s.name.clone() }),
            None => Ok(()),
        }
    }

    fn check_reachable(&self) -> Result<(), GrammarError> {
        let mut reached = vec![false; self.symbols.len()];
        reached[0] = true;
        let mut agenda = vec![0];
        while let Some(parent) = agenda.pop() {
            for &child in self.rules(parent).iter().flat_map(|rule| &rule.value) {
                if !reached[child] {
                    reached[child] = true;
                    agenda.push(child);
                }
            }
        }
        match self.symbols.iter().zip(reached).find(|(_, reached)| !reached) {
            Some((s, _)) => Err(GrammarError::Unreachable { line: s.line, symbol: s.name.clone() }),
            None => Ok(()),
        }
    }

    /// Marks for each symbol the rule that begins its smallest tree (in
    /// nodes), by Knuth's generalisation of Dijkstra's algorithm: symbols are
    /// settled from the smallest up, so the rule's children are always smaller
    /// than the symbol and following such rules ends.
    fn find_smallest_trees(&mut self) -> Result<(), GrammarError> {
        struct Waiting {
            parent: usize,
            rule: usize,
            children_left: usize,
            nodes: u64,
        }
        let mut waiting = Vec::new();
        let mut used_by = vec![Vec::new(); self.symbols.len()];
        let mut heap = BinaryHeap::new();
        for (parent, symbol) in self.symbols.iter().enumerate() {
            if matches!(symbol.expansions, Expansions::Words { .. }) {
                heap.push(Reverse((1_u64, parent, 0)));
            }
            for (rule, choice) in self.rules(parent).iter().enumerate() {
                for &child in &choice.value {
                    used_by[child].push(waiting.len());
                }
                let children_left = choice.value.len();
                waiting.push(Waiting { parent, rule, children_left, nodes: 1 });
            }
        }
        let mut settled: Vec<Option<u64>> = vec![None; self.symbols.len()];
        while let Some(Reverse((nodes, symbol, rule))) = heap.pop() {
            if settled[symbol].is_some() {
                continue;
            }
            settled[symbol] = Some(nodes);
            if let Expansions::Rules { smallest, .. } = &mut self.symbols[symbol].expansions {
                *smallest = rule;
            }
            for &index in &used_by[symbol] {
                let waiting = &mut waiting[index];
                waiting.nodes = waiting.nodes.saturating_add(nodes);
                waiting.children_left -= 1;
                if waiting.children_left == 0 {
                    heap.push(Reverse((waiting.nodes, waiting.parent, waiting.rule)));
                }
            }
        }
        if let Some(index) = settled.iter().position(Option::is_none) {
            return Err(self.unproductive(index, &settled));
        }
        let too_large = |nodes: &Option<u64>| nodes.is_some_and(|n| n > MAX_SMALLEST_TREE);
        match settled.iter().position(too_large) {
            Some(index) => {
                let symbol = &self.symbols[index];
                Err(GrammarError::TooLarge { line: symbol.line, symbol: symbol.name.clone() })
            }
            None => Ok(()),
        }
    }

    /// The fault lies with a symbol on a cycle, not with all that use it.
    fn unproductive(&self, mut index: usize, settled: &[Option<u64>]) -> GrammarError {
        let mut seen = HashSet::new();
        while seen.insert(index) {
            let children = self.rules(index).iter().flat_map(|rule| &rule.value);
            index = children.copied().find(|&child| settled[child].is_none()).unwrap_or(index);
        }
        let symbol = &self.symbols[index];
        let line = self.rules(index).first().map_or(symbol.line, |rule| rule.line);
        GrammarError::Unproductive { line, symbol: symbol.name.clone() }
    }

    /// A hidden start must still give one root, however many hidden symbols
    /// stand between.
    fn check_roots(&self) -> Result<(), GrammarError> {
        let mut seen = HashSet::from([0]);
        let mut agenda = vec![0];
        while let Some(index) = agenda.pop() {
            let symbol = &self.symbols[index];
            if !symbol.is_hidden() {
                continue;
            }
            for rule in self.rules(index) {
                match rule.value[..] {
                    [child] if seen.insert(child) => agenda.push(child),
                    [_] => {}
                    _ => {
                        let (line, symbol) = (rule.line, symbol.name.clone());
                        return Err(GrammarError::ManyRoots { line, symbol });
                    }
                }
            }
        }
        Ok(())
    }
}
