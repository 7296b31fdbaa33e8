//! What of a sentence a verdict is about: the whole of it, a bracket in which annotation and
//! analysis differ, or the nucleus of a twin.

use super::Boost;
use crate::render::{Diagram, Mark};
use crate::workbench::screen::Context;

/// Words `[start, end)` of a sentence as parsers see it.
pub type Span = (u32, u32);

/// Words over which annotation and analysis have other brackets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bracket {
    pub span: Span,
    /// Labels over exactly these words that only the annotation has, from the top.
    pub annotated: Vec<Box<str>>,
    /// Those that only the analysis has.
    pub found: Vec<Box<str>>,
}

/// Where two compared trees differ, from left to right, longer brackets first.
pub fn differing(annotation: &Diagram, analysis: &Diagram) -> Vec<Bracket> {
    let mut brackets: Vec<Bracket> = Vec::new();
    for (diagram, is_found) in [(annotation, false), (analysis, true)] {
        let wrong = [Mark::Missing, Mark::Spurious, Mark::Crossing];
        for node in diagram.nodes().iter().filter(|node| wrong.contains(&node.mark)) {
            let span = (node.start, node.end);
            let at =
                brackets.iter().position(|bracket| bracket.span == span).unwrap_or_else(|| {
                    brackets.push(Bracket { span, annotated: Vec::new(), found: Vec::new() });
                    brackets.len() - 1
                });
            let bracket = &mut brackets[at];
            let labels = if is_found { &mut bracket.found } else { &mut bracket.annotated };
            labels.push(node.label.clone());
        }
    }
    brackets.sort_by_key(|bracket| (bracket.span.0, u32::MAX - bracket.span.1));
    brackets
}

impl Boost {
    /// Turns to the next or the previous bracket to judge; behind the last comes the sentence.
    pub(super) fn turn_bracket(&mut self, next: bool, context: &mut Context) {
        let Some(sentence) = self.sentence() else { return };
        if self.pairs.shown {
            let twins = self.pairs.of(sentence);
            let Some(twin) = twins.and_then(|twins| twins.get(self.pairs.at)) else {
                return context.status("there is no twin whose words could be judged");
            };
            let nucleus = (twin.here.start, twin.here.end);
            self.span = (self.span != Some(nucleus)).then_some(nucleus);
            return;
        }
        let brackets = &self.panes.brackets;
        if brackets.is_empty() {
            return context.status(match self.panes.analysis {
                Some(_) => "annotation and analysis have the same brackets here",
                None => "there is no analysis to compare with",
            });
        }
        let at = self.span.and_then(|span| brackets.iter().position(|b| b.span == span));
        let at = match (at, next) {
            (None, true) => Some(0),
            (None, false) => Some(brackets.len() - 1),
            (Some(at), true) => Some(at + 1).filter(|at| *at < brackets.len()),
            (Some(at), false) => at.checked_sub(1),
        };
        self.span = at.map(|at| brackets[at].span);
        self.lay_out(context);
    }

    /// Turns back to the whole sentence; says whether a bracket was chosen.
    pub(super) fn leave_bracket(&mut self, context: &Context) -> bool {
        let chosen = self.span.take().is_some();
        if chosen && !self.pairs.shown {
            self.lay_out(context);
        }
        chosen
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::compared;
    use crate::treebank::{Reader, Tree};

    fn tree(text: &str) -> Tree {
        Reader::new(text.as_bytes(), "t").next().expect("one").expect("whole")
    }

    #[test]
    fn brackets_that_differ_are_told_once_a_span_from_left_to_right() {
        let gold = tree("(TOP (S (NP (D a) (N b)) (VP (V c) (NP (N d) (N e)))))");
        let found = tree("(TOP (S (NP (D a) (N b)) (VP (V c) (X (Y (N d) (N e))))))");
        let (annotation, analysis) = compared(&gold, &found);
        let bracket = |span, annotated: &[&str], found: &[&str]| {
            let labels = |labels: &[&str]| labels.iter().map(|label| (*label).into()).collect();
            Bracket { span, annotated: labels(annotated), found: labels(found) }
        };
        assert_eq!(differing(&annotation, &analysis), [bracket((3, 5), &["NP"], &["X", "Y"])]);
        let found = tree("(TOP (S (N1 (D a) (N b) (V c)) (NP (N d) (N e))))");
        let (annotation, analysis) = compared(&gold, &found);
        let expected = [
            bracket((0, 3), &[], &["N1"]),
            bracket((0, 2), &["NP"], &[]),
            bracket((2, 5), &["VP"], &[]),
        ];
        assert_eq!(differing(&annotation, &analysis), expected);
        assert!(differing(&annotation, &annotation).iter().all(|b| !b.annotated.is_empty()));
    }
}
