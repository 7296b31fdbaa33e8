//! The factor graph of one rule, and variable elimination (eq. 3 and 4 of Yang, Liu & Tu 2022,
//! with rank nodes as further variables: figure 2).

use super::error::FggError;
use super::grammar::{Edge, Factor, Grammar, LARGEST, Label, Rule, table_len};
use super::weight::Weight;

/// A function of some variables, row-major in their order.
#[derive(Clone, Debug)]
pub(super) struct Table {
    pub variables: Vec<usize>,
    pub values: Vec<Weight>,
}

/// Where the entries of a table over distinct variables lie in one over all attachments: a node
/// may be touched twice, and a word's node stands at one value.
#[derive(Clone, Debug)]
pub(super) struct Places {
    base: usize,
    /// Of every variable of the table.
    strides: Vec<usize>,
    sizes: Vec<usize>,
}

impl Places {
    /// Position of every entry of the small table in the large one.
    pub fn positions(&self) -> impl Iterator<Item = usize> {
        let mut index = vec![0; self.sizes.len()];
        let mut next = Some(self.base);
        std::iter::from_fn(move || {
            let here = next?;
            next = None;
            let mut after = here;
            for k in (0..index.len()).rev() {
                index[k] += 1;
                after += self.strides[k];
                if index[k] < self.sizes[k] {
                    next = Some(after);
                    break;
                }
                after -= index[k] * self.strides[k];
                index[k] = 0;
            }
            Some(here)
        })
    }
}

/// A factor of the graph: an edge of the rule, or one matrix of its CPD.
#[derive(Clone, Debug)]
pub(super) struct Part {
    /// None for a word.
    pub edge: Option<usize>,
    /// Number of the matrix of a CPD, else 0.
    pub matrix: usize,
    pub table: Table,
    pub places: Places,
}

/// Nodes of a rule on which words of a sentence stand, with their values.
pub(super) fn words(grammar: &Grammar, rule: &Rule) -> Vec<(usize, usize)> {
    let word = |edge: &Edge| match edge.label {
        Label::Terminal(t) => match grammar.terminals()[t].factor {
            Factor::Is(value) => Some((edge.attachments[0], value)),
            _ => None,
        },
        Label::Nonterminal(_) => None,
    };
    rule.edges.iter().filter_map(word).collect()
}

/// The factor graph of a rule, whose nonterminal edges have their messages as factors.
#[derive(Debug)]
pub(super) struct Graph {
    /// Values of every variable: the nodes, then rank nodes.
    sizes: Vec<usize>,
    /// Words that are given, of nodes that are not kept.
    pub fixed: Vec<Option<usize>>,
    pub parts: Vec<Part>,
    at: String,
}

impl Graph {
    /// `messages` by nonterminal; without them nonterminal edges are left out. A word fixes its
    /// node, unless that is to be kept: then it is a factor like others.
    pub fn new(
        grammar: &Grammar,
        (number, rule): (usize, &Rule),
        words: &[(usize, usize)],
        messages: Option<&[Vec<Weight>]>,
        keep: &[usize],
    ) -> Graph {
        let mut graph = Graph {
            sizes: grammar.sizes(&rule.nodes),
            fixed: vec![None; rule.nodes.len()],
            parts: Vec::new(),
            at: format!("grammar.rules[{number}]"),
        };
        let mut others = Vec::new();
        for &(node, value) in words {
            // Two different words on one node: everything is 0.
            let stands = !keep.contains(&node) && *graph.fixed[node].get_or_insert(value) == value;
            if !stands {
                others.push((node, value));
            }
        }
        for (node, value) in others {
            let one = |i| if i == value { Weight::ONE } else { Weight::ZERO };
            graph.add(None, 0, &[node], one);
        }
        for (number, edge) in rule.edges.iter().enumerate() {
            match edge.label {
                Label::Terminal(t) => {
                    graph.add_factor(number, edge, &grammar.terminals()[t].factor)
                }
                Label::Nonterminal(n) => {
                    if let Some(messages) = messages {
                        graph.add(Some(number), 0, &edge.attachments, |i| messages[n][i]);
                    }
                }
            }
        }
        graph
    }

    fn add_factor(&mut self, number: usize, edge: &Edge, factor: &Factor) {
        let number = Some(number);
        match factor {
            // It is among the words.
            Factor::Is(_) => {}
            Factor::Full(weights) => {
                self.add(number, 0, &edge.attachments, |i| Weight::from(weights[i]));
            }
            Factor::Cpd(cpd) => {
                let rank_node = self.sizes.len();
                self.sizes.push(cpd.rank());
                self.fixed.push(None);
                for (k, (matrix, &node)) in cpd.matrices.iter().zip(&edge.attachments).enumerate() {
                    self.add(number, k, &[node, rank_node], |i| Weight::from(matrix.values()[i]));
                }
            }
        }
    }

    fn add(
        &mut self,
        edge: Option<usize>,
        matrix: usize,
        nodes: &[usize],
        value: impl Fn(usize) -> Weight,
    ) {
        let (variables, places) = self.places(nodes);
        let values = places.positions().map(value).collect();
        self.parts.push(Part { edge, matrix, table: Table { variables, values }, places });
    }

