//! Runs as their folders have them.

use super::*;

/// A run folder in which a tiny corpus was boosted or bagged.
pub(super) fn run_folder(base: &Path, kind: &str, rounds: usize) -> RunFolder {
    let trees = [
        "(S (NP (DT the) (NN dog)) (VP (VBD saw) (NP (DT a) (NN cat))))",
        "(S (NP (DT the) (NN dog)) (VP (VBD saw) (NP (DT a) (NN cat))) (. .))",
        "(S (NP (DT the) (NN man)) (VP (VBD saw) (NP (NP (DT a) (NN cat)) (PP (IN with) (NP (DT a) (NN dog))))))",
        "(S (NP (DT the) (NN man)) (VP (VBD saw) (NP (DT a) (NN dog)) (PP (IN with) (NP (DT a) (NN cat)))))",
        "(S (NP (NN man)) (VP (VBD saw) (NP (DT a) (NN dog)) (PP (IN with) (NP (DT a) (NN cat)))))",
        "(S (NP (DT the) (NN cat)) (VP (VBD slept)))",
        "(S (NP (DT a) (NN cat)) (VP (VBD slept)))",
        "(X (NP (DT a) (NN dog) (VBD slept)))",
    ];
    let corpus = base.join("tiny.mrg");
    folder_of(base, kind, rounds, &trees, &format!("test = [{corpus:?}]"))
}

/// The same of other trees; `data` are further settings of the data.
pub(super) fn folder_of(
    base: &Path,
    kind: &str,
    rounds: usize,
    trees: &[&str],
    data: &str,
) -> RunFolder {
    let corpus = base.join("tiny.mrg");
    std::fs::write(&corpus, trees.join("\n")).expect("writes");
    let settings = format!(
        "kind = \"{kind}\"\n[data]\ntrain = [{corpus:?}]\n{data}\n[ensemble]\nrounds = {rounds}\n"
    );
    let config = Config::from_toml("test", &settings, &[]).expect("valid");
    let folder = RunFolder::create_at(&base.join("run"), &config).expect("makes a folder");
    Job::train(config, folder).expect("starts").join();
    RunFolder::open(&base.join("run")).expect("a run folder")
}

/// The screen on a run that is in that folder.
pub(super) fn on_folder(folder: &RunFolder) -> Stage<Boost> {
    let mut stage = Stage::new(Boost::default());
    let mut run = RunEntry::new(RunId(1), folder.path().to_owned());
    run.config = Some(folder.config().expect("valid"));
    run.followed = true;
    stage.shared.runs.push(run);
    stage.shared.selected = Some(RunId(1));
    stage.shared.now = 1000.0;
    stage
}

pub(super) fn shown(folder: &RunFolder) -> Stage<Boost> {
    let mut stage = on_folder(folder);
    let effects = stage.update(Input::Shown);
    let left = stage.settle(effects);
    assert!(said(&left).is_empty(), "{left:?}");
    stage
}

#[test]
fn what_a_run_left_behind_is_ranked_and_both_trees_are_shown() {
    let base = tempfile::tempdir().expect("a temporary folder");
    let folder = run_folder(base.path(), "boost", 3);
    let stage = shown(&folder);
    let book = stage.screen.book.as_ref().expect("read");
    let weights = folder.kept_weights(3).expect("reads").after.expect("it went on");
    let heaviest = (0..weights.len()).max_by(|a, b| weights[*a].total_cmp(&weights[*b]));
    assert_eq!(stage.screen.sentence().map(|i| weights[i]), heaviest.map(|i| weights[i]));
    assert_eq!(book.rounds.len(), 3);
    let seen = stage.shot(80, 24);
    assert!(seen.contains("round 3 of 3 · 8 training sentences, 8 test"), "{seen}");
    assert!(seen.contains("update: default") && seen.contains("Annotation"), "{seen}");
    assert!(seen.contains("Analysis of round 3") && !seen.contains("reading the"), "{seen}");
}

#[test]
fn bags_are_ranked_by_what_they_get_wrong() {
    let base = tempfile::tempdir().expect("a temporary folder");
    let folder = run_folder(base.path(), "bag", 2);
    let mut stage = shown(&folder);
    let book = stage.screen.book.as_ref().expect("read");
    assert_eq!(book.rounds.len(), 3, "the single parser and two bags");
    let errors = |n| folder.kept_weights(n).expect("reads").agreements;
    let (first, second) = (errors(1), errors(2));
    let mean = |i: usize| (first[i].error() + second[i].error()) / 2.0;
    let page = &book.rounds[2];
    assert!((0..8).all(|i| (page.scores[i] - mean(i)).abs() < 1e-12));
    let seen = stage.shot(80, 24);
    assert!(seen.contains("by mean error") && seen.contains("bag 2 of 2"), "{seen}");
    stage.command("figures");
    assert!(stage.shot(80, 24).contains("distinct"), "{}", stage.shot(80, 24));
    let effects = stage.command("first");
    stage.settle(effects);
    assert!(stage.shot(80, 24).contains("single parser"));
}

