//! State of the whole workbench, and what a message does to it.

mod leave;
mod mouse;
mod opening;
mod picking;
mod popups;
mod preferences;
mod runs;

pub use preferences::Preferences;

use crate::report::Level;
use crate::workbench::command::{Command, Scope};
use crate::workbench::commands;
use crate::workbench::engine::Engine;
use crate::workbench::frame::Scene;
use crate::workbench::keys::Key;
use crate::workbench::layers::{self, Help, Layer, LayerInput, Verdict};
use crate::workbench::memory::{Keeper, Memory};
use crate::workbench::message::Message;
use crate::workbench::names::{RunId, ScreenId};
use crate::workbench::news::{Outcome, TaskReport};
use crate::workbench::places::Places;
use crate::workbench::popup::{Answer, Popup};
use crate::workbench::screen::{Context, Effect, Input, Screen, Target, View};
use crate::workbench::screens;
use crate::workbench::shared::Shared;
use crate::workbench::start::{Opening, UserData};
use crate::workbench::task::Tasks;
use crate::workbench::theme::{Theme, ThemeName};
use crossbeam_channel::Sender;
use crossterm::event::{Event as Terminal, KeyEvent, KeyEventKind};
use ratatui::Frame;
use std::collections::{HashMap, VecDeque};
use std::path::PathBuf;

/// Whose popup it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Owner {
    Workbench,
    Screen(ScreenId),
}

struct Open {
    owner: Owner,
    id: &'static str,
    layer: Box<dyn Layer>,
}

/// How the workbench is being left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Leaving {
    /// Wait until every run of ours has written `last`.
    Stop,
    /// The same, then go on with them in processes of their own.
    Detach,
}

/// The whole state.
pub struct App {
    pub(in crate::workbench) screens: Vec<Box<dyn Screen>>,
    pub(in crate::workbench) active: ScreenId,
    layers: Vec<Open>,
    /// What stood in prompts that Ctrl-C closed, by their ids, until they are opened again.
    left: HashMap<&'static str, String>,
    pub(in crate::workbench) shared: Shared,
    pub(in crate::workbench) theme: Theme,
    tasks: Tasks,
    engine: Box<dyn Engine>,
    messages: Sender<Message>,
    pub(in crate::workbench) status: Option<(Level, String)>,
    leaving: Option<Leaving>,
    /// Runs to go on with in processes of their own, once they have stopped.
    detaching: Vec<RunId>,
    finished: bool,
    dirty: bool,
    urgent: bool,
    pub(in crate::workbench) tick: u64,
    next_run: u32,
    /// What to put on the clipboard at the next frame.
    copies: Vec<String>,
    /// Remembers the run that is shown, for the next start.
    data: UserData,
    /// What to do when the list of runs is first known.
    on_listed: Option<Opening>,
    /// The folders whose runs are listed.
    bases: Vec<PathBuf>,
    /// What the mouse can reach in the last frame.
    places: Places,
    mouse: mouse::Mouse,
    /// What is remembered for the next start, and what of it was told last.
    memory: Memory,
    kept: Memory,
    /// Writes it; `None` where nothing is remembered.
    keeper: Option<Keeper>,
}

impl App {
    pub fn new(
        engine: Box<dyn Engine>,
        messages: Sender<Message>,
        theme: ThemeName,
        unicode: bool,
        runs_folder: PathBuf,
    ) -> App {
        App {
            screens: screens::all(),
            active: ScreenId::Train,
            layers: Vec::new(),
            left: HashMap::new(),
            shared: Shared { runs_folder, keymap: commands::keymap(), ..Shared::default() },
            theme: Theme::new(theme, unicode),
            tasks: Tasks::new(messages.clone()),
            engine,
            messages,
            status: None,
            leaving: None,
            detaching: Vec::new(),
            finished: false,
            dirty: true,
            urgent: false,
            tick: 0,
            next_run: 0,
            copies: Vec::new(),
            data: UserData::default(),
            on_listed: None,
            bases: Vec::new(),
            places: Places::default(),
            mouse: mouse::Mouse::default(),
            memory: Memory::default(),
            kept: Memory::default(),
            keeper: None,
        }
    }

