//! How the workbench feels in the hand: mouse, borders, the user's own keys, themes, and what it
//! remembers, in a real terminal.

use crate::terminal::{Session, bytes_of};
use rankspace::workbench::ScreenId::{Runs, Train};
use std::path::Path;

const SAMPLE_RUN: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/sample_data/runs/sample-rank-pcfg");

/// Writes a file of the user's below the home directory that belongs to a working directory.
fn write_config(work: &Path, name: &str, text: &str) {
    let folder = work.with_file_name("home").join(".config/rankspace");
    std::fs::create_dir_all(&folder).expect("makes folders");
    std::fs::write(folder.join(name), text).expect("writes");
}

/// Columns of the first row of the body where two panes meet.
fn borders(screen: &vt100::Screen) -> Vec<u16> {
    let (_, columns) = screen.size();
    let is = |column, sign| screen.cell(1, column).is_some_and(|cell| cell.contents() == sign);
    (1..columns.get()).filter(|&c| is(c - 1, "╮") && is(c, "╭")).collect()
}

#[test]
fn the_mouse_clicks_turns_and_drags_and_is_given_back_to_the_terminal() {
    let mut session = Session::start(&[SAMPLE_RUN], 200, 60);
    session.sees("finished").sees("loss (nats/word)");
    // A border between panes.
    let before = session.look(borders);
    let last = *before.last().expect("a border");
    session.drag((last, 8), (last - 25, 8));
    session.until("a wider column", |s| borders(s).last() == Some(&(last - 25)));
    // Tabs, the line of keys, rows, the wheel.
    let (column, row) = session.finds("7 Runs");
    session.click(column, row).sees("Runs: ");
    let (column, row) = session.finds("2 Train");
    session.click(column + 3, row).sees("loss (nats/word)");
    let (column, row) = session.finds("v curves");
    session.click(column, row).sees("gradient norm");
    let (column, row) = session.finds("? help");
    session.click(column, row).sees("Help: Train").wheel_down(100, 30);
    session.keys(&bytes_of("Esc")).sees_no("Help: Train");
    session.does("log").sees("Log:");
    // Given back, the terminal selects text; taken again, it clicks.
    session.does("mouse").sees("the mouse is the terminal's");
    session.until("no mouse", |s| s.mouse_protocol_mode() == vt100::MouseProtocolMode::None);
    session.does("mouse").sees("the mouse works in the workbench");
    let (column, row) = session.finds("1 Corpora");
    session.click(column, row).sees("Corpora ").does("quit");
    assert_eq!(session.ends_clean(), 0);
}

#[test]
fn the_mouse_opens_a_run_with_two_clicks() {
    let mut session = Session::start(&[SAMPLE_RUN], 80, 24);
    session.sees("finished").does("runs").sees("sample-boost");
    let (column, row) = session.finds("sample-boost");
    session.click(column, row).click(column, row).sees("round 10 of 10").does("quit");
    assert_eq!(session.ends_clean(), 0);
}

#[test]
fn borders_theme_and_screen_are_as_they_were_left() {
    let mut session = Session::start(&[SAMPLE_RUN], 200, 60);
    session.sees("finished").sees("loss (nats/word)");
    let before = *session.look(borders).last().expect("a border");
    session.does("resize").sees("next border").keys(&bytes_of("Left")).keys(&bytes_of("Left"));
    session.until("a border two columns on", |s| borders(s).last() == Some(&(before - 2)));
    session.keys(&bytes_of("Esc")).sees_no("next border");
    session.does("theme").sees("theme: light, for a light ground");
    session.does("runs").sees("Runs: ").does("quit");
    let (folder, session) = session.keep();
    assert_eq!(session.ends_clean(), 0);
    let state = folder.path().join("home/.local/state/rankspace/state.toml");
    let text = std::fs::read_to_string(&state).expect("what is remembered");
    assert!(text.contains("theme = \"light\"") && text.contains("sample-rank-pcfg"), "{text}");
    // The last run is offered over the screen that was left.
    let mut session = Session::start_in(folder, &[], 200, 60, &[]);
    session.sees("Welcome back").sees("Runs: ").keys("s").sees_no("Welcome back");
    session.does("train").sees("loss (nats/word)");
    session.until("the border", |s| borders(s).last() == Some(&(before - 2)));
    session.does("theme").sees("theme: safe,").does("quit");
    let (folder, session) = session.keep();
    assert_eq!(session.ends_clean(), 0);
    // A damaged file is a note, is kept, and nothing fails.
    std::fs::write(&state, "schema = 1\ntheme = \"li").expect("writes");
    let mut session = Session::start_in(folder, &[SAMPLE_RUN], 80, 24, &[]);
    session.sees("finished").does("log").sees("state.toml:2:").sees("aside as").does("quit");
    let (folder, session) = session.keep();
    assert_eq!(session.ends_clean(), 0);
    let damaged = folder.path().join("home/.local/state/rankspace/state.toml.damaged");
    assert!(std::fs::read_to_string(damaged).expect("kept").ends_with("\"li"));
}

