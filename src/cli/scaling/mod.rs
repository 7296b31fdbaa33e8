//! `scaling`: how the time and memory of a sentence grow with states, length and rank, in both
//! orders of elimination.

pub mod args;
mod fit;
mod output;
mod picture;
mod program;

use super::bench::machine;
use super::failure::Usage;
use super::plain::tell;
use super::{progress, train};
use crate::inference::order::Order;
use crate::report::counted;
use crate::run;
use anyhow::{Context, Result, bail};
use args::{Axis, Scaling};
use fit::Fit;
use program::{Family, Point, Program, Sizes, Task};
use std::io::Write;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// What one timing takes at least, by repetition, so that the clock's grain does not count.
const LEAST: Duration = Duration::from_millis(3);

/// Growth below which a process's own pages tell more than the chart.
const LEAST_BYTES: f64 = 65_536.0;

/// A task in an order: a curve of a panel.
type Curve = (Task, Order);

const CURVES: [Curve; 4] = [
    (Task::Parse, Order::Rank),
    (Task::Parse, Order::State),
    (Task::Train, Order::Rank),
    (Task::Train, Order::State),
];

/// One size of what is varied.
struct Row {
    size: usize,
    sizes: Sizes,
    /// Least seconds of every curve, as far as it was timed.
    seconds: [Option<f64>; CURVES.len()],
    /// Bytes that inside and outside take in either order, where the system tells.
    bytes: [Option<f64>; Order::ALL.len()],
}

/// A family against what is varied.
struct Panel {
    family: Family,
    axis: Axis,
    rows: Vec<Row>,
    /// Timings of every point; the last of them may lack some.
    repeats: usize,
}

impl Panel {
    /// `PCFG against states (length 24, rank 256)`.
    fn title(&self) -> String {
        let family = match self.family {
            Family::Pcfg => "PCFG",
            Family::Hmm => "HMM",
        };
        let sizes = self.rows.first().map(|row| row.sizes);
        let fixed = sizes.map_or(String::new(), |sizes| {
            let all = [
                (Axis::Length, sizes.length),
                (Axis::States, sizes.states),
                (Axis::Rank, sizes.rank),
            ];
            let fixed = all.into_iter().filter(|(axis, _)| *axis != self.axis);
            let fixed: Vec<String> =
                fixed.map(|(axis, n)| format!("{} {n}", axis.name())).collect();
            format!(" ({})", fixed.join(", "))
        });
        format!("{family} against {}{fixed}", self.axis.name())
    }
}

impl Panel {
    fn point(&self, row: &Row, order: Order) -> Point {
        Point { family: self.family, order, sizes: row.sizes }
    }

    /// Measured seconds by size.
    fn times(&self, curve: usize) -> Vec<(f64, f64)> {
        let of = |row: &Row| Some((row.size as f64, row.seconds[curve]?));
        self.rows.iter().filter_map(of).collect()
    }

    /// Predicted operations by size, where the time is known.
    fn operations(&self, curve: usize) -> Vec<(f64, f64)> {
        let (task, order) = CURVES[curve];
        let known = self.rows.iter().filter(|row| row.seconds[curve].is_some());
        known.map(|row| (row.size as f64, self.point(row, order).operations(task))).collect()
    }

    /// Measured bytes by size.
    fn memory(&self, order: Order) -> Vec<(f64, f64)> {
        let of = |row: &Row| Some((row.size as f64, row.bytes[order as usize]?));
        self.rows.iter().filter_map(of).collect()
    }

    /// Predicted bytes by size, where they are measured too.
    fn predicted_memory(&self, order: Order) -> Vec<(f64, f64)> {
        let known = self.rows.iter().filter(|row| row.bytes[order as usize].is_some());
        known.map(|row| (row.size as f64, self.point(row, order).bytes())).collect()
    }
}

pub fn run(args: &Scaling, out: &mut dyn Write) -> Result<()> {
    if let Some(point) = args.memory_of {
        return Ok(writeln!(out, "{}", grown_by(point)?)?);
    }
    let panels = panels(args)?;
    for panel in &panels {
        // All programs of a panel are there at once, in both orders.
        let orders = || panel.rows.iter().flat_map(|row| Order::ALL.map(|o| panel.point(row, o)));
        run::check_bytes(orders().map(|point| point.all_bytes()).sum())?;
    }
    if let Some(folder) = &args.out {
        if train::holds_anything(folder) {
            bail!("{} holds something already, and nothing is overwritten", folder.display());
        }
        std::fs::create_dir_all(folder).with_context(|| format!("{}", folder.display()))?;
    }
    if cfg!(debug_assertions) {
        tell("note: a build without optimisation says little about speed");
    }
    run::stop_on_signals()?;
    let pool = rayon::ThreadPoolBuilder::new().num_threads(args.threads.unwrap_or(0)).build()?;
    let mut done = Vec::new();
    for mut panel in panels {
        pool.install(|| time(&mut panel, args.repeats))?;
        weigh(&mut panel, pool.current_num_threads())?;
        if panel.rows.iter().any(|row| row.seconds[0].is_some()) {
            if !args.json {
                output::print(&panel, out)?;
                out.flush()?;
            }
            done.push(panel);
            if let Some(folder) = &args.out {
                output::write(&done, folder)?;
            }
        }
        if run::stop_requested() {
            break;
        }
    }
    if args.json {
        serde_json::to_writer(&mut *out, &output::object(&done))?;
        writeln!(out)?;
    }
    if let (Some(folder), false) = (&args.out, args.json) {
        writeln!(out, "written to {}", folder.display())?;
    }
    match run::stop_requested() {
        true => bail!("stopped; {} kept", counted(done.len(), "panel")),
        false => Ok(()),
    }
}

