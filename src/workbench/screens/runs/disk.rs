//! What runs take on the disk, and cleaning up.

use super::Runs;
use crate::report::counted;
use crate::run::{DiskUse, RunFolder, Spare, Trash, clean};
use crate::workbench::names::RunId;
use crate::workbench::news::TaskReport;
use crate::workbench::popup::{Answer, Choice, Popup};
use crate::workbench::screen::{Context, Effect};
use crate::workbench::shared::{RunEntry, Shared};
use crate::workbench::task::Task;
use crate::workbench::text::bytes;
use std::collections::HashMap;
use std::path::PathBuf;

/// Popups of cleaning, and of the question whether the trash is emptied.
const CLEAN: &str = "clean";
const EMPTY: &str = "empty-trash";
/// Tasks: measuring all runs, looking what can be spared, moving it, emptying the trash.
const MEASURE: &str = "sizes";
const LOOK: &str = "spares";
const MOVE: &str = "cleaning";
const DISCARD: &str = "emptying";

/// What is known of the disk.
#[derive(Default)]
pub struct Disk {
    used: HashMap<RunId, DiskUse>,
    /// What the question is about.
    asked: Option<Found>,
}

/// Sizes that a task measured.
struct Measured(Vec<(RunId, DiskUse)>);

/// What of a run can be spared, and what lies in the trash beside it.
struct Found {
    run: PathBuf,
    name: String,
    used: DiskUse,
    /// Kinds of which there is something, with their bytes.
    spares: Vec<(Spare, u64)>,
    trash: Option<Trash>,
}

/// What came of cleaning.
struct Cleaned(String);

impl Disk {
    /// What a run takes, once it was measured.
    pub fn of(&self, run: RunId) -> Option<DiskUse> {
        self.used.get(&run).copied()
    }

    /// What all runs take that were measured.
    pub fn total(&self, shared: &Shared) -> u64 {
        shared.runs.iter().filter_map(|run| self.of(run.id)).map(DiskUse::total).sum()
    }

    /// Measures all runs again, or only if there are new ones.
    pub fn measure(&self, again: bool, context: &mut Context) {
        let runs = context.shared.runs.iter().filter(|run| !run.gone);
        let runs: Vec<(RunId, PathBuf)> = runs.map(|run| (run.id, run.path.clone())).collect();
        if runs.is_empty() || !(again || runs.iter().any(|(id, _)| !self.used.contains_key(id))) {
            return;
        }
        context.spawn(Task::new(MEASURE, "measuring runs", move |handle| {
            let mut measured = Vec::new();
            for (id, path) in runs {
                if handle.cancelled() {
                    return Err("stopped".into());
                }
                measured.push((id, DiskUse::of(&path)));
            }
            Ok(Measured(measured))
        }));
    }

    /// Looks what of a run can be spared; the question follows.
    pub fn look(&self, run: &RunEntry, context: &mut Context) {
        let (path, name) = (run.path.clone(), run.name.clone());
        context.spawn(Task::new(LOOK, format!("looking into {name}"), move |_| {
            let folder = RunFolder::open(&path).map_err(|e| e.to_string())?;
            let bytes = |spare: Spare| spare.files(&folder).iter().map(|(_, bytes)| bytes).sum();
            let all = Spare::ALL.into_iter().map(|spare| (spare, bytes(spare)));
            Ok(Found {
                spares: all.filter(|(_, bytes): &(Spare, u64)| *bytes > 0).collect(),
                trash: Trash::beside(&path),
                used: DiskUse::of(&path),
                run: path,
                name,
            })
        }));
    }

    /// Takes in what a task found; whether it was one of these.
    pub fn hear(&mut self, report: &mut TaskReport, context: &mut Context) -> bool {
        if let Some(Measured(measured)) = report.take::<Measured>() {
            self.used = measured.into_iter().collect();
        } else if let Some(found) = report.take::<Found>() {
            self.ask(found, context);
        } else if let Some(Cleaned(text)) = report.take::<Cleaned>() {
            context.status(text);
            self.measure(true, context);
        } else if let Some(error) =
            report.error().filter(|_| [LOOK, MOVE, DISCARD].contains(&report.kind))
        {
            context.error(error);
        } else {
            return report.kind == MEASURE;
        }
        true
    }

