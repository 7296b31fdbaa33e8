//! Parses on runs of language models.

use super::rows::tests::kept;
use super::*;
use crate::analysis::fake::FakeChain;
use crate::config::{Config, Family};
use crate::report::{Metrics, SCHEMA};
use crate::run::{EvaluatedTree, EvaluatedTrees, Held, Snapshot};
use crate::treebank::{Preprocessing, Vocabulary};
use crate::workbench::export;
use crate::workbench::popup::Answer;
use crate::workbench::stage::{Stage, said};
use crate::workbench::theme::{Theme, ThemeName};
use crate::workbench::weights::Origin;
use insta::assert_snapshot;
use std::sync::Arc;

fn scored(bits: &[f32]) -> Option<EvaluatedTree> {
    let surprisals: Vec<f32> = bits.iter().map(|b| b * std::f32::consts::LN_2).collect();
    let log_prob = -surprisals.iter().map(|&x| f64::from(x)).sum::<f64>();
    Some(EvaluatedTree { log_prob, surprisals, ..EvaluatedTree::default() })
}

fn evaluation(step: u64) -> Evaluation {
    let gold: &[(u32, u32, &str)] = &[(0, 5, "S"), (0, 2, "NP")];
    let sentences = vec![
        kept("the dog barked at me", Some(gold)),
        kept("Yes", None),
        kept("Þú ert góður maður", None),
        kept("supercalifragilistic words are rare", None),
    ];
    let trees = vec![
        scored(&[1.5, 7.0, 11.25, 3.0, 5.0, 0.4]),
        scored(&[9.0, 1.0]),
        None,
        scored(&[19.5, 10.0, 4.0, 12.0, 2.0]),
    ];
    let metrics = [("perplexity", 88.25)].into_iter().collect::<Metrics>();
    let trees = EvaluatedTrees { schema: SCHEMA, step, epoch: 3, metrics, trees, pinned: vec![] };
    Evaluation::new(RunId(1), vec![100, 200, 300], sentences, trees).expect("fits")
}

/// Weights that know `the`, `dog`, `barked` and `at`; `states` of 0: a model without any.
fn weights(states: usize) -> Loaded {
    let words = ["<unk>", "<pad>", "<eos>", "the", "dog", "barked", "at"].map(Arc::from).to_vec();
    let vocabulary = Vocabulary::from_words(words, 0).and_then(|v| v.ended_by(2));
    let snapshot = Snapshot {
        parser: Arc::new(FakeChain::random(states, 7, 1)),
        vocabulary: Arc::new(vocabulary.expect("distinct")),
        preprocessing: Preprocessing::default(),
        step: 42,
    };
    Loaded { held: Held::Induced(snapshot), origin: Origin::Best }
}

/// A run of a language model, before it has an evaluation.
fn fresh() -> Stage<Parses> {
    let mut stage = Stage::with_run(Parses::default(), 1);
    let mut config = Config::default();
    config.model.family = Family::RankHmm;
    stage.shared.runs[0].config = Some(config);
    stage.update(Input::Shown);
    stage
}

/// The same with the evaluation of step 300 read, as it was kept.
fn stage() -> Stage<Parses> {
    let mut stage = fresh();
    stage.screen.live = Some(false);
    stage.deliver("trees", Some(evaluation(300)));
    stage
}

fn snapshot(name: &str, stage: &Stage<Parses>) {
    for (width, height) in [(80, 24), (200, 60)] {
        assert_snapshot!(format!("{name}_{width}x{height}"), stage.shot(width, height));
    }
}

#[test]
fn surprisals_take_the_place_of_trees() {
    let stage = stage();
    snapshot("surprisal", &stage);
    let shot = stage.shot(80, 24);
    assert!(!shot.contains("F1") && !shot.contains("Gold") && !shot.contains("Induced"), "{shot}");
}

#[test]
fn before_the_first_evaluation_it_says_what_will_come() {
    let mut stage = fresh();
    stage.deliver("trees", None::<Evaluation>);
    let shot = stage.shot(80, 24);
    assert!(shot.contains("no surprisals yet") && !shot.contains("F1"), "{shot}");
}

