//! Training of a reranker as a job's work: `data.train` and `data.dev` are candidate lists.

use super::ssn::ssn_file;
use super::work::{Desk, Work};
use super::{Held, RunError};
use crate::config::{Config, Kernel, Rerank, Sources};
use crate::parser::ssn::{Ssn, SsnFile};
use crate::report::{EventKind, Level, Metrics, Reporter, counted};
use crate::rerank::{
    Base, Epoch, Judged, Lessons, ListStatistics, Position, RerankError, RerankerFile, Trained,
    TrainingFacts, folds, train,
};
use crate::training::Best;
use crate::treebank::candidates::{Attached, CandidateFile, CandidateList, Lists, ReadOptions};
use crossbeam_channel::{Receiver, Sender, bounded};
use std::path::Path;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Instant;

/// Remarks about a file that are told one by one; the others are counted.
const TOLD: usize = 20;

/// A training on a thread of its own, which waits for the job between two pieces: a reranker learns
/// in one go, so that a run that was stopped begins again, and comes to the same.
pub(super) struct RerankWork {
    config: Config,
    thread: Option<JoinHandle<Result<Trained, RerankError>>>,
    positions: Receiver<Position>,
    go_on: Sender<()>,
    begun: Instant,
    /// Lists done, over all epochs.
    step: u64,
    planned: u64,
    best: Option<Best>,
}

/// Whether lists are where a config says, and the kernel can be had; for a run that is to begin.
pub(super) fn check(config: &Config) -> Result<(), RunError> {
    if config.data.train.0.is_empty() {
        let text = "a reranker needs candidate lists to learn from: data.train names none";
        return Err(RunError::Unsuitable(text.into()));
    }
    for name in config.data.train.0.iter().chain(&config.data.dev.0) {
        std::fs::metadata(name).map_err(RunError::io(name.as_ref()))?;
        if !Lists::are_in(Path::new(name)) {
            return Err(RunError::Unsuitable(format!("{name} holds no candidate lists")));
        }
    }
    let Rerank { ssn, gold, dev_gold, .. } = &config.rerank;
    let at_fault = |key: &str, error: RunError| RunError::Unsuitable(format!("{key}: {error}"));
    for (key, file) in [("rerank.gold", gold), ("rerank.dev_gold", dev_gold)] {
        if !file.is_empty() {
            let path = Path::new(file);
            std::fs::metadata(path).map_err(|e| at_fault(key, RunError::io(path)(e)))?;
        }
    }
    if !ssn.is_empty() {
        ssn_file(Path::new(ssn)).map_err(|e| at_fault("rerank.ssn", e))?;
    }
    Ok(())
}

/// The parser that the kernel is derived from, where the settings name one; they then say how it
/// was made as well, for the reranker's file is read by that.
fn parser(config: &mut Config) -> Result<Option<Arc<Ssn>>, RunError> {
    if config.rerank.ssn.is_empty() {
        return Ok(None);
    }
    let SsnFile { ssn, config: own, .. } = SsnFile::load(&ssn_file(config.rerank.ssn.as_ref())?)?;
    config.ssn = own.ssn;
    Ok(Some(Arc::new(ssn)))
}

