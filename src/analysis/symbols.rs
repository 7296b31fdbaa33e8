use super::{Agreement, AnalysisError, Usage};
use crate::model::{Parse, ParsedSpan, Parser, SymbolUse, Wanted};
use crate::treebank::{Batch, Sentence, Vocabulary};
use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};
use std::ops::ControlFlow;
use std::sync::Arc;

/// Words of a batch of sentences that are parsed together.
const BATCH_TOKENS: usize = 512;
/// Longer yields are nearly always unique and are not counted.
const LONGEST_YIELD: usize = 10;
/// Yields kept of every nonterminal.
const YIELDS: usize = 50;

/// A word sequence below a nonterminal, and how often.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Yield {
    pub words: String,
    pub count: u32,
}

/// How a symbol agrees with one gold label or tag.
#[derive(Clone, Debug, PartialEq)]
pub struct GoldCover {
    pub label: Arc<str>,
    /// Spans (words) with this symbol in the MBR trees and this label in the gold trees.
    pub count: u32,
    /// Share of the label's gold spans that have this symbol, 0 to 1.
    pub recall: f64,
    /// Share of this symbol's spans that have the label, 0 to 1.
    pub purity: f64,
}

/// What one nonterminal or preterminal does.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SymbolStatistics {
    /// Expected number of spans (words) under the posterior.
    pub expected: f64,
    /// Number of spans (words) in the labelled MBR trees.
    pub decoded: u32,
    /// Most frequent yields (words) of these spans, most frequent first.
    pub yields: Vec<Yield>,
    /// Gold labels (tags) of these spans, most frequent first; empty without gold trees.
    pub gold: Vec<GoldCover>,
    /// Positions of the sentences whose MBR tree has the symbol, rising.
    pub sentences: Vec<u32>,
}

/// The symbols of one sentence's tree.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Labelled {
    /// Start, end and nonterminal of the spans of two words and more, in preorder.
    pub spans: Vec<(u32, u32, u32)>,
    /// Preterminal, or state of an HMM, of every word.
    pub tags: Vec<u32>,
}

impl Labelled {
    fn new(parse: &Parse, words: usize) -> Labelled {
        let span = |span: &ParsedSpan| Some((span.start, span.end, span.label?));
        // The state of an HMM at the end of the sentence belongs to no word.
        let tags = parse.tags.iter().copied().take(words).collect();
        Labelled { spans: parse.spans.iter().filter_map(span).collect(), tags }
    }
}

/// Statistics of all symbols over some sentences.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Symbols {
    pub nonterminals: Vec<SymbolStatistics>,
    pub preterminals: Vec<SymbolStatistics>,
    pub nonterminal_usage: Usage,
    pub preterminal_usage: Usage,
    /// Preterminals against gold tags, where there are gold tags.
    pub tagging: Option<Agreement>,
    /// Labelled MBR trees by position of the sentence; `None` where it has no derivation.
    pub trees: Vec<Option<Labelled>>,
    /// Sentences analysed, and those left out because they have no derivation.
    pub sentences: usize,
    pub skipped: usize,
}

impl Symbols {
    /// Indices by falling expected count.
    pub fn order(statistics: &[SymbolStatistics]) -> Vec<usize> {
        let mut order: Vec<usize> = (0..statistics.len()).collect();
        order.sort_by(|&a, &b| statistics[b].expected.total_cmp(&statistics[a].expected));
        order
    }
}

