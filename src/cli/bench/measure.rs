//! Measures one case in this process: training steps on random words.

use super::Row;
use super::case::Case;
use super::machine;
use crate::model::{self, Noise};
use crate::run;
use crate::training::{self, Adam};
use crate::treebank::{Batch, Vocabulary};
use anyhow::{Context, Result, anyhow};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::collections::BTreeSet;
use std::time::Instant;

/// Steps before the clock counts: buffers and caches fill.
const WARM_UP: usize = 2;

/// A step is loss, gradients, clipping and Adam, as in training. Memory is the peak above what
/// the process held at its start.
pub fn measure(case: &Case, (device, tf32): (&str, bool), steps: usize) -> Result<Row> {
    let at_start = machine::resident_mb();
    let mut config = case.config();
    config.device = device.to_owned();
    config.tf32 = tf32;
    run::check_memory(&config, case.vocabulary)?;
    let mut model = model::build(&config, case.vocabulary)?;
    let mut optimizer = Adam::for_model(&config.training, &*model)?;
    let mut rng = ChaCha8Rng::seed_from_u64(config.seed);
    let mut seconds = Vec::with_capacity(steps);
    let mut distinct = 0;
    for step in 0..WARM_UP + steps.max(1) {
        let batch = random_batch(case, &mut rng)?;
        let start = Instant::now();
        let noise = Noise::Drawn { seed: config.seed, step: step as u64 };
        let rate = config.training.learning_rate;
        training::step(&mut *model, &mut optimizer, (&batch, None), noise, rate)?;
        if step >= WARM_UP {
            seconds.push(start.elapsed().as_secs_f64());
            distinct += batch.words().iter().collect::<BTreeSet<_>>().len();
        }
    }
    let peak = machine::peak_mb();
    seconds.sort_by(f64::total_cmp);
    let (min, median) = (seconds[0], seconds[seconds.len() / 2]);
    let gflops = case.operations(distinct as f64 / seconds.len() as f64) / min / 1e9;
    Ok(Row {
        case: case.to_string(),
        seconds_min: min,
        seconds_median: median,
        tokens_per_s: (case.batch * case.n) as f64 / min,
        device_mb: model.resident().map(|device| device.bytes() as f64 / f64::from(1 << 20)),
        peak_rss_mb: at_start.zip(peak).map(|(start, peak)| peak - start),
        gflops,
        share_of_peak: gflops / machine::gemm_peak(),
    })
}

/// Words drawn evenly from the vocabulary, the two special ones left out where others are.
pub fn random_batch(case: &Case, rng: &mut ChaCha8Rng) -> Result<Batch> {
    let vocabulary = u32::try_from(case.vocabulary).context("vocab")?;
    let first = (Vocabulary::UNKNOWN + 1).min(vocabulary - 1);
    let sentence =
        |_| (0..case.n).map(|_| rng.random_range(first..vocabulary)).collect::<Vec<u32>>();
    Batch::new((0..case.batch).map(sentence)).ok_or_else(|| anyhow!("a sentence has no words"))
}
