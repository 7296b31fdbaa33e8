//! Parameters, gradients and moments on a device, each side by side in one piece of memory, so
//! that the norm and the update are one launch.

use crate::device::{AdamFactors, Doubles, Engine, Reals, Room};
use crate::model::element::{Element, Reading};
use crate::model::{Gradients, ModelError, Parameters};
use candle_core::{Device, Tensor};
use std::collections::BTreeMap;
use std::ops::Range;

#[derive(Debug)]
pub(in crate::model) struct Store {
    pub engine: Engine,
    /// Where each parameter lies, and its shape.
    places: BTreeMap<String, (Range<usize>, Vec<usize>)>,
    len: usize,
    parameters: Room,
    gradients: Room,
    /// First and second moments of Adam; zero until the first update.
    moments: [Room; 2],
    norm: Room,
    parts: Room,
}

/// Suffixes of the names under which moments are stored.
const MOMENTS: [&str; 2] = ["exp_avg", "exp_avg_sq"];

impl Store {
    /// Room for parameters of these names and shapes; their values come by [`Store::upload`].
    pub fn new(engine: Engine, parameters: &Parameters) -> Result<Store, ModelError> {
        let mut len = 0;
        let places = parameters
            .iter()
            .map(|(name, parameter)| {
                let range = len..len + parameter.elem_count();
                // Each begins where any number type is aligned.
                len = range.end.next_multiple_of(4);
                (name.clone(), (range, parameter.dims().to_vec()))
            })
            .collect();
        let mut store = Store {
            engine,
            places,
            len,
            parameters: Room::default(),
            gradients: Room::default(),
            moments: Default::default(),
            norm: Room::default(),
            parts: Room::default(),
        };
        let Store { engine, parameters, gradients, norm, .. } = &mut store;
        for room in [parameters, gradients] {
            // What lies between two parameters counts in sums: it stays zero.
            engine.clear(room.reals(engine, len)?)?;
        }
        norm.doubles(engine, 1)?;
        Ok(store)
    }

    fn place(&self, name: &str) -> Result<Range<usize>, ModelError> {
        let missing = || ModelError::Shape { name: name.into(), reason: "is missing".into() };
        Ok(self.places.get(name).ok_or_else(missing)?.0.clone())
    }

