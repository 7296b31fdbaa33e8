//! Factor graph grammars against golden values, and the fast programs against them.

use crate::shared::{golden_files, shared};
use rankspace::fgg::{
    self, Factor, FggError, Grammar, Inside, Matrix, RankSpace, conjoin, trivial_cpd,
};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// Relative error that is allowed.
const NEAR: f64 = 1e-12;

fn cases(start: &str) -> Vec<(String, Value)> {
    let Some(folder) = shared("golden/fgg") else { return Vec::new() };
    let files = golden_files(&folder, start, ".json");
    assert!(!files.is_empty(), "no golden file {start}");
    let mut cases = Vec::new();
    for file in files {
        let text = std::fs::read_to_string(&file).expect("a golden file reads");
        let all: Value = serde_json::from_str(&text).expect("JSON");
        for (k, case) in all["cases"].as_array().expect("cases").iter().enumerate() {
            let name = case["name"].as_str().map_or_else(|| k.to_string(), str::to_owned);
            cases.push((format!("{} {name}", file.display()), case.clone()));
        }
    }
    cases
}

fn read(value: &Value) -> Grammar {
    let reading = fgg::read(&value.to_string()).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(reading.notes, [""; 0]);
    reading.grammar
}

fn number(value: &Value) -> f64 {
    match value.as_str() {
        Some("-Infinity") => f64::NEG_INFINITY,
        _ => value.as_f64().expect("a number"),
    }
}

fn near(name: &str, ours: f64, theirs: &Value) {
    let theirs = number(theirs);
    let error = (ours - theirs).abs() / theirs.abs().max(1e-300);
    assert!(ours == theirs || error <= NEAR, "{name}: {ours} against {theirs}");
}

fn matrix(value: &Value) -> Matrix {
    // A row alone is a matrix of one row.
    let rows = value.as_array().expect("rows");
    let rows: Vec<Vec<f64>> = match rows[0].is_array() {
        true => rows.iter().map(numbers).collect(),
        false => vec![numbers(value)],
    };
    Matrix::new(rows.len(), rows[0].len(), rows.concat())
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().expect("a list").iter().map(number).collect()
}

fn same(name: &str, ours: &Matrix, theirs: &Matrix) {
    assert_eq!((ours.rows(), ours.columns()), (theirs.rows(), theirs.columns()), "{name}");
    for (a, b) in ours.values().iter().zip(theirs.values()) {
        assert!((a - b).abs() <= NEAR * b.abs(), "{name}: {a} against {b}");
    }
}

fn is_b_fgg(name: &str, case: &Value, grammar: &Grammar) -> bool {
    let reasons = fgg::check(grammar);
    let ours: BTreeSet<(u64, String)> =
        reasons.iter().map(|(rule, reason)| (*rule as u64, reason.name().to_owned())).collect();
    let theirs = case["reason"].as_array().into_iter().flatten().map(|pair| {
        (pair[0].as_u64().expect("a rule"), pair[1].as_str().expect("a reason").to_owned())
    });
    assert_eq!(ours, theirs.collect(), "{name}");
    assert_eq!(reasons.is_empty(), case["is_b_fgg"], "{name}");
    reasons.is_empty()
}

/// Z in both spaces, derivations and costs.
fn check_values(name: &str, case: &Value, grammar: &Grammar) {
    let inside = Inside::new(grammar).unwrap_or_else(|e| panic!("{name}: {e}"));
    near(name, inside.z().to_f64(), &case["Z"]);
    near(name, inside.z().ln(), &case["log_Z"]);
    assert_eq!(inside.derivations(), number(&case["derivations"]), "{name}");
    if case["Z_rank_space"].is_null() {
        return;
    }
    let rewriting = fgg::rewrite(grammar).unwrap_or_else(|e| panic!("{name}: {e}"));
    let rank_space = RankSpace::new(grammar, &rewriting).expect("acyclic");
    near(name, rank_space.z().to_f64(), &case["Z_rank_space"]);
    let costs = fgg::costs(&rewriting, &rank_space);
    let ours = BTreeMap::from([
        ("state_full", costs.state_full),
        ("state_cpd", costs.state_cpd),
        ("rank", costs.rank),
        ("state_cpd_shared", costs.state_cpd_shared),
        ("rank_shared", costs.rank_shared),
        ("precompute", costs.precompute),
    ]);
    let theirs = case["cost"].as_object().expect("costs").iter();
    let theirs: BTreeMap<&str, u64> =
        theirs.map(|(k, v)| (k.as_str(), v.as_u64().expect("a count"))).collect();
    assert_eq!(ours, theirs, "{name}");
}

