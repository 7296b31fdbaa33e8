//! The whole workbench on an engine that plays: messages in, calls and pictures out.

use super::message::Message;
use super::names::{RunId, ScreenId};
use super::start::UserData;
use super::testing::{Stage, learning, screenshot};
use super::theme::Surroundings;
use crate::report::{EventKind, RunState};
use crossterm::event::Event as Terminal;

/// A first start whose sample training has learnt for some steps.
pub(super) fn training(steps: u64) -> Stage {
    let mut stage = Stage::first_start();
    stage.calls();
    stage.tell(Message::Events(RunId(1), learning(steps)));
    stage
}

#[test]
fn the_first_start_trains_on_the_sample() {
    let stage = Stage::first_start();
    assert_eq!(stage.calls(), ["watch 1", "start sample:train"]);
    assert_eq!(stage.app.active, ScreenId::Train);
    assert_eq!(stage.app.shared.selected, Some(RunId(1)));
}

#[test]
fn the_workbench_at_80x24_and_200x60() {
    let stage = training(60);
    insta::assert_snapshot!("workbench_80", screenshot(&stage.app, 80, 24));
    insta::assert_snapshot!("workbench_200", screenshot(&stage.app, 200, 60));
}

#[test]
fn every_screen_has_a_tab_in_the_narrowest_terminal() {
    let mut stage = training(10);
    let tabs = |stage: &Stage| screenshot(&stage.app, 60, 16).lines().next().map(str::to_owned);
    assert!(tabs(&stage).is_some_and(|line| line.starts_with("1 2 Train 3 4 5 6 7 8 ")));
    stage.keys(&["8"]);
    assert!(tabs(&stage).is_some_and(|line| line.starts_with("1 2 3 4 5 6 7 8 Log ")));
}

#[test]
fn without_utf8_every_cell_is_ascii() {
    let poor = Surroundings { no_color: true, unicode: false };
    let mut stage = Stage::in_surroundings(poor);
    stage.app.begin(Vec::new(), UserData::default());
    stage.tell(Message::Folders(Vec::new()));
    stage.tell(Message::Events(RunId(1), learning(60)));
    let text = screenshot(&stage.app, 80, 24);
    assert!(text.is_ascii(), "{text}");
    insta::assert_snapshot!("workbench_ascii", text);
    stage.keys(&["?"]);
    assert!(screenshot(&stage.app, 80, 24).is_ascii());
}

#[test]
fn number_keys_and_tab_go_through_the_screens() {
    let mut stage = training(10);
    for (key, screen) in [
        ("1", ScreenId::Corpora),
        ("2", ScreenId::Train),
        ("3", ScreenId::Grammar),
        ("4", ScreenId::Parses),
        ("6", ScreenId::Rerank),
        ("7", ScreenId::Runs),
        ("8", ScreenId::Log),
        ("Tab", ScreenId::Corpora),
        ("Shift-Tab", ScreenId::Log),
    ] {
        stage.keys(&[key]);
        assert_eq!(stage.app.active, screen, "{key}");
    }
}

#[test]
fn help_is_made_from_the_table_of_commands() {
    let mut stage = training(10);
    stage.keys(&["?"]);
    insta::assert_snapshot!("help_80", screenshot(&stage.app, 80, 24));
    insta::assert_snapshot!("help_200", screenshot(&stage.app, 200, 60));
    stage.keys(&["?"]);
    insta::assert_snapshot!("help_meanings_80", screenshot(&stage.app, 80, 24));
    stage.keys(&["Esc", "p"]);
    assert_eq!(stage.calls(), ["Pause 1"], "keys work again");
}

#[test]
fn the_help_of_every_screen_scrolls_to_its_end_at_80x24() {
    for screen in ["1", "2", "3", "4", "6", "7", "8"] {
        let mut stage = training(10);
        stage.keys(&[screen, "?"]);
        let mut seen = String::new();
        while !seen.contains("Quit; asks") {
            let shot = screenshot(&stage.app, 80, 24);
            assert!(!seen.ends_with(&shot), "{screen}: it scrolls no further than\n{shot}");
            seen += &shot;
            stage.keys(&["Down"]);
        }
        assert!(seen.contains("What the words and figures mean"), "{screen}");
    }
}

#[test]
fn the_palette_finds_and_runs_a_command_of_any_screen() {
    let mut stage = training(10);
    stage.keys(&["8", ":"]);
    stage.keys(&["c", "h", "e", "c", "k"]);
    insta::assert_snapshot!("palette_80", screenshot(&stage.app, 80, 24));
    stage.keys(&["Enter"]);
    assert_eq!(stage.calls(), ["Checkpoint 1"]);
    assert_eq!(stage.app.active, ScreenId::Train);
}

