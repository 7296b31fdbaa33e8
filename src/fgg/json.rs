//! Grammars in JSON, in the format of the fggs library of Chiang and Riley with two additions: the
//! order of a rule's parts in a sentence (`yield`), and factors as matrices that share a rank
//! (`"function": "cpd"`). Every fault is told with its place in the file.

use super::error::FggError;
use super::grammar::{
    Cpd, Domain, Edge, Factor, Grammar, Item, Label, NO_VALUES, Nonterminal, Rule, Terminal, keyed,
    table_len,
};
use super::matrix::Matrix;
use serde_json::{Map, Value};
use std::collections::HashMap;

/// Bytes of a file, at most.
const LARGEST_FILE: usize = 1 << 28;

/// Format that is read and written.
pub(super) const SCHEMA: u64 = 1;

/// A grammar, and what in its file says nothing.
#[derive(Clone, Debug)]
pub struct Reading {
    pub grammar: Grammar,
    /// Keys that are not known, and factors without a terminal, with their place.
    pub notes: Vec<String>,
}

/// Reads a grammar.
///
/// # Errors
/// [`FggError::Json`] and [`FggError::Invalid`], which name the place and what was expected.
pub fn read(text: &str) -> Result<Reading, FggError> {
    if text.len() > LARGEST_FILE {
        let what = "the file".to_owned();
        return Err(FggError::TooLarge { at: "grammar".into(), what, bound: LARGEST_FILE });
    }
    // Nesting is bounded by the reader of JSON.
    let value: Value = serde_json::from_str(text).map_err(|e| FggError::Json(e.to_string()))?;
    let mut notes = Vec::new();
    let root = At { value: &value, place: String::new() };
    let file = root.object(&["schema", "grammar", "interpretation"], &mut notes)?;
    if let Some(schema) = file.find("schema") {
        let number = schema.number()?;
        if number as u64 > SCHEMA {
            return schema.fail(&format!("schema {SCHEMA}; a newer rankspace wrote this"));
        }
    }
    let known = ["terminals", "nonterminals", "start", "rules"];
    let grammar = file.get("grammar")?.object(&known, &mut notes)?;
    let interpretation = file.get("interpretation")?.object(&["domains", "factors"], &mut notes)?;

    let domains = domains(&interpretation.get("domains")?, &mut notes)?;
    let names = Names::new(domains.iter().map(|d| d.name.as_str()));
    let nonterminals: Vec<Nonterminal> = grammar
        .get("nonterminals")?
        .members()?
        .map(|(name, at)| Ok(Nonterminal { name, domains: label_type(&at, &names, &mut notes)? }))
        .collect::<Result<_, FggError>>()?;
    let factors = interpretation.get("factors")?;
    let factors = factors.any_object()?;
    let mut terminals = Vec::new();
    for (name, at) in grammar.get("terminals")?.members()? {
        let own = label_type(&at, &names, &mut notes)?;
        let sizes: Vec<usize> = own.iter().map(|&d| domains[d].values.len()).collect();
        let factor = factor(&factors.get(&name)?, &sizes, &mut notes)?;
        let factor = as_word(factor, &name, own.first().map(|&d| &domains[d]));
        terminals.push(Terminal { name, domains: own, factor });
    }
    let unused = factors.map.keys().filter(|key| terminals.iter().all(|t| t.name != **key));
    notes.extend(
        unused.map(|key| {
            format!("{}: no terminal has this name", keyed("interpretation.factors", key))
        }),
    );
    let labels = Labels::new(&terminals, &nonterminals);
    let start = grammar.get("start")?;
    let start = labels.nonterminal(&start)?;
    let mut rules = Vec::new();
    for at in grammar.get("rules")?.list()? {
        rules.push(rule(&at, &names, &labels, &mut notes)?);
    }
    let grammar = Grammar::new(domains, terminals, nonterminals, start, rules)?;
    Ok(Reading { grammar, notes })
}

