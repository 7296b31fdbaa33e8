//! Rewriting to rank space (section 4.1): the factors of a rule are merged, decomposed over a rank
//! node, and the state nodes between two rank nodes are summed out.

use super::check::check;
use super::error::FggError;
use super::grammar::{Cpd, Edge, Factor, Grammar, Label, Rule};
use super::graph::{Graph, words};
use super::matrix::{Matrix, trivial_cpd};
use std::collections::HashMap;

/// A nonterminal edge of a rewritten rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slot {
    pub child: usize,
    /// V of the edge's node, (size, rank): its number in [`Rewriting::matrices`].
    pub matrix: usize,
}

/// A rule over its rank node.
#[derive(Clone, Debug, PartialEq)]
pub struct RankRule {
    pub lhs: usize,
    pub rank: usize,
    /// U of the external node, (size, rank): its number in [`Rewriting::matrices`]; none for the
    /// start symbol.
    pub head: Option<usize>,
    /// In file order.
    pub slots: Vec<Slot>,
    /// c, a factor of the rank node alone.
    pub weights: Option<Vec<f64>>,
}

/// A B-FGG in rank space.
#[derive(Clone, Debug)]
pub struct Rewriting {
    /// All distinct matrices.
    pub matrices: Vec<Matrix>,
    /// By rule of the grammar.
    pub rules: Vec<RankRule>,
}

impl Rewriting {
    /// Distinct U of a nonterminal, in the order of its rules.
    pub fn heads(&self, rules: &[usize]) -> Vec<Option<usize>> {
        let mut heads: Vec<Option<usize>> = Vec::new();
        for &rule in rules {
            if !heads.contains(&self.rules[rule].head) {
                heads.push(self.rules[rule].head);
            }
        }
        heads
    }
}

/// Rewrites every rule; a cyclic grammar too, for that is seen rule by rule.
///
/// # Errors
/// [`FggError::NotB`], [`FggError::TooLarge`], [`FggError::Range`].
pub fn rewrite(grammar: &Grammar) -> Result<Rewriting, FggError> {
    let reasons = check(grammar);
    if !reasons.is_empty() {
        return Err(FggError::NotB(reasons));
    }
    let mut numbers = HashMap::new();
    let mut matrices: Vec<Matrix> = Vec::new();
    let mut number = |matrix: Matrix| {
        *numbers.entry(matrix.key()).or_insert_with(|| {
            matrices.push(matrix);
            matrices.len() - 1
        })
    };
    let mut rules = Vec::with_capacity(grammar.rules().len());
    for (place, rule) in grammar.rules().iter().enumerate() {
        let words = words(grammar, rule);
        let names: Vec<String> = words.iter().map(|&word| word_name(grammar, rule, word)).collect();
        let parts = rewrite_rule(grammar, (place, rule), &words, &names)?;
        let children = rule.nonterminals().map(|(child, _)| child);
        let slots = parts.slots.into_iter().zip(children);
        rules.push(RankRule {
            lhs: rule.lhs,
            rank: parts.rank,
            head: parts.head.map(|u| number(u.matrix)),
            slots: slots.map(|(v, child)| Slot { child, matrix: number(v.matrix) }).collect(),
            weights: parts.weights.map(|(_, c)| c),
        });
    }
    Ok(Rewriting { matrices, rules })
}

/// How a word on a node is called.
pub(super) fn word_name(grammar: &Grammar, rule: &Rule, (node, value): (usize, usize)) -> String {
    grammar.domains()[rule.nodes[node]].values[value].clone()
}

/// A matrix and what it is made of.
#[derive(Clone, Debug)]
pub(super) struct Named {
    pub name: String,
    pub matrix: Matrix,
}

/// What a rule becomes.
#[derive(Clone, Debug)]
pub(super) struct Parts {
    pub rank: usize,
    pub head: Option<Named>,
    pub slots: Vec<Named>,
    pub weights: Option<(String, Vec<f64>)>,
}

