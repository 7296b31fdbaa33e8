//! Twins of the selected sentence: a list, and both places side by side.

use super::super::Boost;
use super::super::book::Book;
use super::super::twins::{Twin, around};
use super::beside::{beside, draw_pane, frame_of};
use crate::analysis::conflicts::Place;
use crate::workbench::names::ScreenId;
use crate::workbench::screen::View;
use crate::workbench::text::{clean, fit, fit_end};
use crate::workbench::widgets::{empty_state, moves};
use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::text::{Line, Span};
use ratatui::widgets::Paragraph;
use unicode_width::UnicodeWidthStr;

/// Twins listed at most at a time.
const LISTED: u16 = 8;

pub fn draw(
    screen: &Boost,
    book: &Book,
    sentence: usize,
    frame: &mut Frame,
    area: Rect,
    view: &View,
) {
    let Some(twins) = screen.pairs.of(sentence) else {
        let busy = ["catalogue", "twins"]
            .iter()
            .any(|kind| view.shared.task(ScreenId::Boost, kind).is_some());
        let why: &[&str] = match busy {
            true => &["looking for what is annotated otherwise elsewhere"],
            false => {
                &["not looked for", "<boost.twins> shows the trees again, and once more looks"]
            }
        };
        return empty_state(frame, area, "Twins", why, view);
    };
    let Some(twin) = twins.get(screen.pairs.at) else {
        let why = [
            "nothing like it is annotated otherwise anywhere",
            "<boost.twins> shows the trees again",
        ];
        return empty_state(frame, area, "Twins", &why, view);
    };
    let rows = (twins.len() as u16).min(LISTED).min(area.height / 5).max(1) + 1;
    let [list, contexts, trees] =
        Layout::vertical([Constraint::Length(rows), Constraint::Length(2), Constraint::Fill(1)])
            .areas(area);
    draw_list(screen, twins, frame, list, view);
    draw_contexts(book, twin, frame, contexts, view);
    let (left, right) = beside(trees);
    let title = |what: &str, label: &str| format!("{what}: {}", clean(label));
    let (here, there) = (&screen.pairs.here, &screen.pairs.there);
    draw_pane(frame, left, &title("Here", &twin.label), here.as_ref(), view);
    let number = book.sentences.part.sentences[twin.there.sentence as usize].index;
    let what = format!("Sentence {number}");
    draw_pane(frame, right, &title(&what, &twin.other), there.as_ref(), view);
}

fn draw_list(screen: &Boost, twins: &[Twin], frame: &mut Frame, area: Rect, view: &View) {
    let theme = view.theme;
    let at = screen.pairs.at;
    let title = format!("Twins {}/{} · < and > turn", at + 1, twins.len());
    let block = frame_of(title, Rect { height: 3, ..area }, false, view);
    let inside = block.inner(area);
    frame.render_widget(block, area);
    let visible = moves::rows(view, "twins", inside, at, twins.len());
    for (y, place) in (inside.y..).zip(visible) {
        let twin = &twins[place];
        let counts: Vec<String> =
            twin.counts.iter().map(|(label, n)| format!("{} {n}", clean(label))).collect();
        let text = format!(
            "{:7} {} {} → {}  {}+{} around  ({})",
            twin.unit.name(),
            fit(&clean(&twin.nucleus), usize::from(inside.width / 3)),
            clean(&twin.label),
            clean(&twin.other),
            twin.shared.0,
            twin.shared.1,
            counts.join(", ")
        );
        let style = if place == at { theme.selected } else { theme.text };
        let line_area = Rect { y, height: 1, ..inside };
        frame.buffer_mut().set_style(line_area, style);
        let text = fit(&text, usize::from(inside.width)).into_owned();
        frame.render_widget(Line::styled(text, style), line_area);
    }
}

/// Both places with what stands around them, one below the other.
fn draw_contexts(book: &Book, twin: &Twin, frame: &mut Frame, area: Rect, view: &View) {
    let theme = view.theme;
    let width = usize::from(area.width);
    let line = |name: &str, place: Place| {
        let [left, own, right] = around(&book.sentences.part, place);
        let left = clean(&left).into_owned();
        let left = fit_end(&left, width / 3).into_owned();
        let pad = " ".repeat(width / 3 - left.width().min(width / 3));
        let own = fit(&clean(&own), width / 3).into_owned();
        Line::from(vec![
            Span::styled(format!(" {name:5} "), theme.dim),
            Span::styled(format!("{pad}{left} "), theme.text),
            Span::styled(own, theme.accent),
            Span::styled(format!(" {}", clean(&right)), theme.text),
        ])
    };
    let copies = if twin.copies > 1 { format!("×{}", twin.copies) } else { "there".into() };
    let lines = vec![line("here", twin.here), line(&copies, twin.there)];
    frame.render_widget(Paragraph::new(lines), area);
}
