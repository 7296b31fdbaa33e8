//! What a benchmark case is, as written after `--case`, and how much arithmetic it needs.

use super::super::failure::Usage;
use crate::config::{Config, Family};
use crate::inference::order::{Plan, Speeds};
use crate::inference::{rank_hmm, rank_pcfg};
use std::fmt;

/// A training step on a batch of equally long sentences.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Case {
    pub batch: usize,
    /// Tokens in every sentence.
    pub n: usize,
    pub rank: usize,
    pub symbols: Symbols,
    pub vocabulary: usize,
    /// Dimension of the embeddings and hidden layers.
    pub dimension: usize,
}

/// What the model of a case has beside ranks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Symbols {
    /// Rank-space PCFG.
    Pcfg { nonterminals: usize, preterminals: usize },
    /// Rank-space HMM.
    Hmm { states: usize },
}

/// Keys that a SPEC leaves out have these values.
const PCFG: Case = Case {
    batch: 16,
    n: 20,
    rank: 256,
    symbols: Symbols::Pcfg { nonterminals: 256, preterminals: 512 },
    vocabulary: 10_000,
    dimension: 256,
};
const HMM: Case = Case {
    batch: 8,
    n: 32,
    rank: 1024,
    symbols: Symbols::Hmm { states: 4096 },
    vocabulary: 10_001,
    dimension: 256,
};

impl Case {
    /// The cases that are measured where none is named: PCFGs small, middle and at the paper's
    /// size, HMMs middle and at the paper's size.
    pub fn defaults() -> Vec<Case> {
        let pcfg = |nonterminals, preterminals| Symbols::Pcfg { nonterminals, preterminals };
        vec![
            PCFG,
            Case { batch: 8, n: 30, rank: 1000, symbols: pcfg(500, 1000), ..PCFG },
            Case { batch: 4, rank: 1000, symbols: pcfg(4500, 9000), ..PCFG },
            HMM,
            Case { rank: 4096, symbols: Symbols::Hmm { states: 16_384 }, ..HMM },
        ]
    }

    /// Reads `pcfg:batch=16,n=20,…` or `hmm:batch=8,n=32,…`.
    pub fn parse(spec: &str) -> Result<Case, Usage> {
        let wrong = |reason: String| Usage(format!("--case {spec}: {reason}"));
        let (family, keys) = spec.split_once(':').unwrap_or((spec, ""));
        let mut case = match family {
            "pcfg" => PCFG,
            "hmm" => HMM,
            _ => {
                return Err(wrong(format!(
                    "`{family}` cannot be measured, expected `pcfg` or `hmm`"
                )));
            }
        };
        for pair in keys.split(',').filter(|pair| !pair.trim().is_empty()) {
            let (key, value) = pair
                .split_once('=')
                .ok_or_else(|| wrong(format!("expected key=number, found `{pair}`")))?;
            let number =
                value.trim().parse().ok().filter(|number| *number > 0).ok_or_else(|| {
                    wrong(format!("{key} = `{value}`: expected a number above 0"))
                })?;
            let names = match case.symbols {
                Symbols::Pcfg { .. } => "batch, n, r, nt, pt, vocab or dim",
                Symbols::Hmm { .. } => "batch, n, states, rank, vocab or dim",
            };
            *case
                .key(key.trim())
                .ok_or_else(|| wrong(format!("no key `{key}`, expected {names}")))? = number;
        }
        if matches!(case.symbols, Symbols::Pcfg { .. }) && case.n < 2 {
            return Err(wrong("n = 1: a sentence of one word has no derivation".into()));
        }
        Ok(case)
    }

    fn key(&mut self, name: &str) -> Option<&mut usize> {
        Some(match (name, &mut self.symbols) {
            ("batch", _) => &mut self.batch,
            ("n", _) => &mut self.n,
            ("r" | "rank", _) => &mut self.rank,
            ("nt", Symbols::Pcfg { nonterminals, .. }) => nonterminals,
            ("pt", Symbols::Pcfg { preterminals, .. }) => preterminals,
            ("states", Symbols::Hmm { states }) => states,
            ("vocab", _) => &mut self.vocabulary,
            ("dim", _) => &mut self.dimension,
            _ => return None,
        })
    }

    /// The model's settings; the optimiser's are the family's defaults, which are the paper's.
    pub fn config(&self) -> Config {
        let family = match self.symbols {
            Symbols::Pcfg { .. } => Family::RankPcfg,
            Symbols::Hmm { .. } => Family::RankHmm,
        };
        let mut config = Config::of_family(family);
        let m = &mut config.model;
        (m.rank, m.embedding) = (self.rank, self.dimension);
        match self.symbols {
            Symbols::Pcfg { nonterminals, preterminals } => {
                (m.nonterminals, m.preterminals) = (nonterminals, preterminals);
            }
            Symbols::Hmm { states } => m.states = states,
        }
        config
    }

