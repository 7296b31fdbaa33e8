//! Random grammars against the enumeration of all derivations and assignments.

use super::*;
use proptest::prelude::*;
use rand::Rng;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

fn read_example(name: &str) -> Grammar {
    let reading = read(example(name).expect("an example").text).expect("it reads");
    assert_eq!(reading.notes, [""; 0]);
    reading.grammar
}

/// A derivation: a rule, and derivations of its nonterminal edges.
#[derive(Clone)]
struct Tree {
    rule: usize,
    children: Vec<Tree>,
}

fn trees(grammar: &Grammar, nonterminal: usize) -> Vec<Tree> {
    let mut all = Vec::new();
    for &rule in &grammar.rules_by_nonterminal()[nonterminal] {
        let mut ways: Vec<Vec<Tree>> = vec![Vec::new()];
        for (child, _) in grammar.rules()[rule].nonterminals() {
            let below = trees(grammar, child);
            ways = ways
                .into_iter()
                .flat_map(|way| {
                    below.iter().map(move |tree| way.iter().chain([tree]).cloned().collect())
                })
                .collect();
        }
        all.extend(ways.into_iter().map(|children| Tree { rule, children }));
    }
    all
}

/// Nodes of the whole factor graph, and its edges with the nodes that they touch.
#[derive(Default)]
struct Flat {
    sizes: Vec<usize>,
    edges: Vec<(usize, Vec<usize>)>,
    /// Nodes that have to be equal: an external node that stands twice.
    equal: Vec<(usize, usize)>,
}

impl Flat {
    fn add(&mut self, grammar: &Grammar, tree: &Tree, outer: &[usize]) {
        let rule = &grammar.rules()[tree.rule];
        let mut nodes = Vec::new();
        for (node, &domain) in rule.nodes.iter().enumerate() {
            let mut ends = rule.externals.iter().zip(outer).filter(|(e, _)| **e == node);
            match ends.next() {
                Some((_, &known)) => {
                    self.equal.extend(ends.map(|(_, &other)| (known, other)));
                    nodes.push(known);
                }
                None => {
                    self.sizes.push(grammar.size(domain));
                    nodes.push(self.sizes.len() - 1);
                }
            }
        }
        let mut children = tree.children.iter();
        for edge in &rule.edges {
            let touched: Vec<usize> = edge.attachments.iter().map(|&n| nodes[n]).collect();
            match edge.label {
                Label::Terminal(t) => self.edges.push((t, touched)),
                Label::Nonterminal(_) => {
                    self.add(grammar, children.next().expect("a derivation an edge"), &touched);
                }
            }
        }
    }

    fn sum(&self, grammar: &Grammar) -> f64 {
        let mut index = vec![0; self.sizes.len()];
        let mut sum = 0.0;
        loop {
            let equal = self.equal.iter().all(|&(a, b)| index[a] == index[b]);
            let weights = self.edges.iter().map(|(terminal, nodes)| {
                let values: Vec<usize> = nodes.iter().map(|&n| index[n]).collect();
                weight(grammar, *terminal, &values)
            });
            sum += if equal { weights.product() } else { 0.0 };
            let Some(k) = (0..index.len()).rev().find(|&k| index[k] + 1 < self.sizes[k]) else {
                return sum;
            };
            index[k] += 1;
            index[k + 1..].fill(0);
        }
    }
}

fn weight(grammar: &Grammar, terminal: usize, values: &[usize]) -> f64 {
    let own = &grammar.terminals()[terminal];
    match &own.factor {
        Factor::Is(value) => f64::from(values[0] == *value),
        Factor::Cpd(cpd) => {
            let one = |q: usize| -> f64 {
                cpd.matrices.iter().zip(values).map(|(m, &x)| m.row(x)[q]).product()
            };
            (0..cpd.rank()).map(one).sum()
        }
        Factor::Full(weights) => {
            let sizes = grammar.sizes(&own.domains);
            weights[values.iter().zip(&sizes).fold(0, |i, (&x, &size)| i * size + x)]
        }
    }
}

