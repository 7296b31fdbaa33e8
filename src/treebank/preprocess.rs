use super::intern::{Interner, WordMap};
use super::normalise::{
    cut_functions, is_normal, is_punctuation_tag, is_punctuation_word, numbers_to_n,
};
use super::{
    LabelledSpan, NodeId, ROOT_LABELS, Removed, Sentence, Tree, TreebankError, split, tokenise,
};
use crate::config::{Data, FunctionLabels, Punctuation};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// The tag of empty elements.
const TRACE: &str = "-NONE-";

/// What is done to a sentence between its file and the vocabulary: the data
/// preset with every key of the config that overrides it. Kept in checkpoints,
/// so that later sentences are treated as those of the training.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Preprocessing {
    /// Name of the preset it began with.
    pub preset: String,
    pub punctuation: PunctuationRule,
    pub lowercase: bool,
    /// Every run of digits with its `.` and `,` becomes `N`.
    pub numbers: bool,
    /// Keep empty elements.
    pub traces: bool,
    pub function_labels: FunctionLabels,
    pub tokenizer: Tokenizer,
}

/// Which words are left out as punctuation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PunctuationRule {
    Keep,
    /// Words all of whose characters are punctuation by their Unicode category
    /// (P*, less `%`, `&`, `@`, `§`, `‰`, which are read aloud), and tags without
    /// a letter or digit.
    Categories,
    /// Words under these tags; `.` also stands for `.-TTT`. Where there are no
    /// tags, the tags themselves as words, and the categories.
    Tags(Vec<String>),
}

/// How text is split into words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Tokenizer {
    /// Rules of the Penn Treebank, for English; text that is tokenised already stays as it is.
    Penn,
    /// At blanks.
    Blanks,
}

/// The data presets, by the names of `data.preset`.
pub const DATA_PRESETS: [&str; 6] = ["plain", "ptb", "gum", "craft", "icepahc", "text"];

const PTB_TAGS: [&str; 9] = [",", ".", ":", "``", "''", "-LRB-", "-RRB-", "$", "#"];
/// OntoNotes-style tags: hyphens, symbols and non-final punctuation have tags of their own.
const GUM_TAGS: [&str; 12] =
    [",", ".", ":", "``", "''", "-LRB-", "-RRB-", "$", "#", "HYPH", "NFP", "SYM"];
const ICEPAHC_TAGS: [&str; 6] = [",", ".", "\"", "-", ":", ";"];

impl Default for Preprocessing {
    fn default() -> Self {
        Preprocessing {
            preset: "plain".into(),
            punctuation: PunctuationRule::Categories,
            lowercase: true,
            numbers: true,
            traces: false,
            function_labels: FunctionLabels::Cut,
            tokenizer: Tokenizer::Penn,
        }
    }
}

impl Preprocessing {
    /// A preset by its name.
    pub fn preset(name: &str) -> Result<Preprocessing, TreebankError> {
        let tags =
            |tags: &[&str]| PunctuationRule::Tags(tags.iter().map(|t| (*t).into()).collect());
        let plain = Preprocessing { preset: name.into(), ..Preprocessing::default() };
        Ok(match name {
            "plain" => plain,
            "ptb" => Preprocessing { punctuation: tags(&PTB_TAGS), ..plain },
            "gum" | "craft" => Preprocessing { punctuation: tags(&GUM_TAGS), ..plain },
            "icepahc" => Preprocessing {
                punctuation: tags(&ICEPAHC_TAGS),
                tokenizer: Tokenizer::Blanks,
                ..plain
            },
            "text" => Preprocessing {
                punctuation: PunctuationRule::Keep,
                numbers: false,
                tokenizer: Tokenizer::Blanks,
                ..plain
            },
            _ => {
                return Err(TreebankError::Preset {
                    name: name.into(),
                    known: DATA_PRESETS.join(", "),
                });
            }
        })
    }

    /// The preset of the settings, with the keys that are set explicitly.
    pub fn resolve(data: &Data) -> Result<Preprocessing, TreebankError> {
        let mut p = Preprocessing::preset(&data.preset)?;
        if let Some(tags) = &data.punctuation_tags {
            p.punctuation = PunctuationRule::Tags(tags.clone());
        }
        match data.punctuation {
            Some(Punctuation::Keep) => p.punctuation = PunctuationRule::Keep,
            Some(Punctuation::Remove) if p.punctuation == PunctuationRule::Keep => {
                p.punctuation = PunctuationRule::Categories;
            }
            Some(Punctuation::Remove) | None => {}
        }
        p.lowercase = data.lowercase.unwrap_or(p.lowercase);
        p.numbers = data.numbers.unwrap_or(p.numbers);
        p.traces = data.traces.unwrap_or(p.traces);
        p.function_labels = data.function_labels.unwrap_or(p.function_labels);
        Ok(p)
    }

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
        let mut offsets = vec![None; tree.len()];
        let mut n = 0;
        for (offset, (word, tag)) in offsets.iter_mut().zip(tree.words().iter().zip(tree.tags())) {
            if **tag == *TRACE && !self.traces {
                removed.add("traces", 1);
            } else if **tag != *TRACE && self.is_punctuation(word, tag) {
                removed.add("punctuation", 1);
            } else {
                *offset = Some(n);
                n += 1;
            }
        }
        if n == 0 {
            removed.add("no-words", 1);
            return None;
        }
        let mut words = Vec::with_capacity(n as usize);
        let mut surface = Vec::with_capacity(n as usize);
        let mut tags = Vec::with_capacity(n as usize);
        let kept = tree.words().iter().zip(tree.tags()).zip(&offsets).filter(|(_, o)| o.is_some());
        for ((word, tag), _) in kept {
            words.push(if **tag == *TRACE { word.clone() } else { memo.word(self, word) });
            surface.push(word.clone());
            tags.push(tag.clone());
        }
        let gold = self.spans(memo, &tree, &offsets, removed);
        Some(Sentence {
            words,
            surface,
            tags: Some(tags),
            gold: Some(gold),
            tree: Some(tree),
            index,
        })
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
        for word in words {
            if self.is_untagged_punctuation(&word) {
                removed.add("punctuation", 1);
                continue;
            }
            let word = memo.surface(&word);
            sentence.words.push(memo.word(self, &word));
            sentence.surface.push(word);
        }
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
        let mut spans = Vec::new();
        for (id, node) in tree.nodes() {
            if node.word.is_some() || roots.contains(&id) {
                continue;
            }
            let (start, end, count) = below[id.index()];
            if count == 0 {
                removed.add("empty-phrases", 1);
            } else if count != end - start {
                removed.add("discontinuous-phrases", 1);
            } else {
                spans.push(LabelledSpan { start, end, label: memo.label(self, node.label) });
            }
        }
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