    /// Floating-point operations that a training step needs: two for each multiply-add of every
    /// matrix product, and the backward pass twice those of the forward pass. Elementwise work
    /// is left out. `distinct` is the number of different words in the batch.
    pub fn operations(&self, distinct: f64) -> f64 {
        let [r, d, o] = [self.rank, self.dimension, self.vocabulary].map(|x| x as f64);
        let [batch, n] = [self.batch, self.n].map(|x| x as f64);
        let (rank, lengths) = (self.rank, vec![self.n; self.batch]);
        6.0 * match self.symbols {
            Symbols::Pcfg { nonterminals, preterminals } => {
                let (nt, pt) = (nonterminals as f64, preterminals as f64);
                // f1 for parents; f2 and f3 for all symbols.
                let rows = nt + 2.0 * (nt + pt);
                let hidden = rows * d * d + 5.0 * (pt + 1.0) * d * d;
                let matrices = rows * d * r + pt * d * o + nt * d;
                // H and I where the cheaper order of elimination has them, and the leaves J, K.
                let plan = rank_pcfg::Training { nonterminals, rank, lengths: &lengths };
                let order = plan.cheapest(&Speeds::USUAL);
                let rules =
                    rank_pcfg::preparation(order, nonterminals, rank) + 2.0 * pt * r * distinct;
                // H alpha and I alpha for every span of two and more words.
                let spans = batch * n * (n - 1.0) / 2.0;
                hidden + matrices + rules + spans * rank_pcfg::elements(order, nonterminals, rank)
            }
            Symbols::Hmm { states } => {
                let m = states as f64;
                // Both networks of five layers; logits of U and V; normalisers of W.
                let networks = 5.0 * (m + o) * d * d + 2.0 * m * d * r + o * d * r + m * d;
                let order =
                    rank_hmm::Training { states, rank, lengths: &lengths }.cheapest(&Speeds::USUAL);
                let chain = rank_hmm::preparation(order, states, rank);
                // The start, and what leads from each token to the next.
                let steps = m * r + batch * (n - 1.0) * rank_hmm::elements(order, states, rank);
                networks + distinct * d * r + chain + steps
            }
        }
    }
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let Case { batch, n, rank, symbols, vocabulary, dimension } = self;
        match symbols {
            Symbols::Pcfg { nonterminals, preterminals } => {
                write!(f, "pcfg:batch={batch},n={n},r={rank},nt={nonterminals},pt={preterminals}")?
            }
            Symbols::Hmm { states } => {
                write!(f, "hmm:batch={batch},n={n},states={states},rank={rank}")?
            }
        }
        write!(f, ",vocab={vocabulary},dim={dimension}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_case_reads_what_it_writes_and_fills_in_what_is_left_out() {
        for case in Case::defaults() {
            assert_eq!(Case::parse(&case.to_string()).expect("reads"), case);
            assert_eq!(case.config().model.rank, case.rank);
        }
        let case = Case::parse("pcfg:n=7, r=3").expect("reads");
        assert_eq!(case, Case { n: 7, rank: 3, ..PCFG });
        assert_eq!(Case::parse("pcfg").expect("reads"), PCFG);
        let case = Case::parse("hmm:n=1,states=5").expect("reads");
        assert_eq!(case, Case { n: 1, symbols: Symbols::Hmm { states: 5 }, ..HMM });
    }

    #[test]
    fn what_is_wrong_with_a_case_is_told() {
        for (spec, reason) in [
            ("lstm:n=3", "expected `pcfg` or `hmm`"),
            ("pcfg:m=3", "no key `m`"),
            ("pcfg:states=3", "no key `states`, expected batch, n, r, nt"),
            ("hmm:nt=3", "no key `nt`, expected batch, n, states"),
            ("pcfg:n=x", "expected a number above 0"),
            ("pcfg:n=0", "expected a number above 0"),
            ("pcfg:n", "expected key=number"),
            ("pcfg:n=1", "no derivation"),
        ] {
            let error = Case::parse(spec).expect_err(spec).to_string();
            assert!(error.contains(reason), "{error}");
        }
    }

    #[test]
    fn operations_count_every_product_of_a_step() {
        // By hand for sizes so small that each term is read off.
        let one = Symbols::Pcfg { nonterminals: 1, preterminals: 1 };
        let case = Case { batch: 1, n: 2, rank: 1, symbols: one, vocabulary: 1, dimension: 1 };
        // One span: nothing is summed out beforehand.
        let (networks, matrices, leaves, chart) = (5.0 + 10.0, 5.0 + 1.0 + 1.0, 4.0, 3.0);
        assert_eq!(case.operations(2.0), 6.0 * (networks + matrices + leaves + chart));
        // Many spans and states: H and I.
        let symbols = Symbols::Pcfg { nonterminals: 4, preterminals: 1 };
        let many = Case { n: 20, symbols, ..case };
        let (networks, matrices, rules, chart) = (14.0 + 10.0, 14.0 + 1.0 + 4.0, 8.0 + 4.0, 380.0);
        assert_eq!(many.operations(2.0), 6.0 * (networks + matrices + rules + chart));
        // An HMM of 20 states, rank 3: the chain is summed out, 20 x 3 x 3, and costs 9 a step.
        let hmm = Case { n: 20, rank: 3, symbols: Symbols::Hmm { states: 20 }, ..case };
        let networks = 5.0 * 21.0 + 2.0 * 20.0 * 3.0 + 3.0 + 20.0;
        assert_eq!(hmm.operations(2.0), 6.0 * (networks + 6.0 + 180.0 + 60.0 + 19.0 * 9.0));
    }
}
