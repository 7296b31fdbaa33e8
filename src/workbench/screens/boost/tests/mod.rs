mod folders;
mod odd;
mod verdicts;

use super::book::{Book, RoundPage};
use super::sentences::Sentences;
use super::*;
use crate::config::{Config, Kind};
use crate::ensemble::boosting::{judge, uniform};
use crate::ensemble::ledger::Ledger;
use crate::ensemble::{Analysis, Annotated, Part, fingerprint};
use crate::evaluation::{Agreement, Constituents};
use crate::parser::Fallback;
use crate::report::{Metrics, RunState};
use crate::run::{Job, KeptRound, KeptWeights};
use crate::treebank::{Reader, Tree};
use crate::workbench::shared::RunEntry;
use crate::workbench::stage::{Stage, said};
use crossterm::event::KeyCode;
use folders::{folder_of, on_folder, run_folder, shown};
use std::path::Path;
use std::time::{Duration, Instant};

/// Sentences of 4 to 7 words whose errors fall off by their number, boosted for some rounds.
fn boosted(m: usize, rounds: u64) -> Book {
    let tree = |i: usize| -> Tree {
        let end = " (RB now)".repeat(i % 4);
        let text = format!("(TOP (S (NP (DT the) (NN n{i})) (VP (VBD saw) (NP (NN x)){end})))");
        let mut tree =
            Reader::new(text.as_bytes(), "made.mrg").next().expect("one").expect("whole");
        tree.place.line = i as u32 + 1;
        tree
    };
    let annotated = |i: usize| {
        let tree = Arc::new(tree(i));
        let constituents = Constituents::counted(&tree);
        Annotated { original: tree.clone(), tree, index: i, constituents }
    };
    let part = Part { name: "train", sentences: (0..m).map(annotated).collect() };
    let hashes = part.sentences.iter().map(|s| fingerprint(&s.original)).collect();
    let sentences = Arc::new(Sentences::new(part, hashes));
    let settings = format!("kind = \"boost\"\n[ensemble]\nrounds = {rounds}\n");
    let config = Config::from_toml("test", &settings, &[]).expect("valid");
    let mut pages: Vec<Arc<RoundPage>> = Vec::new();
    let mut weights = uniform(m);
    for number in 1..=rounds {
        let agreement = |i: usize| {
            let wrong = u32::from((i * 7919 + number as usize * 31) % 10 < 10 * (m - i) / (m * 2));
            Agreement { correct: 4 - wrong, spurious: wrong, missing: wrong }
        };
        let agreements: Vec<Agreement> = (0..m).map(agreement).collect();
        let judgement = judge(&weights, &agreements, config.ensemble.update);
        let verdict = judgement.verdict.expect("right more often than not");
        let x = number as f64;
        let metrics: Metrics = [
            ("error", judgement.weighted_error),
            ("beta", verdict.beta),
            ("effective_size", crate::ensemble::boosting::effective_size(&verdict.next)),
            ("train_precision", 90.0 + x / 3.0),
            ("train_recall", 89.5 + x / 3.0),
            ("train_f1", 89.75 + x / 3.0 - x * x / 60.0),
            ("train_exact", 40.0 + x),
            ("test_precision", 82.0 + x / 5.0),
            ("test_recall", 81.0 + x / 5.0),
            ("test_f1", 81.5 + x / 5.0),
            ("test_exact", 30.0 + x / 2.0),
        ]
        .into_iter()
        .collect();
        let kept = KeptRound {
            schema: 1,
            number,
            vote: Some(verdict.vote),
            metrics,
            seconds: Metrics::default(),
            elapsed: x,
            settings: None,
        };
        let before = std::mem::replace(&mut weights, verdict.next.clone());
        let kept_weights =
            KeptWeights { before, after: Some(verdict.next), drawn: None, agreements };
        pages.push(Arc::new(RoundPage::new(kept, kept_weights, &pages, Kind::Boost)));
    }
    let ledger = Ledger::open(Path::new("/nowhere/verdicts.jsonl")).expect("an empty one");
    Book::new(RunId(1), config, sentences, pages, Some(("test", 50)), ledger)
}

/// The screen with that book, whose folder is not there.
fn with(book: Book) -> Stage<Boost> {
    let mut stage = Stage::with_run(Boost::default(), 1);
    stage.shared.runs[0].config = Some(book.config.clone());
    stage.update(Input::Shown);
    let effects = stage.deliver("rounds", Some(book));
    list(&mut stage, effects);
    stage
}

