//! Patterns of trees, in a part of the language of Tregex (Levy & Andrew 2006) and tgrep:
//! `NP < (PP << of)` is a noun phrase with a prepositional phrase in it that has the word "of".
//!
//! A **node** is a label or word (`NP`, `of`), some of them (`NP|NX`), in quotation marks where it
//! has signs of the language (`"."`, `"PRP$"`), a regular expression that is looked for anywhere
//! in it (`/^NP-/`), or any node (`__`). `@NP` is also NP-SBJ and NP=1; `!NP` everything else.
//! `=name` behind it gives the node a name; the same name elsewhere means the same node.
//!
//! **Relations** follow a node and all speak of it, however many there are; what stands on the right
//! of one is a node, or in round brackets a node with relations of its own:
//!
//! | | A … B | |
//! |---|---|---|
//! | `<` `>` | A is the parent, the child of B | `<2` `>2`: B is the second child, A is; `<-1`: counted from the end |
//! | `<<` `>>` | A is above, below B | |
//! | `<,` `>,` | B is the first child of A, A of B | `<<,` `>>,`: along the left edge |
//! | `<-` `>-` | the last child | `<<-` `>>-`: along the right edge |
//! | `<:` `>:` | the only child | `<<:` `>>:`: by only children all the way |
//! | `<+(C)` `>+(C)` | above, below, and all nodes between are C | |
//! | `.` `,` | A stands right before, right behind B | `..` `,,`: anywhere before, behind |
//! | `$` | A is a sister of B | `$+` `$-`: right before, right behind it; `$++` `$--`: anywhere |
//! | `==` | A is B | |
//!
//! Relations side by side (or with `&`) must all hold, of those with `|` between them one; `[ ]`
//! keeps some together, `!` turns one round and `?` does not insist on it.
//!
//! A node is found once, however many ways there are. In a tree with gaps a phrase stands before
//! another where all its words do.

mod parse;
mod search;
#[cfg(test)]
mod tests;

use super::NodeId;
use regex::Regex;
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;
use thiserror::Error;

/// What is looked for in trees. Read from text by [`FromStr`].
#[derive(Clone, Debug)]
pub struct Pattern {
    text: Arc<str>,
    /// The first is the one that is found.
    nodes: Vec<PatternNode>,
    /// Names of nodes.
    names: Vec<Arc<str>>,
}

/// A part of a tree: a phrase or tag, or the word at a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Found {
    Node(NodeId),
    Word(u32),
}

/// One place where a pattern holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Match {
    /// What the pattern begins with.
    pub found: Found,
    /// The nodes with names, of the first way in which it holds, in the order of their names in
    /// the pattern.
    pub named: Vec<(Arc<str>, Found)>,
}

/// What is wrong with a pattern.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("column {column}: {reason}")]
pub struct PatternError {
    /// In characters, from 1.
    pub column: usize,
    pub reason: String,
}

impl Pattern {
    /// As it was written.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The names of its nodes, each once.
    pub fn names(&self) -> &[Arc<str>] {
        &self.names
    }
}

impl FromStr for Pattern {
    type Err = PatternError;

    fn from_str(text: &str) -> Result<Pattern, PatternError> {
        parse::parse(text)
    }
}

impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(&self.text)
    }
}

#[derive(Clone, Debug)]
struct PatternNode {
    test: Test,
    /// Place of its name.
    name: Option<usize>,
    relations: Condition,
}

/// What a label or word must be.
#[derive(Clone, Debug)]
struct Test {
    negated: bool,
    /// Only what stands before `-` or `=` in a label counts.
    basic: bool,
    is: Is,
}

#[derive(Clone, Debug)]
enum Is {
    Anything,
    OneOf(Vec<Box<str>>),
    Like(Regex),
}

/// What must hold around a node.
#[derive(Clone, Debug)]
enum Condition {
    All(Vec<Condition>),
    Any(Vec<Condition>),
    Not(Box<Condition>),
    /// Holds anyway, and gives names if it can.
    Maybe(Box<Condition>),
    /// Some node in this relation is as the pattern's node of this number says.
    Related(Relation, usize),
}

/// How the node on the right is to be related to the one on the left.
#[derive(Clone, Debug)]
enum Relation {
    Child,
    Parent,
    Below,
    Above,
    /// The n-th child, from 0, or from the end.
    Nth {
        place: usize,
        from_end: bool,
    },
    /// The left one is the n-th child.
    NthOf {
        place: usize,
        from_end: bool,
    },
    OnlyChild,
    OnlyChildOf,
    LeftEdge,
    LeftEdgeOf,
    RightEdge,
    RightEdgeOf,
    OnlyBelow,
    OnlyAbove,
    BelowThrough(Test),
    AboveThrough(Test),
    Next,
    Later,
    Previous,
    Earlier,
    Sister,
    NextSister,
    LaterSister,
    PreviousSister,
    EarlierSister,
    Same,
}

impl Test {
    /// What of a label counts.
    fn part<'t>(&self, text: &'t str) -> &'t str {
        match text.char_indices().skip(1).find(|(_, c)| matches!(c, '-' | '=')) {
            Some((end, _)) if self.basic && !text.starts_with('-') => &text[..end],
            _ => text,
        }
    }

    fn holds(&self, text: &str) -> bool {
        let text = self.part(text);
        let is = match &self.is {
            Is::Anything => true,
            Is::OneOf(all) => all.iter().any(|one| **one == *text),
            Is::Like(regex) => regex.is_match(text),
        };
        is != self.negated
    }
}

impl Condition {
    /// Whether a node in it has a name, so that the way in which it holds matters elsewhere.
    fn has_names(&self, nodes: &[PatternNode]) -> bool {
        match self {
            Condition::All(all) | Condition::Any(all) => all.iter().any(|c| c.has_names(nodes)),
            Condition::Not(one) | Condition::Maybe(one) => one.has_names(nodes),
            Condition::Related(_, node) => {
                let node = &nodes[*node];
                node.name.is_some() || node.relations.has_names(nodes)
            }
        }
    }
}
