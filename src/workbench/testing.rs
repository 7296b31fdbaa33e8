//! For tests of screens and of the whole workbench.

use super::app::App;
use super::engine::{Control, Engine};
use super::history::History;
use super::message::Message;
use super::names::RunId;
use super::screen::{Context, Effect, Input, Screen, View};
use super::shared::{RunEntry, Shared};
use super::theme::{Surroundings, Theme, ThemeName};
use crate::config::{self, Config};
use crate::report::{Event, EventKind, RunState, SCHEMA};
use crate::run::Command;
use crossbeam_channel::{Receiver, Sender, unbounded};
use crossterm::event::{Event as Terminal, KeyCode, KeyEvent, KeyModifiers};
use ratatui::backend::TestBackend;
use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// Tells a screen something; gives what it asked for.
pub fn update(screen: &mut dyn Screen, input: Input, shared: &Shared) -> Vec<Effect> {
    let theme = Theme::new(ThemeName::Dark, true);
    let mut context = Context::new(shared, &theme);
    screen.update(input, &mut context);
    context.into_effects()
}

/// The theme of most tests.
pub fn dark() -> Theme {
    Theme::new(ThemeName::Dark, true)
}

/// What a screen alone draws, as text.
pub fn picture(screen: &dyn Screen, shared: &Shared, width: u16, height: u16) -> String {
    let theme = Theme::new(ThemeName::Dark, true);
    let view = View::new(shared, &theme);
    draw_text(width, height, |frame| screen.draw(frame, frame.area(), &view))
}

/// What the whole workbench draws, as text.
pub fn screenshot(app: &App, width: u16, height: u16) -> String {
    draw_text(width, height, |frame| app.draw(frame))
}

/// What is drawn, as text; blanks at the ends of rows are left out.
pub fn draw_text(width: u16, height: u16, draw: impl FnOnce(&mut ratatui::Frame)) -> String {
    let mut terminal =
        ratatui::Terminal::new(TestBackend::new(width, height)).expect("a test terminal");
    terminal.draw(draw).expect("draws");
    let buffer = terminal.backend().buffer();
    let row = |y| {
        let mut line = String::new();
        let mut x = 0;
        while x < width {
            let symbol = buffer[(x, y)].symbol();
            line.push_str(symbol);
            x += (unicode_width::UnicodeWidthStr::width(symbol) as u16).max(1);
        }
        line.trim_end().to_owned()
    };
    (0..height).map(row).collect::<Vec<_>>().join("\n")
}

/// An event of a run; a second passes between two.
pub fn event(seq: u64, kind: EventKind) -> Event {
    Event { schema: SCHEMA, seq, time: 1000.0 + seq as f64, elapsed: seq as f64, kind }
}

/// A step of a run with 10 steps an epoch and 100 in all.
pub fn step(step: u64, loss: f64) -> EventKind {
    EventKind::Step {
        step,
        epoch: (step - 1) / 10 + 1,
        loss,
        tokens: 200,
        sentences: Some(16),
        learning_rate: 0.002,
        gradient_norm: 1.5 + (step % 7) as f64 * 0.1,
        seconds: [("network", 0.02), ("inference", 0.06), ("optimizer", 0.01), ("total", 0.1)]
            .into_iter()
            .collect(),
        steps_per_epoch: 10,
        total_steps: 100,
    }
}

/// A run that learnt for some steps, evaluated every ten.
pub fn learning(steps: u64) -> Vec<Event> {
    let mut kinds = vec![
        EventKind::State { state: RunState::Running, step: 0, resumed: false, reason: None },
        EventKind::Evaluation {
            step: 0,
            epoch: 0,
            split: "dev.baselines".into(),
            metrics: [("right_s_f1", 38.2), ("left_s_f1", 8.7)].into_iter().collect(),
        },
    ];
    for i in 1..=steps {
        let x = i as f64;
        let noise = ((i * 7919) % 13) as f64 / 13.0;
        kinds.push(step(i, 20.0 + 30.0 * (-x / 25.0).exp() + noise));
        if i % 10 == 0 {
            let metrics = [
                ("perplexity", 60.0 + 300.0 * (-x / 20.0).exp()),
                ("log_likelihood", -30.0 - 30.0 * (-x / 20.0).exp()),
                ("s_f1", 55.0 - 35.0 * (-x / 30.0).exp()),
                ("c_f1", 50.0 - 35.0 * (-x / 30.0).exp()),
            ];
            kinds.push(EventKind::Evaluation {
                step: i,
                epoch: i / 10,
                split: "dev".into(),
                metrics: metrics.into_iter().collect(),
            });
        }
    }
    kinds.into_iter().enumerate().map(|(seq, kind)| event(seq as u64, kind)).collect()
}

