//! Softmaxes and emissions: kernels/softmax.cu.

use super::{CHUNK, Columns, Done, ELEMENTS, int};
use crate::device::driver::Arg::{Int, Long, Pointer};
use crate::device::{Doubles, Engine, Ints, Reals};

impl Engine {
    /// In place over rows of so many columns.
    pub fn softmax_rows(&self, x: Reals<'_>, columns: usize) -> Done {
        let args = [Pointer(x.at()), int(columns)];
        self.by_row("softmax_rows", (x.len() / columns, columns), &args)
    }

    /// From the gradient of the probabilities p to that of their logits, in place.
    pub fn softmax_rows_backward(&self, p: Reals<'_>, gradient: Reals<'_>, columns: usize) -> Done {
        assert_eq!(p.len(), gradient.len());
        let args = [Pointer(gradient.at()), Pointer(p.at()), int(columns)];
        self.by_row("softmax_rows_backward", (p.len() / columns, columns), &args)
    }

    /// In place over each of so many columns.
    pub fn softmax_columns(&self, x: Reals<'_>, columns: usize, scratch: &mut Columns) -> Done {
        let rows = x.len() / columns;
        let chunks = rows.div_ceil(CHUNK).max(1);
        let tops = scratch.tops.reals(self, chunks * columns)?;
        let sums = scratch.sums.doubles(self, chunks * columns)?;
        let [tops, sums] = [Pointer(tops.at()), Pointer(sums.at())];
        let args = [tops, sums, Pointer(x.at()), int(rows), int(columns), int(CHUNK)];
        self.launch("column_peaks", [columns.div_ceil(32), chunks], ELEMENTS, &args)?;
        self.each("join_peaks", columns, &[tops, sums, int(chunks), int(columns)])?;
        let args = [Pointer(x.at()), tops, sums, Long(x.len() as u64), int(columns)];
        self.each("softmax_columns", x.len(), &args)
    }

    /// [`Engine::softmax_columns`] that also gives the log of each column's normaliser, nats.
    pub fn softmax_columns_with_logs(
        &self,
        x: Reals<'_>,
        log_normalisers: Reals<'_>,
        scratch: &mut Columns,
    ) -> Done {
        let columns = log_normalisers.len();
        self.softmax_columns(x, columns, scratch)?;
        let tops = scratch.tops.as_reals(self, columns);
        let sums = scratch.sums.as_doubles(columns);
        let args =
            [Pointer(log_normalisers.at()), Pointer(tops.at()), Pointer(sums.at()), int(columns)];
        self.each("log_sums", columns, &args)
    }

    /// `to` is every row of `from` plus its own number.
    pub fn add_to_rows(&self, to: Reals<'_>, from: Reals<'_>, numbers: Reals<'_>) -> Done {
        self.rows_of("add_to_rows", to, from, numbers)
    }

    /// Adds its own number to every row of x.
    pub fn add_logs_to_rows(&self, x: Reals<'_>, numbers: Doubles<'_>) -> Done {
        let args = [
            Pointer(x.at()),
            Pointer(numbers.at()),
            Long(x.len() as u64),
            int(x.len() / numbers.len()),
        ];
        self.each("add_logs_to_rows", x.len(), &args)
    }

    /// `scores -= squares / 2`
    pub fn subtract_half(&self, scores: Reals<'_>, squares: Reals<'_>) -> Done {
        assert_eq!(scores.len(), squares.len());
        let args = [Pointer(scores.at()), Pointer(squares.at()), Long(scores.len() as u64)];
        self.each("subtract_half", scores.len(), &args)
    }

    /// See kernels/softmax.cu: gradients of v and of the start's features, of an LHMM whose
    /// matrices are (features, states).
    pub fn features_backward(
        &self,
        [v_gradient, from_start]: [Reals<'_>; 2],
        [u_gradient, v, shares, start]: [Reals<'_>; 4],
    ) -> Done {
        let (features, states) = (from_start.len(), start.len());
        assert!([v_gradient, u_gradient, v, shares].iter().all(|x| x.len() == features * states));
        let args = [
            Pointer(v_gradient.at()),
            Pointer(from_start.at()),
            Pointer(u_gradient.at()),
            Pointer(v.at()),
            Pointer(shares.at()),
            Pointer(start.at()),
            int(states),
        ];
        self.by_row("features_backward", (features, states), &args)
    }

    /// The gradient of [`Engine::softmax_columns`] with the dot products of p and its gradient in
    /// each column, in place.
    pub fn softmax_columns_backward(&self, p: Reals, gradient: Reals, dots: Reals) -> Done {
        assert_eq!(p.len(), gradient.len());
        let args = [
            Pointer(gradient.at()),
            Pointer(p.at()),
            Pointer(dots.at()),
            Long(p.len() as u64),
            int(dots.len()),
        ];
        self.each("softmax_columns_backward", p.len(), &args)
    }

    /// x becomes exp(x + bias - row maximum); log normalisers, nats, and 1 / sums of the rows.
    pub fn exponentials(
        &self,
        x: Reals<'_>,
        bias: Reals<'_>,
        log_normalisers: Doubles<'_>,
        factors: Reals<'_>,
    ) -> Done {
        let columns = bias.len();
        assert!(x.len() == columns * factors.len() && factors.len() == log_normalisers.len());
        let args = [
            Pointer(x.at()),
            Pointer(bias.at()),
            Pointer(log_normalisers.at()),
            Pointer(factors.at()),
            int(columns),
        ];
        self.by_row("exponentials", (factors.len(), columns), &args)
    }

    /// Logits of words, (words, states), become scaled probabilities; log-scales, nats.
    pub fn emitted(
        &self,
        x: Reals<'_>,
        bias: Reals<'_>,
        words: Ints<'_>,
        log_normalisers: Doubles<'_>,
        scales: Doubles<'_>,
    ) -> Done {
        let states = log_normalisers.len();
        assert!(x.len() == states * words.len() && words.len() == scales.len());
        let args = [
            Pointer(x.at()),
            Pointer(bias.at()),
            Pointer(words.at()),
            Pointer(log_normalisers.at()),
            Pointer(scales.at()),
            int(states),
        ];
        self.by_row("emitted", (words.len(), states), &args)
    }

    /// From the gradient of scaled probabilities p to that of their logarithms, in place.
    pub fn emitted_backward(
        &self,
        gradient: Reals<'_>,
        p: Reals<'_>,
        states: usize,
        scale_gradients: Option<Doubles<'_>>,
    ) -> Done {
        let args = [
            Pointer(gradient.at()),
            Pointer(p.at()),
            Pointer(scale_gradients.map_or(0, |g| g.at())),
            int(states),
            Int(scale_gradients.is_some().into()),
        ];
        self.by_row("emitted_backward", (p.len() / states, states), &args)
    }

    /// Adds the sum of each row of x to the bias of its word.
    pub fn add_row_sums(&self, bias: Reals<'_>, x: Reals<'_>, words: Ints<'_>) -> Done {
        let columns = x.len() / words.len();
        let args = [Pointer(bias.at()), Pointer(x.at()), Pointer(words.at()), int(columns)];
        self.by_row("add_row_sums", (words.len(), columns), &args)
    }
}
