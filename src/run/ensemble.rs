//! Bagging and boosting as a job's work.

use super::settings;
use super::work::{Desk, Work};
use super::{Held, KeptPart, KeptRound, RunError, RunFolder};
use crate::config::Config;
use crate::ensemble::{Data, Part, Progress, Round, Rounds};
use crate::report::{EventKind, Level, Reporter};
use std::sync::Arc;

/// Rounds in progress, and those that could not be written yet.
pub(super) struct EnsembleWork {
    rounds: Rounds,
    unwritten: Vec<Arc<Round>>,
}

impl EnsembleWork {
    /// Loads the corpora, and takes over the rounds that are complete in the folder.
    pub fn load(
        config: &Config,
        folder: &RunFolder,
        kept: &[KeptRound],
        reporter: &mut dyn Reporter,
    ) -> Result<EnsembleWork, RunError> {
        let idle = [config.unused_by_parser(), config.unused_by_bags()];
        for idle in idle.into_iter().flatten().filter(|_| kept.is_empty()) {
            reporter.message(Level::Warning, idle);
        }
        if let Some(theirs) = kept.last().and_then(|round| round.settings.as_ref()) {
            let free = ["ensemble.rounds"];
            settings::check(folder, (&settings_of(config), theirs), "its rounds", &free)?;
        }
        let data = Data::load(config, reporter)?;
        if !kept.is_empty() {
            for part in data.parts() {
                check_same(folder, part)?;
            }
        }
        let names: Vec<&str> = data.parts().map(|part| part.name).collect();
        let mut rounds = Rounds::new(config, data)?;
        for round in kept {
            rounds.restore(folder.read_round(round, &names)?)?;
        }
        Ok(EnsembleWork { rounds, unwritten: Vec::new() })
    }

    fn keep(&self, round: &Round, desk: &mut Desk) -> Result<(), RunError> {
        let parts: Vec<&Part> = self.rounds.data().parts().collect();
        desk.folder.keep_round(round, &parts)?;
        // Told before it counts as complete: a round that is told twice is told the same.
        desk.reports.report(EventKind::Round {
            round: round.number,
            metrics: round.metrics.clone(),
            weights: Some(RunFolder::weights_name(round.number)),
            seconds: round.seconds.clone(),
        });
        let elapsed = desk.reports.stopwatch.seconds();
        let saved = desk.folder.complete_round(round, elapsed, settings_of(self.rounds.config()));
        desk.note_checkpoint(&saved, round.number, "round");
        saved
    }
}

/// What rounds depend on beside the sentences.
fn settings_of(config: &Config) -> toml::Table {
    settings::some(config, &["seed", "ensemble", "parser"])
}

/// Whether the sentences are those that the run was started with.
fn check_same(folder: &RunFolder, part: &Part) -> Result<(), RunError> {
    // The files may have moved with the run.
    let essence = |kept: KeptPart| -> Vec<(String, String, usize)> {
        kept.sentences.into_iter().map(|s| (s.hash, s.tree, s.index)).collect()
    };
    let kept = folder.kept_part(part.name)?;
    match kept.is_some_and(|kept| essence(kept) == essence(KeptPart::of(part))) {
        true => Ok(()),
        false => Err(RunError::Unsuitable(format!(
            "the {} sentences differ from those that the run was started with (were the corpus \
             files or the [data] settings changed?)",
            part.name
        ))),
    }
}

impl Work for EnsembleWork {
    fn step(&self) -> u64 {
        self.rounds.number()
    }

    fn seconds(&self) -> f64 {
        let seconds = self.rounds.done().iter().flat_map(|round| round.seconds.0.values());
        seconds.sum()
    }

    fn begin(&mut self, desk: &mut Desk) -> Result<(), RunError> {
        desk.reports.planned(self.rounds.config().ensemble.rounds as u64);
        if self.rounds.done().is_empty() {
            self.rounds.introduce(&mut desk.reports);
            for part in self.rounds.data().parts() {
                desk.folder.keep_part(part)?;
            }
        }
        Ok(())
    }

    fn advance(&mut self, desk: &mut Desk) -> Result<Option<String>, RunError> {
        match self.rounds.advance(&mut desk.reports)? {
            Progress::Working => Ok(None),
            Progress::Round(round) => {
                self.unwritten.push(round);
                let saved = self.save(desk);
                desk.go_on(saved)?;
                Ok(None)
            }
            Progress::Finished(ending) => {
                self.save(desk)?;
                Ok(Some(ending.to_string()))
            }
        }
    }

    /// Writes the rounds that are complete; one under way is begun again.
    fn save(&mut self, desk: &mut Desk) -> Result<(), RunError> {
        while let Some(round) = self.unwritten.first() {
            self.keep(round, desk)?;
            self.unwritten.remove(0);
        }
        Ok(())
    }

    fn set_learning_rate(&mut self, _rate: f64, desk: &mut Desk) {
        let text = "an ensemble has no learning rate".into();
        desk.reports.message(Level::Warning, text);
    }

    fn snapshot(&self) -> Result<Held, String> {
        Err("an ensemble of supervised parsers has no weights to look into".into())
    }
}
