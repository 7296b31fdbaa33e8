//! What `eval`, `parse` and `score` share: finding a checkpoint, reading sentences, parsing
//! them in batches.

use super::args::{Decode, Decoding, Place};
use super::failure::Usage;
use super::plain::tell;
use super::progress;
use crate::checkpoint::{Checkpoint, TensorFile};
use crate::config::{self, Config};
use crate::model::{self, Parse, Parser, Wanted};
use crate::report::counted;
use crate::run::RunFolder;
use crate::training::{Packing, group};
use crate::treebank::{
    self, Entries, Entry, Expanded, FileOptions, Interner, Preprocessing, Problem, Removed,
    Sentence, Source, TaggedWords, Tree, expand_with_notes, section_folders,
};
use anyhow::{Context, Result, anyhow, bail};
use std::collections::BTreeSet;
use std::io::BufRead;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Sentences times squared length that a batch may have; bounds the memory of the chart.
const CELLS: usize = 16 * 40 * 40;

/// Tokens, padding counted, of a batch of a model without a chart.
const TOKENS: usize = 1024;

/// Problems that are told one by one; the others are counted.
const PROBLEMS: usize = 10;

/// The same as [`checkpoint`], with the trees that are asked for.
pub fn decoding(path: &Path, asked: &Decoding) -> Result<Checkpoint> {
    let mut checkpoint = checkpoint(path)?;
    let decode = &mut checkpoint.config.evaluation.decode;
    *decode = match asked.decode {
        Some(Decode::Mbr) => config::Decode::Mbr,
        Some(Decode::Viterbi) => config::Decode::Viterbi,
        None => *decode,
    };
    Ok(checkpoint)
}

/// The parser of a checkpoint on the device that is asked for, or on the CPU with a note.
pub fn parser(checkpoint: &Checkpoint, place: &Place) -> Result<Arc<dyn Parser>> {
    let config = Config { device: place.device.clone(), ..checkpoint.config.clone() };
    let found = model::placement(&config).map_err(|e| Usage(format!("--device: {e}")))?;
    if let Some(note) = found.note {
        tell(&format!("warning: {note}; it computes on the CPU"));
    }
    Ok(checkpoint.parser_on(&place.device)?)
}

/// Refuses a language model where trees are asked for.
pub fn need_trees(path: &Path, checkpoint: &Checkpoint) -> Result<()> {
    let family = checkpoint.config.model.family;
    if family.has_trees() {
        return Ok(());
    }
    let (shown, named) = (path.display(), family.with_article());
    bail!(
        "{shown}: {named} is a language model and gives no trees; `rankspace score {shown} \
         --tokens` gives the surprisal of every word"
    )
}

/// Loads a checkpoint file, or the best one of a run folder, which it says on standard error.
pub fn checkpoint(path: &Path) -> Result<Checkpoint> {
    let file = checkpoint_file(path)?;
    if file != path {
        tell(&format!("using {}", file.display()));
    }
    is_of_kind("model", &file, path)?;
    Ok(Checkpoint::load(&file)?)
}

/// Refuses a file of ours of another kind, with the command for it; `path` is what was named.
pub fn is_of_kind(wanted: &str, file: &Path, path: &Path) -> Result<()> {
    let kind = TensorFile::kind_of(file).filter(|kind| kind != wanted);
    match kind.and_then(|kind| instead(&kind, path)) {
        Some(instead) => bail!("{}: {instead}", path.display()),
        None => Ok(()),
    }
}

/// What to do with a file of ours of some kind.
fn instead(kind: &str, path: &Path) -> Option<String> {
    let shown = path.display();
    Some(match kind {
        "model" => format!(
            "an induced grammar or a language model; `rankspace parse {shown} FILE`, `rankspace \
             eval` and `rankspace score` are for it"
        ),
        "ssn" => format!(
            "a history-based parser, no language model or induced grammar; `rankspace ssn parse \
             {shown} FILE` parses with it, and scores its trees where FILE has some"
        ),
        "parser" => format!(
            "a supervised parser, no induced grammar; `rankspace grammar parse {shown} FILE` parses \
             with it, and scores its trees where FILE has some"
        ),
        "reranker" => format!(
            "a reranker, which has no grammar of its own; `rankspace rerank apply {shown} LISTS` \
             chooses with it"
        ),
        _ => return None,
    })
}

