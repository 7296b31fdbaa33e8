#![no_main]

use libfuzzer_sys::fuzz_target;
use rankspace_fuzz::config::Format;

fuzz_target!(|bytes: &[u8]| {
    let Some((first, bytes)) = bytes.split_first() else { return };
    let format = if first % 2 == 0 { Format::Export } else { Format::Tiger };
    rankspace_fuzz::check(bytes, Some(format), None);
});
