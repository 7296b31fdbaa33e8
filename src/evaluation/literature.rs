//! Published figures to look at beside one's own, compiled in from `assets/literature.toml`.

use serde::Deserialize;
use std::sync::OnceLock;

/// Figures of one corpus, which is not that of any run here.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Literature {
    pub corpus: String,
    #[serde(rename = "row")]
    pub rows: Vec<Published>,
}

/// What was published of a model.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Published {
    pub model: String,
    /// On the test set, percent; of grammars.
    pub s_f1: Option<f64>,
    /// Of language models.
    pub perplexity_dev: Option<f64>,
    pub perplexity_test: Option<f64>,
    pub source: String,
}

impl Literature {
    /// All of them; the best of each kind stand first.
    pub fn get() -> &'static Literature {
        static ALL: OnceLock<Literature> = OnceLock::new();
        ALL.get_or_init(|| {
            toml::from_str(include_str!("../../assets/literature.toml"))
                .expect("the bundled file is valid: a test reads it")
        })
    }

    /// Rows of grammars (S-F1) or of language models (perplexity).
    pub fn rows_of(&self, trees: bool) -> impl Iterator<Item = &Published> {
        self.rows.iter().filter(move |row| row.s_f1.is_some() == trees)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_names_its_source_and_has_the_figures_of_its_kind() {
        let all = Literature::get();
        assert!(all.rows_of(true).count() > 3 && all.rows_of(false).count() > 3);
        for row in &all.rows {
            assert!(!row.source.is_empty() && !row.model.is_empty(), "{row:?}");
            let perplexities = [row.perplexity_dev, row.perplexity_test].map(|p| p.is_some());
            let wanted = row.s_f1.is_none();
            assert_eq!(perplexities, [wanted; 2], "{row:?}");
        }
    }
}
