use crate::treebank::{NodeId, Tree};
use std::cmp::Ordering;
use std::sync::Arc;

/// A labelled span `[start, end)` in words. Ordered by start, longer ones first, then by label.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Constituent {
    pub start: u32,
    pub end: u32,
    pub label: Arc<str>,
}

impl Ord for Constituent {
    fn cmp(&self, other: &Self) -> Ordering {
        (self.start, other.end, &self.label).cmp(&(other.start, self.end, &other.label))
    }
}

impl PartialOrd for Constituent {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// The constituents of a tree as a multiset, sorted: a unary chain of equal labels counts as often
/// as it is long. A constituent is a node that is neither a preterminal nor the root.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Constituents(Vec<Constituent>);

/// Tags whose words the usual scoring of the Penn Treebank takes out, and those of empty elements.
pub const UNCOUNTED_TAGS: [&str; 6] = [",", ".", ":", "``", "''", "-NONE-"];

impl Constituents {
    /// What evalb counts with its usual parameters: words with a punctuation tag are taken out
    /// before positions are counted, labels are cut before the first `-` or `=` behind their first
    /// character, and PRT is the same as ADVP. Phrases of such words only are none.
    pub fn counted(tree: &Tree) -> Constituents {
        Constituents::counted_by(tree, tree.tags())
    }

    /// The same where these tags say what is punctuation, one a word. By those of the reference,
    /// positions are the same on both sides whatever a parser takes for punctuation.
    pub fn counted_by<'a>(tree: &Tree, tags: impl Iterator<Item = &'a Arc<str>>) -> Constituents {
        Constituents::by_node(tree, counting(tags)).flatten().collect()
    }

    /// What is counted by these tags, for every node of the tree in their order: `None` for what is
    /// not.
    pub fn counted_by_node<'a>(
        tree: &Tree,
        tags: impl Iterator<Item = &'a Arc<str>>,
    ) -> Vec<Option<Constituent>> {
        Constituents::by_node(tree, counting(tags)).collect()
    }

    /// Full labels over all words: what builds the tree up again.
    pub fn full(tree: &Tree) -> Constituents {
        let full =
            |start, end, label: &Arc<str>| Some(Constituent { start, end, label: label.clone() });
        Constituents::by_node(tree, full).flatten().collect()
    }

    fn by_node(
        tree: &Tree,
        make: impl Fn(u32, u32, &Arc<str>) -> Option<Constituent>,
    ) -> impl Iterator<Item = Option<Constituent>> {
        let yields = tree.yields();
        let constituent = move |(id, node): (NodeId, crate::treebank::Node)| {
            let (start, end, words) = yields[id.0 as usize];
            // A phrase with a gap is no span.
            let is_phrase = node.word.is_none() && id != tree.root() && words == end - start;
            if is_phrase { make(start, end, node.label) } else { None }
        };
        tree.nodes().map(constituent)
    }

    pub fn iter(&self) -> std::slice::Iter<'_, Constituent> {
        self.0.iter()
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// How these, the reference, agree with those of a hypothesis.
    pub fn agreement(&self, hypothesis: &Constituents) -> Agreement {
        let mut correct = 0;
        let (mut ours, mut theirs) = (self.0.iter().peekable(), hypothesis.0.iter().peekable());
        while let (Some(a), Some(b)) = (ours.peek(), theirs.peek()) {
            let order = a.cmp(b);
            correct += u32::from(order == Ordering::Equal);
            if order != Ordering::Greater {
                ours.next();
            }
            if order != Ordering::Less {
                theirs.next();
            }
        }
        Agreement {
            correct,
            spurious: hypothesis.0.len() as u32 - correct,
            missing: self.0.len() as u32 - correct,
        }
    }
}

impl FromIterator<Constituent> for Constituents {
    fn from_iter<I: IntoIterator<Item = Constituent>>(constituents: I) -> Self {
        let mut list: Vec<Constituent> = constituents.into_iter().collect();
        list.sort_unstable();
        Constituents(list)
    }
}

