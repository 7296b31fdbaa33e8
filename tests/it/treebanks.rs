//! Real treebanks are read without a fault, and counted as their documentation counts.

use crate::shared::shared;
use rankspace::config::Sources;
use rankspace::treebank::{
    BracketStyle, Entries, FileOptions, Format, Interner, LengthLimits, Preprocessing, Reading,
    Statistics, Tree, Writer, load, read_file,
};
use std::path::{Path, PathBuf};

fn folders() -> Vec<PathBuf> {
    let Some(base) = shared("data/treebanks") else { return Vec::new() };
    let entries = std::fs::read_dir(base).expect("the folder of treebanks can be listed");
    let mut folders: Vec<_> = entries.map(|e| e.expect("an entry").path()).collect();
    folders.retain(|f| f.join("README.md").exists());
    folders.sort();
    assert!(!folders.is_empty());
    folders
}

fn read(path: &Path) -> Reading {
    let reading = read_file(path).expect("readable");
    assert!(reading.problems.is_empty(), "{:?}", reading.problems.first());
    reading
}

/// Rows `| split | documents | sentences | tokens | traces | labels | tags | longest |`.
fn table(readme: &Path) -> Vec<(String, Vec<u64>)> {
    let text = std::fs::read_to_string(readme).expect("readable");
    text.lines()
        .filter_map(|line| {
            let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
            let numbers: Vec<u64> = cells[1..].iter().filter_map(|c| c.parse().ok()).collect();
            (numbers.len() == 7).then(|| (cells[0].to_owned(), numbers))
        })
        .collect()
}

#[test]
fn treebanks_are_counted_as_their_documentation_counts() {
    for folder in folders() {
        let rows = table(&folder.join("README.md"));
        assert!(!rows.is_empty(), "no table in {}", folder.display());
        for (split, expected) in rows {
            let s = Statistics::of_reading(&read(&folder.join(format!("{split}.mrg"))));
            let [labels, tags] = [&s.labels, &s.tags].map(|counts| counts.len() as u64);
            let longest = s.max_length as u64;
            let found = [s.trees, s.words, s.empty_elements, labels, tags, longest];
            assert_eq!(found, expected[1..], "{} {split}", folder.display());
        }
    }
}

#[test]
fn the_words_of_trees_are_those_of_the_text_beside_them() {
    for folder in folders() {
        let trees = read(&folder.join("dev.mrg")).trees;
        let texts = read(&folder.join("dev.txt")).texts;
        assert_eq!(trees.len(), texts.len(), "{}", folder.display());
        for (tree, text) in trees.iter().zip(&texts) {
            let words: Vec<_> = tree
                .words()
                .iter()
                .zip(tree.tags())
                .filter(|(_, tag)| ***tag != *"-NONE-")
                .map(|(word, _)| word.replace("-LRB-", "(").replace("-RRB-", ")"))
                .collect();
            assert_eq!(words.join(" "), **text, "{}:{}", tree.place.file, tree.place.line);
        }
    }
}

#[test]
fn an_indented_file_holds_the_trees_of_the_flat_one() {
    let Some(folder) = shared("data/treebanks/gum-open") else { return };
    let indented = read(&folder.join("sample-indented.ptb")).trees;
    let flat: Vec<String> = ["train", "dev", "test"]
        .iter()
        .flat_map(|split| read(&folder.join(format!("{split}.mrg"))).trees)
        .map(|tree| tree.to_string())
        .collect();
    assert!(!indented.is_empty());
    let known = indented.iter().filter(|tree| flat.contains(&tree.to_string())).count();
    assert_eq!(known, indented.len());
}

#[test]
fn real_trees_survive_every_format() {
    for folder in folders() {
        let mut trees = read(&folder.join("dev.mrg")).trees;
        trees.truncate(500);
        let below_root = |tree: &Tree| {
            let text = tree.to_string();
            text.split_once(' ').expect("a root and something below").1.to_owned()
        };
        for format in [Format::Brackets, Format::Export, Format::Tiger, Format::Json] {
            let mut writer =
                Writer::new(Vec::new(), format, BracketStyle::default()).expect("a vector");
            trees.iter().for_each(|tree| writer.tree(tree).expect("a vector takes all"));
            let (bytes, written, _) = writer.finish().expect("a vector takes all");
            assert_eq!(written as usize, trees.len());
            let options = FileOptions { format: Some(format), ..FileOptions::default() };
            let entries = Entries::new(&bytes[..], "", options, Interner::default());
            let back = Reading::collect(entries.expect("readable"));
            assert!(back.problems.is_empty(), "{format:?}: {:?}", back.problems.first());
            assert_eq!(back.trees.len(), trees.len(), "{format:?}");
            for (tree, back) in trees.iter().zip(&back.trees) {
                assert_eq!(below_root(back), below_root(tree), "{format:?}");
            }
        }
    }
}

#[test]
fn the_preset_of_a_treebank_takes_its_punctuation_away() {
    let Some(base) = shared("data/treebanks") else { return };
    for (folder, preset) in
        [("gum-open", "gum"), ("craft-ccby", "craft"), ("icepahc-is", "icepahc")]
    {
        let path = base.join(folder).join("dev.mrg");
        if !path.exists() {
            continue;
        }
        let rules = Preprocessing::preset(preset).expect("known");
        let sources = Sources(vec![path.display().to_string()]);
        let corpus = load(&sources, "", &rules, LengthLimits::ANY).expect("loads");
        assert!(corpus.removed.get("punctuation") > 1000, "{preset}");
        let words = || corpus.sentences.iter().flat_map(|s| &s.words);
        let odd = words().filter(|w| !w.contains(char::is_alphanumeric)).count();
        // Signs that are words, as % and &, and a few faults of tagging stay.
        assert!(odd * 500 < words().count(), "{preset}: {odd} of {}", words().count());
    }
}
