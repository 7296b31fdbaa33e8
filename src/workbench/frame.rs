//! The picture: tabs, the screen in view, popups, a status line and a line of keys.

use super::command::{Command, Scope};
use super::commands;
use super::keymap::Keymap;
use super::keys;
use super::layers::Layer;
use super::names::ScreenId;
use super::places::Place;
use super::screen::{SMALLEST, Screen, View};
use super::series::Series;
use super::shared::RunEntry;
use super::text;
use super::widgets;
use crate::report::Level;
use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::text::{Line, Span};
use ratatui::widgets::Paragraph;
use unicode_width::UnicodeWidthStr;

/// From this width on, tabs have blanks around them.
const ROOMY: u16 = 100;

/// All that is in view. What it holds stays whose it is; drawing changes nothing.
pub struct Scene<'a> {
    pub active: ScreenId,
    /// The active screen itself.
    pub screen: Option<&'a dyn Screen>,
    /// Popups, the lowest first.
    pub layers: &'a [&'a dyn Layer],
    /// The note above the keys.
    pub status: Option<&'a (Level, String)>,
    pub view: View<'a>,
}

impl Scene<'_> {
    /// Paints everything.
    pub fn draw(&self, frame: &mut Frame) {
        let view = &self.view;
        let area = frame.area();
        frame.buffer_mut().set_style(area, view.theme.text);
        if area.width < SMALLEST.0 || area.height < SMALLEST.1 {
            // A popup has the keys: what they do has to be seen.
            match self.layers.last() {
                Some(layer) => layer.draw(frame, area, view),
                None => draw_small(frame, area, view, self.status),
            }
        } else {
            let [tabs, body, status, keys] = Layout::vertical([
                Constraint::Length(1),
                Constraint::Fill(1),
                Constraint::Length(1),
                Constraint::Length(1),
            ])
            .areas(area);
            self.draw_tabs(frame, tabs);
            if let Some(screen) = self.screen {
                screen.draw(frame, body, view);
            }
            for layer in self.layers {
                if let Some(places) = view.places {
                    places.cover();
                }
                layer.draw(frame, body, view);
            }
            self.draw_status(frame, status);
            self.draw_keys(frame, keys);
        }
        text::sanitise(frame.buffer_mut());
        if !view.theme.unicode {
            text::to_ascii(frame.buffer_mut());
        }
    }

    fn draw_tabs(&self, frame: &mut Frame, area: Rect) {
        let view = &self.view;
        let theme = view.theme;
        // In narrow terminals blanks give way to the name of the run.
        let (edge, gap) = if area.width < ROOMY { ("", " ") } else { (" ", "") };
        let mut spans = vec![Span::raw(edge)];
        let mut x = area.x + edge.len() as u16;
        let label = |id: ScreenId| format!("{edge}{} {}{edge}", self.digit(id), id.title());
        let all: usize = ScreenId::ALL.map(|id| label(id).width() + gap.len()).iter().sum();
        // Where titles are wider than the screen, keys alone stand for the screens out of view.
        let fits = all <= usize::from(area.width) + 1;
        for id in ScreenId::ALL {
            let active = id == self.active;
            let label = match fits || active || self.digit(id) == " " {
                true => label(id),
                false => self.digit(id),
            };
            let width = label.width() as u16;
            view.place(Rect { x, width, ..area }.intersection(area), Place::Tab(id));
            x += width + gap.len() as u16;
            spans.push(Span::styled(label, if active { theme.selected } else { theme.dim }));
            spans.push(Span::raw(gap));
        }
        spans.pop();
        let tabs = Line::from(spans);
        let used = tabs.width() as u16;
        frame.render_widget(tabs, area);
        let room = usize::from(area.width.saturating_sub(used + 2));
        if let Some(run) = view.shared.selected_run()
            && room >= 8
        {
            let (symbol, word, style) = widgets::state_label(run, theme);
            let name = view.shared.label(run);
            let label = if room >= name.len() + word.len() + 4 {
                format!("{name} {word}")
            } else {
                text::fit(&name, room - 2).into_owned()
            };
            let line = Line::from(vec![
                Span::styled(label, theme.dim),
                Span::styled(format!(" {symbol} "), style),
            ]);
            frame.render_widget(line.right_aligned(), area);
        }
    }

    /// The key that shows a screen, where it is short enough for a tab.
    fn digit(&self, id: ScreenId) -> String {
        let name = id.title().to_lowercase();
        let keymap = &self.view.shared.keymap;
        let key = commands::global(&name).and_then(|c| keymap.keys(None, c).first().copied());
        key.filter(|key| key.width() == 1).unwrap_or(" ").to_owned()
    }

    fn draw_status(&self, frame: &mut Frame, area: Rect) {
        let view = &self.view;
        let theme = view.theme;
        let room = usize::from(area.width.saturating_sub(2));
        let place = Rect { x: area.x + 1, width: area.width.saturating_sub(2), ..area };
        if let Some((level, message)) = self.status {
            let mark = match level {
                Level::Error => "✗ ",
                Level::Warning => "! ",
                _ => "",
            };
            let message = text::clean(message);
            let room = room.saturating_sub(mark.width());
            // Of what has no room the Log has the rest, if it is more than a remark.
            let more = match *level >= Level::Warning && message.width() > room {
                true => view.say(" (<.log>: all of it)"),
                false => "".into(),
            };
            let line = text::fit(&message, room.saturating_sub(more.width())).into_owned();
            let line = [
                Span::styled(format!("{mark}{line}"), theme.level(*level)),
                Span::styled(more, theme.dim),
            ];
            frame.render_widget(Line::from(line.to_vec()), place);
        } else if let Some(task) = view.shared.tasks.last() {
            let spinner = ["⠋", "⠙", "⠸", "⠴", "⠦", "⠇"];
            let turn = if theme.unicode {
                spinner[view.tick as usize % spinner.len()]
            } else {
                ["|", "/", "-", "\\"][view.tick as usize % 4]
            };
            let more = match view.shared.tasks.len() {
                1 => String::new(),
                n => format!("  (+{} more)", n - 1),
            };
            let progress = if task.total > 0 {
                let share = task.done as f64 / task.total as f64;
                let size = if area.width < 120 { 10 } else { 20 };
                format!("  {} {:>3.0}%", widgets::bar(share, size), 100.0 * share)
            } else {
                String::new()
            };
            // How to stop it is said whatever its name is.
            let command = commands::global("stop-task");
            let key = command.and_then(|c| view.shared.keymap.keys(None, c).first().copied());
            let stops = key.map(|key| format!("  {} stops", keys::shown(key, theme.unicode)));
            let stops = stops.unwrap_or_default();
            if let Some(command) = command {
                view.place(place, Place::Command(None, command));
            }
            let rest = [turn, " ", &progress, &more, &stops].map(UnicodeWidthStr::width);
            let room = room.saturating_sub(rest.iter().sum());
            let title = text::fit(&text::clean(&task.title), room).into_owned();
            let line = Line::from(vec![
                Span::styled(format!("{turn} "), theme.accent),
                Span::styled(title, theme.text),
                Span::styled(progress, theme.accent),
                Span::styled(more, theme.dim),
                Span::styled(stops, theme.dim),
            ]);
            frame.render_widget(line, place);
        }
    }

    fn draw_keys(&self, frame: &mut Frame, area: Rect) {
        let view = &self.view;
        let theme = view.theme;
        let of_popup = |pairs: &'static [(&'static str, &'static str)]| {
            let hint = |&(key, label)| Hint {
                key: keys::shown(key, theme.unicode),
                label,
                place: Place::Key(key),
            };
            pairs.iter().map(hint).collect::<Vec<_>>()
        };
        let mut hints = if let Some(layer) = self.layers.last() {
            of_popup(layer.keys())
        } else if let Some(screen) = self.screen.filter(|s| s.editing()) {
            of_popup(screen.field_keys())
        } else {
            let keymap = &view.shared.keymap;
            let offered = |scope: Scope, name: &str| {
                scope.is_none() || self.screen.is_none_or(|screen| screen.offers(name))
            };
            let all = commands::on(self.active).filter(|(scope, c)| offered(*scope, c.name));
            all.filter_map(|(scope, c)| hint(keymap, scope, c, theme.unicode)).collect()
        };
        // What is everywhere keeps its place at the end; what does not fit before it is in `?`.
        let room = usize::from(area.width.saturating_sub(2));
        let width = |h: &Hint| h.key.width() + h.label.len() + 3;
        let mut total: usize = hints.iter().map(width).sum();
        let kept = 3;
        while total > room && hints.len() > kept {
            let dropped = hints.remove(hints.len() - kept - 1);
            total -= width(&dropped);
        }
        let mut spans = vec![Span::raw(" ")];
        let mut x = area.x + 1;
        for Hint { key, label, place } in hints {
            let gap = if label.is_empty() { " ".to_owned() } else { format!(" {label}  ") };
            let width = (key.width() + gap.width()) as u16;
            view.place(Rect { x, width, ..area }.intersection(area), place);
            x += width;
            spans.push(Span::styled(key, theme.key));
            spans.push(Span::styled(gap, theme.dim));
        }
        frame.render_widget(Line::from(spans), area);
    }
}

