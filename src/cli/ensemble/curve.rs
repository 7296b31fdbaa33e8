//! `learning-curve`: how good a parser gets with the size of its training set.

use super::args::LearningCurve;
use super::{need_trees, settings, weak};
use crate::cli::corpus::output::Output;
use crate::cli::values::sizes;
use crate::config::Kind;
use crate::ensemble::{CurvePoint, curve_sizes, gain_of_doubling, learning_curve};
use crate::render::{Axis, Plot, PlotPoint, Series, plot_to_svg};
use crate::run;
use anyhow::{Result, bail};
use serde_json::json;
use std::io::Write;

/// Columns of a bar of 100 %.
const BAR: f64 = 40.0;

pub fn run(args: &LearningCurve, out: &mut dyn Write) -> Result<()> {
    let config = settings(args.config.as_deref(), Kind::Bag, &args.supervision, Vec::new())?;
    need_trees(&config, args.config.as_deref())?;
    let svg = args.svg.as_deref().map(Output::new_file).transpose()?;
    let data = weak::load(&config)?;
    let Some(test) = data.held_out.iter().find(|part| part.name == "test") else {
        bail!("no test trees: name some by --test, or in the config as data.test");
    };
    let sizes = match args.sizes.is_empty() {
        true => curve_sizes(data.train.sentences.len()),
        false => sizes(&args.sizes, data.train.sentences.len(), "training sentence")?,
    };
    run::stop_on_signals()?;
    if !args.json {
        head(out)?;
    }
    let mut points: Vec<CurvePoint> = Vec::new();
    let mut told = Ok(());
    learning_curve(
        &config.parser,
        (&data.train, test),
        &sizes,
        config.seed,
        |point| {
            if !args.json {
                told = row(points.last(), &point, out);
            }
            points.push(point);
            told.is_ok()
        },
        || !run::stop_requested(),
    )?;
    told?;
    if args.json {
        serde_json::to_writer(&mut *out, &object(&points))?;
        writeln!(out)?;
    }
    if points.len() < sizes.len() {
        // A part of the curve would stand in the way of the whole one.
        bail!("stopped{}", if svg.is_some() { "; no picture was written" } else { "" });
    }
    if let Some(mut file) = svg {
        file.write_all(picture(&points).as_bytes())?;
        file.keep()?;
    }
    Ok(())
}

fn head(out: &mut dyn Write) -> Result<()> {
    writeln!(
        out,
        "{:>9} {:>9} {:>7} {:>7} {:>7} {:>7} {:>9} {:>9}",
        "sentences", "words", "P", "R", "F1", "exact", "doubling", "fallbacks"
    )?;
    Ok(())
}

fn row(before: Option<&CurvePoint>, point: &CurvePoint, out: &mut dyn Write) -> Result<()> {
    let test = &point.test;
    let gain = before.map_or(String::new(), |b| format!("{:+.2}", gain_of_doubling(b, point)));
    let bar = "█".repeat((test.f1() / 100.0 * BAR).round() as usize);
    writeln!(
        out,
        "{:>9} {:>9} {:>7.2} {:>7.2} {:>7.2} {:>7.2} {gain:>9} {:>9}  {bar}",
        point.sentences,
        point.words,
        test.precision(),
        test.recall(),
        test.f1(),
        test.exact_match(),
        point.fallbacks
    )?;
    Ok(out.flush()?)
}

fn object(points: &[CurvePoint]) -> serde_json::Value {
    let point = |(i, p): (usize, &CurvePoint)| {
        json!({
            "sentences": p.sentences,
            "words": p.words,
            "precision": p.test.precision(),
            "recall": p.test.recall(),
            "f1": p.test.f1(),
            "exact": p.test.exact_match(),
            "gain_of_doubling": i.checked_sub(1).map(|b| gain_of_doubling(&points[b], p)),
            "fallbacks": p.fallbacks,
            "seconds": { "induction": p.seconds.0, "parsing": p.seconds.1 },
        })
    };
    json!({ "curve": points.iter().enumerate().map(point).collect::<Vec<_>>() })
}

/// F1 over the logarithm of the size.
fn picture(points: &[CurvePoint]) -> String {
    let point = |p: &CurvePoint| PlotPoint::new(p.sentences as f64, p.test.f1());
    plot_to_svg(&Plot {
        title: "Test F1 by training sentences".into(),
        x: Axis { label: "training sentences".into(), logarithmic: true },
        y: Axis { label: "F1".into(), logarithmic: false },
        series: vec![Series { name: "F1".into(), points: points.iter().map(point).collect() }],
    })
}
