//! What holds for every parser, at the edges of what treebanks and sentences may be.

use super::*;
use crate::treebank::Reader;
use proptest::prelude::*;
use std::collections::BTreeMap;

fn trees(text: &str) -> Vec<Arc<Tree>> {
    Reader::new(text.as_bytes(), "test").map(|t| Arc::new(t.expect("a tree"))).collect()
}

fn words(text: &str) -> Vec<Arc<str>> {
    text.split_whitespace().map(Arc::from).collect()
}

/// Settings of every family that learn as much as they can of few trees.
fn families() -> Vec<config::Parser> {
    let few = config::Parser { min_count: 1, passes: 20, ..config::Parser::default() };
    [ParserFamily::TreebankPcfg, ParserFamily::ShiftReduce]
        .into_iter()
        .map(|family| config::Parser { family, ..few.clone() })
        .collect()
}

fn learned(settings: &config::Parser, text: &str) -> Arc<dyn TreeParser> {
    let trees = trees(text);
    let inducer = build(settings).expect("there is such a parser");
    inducer.induce(&trees, &vec![1.0; trees.len()]).expect("trees to learn from")
}

/// A tree over all the words in their order, with labels of the treebank alone.
fn check(parsed: &Parsed, sentence: &[Arc<str>], treebank: &str) {
    assert_eq!(parsed.tree.words(), sentence);
    for (_, node) in parsed.tree.nodes() {
        assert!(treebank.contains(&format!("({} ", node.label)), "`{}`", node.label);
    }
}

const TREEBANK: &str = "(TOP (S (NP (DT the) (NN dog)) (VP (VBZ sees) (NP (PRP it)))))
    (TOP (S (NP (PRP it)) (VP (VBZ sees) (NP (NP (DT the) (NN cat)) (PP (IN in) (NP (NN May)))))))
    (TOP (S (NP (NP (DT the) (NN dog)) (CC and) (NP (DT the) (NN cat))) (VP (VBZ barks))))";

#[test]
fn one_sentence_is_learned_by_heart() {
    let text = TREEBANK.lines().nth(1).expect("a line");
    for settings in families() {
        let parser = learned(&settings, text);
        let gold = &trees(text)[0];
        let parsed = parser.parse(Words::new(gold.words()));
        assert_eq!(parsed.tree.to_string(), gold.to_string(), "{:?}", settings.family);
        assert_eq!(parsed.fallback, None);
        check(&parser.parse(Words::new(&words("May it"))), &words("May it"), text);
    }
}

#[test]
fn duplicates_teach_what_one_of_them_teaches() {
    for settings in families() {
        let single = TREEBANK.lines().next().expect("a line");
        let many = learned(&settings, &vec![single; 50].join("\n"));
        let gold = &trees(single)[0];
        let parsed = many.parse(Words::new(gold.words()));
        assert_eq!(parsed.tree.to_string(), gold.to_string(), "{:?}", settings.family);
    }
}

#[test]
fn trees_of_single_words_under_chains_are_learned() {
    let text = "(TOP (A (B (C a))))\n(TOP (D (D (E b))))\n(F (F (G c)))\n(H (I d))";
    for settings in families() {
        let parser = learned(&settings, text);
        for gold in trees(text) {
            let parsed = parser.parse(Words::new(gold.words()));
            assert_eq!(parsed.tree.to_string(), gold.to_string(), "{:?}", settings.family);
        }
        // No tree of this treebank has two words.
        let pair = words("a b");
        check(&parser.parse(Words::new(&pair)), &pair, text);
        let new = words("e");
        check(&parser.parse(Words::new(&new)), &new, text);
    }
}

#[test]
fn a_label_seen_once_comes_back_in_its_sentence() {
    let text = format!("{TREEBANK}\n(TOP (FRAG (WHNP (WP what)) (. ?)))");
    for settings in families() {
        let parser = learned(&settings, &text);
        let sentence = words("what ?");
        let tree = parser.parse(Words::new(&sentence)).tree.to_string();
        assert_eq!(tree, "(TOP (FRAG (WHNP (WP what)) (. ?)))", "{:?}", settings.family);
    }
}

#[test]
fn a_sentence_of_five_hundred_words_gets_a_tree_and_a_flag_where_it_was_cut_short() {
    for settings in families() {
        let parser = learned(&settings, TREEBANK);
        let sentence = words(&"the dog and the cat in May ".repeat(72)[..]);
        assert!(sentence.len() > 500);
        let parsed = parser.parse(Words::new(&sentence));
        check(&parsed, &sentence, TREEBANK);
        // A beam takes time and memory that grow with the words alone; a chart does not.
        let is_chart = settings.family == ParserFamily::TreebankPcfg;
        assert_eq!(parsed.fallback.is_some(), is_chart, "{:?}", settings.family);
    }
}

