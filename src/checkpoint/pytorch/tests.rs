use super::bytes::Bytes;
use super::pickle;
use super::zip::Writer;
use super::*;
use candle_core::{DType, Device, Tensor};
use proptest::prelude::*;
use std::collections::BTreeMap;

fn tensor(values: &[f32], shape: &[usize]) -> Tensor {
    Tensor::from_slice(values, shape, &Device::Cpu).expect("a small tensor")
}

fn numbers(tensor: &Tensor) -> Vec<f64> {
    let flat = tensor.to_dtype(DType::F64).and_then(|t| t.flatten_all());
    flat.and_then(|t| t.to_vec1()).expect("numbers")
}

/// An archive with this pickle and these storages.
fn zip(pickle: &[u8], storages: &[(&str, &[u8])]) -> Vec<u8> {
    let mut archive = Writer::new(Vec::new());
    archive.add("any/data.pkl", pickle).expect("memory takes all");
    for (key, content) in storages {
        archive.add(&format!("any/data/{key}"), content).expect("memory takes all");
    }
    archive.finish().expect("memory takes all")
}

/// Text, a whole number and a tuple as a pickle holds them.
fn text(text: &str) -> Vec<u8> {
    [&b"X"[..], &(text.len() as u32).to_le_bytes(), text.as_bytes()].concat()
}

fn whole(number: i32) -> Vec<u8> {
    [&b"J"[..], &number.to_le_bytes()].concat()
}

fn tuple(numbers: &[i32]) -> Vec<u8> {
    let items: Vec<u8> = numbers.iter().flat_map(|&n| whole(n)).collect();
    [&b"("[..], &items, b"t"].concat()
}

/// `{"w": tensor}`, the tensor as described, in a storage of f32 under the key 0.
fn one_tensor(length: i32, offset: i32, shape: &[i32], strides: &[i32]) -> Vec<u8> {
    [
        &b"\x80\x02}"[..],
        &text("w"),
        b"ctorch._utils\n_rebuild_tensor_v2\n((",
        &text("storage"),
        b"ctorch\nFloatStorage\n",
        &text("0"),
        &text("cuda:0"),
        &whole(length),
        b"tQ",
        &whole(offset),
        &tuple(shape),
        &tuple(strides),
        b"\x89NtRs.",
    ]
    .concat()
}

/// 0, 1, 2 … as a storage.
fn counting(length: u8) -> Vec<u8> {
    (0..length).flat_map(|n| f32::from(n).to_le_bytes()).collect()
}

/// The older format: the pickle and one storage under the key 0, with the length that it says.
fn row(pickle: &[u8], length: u64, storage: &[u8]) -> Vec<u8> {
    [
        &b"\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19.\x80\x02M\xe9\x03.\x80\x02}."[..],
        pickle,
        b"\x80\x02](",
        &text("0"),
        b"e.",
        &length.to_le_bytes(),
        storage,
    ]
    .concat()
}

fn refusal(bytes: &[u8]) -> String {
    match StateFile::read(bytes) {
        Ok(_) => panic!("it was read"),
        Err(error) => {
            assert!(!error.contains('\n') && error.len() < 400, "one sentence: {error}");
            error
        }
    }
}

#[test]
fn a_written_file_reads_back_bare_or_with_its_optimizer() {
    let (a, b) = (tensor(&[1.0, -2.0, 3.5, 0.0, 1e-30, 7.0], &[2, 3]), tensor(&[0.1], &[1]));
    let b = b.to_dtype(DType::F64).expect("a number");
    let moments: BTreeMap<String, Tensor> = [("net.exp_avg", &a), ("net.exp_avg_sq", &a)]
        .into_iter()
        .map(|(name, tensor)| (name.to_owned(), tensor.clone()))
        .collect();
    let settings = Settings {
        updates: Some(9),
        learning_rate: Some(0.5),
        betas: Some((0.75, 0.999)),
        weight_decay: Some(0.0),
    };
    let optimizer = Optimizer { moments: &moments, settings };
    for (wrapped, optimizer) in [(false, None), (true, None), (true, Some(&optimizer))] {
        let mut bytes = Vec::new();
        write(&mut bytes, &[("net", &a), ("bias", &b)], wrapped, optimizer).expect("writes");
        let file = StateFile::read(&bytes).expect("reads");
        let shapes: Vec<_> = file.shapes().collect();
        assert_eq!(shapes, [("net", &[2, 3][..]), ("bias", &[1])]);
        let read = file.tensor("net").expect("is there");
        assert_eq!((numbers(&read), read.dtype()), (numbers(&a), DType::F32));
        assert_eq!(file.tensor("bias").expect("is there").dtype(), DType::F64);
        let found: Vec<_> = file.moments().expect("reads").into_iter().map(|(n, _)| n).collect();
        let expected =
            if optimizer.is_some() { vec!["net.exp_avg", "net.exp_avg_sq"] } else { vec![] };
        assert_eq!(found, expected);
        assert_eq!(file.settings() == settings, optimizer.is_some());
    }
}

