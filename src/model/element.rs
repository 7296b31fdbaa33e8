//! The bridge between tensors and the slices that the dynamic programs read.

use super::ModelError;
use crate::inference::Real;
use candle_core::{CpuStorage, DType, Device, Shape, Storage, StorageRef, Tensor, WithDType};

/// A number type that tensors know.
pub(super) trait Element: Real {
    const DTYPE: DType;

    /// A tensor around the data, without copying it (on the CPU).
    fn tensor(
        data: Vec<Self>,
        shape: impl Into<Shape>,
        device: &Device,
    ) -> Result<Tensor, ModelError>;

    fn slice(storage: &CpuStorage) -> candle_core::Result<&[Self]>;

    /// Views a slice as `f32`, converting only where it must.
    fn to_f32(data: &[Self]) -> std::borrow::Cow<'_, [f32]>;
}

macro_rules! element {
    ($type:ty, $dtype:expr, $to_f32:expr) => {
        impl Element for $type {
            const DTYPE: DType = $dtype;

            fn tensor(
                data: Vec<Self>,
                shape: impl Into<Shape>,
                device: &Device,
            ) -> Result<Tensor, ModelError> {
                Ok(Tensor::from_vec(data, shape.into(), device)?)
            }

            fn slice(storage: &CpuStorage) -> candle_core::Result<&[Self]> {
                <$type as WithDType>::cpu_storage_as_slice(storage)
            }

            fn to_f32(data: &[Self]) -> std::borrow::Cow<'_, [f32]> {
                $to_f32(data)
            }
        }
    };
}

element!(f32, DType::F32, std::borrow::Cow::Borrowed);
element!(f64, DType::F64, |data: &[f64]| data.iter().map(|&x| x as f32).collect());

/// Read access to a contiguous tensor on the CPU.
pub(super) struct Reading<'a> {
    storage: StorageRef<'a>,
    start: usize,
    len: usize,
}

impl<'a> Reading<'a> {
    pub fn new(tensor: &'a Tensor) -> Result<Self, ModelError> {
        let (storage, layout) = tensor.storage_and_layout();
        let (start, end) = layout.contiguous_offsets().ok_or_else(|| ModelError::Shape {
            name: format!("{:?}", tensor.shape()),
            reason: "must be contiguous".into(),
        })?;
        Ok(Reading { storage, start, len: end - start })
    }

    pub fn slice<T: Element>(&self) -> Result<&[T], ModelError> {
        match &*self.storage {
            Storage::Cpu(cpu) => Ok(&T::slice(cpu)?[self.start..self.start + self.len]),
            _ => Err(ModelError::Unsupported("this program runs on the CPU only".into())),
        }
    }
}
