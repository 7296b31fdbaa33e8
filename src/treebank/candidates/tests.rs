use super::*;
use crate::treebank::tree::tree;
use flate2::Compression;
use flate2::write::GzEncoder;
use proptest::prelude::*;
use std::io::Write;

fn read(text: &[u8], options: ReadOptions) -> CandidateFile {
    Lists::new(text, "test", options).expect("a known format").collect_all()
}

/// The lists of a text in any format.
pub fn lists_of(text: &str) -> Vec<CandidateList> {
    read(text.as_bytes(), ReadOptions::default()).lists
}

fn write(lists: &[CandidateList], format: ListFormat) -> String {
    let mut out = Vec::new();
    if format == ListFormat::CharniakJohnson {
        writeln!(out, "{}", lists.len()).expect("a vector takes all");
    }
    for list in lists {
        write_list(list, format, &mut out).expect("a vector takes all");
    }
    String::from_utf8(out).expect("text")
}

fn example() -> Vec<CandidateList> {
    let list = |id: &str, gold: &str, trees: &[(&str, f64)]| CandidateList {
        id: Some(id.into()),
        line: 1,
        place: 0,
        words: tree(gold).words().to_vec(),
        gold: Some(Arc::new(tree(gold))),
        fold: Some(3),
        candidates: trees
            .iter()
            .map(|&(t, log_prob)| Candidate { tree: Arc::new(tree(t)), log_prob, line: 1 })
            .collect(),
    };
    vec![
        list(
            "a-1",
            "(S (NP (NN dogs)) (VP (VBP bark)))",
            &[
                ("(S (NP (NN dogs)) (VP (VBP bark)))", -4.25),
                ("(NP (NN dogs) (VBP bark))", -1e-3),
                ("(S (NN dogs) (VBP bark))", -123.456_789_012_345),
            ],
        ),
        list("b", "(S (NN no))", &[("(NN no)", -0.5)]),
    ]
}

#[test]
fn every_format_is_known_by_its_content_and_read_back_as_written() {
    for format in ListFormat::ALL {
        let text = write(&example(), format);
        assert_eq!(ListFormat::detect(text.as_bytes()), Some(format), "{text}");
        let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
        packed.write_all(text.as_bytes()).expect("a vector takes all");
        for bytes in [text.as_bytes(), &packed.finish().expect("a vector takes all")] {
            let file = read(bytes, ReadOptions::default());
            assert_eq!((file.format, file.log_base), (format, format.log_base()));
            assert!(file.dropped.is_empty() && file.messages.is_empty(), "{file:?}");
            assert_eq!(file.lists.len(), 2);
            for (found, expected) in file.lists.iter().zip(example()) {
                assert_eq!(found.words, expected.words);
                assert_eq!(found.candidates.len(), expected.candidates.len());
                for (found, expected) in found.candidates.iter().zip(&expected.candidates) {
                    assert_eq!(found.tree.to_string(), expected.tree.to_string());
                    assert!((found.log_prob - expected.log_prob).abs() < 1e-12, "{format:?}");
                }
            }
        }
    }
}

#[test]
fn our_own_format_keeps_names_gold_trees_and_folds() {
    let file = read(write(&example(), ListFormat::Jsonl).as_bytes(), ReadOptions::default());
    for (found, expected) in file.lists.iter().zip(example()) {
        assert_eq!((&found.id, found.fold), (&expected.id, Some(3)));
        let [found, expected] = [found, &expected].map(|l| l.gold.as_ref().map(|g| g.to_string()));
        assert_eq!(found, expected);
    }
}

#[test]
fn another_log_base_can_be_asked_for() {
    let text = b"1\t0\n-2\n(S1 (NN a))\n";
    let score = |log_base| {
        let options = ReadOptions { log_base, ..ReadOptions::default() };
        read(text, options).lists[0].candidates[0].log_prob
    };
    assert_eq!(score(None), -2.0 * std::f64::consts::LN_2);
    assert_eq!(score(Some(LogBase::E)), -2.0);
    assert_eq!(score(Some(LogBase::Ten)), -2.0 * std::f64::consts::LN_10);
}

#[test]
fn what_is_no_list_is_refused() {
    for text in ["", "(S (NN a))\n(S (NN b))\n", "some words\n", "7\n8\n"] {
        let found = ListFormat::detect(text.as_bytes());
        // Trees without scores may be meant as Berkeley's, whose every line then is dropped.
        assert!(found.is_none_or(|f| f == ListFormat::Berkeley && text.starts_with('(')));
    }
    let refused = Lists::new(&b"some words\n"[..], "x.txt", ReadOptions::default()).err();
    assert!(refused.expect("refused").to_string().contains("no list of candidates"));
}

