//! Runs of other processes and other machines, looked at and steered through their folders alone.

use crate::terminal::Session;
use rankspace::report::{Event, EventKind, RunState, SCHEMA};
use rankspace::run::{RunFolder, Status};
use rankspace::workbench::ScreenId::Train;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant, SystemTime};

const DEADLINE: Duration = Duration::from_secs(120);

/// The number behind `step` in the head of Train.
fn step(screen: &vt100::Screen) -> Option<u64> {
    let text = screen.contents();
    let (_, rest) = text.split_once("  step ")?;
    let digits: String = rest.chars().take_while(|c| c.is_ascii_digit() || *c == ' ').collect();
    digits.replace(' ', "").parse().ok()
}

fn now() -> f64 {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    since.expect("the clock is right").as_secs_f64()
}

/// A run folder as a process on another machine would keep it.
struct Elsewhere {
    folder: PathBuf,
    seq: u64,
}

impl Elsewhere {
    /// A run that has just begun on a machine whose clock is so many seconds behind.
    fn new(work: &Path, behind: f64) -> Elsewhere {
        let folder = work.join("runs/elsewhere");
        std::fs::create_dir_all(&folder).expect("makes a folder");
        std::fs::write(folder.join("config.toml"), "seed = 3\n").expect("writes");
        let mut run = Elsewhere { folder, seq: 0 };
        run.beat(now() - behind);
        let state =
            EventKind::State { state: RunState::Running, step: 0, resumed: false, reason: None };
        let line = run.line(state);
        run.write(&line);
        run
    }

    /// A sign of life of that time.
    fn beat(&self, heartbeat: f64) {
        let status = Status {
            schema: SCHEMA,
            state: RunState::Running,
            reason: None,
            pid: 1,
            host: "another-machine".into(),
            heartbeat,
            kind: "train".into(),
            step: 1,
            epoch: 1,
            total_steps: 1000,
            elapsed: 1.0,
            loss: None,
            dev: None,
            best: None,
        };
        let text = serde_json::to_string(&status).expect("writes");
        std::fs::write(self.folder.join("status.json.new"), text).expect("writes");
        let place = self.folder.join("status.json");
        std::fs::rename(self.folder.join("status.json.new"), place).expect("moves");
    }

    fn line(&mut self, kind: EventKind) -> String {
        let event = Event { schema: SCHEMA, seq: self.seq, time: now(), elapsed: 1.0, kind };
        self.seq += 1;
        serde_json::to_string(&event).expect("writes") + "\n"
    }

    fn step(&mut self, step: u64) -> String {
        self.line(EventKind::Step {
            step,
            epoch: 1,
            loss: 50.0,
            tokens: 100,
            sentences: Some(10),
            learning_rate: 0.001,
            gradient_norm: 1.0,
            seconds: [("total", 0.1)].into_iter().collect(),
            steps_per_epoch: 1000,
            total_steps: 1000,
        })
    }

    fn write(&self, text: &str) {
        let path = self.folder.join("events.jsonl");
        let file = std::fs::OpenOptions::new().create(true).append(true).open(path);
        file.and_then(|mut f| f.write_all(text.as_bytes())).expect("writes");
    }
}

/// A terminal that shows such a run of a machine whose clock is so many seconds behind.
fn watched(behind: f64) -> (Session, Elsewhere) {
    let mut run = None;
    let mut session = Session::start_with(&["runs/elsewhere"], 80, 24, &[], |work| {
        run = Some(Elsewhere::new(work, behind));
    });
    session.sees("elsewhere");
    (session, run.expect("prepared"))
}

#[test]
fn a_run_of_another_machine_is_shown_within_a_second_and_a_torn_line_is_waited_for() {
    let (mut session, mut run) = watched(0.0);
    session.sees("running");
    let mut times: Vec<Duration> = (1..=5)
        .map(|i| {
            let line = run.step(i);
            let start = Instant::now();
            run.write(&line);
            session.until("the step", |s| step(s) == Some(i));
            start.elapsed()
        })
        .collect();
    times.sort();
    println!("from the file to the screen in {:.1?} (budget 1 s)", times[2]);
    assert!(times[2] < Duration::from_secs(1), "{times:?}");
    // Half a line is none yet, and nothing to complain about.
    let (torn, whole) = (run.step(6), run.step(7));
    let (first, rest) = torn.split_at(torn.len() / 2);
    run.write(first);
    session.does("log").sees("Log:").does("train").sees("  step 5");
    run.write(&(rest.to_owned() + &whole));
    session.until("both steps", |s| step(s) == Some(7));
    session.does_on(Train, "table").sees("row 7 of 7").does("quit");
    assert_eq!(session.ends_clean(), 0);
}

