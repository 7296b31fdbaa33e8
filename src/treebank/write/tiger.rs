use super::super::notation::NO_TAG;
use super::super::{NodeId, ROOT_LABELS, Tree};
use super::changes::Notes;
use super::export::note_root;
use super::unescaped;
use std::fmt::Write;

pub(super) const HEAD: &str =
    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<corpus id=\"corpus\">\n<body>\n";
pub(super) const TAIL: &str = "</body>\n</corpus>\n";

/// A sentence in TIGER-XML, below a root `VROOT` where it does not have one phrase above all.
pub(super) fn write(tree: &Tree, number: u64, out: &mut String, notes: &mut Notes) {
    let root = tree.node(tree.root());
    let implied = root.word.is_none() && ROOT_LABELS.contains(&&**root.label);
    note_root(tree, implied, notes);
    let sentence = format!("s{number}");
    if let Some(name) = tree.name().filter(|n| ***n != *sentence) {
        notes.add("names-left-out", 1, Some(name.to_string()));
    }
    let mut ids = vec![String::new(); tree.nodes().len()];
    for (i, id) in tree.preterminals().iter().enumerate() {
        ids[id.index()] = format!("{sentence}_{}", i + 1);
    }
    let phrases: Vec<NodeId> =
        tree.postorder().into_iter().filter(|&id| tree.node(id).word.is_none()).collect();
    for (i, id) in phrases.iter().enumerate() {
        ids[id.index()] = format!("{sentence}_{}", 500 + i);
    }
    if implied {
        ids[0] = format!("{sentence}_VROOT");
    }
    note_forbidden(tree, notes);
    let top = top(tree, implied);
    // Writing to a string cannot fail, so results are dropped.
    let _ = writeln!(
        out,
        "<s id=\"{sentence}\">\n<graph root=\"{}\">\n  <terminals>",
        ids[top.index()]
    );
    for &id in tree.preterminals() {
        let node = tree.node(id);
        let annotation = tree.annotation(id);
        let said = |text: Option<&str>| attribute(text.unwrap_or("--"));
        let word = attribute(node.word.filter(|w| !w.is_empty()).unwrap_or("_"));
        let tag = attribute(if node.label.is_empty() { NO_TAG } else { node.label });
        let lemma = said(annotation.and_then(|a| a.lemma.as_deref()));
        let morphology = said(annotation.and_then(|a| a.morphology.as_deref()));
        let _ = write!(
            out,
            "    <t id=\"{}\" word=\"{word}\" lemma=\"{lemma}\" pos=\"{tag}\" morph=\"{morphology}\"",
            ids[id.index()]
        );
        match secondary(tree, id, &ids) {
            edges if edges.is_empty() => out.push_str(" />\n"),
            edges => {
                let _ = writeln!(out, ">\n{edges}    </t>");
            }
        }
    }
    out.push_str("  </terminals>\n  <nonterminals>\n");
    for &id in phrases.iter().filter(|&&id| id != tree.root() || top == tree.root()) {
        let node = tree.node(id);
        let label = if implied && id == tree.root() { "VROOT" } else { node.label };
        let _ = write!(out, "    <nt id=\"{}\" cat=\"{}\"", ids[id.index()], attribute(label));
        if let Some(morphology) = tree.annotation(id).and_then(|a| a.morphology.as_deref()) {
            let _ = write!(out, " morph=\"{}\"", attribute(morphology));
        }
        out.push_str(">\n");
        for &child in node.children {
            let edge = tree.annotation(child).and_then(|a| a.edge.as_deref()).unwrap_or("--");
            let (edge, id) = (attribute(edge), &ids[child.index()]);
            let _ = writeln!(out, "      <edge label=\"{edge}\" idref=\"{id}\" />");
        }
        out.push_str(&secondary(tree, id, &ids));
        out.push_str("    </nt>\n");
    }
    out.push_str("  </nonterminals>\n</graph>\n</s>");
}

/// The node that the graph names as its root: the implied root is left away where one phrase,
/// which cannot be taken for it, stands below it and nothing is said of the edge between.
fn top(tree: &Tree, implied: bool) -> NodeId {
    let root = tree.node(tree.root());
    let [only] = root.children else { return tree.root() };
    let child = tree.node(*only);
    let stands = child.word.is_none()
        && !ROOT_LABELS.contains(&&**child.label)
        && tree.annotation(*only).is_none_or(|a| a.edge.is_none())
        && tree.annotations().all(|(_, a)| a.secondary.iter().all(|(to, _)| *to != tree.root()));
    if implied && stands { *only } else { tree.root() }
}

fn secondary(tree: &Tree, id: NodeId, ids: &[String]) -> String {
    let edges = tree.annotation(id).into_iter().flat_map(|a| &a.secondary);
    let line = |(to, label): &(NodeId, std::sync::Arc<str>)| {
        format!("      <secedge label=\"{}\" idref=\"{}\" />\n", attribute(label), ids[to.index()])
    };
    edges.map(line).collect()
}

fn is_forbidden(c: char) -> bool {
    let is_blank = matches!(c, ' ' | '\t' | '\n' | '\r' | '\u{b}' | '\u{c}');
    !is_blank && matches!(c, '\0'..' ' | '\u{fffe}' | '\u{ffff}')
}

/// Notes the words, labels and annotations that XML cannot hold as they are.
fn note_forbidden(tree: &Tree, notes: &mut Notes) {
    let mut note = |text: &str| {
        if text.contains(is_forbidden) {
            notes.add("characters-replaced", 1, Some(format!("{text:?}")));
        }
    };
    for (_, node) in tree.nodes() {
        note(node.label);
        note(node.word.unwrap_or_default());
    }
    for (_, annotation) in tree.annotations() {
        let texts = [&annotation.edge, &annotation.lemma, &annotation.morphology];
        texts.into_iter().flatten().for_each(|text| note(text));
        annotation.secondary.iter().for_each(|(_, label)| note(label));
    }
}

/// Text as the value of an attribute; characters that XML forbids become U+FFFD.
fn attribute(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in unescaped(text).chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            ' ' | '\t' | '\n' | '\r' | '\u{b}' | '\u{c}' => out.push('\u{a0}'),
            c if is_forbidden(c) => out.push('\u{fffd}'),
            _ => out.push(c),
        }
    }
    out
}
