//! What decisions look at: words and labels on the stack, words to come, and pairs and triples of
//! them (after Zhu et al. 2013, whose stack holds complete phrases only).

use super::state::{Item, Label, NO_LABEL, State, States};
use super::weights::Feature;

/// A word as features see it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Seen {
    /// The word's number, or that of its signature if it is rare.
    pub word: u32,
    /// Signatures from fine to coarse.
    pub looks: [u32; 4],
    /// The tag that such words have most often; the tag where it is given.
    pub usual: Label,
    /// Hashes of the word in small letters, and of its beginnings and endings.
    pub affixes: [u32; AFFIXES],
}

/// Letters of the longest beginning and ending.
const LETTERS: usize = 4;

/// The word itself, its beginnings and its endings.
const AFFIXES: usize = 1 + 2 * LETTERS;

/// Hashes of a word in small letters, of its beginnings and of its endings, by FNV-1a: they are
/// kept in files, so that they must be the same everywhere.
pub fn affixes(word: &str) -> [u32; AFFIXES] {
    const START: u32 = 0x811c_9dc5;
    let step = |hash: u32, c: char| (hash ^ c as u32).wrapping_mul(0x0100_0193);
    let letters = || word.chars().flat_map(char::to_lowercase);
    let mut hashes = [0; AFFIXES];
    hashes[0] = letters().fold(START, step);
    let (beginnings, endings) = hashes[1..].split_at_mut(LETTERS);
    let mut hash = START;
    for (into, c) in beginnings.iter_mut().zip(letters()) {
        hash = step(hash, c);
        *into = hash;
    }
    hash = START;
    for (into, c) in endings.iter_mut().zip(word.chars().rev().flat_map(char::to_lowercase)) {
        hash = step(hash, c);
        *into = hash;
    }
    hashes
}

/// What stands for a word before the first or after the last.
const OUTSIDE: u32 = u32::MAX;

/// Mixes the number of a template with up to four values.
#[inline]
fn hash(template: u64, values: [u64; 4]) -> Feature {
    // Multiplication by odd numbers of many bits, folded after each step.
    const ODD: u64 = 0x9e37_79b9_7f4a_7c15;
    let mut mixed = template.wrapping_add(1).wrapping_mul(ODD);
    for value in values {
        mixed = (mixed ^ value).wrapping_mul(ODD);
        mixed ^= mixed >> 29;
    }
    mixed
}

/// Numbers templates in the order of calling.
struct Templates<'a> {
    next: u64,
    into: &'a mut Vec<Feature>,
}

impl Templates<'_> {
    #[inline]
    fn add(&mut self, values: [u64; 4]) {
        self.into.push(hash(self.next, values));
        self.next += 1;
    }

    #[inline]
    fn one(&mut self, a: u64) {
        self.add([a, 0, 0, 0]);
    }

    #[inline]
    fn two(&mut self, a: u64, b: u64) {
        self.add([a, b, 0, 0]);
    }

    #[inline]
    fn three(&mut self, a: u64, b: u64, c: u64) {
        self.add([a, b, c, 0]);
    }
}

/// A node of the stack, as numbers; everything is [`OUTSIDE`] where there is none.
struct Node {
    /// Label with how it was made: a growing phrase is another thing than a complete one.
    label: u64,
    head: u64,
    tag: u64,
    first: u64,
    prior: u64,
    last: u64,
    left: u64,
    left_tag: u64,
    right: u64,
    right_tag: u64,
    children: u64,
    width: u64,
}

