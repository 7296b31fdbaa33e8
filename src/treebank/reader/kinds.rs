//! Every kind of damaged or odd file, several of each: how many trees and words are read, and
//! which problems are named on which line.

use super::super::{Entries, FileOptions, Interner, Reading, Statistics};

type Case = (&'static [u8], u64, u64, &'static [&'static str]);

fn check(kind: &str, cases: &[Case]) {
    for (bytes, trees, words, problems) in cases {
        let shown = String::from_utf8_lossy(bytes);
        let entries = Entries::new(*bytes, "a.mrg", FileOptions::default(), Interner::default());
        let reading = Reading::collect(entries.expect("readable"));
        let found: Vec<String> =
            reading.problems.iter().map(|p| format!("{} {}", p.kind, p.line)).collect();
        assert_eq!(found, *problems, "{kind}: {shown:?}");
        let statistics = Statistics::of_reading(&reading);
        assert_eq!((statistics.trees, statistics.words), (*trees, *words), "{kind}: {shown:?}");
        for tree in &reading.trees {
            let texts = tree.nodes().flat_map(|(_, n)| [Some(&**n.label), n.word]);
            for text in texts.flatten() {
                assert!(!text.contains(['\r', '\n', '\t', ' ', '\u{fffd}']), "{kind}: {text:?}");
            }
        }
    }
}

#[test]
fn line_ends_and_byte_order_marks_are_no_text() {
    check(
        "crlf",
        &[
            (b"(S\r\n (NN a)\r\n)\r\n", 1, 1, &[]),
            (b"(S (NN a))\r(S (NN b))\r", 2, 2, &[]),
            (b"\r\n\r\n(S (NN a))\r\n", 1, 1, &[]),
            (b"(S (NN a\r\n))", 1, 1, &[]),
            (b"(S (NN a))\r\r\n(S (NN b))", 2, 2, &[]),
        ],
    );
    check(
        "bom",
        &[
            (b"\xef\xbb\xbf\n(S (NN a))", 1, 1, &[]),
            (b"\xef\xbb\xbf(S\n(NN a))", 1, 1, &[]),
            (b"\xef\xbb\xbf# remark\n(S (NN a))", 1, 1, &["stray-text 1"]),
            (b"\xef\xbb\xbf", 0, 0, &["no-trees 1"]),
            // Files put one behind the other.
            (b"(S (NN a))\n\xef\xbb\xbf(S (NN b))", 2, 2, &[]),
            (b"(S (NN a))\xef\xbb\xbf(S (NN b))", 2, 2, &[]),
        ],
    );
    check(
        "no-final-newline",
        &[
            (b"(S (NN a))", 1, 1, &[]),
            (b"(S (NN a)) ", 1, 1, &[]),
            (b"(S (NN a))\n\n(S (NN b)) \t", 2, 2, &[]),
            (b"(S (NN a)\n)", 1, 1, &[]),
            (b"(S (NN a))\r", 1, 1, &[]),
        ],
    );
}

#[test]
fn bytes_of_other_encodings_are_named_and_cost_their_tree() {
    check(
        "latin1",
        &[
            (b"(S (NN a)) (S (NN \xe9))\n(S (NN b))", 2, 2, &["not-utf8 1"]),
            (b"(S\xe9 (NN a))\n(S (NN b))", 1, 1, &["not-utf8 1"]),
            (b"(S (N\xe9 a))\n(S (NN b))", 1, 1, &["not-utf8 1"]),
            (b"(S\n (NN a)\n (NN \xff))\n(S (NN b))", 1, 1, &["not-utf8 3"]),
            (b"\xe9\n(S (NN b))", 1, 1, &["not-utf8 1"]),
            (b"(S (NN \xc3))\n(S (NN b))", 1, 1, &["not-utf8 1"]),
            (b"(S (NN \x93a\x94) (NN \x85))\n(S (NN b))", 1, 1, &["not-utf8 1"]),
            (b"(S (NN \xed\xa0\x80))\n(S (NN b))", 1, 1, &["not-utf8 1"]),
        ],
    );
}

#[test]
fn outer_brackets_are_read_however_many() {
    check(
        "outer-unlabelled",
        &[
            (b"( (S (NN a)) )", 1, 1, &[]),
            (b"(\n(S (NN a))\n)\n( (S (NN b)))", 2, 2, &[]),
            (b"( ( (S (NN a)) ) )", 1, 1, &[]),
            (b"(((S (NN a))))", 1, 1, &[]),
            (b"( (NN a))", 1, 1, &[]),
        ],
    );
    check(
        "outer-two-children",
        &[
            (b"( (S (NN a)) (S (NN b)) )", 1, 2, &[]),
            (b"((NN a)(NN b))", 1, 2, &[]),
            (b"( (S (NN a)) (, ,) (S (NN b)) )", 1, 3, &[]),
            (b"(TOP (S (NN a)) (FRAG (NN b)))", 1, 2, &[]),
            (b"( (CODE x) (S (NN a)) )", 1, 2, &[]),
        ],
    );
    check(
        "roots",
        &[
            (b"(VROOT (S (NN a)))", 1, 1, &[]),
            (b"(S1 (S (NN a)))\n(NP (NN b))\n(TOP (NN c))", 3, 3, &[]),
            (b"(ROOT (ROOT (S (NN a))))", 1, 1, &[]),
            (b"( (TOP (S (NN a))))", 1, 1, &[]),
            (b"(Root (S (NN a)))\n(top (S (NN b)))", 2, 2, &[]),
        ],
    );
    check(
        "id-bracket",
        &[
            (b"( (S (NN a)) (ID x.1,.2))", 1, 1, &[]),
            (b"( (CODE <P>) (S (NN a))\n (ID x))\n\n( (S (NN b)) (ID y))", 2, 3, &[]),
            (b"( (S (NN a)) (ID x y))\n( (S (NN b)))", 1, 1, &["two-words 1"]),
            (b"( (S (NN a)) (ID ))\n( (S (NN b)))", 1, 1, &["empty-tree 1"]),
            (b"(S (NN a) (ID x))", 1, 2, &[]),
        ],
    );
}

#[test]
fn brackets_that_do_not_fit_are_named_and_the_rest_is_read() {
    check(
        "unclosed",
        &[
            (b"(S (NN a)", 0, 0, &["unclosed 1"]),
            (b"(S (NN a))\n(S", 1, 1, &["unclosed 2"]),
            (b"(S (NN a))\n(S (NN", 1, 1, &["unclosed 2"]),
            (b"(TOP (S (NN a))\n(TOP (S (NN b)))", 1, 1, &["unclosed 1"]),
            (b"(S (NN a)) (", 1, 1, &["unclosed 1"]),
            (b"(S (NN a))\n(S\n\n\n", 1, 1, &["unclosed 2"]),
            (b"( (S (NN a))\n( (S (NN b)))\n( (S (NN c)))", 2, 2, &["unclosed 1"]),
        ],
    );
    check(
        "extra-close",
        &[
            (b")(S (NN a))", 1, 1, &["extra-close 1"]),
            (b"(S (NN a))))))", 1, 1, &["extra-close 1"]),
            (b"(S (NN a))\n)\n)\n(S (NN b))", 2, 2, &["extra-close 2", "extra-close 3"]),
            (b"(S (NN a)) ) (S (NN b))", 2, 2, &["extra-close 1"]),
            (b"(S (NN a)))(S (NN b)))", 2, 2, &["extra-close 1"]),
        ],
    );
    check(
        "empty-trees",
        &[
            (b"()\n(S (NN a))", 1, 1, &["empty-tree 1"]),
            (b"(( ) )\n(S (NN a))", 1, 1, &["empty-tree 1"]),
            (b"(S ())\n(S (NN a))", 1, 1, &["empty-tree 1"]),
            (b"(S (NP) (NN x))\n(S (NN a))", 1, 1, &["empty-tree 1"]),
            (b"(S)\n(S (NN a))", 1, 1, &["empty-tree 1"]),
            (b"((S))(S (NN a))()", 1, 1, &["empty-tree 1", "empty-tree 1"]),
        ],
    );
    check(
        "raw-parenthesis",
        &[
            (b"(S (-LRB- () (NN a))\n(S (NN b))", 1, 1, &["raw-parenthesis 1"]),
            (b"(S (NN a) (-RRB- )))\n(S (NN b))", 1, 1, &["raw-parenthesis 1"]),
            (b"(S (-RRB- )) (NN a))\n(S (NN b))", 1, 1, &["raw-parenthesis 1"]),
            (b"(S (-LRB- ()(NN a)(-RRB- )))\n(S (NN b))", 1, 1, &["raw-parenthesis 1"]),
            (b"(TOP (S (NN x))\n (-LRB- ())\n(TOP (NN b))", 1, 1, &["raw-parenthesis 2"]),
        ],
    );
    check(
        "two-words",
        &[
            (b"(S (NN a b))\n(S (NN c))", 1, 1, &["two-words 1"]),
            (b"(S (NN a\tb c))\n(S (NN c))", 1, 1, &["two-words 1"]),
            (b"(S (NN a\nb))\n(S (NN c))", 1, 1, &["two-words 2"]),
            (b"(NN a b)(S (NN c))", 1, 1, &["two-words 1"]),
            (
                b"(S (NN a) b)\n(S b (NN a))\n(S (NN c))",
                1,
                1,
                &["untagged-word 1", "word-and-bracket 2"],
            ),
        ],
    );
}

#[test]
fn layout_is_free() {
    check(
        "blank-line-inside",
        &[
            (b"(S\n\n\n(NN a))", 1, 1, &[]),
            (b"(S (NN\n\na))", 1, 1, &[]),
            (b"\n\n(S (NN a)\n\n)", 1, 1, &[]),
            (b"(S (NN a)\n \t\n (NN b))", 1, 2, &[]),
            (b"(\n\nS (NN a))", 1, 1, &[]),
        ],
    );
    check(
        "tabs-and-blanks",
        &[
            (b"(S\t(NN\ta))", 1, 1, &[]),
            (b"(\tS\t(NN a)\t)", 1, 1, &[]),
            (b"(S\x0b(NN\x0ca))", 1, 1, &[]),
            (b"\t\t(S (NN a))", 1, 1, &[]),
            (b"(S(NN a)\t \t(NN    b   )   )", 1, 2, &[]),
        ],
    );
    check(
        "tight",
        &[
            (b"(S(NP(NN a))(VP(VB b)))", 1, 2, &[]),
            (b"((S(NN a)))((S(NN b)))", 2, 2, &[]),
            (b"(TOP(S(X(Y(Z a)))))", 1, 1, &[]),
            (b"(S(NN a)(. .)(-NONE- *))", 1, 2, &[]),
            (b"(S\n(NN a)(NN b)\n)(S(NN c))", 2, 3, &[]),
        ],
    );
    check(
        "several-on-a-line",
        &[
            (b"(S (NN a))(S (NN b))", 2, 2, &[]),
            (b"(S (NN a))\t(S (NN b))", 2, 2, &[]),
            (b"(S (NN a)) (S\n(NN b))", 2, 2, &[]),
            (b"(NN a)(NN b)(NN c)(NN d)", 4, 4, &[]),
            (b"( (S (NN a))) ( (S (NN b)))", 2, 2, &[]),
        ],
    );
    check(
        "length-one",
        &[
            (b"(a b)", 1, 1, &[]),
            (b"(TOP (a b))", 1, 1, &[]),
            (b"( (a b))", 1, 1, &[]),
            (b"(S (S (S (a b))))", 1, 1, &[]),
            (b"(. .)", 1, 1, &[]),
        ],
    );
}

#[test]
fn words_and_labels_may_be_anything_but_blanks_and_brackets() {
    check(
        "nbsp-in-word",
        &[
            ("(S (CD 10\u{a0}000))".as_bytes(), 1, 1, &[]),
            ("(S (NN a\u{3000}b))".as_bytes(), 1, 1, &[]),
            ("(S (NN \u{2009}))".as_bytes(), 1, 1, &[]),
            ("(S (NN a\u{200b}b) (NN \u{85}))".as_bytes(), 1, 2, &[]),
            ("(S\u{a0}X (NN a))".as_bytes(), 1, 1, &[]),
        ],
    );
    check(
        "escapes",
        &[
            (b"(S (CD 1\\/2))", 1, 1, &[]),
            (b"(S (NN \\*) (NN *\\**))", 1, 2, &[]),
            (b"(S (NN \\\\))", 1, 1, &[]),
            (b"(S (NN a\\))", 1, 1, &[]),
            (b"(S (NN &amp;) (NN %28) (NN \\u0028))", 1, 3, &[]),
        ],
    );
    check(
        "odd-labels",
        &[
            (b"(S|<NP> (NN a))", 1, 1, &[]),
            (b"(NP-SBJ-1=2 (NN a))", 1, 1, &[]),
            (b"(* (NN a))", 1, 1, &[]),
            (b"(NP[x] (NN {a}))", 1, 1, &[]),
            (b"(S (\" \") (' ') (: ...) (-LRB- -LRB-) (, ;))", 1, 5, &[]),
        ],
    );
    check(
        "hash-words",
        &[
            (b"(S (# #))", 1, 1, &[]),
            (b"(S\n(# x))", 1, 1, &[]),
            (b"(S (NN\n# ))", 1, 1, &[]),
            (b"(NP (# #)(CD 5))", 1, 2, &[]),
            (b"(S (NN\n%%\n) (NN\n/*\n))", 1, 2, &[]),
        ],
    );
    check(
        "traces-only",
        &[
            (b"(S (-NONE- *))", 1, 0, &[]),
            (b"(-NONE- *)", 1, 0, &[]),
            (b"(S (NP (-NONE- *)) (VP (-NONE- *T*-1)))\n(S (NN a))", 2, 1, &[]),
            (b"( (S (-NONE- 0)) )", 1, 0, &[]),
            (b"(S (-NONE- *) (, ,))", 1, 1, &[]),
        ],
    );
    check(
        "beyond-ascii",
        &[
            ("(S (NN 猫) (NN 犬))".as_bytes(), 1, 2, &[]),
            ("(S (NN e\u{301}))".as_bytes(), 1, 1, &[]),
            ("(句 (名詞 猫))".as_bytes(), 1, 1, &[]),
            ("(S (NN \u{202e}abc))".as_bytes(), 1, 1, &[]),
            ("(S (NN 👩\u{200d}🚒) (NN 🇮🇸))".as_bytes(), 1, 2, &[]),
        ],
    );
}

#[test]
fn unary_chains_and_long_sentences_are_no_trouble() {
    check(
        "unary-cycles",
        &[
            (b"(S (S (S (S (NN a)))))", 1, 1, &[]),
            (b"(A (B (A (B (A (NN a))))))", 1, 1, &[]),
            (b"(NN (NN (NN a)))", 1, 1, &[]),
            (b"( ( ( (NN a))))", 1, 1, &[]),
            (b"(TOP (TOP (TOP (S (NN a)))))", 1, 1, &[]),
        ],
    );
    for n in [1_000, 20_000] {
        let flat = format!("(S {})", "(NN a)".repeat(n));
        let right = format!("{}(NN a){}", "(S (NN a)".repeat(n), ")".repeat(n));
        let left = format!("{}(NN a){}", "(S ".repeat(n), "(NN a))".repeat(n));
        for text in [flat, right, left] {
            let reading = Reading::collect(
                Entries::new(text.as_bytes(), "", FileOptions::default(), Interner::default())
                    .expect("readable"),
            );
            assert!(reading.problems.is_empty(), "{:?}", reading.problems);
            assert!(Statistics::of_reading(&reading).words >= n as u64);
        }
    }
}

#[test]
fn text_outside_of_trees_is_passed_over_and_named_once() {
    check(
        "comment-lines",
        &[
            (b"# (S (NN x))\n(S (NN a))", 1, 1, &["stray-text 1"]),
            (b"%% (S (NN x)\n(S (NN a))", 1, 1, &["stray-text 1"]),
            (b"; remark )\n(S (NN a))\n; (remark\n", 1, 1, &["stray-text 1", "stray-text 3"]),
            (b"// a (b c)\n// d\n(S (NN a))", 1, 1, &["stray-text 1"]),
            (b"* header (a b) *\n(S (NN a))", 1, 1, &["stray-text 1"]),
            (
                b"/*\nHEADER: (a b)\n*/\n\n(S (NN a))\n/~*\nText (1)\n(x.1)\n*~/\n(S (NN b))",
                2,
                2,
                &["stray-text 1", "stray-text 6"],
            ),
            (b"(S (NN a))\n/*\nnever closed (a b)\n", 1, 1, &["stray-text 2", "unclosed 2"]),
            (b"/* one line */\n(S (NN a))", 1, 1, &["stray-text 1"]),
        ],
    );
    check(
        "plain-text",
        &[
            (b"This is text.\nMore text.\n", 0, 0, &["stray-text 1"]),
            (b"\n\n  word", 0, 0, &["stray-text 3"]),
            (b"header\n(S (NN a))", 1, 1, &["stray-text 1"]),
            (b"0\n1\n2\n", 0, 0, &["stray-text 1"]),
            (b"(S (NN a)) 0.57\n(S (NN b)) 0.31\n", 2, 2, &["stray-text 1", "stray-text 2"]),
        ],
    );
    check(
        "nothing",
        &[
            (b"", 0, 0, &["no-trees 1"]),
            (b"\n", 0, 0, &["no-trees 1"]),
            (b"   \t", 0, 0, &["no-trees 1"]),
            (b"\r\n\r\n", 0, 0, &["no-trees 1"]),
            (b"\x0c", 0, 0, &["no-trees 1"]),
        ],
    );
}

#[test]
fn lines_of_text_are_sentences_of_words_between_ascii_blanks() {
    for (text, sentences, words) in [
        ("a b\r\n\r\n  c \r\n", 2, 3),
        ("a\tb  c\nten\u{a0}francs\n", 2, 4),
        ("\u{feff}a\n\n\n\nb", 2, 2),
        ("a\u{3000}b\n \t \n", 1, 1),
        ("a\x0cb\n", 1, 2),
        ("( a ) b\n# c\n", 2, 6),
    ] {
        let entries =
            Entries::new(text.as_bytes(), "a.txt", FileOptions::default(), Interner::default());
        let statistics = Statistics::of_reading(&Reading::collect(entries.expect("readable")));
        assert_eq!((statistics.sentences, statistics.words), (sentences, words), "{text:?}");
    }
}
