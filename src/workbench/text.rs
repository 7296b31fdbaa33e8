//! Text on its way to the terminal: nothing that a terminal would obey gets through.

use crate::report::plural;
use ratatui::buffer::Buffer;
use std::borrow::Cow;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Control characters (C0, C1, DEL) and the ones that reorder or hide text.
fn is_unsafe(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{200B}' | '\u{200E}' | '\u{200F}' | '\u{2028}'..='\u{202E}' | '\u{2066}'..='\u{2069}' | '\u{FEFF}')
}

/// One line of text from outside with every unsafe character made visible.
pub fn clean(text: &str) -> Cow<'_, str> {
    if !text.contains(is_unsafe) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\t' | '\n' | '\r' => out.push(' '),
            '\u{0}'..='\u{1F}' => {
                out.push('^');
                out.push(char::from(c as u8 + b'@'));
            }
            c if is_unsafe(c) => out.push('?'),
            c => out.push(c),
        }
    }
    Cow::Owned(out)
}

/// A number of bytes with the unit that fits it.
pub fn bytes(count: u64) -> String {
    let units = ["bytes", "kB", "MB", "GB", "TB"];
    let mut value = count as f64;
    let mut unit = 0;
    while value >= 1000.0 && unit + 1 < units.len() {
        value /= 1000.0;
        unit += 1;
    }
    match unit {
        0 => format!("{count} bytes"),
        _ if value < 10.0 => format!("{value:.1} {}", units[unit]),
        _ => format!("{value:.0} {}", units[unit]),
    }
}

/// The last gate before the terminal: whatever a screen drew, no cell holds an unsafe character.
pub fn sanitise(buffer: &mut Buffer) {
    for cell in &mut buffer.content {
        if cell.symbol().contains(is_unsafe) {
            cell.set_symbol("?");
        }
    }
}

/// Replaces what the terminal's character set lacks, for terminals without UTF-8.
pub fn to_ascii(buffer: &mut Buffer) {
    for cell in &mut buffer.content {
        if !cell.symbol().is_ascii() {
            cell.set_symbol(ascii(cell.symbol()));
        }
    }
}

pub(super) fn ascii(symbol: &str) -> &'static str {
    match symbol.chars().next().unwrap_or(' ') {
        '─' | '━' | '═' | '╌' | '┄' | '–' | '—' => "-",
        '│' | '┃' | '║' | '┆' => "|",
        '┌' | '┐' | '└' | '┘' | '├' | '┤' | '┬' | '┴' | '┼' | '╭' | '╮' | '╰' | '╯' | '╵' | '╷'
        | '┻' => "+",
        '█' | '▓' | '▇' | '▆' | '▉' | '▊' => "#",
        '▒' | '▅' | '▄' | '▋' | '▌' | '▐' => "=",
        '▍' | '▎' | '▏' => "-",
        '░' | '▃' | '▂' | '▁' => ".",
        '…' => ".",
        '·' | '•' => ".",
        '●' | '◆' => "*",
        '■' => "#",
        '○' | '◇' | '□' => "o",
        '→' | '▶' | '▸' | '›' | '»' => ">",
        '←' | '◀' | '‹' => "<",
        '↑' | '▲' => "^",
        '↓' | '▼' => "v",
        '✓' | '±' => "+",
        '‖' => "=",
        '✗' | '×' => "x",
        '\u{2800}'..='\u{28FF}' => "*",
        _ => "?",
    }
}

/// Cuts to at most `width` columns; a cut is marked.
pub fn fit(text: &str, width: usize) -> Cow<'_, str> {
    if text.width() <= width {
        return Cow::Borrowed(text);
    }
    let mut out = String::new();
    let mut used = 0;
    for c in text.chars() {
        let w = c.width().unwrap_or(0);
        if used + w + 1 > width {
            break;
        }
        used += w;
        out.push(c);
    }
    if width > 0 {
        out.push('…');
    }
    Cow::Owned(out)
}