    /// Paints everything; changes nothing but the note of what the mouse can reach.
    pub fn draw(&self, frame: &mut Frame) {
        self.places.clear();
        let layers: Vec<&dyn Layer> = self.layers.iter().map(|open| &*open.layer).collect();
        let scene = Scene {
            active: self.active,
            screen: self.active_screen(),
            layers: &layers,
            status: self.status.as_ref(),
            view: View {
                shared: &self.shared,
                theme: &self.theme,
                tick: self.tick,
                places: Some(&self.places),
            },
        };
        scene.draw(frame);
    }

    /// Whether the loop should end.
    pub fn finished(&self) -> bool {
        self.finished
    }

    /// Whether something changed since the last frame; asking resets it.
    pub fn take_dirty(&mut self) -> bool {
        std::mem::take(&mut self.dirty)
    }

    /// Whether the user waits for the next frame; asking resets it.
    pub fn take_urgent(&mut self) -> bool {
        std::mem::take(&mut self.urgent)
    }

    /// Texts for the clipboard since the last frame.
    pub fn take_copies(&mut self) -> Vec<String> {
        std::mem::take(&mut self.copies)
    }

    /// Whether time alone changes the picture.
    pub fn animates(&self) -> bool {
        !self.shared.tasks.is_empty()
            || self.leaving.is_some()
            || self.screens.iter().any(|s| s.id() == self.active && s.animates(&self.shared))
    }

    /// Time has passed.
    pub fn tick(&mut self, now: f64) {
        self.shared.now = now;
        self.tick += 1;
        self.dirty = true;
        self.tell(self.active, Input::Tick);
        self.check_leaving();
    }

    /// Takes in one message; `now` is the wall clock in seconds since 1970.
    pub fn handle(&mut self, message: Message, now: f64) {
        self.shared.now = now;
        let before = std::mem::replace(&mut self.dirty, true);
        let by_user = matches!(message, Message::Terminal(_));
        self.urgent |= by_user;
        match message {
            Message::Terminal(Terminal::Key(key)) if key.kind != KeyEventKind::Release => {
                self.key(key);
            }
            Message::Terminal(Terminal::Paste(text)) => self.paste(&text),
            // A new size needs a new frame and nothing else.
            Message::Terminal(Terminal::Resize(..)) => {}
            Message::Terminal(Terminal::Mouse(event)) => self.mouse(event),
            Message::Terminal(_) => self.dirty = before,
            Message::Events(id, events) => self.events(id, &events),
            Message::Folders(listed) => self.listed(listed),
            Message::Task(report) => {
                if self.tasks.accept(&report, &mut self.shared.tasks) {
                    if let Some(reason) = report.error() {
                        let text = self.say(&format!("{}: {reason}", report.kind));
                        self.log(Level::Error, "workbench", &text);
                    }
                    self.hear(report);
                }
            }
            Message::Log(level, text) => self.log(level, "workbench", &text),
            Message::JobEnded(id, state, reason) => self.job_ended(id, state, reason),
            Message::Signal(_) | Message::InputLost(_) => {
                self.leave(Leaving::Stop);
            }
        }
        if by_user {
            self.remember();
        }
    }

    fn log(&mut self, level: Level, source: &str, text: &str) {
        self.shared.log.push(self.shared.now, level, source, text);
    }

    /// Says something that is worth to be read in full, whatever the width.
    fn log_and_tell(&mut self, level: Level, text: String) {
        self.log(level, "workbench", &text);
        self.status = Some((level, text));
    }

    // Input.

