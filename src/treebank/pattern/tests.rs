use super::search::{Graph, each};
use super::{Found, Pattern, Relation};
use crate::treebank::tree::tree;
use crate::treebank::{NodeId, Tree};
use proptest::prelude::*;

const MARY: &str = "(S (NP-SBJ (NNP Mary)) (VP (VBD sat) (PP (IN on) (NP (NP (DT the) (NN top)) \
                    (PP (IN of) (NP (DT a) (NN hill)))))) (. .))";

fn pattern(text: &str) -> Pattern {
    text.parse().unwrap_or_else(|error| panic!("{text}: {error}"))
}

/// What is found, as labels with the words below, or words.
fn found(text: &str, tree: &Tree) -> Vec<String> {
    let show = |found: Found| match found {
        Found::Word(word) => tree.words()[word as usize].to_string(),
        Found::Node(id) => {
            let words = tree.positions_below(id);
            let words: Vec<&str> = words.iter().map(|p| &*tree.words()[*p as usize]).collect();
            format!("{} {}", tree.node(id).label, words.join(" "))
        }
    };
    pattern(text).matches(tree).iter().map(|found| show(found.found)).collect()
}

#[test]
fn every_kind_of_node_and_relation_means_what_the_table_says() {
    let mary = tree(MARY);
    let hill = "NP a hill";
    let top = "NP the top";
    let whole = "NP the top of a hill";
    let (on, of) = ("PP on the top of a hill", "PP of a hill");
    for (text, expected) in [
        ("NP", vec![whole, top, hill]),
        ("@NP", vec!["NP-SBJ Mary", whole, top, hill]),
        ("/^NP-/", vec!["NP-SBJ Mary"]),
        ("NP|PP", vec![on, whole, top, of, hill]),
        ("hill", vec!["hill"]),
        ("\".\"", vec![". .", "."]),
        ("!@NP < NN|NNP", vec![]),
        ("__ < hill", vec!["NN hill"]),
        ("NP < (PP << of)", vec![whole]),
        ("NP << hill", vec![whole, hill]),
        ("NP << hill !< NP", vec![hill]),
        ("PP > VP", vec![on]),
        ("PP >> VP", vec![on, of]),
        ("PP >> NP", vec![of]),
        ("NP <, NP", vec![whole]),
        ("NP <1 NP", vec![whole]),
        ("NP <- PP", vec![whole]),
        ("NP <` PP", vec![whole]),
        ("NP <2 NN", vec![top, hill]),
        ("NP <-2 DT", vec![top, hill]),
        ("NP <3 __", vec![]),
        ("NP >2 PP", vec![whole, hill]),
        ("NP >-1 PP", vec![whole, hill]),
        ("NP >, NP", vec![top]),
        ("PP >- NP", vec![of]),
        ("@NP <: NNP", vec!["NP-SBJ Mary"]),
        ("NNP >: @NP", vec!["NNP Mary"]),
        ("@NP <<: Mary", vec!["NP-SBJ Mary"]),
        ("Mary >>: @NP", vec!["Mary"]),
        ("NP <<, the", vec![whole, top]),
        ("the >>, PP", vec![]),
        ("NP <<- hill", vec![whole, hill]),
        ("hill >>- VP", vec!["hill"]),
        ("VP <+(PP) NP", vec!["VP sat on the top of a hill"]),
        ("VP <+(PP|NP) (NP < (NN < hill))", vec!["VP sat on the top of a hill"]),
        ("VP <+(PP) (NP < (NN < hill))", vec![]),
        ("NP >+(PP) VP", vec![whole]),
        ("NP >+(@NP|PP) VP", vec![whole, top, hill]),
        ("NP . PP", vec![top]),
        ("NP . of", vec![top]),
        ("NP .. hill", vec![top]),
        ("PP , NP", vec![of]),
        ("PP ,, Mary", vec![on, of]),
        ("NP $ PP", vec![top]),
        ("VP $, @NP", vec!["VP sat on the top of a hill"]),
        ("VP $- @NP", vec!["VP sat on the top of a hill"]),
        ("@NP $+ VP", vec!["NP-SBJ Mary"]),
        ("@NP $++ \".\"", vec!["NP-SBJ Mary"]),
        ("\".\" $-- @NP", vec![". ."]),
        ("@NP == NP", vec![whole, top, hill]),
        ("@NP !== NP", vec!["NP-SBJ Mary"]),
        ("NP < NN | < PP", vec![whole, top, hill]),
        ("NP [< NN | < PP] > PP", vec![whole, hill]),
        ("NP ![< NN | < PP]", vec![]),
        ("NP < DT & < NN > NP", vec![top]),
        ("NP ?< PP", vec![whole, top, hill]),
        // The same name is the same node.
        ("S < @NP=first < VP $ =first", vec![]),
        ("VP , @NP=a >> (S < =a)", vec!["VP sat on the top of a hill"]),
        ("S < (NP=a . VP) < =a", vec![]),
        ("S < (@NP=a . VP) < =a", vec!["S Mary sat on the top of a hill ."]),
    ] {
        assert_eq!(found(text, &mary), expected, "{text}");
        assert_eq!(pattern(text).is_in(&mary), !expected.is_empty(), "{text}");
    }
}

