use super::analysis::tests::weights;
use super::rows::tests::{evaluation, kept, tree};
use super::*;
use crate::report::{EventKind, Metrics, SCHEMA};
use crate::run::{EvaluatedTrees, RunFolder};
use crate::workbench::export;
use crate::workbench::news::TaskStatus;
use crate::workbench::popup::Answer;
use crate::workbench::stage::{Stage, said};
use crate::workbench::testing::event;
use crate::workbench::theme::{Theme, ThemeName};
use insta::assert_snapshot;

/// The screen on run 1 with its evaluation read.
pub(super) fn stage() -> Stage<Parses> {
    let mut stage = Stage::with_run(Parses::default(), 1);
    stage.update(Input::Shown);
    stage.deliver("trees", Some(evaluation()));
    stage
}

/// With weights at hand, as if a task had brought them.
fn stage_with_weights() -> Stage<Parses> {
    let mut stage = stage();
    stage.screen.weights = Some(weights());
    stage
}

pub(super) fn snapshot(name: &str, stage: &Stage<Parses>) {
    for (width, height) in [(80, 24), (200, 60)] {
        assert_snapshot!(format!("{name}_{width}x{height}"), stage.shot(width, height));
    }
}

/// An evaluation of one sentence.
fn single(text: &str, spans: &[(u32, u32)], gold: Option<&[(u32, u32, &str)]>) -> Stage<Parses> {
    let trees = EvaluatedTrees {
        schema: SCHEMA,
        step: 7,
        epoch: 1,
        metrics: Metrics::default(),
        trees: vec![tree(-30.0, spans)],
        pinned: vec![],
    };
    let evaluation = Evaluation::new(RunId(1), vec![7], vec![kept(text, gold)], trees);
    let mut stage = Stage::with_run(Parses::default(), 1);
    stage.update(Input::Shown);
    stage.deliver("trees", Some(evaluation.expect("fits")));
    stage
}

#[test]
fn empty_states_say_what_to_do_next() {
    let mut stage = Stage::new(Parses::default());
    stage.update(Input::Shown);
    snapshot("no_run", &stage);
    let mut stage = Stage::with_run(Parses::default(), 1);
    stage.update(Input::Shown);
    stage.deliver("trees", None::<Evaluation>);
    snapshot("no_trees_yet", &stage);
    stage.shared.checkpoint = Some("best.safetensors".into());
    stage.update(Input::Open(&Target::Checkpoint("best.safetensors".into())));
    assert!(stage.screen.editing(), "there is nothing else to do with it");
    stage.deliver("weights", weights());
    snapshot("checkpoint_only", &stage);
    stage.press(KeyCode::Esc);
    assert!(stage.shot(80, 24).contains("press i to type a sentence and parse it"));
}

#[test]
fn a_folder_that_cannot_be_read_is_named() {
    let mut stage = Stage::with_run(Parses::default(), 1);
    let effects = stage.update(Input::Shown);
    let said = said(&stage.settle(effects));
    assert!(said[0].contains("runs/2026-11-29-rank-pcfg-1"), "{said:?}");
    assert!(stage.shot(80, 24).contains("press r to try again"));
}

#[test]
fn gold_and_induced_trees_stand_together_with_their_marks() {
    snapshot("sentence", &stage());
}

#[test]
fn marks_differ_in_sign_and_in_style() {
    let stage = stage();
    let buffer = stage.buffer(200, 60);
    for (sign, style) in
        [("✓", stage.theme.good), ("✗", stage.theme.error), ("○", stage.theme.warning)]
    {
        // On the heat map the field behind a sign has the colour.
        let plain = |cell: &&ratatui::buffer::Cell| cell.bg == ratatui::style::Color::Reset;
        let signs = buffer.content.iter().filter(|cell| cell.symbol() == sign).filter(plain);
        let styles: Vec<_> = signs.map(|cell| cell.style().fg).collect();
        assert!(styles.len() > 1 && styles.iter().all(|fg| *fg == style.fg), "{sign} {styles:?}");
    }
}

#[test]
fn a_terminal_without_unicode_gets_plain_trees() {
    let mut stage = Stage::with_run(Parses::default(), 1);
    stage.theme = Theme::new(ThemeName::Mono, false);
    stage.update(Input::Shown);
    stage.deliver("trees", Some(evaluation()));
    assert_snapshot!("ascii_80x24", stage.shot(80, 24));
}

#[test]
fn every_layout_has_its_look() {
    let mut stage = stage();
    for name in ["horizontal", "brackets", "one_line"] {
        stage.command("layout");
        snapshot(name, &stage);
    }
    stage.command("layout");
    assert_eq!(stage.screen.layout, TreeLayout::Vertical);
}

