//! NVIDIA cards through the CUDA driver, cuBLAS and NVRTC, whose libraries are looked for at run
//! time.

use super::driver::{Arg, Block, DeviceError, Driver, MARKS, Product};
use super::{DeviceInfo, Options, real_name, source};
use cudarc::cublas::{CudaBlas, result as blas, sys as blas_sys};
use cudarc::driver::{
    CudaContext, CudaEvent, CudaFunction, CudaModule, CudaStream, DriverError, result, sys,
};
use cudarc::nvrtc::{self, CompileOptions, Ptx};
use nvml_wrapper::Nvml;
use std::collections::HashMap;
use std::ffi::c_void;
use std::sync::{Arc, Mutex, PoisonError};

/// A library of CUDA, and what to do where it is missing.
struct Needed {
    name: &'static str,
    is_there: fn() -> bool,
    advice: &'static str,
}

const NEEDED: [Needed; 3] = [
    Needed {
        name: "libcuda",
        // SAFETY: the driver's library may be loaded at any time; so may the others.
        is_there: || unsafe { sys::is_culib_present() },
        advice: "the driver of the card is not installed",
    },
    Needed {
        name: "libcublas",
        is_there: || unsafe { blas_sys::is_culib_present() },
        advice: "install the CUDA toolkit 12 or 13 (or the package nvidia-cublas) and name its \
                 folder in LD_LIBRARY_PATH",
    },
    Needed {
        name: "libnvrtc",
        is_there: || unsafe { nvrtc::sys::is_culib_present() },
        advice: "install the CUDA toolkit 12 or 13 (or the package nvidia-cuda-nvrtc) and name \
                 its folder in LD_LIBRARY_PATH",
    },
];

/// A sentence where something is missing.
fn check_libraries() -> Result<(), String> {
    match NEEDED.iter().find(|needed| !(needed.is_there)()) {
        Some(Needed { name, advice, .. }) => Err(format!("{name} was not found: {advice}")),
        None => Ok(()),
    }
}

/// The number of cards; why there are none in a sentence.
pub(super) fn count() -> Result<usize, String> {
    check_libraries()?;
    let count = CudaContext::device_count().map_err(|e| match e.0 {
        sys::CUresult::CUDA_ERROR_NO_DEVICE => "the CUDA driver finds no card".to_owned(),
        sys::CUresult::CUDA_ERROR_STUB_LIBRARY => {
            "libcuda is a stub for linking: the driver of the card is not installed".to_owned()
        }
        _ => format!("the CUDA driver does not start: {}", told(&e)),
    })?;
    usize::try_from(count).map_err(|e| e.to_string())
}

/// All cards, with their memory and, where the management library is there, how busy they are.
pub(super) fn devices() -> Result<Vec<DeviceInfo>, String> {
    let count = count()?;
    let management = Nvml::init().ok();
    let info = |number: usize| {
        let context =
            CudaContext::new(number).map_err(|e| format!("cuda:{number}: {}", told(&e)))?;
        let (free, total) = context.mem_get_info().map_err(|e| told(&e))?;
        Ok(DeviceInfo {
            name: format!("cuda:{number}"),
            model: context.name().ok(),
            free: Some(free as u64),
            total: Some(total as u64),
            busy: management.as_ref().and_then(|m| busy(m, &context)),
        })
    };
    (0..count).map(info).collect()
}

/// The share of the last moments in which a card worked.
fn busy(management: &Nvml, context: &CudaContext) -> Option<f64> {
    // By its own identity: the driver may number cards in another way.
    let uuid = context.uuid().ok()?.bytes.map(|b| b as u8);
    let card = management.device_by_uuid(uuid_text(&uuid)).ok()?;
    Some(f64::from(card.utilization_rates().ok()?.gpu) / 100.0)
}

/// As the management library writes it.
fn uuid_text(bytes: &[u8; 16]) -> String {
    let hex: Vec<String> = bytes.iter().map(|b| format!("{b:02x}")).collect();
    let part = |range: std::ops::Range<usize>| hex[range].concat();
    format!("GPU-{}-{}-{}-{}-{}", part(0..4), part(4..6), part(6..8), part(8..10), part(10..16))
}

/// What the driver says of an error.
fn told(error: &DriverError) -> String {
    let text = error.error_string().ok().and_then(|text| text.to_str().ok());
    text.map_or_else(|| format!("{error:?}"), str::to_owned)
}

pub(super) struct Cuda {
    name: String,
    context: Arc<CudaContext>,
    stream: Arc<CudaStream>,
    blas: CudaBlas,
    module: Arc<CudaModule>,
    functions: Mutex<HashMap<&'static str, CudaFunction>>,
    marks: Vec<CudaEvent>,
    /// Where the management library is there.
    management: Option<Nvml>,
    options: Options,
}

