use super::*;
use crate::analysis::fake::{FakeChain, FakeParser};
use crate::analysis::symbols;
use crate::model::Parser;
use crate::run::Snapshot;
use crate::treebank::{LabelledSpan, Preprocessing, Sentence, Vocabulary};
use crate::workbench::news::Outcome;
use crate::workbench::stage::{Stage, said};
use crate::workbench::theme::{Theme, ThemeName};
use crate::workbench::weights::Origin;
use insta::assert_snapshot;
use std::ops::ControlFlow;
use std::sync::Arc;

/// Tags, and spans with labels.
type Gold<'a> = (&'a str, &'a [(u32, u32, &'a str)]);

fn sentence(index: usize, text: &str, gold: Option<Gold>) -> Sentence {
    let words: Vec<Arc<str>> = text.split(' ').map(Arc::from).collect();
    Sentence {
        surface: words.clone(),
        tags: gold.map(|(tags, _)| tags.split(' ').map(Arc::from).collect()),
        gold: gold.map(|(_, spans)| {
            let span = |&(start, end, label): &(u32, u32, &str)| LabelledSpan {
                start,
                end,
                label: label.into(),
            };
            spans.iter().map(span).collect()
        }),
        words,
        tree: None,
        index,
    }
}

fn sentences(with_gold: bool) -> Vec<Sentence> {
    let all: [(&str, Gold); 4] = [
        ("the dog barked", ("DT NN VBD", &[(0, 3, "S"), (0, 2, "NP")])),
        ("the cat saw the dog", ("DT NN VBD DT NN", &[(0, 5, "S"), (2, 5, "VP"), (3, 5, "NP")])),
        ("köttinn sá hundinn", ("N VBD N", &[(0, 3, "IP-MAT"), (1, 3, "VP")])),
        ("home", ("NN", &[])),
    ];
    let make =
        |(i, (text, gold)): (usize, &(&str, Gold))| sentence(i, text, with_gold.then_some(*gold));
    all.iter().enumerate().map(make).collect()
}

fn computed(parser: FakeParser, with_gold: bool) -> Computed {
    let words = ["<pad>", "<unk>", "the", "dog", "barked", "cat", "saw"].map(Arc::from).to_vec();
    computed_by(parser, Vocabulary::from_words(words, 1).expect("distinct"), with_gold)
}

/// By a language model with so many states.
fn of_states(states: usize, with_gold: bool) -> Computed {
    let words = ["<unk>", "<pad>", "<eos>", "the", "dog", "barked", "cat", "saw"];
    let vocabulary = Vocabulary::from_words(words.map(Arc::from).to_vec(), 0);
    let vocabulary = vocabulary.and_then(|v| v.ended_by(2)).expect("distinct");
    computed_by(FakeChain::random(states, 8, 5), vocabulary, with_gold)
}

fn computed_by(parser: impl Parser + 'static, vocabulary: Vocabulary, with_gold: bool) -> Computed {
    let vocabulary = Arc::new(vocabulary);
    let mut go_on = |_, _| ControlFlow::Continue(());
    let symbols = symbols(&parser, &vocabulary, &sentences(with_gold), &mut go_on)
        .expect("parses")
        .expect("not stopped");
    Computed {
        run: RunId(1),
        transitions: compute::transitions(&parser, &symbols),
        symbols,
        weights: Snapshot {
            parser: Arc::new(parser),
            vocabulary,
            preprocessing: Preprocessing::default(),
            step: 1200,
        },
        origin: Origin::Training,
        note: None,
    }
}

fn small() -> FakeParser {
    FakeParser::random(3, 5, 6, 7, 3.0, 2)
}

/// The screen on run 1 with everything computed.
fn stage(computed: Computed) -> Stage<Grammar> {
    let mut stage = Stage::with_run(Grammar::default(), 1);
    stage.update(Input::Shown);
    let effects = stage.deliver("symbols", computed);
    stage.settle(effects);
    stage
}

fn command(stage: &mut Stage<Grammar>, name: &'static str) -> Vec<Effect> {
    let effects = stage.command(name);
    stage.settle(effects)
}

fn snapshot(name: &str, stage: &Stage<Grammar>) {
    for (width, height) in [(80, 24), (200, 60)] {
        assert_snapshot!(format!("{name}_{width}x{height}"), stage.shot(width, height));
    }
}

