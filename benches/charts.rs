//! A frame with a million points: the chart of the Train screen against its budget of 10 ms.

use criterion::{Criterion, criterion_group, criterion_main};
use rankspace::workbench::clock::Along;
use rankspace::workbench::series::{Series, Smoothed};
use rankspace::workbench::theme::{Theme, ThemeName};
use rankspace::workbench::widgets::chart::{Chart, Names, Trace};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::widgets::Widget;
use std::hint::black_box;
use std::time::{Duration, Instant};

const POINTS: usize = 1_000_000;
const BUDGET: Duration = Duration::from_millis(10);

/// A falling curve with noise and a gap now and then.
fn curve() -> Series {
    let mut series = Series::default();
    let mut noise = 1u64;
    for i in 0..POINTS {
        noise = noise.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        let x = i as f64 / POINTS as f64;
        let y = 20.0 + 100.0 * (-5.0 * x).exp() + (noise >> 40) as f64 / (1u64 << 24) as f64;
        series.push(i as f64, if i % 99_991 == 0 { f64::NAN } else { y });
    }
    series
}

fn charts(c: &mut Criterion) {
    let raw = curve();
    let mut smooth = Smoothed::new(0.9);
    smooth.follow(&raw);
    let theme = Theme::new(ThemeName::Dark, true);
    let area = Rect::new(0, 0, 200, 60);
    let mut buffer = Buffer::empty(area);
    // Four charts share the screen; this one alone has all of it, with a smoothed and a raw line.
    let mut frame = |window: (f64, f64)| {
        let chart = Chart {
            traces: vec![Trace {
                series: smooth.series(),
                behind: Some(&raw),
                style: theme.series(0),
                symbol: theme.series_symbol(0),
                along: Along::Step,
            }],
            references: vec![("reference", 40.0)],
            window,
            log_x: false,
            log_y: false,
            names: Names::Steps,
            cursor: Some(POINTS as f64 / 3.0),
            theme: &theme,
        };
        buffer.reset();
        (&chart).render(area, &mut buffer);
        black_box(&buffer);
    };
    let whole = (0.0, POINTS as f64);
    c.bench_function("chart of 1,000,000 points, whole run", |b| b.iter(|| frame(whole)));
    let zoomed = (400_000.0, 410_000.0);
    c.bench_function("chart of 1,000,000 points, 10,000 in view", |b| b.iter(|| frame(zoomed)));

    let start = Instant::now();
    for _ in 0..20 {
        frame(whole);
    }
    let mean = start.elapsed() / 20;
    let ratio = mean.as_secs_f64() / BUDGET.as_secs_f64();
    println!("a frame of {POINTS} points: {mean:.2?}, {ratio:.3} of the budget of {BUDGET:?}");

    c.bench_function("appending a point and its blocks", |b| {
        let mut series = curve();
        let mut x = POINTS as f64;
        b.iter(|| {
            x += 1.0;
            series.push(x, x);
        });
    });
}

criterion_group!(benches, charts);
criterion_main!(benches);
