//! The symbols beside those of another run or checkpoint, as a table, and of one symbol alone.

use super::compute::Compared;
use super::shared::WIDE;
use super::{Computed, Grammar};
use crate::analysis::listing::Kind;
use crate::analysis::{Aligned, Matched, SymbolStatistics};
use crate::report::plural;
use crate::workbench::screen::View;
use crate::workbench::text::{clean, count, fit};
use crate::workbench::widgets::{empty_state, moves, pane};
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use ratatui::widgets::Paragraph;
use unicode_width::UnicodeWidthStr;

/// Rows above those of symbols: figures of the whole, and what the columns are.
const HEAD: u16 = 2;
/// Columns for a gold label with its purity.
const GOLD: (usize, usize) = (14, 22);
/// Nearest symbols in the pane of one.
const NEAREST: usize = 4;

impl Compared {
    /// Of the symbols that stand beside those of a kind.
    fn kind(&self, kind: Kind) -> Kind {
        match kind {
            Kind::Nonterminals => kind,
            Kind::Preterminals | Kind::States => Kind::of_words(&self.symbols),
        }
    }

    /// Whose they are.
    fn label(&self) -> String {
        format!("{}, step {}{}", clean(&self.name), count(self.step), self.origin.suffix())
    }
}

/// The table, in place of list and symbol.
pub(super) fn draw_table(
    screen: &Grammar,
    computed: &Computed,
    frame: &mut Frame,
    area: Rect,
    view: &View,
) {
    let theme = view.theme;
    let room = usize::from(area.width.saturating_sub(4));
    let name = screen.with.as_ref().map_or(String::new(), |other| other.name.clone());
    let (Some(compared), Some(matched)) = (&screen.compared, screen.matched()) else {
        let lines = [
            format!("aligning with {}", clean(&name)),
            "<.stop-task> stops, <grammar.align> shows the symbol".into(),
        ];
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        return empty_state(frame, area, "Alignment", &lines, view);
    };
    if matched.rows.is_empty() {
        let lines =
            ["one of the two has no phrases", "press <grammar.kind> for the symbols of words"];
        return empty_state(frame, area, "Alignment", &lines, view);
    }
    let place = if screen.order.is_empty() { 0 } else { screen.at + 1 };
    let mut title = format!(
        "{} {place}/{} {} · beside {}",
        screen.kind.title(),
        screen.order.len(),
        screen.sort.name(),
        compared.label()
    );
    if !screen.filter.is_empty() {
        title += &format!(" · {}", clean(screen.filter.text()));
    }
    let block = pane(fit(&title, room).into_owned(), theme, true);
    let inside = block.inner(area);
    frame.render_widget(block, area);
    let width = usize::from(inside.width);
    let gold = if area.width >= WIDE { GOLD.1 } else { GOLD.0 };
    let more = if area.width >= WIDE { "shared with" } else { "" };
    let heading = columns(
        ["symbol", screen.kind.things(), "gold", "partner", screen.kind.things(), "gold"],
        ["shared", "F1", more],
        gold,
    );
    let head = [
        Line::styled(fit(&figures(screen.kind, matched, compared), width).into_owned(), theme.text),
        Line::styled(fit(&heading, width).into_owned(), theme.dim),
    ];
    frame.render_widget(
        Paragraph::new(head.to_vec()),
        Rect { height: inside.height.min(HEAD), ..inside },
    );
    if screen.order.is_empty() {
        let row = Rect { y: inside.y + HEAD, height: inside.height.saturating_sub(HEAD), ..inside };
        frame.render_widget(
            Line::styled(
                view.say("no symbol fits; <grammar.clear> shows all").into_owned(),
                theme.dim,
            ),
            row,
        );
        return;
    }
    let rows = inside.height.saturating_sub(HEAD);
    let body = Rect { y: inside.y + HEAD, height: rows, ..inside };
    let visible = moves::rows(view, "symbols", body, screen.at, screen.order.len());
    for (y, place) in (inside.y + HEAD..).zip(visible) {
        let symbol = screen.order[place];
        let text =
            row(screen.kind, computed, compared, (symbol, &matched.rows[symbol]), area.width);
        let style = if place == screen.at { theme.selected } else { theme.text };
        let area = Rect { y, height: 1, ..inside };
        frame.buffer_mut().set_style(area, style);
        frame.render_widget(Line::styled(fit(&text, width).into_owned(), style), area);
    }
}

