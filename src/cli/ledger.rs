//! `ledger export`: verdicts as a table, a corrected copy of the treebank and the difference.

use super::args::{Ledger, LedgerExport};
use super::plain::tell;
use crate::ensemble::ledger::{self, Exported};
use crate::report::counted;
use anyhow::{Result, bail};
use serde_json::json;
use std::io::Write;

pub fn run(args: &Ledger, out: &mut dyn Write) -> Result<()> {
    let Ledger::Export(args) = args;
    export(args, out)
}

fn export(args: &LedgerExport, out: &mut dyn Write) -> Result<()> {
    let path = match args.ledger.is_dir() {
        true => args.ledger.join(ledger::FILE),
        false => args.ledger.clone(),
    };
    if !path.is_file() {
        bail!("{}: there is no ledger", path.display());
    }
    let ledger = ledger::Ledger::open(&path)?;
    if ledger.entries().is_empty()
        && let Some(complaint) = ledger.complaint()
    {
        bail!("{}: this is no ledger: {complaint}", path.display());
    }
    if let Some(complaint) = ledger.complaint() {
        tell(&format!("warning: {}: {complaint}", path.display()));
    }
    let Exported { verdicts, corrected, refused, folder } = ledger::export(&ledger, &args.out)?;
    for (file, refused) in &refused {
        tell(&format!("warning: {file}, sentence {}: {}", refused.sentence, refused.reason));
    }
    if args.json {
        let object = json!({
            "verdicts": verdicts,
            "corrected": corrected,
            "refused": refused.len(),
            "folder": folder,
            "out": args.out.display().to_string(),
        });
        serde_json::to_writer(&mut *out, &object)?;
        writeln!(out)?;
    } else {
        writeln!(
            out,
            "{}, {} corrected, {} refused: {}",
            counted(verdicts, "verdict"),
            counted(corrected, "tree"),
            counted(refused.len(), "proposal"),
            args.out.display()
        )?;
        if let Some(folder) = folder.filter(|_| corrected > 0) {
            let diff = args.out.join("corrections.diff");
            writeln!(out, "patch -d {} -p1 < {}", folder.display(), diff.display())?;
        }
    }
    Ok(())
}
