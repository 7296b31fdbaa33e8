use super::*;
use crate::config::Family;
use candle_core::{DType, Device};
use proptest::prelude::*;
use safetensors::SafeTensors;
use std::sync::LazyLock;

fn checkpoint() -> Checkpoint {
    let tensor = |values: &[f64], dtype| {
        let tensor = Tensor::new(values, &Device::Cpu).and_then(|t| t.to_dtype(dtype));
        tensor.expect("a small tensor")
    };
    let matrix = tensor(&[1.0, -2.5, f64::MIN_POSITIVE, 0.0, 7.0, 1e30], DType::F32);
    let words = ["<pad>", "<unk>", "dog", "\u{1f415}\"\\"].map(Arc::from).to_vec();
    Checkpoint {
        config: Config { seed: 9, ..Config::default() },
        vocabulary: Arc::new(Vocabulary::from_words(words, 1).expect("distinct words")),
        preprocessing: Preprocessing::default(),
        step: 12,
        epoch: 2,
        elapsed: 0.1 + 0.2,
        weights: [
            ("net.0.weight".to_owned(), matrix.reshape((2, 3)).expect("six numbers")),
            ("bias".to_owned(), tensor(&[0.1, f64::INFINITY], DType::F64)),
            ("counts".to_owned(), tensor(&[0.0, 4294967295.0], DType::U32)),
        ]
        .into(),
        optimizer: [("bias.exp_avg".to_owned(), tensor(&[0.5, 0.25], DType::F64))].into(),
        training: Some(serde_json::json!({ "step": 12, "figure": 0.1 })),
    }
}

fn assert_same(a: &Checkpoint, b: &Checkpoint) {
    assert_eq!(
        (&a.config, &a.vocabulary, &a.preprocessing),
        (&b.config, &b.vocabulary, &b.preprocessing)
    );
    assert_eq!((a.step, a.epoch, a.elapsed.to_bits()), (b.step, b.epoch, b.elapsed.to_bits()));
    assert_eq!(a.training, b.training);
    for (a, b) in [(&a.weights, &b.weights), (&a.optimizer, &b.optimizer)] {
        assert_eq!(a.keys().collect::<Vec<_>>(), b.keys().collect::<Vec<_>>());
        for (x, y) in a.values().zip(b.values()) {
            assert_eq!((x.dims(), x.dtype()), (y.dims(), y.dtype()));
            assert_eq!(x.to_string(), y.to_string());
        }
    }
}

/// The bytes of a valid file.
static BYTES: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let folder = tempfile::tempdir().expect("temporary folder");
    let path = folder.path().join("c.safetensors");
    checkpoint().save(&path).expect("saves");
    std::fs::read(path).expect("reads")
});

/// A valid file with its metadata edited.
fn with_metadata(edit: impl FnOnce(&mut std::collections::HashMap<String, String>)) -> Vec<u8> {
    let (_, header) = SafeTensors::read_metadata(&BYTES).expect("valid");
    let tensors = SafeTensors::deserialize(&BYTES).expect("valid");
    let mut metadata = header.metadata().clone().expect("metadata");
    edit(&mut metadata);
    safetensors::serialize(tensors.tensors(), Some(metadata)).expect("writes")
}

#[test]
fn a_checkpoint_reads_back_as_it_was() {
    let folder = tempfile::tempdir().expect("temporary folder");
    let path = folder.path().join("last.safetensors");
    let saved = checkpoint();
    saved.save(&path).expect("saves");
    assert_same(&Checkpoint::load(&path).expect("loads"), &saved);
    let best = Checkpoint { optimizer: BTreeMap::new(), training: None, ..saved };
    best.save(&path).expect("replaces");
    assert_same(&Checkpoint::load(&path).expect("loads"), &best);
    let files = std::fs::read_dir(folder.path()).expect("reads").count();
    assert_eq!(files, 1, "no temporary file is left");
}