/// One rule of a B-FGG with words on some nodes, which `names` are those of.
pub(super) fn rewrite_rule(
    grammar: &Grammar,
    (number, rule): (usize, &Rule),
    words: &[(usize, usize)],
    names: &[String],
) -> Result<Parts, FggError> {
    let slots = rule.nonterminals().map(|(_, edge)| edge.attachments[0]);
    let keep: Vec<usize> = rule.externals.iter().copied().chain(slots).collect();
    let graph = Graph::new(grammar, (number, rule), words, None, &keep);
    let merge = Merge { grammar, rule, words, names, keep: &keep, graph: &graph };
    let parts = match merge.as_one_cpd() {
        Some(parts) => parts,
        None => merge.as_tensor(number)?,
    };
    let all = parts.head.iter().chain(&parts.slots).flat_map(|named| named.matrix.values());
    let weights = parts.weights.iter().flat_map(|(_, c)| c);
    match all.chain(weights).all(|x| x.is_finite()) {
        true => Ok(parts),
        false => Err(FggError::Range { at: format!("grammar.rules[{number}]") }),
    }
}

/// The factors of a rule, to be merged.
struct Merge<'a> {
    grammar: &'a Grammar,
    rule: &'a Rule,
    words: &'a [(usize, usize)],
    names: &'a [String],
    /// External node and the nodes of the slots.
    keep: &'a [usize],
    graph: &'a Graph,
}

impl<'a> Merge<'a> {
    /// Terminal edges beside words, with name and factor.
    fn factors(&self) -> impl Iterator<Item = (&'a Edge, &'a str, &'a Factor)> {
        let grammar = self.grammar;
        self.rule.edges.iter().filter_map(move |edge| match edge.label {
            Label::Terminal(t) => {
                let terminal = &grammar.terminals()[t];
                let is_word = matches!(terminal.factor, Factor::Is(_));
                (!is_word).then_some((edge, terminal.name.as_str(), &terminal.factor))
            }
            Label::Nonterminal(_) => None,
        })
    }

    /// Merges all into the rule's only CPD, where they touch one node of it each.
    fn as_one_cpd(&self) -> Option<Parts> {
        let cpds = self.factors().filter_map(|(edge, name, factor)| match factor {
            Factor::Cpd(cpd) => Some((edge, name, cpd)),
            _ => None,
        });
        let cpds: Vec<(&Edge, &str, &Cpd)> = cpds.collect();
        let &[(edge, name, cpd)] = &cpds[..] else { return None };
        let touched = &edge.attachments;
        if self.keep.iter().any(|node| !touched.contains(node)) || self.has_two_words_on_a_node() {
            return None;
        }
        let mut matrices: HashMap<usize, Named> = HashMap::new();
        for (k, (&node, matrix)) in touched.iter().zip(&cpd.matrices).enumerate() {
            let own = format!("{name}.{}", k + 1);
            let merged = match matrices.remove(&node) {
                None => Named { name: own, matrix: matrix.clone() },
                Some(mut other) => {
                    other.matrix.times(matrix);
                    Named { name: format!("{} ∘ {own}", other.name), ..other }
                }
            };
            matrices.insert(node, merged);
        }
        for (other, name, factor) in self.factors() {
            let Factor::Full(weights) = factor else { continue };
            let (nodes, places) = self.graph.places(&other.attachments);
            let &[node] = &nodes[..] else { return None };
            let to = matrices.get_mut(&node)?;
            let row_weights: Vec<f64> = places.positions().map(|i| weights[i]).collect();
            to.matrix.weigh_rows(&row_weights);
            to.name = format!("diag({}) {}", self.sliced(name, &other.attachments), to.name);
        }
        // Words on nodes that stay.
        for (&(node, value), name) in self.words.iter().zip(self.names) {
            if self.keep.contains(&node) {
                let to = matrices.get_mut(&node)?;
                let rows = to.matrix.rows();
                let one: Vec<f64> = (0..rows).map(|i| f64::from(i == value)).collect();
                to.matrix.weigh_rows(&one);
                to.name = format!("diag(is {name}) {}", to.name);
            }
        }
        let mut take = |node: usize| matrices.remove(&node);
        let head = match self.rule.externals.first() {
            Some(&node) => Some(take(node)?),
            None => None,
        };
        let slots = self.keep[self.rule.externals.len()..].iter();
        let slots: Vec<Named> = slots.map(|&node| take(node)).collect::<Option<_>>()?;
        let weights = self.inner_weights(matrices, cpd.rank());
        Some(Parts { rank: cpd.rank(), head, slots, weights })
    }

