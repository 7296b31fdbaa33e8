//! Commands that train, and those that use what was trained.

use crate::call::{Call, rankspace};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// A model so small that an epoch takes a moment even without optimisation.
pub const TINY: &str = "--set model.nonterminals=6 --set model.preterminals=12 --set model.rank=8 \
                        --set model.embedding=8 --set data.max_length=10 \
                        --set evaluation.max_length=10 --set training.epochs=2 --set threads=1";

/// `rankspace train` on the file `train.mrg` of a folder, with a tenth of it as dev.
pub fn tiny_training(folder: &Path) -> Call {
    let call = rankspace("train --preset sample --set data.train=train.mrg --set data.dev=[]");
    call.args("--set data.test=[]").args(TINY).within(folder)
}

/// Writes `train.mrg` and `test.mrg`.
pub fn write_corpus(folder: &Path) {
    let trees = rankspace("corpus generate --sentences 120 --seed 5 --max-length 10").succeeds();
    let lines: Vec<_> = trees.stdout.lines().collect();
    let (train, test) = lines.split_at(100);
    std::fs::write(folder.join("train.mrg"), train.join("\n")).expect("writable");
    std::fs::write(folder.join("test.mrg"), test.join("\n")).expect("writable");
}

/// A folder with a corpus and the run `run`, made once for all tests that only read it.
fn trained() -> &'static Path {
    static FOLDER: OnceLock<tempfile::TempDir> = OnceLock::new();
    let folder = FOLDER.get_or_init(|| {
        let folder = tempfile::tempdir().expect("a temporary folder");
        write_corpus(folder.path());
        let call = tiny_training(folder.path()).args("--set data.test=test.mrg --out run");
        call.succeeds();
        folder
    });
    folder.path()
}

fn number(value: &serde_json::Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("a number: {value}"))
}

#[test]
fn training_prints_one_line_an_evaluation_and_keeps_everything_in_its_folder() {
    let base = tempfile::tempdir().expect("a temporary folder");
    write_corpus(base.path());
    let ran = tiny_training(base.path()).args("--set data.test=test.mrg").succeeds();
    let dev = ran.stdout.lines().filter(|l| l.starts_with("epoch ") && l.contains("  dev  "));
    assert_eq!(dev.count(), 3, "before training and after both epochs: {ran}");
    let ran = ran.prints("a tenth drawn by seed").prints("S-F1").prints("finished at step");
    let folder = ran.stdout.lines().find_map(|l| l.strip_prefix("run folder ")).expect("told");
    assert!(folder.starts_with("runs/") && folder.ends_with("-rank-pcfg"), "{folder}");
    let run = base.path().join(folder);
    for file in ["config.toml", "events.jsonl", "status.json", "checkpoints/best.safetensors"] {
        assert!(run.join(file).is_file(), "{file}");
    }
    // All settings are written out, so the folder's config starts the same run again.
    let again = rankspace("train").arg(run.join("config.toml")).within(base.path()).succeeds();
    let lines = |text: &str| -> Vec<String> {
        let best = text.lines().filter(|l| l.starts_with("best  "));
        best.map(str::to_owned).collect()
    };
    assert_eq!(lines(&again.stdout), lines(&ran.stdout));
    assert!(again.stdout.contains("-rank-pcfg-2"), "nothing is overwritten: {again}");
}

#[test]
fn training_ends_with_a_json_object_that_eval_confirms() {
    let base = trained();
    let call = tiny_training(base).args("--set data.test=test.mrg --out json --json");
    let ran = call.succeeds().complains("  dev  ");
    let summary = ran.json();
    assert_eq!(summary["run"], "json");
    assert!(summary["best_epoch"].is_u64() && number(&summary["train_seconds"]) > 0.0);
    let keys = |value: &serde_json::Value| -> Vec<String> {
        value.as_object().map(|o| o.keys().cloned().collect()).unwrap_or_default()
    };
    for split in ["dev", "test"] {
        let expected = ["c_f1", "log_likelihood", "perplexity", "s_f1"];
        assert_eq!(keys(&summary[split]), expected, "{summary}");
    }
    let eval = rankspace("eval json test.mrg --json").within(base).succeeds();
    let figures = eval.complains("using json/checkpoints/best.safetensors").json();
    for figure in ["s_f1", "c_f1", "perplexity", "log_likelihood"] {
        let (ours, theirs) = (number(&figures[figure]), number(&summary["test"][figure]));
        assert!((ours - theirs).abs() <= 1e-5 * theirs.abs(), "{figure}: {ours} and {theirs}");
    }
}

