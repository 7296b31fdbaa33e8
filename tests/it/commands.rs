//! The command line as a user meets it: output, JSON shapes, exit codes, error texts.

use crate::call::rankspace;
use crate::shared::shared;
use std::path::Path;

#[test]
fn help_lists_every_command_and_each_has_help_of_its_own() {
    let help = rankspace("--help").succeeds();
    let commands = "train resume eval evalb significance parse score sample consensus import export presets corpus watch bench \
                    keys doctor completions";
    for command in commands.split(' ') {
        assert!(help.stdout.contains(&format!("\n  {command} ")), "{command}: {help}");
        rankspace(command).arg("--help").succeeds().prints("Usage: rankspace ");
    }
    rankspace("--version").succeeds().prints(env!("CARGO_PKG_VERSION"));
}

#[test]
fn a_mistyped_command_is_refused_with_the_nearest() {
    rankspace("trian").refused().complains("did you mean `rankspace train`?");
    let with_flags = rankspace("trian --preset sample --json").refused();
    with_flags.complains("did you mean `rankspace train`?");
    rankspace("help train").succeeds().prints("Usage: rankspace train");
    rankspace("qqqq").refused().complains("`rankspace --help` lists the commands");
    rankspace("corpus stat x").refused().complains("'stats'");
}

#[test]
fn a_mistyped_flag_is_refused_with_the_nearest() {
    rankspace("train c.toml --sett a=b").refused().complains("--set");
    rankspace("train").refused().complains("<CONFIG").complains("--preset <NAME>");
    rankspace("train c.toml --preset sample").refused().complains("cannot be used with");
    rankspace("parse c.safetensors --format pdf").refused().complains("bracket, json, forest");
}

#[test]
fn a_path_that_is_not_there_is_named() {
    rankspace("no-such/corpus.mrg").fails().complains("no-such/corpus.mrg: no such file");
}

#[test]
fn the_workbench_needs_a_terminal_and_names_what_works_without() {
    rankspace("").refused().complains("is none").complains("rankspace train");
    rankspace("--theme pink").refused().complains("dark, light, safe, safe-light, mono");
}

#[test]
fn presets_are_listed_and_printed_as_toml() {
    let list = rankspace("presets").succeeds().prints("pcfg-small");
    for line in list.stdout.lines() {
        let name = line.split_whitespace().next().expect("a name");
        let preset = rankspace("presets").arg(name).succeeds();
        toml::from_str::<toml::Table>(&preset.stdout).unwrap_or_else(|e| panic!("{e}: {preset}"));
    }
    rankspace("presets pcfg-smal").refused().complains("did you mean `pcfg-small`?");
}

#[test]
fn completions_are_made_for_every_shell() {
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        rankspace("completions").arg(shell).succeeds().prints("rankspace").prints("presets");
    }
    rankspace("completions tcsh").refused().complains("bash, elvish, fish");
}

#[test]
fn keys_prints_a_template_and_says_what_is_wrong_with_the_users_own() {
    let home = tempfile::tempdir().expect("a temporary folder");
    let keys = |arguments: &str| {
        rankspace("keys").arg(arguments).env("HOME", home.path()).env("XDG_CONFIG_HOME", "")
    };
    let plain = keys("--defaults").succeeds();
    plain.prints("\n[train]\n# new = [\"n\"]").prints("\n[everywhere]\n").prints("keys.toml");
    let own = home.path().join(".config/rankspace/keys.toml");
    std::fs::create_dir_all(own.parent().expect("a folder")).expect("makes");
    std::fs::write(&own, "[train]\nstop = \"F5\"\n").expect("writes");
    rankspace("keys").env("HOME", home.path()).succeeds().prints("\nstop = [\"F5\"]");
    std::fs::write(&own, "[train]\nstop = \"F5\"\npauze = \"p\"\n").expect("writes");
    let failed = rankspace("keys").env("HOME", home.path()).fails();
    failed.prints("\nstop = [\"F5\"]").complains("keys.toml:3: Train has no command `pauze`");
    rankspace("doctor").env("HOME", home.path()).fails().prints("keys.toml:3: ");
}

#[test]
fn doctor_tells_what_the_machine_offers() {
    let base = tempfile::tempdir().expect("a temporary folder");
    let doctor = |json: &str| {
        rankspace("doctor").arg(json).within(base.path()).env("HOME", base.path()).env("LANG", "C")
    };
    let findings = doctor("--json").succeeds().json();
    let names: Vec<_> =
        findings.as_array().expect("a list").iter().map(|f| f["name"].clone()).collect();
    for name in ["version", "cores", "vector units", "devices", "runs folder", "terminal"] {
        assert!(names.contains(&name.into()), "{name}: {names:?}");
    }
    let entries = std::fs::read_dir(base.path()).expect("readable").count();
    assert_eq!(entries, 0, "doctor leaves nothing behind");
}

