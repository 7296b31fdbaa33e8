//! Opening what a name means.

use super::{Entries, FileOptions, Interner, Reading, Source, TreebankError, sample};
use std::fs::File;
use std::io::{self, BufRead, BufReader, Cursor};
use std::path::Path;

/// Opens what a name means. The sample is read as what it is, whatever the options.
pub fn open(
    source: &Source,
    options: FileOptions,
    interner: Interner,
) -> Result<Entries<Box<dyn BufRead>>, TreebankError> {
    let (name, options, input): (_, _, Box<dyn BufRead>) = match source {
        Source::Sample(name) => {
            let (file, text) = sample::read(name)?;
            (format!("sample/{file}"), FileOptions::default(), Box::new(Cursor::new(text)))
        }
        Source::File(path) => {
            let name = path.display().to_string();
            let failed =
                |e: io::Error| TreebankError::Read { path: name.clone(), reason: e.to_string() };
            let file = File::open(path).map_err(failed)?;
            (name, options, Box::new(BufReader::with_capacity(1 << 16, file)))
        }
    };
    Entries::new(input, &name, options, interner)
}

/// Reads a whole file; faults are collected, and only a file that cannot be read is an error.
pub fn read_file(path: &Path) -> Result<Reading, TreebankError> {
    let source = Source::File(path.to_owned());
    Ok(Reading::collect(open(&source, FileOptions::default(), Interner::default())?))
}