/// Cuts to at most `width` columns from the left: the end is what tells paths apart.
pub fn fit_end(text: &str, width: usize) -> Cow<'_, str> {
    if text.width() <= width {
        return Cow::Borrowed(text);
    }
    let mut kept: Vec<char> = Vec::new();
    let mut used = 1;
    for c in text.chars().rev() {
        used += c.width().unwrap_or(0);
        if used > width {
            break;
        }
        kept.push(c);
    }
    let mark = (width > 0).then_some('…');
    Cow::Owned(mark.into_iter().chain(kept.into_iter().rev()).collect())
}

/// Breaks text into lines of at most `width` columns, at blanks where it can.
pub fn wrap(text: &str, width: usize) -> Vec<String> {
    let width = width.max(1);
    let mut lines = Vec::new();
    for paragraph in text.split('\n') {
        let mut line = String::new();
        for word in paragraph.split(' ') {
            if !line.is_empty() && line.width() + 1 + word.width() > width {
                lines.push(std::mem::take(&mut line));
            }
            if !line.is_empty() {
                line.push(' ');
            }
            for c in word.chars() {
                if line.width() + c.width().unwrap_or(0) > width && !line.is_empty() {
                    lines.push(std::mem::take(&mut line));
                }
                line.push(c);
            }
        }
        lines.push(line);
    }
    lines
}

/// Seconds as people say them: `8 s`, `3 min 05 s`, `2 h 10 min`, `4 d 3 h`.
pub fn duration(seconds: f64) -> String {
    if !seconds.is_finite() || seconds < 0.0 {
        return "unknown".into();
    }
    let s = seconds.round() as u64;
    match s {
        0..60 => format!("{s} s"),
        60..3600 => format!("{} min {:02} s", s / 60, s % 60),
        3600..86_400 => format!("{} h {:02} min", s / 3600, s % 3600 / 60),
        _ => format!("{} d {} h", s / 86_400, s % 86_400 / 3600),
    }
}

/// The time of day, UTC, of seconds since 1970: `22:01:05`.
pub fn time_of_day(time: f64) -> String {
    let seconds = time.max(0.0) as u64 % 86_400;
    format!("{:02}:{:02}:{:02}", seconds / 3600, seconds % 3600 / 60, seconds % 60)
}

/// The day, UTC, of seconds since 1970: `2026-11-29`.
pub fn day(time: f64) -> String {
    // Years begin in March here, so that the day that comes and goes is the last one.
    let days = (time.max(0.0) as u64 / 86_400) + 719_468;
    let (era, of_era) = (days / 146_097, days % 146_097);
    let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = era * 400 + year + u64::from(month <= 2);
    format!("{year:04}-{month:02}-{day:02}")
}

/// A count with thin groups: `12 345`.
pub fn count(n: u64) -> String {
    let digits = n.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (i, c) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(' ');
        }
        out.push(c);
    }
    out
}

/// A count with its noun: `1 word`, `12 345 words`.
pub fn counted(n: u64, noun: &str) -> String {
    format!("{} {}", count(n), plural(&n, noun))
}

/// A figure in few characters, readable at every size; non-finite ones by name.
pub fn figure(x: f64) -> String {
    if x.is_nan() {
        return "NaN".into();
    }
    if x.is_infinite() {
        return if x > 0.0 { "inf".into() } else { "-inf".into() };
    }
    let a = x.abs();
    if a == 0.0 {
        "0".into()
    } else if !(1e-3..1e6).contains(&a) {
        format!("{x:.1e}")
    } else if a >= 1000.0 {
        format!("{x:.0}")
    } else if a >= 100.0 {
        format!("{x:.1}")
    } else if a >= 1.0 {
        format!("{x:.2}")
    } else {
        format!("{x:.4}")
    }
}

