use super::listing::complaint;
use super::rows::Row;
use super::surprisal::{Look, SurprisalPane};
use super::{Editing, Parses, Subject};
use super::{facts, moments};
use crate::render::SurprisalUnit;
use crate::treebank::{Preprocessing, PunctuationRule};
use crate::workbench::names::ScreenId;
use crate::workbench::screen::View;
use crate::workbench::shared::RunEntry;
use crate::workbench::text::{clean, count, figure, fit, wrap};
use crate::workbench::widgets::{GONE, TreePane, empty_state, moves, pane};
use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, Borders};

/// From this width on, gold and induced tree stand side by side.
const WIDE: u16 = 120;
/// From this height on, trees and heat map are both shown in the wide arrangement.
const TALL: u16 = 30;
/// From this height on, surprisals are shown in lines and as bars.
const BOTH: u16 = 20;

pub(super) fn draw(screen: &Parses, frame: &mut Frame, area: Rect, view: &View) {
    let [header, body, input] = Layout::vertical([
        Constraint::Length(2 + u16::from(screen.search.pattern().is_some())),
        Constraint::Fill(1),
        Constraint::Length(u16::from(screen.editing.is_some()).max(screen.search.rows())),
    ])
    .areas(area);
    draw_header(screen, frame, header, view);
    match screen.editing {
        Some(Editing::Filter) => {
            screen.filter.draw(frame, input, " filter: ", true, view.theme);
        }
        Some(Editing::Sentence) => {
            screen.sentence.field.draw(frame, input, " sentence: ", true, view.theme);
        }
        None if screen.search.editing() => screen.search.draw(frame, input, view.theme),
        None => {}
    }
    if screen.evaluation.is_none() {
        return draw_without_trees(screen, frame, body, view);
    }
    if screen.zoomed {
        draw_sentence(screen, frame, body, view, area.width >= WIDE);
    } else if area.width >= WIDE {
        let list_width = (area.width / 3).max(46);
        let split = [Constraint::Length(list_width), Constraint::Fill(1)];
        let [list, right] = view.columns("parses.list", split, body);
        draw_list(screen, frame, list, view);
        draw_sentence(screen, frame, right, view, true);
    } else {
        // Trees need more rows than surprisals do.
        let share = if is_language_model(screen, view) { 2 } else { 1 };
        let rows = (share * body.height / 5).max(4);
        let split = [Constraint::Length(rows), Constraint::Fill(1)];
        let [list, below] = view.stack("parses.rows", split, body);
        draw_list(screen, frame, list, view);
        draw_sentence(screen, frame, below, view, false);
    }
}

/// What is shown, and by which rules it is scored.
fn draw_header(screen: &Parses, frame: &mut Frame, area: Rect, view: &View) {
    let theme = view.theme;
    let run = match &screen.subject {
        Some(Subject::Run(id)) => view.shared.run(*id),
        _ => None,
    };
    let name = match &screen.subject {
        Some(Subject::Checkpoint(path)) => path.display().to_string(),
        _ => match run {
            None => "no run".to_owned(),
            Some(run) if run.gone => format!("{} (gone)", view.shared.label(run)),
            Some(run) => view.shared.label(run),
        },
    };
    let mut first = vec![Span::styled(format!(" {}", clean(&name)), theme.title)];
    if let Some(evaluation) = &screen.evaluation {
        // Figures of all sentences are those of the evaluation that was read whole.
        let whole = evaluation.step;
        let (step, epoch) = match &screen.time {
            Some(time) => (time.shown().step, time.shown().epoch),
            None => (whole, evaluation.epoch),
        };
        let mut text = format!(" · step {}, epoch {epoch}", count(step));
        if let Some(f1) = evaluation.s_f1.filter(|_| step == whole) {
            text += &format!(" · dev S-F1 {f1:.1}");
        }
        let perplexity = evaluation.perplexity.filter(|_| evaluation.language_model);
        if let Some(perplexity) = perplexity.filter(|_| step == whole) {
            text += &format!(" · dev ppl {}", figure(perplexity));
        }
        if let Some(place) = evaluation.steps.iter().position(|s| *s == step) {
            let what = if evaluation.language_model { "eval" } else { "trees" };
            text += &format!(" · {what} {} of {}", place + 1, evaluation.steps.len());
        }
        first.push(Span::styled(text, theme.text));
    }
    let punctuation = run
        .and_then(|r| r.config.as_ref())
        .and_then(|c| Preprocessing::resolve(&c.data).ok())
        .map(|p| p.punctuation);
    let rules = match punctuation {
        _ if is_language_model(screen, view) => match screen.unit {
            SurprisalUnit::Bits => {
                " surprisal: -log2 p(word | words before) · perplexity: a token, <eos> counted"
            }
            SurprisalUnit::Nats => {
                " surprisal: -ln p(word | words before) · perplexity: a token, <eos> counted"
            }
        },
        // Typed sentences have nothing to be scored against.
        None if matches!(screen.subject, Some(Subject::Checkpoint(_))) => "",
        None => " F1: unlabelled; left out: one-word and whole-sentence spans",
        Some(PunctuationRule::Keep) => {
            " F1: unlabelled, with punctuation; left out: one-word and whole-sentence spans"
        }
        Some(_) => " F1: unlabelled; left out: punctuation, one-word and whole-sentence spans",
    };
    let width = usize::from(area.width);
    let mut lines =
        vec![Line::from(first), Line::styled(fit(rules, width).into_owned(), theme.dim)];
    if let Some(said) = screen.search.said(screen.trees.explained()) {
        let said = fit(&format!(" {said}"), width).into_owned();
        lines.push(Line::styled(said, theme.accent));
    }
    frame.render_widget(ratatui::widgets::Paragraph::new(lines), area);
}

