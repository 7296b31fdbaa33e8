mod table;

use super::folder::{make_numbered, with_absolute_paths};
use super::{Group, RunError, Spreads, clock, json};
use crate::config::Config;
use crate::evaluation::Spread;
use crate::report::{RunState, SCHEMA};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
pub use table::Column;

/// Runs of one config in which some settings are varied, each with every value of the others:
/// `sweep.json` says which, and every point of the grid is a [`Group`] of seeds in the sweep's
/// folder. Copying the folder moves them all.
#[derive(Clone, Debug, PartialEq)]
pub struct Sweep {
    path: PathBuf,
    /// What all points have in common.
    config: Config,
    varied: Vec<Varied>,
    seeds: usize,
}

/// A setting with the values that it takes, as they are written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Varied {
    pub key: String,
    pub values: Vec<String>,
}

impl Varied {
    /// The last part of the key: `states` of `model.states`.
    pub fn short(&self) -> &str {
        self.key.rsplit('.').next().unwrap_or_default()
    }
}

/// What a point has come to.
#[derive(Clone, Debug)]
pub struct SweepRow {
    /// One for each varied setting, in their order.
    pub values: Vec<String>,
    /// The folder of its runs, made or not.
    pub group: PathBuf,
    /// Those that have begun.
    pub runs: Vec<SweepRun>,
    /// How many there are to be.
    pub seeds: usize,
    /// Best development figures and the test figures with them, by split.
    pub spread: BTreeMap<&'static str, Spreads>,
    /// Running time of the finished ones.
    pub seconds: Option<Spread>,
}

/// A run of a point that has begun.
#[derive(Clone, Debug, PartialEq)]
pub struct SweepRun {
    pub seed: u64,
    pub path: PathBuf,
    /// With death taken into account: a run whose process is gone is stopped.
    pub state: RunState,
    /// How far it is, from 0 to 1.
    pub progress: f64,
}

impl SweepRow {
    /// Runs that have done all that they were to do.
    pub fn finished(&self) -> usize {
        self.in_state(RunState::Finished).count()
    }

    pub fn in_state(&self, state: RunState) -> impl Iterator<Item = &SweepRun> {
        self.runs.iter().filter(move |run| run.state == state)
    }

    pub fn figure(&self, split: &str, figure: &str) -> Option<Spread> {
        self.spread.get(split)?.get(figure).copied()
    }
}

/// A figure against a setting.
#[derive(Clone, Debug, PartialEq)]
pub struct Curve {
    /// The values of the other settings; empty where there are none.
    pub name: String,
    /// By value of the setting.
    pub points: Vec<(f64, Spread)>,
}

/// One choice of values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Point {
    /// One for each varied setting, in their order.
    pub values: Vec<String>,
    /// The name of its group's folder.
    pub folder: String,
}

/// `sweep.json`.
#[derive(Serialize, Deserialize)]
struct Stored {
    schema: u32,
    kind: String,
    config: String,
    varied: Vec<Varied>,
    seeds: usize,
}

/// Values that differ by this factor are drawn on a logarithmic axis.
const RATIO: f64 = 4.0;

const FILE: &str = "sweep.json";
const KIND: &str = "sweep";

impl Sweep {
    /// Makes `BASE/DATE-FAMILY-sweep[-N]`; never takes an existing folder.
    pub fn create(
        base: &Path,
        config: &Config,
        varied: Vec<Varied>,
        seeds: usize,
    ) -> Result<Sweep, RunError> {
        std::fs::create_dir_all(base).map_err(RunError::io(base))?;
        let stem = format!("{}-{}-sweep", clock::today(), config.model.family.name());
        let path = make_numbered(base, &stem)?;
        Sweep::at(path, config, varied, seeds)
    }

    /// Makes a sweep at exactly this path, which must not exist or be empty.
    pub fn create_at(
        path: &Path,
        config: &Config,
        varied: Vec<Varied>,
        seeds: usize,
    ) -> Result<Sweep, RunError> {
        std::fs::create_dir_all(path).map_err(RunError::io(path))?;
        Sweep::at(path.to_owned(), config, varied, seeds)
    }

