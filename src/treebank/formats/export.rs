//! NEGRA export, versions 3 and 4: a word or phrase a line, `word [lemma] tag morphology edge
//! parent`, then pairs of secondary edge and parent, then a remark after `%%`.

use super::super::graph::{Graph, GraphFault, GraphNode};
use super::super::notation::{IMPLIED_ROOT, atom};
use super::super::{Interner, Place, Problem, Tree};
use super::lines::Lines;
use crate::report::counted;
use std::collections::{HashMap, HashSet};
use std::io::BufRead;
use std::sync::Arc;

/// What stands where there is nothing to say.
const NOTHING: &str = "--";

/// Reads the sentences of an export file.
#[derive(Debug)]
pub(super) struct ExportReader<R> {
    lines: Lines<R>,
    interner: Interner,
    /// 3 or 4, where a `#FORMAT` line says so.
    version: Option<u8>,
    /// A sentence that was begun before the last one ended.
    begun: Option<Begun>,
    in_stray: bool,
    anything: bool,
}

/// What the `#BOS` line says.
#[derive(Debug)]
struct Begun {
    place: Place,
    name: Arc<str>,
}

/// A line of a sentence.
#[derive(Debug)]
struct Row {
    line: u32,
    /// The word, or the number of a phrase with its `#`.
    key: Arc<str>,
    node: GraphNode,
    parent: u32,
    secondary: Vec<(u32, Arc<str>)>,
}

impl<R: BufRead> ExportReader<R> {
    pub fn new(input: R, file: &str, interner: Interner) -> ExportReader<R> {
        ExportReader {
            lines: Lines::new(input, file),
            interner,
            version: None,
            begun: None,
            in_stray: false,
            anything: false,
        }
    }

    pub fn into_interner(self) -> Interner {
        self.interner
    }

    fn place(&self) -> Place {
        Place { file: self.lines.file().clone(), line: self.lines.number(), column: 1 }
    }

    /// Looks for the next sentence; problems on the way are given first.
    fn begin(&mut self) -> Option<Result<Begun, Problem>> {
        loop {
            let line = match self.lines.next()? {
                Ok(line) => line,
                Err(problem) => return Some(Err(problem)),
            };
            let mut words = line.split_ascii_whitespace();
            match words.next() {
                None => {}
                Some("#FORMAT") => {
                    self.version = match words.next() {
                        Some("3") => Some(3),
                        Some("4") => Some(4),
                        _ => {
                            let message = format!("`{line}`: expected `#FORMAT 3` or `#FORMAT 4`");
                            return Some(Err(self.lines.problem(0, "columns", message)));
                        }
                    };
                }
                Some("#BOS") => {
                    let name = self.interner.intern(words.next().unwrap_or_default());
                    self.in_stray = false;
                    return Some(Ok(Begun { place: self.place(), name }));
                }
                // Tables of origins, tags and editors.
                Some("#BOT") => {
                    if let Some(problem) = self.skip_table() {
                        return Some(Err(problem));
                    }
                }
                Some(remark) if remark.starts_with("%%") => {}
                Some(_) if self.in_stray => {}
                Some(word) => {
                    let message =
                        format!("`{word}` outside of a sentence; skipped to the next `#BOS`");
                    self.in_stray = true;
                    return Some(Err(self.lines.problem(0, "stray-text", message)));
                }
            }
        }
    }

    fn skip_table(&mut self) -> Option<Problem> {
        let start = self.place();
        loop {
            match self.lines.next() {
                Some(Ok(line)) if line.starts_with("#EOT") => return None,
                Some(Ok(_)) => {}
                Some(Err(problem)) if problem.kind == "unreadable" => return Some(problem),
                // Nothing is read from a table.
                Some(Err(_)) => {}
                None => {
                    let message = "the table is not closed: no `#EOT`".to_owned();
                    let Place { file, line, column } = start;
                    return Some(Problem { file, line, column, kind: "unclosed", message });
                }
            }
        }
    }

