//! What goes wrong with supervised parsers, their ensembles and rerankers is told in a line, before
//! anything is made of it.

use crate::call::rankspace;
use rankspace::treebank::{Reader, sample};
use std::path::Path;

/// Short trees of the bundled sample, so that everything is quick.
fn base() -> tempfile::TempDir {
    let base = tempfile::tempdir().expect("a temporary folder");
    for (file, part, count) in [("train.mrg", "train", 40), ("test.mrg", "test", 10)] {
        let (name, text) = sample::read(part).expect("it is bundled");
        let trees = Reader::new(text.as_bytes(), name).map(|tree| tree.expect("well formed"));
        let short = trees.filter(|tree| tree.len() < 8).take(count);
        let lines: String = short.map(|tree| format!("{tree}\n")).collect();
        std::fs::write(base.path().join(file), lines).expect("writes");
    }
    base
}

fn call(base: &Path, command: &str) -> crate::call::Call {
    rankspace(command).within(base)
}

/// Candidates of the trees, in `lists`.
fn made(base: &Path) {
    let make = "candidates make --train train.mrg --dev test.mrg --folds 4 -k 3 --out lists";
    call(base, make).succeeds().prints("oracle F1");
}

#[test]
fn bags_are_ranked_by_what_they_get_wrong_and_not_by_weights_that_they_have_not() {
    let base = base();
    let base = base.path();
    call(base, "bag --train train.mrg --rounds 3 --out bags").succeeds();
    let ran = call(base, "boost ranking bags").succeeds();
    let scores: Vec<f64> = ran
        .stdout
        .lines()
        .skip(1)
        .map(|row| row.split('\t').nth(2).expect("a score").parse().expect("a number"))
        .collect();
    assert!(scores.first() > scores.last() && scores.is_sorted_by(|a, b| a >= b), "{scores:?}");
    ran.complains("of 40 sentences by mean-error, after 3 bags");
    let named = call(base, "boost ranking bags --by mean-error").succeeds();
    assert_eq!(named.stdout, call(base, "boost ranking bags").succeeds().stdout);
    call(base, "boost ranking bags --by combined").succeeds();
    for by in ["boosting", "boosting+conflicts"] {
        let refused = call(base, &format!("boost ranking bags --by {by}")).refused();
        refused.complains("bags weigh all sentences alike").complains("mean-error");
    }
}

#[test]
fn a_mistyped_treebank_leaves_no_folder_behind() {
    let base = base();
    let base = base.path();
    for command in ["bag", "boost", "ssn train", "candidates make"] {
        for wrong in ["--train trian.mrg", "--train train.mrg --test tset.mrg"] {
            let refused = call(base, &format!("{command} {wrong} --out made")).fails();
            refused.complains("no such file or folder");
            assert!(!base.join("made").exists(), "{command} {wrong}");
        }
        let said = match command {
            "candidates make" => "is not empty, and no folder of candidates",
            _ => "holds something already, and nothing is overwritten",
        };
        let filled = call(base, &format!("{command} --train train.mrg --out .")).fails();
        filled.complains(said);
        call(base, &format!("{command} --out made")).refused().complains("some by --train FILE");
    }
    call(base, "learning-curve").refused().complains("name some by --train FILE");
    // The right name is taken after the wrong one.
    made(base);
    assert!(base.join("lists/train.jsonl").is_file());
}

#[test]
fn files_that_cannot_be_written_are_refused_before_the_work() {
    let base = base();
    let base = base.path();
    made(base);
    std::fs::write(base.join("there.svg"), "mine").expect("writes");
    for (command, said) in [
        ("rerank train lists/train.jsonl --out no/x", "there is no folder no"),
        ("rerank train lists/train.jsonl --out train.mrg/x", "there is no folder train.mrg"),
        ("rerank train lists/train.jsonl --out there.svg", "--force replaces it"),
        ("learning-curve --train train.mrg --test test.mrg --svg there.svg", "is there already"),
        ("boost weak-learning train.mrg --stable there.svg", "is there already"),
        ("boost weak-learning train.mrg --table no/x", "there is no folder no"),
        ("rerank apply lists/x lists/dev.jsonl --trees there.svg", "is there already"),
        ("rerank apply lists/x lists/dev.jsonl --table no/x", "there is no folder no"),
    ] {
        call(base, command).refused().complains(said);
    }
    assert_eq!(std::fs::read_to_string(base.join("there.svg")).expect("reads"), "mine");
}

