//! The list of the evaluations of one sentence.

use super::time::{Moment, Time};
use crate::render::SurprisalUnit;
use crate::workbench::screen::View;
use crate::workbench::shared::RunEntry;
use crate::workbench::text::{count, figure, fit};
use crate::workbench::widgets::{bar, moves};
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::Line;
use ratatui::widgets::Block;

/// Columns of the bar of F1.
const BAR: usize = 8;

pub(super) fn title(time: &Time) -> String {
    let playing = if time.is_playing() { " · playing" } else { "" };
    let (place, all) = (time.at() + 1, time.moments().len());
    format!("Sentence {} · evaluation {place}/{all}{playing}", time.number + 1)
}

/// What of the tree is not as it was at the evaluation before.
pub(super) fn change(time: &Time) -> Option<String> {
    let moment = time.shown();
    let before = time.moments().get(time.at().checked_sub(1)?)?;
    let since = format!("since step {}", count(before.step));
    match (moment.new, moment.gone) {
        _ if is_of_language_model(time) => None,
        (0, 0) => Some(format!("same tree {since}")),
        (new, gone) => Some(format!("{new} new, {gone} gone {since}")),
    }
}

fn is_of_language_model(time: &Time) -> bool {
    time.moments().iter().any(|m| !m.row.surprisals.is_empty())
}

/// A line an evaluation, the one in view selected.
pub(super) fn draw(
    time: &Time,
    (unit, block): (SurprisalUnit, Block),
    frame: &mut Frame,
    area: Rect,
    view: &View,
) {
    let (theme, run) = (view.theme, view.shared.selected_run());
    let inside = block.inner(area);
    frame.render_widget(block, area);
    let language_model = is_of_language_model(time);
    let heading = match language_model {
        true => "    step epoch     ppl    max",
        false => "    step epoch     F1           lp/word  new gone",
    };
    frame.render_widget(Line::styled(heading, theme.dim), Rect { height: 1, ..inside });
    let body = Rect { y: inside.y + 1, height: inside.height.saturating_sub(1), ..inside };
    let visible = moves::rows(view, "evaluations", body, time.at(), time.moments().len());
    for (y, place) in (body.y..).zip(visible) {
        let moment = &time.moments()[place];
        let figures = match language_model {
            true => scored(moment, unit),
            false => parsed(moment),
        };
        let text =
            format!("{:>8} {:>5} {figures}{}", moment.step, moment.epoch, marks(moment, run));
        let style = if place == time.at() { theme.selected } else { theme.text };
        let line_area = Rect { y, height: 1, ..body };
        frame.buffer_mut().set_style(line_area, style);
        let text = fit(&text, usize::from(body.width)).into_owned();
        frame.render_widget(Line::styled(text, style), line_area);
    }
}

fn none() -> String {
    "–".to_owned()
}

fn parsed(moment: &Moment) -> String {
    let row = &moment.row;
    let f1 = row.f1.map_or_else(none, |f1| format!("{f1:.1}"));
    let length = row.f1.map_or_else(|| " ".repeat(BAR), |f1| bar(f1 / 100.0, BAR));
    let per_word = row.per_word().map_or_else(none, figure);
    let changed = |n: usize| if n == 0 { String::new() } else { n.to_string() };
    let (new, gone) = (changed(moment.new), changed(moment.gone));
    format!("{f1:>6} {length} {per_word:>8} {new:>4} {gone:>4}")
}

fn scored(moment: &Moment, unit: SurprisalUnit) -> String {
    let perplexity = moment.row.perplexity().map_or_else(none, figure);
    let peak = moment.row.peak().map_or_else(none, |nats| format!("{:.1}", unit.of(nats)));
    format!("{perplexity:>7} {peak:>6}")
}

/// Which checkpoints have the weights of the evaluation, and whether its marginals were kept.
fn marks(moment: &Moment, run: Option<&RunEntry>) -> String {
    let checkpoints = run.into_iter().flat_map(|run| &run.history.checkpoints);
    let of_step = checkpoints.filter(|(_, step)| **step == moment.step);
    let marginals = moment.row.marginals.as_ref().map(|_| "heat");
    let all: Vec<&str> = of_step.map(|(name, _)| name.as_str()).chain(marginals).collect();
    if all.is_empty() { String::new() } else { format!("  {}", all.join(", ")) }
}
