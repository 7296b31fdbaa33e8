use super::*;
use crate::treebank::Reader;

/// A treebank of many sentences that are alike, and one that is not.
fn bank(odd: &str) -> Vec<Arc<Tree>> {
    let verbs = ["sees", "hears", "takes", "finds", "likes"];
    let nouns = ["dog", "cat", "tree", "house", "road", "man"];
    let mut text = String::new();
    for (i, verb) in verbs.iter().enumerate() {
        for (k, noun) in nouns.iter().enumerate() {
            let other = nouns[(i + k) % nouns.len()];
            text += &format!(
                "(TOP (S (NP (DT the) (NN {noun})) (VP (VBZ {verb}) (NP (NP (DT a) (NN {other})) \
                 (PP (IN of) (NP (NN {noun})))))))\n"
            );
        }
    }
    text += odd;
    let trees = Reader::new(text.as_bytes(), "test");
    trees.map(|tree| Arc::new(tree.expect("well formed"))).collect()
}

fn last(odd: &str) -> Slip {
    let trees = bank(odd);
    let slips = slips(&trees);
    let gains: Vec<f64> = slips.iter().map(|s| s.as_ref().map_or(LOW, |s| s.gain)).collect();
    let (odd, others) = gains.split_last().expect("not empty");
    assert!(others.iter().all(|gain| gain < odd), "{odd} is not above {others:?}");
    slips.last().cloned().flatten().expect("a slip")
}

const LOW: f64 = -100.0;

#[test]
fn every_kind_of_slip_is_found_with_what_was_meant() {
    for (odd, change, span) in [
        (
            "(TOP (S (NP (DT the) (NN dog)) (VP (VBZ sees) (NP (NP (DT a) (VBZ cat)) \
             (PP (IN of) (NP (NN road)))))))",
            "tag NN for VBZ",
            (4, 5),
        ),
        (
            "(TOP (S (NP (DT the) (NN dog)) (VP (VBZ sees) (NP (PP (DT a) (NN cat)) \
             (PP (IN of) (NP (NN road)))))))",
            "NP for PP",
            (3, 5),
        ),
        (
            "(TOP (S (NP (DT the) (NN dog)) (VP (VBZ sees) (NP (NP (VP (DT a) (NN cat))) \
             (PP (IN of) (NP (NN road)))))))",
            "no VP",
            (3, 5),
        ),
        (
            "(TOP (S (NP (DT the) (NN dog)) (VP (VBZ sees) (NP (NP (DT a) (NN cat)) \
             (IN of) (NP (NN road))))))",
            "a new PP",
            (5, 7),
        ),
        (
            "(TOP (S (NP (DT the) (NN dog)) (VP (VBZ sees) (NP (NP (DT a) (NN cat))) \
             (PP (IN of) (NP (NN road))))))",
            "PP in NP, not VP",
            (5, 7),
        ),
    ] {
        let slip = last(odd);
        assert_eq!((slip.change.to_string().as_str(), slip.span), (change, span), "{odd}");
        assert!(slip.gain > 2.0, "{odd}: {}", slip.gain);
    }
}

#[test]
fn an_error_does_not_speak_for_itself() {
    let odd = "(TOP (S (NP (DT the) (NN dog)) (VP (VBZ sees) (NP (DT a) (VBZ cat)))))";
    let once = last(odd).gain;
    let thrice = slips(&bank(&format!("{odd}\n{odd}\n{odd}")));
    let thrice = thrice.last().cloned().flatten().expect("a slip").gain;
    assert!(thrice < once - 1.0, "{thrice} against {once}");
}

#[test]
fn the_gain_is_that_of_the_whole_trees() {
    for odd in [
        "(TOP (S (NP (DT the) (VBZ dog)) (VP (VBZ sees) (NP (NN cat)))))",
        "(TOP (S (VP (DT the) (NN dog)) (VP (VBZ sees) (NP (NN cat)))))",
        "(TOP (S (NP (DT the) (NN dog)) (NP (VP (VBZ sees) (NP (NN cat))))))",
        "(TOP (S (NP (DT the) (NN dog)) (VP (VBZ sees) (NN cat))))",
    ] {
        let trees = bank(odd);
        let mut names = Names::default();
        let sketches: Vec<Sketch> = trees.iter().map(|t| Sketch::of(t, &mut names)).collect();
        let mut all = Counts::default();
        sketches.iter().for_each(|sketch| all.add(sketch));
        let sketch = sketches.last().expect("not empty");
        let rest = Rest::without(&all, sketch, names.len());
        // The trees of the others alone count as all trees less this one do.
        let mut others = Counts::default();
        sketches[..sketches.len() - 1].iter().for_each(|sketch| others.add(sketch));
        let nothing = Sketch { nodes: Vec::new() };
        let alone = Rest::without(&others, &nothing, names.len());
        let score = |rest: &Rest, sketch: &Sketch| -> f64 {
            (0..sketch.nodes.len())
                .map(|i| match &sketch.nodes[i].word {
                    Some(looks) => rest.tagged(looks, sketch.nodes[i].symbol),
                    None => rest.steps(sketch, i).iter().sum(),
                })
                .sum()
        };
        assert_eq!(score(&rest, sketch), score(&alone, sketch));
        let slip = slips(&trees).last().cloned().flatten().expect("a slip");
        let meant = mended(odd, &slip);
        let tree = Reader::new(meant.as_bytes(), "test").next().expect("one").expect("whole");
        let meant = Sketch::of(&tree, &mut names);
        let gain = score(&rest, &meant) - score(&rest, sketch);
        assert!((gain - slip.gain).abs() < 1e-9, "{odd}: {gain} is not {}", slip.gain);
    }
}

/// The tree with the change made.
fn mended(odd: &str, slip: &Slip) -> String {
    match slip.change.to_string().as_str() {
        "tag NN for VBZ" => odd.replace("(VBZ dog)", "(NN dog)"),
        "NP for VP" => odd.replace("(VP (DT the)", "(NP (DT the)"),
        "no NP" => {
            odd.replace("(NP (VP (VBZ sees) (NP (NN cat))))", "(VP (VBZ sees) (NP (NN cat)))")
        }
        "a new NP" => odd.replace("(VBZ sees) (NN cat)", "(VBZ sees) (NP (NN cat))"),
        other => panic!("{odd} was read as {other}"),
    }
}

#[test]
fn odd_trees_have_a_defined_answer() {
    let of = |text: &str| {
        let trees = Reader::new(text.as_bytes(), "test");
        slips(&trees.map(|tree| Arc::new(tree.expect("well formed"))).collect::<Vec<_>>())
    };
    assert!(slips(&[]).is_empty());
    // There is nothing else that could be meant.
    assert_eq!(of("(TOP (NN a))"), [None]);
    let copies = of(&"(TOP (S (NP (NN a)) (VP (VB b))))\n".repeat(4));
    assert!(copies.iter().all(|slip| slip == &copies[0]));
    assert!(copies[0].as_ref().is_none_or(|slip| slip.gain < 0.0), "{copies:?}");
    let chain = format!("{}(NN a){}", "(X ".repeat(300), ")".repeat(300));
    let long: String = (0..500).map(|i| format!(" (NN w{i})")).collect();
    let mixed = of(&format!("{chain}\n(TOP (S{long}))\n(TOP (S{long}))\n{chain}\n(TOP (ODD x))"));
    assert_eq!(mixed.len(), 5);
    assert!(mixed.iter().flatten().all(|slip| slip.gain.is_finite()), "{mixed:?}");
}
