//! Tags of words. What is estimated is P(tag | word): the relative frequency of the word, smoothed
//! towards that of rare words that look like it, which is all that an unknown word has. Bayes'
//! rule turns it into P(word | tag); of all unknown words, those of one signature count as one.

use super::events::Counts;
use super::inventory::Inventory;
use super::symbols::Symbol;
use crate::inference::sparse_pcfg::Leaves;
use crate::parser::Words;
use crate::parser::signature::{ROOT, Signature};
use foldhash::fast::FixedState;
use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

/// A word that occurs at most so often (in sentences of mean weight) tells about unknown words.
const RARE: f64 = 5.0;

/// A word that occurs more often has no other tags than those seen.
const SURE: f64 = 50.0;

/// How many words the look of a word counts for beside its own occurrences.
const LOOK: f64 = 1.0;

/// How many words a coarser signature counts for.
const COARSER: f64 = 4.0;

/// How many words the shares of a tag's variants count for.
const VARIANTS: f64 = 2.0;

/// How many rare words the words count for that end as no rare word does.
const UNLIKE: f64 = 0.1;

/// Least probability of a tag, given the word, that is tried.
const LEAST: f64 = 1e-6;

/// Words with the tags that they may have. Tags are numbered by their place in `tags`.
#[derive(Clone, Debug)]
pub struct Lexicon {
    inventory: Arc<Inventory>,
    is_smooth: bool,
    /// Symbols of tags, ascending.
    tags: Vec<Symbol>,
    /// Number of every symbol among the tags.
    number: Vec<u32>,
    /// Tags that the treebank writes alike: number of the kind by tag, and the tags by kind.
    kind_of: Vec<u32>,
    kinds: Vec<Vec<u32>>,
    kind_by_name: HashMap<Arc<str>, u32>,
    /// P(tag | kind).
    share: Vec<f64>,
    /// Weight of every word.
    of_word: Vec<f64>,
    /// Tags of every word with their weights.
    of_word_tags: Vec<Vec<(u32, f64)>>,
    /// Weight of rare words by signature, and that of their tags.
    looks: Vec<Look>,
    /// Weight of all words of a tag, unknown ones included: J(tag) = sum over words of J(tag, word).
    of_tag: Vec<f64>,
}

/// Rare words of a signature.
#[derive(Clone, Debug, Default)]
struct Look {
    weight: f64,
    tags: Vec<(u32, f64)>,
    /// What unknown words weigh that have this signature and no finer one.
    unknown: f64,
}

const NO_TAG: u32 = u32::MAX;

impl Lexicon {
    pub fn new(inventory: Arc<Inventory>, counts: &Counts, is_smooth: bool) -> Lexicon {
        let emissions = || {
            let all = inventory.emissions.all().iter().zip(&counts.emissions);
            all.filter(|(_, w)| **w > 0.0).map(|(&(tag, word), w)| (tag, word, w * counts.unit))
        };
        let mut tags: Vec<Symbol> = emissions().map(|(tag, ..)| tag).collect();
        tags.sort_unstable();
        tags.dedup();
        let mut number = vec![NO_TAG; inventory.symbols.len()];
        let (mut kinds, mut kind_of, mut kind_by_name) = (Vec::new(), Vec::new(), HashMap::new());
        for (i, &tag) in tags.iter().enumerate() {
            number[tag as usize] = i as u32;
            let name = inventory.symbols.plain(tag).clone();
            let kind = *kind_by_name.entry(name).or_insert(kinds.len() as u32);
            if kind as usize == kinds.len() {
                kinds.push(Vec::new());
            }
            kinds[kind as usize].push(i as u32);
            kind_of.push(kind);
        }
        let mut lexicon = Lexicon {
            is_smooth,
            number,
            kind_of,
            kind_by_name,
            share: vec![0.0; tags.len()],
            of_word: vec![0.0; inventory.words.all().len()],
            of_word_tags: vec![Vec::new(); inventory.words.all().len()],
            looks: Vec::new(),
            of_tag: vec![0.0; tags.len()],
            kinds,
            tags,
            inventory: inventory.clone(),
        };
        for (tag, word, weight) in emissions() {
            let tag = lexicon.number[tag as usize];
            lexicon.of_word[word as usize] += weight;
            lexicon.of_word_tags[word as usize].push((tag, weight));
            lexicon.share[tag as usize] += weight;
            lexicon.of_tag[tag as usize] += weight;
        }
        for kind in &lexicon.kinds {
            let sum: f64 = kind.iter().map(|&tag| lexicon.share[tag as usize]).sum();
            kind.iter().for_each(|&tag| lexicon.share[tag as usize] /= sum);
        }
        lexicon.look();
        if is_smooth {
            lexicon.normalise();
        }
        lexicon
    }

