//! What goes wrong in a training, said from its figures alone: while it runs, when it is done, and
//! with the steps and figures that show it.

use crate::config::{Family, Model};
use crate::report::Metrics;

/// Shares of spans, in percent, from which trees are as good as all of one shape.
const ONE_SHAPE: f64 = 95.0;

/// Evaluations behind the best one that must all be worse before it is called overfitting.
const PATIENCE: usize = 3;

/// By how much the perplexity must be above the best, as a share of it.
const WORSE: f64 = 0.01;

/// A perplexity so many times the best is a divergence.
const DIVERGED: f64 = 2.0;

/// F1 points below the best, at a better likelihood, that are worth a word.
const APART: f64 = 5.0;

/// Effective number of symbols, as a share of all, below which most do nothing.
const COLLAPSED: f64 = 0.1;

/// So many symbols in effective use are no collapse, however many there are: treebanks have not many
/// more labels of phrases.
const ENOUGH: f64 = 10.0;

/// The figures of a split at a step.
#[derive(Clone, Copy, Debug)]
pub struct Figures<'a> {
    pub step: u64,
    pub split: &'a str,
    pub metrics: &'a Metrics,
}

/// What is known of a training.
#[derive(Clone, Copy, Debug, Default)]
pub struct Training<'a> {
    /// In the order of their steps.
    pub evaluations: &'a [Figures<'a>],
    /// The first step of the newest row of steps whose loss is no number.
    pub not_a_number_since: Option<u64>,
    /// See [`symbols`].
    pub symbols: Option<usize>,
}

/// How many symbols the figure `effective_symbols` of a model counts at most: its nonterminals, or the
/// states of an HMM.
pub fn symbols(model: &Model) -> Option<usize> {
    match model.family {
        family if family.has_trees() => Some(model.nonterminals),
        Family::Ngram => None,
        _ => Some(model.states),
    }
}

/// A kind of trouble.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Trouble {
    /// The loss is no number, or the model forgets what it knew.
    Divergence,
    /// Nearly all spans are those of right-branching, or of left-branching trees.
    LockIn,
    /// Few of the symbols are in use.
    Collapse,
    /// The likelihood of training rises and that of dev falls.
    Overfitting,
    /// The likelihood of dev rises and the F1 of its trees falls.
    Apart,
}

/// Where the evidence is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Evidence {
    /// The curve of the loss.
    Loss,
    /// The curve of this dev figure.
    Figure(&'static str),
    /// The trees of the evaluation.
    Trees,
    /// The symbols of the grammar.
    Symbols,
}

/// A trouble with its evidence. That of one kind and beginning is the same however it goes on.
#[derive(Clone, Debug, PartialEq)]
pub struct Alarm {
    pub trouble: Trouble,
    /// The step at which it began.
    pub since: u64,
    /// One sentence with the figures, without a full stop.
    pub text: String,
    pub evidence: Evidence,
}

impl Alarm {
    /// Kind, beginning and figures in one line.
    pub fn line(&self) -> String {
        format!("{} since step {}: {}", self.trouble.name(), self.since, self.text)
    }
}

impl Trouble {
    /// In a word or two.
    pub fn name(self) -> &'static str {
        match self {
            Trouble::Divergence => "divergence",
            Trouble::LockIn => "lock-in",
            Trouble::Collapse => "collapse",
            Trouble::Overfitting => "overfitting",
            Trouble::Apart => "F1 falls",
        }
    }
}

/// All alarms of a training, the worst first; what was wrong once and is no more is not among them.
pub fn alarms(training: &Training) -> Vec<Alarm> {
    let dev: Vec<Figures> =
        training.evaluations.iter().filter(|e| e.split == "dev").copied().collect();
    let train: Vec<Figures> =
        training.evaluations.iter().filter(|e| e.split == "train").copied().collect();
    let mut found: Vec<Alarm> = [
        divergence(training, &dev),
        lock_in(&dev),
        collapse(training, &dev),
        overfitting(&dev, &train),
        apart(&dev),
    ]
    .into_iter()
    .flatten()
    .collect();
    if let Some(Alarm { trouble: Trouble::Divergence, since: diverged, .. }) = found.first() {
        // Figures of a model that has diverged mean nothing else: what began before is left.
        let diverged = *diverged;
        found.retain(|alarm| alarm.trouble == Trouble::Divergence || alarm.since < diverged);
    }
    found
}