/// By what is shown, or before that by the run's settings.
fn is_language_model(screen: &Parses, view: &View) -> bool {
    let of_settings = || match &screen.subject {
        Some(Subject::Run(id)) => view.shared.run(*id).is_some_and(|r| r.is_language_model()),
        // Language models alone predict the end of a sentence.
        Some(Subject::Checkpoint(_)) => {
            let induced = screen.weights.as_ref().and_then(|weights| weights.held.induced());
            induced.is_some_and(|weights| weights.vocabulary.end().is_some())
        }
        None => false,
    };
    screen.panes.surprisal.is_some()
        || match &screen.evaluation {
            Some(evaluation) => evaluation.language_model,
            None => of_settings(),
        }
}

/// Before there are trees: why, and what to do; a typed sentence is shown all the same.
fn draw_without_trees(screen: &Parses, frame: &mut Frame, area: Rect, view: &View) {
    if !screen.typed.is_empty() {
        return draw_sentence(screen, frame, area, view, area.width >= WIDE);
    }
    let reading = view.shared.task(ScreenId::Parses, "trees").is_some();
    let failure = screen.failure.as_deref().map(clean).unwrap_or_default();
    let failure = wrap(&failure, usize::from(area.width.saturating_sub(4)));
    let failed: Vec<&str> =
        failure.iter().map(String::as_str).chain(["press <parses.reload> to try again"]).collect();
    let lines: &[&str] = match &screen.subject {
        None => &[
            "no run is selected",
            "press <.train> to start one, or <.runs> to choose one from the list of runs",
        ],
        Some(Subject::Checkpoint(_)) if screen.failure.is_some() => &failed,
        Some(Subject::Checkpoint(_)) => &[
            "a checkpoint file has no development sentences",
            match (screen.editing.is_some(), is_language_model(screen, view), &screen.weights) {
                (true, ..) => "type a sentence below: Enter shows what these weights say of it",
                (_, true, _) => {
                    "press <parses.type> to type a sentence and see the surprisal of its words"
                }
                (_, false, Some(_)) => {
                    "press <parses.type> to type a sentence and parse it with these weights"
                }
                (_, false, None) => "press <parses.type> to type a sentence",
            },
        ],
        _ if view.shared.selected_run().is_some_and(|run| run.gone) => &GONE,
        _ if reading => &["reading the evaluation"],
        _ if screen.failure.is_some() => &failed,
        _ if is_language_model(screen, view) => &[
            "no surprisals yet",
            "they come with the run's first evaluation of the development set",
            "press <parses.type> to type a sentence as soon as there is a checkpoint",
        ],
        _ if view.shared.selected_run().is_some_and(RunEntry::is_ensemble) => &[
            "bags and boosting keep no trees here",
            "<.boost> shows their rounds, their sentences and what they make of them",
        ],
        _ if view.shared.selected_run().is_some_and(RunEntry::is_reranker) => {
            &["a training of a reranker has no trees here", "<.rerank> shows candidate lists"]
        }
        _ => &[
            "no trees yet",
            "they come with the run's first evaluation of the development set",
            "press <parses.type> to parse a typed sentence as soon as there is a checkpoint",
        ],
    };
    empty_state(frame, area, "Parses", lines, view);
}

