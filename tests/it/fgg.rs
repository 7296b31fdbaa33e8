//! `rankspace fgg`: examples by name, files, answers and refusals.

use crate::call::rankspace;
use std::path::Path;

fn folder() -> tempfile::TempDir {
    tempfile::tempdir().expect("a temporary folder")
}

fn write(folder: &Path, name: &str, text: &str) -> String {
    let path = folder.join(name);
    std::fs::write(&path, text).expect("writable");
    path.display().to_string()
}

#[test]
fn examples_are_listed_printed_and_found_by_name() {
    rankspace("fgg examples").succeeds().prints("hmm ").prints("hsmm ").prints("pcfg ");
    let text = rankspace("fgg examples pcfg").succeeds().stdout;
    let folder = folder();
    let file = write(folder.path(), "mine.json", &text);
    let by_file = rankspace("fgg check --json").arg(file).succeeds().json();
    let mut by_name = rankspace("fgg check pcfg --json").succeeds().json();
    by_name["file"] = by_file["file"].clone();
    assert_eq!(by_file, by_name);
    rankspace("fgg examples pcgf").refused().complains("did you mean `pcfg`?");
    rankspace("fgg check hsm").fails().complains("did you mean `hsmm`?");
    rankspace("fgg check none.json").fails().complains("there are hmm, hsmm, pcfg");
}