fn flat(grammar: &Grammar, tree: &Tree) -> Flat {
    let mut flat = Flat::default();
    flat.add(grammar, tree, &[]);
    flat
}

/// Number of derivations, and the sum over all of them.
fn by_enumeration(grammar: &Grammar) -> (usize, f64) {
    let trees = trees(grammar, grammar.start());
    (trees.len(), trees.iter().map(|tree| flat(grammar, tree).sum(grammar)).sum())
}

/// Assignments that an enumeration goes through.
fn assignments(grammar: &Grammar) -> f64 {
    let count = |tree: &Tree| -> f64 {
        flat(grammar, tree).sizes.iter().map(|&size| size as f64).product()
    };
    trees(grammar, grammar.start()).iter().map(count).sum()
}

/// An acyclic grammar of few small rules; a B-FGG where asked for.
fn random(seed: u64, b: bool) -> Grammar {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let domain = |d: usize, size: usize| Domain {
        name: format!("d{d}"),
        values: (0..size).map(|v| v.to_string()).collect(),
    };
    let domains: Vec<Domain> = (0..3).map(|d| domain(d, rng.random_range(1..=3))).collect();
    let count = rng.random_range(1..=3);
    let mut nonterminals = vec![Nonterminal { name: "S".into(), domains: Vec::new() }];
    for n in 0..count {
        let arity = if b { 1 } else { rng.random_range(0..=2) };
        let domains = (0..arity).map(|_| rng.random_range(0..3)).collect();
        nonterminals.push(Nonterminal { name: format!("N{n}"), domains });
    }
    let (mut terminals, mut rules) = (Vec::new(), Vec::new());
    for lhs in 0..nonterminals.len() {
        for _ in 0..rng.random_range(1..=2) {
            let mut nodes: Vec<usize> = nonterminals[lhs].domains.clone();
            let externals: Vec<usize> = (0..nodes.len()).collect();
            let mut edges = Vec::new();
            let later: Vec<usize> = (lhs + 1..nonterminals.len()).collect();
            for _ in 0..rng.random_range(0..=2) {
                let Some(&child) = later.get(rng.random_range(0..=later.len())) else { continue };
                let attachments = nonterminals[child].domains.iter().map(|&domain| {
                    let old: Vec<usize> =
                        (0..nodes.len()).filter(|&n| nodes[n] == domain).collect();
                    if !b && !old.is_empty() && rng.random_bool(0.5) {
                        return old[rng.random_range(0..old.len())];
                    }
                    nodes.push(domain);
                    nodes.len() - 1
                });
                let attachments = attachments.collect();
                edges.push(Edge { label: Label::Nonterminal(child), attachments });
            }
            for _ in 0..rng.random_range(0..=1) {
                nodes.push(rng.random_range(0..3));
            }
            // Sometimes all nodes under one CPD, which the rewriting keeps.
            let all: Vec<usize> = (0..nodes.len()).collect();
            let mut touched: Vec<Vec<usize>> = match rng.random_range(0..3) {
                0 if !all.is_empty() => vec![all],
                _ => Vec::new(),
            };
            let cpd = !touched.is_empty();
            for _ in 0..rng.random_range(0..=2) {
                let arity = if cpd { 1 } else { rng.random_range(0..=2) };
                if nodes.is_empty() {
                    touched.push(Vec::new());
                } else {
                    let node = |_| rng.random_range(0..nodes.len());
                    touched.push((0..arity).map(node).collect());
                }
            }
            for (k, attachments) in touched.into_iter().enumerate() {
                let types: Vec<usize> = attachments.iter().map(|&n| nodes[n]).collect();
                let sizes: Vec<usize> = types.iter().map(|&d| domains[d].values.len()).collect();
                let mut numbers = |n: usize| -> Vec<f64> {
                    (0..n).map(|_| rng.random_range(0..1000) as f64 / 500.0).collect()
                };
                let factor = if (k == 0 && cpd) || (!sizes.is_empty() && numbers(1)[0] < 0.4) {
                    let rank = 1 + numbers(1)[0] as usize;
                    let matrix = |&size: &usize| Matrix::new(size, rank, numbers(size * rank));
                    Factor::Cpd(Cpd { matrices: sizes.iter().map(matrix).collect() })
                } else {
                    Factor::Full(numbers(sizes.iter().product()))
                };
                let name = format!("f{}", terminals.len());
                terminals.push(Terminal { name, domains: types, factor });
                let label = Label::Terminal(terminals.len() - 1);
                edges.push(Edge { label, attachments });
            }
            rules.push(Rule { lhs, nodes, edges, externals, yields: None });
        }
    }
    Grammar::new(domains, terminals, nonterminals, 0, rules).expect("a grammar")
}

