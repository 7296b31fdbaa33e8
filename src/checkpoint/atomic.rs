use super::temporary;
use std::fs::{File, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::Duration;

/// How names of files that are being written begin.
const PREFIX: &str = ".writing-";

/// Writes a file under a temporary name beside `path` and renames it: readers see the old
/// content or the new, never a part.
pub fn write_atomically(path: &Path, bytes: &[u8]) -> io::Result<()> {
    write_atomically_with(path, |temporary| File::create(temporary)?.write_all(bytes))
}

/// The same with the content written by `fill` to the path that it is given.
pub fn write_atomically_with(
    path: &Path,
    fill: impl FnOnce(&Path) -> io::Result<()>,
) -> io::Result<()> {
    let folder = match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    // Temporary files are private by default; these are for colleagues too, as the umask allows.
    let mut builder = tempfile::Builder::new();
    builder.prefix(PREFIX).permissions(Permissions::from_mode(0o666));
    let (file, _listed) = temporary(&builder, folder)
        // Without the name, which is another one every time and tells nobody anything.
        .map_err(|e| io::Error::from(e.kind()))?;
    let temporary = file.into_temp_path();
    fill(&temporary)?;
    temporary.persist(path).map_err(|e| e.error)
}

/// Removes files in a folder that somebody was writing when they were killed: nobody has touched
/// them for so long. What cannot be removed stays.
pub fn remove_abandoned(folder: &Path, silence: Duration) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let is_ours = entry.file_name().to_string_lossy().starts_with(PREFIX);
        let touched = entry.metadata().and_then(|m| m.modified());
        let age = touched.ok().and_then(|touched| touched.elapsed().ok());
        if is_ours && age.is_some_and(|age| age >= silence) {
            let _ = std::fs::remove_file(entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_being_written_is_removed_once_nobody_has_touched_it_for_long() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let written = folder.path().join("last");
        write_atomically(&written, b"whole").expect("writes");
        let abandoned = folder.path().join(".writing-a1b2c3");
        std::fs::write(&abandoned, b"ha").expect("writes");
        remove_abandoned(folder.path(), Duration::from_secs(3600));
        assert!(abandoned.exists());
        remove_abandoned(folder.path(), Duration::ZERO);
        assert!(!abandoned.exists() && written.exists());
    }
}
