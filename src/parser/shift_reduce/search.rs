//! Beam search for the steps with the greatest sum of weights.

use super::features::{Seen, structure, tagging};
use super::lexical::Roles;
use super::state::{Heads, Item, Label, NONE, PROJECT, State, States, Step, decision};
use super::weights::{Feature, Row, Table};
use crate::parser::transitions::{Allowed, allowed};

/// Tags of a word that a state goes on with, at most.
const TAGS: usize = 3;

/// What the search knows beside the weights.
pub struct Rules<'a> {
    heads: &'a Heads,
    phrases: &'a [Label],
    longest_chain: u8,
    /// By label: may be the root of a tree, may be that and nothing else.
    is_root: Vec<bool>,
    is_root_alone: Vec<bool>,
    /// Number of decisions about the structure.
    pub decisions: usize,
}

impl<'a> Rules<'a> {
    /// Rules for so many labels.
    pub fn new(heads: &'a Heads, roles: &'a Roles, labels: usize) -> Rules<'a> {
        let all = || 0..labels as Label;
        Rules {
            heads,
            phrases: &roles.phrases,
            longest_chain: roles.longest_chain,
            is_root: all().map(|label| roles.roots.contains(&label)).collect(),
            is_root_alone: all().map(|label| roles.is_root_alone(label)).collect(),
            decisions: roles
                .phrases
                .iter()
                .map(|label| decision(Step::Project(*label)))
                .max()
                .map_or(PROJECT, |last| last + 1)
                .into(),
        }
    }

    pub fn heads(&self) -> &Heads {
        self.heads
    }

    fn is_root(&self, item: &Item) -> bool {
        !item.shape.is_word() && self.is_root[item.label as usize]
    }

    fn is_root_alone(&self, item: &Item) -> bool {
        !item.shape.is_word() && self.is_root_alone[item.label as usize]
    }
}

/// A sentence to be parsed.
pub struct Input {
    pub words: Vec<Seen>,
    /// Tags that every word may have; at least one.
    pub tags: Vec<Vec<Label>>,
}

/// Weights of the structure and of tags.
#[derive(Clone, Copy)]
pub struct Scorers<'a> {
    pub structure: &'a Table,
    pub tagging: &'a Table,
}

/// A way to go on.
#[derive(Clone, Copy, Debug)]
struct Way {
    from: u32,
    /// Place among all ways, which decides between equally good ones.
    number: u32,
    /// `None` for a state that has ended.
    step: Option<Step>,
    score: f64,
}

/// The best tags of a word, behind two others.
#[derive(Clone, Copy, Debug)]
struct Tagged {
    position: u32,
    behind: [Label; 2],
    best: [(Label, f32); TAGS],
    length: usize,
}

/// Buffers that are used for one state after the other, and one sentence after the other.
#[derive(Default)]
pub struct Scratch {
    features: Vec<Feature>,
    rows: Vec<Row>,
    scores: Vec<f32>,
    tag_scores: Vec<f32>,
    tags: Vec<(Label, f32)>,
    tagged: Vec<Tagged>,
    ways: Vec<Way>,
}

/// States after each other, the best first.
pub struct Beam<'a> {
    rules: &'a Rules<'a>,
    scorers: Scorers<'a>,
    input: &'a Input,
    size: usize,
    pub states: States,
    pub beam: Vec<u32>,
}

