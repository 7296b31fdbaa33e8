//! Differentiable layers with one output each: fewer tensors kept for the backward pass than the
//! same layer from elementary operations, and no pass over memory beside the matrix products.

use super::ModelError;
use crate::inference::Real;
use crate::inference::matrix::{Into, Matrix, MatrixMut, multiply};
use candle_core::{CpuStorage, CustomOp1, CustomOp3, Layout, Result, Shape, Storage, Tensor};
use rayon::prelude::*;

/// `x weight^T + bias`, x: (rows, in), weight: (out, in), bias: (out).
pub(super) fn linear(x: &Tensor, weight: &Tensor, bias: &Tensor) -> Result<Tensor> {
    x.contiguous()?.apply_op3(weight, bias, Linear { relu: false })
}

/// `max(x weight^T + bias, 0)`.
pub(super) fn linear_relu(x: &Tensor, weight: &Tensor, bias: &Tensor) -> Result<Tensor> {
    x.contiguous()?.apply_op3(weight, bias, Linear { relu: true })
}

/// A scalar whose gradient with respect to `x` is the given tensor: what a program outside the
/// graph computed enters it here.
pub(super) fn inject(x: &Tensor, gradient: Tensor) -> std::result::Result<Tensor, ModelError> {
    if x.shape() != gradient.shape() {
        let reason = format!("gradient {:?} of a tensor {:?}", gradient.shape(), x.shape());
        return Err(ModelError::Shape { name: "inject".into(), reason });
    }
    Ok(x.apply_op1(Inject { gradient })?)
}

struct Inject {
    gradient: Tensor,
}

impl CustomOp1 for Inject {
    fn name(&self) -> &'static str {
        "inject"
    }

    fn cpu_fwd(&self, x: &CpuStorage, _: &Layout) -> Result<(CpuStorage, Shape)> {
        let zero = match x {
            CpuStorage::F64(_) => CpuStorage::F64(vec![0.0]),
            _ => CpuStorage::F32(vec![0.0]),
        };
        Ok((zero, Shape::from(())))
    }

    fn bwd(&self, _: &Tensor, _: &Tensor, _: &Tensor) -> Result<Option<Tensor>> {
        Ok(Some(self.gradient.clone()))
    }
}

struct Linear {
    relu: bool,
}

/// The elements of a contiguous tensor.
fn elements<'a, T>(values: &'a [T], layout: &Layout) -> Result<&'a [T]> {
    match layout.contiguous_offsets() {
        Some((start, end)) => Ok(&values[start..end]),
        None => Err(candle_core::Error::msg("linear: a tensor is not contiguous")),
    }
}

impl Linear {
    fn forward<T: Real>(&self, x: &[T], weight: &[T], bias: &[T], width: usize) -> Vec<T> {
        let (rows, out) = (x.len() / width, bias.len());
        let mut y = Vec::with_capacity(rows * out);
        (0..rows).for_each(|_| y.extend_from_slice(bias));
        multiply(
            MatrixMut::new(&mut y, rows, out),
            Into::Add,
            T::ONE,
            Matrix::new(x, rows, width),
            Matrix::new(weight, out, width).t(),
        );
        if self.relu {
            y.par_chunks_mut(CHUNK).for_each(|y| y.iter_mut().for_each(|y| *y = y.max(T::ZERO)));
        }
        y
    }

    /// Gradients of x, weight and bias, from the output and its gradient.
    fn backward<T: Real>(
        &self,
        x: &[T],
        weight: &[T],
        y: &[T],
        gradient: &[T],
        width: usize,
    ) -> [Vec<T>; 3] {
        let rows = x.len() / width;
        let out = weight.len() / width;
        let masked;
        let g = if self.relu {
            let mut copy = gradient.to_vec();
            copy.par_chunks_mut(CHUNK).zip(y.par_chunks(CHUNK)).for_each(|(g, y)| {
                for (g, &y) in g.iter_mut().zip(y) {
                    *g = if y > T::ZERO { *g } else { T::ZERO };
                }
            });
            masked = copy;
            &masked[..]
        } else {
            gradient
        };
        let mut to_x = vec![T::ZERO; rows * width];
        let mut to_weight = vec![T::ZERO; out * width];
        let mut to_bias = vec![T::ZERO; out];
        let g_matrix = Matrix::new(g, rows, out);
        multiply(
            MatrixMut::new(&mut to_x, rows, width),
            Into::Replace,
            T::ONE,
            g_matrix,
            Matrix::new(weight, out, width),
        );
        multiply(
            MatrixMut::new(&mut to_weight, out, width),
            Into::Replace,
            T::ONE,
            g_matrix.t(),
            Matrix::new(x, rows, width),
        );
        for row in g.chunks_exact(out) {
            to_bias.iter_mut().zip(row).for_each(|(b, &g)| *b += g);
        }
        [to_x, to_weight, to_bias]
    }
}

/// Elements a task takes at once.
const CHUNK: usize = 1 << 14;

