//! The listed symbols, or their alignment, to a file.

use super::Grammar;
use crate::analysis::listing::Kind;
use crate::analysis::tables::{Table, TableFormat, aligned_table, symbols_table};
use crate::workbench::export;
use crate::workbench::popup::{Answer, Item, Popup};
use crate::workbench::screen::{Context, Effect};
use crate::workbench::task::Task;

/// Id of the popup that asks for a format, and kind of the task that writes.
pub(super) const EXPORT: &str = "export";

const FORMATS: [(TableFormat, &str, &str, &str); 3] = [
    (TableFormat::Csv, "CSV", "csv", "one line a symbol, for spreadsheets and scripts"),
    (TableFormat::Json, "JSON", "json", "an object a symbol"),
    (TableFormat::Latex, "LaTeX", "tex", "a tabular of the package booktabs"),
];

impl Grammar {
    pub(super) fn ask_for_format(&self, context: &mut Context) {
        if self.order.is_empty() {
            return context.warn("no symbols are listed");
        }
        let what = if self.aligned_rows().is_some() { "alignment" } else { "symbols" };
        let item = |(_, name, _, description): (TableFormat, &str, &str, &str)| Item {
            name: name.into(),
            description: description.into(),
        };
        context.push(Effect::Popup(Popup::List {
            id: EXPORT,
            title: format!("Export the listed {what} as"),
            items: FORMATS.into_iter().map(item).collect(),
            start: 0,
            free: false,
        }));
    }

    /// The alignment, where it is in view and of the kind in view.
    fn aligned_rows(&self) -> Option<Table> {
        let (computed, compared) = (self.computed.as_ref()?, self.compared.as_ref()?);
        let matched = self.matched().filter(|m| self.aligned && !m.rows.is_empty())?;
        let other = match self.kind {
            Kind::Nonterminals => Kind::Nonterminals,
            Kind::Preterminals | Kind::States => Kind::of_words(&compared.symbols),
        };
        let sides = ((self.kind, &*computed.symbols), (other, &compared.symbols));
        Some(aligned_table(sides.0, sides.1, matched, &self.order))
    }

    /// Writes what is in view in the format that was chosen.
    pub(super) fn export(&self, answer: &Answer, context: &mut Context) {
        let Answer::Item(i) = answer else { return };
        let (Some(&(format, _, extension, _)), Some(computed)) = (FORMATS.get(*i), &self.computed)
        else {
            return;
        };
        let Some(run) = context.shared.run(computed.run) else { return };
        let folder = run.path.join(export::FOLDER);
        let (what, table) = match self.aligned_rows() {
            Some(table) => ("aligned", table),
            None => {
                let symbols = self.kind.of(&computed.symbols);
                ("symbols", symbols_table(self.kind, symbols, &self.order))
            }
        };
        let kind = self.kind.title().to_lowercase();
        let stem = format!("{kind}-{what}-step-{}", computed.weights.step);
        context.spawn(Task::new(EXPORT, "writing the symbols", move |_| {
            export::save_text(&folder, &stem, extension, table.to(format).as_bytes())
        }));
    }
}
