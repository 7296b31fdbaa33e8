//! What was measured: tables and charts for people, CSV, SVG and JSON.

use super::fit::Fit;
use super::picture::{self, Kind};
use super::{CURVES, Panel, Row, fits, memory_fits};
use crate::checkpoint::write_atomically;
use crate::inference::order::Order;
use anyhow::{Context, Result};
use serde_json::{Value, json};
use std::io::Write;
use std::path::Path;

/// Tables and charts of time and memory.
pub fn print(panel: &Panel, out: &mut dyn Write) -> Result<()> {
    writeln!(
        out,
        "{}: milliseconds of a sentence, the least of {} timings",
        panel.title(),
        panel.repeats
    )?;
    let names = CURVES.map(|(task, order)| format!("{} {}", task.name(), order.name()));
    let fitted = std::array::from_fn::<_, 4, _>(|curve| fits(panel, curve));
    let milliseconds =
        |row: &Row, curve: usize| row.seconds[curve].map(|s| format!("{:.3}", 1e3 * s));
    table(panel, &names, &fitted, milliseconds, out)?;
    write!(out, "{}", picture::of_terminal(panel, Kind::Time))?;
    let memory = Order::ALL.map(|order| memory_fits(panel, order));
    if memory.iter().any(Option::is_some) {
        writeln!(
            out,
            "\n{}: megabytes of inside and outside beside the parameters",
            panel.title()
        )?;
        let names = Order::ALL.map(|order| order.name().to_owned());
        let megabytes =
            |row: &Row, order: usize| row.bytes[order].map(|b| format!("{:.3}", 1e-6 * b));
        table(panel, &names, &memory, megabytes, out)?;
        write!(out, "{}", picture::of_terminal(panel, Kind::Memory))?;
    }
    Ok(writeln!(out)?)
}

/// A row for each size, and below the exponents of the columns.
fn table(
    panel: &Panel,
    names: &[String],
    fitted: &[Option<(Fit, f64)>],
    cell: impl Fn(&Row, usize) -> Option<String>,
    out: &mut dyn Write,
) -> Result<()> {
    let head: String = names.iter().map(|name| format!("  {name:>15}")).collect();
    writeln!(out, "{:>9}{head}", panel.axis.name())?;
    for row in &panel.rows {
        let cell = |i| cell(row, i).unwrap_or_else(|| "-".into());
        let cells: String = (0..names.len()).map(|i| format!("  {:>15}", cell(i))).collect();
        writeln!(out, "{:>9}{cells}", row.size)?;
    }
    let line = |name: &str, of: &dyn Fn(&(Fit, f64)) -> String| {
        let cells = fitted.iter().map(|f| f.as_ref().map_or_else(|| "-".into(), of));
        let cells: String = cells.map(|cell| format!("  {cell:>15}")).collect();
        format!("{name:>9}{cells}")
    };
    let measured = |(fit, _): &(Fit, f64)| match fit.error {
        Some(error) => format!("{} ± {error:.2}", rounded(fit.exponent)),
        None => rounded(fit.exponent),
    };
    writeln!(out, "{}", line("exponent", &measured))?;
    writeln!(out, "{}", line("predicted", &|(_, predicted)| rounded(*predicted)))?;
    if let Some((Fit { range: (from, to), .. }, _)) = fitted.iter().flatten().next() {
        let axis = panel.axis.name();
        // Of few sizes none can be left out.
        let all = match panel.rows.first().is_some_and(|row| row.size as f64 > from - 0.5) {
            true => ", all sizes: constant costs of small ones count",
            false => "",
        };
        writeln!(
            out,
            "exponents: least squares of the logarithms, {axis} from {from:.0} to {to:.0}{all}"
        )?;
    }
    Ok(())
}

/// Two digits; a nought has no sign.
fn rounded(x: f64) -> String {
    let text = format!("{x:.2}");
    if text == "-0.00" { "0.00".into() } else { text }
}