    fn at(
        path: PathBuf,
        config: &Config,
        varied: Vec<Varied>,
        seeds: usize,
    ) -> Result<Sweep, RunError> {
        let sweep = Sweep { path, config: with_absolute_paths(config), varied, seeds };
        // Every point is a config before anything of it is kept.
        for point in sweep.points() {
            sweep.config_of(&point)?;
        }
        sweep.store()?;
        Ok(sweep)
    }

    /// Whether the folder is a sweep's.
    pub fn is_one(path: &Path) -> bool {
        path.join(FILE).is_file()
    }

    /// An existing sweep.
    pub fn open(path: &Path) -> Result<Sweep, RunError> {
        Sweep::read(path).map_err(|error| {
            error.advised(|| {
                "The runs beside it are not touched: name one of them, or put the file back to go \
                 on with the sweep"
                    .to_owned()
            })
        })
    }

    fn read(path: &Path) -> Result<Sweep, RunError> {
        let file = path.join(FILE);
        let malformed = |reason: String| RunError::Malformed { path: file.clone(), reason };
        let Stored { kind, config, varied, seeds, .. } = json::read(&file)?;
        if kind != KIND {
            return Err(malformed(format!("its kind is `{kind}`, expected `{KIND}`")));
        }
        if !(1..=1000).contains(&seeds) {
            return Err(malformed(format!(
                "seeds = {seeds}: expected a whole number from 1 to 1000"
            )));
        }
        if varied.is_empty() || varied.iter().any(|varied| varied.values.is_empty()) {
            return Err(malformed("it varies nothing".into()));
        }
        let name = format!("{}, its config", file.display());
        let config = Config::from_toml(&name, &config, &[])?;
        let sweep = Sweep { path: path.to_owned(), config, varied, seeds };
        for point in sweep.points() {
            sweep.config_of(&point)?;
        }
        Ok(sweep)
    }

    fn store(&self) -> Result<(), RunError> {
        let stored = Stored {
            schema: SCHEMA,
            kind: KIND.into(),
            config: self.config.to_toml(),
            varied: self.varied.clone(),
            seeds: self.seeds,
        };
        json::write(&self.path.join(FILE), &stored)
    }

    /// Lets every point have so many seeds, if it has fewer.
    pub fn extend(&mut self, seeds: usize) -> Result<(), RunError> {
        self.seeds = self.seeds.max(seeds);
        self.store()
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What all points have in common.
    pub fn config(&self) -> &Config {
        &self.config
    }

    pub fn varied(&self) -> &[Varied] {
        &self.varied
    }

    /// Whether another config, its paths made absolute, with these variations is this sweep.
    pub fn is_of(&self, config: &Config, varied: &[Varied]) -> bool {
        self.config == with_absolute_paths(config) && self.varied == varied
    }

    /// All choices of values, those of the last setting changing first.
    pub fn points(&self) -> Vec<Point> {
        let mut choices: Vec<Vec<String>> = vec![Vec::new()];
        for varied in &self.varied {
            choices = choices
                .into_iter()
                .flat_map(|choice| {
                    varied
                        .values
                        .iter()
                        .map(move |value| choice.iter().cloned().chain([value.clone()]).collect())
                })
                .collect();
        }
        let number =
            |i: usize| format!("{:0width$}", i + 1, width = choices.len().to_string().len());
        let names: Vec<String> = choices.iter().map(|values| self.name(values)).collect();
        // Values that differ in signs which a name leaves out get numbers.
        let name = |i: usize| match names.iter().filter(|name| **name == names[i]).count() {
            1 => names[i].clone(),
            _ => format!("{}-{}", number(i), names[i]),
        };
        let folders: Vec<String> = (0..choices.len()).map(name).collect();
        choices
            .iter()
            .zip(folders)
            .map(|(values, folder)| Point { values: values.clone(), folder })
            .collect()
    }

    /// `states-1024_rank-256`.
    fn name(&self, values: &[String]) -> String {
        let part = |(varied, value): (&Varied, &String)| {
            let key = varied.short();
            let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '+' | '-');
            let value: String = value.chars().filter(|c| plain(*c)).take(40).collect();
            format!("{key}-{value}")
        };
        self.varied.iter().zip(values).map(part).collect::<Vec<_>>().join("_")
    }

