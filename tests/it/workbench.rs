//! The workbench as a person meets it, from start to quit.

use crate::terminal::{Session, bytes_of, key_of};
use rankspace::ensemble::ledger::{Ledger, Verdict};
use rankspace::workbench::ScreenId::{Boost, Corpora, Parses, Rerank, Runs, Train};
use rankspace::workbench::commands::{find, table};
use rankspace::workbench::keymap::Keymap;
use rankspace::workbench::keys::Key;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Waits for the clean end; gives what the only run's status file says, and the exit code.
fn ends_with(session: Session) -> (String, u32) {
    let (work, kept) = session.keep();
    let code = kept.ends_clean();
    (status(work.path()), code)
}

fn status(folder: &Path) -> String {
    let runs: Vec<PathBuf> = std::fs::read_dir(folder.join("work/runs"))
        .expect("a folder of runs")
        .map(|entry| entry.expect("readable").path())
        .filter(|path| path.join("config.toml").is_file())
        .collect();
    assert_eq!(runs.len(), 1, "{runs:?}");
    assert!(runs[0].join("checkpoints/last.safetensors").is_file(), "`last` was written");
    let text = std::fs::read_to_string(runs[0].join("status.json")).expect("a status file");
    let status: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    status["state"].as_str().expect("a state").to_owned()
}

/// The number behind `step` in the head of Train.
fn step(screen: &vt100::Screen) -> Option<u64> {
    let text = screen.contents();
    let (_, rest) = text.split_once("  step ")?;
    let digits: String = rest.chars().take_while(|c| c.is_ascii_digit() || *c == ' ').collect();
    digits.replace(' ', "").parse().ok()
}

/// The newest loss, which stands in the title of its chart.
fn loss(screen: &vt100::Screen) -> Option<f64> {
    let text = screen.contents();
    let (_, rest) = text.split_once("loss (nats/word) ")?;
    // The smoothed value, which one batch does not throw about.
    rest.lines().next()?.split(" ~").nth(1)?.split(' ').next()?.parse().ok()
}

#[test]
fn from_the_first_start_to_the_quit_question() {
    let mut session = Session::start(&[], 80, 24);
    // It trains on the sample by itself, and the loss falls.
    session.sees("running").until("ten steps", |s| step(s) >= Some(10));
    let early = session.look(loss).expect("a loss");
    session.until("a lower loss", |s| loss(s).is_some_and(|now| now < early));
    // Pause: the state is told in words, and no step more is made.
    session.does_on(Train, "pause").sees("paused");
    // A sentence typed on Parses is parsed with the weights of this moment.
    session.does("parses").sees("Parses");
    session.does_on(Parses, "type").keys("the old man saw the dog\r");
    session.until("the parse of the sentence", |s| {
        let text = s.contents();
        text.contains("typed, 6 words") && text.contains("weights of step")
    });
    session.sees_no("leave the field");
    // Another size redraws everything.
    session.resize(120, 40).until("a wide frame", is_drawn_to_its_edges);
    session.resize(80, 24).until("a narrow frame", is_drawn_to_its_edges);
    // Go on, and quit with the question.
    session.does("train").sees("paused").does_on(Train, "pause").sees("running");
    session.does("quit").sees("stop and save").keys("c").sees_no("stop and save");
    session.keys(&bytes_of("Ctrl-c")).sees("stop and save").keys("s");
    assert_eq!(ends_with(session), ("stopped".to_owned(), 0));
}

/// Whether a frame of just this size stands there: the key hints in the last row, and the right
/// edge of a pane in the last column.
fn is_drawn_to_its_edges(screen: &vt100::Screen) -> bool {
    let (rows, columns) = screen.size();
    let (rows, columns) = (rows.get(), columns.get());
    let row = |row| screen.rows(0, columns).nth(usize::from(row)).unwrap_or_default();
    let edge = (0..rows).filter_map(|r| screen.cell(r, columns - 1)).any(|c| c.contents() == "╮");
    row(rows - 1).contains("q quit") && edge
}

