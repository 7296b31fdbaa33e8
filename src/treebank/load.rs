use super::memo::Memo;
use super::open::open;
use super::source::{Expanded, expand, expand_with_notes};
use super::{
    Corpus, Entries, Entry, Interner, Preprocessing, Problem, Removed, Sentence, TreebankError,
};
use crate::config::Sources;
use std::io::BufRead;
use std::sync::Arc;

/// Sentence lengths to keep, in words after preprocessing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LengthLimits {
    pub min: usize,
    /// `usize::MAX`: any.
    pub max: usize,
}

impl LengthLimits {
    /// Everything that has a word.
    pub const ANY: LengthLimits = LengthLimits { min: 1, max: usize::MAX };
}

/// Reads and preprocesses the sentences of one split. Faults are collected in
/// [`Corpus::problems`]; what preprocessing and the limits left out is counted
/// in [`Corpus::removed`] (`one-word`, `too-short`, `too-long` count sentences).
/// Only a file that cannot be read, or no sentence at all, is an error.
pub fn load(
    sources: &Sources,
    sections: &str,
    preprocessing: &Preprocessing,
    limits: LengthLimits,
) -> Result<Corpus, TreebankError> {
    let Expanded { files, notes } = expand_with_notes(&sources.0, sections)?;
    let mut loader = Loader::new(preprocessing, limits);
    for source in &files {
        let interner = std::mem::take(&mut loader.interner);
        loader.read(open(source, preprocessing.files, interner)?);
    }
    let corpus = Corpus { name: name_of(&sources.0), notes, ..loader.corpus };
    if corpus.sentences.is_empty() {
        let reason = match corpus.problems.first() {
            // A single file is named already.
            Some(Problem { file, line, column, kind, message })
                if **file == *sources.0.join("") =>
            {
                format!("no sentence could be read: {line}:{column}: {message} [{kind}]")
            }
            Some(problem) => format!("no sentence could be read; first problem: {problem}"),
            None => match left_out(&corpus.removed) {
                parts if parts.is_empty() => "no sentence in it: it is empty or blank".to_owned(),
                parts => format!(
                    "no sentence is left of {} read; left out: {}",
                    loader.index,
                    parts.join(", ")
                ),
            },
        };
        // The last part of a path may say nothing: `wsj/24`, `/dev/null`.
        let name = sources.0.join(", ");
        let Corpus { problems, removed, .. } = corpus;
        return Err(TreebankError::NoSentence { name, reason, problems, removed });
    }
    Ok(corpus)
}

/// The last part of a path, with the number of further ones.
fn name_of(sources: &[String]) -> String {
    let first = sources.first().map_or("", String::as_str);
    let short = first.trim_end_matches('/').rsplit('/').next().unwrap_or(first).to_owned();
    match sources.len() {
        0 | 1 => short,
        n => format!("{short} and {} more", n - 1),
    }
}

/// Turns entries into the sentences of a corpus.
struct Loader<'a> {
    preprocessing: &'a Preprocessing,
    limits: LengthLimits,
    memo: Memo,
    interner: Interner,
    corpus: Corpus,
    /// Sentences read so far, those left out included.
    index: usize,
}

impl<'a> Loader<'a> {
    fn new(preprocessing: &'a Preprocessing, limits: LengthLimits) -> Self {
        Loader {
            preprocessing,
            limits,
            memo: Memo::default(),
            interner: Interner::default(),
            corpus: Corpus::default(),
            index: 0,
        }
    }

    fn read<R: BufRead>(&mut self, mut entries: Entries<R>) {
        for entry in &mut entries {
            match entry {
                Ok(entry) => self.add(entry),
                Err(problem) => self.corpus.problems.push(problem),
            }
        }
        self.interner = entries.into_interner();
    }

    fn add(&mut self, entry: Entry) {
        let (memo, removed) = (&mut self.memo, &mut self.corpus.removed);
        let sentence = match entry {
            Entry::Tree(tree) => {
                self.preprocessing.sentence_with(memo, Arc::new(tree), self.index, removed)
            }
            Entry::Words(words) => self.preprocessing.tagged_with(memo, words, self.index, removed),
            Entry::Text(text, _) => {
                let sentence = self.preprocessing.text_with(memo, &text, self.index, removed);
                if sentence.is_empty() {
                    removed.add("no-words", 1);
                }
                Some(sentence).filter(|s| !s.is_empty())
            }
        };
        self.index += 1;
        if let Some(sentence) = sentence
            && within(&sentence, self.limits, removed)
        {
            self.corpus.sentences.push(sentence);
        }
    }
}

