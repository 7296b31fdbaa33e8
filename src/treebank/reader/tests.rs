use super::*;
use proptest::prelude::*;

/// Trees as one line each, and problems as `kind line:column`.
fn read(text: impl AsRef<[u8]>) -> (Vec<String>, Vec<String>) {
    let (mut trees, mut problems) = (Vec::new(), Vec::new());
    for item in Reader::new(text.as_ref(), "test") {
        match item {
            Ok(tree) => trees.push(tree.to_string()),
            Err(p) => problems.push(format!("{} {}:{}", p.kind, p.line, p.column)),
        }
    }
    (trees, problems)
}

#[test]
fn any_layout_gives_the_same_tree() {
    let expected = "(S (NP (NN dogs)) (VP (VBP bark)))";
    for text in [
        "(S (NP (NN dogs)) (VP (VBP bark)))",
        "(S(NP(NN dogs))(VP(VBP bark)))",
        "\u{feff}(S\r\n  (NP (NN dogs))\r\n\r\n  (VP (VBP bark)))\r\n",
        "(S\n(NP\n(NN\ndogs\n)\n)\n(VP\n(VBP\nbark)))",
        "\t( S ( NP\t(NN   dogs ) )(VP (VBP bark)) )",
    ] {
        assert_eq!(read(text), (vec![expected.to_owned()], vec![]), "{text:?}");
    }
}

#[test]
fn outer_brackets_are_kept_as_read() {
    for text in [
        "( (S (NN a)))",
        "( (S (NN a)) (FRAG (RB b)))",
        "(TOP (S (NN a)))",
        "(NN a)",
        "( (S (NN a)) (ID x.1,.2))",
    ] {
        assert_eq!(read(text), (vec![text.to_owned()], vec![]));
    }
    assert_eq!(read("((S (NN a)))").0, ["( (S (NN a)))"]);
}

#[test]
fn an_id_beside_the_tree_is_its_name_and_no_word() {
    let tree = Reader::new("( (S (NN a)) (ID x.1))".as_bytes(), "").next().expect("an item");
    let tree = tree.expect("a tree");
    assert_eq!((tree.len(), tree.name().map(|n| &**n)), (1, Some("x.1")));
    let tree = Reader::new("(S (NN a) (ID x))".as_bytes(), "").next().expect("an item");
    assert_eq!(tree.expect("a tree").len(), 2, "a tagged word elsewhere");
}

#[test]
fn faults_are_named_with_their_place_and_the_next_tree_is_read() {
    for (fault, problem) in [
        ("(S (NN two words))", "two-words 2:12"),
        ("(S (NP) (NN a))", "empty-tree 2:7"),
        ("(S ())", "empty-tree 2:5"),
        ("()", "empty-tree 2:2"),
        ("(S (NN a) b)", "untagged-word 2:11"),
        ("(S (NN a (NN b)))", "word-and-bracket 2:10"),
        ("(S (-LRB- () (NN b) (-RRB- )))", "raw-parenthesis 2:12"),
        ("(S (é é é))", "two-words 2:9"),
        ("(S (NN a)))", "extra-close 2:11"),
        (")", "extra-close 2:1"),
        ("# remark (NN x)", "stray-text 2:1"),
        ("header", "stray-text 2:1"),
        ("(S (NN a)", "unclosed 2:1"),
    ] {
        let text = format!("(TOP (NN before))\n{fault}\n(TOP (NN after))\n");
        let (trees, problems) = read(&text);
        assert_eq!(trees.first().map(String::as_str), Some("(TOP (NN before))"), "{fault}");
        assert_eq!(trees.last().map(String::as_str), Some("(TOP (NN after))"), "{fault}");
        assert_eq!(problems, [problem], "{fault}");
    }
}

#[test]
fn bytes_that_are_not_utf8_cost_only_their_tree() {
    let (trees, problems) = read(b"(S (NN a))\n(S (NN caf\xe9))\n(S (NN b)) \xff\n(S (NN c))\n");
    assert_eq!(trees, ["(S (NN a))", "(S (NN b))", "(S (NN c))"]);
    assert_eq!(problems, ["not-utf8 2:11", "not-utf8 3:12"]);
}

#[test]
fn a_balanced_fault_costs_only_its_tree_on_the_line() {
    let (trees, problems) = read("(S (NN a)) (S (NN b c)) (S (NN d))");
    assert_eq!((trees.len(), problems.len()), (2, 1));
}

#[test]
fn a_missing_bracket_costs_one_tree_whatever_the_labels() {
    for root in ["TOP", "ROOT", "S", ""] {
        let good = |word: &str| format!("({root} (S (NN {word}) (NN x)))\n");
        let text = [&good("a"), "(", root, " (S (NN b) (NN x))\n", &good("c"), &good("d")].concat();
        let (trees, problems) = read(&text);
        let words: String =
            trees.iter().filter_map(|t| t.split("NN ").nth(1)?.chars().next()).collect();
        assert_eq!(
            (words.as_str(), problems.as_slice()),
            ("acd", &["unclosed 2:1".to_owned()][..]),
            "{root}"
        );
    }
}

