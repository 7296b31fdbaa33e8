//! Lists, tables and trees to files.

use super::Rerank;
use super::book::Book;
use crate::rerank::{Judged, tree_lines};
use crate::treebank::candidates::{ListFormat, write_list};
use crate::workbench::export::{self, Format};
use crate::workbench::popup::{Item, Popup};
use crate::workbench::screen::{Context, Effect};
use crate::workbench::task::Task;
use std::fmt::Write;

/// What is written of all lists; trees of the candidate in view follow.
const WHOLE: [(&str, &str); 3] = [
    ("lists", "JSON lines for `rerank` and `candidates`"),
    ("table", "CSV: all candidates with ranks, scores and F1"),
    ("chosen trees", "chosen by the reranker or the base, one a line"),
];

impl Rerank {
    pub(super) fn ask_for_format(&self, context: &mut Context) {
        if self.book.is_none() {
            return context.warn("there is nothing to write yet");
        }
        let item = |name: &str, description: &str| Item {
            name: name.to_owned(),
            description: description.to_owned(),
        };
        let mut items: Vec<Item> = WHOLE.iter().map(|(name, about)| item(name, about)).collect();
        if self.panes.diagram.is_some() {
            let tree = |format: &Format| {
                let (name, about) = format.name_and_use();
                item(&format!("tree in view: {name}"), about)
            };
            items.extend(Format::ALL.iter().map(tree));
        }
        let title = "Export".into();
        context.push(Effect::Popup(Popup::List {
            id: "rerank-export",
            title,
            items,
            start: 0,
            free: false,
        }));
    }

    pub(super) fn export(&self, item: usize, context: &mut Context) {
        let (Some(book), Some(loaded)) = (self.book.clone(), &self.loaded) else { return };
        let folder = context.shared.runs_folder.with_file_name("exports");
        let name = loaded.source.name();
        let stem = loaded.source.stem();
        if let Some(tree) = item.checked_sub(WHOLE.len()) {
            let (Some(format), Some(diagram)) = (Format::ALL.get(tree), self.panes.diagram.clone())
            else {
                return;
            };
            let number = self.sentence().unwrap_or(0) + 1;
            let stem = format!("{stem}-sentence-{number}-candidate-{}", self.candidate + 1);
            return context.spawn(Task::new("export", "writing the tree", move |_| {
                export::save(&folder, &stem, *format, &diagram)
            }));
        }
        context.spawn(Task::new("export", format!("writing {name}"), move |_| match item {
            0 => export::save_text(&folder, &format!("{stem}-lists"), "jsonl", &lists(&book)?),
            1 => {
                export::save_text(&folder, &format!("{stem}-table"), "csv", table(&book).as_bytes())
            }
            _ => {
                let what = if book.ranked.is_some() { "reranked" } else { "base" };
                export::save_text(&folder, &format!("{stem}-{what}"), "mrg", &trees(&book))
            }
        }));
    }
}

fn lists(book: &Book) -> Result<Vec<u8>, String> {
    let mut text = Vec::new();
    for list in book.lists.iter() {
        write_list(&list.list, ListFormat::Jsonl, &mut text).map_err(|e| e.to_string())?;
    }
    Ok(text)
}

/// The choices one a line.
fn trees(book: &Book) -> Vec<u8> {
    tree_lines(&book.lists, |i| book.choice(i))
}

/// Every candidate; what there is no reranker or gold tree for is empty.
pub(super) fn table(book: &Book) -> String {
    let mut text = String::from(
        "sentence,id,words,base_rank,rank,chosen,log_prob,score,margin,f1,oracle,anti_oracle,tree\n",
    );
    let optional = |value: Option<f64>| value.map(|value| value.to_string()).unwrap_or_default();
    let flag = |is: bool| u8::from(is);
    for (i, list) in book.lists.iter().enumerate() {
        let Judged { list: sentence, .. } = list;
        let id = field(sentence.id.as_deref().unwrap_or_default());
        for (k, candidate) in sentence.candidates.iter().enumerate() {
            let score = book.ranked.as_ref().map(|ranked| ranked.scored[i].scores[k]);
            let rank = book.rank(i, k).map(|rank| (rank + 1).to_string()).unwrap_or_default();
            let row = writeln!(
                text,
                "{},{id},{},{},{rank},{},{},{},{},{},{},{},{}",
                i + 1,
                sentence.words.len(),
                k + 1,
                flag(book.choice(i) == Some(k)),
                candidate.log_prob,
                optional(score),
                optional(book.margin(i, k)),
                optional(book.f1(i, k)),
                flag(book.oracle(i) == Some(k)),
                flag(book.worst(i) == Some(k)),
                field(&candidate.tree.to_string()),
            );
            row.expect("a string takes all");
        }
    }
    text
}

/// A field of CSV, quoted where it must be (RFC 4180). One that a spreadsheet would take for a
/// formula is text all the same, behind a quotation mark.
fn field(text: &str) -> String {
    let guard = if text.starts_with(['=', '+', '-', '@']) { "'" } else { "" };
    match text.contains([',', '"', '\n', '\r']) {
        true => format!("\"{guard}{}\"", text.replace('"', "\"\"")),
        false => format!("{guard}{text}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_quoted_where_they_must_be() {
        assert_eq!(field("dev-1"), "dev-1");
        assert_eq!(field("(S (, ,))"), "\"(S (, ,))\"");
        assert_eq!(field("(`` \")"), "\"(`` \"\")\"");
        assert_eq!(field("=1+1"), "'=1+1");
    }
}
