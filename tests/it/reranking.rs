//! Candidates made, converted, counted and reranked from the command line.

use crate::call::rankspace;
use std::path::{Path, PathBuf};

/// A treebank in which the attachment of `with` phrases hangs on the noun: what neither a grammar
/// nor weights on its rules see, and fragments of trees do.
fn treebank(folder: &Path) -> PathBuf {
    let mut text = String::new();
    let (nouns, tools) = (["dog", "cat", "boy", "fox", "hen"], ["stick", "rope", "net"]);
    for (i, noun) in nouns.iter().enumerate() {
        for (j, other) in nouns.iter().enumerate() {
            let subject = format!("(NP (DT the) (NN {noun}))");
            for tool in tools {
                text += &format!(
                    "(TOP (S {subject} (VP (VBD saw) (NP (DT a) (NN {other})) \
                     (PP (IN with) (NP (DT a) (NN {tool}))))))\n"
                );
            }
            let third = nouns[(i + j) % nouns.len()];
            text += &format!(
                "(TOP (S {subject} (VP (VBD saw) (NP (NP (DT a) (NN {other})) \
                 (PP (IN with) (NP (DT a) (NN {third})))))))\n"
            );
        }
    }
    let path = folder.join("trees.mrg");
    std::fs::write(&path, text).expect("writes");
    path
}

fn made(folder: &Path) -> PathBuf {
    let trees = treebank(folder);
    let out = folder.join("candidates");
    rankspace("candidates make --folds 5 -k 6 --set parser.min_count=1")
        .arg("--train")
        .arg(&trees)
        .arg("--dev")
        .arg(&trees)
        .arg("--out")
        .arg(&out)
        .succeeds()
        .prints("train");
    out
}

#[test]
fn candidates_are_made_by_jackknifing_and_reranked_by_every_kernel() {
    let base = tempfile::tempdir().expect("a folder");
    let out = made(base.path());
    let train = std::fs::read_to_string(out.join("train.jsonl")).expect("written");
    assert_eq!(train.lines().count(), 100);
    assert!(train.lines().next().expect("a line").contains("\"fold\":0"));
    assert!(train.lines().last().expect("a line").contains("\"fold\":4"));
    for kernel in ["tree", "fisher", "top", "top-efficient"] {
        let model = base.path().join(format!("{kernel}.safetensors"));
        let trained = rankspace("rerank train --json --kernel")
            .arg(kernel)
            .arg(out.join("train.jsonl"))
            .arg("--dev")
            .arg(out.join("dev.jsonl"))
            .arg("--set")
            .arg("rerank.epochs=3")
            .arg("--set")
            .arg("rerank.scales=[0.01, 1, 100]")
            .arg("--out")
            .arg(&model)
            .succeeds()
            .json();
        let applied = rankspace("rerank apply --json --by-length")
            .arg(&model)
            .arg(out.join("dev.jsonl"))
            .arg("--trees")
            .arg(base.path().join(format!("{kernel}.mrg")))
            .arg("--table")
            .arg(base.path().join(format!("{kernel}.tsv")))
            .succeeds()
            .json();
        let f1 = |system: &str| applied[system]["f1"].as_f64().expect("a figure");
        assert_eq!(f1("oracle"), 100.0, "{kernel}: {applied}");
        let p = applied["p"]["f1"].as_f64().expect("a figure");
        match kernel {
            "tree" => assert!(f1("reranked") > f1("base") + 1.0 && p < 0.05, "{kernel}: {applied}"),
            _ => assert!(f1("reranked") >= f1("base"), "{kernel}: {applied}"),
        }
        let told = trained["chosen"]["dev_f1"].as_f64().expect("a figure");
        assert!((told - f1("reranked")).abs() < 1e-9, "{kernel}: {trained}");
        // The trees that were written score the same.
        let scored = rankspace("evalb --json")
            .arg(base.path().join("trees.mrg"))
            .arg(base.path().join(format!("{kernel}.mrg")))
            .succeeds()
            .json();
        let again = scored["all"]["f1"].as_f64().expect("a figure");
        assert!((again - f1("reranked")).abs() < 1e-9, "{kernel}: {scored}");
        let explained = rankspace("rerank explain --json --top 3 --sentence 4 --candidate 2")
            .arg(&model)
            .arg(out.join("dev.jsonl"))
            .succeeds()
            .json();
        let number = |value: &serde_json::Value| value.as_f64().expect("a figure");
        let decisions = explained["decisions"].as_array().expect("a list");
        let shown: f64 = decisions.iter().map(|d| number(&d["part"])).sum();
        let sum = number(&explained["log_prob"]) + shown + number(&explained["others"]["part"]);
        let margin = number(&explained["margin"]);
        assert!(margin != 0.0, "{kernel}: {explained}");
        assert!((sum - margin).abs() <= 1e-6 * margin.abs().max(1.0), "{kernel}: {explained}");
    }
    // Sentences keep their numbers where others are left out.
    let text = std::fs::read_to_string(out.join("dev.jsonl")).expect("written");
    let lists = base.path().join("longer.jsonl");
    let longer = text.replacen("(DT the)", "(DT the) (RB very)", 1);
    let (first, rest) = longer.split_once('\n').expect("lines");
    let first = first.replace("(DT the) (NN", "(DT the) (RB very) (NN");
    std::fs::write(&lists, format!("{first}\n{rest}")).expect("writes");
    let applied = rankspace("rerank apply --json --max-length 8")
        .arg(base.path().join("tree.safetensors"))
        .arg(&lists)
        .succeeds()
        .complains("1 of 100 sentences left out")
        .json();
    let numbers: Vec<u64> = serde_json::from_value(applied["numbers"].clone()).expect("a list");
    assert_eq!(numbers, Vec::from_iter(2..=100));
}

