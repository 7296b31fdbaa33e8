//! Bagging, boosting and what belongs to them, from the command line.

use crate::call::rankspace;
use crate::shared::shared;
use rankspace::analysis::conflicts::{Unit, Variation};
use rankspace::analysis::noise::{Kind, Planting};
use rankspace::ensemble::fingerprint;
use rankspace::ensemble::ledger::{Entry, Ledger, Verdict};
use rankspace::evaluation::{Constituent, Constituents};
use rankspace::report::{Metrics, SCHEMA};
use rankspace::run::{KeptRound, RunFolder, Timeline};
use rankspace::treebank::{Reader, Tree, read_file, sample};
use std::path::Path;
use std::sync::Arc;

/// Short trees of the bundled sample, so that everything is quick.
fn write_trees(path: &Path, file: &str, count: usize) {
    let (name, text) = sample::read(file).expect("it is bundled");
    let trees = Reader::new(text.as_bytes(), name).map(|tree| tree.expect("well formed"));
    let short = trees.filter(|tree| tree.len() < 9).take(count);
    let lines: String = short.map(|tree| format!("{tree}\n")).collect();
    std::fs::write(path, lines).expect("writes");
}

fn base() -> tempfile::TempDir {
    let base = tempfile::tempdir().expect("a temporary folder");
    write_trees(&base.path().join("train.mrg"), "train", 60);
    write_trees(&base.path().join("test.mrg"), "test", 15);
    base
}

fn call(base: &Path, command: &str) -> crate::call::Call {
    rankspace(command).within(base)
}

/// What a run came to, without the clock.
fn essence(folder: &Path) -> Vec<(u64, Option<f64>, Metrics)> {
    let folder = RunFolder::open(folder).expect("a run folder");
    let rounds = folder.kept_rounds().expect("reads");
    let told = Timeline::of(&folder.events().expect("reads"));
    let told: Vec<_> = told.rounds().iter().map(|r| (r.round, r.metrics.clone())).collect();
    let kept: Vec<_> = rounds.iter().map(|r| (r.number, r.metrics.clone())).collect();
    assert_eq!(told, kept, "events and files say the same");
    rounds
        .into_iter()
        .map(|KeptRound { number, vote, metrics, .. }| (number, vote, metrics))
        .collect()
}

#[test]
fn an_ensemble_killed_after_any_round_goes_on_to_the_same_figures() {
    let base = base();
    let base = base.path();
    for kind in ["bag", "boost"] {
        let command =
            format!("{kind} --train train.mrg --test test.mrg --rounds 3 --set seed=5 --out");
        let whole = format!("{kind}-whole");
        let ran = call(base, &command).arg(&whole).succeeds();
        ran.prints("finished at step 3").prints("single parser").prints("p = ");
        let killed = format!("{kind}-killed");
        let mut running = call(base, &command).arg(&killed).starts();
        running.says("round 1  ");
        running.signal(libc::SIGKILL);
        let _ = running.ends();
        call(base, "resume").arg(&killed).succeeds().prints("finished at step 3");
        assert_eq!(essence(&base.join(&killed)), essence(&base.join(&whole)), "{kind}");
        // A round that was complete but for its last file is told again, and counts once.
        let last = base.join(&killed).join("rounds/003.json");
        std::fs::remove_file(&last).expect("it is there");
        call(base, "resume").arg(&killed).succeeds();
        assert_eq!(essence(&base.join(&killed)), essence(&base.join(&whole)), "{kind}");
    }
}