fn node(item: Option<&Item>) -> Node {
    let outside = u64::from(OUTSIDE);
    let Some(item) = item else {
        return Node {
            label: outside,
            head: outside,
            tag: outside,
            first: outside,
            prior: outside,
            last: outside,
            left: outside,
            left_tag: outside,
            right: outside,
            right_tag: outside,
            children: 0,
            width: 0,
        };
    };
    let kind = match item.shape {
        shape if shape.is_word() => 0,
        shape if shape.is_adjunction => 1,
        _ => 2,
    };
    let width = match item.width {
        width @ 0..=4 => width,
        5..=8 => 5,
        9..=16 => 6,
        _ => 7,
    };
    Node {
        label: u64::from(item.label) | kind << 32,
        head: item.head.into(),
        tag: item.head_tag.into(),
        first: item.first.into(),
        prior: item.prior.into(),
        last: item.last.into(),
        left: item.left.into(),
        left_tag: item.left_tag.into(),
        right: item.right.into(),
        right_tag: item.right_tag.into(),
        children: item.shape.children.min(4).into(),
        width: width.into(),
    }
}

/// Features for the decision about the structure.
pub fn structure(states: &States, state: &State, words: &[Seen], into: &mut Vec<Feature>) {
    into.clear();
    let [s0, s1, s2, s3] = states.stack(state).map(node);
    let ahead = [0, 1, 2].map(|ahead| words.get(state.position as usize + ahead));
    let [q0, q1, q2] = ahead.map(|seen| seen.map_or(OUTSIDE, |w| w.word).into());
    let [t0, t1, t2] = ahead.map(|seen| seen.map_or(OUTSIDE, |w| w.usual.into()).into());
    let mut t = Templates { next: 0, into };
    t.one(0);
    // Single nodes and words.
    t.two(s0.label, s0.tag);
    t.two(s0.label, s0.head);
    t.two(s1.label, s1.tag);
    t.two(s1.label, s1.head);
    t.two(s2.label, s2.tag);
    t.two(s2.label, s2.head);
    t.two(s3.label, s3.tag);
    t.two(q0, t0);
    t.two(q1, t1);
    t.two(q2, t2);
    t.one(t0);
    t.one(t1);
    t.one(t2);
    // Neighbours.
    t.two(s0.label, s1.label);
    t.two(s0.head, s1.label);
    t.two(s0.label, s1.head);
    t.two(s0.head, s1.head);
    t.two(s0.label, q0);
    t.two(s0.label, t0);
    t.two(s0.head, q0);
    t.two(s0.head, t0);
    t.two(s1.label, q0);
    t.two(s1.label, t0);
    t.two(s1.head, q0);
    t.two(s1.head, t0);
    t.two(q0, q1);
    t.two(t0, q1);
    t.two(q0, t1);
    t.two(t0, t1);
    // Three and four of them.
    t.three(s0.label, s1.label, s2.label);
    t.three(s0.head, s1.label, s2.label);
    t.three(s0.label, s1.head, s2.label);
    t.three(s0.label, s1.label, s2.head);
    t.three(s0.label, s1.label, q0);
    t.three(s0.label, s1.label, t0);
    t.three(s0.head, s1.label, t0);
    t.three(s0.label, s1.head, t0);
    t.three(s0.label, t0, t1);
    t.three(s0.label, q0, t1);
    t.three(t0, t1, t2);
    t.add([s0.label, t0, t1, t2]);
    t.add([s0.label, s1.label, t0, t1]);
    t.add([s0.label, s1.label, s2.label, t0]);
    t.add([s0.label, s1.label, s2.label, s3.label]);
    t.add([s0.tag, s1.tag, s0.label, s1.label]);
    // Insides of the nodes.
    t.three(s0.label, s0.first, s0.last);
    t.three(s0.label, s0.prior, s0.last);
    t.three(s0.label, s0.last, s0.children);
    t.add([s0.label, s0.prior, s0.last, t0]);
    t.three(s1.label, s1.first, s1.last);
    t.three(s1.label, s1.last, s1.children);
    t.add([s1.label, s1.last, s0.label, s1.children]);
    t.add([s1.label, s1.first, s1.last, s0.label]);
    t.add([s1.label, s1.prior, s1.last, s0.label]);
    t.add([s1.label, s1.last, s0.label, t0]);
    t.three(s0.label, s0.left, s0.left_tag);
    t.three(s0.label, s0.right, s0.right_tag);
    t.three(s1.label, s1.left, s1.left_tag);
    t.three(s1.label, s1.right, s1.right_tag);
    t.three(s0.label, s0.right_tag, t0);
    t.three(s1.right_tag, s0.left_tag, s0.label);
    t.three(s0.label, s0.width, s1.label);
    t.three(s1.label, s1.width, s0.width);
    // What was done before.
    let [a, b] = state.last.map(u64::from);
    t.two(a, b);
    t.three(a, s0.label, t0);
    t.three(a, b, s0.label);
}

