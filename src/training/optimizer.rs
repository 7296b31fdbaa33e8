//! Adam and AdamW with readable moments, updated in place.
//!
//! The semantics are PyTorch's (`torch.optim.Adam`, `torch.optim.AdamW`,
//! `clip_grad_norm_`), so that published figures can be reproduced: epsilon is
//! added after the bias-corrected root, clipping divides by norm + 1e-6.

mod plain;

use super::TrainingError;
use crate::config::{Optimizer as Kind, Training};
use crate::device::AdamFactors;
use crate::model::{Gradients, Model, Parameters};
use candle_core::{CpuStorage, DType, Device, InplaceOp2, Layout, Tensor};
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::sync::Mutex;

pub use plain::{Plain, plain_norm};

const EPSILON: f64 = 1e-8;

/// Elements a thread takes at once; fixed, so that sums do not depend on the number of threads.
const CHUNK: usize = 1 << 14;

/// First and second moments of one parameter, in its own precision and layout.
#[derive(Clone, Debug, PartialEq)]
enum Moments {
    F32 { first: Vec<f32>, second: Vec<f32> },
    F64 { first: Vec<f64>, second: Vec<f64> },
}

/// Optimiser state: hyperparameters, moments by parameter name, and the number of updates.
#[derive(Clone, Debug)]
pub struct Adam {
    kind: Kind,
    beta1: f64,
    beta2: f64,
    weight_decay: f64,
    /// Largest total gradient norm; 0: no clipping.
    clip: f64,
    updates: u64,
    moments: BTreeMap<String, Moments>,
}

impl Adam {
    /// Zero moments for every parameter.
    pub fn new(config: &Training, parameters: &Parameters) -> Result<Adam, TrainingError> {
        let moments = parameters
            .iter()
            .map(|(name, parameter)| {
                let n = parameter.elem_count();
                let moments = match parameter.dtype() {
                    DType::F32 => Moments::F32 { first: vec![0.0; n], second: vec![0.0; n] },
                    DType::F64 => Moments::F64 { first: vec![0.0; n], second: vec![0.0; n] },
                    other => return Err(TrainingError::parameter(name, format!("is {other:?}"))),
                };
                Ok((name.clone(), moments))
            })
            .collect::<Result<_, _>>()?;
        Ok(Adam {
            kind: config.optimizer,
            beta1: config.beta1,
            beta2: config.beta2,
            weight_decay: config.weight_decay,
            clip: config.clip,
            updates: 0,
            moments,
        })
    }

    /// For a model on the host or a device, which keeps its moments itself.
    pub fn for_model(config: &Training, model: &dyn Model) -> Result<Adam, TrainingError> {
        match model.resident() {
            Some(_) => Adam::new(config, &Parameters::new()),
            None => Adam::new(config, model.parameters()),
        }
    }

    /// Number of updates so far.
    pub fn updates(&self) -> u64 {
        self.updates
    }

    /// Moments as tensors `NAME.exp_avg` and `NAME.exp_avg_sq`, shaped like the parameters.
    pub fn tensors(
        &self,
        parameters: &Parameters,
    ) -> Result<BTreeMap<String, Tensor>, TrainingError> {
        let mut tensors = BTreeMap::new();
        for (name, moments) in &self.moments {
            let Some(parameter) = parameters.get(name) else { continue };
            let (shape, cpu) = (parameter.shape(), &Device::Cpu);
            let (first, second) = match moments {
                Moments::F32 { first, second } => (
                    Tensor::from_slice(first, shape, cpu)?,
                    Tensor::from_slice(second, shape, cpu)?,
                ),
                Moments::F64 { first, second } => (
                    Tensor::from_slice(first, shape, cpu)?,
                    Tensor::from_slice(second, shape, cpu)?,
                ),
            };
            tensors.insert(format!("{name}.exp_avg"), first);
            tensors.insert(format!("{name}.exp_avg_sq"), second);
        }
        Ok(tensors)
    }

