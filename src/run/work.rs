use super::reports::Reports;
use super::{Held, RunError, RunFolder};
use crate::device::DeviceInfo;
use crate::model::Resident;
use crate::report::{DeviceUse, EventKind, Level, Reporter};
use crate::training::Best;
use std::collections::BTreeSet;
use std::time::{Duration, Instant};

/// `last` is written at least this often.
const SAVE: Duration = Duration::from_secs(60);

/// How often it is said what the device does.
const DEVICE: Duration = Duration::from_secs(5);

/// What a job works at, one piece after the other; commands are answered in between.
pub(super) trait Work {
    /// Where it stands: optimiser steps, or rounds.
    fn step(&self) -> u64;

    /// Seconds spent in steps, earlier sessions included.
    fn seconds(&self) -> f64 {
        0.0
    }

    /// The best evaluation so far.
    fn best(&self) -> Option<&Best> {
        None
    }

    /// What comes before the first piece.
    fn begin(&mut self, desk: &mut Desk) -> Result<(), RunError>;

    /// Does the next piece; when nothing was left to do, why.
    fn advance(&mut self, desk: &mut Desk) -> Result<Option<String>, RunError>;

    /// Writes what a resumption starts from.
    fn save(&mut self, desk: &mut Desk) -> Result<(), RunError>;

    fn set_learning_rate(&mut self, rate: f64, desk: &mut Desk);

    /// A frozen copy of the present weights, or why there is none.
    fn snapshot(&self) -> Result<Held, String>;
}

/// Where work is written and told.
pub(super) struct Desk {
    pub folder: RunFolder,
    pub reports: Reports,
    last_save: Instant,
    device_told: Option<Instant>,
    /// Faults of writing since the last success, so that one that lasts is said once.
    faults: BTreeSet<String>,
}

impl Desk {
    pub fn new(folder: RunFolder, reports: Reports) -> Desk {
        let (last_save, device_told) = (Instant::now(), None);
        Desk { folder, reports, last_save, device_told, faults: BTreeSet::new() }
    }

    /// Whether it is time for another `last`.
    pub fn save_is_due(&self) -> bool {
        self.last_save.elapsed() >= SAVE
    }

    /// To be called when `last` is written, before it is.
    pub fn saving(&mut self) {
        self.last_save = Instant::now();
    }

    /// What the device does, every few seconds.
    pub fn tell_device(&mut self, device: Option<&dyn Resident>) {
        if self.device_told.is_some_and(|told| told.elapsed() < DEVICE) {
            return;
        }
        if let Some(device) = device {
            self.device_told = Some(Instant::now());
            let DeviceInfo { name, model, free, total, busy } = device.info();
            let taken = device.bytes();
            let device = DeviceUse { name, model, taken, free, total, busy };
            self.reports.report(EventKind::Device(device));
        }
    }

    /// Tells of a checkpoint that could be written.
    pub fn note_checkpoint(&mut self, saved: &Result<(), RunError>, step: u64, name: &str) {
        if saved.is_ok() {
            self.faults.clear();
            self.reports.report(EventKind::Checkpoint { step, name: name.into() });
        }
    }

    /// Has a fault told again that was told before.
    pub fn forget(&mut self, fault: &RunError) {
        self.faults.remove(&fault.to_string());
    }

    /// Where the folder is gone, that is why something could not be written.
    pub fn explained(&self, error: RunError) -> RunError {
        match self.folder.path().is_dir() {
            true => error,
            false => RunError::Gone(self.folder.path().to_owned()),
        }
    }

    /// A full disk is said and work goes on, for it may be cleared; a folder that is gone leaves
    /// nothing to go on for.
    pub fn go_on(&mut self, written: Result<(), RunError>) -> Result<(), RunError> {
        let Err(error) = written.map_err(|error| self.explained(error)) else { return Ok(()) };
        if matches!(error, RunError::Gone(_)) {
            return Err(error);
        }
        if self.faults.insert(error.to_string()) {
            self.reports.message(Level::Error, format!("not written: {error}; the run goes on"));
        }
        Ok(())
    }
}
