use super::network::{history, logits, normalise, width};
use super::search::{Found, Search, Width};
use super::stack::{Next, Position, Stacks, is_allowed};
use super::testing::{sharp, treebank, trees};
use super::*;
use crate::parser::{Fallback, TreeParser, Words};
use pulp::Arch;

/// All derivations of these pairs that are more probable than a bound, by depth-first search.
struct Exhaustive<'a> {
    ssn: &'a Ssn,
    pairs: &'a [Pair],
    bound: f64,
    stacks: Stacks,
    histories: Vec<f32>,
    found: Vec<Found>,
}

impl Exhaustive<'_> {
    fn go_on(&mut self, at: Position, decisions: &mut Vec<Decision>, shifted: usize, score: f64) {
        let (ssn, hidden, arch) = (self.ssn, self.ssn.hidden(), Arch::new());
        let number = (self.histories.len() / hidden) as u32;
        let mut own = vec![0.0; hidden];
        history(&ssn.weights, arch, &self.stacks.view(at), &self.histories, &mut own);
        let allowed = self.stacks.allowed(at, ssn.repeats);
        let mut row = vec![0.0; width(ssn.weights.sizes(), &allowed)];
        logits(&ssn.weights, &own, row.len(), &mut row);
        normalise(arch, &allowed, ssn.vocabulary.structural(), &mut row);
        self.histories.extend(own);
        for decision in 0..ssn.decisions() as Decision {
            let is_next = match ssn.vocabulary.choice(decision) {
                Choice::Shift(pair) => self.pairs.get(shifted) == Some(&pair),
                _ => true,
            };
            if !is_next || !is_allowed(&allowed, decision, &ssn.vocabulary) {
                continue;
            }
            let after = score + f64::from(row[decision as usize]).ln();
            if after <= self.bound {
                continue;
            }
            decisions.push(decision);
            let shifts = matches!(ssn.vocabulary.choice(decision), Choice::Shift(_));
            match self.stacks.make(at, decision, number, &ssn.vocabulary) {
                Next::Position(next) => {
                    self.go_on(next, decisions, shifted + usize::from(shifts), after);
                }
                Next::End if shifted == self.pairs.len() => {
                    self.found.push(Found { decisions: decisions.clone(), score: after });
                }
                Next::End => {}
            }
            decisions.pop();
        }
    }
}

#[test]
fn a_wide_beam_finds_the_best_derivations_of_all() {
    const WANTED: usize = 8;
    for (seed, sentence) in [(1, "the dog"), (2, "rain falls"), (3, "the cat sees")] {
        let ssn = sharp(seed);
        let words: Vec<Arc<str>> = sentence.split(' ').map(Arc::from).collect();
        let v = ssn.vocabulary();
        let tags = ["D", "N", "V"];
        let tags = if words.len() == 2 && seed == 2 { &tags[1..] } else { &tags[..words.len()] };
        let pairs: Vec<Pair> = words
            .iter()
            .zip(tags)
            .map(|(word, tag)| v.pair(v.tag(tag).expect("known"), word))
            .collect();
        let readings: Vec<Vec<Reading>> =
            pairs.iter().map(|pair| vec![Reading { pair: *pair, log_prob: 0.0 }]).collect();
        let width = Width { beam: 100, branching: 100 };
        let found = Search::new(&ssn, width).derivations(&readings);
        assert!(found.len() >= WANTED);
        let bound = found[WANTED - 1].score - 1e-6;
        let mut stacks = Stacks::default();
        let at = stacks.begin(v);
        let mut all = Exhaustive {
            ssn: &ssn,
            pairs: &pairs,
            bound,
            stacks,
            histories: Vec::new(),
            found: Vec::new(),
        };
        all.go_on(at, &mut Vec::new(), 0, 0.0);
        let mut all = all.found;
        all.sort_by(|a, b| b.score.total_cmp(&a.score));
        assert_eq!(all.len(), WANTED, "{sentence}");
        for (found, expected) in found.iter().zip(&all) {
            assert_eq!(found.decisions, expected.decisions, "{sentence}");
            assert!((found.score - expected.score).abs() < 1e-4);
        }
    }
}

