//! Ways to rank the training sentences by what a run left behind.

use crate::analysis::conflicts::{Unit, Variation};
use crate::analysis::slips::slips;
use crate::config::Kind;
use crate::ensemble::{Analyses, Part, detect};
use crate::run::{RunError, RunFolder};

impl RunFolder {
    /// A score for every sentence of the training part by the detector of that name; `None` where
    /// it is none that looks at the rounds of boosting, or at the treebank alone.
    pub fn scores(&self, name: &str, part: &Part) -> Result<Option<Vec<f64>>, RunError> {
        let weights = || {
            let none = || RunError::Unsuitable("no round is complete yet".into());
            self.last_weights()?.ok_or_else(none)
        };
        // Bags weigh all sentences alike: what is hard is what they get wrong.
        let hard = || match self.config()?.kind {
            Kind::Bag => Ok(detect::mean_error(&self.kept_agreements()?)),
            _ => weights(),
        };
        let with_conflicts = || -> Result<Vec<f64>, RunError> {
            let members = self.kept_members("train")?;
            let members = borrowed(&members);
            let evidence = Unit::ALL.map(|unit| detect::supported(part, &members, unit));
            Ok(detect::combine(&hard()?, &detect::variation(&evidence)))
        };
        let slips = || detect::slips(part, &slips(&part.trees()));
        Ok(Some(match name {
            "boosting" => weights()?,
            "mean-error" => detect::mean_error(&self.kept_agreements()?),
            "error-variance" => detect::error_variance(&self.kept_agreements()?),
            "variation" => {
                let (trees, n) = (part.trees(), part.sentences.len());
                detect::variation(&Unit::ALL.map(|unit| Variation::find(&trees, unit).evidence(n)))
            }
            "boosting+conflicts" => with_conflicts()?,
            "slips" => slips(),
            "combined" => detect::combine_all(&slips(), &with_conflicts()?),
            _ => return Ok(None),
        }))
    }
}

/// Members as votes take them.
pub fn borrowed(members: &[(Analyses, f64)]) -> Vec<(&Analyses, f64)> {
    members.iter().map(|(analyses, vote)| (analyses, *vote)).collect()
}
