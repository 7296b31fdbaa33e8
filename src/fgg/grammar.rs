//! Factor graph grammars: nodes with domains, edges with factors or nonterminals, rules.

use super::error::FggError;
use super::matrix::Matrix;
use std::collections::HashSet;

/// Entries of one table, at most: a factor, a message, or what is summed out on the way.
pub(super) const LARGEST: usize = 1 << 24;

/// Nodes that one edge touches, at most.
const MOST_NODES: usize = 32;

pub(super) const NO_VALUES: &str = "a domain has at least one value";

/// What a node can be.
#[derive(Clone, Debug, PartialEq)]
pub struct Domain {
    pub name: String,
    pub values: Vec<String>,
}

/// A label whose edges have a factor.
#[derive(Clone, Debug, PartialEq)]
pub struct Terminal {
    pub name: String,
    /// Domains of the nodes that an edge touches, in order.
    pub domains: Vec<usize>,
    pub factor: Factor,
}

/// A label whose edges are replaced by rules.
#[derive(Clone, Debug, PartialEq)]
pub struct Nonterminal {
    pub name: String,
    /// Domains of the nodes that an edge touches, in order.
    pub domains: Vec<usize>,
}

/// The weight of every assignment to the nodes of an edge.
#[derive(Clone, Debug, PartialEq)]
pub enum Factor {
    /// Row-major.
    Full(Vec<f64>),
    Cpd(Cpd),
    /// 1 for one value of the only node, else 0: a word of a sentence.
    Is(usize),
}

/// weight(x_1..x_p) = `sum_q prod_k matrices[k][x_k][q]`.
#[derive(Clone, Debug, PartialEq)]
pub struct Cpd {
    /// One (domain size, rank) for every attachment.
    pub matrices: Vec<Matrix>,
}

impl Cpd {
    pub fn rank(&self) -> usize {
        self.matrices.first().map_or(1, Matrix::columns)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Label {
    Terminal(usize),
    Nonterminal(usize),
}

#[derive(Clone, Debug, PartialEq)]
pub struct Edge {
    pub label: Label,
    /// Nodes of the rule.
    pub attachments: Vec<usize>,
}

/// What a rule contributes to a sentence, from left to right.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Item {
    /// A node that is a word.
    Node(usize),
    /// A nonterminal edge.
    Edge(usize),
}

#[derive(Clone, Debug, PartialEq)]
pub struct Rule {
    pub lhs: usize,
    /// The domain of every node.
    pub nodes: Vec<usize>,
    pub edges: Vec<Edge>,
    /// Nodes that the attachments of the replaced edge become.
    pub externals: Vec<usize>,
    /// All nonterminal edges and some nodes.
    pub yields: Option<Vec<Item>>,
}

impl Rule {
    /// Nonterminal edges in file order, with their nonterminal.
    pub fn nonterminals(&self) -> impl Iterator<Item = (usize, &Edge)> {
        self.edges.iter().filter_map(|edge| match edge.label {
            Label::Nonterminal(child) => Some((child, edge)),
            Label::Terminal(_) => None,
        })
    }

    /// Whether it has a node that is a word.
    pub fn has_words(&self) -> bool {
        self.yields.iter().flatten().any(|item| matches!(item, Item::Node(_)))
    }
}

/// A grammar in which every number means something: labels, nodes and domains exist, types fit,
/// tables are complete and finite, and the start symbol touches no node.
#[derive(Clone, Debug, PartialEq)]
pub struct Grammar {
    domains: Vec<Domain>,
    terminals: Vec<Terminal>,
    nonterminals: Vec<Nonterminal>,
    start: usize,
    rules: Vec<Rule>,
}

impl Grammar {
    /// Checks what the type promises.
    ///
    /// # Errors
    /// [`FggError::Invalid`] with the place as it is written in a file.
    pub fn new(
        domains: Vec<Domain>,
        terminals: Vec<Terminal>,
        nonterminals: Vec<Nonterminal>,
        start: usize,
        rules: Vec<Rule>,
    ) -> Result<Grammar, FggError> {
        let grammar = Grammar { domains, terminals, nonterminals, start, rules };
        grammar.check_labels()?;
        for (number, rule) in grammar.rules.iter().enumerate() {
            grammar.check_rule(number, rule)?;
        }
        Ok(grammar)
    }

