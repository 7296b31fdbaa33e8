//! Files that are no grammars: each is refused with its place, and nothing panics.

use super::conjoin::conjoin_within;
use super::*;
use proptest::prelude::*;
use rand::Rng;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use serde_json::{Value, json};

fn refused(text: &str) -> String {
    read(text).map(|_| ()).expect_err("no grammar").to_string()
}

/// The HMM with one place of its file replaced.
fn changed(pointer: &str, value: Value) -> String {
    let mut file: Value = serde_json::from_str(example("hmm").expect("there").text).expect("JSON");
    *file.pointer_mut(pointer).expect("a place of the file") = value;
    file.to_string()
}

#[test]
fn faults_are_told_with_their_place_and_what_was_expected() {
    let rule = "/grammar/rules/1";
    for (pointer, value, said) in [
        ("/schema", json!(2), "schema: expected schema 1; a newer rankspace wrote this, found 2"),
        ("/grammar", json!([]), "grammar: expected an object, found a list of 0"),
        ("/grammar/start", json!("T"), "grammar.start: there is no terminal or nonterminal `T`"),
        ("/grammar/start", json!("X"), "grammar.start: `X` touches nodes"),
        ("/grammar/start", json!("step"), "grammar.start: expected a nonterminal"),
        (
            "/grammar/terminals/start/type/0",
            json!("x"),
            "terminals.start.type[0]: there is no domain `x`",
        ),
        (
            "/grammar/rules/1/lhs",
            json!(3),
            "grammar.rules[1].lhs: expected a name in quotes, found 3",
        ),
        (
            &format!("{rule}/rhs/nodes/2/label"),
            json!("state"),
            "rules[1].rhs.edges[0].attachments[2]: node 2 is `state`",
        ),
        (
            &format!("{rule}/rhs/edges/0/attachments/1"),
            json!(9),
            "attachments[1]: there is no node 9; the rule has 3",
        ),
        (
            &format!("{rule}/rhs/edges/0/attachments/1"),
            json!(-1),
            "expected a whole number from 0, found -1",
        ),
        (
            &format!("{rule}/rhs/externals"),
            json!([]),
            "rules[1].rhs.externals: 0 nodes; `X` touches 1",
        ),
        (
            &format!("{rule}/yield"),
            json!([{"node": 2}]),
            "edge 1 is a nonterminal and has no place",
        ),
        (&format!("{rule}/yield/0"), json!({"edge": 0}), "yield[0]: edge 0 is no nonterminal"),
        (&format!("{rule}/yield/0"), json!({"node": 7}), "yield[0]: there is no node 7"),
        (&format!("{rule}/yield/1"), json!({"word": 1}), "yield[1]: expected {\"node\": number}"),
        (
            "/interpretation/domains/state/class",
            json!("range"),
            "class: expected \"finite\", found \"range\"",
        ),
        (
            "/interpretation/domains/state/values",
            json!([]),
            "domains.state: a domain has at least one value",
        ),
        (
            "/interpretation/domains/state/values/1",
            json!("noun"),
            "the value `noun` is there twice",
        ),
        (
            "/interpretation/factors/start/weights",
            json!([0.5]),
            "factors.start.weights: expected a list of 4, found a list of 1",
        ),
        (
            "/interpretation/factors/start/weights/2",
            json!("NaN"),
            "weights[2]: expected a finite number, found \"NaN\"",
        ),
        (
            "/interpretation/factors/step/matrices/1/0",
            json!([1.0]),
            "matrices[1][0]: expected a list of 3, found a list of 1",
        ),
        (
            "/interpretation/factors/step/matrices",
            json!([[[1.0]]]),
            "expected a list of 3, a matrix an attachment",
        ),
        ("/interpretation/factors/step/function", json!("tt"), "expected \"finite\" or \"cpd\""),
        ("/interpretation/factors/start", json!({}), "factors.start: `function` is missing"),
    ] {
        let message = refused(&changed(pointer, value));
        assert!(message.contains(said), "{pointer}: {message}");
    }
    assert!(refused("{").starts_with("this is no JSON: "));
    assert!(refused(&"[".repeat(100_000)).contains("recursion limit"), "deep nesting");
    assert!(refused("{\"grammar\": {}}").contains("the file: `interpretation` is missing"));
    assert!(
        refused(
            &changed("/interpretation/factors/start/weights/2", json!(0.5)).replace("0.5", "1e999")
        )
        .contains("out of range")
    );
}