#[test]
fn the_files_of_a_run_hold_what_screens_draw() {
    let base = base();
    let command = "boost --train train.mrg --test test.mrg --rounds 2 --out run --json";
    let object = call(base.path(), command).succeeds().json();
    assert_eq!(object["rounds"].as_array().map(Vec::len), Some(2));
    for row in ["single_parser", "initial", "best_by_train", "final"] {
        assert!(object["table"][row]["test"]["f1"].is_number(), "{row}: {object}");
    }
    let folder = RunFolder::open(&base.path().join("run")).expect("a run folder");
    let train = folder.kept_part("train").expect("reads").expect("there");
    let part = train.part("train").expect("whole trees");
    for round in folder.kept_rounds().expect("reads") {
        let weights = folder.kept_weights(round.number).expect("reads");
        assert!((weights.before.iter().sum::<f64>() - 1.0).abs() < 1e-9);
        assert_eq!(weights.agreements.len(), train.sentences.len());
        let analyses = folder.kept_analyses(round.number, "train").expect("reads");
        assert_eq!(analyses.agreements(), weights.agreements);
        let tree = analyses.tree(0, &part).expect("over the same words");
        assert_eq!(tree.words(), part.sentences[0].tree.words());
    }
    assert!(folder.kept_part("dev").expect("reads").is_none());
    let original = std::fs::read_to_string(base.path().join("train.mrg")).expect("reads");
    let first = Reader::new(original.as_bytes(), "x").next().expect("a tree").expect("whole");
    assert_eq!(
        (train.sentences[0].hash.clone(), train.sentences[0].line),
        (fingerprint(&first), 1)
    );
}

#[test]
fn a_run_is_not_gone_on_with_when_its_parser_or_its_corpus_has_changed() {
    let base = base();
    let command = "boost --train train.mrg --rounds 1 --out run";
    call(base.path(), command).succeeds();
    let config = base.path().join("run/config.toml");
    let more = std::fs::read_to_string(&config).expect("reads").replace("rounds = 1", "rounds = 2");
    let other = more.replace("vertical = 2", "vertical = 1");
    assert_ne!(more, other);
    std::fs::write(&config, other).expect("writes");
    call(base.path(), "resume run")
        .fails()
        .complains("parser.vertical is 1, and its rounds were made with 2: put it back")
        .complains("stays finished");
    std::fs::write(&config, more).expect("writes");
    write_trees(&base.path().join("train.mrg"), "test", 60);
    call(base.path(), "resume run").fails().complains("sentences differ from those");
}

#[test]
fn settings_that_make_no_sense_are_refused_before_a_folder_is_made() {
    let base = base();
    let base = base.path();
    call(base, "boost --train train.mrg --set ensemble.round=3 --out run")
        .refused()
        .complains("did you mean `rounds`");
    call(base, "boost --rounds 3 --out run").refused();
    call(base, "boost --train train.mrg --update sometimes --out run").refused();
    call(base, "bag --train train.mrg --rounds 0 --out run").refused();
    assert!(!base.join("run").exists());
    std::fs::write(base.join("text.txt"), "no trees here\n").expect("writes");
    call(base, "bag --train text.txt --out text").fails().complains("has no trees");
}

#[test]
fn settings_that_nothing_reads_are_told() {
    let base = base();
    let base = base.path();
    call(
        base,
        "bag --train train.mrg --rounds 1 --set parser.beam=3 --set ensemble.update=literal",
    )
    .succeeds()
    .complains("the parser treebank-pcfg does not use parser.beam (only shift-reduce does)")
    .complains("bag does not use ensemble.update (only boost does)");
    let perceptron =
        "--set parser.family=shift-reduce --set parser.passes=1 --set parser.prune=0.1";
    call(base, "learning-curve --train train.mrg --test test.mrg --sizes 20")
        .args(perceptron)
        .succeeds()
        .complains("the parser shift-reduce does not use parser.prune (only treebank-pcfg does)");
}

