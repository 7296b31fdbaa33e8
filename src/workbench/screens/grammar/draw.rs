use super::shared::{FIRST, WIDE, draw_lines, named};
use super::{Computed, Grammar, aligned, states};
use crate::analysis::listing::Kind;
use crate::analysis::{SymbolStatistics, Symbols, Yield};
use crate::report::counted;
use crate::workbench::names::ScreenId;
use crate::workbench::screen::View;
use crate::workbench::text::{clean, count, figure, fit, wrap};
use crate::workbench::widgets::{GONE, bar, empty_state, moves, pane};
use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::text::{Line, Span};
use ratatui::widgets::Paragraph;
use unicode_width::UnicodeWidthStr;

/// Columns of the list in a narrow terminal.
const LIST: u16 = 44;
/// Rows for similar symbols behind the expansions of a symbol.
const LIKE: usize = 11;
/// Columns of the bars.
const BAR: usize = 6;

pub(super) fn draw(screen: &Grammar, frame: &mut Frame, area: Rect, view: &View) {
    let Some(computed) = &screen.computed else { return draw_empty(screen, frame, area, view) };
    let symbols = &computed.symbols;
    if symbols.nonterminals.is_empty() && symbols.preterminals.is_empty() {
        let lines = [
            "a model of this family has no symbols",
            "press <.parses> for what it says of the development sentences",
        ];
        return empty_state(frame, area, "Grammar", &lines, view);
    }
    let [header, body, input] = Layout::vertical([
        Constraint::Length(if computed.has_states() { 3 } else { 4 }),
        Constraint::Fill(1),
        Constraint::Length(u16::from(screen.editing)),
    ])
    .areas(area);
    draw_header(computed, frame, header, view);
    if screen.editing {
        screen.filter.draw(frame, input, " filter: ", true, view.theme);
    }
    if screen.aligned {
        return aligned::draw_table(screen, computed, frame, body, view);
    }
    let list_width = if area.width >= WIDE { (area.width / 4).max(LIST) } else { LIST };
    let split = [Constraint::Length(list_width), Constraint::Fill(1)];
    let [list, detail] = view.columns("grammar.list", split, body);
    draw_list(screen, computed, frame, list, view);
    if let (true, Some(map)) = (screen.mapped, &computed.transitions) {
        return states::draw_map(screen, map, frame, detail, view);
    }
    draw_detail(screen, computed, frame, detail, view);
}

fn draw_empty(screen: &Grammar, frame: &mut Frame, area: Rect, view: &View) {
    let failure = screen.failure.as_deref().map(clean).unwrap_or_default();
    let failure = wrap(&failure, usize::from(area.width.saturating_sub(4)));
    let failed: Vec<&str> = failure
        .iter()
        .map(String::as_str)
        .chain(["press <grammar.refresh> to try again"])
        .collect();
    let lines: &[&str] = if view.shared.selected_run().is_none() && view.shared.checkpoint.is_some()
    {
        &[
            "a checkpoint file has no development sentences to count symbols over",
            "press <.parses> to type a sentence, or <.runs> to choose a run from the list",
        ]
    } else if view.shared.selected_run().is_none() {
        &[
            "no run is selected",
            "press <.train> to start one, or <.runs> to choose one from the list of runs",
        ]
    } else if view.shared.selected_run().is_some_and(|run| run.gone) {
        &GONE
    } else if view.shared.task(ScreenId::Grammar, "symbols").is_some() {
        &["counting the symbols over the development sentences", "press <.stop-task> to stop"]
    } else if view.shared.selected_run().is_some_and(|run| run.is_counted()) {
        &[
            "an n-gram model has no symbols: it counts words alone",
            "press <.parses> for the surprisal of words",
        ]
    } else if screen.failure.is_some() {
        &failed
    } else {
        &[
            "nothing is computed yet",
            "press <grammar.refresh> to count the symbols with the current weights",
        ]
    };
    empty_state(frame, area, "Grammar", lines, view);
}

/// Whether they are those of the run in view, not of a checkpoint file.
fn is_selected(computed: &Computed, view: &View) -> bool {
    view.shared.selected == Some(computed.run) && view.shared.checkpoint.is_none()
}