#[test]
fn a_reranker_learns_from_the_beginning_of_jackknifed_lists_and_missing_sizes_are_told() {
    let base = base();
    let base = base.path();
    made(base);
    // The first ten lists are those of the first fold.
    let curve = "rerank train lists/train.jsonl --dev lists/dev.jsonl --json --sizes";
    let ran = call(base, curve).arg("8,20,5000,7000").succeeds();
    let sizes = ran.json()["curve"].as_array().map(Vec::len);
    assert_eq!(sizes, Some(2), "{ran}");
    ran.complains("there are only 40 lists: nothing is done for 5000, 7000");
    call(base, curve).arg("5000").fails().complains("there are only 40 lists");
    let cost = call(base, "rerank train lists/train.jsonl --json --cost=5").succeeds().json();
    assert!(cost[0]["non_zeros"].as_u64().is_some_and(|n| n > 0), "{cost}");
    let one = "rerank train one.jsonl --out one.safetensors";
    let lists = std::fs::read_to_string(base.join("lists/train.jsonl")).expect("written");
    let several = |line: &&str| line.matches("\"tree\"").count() > 1;
    let line = lists.lines().find(several).expect("a list of several");
    std::fs::write(base.join("one.jsonl"), line).expect("writes");
    call(base, one).fails().complains("there is no gold tree but in one list");
    let curve = "learning-curve --train train.mrg --test test.mrg --sizes 10,9000";
    call(base, curve).succeeds().complains("there are only 40 training sentences");
}

#[test]
fn the_run_folder_of_another_kind_is_told_with_what_it_is_for() {
    let base = base();
    let base = base.path();
    made(base);
    call(base, "boost --train train.mrg --rounds 1 --out boosted").succeeds();
    for command in ["ssn parse boosted test.mrg", "parse boosted test.mrg", "eval boosted test.mrg"]
    {
        let refused = call(base, command).fails();
        refused.complains("a run of boost, which keeps the analyses").complains("grammar train");
    }
    let rerank = "kind = \"rerank\"\n[data]\ntrain = [\"lists/train.jsonl\"]\n";
    std::fs::write(base.join("rerank.toml"), rerank).expect("writes");
    call(base, "train rerank.toml --out reranker").succeeds();
    call(base, "rerank apply reranker lists/dev.jsonl").succeeds().prints("with another choice");
    call(base, "rerank explain reranker lists/dev.jsonl --sentence 1").succeeds();
    call(base, "rerank apply boosted lists/dev.jsonl").fails().complains("is a run of boost");
    let said = "a reranker, which has no grammar of its own";
    call(base, "ssn parse reranker test.mrg").fails().complains(said);
    let train = "ssn train --train train.mrg --dev test.mrg --set ssn.hidden=4 --set \
                 training.epochs=1 --out parser";
    call(base, train).succeeds();
    for command in [
        "eval parser test.mrg",
        "score parser test.mrg",
        "grammar parse \
                     parser/checkpoints/best.safetensors test.mrg",
    ] {
        let refused = call(base, command).fails();
        refused.complains("a history-based parser").complains("`rankspace ssn parse parser");
    }
}

#[test]
fn an_unfinished_seed_is_named_on_a_card() {
    let base = base();
    let base = base.path();
    let config = "kind = \"boost\"\n[data]\ntrain = [\"train.mrg\"]\n";
    std::fs::create_dir(base.join("run")).expect("makes");
    std::fs::write(base.join("run/config.toml"), config).expect("writes");
    let card = call(base, "card run").succeeds();
    card.prints("- not finished: seed 0");
    // A card's folder is no run.
    call(base, "card run --out card").succeeds();
    call(base, "watch card").fails().complains("is an experiment card and not a run folder");
}

/// Two sentences of a foreign parser.
const FOREIGN: &str = "2\ta\n-8\n(S1 (S (NP (NN men)) (VP (VBD slept))))\n-9\n\
                       (S1 (S (X (NN men) (VBD slept))))\n\n1\tb\n-5\n(S1 (NP (NN dogs)))\n";

