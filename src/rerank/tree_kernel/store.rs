//! Subtrees as lists of numbers, and back.

use super::subtrees::{Name, SubtreeId, Subtrees, WORD};
use std::sync::Arc;

/// Subtrees as a file has them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StoredSubtrees {
    pub names: Vec<Arc<str>>,
    /// Names of all productions, one behind the other, and where each ends.
    pub productions: Vec<u32>,
    pub production_ends: Vec<u32>,
    /// Of every subtree its production, and where its children end among all children.
    pub of_subtree: Vec<u32>,
    pub children: Vec<u32>,
    pub child_ends: Vec<u32>,
}

impl Subtrees {
    /// These subtrees with all below them, and their numbers there.
    pub fn store(&self, kept: &[SubtreeId]) -> (StoredSubtrees, Vec<SubtreeId>) {
        let mut is_kept = vec![false; self.len()];
        let mut open: Vec<SubtreeId> = kept.to_vec();
        while let Some(id) = open.pop() {
            if !std::mem::replace(&mut is_kept[id as usize], true) {
                open.extend_from_slice(self.children(id));
            }
        }
        let mut stored =
            StoredSubtrees { names: self.names().to_vec(), ..StoredSubtrees::default() };
        for production in self.production_names() {
            stored.productions.extend_from_slice(production);
            stored.production_ends.push(stored.productions.len() as u32);
        }
        // Children were met before what is above them.
        let mut numbers = vec![0; self.len()];
        for id in (0..self.len() as SubtreeId).filter(|id| is_kept[*id as usize]) {
            numbers[id as usize] = stored.of_subtree.len() as u32;
            stored.of_subtree.push(self.production(id));
            stored.children.extend(self.children(id).iter().map(|c| numbers[*c as usize]));
            stored.child_ends.push(stored.children.len() as u32);
        }
        (stored, kept.iter().map(|id| numbers[*id as usize]).collect())
    }

    /// What [`Subtrees::store`] gave; says what is wrong with anything else.
    pub fn restore(lambda: f64, stored: &StoredSubtrees) -> Result<Subtrees, String> {
        let mut subtrees = Subtrees::new(lambda);
        for (i, name) in stored.names.iter().enumerate() {
            if subtrees.name(name) as usize != i {
                return Err(format!("its name {i} stands there twice"));
            }
        }
        for (i, names) in parts(&stored.productions, &stored.production_ends)?.enumerate() {
            let names = match names {
                [WORD, names @ ..] if names.len() == 2 => names,
                names => names,
            };
            let known = |name: &Name| (*name as usize) < stored.names.len();
            if names.is_empty() || !names.iter().all(known) {
                return Err(format!("its production {i} is none"));
            }
        }
        for (i, names) in parts(&stored.productions, &stored.production_ends)?.enumerate() {
            if subtrees.production_of(names.into()) as usize != i {
                return Err(format!("its production {i} stands there twice"));
            }
        }
        if stored.of_subtree.len() != stored.child_ends.len() {
            return Err("its subtrees and their children are not as many".into());
        }
        let all = stored.of_subtree.iter().zip(parts(&stored.children, &stored.child_ends)?);
        for (i, (&production, children)) in all.enumerate() {
            let names = stored.production_ends.len();
            if production as usize >= names || children.iter().any(|c| *c as usize >= i) {
                return Err(format!("its subtree {i} is none"));
            }
            if subtrees.arity(production) != children.len() {
                return Err(format!("its subtree {i} has children that its production has not"));
            }
            if subtrees.subtree(production, children) as usize != i {
                return Err(format!("its subtree {i} stands there twice"));
            }
        }
        Ok(subtrees)
    }
}

/// Parts of a list that end at these places.
pub fn parts<'a>(
    all: &'a [u32],
    ends: &'a [u32],
) -> Result<impl Iterator<Item = &'a [u32]>, String> {
    if !ends.is_sorted() || ends.last().copied().unwrap_or(0) as usize != all.len() {
        return Err("its lists do not end where they should".into());
    }
    let begins = std::iter::once(0).chain(ends.iter().copied());
    Ok(begins.zip(ends).map(|(begin, &end)| &all[begin as usize..end as usize]))
}