    /// Of parts that hold what [`Grammar::new`] checks by the way they were made.
    pub(super) fn assembled(
        domains: Vec<Domain>,
        terminals: Vec<Terminal>,
        nonterminals: Vec<Nonterminal>,
        start: usize,
        rules: Vec<Rule>,
    ) -> Grammar {
        Grammar { domains, terminals, nonterminals, start, rules }
    }

    /// The same rules over other terminals, in number or factor; as [`Grammar::assembled`].
    pub(super) fn with_terminals(&self, terminals: Vec<Terminal>) -> Grammar {
        Grammar {
            domains: self.domains.clone(),
            terminals,
            nonterminals: self.nonterminals.clone(),
            start: self.start,
            rules: self.rules.clone(),
        }
    }

    pub fn domains(&self) -> &[Domain] {
        &self.domains
    }

    pub fn terminals(&self) -> &[Terminal] {
        &self.terminals
    }

    pub fn nonterminals(&self) -> &[Nonterminal] {
        &self.nonterminals
    }

    pub fn start(&self) -> usize {
        self.start
    }

    pub fn rules(&self) -> &[Rule] {
        &self.rules
    }

    /// Number of values of a domain.
    pub fn size(&self, domain: usize) -> usize {
        self.domains[domain].values.len()
    }

    /// Sizes of some domains.
    pub fn sizes(&self, domains: &[usize]) -> Vec<usize> {
        domains.iter().map(|&d| self.size(d)).collect()
    }

    pub fn nonterminal(&self, name: &str) -> Option<usize> {
        self.nonterminals.iter().position(|n| n.name == name)
    }

    pub fn terminal(&self, name: &str) -> Option<usize> {
        self.terminals.iter().position(|t| t.name == name)
    }

    pub fn name(&self, label: Label) -> &str {
        match label {
            Label::Terminal(t) => &self.terminals[t].name,
            Label::Nonterminal(n) => &self.nonterminals[n].name,
        }
    }

    /// The domains that an edge with this label touches.
    pub fn type_of(&self, label: Label) -> &[usize] {
        match label {
            Label::Terminal(t) => &self.terminals[t].domains,
            Label::Nonterminal(n) => &self.nonterminals[n].domains,
        }
    }

    /// Numbers of the rules of every nonterminal, in file order.
    pub fn rules_by_nonterminal(&self) -> Vec<Vec<usize>> {
        let mut by = vec![Vec::new(); self.nonterminals.len()];
        for (number, rule) in self.rules.iter().enumerate() {
            by[rule.lhs].push(number);
        }
        by
    }

    /// The grammar with other factors.
    ///
    /// # Errors
    /// As [`Grammar::new`].
    pub fn with_factors(
        &self,
        factor: impl Fn(usize, &Terminal) -> Factor,
    ) -> Result<Grammar, FggError> {
        let replaced = |(i, t): (usize, &Terminal)| Terminal { factor: factor(i, t), ..t.clone() };
        let terminals = self.terminals.iter().enumerate().map(replaced).collect();
        let (domains, nonterminals) = (self.domains.clone(), self.nonterminals.clone());
        Grammar::new(domains, terminals, nonterminals, self.start, self.rules.clone())
    }

