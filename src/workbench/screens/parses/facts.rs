//! What is known of the sentence in view, in lines above its trees.

use super::surprisal::key;
use super::{Parses, moments};
use crate::render::Mark;
use crate::report::counted;
use crate::workbench::screen::View;
use crate::workbench::text::{count, figure, fit};
use ratatui::text::{Line, Span};
use unicode_width::UnicodeWidthStr;

/// Figures of the sentence, on a second line what has no room on the first, and the key to the marks.
pub fn lines<'a>(screen: &Parses, width: usize, view: &View) -> Vec<Line<'a>> {
    let theme = view.theme;
    let mut facts: Vec<String> = Vec::new();
    let words = |n: usize| counted(n, "word");
    let row = screen.row().filter(|_| screen.typed.is_empty());
    let analysis = screen.typed.shown().or(screen.analysis.as_ref().map(|(_, a)| a));
    match (screen.typed.shown(), row) {
        (Some(typed), _) => {
            let which = match screen.typed.len() {
                1 => String::new(),
                n => format!(" {} of {n}", screen.typed.at() + 1),
            };
            facts.push(format!("typed{which}, {}", words(typed.words.len())));
        }
        (None, Some((number, row))) => {
            facts.push(format!("sentence {}, {}", number + 1, words(row.words.len())));
            facts.extend(screen.time.as_ref().and_then(moments::change));
            match row.f1 {
                // The figure is of the evaluation's tree, and there is none in view.
                Some(_) if screen.panes.induced.is_none() => {}
                Some(f1) => {
                    // A tree of other weights stands beside the evaluation's figure.
                    let evaluated = match &screen.time {
                        Some(time) => Some(time.shown().step),
                        None => screen.evaluation.as_ref().map(|e| e.step),
                    };
                    let other = analysis.is_some_and(|a| evaluated.is_some_and(|e| e != a.step));
                    let at = evaluated.filter(|_| other);
                    let at = at.map_or(String::new(), |step| format!(" at step {}", count(step)));
                    facts.push(format!("F1 {f1:.1}{at}"));
                }
                None if row.gold.is_none() && screen.panes.surprisal.is_none() => {
                    facts.push("no gold tree".into());
                }
                None => {}
            }
        }
        (None, None) => {}
    }
    let log_prob = analysis.map(|a| a.log_prob).or(row.and_then(|(_, row)| row.log_prob));
    if let Some(pane) = &screen.panes.surprisal {
        let (sentence, unit) = (&pane.sentence, screen.unit);
        let per_token = unit.of(-sentence.log_prob / sentence.tokens.len().max(1) as f64);
        match analysis.map_or(0, |a| a.unknown) {
            0 => {}
            unknown => facts.push(format!("{unknown} unknown")),
        }
        facts.push(format!("ppl {}", figure(sentence.perplexity())));
        facts.push(format!("{per_token:.2} {} a token", unit.name()));
    } else if let Some(log_prob) = log_prob {
        let words = analysis.map_or(row.map_or(1, |(_, r)| r.words.len()), |a| a.words.len());
        let per_word = figure(log_prob / words.max(1) as f64);
        facts.push(format!("log-prob {} nats, {per_word} a word", figure(log_prob)));
    }
    let weights = analysis.map(|analysis| {
        format!("weights of step {}{}", count(analysis.step), analysis.origin.suffix())
    });
    // Without two trees the second line has no marks to explain.
    let marked = screen.panes.gold.is_some() && screen.panes.induced.is_some();
    let mut rest = Vec::new();
    if screen.panes.surprisal.is_none() {
        let of_analysis = if marked { &mut facts } else { &mut rest };
        of_analysis.extend(weights.clone());
        let unknown = analysis.map_or(0, |a| a.unknown);
        if unknown > 0 {
            of_analysis.push(format!("{unknown} unknown underlined"));
        }
    }
    let mut lines: Vec<Line> =
        wrapped(&facts, width).into_iter().map(|line| Line::styled(line, theme.text)).collect();
    let counts = screen.panes.counts;
    let mut second = vec![Span::styled(format!(" {}", rest.join(" · ")), theme.text)];
    if marked {
        for (mark, n, style) in [
            (Mark::Matched, counts.matched, theme.good),
            (Mark::Missing, counts.missing, theme.warning),
            (Mark::Crossing, counts.crossing, theme.error),
            (Mark::Spurious, counts.spurious, theme.reference),
        ] {
            let sign = mark.symbol(!theme.unicode);
            second.push(Span::styled(format!("{sign} {n} {}   ", mark.name()), style));
        }
    }
    let second = match screen.panes.surprisal {
        Some(_) => key(screen.unit, weights, theme),
        None => Line::from(second),
    };
    lines.push(second);
    lines
}

/// Facts side by side, broken between two of them; at most two lines, the rest is cut.
fn wrapped(facts: &[String], width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for fact in facts {
        let full = lines.len() == 2;
        let line = lines.last_mut().expect("never empty");
        match line.is_empty() {
            true => *line = format!(" {fact}"),
            false if full || line.width() + fact.width() + 3 <= width => {
                line.push_str(&format!(" · {fact}"));
            }
            false => lines.push(format!(" {fact}")),
        }
    }
    lines.iter().map(|line| fit(line, width).into_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn facts_go_on_in_a_second_line_and_are_never_broken() {
        let facts = ["sentence 1, 9 words", "F1 44.4", "log-prob -70 nats", "weights of step 9"];
        let facts = facts.map(str::to_owned);
        assert_eq!(wrapped(&facts, 80).len(), 1);
        let two = wrapped(&facts, 40);
        assert_eq!(
            two,
            [" sentence 1, 9 words · F1 44.4", " log-prob -70 nats · weights of step 9"]
        );
        assert_eq!(wrapped(&facts, 30)[1], " log-prob -70 nats · weights …");
        assert_eq!(wrapped(&[], 30), [""]);
    }
}