/// Everything that makes a grammar, whatever the order of its parts.
fn canonical(grammar: &Grammar) -> Vec<String> {
    let names = |domains: &[usize]| -> Vec<&str> {
        domains.iter().map(|&d| grammar.domains()[d].name.as_str()).collect()
    };
    let mut all = vec![format!("start {}", grammar.nonterminals()[grammar.start()].name)];
    let terminals = grammar.terminals().iter();
    all.extend(terminals.map(|t| format!("{} {:?} {:?}", t.name, names(&t.domains), t.factor)));
    let nonterminals = grammar.nonterminals().iter();
    all.extend(nonterminals.map(|n| format!("{} {:?}", n.name, names(&n.domains))));
    for rule in grammar.rules() {
        let edges = rule.edges.iter().map(|e| (grammar.name(e.label), &e.attachments));
        let edges: Vec<_> = edges.collect();
        let lhs = &grammar.nonterminals()[rule.lhs].name;
        all.push(format!("{lhs} {:?} {edges:?} {:?}", names(&rule.nodes), rule.externals));
    }
    all.sort();
    all
}

/// All pairs (slot, V, U) that a rewritten grammar uses, with the first rule that does.
fn used(grammar: &Grammar) -> Vec<(usize, usize, Matrix, Matrix)> {
    let rewriting = fgg::rewrite(grammar).expect("a B-FGG");
    let by = grammar.rules_by_nonterminal();
    let mut seen = BTreeSet::new();
    let mut all = Vec::new();
    let mut reached = BTreeSet::from([grammar.start()]);
    for _ in grammar.nonterminals() {
        let known = reached.clone();
        let rules = rewriting.rules.iter().filter(|rule| known.contains(&rule.lhs));
        reached.extend(rules.flat_map(|rule| rule.slots.iter().map(|slot| slot.child)));
    }
    for (number, rule) in rewriting.rules.iter().enumerate() {
        if !reached.contains(&rule.lhs) {
            continue;
        }
        for (k, slot) in rule.slots.iter().enumerate() {
            for u in rewriting.heads(&by[slot.child]).into_iter().flatten() {
                if seen.insert((slot.matrix, u)) {
                    let of = |m: usize| rewriting.matrices[m].clone();
                    all.push((number, k, of(slot.matrix), of(u)));
                }
            }
        }
    }
    all
}

fn check_matrices(name: &str, theirs: &Value, grammar: &Grammar) {
    let Some(theirs) = theirs.as_array() else { return };
    let ours = used(grammar);
    assert_eq!(ours.len(), theirs.len(), "{name}");
    for pair in theirs {
        let slot = pair["slot"].as_u64().expect("a slot") as usize;
        let (v, u) = (matrix(&pair["v"]), matrix(&pair["u"]));
        let close = |a: &Matrix, b: &Matrix| {
            (a.rows(), a.columns()) == (b.rows(), b.columns())
                && a.values().iter().zip(b.values()).all(|(a, b)| (a - b).abs() <= NEAR * b.abs())
        };
        let found = ours.iter().find(|(_, _, a, b)| close(a, &v) && close(b, &u));
        let (rule, k, a, b) = found.unwrap_or_else(|| panic!("{name}: no pair {v:?} {u:?}"));
        assert_eq!(*k, slot, "{name}");
        if let Some(first) = pair["rule"].as_u64() {
            assert_eq!(*rule as u64, first, "{name}");
        }
        same(name, &a.transposed_times(b), &matrix(&pair["product"]));
    }
}

#[test]
fn golden_fgg_trivial_cpd() {
    for (name, case) in cases("trivial_cpd") {
        let shape: Vec<usize> = numbers(&case["shape"]).into_iter().map(|d| d as usize).collect();
        fn flat(value: &Value, to: &mut Vec<f64>) {
            match value.as_array() {
                Some(list) => list.iter().for_each(|v| flat(v, to)),
                None => to.push(number(value)),
            }
        }
        let mut tensor = Vec::new();
        flat(&case["tensor"], &mut tensor);
        let ours = trivial_cpd(&shape, &tensor);
        let theirs: Vec<Matrix> =
            case["matrices"].as_array().expect("matrices").iter().map(matrix).collect();
        assert_eq!(ours, theirs, "{name}");
        assert_eq!(ours[0].columns() as u64, case["rank"], "{name}");
    }
}