    /// The rows up to the end of the sentence, or the first fault among them.
    fn rows(&mut self, begun: &Begun) -> Result<Vec<Row>, Problem> {
        let mut rows = Vec::new();
        let mut fault = None;
        loop {
            let line = match self.lines.next() {
                Some(Ok(line)) => line,
                Some(Err(problem)) => {
                    let last = problem.kind == "unreadable";
                    let first = fault.get_or_insert(problem);
                    if last {
                        return Err(first.clone());
                    }
                    continue;
                }
                None => return Err(unclosed(&begun.place)),
            };
            match mark(line) {
                Some("#EOS") => return fault.map_or(Ok(rows), Err),
                Some("#BOS") => {
                    let name = line.split_ascii_whitespace().nth(1).unwrap_or_default();
                    let name = self.interner.intern(name);
                    self.begun = Some(Begun { place: self.place(), name });
                    return Err(unclosed(&begun.place));
                }
                _ if line.trim_ascii().is_empty() => {}
                _ => match self.row() {
                    Ok(row) => rows.extend(row),
                    Err(problem) => {
                        fault.get_or_insert(problem);
                    }
                },
            }
        }
    }

    /// The present line as a row; `None` for a remark.
    fn row(&mut self) -> Result<Option<Row>, Problem> {
        let line = self.lines.text();
        let mut fields: Vec<&str> = match line.contains('\t') {
            true => line.split('\t').map(str::trim_ascii).filter(|f| !f.is_empty()).collect(),
            false => line.split_ascii_whitespace().collect(),
        };
        // Between tabs a remark may stand behind a blank.
        let remark = |f: &&str| f.contains(" %%");
        if let Some(at) = fields.iter().skip(4).position(remark).map(|at| at + 4) {
            fields[at] = fields[at].split(" %%").next().unwrap_or_default();
            fields.truncate(at + 1);
        }
        let is_remark = fields.first().is_some_and(|f| f.starts_with("%%"));
        // Without a header the fields of the shorter version are told by their odd number.
        let least = match self.version {
            Some(4) => 6,
            Some(_) => 5,
            None => {
                let remark = fields.iter().skip(5).position(|f| f.starts_with("%%"));
                let n = remark.map_or(fields.len(), |at| at + 5);
                if n % 2 == 1 { 5 } else { 6 }
            }
        };
        if let Some(remark) = fields.iter().skip(least).position(|f| f.starts_with("%%")) {
            fields.truncate(least + remark);
        }
        let number = |text: &str| text.parse::<u32>().ok();
        let parent = fields.get(least - 1).and_then(|f| number(f));
        let pairs = fields.get(least..).unwrap_or_default().chunks(2);
        let secondary: Option<Vec<(u32, &str)>> = pairs
            .map(|pair| match pair {
                [label, parent] => Some((number(parent)?, *label)),
                _ => None,
            })
            .collect();
        let (Some(parent), Some(secondary)) = (parent, secondary) else {
            if is_remark {
                return Ok(None);
            }
            let expected = match least {
                5 => "word, tag, morphology, edge, number of the parent",
                _ => "word, lemma, tag, morphology, edge, number of the parent",
            };
            let message = format!(
                "a line of {}: expected {expected}, then pairs of secondary edge and number",
                counted(fields.len(), "field")
            );
            return Err(self.lines.problem(0, "columns", message));
        };
        let mut intern = |text: &str| self.interner.intern(&atom(text));
        let mut said = |text: &str| (text != NOTHING).then(|| intern(text));
        let at = usize::from(least == 6);
        let lemma = if at == 1 { said(fields[1]) } else { None };
        let (morphology, edge) = (said(fields[2 + at]), said(fields[3 + at]));
        let secondary = secondary.into_iter().map(|(to, label)| (to, intern(label))).collect();
        let mut node = GraphNode::new(intern(fields[1 + at]), None, None);
        node.annotation.lemma = lemma;
        node.annotation.morphology = morphology;
        node.annotation.edge = edge;
        let key = self.interner.intern(fields[0]);
        Ok(Some(Row { line: self.lines.number(), key, node, parent, secondary }))
    }

