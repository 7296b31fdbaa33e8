use crate::workbench::patterns::LANGUAGE;
use crate::workbench::screen::Term;

pub const NOTES: &[Term] = &[
    Term {
        name: "Gold",
        meaning: "The tree of the treebank after preprocessing; absent for plain and typed text",
    },
    Term {
        name: "Induced",
        meaning: "The minimum-Bayes-risk tree: of all binary trees the one whose spans have the \
                  largest sum of posteriors. `p` gives its symbols as well",
    },
    Term {
        name: "matched",
        meaning: "✓ is in both trees; ○ missing is in the gold tree only; ✗ crossing overlaps a \
                  gold span without containing it; + spurious is only in the induced tree and \
                  crosses nothing",
    },
    Term {
        name: "F1",
        meaning: "Of the sentence's unlabelled spans; those of one word and of the whole \
                  sentence are left out. The dev S-F1 above is its mean",
    },
    Term {
        name: "lp/word",
        meaning: "Log-probability of the sentence by its number of words, nats",
    },
    Term {
        name: "marginals",
        meaning: "Posterior probability of every span: first word by row, last word by column",
    },
    Term {
        name: "trees 3 of 5",
        meaning: "Trees (surprisals, of a language model) of every evaluation are kept: [ and ] \
                  go back and forth in time",
    },
    Term {
        name: "new, gone",
        meaning: "Of one sentence over all evaluations (<parses.evaluations>): spans of its tree that the evaluation \
                  before lacks, and those that only that one has. best, last: a checkpoint has the \
                  weights of the evaluation, and <parses.analyse> shows labels and marginals by them; heat: the \
                  run kept the marginals",
    },
    Term {
        name: "surprisal",
        meaning: "-log p of a word given the words before it, in bits or nats (<parses.unit>): what a \
                  language model shows instead of trees. <eos> is the end of the sentence; words \
                  that the vocabulary lacks are underlined",
    },
    Term {
        name: "ppl",
        meaning: "Perplexity of the sentence: exp(-log-probability / tokens), <eos> counted",
    },
    Term { name: "max", meaning: "The largest surprisal of a token of the sentence" },
    Term {
        name: "S12",
        meaning: "The likeliest state of the token given the whole sentence, by the weights that \
                  are named; what an evaluation keeps has surprisals alone",
    },
    Term {
        name: "type",
        meaning: "Words are split and normalised as those of the run's corpus; a text of several \
                  sentences gives a tree a sentence, and Up and Down turn from one to the next. \
                  While a line is open they bring back what was typed before; a line that is left \
                  keeps its text",
    },
    Term {
        name: "with N12",
        meaning: "Sentences that use a symbol, from Grammar. › (>) in the induced tree is where it \
                  stands, if the tree is that of the step that is named",
    },
    Term {
        name: "in gold but",
        meaning: "t says in which trees patterns are searched for: gold or induced ones, or \
                  phrases of the one by whether the other has the same words as a phrase. \
                  Induced trees of an evaluation have no labels: __ and words find them",
    },
    LANGUAGE[0],
    LANGUAGE[1],
    LANGUAGE[2],
    LANGUAGE[3],
    LANGUAGE[4],
    LANGUAGE[5],
    LANGUAGE[6],
    LANGUAGE[7],
];
