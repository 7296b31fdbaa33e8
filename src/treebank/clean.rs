//! Preprocessing that gives trees: what a model would see of a treebank, as a treebank.

use super::graph::{Graph, GraphNode};
use super::memo::{Memo, Purpose, Rewritten};
use super::normalise::is_normal_but_n;
use super::preprocess::root_brackets;
use super::{NodeId, Preprocessing, Removed, TaggedWords, Tree, attach};
use crate::config::{Discontinuous, FunctionLabels, UnaryChains};
use std::collections::BTreeMap;
use std::sync::Arc;

impl Preprocessing {
    /// The tree less what preprocessing takes away, its words and labels as models see them, and
    /// what each step took; `None`, and counted as `no-words`, where no word remains. The
    /// brackets above the sentence proper stay.
    pub fn clean(&self, tree: &Tree, removed: &mut Removed) -> Option<Tree> {
        let attached = match self.discontinuous {
            Discontinuous::Attach => attach(tree),
            Discontinuous::Keep => None,
        };
        if let Some((_, moved)) = &attached {
            removed.add("reattached", moved.moved());
        }
        let tree = attached.as_ref().map_or(tree, |(tree, _)| tree);
        let mut taken = Removed::default();
        let offsets = self.offsets(tree, &mut taken);
        removed.extend(&taken);
        let offsets = offsets?;
        let kept = tree.words().iter().enumerate().filter(|(i, _)| offsets[*i].is_some());
        let spoken = kept.filter(|(i, _)| !tree.is_empty_element(*i)).map(|(_, word)| word);
        let mut memo = Memo::of(purpose(spoken, &taken));
        let mut graph = Graph::of(tree);
        let roots = root_brackets(tree);
        let keeps = self.keeps(tree, &offsets, removed);
        let mut kept_children = vec![0; keeps.len()];
        for (id, node) in tree.nodes() {
            if let Some(parent) = node.parent.filter(|_| keeps[id.index()]) {
                kept_children[parent.index()] += 1;
            }
        }
        let mut rewritten = Rewritten::default();
        let mut targets: Vec<usize> = (0..graph.nodes.len()).collect();
        let mut joined: BTreeMap<usize, String> = BTreeMap::new();
        // Parents stand before children, so a node above is settled before those below it.
        for (id, node) in tree.nodes() {
            let i = id.index();
            if let Some(parent) = node.parent {
                // A phrase that went into the one above it hands its children on.
                graph.nodes[i].parent = Some(targets[parent.index()]);
            }
            if !keeps[i] {
                continue;
            }
            match node.position {
                Some(position) => {
                    let word = &tree.words()[position as usize];
                    let is_trace = tree.is_empty_element(position as usize);
                    let normal = match is_trace {
                        true => word.clone(),
                        false => memo.word(self, word, &mut rewritten),
                    };
                    graph.nodes[i].word = offsets[position as usize].map(|o| (o, normal));
                }
                None => self.clean_phrase(&mut graph, i, &mut memo, removed),
            }
            let above = node.parent.map(NodeId::index);
            if let Some(above) = above
                && self.unary_chains != UnaryChains::Keep
                && node.word.is_none()
                && above >= roots
                && kept_children[above] == 1
            {
                let above = targets[above];
                if self.unary_chains == UnaryChains::Join {
                    let label = joined.entry(above);
                    let label = label.or_insert_with(|| graph.nodes[above].label.to_string());
                    label.push('+');
                    label.push_str(&graph.nodes[i].label);
                }
                removed.add("unary-phrases", 1);
                targets[i] = above;
            }
        }
        rewritten.count(removed);
        for (i, label) in joined {
            // As it would be read: a label that begins with a hyphen is one inside of no other.
            graph.nodes[i].label = memo.label(self, &label.into());
        }
        // What went away is left out, and indices close up.
        let stays: Vec<bool> =
            (0..graph.nodes.len()).map(|i| keeps[i] && targets[i] == i).collect();
        let mut new = vec![usize::MAX; graph.nodes.len()];
        let staying = stays.iter().enumerate().filter(|(_, stays)| **stays);
        for (place, (i, _)) in staying.enumerate() {
            new[i] = place;
        }
        let mut kept = Graph::default();
        for (node, _) in graph.nodes.into_iter().zip(&stays).filter(|(_, stays)| **stays) {
            let before = node.secondary.len();
            let secondary: Vec<(usize, Arc<str>)> = node
                .secondary
                .into_iter()
                .filter(|(to, _)| keeps[*to])
                .map(|(to, label)| (new[targets[to]], label))
                .collect();
            removed.add("secondary-edges", (before - secondary.len()) as u64);
            let parent = node.parent.map(|p| new[p]);
            kept.nodes.push(GraphNode { parent, secondary, ..node });
        }
        let cleaned = kept.assemble(tree.place.clone(), tree.name().cloned());
        Some(cleaned.expect("phrases that stay have a word below them"))
    }

