//! The candidates of the selected sentence.

use super::super::book::Book;
use super::super::{Focus, Rerank};
use super::rows::{cell, draw_row, frame_of, signed, with_heading};
use crate::workbench::screen::View;
use crate::workbench::text::{clean, fit};
use crate::workbench::widgets::{empty_state, moves};
use ratatui::Frame;
use ratatui::layout::Rect;

/// Columns of the list where it stands beside that of the sentences.
pub const WIDTH: u16 = 74;

pub fn draw(screen: &Rerank, book: &Book, frame: &mut Frame, area: Rect, view: &View) {
    let theme = view.theme;
    let Some(i) = screen.sentence() else {
        return empty_state(frame, area, "Candidates", &["no sentence is selected"], view);
    };
    let list = &book.lists[i];
    let order = screen.candidates();
    let ranked = book.ranked.is_some();
    let gold = list.list.gold.is_some();
    let at = order.iter().position(|k| *k == screen.candidate).unwrap_or(0);
    let by = match ranked && !screen.base_order {
        true => "by reranker",
        false => "by base parser",
    };
    let mut title = match list.list.id.as_deref() {
        Some(id) => format!("Candidates of {}", clean(id)),
        None => format!("Candidates of sentence {}", i + 1),
    };
    if !order.is_empty() {
        title += &format!(" · {}/{} {by}", at + 1, order.len());
    }
    let title = fit(&title, usize::from(area.width.saturating_sub(4))).into_owned();
    if order.is_empty() {
        let why = [
            "the base parser has no candidate for it",
            "<rerank.problems> shows what was left out",
        ];
        return empty_state(frame, area, &title, &why, view);
    }
    let block = frame_of(&title, area, screen.focus == Focus::Candidates, view);
    let inside = block.inner(area);
    frame.render_widget(block, area);
    let mut heading = format!("  {:>4}", "base");
    if ranked {
        heading += &format!(" {:>4}", "rank");
    }
    heading += &format!(" {:>9}", "log P");
    if ranked {
        heading += &format!(" {:>9} {:>9}", "score", "margin");
    }
    if gold {
        heading += &format!(" {:>6}", "F1");
    }
    let body = with_heading(frame, inside, &heading, view);
    let (oracle, worst) = (book.oracle(i), book.worst(i));
    // Where all are equally good, none is the worst.
    let worst = worst.filter(|k| book.f1(i, *k) < oracle.and_then(|k| book.f1(i, k)));
    let visible = moves::rows(view, "candidates", body, at, order.len());
    for (y, place) in (body.y..).zip(visible) {
        let k = order[place];
        let is_choice = ranked && book.choice(i) == Some(k);
        let sign = if is_choice { "▶" } else { " " };
        let mut pieces =
            vec![(format!("{sign} "), theme.accent), (format!("{:>4}", k + 1), theme.text)];
        if ranked {
            let rank = book.rank(i, k).map_or("–".to_owned(), |rank| (rank + 1).to_string());
            pieces.push((format!(" {rank:>4}"), theme.text));
        }
        let log_prob = list.list.candidates[k].log_prob;
        pieces.push((format!(" {}", cell(Some(log_prob), 9, 3)), theme.text));
        if let Some(ranked) = &book.ranked {
            let score = ranked.scored[i].scores.get(k).copied();
            pieces.push((format!(" {}", cell(score, 9, 3)), theme.text));
            pieces.push((format!(" {}", signed(book.margin(i, k), 9, 3)), theme.text));
        }
        if gold {
            pieces.push((format!(" {}", cell(book.f1(i, k), 6, 2)), theme.text));
        }
        let mut words = Vec::new();
        if is_choice {
            words.push(("choice", theme.accent));
        }
        if k == 0 {
            words.push(("base", theme.text));
        }
        if oracle == Some(k) {
            words.push(("oracle", theme.good));
        }
        if worst == Some(k) {
            words.push(("anti-oracle", theme.warning));
        }
        for (n, (word, style)) in words.into_iter().enumerate() {
            let gap = if n == 0 { "  " } else { ", " };
            pieces.push((format!("{gap}{word}"), style));
        }
        draw_row(frame, Rect { y, height: 1, ..body }, pieces, place == at, view);
    }
}
