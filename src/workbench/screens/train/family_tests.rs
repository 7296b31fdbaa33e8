//! Runs of other families than grammars.

use super::tests::train;
use super::*;
use crate::report::EventKind;
use crate::workbench::figures::Figure;
use crate::workbench::testing::{
    language_run, learning, learning_language, picture, run, shared_with_run, update,
};

/// With a selected run of a language model.
fn shared_with_language_model(steps: u64) -> Shared {
    let mut shared = shared_with_run(0);
    shared.runs[0] = language_run(1, "2026-11-29-rank-hmm", &learning_language(steps));
    shared
}

#[test]
fn a_language_model_has_no_figure_of_trees_and_its_cuts_of_the_rate_are_seen() {
    let shared = shared_with_language_model(60);
    let mut train = train(&shared);
    let narrow = picture(&train, &shared, 80, 21);
    let wide = picture(&train, &shared, 200, 57);
    for text in [&narrow, &wide] {
        assert!(!text.contains("F1") && !text.contains("branching"), "{text}");
        assert!(text.contains("loss (nats/token)") && text.contains("learning rate"), "{text}");
    }
    insta::assert_snapshot!("language_80", narrow);
    insta::assert_snapshot!("language_200", wide);
    update(&mut train, Input::Command("figures"), &shared);
    let text = picture(&train, &shared, 80, 21);
    assert!(text.contains("tokens per second") && text.contains("gradient norm"), "{text}");
    let effects = update(&mut train, Input::Command("loss"), &shared);
    assert!(matches!(effects[..], [Effect::Status(..)]), "a sentence's is not reported");
    update(&mut train, Input::Command("figures"), &shared);
    assert!(picture(&train, &shared, 80, 21).contains("loss (nats/token)"));
}

#[test]
fn a_grammar_and_a_language_model_are_drawn_together_with_both_units_named() {
    let mut shared = shared_with_run(60);
    shared.runs.push(language_run(2, "hmm", &learning_language(40)));
    shared.overlaid.push(RunId(2));
    let train = train(&shared);
    let text = picture(&train, &shared, 200, 57);
    assert!(text.contains("loss (nats/word, nats/token)") && text.contains("S-F1"), "{text}");
    let narrow = picture(&train, &shared, 80, 21);
    assert!(narrow.contains("family=rank-hmm"), "what tells most is told first: {narrow}");
    let title = narrow.lines().find(|l| l.contains("nats/token")).expect("the loss");
    assert!(
        title.contains("nats/token) 1.84 ─") && !title.contains('~'),
        "no half a figure: {title}"
    );
}

#[test]
fn a_model_that_is_counted_has_no_curve_of_steps_beside_those_of_others() {
    let mut shared = shared_with_run(60);
    let mut counted = language_run(2, "ngram", &learning_language(1));
    let config = config::preset("ngram-5").and_then(|p| p.config(&[])).expect("valid");
    counted.config = Some(config);
    shared.runs.push(counted);
    let alone = picture(&train(&shared), &shared, 80, 21);
    shared.overlaid.push(RunId(2));
    let both = picture(&train(&shared), &shared, 80, 21);
    let chart = |text: &str| -> Vec<String> {
        text.lines().skip(6).take(6).map(|l| l.chars().take(40).collect()).collect()
    };
    assert!(both.contains("loss (nats/word)") && both.contains("family=ngram"), "{both}");
    assert_eq!(chart(&both), chart(&alone));
}

#[test]
fn a_loss_is_drawn_as_what_it_is_also_when_the_settings_are_read_after_the_events() {
    let mut shared = shared_with_run(60);
    let mut other = language_run(2, "2026-11-29-rank-hmm", &learning_language(40));
    let config = other.config.take();
    shared.runs.push(other);
    shared.overlaid.push(RunId(2));
    let mut train = train(&shared);
    update(&mut train, Input::Run(RunId(2)), &shared);
    shared.runs[1].config = config;
    update(&mut train, Input::Selection, &shared);
    let smooth = train.charts.smoothed(RunId(2), Figure::Loss).expect("follows");
    let raw = &shared.runs[1].history.loss;
    for i in 0..40 {
        let (smooth, raw) = (smooth.point(i).1, raw.point(i).1);
        assert!(smooth > 0.8 * raw, "{smooth} beside {raw} is the loss of something else");
    }
}

