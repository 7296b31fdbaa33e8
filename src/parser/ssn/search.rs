//! Beam search: after every word the best derivations are kept; between two words the most probable
//! partial ones go on first.

use super::Ssn;
use super::lexicon::Reading;
use super::network::{history, logits, normalise};
use super::stack::{NONE, Next, Position, Stacks};
use super::vocabulary::Decision;
use pulp::Arch;
use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// Partial derivations whose next decisions are computed at once.
const BATCH: usize = 16;

/// Partial derivations that go on between two words, at most, for every one that is kept: a bound
/// for networks that project without end.
const MOST: usize = 200;

/// How far a search looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Width {
    /// Derivations kept after every word.
    pub beam: usize,
    /// Structural decisions tried of every derivation.
    pub branching: usize,
}

/// A complete derivation.
#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    pub decisions: Vec<Decision>,
    /// log P of the decisions, and of the words given their readings, nats.
    pub score: f64,
}

/// A decision that led somewhere, after others.
#[derive(Clone, Copy, Debug)]
struct Link {
    from: u32,
    decision: Decision,
}

/// A derivation that is not complete.
#[derive(Clone, Copy, Debug)]
struct Partial {
    score: f64,
    at: Position,
    /// Its last decision.
    link: u32,
}

/// A decision that may be made.
#[derive(Clone, Copy, Debug)]
struct Offer {
    score: f64,
    from: Partial,
    decision: Decision,
    /// The history vector of `from`.
    history: u32,
    /// Numbers the offers of a search, so that equal ones have an order.
    number: u32,
}

impl Ord for Offer {
    fn cmp(&self, other: &Self) -> Ordering {
        self.score.total_cmp(&other.score).then(other.number.cmp(&self.number))
    }
}

impl PartialOrd for Offer {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Offer {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Offer {}

/// The best offers of what the search is after, the best first.
#[derive(Debug, Default)]
struct Best {
    offers: Vec<Offer>,
    most: usize,
}

impl Best {
    fn clear(&mut self, most: usize) {
        self.offers.clear();
        self.most = most;
    }

    /// What is no better than this is not wanted any more.
    fn bar(&self) -> f64 {
        match self.offers.len() < self.most {
            true => f64::NEG_INFINITY,
            false => self.offers.last().map_or(f64::INFINITY, |worst| worst.score),
        }
    }