/// A pane; where rows are scarce it has a line on top and none below.
fn frame_of<'a>(title: String, area: Rect, focused: bool, view: &View) -> Block<'a> {
    let block = pane(title, view.theme, focused);
    if area.width >= WIDE || area.height > 12 { block } else { block.borders(Borders::TOP) }
}

fn draw_list(screen: &Parses, frame: &mut Frame, area: Rect, view: &View) {
    let theme = view.theme;
    if let Some(time) = &screen.time {
        let block = frame_of(moments::title(time), area, screen.typed.is_empty(), view);
        return moments::draw(time, (screen.unit, block), frame, area, view);
    }
    let rows = screen.evaluation.as_ref().map_or(&[][..], |e| &e.rows[..]);
    let listing = &screen.listing;
    let place = if screen.order.is_empty() { 0 } else { screen.at + 1 };
    let mut title = format!("Sentences {place}/{}", screen.order.len());
    if let Some(place) = screen.search.place(&screen.order, screen.at) {
        title += &format!(" · {place}");
    }
    title += &format!(" · {}", listing.sort.name());
    if listing.reversed {
        title += ", reversed";
    }
    if listing.only.is_some() {
        title += &format!(" · {}", clean(&screen.only_title));
    }
    if !listing.filter.is_empty() {
        title += &format!(" · with {}", clean(&listing.filter));
    }
    if let Some(complaint) = complaint(&listing.filter) {
        title += &format!(" · {complaint}");
    }
    let title = fit(&title, usize::from(area.width.saturating_sub(4))).into_owned();
    let block = frame_of(title, area, screen.typed.is_empty(), view);
    let inside = block.inner(area);
    frame.render_widget(block, area);
    if screen.order.is_empty() {
        let why = view.say("no sentence fits; <parses.clear> shows all").into_owned();
        frame.render_widget(Line::styled(why, theme.dim), inside);
        return;
    }
    let (head, body) = (
        Rect { height: 1, ..inside },
        Rect { y: inside.y + 1, height: inside.height.saturating_sub(1), ..inside },
    );
    let language_model = screen.is_language_model();
    let heading = match language_model {
        true => "   no  len     ppl    max",
        false if screen.search.hits().is_some() => "   no  len  hits     F1  lp/word",
        false => "   no  len     F1  lp/word",
    };
    frame.render_widget(Line::styled(heading, theme.dim), head);
    let visible = moves::rows(view, "sentences", body, screen.at, screen.order.len());
    for (y, place) in (body.y..).zip(visible) {
        let number = screen.order[place];
        let unit = language_model.then_some(screen.unit);
        let hits = screen.search.count(number);
        let line = list_line((number, hits), &rows[number], unit, usize::from(body.width));
        let style = if place == screen.at { theme.selected } else { theme.text };
        let line_area = Rect { y, height: 1, ..body };
        frame.buffer_mut().set_style(line_area, style);
        frame.render_widget(Line::styled(line, style), line_area);
    }
}

/// `unit` is that of surprisals, of a language model; a search has numbers of matches.
fn list_line(
    (number, hits): (usize, Option<u32>),
    row: &Row,
    unit: Option<SurprisalUnit>,
    width: usize,
) -> String {
    let none = || "–".to_owned();
    let one_decimal = |x: f64| format!("{x:.1}");
    let words = row.words.join(" ");
    let figures = match unit {
        Some(unit) => {
            let perplexity = row.perplexity().map_or_else(none, figure);
            let peak = row.peak().map_or_else(none, |nats| one_decimal(unit.of(nats)));
            format!("{perplexity:>7} {peak:>6}")
        }
        None => {
            let f1 = row.f1.map_or_else(none, one_decimal);
            let per_word = row.per_word().map_or_else(none, figure);
            format!("{f1:>6} {per_word:>8}")
        }
    };
    let hits = hits.map(|n| format!(" {n:>5}")).unwrap_or_default();
    let figures = format!("{:>5} {:>4}{hits} {figures}  ", number + 1, row.words.len());
    fit(&(figures + &clean(&words)), width).into_owned()
}