/// A setting such as a learning rate: three digits and no more than are there.
pub fn setting(x: f64) -> String {
    if x == 0.0 || !x.is_finite() {
        return figure(x);
    }
    let digits = 2 - x.abs().log10().floor() as i32;
    if !(0..=6).contains(&digits) {
        return format!("{x:.2e}");
    }
    let text = format!("{x:.*}", digits as usize);
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').into() } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ratatui::layout::Rect;

    #[test]
    fn bytes_are_told_in_the_unit_that_fits() {
        let all = [0, 999, 1000, 15_300_000, 141_000_000_000].map(bytes);
        assert_eq!(all, ["0 bytes", "999 bytes", "1.0 kB", "15 MB", "141 GB"]);
    }

    #[test]
    fn what_a_terminal_would_obey_is_made_visible() {
        assert_eq!(clean("a\u{1b}[31mb\u{9b}2J\u{202e}c\td\u{7f}"), "a^[[31mb?2J?c d?");
        assert!(matches!(clean("naïve 木"), Cow::Borrowed(_)));
        let mut buffer = Buffer::empty(Rect::new(0, 0, 2, 1));
        buffer[(0, 0)].set_symbol("\u{1b}[2J");
        buffer[(1, 0)].set_symbol("木");
        sanitise(&mut buffer);
        assert_eq!((buffer[(0, 0)].symbol(), buffer[(1, 0)].symbol()), ("?", "木"));
    }

    #[test]
    fn a_bar_without_utf8_is_of_plain_characters() {
        for eighths in 0..=16 {
            let bar = crate::workbench::widgets::bar(f64::from(eighths) / 16.0, 2);
            let plain: String = bar.chars().map(|c| ascii(&c.to_string())).collect();
            assert!(plain.chars().all(|c| "#=-.".contains(c)), "{bar} is {plain}");
        }
    }

    #[test]
    fn a_cut_is_marked_and_never_wider_than_asked() {
        assert_eq!(fit("abcdef", 4), "abc…");
        assert_eq!(fit("abcd", 4), "abcd");
        assert_eq!(fit("木木木", 4), "木…");
        assert_eq!(fit("abc", 0), "");
        assert_eq!((fit_end("abcdef", 4), fit_end("木木木", 4)), ("…def".into(), "…木".into()));
        assert_eq!((fit_end("abc", 3), fit_end("abc", 0)), ("abc".into(), "".into()));
    }

    #[test]
    fn wrapped_lines_keep_every_word_and_the_width() {
        assert_eq!(wrap("the old cat\nsleeps", 7), ["the old", "cat", "sleeps"]);
        assert_eq!(wrap("abcdefgh", 3), ["abc", "def", "gh"]);
        assert_eq!(wrap("", 3), [""]);
    }

    #[test]
    fn days_are_those_of_the_calendar() {
        for (time, expected) in [
            (0.0, "1970-01-01"),
            (951_782_400.0, "2000-02-29"),
            (951_868_800.0, "2000-03-01"),
            (1_795_989_600.0, "2026-11-29"),
            (4_107_542_399.0, "2100-02-28"),
            (4_107_542_400.0, "2100-03-01"),
        ] {
            assert_eq!(day(time), expected);
        }
        assert_eq!(time_of_day(1_795_989_665.9), "22:01:05");
    }

    #[test]
    fn figures_and_times_are_short() {
        let settings = [0.002, 0.00025, 0.75, 1.0, 1e-9].map(setting);
        assert_eq!(settings, ["0.002", "0.00025", "0.75", "1", "1.00e-9"]);
        let figures = [0.0, 0.00012, 0.5, 3.17159, 123.456, 12345.6, 2e7, f64::NAN].map(figure);
        assert_eq!(figures, ["0", "1.2e-4", "0.5000", "3.17", "123.5", "12346", "2.0e7", "NaN"]);
        assert_eq!(
            [8.2, 185.0, 7800.0, 3e5].map(duration),
            ["8 s", "3 min 05 s", "2 h 10 min", "3 d 11 h"]
        );
        assert_eq!(
            (counted(1, "word"), counted(1234, "word")),
            ("1 word".into(), "1 234 words".into())
        );
        assert_eq!(
            (count(7), count(1234), count(1234567)),
            ("7".into(), "1 234".into(), "1 234 567".into())
        );
    }
}
