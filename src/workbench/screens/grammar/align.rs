//! Symbols beside those of another run or checkpoint: what is aligned with what, on a task.

use super::compute::{self, Compared, Other};
use super::{Computed, Grammar};
use crate::config::Kind as RunKind;
use crate::workbench::popup::{Answer, Item, Popup};
use crate::workbench::screen::{Context, Effect};
use crate::workbench::shared::RunEntry;
use crate::workbench::task::Task;
use crate::workbench::weights::Origin;

/// Id of the popup that asks for weights, and kind of the task that aligns.
pub(super) const ALIGN: &str = "align";

impl Grammar {
    /// Shows the table or the selected symbol; without an alignment asks for one.
    pub(super) fn turn_table(&mut self, context: &mut Context) {
        match self.with {
            Some(_) => self.aligned = !self.aligned,
            None => self.ask_for_other(context),
        }
    }

    /// Asks whose symbols are to stand beside these.
    pub(super) fn ask_for_other(&mut self, context: &mut Context) {
        let Some(computed) = &self.computed else {
            return context.status("no symbols are listed yet");
        };
        self.others = others(computed, context);
        if self.others.is_empty() {
            return context.warn("there is no other run or checkpoint with symbols to align with");
        }
        let item = |other: &Other| Item {
            name: other.name.clone(),
            description: other.description.clone(),
        };
        context.push(Effect::Popup(Popup::List {
            id: ALIGN,
            title: "Align the symbols with those of".into(),
            items: self.others.iter().map(item).collect(),
            start: 0,
            free: false,
        }));
    }

    /// Takes the answer.
    pub(super) fn choose_other(&mut self, answer: &Answer, context: &mut Context) {
        let Answer::Item(i) = answer else { return };
        let Some(other) = self.others.get(*i) else { return };
        self.with = Some(other.clone());
        self.aligned = true;
        self.align(context);
    }

    /// Aligns with the weights that were chosen, if any were.
    pub(super) fn align(&mut self, context: &mut Context) {
        self.compared = None;
        let (Some(other), Some(computed)) = (self.with.clone(), &self.computed) else { return };
        let Some(run) = context.shared.run(computed.run) else { return };
        let (path, config) = (run.path.clone(), run.config.clone());
        let (symbols, preprocessing) =
            (computed.symbols.clone(), computed.weights.preprocessing.clone());
        let run = computed.run;
        let title = format!("aligning with {}", other.name);
        context.spawn(Task::new(ALIGN, title, move |handle| {
            let sentences = compute::sentences(&path, config.as_ref(), &preprocessing)?.0;
            compute::compare((run, &symbols), &sentences, &preprocessing, &other, handle)
        }));
    }

    /// Takes what was aligned.
    pub(super) fn take_compared(&mut self, compared: Compared, context: &mut Context) {
        if Some(compared.run) != self.run || self.with.is_none() {
            return;
        }
        self.compared = Some(compared);
        self.relist(context);
    }
}

/// Other checkpoints of this run, then other runs, the newest first.
fn others(computed: &Computed, context: &Context) -> Vec<Other> {
    let mut others = Vec::new();
    if let Some(run) = context.shared.run(computed.run) {
        let kept = [(Origin::Best, "best"), (Origin::Last, "last")];
        for (origin, name) in kept.into_iter().filter(|(origin, _)| *origin != computed.origin) {
            let Some(step) = run.history.checkpoints.get(name) else { continue };
            if *step == computed.weights.step {
                continue;
            }
            others.push(Other {
                name: format!("{name} of this run"),
                description: format!("its checkpoint of step {step}"),
                weights: run.checkpoint(origin),
            });
        }
    }
    let runs = context.shared.runs.iter();
    others.extend(runs.filter(|run| run.id != computed.run && has_symbols(run)).map(|run| Other {
        name: context.shared.label(run),
        description: described(run),
        weights: run.weights(),
    }));
    others
}

/// Whether it trains symbols, as far as its settings can be read.
fn has_symbols(run: &RunEntry) -> bool {
    let trains = run.config.as_ref().is_some_and(|config| config.kind == RunKind::Train);
    trains && !run.is_counted() && !run.gone
}

/// Family, seed and the best figure.
fn described(run: &RunEntry) -> String {
    let Some(config) = &run.config else { return String::new() };
    let mut text = format!("{}, seed {}", config.model.family.name(), config.seed);
    if let Some((name, value)) = run.main_figure() {
        text += &format!(", dev {name} {value:.1}");
    }
    text
}
