use super::folder::{make_numbered, with_absolute_paths};
use super::speeds::settle_speeds;
use super::{BestFigures, Job, RunError, RunFolder, RunSummary, clock, json};
use crate::config::Config;
use crate::evaluation::Spread;
use crate::report::{Metrics, RunState, SCHEMA};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};

/// Runs of one config that differ in their seed, in a folder of their own: `group.json` names
/// them, and each is a run folder in it, made when it starts. Copying the folder moves them all.
#[derive(Clone, Debug, PartialEq)]
pub struct Group {
    path: PathBuf,
    /// Of all members, with the first seed.
    config: Config,
    members: Vec<Member>,
}

/// A run of a group, begun or not.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Member {
    pub seed: u64,
    /// The run folder's name in the group's folder.
    pub folder: String,
}

/// `group.json`.
#[derive(Serialize, Deserialize)]
struct Stored {
    schema: u32,
    kind: String,
    config: String,
    members: Vec<Member>,
}

const FILE: &str = "group.json";
const KIND: &str = "seeds";

impl Group {
    /// Makes `BASE/DATE-FAMILY-seeds[-N]` for so many seeds, counted up from the config's; never
    /// takes an existing folder.
    pub fn create(base: &Path, config: &Config, seeds: usize) -> Result<Group, RunError> {
        std::fs::create_dir_all(base).map_err(RunError::io(base))?;
        let stem = format!("{}-{}-seeds", clock::today(), config.model.family.name());
        let path = make_numbered(base, &stem)?;
        Group::fill(path, config, seeds)
    }

    /// Makes a group at exactly this path, which must not exist or be empty.
    pub fn create_at(path: &Path, config: &Config, seeds: usize) -> Result<Group, RunError> {
        std::fs::create_dir_all(path).map_err(RunError::io(path))?;
        Group::fill(path.to_owned(), config, seeds)
    }

    fn fill(path: PathBuf, config: &Config, seeds: usize) -> Result<Group, RunError> {
        let config = shared(config);
        let mut group = Group { path, config, members: Vec::new() };
        group.extend(seeds)?;
        Ok(group)
    }

    /// Whether the folder is a group's.
    pub fn is_one(path: &Path) -> bool {
        path.join(FILE).is_file()
    }

    /// An existing group.
    pub fn open(path: &Path) -> Result<Group, RunError> {
        Group::read(path).map_err(|error| {
            error.advised(|| {
                "The runs beside it are not touched: name one of them, or put the file back to go \
                 on with all seeds"
                    .to_owned()
            })
        })
    }

    fn read(path: &Path) -> Result<Group, RunError> {
        let file = path.join(FILE);
        let malformed = |reason: String| RunError::Malformed { path: file.clone(), reason };
        let Stored { kind, config, members, .. } = json::read(&file)?;
        if kind != KIND {
            return Err(malformed(format!("its kind is `{kind}`, expected `{KIND}`")));
        }
        let is_name = |name: &str| {
            let mut parts = Path::new(name).components();
            matches!((parts.next(), parts.next()), (Some(Component::Normal(_)), None))
        };
        if let Some(member) = members.iter().find(|m| !is_name(&m.folder)) {
            return Err(malformed(format!("`{}` names no folder in it", member.folder)));
        }
        let name = format!("{}, its config", file.display());
        let config = Config::from_toml(&name, &config, &[])?;
        Ok(Group { path: path.to_owned(), config, members })
    }

    /// Adds seeds until there are so many.
    pub fn extend(&mut self, seeds: usize) -> Result<(), RunError> {
        let name = self.name();
        while self.members.len() < seeds {
            let seed = self.config.seed.saturating_add(self.members.len() as u64);
            let folder = format!("{}-seed-{seed}", name.strip_suffix("-seeds").unwrap_or(&name));
            self.members.push(Member { seed, folder });
        }
        let stored = Stored {
            schema: SCHEMA,
            kind: KIND.into(),
            config: self.config.to_toml(),
            members: self.members.clone(),
        };
        json::write(&self.path.join(FILE), &stored)
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The folder's own name.
    pub fn name(&self) -> String {
        self.path.file_name().map_or_else(
            || self.path.display().to_string(),
            |name| name.to_string_lossy().into_owned(),
        )
    }

    /// Of all members, with the first seed.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// Whether another config, its paths made absolute, has the same settings.
    pub fn has_config(&self, config: &Config) -> bool {
        self.config == shared(config)
    }

    pub fn members(&self) -> &[Member] {
        &self.members
    }

    /// Where a member's run folder is or will be.
    pub fn folder_of(&self, member: &Member) -> PathBuf {
        self.path.join(&member.folder)
    }

    /// A member's run; `None` before it has begun.
    pub fn summary(&self, member: &Member) -> Option<RunSummary> {
        RunFolder::open(&self.folder_of(member)).ok().map(|folder| RunSummary::read(&folder))
    }

    /// Whether a member has done all that it was to do.
    pub fn is_finished(&self, member: &Member) -> bool {
        self.summary(member).and_then(|s| s.state()) == Some(RunState::Finished)
    }

    /// The best checkpoints of the members that have one.
    pub fn best(&self) -> Vec<PathBuf> {
        let folders = self.members.iter().map(|member| RunFolder::open(&self.folder_of(member)));
        folders.filter_map(|folder| Some(folder.ok()?.best())).filter(|b| b.is_file()).collect()
    }

    /// Starts a member, or goes on with it from its last checkpoint. `threads` are the cores that
    /// a new one uses, unless the config says how many; `device` stands in for the config's.
    pub fn start(
        &self,
        member: &Member,
        threads: usize,
        device: Option<&str>,
    ) -> Result<Job, RunError> {
        let path = self.folder_of(member);
        if path.join("config.toml").is_file() {
            return Job::resume_on(RunFolder::open(&path)?, device.map(str::to_owned));
        }
        if std::fs::read_dir(&path).is_ok_and(|mut entries| entries.next().is_some()) {
            return Err(RunError::Headless { path, seed: member.seed });
        }
        let mut config = Config { seed: member.seed, ..self.config.clone() };
        if config.threads == 0 {
            config.threads = threads;
        }
        if let Some(device) = device {
            config.device = device.to_owned();
        }
        settle_speeds(&mut config);
        let folder = RunFolder::create_at(&path, &config)?;
        Job::train(config, folder)
    }

    /// Mean and spread of the best development figures and of the test figures with them, over
    /// the members that have any; by split and figure.
    pub fn spread(&self) -> BTreeMap<&'static str, Spreads> {
        let members = self.members.iter();
        let best: Vec<BestFigures> =
            members.filter_map(|member| self.summary(member)?.status?.best).collect();
        let dev = spreads(best.iter().map(|b| &b.dev));
        let test = spreads(best.iter().filter_map(|b| b.test.as_ref()));
        [("dev", dev), ("test", test)].into_iter().filter(|(_, of)| !of.is_empty()).collect()
    }
}

