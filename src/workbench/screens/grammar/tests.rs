use super::*;
use crate::analysis::fake::{FakeChain, FakeParser};
use crate::analysis::{Alignment, Symbols, symbols};
use crate::model::Parser;
use crate::run::Snapshot;
use crate::treebank::{LabelledSpan, Preprocessing, Sentence, Vocabulary};
use crate::workbench::news::Outcome;
use crate::workbench::popup::{Answer, Popup};
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
        symbols: Arc::new(symbols),
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
fn who_comes_back_sees_the_newest_weights_and_who_stays_is_told_of_them() {
    let mut stage = stage(computed(small(), true));
    let step = stage.screen.computed.as_ref().map_or(0, |c| c.weights.step);
    assert!(stage.update(Input::Shown).is_empty(), "nothing newer is known");
    stage.shared.runs[0].history.checkpoints.insert("best".into(), step + 1200);
    let head = stage.shot(80, 24);
    let count = crate::workbench::text::count;
    let told = format!("step {}, now {} (r)", count(step), count(step + 1200));
    assert!(head.contains(&told), "{told}: {head}");
    let effects = stage.update(Input::Shown);
    assert!(matches!(&effects[..], [Effect::Spawn(task)] if task.kind == "symbols"), "{effects:?}");
    assert!(stage.shot(80, 24).contains("N0"), "what was listed stays until then");
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
    let symbols = Arc::get_mut(&mut computed.symbols).expect("nobody else has them");
    let [first, second, third] = &mut symbols.nonterminals[..] else {
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
    let [Effect::Open(ScreenId::Parses, Target::Sentences { title, indices, spans, step: 1200 })] =
        &effects[..]
    else {
        panic!("{effects:?}");
    };
    // It covers whole sentences.
    assert_eq!(spans[..2], [vec![(0, 3)], vec![(0, 5), (3, 5)]]);
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
fn thousands_of_symbols_are_listed_searched_and_drawn_within_a_frame() {
    let mut stage = stage(computed(FakeParser::random(4500, 9000, 2, 7, 1.0, 1), true));
    command(&mut stage, "kind");
    command(&mut stage, "last");
    let shot = stage.shot(80, 24);
    assert!(shot.contains("Preterminals 9000/9000"), "{shot}");
    // Tasks run on other threads: what counts is the answer to a key, and the frame.
    let mut times = Vec::new();
    for name in ["up", "page-up", "sort", "first", "sort", "last", "kind", "down", "sort", "kind"] {
        let start = std::time::Instant::now();
        stage.command(name);
        stage.buffer(200, 60);
        times.push(start.elapsed());
    }
    stage.command("filter");
    for letter in ["T", "8", "9"] {
        let start = std::time::Instant::now();
        stage.type_text(letter);
        stage.buffer(200, 60);
        times.push(start.elapsed());
    }
    assert!(stage.shot(200, 60).contains("/111 "), "T89, T189, …, T890 to T899, T8900 and so on");
    times.sort();
    println!("a key and a frame with 9000 symbols: {:.1?}", times[times.len() / 2]);
    let budget = std::time::Duration::from_millis(33);
    assert!(times[times.len() / 2] < budget, "{times:?}");
}

#[test]
fn similar_symbols_are_listed_by_how_far_their_rules_or_words_are_apart() {
    let mut stage = stage(computed(small(), true));
    let shot = stage.shot(200, 60);
    assert!(shot.contains("similar symbols, by rules · distance, 0 the same"), "{shot}");
    let found = &stage.screen.similar[&(Kind::Nonterminals, 0)];
    assert!(found.len() == 2 && found[0].divergence <= found[1].divergence);
    let first = format!("{:>7.3}  N{}", found[0].divergence, found[0].symbol);
    assert!(shot.contains(&first), "{first}: {shot}");
    command(&mut stage, "kind");
    assert!(stage.shot(200, 60).contains("similar symbols, by words"));
    let symbol = stage.screen.symbol().expect("one is selected");
    assert_eq!(stage.screen.similar[&(Kind::Preterminals, symbol)].len(), 4);
}

/// The symbols of another grammar on the same sentences, beside those in view.
fn compared(stage: &Stage<Grammar>, parser: FakeParser) -> Compared {
    let one = stage.screen.computed.as_ref().expect("computed");
    let mut go_on = |_, _| ControlFlow::Continue(());
    let symbols = symbols(&parser, &one.weights.vocabulary, &sentences(true), &mut go_on)
        .expect("parses")
        .expect("not stopped");
    Compared {
        run: RunId(1),
        name: "seed-2".into(),
        step: 1000,
        origin: Origin::Best,
        alignment: Alignment::new(&one.symbols, &symbols),
        symbols,
    }
}

/// The screen with a second run that is chosen to align with.
fn aligning() -> Stage<Grammar> {
    let mut stage = stage(computed(small(), true));
    let mut other = crate::workbench::shared::RunEntry::new(RunId(2), "runs/seed-2".into());
    other.config = Some(crate::config::Config { seed: 2, ..Default::default() });
    stage.shared.runs.push(other);
    let effects = stage.command("align");
    let [Effect::Popup(Popup::List { id: align::ALIGN, items, .. })] = &effects[..] else {
        panic!("{effects:?}");
    };
    assert_eq!((items.len(), items[0].name.as_str()), (1, "seed-2"));
    assert!(items[0].description.contains("seed 2"), "{items:?}");
    let answer = Answer::Item(0);
    let effects = stage.update(Input::Answer { popup: align::ALIGN, answer: &answer });
    assert!(matches!(&effects[..], [Effect::Spawn(task)] if task.kind == align::ALIGN));
    assert!(stage.shot(80, 24).contains("aligning with seed-2"));
    stage
}

#[test]
fn symbols_stand_beside_those_of_another_run_that_do_the_same() {
    let mut stage = aligning();
    let other = compared(&stage, FakeParser::random(2, 4, 6, 7, 3.0, 5));
    let effects = stage.deliver(align::ALIGN, other);
    stage.settle(effects);
    snapshot("aligned", &stage);
    while stage.screen.sort != Sort::Partner {
        command(&mut stage, "sort");
    }
    let f1 = |stage: &Stage<Grammar>| -> Vec<f64> {
        let matched = stage.screen.matched().expect("aligned");
        stage.screen.order.iter().map(|&i| matched.rows[i].f1()).collect()
    };
    assert!(f1(&stage).is_sorted_by(|a, b| a >= b), "{:?}", f1(&stage));
    command(&mut stage, "kind");
    assert!(stage.shot(200, 60).contains("V-measure"), "{}", stage.shot(200, 60));
    // Back to the symbol, which now tells where it went.
    command(&mut stage, "align");
    let shot = stage.shot(200, 60);
    assert!(shot.contains("in seed-2, step 1 000 (best)"), "{shot}");
    command(&mut stage, "align");
    assert!(stage.shot(80, 24).contains("one-to-one"));
}

#[test]
fn with_new_weights_the_alignment_is_made_again_and_a_failed_one_is_forgotten() {
    let mut stage = aligning();
    let other = compared(&stage, small());
    stage.deliver(align::ALIGN, other);
    let effects = stage.deliver("symbols", computed(small(), true));
    assert!(effects.iter().any(|e| matches!(e, Effect::Spawn(t) if t.kind == align::ALIGN)));
    stage.report(align::ALIGN, Outcome::Failed("seed-2 has no symbols".into()));
    assert!(stage.shot(80, 24).contains("Nonterminals 1/3"), "the list is back");
    stage.shared.runs.truncate(1);
    assert!(said(&stage.command("align"))[0].contains("no other run"));
}

#[test]
fn a_grammar_is_aligned_with_an_hmm_by_words_alone() {
    let mut stage = aligning();
    let one = stage.screen.computed.as_ref().expect("computed");
    let chain = of_states(4, true);
    let symbols = Symbols::clone(&chain.symbols);
    let other = Compared {
        run: RunId(1),
        name: "hmm".into(),
        step: 7,
        origin: Origin::Last,
        alignment: Alignment::new(&one.symbols, &symbols),
        symbols,
    };
    stage.deliver(align::ALIGN, other);
    assert!(stage.shot(80, 24).contains("one of the two has no phrases"));
    command(&mut stage, "kind");
    let shot = stage.shot(80, 24);
    assert!(shot.contains(" S0 ") && shot.contains("beside hmm"), "{shot}");
}

#[test]
fn symbols_and_alignments_are_exported_in_every_format() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut stage = aligning();
    stage.shared.runs[0].path = folder.path().to_owned();
    let other = compared(&stage, FakeParser::random(2, 4, 6, 7, 3.0, 5));
    stage.deliver(align::ALIGN, other);
    let export = |stage: &mut Stage<Grammar>, format: usize| -> String {
        assert!(matches!(&stage.command("export")[..], [Effect::Popup(_)]));
        let answer = Answer::Item(format);
        let effects = stage.update(Input::Answer { popup: exporting::EXPORT, answer: &answer });
        let told = said(&stage.settle(effects));
        let path = told[0].strip_prefix("written to ").expect("written");
        std::fs::read_to_string(path).expect("readable")
    };
    assert!(export(&mut stage, 0).starts_with("symbol,count,gold,purity,partner,"));
    assert!(export(&mut stage, 2).contains("\\toprule"));
    command(&mut stage, "align");
    let json = export(&mut stage, 1);
    let rows: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!(rows.as_array().map(Vec::len), Some(3));
    assert_eq!(rows[0]["symbol"], "N0");
    let files = std::fs::read_dir(folder.path().join("exports")).expect("a folder").count();
    assert_eq!(files, 3);
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
    for _ in 0..7 {
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
