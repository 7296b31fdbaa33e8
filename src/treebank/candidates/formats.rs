//! The line formats of other parsers, each a small machine that is fed line by line.

use super::assemble::Assembler;
use super::tree::{header, number};
use super::{ListFormat, MessageKind};

/// Stanford's line for a sentence that it gave up.
const SKIPPED: &str = "SENTENCE_SKIPPED_OR_UNPARSABLE";

/// What is known between two lines.
#[derive(Debug, Default)]
pub(super) struct LineMachine {
    /// A score that waits for its tree: its line, and the number or what stands there.
    score: Option<(u32, Result<f64, String>)>,
    /// Lines of a tree so far, and where it began.
    tree: Option<(u32, String)>,
    /// Sentences that the first line announces, and that line.
    announced: Option<(u32, usize)>,
}

impl LineMachine {
    /// Takes a line without its end.
    pub fn line(&mut self, format: ListFormat, at: u32, line: &str, out: &mut Assembler) {
        match format {
            ListFormat::Bllip | ListFormat::BerkeleyEc => self.blocks(format, at, line, out),
            ListFormat::Berkeley => berkeley(at, line, out),
            ListFormat::CharniakJohnson => self.charniak_johnson(at, line, out),
            ListFormat::Stanford => self.stanford(at, line, out),
            ListFormat::Jsonl => super::json::line(at, line, out),
        }
    }

    /// The file has ended.
    pub fn end(&mut self, format: ListFormat, out: &mut Assembler) {
        match format {
            ListFormat::Stanford => self.complete(out),
            _ => self.give_up_score(out),
        }
        out.end();
        if let Some((line, announced)) = self.announced {
            let found = out.sentences();
            match found.cmp(&announced) {
                std::cmp::Ordering::Less => {
                    out.message(line, None, MessageKind::FewerSentences { announced, found });
                }
                std::cmp::Ordering::Greater => {
                    out.message(line, None, MessageKind::MoreSentences { announced, found });
                }
                std::cmp::Ordering::Equal => {}
            }
        }
    }

    /// BLLIP and Berkeley's variant: a header, then scores and trees by turns. Blank lines may
    /// stand anywhere.
    fn blocks(&mut self, format: ListFormat, at: u32, line: &str, out: &mut Assembler) {
        let line = line.trim();
        if line.is_empty() {
            return;
        }
        if line.starts_with('(') {
            let (score_at, score) = self.score.take().unwrap_or((at, Err(String::new())));
            return out.candidate(score.as_ref().copied().map_err(|s| &**s), score_at, line, at);
        }
        self.give_up_score(out);
        match header(line) {
            Some((Ok(count), id)) => return out.begin(Some(id), at, Some(count)),
            Some((Err(count), id)) => return out.begin_miscounted(id, at, count),
            None => {}
        }
        let value = match format {
            ListFormat::BerkeleyEc => field(line),
            _ => number(line),
        };
        self.score = Some((at, value.ok_or_else(|| line.to_owned())));
    }

    fn give_up_score(&mut self, out: &mut Assembler) {
        if let Some((at, _)) = self.score.take() {
            out.truncated(at);
        }
    }

    fn charniak_johnson(&mut self, at: u32, line: &str, out: &mut Assembler) {
        let line = line.trim();
        if line.is_empty() {
            return;
        }
        if self.announced.is_none()
            && out.sentences() == 0
            && let Ok(count) = line.parse()
        {
            self.announced = Some((at, count));
            return;
        }
        let (first, tree) = match line.find('(') {
            Some(begin) => (line[..begin].trim(), &line[begin..]),
            None => (line, ""),
        };
        match first.parse::<usize>() {
            // A score is below 0, so that a number without a sign begins the next sentence.
            Ok(count) => {
                out.begin(None, at, Some(count));
                out.gold(tree, at);
            }
            _ if tree.is_empty() && number(first).is_some() => out.truncated(at),
            _ => out.candidate(number(first).ok_or(first), at, tree, at),
        }
    }

    fn stanford(&mut self, at: u32, line: &str, out: &mut Assembler) {
        if let Some(rest) = line.trim_start().strip_prefix("# Parse ") {
            self.complete(out);
            let (rank, score) = rest.split_once(" with score ").unwrap_or((rest, ""));
            if rank.trim() == "1" || !out.is_open() {
                out.begin(None, at, None);
            }
            self.score = Some((at, number(score).ok_or_else(|| score.trim().to_owned())));
            return;
        }
        let trimmed = line.trim();
        let whole = self.tree.as_ref().map_or(self.score.is_none(), |(_, text)| is_closed(text));
        if trimmed == SKIPPED || (trimmed == "(())" && whole) {
            // A sentence of its own, which the parser gave up.
            self.complete(out);
            out.begin(None, at, None);
            return out.failure(at);
        }
        match &mut self.tree {
            Some((_, text)) => {
                text.push(' ');
                text.push_str(line);
            }
            None if line.trim().is_empty() => {}
            None if line.trim_start().starts_with('(') => self.tree = Some((at, line.to_owned())),
            None => out.stray(at),
        }
    }

    /// The tree of Stanford's last score ends before the next.
    fn complete(&mut self, out: &mut Assembler) {
        match (self.score.take(), self.tree.take()) {
            (Some((at, score)), Some((tree_at, text))) => {
                out.candidate(score.as_ref().copied().map_err(|s| &**s), at, &text, tree_at);
            }
            (Some((at, _)), None) => out.truncated(at),
            (None, Some((tree_at, text))) => out.candidate(Err(""), tree_at, &text, tree_at),
            (None, None) => {}
        }
    }
}

/// Whether all brackets of a tree are closed.
fn is_closed(text: &str) -> bool {
    text.matches('(').count() == text.matches(')').count()
}

/// The log-probability in a line `field value,<TAB>field value,`: of the field that is named for
/// it, else of the first.
fn field(line: &str) -> Option<f64> {
    let mut fields = line.split(['\t', ',']).filter_map(|part| part.trim().split_once(' '));
    let named = |(name, _): &(&str, &str)| name.contains("prob") || name.contains("score");
    let (_, value) = fields.clone().find(named).or_else(|| fields.next())?;
    number(value)
}

/// Berkeley: a score and a tree a line, blank lines between sentences.
fn berkeley(at: u32, line: &str, out: &mut Assembler) {
    let line = line.trim();
    if line.is_empty() {
        return out.end();
    }
    let Some(begin) = line.find('(') else {
        match number(line) {
            Some(_) => out.truncated(at),
            None => out.stray(at),
        }
        return;
    };
    let (score, rest) = (line[..begin].trim(), &line[begin..]);
    let tree = rest.split('\t').next().unwrap_or(rest).trim();
    match number(score) {
        // With a score it was meant as a candidate.
        None if tree == "(())" => out.failure(at),
        score_read => out.candidate(score_read.ok_or(score), at, tree, at),
    }
}
