//! `eval`: the figures of a checkpoint on a corpus.

use super::args::Eval;
use super::{lines, sentences};
use crate::analysis::Agreement;
use crate::checkpoint::Checkpoint;
use crate::config::Sources;
use crate::evaluation::Scores;
use crate::model::{Parser, Wanted};
use crate::report::{Metrics, counted};
use crate::treebank::{LengthLimits, Sentence, load};
use anyhow::{Result, bail};
use serde::Serialize;
use std::collections::BTreeMap;
use std::io::Write;
use std::sync::Arc;

/// Figures of a corpus; those of gold trees are absent where there are none.
#[derive(Serialize)]
struct Figures {
    #[serde(flatten)]
    metrics: Metrics,
    /// What log-likelihood and perplexity are, where they are not exact.
    #[serde(skip_serializing_if = "Option::is_none")]
    bound: Option<&'static str>,
    /// In percent.
    label_recall: BTreeMap<Arc<str>, f64>,
}

pub fn run(args: &Eval, out: &mut dyn Write) -> Result<()> {
    let checkpoint = sentences::decoding(&args.checkpoint, &args.decoding)?;
    if args.decoding.decode.is_some() {
        sentences::need_trees(&args.checkpoint, &checkpoint)?;
    }
    let parser = sentences::parser(&checkpoint, &args.place)?;
    let max = match args.max_length.unwrap_or(checkpoint.config.evaluation.max_length) {
        0 => usize::MAX,
        max => max,
    };
    let source = Sources(vec![args.corpus.to_string_lossy().into_owned()]);
    let limits = LengthLimits { min: 1, max };
    let corpus = load(&source, "", &checkpoint.preprocessing, limits)?;
    sentences::tell_problems(&corpus.problems);
    let wanted = Wanted { tree: true, labels: false };
    let all = corpus.sentences.iter().map(Some);
    let parses = sentences::parse(&*parser, &checkpoint, all, wanted)?;
    let has_trees = checkpoint.config.model.family.has_trees();
    let mut scores = Scores::default();
    for _ in 0..corpus.removed.get("too-long") + corpus.removed.get("no-words") {
        scores.skip();
    }
    for (sentence, parse) in corpus.sentences.iter().zip(parses) {
        match parse.filter(|p| p.log_prob.is_finite()) {
            Some(parse) => {
                let spans = || parse.spans.iter().map(|s| (s.start, s.end)).collect();
                let spans: Option<Vec<_>> = has_trees.then(spans);
                let gold = sentence.gold.as_deref();
                scores.add(sentence.len(), Some(parse.log_prob), spans.as_deref(), gold);
            }
            // One word has no derivation; with longer sentences, the weights give none.
            None => scores.skip(),
        }
    }
    let recall = scores.label_recall().iter().map(|(label, n)| (label.clone(), n.recall()));
    let mut metrics = scores.metrics();
    if metrics.get("sentences") == Some(0.0) {
        let one_word = match has_trees {
            true => "one word has no derivation and ",
            false => "",
        };
        bail!(
            "{}: nothing to score, with {} left out: {one_word}{}",
            args.corpus.display(),
            counted(metrics.get("skipped").unwrap_or(0.0), "sentence"),
            match max {
                usize::MAX if has_trees => "no longer one has a probability above 0".to_owned(),
                usize::MAX => "none has a probability above 0".to_owned(),
                max => format!("at most {} a sentence was asked for", counted(max, "word")),
            }
        );
    }
    if args.tags {
        tag_agreement(&*parser, &checkpoint, &corpus.sentences, &mut metrics)?;
    }
    let bound = checkpoint.config.model.family.bound();
    let figures = Figures { metrics, bound, label_recall: recall.collect() };
    if args.json {
        serde_json::to_writer(&mut *out, &figures)?;
        writeln!(out)?;
        return Ok(());
    }
    let count = |name| figures.metrics.get(name).unwrap_or(0.0);
    writeln!(
        out,
        "{}, {}, {} left out",
        counted(count("sentences"), "sentence"),
        counted(count("tokens"), "word"),
        count("skipped")
    )?;
    writeln!(out, "{}", lines::figures(&figures.metrics))?;
    if args.tags {
        let figure = |name| figures.metrics.get(name).unwrap_or(f64::NAN);
        writeln!(
            out,
            "tags: V-measure {:.2}  homogeneity {:.2}  completeness {:.2}",
            figure("tag_v_measure"),
            figure("tag_homogeneity"),
            figure("tag_completeness")
        )?;
    }
    if let Some(bound) = figures.bound {
        writeln!(out, "log-likelihood and perplexity are no exact figures but the {bound}")?;
    }
    let mut labels: Vec<_> = scores.label_recall().iter().collect();
    labels.sort_by_key(|(_, n)| std::cmp::Reverse(n.total));
    for (label, n) in labels {
        writeln!(out, "  {label:12} {:6.2} of {}", n.recall(), n.total)?;
    }
    Ok(())
}

/// Compares the likeliest preterminals, or states, with the gold tags. The trees of the other
/// figures are unlabelled, so this takes a pass of its own.
fn tag_agreement(
    parser: &dyn Parser,
    checkpoint: &Checkpoint,
    all: &[Sentence],
    metrics: &mut Metrics,
) -> Result<()> {
    let wanted = Wanted { tree: false, labels: true };
    let parses = sentences::parse(parser, checkpoint, all.iter().map(Some), wanted)?;
    let mut joint: BTreeMap<(u32, &str), f64> = BTreeMap::new();
    for (sentence, parse) in all.iter().zip(parses.iter().flatten()) {
        for (&tag, gold) in parse.tags.iter().zip(sentence.tags.iter().flatten()) {
            *joint.entry((tag, gold)).or_default() += 1.0;
        }
    }
    if joint.is_empty() {
        bail!(match all.iter().any(|s| s.tags.is_some()) {
            true => "--tags: a model of this family induces no tags",
            false => "--tags: the corpus has no gold tags to compare with",
        });
    }
    let agreement = Agreement::new(joint);
    for (name, value) in [
        ("tag_v_measure", agreement.v_measure()),
        ("tag_homogeneity", agreement.homogeneity),
        ("tag_completeness", agreement.completeness),
    ] {
        metrics.set(name, 100.0 * value);
    }
    Ok(())
}
