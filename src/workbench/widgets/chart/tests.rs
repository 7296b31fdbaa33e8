use super::*;
use crate::workbench::clock::Clock;
use crate::workbench::series::READ;
use crate::workbench::theme::ThemeName;
use proptest::prelude::*;

fn draw(series: &Series, window: (f64, f64), log_y: bool, width: u16, height: u16) -> String {
    let buffer = render(series, window, log_y, Rect::new(0, 0, width, height));
    let row = |y| (0..width).map(|x| buffer[(x, y)].symbol().to_owned()).collect::<String>();
    (0..height).map(row).collect::<Vec<_>>().join("\n")
}

fn render(series: &Series, window: (f64, f64), log_y: bool, area: Rect) -> Buffer {
    let theme = Theme::new(ThemeName::Dark, true);
    let chart = Chart {
        traces: vec![trace(series, &theme)],
        references: Vec::new(),
        window,
        log_x: false,
        log_y,
        names: Names::Steps,
        cursor: None,
        theme: &theme,
    };
    rendered(&chart, area)
}

fn trace<'a>(series: &'a Series, theme: &Theme) -> Trace<'a> {
    Trace { series, behind: None, style: theme.text, symbol: "●", along: Along::Step }
}

fn rendered(chart: &Chart, area: Rect) -> Buffer {
    let mut buffer = Buffer::empty(area);
    chart.render(area, &mut buffer);
    buffer
}

fn series(values: impl IntoIterator<Item = f64>) -> Series {
    let mut series = Series::default();
    for (i, y) in values.into_iter().enumerate() {
        series.push(i as f64, y);
    }
    series
}

#[test]
fn a_log_axis_says_that_it_cannot_show_what_is_below_zero() {
    let window = (0.0, 2.0);
    assert!(draw(&series([-3.0, -2.0]), window, true, 40, 8).contains("none above 0 for log"));
    assert!(draw(&series([]), window, true, 40, 8).contains("no figures yet"));
}

#[test]
fn without_dots_and_colours_every_curve_is_drawn_with_its_own_symbol() {
    let theme = Theme::new(ThemeName::Mono, false);
    let (low, high) = (series((0..60).map(|_| 1.0)), series((0..60).map(|_| 2.0)));
    let trace = |series, i| Trace { symbol: theme.series_symbol(i), ..trace(series, &theme) };
    let chart = Chart {
        traces: vec![trace(&low, 0), Trace { behind: Some(&low), ..trace(&high, 1) }],
        references: Vec::new(),
        window: (0.0, 59.0),
        log_x: false,
        log_y: false,
        names: Names::Steps,
        cursor: None,
        theme: &theme,
    };
    let area = Rect::new(0, 0, 40, 8);
    let buffer = rendered(&chart, area);
    let rows_of = |symbol: &str| -> Vec<u16> {
        let is_there = |&y: &u16| (9..40).any(|x| buffer[(x, y)].symbol() == symbol);
        (0..7).filter(is_there).collect()
    };
    let (first, second) = (rows_of("*"), rows_of("o"));
    assert!(first.len() == 1 && second.len() == 1 && first[0] > second[0], "{buffer:?}");
    assert!(rows_of("·").is_empty(), "what lies behind is drawn over");
    assert!(!buffer.content.iter().any(|c| c.symbol() >= "\u{2800}" && c.symbol() < "\u{2900}"));
}

#[test]
fn one_spike_among_thousands_of_points_is_seen() {
    let flat = series((0..50_000).map(|_| 1.0));
    let spiked = series((0..50_000).map(|i| if i == 31_234 { 9.0 } else { 1.0 }));
    let window = (0.0, 49_999.0);
    let top = |s: &Series| draw(s, window, false, 60, 10).lines().next().map(str::to_owned);
    let is_dot = |c: char| ('\u{2801}'..='\u{28FF}').contains(&c);
    assert!(top(&spiked).is_some_and(|l| l.chars().filter(|c| is_dot(*c)).count() == 1));
    assert!(top(&flat).is_some_and(|l| !l.contains(is_dot)));
}

