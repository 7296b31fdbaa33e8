//! Checkpoints of the published PyTorch code: read as they should be, refused when damaged,
//! used by the commands, and written so that they read back.

use crate::call::rankspace;
use crate::shared::{golden_files, numbers, shared};
use candle_core::{Device, Tensor};
use rankspace::checkpoint::{Checkpoint, Published};
use rankspace::config::{Compat, Config, Family};
use rankspace::model;
use rankspace::treebank::{Preprocessing, Vocabulary};
use serde_json::Value;
use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A golden checkpoint: its files, all with the same content, and that content.
struct Golden {
    family: Family,
    files: Vec<PathBuf>,
    tensors: HashMap<String, Tensor>,
}

fn goldens(start: &str) -> Vec<Golden> {
    let Some(folder) = shared("golden") else { return Vec::new() };
    golden_files(&folder, start, ".json")
        .into_iter()
        .map(|path| {
            let text = std::fs::read_to_string(&path).expect("the file reads");
            let sidecar: Value = serde_json::from_str(&text).expect("the file is JSON");
            let texts = |value: &Value| value.as_str().expect("a text").to_owned();
            let files = sidecar["files"].as_array().expect("names").iter();
            let family = match texts(&sidecar["model"]).as_str() {
                "rank_pcfg" => Family::RankPcfg,
                "rank_hmm" => Family::RankHmm,
                "state_pcfg" => Family::TdPcfg,
                "neural_pcfg" => Family::NPcfg,
                "compound_pcfg" => Family::CPcfg,
                other => panic!("{}: unknown model {other}", path.display()),
            };
            Golden {
                family,
                files: files.map(|file| folder.join(texts(file))).collect(),
                tensors: candle_core::safetensors::load(
                    folder.join(texts(&sidecar["file"])),
                    &Device::Cpu,
                )
                .expect("tensors"),
            }
        })
        .collect()
}

fn words(count: usize) -> Vec<Arc<str>> {
    let special = ["<pad>".to_owned(), "<unk>".to_owned()].into_iter();
    special.chain((2..count).map(|i| format!("w{i}"))).map(Arc::from).collect()
}

fn import(path: &Path, family: Family) -> Checkpoint {
    let bytes = std::fs::read(path).expect("the file reads");
    let published = Published::read("p", family, &bytes).expect("it is one of the published code");
    let mut config = Config::default();
    let size = published.sizes(&mut config).expect("its shapes tell its sizes");
    let vocabulary = Vocabulary::from_words(words(size), 1).expect("distinct words");
    published.checkpoint(config, vocabulary).expect("every tensor is right")
}

/// Tensors by the golden file's names; without a prefix they are the model's.
fn check(checkpoint: &Checkpoint, golden: &Golden, place: &str) {
    let mut compared = 0;
    for (name, expected) in &golden.tensors {
        let found = match name.split_once('.') {
            Some(("optimizer", slot)) => match slot.strip_suffix(".step") {
                Some(_) => {
                    assert_eq!(numbers(expected), [checkpoint.step as f64], "{place} {name}");
                    continue;
                }
                None => checkpoint.optimizer.get(slot),
            },
            Some(("model", parameter)) => checkpoint.weights.get(parameter),
            _ => checkpoint.weights.get(name),
        };
        let found = found.unwrap_or_else(|| panic!("{place}: {name} is missing"));
        assert_eq!(found.dims(), expected.dims(), "{place} {name}");
        assert_eq!(numbers(found), numbers(expected), "{place} {name}");
        compared += 1;
    }
    assert_eq!(compared, checkpoint.weights.len() + checkpoint.optimizer.len(), "{place}");
}

/// Imports, saves and exports all files of a family; gives how many there were.
fn round_trips(start: &str) -> usize {
    let folder = tempfile::tempdir().expect("temporary folder");
    let goldens = goldens(start);
    for golden in &goldens {
        for path in &golden.files {
            let place = path.display().to_string();
            let checkpoint = import(path, golden.family);
            assert_eq!(checkpoint.config.model.compat, Compat::Published, "{place}");
            check(&checkpoint, golden, &place);
            let saved = folder.path().join("saved.safetensors");
            checkpoint.save(&saved).expect("saves");
            check(&Checkpoint::load(&saved).expect("loads"), golden, &place);
            let torch = folder.path().join("again.pt");
            checkpoint.export(&torch).expect("exports");
            check(&import(&torch, golden.family), golden, "exported");
            let bare = folder.path().join("again.safetensors");
            checkpoint.export(&bare).expect("exports");
            assert_eq!(import(&bare, golden.family).weights.len(), checkpoint.weights.len());
        }
    }
    goldens.iter().map(|golden| golden.files.len()).sum()
}

