//! Ways to rank the training sentences of a boosting run.

use crate::analysis::conflicts::{Unit, Variation};
use crate::ensemble::{Analyses, Part, detect};
use crate::run::RunFolder;
use anyhow::{Result, anyhow};

/// A score for every sentence of the part by the detector of that name; `None` where it is no
/// detector that looks at the rounds of boosting, or at the treebank alone.
pub fn scores(name: &str, part: &Part, boost: &RunFolder) -> Result<Option<Vec<f64>>> {
    let weights = || boost.last_weights()?.ok_or_else(|| anyhow!("boosting has no round"));
    Ok(Some(match name {
        "boosting" => weights()?,
        "mean-error" => detect::mean_error(&boost.kept_agreements()?),
        "error-variance" => detect::error_variance(&boost.kept_agreements()?),
        "variation" => {
            let (trees, n) = (part.trees(), part.sentences.len());
            detect::variation(&Unit::ALL.map(|unit| Variation::find(&trees, unit).evidence(n)))
        }
        "boosting+conflicts" => {
            let members = boost.kept_members("train")?;
            let members = borrowed(&members);
            let evidence = Unit::ALL.map(|unit| detect::supported(part, &members, unit));
            detect::combine(&weights()?, &detect::variation(&evidence))
        }
        _ => return Ok(None),
    }))
}

/// Members as votes take them.
pub fn borrowed(members: &[(Analyses, f64)]) -> Vec<(&Analyses, f64)> {
    members.iter().map(|(analyses, vote)| (analyses, *vote)).collect()
}
