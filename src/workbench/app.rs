//! State of the whole workbench, and what a message does to it.

use super::commands::{self, Command, Scope};
use super::engine::Engine;
use super::keys::Key;
use super::layers::{self, Choose, Help, Layer, LayerInput, Verdict};
use super::message::Message;
use super::popup::{Answer, Choice, Item, Popup};
use super::screen::{Context, Effect, Input, Screen, ScreenId, Target};
use super::screens;
use super::shared::{RunEntry, RunId, Shared};
use super::task::Tasks;
use super::theme::{Surroundings, Theme, ThemeName};
use crate::report::{EventKind, Level, RunState};
use crossbeam_channel::Sender;
use crossterm::event::{Event as Terminal, KeyEvent, KeyEventKind};
use std::collections::VecDeque;
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

/// The whole state; `draw` lives in [`super::frame`].
pub struct App {
    pub(super) screens: Vec<Box<dyn Screen>>,
    pub(super) active: ScreenId,
    layers: Vec<Open>,
    pub(super) shared: Shared,
    pub(super) theme: Theme,
    tasks: Tasks,
    engine: Box<dyn Engine>,
    messages: Sender<Message>,
    pub(super) status: Option<(Level, String)>,
    leaving: Option<Leaving>,
    /// Runs to go on with in processes of their own, once they have stopped.
    detaching: Vec<RunId>,
    finished: bool,
    dirty: bool,
    pub(super) tick: u64,
    next_run: u32,
    /// What to put on the clipboard at the next frame.
    copies: Vec<String>,
    /// Remembers the run that is shown, for the next start.
    pub(super) last_run: super::start::LastRun,
    /// What to do when the list of runs is first known.
    pub(super) on_listed: Option<super::start::Opening>,
}

impl App {
    pub fn new(
        engine: Box<dyn Engine>,
        messages: Sender<Message>,
        theme: ThemeName,
        surroundings: Surroundings,
        runs_folder: PathBuf,
    ) -> App {
        let name = if surroundings.no_color { ThemeName::Mono } else { theme };
        App {
            screens: screens::all(),
            active: ScreenId::Train,
            layers: Vec::new(),
            shared: Shared { runs_folder, ..Shared::default() },
            theme: Theme::new(name, surroundings.unicode),
            tasks: Tasks::new(messages.clone()),
            engine,
            messages,
            status: None,
            leaving: None,
            detaching: Vec::new(),
            finished: false,
            dirty: true,
            tick: 0,
            next_run: 0,
            copies: Vec::new(),
            last_run: super::start::LastRun::default(),
            on_listed: None,
        }
    }

    /// Whether the loop should end.
    pub fn finished(&self) -> bool {
        self.finished
    }

    /// Whether something changed since the last frame; asking resets it.
    pub fn take_dirty(&mut self) -> bool {
        std::mem::take(&mut self.dirty)
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
        self.dirty = true;
        match message {
            Message::Terminal(Terminal::Key(key)) if key.kind != KeyEventKind::Release => {
                self.key(key);
            }
            Message::Terminal(Terminal::Paste(text)) => self.paste(&text),
            // A new size needs a new frame and nothing else.
            Message::Terminal(Terminal::Resize(..)) => {}
            Message::Terminal(_) => self.dirty = false,
            Message::Events(id, events) => self.events(id, &events),
            Message::Folders(listed) => self.listed(listed),
            Message::Task(mut report) => {
                if self.tasks.accept(&report, &mut self.shared.tasks) {
                    if let Some(reason) = report.error() {
                        let text = format!("{}: {reason}", report.kind);
                        self.log(Level::Error, "workbench", &text);
                    }
                    self.tell(report.screen, Input::Task(&mut report));
                }
            }
            Message::Log(level, text) => self.log(level, "workbench", &text),
            Message::JobEnded(id, state) => {
                if let Some(run) = self.shared.runs.iter_mut().find(|r| r.id == id) {
                    (run.own, run.commands) = (false, None);
                    (run.listed_state, run.listed_at) = (Some(state), now);
                }
                self.engine.refresh();
                self.tell_all_of_run(id);
                self.check_leaving();
            }
            Message::Signal(_) | Message::InputLost(_) => {
                self.leave(Leaving::Stop);
            }
        }
    }

    fn log(&mut self, level: Level, source: &str, text: &str) {
        self.shared.log.push(self.shared.now, level, source, text);
    }

    // Input.

