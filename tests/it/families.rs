//! Commands on the families of grammars beside the rank-space PCFG.

use crate::call::rankspace;
use crate::trained::{TINY, write_corpus};
use rankspace::checkpoint::Checkpoint;
use rankspace::config::{Config, Family};
use rankspace::model;
use std::path::Path;
use std::sync::OnceLock;

const PRESETS: [&str; 4] = ["tdpcfg-small", "npcfg-small", "cpcfg-small", "lpcfg-toy"];

/// A folder with a corpus and a run named like each preset, made once.
fn trained() -> &'static Path {
    static FOLDER: OnceLock<tempfile::TempDir> = OnceLock::new();
    let folder = FOLDER.get_or_init(|| {
        let folder = tempfile::tempdir().expect("a temporary folder");
        write_corpus(folder.path());
        for preset in PRESETS {
            let call = rankspace("train --set data.train=train.mrg --set data.test=test.mrg");
            let call = call.args(&format!("--preset {preset} --out {preset}")).args(TINY);
            let call = call.args(
                "--set training.learning_rate=0.01 --set model.latent=4 --set model.encoder=6",
            );
            call.args("--set model.encoder_embedding=5").within(folder.path()).succeeds();
        }
        folder
    });
    folder.path()
}

fn figure(run: &str, decode: &str, key: &str) -> f64 {
    let call = rankspace(&format!("eval {run} test.mrg --json {decode}")).within(trained());
    let figures = call.succeeds().json();
    figures[key].as_f64().unwrap_or_else(|| panic!("{run}: {key} of {figures}"))
}

#[test]
fn every_family_learns_and_is_evaluated() {
    for preset in PRESETS {
        let events = std::fs::read_to_string(trained().join(preset).join("events.jsonl"));
        let train: Vec<f64> = events
            .expect("the run has events")
            .lines()
            .map(|line| serde_json::from_str::<serde_json::Value>(line).expect("JSON"))
            .filter(|e| e["type"] == "evaluation" && e["split"] == "train")
            .map(|e| e["metrics"]["perplexity"].as_f64().expect("a perplexity"))
            .collect();
        let [first, second] = train[..] else { panic!("two epochs: {train:?}") };
        assert!(second < first, "{preset}: {train:?}");
        assert!(figure(preset, "", "perplexity").is_finite(), "{preset}");
        assert!((0.0..=100.0).contains(&figure(preset, "", "s_f1")), "{preset}");
    }
}

#[test]
fn best_derivations_are_given_where_there_is_a_rule_tensor_and_refused_elsewhere() {
    for preset in &PRESETS[1..] {
        let same = |key| {
            let (mbr, viterbi) = ("--decode mbr", "--decode viterbi");
            assert_eq!(figure(preset, mbr, key), figure(preset, viterbi, key), "{preset}");
        };
        same("perplexity");
        same("sentences");
        let call = format!("parse {preset} --format json --labels --decode viterbi test.mrg");
        let lines = rankspace(&call).within(trained()).succeeds().json_lines();
        assert_eq!(lines.len(), 20);
        for line in lines {
            let number = |key: &str| line[key].as_f64().expect("a number");
            assert!(number("derivation_log_prob") <= number("log_prob") + 1e-4, "{line}");
            assert!(line["spans"][0]["label"].is_string(), "{line}");
        }
    }
    for command in ["eval tdpcfg-small test.mrg", "parse tdpcfg-small test.mrg"] {
        let call = rankspace(&format!("{command} --decode viterbi")).within(trained());
        call.fails().complains("a td-pcfg has no rule tensor");
    }
    let call = rankspace("train --preset sample --set evaluation.decode=viterbi");
    let (code, ran) = call.within(trained()).run();
    assert_ne!(code, 0);
    ran.complains("evaluation.decode").complains("n-pcfg, c-pcfg, lpcfg");
}

#[test]
fn labelled_trees_name_nonterminals_and_preterminals_of_every_family() {
    for preset in PRESETS {
        let call = rankspace(&format!("parse {preset} --labels")).within(trained());
        let ran = call.input("The dog barks.\n").succeeds();
        assert!(ran.stdout.starts_with("(N") && ran.stdout.contains("(T"), "{preset}: {ran}");
    }
}