#[test]
fn published_figures_are_shown_on_demand_and_named_as_of_another_corpus() {
    let mut train = Train::default();
    for (shared, row) in
        [(shared_with_run(60), "TN-PCFG"), (shared_with_language_model(60), "AWD-LSTM")]
    {
        update(&mut train, Input::Command("literature"), &shared);
        for (width, height) in [(80, 21), (200, 57)] {
            let text = picture(&train, &shared, width, height);
            assert!(text.contains("Literature: PTB, not this corpus"), "{text}");
            assert!(text.contains(row) || height == 21, "{text}");
            assert!(text.contains("rank-space"), "{text}");
        }
        update(&mut train, Input::Command("literature"), &shared);
        assert!(!picture(&train, &shared, 200, 57).contains("not this corpus"));
    }
    let shared = shared_with_language_model(60);
    update(&mut train, Input::Command("literature"), &shared);
    insta::assert_snapshot!("literature_80", picture(&train, &shared, 80, 21));
    insta::assert_snapshot!("literature_200", picture(&train, &shared, 200, 57));
}

#[test]
fn a_model_that_is_counted_at_once_has_no_steps_to_watch() {
    let mut shared = shared_with_language_model(1);
    let config = config::preset("ngram-5").and_then(|p| p.config(&[])).expect("valid");
    shared.runs[0].config = Some(config);
    let mut train = train(&shared);
    let effects = update(&mut train, Input::Command("figures"), &shared);
    assert!(matches!(effects[..], [Effect::Status(..)]), "there are no others: {effects:?}");
    for (width, height) in [(80, 21), (200, 57)] {
        let text = picture(&train, &shared, width, height);
        assert!(text.contains("dev perplexity") && text.contains("order"), "{text}");
        assert!(!text.contains("loss (") && !text.contains("rate 0."), "{text}");
        assert!(!text.contains("Optimiser") && !text.contains("gradient"), "{text}");
        assert!(text.contains("200 tokens counted in one pass"), "{text}");
        assert!(text.contains("counting") && text.contains("scoring"), "{text}");
        for word in ["network", "inference", "optimizer", "epoch ", "smoothing"] {
            assert!(!text.contains(word), "{word}: {text}");
        }
    }
}

#[test]
fn a_history_based_parser_shows_labelled_f1_and_its_own_sizes() {
    let mut events = learning(40);
    for event in &mut events {
        if let EventKind::Evaluation { metrics, .. } = &mut event.kind {
            metrics.0.retain(|key, _| key == "log_likelihood");
            metrics.set("f1", 71.25);
            metrics.set("tags", 93.5);
        }
    }
    let mut parser = run(1, "2026-11-29-ssn", &events);
    let config = crate::config::Config::from_toml("test", "kind = \"ssn\"\n", &[]);
    parser.config = Some(config.expect("valid"));
    let mut shared = shared_with_run(0);
    shared.runs = vec![parser];
    let train = train(&shared);
    let wide = picture(&train, &shared, 200, 57);
    for shown in ["dev F1 (%)", "dev tags (%)", "dev log-likelihood", "71.25", "units", "ssn"] {
        assert!(wide.contains(shown), "{shown}: {wide}");
    }
    for foreign in ["S-F1", "perplexity", "symbols", "rank-pcfg"] {
        assert!(!wide.contains(foreign), "{foreign}: {wide}");
    }
    let narrow = picture(&train, &shared, 80, 21);
    assert!(narrow.contains("dev F1 (%)") && !narrow.contains("S-F1"), "{narrow}");
}
