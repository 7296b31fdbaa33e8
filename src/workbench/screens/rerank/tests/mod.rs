mod learning;
mod odd;

use super::book::Ranked;
use super::load::Trouble;
use super::*;
use crate::report::RunState;
use crate::rerank::{ListStatistics, Outcome};
use crate::run::{Job, RunFolder};
use crate::treebank::candidates::{CandidateFile, ReadOptions};
use crate::workbench::shared::RunEntry;
use crate::workbench::stage::{Stage, said};
use crossterm::event::KeyCode;
use learning::learns;
use std::path::Path;
use std::time::{Duration, Instant};

/// The screen as it comes into view where nothing was named.
fn on_sample() -> Stage<Rerank> {
    let mut stage = Stage::new(Rerank::default());
    let effects = stage.update(Input::Shown);
    let left = stage.settle(effects);
    assert!(said(&left).is_empty(), "{left:?}");
    stage
}

/// The screen on lists of that text.
fn on_lists(folder: &Path, text: &str) -> Stage<Rerank> {
    let mut stage = Stage::new(Rerank::default());
    stage.shared.runs_folder = folder.join("runs");
    open(&mut stage, &write(folder, "lists.txt", text));
    stage
}

fn write(folder: &Path, name: &str, text: &str) -> PathBuf {
    let path = folder.join(name);
    std::fs::write(&path, text).expect("writes");
    path
}

fn open(stage: &mut Stage<Rerank>, path: &Path) -> Vec<String> {
    let effects = stage.update(Input::Open(&Target::Lists(path.to_owned())));
    let mut told = said(&stage.settle(effects));
    let effects = stage.update(Input::Shown);
    told.extend(said(&stage.settle(effects)));
    told
}

