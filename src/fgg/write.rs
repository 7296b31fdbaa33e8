//! Grammars as JSON text that reads back to the same grammar.

use super::grammar::{Factor, Grammar, Item};
use super::json::SCHEMA;
use super::matrix::Matrix;
use serde_json::{Map, Value, json};

/// Columns of a line that is not broken further.
const WIDTH: usize = 100;

/// The grammar in the format that [`super::read`] takes, laid out for people.
pub fn to_json(grammar: &Grammar) -> String {
    let mut text = String::new();
    lay_out(&value(grammar), 0, &mut text);
    text.push('\n');
    text
}

fn value(grammar: &Grammar) -> Value {
    let names = |domains: &[usize]| -> Vec<&str> {
        domains.iter().map(|&d| grammar.domains()[d].name.as_str()).collect()
    };
    let terminals = grammar.terminals().iter();
    let factors = terminals.clone().map(|t| {
        let sizes = grammar.sizes(&t.domains);
        (t.name.clone(), factor(&t.factor, &sizes))
    });
    let factors: Map<String, Value> = factors.collect();
    let terminals = terminals.map(|t| (t.name.clone(), json!({"type": names(&t.domains)})));
    let terminals: Map<String, Value> = terminals.collect();
    let nonterminals = grammar.nonterminals().iter();
    let nonterminals = nonterminals.map(|n| (n.name.clone(), json!({"type": names(&n.domains)})));
    let nonterminals: Map<String, Value> = nonterminals.collect();
    let domains = grammar.domains().iter();
    let domains = domains
        .map(|d| (d.name.clone(), json!({"class": "finite", "values": d.values})))
        .collect::<Map<String, Value>>();
    let rules: Vec<Value> = grammar.rules().iter().map(|r| rule(grammar, r)).collect();
    json!({
        "schema": SCHEMA,
        "grammar": {
            "terminals": terminals,
            "nonterminals": nonterminals,
            "start": grammar.nonterminals()[grammar.start()].name,
            "rules": rules,
        },
        "interpretation": {"domains": domains, "factors": factors},
    })
}

fn rule(grammar: &Grammar, rule: &super::grammar::Rule) -> Value {
    let nodes = rule.nodes.iter().map(|&d| json!({"label": grammar.domains()[d].name}));
    let nodes: Vec<Value> = nodes.collect();
    let edges = rule
        .edges
        .iter()
        .map(|e| json!({"label": grammar.name(e.label), "attachments": e.attachments}));
    let edges: Vec<Value> = edges.collect();
    let mut object = json!({
        "lhs": grammar.nonterminals()[rule.lhs].name,
        "rhs": {"nodes": nodes, "edges": edges, "externals": rule.externals},
    });
    if let Some(items) = &rule.yields {
        object["yield"] = items
            .iter()
            .map(|item| match item {
                Item::Node(node) => json!({"node": node}),
                Item::Edge(edge) => json!({"edge": edge}),
            })
            .collect();
    }
    object
}

fn factor(factor: &Factor, sizes: &[usize]) -> Value {
    match factor {
        Factor::Full(weights) => json!({"function": "finite", "weights": nested(weights, sizes)}),
        Factor::Is(value) => {
            let weights: Vec<f64> = (0..sizes[0]).map(|i| f64::from(i == *value)).collect();
            json!({"function": "finite", "weights": weights})
        }
        Factor::Cpd(cpd) => {
            let matrices: Vec<Value> = cpd.matrices.iter().map(rows).collect();
            json!({"function": "cpd", "matrices": matrices})
        }
    }
}

/// A matrix as a list of rows.
pub(super) fn rows(matrix: &Matrix) -> Value {
    nested(matrix.values(), &[matrix.rows(), matrix.columns()])
}

fn nested(values: &[f64], sizes: &[usize]) -> Value {
    match sizes.split_first() {
        None => values[0].into(),
        Some((_, [])) => values.into(),
        Some((&size, inner)) => {
            values.chunks_exact(values.len() / size).map(|part| nested(part, inner)).collect()
        }
    }
}

/// On one line where it fits, else a member a line.
fn lay_out(value: &Value, indent: usize, to: &mut String) {
    let compact = value.to_string();
    let pad = " ".repeat(indent + 1);
    let (open, close, members): (_, _, Vec<(String, &Value)>) = match value {
        Value::Object(map) if indent == 0 || compact.len() + indent > WIDTH => {
            let key = |k: &String| format!("{}: ", Value::from(k.as_str()));
            ('{', '}', map.iter().map(|(k, v)| (key(k), v)).collect())
        }
        Value::Array(list) if compact.len() + indent > WIDTH && list.iter().any(is_long) => {
            ('[', ']', list.iter().map(|v| (String::new(), v)).collect())
        }
        _ => return to.push_str(&compact),
    };
    to.push(open);
    for (number, (key, value)) in members.into_iter().enumerate() {
        to.push_str(if number == 0 { "\n" } else { ",\n" });
        to.push_str(&pad);
        to.push_str(&key);
        lay_out(value, indent + 1, to);
    }
    to.push('\n');
    to.push_str(&pad[1..]);
    to.push(close);
}

/// Whether a member of a list deserves a line of its own.
fn is_long(value: &Value) -> bool {
    value.is_array() || value.is_object()
}