#[test]
fn help_explains_a_screen_and_typed_sentences_are_parsed_one_by_one() {
    let mut session = Session::start(&[], 80, 24);
    session.until("ten steps", |s| step(s) >= Some(10)).does_on(Train, "pause").sees("paused");
    session.does("grammar").sees("in use: expected 1 or more").does("help").sees("Help: Grammar");
    session.does("help").sees("What the words and figures mean").sees("posterior");
    session.keys(&bytes_of("Esc")).sees_no("Help: Grammar");
    session.does("parses").does_on(Parses, "type").keys("the dog ran. the old man saw it.\r");
    session.sees("typed 1 of 2, 3 words").keys(&bytes_of("Down")).sees("typed 2 of 2, 5 words");
    // Ctrl-C leaves the line, which keeps its text; Up brings back what was typed before.
    session.does_on(Parses, "type").keys("dogs ba").sees("sentence: dogs ba");
    session.keys(&bytes_of("Ctrl-c")).sees_no("leave the field");
    session.does_on(Parses, "type").sees("sentence: dogs ba").keys(&bytes_of("Up"));
    session.sees("sentence: the dog ran. the old man saw it.");
    session.keys(&bytes_of("Ctrl-c")).sees_no("leave the field");
    session.keys(&bytes_of("Ctrl-c")).sees("stop and save").keys("s");
    assert_eq!(ends_with(session), ("stopped".to_owned(), 0));
}

#[test]
fn no_key_is_lost_while_the_window_is_dragged() {
    let mut session = Session::start(&[], 80, 24);
    session.until("a step", |s| step(s) >= Some(1));
    for round in 0..60 {
        let (screen, text) = if round % 2 == 0 { ("log", "Log:") } else { ("train", "loss (nats") };
        let columns = 80 + round % 7;
        // The key may come before the new size, after it, or both at once.
        match round % 4 {
            0 | 1 => session.does(screen).resize(columns, 24),
            _ => session.resize(columns, 24).does(screen),
        };
        session.sees(text).until("a frame of the new size", is_drawn_to_its_edges);
    }
    session.does("quit").sees("stop and save").keys("s");
    assert_eq!(session.ends_clean(), 0);
}

/// The middle of some times.
fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[times.len() / 2]
}

#[test]
fn the_first_frame_comes_at_once_and_keys_answer_within_a_frame_while_all_cores_train() {
    let starts = (0..5).map(|_| {
        let start = Instant::now();
        let mut session = Session::start(&[], 80, 24);
        session.sees("1 Corpora");
        start.elapsed()
    });
    let first = median(starts.collect());

    let mut session = Session::start(&[], 80, 24);
    session.until("a step", |s| step(s) >= Some(1));
    let answers = (0..30).map(|i| {
        let (screen, text) = if i % 2 == 0 { ("log", "Log:") } else { ("train", "loss (nats") };
        let start = Instant::now();
        session.does(screen).sees(text);
        start.elapsed()
    });
    let answer = median(answers.collect());
    println!("first frame {first:.1?} (budget 100 ms), key to screen {answer:.1?} (budget 33 ms)");
    session.does("quit").sees("stop and save").keys("s");
    assert_eq!(session.ends_clean(), 0);
    // Five times the budget: this build is not a release, and other tests use the cores too.
    assert!(first < Duration::from_millis(500), "first frame after {first:?}");
    assert!(answer < Duration::from_millis(165), "a key was answered after {answer:?}");
}

#[test]
fn a_run_that_was_stopped_is_resumed_and_watched_in_the_same_workbench() {
    let mut session = Session::start(&[], 80, 24);
    session.until("a step", |s| step(s) >= Some(1));
    session.does_on(Train, "stop").sees("It writes").keys("s").sees("stopped");
    let stopped = session.look(step).expect("a step");
    session.does_on(Train, "resume").sees("running");
    session.until("further steps", |s| step(s) > Some(stopped));
    session.does("quit").sees("stop and save").keys("s");
    assert_eq!(ends_with(session), ("stopped".to_owned(), 0));
}

#[test]
fn sigterm_and_a_lost_terminal_write_last_and_end_clean() {
    for signal in [libc::SIGTERM, libc::SIGHUP] {
        let mut session = Session::start(&[], 80, 24);
        session.until("a step", |s| step(s) >= Some(1)).signal(signal);
        assert_eq!(ends_with(session), ("stopped".to_owned(), 0));
    }
}

#[test]
fn a_tiny_terminal_says_what_it_needs_and_can_be_left() {
    let mut session = Session::start(&[], 20, 5);
    session.until("what it needs", |s| {
        let text = s.contents().replace('\n', " ");
        text.contains("terminal too small") && text.contains("20x5, needs 60x16")
    });
    session.resize(80, 24).sees("1 Corpora").sees("running");
    session.does("quit").sees("stop and save").keys("s");
    assert_eq!(session.ends_clean(), 0);
}

