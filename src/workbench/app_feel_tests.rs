//! The whole workbench under mouse, keys of the user's own, themes and what is remembered.

use super::app::Preferences;
use super::keys_file;
use super::memory;
use super::message::Message;
use super::names::{RunId, ScreenId};
use super::start::{Named, UserData};
use super::testing::{Stage, learning, run, screenshot};
use super::theme::{Surroundings, ThemeName};
use crate::report::Level;
use crossterm::event::{Event as Terminal, KeyModifiers, MouseButton, MouseEvent, MouseEventKind};

/// A first start whose sample training has learnt for some steps.
fn training(steps: u64) -> Stage {
    let mut stage = Stage::first_start();
    stage.calls();
    stage.tell(Message::Events(RunId(1), learning(steps)));
    stage
}

impl Stage {
    /// Something of the mouse's happens at a cell of the frame that was drawn last.
    fn mouse(&mut self, kind: MouseEventKind, (column, row): (u16, u16)) {
        let event = MouseEvent { kind, column, row, modifiers: KeyModifiers::NONE };
        self.tell(Message::Terminal(Terminal::Mouse(event)));
    }

    fn click(&mut self, cell: (u16, u16)) {
        self.mouse(MouseEventKind::Down(MouseButton::Left), cell);
        self.mouse(MouseEventKind::Up(MouseButton::Left), cell);
        self.now += 1.0;
    }

    fn drag(&mut self, from: (u16, u16), to: (u16, u16)) {
        self.mouse(MouseEventKind::Down(MouseButton::Left), from);
        self.mouse(MouseEventKind::Drag(MouseButton::Left), to);
        self.mouse(MouseEventKind::Up(MouseButton::Left), to);
        self.now += 1.0;
    }

    /// Draws, and gives where a text begins.
    fn find(&self, text: &str, (width, height): (u16, u16)) -> (u16, u16) {
        let shot = screenshot(&self.app, width, height);
        let row = shot.lines().position(|line| line.contains(text));
        let row = row.unwrap_or_else(|| panic!("no {text:?} in\n{shot}"));
        let line = shot.lines().nth(row).expect("a row");
        let before = line.split(text).next().expect("a beginning");
        (unicode_width::UnicodeWidthStr::width(before) as u16, row as u16)
    }
}

const SMALL: (u16, u16) = (80, 24);
const LARGE: (u16, u16) = (200, 60);

#[test]
fn every_tab_is_clicked_in_small_and_large_terminals() {
    for size in [SMALL, LARGE] {
        for id in ScreenId::ALL {
            let mut stage = training(10);
            let cell = stage.find(&format!("{} {}", id.digit(), id.title()), size);
            for cell in [cell, (cell.0 + 1 + id.title().len() as u16, cell.1)] {
                stage.app.show(ScreenId::Train);
                stage.find("Train", size);
                stage.click(cell);
                assert_eq!(stage.app.active, id, "{size:?}");
            }
        }
    }
}

#[test]
fn a_key_in_the_last_line_does_when_clicked_what_it_says() {
    let mut stage = training(10);
    let pause = stage.find("p pause", SMALL);
    stage.click(pause);
    assert_eq!(stage.calls(), ["Pause 1"]);
    let help = stage.find("? help", SMALL);
    stage.click(help);
    assert!(screenshot(&stage.app, 80, 24).contains("Help: Train"));
    // Behind a popup nothing is in reach but its own keys.
    stage.click(pause);
    let tab = stage.find("3 Grammar", SMALL);
    stage.click(tab);
    assert_eq!((stage.calls().len(), stage.app.active), (0, ScreenId::Train));
    let close = stage.find("Esc close", SMALL);
    stage.click(close);
    assert!(!screenshot(&stage.app, 80, 24).contains("Help: Train"));
}

/// Runs with three rows.
fn with_runs() -> Stage {
    let mut stage = training(10);
    for (i, name) in ["alpha", "beta", "gamma"].into_iter().enumerate() {
        stage.app.shared.runs.push(run(10 + i as u32, name, &learning(10)));
    }
    stage.keys(&["7"]);
    stage
}