fn divergence(training: &Training, dev: &[Figures]) -> Option<Alarm> {
    let alarm =
        |since, text, evidence| Some(Alarm { trouble: Trouble::Divergence, since, text, evidence });
    if let Some(since) = training.not_a_number_since {
        return alarm(since, "the loss is no number".into(), Evidence::Loss);
    }
    let perplexities = series(dev, "perplexity");
    let (last_step, last) = *perplexities.last()?;
    if !last.is_finite() {
        let text = "the perplexity of dev is no number".into();
        return alarm(last_step, text, Evidence::Figure("perplexity"));
    }
    let (_, best) = least(&perplexities)?;
    if last <= DIVERGED * best {
        return None;
    }
    let since = since(&perplexities, |value| value > DIVERGED * best)?;
    let text = format!(
        "the perplexity of dev is {last:.1}, {:.1} times its best ({best:.1})",
        last / best
    );
    alarm(since, text, Evidence::Figure("perplexity"))
}

fn lock_in(dev: &[Figures]) -> Option<Alarm> {
    ["right", "left"].into_iter().find_map(|side| {
        let figure = if side == "right" { "right_share" } else { "left_share" };
        // The figures of the untrained model say nothing yet.
        let shares: Vec<(u64, f64)> =
            series(dev, figure).into_iter().filter(|(step, _)| *step > 0).collect();
        let since = since(&shares, |share| share >= ONE_SHAPE)?;
        let (_, share) = shares.last()?;
        let text = format!("{share:.0} % of the spans are those of {side}-branching trees");
        Some(Alarm { trouble: Trouble::LockIn, since, text, evidence: Evidence::Trees })
    })
}

fn collapse(training: &Training, dev: &[Figures]) -> Option<Alarm> {
    let symbols = training.symbols? as f64;
    let least = (COLLAPSED * symbols).min(ENOUGH);
    let effective: Vec<(u64, f64)> =
        series(dev, "effective_symbols").into_iter().filter(|(step, _)| *step > 0).collect();
    let since = since(&effective, |value| value < least)?;
    let (_, value) = effective.last()?;
    let text = format!("{value:.1} symbols are in effective use, of {symbols}");
    Some(Alarm { trouble: Trouble::Collapse, since, text, evidence: Evidence::Symbols })
}

fn overfitting(dev: &[Figures], train: &[Figures]) -> Option<Alarm> {
    let perplexities = series(dev, "perplexity");
    let (best_step, best) = least(&perplexities)?;
    let behind: Vec<(u64, f64)> =
        perplexities.iter().copied().filter(|(step, _)| *step > best_step).collect();
    if behind.len() < PATIENCE || behind.iter().any(|(_, value)| *value <= (1.0 + WORSE) * best) {
        return None;
    }
    // What is bad on the training text too is no overfitting.
    let of_train = series(train, "perplexity");
    let (_, now) = *of_train.last()?;
    let (_, then) = *of_train.iter().rfind(|(step, _)| *step <= best_step).or(of_train.first())?;
    if now >= then {
        return None;
    }
    let (since, _) = *behind.first()?;
    let (_, last) = *behind.last()?;
    let text = format!(
        "the perplexity of dev was best at step {best_step} ({best:.1}) and is {last:.1}, while \
         that of train fell from {then:.1} to {now:.1}"
    );
    let evidence = Evidence::Figure("perplexity");
    Some(Alarm { trouble: Trouble::Overfitting, since, text, evidence })
}

