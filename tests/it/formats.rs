//! The same trees in several formats, and what `corpus convert`, `split` and `clean` make of them.

use crate::call::rankspace;
use crate::shared::shared;
use rankspace::treebank::{NodeId, Tree, attach, read_file};
use serde_json::Value;
use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

fn trees(path: &Path) -> Vec<Tree> {
    let reading = read_file(path).expect("readable");
    assert!(reading.problems.is_empty(), "{:?}", reading.problems.first());
    reading.trees
}

/// Brackets without the name of the root.
fn below_root(tree: &Tree) -> String {
    let text = tree.to_string();
    text.split_once(' ').expect("a label and something below").1.to_owned()
}

#[test]
fn one_treebank_in_three_formats_gives_the_same_trees() {
    let Some(folder) = shared("data/formats") else { return };
    let brackets = trees(&folder.join("gum-120.mrg"));
    assert_eq!(brackets.len(), 120);
    for name in ["gum-120.export", "gum-120.tiger.xml"] {
        let others = trees(&folder.join(name));
        assert_eq!(others.len(), brackets.len(), "{name}");
        for (tree, other) in brackets.iter().zip(&others) {
            assert_eq!(below_root(tree), below_root(other), "{name}: {:?}", other.place);
            assert_eq!(tree.words(), other.words(), "{name}");
        }
    }
}

#[test]
fn discontinuous_trees_are_the_same_in_export_and_tiger_and_keep_their_gaps() {
    let Some(folder) = shared("data/formats") else { return };
    let export = trees(&folder.join("discontinuous.export"));
    let tiger = trees(&folder.join("discontinuous.tiger.xml"));
    let version3 = trees(&folder.join("discontinuous-format3.export"));
    assert_eq!((export.len(), tiger.len(), version3.len()), (6, 6, 4));
    let facts = |tree: &Tree| -> Vec<(String, Vec<u32>, Option<String>)> {
        let edge = |id| tree.annotation(id)?.edge.as_deref().map(str::to_owned);
        let node =
            |id: NodeId| (tree.node(id).label.to_string(), tree.positions_below(id), edge(id));
        tree.nodes().map(|(id, _)| node(id)).collect()
    };
    for (a, b) in export.iter().zip(&tiger).chain(export.iter().zip(&version3)) {
        assert_eq!(facts(a), facts(b));
        assert_eq!(a.words(), b.words());
    }
    let gaps: Vec<bool> = export.iter().map(Tree::is_discontinuous).collect();
    assert_eq!(gaps, [true, true, true, true, false, false]);
    assert_eq!(export[5].words().join(" "), "-LRB- siehe #500 -RRB-");
    for tree in export.iter().filter(|t| t.is_discontinuous()) {
        let (continuous, moved) = attach(tree).expect("it has a gap");
        assert!(!continuous.is_discontinuous() && moved.moved() > 0);
        assert_eq!(continuous.words(), tree.words());
    }
}

#[test]
fn secondary_edges_lemmas_and_morphology_are_kept() {
    let Some(folder) = shared("data/formats") else { return };
    let tree = trees(&folder.join("secondary-edges.export")).remove(0);
    let first = tree.annotation(tree.preterminals()[0]).expect("annotated");
    let [(parent, label)] = &first.secondary[..] else { panic!("{first:?}") };
    assert_eq!((&**label, tree.positions_below(*parent)), ("SB", vec![3]));
    assert_eq!(first.morphology.as_deref(), Some("*.Nom.Sg"));
    let verb = tree.annotation(tree.preterminals()[1]).expect("annotated");
    assert_eq!(verb.lemma.as_deref(), Some("singen"));
}

#[test]
fn converting_there_and_back_gives_the_file_again() {
    let Some(folder) = shared("data/formats") else { return };
    let base = tempfile::tempdir().expect("a temporary folder");
    let given = folder.join("gum-120.mrg");
    for via in ["a.export", "a.xml", "a.jsonl", "a.mrg.gz", "a.export.gz"] {
        let (there, back) = (base.path().join(via), base.path().join("back.mrg"));
        rankspace("corpus convert").arg(&given).arg("--out").arg(&there).succeeds();
        rankspace("corpus convert --force").arg(&there).arg("--out").arg(&back).succeeds();
        let text = |path: &Path| fs::read_to_string(path).expect("readable");
        assert_eq!(text(&back).replace("(VROOT ", "(ROOT "), text(&given), "{via}");
    }
    let indented = base.path().join("indented.mrg");
    rankspace("corpus convert --to indented").arg(&given).arg("--out").arg(&indented).succeeds();
    let shown = |trees: Vec<Tree>| trees.iter().map(Tree::to_string).collect::<Vec<_>>();
    assert_eq!(shown(trees(&indented)), shown(trees(&given)));
}

