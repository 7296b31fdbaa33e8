//! What of the sentence in view is drawn: laid out once, when it changes.

use super::Parses;
use super::rows::Row;
use super::surprisal::SurprisalPane;
use crate::render::{Diagram, Mark, heat_map, mark_against};
use crate::workbench::screen::Context;
use crate::workbench::widgets::{TreePane, charset};

/// Number of brackets of each kind in view.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MarkCounts {
    pub matched: usize,
    pub missing: usize,
    pub crossing: usize,
    pub spurious: usize,
}

/// Laid out trees of the sentence in view.
#[derive(Default)]
pub struct Panes {
    pub gold: Option<TreePane>,
    pub induced: Option<TreePane>,
    pub heat: Option<TreePane>,
    /// Of a language model, in place of trees.
    pub surprisal: Option<SurprisalPane>,
    pub counts: MarkCounts,
    /// Levels of phrases of the trees.
    pub gold_levels: usize,
    pub induced_levels: usize,
    /// What is exported.
    pub diagram: Option<Diagram>,
}

impl Parses {
    /// Lays out what is in view; drawing only looks.
    pub(super) fn lay_out(&mut self, context: &Context) {
        let theme = context.theme;
        self.panes = Panes::default();
        let analysis = match (self.typed.shown(), &self.analysis, self.row()) {
            (Some(typed), ..) => Some(typed),
            (None, Some((number, analysis)), Some((at, _))) if *number == at => Some(analysis),
            _ => None,
        };
        let row = self.row().filter(|_| self.typed.is_empty()).map(|(_, row)| row);
        let scored = match analysis {
            Some(analysis) => analysis.scored.clone(),
            None => row.and_then(Row::scored),
        };
        if let Some(scored) = scored {
            self.panes.surprisal = Some(SurprisalPane::new(scored));
            return;
        }
        let mut gold = row.and_then(Row::gold_diagram);
        let induced = match analysis {
            Some(analysis) => analysis.diagram.clone(),
            None => row.and_then(Row::induced_diagram),
        };
        let marginals = match analysis {
            Some(analysis) => Some(&analysis.marginals),
            None => row.and_then(|row| row.marginals.as_ref()),
        };
        let Some(mut induced) = induced else {
            self.mark_matches(gold.as_mut(), None);
            self.panes.gold_levels = gold.as_ref().map_or(0, Diagram::levels);
            self.panes.gold = gold.map(|gold| self.fold.pane(&gold, self.layout, theme));
            return;
        };
        if let Some(gold) = &mut gold {
            mark_against(gold, &mut induced);
        }
        let uses =
            self.row().filter(|_| self.typed.is_empty()).and_then(|(n, _)| self.uses.get(&n));
        uses.into_iter().flatten().for_each(|&(start, end)| induced.mark_span(start, end));
        self.mark_matches(gold.as_mut(), Some(&mut induced));
        let count = |diagram: &Diagram, mark| {
            let marked = diagram.nodes().iter().filter(|n| n.mark == mark);
            marked.map(|n| (n.start, n.end)).collect::<std::collections::HashSet<_>>().len()
        };
        self.panes = Panes {
            counts: MarkCounts {
                matched: count(&induced, Mark::Matched),
                missing: gold.as_ref().map_or(0, |gold| count(gold, Mark::Missing)),
                crossing: count(&induced, Mark::Crossing),
                spurious: count(&induced, Mark::Spurious),
            },
            heat: marginals.filter(|m| !m.is_empty()).map(|marginals| {
                let map = heat_map(&induced, gold.as_ref(), marginals, charset(theme));
                TreePane::picture(map)
            }),
            gold_levels: gold.as_ref().map_or(0, Diagram::levels),
            induced_levels: induced.levels(),
            gold: gold.map(|gold| self.fold.pane(&gold, self.layout, theme)),
            induced: Some(self.fold.pane(&induced, self.layout, theme)),
            diagram: Some(induced),
            surprisal: None,
        };
    }
}
