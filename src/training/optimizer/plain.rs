//! The same updates of parameters that are slices of f32 and no tensors.

use super::{Adam, Factors, Moments, sum_of_squares, update_f32};
use crate::config::Training;
use crate::device::AdamFactors;
use crate::training::TrainingError;
use candle_core::{Device, Tensor};
use std::collections::BTreeMap;

/// A parameter with its gradient.
pub struct Plain<'a> {
    pub name: &'a str,
    pub values: &'a mut [f32],
    pub gradient: &'a [f32],
}

impl Adam {
    /// Zero moments for parameters of these names and sizes.
    pub fn for_plain<'a>(
        config: &Training,
        sizes: impl IntoIterator<Item = (&'a str, usize)>,
    ) -> Adam {
        let moments = sizes.into_iter().map(|(name, n)| {
            (name.to_owned(), Moments::F32 { first: vec![0.0; n], second: vec![0.0; n] })
        });
        Adam {
            kind: config.optimizer,
            beta1: config.beta1,
            beta2: config.beta2,
            weight_decay: config.weight_decay,
            clip: config.clip,
            updates: 0,
            moments: moments.collect(),
        }
    }

    /// As [`Adam::update`].
    pub fn update_plain<'a>(
        &mut self,
        parameters: impl IntoIterator<Item = Plain<'a>>,
        learning_rate: f64,
        norm: f64,
    ) -> Result<(), TrainingError> {
        let AdamFactors { clip, beta1, beta2, step_size, root_correction, decoupled, coupled } =
            self.next(learning_rate);
        let scale = if clip > 0.0 { (clip / (norm + 1e-6)).min(1.0) } else { 1.0 };
        let factors =
            Factors { scale, beta1, beta2, step_size, root_correction, decoupled, coupled };
        for Plain { name, values, gradient } in parameters {
            let Some(Moments::F32 { first, second }) = self.moments.get_mut(name) else {
                return Err(TrainingError::parameter(name, "is unknown to the optimizer"));
            };
            update_f32(factors, values, gradient, first, second)?;
        }
        Ok(())
    }

    /// Moments as flat tensors `NAME.exp_avg` and `NAME.exp_avg_sq`, as [`Adam::restore`] takes
    /// them.
    pub fn plain_moments(&self) -> Result<BTreeMap<String, Tensor>, TrainingError> {
        let mut tensors = BTreeMap::new();
        for (name, moments) in &self.moments {
            if let Moments::F32 { first, second } = moments {
                let tensor =
                    |values: &[f32]| Tensor::from_slice(values, values.len(), &Device::Cpu);
                tensors.insert(format!("{name}.exp_avg"), tensor(first)?);
                tensors.insert(format!("{name}.exp_avg_sq"), tensor(second)?);
            }
        }
        Ok(tensors)
    }
}

/// Euclidean norm over all gradients together, summed in f64 in a fixed order.
pub fn plain_norm<'a>(gradients: impl IntoIterator<Item = &'a [f32]>) -> f64 {
    gradients.into_iter().map(sum_of_squares).sum::<f64>().sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use candle_core::{DType, Var};

    #[test]
    fn slices_are_updated_as_tensors_are_and_go_on_from_their_moments() {
        let config = Training { clip: 1.0, weight_decay: 0.1, ..Training::default() };
        let start = [1.0f32, -0.5, 0.25];
        let gradients = [[0.5f32, -2.0, 0.0], [3.0, 0.1, 1e-6], [0.1, 0.0, -0.2]];
        let var = Var::new(&start, &Device::Cpu).expect("a variable");
        let parameters = [("w".to_owned(), var)].into();
        let mut by_tensor = Adam::new(&config, &parameters).expect("f32");
        let mut by_slice = Adam::for_plain(&config, [("w", 3)]);
        let mut values = start;
        for (step, gradient) in gradients.iter().enumerate() {
            let norm = plain_norm([&gradient[..]]);
            let tensor = Tensor::new(gradient, &Device::Cpu).expect("a tensor");
            let tensors = [("w".to_owned(), tensor)].into();
            by_tensor.update(&parameters, &tensors, 0.01, norm).expect("updates");
            let plain = Plain { name: "w", values: &mut values, gradient };
            by_slice.update_plain([plain], 0.01, norm).expect("updates");
            // As from a checkpoint.
            let moments = by_slice.plain_moments().expect("tensors");
            by_slice = Adam::for_plain(&config, [("w", 3)]);
            by_slice.restore(step as u64 + 1, &moments).expect("its own moments");
        }
        let tensor = parameters["w"].to_dtype(DType::F32).and_then(|t| t.to_vec1::<f32>());
        assert_eq!(tensor.expect("values"), values);
    }
}
