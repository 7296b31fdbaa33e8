//! Lists as they should not be, and are.

use super::*;
use crate::workbench::theme::{Theme, ThemeName};

/// Goes through everything that the screen can show, at all sizes.
fn go_through(stage: &mut Stage<Rerank>) -> String {
    let mut seen = String::new();
    let commands = [
        "down",
        "last",
        "first",
        "sort",
        "sort",
        "reverse",
        "candidates",
        "down",
        "last",
        "next-candidate",
        "previous-candidate",
        "candidate-order",
        "compare",
        "decisions",
        "scroll-down",
        "scroll-up",
        "decisions",
        "layout",
        "scroll-right",
        "zoom",
        "zoom",
        "figures",
        "down",
        "last",
        "problems",
        "down",
        "last",
        "problems",
        "changed",
        "clear",
        "clear",
    ];
    for name in commands {
        let effects = stage.command(name);
        stage.settle(effects);
        for (width, height) in [(80, 24), (200, 60), (60, 16), (20, 5)] {
            seen += &stage.shot(width, height);
        }
    }
    seen
}

#[test]
fn a_foreign_parsers_lists_without_gold_and_reranker_lack_columns_and_say_why() {
    let base = tempfile::tempdir().expect("a temporary folder");
    let text = "2\tnyt-1\n-20.5\n(S1 (S (NP (NN men)) (VP (VBD slept))))\n-22\n(S1 (S (X (NN men) (VBD slept))))\n\n";
    let mut stage = on_lists(base.path(), text);
    let seen = stage.shot(80, 24);
    assert!(seen.contains("lists.txt · bllip · 1 sentence, 2 candidates"), "{seen}");
    assert!(seen.contains("no reranker, so no scores"), "{seen}");
    assert!(seen.contains("no gold, so no F1"), "{seen}");
    let heads = seen.lines().filter(|line| line.contains("len") || line.contains("log P"));
    let heads = heads.collect::<String>();
    for column in ["choice", "score", "margin", "F1", "gain", "oracle"] {
        assert!(!heads.contains(column), "{column}: {seen}");
    }
    // Logarithms to the base 2, in nats.
    assert!(seen.contains(&format!("{:.3}", -20.5 * std::f64::consts::LN_2)), "{seen}");
    assert!(seen.contains("against base"), "{seen}");
    let told = does(&mut stage, &["compare", "changed", "candidate-order", "learn"]);
    let about = ["no gold tree", "no choice is changed", "base parser's order", "nothing to learn"];
    for (told, about) in told.iter().zip(about) {
        assert!(told.contains(about), "{told}");
    }
    let seen = go_through(&mut stage);
    assert!(seen.contains("no list has a gold tree: nothing can be scored"));
    assert!(seen.contains("there is no reranker, and so no margin"));
    assert!(seen.contains("the reader has nothing to complain about"));
    let told = answer(&mut stage, "rerank-export", Answer::Item(1));
    assert!(said(&told)[0].starts_with("written to"), "{told:?}");
    let table = std::fs::read_to_string(base.path().join("exports/lists.txt-table.csv"));
    let table = table.expect("written");
    assert!(table.lines().nth(1).is_some_and(|row| row.starts_with("1,nyt-1,2,1,,1,")), "{table}");
}

#[test]
fn what_was_left_out_of_a_damaged_file_is_told_by_line() {
    let base = tempfile::tempdir().expect("a temporary folder");
    let text = "3\ts-1\n-20.5\n(S1 (S (NN men) (VBD slept)))\nnonsense\n(S1 (S (NN men) (VBD slept)))\n-21\n(S1 (S (NN dogs) (VBD slept)))\n\n2\ts-2\n-8\n(S1 (NP (NN cats)))\n\n";
    let mut stage = on_lists(base.path(), text);
    let troubles = &stage.screen.loaded.as_ref().expect("read").troubles;
    let dropped: Vec<u32> = troubles.iter().filter(|t| t.is_drop).map(|t| t.line).collect();
    assert!(dropped.len() >= 2, "{troubles:?}");
    let told = |t: &Trouble| t.text.contains("candidates announced");
    assert!(troubles.iter().any(|t| !t.is_drop && told(t)), "{troubles:?}");
    assert!(troubles.is_sorted_by_key(|t| t.line));
    let n = troubles.len();
    assert!(stage.shot(80, 24).contains(&format!("p: {n} problems")), "{}", stage.shot(80, 24));
    does(&mut stage, &["problems"]);
    let seen = stage.shot(80, 24);
    assert!(
        seen.contains(&format!("Problems 1/{n}")) && seen.contains("✗ word 1 is \"dogs\""),
        "{seen}"
    );
    insta::assert_snapshot!("problems_80", seen);
    does(&mut stage, &["problems"]);
    assert!(stage.shot(80, 24).contains("Sentences 1/2"));
    go_through(&mut stage);
}