#[test]
fn eval_counts_what_it_scores_and_what_it_leaves_out() {
    let base = trained();
    let file = base.join("eval.mrg");
    let two = "(S (NP (DT the) (NN dog)) (VP (VBZ barks)))\n(S (VB Go))\n";
    std::fs::write(&file, two).expect("writable");
    let figures = rankspace("eval run eval.mrg --json").within(base).succeeds().json();
    assert_eq!(number(&figures["sentences"]), 1.0);
    assert_eq!(number(&figures["tokens"]), 3.0);
    assert_eq!(number(&figures["skipped"]), 1.0, "one word has no derivation");
    assert!(figures["label_recall"]["NP"].is_number(), "{figures}");
    let short = rankspace("eval run eval.mrg --max-length 2").within(base).fails();
    short.complains("eval.mrg: nothing to score, with 2 sentences left out");
    std::fs::write(base.join("long.mrg"), two.lines().next().expect("one")).expect("writable");
    let long = rankspace("eval run long.mrg --max-length 2").within(base).fails();
    long.complains("no sentence is left of 1 read; left out: 1 too long");
    std::fs::write(base.join("marks.mrg"), format!("{two}(S (. .))\n")).expect("writable");
    let marks = rankspace("eval run marks.mrg").within(base).succeeds();
    marks.prints("1 sentence, 3 words, 2 left out");
    let plain = rankspace("eval run eval.mrg").within(base).succeeds();
    plain.prints("1 sentence, 3 words, 1 left out").prints("NP ");
}

#[test]
fn without_gold_trees_figures_of_trees_are_absent() {
    let base = tempfile::tempdir().expect("a temporary folder");
    let trees = std::fs::read_to_string(trained().join("train.mrg")).expect("readable");
    let words = |line: &str| -> String {
        let words = line.split(' ').filter(|w| w.ends_with(')')).map(|w| w.trim_end_matches(')'));
        words.collect::<Vec<_>>().join(" ")
    };
    let text: Vec<_> = trees.lines().map(words).collect();
    std::fs::write(base.path().join("train.txt"), text.join("\n")).expect("writable");
    let call = tiny_training(base.path()).args("--set data.train=train.txt --out run --json");
    let summary = call.succeeds().json();
    assert!(summary["dev"]["perplexity"].is_number(), "{summary}");
    assert!(summary["dev"].get("s_f1").is_none() && summary.get("test").is_none(), "{summary}");
    let figures = rankspace("eval run train.txt --json").within(base.path()).succeeds().json();
    assert!(figures.get("s_f1").is_none() && figures["perplexity"].is_number(), "{figures}");
    assert_eq!(figures["label_recall"], serde_json::json!({}));
}

#[test]
fn parse_gives_a_tree_for_every_sentence_that_corpora_are_read_from() {
    let base = trained();
    let trees = rankspace("parse run test.mrg").within(base).succeeds();
    let gold = std::fs::read_to_string(base.join("test.mrg")).expect("readable");
    assert_eq!(trees.stdout.lines().count(), gold.lines().count());
    let counts = rankspace("corpus stats - --json").input(&trees.stdout).succeeds().json();
    assert_eq!(number(&counts["trees"]) as usize, gold.lines().count());
    assert_eq!(counts["problems"], serde_json::json!([]));
    let labelled = rankspace("parse run test.mrg --labels").within(base).succeeds();
    let counts = rankspace("corpus stats - --json").input(&labelled.stdout).succeeds().json();
    let names = counts["labels"].as_object().expect("labels").keys();
    for name in names {
        assert!(name.strip_prefix('N').is_some_and(|n| n.parse::<u32>().is_ok()), "{name}");
    }
}

