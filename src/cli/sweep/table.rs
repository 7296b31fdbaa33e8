//! The table of a sweep: on the terminal, as JSON, CSV, LaTeX and a chart.

use crate::checkpoint::write_atomically;
use crate::cli::members::say;
use crate::evaluation::Spread;
use crate::render::{Axis, Plot, PlotPoint, Series, plot_to_svg};
use crate::run::{Sweep, SweepRow};
use anyhow::{Context, Result};
use serde_json::{Value, json};
use std::io::Write;

const SPLITS: [&str; 2] = ["dev", "test"];

/// Figures with the words for them; of language models only the last ones are known.
const FIGURES: [(&str, &str); 4] = [
    ("s_f1", "S-F1"),
    ("c_f1", "C-F1"),
    ("perplexity", "perplexity"),
    ("log_likelihood", "log-likelihood"),
];

/// Values that differ by this factor are drawn on a logarithmic axis.
const RATIO: f64 = 8.0;

fn print(sweep: &Sweep, rows: &[SweepRow], out: &mut dyn Write) -> Result<()> {
    let columns = columns(rows);
    let mut table = vec![header(sweep, &columns)];
    for row in rows {
        let mut cells = row.values.clone();
        cells.push(format!("{}/{}", row.finished, row.seeds));
        cells.extend(columns.iter().map(|(split, key, _)| cell(row.figure(split, key), "±")));
        cells.push(row.seconds.map_or("-".into(), |s| format!("{:.0}", s.mean)));
        table.push(cells);
    }
    let width = |i: usize| table.iter().map(|row| row[i].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..table[0].len()).map(width).collect();
    writeln!(out)?;
    for row in &table {
        let cells = row.iter().zip(&widths).map(|(cell, width)| format!("{cell:>width$}"));
        writeln!(out, "{}", cells.collect::<Vec<_>>().join("  ").trim_end())?;
    }
    Ok(())
}

/// Prints the table and writes the files of the sweep's folder.
pub fn tell(sweep: &Sweep, json: bool, out: &mut dyn Write) -> Result<()> {
    let rows = sweep.rows();
    match json {
        true => {
            serde_json::to_writer(&mut *out, &object(sweep, &rows))?;
            writeln!(out)?;
        }
        false => print(sweep, &rows, out)?,
    }
    let files = [("table.csv", Some(csv(sweep, &rows))), ("table.tex", Some(latex(sweep, &rows)))];
    for (name, text) in files.into_iter().chain([("figure.svg", chart(sweep, &rows))]) {
        if let Some(text) = text {
            let path = sweep.path().join(name);
            let shown = || format!("{}", path.display());
            write_atomically(&path, text.as_bytes()).with_context(shown)?;
            say(&format!("written to {}", path.display()), json, out)?;
        }
    }
    Ok(())
}

/// Split, key and name of every figure that some row has.
type Column = (&'static str, &'static str, String);

fn columns(rows: &[SweepRow]) -> Vec<Column> {
    let all = SPLITS.into_iter().flat_map(|split| FIGURES.map(|(key, name)| (split, key, name)));
    let known = all.filter(|(split, key, _)| rows.iter().any(|r| r.figure(split, key).is_some()));
    known.map(|(split, key, name)| (split, key, format!("{split} {name}"))).collect()
}

fn header(sweep: &Sweep, columns: &[Column]) -> Vec<String> {
    let keys = sweep.varied().iter().map(|varied| varied.short().to_owned());
    let figures = columns.iter().map(|(_, _, name)| name.clone());
    keys.chain(["seeds".to_owned()]).chain(figures).chain(["seconds".to_owned()]).collect()
}

fn cell(spread: Option<Spread>, sign: &str) -> String {
    match spread {
        Some(Spread { mean, sd: Some(sd), .. }) => format!("{mean:.2} {sign} {sd:.2}"),
        Some(Spread { mean, .. }) => format!("{mean:.2}"),
        None => "-".into(),
    }
}

fn object(sweep: &Sweep, rows: &[SweepRow]) -> Value {
    let keys: Vec<&str> = sweep.varied().iter().map(|varied| varied.key.as_str()).collect();
    let row = |row: &SweepRow| {
        let values = keys.iter().zip(&row.values);
        let values = values.map(|(key, value)| ((*key).to_owned(), json!(value)));
        let mut object = json!({
            "values": serde_json::Map::from_iter(values),
            "finished": row.finished,
            "seeds": row.seeds,
            "seconds": row.seconds,
        });
        for (split, spreads) in &row.spread {
            object[*split] = json!(spreads);
        }
        object
    };
    json!({
        "sweep": sweep.path().display().to_string(),
        "points": rows.iter().map(row).collect::<Vec<_>>(),
    })
}

