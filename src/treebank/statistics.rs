use super::{Corpus, Reading, Tree, Vocabulary};
use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

/// Counts of a file or corpus: what `corpus stats` prints and the Corpora screen shows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    pub trees: u64,
    /// Trees and lines of text that hold a word.
    pub sentences: u64,
    /// Empty elements left out.
    pub words: u64,
    pub empty_elements: u64,
    /// Phrase labels as written, with function tags or edge labels behind them, and how often
    /// they stand; the unlabelled outer bracket is the empty label.
    pub labels: BTreeMap<Arc<str>, u64>,
    /// Part-of-speech tags, `-NONE-` of empty elements among them.
    pub tags: BTreeMap<Arc<str>, u64>,
    /// Longest sentence in words.
    pub max_length: usize,
    /// Sentences by length in words, those of no word included.
    pub lengths: BTreeMap<usize, u64>,
    /// Distinct words.
    pub word_types: u64,
    /// Phrases whose words have a gap.
    pub discontinuous: u64,
}

impl Statistics {
    /// Counts of a file as read, before preprocessing.
    pub fn of_reading(reading: &Reading) -> Statistics {
        let mut counter = Counter::default();
        for tree in &reading.trees {
            counter.tree(tree);
        }
        for sentence in &reading.words {
            counter.sentence(sentence.words.iter().map(|w| &**w));
            for tag in sentence.tags.iter().flatten() {
                count(&mut counter.statistics.tags, tag);
            }
        }
        for text in &reading.texts {
            counter.sentence(text.split_ascii_whitespace());
        }
        counter.finish()
    }

    /// Counts of a corpus after preprocessing: words, lengths and labels are those
    /// that models and scores see.
    pub fn of_corpus(corpus: &Corpus) -> Statistics {
        let mut counter = Counter::default();
        for sentence in &corpus.sentences {
            counter.sentence(sentence.words.iter().map(|w| &**w));
            let statistics = &mut counter.statistics;
            statistics.trees += u64::from(sentence.tree.is_some());
            for tag in sentence.tags.iter().flatten() {
                count(&mut statistics.tags, tag);
            }
            for span in sentence.gold.iter().flatten() {
                count(&mut statistics.labels, &span.label);
            }
        }
        counter.finish()
    }

    /// Mean sentence length in words; 0 without sentences.
    pub fn mean_length(&self) -> f64 {
        if self.sentences == 0 { 0.0 } else { self.words as f64 / self.sentences as f64 }
    }
}

impl Corpus {
    /// Share of the words, in percent, that the vocabulary does not hold; 0 without words.
    pub fn unknown_rate(&self, vocabulary: &Vocabulary) -> f64 {
        let words = || self.sentences.iter().flat_map(|s| &s.words);
        let unknown = words().filter(|w| !vocabulary.contains(w)).count();
        match words().count() {
            0 => 0.0,
            all => 100.0 * unknown as f64 / all as f64,
        }
    }
}

#[derive(Default)]
struct Counter<'a> {
    statistics: Statistics,
    types: HashSet<&'a str>,
}

impl<'a> Counter<'a> {
    fn tree(&mut self, tree: &'a Tree) {
        self.statistics.trees += 1;
        if tree.is_discontinuous() {
            let gaps = tree.yields().into_iter().filter(|(start, end, n)| end - start != *n);
            self.statistics.discontinuous += gaps.count() as u64;
        }
        let mut words = Vec::with_capacity(tree.len());
        for (id, node) in tree.nodes() {
            let Some(word) = node.word else {
                match tree.annotation(id).and_then(|a| a.edge.as_ref()) {
                    Some(edge) => {
                        let label = format!("{}-{edge}", node.label).into();
                        count(&mut self.statistics.labels, &label);
                    }
                    None => count(&mut self.statistics.labels, node.label),
                }
                continue;
            };
            count(&mut self.statistics.tags, node.label);
            match node.position.is_some_and(|p| tree.is_empty_element(p as usize)) {
                true => self.statistics.empty_elements += 1,
                false => words.push(word),
            }
        }
        self.sentence(words.into_iter());
    }

    fn sentence(&mut self, words: impl Iterator<Item = &'a str>) {
        let mut length = 0;
        for word in words {
            self.types.insert(word);
            length += 1;
        }
        let statistics = &mut self.statistics;
        statistics.sentences += u64::from(length > 0);
        statistics.words += length as u64;
        statistics.max_length = statistics.max_length.max(length);
        *statistics.lengths.entry(length).or_default() += 1;
    }

    fn finish(self) -> Statistics {
        Statistics { word_types: self.types.len() as u64, ..self.statistics }
    }
}

fn count(counts: &mut BTreeMap<Arc<str>, u64>, key: &Arc<str>) {
    match counts.get_mut(key) {
        Some(n) => *n += 1,
        None => {
            counts.insert(key.clone(), 1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Entries, FileOptions, Interner};
    use super::*;

    fn reading(text: &str, name: &str) -> Reading {
        let entries =
            Entries::new(text.as_bytes(), name, FileOptions::default(), Interner::default())
                .expect("readable");
        Reading::collect(entries)
    }

    #[test]
    fn trees_are_counted_without_empty_elements() {
        let text = "( (S (NP-SBJ (-NONE- *)) (VP (VB Go) (NP (NN home)))))\n(NP (-NONE- *))\n";
        let s = Statistics::of_reading(&reading(text, "a.mrg"));
        assert_eq!((s.trees, s.sentences, s.words, s.empty_elements), (2, 1, 2, 2));
        let keys = |counts: &BTreeMap<Arc<str>, u64>| {
            counts.keys().map(|l| l.to_string()).collect::<Vec<_>>()
        };
        assert_eq!(keys(&s.labels), ["", "NP", "NP-SBJ", "S", "VP"]);
        assert_eq!(keys(&s.tags), ["-NONE-", "NN", "VB"]);
        assert_eq!((s.max_length, s.word_types), (2, 2));
        assert_eq!(s.lengths.into_iter().collect::<Vec<_>>(), [(0, 1), (2, 1)]);
    }

    #[test]
    fn text_is_counted_without_trees() {
        let s = Statistics::of_reading(&reading("the cat sat\n\nyes\n", "a.txt"));
        assert_eq!((s.trees, s.sentences, s.words, s.max_length), (0, 2, 4, 3));
        assert_eq!(s.mean_length(), 2.0);
    }
}
