//! Development sentences with their induced trees or surprisals.

use crate::evaluation::sentence_f1;
use crate::render::{Diagram, DiagramSpan, ScoredSentence, ScoredToken};
use crate::report::counted;
use crate::report::epoch_at;
use crate::run::{EvaluatedTree, EvaluatedTrees, KeptSentence, RunFolder};
use crate::treebank::Vocabulary;
use crate::workbench::names::RunId;
use std::path::Path;
use std::sync::Arc;

/// One development sentence.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Row {
    pub words: Vec<Arc<str>>,
    /// The words in lower case, for filters.
    pub(super) lower: Box<str>,
    /// Words as the model sees them, and gold tags; one a word, where the run kept them.
    pub normalised: Option<Vec<Arc<str>>>,
    pub tags: Option<Vec<Arc<str>>>,
    /// Start, end and label; `None` without a gold tree.
    pub gold: Option<Vec<(u32, u32, Arc<str>)>>,
    /// Nats; `None` where the sentence has no analysis.
    pub log_prob: Option<f64>,
    /// Start, end and posterior of the induced spans.
    pub spans: Vec<(u32, u32, f32)>,
    /// By token, nats, the end of the sentence included; empty of a grammar.
    pub surprisals: Vec<f32>,
    /// Percent; `None` without gold tree or analysis.
    pub f1: Option<f64>,
    /// Span marginals, of pinned sentences.
    pub marginals: Option<Vec<f32>>,
}

impl Row {
    pub fn new(sentence: KeptSentence) -> Row {
        let KeptSentence { words, normalised, tags, gold } = sentence;
        let tags = tags.filter(|tags| tags.len() == words.len());
        let lower = words.join(" ").to_lowercase().into();
        Row { words, lower, normalised, tags, gold, ..Row::default() }
    }

    /// Takes in what an evaluation says of the sentence.
    pub fn take(&mut self, tree: EvaluatedTree, language_model: bool) {
        let predicted: Vec<_> = tree.spans.iter().map(|s| (s.0, s.1)).collect();
        let gold = self.gold.as_ref().filter(|_| !language_model);
        self.f1 = gold.map(|gold| {
            let gold: Vec<_> = gold.iter().map(|(start, end, _)| (*start, *end)).collect();
            sentence_f1(self.words.len(), &predicted, &gold)
        });
        self.log_prob = Some(tree.log_prob);
        (self.spans, self.surprisals) = (tree.spans, tree.surprisals);
    }

    /// The sentence without what the run says of it.
    pub fn kept(&self) -> KeptSentence {
        KeptSentence {
            words: self.words.clone(),
            normalised: self.normalised.clone(),
            tags: self.tags.clone(),
            gold: self.gold.clone(),
        }
    }

    /// Log-probability by word, nats.
    pub fn per_word(&self) -> Option<f64> {
        self.log_prob.map(|p| p / self.words.len().max(1) as f64)
    }

    /// exp(-log p / tokens), of a language model.
    pub fn perplexity(&self) -> Option<f64> {
        let tokens = self.surprisals.len();
        self.log_prob.filter(|_| tokens > 0).map(|p| (-p / tokens as f64).exp())
    }

    /// The largest surprisal, nats.
    pub fn peak(&self) -> Option<f64> {
        self.surprisals.iter().map(|&x| f64::from(x)).reduce(f64::max)
    }

    /// The tokens with their surprisals, of a language model.
    pub fn scored(&self) -> Option<ScoredSentence> {
        if self.surprisals.is_empty() {
            return None;
        }
        let texts = self.words.iter().map(|w| &**w).chain([Vocabulary::END]);
        let tokens = texts.zip(&self.surprisals).map(|(text, &surprisal)| ScoredToken {
            text: text.into(),
            surprisal,
            ..ScoredToken::default()
        });
        Some(ScoredSentence { tokens: tokens.collect(), log_prob: self.log_prob? })
    }

    /// The gold tree; `None` without one, or where its spans are no tree.
    pub fn gold_diagram(&self) -> Option<Diagram> {
        let spans: Vec<_> = self
            .gold
            .as_ref()?
            .iter()
            .map(|(start, end, label)| DiagramSpan { start: *start, end: *end, label })
            .collect();
        Diagram::from_spans(&self.words, self.tags.as_deref(), &spans)
    }

