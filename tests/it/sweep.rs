//! Settings varied as one experiment: trained, gone on with, and put into tables.

use crate::call::{Call, rankspace};
use crate::terminal::{Session, bytes_of};
use rankspace::workbench::ScreenId::Runs;
use std::path::Path;

/// A sweep of seconds on the bundled sample.
fn sweep(folder: &Path, vary: &str) -> Call {
    let call = rankspace("sweep --preset sample --set model.nonterminals=5 --set model.rank=6")
        .args("--set model.preterminals=8 --set model.embedding=8 --set data.max_length=10")
        .args("--set evaluation.max_length=8 --set training.max_steps=4 --set threads=1")
        .args("--set training.epochs=1 --set seed=4 --out s");
    call.args(vary).within(folder)
}

const VARY: &str = "--vary model.rank=4,40 --vary training.clip=1,3.0 --seeds 2";

#[test]
fn every_choice_of_values_is_trained_once_and_tabulated() {
    let base = tempfile::tempdir().expect("temporary folder");
    let ran = sweep(base.path(), VARY).args("--json").succeeds();
    let object = ran.json();
    let points = object["points"].as_array().expect("points");
    let values: Vec<(&str, &str)> = points
        .iter()
        .map(|p| {
            let value = |key| p["values"][key].as_str().expect("a value");
            (value("model.rank"), value("training.clip"))
        })
        .collect();
    assert_eq!(values, [("4", "1"), ("4", "3.0"), ("40", "1"), ("40", "3.0")]);
    for point in points {
        assert_eq!((&point["finished"], &point["seeds"]), (&2.into(), &2.into()));
        assert_eq!(point["dev"]["s_f1"]["count"], 2);
    }
    let folder = base.path().join("s");
    let read = |name: &str| std::fs::read_to_string(folder.join(name)).expect("it is written");
    let csv = read("table.csv");
    let lines: Vec<&str> = csv.lines().collect();
    assert_eq!(lines.len(), 5);
    assert!(lines[0].starts_with("model.rank,training.clip,finished,seeds,dev_s_f1,dev_s_f1_sd"));
    let mean: f64 = lines[2].split(',').nth(4).expect("a figure").parse().expect("a number");
    assert_eq!(Some(mean), points[1]["dev"]["s_f1"]["mean"].as_f64());
    let latex = read("table.tex");
    assert!(latex.contains("rank & clip & dev S-F1") && latex.contains("$\\pm$"), "{latex}");
    // A curve for every value of the second setting on both splits, each with two points.
    let svg = read("figure.svg");
    assert_eq!(svg.matches("<polyline").count(), 4, "{svg}");
    assert!(svg.contains("S-F1 by model.rank") && svg.contains("model.rank (logarithmic)"));

    // Each run is one as any other, with the settings of its point.
    let config = read("rank-40_clip-1/rank-40_clip-1-seed-5/config.toml");
    assert!(config.contains("rank = 40") && config.contains("clip = 1.0"), "{config}");
    rankspace("watch s").within(base.path()).fails().complains("the runs of a sweep");

    // What a row of the table is made of comes out again by its card.
    let card = |arguments: &str| rankspace("card").args(arguments).within(base.path());
    card("s").fails().complains("is a sweep: name one of the folders in it");
    card("s/rank-40_clip-1 --out card").succeeds().prints("--seeds 2").prints("| dev | s_f1 |");
    let again = card("card --rerun again").succeeds();
    assert!(again.stdout.trim_end().ends_with("figures as on the card"), "{again}");

    // Nothing is trained twice; a third seed is added to every point.
    let again = sweep(base.path(), VARY).succeeds();
    again.prints("model.rank=40 training.clip=1  seed 5  finished before").prints("2/2");
    let more = sweep(base.path(), &VARY.replace("seeds 2", "seeds 3")).succeeds();
    more.prints("run folder s/rank-4_clip-1/rank-4_clip-1-seed-6").prints("3/3");
    rankspace("resume s").within(base.path()).succeeds().prints("3/3");
}

#[test]
fn a_sweep_that_cannot_be_is_refused_before_anything_is_made() {
    let base = tempfile::tempdir().expect("temporary folder");
    for (vary, said) in [
        ("", "--vary <KEY=A,B,C>"),
        ("--vary model.rank", "expected KEY=A,B,C"),
        ("--vary model.rang=4,8", "--vary model.rang=4: unknown key `rang`, did you mean `rank`?"),
        ("--vary model.rank=4,zero", "--vary model.rank=zero"),
        ("--vary model.rank=4,0", "model.rank"),
        ("--vary model.rank=4 --vary model.rank=8", "given twice"),
        ("--vary seed=1,2", "--seeds N"),
        ("--vary model.rank=4 --seeds 0", "from 1 to 1000"),
    ] {
        sweep(base.path(), vary).refused().complains(said);
        assert!(!base.path().join("s").exists(), "{vary}");
    }
}

#[test]
fn a_folder_of_other_settings_or_other_things_is_left_alone() {
    let base = tempfile::tempdir().expect("temporary folder");
    let vary = "--vary model.rank=4 --set training.max_steps=1";
    sweep(base.path(), vary).succeeds();
    sweep(base.path(), "--vary model.rank=5 --set training.max_steps=1")
        .fails()
        .complains("other settings");
    std::fs::create_dir(base.path().join("t")).expect("makes");
    std::fs::write(base.path().join("t/notes.txt"), "mine").expect("writes");
    sweep(base.path(), vary).args("--out t").refused();
    let call = rankspace("sweep --preset sample --vary model.rank=4 --out t");
    call.within(base.path()).fails().complains("holds something already");
}

#[test]
fn the_workbench_follows_a_sweep_that_another_process_trains() {
    let vary = "--vary model.rank=4,8 --set training.max_steps=1";
    let mut session = Session::start_with(&["s"], 100, 30, &[], |work| {
        sweep(work, vary).succeeds();
    });
    session.sees("Sweep s: 2 of 2 runs finished").sees("dev S-F1 by model.rank");
    session.does_on(Runs, "next-figure").sees("dev C-F1 by model.rank");
    session.does_on(Runs, "card").sees("Experiment card").keys(&bytes_of("Esc"));
    session.sees_no("Experiment card").does_on(Runs, "export").sees("Export the sweep as");
    session.keys("csv").keys(&bytes_of("Enter")).sees("written to");
    // One seed more for every choice, trained elsewhere, comes into view by itself.
    let (folder, mut session) = session.keep();
    let work = folder.path().join("work");
    sweep(&work, vary).args("--seeds 2").succeeds();
    session.sees("Sweep s: 4 of 4 runs finished").sees("± ");
    let csv = std::fs::read_to_string(work.join("s/exports/table.csv")).expect("exported");
    assert!(csv.starts_with("model.rank,finished,seeds,dev_s_f1"), "{csv}");
    // From a row to its runs, and from the list back to the sweep.
    session.does_on(Runs, "open").sees("loss (nats").does("runs").sees("Sweep s:");
    session.does_on(Runs, "clear").sees("sweep: 4 of 4 runs finished");
    session.keys(&bytes_of("Home")).does_on(Runs, "open").sees("Sweep s: 4 of 4");
    session.does("quit");
    assert_eq!(session.ends_clean(), 0);
}
