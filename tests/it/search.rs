//! `corpus search`.

use crate::call::rankspace;
use crate::shared::shared;

const TREES: &str = "(TOP (S (NP (DT the) (NN dog)) (VP (VBZ barks)) (. .)))\n\
                     (TOP (S (NP (PRP it)) (VP (VBZ sees) (NP (NP (DT a) (NN cat)) (PP (IN of) (NP \
                     (NNS dreams)))))))\n(oops\n";

#[test]
fn matches_are_told_with_their_place_and_counted() {
    let found = rankspace("corpus search").arg("NP < (NN=n $ DT)").arg("-").input(TREES).succeeds();
    assert_eq!(
        found.stdout,
        "standard input:1\t(NP (DT the) (NN dog))\nstandard input:2\t(NP (DT a) (NN cat))\n"
    );
    found.complains("2 matches in 2 of 2 trees").complains("3:1: tree is not closed");
    let count = rankspace("corpus search __ - --count").input(TREES).succeeds();
    count.prints("32 matches in 2 of 2 trees\n");
    let table = rankspace("corpus search --table w").arg("NN=w|NNS=w").arg("-").input(TREES);
    table.refused().complains("column");
    let table = rankspace("corpus search --table w").arg("@NP < (__=w < __)").arg("-").input(TREES);
    assert_eq!(table.succeeds().stdout, "2\tDT\n1\tNNS\n1\tNP\n1\tPRP\n");
    let whole = rankspace("corpus search --trees dog -").input(TREES).succeeds();
    assert_eq!(whole.stdout, "(TOP (S (NP (DT the) (NN dog)) (VP (VBZ barks)) (. .)))\n");
}

#[test]
fn json_lines_tell_what_names_stand_for() {
    let found =
        rankspace("corpus search --json").arg("PP=p . __=none | < (IN=i . /^d/=w)").arg("-");
    let found = found.input(TREES).succeeds();
    let line: serde_json::Value = serde_json::from_str(&found.stdout).expect("one JSON line");
    assert_eq!(line["tree"], 1);
    assert_eq!(line["found"]["words"], serde_json::json!([4, 6]));
    assert_eq!(line["named"]["i"]["text"], "(IN of)");
    assert_eq!(line["named"]["w"]["text"], "dreams");
    assert!(line["named"].get("none").is_none());
}

#[test]
fn what_cannot_be_searched_is_said() {
    rankspace("corpus search").arg("NP <").arg("-").input(TREES).refused().complains("column 5");
    let unnamed = rankspace("corpus search NP - --table x").input(TREES);
    unnamed.refused().complains("no node of the pattern has this name");
    let text = rankspace("corpus search NP -").input("the dog barks\n").succeeds();
    text.complains("1 sentence has no tree").complains("0 matches in 0 of 0 trees");
}

#[test]
fn the_phrases_of_a_treebank_are_as_many_as_their_labels_are_counted() {
    let Some(gum) = shared("data/treebanks/gum-open/dev.mrg") else { return };
    let stats = rankspace("corpus stats --json").arg(&gum).succeeds();
    let stats: serde_json::Value = serde_json::from_str(&stats.stdout).expect("JSON");
    for label in ["NP", "PP", "VP"] {
        // Words of the same spelling are matches too.
        let pattern = format!("{label} < (__ < __)");
        let found = rankspace("corpus search --count").arg(&pattern).arg(&gum).succeeds();
        let count = stats["labels"][label].as_u64().expect("the label is there");
        found.prints(&format!("{count} matches in "));
    }
}
