//! The table of a sweep and its chart, in the formats of files.

use super::{Curve, Sweep, SweepRow};
use crate::evaluation::Spread;
use crate::render::{Axis, Plot, PlotPoint, Series, escape_latex, plot_to_svg};

/// A figure of a split.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Column {
    /// `dev` or `test`.
    pub split: &'static str,
    /// As in events.
    pub key: &'static str,
    /// For people.
    pub name: &'static str,
}

const SPLITS: [&str; 2] = ["dev", "test"];

/// Figures with the words for them, those that models are compared by first; of language models
/// only the last ones are known.
const FIGURES: [(&str, &str); 5] = [
    ("f1", "F1"),
    ("s_f1", "S-F1"),
    ("c_f1", "C-F1"),
    ("perplexity", "perplexity"),
    ("log_likelihood", "log-likelihood"),
];

impl Column {
    /// Figures that some row has, development first.
    pub fn known(rows: &[SweepRow]) -> Vec<Column> {
        let all = SPLITS
            .into_iter()
            .flat_map(|split| FIGURES.map(|(key, name)| Column { split, key, name }));
        all.filter(|c| rows.iter().any(|row| row.figure(c.split, c.key).is_some())).collect()
    }

    /// `dev S-F1`.
    pub fn title(&self) -> String {
        format!("{} {}", self.split, self.name)
    }

    /// Whether less is better.
    fn falls(&self) -> bool {
        self.key == "perplexity"
    }

    /// The row with the best mean of those whose runs are all finished, where there is anything to
    /// compare it with.
    pub fn best(&self, rows: &[SweepRow]) -> Option<usize> {
        let is_done = |row: &SweepRow| row.finished() >= row.seeds;
        let figure =
            |row: &SweepRow| Some(row.figure(self.split, self.key).filter(|_| is_done(row))?.mean);
        let known = rows.iter().enumerate().filter_map(|(i, row)| Some((i, figure(row)?)));
        let sign = if self.falls() { -1.0 } else { 1.0 };
        let better = |a: (usize, f64), b: (usize, f64)| if sign * b.1 > sign * a.1 { b } else { a };
        let best = known.clone().reduce(better)?;
        (known.count() > 1).then_some(best.0)
    }

    /// Mean and deviation with a sign between them.
    pub fn cell(&self, row: &SweepRow, sign: &str) -> String {
        match row.figure(self.split, self.key) {
            Some(Spread { mean, sd: Some(sd), .. }) => format!("{mean:.2} {sign} {sd:.2}"),
            Some(Spread { mean, .. }) => format!("{mean:.2}"),
            None => "-".into(),
        }
    }
}

impl Sweep {
    /// One line a point; a figure has its mean, its deviation (empty for one seed) and nothing
    /// where it is not known.
    pub fn csv(&self, rows: &[SweepRow]) -> String {
        let columns = Column::known(rows);
        let quoted = |text: &str| match text.contains(['"', ',', '\n']) {
            true => format!("\"{}\"", text.replace('"', "\"\"")),
            false => text.to_owned(),
        };
        let mut head: Vec<String> =
            self.varied().iter().map(|varied| quoted(&varied.key)).collect();
        head.extend(["finished".into(), "seeds".into()]);
        for Column { split, key, .. } in &columns {
            head.extend([format!("{split}_{key}"), format!("{split}_{key}_sd")]);
        }
        head.push("seconds".into());
        let mut text = head.join(",") + "\n";
        for row in rows {
            let mut cells: Vec<String> = row.values.iter().map(|value| quoted(value)).collect();
            cells.extend([row.finished().to_string(), row.seeds.to_string()]);
            for Column { split, key, .. } in &columns {
                let spread = row.figure(split, key);
                let number = |x: Option<f64>| x.map_or(String::new(), |x| x.to_string());
                cells.push(number(spread.map(|s| s.mean)));
                cells.push(number(spread.and_then(|s| s.sd)));
            }
            cells.push(row.seconds.map_or(String::new(), |s| format!("{:.1}", s.mean)));
            text.push_str(&(cells.join(",") + "\n"));
        }
        text
    }

    /// A `tabular` of the package booktabs; the best of every column is bold.
    pub fn latex(&self, rows: &[SweepRow]) -> String {
        let columns = Column::known(rows);
        let keys = self.varied();
        let alignment = "r".repeat(keys.len() + columns.len());
        let head = keys.iter().map(|varied| escape_latex(varied.short()));
        let head: Vec<String> =
            head.chain(columns.iter().map(|column| escape_latex(&column.title()))).collect();
        let best: Vec<Option<usize>> = columns.iter().map(|column| column.best(rows)).collect();
        let mut text = format!("\\begin{{tabular}}{{{alignment}}}\n\\toprule\n");
        text.push_str(&format!("{} \\\\\n\\midrule\n", head.join(" & ")));
        for (i, row) in rows.iter().enumerate() {
            let values = row.values.iter().map(|value| escape_latex(value));
            let figures = columns.iter().zip(&best).map(|(column, best)| {
                let cell = column.cell(row, "$\\pm$");
                if *best == Some(i) { format!("\\textbf{{{cell}}}") } else { cell }
            });
            let cells: Vec<String> = values.chain(figures).collect();
            text.push_str(&format!("{} \\\\\n", cells.join(" & ")));
        }
        text.push_str("\\bottomrule\n\\end{tabular}\n");
        text
    }

