//! What the keys of Parses do.

use crate::workbench::command::Command;

pub const COMMANDS: &[Command] = &[
    Command {
        name: "type",
        keys: &["i"],
        help: "Type a sentence and parse it with the current weights",
        short: "type",
    },
    Command {
        name: "analyse",
        keys: &["p"],
        help: "Parse selected sentences with the current weights: labels and span marginals, or \
               states; once more shows what the evaluation gave",
        short: "parse",
    },
    Command {
        name: "layout",
        keys: &["v"],
        help: "Draw trees vertically, horizontally, as brackets or in one line",
        short: "layout",
    },
    Command {
        name: "heat-map",
        keys: &["m"],
        help: "Show the span marginals or the trees, surprisals word by word or in lines, where \
               not both have room",
        short: "heat map",
    },
    Command {
        name: "zoom",
        keys: &["z"],
        help: "Hide the list, so that trees have its room; once more brings it back",
        short: "zoom",
    },
    Command {
        name: "filter",
        keys: &["/"],
        help: "List sentences with some text or figures (f1<40, length>20, logprob<-6, ppl>100)",
        short: "filter",
    },
    Command {
        name: "trees",
        keys: &["t"],
        help: "Search for the pattern in gold or induced trees, in either, or in what one has and \
               the other has not",
        short: "",
    },
    Command {
        name: "sort",
        keys: &["s"],
        help: "Sort by length, F1 and log-probability per word (of a language model: perplexity \
               and largest surprisal) or corpus order",
        short: "sort",
    },
    Command { name: "reverse", keys: &["S"], help: "Turn the order round", short: "" },
    Command { name: "unit", keys: &["u"], help: "Tell surprisals in bits or in nats", short: "" },
    Command {
        name: "export",
        keys: &["w"],
        help: "Write the induced tree (brackets, JSON, LaTeX, SVG or PNG) or the surprisals (text, \
               JSON or SVG) to a file",
        short: "export",
    },
    Command {
        name: "copy",
        keys: &["y"],
        help: "Copy the induced tree as brackets, or the surprisals a line a token",
        short: "",
    },
    Command {
        name: "evaluations",
        keys: &["e"],
        help: "Look at the selected sentence over all evaluations of the run, or at all sentences \
               again",
        short: "time",
    },
    Command {
        name: "play",
        keys: &["Space"],
        help: "Play the evaluations of the sentence one after the other, or stop",
        short: "",
    },
    Command { name: "older", keys: &["["], help: "Show the evaluation before", short: "" },
    Command { name: "newer", keys: &["]"], help: "Show the evaluation after", short: "" },
    Command { name: "reload", keys: &["r"], help: "Read the newest evaluation again", short: "" },
    Command {
        name: "clear",
        keys: &["Esc"],
        help: "Leave the typed sentence, then the pattern, the filter and the selection of a \
               symbol",
        short: "",
    },
];