#[test]
fn check_tells_size_cycles_and_whether_it_is_a_b_fgg() {
    rankspace("fgg check hsmm")
        .succeeds()
        .prints("next [state, state] of rank 2")
        .prints("yes, X -> X: inference needs a sentence")
        .prints("yes: it can be rewritten");
    let text = rankspace("fgg examples hmm").succeeds().stdout;
    let folder = folder();
    let shared = text.replacen(
        r#"{"label": "X", "attachments": [0]}"#,
        r#"{"label": "X", "attachments": [0]}, {"label": "X", "attachments": [0]}"#,
        1,
    );
    let shared = shared.replacen(r#"[{"edge": 1}]"#, r#"[{"edge": 1}, {"edge": 2}]"#, 1);
    let file = write(folder.path(), "shared.json", &shared);
    rankspace("fgg check")
        .arg(&file)
        .succeeds()
        .prints("rule 0: two nonterminal edges touch the same node");
    let json = rankspace("fgg check --json").arg(&file).succeeds().json();
    assert_eq!(json["reason"], serde_json::json!([[0, "shared-node"]]));
    rankspace("fgg rewrite").arg(&file).fails().complains("the grammar is no B-FGG: rule 0:");
    let ran = rankspace("fgg infer --json").arg(&file).arg("the dog").succeeds();
    assert!(ran.json()["rank_space"].is_null() && ran.stderr.contains("in state space only"));
}

#[test]
fn rewrite_shows_the_new_factors_of_the_paper() {
    rankspace("fgg rewrite hmm")
        .succeeds()
        .prints("U = step.1   V = step.2   c = step.3[w]")
        .prints("M1 = startᵀ step.1   1 x 3")
        .prints("M2 = step.2ᵀ step.1   3 x 3")
        .prints("α[X] = step.3[w] ∘ (M2 α[X]) + 1ᵀ step.2 ∘ step.3[w]");
    rankspace("fgg rewrite pcfg")
        .succeeds()
        .prints("U = both.1   V1 = right.2   V2 = left.3")
        .prints("M1 = rootᵀ both.1   1 x 3")
        .prints("M2 = both.2ᵀ both.1   3 x 3")
        .prints("M3 = both.3ᵀ both.1   3 x 3")
        .prints("ᵀ emit[·,w]   3 x 1")
        .prints("(M2 α[X]) ∘ (M3 α[X])");
    rankspace("fgg rewrite hsmm").succeeds().prints("diag(emit[·,w1]) diag(length2) next.2");
    rankspace("fgg rewrite hmm").arg("the dog").succeeds().prints("1ᵀ step.2 ∘ step.3[dog]");
    let json = rankspace("fgg rewrite pcfg --json").succeeds().json();
    // A column of J for each word.
    let factors = json["factors"].as_array().expect("factors");
    assert_eq!(factors.len(), 5, "L, H, I, J, K and no other");
    let leaves = factors.iter().find(|f| f["u"] == "emit[·,w]");
    assert_eq!(leaves.expect("J")["values"].as_array().expect("words").len(), 8);
}

#[test]
fn infer_gives_the_same_sum_in_both_spaces_with_the_cost_of_each() {
    let ran = rankspace("fgg infer hsmm --json").args("a").arg("the old dog sleeps").succeeds();
    let lines = ran.json_lines();
    assert_eq!(lines.len(), 2);
    assert_eq!(lines[1]["derivations"], 7.0);
    for line in &lines {
        let log_z = |space: &str| line[space]["log_z"].as_f64().expect("a number");
        assert!((log_z("state_space") - log_z("rank_space")).abs() < 1e-12);
        assert!(line["cost"]["rank"].as_u64() <= line["cost"]["state_cpd"].as_u64());
    }
    rankspace("fgg infer pcfg").arg("dog").succeeds().prints("0 derivations").prints("Z = 0");
    rankspace("fgg infer pcfg dog cat").succeeds().complains("quotes make one sentence");
    rankspace("fgg infer pcfg")
        .fails()
        .complains("the grammar is cyclic: X -> X; with a sentence it is not");
    rankspace("fgg infer pcfg")
        .arg("a slepes")
        .fails()
        .complains("word 2, `slepes`, is no value of a word node, did you mean `sleeps`?");
    rankspace("fgg infer pcfg").arg(" ").fails().complains("an empty sentence");
    rankspace("fgg infer -")
        .input("[1]")
        .fails()
        .complains("standard input: the file: expected an object");
}

#[test]
fn an_hsmm_is_trained_on_a_file_of_sentences_and_can_be_used() {
    let folder = folder();
    let data = "the dog sleeps\nthe old cat saw a dog\n\na dog heard the cat\n".repeat(3);
    write(folder.path(), "data.txt", &data);
    let train = |out: &str| {
        rankspace("fgg train hsmm data.txt --seed 2 --steps 15 --json --out")
            .args(out)
            .within(folder.path())
    };
    let ran = train("a.json").succeeds();
    assert!(ran.stderr.contains("length1 + length2 + length3 sums to 1 for every state"), "{ran}");
    let object = ran.json();
    assert_eq!((object["sentences"].as_u64(), object["words"].as_u64()), (Some(9), Some(42)));
    let trained = object["log_likelihood"].as_f64().expect("a number");
    let infer = |grammar: &str| {
        let lines = ["the dog sleeps", "the old cat saw a dog", "a dog heard the cat"];
        let call = rankspace("fgg infer --json").args(grammar).within(folder.path());
        let ran = lines.iter().fold(call, |call, line| call.arg(line)).succeeds();
        let log_z =
            |line: &serde_json::Value| line["state_space"]["log_z"].as_f64().expect("a number");
        ran.json_lines().iter().map(log_z).sum::<f64>() * 3.0
    };
    assert!((infer("a.json") - trained).abs() < 1e-6);
    assert!(trained > infer("hsmm") + 10.0);
    // The same seed gives the same file, and nothing is overwritten.
    train("b.json").succeeds();
    let text = |name: &str| std::fs::read_to_string(folder.path().join(name)).expect("a file");
    assert_eq!(text("a.json"), text("b.json"));
    train("a.json").fails().complains("nothing is overwritten");
    write(folder.path(), "data.txt", "the dog\n\nthe bird\n");
    train("c.json").succeeds().complains("1 sentence left out; the first, line 3: word 2, `bird`");
}

#[test]
fn a_sentence_with_an_unknown_word_leaves_the_others_as_they_are() {
    let ran = rankspace("fgg infer hsmm --json").arg("the dog").arg("the zzz").arg("a cat").fails();
    assert_eq!(ran.json_lines().len(), 2, "{ran}");
    ran.complains("\"the zzz\": ").complains("1 of 3 sentences have no sum");
    let folder = folder();
    let data = "the dog sleeps\nthe zzz sleeps\nthe cat sleeps\n";
    write(folder.path(), "data.txt", data);
    let call = |data: &str, out: &str| {
        rankspace("fgg train hsmm --steps 2 --json --out")
            .args(out)
            .args(data)
            .within(folder.path())
    };
    let ran = call("data.txt", "a.json").succeeds();
    let object = ran.json();
    assert_eq!((object["sentences"].as_u64(), object["left_out"].as_u64()), (Some(2), Some(1)));
    ran.complains("data.txt: 1 sentence left out; the first, line 2: word 2, `zzz`");
    write(folder.path(), "bad.txt", "zzz\n");
    call("bad.txt", "b.json").fails().complains("bad.txt: line 1: word 1, `zzz`");
}
