//! `plan`: every order of elimination of a training step with its cost, and which is chosen.

use super::args::Plan;
use super::bench::{Case, Symbols, random_batch};
use super::failure::Usage;
use crate::config::{self, Config, Elimination, Family, Kind};
use crate::inference::order::{self, Order, Reading, Speeds};
use crate::inference::{rank_hmm, rank_pcfg};
use crate::model::{self, Noise};
use crate::run::{self, data_folder, machine_speeds};
use anyhow::Result;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use serde_json::{Value, json};
use std::io::Write;
use std::time::Instant;

/// Steps of each order, in turn, after one to warm up; the least counts.
const STEPS: usize = 3;
/// Where measured orders are nearer than this, either will do.
const NEAR: f64 = 0.1;
/// Tokens of a sentence where nothing is said.
const LENGTH: usize = 20;

/// An order of a case.
struct Row {
    order: Order,
    multiply_adds: f64,
    /// Of matrices that are read anew for every product.
    bytes: f64,
    predicted: f64,
    /// A whole training step, without the optimiser.
    measured: Option<f64>,
}

/// A case in both orders.
struct Planned {
    case: Case,
    rows: [Row; 2],
    chosen: Order,
    /// For sentences behind a model that stands still.
    evaluation: Order,
}

pub fn run(args: &Plan, out: &mut dyn Write) -> Result<()> {
    let (cases, threads, fixed) = match (&args.config, &args.preset) {
        (None, None) => {
            let cases = match &args.cases[..] {
                [] => twelve(),
                specs => specs.iter().map(|s| Case::parse(s)).collect::<Result<_, _>>()?,
            };
            (cases, 0, Elimination::Auto)
        }
        (Some(path), _) => of_config(&Config::read(path, &args.set)?, args)?,
        (None, Some(name)) => {
            let preset = config::preset(name).map_err(|e| Usage(e.to_string()))?;
            of_config(&preset.config(&args.set)?, args)?
        }
    };
    // A debug build's own loops say nothing about speed.
    let measured = match cfg!(debug_assertions) {
        true => None,
        false => machine_speeds(threads, data_folder().as_deref()),
    };
    let speeds = measured.as_ref().map_or(Speeds::USUAL, |s| Speeds {
        multiply_adds: s.multiply_adds,
        packed: s.packed,
        streamed: s.streamed,
    });
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build()?;
    if !args.json {
        writeln!(
            out,
            "{}: {:.0} GFLOP/s in large products; with few rows a matrix is packed at \
             {:.1} GB/s and streamed at {:.1} GB/s.",
            if measured.is_some() {
                "This machine"
            } else {
                "A usual machine, for this one is not measured"
            },
            2e-9 * speeds.multiply_adds,
            4e-9 * speeds.packed,
            4e-9 * speeds.streamed
        )?;
    }
    let mut all = Vec::new();
    let mut wrong = 0;
    for case in cases {
        let mut planned = plan(case, &speeds);
        planned.chosen = match fixed {
            Elimination::Auto => planned.chosen,
            Elimination::Rank => Order::Rank,
            Elimination::State => Order::State,
        };
        if args.measure {
            let measured = pool.install(|| measure(&planned.case))?;
            for (row, seconds) in planned.rows.iter_mut().zip(measured) {
                row.measured = Some(seconds);
            }
        }
        wrong += usize::from(verdict(&planned) == Some("slower"));
        match args.json {
            true => all.push(object(&planned)),
            false => print(&planned, fixed, out)?,
        }
        out.flush()?;
    }
    if args.json {
        serde_json::to_writer(
            &mut *out,
            &json!({
                "gflops": 2e-9 * speeds.multiply_adds,
                "packed_gb_per_s": 4e-9 * speeds.packed,
                "streamed_gb_per_s": 4e-9 * speeds.streamed,
                "cases": all,
            }),
        )?;
        writeln!(out)?;
    } else if args.measure {
        writeln!(out, "{wrong} chosen orders are slower than the other by more than 10 %")?;
    }
    Ok(())
}

/// What a config trains on: one batch of equally long sentences.
fn of_config(config: &Config, args: &Plan) -> Result<(Vec<Case>, usize, Elimination)> {
    if config.kind != Kind::Train {
        let what = format!("a run of {} has no orders of elimination", config.kind.name());
        return Err(Usage(what).into());
    }
    let m = &config.model;
    let symbols = match m.family {
        // The networks differ, and what is summed out does not.
        Family::RankPcfg | Family::TdPcfg => {
            Symbols::Pcfg { nonterminals: m.nonterminals, preterminals: m.preterminals }
        }
        Family::RankHmm => Symbols::Hmm { states: m.states },
        other => {
            let what = format!(
                "{} has one order of elimination; rank-pcfg, td-pcfg and rank-hmm have two",
                other.with_article()
            );
            return Err(Usage(what).into());
        }
    };
    let n = args.length.unwrap_or(LENGTH).max(2);
    let batch = match (args.batch, config.training.batch_tokens) {
        (Some(batch), _) => batch,
        (None, 0) => config.training.batch_size,
        (None, tokens) => tokens / n,
    };
    let vocabulary = match config.data.vocabulary.max_size {
        0 => 10_000,
        size => size.min(10_000),
    };
    let (rank, dimension) = (m.rank, m.embedding);
    let case = Case { batch: batch.max(1), n, rank, symbols, vocabulary, dimension };
    Ok((vec![case], config.threads, m.elimination))
}

