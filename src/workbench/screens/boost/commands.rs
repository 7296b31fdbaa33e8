use crate::workbench::command::Command;

pub const COMMANDS: &[Command] = &[
    Command {
        name: "figures",
        keys: &["f"],
        help: "Turn to the figures of the rounds, or back to the sentences",
        short: "figures",
    },
    Command {
        name: "error",
        keys: &["e"],
        help: "Verdict: the annotation is wrong",
        short: "error",
    },
    Command {
        name: "ambiguous",
        keys: &["a"],
        help: "Verdict: both analyses can be defended",
        short: "",
    },
    Command {
        name: "correct",
        keys: &["c"],
        help: "Verdict: the annotation is right, and the sentence hard",
        short: "correct",
    },
    Command { name: "unsure", keys: &["u"], help: "Verdict: not decided", short: "" },
    Command {
        name: "withdraw",
        keys: &["x"],
        help: "Take the verdict back, with its note and its proposal; the ledger keeps that it was given",
        short: "",
    },
    Command {
        name: "note",
        keys: &["n"],
        help: "Write a note to the verdict; what has none becomes unsure",
        short: "note",
    },
    Command {
        name: "bracket",
        keys: &["b"],
        help: "Give the verdict for the next differing bracket; among twins, for the words in common",
        short: "",
    },
    Command {
        name: "previous-bracket",
        keys: &["B"],
        help: "Give it for the differing bracket before; behind the last comes the sentence",
        short: "",
    },
    Command {
        name: "propose",
        keys: &["p"],
        help: "Write the tree as it should be, beginning with the analysis (with the annotation where \
               empty elements or words were taken out of it); the treebank stays",
        short: "",
    },
    Command {
        name: "export",
        keys: &["w"],
        help: "Write the verdicts as a table, corrected copies of the treebank and their diff",
        short: "",
    },
    Command {
        name: "filter",
        keys: &["/"],
        help: "List by text, verdict=error,none, length>20, rank<=100, weight>2, error>0.5, \
               raised=always, parse=fallback",
        short: "filter",
    },
    Command {
        name: "sort",
        keys: &["s"],
        help: "Sort by weight (of bags: mean error), error in this round, length, corpus order, or \
               all signals of error",
        short: "sort",
    },
    Command { name: "reverse", keys: &["S"], help: "Turn the order round", short: "" },
    Command { name: "jump", keys: &["#"], help: "Go to a rank or a sentence by number", short: "" },
    Command { name: "earlier-round", keys: &["["], help: "Look at the round before", short: "" },
    Command { name: "later-round", keys: &["]"], help: "Look at the round after", short: "" },
    Command {
        name: "curve",
        keys: &["Space"],
        help: "Draw the curve of the round in view, or no longer",
        short: "",
    },
    Command {
        name: "scale",
        keys: &["L"],
        help: "Draw weights on a logarithmic or a linear scale",
        short: "",
    },
    Command {
        name: "measure",
        keys: &["m"],
        help: "Draw F1, precision, recall or exact match over the rounds",
        short: "",
    },
    Command {
        name: "twins",
        keys: &["t"],
        help: "Show where the treebank annotates the same thing otherwise, or the trees again",
        short: "twins",
    },
    Command { name: "next-twin", keys: &[">"], help: "Show the next twin", short: "" },
    Command { name: "previous-twin", keys: &["<"], help: "Show the twin before", short: "" },
    Command {
        name: "layout",
        keys: &["v"],
        help: "Draw trees vertically, horizontally, as brackets or in one line",
        short: "",
    },
    Command {
        name: "zoom",
        keys: &["z"],
        help: "Hide the list, so that trees have its room; once more brings it back",
        short: "",
    },
    Command { name: "reload", keys: &["r"], help: "Read the rounds again", short: "" },
    Command {
        name: "clear",
        keys: &["Esc"],
        help: "Turn from a bracket back to the sentence, or take the filter away",
        short: "",
    },
];