/// How many symbols the grammar makes use of, and over what that was counted.
fn draw_header(computed: &Computed, frame: &mut Frame, area: Rect, view: &View) {
    let theme = view.theme;
    let symbols = &computed.symbols;
    let run = view.shared.run(computed.run).map_or(String::new(), |run| {
        view.shared.label(run) + if run.gone { " (gone)" } else { "" }
    });
    let listed = view.shared.run(computed.run);
    let newest = listed.and_then(|run| run.newest_step()).filter(|_| is_selected(computed, view));
    let newest = newest.filter(|step| *step != computed.weights.step);
    let newest = newest.map_or_else(String::new, |step| {
        format!(", now {} ({})", count(step), view.say("<grammar.refresh>"))
    });
    let mut first = format!(
        " {} · step {}{}{newest} · {}",
        clean(&run),
        count(computed.weights.step),
        computed.origin.suffix(),
        counted(symbols.sentences, "dev sentence")
    );
    if symbols.skipped > 0 {
        first += &format!(", {} without derivation", symbols.skipped);
    }
    let usage = |kind: Kind| {
        let usage = kind.usage(symbols);
        format!(
            " {} of {} {} in use, {:.1} effective (entropy {:.2})",
            usage.in_use,
            kind.of(symbols).len(),
            kind.title().to_lowercase(),
            usage.effective(),
            usage.entropy
        )
    };
    let kinds: &[Kind] = match computed.has_states() {
        true => &[Kind::States],
        false => &[Kind::Nonterminals, Kind::Preterminals],
    };
    let mut usages: Vec<String> = kinds.iter().map(|&kind| usage(kind)).collect();
    let mut legend = " in use: expected 1 or more · effective: exp(entropy, nats)".to_owned();
    if let Some(agreement) = symbols.tagging {
        if let Some(last) = usages.last_mut() {
            *last += &format!(", V-measure {:.1}", 100.0 * agreement.v_measure());
        }
        legend += " · V: fit to tags";
    } else {
        legend += " · no gold tags";
    }
    if let Some(note) = &computed.note {
        first += &format!(" · {}", clean(note));
    }
    let width = usize::from(area.width);
    let line = |text: &str, style| Line::styled(fit(text, width).into_owned(), style);
    let mut lines = vec![line(&first, theme.title)];
    lines.extend(usages.iter().map(|usage| line(usage, theme.text)));
    lines.push(line(&legend, theme.dim));
    frame.render_widget(Paragraph::new(lines), area);
}

fn draw_list(screen: &Grammar, computed: &Computed, frame: &mut Frame, area: Rect, view: &View) {
    let theme = view.theme;
    let statistics = screen.kind.of(&computed.symbols);
    let place = if screen.order.is_empty() { 0 } else { screen.at + 1 };
    let mut title =
        format!("{} {place}/{} {}", screen.kind.title(), screen.order.len(), screen.sort.name());
    if !screen.filter.is_empty() {
        title += &format!(" · {}", clean(screen.filter.text()));
    }
    let title = fit(&title, usize::from(area.width.saturating_sub(4))).into_owned();
    let block = pane(title, theme, true);
    let inside = block.inner(area);
    frame.render_widget(block, area);
    if screen.order.is_empty() {
        frame.render_widget(
            Line::styled(
                view.say("no symbol fits; <grammar.clear> shows all").into_owned(),
                theme.dim,
            ),
            inside,
        );
        return;
    }
    let total: f64 = statistics.iter().map(|s| s.expected).sum();
    let largest = statistics.iter().map(|s| s.expected).fold(0.0, f64::max);
    let [head, body] = Layout::vertical([Constraint::Length(1), Constraint::Fill(1)]).areas(inside);
    // Without gold trees there is nothing to compare, but still what the trees have.
    let has_gold = has_gold(statistics);
    let last = match (has_gold, screen.kind) {
        (true, kind) => format!("gold, of {}", kind.things()),
        (false, Kind::States) => "likeliest of".to_owned(),
        (false, _) => "in trees".to_owned(),
    };
    let heading = format!("{:<6} {:<BAR$} {:>5}  {last}", "symbol", "expected", "%");
    frame.render_widget(Line::styled(heading, theme.dim), head);
    let visible = moves::rows(view, "symbols", body, screen.at, screen.order.len());
    for (y, place) in (body.y..).zip(visible) {
        let symbol = screen.order[place];
        let s = &statistics[symbol];
        let row = Rect { y, height: 1, ..body };
        let share = if total > 0.0 { 100.0 * s.expected / total } else { 0.0 };
        let mut line = format!(
            "{:<6} {}   {share:>5.1}  ",
            screen.kind.name_of(symbol),
            bar(s.expected / largest.max(f64::MIN_POSITIVE), BAR)
        );
        let room = usize::from(row.width).saturating_sub(line.width());
        line += &in_trees(screen.kind, s, has_gold, room);
        let style = if place == screen.at { theme.selected } else { theme.text };
        frame.buffer_mut().set_style(row, style);
        let text = fit(&line, usize::from(row.width)).into_owned();
        frame.render_widget(Line::styled(text, style), row);
    }
}

