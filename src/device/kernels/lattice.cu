// Forward and backward of an HMM: see inference/rank_hmm for the equations. A block a sentence
// that is still going; rows of a time step are neighbours.

// e += floor, a = e * W[w] / z with z their sum; log z in nats.
KERNEL hmm_forward(REAL *expected, REAL *alpha, REAL *sums_of, double *log_z, const REAL *words,
                   const double *word_scales, const int *word_of, REAL floor, int from, int r) {
    SHARED double sums[WIDE];
    size_t row = from + blockIdx.x;
    size_t word = word_of[row];
    THREADS {
        double sum = 0;
        for (int q = t; q < r; q += BLOCK) {
            REAL e = expected[row * r + q] + floor, a = e * words[word * r + q];
            expected[row * r + q] = e;
            alpha[row * r + q] = a;
            sum += a;
        }
        sums[t] = sum;
    }
    reduce_sum(sums);
    THREADS {
        REAL factor = 1 / (REAL)sums[0];
        for (int q = t; q < r; q += BLOCK) alpha[row * r + q] *= factor;
        if (t == 0) {
            sums_of[row] = (REAL)sums[0];
            log_z[row] = log(sums[0]) + word_scales[word];
        }
    }
}
EXPORT(hmm_forward)

// a = y / z with y = e W and z its sum, and log z is part of log p.
KERNEL hmm_backward(REAL *expected_gradient, REAL *word_gradient, const REAL *alpha_gradient,
                    const REAL *alpha, const REAL *sums_of, const REAL *words, const int *word_of,
                    int from, int r) {
    SHARED double sums[WIDE];
    size_t row = from + blockIdx.x;
    size_t word = word_of[row];
    THREADS {
        double sum = 0;
        for (int q = t; q < r; q += BLOCK)
            sum += (double)alpha_gradient[row * r + q] * alpha[row * r + q];
        sums[t] = sum;
    }
    reduce_sum(sums);
    THREADS {
        REAL dot = (REAL)sums[0], factor = 1 / sums_of[row];
        for (int q = t; q < r; q += BLOCK) {
            REAL b = 1 + alpha_gradient[row * r + q] - dot;
            expected_gradient[row * r + q] = b * words[word * r + q] * factor;
            word_gradient[row * r + q] = b * alpha[row * r + q];
        }
    }
}
EXPORT(hmm_backward)

// Rows of `from` to all rows of `to`: (rows, columns) from (columns).
KERNEL repeat_row(REAL *to, const REAL *from, size_t n, int columns) {
    THREADS { EACH(i, n) to[i] = from[i % columns]; }
}
EXPORT(repeat_row)