    /// The induced tree, without labels.
    pub fn induced_diagram(&self) -> Option<Diagram> {
        self.log_prob?;
        if self.spans.is_empty() && self.words.len() > 1 {
            return None;
        }
        let spans: Vec<_> = self
            .spans
            .iter()
            .map(|&(start, end, _)| DiagramSpan { start, end, label: "" })
            .collect();
        Diagram::from_spans(&self.words, None::<&[&str]>, &spans)
    }
}

/// The trees of one evaluation of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Evaluation {
    pub run: RunId,
    pub step: u64,
    pub epoch: u64,
    /// Mean F1 in percent, where there are gold trees.
    pub s_f1: Option<f64>,
    pub perplexity: Option<f64>,
    /// Whether a language model was evaluated, which gives no trees.
    pub language_model: bool,
    /// Steps of all evaluations whose trees are kept, rising.
    pub steps: Vec<u64>,
    pub rows: Arc<Vec<Row>>,
}

/// Which evaluation of a run is to be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    Newest,
    /// That of a step, or the one before it.
    At(u64),
    /// The newest, if there is one behind this step.
    Behind(Option<u64>),
}

impl Evaluation {
    /// Reads an evaluation; `None` where none like that is kept.
    pub fn load(run: RunId, path: &Path, wanted: Wanted) -> Result<Option<Evaluation>, String> {
        let folder = RunFolder::open(path).map_err(|e| e.to_string())?;
        let kept = folder.evaluations_with_trees();
        let found = match wanted {
            Wanted::Newest => kept.last(),
            Wanted::At(step) => kept.iter().rfind(|(s, _)| *s <= step).or(kept.first()),
            Wanted::Behind(known) => kept.last().filter(|(s, _)| Some(*s) > known),
        };
        let Some((_, file)) = found else { return Ok(None) };
        let trees = EvaluatedTrees::read(file).map_err(|e| e.to_string())?;
        let sentences = folder.dev_sentences().map_err(|e| e.to_string())?;
        let steps = kept.iter().map(|(s, _)| *s).collect();
        Evaluation::new(run, steps, sentences, trees).map(Some)
    }

    /// Puts sentences and trees together.
    pub fn new(
        run: RunId,
        steps: Vec<u64>,
        sentences: Vec<KeptSentence>,
        evaluated: EvaluatedTrees,
    ) -> Result<Evaluation, String> {
        let treeless = |(sentence, tree): (&KeptSentence, &Option<EvaluatedTree>)| {
            let Some(tree) = tree else { return false };
            let wordy = sentence.words.len() > 1 && tree.log_prob.is_finite();
            !tree.surprisals.is_empty() || (wordy && tree.spans.is_empty())
        };
        let language_model = sentences.iter().zip(&evaluated.trees).any(treeless);
        let EvaluatedTrees { step, epoch, metrics, trees, pinned, .. } = evaluated;
        if sentences.len() != trees.len() {
            return Err(format!(
                "the trees of step {step} are of {}, the run kept {}",
                counted(trees.len(), "sentence"),
                sentences.len()
            ));
        }
        let mut rows: Vec<Row> = sentences.into_iter().map(Row::new).collect();
        for (row, tree) in rows.iter_mut().zip(trees) {
            if let Some(tree) = tree {
                row.take(tree, language_model);
            }
        }
        for pin in pinned {
            if let Some(row) = rows.get_mut(pin.sentence).filter(|r| r.words.len() == pin.length) {
                row.marginals = Some(pin.marginals);
            }
        }
        let rows = Arc::new(rows);
        let epoch = epoch_at(step, epoch);
        let (s_f1, perplexity) = (metrics.get("s_f1"), metrics.get("perplexity"));
        Ok(Evaluation { run, step, epoch, s_f1, perplexity, language_model, steps, rows })
    }