    fn sentence(&mut self, begun: Begun) -> Result<Tree, Problem> {
        let rows = self.rows(&begun)?;
        let Begun { place, name } = begun;
        let file = place.file.clone();
        let problem = |line: u32, kind, message: String| Problem {
            file: file.clone(),
            line,
            column: 1,
            kind,
            message,
        };
        if rows.is_empty() {
            return Err(problem(place.line, "empty-tree", "a sentence of no word".into()));
        }
        let words = words(&rows);
        let lines: Vec<u32> =
            std::iter::once(place.line).chain(rows.iter().map(|r| r.line)).collect();
        let mut index = HashMap::new();
        for (i, row) in rows.iter().enumerate().skip(words) {
            if let Some(number) = phrase_number(&row.key) {
                index.insert(number, i + 1);
            }
        }
        let find = |number: u32, line: u32| match number {
            0 => Ok(0),
            _ => index.get(&number).copied().ok_or_else(|| {
                problem(line, "no-parent", format!("no phrase #{number} in the sentence"))
            }),
        };
        let mut graph = Graph::default();
        graph.nodes.push(GraphNode::new(self.interner.intern(IMPLIED_ROOT), None, None));
        for (i, mut row) in rows.into_iter().enumerate() {
            row.node.parent = Some(find(row.parent, row.line)?);
            if i < words {
                row.node.word = Some((i as u32, self.interner.intern(&atom(&row.key))));
            } else if &*row.node.label == NOTHING {
                row.node.label = self.interner.intern("");
            }
            for (to, label) in row.secondary {
                row.node.secondary.push((find(to, row.line)?, label));
            }
            graph.nodes.push(row.node);
        }
        let name = Some(name).filter(|n| !n.is_empty());
        graph.assemble(place, name).map_err(|fault| {
            let (at, kind, message) = match fault {
                GraphFault::Childless(at) => (at, "empty-tree", "a phrase without children"),
                GraphFault::Circle(at) => (at, "circle", "a phrase that is below itself"),
                GraphFault::BelowWord(at) => (at, "no-parent", "the parent is a word"),
                GraphFault::Roots(at) => {
                    (at.unwrap_or_default(), "no-parent", "not below the root")
                }
            };
            problem(lines[at], kind, message.to_owned())
        })
    }
}

/// Number of rows that are words. Phrases stand behind them; a word that looks like one is told
/// by a phrase of the same number behind it, or by having no children.
fn words(rows: &[Row]) -> usize {
    let parents: HashSet<u32> = rows.iter().map(|row| row.parent).collect();
    let mut seen = HashSet::new();
    let mut words = rows.len();
    while words > 0 {
        match phrase_number(&rows[words - 1].key) {
            Some(number) if seen.insert(number) && parents.contains(&number) => words -= 1,
            _ => break,
        }
    }
    words
}

/// The number of a phrase as it is written, `#500` and upwards.
fn phrase_number(key: &str) -> Option<u32> {
    let digits = key.strip_prefix('#')?;
    let plain = digits.len() >= 3 && digits.bytes().all(|b| b.is_ascii_digit());
    digits.parse().ok().filter(|&n| plain && n >= 500)
}

/// `#BOS` or `#EOS` where the line is one, and not a word that looks so.
fn mark(line: &str) -> Option<&'static str> {
    let mark = ["#BOS", "#EOS"].into_iter().find(|m| line.starts_with(m))?;
    let mut rest = line[mark.len()..].split_ascii_whitespace();
    let number = rest.next().is_none_or(|n| n.bytes().all(|b| b.is_ascii_digit()));
    let is_mark = match mark {
        "#EOS" => rest.next().is_none_or(|f| f.starts_with("%%")),
        _ => !line[mark.len()..].starts_with('\t'),
    };
    (number && is_mark).then_some(mark)
}

fn unclosed(place: &Place) -> Problem {
    let Place { file, line, column } = place.clone();
    let message = "sentence is not closed: no `#EOS`".to_owned();
    Problem { file, line, column, kind: "unclosed", message }
}

impl<R: BufRead> Iterator for ExportReader<R> {
    type Item = Result<Tree, Problem>;

    fn next(&mut self) -> Option<Self::Item> {
        let begun = match self.begun.take() {
            Some(begun) => begun,
            None => match self.begin() {
                Some(Ok(begun)) => begun,
                Some(Err(problem)) => {
                    self.anything = true;
                    return Some(Err(problem));
                }
                None if self.anything => return None,
                None => {
                    self.anything = true;
                    let message = "no sentence in the file: no `#BOS`";
                    return Some(Err(self.lines.problem(0, "no-trees", message)));
                }
            },
        };
        self.anything = true;
        Some(self.sentence(begun))
    }
}
