//! The rewritten rules as people read them: what each matrix is made of, the new factors, and an
//! equation for every message.

use super::check::check;
use super::error::FggError;
use super::grammar::{Edge, Grammar, Item, Label, Rule};
use super::graph::words;
use super::matrix::{Matrix, MatrixKey};
use super::rewrite::{Named, Parts, rewrite_rule, word_name};
use std::collections::HashMap;

/// Ways to put words on the word nodes of a rule that are gone through.
const MOST_WORDS: usize = 4096;
/// Numbers that a part keeps over all these ways.
const MOST_NUMBERS: usize = 1 << 20;

/// A matrix of a rewritten rule, or its c as one column.
#[derive(Clone, Debug)]
pub struct Part {
    /// In terms of the grammar's factors: `step.2` is the second matrix of a CPD, `f[·,w]` a factor
    /// at a word.
    pub name: String,
    pub rows: usize,
    pub columns: usize,
    /// One, or one for every choice of words, the last word running fastest; none where they are
    /// too many.
    pub values: Vec<Matrix>,
}

/// A rule over its rank node.
#[derive(Clone, Debug)]
pub struct DerivedRule {
    /// Number of the rule in the grammar.
    pub rule: usize,
    /// As in `X -> w X`.
    pub shown: String,
    pub lhs: usize,
    pub children: Vec<usize>,
    pub rank: usize,
    /// U
    pub head: Option<Part>,
    /// V of every nonterminal edge.
    pub slots: Vec<Part>,
    /// c
    pub weights: Option<Part>,
}

/// A new factor V^T U between two rank nodes.
#[derive(Clone, Debug)]
pub struct Product {
    /// `M1` and so on.
    pub name: String,
    /// The names of V and U.
    pub of: [String; 2],
    pub rows: usize,
    pub columns: usize,
    /// One, or one for every choice of words of whichever of V and U depends on words; none where
    /// both do.
    pub values: Vec<Matrix>,
}

/// A grammar in rank space.
#[derive(Clone, Debug)]
pub struct Derived {
    pub rules: Vec<DerivedRule>,
    pub products: Vec<Product>,
    /// One for every nonterminal and U: how its message is made.
    pub equations: Vec<String>,
}

impl Derived {
    /// The new factor of a slot of a rule and a rule of its child.
    pub fn product(&self, rule: usize, slot: usize, child: usize) -> Option<&Product> {
        let v = &self.rules.get(rule)?.slots.get(slot)?.name;
        let u = &self.rules.get(child)?.head.as_ref()?.name;
        self.products.iter().find(|p| p.of[0] == *v && p.of[1] == *u)
    }
}

/// Rewrites every rule, words that are not given standing for all words.
///
/// # Errors
/// As [`super::rewrite`].
pub fn derive(grammar: &Grammar) -> Result<Derived, FggError> {
    let reasons = check(grammar);
    if !reasons.is_empty() {
        return Err(FggError::NotB(reasons));
    }
    let rules = grammar.rules().iter().enumerate();
    let mut rules: Vec<DerivedRule> = rules
        .map(|(number, rule)| derived_rule(grammar, number, rule))
        .collect::<Result<_, _>>()?;
    name_equal_parts_alike(&mut rules);
    let by = grammar.rules_by_nonterminal();
    let mut products: Vec<Product> = Vec::new();
    let mut equations = Vec::new();
    for (nonterminal, own) in by.iter().enumerate() {
        let mut heads: Vec<Option<&str>> = Vec::new();
        for head in own.iter().map(|&n| head_name(&rules[n])) {
            if !heads.contains(&head) || head.is_none() {
                heads.push(head);
            }
        }
        heads.dedup();
        for head in heads {
            let with_head = own.iter().filter(|&&n| head_name(&rules[n]) == head);
            let terms: Vec<String> =
                with_head.map(|&n| term(grammar, &rules, &by, n, &mut products)).collect();
            let name = message_name(grammar, &rules, &by, nonterminal, head);
            let sum = if head.is_none() { "sum of " } else { "" };
            equations.push(format!("{name} = {sum}{}", terms.join(" + ")));
        }
    }
    Ok(Derived { rules, products, equations })
}

