//! `significance`: whether two predictions of the same sentences differ by more than chance.

use super::args::Significance;
use super::evalb::{hint, parameters, read};
use super::file::TREES;
use super::plain::tell;
use super::sentences::name_of;
use crate::evaluation::evalb::line_counts;
use crate::evaluation::significance::{
    EXACT_UP_TO, Figure, Interval, Intervals, Method, Samples, bootstrap, randomise,
};
use crate::report::counted;
use anyhow::{Result, bail};
use serde_json::{Value, json};
use std::io::Write;
use std::path::PathBuf;

/// Messages about one file that are shown; the others are counted.
const SHOWN: usize = 10;

/// The figures of both systems, and what chance has to do with them.
struct Compared {
    figure: Figure,
    a: f64,
    b: f64,
    p: f64,
    intervals: Option<Intervals>,
}

pub fn run(args: &Significance, out: &mut dyn Write) -> Result<()> {
    let parameters = parameters(&args.scoring)?;
    let read = |path| read(path, TREES);
    let (gold, a, b) = (read(&args.gold)?, read(&args.a)?, read(&args.b)?);
    let samples = Samples::score(&gold, &a, &b, &parameters);
    for (path, faults) in [&args.a, &args.b].into_iter().zip(&samples.faults) {
        for fault in faults.iter().take(SHOWN) {
            tell(&format!("{}: {fault}", path.display()));
        }
        if let more @ 1.. = faults.len().saturating_sub(SHOWN) {
            tell(&format!("{}: {more} more", path.display()));
        }
    }
    for (path, text) in [(&args.gold, &gold), (&args.a, &a), (&args.b, &b)] {
        if let Some(hint) = hint(path, text) {
            tell(&hint);
        }
    }
    if samples.sentences.is_empty() {
        bail!("no sentence is valid in both predictions");
    }
    let figures: Vec<Figure> =
        Figure::ALL.into_iter().filter(|&f| f != Figure::SentenceF1 || args.s_f1).collect();
    let (method, p) = randomise(&samples, &figures, args.shuffles, args.seed, EXACT_UP_TO);
    let intervals =
        bootstrap(&samples, &figures, args.resamples as usize, args.confidence, args.seed);
    let sums = samples.sums();
    let compared: Vec<Compared> = figures
        .into_iter()
        .enumerate()
        .map(|(i, figure)| Compared {
            figure,
            a: sums[0].figure(figure),
            b: sums[1].figure(figure),
            p: p[i],
            intervals: intervals.as_ref().map(|all| all[i]),
        })
        .collect();
    if args.json {
        serde_json::to_writer(&mut *out, &object(&samples, method, &compared, args))?;
        writeln!(out)?;
    } else {
        print(&samples, method, &compared, args, parameters.compared(), out)?;
    }
    out.flush()?;
    equally_long([(&args.gold, &gold), (&args.a, &a), (&args.b, &b)])
}

/// Fails where the files have unequal numbers of trees: not all were compared, and where one is
/// missing in the middle, not those that belong together.
fn equally_long(files: [(&PathBuf, &Vec<u8>); 3]) -> Result<()> {
    let counts = line_counts(files.map(|(_, text)| &text[..]));
    let least = counts.into_iter().min().unwrap_or(0);
    if counts.iter().all(|&count| count == least) {
        return Ok(());
    }
    let told: Vec<String> = files
        .iter()
        .zip(counts)
        .map(|((path, _), n)| format!("{n} in {}", name_of(path)))
        .collect();
    bail!("unequal numbers of trees: {}; only the first {least} were compared", told.join(", "))
}

fn object(samples: &Samples, method: Method, compared: &[Compared], args: &Significance) -> Value {
    let interval = |i: Interval| json!([i.low, i.high]);
    let figures = compared.iter().map(|c| {
        let mut figure = json!({"a": c.a, "b": c.b, "difference": c.a - c.b, "p": c.p});
        if let Some(intervals) = c.intervals {
            figure["a_interval"] = interval(intervals.a);
            figure["b_interval"] = interval(intervals.b);
            figure["difference_interval"] = interval(intervals.difference);
        }
        (c.figure.key().to_owned(), figure)
    });
    let left_out = samples.left_out;
    json!({
        "sentences": samples.sentences.len(),
        "left_out": {"a": left_out.a, "b": left_out.b, "either": left_out.either},
        "differing": samples.differing().len(),
        "exact": method == Method::Exact,
        "shuffles": if let Method::Shuffles(n) = method { Some(n) } else { None },
        "resamples": args.resamples,
        "confidence": args.confidence,
        "seed": args.seed,
        "figures": figures.collect::<serde_json::Map<_, _>>(),
    })
}

fn print(
    samples: &Samples,
    method: Method,
    compared: &[Compared],
    args: &Significance,
    what: &str,
    out: &mut dyn Write,
) -> Result<()> {
    writeln!(out, "A  {}\nB  {}", args.a.display(), args.b.display())?;
    let (all, differing) = (samples.sentences.len(), samples.differing().len());
    let all = counted(all, "sentence");
    write!(out, "{all}, {differing} with different scores; {what}")?;
    let left_out = samples.left_out;
    match left_out.either {
        0 => writeln!(out)?,
        n => {
            writeln!(out, "\n{n} left out, not valid in A ({}) or B ({})", left_out.a, left_out.b)?
        }
    }
    writeln!(out, "\n{:10} {:>7} {:>7} {:>7} {:>8}", "", "A", "B", "A - B", "p")?;
    for Compared { figure, a, b, p, .. } in compared {
        let difference = a - b;
        writeln!(out, "{:10} {a:7.2} {b:7.2} {difference:+7.2} {p:8.5}", name(*figure))?;
    }
    match method {
        Method::Exact => writeln!(out, "p: two-sided, from all exchanges of sentences")?,
        Method::Shuffles(n) => {
            writeln!(
                out,
                "p: two-sided, from {n} random exchanges of sentences, seed {}",
                args.seed
            )?;
        }
    }
    if compared.iter().all(|c| c.intervals.is_none()) {
        return Ok(());
    }
    writeln!(out, "\n{:10} {:>16} {:>16} {:>16}", "", "A", "B", "A - B")?;
    for Compared { figure, intervals, .. } in compared {
        let Some(Intervals { a, b, difference }) = intervals else { continue };
        let plain = |i: &Interval| format!("{:.2} to {:.2}", i.low, i.high);
        let signed = format!("{:+.2} to {:+.2}", difference.low, difference.high);
        writeln!(out, "{:10} {:>16} {:>16} {signed:>16}", name(*figure), plain(a), plain(b))?;
    }
    let (confidence, n) = (args.confidence, args.resamples);
    writeln!(out, "{confidence} % intervals from {n} bootstrap resamples, seed {}", args.seed)?;
    Ok(())
}

fn name(figure: Figure) -> &'static str {
    match figure {
        Figure::Precision => "precision",
        Figure::Recall => "recall",
        Figure::F1 => "F1",
        Figure::SentenceF1 => "S-F1",
    }
}