#[test]
fn no_color_means_no_colour() {
    let mut session = Session::start_with(&[], 80, 24, &[("NO_COLOR", "1")], |_| {});
    session.until("a step", |s| step(s) >= Some(1));
    session.look(|screen| {
        for (row, column) in (0..24).flat_map(|r| (0..80).map(move |c| (r, c))) {
            let cell = screen.cell(row, column).expect("inside");
            let plain = (vt100::Color::Default, vt100::Color::Default);
            assert_eq!((cell.fgcolor(), cell.bgcolor()), plain, "at {row}, {column}");
        }
    });
    session.does("quit").sees("stop and save").keys("s");
    assert_eq!(session.ends_clean(), 0);
}

#[test]
fn without_utf8_the_screen_is_ascii() {
    let mut session = Session::start_with(&[], 80, 24, &[("LANG", "C")], |_| {});
    session.until("a step", |s| step(s) >= Some(1));
    let text = session.contents();
    assert!(text.is_ascii(), "{text}");
    session.does("quit").sees("stop and save").keys("s");
    assert_eq!(session.ends_clean(), 0);
}

#[test]
fn a_hostile_run_cannot_steer_the_terminal() {
    let text = "do\\u001b]0;owned\\u0007gs \\u001b[2J bark \\u009b31m";
    let event = format!(
        "{{\"schema\":1,\"seq\":0,\"time\":1.0,\"elapsed\":0.0,\"type\":\"message\",\"level\":\"warning\",\"text\":\"{text}\"}}\n"
    );
    let mut session = Session::start_with(&["evil"], 80, 24, &[], |work| {
        std::fs::create_dir(work.join("evil")).expect("makes a folder");
        std::fs::write(work.join("evil/config.toml"), "seed = 3\n").expect("writes");
        std::fs::write(work.join("evil/events.jsonl"), event).expect("writes");
    });
    session.sees("seed 3").does("log").sees("do^[]0;owned^Ggs ^[[2J bark ?31m");
    session.look(|screen| {
        assert!(screen.contents().contains("1 Corpora"), "nothing was cleared");
        let cell = screen.cell(2, 60).expect("inside");
        assert_ne!(cell.fgcolor(), vt100::Color::Idx(1), "nothing was coloured");
    });
    session.does("quit");
    assert_eq!(session.ends_clean(), 0);
}

#[test]
fn a_hostile_corpus_cannot_steer_the_terminal() {
    // Titles, clearing, colours (also by the one-character introducer), in labels, tags and words.
    let treebank = "( (S\u{1b}]0;x\u{7} (NP\u{1b}[2J (DT\u{9b}31m a\u{1b}[31m) (NN dogs\u{1b}[2J)) \
                    (VP\u{9b}31m (VBD \u{1b}]52;c;eA==\u{7}barked) (RB loudly\u{9b}2J))))\n";
    let mut session = Session::start_with(&["evil.mrg"], 100, 30, &[], |work| {
        std::fs::write(work.join("evil.mrg"), treebank.repeat(3)).expect("writes");
    });
    let harmless = |screen: &vt100::Screen| {
        assert!(screen.contents().contains("1 Corpora"), "nothing was cleared");
        for (row, column) in (0..30).flat_map(|r| (0..100).map(move |c| (r, c))) {
            let colour = screen.cell(row, column).expect("inside").fgcolor();
            assert_ne!(colour, vt100::Color::Idx(1), "coloured at {row}, {column}");
        }
    };
    // Labels in the overview, words in the list, both in the tree.
    session.sees("evil.mrg").sees("^[]0;x").look(harmless);
    session.does_on(Corpora, "sentences").sees("dogs^[[2J ^[]52;c;eA==^Gbarked loudly?2J");
    // Trees have U+FFFD for such characters, which this terminal shows as nothing.
    session.sees("NP[2J").sees("]52;c;eA==barked").look(harmless);
    session.does_on(Corpora, "scored").does_on(Corpora, "layout").sees("scored").look(harmless);
    session.does_on(Corpora, "problems").does("quit");
    assert_eq!(session.ends_clean(), 0);
}

