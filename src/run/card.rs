use super::{Group, RunError, RunFolder, RunSummary, Spreads, json, spreads};
use crate::config::{Config, Kind};
use crate::report::numbers;
use crate::report::{Metrics, RunState, SCHEMA, plural};
use crate::treebank::{Source, expand, sample};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// All that is needed to get a figure of a table again: what was trained on what, with which seeds,
/// by which command, and what it came to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Card {
    pub schema: u32,
    /// Of rankspace.
    pub version: String,
    /// What the runs are called together.
    pub name: String,
    pub kind: Kind,
    pub seeds: Vec<u64>,
    /// Those of them that are not done.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unfinished: Vec<u64>,
    /// All settings, with the first seed.
    pub config: String,
    pub data: Vec<DataFile>,
    /// Mean and spread over the seeds, by split and figure.
    pub figures: BTreeMap<String, BTreeMap<String, Figure>>,
}

/// A file that was read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DataFile {
    /// `train`, `dev` or `test`.
    pub split: String,
    /// Path, or `sample:NAME`.
    pub file: String,
    pub bytes: u64,
    /// SHA-256 of its content, in hexadecimal.
    pub sha256: String,
}

/// A figure over the seeds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Figure {
    #[serde(with = "numbers")]
    pub mean: f64,
    #[serde(default, skip_serializing_if = "Option::is_none", with = "numbers::optional")]
    pub sd: Option<f64>,
    pub seeds: usize,
}

impl Card {
    /// Of a run folder, or of a folder of several seeds.
    pub fn of(path: &Path) -> Result<Card, RunError> {
        if Group::is_one(path) {
            let group = Group::open(path)?;
            let members = group.members().iter();
            let members = members.map(|m| (m.seed, group.summary(m))).collect();
            return Card::new(group.name(), group.config(), members);
        }
        let folder = RunFolder::open(path)?;
        let config = folder.config()?;
        let summary = RunSummary::read(&folder);
        let mut card = Card::new(folder.name(), &config, vec![(config.seed, Some(summary))])?;
        if config.kind.is_ensemble()
            && let Some(last) = folder.kept_rounds()?.last()
        {
            card.figures = of_rounds(&last.metrics);
        }
        Ok(card)
    }

    fn new(
        name: String,
        config: &Config,
        members: Vec<(u64, Option<RunSummary>)>,
    ) -> Result<Card, RunError> {
        let is_done = |s: &Option<RunSummary>| {
            s.as_ref().and_then(RunSummary::state) == Some(RunState::Finished)
        };
        let unfinished = members.iter().filter(|(_, s)| !is_done(s)).map(|(seed, _)| *seed);
        let best = || {
            let statuses = members.iter().filter_map(|(_, s)| s.as_ref()?.status.as_ref());
            statuses.filter_map(|status| status.best.as_ref())
        };
        let dev: Vec<&Metrics> = best().map(|b| &b.dev).collect();
        let test: Vec<&Metrics> = best().filter_map(|b| b.test.as_ref()).collect();
        let of = |metrics: Vec<&Metrics>| known(&spreads(metrics.into_iter()));
        let figures = [("dev", of(dev)), ("test", of(test))];
        Ok(Card {
            schema: SCHEMA,
            version: env!("CARGO_PKG_VERSION").into(),
            name,
            kind: config.kind,
            unfinished: unfinished.collect(),
            seeds: members.iter().map(|(seed, _)| *seed).collect(),
            config: config.to_toml(),
            data: data(config)?,
            figures: figures
                .into_iter()
                .filter(|(_, of)| !of.is_empty())
                .map(|(split, of)| (split.to_owned(), of))
                .collect(),
        })
    }

    /// A card that was written as JSON.
    pub fn read(path: &Path) -> Result<Card, RunError> {
        json::read(path).map_err(|error| match error {
            RunError::Malformed { path, reason } => {
                RunError::Malformed { path, reason: format!("no experiment card: {reason}") }
            }
            other => other,
        })
    }

    /// The settings.
    pub fn config(&self) -> Result<Config, RunError> {
        Ok(Config::from_toml("the card's config", &self.config, &[])?)
    }

