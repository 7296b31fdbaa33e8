//! Which decisions made the selected candidate's margin.

use super::super::Rerank;
use super::super::book::Book;
use super::rows::{frame_of, signed};
use crate::workbench::screen::View;
use crate::workbench::text::{clean, fit};
use crate::workbench::widgets::{bar, empty_state};
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};

/// Columns of a figure, and of its bar.
const FIGURE: usize = 11;
const BAR: usize = 10;
/// Rows of a pane that are no decisions: margin, log-probability and others.
const FIXED: usize = 3;

pub fn draw(screen: &Rerank, book: &Book, frame: &mut Frame, area: Rect, view: &View) {
    let theme = view.theme;
    let k = screen.candidate;
    let title = format!("Why candidate {} has its margin over base choice", k + 1);
    let title = fit(&title, usize::from(area.width.saturating_sub(4))).into_owned();
    let nothing = |frame: &mut Frame, lines: &[&str]| {
        empty_state(frame, area, &title, lines, view);
    };
    let Some(ranked) = &book.ranked else {
        return nothing(
            frame,
            &["there is no reranker, and so no margin", "<rerank.open> opens one"],
        );
    };
    let Some(i) = screen.sentence() else {
        return nothing(frame, &["no sentence is selected"]);
    };
    if k == 0 {
        return nothing(
            frame,
            &[
                "this is the base choice itself",
                "<rerank.next-candidate> selects another candidate",
            ],
        );
    }
    let Some(parts) = screen.contributions() else {
        return nothing(frame, &["explaining the scores"]);
    };
    let block = frame_of(&title, area, false, view);
    let inside = block.inner(area);
    frame.render_widget(block, area);
    let height = usize::from(inside.height);
    let n = parts.decisions.len();
    // Where all fit no row is for others.
    let room = height.saturating_sub(FIXED - 1);
    let rows = if n <= room { n } else { height.saturating_sub(FIXED) };
    let from = screen.decision.min(n.saturating_sub(rows));
    let (shown, (others, rest)) = parts.split(from..from + rows);
    let largest = parts.largest();
    let style = |part: f64| if part < 0.0 { theme.error } else { theme.good };
    let line = |part: f64, name: String, named: Style| {
        let share = if largest > 0.0 { part.abs() / largest } else { 0.0 };
        let filled = bar(share, BAR).replace('░', " ");
        let room = usize::from(inside.width).saturating_sub(FIGURE + BAR + 3);
        Line::from(vec![
            Span::styled(signed(Some(part), FIGURE, 5), style(part)),
            Span::styled(format!(" {filled}  "), style(part)),
            Span::styled(fit(&name, room).into_owned(), named),
        ])
    };
    let mut lines = Vec::with_capacity(height);
    let margin = book.margin(i, k).unwrap_or(f64::NAN);
    let voted = ranked.scored[i].votes.is_some();
    let note = if voted { "margin of the mean weights (votes decide)" } else { "margin" };
    lines.push(line(margin, note.to_owned(), theme.title));
    let reranker = &ranked.tool.reranker;
    let base = format!("{}, times {}", reranker.settings.kernel.base_feature(), reranker.scale);
    lines.push(line(parts.log_prob, base, theme.text));
    for (decision, part) in shown {
        let name = clean(&ranked.tool.reranker.decision_name(*decision)).into_owned();
        lines.push(line(*part, name, theme.text));
    }
    if others > 0 {
        let name = match others {
            1 => "1 other decision".to_owned(),
            n => format!("{n} other decisions"),
        };
        lines.push(line(rest, name, theme.dim));
    }
    for (y, line) in (inside.y..inside.bottom()).zip(lines) {
        frame.render_widget(line, Rect { y, height: 1, ..inside });
    }
}
