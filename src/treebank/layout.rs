//! The usual division of the Wall Street Journal part of the Penn Treebank.

use super::source::has_section;
use crate::config::{Data, Sources};
use std::path::Path;

/// Sections of training, development and test.
const SECTIONS: (&str, u32, u32) = ("02-21", 22, 23);

/// `[data]` with the usual sections filled in where the preset is `ptb`, `train` is one folder
/// that has them, and no sections are named: 02 to 21 for training, 22 for development and 23
/// for test, as far as these two are not given and are there. Also, what was filled in.
pub fn usual_sections(data: &Data) -> (Data, Option<String>) {
    let mut filled = data.clone();
    let [folder] = &data.train.0[..] else { return (filled, None) };
    let (training, dev, test) = SECTIONS;
    let path = Path::new(folder);
    if data.preset != "ptb" || !data.sections.is_empty() || has_section(path, 2).is_none() {
        return (filled, None);
    }
    filled.sections = training.to_owned();
    let mut told = format!("the usual sections of {folder}: train {training}");
    for (name, sources, section) in
        [("dev", &mut filled.dev, dev), ("test", &mut filled.test, test)]
    {
        if sources.0.is_empty()
            && let Some(found) = has_section(path, section)
        {
            *sources = Sources(vec![found.display().to_string()]);
            told = format!("{told}, {name} {section}");
        }
    }
    (filled, Some(told))
}

#[cfg(test)]
mod tests {
    use super::super::Splits;
    use super::*;
    use crate::config::Config;

    fn treebank() -> (tempfile::TempDir, Config) {
        let dir = tempfile::tempdir().expect("a temporary folder");
        for section in ["00", "02", "21", "22", "23", "24"] {
            let folder = dir.path().join(section);
            std::fs::create_dir(&folder).expect("made");
            let tree = format!("( (S (NP (NN a)) (VP (VB in{section}))))\n");
            std::fs::write(folder.join("wsj_0001.mrg"), tree).expect("written");
        }
        let mut config = Config::default();
        config.data.train = Sources(vec![dir.path().display().to_string()]);
        config.data.preset = "ptb".into();
        config.data.numbers = Some(false);
        (dir, config)
    }

    fn words(corpus: &super::super::Corpus) -> String {
        let last = corpus.sentences.iter().filter_map(|s| s.words.last());
        last.map(|w| &**w).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn a_folder_of_sections_is_divided_as_is_usual() {
        let (_dir, config) = treebank();
        let splits = Splits::load(&config).expect("loads");
        assert_eq!(words(&splits.train), "in02 in21");
        assert_eq!(words(&splits.dev), "in22");
        assert_eq!(splits.test.as_ref().map(words).as_deref(), Some("in23"));
        assert!(splits.notes[0].contains("train 02-21, dev 22, test 23"), "{:?}", splits.notes);
    }

    #[test]
    fn what_is_given_stays() {
        let (dir, mut config) = treebank();
        config.data.dev = Sources(vec![dir.path().join("24").display().to_string()]);
        let splits = Splits::load(&config).expect("loads");
        assert_eq!(
            (words(&splits.train).as_str(), words(&splits.dev).as_str()),
            ("in02 in21", "in24")
        );
        config.data.sections = "00".into();
        let splits = Splits::load(&config).expect("loads");
        assert_eq!((words(&splits.train).as_str(), splits.test.is_none()), ("in00", true));
        for other in ["plain", "gum"] {
            config.data.preset = other.into();
            config.data.sections.clear();
            assert_eq!(usual_sections(&config.data), (config.data.clone(), None));
        }
    }
}
