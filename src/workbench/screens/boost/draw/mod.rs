//! The picture of Boost.

mod beside;
mod figures;
mod sentences;
mod twins;

use super::book::Book;
use super::{Boost, Page};
use crate::config::{Sampling, Update};
use crate::workbench::names::ScreenId;
use crate::workbench::screen::View;
use crate::workbench::shared::{RunEntry, Standing};
use crate::workbench::text::{clean, count, fit, wrap};
use crate::workbench::widgets::{GONE, empty_state};
use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::text::{Line, Span};
use ratatui::widgets::Paragraph;
use unicode_width::UnicodeWidthStr;

/// From this size on, figures and sentences are seen together.
const LARGE: (u16, u16) = (150, 44);

pub fn draw(screen: &Boost, frame: &mut Frame, area: Rect, view: &View) {
    let Some(book) = &screen.book else {
        return draw_nothing(screen, frame, area, view);
    };
    let [head, body] = Layout::vertical([Constraint::Length(2), Constraint::Fill(1)]).areas(area);
    draw_head(screen, book, frame, head, view);
    let large = area.width >= LARGE.0 && area.height >= LARGE.1;
    if large && !screen.zoomed {
        let rows = (book.rounds.len() as u16 + 4).clamp(14, body.height * 2 / 5);
        let split = [Constraint::Length(rows), Constraint::Fill(1)];
        let [above, below] = view.stack("boost.figures", split, body);
        figures::draw(screen, book, frame, above, view);
        sentences::draw(screen, book, frame, below, view);
    } else if screen.page == Page::Figures {
        figures::draw(screen, book, frame, body, view);
    } else {
        sentences::draw(screen, book, frame, body, view);
    }
}

/// What is shown, and by which rules it came to be.
fn draw_head(screen: &Boost, book: &Book, frame: &mut Frame, area: Rect, view: &View) {
    let theme = view.theme;
    let name = view.shared.run(book.run).map(|run| view.shared.label(run)).unwrap_or_default();
    let page = &book.rounds[screen.round()];
    let last = book.rounds.last().map_or(0, |page| page.kept.number);
    let planned = book.config.ensemble.rounds;
    let thing = if book.is_boosting() { "round" } else { "bag" };
    let mut text = match page.kept.number {
        0 => " · single parser".to_owned(),
        number => format!(" · {thing} {number} of {last}"),
    };
    if (last as usize) < planned {
        let standing = view.shared.run(book.run).map(|run| run.standing());
        text += &match standing {
            Some(Standing::Stopped | Standing::Died | Standing::Failed) => view
                .say(&format!(" ({planned} planned: <.runs> <runs.resume> goes on)"))
                .into_owned(),
            _ => format!(" ({planned} planned)"),
        };
    }
    let verdicts = screen.given.len();
    if verdicts > 0 {
        text += &format!(" · {verdicts} verdict{}", if verdicts == 1 { "" } else { "s" });
    }
    let n = book.sentences.len();
    let plural = if n == 1 { "" } else { "s" };
    text += &format!(" · {} training sentence{plural}", count(n as u64));
    if let Some((part, n)) = book.held_out {
        text += &format!(", {} {part}", count(n as u64));
    }
    let name = clean(&name);
    let room = usize::from(area.width).saturating_sub(name.width() + 1);
    let first = Line::from(vec![
        Span::styled(format!(" {name}"), theme.title),
        Span::styled(fit(&text, room).into_owned(), theme.text),
    ]);
    let counted = "constituents as evalb counts them";
    let sampling = match book.config.ensemble.sampling {
        Sampling::Reweight => "reweighted",
        Sampling::Resample => "resampled",
    };
    let (rules, style) = match (book.is_boosting(), book.config.ensemble.update) {
        (false, _) => (format!(" {counted} · bags drawn with replacement"), theme.dim),
        (true, Update::Default) => (format!(" {counted} · update: default, {sampling}"), theme.dim),
        (true, Update::Literal) => (
            format!(" {counted} · update: literal, {sampling}: ranks by length after some rounds"),
            theme.warning,
        ),
    };
    let none_votes = book.rounds.iter().all(|page| page.kept.vote.is_none());
    let (rules, style) = match none_votes {
        true => {
            let text =
                " no round has a vote: errors (1/2m at least) are half of the weight or more";
            (text.to_owned(), theme.warning)
        }
        false => (rules, style),
    };
    let (rules, style) = match &book.damage {
        Some(damage) => (format!(" rounds behind {last} are left out: {damage}"), theme.error),
        None => (rules, style),
    };
    let rules = match view.shared.selected == Some(book.run) {
        true => rules,
        false => format!(" the selected run has no rounds: these are others ·{rules}"),
    };
    let rules = fit(&rules, usize::from(area.width)).into_owned();
    frame.render_widget(Paragraph::new(vec![first, Line::styled(rules, style)]), area);
}

/// Before there are rounds: why, and what to do.
fn draw_nothing(screen: &Boost, frame: &mut Frame, area: Rect, view: &View) {
    let run = view.shared.boosted_run();
    let reading = view.shared.task(ScreenId::Boost, "rounds").is_some();
    let failure = screen.failure.as_deref().map(clean).unwrap_or_default();
    let failure = wrap(&failure, usize::from(area.width.saturating_sub(4)));
    let failed: Vec<&str> =
        failure.iter().map(String::as_str).chain(["press <boost.reload> to try again"]).collect();
    let ended = run.and_then(|run| ended(run, usize::from(area.width.saturating_sub(4))));
    let ended: Option<Vec<&str>> = ended.as_ref().map(|l| l.iter().map(String::as_str).collect());
    let lines: &[&str] = match run {
        None => &[
            "no run is selected",
            "press <.runs> to choose one from the list of runs",
            "`rankspace boost --train FILES --test FILES` makes one",
        ],
        Some(run) if run.gone => &GONE,
        Some(run) if run.config.is_none() && !view.shared.listed => &["reading the run's settings"],
        Some(run) if !run.is_ensemble() => &[
            "the selected run neither bags nor boosts",
            "press <.runs> to choose another one from the list of runs",
            "`rankspace boost --train FILES --test FILES` makes one",
        ],
        _ if reading => &["reading the rounds"],
        _ if screen.failure.is_some() => &failed,
        _ => match &ended {
            Some(ended) => ended,
            None => &["no round is complete yet", "the first one comes by itself"],
        },
    };
    empty_state(frame, area, "Boost", lines, view);
}

/// Why no round comes by itself, if the run has ended before the first; in so many columns.
fn ended(run: &RunEntry, width: usize) -> Option<Vec<String>> {
    let how = match run.standing() {
        Standing::Failed => "the run failed before its first round was complete",
        Standing::Stopped => "the run was stopped before its first round was complete",
        Standing::Died => "the run's process ended before its first round was complete",
        Standing::Finished => "the run is finished and has no round",
        _ => return None,
    };
    let reason = run.history.reason.as_deref().map(clean).unwrap_or_default();
    let mut lines = vec![how.to_owned()];
    lines.extend(wrap(&reason, width).into_iter().filter(|line| !line.is_empty()));
    lines.push(
        "press <.log> for its messages, or <.runs> and <runs.resume> to begin again".to_owned(),
    );
    Some(lines)
}
