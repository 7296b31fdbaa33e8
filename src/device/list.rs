//! Which devices there are, and which one a setting names.

use super::{DeviceError, DeviceInfo};

/// Said where a card is asked for and the program was built without the feature.
#[cfg(not(feature = "cuda"))]
pub(super) const NOT_BUILT: &str =
    "this program was built without CUDA; build it with `cargo build --release --features cuda`";

/// A device to compute on other than the host's own code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choice {
    Cuda(usize),
    /// The kernels of a card compiled for the host, for tests.
    Emulated,
}

impl std::fmt::Display for Choice {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Choice::Cuda(number) => write!(f, "cuda:{number}"),
            Choice::Emulated => f.write_str("an emulated device"),
        }
    }
}

/// Whether a setting means anything, on any machine.
pub fn is_setting(setting: &str) -> bool {
    matches!(setting, "auto" | "cpu" | "emulated") || card_number(setting).is_some()
}

/// What is said where it means nothing.
pub fn not_a_setting(setting: &str) -> DeviceError {
    DeviceError::Missing(format!("device = \"{setting}\": expected auto, cpu or cuda:N"))
}

fn card_number(setting: &str) -> Option<usize> {
    match setting.strip_prefix("cuda")? {
        "" => Some(0),
        rest => rest.strip_prefix(':')?.parse().ok(),
    }
}

/// The device of a setting: `auto` is the first card that works, else none; `cpu` is none.
///
/// # Errors
/// A sentence that says what was expected, or what is missing for the card that was asked for.
pub fn choose(setting: &str) -> Result<Option<Choice>, DeviceError> {
    match setting {
        "cpu" => Ok(None),
        "auto" => Ok(cards().ok().filter(|&n| n > 0).map(|_| Choice::Cuda(0))),
        "emulated" => Ok(Some(Choice::Emulated)),
        other => {
            let number = card_number(other).ok_or_else(|| not_a_setting(other))?;
            let count = cards().map_err(|reason| {
                DeviceError::Missing(format!("device = \"{other}\": {reason}"))
            })?;
            if number >= count {
                return Err(DeviceError::Missing(format!(
                    "device = \"{other}\": {count} CUDA {} found, counted from 0",
                    if count == 1 { "device was" } else { "devices were" }
                )));
            }
            Ok(Some(Choice::Cuda(number)))
        }
    }
}

/// All cards, with memory and use where they can be had; or why there are none, in a sentence.
pub fn devices() -> Result<Vec<DeviceInfo>, String> {
    #[cfg(feature = "cuda")]
    return super::cuda::devices();
    #[cfg(not(feature = "cuda"))]
    Err(NOT_BUILT.into())
}

/// The number of cards.
fn cards() -> Result<usize, String> {
    #[cfg(feature = "cuda")]
    return super::cuda::count();
    #[cfg(not(feature = "cuda"))]
    Err(NOT_BUILT.into())
}
