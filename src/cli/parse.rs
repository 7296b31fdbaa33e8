//! `parse`: the induced trees of sentences, one for every sentence of the input, in order.

use super::analysis::{Analysis, NAMELESS};
use super::args::{self, Format};
use super::failure::Usage;
use super::plain::tell;
use super::sentences::{self, Given};
use crate::model::{self, Parse, Wanted};
use crate::render::{Diagram, DiagramSpan, to_brackets, to_forest, trees_to_png, trees_to_svg};
use crate::report::{counted, numbers};
use crate::treebank::{Preprocessing, PunctuationRule};
use anyhow::{Context, Result};
use serde::Serialize;
use std::io::{self, IsTerminal, Write};
use std::sync::Arc;

#[derive(Serialize)]
struct Line<'a> {
    /// Number of the sentence in the input, from 1.
    sentence: usize,
    /// As written in the input.
    words: &'a [Arc<str>],
    #[serde(with = "numbers")]
    log_prob: f64,
    /// Of the best derivation, whose tree it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    derivation_log_prob: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tags: Option<Vec<String>>,
    spans: Vec<Span>,
}

#[derive(Serialize)]
struct Span {
    start: u32,
    end: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    label: Option<String>,
    posterior: f32,
}

pub fn run(args: &args::Parse, out: &mut dyn Write) -> Result<()> {
    if args.format == Format::Png && io::stdout().is_terminal() {
        return Err(
            Usage("--format png: a picture is for a file, e.g. `> trees.png`".into()).into()
        );
    }
    let checkpoint = sentences::decoding(&args.checkpoint, &args.decoding)?;
    sentences::need_trees(&args.checkpoint, &checkpoint)?;
    let parser = sentences::parser(&checkpoint, &args.place)?;
    let given = sentences::read(&args.file, &checkpoint.preprocessing)?;
    let read = sentences::prepare(&given, &checkpoint.preprocessing);
    let everything =
        Preprocessing { punctuation: PunctuationRule::Keep, ..checkpoint.preprocessing.clone() };
    let wanted = Wanted { tree: true, labels: args.labels };
    let parses = sentences::parse(&*parser, &checkpoint, read.iter().map(Option::as_ref), wanted)?;
    tell_underivable(&parses, args);
    let mut drawn = Vec::new();
    for (i, (sentence, parse)) in read.iter().zip(&parses).enumerate() {
        let number = i + 1;
        let mut analysis = sentence.as_ref().zip(parse.as_ref()).map(|(s, p)| Analysis::new(s, p));
        if args.keep_punctuation
            && let (Some(analysis), Some(whole)) =
                (&mut analysis, given[i].sentence(i, &everything))
        {
            analysis.put_back(&whole);
        }
        if args.format == Format::Json {
            serde_json::to_writer(&mut *out, &line(number, analysis.as_ref()))?;
            writeln!(out)?;
            continue;
        }
        let Some(analysis) = analysis else {
            if !matches!(given[i], Given::Lost) {
                tell(&format!("warning: sentence {number} has no word"));
            }
            if args.format == Format::Bracket {
                // The output stays in step with the input.
                writeln!(out)?;
            }
            continue;
        };
        let tree = diagram(&analysis)
            .with_context(|| format!("sentence {number}: the spans are no tree"))?;
        match args.format {
            Format::Bracket => writeln!(out, "{}", to_brackets(&tree))?,
            Format::Forest => write!(out, "{}", to_forest(&tree))?,
            Format::Svg | Format::Png => drawn.push(tree),
            Format::Json => {}
        }
    }
    match args.format {
        Format::Svg => write!(out, "{}", trees_to_svg(&drawn))?,
        Format::Png => out.write_all(&trees_to_png(&drawn)?)?,
        Format::Bracket | Format::Json | Format::Forest => {}
    }
    Ok(())
}

/// Says of which sentences the trees mean nothing.
fn tell_underivable(parses: &[Option<Parse>], args: &args::Parse) {
    let none = |parse: &Option<Parse>| parse.as_ref().is_some_and(|p| !p.log_prob.is_finite());
    let count = parses.iter().filter(|parse| none(parse)).count();
    let Some(first) = parses.iter().position(none) else { return };
    let path = args.checkpoint.display();
    let short = |parse: &Option<Parse>| {
        parse.as_ref().is_some_and(|p| p.spans.is_empty() && p.tags.len() < 2)
    };
    // A grammar without unary rules derives no single word, whatever its weights.
    let why = if parses.iter().filter(|parse| none(parse)).all(short) {
        "; one word has no derivation"
    } else if count == parses.len() {
        "; a training that diverged leaves such weights"
    } else {
        ""
    };
    let count = counted(count, "sentence");
    tell(&format!(
        "warning: {path} gives {count} no derivation, sentence {} the first: their trees mean \
         nothing{why}",
        first + 1
    ));
}

fn line<'a>(number: usize, analysis: Option<&'a Analysis>) -> Line<'a> {
    let Some(analysis) = analysis else {
        return Line {
            sentence: number,
            words: &[],
            log_prob: f64::NEG_INFINITY,
            derivation_log_prob: None,
            tags: None,
            spans: Vec::new(),
        };
    };
    Line {
        sentence: number,
        words: &analysis.words,
        log_prob: analysis.log_prob,
        derivation_log_prob: analysis.derivation_log_prob,
        tags: analysis.induced.then(|| analysis.tags.clone()),
        spans: analysis
            .spans
            .iter()
            .map(|s| Span {
                start: s.start,
                end: s.end,
                label: s.label.map(model::nonterminal_name),
                posterior: s.posterior,
            })
            .collect(),
    }
}

fn diagram(analysis: &Analysis) -> Option<Diagram> {
    let spans: Vec<_> = analysis
        .spans
        .iter()
        .map(|s| DiagramSpan {
            start: s.start,
            end: s.end,
            label: s.label.map_or_else(|| NAMELESS.to_owned(), model::nonterminal_name),
        })
        .collect();
    Diagram::from_spans(&analysis.words, Some(&analysis.tags), &spans)
}
