//! The table, the chart and the cards of a sweep as files.

use super::{Read, exports};
use crate::run::{Card, Column};
use crate::workbench::export;
use crate::workbench::popup::{Item, Popup};
use crate::workbench::screen::Context;
use crate::workbench::task::Task;
use std::path::Path;

/// Kind of the task and id of the popup.
pub const EXPORT: &str = "export-sweep";

const FORMATS: [(&str, &str); 4] = [
    ("CSV", "the table, one line a choice of values"),
    ("LaTeX", "the table, a tabular of the package booktabs"),
    ("SVG", "the figure that is drawn"),
    ("card", "the experiment card of the row under the cursor, in Markdown"),
];

pub fn popup() -> Popup {
    let item = |(name, description): (&str, &str)| Item {
        name: name.into(),
        description: description.into(),
    };
    Popup::List {
        id: EXPORT,
        title: "Export the sweep as".into(),
        items: FORMATS.into_iter().map(item).collect(),
        start: 0,
        free: false,
    }
}

/// Writes a format of [`FORMATS`]; an earlier file stays.
pub fn export(
    read: &Read,
    (at, axis): (usize, Option<usize>),
    column: Option<Column>,
    format: usize,
    context: &mut Context,
) {
    let Read { sweep, rows } = read;
    let folder = exports(sweep);
    let ready = match FORMATS.get(format).map(|(name, _)| *name) {
        Some("CSV") => Some(("table", "csv", sweep.csv(rows))),
        Some("LaTeX") => Some(("table", "tex", sweep.latex(rows))),
        Some("SVG") => {
            let drawn = axis.zip(column).and_then(|(axis, c)| sweep.plot(rows, axis, &[c]));
            drawn.map(|svg| ("figure", "svg", svg))
        }
        _ => {
            let Some(row) = rows.get(at) else { return };
            let group = row.group.clone();
            context.spawn(Task::new(EXPORT, "writing the card", move |_| {
                let card = card(&group)?;
                let stem = format!("card-{}", card.name);
                export::save_text(&folder, &stem, "md", card.text("config.toml").as_bytes())
            }));
            return;
        }
    };
    let Some((stem, extension, text)) = ready else {
        return context.status("nothing is drawn yet");
    };
    context.spawn(Task::new(EXPORT, "writing the sweep", move |_| {
        export::save_text(&folder, stem, extension, text.as_bytes())
    }));
}

pub fn card(group: &Path) -> Result<Card, String> {
    Card::of(group).map_err(|e| e.to_string())
}
