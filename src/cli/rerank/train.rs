use super::args::Train;
use crate::cli::bench::machine;
use crate::cli::corpus::output::{Output, is_no_input};
use crate::cli::ensemble::args::Supervision;
use crate::cli::ensemble::settings;
use crate::cli::plain::tell;
use crate::cli::{candidates, progress, values};
use crate::config::{Config, Kernel, Kind};
use crate::parser::ssn::{Ssn, SsnFile};
use crate::report::counted;
use crate::rerank::{
    Base, Epoch, FeatureCost, Judged, Lessons, Position, RerankerFile, Trained, TrainingFacts,
    costs, folds, train,
};
use crate::run;
use anyhow::{Result, bail};
use serde_json::{Value, json};
use std::io::Write;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

pub fn run(args: &Train, out: &mut dyn Write) -> Result<()> {
    if let Some(path) = &args.out {
        // Begun and given up: what cannot be written shows before anything is learned.
        drop(Output::file(path, args.force)?);
        is_no_input(
            path,
            [Some(&args.train), args.dev.as_ref()].into_iter().flatten().map(|p| &**p),
        )?;
    }
    let mut config = config(args)?;
    let ssn = match config.rerank.ssn.as_str() {
        "" => None,
        path => {
            let file = SsnFile::load(&run::ssn_file(Path::new(path))?)?;
            config.ssn = file.config.ssn;
            Some(Arc::new(file.ssn))
        }
    };
    let most = config.rerank.candidates;
    let read = |path: &Path| -> Result<Vec<Judged>> {
        Ok(Judged::all(candidates::read(path, &args.reading)?.lists, most))
    };
    let lists = read(&args.train)?;
    let dev = args.dev.as_deref().map(read).transpose()?.unwrap_or_default();
    if let Some(why) = Judged::no_lesson(&lists) {
        bail!("{}: {why}; --gold FILE gives lists their gold trees", args.train.display());
    }
    run::stop_on_signals()?;
    if !args.sizes.is_empty() {
        return curve(args, &config, ssn.as_ref(), (&lists, &dev), out);
    }
    if let Some(n) = args.cost {
        return cost(args, &config, ssn.as_ref(), &lists[..lists.len().min(n as usize)], out);
    }
    let (trained, seconds) = train_on(&config, ssn.as_ref(), &lists, &dev)?;
    let Some(path) = &args.out else { bail!("no file for the reranker: name one by --out") };
    let Trained { reranker, chosen, .. } = &trained;
    let facts = TrainingFacts {
        train: args.train.display().to_string(),
        dev: args.dev.as_ref().map(|path| path.display().to_string()),
        lists: trained.lessons,
        epoch: chosen.epoch,
        steps: chosen.steps,
        updates: chosen.updates,
        dev_f1: chosen.dev_f1,
        seconds,
    };
    let weights = reranker.weight_count();
    let object = object(&config, &trained, &facts, weights);
    if args.json {
        serde_json::to_writer(&mut *out, &object)?;
        writeln!(out)?;
    } else {
        print(&trained, &facts, weights, out)?;
    }
    RerankerFile { config, reranker: trained.reranker, training: facts }.save(path)?;
    Ok(())
}

fn config(args: &Train) -> Result<Config> {
    let mut changes = Vec::new();
    changes.extend(args.kernel.as_ref().map(|kernel| format!("rerank.kernel={kernel}")));
    let ssn = args.ssn.as_ref().map(|path| path.display().to_string());
    changes.extend(ssn.map(|path| format!("rerank.ssn={path:?}")));
    let supervision = Supervision { train: Vec::new(), test: Vec::new(), set: args.set.clone() };
    settings(args.config.as_deref(), Kind::Bag, &supervision, changes)
}

/// The model of the kernel; the tree kernel has none.
fn base(config: &Config, ssn: Option<&Arc<Ssn>>, lists: &[Judged]) -> Result<Option<Base>> {
    let settings = &config.rerank;
    Ok(match (settings.kernel, ssn) {
        (Kernel::Tree, _) => None,
        (_, Some(ssn)) => Some(Base::ssn(ssn.clone())),
        (_, None) => Some(Base::induced(&config.parser, lists, &folds(lists, settings.folds))?),
    })
}

/// Trains, and tells progress on a terminal.
fn train_on(
    config: &Config,
    ssn: Option<&Arc<Ssn>>,
    lists: &[Judged],
    dev: &[Judged],
) -> Result<(Trained, f64)> {
    let start = Instant::now();
    let settings = &config.rerank;
    let base = base(config, ssn, lists)?;
    let bar = progress::bar(lists.len() * settings.epochs, "lists");
    let mut go_on = |Position { epoch, done, of }: Position| {
        bar.set_length((of * settings.epochs) as u64);
        bar.set_position(((epoch - 1) * of + done) as u64);
        !run::stop_requested()
    };
    let trained = train(settings, base, Lessons { train: lists, dev }, &mut go_on)?;
    bar.finish_and_clear();
    Ok((trained, start.elapsed().as_secs_f64()))
}