/// How well the two agree on the whole.
fn figures(kind: Kind, matched: &Matched, compared: &Compared) -> String {
    let sentences = compared.alignment.sentences;
    let shared = match kind {
        // Binary trees of the same sentences have as many spans.
        Kind::Nonterminals if matched.own == matched.other => {
            format!("{} of {} spans", count(matched.shared), count(matched.own))
        }
        Kind::Nonterminals => format!(
            "{} of {} spans here and {} there",
            count(matched.shared),
            count(matched.own),
            count(matched.other)
        ),
        _ => format!("{} words", count(matched.shared)),
    };
    format!(
        "one-to-one {:.1} %, V-measure {:.1} of {shared} · {} {}",
        100.0 * matched.one_to_one(),
        100.0 * matched.agreement.v_measure(),
        count(sentences as u64),
        plural(&sentences, "sentence")
    )
}

/// Names or figures of a row, in their columns.
fn columns(sides: [&str; 6], [shared, f1, more]: [&str; 3], gold: usize) -> String {
    let [a, a_count, a_gold, b, b_count, b_gold] = sides;
    let cell = |text: &str| {
        let text = fit(text, gold).into_owned();
        let blanks = " ".repeat(gold.saturating_sub(text.width()));
        text + &blanks
    };
    format!(
        "{a:<6} {a_count:>6} {}  {b:<7} {b_count:>6} {} {shared:>7} {f1:>5}  {more}",
        cell(a_gold),
        cell(b_gold)
    )
}

fn row(
    kind: Kind,
    computed: &Computed,
    compared: &Compared,
    (symbol, aligned): (usize, &Aligned),
    width: u16,
) -> String {
    let other = compared.kind(kind);
    let (width, kept) = if width >= WIDE { (GOLD.1, usize::MAX) } else { (GOLD.0, 0) };
    let own = gold(kind.of(&computed.symbols).get(symbol), width);
    let nearest = aligned.nearest.iter().take(kept);
    let nearest: Vec<String> = nearest.map(|(s, n)| format!("{} {n}", other.name_of(*s))).collect();
    let (name, own_count) = (kind.name_of(symbol), count(u64::from(aligned.count)));
    let Some(partner) = aligned.partner else {
        let sides = [&*name, &own_count, &own, "–", "", ""];
        return columns(sides, ["", "", &nearest.join("  ")], width);
    };
    let theirs = gold(other.of(&compared.symbols).get(partner.symbol), width);
    let (there, their_count) = (other.name_of(partner.symbol), count(u64::from(partner.count)));
    let sides = [&*name, &own_count, &own, &there, &their_count, &theirs];
    let (shared, f1) = (count(u64::from(partner.shared)), format!("{:.1}", 100.0 * aligned.f1()));
    columns(sides, [&shared, &f1, &nearest.join("  ")], width)
}

/// The gold label that a symbol mostly covers, with its purity; its likeliest yield without one.
fn gold(statistics: Option<&SymbolStatistics>, width: usize) -> String {
    let Some(statistics) = statistics else { return String::new() };
    match statistics.gold.first() {
        Some(cover) => {
            let purity = format!(" {:.0} %", 100.0 * cover.purity);
            fit(&clean(&cover.label), width.saturating_sub(purity.len())).into_owned() + &purity
        }
        None => statistics.yields.first().map_or(String::new(), |y| clean(&y.words).into_owned()),
    }
}

/// What the selected symbol is in the other grammar, below its heading.
pub(super) fn lines<'a>(screen: &Grammar, symbol: usize, view: &View) -> Vec<Line<'a>> {
    let theme = view.theme;
    let (Some(compared), Some(matched)) = (&screen.compared, screen.matched()) else {
        return Vec::new();
    };
    let Some(aligned) = matched.rows.get(symbol) else { return Vec::new() };
    let kind = compared.kind(screen.kind);
    let mut lines = vec![Line::styled(format!("in {}", compared.label()), theme.title)];
    if aligned.nearest.is_empty() {
        lines.push(Line::styled("nothing that it covers is covered there", theme.dim));
    }
    for &(other, shared) in aligned.nearest.iter().take(NEAREST) {
        let statistics = kind.of(&compared.symbols).get(other);
        let is_partner = aligned.partner.is_some_and(|p| p.symbol == other);
        let sign = if is_partner { "=" } else { " " };
        lines.push(Line::from(vec![
            Span::styled(format!("{shared:>5} {sign} "), theme.dim),
            Span::styled(format!("{} {}", kind.name_of(other), gold(statistics, 20)), theme.text),
        ]));
    }
    lines.push(Line::default());
    lines
}
