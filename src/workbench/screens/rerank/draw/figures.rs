//! Figures of all sentences.

use super::super::Rerank;
use super::super::book::Book;
use super::super::summary::{Chooser, Summary};
use super::rows::{cell, signed};
use crate::evaluation::significance::Method;
use crate::workbench::names::ScreenId;
use crate::workbench::screen::View;
use crate::workbench::text::{clean, count, counted, fit};
use crate::workbench::theme::Theme;
use crate::workbench::widgets::{bar, empty_state, pane};
use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::text::{Line, Span};
use ratatui::widgets::Paragraph;

/// From this width on, both tables stand side by side.
const WIDE: u16 = 150;
const BAR: usize = 20;

pub fn draw(screen: &Rerank, book: &Book, frame: &mut Frame, area: Rect, view: &View) {
    let Some(summary) = &screen.summary else {
        let busy = view.shared.task(ScreenId::Rerank, "summary").is_some();
        let scoring = view.shared.task(ScreenId::Rerank, "scores").is_some();
        let reason = screen.unsummarised.as_deref().map(clean).unwrap_or_default();
        let lines: &[&str] = match () {
            () if book.with_gold == 0 => &[
                "no list has a gold tree: nothing can be scored",
                "<rerank.gold> attaches those of a treebank",
            ],
            () if busy => &["computing figures and p-values", "<.stop-task> stops it"],
            () if scoring => &["reranking the lists first"],
            () => &[&reason, "<rerank.reload> reads and computes again"],
        };
        return empty_state(frame, area, "Figures", lines, view);
    };
    let systems = summary.rows.len() as u16 + 6;
    let [first, second] = match area.width >= WIDE {
        true => Layout::horizontal([Constraint::Length(78), Constraint::Fill(1)]).areas(area),
        false => Layout::vertical([Constraint::Length(systems), Constraint::Fill(1)]).areas(area),
    };
    draw_systems(book, summary, frame, first, view);
    draw_lengths(screen, summary, frame, second, view);
}

fn draw_systems(book: &Book, summary: &Summary, frame: &mut Frame, area: Rect, view: &View) {
    let theme = view.theme;
    let block = pane("All sentences with gold trees, as evalb counts", theme, false);
    let inside = block.inner(area);
    frame.render_widget(block, area);
    let mut lines = vec![Line::styled(
        format!("{:12}{:>8}{:>8}{:>8}{:>10}{:>8}", "", "P", "R", "F1", "exact", "tags"),
        theme.dim,
    )];
    for (chooser, totals) in &summary.rows {
        let text = format!(
            "{:12}{}{}{}{}{}",
            chooser.name(),
            cell(Some(totals.precision()), 8, 2),
            cell(Some(totals.recall()), 8, 2),
            cell(Some(totals.f1()), 8, 2),
            cell(Some(totals.complete_match()), 10, 2),
            cell(Some(totals.tagging_accuracy()), 8, 2),
        );
        let style = if *chooser == Chooser::Reranker { theme.accent } else { theme.text };
        lines.push(Line::styled(text, style));
    }
    if let Some((p, method)) = summary.p {
        let [precision, recall, f1] = p;
        let method = match method {
            Method::Exact => "all exchanges".to_owned(),
            Method::Shuffles(n) => format!("{} exchanges", count(n)),
        };
        let text = format!(
            "{:12}{precision:>8.4}{recall:>8.4}{f1:>8.4}  reranked, by {method}",
            "p-value"
        );
        lines.push(Line::styled(text, theme.text));
        let Summary { better, worse, equal, .. } = summary;
        let changed = better + worse + equal;
        lines.push(Line::styled(
            format!(
                "choice changed in {changed}: F1 rose in {better}, fell in {worse}, same in {equal}"
            ),
            theme.text,
        ));
    }
    let mut notes = vec![counted(book.with_gold as u64, "sentence")];
    if summary.errors > 0 {
        notes.push(format!("{} could not be compared", summary.errors));
    }
    let without = book.lists.len() - book.with_gold;
    if without > 0 {
        notes.push(format!("{} without gold tree left out", count(without as u64)));
    }
    lines.push(Line::styled(notes.join(" · "), theme.dim));
    frame.render_widget(Paragraph::new(lines), inside);
}

fn draw_lengths(screen: &Rerank, summary: &Summary, frame: &mut Frame, area: Rect, view: &View) {
    let theme = view.theme;
    let block = pane("F1 by words of the sentence", theme, true);
    let inside = block.inner(area);
    frame.render_widget(block, area);
    let mut heading = format!("{:>9}{:>10}", "words", "sentences");
    for (chooser, _) in &summary.rows {
        heading += &format!("{:>12}", chooser.name());
    }
    let reranked = summary.rows.iter().position(|(who, _)| *who == Chooser::Reranker);
    if reranked.is_some() {
        heading += &format!("{:>8}", "gain");
    }
    let mut lines = vec![Line::styled(heading, theme.dim)];
    let rows = usize::from(inside.height).saturating_sub(1);
    let from = screen.length.min(summary.lengths.len().saturating_sub(rows));
    let most = summary.lengths.iter().filter_map(|row| Some((row.f1[reranked?] - row.f1[0]).abs()));
    let most = most.fold(0.0, f64::max);
    for row in summary.lengths.iter().skip(from) {
        let lengths = match row.lengths.from == row.lengths.to {
            true => row.lengths.from.to_string(),
            false => format!("{}–{}", row.lengths.from, row.lengths.to),
        };
        let mut text = format!("{lengths:>9}{:>10}", count(row.sentences));
        for f1 in &row.f1 {
            text += &cell(Some(*f1).filter(|f1| f1.is_finite()), 12, 2);
        }
        let mut spans = vec![Span::styled(text, theme.text)];
        if let Some(at) = reranked {
            spans.extend(gain(row.f1[at] - row.f1[0], most, theme));
        }
        lines.push(Line::from(spans));
    }
    let lines: Vec<Line> = lines.into_iter().take(usize::from(inside.height)).collect();
    frame.render_widget(Paragraph::new(lines), inside);
    if from + rows < summary.lengths.len() || from > 0 {
        let text = format!(" {}–{} of {} ", from + 1, from + rows, summary.lengths.len());
        let text = fit(&text, usize::from(area.width.saturating_sub(4))).into_owned();
        let place = Rect { y: area.bottom() - 1, height: 1, ..area };
        frame.render_widget(Line::styled(text, theme.accent).right_aligned(), place);
    }
}

/// The gain with a bar; its sign stands before it.
fn gain<'a>(gain: f64, most: f64, theme: &Theme) -> Vec<Span<'a>> {
    let style = if gain < 0.0 { theme.error } else { theme.good };
    let share = if most > 0.0 { gain.abs() / most } else { 0.0 };
    let bar = bar(share, BAR).replace('░', " ");
    vec![Span::styled(signed(Some(gain), 8, 2), style), Span::styled(format!(" {bar}"), style)]
}