fn epoch_object(epoch: &Epoch) -> Value {
    json!({
        "scale": epoch.scale,
        "epoch": epoch.epoch,
        "steps": epoch.steps,
        "updates": epoch.updates,
        "dev_f1": epoch.dev_f1,
    })
}

fn object(config: &Config, trained: &Trained, facts: &TrainingFacts, weights: usize) -> Value {
    let cost = trained.cost;
    json!({
        "kernel": config.rerank.kernel.name(),
        "lists": trained.lessons,
        "epochs": trained.epochs.iter().map(epoch_object).collect::<Vec<_>>(),
        "chosen": epoch_object(&trained.chosen),
        "weights": weights,
        "features": {
            "candidates": cost.candidates,
            "non_zeros": cost.non_zeros,
            "seconds": cost.seconds,
        },
        "seconds": facts.seconds,
        "peak_rss_mb": machine::peak_mb(),
    })
}

fn print(
    trained: &Trained,
    facts: &TrainingFacts,
    weights: usize,
    out: &mut dyn Write,
) -> Result<()> {
    let titles = ["scale", "epoch", "updates", "dev F1"];
    writeln!(out, "{:>8} {:>6} {:>9} {:>8}", titles[0], titles[1], titles[2], titles[3])?;
    for epoch in &trained.epochs {
        let f1 = epoch.dev_f1.map_or("-".to_owned(), |f1| format!("{f1:.2}"));
        let mark = if *epoch == trained.chosen { "  taken" } else { "" };
        let Epoch { scale, epoch, updates, .. } = epoch;
        writeln!(out, "{scale:>8} {epoch:>6} {updates:>9} {f1:>8}{mark}")?;
    }
    let cost = trained.cost;
    if cost.candidates > 0 {
        writeln!(
            out,
            "{:.0} features of a candidate are not 0; {} made in {:.1} s",
            cost.per_candidate(),
            counted(cost.candidates, "vector"),
            cost.seconds
        )?;
    }
    writeln!(
        out,
        "{} from {}, {:.1} s",
        counted(weights, "weight"),
        counted(facts.lists, "list"),
        facts.seconds
    )?;
    Ok(())
}

/// Features of every derived kernel, counted and timed.
fn cost(
    args: &Train,
    config: &Config,
    ssn: Option<&Arc<Ssn>>,
    lists: &[Judged],
    out: &mut dyn Write,
) -> Result<()> {
    let Some(base) = base(config, ssn, lists)? else {
        bail!("the tree kernel makes no vectors: choose another by --kernel");
    };
    let costs = costs(&config.rerank, &base, lists);
    if args.json {
        let row = |(kernel, cost): &(Kernel, FeatureCost)| {
            json!({
                "kernel": kernel.name(),
                "candidates": cost.candidates,
                "non_zeros": cost.non_zeros,
                "seconds": cost.seconds,
            })
        };
        serde_json::to_writer(&mut *out, &costs.iter().map(row).collect::<Value>())?;
        writeln!(out)?;
        return Ok(());
    }
    writeln!(out, "{:14} {:>16} {:>12}", "", "not 0, of a tree", "ms of a list")?;
    for (kernel, cost) in &costs {
        let milliseconds = 1e3 * cost.seconds / lists.len() as f64;
        writeln!(out, "{:14} {:>16.1} {milliseconds:>12.2}", kernel.name(), cost.per_candidate())?;
    }
    let (decisions, hidden) = (base.model.decisions(), base.model.hidden());
    let all = counted(decisions, "decision");
    // More than all there are, the kernels in full cannot have.
    writeln!(out, "{all} with {hidden} numbers each: {} in all", decisions * hidden)?;
    Ok(())
}

/// How good the reranker gets with the number of lists.
fn curve(
    args: &Train,
    config: &Config,
    ssn: Option<&Arc<Ssn>>,
    (lists, dev): (&[Judged], &[Judged]),
    out: &mut dyn Write,
) -> Result<()> {
    let sizes = values::sizes(&args.sizes, lists.len(), "list")?;
    let base = crate::rerank::ListStatistics::of(dev).base.f1();
    if !args.json {
        writeln!(out, "{:>9} {:>9} {:>9} {:>8}", "lists", "dev F1", "gain", "seconds")?;
    }
    let mut points = Vec::new();
    for size in sizes {
        if let Some(why) = Judged::no_lesson(&lists[..size]) {
            tell(&format!("note: of the first {}: {why}", counted(size, "list")));
            continue;
        }
        let (trained, seconds) = train_on(config, ssn, &lists[..size], dev)?;
        let f1 = trained.chosen.dev_f1.unwrap_or(f64::NAN);
        points.push(json!({
            "lists": size, "dev_f1": f1, "gain": f1 - base, "seconds": seconds,
            "scale": trained.chosen.scale,
        }));
        if !args.json {
            writeln!(out, "{size:>9} {f1:>9.2} {:>+9.2} {seconds:>8.1}", f1 - base)?;
            out.flush()?;
        }
    }
    if args.json {
        serde_json::to_writer(&mut *out, &json!({ "base_f1": base, "curve": points }))?;
        writeln!(out)?;
    }
    Ok(())
}
