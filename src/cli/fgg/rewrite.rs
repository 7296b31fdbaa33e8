//! `fgg rewrite`: a grammar in rank space, as equations or as numbers.

use super::args::Rewrite;
use super::{conjoined, load};
use crate::fgg::{self, Derived, Matrix, Part};
use anyhow::{Context, Result};
use serde_json::{Value, json};
use std::io::Write;

/// Columns and rows of a matrix whose numbers are shown.
const SHOWN: usize = 8;

pub fn run(args: &Rewrite, out: &mut dyn Write) -> Result<()> {
    let loaded = load(&args.file)?;
    let grammar = match &args.sentence {
        Some(sentence) => conjoined(&loaded, sentence)?,
        None => loaded.grammar,
    };
    let derived = fgg::derive(&grammar).with_context(|| loaded.name.clone())?;
    if args.json {
        serde_json::to_writer(&mut *out, &object(&derived))?;
        writeln!(out)?;
        return Ok(());
    }
    writeln!(out, "Rules, each over a rank node")?;
    let width = derived.rules.iter().map(|rule| rule.shown.chars().count()).max().unwrap_or(0);
    for rule in &derived.rules {
        let mut parts: Vec<String> = Vec::new();
        parts.extend(rule.head.as_ref().map(|u| format!("U = {}", u.name)));
        let several = rule.slots.len() > 1;
        parts.extend(rule.slots.iter().enumerate().map(|(k, v)| match several {
            true => format!("V{} = {}", k + 1, v.name),
            false => format!("V = {}", v.name),
        }));
        parts.extend(rule.weights.as_ref().map(|c| format!("c = {}", c.name)));
        let (number, shown, rank) = (rule.rule, &rule.shown, rule.rank);
        writeln!(out, "{number:3}  {shown:width$}  rank {rank:<4} {}", parts.join("   "))?;
    }
    writeln!(out, "\nNew factors")?;
    if derived.products.is_empty() {
        writeln!(out, "  none")?;
    }
    for product in &derived.products {
        let [v, u] = product.of.each_ref().map(|name| grouped(name));
        let (rows, columns) = (product.rows, product.columns);
        writeln!(out, "  {} = {v}ᵀ {u}   {rows} x {columns}", product.name)?;
        if let [only] = &product.values[..] {
            numbers(only, out)?;
        }
    }
    writeln!(out, "\nMessages over ranks")?;
    for equation in &derived.equations {
        writeln!(out, "  {equation}")?;
    }
    Ok(())
}

/// In brackets where it is made of several.
fn grouped(name: &str) -> String {
    if name.contains(' ') { format!("({name})") } else { name.to_owned() }
}

fn numbers(matrix: &Matrix, out: &mut dyn Write) -> Result<()> {
    if matrix.rows() > SHOWN || matrix.columns() > SHOWN {
        return Ok(());
    }
    for row in 0..matrix.rows() {
        let row: Vec<String> = matrix.row(row).iter().map(|x| format!("{x:9.6}")).collect();
        writeln!(out, "      {}", row.join(" "))?;
    }
    Ok(())
}

fn object(derived: &Derived) -> Value {
    let rule = |rule: &fgg::DerivedRule| {
        json!({
            "rule": rule.rule,
            "shown": rule.shown,
            "rank": rule.rank,
            "u": rule.head.as_ref().map(part),
            "v": rule.slots.iter().map(part).collect::<Vec<_>>(),
            "c": rule.weights.as_ref().map(part),
        })
    };
    let product = |product: &fgg::Product| {
        json!({
            "name": product.name,
            "v": product.of[0],
            "u": product.of[1],
            "rows": product.rows,
            "columns": product.columns,
            "values": values(&product.values),
        })
    };
    json!({
        "rules": derived.rules.iter().map(rule).collect::<Vec<_>>(),
        "factors": derived.products.iter().map(product).collect::<Vec<_>>(),
        "messages": derived.equations,
    })
}

fn part(part: &Part) -> Value {
    json!({
        "name": part.name,
        "rows": part.rows,
        "columns": part.columns,
        "values": values(&part.values),
    })
}

/// One matrix for every choice of words; null where they were too many.
fn values(matrices: &[Matrix]) -> Value {
    let rows = |m: &Matrix| (0..m.rows()).map(|row| json!(m.row(row))).collect::<Value>();
    match matrices.is_empty() {
        true => Value::Null,
        false => matrices.iter().map(rows).collect(),
    }
}
