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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;
    use std::os::unix::fs::PermissionsExt;
    use std::time::{Duration, Instant};

    #[test]
    fn the_program_runs_in_a_session_of_its_own_with_the_folder_as_argument() {
        let base = tempfile::tempdir().expect("temporary folder");
        let folder = RunFolder::create(base.path(), &Config::default()).expect("creates");
        let program = base.path().join("program");
        let script = "#!/bin/sh\necho \"$1 $2 $(cut -d' ' -f6 /proc/self/stat) end\"\n";
        std::fs::write(&program, script).expect("writes");
        let executable = std::fs::Permissions::from_mode(0o755);
        std::fs::set_permissions(&program, executable).expect("permissions");
        let pid = spawn(&program, &folder).expect("starts");
        let deadline = Instant::now() + Duration::from_secs(30);
        let said = loop {
            let said = std::fs::read_to_string(folder.path().join("resume.log")).expect("reads");
            if said.ends_with("end\n") {
                break said;
            }
            assert!(Instant::now() < deadline, "said {said:?}");
            std::thread::yield_now();
        };
        assert_eq!(said.trim(), format!("resume {} {pid} end", folder.path().display()));
    }
}