    fn ask(&mut self, found: Found, context: &mut Context) {
        let Found { name, used, spares, trash, .. } = &found;
        let DiskUse { checkpoints, trees, rest } = *used;
        let mut text = format!(
            "{name} takes {}: checkpoints {}, trees {}, the rest {}.",
            bytes(used.total()),
            bytes(checkpoints),
            bytes(trees),
            bytes(rest)
        );
        let mut choices: Vec<Choice> = spares.iter().map(|(spare, n)| choice(*spare, *n)).collect();
        if !choices.is_empty() {
            text += " What is taken goes to `.trash` beside it.";
        }
        if let Some(trash) = trash {
            let things = counted(trash.things, "thing");
            let label = format!("empty the trash: {things}, {}", bytes(trash.bytes));
            choices.push(Choice::new('e', label));
        }
        if choices.is_empty() {
            return context.status(text + " Nothing of it can be spared.");
        }
        choices.push(Choice::new('c', "cancel"));
        self.asked = Some(found);
        let title = "Clean".into();
        context.push(Effect::Popup(Popup::Question { id: CLEAN, title, text, choices }));
    }

    /// Does what was answered; whether the question was one of these.
    pub fn answered(&mut self, popup: &str, answer: &Answer, context: &mut Context) -> bool {
        match (popup, answer) {
            (CLEAN, Answer::Choice('e')) => {
                if let Some(trash) = self.asked.as_ref().and_then(|found| found.trash.as_ref()) {
                    let things = counted(trash.things, "thing");
                    let choices =
                        vec![Choice::new('c', "cancel"), Choice::new('d', "delete for good")];
                    context.push(Effect::Popup(Popup::Question {
                        id: EMPTY,
                        title: "Empty the trash".into(),
                        text: format!(
                            "Delete {things} ({}) in {} for good? Nothing brings them back.",
                            bytes(trash.bytes),
                            trash.path.display()
                        ),
                        choices,
                    }));
                }
            }
            (EMPTY, Answer::Choice('d')) => {
                if let Some(trash) = self.asked.take().and_then(|found| found.trash) {
                    context.spawn(Task::new(DISCARD, "emptying the trash", move |_| {
                        trash.empty().map_err(|e| e.to_string())?;
                        Ok(Cleaned(format!("{} is gone from the trash", bytes(trash.bytes))))
                    }));
                }
            }
            (CLEAN, Answer::Choice(key)) => {
                let Some(found) = self.asked.take() else { return true };
                let chosen = found.spares.iter().map(|(spare, _)| *spare);
                let chosen: Vec<Spare> = chosen.filter(|spare| key_of(*spare) == *key).collect();
                if !chosen.is_empty() {
                    let Found { run, name, .. } = found;
                    context.spawn(Task::new(MOVE, format!("cleaning {name}"), move |_| {
                        let moved = clean(&run, &chosen).map_err(|e| e.to_string())?;
                        Ok(Cleaned(format!("{} of {name} moved to the trash", bytes(moved))))
                    }));
                }
            }
            (CLEAN | EMPTY, _) => self.asked = None,
            _ => return false,
        }
        true
    }
}

fn key_of(spare: Spare) -> char {
    match spare {
        Spare::OtherCheckpoints => 'o',
        Spare::Last => 'l',
        Spare::Trees => 't',
    }
}

fn choice(spare: Spare, n: u64) -> Choice {
    let n = bytes(n);
    let label = match spare {
        Spare::OtherCheckpoints => format!("checkpoints but best and last ({n})"),
        Spare::Last => format!("`last` ({n}): then nobody can go on with it"),
        Spare::Trees => format!("trees but first, best and last ({n})"),
    };
    Choice::new(key_of(spare), label)
}

impl Runs {
    /// What stands below the list: what the run under the cursor takes.
    pub(super) fn disk_line(&self, run: &RunEntry) -> Option<String> {
        let used = self.disk.of(run.id)?;
        Some(format!(
            "{}: checkpoints {}, trees {}, rest {}",
            bytes(used.total()),
            bytes(used.checkpoints),
            bytes(used.trees),
            bytes(used.rest)
        ))
    }
}
