//! What is done before a signal ends a command that writes files.

use crate::checkpoint::remove_temporaries;
use anyhow::{Context, Result};

/// From now on SIGTERM, SIGHUP and SIGINT end the process as ever, but only when the temporary
/// files of what it was writing are gone. One that is ignored, as `nohup` has it, stays ignored.
#[cfg(unix)]
pub fn clean_up_on_signals() -> Result<()> {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    use signal_hook::iterator::Signals;
    let heeded = [SIGTERM, SIGHUP, SIGINT].into_iter().filter(|&signal| !is_ignored(signal));
    let mut signals = Signals::new(heeded).context("listening to signals")?;
    let wait = move || {
        for signal in signals.forever() {
            remove_temporaries(|| {
                let _ = signal_hook::low_level::emulate_default_handler(signal);
            });
        }
    };
    let thread = std::thread::Builder::new().name("signals".into());
    thread.spawn(wait).context("listening to signals")?;
    Ok(())
}

#[cfg(unix)]
fn is_ignored(signal: libc::c_int) -> bool {
    let mut action = std::mem::MaybeUninit::<libc::sigaction>::uninit();
    // SAFETY: without a new action `sigaction` only fills in the present one, which is read only
    // where it did.
    unsafe {
        libc::sigaction(signal, std::ptr::null(), action.as_mut_ptr()) == 0
            && action.assume_init().sa_sigaction == libc::SIG_IGN
    }
}

#[cfg(not(unix))]
pub fn clean_up_on_signals() -> Result<()> {
    Ok(())
}