#[test]
fn long_sentences_are_learned_from_and_left_out_where_it_is_asked_for() {
    let base = tempfile::tempdir().expect("a folder");
    let trees = treebank(base.path());
    let mut text = std::fs::read_to_string(&trees).expect("written");
    text += &"(TOP (S (NP (DT the) (NN net)) (VP (VBD saw))))\n".repeat(12);
    std::fs::write(&trees, text).expect("writes");
    let make = |name: &str, more: &str| {
        let out = base.path().join(name);
        rankspace("candidates make --folds 4 -k 3 --set parser.min_count=1")
            .args(more)
            .arg("--train")
            .arg(&trees)
            .arg("--out")
            .arg(&out)
            .succeeds();
        std::fs::read_to_string(out.join("train.jsonl")).expect("written")
    };
    let (all, short) = (make("all", ""), make("short", "--max-length 3"));
    assert_eq!((all.lines().count(), short.lines().count()), (112, 12));
    // The parsers are the same, so the lists are.
    assert!(all.ends_with(&short), "{short}");
    let stats = |most: &str| {
        let lists = base.path().join("all/train.jsonl");
        rankspace("candidates stats --json").arg(lists).arg("--max-length").arg(most)
    };
    assert_eq!(stats("3").succeeds().json()["lists"][0]["sentences"], 12);
    stats("3").succeeds().complains("100 of 112 sentences left out, of more than 3 words");
    stats("2").fails().complains("no sentence has 2 words or fewer");
}

#[test]
fn making_candidates_goes_on_where_it_was_stopped() {
    let base = tempfile::tempdir().expect("a folder");
    let out = made(base.path());
    let whole = std::fs::read(out.join("train.jsonl")).expect("written");
    for lost in ["folds/fold-002.jsonl", "train.jsonl", "dev.jsonl"] {
        std::fs::remove_file(out.join(lost)).expect("was there");
    }
    let again = made(base.path());
    assert_eq!(std::fs::read(again.join("train.jsonl")).expect("written"), whole);
    rankspace("candidates make --folds 4 --train")
        .arg(base.path().join("trees.mrg"))
        .arg("--out")
        .arg(&out)
        .fails()
        .complains("candidates of other settings");
}

#[test]
fn all_versions_of_the_weights_may_vote_and_come_back_from_the_file() {
    let base = tempfile::tempdir().expect("a folder");
    let out = made(base.path());
    for kernel in ["tree", "top-efficient"] {
        let model = base.path().join(format!("{kernel}.safetensors"));
        let trained = rankspace("rerank train --json --set rerank.vote=voted --kernel")
            .arg(kernel)
            .arg(out.join("train.jsonl"))
            .arg("--dev")
            .arg(out.join("dev.jsonl"))
            .arg("--out")
            .arg(&model)
            .succeeds()
            .json();
        let applied = rankspace("rerank apply --json")
            .arg(&model)
            .arg(out.join("dev.jsonl"))
            .succeeds()
            .json();
        let told = trained["chosen"]["dev_f1"].as_f64().expect("a figure");
        let found = applied["reranked"]["f1"].as_f64().expect("a figure");
        assert!((told - found).abs() < 1e-9, "{kernel}: {told} {found}");
    }
}

