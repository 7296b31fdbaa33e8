use super::super::Runs;
use super::*;
use crate::config::Config;
use crate::evaluation::Spread;
use crate::report::RunState;
use crate::run::{Group, RunFolder, SweepRun, Varied};
use crate::workbench::names::RunId;
use crate::workbench::screen::{Input, Screen, Target};
use crate::workbench::shared::RunEntry;
use crate::workbench::stage::{Stage, said};

const NAME: &str = "2026-11-29-rank-pcfg-sweep";

fn varied(key: &str, values: &[&str]) -> Varied {
    Varied { key: key.into(), values: values.iter().map(|v| (*v).to_owned()).collect() }
}

fn sweep(base: &tempfile::TempDir, axes: Vec<Varied>) -> Sweep {
    Sweep::create_at(&base.path().join(NAME), &Config::default(), axes, 3).expect("makes")
}

/// Eight choices: one still trains, one has not begun, and the others are finished.
fn read(sweep: &Sweep) -> Read {
    let mut rows = sweep.rows();
    for (i, row) in rows.iter_mut().enumerate().take(7) {
        let (done, state) = if i == 6 { (1, RunState::Running) } else { (3, RunState::Finished) };
        let run = |seed: usize| SweepRun {
            seed: seed as u64,
            path: row.group.join(format!("seed-{seed}")),
            state: if seed < done { RunState::Finished } else { state },
            progress: if seed < done { 1.0 } else { 0.4 },
        };
        row.runs = (0..3).map(run).collect();
        let value = |seed: usize| 30.0 + 6.0 * (i as f64).sqrt() + ((seed * 7 + i * 5) % 4) as f64;
        let f1 = Spread::of((0..done).map(value)).expect("values");
        let perplexity = Spread::of((0..done).map(|s| 400.0 - 3.0 * value(s))).expect("values");
        for split in ["dev", "test"] {
            row.spread.insert(split, [("s_f1", f1), ("perplexity", perplexity)].into());
        }
    }
    Read { sweep: sweep.clone(), rows }
}

fn grid(base: &tempfile::TempDir) -> Sweep {
    let ranks = varied("model.rank", &["16", "64", "256", "1024"]);
    sweep(base, vec![ranks, varied("training.clip", &["1", "3.0"])])
}

/// The page of a sweep on the Runs screen.
fn stage(read: &Read) -> Stage<Runs> {
    let mut stage = Stage::new(Runs::default());
    let target = Target::Sweep(read.sweep.path().to_owned());
    stage.update(Input::Open(&target));
    stage.deliver(READ, read.clone());
    stage
}

#[test]
fn figure_and_table_at_80x24_and_200x60() {
    let base = tempfile::tempdir().expect("temporary folder");
    let mut stage = stage(&read(&grid(&base)));
    insta::assert_snapshot!("sweep_80x24", stage.shot(80, 24));
    insta::assert_snapshot!("sweep_200x60", stage.shot(200, 60));
    // Without colour the best and the chosen column are told as well.
    stage.theme = crate::workbench::theme::Theme::new(crate::workbench::ThemeName::Mono, true);
    let shot = stage.shot(80, 24);
    assert_eq!(shot.matches("* ").count(), 4, "three columns are in view, and the key: {shot}");
}

#[test]
fn the_column_that_is_chosen_is_drawn_and_kept_in_view() {
    let base = tempfile::tempdir().expect("temporary folder");
    let mut stage = stage(&read(&grid(&base)));
    for title in ["dev perplexity by", "test S-F1 by", "test perplexity by", "dev S-F1 by"] {
        stage.command("next-figure");
        let shot = stage.shot(80, 24);
        assert!(
            shot.contains(title) && shot.matches(&title[..title.len() - 3]).count() > 1,
            "{shot}"
        );
    }
    stage.command("previous-figure");
    assert!(stage.shot(80, 24).contains("test perplexity by model.rank"));
    stage.command("axis");
    assert!(stage.shot(80, 24).contains("test perplexity by training.clip"));
    assert!(stage.shot(80, 24).contains("● rank 16"));
}

