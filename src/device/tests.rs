use super::ops::{By, Columns, Dropped};
use super::*;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// The emulation in double precision; a sentence where there is no C++ compiler.
fn engine() -> Option<Engine> {
    match Engine::open(Choice::Emulated, Options { double: true, tf32: false }) {
        Ok(engine) => Some(engine),
        Err(reason) => {
            println!("skipped: {reason}");
            None
        }
    }
}

fn numbers(n: usize, by: usize) -> Vec<f64> {
    (0..n).map(|i| ((i * 7919 + by) % 101) as f64 / 10.0 - 5.0).collect()
}

fn close(a: &[f64], b: &[f64]) {
    assert_eq!(a.len(), b.len());
    for (i, (a, b)) in a.iter().zip(b).enumerate() {
        assert!((a - b).abs() <= 1e-12 * (1.0 + b.abs()) || a == b, "{i}: {a} is not {b}");
    }
}

/// Room that holds these numbers.
fn room(engine: &Engine, values: &[f64]) -> Room {
    let mut room = Room::default();
    let reals = room.reals(engine, values.len()).expect("room");
    engine.write(reals, values).expect("written");
    room
}

#[test]
fn products_of_views_equal_the_sum_by_definition() {
    let Some(engine) = engine() else { return };
    let (a, b, c) = (numbers(35, 1), numbers(45, 2), numbers(40, 3));
    let (left, right, to) = (room(&engine, &a), room(&engine, &b), room(&engine, &c));
    // (5 x 7)^T rows 1 to 6, times some columns and rows of 9 x 5, into some columns of 5 x 8.
    let x = Matrix::new(left.as_reals(&engine, 35), 5, 7).columns(1..6).t();
    let y = Matrix::new(right.as_reals(&engine, 45), 9, 5).columns(1..4).rows(2..7);
    let z = Matrix::new(to.as_reals(&engine, 40), 5, 8).columns(2..5);
    engine.multiply(z, 3.0, 2.0, x, y).expect("multiplies");
    let found = engine.read(to.as_reals(&engine, 40)).expect("reads");
    let mut expected = c.clone();
    for i in 0..5 {
        for j in 0..3 {
            let sum: f64 = (0..5).map(|k| a[k * 7 + i + 1] * b[(k + 2) * 5 + j + 1]).sum();
            expected[i * 8 + j + 2] = 3.0 * c[i * 8 + j + 2] + 2.0 * sum;
        }
    }
    close(&found, &expected);
}

#[test]
fn sums_of_columns_and_groups_and_norms_equal_plain_loops() {
    let Some(engine) = engine() else { return };
    let (rows, columns) = (700, 45);
    let (a, b, w) = (numbers(rows * columns, 1), numbers(rows * columns, 2), numbers(rows, 3));
    let (ra, rb, rw) = (room(&engine, &a), room(&engine, &b), room(&engine, &w));
    let (va, vb) = (ra.as_reals(&engine, a.len()), rb.as_reals(&engine, b.len()));
    let vw = rw.as_reals(&engine, rows);
    for (by, weight) in [(By::Nothing, None), (By::Elements(vb), Some(&b)), (By::Rows(vw), None)] {
        let start = numbers(columns, 4);
        let to = room(&engine, &start);
        let to = to.as_reals(&engine, columns);
        engine.column_sums(to, va, by, (0.5, true), &mut Columns::default()).expect("sums");
        let by_rows = matches!(by, By::Rows(_));
        let expected: Vec<f64> = (0..columns)
            .map(|c| {
                let term = |r: usize| {
                    let at = r * columns + c;
                    let by = weight.map_or(if by_rows { w[r] } else { 1.0 }, |b| b[at]);
                    a[at] * by
                };
                start[c] + 0.5 * (0..rows).map(term).sum::<f64>()
            })
            .collect();
        close(&engine.read(to).expect("reads"), &expected);
    }
    let (mut norm, mut parts) = (Room::default(), Room::default());
    let norm = norm.doubles(&engine, 1).expect("room");
    engine.norm_squared(norm, va, &mut parts).expect("a norm");
    close(&engine.read_doubles(norm).expect("reads"), &[a.iter().map(|x| x * x).sum()]);

    let (mut first, mut members) = (Room::default(), Room::default());
    let groups = Groups {
        first: first.hold_ints(&engine, &[0, 2, 2, 5]).expect("room"),
        rows: members.hold_ints(&engine, &[3, 1, 4, 0, 699]).expect("room"),
    };
    let mut to = Room::default();
    let to = to.reals(&engine, 3 * columns).expect("room");
    engine.sum_groups(to, va, groups, 2.0).expect("sums");
    let of = |rows: &[usize], c: usize| -> f64 {
        2.0 * rows.iter().map(|r| a[r * columns + c]).sum::<f64>()
    };
    let expected: Vec<f64> = [&[3, 1][..], &[], &[4, 0, 699]]
        .iter()
        .flat_map(|rows| (0..columns).map(|c| of(rows, c)).collect::<Vec<_>>())
        .collect();
    close(&engine.read(to).expect("reads"), &expected);
}

