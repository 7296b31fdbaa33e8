use crate::workbench::command::Command;

pub const COMMANDS: &[Command] = &[
    Command {
        name: "candidates",
        keys: &["Enter"],
        help: "Go through the candidates of the sentence, or through the sentences again",
        short: "candidates",
    },
    Command {
        name: "next-candidate",
        keys: &["]"],
        help: "Select the next candidate of the sentence",
        short: "",
    },
    Command {
        name: "previous-candidate",
        keys: &["["],
        help: "Select the candidate before",
        short: "",
    },
    Command {
        name: "compare",
        keys: &["c"],
        help: "Compare the candidate with the gold tree or with the base parser's choice",
        short: "compare",
    },
    Command {
        name: "decisions",
        keys: &["d"],
        help: "Show which decisions made the candidate's margin, or the trees",
        short: "why",
    },
    Command {
        name: "figures",
        keys: &["f"],
        help: "Show the figures of all sentences, by length too, or the lists again",
        short: "figures",
    },
    Command {
        name: "problems",
        keys: &["p"],
        help: "Show what of the file was left out and why, with line numbers, or the lists again",
        short: "problems",
    },
    Command {
        name: "open",
        keys: &["o"],
        help: "Open candidate lists or a reranker; a file is told by what is in it",
        short: "open",
    },
    Command {
        name: "learn",
        keys: &["t"],
        help: "Train a reranker on these lists in a run of its own; it is used when it is done",
        short: "train",
    },
    Command {
        name: "filter",
        keys: &["/"],
        help: "List by text, length>20, gain<0, margin>1, rank>3, f1<80, oracle=100, candidates>1",
        short: "filter",
    },
    Command {
        name: "changed",
        keys: &["x"],
        help: "List only sentences whose choice the reranker changed, or all",
        short: "",
    },
    Command {
        name: "sort",
        keys: &["s"],
        help: "Sort by gain, loss, margin, length or place in the file",
        short: "sort",
    },
    Command { name: "reverse", keys: &["S"], help: "Turn the order round", short: "" },
    Command {
        name: "candidate-order",
        keys: &["b"],
        help: "List candidates in the order of the reranker or of the base parser",
        short: "",
    },
    Command {
        name: "jump",
        keys: &["#"],
        help: "Go to a sentence by its number, or by its name in the file",
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
        help: "Hide the lists, so that trees have their room; once more brings them back",
        short: "",
    },
    Command {
        name: "export",
        keys: &["w"],
        help: "Write the lists, a table of all candidates, the chosen trees or the tree in view",
        short: "export",
    },
    Command { name: "reload", keys: &["r"], help: "Read the files again", short: "" },
    Command {
        name: "clear",
        keys: &["Esc"],
        help: "Go back to the sentences, then take the filter away",
        short: "",
    },
];
