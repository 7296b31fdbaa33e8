//! How a command fails: one clear line on standard error and an exit code.

use super::plain::tell;
use std::io;
use std::process::ExitCode;

/// The command line asks for something that there is not: exit code 2.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct Usage(pub String);

/// The command failed and has already said why: exit code 1 without a further line.
#[derive(Debug, thiserror::Error)]
#[error("failed as told")]
pub struct Told;

/// Prints the error and chooses the exit code.
pub fn exit(result: anyhow::Result<()>) -> ExitCode {
    let Err(error) = result else {
        return ExitCode::SUCCESS;
    };
    if is_closed_pipe(&error) {
        // Whoever reads us has enough, as `head` does.
        return ExitCode::SUCCESS;
    }
    if error.is::<Told>() {
        return ExitCode::FAILURE;
    }
    tell(&format!("error: {}", one_line(&error)));
    if error.is::<Usage>() { ExitCode::from(2) } else { ExitCode::FAILURE }
}

/// Whether the reader of standard output went away.
pub fn is_closed_pipe(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| {
        cause.downcast_ref::<io::Error>().is_some_and(|e| e.kind() == io::ErrorKind::BrokenPipe)
            || cause
                .downcast_ref::<serde_json::Error>()
                .is_some_and(|e| e.io_error_kind() == Some(io::ErrorKind::BrokenPipe))
    })
}

/// The error with its causes, each told once, without line breaks.
fn one_line(error: &anyhow::Error) -> String {
    let mut text = String::new();
    for cause in error.chain().map(ToString::to_string) {
        if text.is_empty() {
            text = cause;
        } else if !text.contains(&cause) {
            text = format!("{text}: {cause}");
        }
    }
    text.lines().map(str::trim).filter(|line| !line.is_empty()).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use anyhow::Context;

    #[test]
    fn an_error_is_one_line_that_tells_every_cause_once() {
        let cause = io::Error::other("disk\n  full");
        let error = Err::<(), _>(cause).context("cannot write a.txt").unwrap_err();
        assert_eq!(one_line(&error), "cannot write a.txt: disk full");
        let told = Err::<(), _>(io::Error::other("full")).context("a.txt: full").unwrap_err();
        assert_eq!(one_line(&told), "a.txt: full");
    }

    #[test]
    fn a_closed_pipe_is_recognised_behind_a_context_too() {
        let pipe = io::Error::from(io::ErrorKind::BrokenPipe);
        assert!(is_closed_pipe(&Err::<(), _>(pipe).context("printing").unwrap_err()));
        assert!(!is_closed_pipe(&anyhow::anyhow!("broken pipe")));
    }
}