    /// The same of words without a tree.
    pub fn clean_words(&self, words: TaggedWords, removed: &mut Removed) -> Option<TaggedWords> {
        let place = words.place.clone();
        let mut taken = Removed::default();
        let as_read = self.tagged_with(&mut Memo::default(), words.clone(), 0, &mut taken);
        let mut memo = Memo::of(purpose(as_read.iter().flat_map(|s| &s.surface), &taken));
        let cleaned = self.tagged_with(&mut memo, words, 0, removed)?;
        Some(TaggedWords { words: cleaned.words, tags: cleaned.tags, place })
    }

    /// The same of a line of text. Where the words would be split otherwise when they are read
    /// again, they are: marks that told the end of a word may be gone.
    pub fn clean_text(&self, text: &str, removed: &mut Removed) -> Option<String> {
        let mut taken = Removed::default();
        let as_read = self.text_with(&mut Memo::default(), text, 0, &mut taken);
        let mut memo = Memo::of(purpose(&as_read.surface, &taken));
        let mut before = text.to_owned();
        // Every further time takes a mark away or splits a word.
        loop {
            let words = self.text_with(&mut memo, &before, 0, removed).words.join(" ");
            if words == before {
                break;
            }
            before = words;
            memo = Memo::of(Purpose::Cleaned);
        }
        if before.is_empty() {
            removed.add("no-words", 1);
            return None;
        }
        Some(before)
    }

    /// Which nodes stay: those with a word that does.
    fn keeps(&self, tree: &Tree, offsets: &[Option<u32>], removed: &mut Removed) -> Vec<bool> {
        let mut keeps = vec![false; tree.nodes().len()];
        for (id, node) in tree.nodes().rev() {
            if let Some(position) = node.position {
                keeps[id.index()] = offsets[position as usize].is_some();
            } else if !keeps[id.index()] {
                removed.add("empty-phrases", 1);
            }
            if let Some(parent) = node.parent {
                keeps[parent.index()] |= keeps[id.index()];
            }
        }
        keeps
    }

    fn clean_phrase(&self, graph: &mut Graph, i: usize, memo: &mut Memo, removed: &mut Removed) {
        if self.function_labels == FunctionLabels::Keep {
            return;
        }
        let node = &mut graph.nodes[i];
        let label = memo.label(self, &node.label);
        let edge = node.annotation.edge.take();
        removed.add("function-labels", u64::from(label != node.label || edge.is_some()));
        node.label = label;
    }
}

/// What a sentence of these words is written as: with a number among them, a capital but `N` or a
/// mark taken away they were not cleaned before.
fn purpose<'a>(words: impl IntoIterator<Item = &'a Arc<str>>, taken: &Removed) -> Purpose {
    let is_normal = words.into_iter().all(|word| is_normal_but_n(word));
    if is_normal && taken.get("punctuation") == 0 { Purpose::Cleaned } else { Purpose::Raw }
}

#[cfg(test)]
mod tests {
    use super::super::formats::tests::export;
    use super::super::tree::tree;
    use super::*;

