use crate::report::counted;

/// What one piece of a trainer's work was.
#[derive(Debug)]
pub enum Progress<E> {
    /// One optimiser step.
    Step,
    /// A piece of an evaluation that is not finished.
    Evaluating,
    /// An evaluation is complete.
    Evaluated(E),
    /// Nothing is left to do.
    Finished(Ending),
}

/// Why training ended by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    Epochs(u64),
    MaxSteps(u64),
    /// So many evaluations in a row were no better.
    Patience(u64),
}

impl std::fmt::Display for Ending {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        match self {
            Ending::Epochs(1) => write!(f, "its epoch is done"),
            Ending::Epochs(n) => write!(f, "all {n} epochs are done"),
            Ending::MaxSteps(n) => write!(f, "the limit of {} is reached", counted(*n, "step")),
            Ending::Patience(n) => {
                write!(f, "no better development figure in {}", counted(*n, "evaluation"))
            }
        }
    }
}