#[test]
fn sentences_without_candidates_or_with_one_are_shown() {
    let base = tempfile::tempdir().expect("a temporary folder");
    let text = r#"{"schema":1,"id":"none","gold":"(S (NN cats) (VBD slept))","candidates":[]}
{"schema":1,"id":"one","gold":"(S (NN cats) (VBD slept))","candidates":[{"tree":"(S (NN cats) (VBD slept))","log_prob":-4}]}
{"schema":1,"candidates":[]}
"#;
    let mut stage = on_lists(base.path(), text);
    let seen = stage.shot(80, 24);
    assert!(seen.contains("the base parser has no candidate for it"), "{seen}");
    go_through(&mut stage);
    let told = does(&mut stage, &["learn"]);
    assert!(told[0].contains("nothing can be learned"), "{told:?}");
    // The sample's reranker has nothing to choose here, and says so in its way.
    let reranker =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("sample_data/reranking/reranker.safetensors");
    let effects = stage.update(Input::Open(&Target::Reranker(reranker)));
    stage.settle(effects);
    assert_eq!(book(&stage).choice(0), None);
    assert_eq!((book(&stage).choice(1), book(&stage).margin(1, 0)), (Some(0), Some(0.0)));
    let seen = go_through(&mut stage);
    assert!(seen.contains("this is the base choice itself"));
}

#[test]
fn a_file_that_is_no_list_or_is_gone_is_told_and_read_again_on_demand() {
    let base = tempfile::tempdir().expect("a temporary folder");
    let path = base.path().join("later.jsonl");
    let mut stage = Stage::new(Rerank::default());
    let told = open(&mut stage, &path);
    assert!(told[0].contains("later.jsonl"), "{told:?}");
    assert!(stage.shot(80, 24).contains("r tries again"), "{}", stage.shot(80, 24));
    go_through(&mut stage);
    std::fs::write(&path, "").expect("writes");
    does(&mut stage, &["reload"]);
    assert!(stage.shot(80, 24).contains("no list of candidates of a known"));
    std::fs::write(&path, OURS).expect("writes");
    does(&mut stage, &["reload"]);
    assert!(stage.shot(80, 24).contains("Sentences 1/3"), "{}", stage.shot(80, 24));
    // A file whose every line is damaged has no sentence, and its problems are told.
    std::fs::write(&path, "{\"schema\":1,\n").expect("writes");
    does(&mut stage, &["reload"]);
    let seen = stage.shot(80, 24);
    assert!(seen.contains("the file has no sentence") && seen.contains("p: 1 problem"), "{seen}");
    go_through(&mut stage);
}

#[test]
fn a_reranker_that_cannot_be_read_leaves_the_lists_as_they_are() {
    let base = tempfile::tempdir().expect("a temporary folder");
    let mut stage = on_lists(base.path(), OURS);
    let broken = write(base.path(), "broken.safetensors", "no tensors");
    let effects = stage.update(Input::Open(&Target::Reranker(broken)));
    let told = said(&stage.settle(effects));
    assert!(told[0].contains("broken.safetensors"), "{told:?}");
    let seen = stage.shot(200, 60);
    assert!(seen.contains("not reranked: ") && seen.contains("Sentences 1/3"), "{seen}");
    assert!(seen.contains("F1 base"), "{seen}");
}

#[test]
fn a_reranker_that_is_named_alone_and_cannot_be_read_is_told_in_place_of_lists() {
    let base = tempfile::tempdir().expect("a temporary folder");
    let broken = write(base.path(), "broken.safetensors", "no tensors");
    let mut stage = Stage::new(Rerank::default());
    let effects = stage.update(Input::Open(&Target::Reranker(broken)));
    stage.settle(effects);
    let effects = stage.update(Input::Shown);
    stage.settle(effects);
    let seen = stage.shot(80, 24);
    assert!(seen.contains("broken.safetensors") && seen.contains("r tries again"), "{seen}");
    answer(&mut stage, "open", Answer::Text(String::new()));
    assert!(stage.shot(80, 24).contains("sample test"));
}

#[test]
fn a_stopped_reading_says_so() {
    let mut stage = Stage::new(Rerank::default());
    let effects = stage.update(Input::Shown);
    assert_eq!(effects.iter().filter(|e| matches!(e, Effect::Spawn(_))).count(), 2);
    use crate::workbench::news::Outcome;
    stage.report("lists", Outcome::Failed("stopped".into()));
    let seen = stage.shot(80, 24);
    assert!(seen.contains("stopped") && seen.contains("r tries again"), "{seen}");
}

#[test]
fn without_colour_and_utf8_nothing_is_lost() {
    let mut stage = on_sample();
    does(&mut stage, &["changed", "sort"]);
    stage.theme = Theme::new(ThemeName::Mono, false);
    does(&mut stage, &["down", "up"]);
    let mut buffer = stage.buffer(80, 24);
    crate::workbench::text::to_ascii(&mut buffer);
    let text: String = buffer.content.iter().map(|cell| cell.symbol()).collect();
    assert!(text.is_ascii(), "{text}");
    // Words for the choice and the oracle, and marks of brackets are there without colour.
    for sign in [">    3", "choice, oracle", "= ", "x ", "1>"] {
        assert!(text.contains(sign), "{sign}: {text}");
    }
    assert!(!text.contains('?'), "a sign has no other in ASCII: {text}");
}

#[test]
fn hostile_names_and_words_cannot_steer_the_terminal() {
    let base = tempfile::tempdir().expect("a temporary folder");
    let text = OURS.replace("cats", "c\\u001b[2Jts").replace("\"a\"", "\"\\u001b]0;x\\u0007\"");
    let mut stage = on_lists(base.path(), &text);
    learns(&mut stage, 3, "");
    let seen = go_through(&mut stage);
    assert!(!seen.contains(['\u{1b}', '\u{7}']), "{seen:?}");
    assert!(seen.contains("^[2J") || seen.contains("^[[2J"), "made visible");
}
