//! The whole workbench with runs: named, started, listed, vanished.

use super::app_tests::training;
use super::message::Message;
use super::names::{RunId, ScreenId};
use super::start::{Named, UserData};
use super::testing::{Stage, event, learning, screenshot};
use crate::report::{EventKind, Level, RunState};
use crossterm::event::Event as Terminal;

#[test]
fn a_named_run_is_shown_and_a_second_one_is_overlaid() {
    let mut stage = Stage::new();
    let named = vec![Named::Run("runs/a".into()), Named::Run("elsewhere/b".into())];
    stage.app.begin(named, UserData::default());
    assert_eq!(stage.calls(), ["follow runs/a", "follow elsewhere/b", "watch 2"]);
    assert_eq!(stage.app.shared.selected_run().map(|r| r.name.as_str()), Some("a"));
    assert_eq!(stage.app.shared.overlaid, [RunId(2)]);
}

#[test]
fn a_named_folder_of_runs_is_shown_as_a_list() {
    let mut stage = Stage::new();
    stage.app.begin(vec![Named::Runs("elsewhere".into())], UserData::default());
    assert_eq!(stage.calls(), ["watch 2"]);
    assert_eq!(stage.app.active, ScreenId::Runs);
}

#[test]
fn a_named_checkpoint_is_shown_until_a_run_is_selected() {
    let mut stage = Stage::new();
    let file = std::path::PathBuf::from("nowhere/best.safetensors");
    stage.app.begin(vec![Named::Checkpoint(file)], UserData::default());
    let shot = screenshot(&stage.app, 80, 24);
    assert!(shot.contains(" nowhere/best.safetensors") && !shot.contains("F1"), "{shot}");
    stage.keys(&["3"]);
    let shot = screenshot(&stage.app, 80, 24);
    assert!(shot.contains("a checkpoint file has no development sentences"), "{shot}");
    let id = stage.app.run_at("runs/a".into());
    stage.app.select(id);
    stage.keys(&["4"]);
    let shot = screenshot(&stage.app, 80, 24);
    assert!(!shot.contains("nowhere"), "{shot}");
}

#[test]
fn a_folder_that_vanishes_is_gone_on_every_screen_until_it_is_taken_off() {
    let base = tempfile::tempdir().expect("a temporary folder");
    let path = base.path().join("live");
    std::fs::create_dir(&path).expect("makes");
    let mut stage = Stage::new();
    stage.app.begin(vec![Named::Run(path.clone())], UserData::default());
    stage.tell(Message::Events(RunId(1), learning(20)));
    stage.tell(Message::Folders(Vec::new()));
    assert!(screenshot(&stage.app, 80, 24).contains("live ▶ running"), "it is there, if unlisted");
    std::fs::remove_dir(&path).expect("removes");
    stage.tell(Message::Folders(Vec::new()));
    for (key, text) in [
        ("2", "its folder was removed or moved: 7"),
        ("3", "the folder of this run is gone"),
        ("4", "live (gone)"),
        ("5", "the folder of this run is gone"),
        ("7", "d takes it off the list"),
    ] {
        stage.keys(&[key]);
        let shot = screenshot(&stage.app, 80, 24);
        assert!(shot.contains("gone ✗") && shot.contains(text), "{key}: {shot}");
    }
    stage.calls();
    stage.keys(&["R"]);
    assert!(screenshot(&stage.app, 80, 24).contains("live is gone"));
    stage.keys(&["d"]);
    assert!(stage.app.shared.runs.is_empty() && stage.calls().is_empty());
}

/// The words on the right, where lines are short, as one text.
fn words(shot: &str) -> String {
    let right = |line: &str| line.rsplit("││").next().unwrap_or_default().to_owned();
    let lines = shot.lines().map(right).collect::<Vec<_>>().join(" ");
    let words = lines.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join(" ")
}

