use super::{RunError, RunFolder};
use crate::checkpoint::write_atomically;
use crate::model::Parse;
use crate::report::{Metrics, SCHEMA, numbers};
use crate::treebank::{LabelledSpan, Preprocessing, PunctuationRule, Sentence, Tokenizer};
use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Bytes that a decompressed file may have; more is taken for a fault.
const LIMIT: u64 = 1 << 31;

/// The development sentences of one evaluation (`trees/dev-STEP.json.gz`): trees, or surprisals by
/// a language model, so that time can be scrubbed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EvaluatedTrees {
    pub schema: u32,
    pub step: u64,
    pub epoch: u64,
    pub metrics: Metrics,
    /// In the order of the development set; `None` for sentences without an analysis.
    pub trees: Vec<Option<EvaluatedTree>>,
    pub pinned: Vec<PinnedMarginals>,
}

/// An induced tree, or what a language model says of a sentence.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct EvaluatedTree {
    /// Nats.
    #[serde(with = "numbers")]
    pub log_prob: f64,
    /// Start, end and posterior of every span of two words or more, in preorder; none of a
    /// language model.
    pub spans: Vec<(u32, u32, f32)>,
    /// -log p of every token given those before it, nats, the end of the sentence included; empty
    /// for grammars, and in folders of versions that did not keep them.
    #[serde(default, skip_serializing_if = "Vec::is_empty", with = "surprisals")]
    pub surprisals: Vec<f32>,
}

/// Span marginals of one sentence.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PinnedMarginals {
    /// Place of the sentence in the development set.
    pub sentence: usize,
    /// Its length in words.
    pub length: usize,
    /// Posterior of span `[i, j)` at `i * (length + 1) + j`.
    pub marginals: Vec<f32>,
}

/// A development sentence as kept in the run folder (`trees/sentences.json.gz`), so that the
/// trees can be looked at where the corpus is not.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct KeptSentence {
    /// As written.
    pub words: Vec<Arc<str>>,
    /// As the model sees them, one a word. Folders of early versions have neither these nor tags.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub normalised: Option<Vec<Arc<str>>>,
    /// Gold tags, one a word.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tags: Option<Vec<Arc<str>>>,
    /// Start, end and label.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gold: Option<Vec<(u32, u32, Arc<str>)>>,
}

impl KeptSentence {
    /// The sentence as training had it, less the tree of its file; `index` is its place in the
    /// development set. Where the normalised words were not kept they are made again by `rules`.
    pub fn into_sentence(self, index: usize, rules: &Preprocessing) -> Sentence {
        let KeptSentence { words: surface, normalised, tags, gold } = self;
        let one_each = |list: &Vec<Arc<str>>| list.len() == surface.len();
        let words = normalised.filter(one_each).unwrap_or_else(|| {
            // None of them is split or left out.
            let rules = Preprocessing {
                tokenizer: Tokenizer::Blanks,
                punctuation: PunctuationRule::Keep,
                ..rules.clone()
            };
            rules.text(&surface.join(" "), index).words
        });
        let span = |(start, end, label)| LabelledSpan { start, end, label };
        Sentence {
            words,
            tags: tags.filter(one_each),
            gold: gold.map(|spans| spans.into_iter().map(span).collect()),
            surface,
            tree: None,
            index,
        }
    }
}

