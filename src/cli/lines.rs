//! A run in plain lines: one for every evaluation, change of state and note. The same words
//! for a run of this process and for one that is followed from its folder.

use crate::analysis::alarms::{self, Figures, Trouble};
use crate::config::Config;
use crate::evaluation::Spread;
use crate::report::{Event, EventKind, Level, Metrics, RunState, epoch_at};
use crate::run::{Spreads, Timeline};

/// Figures in the order of printing, with the words for them and their decimals.
const FIGURES: [(&str, &str, usize); 5] = [
    ("f1", "F1", 2),
    ("s_f1", "S-F1", 2),
    ("c_f1", "C-F1", 2),
    ("perplexity", "perplexity", 2),
    ("log_likelihood", "log-likelihood", 3),
];

/// Turns events into lines.
#[derive(Debug)]
pub struct Lines {
    pub timeline: Timeline,
    /// What the speed counts: a language model's tokens, with the ends of sentences, or words.
    tokens: &'static str,
    /// How many steps were there at the evaluation before.
    reported: usize,
    symbols: Option<usize>,
    /// Alarms that were told, each with its beginning.
    alarmed: Vec<(Trouble, u64)>,
}

impl Lines {
    /// For a run of those settings.
    pub fn of(config: &Config) -> Lines {
        let tokens = if config.model.family.has_trees() { "words" } else { "tokens" };
        let symbols = alarms::symbols(&config.model);
        Lines { timeline: Timeline::default(), tokens, reported: 0, symbols, alarmed: Vec::new() }
    }

    /// The line of an event; `None` for those that are no news of their own.
    pub fn line(&mut self, event: &Event) -> Option<String> {
        if !self.timeline.apply(event) {
            return None;
        }
        match &event.kind {
            EventKind::Evaluation { step, epoch, split, metrics } => {
                if let Some(of) = split.strip_suffix(".baselines") {
                    return baselines(of, metrics);
                }
                if split == "train" {
                    // Told with the development figures of the same step.
                    return None;
                }
                let epoch = epoch_at(*step, *epoch);
                let mut line = format!("epoch {epoch}  step {step}  {split}  {}", figures(metrics));
                if split == "dev" {
                    line.push_str(&self.training(*step));
                }
                Some(line)
            }
            EventKind::State { state, step, resumed, reason } => {
                let because = reason.as_ref().map(|r| format!(": {r}")).unwrap_or_default();
                Some(match state {
                    RunState::Running if *resumed => format!("resumed from step {step}"),
                    RunState::Running => format!("running from step {step}"),
                    RunState::Paused => format!("paused at step {step}{because}"),
                    RunState::Stopped => format!("stopped at step {step}{because}"),
                    RunState::Finished => format!("finished at step {step}{because}"),
                    RunState::Failed => format!("failed at step {step}{because}"),
                })
            }
            EventKind::Message { level, text } => match level {
                Level::Debug => None,
                Level::Info => Some(format!("note: {text}")),
                Level::Warning => Some(format!("warning: {text}")),
                Level::Error => Some(format!("trouble: {text}")),
            },
            EventKind::Round { round, metrics, .. } => Some(round_line(*round, metrics)),
            EventKind::Step { .. }
            | EventKind::Checkpoint { .. }
            | EventKind::Progress { .. }
            | EventKind::Device(_) => None,
        }
    }

    /// The lines of what the newest event shows to go wrong, each alarm once; to be asked after
    /// [`Lines::line`].
    pub fn alarms(&mut self, event: &Event) -> Vec<String> {
        let tells = match &event.kind {
            EventKind::Evaluation { split, .. } => split == "dev",
            EventKind::Step { loss, .. } => !loss.is_finite(),
            _ => false,
        };
        if !tells {
            return Vec::new();
        }
        let evaluations: Vec<Figures> = self
            .timeline
            .evaluations()
            .iter()
            .map(|e| Figures { step: e.step, split: &e.split, metrics: &e.metrics })
            .collect();
        let mut found = alarms::alarms(&alarms::Training {
            evaluations: &evaluations,
            not_a_number_since: self.timeline.not_a_number_since(),
            symbols: self.symbols,
        });
        found.retain(|alarm| !self.alarmed.contains(&(alarm.trouble, alarm.since)));
        self.alarmed.extend(found.iter().map(|alarm| (alarm.trouble, alarm.since)));
        found.iter().map(|alarm| format!("warning: {}", alarm.line())).collect()
    }