    /// A point's changes to the config, `key=value`.
    pub fn changes(&self, point: &Point) -> Vec<String> {
        let pairs = self.varied.iter().zip(&point.values);
        pairs.map(|(varied, value)| format!("{}={value}", varied.key)).collect()
    }

    /// The config of a point, with the first seed.
    pub fn config_of(&self, point: &Point) -> Result<Config, RunError> {
        let changes = self.changes(point);
        Ok(Config::from_toml("its config", &self.config.to_toml(), &changes)?)
    }

    /// The runs of a point, whose folder is made where it is not there yet.
    pub fn group(&self, point: &Point) -> Result<Group, RunError> {
        let path = self.path.join(&point.folder);
        if !Group::is_one(&path) {
            return Group::create_at(&path, &self.config_of(point)?, self.seeds);
        }
        let mut group = Group::open(&path)?;
        if group.members().len() < self.seeds {
            group.extend(self.seeds)?;
        }
        Ok(group)
    }

    /// What the points have come to so far, in their order.
    pub fn rows(&self) -> Vec<SweepRow> {
        let row = |point: Point| {
            let group = self.begun(&point);
            let (mut runs, mut elapsed) = (Vec::new(), Vec::new());
            for (group, member) in
                group.iter().flat_map(|g| g.members().iter().map(move |m| (g, m)))
            {
                let Some(summary) = group.summary(member) else { continue };
                let (Some(state), Some(status)) = (summary.state(), &summary.status) else {
                    continue;
                };
                let share = status.step as f64 / status.total_steps.max(1) as f64;
                let progress = if state == RunState::Finished { 1.0 } else { share.min(1.0) };
                if state == RunState::Finished {
                    elapsed.push(status.elapsed);
                }
                runs.push(SweepRun { seed: member.seed, path: summary.path, state, progress });
            }
            SweepRow {
                values: point.values,
                group: self.path.join(&point.folder),
                runs,
                seeds: self.seeds,
                spread: group.as_ref().map(Group::spread).unwrap_or_default(),
                seconds: Spread::of(elapsed),
            }
        };
        self.points().into_iter().map(row).collect()
    }

    /// The varied settings whose values are all numbers, by their place: what a figure can be drawn
    /// against.
    pub fn axes(&self) -> Vec<usize> {
        let is_number = |varied: &Varied| varied.values.iter().all(|v| v.parse::<f64>().is_ok());
        (0..self.varied.len()).filter(|&i| is_number(&self.varied[i])).collect()
    }

    /// A figure against the varied setting at a place in [`Sweep::axes`], a curve for every choice
    /// of the others.
    pub fn curves(&self, rows: &[SweepRow], axis: usize, column: &Column) -> Vec<Curve> {
        let mut curves: Vec<Curve> = Vec::new();
        for row in rows {
            let Some(Ok(x)) = row.values.get(axis).map(|value| value.parse::<f64>()) else {
                continue;
            };
            let pairs = self.varied.iter().zip(&row.values).enumerate().filter(|(i, _)| *i != axis);
            let name = pairs.map(|(_, (varied, value))| format!("{} {value}", varied.short()));
            let name = name.collect::<Vec<_>>().join(", ");
            let at = match curves.iter().position(|curve| curve.name == name) {
                Some(at) => at,
                None => {
                    curves.push(Curve { name, points: Vec::new() });
                    curves.len() - 1
                }
            };
            if let Some(spread) = row.figure(column.split, column.key) {
                curves[at].points.push((x, spread));
            }
        }
        curves.iter_mut().for_each(|c| c.points.sort_by(|a, b| a.0.total_cmp(&b.0)));
        curves
    }

    /// Whether the values of a setting differ so much that they are better told by their ratios.
    pub fn is_logarithmic(&self, axis: usize) -> bool {
        let values = || self.varied[axis].values.iter().filter_map(|v| v.parse::<f64>().ok());
        let least = values().fold(f64::INFINITY, f64::min);
        let greatest = values().fold(f64::NEG_INFINITY, f64::max);
        least > 0.0 && greatest / least >= RATIO
    }

