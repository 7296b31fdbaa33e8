//! Parsing one sentence with the weights at hand.

use crate::model::{Parse, Wanted, nonterminal_name, preterminal_name, state_name};
use crate::parser::{Parsed, Words};
use crate::render::{Diagram, DiagramSpan, ScoredSentence, ScoredToken};
use crate::run::{Held, KeptSentence, Snapshot, Supervised};
use crate::treebank::{Batch, Sentence, Vocabulary};
use crate::workbench::task::TaskHandle;
use crate::workbench::weights::{self, Loaded, Origin, Weights};
use std::path::PathBuf;
use std::sync::Arc;

/// Where the weights come from; loading them is the work of a task.
pub enum Source {
    Run(Weights),
    Checkpoint(PathBuf),
}

impl Source {
    pub fn load(&self, handle: &TaskHandle) -> Result<Loaded, String> {
        match self {
            Source::Run(weights) => weights.load(handle),
            Source::Checkpoint(path) => weights::from_file(path),
        }
    }
}

/// What the weights of some step say about a sentence.
#[derive(Clone, Debug, PartialEq)]
pub struct Analysis {
    /// The optimiser step of the weights.
    pub step: u64,
    pub origin: Origin,
    /// Words as written.
    pub words: Vec<Arc<str>>,
    /// Number of words that the vocabulary lacks.
    pub unknown: usize,
    /// Nats.
    pub log_prob: f64,
    /// The MBR tree with nonterminals and preterminals; `None` without a derivation.
    pub diagram: Option<Diagram>,
    /// Tokens with their surprisals and states, by a language model.
    pub scored: Option<ScoredSentence>,
    pub marginals: Vec<f32>,
}

/// Parses text as a user types it, sentence by sentence.
pub fn parse_text(text: &str, weights: &Loaded) -> Vec<Result<Analysis, String>> {
    let preprocessing = weights.held.preprocessing();
    let sentences = preprocessing.typed_sentences(text).into_iter();
    sentences.map(|sentence| parse(&preprocessing.text(sentence, 0), weights)).collect()
}

/// Parses a sentence that comes from a corpus: no word is split or left out as punctuation.
pub fn parse_kept(sentence: KeptSentence, weights: &Loaded) -> Result<Analysis, String> {
    parse(&sentence.into_sentence(0, weights.held.preprocessing()), weights)
}

fn parse(sentence: &Sentence, weights: &Loaded) -> Result<Analysis, String> {
    if sentence.is_empty() {
        return Err("no word is left: punctuation is removed before parsing".into());
    }
    let Snapshot { parser, vocabulary, step, .. } = match &weights.held {
        Held::Induced(snapshot) => snapshot,
        Held::Supervised(supervised) => {
            return Ok(annotated(sentence, supervised, weights.origin));
        }
    };
    // A language model predicts the end of the sentence, so one word is enough.
    if sentence.len() < 2 && vocabulary.end().is_none() {
        return Err("one word has no derivation in this grammar; type two or more".into());
    }
    let ids = vocabulary.sentence(&sentence.words);
    let batch = Batch::new([ids]).ok_or("a sentence without words")?;
    let wanted = Wanted { tree: true, labels: true };
    let parses = parser.parse(&batch, wanted).map_err(|e| e.to_string())?;
    let parse = parses.into_iter().next().ok_or("the parser gave no analysis")?;
    let spans: Vec<_> = parse
        .spans
        .iter()
        .map(|s| DiagramSpan {
            start: s.start,
            end: s.end,
            label: s.label.map(nonterminal_name).unwrap_or_default(),
        })
        .collect();
    let tags: Vec<String> = parse.tags.iter().copied().map(preterminal_name).collect();
    let tags = (tags.len() == sentence.len()).then_some(&tags[..]);
    let is_unknown = |i: usize| !vocabulary.contains(&sentence.words[i]);
    let mut diagram = match parse.spans.is_empty() {
        true => None,
        false => Diagram::from_spans(&sentence.surface, tags, &spans),
    };
    if let Some(diagram) = &mut diagram {
        diagram.mark_unknown(is_unknown);
    }
    Ok(Analysis {
        step: *step,
        origin: weights.origin,
        unknown: (0..sentence.len()).filter(|&i| is_unknown(i)).count(),
        words: sentence.surface.clone(),
        log_prob: parse.log_prob,
        diagram,
        scored: scored(sentence, vocabulary, &parse),
        marginals: parse.marginals,
    })
}

