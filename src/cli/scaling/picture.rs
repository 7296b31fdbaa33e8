//! The charts of a panel, both axes logarithmic: in dots for a terminal, and as SVG.

use super::{CURVES, Panel, Row};
use crate::inference::order::Order;
use crate::render::{Axis, Plot, PlotPoint, Series, plot_to_svg};
use crate::workbench::clock::Along;
use crate::workbench::series;
use crate::workbench::text;
use crate::workbench::theme::{Surroundings, Theme, ThemeName};
use crate::workbench::widgets::chart::{Chart, Names, Trace};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::widgets::Widget;

/// Size of a chart in a terminal, cells.
const SIZE: (u16, u16) = (78, 16);

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Time,
    Memory,
}

/// Name and points of every curve, in milliseconds or megabytes.
fn curves(panel: &Panel, kind: Kind) -> Vec<(String, Vec<(f64, f64)>)> {
    let scaled =
        |points: Vec<(f64, f64)>, by: f64| points.iter().map(|(x, y)| (*x, y * by)).collect();
    match kind {
        Kind::Time => {
            let curve = |(i, (task, order)): (usize, &super::Curve)| {
                let name = format!("{} {}", task.name(), order.name());
                (name, scaled(panel.times(i), 1e3))
            };
            CURVES.iter().enumerate().map(curve).collect()
        }
        Kind::Memory => Order::ALL
            .into_iter()
            .flat_map(|order| {
                let name = order.name();
                let predicted = (format!("{name}, predicted"), panel.predicted_memory(order));
                [(name.to_owned(), panel.memory(order)), predicted]
            })
            .map(|(name, points)| (name, scaled(points, 1e-6)))
            .collect(),
    }
}

/// Marks of the curves where only ASCII is shown.
const PLAIN: [&str; 4] = ["a", "b", "c", "d"];

/// The chart in lines of text, with what its marks mean in the first.
pub fn of_terminal(panel: &Panel, kind: Kind) -> String {
    let surroundings = Surroundings::detect(|key| std::env::var(key).ok());
    let theme = Theme::new(ThemeName::Mono, surroundings.unicode);
    let curves: Vec<(String, series::Series)> = curves(panel, kind)
        .into_iter()
        .map(|(name, points)| {
            let mut series = series::Series::default();
            points.iter().for_each(|(x, y)| series.push(x.log10(), *y));
            (name, series)
        })
        .collect();
    let symbol = |i: usize| if theme.unicode { theme.series_symbol(i) } else { PLAIN[i % 4] };
    let traces = curves.iter().enumerate().map(|(i, (_, series))| Trace {
        series,
        behind: None,
        style: theme.series(i),
        symbol: symbol(i),
        along: Along::Step,
    });
    let places: Vec<(f64, String)> =
        panel.rows.iter().map(|row| (place(row), row.size.to_string())).collect();
    let ends = [panel.rows.first(), panel.rows.last()].map(|row| row.map_or(0.0, place));
    let chart = Chart {
        traces: traces.collect(),
        references: Vec::new(),
        window: (ends[0], ends[1]),
        log_x: false,
        log_y: true,
        names: Names::Places(&places),
        cursor: None,
        theme: &theme,
    };
    let area = Rect::new(0, 0, SIZE.0, SIZE.1);
    let mut buffer = Buffer::empty(area);
    let key: Vec<String> =
        curves.iter().enumerate().map(|(i, (name, _))| format!("{} {name}", symbol(i))).collect();
    buffer.set_string(2, 0, key.join("   "), theme.text);
    chart.render(Rect { y: 1, height: SIZE.1 - 1, ..area }, &mut buffer);
    if !theme.unicode {
        text::to_ascii(&mut buffer);
    }
    let line = |y| {
        let line: String = (0..SIZE.0).map(|x| buffer[(x, y)].symbol()).collect();
        format!("{}\n", line.trim_end())
    };
    (0..SIZE.1).map(line).collect()
}

fn place(row: &Row) -> f64 {
    (row.size as f64).log10()
}

pub fn svg(panel: &Panel, kind: Kind) -> String {
    let series = curves(panel, kind).into_iter().map(|(name, points)| Series {
        name,
        points: points.iter().map(|(x, y)| PlotPoint::new(*x, *y)).collect(),
    });
    let axis = |label: &str| Axis { label: label.into(), logarithmic: true };
    plot_to_svg(&Plot {
        title: panel.title(),
        x: axis(panel.axis.name()),
        y: axis(match kind {
            Kind::Time => "milliseconds",
            Kind::Memory => "megabytes",
        }),
        series: series.collect(),
    })
}
