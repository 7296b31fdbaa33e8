use super::{RunError, RunFolder};
use std::fs::OpenOptions;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};

/// Starts `rankspace resume DIR` as a process of its own that outlives this one and its
/// terminal; what it prints goes to `resume.log` in the folder. Gives its process id.
/// The folder must be free: stop and join the job first.
pub fn spawn_detached(folder: &RunFolder) -> Result<u32, RunError> {
    let start = |source| RunError::Start { what: "rankspace resume".into(), source };
    spawn(&std::env::current_exe().map_err(start)?, folder)
}

fn spawn(program: &Path, folder: &RunFolder) -> Result<u32, RunError> {
    let log_path = folder.path().join("resume.log");
    let log = OpenOptions::new().create(true).append(true).open(&log_path);
    let log = log.map_err(RunError::io(&log_path))?;
    let copy = log.try_clone().map_err(RunError::io(&log_path))?;
    // The child starts in this working directory too, so that relative corpus paths hold.
    let mut command = Command::new(program);
    command.arg("resume").arg(folder.path()).stdin(Stdio::null()).stdout(log).stderr(copy);
    // SAFETY: setsid is async-signal-safe and touches no memory of ours.
    unsafe {
        command.pre_exec(|| match libc::setsid() {
            -1 => Err(std::io::Error::last_os_error()),
            _ => Ok(()),
        });
    }
    let child = command.spawn().map_err(|source| RunError::Start {
        what: format!("{} resume", program.display()),
        source,
    })?;
    Ok(child.id())
}
