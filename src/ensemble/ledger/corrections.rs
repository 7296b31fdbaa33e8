use super::diff::{Replaced, unified};
use super::{Entry, Originals, Verdict};
use crate::config::Format;
use crate::treebank::{BracketStyle, Reader, Tree, Writer};

/// A verdict whose proposal cannot be put into the treebank, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused {
    pub sentence: usize,
    pub reason: String,
}

/// A file with corrections in it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Corrected {
    /// The whole text: but for the corrected trees it is the old one to the letter.
    pub text: String,
    /// Trees that were replaced.
    pub corrected: usize,
    pub refused: Vec<Refused>,
    replaced: Vec<Replaced>,
}

/// Puts the proposals of a ledger's entries about one file into its text. A proposal must have the
/// words of the tree that it is for, which must be as it was when the verdict was given. One whose
/// tree was found to be right after all is left alone. A proposal without the empty elements of the tree is refused: they would be lost.
pub fn correct(file: &str, text: &str, entries: &[&Entry]) -> Corrected {
    let originals = Originals::read(file, text);
    let mut corrected = Corrected { text: text.to_owned(), ..Corrected::default() };
    let mut wanted: Vec<(&Tree, Tree, usize)> = Vec::new();
    for entry in entries {
        let is_wrong = entry.verdict != Verdict::Correct;
        let Some(proposal) = entry.proposal.as_ref().filter(|_| is_wrong) else { continue };
        match proposed(&originals, entry, proposal) {
            Ok((tree, new)) => wanted.push((tree, new, entry.sentence)),
            Err(reason) => {
                corrected.refused.push(Refused { sentence: entry.sentence, reason });
            }
        }
    }
    // Two about one tree: the first that was said stands.
    wanted.sort_by_key(|(tree, ..)| (tree.place.line, tree.place.column));
    let starts = line_starts(text);
    let mut spans: Vec<(usize, usize, String)> = Vec::new();
    for (tree, new, sentence) in wanted {
        let reason = match span_of(text, &starts, tree) {
            Some((start, end)) if spans.last().is_none_or(|last| last.1 <= start) => {
                let indented = text[start..end].contains('\n');
                spans.push((start, end, laid_out(&new, indented)));
                continue;
            }
            Some(_) => "another proposal is for the same tree",
            None => "its brackets are not found where the tree stood",
        };
        corrected.refused.push(Refused { sentence, reason: reason.into() });
    }
    corrected.corrected = spans.len();
    corrected.replaced = replaced_lines(text, &starts, &spans);
    for (start, end, brackets) in spans.iter().rev() {
        corrected.text.replace_range(start..end, brackets);
    }
    corrected
}

/// The unified diff from the old text of a file to the corrected one.
pub fn unified_diff(file: &str, text: &str, corrected: &Corrected) -> String {
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    unified(file, &lines, &corrected.replaced)
}

/// The tree that an entry is about, and the proposed one.
fn proposed<'a>(
    originals: &'a Originals,
    entry: &Entry,
    proposal: &str,
) -> Result<(&'a Tree, Tree), String> {
    let tree =
        originals.find(&entry.hash, entry.sentence).ok_or("the file has no such tree any more")?;
    let mut read = Reader::new(proposal.as_bytes(), "proposal");
    let new = match (read.next(), read.next()) {
        (Some(Ok(new)), None) => new,
        (Some(Err(problem)), _) => return Err(format!("the proposal: {}", problem.message)),
        _ => return Err("the proposal is not one tree".into()),
    };
    if new.words() == tree.words() {
        return Ok((tree, new));
    }
    let said: Vec<_> = (0..tree.len()).filter(|&i| !tree.is_empty_element(i)).collect();
    let without_empty = said.len() == new.len()
        && said.iter().zip(new.words()).all(|(&i, word)| tree.words()[i] == *word);
    Err(match without_empty {
        true => "the proposal lacks the empty elements of the tree".into(),
        false => "the proposal has other words than the tree".into(),
    })
}

/// Where the lines of a text begin.
fn line_starts(text: &str) -> Vec<usize> {
    std::iter::once(0).chain(text.match_indices('\n').map(|(i, _)| i + 1)).collect()
}

/// Bytes from the bracket that opens a tree to the one that closes it.
fn span_of(text: &str, starts: &[usize], tree: &Tree) -> Option<(usize, usize)> {
    let line = *starts.get((tree.place.line as usize).checked_sub(1)?)?;
    let column = (tree.place.column as usize).checked_sub(1)?;
    let start = line + text.get(line..)?.char_indices().nth(column)?.0;
    let mut depth = 0;
    for (i, byte) in text.bytes().enumerate().skip(start) {
        match byte {
            b'(' => depth += 1,
            b')' => depth -= 1,
            _ => {}
        }
        if depth <= 0 {
            return (depth == 0 && text.as_bytes()[start] == b'(').then_some((start, i + 1));
        }
    }
    None
}

/// Brackets in one line, or over several as the tree in their place has them.
fn laid_out(tree: &Tree, indented: bool) -> String {
    let style = BracketStyle { indented };
    let write = || -> std::io::Result<Vec<u8>> {
        let mut writer = Writer::new(Vec::new(), Format::Brackets, style)?;
        writer.tree(tree)?;
        Ok(writer.finish()?.0)
    };
    let bytes = write().expect("a vector takes all");
    String::from_utf8_lossy(&bytes).trim_end().to_owned()
}