#[test]
fn a_click_into_a_chart_sets_the_cursor_and_dragging_moves_it() {
    for size in [SMALL, LARGE] {
        let mut stage = training(60);
        let (column, row) = stage.find("loss (nats", size);
        // The lines begin behind the values of the axis, and go up to the blank before the frame.
        let (row, first) = (row + 3, column + 6);
        let at = |stage: &Stage, step: u32| {
            let shot = screenshot(&stage.app, size.0, size.1);
            assert!(shot.contains(&format!(" at {step} ")), "{step}: {shot}");
        };
        stage.click((first, row));
        at(&stage, 1);
        let shot = screenshot(&stage.app, size.0, size.1);
        let line: Vec<char> = shot.lines().nth(row.into()).expect("a row").chars().collect();
        assert_eq!(line[usize::from(first)], '│', "{shot}");
        // Dragged out of the chart it stays at its edge.
        stage.drag((first, row), (size.0 - 1, row));
        at(&stage, 60);
        // The wheel turns what it did.
        let before = screenshot(&stage.app, size.0, size.1);
        stage.mouse(MouseEventKind::ScrollUp, (first + 3, row));
        assert_ne!(screenshot(&stage.app, size.0, size.1), before, "fewer steps are in view");
        at(&stage, 60);
        // Another chart has the same cursor; Esc takes it away.
        let (column, row) = stage.find("dev perplexity", size);
        stage.click((column + 20, row + 2));
        stage.keys(&["Esc"]);
        let shot = screenshot(&stage.app, size.0, size.1);
        let title = shot.lines().find(|line| line.contains("dev perplexity")).expect("a title");
        assert!(!title.contains(" at "), "{title}");
    }
}

#[test]
fn a_row_is_selected_by_a_click_and_opened_by_two() {
    let mut stage = with_runs();
    let beta = stage.find("beta", SMALL);
    stage.click(beta);
    stage.keys(&["d"]);
    assert!(screenshot(&stage.app, 80, 24).contains("beta is running: stop it first"));
    // Clicks answer a question as well.
    stage.keys(&["q"]);
    let cancel = stage.find("c  cancel", SMALL);
    stage.click(cancel);
    assert!(!screenshot(&stage.app, 80, 24).contains("stop and save"));
    // Slow clicks are two single ones.
    stage.click(beta);
    stage.click(beta);
    assert_eq!(stage.app.active, ScreenId::Runs);
    stage.mouse(MouseEventKind::Down(MouseButton::Left), beta);
    stage.now += 0.2;
    stage.mouse(MouseEventKind::Down(MouseButton::Left), beta);
    assert_eq!((stage.app.active, stage.app.shared.selected), (ScreenId::Train, Some(RunId(11))));
}

#[test]
fn the_wheel_goes_through_the_list_under_it_and_stays_within() {
    let mut stage = with_runs();
    let beta = stage.find("beta", SMALL);
    for _ in 0..3 {
        stage.mouse(MouseEventKind::ScrollDown, beta);
        screenshot(&stage.app, 80, 24);
    }
    stage.keys(&["d"]);
    assert!(screenshot(&stage.app, 80, 24).contains("gamma is running: stop it first"));
    stage.mouse(MouseEventKind::ScrollUp, beta);
    stage.keys(&["p"]);
    assert_eq!(stage.app.shared.selected, Some(RunId(1)), "three rows up is the first");
}

#[test]
fn the_wheel_scrolls_a_popup_and_a_click_chooses_in_it() {
    let mut stage = training(10);
    stage.keys(&["?"]);
    let before = screenshot(&stage.app, 80, 24);
    stage.mouse(MouseEventKind::ScrollDown, (40, 12));
    let after = screenshot(&stage.app, 80, 24);
    assert_ne!(before, after);
    stage.mouse(MouseEventKind::ScrollUp, (40, 12));
    assert_eq!(screenshot(&stage.app, 80, 24), before);
    stage.keys(&["Esc", ":", "c", "h", "e", "c", "k"]);
    let row = stage.find("Train: checkpoint", SMALL);
    stage.click(row);
    assert_eq!(stage.calls(), ["Checkpoint 1"]);
}

#[test]
fn a_border_is_dragged_and_both_sides_follow() {
    let mut stage = training(60);
    let size = LARGE;
    let border = stage.find("╮╭", size);
    // The last of these borders is the one between the charts and the column beside them.
    let shot = screenshot(&stage.app, size.0, size.1);
    let line = shot.lines().nth(1).expect("a row");
    let at = line.chars().collect::<Vec<_>>();
    let last = (0..at.len() - 1).rev().find(|&i| at[i] == '╮' && at[i + 1] == '╭').expect("one");
    stage.drag((last as u16, border.1 + 5), (last as u16 - 30, border.1 + 5));
    let shot = screenshot(&stage.app, size.0, size.1);
    let at: Vec<char> = shot.lines().nth(1).expect("a row").chars().collect();
    assert_eq!((at[last - 31], at[last - 30]), ('╮', '╭'), "{shot}");
    insta::assert_snapshot!("dragged_200", shot);
    // Nothing is dragged any more, and a drag that began elsewhere drags nothing.
    stage.mouse(MouseEventKind::Drag(MouseButton::Left), (50, 20));
    stage.drag((50, 58), (60, 20));
    assert_eq!(screenshot(&stage.app, size.0, size.1), shot);
}