#[test]
fn the_heat_map_takes_the_place_of_the_trees_where_not_both_have_room() {
    let mut stage = stage();
    stage.command("heat-map");
    assert_snapshot!("heat_map_80x24", stage.shot(80, 24));
    stage.command("down");
    assert!(stage.shot(80, 24).contains("press p to parse"), "only pinned ones have marginals");
}

#[test]
fn sentences_without_gold_or_analysis_are_shown_as_such() {
    let mut stage = stage();
    stage.command("page-down");
    stage.command("up");
    snapshot("no_gold_no_analysis", &stage);
    snapshot("no_gold", &single("þetta er góð bók", &[(0, 4), (0, 2), (2, 4)], None));
    snapshot("two_words", &single("go home", &[(0, 2)], Some(&[(0, 2, "S")])));
    snapshot("one_word", &single("Yes", &[], Some(&[(0, 1, "INTJ")])));
}

#[test]
fn long_sentences_and_wide_characters_scroll_and_keep_their_look() {
    let words: Vec<String> = (0..120).map(|i| format!("言語{i}")).collect();
    let spans: Vec<(u32, u32)> = (0..119).map(|i| (i, 120)).collect();
    let mut stage = single(&words.join(" "), &spans, Some(&[(0, 120, "S"), (0, 60, "NP")]));
    snapshot("long", &stage);
    for _ in 0..6 {
        stage.command("scroll-right");
        stage.command("scroll-down");
    }
    snapshot("long_scrolled", &stage);
}

#[test]
fn sorting_and_filtering_keep_the_selected_sentence() {
    let mut stage = stage();
    stage.command("last");
    stage.command("sort");
    stage.command("sort");
    assert_eq!(stage.screen.row().map(|(n, _)| n), Some(3));
    assert!(stage.shot(80, 24).contains("by F1"));
    stage.command("filter");
    stage.type_text("sat");
    assert_eq!(stage.screen.order, [3]);
    stage.press(KeyCode::Enter);
    assert!(!stage.screen.editing());
    snapshot("filtered", &stage);
    stage.command("clear");
    assert_eq!(stage.screen.order.len(), 4);
}

#[test]
fn a_filter_that_fits_nothing_leaves_an_empty_list() {
    let mut stage = stage();
    stage.command("filter");
    stage.update(Input::Paste("no such words"));
    assert!(stage.shot(80, 24).contains("no sentence matches the filter"));
    stage.command("down");
    stage.command("export");
}

#[test]
fn a_typed_sentence_is_parsed_and_shown_with_its_unknown_words() {
    let mut stage = stage_with_weights();
    stage.command("type");
    stage.type_text("The cat barked at the dog.");
    let effects = stage.press(KeyCode::Enter);
    assert!(matches!(&effects[..], [Effect::Spawn(task)] if task.kind == "parse"));
    stage.settle(effects);
    assert!(!stage.screen.editing(), "keys are commands again");
    let shot = stage.shot(80, 24);
    assert!(shot.contains("weights of step 42 · 1 unknown underlined"), "nothing is cut: {shot}");
    snapshot("typed", &stage);
    stage.command("type");
    assert!(stage.shot(80, 24).ends_with("sentence:"), "a line for the next one");
    stage.press(KeyCode::Up);
    assert!(stage.shot(80, 24).ends_with("sentence: The cat barked at the dog."));
    stage.press(KeyCode::Esc);
    stage.command("clear");
    assert!(stage.screen.typed.is_empty());
}

#[test]
fn typed_sentences_are_shown_one_by_one() {
    let mut stage = stage_with_weights();
    stage.command("type");
    stage.type_text("The dog ran. Go. The cat barked at the dog.");
    let effects = stage.press(KeyCode::Enter);
    let said = said(&stage.settle(effects));
    assert!(said[0].starts_with("sentence 2: one word"), "{said:?}");
    let shows = |stage: &Stage<Parses>, part: &str| {
        let shot = stage.shot(80, 24);
        assert!(shot.contains(part), "{part}: {shot}");
    };
    shows(&stage, "typed 1 of 2, 3 words");
    stage.command("down");
    shows(&stage, "typed 2 of 2, 6 words");
    stage.command("up");
    shows(&stage, "typed 1 of 2");
    stage.command("clear");
    assert!(stage.screen.typed.is_empty());
}

