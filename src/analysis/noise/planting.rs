use super::changes::{Flip, Inventory, bracket, reattach, relabel, retag};
use super::constructions::{Construction, Constructions};
use super::draft::Draft;
use super::{Kind, PlantedError};
use crate::evaluation::Constituents;
use crate::treebank::{Tree, attach};
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Attempts at a sentence before another one is taken.
const ATTEMPTS: usize = 8;

/// Share of the places of a construction that is flipped.
const FLIPPED: f64 = 0.3;

/// What to plant.
#[derive(Clone, Debug, PartialEq)]
pub struct Planting {
    /// Sentences to get an error, from 0 to 1; every kind gets an equal part.
    pub share: f64,
    pub kinds: Vec<Kind>,
    pub seed: u64,
}

/// A treebank with errors in it.
#[derive(Clone, Debug, Default)]
pub struct Planted {
    /// All trees, those with an error among them, in their order.
    pub trees: Vec<Arc<Tree>>,
    /// By sentence; no sentence has two.
    pub errors: Vec<PlantedError>,
    /// The construction that was flipped, and what could not be planted.
    pub notes: Vec<String>,
}

impl Planting {
    /// Plants errors that the counted constituents show (tags: that the tags show), each in a
    /// sentence of its own. Trees with gaps are closed first.
    pub fn plant(&self, trees: &[Arc<Tree>]) -> Planted {
        let closed =
            |tree: &Arc<Tree>| attach(tree).map_or_else(|| tree.clone(), |(t, _)| t.into());
        let trees: Vec<Arc<Tree>> = trees.iter().map(closed).collect();
        let mut bed = Bed {
            rng: ChaCha8Rng::seed_from_u64(self.seed),
            inventory: Inventory::of(&trees),
            order: (0..trees.len()).collect(),
            errors: BTreeMap::new(),
            notes: Vec::new(),
            trees,
        };
        bed.order.shuffle(&mut bed.rng);
        let wanted = (self.share.clamp(0.0, 1.0) * bed.trees.len() as f64).round() as usize;
        let kinds = self.kinds.len();
        let quota = |i: usize| wanted / kinds + usize::from(i < wanted % kinds);
        let mut quotas: Vec<(Kind, usize)> =
            self.kinds.iter().enumerate().map(|(i, kind)| (*kind, quota(i))).collect();
        // A construction stands where it stands; the others find room elsewhere.
        quotas.sort_by_key(|(kind, _)| *kind != Kind::Systematic);
        for (kind, quota) in quotas {
            let planted = match kind {
                Kind::Systematic => bed.flip(quota),
                other => bed.scatter(other, quota),
            };
            if planted < quota && kind != Kind::Systematic {
                let name = kind.name();
                bed.notes.push(format!("{name}: {planted} of {quota} errors could be planted"));
            }
        }
        let Bed { trees, errors, notes, .. } = bed;
        Planted { trees, errors: errors.into_values().collect(), notes }
    }
}

/// A treebank while errors are planted in it.
struct Bed {
    trees: Vec<Arc<Tree>>,
    inventory: Inventory,
    rng: ChaCha8Rng,
    /// Sentences in the order in which they are tried.
    order: Vec<usize>,
    errors: BTreeMap<usize, PlantedError>,
    notes: Vec<String>,
}

impl Bed {
    /// Plants so many errors in sentences that have none; gives how many it could.
    fn scatter(&mut self, kind: Kind, quota: usize) -> usize {
        let mut planted = 0;
        for sentence in self.order.clone() {
            if planted == quota {
                break;
            }
            let is_free = !self.errors.contains_key(&sentence);
            if is_free && (0..ATTEMPTS).any(|_| self.attempt(kind, sentence)) {
                planted += 1;
            }
        }
        planted
    }

    fn attempt(&mut self, kind: Kind, sentence: usize) -> bool {
        let mut draft = Draft::of(&self.trees[sentence]);
        let (inventory, rng) = (&self.inventory, &mut self.rng);
        let changed = match kind {
            Kind::Label => relabel(&mut draft, inventory, rng),
            Kind::Attachment => reattach(&mut draft, rng),
            Kind::Bracket => bracket(&mut draft, inventory, rng),
            Kind::Tag => retag(&mut draft, inventory, rng),
            Kind::Systematic => None,
        };
        changed.is_some_and(|node| self.keep(kind, sentence, &draft, node))
    }

    /// Takes the changed tree if the change shows.
    fn keep(&mut self, kind: Kind, sentence: usize, draft: &Draft, node: usize) -> bool {
        let before = &self.trees[sentence];
        let Some(after) = draft.finish() else { return false };
        let shows = match kind {
            Kind::Tag => !before.tags().eq(after.tags()),
            _ => Constituents::counted(before) != Constituents::counted(&after),
        };
        if !shows {
            return false;
        }
        let (start, end) = draft.extent(node);
        let error = PlantedError {
            sentence,
            kind,
            start,
            end,
            // Nodes that were there keep their number, and the changes name no new one.
            before: Draft::of(before).brackets(node),
            after: draft.brackets(node),
        };
        self.errors.insert(sentence, error);
        self.trees[sentence] = Arc::new(after);
        true
    }

