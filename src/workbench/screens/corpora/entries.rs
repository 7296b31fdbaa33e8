//! The corpora that can be looked at: those opened, the splits of the selected run, the sample.

use crate::config::{Data, Sources};
use crate::treebank::{LengthLimits, usual_sections};
use crate::workbench::shared::Shared;
use std::path::{Path, PathBuf};

/// From so many words on a limit counts as none.
pub const ANY_LENGTH: usize = 1000;

/// Where an entry comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// Named at the start or opened since.
    Opened,
    /// A split of the selected run: only training sentences have its length limit.
    Train,
    HeldOut,
    Sample,
}

/// One corpus.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    pub name: String,
    pub origin: Origin,
    pub sources: Sources,
    pub sections: String,
    /// Settings before any edit.
    pub data: Data,
    /// Whose words make the vocabulary: the training split, or the corpus itself.
    pub vocabulary: Option<Sources>,
    /// Limit of held-out sentences; 0: none.
    held_out_max: usize,
    /// The seed by which a tenth of the training sentences is cut off as development set, where
    /// the run names none: this entry is one of the two parts.
    pub cut: Option<u64>,
}

impl Entry {
    fn alone(name: String, origin: Origin, source: String) -> Entry {
        let data = Data { max_length: ANY_LENGTH, min_length: 1, ..Data::default() };
        Entry {
            name,
            origin,
            sources: Sources(vec![source]),
            sections: String::new(),
            data,
            vocabulary: None,
            held_out_max: 0,
            cut: None,
        }
    }

    fn opened(path: &Path) -> Entry {
        let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
        Entry::alone(name, Origin::Opened, path.display().to_string())
    }

    /// The lengths that are kept under these settings.
    pub fn limits(&self, data: &Data) -> LengthLimits {
        self.limits_as(self.origin, data)
    }

    /// The lengths that are kept of the entry's sentences where they are used so.
    pub fn limits_as(&self, origin: Origin, data: &Data) -> LengthLimits {
        let max = match origin {
            Origin::HeldOut if self.held_out_max == 0 => usize::MAX,
            Origin::HeldOut => self.held_out_max,
            _ if data.max_length >= ANY_LENGTH => usize::MAX,
            _ => data.max_length,
        };
        let min = match origin {
            Origin::HeldOut => data.min_length.min(2),
            _ => data.min_length,
        };
        LengthLimits { min, max }
    }

    /// Heading of the group that it stands in.
    pub fn group(&self) -> &'static str {
        match self.origin {
            Origin::Opened => "opened",
            Origin::Train | Origin::HeldOut => "selected run",
            Origin::Sample => "bundled sample",
        }
    }
}

/// Gives files of the same name that of their folder too, as far up as they differ.
fn tell_apart(entries: &mut [Entry]) {
    let parts = |entry: &Entry, n: usize| -> String {
        let all: Vec<&str> = entry.sources.0[0].split('/').filter(|p| !p.is_empty()).collect();
        all[all.len().saturating_sub(n)..].join("/")
    };
    for n in 2..=64 {
        let names: Vec<String> = entries.iter().map(|e| e.name.clone()).collect();
        let twice = |name: &String| names.iter().filter(|other| *other == name).count() > 1;
        if !names.iter().any(twice) {
            return;
        }
        for entry in entries.iter_mut().filter(|e| twice(&e.name)) {
            entry.name = parts(entry, n);
        }
    }
}