#[test]
fn a_reader_that_goes_away_ends_the_program_quietly() {
    // More than a pipe holds, so that the program is still writing when the reader goes.
    let mut call = rankspace("corpus generate --sentences 5000").starts();
    call.says("(");
    assert_eq!(call.stop_reading(), (Some(0), String::new()));
}

#[test]
fn corpus_stats_counts_trees_words_and_labels() {
    let base = tempfile::tempdir().expect("a temporary folder");
    let file = base.path().join("a.mrg");
    let trees = "( (S (NP-SBJ (-NONE- *)) (VP (VB Go) (NP (NN home)))))\n(S (VP (VB Stop)))\n";
    std::fs::write(&file, trees).expect("writable");
    let counts = rankspace("corpus stats --json").arg(&file).succeeds().json();
    let expected = serde_json::json!({
        "trees": 2,
        "words": 3,
        "sentences": 2,
        "labels": {"": 1, "S": 2, "NP-SBJ": 1, "VP": 2, "NP": 1},
        "tags": {"-NONE-": 1, "VB": 2, "NN": 1},
        "max_length": 2,
        "problems": [],
    });
    assert_eq!(counts, expected);
    rankspace("corpus stats").arg(&file).succeeds().prints("3, 3 different").prints("VP 2");
    rankspace("corpus stats sample:text").succeeds().prints("plain text");
    rankspace("corpus stats - --json").input("(A (B c))").succeeds().prints("\"trees\":1");
}

#[test]
fn corpus_stats_lists_problems_with_their_places_and_reads_on() {
    let base = tempfile::tempdir().expect("a temporary folder");
    let file = base.path().join("a.mrg");
    std::fs::write(&file, "(S (NN one))\n(S (NN two)))\n(S (NN three))\n").expect("writable");
    let counts = rankspace("corpus stats --json").arg(&file).succeeds().json();
    assert_eq!(counts["trees"], 3);
    let problem = &counts["problems"][0];
    assert_eq!((&problem["line"], &problem["kind"]), (&2.into(), &"extra-close".into()));
    assert!(problem["column"].is_u64() && problem["message"].is_string(), "{problem}");
    rankspace("corpus stats").arg(&file).succeeds().complains("a.mrg:2:");
}

#[test]
fn corpus_stats_reads_folders_and_patterns() {
    let base = tempfile::tempdir().expect("a temporary folder");
    for (name, tree) in [("a.mrg", "(S (NN one))"), ("b.mrg", "(S (NN two)))")] {
        std::fs::write(base.path().join(name), tree).expect("writable");
    }
    for source in [".", "*.mrg"] {
        let call = rankspace("corpus stats --json").arg(source).within(base.path());
        let counts = call.succeeds().json();
        assert_eq!((&counts["trees"], &counts["words"]), (&2.into(), &2.into()), "{source}");
        let file = counts["problems"][0]["file"].as_str().expect("named");
        assert!(file.ends_with("b.mrg"), "{counts}");
    }
}

#[test]
fn control_characters_of_data_do_not_reach_the_terminal() {
    let tree = "(S\u{1b}[31m (NN\u{7} wo\u{9b}rd) (\u{1b}]0;x X)))\n";
    let ran = rankspace("corpus stats -").input(tree).succeeds();
    assert!(!ran.stdout.contains(|c: char| c.is_control() && c != '\n'), "{ran}");
    assert!(ran.stdout.contains("S\u{fffd}[31m"), "{ran}");
    let json = rankspace("corpus stats - --json").input(tree).succeeds().json();
    assert!(json["labels"].get("S\u{1b}[31m").is_some(), "{json}");
    let ran = rankspace("corpus stats").arg("no\u{1b}file").fails();
    assert!(!ran.stderr.contains('\u{1b}'), "{ran}");
}

#[test]
fn a_seed_out_of_range_is_refused_with_the_range() {
    let (none, too_large) = ("a whole number, 0 or more", "up to 9223372036854775807");
    for (seed, said) in [
        ("-1", none),
        ("x", none),
        ("9223372036854775808", too_large),
        ("99999999999999999999", too_large),
    ] {
        rankspace("corpus generate").arg(format!("--seed={seed}")).refused().complains(said);
    }
}

#[test]
fn corpus_generate_of_no_sentence_is_refused_with_a_sentence() {
    rankspace("corpus generate --sentences 0").refused().complains("expected a number above 0");
}

