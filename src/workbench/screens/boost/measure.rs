//! Figures of the vote.

/// What Figure 3 draws of the vote of all members up to a round.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Measure {
    #[default]
    F1,
    Precision,
    Recall,
    Exact,
}

impl Measure {
    pub const ALL: [Measure; 4] =
        [Measure::Precision, Measure::Recall, Measure::F1, Measure::Exact];

    pub fn next(self) -> Measure {
        match self {
            Measure::F1 => Measure::Precision,
            Measure::Precision => Measure::Recall,
            Measure::Recall => Measure::Exact,
            Measure::Exact => Measure::F1,
        }
    }

    /// The name in metrics.
    pub fn key(self) -> &'static str {
        match self {
            Measure::F1 => "f1",
            Measure::Precision => "precision",
            Measure::Recall => "recall",
            Measure::Exact => "exact",
        }
    }

    pub fn title(self) -> &'static str {
        match self {
            Measure::F1 => "F1",
            Measure::Precision => "precision",
            Measure::Recall => "recall",
            Measure::Exact => "exact match",
        }
    }
}
