use super::*;
use std::collections::BTreeSet;

const SMALL: &str = "\
# a comment
[rules]
3 ^top -> S
2 S -> NP^sg VP
1 S -> S CC S
1 NP^sg -> DT NN
1 VP -> VBZ

[lexicon]
DT: the 3, a 1
NN: dog 1, cat 0.5
VBZ: sleeps 1
CC: and 1
";

fn bad_line(from: &str, to: &str) -> (Option<usize>, String) {
    assert!(SMALL.contains(from), "{from}");
    let error = Grammar::parse(&SMALL.replacen(from, to, 1)).expect_err(to);
    (error.line(), error.to_string())
}

/// Words and constituents of more than one word and less than the whole,
/// punctuation removed; panics on a line that is not one balanced tree.
fn read(line: &str) -> (Vec<String>, BTreeSet<(usize, usize)>) {
    let spaced = line.replace('(', " ( ").replace(')', " ) ");
    let tokens: Vec<&str> = spaced.split_whitespace().collect();
    let (mut words, mut spans, mut open) = (Vec::new(), BTreeSet::new(), Vec::new());
    for (i, &token) in tokens.iter().enumerate() {
        match token {
            "(" => {
                assert!(i == 0 || !open.is_empty(), "two roots: {line}");
                assert!(!matches!(tokens[i + 1], "(" | ")"), "no label: {line}");
                open.push(words.len());
            }
            ")" => {
                assert_ne!(tokens[i - 1], "(", "{line}");
                let start = open.pop().unwrap_or_else(|| panic!("closed too often: {line}"));
                spans.insert((start, words.len()));
            }
            _ if tokens[i - 1] == "(" => {}
            _ => {
                assert_eq!(tokens[i + 1], ")", "{line}");
                if is_word(token) {
                    words.push(token.to_owned());
                }
            }
        }
    }
    assert!(open.is_empty(), "left open: {line}");
    spans.retain(|&(i, j)| j - i > 1 && j - i < words.len());
    (words, spans)
}

#[test]
fn the_same_seed_gives_the_same_trees_and_a_longer_corpus_begins_with_the_shorter() {
    let grammar = Grammar::bundled();
    let short = generate(&grammar, 20, 7, 3, 30);
    let long = generate(&grammar, 50, 7, 3, 30);
    assert_eq!(short, long[..20]);
    assert_ne!(short, generate(&grammar, 20, 8, 3, 30));
}

#[test]
fn every_line_is_one_balanced_tree_with_its_length_in_the_window() {
    for line in generate(&Grammar::bundled(), 500, 1, 5, 12) {
        let (words, _) = read(&line);
        assert!((5..=12).contains(&words.len()), "{line}");
        assert!(!line.contains('^') && line.ends_with("))"), "{line}");
    }
}

#[test]
fn a_window_out_of_reach_gives_what_there_is_and_ends() {
    let grammar = Grammar::parse(&SMALL.replace("1 S -> S CC S\n", "").replace("CC: and 1\n", ""))
        .expect("a valid grammar");
    assert!(generate(&grammar, 5, 1, 4, 9).is_empty());
    assert_eq!(generate(&grammar, 5, 1, 3, 3).len(), 5);
    assert!(generate(&grammar, 5, 1, 3, 2).is_empty());
}

#[test]
fn sampling_ends_for_a_grammar_that_grows_without_bound() {
    let text = SMALL.replace("1 S -> S CC S", "900 S -> S CC S");
    let grammar = Grammar::parse(&text).expect("a valid grammar");
    let mut rng = ChaCha8Rng::seed_from_u64(3);
    for _ in 0..20 {
        let (words, _) = read(&grammar.sample(&mut rng));
        assert!(words.len() < 20 * MAX_NODES);
    }
}

#[test]
fn words_come_as_often_as_their_weights_say() {
    let grammar = Grammar::parse(SMALL).expect("a valid grammar");
    let lines = generate(&grammar, 4_000, 1, 3, 3).concat();
    let share = lines.matches("(DT the)").count() as f64 / 4_000.0;
    assert!((share - 0.75).abs() < 0.03, "{share}");
}

