//! The dashboard in a terminal: axes, table, copies and files of a run, what goes wrong in it, and one
//! sentence over time.

use crate::terminal::{Session, bytes_of};
use rankspace::report::{Event, EventKind};
use rankspace::workbench::ScreenId::{Parses, Train};

const SAMPLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/sample_data/runs/sample-rank-pcfg");

#[test]
fn a_run_is_seen_by_time_as_a_table_and_as_files() {
    for (width, height) in [(80, 24), (200, 60)] {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let run = folder.path().join("a-run");
        std::fs::create_dir(&run).expect("makes a folder");
        for name in ["config.toml", "events.jsonl", "status.json"] {
            std::fs::copy(format!("{SAMPLE}/{name}"), run.join(name)).expect("copies");
        }
        let mut session = Session::start(&[&run.display().to_string()], width, height);
        session.sees("finished").sees("dev perplexity").sees("step  ");
        session.does_on(Train, "axis").sees("by running time").sees("time  ");
        session.does_on(Train, "log-x").sees("logarithmic running time").sees("log t.");
        session.does_on(Train, "axis").sees("by wall time").sees("UTC");
        session.does_on(Train, "axis").sees("by step").sees("log s.");
        session.does_on(Train, "log-y").sees(" log ").does_on(Train, "smoothing").sees("0.97");
        session.does_on(Train, "zoom-in").does_on(Train, "cursor-left").sees(" at ");
        session.does_on(Train, "table").sees("Raw numbers: row").sees("loss/word");
        session.does_on(Train, "copy").sees("on the clipboard");
        session.does_on(Train, "table").sees("dev perplexity");
        session.does_on(Train, "figures").sees("gradient norm");
        session.does_on(Train, "figures").sees("right-branching spans");
        session.does_on(Train, "figures").sees("dev S-F1");
        session.does_on(Train, "export").sees("Export the curves").keys("\r").sees("written to");
        session.does("quit");
        assert_eq!(session.ends_clean(), 0);
        let written = std::fs::read_dir(run.join("exports")).expect("a folder of exports");
        let csv = written.map(|file| file.expect("readable").path()).next().expect("a file");
        let text = std::fs::read_to_string(csv).expect("reads");
        assert!(text.starts_with("run,step,elapsed,time,loss,"), "{text}");
    }
}

#[test]
fn an_alarm_leads_to_the_trees_of_its_evaluation_and_a_sentence_is_watched_over_time() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let run = folder.path().join("a-run");
    copy(std::path::Path::new(SAMPLE), &run);
    // As if the trees had become right-branching at the second evaluation.
    let events = std::fs::read_to_string(run.join("events.jsonl")).expect("reads");
    let mut steps = Vec::new();
    let locked: String = events
        .lines()
        .map(|line| {
            let mut event: Event = serde_json::from_str(line).expect("an event");
            if let EventKind::Evaluation { step, split, metrics, .. } = &mut event.kind
                && split == "dev"
                && *step > 0
            {
                steps.push(*step);
                metrics.set("right_share", if steps.len() > 1 { 99.0 } else { 50.0 });
            }
            serde_json::to_string(&event).expect("writes") + "\n"
        })
        .collect();
    std::fs::write(run.join("events.jsonl"), locked).expect("writes");
    let mut session = Session::start(&[&run.display().to_string()], 80, 24);
    session.sees("! lock-in: 99 % of the spans are those of right-branching trees");
    session.does_on(Train, "alarms").sees("Sentences 1/").sees("lock-in since step");
    let step = format!("step {}", steps[1]);
    session.sees(&step);
    session.does_on(Parses, "evaluations").sees("Sentence 1 · evaluation 3/").sees(&step);
    session.keys(&bytes_of("Down")).sees("Sentence 1 · evaluation 4/").sees(" since step ");
    session.keys("g").sees("evaluation 1/").does_on(Parses, "play").sees("playing");
    session.until("the newest evaluation", |screen| {
        let text = screen.contents();
        !text.contains("playing") && text.contains(&format!("evaluation {0}/{0}", steps.len() + 1))
    });
    session.keys(&bytes_of("Esc")).sees("Sentences 1/").does("quit");
    assert_eq!(session.ends_clean(), 0);
    // The same is told without the workbench, once.
    let shown = run.display().to_string();
    let told = crate::call::rankspace("watch").arg(&shown).succeeds().stdout;
    let alarms: Vec<&str> = told.lines().filter(|l| l.starts_with("warning: lock-in")).collect();
    let wanted = format!("warning: lock-in since step {}: 99 % of the spans", steps[1]);
    assert!(alarms.len() == 1 && alarms[0].starts_with(&wanted), "{told}");
    assert!(told.contains("finished at step"), "{told}");
}

fn copy(from: &std::path::Path, to: &std::path::Path) {
    std::fs::create_dir_all(to).expect("makes a folder");
    for entry in std::fs::read_dir(from).expect("reads") {
        let path = entry.expect("readable").path();
        let target = to.join(path.file_name().expect("a name"));
        match path.is_dir() {
            true => copy(&path, &target),
            false => drop(std::fs::copy(&path, &target).expect("copies")),
        }
    }
}