#[test]
fn parse_takes_typed_text_and_keeps_in_step_with_it() {
    let base = trained();
    let typed = "The dog doesn't bark.\nYes\n...\nThe dog sees a cat.\n";
    let call = |format: &str| rankspace("parse run").args(format).within(base).input(typed);
    let brackets = call("").succeeds().complains("sentence 3 has no word");
    let lines: Vec<_> = brackets.stdout.lines().collect();
    assert_eq!((lines.len(), lines[1], lines[2]), (4, "(X Yes)", ""), "{brackets}");
    assert!(lines[0].contains("(X does)") && lines[0].contains("(X n't)"), "{brackets}");
    let json = call("- --format json --labels").succeeds().json_lines();
    let number_of = |i: usize| json[i]["sentence"].as_u64();
    assert_eq!((json.len(), number_of(0), number_of(3)), (4, Some(1), Some(4)));
    assert_eq!(json[0]["words"], serde_json::json!(["The", "dog", "does", "n't", "bark"]));
    assert_eq!(json[0]["tags"].as_array().map(Vec::len), Some(5));
    let whole = &json[0]["spans"][0];
    assert_eq!((whole["start"].as_u64(), whole["end"].as_u64()), (Some(0), Some(5)));
    assert!(whole["label"].is_string() && number(&whole["posterior"]) <= 1.0, "{whole}");
    assert_eq!(json[2]["log_prob"], "-Infinity");
    call("- --format forest").succeeds().prints("\\begin{forest}").prints("[{dog}]");
}

#[cfg(target_os = "linux")]
#[test]
fn a_sentence_that_no_memory_holds_is_refused_and_what_came_before_it_is_kept() {
    let base = trained();
    let long = "dog ".repeat(200_000);
    for command in ["parse run", "score run"] {
        let call = rankspace(command).within(base).input(&format!("the dog barks\n{long}\n"));
        let failed = call.fails().complains("200000 words need about");
        assert!(!failed.stderr.contains("panicked"), "{failed}");
    }
}

#[test]
fn parse_draws_every_tree_in_one_picture() {
    let typed = "The dog sees a cat.\nThe cat sees a dog.\n";
    let call = rankspace("parse run - --format svg").within(trained()).input(typed);
    let picture = call.succeeds().stdout;
    assert!(picture.starts_with("<svg ") && picture.trim_end().ends_with("</svg>"), "{picture}");
    assert_eq!(picture.matches(">cat<").count(), 2, "{picture}");
    let call = rankspace("parse run - --format png").within(trained()).input(typed);
    assert!(call.writes().starts_with(b"\x89PNG\r\n\x1a\n"));
}

#[test]
fn scores_add_up_to_the_likelihood_of_eval() {
    let base = trained();
    let scores = rankspace("score run test.mrg --json").within(base).succeeds().json_lines();
    assert_eq!(scores.len(), 20);
    assert_eq!(scores[19]["sentence"], 20);
    assert!(scores.iter().all(|s| s["words"].as_u64().is_some_and(|n| (2..=10).contains(&n))));
    let mean = scores.iter().map(|s| number(&s["log_prob"])).sum::<f64>() / 20.0;
    let figures = rankspace("eval run test.mrg --json").within(base).succeeds().json();
    let expected = number(&figures["log_likelihood"]);
    assert!((mean - expected).abs() < 1e-5 * expected.abs(), "{mean} and {expected}");
    let plain = rankspace("score run -").within(base).input("Go\nthe dog barks\n").succeeds();
    let lines: Vec<_> = plain.stdout.lines().collect();
    assert_eq!(lines[0], "-inf\tGo");
    assert!(lines[1].starts_with('-') && lines[1].ends_with("\tthe dog barks"), "{plain}");
}

#[test]
fn settings_that_do_not_exist_are_refused_with_the_nearest() {
    let train = |set: &str| rankspace("train --preset sample --set").arg(set);
    let typo = train("training.epoch=3").refused();
    typo.complains("--set training.epoch=3: ").complains("did you mean `epochs`?");
    train("training.epochs=x").refused().complains("--set training.epochs=x: ");
    train("training.epochs").refused().complains("expected key=value");
    train("model.rank=0").refused().complains("a number from 1 to 1000000");
    let device = rankspace("train --preset sample --device gpu").refused();
    device.complains("auto, cpu or cuda:N");
    rankspace("train --preset smaple").refused().complains("did you mean `sample`?");
    train("training.threads=2").refused().complains("did you mean `threads` outside of all");
    train("training.states=2").refused().complains("did you mean `model.states`?");
    rankspace("train sample").refused().complains("named by `--preset sample`");
    rankspace("train --preset sample --epochs 3")
        .refused()
        .complains("--set training.epochs=VALUE");
    rankspace("train --preset sample --set epochs 3").refused().complains("training.epochs=3");
    let data = rankspace("train --preset plain").refused();
    data.complains("`--set data.preset=plain`");
    rankspace("presets plian").refused().complains("did you mean `plain`?");
}