impl CustomOp3 for Linear {
    fn name(&self) -> &'static str {
        "linear"
    }

    fn cpu_fwd(
        &self,
        x: &CpuStorage,
        x_layout: &Layout,
        weight: &CpuStorage,
        weight_layout: &Layout,
        bias: &CpuStorage,
        bias_layout: &Layout,
    ) -> Result<(CpuStorage, Shape)> {
        let (rows, width) = x_layout.shape().dims2()?;
        let (out, inner) = weight_layout.shape().dims2()?;
        if inner != width || bias_layout.shape().dims() != [out] {
            return Err(candle_core::Error::msg("linear: shapes do not fit"));
        }
        let y = match (x, weight, bias) {
            (CpuStorage::F32(x), CpuStorage::F32(w), CpuStorage::F32(b)) => {
                CpuStorage::F32(self.forward(
                    elements(x, x_layout)?,
                    elements(w, weight_layout)?,
                    elements(b, bias_layout)?,
                    width,
                ))
            }
            (CpuStorage::F64(x), CpuStorage::F64(w), CpuStorage::F64(b)) => {
                CpuStorage::F64(self.forward(
                    elements(x, x_layout)?,
                    elements(w, weight_layout)?,
                    elements(b, bias_layout)?,
                    width,
                ))
            }
            _ => return Err(candle_core::Error::msg("linear: element types differ")),
        };
        Ok((y, Shape::from((rows, out))))
    }

    fn bwd(
        &self,
        x: &Tensor,
        weight: &Tensor,
        bias: &Tensor,
        y: &Tensor,
        gradient: &Tensor,
    ) -> Result<(Option<Tensor>, Option<Tensor>, Option<Tensor>)> {
        let gradient = gradient.contiguous()?;
        let width = x.dims2()?.1;
        let read = [x, weight, y, &gradient].map(Tensor::storage_and_layout);
        let cpu = |i: usize| match &*read[i].0 {
            Storage::Cpu(cpu) => Ok(cpu),
            _ => Err(candle_core::Error::msg("linear: this layer runs on the CPU only")),
        };
        macro_rules! run {
            ($x:expr, $w:expr, $y:expr, $g:expr) => {{
                let [dx, dw, db] = self.backward(
                    elements($x, read[0].1)?,
                    elements($w, read[1].1)?,
                    elements($y, read[2].1)?,
                    elements($g, read[3].1)?,
                    width,
                );
                (
                    Tensor::from_vec(dx, x.shape(), x.device())?,
                    Tensor::from_vec(dw, weight.shape(), x.device())?,
                    Tensor::from_vec(db, bias.shape(), x.device())?,
                )
            }};
        }
        let (dx, dw, db) = match (cpu(0)?, cpu(1)?, cpu(2)?, cpu(3)?) {
            (CpuStorage::F32(x), CpuStorage::F32(w), CpuStorage::F32(y), CpuStorage::F32(g)) => {
                run!(x, w, y, g)
            }
            (CpuStorage::F64(x), CpuStorage::F64(w), CpuStorage::F64(y), CpuStorage::F64(g)) => {
                run!(x, w, y, g)
            }
            _ => return Err(candle_core::Error::msg("linear: element types differ")),
        };
        Ok((Some(dx), Some(dw), Some(db)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use candle_core::{Device, Var};

    #[test]
    fn values_and_gradients_equal_those_of_elementary_operations() {
        let var = |rows: usize, columns: usize, by: usize| {
            let values: Vec<f64> =
                (0..rows * columns).map(|i| ((i * 7919 + by) % 101) as f64 / 50.0 - 1.0).collect();
            let shape: Vec<usize> = if rows == 1 { vec![columns] } else { vec![rows, columns] };
            Var::from_vec(values, shape, &Device::Cpu).expect("a variable")
        };
        let (x, w, b) = (var(9, 4, 1), var(5, 4, 2), var(1, 5, 3));
        let seed = var(7, 5, 4).as_tensor().detach();
        for relu in [false, true] {
            let rows = x.narrow(0, 2, 7).expect("rows");
            let ours = if relu { linear_relu(&rows, &w, &b) } else { linear(&rows, &w, &b) };
            let ours = ours.expect("a layer");
            let plain = rows.matmul(&w.t().expect("t")).and_then(|y| y.broadcast_add(&b));
            let theirs = if relu { plain.and_then(|y| y.relu()) } else { plain }.expect("a layer");
            let difference = |a: &Tensor, b: &Tensor| {
                (a - b).and_then(|d| d.abs()?.sum_all()?.to_scalar::<f64>()).expect("a number")
            };
            assert!(difference(&ours, &theirs) < 1e-12);
            let a = inject(&ours, seed.clone()).expect("a scalar").backward().expect("gradients");
            let product = (&theirs * &seed).and_then(|p| p.sum_all()).expect("a scalar");
            let b_ = product.backward().expect("gradients");
            for v in [&x, &w, &b] {
                let (ours, theirs) = (a.get(v).expect("ours"), b_.get(v).expect("theirs"));
                assert!(difference(ours, theirs) < 1e-12);
            }
        }
        assert!(inject(&x, seed).is_err());
    }
}
