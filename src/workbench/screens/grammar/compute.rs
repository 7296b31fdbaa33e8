//! The symbols of a run's grammar, or the states of its HMM, over its development sentences,
//! computed on a task.

use crate::analysis::{self, Alignment, Symbols};
use crate::config::Config;
use crate::model::Parser;
use crate::run::{RunFolder, Snapshot};
use crate::treebank::{Preprocessing, Sentence, Splits};
use crate::workbench::names::RunId;
use crate::workbench::task::TaskHandle;
use crate::workbench::weights::{Origin, Weights};
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

/// States among which transitions are shown.
const MAPPED: usize = 64;

/// Transitions among the most used states of an HMM.
pub struct TransitionMap {
    /// Most used first.
    pub states: Vec<usize>,
    /// p(column | row), both in the order of `states`.
    pub rows: Vec<Vec<f64>>,
}

/// What the screen shows, with the weights that it came from.
pub struct Computed {
    pub run: RunId,
    pub weights: Snapshot,
    pub origin: Origin,
    pub symbols: Arc<Symbols>,
    /// Of an HMM.
    pub transitions: Option<TransitionMap>,
    /// Where the sentences come from, where that is not the corpus itself.
    pub note: Option<String>,
}

/// Weights that symbols can be aligned with.
#[derive(Clone, Debug)]
pub struct Other {
    /// The run's name, or that of a checkpoint of this run.
    pub name: String,
    pub description: String,
    pub weights: Weights,
}

/// Loads weights and sentences and counts. A cancelled task ends with an error that nobody hears.
pub fn compute(
    run: RunId,
    path: &Path,
    config: Option<&Config>,
    weights: &Weights,
    handle: &TaskHandle,
) -> Result<Computed, String> {
    let (weights, origin) = weights.load(handle)?.induced()?;
    let (sentences, note) = sentences(path, config, &weights.preprocessing)?;
    let symbols = Arc::new(count(&weights, &sentences, handle)?);
    let transitions = transitions(&*weights.parser, &symbols);
    Ok(Computed { run, weights, origin, symbols, transitions, note })
}

fn count(
    weights: &Snapshot,
    sentences: &[Sentence],
    handle: &TaskHandle,
) -> Result<Symbols, String> {
    let mut progress = |done: usize, total: usize| {
        handle.progress(done as u64, total as u64);
        if handle.cancelled() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    analysis::symbols(&*weights.parser, &weights.vocabulary, sentences, &mut progress)
        .map_err(|e| e.to_string())?
        .ok_or_else(|| "stopped".into())
}

/// The symbols of other weights on the same sentences, beside those of the run.
pub struct Compared {
    pub run: RunId,
    /// Of the other weights.
    pub name: String,
    pub step: u64,
    pub origin: Origin,
    pub symbols: Symbols,
    pub alignment: Alignment,
}

/// Counts the symbols of the other weights and aligns them with those of a run.
pub fn compare(
    (run, symbols): (RunId, &Symbols),
    sentences: &[Sentence],
    preprocessing: &Preprocessing,
    other: &Other,
    handle: &TaskHandle,
) -> Result<Compared, String> {
    let (snapshot, origin) = other.weights.load(handle)?.induced()?;
    let name = other.name.clone();
    if snapshot.preprocessing != *preprocessing {
        return Err(format!("{name} treats sentences otherwise, so that its words are others"));
    }
    let found = count(&snapshot, sentences, handle)?;
    if found.preterminals.is_empty() {
        return Err(format!("{name} has no symbols"));
    }
    let alignment = Alignment::new(symbols, &found);
    Ok(Compared { run, name, step: snapshot.step, origin, symbols: found, alignment })
}

/// Among the most used states; `None` of a model without states.
pub fn transitions(parser: &dyn Parser, symbols: &Symbols) -> Option<TransitionMap> {
    let chain = parser.chain()?;
    let mut states = Symbols::order(&symbols.preterminals);
    states.truncate(MAPPED);
    Some(TransitionMap { rows: analysis::transitions(&chain, &states), states })
}

impl Computed {
    /// Whether its symbols are the states of an HMM.
    pub fn has_states(&self) -> bool {
        self.transitions.is_some()
    }
}

/// The development sentences in the order of the run's trees, as the run folder keeps them. What
/// an early version kept has no tags: then they are read from the corpus, if it is as it was.
pub fn sentences(
    path: &Path,
    config: Option<&Config>,
    preprocessing: &Preprocessing,
) -> Result<(Vec<Sentence>, Option<String>), String> {
    let kept = RunFolder::open(path).and_then(|folder| folder.dev_sentences());
    let kept = kept.map(|kept| {
        let complete = kept.iter().all(|s| s.normalised.is_some());
        let sentences = kept.into_iter().enumerate();
        let sentences = sentences.map(|(index, s)| s.into_sentence(index, preprocessing));
        (complete, sentences.collect::<Vec<_>>())
    });
    let kept = match kept {
        Ok((true, sentences)) => return Ok((sentences, None)),
        Ok((false, sentences)) => Some(sentences),
        Err(_) => None,
    };
    let loaded = match config {
        Some(config) => {
            Splits::load(config).map(|splits| splits.dev.sentences).map_err(|e| e.to_string())
        }
        None => Err("the run's config.toml cannot be read: Runs (<.runs>) says why".to_owned()),
    };
    match (loaded, kept) {
        (Ok(loaded), Some(kept)) if loaded.len() == kept.len() => Ok((loaded, None)),
        (Ok(loaded), None) => Ok((loaded, None)),
        (loaded, Some(kept)) => {
            let why = loaded.err().unwrap_or_else(|| "the corpus has changed".into());
            Ok((kept, Some(format!("without gold tags, from the run folder: {why}"))))
        }
        (Err(error), None) => Err(error),
    }
}
