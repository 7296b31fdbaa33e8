//! `doctor`: what this machine and terminal offer, and what is missing.

use super::args::Doctor;
use crate::device::DeviceInfo;
use crate::workbench::start::UserData;
use crate::workbench::{keys_file, settings};
use anyhow::{Result, bail};
use serde::Serialize;
use std::env;
use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};

/// One line of the report.
#[derive(Serialize)]
struct Finding {
    name: &'static str,
    value: String,
    ok: bool,
}

pub fn run(args: &Doctor, out: &mut dyn Write) -> Result<()> {
    let findings = findings();
    if args.json {
        serde_json::to_writer(&mut *out, &findings)?;
        writeln!(out)?;
    } else {
        for Finding { name, value, ok } in &findings {
            writeln!(out, "{:3}{name:14}{value}", if *ok { "" } else { "!" })?;
        }
    }
    let failing: Vec<_> = findings.iter().filter(|f| !f.ok).map(|f| f.name).collect();
    if !failing.is_empty() {
        out.flush()?;
        bail!("something needs attention: {}", failing.join(", "));
    }
    Ok(())
}

fn findings() -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut add = |name, value: String, ok| findings.push(Finding { name, value, ok });
    let optimised = if cfg!(debug_assertions) { " (debug build: slow, use --release)" } else { "" };
    add("version", format!("{}{optimised}", env!("CARGO_PKG_VERSION")), true);
    add("system", format!("{} {}", env::consts::OS, env::consts::ARCH), true);
    let cores = std::thread::available_parallelism();
    add("cores", cores.map_or_else(|e| e.to_string(), |n| n.to_string()), true);
    add("threads", rayon::current_num_threads().to_string(), true);
    add("vector units", or_none(vector_units()), true);
    match crate::device::devices() {
        Ok(cards) => {
            for card in &cards {
                add("device", card_line(card), true);
            }
            if cards.is_empty() {
                add("devices", "cpu; no CUDA device was found".to_owned(), true);
            }
        }
        Err(reason) => add("devices", format!("cpu; {reason}"), true),
    }
    for (name, folder) in
        [("runs folder", Some(PathBuf::from("runs"))), ("data folder", data_folder())]
    {
        match folder {
            Some(folder) => {
                let writable = can_write(&folder);
                let note = match &writable {
                    Ok(true) => "writable".to_owned(),
                    Ok(false) => "not there yet, can be made".to_owned(),
                    Err(error) => format!("cannot be written: {error}"),
                };
                add(name, format!("{} ({note})", shown(&folder)), writable.is_ok());
            }
            None => add(name, "no home folder is known: set HOME".to_owned(), false),
        }
    }
    let user = UserData::of_user();
    let keys = user.keys_file().map(|path| (keys_file::read(&path).problems, path));
    let settings = user.settings_file().map(|path| (settings::read(&path).1, path));
    for (name, read) in [("keys", keys), ("settings", settings)] {
        let Some((problems, path)) = read else { continue };
        let value = match &problems[..] {
            [] if path.exists() => shown(&path),
            [] => format!("{} (not there: as they come)", shown(&path)),
            problems => problems.join("; "),
        };
        add(name, value, problems.is_empty());
    }
    add("terminal", terminal(), true);
    add("colours", colours().to_owned(), true);
    let utf8 = locale_is_utf8(|name| env::var(name).ok());
    add("UTF-8", if utf8 { "yes" } else { "no: set LANG, e.g. to C.UTF-8" }.to_owned(), true);
    findings
}

/// A card with what is known of it.
fn card_line(card: &DeviceInfo) -> String {
    let mut line = card.name.clone();
    if let Some(model) = &card.model {
        line.push_str(&format!(" {model}"));
    }
    if let (Some(free), Some(total)) = (card.free, card.total) {
        let gib = |bytes: u64| bytes as f64 / f64::from(1 << 30);
        line.push_str(&format!(", {:.1} of {:.1} GiB free", gib(free), gib(total)));
    }
    if let Some(busy) = card.busy {
        line.push_str(&format!(", busy {:.0}%", 100.0 * busy));
    }
    line
}

fn or_none(names: Vec<&str>) -> String {
    if names.is_empty() { "none found".to_owned() } else { names.join(", ") }
}

