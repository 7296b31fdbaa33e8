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
    if ledger.unreadable > 0 {
        let lines = counted(ledger.unreadable, "line");
        tell(&format!("warning: {lines} of the ledger cannot be read"));
    }
    let Exported { verdicts, corrected, refused } = ledger::export(&ledger, &args.out)?;
    for (file, refused) in &refused {
        tell(&format!("warning: {file}, sentence {}: {}", refused.sentence, refused.reason));
    }
    if args.json {
        let object = json!({
            "verdicts": verdicts,
            "corrected": corrected,
            "refused": refused.len(),
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
    }
    Ok(())
}
