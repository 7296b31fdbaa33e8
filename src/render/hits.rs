use super::{Diagram, DiagramNode, Mark};
use crate::treebank::pattern::{Found, Match};
use crate::treebank::{NodeId, Place, Tree, TreeBuilder};

/// How a label or word stands to a search.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Hit {
    #[default]
    None,
    /// A named node of a pattern.
    Named,
    /// What the search found.
    Found,
    /// The place that the search stands at.
    Current,
}

impl Hit {
    /// The sign before a label or word; colours only repeat what it says.
    pub fn symbol(self, ascii: bool) -> &'static str {
        match (self, ascii) {
            (Hit::None, _) => "",
            (Hit::Named, _) => ":",
            (Hit::Found, false) => "›",
            (Hit::Found, true) => ">",
            (Hit::Current, false) => "»",
            (Hit::Current, true) => ">>",
        }
    }
}

impl Diagram {
    /// The tree that is drawn, for patterns: node for node and word for word in the same order.
    /// `None` where there is no word, or a phrase without one.
    pub fn tree(&self) -> Option<Tree> {
        let mut builder = TreeBuilder::new();
        // Last nodes of the phrases that are open.
        let mut open: Vec<usize> = Vec::new();
        let last = self.last_below();
        for (at, node) in self.nodes().iter().enumerate() {
            match &node.word {
                Some(word) => drop(builder.word(&*node.label, &**word)),
                None => {
                    builder.open(&*node.label);
                    open.push(last[at]);
                }
            }
            while open.pop_if(|last| *last == at).is_some() {
                builder.close();
            }
        }
        builder.finish(Place::default())
    }

    /// Of every node the last one below it, or itself.
    fn last_below(&self) -> Vec<usize> {
        let nodes = self.nodes();
        let mut last: Vec<usize> = (0..nodes.len()).collect();
        for at in (0..nodes.len()).rev() {
            if let Some(&child) = nodes[at].children.last() {
                last[at] = last[child];
            }
        }
        last
    }

    /// Marks what a pattern found in [`Diagram::tree`], and which of it the search stands at.
    pub fn mark_hits(&mut self, matches: &[Match], current: Option<usize>) {
        for (i, found) in matches.iter().enumerate() {
            let hit = if current == Some(i) { Hit::Current } else { Hit::Found };
            self.mark_hit(found.found, hit);
            found.named.iter().for_each(|(_, named)| self.mark_hit(*named, Hit::Named));
        }
    }

    /// Marks the phrase, or the word, of a span as found, if there is one.
    pub fn mark_span(&mut self, start: u32, end: u32) {
        let is_it = |at: &usize| {
            let node = &self.nodes()[*at];
            (node.start, node.end, node.word.is_some()) == (start, end, end == start + 1)
        };
        let Some(at) = (0..self.nodes().len()).find(is_it) else { return };
        let Some(node) = self.node_mut(at) else { return };
        let target = if end == start + 1 { &mut node.word_hit } else { &mut node.hit };
        *target = Hit::Found.max(*target);
    }

    /// Marks the brackets over exactly these words that the compared tree does not have, the upper
    /// one as that which a search stands at; whether there is one.
    pub fn mark_differing(&mut self, start: u32, end: u32) -> bool {
        let wrong = [Mark::Missing, Mark::Spurious, Mark::Crossing];
        let is_it = |node: &DiagramNode| {
            node.word.is_none()
                && (node.start, node.end) == (start, end)
                && wrong.contains(&node.mark)
        };
        let found: Vec<usize> =
            (0..self.nodes().len()).filter(|at| is_it(&self.nodes()[*at])).collect();
        for (i, at) in found.iter().enumerate() {
            if let Some(node) = self.node_mut(*at) {
                node.hit = if i == 0 { Hit::Current } else { Hit::Found };
            }
        }
        !found.is_empty()
    }

    fn mark_hit(&mut self, found: Found, hit: Hit) {
        let at = match found {
            Found::Node(NodeId(id)) => id as usize,
            Found::Word(word) => match self.preterminals().get(word as usize) {
                Some(&at) => at,
                None => return,
            },
        };
        let is_word = matches!(found, Found::Word(_));
        let Some(node) = self.node_mut(at) else { return };
        let target = if is_word { &mut node.word_hit } else { &mut node.hit };
        *target = hit.max(*target);
    }

    /// Levels of phrases: 1 where words hang on the root.
    pub fn levels(&self) -> usize {
        let phrases =
            self.nodes().iter().zip(self.depths()).filter(|(node, _)| node.word.is_none());
        phrases.map(|(_, depth)| depth + 1).max().unwrap_or(0)
    }

