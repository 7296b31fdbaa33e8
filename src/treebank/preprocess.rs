//! From a tree, words or a line of text to the sentence that models see.

use super::memo::{Memo, Rewritten};
use super::normalise::{is_punctuation_tag, is_punctuation_word};
use super::tree::TRACE;
use super::{
    LabelledSpan, Node, NodeId, Preprocessing, PunctuationRule, ROOT_LABELS, Removed, Sentence,
    TaggedWords, Tokenizer, Tree, attach, split, tokenise,
};
use crate::config::{Discontinuous, FunctionLabels, UnaryChains};
use std::sync::Arc;

impl Preprocessing {
    /// The sentence of a tree; `None`, and counted as `no-words`, where no word remains.
    pub fn sentence(
        &self,
        tree: Arc<Tree>,
        index: usize,
        removed: &mut Removed,
    ) -> Option<Sentence> {
        self.sentence_with(&mut Memo::default(), tree, index, removed)
    }

    /// A typed sentence, or a line of plain text, split by the rules of the preset.
    /// It has no words where all are punctuation.
    pub fn text(&self, text: &str, index: usize) -> Sentence {
        self.text_with(&mut Memo::default(), text, index, &mut Removed::default())
    }

    /// The sentences of a typed line, for [`Preprocessing::text`]: split at their ends by the rules
    /// of the Penn Treebank for English, whole where words are split at blanks alone.
    pub fn typed_sentences<'a>(&self, line: &'a str) -> Vec<&'a str> {
        match self.tokenizer {
            Tokenizer::Penn => split::sentences(line),
            Tokenizer::Blanks => vec![line.trim()],
        }
    }

    /// [`Preprocessing::sentence`] that shares words with what was treated before.
    pub(super) fn sentence_with(
        &self,
        memo: &mut Memo,
        tree: Arc<Tree>,
        index: usize,
        removed: &mut Removed,
    ) -> Option<Sentence> {
        let offsets = self.offsets(&tree, removed)?;
        let n = offsets.iter().flatten().count();
        let mut words = Vec::with_capacity(n);
        let mut surface = Vec::with_capacity(n);
        let mut tags = Vec::with_capacity(n);
        let mut rewritten = Rewritten::default();
        let all = tree.words().iter().zip(tree.tags()).enumerate();
        for (i, (word, tag)) in all.filter(|(i, _)| offsets[*i].is_some()) {
            // Only where traces are kept can one be left.
            let is_trace = self.traces && tree.is_empty_element(i);
            words.push(if is_trace { word.clone() } else { memo.word(self, word, &mut rewritten) });
            surface.push(word.clone());
            tags.push(tag.clone());
        }
        rewritten.count(removed);
        let attached = match self.discontinuous {
            Discontinuous::Attach => attach(&tree),
            Discontinuous::Keep => None,
        };
        if let Some((_, moved)) = &attached {
            removed.add("reattached", moved.moved());
        }
        let continuous = attached.as_ref().map_or(&*tree, |(tree, _)| tree);
        let gold = self.spans(memo, continuous, &offsets, removed);
        Some(Sentence {
            words,
            surface,
            tags: Some(tags),
            gold: Some(gold),
            tree: Some(tree),
            index,
        })
    }

    /// The sentence of words without a tree; `None`, and counted, where no word remains.
    pub(super) fn tagged_with(
        &self,
        memo: &mut Memo,
        sentence: TaggedWords,
        index: usize,
        removed: &mut Removed,
    ) -> Option<Sentence> {
        let TaggedWords { words: all, tags: all_tags, .. } = sentence;
        let (mut words, mut surface, mut tags) = (Vec::new(), Vec::new(), Vec::new());
        let mut rewritten = Rewritten::default();
        for (i, word) in all.into_iter().enumerate() {
            let tag = all_tags.as_ref().map(|tags| &tags[i]);
            if tag.is_some_and(|t| **t == *TRACE) && !self.traces {
                removed.add("traces", 1);
            } else if tag.map_or_else(
                || self.is_untagged_punctuation(&word),
                |tag| self.is_punctuation(&word, tag),
            ) {
                removed.add("punctuation", 1);
            } else {
                words.push(memo.word(self, &word, &mut rewritten));
                tags.extend(tag.cloned());
                surface.push(word);
            }
        }
        rewritten.count(removed);
        if words.is_empty() {
            removed.add("no-words", 1);
            return None;
        }
        let tags = all_tags.map(|_| tags);
        Some(Sentence { words, surface, tags, gold: None, tree: None, index })
    }

    /// A sentence of words whose tree is not known, split and perhaps tagged already; `None`, and
    /// counted as `no-words`, where no word remains.
    pub fn tagged(
        &self,
        sentence: TaggedWords,
        removed: &mut Removed,
        index: usize,
    ) -> Option<Sentence> {
        self.tagged_with(&mut Memo::default(), sentence, index, removed)
    }

    /// [`Preprocessing::text`] that counts what is left out.
    pub fn text_counted(&self, text: &str, removed: &mut Removed, index: usize) -> Sentence {
        self.text_with(&mut Memo::default(), text, index, removed)
    }

    /// Place among the words that remain, of every word that does; `None`, and counted, where
    /// none does.
    pub(super) fn offsets(&self, tree: &Tree, removed: &mut Removed) -> Option<Vec<Option<u32>>> {
        let mut offsets = vec![None; tree.len()];
        let mut n = 0;
        let (mut traces, mut punctuation) = (0, 0);
        for (i, (word, tag)) in tree.words().iter().zip(tree.tags()).enumerate() {
            let is_trace = tree.is_empty_element(i);
            if is_trace && !self.traces {
                traces += 1;
            } else if !is_trace && self.is_punctuation(word, tag) {
                punctuation += 1;
            } else {
                offsets[i] = Some(n);
                n += 1;
            }
        }
        removed.add("traces", traces);
        removed.add("punctuation", punctuation);
        if n == 0 {
            removed.add("no-words", 1);
            return None;
        }
        Some(offsets)
    }

    /// [`Preprocessing::text`] that shares words with what was treated before.
    pub(super) fn text_with(
        &self,
        memo: &mut Memo,
        text: &str,
        index: usize,
        removed: &mut Removed,
    ) -> Sentence {
        let words = match self.tokenizer {
            Tokenizer::Penn => tokenise::penn(text),
            Tokenizer::Blanks => text.split_ascii_whitespace().map(str::to_owned).collect(),
        };
        let mut sentence = Sentence {
            words: Vec::new(),
            surface: Vec::new(),
            tags: None,
            gold: None,
            tree: None,
            index,
        };
        let mut rewritten = Rewritten::default();
        for word in words {
            if self.is_untagged_punctuation(&word) {
                removed.add("punctuation", 1);
                continue;
            }
            let word = memo.surface(&word);
            sentence.words.push(memo.word(self, &word, &mut rewritten));
            sentence.surface.push(word);
        }
        rewritten.count(removed);
        sentence
    }

    /// Gold spans over the words that remain, in preorder. Phrases that lost all
    /// their words vanish, and so do those whose words have a gap between them.
    fn spans(
        &self,
        memo: &mut Memo,
        tree: &Tree,
        offsets: &[Option<u32>],
        removed: &mut Removed,
    ) -> Vec<LabelledSpan> {
        // Start, end and number of words below every node, children before parents.
        let mut below = vec![(u32::MAX, 0, 0); tree.nodes().len()];
        for (id, node) in tree.nodes().rev() {
            if let Some(offset) = node.position.and_then(|p| offsets[p as usize]) {
                below[id.index()] = (offset, offset + 1, 1);
            }
            let (start, end, count) = below[id.index()];
            if let Some(parent) = node.parent {
                let above = &mut below[parent.index()];
                *above = (above.0.min(start), above.1.max(end), above.2 + count);
            }
        }
        let roots = root_brackets(tree);
        let mut spans: Vec<LabelledSpan> = Vec::new();
        // Label of the last span where it is a chain's, put in as a whole when the chain ends.
        let mut joined = String::new();
        let mut functions = 0;
        for (id, node) in tree.nodes() {
            if node.word.is_some() || id.index() < roots {
                continue;
            }
            let (start, end, count) = below[id.index()];
            if count == 0 {
                removed.add("empty-phrases", 1);
            } else if count != end - start {
                removed.add("phrases-with-gaps", 1);
            } else {
                let edge = tree.annotation(id).and_then(|a| a.edge.as_deref());
                let label = memo.phrase_label(self, node.label, edge);
                let cut = self.function_labels == FunctionLabels::Cut
                    && (edge.is_some() || label != *node.label);
                functions += u64::from(cut);
                // In preorder the phrases of a chain follow each other.
                match spans.last_mut() {
                    Some(above)
                        if self.unary_chains != UnaryChains::Keep
                            && (above.start, above.end) == (start, end) =>
                    {
                        removed.add("unary-phrases", 1);
                        if self.unary_chains == UnaryChains::Join {
                            if joined.is_empty() {
                                joined.push_str(&above.label);
                            }
                            joined.push('+');
                            joined.push_str(&label);
                        }
                    }
                    above => {
                        if let (Some(above), false) = (above, joined.is_empty()) {
                            above.label = memo.surface(&joined);
                        }
                        joined.clear();
                        spans.push(LabelledSpan { start, end, label });
                    }
                }
            }
        }
        if let (Some(last), false) = (spans.last_mut(), joined.is_empty()) {
            last.label = memo.surface(&joined);
        }
        removed.add("function-labels", functions);
        spans.shrink_to_fit();
        spans
    }

    fn is_punctuation(&self, word: &str, tag: &str) -> bool {
        match &self.punctuation {
            PunctuationRule::Keep => false,
            PunctuationRule::Categories => is_punctuation_word(word) || is_punctuation_tag(tag),
            PunctuationRule::Tags(tags) => {
                let base = tag.split('-').next().filter(|b| !b.is_empty()).unwrap_or(tag);
                tags.iter().any(|t| t == tag || t == base)
            }
        }
    }

    fn is_untagged_punctuation(&self, word: &str) -> bool {
        match &self.punctuation {
            PunctuationRule::Keep => false,
            PunctuationRule::Categories => is_punctuation_word(word),
            PunctuationRule::Tags(tags) => {
                is_punctuation_word(word) || tags.iter().any(|t| t == word)
            }
        }
    }
}