/// A language model that learnt for some steps, evaluated every ten; its learning rate fell twice.
pub fn learning_language(steps: u64) -> Vec<Event> {
    let mut events = learning(steps);
    events.retain(|e| !matches!(&e.kind, EventKind::Evaluation { split, .. } if split != "dev"));
    for event in &mut events {
        match &mut event.kind {
            EventKind::Step { step, loss, learning_rate, .. } => {
                *loss /= 8.0;
                *learning_rate = 0.001 * 0.5f64.powi(i32::from(*step > 30) + i32::from(*step > 45));
            }
            EventKind::Evaluation { metrics, .. } => {
                metrics.0.retain(|key, _| ["perplexity", "log_likelihood"].contains(&key.as_str()));
            }
            _ => {}
        }
    }
    events
}

/// A run of a language model with that history.
pub fn language_run(id: u32, name: &str, events: &[Event]) -> RunEntry {
    let mut run = run(id, name, events);
    run.config = Some(config::preset("hmm-small").and_then(|p| p.config(&[])).expect("valid"));
    run
}

/// The settings of the preset that the first start uses.
pub fn sample_config() -> Config {
    config::preset("sample").and_then(|p| p.config(&[])).expect("a valid preset")
}

/// A run with that history.
pub fn run(id: u32, name: &str, events: &[Event]) -> RunEntry {
    let mut run = RunEntry::new(RunId(id), Path::new("runs").join(name));
    run.config = Some(sample_config());
    (run.started, run.heard_at) = (1000.0, 1100.0);
    run.followed = true;
    let mut history = History::default();
    for event in events {
        history.push(event);
    }
    run.history = history;
    run
}

/// What all screens may read, with the keys of the workbench and nothing else.
pub fn shared() -> Shared {
    Shared { keymap: super::commands::keymap(), ..Shared::default() }
}

/// What all screens may read, with a selected run that learns.
pub fn shared_with_run(steps: u64) -> Shared {
    Shared {
        runs: vec![run(1, "2026-11-29-rank-pcfg", &learning(steps))],
        selected: Some(RunId(1)),
        listed: true,
        now: 1100.0,
        ..shared()
    }
}

/// What the workbench asked of its engine, and which runs it has.
#[derive(Default)]
pub struct Played {
    pub calls: Vec<String>,
    pub own: Vec<RunId>,
    /// Whether a run ends as soon as it is asked to.
    pub obedient: bool,
}

/// An engine that writes down what it is asked.
struct Player(Rc<RefCell<Played>>);

impl Player {
    fn note(&self, call: String) {
        self.0.borrow_mut().calls.push(call);
    }
}

