//! The kernel of common fragments (Collins & Duffy 2002, section 4): every fragment of a tree that
//! has whole productions is a feature.
//!
//! C(n1, n2) = 0 if the productions differ, lambda at equal preterminals (a preterminal's production
//! is its tag and word), else lambda times the product of 1 + C over the children; the kernel of two
//! trees is the sum of C over all pairs of their nodes. Subtrees are kept once each, so that what
//! trees share is computed once.

mod space;
mod store;
mod subtrees;

pub use space::{TreeList, TreeSpace, TreeUpdate};
pub use store::{StoredSubtrees, parts};
pub use subtrees::{Nodes, SubtreeId, Subtrees};

use crate::treebank::Tree;

/// K(a, b) = sum of C over all pairs of nodes.
pub fn tree_kernel(a: &Tree, b: &Tree, lambda: f64) -> f64 {
    let mut subtrees = Subtrees::new(lambda);
    let (a, b) = (subtrees.nodes(a), subtrees.nodes(b));
    subtrees.kernel(&a, &b)
}

/// K(a, b) / sqrt(K(a, a) K(b, b)).
pub fn normalised_tree_kernel(a: &Tree, b: &Tree, lambda: f64) -> f64 {
    let mut subtrees = Subtrees::new(lambda);
    let (a, b) = (subtrees.nodes(a), subtrees.nodes(b));
    let own = subtrees.kernel(&a, &a) * subtrees.kernel(&b, &b);
    subtrees.kernel(&a, &b) / own.sqrt()
}
