use crate::report::plural;
use std::collections::BTreeMap;

/// A step of preprocessing that is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    pub name: &'static str,
    /// To what it was done.
    noun: &'static str,
    /// What was done to it.
    done: &'static str,
}

impl Step {
    pub(super) const fn new(name: &'static str, noun: &'static str, done: &'static str) -> Step {
        Step { name, noun, done }
    }

    /// What was done to so many things, the number left out: `words put in lower case`.
    pub fn meaning(self, count: u64) -> String {
        format!("{} {}", plural(&count, self.noun), self.done)
    }
}

const fn step(name: &'static str, noun: &'static str, done: &'static str) -> Step {
    Step::new(name, noun, done)
}

/// All steps, in the order in which they are done.
pub const STEPS: [Step; 14] = [
    step("traces", "empty element", "taken away"),
    step("punctuation", "word", "taken away as punctuation"),
    step("lower-case", "word", "put in lower case"),
    step("numbers", "word", "whose digits became N"),
    step("reattached", "node", "attached elsewhere to close gaps"),
    step("empty-phrases", "phrase", "taken away that had no word left"),
    step("phrases-with-gaps", "phrase", "not scored for a gap between words"),
    step("unary-phrases", "phrase", "put into the one above of the same words"),
    step("function-labels", "phrase", "whose function tag was cut"),
    step("secondary-edges", "secondary edge", "taken away with a phrase"),
    step("no-words", "sentence", "left out that had no word left"),
    step("one-word", "sentence", "left out of one word"),
    step("too-short", "sentence", "left out as too short"),
    step("too-long", "sentence", "left out as too long"),
];

/// What preprocessing took away or rewrote, by the names of [`STEPS`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Removed(pub BTreeMap<&'static str, u64>);

impl Removed {
    /// Counts `n` things that the step took away.
    pub fn add(&mut self, step: &'static str, n: u64) {
        if n > 0 {
            *self.0.entry(step).or_default() += n;
        }
    }

    /// Adds what another counted.
    pub fn extend(&mut self, other: &Removed) {
        other.0.iter().for_each(|(step, n)| self.add(step, *n));
    }

    /// What the step took away.
    pub fn get(&self, step: &str) -> u64 {
        self.0.get(step).copied().unwrap_or(0)
    }

    /// The steps that did something, in their order, with what they did.
    pub fn steps(&self) -> impl Iterator<Item = (Step, u64)> {
        STEPS.into_iter().filter_map(|step| Some((step, *self.0.get(step.name)?)))
    }
}