/// What evalb makes of a phrase over words with these tags.
fn counting<'a>(
    tags: impl Iterator<Item = &'a Arc<str>>,
) -> impl Fn(u32, u32, &Arc<str>) -> Option<Constituent> {
    let mut before = Vec::new();
    let mut words = 0;
    for tag in tags {
        before.push(words);
        words += u32::from(!UNCOUNTED_TAGS.contains(&&**tag));
    }
    before.push(words);
    move |start, end, label| {
        let (start, end) = (before[start as usize], before[end as usize]);
        (start < end).then(|| Constituent { start, end, label: cut(label) })
    }
}

/// The label as evalb compares it.
fn cut(label: &Arc<str>) -> Arc<str> {
    let end = label.char_indices().skip(1).find(|(_, c)| matches!(c, '-' | '='));
    match end {
        Some((end, _)) if &label[..end] == "PRT" => "ADVP".into(),
        Some((end, _)) => label[..end].into(),
        None if **label == *"PRT" => "ADVP".into(),
        None => label.clone(),
    }
}

/// How the constituents of a reference and of a hypothesis agree, or sums of that over sentences.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Agreement {
    /// In both, as multisets: `a` in the papers on boosting.
    pub correct: u32,
    /// In the hypothesis only, errors of precision: `b`.
    pub spurious: u32,
    /// In the reference only, errors of recall: `c`.
    pub missing: u32,
}

impl Agreement {
    /// Constituents on either side: `n = a + b + c`.
    pub fn total(&self) -> u32 {
        self.correct + self.spurious + self.missing
    }

    /// `e = (b + c) / n`, which is 0 where there is nothing on either side.
    pub fn error(&self) -> f64 {
        match self.total() {
            0 => 0.0,
            n => f64::from(self.spurious + self.missing) / f64::from(n),
        }
    }

    pub fn is_exact(&self) -> bool {
        self.spurious == 0 && self.missing == 0
    }

    /// 2PR/(P+R), in percent; 100 where there was nothing to find and nothing was found.
    pub fn f1(&self) -> f64 {
        match 2 * self.correct + self.spurious + self.missing {
            0 => 100.0,
            both => 200.0 * f64::from(self.correct) / f64::from(both),
        }
    }
}

/// Precision, recall, F1 and exact match over sentences, as evalb sums them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BracketTotals {
    pub correct: u64,
    pub hypothesis: u64,
    pub reference: u64,
    pub exact: u64,
    pub sentences: u64,
}

impl BracketTotals {
    pub fn add(&mut self, agreement: &Agreement) {
        self.correct += u64::from(agreement.correct);
        self.hypothesis += u64::from(agreement.correct + agreement.spurious);
        self.reference += u64::from(agreement.correct + agreement.missing);
        self.exact += u64::from(agreement.is_exact());
        self.sentences += 1;
    }

    /// In percent, 0 where there is no constituent; so are the others.
    pub fn precision(&self) -> f64 {
        percent(self.correct, self.hypothesis)
    }

    pub fn recall(&self) -> f64 {
        percent(self.correct, self.reference)
    }

    pub fn f1(&self) -> f64 {
        percent(2 * self.correct, self.hypothesis + self.reference)
    }

    /// Share of the sentences all of whose constituents are right.
    pub fn exact_match(&self) -> f64 {
        percent(self.exact, self.sentences)
    }
}

impl<'a> FromIterator<&'a Agreement> for BracketTotals {
    fn from_iter<I: IntoIterator<Item = &'a Agreement>>(agreements: I) -> Self {
        let mut totals = BracketTotals::default();
        agreements.into_iter().for_each(|a| totals.add(a));
        totals
    }
}

