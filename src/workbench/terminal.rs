//! The terminal itself: set up, given back on every way out, and the loop between.
//!
//! | thread | does |
//! |---|---|
//! | the caller's | owns all state; takes messages, draws |
//! | `input` | blocks on the terminal, sends keys |
//! | `signals` | SIGTERM, SIGHUP, SIGINT become messages |
//! | jobs, followers, tasks | work, send messages |

use super::WorkbenchError;
use super::app::App;
use super::message::Message;
use crossbeam_channel::{Receiver, Sender};
use crossterm::event::{DisableBracketedPaste, EnableBracketedPaste};
use crossterm::terminal::{
    EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode,
};
use crossterm::{Command, cursor, execute};
use ratatui::Terminal;
use ratatui::backend::Backend;
use std::io::Write;
use std::thread::ThreadId;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// Shortest time between two frames that nobody asked for; a key is answered at once.
const FRAME: Duration = Duration::from_millis(33);
/// Longest time that messages are taken in before a frame is drawn.
const DRAIN: Duration = Duration::from_millis(8);
/// Time between ticks while something moves.
const TICK: Duration = Duration::from_millis(100);

/// Seconds since 1970.
pub fn now() -> f64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0.0, |d| d.as_secs_f64())
}

/// Raw mode and the alternate screen, for as long as it lives.
pub struct Guard;

impl Guard {
    /// Takes the terminal; the panic hook gives it back if this thread dies, and keeps
    /// panics of other threads off the screen (their owners report them).
    pub fn take(messages: Sender<Message>) -> std::io::Result<Guard> {
        install_panic_hook(std::thread::current().id(), messages);
        enable_raw_mode()?;
        let guard = Guard;
        execute!(std::io::stdout(), EnterAlternateScreen, EnableBracketedPaste, cursor::Hide)?;
        Ok(guard)
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        give_back();
    }
}

/// Leaves the terminal as it was. A terminal that is gone cannot be helped.
fn give_back() {
    let mut out = std::io::stdout();
    let _ = execute!(out, Mouse(false), DisableBracketedPaste, LeaveAlternateScreen, cursor::Show);
    let _ = out.flush();
    let _ = disable_raw_mode();
}

/// Asks the terminal to report clicks, drags and the wheel, or to keep them. Without the reports of
/// every move of the mouse, which nobody here asks for and which are many over SSH.
struct Mouse(bool);

impl Command for Mouse {
    fn write_ansi(&self, f: &mut impl std::fmt::Write) -> std::fmt::Result {
        // Buttons, motion while one is pressed, coordinates beyond column 223 (SGR).
        f.write_str(match self.0 {
            true => "\u{1b}[?1000h\u{1b}[?1002h\u{1b}[?1006h",
            false => "\u{1b}[?1006l\u{1b}[?1002l\u{1b}[?1000l",
        })
    }

    #[cfg(windows)]
    fn execute_winapi(&self) -> std::io::Result<()> {
        match self.0 {
            true => crossterm::event::EnableMouseCapture.execute_winapi(),
            false => crossterm::event::DisableMouseCapture.execute_winapi(),
        }
    }

    #[cfg(windows)]
    fn is_ansi_code_supported(&self) -> bool {
        false
    }
}

fn install_panic_hook(drawing: ThreadId, messages: Sender<Message>) {
    let previous = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        if std::thread::current().id() == drawing {
            give_back();
            previous(info);
        } else {
            let thread = std::thread::current();
            let name = thread.name().unwrap_or("a thread");
            let text = format!("internal error in {name}: {info}");
            // Nobody listening means that the workbench is closing.
            let _ = messages.send(Message::Log(crate::report::Level::Error, text));
        }
    }));
}

/// A panic on the drawing thread, for the test that it leaves the terminal as it was. Builds for
/// users have none.
pub(super) fn fault_on_demand() {
    #[cfg(debug_assertions)]
    if std::env::var_os("RANKSPACE_FAULT").is_some_and(|fault| fault == "draw") {
        panic!("RANKSPACE_FAULT=draw asks for it");
    }
}

