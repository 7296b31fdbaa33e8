//! Axes, the table of raw numbers, copies and exports.

use super::*;
use crate::report::EventKind;
use crate::workbench::clock::XAxis;
use crate::workbench::curves::{Column, Format, columns};
use crate::workbench::news::Outcome;
use crate::workbench::testing::{event, learning, picture, run, shared_with_run, step, update};

fn train(shared: &Shared) -> Train {
    let mut train = Train::default();
    update(&mut train, Input::Selection, shared);
    train
}

/// With a second run that began a day later and took twice the time.
fn overlaid() -> Shared {
    let mut shared = shared_with_run(60);
    let mut events = learning(40);
    for event in &mut events {
        event.time += 86_400.0;
        event.elapsed *= 2.0;
    }
    shared.runs.push(run(2, "2026-11-28-rank-pcfg", &events));
    shared.overlaid.push(RunId(2));
    shared
}

#[test]
fn one_key_draws_by_step_by_running_time_and_by_wall_time() {
    let shared = overlaid();
    let mut train = train(&shared);
    assert_eq!(train.charts.window(&shared), (1.0, 60.0));
    let effects = update(&mut train, Input::Command("axis"), &shared);
    assert!(matches!(&effects[..], [Effect::Status(_, text)] if text == "by running time"));
    // Both runs from their own beginning.
    let (from, to) = train.charts.window(&shared);
    assert!(from < 5.0 && (80.0..100.0).contains(&to), "{from} {to}");
    insta::assert_snapshot!("train_time_80", picture(&train, &shared, 80, 21));
    update(&mut train, Input::Command("axis"), &shared);
    let (from, to) = train.charts.window(&shared);
    assert!(to - from > 86_000.0, "a day apart");
    let text = picture(&train, &shared, 200, 70);
    assert!(text.contains("wall time (UTC)") && text.contains("UTC "), "{text}");
    let effects = update(&mut train, Input::Command("log-x"), &shared);
    assert!(matches!(&effects[..], [Effect::Status(_, text)] if text.contains("no logarithm")));
    update(&mut train, Input::Command("axis"), &shared);
    assert_eq!((train.charts.axis, train.charts.window(&shared)), (XAxis::Step, (1.0, 60.0)));
}

#[test]
fn the_cursor_keeps_its_step_whatever_x_is_and_moves_at_least_to_the_next() {
    let shared = overlaid();
    let mut train = train(&shared);
    for _ in 0..11 {
        update(&mut train, Input::Command("cursor-left"), &shared);
    }
    assert_eq!(train.charts.cursor, Some(50.0));
    for axis in [XAxis::Elapsed, XAxis::Wall] {
        update(&mut train, Input::Command("axis"), &shared);
        assert_eq!((train.charts.axis, train.charts.cursor), (axis, Some(50.0)));
        update(&mut train, Input::Command("cursor-left"), &shared);
        let there = train.charts.cursor.expect("a cursor");
        assert!(there < 50.0, "{there}");
        update(&mut train, Input::Command("cursor-right"), &shared);
        assert!(train.charts.cursor.expect("a cursor") > there);
        train.charts.cursor = Some(50.0);
        // A second passes between two events; evaluations are events too.
        let told = if axis == XAxis::Elapsed { " at 55 s " } else { " at 01-01 00:17 " };
        let text = picture(&train, &shared, 120, 30);
        assert_eq!(text.matches(told).count(), 4, "{text}");
    }
}

#[test]
fn logarithmic_steps_begin_at_the_first_and_zoom_as_linear_ones_do() {
    let shared = shared_with_run(60);
    let mut train = train(&shared);
    update(&mut train, Input::Command("log-x"), &shared);
    assert!(train.charts.log_x());
    insta::assert_snapshot!("train_log_x_80", picture(&train, &shared, 80, 21));
    update(&mut train, Input::Command("cursor-left"), &shared);
    update(&mut train, Input::Command("cursor-left"), &shared);
    assert_eq!(train.charts.cursor, Some(58.0));
    update(&mut train, Input::Command("zoom-in"), &shared);
    let (from, to) = train.charts.window(&shared);
    assert!(from >= 1.0 && to <= 60.0 && to - from < 30.0, "{from} {to}");
}

