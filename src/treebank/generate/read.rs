//! Reads the file format of grammars, a line at a time.

use super::{Choice, Expansions, GrammarError, Symbol};
use std::collections::HashMap;

#[derive(Clone, Copy)]
enum Section {
    Rules,
    Lexicon,
}

/// The state of reading a file, a line at a time.
#[derive(Default)]
pub(super) struct GrammarReader {
    section: Option<Section>,
    pub symbols: Vec<Symbol>,
    ids: HashMap<String, usize>,
    rules_seen: HashMap<(usize, Vec<usize>), usize>,
    words_seen: HashMap<(usize, String), usize>,
}

impl GrammarReader {
    pub fn line(&mut self, line: usize, text: &str) -> Result<(), GrammarError> {
        if text.is_empty() || text.starts_with('#') {
            return Ok(());
        }
        match (text, self.section) {
            ("[rules]", _) => self.section = Some(Section::Rules),
            // The first symbol is the start, and a tag cannot be that.
            ("[lexicon]", _) if self.symbols.is_empty() => {
                return Err(syntax(line, "`[rules]` and rules before the lexicon", text));
            }
            ("[lexicon]", _) => self.section = Some(Section::Lexicon),
            (_, Some(Section::Rules)) => self.rule(line, text)?,
            (_, Some(Section::Lexicon)) => self.entry(line, text)?,
            (_, None) => return Err(syntax(line, "`[rules]` before anything else", text)),
        }
        Ok(())
    }

    /// `WEIGHT LEFT -> SYMBOL SYMBOL ...`
    fn rule(&mut self, line: usize, text: &str) -> Result<(), GrammarError> {
        let mut tokens = text.split_whitespace();
        let weight = weight(line, tokens.next().unwrap_or_default())?;
        let left =
            tokens.next().ok_or_else(|| syntax(line, "a left side after the weight", text))?;
        let left = self.symbol(line, left)?;
        if tokens.next() != Some("->") {
            return Err(syntax(line, "`->` after the left side", text));
        }
        let right: Vec<usize> =
            tokens.map(|name| self.symbol(line, name)).collect::<Result<_, _>>()?;
        if right.is_empty() {
            return Err(syntax(line, "at least one symbol after `->`", text));
        }
        let name = self.symbols[left].name.clone();
        if let Some(first) = self.rules_seen.insert((left, right.clone()), line) {
            return Err(GrammarError::DuplicateRule { line, symbol: name, first });
        }
        let expansions = &mut self.symbols[left].expansions;
        if let Expansions::Undefined = expansions {
            *expansions = Expansions::Rules { choices: Vec::new(), smallest: 0 };
        }
        match expansions {
            Expansions::Rules { choices, .. } => add(choices, weight, line, right, &name),
            _ => Err(GrammarError::RulesAndWords { line, symbol: name }),
        }
    }

    /// `TAG: WORD WEIGHT, WORD WEIGHT, ...`
    fn entry(&mut self, line: usize, text: &str) -> Result<(), GrammarError> {
        let (name, list) = text
            .split_once(": ")
            .ok_or_else(|| syntax(line, "`TAG: WORD WEIGHT, WORD WEIGHT, ...`", text))?;
        if name.starts_with('^') || name.contains(char::is_whitespace) {
            return Err(syntax(line, "a tag of one word that does not begin with `^`", name));
        }
        let tag = self.symbol(line, name)?;
        let mut tokens = list.split_whitespace().peekable();
        while let Some(word) = tokens.next() {
            if word.contains(['(', ')']) {
                return Err(syntax(line, "a word without brackets (-LRB- and -RRB-)", word));
            }
            let found =
                tokens.next().ok_or_else(|| syntax(line, "a weight after the word", word))?;
            let number = match (found.strip_suffix(','), tokens.peek().is_some()) {
                (Some(number), true) => number,
                (None, false) => found,
                (None, true) => return Err(syntax(line, "a weight and a comma", found)),
                (Some(_), false) => return Err(syntax(line, "a word after the comma", found)),
            };
            let weight = weight(line, number)?;
            if let Some(first) = self.words_seen.insert((tag, word.to_owned()), line) {
                let (tag, word) = (name.to_owned(), word.to_owned());
                return Err(GrammarError::DuplicateWord { line, tag, word, first });
            }
            let expansions = &mut self.symbols[tag].expansions;
            if let Expansions::Undefined = expansions {
                *expansions = Expansions::Words { choices: Vec::new() };
            }
            match expansions {
                Expansions::Words { choices } => {
                    add(choices, weight, line, word.to_owned(), name)?;
                }
                _ => {
                    return Err(GrammarError::RulesAndWords { line, symbol: name.to_owned() });
                }
            }
        }
        Ok(())
    }

    fn symbol(&mut self, line: usize, name: &str) -> Result<usize, GrammarError> {
        if name == "->" || name == "^" || name.contains(['(', ')']) {
            return Err(syntax(line, "a symbol", name));
        }
        if let Some(&id) = self.ids.get(name) {
            return Ok(id);
        }
        let id = self.symbols.len();
        self.ids.insert(name.to_owned(), id);
        let expansions = Expansions::Undefined;
        self.symbols.push(Symbol { name: name.to_owned(), line, expansions });
        Ok(id)
    }
}

fn syntax(line: usize, expected: &'static str, found: &str) -> GrammarError {
    GrammarError::Syntax { line, expected, found: found.to_owned() }
}

fn weight(line: usize, found: &str) -> Result<f64, GrammarError> {
    match found.parse::<f64>() {
        Ok(weight) if weight.is_finite() && weight > 0.0 => Ok(weight),
        _ => Err(GrammarError::Weight { line, found: found.to_owned() }),
    }
}

fn add<T>(
    choices: &mut Vec<Choice<T>>,
    weight: f64,
    line: usize,
    value: T,
    symbol: &str,
) -> Result<(), GrammarError> {
    let cumulative = choices.last().map_or(0.0, |c| c.cumulative) + weight;
    if !cumulative.is_finite() {
        return Err(GrammarError::WeightSum { line, symbol: symbol.to_owned() });
    }
    choices.push(Choice { cumulative, line, value });
    Ok(())
}
