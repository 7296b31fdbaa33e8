//! Makes the pictures of the README from the screens themselves:
//! `cargo test make_the_pictures -- --ignored`.

use super::app::App;
use super::local::Local;
use super::message::Message;
use super::picture::svg;
use super::start::{Named, UserData};
use super::testing::{press, screenshot};
use super::theme::{Surroundings, ThemeName};
use crate::config;
use crate::report::RunState;
use crate::run::{Job, RunFolder, Sweep, Varied};
use crossbeam_channel::{Receiver, unbounded};
use crossterm::event::Event as Terminal;
use ratatui::backend::TestBackend;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

const WIDTH: u16 = 120;
const HEIGHT: u16 = 36;
/// Largest picture, in bytes.
const LIMIT: usize = 1 << 20;

/// The workbench as a user has it, less the terminal.
struct Desk {
    app: App,
    messages: Receiver<Message>,
    size: (u16, u16),
}

impl Desk {
    fn open(run: &Path) -> Desk {
        Desk::of_size(run, (WIDTH, HEIGHT))
    }

    fn of_size(run: &Path, size: (u16, u16)) -> Desk {
        Desk::on(vec![Named::Run(run.to_owned())], run.with_file_name(""), size)
    }

    fn on(named: Vec<Named>, runs: PathBuf, size: (u16, u16)) -> Desk {
        let (sender, messages) = unbounded();
        let surroundings = Surroundings { no_color: false, unicode: true };
        let engine = Box::new(Local::default());
        let mut app = App::new(engine, sender, ThemeName::Dark, surroundings.unicode, runs);
        app.begin(named, UserData::default());
        Desk { app, messages, size }
    }

    /// Takes messages in until a text is in view and no task runs.
    fn sees(&mut self, text: &str) -> &mut Desk {
        let deadline = Instant::now() + Duration::from_secs(60);
        loop {
            let screen = screenshot(&self.app, self.size.0, self.size.1);
            if screen.contains(text) && self.app.shared.tasks.is_empty() {
                return self;
            }
            let left = deadline.saturating_duration_since(Instant::now());
            match self.messages.recv_timeout(left) {
                Ok(message) => self.app.handle(message, super::terminal::now()),
                Err(_) => panic!("waited for `{text}`; the screen is\n{screen}"),
            }
        }
    }

    fn keys(&mut self, spellings: &[&str]) -> &mut Desk {
        for spelling in spellings {
            let key = Message::Terminal(Terminal::Key(press(spelling)));
            self.app.handle(key, super::terminal::now());
        }
        self
    }

    fn save(&mut self, name: &str) {
        let backend = TestBackend::new(self.size.0, self.size.1);
        let mut terminal = ratatui::Terminal::new(backend).expect("a test terminal");
        terminal.draw(|frame| self.app.draw(frame)).expect("draws");
        let picture = svg(terminal.backend().buffer(), ThemeName::Dark);
        assert!(picture.len() < LIMIT, "{name} has {} bytes", picture.len());
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/pictures");
        std::fs::create_dir_all(&folder).expect("makes the folder");
        std::fs::write(folder.join(name), picture).expect("writes");
    }
}

/// Trains a preset with these settings into the folder of that name.
fn train(base: &Path, preset: &str, settings: &[&str], name: &str) -> PathBuf {
    let settings: Vec<String> = settings.iter().map(|s| (*s).to_owned()).collect();
    let preset = config::preset(preset).expect("is bundled");
    let config = preset.config(&settings).expect("valid");
    let path = base.join("runs").join(name);
    let folder = RunFolder::create_at(&path, &config).expect("made");
    let outcome = Job::train(config, folder).expect("starts").join();
    assert_eq!(outcome.state, RunState::Finished, "{outcome:?}");
    path
}

#[test]
#[ignore = "trains for minutes and writes into assets/pictures"]
fn make_the_pictures_of_language_models() {
    let base = tempfile::tempdir().expect("a temporary folder");
    let settings = [
        "seed=1",
        "training.epochs=5",
        "training.batch_tokens=512",
        "training.learning_rate=0.01",
        "model.states=64",
        "model.rank=32",
        "model.embedding=64",
    ];
    let path = train(base.path(), "hmm-small", &settings, "2026-11-29-rank-hmm");
    let mut desk = Desk::open(&path);
    desk.sees("finished").keys(&["4"]).sees("weights of step");
    let fits = |screen: &str| screen.contains(" 11 words");
    while !fits(&screenshot(&desk.app, WIDTH, HEIGHT)) {
        desk.keys(&["j"]).sees("weights of step");
    }
    desk.save("surprisal.svg");
}

