// Softmaxes over rows and over columns, their gradients, and the emissions' fused parts.

// In place; a block a row.
KERNEL softmax_rows(REAL *x, int columns) {
    SHARED REAL tops[WIDE];
    SHARED double sums[WIDE];
    REAL *row = x + (size_t)blockIdx.x * columns;
    THREADS {
        REAL top = (REAL)lowest();
        for (int c = t; c < columns; c += BLOCK) top = row[c] > top ? row[c] : top;
        tops[t] = top;
    }
    reduce_max(tops);
    THREADS {
        double sum = 0;
        for (int c = t; c < columns; c += BLOCK) {
            REAL e = exp(row[c] - tops[0]);
            row[c] = e;
            sum += e;
        }
        sums[t] = sum;
    }
    reduce_sum(sums);
    THREADS {
        REAL factor = (REAL)(1 / sums[0]);
        for (int c = t; c < columns; c += BLOCK) row[c] *= factor;
    }
}
EXPORT(softmax_rows)

// gradient = p * (gradient - p . gradient), a block a row.
KERNEL softmax_rows_backward(REAL *gradient, const REAL *p, int columns) {
    SHARED double sums[WIDE];
    size_t at = (size_t)blockIdx.x * columns;
    THREADS {
        double sum = 0;
        for (int c = t; c < columns; c += BLOCK) sum += (double)gradient[at + c] * p[at + c];
        sums[t] = sum;
    }
    reduce_sum(sums);
    THREADS {
        REAL dot = (REAL)sums[0];
        for (int c = t; c < columns; c += BLOCK)
            gradient[at + c] = p[at + c] * (gradient[at + c] - dot);
    }
}
EXPORT(softmax_rows_backward)

// Largest of every column and the sum of exp(x - largest), for `chunk` rows at a time, as
// column_sums: partial tops and sums (chunks, columns).
KERNEL column_peaks(REAL *tops, double *sums, const REAL *x, int rows, int columns, int chunk) {
    SHARED REAL own_top[WIDE];
    SHARED double own_sum[WIDE];
    int from = blockIdx.y * chunk, to = from + chunk < rows ? from + chunk : rows;
    THREADS {
        int column = blockIdx.x * 32 + t % 32;
        REAL top = (REAL)lowest();
        double sum = 0;
        if (column < columns)
            for (int row = from + t / 32; row < to; row += BLOCK / 32) {
                REAL value = x[(size_t)row * columns + column];
                if (value > top) {
                    sum = sum * exp((double)(top - value)) + 1;
                    top = value;
                } else if (value > (REAL)lowest()) {
                    sum += exp(value - top);
                } else if (!(value == value)) {
                    sum = value;
                }
            }
        own_top[t] = top;
        own_sum[t] = sum;
    }
    THREADS {
        int column = blockIdx.x * 32 + t;
        if (t < 32 && column < columns) {
            REAL top = own_top[t];
            for (int i = t; i < BLOCK; i += 32) top = own_top[i] > top ? own_top[i] : top;
            double sum = 0;
            for (int i = t; i < BLOCK; i += 32)
                if (own_sum[i] != 0) sum += own_sum[i] * exp((double)(own_top[i] - top));
            tops[(size_t)blockIdx.y * columns + column] = top;
            sums[(size_t)blockIdx.y * columns + column] = sum;
        }
    }
}
EXPORT(column_peaks)

// Joins the chunks into the first.
KERNEL join_peaks(REAL *tops, double *sums, int chunks, int columns) {
    THREADS {
        EACH(column, (size_t)columns) {
            REAL top = tops[column];
            for (int i = 1; i < chunks; ++i) {
                REAL other = tops[(size_t)i * columns + column];
                top = other > top ? other : top;
            }
            double sum = 0;
            for (int i = 0; i < chunks; ++i) {
                size_t at = (size_t)i * columns + column;
                if (sums[at] != 0) sum += sums[at] * exp((double)(tops[at] - top));
            }
            tops[column] = top;
            sums[column] = sum;
        }
    }
}
EXPORT(join_peaks)

// x = exp(x - top) / sum of its column.
KERNEL softmax_columns(REAL *x, const REAL *tops, const double *sums, size_t n, int columns) {
    THREADS {
        EACH(i, n) {
            int column = i % columns;
            x[i] = (REAL)(exp(x[i] - tops[column]) / sums[column]);
        }
    }
}
EXPORT(softmax_columns)

// Log of the sum of exp over every column, from its largest and its sum.
KERNEL log_sums(REAL *to, const REAL *tops, const double *sums, int columns) {
    THREADS {
        EACH(c, (size_t)columns) to[c] = (REAL)(tops[c] + log(sums[c]));
    }
}
EXPORT(log_sums)

// Every row of `from` plus its own number: to (rows, columns).
KERNEL add_to_rows(REAL *to, const REAL *from, const REAL *numbers, size_t n, int columns) {
    THREADS { EACH(i, n) to[i] = from[i] + numbers[i / columns]; }
}
EXPORT(add_to_rows)

// The same with numbers in double precision, in place.
KERNEL add_logs_to_rows(REAL *x, const double *numbers, size_t n, int columns) {
    THREADS { EACH(i, n) x[i] += (REAL)numbers[i / columns]; }
}
EXPORT(add_logs_to_rows)

