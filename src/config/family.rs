use serde::{Deserialize, Serialize};

/// Model families by the names users write.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Family {
    #[default]
    RankPcfg,
    /// The rank-space grammar with the networks of its forerunner, whose order of elimination is
    /// `state`.
    TdPcfg,
    /// A rule tensor in two matrices.
    Lpcfg,
    /// A rule tensor from one network.
    NPcfg,
    /// The same with a latent vector for every sentence.
    CPcfg,
    RankHmm,
    /// Transitions in two factors over features.
    Lhmm,
    /// Transitions in full.
    Hmm,
    Ngram,
}

impl Family {
    pub const ALL: [Family; 9] = [
        Family::RankPcfg,
        Family::TdPcfg,
        Family::Lpcfg,
        Family::NPcfg,
        Family::CPcfg,
        Family::RankHmm,
        Family::Lhmm,
        Family::Hmm,
        Family::Ngram,
    ];

    /// The name in configs, folders and on the screen.
    pub fn name(self) -> &'static str {
        match self {
            Family::RankPcfg => "rank-pcfg",
            Family::TdPcfg => "td-pcfg",
            Family::Lpcfg => "lpcfg",
            Family::NPcfg => "n-pcfg",
            Family::CPcfg => "c-pcfg",
            Family::RankHmm => "rank-hmm",
            Family::Lhmm => "lhmm",
            Family::Hmm => "hmm",
            Family::Ngram => "ngram",
        }
    }

    /// One of its models in a sentence, with the article that is spoken.
    pub fn with_article(self) -> &'static str {
        match self {
            Family::RankPcfg => "a rank-pcfg",
            Family::TdPcfg => "a td-pcfg",
            Family::Lpcfg => "an lpcfg",
            Family::NPcfg => "an n-pcfg",
            Family::CPcfg => "a c-pcfg",
            Family::RankHmm => "a rank-hmm",
            Family::Lhmm => "an lhmm",
            Family::Hmm => "an hmm",
            Family::Ngram => "an n-gram model",
        }
    }

    /// Whether it gives sentences trees; else it is a language model, which predicts the next word
    /// and the end of the sentence.
    pub fn has_trees(self) -> bool {
        match self {
            Family::RankPcfg | Family::TdPcfg | Family::Lpcfg | Family::NPcfg | Family::CPcfg => {
                true
            }
            Family::RankHmm | Family::Lhmm | Family::Hmm | Family::Ngram => false,
        }
    }

    /// Whether one step over all sentences makes the whole model: it has no parameters to move.
    pub fn is_counted(self) -> bool {
        self == Family::Ngram
    }

    /// Whether its rules are a tensor over three symbols, which the best derivation needs.
    pub fn has_tensor(self) -> bool {
        matches!(self, Family::Lpcfg | Family::NPcfg | Family::CPcfg)
    }

    /// What its log-likelihoods and perplexities are, where they are not exact.
    pub fn bound(self) -> Option<&'static str> {
        match self {
            Family::CPcfg => Some("ELBO at the posterior mean"),
            _ => None,
        }
    }
}

/// Settings of the paper's HMMs (appendix D) where they differ from those of its PCFGs.
const LANGUAGE_MODEL: &str = r#"
[data]
preset = "text"
min_length = 1
max_length = 1000000

[model]
dropout = 0.1

[training]
epochs = 30
batch_tokens = 256
optimizer = "adamw"
learning_rate = 0.001
beta1 = 0.99
clip = 5.0
patience = 0
schedule = { plateau = 2, factor = 0.5 }
"#;

/// N-grams are counted in one step.
const COUNTED: &str = r#"
[data]
preset = "text"
min_length = 1
max_length = 1000000

[training]
epochs = 1
patience = 0
"#;

impl Family {
    /// What holds for a family where a config says nothing, as TOML; the other defaults are those
    /// of [`Config`](super::Config).
    pub(super) fn defaults(self) -> &'static str {
        match self {
            Family::RankPcfg | Family::TdPcfg | Family::Lpcfg | Family::NPcfg | Family::CPcfg => "",
            Family::RankHmm | Family::Lhmm | Family::Hmm => LANGUAGE_MODEL,
            Family::Ngram => COUNTED,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Family;

    #[test]
    fn a_family_has_the_article_that_is_spoken() {
        // Letters are spoken as such where they are no word.
        let spoken = [(Family::RankHmm, "a rank-hmm"), (Family::NPcfg, "an n-pcfg")];
        for (family, said) in spoken.into_iter().chain([(Family::Lhmm, "an lhmm")]) {
            assert_eq!(family.with_article(), said);
            assert!(said.ends_with(family.name()));
        }
    }
}