/// How many brackets stand above the sentence proper: TOP, ROOT and the like, and unlabelled
/// ones. They are the first nodes of the tree, each the only child of the one before.
pub(super) fn root_brackets(tree: &Tree) -> usize {
    let above =
        |(_, node): &(NodeId, Node)| node.word.is_none() && ROOT_LABELS.contains(&&**node.label);
    let mut roots = 0;
    for (_, node) in tree.nodes().take_while(above) {
        roots += 1;
        if node.children.len() != 1 {
            break;
        }
    }
    roots
}

#[cfg(test)]
mod tests {
    use super::super::tree::tree;
    use super::*;

    fn sentence(preset: &str, brackets: &str) -> (Option<Sentence>, Removed) {
        let mut removed = Removed::default();
        let rules = Preprocessing::preset(preset).expect("a known preset");
        (rules.sentence(Arc::new(tree(brackets)), 0, &mut removed), removed)
    }

    fn spans(sentence: &Sentence) -> String {
        let gold = sentence.gold.as_ref().expect("a tree gives gold spans");
        let text: Vec<_> =
            gold.iter().map(|s| format!("{}[{},{})", s.label, s.start, s.end)).collect();
        text.join(" ")
    }

    #[test]
    fn spans_are_offsets_of_the_words_that_remain() {
        let (s, removed) = sentence(
            "ptb",
            "( (S (NP-SBJ (-NONE- *PRO*)) (`` ``) (VP (VB Buy) (NP (CD 1,000) (NNS Kites)) \
             (PRN (, ,) (NP (-NONE- *T*-1)))) (. .)))",
        );
        let s = s.expect("words remain");
        assert_eq!(s.words.join(" "), "buy N kites");
        assert_eq!(s.surface.join(" "), "Buy 1,000 Kites");
        assert_eq!(s.tags.as_ref().map(|t| t.join(" ")).as_deref(), Some("VB CD NNS"));
        assert_eq!(spans(&s), "S[0,3) VP[0,3) NP[1,3)");
        let expected = [
            ("empty-phrases", 3),
            ("lower-case", 2),
            ("numbers", 1),
            ("punctuation", 3),
            ("traces", 2),
        ];
        assert_eq!(removed.0.into_iter().collect::<Vec<_>>(), expected);
    }

