use crate::treebank::{Corpus, Sentence, Vocabulary};

/// Sentences of a run with their word ids, ends included where the model predicts them.
#[derive(Clone, Debug)]
pub struct Dataset {
    /// Word ids of the training sentences; too short ones are left out by the trainer.
    pub train: Vec<Vec<u32>>,
    pub dev: Split,
    pub test: Option<Split>,
    /// Whether the last id of every sentence is its end.
    pub ended: bool,
}

/// A split to evaluate on.
#[derive(Clone, Debug, Default)]
pub struct Split {
    pub sentences: Vec<Sentence>,
    /// Word ids, one list a sentence.
    pub ids: Vec<Vec<u32>>,
}

impl Split {
    pub fn new(corpus: &Corpus, vocabulary: &Vocabulary) -> Split {
        Split { sentences: corpus.sentences.clone(), ids: ids(corpus, vocabulary) }
    }

    /// Whether every sentence has a gold tree.
    pub fn has_gold(&self) -> bool {
        !self.sentences.is_empty() && self.sentences.iter().all(|s| s.gold.is_some())
    }
}

impl Dataset {
    pub fn new(
        train: &Corpus,
        dev: &Corpus,
        test: Option<&Corpus>,
        vocabulary: &Vocabulary,
    ) -> Dataset {
        Dataset {
            train: ids(train, vocabulary),
            dev: Split::new(dev, vocabulary),
            test: test.map(|t| Split::new(t, vocabulary)),
            ended: vocabulary.end().is_some(),
        }
    }
}

fn ids(corpus: &Corpus, vocabulary: &Vocabulary) -> Vec<Vec<u32>> {
    corpus.sentences.iter().map(|s| vocabulary.sentence(&s.words)).collect()
}
