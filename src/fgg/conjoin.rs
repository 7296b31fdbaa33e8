//! Conjunction of a grammar with a sentence: nonterminals get spans, words their places.

use super::error::FggError;
use super::grammar::{Edge, Factor, Grammar, Item, Label, Nonterminal, Rule, Terminal};
use std::collections::{BTreeSet, HashMap};

/// Rules of a conjoined grammar, at most.
const MOST_RULES: usize = 400_000;

/// Spans that are looked at, at most: of every rule.
const MOST_SPANS: usize = 1 << 28;

/// A grammar whose derivations are those that yield one sentence.
#[derive(Clone, Debug)]
pub struct Conjoined {
    /// Its terminals are those of the grammar, then a factor for every distinct word.
    pub grammar: Grammar,
    /// The rule of the grammar that each rule was.
    pub origins: Vec<usize>,
}

/// A rule at a place: where its items begin, and the end of the last.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Placed {
    rule: usize,
    start: usize,
    end: usize,
    cuts: Vec<usize>,
}

/// Keeps the rules that are reachable and can end.
///
/// # Errors
/// [`FggError::NoYield`], [`FggError::UnknownWord`], [`FggError::TooManyRules`], and
/// [`FggError::Invalid`] for a rule that does not say where its nonterminals go.
pub fn conjoin(grammar: &Grammar, sentence: &[&str]) -> Result<Conjoined, FggError> {
    conjoin_within(grammar, sentence, MOST_RULES)
}

/// [`conjoin`] with a bound of rules.
pub(super) fn conjoin_within(
    grammar: &Grammar,
    sentence: &[&str],
    most_rules: usize,
) -> Result<Conjoined, FggError> {
    let search = Search::new(grammar, sentence, most_rules)?;
    let rules = search.reachable()?;
    Ok(search.build(rules))
}

/// A span `[start, end)` of a nonterminal.
type Spanned = (usize, usize, usize);

struct Search<'a> {
    grammar: &'a Grammar,
    sentence: &'a [&'a str],
    /// What every rule yields.
    items: Vec<&'a [Item]>,
    rules_of: Vec<Vec<usize>>,
    /// The value of every word in every domain that has it.
    values: Vec<HashMap<usize, usize>>,
    /// Whether a nonterminal can cover a span: by nonterminal, start and end.
    covers: Vec<Vec<Vec<bool>>>,
    most_rules: usize,
}

