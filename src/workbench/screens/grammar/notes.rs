use crate::workbench::screen::Term;

pub const NOTES: &[Term] = &[
    Term {
        name: "expected",
        meaning: "How many spans (words, of a preterminal) a symbol has by the posterior: every \
                  tree of every development sentence counts with its probability, so it is \
                  seldom a whole number. The bars and `%` are shares of it",
    },
    Term {
        name: "in trees",
        meaning: "How many spans (words) bear the symbol in the one tree that is drawn of every \
                  sentence, the labelled MBR tree. A symbol can have mass and be in no tree",
    },
    Term {
        name: "gold",
        meaning: "`NP 87 % of 312`: in the trees the symbol has 312 spans, of which 87 % are NP \
                  in the gold trees. `none of 12`: none of its spans stands in the gold trees. \
                  `in no tree`: there is nothing to compare",
    },
    Term {
        name: "recall",
        meaning: "Of all gold spans with the label, how many have this symbol in the trees",
    },
    Term {
        name: "purity",
        meaning: "Of the symbol's spans in the trees, how many have the label. A gold span of \
                  two labels (a unary chain) counts for both, so a column may sum to above 100",
    },
    Term { name: "in use", meaning: "Symbols whose expected number is one or more" },
    Term {
        name: "effective",
        meaning: "exp(entropy) of the expected numbers: as many symbols in equal use would have \
                  the same entropy. Far fewer than there are: the grammar has collapsed",
    },
    Term {
        name: "V-measure",
        meaning: "Agreement of preterminals with gold tags, 0 to 100: the harmonic mean of \
                  homogeneity (one tag a preterminal) and completeness (one preterminal a tag)",
    },
    Term {
        name: "expansions",
        meaning: "The likeliest pairs of children by the weights, with their probability; in \
                  brackets what a child mostly covers. Of a compound PCFG (c-pcfg), where every \
                  sentence has rules of its own, those of z = 0, the mean of the prior",
    },
    Term {
        name: "similar",
        meaning: "Symbols of the same grammar with their Jensen-Shannon divergence in bits, 0 \
                  (equal) to 1: of words of preterminals and states; of nonterminals of p(rank | \
                  symbol), which their rules follow from, or of the rules of a tensor",
    },
    Term {
        name: "partner",
        meaning: "`a` parses the same sentences with another run, seed or checkpoint. Symbols are \
                  matched one to one so that as many spans (words) of both trees as can be have \
                  partners as their symbols. F1: of the spans of a symbol and of its partner",
    },
    Term {
        name: "one-to-one",
        meaning: "Share of the spans (words) of both trees whose symbols are partners. V-measure: \
                  how well the symbols of the one tell those of the other, whatever their number",
    },
    Term {
        name: "S12",
        meaning: "A state of an HMM. Expected: tokens that have it by the posterior, ends of \
                  sentences among them; gold, in trees: words whose likeliest state it is",
    },
    Term {
        name: "successors",
        meaning: "States that come next, with p(next | state); predecessors: the share of every \
                  state in what comes before, by expected number times p(state | before)",
    },
    Term {
        name: "transitions",
        meaning: "p(column | row) among the most used states of an HMM; numbers above the \
                  columns read downwards. The selected state is marked",
    },
    Term {
        name: "<unk>, <pad>",
        meaning: "Entries of the vocabulary that are no words: what stands for all unknown ones, \
                  and one for filling up",
    },
];