/// All corpora, with those opened since the start behind those named at it.
pub fn entries(shared: &Shared, opened: &[PathBuf]) -> Vec<Entry> {
    let mut entries: Vec<Entry> = Vec::new();
    for path in shared.corpora.iter().chain(opened) {
        let entry = Entry::opened(path);
        if !entries.contains(&entry) {
            entries.push(entry);
        }
    }
    tell_apart(&mut entries);
    // Candidate lists are no corpora.
    let run = shared.selected_run().filter(|run| !run.is_reranker());
    if let Some(config) = run.and_then(|run| run.config.as_ref()) {
        let (data, _) = usual_sections(&config.data);
        let cut = data.dev.0.is_empty().then(|| config.split_seed());
        let dev = match cut {
            Some(_) => ("dev (of train)", Origin::HeldOut, &data.train, cut),
            None => ("dev", Origin::HeldOut, &data.dev, None),
        };
        for (name, origin, sources, cut) in [
            ("train", Origin::Train, &data.train, cut),
            dev,
            ("test", Origin::HeldOut, &data.test, None),
        ] {
            if sources.0.is_empty() {
                continue;
            }
            let of_train = origin == Origin::Train || cut.is_some();
            let sections = if of_train { data.sections.clone() } else { String::new() };
            entries.push(Entry {
                name: name.into(),
                origin,
                sources: sources.clone(),
                sections,
                data: data.clone(),
                vocabulary: Some(data.train.clone()).filter(|_| origin == Origin::HeldOut),
                held_out_max: config.evaluation.max_length,
                cut,
            });
        }
    }
    for split in ["train", "dev", "test"] {
        let entry =
            Entry::alone(format!("sample {split}"), Origin::Sample, format!("sample:{split}"));
        if !entries.iter().any(|e| e.sources == entry.sources) {
            entries.push(entry);
        }
    }
    entries
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;
    use crate::workbench::names::RunId;
    use crate::workbench::shared::RunEntry;

    #[test]
    fn files_of_the_same_name_are_told_apart_by_their_folders() {
        let corpora = ["x/a/dev.mrg", "x/b/dev.mrg", "y/b/dev.mrg", "x/b/test.mrg", "./dev.mrg"];
        let corpora = corpora.map(Into::into).to_vec();
        let found = entries(&Shared { corpora, ..Shared::default() }, &[]);
        let names: Vec<&str> = found.iter().take(5).map(|e| e.name.as_str()).collect();
        assert_eq!(names, ["a/dev.mrg", "x/b/dev.mrg", "y/b/dev.mrg", "test.mrg", "./dev.mrg"]);
    }

    #[test]
    fn opened_corpora_come_before_the_splits_of_the_run_and_the_sample() {
        let mut shared = Shared { corpora: vec!["a/b.mrg".into()], ..Shared::default() };
        let mut run = RunEntry::new(RunId(3), "runs/x".into());
        let mut config = Config::default();
        config.data.train = Sources(vec!["wsj".into()]);
        config.data.sections = "02-21".into();
        config.data.dev = Sources(vec!["sample:dev".into()]);
        config.evaluation.max_length = 50;
        run.config = Some(config.clone());
        shared.runs.push(run);
        shared.selected = Some(RunId(3));
        let found = entries(&shared, &["a/b.mrg".into(), "c.txt".into()]);
        let names: Vec<&str> = found.iter().map(|e| e.name.as_str()).collect();
        assert_eq!(names, ["b.mrg", "c.txt", "train", "dev", "sample train", "sample test"]);
        let (train, dev) = (&found[2], &found[3]);
        assert_eq!((train.sections.as_str(), dev.sections.as_str()), ("02-21", ""));
        assert_eq!(train.limits(&config.data).max, config.data.max_length);
        assert_eq!(dev.limits(&config.data), LengthLimits { min: 2, max: 50 });
        assert_eq!(found[0].limits(&found[0].data), LengthLimits::ANY);
        assert_eq!(dev.vocabulary.as_ref(), Some(&config.data.train));
        assert_eq!((train.cut, dev.cut), (None, None));

        config.data.dev = Sources::default();
        config.seed = 9;
        shared.runs[0].config = Some(config);
        let found = entries(&shared, &[]);
        let dev = found.iter().find(|e| e.name == "dev (of train)").expect("cut from train");
        assert_eq!((dev.sections.as_str(), dev.cut), ("02-21", Some(9)));
        assert_eq!(dev.limits(&dev.data), LengthLimits { min: 2, max: 50 });
    }
}
