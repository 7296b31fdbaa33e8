//! The symbols of a run's grammar over its development sentences, computed on a task.

use crate::analysis::{self, Symbols};
use crate::config::Config;
use crate::run::{RunFolder, Snapshot};
use crate::treebank::{LabelledSpan, Preprocessing, PunctuationRule, Sentence, Splits, Tokenizer};
use crate::workbench::shared::RunId;
use crate::workbench::task::TaskHandle;
use crate::workbench::weights::Weights;
use std::ops::ControlFlow;
use std::path::Path;

/// What the screen shows, with the weights that it came from.
pub struct Computed {
    pub run: RunId,
    pub weights: Snapshot,
    pub symbols: Symbols,
    /// Where the sentences come from, where that is not the corpus itself.
    pub note: Option<String>,
}

/// Loads weights and sentences and counts. A cancelled task ends with an error that nobody hears.
pub fn compute(
    run: RunId,
    path: &Path,
    config: Option<&Config>,
    weights: &Weights,
    handle: &TaskHandle,
) -> Result<Computed, String> {
    let weights = weights.load(handle)?;
    let (sentences, note) = sentences(path, config, &weights.preprocessing)?;
    let mut progress = |done: usize, total: usize| {
        handle.progress(done as u64, total as u64);
        if handle.cancelled() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let Snapshot { parser, vocabulary, .. } = &weights;
    let symbols = analysis::symbols(&**parser, vocabulary, &sentences, &mut progress)
        .map_err(|e| e.to_string())?
        .ok_or("stopped")?;
    Ok(Computed { run, weights, symbols, note })
}

/// The development sentences in the order of the run's trees: from the corpus, which has tags,
/// or as the run folder keeps them where the corpus is gone or has changed.
fn sentences(
    path: &Path,
    config: Option<&Config>,
    preprocessing: &Preprocessing,
) -> Result<(Vec<Sentence>, Option<String>), String> {
    let kept = RunFolder::open(path).and_then(|folder| folder.dev_sentences());
    let loaded = match config {
        Some(config) => {
            Splits::load(config).map(|splits| splits.dev.sentences).map_err(|e| e.to_string())
        }
        None => Err("the run's config.toml cannot be read".to_owned()),
    };
    match (loaded, kept) {
        (Ok(loaded), Ok(kept)) if loaded.len() == kept.len() => Ok((loaded, None)),
        (Ok(loaded), Err(_)) => Ok((loaded, None)),
        (loaded, Ok(kept)) => {
            let mut rules = preprocessing.clone();
            rules.tokenizer = Tokenizer::Blanks;
            rules.punctuation = PunctuationRule::Keep;
            let sentence = |(index, kept): (usize, crate::run::KeptSentence)| Sentence {
                gold: kept.gold.map(|spans| {
                    let span = |(start, end, label)| LabelledSpan { start, end, label };
                    spans.into_iter().map(span).collect()
                }),
                ..rules.text(&kept.words.join(" "), index)
            };
            let why = loaded.err().unwrap_or_else(|| "the corpus has changed".into());
            let note = format!("without gold tags, from the run folder: {why}");
            Ok((kept.into_iter().enumerate().map(sentence).collect(), Some(note)))
        }
        (Err(error), Err(_)) => Err(error),
    }
}
