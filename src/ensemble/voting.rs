//! Combining parses by their constituents (Henderson & Brill 2000): what more than half of the
//! votes have is kept, and kept spans cannot cross, for any two of them share a voter.

use crate::evaluation::{Constituent, Constituents};
use crate::treebank::{Place, Tree, TreeBuilder};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The tree that the voters agree on; `weights` are their votes. Spans are multisets: copy `k` of a
/// labelled span is kept iff the voters with at least `k` copies have more than half of all
/// weight. The root is kept, and of the tags of a word the one with the most weight; the first
/// voter that has it settles a tie. `None` without voters, and where they differ in their number of
/// words.
pub fn vote(voters: &[&Tree], weights: &[f64]) -> Option<Tree> {
    let first = *voters.first()?;
    if voters.iter().any(|tree| tree.len() != first.len()) {
        return None;
    }
    let chains: Vec<Chains> = voters.iter().map(|tree| chains(tree)).collect();
    let ballots: Vec<Constituents> = voters.iter().map(|tree| Constituents::full(tree)).collect();
    let mut kept: BTreeMap<Span, Vec<(Arc<str>, usize)>> = BTreeMap::new();
    for (Constituent { start, end, label }, copies) in kept_constituents(&ballots, weights) {
        kept.entry(Span { start, end }).or_default().push((label, copies));
    }
    let by_weight = by_falling_weight(weights);
    // In order of opening: by start, the longer first.
    let spans: Vec<(Span, Vec<Arc<str>>)> = kept
        .into_iter()
        .map(|(span, labels)| (span, in_order(span, labels, &chains, &by_weight)))
        .collect();
    let root = first.node(first.root()).label.clone();
    Some(assemble(&root, &spans, &tags(voters, weights), first))
}

/// A span; ordered by start, longer ones first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Span {
    start: u32,
    end: u32,
}

impl Ord for Span {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        (self.start, other.end).cmp(&(other.start, self.end))
    }
}

impl PartialOrd for Span {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

/// Labels over every span of a tree, from the top.
type Chains = BTreeMap<Span, Vec<Arc<str>>>;

fn chains(tree: &Tree) -> Chains {
    let mut chains = Chains::new();
    let extents = tree.extents();
    for (id, node) in tree.nodes() {
        if node.word.is_none() && id != tree.root() {
            let (start, end) = extents[id.0 as usize];
            chains.entry(Span { start, end }).or_default().push(node.label.clone());
        }
    }
    chains
}

/// The constituents that are kept, with their copies.
pub fn kept_constituents(ballots: &[Constituents], weights: &[f64]) -> Vec<(Constituent, usize)> {
    let all: f64 = weights.iter().sum();
    // Weight of the voters with at least one copy, at least two, and so on.
    let mut support: BTreeMap<&Constituent, Vec<f64>> = BTreeMap::new();
    for (ballot, weight) in ballots.iter().zip(weights) {
        let mut copies = 0;
        let mut before: Option<&Constituent> = None;
        for constituent in ballot.iter() {
            copies = if before == Some(constituent) { copies + 1 } else { 0 };
            before = Some(constituent);
            let levels = support.entry(constituent).or_default();
            if levels.len() == copies {
                levels.push(0.0);
            }
            levels[copies] += weight;
        }
    }
    let copies = |levels: &[f64]| levels.iter().take_while(|&&w| 2.0 * w > all).count();
    let kept = support.into_iter().map(|(c, levels)| (c, copies(&levels)));
    kept.filter(|(_, copies)| *copies > 0).map(|(c, copies)| (c.clone(), copies)).collect()
}

/// Voters, the heaviest first; of equal ones the earlier.
fn by_falling_weight(weights: &[f64]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..weights.len()).collect();
    order.sort_by(|&a, &b| weights[b].total_cmp(&weights[a]));
    order
}

/// The kept labels of a span from the top: as the heaviest voter has them that has them all, else
/// each of them where the heaviest voter that has it puts it, below what is there.
fn in_order(
    span: Span,
    labels: Vec<(Arc<str>, usize)>,
    chains: &[Chains],
    by_weight: &[usize],
) -> Vec<Arc<str>> {
    let wanted: usize = labels.iter().map(|(_, copies)| copies).sum();
    if wanted == 1 {
        return labels.into_iter().map(|(label, _)| label).collect();
    }
    let take = |chain: &[Arc<str>], left: &mut [(Arc<str>, usize)], order: &mut Vec<Arc<str>>| {
        for label in chain {
            if let Some((_, copies)) = left.iter_mut().find(|(l, copies)| l == label && *copies > 0)
            {
                *copies -= 1;
                order.push(label.clone());
            }
        }
    };
    let chain = |voter: usize| chains[voter].get(&span).map_or(&[][..], Vec::as_slice);
    for &voter in by_weight {
        let (mut left, mut order) = (labels.clone(), Vec::new());
        take(chain(voter), &mut left, &mut order);
        if order.len() == wanted {
            return order;
        }
    }
    let (mut left, mut order) = (labels, Vec::new());
    for &voter in by_weight {
        take(chain(voter), &mut left, &mut order);
    }
    order
}

