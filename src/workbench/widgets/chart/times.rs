//! Ticks and words for times along x.

use super::axis::Scale;
use crate::workbench::clock::XAxis;
use crate::workbench::text;

const MINUTE: f64 = 60.0;
const HOUR: f64 = 3600.0;
const DAY: f64 = 86_400.0;

/// Distances between ticks, seconds; beyond them multiples of days.
const STEPS: [f64; 23] = [
    0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 15.0, 30.0, 60.0, 120.0, 300.0, 600.0, 900.0, 1800.0,
    3600.0, 7200.0, 10_800.0, 21_600.0, 43_200.0, 86_400.0, 172_800.0, 432_000.0,
];

/// Values of ticks on a logarithmic axis, from many to few.
const LOG_TICKS: [&[f64]; 2] = [
    &[
        0.1,
        0.3,
        1.0,
        3.0,
        10.0,
        30.0,
        60.0,
        180.0,
        600.0,
        1800.0,
        3600.0,
        10_800.0,
        36_000.0,
        86_400.0,
        259_200.0,
        864_000.0,
        2_592_000.0,
    ],
    &[0.1, 1.0, 10.0, 60.0, 600.0, 3600.0, 36_000.0, 86_400.0, 864_000.0],
];

/// At most about `most` round times within, each with its label.
pub fn ticks(scale: &Scale, axis: XAxis, most: usize) -> Vec<(f64, String)> {
    let (from, to) = scale.ends();
    if scale.is_log() {
        let within = |set: &&[f64]| set.iter().filter(|v| (from..=to).contains(*v)).count() <= most;
        let set = LOG_TICKS.iter().find(|set| within(set)).unwrap_or(&LOG_TICKS[1]);
        let inside = set.iter().filter(|v| (from..=to).contains(*v));
        return inside.map(|&v| (v, short(v, v))).collect();
    }
    let least = (to - from) / most.max(1) as f64;
    let step = STEPS.into_iter().find(|step| *step >= least);
    let step = step.unwrap_or_else(|| (least / (10.0 * DAY)).ceil() * 10.0 * DAY);
    let (first, last) = ((from / step).ceil(), (to / step).floor());
    let count = ((last - first).max(-1.0) as usize).saturating_add(1).min(most + 3);
    (0..count)
        .map(|i| {
            let value = (first + i as f64) * step;
            let label = match axis {
                XAxis::Wall => of_day(value, step),
                _ => short(value, step),
            };
            (value, label)
        })
        .collect()
}

/// A running time as exactly as the distance of the ticks asks for.
fn short(value: f64, step: f64) -> String {
    let whole = value.round();
    match step {
        _ if value == 0.0 => "0".into(),
        ..1.0 => format!("{value:.1} s"),
        ..MINUTE if value < MINUTE => format!("{whole} s"),
        ..MINUTE => format!("{}:{:02}", (whole / MINUTE).floor(), whole % MINUTE),
        ..HOUR if value < HOUR => format!("{} min", whole / MINUTE),
        ..HOUR => format!("{}:{:02} h", (whole / HOUR).floor(), whole % HOUR / MINUTE),
        ..DAY if whole % HOUR == 0.0 && value < 10.0 * DAY => format!("{} h", whole / HOUR),
        _ => format!("{} d", whole / DAY),
    }
}

/// The time of day; the day at its beginning, and where days are apart.
fn of_day(value: f64, step: f64) -> String {
    match step {
        _ if value % DAY == 0.0 => text::day(value)[5..].to_owned(),
        ..MINUTE => text::time_of_day(value),
        _ => text::time_of_day(value)[..5].to_owned(),
    }
}

/// A place along x in words, as exactly as it matters to people.
pub fn place(axis: XAxis, x: f64, window: (f64, f64)) -> String {
    match axis {
        XAxis::Step => format!("{x:.0}"),
        XAxis::Elapsed => text::duration(x),
        XAxis::Wall if window.1 - window.0 < DAY => text::time_of_day(x),
        XAxis::Wall => format!("{} {}", &text::day(x)[5..], &text::time_of_day(x)[..5]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(scale: Scale, axis: XAxis, most: usize) -> Vec<String> {
        ticks(&scale, axis, most).into_iter().map(|(_, label)| label).collect()
    }

    #[test]
    fn ticks_of_times_are_round_as_times_are() {
        let elapsed = |to: f64| labels(Scale::exact(0.0, to), XAxis::Elapsed, 4);
        assert_eq!(elapsed(60.0), ["0", "15 s", "30 s", "45 s", "1:00"]);
        assert_eq!(elapsed(600.0), ["0", "5 min", "10 min"]);
        assert_eq!(elapsed(7000.0), ["0", "30 min", "1:00 h", "1:30 h"]);
        assert_eq!(elapsed(100_000.0), ["0", "12 h", "24 h"]);
        assert_eq!(elapsed(1e6), ["0", "5 d", "10 d"]);
        let log = labels(Scale::across(0.5, 20_000.0, true), XAxis::Elapsed, 5);
        assert_eq!(log, ["1 s", "10 s", "1 min", "10 min", "1 h"]);
    }

    #[test]
    fn wall_times_are_told_in_utc_with_the_day_at_its_beginning() {
        // 2026-11-29 22:00 UTC.
        let start = 1_795_989_600.0;
        let scale = Scale::exact(start, start + 4.0 * HOUR);
        let told = labels(scale, XAxis::Wall, 4);
        assert_eq!(told, ["22:00", "23:00", "11-30", "01:00", "02:00"]);
        assert_eq!(place(XAxis::Wall, start + 61.0, (start, start + 100.0)), "22:01:01");
        assert_eq!(place(XAxis::Wall, start, (start, start + 9.0 * DAY)), "11-29 22:00");
        assert_eq!(place(XAxis::Elapsed, 61.0, (0.0, 100.0)), "1 min 01 s");
    }
}