#[test]
fn golden_fgg_random() {
    for (name, case) in cases("random") {
        let grammar = read(&case["fgg"]);
        assert_eq!(fgg::is_cyclic(&grammar), case["cyclic"], "{name}");
        let b = is_b_fgg(&name, &case, &grammar);
        if case["cyclic"] == true {
            assert!(matches!(Inside::new(&grammar), Err(FggError::Cyclic { .. })), "{name}");
            continue;
        }
        check_values(&name, &case, &grammar);
        if b {
            check_matrices(&name, &case["matrices"], &grammar);
        } else {
            assert!(matches!(fgg::rewrite(&grammar), Err(FggError::NotB(_))), "{name}");
        }
        let again = fgg::read(&fgg::to_json(&grammar)).expect("what is written reads");
        assert_eq!(again.grammar, grammar, "{name}");
    }
}

#[test]
fn golden_fgg_examples() {
    for (name, case) in cases("examples") {
        let grammar = read(&case["fgg"]);
        assert!(is_b_fgg(&name, &case, &grammar));
        assert_eq!(fgg::is_cyclic(&grammar), case["cyclic_without_sentence"], "{name}");
        check_rewritten(&name, &case["rewritten"], &grammar);
        for one in case["sentences"].as_array().expect("sentences") {
            let words: Vec<&str> = one["sentence"]
                .as_array()
                .expect("words")
                .iter()
                .map(|w| w.as_str().expect("a word"))
                .collect();
            let name = format!("{name} {words:?}");
            let conjoined = conjoin(&grammar, &words).expect("conjoins").grammar;
            assert_eq!(conjoined.rules().len() as u64, one["conjoined_rules"], "{name}");
            let nonterminals = conjoined.nonterminals().len() as u64;
            assert_eq!(nonterminals, one["conjoined_nonterminals"], "{name}");
            if !one["conjoined"].is_null() {
                let theirs = read(&one["conjoined"]);
                assert_eq!(canonical(&conjoined), canonical(&theirs), "{name}");
                check_values(&name, one, &theirs);
            }
            check_values(&name, one, &conjoined);
            check_matrices(&name, &one["matrices"], &conjoined);
            let again = fgg::read(&fgg::to_json(&conjoined)).expect("what is written reads");
            assert_eq!(canonical(&again.grammar), canonical(&conjoined), "{name}");
        }
    }
}

/// The one matrix of a new factor between two rules, its words put side by side.
fn product(derived: &fgg::Derived, rule: usize, slot: usize, child: usize) -> Matrix {
    let product = derived.product(rule, slot, child).expect("a new factor");
    let [first, others @ ..] = &product.values[..] else { panic!("{product:?} has values") };
    if others.is_empty() {
        return first.clone();
    }
    assert_eq!(first.columns(), 1, "a column a word");
    let words = product.values.len();
    let mut values = vec![0.0; first.rows() * words];
    for (w, column) in product.values.iter().enumerate() {
        for (q, x) in column.values().iter().enumerate() {
            values[q * words + w] = *x;
        }
    }
    Matrix::new(first.rows(), words, values)
}

/// The first rule of a nonterminal with these children.
fn rule(grammar: &Grammar, lhs: &str, children: &[&str]) -> usize {
    let fits = |rule: &fgg::Rule| {
        let own = rule.nonterminals().map(|(n, _)| grammar.nonterminals()[n].name.as_str());
        grammar.nonterminals()[rule.lhs].name == lhs && own.eq(children.iter().copied())
    };
    grammar.rules().iter().position(fits).unwrap_or_else(|| panic!("{lhs} -> {children:?}"))
}

/// The factors that the paper gives by hand: they fall out of the rewriting of the file.
fn check_rewritten(name: &str, theirs: &Value, grammar: &Grammar) {
    let expected = |key: &str| matrix(&theirs[key]);
    let derived = fgg::derive(grammar).expect("a B-FGG");
    if theirs["H"].is_array() {
        let (start, leaf) = (rule(grammar, "S", &["X"]), rule(grammar, "P", &[]));
        let (nn, pp) = (rule(grammar, "X", &["X", "X"]), rule(grammar, "X", &["P", "P"]));
        for (key, rule, slot, child) in [
            ("H", nn, 0, nn),
            ("I", nn, 1, pp),
            ("J", pp, 0, leaf),
            ("K", pp, 1, leaf),
            ("L", start, 0, nn),
        ] {
            same(&format!("{name} {key}"), &product(&derived, rule, slot, child), &expected(key));
        }
        return;
    }
    let (start, more) = (rule(grammar, "S", &["X"]), rule(grammar, "X", &["X"]));
    same(&format!("{name} pi"), &product(&derived, start, 0, more), &expected("pi"));
    if theirs["W"].is_array() {
        let words = derived.rules[more].weights.as_ref().expect("c is the row of a word");
        let rows: Vec<f64> = words.values.iter().flat_map(Matrix::values).copied().collect();
        let w = Matrix::new(words.values.len(), words.rows, rows);
        same(&format!("{name} W"), &w, &expected("W"));
        same(&format!("{name} A"), &product(&derived, more, 0, more), &expected("A"));
        return;
    }
    // What lies on the states of a segment is left out: then its matrix is A.
    let only_next = grammar.with_factors(|_, terminal| match &terminal.factor {
        Factor::Full(weights) if terminal.name != "first" => Factor::Full(vec![1.0; weights.len()]),
        other => other.clone(),
    });
    let derived = fgg::derive(&only_next.expect("the same shapes")).expect("a B-FGG");
    same(&format!("{name} A"), &product(&derived, more, 0, more), &expected("A"));
}