    /// The figure that the models are compared by on both splits, against the first varied setting
    /// that is a number; `None` where there is neither.
    pub fn svg(&self, rows: &[SweepRow]) -> Option<String> {
        let all = Column::known(rows);
        let main = all.iter().find(|c| c.key != "c_f1" && c.key != "log_likelihood")?;
        let same = all.iter().filter(|column| column.key == main.key).copied();
        self.plot(rows, *self.axes().first()?, &same.collect::<Vec<_>>())
    }

    /// Figures against a varied setting, as SVG.
    pub fn plot(&self, rows: &[SweepRow], axis: usize, columns: &[Column]) -> Option<String> {
        let mut series = Vec::new();
        for column in columns {
            for Curve { name, points } in self.curves(rows, axis, column) {
                let point = |(x, spread): &(f64, Spread)| PlotPoint {
                    x: *x,
                    y: spread.mean,
                    spread: spread.sd,
                };
                let points: Vec<PlotPoint> = points.iter().map(point).collect();
                let name = match name.is_empty() {
                    true => column.split.to_owned(),
                    false => format!("{}, {name}", column.split),
                };
                if !points.is_empty() {
                    series.push(Series { name, points });
                }
            }
        }
        let name = columns.first().filter(|_| !series.is_empty())?.name;
        let key = &self.varied()[axis].key;
        Some(plot_to_svg(&Plot {
            title: format!("{name} by {key}"),
            x: Axis { label: key.clone(), logarithmic: self.is_logarithmic(axis) },
            y: Axis { label: name.into(), logarithmic: false },
            series,
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;
    use crate::report::RunState;
    use crate::run::{SweepRun, Varied};

    fn sweep(values: &[&str]) -> (tempfile::TempDir, Sweep) {
        let base = tempfile::tempdir().expect("temporary folder");
        let varied = |key: &str, values: &[&str]| Varied {
            key: key.into(),
            values: values.iter().map(|v| (*v).to_owned()).collect(),
        };
        let axes = vec![
            varied("model.compat", &["\"none\"", "\"published\""]),
            varied("model.rank", values),
        ];
        let made = Sweep::create(base.path(), &Config::default(), axes, 2).expect("makes");
        (base, made)
    }

    /// Rows with these perplexities, and F1 that falls with them.
    fn rows(sweep: &Sweep, perplexities: &[&[f64]]) -> Vec<SweepRow> {
        let mut rows = sweep.rows();
        for (row, values) in rows.iter_mut().zip(perplexities) {
            let spreads = [
                ("s_f1", Spread::of(values.iter().map(|v| 100.0 - v / 10.0))),
                ("perplexity", Spread::of(values.iter().copied())),
            ];
            let known = spreads.into_iter().filter_map(|(key, of)| Some((key, of?)));
            row.spread = [("dev", known.collect())].into();
            let run = |seed: usize| SweepRun {
                seed: seed as u64,
                path: row.group.join(seed.to_string()),
                state: RunState::Finished,
                progress: 1.0,
            };
            row.runs = (0..2).map(run).collect();
        }
        rows
    }

    #[test]
    fn the_best_row_is_that_of_least_perplexity_and_greatest_f1() {
        let (_base, sweep) = sweep(&["8", "64"]);
        let rows = rows(&sweep, &[&[300.0], &[100.0, 200.0], &[160.0], &[]]);
        let columns = Column::known(&rows);
        assert_eq!(
            columns.iter().map(Column::title).collect::<Vec<_>>(),
            ["dev S-F1", "dev perplexity"]
        );
        assert!(columns.iter().all(|column| column.best(&rows) == Some(1)));
        assert_eq!(columns[0].best(&rows[..1]), None, "alone nothing is best");
        let mut going = rows.clone();
        going[1].runs.pop();
        assert_eq!(columns[0].best(&going), Some(2), "one with a run to come is not compared yet");
        let latex = sweep.latex(&rows);
        assert!(latex.contains("\\textbf{150.00 $\\pm$ 70.71}"), "{latex}");
        assert_eq!(latex.matches("textbf").count(), 2, "{latex}");
    }

    #[test]
    fn figures_are_drawn_against_the_first_setting_that_is_a_number() {
        let (_base, sweep) = sweep(&["8", "64"]);
        assert_eq!(sweep.axes(), [1]);
        assert!(sweep.is_logarithmic(1));
        let rows = rows(&sweep, &[&[300.0], &[100.0, 200.0], &[160.0], &[90.0]]);
        let column = Column { split: "dev", key: "perplexity", name: "perplexity" };
        let curves = sweep.curves(&rows, 1, &column);
        let means =
            |i: usize| curves[i].points.iter().map(|(x, s)| (*x, s.mean)).collect::<Vec<_>>();
        assert_eq!(
            (means(0), means(1)),
            (vec![(8.0, 300.0), (64.0, 150.0)], vec![(8.0, 160.0), (64.0, 90.0)])
        );
        assert_eq!(curves[1].name, "compat \"published\"");
        let svg = sweep.svg(&rows).expect("a chart");
        assert!(svg.contains("S-F1 by model.rank") && svg.matches("<polyline").count() == 2);
    }
}
