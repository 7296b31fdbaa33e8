//! A pseudo-terminal with the built program in it, and what a person would see there.

use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};
use rankspace::workbench::ScreenId;
use rankspace::workbench::commands::table;
use std::io::{Read, Write};
use std::num::NonZero;
use std::path::Path;
use std::sync::{Arc, Condvar, Mutex};
use std::time::{Duration, Instant};

/// Longest wait for anything: generous, for machines where other tests run as well.
const DEADLINE: Duration = Duration::from_secs(120);

fn size_of(n: u16) -> NonZero<u16> {
    NonZero::new(n).expect("a terminal has rows and columns")
}

/// What a terminal sends for the first key of a command, as the table of commands has it.
pub fn key_of(screen: Option<ScreenId>, command: &str) -> String {
    let (_, found) = table()
        .find(|(scope, c)| *scope == screen && c.name == command)
        .unwrap_or_else(|| panic!("no command `{command}` on {screen:?}"));
    let key = found.keys.first().unwrap_or_else(|| panic!("no key for `{command}`"));
    bytes_of(key)
}

/// What a terminal sends for a key.
pub fn bytes_of(key: &str) -> String {
    match key {
        "Enter" => "\r".into(),
        "Esc" => "\u{1b}".into(),
        "Tab" => "\t".into(),
        "Space" => " ".into(),
        "Up" => "\u{1b}[A".into(),
        "Down" => "\u{1b}[B".into(),
        "Right" => "\u{1b}[C".into(),
        "Home" => "\u{1b}[H".into(),
        "Shift-Down" => "\u{1b}[1;2B".into(),
        "Left" => "\u{1b}[D".into(),
        "F5" => "\u{1b}[15~".into(),
        _ => match (key.strip_prefix("Ctrl-"), key.chars().count()) {
            (Some(letter), _) if letter.len() == 1 => {
                char::from(letter.as_bytes()[0].to_ascii_uppercase() & 0x1f).into()
            }
            (None, 1) => key.into(),
            _ => panic!("no scenario types {key} yet"),
        },
    }
}

/// The screen as it stands, and whether more can come.
struct Seen {
    parser: vt100::Parser,
    closed: bool,
}

/// The program in a terminal of its own, with a home directory of its own.
pub struct Session {
    master: Box<dyn MasterPty + Send>,
    writer: Box<dyn Write + Send>,
    child: Box<dyn Child + Send + Sync>,
    seen: Arc<(Mutex<Seen>, Condvar)>,
    /// Home and working directory; removed with the session unless it was kept.
    folder: Option<tempfile::TempDir>,
}

impl Session {
    /// Seconds of processor time that the program has used; `None` where the system does not tell.
    pub fn processor_seconds(&self) -> Option<f64> {
        let stat =
            std::fs::read_to_string(format!("/proc/{}/stat", self.child.process_id()?)).ok()?;
        // Behind the name in brackets: the state is field 3, user and system time 14 and 15.
        let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
        let ticks = |field: usize| fields.get(field - 3)?.parse::<f64>().ok();
        // SAFETY: asks for a constant of the system.
        let per_second = unsafe { libc::sysconf(libc::_SC_CLK_TCK) } as f64;
        Some((ticks(14)? + ticks(15)?) / per_second)
    }

    /// Starts `rankspace ARGUMENTS` in a fresh home and working directory.
    pub fn start(arguments: &[&str], columns: u16, rows: u16) -> Session {
        Session::start_with(arguments, columns, rows, &[], |_| {})
    }

    /// The same with more environment, after `prepare` has filled the working directory.
    pub fn start_with(
        arguments: &[&str],
        columns: u16,
        rows: u16,
        environment: &[(&str, &str)],
        prepare: impl FnOnce(&Path),
    ) -> Session {
        let folder = tempfile::tempdir().expect("a temporary folder");
        for name in ["home", "work"] {
            std::fs::create_dir(folder.path().join(name)).expect("makes a folder");
        }
        prepare(&folder.path().join("work"));
        Session::start_in(folder, arguments, columns, rows, environment)
    }