/// Matrices that are equal entry by entry are one: they get the name of the first.
fn name_equal_parts_alike(rules: &mut [DerivedRule]) {
    let mut known: HashMap<Vec<MatrixKey>, String> = HashMap::new();
    for rule in rules {
        for part in rule.head.iter_mut().chain(&mut rule.slots) {
            if !part.values.is_empty() {
                let key = part.values.iter().map(Matrix::key).collect();
                part.name = known.entry(key).or_insert_with(|| part.name.clone()).clone();
            }
        }
    }
}

fn head_name(rule: &DerivedRule) -> Option<&str> {
    rule.head.as_ref().map(|part| part.name.as_str())
}

/// `α[X]`, with its U where the nonterminal has several.
fn message_name(
    grammar: &Grammar,
    rules: &[DerivedRule],
    by: &[Vec<usize>],
    nonterminal: usize,
    head: Option<&str>,
) -> String {
    let name = &grammar.nonterminals()[nonterminal].name;
    let several = by[nonterminal].iter().any(|&n| head_name(&rules[n]) != head);
    match head {
        Some(head) if several => format!("α[{name}, {head}]"),
        _ => format!("α[{name}]"),
    }
}

/// What a rule adds to a message: `c ∘ (M1 α[X]) ∘ (M2 α[P])`.
fn term(
    grammar: &Grammar,
    rules: &[DerivedRule],
    by: &[Vec<usize>],
    number: usize,
    products: &mut Vec<Product>,
) -> String {
    let rule = &rules[number];
    let mut factors: Vec<String> = Vec::new();
    if let Some(c) = &rule.weights {
        let alone = factor_count(rule) == 1 || !c.name.contains(' ');
        factors.push(if alone { c.name.clone() } else { format!("({})", c.name) });
    }
    for (v, &child) in rule.slots.iter().zip(&rule.children) {
        let mut heads: Vec<&Part> = Vec::new();
        for u in by[child].iter().filter_map(|&n| rules[n].head.as_ref()) {
            if heads.iter().all(|known| known.name != u.name) {
                heads.push(u);
            }
        }
        let parts: Vec<String> = heads
            .into_iter()
            .map(|u| {
                let message = message_name(grammar, rules, by, child, Some(&u.name));
                format!("{} {message}", product(v, u, products))
            })
            .collect();
        factors.push(match parts.len() {
            0 => "0".to_owned(),
            1 if factor_count(rule) == 1 => parts[0].clone(),
            _ => format!("({})", parts.join(" + ")),
        });
    }
    if factors.is_empty() { "1".to_owned() } else { factors.join(" ∘ ") }
}

fn factor_count(rule: &DerivedRule) -> usize {
    rule.slots.len() + usize::from(rule.weights.is_some())
}

/// The name of V^T U, which is made where it is new.
fn product(v: &Part, u: &Part, products: &mut Vec<Product>) -> String {
    let of = [v.name.clone(), u.name.clone()];
    let shape = (v.columns, u.columns);
    let same = |p: &&Product| p.of == of && (p.rows, p.columns) == shape;
    if let Some(known) = products.iter().find(same) {
        return known.name.clone();
    }
    let values = match (&v.values[..], &u.values[..]) {
        ([v], all) => all.iter().map(|u| v.transposed_times(u)).collect(),
        (all, [u]) => all.iter().map(|v| v.transposed_times(u)).collect(),
        _ => Vec::new(),
    };
    let name = format!("M{}", products.len() + 1);
    products.push(Product { name: name.clone(), of, rows: shape.0, columns: shape.1, values });
    name
}