    fn key(&mut self, event: KeyEvent) {
        let key = Key::of(&event);
        let quit = commands::GLOBAL.iter().find(|c| c.name == "quit");
        let interrupts = event.modifiers.contains(crossterm::event::KeyModifiers::CONTROL)
            && quit.is_some_and(|c| c.keys.iter().any(|k| Key::parse(k) == Some(key)));
        if interrupts {
            return self.quit();
        }
        self.status = None;
        match self.layers.last_mut().map(|open| open.layer.update(LayerInput::Key(event))) {
            Some(Verdict::Consumed) => return,
            Some(Verdict::Close(answer)) => return self.close(answer),
            Some(Verdict::Pass) | None => {}
        }
        if self.screen(self.active).is_some_and(|s| s.editing()) {
            return self.tell(self.active, Input::Key(event));
        }
        match commands::find(self.active, key) {
            Some((scope, command)) => self.command(scope, command),
            None => self.tell(self.active, Input::Key(event)),
        }
    }

    fn paste(&mut self, text: &str) {
        match self.layers.last_mut().map(|open| open.layer.update(LayerInput::Paste(text))) {
            Some(Verdict::Consumed) => {}
            Some(Verdict::Close(answer)) => self.close(answer),
            Some(Verdict::Pass) | None => self.tell(self.active, Input::Paste(text)),
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
            "help" => self.open(Owner::Workbench, "help", Box::new(Help::new(self.active))),
            "palette" => self.open_palette(),
            "theme" => {
                self.theme = Theme::new(self.theme.name.next(), self.theme.unicode);
                self.status = Some((Level::Info, format!("theme: {}", self.theme.name.name())));
            }
            "quit" => self.quit(),
            "boost" => self.later("Boosting (5)"),
            "rerank" => self.later("Reranking (6)"),
            name => {
                let screen = ScreenId::ALL.into_iter().find(|s| s.title().to_lowercase() == name);
                if let Some(screen) = screen {
                    self.show(screen);
                }
            }
        }
    }

    fn later(&mut self, what: &str) {
        self.status = Some((Level::Info, format!("{what} comes later")));
    }

    fn open_palette(&mut self) {
        let items = commands::table()
            .map(|(scope, c)| Item {
                name: scope.map_or(c.name.to_owned(), |s| format!("{}: {}", s.title(), c.name)),
                description: c.help.to_owned(),
            })
            .collect();
        self.open(Owner::Workbench, "palette", Box::new(Choose::new("Commands".into(), items, 0)));
    }

    // Screens and layers.

    fn screen(&self, id: ScreenId) -> Option<&dyn Screen> {
        self.screens.iter().find(|s| s.id() == id).map(|s| &**s)
    }

    /// The screen in view.
    pub(super) fn active_screen(&self) -> Option<&dyn Screen> {
        self.screen(self.active)
    }

    /// The popup on top.
    pub(super) fn top_layer(&self) -> Option<&dyn Layer> {
        self.layers.last().map(|open| &*open.layer)
    }

    /// All popups, the lowest first.
    pub(super) fn layers(&self) -> impl Iterator<Item = &dyn Layer> {
        self.layers.iter().map(|open| &*open.layer)
    }

    /// Brings a screen into view.
    pub fn show(&mut self, id: ScreenId) {
        self.active = id;
        self.tell(id, Input::Shown);
    }

    fn open(&mut self, owner: Owner, id: &'static str, layer: Box<dyn Layer>) {
        // The same popup twice would have to be answered twice.
        if !self.layers.iter().any(|l| l.owner == owner && l.id == id) {
            self.layers.push(Open { owner, id, layer });
        }
    }

    /// Asks something in the workbench's own name.
    pub(super) fn ask(&mut self, id: &'static str, popup: Popup) {
        self.open(Owner::Workbench, id, layers::layer(popup));
    }

    fn close(&mut self, answer: Answer) {
        let Some(open) = self.layers.pop() else { return };
        match open.owner {
            Owner::Screen(screen) => {
                self.tell(screen, Input::Answer { popup: open.id, answer: &answer });
            }
            Owner::Workbench => self.answered(open.id, &answer),
        }
    }

    fn answered(&mut self, popup: &'static str, answer: &Answer) {
        match (popup, answer) {
            ("palette", Answer::Item(i)) => {
                if let Some((scope, command)) = commands::table().nth(*i) {
                    self.command(scope, command);
                }
            }
            ("quit", Answer::Choice('s')) => self.leave(Leaving::Stop),
            ("quit", Answer::Choice('l')) => self.leave(Leaving::Detach),
            ("opening", answer) => self.opening_answered(answer),
            _ => {}
        }
    }

