use crate::evaluation::evalb::{Bracket, Comparison, Fault, Pair, Parameters, Status, pairs};
use crate::evaluation::{Span, sentence_f1};

/// What is compared; in percent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Figure {
    /// Of the brackets as evalb counts them, summed over the sentences; so are the next two.
    Precision,
    Recall,
    F1,
    /// The mean of the sentences' F1 of unlabelled spans: without spans of one word and of the
    /// whole sentence, without repetitions, and without sentences of one word.
    SentenceF1,
}

impl Figure {
    pub const ALL: [Figure; 4] =
        [Figure::Precision, Figure::Recall, Figure::F1, Figure::SentenceF1];

    /// Key in JSON.
    pub fn key(self) -> &'static str {
        match self {
            Figure::Precision => "precision",
            Figure::Recall => "recall",
            Figure::F1 => "f1",
            Figure::SentenceF1 => "s_f1",
        }
    }
}

/// What one sentence adds to the sums of one system.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Sample {
    pub matched: u64,
    pub gold: u64,
    pub test: u64,
    /// Absent for a sentence of one word.
    pub f1: Option<f64>,
}

/// Sums over sentences.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Sums {
    matched: u64,
    gold: u64,
    test: u64,
    f1: f64,
    with_f1: u64,
}

impl Sums {
    pub fn add(&mut self, sample: &Sample) {
        self.matched += sample.matched;
        self.gold += sample.gold;
        self.test += sample.test;
        self.f1 += sample.f1.unwrap_or(0.0);
        self.with_f1 += u64::from(sample.f1.is_some());
    }

    pub fn remove(&mut self, sample: &Sample) {
        self.matched -= sample.matched;
        self.gold -= sample.gold;
        self.test -= sample.test;
        self.f1 -= sample.f1.unwrap_or(0.0);
        self.with_f1 -= u64::from(sample.f1.is_some());
    }

    /// The figure; 0 where its denominator is, so that any resample has one.
    pub fn figure(&self, figure: Figure) -> f64 {
        let share = |part: f64, whole: f64| if whole == 0.0 { 0.0 } else { part / whole };
        let (matched, gold, test) = (self.matched as f64, self.gold as f64, self.test as f64);
        match figure {
            Figure::Precision => share(100.0 * matched, test),
            Figure::Recall => share(100.0 * matched, gold),
            Figure::F1 => share(200.0 * matched, gold + test),
            Figure::SentenceF1 => share(self.f1, self.with_f1 as f64),
        }
    }
}

/// The sentences that evalb finds valid in both systems.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Samples {
    /// Of A and of B.
    pub sentences: Vec<[Sample; 2]>,
    pub left_out: LeftOut,
    /// Why sentences of A and of B are no valid ones.
    pub faults: [Vec<Fault>; 2],
}

/// Sentences that evalb scores as errors, skips or misses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LeftOut {
    pub a: u64,
    pub b: u64,
    /// In A, in B, or in both.
    pub either: u64,
}

impl Samples {
    /// Scores both predictions against gold trees, one tree a line. `MAX_ERROR` ends nothing.
    pub fn score(gold: &[u8], a: &[u8], b: &[u8], parameters: &Parameters) -> Samples {
        let [(mut ours, a_faults), (mut theirs, b_faults)] =
            [a, b].map(|test| score(gold, test, parameters));
        let lines = ours.len().max(theirs.len());
        ours.resize(lines, None);
        theirs.resize(lines, None);
        let mut samples = Samples { faults: [a_faults, b_faults], ..Samples::default() };
        for pair in ours.into_iter().zip(theirs) {
            samples.left_out.a += u64::from(pair.0.is_none());
            samples.left_out.b += u64::from(pair.1.is_none());
            match pair {
                (Some(a), Some(b)) => samples.sentences.push([a, b]),
                _ => samples.left_out.either += 1,
            }
        }
        samples
    }

    /// Sums of A and of B.
    pub fn sums(&self) -> [Sums; 2] {
        let mut sums = [Sums::default(); 2];
        for pair in &self.sentences {
            sums[0].add(&pair[0]);
            sums[1].add(&pair[1]);
        }
        sums
    }

    /// The sentences whose results differ at all: the others cannot tell the systems apart.
    pub fn differing(&self) -> Vec<[Sample; 2]> {
        self.sentences.iter().filter(|[a, b]| a != b).copied().collect()
    }
}

/// One system: a sample for every line that is valid.
fn score(gold: &[u8], test: &[u8], parameters: &Parameters) -> (Vec<Option<Sample>>, Vec<Fault>) {
    let (mut samples, mut faults) = (Vec::new(), Vec::new());
    pairs(gold, test, parameters, |pair| {
        match pair {
            Pair::Error(fault) => faults.push(fault),
            Pair::Note(_) => {}
            Pair::Sentence { row, comparison } => {
                let valid = row.status == Status::Valid;
                samples.push(valid.then(|| sample(&comparison)));
            }
        }
        true
    });
    (samples, faults)
}

fn sample(comparison: &Comparison) -> Sample {
    let counts = comparison.counts;
    let spans = |brackets: &[Bracket]| -> Vec<Span> {
        let ends = brackets.iter().map(|b| (u32::try_from(b.start), u32::try_from(b.end)));
        ends.filter_map(|(start, end)| Some((start.ok()?, end.ok()?))).collect()
    };
    let n = counts.words as usize;
    let f1 = || sentence_f1(n, &spans(&comparison.test), &spans(&comparison.gold));
    Sample { matched: counts.matched, gold: counts.gold, test: counts.test, f1: (n > 1).then(f1) }
}
