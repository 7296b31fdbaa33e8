//! `bench`: training steps on random words, beside what the machine's matrix product reaches.
//! Every case runs in a child process of its own, so that its peak of memory is its own.

mod case;
mod check;
pub mod machine;
mod measure;

use super::args::Bench;
use super::failure::Usage;
use super::plain::tell;
use crate::config::Config;
use crate::model;
use anyhow::{Context, Result, bail};
pub use case::{Case, Symbols};
pub use measure::random_batch;
use serde::{Deserialize, Serialize};
use std::io::Write;
use std::process::{Command, Stdio};

/// Figures of one case. Rates are those of the fastest step.
#[derive(Debug, Serialize, Deserialize)]
struct Row {
    case: String,
    seconds_min: f64,
    seconds_median: f64,
    tokens_per_s: f64,
    /// Above the start of the process; absent where the system does not tell.
    peak_rss_mb: Option<f64>,
    /// Memory taken on the device; absent on the host.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    device_mb: Option<f64>,
    /// Arithmetic that the step needs, by the time that it takes.
    gflops: f64,
    /// `gflops` by that of a large matrix product, measured in the same process.
    share_of_peak: f64,
}

pub fn run(args: &Bench, out: &mut dyn Write) -> Result<()> {
    if args.steps == 0 {
        return Err(Usage("--steps 0: expected a number above 0".into()).into());
    }
    let cases = match args.cases.as_slice() {
        [] => Case::defaults(),
        specs => specs.iter().map(|spec| Case::parse(spec)).collect::<Result<_, _>>()?,
    };
    if args.in_process {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(args.threads).build()?;
        for case in &cases {
            let row =
                pool.install(|| measure::measure(case, (&args.device, args.tf32), args.steps))?;
            serde_json::to_writer(&mut *out, &row)?;
            writeln!(out)?;
        }
        return Ok(());
    }
    let config = Config { device: args.device.clone(), ..Config::default() };
    let placement = model::placement(&config).map_err(|e| Usage(format!("--device: {e}")))?;
    if let Some(note) = placement.note {
        // Figures of another device than the one that was named would mislead.
        bail!("--device: {note}");
    }
    let device = placement.device.map_or_else(|| "the CPU".to_owned(), |d| d.to_string());
    if args.check {
        if placement.device.is_none() {
            let text = "--check holds a device against the CPU: name one, as --device cuda:0";
            return Err(Usage(text.into()).into());
        }
        return checked(args, &device, out);
    }
    let threads = threads(args.threads);
    let mut rows = Vec::new();
    for case in &cases {
        let row = in_child(case, args, threads)?;
        if !args.json {
            if rows.is_empty() {
                head(&row, &device, out)?;
            }
            line(&row, out)?;
            out.flush()?;
        }
        rows.push(row);
    }
    if args.json {
        serde_json::to_writer(&mut *out, &rows)?;
        writeln!(out)?;
    }
    Ok(())
}

/// Compares the device with golden values and with the host.
fn checked(args: &Bench, device: &str, out: &mut dyn Write) -> Result<()> {
    let folder = args.golden.clone().unwrap_or_else(check::default_folder);
    if !folder.is_dir() {
        bail!(
            "no folder of golden values at {}: name one by --golden DIR or RANKSPACE_SHARED",
            folder.display()
        );
    }
    if !args.json {
        check::head(device, out)?;
    }
    let found = check::run(&args.device, &folder, |finding| {
        if !args.json {
            check::line(finding, out)?;
            out.flush()?;
        }
        Ok(())
    })?;
    if args.json {
        serde_json::to_writer(&mut *out, &found)?;
        writeln!(out)?;
    }
    let wrong = found.iter().filter(|finding| !finding.holds()).count();
    match wrong {
        0 if args.json => Ok(()),
        0 => Ok(writeln!(out, "all {} comparisons are within their bounds", found.len())?),
        n => bail!("{n} of {} comparisons are outside their bounds", found.len()),
    }
}

/// As many as were asked for and the machine has cores; more would only get in each other's way.
fn threads(asked: usize) -> usize {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    if asked > cores {
        tell(&format!("note: --threads {asked}: {cores} are used, as many as there are cores"));
    }
    asked.min(cores)
}

/// Measures a case in a process of its own.
fn in_child(case: &Case, args: &Bench, threads: usize) -> Result<Row> {
    let program = std::env::current_exe().context("cannot find this program")?;
    let (threads, steps) = (threads.to_string(), args.steps.to_string());
    let tf32 = if args.tf32 { &["--tf32"][..] } else { &[] };
    let output = Command::new(program)
        .args(["bench", "--in-process", "--case", &case.to_string(), "--device", &args.device])
        .args(["--threads", &threads, "--steps", &steps])
        .args(tf32)
        .stdin(Stdio::null())
        .output()
        .context("cannot start a process for the case")?;
    if !output.status.success() {
        let told = String::from_utf8_lossy(&output.stderr);
        let reason = told.trim().trim_start_matches("error: ");
        match reason {
            // Killed from outside, for memory most likely.
            "" => bail!("{case}: the process was ended ({})", output.status),
            reason => bail!("{case}: {reason}"),
        }
    }
    serde_json::from_slice(&output.stdout).context("cannot read what the case's process printed")
}

fn head(row: &Row, device: &str, out: &mut dyn Write) -> Result<()> {
    writeln!(
        out,
        "A step on {device} is loss, gradients, clipping and Adam. A matrix product of this \
         machine's CPU reaches {:.0} GFLOP/s.",
        row.gflops / row.share_of_peak
    )?;
    writeln!(
        out,
        "{:>9} {:>9} {:>9} {:>8} {:>8} {:>8}  case",
        "s min", "s median", "words/s", "MB", "GFLOP/s", "of peak"
    )?;
    Ok(())
}

fn line(row: &Row, out: &mut dyn Write) -> Result<()> {
    let memory = row.device_mb.or(row.peak_rss_mb);
    let memory = memory.map_or_else(|| "-".to_owned(), |mb| format!("{mb:.0}"));
    writeln!(
        out,
        "{:9.4} {:9.4} {:9.0} {:>8} {:8.1} {:7.0}%  {}",
        row.seconds_min,
        row.seconds_median,
        row.tokens_per_s,
        memory,
        row.gflops,
        100.0 * row.share_of_peak,
        row.case
    )?;
    Ok(())
}