impl RerankWork {
    /// Reads the lists and begins.
    pub fn start(config: &Config, reporter: &mut dyn Reporter) -> Result<RerankWork, RunError> {
        check(config)?;
        let mut config = config.clone();
        let ssn = parser(&mut config)?;
        if ssn.is_some() {
            let text = format!("the kernel is derived from {}", config.rerank.ssn);
            reporter.message(Level::Info, text);
        }
        let Rerank { candidates: most, gold, dev_gold, .. } = &config.rerank;
        let lists = read("train", &config.data.train, gold, *most, reporter)?;
        let dev = read("dev", &config.data.dev, dev_gold, *most, reporter)?;
        if let Some(why) = Judged::no_lesson(&lists) {
            let names = config.data.train.0.join(", ");
            let text = format!("{names}: {why}; rerank.gold names gold trees for lists without");
            return Err(RunError::Unsuitable(text));
        }
        if dev.is_empty() {
            let text = "no development lists: the scale nearest to 1 and the last epoch are taken";
            reporter.message(Level::Warning, text.into());
        } else {
            let ListStatistics { base, oracle, .. } = ListStatistics::of(&dev);
            let text =
                format!("dev: F1 of the base choices {:.2}, oracle {:.2}", base.f1(), oracle.f1());
            reporter.message(Level::Info, text);
        }
        let (positions_out, positions) = bounded(0);
        let (go_on, proceed) = bounded::<()>(0);
        let planned = lists.iter().filter(|list| list.is_lesson()).count() * config.rerank.epochs;
        let own = config.clone();
        let learn = move || {
            let settings = &own.rerank;
            let base = match (settings.kernel, ssn) {
                (Kernel::Tree, _) => None,
                (_, Some(ssn)) => Some(Base::ssn(ssn)),
                (_, None) => {
                    Some(Base::induced(&own.parser, &lists, &folds(&lists, settings.folds))?)
                }
            };
            // Whoever stops the training listens no more.
            let mut next =
                |position| positions_out.send(position).is_ok() && proceed.recv().is_ok();
            train(settings, base, Lessons { train: &lists, dev: &dev }, &mut next)
        };
        // As many threads as the job has; those wait while it is paused.
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(rayon::current_num_threads())
            .build()
            .map_err(|e| RunError::Start {
                what: "the worker threads".into(),
                source: std::io::Error::other(e),
            })?;
        let thread = std::thread::Builder::new()
            .name("reranker".into())
            .spawn(move || pool.install(learn))
            .map_err(|source| RunError::Start { what: "the training's thread".into(), source })?;
        Ok(RerankWork {
            config,
            thread: Some(thread),
            positions,
            go_on,
            begun: Instant::now(),
            step: 0,
            planned: planned as u64,
            best: None,
        })
    }

    /// Takes in what was learned, and writes it.
    fn end(&mut self, trained: Trained, desk: &mut Desk) -> Result<String, RunError> {
        let Trained { reranker, epochs, chosen, lessons, .. } = trained;
        for epoch in &epochs {
            self.tell(epoch, *epoch == chosen, desk);
        }
        let dev = metrics(&chosen);
        let step = self.step;
        let figure = chosen.dev_f1.unwrap_or(f64::NAN);
        let epoch = chosen.epoch as u64;
        self.best = Some(Best { figure, step, epoch, dev: dev.clone(), test: None });
        desk.reports.report(EventKind::Evaluation {
            step,
            epoch,
            split: "dev".into(),
            metrics: dev,
        });
        let first = |sources: &Sources| sources.0.join(", ");
        let dev = Some(first(&self.config.data.dev)).filter(|name| !name.is_empty());
        let training = TrainingFacts {
            train: first(&self.config.data.train),
            dev,
            lists: lessons,
            epoch: chosen.epoch,
            steps: chosen.steps,
            updates: chosen.updates,
            dev_f1: chosen.dev_f1,
            seconds: self.begun.elapsed().as_secs_f64(),
        };
        let file = RerankerFile { config: self.config.clone(), reranker, training };
        let saved = file.save(&desk.folder.best()).map_err(RunError::from);
        desk.note_checkpoint(&saved, step, "best");
        saved?;
        Ok(format!("learned from {}", counted(lessons, "list")))
    }

    fn tell(&self, epoch: &Epoch, is_taken: bool, desk: &mut Desk) {
        let Epoch { scale, epoch, updates, dev_f1, .. } = *epoch;
        let f1 = dev_f1.map_or(String::new(), |f1| format!(", dev F1 {f1:.2}"));
        let taken = if is_taken { ": taken" } else { "" };
        let text = format!("scale {scale}, epoch {epoch}: {updates} updates{f1}{taken}");
        desk.reports.message(Level::Info, text);
    }
}

fn metrics(epoch: &Epoch) -> Metrics {
    let mut metrics: Metrics =
        [("scale", epoch.scale), ("updates", epoch.updates as f64)].into_iter().collect();
    if let Some(f1) = epoch.dev_f1 {
        metrics.set("f1", f1);
    }
    metrics
}

