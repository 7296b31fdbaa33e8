//! Feature vectors of candidates, from the decisions behind their trees.
//!
//! With theta the output weights of a log-linear model, the gradient of log P with respect to the
//! row of decision `a` is g\[a\] = sum over steps of (\[d = a\] - \[a allowed\] p(a)) h. All
//! vectors are blocks, one of the history vector's size for every decision that has a value.

use crate::parser::Trace;

/// Below this probability of all other candidates, what is theirs is summed without the candidate
/// itself, for else nothing but rounding would be left of it.
const NEARLY_ALL: f64 = 1e-2;

const NONE: u32 = u32::MAX;

/// Blocks of equal width by decision, ascending; what is absent is zero.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Blocks {
    pub rows: Vec<u32>,
    /// One block a row, one behind the other.
    pub values: Vec<f64>,
}

impl Blocks {
    /// Size of a block.
    pub fn width(&self) -> usize {
        self.values.len().checked_div(self.rows.len()).unwrap_or(0)
    }

    /// Rows with their blocks.
    pub fn iter(&self) -> impl Iterator<Item = (u32, &[f64])> {
        self.rows.iter().copied().zip(self.values.chunks_exact(self.width().max(1)))
    }

    /// Sum of the products with the rows of `weights`, a dense matrix of the same width.
    pub fn dot(&self, weights: &[f64]) -> f64 {
        let width = self.width();
        let of_row = |(row, block): (u32, &[f64])| dot(block, &weights[row as usize * width..]);
        self.iter().map(of_row).sum()
    }

    /// Adds a multiple to a dense matrix of the same width.
    pub fn add_to(&self, scale: f64, weights: &mut [f64]) {
        let width = self.width();
        for (row, block) in self.iter() {
            let into = &mut weights[row as usize * width..][..width];
            into.iter_mut().zip(block).for_each(|(w, x)| *w += scale * x);
        }
    }

