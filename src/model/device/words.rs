//! The distinct words of a batch on a device.

use crate::device::{DeviceError, Engine, Ints, Room};
use crate::model::words::Words;

#[derive(Debug, Default)]
pub(super) struct DeviceWords {
    ids: Room,
    len: usize,
}

impl DeviceWords {
    pub fn load(&mut self, engine: &Engine, words: &Words) -> Result<(), DeviceError> {
        let ids: Vec<i32> = words.distinct.iter().map(|&id| id as i32).collect();
        self.len = ids.len();
        self.ids.hold_ints(engine, &ids).map(drop)
    }

    pub fn len(&self) -> usize {
        self.len
    }

    pub fn ids(&self) -> Ints<'_> {
        self.ids.as_ints(self.len)
    }
}