#[test]
fn the_table_has_the_raw_numbers_and_its_row_is_the_cursor() {
    let mut shared = shared_with_run(60);
    shared.runs[0].history.push(&event(900, step(61, f64::NAN)));
    let mut train = train(&shared);
    let effects = update(&mut train, Input::Command("down"), &shared);
    assert!(matches!(&effects[..], [Effect::Status(_, text)] if text.contains("raw numbers")));
    update(&mut train, Input::Command("table"), &shared);
    let text = picture(&train, &shared, 80, 21);
    assert!(text.contains("row 61 of 61") && text.contains("NaN"), "{text}");
    for command in ["up", "page-up", "first", "down"] {
        update(&mut train, Input::Command(command), &shared);
    }
    assert_eq!(train.charts.cursor, Some(2.0));
    insta::assert_snapshot!("train_table_80", picture(&train, &shared, 80, 21));
    insta::assert_snapshot!("train_table_200", picture(&train, &shared, 200, 57));
    // The newest row follows the run.
    update(&mut train, Input::Command("last"), &shared);
    assert_eq!(train.charts.cursor, None);
    shared.runs[0].history.push(&event(901, step(62, 20.0)));
    assert!(picture(&train, &shared, 80, 21).contains("row 62 of 62"));
    update(&mut train, Input::Command("table"), &shared);
    assert!(picture(&train, &shared, 80, 21).contains("loss (nats/word)"));
}

#[test]
fn every_figure_of_the_table_is_named_whole_and_comes_into_view() {
    let mut shared = shared_with_run(60);
    for (i, figure) in ["c_f1_published", "effective_symbols", "left_share"].iter().enumerate() {
        let metrics = [(*figure, 1.5)].into_iter().collect();
        let (step, split) = (60 + i as u64, "dev".into());
        let kind = EventKind::Evaluation { step, epoch: 6, split, metrics };
        shared.runs[0].history.push(&event(900 + i as u64, kind));
    }
    let mut train = Train { table: true, ..train(&shared) };
    let heads: Vec<String> = columns(&shared.runs[0]).iter().map(Column::short_name).collect();
    for (i, head) in heads.iter().enumerate() {
        assert!(!heads[..i].contains(head), "{head} twice");
    }
    let mut seen = std::collections::HashSet::new();
    for step in 0..heads.len() {
        let text = picture(&train, &shared, 80, 21);
        let row = text.lines().find(|l| l.contains("running time")).expect("the names").to_owned();
        assert!(!row.contains('…') && heads.iter().any(|head| row.contains(head)), "{row}");
        assert!(text.contains(&format!("figures {}–", step + 1)), "{text}");
        seen.extend(heads.iter().filter(|head| row.contains(*head)).cloned());
        update(&mut train, Input::Command("pan-right"), &shared);
    }
    assert_eq!(seen.len(), heads.len());
    update(&mut train, Input::Command("pan-left"), &shared);
    assert!(picture(&train, &shared, 80, 21).contains(&format!("figures {}–", heads.len() - 1)));
    assert!(!picture(&train, &shared, 280, 57).contains("scroll, "), "all have room");
}

#[test]
fn the_table_beside_overlaid_runs_says_whose_rows_it_has() {
    let shared = overlaid();
    let mut train = train(&shared);
    update(&mut train, Input::Command("table"), &shared);
    let name = shared.selected_run().expect("selected").name.clone();
    let text = picture(&train, &shared, 80, 21);
    assert!(text.contains(&format!("Raw numbers of {name}: row ")), "{text}");
}

#[test]
fn a_million_rows_are_scrolled_through_as_few_are() {
    let mut shared = shared_with_run(0);
    for i in 0..1_000_000 {
        let (history, x) = (&mut shared.runs[0].history, f64::from(i + 1));
        history.loss.push(x, 5.0);
        history.clock.push(x, x, 1000.0 + x);
    }
    let mut train = Train { table: true, ..Train::default() };
    let start = std::time::Instant::now();
    for command in ["first", "page-down", "last", "page-up"] {
        update(&mut train, Input::Command(command), &shared);
        picture(&train, &shared, 80, 21);
    }
    let each = start.elapsed() / 4;
    assert!(picture(&train, &shared, 80, 21).contains("row 999 990 of 1 000 000"));
    // A frame of this build, which is not optimised, with the test's own copy of the screen.
    assert!(each < std::time::Duration::from_millis(200), "{each:?}");
}

#[test]
fn figures_are_copied_as_they_are_at_the_cursor_or_newest_for_all_runs() {
    let shared = overlaid();
    let mut train = train(&shared);
    let copied = |train: &mut Train| match &update(train, Input::Command("copy"), &shared)[..] {
        [Effect::Copy(text), Effect::Status(..)] => text.clone(),
        other => panic!("{other:?}"),
    };
    let newest = copied(&mut train);
    assert!(newest.starts_with("run\tfigure\tstep\tvalue\n2026-11-29-rank-pcfg\tloss\t60\t"));
    assert!(newest.contains("2026-11-28-rank-pcfg\tdev_s_f1\t40\t"), "{newest}");
    train.charts.cursor = Some(33.0);
    let there = copied(&mut train);
    assert!(there.contains("rank-pcfg\tloss\t33\t") && there.contains("dev_s_f1\t30\t"), "{there}");
    let none = shared_with_run(0);
    let effects = update(&mut train, Input::Command("copy"), &none);
    assert!(matches!(&effects[..], [Effect::Status(crate::report::Level::Warning, _)]));
}

