//! Rerankers that runs train, and a new run on the lists that are shown.

use super::Rerank;
use super::load::Source;
use crate::config::{Config, Kernel, Kind, Sources};
use crate::rerank::Judged;
use crate::run::ssn_file;
use crate::workbench::popup::{Item, Popup};
use crate::workbench::screen::{Context, Effect};
use crate::workbench::shared::{RunEntry, Shared};
use std::path::{Path, PathBuf};

/// What is offered to train: a kernel, whether it is derived from a history-based parser, and what
/// that is.
const KERNELS: [(Kernel, bool, &str); 7] = [
    (Kernel::TopEfficient, false, "sparse, by a grammar of the gold trees"),
    (Kernel::Top, false, "the same with normalisers: slow"),
    (Kernel::Fisher, false, "gradient of log P by a grammar of the gold trees"),
    (Kernel::Tree, false, "common fragments of the trees"),
    (Kernel::TopEfficient, true, "sparse, by a history-based parser"),
    (Kernel::Top, true, "the same with normalisers: slow"),
    (Kernel::Fisher, true, "gradient of log P by a history-based parser: slow"),
];

/// A training as far as it was asked for.
#[derive(Clone, Debug, Default)]
pub struct Plan {
    kernel: Kernel,
    /// The history-based parser; empty: none.
    ssn: String,
    dev: String,
}

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
        if let Some(why) = Judged::no_lesson(&loaded.lists) {
            let gold = loaded.lists.iter().any(|list| list.list.gold.is_some());
            return context.warn(if gold {
                why
            } else {
                "no gold tree, nothing to learn: <rerank.gold> attaches"
            });
        }
        let item = |(kernel, by_parser, about): &(Kernel, bool, &str)| Item {
            name: if *by_parser { format!("{}, ssn", kernel.name()) } else { kernel.name().into() },
            description: (*about).to_owned(),
        };
        context.push(Effect::Popup(Popup::List {
            id: "kernel",
            title: "Train a reranker on these lists: kernel".into(),
            items: KERNELS.iter().map(item).collect(),
            start: 0,
            free: false,
        }));
    }

    pub(super) fn choose_kernel(&mut self, item: usize, context: &mut Context) {
        let Some((kernel, by_parser, _)) = KERNELS.get(item) else { return };
        self.plan = Plan { kernel: *kernel, ..Plan::default() };
        if !by_parser {
            return self.ask_for_dev(context);
        }
        // The newest one is most likely meant.
        let is_parser = |run: &&RunEntry| {
            run.config.as_ref().is_some_and(|config| config.kind == Kind::Ssn) && !run.gone
        };
        let run = context.shared.runs.iter().find(is_parser);
        let initial = run.map(|run| run.path.display().to_string()).unwrap_or_default();
        context.push(Effect::Popup(Popup::Prompt {
            id: "ssn",
            title: format!("Train a reranker: {}", kernel.name()),
            text:
                "History-based parser that the kernel is derived from: its file, or the run folder \
                   of `ssn train`"
                    .into(),
            initial,
        }));
    }

    pub(super) fn choose_parser(&mut self, text: &str, context: &mut Context) {
        let path = absolute(Path::new(text.trim()));
        match ssn_file(&path) {
            _ if text.trim().is_empty() => context.warn("no parser was named: nothing is trained"),
            Err(error) => context.error(error.to_string()),
            Ok(_) => {
                self.plan.ssn = path.display().to_string();
                self.ask_for_dev(context);
            }
        }
    }

    fn ask_for_dev(&mut self, context: &mut Context) {
        context.push(Effect::Popup(Popup::Prompt {
            id: "dev",
            title: format!("Train a reranker: {}", self.plan.kernel.name()),
            text: "Candidate lists of development sentences, which choose scale and epoch. Empty: \
                   none, and the scale is 1"
                .into(),
            initial: String::new(),
        }));
    }

    /// Takes in the development lists; where the others had to get their gold trees, these may too.
    pub(super) fn choose_dev(&mut self, text: &str, context: &mut Context) {
        self.plan.dev = text.trim().to_owned();
        if self.gold.is_none() || self.plan.dev.is_empty() {
            return self.train("", context);
        }
        context.push(Effect::Popup(Popup::Prompt {
            id: "dev-gold",
            title: format!("Train a reranker: {}", self.plan.kernel.name()),
            text: "Treebank with the gold trees of the development lists. Empty: they have them"
                .into(),
            initial: String::new(),
        }));
    }

    /// Starts a run.
    pub(super) fn train(&self, dev_gold: &str, context: &mut Context) {
        let lists = self.source.as_ref().and_then(|source| file_of(source, context.shared));
        let Some(lists) = lists else {
            let why = "the sample is no file here: <rerank.export> writes its lists, <rerank.open> opens them";
            return context.warn(why);
        };
        let Plan { kernel, ssn, dev } = &self.plan;
        let settings = ["kind=rerank".to_owned(), format!("rerank.kernel={}", kernel.name())];
        match Config::from_toml("the defaults", "", &settings) {
            Ok(mut config) => {
                let named = |text: &str| match text.trim() {
                    "" => String::new(),
                    path => absolute(Path::new(path)).display().to_string(),
                };
                config.data.train = sources(&lists);
                if !dev.is_empty() {
                    config.data.dev = sources(Path::new(dev));
                }
                config.rerank.ssn.clone_from(ssn);
                config.rerank.dev_gold = named(dev_gold);
                let gold = self.gold.as_ref().map(|path| path.display().to_string());
                config.rerank.gold = named(&gold.unwrap_or_default());
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
