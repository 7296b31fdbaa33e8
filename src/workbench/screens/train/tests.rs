use super::*;
use crate::report::EventKind;
use crate::report::RunState;
use crate::workbench::figures::Figure;
use crate::workbench::testing;
use crate::workbench::testing::{
    event, language_run, learning, learning_language, picture, run, shared_with_run, step, update,
};

pub(super) fn train(shared: &Shared) -> Train {
    let mut train = Train::default();
    update(&mut train, Input::Selection, shared);
    train
}

#[test]
fn a_learning_run_at_80x24_and_200x60() {
    let shared = shared_with_run(60);
    let train = train(&shared);
    insta::assert_snapshot!("train_80", picture(&train, &shared, 80, 21));
    insta::assert_snapshot!("train_200", picture(&train, &shared, 200, 57));
}

#[test]
fn a_run_of_several_seeds_stands_beside_their_mean_and_spread() {
    let mut shared = shared_with_run(60);
    let mut other = run(2, "another-seed", &[]);
    other.listed_dev = Some([("perplexity", 100.0)].into_iter().collect());
    shared.runs.push(other);
    for run in &mut shared.runs {
        run.group = Some("runs/seeds".into());
    }
    let train = train(&shared);
    let narrow = picture(&train, &shared, 80, 21);
    assert!(narrow.contains("2 seeds: S-F1 ") && narrow.contains("perplexity "), "{narrow}");
    let wide = picture(&train, &shared, 200, 57);
    assert!(wide.contains("Seeds, best of the development set"), "{wide}");
    assert!(wide.contains(" ± ") && wide.contains("74.94 to 100.0"), "{wide}");
}

#[test]
fn without_a_run_it_says_what_to_press() {
    let shared = Shared { listed: true, ..testing::shared() };
    let train = train(&shared);
    insta::assert_snapshot!("train_empty", picture(&train, &shared, 80, 21));
}

#[test]
fn a_run_that_loads_says_so() {
    let shared = shared_with_run(0);
    let picture = picture(&train(&shared), &shared, 80, 21);
    assert!(picture.contains("loading the data"), "{picture}");
}

#[test]
fn smoothing_keeps_the_raw_line_and_both_values() {
    let mut shared = shared_with_run(60);
    let mut train = train(&shared);
    assert_eq!(train.charts.smoothing(), Some(0.9));
    let smooth = train.charts.smoothed(RunId(1), Figure::Loss).expect("follows");
    assert_eq!(smooth.len(), 60);
    // New steps are taken in when the run reports them.
    shared.runs[0].history.push(&event(1000, step(61, 21.0)));
    update(&mut train, Input::Run(RunId(1)), &shared);
    let smooth = train.charts.smoothed(RunId(1), Figure::Loss).expect("follows");
    assert_eq!(smooth.len(), 61);
    insta::assert_snapshot!("train_smooth_log", {
        update(&mut train, Input::Command("log-y"), &shared);
        picture(&train, &shared, 80, 21)
    });
    for _ in 0..2 {
        update(&mut train, Input::Command("smoothing"), &shared);
    }
    assert_eq!(train.charts.smoothing(), None, "off is one of the settings");
}

#[test]
fn the_cursor_is_at_the_same_step_in_all_charts() {
    let shared = shared_with_run(60);
    let mut train = train(&shared);
    for _ in 0..11 {
        update(&mut train, Input::Command("cursor-left"), &shared);
    }
    assert_eq!(train.charts.cursor, Some(50.0));
    let text = picture(&train, &shared, 120, 30);
    assert_eq!(text.matches(" at 50 ").count(), 4, "{text}");
    update(&mut train, Input::Command("cursor-off"), &shared);
    assert_eq!(train.charts.cursor, None);
}

#[test]
fn zoom_and_pan_stay_within_the_run_and_follow_keeps_the_newest_in_view() {
    let mut shared = shared_with_run(100);
    let mut train = train(&shared);
    assert_eq!(train.charts.window(&shared), (1.0, 100.0));
    update(&mut train, Input::Command("zoom-in"), &shared);
    assert_eq!(train.charts.window(&shared), (50.5, 100.0));
    for _ in 0..20 {
        update(&mut train, Input::Command("pan-left"), &shared);
    }
    assert_eq!(train.charts.window(&shared), (1.0, 50.5));
    update(&mut train, Input::Command("follow"), &shared);
    shared.runs[0].history.push(&event(1000, step(101, 20.0)));
    assert_eq!(train.charts.window(&shared), (51.5, 101.0));
    update(&mut train, Input::Command("reset"), &shared);
    assert_eq!(train.charts.window(&shared), (1.0, 101.0));
    for _ in 0..20 {
        update(&mut train, Input::Command("zoom-in"), &shared);
    }
    assert_eq!(train.charts.window(&shared), (93.0, 101.0), "eight steps at least");
}