    /// Takes moments as [`Adam::tensors`] gave them; every parameter must have both.
    pub fn restore(
        &mut self,
        updates: u64,
        tensors: &BTreeMap<String, Tensor>,
    ) -> Result<(), TrainingError> {
        for (name, moments) in &mut self.moments {
            let get = |suffix: &str| {
                tensors.get(&format!("{name}.{suffix}")).ok_or_else(|| {
                    TrainingError::parameter(name, format!("has no optimizer state `{suffix}`"))
                })
            };
            let (saved_first, saved_second) = (get("exp_avg")?, get("exp_avg_sq")?);
            let sizes = [saved_first.elem_count(), saved_second.elem_count()];
            let (expected, dtype) = match moments {
                Moments::F32 { first, .. } => (first.len(), DType::F32),
                Moments::F64 { first, .. } => (first.len(), DType::F64),
            };
            let types = [saved_first.dtype(), saved_second.dtype()];
            if sizes != [expected; 2] || types != [dtype; 2] {
                return Err(TrainingError::parameter(
                    name,
                    format!(
                        "has {expected} values of type {dtype:?}, its optimizer state has {sizes:?} of {types:?}"
                    ),
                ));
            }
            match moments {
                Moments::F32 { first, second } => {
                    *first = saved_first.flatten_all()?.to_vec1()?;
                    *second = saved_second.flatten_all()?.to_vec1()?;
                }
                Moments::F64 { first, second } => {
                    *first = saved_first.flatten_all()?.to_vec1()?;
                    *second = saved_second.flatten_all()?.to_vec1()?;
                }
            }
        }
        self.updates = updates;
        Ok(())
    }

    /// Counts one more update and tells what it multiplies with, for a device that does it.
    pub fn next(&mut self, learning_rate: f64) -> AdamFactors {
        self.updates += 1;
        let t = self.updates as f64;
        let (decoupled, coupled) = match self.kind {
            Kind::Adamw => (1.0 - learning_rate * self.weight_decay, 0.0),
            Kind::Adam => (1.0, self.weight_decay),
        };
        AdamFactors {
            clip: self.clip,
            beta1: self.beta1,
            beta2: self.beta2,
            step_size: learning_rate / (1.0 - self.beta1.powf(t)),
            root_correction: (1.0 - self.beta2.powf(t)).sqrt(),
            decoupled,
            coupled,
        }
    }

    /// One update with the clip factor folded in. `norm` is the total norm before clipping.
    pub fn update(
        &mut self,
        parameters: &Parameters,
        gradients: &Gradients,
        learning_rate: f64,
        norm: f64,
    ) -> Result<(), TrainingError> {
        for name in parameters.keys() {
            if !gradients.contains_key(name) {
                return Err(TrainingError::parameter(name, "has no gradient"));
            }
        }
        let AdamFactors { clip, beta1, beta2, step_size, root_correction, decoupled, coupled } =
            self.next(learning_rate);
        let scale = if clip > 0.0 { (clip / (norm + 1e-6)).min(1.0) } else { 1.0 };
        let factors =
            Factors { scale, beta1, beta2, step_size, root_correction, decoupled, coupled };
        for (name, parameter) in parameters {
            let moments = self
                .moments
                .get_mut(name)
                .ok_or_else(|| TrainingError::parameter(name, "is unknown to the optimizer"))?;
            let op = Update { factors, moments: Mutex::new(moments) };
            parameter.inplace_op2(&gradients[name], &op)?;
        }
        Ok(())
    }
}

/// Euclidean norm over all gradients together, summed in f64 in a fixed order.
pub fn total_norm(gradients: &Gradients) -> Result<f64, TrainingError> {
    let mut sum = 0.0;
    for (name, gradient) in gradients {
        let gradient = gradient.contiguous()?;
        let (storage, layout) = gradient.storage_and_layout();
        let candle_core::Storage::Cpu(storage) = &*storage else {
            return Err(TrainingError::parameter(name, "has its gradient on another device"));
        };
        let range = layout.start_offset()..layout.start_offset() + layout.shape().elem_count();
        sum += match storage {
            CpuStorage::F32(values) => sum_of_squares(&values[range]),
            CpuStorage::F64(values) => sum_of_squares(&values[range]),
            _ => return Err(TrainingError::parameter(name, "has a gradient of another type")),
        };
    }
    Ok(sum.sqrt())
}

fn sum_of_squares<T: Copy + Into<f64> + Sync>(values: &[T]) -> f64 {
    let parts: Vec<f64> = values
        .par_chunks(CHUNK)
        .map(|chunk| {
            // Eight sums side by side, so that the loop runs in vector registers.
            let mut lanes = [0.0f64; 8];
            let mut eights = chunk.chunks_exact(8);
            for eight in &mut eights {
                for (lane, &x) in lanes.iter_mut().zip(eight) {
                    let x: f64 = x.into();
                    *lane += x * x;
                }
            }
            let rest = eights.remainder().iter().map(|&x| x.into() * x.into()).sum::<f64>();
            lanes.iter().sum::<f64>() + rest
        })
        .collect();
    parts.iter().sum()
}

