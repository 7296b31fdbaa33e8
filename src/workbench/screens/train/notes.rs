use crate::workbench::screen::Term;

pub const NOTES: &[Term] = &[
    Term {
        name: "loss",
        meaning: "Nats a word of the batch of each step, of a language model nats a token, ends of \
                  sentences included. First the raw value, after ~ the smoothed one; the raw line \
                  stays behind the smoothed",
    },
    Term {
        name: "perplexity",
        meaning: "exp(-log-probability / (words + sentences)) of the development sentences; \
                  lower is better. The main figure of a language model, which has no F1. `bound`: the \
                  family (c-pcfg) knows no more than a bound of its log-probabilities",
    },
    Term {
        name: "S-F1, C-F1",
        meaning: "F1 of unlabelled spans against the gold trees in percent: mean over sentences, \
                  and of the counts summed over sentences. Absent without gold trees",
    },
    Term {
        name: "test",
        meaning: "The same figure on the test set at its newest evaluation, of the step that is \
                  named where dev has a later one. It chooses nothing: \
                  `best` is chosen on the development set",
    },
    Term {
        name: "seeds",
        meaning: "For a run of several that differ in their seed: mean of their best development \
                  figures ± standard deviation, least and greatest",
    },
    Term {
        name: "epoch, run",
        meaning: "Time left of the pass over the training sentences, and of the whole training; \
                  the share done where nothing runs. Epoch 0 is before the first step",
    },
    Term {
        name: "step",
        meaning: "Time of a step, and how it is split: network (forward and backward), inference \
                  (the dynamic program), optimizer. N-grams have one pass over the corpus instead: \
                  counting, then scoring its sentences for the loss",
    },
    Term {
        name: "cuts",
        meaning: "How often the learning rate fell: on a plateau of the development figure \
                  (`training.schedule`), or by hand (r)",
    },
    Term {
        name: "literature",
        meaning: "Published figures on the Penn Treebank (<train.literature>): not of this corpus, and not to be \
                  compared number by number",
    },
    Term { name: "|g|", meaning: "Norm of the gradient of the newest step, before clipping" },
    Term {
        name: "NT, PT",
        meaning: "Number of nonterminals and of preterminals; states are those of an HMM",
    },
    Term {
        name: "along x",
        meaning: "Step; running time since the start of each run, pauses left out, so that overlaid \
                  runs begin together; or wall time, UTC. An evaluation lies at its step",
    },
    Term {
        name: "×",
        meaning: "Here a value is not a finite number, or has no logarithm: no line is drawn \
                  through it. In files it is NaN, Infinity or -Infinity",
    },
    Term { name: "dashed line", meaning: "What right-branching trees reach on the same sentences" },
    Term {
        name: "branching",
        meaning: "Of 100 spans of the induced trees those that a right-branching tree has too (they \
                  end with their sentence), or a left-branching one. A training is locked in at 95",
    },
    Term {
        name: "effective",
        meaning: "Symbols: exp(entropy) of the expected counts of nonterminals, or of the states of an HMM, \
                  over a sample of the development sentences: so many equally frequent ones. A \
                  grammar has collapsed below a tenth of them or 10",
    },
    Term {
        name: "!",
        meaning: "What goes wrong, and since when: divergence (the loss is no number, or perplexity \
                  twice its best), lock-in, collapse, overfitting (perplexity of dev rises and that \
                  of train falls), F1 that falls while perplexity does. ! shows the evidence",
    },
    Term {
        name: "last, best",
        meaning: "Checkpoints in the run folder: the newest weights with all that resuming \
                  needs, and those with the best development log-likelihood",
    },
];
