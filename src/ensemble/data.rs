//! Trees as supervised parsers see them.

use super::EnsembleError;
use crate::config::{Config, Sources};
use crate::evaluation::{Agreement, Constituents};
use crate::report::{Level, Reporter, counted};
use crate::treebank::{
    self, Corpus, LengthLimits, NodeId, Place, Preprocessing, ROOT_LABELS, Removed, Tree,
    TreeBuilder, TreebankError,
};
use std::sync::Arc;

/// Label of the root that every tree gets: outside of what is scored.
pub const ROOT: &str = "TOP";

/// Faults of a corpus that are told one by one; the others are counted.
const PROBLEMS_TOLD: usize = 20;

/// A sentence with its annotation.
#[derive(Clone, Debug)]
pub struct Annotated {
    /// As parsers see it, below [`ROOT`].
    pub tree: Arc<Tree>,
    /// As read; its place is the sentence's.
    pub original: Arc<Tree>,
    /// Number of the sentence in its corpus as read, from 0.
    pub index: usize,
    /// What evalb counts of the tree.
    pub constituents: Constituents,
}

impl Annotated {
    /// A tree as preprocessing leaves it; `None`, and counted, where no word remains.
    pub fn new(
        original: Arc<Tree>,
        index: usize,
        preprocessing: &Preprocessing,
        removed: &mut Removed,
    ) -> Option<Annotated> {
        let tree = Arc::new(rooted(&preprocessing.clean(&original, removed)?));
        let constituents = Constituents::counted(&tree);
        Some(Annotated { tree, original, index, constituents })
    }

    /// What evalb counts of another tree of the sentence. The tags of the annotation say which
    /// words are punctuation: a parser that takes one for a word, or a word for one, would shift
    /// every span behind it.
    pub fn counted(&self, found: &Tree) -> Constituents {
        Constituents::counted_by(found, self.tree.tags())
    }

    /// How another tree of the sentence agrees with the annotation.
    pub fn agreement(&self, found: &Tree) -> Agreement {
        self.constituents.agreement(&self.counted(found))
    }
}

/// The sentences of one part of the corpus.
#[derive(Clone, Debug, Default)]
pub struct Part {
    /// `train`, `dev` or `test`.
    pub name: &'static str,
    pub sentences: Vec<Annotated>,
}

impl Part {
    /// The trees as parsers see them.
    pub fn trees(&self) -> Vec<Arc<Tree>> {
        self.sentences.iter().map(|s| s.tree.clone()).collect()
    }
}

/// What an ensemble learns from, and what it is scored on beside.
#[derive(Clone, Debug)]
pub struct Data {
    pub train: Part,
    /// `dev` and `test`, as far as they are given.
    pub held_out: Vec<Part>,
}

impl Data {
    /// Loads what `[data]` names. `data.max_length` holds for training sentences,
    /// `evaluation.max_length` for the others.
    pub fn load(config: &Config, reporter: &mut dyn Reporter) -> Result<Data, EnsembleError> {
        let (data, told) = treebank::usual_sections(&config.data);
        told.into_iter().for_each(|text| reporter.message(Level::Info, text));
        let preprocessing = Preprocessing::resolve(&data)?;
        if data.train.0.is_empty() {
            return Err(TreebankError::NoSource { split: "train" }.into());
        }
        let held_out = LengthLimits {
            min: 1,
            max: match config.evaluation.max_length {
                0 => usize::MAX,
                max => max,
            },
        };
        let training = LengthLimits { min: data.min_length, max: data.max_length };
        let mut load = |name, sources: &Sources, sections: &str, limits| {
            let corpus = treebank::load(sources, sections, &preprocessing, limits)?;
            tell(name, &corpus, reporter);
            part(name, corpus, &preprocessing)
        };
        let train = load("train", &data.train, &data.sections, training)?;
        let mut parts = Vec::new();
        for (name, sources) in [("dev", &data.dev), ("test", &data.test)] {
            if !sources.0.is_empty() {
                parts.push(load(name, sources, "", held_out)?);
            }
        }
        Ok(Data { train, held_out: parts })
    }

    /// Training sentences and those held out.
    pub fn parts(&self) -> impl Iterator<Item = &Part> {
        std::iter::once(&self.train).chain(&self.held_out)
    }
}

fn part(
    name: &'static str,
    corpus: Corpus,
    preprocessing: &Preprocessing,
) -> Result<Part, EnsembleError> {
    let mut sentences = Vec::with_capacity(corpus.sentences.len());
    for sentence in corpus.sentences {
        let Some(tree) = sentence.tree else {
            return Err(EnsembleError::NoTrees { name: corpus.name });
        };
        // What is counted here was counted when the corpus was loaded.
        let annotated =
            Annotated::new(tree, sentence.index, preprocessing, &mut Removed::default());
        sentences.extend(annotated);
    }
    Ok(Part { name, sentences })
}

