//! `[model.speeds]`: what a run was planned for.

use serde::{Deserialize, Serialize};

/// How fast the machine of a run does what the orders of elimination differ in, each a second.
/// Written at the start of a run, so that a resumed one chooses as before.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Speeds {
    /// Multiply-adds of a large matrix product.
    pub multiply_adds: f64,
    /// Numbers of a matrix that a product with few rows packs.
    pub packed: f64,
    /// Numbers of a matrix that are streamed by hand.
    pub streamed: f64,
}

impl Speeds {
    /// Whether one can plan with them.
    pub fn are_usable(&self) -> bool {
        [self.multiply_adds, self.packed, self.streamed].iter().all(|s| s.is_finite() && *s > 0.0)
    }
}
