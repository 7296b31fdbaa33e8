//! N-gram language models by the commands: one step, one evaluation, the same figures everywhere.

use crate::call::rankspace;
use serde_json::Value;
use std::path::Path;

fn train(folder: &Path, order: usize) -> Value {
    rankspace("train --preset ngram-5 --json --set")
        .arg(format!("model.order={order}"))
        .args("--out")
        .arg(format!("order-{order}"))
        .within(folder)
        .succeeds()
        .json()
}

#[test]
fn longer_ngrams_are_counted_in_one_step_and_predict_better_than_single_words() {
    let base = tempfile::tempdir().expect("temporary folder");
    let [one, five] = [1, 5].map(|order| train(base.path(), order));
    let perplexity = |figures: &Value| figures["dev"]["perplexity"].as_f64().expect("a figure");
    assert!(perplexity(&five) < 0.8 * perplexity(&one), "{five} against {one}");
    assert_eq!(five["best_epoch"], 1);
    assert!(five["dev"].get("s_f1").is_none(), "there are no trees: {five}");
    let test = rankspace("eval order-5 sample:test --json").within(base.path()).succeeds().json();
    assert_eq!(test["perplexity"], five["test"]["perplexity"]);
    rankspace("resume order-5").within(base.path()).succeeds().prints("finished at step 1");
    rankspace("watch order-5").within(base.path()).succeeds().prints("epoch 1  step 1  dev");
    for call in ["parse order-5", "eval order-5 sample:test --decode mbr"] {
        let ran = rankspace(call).within(base.path()).input("a dog\n").fails();
        ran.complains("an n-gram model is a language model and gives no trees");
    }
    let ran = rankspace("export order-5 out.pt").within(base.path()).fails();
    ran.complains("the published code has no model of the family ngram");
    assert!(!base.path().join("out.pt").exists() && !base.path().join("out.vocab").exists());
    rankspace("train --preset ngram-5 --set training.select=s_f1")
        .within(base.path())
        .refused()
        .complains("a language model gives no trees to score");
    rankspace("train --preset ngram-5 --set model.order=6")
        .within(base.path())
        .refused()
        .complains("a number from 1 to 5");
}

#[test]
fn a_sentence_is_as_surprising_as_its_tokens_together() {
    let base = tempfile::tempdir().expect("temporary folder");
    train(base.path(), 3);
    let lines = rankspace("score order-3 --tokens --json")
        .within(base.path())
        .input("The old woman read a letter .\nqwxz !\n")
        .succeeds()
        .json_lines();
    for line in &lines {
        let surprisals: Vec<f64> = line["surprisals"]
            .as_array()
            .expect("surprisals")
            .iter()
            .map(|s| s.as_f64().expect("a number"))
            .collect();
        assert_eq!(surprisals.len() as u64, line["words"].as_u64().expect("a count") + 1);
        let log_prob = line["log_prob"].as_f64().expect("a number");
        assert!((surprisals.iter().sum::<f64>() + log_prob).abs() < 1e-3, "{line}");
    }
    assert_eq!(lines.len(), 2);
}