#[test]
fn empty_states_say_what_to_do_next() {
    let mut stage = Stage::new(Grammar::default());
    assert!(stage.update(Input::Shown).is_empty());
    snapshot("no_run", &stage);
    let mut stage = Stage::with_run(Grammar::default(), 1);
    stage.update(Input::Shown);
    snapshot("nothing_computed", &stage);
    stage.report("symbols", Outcome::Failed("no checkpoint yet".into()));
    snapshot("failed", &stage);
}

#[test]
fn nothing_is_computed_before_the_screen_is_looked_at() {
    let mut stage = Stage::with_run(Grammar::default(), 1);
    assert!(stage.update(Input::Selection).iter().all(|e| !matches!(e, Effect::Spawn(_))));
    assert!(stage.update(Input::Run(RunId(1))).is_empty());
    let effects = stage.update(Input::Shown);
    assert!(matches!(&effects[..], [Effect::Spawn(task)] if task.kind == "symbols"));
    assert!(stage.update(Input::Shown).is_empty(), "once is enough");
}

#[test]
fn nonterminals_are_listed_by_use_with_what_they_cover() {
    snapshot("nonterminals", &stage(computed(small(), true)));
}

#[test]
fn preterminals_show_their_words_and_gold_tags() {
    let mut stage = stage(computed(small(), true));
    command(&mut stage, "kind");
    command(&mut stage, "down");
    snapshot("preterminals", &stage);
}

#[test]
fn without_gold_trees_there_are_still_yields_and_expansions() {
    let mut stage = stage(Computed {
        note: Some("without gold tags, from the run folder: the corpus has changed".into()),
        ..computed(small(), false)
    });
    command(&mut stage, "down");
    snapshot("no_gold", &stage);
}

#[test]
fn a_symbol_without_gold_label_says_why() {
    let mut computed = computed(small(), true);
    let [first, second, third] = &mut computed.symbols.nonterminals[..] else {
        panic!("three nonterminals")
    };
    second.gold.clear();
    (third.decoded, third.gold) = (0, Vec::new());
    let decoded = second.decoded;
    first.gold[0].label = "IP-MAT-SPE-THT".into();
    (first.decoded, first.gold[0].purity) = (31_200, 0.87);
    let stage = stage(computed);
    let shot = stage.shot(80, 24);
    assert!(shot.contains(&format!("none of {decoded} ")), "{shot}");
    assert!(shot.contains("in no tree"), "{shot}");
    assert!(shot.contains("87 % of 31 200"), "the label is cut, not the figures: {shot}");
}

#[test]
fn symbols_are_filtered_and_sorted() {
    let mut stage = stage(computed(small(), true));
    stage.command("filter");
    stage.type_text("vp");
    assert_eq!(stage.screen.order, [1, 2]);
    stage.type_text("xyz");
    assert!(stage.shot(80, 24).contains("no symbol fits"));
    stage.update(Input::LeaveField);
    command(&mut stage, "filter");
    assert!(stage.shot(80, 24).ends_with(": vpxyz"), "a field that is left keeps its text");
    stage.press(KeyCode::Esc);
    command(&mut stage, "clear");
    assert_eq!(stage.screen.order.len(), 3);
    command(&mut stage, "sort");
    assert!(stage.shot(200, 60).contains("by purity"));
}

#[test]
fn the_other_kind_of_symbols_begins_at_its_first() {
    let mut stage = stage(computed(small(), true));
    command(&mut stage, "last");
    command(&mut stage, "kind");
    assert_eq!(stage.screen.at, 0);
    assert!(stage.shot(80, 24).contains("Preterminals 1/"));
}

#[test]
fn no_field_opens_where_there_is_nothing_to_filter() {
    let mut stage = Stage::with_run(Grammar::default(), 1);
    let effects = stage.command("filter");
    assert!(!stage.screen.editing() && !said(&effects).is_empty());
}

#[test]
fn a_symbol_leads_to_the_sentences_that_use_it() {
    let mut stage = stage(computed(small(), true));
    let effects = command(&mut stage, "sentences");
    let [Effect::Open(ScreenId::Parses, Target::Sentences { title, indices })] = &effects[..]
    else {
        panic!("{effects:?}");
    };
    assert_eq!((title.as_str(), &indices[..]), ("with N0 at step 1200", &[0, 1, 2][..]));
}