    fn key(&mut self, event: KeyEvent) {
        let key = Key::of(&event);
        // Whatever keys the user gives to commands, this one gets out of everything.
        if Key::parse(commands::INTERRUPT) == Some(key) {
            return self.interrupt();
        }
        self.status = None;
        // What a popup waits for can be stopped from within.
        let stops = commands::global("stop-task");
        if !(self.layers.is_empty() || self.shared.tasks.is_empty() || key.is_text())
            && stops.is_some_and(|command| self.shared.keymap.has(None, command, key))
        {
            return self.stop_task();
        }
        match self.layers.last_mut().map(|open| open.layer.update(LayerInput::Key(event))) {
            Some(Verdict::Pass) | None => {}
            Some(verdict) => return self.judged(verdict),
        }
        if self.screen(self.active).is_some_and(|s| s.editing()) {
            return self.tell(self.active, Input::Key(event));
        }
        match commands::find(&self.shared.keymap, self.active, key) {
            Some((scope, command)) => self.command(scope, command),
            None => self.tell(self.active, Input::Key(event)),
        }
    }

    /// Ctrl-C: out of a text field first, which keeps its text; without one it quits.
    fn interrupt(&mut self) {
        if self.leaving.is_some() {
            return self.quit();
        }
        match self.layers.last() {
            Some(open) if open.layer.editing() => {
                if let Some(text) = open.layer.text() {
                    self.left.insert(open.id, text.to_owned());
                }
                self.close(Answer::Cancelled);
            }
            None if self.active_screen().is_some_and(|s| s.editing()) => {
                self.tell(self.active, Input::LeaveField);
            }
            _ => self.quit(),
        }
    }

    fn paste(&mut self, text: &str) {
        match self.layers.last_mut().map(|open| open.layer.update(LayerInput::Paste(text))) {
            Some(Verdict::Pass) | None => self.tell(self.active, Input::Paste(text)),
            Some(verdict) => self.judged(verdict),
        }
    }

    /// Does what a command of the table says.
    pub fn command(&mut self, scope: Scope, command: &'static Command) {
        if let Some(screen) = scope {
            if screen != self.active {
                self.show(screen);
            }
            return self.tell(screen, Input::Command(command.name));
        }
        let tab = |by: usize| {
            let all = ScreenId::ALL;
            let at = all.iter().position(|s| *s == self.active).unwrap_or(0);
            all[(at + by) % all.len()]
        };
        match command.name {
            "next-screen" => self.show(tab(1)),
            "previous-screen" => self.show(tab(ScreenId::ALL.len() - 1)),
            "help" => {
                let help = Help::new(self.active, self.shared.keymap.clone());
                self.open(Owner::Workbench, "help", Box::new(help));
            }
            "palette" => self.open_palette(),
            "theme" => {
                let theme = self.theme.name.next();
                self.theme = Theme::new(theme, self.theme.unicode);
                self.memory.theme = Some(theme);
                let text = format!("theme: {}, {}", theme.name(), theme.meaning());
                self.status = Some((Level::Info, text));
            }
            "open-file" => self.ask_for_path(),
            "resize" => self.open_resize(),
            "mouse" => self.toggle_mouse(),
            "stop-task" => self.stop_task(),
            "quit" => self.quit(),
            name => {
                let screen = ScreenId::ALL.into_iter().find(|s| s.title().to_lowercase() == name);
                if let Some(screen) = screen {
                    self.show(screen);
                }
            }
        }
    }

    /// Cancels the newest background task; its screen hears that it failed.
    fn stop_task(&mut self) {
        let Some(task) = self.shared.tasks.last().cloned() else {
            self.status = Some((Level::Info, "nothing is being loaded".into()));
            return;
        };
        self.tasks.cancel((task.screen, task.kind), &mut self.shared.tasks);
        self.status = Some((Level::Info, format!("stopped: {}", task.title)));
        let outcome = Outcome::Failed("stopped".into());
        self.hear(TaskReport::new(task.screen, task.kind, outcome));
    }

    /// Hands the news of a task to whoever asked for it.
    fn hear(&mut self, mut report: TaskReport) {
        match report.kind {
            layers::FILES | layers::FILE_CHECK | picking::TASK => self.picking(&mut report),
            _ => self.tell(report.screen, Input::Task(&mut report)),
        }
    }

    // Screens and layers.

    fn screen(&self, id: ScreenId) -> Option<&dyn Screen> {
        self.screens.iter().find(|s| s.id() == id).map(|s| &**s)
    }

