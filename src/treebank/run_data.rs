//! The sentences of a run: training, development and test.

use super::load::{SENTENCES, has_sentence, left_out, within};
use super::{Corpus, LengthLimits, Preprocessing, TreebankError, load, usual_sections};
use crate::config::{Config, Data, Kind, Sources};
use crate::report::counted;
use rand::SeedableRng;
use rand::seq::SliceRandom;

/// The corpora of a run.
#[derive(Clone, Debug)]
pub struct Splits {
    pub train: Corpus,
    pub dev: Corpus,
    pub test: Option<Corpus>,
    /// What the user should know: a split that was made, sentences left out.
    pub notes: Vec<String>,
}

impl Splits {
    /// Whether `[data]` can be loaded as far as that shows without reading everything: the
    /// preset, that every file named is there, and that every split has a sentence. Quick, so
    /// that a run need not be begun to fail.
    pub fn check(config: &Config) -> Result<(), TreebankError> {
        let (data, _) = usual_sections(&config.data);
        let preprocessing = Preprocessing::resolve(&data)?;
        if data.train.0.is_empty() {
            return Err(TreebankError::NoSource { split: "train" });
        }
        let (training, heldout) = limits(config, &data);
        let splits = [
            ("train", &data.train, data.sections.as_str(), training),
            ("dev", &data.dev, "", heldout),
            ("test", &data.test, "", heldout),
        ];
        let with_tree = matches!(config.kind, Kind::Bag | Kind::Boost | Kind::Ssn);
        for (split, sources, sections, limits) in splits {
            if sources.0.is_empty()
                || has_sentence(sources, sections, &preprocessing, limits, with_tree)?
            {
                continue;
            }
            // Reading it all, which is nothing to speak of, finds out why.
            load(sources, sections, &preprocessing, limits)?;
            if with_tree {
                return Err(TreebankError::NoTrees { split, name: sources.0.join(", ") });
            }
        }
        Ok(())
    }

    /// Loads what `[data]` names. `data.max_length` holds for training sentences,
    /// `evaluation.max_length` for the others, `data.sections` for `data.train`.
    /// Without `data.dev` a tenth of the training sentences, drawn by the seed,
    /// is set apart. One-word sentences have no derivation and are left out of
    /// every split unless `data.min_length` is 1.
    pub fn load(config: &Config) -> Result<Splits, TreebankError> {
        let (data, told) = usual_sections(&config.data);
        let preprocessing = Preprocessing::resolve(&data)?;
        if data.train.0.is_empty() {
            return Err(TreebankError::NoSource { split: "train" });
        }
        let (training, heldout) = limits(config, &data);
        let mut notes = Vec::from_iter(told);
        let (train, dev) = if data.dev.0.is_empty() {
            let (sources, sections) = (&data.train, &data.sections);
            let seed = config.split_seed();
            let (train, dev) =
                load_cut(sources, sections, &preprocessing, seed, training, heldout)?;
            notes.push(format!(
                "no data.dev: {} of {}, a tenth drawn by seed {seed}, set apart as dev",
                counted(dev.sentences.len(), "sentence"),
                train.name,
            ));
            (train, dev)
        } else {
            (
                load(&data.train, &data.sections, &preprocessing, training)?,
                load(&data.dev, "", &preprocessing, heldout)?,
            )
        };
        let test = match data.test.0.is_empty() {
            true => None,
            false => Some(load(&data.test, "", &preprocessing, heldout)?),
        };
        for (split, corpus) in
            [("train", Some(&train)), ("dev", Some(&dev)), ("test", test.as_ref())]
        {
            notes.extend(corpus.and_then(|c| note(split, c)));
            let passed_over = corpus.map_or(&[][..], |c| &c.notes);
            notes.extend(passed_over.iter().map(|note| format!("{split}: {note}")));
        }
        Ok(Splits { train, dev, test, notes })
    }
}

/// Limits of training and of held-out sentences.
fn limits(config: &Config, data: &Data) -> (LengthLimits, LengthLimits) {
    let any_length = match config.evaluation.max_length {
        0 => usize::MAX,
        max => max,
    };
    let training = LengthLimits { min: data.min_length, max: data.max_length };
    (training, LengthLimits { min: data.min_length.min(2), max: any_length })
}

