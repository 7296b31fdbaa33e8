use super::*;
use crate::report::RunState;
use crate::workbench::testing;
use crate::workbench::testing::{
    language_run, learning, learning_language, picture, press, run, update,
};

fn shared() -> Shared {
    let mut finished = run(2, "2026-11-28-rank-pcfg", &learning(100));
    finished.history.state = Some(RunState::Finished);
    finished.started = 1000.0;
    let mut broken = RunEntry::new(RunId(3), "runs/2026-11-27-rank-pcfg".into());
    broken.problem = Some("config.toml:3: unknown key `epoch`".into());
    let mut running = run(1, "2026-11-29-rank-pcfg", &learning(30));
    running.started = 90_000.0;
    Shared {
        runs: vec![running, finished, broken],
        selected: Some(RunId(1)),
        overlaid: vec![RunId(2)],
        listed: true,
        now: 90_500.0,
        ..testing::shared()
    }
}

#[test]
fn all_runs_at_80x24_and_200x60() {
    let (mut runs, shared) = (Runs::default(), shared());
    update(&mut runs, Input::Shown, &shared);
    insta::assert_snapshot!("runs_80", picture(&runs, &shared, 80, 12));
    insta::assert_snapshot!("runs_200", picture(&runs, &shared, 200, 12));
}

/// The first two runs are two seeds of one config.
fn two_seeds() -> Shared {
    let mut shared = shared();
    for (run, s_f1) in shared.runs.iter_mut().zip([40.0, 46.0]) {
        run.group = Some("runs/2026-11-28-rank-pcfg-seeds".into());
        run.history = Default::default();
        run.listed_dev = Some([("s_f1", s_f1), ("perplexity", 200.0)].into_iter().collect());
    }
    shared
}

#[test]
fn the_seeds_of_a_group_have_their_mean_and_spread_below_the_runs() {
    let (mut runs, shared) = (Runs::default(), two_seeds());
    update(&mut runs, Input::Shown, &shared);
    let seen = picture(&runs, &shared, 80, 12);
    assert!(seen.contains("2 seeds: S-F1 43.00 ± 4.24 (40.00 to 46.00)  perplexity 200"), "{seen}");
    update(&mut runs, Input::Command("down"), &shared);
    update(&mut runs, Input::Command("down"), &shared);
    let seen = picture(&runs, &shared, 80, 12);
    assert!(!seen.contains("seeds:"), "this run is of no group: {seen}");
    // A run that vanished no longer counts.
    let mut less = two_seeds();
    less.runs[1].gone = true;
    update(&mut runs, Input::Command("up"), &less);
    update(&mut runs, Input::Command("up"), &less);
    let seen = picture(&runs, &less, 80, 12);
    assert!(seen.contains("1 seed: S-F1 40.00 (40.00 to 40.00)"), "{seen}");
}

#[test]
fn without_runs_it_says_how_to_start_one() {
    let runs = Runs::default();
    let shared = Shared { listed: true, ..testing::shared() };
    assert!(picture(&runs, &shared, 80, 12).contains("start a training"));
}

#[test]
fn typing_filters_and_escape_brings_all_back() {
    let (mut runs, shared) = (Runs::default(), shared());
    update(&mut runs, Input::Command("filter"), &shared);
    assert!(runs.editing());
    for c in "finished".chars() {
        update(&mut runs, Input::Key(press(&c.to_string())), &shared);
    }
    let picture_now = picture(&runs, &shared, 80, 12);
    assert!(picture_now.contains("Runs: 1 of 3") && picture_now.contains("11-28"), "{picture_now}");
    assert_eq!(runs.at, Some(At::Run(RunId(2))), "the cursor is on a run that is shown");
    update(&mut runs, Input::Key(press("Esc")), &shared);
    assert!(!runs.editing());
    assert!(picture(&runs, &shared, 80, 12).contains("Runs: 3"));
}