#[test]
fn from_a_row_to_its_runs_its_card_and_back_to_the_list() {
    let base = tempfile::tempdir().expect("temporary folder");
    let read = read(&grid(&base));
    let mut stage = stage(&read);
    assert_eq!(said(&stage.command("open")), ["its runs are not listed yet"]);
    for seed in 0..3 {
        let row = &read.rows[1];
        let mut run = RunEntry::new(RunId(seed), row.runs[seed as usize].path.clone());
        run.config = Some(Config { seed: u64::from(seed), ..Config::default() });
        (run.group, run.sweep) = (Some(row.group.clone()), Some(read.sweep.path().to_owned()));
        stage.shared.runs.insert(0, run);
    }
    stage.shared.overlaid = vec![RunId(2), RunId(9)];
    stage.command("down");
    let effects = stage.command("open");
    let expected = "[Select(RunId(0)), Overlay(RunId(9)), Overlay(RunId(1)), Show(Train)]";
    assert_eq!(format!("{effects:?}"), expected);
    stage.command("last");
    assert_eq!(said(&stage.command("open")), ["none of its runs has begun"]);
    assert!(said(&stage.command("card"))[0].starts_with("none of its runs has begun"));
    assert!(said(&stage.command("delete"))[0].contains("Esc leads back"));
    stage.command("clear");
    let shot = stage.shot(80, 24);
    assert!(shot.contains("Runs: 3") && shot.contains("sweep: 0 of 3 runs finished"), "{shot}");
    // The list begins with the sweep, and Enter opens it again.
    let effects = stage.command("open");
    assert!(format!("{effects:?}").contains("reading the sweep"), "{effects:?}");
}

#[test]
fn a_sweep_is_read_from_its_folder_with_cards_and_exports() {
    let base = tempfile::tempdir().expect("temporary folder");
    let mut config = Config::default();
    config.data.train.0 = vec!["sample:dev".into()];
    let axes = vec![varied("model.compat", &["\"none\"", "\"published\""])];
    let made = Sweep::create_at(&base.path().join(NAME), &config, axes, 1).expect("makes");
    let mut stage = Stage::new(Runs::default());
    let target = Target::Sweep(made.path().to_owned());
    let effects = stage.update(Input::Open(&target));
    stage.settle(effects);
    let shot = stage.shot(80, 24);
    assert!(shot.contains("0 of 2 runs finished") && shot.contains("No setting"), "{shot}");
    assert!(shot.contains("go on with: rankspace resume"), "{shot}");
    assert_eq!(said(&stage.command("axis")), ["no setting that is varied is a number"]);

    // A run that begins is seen when the list of runs has changed.
    let group: Group = made.group(&made.points()[0]).expect("makes");
    RunFolder::create_at(&group.folder_of(&group.members()[0]), group.config()).expect("made");
    let status = r#"{"schema": 1, "state": "finished", "pid": 1, "host": "h", "heartbeat": 0,
        "kind": "train", "step": 5, "epoch": 1, "total_steps": 5, "elapsed": 2.0,
        "best": {"step": 5, "epoch": 1, "dev": {"perplexity": 90.0}}}"#;
    let folder = group.folder_of(&group.members()[0]);
    std::fs::write(folder.join("status.json"), status).expect("writes");
    let effects = stage.update(Input::Selection);
    stage.settle(effects);
    let shot = stage.shot(80, 24);
    assert!(shot.contains("1 of 2 runs finished") && shot.contains("90.00"), "{shot}");

    let effects = stage.command("card");
    let effects = stage.settle(effects);
    let shown = format!("{effects:?}");
    assert!(shown.contains("Experiment card") && shown.contains("sample:dev"), "{shown}");
    for (format, wanted) in [(0, "table.csv"), (1, "table.tex"), (3, "card-")] {
        let answer = Answer::Item(format);
        let effects = stage.update(Input::Answer { popup: files::EXPORT, answer: &answer });
        let told = said(&stage.settle(effects));
        assert!(told[0].starts_with("written to") && told[0].contains(wanted), "{told:?}");
    }
    let answer = Answer::Item(2);
    let effects = stage.update(Input::Answer { popup: files::EXPORT, answer: &answer });
    assert_eq!(said(&effects), ["nothing is drawn yet"]);

    // What was read stays in view when the folder is gone, with a word on it.
    std::fs::remove_dir_all(made.path()).expect("removes");
    let effects = stage.update(Input::Selection);
    stage.settle(effects);
    let shot = stage.shot(80, 24);
    assert!(shot.contains("90.00") && shot.contains("sweep.json"), "{shot}");
}

#[test]
fn the_line_of_keys_offers_what_works_on_the_page_and_nothing_else() {
    let base = tempfile::tempdir().expect("temporary folder");
    let read = read(&grid(&base));
    for command in crate::workbench::screens::runs::COMMANDS {
        let mut stage = stage(&read);
        let offered = stage.screen.offers(command.name);
        let told = said(&stage.command(command.name));
        let idle = told.iter().any(|text| text.starts_with("Esc leads back"));
        assert_eq!(offered, !idle, "{}: {told:?}", command.name);
    }
    let list = Stage::new(Runs::default()).screen;
    let offered = ["open", "filter", "axis", "card", "export"].map(|name| list.offers(name));
    assert_eq!(offered, [true, true, false, false, false]);
}