#[test]
fn candidates_are_different_trees_of_the_sentence_with_their_probability() {
    let ssn = sharp(4).with_beam(20);
    let words: Vec<Arc<str>> = "the dog falls in rain".split(' ').map(Arc::from).collect();
    let tags: Vec<Arc<str>> = "D N V P N".split(' ').map(Arc::from).collect();
    let candidates = ssn.k_best(Words { words: &words, tags: Some(&tags) }, 20);
    assert_eq!(candidates.len(), 20);
    let texts: Vec<String> = candidates.iter().map(|c| c.tree.to_string()).collect();
    for (i, candidate) in candidates.iter().enumerate() {
        assert_eq!(candidate.tree.words(), words);
        assert!(candidate.tree.tags().eq(&tags));
        assert!(!texts[..i].contains(&texts[i]));
        assert!(texts[i].starts_with("(TOP "));
        assert!(i == 0 || candidate.score <= candidates[i - 1].score);
        let alone = ssn.tree_score(&candidate.tree);
        assert!((alone - candidate.score).abs() < 1e-3, "{alone} {}", candidate.score);
    }
    let best = ssn.parse(Words { words: &words, tags: Some(&tags) });
    assert!((best.tree.to_string(), best.fallback) == (texts[0].clone(), None));
}

#[test]
fn every_sentence_has_a_tree_whatever_the_beam() {
    let ssn = sharp(5).with_beam(1);
    for sentence in ["", "Zoe", "the the the the", "rain and rain and the old Zoe"] {
        let words: Vec<Arc<str>> = sentence.split(' ').map(Arc::from).collect();
        let parsed = ssn.parse(Words::new(&words));
        assert_eq!(parsed.tree.words(), words);
        assert_eq!(parsed.score == f64::NEG_INFINITY, parsed.fallback == Some(Fallback::Fragments));
        assert!(!ssn.k_best(Words::new(&words), 3).is_empty());
    }
    let nothing = ssn.parse(Words::new(&[]));
    assert_eq!(nothing.tree.len(), 1);
    let unknown: Vec<Arc<str>> = vec!["NOT-A-TAG".into()];
    let word: Vec<Arc<str>> = vec!["rain".into()];
    let parsed = ssn.parse(Words { words: &word, tags: Some(&unknown) });
    assert!(parsed.tree.tags().eq(&unknown), "given tags stay as given");
}

#[test]
fn words_alone_under_the_root_are_what_is_left_where_nothing_is_found() {
    let ssn = sharp(6);
    let words: Vec<Arc<str>> = ["rain", "falls"].map(Arc::from).to_vec();
    assert_eq!(ssn.flat(Words::new(&words)).to_string(), "(TOP (N rain) (V falls))");
}

#[test]
fn a_parser_with_chains_gives_trees_without_them() {
    let given = trees(
        "(TOP (S (NP (QP (N a))) (VP (V b))))
        (TOP (S (NP (QP (N a))) (VP (V b))))",
    );
    let settings =
        config::Ssn { hidden: 4, min_count: 1, unary_chains: 2, ..config::Ssn::default() };
    let ssn = Ssn::start(&settings, &given, 1).expect("trees");
    let names: Vec<&str> = ssn.vocabulary().labels().iter().map(|l| &**l).collect();
    assert_eq!(names, ["NP QP", "S", "VP"]);
    assert_eq!(ssn.vocabulary().name(0), "project NP+QP");
    let words: Vec<Arc<str>> = ["a", "b"].map(Arc::from).to_vec();
    let candidates = ssn.k_best(Words::new(&words), 500);
    assert!(candidates.iter().any(|c| c.tree.to_string() == given[0].to_string()));
    assert!(candidates.iter().all(|c| !c.tree.to_string().contains("NP QP ")));
    assert!(ssn.trace(&given[0]).is_ok());
}

#[test]
fn equal_searches_find_the_same() {
    let ssn = sharp(7);
    for tree in treebank() {
        let parse = || ssn.k_best(Words::new(tree.words()), 5);
        let shown = |candidates: Vec<crate::parser::Candidate>| -> Vec<(String, u64)> {
            candidates.iter().map(|c| (c.tree.to_string(), c.score.to_bits())).collect()
        };
        assert_eq!(shown(parse()), shown(parse()));
    }
}
