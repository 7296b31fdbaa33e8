use super::super::NodeId;
use super::*;
use proptest::prelude::*;

/// The tree of one export sentence, its fields between single blanks, version 3.
pub(crate) fn export(rows: &str) -> Tree {
    let text = format!("#FORMAT 3\n#BOS 1 1 0 1\n{}\n#EOS 1\n", rows.replace(' ', "\t"));
    let mut reading = read("a.export", text.as_bytes());
    assert!(reading.problems.is_empty(), "{:?}", reading.problems);
    reading.trees.pop().expect("there is a tree")
}

fn read_with(name: &str, bytes: &[u8], options: FileOptions) -> Reading {
    let entries = Entries::new(bytes, name, options, Interner::default()).expect("readable");
    Reading::collect(entries)
}

fn read(name: &str, bytes: &[u8]) -> Reading {
    read_with(name, bytes, FileOptions::default())
}

/// Problems as `kind line:column`.
fn problems(reading: &Reading) -> Vec<String> {
    reading.problems.iter().map(|p| format!("{} {}:{}", p.kind, p.line, p.column)).collect()
}

fn trees(reading: &Reading) -> Vec<String> {
    reading.trees.iter().map(Tree::to_string).collect()
}

#[test]
fn text_is_read_a_line_at_a_time_with_faults_named() {
    let reading = read("a.txt", b"\xef\xbb\xbfone two\r\n\r\n caf\xe9 \n 10\xc2\xa0000  francs");
    assert_eq!(
        reading.texts.iter().map(|t| &**t).collect::<Vec<_>>(),
        ["one two", "10\u{a0}000  francs"]
    );
    assert_eq!(problems(&reading), ["not-utf8 3:5"]);
    assert!(reading.problems[0].message.contains("0xE9"), "{:?}", reading.problems);
}

#[test]
fn what_is_not_text_is_said_once() {
    let bytes: Vec<u8> = (0..4000_u32).map(|i| (i * i / 7 % 256) as u8).collect();
    for name in ["a.bin", "a.mrg", "a.txt", "a.export", "a.jsonl"] {
        let reading = read(name, &bytes);
        let [problem] = &reading.problems[..] else { panic!("{:?}", reading.problems) };
        assert!(problem.message.starts_with("this is not text"), "{problem}");
        assert!(reading.trees.is_empty() && reading.texts.is_empty());
    }
}

#[test]
fn a_file_that_cannot_be_read_is_named() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    for path in [dir.path().join("absent.mrg"), dir.path().to_owned()] {
        let message = crate::treebank::read_file(&path).unwrap_err().to_string();
        assert!(message.contains(&path.display().to_string()), "{message}");
    }
}

#[test]
fn gzip_and_latin1_are_read_in_every_format() {
    let export = "#BOS 1 1 0 1\ncafé NE -- -- 0\n#EOS 1\n";
    let tiger = "<s id=\"s1\"><graph><terminals><t id=\"a\" word=\"café\" pos=\"NE\"/></terminals>\
                 </graph></s>";
    for (name, text) in [
        ("a.mrg", "(S (NE café))"),
        ("a", export),
        ("a.xml", tiger),
        ("a.conll", "café\tNE\n"),
        ("a.jsonl", "{\"words\":[\"café\"],\"spans\":[]}"),
        ("a.txt", "café\n"),
    ] {
        let latin1: Vec<u8> =
            text.chars().map(|c| u8::try_from(c).expect("a Latin-1 character")).collect();
        let options = FileOptions { encoding: Some(Encoding::Latin1), ..FileOptions::default() };
        for (bytes, options) in [
            (text.as_bytes().to_vec(), FileOptions::default()),
            (input::tests::gzip(text.as_bytes()), FileOptions::default()),
            (input::tests::gzip(&latin1), options),
            (latin1.clone(), options),
        ] {
            let reading = read_with(name, &bytes, options);
            assert!(reading.problems.is_empty(), "{name}: {:?}", reading.problems);
            let words: Vec<_> = reading.trees.iter().flat_map(|t| t.words()).collect();
            let words = words.into_iter().chain(reading.words.iter().flat_map(|w| &w.words));
            let words: Vec<_> = words.chain(&reading.texts).map(|w| &**w).collect();
            assert_eq!(words, ["café"], "{name}");
        }
        let problem = read_with(name, &latin1, FileOptions::default()).problems.remove(0);
        assert_eq!(problem.kind, "not-utf8", "{name}");
        assert!(problem.message.contains("0xE9") && problem.message.contains('é'), "{problem}");
    }
}

