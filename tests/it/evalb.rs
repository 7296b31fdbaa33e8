//! `evalb` against the stored output of the classic scorer, and on what that leaves undefined.

use crate::call::{Call, rankspace};
use crate::shared::shared;
use std::fs;
use std::path::{Path, PathBuf};

fn sorted(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("the folder can be listed");
    let mut paths: Vec<_> = entries.map(|entry| entry.expect("an entry").path()).collect();
    paths.sort();
    paths
}

/// Names of parameter files for which a folder has a stored output.
fn parameter_names(folder: &Path) -> Vec<String> {
    let names = sorted(folder).into_iter().filter_map(|path| {
        let name = path.file_name()?.to_str()?.to_owned();
        Some(name.strip_prefix("expected.")?.strip_suffix(".txt")?.to_owned())
    });
    names.collect()
}

fn scored(folder: &Path, parameters: Option<&Path>) -> Call {
    let call = rankspace("evalb").arg(folder.join("gold.mrg")).arg(folder.join("pred.mrg"));
    match parameters {
        Some(path) => call.arg("-p").arg(path),
        None => call,
    }
}

#[test]
fn golden_evalb_output_messages_and_exit_code_agree_with_every_stored_one() {
    let Some(all) = shared("data/evalb") else { return };
    let mut compared = 0;
    for folder in sorted(&all).into_iter().filter(|path| path.is_dir()) {
        for name in parameter_names(&folder) {
            let text = |end: &str| {
                fs::read_to_string(folder.join(format!("expected.{name}.{end}"))).expect("text")
            };
            let parameters = all.join(format!("{name}.prm"));
            let check = |call: Call, how: &str| {
                let (code, ran) = call.run();
                assert!(ran.stdout == text("txt"), "stdout with {how}: {ran}");
                assert_eq!(ran.stderr, text("err"), "stderr with {how}: {ran}");
                // Without the figures at the end, the classic scorer gave up.
                let gave_up = !text("txt").contains("=== Summary ===");
                assert_eq!(code, i32::from(gave_up), "with {how}: {ran}");
            };
            check(scored(&folder, Some(&parameters)), &name);
            if name == "collins" {
                check(scored(&folder, None), "no parameter file");
            }
            compared += 1;
        }
    }
    assert!(compared > 0, "no stored output in {}", all.display());
}
