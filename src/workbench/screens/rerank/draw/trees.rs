//! The selected candidate beside what it is compared with.

use super::super::Rerank;
use super::super::book::Book;
use super::super::panes::Against;
use super::rows::frame_of;
use crate::render::Mark;
use crate::workbench::screen::View;
use crate::workbench::widgets::{TreePane, empty_state};
use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::text::{Line, Span};

/// From this width on, trees stand side by side.
const WIDE: u16 = 100;
/// From this height on, trees stand one above the other in narrow terminals.
const TALL: u16 = 24;

pub fn draw(screen: &Rerank, book: &Book, frame: &mut Frame, area: Rect, view: &View) {
    let theme = view.theme;
    let Some(i) = screen.sentence() else {
        return empty_state(frame, area, "Trees", &["no sentence is selected"], view);
    };
    let panes = &screen.panes;
    let [facts, body] = Layout::vertical([Constraint::Length(1), Constraint::Fill(1)]).areas(area);
    let against = screen.against();
    if panes.candidate.is_some() {
        let spurious = panes.spurious;
        let marks = [
            (Mark::Matched, panes.matched, theme.good),
            (Mark::Missing, panes.missing, theme.warning),
            (Mark::Spurious, spurious, theme.reference),
            (Mark::Crossing, panes.crossing, theme.error),
        ];
        let mark = |(mark, n, style): (Mark, usize, _)| {
            let sign = mark.symbol(!theme.unicode);
            Span::styled(format!("{sign} {n} {}   ", mark.name()), style)
        };
        let what = match against {
            Against::Gold => " against gold:  ",
            Against::Base => " against base:  ",
        };
        let spans = std::iter::once(Span::styled(what, theme.dim)).chain(marks.map(mark));
        frame.render_widget(Line::from_iter(spans), facts);
    }
    let (left, right) = beside(body);
    pane(frame, left, against.name(), panes.reference.as_ref(), view);
    let candidate = screen.candidate + 1;
    let whose = match book.choice(i) == Some(screen.candidate) && book.ranked.is_some() {
        true => format!("Reranked choice: candidate {candidate}"),
        false => format!("Candidate {candidate}"),
    };
    let title = format!("{whose} · {}", screen.layout.name());
    let title = if right.width < WIDE / 2 { whose } else { title };
    pane(frame, right, &title, panes.candidate.as_ref(), view);
}

/// Places for two trees; they need rows more than columns.
fn beside(area: Rect) -> (Rect, Rect) {
    let split = [Constraint::Fill(1), Constraint::Fill(1)];
    let areas: [Rect; 2] = if area.width >= WIDE || area.height < TALL {
        Layout::horizontal(split).areas(area)
    } else {
        Layout::vertical(split).areas(area)
    };
    areas.into()
}

fn pane(frame: &mut Frame, area: Rect, title: &str, tree: Option<&TreePane>, view: &View) {
    match tree {
        Some(tree) => {
            let block = frame_of("", area, false, view);
            tree.draw_framed(frame, area, block, title, view.theme);
        }
        None => empty_state(frame, area, title, &["there is no tree"], view),
    }
}