/// What an update multiplies with, the same for every parameter.
#[derive(Clone, Copy)]
struct Factors {
    /// Clip factor on the gradient.
    scale: f64,
    beta1: f64,
    beta2: f64,
    /// Learning rate over 1 - beta1^t.
    step_size: f64,
    /// Root of 1 - beta2^t.
    root_correction: f64,
    /// AdamW: the parameter is multiplied with it first.
    decoupled: f64,
    /// Adam: times the parameter, added to the gradient.
    coupled: f64,
}

struct Update<'a> {
    factors: Factors,
    moments: Mutex<&'a mut Moments>,
}

impl InplaceOp2 for Update<'_> {
    fn name(&self) -> &'static str {
        "adam"
    }

    fn cpu_fwd(
        &self,
        parameter: &mut CpuStorage,
        parameter_layout: &Layout,
        gradient: &CpuStorage,
        gradient_layout: &Layout,
    ) -> candle_core::Result<()> {
        let contiguous = |layout: &Layout| {
            layout
                .contiguous_offsets()
                .map(|(start, end)| start..end)
                .ok_or_else(|| candle_core::Error::msg("adam: a tensor is not contiguous"))
        };
        let (p, g) = (contiguous(parameter_layout)?, contiguous(gradient_layout)?);
        let mut moments = self
            .moments
            .lock()
            .map_err(|_| candle_core::Error::msg("adam: an earlier update failed"))?;
        match (parameter, gradient, &mut **moments) {
            (CpuStorage::F32(ps), CpuStorage::F32(gs), Moments::F32 { first, second }) => {
                update_f32(self.factors, &mut ps[p], &gs[g], first, second)
            }
            (CpuStorage::F64(ps), CpuStorage::F64(gs), Moments::F64 { first, second }) => {
                update_f64(self.factors, &mut ps[p], &gs[g], first, second)
            }
            _ => Err(candle_core::Error::msg("adam: parameter and gradient differ in type")),
        }
    }
}

macro_rules! update_in {
    ($name:ident, $t:ty) => {
        fn $name(
            factors: Factors,
            parameter: &mut [$t],
            gradient: &[$t],
            first: &mut [$t],
            second: &mut [$t],
        ) -> candle_core::Result<()> {
            let n = parameter.len();
            if [gradient.len(), first.len(), second.len()] != [n; 3] {
                return Err(candle_core::Error::msg("adam: parameter and gradient differ in size"));
            }
            let Factors { scale, beta1, beta2, step_size, root_correction, decoupled, coupled } =
                factors;
            let (scale, decoupled, coupled) = (scale as $t, decoupled as $t, coupled as $t);
            let (keep2, take1, take2) = (beta2 as $t, (1.0 - beta1) as $t, (1.0 - beta2) as $t);
            let (step_size, root_correction) = (step_size as $t, root_correction as $t);
            let epsilon = EPSILON as $t;
            parameter
                .par_chunks_mut(CHUNK)
                .zip_eq(gradient.par_chunks(CHUNK))
                .zip_eq(first.par_chunks_mut(CHUNK))
                .zip_eq(second.par_chunks_mut(CHUNK))
                .for_each(|(((parameter, gradient), first), second)| {
                    pulp::Arch::new().dispatch(
                        #[inline(always)]
                        || {
                            for (((p, &g), m), v) in parameter
                                .iter_mut()
                                .zip(gradient)
                                .zip(first.iter_mut())
                                .zip(second.iter_mut())
                            {
                                let g = g * scale + coupled * *p;
                                *m += (g - *m) * take1;
                                *v = *v * keep2 + take2 * g * g;
                                let root = v.sqrt() / root_correction + epsilon;
                                *p = *p * decoupled - step_size * *m / root;
                            }
                        },
                    );
                });
            Ok(())
        }
    };
}

update_in!(update_f32, f32);
update_in!(update_f64, f64);

#[cfg(test)]
mod tests {
    use super::*;
    use candle_core::Var;

    fn parameters(values: &[f64], dtype: DType) -> Parameters {
        let tensor = Tensor::new(values, &Device::Cpu).and_then(|t| t.to_dtype(dtype));
        let var = Var::from_tensor(&tensor.expect("a tensor")).expect("a variable");
        [("w".to_owned(), var)].into()
    }

    fn gradients(values: &[f64], dtype: DType) -> Gradients {
        let tensor = Tensor::new(values, &Device::Cpu).and_then(|t| t.to_dtype(dtype));
        [("w".to_owned(), tensor.expect("a tensor"))].into()
    }

    fn values(parameters: &Parameters) -> Vec<f64> {
        let tensor = parameters["w"].to_dtype(DType::F64).expect("converts");
        tensor.flatten_all().and_then(|t| t.to_vec1()).expect("values")
    }

