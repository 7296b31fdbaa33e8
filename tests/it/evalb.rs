//! `evalb` against the stored output of the classic scorer, and on what that leaves undefined.

use crate::call::{Call, rankspace};
use crate::shared::shared;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

fn sorted(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("the folder can be listed");
    let mut paths: Vec<_> = entries.map(|entry| entry.expect("an entry").path()).collect();
    paths.sort();
    paths
}

/// Names of parameter files for which a folder has a stored output.
fn parameter_names(folder: &Path) -> Vec<String> {
    let names = sorted(folder).into_iter().filter_map(|path| {
        let name = path.file_name()?.to_str()?.to_owned();
        Some(name.strip_prefix("expected.")?.strip_suffix(".txt")?.to_owned())
    });
    names.collect()
}

fn scored(folder: &Path, parameters: Option<&Path>) -> Call {
    let call = rankspace("evalb").arg(folder.join("gold.mrg")).arg(folder.join("pred.mrg"));
    match parameters {
        Some(path) => call.arg("-p").arg(path),
        None => call,
    }
}

#[test]
fn golden_evalb_output_messages_and_exit_code_agree_with_every_stored_one() {
    let Some(all) = shared("data/evalb") else { return };
    let mut compared = 0;
    for folder in sorted(&all).into_iter().filter(|path| path.is_dir()) {
        for name in parameter_names(&folder) {
            let text = |end: &str| {
                fs::read_to_string(folder.join(format!("expected.{name}.{end}"))).expect("text")
            };
            let parameters = all.join(format!("{name}.prm"));
            let check = |call: Call, how: &str| {
                let (code, ran) = call.run();
                assert!(ran.stdout == text("txt"), "stdout with {how}: {ran}");
                assert_eq!(ran.stderr, text("err"), "stderr with {how}: {ran}");
                // Without the figures at the end, the classic scorer gave up.
                let gave_up = !text("txt").contains("=== Summary ===");
                assert_eq!(code, i32::from(gave_up), "with {how}: {ran}");
            };
            check(scored(&folder, Some(&parameters)), &name);
            if name == "collins" {
                check(scored(&folder, None), "no parameter file");
            }
            compared += 1;
        }
    }
    assert!(compared > 0, "no stored output in {}", all.display());
}

fn files(gold: &str, test: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("gold.mrg"), gold).expect("written");
    fs::write(folder.path().join("pred.mrg"), test).expect("written");
    folder
}

const GOLD: &str = "(TOP (S (NP (DT the) (NN dog)) (VP (VBZ barks))))\n(S (NN a) (VB b))\n\
                    (S (NP (NN c)) (VP (VB d)))\n";
const TEST: &str = "(TOP (S (NP (DT the) (NN dog)) (ADVP (VBZ barks))))\n(S (NN a) b)\n\
                    (S (NP (NN c)) (VP (VB d)))\n";

#[test]
fn figures_come_as_json_by_label_length_and_sentence() {
    let folder = files(GOLD, TEST);
    let options = ["--json", "--by-label", "--by-length=2", "--by-sentence"];
    let call = options.iter().fold(scored(folder.path(), None), |call, option| call.arg(option));
    let ran = call.succeeds().complains("2 : Word `b` stands between brackets in test file");
    let json = ran.json();
    assert_eq!(json["all"]["sentences"], 3);
    assert_eq!(json["all"]["errors"], 1);
    assert_eq!(json["all"]["counts"]["matched"], 5);
    assert_eq!(json["all"]["f1"], 100.0 * 5.0 / 6.0);
    assert_eq!(json["cutoff"]["max_length"], 40);
    assert_eq!(json["errors"][0]["line"], 2);
    let label = |name| {
        let labels = json["labels"].as_array().expect("a list");
        labels.iter().find(|l| l["label"] == name).expect("the label").clone()
    };
    assert_eq!((&label("VP")["recall"], &label("VP")["precision"]), (&50.0.into(), &100.0.into()));
    assert_eq!(label("ADVP")["precision"], 0.0);
    let bins: Vec<_> =
        json["lengths"].as_array().expect("a list").iter().map(|b| &b["from"]).collect();
    assert_eq!(bins, [1, 3]);
    assert_eq!(json["sentences"][1]["status"], "error");
    assert_eq!(json["sentences"][1]["f1"], "NaN");
    let spans = scored(folder.path(), None).args("--unlabelled --json").succeeds().json();
    assert_eq!(spans["all"]["counts"]["matched"], 6);
}

