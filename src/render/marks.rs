use super::Diagram;
use std::collections::HashSet;

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
    let n = gold.len() as u32;
    if n != induced.len() as u32 {
        return;
    }
    let spans = |d: &Diagram| -> HashSet<(u32, u32)> {
        let all = d.nodes().iter().map(|node| (node.start, node.end));
        all.filter(|&(i, j)| j > i + 1 && j - i < n).collect()
    };
    let (in_gold, in_induced) = (spans(gold), spans(induced));
    // Furthest end and start of gold spans that begin or end at a place: a span [i, j) crosses
    // a gold span exactly when one that starts inside it ends outside, or the other way round.
    let mut furthest_end = vec![0; n as usize + 1];
    let mut furthest_start: Vec<u32> = (0..=n).collect();
    for &(i, j) in &in_gold {
        furthest_end[i as usize] = furthest_end[i as usize].max(j);
        furthest_start[j as usize] = furthest_start[j as usize].min(i);
    }
    let crosses = |(i, j): (u32, u32)| {
        (i + 1..j).any(|k| furthest_end[k as usize] > j || furthest_start[k as usize] < i)
    };
    gold.mark(|span| match () {
        () if !in_gold.contains(&span) => Mark::None,
        () if in_induced.contains(&span) => Mark::Matched,
        () => Mark::Missing,
    });
    induced.mark(|span| match () {
        () if !in_induced.contains(&span) => Mark::None,
        () if in_gold.contains(&span) => Mark::Matched,
        () if crosses(span) => Mark::Crossing,
        () => Mark::Spurious,
    });
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
    fn crossing_agrees_with_comparing_every_pair_of_spans() {
        let n = 5;
        let all: Vec<(u32, u32)> = (0..n)
            .flat_map(|i| (i + 2..=n).map(move |j| (i, j)))
            .filter(|s| *s != (0, n))
            .collect();
        for &g in &all {
            for &p in &all {
                let (mut gold, mut induced) = (diagram(&[(0, 5), g]), diagram(&[(0, 5), p]));
                mark_against(&mut gold, &mut induced);
                let crossing =
                    (p.0 < g.0 && g.0 < p.1 && p.1 < g.1) || (g.0 < p.0 && p.0 < g.1 && g.1 < p.1);
                let expected = match () {
                    () if p == g => Mark::Matched,
                    () if crossing => Mark::Crossing,
                    () => Mark::Spurious,
                };
                assert!(marks(&induced).contains(&(p.0, p.1, expected)), "{g:?} {p:?}");
            }
        }
    }
}