    /// The tree with so many levels of phrases: of a phrase further down the words stand in one
    /// piece behind its label and `more`. What is marked in it shows at the words. For drawing
    /// only: several words are one.
    pub fn folded(&self, levels: usize, more: &str) -> Diagram {
        let (depths, last) = (self.depths(), self.last_below());
        let mut folded = Diagram::default();
        // New places of the nodes on the way down.
        let mut path: Vec<usize> = Vec::new();
        let mut at = 0;
        while let Some(node) = self.nodes().get(at) {
            path.truncate(depths[at]);
            let parent = path.last().copied();
            if node.word.is_some() || depths[at] < levels.max(1) {
                path.push(folded.adopt(node.clone(), parent));
                at += 1;
                continue;
            }
            let below = &self.nodes()[at + 1..=last[at]];
            let words: Vec<&str> = below.iter().filter_map(|n| n.word.as_deref()).collect();
            let mut piece = node.clone();
            piece.label = format!("{} {more}", node.label).trim_start().into();
            piece.word = Some(words.join(" ").into());
            piece.unknown = below.iter().any(|n| n.unknown);
            piece.word_hit = below.iter().map(|n| n.hit.max(n.word_hit)).max().unwrap_or_default();
            path.push(folded.adopt(piece, parent));
            at = last[at] + 1;
        }
        folded
    }
}

#[cfg(test)]
mod tests {
    use super::super::diagram::tests::{any_diagram, dog};
    use super::super::picture::tests::check;
    use super::super::{Charset, Picture, bracket_lines, bracket_row, indented, vertical};
    use super::*;
    use crate::treebank::pattern::Pattern;
    use proptest::prelude::*;

    const LAYOUTS: [fn(&Diagram, Charset) -> Picture; 4] =
        [vertical, indented, bracket_lines, bracket_row];

    fn found(mut diagram: Diagram, pattern: &str, current: Option<usize>) -> Diagram {
        let pattern: Pattern = pattern.parse().expect("a pattern");
        let matches = pattern.matches(&diagram.tree().expect("has words"));
        diagram.mark_hits(&matches, current);
        diagram
    }

    #[test]
    fn a_diagram_is_the_tree_that_it_was_drawn_from() {
        let tree = dog().tree().expect("has words");
        assert_eq!(tree.to_string(), "(S (NP (DT the) (NN dog)) (VP (VBD barked)))");
        assert_eq!(Diagram::from_tree(&tree), dog());
    }

    #[test]
    fn what_is_found_has_a_sign_in_every_layout_of_either_character_set() {
        let tree = found(dog(), "NP|VP << __=w", Some(1));
        let shots = LAYOUTS.map(|layout| layout(&tree, Charset::Unicode).lines().join("\n"));
        for shot in &shots {
            assert!(shot.contains("›NP") && shot.contains("»VP"), "{shot}");
            assert!(shot.contains(":DT") && shot.contains(":VBD"), "{shot}");
        }
        for layout in LAYOUTS {
            let shot = layout(&tree, Charset::Ascii).lines().join("\n");
            assert!(shot.is_ascii() && shot.contains(">NP") && shot.contains(">>VP"), "{shot}");
        }
        let word = found(dog(), "dog", Some(0));
        for layout in LAYOUTS {
            let picture = layout(&word, Charset::Unicode);
            assert!(picture.lines().join("\n").contains("»dog"), "{:?}", picture.lines());
            assert!(picture.hit(Hit::Current).is_some() && picture.hit(Hit::Named).is_none());
        }
    }

    #[test]
    fn spans_are_marked_at_the_phrase_or_word_that_has_them_and_others_nowhere() {
        let mut tree = dog();
        for (start, end) in [(0, 2), (2, 3), (1, 3), (0, 9)] {
            tree.mark_span(start, end);
        }
        assert_eq!(
            bracket_row(&tree, Charset::Unicode).lines(),
            ["(S (›NP (DT the) (NN dog)) (VP (VBD ›barked)))"]
        );
    }

    #[test]
    fn a_bracket_may_be_both_found_and_compared() {
        let mut tree = found(dog(), "NP", None);
        tree.mark(
            |span| if span == (0, 2) { super::super::Mark::Crossing } else { Default::default() },
        );
        assert_eq!(
            bracket_row(&tree, Charset::Unicode).lines(),
            ["(S (›✗NP (DT the) (NN dog)) (VP (VBD barked)))"]
        );
    }

    #[test]
    fn folded_phrases_keep_their_words_and_say_that_something_is_found_in_them() {
        let tree = found(dog(), "NN", Some(0));
        assert_eq!(tree.levels(), 2);
        let folded = tree.folded(1, "…");
        assert_eq!(
            bracket_row(&folded, Charset::Unicode).lines(),
            ["(S (NP … »the dog) (VP … barked))"]
        );
        assert_eq!(tree.folded(2, "…"), tree);
        assert_eq!(tree.folded(0, "…"), folded, "the root stays");
    }

    proptest! {
        #[test]
        fn trees_are_folded_to_any_level_with_all_their_words(tree in any_diagram(), levels in 1usize..6) {
            let folded = tree.folded(levels, "…");
            prop_assert!(folded.levels() <= levels);
            let words = |d: &Diagram| -> Vec<String> {
                let of = |i: &usize| d.nodes()[*i].word.as_deref().unwrap_or_default().to_owned();
                d.preterminals().iter().map(of).collect()
            };
            prop_assert_eq!(words(&folded).join(" "), words(&tree).join(" "));
            for layout in LAYOUTS {
                check(&folded, &layout(&folded, Charset::Unicode));
            }
        }

        #[test]
        fn signs_cover_nothing(tree in any_diagram(), pattern in "__( < __=a)?") {
            let tree = found(tree, &pattern, Some(0));
            for layout in LAYOUTS {
                check(&tree, &layout(&tree, Charset::Unicode));
            }
        }
    }
}