/// Parses the sentences and counts; of an HMM the states, which take the place of preterminals.
/// Spans of two words and more count, the whole sentence included; a span under several gold
/// labels (a unary chain) counts for each.
///
/// `progress` hears (sentences done, of how many) after every batch and can end the work, which
/// then gives `None`.
pub fn symbols(
    parser: &dyn Parser,
    vocabulary: &Vocabulary,
    sentences: &[Sentence],
    progress: &mut dyn FnMut(usize, usize) -> ControlFlow<()>,
) -> Result<Option<Symbols>, AnalysisError> {
    let grammar = parser.grammar();
    let of_words = parser.chain().map_or(0, |chain| chain.states);
    let mut nonterminals = Tally::new(grammar.map_or(0, |g| g.nonterminals));
    let mut preterminals = Tally::new(grammar.map_or(of_words, |g| g.preterminals));
    // One word has no tree; a language model takes it.
    let shortest = if grammar.is_some() { 2 } else { 1 };
    let mut expected = SymbolUse::default();
    let mut result = Symbols { trees: vec![None; sentences.len()], ..Symbols::default() };

    // Sentences of nearby length share their steps in the dynamic program.
    let mut order: Vec<usize> =
        (0..sentences.len()).filter(|&i| sentences[i].len() >= shortest).collect();
    result.skipped = sentences.len() - order.len();
    order.sort_by_key(|&i| sentences[i].len());
    let mut done = result.skipped;
    let mut rest = &order[..];
    while !rest.is_empty() {
        if progress(done, sentences.len()).is_break() {
            return Ok(None);
        }
        let mut tokens = 0;
        let fits = |&&i: &&usize| {
            tokens += sentences[i].len();
            tokens <= BATCH_TOKENS
        };
        let (now, later) = rest.split_at(rest.iter().take_while(fits).count().max(1));
        rest = later;
        done += now.len();
        let ids = now.iter().map(|&i| vocabulary.sentence(&sentences[i].words));
        let batch = Batch::new(ids).expect("sentences of two words and more are not empty");
        let parses = parser.parse(&batch, Wanted { tree: true, labels: true })?;
        if parses.len() != now.len() {
            return Err(AnalysisError::Count { given: parses.len(), expected: now.len() });
        }
        parser.expect(&batch, &mut expected)?;
        for (&i, parse) in now.iter().zip(&parses) {
            if grammar.is_some() && parse.spans.is_empty() {
                result.skipped += 1;
                continue;
            }
            result.sentences += 1;
            let tree = Labelled::new(parse, sentences[i].len());
            count_phrases(&mut nonterminals, i, &sentences[i], &tree);
            count_words(&mut preterminals, i, &sentences[i], &tree);
            result.trees[i] = Some(tree);
        }
    }
    result.nonterminal_usage = Usage::new(&expected.nonterminals);
    result.preterminal_usage = Usage::new(&expected.preterminals);
    result.tagging = preterminals.agreement();
    result.nonterminals = nonterminals.finish(&expected.nonterminals);
    result.preterminals = preterminals.finish(&expected.preterminals);
    let _ = progress(sentences.len(), sentences.len());
    Ok(Some(result))
}

fn count_phrases(tally: &mut Tally, position: usize, sentence: &Sentence, tree: &Labelled) {
    let mut gold: HashMap<(u32, u32), HashSet<&Arc<str>>> = HashMap::new();
    for span in sentence.gold.iter().flatten().filter(|s| s.end > s.start + 1) {
        if gold.entry((span.start, span.end)).or_default().insert(&span.label) {
            tally.gold(&span.label);
        }
    }
    for &(start, end, symbol) in &tree.spans {
        let words = &sentence.words[start as usize..end as usize];
        let labels = gold.get(&(start, end)).into_iter().flatten().copied();
        tally.add(symbol as usize, position, words, labels);
    }
}

fn count_words(tally: &mut Tally, position: usize, sentence: &Sentence, tree: &Labelled) {
    for tag in sentence.tags.iter().flatten() {
        tally.gold(tag);
    }
    for (i, &symbol) in tree.tags.iter().enumerate() {
        let tag = sentence.tags.as_ref().and_then(|tags| tags.get(i));
        tally.add(symbol as usize, position, &sentence.words[i..=i], tag.into_iter());
    }
}

/// Counts of one kind of symbol.
struct Tally {
    symbols: Vec<Counts>,
    gold: HashMap<Arc<str>, u32>,
}

#[derive(Clone, Default)]
struct Counts {
    decoded: u32,
    yields: HashMap<String, u32>,
    gold: HashMap<Arc<str>, u32>,
    sentences: Vec<u32>,
}

