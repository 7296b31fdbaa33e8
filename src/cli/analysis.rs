//! What `parse` prints of a sentence: its words with the spans over them, with or without the
//! punctuation that the model never saw.

use crate::model::{self, Parse, ParsedSpan};
use crate::treebank::Sentence;
use std::sync::Arc;

/// Label of phrases and words that have no name.
pub const NAMELESS: &str = "X";

/// A sentence with its induced tree.
pub struct Analysis {
    /// As written in the input.
    pub words: Vec<Arc<str>>,
    /// A tag a word.
    pub tags: Vec<String>,
    /// Whether the tags are the model's preterminals.
    pub induced: bool,
    pub spans: Vec<ParsedSpan>,
    /// Nats.
    pub log_prob: f64,
    /// Of the best derivation, if it is its tree, nats.
    pub derivation_log_prob: Option<f64>,
    /// Tags of the input, where it has them.
    given: Option<Vec<Arc<str>>>,
}

impl Analysis {
    /// Words keep the tags of the input where the induced preterminals were not asked for.
    pub fn new(sentence: &Sentence, parse: &Parse) -> Analysis {
        let tags = match (&parse.tags[..], &sentence.tags) {
            ([], Some(tags)) => tags.iter().map(|t| (**t).to_owned()).collect(),
            ([], None) => vec![NAMELESS.to_owned(); sentence.len()],
            (induced, _) => {
                let own = induced.iter().take(sentence.len());
                own.map(|&t| model::preterminal_name(t)).collect()
            }
        };
        Analysis {
            words: sentence.surface.clone(),
            tags,
            induced: !parse.tags.is_empty(),
            spans: parse.spans.clone(),
            log_prob: parse.log_prob,
            derivation_log_prob: parse.derivation_log_prob,
            given: sentence.tags.clone(),
        }
    }

    /// Puts the words of `whole` that preprocessing took away back where they stood. What stands
    /// between two words gets into the smallest phrase that holds both, and what stands at an
    /// edge into the whole sentence.
    pub fn put_back(&mut self, whole: &Sentence) {
        // Whether a word stays hangs on itself and its tag alone, so the first equal one is it.
        let same = |at: usize, i: usize| {
            let tags = self.given.as_ref().zip(whole.tags.as_ref());
            self.words[at] == whole.surface[i] && tags.is_none_or(|(a, b)| a[at] == b[i])
        };
        let mut places = Vec::with_capacity(self.words.len());
        for i in 0..whole.len() {
            if places.len() < self.words.len() && same(places.len(), i) {
                places.push(i);
            }
        }
        if places.len() < self.words.len() {
            return;
        }
        let words = self.words.len() as u32;
        if words == 1 && whole.len() > 1 {
            // The phrase that a word alone has no need of.
            self.spans.push(ParsedSpan { start: 0, end: 1, label: None, posterior: 1.0 });
        }
        for span in &mut self.spans {
            (span.start, span.end) = match (span.start, span.end) {
                (0, end) if end == words => (0, whole.len() as u32),
                (start, end) => {
                    (places[start as usize] as u32, places[end as usize - 1] as u32 + 1)
                }
            };
        }
        let mut tags: Vec<String> = (0..whole.len())
            .map(|i| match &whole.tags {
                Some(tags) => (*tags[i]).to_owned(),
                None => tag_of_mark(&whole.surface[i]).to_owned(),
            })
            .collect();
        for (&place, tag) in places.iter().zip(std::mem::take(&mut self.tags)) {
            tags[place] = tag;
        }
        (self.words, self.tags) = (whole.surface.clone(), tags);
    }
}

/// The Penn Treebank's tag of a punctuation mark.
fn tag_of_mark(mark: &str) -> &str {
    match mark {
        "." | "!" | "?" => ".",
        "\"" | "''" | "”" | "’" | "'" | "»" => "''",
        "``" | "“" | "„" | "‘" | "`" | "«" => "``",
        "," | "-LRB-" | "-RRB-" | "$" | "#" => mark,
        "-LSB-" | "-LCB-" => "-LRB-",
        "-RSB-" | "-RCB-" => "-RRB-",
        _ => ":",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::{Diagram, DiagramSpan, to_brackets};
    use crate::treebank::{Preprocessing, PunctuationRule};

    /// The right-branching tree of a typed sentence, with its punctuation.
    fn with_punctuation(text: &str) -> String {
        let plain = Preprocessing::resolve(&crate::config::Data::default()).expect("a preset");
        let everything = Preprocessing { punctuation: PunctuationRule::Keep, ..plain.clone() };
        let sentence = plain.text(text, 0);
        let n = sentence.len() as u32;
        let span = |start| ParsedSpan { start, end: n, label: None, posterior: 1.0 };
        let parse = Parse { spans: (0..n - 1).map(span).collect(), ..Parse::default() };
        let mut analysis = Analysis::new(&sentence, &parse);
        analysis.put_back(&everything.text(text, 0));
        let span = |s: &ParsedSpan| DiagramSpan { start: s.start, end: s.end, label: NAMELESS };
        let spans: Vec<_> = analysis.spans.iter().map(span).collect();
        let tree = Diagram::from_spans(&analysis.words, Some(&analysis.tags), &spans);
        to_brackets(&tree.expect("a tree"))
    }

    #[test]
    fn punctuation_gets_into_the_smallest_phrase_around_it() {
        assert_eq!(
            with_punctuation("\"Yes, the dog (it) ran!\""),
            "(X (`` ``) (X Yes) (, ,) (X (X the) (X (X dog) (-LRB- -LRB-) (X (X it) (-RRB- -RRB-) \
             (X ran)))) (. !) ('' ''))"
        );
    }

    #[test]
    fn without_punctuation_nothing_changes() {
        assert_eq!(with_punctuation("Go!"), "(X (X Go) (. !))");
        assert_eq!(with_punctuation("the dog ran"), "(X (X the) (X (X dog) (X ran)))");
    }
}
