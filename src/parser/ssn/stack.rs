//! Stacks that share what they have in common, with the history vectors that stay near.

use super::vocabulary::{Choice, Decision, Pair, ROOT, Symbol, Vocabulary};
use super::weights::NEAR;
use crate::parser::transitions::{self, Allowed, Shape};

/// In place of a number that is not there.
pub const NONE: u32 = u32::MAX;

/// A node on a stack. It never changes: a stack that goes on has new nodes over old ones.
#[derive(Clone, Copy, Debug)]
pub struct Cell {
    symbol: Symbol,
    /// The leftmost pair below it.
    corner: Pair,
    shape: Shape,
    /// Phrases over one of their own label alone in a row down from here, itself included while it
    /// has one child.
    repeats: u32,
    /// The last history vector while it was on top.
    own: u32,
    /// The same of its first and of its latest child.
    left: u32,
    recent: u32,
    below: u32,
}

/// What a history vector is computed from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct View {
    /// The decision that led here; the number of decisions at the start.
    pub last: Decision,
    pub symbol: Symbol,
    /// The last shifted pair; the number of pairs before there is one.
    pub word: Pair,
    /// The top's leftmost pair; the number of pairs at the root.
    pub corner: Pair,
    /// History vectors of the top, the node below, the first and the latest child, or [`NONE`].
    pub near: [u32; NEAR],
}

/// Where a derivation stands.
#[derive(Clone, Copy, Debug)]
pub struct Position {
    top: u32,
    last: Decision,
    word: Pair,
}

/// What a decision leads to.
#[derive(Clone, Copy, Debug)]
pub enum Next {
    Position(Position),
    /// The derivation is complete.
    End,
}

/// The nodes of many stacks.
#[derive(Clone, Debug, Default)]
pub struct Stacks {
    cells: Vec<Cell>,
}

impl Stacks {
    /// Forgets all stacks and begins with one of the root.
    pub fn begin(&mut self, vocabulary: &Vocabulary) -> Position {
        self.cells.clear();
        let none = vocabulary.pairs() as Pair;
        self.cells.push(Cell {
            symbol: ROOT,
            corner: none,
            shape: Shape::WORD,
            repeats: 0,
            own: NONE,
            left: NONE,
            recent: NONE,
            below: NONE,
        });
        Position { top: 0, last: vocabulary.decisions() as Decision, word: none }
    }

    pub fn view(&self, at: Position) -> View {
        let top = &self.cells[at.top as usize];
        let below = self.cells.get(top.below as usize).map_or(NONE, |cell| cell.own);
        View {
            last: at.last,
            symbol: top.symbol,
            word: at.word,
            corner: top.corner,
            near: [top.own, below, top.left, top.recent],
        }
    }

    /// What is possible at a position. A phrase over one of its own label alone may do so
    /// `repeats` times in a row; one more must take further children.
    pub fn allowed(&self, at: Position, repeats: u32) -> Allowed {
        let top = &self.cells[at.top as usize];
        let below = self.cells.get(top.below as usize);
        let shape = |cell: &Cell| (cell.symbol != ROOT).then_some(cell.shape);
        let mut allowed = transitions::allowed(shape(top), below.and_then(shape));
        let is_over = |cell: &Cell| cell.shape.children == 1 && cell.repeats > repeats;
        allowed.modify &= !below.is_some_and(is_over);
        if is_over(top) {
            (allowed.project, allowed.attach, allowed.modify) = (false, false, false);
        }
        allowed
    }

    /// Whether only the root is below the top, so that to attach it ends the derivation.
    pub fn is_alone(&self, at: Position) -> bool {
        let below = self.cells[at.top as usize].below;
        self.cells.get(below as usize).is_some_and(|below| below.symbol == ROOT)
    }

    /// Makes a decision that is possible; `history` is the vector by which it was made.
    pub fn make(
        &mut self,
        at: Position,
        decision: Decision,
        history: u32,
        vocabulary: &Vocabulary,
    ) -> Next {
        let top = Cell { own: history, ..self.cells[at.top as usize] };
        let mut word = at.word;
        let made = match vocabulary.choice(decision) {
            Choice::Shift(pair) => {
                word = pair;
                let below = self.push(top);
                Cell {
                    symbol: vocabulary.symbol_of(pair),
                    corner: pair,
                    shape: Shape::WORD,
                    repeats: 0,
                    own: NONE,
                    left: NONE,
                    recent: NONE,
                    below,
                }
            }
            Choice::Project(symbol) => {
                let shape = Shape::projected(top.shape, symbol == top.symbol);
                let so_far = if top.shape.children == 1 { top.repeats } else { 0 };
                Cell {
                    symbol,
                    shape,
                    repeats: if shape.repeats { so_far + 1 } else { 0 },
                    own: NONE,
                    left: history,
                    recent: history,
                    ..top
                }
            }
            Choice::Attach => {
                let below = self.cells[top.below as usize];
                if below.symbol == ROOT {
                    return Next::End;
                }
                Cell { shape: below.shape.grown(), recent: history, ..below }
            }
            Choice::Modify => {
                let below = self.cells[top.below as usize];
                Cell {
                    shape: Shape::ADJUNCTION,
                    repeats: 0,
                    own: NONE,
                    left: below.own,
                    recent: history,
                    ..below
                }
            }
        };
        Next::Position(Position { top: self.push(made), last: decision, word })
    }

    fn push(&mut self, cell: Cell) -> u32 {
        let at = self.cells.len() as u32;
        self.cells.push(cell);
        at
    }
}

/// Whether a decision is among those that are possible.
pub fn is_allowed(allowed: &Allowed, decision: Decision, vocabulary: &Vocabulary) -> bool {
    match vocabulary.choice(decision) {
        Choice::Project(_) => allowed.project,
        Choice::Attach => allowed.attach,
        Choice::Modify => allowed.modify,
        Choice::Shift(_) => allowed.shift,
    }
}
