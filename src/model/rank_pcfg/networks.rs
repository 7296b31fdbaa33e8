//! The small networks (appendix A of Yang, Liu & Tu 2022) up to the last hidden layer, as tensors
//! that can be differentiated; parameter names are the published checkpoints'.

use super::Sizes;
use crate::model::{ModelError, Parameters, layers};
use candle_core::{Device, Tensor, Var};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};

/// Hidden layers that the grammar is computed from.
pub(super) struct Hidden {
    /// f1(w) of the nonterminals: (NT, d).
    pub parent: Tensor,
    /// f2(w), f3(w) of all symbols: (NT + PT, d).
    pub left: Tensor,
    pub right: Tensor,
    /// Scores of the start symbol: (1, NT).
    pub start: Tensor,
    /// h2(w) before its last layer, of the preterminals: (PT, d).
    pub emission: Tensor,
}

impl Hidden {
    /// Runs the networks.
    pub fn compute(parameters: &Parameters, sizes: &Sizes) -> Result<Hidden, ModelError> {
        let get = |name: &str| parameters[name].as_tensor();
        let layer = |x: &Tensor, name: &str| {
            layers::linear(x, get(&format!("{name}.weight")), get(&format!("{name}.bias")))
        };
        let layer_relu = |x: &Tensor, name: &str| {
            layers::linear_relu(x, get(&format!("{name}.weight")), get(&format!("{name}.bias")))
        };
        // h of appendix A before its last layer: a linear layer and two residual blocks.
        let residual = |x: &Tensor, name: &str| -> candle_core::Result<Tensor> {
            let mut x = layer(x, &format!("{name}.0"))?;
            for block in [1, 2] {
                let inner = layer_relu(&x, &format!("{name}.{block}.linear.0"))?;
                let inner = layer_relu(&inner, &format!("{name}.{block}.linear.2"))?;
                x = (x + inner)?;
            }
            Ok(x)
        };
        let symbols = get("rule_state_emb");
        let nonterminals = symbols.narrow(0, 0, sizes.nonterminals)?;
        let preterminals = symbols.narrow(0, sizes.nonterminals, sizes.preterminals)?;
        Ok(Hidden {
            parent: layer_relu(&nonterminals, "parent_mlp.0")?,
            left: layer_relu(symbols, "left_mlp.0")?,
            right: layer_relu(symbols, "right_mlp.0")?,
            start: layer(&residual(get("root_emb"), "root_mlp")?, "root_mlp.3")?,
            emission: residual(&preterminals, "term_mlp")?,
        })
    }
}

/// Name and shape of every parameter.
pub(super) fn shapes(sizes: &Sizes) -> Vec<(String, Vec<usize>)> {
    let (d, symbols) = (sizes.embedding, sizes.nonterminals + sizes.preterminals);
    let mut all: Vec<(String, Vec<usize>)> = vec![
        ("root_emb".into(), vec![1, d]),
        ("rule_state_emb".into(), vec![symbols, d]),
        ("rank_proj".into(), vec![d, sizes.rank]),
    ];
    let mut linear = |name: String, out: usize| {
        all.push((format!("{name}.weight"), vec![out, d]));
        all.push((format!("{name}.bias"), vec![out]));
    };
    for name in ["parent_mlp", "left_mlp", "right_mlp"] {
        linear(format!("{name}.0"), d);
    }
    for (name, out) in [("root_mlp", sizes.nonterminals), ("term_mlp", sizes.vocabulary)] {
        linear(format!("{name}.0"), d);
        for block in [1, 2] {
            linear(format!("{name}.{block}.linear.0"), d);
            linear(format!("{name}.{block}.linear.2"), d);
        }
        linear(format!("{name}.3"), out);
    }
    all.sort();
    all
}

/// Random start: Xavier normal for matrices, embeddings included; biases uniform within
/// 1/sqrt(fan-in), as linear layers of the published code start.
pub(super) fn initial(
    sizes: &Sizes,
    seed: u64,
    dtype: candle_core::DType,
    device: &Device,
) -> Result<Parameters, ModelError> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut parameters = Parameters::new();
    for (name, shape) in shapes(sizes) {
        let count = shape.iter().product();
        let values: Vec<f32> = match shape.as_slice() {
            [rows, columns] => {
                let deviation = (2.0 / (rows + columns) as f64).sqrt();
                let normal = |rng: &mut ChaCha8Rng| -> f64 { StandardNormal.sample(rng) };
                (0..count).map(|_| (deviation * normal(&mut rng)) as f32).collect()
            }
            _ => {
                let bound = 1.0 / (sizes.embedding as f64).sqrt();
                let uniform = rand_distr::Uniform::new(-bound, bound)
                    .map_err(|e| ModelError::Unsupported(e.to_string()))?;
                (0..count).map(|_| uniform.sample(&mut rng) as f32).collect()
            }
        };
        // Drawn in f32 whatever the precision, so that both start from the same grammar.
        let tensor = Tensor::from_vec(values, shape, device)?.to_dtype(dtype)?;
        parameters.insert(name, Var::from_tensor(&tensor)?);
    }
    Ok(parameters)
}
