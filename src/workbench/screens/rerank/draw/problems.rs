//! What the reader left out of the file, or found odd.

use super::super::Rerank;
use super::super::load::Loaded;
use super::rows::draw_row;
use crate::workbench::screen::View;
use crate::workbench::text::{clean, wrap};
use crate::workbench::widgets::{empty_state, moves, pane};
use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::text::Line;
use ratatui::widgets::Paragraph;

/// Rows for the selected problem.
const DETAIL: u16 = 5;

pub fn draw(screen: &Rerank, loaded: &Loaded, frame: &mut Frame, area: Rect, view: &View) {
    let theme = view.theme;
    let base =
        format!("format {}, logarithms to the base {}", loaded.format.name(), loaded.log_base);
    let Some(selected) = loaded.troubles.get(screen.problem) else {
        let lines = [
            "the reader has nothing to complain about",
            &base,
            "<rerank.problems> shows the lists",
        ];
        return empty_state(frame, area, "Problems", &lines, view);
    };
    let [list, detail] =
        Layout::vertical([Constraint::Fill(1), Constraint::Length(DETAIL)]).areas(area);
    let dropped = loaded.troubles.iter().filter(|trouble| trouble.is_drop).count();
    let title = format!(
        "Problems {}/{} · ✗ {dropped} left out · {base}",
        screen.problem + 1,
        loaded.troubles.len()
    );
    let block = pane(title, theme, true);
    let inside = block.inner(list);
    frame.render_widget(block, list);
    let visible = moves::rows(view, "problems", inside, screen.problem, loaded.troubles.len());
    for (y, place) in (inside.y..).zip(visible) {
        let trouble = &loaded.troubles[place];
        let line = format!("line {:>6} ", trouble.line);
        let (sign, style) = match trouble.is_drop {
            true => ("✗", theme.error),
            false => ("!", theme.warning),
        };
        let text = format!("{sign} {}", clean(&trouble.text));
        let pieces = vec![(line, theme.text), (text, style)];
        let row = Rect { y, height: 1, ..inside };
        draw_row(frame, row, pieces, place == screen.problem, view);
    }
    let title = match selected.sentence {
        Some(sentence) => format!("line {}, sentence {}", selected.line, sentence + 1),
        None => format!("line {}", selected.line),
    };
    let block = pane(title, theme, false);
    let inside = block.inner(detail);
    frame.render_widget(block, detail);
    let lines = wrap(&clean(&selected.text), usize::from(inside.width));
    let lines: Vec<Line> = lines.into_iter().map(|line| Line::styled(line, theme.text)).collect();
    frame.render_widget(Paragraph::new(lines), inside);
}
