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
    /// For any colour vision, on a dark ground.
    Safe,
    /// For any colour vision, on a light ground.
    SafeLight,
    Mono,
}

impl ThemeName {
    pub const ALL: [ThemeName; 5] =
        [ThemeName::Dark, ThemeName::Light, ThemeName::Safe, ThemeName::SafeLight, ThemeName::Mono];

    /// The theme of that name.
    pub fn parse(name: &str) -> Option<ThemeName> {
        ThemeName::ALL.into_iter().find(|theme| theme.name() == name)
    }

    /// As flags and files write it.
    pub fn name(self) -> &'static str {
        match self {
            ThemeName::Dark => "dark",
            ThemeName::Light => "light",
            ThemeName::Safe => "safe",
            ThemeName::SafeLight => "safe-light",
            ThemeName::Mono => "mono",
        }
    }

    /// What it is for, in a few words.
    pub fn meaning(self) -> &'static str {
        match self {
            ThemeName::Dark => "for a dark ground",
            ThemeName::Light => "for a light ground",
            ThemeName::Safe => "for any colour vision, on a dark ground",
            ThemeName::SafeLight => "for any colour vision, on a light ground",
            ThemeName::Mono => "no colour at all",
        }
    }

    /// The next one, for the key that changes themes.
    pub fn next(self) -> ThemeName {
        let at = ThemeName::ALL.iter().position(|theme| *theme == self).unwrap_or(0);
        ThemeName::ALL[(at + 1) % ThemeName::ALL.len()]
    }

    /// What is begun with: what was asked for by a flag, else by the user's settings; without
    /// either no colour where the terminal wants none, else what was chosen last.
    pub fn chosen(
        flag: Option<ThemeName>,
        settings: Option<ThemeName>,
        last: Option<ThemeName>,
        surroundings: Surroundings,
    ) -> ThemeName {
        let unasked = if surroundings.no_color { Some(ThemeName::Mono) } else { last };
        flag.or(settings).or(unasked).unwrap_or_default()
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
                heat: Heat::Colours(&[255, 189, 153, 110, 67, 31, 24, 17]),
            },
            ThemeName::Safe => Theme {
                name,
                good: indexed(39),
                warning: indexed(228),
                error: indexed(202).add_modifier(Modifier::BOLD),
                reference: indexed(228),
                series: [75, 214, 99, 49, 225, 197].map(indexed),
                ..Theme::new(ThemeName::Dark, unicode)
            },
            ThemeName::SafeLight => Theme {
                name,
                good: indexed(26),
                warning: indexed(136),
                error: indexed(52).add_modifier(Modifier::BOLD),
                reference: indexed(242),
                series: [25, 136, 167, 88, 89, 129].map(indexed),
                ..Theme::new(ThemeName::Light, unicode)
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
        match self.unicode {
            true => ["●", "◆", "■", "○", "◇", "□"][i % 6],
            false => ["*", "o", "%", "+", "#", "@"][i % 6],
        }
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
    fn a_flag_beats_settings_beat_no_color_beats_the_last_choice() {
        use ThemeName::{Dark, Light, Mono, Safe};
        let (plain, coloured) = (
            Surroundings { no_color: true, unicode: true },
            Surroundings { no_color: false, unicode: true },
        );
        for (flag, settings, last, surroundings, chosen) in [
            (Some(Safe), Some(Light), Some(Mono), plain, Safe),
            (None, Some(Light), Some(Safe), plain, Light),
            (None, None, Some(Light), plain, Mono),
            (None, None, Some(Light), coloured, Light),
            (None, None, None, coloured, Dark),
        ] {
            assert_eq!(ThemeName::chosen(flag, settings, last, surroundings), chosen);
        }
    }

    #[test]
    fn the_key_goes_through_all_themes_and_every_name_is_read_back() {
        let mut theme = ThemeName::Dark;
        for _ in 0..ThemeName::ALL.len() {
            assert_eq!(ThemeName::parse(theme.name()), Some(theme));
            theme = theme.next();
        }
        assert_eq!(theme, ThemeName::Dark);
        assert_eq!(ThemeName::parse("sepia"), None);
    }

    // What colours look like to people who lack one kind of cone.

    /// Red, green and blue in 0..=1, linear, of an index of the 256-colour palette.
    fn linear(index: u8) -> [f64; 3] {
        let level = |l: u8| [0u8, 95, 135, 175, 215, 255][usize::from(l)];
        let rgb = match index {
            232.. => [8 + 10 * (index - 232); 3],
            16.. => {
                let i = index - 16;
                [level(i / 36), level(i / 6 % 6), level(i % 6)]
            }
            _ => panic!("the first sixteen are the user's own"),
        };
        rgb.map(|c| {
            let c = f64::from(c) / 255.0;
            if c <= 0.04045 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) }
        })
    }

    type Matrix = [[f64; 3]; 3];

    /// Normal vision, and lack of the long, middle and short cones (Machado, Oliveira & Fernandes
    /// 2009, severity 1).
    const VISIONS: [Matrix; 4] = [
        [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
        [
            [0.152286, 1.052583, -0.204868],
            [0.114503, 0.786281, 0.099216],
            [-0.003882, -0.048116, 1.051998],
        ],
        [
            [0.367322, 0.860646, -0.227968],
            [0.280085, 0.672501, 0.047413],
            [-0.011820, 0.042940, 0.968881],
        ],
        [
            [1.255528, -0.076749, -0.178779],
            [-0.078411, 0.930809, 0.147602],
            [0.004733, 0.691367, 0.303900],
        ],
    ];

    /// CIE L*a*b* under D65 of a colour as that vision sees it.
    fn seen(index: u8, vision: &Matrix) -> [f64; 3] {
        let times = |m: &Matrix, v: [f64; 3]| {
            [0, 1, 2].map(|i| m[i].iter().zip(v).map(|(a, b)| a * b).sum::<f64>())
        };
        let rgb = times(vision, linear(index)).map(|c| c.clamp(0.0, 1.0));
        let to_xyz = [[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]];
        let xyz = times(&to_xyz, rgb);
        let f = |t: f64| if t > 0.008856 { t.cbrt() } else { 7.787 * t + 16.0 / 116.0 };
        let [x, y, z] = [f(xyz[0] / 0.9505), f(xyz[1]), f(xyz[2] / 1.089)];
        [116.0 * y - 16.0, 500.0 * (x - y), 200.0 * (y - z)]
    }

    fn index_of(style: Style) -> u8 {
        match style.fg {
            Some(Color::Indexed(i)) => i,
            other => panic!("no colour of the palette: {other:?}"),
        }
    }

    /// The least difference between two of the colours for any vision.
    fn least_difference(styles: &[Style]) -> f64 {
        let colours: Vec<u8> = styles.iter().map(|s| index_of(*s)).collect();
        let pairs = (0..colours.len()).flat_map(|i| (0..i).map(move |j| (i, j)));
        let difference = |(i, j): (usize, usize), vision| {
            let (a, b) = (seen(colours[i], vision), seen(colours[j], vision));
            a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt()
        };
        let all = pairs.flat_map(|pair| VISIONS.iter().map(move |v| difference(pair, v)));
        all.fold(f64::INFINITY, f64::min)
    }

    #[test]
    fn the_safe_themes_are_told_apart_with_any_colour_vision_and_the_others_would_not_be() {
        for name in ThemeName::ALL.into_iter().filter(|name| *name != ThemeName::Mono) {
            let theme = Theme::new(name, true);
            let meanings = least_difference(&[theme.good, theme.warning, theme.error]);
            let series = least_difference(&(0..6).map(|i| theme.series(i)).collect::<Vec<_>>());
            let is_safe = matches!(name, ThemeName::Safe | ThemeName::SafeLight);
            // A difference of 20 is seen at once; the test can fail, as it does for the others.
            assert_eq!(meanings > 20.0 && series > 20.0, is_safe, "{name:?} {meanings} {series}");
        }
    }

    #[test]
    fn every_word_has_contrast_to_its_ground_and_heat_is_told_by_lightness() {
        let luminance = |i: u8| {
            let [r, g, b] = linear(i);
            0.2126 * r + 0.7152 * g + 0.0722 * b
        };
        let contrast = |a: f64, b: f64| (a.max(b) + 0.05) / (a.min(b) + 0.05);
        for name in ThemeName::ALL.into_iter().filter(|name| *name != ThemeName::Mono) {
            let theme = Theme::new(name, true);
            let light = matches!(name, ThemeName::Light | ThemeName::SafeLight);
            let ground = if light { 1.0 } else { 0.0 };
            let words = [theme.text, theme.dim, theme.title, theme.key, theme.good, theme.warning];
            let words = words.into_iter().chain([theme.error, theme.accent, theme.reference]);
            for style in words.chain((0..6).map(|i| theme.series(i))) {
                let contrast = contrast(luminance(index_of(style)), ground);
                assert!(contrast >= 3.0, "{name:?} {style:?}: {contrast}");
            }
            let steps: Vec<f64> = (0..8)
                .map(|i| match theme.heat(f64::from(i) / 7.0).1.bg {
                    Some(Color::Indexed(index)) => luminance(index),
                    other => panic!("{other:?}"),
                })
                .collect();
            let grows = |pair: &[f64]| (pair[1] > pair[0]) != light;
            assert!(steps.windows(2).all(grows), "{name:?} {steps:?}");
        }
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