    fn add(&mut self, offer: Offer) {
        if offer.score > self.bar() {
            let at = self.offers.partition_point(|other| *other > offer);
            self.offers.insert(at, offer);
            self.offers.truncate(self.most);
        }
    }
}

/// What ends the search for the derivations of one more word.
enum Goal<'a> {
    Shift(&'a [Reading]),
    /// The attachment to the root.
    End,
}

/// Buffers of searches with one network.
pub struct Search<'a> {
    ssn: &'a Ssn,
    arch: Arch,
    width: Width,
    stacks: Stacks,
    histories: Vec<f32>,
    links: Vec<Link>,
    queue: BinaryHeap<Offer>,
    best: Best,
    batch: Vec<Partial>,
    rows: Vec<f32>,
    scores: Vec<f32>,
    top: Vec<(f64, Decision)>,
    offers: u32,
}

impl<'a> Search<'a> {
    pub fn new(ssn: &'a Ssn, width: Width) -> Search<'a> {
        Search {
            ssn,
            arch: Arch::new(),
            width,
            stacks: Stacks::default(),
            histories: Vec::new(),
            links: Vec::new(),
            queue: BinaryHeap::new(),
            best: Best::default(),
            batch: Vec::new(),
            rows: Vec::new(),
            scores: Vec::new(),
            top: Vec::new(),
            offers: 0,
        }
    }

    /// Complete derivations of words with these readings, the best first, at most as many as the
    /// beam is wide. None, if all that were kept came to nothing.
    pub fn derivations(&mut self, words: &[Vec<Reading>]) -> Vec<Found> {
        self.histories.clear();
        self.links.clear();
        self.offers = 0;
        let at = self.stacks.begin(&self.ssn.vocabulary);
        let mut beam = vec![Partial { score: 0.0, at, link: NONE }];
        for readings in words {
            self.advance(&beam, &Goal::Shift(readings));
            beam.clear();
            for i in 0..self.best.offers.len() {
                beam.extend(self.take(self.best.offers[i]));
            }
        }
        self.advance(&beam, &Goal::End);
        let found = self.best.offers.iter().map(|offer| {
            let mut decisions = vec![offer.decision];
            let mut link = offer.from.link;
            while link != NONE {
                let Link { from, decision } = self.links[link as usize];
                decisions.push(decision);
                link = from;
            }
            decisions.reverse();
            Found { decisions, score: offer.score }
        });
        found.collect()
    }

    /// From derivations after one word to the best ones after the next, which are in `best` then.
    fn advance(&mut self, beam: &[Partial], goal: &Goal<'_>) {
        self.queue.clear();
        self.best.clear(self.width.beam);
        // The best that reaching the goal was worth so far: what goes on will hardly do better.
        let mut gain = f64::NEG_INFINITY;
        let mut todo = self.width.beam.saturating_mul(MOST);
        for some in beam.chunks(BATCH) {
            self.batch.clear();
            self.batch.extend_from_slice(some);
            self.expand(goal, &mut gain);
        }
        loop {
            self.batch.clear();
            while self.batch.len() < BATCH.min(todo) {
                let Some(offer) = self.queue.pop() else { break };
                let hope = if gain == f64::NEG_INFINITY { 0.0 } else { gain };
                if offer.score + hope <= self.best.bar() {
                    self.queue.clear();
                    break;
                }
                let partial = self.take(offer);
                self.batch.extend(partial);
            }
            if self.batch.is_empty() {
                return;
            }
            todo -= self.batch.len();
            self.expand(goal, &mut gain);
        }
    }

    /// Makes the decision of an offer; `None` where it ends the derivation.
    fn take(&mut self, offer: Offer) -> Option<Partial> {
        let Offer { score, from, decision, history, .. } = offer;
        let Next::Position(at) = self.stacks.make(from.at, decision, history, &self.ssn.vocabulary)
        else {
            return None;
        };
        let link = self.links.len() as u32;
        self.links.push(Link { from: from.link, decision });
        Some(Partial { score, at, link })
    }

    /// Computes the next decisions of the batch, and offers the best of them.
    fn expand(&mut self, goal: &Goal<'_>, gain: &mut f64) {
        let ssn = self.ssn;
        let (hidden, structural) = (ssn.hidden(), ssn.vocabulary.structural());
        let first = (self.histories.len() / hidden) as u32;
        self.histories.resize(self.histories.len() + self.batch.len() * hidden, 0.0);
        for (i, partial) in self.batch.iter().enumerate() {
            let view = self.stacks.view(partial.at);
            let (earlier, own) = self.histories.split_at_mut((first as usize + i) * hidden);
            history(&ssn.weights, self.arch, &view, earlier, &mut own[..hidden]);
        }
        for with_shift in [false, true] {
            let width = if with_shift { ssn.decisions() } else { structural };
            self.rows.clear();
            let mut n = 0;
            for (i, partial) in self.batch.iter().enumerate() {
                if self.stacks.allowed(partial.at, ssn.repeats).shift == with_shift {
                    let from = (first as usize + i) * hidden;
                    self.rows.extend_from_slice(&self.histories[from..from + hidden]);
                    n += 1;
                }
            }
            self.scores.resize(n * width, 0.0);
            logits(&ssn.weights, &self.rows, width, &mut self.scores[..n * width]);
            let mut row = 0;
            for i in 0..self.batch.len() {
                let partial = self.batch[i];
                let allowed = self.stacks.allowed(partial.at, ssn.repeats);
                if allowed.shift != with_shift {
                    continue;
                }
                let scores = &mut self.scores[row * width..(row + 1) * width];
                row += 1;
                normalise(self.arch, &allowed, structural, scores);
                self.offer(partial, first + i as u32, row - 1, width, goal, gain);
            }
        }
    }

    /// Offers the best structural decisions of a derivation, and those that reach the goal.
    fn offer(
        &mut self,
        from: Partial,
        history: u32,
        row: usize,
        width: usize,
        goal: &Goal<'_>,
        gain: &mut f64,
    ) {
        let vocabulary = &self.ssn.vocabulary;
        let scores = &self.scores[row * width..][..width];
        let log = |decision: Decision| f64::from(scores[decision as usize]).ln();
        let ends = self.stacks.is_alone(from.at);
        let attach = vocabulary.attach();
        let bar = self.best.bar();
        self.top.clear();
        let structural = vocabulary.structural();
        for (decision, p) in (0..).zip(&scores[..structural]) {
            let p = f64::from(*p);
            if p > 0.0 && !(ends && decision == attach) {
                let at = self.top.partition_point(|(other, _)| *other >= p);
                if at < self.width.branching {
                    self.top.truncate(self.width.branching - 1);
                    self.top.insert(at, (p, decision));
                }
            }
        }
        let mut number = self.offers;
        let mut offer = |score: f64, decision: Decision| {
            number += 1;
            Offer { score, from, decision, history, number }
        };
        match goal {
            Goal::Shift(readings) if width > structural => {
                for reading in *readings {
                    let decision = vocabulary.shift(reading.pair);
                    let worth = log(decision) + reading.log_prob;
                    if worth > f64::NEG_INFINITY {
                        *gain = gain.max(worth);
                        self.best.add(offer(from.score + worth, decision));
                    }
                }
            }
            Goal::End if ends => {
                let worth = log(attach);
                if worth > f64::NEG_INFINITY {
                    *gain = gain.max(worth);
                    self.best.add(offer(from.score + worth, attach));
                }
            }
            _ => {}
        }
        for (p, decision) in &self.top {
            let score = from.score + p.ln();
            if score > bar {
                self.queue.push(offer(score, *decision));
            }
        }
        self.offers = number;
    }
}
