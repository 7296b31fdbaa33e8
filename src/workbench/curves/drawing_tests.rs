use super::*;
use crate::workbench::testing::{event, language_run, learning, learning_language, run, step};
use proptest::prelude::*;

fn look() -> Look {
    Look { smoothing: Some(0.9), ..Look::default() }
}

#[test]
fn every_figure_of_every_run_has_its_panel_and_the_runs_are_named() {
    let runs = [
        run(1, "a <run>", &learning(60)),
        language_run(2, "2026-11-29-rank-hmm", &learning_language(40)),
    ];
    let svg = svg(&runs, &look());
    for shown in [
        "loss (nats/word)",
        "dev perplexity",
        "dev S-F1 (%)",
        "gradient norm",
        "learning rate",
        "words per second",
        "a &lt;run&gt;",
        "2026-11-29-rank-hmm",
        ">step<",
        "stroke-dasharray",
    ] {
        assert!(svg.contains(shown), "{shown}: {svg}");
    }
    assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
    let by_time = super::svg(&runs, &Look { axis: XAxis::Elapsed, log_x: true, ..look() });
    assert!(by_time.contains("running time, log") && by_time.contains("10 s"), "{by_time}");
    assert_eq!(&png(&runs, &look()).expect("writes")[1..4], b"PNG");
}

#[test]
fn what_is_no_number_is_marked_and_no_line_crosses_it() {
    let mut broken = run(1, "broken", &[]);
    for (i, loss) in [9.0, 8.0, f64::NAN, 3.0, 2.0].into_iter().enumerate() {
        broken.history.push(&event(i as u64, step(i as u64 + 1, loss)));
    }
    let line = outline(&broken.history.loss, Along::Step, &Scale::exact(1.0, 5.0), false);
    assert_eq!(line.gaps, [0.5]);
    let values: Vec<Vec<f64>> =
        line.stretches.iter().map(|s| s.iter().map(|p| p.1).collect()).collect();
    assert_eq!(values, [[9.0, 8.0], [3.0, 2.0]]);
    let only_loss = Look { figures: Some(vec![Figure::Loss]), ..Look::default() };
    assert_eq!(svg(&[broken], &only_loss).matches("#c02020").count(), 2, "a cross");
}

#[test]
fn a_line_to_points_outside_of_the_window_is_drawn_to_its_borders() {
    let mut series = Series::default();
    for (step, value) in [(0.0, 10.0), (120.0, 50.0), (240.0, 20.0)] {
        series.push(step, value);
    }
    let line = |from, to| outline(&series, Along::Step, &Scale::exact(from, to), false);
    let zoomed = line(60.0, 180.0);
    assert_eq!(zoomed.stretches, [[(0.0, 30.0), (0.5, 50.0), (1.0, 35.0)]]);
    assert_eq!(zoomed.crossings, [(0.0, 30.0), (1.0, 35.0)], "no points of their own");
    // Also where no point is in view; not beyond the ends.
    assert_eq!(line(30.0, 90.0).stretches, [[(0.0, 20.0), (1.0, 40.0)]]);
    assert_eq!(line(0.0, 240.0).crossings, []);
    assert!(line(300.0, 400.0).stretches.is_empty());
}

proptest! {
    #[test]
    fn a_thinned_line_keeps_the_first_the_last_and_the_extremes(
        seed in 0u64..1000,
        length in 2000usize..6000,
    ) {
        let mut series = Series::default();
        let mut noise = seed.wrapping_mul(2).wrapping_add(1);
        for i in 0..length {
            noise = noise.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            let y = (noise >> 33) as f64;
            series.push(i as f64, if noise % 97 == 0 { f64::NAN } else { y });
        }
        let scale = Scale::exact(0.0, (length - 1) as f64);
        let line = outline(&series, Along::Step, &scale, false);
        let kept: Vec<f64> = line.stretches.iter().flatten().map(|p| p.1).collect();
        let extent = series.extent(0, length).expect("points");
        let least = kept.iter().copied().fold(f64::INFINITY, f64::min);
        let greatest = kept.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        prop_assert_eq!((kept[0], kept[kept.len() - 1]), (extent.first, extent.last));
        prop_assert_eq!((least, greatest), (extent.min, extent.max));
        prop_assert!(kept.len() <= 4 * COLUMNS + 8 * length / 97);
    }
}