/// Features for the tag of the next word, which are those of the words and of the tags before.
pub fn tagging(position: usize, tags: [Label; 2], words: &[Seen], into: &mut Vec<Feature>) {
    into.clear();
    let at = |place: Option<usize>| place.and_then(|place| words.get(place));
    let word = |place| -> u64 { at(place).map_or(OUTSIDE, |seen| seen.word).into() };
    let usual = |place| -> u64 { at(place).map_or(OUTSIDE, |seen| seen.usual.into()).into() };
    let outside = u64::from(OUTSIDE);
    let [before, before_that] = tags.map(|tag| if tag == NO_LABEL { outside } else { tag.into() });
    let (here, next, after) = (Some(position), Some(position + 1), Some(position + 2));
    let (previous, earlier) = (position.checked_sub(1), position.checked_sub(2));
    let seen = at(here).copied().unwrap_or_default();
    // Apart from the templates of the structure.
    let mut t = Templates { next: 1 << 20, into };
    t.one(0);
    t.one(word(here));
    t.one(usual(here));
    for look in seen.looks {
        t.one(look.into());
    }
    for affix in seen.affixes {
        t.one(affix.into());
    }
    t.two(seen.looks[3].into(), u64::from(position == 0));
    t.one(before);
    t.two(before, before_that);
    t.two(before, word(here));
    t.two(before, usual(here));
    t.two(before, seen.looks[0].into());
    t.one(word(previous));
    t.one(word(earlier));
    t.one(word(next));
    t.one(word(after));
    t.one(usual(next));
    t.two(usual(next), usual(after));
    t.two(usual(next), before);
    t.two(usual(next), word(here));
    t.two(word(previous), word(here));
    t.two(word(here), word(next));
    t.two(before, word(next));
    t.three(before, word(here), usual(next));
    t.three(before, usual(here), usual(next));
    t.three(before_that, before, word(here));
    t.three(before_that, before, usual(here));
    if let Some(next) = at(next) {
        t.one(next.looks[0].into());
        t.one(next.affixes[AFFIXES - 2].into());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn templates_and_values_do_not_meet() {
        let seen = Seen { word: 1, looks: [1, 2, 3, 4], usual: 1, affixes: affixes("abcdefgh") };
        let words = [seen, seen];
        let (mut a, mut b) = (Vec::new(), Vec::new());
        structure(&States::default(), &State::start(), &words, &mut a);
        tagging(0, [NO_LABEL; 2], &words, &mut b);
        assert!(a.len() > 40 && b.len() > 30);
        let all: HashSet<Feature> = a.iter().chain(&b).copied().collect();
        assert_eq!(all.len(), a.len() + b.len());
        let mut again = Vec::new();
        structure(&States::default(), &State::start(), &words, &mut again);
        assert_eq!(a, again);
        structure(&States::default(), &State::start(), &words[1..], &mut again);
        assert!(a.iter().zip(&again).filter(|(x, y)| x != y).count() >= 3);
    }

    #[test]
    fn words_with_equal_beginnings_or_endings_share_these() {
        let shared = |a, b| affixes(a).iter().zip(affixes(b)).filter(|(x, y)| **x == *y).count();
        assert_eq!(shared("Walking", "walking"), AFFIXES);
        assert_eq!(shared("walking", "talking"), LETTERS);
        assert_eq!(shared("walking", "walks"), LETTERS);
        assert_eq!(shared("abcd", "wxyz"), 0);
        // What a short word has no letters for is equal in all of them.
        assert_eq!(shared("a", "b"), 2 * (LETTERS - 1));
    }
}