/// A value with its place in the file.
struct At<'a> {
    value: &'a Value,
    place: String,
}

struct Object<'a> {
    map: &'a Map<String, Value>,
    place: String,
}

impl<'a> At<'a> {
    fn fail<T>(&self, expected: &str) -> Result<T, FggError> {
        let what = format!("expected {expected}, found {}", kind(self.value));
        let place = if self.place.is_empty() { "the file" } else { &self.place };
        Err(FggError::invalid(place, what))
    }

    fn any_object(&self) -> Result<Object<'a>, FggError> {
        match self.value {
            Value::Object(map) => Ok(Object { map, place: self.place.clone() }),
            _ => self.fail("an object"),
        }
    }

    /// An object; keys beside the known ones are noted.
    fn object(&self, known: &[&str], notes: &mut Vec<String>) -> Result<Object<'a>, FggError> {
        let object = self.any_object()?;
        for key in object.map.keys().filter(|key| !known.contains(&key.as_str())) {
            let place = member(&self.place, key);
            let alike = |k: &&&str| strsim::jaro_winkler(key, k);
            let nearest = known.iter().filter(|k| alike(k) > 0.85);
            let nearest = nearest.max_by(|a, b| alike(a).total_cmp(&alike(b)));
            let hint = nearest.map_or_else(String::new, |k| format!(", did you mean `{k}`?"));
            notes.push(format!("{place}: this key is not known and says nothing{hint}"));
        }
        Ok(object)
    }

    /// All members of an object.
    fn members(&self) -> Result<impl Iterator<Item = (String, At<'a>)>, FggError> {
        let Object { map, place } = self.any_object()?;
        Ok(map
            .iter()
            .map(move |(key, value)| (key.clone(), At { value, place: member(&place, key) })))
    }

    fn list(&self) -> Result<Vec<At<'a>>, FggError> {
        match self.value {
            Value::Array(list) => Ok(list
                .iter()
                .enumerate()
                .map(|(i, value)| At { value, place: format!("{}[{i}]", self.place) })
                .collect()),
            _ => self.fail("a list"),
        }
    }

    fn string(&self) -> Result<&'a str, FggError> {
        self.value.as_str().map_or_else(|| self.fail("a name in quotes"), Ok)
    }

    fn number(&self) -> Result<f64, FggError> {
        match self.value.as_f64() {
            Some(number) if number.is_finite() => Ok(number),
            _ => self.fail("a finite number"),
        }
    }

    fn index(&self) -> Result<usize, FggError> {
        let whole = self.value.as_u64().and_then(|n| usize::try_from(n).ok());
        whole.map_or_else(|| self.fail("a whole number from 0"), Ok)
    }
}

impl<'a> Object<'a> {
    fn find(&self, key: &str) -> Option<At<'a>> {
        let value = self.map.get(key)?;
        Some(At { value, place: member(&self.place, key) })
    }

    fn get(&self, key: &str) -> Result<At<'a>, FggError> {
        self.find(key).ok_or_else(|| {
            let place = if self.place.is_empty() { "the file" } else { &self.place };
            FggError::invalid(place, format!("`{key}` is missing"))
        })
    }
}

fn member(object: &str, key: &str) -> String {
    if object.is_empty() { key.to_owned() } else { keyed(object, key) }
}

/// What a value is, as it is told: short whatever it holds.
fn kind(value: &Value) -> String {
    match value {
        Value::Null => "null".into(),
        Value::Bool(b) => b.to_string(),
        Value::Number(n) => n.to_string(),
        Value::String(s) if s.chars().count() <= 30 => format!("{s:?}"),
        Value::String(_) => "a long string".into(),
        Value::Array(list) => format!("a list of {}", list.len()),
        Value::Object(map) => format!("an object of {}", map.len()),
    }
}

/// Numbers by name.
struct Names<'a>(HashMap<&'a str, usize>);