#[test]
fn quitting_asks_while_a_training_runs_and_waits_for_it() {
    let mut stage = training(10);
    stage.keys(&["q"]);
    insta::assert_snapshot!("quit_80", screenshot(&stage.app, 80, 24));
    stage.keys(&["c"]);
    assert!(stage.calls().is_empty() && !stage.app.finished());
    stage.keys(&["q", "s"]);
    assert_eq!(stage.calls(), ["Stop 1"]);
    assert!(!stage.app.finished(), "it writes `last` first");
    stage.job_ends(RunId(1), RunState::Stopped);
    assert!(stage.app.finished());
}

#[test]
fn a_run_that_has_ended_goes_on_with_another_learning_rate() {
    let mut stage = training(10);
    stage.job_ends(RunId(1), RunState::Failed);
    stage.calls();
    stage.keys(&["r", "0", ".", "5", "Enter"]);
    assert_eq!(stage.calls(), ["resume runs/2026-11-29-rank-pcfg-1", "LearningRate(0.5) 1"]);
    assert!(screenshot(&stage.app, 80, 24).contains("resuming with a learning rate of 0.5"));
}

#[test]
fn a_run_that_was_started_here_is_read_from_its_folder_once_its_job_has_ended() {
    let mut stage = training(10);
    stage.calls();
    stage.job_ends(RunId(1), RunState::Stopped);
    assert_eq!(stage.calls(), ["follow runs/2026-11-29-rank-pcfg-1"]);
    stage.keys(&["R"]);
    assert_eq!(stage.calls(), ["resume runs/2026-11-29-rank-pcfg-1"]);
    stage.job_ends(RunId(1), RunState::Stopped);
    assert!(stage.calls().is_empty(), "one reader is enough");
}

#[test]
fn a_training_can_be_left_running() {
    let mut stage = training(10);
    stage.keys(&["q", "l"]);
    assert_eq!(stage.calls(), ["Stop 1"]);
    stage.job_ends(RunId(1), RunState::Stopped);
    assert_eq!(stage.calls(), ["detach runs/2026-11-29-rank-pcfg-1"]);
    assert!(stage.app.finished());
}

#[test]
fn a_training_that_finished_meanwhile_is_not_started_again() {
    let mut stage = training(10);
    stage.keys(&["q", "l"]);
    stage.calls();
    stage.job_ends(RunId(1), RunState::Finished);
    assert!(stage.calls().is_empty() && stage.app.finished());
}

#[test]
fn control_c_leaves_a_prompt_then_asks_and_does_not_wait_when_pressed_again() {
    let mut stage = training(10);
    stage.keys(&["r", "0", ".", "5", "Ctrl-c"]);
    assert!(!screenshot(&stage.app, 80, 24).contains("0.5"), "the prompt is closed");
    stage.keys(&["r", "Enter"]);
    assert_eq!(stage.calls(), ["LearningRate(0.5) 1"], "what was typed stood there again");
    stage.keys(&["r", "2", "Esc", "r", "Enter"]);
    assert!(stage.calls().is_empty(), "Esc gives up what was typed");
    stage.keys(&["Ctrl-c"]);
    assert!(screenshot(&stage.app, 80, 24).contains("stop and save"));
    stage.keys(&["Ctrl-c"]);
    assert!(!stage.app.finished(), "the question still stands");
    stage.keys(&["s", "Ctrl-c"]);
    assert!(stage.app.finished(), "the user does not want to wait");
}

#[test]
fn without_a_training_quitting_asks_nothing() {
    let mut stage = Stage::new();
    stage.keys(&["Ctrl-c"]);
    assert!(stage.app.finished());
}

#[test]
fn control_c_leaves_a_field_before_it_quits() {
    for (screen, field) in [("1", "/"), ("4", "i"), ("4", "/"), ("7", "/"), ("2", "n"), ("2", ":")]
    {
        let mut stage = Stage::new();
        stage.app.shared.listed = true;
        stage.keys(&[screen, field, "a", "b", "Ctrl-c"]);
        assert!(!stage.app.finished(), "{screen} {field}");
        stage.keys(&["Ctrl-c"]);
        assert!(stage.app.finished(), "{screen} {field}");
        // No otherwise while a training of ours goes on, which is asked about then.
        let mut stage = training(10);
        stage.keys(&[screen, field, "a", "b", "Ctrl-c"]);
        let asked = |stage: &Stage| screenshot(&stage.app, 80, 24).contains("stop and save");
        assert!(!asked(&stage), "{screen} {field}");
        stage.keys(&["Ctrl-c"]);
        assert!(asked(&stage), "{screen} {field}");
    }
}