#[test]
fn keys_move_borders_put_them_back_and_say_where_there_is_none() {
    let mut stage = training(60);
    let before = screenshot(&stage.app, 200, 60);
    stage.keys(&["Ctrl-w"]);
    let shot = screenshot(&stage.app, 200, 60);
    assert!(shot.ends_with("Esc done"), "{shot}");
    // Which border it is is shown by more than a colour.
    let mut terminal = ratatui::Terminal::new(ratatui::backend::TestBackend::new(200, 60));
    let terminal = terminal.as_mut().expect("a test terminal");
    terminal.draw(|frame| stage.app.draw(frame)).expect("draws");
    let reversed = |row: u16| {
        let buffer = terminal.backend().buffer();
        let is = |c: &u16| buffer[(*c, row)].modifier.contains(ratatui::style::Modifier::REVERSED);
        (0..200).filter(is).count()
    };
    assert_eq!((reversed(5), reversed(50)), (2, 2));
    stage.keys(&["Left", "Left", "Left"]);
    let moved = screenshot(&stage.app, 200, 60);
    assert_ne!(moved, shot);
    stage.keys(&["0", "Esc"]);
    assert_eq!(screenshot(&stage.app, 200, 60), before);
    // Train has no border in a small terminal.
    screenshot(&stage.app, 80, 24);
    stage.keys(&["Ctrl-w"]);
    assert!(screenshot(&stage.app, 80, 24).contains("nothing to divide here"));
}

#[test]
fn the_mouse_is_given_back_and_taken_again() {
    let mut stage = training(10);
    assert!(stage.app.takes_mouse());
    stage.keys(&["M"]);
    assert!(!stage.app.takes_mouse());
    assert!(screenshot(&stage.app, 80, 24).contains("the mouse is the terminal's"));
    stage.keys(&["M"]);
    assert!(stage.app.takes_mouse());
}

// Keys of the user's own.

#[test]
fn the_users_keys_are_dispatched_and_shown_in_help_and_in_the_line_of_keys() {
    let mut stage = training(10);
    let text = "[train]\npause = \"F5\"\n[everywhere]\nhelp = \"F1\"\nlog = \"Z\"\n";
    let read = keys_file::parse("keys.toml", text);
    assert_eq!(read.problems, [""; 0]);
    stage.app.shared.keymap = read.keymap;
    let shot = screenshot(&stage.app, 80, 24);
    assert!(shot.contains("F5 pause") && shot.contains("F1 help"), "{shot}");
    assert!(shot.contains("Z Log") && shot.contains("7 Runs"), "{shot}");
    stage.keys(&["p"]);
    assert_eq!(stage.calls(), [""; 0]);
    stage.keys(&["F5", "F1"]);
    assert_eq!(stage.calls(), ["Pause 1"]);
    let help = screenshot(&stage.app, 80, 24);
    assert!(help.contains("F5  Pause the run"), "{help}");
    insta::assert_snapshot!("help_of_own_keys_80", help);
    stage.keys(&["Esc", "Z"]);
    assert_eq!(stage.app.active, ScreenId::Log);
}

#[test]
fn ctrl_c_leaves_whatever_keys_quit_has() {
    let mut stage = training(10);
    stage.app.shared.keymap = keys_file::parse("k", "[everywhere]\nquit = \"F10\"\n").keymap;
    stage.keys(&["q"]);
    assert!(!screenshot(&stage.app, 80, 24).contains("stop and save"));
    stage.keys(&["Ctrl-c"]);
    assert!(screenshot(&stage.app, 80, 24).contains("stop and save"));
}

// What is remembered, and settings.

fn equipped(data: &UserData) -> Stage {
    let mut stage = Stage::new();
    let user = Preferences::read(data);
    let surroundings = Surroundings { no_color: false, unicode: true };
    let theme = user.theme(None, surroundings);
    stage.app.theme = super::theme::Theme::new(theme, true);
    stage.app.equip(user);
    stage
}

