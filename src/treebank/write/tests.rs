use super::super::formats::tests::export;
use super::super::{Entries, FileOptions, Interner, NodeId, Place, Problem, Reading, TreeBuilder};
use super::*;
use crate::config::{Discontinuous, FunctionLabels, UnaryChains};
use crate::treebank::{DATA_PRESETS, Preprocessing, Removed};
use proptest::prelude::*;

const WITH_TREES: [Format; 4] = [Format::Brackets, Format::Export, Format::Tiger, Format::Json];

fn write(format: Format, style: BracketStyle, entries: &[Entry]) -> (String, u64, Changes) {
    let mut writer = Writer::new(Vec::new(), format, style).expect("a vector takes all");
    for entry in entries {
        writer.entry(entry).expect("a vector takes all");
    }
    let (bytes, written, changes) = writer.finish().expect("a vector takes all");
    (String::from_utf8(bytes).expect("text"), written, changes)
}

fn read(format: Format, text: &str) -> Reading {
    let options = FileOptions { format: Some(format), ..FileOptions::default() };
    let entries = Entries::new(text.as_bytes(), "", options, Interner::default());
    Reading::collect(entries.expect("readable"))
}

/// Everything of a tree but its place, its name and how its root is called.
type Facts = Vec<(String, Option<String>, Vec<u32>, Annotation)>;

fn facts(tree: &Tree) -> Facts {
    let root = tree.node(tree.root());
    let skip =
        usize::from(root.word.is_none() && super::super::ROOT_LABELS.contains(&&**root.label));
    let ids: Vec<NodeId> = tree.nodes().map(|(id, _)| id).skip(skip).collect();
    ids.into_iter()
        .map(|id| {
            let node = tree.node(id);
            let mut annotation = tree.annotation(id).cloned().unwrap_or_default();
            // By the number of the node from the end, which a root before it does not change.
            let nodes = tree.nodes().len() as u32;
            for (to, _) in &mut annotation.secondary {
                *to = NodeId(nodes - to.0);
            }
            let word = node.word.map(str::to_owned);
            (node.label.to_string(), word, tree.positions_below(id), annotation)
        })
        .collect()
}

/// Words and labels that formats have to escape, or might take for their own.
fn odd() -> impl Strategy<Value = String> {
    prop_oneof![
        "[A-Za-z]{1,4}",
        "[!-~é猫]{1,5}",
        "[-()#%&<>\"'=|*$.,;:`{}\\[\\]\\\\]{1,4}",
        prop::sample::select(vec![
            "#500",
            "#501",
            "#BOS",
            "#EOS",
            "#FORMAT",
            "%%",
            "--",
            "-LRB-",
            "-RRB-",
            "ID",
            "X",
            "-NONE-",
            "*T*-1",
            "VROOT",
            "TOP",
            "&amp;",
            "]]>",
            "<s>",
            "</s>",
            "<!--",
            "_",
            "0",
            "10\u{a0}000",
            "\u{feff}",
            "a b",
            "\t",
            "()",
            "1",
            "-DOCSTART-",
            "\u{7}",
            "e\u{301}",
        ])
        .prop_map(str::to_owned),
    ]
}

/// As readers make it: what they never give is not asked back.
fn clean(text: &str) -> Arc<str> {
    atom(text).into()
}

/// A random tree; with `gaps` its words may stand anywhere below their phrases.
fn any_tree(gaps: bool) -> impl Strategy<Value = Tree> {
    tree_of(odd(), gaps)
}

