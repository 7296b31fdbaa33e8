//! Rerankers that runs train, and a new run on the lists that are shown.

use super::Rerank;
use super::load::Source;
use crate::config::{Config, Kernel, Sources};
use crate::rerank::Judged;
use crate::workbench::popup::{Item, Popup};
use crate::workbench::screen::{Context, Effect};
use crate::workbench::shared::{RunEntry, Shared};
use std::path::{Path, PathBuf};

/// Kernels with what they are; those of the history-based parser need its file, and so a command.
const KERNELS: [(Kernel, &str); 4] = [
    (Kernel::TopEfficient, "sparse: the candidates' own decisions, of a grammar of the gold trees"),
    (Kernel::Top, "the same with normalisers: slow"),
    (Kernel::Fisher, "the gradient of log P, of a grammar of the gold trees"),
    (Kernel::Tree, "common fragments of the trees"),
];

impl Rerank {
    /// Looks at the reranker of the selected run, once it has one.
    pub(super) fn follow(&mut self, context: &mut Context) {
        let run = context.shared.selected_run().filter(|run| run.is_reranker() && !run.gone);
        let Some(run) = run.filter(|_| self.seen) else {
            self.followed = None;
            return;
        };
        if !run.followed {
            context.push(Effect::Follow(run.id));
        }
        if self.followed == Some(run.id) || !run.history.checkpoints.contains_key("best") {
            return;
        }
        self.followed = Some(run.id);
        self.open_reranker(run.path.join("checkpoints/best.safetensors"), context);
    }

    pub(super) fn ask_for_kernel(&self, context: &mut Context) {
        let Some(loaded) = &self.loaded else {
            return context.warn("there are no lists to learn from yet");
        };
        if !loaded.lists.iter().any(Judged::is_lesson) {
            let why = "no sentence has a gold tree and two candidates: nothing can be learned";
            return context.warn(why);
        }
        let item = |(kernel, about): &(Kernel, &str)| Item {
            name: kernel.name().to_owned(),
            description: (*about).to_owned(),
        };
        context.push(Effect::Popup(Popup::List {
            id: "kernel",
            title: "Train a reranker on these lists: kernel".into(),
            items: KERNELS.iter().map(item).collect(),
            start: 0,
        }));
    }

    pub(super) fn ask_for_dev(&mut self, item: usize, context: &mut Context) {
        let Some((kernel, _)) = KERNELS.get(item) else { return };
        self.kernel = *kernel;
        context.push(Effect::Popup(Popup::Prompt {
            id: "dev",
            title: format!("Train a reranker: {}", kernel.name()),
            text: "Candidate lists of development sentences, which choose scale and epoch. Empty: \
                   none, and the scale is 1"
                .into(),
            initial: String::new(),
        }));
    }

    /// Starts a run.
    pub(super) fn train(&self, dev: &str, context: &mut Context) {
        let lists = self.source.as_ref().and_then(|source| file_of(source, context.shared));
        let Some(lists) = lists else {
            let why = "the sample is no file here: w writes its lists, and o opens what is written";
            return context.warn(why);
        };
        let dev = Some(dev.trim()).filter(|text| !text.is_empty()).map(Path::new);
        let settings = ["kind=rerank".to_owned(), format!("rerank.kernel={}", self.kernel.name())];
        match Config::from_toml("the defaults", "", &settings) {
            Ok(mut config) => {
                config.data.train = sources(&lists);
                config.data.dev = dev.map(sources).unwrap_or_default();
                context.push(Effect::Start(Box::new(config)));
            }
            Err(error) => context.error(error.to_string()),
        }
    }

    /// Whether the reranker was trained on the lists that are shown.
    pub(super) fn knows_the_lists(&self, shared: &Shared) -> bool {
        let lists = self.source.as_ref().and_then(|source| file_of(source, shared));
        let (Some(lists), Some(tool)) = (lists, &self.tool) else { return false };
        let lists = absolute(&lists);
        tool.train.split(", ").any(|name| absolute(Path::new(name)) == lists)
    }
}

/// How far the training of the selected run is, percent; `None` where it is no reranker, or done.
pub fn share_done(run: Option<&RunEntry>) -> Option<u64> {
    let run = run.filter(|run| run.is_reranker() && run.active())?;
    let epochs = run.config.as_ref().map_or(1, |config| config.rerank.epochs as u64);
    let (epoch, done, of) = run.history.progress.unwrap_or((1, 0, 1));
    Some(100 * ((epoch - 1) * of + done) / (epochs * of).max(1))
}

/// The file that lists are read from; the sample lies in the user's data directory.
fn file_of(source: &Source, shared: &Shared) -> Option<PathBuf> {
    match source {
        Source::File(path) => Some(path.clone()),
        Source::Sample => {
            let path = shared.samples.as_ref()?.with_file_name("reranking").join("test.jsonl.gz");
            path.is_file().then_some(path)
        }
    }
}

/// A file as settings name it.
fn sources(path: &Path) -> Sources {
    Sources(vec![absolute(path).display().to_string()])
}

fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}