impl EvaluatedTrees {
    /// Takes the parses of an evaluation, with the marginals of `pinned` sentences spread
    /// evenly over the set.
    pub fn new(
        step: u64,
        epoch: u64,
        metrics: Metrics,
        parses: &[Option<Parse>],
        pinned: usize,
    ) -> EvaluatedTrees {
        let trees = parses
            .iter()
            .map(|parse| {
                parse.as_ref().map(|p| EvaluatedTree {
                    log_prob: p.log_prob,
                    spans: p.spans.iter().map(|s| (s.start, s.end, rounded(s.posterior))).collect(),
                    surprisals: p.surprisals.iter().copied().map(rounded).collect(),
                })
            })
            .collect();
        let mut places: Vec<_> = (0..pinned).map(|i| i * parses.len() / pinned).collect();
        places.dedup();
        let pinned = places
            .into_iter()
            .filter_map(|sentence| {
                let parse = parses.get(sentence)?.as_ref().filter(|p| !p.marginals.is_empty())?;
                Some(PinnedMarginals {
                    sentence,
                    length: parse.marginals.len().isqrt() - 1,
                    marginals: parse.marginals.iter().copied().map(rounded).collect(),
                })
            })
            .collect();
        EvaluatedTrees { schema: SCHEMA, step, epoch, metrics, trees, pinned }
    }

    /// Reads one of [`RunFolder::evaluations_with_trees`].
    pub fn read(path: &Path) -> Result<EvaluatedTrees, RunError> {
        let trees: EvaluatedTrees = read_gz(path)?;
        if trees.schema > SCHEMA {
            let (path, found) = (path.to_owned(), trees.schema);
            return Err(RunError::Newer { path, found, known: SCHEMA });
        }
        Ok(trees)
    }

    pub(super) fn write(&self, folder: &RunFolder) -> Result<(), RunError> {
        write_gz(&folder.trees().join(format!("dev-{:09}.json.gz", self.step)), self)
    }
}

/// Five decimals are more than any screen shows and a third of the file.
fn rounded(x: f32) -> f32 {
    (x * 1e5).round() / 1e5
}

/// Surprisals in JSON, where a word of probability 0 is "Infinity".
mod surprisals {
    use crate::report::numbers::Number;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    /// A number with the digits of single precision.
    #[derive(Serialize)]
    #[serde(untagged)]
    enum Short {
        Finite(f32),
        Other(Number),
    }

    pub fn serialize<S: Serializer>(values: &[f32], serializer: S) -> Result<S::Ok, S::Error> {
        let short = |&x: &f32| match x.is_finite() {
            true => Short::Finite(x),
            false => Short::Other(Number(f64::from(x))),
        };
        serializer.collect_seq(values.iter().map(short))
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<f32>, D::Error> {
        let values = Vec::<Number>::deserialize(deserializer)?;
        Ok(values.into_iter().map(|Number(x)| x as f32).collect())
    }
}

impl RunFolder {
    /// Steps whose development trees are kept, ascending, with their files.
    pub fn evaluations_with_trees(&self) -> Vec<(u64, PathBuf)> {
        let entries = std::fs::read_dir(self.trees()).into_iter().flatten().flatten();
        let mut found: Vec<_> = entries
            .filter_map(|entry| {
                let name = entry.file_name().into_string().ok()?;
                let step = name.strip_prefix("dev-")?.strip_suffix(".json.gz")?.parse().ok()?;
                Some((step, entry.path()))
            })
            .collect();
        found.sort();
        found
    }

    /// Takes away the trees of later steps, which a resumption from `step` supersedes like their
    /// events.
    pub(super) fn drop_trees_after(&self, step: u64) -> Result<(), RunError> {
        for (_, path) in self.evaluations_with_trees().into_iter().filter(|(s, _)| *s > step) {
            std::fs::remove_file(&path).map_err(RunError::io(&path))?;
        }
        Ok(())
    }

    /// The development sentences that [`EvaluatedTrees::trees`] belong to.
    pub fn dev_sentences(&self) -> Result<Vec<KeptSentence>, RunError> {
        read_gz(&self.trees().join("sentences.json.gz"))
    }

    pub(super) fn keep_dev_sentences(&self, sentences: &[Sentence]) -> Result<(), RunError> {
        write_gz(&self.trees().join("sentences.json.gz"), &kept(sentences))
    }