#[test]
fn a_typed_sentence_without_weights_says_why() {
    let mut stage = stage();
    stage.command("type");
    stage.type_text("dogs bark");
    let effects = stage.press(KeyCode::Enter);
    let said = said(&stage.settle(effects));
    assert!(!said.is_empty() && stage.screen.typed.is_empty(), "{said:?}");
    let mut nothing = Stage::new(Parses::default());
    nothing.command("type");
    nothing.type_text("dogs bark");
    let effects = nothing.press(KeyCode::Enter);
    assert!(crate::workbench::stage::said(&effects)[0].contains("Train (2)"), "{effects:?}");
    nothing.command("type");
    assert!(nothing.shot(80, 24).ends_with("sentence: dogs bark"), "it was not taken");
}

#[test]
fn selected_sentences_are_parsed_as_long_as_it_is_switched_on() {
    let mut stage = stage_with_weights();
    stage.screen.live = Some(true);
    let effects = stage.command("down");
    stage.settle(effects);
    assert_eq!(stage.screen.analysis.as_ref().map(|(n, a)| (*n, a.step)), Some((1, 42)));
    snapshot("analysed", &stage);
    let effects = stage.command("analyse");
    assert!(matches!(&effects[..], [Effect::Cancel("parse")]));
    assert!(stage.screen.analysis.is_none());
}

#[test]
fn a_parse_without_derivation_has_no_figures_of_other_weights() {
    let mut stage = stage_with_weights();
    stage.screen.live = Some(true);
    let facts = |stage: &Stage<Parses>| {
        let shot = stage.shot(80, 24);
        let lines: Vec<_> = shot.lines().skip_while(|l| !l.contains("sentence 1,")).collect();
        lines[..3].join(" ")
    };
    stage.command("down");
    let effects = stage.command("up");
    stage.settle(effects);
    assert!(facts(&stage).contains("F1") && facts(&stage).contains("matched"));
    let (_, analysis) = stage.screen.analysis.as_mut().expect("parsed");
    (analysis.diagram, analysis.log_prob) = (None, f64::NEG_INFINITY);
    stage.command("layout");
    assert!(stage.shot(80, 24).contains("no analysis"));
    let facts = facts(&stage);
    assert!(!facts.contains("F1") && !facts.contains("matched"), "{facts}");
    assert!(facts.contains("weights of step 42"), "{facts}");
}

#[test]
fn the_trees_are_those_that_a_symbol_was_found_in() {
    let mut stage = stage();
    let target = |step| Target::Sentences {
        title: "with N3".into(),
        indices: vec![0],
        spans: vec![vec![(1, 3)]],
        step,
    };
    let effects = stage.update(Input::Open(&target(200)));
    assert!(matches!(&effects[..], [Effect::Spawn(task)] if task.kind == "trees"), "{effects:?}");
    stage.deliver("trees", Some(rows::Evaluation { step: 200, ..evaluation() }));
    assert!(stage.shot(200, 60).contains("step 200"));
    assert_eq!(stage.screen.order, [0], "and the list is kept");
    let effects = stage.update(Input::Open(&target(250)));
    assert!(effects.is_empty(), "no trees of that step were kept: {effects:?}");
}

#[test]
fn evaluations_are_scrubbed_and_a_new_one_does_not_disturb() {
    let mut stage = stage();
    assert!(matches!(&stage.command("older")[..], [Effect::Spawn(task)] if task.kind == "trees"));
    let effects = stage.update(Input::Run(RunId(1)));
    assert!(effects.is_empty(), "{effects:?}");
    let effects = stage.command("newer");
    assert!(said(&effects)[0].contains("newest"), "{effects:?}");
}

/// Trees of an evaluation of one sentence, written into a run folder.
fn write_trees(folder: &RunFolder, step: u64) {
    let trees = vec![tree(-20.0, &[(0, 5)])];
    let (metrics, pinned) = (Metrics::default(), vec![]);
    let kept = EvaluatedTrees { schema: SCHEMA, step, epoch: 1, metrics, trees, pinned };
    write_gz(&folder.trees().join(format!("dev-{step:09}.json.gz")), &kept);
}

/// As a training writes it.
fn write_gz(path: &std::path::Path, value: &impl serde::Serialize) {
    let file = std::fs::File::create(path).expect("makes");
    let mut file = flate2::write::GzEncoder::new(file, flate2::Compression::fast());
    serde_json::to_writer(&mut file, value).expect("writes");
    file.finish().expect("writes");
}

fn dev_evaluation(step: u64) -> EventKind {
    EventKind::Evaluation { step, epoch: 1, split: "dev".into(), metrics: Metrics::default() }
}

