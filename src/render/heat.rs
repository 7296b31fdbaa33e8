use super::{Charset, Diagram, Ink, Mark, Picture, Role, width};

/// Columns of one span.
const CELL: usize = 2;

/// The span marginals of a sentence as a triangle: a row for every first word, a column for every
/// last word, shaded by posterior. Spans of the induced tree, and those of the gold tree that it
/// lacks, carry their mark beside the shade.
///
/// `marginals` has the posterior of `[i, j)` at `i * (n + 1) + j`; missing entries count as 0.
pub fn heat_map(
    induced: &Diagram,
    gold: Option<&Diagram>,
    marginals: &[f32],
    charset: Charset,
) -> Picture {
    let n = induced.len();
    let mut picture = Picture::new(charset);
    let words = induced.preterminals().iter().map(|&at| &induced.nodes()[at]);
    let word_end = |i: usize| (i + 1) * CELL;
    // Words stand left of the diagonal, so late ones have more room than the margin.
    let margin = words
        .clone()
        .enumerate()
        .map(|(i, node)| node.word.as_deref().map_or(0, width).saturating_sub(word_end(i)))
        .max()
        .unwrap_or(0);
    for (i, node) in words.enumerate() {
        let word = node.word.as_deref().unwrap_or_default();
        let role = if node.unknown { Role::UnknownWord } else { Role::Word };
        let start = margin + word_end(i) - width(word);
        picture.text(i, start, word, Ink { role, ..Ink::default() });
    }
    let column = |i: usize, j: usize| margin + CELL * j.max(i + 1) - CELL + 1;
    let marks = tree_spans(induced, gold);
    for i in 0..n {
        for j in i + 2..=n {
            let percent = marginals.get(i * (n + 1) + j).map_or(0, |&p| percent(p));
            let mark = marks.get(&(i as u32, j as u32)).copied();
            if shade(percent, charset) == " " && mark.is_none() {
                continue;
            }
            let sign = match mark {
                None => shade(percent, charset),
                Some(Mark::None) if charset.is_ascii() => "*",
                Some(Mark::None) => "•",
                Some(mark) => mark.symbol(charset.is_ascii()),
            };
            let ink =
                Ink { role: Role::Heat(percent), mark: mark.unwrap_or_default(), ..Ink::default() };
            picture.text(i, column(i, j), &format!("{}{sign}", shade(percent, charset)), ink);
        }
    }
    picture
}

/// Spans of the induced tree with their marks, and gold spans that it lacks.
fn tree_spans(
    induced: &Diagram,
    gold: Option<&Diagram>,
) -> std::collections::HashMap<(u32, u32), Mark> {
    let missing = gold.into_iter().flat_map(|g| g.nodes()).filter(|n| n.mark == Mark::Missing);
    let phrases = induced.nodes().iter().filter(|n| n.word.is_none());
    missing.chain(phrases).map(|n| ((n.start, n.end), n.mark)).collect()
}

/// A probability as a whole number of percent; NaN counts as 0.
pub(super) fn percent(probability: f32) -> u8 {
    (probability.clamp(0.0, 1.0) * 100.0).round() as u8
}

pub(super) fn shade(percent: u8, charset: Charset) -> &'static str {
    let level = match percent {
        0..5 => 0,
        5..25 => 1,
        25..50 => 2,
        50..75 => 3,
        _ => 4,
    };
    match charset {
        Charset::Unicode => [" ", "░", "▒", "▓", "█"][level],
        Charset::Ascii => [" ", ".", ":", "%", "#"][level],
    }
}

#[cfg(test)]
mod tests {
    use super::super::{DiagramSpan, mark_against};
    use super::*;

    fn tree(spans: &[(u32, u32)]) -> Diagram {
        let spans: Vec<_> =
            spans.iter().map(|&(start, end)| DiagramSpan { start, end, label: "" }).collect();
        let words = ["extraordinary", "dogs", "bark", "loudly"];
        Diagram::from_spans(&words, None::<&[&str]>, &spans).expect("nested")
    }

    #[test]
    fn shades_follow_the_marginals_and_marks_stand_beside_them() {
        let mut gold = tree(&[(0, 4), (0, 2), (2, 4)]);
        let mut induced = tree(&[(0, 4), (1, 4), (2, 4)]);
        mark_against(&mut gold, &mut induced);
        let mut marginals = vec![0.0; 25];
        for (i, j, p) in [(0, 4, 1.0), (0, 2, 0.3), (1, 4, 0.6), (2, 4, 0.9), (1, 3, 0.1)] {
            marginals[i * 5 + j] = p;
        }
        let picture = heat_map(&induced, Some(&gold), &marginals, Charset::Unicode);
        let expected = [
            "extraordinary ▒○  █•",
            "           dogs ░░▓✗",
            "             bark █✓",
            "             loudly",
        ];
        assert_eq!(picture.lines(), expected);
        assert_eq!(picture.height(), 4);
    }

    #[test]
    fn probabilities_that_are_no_numbers_are_blank() {
        let picture = heat_map(&tree(&[(0, 4)]), None, &[f32::NAN; 25], Charset::Ascii);
        assert_eq!(picture.lines()[1].trim(), "dogs");
    }
}
