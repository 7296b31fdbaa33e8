//! Damaged and odd files: each behaves as the table beside it says.

use crate::shared::shared;
use rankspace::treebank::{Reading, Statistics, read_file};
use std::path::Path;

/// One row of `expect.tsv`.
struct Row {
    file: String,
    trees: String,
    words: String,
    problem: String,
    lines: String,
    good_before: String,
}

fn rows(table: &Path) -> Vec<Row> {
    let text = std::fs::read_to_string(table).expect("the table can be read");
    text.lines()
        .filter(|line| !line.starts_with('#') && !line.is_empty())
        .map(|line| {
            let cells: Vec<&str> = line.split('\t').collect();
            let [file, _, trees, words, problem, lines, good_before, ..] = cells[..] else {
                panic!("a row of {} cells: {line}", cells.len());
            };
            Row {
                file: file.into(),
                trees: trees.into(),
                words: words.into(),
                problem: problem.into(),
                lines: lines.into(),
                good_before: good_before.into(),
            }
        })
        .collect()
}

/// `a|b`: either.
fn allows(cell: &str, value: u64) -> bool {
    cell.split('|').any(|v| v.parse() == Ok(value))
}

/// `-`: any; a line or a range of lines.
fn names_line(cell: &str, line: u32) -> bool {
    let (first, last) = cell.split_once('-').unwrap_or((cell, cell));
    match (first.parse::<u32>(), last.parse::<u32>()) {
        (Ok(first), Ok(last)) => (first..=last).contains(&line),
        _ => true,
    }
}

#[test]
fn every_nasty_file_behaves_as_its_table_says() {
    let Some(folder) = shared("data/nasty") else { return };
    let rows = rows(&folder.join("expect.tsv"));
    assert!(!rows.is_empty());
    for row in rows.iter().filter(|r| r.file.ends_with(".mrg") || r.file.ends_with(".txt")) {
        let reading = read_file(&folder.join(&row.file)).expect(&row.file);
        check(row, &reading);
    }
}

fn check(row: &Row, reading: &Reading) {
    let file = &row.file;
    let said = || reading.problems.iter().map(|p| format!("\n  {p}")).collect::<String>();
    let statistics = Statistics::of_reading(reading);
    let sentences = if file.ends_with(".txt") { statistics.sentences } else { statistics.trees };
    assert!(allows(&row.trees, sentences), "{file}: {sentences} trees{}", said());
    assert!(allows(&row.words, statistics.words), "{file}: {} words{}", statistics.words, said());
    for text in reading.trees.iter().flat_map(|t| t.words()).chain(&reading.texts) {
        assert!(!text.contains(['\r', '\u{feff}', '\u{fffd}']), "{file}: {text:?}");
    }
    if row.problem == "none" {
        assert!(reading.problems.is_empty(), "{file}:{}", said());
        return;
    }
    let reported = |p: &&rankspace::treebank::Problem| p.kind == row.problem;
    let problem = reading.problems.iter().find(reported);
    let problem = problem.unwrap_or_else(|| panic!("{file}: no {}{}", row.problem, said()));
    assert!(names_line(&row.lines, problem.line), "{file}: {problem}");
    if let Some(fewest) = row.good_before.split('|').next().and_then(|n| n.parse::<usize>().ok()) {
        let before = reading.trees.iter().filter(|t| t.place.line < problem.line).count();
        assert!(before >= fewest, "{file}: {before} trees before the problem");
    }
}
