use super::preprocess::Memo;
use super::source::{Source, expand};
use super::{
    Corpus, Entries, Entry, Interner, Preprocessing, Removed, Sentence, TreebankError, sample,
};
use crate::config::{Config, Sources};
use rand::SeedableRng;
use rand::seq::SliceRandom;
use std::io::BufRead;
use std::sync::Arc;

/// Sentence lengths to keep, in words after preprocessing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LengthLimits {
    pub min: usize,
    /// `usize::MAX`: any.
    pub max: usize,
}

impl LengthLimits {
    /// Everything that has a word.
    pub const ANY: LengthLimits = LengthLimits { min: 1, max: usize::MAX };
}

/// Reads and preprocesses the sentences of one split. Faults are collected in
/// [`Corpus::problems`]; what preprocessing and the limits left out is counted
/// in [`Corpus::removed`] (`one-word`, `too-short`, `too-long` count sentences).
/// Only a file that cannot be read, or no sentence at all, is an error.
pub fn load(
    sources: &Sources,
    sections: &str,
    preprocessing: &Preprocessing,
    limits: LengthLimits,
) -> Result<Corpus, TreebankError> {
    let files = expand(&sources.0, sections)?;
    let mut loader = Loader::new(preprocessing, limits);
    for source in &files {
        match source {
            Source::File(path) => {
                let entries = Entries::open(path, std::mem::take(&mut loader.interner))?;
                loader.read(entries);
            }
            Source::Sample(name) => {
                let (file, text) = sample::read(name)?;
                let interner = std::mem::take(&mut loader.interner);
                let file = format!("sample/{file}");
                loader.read(Entries::new(text.as_bytes(), &file, interner)?);
            }
        }
    }
    let corpus = Corpus { name: name_of(&sources.0), ..loader.corpus };
    if corpus.sentences.is_empty() {
        let reason = match corpus.problems.first() {
            Some(problem) => format!("no sentence could be read; first problem: {problem}"),
            None => format!("no sentence is left of {} read", loader.index),
        };
        return Err(TreebankError::NoSentence { name: corpus.name, reason });
    }
    Ok(corpus)
}

/// The last part of a path, with the number of further ones.
fn name_of(sources: &[String]) -> String {
    let first = sources.first().map_or("", String::as_str);
    let short = first.trim_end_matches('/').rsplit('/').next().unwrap_or(first).to_owned();
    match sources.len() {
        0 | 1 => short,
        n => format!("{short} and {} more", n - 1),
    }
}

/// Turns entries into the sentences of a corpus.
struct Loader<'a> {
    preprocessing: &'a Preprocessing,
    limits: LengthLimits,
    memo: Memo,
    interner: Interner,
    corpus: Corpus,
    /// Sentences read so far, those left out included.
    index: usize,
}

impl<'a> Loader<'a> {
    fn new(preprocessing: &'a Preprocessing, limits: LengthLimits) -> Self {
        Loader {
            preprocessing,
            limits,
            memo: Memo::default(),
            interner: Interner::default(),
            corpus: Corpus::default(),
            index: 0,
        }
    }

    fn read<R: BufRead>(&mut self, mut entries: Entries<R>) {
        for entry in &mut entries {
            match entry {
                Ok(entry) => self.add(entry),
                Err(problem) => self.corpus.problems.push(problem),
            }
        }
        self.interner = entries.into_interner();
    }

    fn add(&mut self, entry: Entry) {
        let (memo, removed) = (&mut self.memo, &mut self.corpus.removed);
        let sentence = match entry {
            Entry::Tree(tree) => {
                self.preprocessing.sentence_with(memo, Arc::new(tree), self.index, removed)
            }
            // Files of text are tokenised: their words stand between blanks.
            Entry::Text(text) => {
                let words = text.split_ascii_whitespace();
                let sentence = self.preprocessing.words_with(memo, words, self.index, removed);
                if sentence.is_empty() {
                    removed.add("no-words", 1);
                }
                Some(sentence).filter(|s| !s.is_empty())
            }
        };
        self.index += 1;
        if let Some(sentence) = sentence
            && within(&sentence, self.limits, removed)
        {
            self.corpus.sentences.push(sentence);
        }
    }
}

fn within(sentence: &Sentence, limits: LengthLimits, removed: &mut Removed) -> bool {
    let step = match sentence.len() {
        1 if limits.min > 1 => "one-word",
        n if n < limits.min => "too-short",
        n if n > limits.max => "too-long",
        _ => return true,
    };
    removed.add(step, 1);
    false
}

/// The corpora of a run.
#[derive(Clone, Debug)]
pub struct Splits {
    pub train: Corpus,
    pub dev: Corpus,
    pub test: Option<Corpus>,
    /// What the user should know: a split that was made, sentences left out.
    pub notes: Vec<String>,
}