    /// Tells a screen something and carries out what it asks for.
    pub(super) fn tell(&mut self, id: ScreenId, input: Input) {
        let mut queue = VecDeque::from(self.update(id, input));
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
            Effect::Show(screen) => {
                self.active = screen;
                queue.extend(self.update(screen, Input::Shown));
            }
            Effect::Open(screen, target) => {
                self.active = screen;
                queue.extend(self.update(screen, Input::Open(&target)));
                queue.extend(self.update(screen, Input::Shown));
            }
            Effect::Popup(popup) => {
                let id = match &popup {
                    Popup::Question { id, .. }
                    | Popup::Prompt { id, .. }
                    | Popup::List { id, .. } => id,
                    Popup::Note { .. } => "note",
                };
                self.open(Owner::Screen(from), id, layers::layer(popup));
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
            Effect::Resume(id) => self.resume(id),
            Effect::Control(id, control) => {
                if let Some(path) = self.shared.run(id).map(|r| r.path.clone())
                    && let Err(reason) = self.engine.control(id, &path, control)
                {
                    self.fail(reason);
                }
            }
            Effect::Select(id) => self.select(id),
            Effect::Overlay(id) => self.overlay(id),
            Effect::Trash(id) => self.trash(id),
        }
    }

    fn fail(&mut self, reason: String) {
        self.log(Level::Error, "workbench", &reason);
        self.status = Some((Level::Error, reason));
    }

    // Runs.

    fn new_id(&mut self) -> RunId {
        self.next_run += 1;
        RunId(self.next_run)
    }

    /// The id of a run folder, known before or not.
    pub(super) fn run_at(&mut self, path: PathBuf) -> RunId {
        if let Some(run) = self.shared.runs.iter().find(|r| same_place(&r.path, &path)) {
            return run.id;
        }
        let id = self.new_id();
        self.shared.runs.insert(0, RunEntry::new(id, path));
        id
    }

    /// Trains in a new run folder and shows it.
    pub fn start(&mut self, config: crate::config::Config) {
        let id = self.new_id();
        let base = self.shared.runs_folder.clone();
        match self.engine.start(id, &base, &config, self.messages.clone()) {
            Ok(path) => {
                let mut run = RunEntry::new(id, path);
                run.config = Some(config);
                run.listed_state = Some(RunState::Running);
                (run.started, run.touched) = (self.shared.now, self.shared.now);
                (run.own, run.followed) = (true, true);
                run.commands = self.engine.commands(id);
                self.log(Level::Info, "workbench", &format!("started {}", run.name));
                self.shared.runs.insert(0, run);
                self.select(id);
                self.engine.refresh();
            }
            Err(reason) => self.fail(reason),
        }
    }

    pub(super) fn resume(&mut self, id: RunId) {
        let Some(run) = self.shared.run(id) else { return };
        if run.own {
            return self.fail(format!("{} is running already", run.name));
        }
        let path = run.path.clone();
        self.select(id);
        match self.engine.resume(id, &path, self.messages.clone()) {
            Ok(()) => {
                if let Some(run) = self.shared.runs.iter_mut().find(|r| r.id == id) {
                    run.own = true;
                    run.commands = self.engine.commands(id);
                }
                self.status = Some((Level::Info, "resuming".into()));
            }
            Err(reason) => self.fail(reason),
        }
    }

    /// Makes it the run that screens show.
    pub(super) fn select(&mut self, id: RunId) {
        let Some(path) = self.shared.run(id).map(|r| r.path.clone()) else { return };
        self.shared.selected = Some(id);
        self.shared.overlaid.retain(|r| *r != id);
        self.follow(id);
        self.last_run.set(&path);
        self.tell_all(|| Input::Selection);
    }

    /// Draws a run's curves beside the selected one's, or no longer.
    pub(super) fn overlay(&mut self, id: RunId) {
        if let Some(at) = self.shared.overlaid.iter().position(|r| *r == id) {
            self.shared.overlaid.remove(at);
        } else if self.shared.selected != Some(id) {
            self.shared.overlaid.push(id);
            self.follow(id);
        }
        self.tell_all(|| Input::Selection);
    }

    fn follow(&mut self, id: RunId) {
        if let Some(run) = self.shared.runs.iter_mut().find(|r| r.id == id)
            && !run.followed
        {
            run.followed = true;
            self.engine.follow(id, &run.path, self.messages.clone());
        }
    }

    fn trash(&mut self, id: RunId) {
        let Some(run) = self.shared.run(id) else { return };
        let (path, name) = (run.path.clone(), run.name.clone());
        match self.engine.trash(&path) {
            Ok(place) => {
                self.shared.runs.retain(|r| r.id != id);
                self.shared.overlaid.retain(|r| *r != id);
                if self.shared.selected == Some(id) {
                    self.shared.selected = None;
                }
                let text = format!("moved {name} to {}", place.display());
                self.log(Level::Info, "workbench", &text);
                self.status = Some((Level::Info, text));
                self.tell_all(|| Input::Selection);
            }
            Err(reason) => self.fail(reason),
        }
    }

