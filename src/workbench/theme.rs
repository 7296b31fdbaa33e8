//! Colours by role, and the plain answers where a terminal has none.
//!
//! Nothing is told by colour alone: every role that carries a meaning has a
//! symbol or a modifier beside it, so that `mono` loses nothing.

use ratatui::style::{Color, Modifier, Style};
use ratatui::symbols::border;

/// Which palette.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ThemeName {
    #[default]
    Dark,
    Light,
    Mono,
}

impl ThemeName {
    /// `dark`, `light` or `mono`.
    pub fn parse(name: &str) -> Option<ThemeName> {
        match name {
            "dark" => Some(ThemeName::Dark),
            "light" => Some(ThemeName::Light),
            "mono" => Some(ThemeName::Mono),
            _ => None,
        }
    }

    pub fn name(self) -> &'static str {
        match self {
            ThemeName::Dark => "dark",
            ThemeName::Light => "light",
            ThemeName::Mono => "mono",
        }
    }

    /// The next one, for the key that changes themes.
    pub fn next(self) -> ThemeName {
        match self {
            ThemeName::Dark => ThemeName::Light,
            ThemeName::Light => ThemeName::Mono,
            ThemeName::Mono => ThemeName::Dark,
        }
    }
}

/// Styles by role. Screens use these and name no colour.
#[derive(Clone, Debug, PartialEq)]
pub struct Theme {
    pub name: ThemeName,
    /// Whether the terminal shows UTF-8; else every cell is reduced to ASCII on its way out.
    pub unicode: bool,
    pub text: Style,
    /// Labels, units, hints.
    pub dim: Style,
    /// Titles of panes.
    pub title: Style,
    pub border: Style,
    /// Border of the pane that has the keys.
    pub focus: Style,
    /// What the eye should find first.
    pub accent: Style,
    /// The selected row; reversed, so that it shows without colour.
    pub selected: Style,
    /// A key in the line of keys and in help.
    pub key: Style,
    pub good: Style,
    pub warning: Style,
    pub error: Style,
    /// Marked search hits.
    pub hit: Style,
    /// Raw values behind a smoothed line.
    pub faint: Style,
    /// Reference lines such as right-branching.
    pub reference: Style,
    series: [Style; 6],
    heat: Heat,
}

#[derive(Clone, Debug, PartialEq)]
enum Heat {
    /// Indices of the 256-colour palette, low to high.
    Colours(&'static [u8]),
    /// Shades only.
    Shades,
}

const fn indexed(i: u8) -> Style {
    Style::new().fg(Color::Indexed(i))
}

impl Theme {
    pub fn new(name: ThemeName, unicode: bool) -> Theme {
        match name {
            ThemeName::Dark => Theme {
                name,
                unicode,
                text: indexed(252),
                dim: indexed(245),
                title: indexed(252).add_modifier(Modifier::BOLD),
                border: indexed(239),
                focus: indexed(75),
                accent: indexed(75).add_modifier(Modifier::BOLD),
                selected: Style::new()
                    .fg(Color::Indexed(231))
                    .bg(Color::Indexed(24))
                    .add_modifier(Modifier::BOLD),
                key: indexed(180),
                good: indexed(114),
                warning: indexed(179),
                error: indexed(174).add_modifier(Modifier::BOLD),
                hit: Style::new().fg(Color::Indexed(16)).bg(Color::Indexed(180)),
                faint: indexed(240),
                reference: indexed(180),
                series: [75, 114, 180, 176, 80, 210].map(indexed),
                heat: Heat::Colours(&[235, 237, 24, 31, 38, 80, 122, 194]),
            },
            ThemeName::Light => Theme {
                name,
                unicode,
                text: indexed(236),
                dim: indexed(243),
                title: indexed(234).add_modifier(Modifier::BOLD),
                border: indexed(250),
                focus: indexed(25),
                accent: indexed(25).add_modifier(Modifier::BOLD),
                selected: Style::new()
                    .fg(Color::Indexed(231))
                    .bg(Color::Indexed(25))
                    .add_modifier(Modifier::BOLD),
                key: indexed(94),
                good: indexed(28),
                warning: indexed(130),
                error: indexed(124).add_modifier(Modifier::BOLD),
                hit: Style::new().fg(Color::Indexed(16)).bg(Color::Indexed(222)),
                faint: indexed(250),
                reference: indexed(130),
                series: [25, 28, 130, 90, 30, 160].map(indexed),
                heat: Heat::Colours(&[255, 253, 195, 153, 110, 67, 31, 24]),
            },
            ThemeName::Mono => {
                let plain = Style::new();
                let bold = plain.add_modifier(Modifier::BOLD);
                Theme {
                    name,
                    unicode,
                    text: plain,
                    dim: plain.add_modifier(Modifier::DIM),
                    title: bold,
                    border: plain.add_modifier(Modifier::DIM),
                    focus: bold,
                    accent: bold,
                    selected: plain.add_modifier(Modifier::REVERSED),
                    key: bold,
                    good: plain,
                    warning: plain.add_modifier(Modifier::UNDERLINED),
                    error: bold.add_modifier(Modifier::UNDERLINED),
                    hit: plain.add_modifier(Modifier::REVERSED),
                    faint: plain.add_modifier(Modifier::DIM),
                    reference: plain,
                    series: [
                        bold,
                        plain,
                        plain.add_modifier(Modifier::UNDERLINED),
                        plain.add_modifier(Modifier::ITALIC),
                        plain.add_modifier(Modifier::DIM),
                        bold.add_modifier(Modifier::UNDERLINED),
                    ],
                    heat: Heat::Shades,
                }
            }
        }
    }

