//! The log-linear model that kernels are derived from.

use super::{Judged, RerankError};
use crate::config;
use crate::ensemble::rooted;
use crate::parser::ssn::Ssn;
use crate::parser::{LogLinear, PcfgDecisions, PcfgParser, TreebankPcfg};
use crate::treebank::Tree;
use std::collections::BTreeSet;
use std::sync::Arc;

/// A model, and for lists that it was trained on models that were not.
pub struct Base {
    pub model: Arc<dyn LogLinear>,
    /// Models without the sentences of each part of the training set; empty where one model is for
    /// all.
    pub without: Vec<Arc<dyn LogLinear>>,
    pub(super) origin: Origin,
}

/// What a model is, as far as a file must know.
#[derive(Clone)]
pub(super) enum Origin {
    Grammar(Arc<PcfgParser>),
    Ssn(Arc<Ssn>),
}

impl Base {
    /// A history-based parser, the same for all lists.
    pub fn ssn(ssn: Arc<Ssn>) -> Base {
        Base { model: ssn.clone(), without: Vec::new(), origin: Origin::Ssn(ssn) }
    }

    /// A grammar that an earlier training made.
    pub fn grammar(grammar: Arc<PcfgParser>) -> Base {
        let model = Arc::new(PcfgDecisions::new(grammar.clone()));
        Base { model, without: Vec::new(), origin: Origin::Grammar(grammar) }
    }

    /// The treebank grammar of the lists' gold trees, and those without each part. All have the same
    /// decisions.
    pub fn induced(
        settings: &config::Parser,
        lists: &[Judged],
        folds: &[u32],
    ) -> Result<Base, RerankError> {
        let with_gold: Vec<(u32, Arc<Tree>)> = lists
            .iter()
            .zip(folds)
            .filter_map(|(list, fold)| Some((*fold, Arc::new(rooted(list.list.gold.as_ref()?)))))
            .collect();
        let trees: Vec<Arc<Tree>> = with_gold.iter().map(|(_, tree)| tree.clone()).collect();
        let prepared = TreebankPcfg::new(settings).read(&trees)?;
        let grammar = Arc::new(prepared.grammar(&vec![1.0; trees.len()])?);
        let mut base = Base::grammar(grammar);
        let parts = folds.iter().max().map_or(0, |most| most + 1);
        for part in 0..parts {
            if with_gold.iter().all(|(fold, _)| *fold == part) {
                let text = "the grammar of the kernel must not know the list that it is for, and \
                            there is no gold tree but in one list";
                return Err(RerankError::Unsupported(text.into()));
            }
            let weight = |(fold, _): &(u32, _)| if *fold == part { 0.0 } else { 1.0 };
            let grammar = prepared.grammar(&with_gold.iter().map(weight).collect::<Vec<_>>())?;
            base.without.push(Arc::new(PcfgDecisions::new(Arc::new(grammar))));
        }
        Ok(base)
    }

    /// The model for a list of a part, which did not learn from it.
    pub fn of(&self, fold: u32) -> &dyn LogLinear {
        &**self.without.get(fold as usize).unwrap_or(&self.model)
    }
}

/// The part of the training set that every list belongs to: as the lists say, else blocks of
/// neighbours, which often are of one text. What they say is no use where it is one part for all, as
/// of the beginning of jackknifed lists.
pub fn folds(lists: &[Judged], parts: usize) -> Vec<u32> {
    let said: Option<Vec<u32>> = lists.iter().map(|list| list.list.fold).collect();
    let is_useful = |said: &Vec<u32>| {
        let with_gold = lists.iter().zip(said).filter(|(list, _)| list.list.gold.is_some());
        let parts: BTreeSet<u32> = with_gold.map(|(_, fold)| *fold).collect();
        // Numbers without a limit would ask for as many models.
        parts.len() > 1 && said.iter().all(|fold| (*fold as usize) < MOST_PARTS)
    };
    said.filter(is_useful).unwrap_or_else(|| blocks(lists.len(), parts))
}

/// More parts than this are none that jackknifing makes.
const MOST_PARTS: usize = 1000;

/// So many blocks of neighbours, of almost equal size.
fn blocks(items: usize, parts: usize) -> Vec<u32> {
    (0..items).map(|i| (i * parts / items) as u32).collect()
}