    /// Sums rare words by signature; all words where none is rare.
    fn look(&mut self) {
        let weights = || self.of_word.iter().copied();
        let up_to = |bound: f64| weights().filter(|w| *w <= bound).sum::<f64>();
        let bound = if up_to(RARE) > 0.0 { RARE } else { f64::INFINITY };
        // What was seen once is as frequent as what will be new (Good & Turing).
        let new = up_to(1.0).max(0.5) / up_to(bound);
        self.looks = vec![Look::default(); self.inventory.signatures.len()];
        // Place of a tag in the list of a signature.
        let mut places: HashMap<(Signature, u32), usize, FixedState> = HashMap::default();
        for (word, tags) in self.of_word_tags.iter().enumerate() {
            let weight = self.of_word[word];
            if weight <= 0.0 || weight > bound {
                continue;
            }
            let finest = self.inventory.signature_of_word[word];
            self.looks[finest as usize].unknown += weight;
            for signature in self.inventory.signatures.upwards(finest) {
                let look = &mut self.looks[signature as usize];
                look.weight += weight;
                for &(tag, weight) in tags {
                    let place = *places.entry((signature, tag)).or_insert(look.tags.len());
                    match look.tags.get_mut(place) {
                        Some((_, sum)) => *sum += weight,
                        None => look.tags.push((tag, weight)),
                    }
                }
            }
        }
        for look in self.looks.iter_mut() {
            look.unknown = (look.unknown + UNLIKE) * new;
        }
    }

    /// How many words a signature counts for beside a word of this weight.
    fn look_strength(weight: f64) -> f64 {
        if weight > SURE { 0.0 } else { LOOK }
    }

    /// Sums J(tag, word) over all words, seen and unknown, with the same smoothing.
    fn normalise(&mut self) {
        let signatures = self.looks.len();
        // What every signature's P(tag | signature) is to be multiplied by, finest first.
        let mut through = vec![0.0; signatures];
        // The same for P(tag | kind).
        let mut through_kind = vec![0.0; self.kinds.len()];
        self.of_tag.fill(0.0);
        for (word, &weight) in self.of_word.iter().enumerate().filter(|(_, w)| **w > 0.0) {
            let look = Self::look_strength(weight);
            let scale = weight / (weight + VARIANTS + look);
            through[self.inventory.signature_of_word[word] as usize] += scale * look;
            for &(tag, n) in &self.of_word_tags[word] {
                self.of_tag[tag as usize] += scale * n;
                through_kind[self.kind_of[tag as usize] as usize] += scale * VARIANTS * n / weight;
            }
        }
        for (through, look) in through.iter_mut().zip(&self.looks) {
            *through += look.unknown;
        }
        // Finer signatures were made after the coarser ones above them.
        for signature in (0..signatures).rev() {
            let Look { weight, tags, .. } = &self.looks[signature];
            let coarser = if signature == ROOT as usize { 0.0 } else { COARSER };
            if weight + coarser <= 0.0 {
                continue;
            }
            let scale = through[signature] / (weight + coarser);
            for &(tag, n) in tags {
                self.of_tag[tag as usize] += scale * n;
            }
            if coarser > 0.0 {
                let above = self.inventory.signatures.above(signature as Signature);
                through[above as usize] += scale * coarser;
            }
        }
        for (tag, sum) in self.of_tag.iter_mut().enumerate() {
            *sum += through_kind[self.kind_of[tag] as usize] * self.share[tag];
        }
    }

    /// P(tag | signature) of all tags, into `into`.
    fn by_look(&self, signature: Signature, into: &mut Vec<f64>) {
        into.clear();
        into.resize(self.tags.len(), 0.0);
        let mut chain: Vec<Signature> = self.inventory.signatures.upwards(signature).collect();
        chain.reverse();
        for signature in chain {
            let Look { weight, tags, .. } = &self.looks[signature as usize];
            let coarser = if signature == ROOT { 0.0 } else { COARSER };
            if weight + coarser <= 0.0 {
                continue;
            }
            into.iter_mut().for_each(|p| *p *= coarser / (weight + coarser));
            for &(tag, n) in tags {
                into[tag as usize] += n / (weight + coarser);
            }
        }
    }