#[test]
fn runs_of_one_name_show_their_folders_and_a_killed_one_has_died() {
    let (mut runs, mut shared) = (Runs::default(), shared());
    shared.runs[1].path = "elsewhere/2026-11-29-rank-pcfg".into();
    shared.runs[1].name = "2026-11-29-rank-pcfg".into();
    let killed = &mut shared.runs[0];
    (killed.listed_state, killed.listed_dead) = (Some(RunState::Stopped), true);
    killed.listed_at = 90_400.0;
    update(&mut runs, Input::Shown, &shared);
    let picture = picture(&runs, &shared, 80, 12);
    assert!(picture.contains("runs/2026-11-29-rank-pcfg  ✗ died"), "{picture}");
    assert!(picture.contains("…ere/2026-11-29-rank-pcfg  ✓ finished"), "{picture}");
}

#[test]
fn enter_selects_the_run_and_shows_train() {
    let (mut runs, shared) = (Runs::default(), shared());
    update(&mut runs, Input::Shown, &shared);
    update(&mut runs, Input::Command("down"), &shared);
    let effects = update(&mut runs, Input::Command("open"), &shared);
    assert!(
        matches!(effects[..], [Effect::Select(RunId(2)), Effect::Show(ScreenId::Train)]),
        "{effects:?}"
    );
}

#[test]
fn a_run_is_deleted_only_after_a_question_and_never_while_it_runs() {
    let (mut runs, shared) = (Runs::default(), shared());
    update(&mut runs, Input::Shown, &shared);
    let effects = update(&mut runs, Input::Command("delete"), &shared);
    assert!(matches!(effects[..], [Effect::Status(..)]), "it runs: {effects:?}");
    update(&mut runs, Input::Command("down"), &shared);
    let effects = update(&mut runs, Input::Command("delete"), &shared);
    assert!(matches!(effects[..], [Effect::Popup(Popup::Question { .. })]), "{effects:?}");
    let no = Input::Answer { popup: "delete", answer: &Answer::Choice('c') };
    assert!(update(&mut runs, no, &shared).is_empty());
    let yes = || Input::Answer { popup: "delete", answer: &Answer::Choice('d') };
    assert!(update(&mut runs, yes(), &shared).is_empty(), "the question was answered");
    update(&mut runs, Input::Command("delete"), &shared);
    let effects = update(&mut runs, yes(), &shared);
    assert!(matches!(effects[..], [Effect::Trash(RunId(2))]), "{effects:?}");
}

#[test]
fn every_family_has_its_main_figure_and_published_ones_are_those_of_its_kind() {
    let (mut runs, mut shared) = (Runs::default(), shared());
    shared.runs.insert(1, language_run(4, "2026-11-29-rank-hmm", &learning_language(60)));
    let mut plain = run(5, "2026-11-26-rank-pcfg", &learning_language(30));
    plain.history.state = Some(RunState::Stopped);
    shared.runs.push(plain);
    update(&mut runs, Input::Shown, &shared);
    insta::assert_snapshot!("families_80", picture(&runs, &shared, 80, 21));
    insta::assert_snapshot!("families_200", picture(&runs, &shared, 200, 30));
    update(&mut runs, Input::Command("literature"), &shared);
    let grammars = picture(&runs, &shared, 80, 21);
    assert!(grammars.contains("NBL-PCFG") && !grammars.contains("LSTM"), "{grammars}");
    update(&mut runs, Input::Command("down"), &shared);
    insta::assert_snapshot!("literature_80", picture(&runs, &shared, 80, 21));
    insta::assert_snapshot!("literature_200", picture(&runs, &shared, 200, 30));
    update(&mut runs, Input::Command("literature"), &shared);
    assert!(!picture(&runs, &shared, 200, 30).contains("not this corpus"));
}