#[test]
fn a_file_that_cannot_be_written_leaves_the_old_one_and_no_rubbish() {
    let folder = tempfile::tempdir().expect("temporary folder");
    let path = folder.path().join("last.safetensors");
    let good = checkpoint();
    good.save(&path).expect("saves");
    let mut bad = checkpoint();
    let integers = Tensor::new(&[1_i64], &Device::Cpu).expect("a tensor");
    bad.weights.insert("ids".into(), integers);
    let error = bad.save(&path).expect_err("such integers are not stored").to_string();
    assert!(error.contains("model.ids"), "{error}");
    assert_same(&Checkpoint::load(&path).expect("loads"), &good);
    let nowhere = folder.path().join("no/such/folder/last.safetensors");
    assert!(matches!(good.save(&nowhere), Err(CheckpointError::Io { .. })));
    assert_eq!(std::fs::read_dir(folder.path()).expect("reads").count(), 1);
}

#[test]
fn a_newer_schema_is_refused_with_a_sentence() {
    let bytes = with_metadata(|m| {
        m.insert("schema".into(), "2".into());
        m.insert("config".into(), "a format of the future".into());
    });
    let error = Checkpoint::from_bytes("c", &bytes).expect_err("newer").to_string();
    assert!(error.contains("schema 2") && error.contains("newer rankspace"), "{error}");
}

#[test]
fn what_is_missing_or_wrong_is_named() {
    for (key, value, said) in [
        ("vocabulary", None, "no `vocabulary`"),
        ("vocabulary", Some("{\"words\":[\"a\",\"a\"],\"unknown\":0}"), "a word twice"),
        ("vocabulary", Some("{\"words\":[],\"unknown\":0}"), "no unknown word"),
        ("config", Some("[model]\nrank = 0"), "model.rank"),
        ("step", Some("-1"), "`step` is not a number"),
        ("kind", Some("forest"), "`forest`"),
        ("preprocessing", Some("[]"), "`preprocessing`"),
        ("training", Some("{"), "`training`"),
    ] {
        let bytes = with_metadata(|m| {
            m.remove(key);
            m.extend(value.map(|v| (key.to_owned(), v.to_owned())));
        });
        let error = Checkpoint::from_bytes("c", &bytes).expect_err(key).to_string();
        assert!(error.starts_with("c ") && error.contains(said), "{error}");
    }
    let error = Checkpoint::from_bytes("c", b"not a file of tensors").expect_err("rubbish");
    assert!(matches!(error, CheckpointError::Malformed { .. }));
    let missing = Checkpoint::load(Path::new("/no/such/file")).expect_err("missing").to_string();
    assert!(missing.contains("/no/such/file"), "{missing}");
}

#[test]
fn a_model_goes_through_a_checkpoint_and_scores_the_same() {
    let mut config = Config::default();
    (config.model.nonterminals, config.model.preterminals) = (3, 5);
    (config.model.rank, config.model.embedding) = (4, 6);
    assert_eq!(config.model.family, Family::RankPcfg);
    let built = model::build(&config, 4).expect("builds");
    let weights = built.parameters().iter();
    let weights = weights.map(|(n, p)| (n.clone(), p.as_tensor().clone())).collect();
    let saved = Checkpoint { config, weights, ..checkpoint() };
    let folder = tempfile::tempdir().expect("temporary folder");
    let path = folder.path().join("best.safetensors");
    saved.save(&path).expect("saves");
    let batch = crate::treebank::Batch::new([[2, 3, 1, 2]]).expect("no empty sentence");
    let score = |parser: Arc<dyn Parser>| {
        parser.parse(&batch, Default::default()).expect("parses")[0].log_prob
    };
    let loaded = Checkpoint::load(&path).expect("loads");
    let (before, after) = (built.freeze().expect("freezes"), loaded.parser().expect("restores"));
    assert_eq!(score(before).to_bits(), score(after).to_bits());
}

proptest! {
    #[test]
    fn flipped_bytes_give_errors_or_checkpoints_but_never_panics(
        flips in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..8)
    ) {
        let mut bytes = BYTES.clone();
        for (place, value) in flips {
            let place = place.index(bytes.len());
            bytes[place] = value;
        }
        let _ = Checkpoint::from_bytes("c", &bytes).and_then(|c| c.parser());
    }

    #[test]
    fn truncated_bytes_are_errors(length in any::<prop::sample::Index>()) {
        let cut = &BYTES[..length.index(BYTES.len())];
        prop_assert!(Checkpoint::from_bytes("c", cut).is_err());
    }

    #[test]
    fn any_bytes_are_errors(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        prop_assert!(Checkpoint::from_bytes("c", &bytes).is_err());
    }
}
