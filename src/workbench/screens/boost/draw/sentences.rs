//! The ranked sentences, and the trees of the selected one.

use super::super::book::{Book, RoundPage};
use super::super::listing::{Sort, complaint};
use super::super::verdicts::words_of;
use super::super::{Boost, Page};
use super::beside::{TALL, WIDE, beside, draw_pane, frame_of};
use super::twins;
use crate::ensemble::ledger::{Entry, Verdict};
use crate::parser::Fallback;
use crate::render::Mark;
use crate::report::counted;
use crate::workbench::screen::View;
use crate::workbench::text::{clean, figure, fit, fit_end, wrap};
use crate::workbench::theme::Theme;
use crate::workbench::widgets::{empty_state, moves};
use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use ratatui::widgets::Paragraph;

/// Columns for the name of a file.
const FILE: usize = 24;
/// Bars of a sparkline at most: the newest rounds.
const BARS: usize = 24;

pub fn draw(screen: &Boost, book: &Book, frame: &mut Frame, area: Rect, view: &View) {
    let [body, input] =
        Layout::vertical([Constraint::Fill(1), Constraint::Length(u16::from(screen.filtering))])
            .areas(area);
    if screen.filtering {
        screen.filter.draw(frame, input, " filter: ", true, view.theme);
    }
    if screen.zoomed {
        return draw_sentence(screen, book, frame, body, view);
    }
    // Twins need more room than trees alone.
    let rows = match screen.pairs.shown && body.height < 2 * TALL {
        true => (body.height / 5).max(4),
        false => (2 * body.height / 5).max(5),
    };
    let split = [Constraint::Length(rows), Constraint::Fill(1)];
    let [list, below] = view.stack("boost.sentences", split, body);
    draw_list(screen, book, frame, list, view);
    draw_sentence(screen, book, frame, below, view);
}

fn draw_list(screen: &Boost, book: &Book, frame: &mut Frame, area: Rect, view: &View) {
    let theme = view.theme;
    let place = if screen.order.is_empty() { 0 } else { screen.at + 1 };
    let mut title = format!(
        "Sentences {place}/{} · {}",
        screen.order.len(),
        screen.sort.name(book.is_boosting())
    );
    if screen.sort == Sort::Signals && screen.weighing.scores().is_none() {
        title += ", which are being weighed";
    }
    if screen.reversed {
        title += ", reversed";
    }
    if !screen.filter.is_empty() {
        title += &format!(" · with {}", clean(screen.filter.text()));
    }
    if let Some(complaint) = complaint(screen.filter.text()) {
        title += &format!(" · {complaint}");
    }
    let title = fit(&title, usize::from(area.width.saturating_sub(4))).into_owned();
    let block = frame_of(title, area, screen.page == Page::Sentences, view);
    let inside = block.inner(area);
    frame.render_widget(block, area);
    if screen.order.is_empty() {
        let why = match screen.filter.is_empty() {
            true => "the sentences are being put in order".into(),
            false => view.say("no sentence fits; <boost.clear> shows all"),
        };
        frame.render_widget(Line::styled(why, theme.dim), inside);
        return;
    }
    if inside.height < 2 {
        return;
    }
    let page = &book.rounds[screen.round()];
    let analyses = screen.analyses();
    let bars = book.rounds.iter().filter(|page| page.kept.number > 0).count().min(BARS);
    let score = if book.is_boosting() { "weight" } else { "error" };
    // The same signs as below, where they stand with their names.
    let sign = |mark: Mark| mark.symbol(!theme.unicode);
    let heading = format!(
        "{:>6} {score:>7} {:>4} {:>3} {:>3} {:>3}   {:bars$} words",
        "rank",
        "len",
        sign(Mark::Matched),
        format!("{}{}", sign(Mark::Spurious), sign(Mark::Crossing)),
        sign(Mark::Missing),
        "rounds"
    );
    let head = Rect { height: 1, ..inside };
    frame.render_widget(Line::styled(heading, theme.dim), head);
    let body = Rect { y: inside.y + 1, height: inside.height - 1, ..inside };
    let visible = moves::rows(view, "sentences", body, screen.at, screen.order.len());
    for (y, place) in (body.y..).zip(visible) {
        let sentence = screen.order[place] as usize;
        let selected = place == screen.at;
        let base = if selected { theme.selected } else { theme.text };
        let line_area = Rect { y, height: 1, ..body };
        frame.buffer_mut().set_style(line_area, base);
        let spark = sparkline(book, sentence, bars);
        let styled = |style: Style| if selected { base } else { style };
        let (letter, letter_style) = match screen.given.letter(sentence) {
            Some((verdict, letter)) => (letter, verdict_style(verdict, theme)),
            None => (' ', theme.text),
        };
        let fell_back = analyses.is_some_and(|a| a.trees[sentence].fallback.is_some());
        let words =
            clean(&book.sentences.part.sentences[sentence].tree.words().join(" ")).into_owned();
        let line = Line::from(vec![
            Span::styled(figures(book, page, sentence), base),
            Span::styled(if fell_back { "~" } else { " " }, styled(theme.warning)),
            Span::styled(format!("{letter} "), styled(letter_style)),
            Span::styled(format!("{spark:bars$} ", bars = bars.max(6)), styled(theme.accent)),
            Span::styled(words, base),
        ]);
        frame.render_widget(line, line_area);
    }
}

