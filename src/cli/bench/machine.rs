//! What the machine gives: memory of this process, and the speed of a large matrix product.

use crate::inference::matrix::{Into, Matrix, MatrixMut, multiply};
use std::time::Instant;

/// Side of the square matrices of the peak.
const SIDE: usize = 2048;

/// Products measured, after one to warm up.
const PRODUCTS: usize = 5;

/// GFLOP/s of the fastest of a few large f32 matrix products on the threads of the current pool.
pub fn gemm_peak() -> f64 {
    let left = vec![0.5_f32; SIDE * SIDE];
    let right = vec![0.25_f32; SIDE * SIDE];
    let mut to = vec![0.0_f32; SIDE * SIDE];
    let mut best = f64::INFINITY;
    for _ in 0..=PRODUCTS {
        let start = Instant::now();
        multiply(
            MatrixMut::new(&mut to, SIDE, SIDE),
            Into::Replace,
            1.0,
            Matrix::new(&left, SIDE, SIDE),
            Matrix::new(&right, SIDE, SIDE),
        );
        best = best.min(start.elapsed().as_secs_f64());
    }
    2.0 * (SIDE as f64).powi(3) / best / 1e9
}

/// Memory of this process in MB: what it holds now.
#[cfg(target_os = "linux")]
pub fn resident_mb() -> Option<f64> {
    status_mb("VmRSS:")
}

/// Memory of this process in MB: the most that it held so far.
#[cfg(target_os = "linux")]
pub fn peak_mb() -> Option<f64> {
    status_mb("VmHWM:")
}

/// From now on the peak is counted anew, where the system can do that.
pub fn forget_peak() {
    // What it cannot do leaves the peak of before, which the caller has to reckon with.
    #[cfg(target_os = "linux")]
    let _ = std::fs::write("/proc/self/clear_refs", "5");
}

#[cfg(target_os = "linux")]
fn status_mb(field: &str) -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix(field))?;
    let kilobytes: f64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kilobytes / 1024.0)
}

/// Memory of this process in MB: what it held at most so far, which at the start is what it holds.
#[cfg(not(target_os = "linux"))]
pub fn resident_mb() -> Option<f64> {
    peak_mb()
}

/// Memory of this process in MB: the most that it held so far.
#[cfg(all(unix, not(target_os = "linux")))]
pub fn peak_mb() -> Option<f64> {
    // SAFETY: `getrusage` fills the structure that it is given, which any bytes are valid for.
    let usage = unsafe {
        let mut usage: libc::rusage = std::mem::zeroed();
        if libc::getrusage(libc::RUSAGE_SELF, &mut usage) != 0 {
            return None;
        }
        usage
    };
    let unit = if cfg!(target_os = "macos") { 1024.0 * 1024.0 } else { 1024.0 };
    Some(usage.ru_maxrss as f64 / unit)
}

#[cfg(not(unix))]
pub fn peak_mb() -> Option<f64> {
    None
}