/// One line a point; a figure has its mean, its deviation (empty for one seed) and nothing where it
/// is not known.
fn csv(sweep: &Sweep, rows: &[SweepRow]) -> String {
    let columns = columns(rows);
    let quoted = |text: &str| match text.contains(['"', ',', '\n']) {
        true => format!("\"{}\"", text.replace('"', "\"\"")),
        false => text.to_owned(),
    };
    let mut head: Vec<String> = sweep.varied().iter().map(|varied| quoted(&varied.key)).collect();
    head.extend(["finished".into(), "seeds".into()]);
    for (split, key, _) in &columns {
        head.extend([format!("{split}_{key}"), format!("{split}_{key}_sd")]);
    }
    head.push("seconds".into());
    let mut text = head.join(",") + "\n";
    for row in rows {
        let mut cells: Vec<String> = row.values.iter().map(|value| quoted(value)).collect();
        cells.extend([row.finished.to_string(), row.seeds.to_string()]);
        for (split, key, _) in &columns {
            let spread = row.figure(split, key);
            let number = |x: Option<f64>| x.map_or(String::new(), |x| x.to_string());
            cells.push(number(spread.map(|s| s.mean)));
            cells.push(number(spread.and_then(|s| s.sd)));
        }
        cells.push(row.seconds.map_or(String::new(), |s| format!("{:.1}", s.mean)));
        text.push_str(&(cells.join(",") + "\n"));
    }
    text
}

fn latex(sweep: &Sweep, rows: &[SweepRow]) -> String {
    let escaped = |text: &str| {
        let mut out = String::new();
        for c in text.chars() {
            match c {
                '#' | '$' | '%' | '&' | '_' | '{' | '}' => out.extend(['\\', c]),
                '\\' => out.push_str("\\textbackslash{}"),
                '~' => out.push_str("\\textasciitilde{}"),
                '^' => out.push_str("\\textasciicircum{}"),
                _ => out.push(c),
            }
        }
        out
    };
    let columns = columns(rows);
    let keys = sweep.varied();
    let alignment = "r".repeat(keys.len() + columns.len());
    let head = keys.iter().map(|varied| escaped(varied.short()));
    let head: Vec<String> = head.chain(columns.iter().map(|(_, _, name)| escaped(name))).collect();
    let mut text = format!("\\begin{{tabular}}{{{alignment}}}\n\\toprule\n");
    text.push_str(&format!("{} \\\\\n\\midrule\n", head.join(" & ")));
    for row in rows {
        let values = row.values.iter().map(|value| escaped(value));
        let figures = columns.iter().map(|(split, key, _)| cell(row.figure(split, key), "$\\pm$"));
        let cells: Vec<String> = values.chain(figures).collect();
        text.push_str(&format!("{} \\\\\n", cells.join(" & ")));
    }
    text.push_str("\\bottomrule\n\\end{tabular}\n");
    text
}

/// The figure that models are compared by, against the first varied setting.
fn chart(sweep: &Sweep, rows: &[SweepRow]) -> Option<String> {
    let has_trees = sweep.config().model.family.has_trees();
    let has_f1 = rows.iter().any(|row| row.figure("dev", "s_f1").is_some());
    let (key, name) = FIGURES[if has_trees && has_f1 { 0 } else { 2 }];
    let mut series = Vec::new();
    for split in SPLITS {
        for curve in sweep.curves(rows, split, key)? {
            let point = |(x, spread): &(f64, Spread)| PlotPoint {
                x: *x,
                y: spread.mean,
                spread: spread.sd,
            };
            let points: Vec<PlotPoint> = curve.points.iter().map(point).collect();
            let name = match curve.name.is_empty() {
                true => split.to_owned(),
                false => format!("{split}, {}", curve.name),
            };
            if !points.is_empty() {
                series.push(Series { name, points });
            }
        }
    }
    if series.is_empty() {
        return None;
    }
    let values = || series.iter().flat_map(|s: &Series| s.points.iter().map(|p| p.x));
    let least = values().fold(f64::INFINITY, f64::min);
    let greatest = values().fold(f64::NEG_INFINITY, f64::max);
    let logarithmic = least > 0.0 && greatest / least >= RATIO;
    let key = &sweep.varied()[0].key;
    Some(plot_to_svg(&Plot {
        title: format!("{name} by {key}"),
        x: Axis { label: key.clone(), logarithmic },
        y: Axis { label: name.into(), logarithmic: false },
        series,
    }))
}