#[test]
fn a_field_that_control_c_left_has_its_text_when_it_is_opened_again() {
    for (screen, field) in [("1", "/"), ("4", "i"), ("4", "/"), ("7", "/")] {
        let mut stage = training(10);
        stage.keys(&[screen, field, "x", "y", "z", "z", "y", "Ctrl-c", field]);
        let shot = screenshot(&stage.app, 80, 24);
        assert!(shot.contains(": xyzzy"), "{screen} {field}: {shot}");
    }
}

#[test]
fn a_signal_stops_the_training_and_leaves() {
    let mut stage = training(10);
    stage.keys(&["r"]);
    stage.tell(Message::Signal(15));
    assert_eq!(stage.calls(), ["Stop 1"]);
    stage.job_ends(RunId(1), RunState::Stopped);
    assert!(stage.app.finished());
}

#[test]
fn a_terminal_that_is_gone_stops_the_training_before_it_ends_the_loop() {
    struct Gone;
    impl std::io::Write for Gone {
        fn write(&mut self, _: &[u8]) -> std::io::Result<usize> {
            Err(std::io::Error::other("input/output error"))
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    let mut stage = training(10);
    stage.played.borrow_mut().obedient = true;
    let viewport = ratatui::Viewport::Fixed(ratatui::layout::Rect::new(0, 0, 80, 24));
    let mut terminal = ratatui::Terminal::with_options(
        ratatui::backend::CrosstermBackend::new(Gone),
        ratatui::TerminalOptions { viewport },
    )
    .expect("a fixed size asks nothing");
    let (_sender, messages) = crossbeam_channel::unbounded();
    let end = super::terminal::run_loop(&mut terminal, &mut stage.app, &messages, |_| {});
    assert!(end.is_err_and(|e| e.to_string().contains("input/output error")));
    assert_eq!(stage.calls(), ["Stop 1"]);
}

#[test]
fn a_resize_while_a_popup_is_open_keeps_it() {
    let mut stage = training(10);
    stage.keys(&["r"]);
    for (width, height) in [(200, 60), (60, 16), (20, 5), (1, 1), (80, 24)] {
        stage.tell(Message::Terminal(Terminal::Resize(width, height)));
        let text = screenshot(&stage.app, width, height);
        assert_eq!(text.contains("Learning rate"), width > 1, "{text}");
    }
    stage.keys(&["Esc", "p"]);
    assert_eq!(stage.calls(), ["Pause 1"]);
}

#[test]
fn a_question_in_a_tiny_terminal_is_read_with_the_answer_that_enter_gives() {
    let mut stage = training(10);
    stage.keys(&["q"]);
    insta::assert_snapshot!("tiny_quit_20x5", screenshot(&stage.app, 20, 5));
    for (width, height) in [(20, 5), (30, 3), (20, 2), (59, 15), (12, 1)] {
        let shot = screenshot(&stage.app, width, height);
        assert!(shot.contains("› s  stop"), "{width}x{height}: {shot}");
    }
    stage.keys(&["Down", "Down"]);
    assert!(screenshot(&stage.app, 20, 2).contains("› c  cancel"));
    stage.keys(&["Enter"]);
    assert!(stage.calls().is_empty() && !stage.app.finished(), "it was cancelled");
    assert!(screenshot(&stage.app, 20, 5).contains("terminal too small"));
    // What is typed is seen as well, and what would be chosen.
    stage.keys(&["r", "7"]);
    assert!(screenshot(&stage.app, 20, 5).contains("> 7"));
    stage.keys(&["Esc", ":"]);
    assert!(screenshot(&stage.app, 20, 5).contains("› corpora"));
}

#[test]
fn a_tiny_terminal_says_what_it_needs_and_how_the_run_stands() {
    let stage = training(10);
    insta::assert_snapshot!("tiny_20x5", screenshot(&stage.app, 20, 5));
    insta::assert_snapshot!("small_59x15", screenshot(&stage.app, 59, 15));
}

#[test]
fn a_popup_takes_the_keys_and_the_paste() {
    let mut stage = training(10);
    stage.keys(&["r", "Ctrl-u"]);
    stage.tell(Message::Terminal(Terminal::Paste("0.5\u{1b}[2J".into())));
    stage.keys(&["q", "Enter"]);
    assert!(stage.calls().is_empty(), "that was no number");
    let text = screenshot(&stage.app, 80, 24);
    assert!(text.contains("is no learning rate") && !text.contains('\u{1b}'), "{text}");
}

#[test]
fn a_task_shows_its_progress_and_can_be_stopped() {
    let mut stage = training(10);
    let folder = tempfile::tempdir().expect("a temporary folder");
    // Reading a pipe that nobody writes takes for ever.
    let pipe = folder.path().join("pipe");
    let name = std::ffi::CString::new(pipe.display().to_string()).expect("no nul");
    // SAFETY: mkfifo reads the path, which lives until it returns.
    assert_eq!(unsafe { libc::mkfifo(name.as_ptr(), 0o600) }, 0);
    stage.keys(&["n", "c", "o", "n", "f", "i", "g", "Enter"]);
    stage.tell(Message::Terminal(Terminal::Paste(pipe.display().to_string())));
    stage.settle();
    stage.keys(&["Enter"]);
    assert!(stage.app.animates());
    assert!(screenshot(&stage.app, 80, 24).contains("Ctrl-x stops"));
    stage.keys(&["Ctrl-x"]);
    assert!(stage.app.shared.tasks.is_empty());
    assert!(screenshot(&stage.app, 80, 24).contains("stopped"));
    assert!(stage.calls().is_empty());
}

#[test]
fn what_matters_is_told_by_a_symbol_or_a_modifier_and_not_by_colour_alone() {
    use ratatui::style::Modifier;
    for surroundings in [
        Surroundings { no_color: false, unicode: true },
        Surroundings { no_color: true, unicode: true },
    ] {
        let mut stage = Stage::in_surroundings(surroundings);
        stage.app.begin(Vec::new(), UserData::default());
        stage.tell(Message::Folders(Vec::new()));
        let backend = ratatui::backend::TestBackend::new(80, 24);
        let mut terminal = ratatui::Terminal::new(backend).expect("a test terminal");
        terminal.draw(|frame| stage.app.draw(frame)).expect("draws");
        let buffer = terminal.backend().buffer();
        // `1 Corpora 2 Train`: the tab in view stands out, its neighbour does not.
        let (corpora, train) = (&buffer[(2, 0)], &buffer[(12, 0)]);
        assert_eq!((corpora.symbol(), train.symbol()), ("C", "T"));
        let strong = Modifier::BOLD | Modifier::REVERSED;
        assert!(train.modifier.intersects(strong) && !corpora.modifier.intersects(strong));
        if surroundings.no_color {
            use ratatui::style::Color::Reset;
            let colours = buffer.content.iter().map(|cell| (cell.fg, cell.bg));
            assert!(colours.into_iter().all(|pair| pair == (Reset, Reset)));
        }
    }
}

#[test]
fn quitting_says_of_a_paused_training_that_it_is_paused() {
    let mut stage = training(10);
    let (state, step) = (RunState::Paused, 10);
    let paused = EventKind::State { state, step, resumed: false, reason: None };
    stage.tell(Message::Events(RunId(1), vec![super::testing::event(999, paused)]));
    stage.keys(&["q"]);
    let shot = screenshot(&stage.app, 80, 24);
    assert!(shot.contains("rank-pcfg-1 is paused.") && !shot.contains("training."), "{shot}");
    stage.keys(&["c", "7", "d"]);
    let shot = screenshot(&stage.app, 80, 24);
    assert!(shot.contains("rank-pcfg-1 is paused: stop it first"), "{shot}");
}

#[test]
fn the_line_of_keys_names_what_a_newcomer_needs_at_80x24() {
    for (screen, needed) in [
        ("1", &["o counts", "s sentences", "p problems", "e edit", "d charts"][..]),
        ("2", &["n new", "p pause", "x stop", "R resume", "v curves", "→ cursor"]),
        ("3", &["t kind", "⏎ sentences", "r refresh", "/ filter"]),
        ("4", &["i type", "p parse", "v layout", "m heat map", "z zoom"]),
        ("5", &["f figures", "e error", "c correct", "n note", "/ filter"]),
        ("7", &["⏎ show", "R resume", "Space compare", "/ filter", "d delete"]),
        ("8", &["End follow", "l level", "w wrap"]),
    ] {
        let mut stage = training(10);
        stage.keys(&[screen]);
        let shot = screenshot(&stage.app, 80, 24);
        let keys = shot.lines().last().expect("a line of keys");
        for hint in needed.iter().chain(&["? help", ": find", "q quit"]) {
            assert!(keys.contains(hint), "{screen}: {hint} in {keys:?}");
        }
    }
}

#[test]
fn a_task_of_a_long_name_still_says_how_to_stop_it() {
    let mut stage = training(10);
    stage.app.shared.tasks.push(super::news::TaskStatus {
        screen: ScreenId::Grammar,
        kind: "symbols",
        title: "counting the symbols of a run with a very long name indeed, and more".into(),
        done: 99,
        total: 100,
    });
    assert!(screenshot(&stage.app, 80, 24).contains("99%  Ctrl-x stops"));
}