#[test]
fn faults_are_told_in_words_with_line_and_name() {
    let text = b"3\ta\n-1\n(S1 (NN a))\n-2\n(S1 (NN b))\n-x\n(S1 (NN a))\n2\tb\n-1\n";
    let file = read(text, ReadOptions::default());
    let told: Vec<String> = file.dropped.iter().map(ToString::to_string).collect();
    assert_eq!(
        told,
        [
            "line 5: dropped: word 1 is \"b\", but \"a\" in the sentence [yield-mismatch]",
            "line 6: dropped: the score is \"-x\": expected a finite number [bad-score]",
            "line 9: dropped: no tree follows the score [truncated]",
        ]
    );
    let told: Vec<String> = file.messages.iter().map(ToString::to_string).collect();
    assert_eq!(told, ["line 8: 2 candidates announced, 0 found [fewer-candidates]"]);
}

#[test]
fn the_words_of_most_candidates_are_the_sentences_and_of_equally_many_the_firsts() {
    let text = |words: &[&str]| -> String {
        words.iter().map(|word| format!("-1\t( (S (NN {word}) (VB run)))\n")).collect()
    };
    let words = |text: &str| {
        let file = read(text.as_bytes(), ReadOptions::default());
        let dropped: Vec<(u32, Reason)> = file.dropped.iter().map(|d| (d.line, d.reason)).collect();
        (file.lists[0].words[0].to_string(), file.lists[0].candidates.len(), dropped)
    };
    let mismatch = |line| (line, Reason::YieldMismatch);
    // One wrong first tree costs itself alone.
    assert_eq!(words(&text(&["x", "a", "a", "a"])), ("a".into(), 3, vec![mismatch(1)]));
    assert_eq!(words(&text(&["a", "x"])), ("a".into(), 1, vec![mismatch(2)]));
    assert_eq!(words(&text(&["a", "b", "c"])), ("a".into(), 1, vec![mismatch(2), mismatch(3)]));
    assert_eq!(words(&text(&["a", "b", "b"])), ("b".into(), 2, vec![mismatch(1)]));
    // Drops of a sentence are told from line to line, whenever they were found.
    let text = text(&["x", "a", "a", "a"]) + "nan\t( (S (NN a) (VB run)))\n" + &text(&["x"]);
    let dropped = vec![mismatch(1), (5, Reason::BadScore), mismatch(6)];
    assert_eq!(words(&text), ("a".into(), 3, dropped));
}

#[test]
fn a_gold_tree_decides_on_the_words_whatever_most_candidates_have() {
    let text = "1\n2 (S1 (NN a))\n-1 (S1 (NN b))\n-2 (S1 (NN b))\n-3 (S1 (NN a))\n";
    let file = read(text.as_bytes(), ReadOptions::default());
    assert_eq!((&*file.lists[0].words[0], file.lists[0].candidates.len()), ("a", 1));
}

#[test]
fn a_failure_of_the_parser_is_told_wherever_it_stands() {
    let read = |text: &str| {
        let file = read(text.as_bytes(), ReadOptions::default());
        let told = file.dropped.iter().map(ToString::to_string);
        told.chain(file.messages.iter().map(ToString::to_string)).collect::<Vec<_>>()
    };
    let alone = ["line 1: the sentence has no candidate [no-candidates]"];
    assert_eq!(read("(())\n"), alone);
    assert_eq!(read("-Infinity\t(())\n"), alone);
    let beside = "line 2: dropped: (()) is no tree [bad-tree]";
    assert_eq!(read("-1\t( (NN a))\n-Infinity\t(())\n"), [beside]);
    let scored = read("-1\t( (NN a))\n-2.5\t(())\n");
    assert!(scored.len() == 1 && scored[0].starts_with("line 2: dropped: "), "{scored:?}");
    let scored = read("-2.5\t(())\n");
    assert!(scored.len() == 1 && scored[0].starts_with("line 1: dropped: "), "{scored:?}");
}

#[test]
fn a_sentence_that_stanfords_parser_gave_up_keeps_its_number_and_takes_nothing_from_others() {
    for skipped in ["SENTENCE_SKIPPED_OR_UNPARSABLE", "(())"] {
        let text = format!(
            "# Parse 1 with score -42.1\n(ROOT (NN one))\n# Parse 2 with score -43\n(ROOT\n  (NNP \
             one))\n\n{skipped}\n\n# Parse 1 with score -3\n(ROOT (NN three))\n"
        );
        let file = read(text.as_bytes(), ReadOptions::default());
        let counts: Vec<_> = file.lists.iter().map(|list| list.candidates.len()).collect();
        assert_eq!(counts, [2, 0, 1], "{skipped}");
        assert_eq!(file.dropped, [], "{skipped}");
        let told: Vec<_> = file.messages.iter().map(|m| (m.line, m.sentence)).collect();
        assert_eq!(told, [(7, Some(1))], "{skipped}");
        assert_eq!(file.messages[0].kind, MessageKind::NoCandidates);
    }
}