/// Lists of all files of a split; what was dropped or is odd is told.
fn read(
    split: &str,
    sources: &Sources,
    gold: &str,
    most: usize,
    reporter: &mut dyn Reporter,
) -> Result<Vec<Judged>, RunError> {
    let (mut lists, mut sentences): (Vec<CandidateList>, usize) = (Vec::new(), 0);
    for name in &sources.0 {
        let file = CandidateFile::read(Path::new(name), ReadOptions::default())?;
        let mut told: Vec<(u32, String)> = Vec::new();
        told.extend(file.dropped.iter().map(|d| (d.line, d.to_string())));
        told.extend(file.messages.iter().map(|m| (m.line, m.to_string())));
        told.sort_by_key(|(line, _)| *line);
        for (_, text) in told.iter().take(TOLD) {
            reporter.message(Level::Warning, format!("{name}: {text}"));
        }
        if told.len() > TOLD {
            let more = counted(told.len() - TOLD, "further remark");
            reporter.message(Level::Warning, format!("{name}: {more}"));
        }
        let read = counted(file.lists.len(), "list");
        reporter.message(Level::Info, format!("{split}: {read} of {name}"));
        // Gold trees are those of all files, one behind the other.
        let in_all = |list: CandidateList| CandidateList { place: sentences + list.place, ..list };
        lists.extend(file.lists.into_iter().map(in_all));
        sentences += file.sentences;
    }
    if !gold.is_empty() && !lists.is_empty() {
        let attached = Attached::from_file(&mut lists, sentences, Path::new(gold))?;
        let level = if attached.lacking > 0 { Level::Warning } else { Level::Info };
        reporter.message(level, format!("{split}: {}", attached.told(gold)));
    }
    Ok(Judged::all(lists, most))
}

impl Work for RerankWork {
    fn step(&self) -> u64 {
        self.step
    }

    fn seconds(&self) -> f64 {
        self.begun.elapsed().as_secs_f64()
    }

    fn best(&self) -> Option<&Best> {
        self.best.as_ref()
    }

    fn begin(&mut self, desk: &mut Desk) -> Result<(), RunError> {
        desk.reports.planned(self.planned);
        Ok(())
    }

    fn advance(&mut self, desk: &mut Desk) -> Result<Option<String>, RunError> {
        if let Ok(Position { epoch, done, of }) = self.positions.recv() {
            self.step = ((epoch - 1) * of + done) as u64;
            let (round, done, of) = (epoch as u64, done as u64, of as u64);
            desk.reports.report(EventKind::Progress { round, done, of });
            // A thread that has ended says why below.
            let _ = self.go_on.send(());
            return Ok(None);
        }
        let thread = self.thread.take().expect("after its end the work is not advanced");
        match thread.join() {
            Ok(trained) => self.end(trained?, desk).map(Some),
            Err(panic) => Err(RunError::Unsuitable(super::panic::said(&*panic))),
        }
    }

    /// Half of a training is of no use to anybody.
    fn save(&mut self, _desk: &mut Desk) -> Result<(), RunError> {
        Ok(())
    }

    fn set_learning_rate(&mut self, _rate: f64, desk: &mut Desk) {
        desk.reports.message(Level::Warning, "a reranker has no learning rate".into());
    }

    fn snapshot(&self) -> Result<Held, String> {
        Err("a reranker has no symbols and rules to look into".into())
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Command, Job, RunFolder};
    use super::*;
    use crate::report::RunState;
    use std::time::Duration;

    const WAIT: Duration = Duration::from_secs(60);

    /// Settings that learn from the sample's lists and are judged by them.
    fn config(settings: &[&str]) -> Config {
        let lists =
            Path::new(env!("CARGO_MANIFEST_DIR")).join("sample_data/reranking/test.jsonl.gz");
        let name = format!("[{:?}]", lists.display().to_string());
        let own =
            ["kind=rerank".to_owned(), format!("data.train={name}"), format!("data.dev={name}")];
        let settings: Vec<String> =
            own.into_iter().chain(settings.iter().map(|s| (*s).to_owned())).collect();
        Config::from_toml("test", "", &settings).expect("valid")
    }

    fn lists(config: &Config) -> Vec<Judged> {
        let file = CandidateFile::read(Path::new(&config.data.train.0[0]), ReadOptions::default());
        Judged::all(file.expect("reads").lists, config.rerank.candidates)
    }