/// Numbers of a terminal's factor: its weights, or its matrices.
fn factor(grammar: &Grammar, name: &str) -> Vec<Matrix> {
    let terminal = &grammar.terminals()[grammar.terminal(name).expect("a terminal")];
    match &terminal.factor {
        Factor::Cpd(cpd) => cpd.matrices.clone(),
        Factor::Full(weights) => {
            let sizes = grammar.sizes(&terminal.domains);
            vec![Matrix::new(sizes[0], weights.len() / sizes[0], weights.clone())]
        }
        Factor::Is(_) => panic!("{name} is a word"),
    }
}

fn is_word_of(grammar: &Grammar, word: &str) -> usize {
    let words = grammar.domains().iter().find(|d| d.name == "word").expect("words");
    words.values.iter().position(|w| w == word).expect("a known word")
}

#[test]
fn golden_fgg_examples_equal_the_fast_programs() {
    use rankspace::inference::{rank_hmm, rank_pcfg};
    use rankspace::treebank::Batch;
    let mut compared = 0;
    for (name, case) in cases("examples") {
        let grammar = read(&case["fgg"]);
        let derived = fgg::derive(&grammar).expect("a B-FGG");
        for one in case["sentences"].as_array().expect("sentences") {
            let words = one["sentence"].as_array().expect("words").iter();
            let ids: Vec<usize> =
                words.map(|w| is_word_of(&grammar, w.as_str().expect("a word"))).collect();
            let batch =
                Batch::new(vec![ids.iter().map(|&w| w as u32).collect::<Vec<_>>()]).expect("words");
            let log_z = if case["rewritten"]["H"].is_array() {
                if ids.len() < 2 {
                    continue;
                }
                let (nn, pp) = (rule(&grammar, "X", &["X", "X"]), rule(&grammar, "X", &["P", "P"]));
                let leaf = rule(&grammar, "P", &[]);
                let start = rule(&grammar, "S", &["X"]);
                let [h, i] = [0, 1].map(|slot| product(&derived, nn, slot, nn));
                let [j, k] = [0, 1].map(|slot| product(&derived, pp, slot, leaf));
                let root = product(&derived, start, 0, nn);
                let r = h.rows();
                // [H^T | I^T] and a row [J[:,w] | K[:,w]] for every word.
                let children: Vec<f64> = (0..r)
                    .flat_map(|q| {
                        [&h, &i].into_iter().flat_map(move |m| (0..r).map(move |p| m.row(p)[q]))
                    })
                    .collect();
                let leaves: Vec<f64> = (0..j.columns())
                    .flat_map(|w| {
                        [&j, &k].into_iter().flat_map(move |m| (0..r).map(move |p| m.row(p)[w]))
                    })
                    .collect();
                let mut chart = rank_pcfg::Chart::default();
                let rules = rank_pcfg::Rules {
                    rank: r,
                    children: rank_pcfg::Children::Rank(&children),
                    root: root.values(),
                    leaves: &leaves,
                    leaf_scales: &vec![0.0; j.columns()],
                    floor: 0.0,
                };
                chart.inside(&rules, &batch, &ids).expect("in range");
                chart.log_z()[0]
            } else if case["rewritten"]["W"].is_array() {
                let [u, v, w] = &factor(&grammar, "step")[..] else { panic!("three matrices") };
                let start = rule(&grammar, "S", &["X"]);
                let more = rule(&grammar, "X", &["X"]);
                let pi = product(&derived, start, 0, more);
                let mut lattice = rank_hmm::Lattice::default();
                let rules = rank_hmm::Rules {
                    rank: u.columns(),
                    start: pi.values(),
                    chain: rank_hmm::Chain::State { u: u.values(), v: v.values() },
                    words: w.values(),
                    word_scales: &vec![0.0; w.rows()],
                    floor: 0.0,
                };
                lattice.forward(&rules, &batch, &ids).expect("in range");
                lattice.log_p()[0]
            } else {
                continue;
            };
            near(&name, log_z, &one["log_Z"]);
            compared += 1;
        }
    }
    assert!(compared > 10 || shared("golden/fgg").is_none());
}
