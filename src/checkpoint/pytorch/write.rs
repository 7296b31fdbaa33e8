//! State dicts as `torch.save` writes them.

use super::state::Settings;
use super::zip::Writer;
use candle_core::{DType, Tensor};
use std::collections::BTreeMap;
use std::io::{self, BufWriter, Write};

/// The folder in the archive.
const FOLDER: &str = "archive";

/// Moments by the names `NAME.exp_avg` and `NAME.exp_avg_sq`, with the optimiser's settings.
pub struct Optimizer<'a> {
    pub moments: &'a BTreeMap<String, Tensor>,
    pub settings: Settings,
}

/// Writes tensors under their names, in this order: bare, or as `{"model", "optimizer"}`, the
/// optimiser only where its moments are there.
pub fn write(
    to: impl Write,
    tensors: &[(&str, &Tensor)],
    wrapped: bool,
    optimizer: Option<&Optimizer>,
) -> io::Result<()> {
    let mut pickle = Pickler::default();
    pickle.op(b"\x80\x02");
    if wrapped {
        pickle.op(b"}(");
        pickle.text("model");
    }
    pickle.state_dict(tensors)?;
    if wrapped {
        if let Some(optimizer) = optimizer {
            pickle.text("optimizer");
            pickle.optimizer(tensors, optimizer)?;
        }
        pickle.op(b"u");
    }
    pickle.op(b".");
    let mut archive = Writer::new(BufWriter::new(to));
    let name = |file: &str| format!("{FOLDER}/{file}");
    archive.add(&name("data.pkl"), &pickle.bytes)?;
    archive.add(&name("byteorder"), b"little")?;
    for (number, numbers) in pickle.storages.iter().enumerate() {
        archive.add(&name(&format!("data/{number}")), &numbers.bytes()?)?;
    }
    archive.add(&name("version"), b"3\n")?;
    archive.finish()?.flush()
}

/// What a storage holds.
enum Numbers<'a> {
    Tensor(&'a Tensor),
    One(f32),
}

impl Numbers<'_> {
    fn bytes(&self) -> io::Result<Vec<u8>> {
        let tensor = match self {
            Numbers::One(number) => return Ok(number.to_le_bytes().to_vec()),
            Numbers::Tensor(tensor) => tensor,
        };
        let flat = tensor.flatten_all().map_err(io::Error::other)?;
        Ok(if flat.dtype() == DType::F64 {
            let numbers = flat.to_vec1::<f64>().map_err(io::Error::other)?;
            numbers.into_iter().flat_map(f64::to_le_bytes).collect()
        } else {
            let numbers = flat.to_vec1::<f32>().map_err(io::Error::other)?;
            numbers.into_iter().flat_map(f32::to_le_bytes).collect()
        })
    }
}

/// The pickle as it grows, and the storages that it refers to.
#[derive(Default)]
struct Pickler<'a> {
    bytes: Vec<u8>,
    storages: Vec<Numbers<'a>>,
}

impl<'a> Pickler<'a> {
    fn op(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    fn text(&mut self, text: &str) {
        self.op(b"X");
        self.op(&(text.len() as u32).to_le_bytes());
        self.op(text.as_bytes());
    }

    fn float(&mut self, number: f64) {
        self.op(b"G");
        self.op(&number.to_be_bytes());
    }

    fn whole(&mut self, number: usize) -> io::Result<()> {
        match i32::try_from(number) {
            Ok(number) => {
                self.op(b"J");
                self.op(&number.to_le_bytes());
            }
            Err(_) => {
                let number = i64::try_from(number).map_err(io::Error::other)?;
                self.op(b"\x8a\x08");
                self.op(&number.to_le_bytes());
            }
        }
        Ok(())
    }

    fn empty_ordered(&mut self) {
        self.op(b"ccollections\nOrderedDict\n)R");
    }

    fn state_dict(&mut self, tensors: &[(&str, &'a Tensor)]) -> io::Result<()> {
        self.empty_ordered();
        self.op(b"(");
        for &(name, tensor) in tensors {
            self.text(name);
            self.tensor(Numbers::Tensor(tensor), tensor.dims(), tensor.dtype())?;
        }
        self.op(b"u");
        Ok(())
    }

    fn tensor(&mut self, numbers: Numbers<'a>, shape: &[usize], dtype: DType) -> io::Result<()> {
        let class: &[u8] = match dtype {
            DType::F32 => b"ctorch\nFloatStorage\n",
            DType::F64 => b"ctorch\nDoubleStorage\n",
            other => return Err(io::Error::other(format!("tensors of {other:?} are not written"))),
        };
        self.op(b"ctorch._utils\n_rebuild_tensor_v2\n((");
        self.text("storage");
        self.op(class);
        self.text(&self.storages.len().to_string());
        self.text("cpu");
        self.whole(shape.iter().product())?;
        // The reference; the tensor begins at 0.
        self.op(b"tQK\x00(");
        for &size in shape {
            self.whole(size)?;
        }
        self.op(b"t(");
        for d in 0..shape.len() {
            self.whole(shape[d + 1..].iter().product())?;
        }
        // No gradient, no hooks.
        self.op(b"t\x89");
        self.empty_ordered();
        self.op(b"tR");
        self.storages.push(numbers);
        Ok(())
    }

    fn optimizer(
        &mut self,
        tensors: &[(&str, &Tensor)],
        optimizer: &Optimizer<'a>,
    ) -> io::Result<()> {
        let Settings { updates, learning_rate, betas, weight_decay } = optimizer.settings;
        self.op(b"}(");
        self.text("state");
        self.op(b"}(");
        for (number, (name, _)) in tensors.iter().enumerate() {
            self.whole(number)?;
            self.op(b"}(");
            self.text("step");
            self.tensor(Numbers::One(updates.unwrap_or(0) as f32), &[], DType::F32)?;
            for kind in ["exp_avg", "exp_avg_sq"] {
                if let Some(moment) = optimizer.moments.get(&format!("{name}.{kind}")) {
                    self.text(kind);
                    self.tensor(Numbers::Tensor(moment), moment.dims(), moment.dtype())?;
                }
            }
            self.op(b"u");
        }
        self.op(b"u");
        self.text("param_groups");
        self.op(b"](}(");
        for (key, value) in [("lr", learning_rate), ("weight_decay", weight_decay)] {
            if let Some(value) = value {
                self.text(key);
                self.float(value);
            }
        }
        if let Some((first, second)) = betas {
            self.text("betas");
            self.float(first);
            self.float(second);
            self.op(b"\x86");
        }
        self.text("eps");
        self.float(1e-8);
        self.text("amsgrad");
        self.op(b"\x89");
        self.text("params");
        self.op(b"](");
        for number in 0..tensors.len() {
            self.whole(number)?;
        }
        self.op(b"eueu");
        Ok(())
    }
}