#[test]
fn a_training_whose_folder_vanishes_is_stopped_and_says_why() {
    let base = tempfile::tempdir().expect("a temporary folder");
    for size in [(80, 24), (200, 60)] {
        let path = base.path().join("live");
        std::fs::create_dir(&path).expect("makes");
        let mut stage = Stage::new();
        stage.app.begin(vec![Named::Run(path.clone())], UserData::default());
        stage.tell(Message::Events(RunId(1), learning(20)));
        stage.tell(Message::Folders(Vec::new()));
        stage.app.shared.runs[0].own = true;
        stage.played.borrow_mut().own.push(RunId(1));
        stage.calls();
        assert!(screenshot(&stage.app, size.0, size.1).contains("s left"));
        std::fs::remove_dir(&path).expect("removes");
        stage.tell(Message::Folders(Vec::new()));
        assert_eq!(stage.calls(), ["Stop 1"]);
        let shot = screenshot(&stage.app, size.0, size.1);
        assert!(shot.contains("live: its folder was moved or removed, so it"), "{shot}");
        assert!(shot.contains("live ✗ gone") && !shot.contains('▶'), "{shot}");
        assert!(words(&shot).contains("removed it is being stopped"), "{shot}");
        assert!(!shot.contains("s left"), "nothing goes on: {shot}");
        stage.tell(Message::Folders(Vec::new()));
        assert!(stage.calls().is_empty(), "it is told once");
        stage.played.borrow_mut().own.clear();
        let reason = Some("the run folder is gone: it was moved or deleted".to_owned());
        stage.tell(Message::JobEnded(RunId(1), RunState::Failed, reason));
        stage.tell(Message::Folders(Vec::new()));
        stage.keys(&["2"]);
        let shot = screenshot(&stage.app, size.0, size.1);
        assert!(words(&shot).contains("while it ran 7 chooses another"), "{shot}");
        assert!(!stage.calls().iter().any(|call| call.starts_with("follow")), "nothing is there");
    }
}

#[test]
fn a_later_start_offers_the_last_run() {
    let mut stage = Stage::new();
    stage.app.begin(Vec::new(), UserData::default());
    stage.tell(Message::Folders(vec![super::message::Listed {
        group: None,
        sweep: None,
        path: "runs/2026-11-28-rank-pcfg".into(),
        config: Some(super::testing::sample_config()),
        state: Some(RunState::Stopped),
        dead: false,
        dev: None,
        started: 1000.0,
        touched: 1050.0,
        step: 340,
        problem: None,
    }]));
    insta::assert_snapshot!("welcome_80", screenshot(&stage.app, 80, 24));
    stage.calls();
    stage.keys(&["r"]);
    assert_eq!(stage.calls(), ["resume runs/2026-11-28-rank-pcfg"]);
}

#[test]
fn a_run_that_still_trains_comes_before_the_last_one() {
    let mut stage = Stage::new();
    stage.app.begin(Vec::new(), UserData::default());
    let listed = |name: &str, state, started| super::message::Listed {
        group: None,
        sweep: None,
        path: name.into(),
        config: Some(super::testing::sample_config()),
        state: Some(state),
        dead: false,
        dev: None,
        started,
        touched: 1050.0,
        step: 340,
        problem: None,
    };
    stage.tell(Message::Folders(vec![
        listed("runs/older", RunState::Running, 900.0),
        listed("runs/newer", RunState::Finished, 1000.0),
    ]));
    let shot = screenshot(&stage.app, 80, 24);
    assert!(shot.contains("The last run is older (running"), "{shot}");
}

#[test]
fn an_error_of_a_run_is_in_the_log_and_in_the_status_line() {
    let mut stage = training(10);
    let note = EventKind::Message { level: Level::Error, text: "disk\u{7} full".into() };
    let mut event = super::testing::event(999, note);
    event.time = stage.now;
    stage.tell(Message::Events(RunId(1), vec![event]));
    let text = screenshot(&stage.app, 80, 24);
    assert!(text.contains("✗ 2026-11-29-rank-pcfg-1: disk^G full"), "{text}");
    stage.keys(&["8"]);
    assert!(screenshot(&stage.app, 80, 24).contains("disk^G full"));
}

