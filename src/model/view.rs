/// Name of a nonterminal, counted from 0, wherever it is shown or written. No hyphen: readers of
/// brackets would take what follows for a function tag.
pub fn nonterminal_name(nonterminal: u32) -> String {
    format!("N{nonterminal}")
}

/// Name of a preterminal, counted from 0 by themselves.
pub fn preterminal_name(preterminal: u32) -> String {
    format!("T{preterminal}")
}

/// Name of a state of an HMM, counted from 0.
pub fn state_name(state: u32) -> String {
    format!("S{state}")
}

/// Probabilities of a grammar. Symbols are numbered nonterminals first, then preterminals. Of a
/// compound PCFG it is the grammar of z = 0, the mean of the prior.
#[derive(Clone, Copy, Debug)]
pub struct GrammarView<'a> {
    pub nonterminals: usize,
    pub preterminals: usize,
    pub vocabulary: usize,
    /// Start probabilities s: (NT).
    pub start: &'a [f32],
    pub rules: RuleView<'a>,
}

/// p(left, right | parent).
#[derive(Clone, Copy, Debug)]
pub enum RuleView<'a> {
    Factors(Factors<'a>),
    /// T: (NT, NT + PT, NT + PT), row-major, sums to 1 for each parent.
    Tensor(&'a [f32]),
}

/// `T[A,B,C] = sum_q U[A,q] V[B,q] W[C,q]`.
#[derive(Clone, Copy, Debug)]
pub struct Factors<'a> {
    pub rank: usize,
    /// U: (NT, r), row-major, rows sum to 1.
    pub u: &'a [f32],
    /// V and W side by side: (NT + PT, 2 r), row-major, columns sum to 1.
    pub vw: &'a [f32],
}

impl<'a> Factors<'a> {
    /// p(q | A): row `symbol` of U, length r.
    pub fn u_row(&self, nonterminal: usize) -> &'a [f32] {
        &self.u[nonterminal * self.rank..(nonterminal + 1) * self.rank]
    }

    /// V[symbol, q] = p(left child = symbol | q), for all q.
    pub fn v_row(&self, symbol: usize) -> &'a [f32] {
        &self.vw[2 * symbol * self.rank..(2 * symbol + 1) * self.rank]
    }

    /// W[symbol, q] = p(right child = symbol | q), for all q.
    pub fn w_row(&self, symbol: usize) -> &'a [f32] {
        &self.vw[(2 * symbol + 1) * self.rank..2 * (symbol + 1) * self.rank]
    }
}

impl<'a> GrammarView<'a> {
    pub fn symbols(&self) -> usize {
        self.nonterminals + self.preterminals
    }

    /// p(left, right | parent).
    pub fn rule(&self, parent: usize, left: usize, right: usize) -> f64 {
        match self.rules {
            RuleView::Tensor(_) => f64::from(self.row(parent)[left * self.symbols() + right]),
            RuleView::Factors(factors) => {
                let (u, v, w) = (factors.u_row(parent), factors.v_row(left), factors.w_row(right));
                let terms = u.iter().zip(v).zip(w);
                terms.map(|((&u, &v), &w)| f64::from(u) * f64::from(v) * f64::from(w)).sum()
            }
        }
    }

    /// All pairs of children of a parent, (NT + PT, NT + PT), of a tensor; empty for factors.
    pub fn row(&self, parent: usize) -> &'a [f32] {
        let pairs = self.symbols() * self.symbols();
        match self.rules {
            RuleView::Tensor(all) => &all[parent * pairs..(parent + 1) * pairs],
            RuleView::Factors(_) => &[],
        }
    }

    /// Multiply-adds that the probability of one rule takes.
    pub fn cost(&self) -> usize {
        match self.rules {
            RuleView::Tensor(_) => 1,
            RuleView::Factors(factors) => factors.rank,
        }
    }
}

/// States of an HMM and where they lead, without the emissions.
#[derive(Clone, Copy, Debug)]
pub struct ChainView<'a> {
    pub states: usize,
    pub vocabulary: usize,
    /// Start probabilities: (states).
    pub start: &'a [f32],
    pub transitions: Transitions<'a>,
}

/// p(next | state).
#[derive(Clone, Copy, Debug)]
pub enum Transitions<'a> {
    /// `sum_q U[state,q] V[next,q]`: both (states, rank), row-major.
    LowRank { rank: usize, u: &'a [f32], v: &'a [f32] },
    /// (states, states), row-major, rows sum to 1.
    Dense(&'a [f32]),
}

impl ChainView<'_> {
    /// p(state | previous) for all states that may have come before.
    pub fn arrivals(&self, state: usize) -> Vec<f64> {
        match self.transitions {
            Transitions::LowRank { rank, u, v } => {
                let own = &v[state * rank..(state + 1) * rank];
                let dot = |row: &[f32]| -> f64 {
                    own.iter().zip(row).map(|(&x, &y)| f64::from(x) * f64::from(y)).sum()
                };
                u.chunks_exact(rank).map(dot).collect()
            }
            Transitions::Dense(all) => {
                all.iter().skip(state).step_by(self.states).map(|&p| f64::from(p)).collect()
            }
        }
    }

    /// p(next | state) of all states that may come next.
    pub fn successors(&self, state: usize) -> Vec<f64> {
        match self.transitions {
            Transitions::LowRank { rank, u, v } => {
                let own = &u[state * rank..(state + 1) * rank];
                let dot = |row: &[f32]| -> f64 {
                    own.iter().zip(row).map(|(&x, &y)| f64::from(x) * f64::from(y)).sum()
                };
                v.chunks_exact(rank).map(dot).collect()
            }
            Transitions::Dense(all) => {
                let row = &all[state * self.states..(state + 1) * self.states];
                row.iter().map(|&p| f64::from(p)).collect()
            }
        }
    }
}
