//! The command line as a user meets it: output, JSON shapes, exit codes, error texts.

use crate::call::rankspace;
use std::process::{Command, Stdio};

#[test]
fn help_lists_every_command_and_each_has_help_of_its_own() {
    let help = rankspace("--help").succeeds();
    let commands = "train resume eval parse score presets corpus watch bench doctor completions";
    for command in commands.split(' ') {
        assert!(help.stdout.contains(&format!("\n  {command} ")), "{command}: {help}");
        rankspace(command).arg("--help").succeeds().prints("Usage: rankspace ");
    }
    rankspace("--version").succeeds().prints(env!("CARGO_PKG_VERSION"));
}

#[test]
fn a_mistyped_command_is_refused_with_the_nearest() {
    rankspace("trian").refused().complains("did you mean `rankspace train`?");
    rankspace("qqqq").refused().complains("`rankspace --help` lists the commands");
    rankspace("corpus stat x").refused().complains("'stats'");
}

#[test]
fn a_mistyped_flag_is_refused_with_the_nearest() {
    rankspace("train c.toml --sett a=b").refused().complains("--set");
    rankspace("train").refused().complains("<CONFIG");
    rankspace("train c.toml --preset sample").refused().complains("cannot be used with");
    rankspace("parse c.safetensors --format pdf").refused().complains("bracket, json, forest");
}

#[test]
fn a_path_that_is_not_there_is_named() {
    rankspace("no-such/corpus.mrg").fails().complains("no-such/corpus.mrg: no such file");
}

#[test]
fn presets_are_listed_and_printed_as_toml() {
    let list = rankspace("presets").succeeds().prints("pcfg-small");
    for line in list.stdout.lines() {
        let name = line.split_whitespace().next().expect("a name");
        let preset = rankspace("presets").arg(name).succeeds();
        toml::from_str::<toml::Table>(&preset.stdout).unwrap_or_else(|e| panic!("{e}: {preset}"));
    }
    rankspace("presets pcfg-smal").refused().complains("did you mean `pcfg-small`?");
}

#[test]
fn completions_are_made_for_every_shell() {
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        rankspace("completions").arg(shell).succeeds().prints("rankspace").prints("presets");
    }
    rankspace("completions tcsh").refused().complains("bash, elvish, fish");
}

#[test]
fn doctor_tells_what_the_machine_offers() {
    let base = tempfile::tempdir().expect("a temporary folder");
    let doctor = |json: &str| {
        rankspace("doctor").arg(json).within(base.path()).env("HOME", base.path()).env("LANG", "C")
    };
    let findings = doctor("--json").succeeds().json();
    let names: Vec<_> =
        findings.as_array().expect("a list").iter().map(|f| f["name"].clone()).collect();
    for name in ["version", "cores", "vector units", "devices", "runs folder", "terminal"] {
        assert!(names.contains(&name.into()), "{name}: {names:?}");
    }
    let entries = std::fs::read_dir(base.path()).expect("readable").count();
    assert_eq!(entries, 0, "doctor leaves nothing behind");
}

#[test]
fn a_reader_that_goes_away_ends_the_program_quietly() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_rankspace"))
        .args(["completions", "zsh"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    drop(child.stdout.take());
    let output = child.wait_with_output().expect("the program ends");
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
}
