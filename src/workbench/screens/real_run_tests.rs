//! The inspecting screens on a run that was really trained.

use super::corpora::Corpora;
use super::grammar::Grammar;
use super::parses::Parses;
use crate::config::{Config, Family};
use crate::report::RunState;
use crate::run::{Job, RunFolder};
use crate::workbench::names::ScreenId;
use crate::workbench::screen::{Effect, Input, Screen, Target};
use crate::workbench::stage::{Stage, said};
use crossterm::event::KeyCode;

/// A few steps of a small grammar on the bundled sample.
fn trained(family: Family) -> (tempfile::TempDir, Config) {
    let text = "\
        [data]\ntrain = \"sample:dev\"\ndev = \"sample:dev\"\nmax_length = 12\n\
        [model]\nnonterminals = 4\npreterminals = 6\nrank = 5\nembedding = 8\n\
        [training]\nepochs = 1\nmax_steps = 3\n[evaluation]\nmax_length = 12\n";
    let small = ["latent=3", "encoder=5", "encoder_embedding=6"].map(|s| format!("model.{s}"));
    let mut config = Config::from_toml("small", text, &small).expect("a config");
    config.model.family = family;
    let base = tempfile::tempdir().expect("a temporary folder");
    let folder = RunFolder::create_at(&base.path().join("run"), &config).expect("made");
    let outcome = Job::train(config.clone(), folder).expect("starts").join();
    assert_eq!(outcome.reason.as_deref().filter(|r| r.contains("fail")), None, "{outcome:?}");
    (base, config)
}

fn stage<S: Screen>(screen: S, base: &tempfile::TempDir, config: &Config) -> Stage<S> {
    let mut stage = Stage::with_run(screen, 1);
    stage.shared.runs[0].path = base.path().join("run");
    stage.shared.runs[0].config = Some(config.clone());
    let effects = stage.update(Input::Shown);
    assert!(said(&stage.settle(effects)).is_empty());
    stage
}

#[test]
fn a_trained_run_is_shown_on_parses_grammar_and_corpora() {
    let (base, config) = trained(Family::RankPcfg);

    let mut grammar = stage(Grammar::default(), &base, &config);
    let shot = grammar.shot(200, 60);
    assert!(shot.contains("step 3 (best)"), "{shot}");
    // While another process trains it, the newest weights count.
    grammar.shared.runs[0].listed_state = Some(RunState::Running);
    let effects = grammar.command("refresh");
    grammar.settle(effects);
    let shot = grammar.shot(200, 60);
    assert!(shot.contains("step 3 (last)"), "{shot}");
    assert!(shot.contains("of 4 nonterminals in use") && shot.contains("V-measure"), "{shot}");
    assert!(shot.contains("likeliest expansions"), "{shot}");
    let effects = grammar.command("sentences");
    let [Effect::Open(ScreenId::Parses, target @ Target::Sentences { indices, .. })] = &effects[..]
    else {
        panic!("{effects:?}");
    };

    let mut parses = stage(Parses::default(), &base, &config);
    let effects = parses.update(Input::Open(target));
    parses.settle(effects);
    let shot = parses.shot(200, 60);
    assert!(shot.contains(&format!("Sentences 1/{}", indices.len())), "{shot}");
    assert!(shot.contains("S-F1") && shot.contains("matched"), "{shot}");
    let effects = parses.command("analyse");
    parses.settle(effects);
    let shot = parses.shot(200, 60);
    assert!(shot.contains("weights of step 3 (best)"), "{shot}");
    parses.command("type");
    parses.type_text("The old dog sleeps.");
    let effects = parses.press(KeyCode::Enter);
    parses.settle(effects);
    let shot = parses.shot(80, 24);
    assert!(shot.contains("typed, 4 words"), "{shot}");

    // The folder alone is enough for figures of tags.
    let mut elsewhere = config.clone();
    elsewhere.data.dev.0 = vec!["gone.mrg".into()];
    let shot = stage(Grammar::default(), &base, &elsewhere).shot(200, 60);
    assert!(shot.contains("V-measure") && !shot.contains("without gold tags"), "{shot}");

    let corpora = stage(Corpora::default(), &base, &config);
    let shot = corpora.shot(80, 24);
    assert!(shot.contains("selected run") && shot.contains("train"), "{shot}");
}

#[test]
fn runs_of_every_family_of_grammars_are_shown_with_symbols_rules_and_trees() {
    for family in [Family::TdPcfg, Family::NPcfg, Family::CPcfg, Family::Lpcfg] {
        let (base, config) = trained(family);
        let shot = stage(Grammar::default(), &base, &config).shot(200, 60);
        assert!(shot.contains("of 4 nonterminals in use"), "{family:?}: {shot}");
        assert!(shot.contains("likeliest expansions"), "{family:?}: {shot}");
        let mut parses = stage(Parses::default(), &base, &config);
        let shot = parses.shot(200, 60);
        assert!(shot.contains("S-F1") && shot.contains("matched"), "{family:?}: {shot}");
        parses.command("type");
        parses.type_text("The old dog sleeps.");
        let effects = parses.press(KeyCode::Enter);
        parses.settle(effects);
        let shot = parses.shot(80, 24);
        assert!(shot.contains("typed, 4 words"), "{family:?}: {shot}");
    }
}