    /// The runs of a point that has begun.
    pub fn begun(&self, point: &Point) -> Option<Group> {
        let path = self.path.join(&point.folder);
        Group::is_one(&path).then(|| Group::open(&path).ok()).flatten()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::list_runs;

    fn varied(key: &str, values: &[&str]) -> Varied {
        Varied { key: key.into(), values: values.iter().map(|v| (*v).to_owned()).collect() }
    }

    #[test]
    fn a_grid_has_every_choice_of_values_in_a_folder_of_its_own() {
        let base = tempfile::tempdir().expect("temporary folder");
        let axes =
            vec![varied("model.rank", &["16", "32"]), varied("training.clip", &["1", "5.0"])];
        let sweep = Sweep::create(base.path(), &Config::default(), axes.clone(), 2).expect("makes");
        let points = sweep.points();
        let folders: Vec<&str> = points.iter().map(|p| p.folder.as_str()).collect();
        let expected = ["rank-16_clip-1", "rank-16_clip-5.0", "rank-32_clip-1", "rank-32_clip-5.0"];
        assert_eq!(folders, expected);
        let config = sweep.config_of(&points[3]).expect("a config");
        assert_eq!((config.model.rank, config.training.clip), (32, 5.0));
        let group = sweep.group(&points[3]).expect("makes");
        assert_eq!((group.members().len(), group.config().model.rank), (2, 32));
        assert!(sweep.begun(&points[0]).is_none() && sweep.begun(&points[3]).is_some());
        let mut read = Sweep::open(sweep.path()).expect("opens");
        assert_eq!(read, sweep);
        assert!(
            read.is_of(&Config::default(), &axes) && !read.is_of(&Config::default(), &axes[1..])
        );
        read.extend(3).expect("writes");
        assert_eq!(read.group(&points[3]).expect("opens").members().len(), 3);
        assert_ne!(
            Sweep::create(base.path(), &Config::default(), axes, 2).expect("makes").path(),
            sweep.path(),
            "no folder is taken twice"
        );
    }

    #[test]
    fn runs_of_a_sweep_are_listed_with_their_group() {
        let base = tempfile::tempdir().expect("temporary folder");
        let axes = vec![varied("model.rank", &["16", "32"])];
        let sweep = Sweep::create(base.path(), &Config::default(), axes, 1).expect("makes");
        let group = sweep.group(&sweep.points()[1]).expect("makes");
        let folder = group.folder_of(&group.members()[0]);
        crate::run::RunFolder::create_at(&folder, group.config()).expect("creates");
        let runs = list_runs(base.path());
        assert_eq!(runs.len(), 1);
        assert_eq!(runs[0].group.as_deref(), Some(group.path()));
    }

    #[test]
    fn values_that_names_do_not_tell_apart_get_numbers() {
        let base = tempfile::tempdir().expect("temporary folder");
        let axes = vec![varied("data.train", &["\"a b\"", "\"ab\""])];
        let sweep = Sweep::create(base.path(), &Config::default(), axes, 1).expect("makes");
        let points = sweep.points();
        let folders: Vec<&str> = points.iter().map(|p| p.folder.as_str()).collect();
        assert_eq!(folders, ["1-train-ab", "2-train-ab"]);
    }

    #[test]
    fn a_point_that_is_no_config_is_refused_before_anything_is_written() {
        let base = tempfile::tempdir().expect("temporary folder");
        let path = base.path().join("sweep");
        let axes = vec![varied("model.rank", &["16", "0"])];
        let error = Sweep::create_at(&path, &Config::default(), axes, 1).expect_err("rank 0");
        assert!(error.to_string().contains("model.rank"), "{error}");
        assert!(!Sweep::is_one(&path));
    }

    #[test]
    fn a_sweep_file_of_others_is_refused_with_its_fault() {
        let base = tempfile::tempdir().expect("temporary folder");
        for (text, said) in [
            ("{", "EOF"),
            (r#"{"schema": 99}"#, "newer rankspace"),
            (
                r#"{"schema": 1, "kind": "seeds", "config": "", "varied": [], "seeds": 1}"#,
                "`seeds`",
            ),
            (r#"{"schema": 1, "kind": "sweep", "config": "", "varied": [], "seeds": 1}"#, "varies"),
        ] {
            std::fs::write(base.path().join(FILE), text).expect("writes");
            let error = Sweep::open(base.path()).expect_err(said).to_string();
            assert!(error.contains(said), "{error}");
        }
    }
}