#[test]
fn planted_errors_are_scored_and_a_perfect_ranking_is_perfect() {
    let base = base();
    let base = base.path();
    call(base, "noise plant train.mrg --share 20 --seed 3 --out noise")
        .succeeds()
        .prints("errors in");
    call(base, "noise plant train.mrg --out noise").fails().complains("nothing is overwritten");
    let planted = std::fs::read_to_string(base.join("noise/planted.tsv")).expect("reads");
    let noisy: Vec<String> = lines(&base.join("noise/noisy.mrg"));
    let clean: Vec<String> = lines(&base.join("noise/clean.mrg"));
    assert_eq!((noisy.len(), clean.len()), (60, 60));
    let mut wrong = Vec::new();
    for row in planted.lines().skip(1) {
        let fields: Vec<&str> = row.split('\t').collect();
        let sentence: usize = fields[0].parse().expect("a number");
        assert_ne!(noisy[sentence], clean[sentence]);
        wrong.push(sentence);
    }
    let mut order = wrong.clone();
    order.extend((0..60).filter(|i| !wrong.contains(i)));
    let row = |(i, s): (usize, &usize)| format!("{}\t{s}\t{}\n", i + 1, 1.0 / (i + 1) as f64);
    let table: String = order.iter().enumerate().map(row).collect();
    std::fs::write(base.join("ranking.tsv"), table).expect("writes");
    let scores = call(base, "noise score ranking.tsv noise/planted.tsv --json").succeeds().json();
    assert_eq!(scores["all"]["average_precision"], 1.0);
    assert_eq!(scores["all"]["planted"], wrong.len());
    call(base, "noise score noise/planted.tsv ranking.tsv").fails().complains("line 1");
}

fn lines(path: &Path) -> Vec<String> {
    std::fs::read_to_string(path).expect("reads").lines().map(str::to_owned).collect()
}

#[test]
fn the_noise_table_has_every_detector_and_goes_on_where_it_was() {
    let base = base();
    let base = base.path();
    let command = "noise table train.mrg --share 20 --seeds 2 --rounds 2 --folds 3 --out table";
    let mut first = call(base, command).succeeds();
    for name in [
        "random",
        "cross-validation",
        "bag-disagreement",
        "boosting+conflicts",
        "slips",
        "combined",
    ] {
        first = first.prints(name);
    }
    let ranking = base.join("table/share-20-seed-1/rankings/boosting.tsv");
    let kept = std::fs::read(&ranking).expect("reads");
    std::fs::remove_file(&ranking).expect("removes");
    let again = call(base, command).succeeds();
    assert_eq!(again.stdout, first.stdout);
    assert_eq!(std::fs::read(&ranking).expect("made again"), kept);
    call(base, "noise table train.mrg --share 20 --rounds 3 --out table")
        .fails()
        .complains("begun with other settings");
}

#[test]
fn conflicts_show_nuclei_with_their_places() {
    let base = tempfile::tempdir().expect("a temporary folder");
    let base = base.path();
    let trees = "(TOP (S (V saw) (NP (NP (N men)) (PP (P in) (N town)))))\n\
                 (TOP (S (V saw) (NP (N men)) (PP (P in) (N town))))\n\
                 (TOP (S (V saw) (NP (N men)) (PP (P in) (N town))))\n";
    std::fs::write(base.join("a.mrg"), trees).expect("writes");
    let told = call(base, "conflicts a.mrg").succeeds();
    told.prints("men in town: NIL 2, NP 1 (context 1").prints("(2 copies)");
    let units = call(base, "conflicts a.mrg --unit all --sentence 0 --json").succeeds().json();
    assert_eq!(units.as_array().map(Vec::len), Some(4));
    let first = &units[0]["shown"][0];
    assert_eq!(first["counts"]["NIL"], 2);
    assert_eq!(first["occurrences"][0]["line"], 1);
    call(base, "conflicts a.mrg --sentence 9").fails().complains("no sentence 9");
    // Of several files a number leads nowhere.
    std::fs::copy(base.join("a.mrg"), base.join("b.mrg")).expect("copied");
    let both = call(base, "conflicts a.mrg b.mrg").succeeds();
    assert!(both.stdout.contains(" a.mrg:1 ") || both.stdout.contains(" b.mrg:1 "), "{both}");
}

