use super::heat::{percent, shade};
use super::picture::Shape;
use super::tree_svg::{CELL, MARGIN, escape_xml, size};
use super::{Charset, Ink, Picture, Role, clean, width};
use serde_json::{Value, json};
use std::fmt::Write;

/// A token with what a language model says of it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ScoredToken {
    /// As written; of the end of the sentence its name.
    pub text: Box<str>,
    /// -log p given the tokens before it, nats.
    pub surprisal: f32,
    /// Its likeliest state; empty where none is known.
    pub state: Box<str>,
    /// Whether the vocabulary lacks it.
    pub unknown: bool,
}

/// A sentence as a language model sees it, its end included.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ScoredSentence {
    pub tokens: Vec<ScoredToken>,
    /// Nats.
    pub log_prob: f64,
}

impl ScoredSentence {
    /// exp(-log p / tokens).
    pub fn perplexity(&self) -> f64 {
        (-self.log_prob / self.tokens.len().max(1) as f64).exp()
    }

    fn has_states(&self) -> bool {
        self.tokens.iter().any(|token| !token.state.is_empty())
    }
}

/// In what surprisals are told.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SurprisalUnit {
    #[default]
    Bits,
    Nats,
}

/// A shade of the map, and the surprisal that it begins at.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HeatStep {
    /// A percentage within the shade.
    pub percent: u8,
    pub sign: &'static str,
    pub from: f64,
}

impl SurprisalUnit {
    pub fn name(self) -> &'static str {
        match self {
            SurprisalUnit::Bits => "bits",
            SurprisalUnit::Nats => "nats",
        }
    }

    pub fn other(self) -> SurprisalUnit {
        match self {
            SurprisalUnit::Bits => SurprisalUnit::Nats,
            SurprisalUnit::Nats => SurprisalUnit::Bits,
        }
    }

    /// A surprisal in this unit.
    pub fn of(self, nats: f64) -> f64 {
        match self {
            SurprisalUnit::Bits => nats / std::f64::consts::LN_2,
            SurprisalUnit::Nats => nats,
        }
    }

    /// Where the map is darkest: one scale for all sentences, so that they can be compared.
    fn top(self) -> f64 {
        match self {
            SurprisalUnit::Bits => 16.0,
            SurprisalUnit::Nats => 12.0,
        }
    }

    fn heat(self, nats: f32) -> u8 {
        percent((self.of(f64::from(nats)) / self.top()) as f32)
    }

    /// The key to the map, lightest first; what lies below has no shade.
    pub fn steps(self, charset: Charset) -> [HeatStep; 4] {
        [5, 25, 50, 75].map(|from| {
            let percent = if from == 5 { 15 } else { from + 12 };
            let (sign, from) = (shade(percent, charset), f64::from(from) / 100.0 * self.top());
            HeatStep { percent, sign, from }
        })
    }

    /// One decimal: a tenth of a bit is less than any two trainings differ.
    fn figure(self, nats: f32) -> String {
        match self.of(f64::from(nats)) {
            x if x.is_finite() => format!("{x:.1}"),
            x if x.is_nan() => "NaN".to_owned(),
            _ => "inf".to_owned(),
        }
    }
}

/// The sentence in lines of at most `columns` columns: below every token its surprisal on a shade,
/// and its likeliest state where states are known.
pub fn surprisal_lines(
    sentence: &ScoredSentence,
    unit: SurprisalUnit,
    columns: usize,
    charset: Charset,
) -> Picture {
    let mut picture = Picture::new(charset);
    let height = if sentence.has_states() { 4 } else { 3 };
    let (mut row, mut column) = (0, 0);
    for token in &sentence.tokens {
        let (word, heat) = (clean(&token.text), unit.heat(token.surprisal));
        let value = format!("{}{:>4}", shade(heat, charset), unit.figure(token.surprisal));
        let wide = width(&word).max(width(&value)).max(width(&token.state));
        if column > 0 && column + wide > columns {
            (row, column) = (row + height, 0);
        }
        picture.text(row, column, &word, word_ink(token));
        // The field is as wide as the word, so that it is a band below the text.
        picture.text(row + 1, column, &format!("{value:<wide$}"), heat_ink(heat));
        if !token.state.is_empty() {
            picture.text(row + 2, column, &token.state, ink(Role::Tag));
        }
        column += wide + 1;
    }
    picture
}

