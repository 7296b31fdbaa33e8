use super::tree::{header, number};
use std::fmt;

/// Formats of candidate lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ListFormat {
    /// `count TAB id`, then a score line and a tree line for every parse (BLLIP `-N`).
    Bllip,
    /// `score TAB tree` a line, a blank line between sentences (Berkeley `-kbest`).
    Berkeley,
    /// `count TAB id`, then a line of `field value,` and a tree line (Berkeley `-ec_format`).
    BerkeleyEc,
    /// The number of sentences; `nparses goldtree` and `score tree` lines.
    CharniakJohnson,
    /// `# Parse 1 with score -42.1`, then a tree over one or more lines.
    Stanford,
    /// Ours: one JSON object a sentence.
    Jsonl,
}

impl ListFormat {
    pub const ALL: [ListFormat; 6] = [
        ListFormat::Bllip,
        ListFormat::Berkeley,
        ListFormat::BerkeleyEc,
        ListFormat::CharniakJohnson,
        ListFormat::Stanford,
        ListFormat::Jsonl,
    ];

    /// The name that users write.
    pub fn name(self) -> &'static str {
        match self {
            ListFormat::Bllip => "bllip",
            ListFormat::Berkeley => "berkeley",
            ListFormat::BerkeleyEc => "berkeley-ec",
            ListFormat::CharniakJohnson => "charniak-johnson",
            ListFormat::Stanford => "stanford",
            ListFormat::Jsonl => "jsonl",
        }
    }

    /// The format of that name.
    pub fn named(name: &str) -> Option<ListFormat> {
        ListFormat::ALL.into_iter().find(|format| format.name() == name)
    }

    /// Base of the logarithms that the parser writes.
    pub fn log_base(self) -> LogBase {
        match self {
            ListFormat::Bllip | ListFormat::CharniakJohnson => LogBase::Two,
            _ => LogBase::E,
        }
    }

    /// The format that the beginning of a file shows; `None` where it is none of them.
    pub fn detect(beginning: &[u8]) -> Option<ListFormat> {
        let text = String::from_utf8_lossy(beginning);
        let lines = text.trim_start_matches('\u{feff}').lines().map(str::trim);
        let mut lines = lines.filter(|line| !line.is_empty()).take(50);
        let mut has_headers = false;
        while let Some(line) = lines.next() {
            if line.starts_with('{') {
                return Some(ListFormat::Jsonl);
            }
            if line.starts_with("# Parse ") {
                return Some(ListFormat::Stanford);
            }
            if has_headers && line.contains(',') && number(line).is_none() && !line.contains('(') {
                return Some(ListFormat::BerkeleyEc);
            }
            if has_headers && !line.contains('(') && header(line).is_none() {
                return Some(ListFormat::Bllip);
            }
            if line.parse::<usize>().is_ok() {
                let is_gold = |next: &str| {
                    let (count, tree) = next.split_once([' ', '\t']).unwrap_or_default();
                    count.parse::<usize>().is_ok() && tree.trim_start().starts_with('(')
                };
                return lines.next().is_some_and(is_gold).then_some(ListFormat::CharniakJohnson);
            }
            if header(line).is_some() {
                has_headers = true;
                continue;
            }
            let (score, tree) = line.split_once(['\t', ' ']).unwrap_or(("", line));
            if line.starts_with("(())") || !score.contains('(') && tree.trim().starts_with('(') {
                return Some(ListFormat::Berkeley);
            }
        }
        has_headers.then_some(ListFormat::Bllip)
    }
}

/// Base of the logarithms in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
pub enum LogBase {
    #[serde(rename = "2")]
    Two,
    #[serde(rename = "e")]
    E,
    #[serde(rename = "10")]
    Ten,
}

impl LogBase {
    /// What a score is multiplied by to be in nats.
    pub fn nats(self) -> f64 {
        match self {
            LogBase::Two => std::f64::consts::LN_2,
            LogBase::E => 1.0,
            LogBase::Ten => std::f64::consts::LN_10,
        }
    }
}

impl fmt::Display for LogBase {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(match self {
            LogBase::Two => "2",
            LogBase::E => "e",
            LogBase::Ten => "10",
        })
    }
}