pub(super) fn within(sentence: &Sentence, limits: LengthLimits, removed: &mut Removed) -> bool {
    let step = match sentence.len() {
        1 if limits.min > 1 => "one-word",
        n if n < limits.min => "too-short",
        n if n > limits.max => "too-long",
        _ => return true,
    };
    removed.add(step, 1);
    false
}

/// Whether the files hold a sentence that is kept; reads no further than to the first.
pub(super) fn has_sentence(
    sources: &Sources,
    sections: &str,
    preprocessing: &Preprocessing,
    limits: LengthLimits,
    with_tree: bool,
) -> Result<bool, TreebankError> {
    let mut loader = Loader::new(preprocessing, limits);
    for source in expand(&sources.0, sections)? {
        let entries = open(&source, preprocessing.files, Interner::default())?;
        for entry in entries.flatten() {
            loader.add(entry);
            let Some(sentence) = loader.corpus.sentences.pop() else { continue };
            if sentence.tree.is_some() || !with_tree {
                return Ok(true);
            }
        }
    }
    Ok(false)
}

/// Steps that leave out whole sentences.
pub(super) const SENTENCES: [(&str, &str); 4] = [
    ("no-words", "without words"),
    ("one-word", "of one word"),
    ("too-short", "too short"),
    ("too-long", "too long"),
];

/// Sentences that were left out, by reason.
pub(super) fn left_out(removed: &Removed) -> Vec<String> {
    let mut parts = Vec::new();
    for (step, what) in SENTENCES {
        match removed.get(step) {
            0 => {}
            n => parts.push(format!("{n} {what}")),
        }
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    fn write(dir: &Path, name: &str, text: &str) -> String {
        let path = dir.join(name);
        std::fs::write(&path, text).expect("written");
        path.display().to_string()
    }

    #[test]
    fn problems_are_collected_over_all_files_and_name_theirs() {
        let dir = tempfile::tempdir().expect("a temporary folder");
        write(dir.path(), "a.mrg", "(S (NN a) (NN b)))\n");
        write(dir.path(), "b.mrg", "(S (NN a b) (NN c))\n(S (NN d) (NN e))\n");
        let folder = Sources(vec![dir.path().display().to_string()]);
        let corpus =
            load(&folder, "", &Preprocessing::default(), LengthLimits::ANY).expect("loads");
        assert_eq!(corpus.sentences.len(), 2);
        let kinds: Vec<_> =
            corpus.problems.iter().map(|p| (&p.file[p.file.len() - 5..], p.kind)).collect();
        assert_eq!(kinds, [("a.mrg", "extra-close"), ("b.mrg", "two-words")]);
        assert_eq!(corpus.sentences[1].index, 1, "counted over all files");
    }

    #[test]
    fn plain_text_gives_sentences_without_gold() {
        let dir = tempfile::tempdir().expect("a temporary folder");
        let file = write(dir.path(), "a.txt", "The cat sat .\n\nHe didn't say: \"No!\"\n. .\n");
        let sources = Sources(vec![file]);
        let corpus =
            load(&sources, "", &Preprocessing::default(), LengthLimits::ANY).expect("loads");
        let words: Vec<_> = corpus.sentences.iter().map(|s| s.words.join(" ")).collect();
        assert_eq!(words, ["the cat sat", "he did n't say no"]);
        assert!(corpus.sentences.iter().all(|s| s.gold.is_none() && s.tags.is_none()));
        assert_eq!(corpus.removed.get("no-words"), 1);
    }

    #[test]
    fn a_corpus_without_sentences_is_an_error_that_says_why() {
        let dir = tempfile::tempdir().expect("a temporary folder");
        let empty = write(dir.path(), "empty.mrg", "");
        let short = write(dir.path(), "short.mrg", "(S (NN a))\n");
        let limits = LengthLimits { min: 2, max: 40 };
        for (file, part) in [(empty, "no-trees"), (short, "no sentence is left of 1")] {
            let sources = Sources(vec![file.clone()]);
            let error = load(&sources, "", &Preprocessing::default(), limits).unwrap_err();
            let message = error.to_string();
            assert!(message.contains(part) && message.contains(".mrg"), "{message}");
        }
    }
}