impl Cuda {
    pub fn open(number: usize, options: Options) -> Result<Cuda, DeviceError> {
        let name = format!("cuda:{number}");
        let missing = |reason: String| DeviceError::Missing(format!("{name}: {reason}"));
        check_libraries().map_err(missing)?;
        let context = CudaContext::new(number).map_err(|e| missing(told(&e)))?;
        // SAFETY: all work of an engine goes to one stream, in the order of the calls.
        unsafe { context.disable_event_tracking() };
        let stream = context.new_stream().map_err(|e| missing(told(&e)))?;
        let blas = CudaBlas::new(stream.clone())
            .map_err(|e| missing(format!("cuBLAS does not start: {e:?}")))?;
        let mode = match options.tf32 {
            true => blas_sys::cublasMath_t::CUBLAS_TF32_TENSOR_OP_MATH,
            false => blas_sys::cublasMath_t::CUBLAS_PEDANTIC_MATH,
        };
        // SAFETY: the handle was just made.
        let status = unsafe { blas_sys::cublasSetMathMode(*blas.handle(), mode) };
        status.result().map_err(|e| missing(format!("cuBLAS: {e:?}")))?;
        let capability = context.compute_capability().map_err(|e| missing(told(&e)))?;
        let ptx = compile(options.double, capability).map_err(missing)?;
        let module = context.load_module(ptx).map_err(|e| {
            missing(format!(
                "the kernels were not loaded: {}; NVRTC may be newer than the driver",
                told(&e)
            ))
        })?;
        let mark = || context.new_event(Some(sys::CUevent_flags::CU_EVENT_DEFAULT));
        let marks = (0..MARKS).map(|_| mark()).collect::<Result<_, _>>();
        let marks = marks.map_err(|e| missing(told(&e)))?;
        let functions = Mutex::default();
        let management = Nvml::init().ok();
        Ok(Cuda { name, context, stream, blas, module, functions, marks, management, options })
    }

    fn failed(&self, what: &str, error: &dyn std::fmt::Display) -> DeviceError {
        DeviceError::Failed { device: self.name.clone(), reason: format!("{what}: {error}") }
    }

    fn check<T>(&self, what: &str, outcome: Result<T, DriverError>) -> Result<T, DeviceError> {
        outcome.map_err(|e| self.failed(what, &told(&e)))
    }

    fn bind(&self) -> Result<(), DeviceError> {
        self.check("the card", self.context.bind_to_thread())
    }

    fn function(&self, kernel: &'static str) -> Result<CudaFunction, DeviceError> {
        let mut functions = self.functions.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(function) = functions.get(kernel) {
            return Ok(function.clone());
        }
        let function = self.check(kernel, self.module.load_function(kernel))?;
        functions.insert(kernel, function.clone());
        Ok(function)
    }
}

/// All kernels for cards of a compute capability; the error is a sentence.
fn compile(double: bool, (major, minor): (i32, i32)) -> Result<Ptx, String> {
    let options = CompileOptions {
        options: vec![
            format!("--gpu-architecture=compute_{major}{minor}"),
            format!("-DREAL={}", real_name(double)),
        ],
        ..CompileOptions::default()
    };
    nvrtc::compile_ptx_with_opts(source(), options)
        .map_err(|e| format!("the kernels were not compiled: {e}"))
}

struct CudaBlock {
    at: sys::CUdeviceptr,
    stream: Arc<CudaStream>,
}

impl Block for CudaBlock {
    fn at(&self) -> u64 {
        self.at
    }
}

impl Drop for CudaBlock {
    fn drop(&mut self) {
        let context = self.stream.context();
        context.record_err(context.bind_to_thread());
        // SAFETY: it was allocated on this stream and is freed once, behind all work that uses it.
        context.record_err(unsafe { result::free_async(self.at, self.stream.cu_stream()) });
    }
}

impl Driver for Cuda {
    fn info(&self) -> DeviceInfo {
        let memory = self.context.mem_get_info().ok();
        let (free, total) = memory.map(|(free, total)| (free as u64, total as u64)).unzip();
        DeviceInfo {
            name: self.name.clone(),
            model: self.context.name().ok(),
            free,
            total,
            busy: self.management.as_ref().and_then(|m| busy(m, &self.context)),
        }
    }

    fn allocate(&self, bytes: usize) -> Result<Box<dyn Block>, DeviceError> {
        self.bind()?;
        // SAFETY: freed on the same stream when the block is dropped.
        match unsafe { result::malloc_async(self.stream.cu_stream(), bytes) } {
            Ok(at) => Ok(Box::new(CudaBlock { at, stream: self.stream.clone() })),
            Err(DriverError(sys::CUresult::CUDA_ERROR_OUT_OF_MEMORY)) => Err(DeviceError::Memory {
                device: self.name.clone(),
                wanted: bytes as u64,
                free: self.info().free.unwrap_or(0),
            }),
            Err(e) => Err(self.failed("memory", &told(&e))),
        }
    }

