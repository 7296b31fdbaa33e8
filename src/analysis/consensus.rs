use crate::evaluation::Span;
use crate::inference::decode::best_tree;
use crate::model::Parse;

/// What several models say of the spans of one sentence, summed up.
#[derive(Clone, Debug, PartialEq)]
pub struct Consensus {
    words: usize,
    members: usize,
    /// Of span `[i, j)` at `i * (words + 1) + j`.
    sums: Vec<f64>,
}

impl Consensus {
    /// Before any model of a sentence of so many words.
    pub fn new(words: usize) -> Consensus {
        Consensus { words, members: 0, sums: vec![0.0; (words + 1) * (words + 1)] }
    }

    /// How many models were heard.
    pub fn members(&self) -> usize {
        self.members
    }

    /// Adds a model's span marginals; its tree where it gives none.
    pub fn add(&mut self, parse: &Parse) {
        if parse.marginals.len() != self.sums.len() {
            return self.add_vote(parse);
        }
        self.members += 1;
        for (sum, &marginal) in self.sums.iter_mut().zip(&parse.marginals) {
            *sum += f64::from(marginal);
        }
    }

    /// Adds one vote for every span of a model's tree.
    pub fn add_vote(&mut self, parse: &Parse) {
        self.members += 1;
        for span in &parse.spans {
            self.sums[span.start as usize * (self.words + 1) + span.end as usize] += 1.0;
        }
    }

    /// The binary tree whose spans have the largest sum, in preorder; `None` before any model.
    pub fn tree(&self) -> Option<Vec<Span>> {
        if self.members == 0 {
            return None;
        }
        // The mean, so that equal models give each span the very number that one gives.
        let members = self.members as f64;
        let mean = |i: usize, j: usize| self.sums[i * (self.words + 1) + j] / members;
        let spans = best_tree(self.words, mean).into_iter();
        Some(spans.map(|(i, j)| (i as u32, j as u32)).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;
    use crate::model::{self, ParsedSpan, Wanted};
    use crate::treebank::Batch;
    use proptest::prelude::*;

    /// All binary trees over `[i, j)`.
    fn trees(i: u32, j: u32) -> Vec<Vec<Span>> {
        if j - i < 2 {
            return vec![Vec::new()];
        }
        let mut all = Vec::new();
        for k in i + 1..j {
            for left in trees(i, k) {
                for right in trees(k, j) {
                    all.push([&[(i, j)], &left[..], &right[..]].concat());
                }
            }
        }
        all
    }

    fn parse(spans: &[Span]) -> Parse {
        let span = |&(start, end)| ParsedSpan { start, end, label: None, posterior: 1.0 };
        Parse { spans: spans.iter().map(span).collect(), ..Parse::default() }
    }

    fn parses(seed: u64) -> Vec<Parse> {
        let mut config = Config { seed, ..Config::default() };
        let m = &mut config.model;
        (m.nonterminals, m.preterminals, m.rank, m.embedding) = (4, 6, 5, 6);
        let model = model::build(&config, 12).and_then(|model| model.freeze()).expect("builds");
        let batch = Batch::new([[2, 5, 3, 9, 4, 7, 11, 2]; 1]).expect("no empty sentence");
        model.parse(&batch, Wanted { tree: true, labels: false }).expect("parses")
    }

    #[test]
    fn the_consensus_of_identical_models_is_the_model_s_tree() {
        for seed in 0..8 {
            let parse = &parses(seed)[0];
            let own: Vec<Span> = parse.spans.iter().map(|s| (s.start, s.end)).collect();
            for members in [1, 3, 10] {
                let (mut marginals, mut votes) = (Consensus::new(8), Consensus::new(8));
                for _ in 0..members {
                    marginals.add(parse);
                    votes.add_vote(parse);
                }
                assert_eq!(marginals.tree().as_ref(), Some(&own), "seed {seed}, {members}");
                assert_eq!(votes.tree().as_ref(), Some(&own), "seed {seed}, {members}");
            }
        }
    }

    #[test]
    fn without_marginals_trees_vote_and_without_models_there_is_no_tree() {
        let mut consensus = Consensus::new(3);
        assert_eq!(consensus.tree(), None);
        for spans in [[(0, 3), (1, 3)], [(0, 3), (0, 2)], [(0, 3), (0, 2)]] {
            consensus.add(&parse(&spans));
        }
        assert_eq!(consensus.tree(), Some(vec![(0, 3), (0, 2)]));
        assert_eq!(consensus.members(), 3);
    }

    proptest! {
        #[test]
        fn the_consensus_is_the_best_of_all_binary_trees(
            words in 2_usize..=7,
            members in 1_usize..5,
            numbers in prop::collection::vec(0.0_f32..1.0, 64 * 4),
            voting in any::<bool>(),
        ) {
            let mut consensus = Consensus::new(words);
            let cells = (words + 1) * (words + 1);
            let all = trees(0, words as u32);
            let mut expected = vec![0.0; cells];
            for (member, numbers) in numbers.chunks(64).take(members).enumerate() {
                let parse = match voting {
                    true => parse(&all[(numbers[0] * all.len() as f32) as usize]),
                    false => Parse { marginals: numbers[..cells].to_vec(), ..parse(&all[member % all.len()]) },
                };
                match voting {
                    true => parse.spans.iter().for_each(|s| {
                        expected[s.start as usize * (words + 1) + s.end as usize] += 1.0;
                    }),
                    false => expected.iter_mut().zip(numbers).for_each(|(e, n)| *e += f64::from(*n)),
                }
                consensus.add(&parse);
            }
            let total = |tree: &[Span]| -> f64 {
                tree.iter().map(|&(i, j)| expected[i as usize * (words + 1) + j as usize]).sum()
            };
            let best = all.iter().map(|tree| total(tree)).fold(f64::MIN, f64::max);
            let found = consensus.tree().expect("models were heard");
            prop_assert!(all.contains(&found));
            prop_assert!((total(&found) - best).abs() < 1e-9);
        }
    }
}
