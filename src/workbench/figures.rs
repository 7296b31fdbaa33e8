//! Which figures of a run are curves.

use crate::config;
use crate::workbench::history::History;
use crate::workbench::series::Series;
use crate::workbench::shared::RunEntry;

/// A curve that a run has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Figure {
    /// A word: batches hold sentences of one length, and the loss a sentence jumps with it. Of a
    /// language model a token, as it is reported.
    Loss,
    /// A sentence, as grammars report and optimise it; as reported where the settings of the run
    /// cannot be read.
    SentenceLoss,
    Perplexity,
    SentenceF1,
    CorpusF1,
    GradientNorm,
    LearningRate,
    Speed,
    LogLikelihood,
    /// Labelled, of a supervised parser.
    LabelledF1,
    Tags,
    /// Of 100 spans those that a right-branching, or a left-branching, tree has too.
    RightShare,
    LeftShare,
    /// Nonterminals, or states of an HMM.
    EffectiveSymbols,
}

/// What figures a run has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Grammar,
    /// It learns step by step.
    LanguageModel,
    /// Its counts are its parameters.
    Counted,
    /// A parser that learns from trees, step by step.
    Supervised,
}

impl Kind {
    pub fn of(run: Option<&RunEntry>) -> Kind {
        let config = run.and_then(|run| run.config.as_ref());
        let supervised = [config::Kind::Ssn, config::Kind::Rerank];
        if config.is_some_and(|config| supervised.contains(&config.kind)) {
            return Kind::Supervised;
        }
        match config.map(|config| config.model.family) {
            Some(family) if family.is_counted() => Kind::Counted,
            Some(family) if !family.has_trees() => Kind::LanguageModel,
            _ => Kind::Grammar,
        }
    }
}

/// The sets of charts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Page {
    #[default]
    Learning,
    Optimiser,
    /// What trees look like, and how many symbols make them.
    Shape,
}

impl Page {
    pub const ALL: [Page; 3] = [Page::Learning, Page::Optimiser, Page::Shape];

    /// Its charts: a language model has no trees to be scored, and one that is counted at once no
    /// steps to be watched.
    pub fn figures(self, of: Kind) -> &'static [Figure] {
        use Figure::*;
        match (self, of) {
            (Page::Learning, Kind::Grammar) => &[Loss, Perplexity, SentenceF1, CorpusF1],
            (Page::Optimiser, Kind::Grammar) => &[GradientNorm, LearningRate, Speed, LogLikelihood],
            (Page::Learning, Kind::LanguageModel) => {
                &[Perplexity, Loss, LearningRate, LogLikelihood]
            }
            (Page::Shape, Kind::Grammar) => &[RightShare, LeftShare, EffectiveSymbols],
            (_, Kind::LanguageModel) => &[GradientNorm, Speed, EffectiveSymbols],
            (_, Kind::Counted) => &[Perplexity, LogLikelihood],
            (Page::Learning, Kind::Supervised) => &[Loss, LogLikelihood, LabelledF1, Tags],
            (_, Kind::Supervised) => &[GradientNorm, LearningRate, Speed],
        }
    }

    /// What its curves are of.
    pub fn name(self, of: Kind) -> &'static str {
        match (self, of) {
            (_, Kind::Counted) => "before and after the count",
            (Page::Learning, _) => "learning",
            (Page::Shape, Kind::Grammar) => "trees and symbols",
            (_, Kind::LanguageModel) => "optimiser, speed and states",
            _ => "optimiser and speed",
        }
    }

    /// The next set in the circle.
    pub fn next(self, of: Kind) -> Page {
        match self {
            Page::Learning => Page::Optimiser,
            Page::Optimiser if of == Kind::Grammar => Page::Shape,
            Page::Optimiser | Page::Shape => Page::Learning,
        }
    }
}

impl Figure {
    /// Title of its chart, with the unit.
    pub fn title(self) -> &'static str {
        match self {
            Figure::Loss => "loss (nats/word)",
            Figure::SentenceLoss => "loss (nats/sentence)",
            Figure::Perplexity => "dev perplexity",
            Figure::SentenceF1 => "dev S-F1 (%)",
            Figure::CorpusF1 => "dev C-F1 (%)",
            Figure::GradientNorm => "gradient norm",
            Figure::LearningRate => "learning rate",
            Figure::Speed => "words per second",
            Figure::LogLikelihood => "dev log-likelihood (nats)",
            Figure::LabelledF1 => "dev F1 (%)",
            Figure::Tags => "dev tags (%)",
            Figure::RightShare => "right-branching spans (%)",
            Figure::LeftShare => "left-branching spans (%)",
            Figure::EffectiveSymbols => "effective symbols",
        }
    }

    /// Its name in evaluations, if they report it.
    fn key(self) -> Option<&'static str> {
        match self {
            Figure::Perplexity => Some("perplexity"),
            Figure::SentenceF1 => Some("s_f1"),
            Figure::CorpusF1 => Some("c_f1"),
            Figure::LogLikelihood => Some("log_likelihood"),
            Figure::LabelledF1 => Some("f1"),
            Figure::Tags => Some("tags"),
            Figure::RightShare => Some("right_share"),
            Figure::LeftShare => Some("left_share"),
            Figure::EffectiveSymbols => Some("effective_symbols"),
            Figure::Loss
            | Figure::SentenceLoss
            | Figure::GradientNorm
            | Figure::LearningRate
            | Figure::Speed => None,
        }
    }

    /// Whether it has a value at every step, and so can be smoothed.
    pub fn per_step(self) -> bool {
        self.key().is_none()
    }

    /// The curve in a run, if it has reported that figure.
    pub fn series(self, run: &RunEntry) -> Option<&Series> {
        let history = &run.history;
        let reported = Some(&history.loss);
        match self {
            // One step is no curve.
            _ if self.per_step() && run.is_counted() => None,
            // What it is a loss of is not known before the settings are.
            Figure::Loss if run.config.is_none() => None,
            Figure::Loss if run.is_language_model() => reported,
            Figure::Loss => history.loss_a_word(),
            Figure::SentenceLoss => reported.filter(|_| !run.is_language_model()),
            Figure::GradientNorm => Some(&history.gradient_norm),
            Figure::LearningRate => Some(&history.learning_rate),
            Figure::Speed => Some(&history.tokens_per_second),
            other => history.dev.get(other.key()?),
        }
    }

    /// Its newest value on the test set, of a figure that evaluations report, and the step of that.
    pub fn test(self, history: &History) -> Option<(u64, f64)> {
        let newest = history.newest("test")?;
        Some((newest.step, newest.metrics.get(self.key()?)?))
    }

    /// Lines to compare with: what trivial trees reach.
    pub fn references(self, history: &History) -> Vec<(&'static str, f64)> {
        let key = match self {
            Figure::SentenceF1 => "right_s_f1",
            Figure::CorpusF1 => "right_c_f1",
            _ => return Vec::new(),
        };
        history.baselines.get(key).map(|v| ("right-branching", v)).into_iter().collect()
    }
}

/// S-F1 of trivial trees by their names, where the run reported it.
pub fn baselines(history: &History) -> Vec<(&'static str, f64)> {
    [
        ("right-branching", "right_s_f1"),
        ("left-branching", "left_s_f1"),
        ("balanced", "balanced_s_f1"),
        ("random (seed 0)", "random_s_f1"),
        ("best possible", "oracle_s_f1"),
    ]
    .into_iter()
    .filter_map(|(name, key)| Some((name, history.baselines.get(key)?)))
    .collect()
}
