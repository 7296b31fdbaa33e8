//! What goes wrong in the selected run, and the way to its evidence.

use super::Train;
use crate::analysis::alarms::{Alarm, Evidence, Trouble};
use crate::report::Level;
use crate::workbench::names::{RunId, ScreenId};
use crate::workbench::screen::{Context, Effect, Target};
use crate::workbench::shared::{RunEntry, Standing};
use crate::workbench::text;
use crate::workbench::theme::Theme;
use ratatui::text::{Line, Span};

/// A run whose newest word is not older, in seconds, tells its alarms as they come; those of others
/// are in the log alone.
const RECENT: f64 = 10.0;

/// Alarms of the selected run.
#[derive(Default)]
pub(super) struct Troubles {
    alarms: Vec<Alarm>,
    /// Those that were told in the status line or the log.
    told: Vec<(RunId, Trouble, u64)>,
    /// The alarm whose evidence was shown last.
    shown: Option<(RunId, Trouble, u64)>,
}

impl Troubles {
    /// Looks again, and tells what is new.
    pub fn look(&mut self, context: &mut Context) {
        let shared = context.shared;
        let run = shared.selected_run();
        self.alarms = run.map(RunEntry::alarms).unwrap_or_default();
        let Some(run) = run else { return };
        let under_way = run.active() && shared.now - run.history.time < RECENT;
        for alarm in &self.alarms {
            let about = (run.id, alarm.trouble, alarm.since);
            if !self.told.contains(&about) {
                self.told.push(about);
                let text = format!("{}: {} (Train: ! shows it)", run.name, alarm.line());
                match under_way {
                    true => context.warn(text),
                    false => context.push(Effect::Log(Level::Warning, text)),
                }
            }
        }
    }

    /// The column's part: every alarm with its figures.
    pub fn rows<'a>(&self, width: usize, theme: &Theme) -> Vec<Line<'a>> {
        let mut lines = Vec::new();
        for (i, alarm) in self.alarms.iter().enumerate() {
            let (name, of) = (alarm.trouble.name(), self.of(i));
            let head = format!("! {name} since step {}{of}", alarm.since);
            lines.push(Line::styled(head, theme.error));
            let words = text::wrap(&alarm.text, width.saturating_sub(2));
            lines.extend(words.into_iter().map(|w| Line::styled(format!("  {w}"), theme.text)));
        }
        match self.alarms.len() {
            0 => {}
            1 => lines.push(Line::styled("  ! shows the evidence", theme.dim)),
            _ => lines.push(Line::styled("  ! shows the evidence one by one", theme.dim)),
        }
        lines
    }

    /// The alarm that was shown last, or the worst, in a line; `None` where all is well.
    pub fn line<'a>(&self, width: usize, theme: &Theme) -> Option<Line<'a>> {
        let i = self.last_shown().unwrap_or(0);
        let alarm = self.alarms.get(i)?;
        let head = format!("! {}{}: ", alarm.trouble.name(), self.of(i));
        let room = width.saturating_sub(head.len());
        Some(Line::from(vec![
            Span::styled(head, theme.error),
            Span::styled(text::fit(&alarm.text, room).into_owned(), theme.text),
        ]))
    }

    /// Which of several it is, in words.
    fn of(&self, i: usize) -> String {
        match self.alarms.len() {
            1 => String::new(),
            all => format!(" ({} of {all})", i + 1),
        }
    }

    /// The number of the alarm that was shown last, while it holds.
    fn last_shown(&self) -> Option<usize> {
        let (_, trouble, since) = self.shown?;
        self.alarms.iter().position(|alarm| (alarm.trouble, alarm.since) == (trouble, since))
    }
}