#[test]
fn settings_that_the_family_does_not_use_are_told_once() {
    let base = tempfile::tempdir().expect("a temporary folder");
    write_corpus(base.path());
    // The second is what it is anyway.
    let call = tiny_training(base.path()).args("--set model.states=9 --set model.order=5");
    let ran = call.args("--set training.epochs=1 --out run").succeeds();
    for told in [
        "warning: the family rank-pcfg does not use model.states (only rank-hmm, lhmm and hmm do)",
        "warning: the family rank-pcfg does not use model.order (only ngram does)",
    ] {
        assert_eq!(ran.stderr.lines().filter(|line| *line == told).count(), 1, "{ran}");
    }
    assert!(!ran.stdout.contains("does not use"), "{ran}");
    let events = std::fs::read_to_string(base.path().join("run/events.jsonl")).expect("readable");
    assert!(events.contains("does not use model.states"), "{events}");
    // What a config file says counts where it changes something.
    let file = base.path().join("run/config.toml");
    let again = rankspace("train --out again --set model.states=").arg(&file).within(base.path());
    let again = again.succeeds();
    assert!(!again.stderr.contains("does not use"), "{again}");
    let again = rankspace("train --out third").arg(&file).within(base.path()).succeeds();
    again.complains("does not use model.states (");
}

#[test]
fn wrong_values_by_set_are_wrong_usage_and_missing_files_are_not() {
    let base = tempfile::tempdir().expect("a temporary folder");
    write_corpus(base.path());
    for set in [
        "data.sections=oak",
        "data.sections=9-2",
        "data.preset=pbt",
        "data.train=[]",
        "training.epochs=many",
        "training.epoch=3",
        "data.sectoins=02-21",
        "device=gpu",
        "training.epochs",
    ] {
        let ran = tiny_training(base.path()).args("--set").arg(set).refused();
        let key = set.split(['.', '=']).next().expect("a key");
        assert!(ran.stderr.contains(key) && ran.stderr.lines().count() == 1, "{set}: {ran}");
    }
    tiny_training(base.path()).args("--set data.train=none.mrg").fails().complains("none.mrg");
    assert!(!base.path().join("runs").exists());
    // The same fault in a file is one of the file.
    std::fs::write(base.path().join("a.toml"), "[data]\ntrain = \"train.mrg\"\nsections = \"x\"\n")
        .expect("writable");
    rankspace("train a.toml").within(base.path()).fails().complains("data.sections");
}

#[test]
fn several_sentences_on_a_line_of_standard_input_are_taken_one_by_one() {
    let base = trained();
    let call = || rankspace("parse run").within(base);
    let text = "The dog ran. Mr. Smith saw it.\nThe cat slept.\n";
    let ran = call().input(text).succeeds().complains("note: 1 line holds several sentences");
    assert_eq!(ran.stdout.lines().count(), 3, "{ran}");
    assert!(!ran.stdout.contains("ran."), "{ran}");
    let numbers: Vec<_> = call().args("--format json").input(text).succeeds().json_lines();
    assert_eq!(
        numbers.iter().map(|l| l["sentence"].as_u64()).collect::<Vec<_>>(),
        [1, 2, 3].map(Some)
    );
    assert_eq!(
        rankspace("score run").within(base).input(text).succeeds().stdout.lines().count(),
        3
    );
    // A file has one sentence a line, as its other readers count.
    let file = base.join("typed.txt");
    std::fs::write(&file, text).expect("writable");
    let ran = call().arg(&file).succeeds().complains("no line is split");
    assert_eq!(ran.stdout.lines().count(), 2, "{ran}");
}