fn percent(part: u64, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { 100.0 * part as f64 / whole as f64 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evaluation::evalb::{Parameters, evaluate};
    use crate::treebank::Reader;

    fn tree(brackets: &str) -> Tree {
        Reader::new(brackets.as_bytes(), "test").next().expect("a tree").expect("well formed")
    }

    fn shown(constituents: &Constituents) -> String {
        let one = |c: &Constituent| format!("{}[{},{})", c.label, c.start, c.end);
        constituents.iter().map(one).collect::<Vec<_>>().join(" ")
    }

    const PAIRS: [(&str, &str); 4] = [
        (
            "(TOP (S (`` ``) (NP-SBJ=2 (NP (NN a)) (, ,) (NP (NN b))) (VP (VB c) (PRT (RP d))) (. .)))",
            "(TOP (S (`` ``) (NP (NP (NN a)) (, ,) (NN b)) (VP (VB c) (ADVP (RB d))) (. .)))",
        ),
        (
            "(TOP (S (NP (NP (NN a))) (VP (VB c))))",
            "(TOP (S (NP (NP (NP (NN a)))) (X (VP (VB c)))))",
        ),
        ("(TOP (FRAG (. .) (. .)) (NP (NN a)))", "(TOP (NP (. .) (. .) (NN a)))"),
        ("(TOP (NN a))", "(TOP (NN a))"),
    ];

    #[test]
    fn counting_takes_out_punctuation_and_functions_and_full_labels_take_nothing() {
        let tree = tree(PAIRS[0].0);
        let counted = "S[0,4) NP[0,2) NP[0,1) NP[1,2) VP[2,4) ADVP[3,4)";
        assert_eq!(shown(&Constituents::counted(&tree)), counted);
        let full = "S[0,7) NP-SBJ=2[1,4) NP[1,2) NP[3,4) VP[4,6) PRT[5,6)";
        assert_eq!(shown(&Constituents::full(&tree)), full);
    }

    #[test]
    fn agreements_and_totals_are_those_of_evalb() {
        let lines = |side: fn(&(&str, &str)) -> String| PAIRS.iter().map(side).collect::<String>();
        let (gold, test) = (lines(|p| format!("{}\n", p.0)), lines(|p| format!("{}\n", p.1)));
        let evaluation = evaluate(gold.as_bytes(), test.as_bytes(), &Parameters::default());
        let mut totals = BracketTotals::default();
        for (row, (gold, test)) in evaluation.rows.iter().zip(PAIRS) {
            let [gold, test] = [gold, test].map(|t| Constituents::counted(&tree(t)));
            let agreement = gold.agreement(&test);
            let counts = row.counts;
            assert_eq!(u64::from(agreement.correct), counts.matched);
            assert_eq!(u64::from(agreement.spurious), counts.test - counts.matched);
            assert_eq!(u64::from(agreement.missing), counts.gold - counts.matched);
            assert_eq!(agreement.is_exact(), counts.is_complete());
            totals.add(&agreement);
        }
        let all = evaluation.totals();
        assert_eq!(totals.precision(), all.precision());
        assert_eq!(totals.recall(), all.recall());
        assert!((totals.f1() - all.f1()).abs() < 1e-12);
        assert_eq!(totals.exact_match(), all.complete_match());
    }

    #[test]
    fn a_chain_of_equal_labels_counts_as_often_as_it_is_long() {
        let [gold, test] = [PAIRS[1].0, PAIRS[1].1].map(|t| Constituents::counted(&tree(t)));
        let agreement = gold.agreement(&test);
        assert_eq!(agreement, Agreement { correct: 4, spurious: 2, missing: 0 });
        assert_eq!((agreement.total(), agreement.error()), (6, 1.0 / 3.0));
        assert_eq!(test.agreement(&gold), Agreement { correct: 4, spurious: 0, missing: 2 });
    }

    #[test]
    fn nothing_on_either_side_is_no_error() {
        let none = Constituents::counted(&tree(PAIRS[3].0));
        let agreement = none.agreement(&none);
        assert_eq!((agreement.total(), agreement.error(), agreement.f1()), (0, 0.0, 100.0));
        assert!(none.is_empty() && agreement.is_exact());
    }
}