    /// Training figures since the evaluation before, and the time.
    fn training(&mut self, step: u64) -> String {
        let steps = self.timeline.steps().get(self.reported..).unwrap_or_default();
        self.reported = self.timeline.steps().len();
        let mut text = String::new();
        let train = self.timeline.split("train").next_back().filter(|e| e.step == step);
        if let Some(perplexity) = train.and_then(|e| e.metrics.get("perplexity")) {
            text.push_str(&format!("  train perplexity {perplexity:.2}"));
        }
        let seconds: f64 = steps.iter().map(|s| f64::from(s.total)).sum();
        if seconds > 0.0 {
            let words: u64 = steps.iter().map(|s| s.tokens).sum();
            text.push_str(&format!("  {:.0} {}/s", words as f64 / seconds, self.tokens));
        }
        text.push_str(&format!("  {:.1} s", self.timeline.elapsed()));
        text
    }
}

/// A round with its error and vote, and how the members do together up to it.
fn round_line(round: u64, metrics: &Metrics) -> String {
    let mut line = match round {
        0 => "single parser".to_owned(),
        _ => format!("round {round}"),
    };
    for (key, decimals) in [("error", 4), ("vote", 3)] {
        if let Some(value) = metrics.get(key) {
            line.push_str(&format!("  {key} {value:.decimals$}"));
        }
    }
    for split in ["train", "dev", "test"] {
        let figure = |name: &str| metrics.get(&format!("{split}_{name}"));
        if let (Some(f1), Some(exact)) = (figure("f1"), figure("exact")) {
            line.push_str(&format!("  {split} F1 {f1:.2} exact {exact:.2}"));
        }
        if let Some(fallbacks) = figure("fallbacks").filter(|n| *n > 0.0) {
            line.push_str(&format!(" ({fallbacks} fallbacks)"));
        }
    }
    line
}

/// The known figures of a split, e.g. `S-F1 45.21  perplexity 53.20`.
pub fn figures(metrics: &Metrics) -> String {
    FIGURES
        .iter()
        .filter_map(|(key, name, decimals)| {
            metrics.get(key).map(|value| format!("{name} {value:.decimals$}"))
        })
        .collect::<Vec<_>>()
        .join("  ")
}

/// Mean, standard deviation, least and greatest of the known figures, e.g.
/// `S-F1 45.21 ± 3.10 (41.02 to 48.77)`.
pub fn spreads(spreads: &Spreads) -> String {
    FIGURES
        .iter()
        .filter_map(|(key, name, decimals)| {
            let Spread { mean, sd, least, greatest, .. } = spreads.get(key)?;
            let sd = sd.map_or(String::new(), |sd| format!(" ± {sd:.decimals$}"));
            Some(format!(
                "{name} {mean:.decimals$}{sd} ({least:.decimals$} to {greatest:.decimals$})"
            ))
        })
        .collect::<Vec<_>>()
        .join("  ")
}

/// Only the known figures, for the JSON object that ends a training.
pub fn known(metrics: &Metrics) -> Metrics {
    FIGURES.iter().filter_map(|(key, ..)| Some((*key, metrics.get(key)?))).collect()
}