/// Does commands with all that follows from them; gives what they said.
fn does(stage: &mut Stage<Rerank>, names: &[&'static str]) -> Vec<String> {
    let mut told = Vec::new();
    for name in names {
        let effects = stage.command(name);
        told.extend(said(&stage.settle(effects)));
    }
    told
}

fn answer(stage: &mut Stage<Rerank>, popup: &'static str, answer: Answer) -> Vec<Effect> {
    let effects = stage.update(Input::Answer { popup, answer: &answer });
    stage.settle(effects)
}

fn book(stage: &Stage<Rerank>) -> &Book {
    stage.screen.book.as_ref().expect("read")
}

fn ranked(stage: &Stage<Rerank>) -> &Ranked {
    book(stage).ranked.as_ref().expect("reranked")
}

/// Lists of ours with gold trees; two attachments of a phrase, of which the first is preferred.
const OURS: &str = r#"{"schema":1,"id":"a","gold":"(S (NP (NN men)) (VP (VBD saw) (NP (NN cats)) (PP (IN with) (NP (NN dogs)))))","candidates":[{"tree":"(S (NP (NN men)) (VP (VBD saw) (NP (NP (NN cats)) (PP (IN with) (NP (NN dogs))))))","log_prob":-9.5},{"tree":"(S (NP (NN men)) (VP (VBD saw) (NP (NN cats)) (PP (IN with) (NP (NN dogs)))))","log_prob":-10.25},{"tree":"(S (NP (NN men)) (VP (VBD saw) (X (NN cats) (IN with)) (NP (NN dogs))))","log_prob":-12}]}
{"schema":1,"id":"b","gold":"(S (NP (NN dogs)) (VP (VBD saw) (NP (NN men)) (PP (IN with) (NP (NN cats)))))","candidates":[{"tree":"(S (NP (NN dogs)) (VP (VBD saw) (NP (NP (NN men)) (PP (IN with) (NP (NN cats))))))","log_prob":-9},{"tree":"(S (NP (NN dogs)) (VP (VBD saw) (NP (NN men)) (PP (IN with) (NP (NN cats)))))","log_prob":-9.5}]}
{"schema":1,"id":"c","gold":"(S (NP (NN cats)) (VP (VBD slept)))","candidates":[{"tree":"(S (NP (NN cats)) (VP (VBD slept)))","log_prob":-4}]}
"#;

#[test]
fn the_sample_is_shown_reranked_where_nothing_was_named() {
    let stage = on_sample();
    assert!(ranked(&stage).scored.iter().any(|scored| scored.chosen != Some(0)));
    insta::assert_snapshot!("sample_80", stage.shot(80, 24));
    insta::assert_snapshot!("sample_200", stage.shot(200, 60));
}

#[test]
fn the_samples_reranker_names_no_lists_of_the_folder_that_the_program_runs_in() {
    let tool = book::Tool::sample().expect("whole");
    assert_eq!((tool.dev, &*tool.train), (None, ""));
}

#[test]
fn who_reranks_is_told_in_the_narrowest_terminal() {
    let base = tempfile::tempdir().expect("a temporary folder");
    let head = |stage: &Stage<Rerank>| stage.shot(80, 24).lines().nth(1).map(str::to_owned);
    let told = head(&on_sample()).expect("two lines");
    assert!(told.contains("sample: top-efficient · F1 ") && told.contains("oracle"), "{told}");
    // A long name loses its beginning, and figures what is on the page of figures too.
    let mut stage = on_lists(base.path(), OURS);
    let run = learns(&mut stage, 0, "");
    let told = head(&stage).expect("two lines");
    let end: String = run.display().to_string().chars().rev().take(9).collect();
    let end: String = end.chars().rev().collect();
    let kernel = format!("{end}: top-efficient, trained on these lists · F1 ");
    assert!(told.contains(&kernel), "{told}");
    assert!(told.chars().count() <= 80, "{told}");
}

#[test]
fn candidates_decisions_figures_and_base_trees_at_80x24() {
    let mut stage = on_sample();
    does(&mut stage, &["changed", "sort", "candidates", "compare"]);
    insta::assert_snapshot!("candidates_80", stage.shot(80, 24));
    does(&mut stage, &["decisions"]);
    insta::assert_snapshot!("decisions_80", stage.shot(80, 24));
    does(&mut stage, &["figures"]);
    insta::assert_snapshot!("figures_80", stage.shot(80, 24));
    insta::assert_snapshot!("figures_200", stage.shot(200, 60));
}

#[test]
fn the_figures_are_those_of_the_command() {
    let stage = on_sample();
    let outcome = Outcome::of(&book(&stage).lists, &ranked(&stage).scored, 10_000, 0);
    let summary = stage.screen.summary.as_ref().expect("computed");
    let f1 = |chooser| summary.f1(chooser).expect("there");
    use super::summary::Chooser;
    assert_eq!(f1(Chooser::Base), outcome.base.totals().f1());
    assert_eq!(f1(Chooser::Reranker), outcome.reranked.totals().f1());
    assert_eq!(f1(Chooser::Oracle), outcome.oracle.totals().f1());
    assert_eq!(summary.p.expect("tested").0, outcome.p);
    assert_eq!(summary.better + summary.worse + summary.equal, outcome.changed);
    let statistics = ListStatistics::of(&book(&stage).lists);
    assert!((f1(Chooser::Worst) - statistics.anti_oracle.f1()).abs() < 1e-9);
    let sentences: u64 = summary.lengths.iter().map(|row| row.sentences).sum();
    assert_eq!(sentences as usize, book(&stage).with_gold);
    assert!(f1(Chooser::Reranker) > f1(Chooser::Base), "the sample is worth looking at");
}

#[test]
fn decisions_in_view_and_the_others_sum_to_the_margin() {
    let stage = on_sample();
    let (book, ranked) = (book(&stage), ranked(&stage));
    let mut seen = 0;
    for (i, list) in book.lists.iter().enumerate() {
        let parts = ranked.tool.reranker.explain(list);
        for k in 1..list.len() {
            let contributions = Contributions::of(&parts, k, 0).expect("both are there");
            let margin = book.margin(i, k).expect("scored");
            for shown in [0..0, 0..3, 2..7, 0..usize::MAX] {
                let (decisions, (others, rest)) = contributions.split(shown);
                let shown: f64 = decisions.iter().map(|(_, part)| part).sum();
                let sum = contributions.log_prob + shown + rest;
                assert!((sum - margin).abs() < 1e-6, "{i} {k}: {sum} for {margin}");
                assert_eq!(decisions.len() + others, contributions.decisions.len());
            }
            seen += contributions.decisions.len();
        }
    }
    assert!(seen > 1000, "{seen} decisions");
}

#[test]
fn lists_are_filtered_and_sorted_by_what_reranking_did() {
    let mut stage = on_sample();
    let all = stage.screen.order.len();
    does(&mut stage, &["changed"]);
    let changed = stage.screen.order.clone();
    assert!(!changed.is_empty() && changed.len() < all);
    assert!(changed.iter().all(|i| book(&stage).is_changed(*i as usize)));
    let gains = |stage: &Stage<Rerank>| -> Vec<f64> {
        let order = stage.screen.order.iter();
        order.map(|i| book(stage).gain(*i as usize).expect("gold")).collect()
    };
    does(&mut stage, &["sort"]);
    assert!(gains(&stage).is_sorted_by(|a, b| a >= b), "{:?}", gains(&stage));
    does(&mut stage, &["sort"]);
    assert!(gains(&stage).is_sorted(), "{:?}", gains(&stage));
    does(&mut stage, &["sort"]);
    let margins = stage.screen.order.iter().map(|i| {
        let i = *i as usize;
        book(&stage).margin(i, book(&stage).choice(i).expect("one")).expect("scored")
    });
    assert!(margins.collect::<Vec<_>>().is_sorted_by(|a, b| a >= b));
    does(&mut stage, &["sort", "filter"]);
    stage.type_text("gain<0 length>5");
    stage.press(KeyCode::Enter);
    let effects = stage.command("reverse");
    stage.settle(effects);
    assert!(!stage.screen.order.is_empty());
    for i in &stage.screen.order {
        let i = *i as usize;
        assert!(book(&stage).gain(i).expect("gold") < 0.0);
        assert!(book(&stage).lists[i].list.words.len() > 5);
    }
    does(&mut stage, &["clear"]);
    assert_eq!(stage.screen.order.len(), all);
}

#[test]
fn the_selected_sentence_stays_selected_and_a_jump_finds_hidden_ones() {
    let mut stage = on_sample();
    does(&mut stage, &["down", "down"]);
    let selected = stage.screen.sentence();
    does(&mut stage, &["sort"]);
    assert_eq!(stage.screen.sentence(), selected);
    does(&mut stage, &["changed"]);
    let hidden = (0..book(&stage).lists.len()).find(|i| !book(&stage).is_changed(*i));
    let hidden = hidden.expect("not all were changed");
    answer(&mut stage, "rerank-jump", Answer::Text((hidden + 1).to_string()));
    assert_eq!(stage.screen.sentence(), Some(hidden));
    let name = book(&stage).lists[7].list.id.clone().expect("named");
    answer(&mut stage, "rerank-jump", Answer::Text(name));
    assert_eq!(stage.screen.sentence(), Some(7));
    let told = said(&answer(&mut stage, "rerank-jump", Answer::Text("9999".into())));
    assert_eq!(told, ["no `9999`: sentences go from 1 to 150"]);
}

#[test]
fn candidates_are_gone_through_and_compared_with_gold_and_base() {
    let base = tempfile::tempdir().expect("a temporary folder");
    let mut stage = on_lists(base.path(), OURS);
    assert_eq!(stage.screen.candidate, 0, "without a reranker the base choice");
    does(&mut stage, &["candidates", "down"]);
    assert_eq!(stage.screen.candidate, 1);
    assert_eq!((stage.screen.panes.missing, stage.screen.panes.spurious), (0, 0), "it is gold");
    does(&mut stage, &["last"]);
    let panes = &stage.screen.panes;
    assert_eq!((panes.missing, panes.spurious, panes.crossing), (2, 0, 1));
    let seen = stage.shot(80, 24);
    assert!(seen.contains("against gold") && seen.contains("✗ 1 crossing"), "{seen}");
    does(&mut stage, &["compare"]);
    let seen = stage.shot(80, 24);
    assert!(seen.contains("against base") && seen.contains("Base choice"), "{seen}");
    // Brackets go on from the candidates to the next sentence only by way of the list.
    does(&mut stage, &["clear", "down"]);
    assert_eq!((stage.screen.sentence(), stage.screen.candidate), (Some(1), 0));
    does(&mut stage, &["next-candidate", "next-candidate"]);
    assert_eq!(stage.screen.candidate, 1);
}

#[test]
fn lists_tables_and_chosen_trees_are_written_and_read_back() {
    let base = tempfile::tempdir().expect("a temporary folder");
    let mut stage = on_sample();
    stage.shared.runs_folder = base.path().join("runs");
    let asked = stage.command("export");
    let [Effect::Popup(Popup::List { items, .. })] = &asked[..] else { panic!("{asked:?}") };
    let n = items.len();
    assert_eq!(n, 8);
    for item in (0..n).chain(0..3) {
        let told = said(&answer(&mut stage, "rerank-export", Answer::Item(item)));
        assert!(told[0].starts_with("written to"), "{told:?}");
    }
    let folder = base.path().join("exports");
    assert_eq!(std::fs::read_dir(&folder).expect("made").count(), n + 3);
    let lists = folder.join("sample-test-lists.jsonl");
    let read = CandidateFile::read(&lists, ReadOptions::default()).expect("reads");
    assert_eq!(read.lists.len(), 150);
    assert!(read.dropped.is_empty() && read.messages.is_empty());
    for (read, shown) in read.lists.iter().zip(book(&stage).lists.iter()) {
        let trees = |list: &crate::treebank::candidates::CandidateList| -> Vec<String> {
            list.candidates.iter().map(|c| c.tree.to_string()).collect()
        };
        assert_eq!(trees(read), trees(&shown.list));
    }
    let table = std::fs::read_to_string(folder.join("sample-test-table.csv")).expect("there");
    assert_eq!(table.lines().count(), book(&stage).candidates + 1);
    let trees = std::fs::read_to_string(folder.join("sample-test-reranked.mrg")).expect("there");
    let first = book(&stage).choice(0).expect("one");
    assert_eq!(trees.lines().count(), 150);
    let chosen = book(&stage).lists[0].trees[first].to_string();
    assert_eq!(trees.lines().next(), Some(chosen.as_str()));
}

#[test]
fn a_file_is_told_by_what_is_in_it() {
    use crate::workbench::start::Named;
    let base = tempfile::tempdir().expect("a temporary folder");
    let tree = "(S (NP (NN men)) (VP (VBD slept)))";
    let bllip = format!("1\ts-1\n-20.5\n(S1 {tree})\n\n");
    let berkeley = format!("-20.5\t( {tree})\n\n(())\n\n");
    let stanford = format!("# Parse 1 with score -20.5\n(ROOT\n  {tree})\n\n");
    let johnson = format!("1\n1 (S1 {tree})\n-20.5 (S1 {tree})\n");
    for (name, text) in
        [("a", &*bllip), ("b", &*berkeley), ("c", &*stanford), ("d", &*johnson), ("e", OURS)]
    {
        let path = write(base.path(), name, text);
        assert_eq!(Named::all(&path), Ok(vec![Named::Lists(path.clone())]), "{text}");
        let mut stage = Stage::new(Rerank::default());
        assert!(open(&mut stage, &path).is_empty());
        assert!(!book(&stage).lists[0].is_empty());
    }
    let others = [
        tree.to_owned(),
        format!("(S\n  (NP (NN men))\n  (VP (VBD slept)))\n{tree}\n"),
        "12 men slept\nand dogs barked\n".to_owned(),
        "3\nmen slept\n".to_owned(),
        "{\"words\": [\"men\"]}\n".to_owned(),
        String::new(),
    ];
    for text in others {
        let path = write(base.path(), "other", &text);
        assert_eq!(Named::all(&path), Ok(vec![Named::Corpus(path.clone())]), "{text}");
    }
    let reranker =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("sample_data/reranking/reranker.safetensors");
    assert_eq!(Named::all(&reranker), Ok(vec![Named::Reranker(reranker.clone())]));
    // Named on the screen, lists and rerankers go where they belong, and others elsewhere.
    let mut stage = on_lists(base.path(), OURS);
    answer(&mut stage, "open", Answer::Text(reranker.display().to_string()));
    assert_eq!(ranked(&stage).tool.name, "reranker.safetensors");
    let corpus = write(base.path(), "x.mrg", tree).display().to_string();
    let effects = answer(&mut stage, "open", Answer::Text(corpus));
    assert!(matches!(&effects[0], Effect::Open(ScreenId::Corpora, _)), "{effects:?}");
    let effects = answer(&mut stage, "open", Answer::Text("/nowhere".into()));
    assert!(said(&effects)[0].contains("/nowhere"), "{effects:?}");
    answer(&mut stage, "open", Answer::Text(String::new()));
    assert_eq!(stage.screen.source, Some(Source::Sample));
}

/// As many sentences as a section of a treebank has, with 20 candidates each.
fn many() -> String {
    let mut text = String::new();
    for i in 0..2400 {
        let tail: String = (0..i % 12).map(|n| format!(" (PP (IN with) (NN n{n}))")).collect();
        let tree =
            |k: usize| format!("(S (NP (NN n{i})) (VP (VBD saw) (X{k} (NN cats){tail}) (NN v)))");
        let candidates: Vec<String> = (0..20)
            .map(|k| format!("{{\"tree\":\"{}\",\"log_prob\":-{}}}", tree(k), 10 + k))
            .collect();
        text += &format!(
            "{{\"schema\":1,\"id\":\"s{i}\",\"gold\":\"{}\",\"candidates\":[{}]}}\n",
            tree(i % 20),
            candidates.join(",")
        );
    }
    text
}

#[test]
fn keys_answer_within_a_frame_among_2400_lists_of_20_candidates() {
    let base = tempfile::tempdir().expect("a temporary folder");
    let mut stage = on_lists(base.path(), &many());
    assert_eq!((book(&stage).lists.len(), book(&stage).candidates), (2400, 48_000));
    let mut times = Vec::new();
    for name in ["down", "page-down", "next-candidate", "compare", "last", "layout", "sort"] {
        for _ in 0..5 {
            let start = Instant::now();
            // What is slow is a task and does not run here.
            stage.command(name);
            stage.shot(200, 60);
            times.push(start.elapsed());
        }
    }
    times.sort();
    // The median: other tests run at the same time.
    assert!(times[times.len() / 2] < Duration::from_millis(33), "{times:?}");
}

#[test]
fn the_selection_of_runs_changes_nothing_here() {
    let mut stage = on_sample();
    let before = stage.shot(80, 24);
    stage.shared.selected = Some(RunId(7));
    assert!(stage.update(Input::Selection).is_empty());
    assert_eq!(stage.shot(80, 24), before);
}
