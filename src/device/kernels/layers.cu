// Elementwise parts of the networks.

KERNEL fill(REAL *x, REAL value, size_t n) {
    THREADS { EACH(i, n) x[i] = value; }
}
EXPORT(fill)

KERNEL add_constant(REAL *x, REAL value, size_t n) {
    THREADS { EACH(i, n) x[i] += value; }
}
EXPORT(add_constant)

KERNEL add(REAL *to, const REAL *a, const REAL *b, size_t n) {
    THREADS { EACH(i, n) to[i] = a[i] + b[i]; }
}
EXPORT(add)

// y: (rows, columns), bias: (columns). NaN stays NaN, so that broken weights are noticed.
KERNEL add_bias(REAL *y, const REAL *bias, size_t n, int columns, int relu) {
    THREADS {
        EACH(i, n) {
            REAL x = y[i] + bias[i % columns];
            y[i] = relu && x < 0 ? (REAL)0 : x;
        }
    }
}
EXPORT(add_bias)

// Clears the gradient where a rectified output is zero.
KERNEL mask_relu(REAL *gradient, const REAL *y, size_t n) {
    THREADS {
        EACH(i, n) if (!(y[i] > 0)) gradient[i] = 0;
    }
}
EXPORT(mask_relu)

// x: (rows, columns), every row times its factor.
KERNEL scale_rows(REAL *x, const REAL *factors, size_t n, int columns) {
    THREADS { EACH(i, n) x[i] *= factors[i / columns]; }
}
EXPORT(scale_rows)

// to = from with every row times its factor and -1.
KERNEL scaled_copy(REAL *to, const REAL *from, const REAL *factors, size_t n, int columns) {
    THREADS { EACH(i, n) to[i] = -from[i] * factors[i / columns]; }
}
EXPORT(scaled_copy)

// to -= from with every row times its factor.
KERNEL subtract_scaled(REAL *to, const REAL *from, const REAL *factors, size_t n, int columns) {
    THREADS { EACH(i, n) to[i] -= from[i] * factors[i / columns]; }
}
EXPORT(subtract_scaled)

KERNEL product(REAL *to, const REAL *a, const REAL *b, REAL factor, size_t n) {
    THREADS { EACH(i, n) to[i] = a[i] * b[i] * factor; }
}
EXPORT(product)

// Rows of a matrix by number: to (count, columns).
KERNEL gather_rows(REAL *to, const REAL *from, const int *rows, size_t n, int columns) {
    THREADS { EACH(i, n) to[i] = from[(size_t)rows[i / columns] * columns + i % columns]; }
}
EXPORT(gather_rows)

// Adds rows to those of a matrix by number; no number comes twice.
KERNEL scatter_rows(REAL *to, const REAL *from, const int *rows, size_t n, int columns) {
    THREADS { EACH(i, n) to[(size_t)rows[i / columns] * columns + i % columns] += from[i]; }
}
EXPORT(scatter_rows)

// Sums of the rows of each group, times a factor: group g has rows[first[g]] to
// rows[first[g + 1] - 1]. A block a group.
KERNEL sum_groups(REAL *to, const REAL *from, const int *first, const int *rows, int columns,
                  REAL factor) {
    int group = blockIdx.x;
    THREADS {
        for (int c = t; c < columns; c += BLOCK) {
            REAL sum = 0;
            for (int i = first[group]; i < first[group + 1]; ++i)
                sum += from[(size_t)rows[i] * columns + c];
            to[(size_t)group * columns + c] = sum * factor;
        }
    }
}
EXPORT(sum_groups)

// The same for the dot products of rows: d log-scale of each group. A block a group.
KERNEL dot_groups(double *to, const REAL *a, const REAL *b, const int *first, const int *rows,
                  int columns, double factor) {
    SHARED double sums[WIDE];
    int group = blockIdx.x;
    THREADS {
        double sum = 0;
        for (int i = first[group]; i < first[group + 1]; ++i)
            for (int c = t; c < columns; c += BLOCK) {
                size_t at = (size_t)rows[i] * columns + c;
                sum += (double)a[at] * b[at];
            }
        sums[t] = sum;
    }
    reduce_sum(sums);
    THREADS {
        if (t == 0) to[group] = sums[0] * factor;
    }
}
EXPORT(dot_groups)