/// Blocks on the terminal and sends what it says.
pub fn spawn_input(messages: Sender<Message>) -> std::io::Result<()> {
    std::thread::Builder::new().name("input".into()).spawn(move || {
        loop {
            let message = match crossterm::event::read() {
                Ok(event) => Message::Terminal(event),
                Err(error) => Message::InputLost(error.to_string()),
            };
            let lost = matches!(message, Message::InputLost(_));
            if messages.send(message).is_err() || lost {
                return;
            }
        }
    })?;
    Ok(())
}

/// Turns the signals that ask a program to end into messages.
#[cfg(unix)]
pub fn spawn_signals(messages: Sender<Message>) -> std::io::Result<()> {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    let mut signals = signal_hook::iterator::Signals::new([SIGTERM, SIGHUP, SIGINT])?;
    std::thread::Builder::new().name("signals".into()).spawn(move || {
        for signal in signals.forever() {
            if messages.send(Message::Signal(signal)).is_err() {
                return;
            }
        }
    })?;
    Ok(())
}

#[cfg(not(unix))]
pub fn spawn_signals(_messages: Sender<Message>) -> std::io::Result<()> {
    Ok(())
}

/// Asks the terminal for the mouse, or gives it back. A terminal without one ignores it.
pub fn report_mouse(takes: bool) {
    let _ = execute!(std::io::stdout(), Mouse(takes));
}

/// Takes messages and draws until the workbench is done. Messages that wait are all taken
/// in before one frame is drawn, so that a key never stands behind more than one frame.
pub fn run_loop<B: Backend>(
    terminal: &mut Terminal<B>,
    app: &mut App,
    messages: &Receiver<Message>,
    report_mouse: impl Fn(bool),
) -> Result<(), WorkbenchError>
where
    B::Error: std::fmt::Display,
{
    // A terminal that is gone ends the workbench, but not before trainings wrote `last`.
    let mut lost: Option<String> = None;
    let mut last_frame: Option<Instant> = None;
    let mut last_tick = Instant::now();
    let mut dirty = true;
    let mut has_mouse = false;
    while !app.finished() {
        if lost.is_none() && app.takes_mouse() != has_mouse {
            has_mouse = app.takes_mouse();
            report_mouse(has_mouse);
        }
        dirty |= app.take_dirty();
        let since = last_frame.map(|t| t.elapsed());
        if dirty && (app.take_urgent() || since.is_none_or(|s| s >= FRAME)) {
            if lost.is_none()
                && let Err(error) = terminal.draw(|frame| app.draw(frame))
            {
                app.handle(Message::InputLost(error.to_string()), now());
                lost = Some(error.to_string());
                continue;
            }
            for text in app.take_copies() {
                copy(&text);
            }
            last_frame = Some(Instant::now());
            dirty = false;
        }
        let wait = if dirty {
            FRAME.saturating_sub(since.unwrap_or_default())
        } else if app.animates() {
            TICK.saturating_sub(last_tick.elapsed())
        } else {
            Duration::from_secs(3600)
        };
        if let Ok(message) = messages.recv_timeout(wait) {
            app.handle(message, now());
            let start = Instant::now();
            while start.elapsed() < DRAIN
                && !app.finished()
                && let Ok(message) = messages.try_recv()
            {
                app.handle(message, now());
            }
        }
        if app.animates() && last_tick.elapsed() >= TICK {
            app.tick(now());
            last_tick = Instant::now();
        }
    }
    lost.map_or(Ok(()), |reason| Err(WorkbenchError::Terminal(reason)))
}

/// Asks the user's own terminal to keep a text (OSC 52).
fn copy(text: &str) {
    let copy = crossterm::clipboard::CopyToClipboard::to_clipboard_from(text);
    // A terminal that cannot do it ignores it.
    let _ = execute!(std::io::stdout(), copy);
}
