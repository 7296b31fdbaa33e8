use super::sequences::chains;
use super::{Evidence, NIL, Place, Unit, Variation, duplicate_classes};
use crate::treebank::{Reader, Tree};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

fn trees(lines: &[&str]) -> Vec<Arc<Tree>> {
    let read = |text: &&str| Reader::new(text.as_bytes(), "test").next().expect("a tree");
    lines.iter().map(|text| Arc::new(read(text).unwrap_or_else(|e| panic!("{e}")))).collect()
}

/// `nucleus: label count, ... (context)` of every nucleus.
fn shown(trees: &[Arc<Tree>], unit: Unit) -> Vec<String> {
    let variation = Variation::find(trees, unit);
    let one = |nucleus| {
        let counts: Vec<String> =
            variation.counts(nucleus).iter().map(|(label, n)| format!("{label} {n}")).collect();
        let units = variation.units(nucleus).join(" ");
        format!("{units}: {} ({})", counts.join(", "), nucleus.context)
    };
    variation.nuclei().iter().map(one).collect()
}

const TWO: [&str; 3] = [
    "(TOP (S (NP (DT the) (NN dog)) (VP (VB saw) (NP (NP (NN men)) (PP (IN in) (NP (NN town)))))))",
    "(TOP (S (NP (DT the) (NN dog)) (VP (VB saw) (NP (NN men)) (PP (IN in) (NP (NN town))))))",
    "(TOP (S (NP (DT a) (NN dog)) (VP (VB ran) (PP (IN in) (NN town)))))",
];

#[test]
fn an_attachment_that_varies_is_found_with_its_context() {
    assert_eq!(
        shown(&trees(&TWO), Unit::Word),
        ["men in town: NIL 1, NP 1 (1)", "town: NIL 1, NP 2 (1)"]
    );
}

#[test]
fn a_phrase_of_the_same_parts_that_varies_is_a_nucleus_of_yields() {
    let found = shown(&trees(&TWO), Unit::Yield);
    assert!(found.contains(&"NP PP: NIL 1, NP 1 (0)".to_owned()), "{found:?}");
    assert!(found.iter().all(|line| line.split(':').next().is_some_and(|u| u.contains(' '))));
    let relabelled = trees(&["(TOP (S (X (A a) (B b)) (C c)))", "(TOP (S (Y (A d) (B e)) (C c)))"]);
    assert_eq!(shown(&relabelled, Unit::Yield), ["A B: X 1, Y 1 (1)"]);
    let variation = Variation::find(&relabelled, Unit::Yield);
    let places: Vec<_> =
        variation.occurrences(&variation.nuclei()[0]).into_iter().map(|o| o.place).collect();
    let place = |sentence| Place { sentence, start: 0, end: 2 };
    assert_eq!(places, [place(0), place(1)]);
}

#[test]
fn a_word_with_two_tags_is_a_nucleus_of_tagging() {
    let lines = ["(TOP (X (A a) (B b) (C c)))", "(TOP (X (A a) (D b) (C c)))", "(TOP (D b))"];
    assert_eq!(shown(&trees(&lines), Unit::Tagging), ["b: B 1, D 2 (2)"]);
}

#[test]
fn copies_of_a_sentence_with_one_edit_are_one_group() {
    let mut lines = vec![TWO[0], TWO[1]];
    lines.extend([TWO[0]; 3]);
    let trees = trees(&lines);
    let variation = Variation::find(&trees, Unit::Word);
    let groups = variation.groups();
    assert_eq!(groups.len(), 1);
    let head = groups[0].head(&variation);
    assert_eq!(variation.units(head).join(" "), "men in town");
    let merged = variation.merged(head, &duplicate_classes(&trees));
    let merged: Vec<_> = merged.iter().map(|m| (m.place.sentence, &*m.label, m.copies)).collect();
    assert_eq!(merged, [(0, "NP", 4), (1, NIL, 1)]);
}

#[test]
fn evidence_speaks_against_the_minority_and_the_more_the_more_is_alike() {
    let mut lines = vec![TWO[0], TWO[1], TWO[2]];
    lines.extend([TWO[0]; 3]);
    let trees = trees(&lines);
    let evidence = Variation::find(&trees, Unit::Word).evidence(trees.len());
    let against = |sentence: usize| evidence[sentence].clone();
    let Some(Evidence { place, own, others, label, other, context, .. }) = against(1) else {
        panic!("the odd one out is found");
    };
    assert_eq!(place, Place { sentence: 1, start: 3, end: 6 });
    assert_eq!((&*label, &*other, own, others, context), (NIL, "NP", 1, 4, 1));
    let strength = |e: Option<Evidence>| e.map_or(0.0, |e| e.strength);
    assert!(strength(against(1)) > strength(against(0)), "the majority is not suspected");
    assert!(strength(against(1)) > strength(against(2)), "`town` alone says little");
}