#[test]
fn parse_keeps_punctuation_in_its_trees_where_asked() {
    let base = trained();
    let call = || rankspace("parse run").within(base).input("The dog, it ran!");
    let plain = call().succeeds();
    assert!(!plain.stdout.contains(", ,"), "{plain}");
    let kept = call().args("--keep-punctuation").succeeds();
    assert!(kept.stdout.contains("(, ,)") && kept.stdout.contains("(. !)"), "{kept}");
    let bare = |text: &str| -> String { text.chars().filter(|c| c.is_alphanumeric()).collect() };
    assert_eq!(bare(&kept.stdout), bare(&plain.stdout));
    let line = &call().args("--keep-punctuation --format json").succeeds().json_lines()[0];
    let words = line["words"].as_array().expect("words").len() as u64;
    assert_eq!((words, &line["spans"][0]["end"]), (6, &words.into()), "{line}");
    // In trees, by their tags; the words without it are those of the plain call.
    let trees = "(S (`` ``) (NP (DT The) (NN dog)) (, ,) (VP (VBD ran)) (. .))\n";
    let call = rankspace("parse run --keep-punctuation").within(base).input(trees);
    call.succeeds().prints("(`` ``)").prints("(, ,)").prints("(. .)");
}

#[test]
fn a_config_file_with_a_fault_fails_with_its_place() {
    let base = tempfile::tempdir().expect("a temporary folder");
    std::fs::write(base.path().join("c.toml"), "seed = 1\n[modle]\n").expect("writable");
    let ran = rankspace("train c.toml").within(base.path()).fails();
    ran.complains("c.toml:2:").complains("did you mean `model`?");
    rankspace("train none.toml").within(base.path()).fails().complains("none.toml: ");
}

#[test]
fn a_run_that_cannot_begin_leaves_no_folder() {
    let base = tempfile::tempdir().expect("a temporary folder");
    let train = |set: &str| tiny_training(base.path()).args("--set").arg(set);
    train("data.train=none.mrg").fails().complains("none.mrg: no such file");
    train("data.train=[]").refused().complains("data.train");
    train("data.preset=gumm").refused().complains("gum");
    train("device=gpu").refused().complains("auto, cpu or cuda:N");
    std::fs::write(base.path().join("c.toml"), "device = \"gpu\"\n").expect("writable");
    let ran = rankspace("train c.toml").within(base.path()).fails();
    ran.complains("auto, cpu or cuda:N");
    std::fs::remove_file(base.path().join("c.toml")).expect("removable");
    assert_eq!(std::fs::read_dir(base.path()).expect("readable").count(), 0);
}

#[test]
fn a_folder_in_use_is_not_overwritten() {
    let base = trained();
    let before = std::fs::read(base.join("run/events.jsonl")).expect("readable");
    tiny_training(base).args("--out run").fails().complains("nothing is overwritten");
    let again = rankspace("train run").within(base).fails();
    again.complains("run is a run folder: `rankspace resume run` goes on with it");
    assert_eq!(std::fs::read(base.join("run/events.jsonl")).expect("readable"), before);
}