fn figures(book: &Book, page: &RoundPage, sentence: usize) -> String {
    let agreement = page.agreement(sentence);
    let (rank, length) =
        (page.ranks[sentence] + 1, book.sentences.part.sentences[sentence].tree.len());
    let score = page.scores[sentence];
    format!(
        "{rank:>6} {:>7} {length:>4} {:>3} {:>3} {:>3}",
        short(score),
        agreement.correct,
        agreement.spurious,
        agreement.missing
    )
}

/// A weight in at most seven columns, so that places of decimals stand below each other.
fn short(score: f64) -> String {
    if score >= 1000.0 || (score < 0.001 && score > 0.0) {
        figure(score)
    } else {
        format!("{score:.3}")
    }
}

/// A bar for each of the newest rounds.
fn sparkline(book: &Book, sentence: usize, bars: usize) -> String {
    const BARS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
    let heights: Vec<f64> = book.heights(sentence).collect();
    let newest = &heights[heights.len().saturating_sub(bars)..];
    newest.iter().map(|height| BARS[(height * 7.0).round() as usize]).collect()
}

fn verdict_style(verdict: Verdict, theme: &Theme) -> Style {
    match verdict {
        Verdict::Error => theme.error,
        Verdict::Ambiguous => theme.warning,
        Verdict::Correct => theme.good,
        Verdict::Unsure => theme.dim,
    }
}

/// The selected sentence: what is known of it, and both trees.
fn draw_sentence(screen: &Boost, book: &Book, frame: &mut Frame, area: Rect, view: &View) {
    let Some(sentence) = screen.sentence() else {
        let why: &[&str] = match screen.filter.is_empty() {
            true => &["the sentences are being put in order"],
            false => &["no sentence matches the filter", "<boost.clear> shows all"],
        };
        return empty_state(frame, area, "Sentence", why, view);
    };
    let [facts, body] = Layout::vertical([Constraint::Length(2), Constraint::Fill(1)]).areas(area);
    draw_facts(screen, book, sentence, frame, facts, view);
    if screen.pairs.shown {
        return twins::draw(screen, book, sentence, frame, body, view);
    }
    let (left, right) = beside(body);
    let number = book.rounds[screen.round()].kept.number;
    let whose = match number {
        0 => "Analysis of the single parser".to_owned(),
        n if book.is_boosting() => format!("Analysis of round {n}"),
        n => format!("Analysis of bag {n}"),
    };
    draw_pane(frame, left, "Annotation", screen.panes.annotation.as_ref(), view);
    let title = format!("{whose} · {}", screen.layout.name());
    let title = if right.width < WIDE / 2 { whose } else { title };
    match &screen.unread {
        Some(reason) if screen.panes.analysis.is_none() => {
            let reason = wrap(&clean(reason), usize::from(right.width.saturating_sub(4)));
            let lines: Vec<&str> = reason
                .iter()
                .map(String::as_str)
                .chain(["press <boost.reload> to try again"])
                .collect();
            empty_state(frame, right, &title, &lines, view);
        }
        _ => draw_pane(frame, right, &title, screen.panes.analysis.as_ref(), view),
    }
}

/// The folders are in the ledger; the line is short.
fn file_name(path: &str) -> std::borrow::Cow<'_, str> {
    let name = std::path::Path::new(path).file_name();
    name.map_or(path.into(), |name| name.to_string_lossy())
}

