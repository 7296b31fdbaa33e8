use super::args::Make;
use crate::checkpoint::write_atomically;
use crate::cli::ensemble::{need_trees, settings, trees};
use crate::cli::failure::Usage;
use crate::cli::plain::tell;
use crate::cli::progress;
use crate::cli::sentences::checkpoint_file;
use crate::cli::train::holds_anything;
use crate::config::{Config, Kind};
use crate::ensemble::{Annotated, Data};
use crate::parser::ssn::SsnFile;
use crate::parser::{self, ParserFile, Prepared, TreeParser};
use crate::report::counted;
use crate::rerank::{Judged, ListStatistics, Sentences, candidates_of};
use crate::run;
use crate::treebank::candidates::{
    CandidateFile, CandidateList, ListFormat, ReadOptions, write_list,
};
use anyhow::{Context, Result, bail};
use serde_json::json;
use std::io::Write;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

pub fn run(args: &Make, out: &mut dyn Write) -> Result<()> {
    let config = config(args)?;
    let settings = told(args, &config);
    let is_begun = is_begun(args, &settings)?;
    let data = trees(&config)?;
    let train = &data.train.sentences;
    let parts = parts(train.len(), config.rerank.folds)?;
    let (most, gold_tags) = (config.rerank.candidates, config.rerank.gold_tags);
    let short = |some: &[Annotated]| -> Vec<Annotated> {
        let most = args.max_length.unwrap_or(usize::MAX);
        some.iter().filter(|sentence| sentence.tree.words().len() <= most).cloned().collect()
    };
    let held_out: Vec<_> =
        data.held_out.iter().map(|part| (part.name, short(&part.sentences))).collect();
    let short_train = short(train).len();
    let all = short_train + held_out.iter().map(|(_, some)| some.len()).sum::<usize>();
    if let Some(most) = args.max_length {
        let read = data.held_out.iter().map(|part| (part.name, part.sentences.len()));
        let read = [("train", train.len())].into_iter().chain(read);
        let short = held_out.iter().map(|(_, some)| some.len());
        let short = [short_train].into_iter().chain(short);
        for ((name, read), short) in read.zip(short) {
            if short == 0 && name == "train" {
                bail!("--max-length {most}: no sentence of {name} has {most} words or fewer");
            }
            if short < read {
                let left = read - short;
                let of = format!("{left} of {read} sentences");
                tell(&format!("note: {name}: {of} left out, of more than {most} words"));
            }
        }
    }
    let source = Source::of(args, &config, &data)?;
    run::stop_on_signals()?;
    // A folder is made only for lists that can be made.
    if !is_begun {
        begin(args, &settings)?;
    }
    let bar = progress::bar(all, "sentences");
    let mut go_on = |done: usize| {
        bar.inc(done as u64);
        !run::stop_requested()
    };
    let mut rows = Vec::new();
    let mut keep = |name: &str, lists: Vec<CandidateList>| {
        let statistics = ListStatistics::of(&Judged::all(lists, most));
        rows.push((name.to_owned(), statistics));
    };
    let mut lists = Vec::with_capacity(train.len());
    for (fold, part) in parts.into_iter().enumerate() {
        let path = args.out.join("folds").join(format!("fold-{fold:03}.jsonl"));
        let some = short(&train[part.clone()]);
        lists.extend(kept_or(&path, some.len(), &mut go_on, |go_on| {
            let parser = source.without(fold, &part, train.len())?;
            let sentences = Sentences { name: "train", all: &some, most, gold_tags };
            let mut made = candidates_of(&*parser, sentences, 0..some.len(), go_on)?;
            made.iter_mut().for_each(|list| list.fold = Some(fold as u32));
            Ok(made)
        })?);
    }
    write(&args.out.join("train.jsonl"), &lists)?;
    keep("train", lists);
    let parser = source.whole(train.len())?;
    for (name, some) in &held_out {
        let path = args.out.join(format!("{name}.jsonl"));
        let n = some.len();
        let lists = kept_or(&path, n, &mut go_on, |go_on| {
            let sentences = Sentences { name, all: some, most, gold_tags };
            Ok(candidates_of(&*parser, sentences, 0..n, go_on)?)
        })?;
        keep(name, lists);
    }
    bar.finish_and_clear();
    report(args, &rows, out)
}

/// Where parsers come from.
enum Source {
    /// Made of the training trees.
    Made(Box<dyn Prepared>),
    /// Trained before: for all, and for every fold.
    Trained(Arc<dyn TreeParser>, Vec<Arc<dyn TreeParser>>),
}