#[test]
fn softmaxes_over_rows_and_columns_leave_out_what_is_minus_infinity() {
    let Some(engine) = engine() else { return };
    let (rows, columns) = (600, 37);
    let mut x = numbers(rows * columns, 1);
    for i in (0..x.len()).step_by(7) {
        x[i] = f64::NEG_INFINITY;
    }
    // The first chunk of a column may have nothing that is left.
    for row in 0..256 {
        x[row * columns + 3] = f64::NEG_INFINITY;
    }
    let by = |group: &dyn Fn(usize) -> usize| {
        let mut tops = std::collections::HashMap::new();
        for (i, &v) in x.iter().enumerate() {
            let top = tops.entry(group(i)).or_insert(f64::NEG_INFINITY);
            *top = v.max(*top);
        }
        let mut sums = std::collections::HashMap::new();
        for (i, &v) in x.iter().enumerate() {
            *sums.entry(group(i)).or_insert(0.0) += (v - tops[&group(i)]).exp();
        }
        let p = |(i, &v): (usize, &f64)| (v - tops[&group(i)]).exp() / sums[&group(i)];
        x.iter().enumerate().map(p).collect::<Vec<f64>>()
    };
    let own = room(&engine, &x);
    let own = own.as_reals(&engine, x.len());
    engine.softmax_rows(own, columns).expect("a softmax");
    close(&engine.read(own).expect("reads"), &by(&|i| i / columns));
    engine.write(own, &x).expect("written");
    engine.softmax_columns(own, columns, &mut Columns::default()).expect("a softmax");
    close(&engine.read(own).expect("reads"), &by(&|i| i % columns));
}

#[test]
fn dropped_entries_are_those_of_the_host_s_generator() {
    let Some(engine) = engine() else { return };
    let (rows, columns, share, seed, step) = (40, 300, 0.2, 77, 9);
    let mut x = Room::default();
    let x = x.reals(&engine, rows * columns).expect("room");
    engine.fill(x, 1.0).expect("fills");
    let drawn = Dropped::Drawn { share, seed, step };
    engine.drop_rows(x, columns, drawn, (0.0, 1.0), false).expect("drops");
    let found = engine.read(x).expect("reads");
    let mut expected = vec![1.0; rows * columns];
    for (row, own) in expected.chunks_exact_mut(columns).enumerate() {
        let mut rng = ChaCha8Rng::seed_from_u64(seed ^ (row as u64).rotate_left(32));
        rng.set_stream(step);
        let mut column = 0.0;
        loop {
            let u: f64 = rng.random();
            column += ((-u).ln_1p() / (-share).ln_1p()).floor();
            if column >= columns as f64 {
                break;
            }
            own[column as usize] = 0.0;
            column += 1.0;
        }
    }
    assert_eq!(found, expected);
}

#[test]
fn memory_is_counted_while_it_is_held() {
    let Some(engine) = engine() else { return };
    let mut room = Room::default();
    room.reals(&engine, 100).expect("room");
    assert_eq!(engine.taken(), 800);
    room.reals(&engine, 50).expect("room");
    room.doubles(&engine, 200).expect("room");
    assert_eq!(engine.taken(), 1600);
    drop(room);
    assert_eq!(engine.taken(), 0);
}