#[test]
fn gaps_are_marked_and_no_line_crosses_them() {
    let mut shared = shared_with_run(0);
    let losses = [9.0, 8.0, f64::NAN, f64::NAN, f64::NAN, 3.0, 2.0];
    for (i, loss) in losses.into_iter().enumerate() {
        shared.runs[0].history.push(&event(100 + i as u64, step(i as u64 + 1, loss)));
    }
    insta::assert_snapshot!("train_gap", picture(&train(&shared), &shared, 80, 21));
}

#[test]
fn pause_goes_by_the_state_of_the_run() {
    let mut shared = shared_with_run(10);
    let mut train = train(&shared);
    let effects = update(&mut train, Input::Command("pause"), &shared);
    assert!(matches!(effects[0], Effect::Control(RunId(1), Control::Pause)), "{effects:?}");
    shared.runs[0].history.state = Some(RunState::Paused);
    let effects = update(&mut train, Input::Command("pause"), &shared);
    assert!(matches!(effects[0], Effect::Control(RunId(1), Control::Resume)), "{effects:?}");
    shared.runs[0].history.state = Some(RunState::Stopped);
    let effects = update(&mut train, Input::Command("pause"), &shared);
    assert!(matches!(effects[..], [Effect::Status(..)]), "{effects:?}");
    let effects = update(&mut train, Input::Command("resume"), &shared);
    assert!(matches!(effects[..], [Effect::Resume(RunId(1), None)]), "{effects:?}");
}

#[test]
fn a_learning_rate_must_be_a_number_above_nought() {
    let shared = shared_with_run(10);
    let mut train = train(&shared);
    let effects = update(&mut train, Input::Command("learning-rate"), &shared);
    let [Effect::Popup(Popup::Prompt { initial, text, .. })] = &effects[..] else {
        panic!("{effects:?}")
    };
    // What is typed is the new rate, not the end of the old one.
    assert!(initial.is_empty() && text.starts_with("Now 0.002."), "{initial} {text}");
    let mut answer = |text: &str| {
        let answer = Answer::Text(text.into());
        update(&mut train, Input::Answer { popup: "learning-rate", answer: &answer }, &shared)
    };
    let effects = answer("0.001");
    assert!(
        matches!(effects[0], Effect::Control(RunId(1), Control::LearningRate(0.001))),
        "{effects:?}"
    );
    let effects = answer("");
    assert!(matches!(effects[..], [Effect::Status(crate::report::Level::Warning, _)]));
    // Asked again, with what was typed and why it is none.
    for (bad, why) in [
        ("-1", "no learning rate"),
        ("0", "no learning rate"),
        ("NaN", "no learning rate"),
        ("much", "no learning rate"),
        ("1e9", "more than 1000 times the run's own"),
    ] {
        let effects = answer(bad);
        let [Effect::Popup(Popup::Prompt { initial, text, .. })] = &effects[..] else {
            panic!("{bad}: {effects:?}")
        };
        assert!(initial == bad && text.contains(why), "{text}");
    }
}

#[test]
fn a_run_that_has_ended_is_resumed_with_the_rate_that_is_named() {
    let mut shared = shared_with_run(10);
    shared.runs[0].history.state = Some(RunState::Failed);
    let mut train = train(&shared);
    let effects = update(&mut train, Input::Command("learning-rate"), &shared);
    let [Effect::Popup(Popup::Prompt { text, .. })] = &effects[..] else { panic!("{effects:?}") };
    assert!(text.ends_with("the run is resumed with it."), "{text}");
    let answer = Answer::Text("0.001".into());
    let answered = Input::Answer { popup: "learning-rate", answer: &answer };
    let effects = update(&mut train, answered, &shared);
    assert!(matches!(effects[..], [Effect::Resume(RunId(1), Some(0.001))]), "{effects:?}");
    shared.runs[0].config = Some(Config { kind: Kind::Boost, ..Config::default() });
    let effects = update(&mut train, Input::Command("learning-rate"), &shared);
    let [Effect::Status(_, text)] = &effects[..] else { panic!("{effects:?}") };
    assert_eq!(text, "a run of boost has no learning rate");
}