    /// Whether these are the sentences that were kept; where none can be read, they are.
    pub(super) fn has_dev_sentences(&self, sentences: &[Sentence]) -> bool {
        let Ok(before) = self.dev_sentences() else { return true };
        // Early versions kept less.
        let essence = |all: Vec<KeptSentence>| -> Vec<_> {
            all.into_iter().map(|s| (s.words, s.gold)).collect()
        };
        essence(before) == essence(kept(sentences))
    }
}

fn kept(sentences: &[Sentence]) -> Vec<KeptSentence> {
    let triple = |s: &LabelledSpan| (s.start, s.end, s.label.clone());
    let kept = sentences.iter().map(|s| KeptSentence {
        words: s.surface.clone(),
        normalised: Some(s.words.clone()),
        tags: s.tags.clone(),
        gold: s.gold.as_ref().map(|spans| spans.iter().map(triple).collect()),
    });
    kept.collect()
}

pub(super) fn write_gz(path: &Path, value: &impl Serialize) -> Result<(), RunError> {
    let compress = || -> std::io::Result<()> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(&serde_json::to_vec(value)?)?;
        write_atomically(path, &encoder.finish()?)
    };
    compress().map_err(RunError::io(path))
}

pub(super) fn read_gz<T: DeserializeOwned>(path: &Path) -> Result<T, RunError> {
    let file = std::fs::File::open(path).map_err(RunError::io(path))?;
    let mut bytes = Vec::new();
    GzDecoder::new(file).take(LIMIT).read_to_end(&mut bytes).map_err(RunError::io(path))?;
    serde_json::from_slice(&bytes)
        .map_err(|e| RunError::Malformed { path: path.to_owned(), reason: e.to_string() })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<Arc<str>> {
        text.split(' ').map(Arc::from).collect()
    }

    #[test]
    fn sentences_of_folders_that_kept_only_words_and_spans_are_read_and_normalised() {
        let text = r#"{"words":["The","2","dogs","!"],"gold":[[0,4,"NP"]]}"#;
        let kept: KeptSentence = serde_json::from_str(text).expect("reads");
        assert_eq!((&kept.normalised, &kept.tags), (&None, &None));
        let sentence = kept.into_sentence(3, &Preprocessing::default());
        assert_eq!(sentence.words, words("the N dogs !"));
        assert_eq!((sentence.surface, sentence.index), (words("The 2 dogs !"), 3));
        assert_eq!(sentence.gold.map(|g| g.len()), Some(1));
    }

    #[test]
    fn surprisals_come_back_short_and_files_without_them_are_read() {
        let parse = Parse {
            log_prob: -9.3125,
            surprisals: vec![1.234_567, f32::INFINITY, 8.0],
            ..Parse::default()
        };
        let parses = [Some(parse), None];
        let kept = EvaluatedTrees::new(40, 2, Metrics::default(), &parses, 2);
        let text = serde_json::to_string(&kept).expect("writes");
        assert!(text.contains(r#""surprisals":[1.23457,"Infinity",8.0]"#), "{text}");
        let back: EvaluatedTrees = serde_json::from_str(&text).expect("reads");
        assert_eq!(back, kept);
        // A grammar's, and those of a version that kept none.
        let old = r#"{"log_prob":-4.5,"spans":[[0,2,1.0]]}"#;
        let tree: EvaluatedTree = serde_json::from_str(old).expect("reads");
        assert_eq!((tree.surprisals.len(), tree.spans.len()), (0, 1));
        assert_eq!(serde_json::to_string(&tree).expect("writes"), old);
    }

    #[test]
    fn kept_words_and_tags_come_back_as_they_were() {
        let kept = KeptSentence {
            words: words("The dogs"),
            normalised: Some(words("the dogs")),
            tags: Some(words("DT NNS")),
            gold: None,
        };
        let text = serde_json::to_string(&kept).expect("writes");
        let back: KeptSentence = serde_json::from_str(&text).expect("reads");
        assert_eq!(back, kept);
        let sentence = back.into_sentence(0, &Preprocessing::default());
        assert_eq!((sentence.words, sentence.tags), (words("the dogs"), Some(words("DT NNS"))));
    }
}
