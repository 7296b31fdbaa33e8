//! The picture of Rerank.

mod candidates;
mod decisions;
mod figures;
mod problems;
mod rows;
mod sentences;
mod trees;

use super::book::Book;
use super::load::Loaded;
use super::summary::Chooser;
use super::training::share_done;
use super::{Focus, Page, Rerank};
use crate::report::counted;
use crate::workbench::names::ScreenId;
use crate::workbench::screen::View;
use crate::workbench::text::{clean, count, fit, fit_end, wrap};
use crate::workbench::widgets::empty_state;
use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::Style;
use ratatui::text::Line;
use ratatui::widgets::Paragraph;

/// Columns of a reranker's name where there are few.
const NAME: usize = 12;
/// From this size on, both lists stand side by side, and trees and decisions too.
const LARGE: (u16, u16) = (150, 40);

pub fn draw(screen: &Rerank, frame: &mut Frame, area: Rect, view: &View) {
    let (Some(book), Some(loaded)) = (&screen.book, &screen.loaded) else {
        return draw_nothing(screen, frame, area, view);
    };
    let [head, body, input] = Layout::vertical([
        Constraint::Length(2),
        Constraint::Fill(1),
        Constraint::Length(u16::from(screen.filtering)),
    ])
    .areas(area);
    draw_head(screen, book, loaded, frame, head, view);
    if screen.filtering {
        screen.filter.draw(frame, input, " filter: ", true, view.theme);
    }
    match screen.page {
        Page::Lists if book.lists.is_empty() => {
            let lines = [
                "the file has no sentence",
                "<rerank.open> opens another one",
                "<rerank.problems> shows problems",
            ];
            empty_state(frame, body, "Sentences", &lines, view);
        }
        Page::Lists => draw_lists(screen, book, frame, body, view),
        Page::Figures => figures::draw(screen, book, frame, body, view),
        Page::Problems => problems::draw(screen, loaded, frame, body, view),
    }
}

fn draw_lists(screen: &Rerank, book: &Book, frame: &mut Frame, area: Rect, view: &View) {
    if screen.zoomed {
        return draw_below(screen, book, frame, area, view);
    }
    if area.width >= LARGE.0 && area.height >= LARGE.1 {
        let split = [Constraint::Fill(2), Constraint::Fill(3)];
        let [above, below] = view.stack("rerank.lists", split, area);
        let columns = [Constraint::Fill(1), Constraint::Length(candidates::WIDTH)];
        let [left, right] = view.columns("rerank.candidates", columns, above);
        sentences::draw(screen, book, frame, left, view);
        candidates::draw(screen, book, frame, right, view);
        let columns = [Constraint::Fill(1), Constraint::Length(candidates::WIDTH)];
        let [trees, why] = view.columns("rerank.decisions", columns, below);
        trees::draw(screen, book, frame, trees, view);
        return decisions::draw(screen, book, frame, why, view);
    }
    // The list that the keys are about has more rows.
    let rows = |most: u16| (most * area.height / 19).max(most);
    let (sentences, candidates) = match screen.focus {
        Focus::Sentences => (rows(7), rows(5)),
        Focus::Candidates => (rows(4), rows(8)),
    };
    let split = [Constraint::Length(sentences + candidates), Constraint::Fill(1)];
    let [lists, below] = view.stack("rerank.above", split, area);
    let split = [Constraint::Fill(sentences), Constraint::Fill(candidates)];
    let [first, second] = Layout::vertical(split).areas(lists);
    sentences::draw(screen, book, frame, first, view);
    candidates::draw(screen, book, frame, second, view);
    draw_below(screen, book, frame, below, view);
}

fn draw_below(screen: &Rerank, book: &Book, frame: &mut Frame, area: Rect, view: &View) {
    match screen.decisions {
        true => decisions::draw(screen, book, frame, area, view),
        false => trees::draw(screen, book, frame, area, view),
    }
}

/// What is shown, who reranks it, and how good that is; or why there is no such figure.
fn draw_head(
    screen: &Rerank,
    book: &Book,
    loaded: &Loaded,
    frame: &mut Frame,
    area: Rect,
    view: &View,
) {
    let theme = view.theme;
    let width = usize::from(area.width);
    let mut first = format!(
        " {} · {} · {} {}, {} {}",
        clean(&loaded.source.name()),
        loaded.format.name(),
        count(book.lists.len() as u64),
        crate::report::plural(&book.lists.len(), "sentence"),
        count(book.candidates as u64),
        crate::report::plural(&book.candidates, "candidate"),
    );
    let problems = loaded.troubles.len();
    let mut style = theme.title;
    if problems > 0 {
        first += &format!(" · p: {}", counted(problems, "problem"));
        style = theme.warning;
    }
    let n = book.lists.len();
    if book.with_gold > 0 && book.with_gold < n {
        first += &format!(" · {} without gold", count((n - book.with_gold) as u64));
    }
    let (second, second_style) = second_line(screen, book, width, view);
    let lines = vec![
        Line::styled(fit(&first, width).into_owned(), style),
        Line::styled(fit(&second, width).into_owned(), second_style),
    ];
    frame.render_widget(Paragraph::new(lines), area);
}

