//! Plateau schedule of the learning rate, with the published code's oddity as a mode.

use crate::config::Compat;
use serde::{Deserialize, Serialize};

/// Best figure so far and evaluations since; figures are maximised.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Plateau {
    #[serde(with = "optional_number")]
    best: Option<f64>,
    bad: u64,
}

impl Plateau {
    /// Takes the figure of one evaluation; true when the learning rate is to be cut.
    ///
    /// Exact mode: better is greater, and the cut comes at the `patience`-th bad evaluation.
    /// Published mode (`torch.optim.lr_scheduler.ReduceLROnPlateau`, mode max, relative
    /// threshold 1e-4): better is greater than best * (1 + 1e-4), which lets slightly worse
    /// negative figures pass as better, and the cut comes one bad evaluation later.
    pub fn cut(&mut self, figure: f64, patience: u64, compat: Compat) -> bool {
        let (threshold, allowed) = match compat {
            Compat::None => (1.0, patience.saturating_sub(1)),
            Compat::Published => (1.0 + 1e-4, patience),
        };
        let better = !figure.is_nan() && self.best.is_none_or(|best| figure > best * threshold);
        if better {
            self.best = Some(figure);
            self.bad = 0;
        } else {
            self.bad += 1;
        }
        let cut = self.bad > allowed;
        if cut {
            self.bad = 0;
        }
        cut
    }
}

/// `null` or a number that may be infinite.
mod optional_number {
    use crate::report::numbers::Number;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub fn serialize<S: Serializer>(value: &Option<f64>, serializer: S) -> Result<S::Ok, S::Error> {
        value.map(Number).serialize(serializer)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(d: D) -> Result<Option<f64>, D::Error> {
        Ok(Option::<Number>::deserialize(d)?.map(|n| n.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cuts(figures: &[f64], patience: u64, compat: Compat) -> Vec<bool> {
        let mut plateau = Plateau::default();
        figures.iter().map(|&x| plateau.cut(x, patience, compat)).collect()
    }

    #[test]
    fn exact_mode_cuts_at_the_second_bad_evaluation_of_patience_two() {
        let figures = [-5.0, -4.0, -4.0, -4.1, -4.2, -4.3, -3.0];
        let expected = [false, false, false, true, false, true, false];
        assert_eq!(cuts(&figures, 2, Compat::None), expected);
    }

    #[test]
    fn published_mode_takes_slightly_worse_figures_for_better_and_cuts_at_the_third() {
        let figures = [-1000.0, -1000.05, -1001.0, -1001.0, -1001.0];
        let expected = [false, false, false, false, true];
        assert_eq!(cuts(&figures, 2, Compat::Published), expected);
    }

    #[test]
    fn state_survives_json_also_when_infinite() {
        let mut plateau = Plateau::default();
        plateau.cut(f64::NEG_INFINITY, 2, Compat::None);
        let text = serde_json::to_string(&plateau).expect("writes");
        assert_eq!(serde_json::from_str::<Plateau>(&text).expect("reads"), plateau);
    }
}
