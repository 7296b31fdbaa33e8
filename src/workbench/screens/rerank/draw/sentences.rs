//! The list of sentences.

use super::super::book::Book;
use super::super::listing::complaint;
use super::super::{Focus, Rerank};
use super::rows::{cell, draw_row, frame_of, signed, with_heading};
use crate::workbench::screen::View;
use crate::workbench::text::{clean, fit};
use crate::workbench::widgets::moves;
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::Line;

pub fn draw(screen: &Rerank, book: &Book, frame: &mut Frame, area: Rect, view: &View) {
    let theme = view.theme;
    let place = if screen.order.is_empty() { 0 } else { screen.at + 1 };
    let mut title = format!("Sentences {place}/{} · {}", screen.order.len(), screen.sort.name());
    if screen.reversed {
        title += ", reversed";
    }
    if screen.only_changed && book.ranked.is_some() {
        title += " · changed only";
    }
    if !screen.filter.is_empty() {
        title += &format!(" · with {}", clean(screen.filter.text()));
    }
    if let Some(complaint) = complaint(screen.filter.text()) {
        title += &format!(" · {complaint}");
    }
    let title = fit(&title, usize::from(area.width.saturating_sub(4))).into_owned();
    let block = frame_of(&title, area, screen.focus == Focus::Sentences, view);
    let inside = block.inner(area);
    frame.render_widget(block, area);
    if screen.order.is_empty() {
        let why = view.say("no sentence fits; <rerank.clear> shows all").into_owned();
        return frame.render_widget(Line::styled(why, theme.dim), inside);
    }
    let (ranked, gold) = (book.ranked.is_some(), book.with_gold > 0);
    let mut heading = format!("{:>5} {:>3} {:>3}", "no", "len", "n");
    if ranked {
        heading += &format!(" {:>6}", "choice");
    }
    if gold {
        heading += &format!(" {:>5}", "base");
    }
    if ranked && gold {
        heading += &format!(" {:>6}", "rerank");
    }
    if gold {
        heading += &format!(" {:>6}", "oracle");
    }
    if ranked && gold {
        heading += &format!(" {:>5}", "gain");
    }
    if ranked {
        heading += &format!(" {:>6}", "margin");
    }
    heading += "  words";
    let body = with_heading(frame, inside, &heading, view);
    let visible = moves::rows(view, "sentences", body, screen.at, screen.order.len());
    for (y, place) in (body.y..).zip(visible) {
        let i = screen.order[place] as usize;
        let list = &book.lists[i].list;
        let mut pieces = vec![(
            format!("{:>5} {:>3} {:>3}", i + 1, list.words.len(), list.candidates.len()),
            theme.text,
        )];
        let choice = book.choice(i);
        if ranked {
            let changed = choice.is_some_and(|k| k > 0);
            let text = match choice {
                Some(k) if changed => format!("1→{}", k + 1),
                Some(_) => "1".to_owned(),
                None => "–".to_owned(),
            };
            pieces.push((format!(" {text:>6}"), if changed { theme.accent } else { theme.dim }));
        }
        let f1 = |k: Option<usize>| book.f1(i, k?);
        if gold {
            pieces.push((format!(" {}", cell(f1(Some(0)), 5, 1)), theme.text));
        }
        if ranked && gold {
            pieces.push((format!(" {}", cell(f1(choice), 6, 1)), theme.text));
        }
        if gold {
            pieces.push((format!(" {}", cell(f1(book.oracle(i)), 6, 1)), theme.dim));
        }
        if ranked && gold {
            let gain = book.gain(i);
            let style = match gain {
                Some(gain) if gain > 0.0 => theme.good,
                Some(gain) if gain < 0.0 => theme.error,
                _ => theme.dim,
            };
            pieces.push((format!(" {}", signed(gain, 5, 1)), style));
        }
        if ranked {
            let margin = choice.and_then(|k| book.margin(i, k));
            pieces.push((format!(" {}", signed(margin, 6, 2)), theme.text));
        }
        pieces.push((format!("  {}", clean(&list.words.join(" "))), theme.text));
        draw_row(frame, Rect { y, height: 1, ..body }, pieces, place == screen.at, view);
    }
}