/// The settings as all members have them: paths hold from anywhere, and a development set that
/// none names is the same for every seed.
fn shared(config: &Config) -> Config {
    let mut config = with_absolute_paths(config);
    if config.data.dev.0.is_empty() {
        config.data.split_seed = Some(config.split_seed());
    }
    config
}

/// Mean and spread by figure.
pub type Spreads = BTreeMap<&'static str, Spread>;

/// Mean and spread of the figures that runs are compared by.
pub fn spreads<'a>(metrics: impl Iterator<Item = &'a Metrics> + Clone) -> Spreads {
    let spread = |key| Some((key, Spread::of(metrics.clone().filter_map(|m| m.get(key)))?));
    ["f1", "s_f1", "c_f1", "perplexity", "log_likelihood"].into_iter().filter_map(spread).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_group_names_its_members_and_is_read_back_from_its_folder() {
        let base = tempfile::tempdir().expect("temporary folder");
        let config = Config { seed: 7, ..Config::default() };
        let made = Group::create(base.path(), &config, 2).expect("creates");
        let seeds: Vec<u64> = made.members().iter().map(|m| m.seed).collect();
        assert_eq!(seeds, [7, 8]);
        assert!(made.members()[1].folder.ends_with("-rank-pcfg-seed-8"), "{made:?}");
        assert!(Group::is_one(made.path()) && !Group::is_one(base.path()));
        assert_eq!(Group::open(made.path()).expect("opens"), made);
        assert_eq!(made.config().data.split_seed, Some(7), "one development set for all seeds");
        assert!(made.has_config(&config));
        let error = RunFolder::open(made.path()).expect_err("no run").to_string();
        assert!(error.contains("several seeds"), "{error}");
        let other = Group::create(base.path(), &config, 2).expect("creates");
        assert_ne!(other.path(), made.path(), "no folder is taken twice");
        let mut more = Group::open(made.path()).expect("opens");
        more.extend(4).expect("writes");
        assert_eq!(Group::open(made.path()).expect("opens").members().len(), 4);
        assert!(made.summary(&made.members()[0]).is_none(), "it has not begun");
        assert!(made.spread().is_empty());
    }

    #[test]
    fn a_group_file_of_others_is_refused_with_its_fault() {
        let base = tempfile::tempdir().expect("temporary folder");
        let write = |text: &str| std::fs::write(base.path().join(FILE), text).expect("writes");
        for (text, said) in [
            ("{", "EOF"),
            (r#"{"schema": 99}"#, "newer rankspace"),
            (r#"{"schema": 1, "kind": "bag", "config": "", "members": []}"#, "`bag`"),
            (
                r#"{"schema": 1, "kind": "seeds", "config": "", "members": [{"seed": 1, "folder": "../x"}]}"#,
                "names no folder in it",
            ),
            (
                r#"{"schema": 1, "kind": "seeds", "config": "[model]\nrank = 0", "members": []}"#,
                "model.rank",
            ),
        ] {
            write(text);
            let error = Group::open(base.path()).expect_err(said).to_string();
            assert!(error.contains(said), "{error}");
            let advised = error.contains("The runs beside it are not touched");
            assert_eq!(advised, !["newer rankspace", "model.rank"].contains(&said), "{error}");
        }
        assert!(Group::open(&base.path().join("nowhere")).is_err());
    }

    #[test]
    fn a_member_without_its_config_is_not_trained_over() {
        let base = tempfile::tempdir().expect("temporary folder");
        let group = Group::create(&base.path().join("g"), &Config::default(), 2).expect("creates");
        let path = group.folder_of(&group.members()[1]);
        std::fs::create_dir_all(path.join("checkpoints")).expect("writes");
        let error = group.start(&group.members()[1], 1, None).expect_err("refused").to_string();
        assert!(error.contains("no config.toml: put it back, or move the folder away"), "{error}");
    }
}