    /// c: a row for each word, column sums for each other inner node, and how many values the
    /// nodes have that no factor touches.
    fn inner_weights(
        &self,
        mut matrices: HashMap<usize, Named>,
        rank: usize,
    ) -> Option<(String, Vec<f64>)> {
        let mut names = Vec::new();
        let mut weights = vec![1.0; rank];
        let mut free = 1.0;
        for (node, &domain) in self.rule.nodes.iter().enumerate() {
            let own = match (matrices.remove(&node), self.graph.fixed[node]) {
                (Some(own), Some(value)) => {
                    let word = self.word(node).unwrap_or_default();
                    names.push(format!("{}[{word}]", own.name));
                    own.matrix.row(value).to_vec()
                }
                (Some(own), None) => {
                    names.push(format!("1ᵀ {}", own.name));
                    own.matrix.column_sums()
                }
                (None, None) if !self.keep.contains(&node) => {
                    free *= self.grammar.size(domain) as f64;
                    continue;
                }
                (None, _) => continue,
            };
            weights.iter_mut().zip(own).for_each(|(c, x)| *c *= x);
        }
        if free != 1.0 {
            names.push(free.to_string());
            weights.iter_mut().for_each(|c| *c *= free);
        }
        (!names.is_empty()).then(|| (names.join(" ∘ "), weights))
    }

    /// Multiplies all factors to a tensor over external node and slots, with its trivial CPD.
    fn as_tensor(&self, number: usize) -> Result<Parts, FggError> {
        let table = self.graph.sum_out(None, None, self.keep)?;
        let tensor: Vec<f64> = table.values.iter().map(|x| x.to_f64()).collect();
        let vanished = table.values.iter().zip(&tensor).any(|(x, &y)| !x.is_zero() && y == 0.0);
        if vanished && tensor.iter().all(|&x| x == 0.0) {
            return Err(FggError::Range { at: format!("grammar.rules[{number}]") });
        }
        let name = self.product_name();
        if self.keep.is_empty() {
            let weights = Some((name, tensor));
            return Ok(Parts { rank: 1, head: None, slots: Vec::new(), weights });
        }
        let shape: Vec<usize> =
            self.keep.iter().map(|&node| self.grammar.size(self.rule.nodes[node])).collect();
        let matrices = trivial_cpd(&shape, &tensor);
        let top = shape.iter().max();
        let largest = shape.iter().position(|d| Some(d) == top);
        let rank = matrices[0].columns();
        let named = |(k, matrix): (usize, Matrix)| {
            let name = match (shape.len(), Some(k) == largest) {
                (1, _) => name.clone(),
                (_, true) => format!("unfold({name})"),
                (_, false) => format!("select {} of {rank}", shape[k]),
            };
            Named { name, matrix }
        };
        let mut all = matrices.into_iter().enumerate().map(named);
        let head = self.rule.externals.first().and_then(|_| all.next());
        Ok(Parts { rank, head, slots: all.collect(), weights: None })
    }

    fn has_two_words_on_a_node(&self) -> bool {
        self.words
            .iter()
            .any(|&(node, value)| self.graph.fixed[node].is_some_and(|fixed| fixed != value))
    }

    fn word(&self, node: usize) -> Option<&str> {
        let place = self.words.iter().position(|&(n, _)| n == node)?;
        Some(&self.names[place])
    }

    /// A factor with its words: `emit[·,w]`.
    fn sliced(&self, name: &str, nodes: &[usize]) -> String {
        if nodes.iter().all(|&node| self.graph.fixed[node].is_none()) {
            return name.to_owned();
        }
        let index = nodes.iter().map(|&node| match self.graph.fixed[node] {
            Some(_) => self.word(node).unwrap_or("·"),
            None => "·",
        });
        format!("{name}[{}]", index.collect::<Vec<_>>().join(","))
    }

    fn product_name(&self) -> String {
        let factors = self.factors().map(|(edge, name, _)| self.sliced(name, &edge.attachments));
        let kept = self.words.iter().zip(self.names).filter(|((n, _), _)| self.keep.contains(n));
        let factors: Vec<String> =
            factors.chain(kept.map(|(_, name)| format!("is {name}"))).collect();
        let summed = (0..self.rule.nodes.len())
            .any(|node| self.graph.fixed[node].is_none() && !self.keep.contains(&node));
        let product = if factors.is_empty() { "1".to_owned() } else { factors.join(" · ") };
        if summed { format!("Σ {product}") } else { product }
    }
}
