//! Forty thousand trees: read, normalised and indexed, against the budget of a second and of ten
//! times the file in memory. The trees are those of the Icelandic treebank where the shared data
//! is, else sentences of the bundled grammar.

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use rankspace::config::Sources;
use rankspace::treebank::generate::{Grammar, generate};
use rankspace::treebank::{
    BracketStyle, Corpus, Entry, Format, LengthLimits, Preprocessing, Vocabulary, Writer, load,
    read_file,
};
use std::fs;
use std::hint::black_box;
use std::path::PathBuf;
use std::time::{Duration, Instant};

const TREES: usize = 40_000;
const BUDGET: Duration = Duration::from_secs(1);

/// The first `TREES` lines of the treebank, in a file.
fn treebank(folder: &tempfile::TempDir) -> PathBuf {
    let shared = std::env::var_os("RANKSPACE_SHARED").map(PathBuf::from);
    let shared =
        shared.unwrap_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../shared"));
    let part = |name: &str| fs::read_to_string(shared.join("data/treebanks/icepahc-is").join(name));
    let text = match (part("train.mrg"), part("dev.mrg")) {
        (Ok(train), Ok(dev)) => train + &dev,
        _ => generate(&Grammar::bundled(), TREES, 1, 3, 30).join("\n"),
    };
    let text: String = text.lines().take(TREES).flat_map(|line| [line, "\n"]).collect();
    let path = folder.path().join("forty-thousand.mrg");
    fs::write(&path, text).expect("written");
    path
}

/// What training does with its sentences before the first batch.
fn index(sources: &Sources, rules: &Preprocessing) -> (Corpus, Vec<Vec<u32>>) {
    let corpus = load(sources, "", rules, LengthLimits::ANY).expect("loads");
    let words = corpus.sentences.iter().flat_map(|s| &s.words);
    let vocabulary = Vocabulary::from_counts(words, 10_000, 1);
    let ids =
        |words: &Vec<_>| words.iter().map(|w: &std::sync::Arc<str>| vocabulary.id(w)).collect();
    let indexed = corpus.sentences.iter().map(|s| ids(&s.words)).collect();
    (corpus, indexed)
}

/// Highest resident memory of this process so far, in bytes, where the system tells.
fn peak() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    Some(line.split_whitespace().nth(1)?.parse::<u64>().ok()? * 1024)
}

fn treebanks(c: &mut Criterion) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = treebank(&folder);
    let bytes = fs::metadata(&path).expect("written").len();
    let sources = Sources(vec![path.display().to_string()]);
    let rules = Preprocessing::preset("icepahc").expect("known");
    let before = peak();
    let start = Instant::now();
    let (corpus, _) = black_box(index(&sources, &rules));
    let taken = start.elapsed();
    let trees = corpus.sentences.len() + corpus.removed.get("no-words") as usize;
    println!(
        "{trees} trees read, normalised and indexed in {taken:.2?}: {:.2} of the budget of {BUDGET:?}",
        taken.as_secs_f64() / BUDGET.as_secs_f64()
    );
    if let (Some(before), Some(after)) = (before, peak()) {
        let times = (after - before) as f64 / bytes as f64;
        println!("{times:.1} times the file in memory at the peak, against 10");
    }
    drop(corpus);

    let mut group = c.benchmark_group("treebank");
    group.sample_size(10).throughput(Throughput::Bytes(bytes));
    group.bench_function("read, normalise, index", |b| b.iter(|| index(&sources, &rules)));
    group.bench_function("read", |b| b.iter(|| read_file(&path).expect("readable")));
    let entries: Vec<Entry> =
        read_file(&path).expect("readable").trees.into_iter().map(Entry::Tree).collect();
    for format in [Format::Brackets, Format::Export, Format::Tiger, Format::Json] {
        group.bench_function(format!("write {}", format.name()), |b| {
            b.iter_batched(
                || Writer::new(Vec::new(), format, BracketStyle::default()).expect("a vector"),
                |mut writer| {
                    for entry in &entries {
                        writer.entry(entry).expect("a vector takes all");
                    }
                    writer.finish().expect("a vector takes all")
                },
                BatchSize::PerIteration,
            );
        });
    }
    group.finish();
}

criterion_group!(benches, treebanks);
criterion_main!(benches);