    /// The distinct variables among some nodes, and where their table lies in that over all.
    pub fn places(&self, nodes: &[usize]) -> (Vec<usize>, Places) {
        let mut variables: Vec<usize> = Vec::new();
        let mut places = Places { base: 0, strides: Vec::new(), sizes: Vec::new() };
        let mut stride = 1;
        for &node in nodes.iter().rev() {
            match (self.fixed[node], variables.iter().position(|&v| v == node)) {
                (Some(value), _) => places.base += value * stride,
                (None, Some(known)) => places.strides[known] += stride,
                (None, None) => {
                    variables.push(node);
                    places.strides.push(stride);
                    places.sizes.push(self.sizes[node]);
                }
            }
            stride *= self.sizes[node];
        }
        variables.reverse();
        places.strides.reverse();
        places.sizes.reverse();
        (variables, places)
    }

    /// The product of all parts but one and of `extra`, summed over all variables but `keep`, as a
    /// table over those; the smallest step first.
    pub fn sum_out(
        &self,
        extra: Option<&Table>,
        leave_out: Option<usize>,
        keep: &[usize],
    ) -> Result<Table, FggError> {
        let parts = self.parts.iter().enumerate().filter(|&(k, _)| Some(k) != leave_out);
        let mut tables: Vec<Table> = parts.map(|(_, part)| part.table.clone()).collect();
        tables.extend(extra.cloned());
        let mut left: Vec<usize> = (0..self.sizes.len())
            .filter(|v| self.fixed[*v].is_none() && !keep.contains(v))
            .collect();
        let mut free = Weight::ONE;
        while let Some((place, union)) = self.cheapest(&left, &tables) {
            let variable = left.swap_remove(place);
            left.sort_unstable();
            let (with, without): (Vec<Table>, Vec<Table>) =
                tables.into_iter().partition(|t| t.variables.contains(&variable));
            tables = without;
            if with.is_empty() {
                free = free * Weight::from(self.sizes[variable] as f64);
                continue;
            }
            let to: Vec<usize> = union.into_iter().filter(|&v| v != variable).collect();
            tables.push(self.contract(&with, &to, Some(variable))?);
        }
        let mut product = self.contract(&tables, keep, None)?;
        if free != Weight::ONE {
            product.values.iter_mut().for_each(|x| *x = *x * free);
        }
        Ok(product)
    }

    /// The variable whose elimination needs the smallest table, with the variables of that.
    fn cheapest(&self, left: &[usize], tables: &[Table]) -> Option<(usize, Vec<usize>)> {
        let unions = left.iter().enumerate().map(|(place, variable)| {
            let mut union: Vec<usize> = tables
                .iter()
                .filter(|t| t.variables.contains(variable))
                .flat_map(|t| t.variables.iter().copied())
                .collect();
            union.sort_unstable();
            union.dedup();
            (place, union)
        });
        unions.min_by(|(_, a), (_, b)| {
            let size =
                |union: &[usize]| union.iter().map(|&v| self.sizes[v] as f64).product::<f64>();
            size(a).total_cmp(&size(b))
        })
    }

    /// The product of some tables over `to`, summed over one more variable.
    fn contract(
        &self,
        tables: &[Table],
        to: &[usize],
        summed: Option<usize>,
    ) -> Result<Table, FggError> {
        let dimensions: Vec<usize> = to.iter().copied().chain(summed).collect();
        let sizes: Vec<usize> = dimensions.iter().map(|&v| self.sizes[v]).collect();
        if table_len(&sizes).is_none() {
            let what = "summing out its nodes".to_owned();
            return Err(FggError::TooLarge { at: self.at.clone(), what, bound: LARGEST });
        }
        let strides: Vec<Vec<usize>> =
            tables.iter().map(|t| self.strides(t, &dimensions)).collect();
        let inner = summed.map_or(1, |v| self.sizes[v]);
        let len = to.iter().map(|&v| self.sizes[v]).product();
        let mut values = Vec::with_capacity(len);
        let mut index = vec![0; to.len()];
        let mut offsets = vec![0; tables.len()];
        for _ in 0..len {
            let mut sum = Weight::ZERO;
            for i in 0..inner {
                let mut product = Weight::ONE;
                for ((table, &offset), strides) in tables.iter().zip(&offsets).zip(&strides) {
                    let step = summed.map_or(0, |_| strides[to.len()]);
                    product = product * table.values[offset + i * step];
                    if product.is_zero() {
                        break;
                    }
                }
                sum += product;
            }
            values.push(sum);
            for k in (0..to.len()).rev() {
                index[k] += 1;
                let carry = index[k] == sizes[k];
                for (offset, strides) in offsets.iter_mut().zip(&strides) {
                    *offset += strides[k];
                    *offset -= if carry { sizes[k] * strides[k] } else { 0 };
                }
                if !carry {
                    break;
                }
                index[k] = 0;
            }
        }
        Ok(Table { variables: to.to_vec(), values })
    }

    /// By how much an entry of the table moves with each of some variables.
    fn strides(&self, table: &Table, dimensions: &[usize]) -> Vec<usize> {
        let stride = |dimension: &usize| {
            let own = table.variables.iter().position(|v| v == dimension);
            own.map_or(0, |own| table.variables[own + 1..].iter().map(|&v| self.sizes[v]).product())
        };
        dimensions.iter().map(stride).collect()
    }
}
