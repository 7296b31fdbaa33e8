use super::latex::escape_literally;
use super::{Diagram, Mark};
use serde_json::{Value, json};
use std::fmt::Write;

/// Tag of a word that has none, for a bracket needs one to be read as a tagged word.
const NO_TAG: &str = "X";

/// One line of brackets that treebank readers read back. Round brackets and blanks inside words
/// and labels become `-LRB-`, `-RRB-` and `_`.
pub fn to_brackets(diagram: &Diagram) -> String {
    write_tree(diagram, |step, out| match step {
        Step::Open(i) => {
            let node = &diagram.nodes()[i];
            if i != 0 {
                out.push(' ');
            }
            out.push('(');
            match is_taken_for_a_name(diagram, i) {
                true => out.push_str("ID="),
                false => out.push_str(&escape_brackets(&node.label)),
            }
            if let Some(word) = &node.word {
                if node.label.is_empty() {
                    out.push_str(NO_TAG);
                }
                out.push(' ');
                out.push_str(&escape_brackets(word));
            }
        }
        Step::Close => out.push(')'),
    })
}

/// A word tagged `ID` directly below an unlabelled root and behind another word is what readers
/// take for the name of the sentence.
fn is_taken_for_a_name(diagram: &Diagram, i: usize) -> bool {
    let (root, node) = (&diagram.nodes()[0], &diagram.nodes()[i]);
    let is_id = &*node.label == "ID" && node.word.is_some() && node.start > 0;
    is_id && root.label.is_empty() && root.children.contains(&i)
}

fn escape_brackets(text: &str) -> String {
    text.replace('(', "-LRB-").replace(')', "-RRB-").replace(char::is_whitespace, "_")
}

/// `{"words", "tags", "spans": [{"start", "end", "label", "mark"}]}`: flat, because readers of
/// JSON bound the depth of nesting. Spans stand in preorder; `mark` only where one was set.
pub fn to_json(diagram: &Diagram) -> Value {
    let tagged = || diagram.preterminals().iter().map(|&at| &diagram.nodes()[at]);
    let phrases = diagram.nodes().iter().filter(|n| n.word.is_none());
    let spans: Vec<Value> = phrases
        .map(|n| {
            let mut span = json!({ "start": n.start, "end": n.end, "label": n.label });
            if n.mark != Mark::None {
                span["mark"] = n.mark.name().into();
            }
            span
        })
        .collect();
    json!({
        "words": tagged().map(|n| n.word.as_deref()).collect::<Vec<_>>(),
        "tags": tagged().map(|n| &*n.label).collect::<Vec<_>>(),
        "spans": spans,
    })
}

/// An environment of the LaTeX package `forest`, with every special character escaped.
pub fn to_forest(diagram: &Diagram) -> String {
    let tree = write_tree(diagram, |step, out| match step {
        Step::Open(i) => {
            let node = &diagram.nodes()[i];
            if i != 0 {
                out.push(' ');
            }
            // Braces keep brackets, commas and equals signs from forest's own syntax.
            let _ = write!(out, "[{{{}}}", escape_literally(&node.label));
            match node.mark {
                Mark::None | Mark::Matched => {}
                Mark::Missing => out.push_str(", draw, dotted"),
                Mark::Spurious => out.push_str(", draw, dashed"),
                Mark::Crossing => out.push_str(", draw"),
            }
            if let Some(word) = &node.word {
                let _ = write!(out, " [{{{}}}]", escape_literally(word));
            }
        }
        Step::Close => out.push(']'),
    });
    format!("\\begin{{forest}}\n{tree}\n\\end{{forest}}\n")
}

enum Step {
    Open(usize),
    Close,
}

/// Visits every node before and after its children, without recursion.
fn write_tree(diagram: &Diagram, mut write: impl FnMut(Step, &mut String)) -> String {
    let mut out = String::new();
    let mut stack = Vec::new();
    if !diagram.nodes().is_empty() {
        stack.push(Step::Open(0));
    }
    while let Some(step) = stack.pop() {
        if let Step::Open(i) = step {
            stack.push(Step::Close);
            stack.extend(diagram.nodes()[i].children.iter().rev().map(|&c| Step::Open(c)));
        }
        write(step, &mut out);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::super::diagram::tests::{any_diagram, dog};
    use super::super::{DiagramSpan, mark_against};
    use super::*;
    use crate::treebank::Reader;
    use proptest::prelude::*;

    #[test]
    fn brackets_are_one_line() {
        assert_eq!(to_brackets(&dog()), "(S (NP (DT the) (NN dog)) (VP (VBD barked)))");
    }

    #[test]
    fn words_with_brackets_and_without_tags_stay_readable() {
        let tree =
            Diagram::from_spans::<_, &str, &str>(&["(", "a b", ")"], None, &[]).expect("no spans");
        assert_eq!(to_brackets(&tree), "( (X -LRB-) (X a_b) (X -RRB-))");
    }

    #[test]
    fn a_word_tagged_like_a_name_stays_a_word() {
        let read = |text: &str| Reader::new(text.as_bytes(), "").next().expect("an item");
        for (tags, expected) in
            [(["A", "ID"], "( (A a) (ID= b))"), (["ID", "A"], "( (ID a) (A b))")]
        {
            let tree = Diagram::from_spans::<_, _, &str>(&["a", "b"], Some(&tags), &[]);
            let text = to_brackets(&tree.expect("no spans"));
            assert_eq!(text, expected);
            assert_eq!(read(&text).expect("reads").words().len(), 2);
        }
    }

    #[test]
    fn json_is_flat_and_carries_marks() {
        let mut induced = dog();
        mark_against(&mut dog(), &mut induced);
        let value = to_json(&induced);
        assert_eq!(value["words"], json!(["the", "dog", "barked"]));
        assert_eq!(value["tags"], json!(["DT", "NN", "VBD"]));
        let span = json!({ "start": 0, "end": 2, "label": "NP", "mark": "matched" });
        assert_eq!(value["spans"][1], span);
        assert_eq!(value["spans"][0].get("mark"), None);
    }

    #[test]
    fn forest_escapes_what_latex_and_forest_would_read_as_their_own() {
        let spans = [DiagramSpan { start: 0, end: 2, label: "NP-SBJ=1" }];
        let tree =
            Diagram::from_spans(&["50%", r"a_\[b],~"], Some(&["$", "#"]), &spans).expect("nested");
        let expected =
            r"[{NP{-}SBJ=1} [{\$} [{50\%}]] [{\#} [{a\_\textbackslash{}[b],\textasciitilde{}}]]]";
        assert_eq!(to_forest(&tree).lines().nth(1), Some(expected));
    }

    proptest! {
        #[test]
        fn exported_brackets_read_back_as_the_same_tree(tree in any_diagram()) {
            let text = to_brackets(&tree);
            let read: Vec<_> = Reader::new(text.as_bytes(), "export").collect();
            let [Ok(back)] = &read[..] else {
                panic!("{text}: {read:?}");
            };
            let back = Diagram::from_tree(back);
            let facts = |d: &Diagram| -> Vec<(u32, u32, Option<String>)> {
                let node = |n: &crate::render::DiagramNode| {
                    let word = n.word.as_deref();
                    (n.start, n.end, word.map(escape_brackets))
                };
                d.nodes().iter().map(node).collect()
            };
            prop_assert_eq!(facts(&back), facts(&tree), "{}", text);
        }
    }
}