    /// The screen in view.
    fn active_screen(&self) -> Option<&dyn Screen> {
        self.screen(self.active)
    }

    /// Brings a screen into view.
    pub fn show(&mut self, id: ScreenId) {
        self.active = id;
        self.tell(id, Input::Shown);
    }

    /// Tells a screen something and carries out what it asks for.
    pub(in crate::workbench) fn tell(&mut self, id: ScreenId, input: Input) {
        let asked = self.update(id, input);
        self.carry_out(asked);
    }

    fn carry_out(&mut self, asked: Vec<(ScreenId, Effect)>) {
        let mut queue = VecDeque::from(asked);
        while let Some((from, effect)) = queue.pop_front() {
            self.apply(from, effect, &mut queue);
        }
    }

    fn update(&mut self, id: ScreenId, input: Input) -> Vec<(ScreenId, Effect)> {
        let mut context = Context::new(&self.shared, &self.theme);
        if let Some(screen) = self.screens.iter_mut().find(|s| s.id() == id) {
            screen.update(input, &mut context);
        }
        context.into_effects().into_iter().map(|e| (id, e)).collect()
    }

    fn tell_all(&mut self, input: impl Fn() -> Input<'static>) {
        for id in ScreenId::ALL {
            self.tell(id, input());
        }
    }

    fn tell_all_of_run(&mut self, id: RunId) {
        self.tell_all(|| Input::Run(id));
    }

    fn apply(&mut self, from: ScreenId, effect: Effect, queue: &mut VecDeque<(ScreenId, Effect)>) {
        match effect {
            Effect::Status(level, text) => {
                if level >= Level::Warning {
                    self.log(level, "workbench", &text);
                }
                self.status = Some((level, text));
            }
            Effect::Log(level, text) => self.log(level, "workbench", &text),
            Effect::Show(screen) => {
                self.active = screen;
                queue.extend(self.update(screen, Input::Shown));
            }
            Effect::Open(screen, target) => {
                self.active = screen;
                queue.extend(self.update(screen, Input::Open(&target)));
                queue.extend(self.update(screen, Input::Shown));
            }
            Effect::Popup(mut popup) => {
                if let Popup::Prompt { id, initial, .. } = &mut popup
                    && let Some(text) = self.left.remove(id)
                {
                    *initial = text;
                }
                let id = match &popup {
                    Popup::Question { id, .. }
                    | Popup::Prompt { id, .. }
                    | Popup::List { id, .. }
                    | Popup::Files { id, .. } => id,
                    Popup::Note { .. } => "note",
                };
                let layer = layers::layer(popup, &self.memory.recent);
                self.open(Owner::Screen(from), id, layer);
            }
            Effect::Spawn(task) => self.tasks.spawn(from, task, &mut self.shared.tasks),
            Effect::Cancel(kind) => self.tasks.cancel((from, kind), &mut self.shared.tasks),
            Effect::Copy(text) => {
                self.status = Some((Level::Info, "copied to the clipboard".into()));
                self.copies.push(text);
            }
            Effect::Start(config) => {
                self.start(*config);
            }
            Effect::Resume(id, rate) => self.resume(id, rate),
            Effect::Control(id, control) => {
                if let Some(path) = self.shared.run(id).map(|r| r.path.clone())
                    && let Err(reason) = self.engine.control(id, &path, control)
                {
                    self.fail(reason);
                }
            }
            Effect::Select(id) => self.select(id),
            Effect::Follow(id) => self.follow(id),
            Effect::Overlay(id) => self.overlay(id),
            Effect::Trash(id) => self.trash(id),
            Effect::MoveBorder { split, by } => self.move_border(split, by),
        }
    }

    fn fail(&mut self, reason: String) {
        self.log(Level::Error, "workbench", &reason);
        self.status = Some((Level::Error, reason));
    }

    /// Hands something to a screen and shows it.
    pub(in crate::workbench) fn open_on(&mut self, screen: ScreenId, target: &Target) {
        self.active = screen;
        self.tell(screen, Input::Open(target));
        self.tell(screen, Input::Shown);
    }
}
