//! The table of a sweep: on the terminal, as JSON, CSV, LaTeX and a chart.

use crate::checkpoint::write_atomically;
use crate::cli::members::say;
use crate::run::{Column, Sweep, SweepRow};
use anyhow::{Context, Result};
use serde_json::{Value, json};
use std::io::Write;

fn print(sweep: &Sweep, rows: &[SweepRow], out: &mut dyn Write) -> Result<()> {
    let columns = Column::known(rows);
    let best: Vec<Option<usize>> = columns.iter().map(|column| column.best(rows)).collect();
    let mut table = vec![header(sweep, &columns)];
    for (i, row) in rows.iter().enumerate() {
        let mut cells = row.values.clone();
        cells.push(format!("{}/{}", row.finished(), row.seeds));
        cells.extend(columns.iter().zip(&best).map(|(column, best)| {
            let mark = if *best == Some(i) { "*" } else { " " };
            format!("{}{mark}", column.cell(row, "±"))
        }));
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
    if best.iter().any(Option::is_some) {
        writeln!(out, "*: the best mean of its column")?;
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
    let files = [("table.csv", Some(sweep.csv(&rows))), ("table.tex", Some(sweep.latex(&rows)))];
    for (name, text) in files.into_iter().chain([("figure.svg", sweep.svg(&rows))]) {
        if let Some(text) = text {
            let path = sweep.path().join(name);
            let shown = || format!("{}", path.display());
            write_atomically(&path, text.as_bytes()).with_context(shown)?;
            say(&format!("written to {}", path.display()), json, out)?;
        }
    }
    Ok(())
}

fn header(sweep: &Sweep, columns: &[Column]) -> Vec<String> {
    let keys = sweep.varied().iter().map(|varied| varied.short().to_owned());
    // A blank for the mark of the best.
    let figures = columns.iter().map(|column| format!("{} ", column.title()));
    keys.chain(["seeds".to_owned()]).chain(figures).chain(["seconds".to_owned()]).collect()
}

fn object(sweep: &Sweep, rows: &[SweepRow]) -> Value {
    let keys: Vec<&str> = sweep.varied().iter().map(|varied| varied.key.as_str()).collect();
    let row = |row: &SweepRow| {
        let values = keys.iter().zip(&row.values);
        let values = values.map(|(key, value)| ((*key).to_owned(), json!(value)));
        let mut object = json!({
            "values": serde_json::Map::from_iter(values),
            "finished": row.finished(),
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