/// Columns of the longest bar.
const BAR: usize = 32;

/// The sentence with a row for every token: its state, surprisal and a bar of it.
pub fn surprisal_rows(sentence: &ScoredSentence, unit: SurprisalUnit, charset: Charset) -> Picture {
    let mut picture = Picture::new(charset);
    let words: Vec<_> = sentence.tokens.iter().map(|token| clean(&token.text)).collect();
    let widest = |widths: &mut dyn Iterator<Item = usize>| widths.max().unwrap_or(0);
    let word_end = widest(&mut words.iter().map(|word| width(word)));
    let states = widest(&mut sentence.tokens.iter().map(|token| width(&token.state)));
    let value_at = word_end + 1 + if states > 0 { states + 1 } else { 0 };
    for (row, (token, word)) in sentence.tokens.iter().zip(&words).enumerate() {
        picture.text(row, word_end - width(word), word, word_ink(token));
        if !token.state.is_empty() {
            picture.text(row, word_end + 1, &token.state, ink(Role::Tag));
        }
        let heat = unit.heat(token.surprisal);
        let value = format!("{:>5}", unit.figure(token.surprisal));
        picture.text(row, value_at, &value, ink(Role::Word));
        let full = (usize::from(heat) * BAR).div_ceil(100);
        let sign = shade(heat, charset);
        // Too little for a shade is still there.
        let sign = if sign == " " && full > 0 { shade(15, charset) } else { sign };
        picture.text(row, value_at + 6, &sign.repeat(full), heat_ink(heat));
    }
    picture
}

fn ink(role: Role) -> Ink {
    Ink { role, ..Ink::default() }
}

fn word_ink(token: &ScoredToken) -> Ink {
    ink(if token.unknown { Role::UnknownWord } else { Role::Word })
}

fn heat_ink(percent: u8) -> Ink {
    ink(Role::Heat(percent))
}

/// A line a token, its fields apart by tabs, below a line of headings.
pub fn surprisals_to_text(sentence: &ScoredSentence, unit: SurprisalUnit) -> String {
    let states = sentence.has_states();
    let mut out = format!("token\t{}{}\n", unit.name(), if states { "\tstate" } else { "" });
    for token in &sentence.tokens {
        let value = unit.of(f64::from(token.surprisal));
        let state = if states { format!("\t{}", token.state) } else { String::new() };
        // Writing to a string cannot fail.
        let _ = writeln!(out, "{}\t{value:.4}{state}", clean(&token.text));
    }
    out
}

/// `{"tokens", "surprisals", "states", "unknown", "log_prob", "perplexity", "unit"}`, in nats
/// throughout; `states` only where they are known, `unknown` has places in `tokens`.
pub fn surprisals_to_json(sentence: &ScoredSentence) -> Value {
    let tokens = || sentence.tokens.iter();
    let number = |x: f64| match serde_json::Number::from_f64(x) {
        Some(number) => Value::Number(number),
        None if x.is_nan() => "NaN".into(),
        None if x > 0.0 => "Infinity".into(),
        None => "-Infinity".into(),
    };
    let short = |x: f32| (f64::from(x) * 1e5).round() / 1e5;
    let mut value = json!({
        "tokens": tokens().map(|t| &*t.text).collect::<Vec<_>>(),
        "surprisals": tokens().map(|t| number(short(t.surprisal))).collect::<Vec<_>>(),
        "unknown": tokens().enumerate().filter(|(_, t)| t.unknown).map(|(i, _)| i).collect::<Vec<_>>(),
        "log_prob": number(sentence.log_prob),
        "perplexity": number(sentence.perplexity()),
        "unit": SurprisalUnit::Nats.name(),
    });
    if sentence.has_states() {
        value["states"] = tokens().map(|t| &*t.state).collect::<Vec<_>>().into();
    }
    value
}