#[test]
fn names_are_those_of_a_way_that_holds_as_a_whole() {
    let mary = tree(MARY);
    let matches = pattern("NP=above << (NN=noun . of) ?< ADJP=none").matches(&mary);
    let named = |i: usize| {
        let text = |found: &Found| match found {
            Found::Node(id) => mary.node(*id).label.to_string(),
            Found::Word(word) => mary.words()[*word as usize].to_string(),
        };
        matches[i].named.iter().map(|(n, at)| format!("{n} {}", text(at))).collect::<Vec<_>>()
    };
    assert_eq!(matches.len(), 2);
    assert_eq!(named(0), ["above NP", "noun NN"]);
    let Found::Node(noun) = matches[0].named[1].1 else { panic!("a node") };
    assert_eq!(mary.node(noun).word, Some("top"));
    assert_eq!(matches[0].found, matches[0].named[0].1);
}

#[test]
fn labels_may_have_signs_where_no_relation_can_stand() {
    let money = tree("(NP (PRP$ his) (CD 1,000.50) ($ $) (-LRB- -LRB-) (NNP U.S.))");
    for (text, count) in [
        ("PRP$", 1),
        ("PRP$ $+ CD", 1),
        ("(PRP$|CD)", 0),
        ("1,000.50", 1),
        ("\"$\"", 2),
        ("-LRB-", 2),
        ("@-LRB-", 2),
        ("\"U.S.\"", 1),
        ("NP < PRP$", 1),
        ("NP<CD", 1),
        ("/\\.\\d+$/", 1),
        ("/\\//", 0),
    ] {
        match text.parse::<Pattern>() {
            Ok(pattern) => assert_eq!(pattern.matches(&money).len(), count, "{text}"),
            Err(_) => assert_eq!(text, "(PRP$|CD)", "a pattern begins with a node"),
        }
    }
}

#[test]
fn what_cannot_be_read_is_said_with_its_column() {
    for (text, column, reason) in [
        ("", 1, "expected a node"),
        ("  ", 3, "expected a node"),
        ("NP <", 5, "expected a node"),
        ("NP < (PP", 9, "expected )"),
        ("NP < PP)", 8, "closes a bracket"),
        ("NP PP", 4, "expected a relation"),
        ("NP <0 PP", 4, "counted from 1"),
        ("NP < \"of", 6, "no \" closes"),
        ("/(/ < NP", 1, "unclosed group"),
        ("NP < PP |", 10, "behind |"),
        ("NP | < PP", 4, "before |"),
        ("NP [< PP", 9, "expected ]"),
        ("NP=", 4, "name"),
        ("NP < .", 6, "\".\""),
        ("NP &", 5, "behind &"),
        ("NP <9999999999999999999 NN", 4, "so many children"),
        ("NP >-4294967296 NN", 4, "so many children"),
    ] {
        let error = text.parse::<Pattern>().expect_err(text);
        assert!(error.reason.contains(reason), "{text}: {error}");
        assert_eq!(error.column, column, "{text}: {error}");
    }
    let deep = format!("A < {}B{}", "(B < ".repeat(500), ")".repeat(500));
    assert!(deep.parse::<Pattern>().is_err());
    let long = format!("A{}", " < B".repeat(500));
    assert!(long.parse::<Pattern>().is_err());
}