#[test]
fn a_conversion_reports_every_change_with_its_place() {
    let Some(folder) = shared("data/formats") else { return };
    let base = tempfile::tempdir().expect("a temporary folder");
    let out = base.path().join("a.mrg");
    let call = || rankspace("corpus convert --json").arg(folder.join("discontinuous.export"));
    let report = call().arg("--out").arg(&out).succeeds().json();
    assert_eq!((&report["read"], &report["written"]), (&6.into(), &6.into()));
    assert!(report["counts"]["attached"].as_u64() >= Some(4), "{report}");
    for change in report["changes"].as_array().expect("a list") {
        assert!(change["line"].as_u64() > Some(2) && change["kind"].is_string(), "{change}");
    }
    assert_eq!(trees(&out).len(), 6);
    let export = base.path().join("a.export");
    let kept = call().arg("--out").arg(&export).succeeds().json();
    assert_eq!(kept["changes"], Value::Array(vec![]), "export holds all of it");
    let moved = call().arg("--continuous").arg("--out").arg(base.path().join("b.export"));
    let moved = moved.succeeds().json();
    assert!(moved["counts"]["attached-lower"].as_u64() > Some(0), "{moved}");
}

#[test]
fn nothing_is_overwritten_without_force_and_nothing_half_written_is_left() {
    let base = tempfile::tempdir().expect("a temporary folder");
    let out = base.path().join("a.mrg");
    fs::write(&out, "mine").expect("writable");
    let call = || rankspace("corpus convert - --out").arg(&out);
    call().input("(S (NN a))").refused().complains("--force");
    assert_eq!(fs::read_to_string(&out).expect("readable"), "mine");
    call().arg("--force").input("nothing of a tree").fails().complains("no sentence");
    assert_eq!(fs::read_to_string(&out).expect("readable"), "mine");
    let inside = rankspace("corpus convert - --force --out").arg(base.path()).input("(S (NN a))");
    inside.refused().complains("is a folder");
    let nowhere = rankspace("corpus convert - --out").arg(base.path().join("b/a.mrg"));
    nowhere.input("(S (NN a))").refused().complains("there is no folder");
    call().arg("--force").input("(S (NN a))").succeeds();
    assert_eq!(fs::read_to_string(&out).expect("readable"), "(S (NN a))\n");
    assert_eq!(fs::read_dir(base.path()).expect("readable").count(), 1);
    rankspace("corpus convert - --json").refused().complains("--out");
}

#[test]
fn a_name_that_tells_no_format_gets_brackets() {
    let base = tempfile::tempdir().expect("a temporary folder");
    for name in ["trees", "trees.gold", "trees.v2"] {
        let out = base.path().join(name);
        rankspace("corpus convert - --out").arg(&out).input("(S (NN a))").succeeds();
        assert_eq!(fs::read_to_string(&out).expect("readable"), "(S (NN a))\n");
    }
}

#[test]
fn drawings_columns_and_text_are_written_too() {
    let call =
        |to: &str| rankspace("corpus convert - --to").arg(to).input("(S (NP (NN a_b)) (VB c))");
    call("forest").succeeds().prints("\\begin{forest}").prints("a\\_b");
    call("svg").succeeds().prints("<svg").prints(">a_b<");
    call("columns").succeeds().prints("a_b\tNN\nc\tVB\n");
    call("text").succeeds().prints("a_b c\n").complains("phrases-left-out: 2");
    let words = rankspace("corpus convert - --to export").input("just words\n").fails();
    words.complains("sentences-left-out 1");
}

