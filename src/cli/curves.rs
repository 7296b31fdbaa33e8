//! `curves`: the series of runs as numbers, or as charts; the same files as the Train screen
//! exports.

use super::args::{Along, Curves};
use super::failure::Usage;
use super::file::refuse_existing;
use super::plain::tell;
use crate::report::counted;
use crate::run::RunFolder;
use crate::workbench::clock::XAxis;
use crate::workbench::curves::{self, Format, Look};
use crate::workbench::export::new_file;
use anyhow::{Context, Error, Result, anyhow};
use std::io::Write;
use std::path::Path;

pub fn run(args: &Curves, out: &mut dyn Write) -> Result<()> {
    if args.log_x && matches!(args.along, Along::Wall) {
        let text = "--log-x: wall time has no logarithm; use --along step or --along time";
        return Err(Usage(text.into()).into());
    }
    let format = match &args.out {
        None => Format::Csv,
        Some(path) => Format::of(path).ok_or_else(|| {
            Usage(format!("--out {}: expected an ending csv, json, svg or png", path.display()))
        })?,
    };
    if let Some(path) = &args.out {
        refuse_existing(path)?;
    }
    for path in &args.runs {
        let kind = RunFolder::open(path).and_then(|folder| folder.config()).map(|c| c.kind);
        if let Ok(kind) = kind
            && kind.is_ensemble()
        {
            let shown = path.display();
            let text = format!(
                "{shown} is a run of {}, which has rounds and no curves: `rankspace {shown}` and \
                 `rankspace watch {shown}` show them",
                kind.name()
            );
            return Err(Usage(text).into());
        }
    }
    let read = |path: &std::path::PathBuf| curves::read(path, &|| true).map_err(Error::msg);
    let runs = args.runs.iter().map(read).collect::<Result<Vec<_>>>()?;
    for problem in runs.iter().filter_map(|run| run.problem.as_ref()) {
        tell(&format!("warning: {problem}"));
    }
    let look = Look {
        figures: None,
        axis: match args.along {
            Along::Step => XAxis::Step,
            Along::Time => XAxis::Elapsed,
            Along::Wall => XAxis::Wall,
        },
        log_x: args.log_x,
        log_y: args.log_y,
        smoothing: Some(args.smoothing).filter(|weight| *weight > 0.0),
        window: None,
    };
    let bytes = format.bytes(&runs, &look).map_err(Error::msg)?;
    let Some(path) = &args.out else {
        out.write_all(&bytes)?;
        return Ok(());
    };
    write(path, &bytes)?;
    tell(&format!("the curves of {} are in {}", counted(runs.len(), "run"), path.display()));
    Ok(())
}

/// Through a temporary name, and never over a file that came to be meanwhile.
fn write(path: &Path, bytes: &[u8]) -> Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let shown = || path.display().to_string();
    let folder = folder.unwrap_or(Path::new("."));
    let mut file = new_file(folder).with_context(shown)?;
    file.write_all(bytes).with_context(shown)?;
    file.persist_noclobber(path).map_err(|e| anyhow!("{}: {}", path.display(), e.error))?;
    Ok(())
}