#[test]
fn conflicts_find_nine_of_ten_planted_systematic_flips() {
    let Some(path) = shared("data/treebanks/gum-open/train.mrg") else { return };
    let trees = read_file(&path).expect("reads").trees;
    let trees: Vec<Arc<Tree>> = trees.into_iter().map(Arc::new).collect();
    let (mut planted, mut found) = (0, 0);
    for seed in 0..3 {
        let planting = Planting { share: 0.02, kinds: vec![Kind::Systematic], seed };
        let noisy = planting.plant(&trees);
        let variation = Variation::find(&noisy.trees, Unit::Yield);
        for error in &noisy.errors {
            let [before, after] = [&trees, &noisy.trees].map(|t| {
                Constituents::full(&t[error.sentence]).iter().cloned().collect::<Vec<_>>()
            });
            // What is there no more, taken away or relabelled.
            let gone = before.iter().find(|c| {
                let count = |list: &[Constituent]| list.iter().filter(|x| x == c).count();
                count(&before) > count(&after)
            });
            let gone = gone.expect("a bracket was flipped");
            let labels = variation
                .of_sentence(error.sentence as u32)
                .into_iter()
                .filter(|(_, p)| (p.start, p.end) == (gone.start, gone.end));
            let bare = gone.label.split(['-', '=']).next().expect("a label");
            let tells = labels.into_iter().any(|(nucleus, _)| {
                let counts = variation.counts(&variation.nuclei()[nucleus]);
                counts.keys().any(|label| label.split(['-', '=']).next() == Some(bare))
            });
            planted += 1;
            found += usize::from(tells);
        }
    }
    assert!(planted > 100, "{planted}");
    assert!(found * 10 >= planted * 9, "{found} of {planted}");
}

#[test]
fn weak_learning_writes_the_stable_corpus_that_boosting_takes() {
    let base = base();
    let base = base.path();
    let command = "boost weak-learning train.mrg --one --stable stable.mrg --table t.tsv --json";
    let object = call(base, command).succeeds().json();
    let counts = &object["variants"][0]["counts"];
    let failed = counts["failed"].as_u64().expect("a number") as usize;
    assert_eq!(lines(&base.join("stable.mrg")).len(), 60 - failed);
    let table = lines(&base.join("t.tsv"));
    assert_eq!(table.iter().filter(|l| l.contains("\tfailed\t")).count(), failed);
    call(base, "boost --train stable.mrg --rounds 1 --out run").succeeds();
    call(base, "boost weak-learning train.mrg").succeeds().prints("v=2 h=all, annotated tags");
}

#[test]
fn the_learning_curve_grows_with_its_sizes() {
    let base = base();
    let base = base.path();
    let command =
        "learning-curve --train train.mrg --test test.mrg --sizes 5,20,60 --json --svg c.svg";
    let object = call(base, command).succeeds().json();
    let curve = object["curve"].as_array().expect("a list");
    let sizes: Vec<_> = curve.iter().map(|p| p["sentences"].as_u64()).collect();
    assert_eq!(sizes, [Some(5), Some(20), Some(60)]);
    let f1 = |i: usize| curve[i]["f1"].as_f64().expect("a number");
    assert!(f1(2) > f1(0), "{object}");
    assert!(curve[0]["gain_of_doubling"].is_null() && curve[1]["gain_of_doubling"].is_number());
    assert!(lines(&base.join("c.svg"))[0].starts_with("<svg"));
    call(base, "learning-curve --train train.mrg --sizes 5").fails().complains("--test");
}