#[test]
fn tables_stand_behind_the_classic_output() {
    let folder = files(GOLD, TEST);
    let plain = scored(folder.path(), None).succeeds().stdout;
    let ran = scored(folder.path(), None).args("--by-label --by-length --by-sentence").succeeds();
    let tables = ran.stdout.strip_prefix(&plain).expect("the classic output comes first");
    assert_eq!(
        tables,
        "
-- By label: labelled brackets --
label             R      P     F1    gold    test
NP           100.00 100.00 100.00       2       2
S            100.00 100.00 100.00       2       2
VP            50.00 100.00  66.67       2       1
ADVP           0.00   0.00   0.00       0       1

-- By length: labelled brackets --
length            R      P     F1 sentences   valid complete
1-10          83.33  83.33  83.33         3       2    50.00

-- By sentence: labelled brackets --
  line length      R      P     F1 crossing status
     1      3  66.67  66.67  66.67        0 valid
     2      2   0.00   0.00      -        0 error
     3      2 100.00 100.00 100.00        0 valid
"
    );
}

#[test]
fn a_wrong_parameter_file_and_a_missing_file_are_told() {
    let folder = files(GOLD, TEST);
    let parameters = folder.path().join("my.prm");
    fs::write(&parameters, "CUTOFF_LEN 40\nDELET_LABEL TOP\n").expect("written");
    scored(folder.path(), Some(&parameters))
        .fails()
        .complains("my.prm: line 2: there is no parameter DELET_LABEL; is DELETE_LABEL meant?");
    fs::write(&parameters, "DEBUG 2\n").expect("written");
    scored(folder.path(), Some(&parameters)).succeeds().complains("line 1: DEBUG has no effect");
    rankspace("evalb nowhere.mrg")
        .arg(folder.path().join("pred.mrg"))
        .fails()
        .complains("nowhere.mrg");
}

#[test]
fn packed_files_and_standard_input_are_scored_as_plain_files_are() {
    let folder = files(GOLD, TEST);
    let plain = scored(folder.path(), None).succeeds();
    let (gold, test) = (folder.path().join("gold.mrg"), folder.path().join("pred.mrg"));
    for file in [&gold, &test] {
        let packed = folder.path().join("packed.gz");
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(&fs::read(file).expect("readable")).expect("a vector takes all");
        fs::write(&packed, encoder.finish().expect("a vector takes all")).expect("written");
        let pair = |f: &Path| if f == file.as_path() { packed.clone() } else { f.to_owned() };
        let ran = rankspace("evalb").arg(pair(&gold)).arg(pair(&test)).succeeds();
        assert_eq!((&ran.stdout, &ran.stderr), (&plain.stdout, &plain.stderr));
        let torn = fs::read(&packed).expect("readable");
        fs::write(&packed, &torn[..torn.len() - 12]).expect("written");
        let ran = rankspace("evalb").arg(pair(&gold)).arg(pair(&test)).fails();
        ran.complains("packed.gz");
    }
    let ran = rankspace("evalb -").arg(&test).input(GOLD).succeeds();
    assert_eq!((ran.stdout, ran.stderr), (plain.stdout, plain.stderr));
}