    fn write(&self, at: u64, bytes: &[u8]) -> Result<(), DeviceError> {
        self.bind()?;
        // SAFETY: `at` lies in a block that is borrowed. The source is pageable memory, which the
        // driver has copied when the call returns.
        let copied = unsafe { result::memcpy_htod_async(at, bytes, self.stream.cu_stream()) };
        self.check("copying to the card", copied)
    }

    fn read(&self, at: u64, to: &mut [u8]) -> Result<(), DeviceError> {
        self.bind()?;
        // SAFETY: as in `write`; the copy is waited for.
        let copied = unsafe { result::memcpy_dtoh_async(to, at, self.stream.cu_stream()) };
        self.check("copying from the card", copied)?;
        self.wait()
    }

    fn copy(&self, from: u64, to: u64, bytes: usize) -> Result<(), DeviceError> {
        self.bind()?;
        // SAFETY: both lie in blocks that are borrowed.
        let copied = unsafe { result::memcpy_dtod_async(to, from, bytes, self.stream.cu_stream()) };
        self.check("copying on the card", copied)
    }

    fn clear(&self, at: u64, bytes: usize) -> Result<(), DeviceError> {
        self.bind()?;
        // SAFETY: as in `copy`.
        let cleared = unsafe { result::memset_d8_async(at, 0, bytes, self.stream.cu_stream()) };
        self.check("clearing memory", cleared)
    }

    fn launch(
        &self,
        kernel: &'static str,
        grid: [usize; 2],
        block: usize,
        args: &[Arg],
    ) -> Result<(), DeviceError> {
        let function = self.function(kernel)?;
        self.bind()?;
        let mut values: Vec<[u8; 8]> =
            args.iter().map(|arg| arg.bytes(self.options.double)).collect();
        let mut pointers: Vec<*mut c_void> =
            values.iter_mut().map(|v| v.as_mut_ptr().cast()).collect();
        // SAFETY: callers pass what the kernel of that name takes; the driver copies arguments.
        let launched = unsafe {
            result::launch_kernel(
                function.cu_function(),
                (grid[0] as u32, grid[1] as u32, 1),
                (block as u32, 1, 1),
                0,
                self.stream.cu_stream(),
                &mut pointers,
            )
        };
        self.check(kernel, launched)
    }

    fn multiply(&self, product: &Product) -> Result<(), DeviceError> {
        self.bind()?;
        let &Product { shape: [m, n, k], a, b, c, c_stride, factor, keep } = product;
        let operation = |transposed: bool| match transposed {
            true => blas_sys::cublasOperation_t::CUBLAS_OP_T,
            false => blas_sys::cublasOperation_t::CUBLAS_OP_N,
        };
        let handle = *self.blas.handle();
        // cuBLAS goes by columns: c^T = op(b)^T op(a)^T with the same memory.
        let (first, second) = (operation(b.transposed), operation(a.transposed));
        let [rows, columns, inner] = [n, m, k].map(|x| x as i32);
        let [b_stride, a_stride, c_stride] =
            [b.stride, a.stride, c_stride].map(|x| x.max(1) as i32);
        // SAFETY: all matrices lie in blocks that are borrowed (`Matrix` checks shapes); factors
        // are read before the call returns.
        let multiplied = unsafe {
            if self.options.double {
                blas::dgemm(
                    handle,
                    first,
                    second,
                    rows,
                    columns,
                    inner,
                    &factor,
                    b.at as *const f64,
                    b_stride,
                    a.at as *const f64,
                    a_stride,
                    &keep,
                    c as *mut f64,
                    c_stride,
                )
            } else {
                let (factor, keep) = (factor as f32, keep as f32);
                blas::sgemm(
                    handle,
                    first,
                    second,
                    rows,
                    columns,
                    inner,
                    &factor,
                    b.at as *const f32,
                    b_stride,
                    a.at as *const f32,
                    a_stride,
                    &keep,
                    c as *mut f32,
                    c_stride,
                )
            }
        };
        multiplied.map_err(|e| self.failed("a matrix product", &format!("{e:?}")))
    }

    fn wait(&self) -> Result<(), DeviceError> {
        self.check("the card", self.stream.synchronize())
    }

    fn mark(&self, number: usize) -> Result<(), DeviceError> {
        self.check("the clock", self.marks[number].record(&self.stream))
    }

    fn seconds_between(&self, from: usize, to: usize) -> f64 {
        let elapsed = self.marks[from].elapsed_ms(&self.marks[to]);
        elapsed.map_or(0.0, |ms| f64::from(ms.max(0.0)) / 1000.0)
    }
}
