//! Which grammars can be rewritten to rank space: B-FGGs (definition 6).

use super::grammar::Grammar;
use std::fmt;

/// Why a rule is not one of a B-FGG.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reason {
    /// Not exactly one external node, and not the start symbol's with none.
    Externals,
    /// A nonterminal edge that touches no node or several.
    NonterminalArity,
    /// A nonterminal edge on an external node.
    NonterminalOnExternal,
    /// Two nonterminal edges on one node.
    SharedNode,
}

impl Reason {
    /// As in files.
    pub fn name(self) -> &'static str {
        match self {
            Reason::Externals => "externals",
            Reason::NonterminalArity => "nonterminal-arity",
            Reason::NonterminalOnExternal => "nonterminal-on-external",
            Reason::SharedNode => "shared-node",
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Reason::Externals => "it has not exactly one external node",
            Reason::NonterminalArity => "a nonterminal edge does not touch exactly one node",
            Reason::NonterminalOnExternal => "a nonterminal edge touches an external node",
            Reason::SharedNode => "two nonterminal edges touch the same node",
        })
    }
}

/// What keeps the grammar from being a B-FGG, with the number of the rule; each reason once a rule.
pub fn check(grammar: &Grammar) -> Vec<(usize, Reason)> {
    let mut reasons = Vec::new();
    for (number, rule) in grammar.rules().iter().enumerate() {
        let mut own = Vec::new();
        let start = rule.lhs == grammar.start() && rule.externals.is_empty();
        if rule.externals.len() != 1 && !start {
            own.push(Reason::Externals);
        }
        let mut taken = Vec::new();
        for (_, edge) in rule.nonterminals() {
            if edge.attachments.len() != 1 {
                own.push(Reason::NonterminalArity);
            }
            let mut nodes = edge.attachments.clone();
            nodes.sort_unstable();
            nodes.dedup();
            if nodes.iter().any(|node| rule.externals.contains(node)) {
                own.push(Reason::NonterminalOnExternal);
            }
            if nodes.iter().any(|node| taken.contains(node)) {
                own.push(Reason::SharedNode);
            }
            taken.extend(nodes);
        }
        own.sort_unstable();
        own.dedup();
        reasons.extend(own.into_iter().map(|reason| (number, reason)));
    }
    reasons
}
