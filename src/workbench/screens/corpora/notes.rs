use crate::workbench::patterns::LANGUAGE;
use crate::workbench::screen::Term;

pub const NOTES: &[Term] = &[
    Term {
        name: "as read",
        meaning: "What stands in the files: every word with its punctuation and case, without \
                  empty elements (traces)",
    },
    Term {
        name: "preprocessed",
        meaning: "What the model gets under the settings of the run or of the preset; after an \
                  edit both, to compare",
    },
    Term {
        name: "unknown words",
        meaning: "Share of words that the vocabulary of the training sentences lacks. Words in \
                  the training sentences that are too rare for it count as well. A file that \
                  belongs to no run has its own words for a vocabulary",
    },
    Term {
        name: "preprocessing",
        meaning: "What each step of preprocessing did, counted. Words: traces, punctuation, \
                  lower-case, numbers. Phrases: empty-phrases (no word left), function-labels \
                  (NP-SBJ to NP), unary-phrases (put into the one above), phrases-with-gaps (not \
                  scored), reattached. Sentences: no-words, one-word, too-short, too-long",
    },
    Term {
        name: "problems",
        meaning: "What the reader complained about, with file, line and column; the rest of the \
                  file is read all the same",
    },
    Term {
        name: "as scored",
        meaning: "The tree after preprocessing, with the spans that F1 is about",
    },
    Term {
        name: "depth",
        meaning: "Phrases above the deepest word of a sentence, as read or as scored",
    },
    Term { name: "branching", meaning: "Children of a phrase, as read or as scored" },
    Term {
        name: "before/after",
        meaning: "One sentence as read beside what preprocessing made of it: words taken away \
                  or rewritten, labels changed, and both trees",
    },
    Term {
        name: "edit",
        meaning: "Tries other settings on this corpus. Nothing is written: `y` copies the lines \
                  for a config",
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