impl Source {
    fn of(args: &Make, config: &Config, data: &Data) -> Result<Source> {
        let Some(path) = &args.parser else {
            let trees = data.train.trees();
            return Ok(Source::Made(parser::build(&config.parser)?.prepare(&trees)?));
        };
        if args.fold_parser.is_empty() {
            tell(
                "warning: the parser may know the training sentences, whose candidates then are \
                  better than those of new ones: --fold-parser names parsers that do not",
            );
        }
        let folds = args.fold_parser.iter().map(|path| load(path)).collect::<Result<_>>()?;
        Ok(Source::Trained(load(path)?, folds))
    }

    /// A parser that has not seen a part of the training set.
    fn without(
        &self,
        fold: usize,
        part: &Range<usize>,
        sentences: usize,
    ) -> Result<Arc<dyn TreeParser>> {
        match self {
            Source::Made(prepared) => {
                let weight = |i: usize| if part.contains(&i) { 0.0 } else { 1.0 };
                Ok(prepared.induce(&(0..sentences).map(weight).collect::<Vec<_>>())?)
            }
            Source::Trained(whole, folds) => Ok(folds.get(fold).unwrap_or(whole).clone()),
        }
    }

    fn whole(&self, sentences: usize) -> Result<Arc<dyn TreeParser>> {
        match self {
            Source::Made(prepared) => Ok(prepared.induce(&vec![1.0; sentences])?),
            Source::Trained(whole, _) => Ok(whole.clone()),
        }
    }
}

/// A trained parser of any kind.
fn load(path: &Path) -> Result<Arc<dyn TreeParser>> {
    let path = checkpoint_file(path)?;
    match SsnFile::load(&path) {
        Ok(file) => Ok(Arc::new(file.ssn)),
        Err(_) => Ok(ParserFile::load(&path)?.parser),
    }
}

/// The lists of an earlier call, or those that are made now.
fn kept_or(
    path: &Path,
    sentences: usize,
    go_on: &mut dyn FnMut(usize) -> bool,
    make: impl FnOnce(&mut dyn FnMut(usize) -> bool) -> Result<Vec<CandidateList>>,
) -> Result<Vec<CandidateList>> {
    if let Some(known) = kept(path, sentences)? {
        go_on(sentences);
        return Ok(known);
    }
    let made = make(go_on)?;
    write(path, &made)?;
    Ok(made)
}

fn config(args: &Make) -> Result<Config> {
    if args.fold_parser.len() == 1 {
        let text = "--fold-parser: name two or more, each for a part of the training set";
        return Err(Usage(text.to_owned()).into());
    }
    let mut changes = Vec::new();
    changes.extend(args.k.map(|k| format!("rerank.candidates={k}")));
    let parsers = Some(args.fold_parser.len()).filter(|n| *n > 0);
    changes.extend(args.folds.or(parsers).map(|n| format!("rerank.folds={n}")));
    changes.extend(args.gold_tags.then(|| "rerank.gold_tags=true".to_owned()));
    if !args.dev.is_empty() {
        changes.push(format!("data.dev={:?}", args.dev));
    }
    let config = settings(args.config.as_deref(), Kind::Bag, &args.supervision, changes)?;
    need_trees(&config, args.config.as_deref())?;
    Ok(config)
}

/// What candidates are made of and by, as the folder remembers it.
fn told(args: &Make, config: &Config) -> String {
    let mut text = config.to_toml();
    for parser in args.parser.iter().chain(&args.fold_parser) {
        text += &format!("# parser {}\n", parser.display());
    }
    if let Some(most) = args.max_length {
        text += &format!("# sentences of {most} words or fewer\n");
    }
    text
}

/// Whether the folder is that of an earlier call with the same settings; one that holds anything
/// else is refused.
fn is_begun(args: &Make, settings: &str) -> Result<bool> {
    let shown = args.out.display();
    match std::fs::read_to_string(args.out.join("config.toml")) {
        Ok(known) if are_same(&known, settings) => {
            tell(&format!("note: going on in {shown}"));
            return Ok(true);
        }
        Ok(_) => bail!("{shown} has candidates of other settings: name another folder"),
        Err(_) => {}
    }
    if holds_anything(&args.out) && !is_just_made(&args.out) {
        bail!("{shown} is not empty, and no folder of candidates");
    }
    Ok(false)
}