/// Runs the task that makes the list, if there is one; gives the other effects.
fn list(stage: &mut Stage<Boost>, effects: Vec<Effect>) -> Vec<Effect> {
    let is_list = |effect: &Effect| matches!(effect, Effect::Spawn(task) if task.kind == "list");
    let (lists, mut others): (Vec<_>, Vec<_>) = effects.into_iter().partition(is_list);
    others.extend(stage.settle(lists));
    others
}

/// Does a command and makes the list that follows from it.
fn act(stage: &mut Stage<Boost>, name: &'static str) -> Vec<Effect> {
    let effects = stage.command(name);
    list(stage, effects)
}

/// Analyses without the phrase over the object of every sentence; that of one is a fallback.
fn flattened(book: &Book, fallback: usize) -> Analyses {
    let mut analyses = Analyses::default();
    for (i, sentence) in book.sentences.part.sentences.iter().enumerate() {
        let text = sentence.tree.to_string().replace("(NP (NN x))", "(NN x)");
        let tree = Reader::new(text.as_bytes(), "t").next().expect("one").expect("whole");
        let skeleton = analyses.labels.skeleton(&tree);
        let agreement = sentence.constituents.agreement(&Constituents::counted(&tree));
        let fallback = (i == fallback).then_some(Fallback::Relaxed);
        analyses.trees.push(Analysis { skeleton, agreement, score: -1.0, fallback });
    }
    analyses
}

#[test]
fn figures_and_sentences_at_80x24_and_200x60() {
    let mut stage = with(boosted(300, 15));
    insta::assert_snapshot!("sentences_80", stage.shot(80, 24));
    stage.command("figures");
    insta::assert_snapshot!("figures_80", stage.shot(80, 24));
    insta::assert_snapshot!("both_200", stage.shot(200, 60));
}

#[test]
fn lists_are_filtered_sorted_and_jumped_in() {
    let mut stage = with(boosted(300, 5));
    stage.command("filter");
    stage.type_text("length<5 n");
    let effects = stage.press(KeyCode::Char('1'));
    assert_eq!(stage.screen.order.len(), 300, "the list is not made while keys wait");
    list(&mut stage, effects);
    let lengths = |stage: &Stage<Boost>| -> Vec<usize> {
        let book = stage.screen.book.as_ref().expect("there");
        let length = |i: &u32| book.sentences.part.sentences[*i as usize].tree.len();
        stage.screen.order.iter().map(length).collect()
    };
    let found = lengths(&stage);
    assert!(!found.is_empty() && found.len() < 75 && found.iter().all(|n| *n == 4), "{found:?}");
    stage.press(KeyCode::Enter);
    let jump = |stage: &mut Stage<Boost>, text: &str| {
        let answer = Answer::Text(text.into());
        let effects = stage.update(Input::Answer { popup: "jump", answer: &answer });
        list(stage, effects)
    };
    // A sentence that the filter hides is shown all the same.
    jump(&mut stage, "#7");
    assert_eq!((stage.screen.sentence(), stage.screen.order.len()), (Some(7), 300));
    jump(&mut stage, "12");
    assert_eq!(stage.screen.at, 11);
    let said = said(&jump(&mut stage, "301"));
    assert!(said[0].contains("from 1 to 300"), "{said:?}");
    // Sorting keeps the selected sentence.
    let selected = stage.screen.sentence();
    for _ in 0..2 {
        act(&mut stage, "sort");
        assert_eq!(stage.screen.sentence(), selected);
    }
    assert!(lengths(&stage).is_sorted());
    act(&mut stage, "reverse");
    assert!(lengths(&stage).iter().rev().is_sorted());
}

#[test]
fn all_signals_are_weighed_when_their_order_is_asked_for_and_name_the_change() {
    let base = tempfile::tempdir().expect("a temporary folder");
    let good = "(S (NP (DT the) (NN dog)) (VP (VBD saw) (NP (DT the) (NN cat))))";
    let wrong = "(S (NP (DT the) (NN dog)) (VP (VBD saw) (PP (DT the) (NN cat))))";
    let preposition = "(S (NP (NN dog)) (VP (VBD sat) (PP (IN on) (NP (DT the) (NN road)))))";
    let trees = [good, good, preposition, good, good, wrong, good, preposition, good];
    let folder = folder_of(base.path(), "boost", 2, &trees, "");
    let mut stage = shown(&folder);
    for _ in 0..3 {
        let effects = stage.command("sort");
        stage.settle(effects);
    }
    assert!(stage.screen.weighing.scores().is_none(), "nobody has asked for them");
    let effects = stage.command("sort");
    let seen = stage.shot(200, 60);
    assert!(seen.contains("by all signals of error, which are being weighed"), "{seen}");
    stage.settle(effects);
    assert_eq!(stage.screen.order[0], 5);
    let part = folder.kept_part("train").expect("reads").and_then(|kept| kept.part("train"));
    let scores = folder.scores("combined", &part.expect("whole")).expect("reads").expect("known");
    assert_eq!(stage.screen.weighing.scores().map(|s| &**s), Some(&scores));
    let effects = stage.command("first");
    stage.settle(effects);
    let seen = stage.shot(200, 60);
    assert!(seen.contains("words 4–5: NP for PP?"), "{seen}");
    // They are not weighed again for the same rounds.
    let effects = stage.command("reverse");
    assert!(!effects.iter().any(|e| matches!(e, Effect::Spawn(t) if t.kind == "signals")));
}