#[test]
fn a_line_to_compare_with_has_its_name_wherever_the_curve_leaves_room() {
    let theme = Theme::new(ThemeName::Dark, true);
    let rising = series((0..30).map(|i| 20.0 + 30.0 * (1.0 - f64::from(-i).exp())));
    let falling = series((0..30).map(|i| 50.0 - f64::from(i)));
    for (series, value) in [(&rising, 44.0), (&rising, 21.0), (&falling, 48.0)] {
        let chart = Chart {
            traces: vec![trace(series, &theme)],
            references: vec![("right-branching", value)],
            window: (0.0, 29.0),
            log_x: false,
            log_y: false,
            names: Names::Steps,
            cursor: None,
            theme: &theme,
        };
        let buffer = rendered(&chart, Rect::new(0, 0, 37, 6));
        let text: String = buffer.content.iter().map(|cell| cell.symbol()).collect();
        assert!(text.contains(&format!("right-branching {value:.1}")), "{text}");
    }
}

#[test]
fn places_are_named_as_far_as_there_is_room() {
    let theme = Theme::new(ThemeName::Dark, true);
    let sizes = series([1.0, 2.0, 3.0]);
    let places: Vec<(f64, String)> =
        [(0.0, "16"), (0.1, "too near"), (2.0, "64")].map(|(x, n)| (x, n.to_owned())).into();
    let chart = Chart {
        traces: vec![trace(&sizes, &theme)],
        references: Vec::new(),
        window: (0.0, 2.0),
        log_x: false,
        log_y: false,
        names: Names::Places(&places),
        cursor: None,
        theme: &theme,
    };
    let buffer = rendered(&chart, Rect::new(0, 0, 40, 6));
    let last: String = (0..40).map(|x| buffer[(x, 5)].symbol()).collect();
    assert!(last.contains("16") && last.contains("64") && !last.contains("near"), "{last}");
}

#[test]
fn a_line_to_points_outside_stays_in_view_up_to_both_borders() {
    let mut s = Series::default();
    for (step, value) in [(0.0, 0.0), (120.0, 120.0), (240.0, 240.0)] {
        s.push(step, value);
    }
    let is_dot = |c: char| ('\u{2801}'..='\u{28FF}').contains(&c) || c == '●';
    let columns = |window: (f64, f64)| {
        let text = draw(&s, window, false, 47, 10);
        let rows: Vec<Vec<char>> = text.lines().map(|l| l.chars().collect()).collect();
        (7..47).filter(|&x| rows.iter().any(|row| is_dot(row[x]))).count()
    };
    // One point in view, and none; far from the points the slope is the same.
    for window in [(85.0, 210.0), (10.0, 90.0), (60.0, 60.001)] {
        assert_eq!(columns(window), 40, "{window:?}");
    }
}

#[test]
fn no_line_comes_from_a_point_that_a_logarithmic_axis_cannot_show() {
    let theme = Theme::new(ThemeName::Dark, true);
    let mut s = Series::default();
    for (step, value) in [(0.0, 18.0), (120.0, 43.0), (240.0, 46.0)] {
        s.push(step, value);
    }
    let chart = Chart {
        traces: vec![trace(&s, &theme)],
        references: Vec::new(),
        window: (1.0, 240.0),
        log_x: true,
        log_y: false,
        names: Names::Steps,
        cursor: None,
        theme: &theme,
    };
    let buffer = rendered(&chart, Rect::new(0, 0, 47, 10));
    let is_empty = |x: u16| (0..9).all(|y| buffer[(x, y)].symbol() == " ");
    // ln 120 / ln 240 is 0.87 of the 40 columns.
    assert!((7..40).all(is_empty) && !is_empty(41), "{buffer:?}");
}

