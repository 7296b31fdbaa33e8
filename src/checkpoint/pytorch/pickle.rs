//! Pickles without Python: a whitelist of opcodes and globals, and nothing is ever called.
//!
//! Values are small and copied and there is no recursion. Every instruction adds at most one
//! value, and instructions are counted.

use super::bytes::Bytes;
use super::value::{Element, Global, Object, Pickle, Storage, TensorPlace, Value};
use std::collections::HashMap;

/// Everything that a pickle may name.
const GLOBALS: [(&str, &str, Global); 17] = [
    ("collections", "OrderedDict", Global::OrderedDict),
    ("collections", "Counter", Global::Counter),
    ("torch._utils", "_rebuild_tensor_v2", Global::RebuildTensor),
    ("torch._utils", "_rebuild_tensor", Global::RebuildTensor),
    ("torch._utils", "_rebuild_parameter", Global::RebuildParameter),
    ("torch", "Size", Global::Size),
    ("torch", "DoubleStorage", Global::Storage(Element::F64)),
    ("torch", "FloatStorage", Global::Storage(Element::F32)),
    ("torch", "HalfStorage", Global::Storage(Element::F16)),
    ("torch", "BFloat16Storage", Global::Storage(Element::Bf16)),
    ("torch", "LongStorage", Global::Storage(Element::I64)),
    ("torch", "IntStorage", Global::Storage(Element::I32)),
    ("torch", "ShortStorage", Global::Storage(Element::I16)),
    ("torch", "CharStorage", Global::Storage(Element::I8)),
    ("torch", "ByteStorage", Global::Storage(Element::U8)),
    ("torch", "BoolStorage", Global::Storage(Element::Bool)),
    ("fastNLP.core.vocabulary", "Vocabulary", Global::Plain),
];

/// Arguments of a call at most.
const ARGUMENTS: usize = 8;

/// Dimensions of a tensor at most.
const DIMENSIONS: usize = 8;

/// Reads one pickle of at most `most` instructions and leaves `from` behind its end.
pub(super) fn read<'a>(from: &mut Bytes<'a>, most: usize) -> Result<Pickle<'a>, String> {
    let mut machine = Machine {
        from,
        left: most,
        stack: Vec::new(),
        marks: Vec::new(),
        memo: HashMap::new(),
        objects: Vec::new(),
    };
    loop {
        let at = machine.from.at();
        if let Some(root) = machine.step().map_err(|e| format!("{e} (byte {at})"))? {
            let pickle = Pickle { root, objects: machine.objects };
            pickle.check_nesting()?;
            return Ok(pickle);
        }
    }
}

struct Machine<'a, 'b> {
    from: &'b mut Bytes<'a>,
    /// How many instructions may follow; a copied item counts as one.
    left: usize,
    stack: Vec<Value<'a>>,
    /// Heights of the stack where marks were set.
    marks: Vec<usize>,
    memo: HashMap<u32, Value<'a>>,
    objects: Vec<Object<'a>>,
}

