//! The list of sentences with the selected one's tree, or with the tree before and after
//! preprocessing.

use super::super::Corpora;
use super::super::load::Loaded;
use super::parts::draw_row;
use crate::workbench::screen::View;
use crate::workbench::text::{clean, fit, wrap};
use crate::workbench::widgets::{TreePane, empty_state, moves, pane};
use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::text::Line;
use ratatui::widgets::Paragraph;
use unicode_width::UnicodeWidthStr;

/// Rows for what preprocessing did, with their frame.
const EFFECT: u16 = 5;

pub(super) fn draw(screen: &Corpora, loaded: &Loaded, frame: &mut Frame, area: Rect, view: &View) {
    let rows = if screen.compared { area.height / 4 } else { area.height / 3 };
    let split = [Constraint::Length(rows.max(5)), Constraint::Fill(1)];
    let [list, rest] = view.stack("corpora.sentences", split, area);
    draw_list(screen, loaded, frame, list, view);
    let layout = [screen.layout.name(), &screen.fold.words(screen.levels())].concat();
    if !screen.compared {
        let state = match (screen.scored, screen.has_gaps()) {
            (true, _) => "as it is scored",
            (false, false) => "as it stands in the file",
            (false, true) => "as it stands in the file, its gaps closed",
        };
        let title = titled(screen, &format!("{layout} · {state}"), rest);
        return draw_tree(screen, screen.pane.as_ref(), &title, frame, rest, view);
    }
    let [effect, trees] =
        Layout::vertical([Constraint::Length(EFFECT), Constraint::Fill(1)]).areas(rest);
    draw_effect(screen, frame, effect, view);
    if screen.as_read.is_none() && screen.as_scored.is_none() {
        return draw_tree(screen, None, "", frame, trees, view);
    }
    let [before, after] = view.columns("corpora.compared", [Constraint::Fill(1); 2], trees);
    let gaps = if screen.has_gaps() { ", gaps closed" } else { "" };
    let title = titled(screen, &format!("before{gaps}"), before);
    draw_tree(screen, screen.as_read.as_ref(), &title, frame, before, view);
    let title = format!("after · {layout}");
    draw_tree(screen, screen.as_scored.as_ref(), &title, frame, after, view);
}

/// A title with the place of the selected tree behind it, as much of that as there is room for
/// beside what a tree says of the part in view.
fn titled(screen: &Corpora, title: &str, area: Rect) -> String {
    /// Columns of the frame and of the part in view.
    const BESIDE: usize = 20;
    let Some(tree) = screen.selected().and_then(|s| s.tree.as_ref()) else { return title.into() };
    let line = tree.place.line;
    let file = clean(tree.place.file.rsplit('/').next().unwrap_or_default());
    let places = [format!("{title} · {file}:{line}"), format!("{title} · line {line}")];
    let fits = |text: &String| text.width() + BESIDE <= usize::from(area.width);
    places.into_iter().find(fits).unwrap_or_else(|| title.into())
}

fn draw_list(screen: &Corpora, loaded: &Loaded, frame: &mut Frame, area: Rect, view: &View) {
    let theme = view.theme;
    let place = if screen.order.is_empty() { 0 } else { screen.sentence + 1 };
    let mut title = format!("Sentences {place}/{}", screen.order.len());
    if let Some(place) = screen.search.place(&screen.order, screen.sentence) {
        title += &format!(" · {place}{}", screen.search.listed(&screen.order));
    }
    if !screen.filter.is_empty() {
        title += &format!(" · with {}", clean(screen.filter.text()));
    }
    let title = fit(&title, usize::from(area.width.saturating_sub(4))).into_owned();
    let block = pane(title, theme, true);
    let inside = block.inner(area);
    frame.render_widget(block, area);
    if screen.order.is_empty() {
        frame.render_widget(
            Line::styled(
                view.say("no sentence fits; <corpora.clear> shows all").into_owned(),
                theme.dim,
            ),
            inside,
        );
    }
    let visible = moves::rows(view, "sentences", inside, screen.sentence, screen.order.len());
    for (y, place) in (inside.y..).zip(visible) {
        let sentence = &loaded.corpus.sentences[screen.order[place]];
        // The number of matches stands behind that of words.
        let hits = screen.search.count(screen.order[place]).map(|n| format!(" {n:>3}×"));
        let hits = hits.unwrap_or_default();
        let line = format!(
            "{:>6} {:>4}{}  {}",
            sentence.index + 1,
            sentence.len(),
            hits,
            clean(&sentence.surface.join(" "))
        );
        let style = if place == screen.sentence { theme.selected } else { theme.text };
        draw_row(frame, Rect { y, height: 1, ..inside }, &line, style);
    }
}

fn draw_tree(
    screen: &Corpora,
    tree: Option<&TreePane>,
    title: &str,
    frame: &mut Frame,
    area: Rect,
    view: &View,
) {
    let Some(tree) = tree else {
        let lines: &[&str] = match screen.selected() {
            Some(_) => &["this sentence has no tree in the file"],
            None => &["no sentence is selected"],
        };
        return empty_state(frame, area, "Tree", lines, view);
    };
    tree.draw_framed(frame, area, pane("", view.theme, false), title, view.theme);
}

/// The words before and after, and what each step did.
fn draw_effect(screen: &Corpora, frame: &mut Frame, area: Rect, view: &View) {
    let theme = view.theme;
    let block = pane("Preprocessing of this sentence", theme, false);
    let inside = block.inner(area);
    frame.render_widget(block, area);
    let (Some(effect), Some(sentence)) = (&screen.effect, screen.selected()) else {
        let line = Line::styled("no sentence is selected", theme.dim);
        return frame.render_widget(line, inside);
    };
    let width = usize::from(inside.width);
    let row = |name: &str, text: &str| fit(&format!("{name:7}{}", clean(text)), width).into_owned();
    let mut lines = vec![
        Line::styled(row("before", &effect.before()), theme.text),
        Line::styled(row("after", &sentence.words.join(" ")), theme.text),
    ];
    let summary = effect.summary();
    let rest = wrap(&clean(&summary), width);
    let room = usize::from(inside.height).saturating_sub(lines.len());
    let cut = rest.len() > room;
    lines.extend(rest.into_iter().take(room).map(|line| Line::styled(line, theme.dim)));
    if let Some(last) = lines.last_mut().filter(|_| cut) {
        *last = Line::styled(fit(&format!("{last} …"), width).into_owned(), theme.dim);
    }
    frame.render_widget(Paragraph::new(lines), inside);
}