impl Tally {
    fn new(symbols: usize) -> Tally {
        Tally { symbols: vec![Counts::default(); symbols], gold: HashMap::new() }
    }

    fn gold(&mut self, label: &Arc<str>) {
        *self.gold.entry(label.clone()).or_insert(0) += 1;
    }

    fn add<'a>(
        &mut self,
        symbol: usize,
        position: usize,
        words: &[Arc<str>],
        labels: impl Iterator<Item = &'a Arc<str>>,
    ) {
        let counts = &mut self.symbols[symbol];
        counts.decoded += 1;
        if words.len() <= LONGEST_YIELD {
            *counts.yields.entry(words.join(" ")).or_insert(0) += 1;
        }
        for label in labels {
            *counts.gold.entry(label.clone()).or_insert(0) += 1;
        }
        // A sentence is counted at once, so its number can only be the last one.
        if counts.sentences.last() != Some(&(position as u32)) {
            counts.sentences.push(position as u32);
        }
    }

    fn agreement(&self) -> Option<Agreement> {
        let joint = self.symbols.iter().enumerate().flat_map(|(symbol, counts)| {
            let labels = counts.gold.iter();
            labels.map(move |(label, &count)| ((symbol, &**label), f64::from(count)))
        });
        (!self.gold.is_empty()).then(|| Agreement::new(joint))
    }

    fn finish(self, expected: &[f64]) -> Vec<SymbolStatistics> {
        let Tally { symbols, gold } = self;
        let finish = |(i, mut counts): (usize, Counts)| {
            counts.sentences.sort_unstable();
            let mut yields: Vec<Yield> =
                counts.yields.into_iter().map(|(words, count)| Yield { words, count }).collect();
            // Of equally frequent ones the shorter tell more.
            let rank = |y: &Yield| (Reverse(y.count), y.words.len());
            yields.sort_by(|a, b| rank(a).cmp(&rank(b)).then_with(|| a.words.cmp(&b.words)));
            yields.truncate(YIELDS);
            let cover = |(label, count): (Arc<str>, u32)| GoldCover {
                recall: f64::from(count) / f64::from(gold[&label]),
                purity: f64::from(count) / f64::from(counts.decoded),
                label,
                count,
            };
            let mut gold: Vec<GoldCover> = counts.gold.into_iter().map(cover).collect();
            gold.sort_by(|a, b| b.count.cmp(&a.count).then_with(|| a.label.cmp(&b.label)));
            SymbolStatistics {
                expected: expected.get(i).copied().unwrap_or(0.0),
                decoded: counts.decoded,
                yields,
                gold,
                sentences: counts.sentences,
            }
        };
        symbols.into_iter().enumerate().map(finish).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::fake::FakeParser;
    use super::*;
    use crate::treebank::LabelledSpan;

    fn sentence(index: usize, words: &[&str], gold: &[(u32, u32, &str)]) -> Sentence {
        let words: Vec<Arc<str>> = words.iter().map(|&w| w.into()).collect();
        Sentence {
            surface: words.clone(),
            tags: Some(words.iter().map(|w| w[..1].to_uppercase().into()).collect()),
            gold: Some(
                gold.iter()
                    .map(|&(start, end, label)| LabelledSpan { start, end, label: label.into() })
                    .collect(),
            ),
            words,
            tree: None,
            index,
        }
    }

    /// Word `w` has the id of its place here, behind padding and unknown.
    fn vocabulary() -> Vocabulary {
        let words = ["<pad>", "<unk>", "a", "b", "c"].map(Arc::from).to_vec();
        Vocabulary::from_words(words, Vocabulary::UNKNOWN).expect("distinct")
    }

    fn corpus() -> Vec<Sentence> {
        vec![
            sentence(0, &["a", "b", "c"], &[(0, 3, "S"), (0, 3, "VP"), (1, 3, "NP")]),
            sentence(1, &["a"], &[(0, 1, "S")]),
            sentence(2, &["b", "c"], &[(0, 2, "NP")]),
            sentence(3, &["a", "b", "c"], &[(0, 3, "S"), (0, 2, "NP")]),
        ]
    }

    fn analyse(sentences: &[Sentence]) -> Symbols {
        let parser = FakeParser::random(2, 3, 4, 5, 1.0, 1);
        let mut go_on = |_, _| ControlFlow::Continue(());
        symbols(&parser, &vocabulary(), sentences, &mut go_on)
            .expect("parses")
            .expect("not stopped")
    }

    #[test]
    fn nonterminals_know_their_yields_gold_labels_and_sentences() {
        let found = analyse(&corpus());
        assert_eq!((found.sentences, found.skipped), (3, 1));
        let tree = Labelled { spans: vec![(0, 3, 0), (1, 3, 1)], tags: vec![2, 0, 1] };
        assert_eq!((found.trees[0].as_ref(), found.trees[1].as_ref()), (Some(&tree), None));
        // Symbol 0 covers whole sentences, symbol 1 what follows the first word.
        let whole = &found.nonterminals[0];
        assert_eq!((whole.decoded, whole.expected), (3, 3.0));
        assert_eq!(whole.sentences, [0, 2, 3]);
        assert_eq!(whole.yields[0], Yield { words: "a b c".into(), count: 2 });
        let cover = |label: &str, count, recall, purity| GoldCover {
            label: label.into(),
            count,
            recall,
            purity,
        };
        let third = 1.0 / 3.0;
        assert_eq!(
            whole.gold,
            [
                cover("S", 2, 1.0, 2.0 * third),
                cover("NP", 1, third, third),
                cover("VP", 1, 1.0, third)
            ]
        );
        assert_eq!(found.nonterminals[1].gold, [cover("NP", 1, third, 0.5)]);
    }

    #[test]
    fn preterminals_know_their_words_and_gold_tags() {
        let found = analyse(&corpus());
        // Ids 2, 3, 4 modulo 3: `b` has preterminal 0, `c` 1 and `a` 2.
        assert_eq!(found.preterminals[0].yields, [Yield { words: "b".into(), count: 3 }]);
        assert_eq!(found.preterminals[0].gold[0].purity, 1.0);
        assert_eq!(found.preterminal_usage.in_use, 3);
        let agreement = found.tagging.expect("there are gold tags");
        assert!((agreement.v_measure() - 1.0).abs() < 1e-12);
    }

    #[test]
    fn sentences_without_gold_still_have_use_and_yields() {
        let mut plain = corpus();
        for sentence in &mut plain {
            (sentence.gold, sentence.tags) = (None, None);
        }
        let found = analyse(&plain);
        assert!(found.nonterminals.iter().all(|s| s.gold.is_empty()) && found.tagging.is_none());
        assert_eq!(found.nonterminals[1].yields[0].words, "b c");
    }

    #[test]
    fn progress_counts_up_to_the_end_and_can_stop_the_work() {
        let parser = FakeParser::random(2, 3, 4, 5, 1.0, 1);
        let many: Vec<Sentence> = (0..600).map(|i| sentence(i, &["a", "b"], &[])).collect();
        let mut heard = Vec::new();
        let mut listen = |done, total| {
            heard.push((done, total));
            ControlFlow::Continue(())
        };
        let all = symbols(&parser, &vocabulary(), &many, &mut listen).expect("parses");
        assert_eq!(all.expect("not stopped").sentences, 600);
        assert!(heard.len() > 2 && heard.windows(2).all(|w| w[0].0 < w[1].0), "{heard:?}");
        assert_eq!(heard.last(), Some(&(600, 600)));
        let mut stop = |_, _| ControlFlow::Break(());
        assert_eq!(symbols(&parser, &vocabulary(), &many, &mut stop).expect("stops"), None);
    }

    #[test]
    fn order_is_by_falling_expected_count() {
        let statistics = [1.0, 3.0, 2.0]
            .map(|expected| SymbolStatistics { expected, ..SymbolStatistics::default() });
        assert_eq!(Symbols::order(&statistics), [1, 2, 0]);
    }
}