    fn events(&mut self, id: RunId, events: &[crate::report::Event]) {
        let Some(run) = self.shared.runs.iter_mut().find(|r| r.id == id) else { return };
        let mut notes = Vec::new();
        for event in events {
            if !run.history.push(event) {
                continue;
            }
            run.touched = run.touched.max(event.time);
            match &event.kind {
                EventKind::Message { level, text } => {
                    notes.push((event.time, *level, text.clone()));
                }
                EventKind::State { state: RunState::Failed, reason, .. } => {
                    let reason = reason.clone().unwrap_or_else(|| "no reason given".into());
                    notes.push((event.time, Level::Error, format!("failed: {reason}")));
                }
                _ => {}
            }
        }
        let name = run.name.clone();
        for (time, level, text) in notes {
            self.shared.log.push(time, level, &name, &text);
            if level == Level::Error && self.shared.now - time < 10.0 {
                self.status = Some((level, format!("{name}: {text}")));
            }
        }
        self.tell_all_of_run(id);
    }

    fn listed(&mut self, listed: Vec<super::engine::Listed>) {
        for found in &listed {
            let id = self.run_at(found.path.clone());
            if let Some(run) = self.shared.runs.iter_mut().find(|r| r.id == id) {
                run.config = found.config.clone().or_else(|| run.config.take());
                run.listed_state = found.state;
                run.listed_at = self.shared.now;
                run.problem.clone_from(&found.problem);
                run.listed_dev.clone_from(&found.dev);
                run.started = found.started;
                run.touched = found.touched.max(run.history.time);
                run.listed_step = found.step;
            }
        }
        // A folder that vanished goes, unless it is being shown or runs here.
        let kept = |r: &RunEntry| {
            r.own || r.followed || listed.iter().any(|f| same_place(&f.path, &r.path))
        };
        self.shared.runs.retain(kept);
        self.shared.runs.sort_by(|a, b| b.started.total_cmp(&a.started).then(b.id.cmp(&a.id)));
        let first = !std::mem::replace(&mut self.shared.listed, true);
        self.tell_all(|| Input::Selection);
        if first {
            self.opening();
        }
    }

    /// Starts to list run folders below these.
    pub(super) fn watch_folders(&mut self, bases: Vec<PathBuf>) {
        self.engine.watch_folders(bases, self.messages.clone());
    }

    // Leaving.

    fn quit(&mut self) {
        if self.leaving.is_some() {
            // Asked again while runs stop: the user does not want to wait.
            self.finished = true;
            return;
        }
        let own = self.engine.own();
        if own.is_empty() {
            self.leave(Leaving::Stop);
            return;
        }
        let names: Vec<&str> =
            own.iter().filter_map(|id| self.shared.run(*id)).map(|r| r.name.as_str()).collect();
        let verb = if own.len() == 1 { "is" } else { "are" };
        self.ask(
            "quit",
            Popup::Question {
                id: "quit",
                title: "Quit".into(),
                text: format!("{} {verb} still training.", names.join(", ")),
                choices: vec![
                    Choice::new('s', "stop and save"),
                    Choice::new('l', "leave it running without the workbench"),
                    Choice::new('c', "cancel"),
                ],
            },
        );
    }

    fn leave(&mut self, how: Leaving) {
        if self.leaving.is_some() {
            return;
        }
        self.tasks.cancel_all();
        let own = self.engine.own();
        for id in &own {
            if let Some(path) = self.shared.run(*id).map(|r| r.path.clone())
                && let Err(reason) = self.engine.control(*id, &path, super::screen::Control::Stop)
            {
                self.fail(reason);
            }
        }
        if how == Leaving::Detach {
            self.detaching = own;
        }
        self.layers.clear();
        self.leaving = Some(how);
        self.status =
            Some((Level::Info, "finishing the step and writing `last` (q: do not wait)".into()));
        self.check_leaving();
    }

    /// Ends the loop once no run of ours is left.
    fn check_leaving(&mut self) {
        if self.leaving.is_none() || self.finished || !self.engine.own().is_empty() {
            return;
        }
        for id in std::mem::take(&mut self.detaching) {
            let Some(run) = self.shared.run(id) else { continue };
            // It may have come to its end while it was asked to stop.
            if matches!(run.listed_state, Some(RunState::Finished | RunState::Failed)) {
                continue;
            }
            let path = run.path.clone();
            if let Err(reason) = self.engine.detach(&path) {
                self.fail(reason);
                self.leaving = None;
                return;
            }
        }
        self.finished = true;
    }

    /// Hands something to a screen and shows it.
    pub(super) fn open_on(&mut self, screen: ScreenId, target: &Target) {
        self.active = screen;
        self.tell(screen, Input::Open(target));
        self.tell(screen, Input::Shown);
    }
}

/// Whether two paths name the same folder, links and dots resolved where it exists.
pub(super) fn same_place(a: &std::path::Path, b: &std::path::Path) -> bool {
    a == b || matches!((a.canonicalize(), b.canonicalize()), (Ok(a), Ok(b)) if a == b)
}