#[test]
fn everything_that_induces_parsers_takes_the_one_of_the_settings() {
    let base = base();
    let base = base.path();
    let parser = "--set parser.family=shift-reduce --set parser.passes=2 --set parser.beam=4";
    for kind in ["bag", "boost"] {
        let command = format!("{kind} --train train.mrg --test test.mrg --rounds 2 {parser} --out");
        let [one, other] = [1, 2].map(|n| format!("{kind}-{n}"));
        call(base, &command).arg(&one).succeeds().prints("finished at step 2");
        call(base, &command).arg(&other).succeeds();
        assert_eq!(essence(&base.join(one)), essence(&base.join(other)), "{kind}");
    }
    let curve = format!("learning-curve --train train.mrg --test test.mrg --sizes 30 {parser}");
    let [grammar, perceptron] = [curve.replace(parser, ""), curve]
        .map(|command| call(base, &command).arg("--json").succeeds().json()["curve"][0].clone());
    assert!(perceptron["f1"].is_number() && perceptron["f1"] != grammar["f1"], "{perceptron}");
    call(base, &format!("boost weak-learning train.mrg --one {parser}")).succeeds();
    call(base, "noise table train.mrg --share 20 --seeds 1 --rounds 2 --folds 2 --out table")
        .args(parser)
        .succeeds()
        .prints("boosting+conflicts");
}

#[test]
fn a_ledger_becomes_a_table_a_corrected_copy_and_a_diff() {
    let base = base();
    let base = base.path();
    let text = std::fs::read_to_string(base.join("train.mrg")).expect("reads");
    let trees: Vec<_> =
        Reader::new(text.as_bytes(), "train.mrg").map(|t| t.expect("whole")).take(3).collect();
    std::fs::create_dir(base.join("run")).expect("creates");
    let mut ledger = Ledger::open(&base.join("run/verdicts.jsonl")).expect("empty");
    let words = |i: usize| -> String {
        let all = trees[i].words().iter().zip(trees[i].tags());
        all.map(|(w, t)| format!("({t} {w})")).collect::<Vec<_>>().join(" ")
    };
    for (sentence, verdict, proposal) in [
        (1, Verdict::Error, Some(format!("(TOP (S {}))", words(1)))),
        (2, Verdict::Error, Some(format!("(TOP (S {}))", words(1)))),
        (0, Verdict::Correct, None),
    ] {
        let entry = Entry {
            schema: SCHEMA,
            file: "train.mrg".into(),
            sentence,
            hash: fingerprint(&trees[sentence]),
            rank: None,
            weight: None,
            span: None,
            analysis: None,
            verdict,
            note: "why\tnot".into(),
            proposal,
            withdrawn: false,
            time: 0.0,
        };
        ledger.add(entry).expect("writes");
    }
    let ran = call(base, "ledger export run --out out").succeeds();
    ran.prints("3 verdicts, 1 tree corrected, 1 proposal refused")
        .complains("train.mrg, sentence 2: the proposal has other words");
    let copy = std::fs::read_to_string(base.join("out/corrected/train.mrg")).expect("reads");
    let changed: Vec<usize> = copy
        .lines()
        .zip(text.lines())
        .enumerate()
        .filter(|(_, (a, b))| a != b)
        .map(|(i, _)| i)
        .collect();
    assert_eq!(changed, [1]);
    let diff = std::fs::read_to_string(base.join("out/corrections.diff")).expect("reads");
    assert!(diff.starts_with("--- a/train.mrg\n+++ b/train.mrg\n@@ -1,5 +1,5 @@\n"), "{diff}");
    assert_eq!(lines(&base.join("out/verdicts.tsv")).len(), 4);
    assert_eq!(std::fs::read_to_string(base.join("train.mrg")).expect("reads"), text);
}