impl<'a> Machine<'a, '_> {
    /// One instruction; the value where it was the last.
    fn step(&mut self) -> Result<Option<Value<'a>>, String> {
        self.spend(1)?;
        let opcode = self.from.u8()?;
        match opcode {
            b'\x80' => match self.from.u8()? {
                0..=5 => {}
                newer => return Err(format!("pickle protocol {newer} is not known")),
            },
            b'\x95' => drop(self.from.u64()?),
            b'.' => return self.pop().map(Some),
            b'(' => self.marks.push(self.stack.len()),
            b'N' => self.stack.push(Value::None),
            b'\x88' => self.stack.push(Value::Bool(true)),
            b'\x89' => self.stack.push(Value::Bool(false)),
            b'J' => {
                let number = self.from.u32()?.cast_signed();
                self.stack.push(Value::Int(number.into()));
            }
            b'K' => {
                let number = self.from.u8()?;
                self.stack.push(Value::Int(number.into()));
            }
            b'M' => {
                let number = self.from.u16()?;
                self.stack.push(Value::Int(number.into()));
            }
            b'\x8a' => {
                let length = self.from.u8()?;
                let number = self.from.take(length.into())?;
                self.stack.push(long(number));
            }
            b'G' => {
                let number = self.from.f64_be()?;
                self.stack.push(Value::Float(number));
            }
            b'X' | b'T' => {
                let length = self.from.u32()?;
                self.text(length.into())?;
            }
            b'\x8c' | b'U' => {
                let length = self.from.u8()?;
                self.text(length.into())?;
            }
            b'\x8d' => {
                let length = self.from.u64()?;
                self.text(length)?;
            }
            b']' => self.make(Object::List(Vec::new())),
            b'}' => self.make(Object::Dict(Vec::new())),
            b')' => self.make(Object::Tuple(Vec::new())),
            b't' => {
                let items = self.pop_mark()?;
                self.make(Object::Tuple(items));
            }
            b'\x85'..=b'\x87' => {
                let items = self.pop_many(usize::from(opcode - b'\x84'))?;
                self.make(Object::Tuple(items));
            }
            b'a' => {
                let item = self.pop()?;
                self.top_list()?.push(item);
            }
            b'e' => {
                let items = self.pop_mark()?;
                self.top_list()?.extend(items);
            }
            b's' => {
                let items = self.pop_many(2)?;
                self.set_items(&items)?;
            }
            b'u' => {
                let items = self.pop_mark()?;
                self.set_items(&items)?;
            }
            b'q' => {
                let place = self.from.u8()?;
                self.remember(place.into())?;
            }
            b'r' => {
                let place = self.from.u32()?;
                self.remember(place)?;
            }
            b'\x94' => self.remember(self.memo.len() as u32)?,
            b'h' => {
                let place = self.from.u8()?;
                self.recall(place.into())?;
            }
            b'j' => {
                let place = self.from.u32()?;
                self.recall(place)?;
            }
            b'c' => {
                let (module, name) = (self.from.line()?, self.from.line()?);
                self.stack.push(Value::Global(global(module, name)?));
            }
            b'\x93' => {
                let names = self.pop_many(2)?;
                let [Value::Text(module), Value::Text(name)] = names[..] else {
                    return Err("a global is named by something else than text".into());
                };
                self.stack.push(Value::Global(global(module, name)?));
            }
            b'R' => self.reduce()?,
            b'\x81' => {
                let class = self.pop_many(2)?[0];
                if class != Value::Global(Global::Plain) {
                    return Err("an object of an unexpected class is made".into());
                }
                self.make(Object::Instance(None));
            }
            b'b' => self.build()?,
            b'Q' => {
                let storage = self.storage()?;
                self.make(Object::Storage(storage));
            }
            other => {
                return Err(format!(
                    "its pickle has the opcode {}, which no file of tensors needs",
                    name_of(other)
                ));
            }
        }
        Ok(None)
    }

    fn spend(&mut self, instructions: usize) -> Result<(), String> {
        let left = self.left.checked_sub(instructions);
        self.left = left.ok_or("its pickle is longer than any of a checkpoint")?;
        Ok(())
    }

    fn make(&mut self, object: Object<'a>) {
        self.stack.push(Value::Object(self.objects.len()));
        self.objects.push(object);
    }

    fn text(&mut self, length: u64) -> Result<(), String> {
        let text = self.from.text(length)?;
        self.stack.push(Value::Text(text));
        Ok(())
    }

    /// Lowest place that may be popped: what is below the last mark belongs to others.
    fn floor(&self) -> usize {
        self.marks.last().copied().unwrap_or(0)
    }

    fn pop(&mut self) -> Result<Value<'a>, String> {
        Ok(self.pop_many(1)?[0])
    }

    fn pop_many(&mut self, count: usize) -> Result<Vec<Value<'a>>, String> {
        match self.stack.len().checked_sub(count) {
            Some(start) if start >= self.floor() => Ok(self.stack.split_off(start)),
            _ => Err("its pickle takes a value that is not there".into()),
        }
    }

    fn pop_mark(&mut self) -> Result<Vec<Value<'a>>, String> {
        let mark = self.marks.pop().ok_or("its pickle ends a group that never began")?;
        Ok(self.stack.split_off(mark))
    }

    fn top(&mut self) -> Result<&mut Object<'a>, String> {
        match self.stack[self.floor()..].last() {
            Some(&Value::Object(i)) => Ok(&mut self.objects[i]),
            _ => Err("its pickle adds to something that holds nothing".into()),
        }
    }

    fn top_list(&mut self) -> Result<&mut Vec<Value<'a>>, String> {
        match self.top()? {
            Object::List(items) => Ok(items),
            _ => Err("its pickle appends to something else than a list".into()),
        }
    }

    fn set_items(&mut self, items: &[Value<'a>]) -> Result<(), String> {
        let Object::Dict(dict) = self.top()? else {
            return Err("its pickle sets an item of something else than a dictionary".into());
        };
        let (pairs, rest) = items.as_chunks();
        if !rest.is_empty() {
            return Err("its pickle sets a key without a value".into());
        }
        dict.extend(pairs.iter().map(|&[key, value]| (key, value)));
        Ok(())
    }

    fn remember(&mut self, place: u32) -> Result<(), String> {
        let floor = self.floor();
        let top = self.stack[floor..].last();
        let value = *top.ok_or("its pickle remembers a value that is not there")?;
        self.memo.insert(place, value);
        Ok(())
    }

    fn recall(&mut self, place: u32) -> Result<(), String> {
        let value = self.memo.get(&place);
        let value =
            *value.ok_or_else(|| format!("its pickle recalls value {place}, never kept"))?;
        self.stack.push(value);
        Ok(())
    }

    fn tuple(&self, value: Value<'a>) -> Option<&[Value<'a>]> {
        match value {
            Value::Object(i) => match &self.objects[i] {
                Object::Tuple(items) => Some(items),
                _ => None,
            },
            _ => None,
        }
    }

    /// What a call of a global would give.
    fn reduce(&mut self) -> Result<(), String> {
        let popped = self.pop_many(2)?;
        let arguments = self.tuple(popped[1]).filter(|given| given.len() <= ARGUMENTS);
        let (Value::Global(function), Some(arguments)) = (popped[0], arguments) else {
            return Err("its pickle calls something that is no function".into());
        };
        let arguments = arguments.to_vec();
        let unexpected = || format!("{function:?} is called with unexpected arguments");
        let made = match (function, &arguments[..]) {
            (Global::OrderedDict | Global::Counter, []) => Object::Dict(Vec::new()),
            (Global::OrderedDict | Global::Counter, &[Value::Object(items)]) => {
                let count = match &self.objects[items] {
                    Object::Dict(items) => items.len(),
                    Object::List(items) => items.len(),
                    _ => 0,
                };
                self.spend(count)?;
                Object::Dict(self.pairs(items).ok_or_else(unexpected)?)
            }
            (Global::Size, &[items @ Value::Object(_)]) if self.tuple(items).is_some() => {
                // The tuple itself: it says the same.
                self.stack.push(items);
                return Ok(());
            }
            (Global::RebuildTensor, &[Value::Object(storage), offset, shape, strides, ..])
                if matches!(self.objects[storage], Object::Storage(_)) =>
            {
                Object::Tensor(TensorPlace {
                    storage,
                    offset: size("offset", offset)?,
                    shape: self.sizes("size", shape)?,
                    strides: self.sizes("stride", strides)?,
                })
            }
            (Global::RebuildParameter, &[Value::Object(tensor), ..])
                if matches!(self.objects[tensor], Object::Tensor(_)) =>
            {
                self.stack.push(Value::Object(tensor));
                return Ok(());
            }
            _ => return Err(unexpected()),
        };
        self.make(made);
        Ok(())
    }

    /// The items of a dictionary, or of a list of pairs.
    fn pairs(&self, object: usize) -> Option<Vec<(Value<'a>, Value<'a>)>> {
        match &self.objects[object] {
            Object::Dict(items) => Some(items.clone()),
            Object::List(items) => {
                let pair = |item: &Value<'a>| match *item {
                    Value::Object(i) => match &self.objects[i] {
                        Object::Tuple(pair) | Object::List(pair) if pair.len() == 2 => {
                            Some((pair[0], pair[1]))
                        }
                        _ => None,
                    },
                    _ => None,
                };
                items.iter().map(pair).collect()
            }
            _ => None,
        }
    }

    fn sizes(&self, what: &str, value: Value<'a>) -> Result<Vec<usize>, String> {
        match self.tuple(value) {
            Some(items) if items.len() <= DIMENSIONS => {
                items.iter().map(|&item| size(what, item)).collect()
            }
            Some(items) => Err(format!("a tensor has {} dimensions", items.len())),
            None => Err(format!("a tensor's {what} is no tuple")),
        }
    }

    /// Gives an object its fields. A dictionary's own (a state dict has versions of its modules)
    /// say nothing about tensors.
    fn build(&mut self) -> Result<(), String> {
        let fields = self.pop()?;
        match self.top()? {
            Object::Dict(_) => Ok(()),
            Object::Instance(state) => {
                *state = Some(fields);
                Ok(())
            }
            _ => Err("its pickle gives fields to a value that has none".into()),
        }
    }

    /// A reference of PyTorch to numbers elsewhere in the file.
    fn storage(&mut self) -> Result<Storage<'a>, String> {
        let reference = self.pop()?;
        match self.tuple(reference) {
            Some(
                &[
                    Value::Text("storage"),
                    Value::Global(Global::Storage(element)),
                    Value::Text(key),
                    Value::Text(_),
                    length,
                ]
                | &[
                    Value::Text("storage"),
                    Value::Global(Global::Storage(element)),
                    Value::Text(key),
                    Value::Text(_),
                    length,
                    Value::None,
                ],
            ) => Ok(Storage { key, element, length: size("storage", length)? }),
            _ => Err("its pickle refers to something else than a storage".into()),
        }
    }
}

