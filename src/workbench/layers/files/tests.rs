use super::*;
use crate::workbench::names::ScreenId;
use crate::workbench::news::Outcome;
use crate::workbench::testing::press;

/// A folder with files of several kinds.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for name in ["dev.mrg", "train.mrg", "train.txt", ".hidden.mrg"] {
        std::fs::write(folder.path().join(name), "(S (NN a) (VB b))\n").expect("writes");
    }
    for name in ["treebanks/old", "runs/first/checkpoints"] {
        std::fs::create_dir_all(folder.path().join(name)).expect("makes");
    }
    std::fs::write(folder.path().join("treebanks/own.mrg"), "(S (NN a))").expect("writes");
    std::fs::write(folder.path().join("runs/first/config.toml"), "seed = 1\n").expect("writes");
    folder
}

struct Picker {
    files: Files,
    answer: Option<Answer>,
}

impl Picker {
    fn new(folder: &Path, recent: &[&str]) -> Picker {
        Picker::wanting(Wanted::Anything, None, folder, recent)
    }

    fn wanting(
        wanted: Wanted,
        instead: Option<&'static str>,
        folder: &Path,
        recent: &[&str],
    ) -> Picker {
        let recent =
            recent.iter().map(|name| Recent { path: folder.join(name), what: "corpus".into() });
        let places = (folder.to_owned(), Some(folder.join("treebanks")));
        let mut files = Files::new("Open".into(), wanted, instead, recent.collect(), places);
        let begun = files.begin().expect("reads the folder");
        let mut picker = Picker { files, answer: None };
        picker.judged(Verdict::Ask(begun));
        picker
    }

    fn judged(&mut self, verdict: Verdict) {
        match verdict {
            Verdict::Close(answer) => self.answer = Some(answer),
            Verdict::Ask(Effect::Spawn(task)) if task.kind == CHECK => {
                let outcome = match task.run() {
                    Ok(payload) => Outcome::Done(payload),
                    Err(reason) => Outcome::Failed(reason),
                };
                let mut report = TaskReport::new(ScreenId::Train, CHECK, outcome);
                let verdict = self.files.update(LayerInput::Task(&mut report));
                self.judged(verdict);
            }
            Verdict::Ask(Effect::Spawn(_)) => {
                // What the task would say, in two parts as it does.
                let folder = self.files.folder();
                let listing = listing::tests::list_of(&folder);
                self.tell(Outcome::Done(Box::new(listing)));
                let described = listing::read(folder).run().expect("reads");
                self.tell(Outcome::Done(described));
            }
            _ => {}
        }
    }

    fn tell(&mut self, outcome: Outcome) {
        let mut report = TaskReport::new(ScreenId::Train, TASK, outcome);
        let verdict = self.files.update(LayerInput::Task(&mut report));
        self.judged(verdict);
    }

    fn keys(&mut self, keys: &[&str]) -> &mut Picker {
        for key in keys {
            let verdict = self.files.update(LayerInput::Key(press(key)));
            self.judged(verdict);
        }
        self
    }

    fn types(&mut self, text: &str) -> &mut Picker {
        for c in text.chars() {
            self.keys(&[&c.to_string()]);
        }
        self
    }

    /// The names in the list.
    fn names(&self) -> Vec<String> {
        let name = |row: &Row| match row {
            Row::Instead => "instead".to_owned(),
            Row::Recent(i) => format!(
                "recent {}",
                self.files.recent[*i].path.file_name().expect("a name").to_string_lossy()
            ),
            Row::This => ".".into(),
            Row::Up => "..".into(),
            Row::Entry(i) => self.files.entry(*i).expect("listed").name.clone(),
        };
        self.files.shown.iter().map(name).collect()
    }
}

#[test]
fn what_was_opened_before_comes_first_and_hidden_files_last_and_only_when_asked_for() {
    let folder = folder();
    let mut picker = Picker::new(folder.path(), &["old.mrg"]);
    let all = ["recent old.mrg", "..", "runs", "treebanks", "dev.mrg", "train.mrg", "train.txt"];
    assert_eq!(picker.names(), all);
    assert_eq!(picker.types("tr").names(), ["treebanks", "train.mrg", "train.txt"]);
    picker.keys(&["Ctrl-u"]);
    assert_eq!(picker.types(".h").names(), [".hidden.mrg"]);
}

#[test]
fn every_entry_says_what_it_is() {
    let folder = folder();
    let picker = Picker::new(folder.path(), &[]);
    let said: Vec<(&str, &str)> = picker
        .files
        .here()
        .expect("read")
        .entries
        .iter()
        .filter_map(|entry| Some((entry.name.as_str(), entry.what.as_ref()?.text.as_str())))
        .collect();
    let trees = "bracketed trees";
    let wanted = [
        ("runs", "folder of runs"),
        ("treebanks", ""),
        (".hidden.mrg", trees),
        ("dev.mrg", trees),
        ("train.mrg", trees),
        ("train.txt", trees),
    ];
    assert_eq!(said, wanted);
}

#[test]
fn tab_completes_what_names_have_in_common_and_goes_into_folders() {
    let folder = folder();
    let mut picker = Picker::new(folder.path(), &[]);
    picker.types("trai").keys(&["Tab"]);
    assert_eq!(picker.files.field.text(), "train.");
    picker.types("m").keys(&["Tab"]);
    assert_eq!(picker.files.field.text(), "train.mrg");
    picker.keys(&["Ctrl-u"]).types("tree").keys(&["Tab"]);
    assert_eq!(picker.files.field.text(), "treebanks/");
    assert_eq!(picker.names(), ["..", ".", "old", "own.mrg"]);
    picker.types("own").keys(&["Enter"]);
    assert_eq!(picker.answer, Some(Answer::File(folder.path().join("treebanks/own.mrg"))));
}