#[cfg(target_arch = "x86_64")]
fn vector_units() -> Vec<&'static str> {
    let mut found = Vec::new();
    for (there, name) in [
        (is_x86_feature_detected!("avx2"), "AVX2"),
        (is_x86_feature_detected!("fma"), "FMA"),
        (is_x86_feature_detected!("avx512f"), "AVX-512"),
    ] {
        if there {
            found.push(name);
        }
    }
    found
}

#[cfg(target_arch = "aarch64")]
fn vector_units() -> Vec<&'static str> {
    if std::arch::is_aarch64_feature_detected!("neon") { vec!["NEON"] } else { vec![] }
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
fn vector_units() -> Vec<&'static str> {
    vec![]
}

/// Where the bundled sample is installed.
fn data_folder() -> Option<PathBuf> {
    directories::ProjectDirs::from("", "", "rankspace").map(|dirs| dirs.data_dir().to_owned())
}

fn shown(folder: &Path) -> String {
    std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned()).display().to_string()
}

/// Whether a file can be made in the folder (`true`), or in the nearest folder above it, so that
/// the folder itself can be made (`false`). Leaves nothing behind.
fn can_write(folder: &Path) -> std::io::Result<bool> {
    let folder = std::path::absolute(folder)?;
    let there = folder.ancestors().find(|f| f.exists()).unwrap_or(Path::new("/"));
    tempfile::Builder::new().prefix(".rankspace-doctor").tempfile_in(there)?;
    Ok(there == folder)
}

fn terminal() -> String {
    let name = env::var("TERM").unwrap_or_else(|_| "TERM is not set".to_owned());
    if !(std::io::stdin().is_terminal() && std::io::stdout().is_terminal()) {
        return format!("{name}, but input or output is not a terminal: no workbench here");
    }
    match crossterm::terminal::size() {
        Ok((columns, rows)) if columns < 80 || rows < 24 => {
            format!("{name}, {columns}x{rows} (80x24 or more is comfortable)")
        }
        Ok((columns, rows)) => format!("{name}, {columns}x{rows}"),
        Err(error) => format!("{name}, size unknown: {error}"),
    }
}

fn colours() -> &'static str {
    let is_set = |name| env::var_os(name).is_some_and(|v| !v.is_empty());
    let colorterm = env::var("COLORTERM").unwrap_or_default();
    let term = env::var("TERM").unwrap_or_default();
    if is_set("NO_COLOR") {
        "none (NO_COLOR is set)"
    } else if colorterm == "truecolor" || colorterm == "24bit" {
        "16 million"
    } else if term.contains("256color") {
        "256"
    } else if term.is_empty() || term == "dumb" {
        "none"
    } else {
        "16"
    }
}

/// The first of the three variables that is set decides, as in the C library.
fn locale_is_utf8(variable: impl Fn(&str) -> Option<String>) -> bool {
    ["LC_ALL", "LC_CTYPE", "LANG"]
        .into_iter()
        .filter_map(variable)
        .find(|value| !value.is_empty())
        .is_some_and(|value| {
            let value = value.to_ascii_lowercase();
            value.contains("utf-8") || value.contains("utf8")
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_locale_variable_that_is_set_decides_about_utf8() {
        let with = |pairs: &'static [(&str, &str)]| {
            locale_is_utf8(move |name| {
                pairs.iter().find(|(n, _)| *n == name).map(|(_, v)| (*v).to_owned())
            })
        };
        assert!(with(&[("LC_ALL", ""), ("LANG", "de_DE.UTF-8")]));
        assert!(with(&[("LC_CTYPE", "C.utf8"), ("LANG", "C")]));
        assert!(!with(&[("LC_ALL", "C"), ("LANG", "de_DE.UTF-8")]));
        assert!(!with(&[]));
    }

    #[test]
    fn a_folder_that_can_be_made_is_told_from_one_that_is_there_and_nothing_is_left_behind() {
        let base = tempfile::tempdir().expect("a temporary folder");
        assert!(can_write(base.path()).expect("writable"));
        assert!(!can_write(&base.path().join("a/b")).expect("can be made"));
        assert_eq!(std::fs::read_dir(base.path()).expect("readable").count(), 0);
    }
}