#[test]
fn files_that_are_empty_or_no_checkpoints_are_named() {
    let base = tempfile::tempdir().expect("a temporary folder");
    std::fs::write(base.path().join("empty.mrg"), "").expect("writable");
    std::fs::write(base.path().join("bad.safetensors"), [1, 2, 3, 0]).expect("writable");
    std::fs::write(base.path().join("text.safetensors"), "(S (NN x))").expect("writable");
    std::fs::write(base.path().join("torch.pt"), b"PK\x03\x04 and so on").expect("writable");
    let run = trained().join("run");
    for command in ["eval", "parse", "score"] {
        let call = || rankspace(command).within(base.path());
        call().arg(&run).arg("empty.mrg").fails().complains("empty.mrg: no sentence");
        call().arg(&run).arg("none.mrg").fails().complains("none.mrg: ");
        call().args("bad.safetensors empty.mrg").fails().complains("bad.safetensors is not");
        call().args("none.safetensors empty.mrg").fails().complains("none.safetensors: ");
        call().arg(base.path()).arg("empty.mrg").fails().complains("is not a run folder");
        call().args("text.safetensors empty.mrg").fails().complains("it is text");
        let torch = call().args("torch.pt empty.mrg").fails();
        torch.complains("it is a file of PyTorch").complains("`rankspace import torch.pt ");
    }
    let empty = tiny_training(base.path()).args("--set data.train=empty.mrg").fails();
    empty.complains("no sentence");
    rankspace("resume .").within(base.path()).fails().complains("is not a run folder");
    let checkpoints = run.join("checkpoints");
    rankspace("parse").arg(&checkpoints).fails().complains("best.safetensors, ");
    for command in ["resume", "watch"] {
        rankspace(command).arg("nowhere").within(base.path()).fails().complains("no such folder");
    }
    rankspace("score").arg(&run).input("").fails().complains("standard input: no sentence");
    for sentence in ["The dog barks", "Does Mr. Smith bark?"] {
        let call = rankspace("parse").arg(&run).arg(sentence).fails();
        call.complains("sentences are read from standard input");
    }
    rankspace("parse").arg(&run).arg("no such.txt").fails().complains("no such file or folder");
    rankspace("watch").arg(run.join("checkpoints")).fails().complains("but lies in one: ");
    rankspace("eval").arg(trained()).arg("x").fails().complains("but holds some: name one, e.g. ");
    let cut = std::fs::read(run.join("checkpoints/best.safetensors")).expect("readable");
    std::fs::write(base.path().join("cut.safetensors"), &cut[..300]).expect("writable");
    let cut = rankspace("eval cut.safetensors x").within(base.path()).fails();
    cut.complains("cut short or damaged");
    rankspace("sample -n -1").arg(&run).refused().complains("expected a whole number, 0 or more");
    rankspace("watch .").within(base.path()).fails().complains("is not a run folder");
}

#[test]
fn on_a_terminal_bars_show_how_much_is_left_and_lines_stand_above_them() {
    let base = tempfile::tempdir().expect("a temporary folder");
    write_corpus(base.path());
    let size = portable_pty::PtySize { rows: 24, cols: 100, pixel_width: 0, pixel_height: 0 };
    let pair = portable_pty::native_pty_system().openpty(size).expect("a pseudo-terminal");
    let mut command = portable_pty::CommandBuilder::new(env!("CARGO_BIN_EXE_rankspace"));
    command.args("train --preset sample --out run --set data.train=train.mrg".split(' '));
    command.args("--set data.dev=[] --set data.test=[]".split(' '));
    command.args(TINY.split_whitespace());
    command.cwd(base.path());
    command.env("TERM", "xterm-256color");
    let mut child = pair.slave.spawn_command(command).expect("the program starts");
    drop(pair.slave);
    let mut reader = pair.master.try_clone_reader().expect("readable");
    let mut bytes = Vec::new();
    // The terminal ends with an error on Linux, with the end of the file elsewhere.
    let _ = std::io::Read::read_to_end(&mut reader, &mut bytes);
    assert!(child.wait().expect("the program ends").success());
    let shown = String::from_utf8_lossy(&bytes);
    for part in ["epoch 2  loss ", " passed, ", " left", "  dev  S-F1 ", "best  epoch "] {
        assert!(shown.contains(part), "{part:?} in {shown}");
    }
    // At the end the bars are gone: what stands on the screen is the lines alone.
    let cells = |n| std::num::NonZero::new(n).expect("above 0");
    let mut screen = vt100::Parser::new(cells(24), cells(100), 0);
    screen.process(&bytes);
    let rest = screen.screen().contents();
    assert!(rest.contains("finished at step") && !rest.contains(" passed, "), "{rest}");
}

#[test]
fn watch_tells_of_a_finished_run_what_training_told() {
    let base = trained();
    let told = rankspace("watch run").within(base).succeeds();
    told.prints("  dev  S-F1").prints("finished at step");
}

#[test]
fn watch_follows_a_live_run_to_its_end() {
    let base = tempfile::tempdir().expect("a temporary folder");
    write_corpus(base.path());
    let mut training = tiny_training(base.path()).args("--out run").starts();
    training.says("running from step 0");
    let told = rankspace("watch run").within(base.path()).succeeds();
    told.prints("running from step 0").prints("epoch 2").prints("finished at step");
    assert_eq!(training.ends().0, Some(0));
}

