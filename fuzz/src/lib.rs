//! What must hold of any bytes that a reader is given.
//!
//! The modules that files go through are compiled into this crate, so that fuzzing builds and
//! instruments neither tensors nor a terminal.

#[path = "../../src/config/mod.rs"]
pub mod config;
#[path = "../../src/evaluation/mod.rs"]
pub mod evaluation;
#[path = "../../src/fgg/mod.rs"]
pub mod fgg;
#[path = "../../src/render/mod.rs"]
pub mod render;
#[path = "../../src/report/mod.rs"]
pub mod report;
#[path = "../../src/treebank/mod.rs"]
pub mod treebank;

use config::{Discontinuous, Encoding, Format, FunctionLabels, UnaryChains};
use evaluation::evalb::{Parameters, evaluate, length_bins, print};
use render::{Diagram, to_brackets, to_forest};
use std::sync::Arc;
use treebank::candidates::{ListFormat, Lists, ReadOptions, write_list};
use treebank::{
    BracketStyle, Entries, Entry, FileOptions, Interner, Preprocessing, Reading, Removed,
    Statistics, Tree, Writer,
};

/// Reads a factor graph grammar and does everything with it that can be done without a sentence.
pub fn check_grammar(text: &str) {
    let Ok(fgg::Reading { grammar, .. }) = fgg::read(text) else { return };
    assert!(fgg::read(&fgg::to_json(&grammar)).is_ok());
    let _ = fgg::check(&grammar);
    let Ok(inside) = fgg::Inside::new(&grammar) else { return };
    let z = inside.z().ln();
    if let Ok(rewriting) = fgg::rewrite(&grammar)
        && let Ok(messages) = fgg::RankSpace::new(&grammar, &rewriting)
    {
        let other = messages.z().ln();
        let is_near = (z - other).abs() < 1e-6 * z.abs().max(1.0);
        assert!(z == other || z.is_nan() || is_near, "{z} {other}");
    }
}

/// Scores bytes against bytes, gold, predictions and parameters with a byte 1 between them, and
/// checks that the figures are such.
pub fn check_scores(bytes: &[u8]) {
    let mut parts = bytes.splitn(3, |&b| b == 1);
    let mut next = || parts.next().unwrap_or_default();
    let (gold, test, rules) = (next(), next(), next());
    let parameters = Parameters::parse(rules).unwrap_or_default();
    let evaluation = evaluate(gold, test, &parameters);
    let totals = evaluation.totals();
    assert_eq!(totals.valid() + totals.errors + totals.skipped, totals.sentences);
    for figure in [totals.recall(), totals.precision(), totals.tagging_accuracy()] {
        assert!((0.0..=100.0).contains(&figure), "{figure}");
    }
    let binned: u64 = length_bins(&evaluation.rows, 10).iter().map(|(_, t)| t.sentences).sum();
    assert_eq!(binned, totals.sentences);
    print(&evaluation, &parameters, &mut Vec::new()).expect("a vector takes all");
}

/// Reads candidate lists, and checks that what was understood is read back.
pub fn check_candidates(bytes: &[u8], format: Option<ListFormat>) {
    let options = ReadOptions { format, log_base: None };
    let Ok(lists) = Lists::new(bytes, "", options) else { return };
    let file = lists.collect_all();
    let mut written = Vec::new();
    for list in &file.lists {
        assert!(list.candidates.iter().all(|c| c.tree.len() == list.words.len()));
        write_list(list, ListFormat::Jsonl, &mut written).expect("a vector takes all");
    }
    let options = ReadOptions { format: Some(ListFormat::Jsonl), log_base: None };
    let again = Lists::new(&written[..], "", options).expect("a format is given").collect_all();
    assert_eq!(again.lists.len(), file.lists.len());
    assert!(again.dropped.is_empty(), "{:?}", again.dropped);
}

