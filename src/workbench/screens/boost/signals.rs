//! All signals of error together: weighed in a task when somebody asks for their order.

use super::Boost;
use super::listing::Sort;
use crate::analysis::slips::{Slip, slips_while};
use crate::ensemble::detect;
use crate::run::RunFolder;
use crate::workbench::names::RunId;
use crate::workbench::news::TaskReport;
use crate::workbench::screen::Context;
use crate::workbench::task::Task;
use std::sync::Arc;

/// State of the signals.
#[derive(Default)]
pub struct Weighing {
    /// Rounds of those that are being weighed.
    asked: Option<usize>,
    known: Option<Signals>,
}

/// What `boost ranking --by combined` ranks by.
#[derive(Clone)]
struct Signals {
    rounds: usize,
    scores: Arc<Vec<f64>>,
    /// The best change of every sentence, whatever the rounds say.
    slips: Arc<Vec<Option<Slip>>>,
}

/// Signals that a task weighed.
struct Weighed(RunId, Signals);

impl Weighing {
    /// A score a sentence, once they are weighed.
    pub fn scores(&self) -> Option<&Arc<Vec<f64>>> {
        self.known.as_ref().map(|signals| &signals.scores)
    }

    /// What was probably meant in a sentence, if the annotation is not the likeliest.
    pub fn slip(&self, sentence: usize) -> Option<&Slip> {
        let slip = self.known.as_ref()?.slips.get(sentence)?.as_ref()?;
        (slip.gain > 0.0).then_some(slip)
    }

    pub fn failed(&mut self) {
        self.asked = None;
    }
}

impl Boost {
    /// Weighs the signals where their order is asked for, and they are not known of all rounds.
    pub(super) fn weigh(&mut self, context: &mut Context) {
        let Some(book) = self.book.as_ref().filter(|_| self.sort == Sort::Signals) else { return };
        let Some(run) = context.shared.run(book.run) else { return };
        let rounds = book.rounds.len();
        let known = self.weighing.known.as_ref();
        if self.weighing.asked == Some(rounds) || known.is_some_and(|known| known.rounds == rounds)
        {
            return;
        }
        let slips = known.map(|known| known.slips.clone());
        let (id, path, sentences) = (run.id, run.path.clone(), book.sentences.clone());
        self.weighing.asked = Some(rounds);
        context.spawn(Task::new("signals", "weighing all signals of error", move |handle| {
            let (part, of) = (&sentences.part, sentences.len() as u64);
            let found = slips.or_else(|| {
                let go_on = |done: usize| {
                    handle.progress(done as u64, of);
                    !handle.cancelled()
                };
                slips_while(&part.trees(), go_on).map(Arc::new)
            });
            let slips = found.ok_or("stopped")?;
            let read = RunFolder::open(&path);
            let others = read.and_then(|folder| folder.scores("boosting+conflicts", part));
            let others = others.map_err(|e| e.to_string())?.unwrap_or_default();
            let scores = Arc::new(detect::combine_all(&detect::slips(part, &slips), &others));
            match scores.len() == sentences.len() {
                true => Ok(Weighed(id, Signals { rounds, scores, slips })),
                false => {
                    Err("the rounds have other sentences than the screen: press <boost.reload>"
                        .to_owned())
                }
            }
        }));
    }

    /// Takes in the signals that a task weighed; whether it was that task.
    pub(super) fn weighed(&mut self, report: &mut TaskReport, context: &mut Context) -> bool {
        let Some(Weighed(run, signals)) = report.take::<Weighed>() else { return false };
        if Some(run) == self.run {
            self.weighing = Weighing { asked: None, known: Some(signals) };
            self.relist(context);
        }
        true
    }
}