#[test]
fn golden_ckpt_pcfg_rank_files_import_with_every_number_and_export_so_that_they_read_back() {
    let count = round_trips("ckpt_pcfg_rank");
    assert!(count > 0 || shared("golden").is_none(), "no golden file of the family");
}

#[test]
fn golden_ckpt_hmm_rank_files_import_with_every_number_and_export_so_that_they_read_back() {
    let count = round_trips("ckpt_hmm_rank");
    assert!(count > 0 || shared("golden").is_none(), "no golden file of the family");
}

#[test]
fn golden_ckpt_files_of_all_families_import_with_every_number() {
    let count = round_trips("ckpt_");
    assert!(count > 0 || shared("golden").is_none(), "no golden checkpoint");
}

#[test]
fn models_of_every_family_that_the_published_code_has_come_back_from_its_files() {
    let folder = tempfile::tempdir().expect("temporary folder");
    let known = |family: &Family| !matches!(family, Family::Hmm | Family::Ngram);
    for family in Family::ALL.into_iter().filter(known) {
        let mut config = Config::of_family(family);
        let m = &mut config.model;
        (m.nonterminals, m.preterminals, m.states, m.rank, m.embedding) = (3, 4, 5, 6, 8);
        (m.latent, m.encoder, m.encoder_embedding) = (2, 3, 4);
        config.training.learning_rate = 0.125;
        let weights = model::build(&config, 9).and_then(|m| m.tensors()).expect("a model");
        let moments = weights.iter().flat_map(|(name, w)| {
            let [first, second] = [(w * 0.5), w.sqr()].map(|t| t.expect("computes"));
            [(format!("{name}.exp_avg"), first), (format!("{name}.exp_avg_sq"), second)]
        });
        let checkpoint = Checkpoint {
            vocabulary: Arc::new(Vocabulary::from_words(words(9), 1).expect("distinct words")),
            preprocessing: Preprocessing::default(),
            step: 7,
            epoch: 1,
            elapsed: 0.0,
            optimizer: moments.collect(),
            training: None,
            weights,
            config,
        };
        for ending in ["pt", "safetensors"] {
            let path = folder.path().join(format!("{}.{ending}", family.name()));
            checkpoint.export(&path).expect("exports");
            let back = import(&path, family);
            let shown =
                |tensors: &BTreeMap<String, Tensor>| -> Vec<(String, Vec<usize>, Vec<f64>)> {
                    let show =
                        |(n, t): (&String, &Tensor)| (n.clone(), t.dims().to_vec(), numbers(t));
                    tensors.iter().map(show).collect()
                };
            let name = family.name();
            assert!(shown(&back.weights) == shown(&checkpoint.weights), "{name} {ending}");
            assert_eq!(model::shapes(&back.config, 9), model::shapes(&checkpoint.config, 9));
            // The published code saves the optimiser of HMMs alone.
            if ending == "pt" && !family.has_trees() {
                assert!(shown(&back.optimizer) == shown(&checkpoint.optimizer), "{name}");
                assert_eq!((back.step, back.config.training.learning_rate), (7, 0.125));
            }
        }
    }
}

#[test]
fn golden_ckpt_files_that_are_damaged_are_refused_or_read_but_never_crash() {
    // A fixed sequence of places and bytes: the same damage in every run.
    let mut random = 1_u64;
    let mut next = |below: usize| {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (random >> 33) as usize % below
    };
    for golden in goldens("ckpt_") {
        for path in &golden.files {
            let whole = std::fs::read(path).expect("the file reads");
            let mut refused = 0;
            for round in 0..400 {
                let mut bytes = whole.clone();
                if round % 4 == 0 {
                    bytes.truncate(next(whole.len()));
                } else {
                    for _ in 0..=round % 5 {
                        let place = next(whole.len());
                        bytes[place] = next(256) as u8;
                    }
                }
                let read = Published::read("p", golden.family, &bytes).and_then(|published| {
                    let mut config = Config::default();
                    let size = published.sizes(&mut config)?;
                    let vocabulary = Vocabulary::from_words(words(size), 1).expect("distinct");
                    published.checkpoint(config, vocabulary)
                });
                if let Err(error) = read {
                    let error = error.to_string();
                    assert!(error.lines().count() == 1, "one sentence: {error}");
                    refused += 1;
                }
            }
            assert!(refused >= 100, "{}: what is cut off is refused", path.display());
        }
    }
}