#[test]
fn a_checkpoint_file_speaks_of_surprisal_before_a_sentence_is_typed() {
    let mut stage = Stage::new(Parses::default());
    stage.shared.checkpoint = Some("best.safetensors".into());
    stage.update(Input::Open(&Target::Checkpoint("best.safetensors".into())));
    assert!(!stage.shot(80, 24).contains("F1"), "nothing is known of it yet");
    stage.deliver("weights", weights(4));
    let shot = stage.shot(80, 24);
    assert!(shot.contains("surprisal: -log2 p") && !shot.contains("parse"), "{shot}");
    assert!(shot.contains("type a sentence below") && !shot.contains("press i"), "{shot}");
    stage.press(KeyCode::Esc);
    let shot = stage.shot(80, 24);
    assert!(shot.contains("press i") && !shot.contains("parse"), "{shot}");
}

#[test]
fn a_filter_that_fits_nothing_is_no_lack_of_probability() {
    let mut stage = stage();
    stage.command("filter");
    stage.update(Input::Paste("no such words"));
    let shot = stage.shot(80, 24);
    assert!(shot.contains("matches the filter") && !shot.contains("probability"), "{shot}");
}

#[test]
fn fields_have_colours_where_there_are_some_and_shades_everywhere_else() {
    let mut stage = stage();
    let coloured = |stage: &Stage<Parses>, text: char| {
        let buffer = stage.buffer(80, 24);
        let plain = ratatui::style::Color::Reset;
        let fields = buffer.content.iter().filter(|c| c.bg != plain && c.symbol() == " ").count();
        (fields, buffer.content.iter().filter(|c| c.symbol() == text.to_string()).count())
    };
    let (fields, shades) = coloured(&stage, '▓');
    assert!(fields > 20 && shades == 0, "{fields} {shades}");
    stage.theme = Theme::new(ThemeName::Mono, true);
    let (fields, shades) = coloured(&stage, '▓');
    // A token of 11.25 bits, and the key.
    assert_eq!((fields, shades), (0, 3));
    stage.theme = Theme::new(ThemeName::Mono, false);
    assert_snapshot!("surprisal_ascii_80x24", stage.shot(80, 24));
}

#[test]
fn units_bars_and_lines_are_chosen_by_keys() {
    let mut stage = stage();
    assert_eq!(said(&stage.command("unit")), ["surprisals in nats"]);
    let shot = stage.shot(80, 24);
    assert!(shot.contains(" 7.8 ") && shot.contains("nats from"), "11.25 bits: {shot}");
    stage.command("unit");
    stage.command("heat-map");
    assert_snapshot!("surprisal_bars_80x24", stage.shot(80, 24));
    stage.command("layout");
    assert!(!stage.shot(80, 24).contains("word by word"));
}

#[test]
fn sentences_are_sorted_by_perplexity_and_by_their_most_surprising_word() {
    let mut stage = stage();
    for (name, order) in [
        ("by length", [1, 2, 3, 0]),
        ("by perplexity", [3, 1, 0, 2]),
        ("by largest surprisal", [3, 0, 1, 2]),
        ("corpus order", [0, 1, 2, 3]),
    ] {
        stage.command("sort");
        assert_eq!(stage.screen.order, order, "{name}");
        assert!(stage.shot(80, 24).contains(name));
    }
    stage.command("page-down");
    stage.command("up");
    let shot = stage.shot(80, 24);
    assert!(shot.contains("no probability"), "{shot}");
}

#[test]
fn selected_sentences_have_the_states_of_the_current_weights_unless_time_is_scrubbed() {
    let mut stage = fresh();
    let effects = stage.deliver("trees", Some(evaluation(300)));
    assert!(matches!(&effects[..], [Effect::Spawn(task)] if task.kind == "parse"), "{effects:?}");
    stage.screen.weights = Some(weights(3));
    let effects = stage.command("down");
    stage.settle(effects);
    let effects = stage.command("up");
    stage.settle(effects);
    snapshot("surprisal_states", &stage);
    // An earlier evaluation is shown as it was kept.
    let effects = stage.command("older");
    assert!(effects.iter().any(|e| matches!(e, Effect::Cancel("parse"))), "{effects:?}");
    let effects = stage.deliver("trees", Some(evaluation(200)));
    assert!(effects.is_empty() && stage.screen.analysis.is_none(), "{effects:?}");
    let shot = stage.shot(80, 24);
    assert!(shot.contains("eval 2 of 3") && !shot.contains("weights of step"), "{shot}");
    // Back at the newest, the weights speak again.
    stage.command("newer");
    let effects = stage.deliver("trees", Some(evaluation(300)));
    assert!(matches!(&effects[..], [Effect::Spawn(task)] if task.kind == "parse"), "{effects:?}");
    assert!(matches!(&stage.command("analyse")[..], [Effect::Cancel("parse")]));
}

