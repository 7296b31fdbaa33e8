//! Trees to files: brackets, JSON, LaTeX and SVG.

use super::popup::{Item, Popup};
use crate::render::{Diagram, to_brackets, to_forest, to_json, tree_to_svg};
use std::io::Write;
use std::path::{Path, PathBuf};

/// Id of the popup that asks for a format; its answer is an index into [`Format::ALL`].
pub const POPUP: &str = "export";

/// A format that trees are written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    Brackets,
    Json,
    Forest,
    Svg,
}

impl Format {
    pub const ALL: [Format; 4] = [Format::Brackets, Format::Json, Format::Forest, Format::Svg];

    fn about(self) -> (&'static str, &'static str, &'static str) {
        match self {
            Format::Brackets => ("brackets", "mrg", "one line of Penn-style brackets"),
            Format::Json => ("JSON", "json", "words, tags and spans with their marks"),
            Format::Forest => ("LaTeX", "tex", "an environment of the package forest"),
            Format::Svg => ("SVG", "svg", "a drawing with marks in colour"),
        }
    }

    /// The file's text.
    pub fn text(self, diagram: &Diagram) -> String {
        match self {
            Format::Brackets => to_brackets(diagram) + "\n",
            Format::Json => to_json(diagram).to_string() + "\n",
            Format::Forest => to_forest(diagram),
            Format::Svg => tree_to_svg(diagram),
        }
    }
}

/// The question for a format.
pub fn popup() -> Popup {
    let item = |format: &Format| {
        let (name, _, description) = format.about();
        Item { name: name.into(), description: description.into() }
    };
    let items = Format::ALL.iter().map(item).collect();
    Popup::List { id: POPUP, title: "Export the tree as".into(), items, start: 0 }
}

/// Writes `STEM.ext`, or `STEM-2.ext` and so on where that exists; gives the file's path.
pub fn save(
    folder: &Path,
    stem: &str,
    format: Format,
    diagram: &Diagram,
) -> Result<PathBuf, String> {
    let failed = |e: std::io::Error| format!("{}: {e}", folder.display());
    std::fs::create_dir_all(folder).map_err(failed)?;
    let mut file = tempfile::NamedTempFile::new_in(folder).map_err(failed)?;
    file.write_all(format.text(diagram).as_bytes()).map_err(failed)?;
    let (_, extension, _) = format.about();
    let mut number = 1;
    loop {
        let name = match number {
            1 => format!("{stem}.{extension}"),
            n => format!("{stem}-{n}.{extension}"),
        };
        let path = folder.join(name);
        match file.persist_noclobber(&path) {
            Ok(_) => return Ok(path),
            Err(e) if e.error.kind() == std::io::ErrorKind::AlreadyExists => {
                file = e.file;
                number += 1;
            }
            Err(e) => return Err(failed(e.error)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::DiagramSpan;

    #[test]
    fn every_format_is_written_and_nothing_is_overwritten() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let exports = folder.path().join("exports");
        let spans = [DiagramSpan { start: 0, end: 2, label: "S" }];
        let tree = Diagram::from_spans(&["go", "home"], Some(&["VB", "NN"]), &spans).expect("fits");
        for format in Format::ALL {
            let first = save(&exports, "sentence-1", format, &tree).expect("written");
            let second = save(&exports, "sentence-1", format, &tree).expect("written");
            assert_ne!(first, second);
            let text = std::fs::read_to_string(&first).expect("is there");
            assert_eq!(text, std::fs::read_to_string(&second).expect("is there"));
            assert!(text.contains("home"), "{text}");
        }
        assert_eq!(std::fs::read_dir(&exports).expect("a folder").count(), 8);
    }
}