impl<'a> Beam<'a> {
    pub fn new(
        rules: &'a Rules<'a>,
        scorers: Scorers<'a>,
        input: &'a Input,
        size: usize,
        scratch: &mut Scratch,
    ) -> Beam<'a> {
        scratch.scores.resize(rules.decisions, 0.0);
        scratch.tag_scores.resize(rules.is_root.len(), 0.0);
        scratch.tagged.clear();
        let states = States { states: vec![State::start()], cells: Vec::new() };
        Beam { rules, scorers, input, size, states, beam: vec![0] }
    }

    /// Whether every state has ended, or none is left.
    pub fn is_done(&self) -> bool {
        self.beam.iter().all(|at| self.states.states[*at as usize].has_ended)
    }

    /// One step of all states that have not ended.
    pub fn advance(&mut self, scratch: &mut Scratch) {
        scratch.ways.clear();
        for i in 0..self.beam.len() {
            let from = self.beam[i];
            let state = self.states.states[from as usize];
            match state.has_ended {
                true => push(&mut scratch.ways, from, None, state.score),
                false => self.ways(from, &state, scratch),
            }
        }
        let ways = &mut scratch.ways;
        let order = |a: &Way, b: &Way| b.score.total_cmp(&a.score).then(a.number.cmp(&b.number));
        if ways.len() > self.size {
            ways.select_nth_unstable_by(self.size, order);
            ways.truncate(self.size);
        }
        ways.sort_unstable_by(order);
        self.beam.clear();
        for way in ways {
            let next = match way.step {
                None => way.from,
                Some(step) => {
                    let position = self.states.states[way.from as usize].position as usize;
                    let word = self.input.words.get(position).map_or(NONE, |w| w.word);
                    self.states.after(way.from, step, word, way.score, self.rules.heads)
                }
            };
            self.beam.push(next);
        }
    }

    /// All steps that a state may take.
    fn ways(&self, from: u32, state: &State, scratch: &mut Scratch) {
        let can = possible(&self.states, state, self.input.words.len(), self.rules);
        let Scratch { features, rows, scores, .. } = scratch;
        structure(&self.states, state, &self.input.words, features);
        scores.fill(0.0);
        self.scorers.structure.add(features, rows, scores);
        let score =
            |scores: &[f32], step: Step| state.score + f64::from(scores[decision(step) as usize]);
        for (is_possible, step) in [(can.attach, Step::Attach), (can.modify, Step::Modify)] {
            if is_possible {
                push(&mut scratch.ways, from, Some(step), score(&scratch.scores, step));
            }
        }
        if can.project {
            let projections =
                Projections::of(&self.states, state, self.input.words.len(), self.rules);
            for &label in self.rules.phrases {
                if projections.allow(label) {
                    let step = Step::Project(label);
                    push(&mut scratch.ways, from, Some(step), score(&scratch.scores, step));
                }
            }
        }
        if can.shift {
            let Tagged { best, length, .. } = self.tagged(state, scratch);
            for &(tag, of_tag) in &best[..length] {
                let step = Step::Shift(tag);
                let score = score(&scratch.scores, step) + f64::from(of_tag);
                push(&mut scratch.ways, from, Some(step), score);
            }
        }
    }

    /// The best tags of the next word. Few states differ in the tags before it, so that most find
    /// these done already.
    fn tagged(&self, state: &State, scratch: &mut Scratch) -> Tagged {
        let Scratch { features, rows, tag_scores, tags, tagged, .. } = scratch;
        let same = |t: &&Tagged| t.position == state.position && t.behind == state.tags;
        if let Some(known) = tagged.iter().rev().take(4 * self.size).find(same) {
            return *known;
        }
        let position = state.position as usize;
        tagging(position, state.tags, &self.input.words, features);
        tag_scores.fill(0.0);
        self.scorers.tagging.add(features, rows, tag_scores);
        tags.clear();
        tags.extend(self.input.tags[position].iter().map(|&tag| (tag, tag_scores[tag as usize])));
        tags.sort_by(|a, b| b.1.total_cmp(&a.1));
        let length = tags.len().min(TAGS);
        let mut best = [(0, 0.0); TAGS];
        best[..length].copy_from_slice(&tags[..length]);
        let new = Tagged { position: state.position, behind: state.tags, best, length };
        tagged.push(new);
        new
    }
}

fn push(ways: &mut Vec<Way>, from: u32, step: Option<Step>, score: f64) {
    ways.push(Way { from, number: ways.len() as u32, step, score });
}

/// Kinds of steps that the stack, the words and the labels of the treebank allow.
pub fn possible(states: &States, state: &State, words: usize, rules: &Rules) -> Allowed {
    let [top, below, ..] = states.stack(state);
    let mut can = allowed(top.map(|t| t.shape), below.map(|b| b.shape));
    let all_shifted = state.position as usize == words;
    can.shift &= !all_shifted;
    let Some(top) = top else { return can };
    match below {
        None => can.attach &= all_shifted && rules.is_root(top),
        Some(below) => {
            // A root stands below nothing, and what takes a second child here must take a third.
            can.attach &= !rules.is_root_alone(top);
            can.attach &= !(all_shifted && below.shape.repeats && below.shape.children == 1);
            can.modify &= !rules.is_root_alone(below) && !rules.is_root_alone(top);
        }
    }
    can
}

/// What may be projected from the top of a stack that allows projections.
pub struct Projections<'a> {
    rules: &'a Rules<'a>,
    top: Item,
    is_lowest: bool,
    all_shifted: bool,
}

impl<'a> Projections<'a> {
    /// Of a state with something on its stack.
    pub fn of(
        states: &States,
        state: &State,
        words: usize,
        rules: &'a Rules<'a>,
    ) -> Projections<'a> {
        let [top, below, ..] = states.stack(state);
        Projections {
            rules,
            top: *top.expect("only a top is projected from"),
            is_lowest: below.is_none(),
            all_shifted: state.position as usize == words,
        }
    }

    pub fn allow(&self, label: Label) -> bool {
        let Projections { rules, top, is_lowest, all_shifted } = self;
        if rules.is_root_alone(top) {
            return false;
        }
        if rules.is_root_alone[label as usize] {
            return *is_lowest;
        }
        let is_unary = top.shape.children <= 1;
        // What is below is complete now, and no longer a chain than the treebank has; but a whole
        // sentence may always come to have a root.
        let is_short = !is_unary || top.chain <= rules.longest_chain;
        let at_end = *is_lowest && *all_shifted;
        is_short || (at_end && rules.is_root[label as usize] && !rules.is_root(top))
    }
}
