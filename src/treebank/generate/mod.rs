//! Treebanks made from nothing: a weighted context-free grammar, read from a
//! text file, and sentences with their trees sampled from it.
//!
//! The grammar that is compiled in gives the sample corpus, so that a first
//! run needs no licensed treebank. The true trees of sampled text are known, so
//! the scores of an induced grammar mean what they mean on a real treebank.
//! The file format is described at the top of `assets/sample-grammar.txt`.

mod check;
mod error;
mod read;
#[cfg(test)]
mod tests;

pub use error::GrammarError;

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use read::GrammarReader;

const BUNDLED: &str = include_str!("../../../assets/sample-grammar.txt");

/// Below this depth of rules every symbol takes its smallest tree.
const MAX_DEPTH: usize = 40;

/// Likewise once a tree has this many nodes: depth alone would let
/// `S -> S S` double at every level.
const MAX_NODES: usize = 600;

/// Rejected sentences in a row after which a length window counts as one that
/// the grammar does not reach.
const MAX_REJECTIONS: usize = 20_000;

/// A weighted context-free grammar to sample trees from; checked when read, so
/// that sampling cannot fail.
#[derive(Debug, Clone)]
pub struct Grammar {
    /// Symbol 0 is the start.
    symbols: Vec<Symbol>,
}

#[derive(Debug, Clone)]
struct Symbol {
    name: String,
    /// Where it is first mentioned.
    line: usize,
    expansions: Expansions,
}

#[derive(Debug, Clone)]
enum Expansions {
    Undefined,
    Rules { choices: Vec<Choice<Vec<usize>>>, smallest: usize },
    Words { choices: Vec<Choice<String>> },
}

#[derive(Debug, Clone)]
struct Choice<T> {
    /// Sum of the weights up to and including this one.
    cumulative: f64,
    line: usize,
    value: T,
}

impl Symbol {
    /// The part that is drawn: `NP` of `NP^sg`, nothing of `^top`.
    fn label(&self) -> &str {
        self.name.split('^').next().unwrap_or_default()
    }

    fn is_hidden(&self) -> bool {
        self.name.starts_with('^')
    }
}

impl Grammar {
    /// Reads and checks a grammar file; the first fault ends the reading.
    pub fn parse(text: &str) -> Result<Self, GrammarError> {
        let mut reader = GrammarReader::default();
        for (index, line) in text.lines().enumerate() {
            reader.line(index + 1, line.trim())?;
        }
        let mut grammar = Self { symbols: reader.symbols };
        grammar.check()?;
        Ok(grammar)
    }

    /// The grammar of English behind the sample corpus.
    pub fn bundled() -> Self {
        Self::parse(BUNDLED).expect("the tests read the grammar that is compiled in")
    }

    /// One tree as a bracketed line, such as `(S (NP (DT the) (NN dog)) ...)`.
    pub fn sample(&self, rng: &mut impl Rng) -> String {
        self.draw(rng).0
    }

    /// A bracketed line and its words, punctuation not counted.
    fn draw(&self, rng: &mut impl Rng) -> (String, usize) {
        enum Step {
            Expand { symbol: usize, depth: usize },
            Close,
        }
        let mut line = String::new();
        let mut words = 0;
        let mut nodes = 0;
        // A stack of our own: the depth of a user's grammar is not bounded by
        // what the thread's stack holds.
        let mut stack = vec![Step::Expand { symbol: 0, depth: 0 }];
        while let Some(step) = stack.pop() {
            let (symbol, depth) = match step {
                Step::Expand { symbol, depth } => (&self.symbols[symbol], depth),
                Step::Close => {
                    line.push(')');
                    continue;
                }
            };
            nodes += 1;
            if !symbol.is_hidden() {
                if !line.is_empty() {
                    line.push(' ');
                }
                line.push('(');
                line.push_str(symbol.label());
            }
            match &symbol.expansions {
                Expansions::Words { choices } => {
                    let word = &choices[pick(choices, rng)].value;
                    words += usize::from(is_word(word));
                    line.push(' ');
                    line.push_str(word);
                    line.push(')');
                }
                Expansions::Rules { choices, smallest } => {
                    let chosen = if depth >= MAX_DEPTH || nodes >= MAX_NODES {
                        *smallest
                    } else {
                        pick(choices, rng)
                    };
                    if !symbol.is_hidden() {
                        stack.push(Step::Close);
                    }
                    let children = &choices[chosen].value;
                    stack.extend(
                        children
                            .iter()
                            .rev()
                            .map(|&symbol| Step::Expand { symbol, depth: depth + 1 }),
                    );
                }
                Expansions::Undefined => unreachable!("parse refuses undefined symbols"),
            }
        }
        (line, words)
    }

    fn rules(&self, symbol: usize) -> &[Choice<Vec<usize>>] {
        match &self.symbols[symbol].expansions {
            Expansions::Rules { choices, .. } => choices,
            Expansions::Words { .. } | Expansions::Undefined => &[],
        }
    }
}

/// Samples trees whose sentences have `min_length..=max_length` words,
/// punctuation not counted, by rejection.
///
/// The same seed gives the same trees, and a longer corpus begins with the
/// shorter one. Fewer than `sentences` come back when the grammar all but never
/// gives a sentence of such a length.
pub fn generate(
    grammar: &Grammar,
    sentences: usize,
    seed: u64,
    min_length: usize,
    max_length: usize,
) -> Vec<String> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut lines = Vec::new();
    let mut rejected = 0;
    while lines.len() < sentences && rejected < MAX_REJECTIONS {
        let (line, words) = grammar.draw(&mut rng);
        if (min_length..=max_length).contains(&words) {
            lines.push(line);
            rejected = 0;
        } else {
            rejected += 1;
        }
    }
    lines
}

/// Whether a token counts towards a sentence's length.
fn is_word(token: &str) -> bool {
    token.chars().any(char::is_alphanumeric)
}

fn pick<T>(choices: &[Choice<T>], rng: &mut impl Rng) -> usize {
    let total = choices.last().map_or(0.0, |c| c.cumulative);
    let at = rng.random::<f64>() * total;
    // Rounding may put `at` on the total itself.
    choices.partition_point(|c| c.cumulative <= at).min(choices.len().saturating_sub(1))
}