    /// The same in the home and working directory that a session before was in.
    pub fn start_in(
        folder: tempfile::TempDir,
        arguments: &[&str],
        columns: u16,
        rows: u16,
        environment: &[(&str, &str)],
    ) -> Session {
        let (home, work) = (folder.path().join("home"), folder.path().join("work"));
        let size = PtySize { rows, cols: columns, pixel_width: 0, pixel_height: 0 };
        let pty = native_pty_system().openpty(size).expect("a pseudo-terminal");
        let mut command = CommandBuilder::new(crate::call::program());
        command.args(arguments);
        command.cwd(&work);
        command.env_clear();
        command.env("HOME", &home);
        command.env("XDG_DATA_HOME", home.join("data"));
        command.env("PATH", std::env::var_os("PATH").unwrap_or_default());
        command.env("TERM", "xterm-256color");
        command.env("LANG", "C.UTF-8");
        for (name, value) in environment {
            command.env(name, value);
        }
        let child = pty.slave.spawn_command(command).expect("starts");
        let parser = vt100::Parser::new(size_of(rows), size_of(columns), 0);
        let seen = Arc::new((Mutex::new(Seen { parser, closed: false }), Condvar::new()));
        let (mut reader, told) = (pty.master.try_clone_reader().expect("a reader"), seen.clone());
        std::thread::spawn(move || {
            let mut bytes = [0; 4096];
            loop {
                let read = reader.read(&mut bytes);
                let (lock, changed) = &*told;
                let mut seen = lock.lock().expect("no reader panics");
                match read {
                    Ok(n) if n > 0 => seen.parser.process(&bytes[..n]),
                    // A terminal whose program has gone reads as an error.
                    _ => seen.closed = true,
                }
                changed.notify_all();
                if seen.closed {
                    return;
                }
            }
        });
        let writer = pty.master.take_writer().expect("a writer");
        // The slave stays open in the child alone, so that its end is seen; `pty.slave` drops here.
        Session { master: pty.master, writer, child, seen, folder: Some(folder) }
    }

    /// The folder (working directory `work` within) to outlive the session.
    pub fn keep(mut self) -> (tempfile::TempDir, Session) {
        (self.folder.take().expect("kept only once"), self)
    }

    /// Types.
    pub fn keys(&mut self, text: &str) -> &mut Self {
        self.writer.write_all(text.as_bytes()).expect("the terminal takes keys");
        self.writer.flush().expect("the terminal takes keys");
        self
    }

    /// Presses and releases the left button in a cell, counted from 0.
    pub fn click(&mut self, column: u16, row: u16) -> &mut Self {
        self.mouse(0, (column, row), 'M').mouse(0, (column, row), 'm')
    }

    /// Drags from one cell to another.
    pub fn drag(&mut self, from: (u16, u16), to: (u16, u16)) -> &mut Self {
        self.mouse(0, from, 'M').mouse(32, to, 'M').mouse(0, to, 'm')
    }

    /// Turns the wheel down over a cell.
    pub fn wheel_down(&mut self, column: u16, row: u16) -> &mut Self {
        self.mouse(65, (column, row), 'M')
    }

    /// What a terminal sends of the mouse (SGR); fails where it was not asked to.
    fn mouse(&mut self, button: u16, (column, row): (u16, u16), end: char) -> &mut Self {
        self.until("a program that takes the mouse", |screen| {
            screen.mouse_protocol_mode() == vt100::MouseProtocolMode::ButtonMotion
                && screen.mouse_protocol_encoding() == vt100::MouseProtocolEncoding::Sgr
        });
        self.keys(&format!("\u{1b}[<{button};{};{}{end}", column + 1, row + 1))
    }

    /// Waits for a text, and gives the cell where it begins.
    pub fn finds(&mut self, text: &str) -> (u16, u16) {
        let cell = |screen: &vt100::Screen| {
            let (rows, columns) = screen.size();
            (0..rows.get()).find_map(|row| {
                let cells: Vec<String> = (0..columns.get())
                    .map(|c| match screen.cell(row, c).map(|cell| cell.contents()) {
                        // A cell that nothing was written to is a blank one.
                        None | Some("") => " ".to_owned(),
                        Some(symbol) => symbol.to_owned(),
                    })
                    .collect();
                let from = |column: &u16| cells[usize::from(*column)..].concat();
                (0..columns.get())
                    .find(|column| from(column).starts_with(text))
                    .map(|column| (column, row))
            })
        };
        self.until(&format!("`{text}`"), |screen| cell(screen).is_some());
        self.look(cell).unwrap_or_else(|| panic!("`{text}` went away"))
    }

    /// Types the key of a command that works on every screen.
    pub fn does(&mut self, command: &str) -> &mut Self {
        self.keys(&key_of(None, command))
    }

    /// Types the key of a command of a screen, which must be in view.
    pub fn does_on(&mut self, screen: ScreenId, command: &str) -> &mut Self {
        self.keys(&key_of(Some(screen), command))
    }

