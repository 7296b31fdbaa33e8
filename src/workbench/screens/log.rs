//! The Log screen: what runs and the program itself said, the newest last.

use crate::report::Level;
use crate::workbench::choice::on_off;
use crate::workbench::command::Command;
use crate::workbench::names::ScreenId;
use crate::workbench::places::Place;
use crate::workbench::screen::{Context, Input, Screen, Term, View};
use crate::workbench::shared::{LogLine, LogStore, Shared};
use crate::workbench::text;
use crate::workbench::widgets::{empty_state, pane};
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use ratatui::widgets::Paragraph;
use std::cell::Cell;

pub const COMMANDS: &[Command] = &[
    Command { name: "up", keys: &["Up", "k"], help: "Earlier lines", short: "" },
    Command { name: "down", keys: &["Down", "j"], help: "Later lines", short: "scroll" },
    Command { name: "page-up", keys: &["PageUp"], help: "A page of earlier lines", short: "" },
    Command { name: "page-down", keys: &["PageDown"], help: "A page of later lines", short: "" },
    Command { name: "first", keys: &["Home", "g"], help: "The first line kept", short: "" },
    Command {
        name: "follow",
        keys: &["End", "G", "f"],
        help: "The newest line, and follow what comes",
        short: "follow",
    },
    Command {
        name: "level",
        keys: &["l"],
        help: "Show everything, or only information, warnings or errors and above",
        short: "level",
    },
    Command {
        name: "wrap",
        keys: &["w"],
        help: "Break long lines, or cut them at the edge",
        short: "wrap",
    },
];

pub const NOTES: &[Term] = &[
    Term {
        name: "lines",
        meaning: "What runs and the workbench said since the start, and the messages of every \
                  run that was looked at. The newest 10,000 are kept",
    },
    Term {
        name: "level",
        meaning: "Levels are debug, info, warning and error; `l` hides the lower ones. Of a \
                  failed run the reason stands here",
    },
    Term {
        name: "follow",
        meaning: "The newest line stays in view until one scrolls up, and again after End",
    },
];

/// State of the Log screen.
pub struct Log {
    /// The least level shown.
    level: Level,
    /// Lines between the newest one and the bottom of the screen; 0 follows.
    back: usize,
    wrap: bool,
    /// Matching lines when last counted, so that the place is kept while lines come in.
    known: usize,
    /// The `back` at which the first line stands at the top, as of the last drawing: only that knows
    /// how many rows lines take. From beyond it one key leads back into view.
    most: Cell<usize>,
}

impl Default for Log {
    fn default() -> Self {
        Log { level: Level::Info, back: 0, wrap: true, known: 0, most: Cell::new(usize::MAX) }
    }
}

impl Log {
    fn matching<'a>(&self, log: &'a LogStore) -> impl DoubleEndedIterator<Item = &'a LogLine> {
        let level = self.level;
        log.lines().filter(move |l| l.level >= level)
    }

    /// How far back it is scrolled on the screen.
    fn seen_back(&self) -> usize {
        self.back.min(self.most.get())
    }

    fn keep_place(&mut self, shared: &Shared) {
        let count = self.matching(&shared.log).count();
        if self.back > 0 {
            self.back += count.saturating_sub(self.known);
        }
        self.known = count;
        self.back = self.back.min(count.saturating_sub(1));
    }
}

impl Screen for Log {
    fn id(&self) -> ScreenId {
        ScreenId::Log
    }

    fn update(&mut self, input: Input, context: &mut Context) {
        self.keep_place(context.shared);
        let Input::Command(name) = input else { return };
        let last = self.known.saturating_sub(1);
        match name {
            "up" => self.back = (self.back + 1).min(last),
            "down" => self.back = self.seen_back().saturating_sub(1),
            "page-up" => self.back = (self.back + 10).min(last),
            "page-down" => self.back = self.seen_back().saturating_sub(10),
            "first" => self.back = last,
            "follow" => self.back = 0,
            "level" => {
                self.level = match self.level {
                    Level::Debug => Level::Info,
                    Level::Info => Level::Warning,
                    Level::Warning => Level::Error,
                    Level::Error => Level::Debug,
                };
                self.known = self.matching(&context.shared.log).count();
                self.back = 0;
            }
            "wrap" => self.wrap = !self.wrap,
            _ => {}
        }
    }

    fn choices(&self) -> Vec<(&'static str, String)> {
        vec![("wrap", on_off(self.wrap))]
    }

    fn recall(&mut self, name: &str, value: &str) {
        if name == "wrap" {
            self.wrap = value == "on";
        }
    }

