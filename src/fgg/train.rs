//! Expectation maximisation for the factors of any grammar: expected counts by the outside pass,
//! then every sum of one is distributed anew. The log-likelihood never falls.

use super::conjoin::conjoin;
use super::error::FggError;
use super::grammar::{Cpd, Factor, Grammar, Terminal};
use super::matrix::Matrix;
use super::outside::gradients;
use super::sums::{Sums, kept_index, marginal};
use rand::Rng;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;

/// Sentences whose counts are held at a time.
const CHUNK: usize = 64;

/// What one step has found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Progress {
    /// log Z summed over the sentences before the step, nats.
    pub log_likelihood: f64,
    /// Sentences without a derivation of positive weight, which are left out.
    pub impossible: usize,
}

/// A grammar that is trained on sentences.
#[derive(Debug)]
pub struct Trainer {
    grammar: Grammar,
    sums: Sums,
    /// The sentences as grammars, without the terminals that all have.
    sentences: Vec<Grammar>,
}

/// Expected counts over some sentences, by table.
struct Counts {
    tables: Vec<Vec<f64>>,
    log_likelihood: f64,
    impossible: usize,
}

impl Trainer {
    /// Conjoins the grammar with every sentence.
    ///
    /// # Errors
    /// As [`Sums::of`] and [`conjoin`]; the number of the sentence comes with it.
    pub fn new(
        grammar: Grammar,
        sentences: &[Vec<String>],
    ) -> Result<Trainer, (Option<usize>, FggError)> {
        let sums = Sums::of(&grammar).map_err(|e| (None, e))?;
        let common = grammar.terminals().len();
        let conjoined = sentences.par_iter().enumerate().map(|(number, words)| {
            let words: Vec<&str> = words.iter().map(String::as_str).collect();
            let conjoined = conjoin(&grammar, &words).map_err(|e| (Some(number), e))?.grammar;
            let own = conjoined.terminals()[common..].to_vec();
            Ok(conjoined.with_terminals(own))
        });
        let sentences = conjoined.collect::<Result<_, _>>()?;
        Ok(Trainer { grammar, sums, sentences })
    }

    /// The grammar as it now is.
    pub fn grammar(&self) -> &Grammar {
        &self.grammar
    }

    pub fn sums(&self) -> &Sums {
        &self.sums
    }

    /// Draws everything that sums to one from a uniform Dirichlet distribution.
    pub fn randomise(&mut self, seed: u64) {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let draw = |values: &Vec<f64>, rng: &mut ChaCha8Rng| -> Vec<f64> {
            // What is impossible stays so.
            let one = |&x: &f64| if x > 0.0 { -(1.0 - rng.random::<f64>()).ln() } else { 0.0 };
            values.iter().map(one).collect()
        };
        let drawn = self.sums.tables.iter().map(|t| draw(&t.values, &mut rng)).collect::<Vec<_>>();
        self.distribute(&drawn);
    }

    /// One step of expectation maximisation.
    ///
    /// # Errors
    /// As [`gradients`], with the number of the sentence; [`FggError::Untrainable`] where no
    /// sentence has a derivation.
    pub fn step(&mut self) -> Result<Progress, (Option<usize>, FggError)> {
        let mut total = self.no_counts();
        for (number, chunk) in self.sentences.chunks(CHUNK).enumerate() {
            let counts: Vec<Result<Counts, (Option<usize>, FggError)>> = chunk
                .par_iter()
                .enumerate()
                .map(|(k, own)| self.count(own).map_err(|e| (Some(number * CHUNK + k), e)))
                .collect();
            // In the order of the sentences: the same sums whatever the threads do.
            for counts in counts {
                let counts = counts?;
                total.log_likelihood += counts.log_likelihood;
                total.impossible += counts.impossible;
                for (to, own) in total.tables.iter_mut().zip(counts.tables) {
                    to.iter_mut().zip(own).for_each(|(to, x)| *to += x);
                }
            }
        }
        if total.impossible == self.sentences.len() {
            let what = "no sentence has a derivation of positive weight".to_owned();
            return Err((None, FggError::Untrainable(what)));
        }
        self.distribute(&total.tables);
        let Counts { log_likelihood, impossible, .. } = total;
        Ok(Progress { log_likelihood, impossible })
    }

    fn no_counts(&self) -> Counts {
        let tables = self.sums.tables.iter().map(|t| vec![0.0; t.values.len()]).collect();
        Counts { tables, log_likelihood: 0.0, impossible: 0 }
    }

    fn count(&self, sentence: &Grammar) -> Result<Counts, FggError> {
        let own = sentence.terminals().iter();
        let terminals = self.grammar.terminals().iter().chain(own).cloned().collect();
        let gradients = gradients(&sentence.with_terminals(terminals))?;
        let mut counts = self.no_counts();
        let log_z = gradients.z().ln();
        if !log_z.is_finite() {
            counts.impossible = 1;
            return Ok(counts);
        }
        counts.log_likelihood = log_z;
        for (to, table) in counts.tables.iter_mut().zip(&self.sums.tables) {
            for &(terminal, matrix) in &table.places {
                let own = gradients.expected_counts(terminal, matrix, &table.values);
                to.iter_mut().zip(own).for_each(|(to, x)| *to += x);
            }
        }
        Ok(counts)
    }

    /// Gives every sum of one to its entries in proportion to counts; as it was where there are
    /// none.
    fn distribute(&mut self, counts: &[Vec<f64>]) {
        for group in &self.sums.groups {
            let mut sums: Vec<f64> = Vec::new();
            for (number, summed) in &group.members {
                let own = marginal(&self.sums.tables[*number], &counts[*number], summed);
                sums.resize(own.len(), 0.0);
                sums.iter_mut().zip(own).for_each(|(sum, x)| *sum += x);
            }
            for (number, summed) in &group.members {
                let table = &mut self.sums.tables[*number];
                for (flat, count) in counts[*number].iter().enumerate() {
                    let sum = sums[kept_index(table, flat, summed)];
                    if sum > 0.0 {
                        table.values[flat] = count / sum;
                    }
                }
            }
        }
        let mut terminals = self.grammar.terminals().to_vec();
        for table in &self.sums.tables {
            for &(terminal, matrix) in &table.places {
                put(&mut terminals[terminal], matrix, &table.values);
            }
        }
        self.grammar = self.grammar.with_terminals(terminals);
    }
}

fn put(terminal: &mut Terminal, place: usize, values: &[f64]) {
    match &mut terminal.factor {
        Factor::Full(weights) => weights.copy_from_slice(values),
        Factor::Cpd(Cpd { matrices }) => {
            let matrix = &mut matrices[place];
            *matrix = Matrix::new(matrix.rows(), matrix.columns(), values.to_vec());
        }
        Factor::Is(_) => {}
    }
}