    fn check_labels(&self) -> Result<(), FggError> {
        for domain in &self.domains {
            let at = || keyed("interpretation.domains", &domain.name);
            if domain.values.is_empty() {
                return Err(FggError::invalid(at(), NO_VALUES));
            }
            let mut seen = HashSet::new();
            if let Some(twice) = domain.values.iter().find(|v| !seen.insert(v.as_str())) {
                return Err(FggError::invalid(at(), format!("the value `{twice}` is there twice")));
            }
        }
        let mut names = HashSet::new();
        for label in self.labels() {
            let (name, at) = (self.name(label), self.place(label));
            if !names.insert(name) {
                return Err(FggError::invalid(at, "a label has this name already"));
            }
            if self.type_of(label).iter().any(|&d| d >= self.domains.len()) {
                return Err(FggError::invalid(at, "its type names a domain that is not there"));
            }
            if self.type_of(label).len() > MOST_NODES {
                let what = format!("it touches more than {MOST_NODES} nodes");
                return Err(FggError::invalid(at, what));
            }
            if table_len(&self.sizes(self.type_of(label))).is_none()
                && !matches!(self.factor(label), Some(Factor::Cpd(_)))
            {
                let what = "a table of its type".to_owned();
                return Err(FggError::TooLarge { at, what, bound: LARGEST });
            }
        }
        for terminal in &self.terminals {
            self.check_factor(terminal)?;
        }
        let Some(start) = self.nonterminals.get(self.start) else {
            return Err(FggError::invalid("grammar.start", "there is no such nonterminal"));
        };
        if !start.domains.is_empty() {
            let what = format!("`{}` touches nodes; expected a nonterminal of type []", start.name);
            return Err(FggError::invalid("grammar.start", what));
        }
        Ok(())
    }

    fn labels(&self) -> impl Iterator<Item = Label> {
        let terminals = (0..self.terminals.len()).map(Label::Terminal);
        terminals.chain((0..self.nonterminals.len()).map(Label::Nonterminal))
    }

    fn factor(&self, label: Label) -> Option<&Factor> {
        match label {
            Label::Terminal(t) => Some(&self.terminals[t].factor),
            Label::Nonterminal(_) => None,
        }
    }

    fn place(&self, label: Label) -> String {
        match label {
            Label::Terminal(t) => keyed("grammar.terminals", &self.terminals[t].name),
            Label::Nonterminal(n) => keyed("grammar.nonterminals", &self.nonterminals[n].name),
        }
    }

    fn check_factor(&self, terminal: &Terminal) -> Result<(), FggError> {
        let fail = |what: String| {
            Err(FggError::invalid(keyed("interpretation.factors", &terminal.name), what))
        };
        let sizes = self.sizes(&terminal.domains);
        let finite = |numbers: &[f64]| numbers.iter().all(|x| x.is_finite());
        match &terminal.factor {
            Factor::Full(weights) => {
                if Some(weights.len()) != table_len(&sizes) {
                    return fail(format!("{} weights for a table {sizes:?}", weights.len()));
                }
                if !finite(weights) {
                    return fail("weights are finite numbers".into());
                }
            }
            Factor::Cpd(cpd) => {
                if cpd.matrices.is_empty() || cpd.matrices.len() != sizes.len() {
                    let (given, wanted) = (cpd.matrices.len(), sizes.len());
                    return fail(format!("{given} matrices for {wanted} attachments"));
                }
                for (k, (matrix, &size)) in cpd.matrices.iter().zip(&sizes).enumerate() {
                    if matrix.rows() != size || matrix.columns() != cpd.rank() || cpd.rank() == 0 {
                        return fail(format!(
                            "matrix {k} is {} x {}; expected {size} values x rank {}",
                            matrix.rows(),
                            matrix.columns(),
                            cpd.rank()
                        ));
                    }
                    if !finite(matrix.values()) {
                        return fail("weights are finite numbers".into());
                    }
                }
            }
            Factor::Is(value) => {
                if sizes.len() != 1 || *value >= sizes[0] {
                    return fail("a word's factor touches one node and names a value of it".into());
                }
            }
        }
        Ok(())
    }

