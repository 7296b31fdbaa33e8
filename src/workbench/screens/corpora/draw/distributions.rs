//! Histograms of a corpus: lengths, depths, branching, labels and tags.

use super::super::Corpora;
use super::super::load::Loaded;
use super::parts::{draw_histogram, draw_lines, ranking};
use crate::workbench::screen::View;
use crate::workbench::widgets::moves;
use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::text::Line;

pub(super) fn draw(screen: &Corpora, loaded: &Loaded, frame: &mut Frame, area: Rect, view: &View) {
    let theme = view.theme;
    let measured = if screen.scored { &loaded.current } else { &loaded.as_read };
    let state = if screen.scored { "as scored" } else { "as read" };
    let s = &measured.statistics;
    let [top, bottom, below] =
        Layout::vertical([Constraint::Fill(1), Constraint::Fill(1), Constraint::Length(1)])
            .areas(area);
    let third = [Constraint::Fill(1); 3];
    let [lengths, depths, branching] = Layout::horizontal(third).areas(top);
    draw_histogram(&s.lengths, "Sentence lengths", frame, lengths, view);
    draw_histogram(&measured.shape.depths, "Depth of trees", frame, depths, view);
    draw_histogram(&measured.shape.branching, "Parts of phrases", frame, branching, view);
    let half = [Constraint::Fill(1); 2];
    let [labels, tags] = Layout::horizontal(half).areas(bottom);
    for (area, name, counts) in [(labels, "Labels", &s.labels), (tags, "Tags", &s.tags)] {
        let mut lines = ranking(counts, usize::from(area.width.saturating_sub(4)), theme.text);
        let at = screen.ranked.min(lines.len().saturating_sub(1));
        let rows = usize::from(area.height.saturating_sub(2));
        let visible = moves::visible(at, lines.len(), rows);
        let inside = Rect { y: area.y + 1, height: rows as u16, ..area };
        view.list("ranked", inside, visible.start, at, lines.len());
        let title = match counts.len() {
            0 => name.to_owned(),
            all => format!("{name} {}/{all}", at + 1),
        };
        if let Some(line) = lines.get_mut(at).filter(|_| !counts.is_empty()) {
            *line = std::mem::take(line).style(theme.selected);
        }
        draw_lines(frame, area, &title, lines.drain(visible).collect(), view);
    }
    let text = format!(
        " {state} · <corpora.scored> changes that · <corpora.up> and <corpora.down> go through labels and tags"
    );
    let text = view.say(&text).into_owned();
    frame.render_widget(Line::styled(text, theme.dim), below);
}