impl<'a> Search<'a> {
    fn new(
        grammar: &'a Grammar,
        sentence: &'a [&'a str],
        most_rules: usize,
    ) -> Result<Search<'a>, FggError> {
        if grammar.rules().iter().all(|rule| rule.yields.is_none()) {
            return Err(FggError::NoYield);
        }
        let mut items: Vec<&[Item]> = Vec::with_capacity(grammar.rules().len());
        for (number, rule) in grammar.rules().iter().enumerate() {
            items.push(match &rule.yields {
                Some(own) => own,
                None if rule.nonterminals().next().is_none() => &[],
                None => {
                    let at = format!("grammar.rules[{number}]");
                    let what = "has nonterminals and no `yield`, their order in a sentence";
                    return Err(FggError::invalid(at, what));
                }
            });
        }
        let values = word_values(grammar, &items, sentence)?;
        let places = sentence.len() + 1;
        let spans = places.checked_mul(places).and_then(|n| n.checked_mul(items.len()));
        if spans.is_none_or(|spans| spans > MOST_SPANS) {
            let what = format!("the spans of {} words", sentence.len());
            return Err(FggError::TooLarge { at: "the sentence".into(), what, bound: MOST_SPANS });
        }
        let covers = vec![vec![vec![false; places]; places]; grammar.nonterminals().len()];
        let rules_of = grammar.rules_by_nonterminal();
        let mut search = Search { grammar, sentence, items, rules_of, values, covers, most_rules };
        search.find_spans();
        Ok(search)
    }

    fn domain(&self, rule: usize, node: usize) -> usize {
        self.grammar.rules()[rule].nodes[node]
    }

    fn child(&self, rule: usize, edge: usize) -> usize {
        match self.grammar.rules()[rule].edges[edge].label {
            Label::Nonterminal(child) => child,
            Label::Terminal(_) => unreachable!("the grammar has checked what stands in a yield"),
        }
    }

    /// Whether an item can take the words between two places.
    fn item_covers(&self, rule: usize, item: Item, from: usize, to: usize) -> bool {
        match item {
            Item::Node(node) => {
                let domain = self.domain(rule, node);
                to == from + 1 && self.values[from].contains_key(&domain)
            }
            Item::Edge(edge) => self.covers[self.child(rule, edge)][from][to],
        }
    }

    /// The places at which an item can end that begins at one of some places.
    fn item_ends(&self, rule: usize, item: Item, from: &[bool], ends: &mut Vec<bool>) {
        let places = self.sentence.len() + 1;
        ends.clear();
        ends.resize(places, false);
        for at in (0..places).filter(|&at| from[at]) {
            match item {
                Item::Node(_) => {
                    if at + 1 < places && self.item_covers(rule, item, at, at + 1) {
                        ends[at + 1] = true;
                    }
                }
                Item::Edge(edge) => {
                    let own = &self.covers[self.child(rule, edge)][at];
                    ends.iter_mut().zip(own).for_each(|(end, &own)| *end |= own);
                }
            }
        }
    }

    /// From right to left, and at each start until nothing new comes: a span depends on spans that
    /// start there or later.
    fn find_spans(&mut self) {
        let (mut reached, mut next) = (Vec::new(), Vec::new());
        for start in (0..=self.sentence.len()).rev() {
            let mut grows = true;
            while grows {
                grows = false;
                for rule in 0..self.items.len() {
                    reached.clear();
                    reached.resize(self.sentence.len() + 1, false);
                    reached[start] = true;
                    for &item in self.items[rule] {
                        self.item_ends(rule, item, &reached, &mut next);
                        std::mem::swap(&mut reached, &mut next);
                    }
                    let own = &mut self.covers[self.grammar.rules()[rule].lhs][start];
                    for (own, &new) in own.iter_mut().zip(&reached) {
                        grows |= new && !*own;
                        *own |= new;
                    }
                }
            }
        }
    }

    /// All rules at all places below the start symbol over the whole sentence, in the order of the
    /// grammar's rules, then from left to right.
    fn reachable(&self) -> Result<Vec<Placed>, FggError> {
        let whole: Spanned = (self.grammar.start(), 0, self.sentence.len());
        let mut known = BTreeSet::from([whole]);
        let mut open = vec![whole];
        let mut found = Vec::new();
        while let Some((nonterminal, start, end)) = open.pop() {
            for &rule in &self.rules_of[nonterminal] {
                let ways = self.cuts(rule, start, end)?;
                if found.len() + ways.len() > self.most_rules {
                    let sentence = self.sentence.len();
                    return Err(FggError::TooManyRules { sentence, bound: self.most_rules });
                }
                for cuts in ways {
                    for (k, &item) in self.items[rule].iter().enumerate() {
                        if let Item::Edge(edge) = item {
                            let to = cuts.get(k + 1).copied().unwrap_or(end);
                            let below = (self.child(rule, edge), cuts[k], to);
                            if known.insert(below) {
                                open.push(below);
                            }
                        }
                    }
                    found.push(Placed { rule, start, end, cuts });
                }
            }
        }
        found.sort_unstable();
        Ok(found)
    }

    /// All ways to cut a span for the items of a rule: where each begins.
    fn cuts(&self, rule: usize, start: usize, end: usize) -> Result<Vec<Vec<usize>>, FggError> {
        let items = self.items[rule];
        // Where each item can begin, from the left, and so that those from it on reach the end.
        let mut begins: Vec<Vec<usize>> = Vec::with_capacity(items.len() + 1);
        let mut reached = vec![false; self.sentence.len() + 1];
        reached[start] = true;
        for &item in items {
            begins.push((start..=end).filter(|&at| reached[at]).collect());
            let mut next = Vec::new();
            self.item_ends(rule, item, &reached, &mut next);
            reached = next;
        }
        begins.push(if reached[end] { vec![end] } else { Vec::new() });
        for (k, &item) in items.iter().enumerate().rev() {
            let [own, next] = &mut begins[k..=k + 1] else { continue };
            own.retain(|&at| next.iter().any(|&to| self.item_covers(rule, item, at, to)));
        }
        if begins[0] != [start] {
            return Ok(Vec::new());
        }
        let mut ways = vec![(start, Vec::new())];
        for (k, &item) in items.iter().enumerate() {
            let mut longer = Vec::new();
            for (from, way) in ways {
                let fits = |&&to: &&usize| self.item_covers(rule, item, from, to);
                for &to in begins[k + 1].iter().filter(fits) {
                    longer.push((to, way.iter().copied().chain([from]).collect()));
                }
                if longer.len() > self.most_rules {
                    let sentence = self.sentence.len();
                    return Err(FggError::TooManyRules { sentence, bound: self.most_rules });
                }
            }
            ways = longer;
        }
        Ok(ways.into_iter().map(|(_, way)| way).collect())
    }

    fn build(&self, placed: Vec<Placed>) -> Conjoined {
        let whole = (self.grammar.start(), 0, self.sentence.len());
        let mut spanned: BTreeSet<Spanned> = BTreeSet::from([whole]);
        for p in &placed {
            spanned.insert((self.grammar.rules()[p.rule].lhs, p.start, p.end));
        }
        let numbers: HashMap<Spanned, usize> =
            spanned.iter().enumerate().map(|(number, &span)| (span, number)).collect();
        let nonterminal = |&(n, i, j): &Spanned| {
            let own = &self.grammar.nonterminals()[n];
            Nonterminal { name: format!("{}@{i},{j}", own.name), domains: own.domains.clone() }
        };
        let mut terminals = self.grammar.terminals().to_vec();
        let mut words = HashMap::new();
        let rules = placed.iter().map(|p| self.rule(p, &numbers, &mut terminals, &mut words));
        let rules = rules.collect();
        let grammar = Grammar::assembled(
            self.grammar.domains().to_vec(),
            terminals,
            spanned.iter().map(nonterminal).collect(),
            numbers[&whole],
            rules,
        );
        Conjoined { grammar, origins: placed.into_iter().map(|p| p.rule).collect() }
    }

    fn rule(
        &self,
        placed: &Placed,
        numbers: &HashMap<Spanned, usize>,
        terminals: &mut Vec<Terminal>,
        words: &mut HashMap<(usize, usize), usize>,
    ) -> Rule {
        let Placed { rule, start, end, ref cuts } = *placed;
        let mut own = self.grammar.rules()[rule].clone();
        own.lhs = numbers[&(own.lhs, start, end)];
        own.yields = None;
        for (k, &item) in self.items[rule].iter().enumerate() {
            match item {
                Item::Edge(edge) => {
                    let to = cuts.get(k + 1).copied().unwrap_or(end);
                    let below = (self.child(rule, edge), cuts[k], to);
                    own.edges[edge].label = Label::Nonterminal(numbers[&below]);
                }
                Item::Node(node) => {
                    let domain = own.nodes[node];
                    let value = self.values[cuts[k]][&domain];
                    let terminal = *words.entry((domain, value)).or_insert_with(|| {
                        let name = self.word_name(terminals, domain, value);
                        let factor = Factor::Is(value);
                        terminals.push(Terminal { name, domains: vec![domain], factor });
                        terminals.len() - 1
                    });
                    let label = Label::Terminal(terminal);
                    own.edges.push(Edge { label, attachments: vec![node] });
                }
            }
        }
        own
    }

    /// `is:WORD`; with its domain, and as many more of it as needed, where that name is taken.
    fn word_name(&self, terminals: &[Terminal], domain: usize, value: usize) -> String {
        let domain = &self.grammar.domains()[domain];
        let mut name = format!("is:{}", domain.values[value]);
        let taken = |name: &str| {
            terminals.iter().any(|t| t.name == name) || self.grammar.nonterminal(name).is_some()
        };
        while taken(&name) {
            name = format!("is:{}:{}", domain.name, &name["is:".len()..]);
        }
        name
    }
}

