//! The speeds of this machine that orders of elimination are chosen by: measured once in a fraction
//! of a second, kept in the user's data directory, and written into the settings of every run, so
//! that a resumed run chooses as it did before.

use crate::checkpoint::write_atomically;
use crate::config::{Config, Elimination, Family, Speeds};
use crate::inference::calibrate;
use crate::model;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// Of the file and of what is measured: quicker loops are to be measured again.
const SCHEMA: u32 = 2;

/// What was measured on some machines: a data directory may be shared between hosts.
#[derive(Debug, Serialize, Deserialize)]
struct Known {
    schema: u32,
    machines: Vec<Machine>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Machine {
    processor: String,
    threads: usize,
    speeds: Speeds,
}

/// Writes the machine's speeds into the settings of a run on the host that chooses its order by
/// them and has none. A debug build's own loops say nothing about speed: it plans with the usual
/// proportions.
pub fn settle_speeds(config: &mut Config) {
    let families = [Family::RankPcfg, Family::TdPcfg, Family::RankHmm];
    let chooses = families.contains(&config.model.family)
        && config.model.elimination == Elimination::Auto
        && config.model.speeds.is_none();
    let on_host = || model::placement(config).is_ok_and(|place| place.device.is_none());
    if chooses && !cfg!(debug_assertions) && on_host() {
        config.model.speeds = machine_speeds(config.threads, data_folder().as_deref());
    }
}

/// The user's data directory.
pub fn data_folder() -> Option<PathBuf> {
    directories::ProjectDirs::from("", "", "rankspace").map(|dirs| dirs.data_dir().to_owned())
}

/// Those of this machine with so many threads (0: all): from the folder, else measured and kept
/// there. None where no threads can be had.
pub fn machine_speeds(threads: usize, folder: Option<&Path>) -> Option<Speeds> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let threads = if threads == 0 { cores } else { threads.min(cores) };
    let processor = processor();
    let path = folder.map(|folder| folder.join("speeds.json"));
    let mut known = path.as_deref().and_then(read).unwrap_or_default();
    let own = |machine: &&Machine| machine.processor == processor && machine.threads == threads;
    if let Some(machine) = known.iter().find(own) {
        return Some(machine.speeds);
    }
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().ok()?;
    let measured = pool.install(calibrate::speeds);
    let speeds = Speeds {
        multiply_adds: measured.multiply_adds,
        packed: measured.packed,
        streamed: measured.streamed,
    };
    known.push(Machine { processor, threads, speeds });
    if let Some(path) = path {
        // Where it cannot be kept it is measured again: a run keeps its own.
        let text = serde_json::to_vec_pretty(&Known { schema: SCHEMA, machines: known });
        let folder = path.parent().map(std::fs::create_dir_all);
        if let (Ok(text), Some(Ok(()))) = (text, folder) {
            let _ = write_atomically(&path, &text);
        }
    }
    Some(speeds)
}

/// What is usable of a file; a newer or damaged one is as none.
fn read(path: &Path) -> Option<Vec<Machine>> {
    let known: Known = serde_json::from_slice(&std::fs::read(path).ok()?).ok()?;
    let usable = |machine: &Machine| machine.speeds.are_usable();
    (known.schema == SCHEMA).then(|| known.machines.into_iter().filter(usable).collect())
}

/// The name of the processor, where the system tells it.
fn processor() -> String {
    let text = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let name = text.lines().find_map(|line| line.strip_prefix("model name")?.split_once(':'));
    name.map_or(std::env::consts::ARCH, |(_, name)| name.trim()).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_measured_once_is_found_again_and_damage_is_measured_anew() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let first = machine_speeds(1, Some(folder.path())).expect("measured");
        assert!(first.are_usable());
        assert_eq!(machine_speeds(1, Some(folder.path())), Some(first));
        let path = folder.path().join("speeds.json");
        for damaged in ["", "{\"schema\": 1, \"machines\": []}", "{\"schema\": 2, \"machines\": 3}"]
        {
            std::fs::write(&path, damaged).expect("writable");
            assert!(machine_speeds(1, Some(folder.path())).expect("measured").are_usable());
            assert_eq!(read(&path).expect("kept").len(), 1);
        }
    }

    #[test]
    fn a_run_that_does_not_choose_is_left_alone() {
        for (family, elimination) in
            [(Family::RankHmm, Elimination::State), (Family::NPcfg, Elimination::Auto)]
        {
            let mut config = Config::of_family(family);
            config.model.elimination = elimination;
            let before = config.clone();
            settle_speeds(&mut config);
            assert_eq!(config, before);
        }
    }
}