    pub fn weight(&self, name: &str) -> Result<Reals<'_>, ModelError> {
        Ok(self.parameters.as_reals(&self.engine, self.len).slice(self.place(name)?))
    }

    /// Where the gradient of a parameter goes.
    pub fn gradient(&self, name: &str) -> Result<Reals<'_>, ModelError> {
        Ok(self.gradients.as_reals(&self.engine, self.len).slice(self.place(name)?))
    }

    pub fn upload<T: Element + bytemuck::Pod>(
        &self,
        parameters: &Parameters,
    ) -> Result<(), ModelError> {
        for (name, parameter) in parameters {
            let reading = Reading::new(parameter.as_tensor())?;
            self.engine.write_raw(self.weight(name)?, reading.slice::<T>()?)?;
        }
        Ok(())
    }

    /// Copies the weights into the host's tensors; waits.
    pub fn download<T: Element + bytemuck::Pod>(
        &self,
        parameters: &Parameters,
    ) -> Result<(), ModelError> {
        for (name, parameter) in parameters {
            parameter.set(&self.tensor::<T>(name, self.weight(name)?)?)?;
        }
        Ok(())
    }

    /// Gradients as tensors; waits.
    pub fn gradients<T: Element + bytemuck::Pod>(&self) -> Result<Gradients, ModelError> {
        let own = |name: &String| Ok((name.clone(), self.tensor::<T>(name, self.gradient(name)?)?));
        self.places.keys().map(own).collect()
    }

    /// Puts gradients that were computed elsewhere.
    pub fn put_gradients<T: Element + bytemuck::Pod>(
        &self,
        gradients: &Gradients,
    ) -> Result<(), ModelError> {
        for (name, gradient) in gradients {
            let reading = Reading::new(gradient)?;
            self.engine.write_raw(self.gradient(name)?, reading.slice::<T>()?)?;
        }
        Ok(())
    }

    fn tensor<T: Element + bytemuck::Pod>(
        &self,
        name: &str,
        values: Reals<'_>,
    ) -> Result<Tensor, ModelError> {
        let mut all = vec![T::ZERO; values.len()];
        self.engine.read_raw(values, &mut all)?;
        T::tensor(all, self.places[name].1.as_slice(), &Device::Cpu)
    }

    /// The squared norm of all gradients, on the device.
    pub fn norm_squared(&mut self) -> Result<Doubles<'_>, ModelError> {
        let Store { engine, len, gradients, norm, parts, .. } = self;
        let norm = norm.as_doubles(1);
        engine.norm_squared(norm, gradients.as_reals(engine, *len), parts)?;
        Ok(norm)
    }

    /// The norm of the last [`Store::norm_squared`]; waits.
    pub fn norm(&self) -> Result<f64, ModelError> {
        Ok(self.engine.read_doubles(self.norm.as_doubles(1))?[0].sqrt())
    }

    /// One update, after [`Store::norm_squared`]; nothing changes where the norm is no number.
    pub fn update(&mut self, factors: AdamFactors) -> Result<(), ModelError> {
        self.moments_there()?;
        let [first, second] = &self.moments;
        let values = [&self.parameters, &self.gradients, first, second]
            .map(|room| room.as_reals(&self.engine, self.len));
        Ok(self.engine.adam(values, self.norm.as_doubles(1), factors)?)
    }

    fn moments_there(&mut self) -> Result<(), ModelError> {
        let Store { engine, len, moments, .. } = self;
        for room in moments {
            if room.is_empty() {
                engine.clear(room.reals(engine, *len)?)?;
            }
        }
        Ok(())
    }

    /// Moments as tensors `NAME.exp_avg` and `NAME.exp_avg_sq`; waits.
    pub fn moments<T: Element + bytemuck::Pod>(
        &self,
    ) -> Result<BTreeMap<String, Tensor>, ModelError> {
        let mut tensors = BTreeMap::new();
        for (room, suffix) in self.moments.iter().zip(MOMENTS) {
            for (name, (range, shape)) in &self.places {
                let tensor = if room.is_empty() {
                    Tensor::zeros(shape.as_slice(), T::DTYPE, &Device::Cpu)?
                } else {
                    let all = room.as_reals(&self.engine, self.len);
                    self.tensor::<T>(name, all.slice(range.clone()))?
                };
                tensors.insert(format!("{name}.{suffix}"), tensor);
            }
        }
        Ok(tensors)
    }

    /// Takes moments as [`Store::moments`] gave them, or another device.
    pub fn put_moments<T: Element + bytemuck::Pod>(
        &mut self,
        tensors: &BTreeMap<String, Tensor>,
    ) -> Result<(), ModelError> {
        self.moments_there()?;
        for (room, suffix) in self.moments.iter().zip(MOMENTS) {
            let all = room.as_reals(&self.engine, self.len);
            for (name, (range, _)) in &self.places {
                let name = format!("{name}.{suffix}");
                let wrong =
                    |reason: &str| ModelError::Shape { name: name.clone(), reason: reason.into() };
                let tensor = tensors.get(&name).ok_or_else(|| wrong("is missing"))?;
                if tensor.elem_count() != range.len() || tensor.dtype() != T::DTYPE {
                    return Err(wrong("has another size or number type than its parameter"));
                }
                let tensor = tensor.contiguous()?;
                let reading = Reading::new(&tensor)?;
                self.engine.write_raw(all.slice(range.clone()), reading.slice::<T>()?)?;
            }
        }
        Ok(())
    }
}
