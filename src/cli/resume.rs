//! `resume`: a run, several seeds or a sweep go on where they were stopped.

use super::args::Resume;
use super::attend::attend;
use super::seeds;
use super::sweep;
use super::train::check_device;
use crate::run::{self, Group, Job, RunFolder, Sweep};
use anyhow::Result;
use std::io::Write;

pub fn run(args: &Resume, out: &mut dyn Write) -> Result<()> {
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
    run::stop_on_signals()?;
    attend(Job::resume_on(folder, args.device.clone())?, args.json, out)
}
