//! Scales and ticks: where a value lies and which round values are named beside it.

/// A range of values mapped to 0..=1, linearly or by the logarithm.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scale {
    from: f64,
    to: f64,
    log: bool,
}

impl Scale {
    /// A scale that holds `from..=to` with a little air; an empty range is widened.
    pub fn around(from: f64, to: f64, log: bool) -> Scale {
        if log && from > 0.0 {
            let (a, b) = (from.ln(), to.ln());
            let air = ((b - a) * 0.05).max(1e-3);
            return Scale { from: (a - air).exp(), to: (b + air).exp(), log };
        }
        let air = match to > from {
            true => (to - from) * 0.05,
            // Nothing tells the scale of nought alone.
            false if from == 0.0 => 1.0,
            false => (from.abs() * 0.05).max(1e-6),
        };
        Scale { from: from - air, to: to + air, log: false }
    }

    /// A scale from edge to edge.
    pub fn exact(from: f64, to: f64) -> Scale {
        Scale { from, to: if to > from { to } else { from + 1.0 }, log: false }
    }

    /// A scale from edge to edge; logarithmic where both edges are above 0.
    pub fn across(from: f64, to: f64, log: bool) -> Scale {
        Scale { log: log && from > 0.0 && to > from, ..Scale::exact(from, to) }
    }

    pub fn is_log(&self) -> bool {
        self.log
    }

    /// The values at both ends.
    pub fn ends(&self) -> (f64, f64) {
        (self.from, self.to)
    }

    /// Where the i-th of so many equal parts begins.
    pub fn edge(&self, i: usize, parts: usize) -> f64 {
        match self.log {
            true => self.value(i as f64 / parts as f64),
            false => self.from + (self.to - self.from) * i as f64 / parts as f64,
        }
    }

    /// 0 at the lower end, 1 at the upper; `None` where it has no place.
    pub fn place(&self, value: f64) -> Option<f64> {
        if !value.is_finite() || (self.log && value <= 0.0) {
            return None;
        }
        Some(if self.log {
            (value / self.from).ln() / (self.to / self.from).ln()
        } else {
            (value - self.from) / (self.to - self.from)
        })
    }

    /// The value at which a line from one point to the next, each with its value, crosses a place;
    /// `None` where it does not, and where no line can be drawn between them.
    pub fn crossing(
        &self,
        place: f64,
        from: (f64, f64),
        to: (f64, f64),
        log_y: bool,
    ) -> Option<f64> {
        let (before, after) = (self.place(from.0)?, self.place(to.0)?);
        let (a, b) = (from.1, to.1);
        let drawn = |v: f64| v.is_finite() && (!log_y || v > 0.0);
        if !(before < place && place < after && drawn(a) && drawn(b)) {
            return None;
        }
        let share = (place - before) / (after - before);
        Some(match log_y {
            true => (a.ln() + (b.ln() - a.ln()) * share).exp(),
            false => a + (b - a) * share,
        })
    }

    /// The value at a place.
    pub fn value(&self, place: f64) -> f64 {
        if self.log {
            self.from * (self.to / self.from).powf(place)
        } else {
            self.from + place * (self.to - self.from)
        }
    }

    /// At most `most` round values within, lowest first, each with its label.
    pub fn ticks(&self, most: usize) -> Vec<(f64, String)> {
        if most == 0 {
            return Vec::new();
        }
        if self.log {
            let ticks = self.log_ticks(most);
            if ticks.len() >= 2 {
                return ticks;
            }
        }
        let span = self.to - self.from;
        // One value alone tells no scale: then finer ones, though they are more than asked.
        let mut step = round_step(span / most as f64);
        for _ in 0..2 {
            if (self.to / step).floor() - (self.from / step).ceil() < 1.0 {
                step = round_step(step * 0.4);
            }
        }
        let decimals = (-step.log10().floor()).clamp(0.0, 9.0) as usize;
        let (first, last) = ((self.from / step).ceil(), (self.to / step).floor());
        let count = (last - first).max(-1.0) as usize + 1;
        (0..count.min(most + 3))
            .map(|i| {
                let value = (first + i as f64) * step;
                // Minus nought is nought.
                let value = if value == 0.0 { 0.0 } else { value };
                (value, label(value, decimals))
            })
            .collect()
    }

    fn log_ticks(&self, most: usize) -> Vec<(f64, String)> {
        let decades = (self.from.log10().floor() as i32)..=(self.to.log10().ceil() as i32);
        // From fine to coarse, the first set that fits.
        for factors in [&[1.0, 2.0, 5.0][..], &[1.0, 3.0], &[1.0]] {
            let ticks: Vec<_> = decades
                .clone()
                .flat_map(|k| factors.iter().map(move |f| (f * 10f64.powi(k), k)))
                .filter(|(v, _)| (self.from..=self.to).contains(v))
                .map(|(v, k)| (v, label(v, (-k).clamp(0, 9) as usize)))
                .collect();
            if ticks.len() <= most {
                return ticks;
            }
        }
        // Every second power of ten, every third, and so on.
        (2..=decades.clone().count() as i32)
            .map(|stride| {
                let every = decades.clone().filter(|k| k.rem_euclid(stride) == 0);
                let ticks = every.map(|k| (10f64.powi(k), k));
                let within = ticks.filter(|(v, _)| (self.from..=self.to).contains(v));
                within.map(|(v, k)| (v, label(v, (-k).clamp(0, 9) as usize))).collect::<Vec<_>>()
            })
            .find(|ticks| ticks.len() <= most)
            .unwrap_or_default()
    }
}

