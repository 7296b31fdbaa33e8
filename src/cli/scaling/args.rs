//! Arguments of `scaling`.

use super::program::{Family, Point, Sizes};
use crate::cli::values::{positive, several};
use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// What a panel varies while the other two stay.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Axis {
    /// Nonterminals of the PCFG (it has no need of more preterminals here), states of the HMM
    States,
    /// Words of the sentence
    Length,
    Rank,
}

#[derive(Debug, Args)]
#[command(
    after_help = "A sentence is timed in both orders of elimination: states summed out once \
                  (rank), or ranks summed out span by span or word by word (state). `parse` is \
                  inside and outside with a grammar that stands still; `train` adds the gradients \
                  of its matrices and, in the rank order, the building of H and I (of A), which a \
                  step of training does once a batch. Networks are in neither. Repeats take turns, \
                  and the least counts. Exponents are fitted to the larger half of the sizes. \
                  Memory is what the process grows by in a process of its own, beside the \
                  parameters.\n\
                  Ctrl-C ends the measuring and keeps what is done.\n\
                  Example: rankspace scaling --family pcfg --against states --out scaling"
)]
pub struct Scaling {
    /// Which program [default: both]
    #[arg(long, value_name = "FAMILY", value_enum, value_delimiter = ',')]
    pub family: Vec<Family>,
    /// What to vary [default: all three]
    #[arg(long, value_name = "AXIS", value_enum, value_delimiter = ',')]
    pub against: Vec<Axis>,
    /// Words of the sentence where they stay [default: 24 of a PCFG, 64 of an HMM]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = positive)]
    pub length: Option<usize>,
    /// States where they stay
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = positive,
          default_value_t = 1024)]
    pub states: usize,
    /// Rank where it stays
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = positive,
          default_value_t = 256)]
    pub rank: usize,
    /// Sizes of what is varied, instead of seven by default; with one --against
    #[arg(long, value_name = "A,B,C", value_delimiter = ',', value_parser = positive)]
    pub sizes: Vec<usize>,
    /// How often each point is timed
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = several,
          default_value_t = 5)]
    pub repeats: usize,
    /// Cores to use [default: all]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = several)]
    pub threads: Option<usize>,
    /// Folder to make, for the table (CSV) and the charts (SVG)
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
    /// Measure the memory of one point here and print it
    #[arg(long, hide = true, value_name = "POINT", value_parser = Point::parse)]
    pub memory_of: Option<Point>,
}

impl Axis {
    pub const ALL: [Axis; 3] = [Axis::States, Axis::Length, Axis::Rank];

    pub fn name(self) -> &'static str {
        match self {
            Axis::States => "states",
            Axis::Length => "length",
            Axis::Rank => "rank",
        }
    }

    /// The size that it varies.
    pub fn of(self, sizes: &mut Sizes) -> &mut usize {
        match self {
            Axis::States => &mut sizes.states,
            Axis::Length => &mut sizes.length,
            Axis::Rank => &mut sizes.rank,
        }
    }

    /// Seven sizes, so that the larger half is four.
    pub fn usual(self, family: Family) -> [usize; 7] {
        match (self, family) {
            (Axis::States, _) => [128, 256, 512, 1024, 2048, 4096, 8192],
            (Axis::Length, Family::Pcfg) => [10, 14, 20, 28, 40, 56, 80],
            (Axis::Length, Family::Hmm) => [16, 32, 64, 128, 256, 512, 1024],
            (Axis::Rank, _) => [32, 64, 128, 256, 512, 1024, 2048],
        }
    }
}