#[test]
fn hidden_symbols_and_splits_are_not_drawn() {
    let grammar = Grammar::parse(SMALL).expect("a valid grammar");
    let line = &generate(&grammar, 1, 1, 3, 3)[0];
    assert!(line.starts_with("(S (NP (DT "), "{line}");
    assert!(line.ends_with(" (VP (VBZ sleeps)))"), "{line}");
}

#[test]
fn punctuation_may_be_a_tag_and_a_word() {
    let text = "[rules]\n1 S -> NN , : NN\n[lexicon]\nNN: a 1\n,: , 1\n:: -- 1, : 2\n";
    let line =
        Grammar::parse(text).expect("a valid grammar").sample(&mut ChaCha8Rng::seed_from_u64(1));
    assert!(line.starts_with("(S (NN a) (, ,) (: "), "{line}");
}

#[test]
fn a_bad_line_is_named_by_its_number_and_what_was_expected() {
    for (from, to, line, says) in [
        ("[rules]\n", "", 2, "`[rules]`"),
        ("2 S -> NP^sg VP", "S -> NP^sg VP", 4, "a weight"),
        ("2 S -> NP^sg VP", "2", 4, "a left side"),
        ("2 S -> NP^sg VP", "2 S NP^sg VP", 4, "`->`"),
        ("2 S -> NP^sg VP", "2 S ->", 4, "at least one symbol"),
        ("2 S -> NP^sg VP", "-2 S -> NP^sg VP", 4, "positive"),
        ("2 S -> NP^sg VP", "inf S -> NP^sg VP", 4, "finite"),
        ("2 S -> NP^sg VP", "2 S -> NP^sg (VP", 4, "a symbol"),
        ("1 VP -> VBZ", "1 VP -> VBZ\n1 VP -> VBZ", 8, "line 7"),
        ("1 VP -> VBZ", "1 VP -> VBZ PP", 7, "PP has neither rules nor words"),
        ("1 VP -> VBZ", "1 VP -> VBZ\n1 PP -> NP^sg", 8, "PP is never used"),
        ("1 VP -> VBZ", "1 VP -> VBZ VP", 7, "VP never ends"),
        ("3 ^top -> S", "3 ^top -> S S", 3, "one symbol on the right"),
        ("DT: the 3, a 1", "DT the 3, a 1", 10, "TAG: WORD WEIGHT"),
        ("DT: the 3, a 1", "DT: the 3 a 1", 10, "a comma"),
        ("DT: the 3, a 1", "DT: the 3, a", 10, "a weight after the word"),
        ("DT: the 3, a 1", "DT: the 3, a 1,", 10, "a word after the comma"),
        ("DT: the 3, a 1", "DT: the 0, a 1", 10, "positive"),
        ("DT: the 3, a 1", "DT: the NaN, a 1", 10, "finite"),
        ("DT: the 3, a 1", "DT: the 3, the 1", 10, "already listed"),
        ("DT: the 3, a 1", "DT: the 1e308, a 1e308", 10, "add up"),
        ("DT: the 3, a 1", "DT: the 3, (a 1", 10, "without brackets"),
        ("DT: the 3, a 1", "^DT: the 3, a 1", 10, "begin with `^`"),
        ("VBZ: sleeps 1", "VBZ: sleeps 1\nVP: runs 1", 13, "one or the other"),
        ("VBZ: sleeps 1", "VBZ: sleeps 1\nRB: now 1", 13, "RB is never used"),
    ] {
        let (found, message) = bad_line(from, to);
        assert_eq!(found, Some(line), "{to}: {message}");
        assert!(message.contains(says), "{to}: {message}");
    }
    assert_eq!(Grammar::parse("# nothing\n").expect_err("empty"), GrammarError::Empty);
    assert_eq!(Grammar::parse("[rules]\n").expect_err("empty"), GrammarError::Empty);
    let lexicon_first = Grammar::parse("[lexicon]\nNN: dog 1\n").expect_err("no start");
    assert_eq!(lexicon_first.line(), Some(1), "{lexicon_first}");
}

#[test]
fn a_symbol_whose_smallest_tree_explodes_is_refused() {
    let doubling: String = (0..40).map(|i| format!("1 A{i} -> A{} A{}\n", i + 1, i + 1)).collect();
    let text = format!("[rules]\n{doubling}[lexicon]\nA40: a 1\n");
    let error = Grammar::parse(&text).expect_err("too large");
    assert_eq!(error.line(), Some(2), "{error}");
}