#[test]
fn values_that_a_logarithm_lacks_are_marked() {
    let s = series([10.0, 0.0, 1000.0, f64::INFINITY, 100.0]);
    assert_eq!(draw(&s, (0.0, 4.0), true, 40, 8).matches('×').count(), 2);
    assert_eq!(draw(&s, (0.0, 4.0), false, 40, 8).matches('×').count(), 1);
}

#[test]
fn any_size_and_any_window_are_drawn() {
    let s = series((0..100).map(f64::from));
    for (width, height) in [(0, 0), (1, 1), (11, 3), (12, 3), (300, 100)] {
        for window in [(0.0, 99.0), (5.0, 5.0), (40.2, 40.7), (-10.0, -5.0), (1e9, 2e9)] {
            draw(&s, window, false, width, height);
        }
    }
    // Between two points the line passes through.
    assert!(
        draw(&s, (40.2, 40.7), false, 40, 8).contains(|c: char| c > '\u{2800}' && c <= '\u{28FF}')
    );
}

/// The dots of a canvas, by cell.
fn dots(draw: impl FnOnce(&mut Canvas)) -> Vec<String> {
    let (width, height) = (12, 4);
    let mut canvas = Canvas::new(width, height);
    draw(&mut canvas);
    let area = Rect::new(0, 0, width, height);
    let mut buffer = Buffer::empty(area);
    canvas.render(area, &mut buffer);
    buffer.content.iter().map(|cell| cell.symbol().to_owned()).collect()
}

/// Draws every point and every line between two neighbours, one after the other.
fn draw_all(canvas: &mut Canvas, series: &Series, along: Along, x: &Scale, y: &Scale) {
    let (columns, rows) = (canvas.columns(), canvas.rows());
    let mut before: Option<(i64, i64)> = None;
    for i in 0..series.len() {
        let (step, value) = series.point(i);
        let place = along.place(step);
        let column = match place {
            p if p >= x.ends().0 && p <= x.ends().1 => {
                let parts = 0..columns as i64 - 1;
                let within = |c: &i64| p < x.edge(*c as usize + 1, columns);
                parts.clone().find(within).unwrap_or(columns as i64 - 1)
            }
            p => match x.place(p) {
                Some(place) => (place * columns as f64).floor() as i64,
                None => {
                    before = None;
                    continue;
                }
            },
        };
        let Some(row) = y.place(value).map(|p| dot_row(p, rows)) else {
            before = None;
            continue;
        };
        canvas.line(before.unwrap_or((column, row)), (column, row), Style::new());
        before = Some((column, row));
    }
}

fn value() -> impl Strategy<Value = f64> {
    prop_oneof![
        12 => 0.01..100.0f64,
        3 => -50.0..0.0f64,
        2 => Just(f64::NAN),
        1 => Just(f64::INFINITY),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]
    #[test]
    fn each_dot_is_one_of_the_drawing_of_all_points(
        values in prop::collection::vec(value(), 0..900),
        gaps in prop::collection::vec(0u8..4, 900),
        window in (0.0..1.0f64, 0.0..1.2f64),
        log_x in any::<bool>(),
        log_y in any::<bool>(),
        by_time in any::<bool>(),
    ) {
        let (mut series, mut clock) = (Series::default(), Clock::default());
        let mut time = 0.0;
        for (i, (&y, &gap)) in values.iter().zip(&gaps).enumerate() {
            time += f64::from(gap);
            clock.push(i as f64, time, time);
            series.push(i as f64, y);
        }
        let along = if by_time { Along::of(&clock, XAxis::Elapsed) } else { Along::Step };
        let last = along.place(values.len() as f64).max(1.0);
        let from = if log_x { 1.0 + window.0 * last } else { window.0 * last };
        let x = Scale::across(from, from + (window.1 * last).max(0.5), log_x);
        let y = Scale::around(0.01, 100.0, log_y);
        let quick = dots(|canvas| {
            let columns = Columns::of(&series, along, &x, canvas.columns());
            draw_trace(canvas, &columns, &x, &y, Style::new());
        });
        let plain = dots(|canvas| draw_all(canvas, &series, along, &x, &y));
        prop_assert_eq!(quick, plain);
    }
}

