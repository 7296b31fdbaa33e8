//! What goes wrong in the selected run, and the way to its evidence.

use super::Train;
use crate::analysis::alarms::{Alarm, Evidence, Trouble};
use crate::workbench::names::{RunId, ScreenId};
use crate::workbench::popup::{Item, Popup};
use crate::workbench::screen::{Context, Effect, Target};
use crate::workbench::shared::RunEntry;
use crate::workbench::text;
use crate::workbench::theme::Theme;
use ratatui::text::{Line, Span};

/// The popup that asks which alarm.
pub(super) const POPUP: &str = "alarm";

/// A run whose newest word is not older, in seconds, tells its alarms as they come.
const RECENT: f64 = 10.0;

/// Alarms of the selected run.
#[derive(Default)]
pub(super) struct Troubles {
    alarms: Vec<Alarm>,
    /// Those that were told in the status line.
    told: Vec<(RunId, Trouble, u64)>,
}

impl Troubles {
    /// Looks again, and tells what is new of a run that is under way.
    pub fn look(&mut self, context: &mut Context) {
        let shared = context.shared;
        let run = shared.selected_run();
        self.alarms = run.map(RunEntry::alarms).unwrap_or_default();
        let under_way = |run: &&RunEntry| run.active() && shared.now - run.history.time < RECENT;
        let Some(run) = run.filter(under_way) else { return };
        for alarm in &self.alarms {
            let about = (run.id, alarm.trouble, alarm.since);
            if !self.told.contains(&about) {
                self.told.push(about);
                context.warn(format!("{}: {} (Train: ! shows it)", run.name, alarm.line()));
            }
        }
    }

    /// The column's part: every alarm with its figures.
    pub fn rows<'a>(&self, width: usize, theme: &Theme) -> Vec<Line<'a>> {
        let mut lines = Vec::new();
        for alarm in &self.alarms {
            let head = format!("! {} since step {}", alarm.trouble.name(), alarm.since);
            lines.push(Line::styled(head, theme.error));
            let words = text::wrap(&alarm.text, width.saturating_sub(2));
            lines.extend(words.into_iter().map(|w| Line::styled(format!("  {w}"), theme.text)));
        }
        if !lines.is_empty() {
            lines.push(Line::styled("  ! shows the evidence", theme.dim));
        }
        lines
    }

    /// The worst alarm in a line; `None` where all is well.
    pub fn line<'a>(&self, width: usize, theme: &Theme) -> Option<Line<'a>> {
        let worst = self.alarms.first()?;
        let more = match self.alarms.len() {
            1 => String::new(),
            n => format!(" and {} more", n - 1),
        };
        let head = format!("! {}{more}: ", worst.trouble.name());
        let room = width.saturating_sub(head.len());
        Some(Line::from(vec![
            Span::styled(head, theme.error),
            Span::styled(text::fit(&worst.text, room).into_owned(), theme.text),
        ]))
    }
}

impl Train {
    /// Goes to the evidence of the only alarm, or asks of which.
    pub(super) fn evidence(&mut self, context: &mut Context) {
        match &self.troubles.alarms[..] {
            [] => context.status("no alarm: nothing is seen to go wrong in this run"),
            [_] => self.show_evidence(0, context),
            several => {
                let item = |alarm: &Alarm| Item {
                    name: format!("{} since step {}", alarm.trouble.name(), alarm.since),
                    description: format!("{}: {}", alarm.text, place(alarm.evidence)),
                };
                context.push(Effect::Popup(Popup::List {
                    id: POPUP,
                    title: "Show the evidence of".into(),
                    items: several.iter().map(item).collect(),
                    start: 0,
                }));
            }
        }
    }

    pub(super) fn show_evidence(&mut self, i: usize, context: &mut Context) {
        // The run may have recovered while the question stood there.
        let Some(alarm) = self.troubles.alarms.get(i).cloned() else { return };
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
        context.status(alarm.line());
    }
}

/// Where the evidence is shown, in words.
fn place(evidence: Evidence) -> &'static str {
    match evidence {
        Evidence::Loss | Evidence::Figure(_) => "the curves there",
        Evidence::Trees => "the trees of that evaluation, on Parses",
        Evidence::Symbols => "the symbols, on Grammar",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::{EventKind, Level};
    use crate::workbench::popup::Answer;
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
    fn of_several_alarms_one_is_chosen_and_collapse_leads_to_the_grammar() {
        let shared = with_figures(&[("right_share", 98.0), ("effective_symbols", 1.5)], 20);
        let mut train = Train::default();
        update(&mut train, Input::Selection, &shared);
        let effects = update(&mut train, Input::Command("alarms"), &shared);
        let [Effect::Popup(Popup::List { id, items, .. })] = &effects[..] else {
            panic!("{effects:?}")
        };
        assert!(items[1].name.starts_with("collapse") && items.len() == 2, "{items:?}");
        let input = Input::Answer { popup: id, answer: &Answer::Item(1) };
        let effects = update(&mut train, input, &shared);
        assert!(matches!(effects[0], Effect::Show(ScreenId::Grammar)), "{effects:?}");
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
        assert!(update(&mut later, Input::Selection, &shared).is_empty());
        assert!(picture(&later, &shared, 80, 21).contains("! divergence"));
    }
}