    /// The command that does it again, with the config in a file.
    pub fn command(&self, config: &str) -> String {
        match (self.kind, self.seeds.len()) {
            (Kind::Train | Kind::Ssn | Kind::Rerank, 0 | 1) => format!("rankspace train {config}"),
            (Kind::Train | Kind::Ssn | Kind::Rerank, n) => {
                format!("rankspace train {config} --seeds {n}")
            }
            (kind, _) => format!("rankspace {} {config}", kind.name()),
        }
    }

    /// For people, in Markdown; the settings are said to lie in the file `config`.
    pub fn text(&self, config: &str) -> String {
        // Writing to a string cannot fail.
        let mut text = format!("# {}\n\n", self.name);
        let seeds: Vec<String> = self.seeds.iter().map(u64::to_string).collect();
        let _ = writeln!(text, "- rankspace {}, {}", self.version, self.kind.name());
        let _ = writeln!(text, "- seeds: {}", seeds.join(", "));
        if !self.unfinished.is_empty() {
            let seeds: Vec<String> = self.unfinished.iter().map(u64::to_string).collect();
            let noun = plural(&seeds.len(), "seed");
            let _ = writeln!(text, "- not finished: {noun} {}", seeds.join(", "));
        }
        let _ = writeln!(text, "- command: `{}`\n", self.command(config));
        text.push_str("| split | figure | mean | deviation | seeds |\n|---|---|---|---|---|\n");
        for (split, figures) in &self.figures {
            for (name, figure) in figures {
                let sd = figure.sd.map_or("-".to_owned(), |sd| format!("{sd:.4}"));
                let _ = writeln!(
                    text,
                    "| {split} | {name} | {:.4} | {sd} | {} |",
                    figure.mean, figure.seeds
                );
            }
        }
        text.push_str("\n| split | file | bytes | SHA-256 |\n|---|---|---|---|\n");
        for file in &self.data {
            let _ = writeln!(
                text,
                "| {} | {} | {} | {} |",
                file.split, file.file, file.bytes, file.sha256
            );
        }
        let _ = write!(text, "\n```toml\n{}```\n", self.config);
        text
    }

    /// What of the data is not what the card says, in words.
    pub fn changed_data(&self) -> Vec<String> {
        let is = |file: &DataFile| -> Result<DataFile, String> {
            let source = match file.file.strip_prefix("sample:") {
                Some(name) => Source::Sample(name.to_owned()),
                None => Source::File(file.file.clone().into()),
            };
            hash(&file.split, &source).map_err(|e| e.to_string())
        };
        let changed = self.data.iter().filter_map(|file| match is(file) {
            Ok(now) if now == *file => None,
            Ok(now) => Some(format!(
                "{}: {} bytes with other content, the card has {} bytes",
                file.file, now.bytes, file.bytes
            )),
            Err(error) => Some(error),
        });
        changed.collect()
    }

    /// Figures of this card that another has otherwise: split, figure and both values.
    pub fn differences<'a>(&'a self, other: &'a Card) -> Vec<(&'a str, &'a str, f64, Option<f64>)> {
        let mut differing = Vec::new();
        for (split, figures) in &self.figures {
            for (name, figure) in figures {
                let now = other.figures.get(split).and_then(|f| f.get(name)).map(|f| f.mean);
                if now != Some(figure.mean) {
                    differing.push((split.as_str(), name.as_str(), figure.mean, now));
                }
            }
        }
        differing
    }
}

fn known(spreads: &Spreads) -> BTreeMap<String, Figure> {
    let figure = |(key, s): (&&'static str, &crate::evaluation::Spread)| {
        ((*key).to_owned(), Figure { mean: s.mean, sd: s.sd, seeds: s.count })
    };
    spreads.iter().map(figure).collect()
}

/// Figures of the vote of all members: `test_f1` is `f1` of `test`.
fn of_rounds(metrics: &Metrics) -> BTreeMap<String, BTreeMap<String, Figure>> {
    let mut figures: BTreeMap<String, BTreeMap<String, Figure>> = BTreeMap::new();
    for split in ["train", "dev", "test"] {
        for name in ["precision", "recall", "f1", "exact"] {
            if let Some(mean) = metrics.get(&format!("{split}_{name}")) {
                let figure = Figure { mean, sd: None, seeds: 1 };
                figures.entry(split.into()).or_default().insert(name.into(), figure);
            }
        }
    }
    figures
}

