use super::{TreeParser, restore};
use crate::checkpoint::{CheckpointError, TensorFile};
use crate::config::Config;
use crate::treebank::Preprocessing;
use std::path::Path;
use std::sync::Arc;

/// Kind of a parser's file, which stands in its metadata.
const KIND: &str = "parser";

/// An induced parser with all that is needed to use it, as a file: safetensors, with `family`,
/// `config` (TOML) and `preprocessing` (JSON) in the metadata and the tensors of the family.
#[derive(Clone)]
pub struct ParserFile {
    pub config: Config,
    /// What was done to the trees of the training, and is to be done to sentences.
    pub preprocessing: Preprocessing,
    pub parser: Arc<dyn TreeParser>,
}

impl ParserFile {
    /// Writes to a temporary name, flushes to the disk and renames: the file is always whole.
    pub fn save(&self, path: &Path) -> Result<(), CheckpointError> {
        let mut file = TensorFile::default();
        let failed = |e: candle_core::Error| CheckpointError::Model(e.into());
        self.parser.store(&mut file).map_err(failed)?;
        file.metadata.insert("family".into(), self.config.parser.family.name().into());
        file.metadata.insert("config".into(), self.config.to_toml());
        file.set("preprocessing", &self.preprocessing);
        file.save(path, KIND)
    }

    /// Reads a file; everything in it is checked.
    pub fn load(path: &Path) -> Result<ParserFile, CheckpointError> {
        let file = TensorFile::load(path, KIND)?;
        ParserFile::of(&file).map_err(|reason| {
            let name = path.display().to_string();
            CheckpointError::Malformed { name, reason }
        })
    }

    fn of(file: &TensorFile) -> Result<ParserFile, String> {
        let config = Config::from_toml("its config", file.text("config")?, &[]);
        let config = config.map_err(|e| e.to_string())?;
        let preprocessing = file.get("preprocessing")?;
        let parser = restore(&config.parser, file)?;
        Ok(ParserFile { config, preprocessing, parser })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parser::{Words, build};
    use crate::treebank::{Reader, Tree};
    use std::collections::BTreeMap;

    const TREES: &str = "(TOP (S (NP (DT the) (JJ old) (JJ tired) (NN dog)) (VP (VBZ barks))))
        (TOP (S (NP (PRP it)) (VP (VBZ sees) (NP (DT the) (NN cat)) (PP (IN in) (NP (NN May))))))
        (TOP (FRAG (S (S (NP (PRP we))))))";

    fn saved(text: &str) -> ParserFile {
        let trees: Vec<Arc<Tree>> =
            Reader::new(text.as_bytes(), "test").map(|t| Arc::new(t.expect("a tree"))).collect();
        let config = Config::from_toml("test", "[parser]\nmin_count = 2\nsplit_words = 2\n", &[]);
        let config = config.expect("valid");
        let inducer = build(&config.parser).expect("there is such a parser");
        let parser = inducer.induce(&trees, &[1.0, 0.25, 3.5]).expect("trees");
        ParserFile { config, preprocessing: Preprocessing::default(), parser }
    }

    #[test]
    fn a_parser_comes_back_from_its_file_as_it_was() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a.safetensors");
        let before = saved(TREES);
        before.save(&path).expect("writes");
        let after = ParserFile::load(&path).expect("reads");
        assert_eq!((&after.config, &after.preprocessing), (&before.config, &before.preprocessing));
        for sentence in ["the old cat sees it", "Zoe xs dogs now", "we", "in in in"] {
            let words: Vec<Arc<str>> = sentence.split(' ').map(Arc::from).collect();
            let (a, b) =
                (before.parser.parse(Words::new(&words)), after.parser.parse(Words::new(&words)));
            assert_eq!(
                (a.tree.to_string(), a.score.to_bits()),
                (b.tree.to_string(), b.score.to_bits())
            );
            assert_eq!(a.fallback, b.fallback);
            let scores = [before.parser.tree_score(&a.tree), after.parser.tree_score(&a.tree)];
            assert_eq!(scores[0].to_bits(), scores[1].to_bits());
        }
        let error = crate::checkpoint::Checkpoint::load(&path).unwrap_err().to_string();
        assert!(error.contains("its kind is `parser`, expected `model`"), "{error}");
    }

    #[test]
    fn no_change_of_a_number_or_list_makes_reading_panic() {
        let mut whole = TensorFile::default();
        let before = saved(TREES);
        before.parser.store(&mut whole).expect("stores");
        whole.metadata.insert("config".into(), before.config.to_toml());
        whole.set("preprocessing", &before.preprocessing);
        assert!(ParserFile::of(&whole).is_ok());
        let (mut refused, mut read) = (0, 0);
        let mut check = |file: &TensorFile| match ParserFile::of(file) {
            // What can be read can be used.
            Ok(file) => {
                let words: Vec<Arc<str>> = ["the", "dog", "Xyz"].map(Arc::from).to_vec();
                file.parser.parse(Words::new(&words));
                file.parser.k_best(Words::new(&words), 5);
                read += 1;
            }
            Err(_) => refused += 1,
        };
        for name in whole.tensors.keys() {
            let mut file = whole.clone();
            file.tensors.remove(name);
            check(&file);
            let tensor = &whole.tensors[name];
            for place in 0..tensor.elem_count().min(40) {
                for value in [0u32, 1, 7, 1_000_000, u32::MAX] {
                    let mut file = whole.clone();
                    file.tensors.insert(name.clone(), changed(tensor, place, value));
                    check(&file);
                }
            }
        }
        let keys: BTreeMap<_, _> = whole.metadata.iter().collect();
        for key in keys.into_keys() {
            for value in ["", "[]", "null", "7", "\"a\"", "[\"a\"]", "-1"] {
                let mut file = whole.clone();
                file.metadata.insert(key.clone(), value.into());
                check(&file);
            }
        }
        assert!(refused > 100 && read > 100, "{refused} {read}");
    }

    fn changed(tensor: &candle_core::Tensor, place: usize, value: u32) -> candle_core::Tensor {
        let flat = tensor.flatten_all().expect("flat");
        let made = match tensor.dtype() {
            candle_core::DType::U32 => {
                let mut numbers: Vec<u32> = flat.to_vec1().expect("numbers");
                numbers[place] = value;
                candle_core::Tensor::from_vec(numbers, tensor.shape(), tensor.device())
            }
            _ => {
                let mut numbers: Vec<f64> = flat.to_vec1().expect("numbers");
                numbers[place] = if value == u32::MAX { f64::NAN } else { f64::from(value) };
                candle_core::Tensor::from_vec(numbers, tensor.shape(), tensor.device())
            }
        };
        made.expect("as many numbers as before")
    }
}
