//! What all HMM families share: dropout in the log domain, the lattice of a training step, frozen
//! weights.

pub(super) mod infer;
pub(super) mod mask;
pub(super) mod parser;
