//! The trees of the selected sentence, laid out.

use super::Boost;
use crate::render::{Diagram, DiagramNode, Mark, compared};
use crate::workbench::screen::Context;
use crate::workbench::widgets::TreePane;

/// The annotation and the analysis of the round in view, brackets marked.
#[derive(Default)]
pub struct Panes {
    pub annotation: Option<TreePane>,
    pub analysis: Option<TreePane>,
    /// Brackets of the analysis that overlap annotated ones.
    pub crossing: u32,
}

impl Panes {
    pub fn scroll(&mut self, by: (isize, isize)) {
        let Panes { annotation, analysis, .. } = self;
        [annotation, analysis].into_iter().flatten().for_each(|pane| pane.scroll(by));
    }
}

impl Boost {
    /// Lays out the trees of the selected sentence.
    pub(super) fn lay_out(&mut self, context: &Context) {
        self.panes = Panes::default();
        let (Some(sentence), Some(book)) = (self.sentence(), &self.book) else { return };
        let number = book.rounds[self.round()].kept.number;
        let part = &book.sentences.part;
        let annotation = &part.sentences[sentence].tree;
        let analyses = self.analyses.as_ref().filter(|(n, _)| *n == number);
        let tree = |diagram: &Diagram| TreePane::tree(diagram, self.layout, context.theme);
        match analyses.and_then(|(_, analyses)| analyses.tree(sentence, part)) {
            Some(analysis) => {
                let (annotation, analysis) = compared(annotation, &analysis);
                let crosses = |node: &&DiagramNode| node.mark == Mark::Crossing;
                self.panes.crossing = analysis.nodes().iter().filter(crosses).count() as u32;
                self.panes.annotation = Some(tree(&annotation));
                self.panes.analysis = Some(tree(&analysis));
            }
            None => self.panes.annotation = Some(tree(&Diagram::from_tree(annotation))),
        }
    }
}