#[test]
fn golden_ckpt_pcfg_rank_is_imported_used_and_exported_by_the_commands() {
    let Some(folder) = shared("golden") else { return };
    let base = tempfile::tempdir().expect("temporary folder");
    let at = |name: &str| base.path().join(name);
    let golden = golden_files(&folder, "ckpt_pcfg_rank_best", ".pt").remove(0);
    let shapes = import(&golden, Family::RankPcfg).vocabulary.len();
    std::fs::write(at("words.txt"), words(shapes).join("\n") + "\n").expect("writes");
    std::fs::write(at("text.txt"), "w2 w3 w4\nw5 w6 w2 w7\n").expect("writes");
    let import = |out: &str| {
        rankspace("import")
            .within(base.path())
            .arg(&golden)
            .args("--family rank-pcfg --out")
            .arg(out)
    };
    let figures = import("a.safetensors").args("--vocabulary words.txt --json").succeeds().json();
    assert_eq!(figures["vocabulary"], shapes);
    rankspace("score a.safetensors text.txt --json")
        .within(base.path())
        .succeeds()
        .prints("\"words\":4");
    rankspace("export a.safetensors b.pt").within(base.path()).succeeds().prints("b.pt: ");
    rankspace("import b.pt --family rank-pcfg --vocabulary words.txt --out c.safetensors")
        .within(base.path())
        .succeeds()
        .prints("nonterminals");
    let [a, c] = ["a.safetensors", "c.safetensors"].map(|name| {
        let checkpoint = Checkpoint::load(&at(name)).expect("loads");
        let weights = checkpoint.weights.iter().map(|(name, w)| (name.clone(), numbers(w)));
        (weights.collect::<Vec<_>>(), checkpoint.config, checkpoint.vocabulary)
    });
    assert!(a == c, "export and import lose nothing");
    import("a.safetensors").args("--vocabulary words.txt").fails().complains("there already");
    import("d.safetensors").args("--vocabulary text.txt").fails().complains("2 words");
    import("d.safetensors").args("--corpus text.txt").fails().complains("vocabulary of");
    import("d.safetensors").refused();
    import("d.safetensors").args("--vocabulary words.txt --set data.preset=x").fails();
    rankspace("export a.safetensors b.onnx").within(base.path()).refused().complains(".pt");
    rankspace("import words.txt --family rank-pcfg --vocabulary words.txt --out d.safetensors")
        .within(base.path())
        .fails()
        .complains("neither as a zip archive nor as a pickle");
    rankspace("import b.pt --family no-such --vocabulary words.txt --out d.safetensors")
        .within(base.path())
        .refused()
        .complains("rank-pcfg");
    assert!(!at("d.safetensors").exists(), "what failed wrote nothing");
}

