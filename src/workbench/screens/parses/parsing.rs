//! Parsing what is selected or typed, on a task, and what comes of it.

use super::analysis::{Analysis, Source, parse_kept, parse_text};
use super::{Parses, Subject};
use crate::workbench::screen::Context;
use crate::workbench::task::Task;
use crate::workbench::weights::{Loaded, from_file};

/// Result of a parse, with the weights.
pub enum Parsed {
    /// Of the sentence of that number.
    Kept(usize, Loaded, Result<Analysis, String>),
    /// Of every sentence that was typed.
    Typed(Loaded, Vec<Result<Analysis, String>>),
}

/// The typed sentences that have an analysis; one of them is in view.
#[derive(Default)]
pub struct Typed {
    analyses: Vec<Analysis>,
    at: usize,
}

impl Typed {
    pub fn is_empty(&self) -> bool {
        self.analyses.is_empty()
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.analyses.len()
    }

    /// Which is in view, from 0.
    pub fn at(&self) -> usize {
        self.at
    }

    /// The one in view.
    pub fn shown(&self) -> Option<&Analysis> {
        self.analyses.get(self.at)
    }

    /// Turns to another one.
    pub fn turn(&mut self, to: usize) {
        self.at = to.min(self.len().saturating_sub(1));
    }

    /// Leaves them; whether there were any.
    pub fn leave(&mut self) -> bool {
        !std::mem::take(self).is_empty()
    }
}

impl Parses {
    fn source(&self, context: &Context) -> Option<Source> {
        match self.subject.as_ref()? {
            Subject::Run(_) => self.run(context).map(|run| Source::Run(run.weights())),
            Subject::Checkpoint(path) => Some(Source::Checkpoint(path.clone())),
        }
    }

    /// Parses the selected sentence with the weights at hand, or fetches them first.
    pub(super) fn analyse(&mut self, context: &mut Context) {
        let Some((number, row)) = self.row() else { return };
        let sentence = row.kept();
        let past = self.past().zip(self.run(context));
        let kept = past.and_then(|(step, run)| Some((step, Source::Run(run.weights_at(step)?))));
        let (source, weights) = match (kept, &self.time, self.source(context)) {
            (Some((step, source)), ..) => {
                (source, self.weights.clone().filter(|w| w.held.step() == step))
            }
            (None, Some(time), _) => {
                let step = time.shown().step;
                return context.status(format!("no checkpoint has the weights of step {step}"));
            }
            (None, None, Some(source)) => {
                // A training in this process need not be asked for every sentence that is passed.
                let here = self.run(context).is_some_and(|run| run.commands.is_some());
                let known = self.weights.clone();
                (source, known.filter(|_| here || self.weights_are_newest(context)))
            }
            (None, None, None) => return,
        };
        let title = format!("parsing sentence {}", number + 1);
        context.spawn(Task::new("parse", title, move |handle| {
            let weights = weights.map_or_else(|| source.load(handle), Ok)?;
            let analysis = parse_kept(sentence, &weights);
            Ok(Parsed::Kept(number, weights, analysis))
        }));
    }

    /// Reads the weights of a checkpoint file: they tell whether it is a language model's.
    pub(super) fn read_weights(&self, context: &mut Context) {
        let Some(Subject::Checkpoint(path)) = self.subject.clone() else { return };
        let title = format!("reading {}", path.display());
        context.spawn(Task::new("weights", title, move |_| from_file(&path)));
    }

    /// Parses what was typed, with weights as new as can be had.
    pub(super) fn parse_typed(&mut self, context: &mut Context) {
        let Some(source) = self.source(context) else {
            context.warn("no weights to parse with: start a run on Train (<.train>) or select one on Runs (<.runs>)");
            return;
        };
        let text = self.sentence.accept();
        let weights = self.weights.clone().filter(|_| self.weights_are_newest(context));
        context.spawn(Task::new("parse", "parsing the typed sentence", move |handle| {
            let weights = weights.map_or_else(|| source.load(handle), Ok)?;
            let analyses = parse_text(&text, &weights);
            Ok(Parsed::Typed(weights, analyses))
        }));
    }

    /// Whether the weights at hand are the newest that can be had.
    fn weights_are_newest(&self, context: &Context) -> bool {
        let Some(weights) = &self.weights else { return false };
        match self.subject {
            Some(Subject::Run(_)) => self.run(context).is_some_and(|run| run.has_no_newer(weights)),
            _ => true,
        }
    }

    /// Takes in what a task parsed.
    pub(super) fn parsed(&mut self, parsed: Parsed, context: &mut Context) {
        match parsed {
            Parsed::Kept(number, weights, analysis) => {
                let step = weights.held.step();
                self.weights = Some(weights);
                if self.time.as_ref().is_some_and(|time| time.shown().step != step) {
                    return;
                }
                self.analysis = match analysis {
                    Ok(analysis) => Some((number, analysis)),
                    Err(reason) => {
                        context.warn(reason);
                        None
                    }
                };
            }
            Parsed::Typed(weights, results) => {
                self.weights = Some(weights);
                let several = results.len() > 1;
                let (mut analyses, mut reasons) = (Vec::new(), Vec::new());
                for (i, result) in results.into_iter().enumerate() {
                    match result {
                        Ok(analysis) => analyses.push(analysis),
                        Err(reason) if several => {
                            reasons.push(format!("sentence {}: {reason}", i + 1))
                        }
                        Err(reason) => reasons.push(reason),
                    }
                }
                if !reasons.is_empty() {
                    context.warn(reasons.join("; "));
                } else if several {
                    let n = analyses.len();
                    context.status(format!("{n} sentences: Up and Down turn from one to the next"));
                }
                self.typed = Typed { analyses, at: 0 };
            }
        }
        self.lay_out(context);
    }
}
