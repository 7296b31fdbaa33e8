//! The parser as a file: safetensors of the kind `ssn`, with settings, words and preprocessing in
//! the metadata and the matrices as tensors `ssn.*`; in `last` of a run also the state of training.

use super::form::Form;
use super::lexicon::{Lexicon, Rare};
use super::weights::{Part, Weights};
use super::{Ssn, Vocabulary, sizes};
use crate::checkpoint::{CheckpointError, TensorFile};
use crate::config::Config;
use crate::treebank::Preprocessing;
use candle_core::{Device, Tensor};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

/// Kind of the file, which stands in its metadata.
const KIND: &str = "ssn";

/// Before the names of tensors that the optimiser keeps.
const OPTIMIZER: &str = "optimizer.";

/// A trained parser with all that is needed to use it, and to train it further.
#[derive(Clone, Debug)]
pub struct SsnFile {
    pub config: Config,
    pub preprocessing: Preprocessing,
    pub ssn: Ssn,
    /// Optimiser steps done.
    pub step: u64,
    pub epoch: u64,
    /// Seconds of running time so far.
    pub elapsed: f64,
    /// Moments by name; none in a file that is only to be used.
    pub optimizer: BTreeMap<String, Tensor>,
    /// State of training, as its loop writes it.
    pub training: Option<serde_json::Value>,
}

impl SsnFile {
    /// Writes to a temporary name, flushes to the disk and renames: the file is always whole.
    pub fn save(&self, path: &Path) -> Result<(), CheckpointError> {
        let mut file = TensorFile::default();
        self.ssn.write(&mut file).map_err(|e| CheckpointError::Model(e.into()))?;
        file.metadata.insert("config".into(), self.config.to_toml());
        file.set("preprocessing", &self.preprocessing);
        file.set("step", &self.step);
        file.set("epoch", &self.epoch);
        file.set("elapsed", &self.elapsed);
        if let Some(training) = &self.training {
            file.set("training", training);
        }
        let moments = self.optimizer.iter();
        file.tensors.extend(moments.map(|(name, t)| (format!("{OPTIMIZER}{name}"), t.clone())));
        file.save(path, KIND)
    }

    /// Reads a file; everything in it is checked.
    pub fn load(path: &Path) -> Result<SsnFile, CheckpointError> {
        let file = TensorFile::load(path, KIND)?;
        SsnFile::of(&file).map_err(|reason| {
            let name = path.display().to_string();
            CheckpointError::Malformed { name, reason }
        })
    }

    fn of(file: &TensorFile) -> Result<SsnFile, String> {
        let config = Config::from_toml("its config", file.text("config")?, &[]);
        let config = config.map_err(|e| e.to_string())?;
        let moments = file.tensors.iter().filter_map(|(name, tensor)| {
            Some((name.strip_prefix(OPTIMIZER)?.to_owned(), tensor.clone()))
        });
        Ok(SsnFile {
            ssn: Ssn::read(&config, file)?,
            preprocessing: file.get("preprocessing")?,
            step: file.get("step")?,
            epoch: file.get("epoch")?,
            elapsed: file.get("elapsed")?,
            optimizer: moments.collect(),
            training: match file.metadata.contains_key("training") {
                true => Some(file.get("training")?),
                false => None,
            },
            config,
        })
    }
}

impl Ssn {
    /// Puts words, labels and weights into a file.
    pub(super) fn write(&self, file: &mut TensorFile) -> Result<(), candle_core::Error> {
        let Ssn { form, vocabulary, lexicon, repeats, weights, .. } = self;
        file.set("root", &form.root());
        file.set("chains", form.chains());
        file.set("labels", &vocabulary.labels());
        file.set("tags", &vocabulary.tags());
        file.set("words", &vocabulary.words());
        let rare: Vec<(u32, &Arc<str>, u32)> =
            lexicon.rare().iter().map(|rare| (rare.tag, &rare.word, rare.count)).collect();
        file.set("rare", &rare);
        file.set("repeats", repeats);
        let hidden = weights.sizes().hidden;
        for part in Part::ALL {
            let shape = (part.rows(weights.sizes()), hidden);
            let tensor = Tensor::from_slice(weights.part(part), shape, &Device::Cpu)?;
            file.tensors.insert(format!("ssn.{}", part.name()), tensor);
        }
        Ok(())
    }