/// A folder of runs on the disk with one that is finished, and what the screen is told of it.
fn on_disk() -> (tempfile::TempDir, Shared) {
    let base = tempfile::tempdir().expect("a temporary folder");
    let folder = crate::run::RunFolder::create(base.path(), &crate::config::Config::default());
    let folder = folder.expect("creates");
    for (path, bytes) in [(folder.best(), 40_000), (folder.last(), 120_000)] {
        std::fs::write(path, vec![0; bytes]).expect("writes");
    }
    for step in ["000000000", "000000120", "000000240"] {
        let path = folder.trees().join(format!("dev-{step}.json.gz"));
        std::fs::write(path, vec![0; 5_000]).expect("writes");
    }
    let mut entry = RunEntry::new(RunId(7), folder.path().to_owned());
    entry.listed_state = Some(RunState::Finished);
    let shared = Shared { runs: vec![entry], listed: true, ..testing::shared() };
    (base, shared)
}

#[test]
fn what_runs_take_is_shown_and_what_they_can_spare_goes_to_the_trash() {
    let (base, shared) = on_disk();
    let mut stage = crate::workbench::stage::Stage::new(Runs::default());
    stage.shared = shared;
    let effects = stage.update(Input::Shown);
    assert!(stage.settle(effects).is_empty());
    let shot = stage.shot(80, 24);
    assert!(shot.contains("Runs: 1 · 17"), "{shot}");
    assert!(shot.contains("checkpoints 160 kB, trees 15 kB"), "{shot}");
    let wide = stage.shot(200, 60);
    let row = wide.lines().find(|line| line.contains("finished")).expect("a row");
    assert!(wide.contains("on disk") && row.trim_end_matches(['│', ' ']).ends_with("kB"), "{wide}");
    // The question says what there is.
    let effects = stage.command("clean");
    let asked = stage.settle(effects);
    let [Effect::Popup(Popup::Question { id, text, choices, .. })] = &asked[..] else {
        panic!("{asked:?}");
    };
    let labels: Vec<&str> = choices.iter().map(|choice| choice.label.as_str()).collect();
    let wanted = [
        "`last` (120 kB): then nobody can go on with it",
        "trees but first, best and last (5.0 kB)",
        "cancel",
    ];
    assert_eq!((*id, &labels[..]), ("clean", &wanted[..]));
    assert!(text.contains("takes 17"), "{text}");
    // Nothing happens before it is answered, nor when it is not.
    let cancelled = stage.update(Input::Answer { popup: "clean", answer: &Answer::Choice('c') });
    assert!(cancelled.is_empty());
    let effects = stage.command("clean");
    stage.settle(effects);
    let effects = stage.update(Input::Answer { popup: "clean", answer: &Answer::Choice('l') });
    let said = crate::workbench::stage::said(&stage.settle(effects));
    assert!(
        said[0].starts_with("120 kB of ") && said[0].ends_with("moved to the trash"),
        "{said:?}"
    );
    assert!(stage.shot(80, 24).contains("checkpoints 40 kB, trees 15 kB"));
    // Now there is a trash to be emptied, and that is asked twice.
    let effects = stage.command("clean");
    let asked = stage.settle(effects);
    assert!(format!("{asked:?}").contains("empty the trash: 1 thing, 120 kB"), "{asked:?}");
    let asked = stage.update(Input::Answer { popup: "clean", answer: &Answer::Choice('e') });
    assert!(format!("{asked:?}").contains("for good"), "{asked:?}");
    assert!(base.path().join(".trash").is_dir());
    let effects =
        stage.update(Input::Answer { popup: "empty-trash", answer: &Answer::Choice('d') });
    let said = crate::workbench::stage::said(&stage.settle(effects));
    assert_eq!(said, ["120 kB is gone from the trash"]);
    assert!(!base.path().join(".trash").exists());
}

#[test]
fn a_run_that_goes_on_is_not_cleaned() {
    let (mut runs, shared) = (Runs::default(), shared());
    update(&mut runs, Input::Shown, &shared);
    let effects = update(&mut runs, Input::Command("clean"), &shared);
    let said = crate::workbench::stage::said(&effects);
    assert_eq!(said, ["2026-11-29-rank-pcfg is running: stop it first"]);
}