fn tags(voters: &[&Tree], weights: &[f64]) -> Vec<Arc<str>> {
    let mut ballots: Vec<Vec<(&Arc<str>, f64)>> = vec![Vec::new(); voters[0].len()];
    for (tree, weight) in voters.iter().zip(weights) {
        for (tag, ballot) in tree.tags().zip(&mut ballots) {
            match ballot.iter_mut().find(|(other, _)| *other == tag) {
                Some((_, sum)) => *sum += weight,
                None => ballot.push((tag, *weight)),
            }
        }
    }
    // In the order of the voters, so that the first of the greatest is the earliest voter's.
    let winner = |ballot: &Vec<(&Arc<str>, f64)>| {
        let most = ballot.iter().map(|(_, sum)| *sum).fold(f64::NEG_INFINITY, f64::max);
        ballot.iter().find(|(_, sum)| *sum == most).map_or_else(|| "".into(), |(t, _)| (*t).clone())
    };
    ballots.iter().map(winner).collect()
}

/// Builds the tree of nested spans, given in order of opening.
fn assemble(
    root: &Arc<str>,
    spans: &[(Span, Vec<Arc<str>>)],
    tags: &[Arc<str>],
    words: &Tree,
) -> Tree {
    let mut builder = TreeBuilder::new();
    builder.open(root.clone());
    let mut ends = Vec::new();
    let mut next = spans.iter().peekable();
    for (i, (word, tag)) in words.words().iter().zip(tags).enumerate() {
        while let Some((span, labels)) = next.next_if(|(span, _)| span.start == i as u32) {
            for label in labels {
                builder.open(label.clone());
                ends.push(span.end);
            }
        }
        builder.word(tag.clone(), word.clone());
        while ends.last() == Some(&(i as u32 + 1)) {
            ends.pop();
            builder.close();
        }
    }
    builder.close();
    let place: Place = words.place.clone();
    builder.finish(place).expect("kept spans are nested, and there is a word")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::treebank::Reader;

    fn trees(brackets: &[&str]) -> Vec<Tree> {
        let read = |text: &&str| Reader::new(text.as_bytes(), "test").next().expect("a tree");
        brackets.iter().map(read).map(|tree| tree.expect("well formed")).collect()
    }

    fn voted(brackets: &[&str], weights: &[f64]) -> String {
        let trees = trees(brackets);
        vote(&trees.iter().collect::<Vec<_>>(), weights).expect("the same words").to_string()
    }

    #[test]
    fn what_exactly_half_of_the_votes_have_is_not_kept() {
        let (high, low) = ("(TOP (S (NN a) (NP (NN b) (NN c))))", "(TOP (S (NN a) (NN b) (NN c)))");
        assert_eq!(voted(&[high, low], &[1.0, 1.0]), low);
        assert_eq!(voted(&[high, low], &[1.5, 1.0]), high);
        assert_eq!(voted(&[high], &[1.0]), high);
    }

    #[test]
    fn copies_of_a_label_are_voted_on_one_by_one() {
        let chain = |n: usize| format!("(TOP {}(NN a){})", "(NP ".repeat(n), ")".repeat(n));
        let (one, two, three) = (chain(1), chain(2), chain(3));
        assert_eq!(voted(&[&one, &two, &three], &[1.0; 3]), two);
        assert_eq!(voted(&[&one, &three, &three], &[1.0; 3]), three);
    }

    #[test]
    fn trees_of_other_words_and_no_trees_have_no_vote() {
        let trees = trees(&["(TOP (NN a))", "(TOP (NN a) (NN b))"]);
        assert!(vote(&trees.iter().collect::<Vec<_>>(), &[1.0, 1.0]).is_none());
        assert!(vote(&[], &[]).is_none());
    }

    #[test]
    fn votes_that_weigh_nothing_keep_the_root_alone() {
        assert_eq!(voted(&["(TOP (S (NN a) (NN b)))"], &[0.0]), "(TOP (NN a) (NN b))");
    }
}
