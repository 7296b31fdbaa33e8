//! The trees of the selected sentence, laid out.

use super::Boost;
use super::brackets::{Bracket, differing};
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
    /// Where both differ.
    pub brackets: Vec<Bracket>,
}

impl Panes {
    pub fn scroll(&mut self, by: (isize, isize)) {
        let Panes { annotation, analysis, .. } = self;
        [annotation, analysis].into_iter().flatten().for_each(|pane| pane.scroll(by));
    }
}

impl Boost {
    /// Lays out the trees of the selected sentence; the words of a chosen bracket are set apart, and
    /// brought into view.
    pub(super) fn lay_out(&mut self, context: &Context) {
        self.panes = Panes::default();
        let (Some(sentence), Some(book)) = (self.sentence(), &self.book) else { return };
        let part = &book.sentences.part;
        let annotation = &part.sentences[sentence].tree;
        let tree = |mut diagram: Diagram| {
            let Some((start, end)) = self.span else {
                return TreePane::tree(&diagram, self.layout, context.theme);
            };
            diagram.mark_unknown(|i| (start as usize..end as usize).contains(&i));
            let differs = diagram.mark_differing(start, end);
            let mut pane = TreePane::tree(&diagram, self.layout, context.theme);
            // Where a tree has no such bracket, its words show what it has instead.
            if differs {
                pane.reveal_match()
            } else {
                pane.reveal_words_apart()
            }
            pane
        };
        self.panes = match self.analyses().and_then(|analyses| analyses.tree(sentence, part)) {
            Some(analysis) => {
                let (annotation, analysis) = compared(annotation, &analysis);
                let crosses = |node: &&DiagramNode| node.mark == Mark::Crossing;
                Panes {
                    crossing: analysis.nodes().iter().filter(crosses).count() as u32,
                    brackets: differing(&annotation, &analysis),
                    annotation: Some(tree(annotation)),
                    analysis: Some(tree(analysis)),
                }
            }
            None => {
                let annotation = Some(tree(Diagram::from_tree(annotation)));
                Panes { annotation, ..Panes::default() }
            }
        };
    }
}
