//! The binary is thin: everything lives in the library.

fn main() -> std::process::ExitCode {
    // The tensor library keeps a second set of threads for elementwise operations, which wait in
    // a busy loop: on two cores they take half the machine from the matrix products (a training
    // step took twice as long), and `threads` would not bind them.
    if std::env::var_os("CANDLE_NUM_THREADS").is_none() {
        // SAFETY: nothing else runs yet; no other thread reads the environment.
        unsafe { std::env::set_var("CANDLE_NUM_THREADS", "1") };
    }
    rankspace::cli::main()
}
