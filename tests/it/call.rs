//! A fluent way to call the program in tests: arguments, then what is expected of it.

use std::io::{BufRead, BufReader, Lines, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};

/// The program that was just built; for figures of a release the one that `RANKSPACE_PROGRAM` names.
pub fn program() -> PathBuf {
    let named = std::env::var_os("RANKSPACE_PROGRAM").map(PathBuf::from);
    let named = named.map(|path| std::path::absolute(path).expect("a path"));
    named.unwrap_or_else(|| env!("CARGO_BIN_EXE_rankspace").into())
}

/// One call of the program, written as in the manual and followed by what is expected of it.
pub struct Call {
    command: Command,
    input: Vec<u8>,
}

/// `rankspace` with arguments split at blanks; [`Call::arg`] adds those that hold blanks.
pub fn rankspace(arguments: &str) -> Call {
    let mut command = Command::new(program());
    command.args(arguments.split_whitespace()).env("RAYON_NUM_THREADS", "1");
    Call { command, input: Vec::new() }
}

impl Call {
    /// Further arguments, split at blanks.
    pub fn args(mut self, arguments: &str) -> Call {
        self.command.args(arguments.split_whitespace());
        self
    }

    /// One argument, blanks and all.
    pub fn arg(mut self, argument: impl AsRef<std::ffi::OsStr>) -> Call {
        self.command.arg(argument);
        self
    }

    pub fn within(mut self, folder: &Path) -> Call {
        self.command.current_dir(folder);
        self
    }

    pub fn env(mut self, name: &str, value: impl AsRef<std::ffi::OsStr>) -> Call {
        self.command.env(name, value);
        self
    }

    pub fn input(mut self, text: &str) -> Call {
        self.input = text.into();
        self
    }

    /// Starts the program and leaves it running, its standard output to be read line by line.
    pub fn starts(mut self) -> Running {
        let shown = format!("{:?}", self.command);
        self.command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = self.command.spawn().expect("the program starts");
        let lines = BufReader::new(child.stdout.take().expect("piped")).lines();
        Running { shown, child, lines }
    }

    /// Runs to the end, whatever the exit code is.
    pub fn run(mut self) -> (i32, Ran) {
        let shown = format!("{:?}", self.command);
        let mut child = self
            .command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program starts");
        // The program may end without reading its input.
        let _ = child.stdin.take().expect("piped").write_all(&self.input);
        let output = child.wait_with_output().expect("the program ends");
        let text = |bytes| String::from_utf8(bytes).expect("output is UTF-8");
        let ran = Ran { shown, stdout: text(output.stdout), stderr: text(output.stderr) };
        (output.status.code().unwrap_or(-1), ran)
    }

    /// Ends with exit code 0.
    pub fn succeeds(self) -> Ran {
        let (code, ran) = self.run();
        assert_eq!(code, 0, "{ran}");
        ran
    }

    /// What it writes, which is no text; ends with exit code 0.
    pub fn writes(mut self) -> Vec<u8> {
        let file = tempfile::NamedTempFile::new().expect("a temporary file");
        let into = file.reopen().expect("opens");
        self.command.stdin(Stdio::piped()).stdout(into).stderr(Stdio::null());
        let mut child = self.command.spawn().expect("the program starts");
        child.stdin.take().expect("piped").write_all(&self.input).expect("it reads");
        assert!(child.wait().expect("the program ends").success());
        std::fs::read(file.path()).expect("readable")
    }

    /// Ends with exit code 1 and exactly one line on standard error: data or a run failed.
    pub fn fails(self) -> Ran {
        let (code, ran) = self.run();
        assert_eq!(code, 1, "{ran}");
        let errors = ran.stderr.lines().filter(|l| l.starts_with("error: ")).count();
        assert_eq!(errors, 1, "one line tells the error: {ran}");
        ran
    }

    /// Ends with exit code 2 and says what is wrong: the command line is.
    pub fn refused(self) -> Ran {
        let (code, ran) = self.run();
        assert_eq!(code, 2, "{ran}");
        assert!(ran.stderr.starts_with("error: "), "{ran}");
        assert_eq!(ran.stdout, "", "{ran}");
        ran
    }
}

/// A program that goes on while the test does.
pub struct Running {
    shown: String,
    child: Child,
    lines: Lines<BufReader<ChildStdout>>,
}

impl Running {
    /// Reads standard output up to the first line that holds `part`, which it gives.
    pub fn says(&mut self, part: &str) -> String {
        let mut seen = Vec::new();
        for line in self.lines.by_ref() {
            let line = line.expect("output is UTF-8");
            if line.contains(part) {
                return line;
            }
            seen.push(line);
        }
        panic!("{} ended without saying {part:?}:\n{}", self.shown, seen.join("\n"));
    }

    /// The next line of standard output; `None` at its end.
    pub fn next_line(&mut self) -> Option<String> {
        self.lines.next().map(|line| line.expect("output is UTF-8"))
    }

    /// Sends a signal.
    #[cfg(unix)]
    pub fn signal(&self, signal: libc::c_int) {
        let pid = libc::pid_t::try_from(self.child.id()).expect("a process number");
        // SAFETY: `kill` only sends a signal, to a child that was not waited for yet.
        assert_eq!(unsafe { libc::kill(pid, signal) }, 0, "the process is there");
    }

    /// Reads on no more: for the program, the pipe is closed.
    pub fn stop_reading(self) -> (Option<i32>, String) {
        drop(self.lines);
        let output = self.child.wait_with_output().expect("the program ends");
        (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
    }

    /// Waits for the end; exit code (none after a deadly signal) and standard error.
    pub fn ends(mut self) -> (Option<i32>, String) {
        self.lines.by_ref().for_each(drop);
        self.stop_reading()
    }
}

/// What a call printed.
pub struct Ran {
    shown: String,
    pub stdout: String,
    pub stderr: String,
}

impl std::fmt::Display for Ran {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        write!(f, "{}\nstdout:\n{}\nstderr:\n{}", self.shown, self.stdout, self.stderr)
    }
}

impl Ran {
    pub fn prints(self, part: &str) -> Ran {
        assert!(self.stdout.contains(part), "expected {part:?} on stdout of {self}");
        self
    }

    pub fn complains(self, part: &str) -> Ran {
        assert!(self.stderr.contains(part), "expected {part:?} on stderr of {self}");
        self
    }

    /// Standard output as one JSON value.
    pub fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|e| panic!("{e}: {self}"))
    }

    /// Standard output as one JSON value a line.
    pub fn json_lines(&self) -> Vec<serde_json::Value> {
        let line = |l| serde_json::from_str(l).unwrap_or_else(|e| panic!("{e}: {self}"));
        self.stdout.lines().map(line).collect()
    }
}