fn apart(dev: &[Figures]) -> Option<Alarm> {
    // The trees of the random start are no achievement to fall from.
    let f1: Vec<_> = series(dev, "s_f1").into_iter().filter(|(step, _)| *step > 0).collect();
    let perplexities = series(dev, "perplexity");
    let (best_step, best) = f1.iter().copied().max_by(|a, b| a.1.total_cmp(&b.1))?;
    let (_, last) = *f1.last()?;
    let at = |step: u64| perplexities.iter().find(|(s, _)| *s == step).map(|(_, value)| *value);
    let (then, now) = (at(best_step)?, perplexities.last()?.1);
    if last > best - APART || now >= then {
        return None;
    }
    let since = since(&f1, |value| value <= best - APART)?;
    let text = format!(
        "S-F1 of dev was {best:.1} at step {best_step} and is {last:.1}, while its perplexity fell \
         from {then:.1} to {now:.1}"
    );
    Some(Alarm { trouble: Trouble::Apart, since, text, evidence: Evidence::Figure("s_f1") })
}

/// A figure by step, where it was given.
fn series(of: &[Figures], figure: &str) -> Vec<(u64, f64)> {
    of.iter().filter_map(|e| Some((e.step, e.metrics.get(figure)?))).collect()
}

/// The first of the least values that are numbers.
fn least(series: &[(u64, f64)]) -> Option<(u64, f64)> {
    series.iter().copied().filter(|(_, v)| v.is_finite()).min_by(|a, b| a.1.total_cmp(&b.1))
}