#[test]
fn every_change_has_a_meaning_and_a_place_also_in_drawings_and_of_text() {
    let Some(folder) = shared("data/formats") else { return };
    let base = tempfile::tempdir().expect("a temporary folder");
    let given = ["discontinuous.export", "secondary-edges.export", "gum-120.mrg"];
    let mut kinds = std::collections::BTreeSet::new();
    for to in ["brackets", "export", "tiger", "columns", "json", "text", "forest", "svg"] {
        let out = base.path().join(to);
        let call = given.iter().fold(rankspace("corpus convert --json --to").arg(to), |call, f| {
            call.arg(folder.join(f))
        });
        let report = call.arg("--out").arg(&out).succeeds().json();
        for change in report["changes"].as_array().expect("a list") {
            let kind = change["kind"].as_str().expect("a kind");
            assert_ne!(rankspace::treebank::Change::meaning(kind, 1), "", "{kind}");
            assert!(change["line"].as_u64() > Some(0), "{change}");
            kinds.insert(kind.to_owned());
        }
        if matches!(to, "forest" | "svg") {
            assert_eq!(report["counts"]["attached"], 9, "{to}");
            assert_eq!(report["counts"]["lemmas-left-out"], 5, "{to}");
        }
        if to == "json" {
            assert_eq!(report["changes"], Value::Array(vec![]));
        }
    }
    let expected = [
        "attached",
        "edge-labels-joined",
        "edge-labels-left-out",
        "lemmas-left-out",
        "morphology-left-out",
        "names-left-out",
        "phrases-left-out",
        "roots-renamed",
        "secondary-edges-left-out",
        "tags-left-out",
    ];
    assert_eq!(kinds.iter().collect::<Vec<_>>(), expected);
    let text = rankspace("corpus convert - --to brackets").input("one\n\n  two\n").fails();
    text.complains("sentences-left-out 2");
    let short = rankspace("corpus clean - --max-length 1").input("one Two\n").fails();
    short.complains("of 1 read: too-long 1");
    let cleaned = rankspace("corpus clean -").input("a\n\n  B .\n.\n").succeeds();
    let places = cleaned.prints("a\nb\n").complains("at standard input:3\n");
    places.complains("no-words: 1 sentence left out that had no word left, at standard input:4");
}

#[test]
fn formats_and_encodings_can_be_named() {
    let base = tempfile::tempdir().expect("a temporary folder");
    let file = base.path().join("a.export");
    fs::write(&file, b"#BOS 1\nK\xf6ln\tNE\t--\t--\t0\n#EOS 1\n").expect("writable");
    rankspace("corpus stats").arg(&file).fails().complains("0xF6").complains("latin-1");
    let read = rankspace("corpus stats --json --encoding latin-1").arg(&file).succeeds();
    assert_eq!(read.json()["words"], 1);
    let text = rankspace("corpus stats --json --format text --encoding latin-1").arg(&file);
    assert_eq!(text.succeeds().json()["trees"], 0);
    rankspace("corpus stats --format penn").arg(&file).refused().complains("brackets, export");
}

fn treebank(sentences: usize) -> String {
    let tree = |i: usize| format!("(S (NP {})(VB v))\n", format!("(NN w{i})").repeat(1 + i % 9));
    (0..sentences).map(tree).collect()
}

#[test]
fn a_split_gives_every_sentence_to_one_part() {
    let base = tempfile::tempdir().expect("a temporary folder");
    let file = base.path().join("all.mrg");
    fs::write(&file, treebank(100)).expect("writable");
    let split = |out: &str, more: &str| {
        let call =
            rankspace("corpus split --json").arg(&file).arg("--out").arg(base.path().join(out));
        call.args(more).succeeds().json();
        ["train", "dev", "test"].map(|part| {
            fs::read_to_string(base.path().join(out).join(format!("{part}.mrg"))).expect("written")
        })
    };
    let parts = split("a", "--seed 3");
    assert_eq!(parts.each_ref().map(|p| p.lines().count()), [80, 10, 10]);
    let mut lines: Vec<String> = parts.iter().flat_map(|p| p.lines().map(str::to_owned)).collect();
    let mut all: Vec<String> = trees(&file).iter().map(Tree::to_string).collect();
    lines.sort();
    all.sort();
    assert_eq!(lines, all);
    assert_eq!(parts, split("b", "--seed 3"));
    assert_ne!(parts, split("c", "--seed 4"));
    let strata = split("d", "--stratify --part train=1 --part dev=1 --part test=1");
    for part in strata {
        let short = part.lines().filter(|l| l.matches("NN").count() == 1).count();
        assert!((3..=5).contains(&short), "{short}");
    }
    let again = rankspace("corpus split").arg(&file).arg("--out").arg(base.path().join("a"));
    again.refused().complains("--force");
    for wrong in ["--part train", "--part train=0", "--part a=1 --part a=1", "--part ../x=1"] {
        let call = rankspace("corpus split --force").args(wrong).arg(&file);
        call.arg("--out").arg(base.path().join("a")).refused();
    }
}

