//! Checkpoints of the published PyTorch code, to and fro: same names, same shapes, same numbers.

use super::pytorch::{Optimizer, Settings, StateFile, write};
use super::{Checkpoint, CheckpointError, read, write_atomically_with};
use crate::config::{Compat, Config, Family};
use crate::model;
use crate::treebank::{Preprocessing, Vocabulary};
use candle_core::Tensor;
use safetensors::SafeTensors;
use std::collections::BTreeMap;
use std::fs::File;
use std::io;
use std::path::Path;
use std::sync::Arc;

/// Differences from the family that are told one by one; the others are counted.
const FAULTS: usize = 8;

/// A file of the published code whose tensors still lie in it: a `.pt` of `torch.save`, or a
/// safetensors file with the same names.
pub struct Published<'a> {
    name: String,
    family: Family,
    content: Content<'a>,
}

enum Content<'a> {
    Torch(StateFile<'a>),
    Safetensors(SafeTensors<'a>),
}

impl<'a> Published<'a> {
    /// Reads the bytes of a file; `name` stands in error messages.
    pub fn read(
        name: &str,
        family: Family,
        bytes: &'a [u8],
    ) -> Result<Published<'a>, CheckpointError> {
        // A safetensors file begins with the length of its header and the header's bracket.
        let content = if bytes.get(8) == Some(&b'{') {
            match SafeTensors::deserialize(bytes) {
                Ok(_) if read::is_ours(bytes) => {
                    Err("it is a checkpoint of rankspace already, and is used as it is".into())
                }
                Ok(file) => Ok(Content::Safetensors(file)),
                Err(e) => Err(e.to_string()),
            }
        } else {
            StateFile::read(bytes).map(Content::Torch)
        };
        match content {
            Ok(content) => Ok(Published { name: name.to_owned(), family, content }),
            Err(reason) => Err(CheckpointError::foreign(name, &reason)),
        }
    }

    fn shapes(&self) -> BTreeMap<&str, Vec<usize>> {
        match &self.content {
            Content::Torch(file) => file.shapes().map(|(n, s)| (n, s.to_vec())).collect(),
            Content::Safetensors(file) => {
                file.iter().map(|(name, view)| (name, view.shape().to_vec())).collect()
            }
        }
    }

    /// Sizes as the shapes tell them, set in the config; gives the size of the vocabulary.
    pub fn sizes(&self, config: &mut Config) -> Result<usize, CheckpointError> {
        let shapes = self.shapes();
        let size = |name: &str, dimension: usize| {
            let shape = shapes.get(name);
            let shape = shape.ok_or_else(|| self.unlike(vec![format!("`{name}` is missing")]))?;
            let size = shape.get(dimension).copied().filter(|&size| size > 0);
            size.ok_or_else(|| {
                self.unlike(vec![format!("`{name}` has the shape {shape:?}, too small to be it")])
            })
        };
        let sizes = &mut config.model;
        sizes.family = self.family;
        sizes.compat = Compat::Published;
        match self.family {
            Family::RankPcfg | Family::TdPcfg => {
                sizes.nonterminals = size("root_mlp.3.weight", 0)?;
                let symbols = size("rule_state_emb", 0)?;
                let preterminals = symbols.checked_sub(sizes.nonterminals).filter(|&n| n > 0);
                sizes.preterminals = preterminals.ok_or_else(|| {
                    let (all, upper) = (symbols, sizes.nonterminals);
                    self.unlike(vec![format!(
                        "`rule_state_emb` has {all} symbols, but `root_mlp.3.weight` {upper} \
                         nonterminals"
                    )])
                })?;
                sizes.embedding = size("rule_state_emb", 1)?;
                sizes.rank = match self.family {
                    Family::TdPcfg => size("parent_mlp.2.weight", 0)?,
                    _ => size("rank_proj", 1)?,
                };
                size("term_mlp.3.weight", 0)
            }
            Family::Lpcfg | Family::NPcfg | Family::CPcfg => {
                sizes.nonterminals = size("nonterm_emb", 0)?;
                sizes.preterminals = size("term_emb", 0)?;
                sizes.embedding = size("term_emb", 1)?;
                if self.family == Family::Lpcfg {
                    sizes.rank = size("rank_emb", 0)?;
                }
                if self.family == Family::CPcfg {
                    sizes.latent = size("enc_out.weight", 0)? / 2;
                    sizes.encoder = size("enc_rnn.weight_hh_l0", 1)?;
                    sizes.encoder_embedding = size("enc_emb.weight", 1)?;
                }
                size("term_mlp.3.weight", 0)
            }
            Family::RankHmm => {
                sizes.states = size("state_emb", 0)?;
                sizes.rank = size("projection", 0)?;
                sizes.embedding = size("projection", 1)?;
                size("vocab_emb", 0)
            }
            Family::Lhmm => {
                sizes.states = size("state_emb", 0)?;
                sizes.embedding = size("_projection", 0)?;
                sizes.rank = size("_projection", 1)?;
                size("terminal_emb", 0)
            }
            Family::Hmm | Family::Ngram => {
                Err(self.unlike(vec!["the published code saves none".into()]))
            }
        }
    }

    /// Copies the tensors out. `config` has its sizes from [`Published::sizes`]; every name and
    /// shape is checked first.
    pub fn checkpoint(
        &self,
        mut config: Config,
        vocabulary: Vocabulary,
    ) -> Result<Checkpoint, CheckpointError> {
        let foreign = |reason: String| CheckpointError::foreign(&self.name, &reason);
        let preprocessing = Preprocessing::resolve(&config.data);
        let preprocessing = preprocessing.map_err(|e| foreign(e.to_string()))?;
        self.check(&config, vocabulary.len())?;
        let (mut weights, mut optimizer) = (BTreeMap::new(), BTreeMap::new());
        let mut settings = Settings::default();
        match &self.content {
            Content::Torch(file) => {
                for (name, _) in file.shapes() {
                    weights.insert(name.to_owned(), file.tensor(name).map_err(foreign)?);
                }
                optimizer.extend(file.moments().map_err(foreign)?);
                settings = file.settings();
            }
            Content::Safetensors(file) => {
                for (name, view) in file.iter() {
                    let tensor = read::tensor(&view);
                    let tensor = tensor.map_err(|e| foreign(format!("tensor `{name}` {e}")))?;
                    weights.insert(name.to_owned(), tensor);
                }
            }
        }
        let t = &mut config.training;
        t.learning_rate = settings.learning_rate.unwrap_or(t.learning_rate);
        (t.beta1, t.beta2) = settings.betas.unwrap_or((t.beta1, t.beta2));
        t.weight_decay = settings.weight_decay.unwrap_or(t.weight_decay);
        Ok(Checkpoint {
            config,
            vocabulary: Arc::new(vocabulary),
            preprocessing,
            step: settings.updates.unwrap_or(0),
            epoch: 0,
            elapsed: 0.0,
            weights,
            optimizer,
            training: None,
        })
    }

    /// Compares names and shapes with those of the family and tells every difference.
    fn check(&self, config: &Config, vocabulary: usize) -> Result<(), CheckpointError> {
        let mut found = self.shapes();
        let mut faults = Vec::new();
        for (name, expected) in model::shapes(config, vocabulary) {
            match found.remove(name.as_str()) {
                None => faults.push(format!("`{name}` is missing")),
                Some(shape) if shape != expected => {
                    faults.push(format!("`{name}` has the shape {shape:?}, expected {expected:?}"));
                }
                Some(_) => {}
            }
        }
        faults.extend(found.keys().map(|name| format!("`{name:.80}` does not belong to it")));
        if faults.is_empty() { Ok(()) } else { Err(self.unlike(faults)) }
    }

    fn unlike(&self, mut faults: Vec<String>) -> CheckpointError {
        let more = faults.len().saturating_sub(FAULTS);
        faults.truncate(FAULTS);
        if more > 0 {
            faults.push(format!("and {more} more"));
        }
        let family = self.family.with_article();
        let faults = faults.join("; ");
        let reason = format!("its tensors are not those of {family}: {faults}");
        CheckpointError::foreign(&self.name, &reason)
    }
}

