use super::{TreeLayout, TreePane};
use crate::render::Diagram;
use crate::workbench::theme::Theme;

/// How many levels of phrases of trees are shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Fold {
    /// `None`: all.
    levels: Option<usize>,
}

impl Fold {
    /// Shows a level less; `all` are those of the tree in view.
    pub fn less(&mut self, all: usize) {
        let shown = self.levels.unwrap_or(all).min(all);
        if shown > 1 {
            self.levels = Some(shown - 1);
        }
    }

    /// Shows a level more.
    pub fn more(&mut self, all: usize) {
        self.levels = self.levels.map(|shown| shown + 1).filter(|shown| *shown < all);
    }

    /// What stands behind the title of a tree of so many levels.
    pub fn words(self, all: usize) -> String {
        match self.levels.filter(|shown| *shown < all) {
            Some(shown) => format!(" · folded below depth {shown}"),
            None => String::new(),
        }
    }

    /// The tree laid out with the levels that are shown; what a search stands at is in view.
    pub fn pane(self, diagram: &Diagram, layout: TreeLayout, theme: &Theme) -> TreePane {
        let levels = self.levels.filter(|shown| *shown < diagram.levels());
        let more = if theme.unicode { "…" } else { "..." };
        let mut pane = match levels {
            Some(levels) => TreePane::tree(&diagram.folded(levels, more), layout, theme),
            None => TreePane::tree(diagram, layout, theme),
        };
        pane.reveal_match();
        pane
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_are_folded_down_to_one_and_unfolded_up_to_all() {
        let mut fold = Fold::default();
        let seen: Vec<String> = (0..4)
            .map(|_| {
                fold.less(3);
                fold.words(3)
            })
            .collect();
        let below = |n| format!(" · folded below depth {n}");
        assert_eq!(seen, [below(2), below(1), below(1), below(1)]);
        assert_eq!(fold.words(1), "", "a tree of one level is whole");
        fold.more(3);
        assert_eq!(fold.words(3), below(2));
        fold.more(3);
        assert_eq!(fold, Fold::default());
        fold.more(3);
        assert_eq!(fold, Fold::default());
    }
}