#[test]
fn a_split_goes_by_section_or_by_file() {
    let base = tempfile::tempdir().expect("a temporary folder");
    for (section, n) in [("02", 3), ("03", 4), ("22", 5), ("23", 6)] {
        let folder = base.path().join("wsj").join(section);
        fs::create_dir_all(&folder).expect("made");
        fs::write(folder.join("a.mrg"), treebank(n)).expect("writable");
    }
    let call = |out: &str| {
        let call = rankspace("corpus split --json").arg(base.path().join("wsj"));
        call.arg("--out").arg(base.path().join(out))
    };
    let sizes = |report: &Value| -> Vec<u64> {
        report["files"].as_object().expect("files").values().filter_map(Value::as_u64).collect()
    };
    let report = call("s").args("--sections dev=22 --sections test=23 --sections train=02-21");
    assert_eq!(sizes(&report.succeeds().json()), [5, 6, 7]);
    let part = call("p").args("--sections train=02-21 --sections dev=22").succeeds().json();
    assert!(part["notes"][0].as_str().is_some_and(|n| n.ends_with("left out: 23")), "{part}");
    let twice = call("t").args("--sections train=02-22 --sections dev=22").refused();
    twice.complains("section 22 is in two parts, train and dev");
    call("n").args("--sections train=two").refused().complains("expected numbers and ranges");
    let some = rankspace("corpus stats --json --sections 02-03,23").arg(base.path().join("wsj"));
    assert_eq!(some.succeeds().json()["trees"], 3 + 4 + 6);
    let some = rankspace("corpus convert --sections 22").arg(base.path().join("wsj")).succeeds();
    assert_eq!(some.stdout.lines().count(), 5);
    let flat = rankspace("corpus clean --sections 02").arg(base.path().join("wsj/02"));
    flat.fails().complains("folders like 02, 03");
    let flat = rankspace("corpus split --sections train=02").arg(base.path().join("wsj/02"));
    flat.arg("--out").arg(base.path().join("flat")).fails().complains("folders like 02, 03");
    let report = call("f").args("--by file --part a=1 --part b=1").succeeds().json();
    assert_eq!(sizes(&report), [9, 9]);
}

#[test]
fn cleaning_does_what_preprocessing_does_and_counts_it() {
    let text = "( (S (NP-SBJ (-NONE- *)) (VP (VB Go) (NP (CD 12) (NNS Miles))) (. .)))\n\
                (TOP (NP (-NONE- *)))\n( (FRAG (NN Yes)))\n";
    let base = tempfile::tempdir().expect("a temporary folder");
    let out = base.path().join("clean.mrg");
    let call = || rankspace("corpus clean - --preset ptb --json --force --out").arg(&out);
    let report = call().input(text).succeeds().json();
    let written = || fs::read_to_string(&out).expect("written");
    assert_eq!(written(), "( (S (VP (VB go) (NP (CD N) (NNS miles)))))\n( (FRAG (NN yes)))\n");
    let counts = &report["counts"];
    assert_eq!((&counts["traces"], &counts["punctuation"]), (&2.into(), &1.into()), "{report}");
    assert_eq!((&counts["lower-case"], &counts["numbers"]), (&3.into(), &1.into()));
    assert_eq!((&counts["no-words"], &counts["function-labels"]), (&1.into(), &Value::Null));
    let other = call().args("--set lowercase=false --set unary_chains=join --min-length 2");
    let report = other.input(text).succeeds().json();
    assert_eq!(written(), "( (S+VP (VB Go) (NP (CD N) (NNS Miles))))\n");
    assert_eq!(report["counts"]["too-short"], 1);
    call().args("--set lowercas=false").refused().complains("did you mean `lowercase`");
    let here = "--set unary_chains=colapse: unknown value `colapse`";
    call().args("--set unary_chains=colapse").refused().complains(here);
    call().args("--set max_length=3").refused().complains("--max-length");
    call().args("--set vocabulary.min_count=3").refused().complains("changes no sentence");
    rankspace("corpus clean - --preset wsj").refused().complains("ptb");
}

