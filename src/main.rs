//! The binary is thin: everything lives in the library.

fn main() -> std::process::ExitCode {
    rankspace::cli::main()
}