#[test]
fn gzip_that_breaks_off_is_named_and_what_came_before_is_read() {
    let text = "(S (NN a))\n".repeat(50_000);
    let packed = input::tests::gzip(text.as_bytes());
    let reading = read("a.mrg.gz", &packed[..packed.len() / 2]);
    assert!(reading.trees.len() > 10_000 && reading.trees.len() < 50_000);
    assert_eq!(reading.problems.last().map(|p| p.kind), Some("unreadable"));
    // The sum at the end does not fit: nothing is known of any line.
    let mut packed = input::tests::gzip(b"(S (NN a))");
    let at = packed.len() - 6;
    packed[at] ^= 1;
    for format in Format::ALL {
        let options = FileOptions { format: Some(format), ..FileOptions::default() };
        let reading = read_with("", &packed, options);
        let problem = reading.problems.first().expect("it is broken");
        assert!(problem.line >= 1 && problem.column >= 1, "{format:?}: {problem}");
    }
}

#[test]
fn a_format_that_is_named_holds_against_content_and_name() {
    let options = FileOptions { format: Some(Format::Text), ..FileOptions::default() };
    let reading = read_with("a.mrg", b"(S (NN a))\n", options);
    assert_eq!((reading.format, reading.texts.len()), (Format::Text, 1));
}

#[test]
fn export_keeps_gaps_edges_lemmas_morphology_and_secondary_edges() {
    let text = "#FORMAT 4\n#BOT ORIGIN\n0\tx\n#EOT ORIGIN\n%% remark\n\
                #BOS 7 1 0 1 %% remark\n\
                Das\t\tder\t\tPDS\t*.Acc\tOA\t500\n\
                hat\t--\tVAFIN\t--\tHD\t501\tXY\t500 %% remark\n\
                gesagt\t--\tVVPP\t--\tHD\t500\tSB\t501\t%% remark\n\
                #500\t--\tVP\t--\tOC\t501\n\
                #501\t--\tS\t--\t--\t0\n\
                #EOS 7\n";
    let reading = read("-", text.as_bytes());
    assert_eq!(problems(&reading), [""; 0]);
    let tree = &reading.trees[0];
    assert!(tree.is_discontinuous());
    assert_eq!(tree.words().iter().map(|w| &**w).collect::<Vec<_>>(), ["Das", "hat", "gesagt"]);
    assert_eq!(tree.name().map(|n| &**n), Some("7"));
    assert_eq!(tree.place.line, 6);
    let labels: Vec<_> = tree.nodes().map(|(_, n)| &**n.label).collect();
    assert_eq!(labels, ["VROOT", "S", "VP", "PDS", "VVPP", "VAFIN"]);
    let vp = NodeId(2);
    assert_eq!(tree.positions_below(vp), [0, 2]);
    assert_eq!(tree.annotation(vp).and_then(|a| a.edge.as_deref()), Some("OC"));
    let first = tree.annotation(tree.preterminals()[0]).expect("annotated");
    let said = [&first.lemma, &first.morphology, &first.edge].map(|t| t.as_deref());
    assert_eq!(said, [Some("der"), Some("*.Acc"), Some("OA")]);
    let second = tree.annotation(tree.preterminals()[1]).expect("annotated");
    assert_eq!(second.secondary, [(vp, "XY".into())]);
}

