//! Which evaluation is in view: the newest of the selected run, or one that was asked for.

use super::rows::{Evaluation, Wanted};
use super::{Parses, Subject};
use crate::workbench::jump;
use crate::workbench::names::ScreenId;
use crate::workbench::patterns::TASK;
use crate::workbench::popup::Answer;
use crate::workbench::screen::{Context, Effect};
use crate::workbench::task::Task;

impl Parses {
    pub(super) fn scrub(&mut self, later: bool, context: &mut Context) {
        let Some(evaluation) = &self.evaluation else { return };
        match evaluation.neighbour(later) {
            Some(step) => {
                let was_live = self.is_live();
                self.scrubbing = true;
                if was_live && !self.is_live() {
                    self.analysis = None;
                    context.push(Effect::Cancel("parse"));
                }
                self.read(Wanted::At(step), context);
            }
            None if later => {
                self.scrubbing = false;
                context.status("this is the newest evaluation; newer ones will replace it");
                self.follow(context);
            }
            None => context.status("this is the first evaluation that is kept"),
        }
    }

    /// Turns to the trees of a step, if they were kept.
    pub(super) fn show_step(&mut self, step: u64, context: &mut Context) {
        let Some(evaluation) = &self.evaluation else { return };
        if evaluation.step != step && evaluation.steps.contains(&step) {
            self.scrubbing = Some(&step) != evaluation.steps.last();
            self.read(Wanted::At(step), context);
        }
    }

    /// Reads an evaluation of the run in view.
    pub(super) fn read(&mut self, wanted: Wanted, context: &mut Context) {
        let Some(Subject::Run(id)) = self.subject else { return };
        let Some(run) = context.shared.run(id) else { return };
        let path = run.path.clone();
        let title = format!("reading an evaluation of {}", run.name);
        context.spawn(Task::new("trees", title, move |_| Evaluation::load(id, &path, wanted)));
    }

    pub(super) fn ask_for_number(&mut self, context: &mut Context) {
        match self.evaluation.as_ref().map_or(0, |e| e.rows.len()) {
            0 => context.warn("there are no sentences yet"),
            last => context.push(Effect::Popup(jump::popup(last))),
        }
    }

    /// Goes to the sentence of the number that was typed.
    pub(super) fn jump(&mut self, answer: &Answer, context: &mut Context) {
        let Answer::Text(text) = answer else { return };
        match jump::number(text, self.evaluation.as_ref().map_or(0, |e| e.rows.len())) {
            Ok(number) => self.go_to(number - 1, context),
            Err(why) => context.push(Effect::Popup(jump::again(why, text))),
        }
    }

    /// Goes to a sentence, whether it is listed or not.
    pub(super) fn go_to(&mut self, sentence: usize, context: &mut Context) {
        self.typed.leave();
        if !self.order.contains(&sentence) {
            self.list_all(context);
        }
        self.search.to_first();
        let at = self.order.iter().position(|i| *i == sentence).unwrap_or(0);
        self.select(at, context);
    }

    /// Takes away what keeps sentences from the list.
    pub(super) fn list_all(&mut self, context: &mut Context) {
        self.listing.only = None;
        self.uses.clear();
        self.filter.clear();
        self.listing.filter.clear();
        self.end_search(context);
        self.relist(context);
    }

    /// Follows the selected run and its newest evaluation.
    pub(super) fn follow(&mut self, context: &mut Context) {
        if matches!(self.subject, Some(Subject::Checkpoint(_)))
            && context.shared.checkpoint.is_some()
        {
            return;
        }
        let selected = context.shared.selected.map(Subject::Run);
        let turned = self.subject != selected;
        if turned {
            context.push(Effect::Cancel("trees"));
            context.push(Effect::Cancel("parse"));
            context.push(Effect::Cancel("weights"));
            context.push(Effect::Cancel(TASK));
            context.push(Effect::Cancel(super::time::TASK));
            self.search.clear();
            *self = Parses {
                subject: selected,
                sentence: std::mem::take(&mut self.sentence),
                search: std::mem::take(&mut self.search),
                trees: self.trees,
                fold: self.fold,
                layout: self.layout,
                unit: self.unit,
                zoomed: self.zoomed,
                seen: self.seen,
                ..Parses::default()
            };
        }
        let Some(run) = context.shared.selected_run().filter(|_| self.seen) else { return };
        let newest = run.history.newest("dev").map(|e| e.step);
        let unread = !self.asked || newest > self.settled;
        if !unread || self.scrubbing {
            return;
        }
        // A run reports an evaluation before its trees are on the disk: until they are, every
        // word of the run is a reason to look again.
        self.missed = !turned && context.shared.task(ScreenId::Parses, "trees").is_some();
        if !self.missed {
            self.asked = true;
            let known = self.evaluation.as_ref().and_then(|e| e.steps.last().copied());
            self.read(Wanted::Behind(known), context);
        }
    }
}