#[test]
fn a_view_into_a_storage_is_gathered_by_its_strides() {
    for (offset, shape, strides, expected) in [
        (1, &[2, 3][..], &[3, 1][..], &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0][..]),
        (0, &[3, 2], &[1, 3], &[0.0, 3.0, 1.0, 4.0, 2.0, 5.0]),
        (2, &[2, 1, 2], &[4, 9, 2], &[2.0, 4.0, 6.0, 8.0]),
        (7, &[], &[], &[7.0]),
        (0, &[0, 5], &[5, 1], &[]),
    ] {
        let pickle = one_tensor(9, offset, shape, strides);
        for bytes in [zip(&pickle, &[("0", &counting(9))]), row(&pickle, 9, &counting(9))] {
            let file = StateFile::read(&bytes).expect("reads");
            assert_eq!(numbers(&file.tensor("w").expect("is there")), expected, "{shape:?}");
        }
    }
}

#[test]
fn what_no_file_of_tensors_needs_is_refused_by_its_name() {
    let nested = |depth: usize| [vec![b']'; depth], vec![b'a'; depth - 1], b".".to_vec()].concat();
    for (pickle, said) in [
        (&b"cos\nsystem\n(X\x02\x00\x00\x00lstR."[..], "os.system"),
        (b"cbuiltins\neval\n.", "builtins.eval"),
        (b"\x8c\x05posix\x8c\x06system\x93.", "posix.system"),
        (b"ctorch.storage\n_load_from_bytes\n.", "torch.storage._load_from_bytes"),
        (b"(S'ls'\nios\nsystem\n.", "STRING (0x53)"),
        (b"(ios\nsystem\n.", "INST (0x69)"),
        (b"}2.", "DUP (0x32)"),
        (b"\xff.", "0xff"),
        (b"\x80\x09.", "protocol 9"),
        (b"ccollections\nOrderedDict\n)\x81.", "unexpected class"),
        (b"ctorch\nFloatStorage\n)R.", "unexpected arguments"),
        (b"K\x01)R.", "calls something that is no function"),
        (b"\x85.", "a value that is not there"),
        (b"K\x01(\x85.", "a value that is not there"),
        (b"t.", "a group that never began"),
        (b"(h\x07.", "recalls value 7"),
        (b"q\x00.", "remembers a value that is not there"),
        (b"}K\x01a.", "else than a list"),
        (b"]K\x01K\x02s.", "else than a dictionary"),
        (b"}(K\x01u.", "a key without a value"),
        (b"K\x01K\x02b.", "holds nothing"),
        (b"(K\x01tQ.", "else than a storage"),
        (b"X\xff\xff\xff\xffabc", "breaks off"),
        (b"\x8d\xff\xff\xff\xff\xff\xff\xff\xffabc", "breaks off"),
        (b"X\x01\x00\x00\x00\xff.", "not UTF-8"),
        (b"cno end of line", "does not end"),
        (b"}", "breaks off"),
        (b"", "breaks off"),
        (b"K\x01.", "no dictionary of tensors"),
        (b"}K\x01K\x02s.", "has no name"),
        (b"}X\x01\x00\x00\x00aK\x02s.", "`a` is no tensor"),
        (b"]q\x00h\x00a.", "holds itself"),
        (b"}q\x00X\x01\x00\x00\x00a]q\x01h\x00as.", "holds itself"),
        (&nested(65), "nested more than 64 deep"),
        (&nested(200_000), "nested more than 64 deep"),
        (&vec![b'('; 1_100_000], "longer than any"),
        (&vec![b']'; 1_100_000], "longer than any"),
    ] {
        let error = refusal(&zip(pickle, &[]));
        assert!(error.contains(said), "{error}, expected {said}");
    }
}

#[test]
fn a_dictionary_copied_again_and_again_is_refused_before_it_fills_the_memory() {
    // A list of 100,000 pairs, and then ordered dictionaries of it without end.
    let pairs = [&b"N\x85"[..], &b"h\x00".repeat(100_000)].concat();
    let copies = b"h\x02h\x01\x85R".repeat(50_000);
    let pickle = [
        &b"ccollections\nOrderedDict\nq\x02KaKb\x86q\x00]("[..],
        &pairs[2..],
        b"eq\x01",
        &copies,
        b".",
    ]
    .concat();
    assert!(refusal(&zip(&pickle, &[])).contains("longer than any"));
}

