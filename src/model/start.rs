//! Parameters at the beginning: drawn by seed, or taken from a file.

use super::{ModelError, Parameters};
use candle_core::{DType, Device, Tensor, Var};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};
use std::collections::BTreeMap;

/// Name and shape of every parameter of a family, sorted by name.
pub(super) type Shapes = Vec<(String, Vec<usize>)>;

/// How a tensor is drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Draw {
    /// Standard normal.
    Normal,
    /// Normal with the variance 2 / (rows + columns) of Xavier initialisation.
    Xavier,
    /// Uniform within 1 / sqrt(n): biases of layers of `n` inputs.
    Uniform(usize),
}

/// Random parameters, drawn in the order of `shapes`.
pub(super) fn random(
    shapes: Shapes,
    seed: u64,
    dtype: DType,
    how: impl Fn(&str, &[usize]) -> Draw,
) -> Result<Parameters, ModelError> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut parameters = Parameters::new();
    for (name, shape) in shapes {
        let count: usize = shape.iter().product();
        let mut normal = |deviation: f64| -> Vec<f32> {
            let draw = |_| {
                let x: f64 = StandardNormal.sample(&mut rng);
                (deviation * x) as f32
            };
            (0..count).map(draw).collect()
        };
        let values = match how(&name, &shape) {
            Draw::Normal => normal(1.0),
            Draw::Xavier => normal((2.0 / shape.iter().sum::<usize>() as f64).sqrt()),
            Draw::Uniform(inputs) => {
                let bound = 1.0 / (inputs as f64).sqrt();
                let uniform = rand_distr::Uniform::new(-bound, bound)
                    .map_err(|e| ModelError::Unsupported(e.to_string()))?;
                (0..count).map(|_| uniform.sample(&mut rng) as f32).collect()
            }
        };
        // Drawn in f32 whatever the precision, so that both start from the same numbers.
        let tensor = Tensor::from_vec(values, shape, &Device::Cpu)?.to_dtype(dtype)?;
        parameters.insert(name, Var::from_tensor(&tensor)?);
    }
    Ok(parameters)
}

/// Parameters from stored tensors; names and shapes are checked.
pub(super) fn stored(
    shapes: Shapes,
    mut tensors: BTreeMap<String, Tensor>,
    dtype: DType,
) -> Result<Parameters, ModelError> {
    let mut parameters = Parameters::new();
    for (name, shape) in shapes {
        let wrong = |reason: String| ModelError::Shape { name: name.clone(), reason };
        let tensor = tensors.remove(&name).ok_or_else(|| wrong("is missing".into()))?;
        if tensor.dims() != shape.as_slice() {
            return Err(wrong(format!("expected {shape:?}, found {:?}", tensor.dims())));
        }
        // Stored tensors may share their storage; a copy is ours.
        let tensor = tensor.to_dtype(dtype)?.contiguous()?;
        parameters.insert(name, Var::from_tensor(&tensor)?);
    }
    if let Some(name) = tensors.into_keys().next() {
        let reason = "does not belong to this family".into();
        return Err(ModelError::Shape { name, reason });
    }
    Ok(parameters)
}

/// How many numbers the parameters have.
pub(super) fn count(shapes: &Shapes) -> u128 {
    shapes.iter().map(|(_, shape)| shape.iter().map(|&n| n as u128).product::<u128>()).sum()
}