    /// Numbers that are not 0.
    pub fn non_zeros(&self) -> usize {
        self.values.iter().filter(|x| **x != 0.0).count()
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

/// Sums blocks by decision.
#[derive(Clone, Debug)]
pub struct Sum {
    width: usize,
    /// Place of every decision among the rows so far.
    slots: Vec<u32>,
    rows: Vec<u32>,
    values: Vec<f64>,
}

impl Sum {
    /// Nothing yet, for so many decisions and blocks of this width.
    pub fn new(decisions: usize, width: usize) -> Sum {
        Sum { width, slots: vec![NONE; decisions], rows: Vec::new(), values: Vec::new() }
    }

    /// Adds a multiple of a block.
    pub fn add(&mut self, row: u32, scale: f64, block: &[f64]) {
        let slot = &mut self.slots[row as usize];
        if *slot == NONE {
            *slot = self.rows.len() as u32;
            self.rows.push(row);
            self.values.resize(self.values.len() + self.width, 0.0);
        }
        let into = &mut self.values[*slot as usize * self.width..][..self.width];
        into.iter_mut().zip(block).for_each(|(sum, x)| *sum += scale * x);
    }

    /// The sum, and nothing again.
    pub fn take(&mut self) -> Blocks {
        let mut order: Vec<u32> = (0..self.rows.len() as u32).collect();
        order.sort_unstable_by_key(|&slot| self.rows[slot as usize]);
        let rows: Vec<u32> = order.iter().map(|&slot| self.rows[slot as usize]).collect();
        let mut values = Vec::with_capacity(self.values.len());
        for slot in order {
            values.extend_from_slice(&self.values[slot as usize * self.width..][..self.width]);
        }
        for row in self.rows.drain(..) {
            self.slots[row as usize] = NONE;
        }
        self.values.clear();
        Blocks { rows, values }
    }
}

/// g, the whole gradient of log P: the trace must have been made with what was allowed. Its blocks
/// are the Fisher features (the information matrix left out, as in the paper).
pub fn whole(trace: &Trace, sum: &mut Sum) -> Blocks {
    for step in &trace.steps {
        sum.add(step.decision, 1.0, &step.history);
        for &(decision, p) in step.allowed.iter() {
            sum.add(decision, -p, &step.history);
        }
    }
    sum.take()
}

/// g~, the gradient with the normalisers frozen: the sum of h over the steps at which a decision was
/// taken. Only decisions that the candidate takes have a block.
pub fn taken(trace: &Trace, sum: &mut Sum) -> Blocks {
    for step in &trace.steps {
        sum.add(step.decision, 1.0, &step.history);
    }
    sum.take()
}

/// What a list's log-probabilities say of a candidate against all others.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Odds {
    /// P(y_k) over the sum of the list.
    pub p: f64,
    /// The share of all others, without cancellation.
    pub others: f64,
    /// v = log P(y_k) - log sum of the others, nats; infinite where there is no other.
    pub v: f64,
}

/// The odds of every candidate.
pub fn odds(log_probs: &[f64]) -> Vec<Odds> {
    let all = log_sum(log_probs.iter().copied());
    let of = |(k, &log_prob): (usize, &f64)| {
        let others = log_probs.iter().enumerate().filter(|(t, _)| *t != k).map(|(_, p)| *p);
        let others = log_sum(others);
        Odds { p: (log_prob - all).exp(), others: (others - all).exp(), v: log_prob - others }
    };
    log_probs.iter().enumerate().map(of).collect()
}

/// log of the sum of exponentials; -infinity of nothing.
fn log_sum(log_probs: impl Iterator<Item = f64> + Clone) -> f64 {
    let most = log_probs.clone().fold(f64::NEG_INFINITY, f64::max);
    match most == f64::NEG_INFINITY {
        true => most,
        false => most + log_probs.map(|p| (p - most).exp()).sum::<f64>().ln(),
    }
}

/// TOP reranking features dv/dtheta = g_k - sum over t != k of q_t g_t with
/// q_t = P(y_t) / sum over u != k of P(y_u), for all candidates at once; efficient ones come out
/// of [`taken`] gradients. Rows that all candidates have alike are left out: they are zero. A list
/// of one candidate has no others, and no features.
pub fn top(log_probs: &[f64], gradients: &[Blocks], sum: &mut Sum) -> Vec<Blocks> {
    if gradients.len() < 2 {
        return vec![Blocks::default(); gradients.len()];
    }
    let alike = alike_in_all(gradients);
    let kept = |g: &Blocks| -> Blocks {
        let mut kept = Blocks::default();
        for (row, block) in g.iter().filter(|(row, _)| alike.binary_search(row).is_err()) {
            kept.rows.push(row);
            kept.values.extend_from_slice(block);
        }
        kept
    };
    let gradients: Vec<Blocks> = gradients.iter().map(kept).collect();
    let odds = odds(log_probs);
    let add_all = |sum: &mut Sum, scale: f64, g: &Blocks| {
        g.iter().for_each(|(row, block)| sum.add(row, scale, block));
    };
    for (odds, g) in odds.iter().zip(&gradients) {
        add_all(sum, odds.p, g);
    }
    let mean = sum.take();
    let of = |k: usize| {
        let Odds { p, others, .. } = odds[k];
        if others >= NEARLY_ALL {
            // (S - p_k g_k) / (1 - p_k) with S the mean over the list.
            add_all(sum, 1.0 + p / others, &gradients[k]);
            add_all(sum, -1.0 / others, &mean);
            return sum.take();
        }
        add_all(sum, 1.0, &gradients[k]);
        let rest = log_probs.iter().enumerate().filter(|(t, _)| *t != k).map(|(_, p)| *p);
        let rest = log_sum(rest);
        for (t, g) in gradients.iter().enumerate().filter(|(t, _)| *t != k) {
            add_all(sum, -(log_probs[t] - rest).exp(), g);
        }
        sum.take()
    };
    (0..gradients.len()).map(of).collect()
}

/// Rows whose blocks are the same in all, bit by bit.
fn alike_in_all(gradients: &[Blocks]) -> Vec<u32> {
    let (first, others) = gradients.split_first().expect("two or more");
    let width = first.width();
    let mut alike: Vec<(u32, usize)> = first.rows.iter().copied().zip(0..).collect();
    for other in others {
        alike.retain(|&(row, at)| {
            let ours = &first.values[at * width..][..width];
            let place = other.rows.binary_search(&row);
            place.is_ok_and(|place| &other.values[place * width..][..width] == ours)
        });
    }
    alike.into_iter().map(|(row, _)| row).collect()
}