#[test]
fn a_preset_or_a_config_file_starts_a_training() {
    let shared = shared_with_run(10);
    let mut train = train(&shared);
    let effects = update(&mut train, Input::Command("new"), &shared);
    let [Effect::Popup(Popup::List { items, .. })] = &effects[..] else { panic!("{effects:?}") };
    assert_eq!(items.len(), config::presets().len() + 1);
    let answer = |a: Answer, popup, train: &mut Train| {
        update(train, Input::Answer { popup, answer: &a }, &shared)
    };
    let effects = answer(Answer::Item(0), "new", &mut train);
    assert!(matches!(&effects[..], [Effect::Start(_)]), "{effects:?}");
    let effects = answer(Answer::Item(items_len()), "new", &mut train);
    assert!(matches!(&effects[..], [Effect::Popup(Popup::Files { .. })]), "{effects:?}");

    // A path among the names of presets leads to where paths are typed.
    let effects = answer(Answer::Text("./t.toml".into()), "new", &mut train);
    let [Effect::Popup(Popup::Files { initial, .. })] = &effects[..] else { panic!("{effects:?}") };
    assert_eq!(initial, "./t.toml");

    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("mine.toml");
    std::fs::write(&file, "seed = 11\n").expect("writes");
    let mut effects = answer(Answer::File(file), "config-file", &mut train);
    let Some(Effect::Spawn(task)) = effects.pop() else { panic!("{effects:?}") };
    let payload = task.run().expect("a valid config");
    let mut report =
        TaskReport::new(ScreenId::Train, "config", crate::workbench::news::Outcome::Done(payload));
    let effects = update(&mut train, Input::Task(&mut report), &shared);
    assert!(matches!(&effects[..], [Effect::Start(c)] if c.seed == 11), "{effects:?}");
}

#[test]
fn the_device_of_the_next_trainings_is_chosen_from_what_the_machine_has() {
    let shared = shared_with_run(10);
    let mut train = train(&shared);
    let mut effects = update(&mut train, Input::Command("device"), &shared);
    let Some(Effect::Spawn(task)) = effects.pop() else { panic!("{effects:?}") };
    let payload = task.run().expect("an answer, whatever the machine has");
    let outcome = crate::workbench::news::Outcome::Done(payload);
    let mut report = TaskReport::new(ScreenId::Train, "devices", outcome);
    let effects = update(&mut train, Input::Task(&mut report), &shared);
    let Some(Effect::Popup(Popup::List { items, start: 0, .. })) = effects.last() else {
        panic!("{effects:?}")
    };
    assert_eq!([&*items[0].name, &*items[1].name], ["auto", "cpu"]);
    assert!(!items[0].description.is_empty());
    let answer = |a: Answer, popup, train: &mut Train| {
        update(train, Input::Answer { popup, answer: &a }, &shared)
    };
    let device = |effects: &[Effect]| match effects {
        [Effect::Start(config)] => config.device.clone(),
        other => panic!("{other:?}"),
    };
    assert_eq!(device(&answer(Answer::Item(0), "new", &mut train)), "auto");
    answer(Answer::Item(1), "device", &mut train);
    assert_eq!(device(&answer(Answer::Item(0), "new", &mut train)), "cpu");
}

#[test]
fn the_device_of_a_run_is_shown_with_its_memory_and_use() {
    let mut shared = shared_with_run(60);
    let device = crate::report::DeviceUse {
        name: "cuda:0".into(),
        model: Some("NVIDIA H200".into()),
        taken: 3_400_000_000,
        free: Some(100_000_000_000),
        total: Some(141_000_000_000),
        busy: Some(0.87),
    };
    shared.runs[0].history.push(&event(1 << 20, EventKind::Device(device)));
    let train = train(&shared);
    let narrow = picture(&train, &shared, 80, 21);
    let wide = picture(&train, &shared, 200, 57);
    assert!(wide.contains("NVIDIA H200") && wide.contains("41 GB of 141 GB"), "{wide}");
    assert!(wide.contains("87%") && wide.contains("3.4 GB"), "{wide}");
    assert!(narrow.contains("cuda:0 3.4 GB"), "{narrow}");
}

fn items_len() -> usize {
    config::presets().len()
}

