//! Files that `torch.save` wrote, read and written without Python.
//!
//! Both formats of PyTorch, the zip archive and the older row of pickles, hold one pickle that
//! refers to storages of numbers. The pickle is interpreted by a whitelist (`pickle`), sizes are
//! bounded by the file, and a tensor is copied out only when it is asked for. Files from outside
//! may hold anything: every fault is one sentence, never a panic.

mod bytes;
mod pickle;
mod state;
#[cfg(test)]
mod tests;
mod value;
mod words;
mod write;
mod zip;

pub(super) use state::{Settings, StateFile};
pub(super) use words::words;
pub(super) use write::{Optimizer, write};