#[test]
fn a_treebank_is_looked_through_in_every_way_in_small_and_large_terminals() {
    let words: String = (0..40).map(|i| format!("(NP (NN word{i}))")).collect();
    let treebank = format!(
        "(S (NP-SBJ (DT The) (NN dog)) (VP (VBZ barks)) (. .))\n(S {words})\n(S (NN x)))\n"
    );
    for (width, height) in [(80, 24), (200, 60)] {
        let mut session = Session::start_with(&["own.mrg"], width, height, &[], |work| {
            std::fs::write(work.join("own.mrg"), &treebank).expect("writes");
        });
        session.sees("own.mrg").sees("1 problem");
        session.does_on(Corpora, "problems").sees("(S (NN x)))").sees("          ^");
        session.does_on(Corpora, "distributions").sees("Depth of trees").sees("as read");
        session.does_on(Corpora, "scored").sees("as scored").does_on(Corpora, "scored");
        session.does_on(Corpora, "compare").sees("before The dog barks [.]").sees("the dog barks");
        session.does_on(Corpora, "compare").does_on(Corpora, "down").sees("columns 1–");
        session.does_on(Corpora, "scroll-right").sees("◀ columns 9–");
        session.does_on(Corpora, "layout").sees("horizontal").sees("rows 1–");
        session.does_on(Corpora, "scroll-down").sees("▲ rows 4–");
        session.does_on(Corpora, "layout").sees("brackets").does("quit");
        assert_eq!(session.ends_clean(), 0);
    }
}

#[test]
fn parts_of_trees_are_searched_for_marked_and_walked_through() {
    let tree = "(S (NP (DT The) (NN dog)) (VP (VBZ sees) (NP (DT a) (NN cat))))\n";
    let treebank = format!("(S (NP (NNS Dogs)) (VP (VBP bark)))\n{}", tree.repeat(2));
    for (width, height) in [(80, 24), (200, 60)] {
        let mut session = Session::start_with(&["own.mrg"], width, height, &[], |work| {
            std::fs::write(work.join("own.mrg"), &treebank).expect("writes");
        });
        session.sees("own.mrg").does_on(Corpora, "pattern").sees("e.g. NP <");
        session.keys("NP < (").sees("column 7").keys("\r").sees("column 7");
        session.resize(20, 5).sees("terminal too").resize(width, height).sees("NP < (");
        session.keys("DT)\r").sees("match 1 of 4 in 2 of 3 sentences").sees("»NP");
        session.does_on(Corpora, "next-match").sees("match 2 of 4");
        session.does_on(Corpora, "fold").sees("folded below depth 2").sees("»NP …");
        session.keys("\u{1b}").sees_no("match 2").sees("Sentences 2/3");
        session.does_on(Corpora, "jump").sees("1 to 3").keys("9\r").sees("they go from 1 to 3");
        session.keys("\u{7f}3\r").sees("Sentences 3/3");
        session.does("quit");
        assert_eq!(session.ends_clean(), 0);
    }
}

#[test]
#[cfg(debug_assertions)]
fn a_panic_on_the_drawing_thread_gives_the_terminal_back_and_says_what_it_was() {
    let fault = [("RANKSPACE_FAULT", "draw")];
    let mut session = Session::start_with(&[], 80, 24, &fault, |_| {});
    session.sees("RANKSPACE_FAULT=draw asks for it");
    assert_eq!(session.ends_clean(), 101);
}

#[test]
fn every_key_that_scenarios_type_is_the_first_of_its_command() {
    for (scope, command) in table() {
        let Some(first) = command.keys.first() else { continue };
        let key = Key::parse(first).expect("spelt right");
        let screens = scope.map_or_else(|| vec![Corpora, Train, Parses], |id| vec![id]);
        for screen in screens {
            let found = find(&Keymap::default(), screen, key).expect("bound");
            assert_eq!((found.0, found.1.name), (scope, command.name), "{first} on {screen:?}");
        }
    }
    for key in ["Esc", "Ctrl-c"] {
        let key = Key::parse(key).expect("spelt right");
        assert!(find(&Keymap::default(), Train, key).is_some(), "{key:?}");
    }
}

#[test]
#[should_panic(expected = "no command `pauze`")]
fn a_scenario_fails_where_its_command_is_not_in_the_table() {
    key_of(Some(Train), "pauze");
}

#[test]
fn a_later_start_offers_the_last_run() {
    let mut session = Session::start_with(&[], 80, 24, &[], |work| {
        let run = work.join("runs/2026-11-28-rank-pcfg");
        std::fs::create_dir_all(&run).expect("makes a folder");
        std::fs::write(run.join("config.toml"), "seed = 3\n").expect("writes");
    });
    session.sees("Welcome back").sees("2026-11-28-rank-pcfg").keys("s").sees_no("Welcome back");
    session.sees("seed 3").does("quit");
    assert_eq!(session.ends_clean(), 0);
}

