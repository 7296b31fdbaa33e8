//! Which child of a phrase is its head.

use crate::config::Heads;
use std::collections::HashMap;

/// Where the search for a head begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    Left,
    Right,
}

/// Priority lists by label. A label without one has its first child from `otherwise` as head.
#[derive(Clone, Debug)]
pub struct HeadRules {
    rules: HashMap<String, (Direction, Vec<String>)>,
    otherwise: Direction,
}

impl HeadRules {
    /// Rules as a table has them; `otherwise` holds for labels that it does not list.
    pub fn new(
        rules: impl IntoIterator<Item = (String, Direction, Vec<String>)>,
        otherwise: Direction,
    ) -> HeadRules {
        let rules = rules.into_iter().map(|(label, from, list)| (label, (from, list))).collect();
        HeadRules { rules, otherwise }
    }

    /// The rules that a setting names.
    pub fn of(setting: Heads) -> HeadRules {
        match setting {
            Heads::English => {
                let rules = ENGLISH.iter().map(|(label, from, list)| {
                    let list = list.split_whitespace().map(str::to_owned).collect();
                    ((*label).to_owned(), *from, list)
                });
                HeadRules::new(rules, Direction::Left)
            }
            Heads::First => HeadRules::new([], Direction::Left),
            Heads::Last => HeadRules::new([], Direction::Right),
        }
    }

    /// Whether the head of a phrase with this label is looked for from the right.
    pub fn is_from_right(&self, label: &str) -> bool {
        match self.rules.get(label) {
            Some((from, _)) => *from == Direction::Right,
            None => self.otherwise == Direction::Right,
        }
    }

    /// Place of a child's label in the list of a label, if it stands there.
    pub fn rank(&self, label: &str, child: &str) -> Option<usize> {
        self.rules.get(label)?.1.iter().position(|wanted| wanted == child)
    }

    /// Place of the head among children with these labels: for each label of the priority list in
    /// order, the first child that has it, seen from the rule's side; without one, the first child
    /// on that side.
    pub fn head(&self, label: &str, children: &[&str]) -> usize {
        let (from, list) = match self.rules.get(label) {
            Some((from, list)) => (*from, list.as_slice()),
            None => (self.otherwise, &[][..]),
        };
        for wanted in list {
            let found = match from {
                Direction::Left => children.iter().position(|c| c == wanted),
                Direction::Right => children.iter().rposition(|c| c == wanted),
            };
            if let Some(found) = found {
                return found;
            }
        }
        match from {
            Direction::Left => 0,
            Direction::Right => children.len().saturating_sub(1),
        }
    }
}

/// Heads in treebanks of English with the labels of the Penn Treebank.
const ENGLISH: &[(&str, Direction, &str)] = {
    use Direction::{Left, Right};
    &[
        ("ADJP", Right, "JJ JJR JJS VBN VBG ADJP RB NN CD"),
        ("ADVP", Right, "RB RBR RBS ADVP IN RP TO CD JJ NN"),
        ("CONJP", Right, "CC RB IN"),
        ("FRAG", Left, "S SINV SQ SBAR VP NP PP ADJP ADVP"),
        ("INTJ", Left, "UH INTJ"),
        ("LST", Right, "LS :"),
        ("NAC", Right, "NN NNS NNP NNPS NP NAC"),
        ("NML", Right, "NN NNS NNP NNPS NML CD JJ"),
        ("NP", Right, "NN NNS NNP NNPS NP NML PRP POS CD JJ DT QP ADJP"),
        ("NX", Right, "NN NNS NNP NNPS NX NP"),
        ("PP", Left, "IN TO VBG VBN RP PP"),
        ("PRN", Left, "S SINV SBAR NP VP PP"),
        ("PRT", Right, "RP"),
        ("QP", Right, "CD NN NNS JJ QP RB DT"),
        ("RRC", Left, "VP NP ADVP ADJP PP"),
        ("S", Left, "VP S SINV SBAR ADJP UCP NP"),
        ("SBAR", Left, "WHNP WHPP WHADVP WHADJP IN DT S SQ SINV SBAR FRAG"),
        ("SBARQ", Left, "SQ S SINV SBARQ FRAG"),
        ("SINV", Left, "VP VBZ VBD VBP VB MD S SINV ADJP NP"),
        ("SQ", Left, "VBZ VBD VBP VB MD VP SQ"),
        ("VP", Left, "VBD VBN MD VBZ VB VBG VBP TO VP ADJP NN NNS NP"),
        ("WHADJP", Left, "WRB JJ ADJP"),
        ("WHADVP", Right, "WRB CC"),
        ("WHNP", Right, "WDT WP WP$ WHNP NN NNS WHADJP WHPP"),
        ("WHPP", Left, "IN TO"),
    ]
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_label_of_the_list_that_a_child_has_decides() {
        let rules = HeadRules::of(Heads::English);
        assert_eq!(rules.head("NP", &["DT", "NN", "NN", "PP"]), 2);
        assert_eq!(rules.head("VP", &["RB", "NP", "VBD", "NP"]), 2);
        assert_eq!(rules.head("NP", &["X", "Y"]), 1);
        assert_eq!(rules.head("UNKNOWN", &["X", "NN"]), 0);
        assert_eq!(HeadRules::of(Heads::Last).head("NP", &["X", "Y", "Z"]), 2);
    }
}
