//! Files that the command line names.

use anyhow::{Context, Error, Result, anyhow};
use std::path::Path;

/// All bytes of a file.
pub fn read(path: &Path) -> Result<Vec<u8>> {
    if path.is_dir() {
        return Err(is_folder(path));
    }
    std::fs::read(path).with_context(|| path.display().to_string())
}

/// That a folder stands where a file is read, with one of its files as an example.
pub fn is_folder(path: &Path) -> Error {
    let entries = std::fs::read_dir(path).into_iter().flatten().flatten();
    let is_hidden = |path: &Path| {
        path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"."))
    };
    let files = entries.map(|entry| entry.path()).filter(|p| p.is_file() && !is_hidden(p));
    let example = files.min().map_or(String::new(), |file| format!(", e.g. {}", file.display()));
    anyhow!("{} is a folder: name a file in it{example}", path.display())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_told_with_the_first_of_its_files() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        assert!(read(folder.path()).unwrap_err().to_string().ends_with(": name a file in it"));
        for name in ["b.mrg", "a.mrg", ".hidden"] {
            std::fs::write(folder.path().join(name), "x").expect("writable");
        }
        std::fs::create_dir(folder.path().join("a")).expect("writable");
        let error = read(folder.path()).unwrap_err().to_string();
        let (said, example) = error.rsplit_once(", e.g. ").expect("an example");
        assert!(said.ends_with("name a file in it") && example.ends_with("/a.mrg"), "{error}");
        assert_eq!(read(&folder.path().join("b.mrg")).expect("a file"), b"x");
    }
}
