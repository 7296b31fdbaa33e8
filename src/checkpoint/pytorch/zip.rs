//! Zip archives as PyTorch writes them: entries are stored as they are, never compressed.

use super::bytes::Bytes;
use flate2::Crc;
use std::collections::HashMap;
use std::io::{self, Write};

const LOCAL: u32 = 0x0403_4b50;
const CENTRAL: u32 = 0x0201_4b50;
const END: u32 = 0x0605_4b50;
const END_64: u32 = 0x0606_4b50;
const LOCATOR_64: u32 = 0x0706_4b50;

/// Bytes of the end record without its comment.
const END_LENGTH: usize = 22;

/// Stands for "too large for this field: look into the 64-bit one".
const ELSEWHERE: u32 = u32::MAX;

/// PyTorch maps storages into memory and wants them aligned.
const ALIGNMENT: u64 = 64;

/// Entries by name; their content lies where it lay.
#[derive(Debug)]
pub(super) struct Archive<'a> {
    entries: HashMap<&'a str, &'a [u8]>,
}

impl<'a> Archive<'a> {
    pub fn is_one(bytes: &[u8]) -> bool {
        bytes.starts_with(&LOCAL.to_le_bytes())
    }

    /// Reads the directory and checks every entry: inside the file, no two in one place, stored
    /// as it is, of the sum that it should have.
    pub fn read(bytes: &'a [u8]) -> Result<Archive<'a>, String> {
        let (count, mut directory) = directory(bytes)?;
        let mut entries = HashMap::new();
        let mut places = Vec::new();
        for _ in 0..count {
            let (name, content) = entry(bytes, &mut directory)?;
            let start = content.as_ptr() as usize - bytes.as_ptr() as usize;
            places.push((start, start + content.len(), name));
            if entries.insert(name, content).is_some() {
                return Err(format!("its entry `{name}` is there twice"));
            }
        }
        places.sort_unstable();
        match places.windows(2).find(|pair| pair[0].1 > pair[1].0) {
            Some(pair) => Err(format!("its entries `{}` and `{}` overlap", pair[0].2, pair[1].2)),
            None => Ok(Archive { entries }),
        }
    }

    pub fn get(&self, name: &str) -> Result<&'a [u8], String> {
        self.entries.get(name).copied().ok_or_else(|| format!("it has no entry `{name}`"))
    }

    /// The folder that holds an entry of this name, with its slash.
    pub fn folder_of(&self, file: &str) -> Result<&'a str, String> {
        let folder = |name: &&'a str| name.strip_suffix(file).filter(|f| f.ends_with('/'));
        let mut found = self.entries.keys().filter_map(folder);
        match (found.next(), found.next()) {
            (Some(folder), None) => Ok(folder),
            (Some(_), Some(_)) => Err(format!("it has several entries named `{file}`")),
            (None, _) => Err(format!("it has no entry `{file}`: this zip file is none of PyTorch")),
        }
    }
}

/// Number of entries, and where their list starts.
fn directory(bytes: &[u8]) -> Result<(u64, Bytes<'_>), String> {
    let broken_off = || "it has no directory at its end: it breaks off".to_owned();
    // A comment of at most 65,535 bytes may follow the record.
    let last = bytes.len().checked_sub(END_LENGTH).ok_or_else(broken_off)?;
    let first = last.saturating_sub(usize::from(u16::MAX));
    let is_end = |&at: &usize| {
        let record = &bytes[at..];
        let comment = u16::from_le_bytes([record[20], record[21]]);
        record.starts_with(&END.to_le_bytes()) && record.len() == END_LENGTH + usize::from(comment)
    };
    let at = (first..=last).rev().find(is_end).ok_or_else(broken_off)?;
    let mut end = Bytes::starting(bytes, at as u64)?;
    end.take(10)?;
    let mut count = u64::from(end.u16()?);
    end.take(4)?;
    let mut offset = u64::from(end.u32()?);
    if count == u64::from(u16::MAX) || offset == u64::from(ELSEWHERE) {
        let locator = at.checked_sub(20).ok_or_else(broken_off)?;
        let mut locator = Bytes::starting(bytes, locator as u64)?;
        if locator.u32()? == LOCATOR_64 {
            locator.take(4)?;
            let mut end = Bytes::starting(bytes, locator.u64()?)?;
            if end.u32()? != END_64 {
                return Err("its 64-bit directory is not where it should be".into());
            }
            end.take(28)?;
            count = end.u64()?;
            end.take(8)?;
            offset = end.u64()?;
        }
    }
    Ok((count, Bytes::starting(bytes, offset)?))
}

