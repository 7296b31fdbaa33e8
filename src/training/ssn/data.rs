use crate::ensemble::Annotated;
use crate::parser::ssn::{Plan, Ssn};
use crate::training::TrainingError;
use crate::treebank::{Corpus, Preprocessing, Removed, Sentence, Splits, Tree};
use std::sync::Arc;

/// Sentences with trees to train on and to be scored on.
#[derive(Clone, Debug)]
pub struct SsnData {
    pub train: Vec<Annotated>,
    pub dev: Part,
    pub test: Option<Part>,
}

/// A split to evaluate on.
#[derive(Clone, Debug, Default)]
pub struct Part {
    /// As the corpus has them.
    pub sentences: Vec<Sentence>,
    /// Their trees, in the same order.
    pub trees: Vec<Annotated>,
    /// Their derivations, as far as the parser has one.
    pub plans: Vec<Option<Plan>>,
}

impl SsnData {
    pub fn new(splits: &Splits, rules: &Preprocessing) -> Result<SsnData, TrainingError> {
        let part = |corpus: &Corpus| -> Result<Part, TrainingError> {
            let (sentences, trees) = annotated(corpus, rules)?;
            Ok(Part { sentences, trees, plans: Vec::new() })
        };
        let (_, train) = annotated(&splits.train, rules)?;
        if train.is_empty() {
            return Err(TrainingError::NoSentences { min_length: 1 });
        }
        Ok(SsnData {
            train,
            dev: part(&splits.dev)?,
            test: splits.test.as_ref().map(part).transpose()?,
        })
    }

    /// The training trees.
    pub fn trees(&self) -> Vec<Arc<Tree>> {
        self.train.iter().map(|sentence| sentence.tree.clone()).collect()
    }
}

impl Part {
    /// Finds the derivations; gives the number of trees that have none.
    pub fn derive(&mut self, ssn: &Ssn) -> usize {
        self.plans = self.trees.iter().map(|sentence| ssn.plan(&sentence.tree).ok()).collect();
        self.plans.iter().filter(|plan| plan.is_none()).count()
    }
}

/// What the loader counted as left out is not counted again.
fn annotated(
    corpus: &Corpus,
    rules: &Preprocessing,
) -> Result<(Vec<Sentence>, Vec<Annotated>), TrainingError> {
    let mut both = (Vec::new(), Vec::new());
    for sentence in &corpus.sentences {
        let Some(tree) = &sentence.tree else {
            return Err(TrainingError::NoTrees { name: corpus.name.clone() });
        };
        let tree = Annotated::new(tree.clone(), sentence.index, rules, &mut Removed::default());
        if let Some(tree) = tree {
            both.0.push(sentence.clone());
            both.1.push(tree);
        }
    }
    Ok(both)
}
