//! The kernels compiled for the host: slow, and the proof that they compute the right thing.

use super::driver::{Arg, Block, DeviceError, Driver, MARKS, Product};
use super::{DeviceInfo, Options, real_name, source};
use libloading::Library;
use std::ffi::c_void;
use std::io::Write;
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Instant;

/// Compilers that are tried after `$CXX`.
const COMPILERS: [&str; 3] = ["c++", "g++", "clang++"];

pub(super) struct Emulated {
    kernels: &'static Library,
    options: Options,
    marks: Mutex<[Option<Instant>; MARKS]>,
    /// Bytes that are left, where a limit is set: a full card can be tried out so.
    left: Option<Arc<Mutex<u64>>>,
}

/// Names the most bytes that an emulated device has.
const LIMIT: &str = "RANKSPACE_EMULATED_MEMORY";

/// The kernels of either number type, compiled once a process.
static KERNELS: [OnceLock<Result<Library, String>>; 2] = [OnceLock::new(), OnceLock::new()];

impl Emulated {
    pub fn open(options: Options) -> Result<Emulated, DeviceError> {
        let library = KERNELS[usize::from(options.double)].get_or_init(|| compile(options.double));
        match library {
            Ok(kernels) => {
                let limit = std::env::var(LIMIT).ok().and_then(|bytes| bytes.parse().ok());
                let left = limit.map(|bytes| Arc::new(Mutex::new(bytes)));
                Ok(Emulated { kernels, options, marks: Mutex::default(), left })
            }
            Err(reason) => Err(DeviceError::Missing(reason.clone())),
        }
    }
}

/// Compiles and loads; the error is a sentence.
fn compile(double: bool) -> Result<Library, String> {
    let failed = |e: &dyn std::fmt::Display| format!("the kernels were not compiled: {e}");
    let folder = tempfile::tempdir().map_err(|e| failed(&e))?;
    let file = folder.path().join("kernels.so");
    let own = std::env::var("CXX").ok();
    for compiler in own.iter().map(String::as_str).chain(COMPILERS) {
        let child = Command::new(compiler)
            .args(["-std=c++17", "-O2", "-fPIC", "-shared", "-DHOST_SHIM"])
            .arg(format!("-DREAL={}", real_name(double)))
            .args(["-x", "c++", "-", "-o"])
            .arg(&file)
            .stdin(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn();
        let Ok(mut child) = child else { continue };
        let mut input = child.stdin.take().expect("it was asked for");
        // Closed before the compiler is waited for; one that stops reading says why itself.
        let _ = input.write_all(source().as_bytes());
        drop(input);
        let output = child.wait_with_output().map_err(|e| failed(&e))?;
        if !output.status.success() {
            return Err(failed(&String::from_utf8_lossy(&output.stderr)));
        }
        // SAFETY: the library is the one just made: its code is ours and runs nothing on loading.
        return unsafe { Library::new(&file) }.map_err(|e| failed(&e));
    }
    Err("the emulation of a device needs a C++ compiler: none of $CXX, c++, g++, clang++ was found"
        .into())
}

/// Memory of the host, aligned for double precision.
struct Words {
    words: Vec<u64>,
    left: Option<Arc<Mutex<u64>>>,
}

impl Block for Words {
    fn at(&self) -> u64 {
        self.words.as_ptr() as u64
    }
}

impl Drop for Words {
    fn drop(&mut self) {
        if let Some(left) = &self.left {
            *left.lock().unwrap_or_else(PoisonError::into_inner) += 8 * self.words.len() as u64;
        }
    }
}

impl Driver for Emulated {
    fn info(&self) -> DeviceInfo {
        DeviceInfo { name: "emulated".into(), ..DeviceInfo::default() }
    }

    fn allocate(&self, bytes: usize) -> Result<Box<dyn Block>, DeviceError> {
        let words = bytes.div_ceil(8);
        if let Some(left) = &self.left {
            let mut left = left.lock().unwrap_or_else(PoisonError::into_inner);
            let wanted = 8 * words as u64;
            *left = left.checked_sub(wanted).ok_or_else(|| DeviceError::Memory {
                device: "emulated".into(),
                wanted,
                free: *left,
            })?;
        }
        Ok(Box::new(Words { words: vec![0; words], left: self.left.clone() }))
    }

    fn write(&self, at: u64, bytes: &[u8]) -> Result<(), DeviceError> {
        // SAFETY: `at` lies in a block that is borrowed, with room for the bytes.
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), at as *mut u8, bytes.len()) };
        Ok(())
    }

    fn read(&self, at: u64, to: &mut [u8]) -> Result<(), DeviceError> {
        // SAFETY: as in `write`.
        unsafe { std::ptr::copy_nonoverlapping(at as *const u8, to.as_mut_ptr(), to.len()) };
        Ok(())
    }

    fn copy(&self, from: u64, to: u64, bytes: usize) -> Result<(), DeviceError> {
        // SAFETY: as in `write`.
        unsafe { std::ptr::copy(from as *const u8, to as *mut u8, bytes) };
        Ok(())
    }

    fn clear(&self, at: u64, bytes: usize) -> Result<(), DeviceError> {
        // SAFETY: as in `write`.
        unsafe { std::ptr::write_bytes(at as *mut u8, 0, bytes) };
        Ok(())
    }

    fn launch(
        &self,
        kernel: &'static str,
        grid: [usize; 2],
        block: usize,
        args: &[Arg],
    ) -> Result<(), DeviceError> {
        type Run = unsafe extern "C" fn(i32, i32, i32, *mut *mut c_void);
        // Each argument in eight bytes of its own, of which the kernel reads what it needs.
        let double = self.options.double;
        let mut values: Vec<[u8; 8]> = args.iter().map(|arg| arg.bytes(double)).collect();
        let mut pointers: Vec<*mut c_void> =
            values.iter_mut().map(|v| v.as_mut_ptr().cast()).collect();
        // SAFETY: the function has this type (EXPORT in prelude.cu), and callers pass what the
        // kernel of that name takes.
        unsafe {
            let run = self.kernels.get::<Run>(format!("run_{kernel}")).map_err(|e| {
                DeviceError::Failed { device: "emulated".into(), reason: e.to_string() }
            })?;
            run(grid[0] as i32, grid[1] as i32, block as i32, pointers.as_mut_ptr());
        }
        Ok(())
    }

    fn multiply(&self, product: &Product) -> Result<(), DeviceError> {
        // SAFETY: the operands lie in blocks that are borrowed (`Matrix` checks shapes).
        unsafe {
            match (self.options.double, self.options.tf32) {
                (true, _) => multiply::<f64>(product, |x| x, |x| x),
                (false, false) => multiply::<f32>(product, |x| x as f32, |x| x),
                (false, true) => multiply::<f32>(product, |x| x as f32, tf32),
            }
        }
        Ok(())
    }

    fn wait(&self) -> Result<(), DeviceError> {
        Ok(())
    }

    fn mark(&self, number: usize) -> Result<(), DeviceError> {
        self.marks.lock().unwrap_or_else(PoisonError::into_inner)[number] = Some(Instant::now());
        Ok(())
    }

    fn seconds_between(&self, from: usize, to: usize) -> f64 {
        let marks = self.marks.lock().unwrap_or_else(PoisonError::into_inner);
        match (marks[from], marks[to]) {
            (Some(from), Some(to)) => to.saturating_duration_since(from).as_secs_f64(),
            _ => 0.0,
        }
    }
}