const BLLIP: &str = "2\ta\n-3.5\n(S1 (S (NP (NN dogs)) (VP (VBP bark))))\n-4\n\
    (S1 (NP (NN dogs) (NN bark)))\n\n0\tb\n\n1\tc\n-x\n(S1 (NN no))\n";

#[test]
fn foreign_lists_are_converted_with_every_drop_told_and_gold_trees_put_in() {
    let base = tempfile::tempdir().expect("a folder");
    let (lists, gold) = (base.path().join("x.bllip"), base.path().join("gold.mrg"));
    std::fs::write(&lists, BLLIP).expect("writes");
    let trees =
        "( (S (NP-SBJ (NNS dogs)) (VP (VBP bark) (NP (-NONE- *)))))\n(S (NN so))\n(S (NN no))\n";
    std::fs::write(&gold, trees).expect("writes");
    let converted = rankspace("candidates convert")
        .arg(&lists)
        .arg("--gold")
        .arg(&gold)
        .succeeds()
        .complains("format bllip, logarithms to the base 2")
        .complains("line 7: the sentence has no candidate")
        .complains("line 10: dropped: the score is \"-x\"");
    let sentences = converted.json_lines();
    assert_eq!(sentences.len(), 3);
    assert_eq!(sentences[0]["gold"], "(S (NP (NNS dogs)) (VP (VBP bark)))");
    let score = sentences[0]["candidates"][0]["log_prob"].as_f64().expect("a number");
    assert!((score + 3.5 * std::f64::consts::LN_2).abs() < 1e-12);
    assert_eq!(sentences[1]["gold"], "(S (NN so))");
    let file = base.path().join("ours.jsonl");
    std::fs::write(&file, converted.stdout).expect("writes");
    let stats = rankspace("candidates stats --json").arg(&file).arg(&file).succeeds().json();
    assert_eq!(stats["lists"][0]["sentences"], 3);
    assert_eq!(stats["lists"][0]["empty"], 2);
    assert_eq!(stats["lists"][0]["oracle"]["f1"], 100.0);
    assert_eq!(stats["comparison"]["overlap"], 100.0 / 3.0);
    rankspace("candidates stats").arg(&file).succeeds().prints("oracle of 2");
    let others = base.path().join("others.txt");
    std::fs::write(&others, "1 x\n-3\n(S (NN other))\n").expect("writes");
    let stats = || rankspace("candidates stats").arg(&file).arg(&others);
    stats().succeeds().complains("the files have no sentence in common");
    let stats = stats().args("--json").succeeds().json();
    let apart = serde_json::json!({ "sentences": 0, "alone": [3, 1] });
    assert_eq!(stats["comparison"], apart);
    rankspace("candidates convert --to charniak-johnson")
        .arg(&lists)
        .fails()
        .complains("3 sentences without a gold tree");
    rankspace("candidates stats").arg(&gold).fails();
}

#[test]
fn what_is_no_reranker_or_holds_nothing_to_learn_is_refused() {
    let base = tempfile::tempdir().expect("a folder");
    let lists = base.path().join("x.bllip");
    std::fs::write(&lists, BLLIP).expect("writes");
    let model = base.path().join("m.safetensors");
    rankspace("rerank train --kernel tree")
        .arg(&lists)
        .arg("--out")
        .arg(&model)
        .fails()
        .complains("x.bllip: no list has a gold tree: nothing can be learned");
    assert!(!model.exists());
    rankspace("rerank apply").arg(&lists).arg(&lists).fails().complains("is not a checkpoint");
    rankspace("rerank train x.jsonl").refused();
}