#[test]
fn no_line_crosses_a_gap_within_one_column_of_dots() {
    let s = series((0..2000).map(|i| match i {
        999 | 1000 => f64::NAN,
        _ if i < 1000 => 1.0,
        _ => 9.0,
    }));
    // Both levels and the gap lie in one column.
    let text = draw(&s, (0.0, 1e6), false, 30, 10);
    let is_dot = |c: char| ('\u{2801}'..='\u{28FF}').contains(&c);
    let rows: Vec<usize> =
        text.lines().enumerate().filter(|(_, l)| l.contains(is_dot)).map(|(i, _)| i).collect();
    // The mark stands where the lower level would be seen.
    assert_eq!(rows, [0], "{text}");
    assert_eq!(text.matches('×').count(), 1, "{text}");
}

#[test]
fn a_million_points_are_drawn_from_a_few_thousand_blocks() {
    let mut noise = 1u64;
    let mut value = |i: usize| {
        noise = noise.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        if i.is_multiple_of(99_991) { f64::NAN } else { (noise >> 40) as f64 }
    };
    let s = series((0..1_000_000).map(&mut value));
    READ.set(0);
    render(&s, (0.0, 1e6), false, Rect::new(0, 0, 200, 60));
    let read = READ.get();
    // Some 390 columns of dots, each from the blocks of five levels at its two edges.
    assert!(read > 390 && read < 390 * 2 * 16 * 5, "{read}");
    // Also where every second value is no number.
    let mut even = 0;
    let broken = series((0..1_000_000).map(|i| {
        even = 1 - even;
        if even == 0 { f64::NAN } else { value(i) }
    }));
    READ.set(0);
    render(&broken, (0.0, 1e6), false, Rect::new(0, 0, 200, 60));
    // Each lone point is a dot of its own; none is looked at twice.
    assert!(READ.get() < 1_200_000, "{}", READ.get());
}

#[test]
fn x_is_named_and_its_ticks_are_those_of_its_unit() {
    let theme = Theme::new(ThemeName::Dark, true);
    let s = series((0..600).map(f64::from));
    let mut clock = Clock::default();
    for i in 0..600 {
        clock.push(f64::from(i), f64::from(i) * 2.0, 1_795_989_600.0 + f64::from(i) * 2.0);
    }
    let last_row = |x: XAxis, window: (f64, f64), log_x: bool| {
        let along = Along::of(&clock, x);
        let trace = Trace { along, ..trace(&s, &theme) };
        let chart = Chart {
            traces: vec![trace],
            references: Vec::new(),
            window,
            log_x,
            log_y: false,
            names: Names::Run(x),
            cursor: None,
            theme: &theme,
        };
        let buffer = rendered(&chart, Rect::new(0, 0, 67, 8));
        (0..67).map(|x| buffer[(x, 7)].symbol().to_owned()).collect::<String>()
    };
    let words = |row: String| row.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    let steps = words(last_row(XAxis::Step, (0.0, 599.0), false));
    assert_eq!(steps[..3], ["step", "0", "200"]);
    let log = words(last_row(XAxis::Step, (1.0, 599.0), true));
    assert_eq!(log, ["log", "s.", "1", "3", "10", "30", "100", "300"]);
    let time = words(last_row(XAxis::Elapsed, (0.0, 1198.0), false));
    assert_eq!(time, ["time", "0", "5", "min", "10", "min", "15", "min"]);
    let wall = words(last_row(XAxis::Wall, (1_795_989_600.0, 1_795_990_798.0), false));
    assert_eq!(wall, ["UTC", "22:00", "22:05", "22:10", "22:15"]);
}
