use crate::workbench::screen::Term;

pub const NOTES: &[Term] = &[
    Term {
        name: "●",
        meaning: "The selected run, which Train, Grammar and Parses show; other signs mark the \
                  runs whose curves are drawn beside it",
    },
    Term {
        name: "state",
        meaning: "stopped: can be resumed; died: its process ended without a word, and it can be \
                  resumed; failed: the log (8) says why; gone: its folder was removed or moved",
    },
    Term {
        name: "best",
        meaning: "Figures on the development set of the checkpoint with the best \
                  log-likelihood. ppl is perplexity",
    },
    Term {
        name: "seeds",
        meaning: "Runs of one config that differ in their seed (train --seeds): mean of their best \
                  figures ± standard deviation, least and greatest",
    },
    Term { name: "age", meaning: "Time since its start" },
    Term {
        name: "filter",
        meaning: "Words of the name, the state or the settings (seed=3), figures (s_f1>40); a run \
                  must have all of them",
    },
    Term {
        name: "trash",
        meaning: "The folder `.trash` beside the run; the program never empties it",
    },
];