impl Engine for Player {
    fn watch_folders(&mut self, bases: Vec<PathBuf>, _: Sender<Message>) {
        self.note(format!("watch {}", bases.len()));
    }
    fn refresh(&mut self) {}
    fn install_sample(&mut self, data: &Path, _: Sender<Message>) {
        self.note(format!("install {}", data.display()));
    }
    fn start(
        &mut self,
        id: RunId,
        base: &Path,
        config: &Config,
        _: Sender<Message>,
    ) -> Result<PathBuf, String> {
        self.note(format!("start {}", config.data.train.0.join(",")));
        self.0.borrow_mut().own.push(id);
        Ok(base.join(format!("2026-11-29-rank-pcfg-{}", id.0)))
    }
    fn resume(&mut self, id: RunId, path: &Path, _: Sender<Message>) -> Result<(), String> {
        self.note(format!("resume {}", path.display()));
        self.0.borrow_mut().own.push(id);
        Ok(())
    }
    fn follow(&mut self, _: RunId, path: &Path, _: Sender<Message>) {
        self.note(format!("follow {}", path.display()));
    }
    fn control(&mut self, id: RunId, _: &Path, control: Control) -> Result<(), String> {
        self.note(format!("{control:?} {}", id.0));
        let mut played = self.0.borrow_mut();
        if played.obedient && control == Control::Stop {
            played.own.retain(|r| *r != id);
        }
        Ok(())
    }
    fn commands(&self, _: RunId) -> Option<Sender<Command>> {
        None
    }
    fn trash(&mut self, path: &Path) -> Result<PathBuf, String> {
        self.note(format!("trash {}", path.display()));
        Ok(PathBuf::from("runs/.trash").join(path.file_name().unwrap_or_default()))
    }
    fn own(&self) -> Vec<RunId> {
        self.0.borrow().own.clone()
    }
    fn detach(&mut self, path: &Path) -> Result<(), String> {
        self.note(format!("detach {}", path.display()));
        Ok(())
    }
}

/// The whole workbench on an engine that plays.
pub struct Stage {
    pub app: App,
    pub played: Rc<RefCell<Played>>,
    /// What tasks send.
    pub messages: Receiver<Message>,
    pub now: f64,
}

impl Stage {
    /// With colours and UTF-8.
    pub fn new() -> Stage {
        Stage::in_surroundings(Surroundings { no_color: false, unicode: true })
    }

    pub fn in_surroundings(surroundings: Surroundings) -> Stage {
        let played = Rc::new(RefCell::new(Played::default()));
        let (sender, messages) = unbounded();
        let engine = Box::new(Player(played.clone()));
        let theme = ThemeName::chosen(None, None, None, surroundings);
        let app = App::new(engine, sender, theme, surroundings.unicode, "runs".into());
        Stage { app, played, messages, now: 1100.0 }
    }

    /// First start: nothing named, no run anywhere.
    pub fn first_start() -> Stage {
        let mut stage = Stage::new();
        stage.app.begin(Vec::new(), super::start::UserData::default());
        stage.tell(Message::Folders(Vec::new()));
        stage
    }

    pub fn tell(&mut self, message: Message) {
        self.app.handle(message, self.now);
    }

    /// Takes in what background tasks send, until none runs.
    pub fn settle(&mut self) {
        while !self.app.shared.tasks.is_empty() {
            let message = self.messages.recv_timeout(std::time::Duration::from_secs(20));
            self.tell(message.expect("a task reports within its deadline"));
        }
    }

    /// Types keys by their spelling.
    pub fn keys(&mut self, spellings: &[&str]) {
        for spelling in spellings {
            let key = press(spelling);
            self.tell(Message::Terminal(Terminal::Key(key)));
        }
    }

    /// What the engine was asked since the last call.
    pub fn calls(&self) -> Vec<String> {
        std::mem::take(&mut self.played.borrow_mut().calls)
    }

    /// The job of a run ends.
    pub fn job_ends(&mut self, id: RunId, state: RunState) {
        self.played.borrow_mut().own.retain(|r| *r != id);
        self.tell(Message::JobEnded(id, state, None));
    }
}

/// The terminal's event for a spelling.
pub fn press(spelling: &str) -> KeyEvent {
    let (modifiers, name) = match spelling.strip_prefix("Ctrl-") {
        Some(name) => (KeyModifiers::CONTROL, name),
        None => (KeyModifiers::NONE, spelling),
    };
    let code = match name {
        "Enter" => KeyCode::Enter,
        "Esc" => KeyCode::Esc,
        "Tab" => KeyCode::Tab,
        "Shift-Tab" => KeyCode::BackTab,
        "Up" => KeyCode::Up,
        "Down" => KeyCode::Down,
        "Left" => KeyCode::Left,
        "Right" => KeyCode::Right,
        "Space" => KeyCode::Char(' '),
        "Backspace" => KeyCode::Backspace,
        _ if name.len() > 1 && name.starts_with('F') => {
            KeyCode::F(name[1..].parse().expect("the number of a function key"))
        }
        one => KeyCode::Char(one.chars().next().expect("a key")),
    };
    KeyEvent::new(code, modifiers)
}
