use crate::workbench::command::Command;

pub const COMMANDS: &[Command] = &[
    Command {
        name: "kind",
        keys: &["t"],
        help: "Show nonterminals or preterminals; of an HMM its states or their transitions",
        short: "kind",
    },
    Command {
        name: "sentences",
        keys: &["Enter"],
        help: "Show the sentences that use the symbol, on Parses",
        short: "sentences",
    },
    Command {
        name: "refresh",
        keys: &["r"],
        help: "Compute again with the current weights",
        short: "refresh",
    },
    Command {
        name: "filter",
        keys: &["/"],
        help: "List symbols by name, gold label, word or yield",
        short: "filter",
    },
    Command {
        name: "sort",
        keys: &["s"],
        help: "Sort by expected use, purity, number or, if aligned, by what is shared with the partner",
        short: "sort",
    },
    Command {
        name: "align",
        keys: &["a"],
        help: "Set the symbols beside those of another run, seed or checkpoint that do the same; \
               once more shows the table or the symbol",
        short: "align",
    },
    Command {
        name: "align-with",
        keys: &["A"],
        help: "Choose what the symbols are aligned with",
        short: "",
    },
    Command {
        name: "export",
        keys: &["w"],
        help: "Write the listed symbols, or their alignment, to a file: CSV, JSON or LaTeX",
        short: "export",
    },
    Command { name: "clear", keys: &["Esc"], help: "List all symbols again", short: "" },
];