    /// P(tag | word) of all tags into `into`; gives the weight of the word. One that was never
    /// seen looks as a rare word would.
    fn tags_of(&self, word: &str, into: &mut Vec<f64>) -> f64 {
        let Some(id) = self.seen(word) else {
            let signature = self.inventory.signatures.find(word);
            self.by_look(signature, into);
            return self.looks[signature as usize].unknown;
        };
        let weight = self.of_word[id as usize];
        let look = if self.is_smooth { Self::look_strength(weight) } else { 0.0 };
        let variants = if self.is_smooth { VARIANTS } else { 0.0 };
        if look > 0.0 {
            self.by_look(self.inventory.signature_of_word[id as usize], into);
        } else {
            into.clear();
            into.resize(self.tags.len(), 0.0);
        }
        let scale = 1.0 / (weight + look + variants);
        into.iter_mut().for_each(|p| *p *= look * scale);
        for &(tag, n) in &self.of_word_tags[id as usize] {
            into[tag as usize] += n * scale;
            if variants > 0.0 {
                for &variant in &self.kinds[self.kind_of[tag as usize] as usize] {
                    let share = self.share[variant as usize];
                    into[variant as usize] += variants * scale * share * n / weight;
                }
            }
        }
        weight
    }

    /// Symbols of tags, ascending.
    pub fn tags(&self) -> &[Symbol] {
        &self.tags
    }

    /// Number of a word that has weight.
    fn seen(&self, word: &str) -> Option<u32> {
        self.inventory.words.get(word).filter(|id| self.of_word[*id as usize] > 0.0)
    }

    /// What may stand over every word: tags with log P(word | tag).
    pub fn leaves(&self, sentence: Words<'_>) -> Vec<Vec<(Symbol, f64)>> {
        let mut probs = Vec::new();
        let mut leaves = Vec::with_capacity(sentence.words.len());
        for (i, word) in sentence.words.iter().enumerate() {
            let weight = self.tags_of(&self.as_looked_up(word, i), &mut probs);
            let given = sentence.tags.and_then(|tags| self.kind_by_name.get(&tags[i]));
            let leaf = |tag: u32, prob: f64| {
                (self.tags[tag as usize], (weight * prob / self.of_tag[tag as usize]).ln())
            };
            leaves.push(match given {
                None => {
                    let all = probs.iter().enumerate().filter(|(_, p)| **p >= LEAST);
                    all.map(|(tag, &prob)| leaf(tag as u32, prob)).collect()
                }
                Some(&kind) => {
                    let kind = &self.kinds[kind as usize];
                    let likely = kind.iter().filter(|tag| probs[**tag as usize] > 0.0);
                    let known: Vec<_> = likely.map(|&tag| leaf(tag, probs[tag as usize])).collect();
                    match known.is_empty() {
                        true => kind.iter().map(|&tag| leaf(tag, LEAST)).collect(),
                        false => known,
                    }
                }
            });
        }
        leaves
    }

    /// What may stand over every word in the coarse grammar, with log P(word | coarse tag): the
    /// mean over the variants of the tag.
    pub fn coarse(&self, leaves: &Leaves) -> Vec<Vec<(Symbol, f64)>> {
        let coarse = |list: &Vec<(Symbol, f64)>| {
            let mut merged: Vec<(Symbol, f64)> = Vec::new();
            for &(symbol, log_prob) in list {
                let share = self.share[self.number[symbol as usize] as usize];
                let symbol = self.inventory.coarse.of_symbol[symbol as usize];
                let prob = share * log_prob.exp();
                match merged.iter_mut().find(|(s, _)| *s == symbol) {
                    Some((_, sum)) => *sum += prob,
                    None => merged.push((symbol, prob)),
                }
            }
            merged.iter_mut().for_each(|(_, p)| *p = p.ln());
            merged
        };
        leaves.iter().map(coarse).collect()
    }

    /// The first word of a sentence has a capital that it may not have elsewhere.
    pub fn as_looked_up<'w>(&self, word: &'w str, position: usize) -> Cow<'w, str> {
        if position == 0 && word.chars().next().is_some_and(char::is_uppercase) {
            let lower = word.to_lowercase();
            if self.seen(word).is_none() && self.seen(&lower).is_some() {
                return lower.into();
            }
        }
        word.into()
    }

    /// log P(word | tag) of the word at a position of a sentence.
    pub fn log_prob(&self, tag: Symbol, word: &str, position: usize) -> f64 {
        let tag = self.number.get(tag as usize).copied().unwrap_or(NO_TAG);
        let looked_up = self.as_looked_up(word, position);
        if tag == NO_TAG || !self.is_smooth && self.seen(&looked_up).is_none() {
            return f64::NEG_INFINITY;
        }
        let mut probs = Vec::new();
        let weight = self.tags_of(&looked_up, &mut probs);
        (weight * probs[tag as usize] / self.of_tag[tag as usize]).ln()
    }
}