fn near(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-10 * a.abs().max(b.abs()).max(1e-10)
}

fn rank_space(grammar: &Grammar) -> f64 {
    let rewriting = rewrite(grammar).expect("a B-FGG");
    RankSpace::new(grammar, &rewriting).expect("acyclic").z().to_f64()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn state_space_and_rank_space_give_the_same_sum_for_every_b_fgg(seed: u64) {
        let grammar = random(seed, true);
        prop_assert!(check(&grammar).is_empty());
        let z = Inside::new(&grammar).expect("acyclic").z().to_f64();
        let other = rank_space(&grammar);
        prop_assert!(near(z, other), "{z} {other}");
    }

    #[test]
    fn sum_product_equals_the_enumeration_of_all_derivations(seed: u64, b: bool) {
        let grammar = random(seed, b);
        prop_assume!(assignments(&grammar) <= 1e5);
        let inside = Inside::new(&grammar).expect("acyclic");
        let (count, z) = by_enumeration(&grammar);
        prop_assert_eq!(inside.derivations(), count as f64);
        prop_assert!(near(inside.z().to_f64(), z), "{} {z}", inside.z().to_f64());
    }

    #[test]
    fn gradients_equal_finite_differences(seed: u64, b: bool) {
        let grammar = random(seed, b);
        let gradients = gradients(&grammar).expect("acyclic");
        if gradients.z().is_zero() {
            return Ok(());
        }
        let z = |grammar: &Grammar| Inside::new(grammar).expect("acyclic").z().to_f64();
        for (terminal, own) in grammar.terminals().iter().enumerate() {
            let tables = match &own.factor { Factor::Cpd(cpd) => cpd.matrices.len(), _ => 1 };
            for table in 0..tables {
                let slopes = gradients.of_log_z(terminal, table);
                for (entry, slope) in slopes.iter().enumerate() {
                    // Z is a polynomial of low degree in each entry.
                    let moved = |by: f64| z(&moved(&grammar, terminal, table, entry, by));
                    let difference = (moved(1e-4) - moved(-1e-4)) / 2e-4 / gradients.z().to_f64();
                    let error = (difference - slope).abs();
                    prop_assert!(error <= 1e-5 * slope.abs().max(1.0), "{difference} {slope}");
                }
            }
        }
    }

    #[test]
    fn what_is_written_reads_to_the_same_grammar(seed: u64, b: bool) {
        let grammar = random(seed, b);
        let read = read(&to_json(&grammar)).expect("it reads");
        // Members of an object come back in the order of their names.
        let z = |g: &Grammar| Inside::new(g).expect("acyclic").z();
        prop_assert!(near(z(&read.grammar).to_f64(), z(&grammar).to_f64()));
        prop_assert_eq!(read.grammar.rules().len(), grammar.rules().len());
        prop_assert_eq!(to_json(&read.grammar), to_json(&grammar));
    }
}