/// A key in the line of keys, and what clicking it does.
struct Hint {
    key: String,
    label: &'static str,
    place: Place,
}

fn hint(keymap: &Keymap, scope: Scope, command: &'static Command, unicode: bool) -> Option<Hint> {
    let key = *keymap.keys(scope, command).first().filter(|_| !command.short.is_empty())?;
    let place = Place::Command(scope, command);
    Some(Hint { key: keys::shown(key, unicode), label: command.short, place })
}

/// The answer to a terminal in which no screen fits: what is wanted, and how the run stands.
fn draw_small(frame: &mut Frame, area: Rect, view: &View, status: Option<&(Level, String)>) {
    let theme = view.theme;
    let needs = format!(
        "terminal too small: {}x{}, needs {}x{}",
        area.width, area.height, SMALLEST.0, SMALLEST.1
    );
    let mut lines: Vec<String> = vec![needs];
    if let Some((_, message)) = status {
        lines.push(text::clean(message).into_owned());
    }
    lines.extend(view.shared.selected_run().map(summary));
    lines.push(view.say("<.quit> quits").into_owned());
    let paragraph = Paragraph::new(lines.join("\n"))
        .style(theme.text)
        .wrap(ratatui::widgets::Wrap { trim: true });
    frame.render_widget(paragraph, area);
}

/// A run in one line.
fn summary(run: &RunEntry) -> String {
    let word = run.standing().word();
    let newest = |series: &Series| series.last().map(|(_, loss)| text::figure(loss));
    let loss = match run.history.loss_a_word() {
        _ if run.is_language_model() => {
            newest(&run.history.loss).map(|loss| format!(", loss {loss} a token"))
        }
        Some(words) => newest(words).map(|loss| format!(", loss {loss} a word")),
        None => newest(&run.history.loss).map(|loss| format!(", loss {loss} a sentence")),
    };
    format!("{word}, step {}{}", run.step(), loss.unwrap_or_default())
}