/// The lines that replaced bytes stand on, with what becomes of them. Trees that share a line are
/// replaced together.
fn replaced_lines(text: &str, starts: &[usize], spans: &[(usize, usize, String)]) -> Vec<Replaced> {
    let line_of = |byte: usize| starts.partition_point(|&start| start <= byte) - 1;
    let apart =
        |a: &(usize, usize, String), b: &(usize, usize, String)| line_of(b.0) > line_of(a.1 - 1);
    let lines = |group: &[(usize, usize, String)]| {
        let (start, end) = (line_of(group[0].0), line_of(group[group.len() - 1].1 - 1) + 1);
        let to = starts.get(end).copied().unwrap_or(text.len());
        let (mut at, mut new) = (starts[start], String::new());
        for (from, behind, brackets) in group {
            new.push_str(&text[at..*from]);
            new.push_str(brackets);
            at = *behind;
        }
        new.push_str(&text[at..to]);
        Replaced { start, end, by: new.split_inclusive('\n').map(str::to_owned).collect() }
    };
    spans.chunk_by(|a, b| !apart(a, b)).map(lines).collect()
}

#[cfg(test)]
mod tests {
    use super::super::fingerprint;
    use super::*;
    use crate::report::SCHEMA;

    const TEXT: &str = "(TOP (S (NN a)\n   (VB é)))  (TOP (X (NN b)))\n\n(TOP (S (NN a) (-NONE- *)))\nlast\n(TOP (NN c) (NN d))";

    fn entry(tree: usize, proposal: &str) -> Entry {
        let trees: Vec<Tree> = Reader::new(TEXT.as_bytes(), "t").filter_map(Result::ok).collect();
        Entry {
            schema: SCHEMA,
            file: "t".into(),
            sentence: tree,
            hash: fingerprint(&trees[tree]),
            rank: None,
            weight: None,
            span: None,
            analysis: None,
            verdict: Verdict::Error,
            note: String::new(),
            proposal: Some(proposal.into()),
            withdrawn: false,
            time: 0.0,
        }
    }

    fn corrected(entries: &[Entry]) -> Corrected {
        correct("t", TEXT, &entries.iter().collect::<Vec<_>>())
    }

    #[test]
    fn a_proposal_for_a_tree_that_was_found_to_be_right_is_not_taken() {
        let mut entry = entry(0, "(TOP (X (NN a) (VB é)))");
        assert_eq!(correct("t", TEXT, &[&entry]).corrected, 1);
        entry.verdict = Verdict::Correct;
        let left = correct("t", TEXT, &[&entry]);
        assert_eq!((left.corrected, &*left.text), (0, TEXT));
    }

    #[test]
    fn only_the_corrected_trees_change_and_the_diff_says_so() {
        let corrected = corrected(&[
            entry(3, "(TOP (X (NN c) (NN d)))"),
            entry(0, "(TOP (NP (NN a)) (VB é))"),
            entry(1, "(TOP (Y (NN b)))"),
        ]);
        assert_eq!((corrected.corrected, corrected.refused.len()), (3, 0));
        let first = "(TOP\n  (NP (NN a))\n  (VB é))  (TOP (Y (NN b)))\n";
        let rest = "\n(TOP (S (NN a) (-NONE- *)))\nlast\n(TOP (X (NN c) (NN d)))";
        assert_eq!(corrected.text, format!("{first}{rest}"));
        let diff = unified_diff("t", TEXT, &corrected);
        let expected = "--- a/t\n+++ b/t\n@@ -1,6 +1,7 @@\n-(TOP (S (NN a)\n-   (VB é)))  (TOP (X (NN b)))\n+(TOP\n+  (NP (NN a))\n+  (VB é))  (TOP (Y (NN b)))\n \n (TOP (S (NN a) (-NONE- *)))\n last\n-(TOP (NN c) (NN d))\n\\ No newline at end of file\n+(TOP (X (NN c) (NN d)))\n\\ No newline at end of file\n";
        assert_eq!(diff, expected);
    }

    #[test]
    fn proposals_that_would_lose_something_are_refused_with_the_reason() {
        let mut gone = entry(1, "(TOP (NN b))");
        gone.hash = "0".into();
        let corrected = corrected(&[
            entry(0, "(TOP (NN a) (VB x))"),
            entry(2, "(TOP (S (NN a)))"),
            entry(3, "(TOP (NN c) (NN d)"),
            gone,
            entry(1, "(TOP (Z (NN b)))"),
            entry(1, "(TOP (W (NN b)))"),
        ]);
        let reasons: Vec<&str> = corrected.refused.iter().map(|r| &*r.reason).collect();
        assert_eq!(reasons[0], "the proposal has other words than the tree");
        assert_eq!(reasons[1], "the proposal lacks the empty elements of the tree");
        assert!(reasons[2].starts_with("the proposal: "), "{reasons:?}");
        assert_eq!(reasons[3], "the file has no such tree any more");
        assert_eq!(reasons[4], "another proposal is for the same tree");
        assert_eq!(corrected.corrected, 1);
        assert!(corrected.text.contains("(TOP (Z (NN b)))"));
    }

    #[test]
    fn without_proposals_nothing_changes() {
        let mut entry = entry(0, "");
        entry.proposal = None;
        let corrected = corrected(&[entry]);
        assert_eq!((corrected.text.as_str(), corrected.corrected), (TEXT, 0));
        assert_eq!(unified_diff("t", TEXT, &corrected), "");
    }
}
