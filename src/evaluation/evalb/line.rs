use super::Parameters;

/// A word that was not deleted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Word<'a> {
    pub word: &'a [u8],
    pub tag: &'a [u8],
}

/// A phrase as opened, deleted ones among them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Phrase<'a> {
    pub start: i64,
    /// -1 where the line ends before the bracket closes: such a phrase counts, covers nothing
    /// and crosses nothing.
    pub end: i64,
    /// As in the file, not cut.
    pub label: &'a [u8],
}

/// A quote-like word, deleted or not, and where it would stand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Quote<'a> {
    pub word: Word<'a>,
    /// Words before it that were not deleted.
    pub index: usize,
    /// Phrases opened before it.
    phrases: usize,
    /// The phrases open around it.
    around: Vec<usize>,
}

/// Why a line is an error whatever the other file holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Damage<'a> {
    /// The words are still known, and the brackets that are closed.
    Unclosed,
    /// The surplus bracket is passed over.
    Unopened,
    /// A word that is not the only one behind a tag: it is not known what the words are.
    Stray(&'a [u8]),
}

/// One line of a file of trees.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Line<'a> {
    pub words: Vec<Word<'a>>,
    pub phrases: Vec<Phrase<'a>>,
    pub quotes: Vec<Quote<'a>>,
    /// Words whose tag counts in the length, deleted ones among them.
    pub length: u64,
    pub damage: Option<Damage<'a>>,
}

impl<'a> Line<'a> {
    pub fn read(text: &'a [u8], parameters: &Parameters) -> Line<'a> {
        let mut line = Line::default();
        let mut open: Vec<usize> = Vec::new();
        let mut at = 0;
        while at < text.len() {
            match text[at] {
                b if is_blank(b) => at += 1,
                b'(' => {
                    let label = atom(text, at + 1);
                    at += 1 + label.len();
                    if let Some((word, end)) = word_behind(text, at) {
                        line.word(Word { word, tag: label }, &open, parameters);
                        at = end;
                    } else {
                        open.push(line.phrases.len());
                        let start = line.words.len() as i64;
                        line.phrases.push(Phrase { start, end: -1, label });
                    }
                }
                b')' => {
                    match open.pop() {
                        Some(phrase) => line.phrases[phrase].end = line.words.len() as i64,
                        None => line.damaged(Damage::Unopened),
                    }
                    at += 1;
                }
                _ => {
                    let word = atom(text, at);
                    at += word.len();
                    line.damaged(Damage::Stray(word));
                }
            }
        }
        if !open.is_empty() {
            line.damaged(Damage::Unclosed);
        }
        line
    }

    fn word(&mut self, word: Word<'a>, open: &[usize], parameters: &Parameters) {
        self.length += u64::from(parameters.counts_in_length(word.tag));
        if parameters.is_quote(word.tag, word.word) {
            self.quotes.push(Quote {
                word,
                index: self.words.len(),
                phrases: self.phrases.len(),
                around: open.to_vec(),
            });
        }
        if !parameters.deletes_tag(word.tag) {
            self.words.push(word);
        }
    }

    /// Keeps the worst damage, of two alike the first: one message a line.
    fn damaged(&mut self, damage: Damage<'a>) {
        let stray = |d: Damage| matches!(d, Damage::Stray(_));
        if self.damage.is_none_or(|before| !stray(before) && stray(damage)) {
            self.damage = Some(damage);
        }
    }

    /// Puts the deleted quote with this number back where it was; later words, phrases and
    /// quotes, itself among them, move by one.
    pub fn put_back(&mut self, number: usize) {
        let Quote { word, index, phrases, ref around } = self.quotes[number];
        self.words.insert(index, word);
        for phrase in &mut self.phrases[phrases..] {
            phrase.start += 1;
            phrase.end += 1;
        }
        for &phrase in around {
            self.phrases[phrase].end += 1;
        }
        for quote in &mut self.quotes[number..] {
            quote.index += 1;
        }
    }
}

/// The word behind a label that ends at `at`, and where its bracket ends: `(X word)`, with
/// blanks before the word and none behind it, or an empty word, `(X )`.
fn word_behind(text: &[u8], at: usize) -> Option<(&[u8], usize)> {
    let blanks = text[at..].iter().take_while(|&&b| is_blank(b)).count();
    if blanks == 0 {
        return None;
    }
    let word = atom(text, at + blanks);
    let end = at + blanks + word.len();
    (text.get(end) == Some(&b')')).then_some((word, end + 1))
}

/// Everything up to a blank, a bracket or the end.
fn atom(text: &[u8], at: usize) -> &[u8] {
    let rest = &text[at..];
    let end = rest.iter().position(|&b| is_blank(b) || b == b'(' || b == b')');
    &rest[..end.unwrap_or(rest.len())]
}

/// Blanks of the C locale.
fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t'..=b'\r')
}