impl Train {
    /// Goes to the evidence of an alarm, each time to that of the next.
    pub(super) fn evidence(&mut self, context: &mut Context) {
        let Some(run) = context.shared.selected_run() else {
            return context.status("no run is selected: <train.new> starts one, <.runs> lists all");
        };
        let troubles = &mut self.troubles;
        // What was shown of another run is no beginning.
        troubles.shown = troubles.shown.filter(|(id, ..)| *id == run.id);
        let next = troubles.last_shown().map_or(0, |i| i + 1);
        let next = if next < troubles.alarms.len() { next } else { 0 };
        let Some(alarm) = troubles.alarms.get(next).cloned() else {
            return self.failure(run, context);
        };
        troubles.shown = Some((run.id, alarm.trouble, alarm.since));
        let of = troubles.of(next);
        match alarm.evidence {
            Evidence::Loss | Evidence::Figure(_) => {
                self.table = false;
                self.charts.show(alarm.since, context.shared);
            }
            Evidence::Trees => {
                let target = Target::Evaluation(alarm.since);
                context.push(Effect::Open(ScreenId::Parses, target));
            }
            Evidence::Symbols => context.push(Effect::Show(ScreenId::Grammar)),
        }
        context.status(format!("{}{of}", alarm.line()));
    }

    /// Why a run without alarms failed, and its last curves.
    fn failure(&mut self, run: &RunEntry, context: &mut Context) {
        let failed = run.standing() == Standing::Failed;
        let Some(reason) = run.history.reason.as_ref().filter(|_| failed) else {
            return context.status("no alarm: nothing is seen to go wrong in this run");
        };
        self.table = false;
        self.charts.show(run.step(), context.shared);
        context.status(format!("failed: {}", text::clean(reason)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::{EventKind, RunState};
    use crate::workbench::screen::Input;
    use crate::workbench::shared::Shared;
    use crate::workbench::testing::{event, learning, picture, run, shared_with_run, step, update};

    /// A run whose every evaluation has these figures too, from a step on.
    fn with_figures(figures: &[(&str, f64)], from: u64) -> Shared {
        let mut shared = shared_with_run(0);
        let mut events = learning(60);
        for event in &mut events {
            if let EventKind::Evaluation { step, metrics, .. } = &mut event.kind
                && *step >= from
            {
                figures.iter().for_each(|(name, value)| metrics.set(*name, *value));
            }
        }
        shared.runs = vec![run(1, "2026-11-29-rank-pcfg", &events)];
        shared.now = shared.runs[0].history.time + 1.0;
        shared
    }

    fn status(effects: &[Effect]) -> Option<(Level, &str)> {
        effects.iter().find_map(|effect| match effect {
            Effect::Status(level, text) => Some((*level, text.as_str())),
            _ => None,
        })
    }

    #[test]
    fn a_run_without_trouble_has_no_alarm() {
        let shared = with_figures(&[("right_share", 60.0), ("effective_symbols", 20.0)], 10);
        let mut train = Train::default();
        assert!(update(&mut train, Input::Selection, &shared).is_empty());
        assert!(!picture(&train, &shared, 200, 57).contains("since step"));
        let effects = update(&mut train, Input::Command("alarms"), &shared);
        assert!(status(&effects).is_some_and(|(_, text)| text.starts_with("no alarm")));
    }

    #[test]
    fn lock_in_is_told_once_shown_and_leads_to_the_trees_of_that_evaluation() {
        let shared = with_figures(&[("right_share", 98.0)], 30);
        let mut train = Train::default();
        let effects = update(&mut train, Input::Selection, &shared);
        let (level, text) = status(&effects).expect("told");
        assert_eq!(level, Level::Warning);
        assert!(text.contains("lock-in since step 30: 98 % of the spans"), "{text}");
        assert!(update(&mut train, Input::Run(RunId(1)), &shared).is_empty(), "told before");
        insta::assert_snapshot!("alarm_80", picture(&train, &shared, 80, 21));
        insta::assert_snapshot!("alarm_200", picture(&train, &shared, 200, 57));
        let effects = update(&mut train, Input::Command("alarms"), &shared);
        let opens = |effect: &Effect| {
            matches!(effect, Effect::Open(ScreenId::Parses, Target::Evaluation(30)))
        };
        assert!(effects.iter().any(opens), "{effects:?}");
        // The curve of it is among those of trees and symbols.
        update(&mut train, Input::Command("figures"), &shared);
        update(&mut train, Input::Command("figures"), &shared);
        assert!(picture(&train, &shared, 80, 21).contains("right-branching spans (%) 98.00"));
    }

    #[test]
    fn of_several_alarms_each_press_leads_to_the_next_and_all_are_in_the_log() {
        let mut shared = with_figures(&[("right_share", 98.0), ("effective_symbols", 1.5)], 20);
        shared.runs[0].history.push(&event(500, step(61, f64::NAN)));
        shared.now += 3600.0;
        let mut train = Train::default();
        let effects = update(&mut train, Input::Selection, &shared);
        let logged = |effect: &&Effect| matches!(effect, Effect::Log(Level::Warning, _));
        assert_eq!(effects.iter().filter(logged).count(), 3, "{effects:?}");
        assert!(update(&mut train, Input::Run(RunId(1)), &shared).is_empty(), "told before");
        assert!(picture(&train, &shared, 80, 21).contains("! divergence (1 of 3): "));

        let press = |train: &mut Train| {
            let effects = update(train, Input::Command("alarms"), &shared);
            let (_, text) = status(&effects).expect("told");
            (text.to_owned(), effects)
        };
        let (text, _) = press(&mut train);
        assert!(
            text.starts_with("divergence since step 61") && text.ends_with("(1 of 3)"),
            "{text}"
        );
        let (text, effects) = press(&mut train);
        assert!(text.ends_with("(2 of 3)"), "{text}");
        assert!(matches!(effects[0], Effect::Open(ScreenId::Parses, _)), "{effects:?}");
        assert!(picture(&train, &shared, 80, 21).contains("! lock-in (2 of 3): "));
        let (text, effects) = press(&mut train);
        assert!(text.ends_with("(3 of 3)"), "{text}");
        assert!(matches!(effects[0], Effect::Show(ScreenId::Grammar)), "{effects:?}");
        let wide = picture(&train, &shared, 200, 57);
        assert!(wide.contains("! collapse since step 20 (3 of 3)"), "{wide}");
        assert!(press(&mut train).0.ends_with("(1 of 3)"));
    }

    #[test]
    fn a_run_that_failed_without_an_alarm_says_why_and_shows_its_last_losses() {
        let mut shared = with_figures(&[], 0);
        let failed = EventKind::State {
            state: RunState::Failed,
            step: 60,
            resumed: false,
            reason: Some("diverged at step 60".into()),
        };
        shared.runs[0].history.push(&event(500, failed));
        let mut train = Train { table: true, ..Train::default() };
        update(&mut train, Input::Selection, &shared);
        let effects = update(&mut train, Input::Command("alarms"), &shared);
        let (_, text) = status(&effects).expect("told");
        assert_eq!(text, "failed: diverged at step 60");
        assert_eq!((train.table, train.charts.cursor), (false, Some(60.0)));
    }

    #[test]
    fn divergence_leads_to_the_curves_at_the_step_where_it_began() {
        let mut shared = with_figures(&[], 0);
        for i in 61..=63 {
            shared.runs[0].history.push(&event(500 + i, step(i, f64::NAN)));
        }
        shared.now = shared.runs[0].history.time;
        let mut train = Train { table: true, ..Train::default() };
        let effects = update(&mut train, Input::Run(RunId(1)), &shared);
        assert!(
            status(&effects).is_some_and(|(_, text)| text.contains("divergence since step 61"))
        );
        update(&mut train, Input::Command("alarms"), &shared);
        assert_eq!((train.table, train.charts.cursor), (false, Some(61.0)));
        let (from, to) = train.charts.window(&shared);
        assert!(from > 40.0 && (61.0..=63.0).contains(&to), "{from} {to}");
        // A run that is read from its folder long after has the alarm and is not told as news.
        shared.now += 3600.0;
        let mut later = Train::default();
        assert_eq!(status(&update(&mut later, Input::Selection, &shared)), None);
        assert!(picture(&later, &shared, 80, 21).contains("! divergence"));
    }
}
