//! Where shared data lies: `$RANKSPACE_SHARED`, else `../shared` beside the checkout. Tests that
//! need it say that they were skipped where it is absent.

use std::path::PathBuf;

/// A path below the shared folder, or `None` with a note on standard error.
pub fn shared(path: &str) -> Option<PathBuf> {
    let base = std::env::var_os("RANKSPACE_SHARED")
        .map(PathBuf::from)
        .unwrap_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../shared"));
    let full = base.join(path);
    if full.exists() {
        return Some(full);
    }
    assert!(
        std::env::var_os("RANKSPACE_SHARED").is_none(),
        "RANKSPACE_SHARED is set but {} does not exist",
        full.display()
    );
    eprintln!("skipped: no shared data at {}", full.display());
    None
}

/// Whether the kernels can be compiled for the host; if not, a note on standard error.
pub fn emulated() -> bool {
    use rankspace::device::{Choice, Engine, Options};
    match Engine::open(Choice::Emulated, Options::default()) {
        Ok(_) => true,
        Err(reason) => {
            eprintln!("skipped: {reason}");
            false
        }
    }
}

/// Golden files of a family, sorted by name.
pub fn golden_files(folder: &std::path::Path, start: &str, end: &str) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder)
        .expect("the golden folder reads")
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| {
            let name = path.file_name().and_then(|n| n.to_str()).unwrap_or_default();
            name.starts_with(start) && name.ends_with(end)
        })
        .collect();
    files.sort();
    files
}

/// All numbers of a tensor, row-major.
pub fn numbers(tensor: &candle_core::Tensor) -> Vec<f64> {
    tensor
        .to_dtype(candle_core::DType::F64)
        .and_then(|t| t.flatten_all())
        .and_then(|t| t.to_vec1())
        .expect("numbers")
}
