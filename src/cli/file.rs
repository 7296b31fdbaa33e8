//! Files that the command line names.

use anyhow::{Context, Error, Result, anyhow, bail};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// Endings of files with trees, one a line.
pub const TREES: &[&str] = &["mrg", "ptb", "psd", "tree", "trees", "parse", "txt", "gz"];

/// Endings of files with weights.
pub const WEIGHTS: &[&str] = &["pt", "pth", "safetensors"];

/// All bytes of a file; such as are meant have one of these endings.
pub fn read(path: &Path, endings: &[&str]) -> Result<Vec<u8>> {
    if path.is_dir() {
        return Err(is_folder(path, endings));
    }
    std::fs::read(path).with_context(|| path.display().to_string())
}

/// That a folder stands where a file is read, with one of its files as an example.
pub fn is_folder(path: &Path, endings: &[&str]) -> Error {
    let entries = std::fs::read_dir(path).into_iter().flatten().flatten();
    let fits = |path: &PathBuf| {
        path.is_file()
            && path.extension().and_then(OsStr::to_str).is_some_and(|e| endings.contains(&e))
    };
    let example = match entries.map(|entry| entry.path()).filter(fits).min() {
        Some(file) => format!(", e.g. {}", file.display()),
        None => String::new(),
    };
    anyhow!("{} is a folder: name a file in it{example}", path.display())
}

/// Refuses to write over a file, or into a folder that is missing.
pub fn refuse_existing(path: &Path) -> Result<()> {
    let shown = path.display();
    if path.exists() {
        bail!("{shown} is there already, and nothing is overwritten");
    }
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() && !folder.is_dir() => {
            bail!("{shown}: there is no folder {}", folder.display())
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_told_with_the_first_of_its_files_that_fit() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let refused = || read(folder.path(), &["mrg"]).unwrap_err().to_string();
        assert!(refused().ends_with(": name a file in it"));
        for name in ["c.mrg", "b.mrg", "a.toml"] {
            std::fs::write(folder.path().join(name), "x").expect("writable");
        }
        std::fs::create_dir(folder.path().join("a.mrg")).expect("writable");
        let refused = refused();
        let (said, example) = refused.rsplit_once(", e.g. ").expect("an example");
        assert!(said.ends_with("name a file in it") && example.ends_with("/b.mrg"), "{refused}");
        assert_eq!(read(&folder.path().join("b.mrg"), &[]).expect("a file"), b"x");
    }

    #[test]
    fn nothing_is_written_over_a_file_or_into_a_missing_folder() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let said =
            |name: &str| refuse_existing(&folder.path().join(name)).map_err(|e| e.to_string());
        assert_eq!(said("new"), Ok(()));
        assert!(said("no/new").unwrap_err().contains("there is no folder"));
        std::fs::write(folder.path().join("new"), "x").expect("writable");
        assert!(said("new").unwrap_err().contains("nothing is overwritten"));
        assert!(refuse_existing(Path::new("surely-no-such-file")).is_ok());
    }
}
