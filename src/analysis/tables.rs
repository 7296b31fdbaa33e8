//! Symbols as tables, for files and plain terminals: CSV, JSON, LaTeX and columns of text.

use super::listing::Kind;
use super::{Matched, SymbolStatistics, Symbols};
use crate::render::escape_latex;
use serde_json::{Map, Value, json};
use unicode_width::UnicodeWidthStr;

/// One cell.
#[derive(Clone, Debug, PartialEq)]
pub enum Cell {
    Text(String),
    Count(u64),
    /// With so many decimals for people; files for programs have more.
    Number(f64, usize),
    Empty,
}

/// Rows below names.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Table {
    pub columns: Vec<&'static str>,
    pub rows: Vec<Vec<Cell>>,
}

/// A format that tables are written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TableFormat {
    Text,
    Csv,
    Json,
    Latex,
}

impl Cell {
    fn text(&self) -> String {
        match self {
            Cell::Text(text) => text.clone(),
            Cell::Count(n) => n.to_string(),
            Cell::Number(x, decimals) => format!("{x:.decimals$}"),
            Cell::Empty => String::new(),
        }
    }

    fn value(&self) -> Value {
        match self {
            Cell::Text(text) => json!(text),
            Cell::Count(n) => json!(n),
            Cell::Number(x, _) => json!((x * 1e6).round() / 1e6),
            Cell::Empty => Value::Null,
        }
    }

    fn is_text(&self) -> bool {
        matches!(self, Cell::Text(_))
    }
}

impl Table {
    /// The table in a format, with its last line end.
    pub fn to(&self, format: TableFormat) -> String {
        match format {
            TableFormat::Text => self.text(),
            TableFormat::Csv => self.csv(),
            TableFormat::Json => self.json().to_string() + "\n",
            TableFormat::Latex => self.latex(),
        }
    }

    /// Columns apart by two blanks, numbers to the right; the last column is not filled up.
    fn text(&self) -> String {
        let cells: Vec<Vec<String>> =
            self.rows.iter().map(|row| row.iter().map(Cell::text).collect()).collect();
        let width = |i: usize| {
            let widths = cells.iter().filter_map(|row| Some(row.get(i)?.width()));
            widths.max().unwrap_or(0).max(self.columns[i].width())
        };
        let widths: Vec<usize> = (0..self.columns.len()).map(width).collect();
        let left = |i: usize| self.rows.iter().any(|row| row.get(i).is_some_and(Cell::is_text));
        let left: Vec<bool> = (0..self.columns.len()).map(left).collect();
        let line = |row: &mut dyn Iterator<Item = &str>| {
            let mut line = String::new();
            for (i, cell) in row.enumerate() {
                let blanks = " ".repeat(widths[i].saturating_sub(cell.width()));
                let gap = if i > 0 { "  " } else { "" };
                match left[i] {
                    true => line.extend([gap, cell, &blanks]),
                    false => line.extend([gap, &blanks, cell]),
                }
            }
            line.trim_end().to_owned() + "\n"
        };
        let mut text = line(&mut self.columns.iter().copied());
        for row in &cells {
            text.push_str(&line(&mut row.iter().map(String::as_str)));
        }
        text
    }

    /// RFC 4180, with a line of names.
    fn csv(&self) -> String {
        let quoted = |text: String| match text.contains(['"', ',', '\n', '\r']) {
            true => format!("\"{}\"", text.replace('"', "\"\"")),
            false => text,
        };
        let mut text = self.columns.join(",") + "\n";
        for row in &self.rows {
            let cells = row.iter().map(|cell| match cell {
                Cell::Number(..) => cell.value().to_string(),
                _ => quoted(cell.text()),
            });
            text.push_str(&(cells.collect::<Vec<_>>().join(",") + "\n"));
        }
        text
    }

    /// An object a row.
    pub fn json(&self) -> Value {
        let row = |row: &Vec<Cell>| -> Value {
            let cells = self.columns.iter().zip(row);
            cells
                .map(|(name, cell)| ((*name).to_owned(), cell.value()))
                .collect::<Map<_, _>>()
                .into()
        };
        self.rows.iter().map(row).collect()
    }

    /// A `tabular` of the package booktabs.
    fn latex(&self) -> String {
        let left = |i: usize| self.rows.iter().any(|row| row.get(i).is_some_and(Cell::is_text));
        let alignment: String =
            (0..self.columns.len()).map(|i| if left(i) { 'l' } else { 'r' }).collect();
        let line = |cells: Vec<String>| cells.join(" & ") + " \\\\\n";
        let mut text = format!("\\begin{{tabular}}{{{alignment}}}\n\\toprule\n");
        text.push_str(&line(self.columns.iter().map(|name| escape_latex(name)).collect()));
        text.push_str("\\midrule\n");
        for row in &self.rows {
            text.push_str(&line(row.iter().map(|cell| escape_latex(&cell.text())).collect()));
        }
        text.push_str("\\bottomrule\n\\end{tabular}\n");
        text
    }
}

/// A row for each symbol that is listed: how much it is used, what it covers (in percent) and its
/// most frequent yield.
pub fn symbols_table(kind: Kind, symbols: &[SymbolStatistics], order: &[usize]) -> Table {
    let total: f64 = symbols.iter().map(|s| s.expected).sum();
    let row = |&i: &usize| {
        let s = &symbols[i];
        let [gold, recall, purity] = match s.gold.first() {
            Some(cover) => [
                Cell::Text(cover.label.to_string()),
                Cell::Number(100.0 * cover.recall, 1),
                Cell::Number(100.0 * cover.purity, 1),
            ],
            None => [const { Cell::Empty }; 3],
        };
        let yields = s.yields.first().map_or(Cell::Empty, |y| Cell::Text(y.words.clone()));
        vec![
            Cell::Text(kind.name_of(i)),
            Cell::Number(s.expected, 1),
            Cell::Number(100.0 * s.expected / total.max(f64::MIN_POSITIVE), 1),
            Cell::Count(u64::from(s.decoded)),
            Cell::Count(s.sentences.len() as u64),
            gold,
            recall,
            purity,
            yields,
        ]
    };
    Table {
        columns: vec![
            "symbol",
            "expected",
            "percent",
            "in_trees",
            "sentences",
            "gold",
            "recall",
            "purity",
            "yield",
        ],
        rows: order.iter().map(row).collect(),
    }
}