    /// What [`TreeParser::store`](crate::parser::TreeParser::store) put into a file; says what is
    /// wrong with the file.
    pub fn read(config: &Config, file: &TensorFile) -> Result<Ssn, String> {
        let root: Option<Arc<str>> = file.get("root")?;
        let chains: BTreeSet<Arc<str>> = file.get("chains")?;
        let (labels, tags) = (file.get("labels")?, file.get("tags")?);
        let vocabulary = Vocabulary::new(labels, tags, file.get("words")?);
        let vocabulary =
            vocabulary.ok_or("a label, tag or word is in it twice, or a tag is missing")?;
        if vocabulary.tags().is_empty() {
            return Err("it has no tags".into());
        }
        let rare: Vec<(u32, Arc<str>, u32)> = file.get("rare")?;
        let rare = rare.into_iter().map(|(tag, word, count)| Rare { tag, word, count });
        let lexicon = Lexicon::new(rare.collect(), &vocabulary);
        let lexicon = lexicon.ok_or("a tag of a rare word is missing")?;
        let sizes = sizes(&vocabulary, config.ssn.hidden);
        let mut parts: [Vec<f32>; Part::ALL.len()] = Default::default();
        for part in Part::ALL {
            parts[part as usize] = file.numbers(&format!("ssn.{}", part.name()), sizes.hidden)?;
        }
        let weights = Weights::from_parts(sizes, parts);
        let weights = weights.ok_or("a matrix in it has not the size that its words ask for")?;
        Ok(Ssn {
            settings: config.ssn,
            form: Form::new(root, chains),
            vocabulary,
            lexicon,
            repeats: file.get("repeats")?,
            weights,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parser::ssn::testing::{sharp, treebank};
    use crate::parser::{TreeParser, Words};

    fn file() -> SsnFile {
        let set = ["kind=ssn", "ssn.hidden=6", "ssn.min_count=2"].map(str::to_owned);
        SsnFile {
            config: Config::from_toml("test", "", &set).expect("valid"),
            preprocessing: Preprocessing::default(),
            ssn: sharp(1),
            step: 7,
            epoch: 2,
            elapsed: 1.5,
            optimizer: [("bias.exp_avg".to_owned(), Tensor::new(&[1.0f32], &Device::Cpu))]
                .into_iter()
                .map(|(name, tensor)| (name, tensor.expect("a tensor")))
                .collect(),
            training: Some(serde_json::json!({ "step": 7 })),
        }
    }

    #[test]
    fn a_parser_comes_back_from_its_file_as_it_was() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a.safetensors");
        let before = file();
        before.save(&path).expect("writes");
        let after = SsnFile::load(&path).expect("reads");
        assert_eq!((&after.config, &after.preprocessing), (&before.config, &before.preprocessing));
        assert_eq!((after.step, after.epoch, after.elapsed), (7, 2, 1.5));
        assert_eq!(after.training, before.training);
        assert_eq!(after.optimizer.keys().collect::<Vec<_>>(), ["bias.exp_avg"]);
        assert_eq!(after.ssn.weights, before.ssn.weights);
        assert_eq!(after.ssn.vocabulary, before.ssn.vocabulary);
        for tree in treebank() {
            let [a, b] = [&before, &after].map(|f| f.ssn.parse(Words::new(tree.words())));
            assert_eq!((a.tree.to_string(), a.score), (b.tree.to_string(), b.score));
            assert_eq!(before.ssn.tree_score(&tree), after.ssn.tree_score(&tree));
        }
        let error = crate::checkpoint::Checkpoint::load(&path).unwrap_err().to_string();
        assert!(error.contains("its kind is `ssn`"), "{error}");
    }

    #[test]
    fn a_damaged_file_is_refused_with_what_is_wrong() {
        let mut whole = TensorFile::default();
        let before = file();
        before.ssn.write(&mut whole).expect("writes");
        whole.metadata.insert("config".into(), before.config.to_toml());
        whole.set("preprocessing", &before.preprocessing);
        for (key, value) in [("step", "1"), ("epoch", "1"), ("elapsed", "1.0")] {
            whole.metadata.insert(key.into(), value.into());
        }
        assert!(SsnFile::of(&whole).is_ok());
        for name in whole.tensors.keys() {
            let mut file = whole.clone();
            file.tensors.remove(name);
            let reason = SsnFile::of(&file).expect_err("incomplete");
            assert!(reason.contains(name), "{reason}");
        }
        for (key, value, said) in [
            ("tags", "[]", "a tag is missing"),
            ("labels", r#"["S", "S"]"#, "twice"),
            ("labels", r#"["S"]"#, "not the size"),
            ("words", r#"[[99, "a"]]"#, "a tag is missing"),
            ("rare", r#"[[99, "a", 1]]"#, "a tag of a rare word"),
            ("repeats", "-1", "repeats"),
            ("config", "[ssn]\nhidden = 7\n", "expected rows of 7"),
        ] {
            let mut file = whole.clone();
            file.metadata.insert(key.into(), value.into());
            let reason = SsnFile::of(&file).expect_err("changed");
            assert!(reason.contains(said), "{key}: {reason}");
        }
    }
}
