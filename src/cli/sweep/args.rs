//! Arguments of `sweep`.

use crate::cli::values::several;
use clap::Args;
use std::path::PathBuf;

#[derive(Debug, Args)]
#[command(group(clap::ArgGroup::new("settings").required(true).args(["config", "preset"])))]
#[command(
    after_help = "The folder gets the table as table.csv and table.tex, and figure.svg where \
                        the first setting is a number. Called again with the same --out, or by \
                        `rankspace resume DIR`, it goes on where it was stopped.\n\
                        Example: rankspace sweep --preset hmm-small --vary \
                        model.states=256,512,1024 --seeds 3 --out states"
)]
pub struct Sweep {
    /// Config file (TOML)
    #[arg(value_name = "CONFIG")]
    pub config: Option<PathBuf>,
    /// A named preset instead of a file; `rankspace presets` lists them
    #[arg(long, value_name = "NAME")]
    pub preset: Option<String>,
    /// Change one setting of all runs; may be repeated
    #[arg(long, value_name = "KEY=VALUE")]
    pub set: Vec<String>,
    /// Vary a setting; given several times, every value meets every value of the others
    #[arg(long, value_name = "KEY=A,B,C", required = true)]
    pub vary: Vec<String>,
    /// Seeds for every choice of values, counted up from the config's
    #[arg(long, value_name = "N", allow_negative_numbers = true, default_value_t = 1,
          value_parser = several)]
    pub seeds: usize,
    /// How many runs at a time, as far as they fit into the memory
    #[arg(long, value_name = "N", allow_negative_numbers = true, default_value_t = 1,
          value_parser = several)]
    pub parallel: usize,
    /// Device to compute on: auto, cpu or cuda:N
    #[arg(long, value_name = "DEVICE")]
    pub device: Option<String>,
    /// Folder to make, or of an earlier call [default: runs/DATE-FAMILY-sweep]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// End with one JSON object on standard output; all other lines go to standard error
    #[arg(long)]
    pub json: bool,
}