#[test]
fn overlaid_runs_are_drawn_with_what_sets_them_apart() {
    let mut shared = shared_with_run(60);
    let mut other = run(2, "2026-11-28-rank-pcfg", &learning(40));
    if let Some(config) = &mut other.config {
        config.seed = 5;
        config.model.rank = 32;
    }
    shared.runs.push(other);
    shared.overlaid.push(RunId(2));
    let mut train = train(&shared);
    let text = picture(&train, &shared, 200, 57);
    insta::assert_snapshot!("train_overlaid", text);
    let narrow = picture(&train, &shared, 80, 21);
    assert!(narrow.contains("rank=32") && narrow.contains("seed=5"), "{narrow}");
    let effects = update(&mut train, Input::Command("overlay-none"), &shared);
    assert!(matches!(effects[..], [Effect::Overlay(RunId(2))]), "{effects:?}");
}

#[test]
fn test_figures_stand_beside_those_of_development_and_are_named() {
    let mut shared = shared_with_run(30);
    shared.runs[0].history.push(&event(
        500,
        EventKind::Evaluation {
            step: 30,
            epoch: 3,
            split: "test".into(),
            metrics: [("perplexity", 88.5), ("s_f1", 41.25), ("c_f1", 39.5)].into_iter().collect(),
        },
    ));
    let train = train(&shared);
    let text = picture(&train, &shared, 80, 21);
    assert!(text.contains("· test 41.25") && text.contains("· test 88.50"), "{text}");
    insta::assert_snapshot!("train_test_80", text);
    insta::assert_snapshot!("train_test_200", picture(&train, &shared, 200, 57));
}

#[test]
fn both_remaining_times_say_what_they_are_of() {
    let text = picture(&train(&shared_with_run(25)), &shared_with_run(25), 80, 21);
    let line = text.lines().find(|l| l.contains("epoch 3")).expect("the line of progress");
    let (epoch, run) = line.split_once("  run ").expect("named");
    assert!(epoch.contains(" left") && run.contains(" left  step 25"), "{line}");
}

#[test]
fn a_failed_run_shows_its_reason() {
    let mut shared = shared_with_run(10);
    shared.runs[0].history.push(&event(
        500,
        EventKind::State {
            state: RunState::Failed,
            step: 10,
            resumed: false,
            reason: Some("the loss is NaN".into()),
        },
    ));
    let text = picture(&train(&shared), &shared, 80, 21);
    assert!(text.contains("✗ failed the loss is NaN"), "{text}");
}

#[test]
fn the_loss_is_a_words_unless_asked_or_a_run_in_view_does_not_say_it() {
    let mut shared = shared_with_run(20);
    let mut train = train(&shared);
    let shows = |train: &Train, shared: &Shared, unit: &str| {
        let text = picture(train, shared, 80, 21);
        assert!(text.contains(&format!("loss (nats/{unit})")), "{text}");
    };
    shows(&train, &shared, "word");
    update(&mut train, Input::Command("loss"), &shared);
    shows(&train, &shared, "sentence");
    update(&mut train, Input::Command("loss"), &shared);
    shows(&train, &shared, "word");

    let mut early = learning(20);
    for event in &mut early {
        if let EventKind::Step { sentences, .. } = &mut event.kind {
            *sentences = None;
        }
    }
    shared.runs.push(run(2, "early", &early));
    shared.overlaid.push(RunId(2));
    shows(&train, &shared, "sentence");
    let effects = update(&mut train, Input::Command("loss"), &shared);
    assert!(matches!(effects[..], [Effect::Status(..)]), "{effects:?}");
    shows(&train, &shared, "sentence");
}

#[test]
fn figures_that_have_no_room_beside_the_charts_are_scrolled_to() {
    let mut shared = shared_with_run(60);
    shared.runs.push(language_run(2, "2026-11-29-rank-hmm", &learning_language(40)));
    shared.overlaid.push(RunId(2));
    let mut train = train(&shared);
    let text = picture(&train, &shared, 200, 57);
    assert!(text.contains(" lines 1–55 of ") && !text.contains("smoothing  "), "{text}");
    for _ in 0..500 {
        update(&mut train, Input::Command("scroll-down"), &shared);
    }
    let text = picture(&train, &shared, 200, 57);
    assert!(text.contains("smoothing  ") && text.contains("J K scroll"), "{text}");
    for _ in 0..40 {
        update(&mut train, Input::Command("scroll-up"), &shared);
    }
    assert!(picture(&train, &shared, 200, 57).contains(" lines 1–55 of "));
}