#[test]
fn nuclei_of_a_sentence_are_those_that_stand_in_it() {
    let trees = trees(&TWO);
    for unit in Unit::ALL {
        let variation = Variation::find(&trees, unit);
        for sentence in 0..trees.len() as u32 {
            let mut expected: Vec<(usize, Place)> = Vec::new();
            for (number, nucleus) in variation.nuclei().iter().enumerate() {
                let places = variation.occurrences(nucleus).into_iter().map(|o| o.place);
                expected.extend(places.filter(|p| p.sentence == sentence).map(|p| (number, p)));
            }
            let mut found = variation.of_sentence(sentence);
            found.sort();
            expected.sort();
            assert_eq!(found, expected, "{unit:?} {sentence}");
        }
    }
}

#[test]
fn nothing_varies_in_nothing_and_in_one_sentence() {
    for lines in [&[][..], &["(TOP (NN a))"][..]] {
        for unit in Unit::ALL {
            let variation = Variation::find(&trees(lines), unit);
            assert!(variation.nuclei().is_empty() && variation.groups().is_empty());
        }
    }
}

/// Random trees over few words.
fn any_tree() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![Just("(A a)"), Just("(B b)"), Just("(A b)")].prop_map(str::to_owned);
    let phrase = leaf.prop_recursive(4, 16, 3, |inner| {
        (prop_oneof![Just("X"), Just("Y")], proptest::collection::vec(inner, 1..4))
            .prop_map(|(label, children)| format!("({label} {})", children.join(" ")))
    });
    phrase.prop_map(|tree| format!("(TOP {tree})"))
}

proptest! {
    /// By looking at every sequence of every sentence.
    #[test]
    fn nuclei_and_contexts_are_those_of_the_definition(
        lines in proptest::collection::vec(any_tree(), 1..6)
    ) {
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        let trees = trees(&lines);
        let mut labels: BTreeMap<Vec<&str>, Vec<(usize, usize, String)>> = BTreeMap::new();
        for (sentence, tree) in trees.iter().enumerate() {
            let chains = chains(tree);
            for start in 0..tree.len() {
                for end in start + 1..=tree.len() {
                    let units = tree.words()[start..end].iter().map(|w| &**w).collect();
                    let is_it = |c: &&(u32, u32, Arc<str>)| {
                        (c.0 as usize, c.1 as usize) == (start, end)
                    };
                    let label = chains.iter().find(is_it).map_or(NIL, |c| &*c.2);
                    labels.entry(units).or_default().push((sentence, start, label.to_owned()));
                }
            }
        }
        let padded: Vec<Vec<&str>> = trees
            .iter()
            .map(|t| {
                let words = t.words().iter().map(|w| &**w);
                std::iter::once("<s>").chain(words).chain(["</s>"]).collect()
            })
            .collect();
        let alike = |a: &(usize, usize, String), b: &(usize, usize, String), n: usize| {
            (0..).take_while(|k| {
                let unit = |o: &(usize, usize, String), right: bool| {
                    let start = o.1 + 1;
                    let at = if right { Some(start + n + k) } else { start.checked_sub(k + 1) };
                    at.and_then(|at| padded[o.0].get(at).copied())
                };
                let both = |right| unit(a, right).is_some() && unit(a, right) == unit(b, right);
                both(false) && both(true)
            }).count() as u32
        };
        let mut expected = Vec::new();
        for (units, occurrences) in &labels {
            let distinct: BTreeSet<&String> = occurrences.iter().map(|o| &o.2).collect();
            if distinct.len() > 1 {
                let pairs = occurrences.iter().flat_map(|a| occurrences.iter().map(move |b| (a, b)));
                let context = pairs.filter(|(a, b)| a.2 != b.2).map(|(a, b)| alike(a, b, units.len()));
                let places: Vec<_> =
                    occurrences.iter().map(|(s, start, l)| (*s, *start, l.clone())).collect();
                expected.push((units.clone(), places, context.max().unwrap_or(0)));
            }
        }
        expected.sort_by(|a, b| b.0.len().cmp(&a.0.len()).then_with(|| a.0.cmp(&b.0)));
        let variation = Variation::find(&trees, Unit::Word);
        prop_assert_eq!(variation.nuclei().len(), expected.len());
        for (nucleus, (units, places, context)) in variation.nuclei().iter().zip(&expected) {
            let found = variation.units(nucleus);
            prop_assert_eq!(&found.iter().map(|u| &**u).collect::<Vec<_>>(), units);
            let found: Vec<_> = variation
                .occurrences(nucleus)
                .into_iter()
                .map(|o| (o.place.sentence as usize, o.place.start as usize, o.label.to_string()))
                .collect();
            prop_assert_eq!(&found, places);
            prop_assert_eq!(nucleus.context, *context, "{:?}", units);
        }
    }
}
