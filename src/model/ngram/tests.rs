use super::kneser_ney::discounts;
use super::*;
use crate::config::Family;
use proptest::prelude::*;
use std::collections::{HashMap, HashSet};

/// Modified Kneser-Ney as the formulas say it, from the raw n-grams of the text, by recursion.
struct Reference {
    order: usize,
    vocabulary: usize,
    /// Counts of all n-grams of 1 to `order` tokens, the start of a sentence included.
    raw: HashMap<Vec<u32>, u64>,
}

impl Reference {
    fn new(order: usize, vocabulary: usize, sentences: &[Vec<u32>]) -> Reference {
        let mut raw = HashMap::new();
        for sentence in sentences {
            let padded: Vec<u32> =
                [vocabulary as u32].into_iter().chain(sentence.iter().copied()).collect();
            for from in 0..padded.len() {
                for to in from + 1..=padded.len().min(from + order) {
                    *raw.entry(padded[from..to].to_vec()).or_insert(0) += 1;
                }
            }
        }
        Reference { order, vocabulary, raw }
    }

    /// a(w_1 … w_n); the start itself is never predicted.
    fn adjusted(&self, gram: &[u32]) -> u64 {
        let start = self.vocabulary as u32;
        if gram == [start] {
            return 0;
        }
        if gram.len() == self.order || gram[0] == start {
            return self.raw.get(gram).copied().unwrap_or(0);
        }
        let is_longer = |g: &&Vec<u32>| g.len() == gram.len() + 1 && g[1..] == *gram;
        self.raw.keys().filter(is_longer).map(|g| g[0]).collect::<HashSet<_>>().len() as u64
    }

    fn discounts(&self, length: usize) -> [f64; 3] {
        let grams: HashSet<&[u32]> = self.raw.keys().flat_map(|g| g.windows(length)).collect();
        let mut of = [0; 4];
        for count in grams.iter().map(|g| self.adjusted(g)).filter(|c| (1..=4).contains(c)) {
            of[count as usize - 1] += 1;
        }
        discounts(&of)
    }

    fn probability(&self, context: &[u32], word: u32) -> f64 {
        let lower = match context.split_first() {
            None => 1.0 / self.vocabulary as f64,
            Some((_, shorter)) => self.probability(shorter, word),
        };
        let count = |word: u32| self.adjusted(&[context, &[word]].concat());
        let all: Vec<u64> = (0..self.vocabulary as u32).map(count).collect();
        let total = all.iter().sum::<u64>() as f64;
        if total == 0.0 {
            return lower;
        }
        let discounts = self.discounts(context.len() + 1);
        let discount =
            |count: u64| if count == 0 { 0.0 } else { discounts[(count as usize).min(3) - 1] };
        let left: f64 = all.iter().map(|&c| discount(c)).sum();
        let own = count(word);
        (own as f64 - discount(own)) / total + left / total * lower
    }
}

fn estimate(order: usize, vocabulary: usize, sentences: &[Vec<u32>]) -> KneserNey {
    let events = Events::count(order, vocabulary as u32, sentences.iter().map(Vec::as_slice));
    KneserNey::new(&events, vocabulary)
}

fn config(order: usize) -> Config {
    let mut config = Config::default();
    (config.model.family, config.model.order) = (Family::Ngram, order);
    config
}

#[test]
fn a_bigram_model_of_two_sentences_has_the_probabilities_worked_out_by_hand() {
    // Words 3, 4, 5 and the end 2 of a vocabulary of 6: "a b" and "a c".
    let model = estimate(2, 6, &[vec![3, 4, 2], vec![3, 5, 2]]);
    // Pairs: four of count 1, one of count 2, so D = 4/6. Before 2 stand two words, before 3, 4
    // and 5 one, so D = 3/5 of single words; what they lose is 0.6 * 4 / 5 = 0.48, 0.08 a word.
    for (history, word, expected) in [
        (&[][..], 0, 0.08),
        (&[], 3, 0.4 / 5.0 + 0.08),
        (&[], 2, 1.4 / 5.0 + 0.08),
        (&[6], 3, (2.0 - 2.0 / 3.0) / 2.0 + 1.0 / 3.0 * 0.16),
        (&[6, 3], 4, 1.0 / 6.0 + 2.0 / 3.0 * 0.16),
        (&[6, 3], 2, 2.0 / 3.0 * 0.36),
        (&[6, 3, 4], 2, 1.0 / 3.0 + 2.0 / 3.0 * 0.36),
        // Never seen as a context: the single words decide.
        (&[6, 1], 3, 0.16),
    ] {
        let p = model.probability(history, word);
        assert!((p - expected).abs() < 1e-12, "p({word} | {history:?}) = {p}, expected {expected}");
    }
}