    /// Waits until the screen is as wanted; fails with the screen if it never is.
    pub fn until(&mut self, what: &str, wanted: impl Fn(&vt100::Screen) -> bool) -> &mut Self {
        let deadline = Instant::now() + DEADLINE;
        let (lock, changed) = &*self.seen;
        let mut seen = lock.lock().expect("no reader panics");
        loop {
            if wanted(seen.parser.screen()) {
                break;
            }
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() || seen.closed {
                let contents = seen.parser.screen().contents();
                // Not to poison what the reader holds.
                drop(seen);
                panic!("waited for {what}; the screen is\n{contents}");
            }
            seen = changed.wait_timeout(seen, left).expect("no reader panics").0;
        }
        drop(seen);
        self
    }

    /// Waits until a text stands on the screen.
    pub fn sees(&mut self, text: &str) -> &mut Self {
        self.until(&format!("`{text}`"), |screen| screen.contents().contains(text))
    }

    /// Waits until a text no longer stands on the screen.
    pub fn sees_no(&mut self, text: &str) -> &mut Self {
        self.until(&format!("no `{text}`"), |screen| !screen.contents().contains(text))
    }

    /// What stands on the screen.
    pub fn contents(&self) -> String {
        self.seen.0.lock().expect("no reader panics").parser.screen().contents()
    }

    /// What `look` finds on the screen.
    pub fn look<T>(&self, look: impl FnOnce(&vt100::Screen) -> T) -> T {
        look(self.seen.0.lock().expect("no reader panics").parser.screen())
    }

    /// Drags the window.
    pub fn resize(&mut self, columns: u16, rows: u16) -> &mut Self {
        let size = PtySize { rows, cols: columns, pixel_width: 0, pixel_height: 0 };
        self.seen
            .0
            .lock()
            .expect("no reader panics")
            .parser
            .screen_mut()
            .set_size(size_of(rows), size_of(columns));
        self.master.resize(size).expect("resizes");
        self
    }

    /// Sends a signal to the program.
    pub fn signal(&mut self, signal: libc::c_int) -> &mut Self {
        let pid = self.child.process_id().expect("it runs") as libc::pid_t;
        // SAFETY: kill takes any pid and signal and touches no memory of ours.
        assert_eq!(unsafe { libc::kill(pid, signal) }, 0);
        self
    }

    /// Whether the terminal takes lines and echoes them, as a shell expects it.
    fn is_cooked(&self) -> bool {
        let fd = self.master.as_raw_fd().expect("a unix terminal");
        let mut modes = std::mem::MaybeUninit::<libc::termios>::uninit();
        // SAFETY: tcgetattr fills the struct that it is given when it returns 0.
        let modes = unsafe {
            assert_eq!(libc::tcgetattr(fd, modes.as_mut_ptr()), 0);
            modes.assume_init()
        };
        let wanted = libc::ICANON | libc::ECHO;
        modes.c_lflag & wanted == wanted
    }

    /// Waits for the end; the terminal must be as it was before. Gives the exit code.
    pub fn ends_clean(mut self) -> u32 {
        let status = self.wait();
        let deadline = Instant::now() + DEADLINE;
        let (lock, changed) = &*self.seen;
        let mut seen = lock.lock().expect("no reader panics");
        let clean = |s: &vt100::Screen| {
            let has_mouse = s.mouse_protocol_mode() != vt100::MouseProtocolMode::None;
            !s.alternate_screen() && !s.hide_cursor() && !s.bracketed_paste() && !has_mouse
        };
        while !clean(seen.parser.screen()) {
            let left = deadline.saturating_duration_since(Instant::now());
            assert!(!left.is_zero() && !seen.closed, "the terminal was left as it was not before");
            seen = changed.wait_timeout(seen, left).expect("no reader panics").0;
        }
        drop(seen);
        assert!(self.is_cooked(), "raw mode was left on");
        status
    }

    fn wait(&mut self) -> u32 {
        let deadline = Instant::now() + DEADLINE;
        loop {
            if let Some(status) = self.child.try_wait().expect("a child of ours") {
                return status.exit_code();
            }
            assert!(Instant::now() < deadline, "it does not end; it shows\n{}", self.contents());
            // Wakes with whatever the program still draws.
            let (lock, changed) = &*self.seen;
            let seen = lock.lock().expect("no reader panics");
            drop(changed.wait_timeout(seen, Duration::from_millis(20)).expect("no reader panics"));
        }
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        // Ends what a failed test left; one that has ended is no matter.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
