use crate::workbench::screen::Term;

pub const NOTES: &[Term] = &[
    Term {
        name: "candidate",
        meaning: "One of the trees that the base parser ranks highest for a sentence. A reranker \
                  chooses among them",
    },
    Term {
        name: "base",
        meaning: "The parser that made the list. Its choice is the candidate of base rank 1, the \
                  one with the greatest log-probability",
    },
    Term {
        name: "choice",
        meaning: "Base rank of the candidate that the reranker takes: 1 where it agrees with the \
                  base parser",
    },
    Term {
        name: "log P",
        meaning: "Log-probability of a candidate in the file, in nats whatever the file's base. \
                  -1000000 is none: the parser's grammar did not derive the sentence",
    },
    Term {
        name: "score",
        meaning: "What the reranker ranks by: the inner product of its weights with the features \
                  of the candidate. Where all versions of the weights vote, votes decide",
    },
    Term {
        name: "margin",
        meaning: "Score of a candidate less that of the base parser's choice; in the list of \
                  sentences that of the reranker's choice",
    },
    Term {
        name: "F1",
        meaning: "Of the constituents that evalb counts, candidate against gold tree, percent; \
                  without gold trees there is none",
    },
    Term {
        name: "exact",
        meaning: "Share of the sentences all of whose constituents are right, and no other is \
                  there: evalb's complete match",
    },
    Term {
        name: "no",
        meaning: "Number of a sentence in its file, from 1, as `rerank explain --sentence` takes \
                  it. A line that cannot be read keeps its number",
    },
    Term {
        name: "gain",
        meaning: "F1 of the reranker's choice less that of the base parser's: negative where \
                  reranking did harm",
    },
    Term {
        name: "oracle",
        meaning: "The candidate of highest F1, the first of equal ones: no reranker can do better. \
                  The anti-oracle has the lowest: none can do worse",
    },
    Term {
        name: "▶",
        meaning: "The reranker's choice. Behind candidates stand choice, base (the parser's own), oracle \
                  and anti-oracle (not where all are equally good)",
    },
    Term {
        name: "matched",
        meaning: "✓ is in both trees with its label; ○ missing is in the left one only; + spurious \
                  and ✗ crossing are in the candidate only, ✗ overlapping a bracket of the other. \
                  Brackets are compared as evalb does",
    },
    Term {
        name: "decision",
        meaning: "A step of the model that the kernel is derived from: a rule of a grammar, a move \
                  of the history-based parser; of the tree kernel a production. Its part is what it \
                  adds to the margin",
    },
    Term {
        name: "others",
        meaning: "All decisions that are not in view, taken together: log-probability (of the TOP \
                  kernels log-odds against the other candidates), decisions and others sum to the \
                  margin",
    },
    Term {
        name: "p",
        meaning: "How probable a difference as large as the observed one is if reranking changed \
                  nothing: the two results of each sentence change places at random (10,000 times; \
                  all exchanges where at most 20 sentences differ)",
    },
    Term {
        name: "kernel",
        meaning: "fisher: the gradient of log P; top: of the log-odds of a candidate against all \
                  others; top-efficient: the same with frozen normalisers, which is sparse \
                  (Henderson & Titov 2005); tree: common fragments (Collins & Duffy 2002). The first three \
                  are derived from a grammar of the gold trees, or from a history-based parser (ssn)",
    },
    Term {
        name: "problems",
        meaning: "What the reader left out of the file (a score that is no number, brackets that \
                  are no tree, other words than the sentence has: ✗) or found odd (!), by line",
    },
];
