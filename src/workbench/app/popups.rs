//! Popups: opened, answered, closed.

use super::{App, Leaving, Open, Owner, picking};
use crate::workbench::commands;
use crate::workbench::layers::{self, Choose, Layer, Verdict};
use crate::workbench::popup::{Answer, Item, Popup};
use crate::workbench::screen::Input;

impl App {
    /// Does what the uppermost layer says of what came to it.
    pub(super) fn judged(&mut self, verdict: Verdict) {
        match verdict {
            Verdict::Consumed | Verdict::Pass => {}
            Verdict::Close(answer) => self.close(answer),
            Verdict::Ask(effect) => self.carry_out(vec![(self.active, effect)]),
        }
    }

    pub(super) fn open_palette(&mut self) {
        let items = commands::table()
            .map(|(scope, c)| Item {
                name: scope.map_or(c.name.to_owned(), |s| format!("{}: {}", s.title(), c.name)),
                description: self.say(c.help),
            })
            .collect();
        self.open(Owner::Workbench, "palette", Box::new(Choose::new("Commands".into(), items, 0)));
    }

    pub(super) fn open(&mut self, owner: Owner, id: &'static str, layer: Box<dyn Layer>) {
        // The same popup twice would have to be answered twice.
        if !self.layers.iter().any(|l| l.owner == owner && l.id == id) {
            let mut layer = layer;
            let begun = layer.begin();
            self.layers.push(Open { owner, id, layer });
            if let Some(effect) = begun {
                self.judged(Verdict::Ask(effect));
            }
        }
    }

    /// Asks something in the workbench's own name.
    pub(in crate::workbench) fn ask(&mut self, id: &'static str, popup: Popup) {
        let layer = layers::layer(popup, &self.memory.recent);
        self.open(Owner::Workbench, id, layer);
    }

    pub(super) fn close(&mut self, answer: Answer) {
        let Some(open) = self.layers.pop() else { return };
        // Nobody reads folders for a list that is closed.
        for kind in [layers::FILES, layers::FILE_CHECK] {
            self.tasks.cancel((self.active, kind), &mut self.shared.tasks);
        }
        match open.owner {
            Owner::Screen(screen) => {
                self.tell(screen, Input::Answer { popup: open.id, answer: &answer });
            }
            Owner::Workbench => self.answered(open.id, &answer),
        }
    }

    pub(super) fn answered(&mut self, popup: &'static str, answer: &Answer) {
        match (popup, answer) {
            ("palette", Answer::Item(i)) => {
                if let Some((scope, command)) = commands::table().nth(*i) {
                    self.command(scope, command);
                }
            }
            ("quit", Answer::Choice('s')) => self.leave(Leaving::Stop),
            ("quit", Answer::Choice('l')) => self.leave(Leaving::Detach),
            ("opening", answer) => self.opening_answered(answer),
            (picking::POPUP, Answer::File(path)) => self.open_path(path.clone()),
            _ => {}
        }
    }
}