/// The file itself, or the best one of a run folder.
pub fn checkpoint_file(path: &Path) -> Result<PathBuf> {
    if !path.is_dir() {
        return Ok(path.to_owned());
    }
    let folder = RunFolder::open(path).map_err(|error| match files_in(path).as_slice() {
        [] => anyhow::Error::from(error),
        files => anyhow!(
            "{} is not a run folder; name one of the checkpoints in it: {}",
            path.display(),
            files.join(", ")
        ),
    })?;
    let file = [folder.best(), folder.last()].into_iter().find(|file| file.is_file());
    if let Some(file) = file {
        return Ok(file);
    }
    let shown = path.display();
    match folder.config().map(|config| config.kind) {
        Ok(kind) if kind.is_ensemble() => bail!(
            "{shown}: a run of {}, which keeps the analyses of its parsers and not the parsers; \
             `rankspace {shown}` shows them, and `rankspace grammar train` makes a single one",
            kind.name()
        ),
        _ => bail!("{shown}: the run has no checkpoint yet"),
    }
}

/// Names of the checkpoint files in a folder.
fn files_in(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let files =
        entries.map(|e| e.path()).filter(|p| p.extension().is_some_and(|e| e == "safetensors"));
    let mut names: Vec<_> = files.map(|p| p.display().to_string()).collect();
    names.sort();
    names
}

/// What messages call the input.
pub fn name_of(path: &Path) -> String {
    if path == Path::new("-") { "standard input".to_owned() } else { path.display().to_string() }
}

/// [`name_of`] for several.
pub fn names_of(paths: &[PathBuf]) -> String {
    paths.iter().map(|p| name_of(p)).collect::<Vec<_>>().join(", ")
}

/// Opens what a path means, in order: a file, the files of a folder or of a pattern, a part of
/// the bundled sample (`sample:train` and so on), or standard input (`-`).
pub fn open(path: &Path, options: FileOptions) -> Result<Vec<Entries<Box<dyn BufRead>>>> {
    if path == Path::new("-") {
        let input: Box<dyn BufRead> = Box::new(std::io::stdin().lock());
        return Ok(vec![Entries::new(input, &name_of(path), options, Interner::default())?]);
    }
    open_sections(path, "", options)
}

/// That a sentence stands where a file is read; `None` where it may be the name of one.
fn is_sentence(path: &Path) -> Option<anyhow::Error> {
    let words = path.to_str().filter(|_| !path.exists())?;
    let core = words.trim_end_matches(['.', '?', '!']);
    let ending = core.rsplit_once('.').map_or(" ", |(_, ending)| ending);
    let is_one = core.contains(' ') && ending.contains(' ') && !core.contains(['/', '*', '?']);
    is_one.then(|| {
        anyhow!(
            "{words}: no such file; sentences are read from standard input, e.g. \
             `echo SENTENCE | rankspace parse CHECKPOINT`"
        )
    })
}

/// [`open`] for several, of folders only these sections where some are asked for.
pub fn open_all(
    paths: &[PathBuf],
    sections: Option<&str>,
    options: FileOptions,
) -> Result<Vec<Entries<Box<dyn BufRead>>>> {
    let mut all = Vec::new();
    for path in paths {
        all.extend(match sections {
            None => open(path, options)?,
            Some(sections) => {
                numbered(path)?;
                open_sections(path, sections, options)?
            }
        });
    }
    Ok(all)
}

/// The files that paths mean, of folders only these sections where some are asked for.
pub fn files_of(paths: &[PathBuf], sections: &str) -> Result<Vec<PathBuf>> {
    let names = paths.iter().filter(|path| *path != Path::new("-"));
    let names: Vec<String> = names.map(|path| path.to_string_lossy().into_owned()).collect();
    let file = |source| match source {
        Source::File(path) => Some(path),
        Source::Sample(_) => None,
    };
    Ok(expand_with_notes(&names, sections)?.files.into_iter().filter_map(file).collect())
}

/// The section folders in a folder, of which there must be some.
pub fn numbered(path: &Path) -> Result<BTreeSet<u32>> {
    let sections = section_folders(path)?;
    if sections.is_empty() {
        let shown = path.display();
        bail!("{shown}: --sections needs a folder with folders like 02, 03 and so on in it");
    }
    Ok(sections)
}

/// [`open`] with the section folders of a treebank, e.g. `02-21`; empty: all.
pub fn open_sections(
    path: &Path,
    sections: &str,
    options: FileOptions,
) -> Result<Vec<Entries<Box<dyn BufRead>>>> {
    let names = [path.to_string_lossy().into_owned()];
    let Expanded { files, notes } = expand_with_notes(&names, sections)?;
    for note in notes {
        tell(&format!("note: {note}"));
    }
    files.iter().map(|file| Ok(treebank::open(file, options, Interner::default())?)).collect()
}

