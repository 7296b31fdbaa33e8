//! One training step: networks, lattice, and back.

use super::Sizes;
use super::networks::{Incoming, Masks, Networks};
use crate::inference::rank_hmm::{Chain, Lattice, Rules};
use crate::model::done::Done;
use crate::model::element::Element;
use crate::model::emission::Emission;
use crate::model::hmm::infer::{Inferred, infer};
use crate::model::layers::Weights;
use crate::model::words::Words;
use crate::model::{ModelError, softmax};
use crate::treebank::Batch;
use std::time::Instant;

/// Buffers of a step, kept between batches.
pub(super) struct Pass<T: Element> {
    networks: Networks<T>,
    emission: Emission<T>,
    lattice: Lattice<T>,
}

impl<T: Element> Default for Pass<T> {
    fn default() -> Self {
        Pass {
            networks: Networks::default(),
            emission: Emission::default(),
            lattice: Lattice::default(),
        }
    }
}

impl<T: Element> Pass<T> {
    /// Log-probabilities and gradients of a batch.
    pub fn step(
        &mut self,
        sizes: &Sizes,
        weights: &Weights<'_>,
        masks: &Masks<'_>,
        batch: &Batch,
        words: &Words,
    ) -> Result<Done<T>, ModelError> {
        let states = sizes.states;
        let started = Instant::now();
        self.networks.forward(weights, sizes, masks)?;
        let layer = self.networks.layer(weights, sizes)?;
        self.emission.forward(&layer, true);
        let mut emitted = layer.log_probabilities(&words.distinct, &self.emission.log_normalisers);
        let scales = softmax::scale_rows(&mut emitted, states);
        let forward_seconds = started.elapsed().as_secs_f64();

        let inference = Instant::now();
        let Networks { start, u, v, .. } = &self.networks;
        let rules = Rules {
            rank: states,
            start,
            // From states over features to states: the factors the other way round.
            chain: match sizes.features {
                Some(_) => Chain::State { u: v, v: u },
                None => Chain::Rank { a: u, states },
            },
            words: &emitted,
            word_scales: &scales,
            floor: 0.0,
        };
        let Inferred { log_probs, gradients, steps } =
            infer(&rules, batch, words, &mut self.lattice)?;
        let (mut u, mut v) = (vec![T::ZERO; u.len()], vec![T::ZERO; v.len()]);
        match sizes.features {
            Some(features) => {
                steps.u(0..features, &mut v);
                steps.v(0..features, &mut u);
            }
            None => steps.chain(&mut u),
        }
        let inference_seconds = inference.elapsed().as_secs_f64();

        let backward = Instant::now();
        let own = self.emission.backward(&layer, &words.distinct, &gradients.log_words);
        let incoming =
            Incoming { start: gradients.start, u, v, hidden: own.hidden, words: own.weight };
        let gradients = self.networks.backward(weights, sizes, incoming)?;
        let network_seconds = forward_seconds + backward.elapsed().as_secs_f64();
        Ok(Done { gradients, log_probs, network_seconds, inference_seconds })
    }
}