#[test]
fn words_of_export_that_look_like_its_own_signs_are_words() {
    for (rows, words) in [
        ("#500 NE -- OA 500\n#500 S -- -- 0", "#500"),
        ("a X -- -- 500\n#501 NE -- OA 500\n#500 S -- -- 0", "a #501"),
        ("%% X -- -- 500\nb X -- -- 500\n#500 S -- -- 0", "%% b"),
        ("#EOS X -- -- 500\n#BOS X -- -- 500\n#500 S -- -- 0", "#EOS #BOS"),
        ("( $( -- -- 500\na) X -- -- 500\n#500 S -- -- 0", "-LRB- a-RRB-"),
    ] {
        assert_eq!(export(rows).words().join(" "), words, "{rows}");
    }
    assert_eq!(&**export("( $( -- -- 0").tags().next().expect("a tag"), "$-LRB-");
}

#[test]
fn a_fault_of_export_costs_its_sentence_and_is_named_with_its_line() {
    for (rows, problem) in [
        ("a X -- -- 500", "no-parent 6:1"),
        ("a X -- -- x", "columns 6:1"),
        ("a X --", "columns 6:1"),
        ("a X -- -- 0 SB", "columns 6:1"),
        ("a X -- -- 0 SB x", "columns 6:1"),
        ("a X -- -- 500\n#500 S -- -- 501\n#501 T -- -- 500", "circle 7:1"),
        ("a X -- -- 0 SB 500", "no-parent 6:1"),
        ("", "empty-tree 5:1"),
    ] {
        let good = "#BOS 1 1 0 1\nb X -- -- 0\n#EOS 1\n";
        let text = format!("#FORMAT 3\n{good}#BOS 2 1 0 1\n{rows}\n#EOS 2\n{good}");
        let reading = read("a.export", text.as_bytes());
        assert_eq!(problems(&reading), [problem], "{rows}");
        assert_eq!(reading.trees.len(), 2, "{rows}");
    }
    let unclosed = "#BOS 1 1 0 1\na X -- -- 0\n#BOS 2 1 0 1\nb X -- -- 0\n#EOS 2\n#BOS 3 1 0 1\n";
    let reading = read("a.export", unclosed.as_bytes());
    assert_eq!(
        (problems(&reading), reading.trees.len()),
        (vec!["unclosed 1:1".into(), "unclosed 6:1".into()], 1)
    );
    assert_eq!(problems(&read("a.export", b"")), ["no-trees 1:1"]);
    assert_eq!(
        problems(&read("a.export", b"hello\nyou\n#BOS 1\na X -- -- 0\n#EOS 1")),
        ["stray-text 1:1"]
    );
    assert_eq!(problems(&read("a.export", b"#BOT X\n1 2\n")), ["unclosed 1:1"]);
    assert_eq!(problems(&read("a.export", b"#FORMAT 5\n")), ["columns 1:1"]);
}

#[test]
fn tiger_reads_graphs_with_entities_and_either_quotes() {
    let text = "<?xml version='1.0'?><corpus><head/><body><!-- <s id='no'> -->\n\
        <s id='s1'><graph root='r' discontinuous='true'><terminals>\
        <t id='w1' word='&quot;&#65;&amp;' pos='$(' lemma='--' morph='x'><secedge label='SB' idref='n1'/></t>\
        <t id=\"w2\" word=\"b c\" pos=\"\"/><t id='w3' word='>' pos='X'/></terminals>\n\
        <nonterminals><nt id='n1' cat='NP'><edge label='HD' idref='w1'/><edge label='--' idref='w3'/></nt>\
        <nt id='r' cat='S'><edge label='SB' idref='n1'/><edge idref='w2'/></nt></nonterminals></graph>\
        <matches/></s></body></corpus>";
    let reading = read("-", text.as_bytes());
    assert_eq!(problems(&reading), [""; 0]);
    let tree = &reading.trees[0];
    assert_eq!(tree.words().join(" "), "\"A& b\u{a0}c >");
    assert_eq!(tree.tags().map(|t| &**t).collect::<Vec<_>>(), ["$-LRB-", "X", "X"]);
    let labels: Vec<_> =
        tree.nodes().filter(|(_, n)| n.word.is_none()).map(|(_, n)| &**n.label).collect();
    assert_eq!(labels, ["VROOT", "S", "NP"]);
    assert!(tree.is_discontinuous());
    assert_eq!(tree.name().map(|n| &**n), Some("s1"));
    let first = tree.annotation(tree.preterminals()[0]).expect("annotated");
    assert_eq!(first.secondary, [(NodeId(2), "SB".into())]);
    assert_eq!((tree.place.line, tree.place.column), (2, 1));
}