// to[row] = a[row] . b[row]. A block a row.
KERNEL row_dots(REAL *to, const REAL *a, const REAL *b, int columns) {
    SHARED double sums[WIDE];
    size_t at = (size_t)blockIdx.x * columns;
    THREADS {
        double sum = 0;
        for (int c = t; c < columns; c += BLOCK) sum += (double)a[at + c] * b[at + c];
        sums[t] = sum;
    }
    reduce_sum(sums);
    THREADS {
        if (t == 0) to[blockIdx.x] = (REAL)sums[0];
    }
}
EXPORT(row_dots)

// Sums over rows of a * b, of a * weights[row] or of a alone, for `chunk` rows at a time: partial
// (chunks, columns). Blocks are 32 columns wide and BLOCK / 32 rows deep; a column of the grid has
// 32 columns, a row of it one chunk.
KERNEL column_sums(double *partial, const REAL *a, const REAL *b, const REAL *weights, int rows,
                   int columns, int chunk) {
    SHARED double sums[WIDE];
    int from = blockIdx.y * chunk, to = from + chunk < rows ? from + chunk : rows;
    THREADS {
        int column = blockIdx.x * 32 + t % 32;
        double sum = 0;
        if (column < columns)
            for (int row = from + t / 32; row < to; row += BLOCK / 32) {
                size_t at = (size_t)row * columns + column;
                double x = a[at];
                sum += b ? x * b[at] : weights ? x * weights[row] : x;
            }
        sums[t] = sum;
    }
    THREADS {
        int column = blockIdx.x * 32 + t;
        if (t < 32 && column < columns) {
            double sum = 0;
            for (int i = t; i < BLOCK; i += 32) sum += sums[i];
            partial[(size_t)blockIdx.y * columns + column] = sum;
        }
    }
}
EXPORT(column_sums)

// to = (add ? to : 0) + factor * sum over chunks.
KERNEL join_columns(REAL *to, const double *partial, int chunks, int columns, REAL factor,
                    int add) {
    THREADS {
        EACH(column, (size_t)columns) {
            double sum = 0;
            for (int i = 0; i < chunks; ++i) sum += partial[(size_t)i * columns + column];
            REAL x = (REAL)(sum * factor);
            to[column] = add ? to[column] + x : x;
        }
    }
}
EXPORT(join_columns)

// Sum of squares, a part a block; then all parts.
KERNEL squares(double *partial, const REAL *x, size_t n) {
    SHARED double sums[WIDE];
    THREADS {
        double sum = 0;
        EACH(i, n) sum += (double)x[i] * x[i];
        sums[t] = sum;
    }
    reduce_sum(sums);
    THREADS {
        if (t == 0) partial[blockIdx.x] = sums[0];
    }
}
EXPORT(squares)

KERNEL join_squares(double *to, const double *partial, int parts) {
    SHARED double sums[WIDE];
    THREADS {
        double sum = 0;
        for (int i = t; i < parts; i += BLOCK) sum += partial[i];
        sums[t] = sum;
    }
    reduce_sum(sums);
    THREADS {
        if (t == 0) to[0] = sums[0];
    }
}
EXPORT(join_squares)

// Adam and AdamW as PyTorch has them. The clip factor is folded in; nothing happens where the
// norm of the gradient is no number.
KERNEL adam(REAL *parameter, const REAL *gradient, REAL *first, REAL *second,
            const double *norm_squared, double clip, double beta1, double beta2, double step_size,
            double root_correction, double decoupled, double coupled, size_t n) {
    THREADS {
        double norm = sqrt(norm_squared[0]);
        double share = clip > 0 && clip / (norm + 1e-6) < 1 ? clip / (norm + 1e-6) : 1;
        REAL scale = (REAL)share, keep2 = (REAL)beta2;
        REAL take1 = (REAL)(1 - beta1), take2 = (REAL)(1 - beta2);
        REAL root_by = (REAL)root_correction, by = (REAL)step_size, epsilon = (REAL)1e-8;
        if (is_finite(norm)) EACH(i, n) {
                REAL p = parameter[i], m = first[i], v = second[i];
                REAL g = gradient[i] * scale + (REAL)coupled * p;
                m += (g - m) * take1;
                v = v * keep2 + take2 * g * g;
                REAL root = sqrt(v) / root_by + epsilon;
                parameter[i] = p * (REAL)decoupled - by * m / root;
                first[i] = m;
                second[i] = v;
            }
    }
}
EXPORT(adam)