impl Checkpoint {
    /// Writes the weights as the published code saves them: a `.pt` that PyTorch loads, or a
    /// safetensors file of the same names, by the ending of the path.
    pub fn export(&self, path: &Path) -> Result<(), CheckpointError> {
        let mut tensors: Vec<(&str, &Tensor)> =
            self.weights.iter().map(|(name, tensor)| (name.as_str(), tensor)).collect();
        tensors.sort_by_key(|(name, _)| place(self.config.model.family, name));
        let written = match path.extension().and_then(|e| e.to_str()) {
            Some("pt" | "pth") => self.export_torch(path, &tensors),
            Some("safetensors") => super::write::bare(&tensors, path),
            _ => Err(io::Error::other("its name should end in .pt or .safetensors")),
        };
        written.map_err(|source| CheckpointError::Io { path: path.to_owned(), source })
    }

    fn export_torch(&self, path: &Path, tensors: &[(&str, &Tensor)]) -> io::Result<()> {
        let t = &self.config.training;
        let optimizer = Optimizer {
            moments: &self.optimizer,
            settings: Settings {
                updates: Some(self.step),
                learning_rate: Some(t.learning_rate),
                betas: Some((t.beta1, t.beta2)),
                weight_decay: Some(t.weight_decay),
            },
        };
        let optimizer = Some(&optimizer).filter(|_| !self.optimizer.is_empty());
        let wrapped = saved_in_a_dictionary(self.config.model.family);
        write_atomically_with(path, |temporary| {
            let file = File::create(temporary)?;
            write(&file, tensors, wrapped, optimizer)?;
            file.sync_all()
        })
    }
}

