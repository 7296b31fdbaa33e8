//! Verdicts, notes, proposals and their export.

use super::*;
use crate::ensemble::ledger::{FILE, Verdict};
use crate::workbench::screens::boost::verdicts::Given;

#[test]
fn a_verdict_is_on_the_disk_when_its_key_has_answered() {
    let base = tempfile::tempdir().expect("a temporary folder");
    let folder = run_folder(base.path(), "boost", 2);
    let mut stage = shown(&folder);
    let read = || Ledger::open(&folder.path().join(FILE)).expect("reads");
    let said = said(&stage.command("ambiguous"));
    assert!(said[0].contains("ambiguous; saved"), "{said:?}");
    let ledger = read();
    let [entry] = &ledger.current()[..] else { panic!("{:?}", ledger.entries()) };
    let part = folder.kept_part("train").expect("reads").expect("there");
    let kept = part.sentences.iter().find(|kept| kept.index == entry.sentence).expect("there");
    assert_eq!((&entry.hash, &entry.file), (&kept.hash, &kept.file));
    assert_eq!((entry.verdict, entry.rank, entry.time), (Verdict::Ambiguous, Some(1), 1000.0));
    let analysis = entry.analysis.clone().expect("the analysis that was looked at");
    assert!(analysis.starts_with("(TOP "), "{analysis}");
    // A note keeps the verdict, another verdict keeps the note.
    stage.command("note");
    let answer = Answer::Text("both\nattachments".into());
    stage.update(Input::Answer { popup: "note", answer: &answer });
    stage.command("error");
    let ledger = read();
    let [entry] = &ledger.current()[..] else { panic!("one sentence was judged") };
    assert_eq!((entry.verdict, entry.note.as_str()), (Verdict::Error, "both attachments"));
    assert_eq!(ledger.entries().len(), 3, "nothing is taken back");
    // Another session sees it.
    let again = shown(&folder);
    let seen = again.shot(80, 24);
    assert!(seen.contains("1 verdict") && seen.contains("error: both attachments"), "{seen}");
}

#[test]
fn a_verdict_is_taken_back_and_the_ledger_keeps_that_it_was_given() {
    let base = tempfile::tempdir().expect("a temporary folder");
    let folder = run_folder(base.path(), "boost", 2);
    let mut stage = shown(&folder);
    assert!(said(&stage.command("withdraw"))[0].contains("no verdict to take back"));
    stage.command("error");
    let told = said(&stage.command("withdraw"));
    assert!(told[0].contains("nothing holds any more; saved"), "{told:?}");
    assert!(stage.screen.given.is_empty() && !stage.shot(80, 24).contains("1 verdict"));
    let ledger = Ledger::open(&folder.path().join(FILE)).expect("reads");
    assert_eq!((ledger.entries().len(), ledger.current().len()), (2, 0));
    // A listing that was read before does not bring it back.
    let known = Ledger::open(&folder.path().join(FILE)).expect("reads");
    let sentences = stage.screen.book.as_ref().expect("read").sentences.clone();
    stage.screen.given.merge(Given::of(&known, &sentences));
    assert!(stage.screen.given.is_empty());
    stage.command("correct");
    assert_eq!(stage.screen.given.len(), 1);
}

#[test]
fn a_verdict_that_cannot_be_written_is_not_shown_as_given() {
    let base = tempfile::tempdir().expect("a temporary folder");
    let folder = run_folder(base.path(), "boost", 1);
    let mut stage = shown(&folder);
    std::fs::create_dir(folder.path().join(FILE)).expect("in the way");
    let said = said(&stage.command("correct"));
    assert!(said[0].starts_with("not saved: "), "{said:?}");
    assert!(stage.screen.given.is_empty());
}

