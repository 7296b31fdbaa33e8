//! Which nonterminals need which, and the refusal of those that need themselves.

use super::error::FggError;
use super::grammar::Grammar;

#[derive(Clone, Copy, PartialEq)]
enum Mark {
    New,
    Open,
    Done,
}

/// All nonterminals, children before parents.
///
/// # Errors
/// [`FggError::Cyclic`] where one reaches itself, with the way.
pub(super) fn children_first(grammar: &Grammar) -> Result<Vec<usize>, FggError> {
    let mut children = vec![Vec::new(); grammar.nonterminals().len()];
    for rule in grammar.rules() {
        children[rule.lhs].extend(rule.nonterminals().map(|(child, _)| child));
    }
    children.iter_mut().for_each(|own: &mut Vec<usize>| {
        own.sort_unstable();
        own.dedup();
    });
    let mut marks = vec![Mark::New; children.len()];
    let mut order = Vec::with_capacity(children.len());
    for root in 0..children.len() {
        if marks[root] != Mark::New {
            continue;
        }
        // A nonterminal with the number of children that were seen: long sentences make long
        // chains, which no recursion could follow.
        let mut path = vec![(root, 0)];
        marks[root] = Mark::Open;
        while let Some((at, seen)) = path.last_mut() {
            let Some(&child) = children[*at].get(*seen) else {
                marks[*at] = Mark::Done;
                order.push(*at);
                path.pop();
                continue;
            };
            *seen += 1;
            match marks[child] {
                Mark::Done => {}
                Mark::New => {
                    marks[child] = Mark::Open;
                    path.push((child, 0));
                }
                Mark::Open => {
                    let from = path.iter().position(|&(n, _)| n == child).unwrap_or(0);
                    let way = path[from..].iter().map(|&(n, _)| n).chain([child]);
                    let name = |n: usize| grammar.nonterminals()[n].name.clone();
                    return Err(FggError::Cyclic { cycle: way.map(name).collect() });
                }
            }
        }
    }
    Ok(order)
}

/// A way from a nonterminal to itself, by name, if there is one.
pub fn cycle(grammar: &Grammar) -> Option<Vec<String>> {
    match children_first(grammar) {
        Err(FggError::Cyclic { cycle }) => Some(cycle),
        _ => None,
    }
}

/// Whether some nonterminal can reach itself.
pub fn is_cyclic(grammar: &Grammar) -> bool {
    cycle(grammar).is_some()
}
