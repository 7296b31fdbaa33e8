//! From derivations back to trees: parts are spliced, labels lose their annotation.

use super::symbols::{Symbol, Symbols};
use crate::inference::sparse_pcfg::Node;
use crate::parser::Words;
use crate::treebank::{Place, Tree, TreeBuilder};
use std::sync::Arc;

/// Writes derivations into one tree.
pub struct Output<'a> {
    symbols: &'a Symbols,
    /// A symbol for every number that nodes have; `None` if these are symbols.
    coarse: Option<&'a [Symbol]>,
    sentence: Words<'a>,
    builder: TreeBuilder,
}

impl<'a> Output<'a> {
    pub fn new(
        symbols: &'a Symbols,
        coarse: Option<&'a [Symbol]>,
        sentence: Words<'a>,
    ) -> Output<'a> {
        Output { symbols, coarse, sentence, builder: TreeBuilder::new() }
    }

    fn symbol(&self, number: u32) -> Symbol {
        self.coarse.map_or(number, |coarse| coarse[number as usize])
    }

    /// A derivation as the next part of the tree. Given tags stay as given.
    pub fn derivation(&mut self, nodes: &[Node]) {
        // Children still to come of every open node, and whether it is a part, which has no
        // bracket.
        let mut open: Vec<(u8, bool)> = Vec::new();
        for node in nodes {
            let symbol = self.symbol(node.symbol);
            let label = self.symbols.plain(symbol);
            if node.children > 0 {
                let is_part = self.symbols.is_part(symbol);
                if !is_part {
                    self.builder.open(label.clone());
                }
                open.push((node.children, is_part));
                continue;
            }
            self.word(node.start as usize, label);
            while let Some((left, is_part)) = open.last_mut() {
                *left -= 1;
                if *left > 0 {
                    break;
                }
                if !*is_part {
                    self.builder.close();
                }
                open.pop();
            }
        }
    }

    /// Opens a phrase around what follows.
    pub fn open(&mut self, label: &Arc<str>) {
        self.builder.open(label.clone());
    }

    /// A word that no derivation has.
    pub fn word(&mut self, position: usize, tag: &Arc<str>) {
        let tag = self.sentence.tags.map_or(tag, |tags| &tags[position]).clone();
        self.builder.word(tag, self.sentence.words[position].clone());
    }

    /// The tree, when everything was written.
    pub fn finish(mut self) -> Tree {
        if self.sentence.words.is_empty() {
            let nothing: Arc<str> = "".into();
            self.builder.word(nothing.clone(), nothing);
        }
        while self.builder.depth() > 0 {
            self.builder.close();
        }
        self.builder.finish(Place::default()).expect("derivations are trees over words")
    }
}
