use super::{Part, Ssn};
use crate::config;
use crate::treebank::{Reader, Tree};
use std::sync::Arc;

/// Trees in brackets.
pub fn trees(text: &str) -> Vec<Arc<Tree>> {
    Reader::new(text.as_bytes(), "test")
        .map(|tree| Arc::new(tree.unwrap_or_else(|e| panic!("{e}"))))
        .collect()
}

/// A few trees with every kind of move.
pub fn treebank() -> Vec<Arc<Tree>> {
    trees(
        "(TOP (S (NP (NP (D the) (N dog)) (PP (P in) (NP (N rain)))) (VP (V barks) (R often))))
        (TOP (S (NP (D the) (N cat)) (VP (VP (V sees) (NP (D a) (N dog))) (PP (P in) (NP (N rain))))))
        (TOP (NP (D the) (A old) (N dog)))
        (TOP (S (S (NP (N rain)) (VP (V falls))) (C and) (S (NP (D the) (N cat)) (VP (V falls)))))
        (TOP (S (VP (V sees) (NP (NP (N rain)) (C and) (NP (N cat))))))",
    )
}

/// An untrained parser of these trees whose probabilities are far from equal.
pub fn sharp(seed: u64) -> Ssn {
    let settings = config::Ssn { hidden: 6, min_count: 2, ..config::Ssn::default() };
    let mut ssn = Ssn::start(&settings, &treebank(), seed).expect("trees");
    for part in Part::ALL {
        ssn.weights_mut().part_mut(part).iter_mut().for_each(|x| *x *= 4.0);
    }
    ssn
}