    /// The formulas of the PyTorch manual, one number at a time.
    fn by_hand(config: &Training, start: f64, gradients: &[f64], norms: &[f64]) -> f64 {
        let (mut p, mut m, mut v) = (start, 0.0, 0.0);
        for (t, (&g, &norm)) in gradients.iter().zip(norms).enumerate() {
            let mut g = g;
            if config.clip > 0.0 && norm + 1e-6 > config.clip {
                g *= config.clip / (norm + 1e-6);
            }
            match config.optimizer {
                Kind::Adam => g += config.weight_decay * p,
                Kind::Adamw => p *= 1.0 - config.learning_rate * config.weight_decay,
            }
            m = config.beta1 * m + (1.0 - config.beta1) * g;
            v = config.beta2 * v + (1.0 - config.beta2) * g * g;
            let m_hat = m / (1.0 - config.beta1.powi(t as i32 + 1));
            let v_hat: f64 = v / (1.0 - config.beta2.powi(t as i32 + 1));
            p -= config.learning_rate * m_hat / (v_hat.sqrt() + 1e-8);
        }
        p
    }

    #[test]
    fn updates_equal_a_hand_computation_with_and_without_clip_and_decay() {
        let history = [[0.5, -2.0, 0.0], [3.0, 0.1, 1e-6], [-0.7, 4.0, 0.0], [0.2, 0.2, -5.0]];
        let start = [1.0, -0.5, 0.25];
        for optimizer in [Kind::Adam, Kind::Adamw] {
            for (clip, weight_decay) in [(0.0, 0.0), (3.0, 0.0), (0.0, 0.1), (1.0, 0.3)] {
                for (dtype, tolerance) in [(DType::F64, 1e-12), (DType::F32, 2e-6)] {
                    let config = Training { optimizer, clip, weight_decay, ..Training::default() };
                    let parameters = parameters(&start, dtype);
                    let mut adam = Adam::new(&config, &parameters).expect("starts");
                    let mut norms = Vec::new();
                    for step in &history {
                        let gradients = gradients(step, dtype);
                        let norm = total_norm(&gradients).expect("a norm");
                        norms.push(norm);
                        adam.update(&parameters, &gradients, config.learning_rate, norm)
                            .expect("updates");
                    }
                    for (i, got) in values(&parameters).into_iter().enumerate() {
                        let of_i = history.map(|g| g[i]);
                        let expected = by_hand(&config, start[i], &of_i, &norms);
                        assert!(
                            (got - expected).abs() <= tolerance,
                            "{optimizer:?} {dtype:?} clip {clip} decay {weight_decay}: {got}, expected {expected}"
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn the_norm_of_many_small_f32_numbers_keeps_its_digits() {
        let n = 3 * CHUNK + 5;
        let gradients = gradients(&vec![1e-4; n], DType::F32);
        let expected = f64::from(1e-4f32) * (n as f64).sqrt();
        let norm = total_norm(&gradients).expect("a norm");
        assert!((norm / expected - 1.0).abs() < 1e-12, "{norm}, expected {expected}");
    }

    #[test]
    fn the_same_numbers_come_out_of_one_thread_and_of_four() {
        let n = 2 * CHUNK + 77;
        let start: Vec<f64> = (0..n).map(|i| (i as f64).sin()).collect();
        let step: Vec<f64> = (0..n).map(|i| (i as f64 * 1.7).cos()).collect();
        let run = |threads: usize| {
            let pool =
                rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
            pool.install(|| {
                let parameters = parameters(&start, DType::F32);
                let gradients = gradients(&step, DType::F32);
                let mut adam = Adam::new(&Training::default(), &parameters).expect("starts");
                let norm = total_norm(&gradients).expect("a norm");
                adam.update(&parameters, &gradients, 0.01, norm).expect("updates");
                (norm.to_bits(), values(&parameters))
            })
        };
        assert_eq!(run(1), run(4));
    }

    #[test]
    fn a_parameter_without_a_gradient_or_with_foreign_moments_is_an_error() {
        let parameters = parameters(&[1.0, 2.0], DType::F32);
        let mut adam = Adam::new(&Training::default(), &parameters).expect("starts");
        let error = adam.update(&parameters, &Gradients::new(), 0.1, 1.0).expect_err("no gradient");
        assert!(error.to_string().contains("`w` has no gradient"), "{error}");
        assert_eq!(adam.updates(), 0);
        let mut moments = adam.tensors(&parameters).expect("moments");
        moments.remove("w.exp_avg_sq");
        assert!(adam.restore(1, &moments).is_err());
        let short = Tensor::new(&[0.0f32], &Device::Cpu).expect("a tensor");
        moments.insert("w.exp_avg_sq".into(), short);
        assert!(adam.restore(1, &moments).is_err());
    }
}