#[test]
fn an_earlier_round_has_its_own_ranking_and_a_newer_one_is_followed() {
    let mut stage = with(boosted(100, 4));
    let ranking = |stage: &Stage<Boost>| stage.screen.order.clone();
    let last = ranking(&stage);
    act(&mut stage, "earlier-round");
    act(&mut stage, "earlier-round");
    assert_eq!(stage.screen.round(), 1);
    assert_ne!(ranking(&stage), last);
    stage.deliver("rounds", Some(boosted(100, 5)));
    assert_eq!(stage.screen.round(), 1, "an earlier round stays in view");
    for _ in 0..9 {
        stage.command("later-round");
    }
    assert_eq!(stage.screen.round(), 4);
    stage.deliver("rounds", Some(boosted(100, 6)));
    assert_eq!(stage.screen.round(), 5, "the newest stays the newest");
}

#[test]
fn curves_are_chosen_in_the_table() {
    let mut stage = with(boosted(100, 9));
    assert_eq!(stage.screen.curves(), [1, 5, 9]);
    stage.command("figures");
    stage.command("curve");
    stage.command("up");
    stage.command("curve");
    assert_eq!(stage.screen.curves(), [1, 5, 8]);
    for _ in 0..4 {
        stage.command("up");
        stage.command("curve");
    }
    // 7 and 6 came, 5 went, 4 came.
    assert_eq!(stage.screen.curves(), [1, 4, 6, 7, 8]);
    stage.command("up");
    stage.command("curve");
    stage.command("up");
    let said = said(&stage.command("curve"));
    assert!(said[0].contains("6 curves are drawn"), "{said:?}");
}

#[test]
fn forty_thousand_sentences_and_fifteen_rounds_answer_within_frames() {
    let mut stage = with(boosted(40_000, 15));
    let start = Instant::now();
    for name in ["down", "page-down", "last", "up", "first", "earlier-round", "later-round"] {
        act(&mut stage, name);
        assert!(stage.shot(200, 60).contains("of 15"));
    }
    let a_key = start.elapsed() / 7;
    // A debug build on a busy machine is many times slower than what is shipped; work that grows
    // with the square of the sentences would still take minutes.
    assert!(a_key < Duration::from_secs(2), "{a_key:?} a key with its frame");
}

#[test]
fn twins_are_looked_for_on_demand_and_for_every_sentence_that_is_selected() {
    let base = tempfile::tempdir().expect("a temporary folder");
    let folder = run_folder(base.path(), "boost", 2);
    let mut stage = shown(&folder);
    // Two attachments of the same words.
    let answer = Answer::Text("#3".into());
    stage.update(Input::Answer { popup: "jump", answer: &answer });
    let effects = stage.command("twins");
    assert!(matches!(&effects[..], [Effect::Spawn(t)] if t.kind == "catalogue"), "{effects:?}");
    assert!(stage.update(Input::Command("down")).iter().all(|e| !matches!(e, Effect::Spawn(_))));
    stage.command("up");
    stage.settle(effects);
    let sentence = stage.screen.sentence().expect("selected");
    let twins = stage.screen.pairs.of(sentence).expect("found").to_vec();
    assert!(twins.iter().any(|twin| &*twin.other == "NIL" || &*twin.label == "NIL"), "{twins:?}");
    // What stands above them tells of the parser, not of twins.
    let twins =
        |shot: String| shot.split_once("spurious   ✗").expect("the key to the marks").1.to_owned();
    insta::assert_snapshot!("twins_80", twins(stage.shot(80, 24)));
    stage.command("zoom");
    insta::assert_snapshot!("twins_200", twins(stage.shot(200, 60)));
    stage.command("next-twin");
    assert_eq!(stage.screen.pairs.at, 1);
    // Another sentence has its own.
    let effects = stage.command("last");
    assert!(effects.iter().any(|e| matches!(e, Effect::Spawn(t) if t.kind == "twins")));
    stage.settle(effects);
    let sentence = stage.screen.sentence().expect("selected");
    assert!(stage.screen.pairs.of(sentence).is_some());
    stage.command("twins");
    assert!(stage.shot(80, 24).contains("Annotation"));
}