/// Columns of a line of the drawing.
const SVG_COLUMNS: usize = 100;

/// The lines as an SVG drawing: fields in colour with the figures on them, and their key below.
pub fn surprisals_to_svg(sentence: &ScoredSentence, unit: SurprisalUnit) -> String {
    let picture = surprisal_lines(sentence, unit, SVG_COLUMNS, Charset::Unicode);
    let (w, h) = CELL;
    let (x, y) = (|column: f64| MARGIN + column * w, |row: f64| MARGIN + row * h);
    let (mut fields, mut texts) = (String::new(), String::new());
    // Writing to a string cannot fail, so results are dropped.
    let mut write = |row: f64, column: f64, columns: f64, text: &str, ink: Ink| {
        let (fill, style) = match ink.role {
            Role::Heat(percent) if percent >= 60 => ("#ffffff", ""),
            Role::Tag => ("#555555", ""),
            Role::UnknownWord => ("#111111", " font-style=\"italic\""),
            _ => ("#111111", ""),
        };
        if let Role::Heat(percent) = ink.role {
            let [red, green, blue] = field(percent);
            let (left, top, across, down) = (x(column), y(row) + 1.0, columns * w, h - 2.0);
            let _ = writeln!(
                fields,
                "<rect x=\"{left:.1}\" y=\"{top:.1}\" width=\"{across:.1}\" height=\"{down:.1}\" \
                 fill=\"#{red:02x}{green:02x}{blue:02x}\"/>"
            );
        }
        // Colour takes the place of the shade.
        let (text, indent) = match ink.role {
            Role::Heat(_) => (text.trim_start_matches(['░', '▒', '▓', '█']).trim(), 1.0),
            _ => (text, 0.0),
        };
        let (left, baseline) = (x(column + indent), y(row + 0.72));
        let text = escape_xml(text);
        let _ = writeln!(
            texts,
            "<text x=\"{left:.1}\" y=\"{baseline:.1}\" fill=\"{fill}\"{style}>{text}</text>"
        );
    };
    for shape in &picture.shapes {
        if let Shape::Text { row, column, width, text, ink } = shape {
            write(*row as f64, *column as f64, *width as f64, text, *ink);
        }
    }
    let key = picture.height() as f64 + 1.0;
    let perplexity = sentence.perplexity();
    let caption = format!("surprisal in {}, from", unit.name());
    let mut column = caption.len() as f64 + 1.0;
    write(key, 0.0, column, &caption, ink(Role::Tag));
    for step in unit.steps(Charset::Unicode) {
        let text = format!("{:.1}", step.from);
        let columns = text.len() as f64 + 2.0;
        write(key, column, columns, &text, heat_ink(step.percent));
        column += columns + 1.0;
    }
    write(key, column, 0.0, &format!("perplexity {perplexity:.1}"), ink(Role::Tag));
    let (width, height) = size(&picture);
    let (width, height) = (width.max(x(column + 24.0)), height + 2.0 * h);
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.0}\" height=\"{height:.0}\" \
         viewBox=\"0 0 {width:.0} {height:.0}\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n{fields}\
         <g font-family=\"DejaVu Sans Mono, Menlo, Consolas, monospace\" font-size=\"14\">\n\
         {texts}</g>\n</svg>\n"
    )
}

