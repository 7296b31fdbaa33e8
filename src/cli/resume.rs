//! `resume`: a run, several seeds or a sweep go on where they were stopped.

use super::args::Resume;
use super::attend::attend;
use super::failure::Usage;
use super::seeds;
use super::sweep;
use super::train::check_device;
use crate::config::Kind;
use crate::run::{self, Command, Group, Job, RunFolder, Sweep};
use anyhow::Result;
use std::io::Write;

pub fn run(args: &Resume, out: &mut dyn Write) -> Result<()> {
    if args.learning_rate.is_some() && (Group::is_one(&args.run) || Sweep::is_one(&args.run)) {
        let text = "--learning-rate: only a single run can go on with another rate";
        return Err(Usage(text.into()).into());
    }
    if Group::is_one(&args.run) {
        let group = Group::open(&args.run)?;
        check_device(args.device.as_deref(), group.config())?;
        run::stop_on_signals()?;
        return seeds::attend(&group, (args.parallel, args.device.as_deref()), args.json, out);
    }
    if Sweep::is_one(&args.run) {
        let sweep = Sweep::open(&args.run)?;
        check_device(args.device.as_deref(), sweep.config())?;
        run::stop_on_signals()?;
        return sweep::attend(&sweep, (args.parallel, args.device.as_deref()), args.json, out);
    }
    let folder = RunFolder::open(&args.run)?;
    if args.device.is_some() {
        check_device(args.device.as_deref(), &folder.config()?)?;
    }
    if let Some(rate) = args.learning_rate {
        let config = folder.config()?;
        let kind = config.kind;
        if let Some(why) = run::refused_rate(&config, rate) {
            return Err(Usage(format!("--learning-rate {rate:e}: {why}")).into());
        }
        if !matches!(kind, Kind::Train | Kind::Ssn) {
            let text = format!("--learning-rate: a run of {} has no learning rate", kind.name());
            return Err(Usage(text).into());
        }
    }
    run::stop_on_signals()?;
    let job = Job::resume_on(folder, args.device.clone())?;
    if let Some(rate) = args.learning_rate {
        // Heard before the first step.
        job.send(Command::LearningRate(rate));
    }
    attend(job, args.json, out)
}
