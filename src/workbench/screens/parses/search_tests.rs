//! Sentences found by patterns, filters, numbers and symbols.

use super::rows::tests::evaluation;
use super::tests::{snapshot, stage};
use super::*;
use crate::workbench::popup::{Answer, Popup};
use crate::workbench::stage::{Stage, said};
use crate::workbench::theme::{Theme, ThemeName};

/// Searches for a pattern and waits for what is found.
fn search(stage: &mut Stage<Parses>, pattern: &str) -> Vec<String> {
    stage.command("pattern");
    stage.type_text(pattern);
    let effects = stage.press(KeyCode::Enter);
    assert!(matches!(&effects[..], [Effect::Spawn(task)] if task.kind == "pattern"));
    said(&stage.settle(effects))
}

#[test]
fn a_pattern_is_searched_for_in_gold_trees_and_in_what_they_have_alone() {
    let mut stage = stage();
    let said_gold = search(&mut stage, "NP|VP|PP");
    assert_eq!(said_gold, ["4 matches in 2 of 4 sentences, in gold trees"]);
    assert_eq!(stage.screen.order, [0, 3]);
    snapshot("pattern", &stage);
    let effects = stage.command("trees");
    let said = said(&stage.settle(effects));
    assert_eq!(said[1], "2 matches in 1 of 4 sentences, in gold but not induced");
    assert_eq!(stage.screen.order, [0]);
    stage.command("next-match");
    let shot = stage.shot(80, 24);
    assert!(shot.contains("match 2 of 2") && shot.contains("»○VP"), "{shot}");
    assert!(shot.contains("›○NP"), "{shot}");
    stage.command("clear");
    assert_eq!(stage.screen.order.len(), 4);
    assert!(!stage.shot(80, 24).contains('»'));
}

#[test]
fn a_label_searched_for_in_induced_trees_is_told_that_they_have_none() {
    let mut stage = stage();
    search(&mut stage, "NP");
    assert!(!stage.shot(80, 24).contains("no labels"), "gold trees have them");
    while stage.screen.trees != Trees::Induced {
        let effects = stage.command("trees");
        stage.settle(effects);
    }
    let shot = stage.shot(80, 24);
    assert!(shot.contains("NP in induced trees (no labels: use __)"), "{shot}");
    assert!(shot.contains("induced trees have no labels: __ and words find them"), "{shot}");
}

#[test]
fn matches_in_induced_trees_are_walked_through_and_a_new_evaluation_is_searched_again() {
    let mut stage = stage();
    while stage.screen.trees != Trees::Either {
        stage.command("trees");
    }
    search(&mut stage, "__ < (__ $ __)");
    let shot = stage.shot(120, 40);
    assert!(shot.contains("match 1 of 16"), "{shot}");
    let first = stage.screen.search.count(0).expect("searched");
    for _ in 1..first {
        stage.command("next-match");
    }
    let shot = stage.shot(200, 40);
    let induced = shot.lines().find(|line| line.contains("Induced")).expect("a pane");
    assert!(!induced.contains('»') && shot.contains('»'), "{shot}");
    stage.command("next-match");
    assert_eq!(stage.screen.row().map(|(n, _)| n), Some(1));
    let effects = stage.deliver("trees", Some(evaluation()));
    assert!(effects.iter().any(|e| matches!(e, Effect::Spawn(t) if t.kind == "pattern")));
    stage.settle(effects);
    assert_eq!(stage.screen.row().map(|(n, _)| n), Some(1), "the place is kept");
}

#[test]
fn gold_and_induced_trees_are_folded_together() {
    let mut stage = stage();
    stage.command("fold");
    stage.command("fold");
    snapshot("folded", &stage);
    stage.theme = Theme::new(ThemeName::Mono, false);
    stage.command("fold");
    assert!(stage.shot(200, 60).contains("NP ..."), "{}", stage.shot(200, 60));
}

#[test]
fn n_goes_through_the_sentences_of_a_filter() {
    let mut stage = stage();
    stage.command("filter");
    stage.type_text("o");
    stage.press(KeyCode::Enter);
    let listed = stage.screen.order.len();
    assert!(listed > 1);
    for _ in 0..listed {
        stage.command("next-match");
    }
    assert_eq!(stage.screen.at, 0, "round the end");
}

#[test]
fn a_sentence_is_jumped_to_by_its_number_whether_it_is_listed_or_not() {
    let mut stage = stage();
    search(&mut stage, "NP|VP|PP");
    assert_eq!(stage.screen.order, [0, 3]);
    assert!(matches!(&stage.command("jump")[..], [Effect::Popup(_)]));
    let mut jump = |text: &str| {
        let answer = Answer::Text(text.into());
        let effects = stage.update(Input::Answer { popup: jump::POPUP, answer: &answer });
        let asked = effects.iter().find_map(|effect| match effect {
            Effect::Popup(Popup::Prompt { text, .. }) => Some(text.clone()),
            _ => None,
        });
        let mut told = said(&stage.settle(effects));
        told.extend(asked);
        (told, stage.screen.row().map(|(n, _)| n), stage.screen.order.len())
    };
    assert_eq!(jump("4"), (vec![], Some(3), 2));
    assert_eq!(jump("2"), (vec![], Some(1), 4));
    assert!(jump("five").0[0].contains("from 1 to 4"));
}

#[test]
fn sentences_of_a_symbol_are_listed_alone_until_they_are_left() {
    let mut stage = stage();
    let target = Target::Sentences {
        title: "with N3 at step 300".into(),
        indices: vec![3, 0],
        spans: vec![vec![(0, 3)], vec![]],
        step: 300,
    };
    assert!(stage.update(Input::Open(&target)).is_empty(), "the trees of the step are in view");
    assert_eq!(stage.screen.order, [0, 3]);
    let shot = stage.shot(200, 60);
    assert!(shot.contains("with N3 at step 300") && !shot.contains('›'), "{shot}");
    stage.command("down");
    assert!(stage.shot(200, 60).contains('›'), "where the symbol stands");
    stage.update(Input::Open(&Target::Sentence(2)));
    assert_eq!(stage.screen.row().map(|(n, _)| n), Some(2));
}

#[test]
fn a_pattern_and_a_filter_do_not_narrow_the_sentences_of_a_symbol() {
    let mut stage = stage();
    stage.command("filter");
    stage.type_text("dog");
    stage.press(KeyCode::Enter);
    search(&mut stage, "VP");
    assert_eq!(stage.screen.order, [0]);
    let target = Target::Sentences {
        title: "with N3".into(),
        indices: vec![0, 1, 3],
        spans: vec![vec![], vec![], vec![]],
        step: 300,
    };
    stage.update(Input::Open(&target));
    assert_eq!(stage.screen.order, [0, 1, 3]);
    let shot = stage.shot(200, 60);
    assert!(shot.contains("with N3") && !shot.contains("match 1"), "{shot}");
    stage.command("clear");
    assert_eq!(stage.screen.order.len(), 4);
}
