//! One step of training, wherever the model lives.

use super::{Adam, TrainingError, total_norm};
use crate::model::{Model, Noise, Trained};
use crate::treebank::Batch;
use std::time::Instant;

/// Loss, gradients and, where they are numbers, an update, on the host or a device; `next` is the
/// batch that comes after, if it is known.
pub fn step(
    model: &mut dyn Model,
    optimizer: &mut Adam,
    (batch, next): (&Batch, Option<&Batch>),
    noise: Noise<'_>,
    learning_rate: f64,
) -> Result<Trained, TrainingError> {
    if let Some(device) = model.resident_mut() {
        if let Some(next) = next {
            device.announce(next);
        }
        return Ok(device.train(batch, noise, optimizer.next(learning_rate))?);
    }
    let output = model.step(batch, noise)?;
    let before_update = Instant::now();
    let gradient_norm = total_norm(&output.gradients)?;
    let mut trained = Trained {
        loss: output.loss,
        log_probs: output.log_probs,
        gradient_norm,
        network_seconds: output.network_seconds,
        inference_seconds: output.inference_seconds,
        optimizer_seconds: 0.0,
    };
    if trained.diverged().is_none() {
        optimizer.update(model.parameters(), &output.gradients, learning_rate, gradient_norm)?;
    }
    trained.optimizer_seconds = before_update.elapsed().as_secs_f64();
    Ok(trained)
}