#[test]
fn a_verdict_given_while_rounds_are_read_stays() {
    let base = tempfile::tempdir().expect("a temporary folder");
    let folder = run_folder(base.path(), "boost", 2);
    let mut stage = shown(&folder);
    stage.shared.runs[0].history.checkpoints.insert("round".into(), 3);
    let reading = stage.update(Input::Run(RunId(1)));
    let [Effect::Spawn(_)] = &reading[..] else { panic!("{reading:?}") };
    let Some(Effect::Spawn(task)) = reading.into_iter().next() else { return };
    let read = task.run().expect("reads");
    stage.command("error");
    let effects = stage.report("rounds", crate::workbench::news::Outcome::Done(read));
    stage.settle(effects);
    let sentence = stage.screen.sentence().expect("selected");
    let entry = stage.screen.given.get(sentence, None).expect("still there");
    assert_eq!(entry.verdict, Verdict::Error);
}

#[test]
fn a_bracket_that_differs_is_judged_apart_from_its_sentence() {
    let base = tempfile::tempdir().expect("a temporary folder");
    let folder = run_folder(base.path(), "boost", 2);
    let mut stage = shown(&folder);
    let page = stage.screen.book.as_ref().expect("read").rounds[1].clone();
    let wrong = (0..8).find(|i| page.agreement(*i).error() > 0.0).expect("not all are right");
    let jump = |stage: &mut Stage<Boost>| {
        let answer = Answer::Text(format!("#{wrong}"));
        let effects = stage.update(Input::Answer { popup: "jump", answer: &answer });
        stage.settle(effects);
    };
    jump(&mut stage);
    let brackets = stage.screen.panes.brackets.clone();
    let agreement = page.agreement(wrong);
    let differing = |n: usize, wrong: u32| 0 < n && n as u32 <= wrong;
    assert!(differing(brackets.len(), agreement.missing + agreement.spurious), "{brackets:?}");
    stage.command("bracket");
    let span = brackets[0].span;
    assert_eq!(stage.screen.span, Some(span));
    let seen = stage.shot(80, 24);
    assert!(seen.contains(&format!("bracket 1/{}", brackets.len())), "{seen}");
    assert!(seen.contains("not judged"), "{seen}");
    let told = said(&stage.command("error"));
    assert!(
        told[0].contains(&format!("sentence {wrong}, word")) && told[0].contains("error"),
        "{told:?}"
    );
    stage.command("note");
    let answer = Answer::Text("too flat".into());
    stage.update(Input::Answer { popup: "note", answer: &answer });
    assert!(stage.shot(80, 24).contains("error: too flat"));
    // Behind the last bracket comes the sentence, which is not judged by that.
    for _ in 0..brackets.len() {
        stage.command("bracket");
    }
    assert_eq!(stage.screen.span, None);
    let seen = stage.shot(80, 24);
    assert!(seen.contains(" · 1 bracket judged") && seen.contains(" e ▁"), "{seen}");
    stage.command("previous-bracket");
    assert_eq!(stage.screen.span, brackets.last().map(|bracket| bracket.span));
    stage.command("clear");
    assert_eq!(stage.screen.span, None);
    stage.command("correct");
    let ledger = Ledger::open(&folder.path().join(FILE)).expect("reads");
    let held: Vec<_> =
        ledger.current().iter().map(|e| (e.span, e.verdict, e.note.as_str())).collect();
    let expected = [(None, Verdict::Correct, ""), (Some(span), Verdict::Error, "too flat")];
    assert_eq!(held, expected);
    // Both are there again, and either is found.
    let mut again = shown(&folder);
    jump(&mut again);
    assert!(again.shot(80, 24).contains("2 verdicts"));
    for (filter, n) in [("verdict=error", 1), ("verdict=correct", 1), ("verdict=none", 7)] {
        again.screen.filter = Field::new(filter);
        let effects = again.command("sort");
        again.settle(effects);
        assert_eq!(again.screen.order.len(), n, "{filter}");
    }
}