/// A row for each symbol that is listed: what it is in another grammar, with what both cover.
pub fn aligned_table(
    (kind, one): (Kind, &Symbols),
    (other_kind, other): (Kind, &Symbols),
    matched: &Matched,
    order: &[usize],
) -> Table {
    let gold = |statistics: Option<&SymbolStatistics>| match statistics.and_then(|s| s.gold.first())
    {
        Some(cover) => [Cell::Text(cover.label.to_string()), Cell::Number(100.0 * cover.purity, 1)],
        None => [const { Cell::Empty }; 2],
    };
    let row = |&i: &usize| {
        let aligned = &matched.rows[i];
        let nearest = aligned.nearest.iter();
        let nearest: Vec<String> =
            nearest.map(|(s, n)| format!("{} {n}", other_kind.name_of(*s))).collect();
        let mut row = vec![Cell::Text(kind.name_of(i)), Cell::Count(u64::from(aligned.count))];
        row.extend(gold(kind.of(one).get(i)));
        match aligned.partner {
            Some(partner) => {
                row.push(Cell::Text(other_kind.name_of(partner.symbol)));
                row.push(Cell::Count(u64::from(partner.count)));
                row.extend(gold(other_kind.of(other).get(partner.symbol)));
                row.push(Cell::Count(u64::from(partner.shared)));
                row.push(Cell::Number(100.0 * aligned.f1(), 1));
            }
            None => row.extend([const { Cell::Empty }; 6]),
        }
        row.push(Cell::Text(nearest.join("; ")));
        row
    };
    Table {
        columns: vec![
            "symbol",
            "count",
            "gold",
            "purity",
            "partner",
            "partner_count",
            "partner_gold",
            "partner_purity",
            "shared",
            "f1",
            "shared_with",
        ],
        rows: order.iter().map(row).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::{Aligned, GoldCover, Partner, Yield};

    fn statistics(expected: f64, label: &str, words: &str) -> SymbolStatistics {
        SymbolStatistics {
            expected,
            decoded: 3,
            yields: vec![Yield { words: words.into(), count: 2 }],
            gold: vec![GoldCover {
                label: label.into(),
                count: 2,
                recall: 0.25,
                purity: 2.0 / 3.0,
            }],
            sentences: vec![0, 4],
        }
    }

    fn table() -> Table {
        let unused = SymbolStatistics::default();
        let all =
            [statistics(1.5, "NP", "the \"dog\", too"), unused, statistics(4.5, "A_B", "ran")];
        symbols_table(Kind::Nonterminals, &all, &[2, 0, 1])
    }

    #[test]
    fn symbols_are_written_as_columns_csv_json_and_latex() {
        assert_eq!(
            table().to(TableFormat::Text),
            "symbol  expected  percent  in_trees  sentences  gold  recall  purity  yield\n\
             N2           4.5     75.0         3          2  A_B     25.0    66.7  ran\n\
             N0           1.5     25.0         3          2  NP      25.0    66.7  the \"dog\", too\n\
             N1           0.0      0.0         0          0\n"
        );
        assert_eq!(
            table().to(TableFormat::Csv),
            "symbol,expected,percent,in_trees,sentences,gold,recall,purity,yield\n\
             N2,4.5,75.0,3,2,A_B,25.0,66.666667,ran\n\
             N0,1.5,25.0,3,2,NP,25.0,66.666667,\"the \"\"dog\"\", too\"\n\
             N1,0.0,0.0,0,0,,,,\n"
        );
        let json = table().json();
        assert_eq!((&json[0]["gold"], &json[2]["gold"]), (&json!("A_B"), &Value::Null));
        let latex = table().to(TableFormat::Latex);
        assert!(latex.starts_with("\\begin{tabular}{lrrrrlrrl}\n\\toprule\nsymbol & expected"));
        assert!(latex.contains("N2 & 4.5 & 75.0 & 3 & 2 & A\\_B & 25.0 & 66.7 & ran \\\\\n"));
    }

    #[test]
    fn partners_stand_beside_each_other_with_what_both_cover() {
        let one = Symbols {
            nonterminals: vec![statistics(1.0, "NP", "a"), statistics(2.0, "VP", "b")],
            ..Symbols::default()
        };
        let other =
            Symbols { preterminals: vec![statistics(1.0, "PP", "c")], ..Symbols::default() };
        let row = |partner| Aligned { count: 3, partner, nearest: vec![(0, 2)] };
        let partner = Partner { symbol: 0, count: 5, shared: 2 };
        let matched = Matched { rows: vec![row(Some(partner)), row(None)], ..Matched::default() };
        let sides = ((Kind::Nonterminals, &one), (Kind::States, &other));
        let text = aligned_table(sides.0, sides.1, &matched, &[0, 1]).to(TableFormat::Csv);
        let lines: Vec<&str> = text.lines().skip(1).collect();
        assert_eq!(lines[0], "N0,3,NP,66.666667,S0,5,PP,66.666667,2,50.0,S0 2");
        assert_eq!(lines[1], "N1,3,VP,66.666667,,,,,,,S0 2");
    }
}