#[test]
fn a_history_based_parser_makes_candidates_and_the_kernel_to_rerank_them() {
    let base = tempfile::tempdir().expect("a folder");
    let trees = treebank(base.path());
    let run = base.path().join("ssn");
    rankspace("ssn train --set ssn.hidden=8 --set ssn.min_count=1 --set training.epochs=6 --set threads=1")
        .arg("--train")
        .arg(&trees)
        .arg("--dev")
        .arg(&trees)
        .arg("--out")
        .arg(&run)
        .succeeds();
    let out = base.path().join("candidates");
    let make = |call: crate::call::Call| {
        call.arg("--train")
            .arg(&trees)
            .arg("--dev")
            .arg(&trees)
            .arg("--parser")
            .arg(&run)
            .arg("--out")
            .arg(&out)
    };
    make(rankspace("candidates make -k 6 --folds 3"))
        .succeeds()
        .complains("the parser may know the training sentences");
    let lists = |name: &str| out.join(name);
    for (kernel, set) in [
        ("top-efficient", "rerank.score=list"),
        ("top", "rerank.score=model"),
        ("fisher", "rerank.weights=all"),
    ] {
        let model = base.path().join(format!("{kernel}.safetensors"));
        let trained = rankspace("rerank train --json --kernel")
            .arg(kernel)
            .arg("--set")
            .arg(set)
            .arg("--ssn")
            .arg(&run)
            .arg(lists("train.jsonl"))
            .arg("--dev")
            .arg(lists("dev.jsonl"))
            .arg("--out")
            .arg(&model)
            .succeeds()
            .json();
        let applied =
            rankspace("rerank apply --json").arg(&model).arg(lists("dev.jsonl")).succeeds().json();
        let told = trained["chosen"]["dev_f1"].as_f64().expect("a figure");
        let found = applied["reranked"]["f1"].as_f64().expect("a figure");
        assert!((told - found).abs() < 1e-9, "{kernel}: {told} {found}");
        rankspace("rerank explain --sentence 1 --candidate 2")
            .arg(&model)
            .arg(lists("dev.jsonl"))
            .succeeds()
            .prints("log-probability");
    }
    // A run with the parser in its settings learns the same.
    let config = base.path().join("rerank.toml");
    let text = format!(
        "kind = \"rerank\"\n[data]\ntrain = [{:?}]\ndev = [{:?}]\n[rerank]\nssn = {run:?}\n",
        lists("train.jsonl"),
        lists("dev.jsonl"),
    );
    std::fs::write(&config, &text).expect("writes");
    let reranker = base.path().join("reranker");
    let trained =
        rankspace("train --json").arg(&config).arg("--out").arg(&reranker).succeeds().json();
    let model = base.path().join("top-efficient.safetensors");
    let [ours, theirs] = [&reranker, &model].map(|path| {
        let applied = rankspace("rerank apply --json").arg(path).arg(lists("dev.jsonl"));
        applied.succeeds().json()
    });
    assert_eq!(ours["chosen"], theirs["chosen"]);
    assert_eq!(trained["dev"]["f1"], ours["reranked"]["f1"]);
    for (ssn, said) in [
        (base.path().join("nowhere"), "rerank.ssn: "),
        (trees.clone(), "is no file of a history-based parser"),
        (reranker.clone(), "is a run of rerank, not of ssn"),
        (model.clone(), "of the kind reranker, and no history-based parser"),
    ] {
        let made = base.path().join("refused");
        rankspace("train")
            .arg(&config)
            .arg("--set")
            .arg(format!("rerank.ssn={ssn:?}"))
            .arg("--out")
            .arg(&made)
            .fails()
            .complains(said);
        assert!(!made.exists(), "{said}");
    }
    rankspace("rerank train --kernel tree --ssn")
        .arg(&run)
        .arg(lists("train.jsonl"))
        .arg("--out")
        .arg(base.path().join("none"))
        .refused()
        .complains("the kernel tree is derived from none");
    rankspace("rerank train --kernel top-efficient --set rerank.weights=all --ssn")
        .arg(&run)
        .arg(lists("train.jsonl"))
        .arg("--out")
        .arg(base.path().join("none"))
        .fails()
        .complains("is of output weights");
    let cost = rankspace("rerank train --json --cost=5 --ssn")
        .arg(&run)
        .arg(lists("train.jsonl"))
        .succeeds()
        .json();
    let non_zeros = |i: usize| cost[i]["non_zeros"].as_u64().expect("a number");
    assert_eq!(cost[0]["kernel"], "top-efficient");
    assert!(non_zeros(0) > 0 && non_zeros(0) < non_zeros(1), "{cost}");
}