/// The value of every word in every domain of word nodes that has it.
fn word_values(
    grammar: &Grammar,
    items: &[&[Item]],
    sentence: &[&str],
) -> Result<Vec<HashMap<usize, usize>>, FggError> {
    let nodes = grammar.rules().iter().zip(items).flat_map(|(rule, items)| {
        items.iter().filter_map(|item| match item {
            Item::Node(node) => Some(rule.nodes[*node]),
            Item::Edge(_) => None,
        })
    });
    let domains: BTreeSet<usize> = nodes.collect();
    let index = |domain: usize| {
        let values = grammar.domains()[domain].values.iter().enumerate();
        (domain, values.map(|(i, v)| (v.as_str(), i)).collect::<HashMap<_, _>>())
    };
    let indices: Vec<_> = domains.iter().map(|&d| index(d)).collect();
    let mut values = Vec::with_capacity(sentence.len());
    for (position, word) in sentence.iter().enumerate() {
        let own: HashMap<usize, usize> =
            indices.iter().filter_map(|(d, index)| Some((*d, *index.get(word)?))).collect();
        if own.is_empty() {
            let known = indices.iter().flat_map(|(_, index)| index.keys());
            // The first of those most alike, whatever the order of the table.
            let mut known: Vec<&str> = known.copied().collect();
            known.sort_unstable();
            let alike = |w: &&str| strsim::jaro_winkler(word, w);
            let nearest = known.into_iter().filter(|w| alike(w) > 0.8);
            let nearest = nearest.max_by(|a, b| alike(a).total_cmp(&alike(b)).then(b.cmp(a)));
            return Err(FggError::UnknownWord {
                word: (*word).to_owned(),
                position: position + 1,
                nearest: nearest.map(str::to_owned),
            });
        }
        values.push(own);
    }
    Ok(values)
}
