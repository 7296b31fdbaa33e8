//! The twins of the selected sentence: found in tasks, one of them in view.

use super::Boost;
use super::twins::{Catalogue, Twin, excerpt};
use crate::analysis::conflicts::Place;
use crate::render::Mark;
use crate::workbench::names::RunId;
use crate::workbench::news::TaskReport;
use crate::workbench::screen::Context;
use crate::workbench::task::Task;
use crate::workbench::widgets::TreePane;
use std::sync::Arc;

/// State of the twins.
#[derive(Default)]
pub struct Pairs {
    /// Whether they are shown in the place of the trees.
    pub shown: bool,
    /// Whether a catalogue is there or being made.
    pub asked: bool,
    catalogue: Option<Arc<Catalogue>>,
    /// Those of a sentence, by its number.
    found: Option<(usize, Vec<Twin>)>,
    /// The one in view.
    pub at: usize,
    /// What is around both places.
    pub here: Option<TreePane>,
    pub there: Option<TreePane>,
}

/// Twins that a task found, of a sentence of a run.
struct Found(RunId, usize, Vec<Twin>);

impl Pairs {
    /// The twins of that sentence, once they are found.
    pub fn of(&self, sentence: usize) -> Option<&[Twin]> {
        self.found.as_ref().filter(|(of, _)| *of == sentence).map(|(_, twins)| &twins[..])
    }

    pub fn scroll(&mut self, by: (isize, isize)) {
        let Pairs { here, there, .. } = self;
        [here, there].into_iter().flatten().for_each(|pane| pane.scroll(by));
    }
}

impl Boost {
    pub(super) fn toggle_twins(&mut self, context: &mut Context) {
        self.pairs.shown = !self.pairs.shown;
        // Another view has other brackets.
        self.leave_bracket(context);
        self.find_twins(context);
    }

    pub(super) fn turn_twin(&mut self, next: bool, context: &Context) {
        let Some(sentence) = self.sentence() else { return };
        let last = self.pairs.of(sentence).map_or(0, |twins| twins.len().saturating_sub(1));
        let at = self.pairs.at;
        self.select_twin(if next { (at + 1).min(last) } else { at.saturating_sub(1) }, context);
    }

    /// Turns to a twin, and with it what verdicts are about.
    pub(super) fn select_twin(&mut self, at: usize, context: &Context) {
        let Some(sentence) = self.sentence() else { return };
        self.pairs.at = at;
        if self.span.is_some() {
            let twin = self.pairs.of(sentence).and_then(|twins| twins.get(self.pairs.at));
            self.span = twin.map(|twin| (twin.here.start, twin.here.end));
        }
        self.lay_out_twin(context);
    }

    /// Looks for the twins of the selected sentence while they are shown; before the first ones
    /// everything that varies in the treebank is listed.
    pub(super) fn find_twins(&mut self, context: &mut Context) {
        let (Some(sentence), Some(book)) = (self.sentence(), &self.book) else { return };
        if !self.pairs.shown || self.pairs.of(sentence).is_some() {
            return;
        }
        let (run, sentences) = (book.run, book.sentences.clone());
        let pairs = &mut self.pairs;
        match &pairs.catalogue {
            Some(catalogue) => {
                let catalogue = catalogue.clone();
                let title = "looking for twins of the sentence";
                context.spawn(Task::new("twins", title, move |_| {
                    Ok(Found(run, sentence, catalogue.twins(sentence, &sentences.part)))
                }));
            }
            None if pairs.asked => {}
            None => {
                pairs.asked = true;
                let title = "listing what is annotated in several ways";
                context.spawn(Task::new("catalogue", title, move |handle| {
                    Catalogue::of(run, &sentences.part, handle).ok_or("stopped".to_owned())
                }));
            }
        }
    }

    /// Takes in what a task found.
    pub(super) fn found(&mut self, report: &mut TaskReport, context: &mut Context) {
        if let Some(catalogue) = report.take::<Catalogue>() {
            if Some(catalogue.run) == self.run {
                self.pairs.catalogue = Some(Arc::new(catalogue));
                self.find_twins(context);
            }
        } else if let Some(Found(run, sentence, twins)) = report.take::<Found>()
            && Some(run) == self.run
        {
            self.pairs.found = Some((sentence, twins));
            self.pairs.at = 0;
            self.lay_out_twin(context);
        }
    }

    /// Lays out what is around both places of the twin in view.
    pub(super) fn lay_out_twin(&mut self, context: &Context) {
        (self.pairs.here, self.pairs.there) = (None, None);
        let (Some(sentence), Some(book)) = (self.sentence(), &self.book) else { return };
        let twin = self.pairs.of(sentence).and_then(|twins| twins.get(self.pairs.at));
        let Some(twin) = twin else { return };
        let pane = |place: Place, mark| {
            let tree = &book.sentences.part.sentences[place.sentence as usize].tree;
            let diagram = excerpt(tree, place, mark)?;
            Some(TreePane::tree(&diagram, self.layout, context.theme))
        };
        let panes = (pane(twin.here, Mark::Missing), pane(twin.there, Mark::Spurious));
        (self.pairs.here, self.pairs.there) = panes;
    }
}
