//! What a training step of any neural family has found.

use super::element::Element;
use super::layers::Collected;
use super::{Gradients, ModelError, Parameters, StepOutput};

/// Loss and gradients in plain numbers.
pub(super) struct Done<T> {
    /// Of -sum log p / count, by parameter.
    pub gradients: Collected<T>,
    /// Log-probability, or its bound, by batch index, nats.
    pub log_probs: Vec<f64>,
    pub network_seconds: f64,
    pub inference_seconds: f64,
}

impl<T: Element> Done<T> {
    /// The same as tensors beside their parameters; `count` is what the loss is a mean over.
    pub fn output(self, parameters: &Parameters, count: usize) -> Result<StepOutput, ModelError> {
        let mut gradients = Gradients::new();
        for (name, gradient) in self.gradients {
            let parameter = parameters[&name].as_tensor();
            let tensor = T::tensor(gradient, parameter.shape().clone(), parameter.device())?;
            gradients.insert(name, tensor);
        }
        Ok(StepOutput {
            loss: -self.log_probs.iter().sum::<f64>() / count as f64,
            log_probs: self.log_probs,
            gradients,
            network_seconds: self.network_seconds,
            inference_seconds: self.inference_seconds,
        })
    }
}