impl<'a> Names<'a> {
    fn new(names: impl Iterator<Item = &'a str>) -> Names<'a> {
        Names(names.enumerate().map(|(number, name)| (name, number)).collect())
    }

    fn find(&self, at: &At<'_>, what: &str) -> Result<usize, FggError> {
        let name = at.string()?;
        let known = self.0.get(name).copied();
        known.ok_or_else(|| FggError::invalid(&at.place, format!("there is no {what} `{name}`")))
    }
}

struct Labels<'a>(HashMap<&'a str, Label>);

impl<'a> Labels<'a> {
    fn new(terminals: &'a [Terminal], nonterminals: &'a [Nonterminal]) -> Labels<'a> {
        let terminals = terminals.iter().enumerate();
        let terminals = terminals.map(|(i, t)| (t.name.as_str(), Label::Terminal(i)));
        let nonterminals = nonterminals.iter().enumerate();
        let nonterminals = nonterminals.map(|(i, n)| (n.name.as_str(), Label::Nonterminal(i)));
        Labels(terminals.chain(nonterminals).collect())
    }

    fn find(&self, at: &At<'_>) -> Result<Label, FggError> {
        let name = at.string()?;
        let known = self.0.get(name).copied();
        let what = || format!("there is no terminal or nonterminal `{name}`");
        known.ok_or_else(|| FggError::invalid(&at.place, what()))
    }

    fn nonterminal(&self, at: &At<'_>) -> Result<usize, FggError> {
        match self.find(at)? {
            Label::Nonterminal(number) => Ok(number),
            Label::Terminal(_) => at.fail("a nonterminal"),
        }
    }
}

fn domains(at: &At<'_>, notes: &mut Vec<String>) -> Result<Vec<Domain>, FggError> {
    let mut domains = Vec::new();
    for (name, at) in at.members()? {
        let object = at.object(&["class", "values"], notes)?;
        let class = object.get("class")?;
        if class.string()? != "finite" {
            return class.fail("\"finite\"");
        }
        let value = |at: At<'_>| match at.value {
            Value::String(text) => Ok(text.clone()),
            Value::Number(_) | Value::Bool(_) => Ok(at.value.to_string()),
            _ => at.fail("a value: a string or a number"),
        };
        let values = object.get("values")?.list()?.into_iter().map(value);
        let values: Vec<String> = values.collect::<Result<_, _>>()?;
        if values.is_empty() {
            return Err(FggError::invalid(at.place, NO_VALUES));
        }
        domains.push(Domain { name, values });
    }
    Ok(domains)
}

fn label_type(
    at: &At<'_>,
    domains: &Names<'_>,
    notes: &mut Vec<String>,
) -> Result<Vec<usize>, FggError> {
    let object = at.object(&["type"], notes)?;
    object.get("type")?.list()?.iter().map(|at| domains.find(at, "domain")).collect()
}

fn factor(at: &At<'_>, sizes: &[usize], notes: &mut Vec<String>) -> Result<Factor, FggError> {
    let object = at.object(&["function", "weights", "matrices"], notes)?;
    let function = object.get("function")?;
    match function.string()? {
        "finite" => {
            let weights = object.get("weights")?;
            if table_len(sizes).is_none() {
                let what = format!("a table {sizes:?}");
                let bound = super::grammar::LARGEST;
                return Err(FggError::TooLarge { at: weights.place, what, bound });
            }
            let mut table = Vec::new();
            nested(&weights, sizes, &mut table)?;
            Ok(Factor::Full(table))
        }
        "cpd" => {
            let matrices = object.get("matrices")?;
            let list = matrices.list()?;
            if list.len() != sizes.len() || list.is_empty() {
                let wanted = sizes.len().max(1);
                return matrices.fail(&format!("a list of {wanted}, a matrix an attachment"));
            }
            let rank = rank_of(&list[0])?;
            let matrix = |(at, &rows): (&At<'_>, &usize)| {
                let mut values = Vec::new();
                nested(at, &[rows, rank], &mut values)?;
                Ok(Matrix::new(rows, rank, values))
            };
            let matrices = list.iter().zip(sizes).map(matrix).collect::<Result<_, FggError>>()?;
            Ok(Factor::Cpd(Cpd { matrices }))
        }
        _ => function.fail("\"finite\" or \"cpd\""),
    }
}

