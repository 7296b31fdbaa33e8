//! The trees of the selected sentence, laid out.

use super::Rerank;
use crate::ensemble::rooted;
use crate::render::{Diagram, DiagramNode, Mark, compared};
use crate::workbench::screen::Context;
use crate::workbench::widgets::TreePane;

/// What the selected candidate is compared with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Against {
    #[default]
    Gold,
    /// The base parser's choice.
    Base,
}

impl Against {
    pub fn name(self) -> &'static str {
        match self {
            Against::Gold => "Gold tree",
            Against::Base => "Base choice",
        }
    }
}

/// The selected candidate and what it is compared with, brackets marked.
#[derive(Default)]
pub struct Panes {
    pub reference: Option<TreePane>,
    pub candidate: Option<TreePane>,
    /// The candidate alone, for exports.
    pub diagram: Option<Diagram>,
    /// Brackets that are in both trees, only in the reference, only in the candidate, and of these
    /// those that overlap brackets of the reference.
    pub matched: usize,
    pub missing: usize,
    pub spurious: usize,
    pub crossing: usize,
}

impl Panes {
    pub fn scroll(&mut self, by: (isize, isize)) {
        let Panes { reference, candidate, .. } = self;
        [reference, candidate].into_iter().flatten().for_each(|pane| pane.scroll(by));
    }
}

impl Rerank {
    /// What the candidate is compared with, where the sentence has both.
    pub(super) fn against(&self) -> Against {
        let gold = self.sentence().is_some_and(|i| {
            self.book.as_ref().is_some_and(|book| book.lists[i].list.gold.is_some())
        });
        if gold { self.against } else { Against::Base }
    }

    /// Lays out the selected candidate; a sentence without candidates has its gold tree alone.
    pub(super) fn lay_out(&mut self, context: &Context) {
        self.panes = Panes::default();
        let (Some(sentence), Some(book)) = (self.sentence(), &self.book) else { return };
        let list = &book.lists[sentence];
        let pane = |diagram: &Diagram| TreePane::tree(diagram, self.layout, context.theme);
        let gold = list.list.gold.as_ref().map(|gold| rooted(gold));
        let Some(tree) = list.trees.get(self.candidate) else {
            self.panes.reference = gold.map(|gold| pane(&Diagram::from_tree(&gold)));
            return;
        };
        let reference = match (self.against(), &gold) {
            (Against::Gold, Some(gold)) => gold,
            _ => &list.trees[0],
        };
        let (reference, candidate) = compared(reference, tree);
        let count = |diagram: &Diagram, mark: Mark| {
            diagram.nodes().iter().filter(|node: &&DiagramNode| node.mark == mark).count()
        };
        self.panes = Panes {
            matched: count(&candidate, Mark::Matched),
            missing: count(&reference, Mark::Missing),
            spurious: count(&candidate, Mark::Spurious),
            crossing: count(&candidate, Mark::Crossing),
            reference: Some(pane(&reference)),
            candidate: Some(pane(&candidate)),
            diagram: Some(candidate),
        };
    }
}
