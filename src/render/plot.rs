use std::fmt::Write;

/// Size of the picture and of the room around the axes, pixels.
const SIZE: (f64, f64) = (720.0, 440.0);
const LEFT: f64 = 64.0;
const RIGHT: f64 = 16.0;
const TOP: f64 = 40.0;
const BOTTOM: f64 = 56.0;

/// Height of a line of the legend.
const LEGEND: f64 = 18.0;

/// Most ticks on an axis.
const TICKS: f64 = 8.0;

/// Colours that the colour-blind tell apart (Okabe and Ito 2002), without the yellow that white
/// paper swallows.
const COLOURS: [&str; 7] =
    ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#000000"];

/// A chart of lines with points, to be drawn as SVG.
#[derive(Clone, Debug, Default)]
pub struct Plot {
    pub title: String,
    pub x: Axis,
    pub y: Axis,
    pub series: Vec<Series>,
}

/// What an axis measures.
#[derive(Clone, Debug, Default)]
pub struct Axis {
    pub label: String,
    /// Equal ratios at equal distances; values of 0 and below are left out then.
    pub logarithmic: bool,
}

/// Points that belong together, joined by a line in their order.
#[derive(Clone, Debug, Default)]
pub struct Series {
    pub name: String,
    pub points: Vec<PlotPoint>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlotPoint {
    pub x: f64,
    pub y: f64,
    /// Deviation of y to either side.
    pub spread: Option<f64>,
}

impl PlotPoint {
    /// Without a deviation.
    pub fn new(x: f64, y: f64) -> PlotPoint {
        PlotPoint { x, y, spread: None }
    }
}

/// Values along an axis.
struct Scale {
    logarithmic: bool,
    /// Of the values as they are drawn, which on a logarithmic axis are logarithms to base 10.
    least: f64,
    greatest: f64,
    /// Pixels of the ends.
    from: f64,
    to: f64,
}

impl Scale {
    fn new(axis: &Axis, values: impl Iterator<Item = f64>, (from, to): (f64, f64)) -> Scale {
        let drawn = values.filter_map(|value| drawn(axis.logarithmic, value));
        let (least, greatest) = drawn
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), value| (a.min(value), b.max(value)));
        let (least, greatest) = match least < greatest {
            true => (least, greatest),
            false if least.is_finite() => (least - 0.5, least + 0.5),
            false => (0.0, 1.0),
        };
        let room = (greatest - least) * 0.04;
        let (least, greatest) = (least - room, greatest + room);
        Scale { logarithmic: axis.logarithmic, least, greatest, from, to }
    }

    /// Where a value lies; `None` where the axis has no place for it.
    fn at(&self, value: f64) -> Option<f64> {
        let share = (drawn(self.logarithmic, value)? - self.least) / (self.greatest - self.least);
        Some(self.from + share * (self.to - self.from))
    }

    /// Round values within the axis.
    fn ticks(&self) -> Vec<f64> {
        if self.logarithmic {
            let decades = (self.least.ceil() as i32)..=(self.greatest.floor() as i32);
            if decades.clone().count() >= 2 {
                return decades.map(|decade| 10f64.powi(decade)).collect();
            }
            return round_values(10f64.powf(self.least), 10f64.powf(self.greatest));
        }
        round_values(self.least, self.greatest)
    }
}

fn drawn(logarithmic: bool, value: f64) -> Option<f64> {
    let value = if logarithmic { value.log10() } else { value };
    value.is_finite().then_some(value)
}

/// Multiples of 1, 2 or 5 times a power of ten between two values.
fn round_values(least: f64, greatest: f64) -> Vec<f64> {
    let rough = (greatest - least) / TICKS;
    let power = 10f64.powf(rough.log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0].into_iter().map(|m| m * power).find(|step| *step >= rough);
    let step = step.unwrap_or(10.0 * power);
    let (first, last) = ((least / step).ceil() as i64, (greatest / step).floor() as i64);
    (first..=last).map(|i| i as f64 * step).collect()
}

/// The plot as an SVG drawing. Series differ in colour and in the form of their points, so that
/// they can be told apart in print too.
pub fn plot_to_svg(plot: &Plot) -> String {
    let points = || plot.series.iter().flat_map(|series| &series.points);
    let legend = if plot.series.len() > 1 { LEGEND * plot.series.len() as f64 } else { 0.0 };
    let (width, height) = (SIZE.0, SIZE.1 + legend);
    let (bottom, right) = (SIZE.1 - BOTTOM, SIZE.0 - RIGHT);
    let x = Scale::new(&plot.x, points().map(|p| p.x), (LEFT, right));
    let ends = points().flat_map(|p| {
        let spread = p.spread.unwrap_or(0.0);
        [p.y - spread, p.y + spread]
    });
    let y = Scale::new(&plot.y, ends, (bottom, TOP));
    // Writing to a string cannot fail, so results are dropped.
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" \
         font-family=\"sans-serif\" font-size=\"12\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n\
         <text x=\"{LEFT}\" y=\"24\" font-size=\"14\">{}</text>\n",
        escape(&plot.title)
    );
    for value in y.ticks() {
        let Some(at) = y.at(value) else { continue };
        let _ = writeln!(
            svg,
            "<path d=\"M{LEFT} {at:.1}H{right}\" stroke=\"#ddd\"/>\
             <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
            LEFT - 6.0,
            at + 4.0,
            number(value)
        );
    }
    for value in x.ticks() {
        let Some(at) = x.at(value) else { continue };
        let _ = writeln!(
            svg,
            "<path d=\"M{at:.1} {bottom}v4\" stroke=\"#555\"/>\
             <text x=\"{at:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>",
            bottom + 18.0,
            number(value)
        );
    }
    let note = |axis: &Axis| match axis.logarithmic {
        true => format!("{} (logarithmic)", escape(&axis.label)),
        false => escape(&axis.label),
    };
    let _ = writeln!(
        svg,
        "<path d=\"M{LEFT} {TOP}V{bottom}H{right}\" fill=\"none\" stroke=\"#555\"/>\
         <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>\
         <text transform=\"translate(16 {:.1}) rotate(-90)\" text-anchor=\"middle\">{}</text>",
        (LEFT + right) / 2.0,
        bottom + 40.0,
        note(&plot.x),
        (TOP + bottom) / 2.0,
        note(&plot.y)
    );
    for (number, series) in plot.series.iter().enumerate() {
        draw_series(&mut svg, number, series, (&x, &y));
        if plot.series.len() > 1 {
            let at = SIZE.1 + LEGEND * number as f64;
            draw_point(&mut svg, number, (LEFT, at - 4.0));
            let _ = writeln!(
                svg,
                "<text x=\"{:.1}\" y=\"{at:.1}\">{}</text>",
                LEFT + 12.0,
                escape(&series.name)
            );
        }
    }
    svg.push_str("</svg>\n");
    svg
}