#[test]
fn a_setting_names_a_device_or_says_what_is_expected() {
    assert_eq!(choose("cpu"), Ok(None));
    assert_eq!(choose("emulated"), Ok(Some(Choice::Emulated)));
    for setting in ["auto", "cpu", "cuda", "cuda:0", "cuda:12", "emulated"] {
        assert!(is_setting(setting), "{setting}");
    }
    for setting in ["", "gpu", "cuda:", "cuda:x", "cuda0", "cuda:-1"] {
        assert!(!is_setting(setting), "{setting}");
        let told = choose(setting).expect_err("means nothing").to_string();
        assert!(told.contains("expected auto, cpu or cuda:N"), "{told}");
    }
}

/// Compiles the kernels as the driver would, for every card from Volta on. Needs NVRTC's library:
/// its folder is named by `RANKSPACE_NVRTC`, and the test says that it was skipped elsewhere.
#[test]
fn the_kernels_compile_for_every_card() {
    use std::ffi::{CString, c_char, c_int, c_void};
    type Create = unsafe extern "C" fn(
        *mut *mut c_void,
        *const c_char,
        *const c_char,
        c_int,
        *const *const c_char,
        *const *const c_char,
    ) -> c_int;
    type Compile = unsafe extern "C" fn(*mut c_void, c_int, *const *const c_char) -> c_int;
    type Size = unsafe extern "C" fn(*mut c_void, *mut usize) -> c_int;
    type Get = unsafe extern "C" fn(*mut c_void, *mut c_char) -> c_int;
    let Some(folder) = std::env::var_os("RANKSPACE_NVRTC") else {
        println!("skipped: RANKSPACE_NVRTC names no folder with NVRTC");
        return;
    };
    let mut names: Vec<_> = std::fs::read_dir(&folder)
        .expect("the folder of RANKSPACE_NVRTC reads")
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| {
            let name = path.file_name().and_then(|n| n.to_str()).unwrap_or_default();
            let known = name.starts_with("libnvrtc.so") || name.starts_with("libnvrtc-builtins.so");
            known && !name.contains(".alt.")
        })
        .collect();
    // The library of what is built in first: NVRTC looks for it by name when it compiles.
    names.sort_by_key(|path| !path.to_string_lossy().contains("builtins"));
    // SAFETY: NVIDIA's libraries, with the functions of these types.
    unsafe {
        let libraries: Vec<libloading::Library> =
            names.iter().map(|name| libloading::Library::new(name).expect("loads")).collect();
        let nvrtc = libraries.last().expect("RANKSPACE_NVRTC has libnvrtc.so");
        let create: libloading::Symbol<Create> = nvrtc.get("nvrtcCreateProgram").expect("there");
        let compile: libloading::Symbol<Compile> = nvrtc.get("nvrtcCompileProgram").expect("there");
        let log_size: libloading::Symbol<Size> =
            nvrtc.get("nvrtcGetProgramLogSize").expect("there");
        let log: libloading::Symbol<Get> = nvrtc.get("nvrtcGetProgramLog").expect("there");
        let text = CString::new(source()).expect("no zero byte");
        for double in [false, true] {
            for capability in ["75", "80", "86", "90", "100", "120"] {
                let mut program = std::ptr::null_mut();
                let none = std::ptr::null();
                let name = c"kernels.cu".as_ptr();
                assert_eq!(create(&mut program, text.as_ptr(), name, 0, none, none), 0);
                let options = [
                    format!("--gpu-architecture=compute_{capability}"),
                    format!("-DREAL={}", real_name(double)),
                ]
                .map(|option| CString::new(option).expect("no zero byte"));
                let pointers = options.each_ref().map(|option| option.as_ptr());
                let outcome = compile(program, 2, pointers.as_ptr());
                let mut size = 0;
                log_size(program, &mut size);
                let mut words = vec![0u8; size.max(1)];
                log(program, words.as_mut_ptr().cast());
                let words = String::from_utf8_lossy(&words);
                assert_eq!(outcome, 0, "compute_{capability}: {words}");
                assert!(!words.contains("warning"), "compute_{capability}: {words}");
            }
        }
    }
}