/// The next entry of the list: its name and content.
fn entry<'a>(bytes: &'a [u8], list: &mut Bytes<'a>) -> Result<(&'a str, &'a [u8]), String> {
    if list.u32()? != CENTRAL {
        return Err("its directory is damaged".into());
    }
    list.take(4)?;
    let (flags, method) = (list.u16()?, list.u16()?);
    list.take(4)?;
    let sum = list.u32()?;
    let (mut packed, mut size) = (u64::from(list.u32()?), u64::from(list.u32()?));
    let lengths = [list.u16()?, list.u16()?, list.u16()?].map(u64::from);
    list.take(8)?;
    let mut offset = u64::from(list.u32()?);
    let name = list.text(lengths[0])?;
    let mut extra = Bytes::new(list.take(lengths[1])?);
    list.take(lengths[2])?;
    while let (Ok(kind), Ok(length)) = (extra.u16(), extra.u16()) {
        let mut field = Bytes::new(extra.take(u64::from(length))?);
        if kind == 1 {
            // Only what did not fit is here, in this order.
            for value in [&mut size, &mut packed, &mut offset] {
                if *value == u64::from(ELSEWHERE) {
                    *value = field.u64()?;
                }
            }
        }
    }
    if flags & 1 != 0 {
        return Err(format!("its entry `{name}` is encrypted"));
    }
    if method != 0 || packed != size {
        return Err(format!(
            "its entry `{name}` is compressed, {packed} bytes to {size}: PyTorch stores entries \
             as they are"
        ));
    }
    let mut local = Bytes::starting(bytes, offset)?;
    if local.u32()? != LOCAL {
        return Err(format!("its entry `{name}` is not where the directory says"));
    }
    local.take(22)?;
    let lengths = [local.u16()?, local.u16()?].map(u64::from);
    if local.take(lengths[0])? != name.as_bytes() {
        return Err(format!("its entry `{name}` has another name where it lies"));
    }
    local.take(lengths[1])?;
    let content = local.take(size).map_err(|e| format!("its entry `{name}`: {e}"))?;
    let mut crc = Crc::new();
    crc.update(content);
    match crc.sum() == sum {
        true => Ok((name, content)),
        false => Err(format!("its entry `{name}` is damaged: its sum is not {sum:08x}")),
    }
}

/// Writes an archive entry by entry.
pub(super) struct Writer<W> {
    to: W,
    /// Bytes written so far.
    at: u64,
    directory: Vec<u8>,
    entries: u16,
}

impl<W: Write> Writer<W> {
    pub fn new(to: W) -> Writer<W> {
        Writer { to, at: 0, directory: Vec::new(), entries: 0 }
    }

    /// Adds an entry, its content aligned for mapping into memory.
    pub fn add(&mut self, name: &str, content: &[u8]) -> io::Result<()> {
        let too_large =
            || io::Error::other("files of 4 GiB and more are not written; export .safetensors");
        let size = u32::try_from(content.len()).map_err(|_| too_large())?;
        let offset = u32::try_from(self.at).map_err(|_| too_large())?;
        let mut crc = Crc::new();
        crc.update(content);
        // One extra field, of the kind that PyTorch uses, fills up to the border.
        let start = self.at + 30 + name.len() as u64 + 4;
        let padding = (ALIGNMENT - start % ALIGNMENT) % ALIGNMENT;
        let mut header = Vec::new();
        let mut common = Vec::new();
        for field in [0_u16, 0, 0, 0, 0] {
            // Version, flags, method, time, date.
            common.extend(field.to_le_bytes());
        }
        for field in [crc.sum(), size, size] {
            common.extend(field.to_le_bytes());
        }
        common.extend((name.len() as u16).to_le_bytes());
        header.extend(LOCAL.to_le_bytes());
        header.extend(&common);
        header.extend((padding as u16 + 4).to_le_bytes());
        header.extend(name.as_bytes());
        header.extend(b"FB");
        header.extend((padding as u16).to_le_bytes());
        header.resize(header.len() + padding as usize, b'Z');
        self.to.write_all(&header)?;
        self.to.write_all(content)?;
        self.at += header.len() as u64 + u64::from(size);
        let list = &mut self.directory;
        list.extend(CENTRAL.to_le_bytes());
        list.extend(0_u16.to_le_bytes());
        list.extend(&common);
        // No extra field, comment, disk or attributes.
        list.extend([0; 12]);
        list.extend(offset.to_le_bytes());
        list.extend(name.as_bytes());
        self.entries = self.entries.checked_add(1).ok_or_else(too_large)?;
        Ok(())
    }

    /// Writes the directory.
    pub fn finish(mut self) -> io::Result<W> {
        let too_large = |_| io::Error::other("files of 4 GiB and more are not written");
        let offset = u32::try_from(self.at).map_err(too_large)?;
        let length = u32::try_from(self.directory.len()).map_err(too_large)?;
        self.to.write_all(&self.directory)?;
        self.to.write_all(&END.to_le_bytes())?;
        for field in [0, 0, self.entries, self.entries] {
            self.to.write_all(&field.to_le_bytes())?;
        }
        for field in [length, offset] {
            self.to.write_all(&field.to_le_bytes())?;
        }
        self.to.write_all(&0_u16.to_le_bytes())?;
        Ok(self.to)
    }
}