/// A sentence of the input.
pub enum Given {
    Tree(Arc<Tree>),
    Words(TaggedWords),
    Text(Arc<str>),
    /// What could not be read: it keeps its number.
    Lost,
}

impl Given {
    /// After preprocessing; `None` where no word is left of it.
    pub fn sentence(&self, index: usize, preprocessing: &Preprocessing) -> Option<Sentence> {
        match self {
            Given::Tree(tree) => {
                preprocessing.sentence(tree.clone(), index, &mut Removed::default())
            }
            Given::Words(words) => {
                preprocessing.tagged(words.clone(), &mut Removed::default(), index)
            }
            Given::Text(text) => {
                Some(preprocessing.text(text, index)).filter(|sentence| !sentence.is_empty())
            }
            Given::Lost => None,
        }
    }
}

/// Sentences of a file or of standard input, in order. A line of a file is a sentence; one of
/// standard input is text as typed, and may be several, which is said.
pub fn read(path: &Path, preprocessing: &Preprocessing) -> Result<Vec<Given>> {
    let typed = path == Path::new("-");
    if let Some(error) = is_sentence(path) {
        return Err(error);
    }
    let mut given = Vec::new();
    let mut problems = Vec::new();
    let mut several = 0;
    for entry in open(path, FileOptions::default())?.into_iter().flatten() {
        match entry {
            Ok(Entry::Tree(tree)) => given.push(Given::Tree(Arc::new(tree))),
            Ok(Entry::Words(words)) => given.push(Given::Words(words)),
            Ok(Entry::Text(line, _)) => {
                let parts = preprocessing.typed_sentences(&line);
                several += usize::from(parts.len() > 1);
                match typed {
                    true => given.extend(parts.into_iter().map(|part| Given::Text(part.into()))),
                    false => given.push(Given::Text(line)),
                }
            }
            Err(problem) => {
                problems.push(problem);
                given.push(Given::Lost);
            }
        }
    }
    tell_problems(&problems);
    if given.iter().all(|given| matches!(given, Given::Lost)) {
        bail!("{}: no sentence could be read", name_of(path));
    }
    let hold = if several == 1 { "holds" } else { "hold" };
    let lines = format!("{} {hold}", counted(several, "line"));
    match (several, typed) {
        (0, _) => {}
        (_, true) => tell(&format!("note: {lines} several sentences, which are taken one by one")),
        (_, false) => tell(&format!(
            "warning: {}: {lines} several sentences by the look of it; a file has one a line, so \
             no line is split",
            name_of(path)
        )),
    }
    Ok(given)
}

/// [`Given::sentence`] of all.
pub fn prepare(given: &[Given], preprocessing: &Preprocessing) -> Vec<Option<Sentence>> {
    given.iter().enumerate().map(|(i, g)| g.sentence(i, preprocessing)).collect()
}

/// Tells on standard error what is wrong with a file.
pub fn tell_problems(problems: &[Problem]) {
    for problem in problems.iter().take(PROBLEMS) {
        tell(&format!("warning: {problem}"));
    }
    if problems.len() > PROBLEMS {
        tell(&format!("warning: and {} more", problems.len() - PROBLEMS));
    }
}

/// Parses sentences in batches of equal length; one without words gets `None`.
pub fn parse<'a>(
    parser: &dyn Parser,
    checkpoint: &Checkpoint,
    sentences: impl ExactSizeIterator<Item = Option<&'a Sentence>>,
    wanted: Wanted,
) -> Result<Vec<Option<Parse>>> {
    let ids: Vec<Vec<u32>> = sentences
        .map(|sentence| sentence.map_or(Vec::new(), |s| checkpoint.vocabulary.sentence(&s.words)))
        .collect();
    let mut parses = vec![None; ids.len()];
    let bar = progress::bar(ids.len(), "sentences");
    let packing = Packing::of(checkpoint.config.model.family);
    let size = |n: usize| match packing {
        Packing::EqualLengths => CELLS / (n * n).max(1),
        Packing::NearbyLengths => TOKENS / n.max(1),
    };
    for (batch, places) in group(ids.iter().map(Vec::as_slice), packing, size) {
        let parsed = parser.parse(&batch, wanted).context("cannot parse")?;
        bar.inc(places.len() as u64);
        for (place, parse) in places.into_iter().zip(parsed) {
            parses[place] = Some(parse);
        }
    }
    bar.finish_and_clear();
    Ok(parses)
}