/// The grammar with one entry of one factor moved.
fn moved(grammar: &Grammar, terminal: usize, table: usize, entry: usize, by: f64) -> Grammar {
    let factor = |number: usize, own: &Terminal| match (&own.factor, number == terminal) {
        (Factor::Full(weights), true) => {
            let mut weights = weights.clone();
            weights[entry] += by;
            Factor::Full(weights)
        }
        (Factor::Cpd(cpd), true) => {
            let mut matrices = cpd.matrices.clone();
            let own = &matrices[table];
            let mut values = own.values().to_vec();
            values[entry] += by;
            matrices[table] = Matrix::new(own.rows(), own.columns(), values);
            Factor::Cpd(Cpd { matrices })
        }
        (other, _) => other.clone(),
    };
    grammar.with_factors(factor).expect("the same shapes")
}

#[test]
fn conjoined_examples_equal_the_enumeration_of_all_derivations() {
    for name in ["hmm", "hsmm", "pcfg"] {
        let grammar = read_example(name);
        for sentence in ["dog", "the dog", "a cat sleeps", "old old old"] {
            let words: Vec<&str> = sentence.split(' ').collect();
            let conjoined = conjoin(&grammar, &words).expect("conjoins").grammar;
            let inside = Inside::new(&conjoined).expect("acyclic");
            // The words are the only values that count: the others need not be gone through.
            if name == "hmm" || words.len() < 3 {
                let (count, z) = by_enumeration(&conjoined);
                assert_eq!(inside.derivations(), count as f64, "{name} {sentence}");
                assert!(near(inside.z().to_f64(), z), "{name} {sentence}");
            }
            assert!(near(inside.z().to_f64(), rank_space(&conjoined)), "{name} {sentence}");
        }
    }
}

#[test]
fn long_sentences_neither_underflow_nor_overflow_the_stack() {
    for (name, length) in [("hmm", 700), ("hsmm", 300), ("pcfg", 10)] {
        let grammar = read_example(name);
        let words = vec!["cat"; length];
        let conjoined = conjoin(&grammar, &words).expect("conjoins").grammar;
        let z = Inside::new(&conjoined).expect("acyclic").z();
        let rewriting = rewrite(&conjoined).expect("a B-FGG");
        let other = RankSpace::new(&conjoined, &rewriting).expect("acyclic").z();
        assert!(z.ln().is_finite() && near(z.ln(), other.ln()), "{name}");
        let gradients = gradients(&conjoined).expect("acyclic");
        // Every word is emitted once: by the rank node's matrix, or by a state.
        let (terminal, table) = match name {
            "hmm" => (grammar.terminal("step").expect("there"), 2),
            _ => (grammar.terminal("emit").expect("there"), 0),
        };
        let entries = match &grammar.terminals()[terminal].factor {
            Factor::Cpd(cpd) => cpd.matrices[table].values().to_vec(),
            Factor::Full(weights) => weights.clone(),
            Factor::Is(_) => Vec::new(),
        };
        let counts: f64 = gradients.expected_counts(terminal, table, &entries).iter().sum();
        assert!((counts - length as f64).abs() < 1e-8 * length as f64, "{name} {counts}");
    }
}

#[test]
fn nonterminals_may_take_no_word_and_words_may_be_missing_from_a_domain() {
    let text = r#"{"grammar": {"terminals": {}, "nonterminals": {"S": {"type": []}, "A": {"type": []}},
        "start": "S", "rules": [
        {"lhs": "S", "rhs": {"nodes": [{"label": "w"}], "edges": [{"label": "A", "attachments": []},
         {"label": "A", "attachments": []}], "externals": []}, "yield": [{"edge": 0}, {"node": 0}, {"edge": 1}]},
        {"lhs": "A", "rhs": {"nodes": [], "edges": [], "externals": []}},
        {"lhs": "A", "rhs": {"nodes": [{"label": "v"}], "edges": [], "externals": []}, "yield": [{"node": 0}]}]},
        "interpretation": {"domains": {"w": {"class": "finite", "values": ["a", "b"]},
        "v": {"class": "finite", "values": ["b"]}}, "factors": {}}}"#;
    let grammar = read(text).expect("it reads").grammar;
    let count = |sentence: &[&str]| {
        let conjoined = conjoin(&grammar, sentence).expect("conjoins").grammar;
        let inside = Inside::new(&conjoined).expect("acyclic");
        assert_eq!(inside.derivations(), inside.z().to_f64(), "no weight is but 1");
        inside.derivations()
    };
    assert_eq!(count(&["a"]), 1.0);
    assert_eq!(count(&["b", "b"]), 2.0);
    assert_eq!(count(&["b", "a", "b"]), 1.0);
    assert_eq!(count(&["a", "a"]), 0.0);
    assert_eq!(count(&[]), 0.0);
    let unknown = conjoin(&grammar, &["a", "c"]).expect_err("c is no word");
    assert!(unknown.to_string().starts_with("word 2, `c`"), "{unknown}");
}

