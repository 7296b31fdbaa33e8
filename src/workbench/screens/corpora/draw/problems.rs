//! What the reader complained about, with the line that it means.

use super::super::Corpora;
use super::super::excerpt::Excerpt;
use super::super::load::Loaded;
use super::parts::draw_row;
use crate::treebank::Problem;
use crate::workbench::screen::View;
use crate::workbench::text::{clean, wrap};
use crate::workbench::widgets::{empty_state, moves, pane};
use ratatui::Frame;
use ratatui::layout::{Constraint, Rect};
use ratatui::text::Line;
use ratatui::widgets::Paragraph;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Rows for the selected problem: what is wrong, its line, and where in it.
const DETAIL: u16 = 6;

pub(super) fn draw(screen: &Corpora, loaded: &Loaded, frame: &mut Frame, area: Rect, view: &View) {
    let theme = view.theme;
    let problems = &loaded.corpus.problems;
    let Some(selected) = problems.get(screen.problem) else {
        let lines =
            ["the reader has nothing to complain about", "<corpora.sentences> shows the sentences"];
        return empty_state(frame, area, "Problems", &lines, view);
    };
    let split = [Constraint::Fill(1), Constraint::Length(DETAIL)];
    let [list, detail] = view.stack("corpora.problems", split, area);
    let title = format!("Problems {}/{}", screen.problem + 1, problems.len());
    let block = pane(title, theme, true);
    let inside = block.inner(list);
    frame.render_widget(block, list);
    let visible = moves::rows(view, "problems", inside, screen.problem, problems.len());
    for (y, place) in (inside.y..).zip(visible) {
        let problem = &problems[place];
        let line = format!("{}  {}: {}", place_of(problem), problem.kind, clean(&problem.message));
        let style = if place == screen.problem { theme.selected } else { theme.text };
        draw_row(frame, Rect { y, height: 1, ..inside }, &line, style);
    }
    let block = pane(place_of(selected), theme, false);
    let inside = block.inner(detail);
    frame.render_widget(block, detail);
    let width = usize::from(inside.width);
    let said = format!("{}: {}", selected.kind, selected.message);
    let mut lines: Vec<Line> = wrap(&clean(&said), width)
        .into_iter()
        .take(2)
        .map(|l| Line::styled(l, theme.text))
        .collect();
    if let Some(Some(excerpt)) = loaded.excerpts.get(screen.problem) {
        let (line, column) = shown(excerpt, width);
        lines.push(Line::raw(line));
        lines.push(Line::styled(format!("{:column$}^", ""), theme.accent));
    }
    frame.render_widget(Paragraph::new(lines), inside);
}

fn place_of(problem: &Problem) -> String {
    let file = problem.file.rsplit('/').next().unwrap_or_default();
    format!("{}:{}:{}", clean(file), problem.line, problem.column)
}

/// The excerpt in so many columns, with the problem in view, and the column of the problem.
/// Where the line goes on, a sign says so.
fn shown(excerpt: &Excerpt, width: usize) -> (String, usize) {
    let sign = |shown: bool| if shown { "…" } else { "" };
    // What is made visible may be longer, so it is done character by character.
    let cells: Vec<String> =
        excerpt.text.chars().map(|c| clean(c.encode_utf8(&mut [0; 4])).into_owned()).collect();
    let columns = |cell: &String| match cell.chars().next() {
        Some(c) if cell.len() == c.len_utf8() => c.width().unwrap_or(1),
        _ => cell.width(),
    };
    // Half of the room is for what stands before the problem.
    let (mut start, mut used) = (excerpt.before, 0);
    while start > 0 && used + columns(&cells[start - 1]) < width / 2 {
        start -= 1;
        used += columns(&cells[start]);
    }
    let left = sign(start > 0 || excerpt.cut.0);
    let mut text = left.to_owned();
    let column = used + left.width();
    let mut end = start;
    while end < cells.len() && text.width() + columns(&cells[end]) < width {
        text += &cells[end];
        end += 1;
    }
    text += sign(end < cells.len() || excerpt.cut.1);
    (text, column)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_problem_is_in_view_and_the_sign_stands_below_it() {
        for (text, before) in [("(S (NN a)))", 10), ("(S (NN 言語)))))", 9), (")", 0), ("", 0)] {
            let excerpt = Excerpt { text: text.into(), before, cut: (false, true) };
            for width in [8, 11, 40] {
                let (line, column) = shown(&excerpt, width);
                assert!(line.width() <= width && column < width, "{line:?} {column} in {width}");
                let mut at = 0;
                let under = line.chars().find(|c| {
                    let here = at == column;
                    at += c.width().unwrap_or(0);
                    here
                });
                assert_eq!(under, text.chars().nth(before).or(Some('…')), "{line:?} {column}");
            }
        }
    }
}
