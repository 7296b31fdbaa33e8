//! Learning: a structured perceptron with early update (Collins & Roark 2004), averaged.

use super::features::{structure, tagging};
use super::search::{Beam, Input, Rules, Scorers, Scratch};
use super::state::{Heads, NONE, State, States, Step, decision};
use super::weights::{Feature, Learning, Weights};
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

/// A sentence with its derivation.
pub struct Example {
    pub input: Input,
    pub steps: Vec<Step>,
    /// What its updates are multiplied by.
    pub weight: f64,
}

/// Sentences that are seen at least, one after the other: a few trees are gone through more often
/// than a treebank.
const STEPS: usize = 300;

/// How long and how broadly to search.
#[derive(Clone, Copy, Debug)]
pub struct Schedule {
    pub passes: u32,
    pub beam: usize,
    pub seed: u64,
}

/// Averaged weights of structure and tags. The same examples, rules and schedule give the same.
pub fn train(examples: &[Example], rules: &Rules, schedule: Schedule) -> (Weights, Weights) {
    let mut rng = ChaCha8Rng::seed_from_u64(schedule.seed);
    let mut order: Vec<usize> = (0..examples.len()).collect();
    let (mut of_structure, mut of_tags) = (Learning::default(), Learning::default());
    let mut scratch = Scratch::default();
    let mut step = 0;
    let passes = (schedule.passes as usize).max(STEPS.div_ceil(examples.len().max(1)));
    for pass in 1..=passes {
        let mut is_learned = true;
        order.shuffle(&mut rng);
        for &i in &order {
            let example = &examples[i];
            let scorers = Scorers { structure: &of_structure.table, tagging: &of_tags.table };
            let found = violation(example, rules, scorers, schedule.beam, &mut scratch);
            if let Some((right, wrong)) = found {
                is_learned = false;
                let same = right.iter().zip(&wrong).take_while(|(a, b)| a == b).count();
                for (steps, sign) in [(&right, 1.0), (&wrong, -1.0)] {
                    let by = (sign * example.weight) as f32;
                    walk(steps, same, &example.input, rules.heads(), |features, taken| {
                        let (learning, decision) = match taken {
                            Taken::Structure(decision) => (&mut of_structure, decision),
                            Taken::Tag(tag) => (&mut of_tags, tag),
                        };
                        features.iter().for_each(|f| learning.update(*f, decision, by, step));
                    });
                }
            }
            step += 1;
        }
        if is_learned {
            // So are all passes to come: only the mean moves on.
            step += ((passes - pass) * examples.len()) as u64;
            break;
        }
    }
    (of_structure.average(step), of_tags.average(step))
}

/// The first steps of the right derivation and of a better-scored wrong one: at the step where the
/// right one falls out of the beam, or at the end. `None` where it comes out best.
fn violation(
    example: &Example,
    rules: &Rules,
    scorers: Scorers,
    beam: usize,
    scratch: &mut Scratch,
) -> Option<(Vec<Step>, Vec<Step>)> {
    let mut search = Beam::new(rules, scorers, &example.input, beam, scratch);
    // Where the right derivation stands in the beam.
    let mut right = 0;
    for (done, step) in example.steps.iter().enumerate() {
        search.advance(scratch);
        let follows = |at: &u32| {
            let state = &search.states.states[*at as usize];
            state.before == right && state.step == *step
        };
        match search.beam.iter().copied().find(follows) {
            Some(next) => right = next,
            None => {
                // A beam without any way to go on gives nothing to learn from.
                let wrong = search.states.steps(*search.beam.first()?);
                return Some((example.steps[..=done].to_vec(), wrong));
            }
        }
    }
    // Others may still have steps to go, and the right one may fall out while they do.
    while !search.is_done() {
        search.advance(scratch);
    }
    let best = *search.beam.first()?;
    (best != right).then(|| (example.steps.clone(), search.states.steps(best)))
}

/// A decision that features were looked at for.
pub enum Taken {
    Structure(u16),
    Tag(u16),
}

/// Shows the features before every step from the given one on, with what was decided.
pub fn walk(
    steps: &[Step],
    from: usize,
    input: &Input,
    heads: &Heads,
    mut see: impl FnMut(&[Feature], Taken),
) {
    let mut states = States { states: vec![State::start()], cells: Vec::new() };
    let mut features = Vec::new();
    let mut at = 0;
    for (i, &step) in steps.iter().enumerate() {
        let state = states.states[at as usize];
        if i >= from {
            structure(&states, &state, &input.words, &mut features);
            see(&features, Taken::Structure(decision(step)));
            if let Step::Shift(tag) = step {
                tagging(state.position as usize, state.tags, &input.words, &mut features);
                see(&features, Taken::Tag(tag));
            }
        }
        let word = input.words.get(state.position as usize).map_or(NONE, |w| w.word);
        at = states.after(at, step, word, 0.0, heads);
    }
}
