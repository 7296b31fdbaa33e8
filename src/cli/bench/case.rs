//! What a benchmark case is, as written after `--case`, and how much arithmetic it needs.

use super::super::failure::Usage;
use crate::config::Config;
use crate::inference::order::Plan;
use crate::inference::rank_pcfg::{Training, elements, preparation};
use std::fmt;

/// A training step of the rank-space PCFG on a batch of equally long sentences.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Case {
    pub batch: usize,
    /// Words in every sentence.
    pub n: usize,
    pub rank: usize,
    pub nonterminals: usize,
    pub preterminals: usize,
    pub vocabulary: usize,
    /// Dimension of the embeddings and hidden layers.
    pub dimension: usize,
}

/// Keys that a SPEC leaves out have these values.
const DEFAULT: Case = Case {
    batch: 16,
    n: 20,
    rank: 256,
    nonterminals: 256,
    preterminals: 512,
    vocabulary: 10_000,
    dimension: 256,
};

impl Case {
    /// The cases that are measured where none is named: small, middle, the paper's size.
    pub fn defaults() -> Vec<Case> {
        vec![
            DEFAULT,
            Case { batch: 8, n: 30, rank: 1000, nonterminals: 500, preterminals: 1000, ..DEFAULT },
            Case { batch: 4, rank: 1000, nonterminals: 4500, preterminals: 9000, ..DEFAULT },
        ]
    }

    /// Reads `pcfg:batch=16,n=20,…`.
    pub fn parse(spec: &str) -> Result<Case, Usage> {
        let wrong = |reason: String| Usage(format!("--case {spec}: {reason}"));
        let (family, keys) = spec.split_once(':').unwrap_or((spec, ""));
        if family != "pcfg" {
            return Err(wrong(format!("`{family}` cannot be measured, expected `pcfg`")));
        }
        let mut case = DEFAULT;
        for pair in keys.split(',').filter(|pair| !pair.trim().is_empty()) {
            let (key, value) = pair
                .split_once('=')
                .ok_or_else(|| wrong(format!("expected key=number, found `{pair}`")))?;
            let number =
                value.trim().parse().ok().filter(|number| *number > 0).ok_or_else(|| {
                    wrong(format!("{key} = `{value}`: expected a number above 0"))
                })?;
            *case.key(key.trim()).ok_or_else(|| {
                wrong(format!("no key `{key}`, expected batch, n, r, nt, pt, vocab or dim"))
            })? = number;
        }
        if case.n < 2 {
            return Err(wrong("n = 1: a sentence of one word has no derivation".into()));
        }
        Ok(case)
    }

    fn key(&mut self, name: &str) -> Option<&mut usize> {
        Some(match name {
            "batch" => &mut self.batch,
            "n" => &mut self.n,
            "r" => &mut self.rank,
            "nt" => &mut self.nonterminals,
            "pt" => &mut self.preterminals,
            "vocab" => &mut self.vocabulary,
            "dim" => &mut self.dimension,
            _ => return None,
        })
    }

    /// The model's settings; the optimiser's are the defaults, which are the paper's.
    pub fn config(&self) -> Config {
        let mut config = Config::default();
        config.model.nonterminals = self.nonterminals;
        config.model.preterminals = self.preterminals;
        config.model.rank = self.rank;
        config.model.embedding = self.dimension;
        config
    }

    /// Floating-point operations that a training step needs: two for each multiply-add of every
    /// matrix product, and the backward pass twice those of the forward pass. Elementwise work
    /// is left out. `distinct` is the number of different words in the batch.
    pub fn operations(&self, distinct: f64) -> f64 {
        let [nt, pt, r, d] =
            [self.nonterminals, self.preterminals, self.rank, self.dimension].map(|x| x as f64);
        let [batch, n, vocabulary] = [self.batch, self.n, self.vocabulary].map(|x| x as f64);
        // f1 for parents; f2 and f3 for all symbols.
        let rows = nt + 2.0 * (nt + pt);
        let hidden = rows * d * d + 5.0 * (pt + 1.0) * d * d;
        let matrices = rows * d * r + pt * d * vocabulary + nt * d;
        // H and I where the cheaper order of elimination has them, and the leaves J, K.
        let lengths = vec![self.n; self.batch];
        let (nonterminals, rank) = (self.nonterminals, self.rank);
        let order = Training { nonterminals, rank, lengths: &lengths }.cheapest();
        let rules = preparation(order, nonterminals, rank) + 2.0 * pt * r * distinct;
        // H alpha and I alpha for every span of two and more words.
        let chart = batch * n * (n - 1.0) / 2.0 * elements(order, nonterminals, rank);
        6.0 * (hidden + matrices + rules + chart)
    }
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let Case { batch, n, rank, nonterminals, preterminals, vocabulary, dimension } = self;
        write!(
            f,
            "pcfg:batch={batch},n={n},r={rank},nt={nonterminals},pt={preterminals},\
             vocab={vocabulary},dim={dimension}"
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_case_reads_what_it_writes_and_fills_in_what_is_left_out() {
        for case in Case::defaults() {
            assert_eq!(Case::parse(&case.to_string()).expect("reads"), case);
        }
        let case = Case::parse("pcfg:n=7, r=3").expect("reads");
        assert_eq!(case, Case { n: 7, rank: 3, ..DEFAULT });
        assert_eq!(Case::parse("pcfg").expect("reads"), DEFAULT);
    }

    #[test]
    fn what_is_wrong_with_a_case_is_told() {
        for (spec, reason) in [
            ("lstm:n=3", "expected `pcfg`"),
            ("pcfg:m=3", "no key `m`"),
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
        let case = Case {
            batch: 1,
            n: 2,
            rank: 1,
            nonterminals: 1,
            preterminals: 1,
            vocabulary: 1,
            dimension: 1,
        };
        // One span: nothing is summed out beforehand.
        let (networks, matrices, leaves, chart) = (5.0 + 10.0, 5.0 + 1.0 + 1.0, 4.0, 3.0);
        assert_eq!(case.operations(2.0), 6.0 * (networks + matrices + leaves + chart));
        // Many spans and states: H and I.
        let case = Case { n: 20, nonterminals: 4, ..case };
        let (networks, matrices, rules, chart) = (14.0 + 10.0, 14.0 + 1.0 + 4.0, 8.0 + 4.0, 380.0);
        assert_eq!(case.operations(2.0), 6.0 * (networks + matrices + rules + chart));
    }
}