/// What is to be measured.
fn panels(args: &Scaling) -> Result<Vec<Panel>> {
    let families = if args.family.is_empty() { &Family::ALL[..] } else { &args.family };
    let axes = if args.against.is_empty() { &Axis::ALL[..] } else { &args.against };
    if !args.sizes.is_empty() && axes.len() > 1 {
        let text = "--sizes: say what they are the sizes of, as --against states";
        return Err(Usage(text.into()).into());
    }
    let mut panels = Vec::new();
    for &family in families {
        for &axis in axes {
            let mut sizes = match &args.sizes[..] {
                [] => axis.usual(family).to_vec(),
                given => given.to_vec(),
            };
            sizes.sort_unstable();
            sizes.dedup();
            let length = args.length.unwrap_or(match family {
                Family::Pcfg => 24,
                Family::Hmm => 64,
            });
            let row = |size: usize| {
                let mut sizes = Sizes { length, states: args.states, rank: args.rank };
                *axis.of(&mut sizes) = size;
                Row { size, sizes, seconds: [None; 4], bytes: [None; 2] }
            };
            let rows: Vec<Row> = sizes.into_iter().map(row).collect();
            if rows.iter().any(|row| row.sizes.length < 2) {
                return Err(
                    Usage("a sentence of one word has nothing between its words".into()).into()
                );
            }
            panels.push(Panel { family, axis, rows, repeats: 0 });
        }
    }
    Ok(panels)
}

/// Times every point of a panel in turn, again and again; the least counts. Ends where a signal
/// asks for it.
fn time(panel: &mut Panel, repeats: usize) -> Result<()> {
    let family = panel.family;
    let mut programs: Vec<Box<dyn Program>> = Vec::new();
    for row in &panel.rows {
        let mut program = program::program(family, row.sizes)?;
        program.prepare();
        programs.push(program);
    }
    let what = match family {
        Family::Pcfg => "points of the PCFG timed",
        Family::Hmm => "points of the HMM timed",
    };
    let bar = progress::bar(repeats * programs.len(), what);
    'rounds: for round in 1..=repeats {
        panel.repeats = round;
        for (row, program) in panel.rows.iter_mut().zip(&mut programs) {
            for ((task, order), least) in CURVES.into_iter().zip(&mut row.seconds) {
                if run::stop_requested() {
                    break 'rounds;
                }
                let seconds = seconds(|| match task {
                    Task::Parse => program.parse(order),
                    Task::Train => program.train(order),
                })?;
                *least = Some(least.map_or(seconds, |l: f64| l.min(seconds)));
            }
            bar.inc(1);
        }
    }
    bar.finish_and_clear();
    Ok(())
}

/// Seconds of one call, of as many as the clock needs; one more goes before.
fn seconds(mut call: impl FnMut() -> Result<()>) -> Result<f64> {
    call()?;
    let start = Instant::now();
    let mut calls = 0;
    while calls == 0 || start.elapsed() < LEAST {
        call()?;
        calls += 1;
    }
    Ok(start.elapsed().as_secs_f64() / f64::from(calls))
}

/// Measures the memory of every point, each in a process of its own.
fn weigh(panel: &mut Panel, threads: usize) -> Result<()> {
    let family = panel.family;
    let program = std::env::current_exe().context("cannot find this program")?;
    for row in &mut panel.rows {
        for order in Order::ALL {
            if run::stop_requested() {
                return Ok(());
            }
            let point = Point { family, order, sizes: row.sizes };
            let output = Command::new(&program)
                .args(["scaling", "--memory-of", &point.to_string()])
                .args(["--threads", &threads.to_string()])
                .stdin(Stdio::null())
                .output()
                .context("cannot start a process for the memory")?;
            // A system that does not tell leaves it open; Ctrl-C ends the child too.
            let bytes = String::from_utf8_lossy(&output.stdout).trim().parse().ok();
            row.bytes[order as usize] = bytes.filter(|bytes| *bytes >= LEAST_BYTES);
        }
    }
    Ok(())
}

/// Bytes by which this process grows with inside and outside, H and I (or A) included.
fn grown_by(point: Point) -> Result<f64> {
    // What the products themselves need is there already.
    let small = Sizes { length: 3, ..point.sizes };
    let mut program = program::program(point.family, small)?;
    program.prepare();
    program.parse(point.order)?;
    drop(program);
    let mut program = program::program(point.family, point.sizes)?;
    machine::forget_peak();
    let before = machine::resident_mb().context("this system does not tell a process's memory")?;
    if point.order == Order::Rank {
        program.prepare();
    }
    program.parse(point.order)?;
    let after = machine::peak_mb().context("this system does not tell a process's memory")?;
    Ok((after - before) * f64::from(1 << 20))
}

/// Exponent, error and range of a curve's times, and the exponent of its operations there.
fn fits(panel: &Panel, curve: usize) -> Option<(Fit, f64)> {
    let measured = Fit::of_larger_half(&panel.times(curve))?;
    Some((measured, Fit::of_larger_half(&panel.operations(curve))?.exponent))
}

/// The same of the memory in an order.
fn memory_fits(panel: &Panel, order: Order) -> Option<(Fit, f64)> {
    let measured = Fit::of_larger_half(&panel.memory(order))?;
    Some((measured, Fit::of_larger_half(&panel.predicted_memory(order))?.exponent))
}