#[test]
fn the_next_start_is_as_the_last_one_was_left() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let data = UserData::below(folder.path());
    let mut stage = equipped(&data);
    stage.app.begin(Vec::new(), data.clone());
    stage.tell(Message::Folders(Vec::new()));
    stage.tell(Message::Events(RunId(1), learning(60)));
    screenshot(&stage.app, 200, 60);
    stage.keys(&["T", "M", "Ctrl-w", "Left", "Left", "Esc", "3"]);
    let panes = stage.app.shared.panes.clone();
    assert_eq!(panes.iter().count(), 1);
    drop(stage);
    let mut stage = equipped(&data);
    assert_eq!(stage.app.theme.name, ThemeName::Light);
    assert!(!stage.app.takes_mouse());
    assert_eq!(stage.app.shared.panes, panes);
    stage.app.begin(Vec::new(), data);
    stage.tell(Message::Folders(Vec::new()));
    assert_eq!(stage.app.active, ScreenId::Grammar);
    assert_eq!(stage.app.status, None);
}

#[test]
fn files_that_are_named_come_before_the_screen_that_was_left() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let data = UserData::below(folder.path());
    let mut stage = equipped(&data);
    stage.keys(&["8"]);
    drop(stage);
    let mut stage = equipped(&data);
    let corpus = folder.path().join("own.mrg");
    std::fs::write(&corpus, "(S (NN a) (VB b))").expect("writes");
    stage.app.begin(vec![Named::Corpus(corpus.clone())], data.clone());
    assert_eq!(stage.app.active, ScreenId::Corpora);
    stage.keys(&["o"]);
    drop(stage);
    let state = data.state_file().expect("a file");
    let recent = memory::read(&state).memory.recent;
    assert_eq!(recent.iter().map(|r| &r.path).collect::<Vec<_>>(), [&corpus]);
}

#[test]
fn what_is_wrong_with_the_users_files_is_told_and_nothing_fails() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let data = UserData::below(folder.path());
    for (file, text) in [
        (data.keys_file(), "[train]\npauze = \"p\"\n"),
        (data.settings_file(), "theme = \"sepia\"\n"),
        (data.state_file(), "schema = \n"),
    ] {
        let file = file.expect("a place");
        std::fs::create_dir_all(file.parent().expect("a folder")).expect("makes");
        std::fs::write(file, text).expect("writes");
    }
    let stage = equipped(&data);
    let (level, text) = stage.app.status.clone().expect("a word");
    assert_eq!(level, Level::Warning);
    assert!(
        text.starts_with("keys.toml:2: ") && text.ends_with("(and 2 more in the log)"),
        "{text}"
    );
    let log: Vec<&str> = stage.app.shared.log.lines().map(|line| line.text.as_str()).collect();
    assert!(log.iter().any(|line| line.contains("workbench.toml:1: theme is one of")), "{log:?}");
    assert!(log.iter().any(|line| line.contains("state.toml:1: ")), "{log:?}");
}

// Choosing a file.

#[test]
fn a_treebank_is_chosen_from_a_list_and_comes_first_the_next_time() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let data = UserData::below(folder.path());
    let corpus = folder.path().join("own.mrg");
    std::fs::write(&corpus, "(S (NN a) (VB b))\n").expect("writes");
    let mut stage = equipped(&data);
    stage.app.begin(vec![Named::Corpus(corpus.clone())], data);
    stage.settle();
    stage.keys(&["8", "Ctrl-o"]);
    stage.settle();
    let shot = screenshot(&stage.app, 80, 24);
    assert!(shot.contains("recent corpus"), "{shot}");
    assert!(shot.contains("complete"), "{shot}");
    // The first row is that file.
    stage.keys(&["Enter"]);
    stage.settle();
    assert_eq!(stage.app.active, ScreenId::Corpora);
    assert_eq!(stage.app.shared.corpora, [corpus]);
}

#[test]
fn the_list_of_files_at_80x24_and_200x60() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for (name, text) in [
        ("dev.mrg", "(S (NN a) (VB b))\n"),
        ("notes.txt", "the dog barks\n"),
        ("own.toml", "seed = 3\n"),
        ("picture.png", "\u{1}\0\u{2}"),
    ] {
        std::fs::write(folder.path().join(name), text).expect("writes");
    }
    std::fs::create_dir_all(folder.path().join("runs/first/checkpoints")).expect("makes");
    std::fs::write(folder.path().join("runs/first/config.toml"), "seed = 1\n").expect("writes");
    let mut stage = training(10);
    stage.keys(&["Ctrl-o"]);
    let path = format!("{}/", folder.path().display());
    stage.tell(Message::Terminal(Terminal::Paste(path.clone())));
    stage.settle();
    // The folder has another name every time.
    let shot = |stage: &Stage, width, height| {
        let shot = screenshot(&stage.app, width, height);
        let blank = " ".repeat(path.len() - 9);
        let with = |shot: String, folder: &str| {
            shot.replace(folder, &format!("/a/folder{}", &blank[..folder.len() - 9]))
        };
        with(with(shot, path.as_str()), path.trim_end_matches('/'))
    };
    insta::assert_snapshot!("files_80", shot(&stage, 80, 24));
    insta::assert_snapshot!("files_200", shot(&stage, 200, 60));
    stage.keys(&["r", "u", "Tab"]);
    stage.settle();
    assert!(screenshot(&stage.app, 80, 24).contains("run: rank-pcfg"));
}

