//! Which grammars can be rewritten to rank space: B-FGGs (definition 6).

use super::grammar::Grammar;
use super::reason::Reason;

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