#[test]
fn keys_of_the_users_own_work_and_a_bad_line_is_told() {
    let text = "[train]\npauze = \"p\"\nfigures = \"F5\"\n\n[everywhere]\nquit = \"Q\"\n";
    let mut session = Session::start_with(&[SAMPLE_RUN], 100, 30, &[], |work| {
        write_config(work, "keys.toml", text);
    });
    session.sees("keys.toml:2: Train has no command").sees("F5 curves").sees("Q quit");
    session.keys("v").sees_no("keys.toml:2").sees("loss (nats/word)");
    session.keys(&bytes_of("F5")).sees("gradient norm");
    session.does("help").sees("F5  Show the curves of learning").keys(&bytes_of("Esc"));
    session.sees_no("Help: Train").does_on(Train, "smoothing").keys("Q");
    assert_eq!(session.ends_clean(), 0);
}

/// Whether no cell has a colour.
fn is_colourless(screen: &vt100::Screen) -> bool {
    let (rows, columns) = screen.size();
    let cells = (0..rows.get()).flat_map(|r| (0..columns.get()).map(move |c| (r, c)));
    cells.filter_map(|(row, column)| screen.cell(row, column)).all(|cell| {
        (cell.fgcolor(), cell.bgcolor()) == (vt100::Color::Default, vt100::Color::Default)
    })
}

#[test]
fn the_theme_is_chosen_by_flag_by_settings_and_by_key() {
    let settings = |work: &Path| write_config(work, "workbench.toml", "theme = \"mono\"\n");
    let mut session = Session::start_with(&[SAMPLE_RUN], 80, 24, &[], settings);
    session.sees("finished").until("no colour", is_colourless);
    session.does("theme").sees("theme: dark").until("colours", |s| !is_colourless(s)).does("quit");
    assert_eq!(session.ends_clean(), 0);
    let flag = ["--theme", "safe-light", SAMPLE_RUN];
    let mut session = Session::start_with(&flag, 80, 24, &[("NO_COLOR", "1")], settings);
    session.sees("finished").until("colours", |s| !is_colourless(s));
    session.does("theme").sees("theme: mono").until("no colour", is_colourless).does("quit");
    assert_eq!(session.ends_clean(), 0);
}

#[test]
fn a_file_is_chosen_by_typing_and_is_offered_first_the_next_time() {
    let mut session = Session::start_with(&[SAMPLE_RUN], 80, 24, &[], |work| {
        std::fs::create_dir(work.join("treebanks")).expect("makes");
        let trees = "(S (NN dogs) (VB bark))\n";
        for name in ["treebanks/own.mrg", "treebanks/.hidden.mrg", "treebanks/other.mrg"] {
            std::fs::write(work.join(name), trees).expect("writes");
        }
    });
    session.sees("finished").does("open-file").sees("the folder above").sees("treebanks/");
    session.keys("tre\t").sees("> treebanks/").sees("own.mrg").sees("bracketed trees");
    session.sees_no("hidden.mrg").keys("ow\t").sees("> treebanks/own.mrg").keys("\r");
    session.sees("1 sentence, 2 words").sees_no("the folder above");
    // What is not there says so, and the workbench goes on.
    session.does("open-file").sees("recent corpus").keys("nowhere.mrg\r");
    session.sees("nothing here matches").keys(&bytes_of("Esc")).sees_no("nothing here matches");
    session.does("quit");
    let (folder, session) = session.keep();
    assert_eq!(session.ends_clean(), 0);
    let mut session = Session::start_in(folder, &[SAMPLE_RUN], 80, 24, &[]);
    session.sees("finished").does("open-file").sees("treebanks/own.mrg").sees("recent corpus");
    session.keys("own.mrg\r").sees("1 sentence, 2 words").does("quit");
    assert_eq!(session.ends_clean(), 0);
}

#[test]
fn a_run_says_what_it_takes_and_is_cleaned_when_told_to() {
    let mut session = Session::start_with(&["runs/own"], 80, 24, &[], |work| {
        let run = work.join("runs/own");
        for name in ["checkpoints", "trees"] {
            std::fs::create_dir_all(run.join(name)).expect("makes");
        }
        let sample = Path::new(SAMPLE_RUN);
        for name in ["config.toml", "events.jsonl", "status.json"] {
            std::fs::copy(sample.join(name), run.join(name)).expect("copies");
        }
        for name in ["checkpoints/best.safetensors", "checkpoints/last.safetensors"] {
            std::fs::copy(sample.join(name), run.join(name)).expect("copies");
        }
    });
    session.sees("finished").does("runs").sees("on the disk").sees("checkpoints 1.4 MB");
    session.does_on(Runs, "clean").sees("own takes").sees("nobody can go on with it").keys("l");
    session.sees("of own moved to the trash").sees("checkpoints 350 kB");
    session.does_on(Runs, "clean").sees("empty the trash").keys("e").sees("for good? Nothing");
    session.keys("d").sees("is gone from the trash").does("quit");
    let (folder, session) = session.keep();
    assert_eq!(session.ends_clean(), 0);
    let runs = folder.path().join("work/runs");
    assert!(runs.join("own/checkpoints/best.safetensors").is_file());
    assert!(!runs.join("own/checkpoints/last.safetensors").exists());
    assert!(!runs.join(".trash").exists());
}