#[test]
fn figures_of_a_compound_grammar_are_marked_as_a_bound() {
    let eval = |run: &str, how: &str| {
        rankspace(&format!("eval {run} test.mrg {how}")).within(trained()).succeeds()
    };
    eval("cpcfg-small", "").prints("the ELBO at the posterior mean");
    assert_eq!(eval("cpcfg-small", "--json").json()["bound"], "ELBO at the posterior mean");
    assert!(eval("npcfg-small", "--json").json()["bound"].is_null());
}

#[test]
fn a_rule_tensor_that_no_memory_holds_is_refused_in_words() {
    let call = rankspace("train --preset npcfg-small --set model.nonterminals=20000");
    let ran = call.args("--set model.preterminals=40000").within(trained()).fails();
    ran.complains("GiB are free").complains("fewer symbols");
}

#[test]
fn weights_of_every_family_leave_as_a_torch_file_and_come_back() {
    let base = trained();
    for (preset, family) in PRESETS.iter().zip(["td-pcfg", "n-pcfg", "c-pcfg", "lpcfg"]) {
        let (file, back) = (format!("{preset}.pt"), format!("{preset}-back.safetensors"));
        rankspace(&format!("export {preset} {file}")).within(base).succeeds();
        let vocabulary = file.replace(".pt", ".vocab");
        let call = rankspace(&format!("import {file} --family {family} --vocabulary {vocabulary}"));
        call.args(&format!("--out {back} --set data.preset=plain")).within(base).succeeds();
        let load = |path: &Path| Checkpoint::load(path).unwrap_or_else(|e| panic!("{e}"));
        let (ours, again) =
            (load(&base.join(preset).join("checkpoints/best.safetensors")), load(&base.join(back)));
        assert_eq!(ours.config.model.family, again.config.model.family);
        let show = |c: &Checkpoint| -> Vec<(String, String)> {
            c.weights.iter().map(|(name, t)| (name.clone(), t.to_string())).collect()
        };
        assert_eq!(show(&ours), show(&again), "{preset}");
        assert_eq!(ours.vocabulary.words(), again.vocabulary.words(), "{preset}");
    }
}

#[test]
fn what_cannot_be_imported_or_exported_is_told_with_what_can() {
    let base = trained();
    let call = |call: &str| rankspace(call).within(base);
    call("export lpcfg-toy no/a.pt").fails().complains("no/a.pt: there is no folder no");
    let import = "--vocabulary v --out w.safetensors";
    let ours = call("import lpcfg-toy/checkpoints/best.safetensors --family lpcfg").args(import);
    ours.fails().complains("it is a checkpoint of rankspace already");
    let family = call("import a.pt --family lpcgf").args(import).refused();
    family.complains("did you mean `lpcfg`?");
    let set = call("import a.pt --family lpcfg --set training.epoch=3").args(import).refused();
    set.complains("--set training.epoch=3: unknown key `epoch`, did you mean `epochs`?");
    let set = call("import a.pt --family lpcfg --set model.states=3").args(import).fails();
    set.complains("warning: the family lpcfg does not use model.states");
}

#[test]
fn sizes_that_a_family_is_told_not_to_use_change_no_shape_and_the_others_do() {
    for family in Family::ALL.into_iter().filter(|family| !family.is_counted()) {
        let shapes = |setting: &str| {
            let settings = [format!("model.family={}", family.name()), setting.to_owned()];
            let config = Config::from_toml("c", "", &settings).unwrap_or_else(|e| panic!("{e}"));
            (model::shapes(&config, 20), config.without_effect())
        };
        for size in [
            "nonterminals",
            "preterminals",
            "states",
            "rank",
            "embedding",
            "latent",
            "encoder",
            "encoder_embedding",
        ] {
            let key = format!("model.{size}");
            let (usual, _) = shapes("seed=0");
            let (changed, without_effect) = shapes(&format!("{key}=17"));
            let is_used = usual != changed;
            let told: Vec<&str> = if is_used { vec![] } else { vec![&key] };
            assert_eq!(without_effect, told, "{}: {key}", family.name());
        }
    }
}
