//! Files that commands write: under a temporary name first, and never over a file that is there
//! unless they are told to.

use super::args::Target;
use crate::checkpoint::{Listed, temporary};
use crate::cli::failure::Usage;
use crate::config::Format;
use crate::render::{Diagram, to_forest, trees_to_svg};
use crate::treebank::{BracketStyle, Changes, Entry, Writer, note_drawing};
use anyhow::{Context, Result};
use flate2::{Compression, GzBuilder, write::GzEncoder};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

impl Target {
    /// What a treebank of this format is written as where nothing else is asked for.
    pub fn like(format: Format) -> Target {
        match format {
            Format::Text => Target::Text,
            Format::Columns => Target::Columns,
            Format::Brackets | Format::Export | Format::Tiger | Format::Json => Target::Brackets,
        }
    }

    /// The format that a file's name stands for.
    pub fn of(path: &Path) -> Option<Target> {
        let name = path.to_string_lossy();
        let name = name.strip_suffix(".gz").unwrap_or(&name);
        match Path::new(name).extension()?.to_str()? {
            "tex" => Some(Target::Forest),
            "svg" => Some(Target::Svg),
            _ => Some(match Format::of_name(name)? {
                Format::Brackets => Target::Brackets,
                Format::Export => Target::Export,
                Format::Tiger => Target::Tiger,
                Format::Columns => Target::Columns,
                Format::Json => Target::Json,
                Format::Text => Target::Text,
            }),
        }
    }

    /// The extension of files of this format.
    pub fn extension(self) -> &'static str {
        match self {
            Target::Brackets | Target::Indented => "mrg",
            Target::Export => "export",
            Target::Tiger => "xml",
            Target::Columns => "conll",
            Target::Json => "jsonl",
            Target::Text => "txt",
            Target::Forest => "tex",
            Target::Svg => "svg",
        }
    }

    fn format(self) -> Option<(Format, BracketStyle)> {
        let format = match self {
            Target::Brackets | Target::Indented => Format::Brackets,
            Target::Export => Format::Export,
            Target::Tiger => Format::Tiger,
            Target::Columns => Format::Columns,
            Target::Json => Format::Json,
            Target::Text => Format::Text,
            Target::Forest | Target::Svg => return None,
        };
        Some((format, BracketStyle { indented: self == Target::Indented }))
    }
}

/// A file that is being written, or standard output.
pub struct Output<'a> {
    to: Sink<'a>,
    /// Where the temporary file goes.
    path: Option<PathBuf>,
    force: bool,
    _listed: Option<Listed>,
}

enum Sink<'a> {
    Plain(BufWriter<NamedTempFile>),
    Gzip(GzEncoder<BufWriter<NamedTempFile>>),
    Standard(&'a mut dyn Write),
}

/// Refuses to write into a file that is read.
pub fn is_no_input<'p>(out: &Path, inputs: impl IntoIterator<Item = &'p Path>) -> Result<()> {
    let Ok(own) = out.canonicalize() else { return Ok(()) };
    match inputs.into_iter().any(|input| input.canonicalize().is_ok_and(|input| input == own)) {
        true => Err(Usage(format!("{} is read from: name another file", out.display())).into()),
        false => Ok(()),
    }
}

impl<'a> Output<'a> {
    /// [`Output::file`] for commands that replace nothing.
    pub fn new_file(path: &Path) -> Result<Output<'a>> {
        if path.is_file() {
            let shown = path.display();
            let message =
                format!("{shown} is there already and is not replaced: name another file");
            return Err(Usage(message).into());
        }
        Output::file(path, false)
    }

    /// Begins a file beside its place; refuses at once to write over one without `force`.
    pub fn file(path: &Path, force: bool) -> Result<Output<'a>> {
        let shown = path.display();
        if path.is_dir() {
            return Err(Usage(format!("{shown} is a folder: name a file in it")).into());
        }
        if path.exists() && !force {
            return Err(Usage(format!("{shown} is there already; --force replaces it")).into());
        }
        let folder = match path.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder,
            _ => Path::new("."),
        };
        if !folder.is_dir() {
            let folder = folder.display();
            return Err(Usage(format!("{shown}: there is no folder {folder}")).into());
        }
        let failed = || format!("{shown}: cannot be written");
        let mut builder = tempfile::Builder::new();
        builder.prefix(".").suffix(".part");
        let (file, listed) = temporary(&builder, folder).with_context(failed)?;
        let file = BufWriter::with_capacity(1 << 16, file);
        let gzip = path.extension().is_some_and(|e| e == "gz");
        // No name and no time inside, so that the same trees give the same file.
        let to = match gzip {
            true => Sink::Gzip(GzBuilder::new().mtime(0).write(file, Compression::default())),
            false => Sink::Plain(file),
        };
        Ok(Output { to, path: Some(path.to_owned()), force, _listed: Some(listed) })
    }

    pub fn standard(out: &'a mut dyn Write) -> Output<'a> {
        Output { to: Sink::Standard(out), path: None, force: false, _listed: None }
    }

    /// Puts the file into its place.
    pub fn keep(self) -> Result<()> {
        let file = match self.to {
            Sink::Standard(out) => return Ok(out.flush()?),
            Sink::Plain(file) => file,
            Sink::Gzip(encoder) => encoder.finish()?,
        };
        let file = file.into_inner().map_err(|e| e.into_error())?;
        let path = self.path.unwrap_or_default();
        let shown = path.display();
        give_usual_rights(&file)?;
        file.as_file().sync_all()?;
        let kept = match self.force {
            true => file.persist(&path),
            false => file.persist_noclobber(&path),
        };
        match kept {
            Ok(_) => Ok(()),
            Err(e) if e.error.kind() == io::ErrorKind::AlreadyExists => {
                Err(Usage(format!("{shown} is there already; --force replaces it")).into())
            }
            Err(e) => Err(e.error).with_context(|| format!("{shown}: cannot be written")),
        }
    }
}

