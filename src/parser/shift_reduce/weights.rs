//! Weights of features and decisions, while they are learned and afterwards.

/// Number of a decision.
pub type Decision = u16;

/// What is looked at of a state, hashed.
pub type Feature = u64;

/// The weight of a decision where a feature is seen.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Weight {
    pub decision: Decision,
    pub value: f32,
}

/// A row of a [`Table`]: where its weights lie. Without room the slot is free.
#[derive(Clone, Copy, Debug, Default)]
struct Slot {
    feature: Feature,
    start: u32,
    length: u16,
    room: u16,
}

/// Rows of weights by feature. Looking them up is nearly all that parsing is, and memory is what
/// it waits for: a row is two places of memory, one of the slots and one of the weights.
#[derive(Clone, Debug)]
pub struct Table {
    /// Open addressing, at most half full.
    slots: Vec<Slot>,
    filled: usize,
    weights: Vec<Weight>,
}

/// Where a row lies, as [`Table::find`] found it.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    start: u32,
    length: u16,
}

impl Table {
    fn new(slots: usize) -> Table {
        let slots = vec![Slot::default(); slots.next_power_of_two().max(16)];
        Table { slots, filled: 0, weights: Vec::new() }
    }

    #[inline]
    fn place(&self, feature: Feature) -> usize {
        let mask = self.slots.len() - 1;
        // Features are hashes already; their upper bits are the better ones.
        let mut at = (feature >> 20) as usize & mask;
        loop {
            let slot = &self.slots[at];
            if slot.room == 0 || slot.feature == feature {
                return at;
            }
            at = (at + 1) & mask;
        }
    }

    /// The rows of features, in their order; empty ones where there is none. Apart from
    /// [`Table::add`], so that the memory is waited for once and not for each of them.
    #[inline]
    fn find(&self, features: &[Feature], rows: &mut Vec<Row>) {
        rows.clear();
        rows.extend(features.iter().map(|&feature| {
            let Slot { start, length, .. } = self.slots[self.place(feature)];
            Row { start, length }
        }));
    }

    /// Adds the weights of features to the scores of decisions; `rows` is scratch.
    #[inline]
    pub fn add(&self, features: &[Feature], rows: &mut Vec<Row>, scores: &mut [f32]) {
        self.find(features, rows);
        for &Row { start, length } in rows.iter() {
            for weight in &self.weights[start as usize..][..length.into()] {
                scores[weight.decision as usize] += weight.value;
            }
        }
    }

    /// The place of the weight of a decision where a feature is seen, a new one of 0 where there
    /// is none; `moved` is told where a row goes that outgrew its place, from, to and how many.
    fn weight(
        &mut self,
        feature: Feature,
        decision: Decision,
        moved: impl FnOnce(usize, usize, usize),
    ) -> usize {
        let mut place = self.place(feature);
        if self.slots[place].room == 0 {
            if 2 * (self.filled + 1) > self.slots.len() {
                self.widen();
                place = self.place(feature);
            }
            self.filled += 1;
        }
        let slot = &mut self.slots[place];
        slot.feature = feature;
        let (start, length) = (slot.start as usize, usize::from(slot.length));
        let row = &self.weights[start..start + length];
        if let Some(known) = row.iter().position(|w| w.decision == decision) {
            return start + known;
        }
        if slot.length == slot.room {
            slot.room = slot.room.saturating_mul(2).max(1);
            slot.start = self.weights.len() as u32;
            self.weights.extend_from_within(start..start + length);
            self.weights.resize(slot.start as usize + usize::from(slot.room), Weight::default());
            moved(start, slot.start as usize, length);
        }
        let at = slot.start as usize + length;
        slot.length += 1;
        self.weights[at] = Weight { decision, value: 0.0 };
        at
    }

    fn widen(&mut self) {
        let larger = vec![Slot::default(); 2 * self.slots.len()];
        for slot in std::mem::replace(&mut self.slots, larger) {
            if slot.room > 0 {
                let place = self.place(slot.feature);
                self.slots[place] = slot;
            }
        }
    }
}

/// Weights of a perceptron in training.
#[derive(Clone, Debug)]
pub struct Learning {
    pub table: Table,
    /// For every weight, the sum over all updates of the update times the step before which it was
    /// made: with it the mean over all steps need not be kept at every step (Daumé 2006).
    dated: Vec<f64>,
}

impl Default for Learning {
    fn default() -> Self {
        Learning { table: Table::new(1 << 16), dated: Vec::new() }
    }
}