/// Who reranks, and how good that is, in as many words as there is room for.
fn second_line(screen: &Rerank, book: &Book, width: usize, view: &View) -> (String, Style) {
    let lines = Words::ALL.map(|words| second_line_in(words, screen, book, view));
    let fits = lines.iter().position(|(text, _)| text.chars().count() <= width);
    let [.., shortest] = &lines;
    fits.map_or(shortest, |at| &lines[at]).clone()
}

/// How much is said.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Words {
    All,
    /// F1 as base → reranked.
    Fewer,
    /// The same, without the p-value.
    Few,
    /// And without the oracle.
    Fewest,
}

impl Words {
    const ALL: [Words; 4] = [Words::All, Words::Fewer, Words::Few, Words::Fewest];
}

fn second_line_in(words: Words, screen: &Rerank, book: &Book, view: &View) -> (String, Style) {
    let theme = view.theme;
    let busy = |kind: &str| view.shared.task(ScreenId::Rerank, kind).is_some();
    let mut parts: Vec<String> = Vec::new();
    let mut style = theme.dim;
    match (&book.ranked, &screen.tool_failure) {
        (Some(ranked), _) => {
            let kernel = ranked.tool.reranker.settings.kernel.name();
            let name = clean(&ranked.tool.name);
            let short = name.trim_end_matches(".safetensors");
            let mut text = match words {
                Words::All => format!("{name}: {kernel}"),
                _ => format!("{}: {kernel}", fit_end(short, NAME)),
            };
            if screen.knows {
                style = theme.warning;
                text += ", trained on these lists";
            }
            parts.push(text);
        }
        (None, _) if busy("scores") || busy("reranker") => parts.push("reranking".to_owned()),
        (None, Some(reason)) => {
            style = theme.error;
            parts.push(format!("not reranked: {}", clean(reason)));
        }
        (None, None) => {
            style = theme.warning;
            // Without gold trees none can be trained.
            let trains = if book.with_gold > 0 { ", <rerank.learn> trains one" } else { "" };
            parts.push(format!("no reranker, so no scores: <rerank.open> opens{trains}"));
        }
    }
    if let Some(share) = share_done(view.shared.selected_run()) {
        style = theme.accent;
        let text = if words == Words::All { "training a reranker" } else { "training" };
        parts.insert(0, format!("{text}: {share} %"));
    }
    match &screen.summary {
        _ if book.with_gold == 0 => {
            style = theme.warning;
            parts.push("no gold, so no F1: <rerank.gold> attaches".to_owned());
        }
        Some(summary) => {
            let f1 =
                |chooser| summary.f1(chooser).map_or("–".to_owned(), |f1| format!("{f1:.2}"));
            let base = f1(Chooser::Base);
            let mut text = format!("F1 base {base}");
            if let Some((p, _)) = summary.p {
                let (reranked, p) = (f1(Chooser::Reranker), p[2]);
                text = match words {
                    Words::All => format!("{text}, reranked {reranked} (p {p:.4})"),
                    Words::Fewer => format!("{text} → {reranked} (p {p:.4})"),
                    Words::Few | Words::Fewest => format!("{text} → {reranked}"),
                };
            }
            if words != Words::Fewest {
                text += &format!(", oracle {}", f1(Chooser::Oracle));
            }
            parts.push(text);
        }
        None if busy("summary") => parts.push("computing figures".to_owned()),
        None => {}
    }
    (view.say(&format!(" {}", parts.join(" · "))).into_owned(), style)
}

/// Before there are lists: why, and what to do.
fn draw_nothing(screen: &Rerank, frame: &mut Frame, area: Rect, view: &View) {
    let failure = screen.failure.as_deref().map(clean).unwrap_or_default();
    let failure = wrap(&failure, usize::from(area.width.saturating_sub(4)));
    let failed: Vec<&str> = failure
        .iter()
        .map(String::as_str)
        .chain(["<rerank.reload> tries again, <rerank.open> opens another file"])
        .collect();
    let lines: &[&str] = match screen.failure {
        Some(_) => &failed,
        None => &["reading", "<.stop-task> stops it"],
    };
    empty_state(frame, area, "Rerank", lines, view);
}
