#![no_main]

use libfuzzer_sys::fuzz_target;
use rankspace_fuzz::config::{Encoding, Format};

fuzz_target!(|bytes: &[u8]| {
    let Some((first, bytes)) = bytes.split_first() else { return };
    let format = match first % 5 {
        0 => Some(Format::Columns),
        1 => Some(Format::Json),
        2 => Some(Format::Text),
        _ => None,
    };
    let encoding = if first % 7 == 0 { Some(Encoding::Latin1) } else { None };
    rankspace_fuzz::check(bytes, format, encoding);
});