#[test]
fn only_rounds_that_are_new_are_read() {
    let base = tempfile::tempdir().expect("a temporary folder");
    let folder = run_folder(base.path(), "boost", 2);
    let mut stage = shown(&folder);
    let first = stage.screen.book.as_ref().expect("read").rounds[0].clone();
    assert!(stage.update(Input::Run(RunId(1))).is_empty(), "nothing new was told");
    stage.shared.runs[0].history.checkpoints.insert("round".into(), 3);
    let effects = stage.update(Input::Run(RunId(1)));
    assert!(matches!(&effects[..], [Effect::Spawn(task)] if task.kind == "rounds"), "{effects:?}");
    stage.settle(effects);
    let again = &stage.screen.book.as_ref().expect("read").rounds;
    assert!(Arc::ptr_eq(&first, &again[0]));
    // Another run has other rounds.
    stage.shared.runs.clear();
    stage.shared.selected = None;
    stage.update(Input::Selection);
    assert!(stage.screen.book.is_none());
    assert!(stage.shot(80, 24).contains("no run is selected"));
}

#[test]
fn a_damaged_round_is_told_and_read_again_on_demand() {
    let base = tempfile::tempdir().expect("a temporary folder");
    let folder = run_folder(base.path(), "boost", 1);
    let weights = folder.rounds().join("001.weights.gz");
    let whole = std::fs::read(&weights).expect("reads");
    std::fs::write(&weights, &whole[..whole.len() / 2]).expect("writes");
    let mut stage = on_folder(&folder);
    let effects = stage.update(Input::Shown);
    let told = stage.settle(effects);
    assert!(said(&told)[0].contains("001.weights.gz"), "{told:?}");
    assert!(stage.shot(80, 24).contains("press r to try again"));
    std::fs::write(&weights, &whole).expect("writes");
    let effects = stage.command("reload");
    stage.settle(effects);
    assert!(stage.screen.book.is_some());
}

#[test]
fn rounds_before_a_damaged_one_are_shown_and_it_is_told_how_to_make_it_again() {
    let base = tempfile::tempdir().expect("a temporary folder");
    let folder = run_folder(base.path(), "boost", 3);
    for (file, bytes) in [("002.weights.gz", &b"\x1f\x8b"[..]), ("003.json", b"{")] {
        let path = folder.rounds().join(file);
        let whole = std::fs::read(&path).expect("reads");
        std::fs::write(&path, bytes).expect("writes");
        let stage = shown(&folder);
        let left = if file.starts_with("002") { 1 } else { 2 };
        assert_eq!(stage.screen.book.as_ref().map(|book| book.rounds.len()), Some(left), "{file}");
        let seen = stage.shot(400, 60);
        let number = &file[..3];
        let advice = format!("without rounds/{number}.json a resumption makes this round");
        assert!(seen.contains(&advice) && seen.contains(file), "{seen}");
        assert!(seen.contains(&format!("rounds behind {left} are left out")), "{seen}");
        std::fs::write(&path, whole).expect("writes");
    }
    std::fs::remove_file(folder.rounds().join("train.json.gz")).expect("removes");
    let mut stage = on_folder(&folder);
    let effects = stage.update(Input::Shown);
    let told = stage.settle(effects);
    assert!(said(&told)[0].contains("train.json.gz: not there"), "{told:?}");
}

#[test]
fn a_run_that_trains_a_model_has_no_rounds() {
    let mut stage = Stage::with_run(Boost::default(), 1);
    let effects = stage.update(Input::Shown);
    assert!(!effects.iter().any(|e| matches!(e, Effect::Spawn(_))), "{effects:?}");
    assert!(stage.shot(80, 24).contains("neither bags nor boosts"));
}

#[test]
fn a_run_that_ended_before_its_first_round_says_so_and_promises_none() {
    let base = tempfile::tempdir().expect("a temporary folder");
    let config = Config::from_toml("test", "kind = \"boost\"", &[]).expect("valid");
    let folder = RunFolder::create_at(&base.path().join("run"), &config).expect("makes");
    let mut stage = on_folder(&folder);
    let effects = stage.update(Input::Shown);
    stage.settle(effects);
    assert!(stage.shot(80, 24).contains("the first one comes by itself"));
    let run = &mut stage.shared.runs[0];
    run.listed_state = Some(RunState::Failed);
    run.history.reason = Some("there-is-no.mrg: no such file".into());
    let seen = stage.shot(80, 24);
    assert!(seen.contains("the run failed before its first round"), "{seen}");
    assert!(seen.contains("there-is-no.mrg: no such file") && seen.contains("7 and R"), "{seen}");
    assert!(!seen.contains("comes by itself"), "{seen}");
    stage.shared.runs[0].listed_state = Some(RunState::Stopped);
    assert!(stage.shot(80, 24).contains("the run was stopped before its first round"));
}
