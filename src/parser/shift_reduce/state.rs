//! States of the search: a stack that shares what is below its top with other states.

use crate::parser::transitions::Shape;

/// Number of a label or tag.
pub type Label = u16;

/// No label.
pub const NO_LABEL: Label = Label::MAX;

/// No cell or state.
pub const NONE: u32 = u32::MAX;

/// What of a node on the stack decisions look at.
#[derive(Clone, Copy, Debug)]
pub struct Item {
    pub shape: Shape,
    /// The tag, of a word.
    pub label: Label,
    /// Word and tag of the head, and how far down the list of the label's heads it stands.
    pub head: u32,
    pub head_tag: Label,
    pub head_rank: u8,
    /// Labels of the first child, of the last one and of that before it.
    pub first: Label,
    pub prior: Label,
    pub last: Label,
    /// First and last word with their tags.
    pub left: u32,
    pub left_tag: Label,
    pub right: u32,
    pub right_tag: Label,
    /// Phrases of a single child on top of each other, this one included.
    pub chain: u8,
    /// Words below.
    pub width: u32,
}

impl Item {
    /// A shifted word.
    pub fn word(word: u32, tag: Label) -> Item {
        Item {
            shape: Shape::WORD,
            label: tag,
            head: word,
            head_tag: tag,
            head_rank: 0,
            first: NO_LABEL,
            prior: NO_LABEL,
            last: NO_LABEL,
            left: word,
            left_tag: tag,
            right: word,
            right_tag: tag,
            chain: 0,
            width: 1,
        }
    }

    /// A phrase over a first child.
    pub fn over(child: &Item, label: Label, heads: &Heads) -> Item {
        let same = child.label == label;
        Item {
            shape: Shape::projected(child.shape, same),
            label,
            head_rank: heads.rank(label, child.label),
            first: child.label,
            prior: NO_LABEL,
            last: child.label,
            chain: if child.shape.children <= 1 { child.chain.saturating_add(1) } else { 1 },
            ..*child
        }
    }

    /// After a further child on the right.
    pub fn with(&self, child: &Item, heads: &Heads) -> Item {
        let mut grown = Item {
            shape: self.shape.grown(),
            prior: self.last,
            last: child.label,
            right: child.right,
            right_tag: child.right_tag,
            chain: 0,
            width: self.width + child.width,
            ..*self
        };
        let rank = heads.rank(self.label, child.label);
        if heads.replaces(self.label, rank, self.head_rank) {
            (grown.head, grown.head_tag, grown.head_rank) = (child.head, child.head_tag, rank);
        }
        grown
    }

    /// A phrase of the same label over this one and a second child.
    pub fn adjoined(&self, child: &Item, heads: &Heads) -> Item {
        let over = Item::over(self, self.label, heads);
        Item { shape: Shape::ADJUNCTION, ..over.with(child, heads) }
    }
}

/// Places of children's labels in the lists of heads, so that the head of a growing phrase is
/// known at every step.
#[derive(Clone, Debug)]
pub struct Heads {
    labels: usize,
    /// By label and child's label; 255 for a child that the list does not name.
    ranks: Vec<u8>,
    /// The head is looked for from the right.
    from_right: Vec<bool>,
}

impl Heads {
    pub fn new(labels: usize, rank: impl Fn(usize, usize) -> u8, from_right: Vec<bool>) -> Heads {
        let ranks = (0..labels * labels).map(|i| rank(i / labels, i % labels)).collect();
        Heads { labels, ranks, from_right }
    }

    fn rank(&self, label: Label, child: Label) -> u8 {
        self.ranks[label as usize * self.labels + child as usize]
    }

    /// Whether a child that came last takes the place of the head so far.
    fn replaces(&self, label: Label, rank: u8, so_far: u8) -> bool {
        if self.from_right[label as usize] { rank <= so_far } else { rank < so_far }
    }
}