fn baselines(split: &str, metrics: &Metrics) -> Option<String> {
    let trees = [
        ("right_s_f1", "right-branching"),
        ("left_s_f1", "left-branching"),
        ("balanced_s_f1", "balanced"),
        ("random_s_f1", "random (seed 0)"),
        ("oracle_s_f1", "best binary"),
    ];
    let told: Vec<_> = trees
        .iter()
        .filter_map(|(key, name)| metrics.get(key).map(|value| format!("{name} {value:.2}")))
        .collect();
    (!told.is_empty()).then(|| format!("S-F1 of trivial trees on {split}: {}", told.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{Family, Model};
    use crate::report::SCHEMA;

    fn lines(kinds: Vec<EventKind>) -> Vec<String> {
        lines_of(Family::RankPcfg, kinds)
    }

    fn lines_of(family: Family, kinds: Vec<EventKind>) -> Vec<String> {
        let model = Model { family, ..Model::default() };
        let mut lines = Lines::of(&Config { model, ..Config::default() });
        let event =
            |(seq, kind)| Event { schema: SCHEMA, seq, time: 0.0, elapsed: 2.0 * seq as f64, kind };
        let mut told = |event: Event| {
            let line = lines.line(&event);
            line.into_iter().chain(lines.alarms(&event)).collect::<Vec<_>>()
        };
        (0..).zip(kinds).flat_map(|pair| told(event(pair))).collect()
    }

    fn evaluation(split: &str, metrics: &[(&str, f64)]) -> EventKind {
        let metrics = metrics.iter().copied().collect();
        EventKind::Evaluation { step: 1, epoch: 1, split: split.into(), metrics }
    }

    fn step() -> EventKind {
        EventKind::Step {
            step: 1,
            epoch: 1,
            loss: 3.0,
            tokens: 50,
            sentences: Some(5),
            learning_rate: 0.1,
            gradient_norm: 1.0,
            seconds: [("total", 0.5)].into_iter().collect(),
            steps_per_epoch: 1,
            total_steps: 1,
        }
    }

    #[test]
    fn the_speed_of_a_language_model_is_told_in_tokens() {
        let told = lines_of(Family::RankHmm, vec![step(), evaluation("dev", &[])]);
        assert!(told[0].contains("100 tokens/s"), "{told:?}");
    }

    #[test]
    fn an_evaluation_is_one_line_with_the_training_figures_of_its_step() {
        let told = lines(vec![
            evaluation("dev.baselines", &[("right_s_f1", 37.125), ("oracle_s_f1", 85.0)]),
            step(),
            evaluation("train", &[("perplexity", 99.5)]),
            evaluation("dev", &[("log_likelihood", -3.0), ("s_f1", 45.0)]),
            evaluation("test", &[("perplexity", 20.0)]),
        ]);
        assert_eq!(
            told,
            [
                "S-F1 of trivial trees on dev: right-branching 37.12, best binary 85.00",
                "epoch 1  step 1  dev  S-F1 45.00  log-likelihood -3.000  train perplexity 99.50  \
                 100 words/s  6.0 s",
                "epoch 1  step 1  test  perplexity 20.00",
            ]
        );
    }

    #[test]
    fn states_and_notes_are_told_with_their_reasons() {
        let state = |state, resumed, reason: Option<&str>| EventKind::State {
            state,
            step: 7,
            resumed,
            reason: reason.map(str::to_owned),
        };
        let told = lines(vec![
            state(RunState::Running, true, Some("resumed from step 7")),
            EventKind::Message { level: Level::Warning, text: "odd".into() },
            EventKind::Message { level: Level::Debug, text: "detail".into() },
            state(RunState::Failed, false, Some("loss is NaN")),
        ]);
        assert_eq!(told, ["resumed from step 7", "warning: odd", "failed at step 7: loss is NaN"]);
    }

    #[test]
    fn each_alarm_is_told_once_by_the_evaluation_that_shows_it() {
        let evaluation = |step: u64, split: &str, metrics: &[(&str, f64)]| EventKind::Evaluation {
            step,
            epoch: step,
            split: split.into(),
            metrics: metrics.iter().copied().collect(),
        };
        let mut diverged = step();
        if let EventKind::Step { step, loss, .. } = &mut diverged {
            (*step, *loss) = (9, f64::NAN);
        }
        let told = lines(vec![
            evaluation(1, "dev", &[("right_share", 60.0), ("effective_symbols", 30.0)]),
            evaluation(2, "dev", &[("right_share", 99.0), ("effective_symbols", 30.0)]),
            evaluation(2, "test", &[("right_share", 99.0)]),
            evaluation(3, "dev", &[("right_share", 98.0), ("effective_symbols", 2.0)]),
            evaluation(4, "dev", &[("right_share", 50.0), ("effective_symbols", 2.0)]),
            evaluation(5, "dev", &[("right_share", 97.0), ("effective_symbols", 2.0)]),
            diverged,
        ]);
        let alarms: Vec<_> = told.iter().filter(|line| line.starts_with("warning: ")).collect();
        assert_eq!(
            alarms,
            [
                "warning: lock-in since step 2: 99 % of the spans are those of right-branching trees",
                "warning: collapse since step 3: 2.0 symbols are in effective use, of 64",
                // It had been over.
                "warning: lock-in since step 5: 97 % of the spans are those of right-branching trees",
                "warning: divergence since step 9: the loss is no number",
            ]
        );
    }
}
