//! `rankspace scaling`: tables and charts of time and memory, and what is kept of a stopped call.

use crate::call::rankspace;

/// Sizes so small that the test ends soon.
const SMALL: &str = "--length 6 --states 8 --rank 5 --repeats 2 --threads 1";

#[test]
fn every_axis_of_both_families_is_timed_weighed_and_fitted() {
    let base = tempfile::tempdir().expect("temporary folder");
    rankspace("scaling --out s --against length --sizes 4,8,16,32")
        .args(SMALL)
        .within(base.path())
        .succeeds()
        .prints("PCFG against length (states 8, rank 5): milliseconds of a sentence")
        .prints("the least of 2 timings")
        .prints("parse rank")
        .prints("length from 8 to 32")
        .prints("HMM against length")
        .prints("written to s");
    let read = |name: &str| std::fs::read_to_string(base.path().join("s").join(name));
    let csv = read("scaling.csv").expect("a table");
    // Two families, four lengths, two tasks, two orders.
    assert_eq!(csv.lines().count(), 1 + 2 * 4 * 2 * 2, "{csv}");
    for line in csv.lines().skip(1) {
        let seconds: f64 = line.split(',').nth(7).expect("a column").parse().expect("a number");
        assert!(seconds > 0.0 && seconds < 10.0, "{line}");
    }
    let exponents = read("exponents.csv").expect("a table");
    assert!(exponents.starts_with("family,against,of,task,order,from,to,exponent,error,predicted"));
    assert!(exponents.contains("pcfg,length,seconds,train,rank,8,32,"), "{exponents}");
    for name in ["pcfg-length.svg", "hmm-length.svg"] {
        let svg = read(name).expect("a chart");
        assert_eq!(svg.matches("<polyline").count(), 4, "{svg}");
        assert!(svg.contains("length (logarithmic)") && svg.contains("milliseconds (logarithmic)"));
    }
    rankspace("scaling --out s").within(base.path()).fails().complains("nothing is overwritten");
}

#[test]
fn the_predicted_exponents_are_those_of_the_paper() {
    let ran = rankspace("scaling --json --family hmm,pcfg --against states --sizes 64,128,256,512")
        .args("--length 6 --rank 5 --repeats 1 --threads 1")
        .succeeds();
    let object = ran.json();
    let panels = object["panels"].as_array().expect("panels");
    assert_eq!(panels.len(), 2);
    for panel in panels {
        let predicted = |task: &str, order: &str| {
            let all = panel["exponents"].as_array().expect("exponents").iter();
            let wanted = |f: &&serde_json::Value| {
                f["of"] == "seconds" && f["task"] == task && f["order"] == order
            };
            let fit = all.clone().find(|f| wanted(f)).expect("a fit");
            assert_eq!((&fit["from"], &fit["to"]), (&128.0.into(), &512.0.into()));
            assert!(fit["exponent"].is_f64() && fit["error"].is_f64(), "{fit}");
            fit["predicted"].as_f64().expect("a number")
        };
        // In rank space a sentence costs the same whatever the number of states; in state space
        // and in the building of H, I and A it is linear.
        assert!(predicted("parse", "rank").abs() < 1e-9);
        assert!((predicted("parse", "state") - 1.0).abs() < 0.05);
        assert!((predicted("train", "rank") - 1.0).abs() < 0.3);
    }
}

#[test]
fn what_cannot_be_measured_is_refused() {
    for (arguments, said) in [
        ("--sizes 4,8", "--against"),
        ("--against length --sizes 1,2", "one word"),
        ("--against states --sizes 0", "1 or more"),
        ("--family ngram", "possible values: pcfg, hmm"),
        ("--repeats 0", "from 1 to 1000"),
    ] {
        rankspace("scaling").args(arguments).refused().complains(said);
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_stopped_call_keeps_what_is_done() {
    let base = tempfile::tempdir().expect("temporary folder");
    let child = std::process::Command::new(env!("CARGO_BIN_EXE_rankspace"))
        .args("scaling --out s --family pcfg --against length --sizes 4,8".split(' '))
        .args("--length 6 --states 8 --rank 5 --repeats 1000 --threads 1".split(' '))
        .current_dir(base.path())
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .expect("starts");
    // Half a second of processor time is more than it takes to listen to signals and to time a
    // first point, and far less than a thousand rounds.
    let deadline = std::time::Instant::now() + std::time::Duration::from_secs(120);
    while processor_ticks(child.id()) < 50 {
        assert!(std::time::Instant::now() < deadline, "it does not get on");
        std::thread::yield_now();
    }
    // SAFETY: a signal to a child of this process that has not been waited for.
    unsafe { libc::kill(child.id() as libc::pid_t, libc::SIGINT) };
    let ended = child.wait_with_output().expect("ends");
    let told = String::from_utf8_lossy(&ended.stderr);
    assert!(ended.status.code() == Some(1) && told.contains("stopped; 1 panel kept"), "{told}");
    let csv = std::fs::read_to_string(base.path().join("s/scaling.csv")).expect("it is kept");
    let timed = |line: &&str| line.split(',').nth(7).is_some_and(|s| !s.is_empty());
    assert!(csv.lines().skip(1).filter(timed).count() > 0, "{csv}");
}

/// Hundredths of a second of user time.
#[cfg(target_os = "linux")]
fn processor_ticks(pid: u32) -> u64 {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    // Behind the name in brackets: the state is field 3, user time 14.
    let fields = stat.rsplit_once(')').map_or("", |(_, rest)| rest).split_whitespace();
    fields.clone().nth(11).and_then(|ticks| ticks.parse().ok()).unwrap_or(0)
}

#[test]
fn sizes_that_no_memory_holds_are_refused_before_anything_is_timed() {
    for sizes in [
        "scaling --family hmm --against states --sizes 99999999999 --repeats 1",
        "scaling --family pcfg --against rank --sizes 8 --states 99999999999",
        "scaling --family pcfg --against length --sizes 99999999999 --states 8 --rank 4",
        "plan --measure --case hmm:batch=2,n=8,states=9999999999,rank=99999",
        "bench --case hmm:batch=2,n=8,states=9999999999,rank=99999 --steps 1",
    ] {
        rankspace(sizes).fails().complains("GiB of memory and ");
    }
}
