//! What the runs of a group, which differ in their seed, give together.

use super::shared::{RunEntry, Shared};
use super::text;
use crate::evaluation::Spread;
use crate::report::counted;
use crate::run::{Spreads, spreads};

/// Figures that are shown, with their names.
const FIGURES: [(&str, &str); 4] =
    [("f1", "F1"), ("s_f1", "S-F1"), ("c_f1", "C-F1"), ("perplexity", "perplexity")];

/// Best development figures over the runs of a group.
#[derive(Debug)]
pub struct Seeds {
    /// How many of its runs there are.
    pub runs: usize,
    spreads: Spreads,
}

impl Seeds {
    /// The group that a run belongs to; `None` for a run of its own.
    pub fn of(shared: &Shared, run: &RunEntry) -> Option<Seeds> {
        let group = run.group.as_ref()?;
        let members = shared.runs.iter().filter(|r| !r.gone && r.group.as_ref() == Some(group));
        Some(Seeds {
            runs: members.clone().count(),
            spreads: spreads(members.filter_map(RunEntry::best_dev)),
        })
    }

    /// Name, mean with standard deviation, and range of every figure that there is.
    pub fn figures(&self) -> impl Iterator<Item = (&'static str, String, String)> {
        FIGURES.into_iter().filter_map(|(key, name)| {
            let Spread { mean, sd, least, greatest, .. } = self.spreads.get(key)?;
            let sd = sd.map_or(String::new(), |sd| format!(" ± {}", text::figure(sd)));
            let range = format!("{} to {}", text::figure(*least), text::figure(*greatest));
            Some((name, format!("{}{sd}", text::figure(*mean)), range))
        })
    }

    /// All in a line, e.g. `3 seeds: S-F1 51.20 ± 3.10 (47.90 to 55.10)`.
    pub fn line(&self) -> String {
        let mut line = counted(self.runs, "seed");
        for (i, (name, mean, range)) in self.figures().enumerate() {
            line.push_str(if i == 0 { ": " } else { "  " });
            line.push_str(&format!("{name} {mean} ({range})"));
        }
        line
    }
}
