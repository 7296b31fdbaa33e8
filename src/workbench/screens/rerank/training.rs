//! A reranker trained on the lists that are shown, in the background.

use super::Rerank;
use crate::config::{Config, Kernel};
use crate::rerank::{
    Base, Judged, Lessons, Position, RerankerFile, Trained, TrainingFacts, folds, train,
};
use crate::workbench::popup::{Item, Popup};
use crate::workbench::screen::{Context, Effect};
use crate::workbench::task::{Task, TaskHandle};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

/// Kernels with what they are; those of the history-based parser need its file, and so a command.
const KERNELS: [(Kernel, &str); 4] = [
    (
        Kernel::TopEfficient,
        "sparse: decisions of the candidates alone; of a grammar of the gold trees",
    ),
    (Kernel::Top, "the same with normalisers: dense and slow"),
    (Kernel::Fisher, "the gradient of log P, of a grammar of the gold trees"),
    (Kernel::Tree, "common fragments of the trees"),
];

/// Where a new reranker was written.
pub struct Written(pub PathBuf);

impl Rerank {
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

    pub(super) fn train(&self, dev: &str, context: &mut Context) {
        let Some(loaded) = &self.loaded else { return };
        let dev = Some(dev.trim()).filter(|text| !text.is_empty()).map(PathBuf::from);
        let work = Training {
            kernel: self.kernel,
            lists: loaded.lists.clone(),
            name: loaded.source.path_or_name(),
            dev,
            folder: context.shared.runs_folder.with_file_name("exports"),
            stem: loaded.source.stem(),
        };
        let title = format!("training on {}", loaded.source.name());
        context.spawn(Task::new("train", title, move |handle| work.run(handle).map(Written)));
    }
}

struct Training {
    kernel: Kernel,
    lists: Arc<Vec<Judged>>,
    /// What the lists are called in the reranker's file.
    name: String,
    dev: Option<PathBuf>,
    folder: PathBuf,
    /// Of the new file's name.
    stem: String,
}

impl Training {
    fn run(self, handle: &TaskHandle) -> Result<PathBuf, String> {
        let start = Instant::now();
        let kernel = format!("rerank.kernel={}", self.kernel.name());
        let config = Config::from_toml("the defaults", "", &["kind=bag".into(), kernel]);
        let config = config.map_err(|e| e.to_string())?;
        let settings = &config.rerank;
        let lists = first(&self.lists, settings.candidates);
        let dev = match &self.dev {
            Some(path) => {
                let source = super::load::Source::File(path.clone());
                let loaded = super::load::read(source, handle)?;
                first(&loaded.lists, settings.candidates)
            }
            None => Vec::new(),
        };
        let base = match settings.kernel {
            Kernel::Tree => None,
            _ => Some(
                Base::induced(&config.parser, &lists, &folds(&lists, settings.folds))
                    .map_err(|e| e.to_string())?,
            ),
        };
        let epochs = settings.epochs as u64;
        let mut go_on = |Position { epoch, done, of }: Position| {
            handle.progress((epoch as u64 - 1) * of as u64 + done as u64, epochs * of as u64);
            !handle.cancelled()
        };
        let lessons = Lessons { train: &lists, dev: &dev };
        let trained = train(settings, base, lessons, &mut go_on).map_err(|e| e.to_string())?;
        let Trained { reranker, chosen, lessons, .. } = trained;
        let training = TrainingFacts {
            train: self.name,
            dev: self.dev.map(|path| path.display().to_string()),
            lists: lessons,
            epoch: chosen.epoch,
            steps: chosen.steps,
            updates: chosen.updates,
            dev_f1: chosen.dev_f1,
            seconds: start.elapsed().as_secs_f64(),
        };
        let failed = |e: std::io::Error| format!("{}: {e}", self.folder.display());
        std::fs::create_dir_all(&self.folder).map_err(failed)?;
        let path = free(&self.folder, &format!("{}-{}", self.stem, self.kernel.name()));
        let file = RerankerFile { config, reranker, training };
        file.save(&path).map_err(|e| e.to_string())?;
        Ok(path)
    }
}

/// The best candidates of every list.
fn first(lists: &[Judged], most: usize) -> Vec<Judged> {
    lists.iter().map(|list| list.first(most)).collect()
}

/// A name that no file has.
fn free(folder: &Path, stem: &str) -> PathBuf {
    let name = |n: usize| match n {
        1 => format!("{stem}.safetensors"),
        n => format!("{stem}-{n}.safetensors"),
    };
    let mut paths = (1..).map(|n| folder.join(name(n)));
    paths.find(|path| !path.exists()).expect("numbers do not end")
}