#[test]
fn all_formats_are_written_from_the_folders_and_nothing_is_overwritten() {
    let base = tempfile::tempdir().expect("a temporary folder");
    let mut shared = overlaid();
    for (i, run) in shared.runs.iter_mut().enumerate() {
        let config = run.config.as_ref().expect("settings");
        run.path = base.path().join(&run.name);
        let folder = crate::run::RunFolder::create_at(&run.path, config).expect("made");
        let lines: Vec<String> = learning(if i == 0 { 60 } else { 40 })
            .iter()
            .map(|event| serde_json::to_string(event).expect("writes") + "\n")
            .collect();
        std::fs::write(folder.events_path(), lines.concat()).expect("writes");
    }
    let mut train = train(&shared);
    let effects = update(&mut train, Input::Command("export"), &shared);
    let [Effect::Popup(Popup::List { id, title, items, .. })] = &effects[..] else {
        panic!("{effects:?}")
    };
    assert_eq!((items.len(), title.as_str()), (4, "Export the curves of 2 runs as"));
    let write = |train: &mut Train, i: usize| {
        let answer = Answer::Item(i);
        let mut effects = update(train, Input::Answer { popup: id, answer: &answer }, &shared);
        let Some(Effect::Spawn(task)) = effects.pop() else { panic!("{effects:?}") };
        let outcome = match task.run() {
            Ok(payload) => Outcome::Done(payload),
            Err(reason) => Outcome::Failed(reason),
        };
        let mut report = TaskReport::new(ScreenId::Train, exporting::TASK, outcome);
        match &update(train, Input::Task(&mut report), &shared)[..] {
            [Effect::Status(_, text)] => text.clone(),
            other => panic!("{other:?}"),
        }
    };
    for (i, format) in Format::ALL.into_iter().enumerate() {
        let (first, second) = (write(&mut train, i), write(&mut train, i));
        let ending = format.about().1;
        assert!(first.ends_with(&format!("exports/curves-step-60.{ending}")), "{first}");
        assert!(second.ends_with(&format!("exports/curves-step-60-2.{ending}")), "{second}");
    }
    let exports = shared.runs[0].path.join("exports");
    let read = |name: &str| std::fs::read(exports.join(name)).expect("is there");
    let csv = String::from_utf8(read("curves-step-60.csv")).expect("text");
    assert_eq!(csv.lines().count(), 1 + 60 + 40);
    assert!(String::from_utf8_lossy(&read("curves-step-60.svg")).contains("dev S-F1"));
    assert_eq!(&read("curves-step-60.png")[1..4], b"PNG");
    // The charts as they are in view.
    update(&mut train, Input::Command("figures"), &shared);
    update(&mut train, Input::Command("axis"), &shared);
    write(&mut train, 2);
    let svg = String::from_utf8(read("curves-step-60-3.svg")).expect("text");
    assert!(svg.contains("gradient norm") && svg.contains("running time"), "{svg}");
    assert!(!svg.contains("dev S-F1"), "{svg}");
    // A folder that is gone is told.
    std::fs::remove_dir_all(&shared.runs[1].path).expect("removed");
    assert!(write(&mut train, 0).contains("not written: "));
}

#[test]
fn the_machine_is_looked_at_when_the_screen_comes_into_view() {
    let shared = shared_with_run(20);
    let mut train = train(&shared);
    assert!(!picture(&train, &shared, 200, 70).contains("This machine"));
    update(&mut train, Input::Shown, &shared);
    let text = picture(&train, &shared, 200, 70);
    assert!(text.contains("This machine") && text.contains("cores"), "{text}");
    // A narrow terminal has it in place of the charts, for who asks.
    assert!(!picture(&train, &shared, 80, 70).contains("This machine"));
    update(&mut train, Input::Command("details"), &shared);
    let text = picture(&train, &shared, 80, 70);
    assert!(text.contains("This machine") && !text.contains("dev perplexity"), "{text}");
    let mut short = String::new();
    for _ in 0..60 {
        short = picture(&train, &shared, 80, 21);
        update(&mut train, Input::Command("scroll-down"), &shared);
    }
    assert!(short.contains("This machine") && short.contains("scroll"), "{short}");
    update(&mut train, Input::Command("details"), &shared);
    assert!(picture(&train, &shared, 80, 21).contains("dev perplexity"));
}