#[test]
fn a_reranker_is_trained_in_a_run_folder_like_every_model() {
    let base = tempfile::tempdir().expect("a folder");
    let out = made(base.path());
    let (train, dev) = (out.join("train.jsonl"), out.join("dev.jsonl"));
    let config = base.path().join("config.toml");
    let text = format!(
        "kind = \"rerank\"\n[data]\ntrain = [{train:?}]\ndev = [{dev:?}]\n[rerank]\n\
         kernel = \"tree\"\nepochs = 3\nscales = [0.01, 1, 100]\n"
    );
    std::fs::write(&config, text).expect("writes");
    let run = base.path().join("run");
    let trained = rankspace("train --json").arg(&config).arg("--out").arg(&run).succeeds().json();
    let told = trained["dev"]["f1"].as_f64().expect("a figure");
    let applied = rankspace("rerank apply --json")
        .arg(run.join("checkpoints/best.safetensors"))
        .arg(&dev)
        .succeeds()
        .json();
    let f1 = applied["reranked"]["f1"].as_f64().expect("a figure");
    assert!((told - f1).abs() < 1e-9, "{trained} {applied}");
    rankspace("watch").arg(&run).succeeds().prints("dev  F1").prints("F1 of the base choices");
    rankspace("resume").arg(&run).fails().complains("has its reranker already");
    // Trees are no lists.
    rankspace("train")
        .arg(&config)
        .arg("--set")
        .arg(format!("data.train=[{:?}]", base.path().join("trees.mrg")))
        .fails()
        .complains("holds no candidate lists");
}

#[test]
fn no_file_that_is_read_is_written_to() {
    let base = tempfile::tempdir().expect("a temporary folder");
    let base = base.path();
    made(base);
    let kept = std::fs::read(base.join("candidates/dev.jsonl")).expect("reads");
    for command in [
        "candidates convert candidates/dev.jsonl --to bllip --force --out candidates/dev.jsonl",
        "rerank train candidates/train.jsonl --dev candidates/dev.jsonl --force --out \
         ./candidates/../candidates/dev.jsonl",
    ] {
        rankspace(command).within(base).refused().complains("is read from: name another file");
    }
    assert!(std::fs::read(base.join("candidates/dev.jsonl")).expect("reads") == kept);
}

#[test]
fn what_cannot_be_made_or_read_is_told_and_the_rest_is_done() {
    let base = tempfile::tempdir().expect("a folder");
    let folder = base.path();
    let out = made(folder);
    let call = |text: &str| rankspace(text).within(folder);
    let make = "candidates make --train more.mrg --dev trees.mrg --set parser.min_count=1 --out";
    let more = std::fs::read_to_string(folder.join("trees.mrg")).expect("written")
        + "(TOP (S (NP (DT the) (NN dog)) (VP (VBD saw) (NP (DT a) (NN cat)) (PP (IN with) (NP (DT \
           a) (JJ red) (NN stick))))))\n";
    std::fs::write(folder.join("more.mrg"), more).expect("written");
    call(make).args("short --folds 5 --max-length 1").fails().complains("no sentence of train has");
    assert!(!folder.join("short").exists(), "a folder is made only for lists that can be made");
    let ran = call(make).args("some --folds 5 --max-length 8").succeeds();
    ran.complains("note: train: 1 of 101 sentences left out, of more than 8 words");
    for (rest, said) in [
        ("x --folds 1", "expected a whole number from 2 to 1000"),
        ("x --parser p --fold-parser q", "--fold-parser: name two or more"),
    ] {
        call(make).args(rest).refused().complains(said);
    }
    // Lists of one candidate teach nothing, those behind them do.
    let lists = std::fs::read_to_string(out.join("train.jsonl")).expect("written");
    let single = |line: &str| {
        let mut list: serde_json::Value = serde_json::from_str(line).expect("an object");
        list["candidates"].as_array_mut().expect("a list").truncate(1);
        list.to_string() + "\n"
    };
    let mixed = lists.lines().enumerate();
    let mixed: String =
        mixed.map(|(i, line)| if i < 10 { single(line) } else { format!("{line}\n") }).collect();
    std::fs::write(folder.join("mixed.jsonl"), mixed).expect("written");
    let ran = call("rerank train mixed.jsonl --sizes 10,60 --dev candidates/dev.jsonl").succeeds();
    assert!(ran.stdout.contains("       60 "), "{ran}");
    ran.complains("of the first 10 lists: no sentence has a gold tree and two candidates");
    // Read as another format there is nothing of it left.
    let ran = call("candidates convert mixed.jsonl --format bllip --out x.jsonl").fails();
    ran.complains("mixed.jsonl: nothing could be read as bllip: ");
    assert!(!folder.join("x.jsonl").exists());
}
