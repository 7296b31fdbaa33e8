use super::testing::{treebank, trees};
use super::*;
use crate::inference::Real;
use pulp::Arch;

fn settings() -> config::Ssn {
    config::Ssn { hidden: 5, min_count: 2, ..config::Ssn::default() }
}

fn untrained(seed: u64) -> Ssn {
    Ssn::start(&settings(), &treebank(), seed).expect("trees")
}

/// The weights in double precision, with larger numbers, so that the softmax is far from flat.
fn double(ssn: &Ssn) -> Weights<f64> {
    let parts = Part::ALL.map(|part| {
        let values = ssn.weights().part(part).iter().enumerate();
        values.map(|(i, x)| 3.0 * f64::from(*x) + 0.1 * (i as f64).sin()).collect()
    });
    Weights::from_parts(*ssn.weights().sizes(), parts).expect("the same sizes")
}

fn loss(weights: &Weights<f64>, plans: &[&Plan]) -> f64 {
    let mut work = Workspace::default();
    let mut pass = Pass { weights, work: &mut work, arch: Arch::new() };
    -pass.log_probs(plans).iter().sum::<f64>() / plans.len() as f64
}

#[test]
fn gradients_equal_central_differences_in_every_part() {
    let ssn = untrained(3);
    let plans: Vec<Plan> = treebank().iter().map(|t| ssn.plan(t).expect("its own tree")).collect();
    let plans: Vec<&Plan> = plans.iter().collect();
    let mut weights = double(&ssn);
    let mut gradient = Weights::zeros(*weights.sizes());
    let mut work = Workspace::default();
    let log_probs = Pass { weights: &weights, work: &mut work, arch: Arch::new() }
        .gradient(&plans, &mut gradient);
    assert!(
        (loss(&weights, &plans) + log_probs.iter().sum::<f64>() / plans.len() as f64).abs() < 1e-12
    );
    let largest = Part::ALL
        .iter()
        .flat_map(|part| gradient.part(*part))
        .fold(0.0f64, |most, x| most.max(x.abs()));
    let step = 1e-5;
    for part in Part::ALL {
        let mut not_zero = 0;
        for at in 0..weights.part(part).len() {
            let value = weights.part(part)[at];
            weights.part_mut(part)[at] = value + step;
            let above = loss(&weights, &plans);
            weights.part_mut(part)[at] = value - step;
            let below = loss(&weights, &plans);
            weights.part_mut(part)[at] = value;
            let (found, expected) = (gradient.part(part)[at], (above - below) / (2.0 * step));
            assert!(
                (found - expected).abs() < 1e-8 * largest.max(1.0),
                "{part:?} {at}: {found}, expected {expected}"
            );
            not_zero += usize::from(found != 0.0);
        }
        assert!(not_zero * 2 > weights.part(part).len(), "{part:?}: {not_zero}");
    }
}

#[test]
fn gradients_of_a_batch_are_the_mean_of_those_of_its_sentences() {
    let ssn = untrained(4);
    let plans: Vec<Plan> = treebank().iter().map(|t| ssn.plan(t).expect("its own tree")).collect();
    let weights = double(&ssn);
    let mut work = Workspace::default();
    let mut together = Weights::zeros(*weights.sizes());
    let mut alone = Weights::zeros(*weights.sizes());
    let mut pass = Pass { weights: &weights, work: &mut work, arch: Arch::new() };
    let all: Vec<&Plan> = plans.iter().collect();
    let log_probs = pass.gradient(&all, &mut together);
    // Longer batches before shorter ones: nothing of them may be left in the buffers.
    for (plan, log_prob) in plans.iter().zip(log_probs) {
        let single = pass.gradient(&[plan], &mut alone);
        assert!((single[0] - log_prob).abs() < 1e-10);
    }
    for part in Part::ALL {
        for (a, b) in together.part(part).iter().zip(alone.part(part)) {
            assert!((a * plans.len() as f64 - b).abs() < 1e-10, "{part:?}");
        }
    }
}