#[test]
fn a_fault_of_tiger_costs_its_sentence_and_is_named_with_its_place() {
    let t = "<t id='w' word='a' pos='X'/>";
    let n = |id: &str, to: &str| format!("<nt id='{id}' cat='A'><edge idref='{to}'/></nt>");
    for (inside, problem) in [
        ("", "empty-tree 2:2"),
        ("<t id='w' pos='X'/>", "xml 2:5"),
        ("<t word='a' pos='X'/>", "xml 2:5"),
        ("<t id='w' word='' pos='X'/>", "empty-word 2:5"),
        ("<t id='w' word='a &nothing; b'/>", "xml 2:5"),
        ("<t id='w' word='a' pos='X'></nt>", "xml 2:32"),
        (&t.repeat(2), "duplicate-id 2:33"),
        (&format!("{t}<nt id='n' cat='A'/>"), "empty-tree 2:33"),
        (&format!("{t}{}", n("n", "x")), "no-parent 2:52"),
        (&format!("{t}{}{}", n("n", "w"), n("m", "w")), "two-parents 2:93"),
        (&format!("{t}{}{}", n("n", "m"), n("m", "n")), "circle 2:33"),
        (&format!("{t}<edge idref='w'/>"), "xml 2:33"),
    ] {
        let good = "<s><t id='w' word='a' pos='X'/></s>";
        let text = format!("{good}\n <s>{inside}</s>\n{good}\n");
        let reading = read("a.xml", text.as_bytes());
        assert_eq!(problems(&reading), [problem], "{inside}: {:?}", reading.problems);
        assert_eq!(reading.trees.len(), 2, "{inside}");
    }
    let open = format!("<corpus>\n<s>{t}\n<s>{t}</s>");
    assert_eq!(problems(&read("a.xml", open.as_bytes())), ["unclosed 2:1"]);
    assert_eq!(problems(&read("a.xml", b"<corpus></corpus>")), ["no-trees 1:1"]);
    assert_eq!(problems(&read("a.xml", b"<corpus>\n <s>")), ["unclosed 2:2"]);
}

#[test]
fn columns_are_read_in_the_layouts_of_conll() {
    let expected = ("The #1 cat", "DT # NN");
    for text in [
        "The\tDT\n#1\t#\ncat\tNN\n\n",
        "The DT B-NP\n#1 # I-NP\ncat NN I-NP\n",
        "# sent_id = 1\n1-2\tThecat\t_\t_\t_\n1\tThe\tthe\tDET\tDT\t_\n1.1\tx\tx\tX\tX\t_\n\
         2\t#1\t#1\tSYM\t#\t_\n3\tcat\tcat\tNN\t_\t_\n\n",
        "#begin document (bc/a); part 000\nbc/a 0 0 The DT (S*\nbc/a 0 1 #1 # *\nbc/a 0 2 cat NN *)\n#end document\n",
        "-DOCSTART- -X- -X- O\n\nThe DT B O\n#1 # I O\ncat NN I O\n",
        "1\tThe\tDT\r\n2\t#1\t#\r\n3\tcat\tNN\r\n\r\n\r\n",
    ] {
        let reading = read("a.conll", text.as_bytes());
        assert_eq!(problems(&reading), [""; 0], "{text}");
        let [sentence] = &reading.words[..] else { panic!("{text}: {:?}", reading.words) };
        let tags = sentence.tags.as_ref().expect("tags").join(" ");
        assert_eq!((&*sentence.words.join(" "), &*tags), expected, "{text}");
    }
    let faulty = read("a.conll", b"a\tX\nb\n\nc\tX\n\n\xe9\tX\n");
    assert_eq!(
        (problems(&faulty), faulty.words.len()),
        (vec!["columns 2:1".into(), "not-utf8 6:1".into()], 1)
    );
    assert_eq!(problems(&read("a.conll", b"\n\n")), ["no-trees 2:1"]);
}