impl Splits {
    /// Whether `[data]` can be loaded as far as that is known without reading: the preset,
    /// and that every file named is there. Quick, so that a run need not be begun to fail.
    pub fn check(config: &Config) -> Result<(), TreebankError> {
        let data = &config.data;
        Preprocessing::resolve(data)?;
        if data.train.0.is_empty() {
            return Err(TreebankError::NoSource { split: "train" });
        }
        for (sources, sections) in
            [(&data.train, data.sections.as_str()), (&data.dev, ""), (&data.test, "")]
        {
            for source in expand(&sources.0, sections)? {
                if let Source::Sample(name) = source {
                    sample::read(&name)?;
                }
            }
        }
        Ok(())
    }

    /// Loads what `[data]` names. `data.max_length` holds for training sentences,
    /// `evaluation.max_length` for the others, `data.sections` for `data.train`.
    /// Without `data.dev` a tenth of the training sentences, drawn by the seed,
    /// is set apart. One-word sentences have no derivation and are left out of
    /// every split unless `data.min_length` is 1.
    pub fn load(config: &Config) -> Result<Splits, TreebankError> {
        let data = &config.data;
        let preprocessing = Preprocessing::resolve(data)?;
        if data.train.0.is_empty() {
            return Err(TreebankError::NoSource { split: "train" });
        }
        let any_length = match config.evaluation.max_length {
            0 => usize::MAX,
            max => max,
        };
        let heldout = LengthLimits { min: data.min_length.min(2), max: any_length };
        let training = LengthLimits { min: data.min_length, max: data.max_length };
        let mut notes = Vec::new();
        let (train, dev) = if data.dev.0.is_empty() {
            let whole = load(&data.train, &data.sections, &preprocessing, LengthLimits::ANY)?;
            let (train, dev) = split_off_dev(whole, config.seed, training, heldout)?;
            notes.push(format!(
                "no data.dev: {} sentences of {}, a tenth drawn by seed {}, were set apart as dev",
                dev.sentences.len(),
                train.name,
                config.seed
            ));
            (train, dev)
        } else {
            (
                load(&data.train, &data.sections, &preprocessing, training)?,
                load(&data.dev, "", &preprocessing, heldout)?,
            )
        };
        let test = match data.test.0.is_empty() {
            true => None,
            false => Some(load(&data.test, "", &preprocessing, heldout)?),
        };
        for (split, corpus) in
            [("train", Some(&train)), ("dev", Some(&dev)), ("test", test.as_ref())]
        {
            notes.extend(corpus.and_then(|c| note(split, c)));
        }
        Ok(Splits { train, dev, test, notes })
    }
}

/// What was left out of a split, in a sentence.
fn note(split: &str, corpus: &Corpus) -> Option<String> {
    let mut parts = Vec::new();
    for (step, what) in [
        ("no-words", "without words"),
        ("one-word", "of one word"),
        ("too-short", "too short"),
        ("too-long", "too long"),
    ] {
        match corpus.removed.get(step) {
            0 => {}
            n => parts.push(format!("{n} {what}")),
        }
    }
    if !corpus.problems.is_empty() {
        parts.push(format!("{} problems in the files", corpus.problems.len()));
    }
    (!parts.is_empty()).then(|| {
        format!("{split}: {} sentences; left out: {}", corpus.sentences.len(), parts.join(", "))
    })
}

/// Sets a tenth apart (at least one sentence), the order of the file kept in both parts.
fn split_off_dev(
    whole: Corpus,
    seed: u64,
    training: LengthLimits,
    heldout: LengthLimits,
) -> Result<(Corpus, Corpus), TreebankError> {
    let Corpus { name, sentences, problems, removed } = whole;
    let mut order: Vec<usize> = (0..sentences.len()).collect();
    order.shuffle(&mut rand_chacha::ChaCha8Rng::seed_from_u64(seed));
    let mut is_dev = vec![false; sentences.len()];
    for &i in &order[..(sentences.len() / 10).max(1)] {
        is_dev[i] = true;
    }
    let mut dev = Corpus { name: format!("a tenth of {name}"), ..Corpus::default() };
    let mut train = Corpus { name, sentences: Vec::new(), problems, removed };
    for (sentence, is_dev) in sentences.into_iter().zip(is_dev) {
        let (part, limits) = if is_dev { (&mut dev, heldout) } else { (&mut train, training) };
        if within(&sentence, limits, &mut part.removed) {
            part.sentences.push(sentence);
        }
    }
    for part in [&train, &dev] {
        if part.sentences.is_empty() {
            let reason = "no sentence is left: give data.dev, or more training sentences".into();
            return Err(TreebankError::NoSentence { name: part.name.clone(), reason });
        }
    }
    Ok((train, dev))
}