#[test]
fn the_words_that_twins_have_in_common_are_judged_like_a_bracket() {
    let base = tempfile::tempdir().expect("a temporary folder");
    let folder = run_folder(base.path(), "boost", 2);
    let mut stage = shown(&folder);
    let answer = Answer::Text("#3".into());
    stage.update(Input::Answer { popup: "jump", answer: &answer });
    let effects = stage.command("twins");
    stage.settle(effects);
    let sentence = stage.screen.sentence().expect("selected");
    let nuclei: Vec<Span> = stage.screen.pairs.of(sentence).expect("found")[..2]
        .iter()
        .map(|twin| (twin.here.start, twin.here.end))
        .collect();
    stage.command("bracket");
    assert_eq!(stage.screen.span, Some(nuclei[0]));
    stage.command("next-twin");
    assert_eq!(stage.screen.span, Some(nuclei[1]), "it goes along with the twin");
    stage.command("ambiguous");
    assert!(stage.shot(80, 24).contains("ambiguous"), "{}", stage.shot(80, 24));
    stage.command("bracket");
    assert_eq!(stage.screen.span, None);
    let ledger = Ledger::open(&folder.path().join(FILE)).expect("reads");
    let held: Vec<_> = ledger.current().iter().map(|e| (e.sentence, e.span)).collect();
    assert_eq!(held, [(3, Some(nuclei[1]))]);
}

#[test]
fn a_proposal_goes_into_a_corrected_copy_and_a_diff() {
    let base = tempfile::tempdir().expect("a temporary folder");
    let folder = run_folder(base.path(), "boost", 2);
    let mut stage = shown(&folder);
    let answer = |popup, text: &str, stage: &mut Stage<Boost>| {
        let answer = Answer::Text(text.into());
        let effects = stage.update(Input::Answer { popup, answer: &answer });
        stage.settle(effects)
    };
    answer("jump", "#7", &mut stage);
    let effects = stage.command("propose");
    let asked = stage.settle(effects);
    let [Effect::Popup(Popup::Prompt { initial, .. })] = &asked[..] else { panic!("{asked:?}") };
    assert!(initial.contains("(DT a)") && !initial.contains("TOP"), "{initial}");
    // The tree as it stands is no proposal.
    let told = answer("proposal", "(X (NP (DT a) (NN dog) (VBD slept)))", &mut stage);
    assert!(said(&told)[0].starts_with("not saved") && stage.screen.given.is_empty(), "{told:?}");
    let effects = stage.command("propose");
    stage.settle(effects);
    // What is typed wrongly is asked for again, as it was typed.
    let asked = answer("proposal", "(S (NP (DT a)))", &mut stage);
    let again = asked.iter().any(|effect| {
        matches!(effect, Effect::Popup(Popup::Prompt { initial, .. }) if initial == "(S (NP (DT a)))")
    });
    assert!(again && said(&asked)[0].contains("its words"), "{asked:?}");
    answer("proposal", "(S (NP (DT a) (NN dog)) (VP (VBD slept)))", &mut stage);
    let entry = stage.screen.given.get(7, None).expect("judged");
    assert_eq!(entry.verdict, Verdict::Error);
    let asked = stage.command("export");
    let [Effect::Popup(Popup::Prompt { initial, .. })] = &asked[..] else { panic!("{asked:?}") };
    let out = Path::new(initial).to_owned();
    assert!(out.ends_with("run/exports/verdicts"), "{initial}");
    let told = answer("export", initial, &mut stage);
    assert!(said(&told)[0].starts_with("1 verdict, 1 tree corrected"), "{told:?}");
    let diff = std::fs::read_to_string(out.join("corrections.diff")).expect("written");
    assert!(diff.contains("-(X (NP (DT a)") && diff.contains("+(S (NP (DT a)"), "{diff}");
    // Nothing is overwritten.
    let told = answer("export", initial, &mut stage);
    assert!(said(&told)[0].contains("holds something already"), "{told:?}");
}
