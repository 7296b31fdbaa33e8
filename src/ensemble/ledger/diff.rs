//! A unified diff of a text some of whose lines are replaced.

use std::fmt::Write;

/// Lines of context around a change.
const CONTEXT: usize = 3;

/// Lines `[start, end)` that are replaced by others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Replaced {
    pub start: usize,
    pub end: usize,
    pub by: Vec<String>,
}

/// The diff of `old`, lines with their ends, and what it is with some lines replaced; these stand
/// in their order and do not overlap. Empty where there are none.
pub(super) fn unified(name: &str, old: &[&str], replaced: &[Replaced]) -> String {
    if replaced.is_empty() {
        return String::new();
    }
    let mut text = format!("--- a/{name}\n+++ b/{name}\n");
    // How much longer the new text is before the hunk.
    let mut grown = 0i64;
    for hunk in hunks(replaced) {
        let start = hunk[0].start.saturating_sub(CONTEXT);
        let end = (hunk[hunk.len() - 1].end + CONTEXT).min(old.len());
        let more: i64 = hunk.iter().map(|r| r.by.len() as i64 - (r.end - r.start) as i64).sum();
        let (from, length) = (start as i64, (end - start) as i64);
        let _ = writeln!(
            text,
            "@@ -{} +{} @@",
            range(from, length),
            range(from + grown, length + more)
        );
        grown += more;
        let mut at = start;
        for change in hunk {
            old[at..change.start].iter().for_each(|line| push(&mut text, ' ', line));
            old[change.start..change.end].iter().for_each(|line| push(&mut text, '-', line));
            change.by.iter().for_each(|line| push(&mut text, '+', line));
            at = change.end;
        }
        old[at..end].iter().for_each(|line| push(&mut text, ' ', line));
    }
    text
}

/// Changes whose contexts touch belong together.
fn hunks(replaced: &[Replaced]) -> Vec<&[Replaced]> {
    replaced.chunk_by(|a, b| b.start <= a.end + 2 * CONTEXT).collect()
}

/// Beginning, counted from 1, and number of lines.
fn range(start: i64, length: i64) -> String {
    match length {
        0 => format!("{start},0"),
        1 => format!("{}", start + 1),
        _ => format!("{},{length}", start + 1),
    }
}

fn push(text: &mut String, sign: char, line: &str) {
    text.push(sign);
    text.push_str(line);
    if !line.ends_with('\n') {
        text.push_str("\n\\ No newline at end of file\n");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn replaced(start: usize, end: usize, by: &[&str]) -> Replaced {
        Replaced { start, end, by: by.iter().map(|l| (*l).to_owned()).collect() }
    }

    #[test]
    fn a_diff_has_hunks_with_context_and_right_numbers() {
        let old: Vec<String> = (1..=20).map(|i| format!("{i}\n")).collect();
        let old: Vec<&str> = old.iter().map(String::as_str).collect();
        let changes = [
            replaced(1, 3, &["new\n"]),
            replaced(7, 8, &["x\n", "y\n"]),
            replaced(19, 20, &["end"]),
        ];
        let expected = "--- a/t\n+++ b/t\n@@ -1,11 +1,11 @@\n 1\n-2\n-3\n+new\n 4\n 5\n 6\n 7\n-8\n+x\n+y\n 9\n 10\n 11\n@@ -17,4 +17,4 @@\n 17\n 18\n 19\n-20\n+end\n\\ No newline at end of file\n";
        assert_eq!(unified("t", &old, &changes), expected);
        assert_eq!(unified("t", &old, &[]), "");
    }
}
