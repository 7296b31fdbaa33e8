use serde::{Deserialize, Serialize};

/// `[rerank]`: how a reranker learns (Henderson & Titov 2005).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Rerank {
    pub kernel: Kernel,
    /// Whose log-probability a candidate has.
    pub score: ScoreOf,
    /// Whose gradients the features are.
    pub weights: Gradients,
    /// Candidates of a sentence, the best by the base parser.
    pub candidates: usize,
    /// Parts of the training set: what is made of a part knows only the others.
    pub folds: usize,
    /// Candidates are made with the tags of the annotation.
    pub gold_tags: bool,
    pub epochs: usize,
    pub loss: Loss,
    pub init: FirstWeights,
    pub vote: Vote,
    /// What the log-probability is multiplied by beside the other features; of several, the one
    /// with the highest F1 on development sentences is taken.
    pub scales: Vec<f64>,
    /// Of the tree kernel: how much less a fragment counts for every production in it.
    pub lambda: f64,
    /// Of the tree kernel: every tree is as long as every other.
    pub normalise: bool,
    /// The history-based parser that the kernel is derived from, its file or the run folder of its
    /// training; empty: a treebank grammar of the lists' gold trees is made for it.
    pub ssn: String,
    /// Gold trees for training lists that come without.
    pub gold: String,
    /// And for development lists.
    pub dev_gold: String,
}

impl Default for Rerank {
    fn default() -> Self {
        Rerank {
            kernel: Kernel::TopEfficient,
            score: ScoreOf::List,
            weights: Gradients::Output,
            candidates: 20,
            folds: 10,
            gold_tags: false,
            epochs: 1,
            loss: Loss::F1,
            init: FirstWeights::LogProbFixed,
            vote: Vote::Averaged,
            scales: vec![0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0],
            lambda: 0.3,
            normalise: true,
            ssn: String::new(),
            gold: String::new(),
            dev_gold: String::new(),
        }
    }
}

impl Rerank {
    /// Every whole number with its key.
    pub(super) fn whole_numbers(&self) -> [(&'static str, u64); 3] {
        [
            ("rerank.candidates", self.candidates as u64),
            ("rerank.folds", self.folds as u64),
            ("rerank.epochs", self.epochs as u64),
        ]
    }

    /// A key whose value cannot be used, with the value and what is expected.
    pub(super) fn out_of_range(&self) -> Option<(&'static str, String, &'static str)> {
        let Rerank { candidates, folds, epochs, scales, lambda, kernel, ssn, .. } = self;
        if !(2..=1000).contains(candidates) {
            return Some(("rerank.candidates", candidates.to_string(), "a number from 2 to 1000"));
        }
        if !(2..=1000).contains(folds) {
            return Some(("rerank.folds", folds.to_string(), "a number from 2 to 1000"));
        }
        if !(1..=1000).contains(epochs) {
            return Some(("rerank.epochs", epochs.to_string(), "a number from 1 to 1000"));
        }
        let is_scale = |scale: &f64| scale.is_finite() && *scale > 0.0;
        if scales.is_empty() || scales.len() > 100 || !scales.iter().all(is_scale) {
            let expected = "one or more numbers above 0";
            return Some(("rerank.scales", format!("{scales:?}"), expected));
        }
        if !(*lambda > 0.0 && *lambda <= 1.0) {
            return Some(("rerank.lambda", lambda.to_string(), "a number in (0, 1]"));
        }
        if *kernel == Kernel::Tree && !ssn.is_empty() {
            let expected = "no parser: the kernel tree is derived from none";
            return Some(("rerank.ssn", format!("{ssn:?}"), expected));
        }
        None
    }
}

/// What candidates are compared by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kernel {
    /// The gradient of log P.
    Fisher,
    /// The gradient of the log-odds of a candidate against all others of its list.
    Top,
    /// The same with the normalisers of the model frozen.
    #[default]
    TopEfficient,
    /// Common fragments of trees (Collins & Duffy 2002).
    Tree,
}

impl Kernel {
    pub const ALL: [Kernel; 4] = [Kernel::Fisher, Kernel::Top, Kernel::TopEfficient, Kernel::Tree];

    /// What the first feature of a candidate is, which the scale multiplies.
    pub fn base_feature(self) -> &'static str {
        match self {
            Kernel::Fisher | Kernel::Tree => "log-probability",
            Kernel::Top | Kernel::TopEfficient => "log-odds against the other candidates",
        }
    }

    /// The name in configs and on the screen.
    pub fn name(self) -> &'static str {
        match self {
            Kernel::Fisher => "fisher",
            Kernel::Top => "top",
            Kernel::TopEfficient => "top-efficient",
            Kernel::Tree => "tree",
        }
    }
}

/// Where log P of a candidate comes from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ScoreOf {
    /// The list: of a jackknifed one, a parser that has not seen the sentence.
    #[default]
    List,
    /// The model that the kernel is derived from.
    Model,
}

/// By which weights of the model the kernel takes derivatives.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Gradients {
    /// Those of its output layer.
    #[default]
    Output,
    /// All of them.
    All,
}

/// What a mistake costs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Loss {
    /// The F1 that is lost, as a share.
    #[default]
    F1,
    /// 1 wherever F1 is lost.
    ZeroOne,
}

/// Weights before the first comparison.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FirstWeights {
    Zero,
    /// 1 for the log-probability, so that the base parser's order is where learning begins.
    LogProbOne,
    /// The same, and that weight is never changed: the scale alone says what it counts.
    #[default]
    LogProbFixed,
}

/// Which of the weights that there were decide.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Vote {
    /// Their mean over all comparisons.
    #[default]
    Averaged,
    /// All of them, each by the comparisons that it survived.
    Voted,
    /// The last ones.
    Last,
}