/// A phrase label up to the first `-` or `=`.
pub(super) fn cut(label: &[u8]) -> &[u8] {
    let end = label.iter().position(|&b| b == b'-' || b == b'=');
    &label[..end.unwrap_or(label.len())]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> String {
        let parameters = Parameters::default();
        let line = Line::read(text.as_bytes(), &parameters);
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let mut parts: Vec<String> =
            line.words.iter().map(|w| format!("{}/{}", text(w.word), text(w.tag))).collect();
        parts.extend(
            line.phrases.iter().map(|p| format!("{}:{}-{}", text(p.label), p.start, p.end)),
        );
        parts.push(format!("{}", line.length));
        parts.extend(line.damage.map(|d| match d {
            Damage::Stray(word) => format!("stray {}", text(word)),
            other => format!("{other:?}"),
        }));
        parts.join(" ")
    }

    #[test]
    fn lines_are_read_as_the_scorer_defines_them() {
        for (text, expected) in [
            ("", "0"),
            ("(S-1 (NP (NN a)) (. .))", "a/NN S-1:0-1 NP:0-1 2"),
            ("( (S (NN a) ) )", "a/NN :0-1 S:0-1 1"),
            ("(A) (B )", "/B A:0-0 1"),
            ("( x)\t(NN  y)", "x/ y/NN 2"),
            ("(S (-NONE- *) (NN a))", "a/NN S:0-1 1"),
            ("(S (NN a", "S:0--1 NN:0--1 0 stray a"),
            ("(S (NN a)", "a/NN S:0--1 1 Unclosed"),
            ("(S (NN a))) (T (NN b))", "a/NN b/NN S:0-1 T:1-2 2 Unopened"),
            ("(S (NN a b) c)", "S:0-0 NN:0-0 0 stray a"),
            ("(NN a )", "NN:0-0 0 stray a"),
            ("(S", "S:0--1 0 Unclosed"),
            ("(", ":0--1 0 Unclosed"),
            (")) raw text", "0 stray raw"),
        ] {
            assert_eq!(read(text), expected, "{text}");
        }
    }

    #[test]
    fn a_quote_is_put_back_into_the_phrases_that_held_it() {
        let parameters = Parameters::parse(b"DELETE_LABEL ''\nQUOTE_LABEL ''").expect("right");
        let text = b"(S (A (N a)) (B (N b) ('' ') (C (N c))) (D (N d)))";
        let mut line = Line::read(text, &parameters);
        assert_eq!(line.words.len(), 4);
        line.put_back(0);
        assert_eq!(line.words[2], Word { word: b"'", tag: b"''" });
        let spans: Vec<_> = line.phrases.iter().map(|p| (p.start, p.end)).collect();
        assert_eq!(spans, [(0, 5), (0, 1), (1, 4), (3, 4), (4, 5)]);
        assert_eq!(line.quotes[0].index, 3);
    }
}
