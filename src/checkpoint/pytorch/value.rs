//! What a pickle holds, as plain values: containers lie in an arena, so that one that holds itself
//! or is nested without end costs nothing.

/// How a global of the whitelist is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Global {
    OrderedDict,
    Counter,
    /// `torch._utils._rebuild_tensor_v2` and its elder sister, which has fewer arguments.
    RebuildTensor,
    RebuildParameter,
    Size,
    Storage(Element),
    /// A class whose fields are read and whose methods do not exist here.
    Plain,
}

/// Type of the numbers in a storage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Element {
    F64,
    F32,
    F16,
    Bf16,
    I64,
    I32,
    I16,
    I8,
    U8,
    Bool,
}

impl Element {
    /// Bytes of a number.
    pub fn size(self) -> usize {
        match self {
            Element::F64 | Element::I64 => 8,
            Element::F32 | Element::I32 => 4,
            Element::F16 | Element::Bf16 | Element::I16 => 2,
            Element::I8 | Element::U8 | Element::Bool => 1,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Value<'a> {
    None,
    Bool(bool),
    Int(i64),
    /// A whole number of more than 64 bits, little-endian.
    Long(&'a [u8]),
    Float(f64),
    Text(&'a str),
    Global(Global),
    /// Place in the arena.
    Object(usize),
}

#[derive(Clone, Debug)]
pub(super) enum Object<'a> {
    Tuple(Vec<Value<'a>>),
    List(Vec<Value<'a>>),
    /// In the order of insertion.
    Dict(Vec<(Value<'a>, Value<'a>)>),
    /// Of a class that is only read: its fields, once they are given.
    Instance(Option<Value<'a>>),
    Storage(Storage<'a>),
    Tensor(TensorPlace),
}

/// Numbers that lie elsewhere in the file.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Storage<'a> {
    pub key: &'a str,
    pub element: Element,
    /// How many numbers.
    pub length: usize,
}

/// Where a tensor lies in its storage, unchecked.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct TensorPlace {
    /// Place of the storage in the arena.
    pub storage: usize,
    pub offset: usize,
    pub shape: Vec<usize>,
    pub strides: Vec<usize>,
}

/// A pickle's value with all that it refers to.
#[derive(Debug)]
pub(super) struct Pickle<'a> {
    pub root: Value<'a>,
    pub objects: Vec<Object<'a>>,
}

/// Containers inside each other at most; state dicts have five.
const DEEPEST: usize = 64;

impl<'a> Pickle<'a> {
    pub fn object(&self, value: Value<'a>) -> Option<&Object<'a>> {
        match value {
            Value::Object(i) => Some(&self.objects[i]),
            _ => None,
        }
    }

    /// The items of a dictionary.
    pub fn dict(&self, value: Value<'a>) -> Option<&[(Value<'a>, Value<'a>)]> {
        match self.object(value)? {
            Object::Dict(items) => Some(items),
            _ => None,
        }
    }

    /// The elements of a list or tuple.
    pub fn list(&self, value: Value<'a>) -> Option<&[Value<'a>]> {
        match self.object(value)? {
            Object::List(items) | Object::Tuple(items) => Some(items),
            _ => None,
        }
    }

    pub fn tensor(&self, value: Value<'a>) -> Option<&TensorPlace> {
        match self.object(value)? {
            Object::Tensor(place) => Some(place),
            _ => None,
        }
    }

    pub fn storage(&self, object: usize) -> Option<Storage<'a>> {
        match self.objects.get(object)? {
            Object::Storage(storage) => Some(*storage),
            _ => None,
        }
    }

    /// The value of a text key in a dictionary.
    pub fn get(&self, dict: Value<'a>, key: &str) -> Option<Value<'a>> {
        let items = self.dict(dict)?.iter();
        items.rev().find(|(k, _)| *k == Value::Text(key)).map(|(_, value)| *value)
    }

    /// Refuses a pickle that holds itself or is nested too deeply. Depth first without
    /// recursion; an object is looked into once.
    pub fn check_nesting(&self) -> Result<(), String> {
        let mut open = vec![false; self.objects.len()];
        let mut done = vec![false; self.objects.len()];
        let Value::Object(root) = self.root else { return Ok(()) };
        // Each open object with the number of the next of its children.
        let mut path = vec![(root, 0)];
        open[root] = true;
        while let Some((object, child)) = path.last_mut() {
            let here = *object;
            let Some(next) = self.child(here, *child) else {
                path.pop();
                (open[here], done[here]) = (false, true);
                continue;
            };
            *child += 1;
            let Value::Object(next) = next else { continue };
            if open[next] {
                return Err("its pickle holds itself".into());
            }
            if !done[next] {
                if path.len() == DEEPEST {
                    return Err(format!("its pickle is nested more than {DEEPEST} deep"));
                }
                open[next] = true;
                path.push((next, 0));
            }
        }
        Ok(())
    }

    fn child(&self, object: usize, number: usize) -> Option<Value<'a>> {
        match &self.objects[object] {
            Object::Tuple(items) | Object::List(items) => items.get(number).copied(),
            Object::Dict(items) => {
                let (key, value) = items.get(number / 2)?;
                Some(if number.is_multiple_of(2) { *key } else { *value })
            }
            Object::Instance(fields) => fields.filter(|_| number == 0),
            Object::Storage(_) | Object::Tensor(_) => None,
        }
    }
}