#[test]
fn a_bracket_is_shown_with_its_words_and_labels_at_80x24_and_200x60() {
    let book = boosted(40, 3);
    let analyses = flattened(&book, 2);
    let mut stage = with(book);
    stage.deliver("analyses", Analysed(RunId(1), 3, analyses));
    stage.command("bracket");
    insta::assert_snapshot!("bracket_80", stage.shot(80, 24));
    stage.command("down");
    stage.command("previous-bracket");
    insta::assert_snapshot!("bracket_200", stage.shot(200, 60));
}

#[test]
fn a_parse_that_was_a_fallback_is_flagged_listed_and_counted() {
    let mut book = boosted(12, 2);
    let mut page = RoundPage::clone(&book.rounds[1]);
    page.kept.metrics.set("train_fallbacks", 1.0);
    book.rounds[1] = Arc::new(page);
    let analyses = flattened(&book, 5);
    let mut stage = with(book);
    stage.screen.filter = Field::new("parse=fallback");
    act(&mut stage, "sort");
    assert!(stage.screen.order.is_empty(), "nothing is known yet");
    let effects = stage.deliver("analyses", Analysed(RunId(1), 2, analyses));
    list(&mut stage, effects);
    assert_eq!(stage.screen.order, [5]);
    let seen = stage.shot(80, 24);
    assert!(seen.contains("~ coarser grammar") && seen.contains("   0~"), "{seen}");
    stage.command("figures");
    assert!(stage.shot(80, 24).contains("best, final, ~1"), "{}", stage.shot(80, 24));
}

#[test]
fn equally_good_rounds_are_told_to_be_tied() {
    let mut book = boosted(30, 4);
    for page in &mut book.rounds[2..] {
        let mut kept = RoundPage::clone(page);
        kept.kept.metrics.set("train_f1", 99.0);
        *page = Arc::new(kept);
    }
    assert_eq!(book.milestones().best, [2, 3]);
    let mut stage = with(book);
    stage.command("figures");
    let seen = stage.shot(80, 24);
    assert_eq!(seen.matches("best, tied").count(), 2, "{seen}");
    assert!(seen.contains("initial") && seen.contains("best, tied, final"), "{seen}");
}

#[test]
fn what_every_round_made_heavier_can_be_listed() {
    let mut stage = with(boosted(100, 5));
    stage.screen.filter = Field::new("raised=always");
    act(&mut stage, "sort");
    let book = stage.screen.book.as_ref().expect("there");
    let rises = |i: usize| {
        let weights = book.rounds.iter().map(|page| &page.weights);
        weights.into_iter().all(|w| w.after.as_ref().expect("went on")[i] > w.before[i])
    };
    let expected: Vec<usize> = (0..100).filter(|i| rises(*i)).collect();
    let mut found: Vec<usize> = stage.screen.order.iter().map(|i| *i as usize).collect();
    found.sort_unstable();
    assert_eq!(found, expected);
}

#[test]
fn another_run_with_rounds_is_shown_where_the_selected_one_has_none() {
    let base = tempfile::tempdir().expect("a temporary folder");
    let folder = run_folder(base.path(), "boost", 1);
    let mut stage = Stage::with_run(Boost::default(), 7);
    let mut run = RunEntry::new(RunId(1), folder.path().to_owned());
    run.config = Some(folder.config().expect("valid"));
    stage.shared.runs.push(run);
    let effects = stage.update(Input::Shown);
    assert!(effects.iter().any(|e| matches!(e, Effect::Follow(RunId(1)))), "{effects:?}");
    stage.settle(effects);
    let seen = stage.shot(80, 24);
    assert!(seen.contains("the selected run has no rounds") && seen.contains("round 1 of 1"));
}

#[test]
fn analyses_that_cannot_be_read_are_told_where_they_would_stand() {
    let base = tempfile::tempdir().expect("a temporary folder");
    let folder = run_folder(base.path(), "boost", 1);
    std::fs::remove_file(folder.rounds().join("001.train.gz")).expect("removes");
    let mut stage = on_folder(&folder);
    let effects = stage.update(Input::Shown);
    stage.settle(effects);
    let seen = stage.shot(80, 24);
    assert!(seen.contains("press r to try again") && seen.contains("Annotation"), "{seen}");
}