    /// The step of the evaluation before or behind this one.
    pub fn neighbour(&self, later: bool) -> Option<u64> {
        let mut steps = self.steps.iter().copied();
        if later { steps.find(|s| *s > self.step) } else { steps.rfind(|s| *s < self.step) }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::super::listing::{Listing, Sort};
    use super::*;
    use crate::report::{Metrics, SCHEMA};
    use crate::run::{EvaluatedTree, PinnedMarginals};

    pub fn kept(text: &str, gold: Option<&[(u32, u32, &str)]>) -> KeptSentence {
        KeptSentence {
            words: text.split(' ').map(Arc::from).collect(),
            normalised: None,
            tags: None,
            gold: gold.map(|g| g.iter().map(|&(s, e, l)| (s, e, l.into())).collect()),
        }
    }

    pub fn tree(log_prob: f64, spans: &[(u32, u32)]) -> Option<EvaluatedTree> {
        let spans = spans.iter().map(|&(s, e)| (s, e, 0.5)).collect();
        Some(EvaluatedTree { log_prob, spans, ..EvaluatedTree::default() })
    }

    pub fn evaluation() -> Evaluation {
        let sentences = vec![
            kept(
                "the dog barked at me",
                Some(&[(0, 5, "S"), (0, 2, "NP"), (2, 5, "VP"), (3, 5, "PP")]),
            ),
            kept("go home", Some(&[(0, 2, "S")])),
            kept("Þú ert góður maður", None),
            kept("a very long word sat", Some(&[(0, 5, "S"), (0, 4, "NP")])),
        ];
        let marginals = (0..36).map(|i| (i % 7) as f32 / 7.0).collect();
        let trees = EvaluatedTrees {
            schema: SCHEMA,
            step: 300,
            epoch: 3,
            metrics: [("s_f1", 55.5)].into_iter().collect::<Metrics>(),
            trees: vec![
                tree(-20.0, &[(0, 5), (1, 5), (1, 3), (3, 5)]),
                tree(-4.0, &[(0, 2)]),
                None,
                tree(-40.0, &[(0, 5), (0, 4), (0, 3), (0, 2)]),
            ],
            pinned: vec![PinnedMarginals { sentence: 0, length: 5, marginals }],
        };
        Evaluation::new(RunId(1), vec![100, 200, 300], sentences, trees).expect("fits")
    }

    #[test]
    fn rows_have_f1_only_where_there_is_gold_and_an_analysis() {
        let f1: Vec<_> = evaluation().rows.iter().map(|r| r.f1.map(f64::round)).collect();
        // 1 of 3 spans on both sides; two words; no gold; 1 gold and 3 induced.
        assert_eq!(f1, [Some(33.0), Some(100.0), None, Some(50.0)]);
    }

    #[test]
    fn sentences_without_a_figure_stand_last_in_both_directions() {
        let rows = evaluation().rows;
        let mut listing = Listing { sort: Sort::F1, ..Listing::default() };
        assert_eq!(listing.order(&rows), [0, 3, 1, 2]);
        listing.reversed = true;
        assert_eq!(listing.order(&rows), [1, 3, 0, 2]);
        listing.sort = Sort::LogProb;
        assert_eq!(listing.order(&rows), [1, 0, 3, 2]);
        listing.sort = Sort::Length;
        assert_eq!(listing.order(&rows), [0, 3, 2, 1]);
    }

    #[test]
    fn filters_need_all_their_parts_and_keep_to_the_given_sentences() {
        let rows = evaluation().rows;
        let mut listing = Listing { filter: "ÞÚ maður".into(), ..Listing::default() };
        assert_eq!(listing.order(&rows), [2]);
        listing.filter.clear();
        listing.only = Some(vec![3, 1, 99]);
        assert_eq!(listing.order(&rows), [1, 3]);
    }

    #[test]
    fn trees_of_another_corpus_are_refused() {
        let trees = EvaluatedTrees {
            schema: SCHEMA,
            step: 1,
            epoch: 1,
            metrics: Metrics::default(),
            trees: vec![],
            pinned: vec![],
        };
        let error = Evaluation::new(RunId(0), vec![1], vec![kept("a b", None)], trees);
        assert!(error.unwrap_err().contains("0 sentences, the run kept 1"));
    }

    #[test]
    fn time_is_scrubbed_through_the_kept_evaluations() {
        let mut evaluation = evaluation();
        assert_eq!((evaluation.neighbour(false), evaluation.neighbour(true)), (Some(200), None));
        evaluation.step = 100;
        assert_eq!((evaluation.neighbour(false), evaluation.neighbour(true)), (None, Some(200)));
    }

    #[test]
    fn gold_trees_have_the_tags_that_the_run_kept() {
        let mut sentence = kept("go home", Some(&[(0, 2, "S")]));
        sentence.tags = Some(["VB", "NN"].map(Arc::from).to_vec());
        let tags_of = |sentence: KeptSentence| -> Vec<String> {
            let diagram = Row::new(sentence).gold_diagram().expect("a tree");
            diagram.preterminals().iter().map(|&i| diagram.nodes()[i].label.to_string()).collect()
        };
        assert_eq!(tags_of(sentence.clone()), ["VB", "NN"]);
        // A list that does not fit the words is of no use, but the spans are.
        sentence.tags = Some(["VB"].map(Arc::from).to_vec());
        assert_eq!(tags_of(sentence), ["", ""]);
    }
}
