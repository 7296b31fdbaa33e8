//! What a file or folder holds, in a few words: by its content, from no more of it than that takes.

use super::start::Named;
use crate::checkpoint::TensorFile;
use crate::config::{Config, Format};
use crate::report::{RunState, counted};
use crate::run::{Group, RunFolder, RunSummary, Sweep};
use crate::treebank::{FileOptions, Interner, Source, open};
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// Bytes looked at of a file that nothing else tells.
const BEGINNING: u64 = 4096;

/// What it is, for people; nothing of a folder like any other.
pub fn describe(path: &Path) -> String {
    match path.metadata() {
        Ok(meta) if meta.is_dir() => folder(path),
        // Reading a pipe or a device may never end.
        Ok(meta) if !meta.is_file() => "no regular file".to_owned(),
        _ => file(path),
    }
}

/// Whether a folder is something to open as a whole, and not only to look into.
pub fn is_whole(path: &Path) -> bool {
    match Named::all(path).as_deref() {
        Ok([Named::Runs(_) | Named::Corpus(_)]) | Err(_) => false,
        Ok(_) => true,
    }
}

fn folder(path: &Path) -> String {
    // Other folders have a config.toml too.
    let is_run = ["events.jsonl", "checkpoints"].iter().any(|part| path.join(part).exists());
    if let Some(run) = RunFolder::open(path).ok().filter(|_| is_run) {
        let summary = RunSummary::read(&run);
        let what = summary.config.as_ref().map_or("run", Config::what);
        let state = match summary.state() {
            _ if summary.was_interrupted() => Some("died"),
            state => state.map(RunState::word),
        };
        return match state {
            Some(state) => format!("run: {what}, {state}"),
            None => format!("run: {what}"),
        };
    }
    if Group::is_one(path) {
        let members = Group::open(path).map_or(0, |group| group.members().len());
        return format!("group of {}", counted(members, "run"));
    }
    if Sweep::is_one(path) {
        return "sweep".to_owned();
    }
    match Named::all(path).as_deref() {
        Ok([named @ (Named::Runs(_) | Named::Lists(_))]) => named.what().to_owned(),
        _ => String::new(),
    }
}

fn file(path: &Path) -> String {
    if let Some((kind, family)) = TensorFile::kind_and_family(path) {
        return match family {
            Some(family) => format!("checkpoint: {family}"),
            None => kind,
        };
    }
    let named = Named::all(path);
    match named.as_deref() {
        Ok([Named::Corpus(_)]) => corpus(path),
        Ok([named, ..]) => named.what().to_owned(),
        Ok([]) => String::new(),
        Err(_) if path.extension().is_some_and(|e| e == "toml") => corpus(path),
        Err(reason) => reason.clone(),
    }
}

fn corpus(path: &Path) -> String {
    let has = |wanted: &str| path.extension().is_some_and(|extension| extension == wanted);
    let mut beginning = Vec::new();
    match File::open(path).and_then(|file| file.take(BEGINNING).read_to_end(&mut beginning)) {
        Err(error) => return error.to_string(),
        Ok(0) => return "empty".to_owned(),
        Ok(_) => {}
    }
    if has("toml") {
        return match Config::read(path, &[]) {
            Ok(config) => format!("config: {}", config.what()),
            Err(_) => "TOML".to_owned(),
        };
    }
    let source = Source::File(path.to_owned());
    match open(&source, FileOptions::default(), Interner::default()) {
        Err(_) => "no text".to_owned(),
        Ok(entries) => match entries.format() {
            Format::Text if beginning.contains(&0) => "no text".to_owned(),
            format => format.describe().to_owned(),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_and_folders_are_told_by_what_they_hold() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let write = |name: &str, bytes: &[u8]| {
            let path = folder.path().join(name);
            std::fs::write(&path, bytes).expect("writes");
            describe(&path)
        };
        assert_eq!(write("own.mrg", b"(S (NN a) (VB b))\n"), "bracketed trees");
        assert_eq!(write("own.txt", b"the dog barks\n"), "plain text");
        assert_eq!(write("own.toml", b"seed = 3\n"), "config: rank-pcfg");
        assert_eq!(write("Cargo.toml", b"[package]\nname = \"x\"\n"), "TOML");
        assert_eq!(write("empty", b""), "empty");
        assert_eq!(write("image.png", b"\x89PNG\0\0\xff\xfe"), "no text");
        let lists = b"{\"schema\":1,\"candidates\":[{\"tree\":\"(S (A a))\",\"log_prob\":-1}]}";
        assert_eq!(write("dev.jsonl", lists), "candidate lists");
        let gone = describe(&folder.path().join("nothing"));
        assert!(gone.contains("nothing"), "{gone}");
        std::fs::create_dir(folder.path().join("plain")).expect("makes");
        assert_eq!(describe(&folder.path().join("plain")), "");
    }

    #[test]
    fn the_sample_is_described_and_runs_are_whole() {
        let sample = Path::new(env!("CARGO_MANIFEST_DIR")).join("sample_data");
        let runs = sample.join("runs");
        assert_eq!(describe(&runs), "folder of runs");
        let run = runs.join("sample-rank-pcfg");
        assert_eq!(describe(&run), "run: rank-pcfg, finished");
        assert_eq!((is_whole(&run), is_whole(&runs), is_whole(&sample)), (true, false, false));
        let reranking = sample.join("reranking");
        assert_eq!(describe(&reranking), "", "its config.toml makes no run of it");
        assert_eq!(describe(&reranking.join("test.jsonl.gz")), "candidate lists");
        assert_eq!(describe(&reranking.join("reranker.safetensors")), "reranker");
        let best = run.join("checkpoints/best.safetensors");
        if best.is_file() {
            assert_eq!(describe(&best), "checkpoint: rank-pcfg");
        }
    }
}
