//! A screen on its own, for tests: messages in, effects and text out, tasks run at once.

use super::names::RunId;
use super::news::{Outcome, TaskReport};
use super::screen::{Context, Effect, Input, Screen, View};
use super::screens::commands;
use super::shared::{RunEntry, Shared};
use super::testing::{self, draw_text};
use super::theme::{Theme, ThemeName};
use crossterm::event::{KeyCode, KeyEvent};
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::buffer::Buffer;

pub struct Stage<S> {
    pub screen: S,
    pub shared: Shared,
    pub theme: Theme,
}

impl<S: Screen> Stage<S> {
    pub fn new(screen: S) -> Stage<S> {
        let shared = Shared { runs_folder: "runs".into(), ..testing::shared() };
        Stage { screen, shared, theme: Theme::new(ThemeName::Dark, true) }
    }

    /// With a selected run of that number, whose folder does not exist.
    pub fn with_run(screen: S, id: u32) -> Stage<S> {
        let mut stage = Stage::new(screen);
        let path = format!("runs/2026-11-29-rank-pcfg-{id}");
        let mut run = RunEntry::new(RunId(id), path.into());
        run.config = Some(crate::config::Config::default());
        stage.shared.runs.push(run);
        stage.shared.selected = Some(RunId(id));
        stage
    }

    /// What an input makes the screen ask for.
    pub fn update(&mut self, input: Input) -> Vec<Effect> {
        let mut context = Context::new(&self.shared, &self.theme);
        self.screen.update(input, &mut context);
        context.into_effects()
    }

    pub fn command(&mut self, name: &'static str) -> Vec<Effect> {
        assert!(commands(self.screen.id()).any(|c| c.name == name), "no command {name}");
        self.update(Input::Command(name))
    }

    /// Hands over a result as a task would.
    pub fn deliver<T: std::any::Any + Send>(
        &mut self,
        kind: &'static str,
        value: T,
    ) -> Vec<Effect> {
        self.report(kind, Outcome::Done(Box::new(value)))
    }

    pub fn report(&mut self, kind: &'static str, outcome: Outcome) -> Vec<Effect> {
        let mut report = TaskReport::new(self.screen.id(), kind, outcome);
        self.update(Input::Task(&mut report))
    }

    /// Runs the tasks among the effects and those that follow from them; gives the other effects.
    pub fn settle(&mut self, effects: Vec<Effect>) -> Vec<Effect> {
        let mut others = Vec::new();
        let mut queue = std::collections::VecDeque::from(effects);
        while let Some(effect) = queue.pop_front() {
            let Effect::Spawn(task) = effect else {
                others.push(effect);
                continue;
            };
            let kind = task.kind;
            let outcome = match task.run() {
                Ok(payload) => Outcome::Done(payload),
                Err(reason) => Outcome::Failed(reason),
            };
            queue.extend(self.report(kind, outcome));
        }
        others
    }

    /// Types into the field that has the keys.
    pub fn type_text(&mut self, text: &str) {
        for c in text.chars() {
            assert!(self.screen.editing(), "no field has the keys");
            self.update(Input::Key(KeyEvent::from(KeyCode::Char(c))));
        }
    }

    pub fn press(&mut self, code: KeyCode) -> Vec<Effect> {
        self.update(Input::Key(KeyEvent::from(code)))
    }

    /// The cells as drawn in a terminal of that size, without the workbench's own three rows.
    pub fn buffer(&self, width: u16, height: u16) -> Buffer {
        let backend = TestBackend::new(width, height - 3);
        let mut terminal = Terminal::new(backend).expect("a test backend cannot fail");
        let view = View::new(&self.shared, &self.theme);
        let drawn = terminal.draw(|frame| {
            let area = frame.area();
            self.screen.draw(frame, area, &view);
        });
        drawn.expect("a test backend cannot fail").buffer.clone()
    }

    /// The text of [`Stage::buffer`].
    pub fn shot(&self, width: u16, height: u16) -> String {
        let view = View::new(&self.shared, &self.theme);
        draw_text(width, height - 3, |frame| self.screen.draw(frame, frame.area(), &view))
    }
}

/// The lines that status effects say.
pub fn said(effects: &[Effect]) -> Vec<String> {
    let text = |effect: &Effect| match effect {
        Effect::Status(_, text) => Some(text.clone()),
        _ => None,
    };
    effects.iter().filter_map(text).collect()
}