#[test]
fn a_finished_run_that_nobody_looks_at_costs_no_processor_time() {
    let run = concat!(env!("CARGO_MANIFEST_DIR"), "/sample_data/runs/sample-rank-pcfg");
    let mut session = Session::start(&[run], 80, 24);
    session.sees("finished");
    let Some(mut before) = session.processor_seconds() else { return };
    // Opening takes some; then two seconds in a row pass with next to nothing.
    let deadline = Instant::now() + Duration::from_secs(60);
    loop {
        let start = Instant::now();
        while start.elapsed() < Duration::from_secs(2) {
            std::thread::park_timeout(Duration::from_millis(200));
        }
        let now = session.processor_seconds().expect("it told before");
        if now - before < 0.3 {
            break;
        }
        assert!(Instant::now() < deadline, "{:.2} s of processor time in 2 s", now - before);
        before = now;
    }
    session.keys("q");
    assert_eq!(session.ends_clean(), 0);
}

#[test]
fn a_verdict_on_what_boosting_pushes_up_survives_a_kill() {
    let mut session = Session::start_with(&[], 80, 24, &[], |work| {
        let lines: String = ["the dog", "a cat", "the man", "a dog"]
            .iter()
            .flat_map(|np| ["saw", "left", "heard"].map(|verb| (np, verb)))
            .map(|(np, verb)| {
                let (determiner, noun) = np.split_once(' ').expect("two words");
                let subject = format!("(NP (DT {determiner}) (NN {noun}))");
                let object = if verb == "left" { "(NN x)" } else { "(NP (NN x))" };
                format!("(S {subject} (VP (VBD {verb}) {object}))\n")
            })
            .collect();
        std::fs::write(
            work.join("own.mrg"),
            lines + "(S (NP (DT the) (NN dog)) (VP (VBD saw) (NN x)))",
        )
        .expect("writes");
        let command = "boost --train own.mrg --test own.mrg --rounds 2 --out runs/own";
        crate::call::rankspace(command).within(work).succeeds();
    });
    // The last run is offered, on Boost, and not that of the sample; it is looked at.
    session.sees("Welcome back").sees("The last run is own (finished, round 2)");
    session.keys("s").sees_no("Welcome back").sees("round 2 of 2").sees("Analysis of round 2");
    session.does("train").sees("Boost").does("runs").sees("sample-boost");
    session.does_on(Runs, "open").sees("round 2 of 2").sees("Analysis of round 2");
    session.does_on(Boost, "figures").sees("eff.size").does_on(Boost, "figures").sees("words");
    session.does_on(Boost, "twins").sees("Twins").does_on(Boost, "twins").sees("Annotation");
    session.does_on(Boost, "ambiguous").sees("ambiguous; saved");
    session.does_on(Boost, "note").sees("What is to be said").keys("NP or not\r");
    session.sees("with a note; saved");
    // Of two sentences of the same words that are annotated in two ways, one is never got right.
    session.does_on(Boost, "filter").keys("error>0").sees("with error>0").keys("\r");
    session
        .sees_no("leave the field")
        .does_on(Boost, "bracket")
        .sees("bracket 1/")
        .does_on(Boost, "error");
    session.sees("error; saved").signal(libc::SIGKILL);
    let (folder, killed) = session.keep();
    drop(killed);
    let run = folder.path().join("work/runs/own");
    let ledger = Ledger::open(&run.join("verdicts.jsonl")).expect("reads");
    let (spans, whole): (Vec<_>, Vec<_>) =
        ledger.current().into_iter().partition(|entry| entry.span.is_some());
    let held: Vec<_> = whole.iter().map(|e| (e.verdict, e.note.as_str())).collect();
    assert_eq!(held, [(Verdict::Ambiguous, "NP or not")]);
    assert!(spans.len() == 1 && spans[0].verdict == Verdict::Error, "{spans:?}");
    // A named run of this kind opens on Boost.
    let mut again = Session::start(&[&run.display().to_string()], 80, 24);
    again.sees("2 verdicts").sees("ambiguous: NP or not").does("quit");
    assert_eq!(again.ends_clean(), 0);
}

