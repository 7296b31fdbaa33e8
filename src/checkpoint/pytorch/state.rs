use super::bytes::Bytes;
use super::pickle;
use super::value::{Element, Object, Pickle, Storage, TensorPlace, Value};
use super::zip::Archive;
use candle_core::{Device, Tensor};
use std::collections::HashMap;

/// Instructions of a checkpoint's pickle at most; one of thirty tensors has a few thousand.
const INSTRUCTIONS: usize = 1_000_000;

/// The older format begins with this number, little-endian, and then a version.
const MAGIC: [u8; 10] = [0x6c, 0xfc, 0x9c, 0x46, 0xf9, 0x20, 0x6a, 0xa8, 0x50, 0x19];
const VERSION: i64 = 1001;

/// Names of several tensors may share a storage, so together they may have more numbers than
/// the file, but not without end.
const SHARING: usize = 4;

/// A saved state dict, bare or in a dictionary beside the state of an optimiser.
#[derive(Debug)]
pub struct StateFile<'a> {
    pickle: Pickle<'a>,
    /// Bytes of the storages by key.
    storages: HashMap<&'a str, &'a [u8]>,
    /// Names and objects of the tensors, in the file's order.
    tensors: Vec<(&'a str, usize)>,
    /// The optimiser's dictionary.
    optimizer: Option<Value<'a>>,
}

/// Settings of a saved optimiser, where it has them.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Settings {
    /// Updates behind the moments.
    pub updates: Option<u64>,
    pub learning_rate: Option<f64>,
    pub betas: Option<(f64, f64)>,
    pub weight_decay: Option<f64>,
}

