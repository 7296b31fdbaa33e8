//! Known errors in a treebank, to measure what finds them: planting, the list of what was planted,
//! and the scores of a ranking of sentences against that list.
//!
//! Everything here takes and gives trees, numbers and text; files are the business of others.

mod changes;
mod constructions;
mod draft;
mod planted;
mod planting;
mod scores;

pub use planted::{
    Kind, PlantedError, TableError, from_tsv, ranking_from_tsv, ranking_to_tsv, to_tsv,
};
pub use planting::{Planted, Planting};
pub use scores::{Figures, Ranked, Scores};
