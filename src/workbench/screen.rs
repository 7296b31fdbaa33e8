//! What a screen is: state of its own, messages in, effects out as data, a pure draw.

use super::engine::Control;
use super::hints;
use super::names::{RunId, ScreenId};
use super::news::TaskReport;
use super::places::{Border, Place, Places, Rows};
use super::popup::{Answer, Popup};
use super::shared::Shared;
use super::task::Task;
use super::theme::Theme;
use crate::config::Config;
use crate::report::Level;
use crossterm::event::KeyEvent;
use ratatui::Frame;
use ratatui::layout::{Constraint, Direction, Rect};
use std::borrow::Cow;
use std::path::PathBuf;

/// Smallest terminal that shows whole screens.
pub const SMALLEST: (u16, u16) = (60, 16);

/// A word or figure of a screen, and what it means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Term {
    pub name: &'static str,
    /// A sentence or two.
    pub meaning: &'static str,
}

/// What a screen is told.
#[derive(Debug)]
pub enum Input<'a> {
    /// A command of the screen's table, by its name, whether from a key or the palette.
    Command(&'static str),
    /// A key that is no command; while [`Screen::editing`], every key but Ctrl-C,
    /// which leaves the field.
    Key(KeyEvent),
    /// Pasted text; one message however long it is.
    Paste(&'a str),
    /// The mouse chose a row of a list, see [`View::list`].
    Point { list: &'static str, row: usize },
    /// The mouse points into a plot, at a share of its width from the left; see [`Place::Plot`].
    Along { plot: &'static str, share: f64 },
    /// The text field gives the keys back and keeps its text.
    LeaveField,
    /// The screen has come into view.
    Shown,
    /// Another screen or the command line asks to show something.
    Open(&'a Target),
    /// A popup that this screen opened was answered; `popup` is its id.
    Answer { popup: &'static str, answer: &'a Answer },
    /// A task that this screen spawned has news; only the newest of a kind is heard.
    Task(&'a mut TaskReport),
    /// Events of a run have arrived in [`Shared`].
    Run(RunId),
    /// The selected run, the overlaid runs or the list of runs changed.
    Selection,
    /// Time has passed, while [`Screen::animates`].
    Tick,
}

/// Something to look at on a screen.
#[derive(Clone, Debug, PartialEq)]
pub enum Target {
    /// A treebank or text file.
    Corpus(PathBuf),
    /// A checkpoint file without its run folder.
    Checkpoint(PathBuf),
    /// A file of candidate lists.
    Lists(PathBuf),
    /// A trained reranker.
    Reranker(PathBuf),
    /// The folder of a sweep.
    Sweep(PathBuf),
    /// Sentences of the selected run's development split, e.g. those that use a symbol; the words
    /// to look at in each, from and to behind, if they are known; and the step of the trees that
    /// they were found in.
    Sentences { title: String, indices: Vec<usize>, spans: Vec<Vec<(u32, u32)>>, step: u64 },
    /// A sentence of the selected run's development split.
    Sentence(usize),
    /// The trees of the selected run's evaluation at a step, or of the one before it.
    Evaluation(u64),
}

/// What a screen wants done. Data, so that `update` is tested as a function.
#[derive(Debug)]
pub enum Effect {
    /// One line above the keys until the next key.
    Status(Level, String),
    /// A line of the log alone.
    Log(Level, String),
    /// Brings a screen into view.
    Show(ScreenId),
    /// Brings a screen into view and hands it something.
    Open(ScreenId, Target),
    /// Opens a popup; its answer comes back as [`Input::Answer`].
    Popup(Popup),
    /// Starts background work; an older task of this screen and kind is cancelled.
    Spawn(Task),
    /// Cancels the task of that kind.
    Cancel(&'static str),
    /// Puts text on the clipboard of the user's own terminal (OSC 52), also over SSH.
    Copy(String),
    /// Starts training in a new run folder and selects it.
    Start(Box<Config>),
    /// Goes on with a run, with another learning rate if one is given.
    Resume(RunId, Option<f64>),
    /// Tells a run something.
    Control(RunId, Control),
    /// Makes it the run that Train, Grammar and Parses show.
    Select(RunId),
    /// Reads a run's events, old and new, though it is not selected.
    Follow(RunId),
    /// Adds a run to the curves of Train, or takes it away.
    Overlay(RunId),
    /// Moves a run folder to `.trash` beside it.
    Trash(RunId),
    /// Moves the border of a split that is in view by columns or rows; 0 puts it back to where the
    /// screen has it.
    MoveBorder { split: &'static str, by: i16 },
}

/// What `update` may read, and where its effects go.
pub struct Context<'a> {
    pub shared: &'a Shared,
    pub theme: &'a Theme,
    effects: Vec<Effect>,
}

impl<'a> Context<'a> {
    pub fn new(shared: &'a Shared, theme: &'a Theme) -> Context<'a> {
        Context { shared, theme, effects: Vec::new() }
    }

    /// Asks for an effect.
    pub fn push(&mut self, effect: Effect) {
        self.effects.push(effect);
    }

    /// A note in the status line; it may name commands, see [`hints`].
    pub fn status(&mut self, text: impl Into<String>) {
        self.tell(Level::Info, text.into());
    }

    /// A warning in the status line.
    pub fn warn(&mut self, text: impl Into<String>) {
        self.tell(Level::Warning, text.into());
    }

    /// An error in the status line.
    pub fn error(&mut self, text: impl Into<String>) {
        self.tell(Level::Error, text.into());
    }

    fn tell(&mut self, level: Level, text: String) {
        let told = self.say(&text).into_owned();
        self.push(Effect::Status(level, told));
    }

    /// A text with keys in place of the commands that it names, see [`hints`].
    pub fn say<'t>(&self, text: &'t str) -> Cow<'t, str> {
        hints::told(text, &self.shared.keymap)
    }

    /// Background work; see [`Task`].
    pub fn spawn(&mut self, task: Task) {
        self.push(Effect::Spawn(task));
    }

    /// What was asked for, in order.
    pub fn into_effects(self) -> Vec<Effect> {
        self.effects
    }
}

/// What `draw` may read besides the screen's own state.
#[derive(Clone, Copy)]
pub struct View<'a> {
    pub shared: &'a Shared,
    pub theme: &'a Theme,
    /// Counts ticks, for things that turn.
    pub tick: u64,
    /// Where drawing notes what the mouse can reach; `None` where no mouse will ask.
    pub places: Option<&'a Places>,
}

impl<'a> View<'a> {
    /// Of a moment, for no mouse.
    pub fn new(shared: &'a Shared, theme: &'a Theme) -> View<'a> {
        View { shared, theme, tick: 0, places: None }
    }

    /// A text with keys in place of the commands that it names, see [`hints`].
    pub fn say<'t>(&self, text: &'t str) -> Cow<'t, str> {
        hints::told(text, &self.shared.keymap)
    }

    /// Notes that something of the mouse's stands there.
    pub fn place(&self, area: Rect, place: Place) {
        if let Some(places) = self.places {
            places.add(area, place);
        }
    }

    /// Notes that rows of a list stand there, one a line: a click comes as [`Input::Point`], and the
    /// wheel moves the selection.
    pub fn list(&self, list: &'static str, area: Rect, first: usize, at: usize, len: usize) {
        self.place(area, Place::List(Rows { list, first, at, len }));
    }

    /// Divides an area in two columns, as the user wants it, by the constraints where that is not
    /// known. The border can be moved; `split` names it for ever.
    pub fn columns(&self, split: &'static str, by: [Constraint; 2], area: Rect) -> [Rect; 2] {
        self.split(split, Direction::Horizontal, by, area)
    }

    /// The same with one part above the other.
    pub fn stack(&self, split: &'static str, by: [Constraint; 2], area: Rect) -> [Rect; 2] {
        self.split(split, Direction::Vertical, by, area)
    }

    fn split(
        &self,
        split: &'static str,
        direction: Direction,
        constraints: [Constraint; 2],
        area: Rect,
    ) -> [Rect; 2] {
        let parts = self.shared.panes.split(split, direction, constraints, area);
        if super::panes::is_movable(direction, area) && parts.iter().all(|part| !part.is_empty()) {
            let first = match direction {
                Direction::Horizontal => parts[0].width,
                Direction::Vertical => parts[0].height,
            };
            let border = Border { split, direction, area, first };
            self.place(border.line(), Place::Border(border));
        }
        parts
    }
}

/// One screen of the workbench.
pub trait Screen {
    fn id(&self) -> ScreenId;

    /// Changes state; must not block: anything slow is a [`Task`].
    fn update(&mut self, input: Input, context: &mut Context);

    /// Paints the state and changes nothing.
    fn draw(&self, frame: &mut Frame, area: Rect, view: &View);

    /// Whether a text field has the keys, so that letters are letters.
    fn editing(&self) -> bool {
        false
    }

    /// Whether a command of it has something to do in what is in view, for the line of keys.
    fn offers(&self, _command: &str) -> bool {
        true
    }

    /// What keys do while [`Screen::editing`], for the line of keys.
    fn field_keys(&self) -> &'static [(&'static str, &'static str)] {
        &[("Enter", "accept"), ("Esc", "leave the field")]
    }

    /// What the user chose of how things are shown, by names that stay: for the next start.
    fn choices(&self) -> Vec<(&'static str, String)> {
        Vec::new()
    }

    /// Takes up a choice of an earlier start; what it does not know it leaves alone.
    fn recall(&mut self, _name: &str, _value: &str) {}

    /// Whether something on it moves by itself. Progress bars of tasks need no ticks of it.
    fn animates(&self, _shared: &Shared) -> bool {
        false
    }
}
