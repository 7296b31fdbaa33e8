//! Left-corner derivations against golden values: `rerank/transitions*.json`.

use crate::shared::{golden_files, shared};
use rankspace::parser::transitions::{Move, Refused, Stack, TaggedWord, derivation, tree};
use rankspace::treebank::{Reader, Tree};
use serde::Deserialize;
use std::sync::Arc;

#[derive(Deserialize)]
struct Golden {
    pairs: Vec<Pair>,
    ambiguous: Vec<Unmarked>,
    invalid: Vec<Invalid>,
}

#[derive(Deserialize)]
struct Pair {
    tree: String,
    moves: Vec<String>,
    allowed: Vec<Vec<String>>,
}

#[derive(Deserialize)]
struct Unmarked {
    tree: String,
    moves: Vec<String>,
}

#[derive(Deserialize)]
struct Invalid {
    moves: Vec<String>,
    at: usize,
    reason: String,
}

fn parsed(brackets: &str) -> Tree {
    let first = Reader::new(brackets.as_bytes(), "golden").next();
    first.expect("a tree").unwrap_or_else(|e| panic!("{e}"))
}

fn moves(texts: &[String]) -> Vec<Move<TaggedWord, Arc<str>>> {
    let one = |text: &String| match text.split(' ').collect::<Vec<_>>()[..] {
        ["shift", tag, word] => Move::Shift((tag.into(), word.into())),
        ["project", label] => Move::Project(label.into()),
        ["attach"] => Move::Attach,
        ["modify"] => Move::Modify,
        _ => panic!("no move: {text}"),
    };
    texts.iter().map(one).collect()
}

fn reason(refused: Refused) -> &'static str {
    match refused {
        Refused::AfterEnd => "after-end",
        Refused::NeedsNode => "needs-node",
        Refused::ShiftOntoTerminal => "shift-onto-terminal",
        Refused::ModifyRoot => "modify-root",
        Refused::AttachToAdjunction => "attach-to-adjunction",
        Refused::EqualLabelBinary => "equal-label-binary",
        Refused::Incomplete => "incomplete",
    }
}

#[test]
fn golden_rerank_transitions_are_one_to_one_with_trees() {
    let Some(folder) = shared("golden/rerank") else { return };
    let files = golden_files(&folder, "transitions", ".json");
    assert!(!files.is_empty(), "no transitions*.json in {}", folder.display());
    for path in files {
        let text = std::fs::read_to_string(&path).expect("a golden file can be read");
        let golden: Golden = serde_json::from_str(&text).expect("a golden file");
        let unmarked = golden.ambiguous.iter().map(|u| (&u.tree, &u.moves));
        for (brackets, expected) in golden.pairs.iter().map(|p| (&p.tree, &p.moves)).chain(unmarked)
        {
            let expected = moves(expected);
            assert_eq!(derivation(&parsed(brackets)), expected, "{brackets}");
            let back = tree(&expected).unwrap_or_else(|e| panic!("{brackets}: {e:?}"));
            assert_eq!(&back.to_string(), brackets);
        }
        for pair in &golden.pairs {
            let mut stack = Stack::default();
            for (step, expected) in moves(&pair.moves).iter().zip(&pair.allowed) {
                let allowed = stack.allowed();
                let names = [
                    (allowed.shift, "shift"),
                    (allowed.project, "project"),
                    (allowed.attach, "attach"),
                    (allowed.modify, "modify"),
                ];
                let names: Vec<_> = names.iter().filter(|(a, _)| *a).map(|(_, n)| *n).collect();
                assert_eq!(&names, expected, "{} before {step:?}", pair.tree);
                stack.make(step).expect("a move of the tree");
            }
            assert!(stack.has_ended(), "{}", pair.tree);
        }
        for case in &golden.invalid {
            let (at, refused) = tree(&moves(&case.moves)).expect_err("no derivation");
            assert_eq!((at, reason(refused)), (case.at, case.reason.as_str()), "{:?}", case.moves);
        }
    }
}

#[test]
fn every_tree_of_the_treebanks_comes_back_from_its_derivation() {
    let Some(folder) = shared("data/treebanks") else { return };
    let mut trees = 0;
    for bank in ["gum-open", "craft-ccby", "icepahc-is"] {
        let path = folder.join(bank).join("dev.mrg");
        let reading = rankspace::treebank::read_file(&path).expect("a treebank");
        for given in reading.trees.iter().filter(|t| !t.is_discontinuous()) {
            let back = tree(&derivation(given)).unwrap_or_else(|e| panic!("{given}: {e:?}"));
            assert_eq!(back.to_string(), given.to_string());
            trees += 1;
        }
    }
    assert!(trees > 9000, "{trees}");
}
