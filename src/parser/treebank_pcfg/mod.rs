//! The markovised treebank grammar (Klein & Manning 2003): rules by relative frequency of
//! annotated and binarised trees, and a chart parser over them.

mod estimate;
mod events;
mod inventory;
mod lexicon;
mod log_linear;
mod marks;
mod output;
mod parser;
mod scheme;
mod store;
mod symbols;

use super::heads::HeadRules;
use super::{Inducer, ParserError, Prepared, TreeParser, check_weights};
use crate::config::{self, Binarisation, Horizontal};
use crate::treebank::Tree;
use events::Events;
use scheme::Scheme;
use std::sync::Arc;

pub use log_linear::PcfgDecisions;
pub use parser::PcfgParser;

/// Trees for each time that a label must be seen to know all that it can.
const TREES_A_COUNT: usize = 300;

/// Induces markovised treebank grammars.
#[derive(Clone, Debug)]
pub struct TreebankPcfg {
    settings: config::Parser,
    scheme: Scheme,
}

impl TreebankPcfg {
    pub fn new(settings: &config::Parser) -> TreebankPcfg {
        TreebankPcfg { settings: settings.clone(), scheme: Scheme::new(settings) }
    }

    /// The same with head rules of one's own.
    pub fn with_heads(settings: &config::Parser, heads: HeadRules) -> TreebankPcfg {
        TreebankPcfg { settings: settings.clone(), scheme: Scheme::with_heads(settings, heads) }
    }

    /// [`Inducer::prepare`] that gives more than a parser.
    pub fn read(&self, trees: &[Arc<Tree>]) -> Result<PreparedTrees, ParserError> {
        let settings = self.settings.clone();
        let mut scheme = self.scheme.clone();
        scheme.split_words = Events::frequent_words(trees, settings.split_words);
        // What is rare depends on how much there is: a few trees tell apart all that they can.
        let min_count = settings.min_count.min(1 + (trees.len() / TREES_A_COUNT) as u32);
        let events = Events::read(trees, &scheme, min_count)?;
        let scheme = Arc::new(scheme);
        Ok(PreparedTrees { settings, scheme, events })
    }
}

impl Inducer for TreebankPcfg {
    fn name(&self) -> String {
        let config::Parser { vertical, horizontal, binarisation, .. } = &self.settings;
        let horizontal = match horizontal {
            Horizontal::Last(n) => n.to_string(),
            Horizontal::All => "all".to_owned(),
        };
        let direction = match binarisation {
            Binarisation::Head => "",
            Binarisation::LeftToRight => " left-to-right",
        };
        format!("treebank-pcfg v={vertical} h={horizontal}{direction}")
    }

    fn prepare(&self, trees: &[Arc<Tree>]) -> Result<Box<dyn Prepared>, ParserError> {
        Ok(Box::new(self.read(trees)?))
    }
}

/// Rules of trees, ready to be weighted.
pub struct PreparedTrees {
    settings: config::Parser,
    scheme: Arc<Scheme>,
    events: Events,
}

impl PreparedTrees {
    /// [`Prepared::induce`] that gives the grammar as such.
    pub fn grammar(&self, weights: &[f64]) -> Result<PcfgParser, ParserError> {
        check_weights(self.events.len(), weights)?;
        let counts = self.events.count(weights);
        let (scheme, inventory) = (self.scheme.clone(), self.events.inventory.clone());
        Ok(PcfgParser::new(&self.settings, scheme, inventory, counts))
    }
}

impl Prepared for PreparedTrees {
    fn induce(&self, weights: &[f64]) -> Result<Arc<dyn TreeParser>, ParserError> {
        Ok(Arc::new(self.grammar(weights)?))
    }
}