/// 1, 2 or 5 times a power of ten, at least `least`.
fn round_step(least: f64) -> f64 {
    if !(least.is_finite() && least > 0.0) {
        return 1.0;
    }
    let power = 10f64.powf(least.log10().floor());
    let factor = [1.0, 2.0, 5.0, 10.0].into_iter().find(|f| f * power >= least * (1.0 - 1e-9));
    factor.unwrap_or(10.0) * power
}

/// Characters that there is room for beside the chart.
pub const LABEL: usize = 6;

fn label(value: f64, decimals: usize) -> String {
    let a = value.abs();
    if a >= 1e6 {
        let millions = format!("{:.2}", value / 1e6);
        return format!("{}M", millions.trim_end_matches('0').trim_end_matches('.'));
    }
    if a >= 1e4 {
        let thousands = format!("{:.2}", value / 1e3);
        return format!("{}k", thousands.trim_end_matches('0').trim_end_matches('.'));
    }
    if a != 0.0 && a < 1e-4 {
        return format!("{value:.0e}");
    }
    let plain = format!("{value:.decimals$}");
    match plain.len() <= LABEL || a >= 1.0 {
        true => plain,
        false if a == 0.0 => "0".to_owned(),
        false => scientific(value, decimals),
    }
}

/// With as many digits as the decimals have, without noughts at the end, e.g. `5e-4`.
fn scientific(value: f64, decimals: usize) -> String {
    let exponent = value.abs().log10().floor() as i32;
    let digits = (decimals as i32 + exponent).max(0) as usize;
    let text = format!("{value:.digits$e}");
    match text.split_once('e') {
        Some((number, exponent)) if number.contains('.') => {
            format!("{}e{exponent}", number.trim_end_matches('0').trim_end_matches('.'))
        }
        _ => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(scale: Scale, most: usize) -> Vec<String> {
        scale.ticks(most).into_iter().map(|(_, l)| l).collect()
    }

    #[test]
    fn ticks_are_round_and_within() {
        assert_eq!(labels(Scale::exact(0.0, 10.0), 5), ["0", "2", "4", "6", "8", "10"]);
        assert_eq!(labels(Scale::exact(4.13, 4.41), 3), ["4.2", "4.3", "4.4"]);
        assert_eq!(labels(Scale::exact(0.0, 1_000_000.0), 2), ["0", "500k", "1M"]);
        assert_eq!(labels(Scale::around(5.0, 5.0, false), 2), ["4.8", "5.0", "5.2"]);
        assert!(Scale::exact(f64::NAN, f64::NAN).ticks(3).len() <= 4);
    }

    #[test]
    fn small_values_are_written_short_and_differ() {
        assert_eq!(labels(Scale::exact(0.0, 0.0001), 2), ["0", "5e-5", "1e-4"]);
        assert_eq!(labels(Scale::exact(0.00081, 0.00099), 3), ["8.5e-4", "9e-4", "9.5e-4"]);
        assert_eq!(labels(Scale::around(0.001, 0.001, false), 3)[..2], ["9.5e-4", "1e-3"]);
    }

    #[test]
    fn logarithmic_scales_have_logarithmic_ticks() {
        assert_eq!(labels(Scale::around(1.0, 1000.0, true), 4), ["1", "10", "100", "1000"]);
        assert_eq!(labels(Scale::around(10.0, 100.0, true), 4), ["10", "20", "50", "100"]);
        assert_eq!(labels(Scale::around(1.0, 5000.0, true), 2), ["1", "100"]);
        let scale = Scale::around(1.0, 100.0, true);
        assert!((scale.place(10.0).expect("inside") - 0.5).abs() < 1e-12);
        assert!((scale.value(0.5) - 10.0).abs() < 1e-9);
        assert_eq!(scale.place(0.0), None);
    }

    #[test]
    fn a_line_crosses_a_border_where_it_is_drawn_there() {
        let x = Scale::exact(10.0, 20.0);
        assert_eq!(x.crossing(0.0, (5.0, 1.0), (15.0, 3.0), false), Some(2.0));
        let log_y = x.crossing(1.0, (15.0, 1.0), (25.0, 100.0), true).expect("crosses");
        assert!((log_y - 10.0).abs() < 1e-9, "{log_y}");
        let log_x = Scale::across(10.0, 1000.0, true);
        let middle = log_x.crossing(0.0, (1.0, 0.0), (100.0, 2.0), false).expect("crosses");
        assert!((middle - 1.0).abs() < 1e-9, "{middle}");
        // Not within, not through what is no number, and from nowhere.
        assert_eq!(x.crossing(0.0, (10.0, 1.0), (15.0, 3.0), false), None);
        assert_eq!(x.crossing(0.0, (5.0, f64::NAN), (15.0, 3.0), false), None);
        assert_eq!(x.crossing(0.0, (5.0, 0.0), (15.0, 3.0), true), None);
        assert_eq!(log_x.crossing(0.0, (0.0, 1.0), (100.0, 3.0), false), None);
    }

    #[test]
    fn places_and_values_are_inverse() {
        let scale = Scale::around(2.0, 3.0, false);
        for v in [2.0, 2.5, 3.0] {
            assert!((scale.value(scale.place(v).expect("finite")) - v).abs() < 1e-12);
        }
    }
}
