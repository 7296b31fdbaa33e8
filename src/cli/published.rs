//! `import` and `export`: checkpoints of the published PyTorch code, to and fro.

use super::args::{Export, Import};
use super::failure::Usage;
use super::file::{WEIGHTS, read, refuse_existing};
use super::plain::tell;
use super::sentences;
use super::signals::clean_up_on_signals;
use super::values::blame;
use crate::checkpoint::{Published, pickled_words, write_atomically};
use crate::config::{self, Config, Family, Sources, nearest};
use crate::model;
use crate::report::counted;
use crate::treebank::{LengthLimits, Preprocessing, Vocabulary, load};
use anyhow::{Context, Result, bail};
use serde::Deserialize;
use serde::de::IntoDeserializer;
use serde::de::value::Error as Unknown;
use serde_json::json;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;

pub fn import(args: &Import, out: &mut dyn Write) -> Result<()> {
    clean_up_on_signals()?;
    let family = family(&args.family)?;
    // A family's own defaults hold for what is not set.
    let mut settings = vec![format!("model.family={}", family.name())];
    let mut config = Config::of_family(family);
    for change in &args.set {
        settings.push(change.clone());
        config = Config::from_toml("--set", "", &settings).map_err(|e| blame(change, e))?;
    }
    let set: Vec<&str> =
        args.set.iter().filter_map(|s| Some(s.split_once('=')?.0.trim())).collect();
    if let Some(unused) = config::unused(family, &set) {
        tell(&format!("warning: {unused}"));
    }
    refuse_existing(&args.out)?;
    let bytes = read(&args.file, WEIGHTS)?;
    let published = Published::read(&args.file.display().to_string(), family, &bytes)?;
    let size = published.sizes(&mut config)?;
    let vocabulary = match (&args.vocabulary, &args.corpus) {
        (Some(file), _) => listed(file, family, size)?,
        (None, Some(corpus)) => {
            tell(
                "warning: word numbers are rebuilt from the corpus and fit only a model trained on \
                 exactly it; --vocabulary FILE takes them from a list",
            );
            vocabulary_of(corpus, &mut config, size)?
        }
        (None, None) => bail!(Usage("one of --vocabulary and --corpus is needed".into())),
    };
    let checkpoint = published.checkpoint(config, vocabulary)?;
    checkpoint.save(&args.out)?;
    let parameters = model::parameter_count(&checkpoint.config, size);
    let m = &checkpoint.config.model;
    let made = args.out.display().to_string();
    let symbols = match family.has_trees() {
        true => vec![("nonterminals", m.nonterminals), ("preterminals", m.preterminals)],
        false => vec![("states", m.states)],
    };
    if args.json {
        let mut figures = json!({
            "checkpoint": made,
            "family": family.name(),
            "rank": m.rank,
            "embedding": m.embedding,
            "vocabulary": size,
            "parameters": parameters,
            "optimizer": !checkpoint.optimizer.is_empty(),
        });
        for (name, count) in symbols {
            figures[name] = count.into();
        }
        writeln!(out, "{figures}")?;
    } else {
        let symbols: String = symbols.iter().map(|(name, n)| format!(", {n} {name}")).collect();
        writeln!(
            out,
            "{made}: {}{symbols}, rank {}, embedding {}, {}, {}",
            family.name(),
            m.rank,
            m.embedding,
            counted(size, "word"),
            counted(parameters, "parameter")
        )?;
    }
    Ok(())
}

