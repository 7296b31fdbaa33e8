//! Tags of words: relative frequencies for words that were seen, those of rare words for others.

use super::events::{Counts, Events};
use super::symbols::Symbol;
use crate::parser::Words;
use std::collections::HashMap;
use std::sync::Arc;

/// Words with the tags that they may have.
#[derive(Clone, Debug)]
pub struct Lexicon {
    /// By word: tags with log P(word | tag).
    words: HashMap<Arc<str>, Vec<(Symbol, f64)>>,
    /// Tags with log P(unknown word | tag).
    unknown: Vec<(Symbol, f64)>,
    /// Symbols of a tag as the treebank writes it.
    tags: HashMap<Arc<str>, Vec<Symbol>>,
}

impl Lexicon {
    pub fn new(events: &Events, counts: &Counts) -> Lexicon {
        let mut of_tag: HashMap<Symbol, f64> = HashMap::new();
        let mut rare: HashMap<Symbol, f64> = HashMap::new();
        let mut of_word = vec![0.0; events.words.all().len()];
        let emissions = || events.emissions.all().iter().zip(&counts.emissions);
        for (&(tag, word), &weight) in emissions().filter(|(_, w)| **w > 0.0) {
            *of_tag.entry(tag).or_default() += weight;
            of_word[word as usize] += weight;
        }
        for (&(tag, word), &weight) in emissions().filter(|(_, w)| **w > 0.0) {
            if of_word[word as usize] <= 1.0 {
                *rare.entry(tag).or_default() += weight;
            }
        }
        let mut words: HashMap<Arc<str>, Vec<(Symbol, f64)>> = HashMap::new();
        for (&(tag, word), &weight) in emissions().filter(|(_, w)| **w > 0.0) {
            let word = events.words.all()[word as usize].clone();
            words.entry(word).or_default().push((tag, (weight / of_tag[&tag]).ln()));
        }
        let source = if rare.is_empty() { &of_tag } else { &rare };
        let mut unknown: Vec<(Symbol, f64)> =
            source.iter().map(|(tag, weight)| (*tag, (weight / of_tag[tag]).ln())).collect();
        unknown.sort_unstable_by_key(|(tag, _)| *tag);
        let mut tags: HashMap<Arc<str>, Vec<Symbol>> = HashMap::new();
        for &tag in of_tag.keys() {
            tags.entry(events.symbols.plain(tag).clone()).or_default().push(tag);
        }
        Lexicon { words, unknown, tags }
    }

    /// What may stand over every word.
    pub fn leaves(&self, sentence: Words<'_>) -> Vec<Vec<(Symbol, f64)>> {
        let words = sentence.words.iter().enumerate();
        words
            .map(|(i, word)| {
                let seen = self.words.get(word).unwrap_or(&self.unknown);
                let Some(given) = sentence.tags.and_then(|tags| self.tags.get(&tags[i])) else {
                    return seen.clone();
                };
                let kept: Vec<_> =
                    seen.iter().filter(|(tag, _)| given.contains(tag)).copied().collect();
                match kept.is_empty() {
                    true => given.iter().map(|&tag| (tag, 0.0)).collect(),
                    false => kept,
                }
            })
            .collect()
    }

    /// log P(word | tag).
    pub fn log_prob(&self, tag: Symbol, word: &Arc<str>) -> f64 {
        let seen = self.words.get(word).unwrap_or(&self.unknown);
        let found = seen.iter().find(|(symbol, _)| *symbol == tag);
        found.map_or(f64::NEG_INFINITY, |(_, log_prob)| *log_prob)
    }
}