/// A place on the stack.
#[derive(Clone, Copy, Debug)]
pub struct Cell {
    pub item: Item,
    /// [`NONE`] on the root.
    pub below: u32,
}

/// A step of the search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    Shift(Label),
    Project(Label),
    Attach,
    Modify,
}

/// A state of the search.
#[derive(Clone, Copy, Debug)]
pub struct State {
    /// The state before, and the step that led here.
    pub before: u32,
    pub step: Step,
    /// The top of the stack.
    pub top: u32,
    /// Words shifted so far.
    pub position: u32,
    /// Tags of the last two words.
    pub tags: [Label; 2],
    /// The two steps before, as decisions.
    pub last: [u16; 2],
    pub score: f64,
    pub has_ended: bool,
}

impl State {
    /// The state before the first step.
    pub fn start() -> State {
        State {
            before: NONE,
            step: Step::Attach,
            top: NONE,
            position: 0,
            tags: [NO_LABEL; 2],
            last: [u16::MAX; 2],
            score: 0.0,
            has_ended: false,
        }
    }
}

/// All states and cells of a sentence.
#[derive(Clone, Debug, Default)]
pub struct States {
    pub states: Vec<State>,
    pub cells: Vec<Cell>,
}

impl States {
    /// The items on top of the stack, up to four.
    pub fn stack(&self, state: &State) -> [Option<&Item>; 4] {
        let mut items = [None; 4];
        let mut at = state.top;
        for item in &mut items {
            let Some(cell) = self.cells.get(at as usize) else { break };
            *item = Some(&cell.item);
            at = cell.below;
        }
        items
    }

    /// The state after a step that its stack allows; `word` stands at the state's position.
    pub fn after(&mut self, from: u32, step: Step, word: u32, score: f64, heads: &Heads) -> u32 {
        let state = self.states[from as usize];
        let mut next = State { before: from, step, score, ..state };
        next.last = [decision(step), state.last[0]];
        let cell = |at: u32| self.cells[at as usize];
        let made = match step {
            Step::Shift(tag) => {
                next.position += 1;
                next.tags = [tag, state.tags[0]];
                Some(Cell { item: Item::word(word, tag), below: state.top })
            }
            Step::Project(label) => {
                let Cell { item, below } = cell(state.top);
                Some(Cell { item: Item::over(&item, label, heads), below })
            }
            Step::Attach => {
                let top = cell(state.top);
                match top.below {
                    NONE => None,
                    below => {
                        let Cell { item, below } = cell(below);
                        Some(Cell { item: item.with(&top.item, heads), below })
                    }
                }
            }
            Step::Modify => {
                let top = cell(state.top);
                let Cell { item, below } = cell(top.below);
                Some(Cell { item: item.adjoined(&top.item, heads), below })
            }
        };
        match made {
            Some(cell) => {
                next.top = self.cells.len() as u32;
                self.cells.push(cell);
            }
            None => (next.top, next.has_ended) = (NONE, true),
        }
        self.states.push(next);
        self.states.len() as u32 - 1
    }

    /// The steps that led to a state.
    pub fn steps(&self, to: u32) -> Vec<Step> {
        let mut steps = Vec::new();
        let mut at = to;
        while let Some(state) = self.states.get(at as usize).filter(|s| s.before != NONE) {
            steps.push(state.step);
            at = state.before;
        }
        steps.reverse();
        steps
    }
}

/// Decisions about the structure that come before the labels of projections.
pub const SHIFT: u16 = 0;
pub const ATTACH: u16 = 1;
pub const MODIFY: u16 = 2;
pub const PROJECT: u16 = 3;

/// The decision about the structure that a step is; which tag a word has is another one.
pub fn decision(step: Step) -> u16 {
    match step {
        Step::Shift(_) => SHIFT,
        Step::Attach => ATTACH,
        Step::Modify => MODIFY,
        Step::Project(label) => PROJECT + label,
    }
}
