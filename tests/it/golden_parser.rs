//! Grammars and parses against golden values: `parser/*.json` and `ensembles/treebank_pcfg*.json`.

use crate::shared::{golden_files, shared};
use rankspace::config::{self, Binarisation, Horizontal, LexiconKind};
use rankspace::inference::decode::best_tree;
use rankspace::inference::sparse_pcfg::{
    BinaryRule, Chart, CompactGrammar, Derivation, Everything, Grammar, KBest, Posteriors, Spans,
    UnaryRule, posteriors,
};
use rankspace::parser::{Direction, HeadRules, Inducer, TreebankPcfg, Words};
use rankspace::treebank::{Reader, Tree};
use serde::Deserialize;
use serde_json::Value;
use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;
use std::sync::Arc;

fn files(folder: &str, start: &str) -> Vec<PathBuf> {
    let Some(folder) = shared(&format!("golden/{folder}")) else { return Vec::new() };
    let files = golden_files(&folder, start, ".json");
    assert!(!files.is_empty(), "no {start}*.json in {}", folder.display());
    files
}

fn read<T: serde::de::DeserializeOwned>(path: &PathBuf) -> T {
    let text = std::fs::read_to_string(path).expect("a golden file can be read");
    serde_json::from_str(&text).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// A number, or one of the strings for those that JSON has not.
fn number(value: &Value) -> f64 {
    match value.as_str() {
        Some("-Infinity") => f64::NEG_INFINITY,
        _ => value.as_f64().unwrap_or_else(|| panic!("a number, not {value}")),
    }
}

fn near(a: f64, b: f64) -> bool {
    a == b || (a - b).abs() <= 1e-9 * b.abs().max(1.0)
}

#[derive(Deserialize)]
struct Parses {
    grammars: Vec<GrammarCase>,
}

#[derive(Deserialize)]
struct GrammarCase {
    name: String,
    grammar: Given,
    sentences: Vec<SentenceCase>,
}

#[derive(Deserialize)]
struct Given {
    start: String,
    binary: Vec<(String, String, String, f64)>,
    unary: Vec<(String, String, f64)>,
    lexicon: Vec<(String, String, f64)>,
}

#[derive(Deserialize)]
struct SentenceCase {
    name: String,
    words: Vec<String>,
    parses: u64,
    log_inside: Value,
    viterbi: Option<Best>,
    kbest: Vec<Best>,
    span_marginals: Vec<(usize, usize, f64)>,
    label_marginals: Vec<(usize, usize, String, f64)>,
    mbr: Option<Mbr<(usize, usize)>>,
    mbr_labelled: Option<Mbr<(usize, usize, String)>>,
}

#[derive(Deserialize)]
struct Best {
    tree: String,
    log_prob: f64,
}

#[derive(Deserialize)]
struct Mbr<S> {
    spans: Vec<S>,
    score: f64,
}

/// A grammar of a file with numbers for its symbols.
struct Numbered {
    names: Vec<String>,
    ids: HashMap<String, u32>,
    grammar: Grammar,
    compact: CompactGrammar<f64>,
    roots: Vec<(u32, f64)>,
}

impl Numbered {
    fn new(given: &Given) -> Numbered {
        let (mut names, mut ids): (Vec<String>, HashMap<String, u32>) = Default::default();
        let mut id = |name: &String| {
            *ids.entry(name.clone()).or_insert_with(|| {
                names.push(name.clone());
                names.len() as u32 - 1
            })
        };
        let start = id(&given.start);
        let mut binary = Vec::new();
        for (parent, left, right, p) in &given.binary {
            let (parent, left, right) = (id(parent), id(left), id(right));
            binary.push(BinaryRule { parent, left, right, log_prob: p.ln() });
        }
        let mut unary = Vec::new();
        for (parent, child, p) in &given.unary {
            unary.push(UnaryRule { parent: id(parent), child: id(child), log_prob: p.ln() });
        }
        for (tag, ..) in &given.lexicon {
            id(tag);
        }
        let grammar = Grammar::new(names.len(), binary, unary);
        let compact = CompactGrammar::new(&grammar);
        Numbered { names, ids, compact, grammar, roots: vec![(start, 0.0)] }
    }

    fn leaves(&self, given: &Given, words: &[String]) -> Vec<Vec<(u32, f64)>> {
        let of = |word: &String| {
            let lexicon = given.lexicon.iter().filter(|(_, w, _)| w == word);
            lexicon.map(|(tag, _, p)| (self.ids[tag], p.ln())).collect()
        };
        words.iter().map(of).collect()
    }

    fn brackets(&self, derivation: &Derivation, words: &[String]) -> String {
        let (mut text, mut open) = (String::new(), Vec::new());
        for node in &derivation.nodes {
            let space = if text.is_empty() { "" } else { " " };
            text.push_str(&format!("{space}({}", self.names[node.symbol as usize]));
            if node.children > 0 {
                open.push(node.children);
                continue;
            }
            text.push_str(&format!(" {})", words[node.start as usize]));
            while let Some(left) = open.last_mut() {
                *left -= 1;
                if *left > 0 {
                    break;
                }
                text.push(')');
                open.pop();
            }
        }
        text
    }
}

fn check_best(numbered: &Numbered, given: &Given, case: &SentenceCase) {
    let leaves = numbered.leaves(given, &case.words);
    let spans = Spans::all(leaves.len());
    let chart = Chart::new(&numbered.grammar, &leaves, spans, &Everything);
    let name = &case.name;
    let best = chart.best(&numbered.roots);
    assert_eq!(best.is_some(), case.viterbi.is_some(), "{name}");
    if let (Some(best), Some(expected)) = (best, &case.viterbi) {
        assert_eq!(numbered.brackets(&best, &case.words), expected.tree, "{name}");
        assert!(near(best.log_prob, expected.log_prob), "{name}");
    }
    let longest = numbered.names.len() as u32;
    let mut k_best = KBest::new(&numbered.grammar, &chart, &leaves, &numbered.roots, longest);
    for (rank, expected) in case.kbest.iter().enumerate() {
        let found = k_best.get(rank as u32).unwrap_or_else(|| panic!("{name}: no rank {rank}"));
        assert_eq!(numbered.brackets(&found, &case.words), expected.tree, "{name} {rank}");
        assert!(near(found.log_prob, expected.log_prob), "{name} {rank}");
    }
    if case.parses <= 10 {
        assert_eq!(case.kbest.len() as u64, case.parses, "{name}");
        assert_eq!(k_best.get(case.parses as u32), None, "{name}");
    }
}

fn check_posteriors(numbered: &Numbered, given: &Given, case: &SentenceCase) {
    let leaves = numbered.leaves(given, &case.words);
    let n = leaves.len();
    let name = &case.name;
    let found = posteriors(&numbered.compact, &leaves, &numbered.roots, Spans::all(n), 0.0);
    let log_prob = found.as_ref().map_or(f64::NEG_INFINITY, |p| p.log_prob);
    assert!(near(log_prob, number(&case.log_inside)), "{name}: {log_prob}");
    let Some(found) = found else {
        assert!(case.parses == 0 && case.span_marginals.is_empty(), "{name}");
        return;
    };
    let spans: HashMap<_, _> = case.span_marginals.iter().map(|&(i, j, p)| ((i, j), p)).collect();
    let labels: HashMap<_, _> =
        case.label_marginals.iter().map(|(i, j, label, p)| ((*i, *j, &**label), *p)).collect();
    for i in 0..n {
        for j in i + 1..=n {
            let expected = spans.get(&(i, j)).copied().unwrap_or(0.0);
            assert!(near(found.span(i, j), expected), "{name} [{i},{j})");
            for (symbol, label) in numbered.names.iter().enumerate() {
                let expected = labels.get(&(i, j, &**label)).copied().unwrap_or(0.0);
                let marginal = found.label(i, j, symbol as u32);
                assert!(near(marginal, expected), "{name} {label}[{i},{j}) {marginal}");
            }
        }
    }
    if let Some(expected) = &case.mbr {
        let decoded = best_tree(n, |i, j| found.span(i, j));
        assert_eq!(decoded, whole_sentence(&expected.spans), "{name}");
        let score: f64 = decoded.iter().map(|&(i, j)| found.span(i, j)).sum();
        assert!(n == 1 || near(score, expected.score), "{name}");
    }
    if let Some(expected) = &case.mbr_labelled {
        let best = |i, j| best_label(numbered, &found, i, j);
        let decoded = best_tree(n, |i, j| best(i, j).1);
        let labelled: Vec<_> =
            decoded.iter().map(|&(i, j)| (i, j, numbered.names[best(i, j).0].clone())).collect();
        assert_eq!(labelled, whole_sentence(&expected.spans), "{name}");
        let score: f64 = decoded.iter().map(|&(i, j)| best(i, j).1).sum();
        assert!(n == 1 || near(score, expected.score), "{name}");
    }
}

/// Spans of two words and more, as decoding gives them.
fn whole_sentence<S: Clone + Wide>(spans: &[S]) -> Vec<S> {
    spans.iter().filter(|s| s.width() > 1).cloned().collect()
}

trait Wide {
    fn width(&self) -> usize;
}

impl Wide for (usize, usize) {
    fn width(&self) -> usize {
        self.1 - self.0
    }
}

impl Wide for (usize, usize, String) {
    fn width(&self) -> usize {
        self.1 - self.0
    }
}

fn best_label(numbered: &Numbered, found: &Posteriors<f64>, i: usize, j: usize) -> (usize, f64) {
    let labels = (0..numbered.names.len()).map(|s| (s, found.label(i, j, s as u32)));
    labels.max_by(|a, b| a.1.total_cmp(&b.1)).expect("a grammar has symbols")
}

#[test]
fn golden_parser_parses_best_trees_in_order() {
    for path in files("parser", "parses") {
        for case in read::<Parses>(&path).grammars {
            let numbered = Numbered::new(&case.grammar);
            assert!(!case.sentences.is_empty(), "{}", case.name);
            case.sentences.iter().for_each(|s| check_best(&numbered, &case.grammar, s));
        }
    }
}

#[test]
fn golden_parser_parses_inside_marginals_and_mbr() {
    for path in files("parser", "parses") {
        for case in read::<Parses>(&path).grammars {
            let numbered = Numbered::new(&case.grammar);
            case.sentences.iter().for_each(|s| check_posteriors(&numbered, &case.grammar, s));
        }
    }
}

#[derive(Deserialize)]
struct Treebank {
    heads: BTreeMap<String, HeadCase>,
    treebank: Vec<Weighted>,
    test_trees: Vec<String>,
    grammars: Vec<GrammarTable>,
}

#[derive(Deserialize)]
struct HeadCase {
    direction: String,
    priority: Vec<String>,
}

#[derive(Deserialize)]
struct Weighted {
    weight: f64,
    tree: String,
}

#[derive(Deserialize)]
struct GrammarTable {
    binarisation: String,
    v: usize,
    h: usize,
    rules: Vec<(String, Vec<String>, f64, f64)>,
    grammar_rules: usize,
    symbols: usize,
    tree_log_probs: Vec<Value>,
}

fn tree(brackets: &str) -> Arc<Tree> {
    let first = Reader::new(brackets.as_bytes(), "golden").next().expect("a tree");
    Arc::new(first.unwrap_or_else(|e| panic!("{e}")))
}

impl Treebank {
    fn inducer(&self, table: &GrammarTable) -> TreebankPcfg {
        let settings = config::Parser {
            vertical: table.v,
            horizontal: Horizontal::Last(table.h),
            binarisation: match table.binarisation.as_str() {
                "l2r" => Binarisation::LeftToRight,
                _ => Binarisation::Head,
            },
            lexicon: LexiconKind::Relative,
            ..config::Parser::plain()
        };
        let rules = self.heads.iter().map(|(label, rule)| {
            let right = rule.direction == "right";
            let direction = if right { Direction::Right } else { Direction::Left };
            (label.clone(), direction, rule.priority.clone())
        });
        TreebankPcfg::with_heads(&settings, HeadRules::new(rules, Direction::Left))
    }
}

#[test]
fn golden_ensembles_treebank_pcfg_probabilities_of_trees() {
    for path in files("ensembles", "treebank_pcfg") {
        let golden: Treebank = read(&path);
        let trees: Vec<_> = golden.treebank.iter().map(|w| tree(&w.tree)).collect();
        let weights: Vec<_> = golden.treebank.iter().map(|w| w.weight).collect();
        for table in &golden.grammars {
            let name = format!("{} v={} h={}", table.binarisation, table.v, table.h);
            let prepared = golden.inducer(table).prepare(&trees).expect("trees");
            let parser = prepared.induce(&weights).expect("weights");
            for (text, expected) in golden.test_trees.iter().zip(&table.tree_log_probs) {
                let score = parser.tree_score(&tree(text));
                assert!(near(score, number(expected)), "{name}: {score} for {text}");
            }
            for tree in &trees {
                let parsed = parser.parse(Words::new(tree.words()));
                assert!(parsed.fallback.is_none(), "{name}");
                assert!(near(parsed.score, parser.tree_score(&parsed.tree)), "{name}");
                assert!(parsed.score > parser.tree_score(tree) - 1e-9, "{name}");
            }
        }
    }
}

#[test]
fn golden_ensembles_treebank_pcfg_rules_by_name() {
    for path in files("ensembles", "treebank_pcfg") {
        let golden: Treebank = read(&path);
        let trees: Vec<_> = golden.treebank.iter().map(|w| tree(&w.tree)).collect();
        let weights: Vec<_> = golden.treebank.iter().map(|w| w.weight).collect();
        for table in &golden.grammars {
            let name = format!("{} v={} h={}", table.binarisation, table.v, table.h);
            let read = golden.inducer(table).read(&trees).expect("trees");
            let grammar = read.grammar(&weights).expect("weights");
            let found: BTreeMap<(String, Vec<String>), f64> =
                grammar.rules().map(|(lhs, rhs, log_prob)| ((lhs, rhs), log_prob)).collect();
            assert_eq!(found.len(), table.grammar_rules, "{name}");
            assert_eq!(grammar.symbols(), table.symbols, "{name}");
            for (lhs, rhs, _, probability) in &table.rules {
                let log_prob = found.get(&(lhs.clone(), rhs.clone()));
                let log_prob = log_prob.unwrap_or_else(|| panic!("{name}: no {lhs} -> {rhs:?}"));
                assert!(near(log_prob.exp(), *probability), "{name}: {lhs} -> {rhs:?}");
            }
        }
    }
}
