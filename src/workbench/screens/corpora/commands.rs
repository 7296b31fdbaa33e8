//! What the keys of Corpora do.

use crate::workbench::command::Command;

pub const COMMANDS: &[Command] = &[
    Command {
        name: "overview",
        keys: &["o"],
        help: "Show counts, lengths, labels and tags",
        short: "counts",
    },
    Command {
        name: "sentences",
        keys: &["s"],
        help: "Show the sentences with their trees",
        short: "sentences",
    },
    Command {
        name: "problems",
        keys: &["p"],
        help: "Show what the reader complained about",
        short: "problems",
    },
    Command {
        name: "preprocessing",
        keys: &["e"],
        help: "Edit the preprocessing and see its effect",
        short: "edit",
    },
    Command {
        name: "distributions",
        keys: &["d"],
        help: "Show histograms: lengths, depths, branching, labels and tags",
        short: "charts",
    },
    Command { name: "previous-corpus", keys: &["["], help: "Show the corpus before", short: "" },
    Command { name: "next-corpus", keys: &["]"], help: "Show the next corpus", short: "corpus" },
    Command {
        name: "change",
        keys: &["Enter", "Space"],
        help: "Read the selected corpus, or change the selected setting",
        short: "",
    },
    Command { name: "undo", keys: &["u"], help: "Take all edits of settings back", short: "" },
    Command {
        name: "copy",
        keys: &["y"],
        help: "Copy the edited settings as lines of a config, or the tree as brackets",
        short: "",
    },
    Command {
        name: "filter",
        keys: &["/"],
        help: "List sentences with some text",
        short: "filter",
    },
    Command {
        name: "scored",
        keys: &["a"],
        help: "Show the tree as it stands in the file, or as it is scored",
        short: "",
    },
    Command {
        name: "compare",
        keys: &["b"],
        help: "Show a sentence before and after preprocessing side by side, or its tree alone",
        short: "before/after",
    },
    Command {
        name: "layout",
        keys: &["v"],
        help: "Draw trees vertically, horizontally, as brackets or in one line",
        short: "",
    },
    Command {
        name: "export",
        keys: &["w"],
        help: "Write the tree to a file: brackets, JSON, LaTeX, SVG or PNG",
        short: "",
    },
    Command { name: "reload", keys: &["r"], help: "Read the files again", short: "" },
    Command {
        name: "clear",
        keys: &["Esc"],
        help: "Take the pattern away, then the filter: list all sentences again",
        short: "",
    },
];