pub fn export(args: &Export, out: &mut dyn Write) -> Result<()> {
    let ending = args.file.extension().and_then(|e| e.to_str()).unwrap_or_default();
    if !["pt", "pth", "safetensors"].contains(&ending) {
        bail!(Usage(format!(
            "{}: its name should end in .pt or .safetensors",
            args.file.display()
        )));
    }
    clean_up_on_signals()?;
    refuse_existing(&args.file)?;
    let checkpoint = sentences::checkpoint(&args.checkpoint)?;
    let family = checkpoint.config.model.family;
    if matches!(family, Family::Hmm | Family::Ngram) {
        bail!(
            "{}: the published code has no model of the family {}, so there is nothing to export \
             it to",
            args.checkpoint.display(),
            family.name()
        );
    }
    // Without its words in order the numbers of the embeddings have no meaning.
    let words = args.file.with_extension("vocab");
    refuse_existing(&words)?;
    checkpoint.export(&args.file)?;
    let vocabulary = &checkpoint.vocabulary;
    let lines: String = vocabulary.words().iter().map(|word| format!("{word}\n")).collect();
    write_atomically(&words, lines.as_bytes()).with_context(|| words.display().to_string())?;
    let count = checkpoint.weights.len();
    writeln!(out, "{}: {}", args.file.display(), counted(count, "tensor"))?;
    let (listed, size) = (words.display(), vocabulary.len());
    writeln!(out, "{listed}: its {size} words in order, for `import --vocabulary {listed}`")?;
    Ok(())
}

fn family(name: &str) -> Result<Family> {
    let named: Result<Family, Unknown> = Family::deserialize(name.into_deserializer());
    named.map_err(|e| {
        let near = nearest(name, 0.7, Family::ALL.iter().map(|f| f.name()));
        let hint = near.map_or(String::new(), |near| format!("did you mean `{near}`? "));
        let all = e.to_string().replace("variant", "family");
        Usage(format!("--family: {hint}{all}")).into()
    })
}

/// A vocabulary of one word a line, or pickled.
fn listed(path: &Path, family: Family, size: usize) -> Result<Vocabulary> {
    let bytes = read(path, &["vocab", "txt", "pkl", "pickle"])?;
    let name = path.display();
    let words: Vec<Arc<str>> = if bytes.first() == Some(&0x80) {
        pickled_words(&name.to_string(), &bytes)?.into_iter().map(Arc::from).collect()
    } else {
        let text = std::str::from_utf8(&bytes).with_context(|| format!("{name}: no UTF-8 text"))?;
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        text.lines().map(Arc::from).collect()
    };
    if words.len() != size {
        bail!("{name} has {}, but the model {size}", counted(words.len(), "word"));
    }
    let id = |special: &str| words.iter().position(|word| &**word == special).map(|i| i as u32);
    let Some(unknown) = id("<unk>") else {
        bail!("{name} has no word <unk>, which stands for all that it does not have");
    };
    let end = id(Vocabulary::END);
    let vocabulary = Vocabulary::from_words(words, unknown);
    let vocabulary = vocabulary.with_context(|| format!("{name} has a word twice"))?;
    if family.has_trees() {
        return Ok(vocabulary);
    }
    let ended = end.and_then(|end| vocabulary.ended_by(end));
    ended.with_context(|| format!("{name} has no word {}, which ends sentences", Vocabulary::END))
}

/// The vocabulary of a training corpus: its most frequent words, as many as the model has.
fn vocabulary_of(corpus: &Path, config: &mut Config, size: usize) -> Result<Vocabulary> {
    let source = Sources(vec![corpus.to_string_lossy().into_owned()]);
    let preprocessing = Preprocessing::resolve(&config.data)?;
    let limits = LengthLimits { min: config.data.min_length, max: usize::MAX };
    let read = load(&source, &config.data.sections, &preprocessing, limits)?;
    sentences::tell_problems(&read.problems);
    let limit = size.saturating_sub(2);
    let vocabulary = match config.model.family.has_trees() {
        true => {
            let words = read.sentences.iter().flat_map(|s| &s.words);
            Vocabulary::from_counts(words, limit, config.data.vocabulary.min_count)
        }
        false => Vocabulary::of_published_hmm(read.sentences.iter().map(|s| &s.words[..]), limit),
    };
    if vocabulary.len() != size {
        bail!(
            "{} gives a vocabulary of {}, but the model has {size}: it was trained on another \
             corpus, or other things were done to its sentences (--set data.preset=…)",
            corpus.display(),
            vocabulary.len()
        );
    }
    config.data.vocabulary.max_size = limit;
    Ok(vocabulary)
}
