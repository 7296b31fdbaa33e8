//! `boost weak-learning`: which sentences a parser of their own does not give back.

use super::args::{Supervision, WeakLearning};
use super::settings;
use crate::cli::corpus::output::Output;
use crate::cli::{plain::tell, progress};
use crate::config::{self, Config, Horizontal, Kind, LexiconKind};
use crate::ensemble::{Data, Learned, Part, Trial, WeakCounts, weak_learning};
use crate::report::EventKind;
use crate::run;
use anyhow::{Result, bail};
use serde_json::json;
use std::io::Write;
use std::path::PathBuf;
use std::time::Instant;

/// A parser that is tried on every sentence.
struct Variant {
    name: String,
    settings: config::Parser,
    gold_tags: bool,
}

pub fn run(args: &WeakLearning, out: &mut dyn Write) -> Result<()> {
    let supervision =
        Supervision { train: args.files.clone(), test: Vec::new(), set: args.set.clone() };
    let config = settings(None, Kind::Boost, &supervision, Vec::new())?;
    let begin = |path: &Option<PathBuf>| path.as_deref().map(Output::new_file).transpose();
    let (stable, table) = (begin(&args.stable)?, begin(&args.table)?);
    let data = load(&config)?;
    run::stop_on_signals()?;
    let part = &data.train;
    let mut rows = Vec::new();
    let mut own = None;
    for variant in variants(&config.parser, args.one) {
        let start = Instant::now();
        let bar = progress::bar(part.sentences.len(), "sentences");
        let trials = weak_learning(&variant.settings, variant.gold_tags, part, |done| {
            bar.set_position(done as u64);
            !run::stop_requested()
        })?;
        bar.finish_and_clear();
        let Some(trials) = trials else { bail!("stopped") };
        let counts: WeakCounts = trials.iter().collect();
        let seconds = start.elapsed().as_secs_f64();
        rows.push((variant.name, counts, seconds));
        // The parser of the settings is the first.
        own.get_or_insert(trials);
    }
    let own = own.unwrap_or_default();
    if let Some(file) = stable {
        write_stable(part, &own, file)?;
    }
    if let Some(file) = table {
        write_table(part, &own, file)?;
    }
    match args.json {
        true => {
            let rows: Vec<_> = rows
                .iter()
                .map(|(name, counts, seconds)| {
                    json!({ "variant": name, "counts": counts, "seconds": seconds })
                })
                .collect();
            serde_json::to_writer(&mut *out, &json!({ "variants": rows }))?;
            writeln!(out)?;
        }
        false => print(&rows, out)?,
    }
    Ok(())
}

/// The training trees, with notes and faults told, and what of the parser's settings has no effect.
pub fn load(config: &Config) -> Result<Data> {
    if let Some(idle) = config.unused_by_parser() {
        tell(&format!("warning: {idle}"));
    }
    let mut events = Vec::new();
    let data = Data::load(config, &mut events)?;
    for event in events {
        if let EventKind::Message { text, .. } = event {
            tell(&format!("note: {text}"));
        }
    }
    Ok(data)
}

/// The parser of the settings first; then, unless only that is asked for, others by how much their
/// labels know, with either lexicon, and with the tags of the annotation.
fn variants(settings: &config::Parser, one: bool) -> Vec<Variant> {
    // What a parser of one sentence sees, it sees too seldom for anything else.
    let own = config::Parser { min_count: 1, ..settings.clone() };
    let mut variants =
        vec![Variant { name: "as set".into(), settings: own.clone(), gold_tags: false }];
    if one {
        return variants;
    }
    let tagged = Variant { name: "as set, annotated tags".into(), settings: own, gold_tags: true };
    variants.push(tagged);
    let orders = [(1, Horizontal::Last(0)), (1, Horizontal::Last(1)), (1, Horizontal::Last(2))];
    let orders = orders.into_iter().chain([(2, Horizontal::Last(1)), (2, Horizontal::Last(2))]);
    for (vertical, horizontal) in orders.chain([(2, Horizontal::All)]) {
        let of =
            |lexicon| config::Parser { vertical, horizontal, lexicon, ..config::Parser::plain() };
        let h = match horizontal {
            Horizontal::Last(n) => n.to_string(),
            Horizontal::All => "all".to_owned(),
        };
        for (what, lexicon, gold_tags) in [
            ("smoothed lexicon", LexiconKind::Smoothed, false),
            ("relative frequencies", LexiconKind::Relative, false),
            ("annotated tags", LexiconKind::Relative, true),
        ] {
            let name = format!("v={vertical} h={h}, {what}");
            variants.push(Variant { name, settings: of(lexicon), gold_tags });
        }
    }
    variants
}

fn print(rows: &[(String, WeakCounts, f64)], out: &mut dyn Write) -> Result<()> {
    writeln!(
        out,
        "{:34} {:>9} {:>11} {:>7} {:>7} {:>9} {:>9} {:>8}",
        "variant", "sentences", "reproduced", "tied", "failed", "failed %", "fallbacks", "seconds"
    )?;
    for (name, counts, seconds) in rows {
        let WeakCounts { sentences, reproduced, tied, failed, fallbacks } = counts;
        let share = 100.0 * *failed as f64 / (*sentences).max(1) as f64;
        writeln!(
            out,
            "{name:34} {sentences:>9} {reproduced:>11} {tied:>7} {failed:>7} {share:>9.2} \
             {fallbacks:>9} {seconds:>8.1}"
        )?;
    }
    Ok(())
}

/// The originals of what is reproduced, and of what is only tied.
fn write_stable(part: &Part, trials: &[Trial], mut file: Output) -> Result<()> {
    for (sentence, trial) in part.sentences.iter().zip(trials) {
        if trial.learned != Learned::Failed {
            writeln!(file, "{}", sentence.original)?;
        }
    }
    file.keep()
}

fn write_table(part: &Part, trials: &[Trial], mut file: Output) -> Result<()> {
    writeln!(file, "sentence\tlearned\tcorrect\tspurious\tmissing\tfile\tline")?;
    for (sentence, trial) in part.sentences.iter().zip(trials) {
        let learned = match trial.learned {
            Learned::Reproduced => "reproduced",
            Learned::Tied => "tied",
            Learned::Failed => "failed",
        };
        let (a, place) = (trial.agreement, &sentence.original.place);
        writeln!(
            file,
            "{}\t{learned}\t{}\t{}\t{}\t{}\t{}",
            sentence.index, a.correct, a.spurious, a.missing, place.file, place.line
        )?;
    }
    file.keep()
}