/// The step since which every value is so; `None` if the last one is not.
fn since(series: &[(u64, f64)], is: impl Fn(f64) -> bool) -> Option<u64> {
    let row = series.iter().rev().take_while(|(_, value)| is(*value));
    row.last().map(|(step, _)| *step)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Alarms of dev and train figures at steps 0, 10, 20 and so on.
    fn of(figures: &[(&str, &str, &[f64])], change: impl FnOnce(&mut Training)) -> Vec<Alarm> {
        let mut all: Vec<(u64, &str, Metrics)> = Vec::new();
        for (split, name, values) in figures {
            for (i, value) in values.iter().enumerate() {
                let step = 10 * i as u64;
                match all.iter_mut().find(|(s, of, _)| (*s, *of) == (step, *split)) {
                    Some((_, _, metrics)) => metrics.set(*name, *value),
                    None => all.push((step, *split, [(*name, *value)].into_iter().collect())),
                }
            }
        }
        all.sort_by_key(|(step, _, _)| *step);
        let evaluations: Vec<Figures> = all
            .iter()
            .map(|(step, split, metrics)| Figures { step: *step, split, metrics })
            .collect();
        let mut training = Training { evaluations: &evaluations, ..Training::default() };
        change(&mut training);
        alarms(&training)
    }

    #[test]
    fn a_training_that_goes_well_gives_no_alarm() {
        let figures: [(&str, &str, &[f64]); 5] = [
            ("dev", "perplexity", &[900.0, 300.0, 200.0, 190.0, 189.0]),
            ("train", "perplexity", &[850.0, 290.0, 180.0, 170.0, 160.0]),
            ("dev", "s_f1", &[20.0, 40.0, 52.0, 50.0, 51.0]),
            ("dev", "right_share", &[100.0, 60.0, 62.0, 60.0, 61.0]),
            ("dev", "effective_symbols", &[30.0, 20.0, 18.0, 17.0, 17.0]),
        ];
        assert_eq!(of(&figures, |training| training.symbols = Some(30)), []);
        assert_eq!(of(&[], |_| ()), []);
        // Without figures of trees or symbols as well.
        assert_eq!(of(&figures[..2], |_| ()), []);
    }

    #[test]
    fn every_trouble_is_told_with_its_beginning_and_figures() {
        let told = |figures: &[(&str, &str, &[f64])], change: fn(&mut Training)| {
            let alarms = of(figures, change);
            alarms.iter().map(|a| format!("{} {}: {}", a.since, a.trouble.name(), a.text)).collect()
        };
        let check = |found: Vec<String>, expected: &str| assert_eq!(found, [expected]);
        check(
            told(&[("dev", "right_share", &[20.0, 96.0, 80.0, 97.0, 99.0])], |_| ()),
            "30 lock-in: 99 % of the spans are those of right-branching trees",
        );
        check(
            told(&[("dev", "left_share", &[20.0, 95.0])], |_| ()),
            "10 lock-in: 95 % of the spans are those of left-branching trees",
        );
        check(
            told(&[("dev", "effective_symbols", &[3.0, 2.5])], |t| t.symbols = Some(30)),
            "10 collapse: 2.5 symbols are in effective use, of 30",
        );
        check(
            told(
                &[
                    ("dev", "perplexity", &[900.0, 200.0, 210.0, 220.0, 230.0]),
                    ("train", "perplexity", &[900.0, 180.0, 150.0, 120.0, 100.0]),
                ],
                |_| (),
            ),
            "20 overfitting: the perplexity of dev was best at step 10 (200.0) and is 230.0, while \
             that of train fell from 180.0 to 100.0",
        );
        check(
            told(&[("dev", "perplexity", &[900.0, 200.0, 500.0, 600.0])], |_| ()),
            "20 divergence: the perplexity of dev is 600.0, 3.0 times its best (200.0)",
        );
        check(
            told(&[("dev", "perplexity", &[900.0, f64::NAN])], |_| ()),
            "10 divergence: the perplexity of dev is no number",
        );
        check(
            told(&[("dev", "right_share", &[20.0, 99.0])], |t| t.not_a_number_since = Some(7)),
            "7 divergence: the loss is no number",
        );
        check(
            told(
                &[
                    ("dev", "perplexity", &[900.0, 300.0, 250.0, 240.0]),
                    ("dev", "s_f1", &[20.0, 50.0, 43.0, 41.5]),
                ],
                |_| (),
            ),
            "20 F1 falls: S-F1 of dev was 50.0 at step 10 and is 41.5, while its perplexity fell \
             from 300.0 to 240.0",
        );
    }

    #[test]
    fn beside_a_divergence_stands_what_began_before_it() {
        let figures: [(&str, &str, &[f64]); 2] = [
            ("dev", "right_share", &[20.0, 99.0, 99.0]),
            ("dev", "effective_symbols", &[20.0, 19.0, 1.5]),
        ];
        let alarms = of(&figures, |training| {
            training.symbols = Some(30);
            training.not_a_number_since = Some(17);
        });
        let found: Vec<(Trouble, u64)> = alarms.iter().map(|a| (a.trouble, a.since)).collect();
        assert_eq!(found, [(Trouble::Divergence, 17), (Trouble::LockIn, 10)]);
    }

    #[test]
    fn what_is_over_is_no_alarm() {
        // Nor is it one to be worse than the trees of the random start.
        let start: [(&str, &str, &[f64]); 2] =
            [("dev", "perplexity", &[4160.0, 258.0]), ("dev", "s_f1", &[28.1, 22.9])];
        assert_eq!(of(&start, |_| ()), []);
        assert_eq!(of(&[("dev", "right_share", &[20.0, 99.0, 70.0])], |_| ()), []);
        assert_eq!(of(&[("dev", "perplexity", &[100.0, 500.0, 90.0])], |_| ()), []);
        // Twelve of a thousand symbols are enough to do with, nine are not.
        let of_many = |effective| {
            let figures: &[(&str, &str, &[f64])] = &[("dev", "effective_symbols", effective)];
            of(figures, |t| t.symbols = Some(1000)).len()
        };
        assert_eq!([of_many(&[50.0, 12.0]), of_many(&[50.0, 9.0])], [0, 1]);
        // Two evaluations behind the best are not enough, nor is a rise within the noise.
        for dev in [&[200.0, 210.0, 220.0][..], &[200.0, 201.0, 201.5, 201.0]] {
            let train: &[f64] = &[180.0, 150.0, 120.0, 100.0];
            assert_eq!(
                of(&[("dev", "perplexity", dev), ("train", "perplexity", train)], |_| ()),
                []
            );
        }
        // What gets worse on the training text too does not overfit.
        let worse: &[f64] = &[200.0, 210.0, 220.0, 230.0];
        assert_eq!(of(&[("dev", "perplexity", worse), ("train", "perplexity", worse)], |_| ()), []);
    }
}
