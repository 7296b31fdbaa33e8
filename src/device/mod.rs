//! Floor 2: memory, matrix products and kernels of a computing device.
//!
//! An [`Engine`] is one device opened for one number type. Behind it stands a driver: a CUDA
//! device (feature `cuda`; its libraries are found at run time, so the program starts without
//! them), or the emulation, which runs the very same kernel sources compiled for the host by a
//! C++ compiler. So every number that a card computes can be checked where there is none. Only
//! plain numbers come in and go out: no words, no networks.
//!
//! Calls return before the work is done; it is done in the order of the calls. [`Engine::read`]
//! waits.

#[cfg(feature = "cuda")]
mod cuda;
mod driver;
mod emulated;
mod engine;
mod info;
mod list;
mod memory;
mod ops;
mod slices;
#[cfg(test)]
mod tests;

pub use driver::DeviceError;
pub use engine::{Engine, Matrix, Options};
pub use info::DeviceInfo;
pub use list::{Choice, choose, devices, is_setting, not_a_setting};
pub use memory::Room;
pub use ops::{AdamFactors, By, ChartPlaces, ChartValues, Columns, Dropped, Groups, LatticeValues};
pub use slices::{Bytes, Doubles, Ints, Reals};

/// The kernels, in the order in which they are compiled.
const SOURCES: [(&str, &str); 6] = [
    ("prelude.cu", include_str!("kernels/prelude.cu")),
    ("layers.cu", include_str!("kernels/layers.cu")),
    ("softmax.cu", include_str!("kernels/softmax.cu")),
    ("chart.cu", include_str!("kernels/chart.cu")),
    ("lattice.cu", include_str!("kernels/lattice.cu")),
    ("masks.cu", include_str!("kernels/masks.cu")),
];

/// All kernels as one source.
fn source() -> String {
    SOURCES.iter().map(|(_, text)| *text).collect()
}

/// The name of the number type in the kernels.
fn real_name(double: bool) -> &'static str {
    if double { "double" } else { "float" }
}