fn tree_of(word: impl Strategy<Value = String>, gaps: bool) -> impl Strategy<Value = Tree> {
    let words = prop::collection::vec((odd(), word), 1..9);
    let phrases = prop::collection::vec(
        (odd(), any::<prop::sample::Index>(), any::<prop::sample::Index>()),
        0..6,
    );
    let annotations = prop::collection::vec((any::<prop::sample::Index>(), odd(), 0..4u8), 0..4);
    (words, phrases, odd(), annotations).prop_map(move |(words, phrases, root, annotations)| {
        // Phrases are put between a range of siblings and their parent.
        let mut children: Vec<Vec<usize>> = vec![Vec::new(); words.len() + 1];
        let top = words.len();
        children[top] = (0..words.len()).collect();
        let mut labels: Vec<String> = words.iter().map(|(tag, _)| tag.clone()).collect();
        labels.push(root);
        for (label, at, size) in &phrases {
            let parent = top + at.index(children.len() - top);
            let siblings = children[parent].clone();
            let from = at.index(siblings.len());
            let n = 1 + size.index(siblings.len() - from);
            let taken: Vec<usize> = match gaps {
                false => siblings[from..from + n].to_vec(),
                true => siblings.iter().copied().skip(from).step_by(2).take(n).collect(),
            };
            let new = children.len();
            let mut rest: Vec<usize> = Vec::new();
            for &sibling in &siblings {
                if sibling == taken[0] {
                    rest.push(new);
                }
                if !taken.contains(&sibling) {
                    rest.push(sibling);
                }
            }
            children[parent] = rest;
            children.push(taken);
            labels.push(label.clone());
        }
        let mut builder = TreeBuilder::new();
        let mut stack = vec![Some(top)];
        let mut nodes = Vec::new();
        while let Some(step) = stack.pop() {
            let Some(at) = step else {
                builder.close();
                continue;
            };
            nodes.push(match words.get(at) {
                Some((tag, word)) => builder.word_at(at as u32, clean(tag), clean(word)),
                None => {
                    stack.push(None);
                    stack.extend(children[at].iter().rev().map(|&c| Some(c)));
                    builder.open(clean(&labels[at]))
                }
            });
        }
        for (at, text, kind) in annotations {
            let (id, to) = (nodes[at.index(nodes.len())], nodes[nodes.len() / 2]);
            let text = Some(clean(&text));
            if id == nodes[0] || words.is_empty() {
                continue;
            }
            let mut annotation = Annotation::default();
            match kind {
                0 => annotation.edge = text,
                1 => annotation.morphology = text,
                2 => annotation.lemma = text,
                _ => annotation.secondary = text.map(|t| (to, t)).into_iter().collect(),
            }
            builder.annotate(id, annotation);
        }
        builder.finish(Place::default()).expect("well formed")
    })
}

/// What a format is known to lose of a tree, so that it is not expected back; all of it is noted.
fn expected(format: Format, tree: &Tree) -> Facts {
    let mut facts = facts(tree);
    let to_word = |to: NodeId| tree.node(NodeId(tree.nodes().len() as u32 - to.0)).word.is_some();
    for (label, word, _, annotation) in &mut facts {
        let is_nothing = |t: &mut Option<Arc<str>>| t.as_deref() == Some("--");
        match format {
            Format::Brackets => {
                if let Some(edge) =
                    annotation.edge.take().filter(|_| word.is_none() && !label.is_empty())
                {
                    *label = format!("{label}-{edge}");
                }
                *annotation = Annotation::default();
            }
            Format::Export | Format::Tiger => {
                for text in
                    [&mut annotation.edge, &mut annotation.morphology, &mut annotation.lemma]
                {
                    if is_nothing(text) {
                        *text = None;
                    }
                }
                if format == Format::Export && word.is_none() && label == "--" {
                    label.clear();
                }
                if format == Format::Tiger && word.is_none() {
                    annotation.lemma = None;
                }
                if format == Format::Export {
                    for (_, text) in &mut annotation.secondary {
                        if text.starts_with("%%") {
                            *text = format!("_{text}").into();
                        }
                    }
                }
                annotation.secondary.retain(|(to, _)| format != Format::Export || !to_word(*to));
                if format == Format::Tiger {
                    let forbidden = |c: char| c.is_control() && c.is_ascii();
                    let fix = |t: &str| t.replace(|c| forbidden(c) && c != '\u{7f}', "\u{fffd}");
                    *label = fix(label);
                    *word = word.as_deref().map(fix);
                    for text in
                        [&mut annotation.edge, &mut annotation.morphology, &mut annotation.lemma]
                    {
                        *text = text.as_deref().map(|t| fix(t).into());
                    }
                    for (_, text) in &mut annotation.secondary {
                        *text = fix(text).into();
                    }
                }
            }
            Format::Json | Format::Columns | Format::Text => {}
        }
    }
    facts
}

