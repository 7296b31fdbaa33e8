//! Conflicting twins of a sentence: other places of the treebank where the same words, tags or
//! children are annotated otherwise, those first that look most alike.

use crate::analysis::conflicts::{Merged, Place, Unit, Variation, duplicate_classes};
use crate::ensemble::Part;
use crate::render::{Diagram, DiagramSpan, Mark};
use crate::treebank::Tree;
use crate::workbench::names::RunId;
use crate::workbench::task::TaskHandle;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Twins told of a sentence at most.
const SHOWN: usize = 200;
/// Places told of each way in which a nucleus is annotated elsewhere.
const PLACES: usize = 3;

/// All that varies in the training trees of a run.
pub struct Catalogue {
    pub run: RunId,
    classes: Vec<u32>,
    variations: Vec<Variation>,
    /// Of every variation the group of every nucleus.
    groups: Vec<Vec<u32>>,
}

/// A place that is annotated otherwise than one like it in the sentence.
#[derive(Clone, Debug, PartialEq)]
pub struct Twin {
    pub unit: Unit,
    /// What both places have in common, apart by blanks.
    pub nucleus: String,
    pub here: Place,
    /// Labels over exactly these words here and there.
    pub label: Arc<str>,
    pub there: Place,
    pub other: Arc<str>,
    /// Equal sentences that have it so.
    pub copies: usize,
    /// Words to the left and to the right that both places have in common.
    pub shared: (usize, usize),
    /// How often the nucleus has each of its labels.
    pub counts: BTreeMap<Arc<str>, u32>,
}

impl Catalogue {
    /// Takes seconds for a million words; `None` if nobody wants it any more.
    pub fn of(run: RunId, part: &Part, handle: &TaskHandle) -> Option<Catalogue> {
        let trees = part.trees();
        let classes = duplicate_classes(&trees);
        let (mut variations, mut groups) = (Vec::new(), Vec::new());
        for (i, unit) in Unit::ALL.into_iter().enumerate() {
            if handle.cancelled() {
                return None;
            }
            handle.progress(i as u64, Unit::ALL.len() as u64);
            let variation = Variation::find(&trees, unit);
            let mut group_of = vec![0; variation.nuclei().len()];
            for (number, group) in variation.groups().into_iter().enumerate() {
                group.nuclei.into_iter().for_each(|nucleus| group_of[nucleus] = number as u32);
            }
            variations.push(variation);
            groups.push(group_of);
        }
        Some(Catalogue { run, classes, variations, groups })
    }

    /// The twins of a sentence, those that share most first.
    pub fn twins(&self, sentence: usize, part: &Part) -> Vec<Twin> {
        let mut twins = Vec::new();
        for (variation, groups) in self.variations.iter().zip(&self.groups) {
            let mut told = BTreeSet::new();
            for (nucleus, here) in variation.of_sentence(sentence as u32) {
                // That a single tag is a phrase here and none there says nothing.
                let single = variation.nuclei()[nucleus].length == 1;
                if single && variation.unit() == Unit::Tag {
                    continue;
                }
                // Of nuclei that always stand together the longest.
                if told.insert((groups[nucleus], here.start)) {
                    self.of_nucleus(variation, nucleus, here, part, &mut twins);
                }
            }
        }
        let likeness = |twin: &Twin| {
            let words = (twin.here.end - twin.here.start) as usize;
            // The same words are more alike than the same tags, and those than the same labels.
            let unit = match twin.unit {
                Unit::Word | Unit::Tagging => 2,
                Unit::Tag => 1,
                Unit::Yield => 0,
            };
            (words * unit + 2 * (twin.shared.0 + twin.shared.1), unit)
        };
        // Alike ones in the order of the treebank.
        twins.sort_by_key(|twin| {
            (std::cmp::Reverse(likeness(twin)), twin.here, twin.there, twin.unit)
        });
        twins.truncate(SHOWN);
        twins
    }

    fn of_nucleus(
        &self,
        variation: &Variation,
        number: usize,
        here: Place,
        part: &Part,
        twins: &mut Vec<Twin>,
    ) {
        let nucleus = &variation.nuclei()[number];
        let all = variation.merged(nucleus, &self.classes);
        let is_here = |o: &&Merged| {
            self.classes[o.place.sentence as usize] == self.classes[here.sentence as usize]
                && (o.place.start, o.place.end) == (here.start, here.end)
        };
        let Some(label) = all.iter().find(is_here).map(|o| o.label.clone()) else { return };
        let counts = variation.counts(nucleus);
        let text = variation.units(nucleus).join(" ");
        let mut by_label: BTreeMap<&Arc<str>, Vec<(usize, &Merged)>> = BTreeMap::new();
        for other in all.iter().filter(|other| other.label != label) {
            let (left, right) = shared(part, here, other.place);
            by_label.entry(&other.label).or_default().push((left + right, other));
        }
        for (other, mut places) in by_label {
            places.sort_by_key(|(alike, place)| (std::cmp::Reverse(*alike), place.place));
            twins.extend(places.into_iter().take(PLACES).map(|(_, place)| Twin {
                unit: variation.unit(),
                nucleus: text.clone(),
                here,
                label: label.clone(),
                there: place.place,
                other: other.clone(),
                copies: place.copies,
                shared: shared(part, here, place.place),
                counts: counts.clone(),
            }));
        }
    }
}

/// Words in common to the left and to the right of two places.
fn shared(part: &Part, a: Place, b: Place) -> (usize, usize) {
    let words = |place: Place| part.sentences[place.sentence as usize].tree.words();
    let (first, second) = (words(a), words(b));
    let before = first[..a.start as usize].iter().rev();
    let left = before.zip(second[..b.start as usize].iter().rev());
    let right = first[a.end as usize..].iter().zip(&second[b.end as usize..]);
    (left.take_while(|(x, y)| x == y).count(), right.take_while(|(x, y)| x == y).count())
}

