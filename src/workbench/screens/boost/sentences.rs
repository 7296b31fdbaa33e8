use crate::ensemble::Part;
use crate::run::RunFolder;

/// The training sentences.
pub struct Sentences {
    pub part: Part,
    /// Fingerprints of the original trees.
    pub hashes: Vec<String>,
    /// Words in lower case, for the filter.
    pub texts: Vec<String>,
}

impl Sentences {
    pub fn read(folder: &RunFolder) -> Result<Option<Sentences>, String> {
        let Some(kept) = folder.kept_part("train").map_err(|e| e.to_string())? else {
            return Ok(None);
        };
        let part = kept.part("train").ok_or("a training sentence of the run is damaged")?;
        let hashes = kept.sentences.into_iter().map(|sentence| sentence.hash).collect();
        Ok(Some(Sentences::new(part, hashes)))
    }

    pub fn new(part: Part, hashes: Vec<String>) -> Sentences {
        let texts = part.sentences.iter().map(|s| s.tree.words().join(" ").to_lowercase());
        let texts = texts.collect();
        Sentences { part, hashes, texts }
    }

    pub fn len(&self) -> usize {
        self.part.sentences.len()
    }
}
