//! What a word looks like: case, digits, dashes and its ending, from coarse to fine.

use foldhash::fast::FixedState;
use std::collections::HashMap;

/// Number of a signature.
pub type Signature = u32;

/// The signature of every word.
pub const ROOT: Signature = 0;

/// Most letters of an ending.
const ENDING: usize = 3;

/// Signatures of words, each but the root with a coarser one above it: the shape alone, then with
/// endings of one to three letters.
#[derive(Clone, Debug)]
pub struct Signatures {
    /// Of the shape and ending, by the coarser signature and what was added.
    ids: HashMap<(Signature, char), Signature, FixedState>,
    above: Vec<Signature>,
}

impl Default for Signatures {
    fn default() -> Signatures {
        Signatures { ids: HashMap::default(), above: vec![ROOT] }
    }
}

impl Signatures {
    /// The finest signature of a word, made with those above it where it is new.
    pub fn make(&mut self, word: &str) -> Signature {
        let mut at = ROOT;
        for added in steps(word) {
            let new = self.above.len() as Signature;
            let id = *self.ids.entry((at, added)).or_insert(new);
            if id == new {
                self.above.push(at);
            }
            at = id;
        }
        at
    }

    /// The finest signature of a word that is there.
    pub fn find(&self, word: &str) -> Signature {
        let mut at = ROOT;
        for added in steps(word) {
            match self.ids.get(&(at, added)) {
                Some(finer) => at = *finer,
                None => break,
            }
        }
        at
    }

    /// A signature and all coarser ones, the root last.
    pub fn upwards(&self, from: Signature) -> impl Iterator<Item = Signature> {
        let mut next = Some(from);
        std::iter::from_fn(move || {
            let at = next?;
            next = (at != ROOT).then(|| self.above[at as usize]);
            Some(at)
        })
    }

    /// The next coarser signature; the root's is itself.
    pub fn above(&self, signature: Signature) -> Signature {
        self.above[signature as usize]
    }

    pub fn len(&self) -> usize {
        self.above.len()
    }
}

/// The shape as one character, then the letters of the ending from the last.
fn steps(word: &str) -> impl Iterator<Item = char> {
    std::iter::once(shape(word)).chain(word.chars().rev().take(ENDING).flat_map(char::to_lowercase))
}

fn shape(word: &str) -> char {
    let any = |is: fn(char) -> bool| word.chars().any(is);
    let digit = any(char::is_numeric);
    let dash = word.chars().any(|c| matches!(c, '-' | '\u{2010}'..='\u{2014}'));
    let (upper, lower) = (any(char::is_uppercase), any(char::is_lowercase));
    let starts_upper = word.chars().next().is_some_and(char::is_uppercase);
    let case = match (upper, lower) {
        (false, true) => 0,
        (true, true) if starts_upper => 1,
        (true, true) => 2,
        (true, false) if word.chars().count() == 1 => 3,
        (true, false) => 4,
        (false, false) if any(char::is_alphabetic) => 5,
        (false, false) => 6,
    };
    let number = case * 4 + u32::from(digit) * 2 + u32::from(dash);
    char::from_u32(number + 1).expect("shapes are small numbers")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_alike_share_signatures_down_to_what_tells_them_apart() {
        let mut signatures = Signatures::default();
        let shared = |a: Signature, b: Signature, signatures: &Signatures| {
            let of_a: Vec<_> = signatures.upwards(a).collect();
            signatures.upwards(b).filter(|s| of_a.contains(s)).count()
        };
        let walking = signatures.make("walking");
        for (word, expected) in [
            ("talking", 5),
            ("sang", 4),
            ("Talking", 1),
            ("walk-ing", 1),
            ("1ing", 1),
            ("king", 5),
            ("", 1),
        ] {
            let other = signatures.make(word);
            assert_eq!(shared(walking, other, &signatures), expected, "{word}");
        }
        assert_eq!(signatures.find("talking"), walking);
        let finest = signatures.upwards(signatures.find("xxang")).count();
        assert_eq!(finest, 5, "shape and `ang` are there");
        let digit = signatures.make("\u{662}");
        assert_eq!(signatures.find("\u{661}\u{661}"), signatures.above(digit));
    }
}