#[test]
fn files_that_are_not_one_tree_a_line_are_named_with_what_to_do() {
    let folder = files("(S (NP (NN c))\n   (VP (VB d)))\n", TEST);
    scored(folder.path(), None).run().1.complains("gold.mrg has trees over several lines");
    let folder = files(GOLD, "#BOS 1\na\tNN\t--\t--\t0\n#EOS 1\n");
    let pair = folder.path().join("gold.mrg");
    scored(folder.path(), None).run().1.complains("pred.mrg is NEGRA export").complains("convert");
    rankspace("significance").arg(&pair).arg(folder.path().join("pred.mrg")).arg(&pair).fails();
    let folder = files("", "");
    scored(folder.path(), None).succeeds().complains("nothing was scored: both files are empty");
}

#[test]
fn no_byte_of_a_treebank_reaches_the_terminal_as_a_command() {
    let folder = files("(S (NN a\u{1b}[2J))\n", "(S (NN b))\n");
    scored(folder.path(), None).succeeds().complains("1 : Words unmatch (a\u{fffd}[2J|b)");
}

#[test]
fn what_is_not_text_is_told_in_a_line() {
    let base = tempfile::tempdir().expect("a temporary folder");
    let path = base.path().join("random");
    std::fs::write(&path, b"(S \x00\x1b[2J\n".repeat(50)).expect("writes");
    let call = crate::call::rankspace("evalb").arg(&path).arg(&path).fails();
    assert_eq!(call.complains("this is not text").stderr.lines().count(), 1);
}

#[test]
fn files_of_unequal_length_are_compared_as_far_as_both_go_and_told() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let write =
        |name: &str, text: &str| fs::write(folder.path().join(name), text).expect("written");
    let tree = "(S (NP (NN a)) (VP (VB b)))\n";
    write("gold.mrg", &tree.repeat(3));
    write("pred.mrg", &tree.repeat(2));
    let (code, ran) = scored(folder.path(), None).run();
    assert_eq!((code, ran.stderr.lines().count()), (0, 1), "{ran}");
    ran.prints("Number of Valid sentence  =      2").complains("3 : Number of lines unmatch");
    let json = scored(folder.path(), None).args("--json").run().1.json();
    assert_eq!((&json["all"]["valid"], &json["all"]["f1"]), (&2.into(), &100.0.into()), "{json}");
    let call = || rankspace("significance gold.mrg gold.mrg pred.mrg").within(folder.path());
    let ran = call().fails().prints("2 sentences, 0 with different scores");
    ran.complains("3 in gold.mrg, 3 in gold.mrg, 2 in pred.mrg; only the first 2 were compared");
    // Blank lines at the end are no trees.
    write("pred.mrg", &(tree.repeat(3) + "\n"));
    assert_eq!(scored(folder.path(), None).run().0, 0);
    call().succeeds();
}

#[test]
fn a_folder_in_place_of_a_file_is_told_with_a_file_in_it() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    fs::create_dir(folder.path().join("d")).expect("made");
    for name in ["a.mrg", "d/b.mrg", "d/b.prm", "d/b.pt", "d/b.toml", "d/b.txt"] {
        fs::write(folder.path().join(name), "(S (NN a))\n").expect("written");
    }
    for (call, ending) in [
        ("evalb d a.mrg", "mrg"),
        ("evalb a.mrg d", "mrg"),
        ("evalb a.mrg a.mrg -p d", "prm"),
        ("significance a.mrg a.mrg d", "mrg"),
        ("train d", "toml"),
        ("corpus generate --grammar d", "txt"),
        ("import d --family rank-pcfg --corpus a.mrg --out x", "pt"),
    ] {
        let told = rankspace(call).within(folder.path()).fails();
        told.complains(&format!("d is a folder: name a file in it, e.g. d/b.{ending}\n"));
    }
}

#[test]
fn a_prediction_that_is_empty_fails_and_standard_input_is_one_file() {
    let folder = files(GOLD, "");
    let (code, ran) = scored(folder.path(), None).run();
    assert_eq!(code, 1, "{ran}");
    ran.complains("nothing was scored: the predicted file is empty");
    rankspace("evalb - -").input(GOLD).refused().complains("standard input can be one of the two");
}