#[test]
fn typed_sentences_of_one_word_and_more_are_scored_and_unknown_words_counted() {
    let mut stage = stage();
    stage.screen.weights = Some(weights(3));
    stage.command("type");
    stage.type_text("The dog barked at nobody.");
    let effects = stage.press(KeyCode::Enter);
    assert!(said(&stage.settle(effects)).is_empty());
    snapshot("surprisal_typed", &stage);
    stage.screen.weights = Some(weights(0));
    stage.command("type");
    stage.type_text("Dog");
    let effects = stage.press(KeyCode::Enter);
    assert!(said(&stage.settle(effects)).is_empty(), "the end of a sentence is predicted too");
    let pane = stage.screen.panes.surprisal.as_ref().expect("scored");
    let tokens: Vec<_> = pane.sentence.tokens.iter().map(|t| (&*t.text, &*t.state)).collect();
    assert_eq!(tokens, [("Dog", ""), ("<eos>", "")], "a model without states names none");
}

#[test]
fn long_sentences_are_broken_into_lines_and_scroll() {
    let words: Vec<String> = (0..150).map(|i| format!("言語{i}")).collect();
    let trees = EvaluatedTrees {
        schema: SCHEMA,
        step: 300,
        epoch: 3,
        metrics: Metrics::default(),
        trees: vec![scored(&(0..151).map(|i| (i % 17) as f32).collect::<Vec<_>>())],
        pinned: vec![],
    };
    let long = Evaluation::new(RunId(1), vec![300], vec![kept(&words.join(" "), None)], trees);
    let mut stage = stage();
    stage.deliver("trees", Some(long.expect("fits")));
    assert!(stage.shot(80, 24).contains("rows 1–"));
    for _ in 0..200 {
        stage.command("scroll-down");
    }
    let shot = stage.shot(80, 24);
    assert!(shot.contains("▲ rows") && shot.contains("<eos>"), "{shot}");
    for _ in 0..40 {
        stage.command("scroll-up");
    }
    assert!(stage.shot(80, 24).contains("rows 1–"), "no key is without effect for long");
}

#[test]
fn surprisals_are_exported_and_copied() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut stage = stage();
    stage.shared.runs[0].path = folder.path().to_owned();
    assert!(matches!(&stage.command("export")[..], [Effect::Popup(_)]));
    for (item, name) in [(0, "txt"), (1, "json"), (2, "svg")] {
        let popup = export::SURPRISAL_POPUP;
        let effects = stage.update(Input::Answer { popup, answer: &Answer::Item(item) });
        let path = folder.path().join(format!("exports/sentence-1-step-300.{name}"));
        assert_eq!(said(&stage.settle(effects)), [format!("written to {}", path.display())]);
        assert!(std::fs::read_to_string(path).expect("was written").contains("barked"));
    }
    let effects = stage.command("copy");
    assert!(matches!(&effects[0], Effect::Copy(text) if text.starts_with("token\tbits\nthe\t1.5")));
}

#[test]
fn evaluations_that_kept_no_surprisals_show_no_flat_trees() {
    let mut bare = scored(&[1.0, 2.0, 3.0]);
    bare.as_mut().expect("there").surprisals.clear();
    let trees = EvaluatedTrees {
        schema: SCHEMA,
        step: 300,
        epoch: 3,
        metrics: Metrics::default(),
        trees: vec![bare],
        pinned: vec![],
    };
    let evaluation = Evaluation::new(RunId(1), vec![300], vec![kept("go home", None)], trees);
    let mut stage = stage();
    stage.deliver("trees", Some(evaluation.expect("fits")));
    assert!(stage.screen.panes.induced.is_none() && stage.screen.panes.surprisal.is_none());
    assert!(stage.shot(80, 24).contains("not kept"));
}