#[test]
fn discounts_are_those_of_the_formula_or_the_single_one() {
    let close = |a: [f64; 3], b: [f64; 3]| a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-12);
    assert!(close(discounts(&[10, 5, 3, 2]), [0.5, 1.1, 3.0 - 4.0 * 0.5 * 2.0 / 3.0]));
    // A missing count of counts, and one that leads below zero.
    assert!(close(discounts(&[10, 5, 0, 2]), [0.5; 3]));
    assert!(close(discounts(&[10, 5, 3, 0]), [0.5; 3]));
    assert!(close(discounts(&[10, 5, 9, 2]), [0.5; 3]));
    assert!(close(discounts(&[10, 0, 0, 0]), [1.0; 3]));
    assert!(close(discounts(&[0, 7, 1, 1]), [0.5; 3]));
}

#[test]
fn a_model_goes_through_its_tensors_and_scores_the_same() {
    let sentences = [vec![3, 4, 3, 2], vec![4, 4, 5, 3, 4, 2], vec![2]];
    let batch = Batch::new(&sentences).expect("no empty sentence");
    for order in 1..=5 {
        let config = config(order);
        let mut model = Ngram::new(&config, 6).expect("builds");
        let before = model.freeze().expect("freezes").parse(&batch, Wanted::default());
        let uniform = before.expect("scores")[0].log_prob;
        assert!((uniform - 4.0 * (1.0_f64 / 6.0).ln()).abs() < 1e-12, "{uniform}");
        let output = model.step(&batch, Noise::Off).expect("counts");
        assert!(output.loss < 6.0_f64.ln(), "{}", output.loss);
        let again = Ngram::restore(&config, 6, model.tensors().expect("tensors"));
        let again = again.expect("restores").freeze().expect("freezes");
        let parses = again.parse(&batch, Wanted::default()).expect("scores");
        for (parse, log_prob) in parses.iter().zip(&output.log_probs) {
            assert_eq!(parse.log_prob.to_bits(), log_prob.to_bits());
            let sum: f32 = parse.surprisals.iter().sum();
            assert!((f64::from(sum) + parse.log_prob).abs() < 1e-5);
        }
        assert_eq!(parses[1].surprisals.len(), 6);
    }
}

#[test]
fn counts_from_outside_are_checked() {
    let tensor = |ids: &[u32], shape: &[usize]| {
        Tensor::from_slice(ids, shape, &candle_core::Device::Cpu).expect("a tensor")
    };
    for (name, ids, shape, counts, said) in [
        ("ngrams.2", &[3, 9][..], &[1, 2][..], &[1][..], "no n-gram"),
        ("ngrams.2", &[3, 6], &[1, 2], &[1], "no n-gram"),
        ("ngrams.1", &[3], &[1, 1], &[1], "no n-gram"),
        ("ngrams.2", &[3, 4], &[1, 2], &[0], "count 0"),
        ("ngrams.2", &[3, 4], &[2, 1], &[1], "expected (rows, 2)"),
        ("ngrams.2", &[3, 4], &[1, 2], &[1, 1], "one count for every row"),
        ("ngrams.2", &[3, 4, 3, 4], &[2, 2], &[1, 1], "not sorted"),
        ("ngrams.3", &[3, 4, 5], &[1, 3], &[1], "does not belong"),
    ] {
        let tensors = BTreeMap::from([
            (name.to_owned(), tensor(ids, shape)),
            (name.replace("ngrams", "counts"), tensor(counts, &[counts.len()])),
        ]);
        let Err(error) = Ngram::restore(&config(2), 6, tensors) else { panic!("{said}") };
        assert!(error.to_string().contains(said), "{error}");
    }
    let batch = Batch::new([[7]]).expect("no empty sentence");
    let parser = Ngram::new(&config(2), 6).and_then(|m| m.freeze()).expect("freezes");
    assert!(parser.parse(&batch, Wanted::default()).is_err(), "a word outside the vocabulary");
}

/// Sentences over the words 2 … 6 of a vocabulary of 7; 2 ends each.
fn corpora() -> impl Strategy<Value = Vec<Vec<u32>>> {
    let sentence = prop::collection::vec(3_u32..7, 0..7);
    prop::collection::vec(sentence.prop_map(|s| [s, vec![2]].concat()), 1..9)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn probabilities_equal_the_formulas_and_sum_to_one(
        sentences in corpora(),
        order in 1_usize..=5,
        tail in prop::collection::vec(0_u32..7, 0..6),
        begins in any::<bool>(),
    ) {
        let model = estimate(order, 7, &sentences);
        let reference = Reference::new(order, 7, &sentences);
        // Histories that were seen, and one that may not have been.
        let mut histories: Vec<Vec<u32>> = sentences[0].iter().enumerate()
            .map(|(i, _)| [&[7], &sentences[0][..i]].concat())
            .collect();
        histories.push(if begins { [vec![7], tail].concat() } else { tail });
        for history in histories {
            let context = &history[history.len().saturating_sub(order - 1)..];
            let mut sum = 0.0;
            for word in 0..7 {
                let p = model.probability(&history, word);
                let expected = reference.probability(context, word);
                prop_assert!((p - expected).abs() < 1e-12, "{p} {expected} {history:?} {word}");
                prop_assert!(p > 0.0);
                sum += p;
            }
            prop_assert!((sum - 1.0).abs() < 1e-12, "{sum}");
        }
    }
}
