/// Little-endian reading that cannot leave its bytes.
#[derive(Clone, Debug)]
pub(super) struct Bytes<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Bytes<'a> {
    pub fn new(bytes: &'a [u8]) -> Bytes<'a> {
        Bytes { bytes, at: 0 }
    }

    /// Starts at an offset; one beyond the end is refused.
    pub fn starting(bytes: &'a [u8], at: u64) -> Result<Bytes<'a>, String> {
        match usize::try_from(at) {
            Ok(at) if at <= bytes.len() => Ok(Bytes { bytes, at }),
            _ => Err(format!("it points to byte {at}, but has only {}", bytes.len())),
        }
    }

    pub fn at(&self) -> usize {
        self.at
    }

    pub fn take(&mut self, count: u64) -> Result<&'a [u8], String> {
        let left = &self.bytes[self.at..];
        match usize::try_from(count) {
            Ok(count) if count <= left.len() => {
                self.at += count;
                Ok(&left[..count])
            }
            _ => Err(format!(
                "it breaks off: {count} bytes are to follow byte {}, but only {} do",
                self.at,
                left.len()
            )),
        }
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], String> {
        let taken = self.take(N as u64)?;
        Ok(taken.try_into().expect("as many bytes as were taken"))
    }

    pub fn u8(&mut self) -> Result<u8, String> {
        Ok(self.array::<1>()?[0])
    }

    pub fn u16(&mut self) -> Result<u16, String> {
        self.array().map(u16::from_le_bytes)
    }

    pub fn u32(&mut self) -> Result<u32, String> {
        self.array().map(u32::from_le_bytes)
    }

    pub fn u64(&mut self) -> Result<u64, String> {
        self.array().map(u64::from_le_bytes)
    }

    /// Big-endian, as pickles hold their floats.
    pub fn f64_be(&mut self) -> Result<f64, String> {
        self.array().map(f64::from_be_bytes)
    }

    /// Text up to a line end, which is passed over.
    pub fn line(&mut self) -> Result<&'a str, String> {
        let left = &self.bytes[self.at..];
        let end = left.iter().position(|&b| b == b'\n');
        let end = end.ok_or_else(|| format!("the line at byte {} does not end", self.at))?;
        let line = text(&left[..end], self.at)?;
        self.at += end + 1;
        Ok(line)
    }

    pub fn text(&mut self, length: u64) -> Result<&'a str, String> {
        let at = self.at;
        text(self.take(length)?, at)
    }
}

fn text(bytes: &[u8], at: usize) -> Result<&str, String> {
    std::str::from_utf8(bytes).map_err(|_| format!("the text at byte {at} is not UTF-8"))
}