/// Whether there is a gold label to compare any symbol with.
fn has_gold(statistics: &[SymbolStatistics]) -> bool {
    statistics.iter().any(|s| !s.gold.is_empty())
}

/// The gold label that most of a symbol's spans in the trees have, and of how many; else why there
/// is none. A long label is cut, figures are not.
fn in_trees(kind: Kind, statistics: &SymbolStatistics, has_gold: bool, room: usize) -> String {
    let decoded = u64::from(statistics.decoded);
    match statistics.gold.first() {
        _ if decoded == 0 && kind == Kind::States => "of no word".to_owned(),
        _ if decoded == 0 => "in no tree".to_owned(),
        Some(cover) => {
            let figures = format!(" {:.0} % of {}", 100.0 * cover.purity, count(decoded));
            let label = clean(&cover.label);
            fit(&label, room.saturating_sub(figures.len())).into_owned() + &figures
        }
        None if has_gold => format!("none of {}", count(decoded)),
        None => count(decoded),
    }
}

fn draw_detail(screen: &Grammar, computed: &Computed, frame: &mut Frame, area: Rect, view: &View) {
    let theme = view.theme;
    let Some(symbol) = screen.symbol() else {
        return empty_state(frame, area, "Symbol", &["no symbol is selected"], view);
    };
    let statistics = &screen.kind.of(&computed.symbols)[symbol];
    let name = screen.kind.name_of(symbol);
    let block = pane(name, theme, false);
    let inside = block.inner(area);
    frame.render_widget(block, area);
    let numbers = numbers(screen, statistics, view);
    let gold = gold(screen, &computed.symbols, symbol, view)
        .into_iter()
        .chain(aligned::lines(screen, symbol, view));
    let yields = yields(screen, statistics, view);
    let weights = weights(screen, computed, symbol, view);
    let similar = similar(screen, computed, symbol, view);
    let blank = || [Line::default()];
    if screen.kind == Kind::States {
        let own = numbers.into_iter().chain(blank());
        let parts = states::Parts {
            numbers: own.collect(),
            gold: gold.chain(yields).collect(),
            words: weights,
            similar,
            around: states::around(screen, computed, symbol, view),
        };
        return states::draw_detail(screen, parts, frame, inside);
    }
    if area.width >= WIDE - 40 {
        let [a, b] =
            Layout::horizontal([Constraint::Fill(1), Constraint::Fill(1)]).spacing(2).areas(inside);
        draw_lines(
            frame,
            a,
            numbers.into_iter().chain(blank()).chain(gold).chain(yields).collect(),
            screen.scroll,
        );
        // As many expansions as leave room for the symbols that are like it.
        let rows = usize::from(b.height).saturating_sub(1 + similar.len().min(LIKE));
        let weights = weights.into_iter().take(rows.max(1 + FIRST)).chain(blank());
        draw_lines(frame, b, weights.chain(similar).collect(), screen.scroll);
    } else {
        // The list is one: what stands first is what there is room for.
        let weights = weights.into_iter().take(1 + FIRST).chain(blank());
        let similar = similar.into_iter().take(1 + FIRST).chain(blank());
        let lines = numbers.into_iter().chain(blank()).chain(weights).chain(gold);
        draw_lines(frame, inside, lines.chain(similar).chain(yields).collect(), screen.scroll);
    }
}

/// How often a symbol is used, by the posterior and in the trees.
fn numbers<'a>(screen: &Grammar, statistics: &SymbolStatistics, view: &View) -> Vec<Line<'a>> {
    let (things, expected) = (screen.kind.things(), screen.kind.expected());
    let (decoded, how) = match screen.kind {
        Kind::States => ("likeliest of".to_owned(), things),
        _ => (format!("{things} in trees"), "MBR trees"),
    };
    let rows = [
        (format!("expected {expected}"), figure(statistics.expected), "posterior"),
        (decoded, count(u64::from(statistics.decoded)), how),
        ("sentences".to_owned(), count(statistics.sentences.len() as u64), "with it"),
    ];
    let line = |(name, value, what): (String, String, &'static str)| {
        Line::from(vec![
            Span::styled(format!("{name}{value:>0$}", 21 - name.len()), view.theme.text),
            Span::styled(format!("  {what}"), view.theme.dim),
        ])
    };
    rows.into_iter().map(line).collect()
}

