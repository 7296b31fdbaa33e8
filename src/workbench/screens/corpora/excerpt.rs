//! The lines of files that problems stand in.

use crate::treebank::{Problem, unpacked};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufRead, BufReader, Read};

/// Problems whose lines are looked up.
const MOST: usize = 2000;
/// Bytes of a line that are kept around the column.
const AROUND: usize = 400;

/// A piece of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Excerpt {
    pub text: String,
    /// Characters of the piece before the problem.
    pub before: usize,
    /// Whether the line goes on to the left and to the right.
    pub cut: (bool, bool),
}

/// The lines of the first problems, where their files can still be read.
pub fn excerpts(problems: &[Problem]) -> Vec<Option<Excerpt>> {
    let mut found = vec![None; problems.len().min(MOST)];
    let mut by_file: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (i, problem) in problems.iter().take(MOST).enumerate() {
        by_file.entry(&problem.file).or_default().push(i);
    }
    for (file, mut wanted) in by_file {
        wanted.sort_by_key(|&i| problems[i].line);
        if let Ok(file) = File::open(file).and_then(|file| unpacked(BufReader::new(file))) {
            look_up(file, &wanted, problems, &mut found);
        }
    }
    found
}

fn look_up(
    mut file: impl BufRead,
    wanted: &[usize],
    problems: &[Problem],
    found: &mut [Option<Excerpt>],
) {
    let mut wanted = wanted.iter().copied().peekable();
    let mut line = Vec::new();
    let mut number = 0;
    while let Some(&next) = wanted.peek() {
        line.clear();
        // A line without end is no reason to fill the memory.
        match file.by_ref().take(1 << 24).read_until(b'\n', &mut line) {
            Ok(0) | Err(_) => return,
            Ok(_) => number += 1,
        }
        if problems[next].line > number {
            continue;
        }
        while let Some(i) = wanted.next_if(|&i| problems[i].line <= number) {
            found[i] = Some(excerpt(&line, problems[i].column));
        }
    }
}

/// The part of a line around a column, which counts characters from 1.
fn excerpt(line: &[u8], column: u32) -> Excerpt {
    let text = readable(line.trim_ascii_end());
    let at = (column as usize).saturating_sub(1);
    let start = at.saturating_sub(AROUND / 2);
    let text_of_piece: String = text.chars().skip(start).take(AROUND).collect();
    let shown = text_of_piece.chars().count();
    let goes_on = text.chars().nth(start + shown).is_some();
    Excerpt { text: text_of_piece, before: (at - start).min(shown), cut: (start > 0, goes_on) }
}

/// The text of a line, bytes that are not UTF-8 shown as Latin-1 has them: so that a problem
/// that is one shows what it is about.
fn readable(line: &[u8]) -> String {
    let mut text = String::with_capacity(line.len());
    for chunk in line.utf8_chunks() {
        text.push_str(chunk.valid());
        text.extend(chunk.invalid().iter().map(|&byte| char::from(byte)));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    fn problem(file: &str, line: u32, column: u32) -> Problem {
        Problem { file: file.into(), line, column, kind: "extra-close", message: String::new() }
    }

    #[test]
    fn a_problem_shows_its_line_also_in_long_lines_and_lost_files() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a.mrg");
        let long = format!("{}þ)", "x".repeat(1000));
        std::fs::write(&path, format!("one\ntwo)\n{long}\n")).expect("written");
        let file = path.display().to_string();
        let problems = [
            problem(&file, 3, 1002),
            problem(&file, 2, 4),
            problem("/nowhere", 1, 1),
            problem(&file, 9, 1),
        ];
        let found = excerpts(&problems);
        let short = Excerpt { text: "two)".into(), before: 3, cut: (false, false) };
        assert_eq!(found[1], Some(short));
        let part = found[0].as_ref().expect("the line is there");
        assert!(part.text.ends_with("xþ)") && part.cut == (true, false), "{part:?}");
        assert_eq!(part.text.chars().nth(part.before), Some(')'));
        assert_eq!(found[2..], [None, None]);
    }

    #[test]
    fn lines_of_packed_files_and_of_other_encodings_are_shown() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a.mrg.gz");
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(b"one\n(NN caf\xe9)\n").expect("a vector takes all");
        std::fs::write(&path, encoder.finish().expect("a vector takes all")).expect("written");
        let found = excerpts(&[problem(&path.display().to_string(), 2, 8)]);
        let expected = Excerpt { text: "(NN café)".into(), before: 7, cut: (false, false) };
        assert_eq!(found, [Some(expected)]);
    }
}