/// The files that a config names.
fn data(config: &Config) -> Result<Vec<DataFile>, RunError> {
    let data = &config.data;
    let splits = [
        ("train", &data.train, data.sections.as_str()),
        ("dev", &data.dev, ""),
        ("test", &data.test, ""),
    ];
    let mut files = Vec::new();
    for (split, sources, sections) in splits {
        for source in expand(&sources.0, sections)? {
            files.push(hash(split, &source)?);
        }
    }
    Ok(files)
}

fn hash(split: &str, source: &Source) -> Result<DataFile, RunError> {
    let (mut hasher, mut bytes) = (Sha256::new(), 0);
    let file = match source {
        Source::Sample(name) => {
            let (_, text) = sample::read(name)?;
            hasher.update(text.as_bytes());
            bytes = text.len() as u64;
            format!("sample:{name}")
        }
        Source::File(path) => {
            let mut file = File::open(path).map_err(RunError::io(path))?;
            let mut buffer = vec![0; 1 << 16];
            loop {
                match file.read(&mut buffer).map_err(RunError::io(path))? {
                    0 => break,
                    n => {
                        hasher.update(&buffer[..n]);
                        bytes += n as u64;
                    }
                }
            }
            path.display().to_string()
        }
    };
    let sha256 = hasher.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
    Ok(DataFile { split: split.into(), file, bytes, sha256 })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Sources;

    #[test]
    fn a_card_knows_its_data_by_content() {
        let base = tempfile::tempdir().expect("temporary folder");
        let file = base.path().join("train.mrg");
        std::fs::write(&file, "abc").expect("writes");
        let mut config = Config::default();
        config.data.train = Sources(vec![file.display().to_string()]);
        config.data.dev = Sources(vec!["sample:dev".into()]);
        let folder = RunFolder::create(&base.path().join("runs"), &config).expect("creates");
        let card = Card::of(folder.path()).expect("a card");
        // The test vector of FIPS 180-2.
        let expected = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!((card.data[0].sha256.as_str(), card.data[0].bytes), (expected, 3));
        assert_eq!(card.data[1].file, "sample:dev");
        assert_eq!((card.unfinished.as_slice(), card.seeds.as_slice()), (&[0][..], &[0][..]));
        assert!(card.changed_data().is_empty());
        let written = base.path().join("card.json");
        std::fs::write(&written, serde_json::to_vec(&card).expect("JSON")).expect("writes");
        assert_eq!(Card::read(&written).expect("reads"), card);
        std::fs::write(&file, "abd").expect("writes");
        assert_eq!(card.changed_data().len(), 1);
        std::fs::remove_file(&file).expect("removes");
        assert_eq!(card.changed_data().len(), 1);
    }

    #[test]
    fn the_command_is_that_of_the_kind() {
        let base = tempfile::tempdir().expect("temporary folder");
        let group = Group::create(base.path(), &Config::default(), 3).expect("creates");
        let mut card = Card::of(group.path()).expect("a card");
        assert_eq!(card.command("c.toml"), "rankspace train c.toml --seeds 3");
        card.kind = Kind::Ssn;
        assert_eq!(card.command("c.toml"), "rankspace train c.toml --seeds 3");
        card.kind = Kind::Boost;
        assert_eq!(card.command("c.toml"), "rankspace boost c.toml");
    }

    #[test]
    fn what_is_no_card_is_refused_with_its_fault() {
        let base = tempfile::tempdir().expect("temporary folder");
        let path = base.path().join("card.json");
        for (text, said) in [("{", "EOF"), (r#"{"schema": 99}"#, "newer"), ("{}", "no experiment")]
        {
            std::fs::write(&path, text).expect("writes");
            let error = Card::read(&path).expect_err(said).to_string();
            assert!(error.contains(said), "{error}");
        }
    }
}