/// A tree from numbers: brackets opened and closed as they say.
fn random(shape: &[u8]) -> Tree {
    let mut text = "(A ".to_owned();
    let mut depth = 1;
    for byte in shape {
        let label = char::from(b'A' + byte % 3);
        match byte % 4 {
            0 => {
                text += &format!("({label} ");
                depth += 1;
            }
            1 if depth > 1 => {
                text += "(B b)) ";
                depth -= 1;
            }
            _ => text += &format!("({label} {label}) "),
        }
    }
    text += "(C c)";
    text += &")".repeat(depth);
    tree(&text)
}

fn all(graph: &Graph, relation: &Relation, at: u32) -> Vec<u32> {
    let mut all = Vec::new();
    each(graph, relation, at, &mut |other| {
        all.push(other);
        false
    });
    all
}

proptest! {
    #[test]
    fn relations_and_their_opposites_hold_of_the_same_nodes(shape in proptest::collection::vec(any::<u8>(), 0..30)) {
        let tree = random(&shape);
        let graph = Graph::new(&tree);
        let nth = |place, from_end| Relation::Nth { place, from_end };
        let nth_of = |place, from_end| Relation::NthOf { place, from_end };
        for (there, back) in [
            (Relation::Child, Relation::Parent),
            (Relation::Below, Relation::Above),
            (nth(1, false), nth_of(1, false)),
            (nth(0, true), nth_of(0, true)),
            (Relation::OnlyChild, Relation::OnlyChildOf),
            (Relation::LeftEdge, Relation::LeftEdgeOf),
            (Relation::RightEdge, Relation::RightEdgeOf),
            (Relation::OnlyBelow, Relation::OnlyAbove),
            (Relation::Next, Relation::Previous),
            (Relation::Later, Relation::Earlier),
            (Relation::Sister, Relation::Sister),
            (Relation::NextSister, Relation::PreviousSister),
            (Relation::LaterSister, Relation::EarlierSister),
            (Relation::Same, Relation::Same),
        ] {
            for a in 0..graph.len() {
                for b in 0..graph.len() {
                    let forth = all(&graph, &there, a).contains(&b);
                    prop_assert_eq!(forth, all(&graph, &back, b).contains(&a));
                }
            }
        }
        // Of two nodes one is above the other, before it, or the same.
        for a in 0..graph.len() {
            let kinds = [
                Relation::Below, Relation::Above, Relation::Later, Relation::Earlier, Relation::Same,
            ];
            let mut others: Vec<u32> =
                kinds.iter().flat_map(|relation| all(&graph, relation, a)).collect();
            others.sort_unstable();
            prop_assert_eq!(others, (0..graph.len()).collect::<Vec<_>>());
        }
    }

    #[test]
    fn no_text_makes_the_reader_or_the_search_fail(text in "[ A-C()<>$.,:=|&!?@/\\[\\]\"+12_-]{0,40}") {
        if let Ok(pattern) = text.parse::<Pattern>() {
            let tree = random(&[0, 2, 5, 8, 1, 3, 6]);
            let matches = pattern.matches(&tree);
            prop_assert_eq!(!matches.is_empty(), pattern.is_in(&tree));
            prop_assert!(matches.windows(2).all(|two| two[0].found < two[1].found));
        }
    }
}

#[test]
fn a_deep_tree_is_searched_without_recursion_along_it() {
    let depth = 100_000;
    let deep = tree(&format!("{}(B b){}", "(A ".repeat(depth), ")".repeat(depth)));
    assert_eq!(pattern("A <: B").matches(&deep).len(), 1);
    assert_eq!(pattern("b >> A").matches(&deep).len(), 1);
    assert!(matches!(pattern("B").matches(&deep)[0].found, Found::Node(NodeId(_))));
}