/// Rounds to the 10 explicit bits of fraction that TF32 has.
fn tf32(x: f32) -> f32 {
    if !x.is_finite() {
        return x;
    }
    let bits = x.to_bits();
    // To nearest, ties to even.
    let rounded = bits.wrapping_add(0xfff + (bits >> 13 & 1));
    f32::from_bits(rounded & !0x1fff)
}

/// # Safety
/// The operands must lie in memory that is alive.
unsafe fn multiply<T: Copy + 'static>(
    product: &Product,
    number: impl Fn(f64) -> T,
    round: impl Fn(T) -> T,
) {
    let &Product { shape: [m, n, k], a, b, c, c_stride, factor, keep } = product;
    // Factors are copied where they are rounded, packed in the order in which they are read.
    let packed = |x: super::driver::Operand, rows: usize, columns: usize| -> Vec<T> {
        let element = |i: usize, j: usize| {
            let at = if x.transposed { j * x.stride + i } else { i * x.stride + j };
            // SAFETY: within the operand.
            round(unsafe { *(x.at as *const T).add(at) })
        };
        (0..rows * columns).map(|at| element(at / columns, at % columns)).collect()
    };
    let (left, right) = (packed(a, m, k), packed(b, k, n));
    // SAFETY: all matrices have the sizes that strides and shapes say.
    unsafe {
        gemm::gemm(
            m,
            n,
            k,
            c as *mut T,
            1,
            c_stride as isize,
            keep != 0.0,
            left.as_ptr(),
            1,
            k as isize,
            right.as_ptr(),
            1,
            n as isize,
            number(keep),
            number(factor),
            false,
            false,
            false,
            gemm::Parallelism::None,
        );
    }
}
