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
                  resumed; failed: the log (<.log>) says why; gone: its folder was removed or moved",
    },
    Term {
        name: "best",
        meaning: "Figures on the development set of the checkpoint with the best \
                  log-likelihood: S-F1 where there are gold trees, else perplexity (ppl), which is \
                  the main figure of a language model",
    },
    Term {
        name: "on disk",
        meaning: "Bytes of the run's folder; C says what they are for, moves what the run can do \
                  without to `.trash` beside it, and empties that trash when told to",
    },
    Term {
        name: "literature",
        meaning: "Published figures on the Penn Treebank (<runs.literature>), of grammars or language models as \
                  the run under the cursor is: not of this corpus, and not to be compared number \
                  by number",
    },
    Term {
        name: "seeds",
        meaning: "Runs of one config that differ in their seed (train --seeds): mean of their best \
                  figures ± standard deviation, least and greatest",
    },
    Term {
        name: "sweep",
        meaning: "Runs in which settings are varied (rankspace sweep): <runs.open> shows a figure against \
                  a setting, the mean over the seeds with the deviation to either side, and the \
                  table of all choices; * marks the best mean of a column, which with few seeds \
                  need not be better than others",
    },
    Term { name: "age", meaning: "Time since its start" },
    Term {
        name: "filter",
        meaning: "Words of the name, the state or the settings (seed=3), figures (s_f1>40); a run \
                  must have all of them",
    },
    Term {
        name: "trash",
        meaning: "The folder `.trash` beside the run; only <runs.clean> empties it, when told to",
    },
];
