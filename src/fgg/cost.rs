//! Multiply-adds of inference over states and over ranks, by one counting rule: sums over
//! alternatives, merging of factors, words and c cost nothing.

use super::rank_space::RankSpace;
use super::rewrite::Rewriting;
use std::collections::{HashMap, HashSet};

/// Multiply-adds of the whole grammar.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Costs {
    /// Child messages contracted with the full tensor of every rule, last slot first.
    pub state_full: u64,
    /// Through the matrices of every rule's decomposition.
    pub state_cpd: u64,
    /// In rank space.
    pub rank: u64,
    /// [`Costs::state_cpd`] where equal products are made once.
    pub state_cpd_shared: u64,
    /// [`Costs::rank`] where equal products are made once.
    pub rank_shared: u64,
    /// The new factors V^T U, made once for all sentences.
    pub precompute: u64,
}

/// Nonterminals that can stand in a derivation of the start symbol.
fn reached(rewriting: &Rewriting, start: usize) -> HashSet<usize> {
    let mut children: HashMap<usize, Vec<usize>> = HashMap::new();
    for rule in &rewriting.rules {
        children.entry(rule.lhs).or_default().extend(rule.slots.iter().map(|slot| slot.child));
    }
    let mut reached = HashSet::from([start]);
    let mut open = vec![start];
    while let Some(nonterminal) = open.pop() {
        for &child in children.get(&nonterminal).into_iter().flatten() {
            if reached.insert(child) {
                open.push(child);
            }
        }
    }
    reached
}

/// Counts what is reached from the start symbol; `messages` say which vectors are only `[1]`.
pub fn costs(rewriting: &Rewriting, messages: &RankSpace) -> Costs {
    let reached = reached(rewriting, messages.start);
    let mut costs = Costs::default();
    let mut pairs = HashSet::new();
    let mut state_products = HashSet::new();
    let mut rank_products = HashSet::new();
    let mut heads = HashSet::new();
    for rule in rewriting.rules.iter().filter(|rule| reached.contains(&rule.lhs)) {
        let matrix = |number: usize| &rewriting.matrices[number];
        let rank = rule.rank as u64;
        let factors = rule.slots.len() as u64 + u64::from(rule.weights.is_some());
        let between = factors.saturating_sub(1) * rank;
        let mut size = rule.head.map_or(1, |u| matrix(u).rows() as u64);
        for slot in &rule.slots {
            size = size.saturating_mul(matrix(slot.matrix).rows() as u64);
        }
        for slot in rule.slots.iter().rev() {
            costs.state_full = costs.state_full.saturating_add(size);
            size /= matrix(slot.matrix).rows() as u64;
        }
        for slot in &rule.slots {
            let product = matrix(slot.matrix).rows() as u64 * rank;
            costs.state_cpd += product;
            if state_products.insert((slot.matrix, slot.child)) {
                costs.state_cpd_shared += product;
            }
            for message in &messages.messages[slot.child] {
                let Some(u) = message.head else { continue };
                let product = rank * matrix(u).columns() as u64;
                if pairs.insert((slot.matrix, u)) {
                    costs.precompute += matrix(u).rows() as u64 * product;
                }
                if message.is_one {
                    continue;
                }
                costs.rank += product;
                if rank_products.insert((slot.matrix, slot.child, u)) {
                    costs.rank_shared += product;
                }
            }
        }
        for cost in [
            &mut costs.state_cpd,
            &mut costs.state_cpd_shared,
            &mut costs.rank,
            &mut costs.rank_shared,
        ] {
            *cost += between;
        }
        if let (Some(u), true) = (rule.head, factors > 0) {
            let product = matrix(u).rows() as u64 * rank;
            costs.state_cpd += product;
            if heads.insert((rule.lhs, u)) {
                costs.state_cpd_shared += product;
            }
        }
    }
    costs
}
