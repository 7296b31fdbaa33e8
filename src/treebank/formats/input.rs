//! The bytes of a file as readers want them: decompressed where they are gzip, UTF-8 where they
//! are said to be Latin-1, and with a look at their beginning.

use crate::config::Encoding;
use flate2::bufread::MultiGzDecoder;
use std::io::{self, BufRead, BufReader, Chain, Cursor, Read};

/// So many bytes tell what a file holds.
const BEGINNING: usize = 1 << 14;

/// Size of the buffers behind decompression and decoding.
const BUFFER: usize = 1 << 16;

/// Any input, with its beginning kept to be looked at.
#[derive(Debug)]
pub(crate) struct Input<R> {
    beginning: Vec<u8>,
    /// Bytes of the beginning that were read again.
    at: usize,
    body: Body<R>,
    /// What ended the look at the beginning, told when reading comes to that place.
    failure: Option<io::Error>,
    latin1: Option<Decoded>,
}

#[derive(Debug)]
enum Body<R> {
    Plain(R),
    Gzip(Box<BufReader<Unpacked<R>>>),
}

/// The beginning is put before the rest once more.
type Unpacked<R> = MultiGzDecoder<Chain<Cursor<Vec<u8>>, R>>;

impl<R: BufRead> Input<R> {
    /// Looks at the beginning; an error is one only where there is nothing before it.
    pub fn new(mut input: R) -> io::Result<Input<R>> {
        let (start, failure) = look(&mut input);
        if let Some(error) = failure {
            if start.is_empty() {
                return Err(error);
            }
            return Ok(Input::with(start, Body::Plain(input), Some(error)));
        }
        if !start.starts_with(&[0x1f, 0x8b]) {
            return Ok(Input::with(start, Body::Plain(input), None));
        }
        let decoder = MultiGzDecoder::new(Cursor::new(start).chain(input));
        let mut body = BufReader::with_capacity(BUFFER, decoder);
        let (start, failure) = look(&mut body);
        match failure {
            Some(error) if start.is_empty() => Err(error),
            failure => Ok(Input::with(start, Body::Gzip(Box::new(body)), failure)),
        }
    }

    fn with(beginning: Vec<u8>, body: Body<R>, failure: Option<io::Error>) -> Input<R> {
        Input { beginning, at: 0, body, failure, latin1: None }
    }

    /// The first bytes, decompressed.
    pub fn beginning(&self) -> &[u8] {
        &self.beginning
    }

    /// Reads the bytes as this encoding from here on.
    pub fn decode(&mut self, encoding: Encoding) {
        self.latin1 = (encoding == Encoding::Latin1).then(Decoded::default);
    }

    fn fill_bytes(&mut self) -> io::Result<&[u8]> {
        if self.at < self.beginning.len() {
            return Ok(&self.beginning[self.at..]);
        }
        if let Some(error) = self.failure.take() {
            return Err(error);
        }
        match &mut self.body {
            Body::Plain(input) => input.fill_buf(),
            Body::Gzip(input) => input.fill_buf(),
        }
    }

    fn consume_bytes(&mut self, n: usize) {
        if self.at < self.beginning.len() {
            self.at += n;
            return;
        }
        match &mut self.body {
            Body::Plain(input) => input.consume(n),
            Body::Gzip(input) => input.consume(n),
        }
    }
}

/// The first bytes of an input, and what kept it from giving more.
fn look(input: &mut impl BufRead) -> (Vec<u8>, Option<io::Error>) {
    let mut bytes = Vec::new();
    while bytes.len() < BEGINNING {
        match input.fill_buf() {
            Ok([]) => break,
            Ok(more) => {
                let n = more.len().min(BEGINNING - bytes.len());
                bytes.extend_from_slice(&more[..n]);
                input.consume(n);
            }
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            Err(e) => return (bytes, Some(e)),
        }
    }
    (bytes, None)
}

/// Latin-1 that was turned into UTF-8.
#[derive(Debug, Default)]
struct Decoded {
    text: Vec<u8>,
    at: usize,
}

impl<R: BufRead> BufRead for Input<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        let Some(mut decoded) = self.latin1.take() else { return self.fill_bytes() };
        if decoded.at == decoded.text.len() {
            decoded.at = 0;
            decoded.text.clear();
            let bytes = match self.fill_bytes() {
                Ok(bytes) => bytes,
                Err(e) => {
                    self.latin1 = Some(decoded);
                    return Err(e);
                }
            };
            let n = bytes.len();
            for &byte in bytes {
                let mut utf8 = [0; 2];
                decoded.text.extend_from_slice(char::from(byte).encode_utf8(&mut utf8).as_bytes());
            }
            self.consume_bytes(n);
        }
        let decoded = self.latin1.insert(decoded);
        Ok(&decoded.text[decoded.at..])
    }

    fn consume(&mut self, n: usize) {
        match &mut self.latin1 {
            Some(decoded) => decoded.at += n,
            None => self.consume_bytes(n),
        }
    }
}

impl<R: BufRead> Read for Input<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let available = self.fill_buf()?;
        let n = available.len().min(into.len());
        into[..n].copy_from_slice(&available[..n]);
        self.consume(n);
        Ok(n)
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use flate2::Compression;
    use flate2::write::GzEncoder;
    use std::io::Write;

    pub(crate) fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(bytes).and_then(|()| encoder.finish()).expect("a vector takes all")
    }

    fn all(input: &[u8], encoding: Encoding) -> io::Result<Vec<u8>> {
        let mut input = Input::new(input)?;
        input.decode(encoding);
        let mut bytes = Vec::new();
        input.read_to_end(&mut bytes).map(|_| bytes)
    }

    #[test]
    fn gzip_is_known_by_content_and_its_parts_follow_each_other() {
        let text: Vec<u8> = (0..100_000_u32).flat_map(|i| i.to_string().into_bytes()).collect();
        let (first, second) = text.split_at(70_000);
        for packed in [text.clone(), gzip(&text), [gzip(first), gzip(second)].concat()] {
            assert!(all(&packed, Encoding::Utf8).expect("reads") == text);
        }
    }

    #[test]
    fn latin1_becomes_utf8() {
        let bytes = b"caf\xe9 \xa4\xff plain".repeat(9000);
        let expected = "caf\u{e9} \u{a4}\u{ff} plain".repeat(9000).into_bytes();
        assert!(all(&bytes, Encoding::Latin1).expect("reads") == expected);
        assert!(all(&gzip(&bytes), Encoding::Latin1).expect("reads") == expected);
    }

    #[test]
    fn what_stands_before_the_place_where_gzip_breaks_is_read() {
        let noise = |i: u32| (i.wrapping_mul(2_654_435_761) >> 13) as u8;
        let text: Vec<u8> = (0..200_000).map(noise).collect();
        let packed = gzip(&text);
        for keep in [packed.len() / 20, packed.len() / 2] {
            let mut input = Input::new(&packed[..keep]).expect("it begins well");
            let mut bytes = Vec::new();
            assert!(input.read_to_end(&mut bytes).is_err());
            assert!(bytes.len() > keep / 2 && text.starts_with(&bytes));
        }
        assert!(Input::new(&packed[..12]).is_err());
    }
}