/// What a supervised parser says; its score is of this one tree.
fn annotated(sentence: &Sentence, supervised: &Supervised, origin: Origin) -> Analysis {
    let Parsed { tree, score, .. } = supervised.parser.parse(Words::new(&sentence.words));
    Analysis {
        step: supervised.step,
        origin,
        words: sentence.surface.clone(),
        unknown: 0,
        log_prob: score,
        diagram: Some(Diagram::from_tree(&tree)),
        scored: None,
        marginals: Vec::new(),
    }
}

/// `None` of a grammar, and of a sentence that has no probability.
fn scored(sentence: &Sentence, vocabulary: &Vocabulary, parse: &Parse) -> Option<ScoredSentence> {
    if parse.surprisals.is_empty() {
        return None;
    }
    let words = sentence.surface.iter().zip(&sentence.words);
    let words = words.map(|(written, word)| (&**written, !vocabulary.contains(word)));
    let texts = words.chain([(Vocabulary::END, false)]);
    let token = |(i, ((text, unknown), &surprisal)): (usize, ((&str, bool), &f32))| ScoredToken {
        text: text.into(),
        surprisal,
        state: parse.tags.get(i).map(|&state| state_name(state)).unwrap_or_default().into(),
        unknown,
    };
    let tokens = texts.zip(&parse.surprisals).enumerate().map(token).collect();
    Some(ScoredSentence { tokens, log_prob: parse.log_prob })
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::analysis::fake::FakeParser;
    use crate::treebank::{Preprocessing, Vocabulary};

    /// Weights whose trees are right-branching; they know `the`, `dog`, `barked` and `at`.
    pub fn weights() -> Loaded {
        let words = ["<pad>", "<unk>", "the", "dog", "barked", "at"].map(Arc::from).to_vec();
        let snapshot = Snapshot {
            parser: Arc::new(FakeParser::random(3, 4, 5, 6, 1.0, 1)),
            vocabulary: Arc::new(Vocabulary::from_words(words, 1).expect("distinct")),
            preprocessing: Preprocessing::default(),
            step: 42,
        };
        Loaded { held: Held::Induced(snapshot), origin: Origin::Training }
    }

    /// The analysis of text that is one sentence.
    fn one(text: &str) -> Result<Analysis, String> {
        let mut analyses = parse_text(text, &weights());
        assert_eq!(analyses.len(), 1, "{text}");
        analyses.remove(0)
    }

    #[test]
    fn several_sentences_on_a_line_are_several_trees() {
        let analyses = parse_text("The dog ran. The dog barked.", &weights());
        let words: Vec<_> =
            analyses.into_iter().map(|a| a.expect("parses").words.join(" ")).collect();
        assert_eq!(words, ["The dog ran", "The dog barked"]);
    }

    #[test]
    fn a_typed_sentence_is_tokenised_and_its_unknown_words_are_known() {
        let analysis = one("The dog barked, didn't it?").expect("parses");
        let words: Vec<&str> = analysis.words.iter().map(|w| &**w).collect();
        assert_eq!(words, ["The", "dog", "barked", "did", "n't", "it"]);
        assert_eq!((analysis.unknown, analysis.step), (3, 42));
        let diagram = analysis.diagram.expect("has a derivation");
        assert_eq!(&*diagram.nodes()[0].label, "N0");
        assert!(diagram.nodes().iter().any(|n| n.unknown));
    }

    #[test]
    fn words_of_a_corpus_keep_their_number() {
        let words: Vec<Arc<str>> = ["don't", "-", "%"].map(Arc::from).to_vec();
        let mut kept =
            KeptSentence { words: words.clone(), normalised: None, tags: None, gold: None };
        assert_eq!(parse_kept(kept.clone(), &weights()).expect("parses").words, words);
        // What was kept as normalised is what the model gets.
        kept.normalised = Some(["the", "dog", "barked"].map(Arc::from).to_vec());
        let analysis = parse_kept(kept, &weights()).expect("parses");
        assert_eq!((analysis.words, analysis.unknown), (words, 0));
    }

    #[test]
    fn what_cannot_be_parsed_is_said_in_a_sentence() {
        assert!(one(" , . ").unwrap_err().contains("no word"));
        assert!(one("Go.").unwrap_err().contains("one word"));
    }
}