    fn scores(folder: &RunFolder, lists: &[Judged]) -> Vec<Vec<f64>> {
        let file = RerankerFile::load(&folder.best()).expect("whole");
        file.reranker.score(lists).into_iter().map(|scored| scored.scores).collect()
    }

    #[test]
    fn a_run_learns_what_a_training_without_one_learns_and_tells_of_it() {
        let base = tempfile::tempdir().expect("a temporary folder");
        let config = config(&[]);
        let folder = RunFolder::create(base.path(), &config).expect("creates");
        let outcome = Job::train(config.clone(), folder.clone()).expect("starts").join();
        assert_eq!(outcome.state, RunState::Finished, "{outcome:?}");
        let lists = lists(&config);
        let folds = folds(&lists, config.rerank.folds);
        let induced = Base::induced(&config.parser, &lists, &folds).expect("induces");
        let lessons = Lessons { train: &lists, dev: &lists };
        let alone = train(&config.rerank, Some(induced), lessons, &mut |_| true).expect("learns");
        let expected = alone.reranker.score(&lists);
        let expected: Vec<Vec<f64>> = expected.into_iter().map(|scored| scored.scores).collect();
        assert_eq!(scores(&folder, &lists), expected);
        let best = outcome.best.expect("judged");
        assert_eq!(best.dev.get("f1"), alone.chosen.dev_f1);
        let events = folder.events().expect("reads");
        let told = |wanted: fn(&EventKind) -> bool| events.iter().any(|e| wanted(&e.kind));
        assert!(told(|e| matches!(e, EventKind::Progress { round: 1, done, of } if done == of)));
        assert!(told(|e| matches!(e, EventKind::Checkpoint { name, .. } if name == "best")));
        assert!(told(|e| matches!(e, EventKind::Evaluation { split, .. } if split == "dev")));
        let facts = RerankerFile::load(&folder.best()).expect("whole").training;
        assert_eq!(facts.train, config.data.train.0[0]);
    }

    #[test]
    fn a_run_that_was_paused_and_stopped_begins_again_and_comes_to_the_same() {
        let base = tempfile::tempdir().expect("a temporary folder");
        let config = config(&["rerank.epochs=40", "rerank.scales=[1]"]);
        let whole = RunFolder::create(base.path(), &config).expect("creates");
        Job::train(config.clone(), whole.clone()).expect("starts").join();
        let folder = RunFolder::create(base.path(), &config).expect("creates");
        let job = Job::train(config.clone(), folder.clone()).expect("starts");
        let hears = |wanted: &dyn Fn(&EventKind) -> bool| {
            while !wanted(&job.events().recv_timeout(WAIT).expect("an event").kind) {}
        };
        hears(&|event| matches!(event, EventKind::Progress { .. }));
        assert!(job.send(Command::Pause));
        hears(&|event| matches!(event, EventKind::State { state: RunState::Paused, .. }));
        assert!(job.send(Command::Stop));
        let outcome = job.join();
        assert_eq!(outcome.state, RunState::Stopped, "{outcome:?}");
        assert!(!folder.best().is_file(), "half a training is none");
        let outcome = Job::resume(folder.clone()).expect("starts").join();
        assert_eq!(outcome.state, RunState::Finished, "{outcome:?}");
        let lists = lists(&config);
        assert_eq!(outcome.step as usize, 40 * lists.iter().filter(|l| l.is_lesson()).count());
        assert_eq!(scores(&folder, &lists), scores(&whole, &lists));
        assert!(matches!(Job::resume(folder), Err(RunError::Done(_))));
    }

    #[test]
    fn settings_that_name_no_lists_are_refused_before_a_run_begins() {
        let mut config = config(&[]);
        assert!(Job::check(&config).is_ok());
        let trees = Path::new(env!("CARGO_MANIFEST_DIR")).join("sample_data/dev.mrg");
        for (name, said) in [
            (trees.display().to_string(), "holds no candidate lists"),
            ("/nowhere.jsonl".to_owned(), "/nowhere.jsonl"),
        ] {
            config.data.dev = Sources(vec![name]);
            let error = Job::check(&config).expect_err("refused").to_string();
            assert!(error.contains(said), "{error}");
        }
        config.data.train = Sources::default();
        let error = Job::check(&config).expect_err("refused").to_string();
        assert!(error.contains("data.train names none"), "{error}");
    }
}