#[test]
fn what_was_cleaned_stays_as_it_is_when_it_is_cleaned_again() {
    let base = tempfile::tempdir().expect("a temporary folder");
    let raw = base.path().join("raw.mrg");
    let trees = rankspace("corpus generate --sentences 50").succeeds().stdout;
    fs::write(&raw, trees + "(S (NP (CD 1,000) (NNS 1950s)) (VP (VBD No) (CD 5%)))\n")
        .expect("written");
    let text = base.path().join("raw.txt");
    fs::write(&text, "\"No,\" he said at 10:30 to Mr.\nIt 's 5 , I cannot\n").expect("written");
    for preset in ["plain", "ptb", "gum", "craft", "icepahc", "text"] {
        for file in [&raw, &text] {
            let clean = |file: &Path| {
                rankspace("corpus clean --preset").arg(preset).arg(file).succeeds().stdout
            };
            let once = clean(file);
            let cleaned = base.path().join("clean").with_extension(file.extension().expect("one"));
            fs::write(&cleaned, &once).expect("written");
            assert_eq!(clean(&cleaned), once, "{preset}");
            if preset == "plain" {
                assert!(once.contains('N') && once.contains("no"), "{once}");
            }
        }
    }
}

/// What a folder holds, hidden files too.
fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry"));
    let mut names: Vec<_> =
        entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

/// `corpus convert` that waits for the rest of its input, a file begun, and starts with a signal
/// handled so; gets the signal.
#[cfg(unix)]
fn signalled(folder: &Path, signal: libc::c_int, handled: libc::sighandler_t) -> Child {
    use std::os::unix::process::CommandExt;
    let mut command = Command::new(env!("CARGO_BIN_EXE_rankspace"));
    command.args(["corpus", "convert", "-", "--out", "a.mrg"]).current_dir(folder);
    command.stdin(Stdio::piped()).stderr(Stdio::null());
    // SAFETY: `signal` may be called between fork and exec.
    unsafe {
        command.pre_exec(move || {
            libc::signal(signal, handled);
            Ok(())
        });
    }
    let mut program = command.spawn().expect("it starts");
    let input = program.stdin.as_mut().expect("piped");
    input.write_all("(S (NN a))\n".repeat(20_000).as_bytes()).expect("it reads");
    let deadline = Instant::now() + Duration::from_secs(60);
    while names(folder).is_empty() {
        assert!(Instant::now() < deadline, "a file is begun");
        std::thread::yield_now();
    }
    let pid = libc::pid_t::try_from(program.id()).expect("a process number");
    // SAFETY: `kill` only sends a signal, to a child that was not waited for yet.
    assert_eq!(unsafe { libc::kill(pid, signal) }, 0);
    program
}

#[cfg(unix)]
#[test]
fn a_command_that_a_signal_ends_leaves_no_temporary_file() {
    use std::os::unix::process::ExitStatusExt;
    for signal in [libc::SIGTERM, libc::SIGINT, libc::SIGHUP] {
        let base = tempfile::tempdir().expect("a temporary folder");
        let mut program = signalled(base.path(), signal, libc::SIG_DFL);
        let input = program.stdin.take();
        assert_eq!(program.wait().expect("it ends").signal(), Some(signal));
        assert_eq!(names(base.path()), [""; 0]);
        drop(input);
        // One that is ignored, as `nohup` has it, stays ignored.
        let mut program = signalled(base.path(), signal, libc::SIG_IGN);
        drop(program.stdin.take());
        assert!(program.wait().expect("it ends").success());
        assert_eq!(names(base.path()), ["a.mrg"]);
    }
}

#[test]
fn stats_show_what_a_preset_takes_away() {
    let text = "( (S (NP-SBJ (-NONE- *)) (VP (VB Go)) (. .)))\n";
    let stats = rankspace("corpus stats - --preset ptb --json").input(text).succeeds().json();
    assert_eq!(stats["removed"]["traces"], 1);
    assert_eq!(stats["removed"]["punctuation"], 1);
    assert_eq!(stats["presets"]["ptb"]["words"], 1);
    let shown = rankspace("corpus stats - --preset ptb,text --preset ptb").input(text).succeeds();
    let table = shown.stdout.split("\n\n").nth(1).expect("a table behind the counts");
    assert_eq!(
        table,
        "preset                       ptb      text
sentences left                 1         1
words left                     1         2
traces                         1         1  empty elements taken away
punctuation                    1         -  words taken away as punctuation
lower-case                     1         1  words put in lower case
empty-phrases                  1         1  phrases taken away that had no word left
"
    );
    let all = rankspace("corpus stats - --json --preset all").input(text).succeeds().json();
    assert_eq!(all["presets"].as_object().map(|p| p.len()), Some(7));
    rankspace("corpus stats - --preset wsj").refused().complains("ptb, gum");
}

