use super::super::notation::{IMPLIED_ROOT, NO_TAG};
use super::super::{NodeId, ROOT_LABELS, Tree};
use super::changes::Notes;
use super::unescaped;
use std::borrow::Cow;
use std::fmt::Write;

pub(super) const HEAD: &str = "#FORMAT 4\n%% word\tlemma\ttag\tmorph\tedge\tparent\n";

/// The number of the first phrase of a sentence.
const FIRST: usize = 500;

/// A sentence in NEGRA export, version 4. The root becomes the implied one where its label is a
/// root's, else it stands below that.
pub(super) fn write(tree: &Tree, number: u64, out: &mut String, notes: &mut Notes) {
    let root = tree.node(tree.root());
    let implied = root.word.is_none() && ROOT_LABELS.contains(&&**root.label);
    note_root(tree, implied, notes);
    let numeric = |n: &str| !n.is_empty() && n.len() < 18 && n.bytes().all(|b| b.is_ascii_digit());
    let own = tree.name().filter(|n| numeric(n)).map(|n| n.to_string());
    if let (Some(name), None) = (tree.name(), &own) {
        notes.add("names-left-out", 1, Some(name.to_string()));
    }
    let name = own.unwrap_or_else(|| number.to_string());
    let _ = writeln!(out, "#BOS {name} 0 0 0");
    let phrases: Vec<NodeId> = tree
        .postorder()
        .into_iter()
        .filter(|&id| tree.node(id).word.is_none() && !(implied && id == tree.root()))
        .collect();
    let mut numbers = vec![0; tree.nodes().len()];
    for (i, id) in phrases.iter().enumerate() {
        numbers[id.index()] = FIRST + i;
    }
    let number_of = |id: Option<NodeId>| id.map_or(0, |id| numbers[id.index()]);
    for &id in tree.preterminals().iter().chain(&phrases) {
        let node = tree.node(id);
        let annotation = tree.annotation(id);
        let said = |text: Option<&str>| text.map_or("--".to_owned(), field);
        let key = match node.word {
            Some("") => "_".to_owned(),
            Some(word) => field(word),
            None => format!("#{}", number_of(Some(id))),
        };
        let label: Cow<str> = match (&**node.label, node.word) {
            ("", Some(_)) => NO_TAG.into(),
            ("", None) => "--".into(),
            (label, _) => field(label).into(),
        };
        let lemma = said(annotation.and_then(|a| a.lemma.as_deref()));
        let morphology = said(annotation.and_then(|a| a.morphology.as_deref()));
        let edge = said(annotation.and_then(|a| a.edge.as_deref()));
        let parent = number_of(node.parent);
        let _ = write!(out, "{key}\t{lemma}\t{label}\t{morphology}\t{edge}\t{parent}");
        for (to, label) in annotation.iter().flat_map(|a| &a.secondary) {
            if tree.node(*to).word.is_some() {
                notes.add("secondary-edges-left-out", 1, Some("to a word".into()));
                continue;
            }
            // At this place two percent signs would begin a remark.
            let label = match field(label) {
                label if label.starts_with("%%") => format!("_{label}"),
                label => label,
            };
            let _ = write!(out, "\t{label}\t{}", number_of(Some(*to)));
        }
        out.push('\n');
    }
    let _ = write!(out, "#EOS {name}");
}

/// Text as one field: blanks, which only trees that were not read can hold, become U+00A0.
fn field(text: &str) -> String {
    match text {
        "" => "--".to_owned(),
        _ => unescaped(text).replace(|c: char| c.is_ascii_whitespace() || c == '\u{b}', "\u{a0}"),
    }
}

/// Notes what becomes of the root where the format implies one.
pub(super) fn note_root(tree: &Tree, implied: bool, notes: &mut Notes) {
    let root = tree.node(tree.root());
    if !implied {
        notes.add("roots-added", 1, None);
    } else if **root.label != *IMPLIED_ROOT {
        notes.add("roots-renamed", 1, Some(format!("{} to {IMPLIED_ROOT}", root.label)));
    }
}