    fn draw(&self, frame: &mut Frame, area: Rect, view: &View) {
        let theme = view.theme;
        let log = &view.shared.log;
        let shown = match self.level {
            Level::Debug => "everything",
            Level::Info => "information and above",
            Level::Warning => "warnings and errors",
            Level::Error => "errors",
        };
        let place = if self.back == 0 { "following" } else { "scrolled back" };
        let title = format!("Log: {shown}, {place}");
        if self.matching(log).next().is_none() {
            let hint = format!("Nothing of this level ({shown}).");
            return empty_state(
                frame,
                area,
                &title,
                &[&hint, "", "<log.level>  another level"],
                view,
            );
        }
        let mut block = pane(title, theme, true);
        if log.dropped() > 0 {
            let note = format!(" dropped: {} ", text::counted(log.dropped(), "older line"));
            block = block.title_bottom(Line::styled(note, theme.dim));
        }
        let inside = block.inner(area);
        frame.render_widget(block, area);
        view.place(inside, Place::Wheel { up: "up", down: "down", times: 3 });
        // From the bottom up, until the screen is full.
        let (width, height) = (usize::from(inside.width), usize::from(inside.height));
        let mut rows: Vec<Line> = Vec::new();
        let mut earlier = self.matching(log).rev().skip(self.back);
        for line in earlier.by_ref() {
            rows.extend(self.rows(line, width, view).into_iter().rev());
            if rows.len() >= height {
                break;
            }
        }
        let first_is_seen = rows.len() <= height && earlier.next().is_none();
        rows.truncate(height);
        rows.reverse();
        // Below the first lines stand later ones: half a page tells no more than a whole one.
        let mut later = 0;
        while rows.len() < height && later < self.back {
            let line = self.matching(log).rev().nth(self.back - later - 1);
            rows.extend(line.map(|line| self.rows(line, width, view)).unwrap_or_default());
            later += 1;
        }
        rows.truncate(height);
        self.most.set(if first_is_seen { self.back - later } else { usize::MAX });
        frame.render_widget(Paragraph::new(rows), inside);
    }
}

impl Log {
    /// One line of the log in as many rows as it takes.
    fn rows<'a>(&self, line: &LogLine, width: usize, view: &View) -> Vec<Line<'a>> {
        let theme = view.theme;
        let mark = match line.level {
            Level::Debug => "·",
            Level::Info => " ",
            Level::Warning => "!",
            Level::Error => "✗",
        };
        let source = text::fit(&line.source, 24).into_owned();
        let head = format!("{} ", text::time_of_day(line.time));
        let prefix = head.len() + 2 + source.chars().count() + 2;
        let room = width.saturating_sub(prefix).max(10);
        let body = if self.wrap {
            text::wrap(&line.text, room)
        } else {
            vec![text::fit(&line.text, room).into_owned()]
        };
        body.into_iter()
            .enumerate()
            .map(|(i, part)| {
                let style = theme.level(line.level);
                if i > 0 {
                    return Line::from(vec![
                        Span::raw(" ".repeat(prefix)),
                        Span::styled(part, style),
                    ]);
                }
                Line::from(vec![
                    Span::styled(head.clone(), theme.dim),
                    Span::styled(format!("{mark} "), style),
                    Span::styled(format!("{source}  "), theme.dim),
                    Span::styled(part, style),
                ])
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workbench::testing::{picture, update};

    fn shared(levels: &[Level]) -> Shared {
        let mut shared = Shared::default();
        for (i, level) in levels.iter().enumerate() {
            let time = 3600.0 + i as f64;
            shared.log.push(time, *level, "2026-11-29-rank-pcfg", &format!("line {i}"));
        }
        shared
    }

    #[test]
    fn the_place_is_kept_while_lines_come_in() {
        let mut log = Log::default();
        let mut shared = shared(&[Level::Info; 40]);
        update(&mut log, Input::Command("up"), &shared);
        update(&mut log, Input::Command("up"), &shared);
        let before = picture(&log, &shared, 80, 16);
        shared.log.push(9000.0, Level::Info, "workbench", "new");
        update(&mut log, Input::Tick, &shared);
        assert_eq!(picture(&log, &shared, 80, 16), before);
        update(&mut log, Input::Command("follow"), &shared);
        assert!(picture(&log, &shared, 80, 16).contains("new"));
    }

    #[test]
    fn the_first_line_is_followed_by_a_page_and_one_key_leads_on_from_there() {
        let mut log = Log::default();
        let shared = shared(&[Level::Info; 100]);
        update(&mut log, Input::Command("first"), &shared);
        let first = picture(&log, &shared, 80, 16);
        assert!(first.contains("line 0 ") && first.contains("line 13 "), "{first}");
        update(&mut log, Input::Command("down"), &shared);
        let next = picture(&log, &shared, 80, 16);
        assert!(next.contains("line 14 ") && !next.contains("line 0 "), "{next}");
        update(&mut log, Input::Command("up"), &shared);
        assert_eq!(picture(&log, &shared, 80, 16), first);
    }

    #[test]
    fn levels_and_hostile_lines_at_80x24() {
        let mut log = Log::default();
        let mut shared = shared(&[Level::Info, Level::Warning, Level::Error, Level::Debug]);
        shared.log.push(
            3700.0,
            Level::Warning,
            "workbench",
            "a corpus said \u{1b}[31mred\u{1b}[0m and \u{1b}]0;title\u{7} and went on for so long that the line has to be broken somewhere",
        );
        insta::assert_snapshot!(picture(&log, &shared, 80, 16));
        update(&mut log, Input::Command("level"), &shared);
        update(&mut log, Input::Command("level"), &shared);
        let errors = picture(&log, &shared, 80, 16);
        assert!(errors.contains("line 2") && !errors.contains("line 1"), "{errors}");
    }
}