/// Writes the table and the charts of all panels; files of an earlier call for fewer panels are
/// this command's own.
pub fn write(panels: &[Panel], folder: &Path) -> Result<()> {
    let mut files = vec![
        ("scaling.csv".to_owned(), csv(panels)),
        ("exponents.csv".to_owned(), exponents(panels)),
    ];
    for panel in panels {
        let stem = format!("{}-{}", panel.family.name(), panel.axis.name());
        files.push((format!("{stem}.svg"), picture::svg(panel, Kind::Time)));
        if panel.rows.iter().any(|row| row.bytes.iter().any(Option::is_some)) {
            files.push((format!("{stem}-memory.svg"), picture::svg(panel, Kind::Memory)));
        }
    }
    for (name, text) in files {
        let path = folder.join(name);
        write_atomically(&path, text.as_bytes()).with_context(|| format!("{}", path.display()))?;
    }
    Ok(())
}

/// One line a point and task.
fn csv(panels: &[Panel]) -> String {
    let mut text = "family,against,length,states,rank,task,order,seconds,operations,\
                    bytes,predicted_bytes\n"
        .to_owned();
    for panel in panels {
        for row in &panel.rows {
            for (curve, (task, order)) in CURVES.into_iter().enumerate() {
                let point = panel.point(row, order);
                let number = |x: Option<f64>| x.map_or(String::new(), |x| x.to_string());
                let (length, states, rank) = (row.sizes.length, row.sizes.states, row.sizes.rank);
                text.push_str(&format!(
                    "{},{},{length},{states},{rank},{},{},{},{},{},{}\n",
                    panel.family.name(),
                    panel.axis.name(),
                    task.name(),
                    order.name(),
                    number(row.seconds[curve]),
                    point.operations(task),
                    number(row.bytes[order as usize]),
                    point.bytes(),
                ));
            }
        }
    }
    text
}

/// One line a curve.
fn exponents(panels: &[Panel]) -> String {
    let mut text = "family,against,of,task,order,from,to,exponent,error,predicted\n".to_owned();
    for panel in panels {
        let (family, axis) = (panel.family.name(), panel.axis.name());
        for (what, task, order, fit) in all_fits(panel) {
            let Some((Fit { exponent, error, range: (from, to) }, predicted)) = fit else {
                continue;
            };
            let error = error.map_or(String::new(), |error| error.to_string());
            text.push_str(&format!(
                "{family},{axis},{what},{task},{order},{from:.0},{to:.0},{exponent},{error},{predicted}\n"
            ));
        }
    }
    text
}

/// What was fitted, with the names of its curve.
type Named = (&'static str, &'static str, &'static str, Option<(Fit, f64)>);

fn all_fits(panel: &Panel) -> Vec<Named> {
    let times = CURVES
        .into_iter()
        .enumerate()
        .map(|(curve, (task, order))| ("seconds", task.name(), order.name(), fits(panel, curve)));
    let memory =
        Order::ALL.map(|order| ("bytes", "parse", order.name(), memory_fits(panel, order)));
    times.chain(memory).collect()
}

pub fn object(panels: &[Panel]) -> Value {
    let panel = |panel: &Panel| {
        let mut points = Vec::new();
        for row in &panel.rows {
            for (curve, (task, order)) in CURVES.into_iter().enumerate() {
                let point = panel.point(row, order);
                points.push(json!({
                    "length": row.sizes.length,
                    "states": row.sizes.states,
                    "rank": row.sizes.rank,
                    "task": task.name(),
                    "order": order.name(),
                    "seconds": row.seconds[curve],
                    "operations": point.operations(task),
                    "bytes": row.bytes[order as usize],
                    "predicted_bytes": point.bytes(),
                }));
            }
        }
        let fit = |(what, task, order, fit): Named| {
            let (fit, predicted) = fit?;
            Some(json!({
                "of": what,
                "task": task,
                "order": order,
                "from": fit.range.0.round(),
                "to": fit.range.1.round(),
                "exponent": fit.exponent,
                "error": fit.error,
                "predicted": predicted,
            }))
        };
        json!({
            "family": panel.family.name(),
            "against": panel.axis.name(),
            "repeats": panel.repeats,
            "points": points,
            "exponents": all_fits(panel).into_iter().filter_map(fit).collect::<Vec<_>>(),
        })
    };
    json!({ "panels": panels.iter().map(panel).collect::<Vec<_>>() })
}