#[test]
fn keys_that_say_nothing_are_told() {
    let text = changed("/grammar/rules/1", {
        let file: Value = serde_json::from_str(example("hmm").expect("there").text).expect("JSON");
        let mut rule = file.pointer("/grammar/rules/1").expect("a rule").clone();
        rule["yeild"] = rule["yield"].take();
        rule.as_object_mut().expect("an object").remove("yield");
        rule
    });
    let reading = read(&text).expect("it reads");
    let note =
        "grammar.rules[1].yeild: this key is not known and says nothing, did you mean `yield`?";
    assert_eq!(reading.notes, [note]);
    let error = conjoin(&reading.grammar, &["cat"]).expect_err("no order").to_string();
    assert!(error.starts_with("grammar.rules[1]: has nonterminals and no `yield`"), "{error}");
}

#[test]
fn tables_and_sentences_that_no_memory_holds_are_refused() {
    let many: Vec<String> = (0..300).map(|i| i.to_string()).collect();
    let text = json!({
        "grammar": {
            "terminals": {"f": {"type": ["d", "d", "d", "d"]}},
            "nonterminals": {"S": {"type": []}},
            "start": "S",
            "rules": [],
        },
        "interpretation": {
            "domains": {"d": {"class": "finite", "values": many}},
            "factors": {"f": {"function": "finite", "weights": []}},
        },
    });
    assert!(refused(&text.to_string()).contains("a table [300, 300, 300, 300]"));
    let grammar = read(example("hmm").expect("there").text).expect("it reads").grammar;
    let words = vec!["cat"; 20_000];
    let error = conjoin(&grammar, &words).expect_err("too long").to_string();
    assert!(error.contains("the spans of 20000 words"), "{error}");
    let grammar = read(example("pcfg").expect("there").text).expect("it reads").grammar;
    let error = conjoin_within(&grammar, &["cat"; 20], 1000).expect_err("too many").to_string();
    assert!(error.contains("20 words give more than 1000 rules"), "{error}");
}

/// All that can be done with a grammar.
fn use_up(text: &str) {
    let Ok(Reading { grammar, .. }) = read(text) else { return };
    let _ = (check(&grammar), cycle(&grammar), derive(&grammar));
    let words = grammar.domains().iter().flat_map(|d| d.values.iter().map(String::as_str));
    let words: Vec<&str> = words.take(3).collect();
    let conjoined = conjoin(&grammar, &words).map(|c| c.grammar);
    for grammar in [Ok(grammar), conjoined].into_iter().flatten() {
        let inside = Inside::new(&grammar);
        if let Ok(rewriting) = rewrite(&grammar)
            && let Ok(messages) = RankSpace::new(&grammar, &rewriting)
        {
            let _ = costs(&rewriting, &messages);
            let (z, other) = (inside.expect("the same is acyclic").z().ln(), messages.z().ln());
            assert!(
                z == other || z.is_nan() || (z - other).abs() < 1e-6 * z.abs().max(1.0),
                "{z} {other}"
            );
        }
        let _ = gradients(&grammar);
        assert!(read(&to_json(&grammar)).is_ok());
    }
    if let Ok(mut trainer) = Trainer::new(read(text).expect("it reads").grammar, &[Vec::new()]) {
        let _ = trainer.step();
    }
}

/// Places of a JSON value.
fn places(value: &Value, here: String, to: &mut Vec<String>) {
    match value {
        Value::Array(list) => {
            list.iter().enumerate().for_each(|(i, value)| places(value, format!("{here}/{i}"), to))
        }
        Value::Object(map) => {
            map.iter().for_each(|(key, value)| places(value, format!("{here}/{key}"), to));
        }
        _ => {}
    }
    to.push(here);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn no_damaged_file_makes_anything_panic(seed: u64) {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let all = examples();
        let text = all[rng.random_range(0..all.len())].text;
        let mut file: Value = serde_json::from_str(text).expect("JSON");
        for _ in 0..rng.random_range(1..=3) {
            let mut known = Vec::new();
            places(&file, String::new(), &mut known);
            let pick = |rng: &mut ChaCha8Rng| known[rng.random_range(0..known.len())].clone();
            let (to, from) = (pick(&mut rng), pick(&mut rng));
            let other = file.pointer(&from).cloned().unwrap_or_default();
            let new = match rng.random_range(0..10) {
                0 => Value::Null,
                1 => json!(-1),
                2 => json!(1e308),
                3 => json!(u64::MAX),
                4 => json!(""),
                5 => json!([]),
                6 => json!({}),
                7 => json!(0),
                8 => json!([other]),
                _ => other,
            };
            if let Some(place) = file.pointer_mut(&to) {
                *place = new;
            }
        }
        use_up(&file.to_string());
    }

    #[test]
    fn no_damaged_text_makes_the_reader_panic(cut in 0..2000usize, byte: u8) {
        let mut bytes = example("hmm").expect("there").text.as_bytes().to_vec();
        let cut = cut.min(bytes.len() - 1);
        bytes[cut] = byte;
        use_up(&String::from_utf8_lossy(&bytes));
        use_up(&String::from_utf8_lossy(&bytes[..cut]));
    }
}