#[test]
fn tensors_that_do_not_lie_in_their_storage_are_refused() {
    for (length, offset, shape, strides, said) in [
        (9, 0, &[10][..], &[1][..], "does not fit"),
        (9, 5, &[5], &[1], "does not fit"),
        (9, 0, &[3, 3], &[4, 1], "does not fit"),
        (9, 0, &[3, 3], &[1, 1], "overlap"),
        (9, 0, &[1_000_000, 1_000_000], &[0, 0], "overlap"),
        (9, 0, &[3, 3], &[2, 1], "overlap"),
        (9, -1, &[3], &[1], "offset is -1"),
        (9, 0, &[-3], &[1], "size is -3"),
        (9, 0, &[3], &[-1], "stride is -1"),
        (9, 0, &[3, 1], &[1], "2 sizes and 1 strides"),
        (9, 0, &[1; 9], &[1; 9], "9 dimensions"),
        (9, i32::MAX, &[i32::MAX; 8], &[i32::MAX; 8], "does not fit"),
        (9, 0, &[i32::MAX, i32::MAX], &[i32::MAX, 1], "does not fit"),
        (i32::MAX, 0, &[3], &[1], "should have 2147483647 numbers"),
        (-9, 0, &[3], &[1], "storage is -9"),
        (8, 0, &[3], &[1], "should have 8 numbers"),
    ] {
        let pickle = one_tensor(length, offset, shape, strides);
        for bytes in [zip(&pickle, &[("0", &counting(9))]), row(&pickle, 9, &counting(9))] {
            let error = refusal(&bytes);
            assert!(error.contains(said), "{error}, expected {said}");
        }
    }
    let pickle = one_tensor(9, 0, &[9], &[1]);
    assert!(refusal(&zip(&pickle, &[])).contains("no entry `any/data/0`"));
    assert!(refusal(&row(&pickle, u64::MAX, &counting(9))).contains("breaks off"));
    assert!(refusal(&row(&pickle, 1 << 40, &counting(9))).contains("breaks off"));
}

#[test]
fn tensors_that_share_a_storage_cannot_outgrow_the_file() {
    let one = one_tensor(200, 0, &[200], &[1]);
    let tensor = &one[one.windows(2).position(|w| w == b"ct").expect("a global")..one.len() - 2];
    let mut pickle = b"\x80\x02}(".to_vec();
    for number in 0..20 {
        pickle.extend(text(&number.to_string()));
        pickle.extend(tensor);
    }
    pickle.extend(b"u.");
    let few = zip(&one, &[("0", &counting(200))]);
    StateFile::read(&few).expect("one tensor is no more than its storage");
    let error = refusal(&zip(&pickle, &[("0", &counting(200))]));
    assert!(error.contains("its tensors have 16000 bytes"), "{error}");
}

#[test]
fn damaged_and_compressed_archives_are_refused() {
    let pickle = one_tensor(9, 0, &[9], &[1]);
    let good = zip(&pickle, &[("0", &counting(9))]);
    let central = good.windows(4).position(|w| w == b"PK\x01\x02").expect("a directory");
    let edited = |at: usize, bytes: &[u8]| {
        let mut edited = good.clone();
        edited[at..at + bytes.len()].copy_from_slice(bytes);
        edited
    };
    for (bytes, said) in [
        (edited(central + 10, &[8, 0]), "compressed"),
        (edited(central + 24, &[0xff; 4]), "compressed"),
        (edited(central + 8, &[1, 0]), "encrypted"),
        (edited(central + 16, &[1, 2, 3, 4]), "sum"),
        (edited(central + 42, &[7, 0, 0, 0]), "not where the directory says"),
        (edited(central + 42, &[0xff; 4]), "4294967295"),
        (edited(central, b"XX"), "directory is damaged"),
        (edited(good.len() - 6, &[0xff; 4]), "4294967295"),
        (edited(good.len() - 12, &[0xfe, 0xff]), "directory is damaged"),
        (b"PK\x03\x04".to_vec(), "breaks off"),
        (b"PK\x05\x06".to_vec(), "neither as a zip archive nor as a pickle"),
        (Vec::new(), "neither as a zip archive nor as a pickle"),
    ] {
        let error = refusal(&bytes);
        assert!(error.contains(said), "{error}, expected {said}");
    }
    let mut twice = Writer::new(Vec::new());
    for name in ["a/data.pkl", "a/data.pkl"] {
        twice.add(name, &pickle).expect("memory takes all");
    }
    assert!(refusal(&twice.finish().expect("memory")).contains("there twice"));
    let mut two = Writer::new(Vec::new());
    for name in ["a/data.pkl", "b/data.pkl"] {
        two.add(name, &pickle).expect("memory takes all");
    }
    assert!(refusal(&two.finish().expect("memory")).contains("several entries"));
    // An archive inside the first entry of another: the directory names bytes of both.
    let mut inner = Writer::new(Vec::new());
    inner.add("x", b"inside").expect("memory takes all");
    let inner = inner.finish().expect("memory");
    let mut outer = Writer::new(Vec::new());
    outer.add("a/data.pkl", &inner).expect("memory takes all");
    outer.add("x", b"inside").expect("memory takes all");
    let mut outer = outer.finish().expect("memory");
    let place = outer.windows(inner.len()).position(|w| w == inner).expect("it is stored");
    let second = outer.windows(4).rposition(|w| w == b"PK\x01\x02").expect("two entries");
    outer[second + 42..second + 46].copy_from_slice(&(place as u32).to_le_bytes());
    assert!(refusal(&outer).contains("overlap"));
}

