//! What training tells while it goes on, and at its end.

use super::lines::{self, Lines};
use super::plain::tell;
use super::progress::Bars;
use crate::config::Config;
use crate::report::{Event, EventKind, Level, Metrics};
use crate::run::Outcome;
use anyhow::{Result, anyhow};
use serde::Serialize;
use std::io::Write;
use std::path::Path;

/// The JSON object that ends a training.
#[derive(Serialize)]
pub struct Summary {
    pub run: String,
    pub best_epoch: Option<u64>,
    pub dev: Option<Metrics>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub test: Option<Metrics>,
    pub train_seconds: f64,
}

impl Summary {
    pub fn of(outcome: &Outcome, folder: &Path) -> Summary {
        let best = outcome.best.as_ref();
        Summary {
            run: folder.display().to_string(),
            best_epoch: best.map(|b| b.epoch),
            dev: best.map(|b| lines::known(&b.dev)),
            test: best.and_then(|b| b.test.as_ref()).map(lines::known),
            train_seconds: outcome.train_seconds,
        }
    }
}

/// Where lines go: beside the bars on a terminal; on standard error where standard output is
/// kept for the JSON object.
pub struct Teller {
    lines: Lines,
    /// Before every line.
    prefix: String,
    pub bars: Option<Bars>,
    pub json: bool,
}

impl Teller {
    pub fn new(config: &Config, prefix: String, bars: Option<Bars>, json: bool) -> Teller {
        Teller { lines: Lines::of(config), prefix, bars, json }
    }

    pub fn tell(&mut self, event: &Event, out: &mut dyn Write) -> Result<()> {
        if let Some(line) = self.lines.line(event) {
            match event.kind {
                EventKind::Message { level: Level::Warning | Level::Error, .. } => self.note(&line),
                _ => self.say(&line, out)?,
            }
        }
        for alarm in self.lines.alarms(event) {
            self.note(&alarm);
        }
        if let Some(bars) = &self.bars {
            bars.show(event);
        }
        Ok(())
    }

    pub fn say(&self, line: &str, out: &mut dyn Write) -> Result<()> {
        if self.json {
            self.note(line);
            return Ok(());
        }
        let prefix = &self.prefix;
        let mut print = || writeln!(out, "{prefix}{line}").and_then(|()| out.flush());
        match &self.bars {
            Some(bars) => bars.around(print),
            None => print(),
        }
        .map_err(|error| anyhow!(error))
    }

    /// A line on standard error.
    pub fn note(&self, line: &str) {
        let print = || tell(&format!("{}{line}", self.prefix));
        match &self.bars {
            Some(bars) => bars.around(print),
            None => print(),
        }
    }
}
