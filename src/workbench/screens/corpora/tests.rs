use super::draw::mean_and_longest;
use super::*;
use crate::workbench::popup::Popup;
use crate::workbench::stage::{Stage, said};
use insta::assert_snapshot;

const TREES: &str = "\
( (S (NP-SBJ (DT The) (NN dog)) (VP (VBD chased) (NP (CD 23) (NNS cats))) (. .)))
( (S (NP-SBJ (-NONE- *)) (VP (VB Go) (ADVP (RB home))) (. !)))
(INTJ (UH Yes))
( (S (NP (NNP Þóra)) (VP (VBD sá)
( (S (NP (NNP 言語)) (VP (VBZ is) (ADJP (JJ hard)))))
";

/// A folder with a treebank of five trees, one of them not closed, and a text.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    std::fs::write(folder.path().join("small.mrg"), TREES).expect("written");
    std::fs::write(folder.path().join("small.txt"), "the dog barked\n\ngo home\n")
        .expect("written");
    folder
}

fn open(file: &str) -> (Stage<Corpora>, tempfile::TempDir) {
    let folder = folder();
    let mut stage = Stage::new(Corpora::default());
    stage.shared.corpora = vec![folder.path().join("small.mrg"), folder.path().join("small.txt")];
    let effects = stage.update(Input::Open(&Target::Corpus(folder.path().join(file))));
    stage.settle(effects);
    (stage, folder)
}

fn command(stage: &mut Stage<Corpora>, name: &'static str) -> Vec<Effect> {
    let effects = stage.command(name);
    stage.settle(effects)
}

fn snapshot(name: &str, stage: &Stage<Corpora>, folder: &tempfile::TempDir) {
    let hidden = folder.path().display().to_string();
    for (width, height) in [(80, 24), (200, 60)] {
        let shot = stage.shot(width, height);
        assert!(!shot.contains(&hidden), "a path that differs between runs of tests");
        assert_snapshot!(format!("{name}_{width}x{height}"), shot);
    }
}

#[test]
fn empty_states_say_what_to_do_next() {
    let mut stage = Stage::new(Corpora::default());
    stage.screen.entries = entries::entries(&stage.shared, &[]);
    assert_snapshot!("nothing_read_80x24", stage.shot(80, 24));
    let mut stage = Stage::new(Corpora::default());
    stage.shared.corpora = vec!["/nowhere/absent.mrg".into()];
    let effects = stage.update(Input::Shown);
    let said = said(&stage.settle(effects));
    assert!(said[0].contains("absent.mrg"), "{said:?}");
    assert_snapshot!("absent_80x24", stage.shot(80, 24));
    let again = stage.update(Input::Shown);
    assert!(again.is_empty(), "what failed is not tried again unasked");
}

#[test]
fn the_sample_is_read_where_nothing_else_is_named() {
    let mut stage = Stage::new(Corpora::default());
    let effects = stage.update(Input::Shown);
    assert!(matches!(&effects[..], [Effect::Spawn(task)] if task.kind == "corpus"));
    stage.settle(effects);
    let loaded = stage.screen.loaded.as_ref().expect("the sample is bundled");
    assert!(loaded.corpus.sentences.len() > 100);
    assert_eq!(loaded.entry.name, "sample train");
}

#[test]
fn counts_lengths_labels_and_what_was_left_out_are_shown() {
    let (stage, folder) = open("small.mrg");
    snapshot("overview", &stage, &folder);
}

#[test]
fn sentences_are_listed_with_their_trees_as_read_and_as_scored() {
    let (mut stage, folder) = open("small.mrg");
    command(&mut stage, "sentences");
    snapshot("sentences", &stage, &folder);
    command(&mut stage, "scored");
    command(&mut stage, "layout");
    snapshot("scored", &stage, &folder);
    command(&mut stage, "last");
    command(&mut stage, "layout");
    assert_snapshot!("wide_characters_80x24", stage.shot(80, 24));
}

#[test]
fn plain_text_has_sentences_and_no_trees() {
    let (mut stage, folder) = open("small.txt");
    snapshot("text_overview", &stage, &folder);
    command(&mut stage, "sentences");
    assert!(stage.shot(80, 24).contains("this sentence has no tree in the file"));
    assert!(said(&command(&mut stage, "export"))[0].contains("no tree"));
}

#[test]
fn what_the_reader_complained_about_is_listed_with_lines() {
    let (mut stage, folder) = open("small.mrg");
    command(&mut stage, "problems");
    let shot = stage.shot(80, 24);
    let problem = &stage.screen.loaded.as_ref().expect("read").corpus.problems[0];
    assert!(shot.contains(&format!("small.mrg:{}:{}", problem.line, problem.column)), "{shot}");
    assert!(shot.contains(problem.kind), "{shot}");
    snapshot("problems", &stage, &folder);
    let (mut text, folder) = open("small.txt");
    command(&mut text, "problems");
    snapshot("no_problems", &text, &folder);
}

#[test]
fn a_file_without_a_readable_tree_shows_its_problems_and_can_be_read_otherwise() {
    let (mut stage, folder) = open("small.mrg");
    let path = folder.path().join("latin1.mrg");
    std::fs::write(&path, b"(S (NN caf\xe9))\n").expect("written");
    let effects = stage.update(Input::Open(&Target::Corpus(path)));
    let errors = said(&stage.settle(effects));
    assert!(errors[0].contains("0xE9"), "{errors:?}");
    let overview = stage.shot(80, 24);
    assert!(overview.contains("p shows the problem with its line"), "{overview}");
    command(&mut stage, "problems");
    let problems = stage.shot(80, 24);
    assert!(problems.contains("latin1.mrg:1:11") && problems.contains("café"), "{problems}");
    command(&mut stage, "preprocessing");
    command(&mut stage, "last");
    command(&mut stage, "change");
    command(&mut stage, "change");
    let settings = stage.shot(80, 24);
    assert!(settings.contains("\"latin-1\" (was by content)"), "{settings}");
    let loaded = stage.screen.loaded.as_ref().expect("read");
    assert_eq!((loaded.corpus.problems.len(), loaded.as_read.statistics.words), (0, 1));
    assert_eq!(&*loaded.corpus.sentences[0].surface[0], "café");
}

#[test]
fn settings_that_leave_no_sentence_are_told_and_can_be_changed() {
    let (mut stage, folder) = open("small.mrg");
    let path = folder.path().join("marks.mrg");
    std::fs::write(&path, "(S (. !) (. !))\n").expect("written");
    let effects = stage.update(Input::Open(&Target::Corpus(path)));
    stage.settle(effects);
    let shot = stage.shot(80, 24);
    assert!(shot.contains("1 without words") && shot.contains("e changes how"), "{shot}");
    command(&mut stage, "preprocessing");
    command(&mut stage, "down");
    command(&mut stage, "change");
    command(&mut stage, "overview");
    assert!(stage.shot(80, 24).contains("Counts"));
    command(&mut stage, "undo");
    assert!(stage.shot(80, 24).contains("1 without words"));
}

#[test]
fn an_edit_of_preprocessing_shows_its_effect_and_can_be_taken_back_and_copied() {
    let (mut stage, folder) = open("small.mrg");
    command(&mut stage, "preprocessing");
    snapshot("settings", &stage, &folder);
    command(&mut stage, "down");
    command(&mut stage, "change");
    let loaded = stage.screen.loaded.as_ref().expect("read");
    let words = |m: &load::Measured| m.statistics.words;
    assert!(words(&loaded.current) > words(&loaded.configured), "punctuation is kept now");
    snapshot("edited", &stage, &folder);
    let effects = command(&mut stage, "copy");
    let copied = effects.iter().find_map(|e| match e {
        Effect::Copy(text) => Some(text.as_str()),
        _ => None,
    });
    assert_eq!(copied, Some("[data]\npunctuation = \"keep\"\n"));
    command(&mut stage, "undo");
    assert!(!stage.screen.loaded.as_ref().expect("read").is_edited());
}

#[test]
fn histograms_show_lengths_depths_branching_labels_and_tags() {
    let (mut stage, folder) = open("small.mrg");
    command(&mut stage, "distributions");
    snapshot("distributions", &stage, &folder);
    let read = stage.shot(80, 24);
    assert!(read.contains("Tags 1/13") && read.contains("as read"), "{read}");
    command(&mut stage, "last");
    let last = stage.shot(80, 24);
    assert!(last.contains("Tags 13/13") && last.contains("VBZ "), "{last}");
    command(&mut stage, "scored");
    let scored = stage.shot(80, 24);
    assert!(scored.contains("as scored") && !scored.contains("NP-SBJ"), "{scored}");
    let (mut text, _folder) = open("small.txt");
    command(&mut text, "distributions");
    assert!(text.shot(80, 24).contains("there is no tree"));
}

#[test]
fn a_sentence_is_compared_before_and_after_preprocessing() {
    let (mut stage, folder) = open("small.mrg");
    command(&mut stage, "compare");
    snapshot("compared", &stage, &folder);
    command(&mut stage, "down");
    let shot = stage.shot(120, 40);
    assert!(shot.contains("before [*] Go home [!]"), "{shot}");
    assert!(shot.contains("traces 1 ·") && shot.contains("Go → go"), "{shot}");
    // An edit of the settings shows in the comparison.
    command(&mut stage, "preprocessing");
    command(&mut stage, "down");
    command(&mut stage, "change");
    command(&mut stage, "sentences");
    let shot = stage.shot(120, 40);
    assert!(shot.contains("before [*] Go home !"), "{shot}");
    let (mut text, _folder) = open("small.txt");
    command(&mut text, "compare");
    let shot = text.shot(80, 24);
    assert!(
        shot.contains("before the dog barked") && shot.contains("nothing is changed"),
        "{shot}"
    );
}

#[test]
fn sentences_are_filtered() {
    let (mut stage, _folder) = open("small.mrg");
    stage.command("filter");
    stage.type_text("DOG cats");
    assert_eq!(stage.screen.order.len(), 1);
    stage.type_text("zzz");
    assert!(stage.shot(80, 24).contains("no sentence fits"));
    stage.press(KeyCode::Esc);
    command(&mut stage, "clear");
    assert!(stage.screen.order.len() > 1);
}

#[test]
fn corpora_are_chosen_from_every_mode_and_late_results_of_others_are_dropped() {
    let (mut stage, _folder) = open("small.mrg");
    command(&mut stage, "sentences");
    let late = stage.screen.loaded.clone();
    command(&mut stage, "next-corpus");
    assert_eq!(stage.screen.loaded.as_ref().map(|l| l.entry.name.as_str()), Some("small.txt"));
    stage.deliver("corpus", late.expect("was read"));
    assert_eq!(stage.screen.loaded.as_ref().map(|l| l.entry.name.as_str()), Some("small.txt"));
}

#[test]
fn a_tree_is_exported_beside_the_runs() {
    let (mut stage, folder) = open("small.mrg");
    stage.shared.runs_folder = folder.path().join("runs");
    command(&mut stage, "sentences");
    let effects = stage.update(Input::Answer { popup: export::POPUP, answer: &Answer::Item(0) });
    stage.settle(effects);
    let path = folder.path().join("exports/small.mrg-sentence-1.mrg");
    let text = std::fs::read_to_string(path).expect("was written");
    assert!(text.contains("(NP-SBJ (DT The) (NN dog))"), "{text}");
}

#[test]
fn a_dev_split_that_is_cut_from_train_is_listed_as_the_run_has_it() {
    let mut config = crate::config::Config { seed: 5, ..Default::default() };
    config.data.train.0 = vec!["sample:dev".into()];
    config.data.max_length = 12;
    let splits = crate::treebank::Splits::load(&config).expect("the sample is bundled");
    let mut stage = Stage::with_run(Corpora::default(), 1);
    stage.shared.runs[0].config = Some(config);
    let effects = stage.update(Input::Shown);
    stage.settle(effects);
    let indices = |sentences: &[Sentence]| sentences.iter().map(|s| s.index).collect::<Vec<_>>();
    let read = |stage: &Stage<Corpora>| {
        let loaded = stage.screen.loaded.as_ref().expect("read");
        (indices(&loaded.corpus.sentences), loaded.as_read.statistics.sentences)
    };
    let (train, train_as_read) = read(&stage);
    assert_eq!(train, indices(&splits.train.sentences));
    command(&mut stage, "next-corpus");
    let shot = stage.shot(120, 40);
    assert!(shot.contains("dev (of train)") && shot.contains("drawn by seed 5"), "{shot}");
    let (dev, dev_as_read) = read(&stage);
    assert_eq!(dev, indices(&splits.dev.sentences));
    assert_eq!(train_as_read + dev_as_read, 150, "all sentences stand in one of the two");
}

#[test]
fn lengths_of_any_size_leave_room_for_the_next_column() {
    assert_eq!(mean_and_longest(8.25, 31.0), "8.2 / 31");
    assert_eq!(mean_and_longest(1e6, 1e6), "1.0M / 1.0M");
    assert!(mean_and_longest(9999.9, 9e8).len() <= 15);
}

/// Searches for a pattern and waits for what is found; gives what the status line says.
fn search(stage: &mut Stage<Corpora>, pattern: &str) -> Vec<String> {
    stage.command("pattern");
    stage.type_text(pattern);
    let effects = stage.press(KeyCode::Enter);
    assert!(matches!(&effects[..], [Effect::Spawn(task)] if task.kind == "pattern"));
    said(&stage.settle(effects))
}

#[test]
fn sentences_with_a_pattern_are_listed_with_their_matches_marked_in_every_layout() {
    let (mut stage, folder) = open("small.mrg");
    let said = search(&mut stage, "/^NP/=np < (__=tag < __)");
    assert_eq!(said, ["4 matches in 3 of 4 sentences"]);
    assert!(!stage.screen.editing());
    snapshot("pattern", &stage, &folder);
    for name in ["horizontal", "brackets", "one line"] {
        command(&mut stage, "layout");
        let shot = stage.shot(80, 24);
        assert!(shot.contains(name) && shot.contains("»NP-SBJ"), "{shot}");
        assert!(shot.contains("›NP") && shot.contains(":DT"), "{shot}");
    }
    stage.theme =
        crate::workbench::theme::Theme::new(crate::workbench::theme::ThemeName::Mono, false);
    command(&mut stage, "layout");
    let shot = stage.shot(80, 24);
    assert!(shot.contains(">>NP-SBJ") && shot.contains(">NP"), "{shot}");
}

#[test]
fn n_goes_from_match_to_match_and_esc_keeps_the_place() {
    let (mut stage, _folder) = open("small.mrg");
    search(&mut stage, "NP-SBJ|NP");
    let sees = |stage: &Stage<Corpora>, part: &str| {
        let shot = stage.shot(120, 40);
        assert!(shot.contains(part), "{part}: {shot}");
    };
    sees(&stage, "match 1 of 4 in 3 of 4 sentences · NP-SBJ|NP");
    sees(&stage, "»NP-SBJ");
    command(&mut stage, "next-match");
    sees(&stage, "match 2 of 4");
    sees(&stage, "»NP ");
    command(&mut stage, "previous-match");
    let round = said(&command(&mut stage, "previous-match"));
    assert_eq!(round, ["from the first match on to the last"]);
    sees(&stage, "match 4 of 4");
    let number = stage.screen.selected().map(|s| s.index);
    command(&mut stage, "clear");
    assert_eq!(stage.screen.order.len(), 4);
    assert_eq!(stage.screen.selected().map(|s| s.index), number);
    assert!(!stage.shot(80, 24).contains('»'), "nothing is marked any more");
    stage.command("pattern");
    stage.press(KeyCode::Up);
    sees(&stage, "pattern: NP-SBJ|NP");
}

#[test]
fn a_pattern_follows_the_trees_in_view_and_the_filter() {
    let (mut stage, _folder) = open("small.mrg");
    assert!(said(&command(&mut stage, "next-match"))[0].contains("P searches"));
    search(&mut stage, "NP-SBJ");
    assert_eq!(stage.screen.order.len(), 2);
    // Function tags are gone where trees are scored.
    assert_eq!(said(&command(&mut stage, "scored")), ["0 matches in 0 of 4 sentences"]);
    assert!(stage.shot(80, 24).contains("no sentence fits"));
    command(&mut stage, "scored");
    stage.command("filter");
    stage.type_text("dog");
    stage.press(KeyCode::Enter);
    assert_eq!(stage.screen.order.len(), 1);
    command(&mut stage, "next-corpus");
    assert_eq!(stage.screen.order.len(), 0, "a text has no trees");
    command(&mut stage, "clear");
    command(&mut stage, "clear");
    assert_eq!(stage.screen.order.len(), 2);
}

#[test]
fn a_search_that_is_stopped_leaves_the_list_as_it_was() {
    let (mut stage, _folder) = open("small.mrg");
    stage.command("pattern");
    stage.type_text("NP");
    stage.press(KeyCode::Enter);
    assert!(stage.shot(80, 24).contains("searching · NP"));
    stage.report("pattern", crate::workbench::news::Outcome::Failed("stopped".into()));
    assert_eq!(stage.screen.order.len(), 4);
    assert!(!stage.shot(80, 24).contains("searching"));
}

#[test]
fn trees_are_folded_level_by_level_and_say_so() {
    let (mut stage, folder) = open("small.mrg");
    command(&mut stage, "sentences");
    search(&mut stage, "CD");
    command(&mut stage, "fold");
    command(&mut stage, "fold");
    snapshot("folded", &stage, &folder);
    assert!(stage.shot(120, 24).contains("folded below depth 2"), "{}", stage.shot(120, 24));
    for _ in 0..3 {
        command(&mut stage, "unfold");
    }
    assert!(!stage.shot(120, 24).contains("folded"));
}

#[test]
fn a_sentence_is_jumped_to_by_its_number_whether_it_is_listed_or_not() {
    let (mut stage, _folder) = open("small.mrg");
    search(&mut stage, "CD");
    let listed = stage.screen.order.clone();
    let hidden = (0..4).find(|i| !listed.contains(i)).expect("one has no number in it");
    assert!(matches!(&stage.command("jump")[..], [Effect::Popup(_)]));
    let mut jump = |text: &str| -> (Vec<String>, Option<usize>) {
        let answer = Answer::Text(text.into());
        let effects = stage.update(Input::Answer { popup: jump::POPUP, answer: &answer });
        let asked = effects.iter().find_map(|effect| match effect {
            Effect::Popup(Popup::Prompt { text, .. }) => Some(text.clone()),
            _ => None,
        });
        let mut told = said(&stage.settle(effects));
        told.extend(asked);
        (told, stage.screen.selected().map(|s| s.index))
    };
    assert_eq!(jump(&(listed[0] + 1).to_string()).1, Some(listed[0]));
    assert_eq!(jump(&(hidden + 1).to_string()).1, Some(hidden));
    assert!(jump("99").0[0].contains("from 1 to 4"));
    assert_eq!(stage.screen.order.len(), 4);
}