/// Training and development part of sentences that come without a development set: a tenth, drawn
/// by the seed before the limits hold, is the latter.
pub fn load_cut(
    sources: &Sources,
    sections: &str,
    preprocessing: &Preprocessing,
    seed: u64,
    training: LengthLimits,
    heldout: LengthLimits,
) -> Result<(Corpus, Corpus), TreebankError> {
    let whole = load(sources, sections, preprocessing, LengthLimits::ANY)?;
    split_off_dev(whole, seed, training, heldout)
}

/// What was left out of a split and what its sentences lost, in a line.
fn note(split: &str, corpus: &Corpus) -> Option<String> {
    let mut parts = left_out(&corpus.removed);
    if !corpus.problems.is_empty() {
        parts.push(format!("{} in the files", counted(corpus.problems.len(), "problem")));
    }
    let mut told = Vec::new();
    if !parts.is_empty() {
        told.push(format!("left out: {}", parts.join(", ")));
    }
    let steps =
        corpus.removed.steps().filter(|(step, _)| SENTENCES.iter().all(|s| s.0 != step.name));
    told.extend(steps.map(|(step, n)| format!("{n} {}", step.meaning(n))));
    let sentences = counted(corpus.sentences.len(), "sentence");
    (!told.is_empty()).then(|| format!("{split}: {sentences}; {}", told.join("; ")))
}