impl Learning {
    /// Changes a weight at a step, counted from 0.
    pub fn update(&mut self, feature: Feature, decision: Decision, by: f32, step: u64) {
        let dated = &mut self.dated;
        let at = self.table.weight(feature, decision, |from, to, length| {
            dated.resize(to, 0.0);
            dated.extend_from_within(from..from + length);
        });
        dated.resize(self.table.weights.len(), 0.0);
        self.table.weights[at].value += by;
        dated[at] += f64::from(by) * step as f64;
    }

    /// The mean of the weights over all steps; what is 0 is left out.
    pub fn average(&self, steps: u64) -> Weights {
        let mut slots: Vec<&Slot> = self.table.slots.iter().filter(|s| s.room > 0).collect();
        slots.sort_unstable_by_key(|slot| slot.feature);
        Weights::new(slots.iter().map(|slot| {
            let range = slot.start as usize..slot.start as usize + usize::from(slot.length);
            let row = self.table.weights[range.clone()].iter().zip(&self.dated[range]);
            let mean = |(weight, dated): (&Weight, &f64)| {
                let value = f64::from(weight.value) - dated / steps.max(1) as f64;
                Weight { decision: weight.decision, value: value as f32 }
            };
            (slot.feature, row.map(mean).collect::<Vec<_>>())
        }))
    }
}

/// Weights that stay as they are.
#[derive(Clone, Debug)]
pub struct Weights {
    pub table: Table,
    /// In the order in which they were given.
    features: Vec<Feature>,
}

impl Weights {
    /// Weights of features, each given once; rows without a weight are left out.
    pub fn new(rows: impl IntoIterator<Item = (Feature, Vec<Weight>)>) -> Weights {
        let mut made = Weights { table: Table::new(16), features: Vec::new() };
        for (feature, mut row) in rows {
            row.retain(|weight| weight.value != 0.0);
            if row.is_empty() {
                continue;
            }
            let table = &mut made.table;
            if 2 * (table.filled + 1) > table.slots.len() {
                table.widen();
            }
            let place = table.place(feature);
            let (start, length) = (table.weights.len() as u32, row.len() as u16);
            table.slots[place] = Slot { feature, start, length, room: length };
            table.filled += 1;
            table.weights.extend(row);
            made.features.push(feature);
        }
        made
    }

    /// Every feature with its weights.
    pub fn rows(&self) -> impl Iterator<Item = (Feature, &[Weight])> {
        self.features.iter().map(|&feature| {
            let Slot { start, length, .. } = self.table.slots[self.table.place(feature)];
            (feature, &self.table.weights[start as usize..][..length.into()])
        })
    }

    /// Number of weights.
    pub fn len(&self) -> usize {
        self.table.weights.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scores(table: &Table, features: &[Feature]) -> [f32; 3] {
        let mut scores = [0.0; 3];
        table.add(features, &mut Vec::new(), &mut scores);
        scores
    }

    #[test]
    fn averages_are_means_over_all_steps() {
        let mut learning = Learning::default();
        // Feature 5 with decision 1: weight 2 in steps 0 to 2, then 1; mean over 4 steps 7/4.
        learning.update(5 << 30, 1, 2.0, 0);
        learning.update(5 << 30, 1, -1.0, 3);
        learning.update(6 << 30, 2, 1.0, 0);
        learning.update(5 << 30, 0, 1.0, 2);
        assert_eq!(scores(&learning.table, &[5 << 30]), [1.0, 1.0, 0.0]);
        let averaged = learning.average(4);
        assert_eq!(scores(&averaged.table, &[5 << 30, 6 << 30, 7 << 30]), [0.5, 1.75, 1.0]);
        assert_eq!(averaged.len(), 3);
        let again = Weights::new(averaged.rows().map(|(f, row)| (f, row.to_vec())));
        assert!(again.rows().eq(averaged.rows()));
    }

    #[test]
    fn a_table_keeps_apart_what_falls_into_one_place_and_rows_that_grow() {
        let mut learning = Learning::default();
        for decision in 0..3 {
            for feature in 0..1000 {
                // Equal upper bits: all fall into the same place.
                learning.update(feature, decision, feature as f32 + f32::from(decision), 0);
                learning.update(feature, decision, 1.0, 1);
            }
        }
        let averaged = learning.average(2);
        for feature in 0..1000 {
            let weight = feature as f32;
            let expected = [weight + 1.0, weight + 2.0, weight + 3.0];
            assert_eq!(scores(&learning.table, &[feature]), expected);
            assert_eq!(scores(&averaged.table, &[feature]), expected.map(|w| w - 0.5));
        }
        assert_eq!(scores(&averaged.table, &[1000]), [0.0; 3]);
    }
}
