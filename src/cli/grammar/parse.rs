//! `grammar parse`: the trees of a supervised parser, and how good they are.

use super::args::{GrammarParse, Parsing, Tags};
use super::figures::Figures;
use crate::cli::corpus::output::Output;
use crate::cli::failure::Usage;
use crate::cli::plain::tell;
use crate::cli::{progress, sentences};
use crate::config::Kind;
use crate::ensemble::rooted;
use crate::parser::{Candidate, Fallback, ParserFile, TreeParser, Words};
use crate::run::RunFolder;
use crate::treebank::{Preprocessing, Removed, Tree};
use anyhow::Result;
use rayon::prelude::*;
use sentences::Given;
use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

/// Sentences between two moves of the bar.
const CHUNK: usize = 64;

/// A sentence of the input, as the parser sees it.
struct Sentence {
    words: Vec<Arc<str>>,
    tags: Option<Vec<Arc<str>>>,
    gold: Option<Tree>,
}

/// Trees of a sentence, the best first.
struct Answer {
    trees: Vec<Candidate>,
    fallback: Option<Fallback>,
}

pub fn run(args: &GrammarParse, out: &mut dyn Write) -> Result<()> {
    if args.parser.is_dir() {
        return Err(is_folder(&args.parser));
    }
    sentences::is_of_kind("parser", &args.parser, &args.parser)?;
    let ParserFile { parser, preprocessing, .. } = ParserFile::load(&args.parser)?;
    parse(&*parser, &preprocessing, &args.parsing, out)
}

/// Which command takes a folder that was named for the file of a parser.
fn is_folder(path: &Path) -> anyhow::Error {
    let shown = path.display();
    let kind = RunFolder::open(path).and_then(|folder| folder.config()).map(|config| config.kind);
    let text = match kind {
        Ok(Kind::Ssn) => {
            format!("{shown} is a run of a history-based parser: `rankspace ssn parse` takes it")
        }
        Ok(Kind::Train) => {
            format!("{shown} is a run of an induced grammar: `rankspace parse` takes it")
        }
        Ok(kind) => format!(
            "{shown} is a run of {}, which keeps no parser: `rankspace grammar train` makes one",
            kind.name()
        ),
        Err(_) => format!("{shown} is a folder: name the file of a parser in it"),
    };
    Usage(text).into()
}

/// The same with any parser of trees that were preprocessed so.
pub fn parse(
    parser: &dyn TreeParser,
    preprocessing: &Preprocessing,
    args: &Parsing,
    out: &mut dyn Write,
) -> Result<()> {
    let mut to = match &args.out {
        Some(path) => Some(Output::new_file(path)?),
        None => None,
    };
    let given = sentences::read(&args.corpus, preprocessing)?;
    let read: Vec<Option<Sentence>> =
        given.iter().map(|given| sentence(given, preprocessing)).collect();
    if args.tags == Tags::Gold && read.iter().flatten().any(|s| s.tags.is_none()) {
        let name = sentences::name_of(&args.corpus);
        return Err(Usage(format!("--tags gold: {name} has sentences without tags")).into());
    }
    let mut figures = Figures::default();
    let bar = progress::bar(read.len(), "sentences");
    for chunk in read.chunks(CHUNK) {
        let start = Instant::now();
        let answers: Vec<Option<Answer>> =
            chunk.par_iter().map(|s| s.as_ref().map(|s| answer(parser, s, args))).collect();
        figures.seconds += start.elapsed().as_secs_f64();
        bar.inc(chunk.len() as u64);
        for (sentence, answer) in chunk.iter().zip(answers) {
            match (&mut to, args.json) {
                (Some(to), _) => print(answer.as_ref(), args.k.is_some(), to)?,
                (None, false) => print(answer.as_ref(), args.k.is_some(), out)?,
                (None, true) => {}
            }
            if let (Some(sentence), Some(answer)) = (sentence, answer) {
                note(&mut figures, sentence, &answer);
            }
        }
    }
    bar.finish_and_clear();
    let to_file = to.is_some();
    if let Some(to) = to {
        to.keep()?;
    }
    let lists = args.k.is_some_and(|k| k > 1);
    match (args.json, to_file) {
        (true, _) => {
            serde_json::to_writer(&mut *out, &figures.json(lists))?;
            writeln!(out)?;
        }
        (false, true) => figures.print(lists, out)?,
        (false, false) => {
            out.flush()?;
            let mut lines = Vec::new();
            figures.print(lists, &mut lines)?;
            String::from_utf8_lossy(&lines).lines().for_each(tell);
        }
    }
    Ok(())
}

/// `None` where no word is left.
fn sentence(given: &Given, preprocessing: &Preprocessing) -> Option<Sentence> {
    match given {
        Given::Tree(tree) => {
            let gold = rooted(&preprocessing.clean(tree, &mut Removed::default())?);
            let (words, tags) = (gold.words().to_vec(), gold.tags().cloned().collect());
            Some(Sentence { words, tags: Some(tags), gold: Some(gold) })
        }
        other => {
            let sentence = other.sentence(0, preprocessing)?;
            Some(Sentence { words: sentence.words, tags: sentence.tags, gold: None })
        }
    }
}

fn answer(parser: &dyn TreeParser, sentence: &Sentence, args: &Parsing) -> Answer {
    let tags = sentence.tags.as_deref().filter(|_| args.tags == Tags::Gold);
    let words = Words { words: &sentence.words, tags };
    let parsed = parser.parse(words);
    let trees = match args.k {
        Some(k) if k > 1 && parsed.fallback.is_none() => parser.k_best(words, k),
        _ => vec![Candidate { tree: parsed.tree, score: parsed.score }],
    };
    Answer { trees, fallback: parsed.fallback }
}

fn print(answer: Option<&Answer>, lists: bool, out: &mut dyn Write) -> io::Result<()> {
    let trees = answer.map_or(&[][..], |answer| &answer.trees);
    match lists {
        true => {
            for candidate in trees {
                writeln!(out, "{}\t{}", candidate.listed_score(), candidate.tree)?;
            }
            writeln!(out)
        }
        // The output stays in step with the input.
        false => match trees.first() {
            Some(Candidate { tree, .. }) => writeln!(out, "{tree}"),
            None => writeln!(out),
        },
    }
}

fn note(figures: &mut Figures, sentence: &Sentence, answer: &Answer) {
    figures.sentence(sentence.words.len(), answer.fallback);
    if let Some(gold) = &sentence.gold {
        let trees: Vec<Tree> = answer.trees.iter().map(|c| rooted(&c.tree)).collect();
        figures.compare(gold, &trees.iter().collect::<Vec<_>>());
    }
}