fn draw_series(svg: &mut String, number: usize, series: &Series, (x, y): (&Scale, &Scale)) {
    let colour = COLOURS[number % COLOURS.len()];
    let placed: Vec<(f64, f64, &PlotPoint)> = series
        .points
        .iter()
        .filter_map(|point| Some((x.at(point.x)?, y.at(point.y)?, point)))
        .collect();
    let line: Vec<String> = placed.iter().map(|(x, y, _)| format!("{x:.1},{y:.1}")).collect();
    let _ = writeln!(
        svg,
        "<polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"1.5\"/>",
        line.join(" ")
    );
    for (at, height, point) in placed {
        let ends = point.spread.map(|spread| (y.at(point.y - spread), y.at(point.y + spread)));
        if let Some((Some(low), Some(high))) = ends {
            let (from, to) = (at - 3.0, at + 3.0);
            let _ = writeln!(
                svg,
                "<path d=\"M{at:.1} {low:.1}V{high:.1}M{from:.1} {low:.1}H{to:.1}\
                 M{from:.1} {high:.1}H{to:.1}\" stroke=\"{colour}\"/>"
            );
        }
        draw_point(svg, number, (at, height));
    }
}

fn draw_point(svg: &mut String, number: usize, (x, y): (f64, f64)) {
    let colour = COLOURS[number % COLOURS.len()];
    let _ = match number % 3 {
        0 => writeln!(svg, "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3.5\" fill=\"{colour}\"/>"),
        1 => {
            writeln!(svg, "<path d=\"M{:.1} {:.1}h7v7h-7z\" fill=\"{colour}\"/>", x - 3.5, y - 3.5)
        }
        _ => writeln!(svg, "<path d=\"M{x:.1} {:.1}l4.5 8h-9z\" fill=\"{colour}\"/>", y - 5.0),
    };
}

/// As short as it is exact to six digits.
fn number(value: f64) -> String {
    if value != 0.0 && (value.abs() >= 1e6 || value.abs() < 1e-3) {
        return format!("{value:e}");
    }
    let text = format!("{value:.6}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plot(logarithmic: bool, values: &[(f64, f64)]) -> Plot {
        let points = values.iter().map(|&(x, y)| PlotPoint { x, y, spread: Some(0.5) }).collect();
        Plot {
            title: "F1 <by> size".into(),
            x: Axis { label: "size".into(), logarithmic },
            y: Axis { label: "F1".into(), logarithmic: false },
            series: vec![Series { name: "a & b".into(), points }, Series::default()],
        }
    }

    #[test]
    fn every_point_is_drawn_within_the_axes() {
        let svg = plot_to_svg(&plot(true, &[(50.0, 40.0), (500.0, 70.0), (5000.0, 85.0)]));
        assert_eq!(svg.matches("<circle").count(), 4, "three points and the legend's");
        for attribute in ["cx=\"", "cy=\""] {
            for part in svg.split(attribute).skip(1).take(3) {
                let value: f64 = part.split('"').next().expect("quoted").parse().expect("a number");
                assert!((16.0..=704.0).contains(&value), "{value}");
            }
        }
        assert!(svg.contains("F1 &lt;by&gt; size") && svg.contains("a &amp; b"));
        assert!(svg.contains("size (logarithmic)"));
    }

    #[test]
    fn ticks_are_round_and_few() {
        let axis = Axis { label: String::new(), logarithmic: false };
        let ticks = |least: f64, greatest: f64| {
            Scale::new(&axis, [least, greatest].into_iter(), (0.0, 1.0)).ticks()
        };
        assert_eq!(ticks(0.0, 100.0), [0.0, 20.0, 40.0, 60.0, 80.0, 100.0]);
        assert!(ticks(3.0, 3.0).len() > 1 && ticks(3.0, 3.0).contains(&3.0));
        let logarithmic = Axis { label: String::new(), logarithmic: true };
        let scale = Scale::new(&logarithmic, [1.0, 1000.0].into_iter(), (0.0, 1.0));
        assert_eq!(scale.ticks(), [1.0, 10.0, 100.0, 1000.0]);
        assert_eq!(["0", "0.5", "1e7", "250"], [0.0, 0.5, 1e7, 250.0].map(number)[..]);
    }

    #[test]
    fn what_cannot_be_drawn_is_left_out() {
        for values in [&[][..], &[(0.0, 1.0)], &[(1.0, f64::NAN)], &[(f64::INFINITY, 1.0)]] {
            let svg = plot_to_svg(&plot(true, values));
            assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
            assert_eq!(svg.matches("<circle").count(), 1, "the legend's alone");
        }
    }
}