/// From white to dark blue.
fn field(percent: u8) -> [u8; 3] {
    let share = f64::from(percent) / 100.0;
    [(255.0, 8.0), (255.0, 64.0), (255.0, 129.0)]
        .map(|(light, dark)| (light + share * (dark - light)).round() as u8)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sentence(states: bool) -> ScoredSentence {
        let token = |(i, (text, bits)): (usize, &(&str, f32))| ScoredToken {
            text: (*text).into(),
            surprisal: bits * std::f32::consts::LN_2,
            state: if states { format!("S{}", 7 * i).into() } else { "".into() },
            unknown: i == 1,
        };
        let words = [("the", 2.0f32), ("言語<", 14.0), ("extraordinary", 9.0), ("<eos>", 0.1)];
        let tokens: Vec<_> = words.iter().enumerate().map(token).collect();
        let log_prob = -tokens.iter().map(|t| f64::from(t.surprisal)).sum::<f64>();
        ScoredSentence { tokens, log_prob }
    }

    #[test]
    fn figures_stand_on_their_shades_below_the_words_with_the_states_beneath() {
        let picture = surprisal_lines(&sentence(true), SurprisalUnit::Bits, 30, Charset::Unicode);
        let expected = [
            "the   言語< extraordinary",
            "░ 2.0 █14.0 ▓ 9.0",
            "S0    S7    S14",
            "",
            "<eos>",
            "  0.1",
            "S21",
        ];
        assert_eq!(picture.lines(), expected);
        let plain = surprisal_lines(&sentence(false), SurprisalUnit::Nats, 99, Charset::Ascii);
        let expected = ["the   言語< extraordinary <eos>", ". 1.4 # 9.7 % 6.2           0.1"];
        assert_eq!(plain.lines(), expected);
    }

    #[test]
    fn rows_have_bars_as_long_as_the_surprisal() {
        let picture = surprisal_rows(&sentence(true), SurprisalUnit::Bits, Charset::Unicode);
        let lines = picture.lines();
        assert_eq!(lines[0], format!("          the S0    2.0 {}", "░".repeat(5)));
        assert_eq!(lines[1], format!("        言語< S7   14.0 {}", "█".repeat(29)));
        assert!(lines[3].ends_with("  0.1 ░"), "{}", lines[3]);
        let mut certain = sentence(false);
        certain.tokens[0].surprisal = f32::INFINITY;
        let lines = surprisal_rows(&certain, SurprisalUnit::Nats, Charset::Ascii).lines();
        assert!(lines[0].ends_with(&format!("  inf {}", "#".repeat(BAR))), "{}", lines[0]);
    }

    #[test]
    fn the_key_has_the_values_at_which_shades_begin() {
        for unit in [SurprisalUnit::Bits, SurprisalUnit::Nats] {
            for step in unit.steps(Charset::Unicode) {
                let nats = |x: f64| (x / unit.of(1.0)) as f32;
                let sign = |x: f64| shade(unit.heat(nats(x)), Charset::Unicode);
                assert_eq!(
                    (sign(step.from), step.sign),
                    (step.sign, shade(step.percent, Charset::Unicode))
                );
                assert_ne!(sign(step.from - 0.2), step.sign);
            }
        }
    }

    #[test]
    fn exports_name_their_unit_and_escape_what_is_special() {
        let text = surprisals_to_text(&sentence(true), SurprisalUnit::Bits);
        assert_eq!(text.lines().nth(2), Some("言語<\t14.0000\tS7"));
        assert!(text.starts_with("token\tbits\tstate\n"), "{text}");
        let json = surprisals_to_json(&sentence(false));
        assert_eq!(json["tokens"][3], "<eos>");
        assert_eq!((json.get("states"), &json["unknown"]), (None, &json!([1])));
        let perplexity = json["perplexity"].as_f64().expect("a number");
        assert!((perplexity - (25.1f64 / 4.0).exp2()).abs() < 1e-4, "{perplexity}");
        let svg = surprisals_to_svg(&sentence(true), SurprisalUnit::Bits);
        assert!(svg.contains(">言語&lt;<") && svg.contains(">surprisal in bits, from<"), "{svg}");
        // Four tokens, four steps of the key, and the ground.
        assert_eq!(svg.matches("<rect ").count(), 9);
        assert!(!svg.contains('█'), "colours take the place of shades");
    }

    #[test]
    fn the_perplexity_of_nothing_is_one() {
        assert_eq!(ScoredSentence::default().perplexity(), 1.0);
        assert_eq!(
            surprisal_lines(&ScoredSentence::default(), SurprisalUnit::Bits, 9, Charset::Ascii)
                .height(),
            0
        );
    }
}