#[test]
fn a_file_that_went_away_leaves_the_field_open_and_says_why() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let data = UserData::below(folder.path());
    let corpus = folder.path().join("own.mrg");
    std::fs::write(&corpus, "(S (NN a) (VB b))\n").expect("writes");
    let mut stage = equipped(&data);
    stage.app.begin(vec![Named::Corpus(corpus.clone())], data);
    stage.settle();
    std::fs::remove_file(&corpus).expect("removes");
    stage.keys(&["8", "Ctrl-o"]);
    stage.settle();
    stage.keys(&["Enter"]);
    stage.settle();
    // The field stays, with its path and the reason.
    let shot = screenshot(&stage.app, 200, 60);
    assert!(shot.matches("own.mrg").count() > 1 && shot.contains("No such file"), "{shot}");
    stage.keys(&["Esc", "2", "8"]);
    assert_eq!(stage.app.active, ScreenId::Log);
    assert!(screenshot(&stage.app, 200, 60).contains("No such file"), "the log keeps it");
}

// Characters.

/// Every character beyond ASCII in the strings of a source file.
fn drawn_characters(text: &str) -> Vec<char> {
    // Tests and comments draw nothing.
    let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
    let lines = code.lines().map(|line| match line.trim_start() {
        comment if comment.starts_with("//") => "",
        _ => line.split(" // ").next().unwrap_or_default(),
    });
    lines.flat_map(str::chars).filter(|c| !c.is_ascii()).collect()
}

#[test]
fn every_sign_that_the_workbench_draws_has_a_plain_one() {
    let mut folders = vec![std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src/workbench")];
    let mut seen = std::collections::BTreeSet::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("readable").flatten() {
            let path = entry.path();
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            if path.is_dir() {
                // Tests in folders of their own.
                folders.extend((name != "tests" && name != "snapshots").then_some(path));
            } else if name.ends_with(".rs") && !name.ends_with("tests.rs") && name != "testing.rs" {
                let text = std::fs::read_to_string(&path).expect("readable");
                seen.extend(drawn_characters(&text).into_iter().map(|c| (c, name.clone())));
            }
        }
    }
    assert!(seen.iter().any(|(c, _)| *c == '╮') || seen.len() > 20, "it reads the sources");
    let lost: Vec<_> = seen
        .iter()
        // Letters are words of others; the names of keys have signs only where there are some.
        .filter(|(c, name)| !c.is_alphabetic() && name != "text.rs" && name != "keys.rs")
        .filter(|(c, _)| super::text::ascii(&c.to_string()) == "?")
        .collect();
    assert!(lost.is_empty(), "no plain sign for {lost:?}");
}

#[test]
fn every_screen_and_popup_is_ascii_without_utf8_and_loses_no_sign() {
    let poor = Surroundings { no_color: true, unicode: false };
    for size in [SMALL, LARGE] {
        let mut stage = Stage::in_surroundings(poor);
        stage.app.begin(Vec::new(), UserData::default());
        stage.tell(Message::Folders(Vec::new()));
        stage.tell(Message::Events(RunId(1), learning(60)));
        let mut pages: Vec<&[&str]> = vec![&["1"], &["2"], &["3"], &["4"], &["5"], &["6"]];
        pages.extend([
            &["7"][..],
            &["8"],
            &["?"],
            &["Esc", ":"],
            &["Esc", "q"],
            &["Esc", "Ctrl-w"],
        ]);
        pages.extend([&["Esc", "2", "n"][..], &["Esc", "Ctrl-o"]]);
        for keys in pages {
            stage.keys(keys);
            let shot = screenshot(&stage.app, size.0, size.1);
            assert!(shot.is_ascii(), "{keys:?}\n{shot}");
            // The sign of what has no plain one; `? help` is a key.
            let lost = shot.replace("? help", "").replace("? meanings", "");
            let lost = lost.lines().filter(|line| line.contains('?')).collect::<Vec<_>>();
            let known = |line: &&&str| line.contains("? ") || line.contains(" ?");
            assert!(lost.iter().all(|line| known(&line)), "{keys:?} {lost:?}");
        }
    }
}