#[test]
fn lines_that_begin_with_a_bracket_continue_a_good_tree() {
    let text = "(S (NP\n(NN a)\n(NN b)))\n(S (NN c d))\n(S (NP\n(NN e)\n(NN f)))\n";
    let (trees, problems) = read(text);
    assert_eq!(trees, ["(S (NP (NN a) (NN b)))", "(S (NP (NN e) (NN f)))"]);
    assert_eq!(problems, ["two-words 4:10"]);
}

#[test]
fn an_empty_file_says_so() {
    for text in ["", "\n", " \r\n\t\n", "\u{feff}"] {
        assert_eq!(read(text), (vec![], vec!["no-trees 1:1".to_owned()]), "{text:?}");
    }
}

#[test]
fn a_file_of_remarks_is_reported_once() {
    let (trees, problems) = read("one\ntwo (three)\nfour\n");
    assert!(trees.is_empty());
    assert_eq!(problems[0], "stray-text 1:1");
}

#[test]
fn depth_is_bounded_by_memory_only() {
    let n = 200_000;
    let text = format!("{}(X (NN a)){}", "(X ".repeat(n), ")".repeat(n));
    let tree = Reader::new(text.as_bytes(), "").next().expect("an item").expect("a tree");
    assert_eq!(tree.nodes().len(), n + 2);
    assert_eq!(tree.extents()[0], (0, 1));
    assert_eq!(read("(X ".repeat(n)).1, ["unclosed 1:1"]);
}

#[test]
fn work_is_linear_in_the_file_even_where_every_line_is_broken() {
    // A second reading at every line would take 10^10 steps.
    let n = 100_000;
    let (trees, problems) = read("(S (NN a)\n".repeat(n));
    assert_eq!((trees.len(), problems.len()), (0, n));
    let (trees, problems) = read("(S (NN a)) ".repeat(n));
    assert_eq!((trees.len(), problems.len()), (n, 0));
}

#[test]
fn reading_stops_where_the_input_fails() {
    struct Broken(bool);
    impl std::io::Read for Broken {
        fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
            if std::mem::replace(&mut self.0, true) {
                return Err(std::io::Error::other("the disk is gone"));
            }
            let text = b"(S (NN a))\n(S ";
            buffer[..text.len()].copy_from_slice(text);
            Ok(text.len())
        }
    }
    let items: Vec<_> = Reader::new(std::io::BufReader::new(Broken(false)), "x").collect();
    assert!(items[0].is_ok());
    let problem = items.last().expect("an item").as_ref().unwrap_err();
    assert_eq!(problem.kind, "unreadable");
    assert!(problem.message.contains("the disk is gone"), "{problem}");
}

/// A random tree as brackets, with blanks and line ends where they may stand.
fn brackets(layout: [&'static str; 3]) -> impl Strategy<Value = String> {
    let [before, between, after] = layout;
    let name = "[A-Za-z0-9é猫=|*$.,'`-]{1,6}";
    let word = (name, name).prop_map(move |(tag, word)| format!("({tag}{between}{word}{after})"));
    word.prop_recursive(6, 40, 5, move |inner| {
        (name, prop::collection::vec(inner, 1..5)).prop_map(move |(label, children)| {
            format!("({label}{before}{}{after})", children.join(between))
        })
    })
}

/// The same tree on one line.
fn flat(text: &str) -> String {
    let spaced = text.replace('(', " ( ").replace(')', " ) ");
    let mut out = String::new();
    for token in spaced.split_ascii_whitespace() {
        if token != ")" && !out.is_empty() && !out.ends_with('(') {
            out.push(' ');
        }
        out.push_str(token);
    }
    out
}

proptest! {
    #[test]
    fn random_trees_read_back_as_they_were_printed(
        trees in prop::collection::vec(
            prop_oneof![brackets([" ", " ", ""]), brackets(["\n  ", "\r\n\t", " "])],
            1..5,
        ),
        separator in prop_oneof![Just("\n"), Just(" "), Just("\r\n\r\n")],
    ) {
        let (read_back, problems) = read(trees.join(separator));
        prop_assert_eq!(problems, Vec::<String>::new());
        let expected: Vec<_> = trees.iter().map(|t| flat(t)).collect();
        prop_assert_eq!(read_back, expected);
    }

    #[test]
    fn random_bytes_neither_panic_nor_loop(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        let items = Reader::new(bytes.as_slice(), "").count();
        prop_assert!(items <= bytes.len() + 1);
    }

    #[test]
    fn random_brackets_neither_panic_nor_loop(text in "[()TOPS a\n#]{0,200}") {
        let (trees, problems) = read(&text);
        prop_assert!(trees.len() + problems.len() <= 2 * text.len() + 1);
        for tree in trees {
            prop_assert_eq!(read(&tree), (vec![tree], vec![]));
        }
    }

    #[test]
    fn a_fault_never_loses_the_good_trees_before_it(
        good in prop::collection::vec(brackets([" ", " ", ""]), 0..5),
        fault in "[()TOPS a\n#]{0,60}",
    ) {
        let before: String = good.iter().map(|t| format!("{t}\n")).collect();
        let (trees, _) = read(before + &fault);
        prop_assert!(trees.len() >= good.len());
        let expected: Vec<_> = good.iter().map(|t| flat(t)).collect();
        prop_assert_eq!(&trees[..good.len()], expected.as_slice());
    }
}
