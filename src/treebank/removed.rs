use std::collections::BTreeMap;

/// A step of preprocessing that is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    pub name: &'static str,
    /// What was done to what, with the number before it: `12 words in lower case`.
    pub meaning: &'static str,
}

const fn step(name: &'static str, meaning: &'static str) -> Step {
    Step { name, meaning }
}

/// All steps, in the order in which they are done.
pub const STEPS: [Step; 14] = [
    step("traces", "empty elements taken away"),
    step("punctuation", "words taken away as punctuation"),
    step("lower-case", "words put in lower case"),
    step("numbers", "words whose digits became N"),
    step("reattached", "nodes attached elsewhere to close gaps"),
    step("empty-phrases", "phrases taken away that had no word left"),
    step("phrases-with-gaps", "phrases not scored, for their words have a gap"),
    step("unary-phrases", "phrases put into the one above of the same words"),
    step("function-labels", "phrases whose function tag was cut"),
    step("secondary-edges", "secondary edges taken away with their phrase"),
    step("no-words", "sentences left out that had no word left"),
    step("one-word", "sentences left out of one word"),
    step("too-short", "sentences left out as too short"),
    step("too-long", "sentences left out as too long"),
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

    /// What the step took away.
    pub fn get(&self, step: &str) -> u64 {
        self.0.get(step).copied().unwrap_or(0)
    }

    /// The steps that did something, in their order, with what they did.
    pub fn steps(&self) -> impl Iterator<Item = (Step, u64)> {
        STEPS.into_iter().filter_map(|step| Some((step, *self.0.get(step.name)?)))
    }
}