/// Where the sentence stands, its figures, the verdict, and the key to the marks.
fn draw_facts(
    screen: &Boost,
    book: &Book,
    sentence: usize,
    frame: &mut Frame,
    area: Rect,
    view: &View,
) {
    let theme = view.theme;
    let annotated = &book.sentences.part.sentences[sentence];
    let place = &annotated.original.place;
    let page = &book.rounds[screen.round()];
    let width = usize::from(area.width);
    let mut first = format!(
        " sentence {} · {}:{} · {} words",
        annotated.index,
        fit_end(&clean(&file_name(&place.file)), FILE),
        place.line,
        annotated.tree.len()
    );
    let agreement = page.agreement(sentence);
    first += &format!(" · e {:.2}", agreement.error());
    if let Some(slip) = screen.weighing.slip(sentence) {
        first += &format!(" · {}: {}?", words_of(slip.span), slip.change);
    }
    let fallback = screen.analyses().and_then(|analyses| analyses.trees[sentence].fallback);
    if let Some(fallback) = fallback {
        first += &format!(" · ~ {}", given_up(fallback));
    }
    let mut judged =
        screen.given.get(sentence, None).map(|entry| said(entry, theme)).unwrap_or_default();
    let brackets = screen.given.spans(sentence).count();
    if brackets > 0 {
        let text = format!(" · {} judged", counted(brackets, "bracket"));
        // Before a note, which may be long.
        judged.insert(0, Span::styled(text, theme.text));
    }
    // What was judged has its place; what it is about gives way.
    let room = width.saturating_sub(judged.iter().map(Span::width).sum()).max(width / 3);
    let mut spans = vec![Span::styled(fit(&first, room).into_owned(), theme.text)];
    spans.append(&mut judged);
    let second = match screen.span {
        Some(_) => bracket_line(screen, book, sentence, theme),
        None => {
            let crossing = screen.panes.crossing;
            let marks = [
                (Mark::Matched, agreement.correct, theme.good),
                (Mark::Missing, agreement.missing, theme.warning),
                (Mark::Spurious, agreement.spurious.saturating_sub(crossing), theme.reference),
                (Mark::Crossing, crossing, theme.error),
            ];
            let mark = |(mark, n, style): (Mark, u32, Style)| {
                let sign = mark.symbol(!theme.unicode);
                Span::styled(format!("{sign} {n} {}   ", mark.name()), style)
            };
            Line::from_iter(std::iter::once(Span::raw(" ")).chain(marks.map(mark)))
        }
    };
    frame.render_widget(Paragraph::new(vec![Line::from(spans), second]), area);
}

/// What a parser gave up for its tree.
fn given_up(fallback: Fallback) -> &'static str {
    match fallback {
        Fallback::Relaxed => "coarser grammar",
        Fallback::Fragments => "phrases side by side",
        Fallback::TooLong => "pruned tighter: long",
    }
}

/// A verdict with its note.
fn said<'a>(entry: &Entry, theme: &Theme) -> Vec<Span<'a>> {
    let style = verdict_style(entry.verdict, theme);
    let mut spans = vec![Span::styled(format!(" · {}", entry.verdict.name()), style)];
    if entry.proposal.is_some() {
        spans.push(Span::styled(", proposal", style));
    }
    if !entry.note.is_empty() {
        spans.push(Span::styled(format!(": {}", clean(&entry.note)), theme.text));
    }
    spans
}

/// The bracket that the verdict keys are about.
fn bracket_line<'a>(screen: &Boost, book: &Book, sentence: usize, theme: &Theme) -> Line<'a> {
    let Some(span) = screen.span else { return Line::default() };
    let brackets = &screen.panes.brackets;
    let at = brackets.iter().position(|bracket| bracket.span == span);
    let labels = |labels: &[Box<str>]| match labels {
        [] => "none".to_owned(),
        labels => labels.join("/"),
    };
    let text = match at.filter(|_| !screen.pairs.shown) {
        Some(at) => format!(
            " bracket {}/{}, {}: {} annotated, {} found",
            at + 1,
            brackets.len(),
            words_of(span),
            labels(&brackets[at].annotated),
            labels(&brackets[at].found)
        ),
        None => {
            let words = book.sentences.part.sentences[sentence].tree.words();
            let words = words[span.0 as usize..span.1 as usize].join(" ");
            format!(" {}: {}", words_of(span), clean(&words))
        }
    };
    let mut spans = vec![Span::styled(text, theme.accent)];
    match screen.given.get(sentence, Some(span)) {
        Some(entry) => spans.extend(said(entry, theme)),
        None => spans.push(Span::styled(" · not judged", theme.dim)),
    }
    Line::from(spans)
}
