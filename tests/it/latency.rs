//! How long the workbench takes for keys on a large treebank, and on a run of the paper's size.
//! Figures of a build that is not a release mean little:
//! `cargo build --release; RANKSPACE_PROGRAM=target/release/rankspace cargo test --test it latency::
//! -- --ignored --nocapture --test-threads 1`.

use crate::call::rankspace;
use crate::terminal::Session;
use rankspace::workbench::ScreenId::{self, Corpora, Grammar};
use std::path::Path;
use std::time::{Duration, Instant};

/// What everything that shows no progress stays under.
const BUDGET: Duration = Duration::from_millis(100);

/// Times by what was done, in the order of doing.
#[derive(Default)]
struct Times(Vec<(String, Vec<Duration>)>);

impl Times {
    fn take(&mut self, what: &str, time: Duration) {
        match self.0.iter_mut().find(|(name, _)| name == what) {
            Some((_, times)) => times.push(time),
            None => self.0.push((what.to_owned(), vec![time])),
        }
    }

    /// Types keys and waits for what they lead to.
    fn keys(&mut self, session: &mut Session, what: &str, keys: &str, sees: &str) {
        let start = Instant::now();
        session.keys(keys).sees(sees);
        self.take(what, start.elapsed());
    }

    /// Prints all and fails where a median is above the budget, but for what shows its progress.
    fn within_budget(&self, with_progress: &[&str]) {
        let mut late = Vec::new();
        for (what, times) in &self.0 {
            let mut sorted = times.clone();
            sorted.sort();
            let (median, longest) = (sorted[sorted.len() / 2], sorted[sorted.len() - 1]);
            let progress = with_progress.contains(&what.as_str());
            let note = if progress { "  (with progress)" } else { "" };
            println!(
                "{what:<44} median {median:>8.1?}  longest {longest:>8.1?}  of {}{note}",
                times.len()
            );
            if median > BUDGET && !progress {
                late.push(what);
            }
        }
        let is_release = std::env::var_os("RANKSPACE_PROGRAM").is_some();
        assert!(late.is_empty() || !is_release, "above {BUDGET:?}: {late:?}");
    }
}

fn switch_screens(session: &mut Session, times: &mut Times, home: ScreenId) {
    // The title of a pane of each.
    let screens = [("2", "╭ Train "), ("3", "╭ Grammar "), ("4", "╭ Parses "), ("8", "Log:")];
    for _ in 0..3 {
        for (key, text) in screens {
            times.keys(session, "switch to another screen", key, text);
        }
        let home = home.digit().to_string();
        times.keys(session, "switch back", &home, "Sentences ");
    }
}

#[test]
#[ignore = "takes minutes; its figures are those of a release build"]
fn a_treebank_of_40_000_trees_is_read_scrolled_and_searched() {
    let trees = rankspace("corpus generate --sentences 40000 --seed 3 --max-length 30").succeeds();
    let mut times = Times::default();
    let mut start = Instant::now();
    let mut session = Session::start_with(&["large.mrg"], 120, 40, &[], |work| {
        std::fs::write(work.join("large.mrg"), &trees.stdout).expect("writes");
        start = Instant::now();
    });
    session.sees("1 Corpora");
    times.take("first frame", start.elapsed());
    session.sees("large.mrg").does_on(Corpora, "sentences").sees("Sentences 1/40000");
    times.take("40,000 trees read", start.elapsed());
    for i in 2..40 {
        times.keys(&mut session, "down", "j", &format!("Sentences {i}/40000"));
    }
    times.keys(&mut session, "last", "G", "Sentences 40000/40000");
    times.keys(&mut session, "first", "g", "Sentences 1/40000");
    session.does_on(Corpora, "filter").sees("filter:");
    for (key, text) in [("d", "filter: d"), ("o", "filter: do"), ("g", "filter: dog")] {
        times.keys(&mut session, "a letter of the filter", key, text);
    }
    session.keys("\r").sees_no("filter:");
    // The place is kept.
    times.keys(&mut session, "filter taken away", "\u{1b}", "/40000");
    session.does_on(Corpora, "pattern").sees("e.g. NP <");
    times.keys(&mut session, "pattern searched for", "NP < (PP < (NP < PP))\r", "match 1 of ");
    for i in 2..40 {
        times.keys(&mut session, "next match", "n", &format!("match {i} of "));
    }
    for layout in ["horizontal", "brackets", "one line", "vertical"] {
        times.keys(&mut session, "another layout", "v", layout);
    }
    session.does_on(Corpora, "jump").sees("1 to 40000");
    times.keys(&mut session, "jump", "39000\r", "Sentences 39000/40000");
    switch_screens(&mut session, &mut times, Corpora);
    session.does("quit");
    assert_eq!(session.ends_clean(), 0);
    times.within_budget(&["40,000 trees read", "pattern searched for"]);
}

/// A run of the paper's size after one step on a few sentences.
fn paper_run(work: &Path) {
    let trees = rankspace("corpus generate --sentences 60 --seed 3 --max-length 8").succeeds();
    let lines: Vec<&str> = trees.stdout.lines().collect();
    std::fs::write(work.join("train.mrg"), lines[..20].join("\n")).expect("writes");
    std::fs::write(work.join("dev.mrg"), lines[20..].join("\n")).expect("writes");
    rankspace("train --preset pcfg-paper --set data.preset=plain --set training.max_steps=1")
        .args("--set data.train=train.mrg --set data.dev=dev.mrg --set data.test=[] --out run")
        .within(work)
        .succeeds();
}

#[test]
#[ignore = "takes minutes and gigabytes; its figures are those of a release build"]
fn a_run_of_the_papers_size_is_looked_through() {
    let mut times = Times::default();
    let mut session = Session::start_with(&["run"], 120, 40, &[], paper_run);
    session.sees("1 Corpora");
    let start = Instant::now();
    session.does("grammar").sees("Nonterminals 1/4500");
    times.take("weights read, symbols counted", start.elapsed());
    for i in 2..30 {
        times.keys(&mut session, "down", "j", &format!("Nonterminals {i}/4500"));
    }
    session.does_on(Grammar, "kind").sees("Preterminals 1/9000");
    for i in 2..30 {
        times.keys(&mut session, "down", "j", &format!("Preterminals {i}/9000"));
    }
    times.keys(&mut session, "last", "G", "Preterminals 9000/9000");
    for sort in ["by purity", "by number", "by expected use"] {
        times.keys(&mut session, "another order", "s", sort);
    }
    session.does_on(Grammar, "filter").sees("filter:");
    for (key, text) in [("t", "filter: t"), ("8", "filter: t8"), ("9", "filter: t89")] {
        times.keys(&mut session, "a letter of the filter", key, text);
    }
    session.keys("\r").sees_no("filter:");
    for _ in 0..3 {
        times.keys(&mut session, "switch to another screen", "4", "S-F1");
        times.keys(&mut session, "switch back", "3", "Preterminals ");
    }
    let start = Instant::now();
    session.sees("similar symbols");
    session.sees_no("comparing the weights");
    times.take("symbols like one", start.elapsed());
    session.does("quit");
    assert_eq!(session.ends_clean(), 0);
    times.within_budget(&["weights read, symbols counted", "symbols like one"]);
}