#[test]
fn golden_ckpt_hmm_rank_is_imported_with_the_end_of_sentences_and_scores_text() {
    let Some(folder) = shared("golden") else { return };
    let base = tempfile::tempdir().expect("temporary folder");
    let golden = golden_files(&folder, "ckpt_hmm_rank_best", ".pt").remove(0);
    let size = import(&golden, Family::RankHmm).vocabulary.len();
    let letter = |i: usize| char::from(b'a' + (i % 26) as u8).to_string().repeat(1 + i / 26);
    let others: Vec<String> = (3..size).map(letter).collect();
    let at = |name: &str| base.path().join(name);
    std::fs::write(at("words.txt"), format!("<unk>\n<pad>\n{}\n<eos>\n", others.join("\n")))
        .expect("writes");
    // The end of sentence, once in every line, is the most frequent word.
    let text: String = others.iter().map(|word| format!("{word}\n")).collect();
    std::fs::write(at("train.txt"), text).expect("writes");
    std::fs::write(at("text.txt"), format!("{} {}\n", others[0], others[1])).expect("writes");
    for (option, out) in
        [("--vocabulary words.txt", "a.safetensors"), ("--corpus train.txt", "b.safetensors")]
    {
        let figures = rankspace("import --json --family rank-hmm --out")
            .within(base.path())
            .arg(out)
            .arg(&golden)
            .args(option)
            .succeeds()
            .json();
        assert_eq!(figures["vocabulary"], size);
        assert_eq!(figures["optimizer"], true);
        assert!(figures["states"].as_u64() > Some(0), "{figures}");
        rankspace("score --json")
            .within(base.path())
            .arg(out)
            .arg("text.txt")
            .succeeds()
            .prints("\"words\":2");
    }
    let ends = ["a.safetensors", "b.safetensors"]
        .map(|name| Checkpoint::load(&at(name)).expect("loads").vocabulary.end());
    assert_eq!(ends, [Some(size as u32 - 1), Some(2)]);
    rankspace("import --family rank-pcfg --vocabulary words.txt --out c.safetensors")
        .within(base.path())
        .arg(&golden)
        .fails()
        .complains("not those of a rank-pcfg");
}

#[test]
fn golden_ckpt_pcfg_rank_counts_its_vocabulary_on_a_corpus_of_its_size() {
    let Some(folder) = shared("golden") else { return };
    let base = tempfile::tempdir().expect("temporary folder");
    let golden = golden_files(&folder, "ckpt_pcfg_rank_best", ".pt").remove(0);
    let size = import(&golden, Family::RankPcfg).vocabulary.len();
    // Every word once and every second once more: frequency decides, then the order.
    let names: Vec<String> = (2..size)
        .map(|i| format!("{}x", char::from(b'a' + (i % 26) as u8).to_string().repeat(1 + i / 26)))
        .collect();
    let twice: Vec<&str> = names.iter().step_by(2).map(String::as_str).collect();
    let text = format!("{}\n{}\n", names.join(" "), twice.join(" "));
    std::fs::write(base.path().join("train.txt"), text).expect("writes");
    rankspace("import --family rank-pcfg --corpus train.txt --out a.safetensors")
        .within(base.path())
        .arg(&golden)
        .succeeds();
    let checkpoint = Checkpoint::load(&base.path().join("a.safetensors")).expect("loads");
    let once = names.iter().skip(1).step_by(2).map(String::as_str);
    let expected: Vec<&str> =
        ["<pad>", "<unk>"].into_iter().chain(twice.iter().copied()).chain(once).collect();
    let found: Vec<&str> = checkpoint.vocabulary.words().iter().map(|w| &**w).collect();
    assert_eq!(found, expected);
}

#[test]
fn a_model_of_other_tensors_is_refused_with_every_difference() {
    let Some(folder) = shared("golden") else { return };
    let golden = golden_files(&folder, "ckpt_pcfg_rank_best", ".pt").remove(0);
    let mut checkpoint = import(&golden, Family::RankPcfg);
    let bias = checkpoint.weights.remove("left_mlp.0.bias").expect("is there");
    checkpoint.weights.insert("left_mlp.0.slope".into(), bias);
    let narrow = checkpoint.weights["right_mlp.0.weight"].narrow(0, 0, 3).expect("narrower");
    let narrow = narrow.contiguous().expect("copies");
    checkpoint.weights.insert("right_mlp.0.weight".into(), narrow);
    let base = tempfile::tempdir().expect("temporary folder");
    let path = base.path().join("odd.pt");
    checkpoint.export(&path).expect("exports");
    let bytes = std::fs::read(&path).expect("reads");
    let published = Published::read("odd.pt", Family::RankPcfg, &bytes).expect("a state dict");
    let mut config = Config::default();
    let size = published.sizes(&mut config).expect("sizes");
    let vocabulary = Vocabulary::from_words(words(size), 1).expect("distinct words");
    let error = published.checkpoint(config, vocabulary).expect_err("other tensors").to_string();
    for part in [
        "odd.pt",
        "`left_mlp.0.bias` is missing",
        "`left_mlp.0.slope` does not belong",
        "`right_mlp.0.weight` has the shape [3, 8], expected [8, 8]",
    ] {
        assert!(error.contains(part), "{error}, expected {part}");
    }
}