fn size(what: &str, value: Value) -> Result<usize, String> {
    match value {
        Value::Int(number) => usize::try_from(number)
            .map_err(|_| format!("a tensor's {what} is {number}, below zero")),
        Value::Long(_) => Err(format!("a tensor's {what} has more than 64 bits")),
        _ => Err(format!("a tensor's {what} is no whole number")),
    }
}

/// A little-endian whole number in two's complement.
fn long(bytes: &[u8]) -> Value<'_> {
    if bytes.len() > 8 {
        return Value::Long(bytes);
    }
    let negative = bytes.last().is_some_and(|b| b & 0x80 != 0);
    let mut whole = [if negative { 0xff } else { 0 }; 8];
    whole[..bytes.len()].copy_from_slice(bytes);
    Value::Int(i64::from_le_bytes(whole))
}

fn global(module: &str, name: &str) -> Result<Global, String> {
    GLOBALS
        .iter()
        .find(|(m, n, _)| *m == module && *n == name)
        .map(|(.., global)| *global)
        .ok_or_else(|| {
            format!("its pickle names {module:.60}.{name:.60}, which no file of tensors needs")
        })
}

/// What the manuals call an opcode.
fn name_of(opcode: u8) -> String {
    let name = match opcode {
        b'i' => "INST",
        b'o' => "OBJ",
        b'P' => "PERSID",
        b'\x92' => "NEWOBJ_EX",
        b'\x82'..=b'\x84' => "EXT",
        b'0' => "POP",
        b'1' => "POP_MARK",
        b'2' => "DUP",
        b'I' => "INT",
        b'L' => "LONG",
        b'\x8b' => "LONG4",
        b'S' => "STRING",
        b'V' => "UNICODE",
        b'F' => "FLOAT",
        b'B' | b'C' | b'\x8e' | b'\x96' => "BYTES",
        b'l' => "LIST",
        b'd' => "DICT",
        b'g' => "GET",
        b'p' => "PUT",
        b'\x8f'..=b'\x91' => "SET",
        b'\x97' | b'\x98' => "BUFFER",
        _ => return format!("0x{opcode:02x}"),
    };
    format!("{name} (0x{opcode:02x})")
}