#[test]
fn a_hundred_thousand_events_and_a_key_take_one_frame() {
    let mut stage = training(0);
    let (sender, messages) = crossbeam_channel::unbounded();
    for chunk in learning(100_000).chunks(2000) {
        sender.send(Message::Events(RunId(1), chunk.to_vec())).expect("a channel");
    }
    sender.send(Message::Terminal(Terminal::Key(super::testing::press("8")))).expect("a channel");
    sender
        .send(Message::Terminal(Terminal::Key(super::testing::press("Ctrl-c"))))
        .expect("a channel");
    stage.played.borrow_mut().own.clear();
    let backend = ratatui::backend::TestBackend::new(80, 24);
    let mut terminal = ratatui::Terminal::new(backend).expect("a test terminal");
    super::terminal::run_loop(&mut terminal, &mut stage.app, &messages, |_| {}).expect("runs");
    assert!(stage.app.finished());
    assert_eq!(stage.app.shared.runs[0].step(), 100_000);
}

#[test]
fn a_run_is_started_from_the_list_of_presets() {
    let mut stage = training(10);
    stage.keys(&["n"]);
    insta::assert_snapshot!("presets_80", screenshot(&stage.app, 80, 24));
    stage.keys(&["Enter"]);
    assert_eq!(stage.calls(), ["start sample:train"]);
    assert_eq!(stage.app.shared.selected, Some(RunId(2)));
}

#[test]
fn a_run_is_started_from_a_config_file_and_a_bad_one_is_a_message() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("mine.toml");
    let mut stage = training(10);
    for (text, calls) in [
        ("[data]\ntrain = \"sample:train\"\n", vec!["start sample:train"]),
        ("seeed = 1\n", vec![]),
    ] {
        std::fs::write(&file, text).expect("writes");
        stage.keys(&["n", "c", "o", "n", "f", "i", "g", "Enter"]);
        stage.tell(Message::Terminal(Terminal::Paste(file.display().to_string())));
        stage.keys(&["Enter"]);
        stage.settle();
        assert_eq!(stage.calls(), calls);
    }
    let shot = screenshot(&stage.app, 80, 24);
    assert!(shot.contains("> ") && shot.contains("unknown key `seeed`"), "{shot}");
    // What is typed next mends the path and commands nothing.
    stage.keys(&["x"]);
    assert!(screenshot(&stage.app, 80, 24).contains("mine.tomlx"));
    stage.keys(&["Esc", "8"]);
    let log = screenshot(&stage.app, 200, 60);
    assert!(log.contains("did you mean `seed`"), "{log}");
}

#[test]
fn what_has_done_all_that_was_asked_for_is_not_begun_again() {
    let base = tempfile::tempdir().expect("a temporary folder");
    let path = base.path().join("run");
    let mut config = super::testing::sample_config();
    config.training.epochs = 2;
    crate::run::RunFolder::create_at(&path, &config).expect("makes a folder");
    let mut stage = Stage::new();
    stage.app.begin(vec![Named::Run(path.clone())], UserData::default());
    let reason = Some("all 2 epochs are done".to_owned());
    let done = EventKind::State { state: RunState::Finished, step: 20, resumed: false, reason };
    let mut events = learning(20);
    events.push(event(2000, done));
    stage.tell(Message::Events(RunId(1), events));
    stage.keys(&["2"]);
    stage.calls();
    stage.keys(&["R"]);
    let shot = screenshot(&stage.app, 80, 24);
    assert!(shot.contains("run is done: raise training.epochs (2) in its config.toml"), "{shot}");
    assert!(stage.calls().is_empty());
    // With more to do it goes on.
    config.training.epochs = 100;
    std::fs::write(path.join("config.toml"), config.to_toml()).expect("writes");
    stage.keys(&["R"]);
    assert_eq!(stage.calls(), [format!("resume {}", path.display())]);
}