    fn normalise(&self, word: &str) -> String {
        let cased = if self.lowercase { word.to_lowercase() } else { word.to_owned() };
        if self.numbers { numbers_to_n(&cased) } else { cased }
    }
}

/// The brackets above the sentence proper: TOP, ROOT and the like, and unlabelled ones.
fn root_brackets(tree: &Tree) -> Vec<NodeId> {
    let mut roots = Vec::new();
    let mut id = tree.root();
    loop {
        let node = tree.node(id);
        if node.word.is_some() || !ROOT_LABELS.contains(&&**node.label) {
            return roots;
        }
        roots.push(id);
        match node.children {
            [only] => id = *only,
            _ => return roots,
        }
    }
}

/// One copy of every word and label that preprocessing makes.
#[derive(Debug, Default)]
pub(super) struct Memo {
    words: WordMap<Arc<str>>,
    labels: WordMap<Arc<str>>,
    pool: Interner,
}

impl Memo {
    fn word(&mut self, rules: &Preprocessing, word: &Arc<str>) -> Arc<str> {
        if is_normal(word) {
            return word.clone();
        }
        if let Some(known) = self.words.get(word) {
            return known.clone();
        }
        let normal = rules.normalise(word);
        let shared = if normal == **word { word.clone() } else { self.pool.intern(&normal) };
        self.words.insert(word.clone(), shared.clone());
        shared
    }

    fn label(&mut self, rules: &Preprocessing, label: &Arc<str>) -> Arc<str> {
        if rules.function_labels == FunctionLabels::Keep {
            return label.clone();
        }
        if let Some(known) = self.labels.get(label) {
            return known.clone();
        }
        let cut = cut_functions(label);
        let shared = if cut == &**label { label.clone() } else { self.pool.intern(cut) };
        self.labels.insert(label.clone(), shared.clone());
        shared
    }

    fn surface(&mut self, word: &str) -> Arc<str> {
        self.pool.intern(word)
    }
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
        let expected = [("empty-phrases", 3), ("punctuation", 3), ("traces", 2)];
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
    fn explicit_settings_override_the_preset() {
        let mut data = Data { preset: "gum".into(), ..Data::default() };
        data.lowercase = Some(false);
        data.punctuation_tags = Some(vec!["NN".into()]);
        let rules = Preprocessing::resolve(&data).expect("valid");
        assert!(!rules.lowercase && rules.numbers);
        assert_eq!(rules.punctuation, PunctuationRule::Tags(vec!["NN".into()]));
        data.punctuation = Some(Punctuation::Keep);
        let rules = Preprocessing::resolve(&data).expect("valid");
        assert_eq!(rules.punctuation, PunctuationRule::Keep);
        let text = Data {
            preset: "text".into(),
            punctuation: Some(Punctuation::Remove),
            ..Data::default()
        };
        let rules = Preprocessing::resolve(&text).expect("valid");
        assert_eq!(rules.punctuation, PunctuationRule::Categories);
        let bad = Data { preset: "gumm".into(), ..Data::default() };
        let message = Preprocessing::resolve(&bad).unwrap_err().to_string();
        assert!(message.contains("gumm") && message.contains("icepahc"), "{message}");
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
    fn every_preset_survives_serialisation() {
        for name in DATA_PRESETS {
            let rules = Preprocessing::preset(name).expect("known");
            let text = serde_json::to_string(&rules).expect("writes");
            assert_eq!(serde_json::from_str::<Preprocessing>(&text).expect("reads"), rules);
        }
    }

    #[test]
    fn a_phrase_whose_words_have_a_gap_is_no_span_but_a_removed_word_makes_no_gap() {
        let (s, removed) = sentence("ptb", "(S (NP (NN a) (, ,) (NN b)) (VP (VB c)))");
        assert_eq!(spans(&s.expect("words")), "S[0,3) NP[0,2) VP[2,3)");
        assert_eq!(removed.get("discontinuous-phrases"), 0);
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
        assert_eq!(removed.get("discontinuous-phrases"), 1);
    }
}