    /// Flips one construction, chosen by chance among those that stand about as often as it takes,
    /// in a share of its places; gives how often.
    fn flip(&mut self, quota: usize) -> usize {
        if quota == 0 {
            return 0;
        }
        let constructions = Constructions::of(&self.trees);
        let wanted = quota as f64 / FLIPPED;
        let Some((construction, places)) = constructions.near(wanted, &mut self.rng) else {
            return 0;
        };
        let flip = Flip::draw(&constructions.others(construction), &mut self.rng);
        let flips = (FLIPPED * places.len() as f64).round() as usize;
        let mut shuffled = places.to_vec();
        shuffled.shuffle(&mut self.rng);
        let mut planted = 0;
        for (sentence, node) in shuffled {
            if planted == flips {
                break;
            }
            if self.errors.contains_key(&sentence) {
                continue;
            }
            let mut draft = Draft::of(&self.trees[sentence]);
            let changed = flip.apply(&mut draft, node);
            let kept = changed.is_some_and(|n| self.keep(Kind::Systematic, sentence, &draft, n));
            planted += usize::from(kept);
        }
        let what = match &flip {
            Flip::Flatten => "without its bracket".to_owned(),
            Flip::Relabel(to) => format!("as {to}"),
        };
        let Construction { label, children } = construction;
        self.notes.push(format!(
            "systematic: {label} -> {} {what} in {planted} of {} places",
            children.join(" "),
            places.len()
        ));
        planted
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::noise::{from_tsv, to_tsv};
    use crate::treebank::{Reader, sample};
    use std::collections::BTreeSet;

    fn treebank() -> Vec<Arc<Tree>> {
        let (name, text) = sample::read("train").expect("it is bundled");
        let trees = Reader::new(text.as_bytes(), name).take(600);
        trees.map(|tree| Arc::new(tree.expect("the sample is well formed"))).collect()
    }

    fn planting(seed: u64) -> Planting {
        Planting { share: 0.1, kinds: Kind::ALL.to_vec(), seed }
    }

    #[test]
    fn every_kind_is_planted_in_sentences_of_its_own_and_only_there() {
        let trees = treebank();
        let planted = planting(1).plant(&trees);
        let sentences: BTreeSet<usize> = planted.errors.iter().map(|e| e.sentence).collect();
        assert_eq!(sentences.len(), planted.errors.len());
        for kind in Kind::ALL {
            let of_kind = planted.errors.iter().filter(|e| e.kind == kind).count();
            let rest = kind == Kind::Systematic || of_kind == 12;
            assert!(rest && of_kind > 5, "{}: {of_kind} {:?}", kind.name(), planted.notes);
        }
        for (i, (before, after)) in trees.iter().zip(&planted.trees).enumerate() {
            assert_eq!(before.words(), after.words());
            assert_eq!(before.to_string() != after.to_string(), sentences.contains(&i), "{i}");
            assert_eq!(before.place, after.place);
        }
        assert_eq!(from_tsv(&to_tsv(&planted.errors)).expect("reads"), planted.errors);
    }

    #[test]
    fn what_is_told_of_an_error_is_what_changed() {
        let trees = treebank();
        for error in planting(2).plant(&trees).errors {
            let PlantedError { sentence, kind, start, end, before, after } = error;
            let tree = &trees[sentence];
            assert!(tree.to_string().contains(&before), "{before} is not in {tree}");
            assert_ne!(before, after);
            let words = |text: &str| {
                let tree = Reader::new(text.as_bytes(), "test").next().expect("a tree");
                tree.expect("brackets").words().to_vec()
            };
            assert_eq!(
                words(&after),
                tree.words()[start as usize..end as usize],
                "{}",
                kind.name()
            );
            assert_eq!(words(&before), words(&after));
        }
    }

    #[test]
    fn a_seed_plants_the_same_errors_and_another_seed_others() {
        let trees = treebank();
        assert_eq!(planting(3).plant(&trees).errors, planting(3).plant(&trees).errors);
        assert_ne!(planting(3).plant(&trees).errors, planting(4).plant(&trees).errors);
    }

    #[test]
    fn what_cannot_be_planted_is_said() {
        let tree = Reader::new(&b"(TOP (X (A a) (B b)))"[..], "test").next().expect("a tree");
        let trees = vec![Arc::new(tree.expect("well formed"))];
        let planted = Planting { share: 1.0, kinds: vec![Kind::Attachment], seed: 0 }.plant(&trees);
        assert_eq!(planted.notes, ["attachment: 0 of 1 errors could be planted"]);
        assert!(planted.errors.is_empty());
        assert!(planting(0).plant(&[]).errors.is_empty());
    }
}
