//! Which pairs of symbols stand side by side in some rule. A left child has rules with hundreds of
//! right children, of which a cell has few: sets of bits find those without a walk over the rules.

use super::rule::{BinaryRule, starts};

/// Right children of a left child: those of 64 neighbouring numbers.
#[derive(Clone, Copy, Debug)]
struct Partners {
    word: u32,
    /// Number of the first pair.
    first: u32,
    bits: u64,
}

/// All pairs of a left and a right child, by left, then right child.
#[derive(Clone, Debug)]
pub(super) struct Pairs {
    /// Number of every symbol among the right children, [`NONE`] for others.
    right: Vec<u32>,
    /// Right children by number.
    rights: Vec<u32>,
    partners: Vec<Partners>,
    /// Where the partners of every symbol begin.
    partner_starts: Vec<u32>,
    /// Where the rules of every pair begin.
    rule_starts: Vec<u32>,
    /// The rules of one pair behind those of the other, packed: they are most of what is read.
    above: Vec<Above>,
}

/// A rule seen from its children.
#[derive(Clone, Copy, Debug)]
pub(super) struct Above {
    pub log_prob: f64,
    pub parent: u32,
}

const NONE: u32 = u32::MAX;

impl Pairs {
    /// `rules` are sorted by left, then right child.
    pub fn new(symbols: usize, rules: &[BinaryRule]) -> Pairs {
        let mut right = vec![NONE; symbols];
        rules.iter().for_each(|rule| right[rule.right as usize] = 0);
        let mut rights = Vec::new();
        for (symbol, number) in right.iter_mut().enumerate().filter(|(_, n)| **n != NONE) {
            *number = rights.len() as u32;
            rights.push(symbol as u32);
        }
        let (mut partners, mut of_left) = (Vec::<Partners>::new(), Vec::new());
        let mut rule_starts = Vec::new();
        let mut last = None;
        for (place, rule) in rules.iter().enumerate() {
            let number = right[rule.right as usize];
            let (word, bit) = (number / 64, 1 << (number % 64));
            match partners.last_mut() {
                _ if last == Some((rule.left, rule.right)) => continue,
                Some(of) if of_left.last() == Some(&rule.left) && of.word == word => of.bits |= bit,
                _ => {
                    partners.push(Partners { word, first: rule_starts.len() as u32, bits: bit });
                    of_left.push(rule.left);
                }
            }
            last = Some((rule.left, rule.right));
            rule_starts.push(place as u32);
        }
        rule_starts.push(rules.len() as u32);
        let partner_starts = starts(symbols, of_left.into_iter());
        let above = rules.iter().map(|rule| Above { log_prob: rule.log_prob, parent: rule.parent });
        Pairs { right, rights, partners, partner_starts, rule_starts, above: above.collect() }
    }

    /// The number of a symbol among the right children, if it is one.
    #[inline(always)]
    pub fn right(&self, symbol: u32) -> Option<u32> {
        Some(self.right[symbol as usize]).filter(|number| *number != NONE)
    }

    /// The right child with a number.
    pub fn right_child(&self, number: u32) -> u32 {
        self.rights[number as usize]
    }

    /// How many right children there are.
    pub fn rights(&self) -> usize {
        self.rights.len()
    }

    /// How many 64-bit words a set of right children has.
    pub fn words(&self) -> usize {
        self.rights.len().div_ceil(64)
    }

    /// The rules of a left child whose right child is in a set, by right child: the number of that
    /// child, and the rules.
    #[inline(always)]
    pub fn each(&self, left: u32, set: &[u64], mut see: impl FnMut(u32, &[Above])) {
        let at = left as usize;
        let range = self.partner_starts[at] as usize..self.partner_starts[at + 1] as usize;
        for partners in &self.partners[range] {
            let mut both = partners.bits & set[partners.word as usize];
            while both != 0 {
                let bit = both.trailing_zeros();
                let before = (partners.bits & ((1 << bit) - 1)).count_ones();
                let pair = (partners.first + before) as usize;
                let rules = self.rule_starts[pair] as usize..self.rule_starts[pair + 1] as usize;
                see(64 * partners.word + bit, &self.above[rules]);
                both &= both - 1;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{BinaryRule, Pairs};

    #[test]
    fn the_rules_of_a_left_child_are_found_by_sets_of_right_children() {
        // 200 symbols, so that sets have several words, and some pairs have several rules.
        let symbols = 200;
        let mut rules = Vec::new();
        for left in 0..20 {
            for right in (left..symbols).step_by(7) {
                for parent in [3, 5 + left].into_iter().take(1 + right as usize % 2) {
                    let log_prob = -f64::from(left + 1000 * right + parent);
                    rules.push(BinaryRule { parent, left, right, log_prob });
                }
            }
        }
        let pairs = Pairs::new(symbols as usize, &rules);
        for step in 1..5 {
            let is_in = |symbol: u32| symbol.is_multiple_of(step);
            let mut set = vec![0; pairs.words()];
            for symbol in (0..symbols).filter(|s| is_in(*s)) {
                if let Some(number) = pairs.right(symbol) {
                    set[number as usize / 64] |= 1 << (number % 64);
                    assert_eq!(pairs.right_child(number), symbol);
                }
            }
            for left in 0..symbols {
                let mut found = Vec::new();
                pairs.each(left, &set, |right, above| {
                    let right = pairs.right_child(right);
                    found.extend(above.iter().map(|rule| BinaryRule {
                        parent: rule.parent,
                        left,
                        right,
                        log_prob: rule.log_prob,
                    }));
                });
                let all = rules.iter().copied();
                let expected: Vec<_> =
                    all.filter(|rule| rule.left == left && is_in(rule.right)).collect();
                assert_eq!(found, expected);
            }
        }
    }
}