#[test]
fn pickled_vocabularies_are_lists_dictionaries_or_objects_that_hold_one() {
    let dict = [&b"}("[..], &text("b"), b"K\x01", &text("a"), b"K\x00u"].concat();
    let field = |class: &[u8]| [class, b"}", &text("_word2idx")[..], &dict, b"sb."].concat();
    for pickle in [
        [&b"\x80\x02]("[..], &text("a"), &text("b"), b"e."].concat(),
        [&dict[..], b"."].concat(),
        [&b"\x80\x04}"[..], &text("stoi"), &dict, b"s."].concat(),
        field(b"cfastNLP.core.vocabulary\nVocabulary\n)\x81"),
        field(b"\x8c\x17fastNLP.core.vocabulary\x8c\x0aVocabulary\x93)\x81"),
    ] {
        assert_eq!(words(&pickle).expect("reads"), ["a", "b"]);
    }
    for (pickle, said) in [
        ([&b"}("[..], &text("a"), b"K\x01u."].concat(), "`a` has number 1"),
        ([&b"}("[..], &text("a"), b"K\x00", &text("b"), b"K\x00u."].concat(), "have number 0"),
        (b"](K\x01e.".to_vec(), "is no word"),
        (b"N.".to_vec(), "neither a list nor a dictionary"),
        (field(b"cmy.code\nVocabulary\n)\x81"), "my.code.Vocabulary"),
    ] {
        let error = words(&pickle).expect_err("refused");
        assert!(error.contains(said), "{error}");
    }
}

proptest! {
    #[test]
    fn damaged_pickles_are_errors_or_read_but_never_panic(
        flips in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..12)
    ) {
        let a = tensor(&[1.0, 2.0, 3.0, 4.0], &[2, 2]);
        let moments = BTreeMap::from([("a.exp_avg".to_owned(), a.clone())]);
        let settings = Settings::default();
        let mut bytes = Vec::new();
        let optimizer = Optimizer { moments: &moments, settings };
        write(&mut bytes, &[("a", &a), ("b", &a)], true, Some(&optimizer)).expect("writes");
        let archive = super::zip::Archive::read(&bytes).expect("valid");
        let mut pickle = archive.get("archive/data.pkl").expect("is there").to_vec();
        for (place, value) in flips {
            let place = place.index(pickle.len());
            pickle[place] = value;
        }
        let storage = counting(4);
        let storages: Vec<(&str, &[u8])> =
            ["0", "1", "2", "3", "4"].iter().map(|key| (*key, &storage[..])).collect();
        for bytes in [zip(&pickle, &storages), row(&pickle, 4, &storage)] {
            if let Ok(file) = StateFile::read(&bytes) {
                for (name, _) in file.shapes() {
                    file.tensor(name).expect("what was checked loads");
                }
                let _ = (file.moments(), file.settings());
            }
        }
    }

    #[test]
    fn truncated_files_are_errors(length in any::<prop::sample::Index>()) {
        let pickle = one_tensor(9, 0, &[9], &[1]);
        for bytes in [zip(&pickle, &[("0", &counting(9))]), row(&pickle, 9, &counting(9))] {
            prop_assert!(StateFile::read(&bytes[..length.index(bytes.len())]).is_err());
        }
    }

    #[test]
    fn any_opcodes_end(
        opcodes in prop::collection::vec(
            prop::sample::select(b"\x80.(N\x88\x89JKM\x8aGX\x8c]})t\x85\x86aesuqrhjcRbQ\x81\x93\x94".to_vec()),
            0..200,
        )
    ) {
        let _ = pickle::read(&mut Bytes::new(&opcodes), 1000);
    }
}
