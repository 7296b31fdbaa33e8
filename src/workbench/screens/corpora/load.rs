//! Reading a corpus and measuring it, on a task.

use super::entries::Entry;
use crate::config::{Data, FunctionLabels, Sources};
use crate::treebank::{
    Corpus, LengthLimits, Preprocessing, PunctuationRule, Removed, Statistics, TreebankError,
    Vocabulary, load,
};
use crate::workbench::task::TaskHandle;

/// Figures of a corpus under some settings.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Measured {
    pub statistics: Statistics,
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
    pub corpus: Corpus,
    /// Everything as it stands in the files.
    pub as_read: Measured,
    /// Under the entry's own settings.
    pub configured: Measured,
    /// Under the settings in force; the same as `configured` before an edit.
    pub current: Measured,
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
                ..Preprocessing::default()
            };
            let raw =
                load(&entry.sources, &entry.sections, &raw, LengthLimits::ANY).map_err(text)?;
            let as_read =
                Measured { statistics: Statistics::of_corpus(&raw), ..Measured::default() };
            drop(raw);
            handle.progress(1, 3);
            let configured = match data == entry.data {
                // The same as the current settings, filled in below.
                true => Measured::default(),
                false => measure(&entry, &entry.data).map_err(text)?.1,
            };
            (as_read, configured)
        }
    };
    if handle.cancelled() {
        return Err("stopped".into());
    }
    handle.progress(2, 3);
    let (corpus, current) = measure(&entry, &data).map_err(text)?;
    let configured = if data == entry.data { current.clone() } else { configured };
    Ok(Loaded { entry, data, corpus, as_read, configured, current })
}

fn measure(entry: &Entry, data: &Data) -> Result<(Corpus, Measured), TreebankError> {
    let preprocessing = Preprocessing::resolve(data)?;
    let corpus = load(&entry.sources, &entry.sections, &preprocessing, entry.limits(data))?;
    let vocabulary = match &entry.vocabulary {
        None => vocabulary(&corpus, data),
        Some(sources) => vocabulary(&training(sources, data, &preprocessing)?, data),
    };
    let measured = Measured {
        statistics: Statistics::of_corpus(&corpus),
        removed: corpus.removed.clone(),
        unknown: Some(corpus.unknown_rate(&vocabulary)),
    };
    Ok((corpus, measured))
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
