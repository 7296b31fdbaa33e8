use super::Diagram;
use crate::evaluation::{Span, span_comparison};
use std::collections::HashMap;

/// How a bracket stands to those of another tree over the same words.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Mark {
    /// Not compared: no other tree, or a trivial span (one word, the whole sentence).
    #[default]
    None,
    /// The other tree has the same span.
    Matched,
    /// A gold span that the induced tree lacks.
    Missing,
    /// An induced span that no gold span is equal to or crosses.
    Spurious,
    /// An induced span that overlaps a gold span without one holding the other.
    Crossing,
}

impl Mark {
    /// The sign before a label; colours only repeat what it says.
    pub fn symbol(self, ascii: bool) -> &'static str {
        match (self, ascii) {
            (Mark::None, _) => "",
            (Mark::Matched, false) => "✓",
            (Mark::Matched, true) => "=",
            (Mark::Missing, false) => "○",
            (Mark::Missing, true) => "o",
            (Mark::Spurious, _) => "+",
            (Mark::Crossing, false) => "✗",
            (Mark::Crossing, true) => "x",
        }
    }

    /// The word that stands in keys and exports.
    pub fn name(self) -> &'static str {
        match self {
            Mark::None => "none",
            Mark::Matched => "matched",
            Mark::Missing => "missing",
            Mark::Spurious => "spurious",
            Mark::Crossing => "crossing",
        }
    }
}

/// Marks both trees by their unlabelled spans, trivial ones left out. The trees cover the same
/// words; where the numbers of words differ nothing is marked.
pub fn mark_against(gold: &mut Diagram, induced: &mut Diagram) {
    if gold.len() != induced.len() {
        return;
    }
    let spans = |d: &Diagram| -> Vec<Span> { d.nodes().iter().map(|n| (n.start, n.end)).collect() };
    let compared = span_comparison(gold.len(), &spans(induced), &spans(gold));
    let marks: HashMap<Span, Mark> = [
        (&compared.matched, Mark::Matched),
        (&compared.missing, Mark::Missing),
        (&compared.spurious, Mark::Spurious),
        (&compared.crossing, Mark::Crossing),
    ]
    .into_iter()
    .flat_map(|(spans, mark)| spans.iter().map(move |&span| (span, mark)))
    .collect();
    let mark = |span: Span| marks.get(&span).copied().unwrap_or_default();
    gold.mark(mark);
    induced.mark(mark);
}

#[cfg(test)]
mod tests {
    use super::super::DiagramSpan;
    use super::*;

    fn diagram(spans: &[(u32, u32)]) -> Diagram {
        let spans: Vec<_> =
            spans.iter().map(|&(start, end)| DiagramSpan { start, end, label: "X" }).collect();
        Diagram::from_spans(&["a", "b", "c", "d", "e"], None::<&[&str]>, &spans).expect("nested")
    }

    fn marks(d: &Diagram) -> Vec<(u32, u32, Mark)> {
        let phrases = d.nodes().iter().filter(|n| n.word.is_none());
        phrases.map(|n| (n.start, n.end, n.mark)).collect()
    }

    #[test]
    fn brackets_are_matched_missing_spurious_or_crossing_and_trivial_ones_are_left_out() {
        let mut gold = diagram(&[(0, 5), (0, 2), (2, 5)]);
        let mut induced = diagram(&[(0, 5), (1, 5), (2, 5), (3, 5)]);
        mark_against(&mut gold, &mut induced);
        assert_eq!(
            marks(&gold),
            [(0, 5, Mark::None), (0, 2, Mark::Missing), (2, 5, Mark::Matched)]
        );
        assert_eq!(
            marks(&induced),
            [
                (0, 5, Mark::None),
                (1, 5, Mark::Crossing),
                (2, 5, Mark::Matched),
                (3, 5, Mark::Spurious)
            ]
        );
    }
}
