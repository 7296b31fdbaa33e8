//! One sentence over all evaluations, read from a run folder.

use super::rows::tests::{kept, tree};
use super::*;
use crate::report::{EventKind, Metrics, SCHEMA};
use crate::run::{EvaluatedTrees, KeptSentence, PinnedMarginals, RunFolder};
use crate::workbench::stage::{Stage, said};
use crate::workbench::testing::event;
use insta::assert_snapshot;
use std::path::Path;

const RIGHT: [(u32, u32); 4] = [(0, 5), (1, 5), (2, 5), (3, 5)];
const GOLD: [(u32, u32); 4] = [(0, 5), (0, 2), (2, 5), (3, 5)];

fn write_evaluation(run: &Path, step: u64, spans: &[(u32, u32)]) {
    let marginals = (0..36).map(|i| (i as u64 + step) as f32 % 7.0 / 7.0).collect();
    let trees = EvaluatedTrees {
        schema: SCHEMA,
        step,
        epoch: step / 100,
        metrics: Metrics::default(),
        trees: vec![tree(-30.0 + step as f64 / 100.0, spans), tree(-4.0, &[(0, 2)])],
        pinned: vec![PinnedMarginals { sentence: 0, length: 5, marginals }],
    };
    write(&run.join(format!("trees/dev-{step:09}.json.gz")), &trees);
}

fn write(path: &Path, value: &impl serde::Serialize) {
    let file = std::fs::File::create(path).expect("makes");
    let mut file = flate2::write::GzEncoder::new(file, flate2::Compression::fast());
    serde_json::to_writer(&mut file, value).expect("writes");
    file.finish().expect("writes");
}

/// A run with evaluations at steps 0 to 300, the screen on the newest.
fn stage() -> (tempfile::TempDir, Stage<Parses>) {
    let base = tempfile::tempdir().expect("a temporary folder");
    let folder = RunFolder::create(base.path(), &crate::config::Config::default()).expect("made");
    let run = folder.path();
    let spans: Vec<(u32, u32, &str)> = GOLD.iter().map(|&(s, e)| (s, e, "X")).collect();
    let sentences: Vec<KeptSentence> =
        vec![kept("the dog barked at me", Some(&spans)), kept("go home", Some(&[(0, 2, "S")]))];
    write(&run.join("trees/sentences.json.gz"), &sentences);
    for (step, spans) in [(0, RIGHT), (100, RIGHT), (200, GOLD), (300, GOLD)] {
        write_evaluation(run, step, &spans);
    }
    let mut stage = Stage::with_run(Parses::default(), 1);
    stage.shared.runs[0].path = run.to_owned();
    let effects = stage.update(Input::Shown);
    stage.settle(effects);
    (base, stage)
}

fn over_time() -> (tempfile::TempDir, Stage<Parses>) {
    let (base, mut stage) = stage();
    let effects = stage.command("evaluations");
    stage.settle(effects);
    (base, stage)
}

#[test]
fn a_sentence_is_looked_at_over_all_evaluations() {
    let (_base, mut stage) = over_time();
    for (width, height) in [(80, 24), (200, 60)] {
        assert_snapshot!(format!("time_{width}x{height}"), stage.shot(width, height));
    }
    let shot = |stage: &Stage<Parses>| stage.shot(80, 24);
    assert!(shot(&stage).contains("same tree since step 200"), "{}", shot(&stage));
    stage.command("up");
    let text = shot(&stage);
    assert!(text.contains("1 new, 1 gone since step 100") && text.contains("step 200"), "{text}");
    stage.command("older");
    let text = shot(&stage);
    assert!(text.contains("evaluation 2/4") && text.contains("F1 66.7"), "{text}");
    let before = stage.screen.panes.diagram.clone();
    stage.command("newer");
    assert_ne!(stage.screen.panes.diagram, before, "another tree is in view");
    // The marginals that the run kept go with it.
    assert!(stage.screen.panes.heat.is_some());
    stage.command("clear");
    assert!(shot(&stage).contains("Sentences 1/2"));
}

#[test]
fn time_is_played_from_its_beginning_and_ends_at_the_newest() {
    let (_base, mut stage) = over_time();
    assert!(!stage.screen.animates(&stage.shared));
    stage.command("play");
    assert!(stage.screen.animates(&stage.shared) && stage.shot(80, 24).contains("1/4 · playing"));
    let mut seen = Vec::new();
    for _ in 0..100 {
        stage.update(Input::Tick);
        seen.push(stage.screen.row().map(|(_, row)| row.spans.len()));
        if !stage.screen.animates(&stage.shared) {
            break;
        }
    }
    assert!(seen.len() < 100 && stage.shot(80, 24).contains("evaluation 4/4"));
    // Anything that turns to another evaluation stops it.
    stage.command("play");
    stage.command("down");
    assert!(!stage.screen.animates(&stage.shared));
}

#[test]
fn a_further_evaluation_joins_and_the_one_in_view_stays_unless_it_was_the_newest() {
    let (_base, mut stage) = over_time();
    let run = stage.shared.runs[0].path.clone();
    let evaluate = |stage: &mut Stage<Parses>, step: u64| {
        write_evaluation(&run, step, &RIGHT);
        let kind = EventKind::Evaluation {
            step,
            epoch: step / 100,
            split: "dev".into(),
            metrics: Metrics::default(),
        };
        let seq = 10_000 + step;
        stage.shared.runs[0].history.push(&event(seq, kind));
        let id = stage.shared.runs[0].id;
        let effects = stage.update(Input::Run(id));
        stage.settle(effects);
    };
    evaluate(&mut stage, 400);
    assert!(stage.shot(80, 24).contains("evaluation 5/5"), "{}", stage.shot(80, 24));
    stage.command("first");
    evaluate(&mut stage, 500);
    assert!(stage.shot(80, 24).contains("evaluation 1/6"), "{}", stage.shot(80, 24));
}

#[test]
fn weights_are_those_of_the_evaluation_or_there_are_none() {
    let (_base, mut stage) = over_time();
    let checkpoint = EventKind::Checkpoint { step: 200, name: "best".into() };
    stage.shared.runs[0].history.push(&event(20_000, checkpoint));
    assert!(stage.shot(200, 60).contains("best, heat"));
    let effects = stage.command("analyse");
    let said_of = |effects: &[Effect]| said(effects).join(" ");
    assert!(said_of(&effects).contains("no checkpoint has the weights of step 300"), "{effects:?}");
    let effects = stage.command("up");
    // There is no such file here, so its reading fails; but it is that one that is read.
    assert!(effects.iter().any(|e| matches!(e, Effect::Spawn(task) if task.kind == "parse")));
}

#[test]
fn an_alarm_leads_to_the_trees_of_its_evaluation_which_stay_in_view() {
    let (_base, mut stage) = stage();
    let effects = stage.update(Input::Open(&Target::Evaluation(150)));
    stage.settle(effects);
    let effects = stage.update(Input::Shown);
    stage.settle(effects);
    assert!(stage.shot(80, 24).contains("step 100"), "{}", stage.shot(80, 24));
}