#[test]
fn what_boosting_pushes_up_is_listed_for_people_and_for_the_scoring_of_rankings() {
    let base = base();
    let base = base.path();
    call(base, "noise plant train.mrg --share 20 --seed 3 --out noise").succeeds();
    let boost = "boost --train noise/noisy.mrg --test test.mrg --rounds 3 --out run";
    call(base, boost).succeeds();
    for by in [
        "boosting",
        "boosting+conflicts",
        "slips",
        "combined",
        "variation",
        "mean-error",
        "error-variance",
    ] {
        let ran = call(base, &format!("boost ranking run --by {by}")).succeeds();
        let rows: Vec<Vec<&str>> =
            ran.stdout.lines().skip(1).map(|line| line.split('\t').collect()).collect();
        assert_eq!(rows.len(), 60, "{by}");
        let scores: Vec<f64> = rows.iter().map(|r| r[2].parse().expect("a number")).collect();
        assert!(scores.is_sorted_by(|a, b| a >= b), "{by}: {scores:?}");
        if by == "boosting" {
            // Multiples of the weight that all have at first.
            let mean = scores.iter().sum::<f64>() / 60.0;
            assert!((mean - 1.0).abs() < 1e-9 && scores[0] > 1.0, "{scores:?}");
        }
        std::fs::write(base.join("ranking.tsv"), &ran.stdout).expect("writes");
        let scored = call(base, "noise score ranking.tsv noise/planted.tsv --json").succeeds();
        assert!(scored.json()["all"]["average_precision"].is_f64(), "{by}");
    }
    // Figures of a part of a ranking would flatter it.
    let part = call(base, "boost ranking run --top 5").succeeds().stdout;
    std::fs::write(base.join("part.tsv"), &part).expect("writes");
    let refused = call(base, "noise score part.tsv noise/planted.tsv").fails();
    refused.complains("part.tsv: not ranked").complains("without --top");
    let twice = format!("{part}{}", part.lines().nth(1).expect("a row"));
    std::fs::write(base.join("twice.tsv"), twice).expect("writes");
    let refused = call(base, "noise score twice.tsv noise/planted.tsv").fails();
    refused.complains("is ranked twice");
    let trees = call(base, "boost ranking run --top 2 --trees").succeeds();
    assert_eq!(trees.stdout.matches("annotated  (").count(), 2, "{trees}");
    assert_eq!(trees.stdout.matches("analysed   (").count(), 2, "{trees}");
    trees.complains("2 of 60 sentences by boosting, after 3 rounds; sentences are counted from 0");
    call(base, "boost ranking run --by slips --top 1 --trees")
        .succeeds()
        .prints("slip       ")
        .prints(" nats)");
    call(base, "boost ranking train.mrg").fails();
    call(base, "boost ranking run --by weight").refused().complains("boosting+conflicts");
}

#[test]
fn what_is_no_ledger_no_parser_or_no_curve_is_told_with_what_is() {
    let base = base();
    let base = base.path();
    call(base, "boost --train train.mrg --test test.mrg --rounds 2 --out run").succeeds();
    call(base, "ledger export train.mrg --out x").fails().complains("this is no ledger: ");
    assert!(!base.join("x").exists());
    let ran = call(base, "grammar parse run test.mrg").refused();
    ran.complains("run is a run of boost, which keeps no parser");
    call(base, "curves run").refused().complains("run is a run of boost, which has rounds");
    call(base, "noise table train.mrg --folds 1 --out n").refused().complains("from 2 to 1000");
    call(base, "plan run/config.toml").refused().complains("a run of boost has no orders");
    let ranking = || call(base, "boost ranking run --top 3").succeeds();
    let quiet = ranking();
    assert!(!quiet.stderr.contains("warning"), "{quiet}");
    // Its lines are others from now on.
    let text = std::fs::read_to_string(base.join("train.mrg")).expect("there");
    std::thread::sleep(std::time::Duration::from_millis(20));
    std::fs::write(base.join("train.mrg"), &text[text.find('\n').expect("lines") + 1..])
        .expect("written");
    ranking().complains("was written to since the run read it");
    std::fs::remove_file(base.join("train.mrg")).expect("removed");
    ranking().complains("is no longer there");
}

#[test]
fn boosting_one_sentence_says_why_it_ends() {
    let base = base();
    write_trees(&base.path().join("one.mrg"), "train", 1);
    let ran = call(base.path(), "boost --train one.mrg --rounds 3 --out run").succeeds();
    ran.complains("as one sentence has no others to be weighed against");
}
