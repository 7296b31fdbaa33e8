#![no_main]

use libfuzzer_sys::fuzz_target;
use rankspace_fuzz::config::Format;

fuzz_target!(|bytes: &[u8]| rankspace_fuzz::check(bytes, Some(Format::Brackets), None));
