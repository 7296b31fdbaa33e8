//! The treebank's own files, which verdicts are about.

use super::fingerprint;
use crate::treebank::{Reader, Tree, sample, unpacked};
use std::collections::HashMap;
use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::{Path, PathBuf};

/// The text of a file of a treebank. A relative path is looked for from the current folder, then
/// from every folder above `beside` (the run's, which may have been moved or opened from elsewhere
/// with its treebank); what was read as a part of the bundled sample is in the program.
pub fn text_of(file: &str, beside: &Path) -> Result<String, String> {
    let place = Path::new(file);
    let above = beside.canonicalize().unwrap_or_else(|_| beside.to_owned());
    let others = above.ancestors().skip(1).map(|folder| folder.join(place));
    let places: Vec<PathBuf> = std::iter::once(place.to_owned()).chain(others).collect();
    if let Some(found) = places.iter().find(|path| path.is_file()) {
        return read_text(found).map_err(|e| format!("{}: {e}", found.display()));
    }
    let bundled = file.strip_prefix("sample/").and_then(|name| name.split('.').next());
    match bundled.map(sample::read) {
        Some(Ok((_, text))) => Ok(text),
        _ => Err(format!("{file} is not there any more (was the treebank moved?)")),
    }
}

/// The text of a file, decompressed where it is gzip.
fn read_text(path: &Path) -> io::Result<String> {
    let mut text = String::new();
    unpacked(BufReader::new(File::open(path)?))?.read_to_string(&mut text)?;
    Ok(text)
}

/// The trees of a file by their fingerprints.
pub struct Originals {
    pub trees: Vec<Tree>,
    by_hash: HashMap<String, Vec<usize>>,
}

impl Originals {
    /// Reads the trees of a text; what cannot be read is passed over.
    pub fn read(file: &str, text: &str) -> Originals {
        let trees: Vec<Tree> = Reader::new(text.as_bytes(), file).filter_map(Result::ok).collect();
        let mut by_hash: HashMap<String, Vec<usize>> = HashMap::new();
        for (i, tree) in trees.iter().enumerate() {
            by_hash.entry(fingerprint(tree)).or_default().push(i);
        }
        Originals { trees, by_hash }
    }

    /// The tree with that fingerprint; of several the one of that number if it is among them, else
    /// the first.
    pub fn find(&self, hash: &str, number: usize) -> Option<&Tree> {
        let places = self.by_hash.get(hash)?;
        let at = places.iter().find(|place| **place == number).or(places.first())?;
        Some(&self.trees[*at])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_treebank_that_moved_with_its_run_is_found_and_one_that_is_gone_is_told() {
        let base = tempfile::tempdir().expect("a temporary folder");
        let run = base.path().join("moved/runs/a");
        std::fs::create_dir_all(&run).expect("makes");
        std::fs::create_dir(base.path().join("moved/bank")).expect("makes");
        std::fs::write(base.path().join("moved/bank/a.mrg"), "(A a)").expect("writes");
        assert_eq!(text_of("bank/a.mrg", &run), Ok("(A a)".into()));
        let packed = std::fs::File::create(base.path().join("moved/bank/c.mrg.gz")).expect("makes");
        let mut packed = flate2::write::GzEncoder::new(packed, flate2::Compression::fast());
        std::io::Write::write_all(&mut packed, b"(C c)").expect("writes");
        packed.finish().expect("writes");
        assert_eq!(text_of("bank/c.mrg.gz", &run), Ok("(C c)".into()));
        let told = text_of("bank/b.mrg", &run).expect_err("not there");
        assert!(told.starts_with("bank/b.mrg is not there"), "{told}");
        let bundled = text_of("sample/dev.mrg", &run).expect("compiled in");
        assert_eq!(bundled, sample::read("dev").expect("compiled in").1);
    }

    #[test]
    fn of_equal_trees_the_one_of_the_number_is_meant() {
        let originals = Originals::read("t", "(A a)\n(B b)\n(A a)\n");
        let hash = fingerprint(&originals.trees[0]);
        let line = |number| originals.find(&hash, number).expect("there").place.line;
        assert_eq!((line(2), line(0), line(7)), (3, 1, 1));
        assert!(originals.find("0", 0).is_none());
    }
}
