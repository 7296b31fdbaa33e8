//! The workbench in the terminal: state, messages and a pure draw.
//!
//! Input, events of runs and results of background tasks become one
//! [`message::Message`] on one channel. [`app::App`] takes messages in; each
//! [`screen::Screen`] owns its state and answers with [`screen::Effect`]s as data;
//! drawing reads and changes nothing. Nothing here knows how a figure is
//! computed, and nothing slow runs on the drawing thread.
//!
//! Files import in one direction. At the bottom stand [`names`], [`news`] and [`command`], then
//! [`message`], [`task`], [`engine`] and [`shared`]; on them [`screen`], what a screen is;
//! [`widgets`] and then [`screens`]; [`commands`], the table of what they all can do;
//! [`layers`]; [`frame`], which draws what it is given; and on top [`app`].

pub mod app;
#[cfg(test)]
mod app_feel_tests;
#[cfg(test)]
mod app_run_tests;
#[cfg(test)]
mod app_tests;
mod choice;
pub mod clock;
pub mod command;
pub mod commands;
pub mod comparison;
pub mod curves;
pub mod describe;
pub mod engine;
pub mod export;
pub mod field;
pub mod figures;
pub mod frame;
pub mod hints;
pub mod history;
pub mod jump;
pub mod keymap;
pub mod keys;
pub mod keys_file;
pub mod layers;
pub mod local;
mod machine;
#[cfg(test)]
mod make_pictures;
pub mod memory;
pub mod message;
pub mod names;
pub mod news;
pub mod panes;
pub mod patterns;
pub mod picture;
pub mod places;
pub mod popup;
mod recall;
pub mod screen;
pub mod screens;
pub mod seeds;
pub mod series;
pub mod settings;
pub mod shared;
mod sizes;
#[cfg(test)]
pub(crate) mod stage;
pub mod start;
pub mod task;
pub mod terminal;
#[cfg(test)]
pub(crate) mod testing;
pub mod text;
pub mod theme;
pub mod weights;
pub mod widgets;

pub use names::ScreenId;
pub use screen::{Context, Effect, Input, SMALLEST, Screen, Target, View};
pub use theme::ThemeName;

use std::io::IsTerminal;
use std::path::PathBuf;

/// Why the workbench could not open or had to close.
#[derive(Debug, thiserror::Error)]
pub enum WorkbenchError {
    #[error(
        "the workbench needs a terminal and {0} is none; `rankspace train`, `watch` and the other commands work in pipes"
    )]
    NotATerminal(&'static str),
    #[error("{0}")]
    Path(String),
    #[error("the terminal failed: {0}")]
    Terminal(String),
}

impl WorkbenchError {
    /// 2 where the call was wrong, 1 where something failed.
    pub fn exit_code(&self) -> u8 {
        match self {
            WorkbenchError::NotATerminal(_) | WorkbenchError::Path(_) => 2,
            WorkbenchError::Terminal(_) => 1,
        }
    }
}

/// What the command line says.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Corpora, run folders, checkpoints.
    pub paths: Vec<PathBuf>,
    /// `None`: dark, or mono where the terminal asks for no colour.
    pub theme: Option<ThemeName>,
}

/// Opens the workbench on what is named and gives the terminal back when it is left.
pub fn run(options: Options) -> Result<(), WorkbenchError> {
    run_with(options, Box::new(local::Local::default()), &start::UserData::of_user())
}

/// The same with another engine.
pub fn run_with(
    options: Options,
    engine: Box<dyn engine::Engine>,
    state: &start::UserData,
) -> Result<(), WorkbenchError> {
    for (stream, is_terminal) in [
        ("standard output", std::io::stdout().is_terminal()),
        ("standard input", std::io::stdin().is_terminal()),
    ] {
        if !is_terminal {
            return Err(WorkbenchError::NotATerminal(stream));
        }
    }
    let named = options
        .paths
        .iter()
        .map(|p| start::Named::all(p).map_err(WorkbenchError::Path))
        .collect::<Result<Vec<_>, _>>()?
        .concat();
    let surroundings = theme::Surroundings::detect(|key| std::env::var(key).ok());
    // NO_COLOR chooses the theme; a flag or a key may still ask for colours.
    crossterm::style::force_color_output(true);
    let failed = |e: std::io::Error| WorkbenchError::Terminal(e.to_string());

    let (sender, messages) = crossbeam_channel::unbounded();
    terminal::spawn_signals(sender.clone()).map_err(failed)?;
    let guard = terminal::Guard::take(sender.clone()).map_err(failed)?;
    let backend = ratatui::backend::CrosstermBackend::new(std::io::stdout());
    let mut terminal = ratatui::Terminal::new(backend).map_err(failed)?;
    let user = app::Preferences::read(state);
    let mut app = app::App::new(
        engine,
        sender.clone(),
        user.theme(options.theme, surroundings),
        surroundings.unicode,
        "runs".into(),
    );
    app.shared.now = terminal::now();
    app.equip(user);
    app.begin(named, state.clone());
    let first_frame = |frame: &mut ratatui::Frame| {
        app.draw(frame);
        terminal::fault_on_demand();
    };
    terminal.draw(first_frame).map_err(failed)?;
    terminal::spawn_input(sender).map_err(failed)?;
    let outcome = terminal::run_loop(&mut terminal, &mut app, &messages, terminal::report_mouse);
    drop(guard);
    outcome
}