/// Trees whose only oddity is one of brackets: a tag that looks like a name.
fn looks_named(tree: &Tree) -> bool {
    tree.node(tree.root()).label.is_empty() && tree.tags().any(|t| **t == *"ID")
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn every_format_reads_back_what_it_wrote(trees in prop::collection::vec(any_tree(false), 1..4)) {
        for format in WITH_TREES {
            for indented in [false, true] {
                let entries: Vec<Entry> = trees.iter().cloned().map(Entry::Tree).collect();
                let (text, written, _) = write(format, BracketStyle { indented }, &entries);
                let back = read(format, &text);
                prop_assert_eq!(&back.problems, &Vec::<Problem>::new(), "{}", text);
                prop_assert_eq!(written, trees.len() as u64);
                prop_assert_eq!(back.trees.len(), trees.len(), "{}", text);
                for (tree, back) in trees.iter().zip(&back.trees) {
                    if !looks_named(tree) {
                        prop_assert_eq!(facts(back), expected(format, tree), "{:?}: {}", format, text);
                    }
                }
            }
        }
    }

    #[test]
    fn gaps_are_kept_where_the_format_can_and_attached_where_not(tree in any_tree(true)) {
        for format in WITH_TREES {
            let (text, _, changes) = write(format, BracketStyle::default(), &[Entry::Tree(tree.clone())]);
            let back = read(format, &text);
            prop_assert_eq!(&back.problems, &Vec::<Problem>::new(), "{}", text);
            let [back] = &back.trees[..] else { panic!("{text}") };
            if format != Format::Brackets {
                prop_assert_eq!(facts(back), expected(format, &tree), "{:?}: {}", format, text);
            } else if !looks_named(&tree) {
                prop_assert_eq!(back.words(), tree.words());
                let moved = changes.counts().get("attached").copied().unwrap_or(0);
                prop_assert_eq!(moved > 0, tree.is_discontinuous());
            }
        }
    }

    #[test]
    fn attaching_keeps_words_tags_and_every_phrase_that_had_no_gap_below(tree in any_tree(true)) {
        match attach(&tree) {
            None => prop_assert!(!tree.is_discontinuous()),
            Some((continuous, moved)) => {
                prop_assert!(!continuous.is_discontinuous());
                prop_assert!(moved.gaps > 0 && moved.moved() > 0, "{:?}", moved);
                prop_assert_eq!(continuous.words(), tree.words());
                prop_assert_eq!(continuous.nodes().len(), tree.nodes().len());
                prop_assert_eq!(attach(&continuous), None);
            }
        }
    }

    #[test]
    fn words_without_trees_read_back(
        words in prop::collection::vec((odd(), odd()), 1..6),
        tagged in any::<bool>(),
    ) {
        let tags = words.iter().map(|(t, _)| clean(t)).collect();
        let words: Vec<Arc<str>> = words.iter().map(|(_, w)| clean(w)).collect();
        let sentence = TaggedWords { words, tags: tagged.then_some(tags), place: Place::default() };
        for format in [Format::Columns, Format::Json] {
            let (text, ..) = write(format, BracketStyle::default(), &[Entry::Words(sentence.clone())]);
            let back = read(format, &text);
            prop_assert_eq!(&back.problems, &Vec::<Problem>::new(), "{}", text);
            prop_assert_eq!(&back.words[0].words, &sentence.words, "{}", text);
            if tagged {
                prop_assert_eq!(&back.words[0].tags, &sentence.tags, "{}", text);
            }
        }
        let (text, ..) = write(Format::Text, BracketStyle::default(), &[Entry::Words(sentence.clone())]);
        let back = read(Format::Text, &text);
        let joined = sentence.words.join(" ");
        prop_assert_eq!(&*back.texts[0], joined.as_str());
    }
}