#[test]
fn json_lines_nest_spans_whatever_their_order() {
    for (line, expected) in [
        (
            r#"{"words":["a","b"],"tags":["X","Y"],"spans":[{"start":0,"end":2,"label":"S"}]}"#,
            "(S (X a) (Y b))",
        ),
        (
            r#"{"words":["a","b"],"spans":[{"start":1,"end":2,"label":"B"},{"start":0,"end":2,"label":"S"},{"start":0,"end":2}]}"#,
            "(S ( (X a) (B (X b))))",
        ),
        (r#"{"words":["a","b"],"spans":[]}"#, "( (X a) (X b))"),
        (r#"{"words":["a"],"spans":[],"log_prob":-3.5}"#, "(X a)"),
        (r#"{"words":["(","b c"],"spans":[],"name":"n"}"#, "( (X -LRB-) (X b\u{a0}c) (ID n))"),
    ] {
        let reading = read("a.jsonl", line.as_bytes());
        assert_eq!(problems(&reading), [""; 0], "{line}");
        assert_eq!(trees(&reading), [expected], "{line}");
    }
    let gap = r#"{"words":["a","b","c"],"spans":[{"words":[0,2],"label":"G"},{"start":0,"end":3,"label":"S"}]}"#;
    let reading = read("a.jsonl", gap.as_bytes());
    assert_eq!(reading.trees[0].positions_below(NodeId(1)), [0, 2]);
    let words = read("a.jsonl", br#"{"words":["a","b"],"tags":["X","Y"]}"#);
    assert_eq!(words.words[0].words.join(" "), "a b");
}

#[test]
fn a_fault_of_json_costs_its_line() {
    for (line, kind) in [
        ("{", "json"),
        ("[]", "json"),
        (r#"{"words":[]}"#, "empty-tree"),
        (r#"{"words":[""]}"#, "empty-word"),
        (r#"{"words":["a"],"tags":[]}"#, "json"),
        (r#"{"words":["a"],"spans":[{"start":0,"end":2}]}"#, "json"),
        (r#"{"words":["a"],"spans":[{"start":0,"end":0}]}"#, "json"),
        (r#"{"words":["a"],"spans":[{"start":0}]}"#, "json"),
        (r#"{"words":["a","b"],"spans":[{"words":[1,0]}]}"#, "json"),
        (r#"{"words":["a","b"],"spans":[{"words":[]}]}"#, "json"),
        (
            r#"{"words":["a","b","c"],"spans":[{"start":0,"end":2},{"start":1,"end":3}]}"#,
            "crossing",
        ),
        (r#"{"words":["a","b","c"],"spans":[{"words":[0,2]},{"words":[1,2]}]}"#, "crossing"),
        (r#"{"words":["a"],"spans":[],"annotations":{"1":{"edge":"x"}}}"#, "json"),
    ] {
        let good = r#"{"words":["a"]}"#;
        let reading = read("a.jsonl", format!("{good}\n{line}\n\n{good}\n").as_bytes());
        let [problem] = &reading.problems[..] else { panic!("{line}: {:?}", reading.problems) };
        assert_eq!((problem.kind, problem.line), (kind, 2), "{line}: {problem}");
        assert_eq!(reading.words.len(), 2, "{line}");
    }
}

#[test]
fn no_format_has_a_bound_on_depth() {
    let n = 100_000;
    let mut export = String::from("#BOS 1\na X -- -- 500\n");
    let mut tiger = String::from("<s><t id='500' word='a' pos='X'/>");
    let mut json = String::from(r#"{"words":["a"],"spans":["#);
    for i in 0..n {
        let above = if i + 1 == n { 0 } else { 501 + i };
        export += &format!("#{} L -- -- {above}\n", 500 + i);
        tiger += &format!("<nt id='{}' cat='L'><edge idref='{}'/></nt>", 501 + i, 500 + i);
        json += if i == 0 { "" } else { "," };
        json += r#"{"start":0,"end":1,"label":"L"}"#;
    }
    export += "#EOS 1\n";
    tiger += "</s>";
    json += "]}";
    for (name, text) in [("a.export", export), ("a.xml", tiger), ("a.jsonl", json)] {
        let reading = read(name, text.as_bytes());
        assert_eq!(problems(&reading), [""; 0], "{name}");
        assert!(reading.trees[0].nodes().len() > n, "{name}");
        assert!(reading.trees[0].to_string().len() > 4 * n, "{name}");
    }
}

/// A small file of every format.
const SAMPLES: [(Format, &str); 6] = [
    (Format::Brackets, "( (S (NP (NN a)) (VB b)) (ID 1))\n(NN c)\n"),
    (
        Format::Export,
        "#FORMAT 3\n#BOS 1 1 0 1\na\tX\t--\tNK\t500\tSB\t501\nb\tX\t--\tHD\t501\n#500\tNP\t--\tSB\t501\n#501\tS\t--\t--\t0\n#EOS 1\n",
    ),
    (
        Format::Tiger,
        "<s id='s1'><graph root='r'><t id='w' word='a&amp;' pos='X'><secedge label='Y' idref='r'/></t><t id='v' word='b'/><nt id='r' cat='S'><edge label='SB' idref='w'/><edge idref='v'/></nt></graph></s>",
    ),
    (Format::Columns, "# x\n1\tThe\tthe\tDET\tDT\n2\tcat\tcat\tNOUN\t_\n\na b\n"),
    (
        Format::Json,
        "{\"words\":[\"a\",\"b\",\"c\"],\"tags\":[\"X\",\"Y\",\"Z\"],\"spans\":[{\"start\":0,\"end\":3,\"label\":\"S\"},{\"words\":[0,2],\"label\":\"G\"}],\"annotations\":{\"0\":{\"edge\":\"e\",\"secondary\":[[4,\"f\"]]}}}\n",
    ),
    (Format::Text, "a b c\n d\te\n"),
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn damaged_files_neither_panic_nor_loop(
        which in 0..SAMPLES.len(),
        cuts in prop::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>(), 0..6usize, any::<u8>()), 1..6),
    ) {
        let (format, text) = SAMPLES[which];
        let mut bytes = text.repeat(2).into_bytes();
        for (at, to, kind, byte) in cuts {
            if bytes.is_empty() {
                break;
            }
            let at = at.index(bytes.len());
            let to = at + to.index(bytes.len() - at);
            match kind {
                0 => drop(bytes.drain(at..to)),
                1 => bytes[at] = byte,
                2 => bytes.insert(at, byte),
                3 => bytes.truncate(at + 1),
                4 => bytes.swap(at, to),
                _ => {
                    let part = bytes[at..to].to_vec();
                    bytes.splice(at..at, part);
                }
            }
        }
        let options = FileOptions { format: Some(format), ..FileOptions::default() };
        let reading = read_with("", &bytes, options);
        let items = reading.trees.len() + reading.words.len() + reading.texts.len();
        prop_assert!(items + reading.problems.len() <= bytes.len() + 2);
        for tree in &reading.trees {
            let again = read_with("a.mrg", tree.to_string().as_bytes(), FileOptions::default());
            prop_assert!(again.problems.is_empty(), "{:?}", again.problems);
            prop_assert_eq!(again.trees[0].words(), tree.words());
        }
    }
}