/// Columns of the first row of a matrix.
fn rank_of(at: &At<'_>) -> Result<usize, FggError> {
    match at.list()?.first() {
        None => at.fail("a matrix with rows"),
        Some(row) => match row.list()?.len() {
            0 => row.fail("a row with at least one number"),
            rank => Ok(rank),
        },
    }
}

/// Nested lists of these lengths, row-major; a number where there is no length.
fn nested(at: &At<'_>, sizes: &[usize], to: &mut Vec<f64>) -> Result<(), FggError> {
    let Some((&size, inner)) = sizes.split_first() else {
        to.push(at.number()?);
        return Ok(());
    };
    let list = match at.value {
        Value::Array(list) if list.len() == size => list,
        _ => return at.fail(&format!("a list of {size}")),
    };
    // Most values are numbers: a place is only made for what is wrong.
    for (i, value) in list.iter().enumerate() {
        match (inner.is_empty(), value.as_f64()) {
            (true, Some(number)) if number.is_finite() => to.push(number),
            _ => nested(&At { value, place: format!("{}[{i}]", at.place) }, inner, to)?,
        }
    }
    Ok(())
}

/// What a conjoined grammar calls the factor of a word is that factor, also when read again.
fn as_word(factor: Factor, name: &str, domain: Option<&Domain>) -> Factor {
    let (Factor::Full(weights), Some(domain)) = (&factor, domain) else { return factor };
    let Some(word) = name.strip_prefix("is:") else { return factor };
    let with_domain = word.strip_prefix(&format!("{}:", domain.name));
    let place = domain.values.iter().position(|v| v == word || Some(v.as_str()) == with_domain);
    match place {
        Some(place)
            if weights.len() == domain.values.len()
                && weights.iter().enumerate().all(|(i, &w)| w == f64::from(i == place)) =>
        {
            Factor::Is(place)
        }
        _ => factor,
    }
}

fn rule(
    at: &At<'_>,
    domains: &Names<'_>,
    labels: &Labels<'_>,
    notes: &mut Vec<String>,
) -> Result<Rule, FggError> {
    let object = at.object(&["lhs", "rhs", "yield"], notes)?;
    let lhs = labels.nonterminal(&object.get("lhs")?)?;
    let rhs = object.get("rhs")?.object(&["nodes", "edges", "externals"], notes)?;
    let mut nodes = Vec::new();
    for at in rhs.get("nodes")?.list()? {
        let node = at.object(&["label", "id"], notes)?;
        nodes.push(domains.find(&node.get("label")?, "domain")?);
    }
    let indices = |at: At<'_>| at.list()?.iter().map(At::index).collect::<Result<Vec<_>, _>>();
    let mut edges = Vec::new();
    for at in rhs.get("edges")?.list()? {
        let edge = at.object(&["label", "attachments", "id"], notes)?;
        let label = labels.find(&edge.get("label")?)?;
        edges.push(Edge { label, attachments: indices(edge.get("attachments")?)? });
    }
    let externals = indices(rhs.get("externals")?)?;
    let yields = match object.find("yield") {
        None => None,
        Some(at) => Some(at.list()?.iter().map(item).collect::<Result<_, _>>()?),
    };
    Ok(Rule { lhs, nodes, edges, externals, yields })
}

fn item(at: &At<'_>) -> Result<Item, FggError> {
    let object = at.any_object()?;
    match (object.find("node"), object.find("edge"), object.map.len()) {
        (Some(node), None, 1) => Ok(Item::Node(node.index()?)),
        (None, Some(edge), 1) => Ok(Item::Edge(edge.index()?)),
        _ => at.fail("{\"node\": number} or {\"edge\": number}"),
    }
}