#[test]
fn a_count_below_0_begins_a_sentence_all_the_same_and_is_told() {
    let text = b"1\ta\n-1\n(S1 (NN a))\n-3\tb\n-2\n(S1 (NN b))\n";
    let file = read(text, ReadOptions::default());
    assert_eq!(file.format, ListFormat::Bllip);
    let sizes: Vec<_> = file.lists.iter().map(|l| (l.id.as_deref(), l.candidates.len())).collect();
    assert_eq!(sizes, [(Some("a"), 1), (Some("b"), 1)]);
    let told: Vec<String> = file.messages.iter().map(ToString::to_string).collect();
    let expected =
        "line 4: the number of candidates is \"-3\": expected 0 or more [bad-count]".to_owned();
    assert_eq!((told, file.dropped.len()), (vec![expected], 0));
}

#[test]
fn a_line_that_cannot_be_read_keeps_the_number_of_its_sentence() {
    let list = |word: &str| {
        format!("{{\"schema\":1,\"candidates\":[{{\"tree\":\"(NN {word})\",\"log_prob\":-1}}]}}\n")
    };
    let torn = "{\"schema\":1,\"candidates\":[{\"tr\n";
    let text = format!("{torn}{}{torn}{}{torn}", list("a"), list("b"));
    let file = read(text.as_bytes(), ReadOptions::default());
    let places: Vec<usize> = file.lists.iter().map(|list| list.place).collect();
    assert_eq!((&places[..], file.sentences, file.dropped.len()), (&[1, 3][..], 5, 3));
    let told = file.dropped[1].to_string();
    let expected =
        "line 3: dropped: the line breaks off at column 30: sentence 3 is left out [bad-json]";
    assert_eq!(told, expected);
    let whole = in_step(file.lists, file.sentences);
    let sizes: Vec<_> = whole.iter().map(|l| (l.place, l.candidates.len())).collect();
    assert_eq!(sizes, [(0, 0), (1, 1), (2, 0), (3, 1), (4, 0)]);
    assert!(in_step(Vec::new(), 3).is_empty(), "a file that is no list at all has no sentence");
}

#[test]
fn a_newer_schema_is_refused_with_a_sentence() {
    let file = read(b"{\"schema\": 2, \"candidates\": []}\n", ReadOptions::default());
    assert!(file.lists.is_empty());
    assert!(file.dropped[0].detail.contains("schema 2 is newer than 1"), "{:?}", file.dropped);
}

/// Lines that any of the formats may have, whole and damaged.
fn line() -> impl Strategy<Value = String> {
    prop_oneof![
        Just("(S1 (S (NN a) (NN b)))".to_owned()),
        Just("(S1 (NN a) (NN c))".to_owned()),
        Just("(S1 (NN a)".to_owned()),
        Just("(())".to_owned()),
        Just("-1.5\t( (S (NN a) (NN b)))\tx".to_owned()),
        Just("-7.25 (S1 (NN a))".to_owned()),
        Just("2 (S1 (NN a))".to_owned()),
        Just("3\tid".to_owned()),
        Just("-12.5".to_owned()),
        Just("nan".to_owned()),
        Just("log_prob -3,\trules 2,\t".to_owned()),
        Just("# Parse 1 with score -42.1".to_owned()),
        Just("# Parse 2 with score".to_owned()),
        Just("{\"schema\":1,\"candidates\":[{\"tree\":\"(NN a)\",\"log_prob\":-1}]}".to_owned()),
        Just(String::new()),
        "[-+0-9a-z()\\t ]{0,12}",
        any::<String>().prop_map(|text| text.replace('\n', " ")),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn no_text_makes_any_reader_panic_and_every_pair_is_kept_or_told(
        lines in prop::collection::vec(line(), 0..24),
        format in prop::sample::select(ListFormat::ALL.to_vec()),
    ) {
        let text = lines.join("\n");
        let file = read(text.as_bytes(), ReadOptions { format: Some(format), log_base: None });
        for list in &file.lists {
            prop_assert!(list.candidates.iter().all(|c| c.log_prob.is_finite()));
            prop_assert!(list.candidates.iter().all(|c| c.tree.len() == list.words.len()));
        }
        // Sentences without anything were announced, or have their drops.
        for list in &file.lists {
            let said = file.messages.iter().any(|m| m.sentence == Some(list.place))
                || file.dropped.iter().any(|d| d.sentence == Some(list.place));
            prop_assert!(said || !list.candidates.is_empty());
        }
        // A second reading of what was understood is the same.
        let written = write(&file.lists, ListFormat::Jsonl);
        let options = ReadOptions { format: Some(ListFormat::Jsonl), log_base: None };
        let again = read(written.as_bytes(), options);
        prop_assert_eq!(again.lists.len(), file.lists.len());
        prop_assert!(again.dropped.is_empty(), "{:?}", again.dropped);
    }

    #[test]
    fn no_bytes_make_any_reader_panic(
        bytes in prop::collection::vec(any::<u8>(), 0..200),
        format in prop::sample::select(ListFormat::ALL.to_vec()),
    ) {
        let options = ReadOptions { format: Some(format), log_base: None };
        if let Ok(lists) = Lists::new(&bytes[..], "test", options) {
            lists.collect_all();
        }
    }
}