/// Words that cleaning may change twice: numbers and what looks like one afterwards, marks and
/// what splits otherwise without them.
fn word() -> impl Strategy<Value = String> {
    let of = |words: &[&'static str]| prop::sample::select(words.to_vec()).prop_map(str::to_owned);
    prop_oneof![
        "[0-9N.,%a-cA-C]{1,5}",
        of(&["N", "No", "1950s", "5th", "10am", "mp3", "b2b", "$1,000", "10:30", "NN", "İ5", "ΑΣ"]),
        of(&[
            "can't", "cannot", "Mr.", "U.S.", "(c)", "\"Don't", "yes!\"", "--", "...", "n't", "’s"
        ]),
        odd(),
    ]
}

proptest! {
    #[test]
    fn what_was_cleaned_is_clean(
        tree in tree_of(word(), true),
        text in prop::collection::vec(word(), 1..8),
        preset in prop::sample::select(DATA_PRESETS.to_vec()),
        chains in prop::sample::select(vec![UnaryChains::Keep, UnaryChains::Collapse, UnaryChains::Join]),
        (keeps, attaches) in any::<(bool, bool)>(),
    ) {
        let preset = Preprocessing::preset(preset).expect("known");
        let rules = Preprocessing {
            unary_chains: chains,
            traces: keeps,
            function_labels: if keeps { FunctionLabels::Keep } else { preset.function_labels },
            discontinuous: if attaches { Discontinuous::Attach } else { Discontinuous::Keep },
            ..preset
        };
        let removed = &mut Removed::default();
        if let Some(clean) = rules.clean(&tree, removed) {
            let again = &mut Removed::default();
            let second = rules.clean(&clean, again).expect("words");
            prop_assert_eq!(facts(&second), facts(&clean));
            prop_assert!(again.0.is_empty(), "{:?}", again);
        }
        let words = TaggedWords {
            words: tree.words().to_vec(),
            tags: keeps.then(|| tree.tags().cloned().collect()),
            place: Place::default(),
        };
        if let Some(clean) = rules.clean_words(words, removed) {
            prop_assert_eq!(rules.clean_words(clean.clone(), removed), Some(clean));
        }
        if let Some(clean) = rules.clean_text(&text.join(" "), removed) {
            let again = &mut Removed::default();
            let second = rules.clean_text(&clean, again);
            prop_assert_eq!(second, Some(clean));
            prop_assert!(again.0.is_empty(), "{:?}", again);
        }
    }
}

#[test]
fn every_change_is_noted_with_kind_count_and_place() {
    let tree = export(
        "a X m SB 500\nb X -- -- 501 SB 500\nc X -- -- 500\n#500 A -- OC 501\n#501 B -- -- 0",
    );
    let kinds = |format| {
        let (_, _, changes) = write(format, BracketStyle::default(), &[Entry::Tree(tree.clone())]);
        assert!(changes.0.iter().all(|c| c.line == 2), "{changes:?}");
        changes.counts().into_iter().map(|(k, n)| format!("{k} {n}")).collect::<Vec<_>>()
    };
    let brackets = [
        "attached 1",
        "edge-labels-joined 1",
        "edge-labels-left-out 1",
        "morphology-left-out 1",
        "names-left-out 1",
        "secondary-edges-left-out 1",
    ];
    assert_eq!(kinds(Format::Brackets), brackets);
    assert_eq!(kinds(Format::Export), [""; 0]);
    assert_eq!(kinds(Format::Json), [""; 0]);
    assert_eq!(kinds(Format::Tiger), ["names-left-out 1"]);
    assert!(kinds(Format::Text).contains(&"phrases-left-out 3".to_owned()));
}

#[test]
fn depth_is_no_bound_for_any_writer() {
    let n = 100_000;
    let mut builder = TreeBuilder::new();
    for _ in 0..n {
        builder.open("L");
    }
    builder.word("X", "a");
    for _ in 0..n {
        builder.close();
    }
    let tree = builder.finish(Place::default()).expect("well formed");
    for format in Format::ALL {
        for indented in [false, true] {
            let (text, ..) = write(format, BracketStyle { indented }, &[Entry::Tree(tree.clone())]);
            assert!(text.contains('a'), "{format:?}");
        }
    }
}

#[test]
fn indented_brackets_keep_words_of_a_phrase_on_its_line() {
    let tree = super::super::tree::tree("( (S (NP (DT a) (NN b)) (VP (VB c) (NP (NN d)))))");
    let style = BracketStyle { indented: true };
    let (text, ..) = write(Format::Brackets, style, &[Entry::Tree(tree)]);
    assert_eq!(
        text,
        "(\n  (S\n    (NP (DT a) (NN b))\n    (VP\n      (VB c)\n      (NP (NN d)))))\n"
    );
}