#[test]
fn where_nothing_was_boosted_yet_boost_shows_the_rounds_that_come_with_the_program() {
    let mut session = Session::start(&[], 80, 24);
    session.until("a step", |s| step(s) >= Some(1));
    session.does("boost").sees("sample-boost").sees("round 10 of 10").sees("Analysis of round 10");
    session.sees("the selected run has no rounds").sees_no("reading the analyses");
    // The treebank that it is about is there as well.
    session.does_on(Boost, "filter").keys("error>0.2").sees("with error>0.2").keys("\r");
    session
        .sees_no("leave the field")
        .does_on(Boost, "propose")
        .sees("The tree as it should be")
        .keys("\r");
    session.sees("with a proposal; saved");
    session.does_on(Boost, "export").sees("corrections.diff").keys("\r").sees("1 tree corrected");
    session.does("train").sees("running").does("quit").sees("stop and save").keys("s");
    let (folder, left) = session.keep();
    assert_eq!(left.ends_clean(), 0);
    let data = folder.path().join("home/data/rankspace/sample_data");
    let exported = data.join("runs/sample-boost/exports/verdicts");
    let diff = std::fs::read_to_string(exported.join("corrections.diff")).expect("written");
    assert!(diff.contains("+++ b/sample_data/noisy.mrg"), "{diff}");
    let read = |path: PathBuf| std::fs::read_to_string(path).expect("readable");
    let (before, after) =
        (read(data.join("noisy.mrg")), read(exported.join("corrected/sample_data/noisy.mrg")));
    let changed = before.lines().zip(after.lines()).filter(|(a, b)| a != b).count();
    assert_eq!((before.lines().count(), changed), (after.lines().count(), 1));
}

#[test]
fn candidate_lists_and_a_reranker_are_told_by_content_and_a_change_is_explained() {
    let sample = Path::new(env!("CARGO_MANIFEST_DIR")).join("sample_data/reranking");
    let named = ["test.jsonl.gz", "reranker.safetensors"];
    let [lists, reranker] = named.map(|name| sample.join(name).display().to_string());
    let mut session = Session::start(&[&lists, &reranker], 80, 24);
    session.sees("150 sentences").sees("reranker: top-efficient").sees("F1 base 86.44 → 90.21");
    session.does_on(Rerank, "changed").sees("changed only");
    session.does_on(Rerank, "sort").sees("by gain").sees("Gold tree");
    session.does_on(Rerank, "compare").sees("against base").sees("Base choice");
    session.does_on(Rerank, "decisions").sees("has its margin").sees("log-odds");
    session.does_on(Rerank, "figures").sees("anti-oracle").sees("p-value").sees("F1 by words");
    session.does_on(Rerank, "figures").does_on(Rerank, "export").sees("chosen trees");
    session.keys("\r").sees("written to exports/test-lists.jsonl");
    // A reranker is learned from the lists in view, and takes the place of the one that was named.
    session.does_on(Rerank, "learn").sees("top-efficient").keys("\r");
    session.sees("Candidate lists of development").keys("\r").sees("trained on these lists");
    session.resize(20, 5).sees("too small").resize(80, 24).sees("Sentences ").sees("q quit");
    session.does("quit");
    let (folder, left) = session.keep();
    assert_eq!(left.ends_clean(), 0);
    let runs = std::fs::read_dir(folder.path().join("work/runs")).expect("a folder of runs");
    let runs: Vec<PathBuf> = runs.map(|run| run.expect("readable").path()).collect();
    let made = runs.iter().any(|run| run.join("checkpoints/best.safetensors").is_file());
    assert!(made, "{runs:?}");
}

#[test]
fn rerank_shows_the_sample_where_nothing_was_named() {
    let mut session = Session::start(&[], 80, 24);
    session.until("a step", |s| step(s) >= Some(1));
    session.does("rerank").sees("sample test").sees("reranked").sees("F1 base 86.44");
    session.does("help").sees("Help: Rerank").does("help").sees("What the words and figures mean");
    session.keys(&bytes_of("Esc")).sees_no("Help: Rerank");
    session.does("train").sees("running").does("quit").sees("stop and save").keys("s");
    let (folder, left) = session.keep();
    assert_eq!(left.ends_clean(), 0);
    // The files that it is made of lie in the data directory, for commands.
    let data = folder.path().join("home/data/rankspace/sample_data/reranking");
    assert!(data.join("test.jsonl.gz").is_file() && data.join("reranker.safetensors").is_file());
}