#[test]
fn an_hsmm_is_trained_end_to_end_and_its_likelihood_never_falls() {
    // Data of a known model: noun phrases of two words, a verb, noun phrases again.
    let sentence = |k: usize| {
        let nouns = ["dog", "cat"];
        let verbs = ["saw", "heard"];
        let (a, b, v) = (nouns[k % 2], nouns[k / 2 % 2], verbs[k / 4 % 2]);
        let text = match k % 3 {
            0 => format!("the {a} sleeps"),
            1 => format!("the old {a} {v} a {b}"),
            _ => format!("a {a} {v} the {b}"),
        };
        text.split(' ').map(str::to_owned).collect::<Vec<_>>()
    };
    let data: Vec<Vec<String>> = (0..12).map(sentence).collect();
    let mut trainer = Trainer::new(read_example("hsmm"), &data).expect("it can be trained");
    let told = trainer.sums().describe(trainer.grammar());
    assert!(
        told.iter().any(|l| l == "length1 + length2 + length3 sums to 1 for every state"),
        "{told:?}"
    );
    trainer.randomise(3);
    let mut values = Vec::new();
    for _ in 0..40 {
        let progress = trainer.step().expect("a step");
        assert_eq!(progress.impossible, 0);
        values.push(progress.log_likelihood);
    }
    for pair in values.windows(2) {
        assert!(pair[1] >= pair[0] - 1e-9, "{values:?}");
    }
    // Uniform words would give 8^-1 each, lengths and states aside.
    let words: usize = data.iter().map(Vec::len).sum();
    let per_word = values[values.len() - 1] / words as f64;
    assert!(per_word > -1.5 && values[0] / (words as f64) < -1.9, "{per_word} {values:?}");
    assert!(is_trained_to_sums_of_one(trainer.grammar()));
}

fn is_trained_to_sums_of_one(grammar: &Grammar) -> bool {
    let Factor::Full(emit) = &grammar.terminals()[grammar.terminal("emit").expect("there")].factor
    else {
        return false;
    };
    emit.chunks_exact(8).all(|row| (row.iter().sum::<f64>() - 1.0).abs() < 1e-9)
}

#[test]
fn rules_of_a_pcfg_that_share_matrices_are_trained_as_one() {
    let data = [["the", "dog", "sleeps"], ["a", "cat", "saw"]];
    let data: Vec<Vec<String>> = data.iter().map(|s| s.map(str::to_owned).to_vec()).collect();
    let mut trainer = Trainer::new(read_example("pcfg"), &data).expect("it can be trained");
    let told = trainer.sums().describe(trainer.grammar());
    assert!(told.iter().all(|line| !line.contains("stays as it is")), "{told:?}");
    let first = trainer.step().expect("a step").log_likelihood;
    let second = trainer.step().expect("a step").log_likelihood;
    assert!(second > first);
    let matrix = |name: &str, k: usize| {
        let grammar = trainer.grammar();
        match &grammar.terminals()[grammar.terminal(name).expect("there")].factor {
            Factor::Cpd(cpd) => cpd.matrices[k].clone(),
            _ => panic!("{name} is a CPD"),
        }
    };
    assert_eq!(matrix("both", 0), matrix("pair", 0));
    assert_eq!(matrix("both", 1), matrix("left", 1));
}