    fn check_rule(&self, number: usize, rule: &Rule) -> Result<(), FggError> {
        let at = |part: &str| format!("grammar.rules[{number}]{part}");
        if rule.lhs >= self.nonterminals.len() {
            return Err(FggError::invalid(at(".lhs"), "there is no such nonterminal"));
        }
        if rule.nodes.iter().any(|&d| d >= self.domains.len()) {
            return Err(FggError::invalid(at(".rhs.nodes"), "there is no such domain"));
        }
        let fits = |nodes: &[usize], label: Label, place: String| {
            let expected = self.type_of(label);
            if nodes.len() != expected.len() {
                let (name, given, wanted) = (self.name(label), nodes.len(), expected.len());
                let what = format!("{given} nodes; `{name}` touches {wanted}");
                return Err(FggError::invalid(place, what));
            }
            for (k, (&node, &domain)) in nodes.iter().zip(expected).enumerate() {
                let place = format!("{place}[{k}]");
                match rule.nodes.get(node) {
                    None => {
                        let nodes = rule.nodes.len();
                        let what = format!("there is no node {node}; the rule has {nodes}");
                        return Err(FggError::invalid(place, what));
                    }
                    Some(&own) if own != domain => {
                        let (own, wanted) = (&self.domains[own].name, &self.domains[domain].name);
                        let name = self.name(label);
                        let what = format!("node {node} is `{own}`; `{name}` wants `{wanted}`");
                        return Err(FggError::invalid(place, what));
                    }
                    Some(_) => {}
                }
            }
            Ok(())
        };
        fits(&rule.externals, Label::Nonterminal(rule.lhs), at(".rhs.externals"))?;
        for (k, edge) in rule.edges.iter().enumerate() {
            let known = match edge.label {
                Label::Terminal(t) => t < self.terminals.len(),
                Label::Nonterminal(n) => n < self.nonterminals.len(),
            };
            if !known {
                return Err(FggError::invalid(at(&format!(".rhs.edges[{k}]")), "no such label"));
            }
            let place = at(&format!(".rhs.edges[{k}].attachments"));
            fits(&edge.attachments, edge.label, place)?;
        }
        rule.yields.as_ref().map_or(Ok(()), |items| check_yield(rule, items, &at(".yield")))
    }
}

/// Every nonterminal edge stands there once, words at most once.
fn check_yield(rule: &Rule, items: &[Item], at: &str) -> Result<(), FggError> {
    let mut nodes = vec![false; rule.nodes.len()];
    let mut edges = vec![false; rule.edges.len()];
    for (k, item) in items.iter().enumerate() {
        let fail = |what: String| Err(FggError::invalid(format!("{at}[{k}]"), what));
        let (seen, kind, number) = match *item {
            Item::Node(n) => (nodes.get_mut(n), "node", n),
            Item::Edge(e) => {
                if let Some(Edge { label: Label::Terminal(_), .. }) = rule.edges.get(e) {
                    return fail(format!("edge {e} is no nonterminal"));
                }
                (edges.get_mut(e), "edge", e)
            }
        };
        match seen {
            None => return fail(format!("there is no {kind} {number}")),
            Some(true) => return fail(format!("{kind} {number} is there twice")),
            Some(seen) => *seen = true,
        }
    }
    let left_out = rule
        .edges
        .iter()
        .zip(&edges)
        .position(|(edge, &seen)| !seen && matches!(edge.label, Label::Nonterminal(_)));
    match left_out {
        Some(edge) => Err(FggError::invalid(
            at,
            format!("edge {edge} is a nonterminal and has no place in the sentence"),
        )),
        None => Ok(()),
    }
}

/// A member of an object, as places are written.
pub(super) fn keyed(object: &str, key: &str) -> String {
    let plain = !key.is_empty() && key.chars().all(|c| c.is_alphanumeric() || c == '_');
    if plain { format!("{object}.{key}") } else { format!("{object}[{key:?}]") }
}

/// Entries of a table, where they are not too many.
pub(super) fn table_len(sizes: &[usize]) -> Option<usize> {
    let len = sizes.iter().try_fold(1usize, |len, &size| len.checked_mul(size))?;
    (len <= LARGEST).then_some(len)
}