#[test]
fn enter_goes_into_folders_and_up_again_and_opens_runs_as_a_whole() {
    let folder = folder();
    let mut picker = Picker::new(folder.path(), &[]);
    picker.types("runs").keys(&["Enter"]);
    assert_eq!(picker.names(), ["..", ".", "first"]);
    picker.keys(&["Up", "Up", "Enter"]);
    assert_eq!(picker.files.field.text(), "", "the folder above");
    picker.keys(&["Up", "Enter"]);
    assert_eq!(picker.files.field.text(), "../");
    picker.keys(&["Ctrl-u"]).types("../../").keys(&["Up", "Up", "Up", "Enter"]);
    assert_eq!(picker.files.field.text(), "../../../");
    picker.keys(&["Ctrl-u"]).types("runs/f").keys(&["Enter"]);
    assert_eq!(picker.answer, Some(Answer::File(folder.path().join("runs/first"))));
}

#[test]
fn a_folder_is_opened_as_a_treebank_by_its_dot() {
    let folder = folder();
    let mut picker = Picker::new(folder.path(), &[]);
    picker.types("treebanks/").keys(&["Up", "Enter"]);
    assert_eq!(picker.answer, Some(Answer::File(folder.path().join("treebanks/"))));
}

#[test]
fn a_home_is_a_folder_and_a_path_is_pasted() {
    let folder = folder();
    let mut picker = Picker::new(folder.path(), &[]);
    picker.types("~/own").keys(&["Enter"]);
    assert_eq!(picker.answer, Some(Answer::File(folder.path().join("treebanks/own.mrg"))));
    let mut picker = Picker::new(folder.path(), &[]);
    let path = folder.path().join("dev.mrg");
    let verdict = picker.files.update(LayerInput::Paste(&path.display().to_string()));
    picker.judged(verdict);
    picker.keys(&["Enter"]);
    assert_eq!(picker.answer, Some(Answer::File(path)));
}

#[test]
fn a_name_that_is_not_there_opens_nothing() {
    let folder = folder();
    let mut picker = Picker::new(folder.path(), &[]);
    picker.types("nothing-like-it").keys(&["Enter"]);
    assert_eq!((picker.names().len(), &picker.answer), (0, &None));
    let said = picker.files.problem.as_deref().expect("why nothing was opened");
    assert!(said.contains("nothing-like-it: No such file"), "{said}");
    assert_eq!(picker.files.field.text(), "nothing-like-it", "to be mended");
    picker.keys(&["Backspace"]);
    assert_eq!(picker.files.problem, None);
    picker.keys(&["Esc"]);
    assert_eq!(picker.answer, Some(Answer::Cancelled));
}

#[test]
fn settings_that_cannot_be_used_leave_their_path_in_the_field_with_the_reason() {
    let folder = folder();
    let write = |text: &str| std::fs::write(folder.path().join("t.toml"), text).expect("writes");
    write("[model]\nrnak = 4\n");
    let mut picker = Picker::wanting(Wanted::Config, None, folder.path(), &[]);
    picker.types("t.t").keys(&["Enter"]);
    assert_eq!((picker.files.field.text(), &picker.answer), ("t.toml", &None));
    let said = picker.files.problem.clone().expect("a reason");
    assert!(said.contains("rnak") && said.contains("rank"), "{said}");
    let (shared, theme) = (Default::default(), crate::workbench::testing::dark());
    let text = crate::workbench::testing::draw_text(80, 21, |frame| {
        picker.files.draw(frame, frame.area(), &View::new(&shared, &theme));
    });
    assert!(text.contains("> t.toml") && text.contains("rnak"), "{text}");
    // What is missing for the training is as wrong as the file itself.
    write("[data]\ntrain = \"missing.mrg\"\n");
    picker.keys(&["Enter"]);
    assert!(picker.files.problem.as_deref().is_some_and(|said| said.contains("missing.mrg")));
    write("seed = 3\n[data]\ntrain = \"sample:train\"\n");
    picker.keys(&["Enter"]);
    assert_eq!(picker.answer, Some(Answer::File(folder.path().join("t.toml"))));
}

#[test]
fn recent_files_of_another_kind_are_left_out_and_there_may_be_no_file_at_all() {
    let folder = folder();
    let mut picker = Picker::wanting(Wanted::Lists, Some("the sample"), folder.path(), &["a.mrg"]);
    assert_eq!(picker.names()[..2], ["instead", ".."]);
    picker.keys(&["Enter"]);
    assert_eq!(picker.answer, Some(Answer::Text(String::new())));
}

#[test]
fn a_click_opens_what_the_row_is() {
    let folder = folder();
    let mut picker = Picker::new(folder.path(), &[]);
    let at = picker.names().iter().position(|name| name == "dev.mrg").expect("listed");
    let verdict = picker.files.update(LayerInput::Point(at));
    picker.judged(verdict);
    assert_eq!(picker.answer, Some(Answer::File(folder.path().join("dev.mrg"))));
}

#[test]
fn the_text_of_a_folder_above() {
    for (folder, up) in [
        ("", "../"),
        ("../", "../../"),
        ("a/", ""),
        ("a/b/", "a/"),
        ("/", "/"),
        ("/a/", "/"),
        ("~/", "~/../"),
        ("~", "~/../"),
        ("~/a/", "~/"),
    ] {
        assert_eq!(above(folder), up, "{folder}");
    }
    assert_eq!(common(["größe", "größer", "grün"].into_iter()), "gr");
}
