//! Runs as they should not be, and are.

use super::*;
use crate::ensemble::ledger::FILE;

/// Goes through everything that the screen can show, at both sizes.
fn go_through(stage: &mut Stage<Boost>) -> String {
    let mut seen = String::new();
    let commands = [
        "down",
        "last",
        "first",
        "sort",
        "reverse",
        "figures",
        "down",
        "last",
        "curve",
        "scale",
        "measure",
        "figures",
        "bracket",
        "previous-bracket",
        "clear",
        "twins",
        "next-twin",
        "bracket",
        "error",
        "twins",
        "layout",
        "zoom",
        "zoom",
        "earlier-round",
        "later-round",
        "sort",
        "sort",
        "sort",
    ];
    for name in commands {
        let effects = stage.command(name);
        stage.settle(effects);
        seen += &stage.shot(80, 24);
        seen += &stage.shot(200, 60);
        seen += &stage.shot(60, 16);
    }
    seen
}

#[test]
fn one_sentence_without_a_test_corpus_is_boosted_and_shown() {
    let base = tempfile::tempdir().expect("a temporary folder");
    let tree = ["(S (NP (DT the) (NN dog)) (VP (VBD slept)))"];
    let folder = folder_of(base.path(), "boost", 2, &tree, "");
    let mut stage = shown(&folder);
    let seen = stage.shot(80, 24);
    assert!(seen.contains("1 training sentence") && !seen.contains("sentences"), "{seen}");
    let seen = go_through(&mut stage);
    // Half of one sentence is the least error that there is, and too much for a vote.
    assert!(seen.contains("Sentences 1/1") && seen.contains("no round has a vote"));
    assert!(seen.contains("train F1") && !seen.contains("test F1"));
    assert!(seen.contains("nothing like it is annotated otherwise anywhere"));
}

#[test]
fn duplicates_unary_phrases_rare_labels_and_what_cannot_be_derived_are_shown() {
    let dog = "(S (NP (DT the) (NN dog)) (VP (VBD slept)))";
    let duplicates = [dog; 9];
    let unary = ["(S (VP (X (NN a))))", "(S (VP (X (NN b))))", "(S (X (NN a)))"];
    let rare = [dog, dog, dog, "(S (ONCE (DT the) (ONLY dog)) (VP (VBD slept)))"];
    for (trees, name) in [(&duplicates[..], "dog"), (&unary, "X"), (&rare, "ONCE")] {
        let base = tempfile::tempdir().expect("a temporary folder");
        // No grammar of these trees derives it.
        let test = base.path().join("test.mrg");
        std::fs::write(&test, "(Q (R (V odd) (W ends)) (R (W of) (V all)))").expect("writes");
        let folder = folder_of(base.path(), "boost", 2, trees, &format!("test = [{test:?}]"));
        let mut stage = shown(&folder);
        let seen = go_through(&mut stage);
        assert!(seen.contains(&format!("/{} · by all signals of error", trees.len())), "{name}");
        assert!(seen.contains(name) && seen.contains("test F1"), "{name}");
        assert!(stage.screen.weighing.scores().is_some(), "{name}: the signals are weighed");
    }
}

#[test]
fn rounds_that_all_failed_are_told_and_drawn_all_the_same() {
    let base = tempfile::tempdir().expect("a temporary folder");
    // One of both is always wholly wrong.
    let trees = ["(A (B (C a) (D b)) (E c))", "(F (C a) (G (D b) (E c)))"];
    let folder = folder_of(base.path(), "boost", 5, &trees, "");
    let mut stage = shown(&folder);
    let seen = stage.shot(80, 24);
    assert!(seen.contains("round 1 of 1 (5 planned)") && seen.contains("no round has a vote"));
    assert_eq!(stage.screen.curves(), [1]);
    let seen = go_through(&mut stage);
    assert!(seen.contains("failed") && seen.contains("weight × m by rank ● 1"));
}

#[test]
fn a_run_that_was_cut_off_shows_its_rounds_and_how_to_go_on() {
    let base = tempfile::tempdir().expect("a temporary folder");
    let folder = run_folder(base.path(), "boost", 3);
    // As a kill leaves it: the third round is under way, its figures are not written.
    std::fs::remove_file(folder.rounds().join("003.json")).expect("removes");
    let mut stage = on_folder(&folder);
    stage.shared.runs[0].listed_state = Some(crate::report::RunState::Stopped);
    stage.shared.runs[0].listed_dead = true;
    let effects = stage.update(Input::Shown);
    stage.settle(effects);
    let seen = stage.shot(80, 24);
    assert!(seen.contains("round 2 of 2 (3 planned: 7 R goes on)"), "{seen}");
    go_through(&mut stage);
}

#[test]
fn a_treebank_that_was_changed_or_is_gone_is_told_and_verdicts_stay() {
    let base = tempfile::tempdir().expect("a temporary folder");
    let folder = run_folder(base.path(), "boost", 1);
    let mut stage = shown(&folder);
    stage.command("error");
    let propose = |stage: &mut Stage<Boost>| {
        let effects = stage.command("propose");
        said(&stage.settle(effects)).concat()
    };
    let corpus = base.path().join("tiny.mrg");
    std::fs::write(&corpus, "(S (NN other))").expect("writes");
    let told = propose(&mut stage);
    assert!(told.contains("tiny.mrg has no such tree: it was changed"), "{told}");
    std::fs::remove_file(&corpus).expect("removes");
    let told = propose(&mut stage);
    assert!(told.contains("tiny.mrg is not there any more"), "{told}");
    // What was said can be handed on without it.
    stage.command("export");
    let out = base.path().join("out").display().to_string();
    let answer = Answer::Text(out.clone());
    let effects = stage.update(Input::Answer { popup: "export", answer: &answer });
    let told = said(&stage.settle(effects)).concat();
    assert!(told.starts_with("1 verdict, 0 trees corrected"), "{told}");
    assert!(Path::new(&out).join("verdicts.tsv").is_file());
}

#[test]
fn a_torn_line_of_the_ledger_is_told() {
    let base = tempfile::tempdir().expect("a temporary folder");
    let folder = run_folder(base.path(), "boost", 1);
    std::fs::write(folder.path().join(FILE), "{\"schema\":1,\"fi").expect("writes");
    let mut stage = on_folder(&folder);
    let effects = stage.update(Input::Shown);
    let told = said(&stage.settle(effects));
    assert_eq!(told, ["verdicts.jsonl: line 1 cannot be read and is left out"]);
}

#[test]
fn a_sentence_of_five_hundred_words_is_shown_and_its_last_bracket_found() {
    let mut tree = String::from("(X (Y y))");
    for i in 0..500 {
        tree = match i % 3 {
            0 => format!("(NP (DT w{i}) {tree})"),
            1 => format!("(VP {tree} (RB w{i}))"),
            _ => format!("(S (NN w{i}) {tree})"),
        };
    }
    let base = tempfile::tempdir().expect("a temporary folder");
    let trees = [&*tree, "(S (NP (DT the) (NN dog)) (VP (VBD slept)))"];
    let folder = folder_of(base.path(), "boost", 1, &trees, "");
    let mut stage = shown(&folder);
    let answer = Answer::Text("#0".into());
    let effects = stage.update(Input::Answer { popup: "jump", answer: &answer });
    stage.settle(effects);
    let start = Instant::now();
    let seen = go_through(&mut stage);
    assert!(seen.contains("501 words"));
    assert!(start.elapsed() < Duration::from_secs(60), "{:?}", start.elapsed());
}