/// Sets a tenth apart (at least one sentence), the order of the file kept in both parts.
fn split_off_dev(
    whole: Corpus,
    seed: u64,
    training: LengthLimits,
    heldout: LengthLimits,
) -> Result<(Corpus, Corpus), TreebankError> {
    let Corpus { name, sentences, problems, removed, notes } = whole;
    let mut order: Vec<usize> = (0..sentences.len()).collect();
    order.shuffle(&mut rand_chacha::ChaCha8Rng::seed_from_u64(seed));
    let mut is_dev = vec![false; sentences.len()];
    for &i in &order[..(sentences.len() / 10).max(1)] {
        is_dev[i] = true;
    }
    let mut dev = Corpus { name: format!("a tenth of {name}"), ..Corpus::default() };
    let mut train = Corpus { name, sentences: Vec::new(), problems, removed, notes };
    for (sentence, is_dev) in sentences.into_iter().zip(is_dev) {
        let (part, limits) = if is_dev { (&mut dev, heldout) } else { (&mut train, training) };
        if within(&sentence, limits, &mut part.removed) {
            part.sentences.push(sentence);
        }
    }
    for part in [&train, &dev] {
        if part.sentences.is_empty() {
            let reason = "no sentence is left: give data.dev, or more training sentences".into();
            let Corpus { name, problems, removed, .. } = part.clone();
            return Err(TreebankError::NoSentence { name, reason, problems, removed });
        }
    }
    Ok((train, dev))
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

    /// Trees of `lengths` words.
    fn treebank(lengths: impl IntoIterator<Item = usize>) -> String {
        lengths
            .into_iter()
            .map(|n| {
                let words: Vec<_> =
                    (0..n).map(|i| format!("(NN w{}x)", "a".repeat(i + 1))).collect();
                format!("(S (NP {}))\n", words.join(" "))
            })
            .collect()
    }

    fn lengths(corpus: &Corpus) -> Vec<usize> {
        corpus.sentences.iter().map(|s| s.len()).collect()
    }

    #[test]
    fn limits_hold_for_each_split_and_what_they_leave_out_is_counted() {
        let dir = tempfile::tempdir().expect("a temporary folder");
        let file = write(dir.path(), "a.mrg", &treebank([1, 2, 3, 4, 5, 9]));
        let data = Data {
            train: Sources(vec![file.clone()]),
            dev: Sources(vec![file.clone()]),
            test: Sources(vec![file]),
            min_length: 3,
            max_length: 4,
            ..Data::default()
        };
        let mut config = Config { data, ..Config::default() };
        config.evaluation.max_length = 5;
        let splits = Splits::load(&config).expect("loads");
        assert_eq!(lengths(&splits.train), [3, 4]);
        assert_eq!(lengths(&splits.dev), [2, 3, 4, 5]);
        assert_eq!(splits.test.as_ref().map(lengths), Some(vec![2, 3, 4, 5]));
        let removed = &splits.train.removed;
        let counts = ["one-word", "too-short", "too-long"].map(|step| removed.get(step));
        assert_eq!(counts, [1, 1, 2]);
        assert!(splits.notes.iter().any(|n| n.contains("train") && n.contains("2 too long")));
        assert_eq!(splits.train.sentences[0].index, 2, "the number in the file");
    }

    #[test]
    fn what_sentences_lost_is_told_in_words_that_fit_the_number() {
        let dir = tempfile::tempdir().expect("a temporary folder");
        let one = "(S (NP (DT The) (NN dog)) (VP (VBD ran)) (. .))\n";
        let many = format!("{one}{one}(S (NN X))\n(S (NP");
        let sources = |name: &str, text: &str| Sources(vec![write(dir.path(), name, text)]);
        let mut config = Config::default();
        config.data.train = sources("many.mrg", &many);
        config.data.dev = sources("one.mrg", one);
        let notes = Splits::load(&config).expect("loads").notes;
        let [train, dev] = &notes[..] else { panic!("{notes:?}") };
        let told = "2 sentences; left out: 1 of one word, 1 problem in the files; 2 words taken \
                    away as punctuation; 3 words put in lower case";
        assert_eq!(train, &format!("train: {told}"));
        let told = "1 sentence; 1 word taken away as punctuation; 1 word put in lower case";
        assert_eq!(dev, &format!("dev: {told}"));
    }

    #[test]
    fn a_tenth_becomes_dev_by_seed_where_none_is_named() {
        let dir = tempfile::tempdir().expect("a temporary folder");
        let file = write(dir.path(), "a.mrg", &treebank((0..100).map(|i| 2 + i % 30)));
        let mut config = Config::default();
        config.data.train = Sources(vec![file]);
        config.data.max_length = 10;
        let indices = |seed| {
            let splits = Splits::load(&Config { seed, ..config.clone() }).expect("loads");
            assert!(splits.notes[0].contains("10 sentences"), "{}", splits.notes[0]);
            assert!(splits.train.sentences.iter().all(|s| s.len() <= 10));
            let mut all: Vec<_> = splits.dev.sentences.iter().map(|s| s.index).collect();
            assert_eq!(all.len(), 10, "dev is not limited by data.max_length");
            let dev = all.clone();
            all.extend(splits.train.sentences.iter().map(|s| s.index));
            all.sort_unstable();
            all.dedup();
            assert_eq!(all.len(), 10 + splits.train.sentences.len(), "no sentence is in both");
            dev
        };
        assert_eq!(indices(7), indices(7));
        assert_ne!(indices(7), indices(8));
    }

    #[test]
    fn a_run_without_sentences_fails_before_it_begins() {
        let dir = tempfile::tempdir().expect("a temporary folder");
        let good = write(dir.path(), "good.mrg", &treebank(2..9));
        for (name, text, part) in [
            ("empty.mrg", "", "no-trees"),
            ("blank.txt", "\n \n", "empty or blank"),
            ("long.mrg", "(S (A a) (B b) (C c) (D d) (E e))", "1 too long"),
            ("broken.mrg", "(S (NN a)", "not closed"),
        ] {
            let bad = write(dir.path(), name, text);
            let mut config = Config::default();
            config.data.max_length = 4;
            config.data.train = Sources(vec![good.clone()]);
            assert!(Splits::check(&config).is_ok());
            config.evaluation.max_length = 4;
            config.data.dev = Sources(vec![bad.clone()]);
            let message = Splits::check(&config).unwrap_err().to_string();
            assert!(message.contains(&bad) && message.contains(part), "{message}");
            config.data.dev = Sources(vec![good.clone()]);
            config.data.train = Sources(vec![bad]);
            let message = Splits::check(&config).unwrap_err().to_string();
            assert!(message.contains(part), "{message}");
        }
        let text = write(dir.path(), "plain.txt", "the dog sleeps\nthe cat sleeps\n");
        for kind in [Kind::Train, Kind::Bag, Kind::Boost, Kind::Ssn] {
            let mut config = Config { kind, ..Config::default() };
            config.data.train = Sources(vec![text.clone()]);
            let told = Splits::check(&config).map_err(|e| e.to_string());
            match kind {
                Kind::Train => assert_eq!(told, Ok(())),
                _ => assert!(told.unwrap_err().contains("plain.txt has no trees"), "{kind:?}"),
            }
        }
        let error = Splits::load(&Config::default()).unwrap_err().to_string();
        assert!(error.contains("data.train"), "{error}");
    }
}