#[test]
fn a_step_counts_the_same_on_the_way_to_a_model_and_to_a_file() {
    let Some(folder) = shared("data/treebanks") else { return };
    let base = tempfile::tempdir().expect("a temporary folder");
    for (name, preset) in [("gum-open", "gum"), ("icepahc-is", "icepahc"), ("craft-ccby", "plain")]
    {
        let file = folder.join(name).join("dev.mrg");
        let stats = rankspace("corpus stats --json --preset").arg(preset).arg(&file).succeeds();
        let clean = rankspace("corpus clean --json --force --preset").arg(preset).arg(&file);
        let clean = clean.arg("--out").arg(base.path().join("a.mrg")).succeeds();
        assert_eq!(stats.json()["removed"], clean.json()["counts"], "{name}");
    }
}

#[test]
fn text_and_words_are_counted_like_trees() {
    let counts = |input: &str| {
        let stats = rankspace("corpus stats - --preset plain --json").input(input).succeeds();
        stats.json()["removed"].clone()
    };
    let expected = serde_json::json!({"punctuation": 1, "lower-case": 2, "numbers": 1});
    assert_eq!(counts("Ann has 7 Cats .\n"), expected);
    assert_eq!(counts("{\"words\": [\"Ann\", \"has\", \"7\", \"Cats\", \".\"]}\n"), expected);
    assert_eq!(counts("(S (A Ann) (B has) (C 7) (D Cats) (. .))\n"), expected);
}

#[test]
fn several_files_are_counted_together_and_what_of_a_folder_is_not_read_is_told() {
    let base = tempfile::tempdir().expect("a temporary folder");
    for (name, text) in
        [("a.mrg", "(S (NN a))\n"), ("b.mrg", "(S (NN b))\n"), ("c.txt", "c d\n"), ("d.md", "e")]
    {
        fs::write(base.path().join(name), text).expect("writable");
    }
    let folder = rankspace("corpus stats").arg(base.path()).succeeds();
    folder.complains("1 file of other formats passed over, 2 files like .mrg read");
    let both = rankspace("corpus stats").arg(base.path().join("a.mrg"));
    let both = both.arg(base.path().join("c.txt")).succeeds();
    both.prints("files           2, the first bracketed trees").prints("words           3, 3 diff");
}

#[test]
fn characters_that_xml_forbids_are_told_and_flat_trees_of_any_size_are_indented() {
    let report = rankspace("corpus convert - --to tiger --json --out");
    let base = tempfile::tempdir().expect("a temporary folder");
    let report = report.arg(base.path().join("o.xml")).input("(S (NN a\u{1}b) (NN c))").succeeds();
    assert_eq!(report.json()["counts"]["characters-replaced"], 1, "{report}");
    // Quadratic time would be minutes.
    let flat = format!("(S {} (NP (NN x)))\n", "(NN word)\n".repeat(200_000));
    let indented = rankspace("corpus convert - --to indented").input(&flat).succeeds();
    assert_eq!(indented.stdout.lines().count(), 200_002);
}

#[test]
fn no_treebank_is_written_over_while_it_is_read() {
    let base = tempfile::tempdir().expect("a temporary folder");
    let folder = base.path();
    let text = "(S (NN a))\n(S (NN b)\n(S (NN c))\n";
    fs::write(folder.join("a.mrg"), text).expect("written");
    fs::create_dir(folder.join("parts")).expect("made");
    fs::write(folder.join("parts/train.mrg"), "(S (NN a))\n".repeat(20)).expect("written");
    for call in [
        "corpus convert a.mrg --out a.mrg --force",
        "corpus convert ./*.mrg --to text --out a.mrg --force",
        "corpus clean a.mrg --out ./a.mrg --force",
        "corpus split parts --out parts --force",
    ] {
        rankspace(call).within(folder).refused().complains("is read from: name another file");
    }
    assert_eq!(fs::read_to_string(folder.join("a.mrg")).expect("there"), text);
    let parts = fs::read_to_string(folder.join("parts/train.mrg")).expect("there");
    assert_eq!(parts.lines().count(), 20);
    let ran = rankspace("corpus convert a.mrg --out b.mrg").within(folder).succeeds();
    assert!(!ran.stderr.contains("nothing was changed"), "a tree is lost: {ran}");
}
