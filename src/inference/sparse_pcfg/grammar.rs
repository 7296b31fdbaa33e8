use super::pairs::Pairs;
use super::rule::{BinaryRule, UnaryRule, starts};
use std::sync::OnceLock;

/// Rules, found by their left or only child, or by their parent.
#[derive(Clone, Debug)]
pub struct Grammar {
    symbols: usize,
    /// By left child, then right child.
    binary: Vec<BinaryRule>,
    pairs: Pairs,
    /// By child.
    unary: Vec<UnaryRule>,
    unary_starts: Vec<u32>,
    /// Numbers of the rules by parent; made where they are asked for.
    by_parent: OnceLock<ByParent>,
}

#[derive(Clone, Debug)]
struct ByParent {
    binary: Vec<u32>,
    binary_starts: Vec<u32>,
    unary: Vec<u32>,
    unary_starts: Vec<u32>,
}

impl Grammar {
    /// Symbols are numbered from 0 to `symbols`, which every rule keeps to; no log-probability is
    /// above 0, and those of -infinity are left out.
    pub fn new(symbols: usize, mut binary: Vec<BinaryRule>, mut unary: Vec<UnaryRule>) -> Grammar {
        binary.retain(|r| r.log_prob > f64::NEG_INFINITY);
        unary.retain(|r| r.log_prob > f64::NEG_INFINITY);
        let known = |s: u32| (s as usize) < symbols;
        assert!(
            binary.iter().all(|r| known(r.parent) && known(r.left) && known(r.right))
                && unary.iter().all(|r| known(r.parent) && known(r.child)),
            "rules keep to the symbols"
        );
        binary.sort_unstable_by_key(|r| (r.left, r.right, r.parent));
        unary.sort_unstable_by_key(|r| (r.child, r.parent));
        let pairs = Pairs::new(symbols, &binary);
        let unary_starts = starts(symbols, unary.iter().map(|r| r.child));
        let by_parent = OnceLock::new();
        Grammar { symbols, binary, pairs, unary, unary_starts, by_parent }
    }

    pub fn symbols(&self) -> usize {
        self.symbols
    }

    /// All rules with two children.
    pub fn binary(&self) -> &[BinaryRule] {
        &self.binary
    }

    /// All rules with one child.
    pub fn unary(&self) -> &[UnaryRule] {
        &self.unary
    }

    /// Which pairs of children some rule has.
    pub(super) fn pairs(&self) -> &Pairs {
        &self.pairs
    }

    /// The rules whose only child this is.
    pub fn over(&self, child: u32) -> &[UnaryRule] {
        let at = child as usize;
        &self.unary[self.unary_starts[at] as usize..self.unary_starts[at + 1] as usize]
    }

    /// Numbers, among [`Grammar::binary`], of the rules with this parent.
    pub fn binary_of(&self, parent: u32) -> &[u32] {
        let by = self.by_parent();
        let at = parent as usize;
        &by.binary[by.binary_starts[at] as usize..by.binary_starts[at + 1] as usize]
    }

    /// Numbers, among [`Grammar::unary`], of the rules with this parent.
    pub fn unary_of(&self, parent: u32) -> &[u32] {
        let by = self.by_parent();
        let at = parent as usize;
        &by.unary[by.unary_starts[at] as usize..by.unary_starts[at + 1] as usize]
    }

    fn by_parent(&self) -> &ByParent {
        self.by_parent.get_or_init(|| {
            let mut binary: Vec<u32> = (0..self.binary.len() as u32).collect();
            binary.sort_by_key(|&number| self.binary[number as usize].parent);
            let mut unary: Vec<u32> = (0..self.unary.len() as u32).collect();
            unary.sort_by_key(|&number| self.unary[number as usize].parent);
            ByParent {
                binary,
                binary_starts: starts(self.symbols, self.binary.iter().map(|r| r.parent)),
                unary,
                unary_starts: starts(self.symbols, self.unary.iter().map(|r| r.parent)),
            }
        })
    }
}