/// Whether two texts are of the same settings, though one of an earlier version may lack some that
/// hold by default.
fn are_same(known: &str, settings: &str) -> bool {
    let config = |text: &str| Config::from_toml("settings", text, &[]).ok();
    let notes = |text: &str| -> Vec<String> {
        text.lines().filter(|line| line.starts_with("# ")).map(str::to_owned).collect()
    };
    let (known_config, known_notes) = (config(known), notes(known));
    known == settings
        || known_config.is_some()
            && known_config == config(settings)
            && known_notes == notes(settings)
}

/// Whether a folder holds only what is there before the settings are: a call was killed then.
fn is_just_made(folder: &Path) -> bool {
    let Ok(entries) = std::fs::read_dir(folder) else { return false };
    entries.flatten().all(|entry| {
        let (name, path) = (entry.file_name(), entry.path());
        let is_temporary = name.to_string_lossy().starts_with('.') && path.is_file();
        is_temporary || (name == "folds" && path.is_dir() && !holds_anything(&path))
    })
}

fn begin(args: &Make, settings: &str) -> Result<()> {
    let (folder, path) = (&args.out, args.out.join("config.toml"));
    std::fs::create_dir_all(folder.join("folds")).with_context(|| folder.display().to_string())?;
    write_atomically(&path, settings.as_bytes()).with_context(|| path.display().to_string())
}

/// Neighbouring sentences by part.
fn parts(sentences: usize, folds: usize) -> Result<Vec<Range<usize>>> {
    if sentences < folds {
        bail!("{}: too few for {folds} folds", counted(sentences, "training sentence"));
    }
    let at = |fold: usize| fold * sentences / folds;
    Ok((0..folds).map(|fold| at(fold)..at(fold + 1)).collect())
}

/// The lists of an earlier call.
fn kept(path: &Path, sentences: usize) -> Result<Option<Vec<CandidateList>>> {
    if !path.exists() {
        return Ok(None);
    }
    // An empty file has no format.
    if sentences == 0 && std::fs::metadata(path).is_ok_and(|file| file.len() == 0) {
        return Ok(Some(Vec::new()));
    }
    let file = CandidateFile::read(path, ReadOptions::default())?;
    if file.lists.len() != sentences || !file.dropped.is_empty() {
        bail!(
            "{}: not the lists that this command wrote there ({} of {}, {} dropped): the treebank \
             is another by now, or the file is damaged; without it its lists are made again",
            path.display(),
            file.lists.len(),
            counted(sentences, "sentence"),
            file.dropped.len()
        );
    }
    Ok(Some(file.lists))
}

fn write(path: &Path, lists: &[CandidateList]) -> Result<()> {
    let mut text = Vec::new();
    for list in lists {
        write_list(list, ListFormat::Jsonl, &mut text)?;
    }
    write_atomically(path, &text).with_context(|| path.display().to_string())
}

fn report(args: &Make, rows: &[(String, ListStatistics)], out: &mut dyn Write) -> Result<()> {
    if args.json {
        let row = |(name, found): &(String, ListStatistics)| {
            let path = args.out.join(format!("{name}.jsonl"));
            (name.clone(), super::stats::statistics_object(&path, found))
        };
        let object: serde_json::Map<_, _> = rows.iter().map(row).collect();
        serde_json::to_writer(&mut *out, &json!(object))?;
        writeln!(out)?;
        return Ok(());
    }
    let titles = ["sentences", "empty", "mean", "first F1", "oracle F1", "anti-oracle F1"];
    writeln!(
        out,
        "{:8} {:>9} {:>7} {:>7} {:>9} {:>9} {:>14}",
        "", titles[0], titles[1], titles[2], titles[3], titles[4], titles[5]
    )?;
    for (name, found) in rows {
        let mean = found.candidates as f64 / found.sentences.max(1) as f64;
        writeln!(
            out,
            "{name:8} {:>9} {:>7} {mean:>7.2} {:>9.2} {:>9.2} {:>14.2}",
            found.sentences,
            found.empty,
            found.base.f1(),
            found.oracle.f1(),
            found.anti_oracle.f1()
        )?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_that_an_earlier_version_did_not_write_are_those_that_hold_by_default() {
        let config = Config::from_toml("test", "kind = \"bag\"\nseed = 3\n", &[]).expect("valid");
        let text = config.to_toml() + "# parser a\n";
        let without: String =
            text.lines().filter(|l| !l.starts_with("dev_gold")).map(|l| format!("{l}\n")).collect();
        assert!(without.len() < text.len());
        assert!(are_same(&text, &text) && are_same(&without, &text));
        for other in [text.replace("seed = 3", "seed = 4"), text.replace("parser a", "parser b")] {
            assert!(!are_same(&other, &text), "{other}");
        }
        assert!(!are_same("no settings", &text));
    }
}
