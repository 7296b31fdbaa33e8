//! How good the choices of a reranker are, as evalb scores them.

use super::{Judged, Scored};
use crate::ensemble::rooted;
use crate::evaluation::UNCOUNTED_TAGS;
use crate::evaluation::evalb::{Evaluation, Parameters, evaluate};
use crate::evaluation::significance::{EXACT_UP_TO, Figure, LeftOut, Method, Samples, randomise};
use crate::treebank::{NodeId, Tree, TreeBuilder};
use std::sync::Arc;

/// Stands for a tag of punctuation on a word that is none: a wrong tag like any other.
const WRONG: &str = "WRONG";

/// What chose a candidate of every list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum System {
    /// The base parser.
    Base,
    Reranked,
    /// Whoever knows the gold trees.
    Oracle,
}

impl System {
    pub const ALL: [System; 3] = [System::Base, System::Reranked, System::Oracle];

    /// The name in tables and files.
    pub fn name(self) -> &'static str {
        match self {
            System::Base => "base",
            System::Reranked => "reranked",
            System::Oracle => "oracle",
        }
    }
}

/// Choices for lists with gold trees, scored.
#[derive(Clone, Debug)]
pub struct Outcome {
    pub base: Evaluation,
    pub reranked: Evaluation,
    pub oracle: Evaluation,
    /// Two-sided, of precision, recall and F1: reranked against base.
    pub p: [f64; 3],
    pub method: Method,
    /// Sentences that the test could not take.
    pub left_out: LeftOut,
    /// Sentences whose choice is another than the base parser's.
    pub changed: usize,
}

/// A candidate of every list with a gold tree, scored.
#[derive(Clone, Debug)]
pub struct Choices {
    gold: Vec<u8>,
    chosen: Vec<u8>,
    pub evaluation: Evaluation,
}

impl Choices {
    /// What `choose` takes, which is given the number of the list; lists without a gold tree are
    /// left out.
    pub fn of(lists: &[Judged], choose: impl Fn(usize) -> Option<usize>) -> Choices {
        let judged = || lists.iter().enumerate().filter(|(_, list)| list.list.gold.is_some());
        let gold = text(judged().map(|(_, list)| list.list.gold.as_ref().map(|g| rooted(g))));
        let chosen = text(judged().map(|(i, list)| as_compared(list, list.trees.get(choose(i)?)?)));
        let evaluation = evaluate(&gold, &chosen, &parameters());
        Choices { gold, chosen, evaluation }
    }
}

/// As evalb has them, but no number of errors ends the scoring.
fn parameters() -> Parameters {
    let mut parameters = Parameters::default();
    parameters.max_error = i64::MAX;
    parameters
}

/// Two-sided p-values of precision, recall and F1 of two choices from the same lists, by so many
/// random exchanges.
pub fn significance(
    a: &Choices,
    b: &Choices,
    shuffles: u64,
    seed: u64,
) -> (Method, [f64; 3], LeftOut) {
    let samples = Samples::score(&a.gold, &a.chosen, &b.chosen, &parameters());
    let figures = [Figure::Precision, Figure::Recall, Figure::F1];
    let (method, p) = randomise(&samples, &figures, shuffles, seed, EXACT_UP_TO);
    (method, [p[0], p[1], p[2]], samples.left_out)
}

impl Outcome {
    /// Scores the choices; lists without a gold tree are left out. The p-values are those of so many
    /// random exchanges.
    pub fn of(lists: &[Judged], scored: &[Scored], shuffles: u64, seed: u64) -> Outcome {
        let [base, reranked, oracle] = System::ALL.map(|system| {
            Choices::of(lists, |i| match system {
                System::Base => Some(0),
                System::Reranked => scored[i].chosen,
                System::Oracle => lists[i].oracle(),
            })
        });
        let (method, p, left_out) = significance(&reranked, &base, shuffles, seed);
        let is_changed = |(list, scored): &(&Judged, &Scored)| {
            list.list.gold.is_some() && scored.chosen.is_some_and(|k| k != 0)
        };
        Outcome {
            base: base.evaluation,
            reranked: reranked.evaluation,
            oracle: oracle.evaluation,
            p,
            method,
            left_out,
            changed: lists.iter().zip(scored).filter(is_changed).count(),
        }
    }

    pub fn evaluation(&self, system: System) -> &Evaluation {
        match system {
            System::Base => &self.base,
            System::Reranked => &self.reranked,
            System::Oracle => &self.oracle,
        }
    }
}

/// Trees one a line, as evalb reads them. A sentence without a tree is a line without words, which
/// it skips.
fn text(trees: impl Iterator<Item = Option<Tree>>) -> Vec<u8> {
    let line = |tree: Option<Tree>| match tree {
        Some(tree) => format!("{tree}\n"),
        None => "(TOP)\n".to_owned(),
    };
    trees.map(line).collect::<String>().into_bytes()
}

/// The chosen trees one a line, below a root, `(TOP)` where there is none.
pub fn tree_lines(lists: &[Judged], choose: impl Fn(usize) -> Option<usize>) -> Vec<u8> {
    let chosen = |(i, list): (usize, &Judged)| Some((**list.trees.get(choose(i)?)?).clone());
    text(lists.iter().enumerate().map(chosen))
}

/// A candidate with the words as the gold tree writes them, for escapes are no errors of a parser,
/// and with punctuation where the gold tags have it, for evalb compares nothing of a sentence of
/// which it takes out more or fewer words than of the gold tree.
fn as_compared(list: &Judged, tree: &Tree) -> Option<Tree> {
    let gold = list.list.gold.as_ref()?;
    let words: Vec<(&Arc<str>, &Arc<str>)> = gold.words().iter().zip(gold.tags()).collect();
    let mut builder = TreeBuilder::new();
    let mut stack: Vec<Option<NodeId>> = vec![Some(tree.root())];
    while let Some(step) = stack.pop() {
        let Some(id) = step else {
            builder.close();
            continue;
        };
        let node = tree.node(id);
        match node.position {
            Some(position) => {
                let (word, gold) = *words.get(position as usize)?;
                let tag = match [node.label, gold].map(|tag| UNCOUNTED_TAGS.contains(&&**tag)) {
                    [_, true] => gold.clone(),
                    [true, false] => WRONG.into(),
                    [false, false] => node.label.clone(),
                };
                builder.word(tag, word.clone());
            }
            None => {
                builder.open(node.label.clone());
                stack.push(None);
                stack.extend(node.children.iter().rev().map(|&child| Some(child)));
            }
        }
    }
    builder.finish(tree.place.clone())
}