    fn cleaned(rules: &Preprocessing, tree: &Tree) -> (Option<String>, Vec<(&'static str, u64)>) {
        let mut removed = Removed::default();
        let tree = rules.clean(tree, &mut removed);
        (tree.map(|t| t.to_string()), removed.0.into_iter().collect())
    }

    #[test]
    fn every_step_is_done_and_counted() {
        let rules = Preprocessing::preset("ptb").expect("known");
        let given = tree(
            "( (S (NP-SBJ (-NONE- *PRO*)) (`` ``) (VP (VB Buy) (NP=2 (CD 1,000) (NNS Kites)) \
             (PRN (, ,) (NP (-NONE- *T*-1)))) (. .)))",
        );
        let (text, removed) = cleaned(&rules, &given);
        assert_eq!(text.as_deref(), Some("( (S (VP (VB buy) (NP (CD N) (NNS kites)))))"));
        let expected = [
            ("empty-phrases", 3),
            ("function-labels", 1),
            ("lower-case", 2),
            ("numbers", 1),
            ("punctuation", 3),
            ("traces", 2),
        ];
        assert_eq!(removed, expected);
        let (text, removed) = cleaned(&rules, &tree("(TOP (NP (-NONE- *)))"));
        assert_eq!((text, removed), (None, vec![("no-words", 1), ("traces", 1)]));
    }

    #[test]
    fn unary_chains_are_kept_collapsed_or_joined() {
        let given = tree("(TOP (S (VP (S (VP (VB go) (NP (NN home)))))))");
        for (chains, expected) in [
            (UnaryChains::Keep, "(TOP (S (VP (S (VP (VB go) (NP (NN home)))))))"),
            (UnaryChains::Collapse, "(TOP (S (VB go) (NP (NN home))))"),
            (UnaryChains::Join, "(TOP (S+VP+S+VP (VB go) (NP (NN home))))"),
        ] {
            let rules = Preprocessing { unary_chains: chains, ..Preprocessing::default() };
            assert_eq!(cleaned(&rules, &given).0.as_deref(), Some(expected));
        }
    }

    #[test]
    fn the_gold_spans_of_a_cleaned_tree_are_those_of_the_tree() {
        let given = tree(
            "(ROOT (S-IMP (NP-SBJ (-NONE- *)) (VP (VB Go) (NP (NP (CD 2) (NNS Miles)) (, ,))) (. .)))",
        );
        for chains in [UnaryChains::Keep, UnaryChains::Collapse, UnaryChains::Join] {
            // `N` would be lower-cased when it is cleaned again.
            let plain = Preprocessing { numbers: false, ..Preprocessing::default() };
            let rules = Preprocessing { unary_chains: chains, ..plain };
            let clean = rules.clean(&given, &mut Removed::default()).expect("words");
            let spans = |tree: &Tree| {
                let sentence = rules.sentence(Arc::new(tree.clone()), 0, &mut Removed::default());
                let sentence = sentence.expect("words");
                (sentence.words, sentence.tags, sentence.gold)
            };
            assert_eq!(spans(&clean), spans(&given));
        }
    }

    #[test]
    fn gaps_stay_unless_they_are_to_be_attached() {
        let given = export(
            "A X -- OA 500\nb X -- HD 501\nc X -- HD 500\n#500 VP -- OC 501\n#501 S -- -- 0",
        );
        let rules = Preprocessing::default();
        let clean = rules.clean(&given, &mut Removed::default()).expect("words");
        assert!(clean.is_discontinuous());
        let rules = Preprocessing { discontinuous: Discontinuous::Attach, ..rules };
        let (text, removed) = cleaned(&rules, &given);
        assert_eq!(text.as_deref(), Some("(VROOT (S (X a) (X b) (VP (X c))))"));
        assert!(removed.contains(&("reattached", 1)), "{removed:?}");
    }

    #[test]
    fn depth_is_no_bound() {
        let n = 100_000;
        let deep = tree(&format!("{}(X (NN a)){}", "(X ".repeat(n), ")".repeat(n)));
        for chains in [UnaryChains::Keep, UnaryChains::Collapse, UnaryChains::Join] {
            let rules = Preprocessing { unary_chains: chains, ..Preprocessing::default() };
            let mut removed = Removed::default();
            let clean = rules.clean(&deep, &mut removed).expect("a word");
            let kept = removed.get("unary-phrases") as usize + clean.nodes().len();
            assert_eq!(kept, deep.nodes().len());
            let sentence = rules.sentence(Arc::new(deep.clone()), 0, &mut removed);
            assert!(!sentence.expect("a word").gold.expect("a tree").is_empty());
        }
    }
}