#[test]
fn bench_uses_no_more_threads_than_there_are_cores() {
    let small = "--case pcfg:batch=1,n=3,r=2,nt=2,pt=3,vocab=20,dim=4 --steps 1";
    let ran = rankspace("bench --threads 9999").args(small).succeeds();
    ran.complains("note: --threads 9999:").prints("GFLOP/s");
}

#[test]
fn corpus_stats_fails_where_nothing_can_be_read() {
    let base = tempfile::tempdir().expect("a temporary folder");
    let file = base.path().join("empty.mrg");
    std::fs::write(&file, "").expect("writable");
    rankspace("corpus stats").arg(&file).fails().complains("empty.mrg: no sentence");
    rankspace("corpus stats --json").arg(&file).fails().prints("\"trees\":0");
    rankspace("corpus stats no-such.mrg").fails().complains("no-such.mrg: no such file");
    rankspace("corpus stats -").fails().complains("standard input: no sentence");
    rankspace("corpus stats sample:nothing").fails().complains("one of train, dev");
}

#[test]
fn corpus_stats_survives_every_odd_file_of_the_shared_data() {
    let Some(folder) = shared("data/nasty") else { return };
    for entry in std::fs::read_dir(folder).expect("readable") {
        let path = entry.expect("readable").path();
        let (code, ran) = rankspace("corpus stats --json").arg(&path).run();
        assert!(code == 0 || code == 1, "{ran}");
        let counts = ran.json();
        assert_eq!(counts["trees"] == 0 && counts["sentences"] == 0, code == 1, "{ran}");
    }
}

#[test]
fn corpus_generate_gives_the_sample_again_from_its_seed() {
    let sample = Path::new(env!("CARGO_MANIFEST_DIR")).join("sample_data/train.mrg");
    let sample = std::fs::read_to_string(sample).expect("the sample is readable");
    let made = rankspace("corpus generate --sentences 20 --seed 1").succeeds();
    assert_eq!(made.stdout.lines().count(), 20);
    assert!(sample.starts_with(&made.stdout), "{made}");
    let other = rankspace("corpus generate --sentences 20 --seed 2").succeeds();
    assert_ne!(made.stdout, other.stdout);
}

#[test]
fn corpus_generate_reads_grammars_and_says_what_is_wrong_with_them() {
    let base = tempfile::tempdir().expect("a temporary folder");
    let bundled = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/sample-grammar.txt");
    let same = rankspace("corpus generate --sentences 5 --grammar").arg(bundled).succeeds();
    assert_eq!(same.stdout, rankspace("corpus generate --sentences 5").succeeds().stdout);
    let file = base.path().join("g.txt");
    std::fs::write(&file, "nonsense\n").expect("writable");
    rankspace("corpus generate --grammar").arg(&file).fails().complains("g.txt: line 1");
    rankspace("corpus generate --min-length 9 --max-length 3").refused().complains("--min-length");
    rankspace("corpus generate --sentences x").refused().complains("--sentences");
}

#[test]
fn bench_measures_each_case_and_compares_it_with_the_matrix_product() {
    let small = "pcfg:batch=2,n=4,r=4,nt=4,pt=8,vocab=20,dim=8";
    let call = || rankspace("bench --steps 2 --threads 1 --case").arg(small);
    let rows = call().arg("--case").arg("pcfg:batch=1,n=2,r=2,nt=2,pt=2,vocab=9,dim=2");
    let rows = rows.arg("--json").succeeds().json();
    assert_eq!(rows.as_array().map(Vec::len), Some(2), "{rows}");
    assert_eq!(rows[0]["case"], small);
    let number = |key: &str| rows[0][key].as_f64().unwrap_or_else(|| panic!("{key}: {rows}"));
    assert!(0.0 < number("seconds_min") && number("seconds_min") <= number("seconds_median"));
    assert!((number("tokens_per_s") * number("seconds_min") - 8.0).abs() < 1e-6, "{rows}");
    assert!(number("gflops") > 0.0 && number("share_of_peak") > 0.0, "{rows}");
    assert!(number("share_of_peak") < 1.0, "a small case cannot reach the peak: {rows}");
    assert!(cfg!(not(target_os = "linux")) || number("peak_rss_mb") > 0.0, "{rows}");
    call().succeeds().prints("matrix product").prints(small);
    rankspace("bench --case lstm:n=3").refused().complains("expected `pcfg`");
    rankspace("bench --steps 0").refused().complains("--steps 0");
    rankspace("bench --device cuda:83").fails().complains("cuda:83");
}