/// Where a parameter stands in the published module: saved optimisers count parameters.
fn place(family: Family, name: &str) -> (usize, &str, bool, usize) {
    let modules: &[&str] = match family {
        Family::RankPcfg => &[
            "root_emb",
            "rule_state_emb",
            "rank_proj",
            "root_mlp",
            "term_mlp",
            "parent_mlp",
            "left_mlp",
            "right_mlp",
        ],
        Family::TdPcfg => &[
            "root_emb",
            "term_emb",
            "rule_state_emb",
            "root_mlp",
            "term_mlp",
            "parent_mlp",
            "left_mlp",
            "right_mlp",
        ],
        Family::Lpcfg | Family::NPcfg => &[
            "term_emb",
            "nonterm_emb",
            "root_emb",
            "rank_emb",
            "rank_proj",
            "term_mlp",
            "root_mlp",
            "rule_mlp",
        ],
        Family::CPcfg => &[
            "root_emb",
            "term_emb",
            "nonterm_emb",
            "term_mlp",
            "root_mlp",
            "enc_emb",
            "enc_rnn",
            "enc_out",
            "rule_mlp",
        ],
        Family::RankHmm => &[
            "projection",
            "start_emb",
            "state_emb",
            "next_state_emb",
            "vocab_emb",
            "start_mlp",
            "vocab_emission_mlp",
        ],
        Family::Lhmm => &[
            "_projection",
            "start_emb",
            "next_start_emb",
            "state_emb",
            "next_state_emb",
            "preterminal_emb",
            "terminal_emb",
            "start_mlp",
            "terminal_mlp",
        ],
        Family::Hmm | Family::Ngram => &[],
    };
    let module = name.split('.').next().unwrap_or(name);
    let number = modules.iter().position(|m| *m == module).unwrap_or(modules.len());
    let (layer, kind) = name.rsplit_once('.').unwrap_or((name, ""));
    // A layer's weight comes before its bias; an LSTM has two of each for both directions.
    const LSTM: [&str; 4] = ["weight_ih", "weight_hh", "bias_ih", "bias_hh"];
    let recurrent = LSTM.iter().position(|part| kind.starts_with(part)).unwrap_or(0);
    let reverse = kind.ends_with("_reverse");
    (number, layer, reverse || kind == "bias", recurrent)
}

/// Whether the published code saves the weights under `model`, or bare.
fn saved_in_a_dictionary(family: Family) -> bool {
    match family {
        Family::RankPcfg | Family::TdPcfg | Family::Lpcfg | Family::NPcfg | Family::CPcfg => false,
        Family::Hmm | Family::Ngram => false,
        Family::RankHmm | Family::Lhmm => true,
    }
}