/// Sizes of which some favour each order, small enough to be measured in a minute or two.
fn twelve() -> Vec<Case> {
    let pcfg = |batch, n, rank, nonterminals| Case {
        batch,
        n,
        rank,
        symbols: Symbols::Pcfg { nonterminals, preterminals: 64 },
        vocabulary: 500,
        dimension: 64,
    };
    let hmm = |batch, n, rank, states| Case {
        batch,
        n,
        rank,
        symbols: Symbols::Hmm { states },
        vocabulary: 500,
        dimension: 64,
    };
    vec![
        pcfg(16, 20, 512, 512),
        pcfg(8, 30, 512, 1024),
        pcfg(16, 20, 1024, 128),
        pcfg(8, 20, 1024, 256),
        pcfg(1, 6, 512, 2048),
        pcfg(1, 8, 768, 1536),
        hmm(8, 32, 1024, 8192),
        hmm(4, 32, 2048, 4096),
        pcfg(16, 24, 256, 768),
        hmm(32, 60, 512, 1024),
        hmm(2, 16, 1024, 4096),
        hmm(16, 64, 1024, 256),
    ]
}

fn plan(case: Case, speeds: &Speeds) -> Planned {
    let lengths = vec![case.n; case.batch];
    let rank = case.rank;
    let training: Box<dyn order::Plan> = match case.symbols {
        Symbols::Pcfg { nonterminals, .. } => {
            Box::new(rank_pcfg::Training { nonterminals, rank, lengths: &lengths })
        }
        Symbols::Hmm { states } => Box::new(rank_hmm::Training { states, rank, lengths: &lengths }),
    };
    let evaluation = match case.symbols {
        Symbols::Pcfg { nonterminals, .. } => {
            order::Plan::cheapest(&rank_pcfg::Parsing { nonterminals, rank }, speeds)
        }
        Symbols::Hmm { states } => {
            order::Plan::cheapest(&rank_hmm::Scoring { states, rank }, speeds)
        }
    };
    let rows = Order::ALL.map(|order| {
        let products = training.products(order);
        let read = products.iter().filter(|p| p.reading != Reading::Large);
        Row {
            order,
            multiply_adds: products.iter().map(|p| p.multiply_adds()).sum(),
            bytes: read.map(|p| 4.0 * p.elements).sum(),
            predicted: training.seconds(order, speeds),
            measured: None,
        }
    });
    let chosen = training.cheapest(speeds);
    Planned { case, rows, chosen, evaluation }
}

/// Seconds of a training step, loss and gradients, in every order.
fn measure(case: &Case) -> Result<[f64; 2]> {
    let mut models = Vec::new();
    for setting in [Elimination::Rank, Elimination::State] {
        let mut config = case.config();
        config.device = "cpu".into();
        config.model.elimination = setting;
        run::check_memory(&config, case.vocabulary)?;
        models.push(model::build(&config, case.vocabulary)?);
    }
    let mut rng = ChaCha8Rng::seed_from_u64(0);
    let batch = random_batch(case, &mut rng)?;
    let mut least = [f64::INFINITY; 2];
    for round in 0..=STEPS {
        for (model, least) in models.iter_mut().zip(&mut least) {
            let start = Instant::now();
            model.step(&batch, Noise::Off)?;
            if round > 0 {
                *least = least.min(start.elapsed().as_secs_f64());
            }
        }
    }
    Ok(least)
}

/// How the chosen order was, measured.
fn verdict(planned: &Planned) -> Option<&'static str> {
    let own = |row: &&Row| row.order == planned.chosen;
    let chosen = planned.rows.iter().find(own)?.measured?;
    let other = planned.rows.iter().find(|row| !own(row))?.measured?;
    Some(match (chosen - other) / chosen.min(other) {
        difference if difference.abs() <= NEAR => "as fast",
        difference if difference < 0.0 => "faster",
        _ => "slower",
    })
}

fn object(planned: &Planned) -> Value {
    let row = |row: &Row| {
        json!({
            "order": row.order.name(),
            "gflop": 2e-9 * row.multiply_adds,
            "gb": 1e-9 * row.bytes,
            "predicted_seconds": row.predicted,
            "measured_step_seconds": row.measured,
        })
    };
    json!({
        "case": planned.case.to_string(),
        "orders": planned.rows.iter().map(row).collect::<Vec<_>>(),
        "chosen": planned.chosen.name(),
        "chosen_in_evaluation": planned.evaluation.name(),
        "verdict": verdict(planned),
    })
}

fn print(planned: &Planned, fixed: Elimination, out: &mut dyn Write) -> Result<()> {
    writeln!(out, "\n{}", planned.case)?;
    let measured = planned.rows.iter().any(|row| row.measured.is_some());
    let head = if measured { "  measured step s" } else { "" };
    writeln!(out, "  {:7} {:>10} {:>9} {:>12}{head}", "order", "GFLOP", "GB", "predicted s")?;
    for row in &planned.rows {
        let (gflop, gb) = (2e-9 * row.multiply_adds, 1e-9 * row.bytes);
        let (name, predicted) = (row.order.name(), row.predicted);
        let seconds = row.measured.map_or_else(String::new, |s| format!("  {s:15.4}"));
        writeln!(out, "  {name:7} {gflop:10.3} {gb:9.3} {predicted:12.5}{seconds}")?;
    }
    let why = match fixed {
        Elimination::Auto => "cheaper",
        _ => "set by model.elimination",
    };
    let verdict = match verdict(planned) {
        Some(verdict) => format!("; measured: {verdict}"),
        None => String::new(),
    };
    let (chosen, evaluation) = (planned.chosen.name(), planned.evaluation.name());
    writeln!(out, "  training: {chosen} ({why}{verdict}); evaluation: {evaluation}")?;
    Ok(())
}