#[test]
fn the_readme_shows_a_valid_config_and_every_command() {
    let readme = Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md");
    let readme = std::fs::read_to_string(readme).expect("the README is readable");
    let config = readme.split("```toml\n").nth(1).and_then(|rest| rest.split("```").next());
    let config = config.expect("the README shows a config");
    rankspace::config::Config::from_toml("README.md", config, &[])
        .unwrap_or_else(|e| panic!("{e}"));
    let help = rankspace("--help").succeeds();
    let commands = help.stdout.split("Commands:\n").nth(1).expect("help lists commands");
    for line in commands.lines().take_while(|line| line.starts_with("  ")) {
        let command = line.split_whitespace().next().expect("a name");
        if command == "help" {
            continue;
        }
        assert!(readme.contains(&format!("`{command}")), "the README does not name {command}");
    }
}

#[test]
fn sample_draws_the_same_sentences_by_seed_and_as_many_as_asked_for() {
    let run = concat!(env!("CARGO_MANIFEST_DIR"), "/sample_data/runs/sample-rank-pcfg");
    let draw = |more: &str| rankspace("sample").arg(run).args(more).succeeds();
    let trees = draw("-n 4");
    assert_eq!(trees.stdout.lines().count(), 4, "{trees}");
    assert!(trees.stdout.lines().all(|l| l.starts_with("(N") && l.contains("(T")), "{trees}");
    assert_eq!(trees.stdout, draw("-n 4 --seed 0").stdout);
    assert_ne!(trees.stdout, draw("-n 4 --seed 1").stdout);
    let words = draw("-n 4 --format text");
    let objects = draw("-n 4 --format json").json_lines();
    for (line, object) in words.stdout.lines().zip(&objects) {
        let list = object["words"].as_array().expect("words");
        assert_eq!(line.split(' ').count(), list.len());
        assert_eq!(object["spans"].as_array().map(Vec::len), Some(list.len() - 1));
        assert_eq!(object["tags"].as_array().map(Vec::len), Some(list.len()));
    }
    assert_eq!(draw("-n 0").stdout, "");
    rankspace("sample").arg(run).args("-n 3 --max-length 1").fails().complains("--max-length");
    rankspace("sample").arg(run).args("-n x").refused().complains("-n");
}

#[test]
fn eval_tells_how_well_induced_tags_agree_with_gold_ones_where_asked_to() {
    let run = concat!(env!("CARGO_MANIFEST_DIR"), "/sample_data/runs/sample-rank-pcfg");
    let eval = |more: &str| rankspace("eval").arg(run).args(more);
    let plain = eval("sample:dev --json").succeeds().json();
    let tagged = eval("sample:dev --json --tags").succeeds().json();
    assert_eq!(plain["s_f1"], tagged["s_f1"]);
    assert!(plain.get("tag_v_measure").is_none());
    let figure = |name: &str| tagged[name].as_f64().expect(name);
    let (h, c) = (figure("tag_homogeneity"), figure("tag_completeness"));
    assert!((figure("tag_v_measure") - 2.0 * h * c / (h + c)).abs() < 1e-9);
    assert!(h > 20.0 && c > 20.0, "{tagged}");
    eval("sample:dev --tags").succeeds().prints("tags: V-measure ");
    let folder = tempfile::tempdir().expect("a folder");
    let text = folder.path().join("plain.txt");
    std::fs::write(&text, "the dog sleeps\n").expect("writes");
    rankspace("eval").arg(run).arg(&text).arg("--tags").fails().complains("no gold tags");
}

#[test]
fn weights_of_a_diverged_training_are_told_wherever_they_are_used() {
    let base = tempfile::tempdir().expect("a temporary folder");
    let within = |arguments: &str| rankspace(arguments).within(base.path());
    let train = |out: &str| {
        within("train --preset sample --set training.max_steps=5 --set training.learning_rate=1e6")
            .args("--set threads=1")
            .args(out)
            .fails()
            .complains("diverged at step 2")
            .complains("a lower learning rate may help")
    };
    // The weights of the first evaluation are left as they were.
    train("--out kept").complains("last.safetensors stays as it was");
    let parsed = within("parse kept").input("the dog barks\n").succeeds();
    assert!(!parsed.stderr.contains("warning"), "{parsed}");
    // The advice can be followed: the run goes on from them with the rate that is named.
    let again = within("resume kept --learning-rate 0.001").succeeds();
    again.prints("learning rate set to 1e-3").prints("finished at step 5");
    // Here they were overwritten before anybody could know.
    train("--out run --set run.checkpoint_every=1");
    within("parse run --format json").input("the dog barks\n").succeeds().complains(
        "gives 1 sentence no derivation, sentence 1 the first: their trees mean nothing",
    );
    within("symbols list run sample:dev")
        .fails()
        .complains("the model gives none of")
        .complains("a training that diverged leaves such weights");
}