/// Trees and heat map of the sentence in view.
fn draw_sentence(screen: &Parses, frame: &mut Frame, area: Rect, view: &View, wide: bool) {
    if screen.typed.is_empty() && screen.order.is_empty() && screen.evaluation.is_some() {
        let why: &[&str] = match screen.listing.filter.is_empty() {
            _ if screen.search.hits().is_some() && screen.trees.in_induced() => &[
                "no sentence has the pattern",
                "induced trees have no labels: __ and words find them",
                "<parses.trees> searches other trees, <parses.clear> shows all sentences",
            ],
            _ if screen.search.hits().is_some() => &[
                "no sentence has the pattern",
                "<parses.trees> searches other trees, <parses.clear> shows all sentences",
            ],
            true => &["no sentence is listed", "<parses.clear> shows all"],
            false => &["no sentence matches the filter", "<parses.clear> shows all"],
        };
        return empty_state(frame, area, "Sentence", why, view);
    }
    let facts = facts::lines(screen, usize::from(area.width), view);
    let rows = Constraint::Length(facts.len() as u16);
    let [head, body] = Layout::vertical([rows, Constraint::Fill(1)]).areas(area);
    frame.render_widget(ratatui::widgets::Paragraph::new(facts), head);
    let panes = &screen.panes;
    if let Some(pane) = &panes.surprisal {
        return draw_surprisals(screen, pane, frame, body, view);
    }
    if is_language_model(screen, view) {
        let why = ["no analysis: the sentence has no probability, or its surprisals are not kept"];
        return empty_state(frame, body, "Surprisal", &why, view);
    }
    let has_gold = panes.gold.is_some();
    let heat_below = wide && area.height >= TALL;
    let (trees, heat) = match (heat_below, screen.heat_first) {
        (true, _) => {
            let split = [Constraint::Fill(3), Constraint::Fill(2)];
            let [trees, heat] = view.stack("parses.heat", split, body);
            (Some(trees), Some(heat))
        }
        (false, true) => (None, Some(body)),
        (false, false) => (Some(body), None),
    };
    if let Some(area) = trees {
        let split = [Constraint::Fill(1), Constraint::Fill(1)];
        let (gold, induced) = match (has_gold, wide) {
            (false, _) => (None, area),
            (true, true) => {
                let [gold, induced] = view.columns("parses.gold", split, area);
                (Some(gold), induced)
            }
            (true, false) => {
                let [gold, induced] = view.stack("parses.above", split, area);
                (Some(gold), induced)
            }
        };
        if let Some(area) = gold {
            let title = format!("Gold{}", screen.fold.words(panes.gold_levels));
            draw_pane(frame, area, &title, panes.gold.as_ref(), &[], view);
        }
        let folded = screen.fold.words(panes.induced_levels);
        let title = format!("Induced · {}{folded}", screen.layout.name());
        let why = ["no analysis: the sentence has no derivation or was left out"];
        draw_pane(frame, induced, &title, panes.induced.as_ref(), &why, view);
    }
    if let Some(area) = heat {
        let why = [
            "marginals are kept for a few pinned sentences only",
            "press <parses.analyse> to parse the selected sentences with the current weights",
        ];
        draw_pane(frame, area, "Span marginals", panes.heat.as_ref(), &why, view);
    }
}

/// Lines, and below them bars where both have room.
fn draw_surprisals(
    screen: &Parses,
    surprisals: &SurprisalPane,
    frame: &mut Frame,
    area: Rect,
    view: &View,
) {
    let theme = view.theme;
    let both = area.height >= BOTH;
    let mut draw = |area: Rect, look: Look| {
        // Two panes have frames alike, whatever their heights are.
        let block = match both {
            true => pane("", theme, false),
            false => frame_of(String::new(), area, false, view),
        };
        surprisals.draw(frame, area, block, (look, screen.unit), theme);
    };
    if !both {
        return draw(area, if screen.heat_first { Look::Bars } else { Look::Lines });
    }
    let lines = surprisals.lines_in(area.width, screen.unit).min(area.height / 2);
    let [above, below] =
        Layout::vertical([Constraint::Length(lines), Constraint::Fill(1)]).areas(area);
    draw(above, Look::Lines);
    draw(below, Look::Bars);
}

fn draw_pane(
    frame: &mut Frame,
    area: Rect,
    title: &str,
    tree: Option<&TreePane>,
    why_empty: &[&str],
    view: &View,
) {
    let Some(tree) = tree else {
        return empty_state(frame, area, title, why_empty, view);
    };
    let block = frame_of(String::new(), area, false, view);
    tree.draw_framed(frame, area, block, title, view.theme);
}