fn derived_rule(grammar: &Grammar, number: usize, rule: &Rule) -> Result<DerivedRule, FggError> {
    let given = words(grammar, rule);
    let mut names: Vec<String> = given.iter().map(|&w| word_name(grammar, rule, w)).collect();
    let open = rule.yields.iter().flatten().filter_map(|item| match item {
        Item::Node(node) => Some(*node),
        Item::Edge(_) => None,
    });
    let open: Vec<usize> = open.filter(|n| given.iter().all(|(node, _)| node != n)).collect();
    let names_of_open = (1..=open.len()).map(|k| match open.len() {
        1 => "w".to_owned(),
        _ => format!("w{k}"),
    });
    names.extend(names_of_open);
    let sizes = open.iter().map(|&node| grammar.size(rule.nodes[node]));
    let ways = sizes.clone().try_fold(1usize, |ways, size| ways.checked_mul(size));
    let complete = ways.is_some_and(|ways| ways <= MOST_WORDS);
    let sizes: Vec<usize> = sizes.collect();
    let mut all: Vec<Parts> = Vec::new();
    let mut numbers = 0;
    for way in 0..if complete { ways.unwrap_or(1) } else { 1 } {
        let mut on: Vec<(usize, usize)> = given.clone();
        let mut left = way;
        let mut values = vec![0; open.len()];
        for k in (0..open.len()).rev() {
            (values[k], left) = (left % sizes[k], left / sizes[k]);
        }
        on.extend(open.iter().copied().zip(values));
        let parts = rewrite_rule(grammar, (number, rule), &on, &names)?;
        numbers +=
            parts.head.iter().chain(&parts.slots).map(|n| n.matrix.values().len()).sum::<usize>();
        all.push(parts);
        if numbers > MOST_NUMBERS {
            break;
        }
    }
    let complete = complete && Some(all.len()) == ways;
    let over = |pick: &dyn Fn(&Parts) -> Option<Named>| -> Option<Part> {
        let own: Vec<Named> = all.iter().filter_map(pick).collect();
        let first = own.first()?;
        let (rows, columns) = (first.matrix.rows(), first.matrix.columns());
        let one = own.iter().all(|named| named.matrix == first.matrix);
        let name = first.name.clone();
        let values = match (one, complete) {
            // Of several words that all give the same, or of none.
            (true, true) => vec![first.matrix.clone()],
            (false, true) => own.into_iter().map(|named| named.matrix).collect(),
            (_, false) => Vec::new(),
        };
        Some(Part { name, rows, columns, values })
    };
    let slots = (0..rule.nonterminals().count())
        .filter_map(|k| over(&|parts: &Parts| Some(parts.slots[k].clone())));
    let weights = |parts: &Parts| {
        let (name, c) = parts.weights.clone()?;
        Some(Named { name, matrix: Matrix::new(c.len(), 1, c) })
    };
    Ok(DerivedRule {
        rule: number,
        shown: shown(grammar, rule, &names, &given, &open),
        lhs: rule.lhs,
        children: rule.nonterminals().map(|(child, _)| child).collect(),
        rank: all[0].rank,
        head: over(&|parts: &Parts| parts.head.clone()),
        slots: slots.collect(),
        weights: over(&weights),
    })
}

/// `X -> w X`: in the order of the sentence, where that is known.
fn shown(
    grammar: &Grammar,
    rule: &Rule,
    names: &[String],
    given: &[(usize, usize)],
    open: &[usize],
) -> String {
    let name = |edge: &Edge| grammar.name(edge.label).to_owned();
    let mut right: Vec<String> = match &rule.yields {
        Some(items) => items
            .iter()
            .map(|item| match item {
                Item::Edge(edge) => name(&rule.edges[*edge]),
                Item::Node(node) => {
                    let nodes = given.iter().map(|(n, _)| n).chain(open);
                    let place = nodes.into_iter().position(|n| n == node);
                    place.map_or_else(String::new, |place| names[place].clone())
                }
            })
            .collect(),
        None => {
            let nonterminals =
                rule.edges.iter().filter(|e| matches!(e.label, Label::Nonterminal(_)));
            names.iter().cloned().chain(nonterminals.map(name)).collect()
        }
    };
    if right.is_empty() {
        right.push("ε".to_owned());
    }
    format!("{} -> {}", grammar.nonterminals()[rule.lhs].name, right.join(" "))
}