/// Gold labels that the symbol covers in the trees.
fn gold<'a>(screen: &Grammar, symbols: &Symbols, symbol: usize, view: &View) -> Vec<Line<'a>> {
    let theme = view.theme;
    let statistics = &screen.kind.of(symbols)[symbol];
    let mut lines = Vec::new();
    let gold = match screen.kind {
        Kind::Nonterminals => "gold, %",
        Kind::Preterminals | Kind::States => "tags, %",
    };
    lines.push(Line::styled(format!("{gold:<10} count recall purity"), theme.title));
    if statistics.gold.is_empty() {
        let why = match statistics.decoded {
            _ if !has_gold(screen.kind.of(symbols)) => "none: the sentences have none",
            0 if screen.kind == Kind::States => "none: likeliest of no word",
            0 => "none: it is in no tree",
            _ => "none: no gold span is equal",
        };
        lines.push(Line::styled(why, theme.dim));
    }
    for cover in &statistics.gold {
        let label = fit(&clean(&cover.label), 10).into_owned();
        let (recall, purity) = (100.0 * cover.recall, 100.0 * cover.purity);
        let text = format!("{label:<10} {:>5} {recall:>6.1} {purity:>6.1}", cover.count);
        lines.push(Line::styled(text, theme.text));
    }
    lines.push(Line::default());
    lines
}

/// What stands below the symbol in the trees.
fn yields<'a>(screen: &Grammar, statistics: &SymbolStatistics, view: &View) -> Vec<Line<'a>> {
    let theme = view.theme;
    let yields = match screen.kind {
        Kind::Nonterminals => "yields",
        Kind::Preterminals => "words in trees",
        Kind::States => "words, by number",
    };
    let line = |item: &Yield| {
        Line::styled(format!("{:>5}  {}", item.count, clean(&item.words)), theme.text)
    };
    let lines = statistics.yields.iter().map(line);
    std::iter::once(Line::styled(yields, theme.title)).chain(lines).collect()
}

/// Symbols that do the same by the weights, with their divergence.
fn similar<'a>(screen: &Grammar, computed: &Computed, symbol: usize, view: &View) -> Vec<Line<'a>> {
    let theme = view.theme;
    let by = match screen.kind {
        Kind::Nonterminals => "similar symbols, by rules",
        Kind::Preterminals | Kind::States => "similar symbols, by words",
    };
    let mut lines = vec![Line::from(vec![
        Span::styled(by, theme.title),
        Span::styled(" · distance, 0 the same", theme.dim),
    ])];
    let Some(found) = screen.similar.get(&(screen.kind, symbol)) else {
        lines.push(Line::styled("comparing the weights", theme.dim));
        return lines;
    };
    if found.is_empty() {
        lines.push(Line::styled("there is no other", theme.dim));
    }
    lines.extend(found.iter().map(|other| {
        Line::from(vec![
            Span::styled(format!("{:>7.3}  ", other.divergence), theme.dim),
            Span::styled(named(computed, screen.kind, other.symbol), theme.text),
        ])
    }));
    lines
}

/// What the weights say: likeliest expansions or words.
fn weights<'a>(screen: &Grammar, computed: &Computed, symbol: usize, view: &View) -> Vec<Line<'a>> {
    let theme = view.theme;
    let pending = |lines: &mut Vec<Line>| {
        lines.push(Line::styled("reading them off the weights", theme.dim));
    };
    match screen.kind {
        Kind::Nonterminals => {
            let mut lines = vec![Line::styled("likeliest expansions", theme.title)];
            let Some(rules) = screen.rules.get(&symbol) else {
                pending(&mut lines);
                return lines;
            };
            if !rules.exact {
                let note = "(best found; the search ended at its limit)";
                lines.push(Line::styled(note, theme.dim));
            }
            for rule in &rules.rules {
                lines.push(Line::from(vec![
                    Span::styled(format!("{:>7}  ", figure(rule.probability)), theme.dim),
                    Span::styled(child(computed, rule.left), theme.text),
                    Span::raw("  "),
                    Span::styled(child(computed, rule.right), theme.text),
                ]));
            }
            lines
        }
        Kind::Preterminals | Kind::States => {
            let mut lines = vec![Line::styled("likeliest words", theme.title)];
            let Some(words) = screen.words.get(&symbol) else {
                pending(&mut lines);
                return lines;
            };
            let vocabulary = &computed.weights.vocabulary;
            let known = words.iter().filter(|w| (w.word as usize) < vocabulary.len());
            lines.extend(known.map(|w| {
                let word = clean(vocabulary.word(w.word)).into_owned();
                let probability = figure(f64::from(w.probability));
                Line::styled(format!("{probability:>7}  {word}"), theme.text)
            }));
            lines
        }
    }
}

/// Name of a child with what it mostly covers.
fn child(computed: &Computed, symbol: usize) -> String {
    let symbols = &computed.symbols;
    let nonterminals = symbols.nonterminals.len();
    let (kind, symbol) = match symbol.checked_sub(nonterminals) {
        None => (Kind::Nonterminals, symbol),
        Some(preterminal) => (Kind::Preterminals, preterminal),
    };
    named(computed, kind, symbol)
}