impl<'a> StateFile<'a> {
    /// Reads the pickle and checks that every tensor lies inside its storage; copies no number.
    pub fn read(bytes: &'a [u8]) -> Result<StateFile<'a>, String> {
        let (pickle, storages) = if Archive::is_one(bytes) {
            archive(bytes)?
        } else if bytes.starts_with(b"\x80") {
            row(bytes)?
        } else {
            return Err("it begins neither as a zip archive nor as a pickle".into());
        };
        let model = ["model", "state_dict"].iter().find_map(|key| pickle.get(pickle.root, key));
        // A tensor may be called `model`, too.
        let wrapped = model.filter(|&model| pickle.dict(model).is_some());
        let dict = pickle.dict(wrapped.unwrap_or(pickle.root));
        let dict = dict.ok_or("it holds no dictionary of tensors")?;
        let mut tensors = Vec::with_capacity(dict.len());
        for &(name, value) in dict {
            let Value::Text(name) = name else {
                return Err("a tensor of it has no name".into());
            };
            match value {
                Value::Object(i) if pickle.tensor(value).is_some() => tensors.push((name, i)),
                _ => return Err(format!("its entry `{name:.80}` is no tensor")),
            }
        }
        let mut names: Vec<&str> = tensors.iter().map(|(name, _)| *name).collect();
        names.sort_unstable();
        if let Some(pair) = names.windows(2).find(|pair| pair[0] == pair[1]) {
            return Err(format!("its tensor `{:.80}` is there twice", pair[0]));
        }
        let optimizer = wrapped.and_then(|_| pickle.get(pickle.root, "optimizer"));
        let file = StateFile { pickle, storages, tensors, optimizer };
        file.check(bytes.len())?;
        Ok(file)
    }

    /// Names and shapes in the file's order.
    pub fn shapes(&self) -> impl Iterator<Item = (&'a str, &[usize])> {
        self.tensors.iter().map(|&(name, object)| (name, &self.place(object).shape[..]))
    }

    /// Copies a tensor out: f32 from storages of 32 bits and fewer, else f64.
    pub fn tensor(&self, name: &str) -> Result<Tensor, String> {
        let found = self.tensors.iter().find(|(n, _)| *n == name);
        let (_, object) = found.ok_or_else(|| format!("tensor `{name}` is missing"))?;
        self.load(*object).map_err(|e| format!("tensor `{name}`: {e}"))
    }

    /// Moments of the optimiser as `NAME.exp_avg` and `NAME.exp_avg_sq`; it numbers tensors in
    /// the order of the model. Empty without an optimiser.
    pub fn moments(&self) -> Result<Vec<(String, Tensor)>, String> {
        let mut moments = Vec::new();
        for (name, slots) in self.slots() {
            for kind in ["exp_avg", "exp_avg_sq"] {
                if let Some(Value::Object(object)) = self.pickle.get(slots, kind)
                    && matches!(self.pickle.objects[object], Object::Tensor(_))
                {
                    let full = format!("{name}.{kind}");
                    let tensor =
                        self.load(object).map_err(|e| format!("optimiser's `{full}`: {e}"))?;
                    moments.push((full, tensor));
                }
            }
        }
        Ok(moments)
    }

    /// What the optimiser was set to.
    pub fn settings(&self) -> Settings {
        let group = self.optimizer.and_then(|o| self.pickle.get(o, "param_groups"));
        let group = group.and_then(|groups| self.pickle.list(groups)?.first().copied());
        let value = |key: &str| self.pickle.get(group?, key);
        let number = |value: Value| match value {
            Value::Float(number) => Some(number),
            Value::Int(number) => Some(number as f64),
            _ => None,
        };
        let betas = value("betas").and_then(|b| match self.pickle.list(b)? {
            &[first, second] => Some((number(first)?, number(second)?)),
            _ => None,
        });
        let updates = self.slots().find_map(|(_, slots)| {
            let step = match self.pickle.get(slots, "step")? {
                Value::Object(object) => match &self.pickle.objects[object] {
                    Object::Tensor(_) => {
                        let step = self.load(object).ok()?.flatten_all().ok()?;
                        step.to_dtype(candle_core::DType::F64).ok()?.to_vec1().ok()?.pop()?
                    }
                    _ => return None,
                },
                other => number(other)?,
            };
            (step >= 0.0 && step < i64::MAX as f64).then_some(step as u64)
        });
        Settings {
            updates,
            learning_rate: value("lr").and_then(number),
            betas,
            weight_decay: value("weight_decay").and_then(number),
        }
    }

    /// The optimiser's dictionary of every tensor that has one.
    fn slots(&self) -> impl Iterator<Item = (&'a str, Value<'a>)> {
        let state = self.optimizer.and_then(|o| self.pickle.get(o, "state"));
        let items = state.and_then(|state| self.pickle.dict(state)).unwrap_or_default();
        items.iter().filter_map(|&(number, slots)| match number {
            Value::Int(number) => {
                let (name, _) = self.tensors.get(usize::try_from(number).ok()?)?;
                Some((*name, slots))
            }
            _ => None,
        })
    }

    fn place(&self, object: usize) -> &TensorPlace {
        let place = self.pickle.tensor(Value::Object(object));
        place.expect("only objects that are tensors are kept")
    }

    /// Checks every tensor of the file, those of the optimiser included.
    fn check(&self, file: usize) -> Result<(), String> {
        let mut total = 0_usize;
        for object in &self.pickle.objects {
            if let Object::Tensor(place) = object {
                let (storage, bytes) = self.storage(place)?;
                let count = count_inside(place, storage.length)?;
                total = total.saturating_add(count.saturating_mul(storage.element.size()));
                if bytes.len() != storage.length.saturating_mul(storage.element.size()) {
                    return Err(format!(
                        "its storage `{:.40}` should have {} numbers of {} bytes, but has {} bytes",
                        storage.key,
                        storage.length,
                        storage.element.size(),
                        bytes.len()
                    ));
                }
            }
        }
        if total > file.saturating_mul(SHARING) {
            return Err(format!("its tensors have {total} bytes, but the file has only {file}"));
        }
        Ok(())
    }

    fn storage(&self, place: &TensorPlace) -> Result<(Storage<'a>, &'a [u8]), String> {
        let storage = self.pickle.storage(place.storage).ok_or("a tensor has no storage")?;
        let bytes = self.storages.get(storage.key).copied();
        Ok((storage, bytes.ok_or_else(|| format!("its storage `{:.40}` is missing", storage.key))?))
    }

    fn load(&self, object: usize) -> Result<Tensor, String> {
        let place = self.place(object);
        let (storage, bytes) = self.storage(place)?;
        let count = count_inside(place, storage.length)?;
        let size = storage.element.size();
        let mut gathered = Vec::with_capacity(count * size);
        if count > 0 {
            gather(bytes, place, size, &mut gathered);
        }
        tensor(storage.element, &gathered, &place.shape).map_err(|e| e.to_string())
    }
}

/// Pickle and storages of a zip archive.
fn archive(bytes: &[u8]) -> Result<(Pickle<'_>, HashMap<&str, &[u8]>), String> {
    let archive = Archive::read(bytes)?;
    let folder = archive.folder_of("data.pkl")?;
    if let Ok(order) = archive.get(&format!("{folder}byteorder"))
        && order != b"little"
    {
        return Err("its numbers are not little-endian".into());
    }
    let pickle = archive.get(&format!("{folder}data.pkl"))?;
    let pickle = pickle::read(&mut Bytes::new(pickle), INSTRUCTIONS)?;
    let mut storages = HashMap::new();
    for object in &pickle.objects {
        if let Object::Storage(storage) = object {
            let content = archive.get(&format!("{folder}data/{}", storage.key))?;
            storages.insert(storage.key, content);
        }
    }
    Ok((pickle, storages))
}

/// Pickle and storages of the older format: magic number, version, what the machine was like,
/// the pickle, the keys of the storages, and the storages in that order.
fn row(bytes: &[u8]) -> Result<(Pickle<'_>, HashMap<&str, &[u8]>), String> {
    let mut from = Bytes::new(bytes);
    let magic = pickle::read(&mut from, 8)?.root;
    if magic != Value::Long(&MAGIC) {
        return Err("it is a pickle, but none that torch.save wrote".into());
    }
    if pickle::read(&mut from, 8)?.root != Value::Int(VERSION) {
        return Err(format!("its version is not {VERSION}"));
    }
    let machine = pickle::read(&mut from, 1000)?;
    if machine.get(machine.root, "little_endian") == Some(Value::Bool(false)) {
        return Err("its numbers are not little-endian".into());
    }
    let pickle = pickle::read(&mut from, INSTRUCTIONS)?;
    let keys = pickle::read(&mut from, INSTRUCTIONS)?;
    let mut elements = HashMap::new();
    for object in &pickle.objects {
        if let Object::Storage(Storage { key, element, .. }) = object
            && elements.insert(*key, *element).is_some_and(|other| other != *element)
        {
            return Err(format!("its storage `{key:.40}` is of two types"));
        }
    }
    let mut storages = HashMap::new();
    for key in keys.list(keys.root).ok_or("it has no list of storages")? {
        let Value::Text(key) = *key else {
            return Err("a key of its storages is no text".into());
        };
        let element = elements.get(key);
        let element = element.ok_or_else(|| format!("nothing uses its storage `{key:.40}`"))?;
        let length = from.u64()?.saturating_mul(element.size() as u64);
        let content = from.take(length).map_err(|e| format!("its storage `{key:.40}`: {e}"))?;
        storages.insert(key, content);
    }
    Ok((pickle, storages))
}

/// How many numbers a tensor has; refused unless each lies inside the storage and in a place of
/// its own.
fn count_inside(place: &TensorPlace, length: usize) -> Result<usize, String> {
    let TensorPlace { offset, shape, strides, .. } = place;
    if shape.len() != strides.len() {
        return Err(format!("a tensor has {} sizes and {} strides", shape.len(), strides.len()));
    }
    if shape.contains(&0) {
        return Ok(0);
    }
    let outside =
        || format!("a tensor of sizes {shape:?} does not fit into its storage of {length}");
    let mut steps: Vec<(usize, usize)> =
        strides.iter().copied().zip(shape.iter().copied()).collect();
    steps.retain(|(_, size)| *size > 1);
    steps.sort_unstable();
    // Numbers from the first to the last place reached so far.
    let mut reach = 1_usize;
    let mut count = 1_usize;
    for (stride, size) in steps {
        if stride < reach {
            return Err(format!("the places of a tensor of sizes {shape:?} overlap"));
        }
        let further = stride.checked_mul(size - 1).and_then(|f| f.checked_add(reach));
        reach = further.filter(|reach| *reach <= length).ok_or_else(outside)?;
        count = count.checked_mul(size).ok_or_else(outside)?;
    }
    match offset.checked_add(reach) {
        Some(end) if end <= length => Ok(count),
        _ => Err(outside()),
    }
}

/// Appends the numbers of a tensor, row-major; every place is known to lie inside.
fn gather(bytes: &[u8], place: &TensorPlace, size: usize, to: &mut Vec<u8>) {
    let TensorPlace { offset, shape, strides, .. } = place;
    // The longest run at the end that is in order anyway.
    let (mut dimensions, mut run) = (shape.len(), 1);
    while dimensions > 0 && (shape[dimensions - 1] == 1 || strides[dimensions - 1] == run) {
        dimensions -= 1;
        run *= shape[dimensions];
    }
    let mut index = vec![0; dimensions];
    loop {
        let at: usize = index.iter().zip(strides).map(|(i, stride)| i * stride).sum();
        let start = (offset + at) * size;
        to.extend_from_slice(&bytes[start..start + run * size]);
        let Some(last) = (0..dimensions).rev().find(|&d| index[d] + 1 < shape[d]) else { return };
        index[last] += 1;
        index[last + 1..].fill(0);
    }
}

fn tensor(element: Element, bytes: &[u8], shape: &[usize]) -> candle_core::Result<Tensor> {
    fn numbers<const N: usize, T>(bytes: &[u8], number: fn([u8; N]) -> T) -> Vec<T> {
        bytes.as_chunks().0.iter().map(|&chunk| number(chunk)).collect()
    }
    let cpu = &Device::Cpu;
    match element {
        Element::F64 => Tensor::from_vec(numbers(bytes, f64::from_le_bytes), shape, cpu),
        Element::F32 => Tensor::from_vec(numbers(bytes, f32::from_le_bytes), shape, cpu),
        Element::Bf16 => {
            let number = |b| f32::from_bits(u32::from(u16::from_le_bytes(b)) << 16);
            Tensor::from_vec(numbers(bytes, number), shape, cpu)
        }
        Element::F16 => {
            let raw = Tensor::from_raw_buffer(bytes, candle_core::DType::F16, shape, cpu)?;
            raw.to_dtype(candle_core::DType::F32)
        }
        Element::I64 => {
            Tensor::from_vec(numbers(bytes, |b| i64::from_le_bytes(b) as f64), shape, cpu)
        }
        Element::I32 => {
            Tensor::from_vec(numbers(bytes, |b| f64::from(i32::from_le_bytes(b))), shape, cpu)
        }
        Element::I16 => {
            Tensor::from_vec(numbers(bytes, |b| f32::from(i16::from_le_bytes(b))), shape, cpu)
        }
        Element::I8 => {
            Tensor::from_vec(numbers(bytes, |b| f32::from(i8::from_le_bytes(b))), shape, cpu)
        }
        Element::U8 | Element::Bool => {
            Tensor::from_vec(numbers(bytes, |b| f32::from(u8::from_le_bytes(b))), shape, cpu)
        }
    }
}