/// Says what was loaded, what was left out and what was wrong.
fn tell(name: &str, corpus: &Corpus, reporter: &mut dyn Reporter) {
    let words = corpus.sentences.iter().map(|s| s.len()).sum::<usize>();
    let n = corpus.sentences.len();
    reporter.message(
        Level::Info,
        format!(
            "{name}: {}, {} of {}",
            counted(n, "sentence"),
            counted(words, "word"),
            corpus.name
        ),
    );
    let steps: Vec<String> =
        corpus.removed.steps().map(|(step, n)| format!("{n} {}", step.meaning(n))).collect();
    if !steps.is_empty() {
        reporter.message(Level::Info, format!("{name}: {}", steps.join(", ")));
    }
    for note in &corpus.notes {
        reporter.message(Level::Info, format!("{name}: {note}"));
    }
    for problem in corpus.problems.iter().take(PROBLEMS_TOLD) {
        reporter.message(Level::Warning, problem.to_string());
    }
    if let Some(more) = corpus.problems.len().checked_sub(PROBLEMS_TOLD + 1) {
        let text = format!("{}: {}", corpus.name, counted(more + 1, "further problem"));
        reporter.message(Level::Warning, text);
    }
}

/// The tree below one root called [`ROOT`], in the place of those it has, or above it.
pub fn rooted(tree: &Tree) -> Tree {
    let is_root = |id: NodeId| {
        let node = tree.node(id);
        node.word.is_none() && ROOT_LABELS.contains(&&**node.label)
    };
    let mut top = vec![tree.root()];
    while let [only] = top[..]
        && is_root(only)
    {
        top = tree.node(only).children.to_vec();
    }
    let mut builder = TreeBuilder::new();
    builder.open(ROOT);
    let mut stack: Vec<Option<NodeId>> = top.into_iter().rev().map(Some).collect();
    while let Some(step) = stack.pop() {
        let Some(id) = step else {
            builder.close();
            continue;
        };
        let node = tree.node(id);
        match node.position {
            Some(position) => {
                let word = tree.words()[position as usize].clone();
                builder.word_at(position, node.label.clone(), word);
            }
            None => {
                builder.open(node.label.clone());
                stack.push(None);
                stack.extend(node.children.iter().rev().map(|&child| Some(child)));
            }
        }
    }
    builder.close();
    let place: Place = tree.place.clone();
    builder.finish(place).expect("the nodes of a tree, in its order, below one root")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::treebank::Reader;

    fn tree(brackets: &str) -> Tree {
        Reader::new(brackets.as_bytes(), "test").next().expect("a tree").expect("well formed")
    }

    #[test]
    fn every_tree_gets_one_root_of_one_name() {
        for (given, expected) in [
            ("(S (NN a) (NN b))", "(TOP (S (NN a) (NN b)))"),
            ("( (S (NN a)))", "(TOP (S (NN a)))"),
            ("(ROOT (TOP (NN a) (X (NN b))))", "(TOP (NN a) (X (NN b)))"),
            ("(NN a)", "(TOP (NN a))"),
            ("(TOP (S (TOP (NN a))))", "(TOP (S (TOP (NN a))))"),
        ] {
            assert_eq!(rooted(&tree(given)).to_string(), expected);
        }
    }

    #[test]
    fn a_word_taken_for_punctuation_costs_its_tag_and_no_span_behind_it() {
        let rules = Preprocessing::preset("trees").expect("known");
        let gold = "(TOP (S (NP (NNP X)) (: -) (VP (VB go) (NP (NN y)))))";
        let annotated = Annotated::new(Arc::new(tree(gold)), 0, &rules, &mut Removed::default());
        let annotated = annotated.expect("words remain");
        for found in [gold.replace("(: -)", "(NN -)"), gold.replace("(NNP X)", "(: X)")] {
            let found = tree(&found);
            assert!(annotated.agreement(&found).is_exact());
            let shifted = annotated.constituents.agreement(&Constituents::counted(&found));
            assert!(shifted.f1() < 60.0);
        }
    }

    #[test]
    fn parsers_see_neither_traces_nor_functions_but_words_as_written() {
        let rules = Preprocessing::preset("trees").expect("known");
        let original = "( (S (NP-SBJ (-NONE- *)) (VP (VB Go) (. !))))";
        let annotated =
            Annotated::new(Arc::new(tree(original)), 3, &rules, &mut Removed::default());
        let annotated = annotated.expect("words remain");
        assert_eq!(annotated.tree.to_string(), "(TOP (S (VP (VB Go) (. !))))");
        assert_eq!((annotated.index, annotated.constituents.len()), (3, 2));
        let trace = Arc::new(tree("( (S (NP (-NONE- *))))"));
        assert!(Annotated::new(trace, 0, &rules, &mut Removed::default()).is_none());
    }
}