#[test]
fn what_no_rule_derives_gets_a_tree_and_what_a_grammar_cannot_do_is_told() {
    let all = words("in in the Xyzzy the");
    let tags: Vec<Arc<str>> = words("IN NOT-A-TAG DT DT NN");
    for settings in families() {
        let parser = learned(&settings, TREEBANK);
        let parsed = parser.parse(Words::new(&all));
        check(&parsed, &all, TREEBANK);
        let is_grammar = settings.family == ParserFamily::TreebankPcfg;
        assert_eq!(parsed.fallback.is_some(), is_grammar, "{parsed:?}");
        let tagged = parser.parse(Words { words: &all, tags: Some(&tags) });
        assert_eq!(tagged.tree.tags().cloned().collect::<Vec<_>>(), tags);
        assert_eq!(tagged.tree.words(), all);
        assert_eq!(parser.k_best(Words::new(&all), 0).len(), 0);
    }
}

#[test]
fn an_empty_treebank_and_an_empty_sentence_have_a_defined_end() {
    for settings in families() {
        let inducer = build(&settings).expect("there is such a parser");
        assert_eq!(inducer.induce(&[], &[]).err(), Some(ParserError::NoTrees));
        let parser = learned(&settings, TREEBANK);
        assert_eq!(parser.parse(Words::new(&[])).tree.len(), 1);
    }
}

#[test]
fn a_weight_of_nothing_is_as_if_the_tree_were_not_there() {
    for settings in families() {
        let all = trees(TREEBANK);
        let inducer = build(&settings).expect("there is such a parser");
        let weighted = inducer.induce(&all, &[2.5, 0.0, 2.5]).expect("trees");
        let without =
            inducer.induce(&[all[0].clone(), all[2].clone()], &[1.0, 1.0]).expect("trees");
        for tree in &all {
            let [a, b] = [&weighted, &without].map(|p| p.parse(Words::new(tree.words())));
            assert_eq!(a.tree.to_string(), b.tree.to_string(), "{:?}", settings.family);
        }
    }
}

#[test]
fn lists_are_in_order_without_doubles_and_scored_as_trees_are() {
    for settings in families() {
        let family = settings.family;
        let settings = config::Parser {
            family,
            vertical: 1,
            horizontal: config::Horizontal::Last(0),
            ..config::Parser::plain()
        };
        let parser = learned(&settings, TREEBANK);
        let sentence = words("the dog and the cat in May barks");
        let list = parser.k_best(Words::new(&sentence), 8);
        assert!(list.len() > 1, "{:?}", settings.family);
        let scores: Vec<f64> = list.iter().map(|candidate| candidate.score).collect();
        assert!(scores.is_sorted_by(|a, b| *a >= b - 1e-9), "{scores:?}");
        let best = parser.parse(Words::new(&sentence));
        assert_eq!(list[0].tree.to_string(), best.tree.to_string());
        for (i, candidate) in list.iter().enumerate() {
            let again = parser.tree_score(&candidate.tree);
            assert!((candidate.score - again).abs() < 1e-3, "{} {again}", candidate.score);
            let tree = candidate.tree.to_string();
            assert!(list[..i].iter().all(|other| other.tree.to_string() != tree));
        }
    }
}

/// Random trees below one root; phrases and tags share no label.
fn brackets() -> impl Strategy<Value = String> {
    let word =
        (0..3usize, 0..4).prop_map(|(tag, word)| format!("({} w{word})", ["T", "U", "V"][tag]));
    let inner = word.prop_recursive(4, 20, 4, |inner| {
        let children = prop::collection::vec(inner, 1..4);
        (0..3usize, children).prop_map(|(label, children)| {
            format!("({} {})", ["A", "B", "C"][label], children.join(" "))
        })
    });
    inner.prop_map(|inner| format!("(TOP {inner})"))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn the_probabilities_of_the_rules_of_every_symbol_sum_to_one(
        text in prop::collection::vec(brackets(), 1..6),
        weight in 0.1..10.0f64,
        vertical in 1..3usize,
        horizontal in 0..3usize,
        min_count in 1..4u32,
    ) {
        let trees = trees(&text.join("\n"));
        let horizontal = config::Horizontal::Last(horizontal);
        let settings =
            config::Parser { vertical, horizontal, min_count, ..config::Parser::default() };
        let weights: Vec<f64> = (0..trees.len()).map(|i| weight.powi(i as i32)).collect();
        let prepared = TreebankPcfg::new(&settings).read(&trees).expect("trees");
        let grammar = prepared.grammar(&weights).expect("weights");
        let mut sums: BTreeMap<String, f64> = BTreeMap::new();
        for (lhs, _, log_prob) in grammar.rules() {
            *sums.entry(lhs).or_default() += log_prob.exp();
        }
        prop_assert!(!sums.is_empty());
        for (lhs, sum) in sums {
            prop_assert!((sum - 1.0).abs() < 1e-9, "{lhs}: {sum}");
        }
    }

    #[test]
    fn any_treebank_teaches_parsers_that_give_any_sentence_a_tree(
        text in prop::collection::vec(brackets(), 1..4),
        sentence in prop::collection::vec(0..5, 1..7),
    ) {
        let sentence: Vec<Arc<str>> = sentence.iter().map(|n| format!("w{n}").into()).collect();
        for settings in families() {
            let parser = learned(&config::Parser { passes: 3, ..settings }, &text.join("\n"));
            let parsed = parser.parse(Words::new(&sentence));
            prop_assert_eq!(parsed.tree.words(), &sentence[..]);
        }
    }
}