    /// Style of the i-th overlaid run or series.
    pub fn series(&self, i: usize) -> Style {
        self.series[i % self.series.len()]
    }

    /// Symbol that stands for the i-th series in keys, so that colour is not needed.
    pub fn series_symbol(&self, i: usize) -> &'static str {
        ["●", "◆", "■", "○", "◇", "□"][i % 6]
    }

    /// A cell of a heat map for a value in 0..=1: two columns wide text and its style.
    pub fn heat(&self, value: f64) -> (&'static str, Style) {
        let value = if value.is_finite() { value.clamp(0.0, 1.0) } else { 0.0 };
        match &self.heat {
            Heat::Colours(ramp) if self.unicode => {
                let i = (value * (ramp.len() - 1) as f64).round() as usize;
                ("  ", Style::new().bg(Color::Indexed(ramp[i])))
            }
            _ => {
                let shades = ["  ", "░░", "▒▒", "▓▓", "██"];
                (shades[(value * 4.0).round() as usize], self.text)
            }
        }
    }

    /// Corners and lines of panes.
    pub fn border_set(&self) -> border::Set<'static> {
        border::ROUNDED
    }

    /// Style of a message by its weight.
    pub fn level(&self, level: crate::report::Level) -> Style {
        match level {
            crate::report::Level::Debug => self.dim,
            crate::report::Level::Info => self.text,
            crate::report::Level::Warning => self.warning,
            crate::report::Level::Error => self.error,
        }
    }
}

/// What the environment says about the terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Surroundings {
    pub no_color: bool,
    pub unicode: bool,
}

impl Surroundings {
    /// Reads `NO_COLOR`, `TERM` and the locale through `get`.
    pub fn detect(get: impl Fn(&str) -> Option<String>) -> Surroundings {
        let term = get("TERM").unwrap_or_default();
        // The first that is set and not empty decides, as in setlocale(3).
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"]
            .iter()
            .filter_map(|k| get(k))
            .find(|v| !v.is_empty())
            .unwrap_or_default()
            .to_ascii_uppercase()
            .replace('-', "");
        let poor = matches!(term.as_str(), "linux" | "dumb");
        Surroundings {
            no_color: get("NO_COLOR").is_some_and(|v| !v.is_empty()) || term == "dumb",
            unicode: !poor && locale.contains("UTF8"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn detect(pairs: &[(&str, &str)]) -> Surroundings {
        Surroundings::detect(|k| pairs.iter().find(|(n, _)| *n == k).map(|(_, v)| (*v).to_owned()))
    }

    #[test]
    fn the_environment_decides_on_colour_and_characters() {
        let xterm = ("TERM", "xterm-256color");
        let utf8 = ("LANG", "en_US.UTF-8");
        assert_eq!(detect(&[xterm, utf8]), Surroundings { no_color: false, unicode: true });
        assert!(!detect(&[xterm]).unicode);
        assert!(detect(&[xterm, ("LC_ALL", "C.utf8")]).unicode);
        assert!(!detect(&[xterm, utf8, ("LC_ALL", "C")]).unicode);
        assert!(!detect(&[("TERM", "linux"), utf8]).unicode);
        assert!(detect(&[xterm, utf8, ("NO_COLOR", "1")]).no_color);
        assert!(!detect(&[xterm, utf8, ("NO_COLOR", "")]).no_color);
        assert!(detect(&[("TERM", "dumb"), utf8]).no_color);
    }

    #[test]
    fn mono_names_no_colour_at_all() {
        let theme = Theme::new(ThemeName::Mono, true);
        let styles = [
            theme.text,
            theme.dim,
            theme.title,
            theme.border,
            theme.focus,
            theme.accent,
            theme.selected,
            theme.key,
            theme.good,
            theme.warning,
            theme.error,
            theme.hit,
            theme.faint,
            theme.reference,
        ];
        for style in styles.into_iter().chain((0..6).map(|i| theme.series(i))) {
            assert_eq!((style.fg, style.bg), (None, None), "{style:?}");
        }
        assert_eq!(theme.heat(1.0).0, "██");
    }
}
