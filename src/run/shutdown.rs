//! Signals that end the process: every job finishes its step, writes `last` and stops.
//!
//! The flag is the process's, as signals are; it decides nothing but when to stop.

use super::RunError;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock};

static STOP: LazyLock<Arc<AtomicBool>> = LazyLock::new(|| Arc::new(AtomicBool::new(false)));

/// From now on SIGTERM, SIGHUP and SIGINT stop all jobs gracefully. Called by the binary, once;
/// it then waits for its jobs ([`Job::join`](super::Job::join)). A second SIGINT kills.
pub fn stop_on_signals() -> Result<(), RunError> {
    let start = |source| RunError::Start { what: "listening to signals".into(), source };
    // Registered first, so that it sees the flag as the signal before left it.
    signal_hook::flag::register_conditional_default(SIGINT, STOP.clone()).map_err(start)?;
    for signal in [SIGTERM, SIGHUP, SIGINT] {
        signal_hook::flag::register(signal, STOP.clone()).map_err(start)?;
    }
    Ok(())
}

/// Stops all jobs of this process as a signal would.
pub fn request_stop() {
    STOP.store(true, Ordering::Relaxed);
}

/// Whether a signal asked this process to end.
pub fn stop_requested() -> bool {
    STOP.load(Ordering::Relaxed)
}