// scores -= half of the squared norms.
KERNEL subtract_half(REAL *scores, const REAL *squares, size_t n) {
    THREADS { EACH(i, n) scores[i] -= (REAL)0.5 * squares[i]; }
}
EXPORT(subtract_half)

// Features of an LHMM, a block a feature: v_gradient += v * sum of u_gradient + share * start, and
// the sum of share * start over states.
KERNEL features_backward(REAL *v_gradient, REAL *from_start, const REAL *u_gradient, const REAL *v,
                         const REAL *shares, const REAL *start, int states) {
    SHARED double logs[WIDE], sums[WIDE];
    size_t at = (size_t)blockIdx.x * states;
    THREADS {
        double log_c = 0, sum = 0;
        for (int s = t; s < states; s += BLOCK) {
            log_c += u_gradient[at + s];
            sum += (double)shares[at + s] * start[s];
        }
        logs[t] = log_c;
        sums[t] = sum;
    }
    reduce_sum(logs);
    reduce_sum(sums);
    THREADS {
        REAL log_c = (REAL)logs[0];
        for (int s = t; s < states; s += BLOCK)
            v_gradient[at + s] += v[at + s] * log_c + shares[at + s] * start[s];
        if (t == 0) from_start[blockIdx.x] = (REAL)sums[0];
    }
}
EXPORT(features_backward)

// gradient = p * (gradient - dot of its column).
KERNEL softmax_columns_backward(REAL *gradient, const REAL *p, const REAL *dots, size_t n,
                                int columns) {
    THREADS { EACH(i, n) gradient[i] = p[i] * (gradient[i] - dots[i % columns]); }
}
EXPORT(softmax_columns_backward)

// x = exp(x + bias - largest of its row); log normalisers in nats, and 1 / sum. A block a row.
KERNEL exponentials(REAL *x, const REAL *bias, double *log_normalisers, REAL *factors,
                    int columns) {
    SHARED REAL tops[WIDE];
    SHARED double sums[WIDE];
    REAL *row = x + (size_t)blockIdx.x * columns;
    THREADS {
        REAL top = (REAL)lowest();
        for (int c = t; c < columns; c += BLOCK) {
            REAL value = row[c] + bias[c];
            row[c] = value;
            top = value > top ? value : top;
        }
        tops[t] = top;
    }
    reduce_max(tops);
    THREADS {
        double sum = 0;
        for (int c = t; c < columns; c += BLOCK) {
            REAL e = exp(row[c] - tops[0]);
            row[c] = e;
            sum += e;
        }
        sums[t] = sum;
    }
    reduce_sum(sums);
    THREADS {
        if (t == 0) {
            log_normalisers[blockIdx.x] = tops[0] + log(sums[0]);
            factors[blockIdx.x] = (REAL)(1 / sums[0]);
        }
    }
}
EXPORT(exponentials)

// Logits of chosen words, (words, states), become probabilities divided by each row's largest,
// whose logarithms are the scales, nats. A block a word.
KERNEL emitted(REAL *x, const REAL *bias, const int *words, const double *log_normalisers,
               double *scales, int states) {
    SHARED REAL tops[WIDE];
    REAL *row = x + (size_t)blockIdx.x * states;
    double own = bias[words[blockIdx.x]];
    THREADS {
        REAL top = (REAL)lowest();
        for (int c = t; c < states; c += BLOCK) {
            REAL value = (REAL)(row[c] + own - log_normalisers[c]);
            row[c] = value;
            top = value > top ? value : top;
        }
        tops[t] = top;
    }
    reduce_max(tops);
    THREADS {
        for (int c = t; c < states; c += BLOCK) row[c] = exp(row[c] - tops[0]);
        if (t == 0) scales[blockIdx.x] = tops[0];
    }
}
EXPORT(emitted)

// From the gradient of scaled probabilities to that of their logarithms; with a floor the scale is
// part of the value, and its gradient goes to the first largest. A block a word.
KERNEL emitted_backward(REAL *gradient, const REAL *p, const double *scale_gradients, int states,
                        int with_scales) {
    SHARED double sums[WIDE];
    size_t at = (size_t)blockIdx.x * states;
    THREADS {
        double sum = 0;
        for (int c = t; c < states; c += BLOCK) {
            REAL g = gradient[at + c] * p[at + c];
            gradient[at + c] = g;
            sum += g;
        }
        sums[t] = sum;
    }
    reduce_sum(sums);
    THREADS {
        if (t == 0 && with_scales) {
            int top = 0;
            for (int c = 1; c < states; ++c)
                if (p[at + c] > p[at + top]) top = c;
            gradient[at + top] += (REAL)(scale_gradients[blockIdx.x] - sums[0]);
        }
    }
}
EXPORT(emitted_backward)

// bias[words[i]] += sum of row i. A block a word.
KERNEL add_row_sums(REAL *bias, const REAL *x, const int *words, int columns) {
    SHARED double sums[WIDE];
    size_t at = (size_t)blockIdx.x * columns;
    THREADS {
        double sum = 0;
        for (int c = t; c < columns; c += BLOCK) sum += x[at + c];
        sums[t] = sum;
    }
    reduce_sum(sums);
    THREADS {
        if (t == 0) bias[words[blockIdx.x]] += (REAL)sums[0];
    }
}
EXPORT(add_row_sums)