#[test]
fn lists_without_gold_trees_are_named_with_the_flag_that_gives_them() {
    let base = base();
    let base = base.path();
    std::fs::write(base.join("nbest"), FOREIGN).expect("writes");
    for command in ["rerank train nbest --out x", "candidates convert nbest --to charniak-johnson"]
    {
        call(base, command).fails().complains("nbest: ").complains("--gold FILE gives");
    }
    call(base, "candidates stats nbest")
        .succeeds()
        .complains("nbest: no gold trees")
        .complains("--gold");
    std::fs::write(base.join("gold.mrg"), "(X (NN dogs))\n(S (NP (NN men)) (VP (VBD slept)))\n")
        .expect("writes");
    let stats = call(base, "candidates stats nbest --gold gold.mrg").succeeds();
    stats.prints("oracle of 2").complains("2 were found by their words");
    // A file with none of the sentences is no help, and no success.
    let vain = call(base, "candidates convert nbest --gold test.mrg --out y").fails();
    vain.complains("test.mrg: no sentence of the lists has its words in it");
    assert!(!base.join("y").exists());
}

#[test]
fn numbers_of_sentences_are_those_of_the_file_whatever_cannot_be_read() {
    let base = base();
    let base = base.path();
    made(base);
    let lists = std::fs::read_to_string(base.join("lists/dev.jsonl")).expect("written");
    let mut lines: Vec<&str> = lists.lines().collect();
    let torn = &lines[1][..lines[1].len() / 2];
    lines[1] = torn;
    std::fs::write(base.join("torn.jsonl"), lines.join("\n")).expect("writes");
    call(base, "rerank train lists/train.jsonl --out r").succeeds();
    let whole = call(base, "rerank explain r lists/dev.jsonl --sentence 3 --json").succeeds();
    let found = call(base, "rerank explain r torn.jsonl --sentence 3 --json").succeeds();
    assert_eq!(found.json()["id"], whole.json()["id"]);
    found.complains("line 2: dropped: the line breaks off at column ").complains("sentence 2");
    let apply = "rerank apply r torn.jsonl --trees trees.mrg --table table.tsv";
    call(base, apply).succeeds();
    let trees = std::fs::read_to_string(base.join("trees.mrg")).expect("written");
    assert_eq!(trees.lines().count(), lines.len());
    let table = std::fs::read_to_string(base.join("table.tsv")).expect("written");
    let numbers: Vec<&str> = table.lines().filter_map(|row| row.split('\t').next()).collect();
    assert!(numbers.contains(&"3") && !numbers.contains(&"2"), "{table}");
    // Gold trees are found by place all the same.
    let gold = call(base, "candidates stats torn.jsonl --gold test.mrg").succeeds();
    assert!(!gold.stderr.contains("found by their words"), "{gold}");
}

#[test]
fn a_search_in_what_holds_no_tree_fails() {
    let base = base();
    let base = base.path();
    std::fs::write(base.join("binary"), [0u8, 159, 146, 150, 0, 1]).expect("writes");
    call(base, "corpus search NP binary").fails().complains("binary: no tree could be read");
}

#[test]
fn whole_numbers_and_folders_are_asked_for_in_words() {
    let base = base();
    let base = base.path();
    let refused = call(base, "boost --train train.mrg --set ensemble.rounds=-3").refused();
    refused.complains("expected a whole number, 0 or more, found");
    made(base);
    call(base, "candidates lists").refused().complains("`rankspace ./lists` opens");
    std::fs::create_dir(base.join("candidates")).expect("makes");
    call(base, "candidates").refused().complains("is opened by `rankspace ./candidates`");
    let told = call(base, "candidates stats lists").fails();
    told.complains("lists is a folder: name a file in it, e.g. lists/dev.jsonl");
}

#[test]
fn a_run_that_was_stopped_before_its_first_round_prints_no_empty_tables() {
    let base = base();
    let base = base.path();
    let more = |text: String| (0..40).map(|_| text.as_str()).collect::<String>();
    let text = more(std::fs::read_to_string(base.join("train.mrg")).expect("written"));
    std::fs::write(base.join("large.mrg"), text).expect("writes");
    let mut running = call(base, "boost --train large.mrg --rounds 2 --out run").starts();
    running.says("run folder");
    running.signal(libc::SIGINT);
    let mut told = String::new();
    while let Some(line) = running.next_line() {
        told += &(line + "\n");
    }
    let stopped = !told.contains("round 1  ");
    assert!(!stopped || told.contains("no round is complete: there are no figures yet"), "{told}");
    assert!(!stopped || !told.contains(" P       R"), "{told}");
}
