//! Experiment cards: written from runs, checked against data, and done again.

use crate::call::rankspace;
use crate::trained::{TINY, write_corpus};
use std::path::Path;

fn card(folder: &Path, arguments: &str) -> crate::call::Call {
    rankspace("card").args(arguments).within(folder)
}

#[test]
fn a_card_gets_the_figures_of_several_seeds_again_and_notices_other_data() {
    let base = tempfile::tempdir().expect("temporary folder");
    let base = base.path();
    write_corpus(base);
    rankspace("train --preset sample --set data.train=train.mrg --set data.dev=[] --seeds 2")
        .args("--set data.test=test.mrg --out group")
        .args(TINY)
        .within(base)
        .succeeds();
    let told = card(base, "group --out card").succeeds();
    told.prints("command: `rankspace train config.toml --seeds 2`").prints("| test | s_f1 |");
    let object = card(base, "group --json").succeeds().json();
    assert_eq!(object["seeds"].as_array().map(Vec::len), Some(2));
    assert_eq!(object["data"].as_array().map(Vec::len), Some(2));
    for name in ["card.json", "card.md", "config.toml"] {
        assert!(base.join("card").join(name).is_file(), "{name}");
    }
    card(base, "group --out card").fails().complains("nothing is overwritten");
    card(base, "card --check").succeeds().prints("the data is as it was: 2 files");
    let again = card(base, "card --rerun again").succeeds();
    assert!(again.stdout.trim_end().ends_with("figures as on the card"), "{again}");

    // A figure that is not the card's is told.
    let path = base.join("card/card.json");
    let mut forged: serde_json::Value =
        serde_json::from_slice(&std::fs::read(&path).expect("reads")).expect("JSON");
    forged["figures"]["test"]["s_f1"]["mean"] = 99.0.into();
    std::fs::write(base.join("forged.json"), forged.to_string()).expect("writes");
    let told = card(base, "forged.json --rerun forged").fails();
    told.prints("test s_f1: 99 on the card, now").complains("1 of");

    let text = std::fs::read_to_string(base.join("test.mrg")).expect("reads");
    std::fs::write(base.join("test.mrg"), text + "\n").expect("writes");
    card(base, "card --check").fails().complains("test.mrg").complains("1 of 2 data files");
    card(base, "card --rerun other").fails();
    assert!(!base.join("other").exists(), "nothing is trained on other data");
    card(base, "group/group-seed-0 --check").refused().complains("there is no card");
    card(base, "nowhere").fails();
}

#[test]
fn a_card_of_boosting_does_it_again() {
    let base = tempfile::tempdir().expect("temporary folder");
    let base = base.path();
    write_corpus(base);
    rankspace("boost --train train.mrg --test test.mrg --rounds 2 --out run")
        .within(base)
        .succeeds();
    card(base, "run --out card").succeeds().prints("rankspace boost config.toml");
    let again = card(base, "card --rerun again").succeeds();
    assert!(again.stdout.trim_end().ends_with("8 figures as on the card"), "{again}");
}