#[test]
fn the_newest_evaluation_is_followed_though_its_trees_come_after_its_event() {
    let base = tempfile::tempdir().expect("a temporary folder");
    let folder = RunFolder::create_at(&base.path().join("run"), &Default::default());
    let folder = folder.expect("makes");
    let sentences = vec![kept("the dog barked at me", None)];
    write_gz(&folder.trees().join("sentences.json.gz"), &sentences);
    write_trees(&folder, 10);
    let mut stage = Stage::with_run(Parses::default(), 1);
    stage.shared.runs[0].path = folder.path().to_owned();
    let mut seq = 0;
    let mut tell = |stage: &mut Stage<Parses>, kind| {
        stage.shared.runs[0].history.push(&event(seq, kind));
        seq += 1;
        let effects = stage.update(Input::Run(RunId(1)));
        stage.settle(effects);
        stage.screen.evaluation.as_ref().map(|e| e.step)
    };
    let effects = stage.update(Input::Shown);
    stage.settle(effects);
    assert_eq!(tell(&mut stage, dev_evaluation(20)), Some(10), "its trees are not written yet");
    write_trees(&folder, 20);
    let last = EventKind::Checkpoint { step: 20, name: "last".into() };
    assert_eq!(tell(&mut stage, last), Some(20));
    // Who looks back is left alone, until the newest is in view again.
    let effects = stage.command("older");
    stage.settle(effects);
    write_trees(&folder, 30);
    assert_eq!(tell(&mut stage, dev_evaluation(30)), Some(10));
    for _ in 0..2 {
        let effects = stage.command("newer");
        stage.settle(effects);
    }
    assert_eq!(stage.screen.evaluation.as_ref().map(|e| e.step), Some(30));
    write_trees(&folder, 40);
    assert_eq!(tell(&mut stage, dev_evaluation(40)), Some(40));
}

#[test]
fn a_word_of_the_run_while_its_trees_are_read_is_not_forgotten() {
    let mut stage = stage();
    let trees = |effects: &[Effect]| {
        effects.iter().filter(|e| matches!(e, Effect::Spawn(t) if t.kind == "trees")).count()
    };
    stage.shared.runs[0].history.push(&event(0, dev_evaluation(400)));
    assert_eq!(trees(&stage.update(Input::Run(RunId(1)))), 1);
    let title = "reading".to_owned();
    let (screen, kind) = (ScreenId::Parses, "trees");
    stage.shared.tasks.push(TaskStatus { screen, kind, title, done: 0, total: 0 });
    assert_eq!(trees(&stage.update(Input::Run(RunId(1)))), 0, "one is enough");
    stage.shared.tasks.clear();
    assert_eq!(trees(&stage.deliver("trees", None::<Evaluation>)), 1, "it may have come too early");
    assert_eq!(trees(&stage.deliver("trees", None::<Evaluation>)), 0, "nothing new was said");
}

#[test]
fn weights_before_the_first_step_are_of_epoch_0() {
    let trees = vec![tree(-20.0, &[(0, 5)])];
    let metrics = Metrics::default();
    let trees =
        EvaluatedTrees { schema: SCHEMA, step: 0, epoch: 1, metrics, trees, pinned: vec![] };
    let sentence = kept("the dog barked at me", None);
    let evaluation = Evaluation::new(RunId(1), vec![0], vec![sentence], trees);
    let mut stage = Stage::with_run(Parses::default(), 1);
    stage.update(Input::Shown);
    stage.deliver("trees", Some(evaluation.expect("fits")));
    let shot = stage.shot(80, 24);
    assert!(shot.contains("step 0, epoch 0"), "{shot}");
}

#[test]
fn another_run_starts_afresh() {
    let mut stage = stage();
    stage.command("type");
    stage.type_text("dogs bark");
    stage.press(KeyCode::Esc);
    stage.shared.selected = None;
    stage.update(Input::Selection);
    assert!(stage.screen.evaluation.is_none());
    stage.command("type");
    assert!(stage.shot(80, 24).ends_with("sentence: dogs bark"), "it is tried on other weights");
    // Results of the run that was left are not shown.
    stage.deliver("trees", Some(evaluation()));
    assert!(stage.screen.evaluation.is_none());
}

#[test]
fn the_tree_in_view_is_exported_and_copied() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut stage = stage();
    stage.shared.runs[0].path = folder.path().to_owned();
    assert!(matches!(&stage.command("export")[..], [Effect::Popup(_)]));
    let effects = stage.update(Input::Answer { popup: export::POPUP, answer: &Answer::Item(0) });
    let said = said(&stage.settle(effects));
    let path = folder.path().join("exports/sentence-1-step-300.mrg");
    assert_eq!(said, [format!("written to {}", path.display())]);
    let text = std::fs::read_to_string(path).expect("was written");
    assert_eq!(text, "( (X the) ( ( (X dog) (X barked)) ( (X at) (X me))))\n");
    assert!(matches!(&stage.command("copy")[0], Effect::Copy(copied) if *copied == text.trim()));
}
