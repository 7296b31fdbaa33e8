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
        short: "ambig",
    },
    Command {
        name: "correct",
        keys: &["c"],
        help: "Verdict: the annotation is right, and the sentence hard",
        short: "correct",
    },
    Command { name: "unsure", keys: &["u"], help: "Verdict: not decided", short: "unsure" },
    Command {
        name: "note",
        keys: &["n"],
        help: "Write a note to the verdict; a sentence without one becomes unsure",
        short: "note",
    },
    Command {
        name: "filter",
        keys: &["/"],
        help: "List sentences by text, verdict=error,none, length>20, rank<=100, weight>2, error>0.5",
        short: "filter",
    },
    Command {
        name: "sort",
        keys: &["s"],
        help: "Sort by weight (of bags: mean error), error in this round, length or corpus order",
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
    Command { name: "clear", keys: &["Esc"], help: "Take the filter away", short: "" },
];