/// Reads the bytes, and checks everything that is done to what was read.
pub fn check(bytes: &[u8], format: Option<Format>, encoding: Option<Encoding>) {
    let options = FileOptions { format, encoding };
    let Ok(entries) = Entries::new(bytes, "", options, Interner::default()) else { return };
    let reading = Reading::collect(entries);
    let statistics = Statistics::of_reading(&reading);
    assert_eq!(statistics.trees as usize, reading.trees.len());
    for problem in &reading.problems {
        assert!(problem.line >= 1 && problem.column >= 1, "{problem}");
    }
    for tree in &reading.trees {
        check_tree(tree);
    }
    let entries: Vec<Entry> = reading
        .trees
        .into_iter()
        .map(Entry::Tree)
        .chain(reading.words.into_iter().map(Entry::Words))
        .collect();
    for format in Format::ALL {
        read_back(&entries, format);
    }
}

fn check_tree(tree: &Tree) {
    let nodes = tree.nodes().len();
    assert_eq!(tree.postorder().len(), nodes);
    assert_eq!(tree.yields()[0], (0, tree.len() as u32, tree.len() as u32));
    let diagram = Diagram::from_tree(tree);
    assert!(to_brackets(&diagram).len() + to_forest(&diagram).len() > nodes);
    for unary_chains in [UnaryChains::Keep, UnaryChains::Collapse, UnaryChains::Join] {
        for discontinuous in [Discontinuous::Keep, Discontinuous::Attach] {
            let function_labels = match unary_chains {
                UnaryChains::Keep => FunctionLabels::Keep,
                _ => FunctionLabels::Cut,
            };
            let rules = Preprocessing {
                unary_chains,
                discontinuous,
                function_labels,
                ..Preprocessing::default()
            };
            let mut removed = Removed::default();
            let clean = rules.clean(tree, &mut removed);
            let sentence = rules.sentence(Arc::new(tree.clone()), 0, &mut removed);
            assert_eq!(clean.is_some(), sentence.is_some());
            let (Some(clean), Some(sentence)) = (clean, sentence) else { continue };
            assert_eq!(clean.words(), sentence.words);
            let n = sentence.len() as u32;
            for span in sentence.gold.iter().flatten() {
                assert!(span.start < span.end && span.end <= n);
            }
        }
    }
}

/// Every format reads back what it wrote, without a problem.
fn read_back(entries: &[Entry], format: Format) {
    for indented in [false, true] {
        let style = BracketStyle { indented };
        let mut writer = Writer::new(Vec::new(), format, style).expect("a vector takes all");
        for entry in entries {
            writer.entry(entry).expect("a vector takes all");
        }
        let (bytes, written, _) = writer.finish().expect("a vector takes all");
        if written == 0 {
            continue;
        }
        let options = FileOptions { format: Some(format), ..FileOptions::default() };
        let again = Entries::new(&bytes[..], "", options, Interner::default()).expect("readable");
        let again = Reading::collect(again);
        let text = String::from_utf8_lossy(&bytes);
        assert!(again.problems.is_empty(), "{format:?}: {:?}\n{text}", again.problems);
        let read = again.trees.len() + again.words.len() + again.texts.len();
        assert_eq!(read as u64, written, "{format:?}\n{text}");
        let trees = entries.iter().filter_map(|entry| match entry {
            Entry::Tree(tree) => Some(tree),
            _ => None,
        });
        for (tree, back) in trees.zip(&again.trees) {
            // XML has no control characters.
            let same = |word: &Arc<str>| match format {
                Format::Tiger => {
                    word.replace(|c| matches!(c, '\0'..' ' | '\u{fffe}' | '\u{ffff}'), "\u{fffd}")
                }
                _ => word.to_string(),
            };
            let words: Vec<String> = tree.words().iter().map(same).collect();
            assert_eq!(words, back.words().iter().map(same).collect::<Vec<_>>(), "{text}");
            if format != Format::Brackets {
                assert_eq!(tree.is_discontinuous(), back.is_discontinuous(), "{text}");
            }
        }
    }
}