    #[test]
    fn brackets_above_the_sentence_are_no_gold_spans() {
        for brackets in [
            "(TOP (S (NP (NN a)) (VP (VB b))))",
            "(ROOT (S (NP (NN a)) (VP (VB b))))",
            "( (S1 (S (NP (NN a)) (VP (VB b)))))",
        ] {
            let (s, _) = sentence("plain", brackets);
            assert_eq!(spans(&s.expect("words")), "S[0,2) NP[0,1) VP[1,2)", "{brackets}");
        }
        let (s, _) = sentence("plain", "( (S (NP (NN a)) (VP (VB b))) (FRAG (RB c)) )");
        assert_eq!(spans(&s.expect("words")), "S[0,2) NP[0,1) VP[1,2) FRAG[2,3)");
    }

    #[test]
    fn a_sentence_without_words_is_counted_and_left_out() {
        let (s, removed) = sentence("gum", "(TOP (NP (-NONE- *)) (. .))");
        assert!(s.is_none());
        assert_eq!(removed.get("no-words"), 1);
    }

    #[test]
    fn the_preset_text_keeps_everything_but_case_and_traces() {
        let (s, _) =
            sentence("text", "(S (NP (NNP Ann)) (VP (VB has) (NP (CD 7) (-NONE- *))) (. .))");
        assert_eq!(s.expect("words").words.join(" "), "ann has 7 .");
    }

