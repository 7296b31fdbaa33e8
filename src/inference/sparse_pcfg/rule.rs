/// A -> B C with its log-probability.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BinaryRule {
    pub parent: u32,
    pub left: u32,
    pub right: u32,
    pub log_prob: f64,
}

/// A -> B with its log-probability.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct UnaryRule {
    pub parent: u32,
    pub child: u32,
    pub log_prob: f64,
}

/// Where the rules of every symbol begin in a list sorted by it.
pub(super) fn starts(symbols: usize, of: impl Iterator<Item = u32>) -> Vec<u32> {
    let mut starts = vec![0; symbols + 1];
    for symbol in of {
        starts[symbol as usize + 1] += 1;
    }
    for i in 0..symbols {
        starts[i + 1] += starts[i];
    }
    starts
}