#[test]
#[ignore = "trains for minutes and writes into assets/pictures"]
fn make_the_picture_of_a_sweep() {
    // Its name is in the picture, and must not be another each time.
    let named = tempfile::Builder::new().prefix("rankspace-pictures").rand_bytes(0).tempdir();
    let base = named.expect("a temporary folder of that name is not there yet");
    let values = |key: &str, values: &[&str]| Varied {
        key: key.into(),
        values: values.iter().map(|value| (*value).to_owned()).collect(),
    };
    let axes = vec![
        values("model.rank", &["4", "8", "16", "32"]),
        values("model.preterminals", &["8", "32"]),
    ];
    let settings = [
        "seed=1",
        "training.max_steps=100",
        "model.nonterminals=8",
        "model.embedding=32",
        "data.max_length=10",
        "evaluation.max_length=10",
    ];
    let settings: Vec<String> = settings.iter().map(|s| (*s).to_owned()).collect();
    let config = config::preset("sample").and_then(|p| p.config(&settings)).expect("valid");
    let path = base.path().join("runs/2026-11-29-rank-pcfg-sweep");
    let sweep = Sweep::create_at(&path, &config, axes, 3).expect("made");
    // The last choice is still to be trained.
    for point in sweep.points().iter().rev().skip(1) {
        let group = sweep.group(point).expect("made");
        for member in group.members() {
            let outcome = group.start(member, 0, None).expect("starts").join();
            assert_eq!(outcome.state, RunState::Finished, "{outcome:?}");
        }
    }
    let named = vec![Named::Sweep(path.clone())];
    let mut desk = Desk::on(named, path.with_file_name(""), (WIDTH, HEIGHT));
    desk.sees("21 of 24 runs finished").save("sweep.svg");
}

#[test]
#[ignore = "writes into assets/pictures"]
fn make_the_pictures_of_boosting() {
    // Rounds that are done, of the sample whose errors are known.
    let run = Path::new(env!("CARGO_MANIFEST_DIR")).join("sample_data/runs/sample-boost");
    let mut desk = Desk::of_size(&run, (150, 48));
    desk.sees("Analysis of round 10");
    // A phrase that was taken away, rather far up, and the bracket that should be there.
    desk.keys(&["#"]).sees("A rank, or #").keys(&["#", "3", "7", "9", "Enter"]);
    desk.sees("sentence 379").keys(&["b"]).sees("bracket 1/1");
    desk.save("boost.svg");
    desk.size = (WIDTH, HEIGHT);
    desk.keys(&["t"]).sees("Twins 1/").save("twins.svg");
}

#[test]
#[ignore = "writes into assets/pictures"]
fn make_the_pictures_of_reranking() {
    let runs = tempfile::tempdir().expect("a temporary folder");
    let sample = Path::new(env!("CARGO_MANIFEST_DIR")).join("sample_data/reranking");
    let named = vec![
        Named::Lists(sample.join("test.jsonl.gz")),
        Named::Reranker(sample.join("reranker.safetensors")),
    ];
    let mut desk = Desk::on(named, runs.path().join("runs"), (160, 48));
    desk.sees("reranked").sees("F1 base").keys(&["x", "s"]).sees("by gain").sees("Why candidate");
    // A short sentence; its choice is compared with that of the base parser.
    desk.keys(&["#", "3", "2", "Enter", "c"]).sees("against base").save("rerank.svg");
    desk.size = (WIDTH, 24);
    desk.keys(&["f"]).sees("F1 by words").save("reranked.svg");
}

#[test]
#[ignore = "trains for minutes and writes into assets/pictures"]
fn make_the_pictures() {
    let base = tempfile::tempdir().expect("a temporary folder");
    let settings = ["seed=1", "training.epochs=4", "evaluation.every=40"];
    let path = train(base.path(), "sample", &settings, "2026-11-29-rank-pcfg");
    let mut desk = Desk::open(&path);
    desk.keys(&["2"]).sees("finished").sees("words/s").save("train.svg");
    desk.keys(&["3"]).sees("likeliest expansions").save("grammar.svg");
    desk.keys(&["1"]).sees("Sentence lengths").save("corpora.svg");
    // A sentence of eight words whose trees fit and differ, with the symbols of the induced one.
    desk.keys(&["4"]).sees("Sentences 1/").keys(&["s", "g", "z", "p"]).sees("(best)");
    let fits = |screen: &str| {
        screen.contains("8 words") && !screen.contains('▶') && !screen.contains("✗ 0 crossing")
    };
    while !fits(&screenshot(&desk.app, WIDTH, HEIGHT)) {
        desk.keys(&["j"]).sees("(best)");
    }
    desk.save("parses.svg");
}