    #[test]
    fn a_typed_sentence_is_treated_like_the_corpus() {
        let gum = Preprocessing::preset("gum").expect("known");
        let s = gum.text("\"Don't pay $1,000!\" (he said)", 3);
        assert_eq!(s.words.join(" "), "do n't pay N he said");
        assert_eq!((s.index, s.tags, s.gold), (3, None, None));
        let icepahc = Preprocessing::preset("icepahc").expect("known");
        assert_eq!(icepahc.text("Hann  svaf .", 0).words.join(" "), "hann svaf");
    }

    #[test]
    fn unary_chains_collapse_or_join() {
        let given = "(TOP (S (VP (S (NP-SBJ (-NONE- *)) (VP (VB go) (NP (NN home)))))))";
        for (chains, expected, removed_phrases) in [
            (UnaryChains::Keep, "S[0,2) VP[0,2) S[0,2) VP[0,2) NP[1,2)", 0),
            (UnaryChains::Collapse, "S[0,2) NP[1,2)", 3),
            (UnaryChains::Join, "S+VP+S+VP[0,2) NP[1,2)", 3),
        ] {
            let rules = Preprocessing { unary_chains: chains, ..Preprocessing::default() };
            let mut removed = Removed::default();
            let s = rules.sentence(Arc::new(tree(given)), 0, &mut removed).expect("words");
            assert_eq!(spans(&s), expected);
            assert_eq!(removed.get("unary-phrases"), removed_phrases);
        }
    }

    #[test]
    fn edge_labels_are_function_labels() {
        let tree = crate::treebank::formats::tests::export(
            "a X -- NK 500\nb X -- HD 501\n#500 NP -- SBJ 501\n#501 S -- -- 0",
        );
        let tree = Arc::new(tree);
        for (functions, expected) in
            [(FunctionLabels::Cut, "S[0,2) NP[0,1)"), (FunctionLabels::Keep, "S[0,2) NP-SBJ[0,1)")]
        {
            let rules = Preprocessing { function_labels: functions, ..Preprocessing::default() };
            let s = rules.sentence(tree.clone(), 0, &mut Removed::default()).expect("words");
            assert_eq!(spans(&s), expected);
        }
    }

    #[test]
    fn gaps_are_attached_and_counted_where_asked_for() {
        let tree = Arc::new(crate::treebank::formats::tests::export(
            "a X -- OA 500\nb X -- HD 501\nc X -- HD 500\n#500 VP -- OC 501\n#501 S -- -- 0",
        ));
        let mut removed = Removed::default();
        let rules = Preprocessing::default();
        let s = rules.sentence(tree.clone(), 0, &mut removed).expect("words");
        assert_eq!(spans(&s), "S[0,3)");
        assert_eq!(removed.get("phrases-with-gaps"), 1);
        let rules = Preprocessing { discontinuous: Discontinuous::Attach, ..rules };
        let s = rules.sentence(tree.clone(), 0, &mut removed).expect("words");
        assert_eq!((s.words.join(" ").as_str(), spans(&s).as_str()), ("a b c", "S[0,3) VP[2,3)"));
        assert_eq!(removed.get("reattached"), 1);
        assert_eq!(s.tree, Some(tree), "the tree of the file stays as it is");
    }

    #[test]
    fn a_phrase_whose_words_have_a_gap_is_no_span_but_a_removed_word_makes_no_gap() {
        let (s, removed) = sentence("ptb", "(S (NP (NN a) (, ,) (NN b)) (VP (VB c)))");
        assert_eq!(spans(&s.expect("words")), "S[0,3) NP[0,2) VP[2,3)");
        assert_eq!(removed.get("phrases-with-gaps"), 0);
        let mut crossed = tree("(S (NP (NN a) (NN b)) (VP (VB c)))");
        let last = crossed.links.len() - 1;
        crossed.links.swap(last - 1, last);
        crossed.words.swap(1, 2);
        for (position, id) in crossed.links[last - 2..].iter().enumerate() {
            crossed.records[id.index()].first = position as u32;
        }
        let (rules, mut removed) = (Preprocessing::default(), Removed::default());
        let s = rules.sentence(Arc::new(crossed), 0, &mut removed).expect("words");
        assert_eq!(s.words.join(" "), "a c b");
        assert_eq!(spans(&s), "S[0,3) VP[1,2)");
        assert_eq!(removed.get("phrases-with-gaps"), 1);
    }
}
