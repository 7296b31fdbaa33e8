//! Reading a corpus and measuring it, on a task.

use super::entries::{Entry, Origin};
use super::excerpt::{Excerpt, excerpts};
use super::shape::Shape;
use crate::config::{Data, FunctionLabels, Sources};
use crate::treebank::{
    Corpus, LengthLimits, Preprocessing, PunctuationRule, Removed, Sentence, Statistics,
    TreebankError, Vocabulary, load, load_cut,
};
use crate::workbench::task::TaskHandle;
use std::collections::HashSet;
use std::sync::Arc;

/// Figures of a corpus under some settings.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Measured {
    pub statistics: Statistics,
    pub shape: Shape,
    pub removed: Removed,
    /// Percent of the words; `None` where nothing was preprocessed.
    pub unknown: Option<f64>,
}

/// A corpus under the settings in force, with its figures under others for comparison.
#[derive(Clone, Debug)]
pub struct Loaded {
    pub entry: Entry,
    /// The settings in force: those of the entry, or edited ones.
    pub data: Data,
    pub corpus: Arc<Corpus>,
    /// The words of every sentence in lower case, for filters.
    pub lower: Vec<Box<str>>,
    /// Everything as it stands in the files.
    pub as_read: Measured,
    /// Under the entry's own settings.
    pub configured: Measured,
    /// Under the settings in force; the same as `configured` before an edit.
    pub current: Measured,
    /// The lines that the problems of the corpus stand in.
    pub excerpts: Vec<Option<Excerpt>>,
    /// Why there is no sentence.
    pub failure: Option<String>,
}

impl Loaded {
    pub fn is_edited(&self) -> bool {
        self.data != self.entry.data
    }
}

/// Reads and measures; `known` has what was measured before.
pub fn read(
    entry: Entry,
    data: Data,
    known: Option<(Measured, Measured)>,
    handle: &TaskHandle,
) -> Result<Loaded, String> {
    let text = |e: TreebankError| e.to_string();
    let (as_read, configured) = match known {
        Some(known) => known,
        None => {
            handle.progress(0, 3);
            let raw = Preprocessing {
                punctuation: PunctuationRule::Keep,
                lowercase: false,
                numbers: false,
                traces: true,
                function_labels: FunctionLabels::Keep,
                files: Preprocessing::resolve(&data).map_err(text)?.files,
                ..Preprocessing::default()
            };
            let raw = load(&entry.sources, &entry.sections, &raw, LengthLimits::ANY);
            let (mut raw, failure) = or_empty(raw).map_err(text)?;
            if failure.is_none() {
                keep_part(&entry, &data, &mut raw).map_err(text)?;
            }
            let as_read = Measured {
                statistics: Statistics::of_corpus(&raw),
                shape: Shape::as_read(&raw.sentences),
                ..Measured::default()
            };
            drop(raw);
            handle.progress(1, 3);
            let configured = match data == entry.data {
                // The same as the current settings, filled in below.
                true => Measured::default(),
                false => measure(&entry, &entry.data).map_err(text)?.measured,
            };
            (as_read, configured)
        }
    };
    if handle.cancelled() {
        return Err("stopped".into());
    }
    handle.progress(2, 3);
    let Outcome { corpus, measured: current, failure } = measure(&entry, &data).map_err(text)?;
    let configured = if data == entry.data { current.clone() } else { configured };
    let excerpts = excerpts(&corpus.problems);
    let lower = |s: &Sentence| s.surface.join(" ").to_lowercase().into();
    let lower = corpus.sentences.iter().map(lower).collect();
    let corpus = Arc::new(corpus);
    Ok(Loaded { entry, data, corpus, lower, as_read, configured, current, excerpts, failure })
}

/// A corpus without a sentence in place of the error that says so, with the reason: what was
/// found instead can be looked at.
fn or_empty(
    loaded: Result<Corpus, TreebankError>,
) -> Result<(Corpus, Option<String>), TreebankError> {
    match loaded {
        Ok(corpus) => Ok((corpus, None)),
        Err(TreebankError::NoSentence { name, reason, problems, removed }) => {
            let failure = Some(format!("{name}: {reason}"));
            Ok((Corpus { name, problems, removed, ..Corpus::default() }, failure))
        }
        Err(error) => Err(error),
    }
}

/// A corpus under some settings.
struct Outcome {
    corpus: Corpus,
    measured: Measured,
    failure: Option<String>,
}

fn measure(entry: &Entry, data: &Data) -> Result<Outcome, TreebankError> {
    let preprocessing = Preprocessing::resolve(data)?;
    let mut training_part = None;
    let loaded = match (entry.cut, &entry.vocabulary) {
        (Some(seed), _) => {
            let both = parts(
                entry,
                &preprocessing,
                seed,
                entry.limits_as(Origin::Train, data),
                entry.limits_as(Origin::HeldOut, data),
            );
            both.map(|(train, dev)| match entry.origin {
                Origin::HeldOut => {
                    training_part = Some(train);
                    dev
                }
                _ => train,
            })
        }
        (None, words) => {
            if let Some(sources) = words {
                training_part = Some(training(sources, data, &preprocessing)?);
            }
            load(&entry.sources, &entry.sections, &preprocessing, entry.limits(data))
        }
    };
    let (corpus, failure) = or_empty(loaded)?;
    let vocabulary = vocabulary(training_part.as_ref().unwrap_or(&corpus), data);
    let measured = Measured {
        statistics: Statistics::of_corpus(&corpus),
        shape: Shape::scored(&corpus.sentences),
        removed: corpus.removed.clone(),
        unknown: Some(corpus.unknown_rate(&vocabulary)),
    };
    Ok(Outcome { corpus, measured, failure })
}

/// Training and development part of an entry that is one of the two.
fn parts(
    entry: &Entry,
    preprocessing: &Preprocessing,
    seed: u64,
    training: LengthLimits,
    heldout: LengthLimits,
) -> Result<(Corpus, Corpus), TreebankError> {
    load_cut(&entry.sources, &entry.sections, preprocessing, seed, training, heldout)
}

/// Leaves only the entry's part of a corpus that was read as it stands. The draw depends on how
/// many sentences the run's own preprocessing leaves.
fn keep_part(entry: &Entry, data: &Data, raw: &mut Corpus) -> Result<(), TreebankError> {
    let Some(seed) = entry.cut else { return Ok(()) };
    let files = Preprocessing::resolve(data)?.files;
    let preprocessing = Preprocessing { files, ..Preprocessing::resolve(&entry.data)? };
    let (_, dev) = parts(entry, &preprocessing, seed, LengthLimits::ANY, LengthLimits::ANY)?;
    let dev: HashSet<usize> = dev.sentences.iter().map(|s| s.index).collect();
    let wanted = entry.origin == Origin::HeldOut;
    raw.sentences.retain(|s| dev.contains(&s.index) == wanted);
    Ok(())
}

fn training(
    sources: &Sources,
    data: &Data,
    preprocessing: &Preprocessing,
) -> Result<Corpus, TreebankError> {
    let limits = LengthLimits { min: data.min_length, max: data.max_length };
    load(sources, &data.sections, preprocessing, limits)
}

fn vocabulary(corpus: &Corpus, data: &Data) -> Vocabulary {
    let limits = data.vocabulary;
    let words = corpus.sentences.iter().flat_map(|s| &s.words);
    Vocabulary::from_counts(words, limits.max_size, limits.min_count)
}