#[test]
fn a_symbol_that_no_tree_has_leads_nowhere() {
    let mut stage = stage(computed(FakeParser::random(3, 50, 6, 7, 3.0, 2), true));
    command(&mut stage, "kind");
    command(&mut stage, "last");
    assert!(said(&command(&mut stage, "sentences"))[0].contains("no tree has"));
}

#[test]
fn thousands_of_symbols_are_drawn_as_quickly_as_a_few() {
    let mut stage = stage(computed(FakeParser::random(4500, 9000, 2, 7, 1.0, 1), true));
    command(&mut stage, "kind");
    command(&mut stage, "last");
    let shot = stage.shot(80, 24);
    assert!(shot.contains("Preterminals 9000/9000"), "{shot}");
}

#[test]
fn another_run_starts_afresh_and_late_results_of_the_old_one_are_dropped() {
    let mut stage = stage(computed(small(), true));
    stage.shared.runs.push(crate::workbench::shared::RunEntry::new(RunId(2), "runs/b".into()));
    stage.shared.selected = Some(RunId(2));
    let counts = |effects: &[Effect]| {
        effects.iter().any(|e| matches!(e, Effect::Spawn(task) if task.kind == "symbols"))
    };
    assert!(!counts(&stage.update(Input::Selection)), "its family is not known yet");
    stage.shared.listed = true;
    assert!(counts(&stage.update(Input::Selection)));
    stage.deliver("symbols", computed(small(), true));
    assert!(stage.screen.computed.is_none());
}

#[test]
fn symbols_of_ngrams_are_never_counted() {
    let mut stage = Stage::with_run(Grammar::default(), 1);
    let mut config = crate::config::Config::default();
    config.model.family = crate::config::Family::Ngram;
    stage.shared.runs[0].config = Some(config);
    let mut effects = stage.update(Input::Shown);
    effects.extend(stage.command("refresh"));
    assert!(!effects.iter().any(|e| matches!(e, Effect::Spawn(_))), "{effects:?}");
    assert!(stage.shot(80, 24).contains("an n-gram model has no symbols"));
}

#[test]
fn states_show_their_words_their_neighbours_and_gold_tags() {
    let mut stage = stage(of_states(4, true));
    snapshot("states", &stage);
    command(&mut stage, "down");
    let shot = stage.shot(80, 24);
    assert!(shot.contains("V-measure") && !shot.contains("nonterminals"), "{shot}");
    for _ in 0..6 {
        command(&mut stage, "scroll-down");
    }
    let shot = stage.shot(80, 24);
    assert!(shot.contains("predecessors") && shot.contains("tags, %"), "{shot}");
}

#[test]
fn transitions_among_the_states_are_a_map_with_its_key() {
    let mut stage = stage(of_states(12, false));
    command(&mut stage, "kind");
    let shot = stage.shot(80, 24);
    assert!(shot.contains("p(column | row)"), "{shot}");
    stage.theme = Theme::new(ThemeName::Mono, true);
    snapshot("transitions", &stage);
    command(&mut stage, "kind");
    assert!(stage.shot(80, 24).contains("successors"));
}

#[test]
fn a_state_that_no_word_has_leads_nowhere_and_a_used_one_to_its_sentences() {
    let mut stage = stage(of_states(50, true));
    let effects = command(&mut stage, "sentences");
    assert!(
        matches!(&effects[..], [Effect::Open(_, Target::Sentences { title, .. })] if title.starts_with("with S")),
        "{effects:?}"
    );
    command(&mut stage, "last");
    assert!(stage.shot(80, 24).contains("of no word"));
    assert!(said(&command(&mut stage, "sentences"))[0].contains("likeliest state of no word"));
}

#[test]
fn a_model_without_symbols_says_so() {
    let stage = stage(of_states(0, true));
    assert!(stage.shot(80, 24).contains("has no symbols"));
}

#[test]
fn from_an_hmm_to_a_grammar_the_kinds_follow() {
    let mut stage = stage(of_states(4, true));
    assert_eq!(stage.screen.kind, Kind::States);
    let effects = stage.deliver("symbols", computed(small(), true));
    stage.settle(effects);
    assert_eq!(stage.screen.kind, Kind::Nonterminals);
}
