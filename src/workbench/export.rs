//! Trees and surprisals to files: brackets, text, JSON, LaTeX, SVG and PNG.

use super::popup::{Item, Popup};
use crate::render::{
    Diagram, ScoredSentence, SurprisalUnit, surprisals_to_json, surprisals_to_svg,
    surprisals_to_text, to_brackets, to_forest, to_json, tree_to_svg, trees_to_png,
};
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// Folder of exported files, beside or in what they are of.
pub const FOLDER: &str = "exports";

/// Id of the popup that asks for a format; its answer is an index into [`Format::ALL`].
pub const POPUP: &str = "export";

/// A format that trees are written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    Brackets,
    Json,
    Forest,
    Svg,
    Png,
}

impl Format {
    pub const ALL: [Format; 5] =
        [Format::Brackets, Format::Json, Format::Forest, Format::Svg, Format::Png];

    /// Its name, and what it is for.
    pub fn name_and_use(self) -> (&'static str, &'static str) {
        let (name, _, description) = self.about();
        (name, description)
    }

    fn about(self) -> (&'static str, &'static str, &'static str) {
        match self {
            Format::Brackets => ("brackets", "mrg", "one line of Penn-style brackets"),
            Format::Json => ("JSON", "json", "words, tags and spans with their marks"),
            Format::Forest => ("LaTeX", "tex", "an environment of the package forest"),
            Format::Svg => ("SVG", "svg", "a drawing with marks in colour"),
            Format::Png => ("PNG", "png", "the same as a picture of dots"),
        }
    }

    /// What stands in the file.
    pub fn bytes(self, diagram: &Diagram) -> Result<Vec<u8>, String> {
        Ok(match self {
            Format::Brackets => bracket_line(diagram).into_bytes(),
            Format::Json => (to_json(diagram).to_string() + "\n").into_bytes(),
            Format::Forest => to_forest(diagram).into_bytes(),
            Format::Svg => tree_to_svg(diagram).into_bytes(),
            Format::Png => {
                trees_to_png(std::slice::from_ref(diagram)).map_err(|e| e.to_string())?
            }
        })
    }
}

/// The tree in brackets with its line end, e.g. for the clipboard.
pub fn bracket_line(diagram: &Diagram) -> String {
    to_brackets(diagram) + "\n"
}

/// A format that surprisals are written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SurprisalFormat {
    Text,
    Json,
    Svg,
}

impl SurprisalFormat {
    pub const ALL: [SurprisalFormat; 3] =
        [SurprisalFormat::Text, SurprisalFormat::Json, SurprisalFormat::Svg];

    fn about(self) -> (&'static str, &'static str, &'static str) {
        match self {
            SurprisalFormat::Text => ("text", "txt", "a line a token, apart by tabs"),
            SurprisalFormat::Json => ("JSON", "json", "tokens, surprisals and states, in nats"),
            SurprisalFormat::Svg => ("SVG", "svg", "a drawing of the map in colour"),
        }
    }

    /// The file's text.
    pub fn text(self, sentence: &ScoredSentence, unit: SurprisalUnit) -> String {
        match self {
            SurprisalFormat::Text => surprisals_to_text(sentence, unit),
            SurprisalFormat::Json => surprisals_to_json(sentence).to_string() + "\n",
            SurprisalFormat::Svg => surprisals_to_svg(sentence, unit),
        }
    }
}

/// The question for a format.
pub fn popup() -> Popup {
    list(POPUP, "Export the tree as", Format::ALL.iter().map(|f| f.about()))
}

/// Id of the popup that asks for a format of surprisals; its answer is an index into
/// [`SurprisalFormat::ALL`].
pub const SURPRISAL_POPUP: &str = "export-surprisals";

/// The question for a format of surprisals.
pub fn surprisal_popup() -> Popup {
    let formats = SurprisalFormat::ALL.iter().map(|f| f.about());
    list(SURPRISAL_POPUP, "Export the surprisals as", formats)
}

fn list(
    id: &'static str,
    title: &str,
    formats: impl Iterator<Item = (&'static str, &'static str, &'static str)>,
) -> Popup {
    let item = |(name, _, description): (&str, _, &str)| Item {
        name: name.into(),
        description: description.into(),
    };
    Popup::List {
        id,
        title: title.into(),
        items: formats.map(item).collect(),
        start: 0,
        free: false,
    }
}

/// Writes `STEM.ext`, or `STEM-2.ext` and so on where that exists; gives the file's path.
pub fn save(
    folder: &Path,
    stem: &str,
    format: Format,
    diagram: &Diagram,
) -> Result<PathBuf, String> {
    save_text(folder, stem, format.about().1, &format.bytes(diagram)?)
}

/// The same for surprisals.
pub fn save_surprisals(
    folder: &Path,
    stem: &str,
    format: SurprisalFormat,
    (sentence, unit): (&ScoredSentence, SurprisalUnit),
) -> Result<PathBuf, String> {
    save_text(folder, stem, format.about().1, format.text(sentence, unit).as_bytes())
}

/// The same for any text.
pub fn save_text(
    folder: &Path,
    stem: &str,
    extension: &str,
    text: &[u8],
) -> Result<PathBuf, String> {
    let failed = |e: std::io::Error| format!("{}: {e}", folder.display());
    std::fs::create_dir_all(folder).map_err(failed)?;
    let mut file = new_file(folder).map_err(failed)?;
    file.write_all(text).map_err(failed)?;
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

/// A temporary file in a folder that others may read as the umask allows, like any other file.
pub fn new_file(folder: &Path) -> std::io::Result<tempfile::NamedTempFile> {
    let rights = std::fs::Permissions::from_mode(0o666);
    tempfile::Builder::new().permissions(rights).tempfile_in(folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_exported_has_the_rights_of_any_other_file() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let other = folder.path().join("other");
        std::fs::write(&other, "").expect("writes");
        let path = save_text(folder.path(), "a", "csv", b"x").expect("written");
        let rights = |path: &Path| path.metadata().expect("is there").permissions().mode() & 0o777;
        assert_eq!(rights(&path), rights(&other));
    }
    use crate::render::{DiagramSpan, ScoredToken};

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
            let bytes = std::fs::read(&first).expect("is there");
            assert_eq!(bytes, std::fs::read(&second).expect("is there"));
            match String::from_utf8(bytes) {
                Ok(text) => assert!(text.contains("home"), "{text}"),
                Err(e) => assert!(format == Format::Png && e.as_bytes().starts_with(b"\x89PNG")),
            }
        }
        let tokens = vec![ScoredToken { text: "home".into(), ..ScoredToken::default() }];
        let sentence = ScoredSentence { tokens, log_prob: 0.0 };
        for format in SurprisalFormat::ALL {
            let scored = (&sentence, SurprisalUnit::Bits);
            let path = save_surprisals(&exports, "sentence-1", format, scored).expect("written");
            assert!(std::fs::read_to_string(path).expect("is there").contains("home"));
        }
        assert_eq!(std::fs::read_dir(&exports).expect("a folder").count(), 13);
    }
}
