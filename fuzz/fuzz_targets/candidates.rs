#![no_main]

use libfuzzer_sys::fuzz_target;
use rankspace_fuzz::treebank::candidates::ListFormat;

fuzz_target!(|bytes: &[u8]| {
    let Some((first, bytes)) = bytes.split_first() else { return };
    let format = ListFormat::ALL.get(*first as usize % 8).copied();
    rankspace_fuzz::check_candidates(bytes, format);
});