#[test]
fn a_trace_gives_what_training_gives_and_probabilities_that_sum_to_one() {
    let ssn = untrained(5);
    let mut buffer = vec![f32::NAN; ssn.decisions()];
    for tree in treebank() {
        let trace = ssn.trace(&tree).expect("its own tree");
        let plan = ssn.plan(&tree).expect("its own tree");
        let mut work = Workspace::default();
        let mut pass = Pass { weights: ssn.weights(), work: &mut work, arch: Arch::new() };
        assert!((pass.log_probs(&[&plan])[0] - trace.log_prob).abs() < 1e-4);
        let sum: f64 = trace.steps.iter().map(|step| step.log_prob).sum();
        assert_eq!(sum, trace.log_prob);
        for (number, step) in trace.steps.iter().enumerate() {
            let probabilities = ssn.probabilities(&trace, number, &mut buffer).to_vec();
            let possible: Vec<Decision> = ssn.possible(step).flatten().collect();
            let sum: f64 = possible.iter().map(|d| f64::from(probabilities[*d as usize])).sum();
            assert!((sum - 1.0).abs() < 1e-5, "{sum}");
            let all: f32 = probabilities.iter().sum();
            assert!((f64::from(all) - sum).abs() < 1e-6, "others have none");
            assert!(possible.contains(&step.decision));
            let own = f64::from(probabilities[step.decision as usize]).ln();
            assert!((own - step.log_prob).abs() < 1e-5);
            // theta and h give the same by definition.
            let score = |decision: Decision| {
                let row = &ssn.theta()[decision as usize * ssn.hidden()..][..ssn.hidden()];
                row.iter().zip(trace.history(number)).map(|(a, b)| f64::from(a * b)).sum::<f64>()
            };
            let log_sum = possible.iter().map(|d| score(*d).exp()).sum::<f64>().ln();
            assert!((score(step.decision) - log_sum - step.log_prob).abs() < 1e-5);
        }
    }
}

#[test]
fn history_vectors_are_those_of_the_equation() {
    // (S (NP Mary) (VP runs often)): at the last decision but one VP is on top again.
    let trees = trees("(S (NP (N Mary)) (VP (V runs) (R often)))");
    let ssn = Ssn::start(&settings(), &trees, 6).expect("a tree");
    let trace = ssn.trace(&trees[0]).expect("its own tree");
    let names: Vec<String> =
        trace.steps.iter().map(|step| ssn.vocabulary().name(step.decision)).collect();
    assert_eq!(
        names,
        [
            "shift N *",
            "project NP",
            "project S",
            "shift V *",
            "project VP",
            "shift R *",
            "attach",
            "attach",
            "attach"
        ]
    );
    let (w, v, hidden) = (ssn.weights(), ssn.vocabulary(), ssn.hidden());
    let word = |tag: &str| v.pair(v.tag(tag).expect("known"), "");
    // VP is on top again: last seen at step 5; below it S, last seen at step 3; its first child V,
    // last seen at step 4; its latest child R, last seen at step 6.
    let rows = [
        w.row(Part::Decision, v.attach()),
        w.row(Part::Label, v.label_symbol("VP").expect("known")),
        w.row(Part::Word, word("R")),
        w.row(Part::Corner, word("V")),
        w.row(Part::Bias, 0),
    ];
    for unit in 0..hidden {
        let mut sum: f32 = rows.iter().map(|row| row[unit]).sum();
        for (slot, step) in [5, 3, 4, 6].into_iter().enumerate() {
            for (from, x) in trace.history(step).iter().enumerate() {
                sum += x * w.row(Part::History, (slot * hidden + from) as u32)[unit];
            }
        }
        let expected = 1.0 / (1.0 + Real::exp(-sum));
        assert!((trace.history(7)[unit] - expected).abs() < 1e-5);
    }
}

#[test]
fn what_was_never_seen_has_no_derivation_and_says_why() {
    let ssn = untrained(7);
    for (text, reason) in [
        ("(TOP (XX (D the)))", "no training tree has the label XX"),
        ("(TOP (NP (YY the)))", "no training tree has the tag YY"),
        ("(TOP (NP (NP (NP (D the)))))", "more than 1 phrases in a row"),
    ] {
        let error = ssn.trace(&trees(text)[0]).expect_err("unknown").to_string();
        assert!(error.contains(reason), "{error}");
    }
    for text in ["(TOP (NP (NP (D the))))", "(TOP (NP (NP (NP (D the))) (D a) (D b)))", "(D the)"] {
        assert!(ssn.trace(&trees(text)[0]).expect("has a derivation").log_prob < 0.0, "{text}");
    }
}
