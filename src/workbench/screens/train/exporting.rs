//! All series and the charts of the runs in view, to files.

use super::Train;
use crate::workbench::curves::{self, Format, Look};
use crate::workbench::export::save_text;
use crate::workbench::figures::{Figure, Kind};
use crate::workbench::news::TaskReport;
use crate::workbench::popup::{Item, Popup};
use crate::workbench::screen::{Context, Effect};
use crate::workbench::shared::{RunEntry, Shared};
use crate::workbench::task::Task;
use std::path::PathBuf;

/// Id of the question for a format; its answer is an index into [`Format::ALL`].
pub const POPUP: &str = "curves";

/// Kind of the task that writes.
pub const TASK: &str = "curves";

/// Asks for a format.
pub(super) fn ask(context: &mut Context) {
    let runs: Vec<&RunEntry> = context.shared.drawn_runs().collect();
    if runs.iter().all(|run| run.history.clock.is_empty()) {
        return context.warn("there is nothing to write yet: no step and no evaluation");
    }
    let items = Format::ALL
        .into_iter()
        .map(Format::about)
        .map(|(name, _, description)| Item { name: name.into(), description: description.into() });
    let title = match runs.len() {
        1 => "Export the curves as".to_owned(),
        n => format!("Export the curves of {n} runs as"),
    };
    context.push(Effect::Popup(Popup::List {
        id: POPUP,
        title,
        items: items.collect(),
        start: 0,
        free: false,
    }));
}

impl Train {
    /// Writes in the format that was chosen, into `exports` of the selected run.
    pub(super) fn export(&self, item: usize, context: &mut Context) {
        let (Some(format), Some(selected)) =
            (Format::ALL.get(item).copied(), context.shared.selected_run())
        else {
            return;
        };
        let folder = selected.path.join("exports");
        let paths: Vec<PathBuf> = context.shared.drawn_runs().map(|r| r.path.clone()).collect();
        let steps = text_of_steps(selected);
        let (name, ending, _) = format.about();
        let look = self.look(context.shared);
        context.spawn(Task::new(TASK, format!("writing the curves as {name}"), move |handle| {
            let total = paths.len() as u64;
            let mut runs = Vec::new();
            // From the folders, as the command does: nothing is copied on the drawing thread.
            for (i, path) in paths.iter().enumerate() {
                handle.progress(i as u64, total);
                runs.push(curves::read(path, &|| !handle.cancelled())?);
            }
            let bytes = format.bytes(&runs, &look)?;
            save_text(&folder, &format!("curves-{steps}"), ending, &bytes)
        }));
    }

    /// How the charts are drawn: as they are in view.
    fn look(&self, shared: &Shared) -> Look {
        let charts = &self.charts;
        let kind = Kind::of(shared.selected_run());
        let figures = charts.page.figures(kind).iter().map(|figure| match figure {
            Figure::Loss => charts.loss(shared),
            other => *other,
        });
        Look {
            figures: Some(figures.collect()),
            axis: charts.axis,
            log_x: charts.log_x(),
            log_y: charts.log_y,
            smoothing: charts.smoothing(),
            window: Some(charts.window(shared)),
        }
    }
}

fn text_of_steps(run: &RunEntry) -> String {
    format!("step-{}", run.step())
}

/// Says where the file is.
pub(super) fn written(report: &mut TaskReport, context: &mut Context) {
    if let Some(path) = report.take::<PathBuf>() {
        context.status(format!("written to {}", path.display()));
    } else if let Some(reason) = report.error() {
        context.error(format!("not written: {reason}"));
    }
}
