use crate::workbench::screen::Term;

pub const NOTES: &[Term] = &[
    Term {
        name: "weight",
        meaning: "What boosting makes of a sentence after the round in view, in multiples of 1/m \
                  (m sentences): 1 is where it began. Of bags there are no weights: then it is the \
                  mean share of wrong constituents over the bags",
    },
    Term {
        name: "rank",
        meaning: "1 is the sentence with the greatest weight: what no round gets right is hard, or \
                  annotated wrongly",
    },
    Term {
        name: "Figure 1",
        meaning: "Sentences ranked by weight after a round, rank on a logarithmic scale, against \
                  the mean weight of their bin; at most 1,000 bins. Rounds are those chosen by \
                  Space in the table",
    },
    Term {
        name: "Figure 3",
        meaning: "What the vote of all parsers up to a round gets right, of the training sentences \
                  and of those held out",
    },
    Term {
        name: "constituent",
        meaning: "What evalb counts: without the root, without words of punctuation (by the tags \
                  of the annotation), labels cut at the first - or =",
    },
    Term {
        name: "✓ + ○",
        meaning: "Columns of the list: constituents of the round's analysis that are annotated, \
                  those that are not (errors of precision), and annotated ones that it has not \
                  (errors of recall). e is the share of the two wrong kinds",
    },
    Term { name: "error", meaning: "Sum over the sentences of weight times e, before the round" },
    Term {
        name: "beta",
        meaning: "eps / (1 - eps), by which a right sentence is made lighter; eps is the error, at \
                  least 1/2m (then `clamped`)",
    },
    Term {
        name: "vote",
        meaning: "1/2 ln(1/beta). A round that is wrong on half of the weight or more has failed \
                  and has none",
    },
    Term {
        name: "eff. size",
        meaning: "1 over the sum of squared weights after the round: as many sentences of equal \
                  weight would be as concentrated. Of bags: sentences drawn at least once",
    },
    Term {
        name: "update",
        meaning: "`default` changes a weight by the share of the sentence's constituents that are \
                  wrong; `literal` by their number, as printed in the paper, which after some \
                  rounds ranks sentences by length",
    },
    Term {
        name: "all signals",
        meaning: "What the best single change of the tree gains in nats, judged by the other trees, \
                  less the logarithm of the words, and from 0 to 2 the rank by weight after the \
                  last round and the conflicts: `boost ranking --by combined`. Once they are \
                  weighed, the change is named above the trees",
    },
    Term {
        name: "best",
        meaning: "`initial` stands at the first vote, `best` at the one with the best F1 on the \
                  training sentences (`tied` where several are), `final` at that of all rounds, as \
                  in the paper",
    },
    Term {
        name: "▁▂▃▅▇█",
        meaning: "The weight after each round on one logarithmic scale for all sentences: the \
                  lowest bar is 1/m or less, the highest the greatest weight of any sentence. Of \
                  bags the share of wrong constituents in each",
    },
    Term {
        name: "matched",
        meaning: "✓ is in both trees with its label; ○ missing is annotated only; + spurious and \
                  ✗ crossing are in the analysis only, ✗ overlapping an annotated bracket. \
                  Brackets are compared as evalb does",
    },
    Term {
        name: "~",
        meaning: "The parser of the round had to give something up for its tree, as the line below \
                  says: a coarser grammar, phrases side by side, or a chart pruned tighter for a sentence \
                  of more than parser.max_length words. `~3` \
                  behind a round of the table counts such sentences",
    },
    Term {
        name: "raised",
        meaning: "`raised=always` lists what every round so far made heavier: nothing learned from \
                  the others explains it",
    },
    Term {
        name: "twin",
        meaning: "A place of the same variation nucleus (`conflicts` lists nuclei): another one with the same words, tags or children of a phrase whose bracket \
                  over exactly these has another label, or none (NIL). `2+1 around`: words in \
                  common to the left and right; the more, the likelier is one of both wrong. \
                  Behind stands how often each label is given (Dickinson & Meurers 2003)",
    },
    Term {
        name: "verdict",
        meaning: "E error, A ambiguous, C correct but hard, U unsure; in small letters where only \
                  brackets were judged (b chooses one). The letter stands before the bars. Saved at once to verdicts.jsonl in the run \
                  folder; the treebank is never written to",
    },
    Term {
        name: "sentence",
        meaning: "Its number in its corpus, counted from 0 as in the ledger and in the tables of \
                  `boost ranking` and `noise`. Words of a sentence are counted from 1",
    },
];