/// Temporary files are for their owner alone; what stays gets the rights of any new file.
#[cfg(unix)]
fn give_usual_rights(file: &NamedTempFile) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    // SAFETY: `umask` only exchanges a number, and is set back at once.
    let mask = unsafe {
        let mask = libc::umask(0o077);
        libc::umask(mask);
        mask
    };
    file.as_file().set_permissions(std::fs::Permissions::from_mode(0o666 & !mask))
}

#[cfg(not(unix))]
fn give_usual_rights(_: &NamedTempFile) -> io::Result<()> {
    Ok(())
}

impl Write for Output<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.to {
            Sink::Plain(file) => file.write(bytes),
            Sink::Gzip(encoder) => encoder.write(bytes),
            Sink::Standard(out) => out.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.to {
            Sink::Plain(file) => file.flush(),
            Sink::Gzip(encoder) => encoder.flush(),
            Sink::Standard(out) => out.flush(),
        }
    }
}

/// Writes sentences in a target format.
pub struct TreeOutput<'a> {
    writer: Kind<'a>,
}

enum Kind<'a> {
    Treebank(Writer<Output<'a>>),
    /// LaTeX, or the trees of a picture.
    Drawing {
        out: Output<'a>,
        svg: Option<Vec<Diagram>>,
        written: u64,
        changes: Changes,
    },
}

impl<'a> TreeOutput<'a> {
    pub fn new(out: Output<'a>, target: Target) -> Result<TreeOutput<'a>> {
        let writer = match target.format() {
            Some((format, style)) => Kind::Treebank(Writer::new(out, format, style)?),
            None => {
                let svg = (target == Target::Svg).then(Vec::new);
                Kind::Drawing { out, svg, written: 0, changes: Changes::default() }
            }
        };
        Ok(TreeOutput { writer })
    }

    pub fn entry(&mut self, entry: &Entry) -> Result<()> {
        match &mut self.writer {
            Kind::Treebank(writer) => writer.entry(entry)?,
            Kind::Drawing { out, svg, written, changes } => {
                let Entry::Tree(tree) = entry else {
                    let detail = Some("without a tree".to_owned());
                    changes.at(entry.place()).add("sentences-left-out", 1, detail);
                    return Ok(());
                };
                *written += 1;
                note_drawing(tree, changes);
                let diagram = Diagram::from_tree(tree);
                match svg {
                    Some(diagrams) => diagrams.push(diagram),
                    None => out.write_all(to_forest(&diagram).as_bytes())?,
                }
            }
        }
        Ok(())
    }

    /// What changed so far.
    pub fn changes(&mut self) -> &mut Changes {
        match &mut self.writer {
            Kind::Treebank(writer) => &mut writer.changes,
            Kind::Drawing { changes, .. } => changes,
        }
    }

    /// Ends the file without putting it into its place: see [`Output::keep`].
    pub fn finish(self) -> Result<(Output<'a>, u64, Changes)> {
        match self.writer {
            Kind::Treebank(writer) => Ok(writer.finish()?),
            Kind::Drawing { mut out, svg, written, changes } => {
                if let Some(diagrams) = svg {
                    out.write_all(trees_to_svg(&diagrams).as_bytes())?;
                }
                Ok((out, written, changes))
            }
        }
    }
}