/// The words before a place, its own and those behind.
pub fn around(part: &Part, place: Place) -> [String; 3] {
    let words = part.sentences[place.sentence as usize].tree.words();
    let (start, end) = (place.start as usize, place.end as usize);
    [&words[..start], &words[start..end], &words[end..]].map(|words| words.join(" "))
}

/// The smallest phrase around a place that is larger than it. What is exactly over the place has
/// the mark, and its words are set apart as unknown ones are.
pub fn excerpt(tree: &Tree, place: Place, mark: Mark) -> Option<Diagram> {
    let extents = tree.extents();
    let phrases: Vec<(u32, u32, &Arc<str>)> = tree
        .nodes()
        .filter(|(_, node)| node.word.is_none())
        .map(|(id, node)| (extents[id.0 as usize].0, extents[id.0 as usize].1, node.label))
        .collect();
    let around = phrases.iter().filter(|(start, end, _)| {
        *start <= place.start && place.end <= *end && end - start > place.end - place.start
    });
    let whole = (0, tree.len() as u32);
    let (from, to) = around.map(|(s, e, _)| (*s, *e)).min_by_key(|(s, e)| e - s).unwrap_or(whole);
    let within = phrases.iter().filter(|(start, end, _)| from <= *start && *end <= to);
    let spans: Vec<DiagramSpan<&str>> = within
        .map(|(start, end, label)| DiagramSpan {
            start: start - from,
            end: end - from,
            label: &***label,
        })
        .collect();
    let range = from as usize..to as usize;
    let tags: Vec<&str> = tree.tags().map(|tag| &**tag).collect();
    let mut diagram =
        Diagram::from_spans(&tree.words()[range.clone()], Some(&tags[range]), &spans)?;
    let inside = (place.start - from, place.end - from);
    diagram.mark(|span| if span == inside { mark } else { Mark::None });
    diagram.mark_unknown(|i| (inside.0..inside.1).contains(&(i as u32)));
    Some(diagram)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ensemble::Annotated;
    use crate::evaluation::Constituents;
    use crate::treebank::Reader;
    use crate::workbench::task::Task;

    fn part(texts: &[&str]) -> Part {
        let annotated = |(index, text): (usize, &&str)| {
            let tree = Reader::new(text.as_bytes(), "t").next().expect("one").expect("whole");
            let tree = Arc::new(tree);
            let constituents = Constituents::counted(&tree);
            Annotated { original: tree.clone(), tree, index, constituents }
        };
        Part { name: "train", sentences: texts.iter().enumerate().map(annotated).collect() }
    }

    fn twins_of(sentence: usize, part: &Part) -> Vec<Twin> {
        let shared_part = part.clone();
        let task = Task::new("catalogue", "", move |handle| {
            Ok(Catalogue::of(RunId(1), &shared_part, handle))
        });
        let catalogue = task.run().expect("runs").downcast::<Option<Catalogue>>().expect("one");
        catalogue.expect("not cancelled").twins(sentence, part)
    }

    const TEXTS: [&str; 4] = [
        "(TOP (S (NP (NN we)) (VP (VB see) (NP (NP (DT a) (NN man)) (PP (IN with) (NN hats))))))",
        "(TOP (S (NP (NN we)) (VP (VB see) (NP (DT a) (NN man)) (PP (IN with) (NN hats)))))",
        "(TOP (S (NP (NN you)) (VP (VB see) (NP (DT a) (NN man)) (PP (IN with) (NN hats)))))",
        "(TOP (S (NP (NN you)) (VP (VB see) (NP (DT a) (NN man)) (PP (IN with) (NN hats)))))",
    ];

    #[test]
    fn the_twin_that_shares_most_comes_first_and_duplicates_are_one() {
        let part = part(&TEXTS);
        let twins = twins_of(0, &part);
        let first = &twins[0];
        assert_eq!((first.unit, first.nucleus.as_str()), (Unit::Word, "a man with hats"));
        assert_eq!((&*first.label, &*first.other), ("NP", "NIL"));
        assert_eq!((first.here.sentence, first.there.sentence, first.shared), (0, 1, (2, 0)));
        assert_eq!(first.counts[&Arc::from("NIL")], 3);
        let same = twins.iter().filter(|t| t.unit == Unit::Word && t.nucleus == first.nucleus);
        let places: Vec<(u32, usize)> = same.map(|t| (t.there.sentence, t.copies)).collect();
        assert_eq!(places, [(1, 1), (2, 2)]);
        assert!(twins.iter().all(|twin| twin.label != twin.other));
        // Both places are shown with what stands around them.
        assert_eq!(around(&part, first.here), ["we see", "a man with hats", ""]);
        let here = excerpt(&part.sentences[0].tree, first.here, Mark::Missing).expect("a phrase");
        let there =
            excerpt(&part.sentences[1].tree, first.there, Mark::Spurious).expect("a phrase");
        let top = |diagram: &Diagram| (diagram.nodes()[0].label.to_string(), diagram.len());
        assert_eq!((top(&here), top(&there)), (("VP".into(), 5), ("VP".into(), 5)));
        let marked = |d: &Diagram| d.nodes().iter().filter(|n| n.mark != Mark::None).count();
        assert_eq!((marked(&here), marked(&there)), (1, 0));
    }

    #[test]
    fn a_sentence_like_no_other_has_no_twin() {
        let part = part(&[TEXTS[0], "(TOP (X (FW foo) (FW bar)))"]);
        assert!(twins_of(1, &part).is_empty());
    }
}
