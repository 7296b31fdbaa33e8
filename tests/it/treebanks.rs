//! Real treebanks are read without a fault, and counted as their documentation counts.

use crate::shared::shared;
use rankspace::treebank::{Reading, Statistics, read_file};
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