#[test]
fn a_heartbeat_that_stops_is_said() {
    let (mut session, run) = watched(0.0);
    session.sees("running").sees_no("no sign of life").sees("no sign of life for 1");
    run.beat(now());
    session.sees_no("no sign of life").does("quit");
    assert_eq!(session.ends_clean(), 0);
}

#[test]
fn a_run_whose_last_word_is_old_counts_as_dead_until_its_heart_beats_by_whatever_clock() {
    let (mut session, run) = watched(3600.0);
    session.sees("died").sees("its process ended without a word");
    run.beat(now() - 3599.0);
    session.sees_no("died").sees("running").does("quit");
    assert_eq!(session.ends_clean(), 0);
}

fn status(run: &Path) -> Option<Status> {
    Status::read(&RunFolder::open(run).ok()?).ok().flatten()
}

/// Waits until the status file of a run says so.
fn wait_for(run: &Path, what: &str, fits: impl Fn(&Status) -> bool) -> Status {
    let deadline = Instant::now() + DEADLINE;
    loop {
        if let Some(status) = status(run).filter(&fits) {
            return status;
        }
        assert!(Instant::now() < deadline, "waited for {what}: {:?}", status(run));
        std::thread::park_timeout(Duration::from_millis(20));
    }
}

/// Starts a training of the sample that lasts, in a process of its own.
fn train(work: &Path) -> Child {
    Command::new(env!("CARGO_BIN_EXE_rankspace"))
        .args(["train", "--preset", "sample", "--out", "runs/other"])
        .args(["--set", "training.epochs=10000", "--set", "training.patience=0"])
        .current_dir(work)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("the program starts")
}

#[test]
fn a_run_of_another_process_is_paused_resumed_and_stopped_and_outlives_the_workbench() {
    let mut child = None;
    let mut session = Session::start_with(&["runs/other"], 80, 24, &[], |work| {
        child = Some(train(work));
        wait_for(&work.join("runs/other"), "a step", |s| s.step > 0);
    });
    let mut child = child.expect("started");
    session.until("a step", |s| step(s) >= Some(1));
    session.does_on(Train, "pause").sees("paused").does_on(Train, "pause").sees("running");
    let seen = session.look(step);
    session.until("further steps", |s| step(s) > seen);
    // It is no run of this workbench: leaving asks nothing and stops nothing.
    session.does("quit");
    let (folder, left) = session.keep();
    assert_eq!(left.ends_clean(), 0);
    let run = folder.path().join("work/runs/other");
    let before = status(&run).expect("a status").step;
    wait_for(&run, "further steps", |s| s.state == RunState::Running && s.step > before);
    assert!(child.try_wait().expect("a child of ours").is_none(), "it goes on");
    let mut again = Session::start(&[&run.display().to_string()], 80, 24);
    again.sees("running").does_on(Train, "stop").sees("It writes").keys("s").sees("stopped");
    assert_eq!(child.wait().expect("it ends").code(), Some(1), "stopped before its end");
    again.does("quit");
    assert_eq!(again.ends_clean(), 0);
}

#[test]
fn a_training_that_is_left_running_goes_on_without_the_workbench() {
    let mut session = Session::start(&[], 80, 24);
    session.until("ten steps", |s| step(s) >= Some(10));
    session.does("quit").sees("leave it running").keys("l");
    let (folder, left) = session.keep();
    assert_eq!(left.ends_clean(), 0);
    let runs = std::fs::read_dir(folder.path().join("work/runs")).expect("a folder of runs");
    let run = runs.map(|entry| entry.expect("readable").path()).find(|p| p.is_dir());
    let run = run.expect("the run");
    let of = RunFolder::open(&run).expect("a run folder");
    let left = wait_for(&run, "a process that goes on", |s| s.is_live(&of) && s.step > 10);
    wait_for(&run, "further steps", |s| s.pid == left.pid && s.step > left.step);
    // A later workbench finds it and can end it.
    let mut again = Session::start(&[&run.display().to_string()], 80, 24);
    again.sees("running").does_on(Train, "stop").sees("It writes").keys("s").sees("stopped");
    wait_for(&run, "the end", |s| s.state == RunState::Stopped);
    again.does("quit");
    assert_eq!(again.ends_clean(), 0);
}
