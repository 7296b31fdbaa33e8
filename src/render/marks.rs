use super::Diagram;
use crate::evaluation::{Constituent, Constituents, Span, span_comparison};
use crate::treebank::Tree;
use std::collections::{BTreeMap, HashMap};

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

/// Both trees with their brackets marked as evalb compares them: by label and span, words of
/// punctuation (by the gold tags) and the root left out, a label as often as it is there. The trees
/// are continuous and cover the same words.
pub fn compared(gold: &Tree, found: &Tree) -> (Diagram, Diagram) {
    let of_gold = Constituents::counted_by_node(gold, gold.tags());
    let of_found = Constituents::counted_by_node(found, gold.tags());
    let mut diagrams = (Diagram::from_tree(gold), Diagram::from_tree(found));
    diagrams.0.set_marks(&labelled(&of_gold, &of_found, |_| Mark::Missing));
    let crosses = |c: &Constituent| {
        let overlap = |g: &Constituent| {
            (g.start < c.start && c.start < g.end && g.end < c.end)
                || (c.start < g.start && g.start < c.end && c.end < g.end)
        };
        of_gold.iter().flatten().any(overlap)
    };
    let wrong = |c: &Constituent| if crosses(c) { Mark::Crossing } else { Mark::Spurious };
    diagrams.1.set_marks(&labelled(&of_found, &of_gold, wrong));
    diagrams
}

/// Marks of a tree's nodes; `wrong` says that of a constituent that the other tree lacks.
fn labelled(
    ours: &[Option<Constituent>],
    theirs: &[Option<Constituent>],
    wrong: impl Fn(&Constituent) -> Mark,
) -> Vec<Mark> {
    let mut left: BTreeMap<&Constituent, u32> = BTreeMap::new();
    theirs.iter().flatten().for_each(|c| *left.entry(c).or_default() += 1);
    let mark = |constituent: &Option<Constituent>| {
        let Some(constituent) = constituent else { return Mark::None };
        match left.get_mut(constituent).filter(|n| **n > 0) {
            Some(n) => {
                *n -= 1;
                Mark::Matched
            }
            None => wrong(constituent),
        }
    };
    ours.iter().map(mark).collect()
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

    #[test]
    fn labelled_brackets_are_marked_as_often_as_evalb_counts_them() {
        use crate::treebank::Reader;
        let tree =
            |text: &str| Reader::new(text.as_bytes(), "t").next().expect("one").expect("whole");
        let gold = tree("(TOP (S (NP (DT a) (NN b)) (VP (VB c) (PP (IN d) (NN e))) (. .)))");
        let found = tree("(TOP (S (NP-X (DT a) (NN b)) (X (VB c) (IN d)) (X (NN e)) (. .)))");
        let (gold_marked, found_marked) = compared(&gold, &found);
        assert_eq!(
            marks(&gold_marked),
            [
                (0, 6, Mark::None),
                (0, 6, Mark::Matched),
                (0, 2, Mark::Matched),
                (2, 5, Mark::Missing),
                (3, 5, Mark::Missing)
            ]
        );
        assert_eq!(
            marks(&found_marked)[2..],
            [(0, 2, Mark::Matched), (2, 4, Mark::Crossing), (4, 5, Mark::Spurious)]
        );
        let agreement = Constituents::counted(&gold).agreement(&Constituents::counted(&found));
        let count = |d: &Diagram, mark| marks(d).iter().filter(|m| m.2 == mark).count() as u32;
        assert_eq!(count(&gold_marked, Mark::Matched), agreement.correct);
        assert_eq!(count(&gold_marked, Mark::Missing), agreement.missing);
        let wrong = [Mark::Spurious, Mark::Crossing].map(|mark| count(&found_marked, mark));
        assert_eq!(wrong.iter().sum::<u32>(), agreement.spurious);
    }
}