#[test]
fn a_run_that_diverges_fails_with_its_reason_and_watch_says_so() {
    let base = tempfile::tempdir().expect("a temporary folder");
    write_corpus(base.path());
    let call = tiny_training(base.path()).args("--set training.learning_rate=1e30");
    call.args("--out run --json").fails().complains("the run in run failed: ");
    rankspace("watch run").within(base.path()).fails().complains("the run failed: ");
}

#[test]
fn lines_of_a_run_that_cannot_be_read_are_told_with_their_number_and_left_out() {
    let base = tempfile::tempdir().expect("a temporary folder");
    write_corpus(base.path());
    tiny_training(base.path()).args("--out run").succeeds();
    let within = |arguments: &str| rankspace(arguments).within(base.path()).succeeds();
    assert!(!within("watch run").stderr.contains("warning"));
    let whole = within("curves run").stdout.clone();
    let path = base.path().join("run/events.jsonl");
    let text = std::fs::read_to_string(&path).expect("a journal");
    let mut lines: Vec<&str> = text.lines().collect();
    let step = lines.iter().position(|line| line.contains("\"type\":\"step\"")).expect("a step");
    let torn = &lines[step][..lines[step].len() / 2];
    lines.splice(step..step, ["no event", torn]);
    std::fs::write(&path, lines.join("\n") + "\n").expect("writable");
    let told = format!(
        "warning: run/events.jsonl:{}: no event that can be read, and 1 line behind it; left out",
        step + 1
    );
    within("watch run").complains(&told);
    let curves = within("curves run").complains(&told);
    assert_eq!(curves.stdout, whole);
}

#[test]
fn another_learning_rate_is_refused_where_there_is_none() {
    let base = tempfile::tempdir().expect("a temporary folder");
    let trees = rankspace("corpus generate --sentences 20 --seed 5").succeeds();
    std::fs::write(base.path().join("train.mrg"), &trees.stdout).expect("writable");
    let within = |arguments: &str| rankspace(arguments).within(base.path());
    within("bag --train train.mrg --rounds 1 --out bag").succeeds();
    let asked = within("resume bag --learning-rate 0.1").refused();
    asked.complains("a run of bag has no learning rate");
    within("resume bag --learning-rate -1").refused().complains("expected a number above 0");
}

/// Cuts the journal behind its line `keep`, as a disk does that had no room for the others.
fn cut_journal(run: &Path, keep: usize) {
    let path = run.join("events.jsonl");
    let text = std::fs::read_to_string(&path).expect("a journal");
    let kept: String = text.split_inclusive('\n').take(keep).collect();
    std::fs::write(path, kept + "{\"schema\":1,\"seq\":").expect("writable");
}

#[test]
fn watch_tells_the_end_of_a_run_whose_disk_was_full_by_its_status() {
    let base = tempfile::tempdir().expect("a temporary folder");
    write_corpus(base.path());
    tiny_training(base.path()).args("--out run").succeeds();
    let run = base.path().join("run");
    cut_journal(&run, 20);
    let watch = || rankspace("watch run").within(base.path());
    watch().succeeds().prints("finished at step").prints("events.jsonl lacks the end");
    let status = run.join("status.json");
    let text = std::fs::read_to_string(&status).expect("a status file");
    let mut told: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    told["state"] = "failed".into();
    told["reason"] = "run/events.jsonl: no space left on device".into();
    std::fs::write(&status, told.to_string()).expect("writable");
    let ran = watch().fails();
    ran.complains("the run failed at step").complains("no space left on device");
}

#[test]
fn a_finished_run_has_nothing_left_to_resume() {
    let base = tempfile::tempdir().expect("a temporary folder");
    let run: PathBuf = base.path().join("run");
    write_corpus(base.path());
    tiny_training(base.path()).args("--out run").succeeds();
    let ran = rankspace("resume run --json").within(base.path()).succeeds();
    assert_eq!(ran.json()["run"], "run");
    assert!(run.join("checkpoints/last.safetensors").is_file());
}

#[test]
fn words_of_a_grammar_have_no_surprisal() {
    let call = rankspace("score run --tokens").within(trained()).input("the dog barks\n");
    call.fails().complains("run: a rank-pcfg gives a sentence its probability as a whole");
}
