//! What the keys of Train do.

use crate::workbench::command::Command;

pub const COMMANDS: &[Command] = &[
    Command {
        name: "new",
        keys: &["n"],
        help: "Start a training from a preset or a config file",
        short: "new",
    },
    Command {
        name: "device",
        keys: &["D"],
        help: "Choose the device of the trainings that are started next",
        short: "",
    },
    Command {
        name: "pause",
        keys: &["p", "Space"],
        help: "Pause the run, or let a paused one go on",
        short: "pause",
    },
    Command {
        name: "stop",
        keys: &["x"],
        help: "Stop the run: finishes the step, writes `last`, keeps `best`",
        short: "stop",
    },
    Command {
        name: "resume",
        keys: &["R"],
        help: "Go on with a stopped run from its last checkpoint",
        short: "resume",
    },
    Command {
        name: "figures",
        keys: &["v"],
        help: "Show the curves of learning, of the optimiser and speed, or of trees and symbols",
        short: "curves",
    },
    Command {
        name: "cursor-right",
        keys: &["Right"],
        help: "Move the cursor to later steps",
        short: "cursor",
    },
    Command {
        name: "smoothing",
        keys: &["s"],
        help: "Smooth the curves of steps: off, 0.6, 0.9, 0.97; the raw line stays behind",
        short: "smooth",
    },
    Command {
        name: "learning-rate",
        keys: &["r"],
        help: "Change the learning rate; a run that has ended is resumed with it",
        short: "rate",
    },
    Command { name: "log-y", keys: &["y"], help: "Logarithmic or linear values", short: "log" },
    Command {
        name: "details",
        keys: &["i"],
        help: "Where there is no room beside the charts: all figures, settings and the machine in \
               their place, or the charts again",
        short: "",
    },
    Command { name: "checkpoint", keys: &["c"], help: "Write a checkpoint now", short: "" },
    Command { name: "loss", keys: &["w"], help: "Show the loss a word, or a sentence", short: "" },
    Command {
        name: "cursor-left",
        keys: &["Left"],
        help: "Move the cursor to earlier steps; its values stand above the charts",
        short: "",
    },
    Command { name: "cursor-off", keys: &["Esc"], help: "Take the cursor away", short: "" },
    Command { name: "zoom-in", keys: &["+", "="], help: "See fewer steps", short: "zoom" },
    Command { name: "zoom-out", keys: &["-"], help: "See more steps", short: "" },
    Command {
        name: "pan-left",
        keys: &["<", "h"],
        help: "Look at earlier steps, or in the table at figures further left",
        short: "",
    },
    Command {
        name: "pan-right",
        keys: &[">", "l"],
        help: "Look at later steps, or in the table at figures further right",
        short: "",
    },
    Command {
        name: "follow",
        keys: &["f"],
        help: "Keep the newest steps in view at this zoom",
        short: "",
    },
    Command { name: "reset", keys: &["0"], help: "See the whole run", short: "" },
    Command {
        name: "literature",
        keys: &["L"],
        help: "Show published figures of such models, or no longer: of another corpus",
        short: "",
    },
    Command {
        name: "scroll-down",
        keys: &["J", "Shift-Down"],
        help: "Scroll the figures beside the charts, where not all have room",
        short: "",
    },
    Command { name: "scroll-up", keys: &["K", "Shift-Up"], help: "Scroll them back", short: "" },
    Command {
        name: "table",
        keys: &["t"],
        help: "Show the raw numbers as a table in place of the charts, or the charts again; its \
               row is the cursor",
        short: "table",
    },
    Command {
        name: "export",
        keys: &["e"],
        help: "Write all series of the runs in view to a file (CSV, JSON), or the charts (SVG, PNG)",
        short: "export",
    },
    Command {
        name: "axis",
        keys: &["a"],
        help: "Draw by step, by running time from the start of each run, or by wall time",
        short: "",
    },
    Command {
        name: "log-x",
        keys: &["A"],
        help: "Logarithmic or linear steps or times",
        short: "",
    },
    Command {
        name: "copy",
        keys: &["C"],
        help: "Copy the figures under the cursor, or the newest, to the clipboard (OSC 52)",
        short: "",
    },
    Command {
        name: "alarms",
        keys: &["!"],
        help: "Go to the evidence of what goes wrong: the curves at that step, the trees or the \
               symbols; of several alarms the next",
        short: "",
    },
    Command {
        name: "overlay-none",
        keys: &["o"],
        help: "Take the overlaid runs away; Runs (<.runs>) adds them",
        short: "",
    },
];
