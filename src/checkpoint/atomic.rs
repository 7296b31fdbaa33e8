use super::temporary;
use std::fs::{File, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

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
    builder.prefix(".writing-").permissions(Permissions::from_mode(0o666));
    let (file, _listed) = temporary(&builder, folder)
        // Without the name, which is another one every time and tells nobody anything.
        .map_err(|e| io::Error::from(e.kind()))?;
    let temporary = file.into_temp_path();
    fill(&temporary)?;
    temporary.persist(path).map_err(|e| e.error)
}
