// Inside and outside of a PCFG in rank space: see inference/rank_pcfg for the equations. All spans
// of one width of all sentences are one launch, a block a span.
//
// Rows of the chart: spans by width, within a width by sentence (longest first), then by start.
// `places` and `starts` tell the sentence and the start of each row, `base` the first row of each
// width, `prefix` the sum of the lengths of the sentences before, `lengths` the lengths.

#define ROW(place, start, width)                                                                   \
    ((size_t)(base[width] + prefix[place] - (place) * ((width)-1) + (start)))

// Sides and scales of one-word spans from the leaves of their words.
KERNEL leaf_sides(REAL *sides, double *scales, const REAL *leaves, const double *leaf_scales,
                  const int *leaf_of, REAL floor, int columns) {
    size_t row = blockIdx.x, leaf = leaf_of[blockIdx.x];
    THREADS {
        for (int c = t; c < columns; c += BLOCK)
            sides[row * columns + c] = leaves[leaf * columns + c] + floor;
        if (t == 0) scales[row] = leaf_scales[leaf];
    }
}
EXPORT(leaf_sides)

// Eq. 9: alpha of a span from all its splits, divided by its largest element, and its log-scale.
KERNEL combine(REAL *alpha, double *scales, const REAL *sides, const int *places,
               const int *starts, const int *base, const int *prefix, int width, int from, int r) {
    SHARED double tops[WIDE];
    SHARED REAL peaks[WIDE], weights[WIDE];
    SHARED size_t lefts[WIDE], rights[WIDE];
    size_t row = from + blockIdx.x;
    int place = places[row], start = starts[row];
    THREADS {
        double top = lowest();
        for (int k = 1 + t; k < width; k += BLOCK) {
            double scale = scales[ROW(place, start, k)] + scales[ROW(place, start + k, width - k)];
            top = scale > top ? scale : top;
        }
        tops[t] = top;
    }
    reduce_max(tops);
    for (int tile = 1; tile < width; tile += BLOCK) {
        int count = width - tile < BLOCK ? width - tile : BLOCK;
        THREADS {
            if (t < count) {
                int k = tile + t;
                size_t left = ROW(place, start, k), right = ROW(place, start + k, width - k);
                double weight = exp(scales[left] + scales[right] - tops[0]);
                weights[t] = tops[0] == lowest() ? (REAL)0 : (REAL)weight;
                lefts[t] = left * 2 * r;
                rights[t] = right * 2 * r + r;
            }
        }
        THREADS {
            REAL peak = 0;
            for (int q = t; q < r; q += BLOCK) {
                REAL sum = tile > 1 ? alpha[row * r + q] : (REAL)0;
                for (int i = 0; i < count; ++i)
                    sum += sides[lefts[i] + q] * weights[i] * sides[rights[i] + q];
                alpha[row * r + q] = sum;
                // Not a number shows in the largest, and so in log Z.
                peak = sum > peak || !(sum == sum) ? sum : peak;
            }
            peaks[t] = peak;
        }
    }
    reduce_max(peaks);
    THREADS {
        REAL peak = peaks[0];
        if (peak > 0 && is_finite(peak)) {
            REAL factor = 1 / peak;
            for (int q = t; q < r; q += BLOCK) alpha[row * r + q] *= factor;
        }
        if (t == 0) scales[row] = tops[0] + (is_finite(peak) ? log((double)peak) : (double)(peak - peak));
    }
}
EXPORT(combine)

// Z in the scale of its top row and log Z, of the sentence at each place. A block a place.
KERNEL inside_end(double *scaled_z, double *log_z, const REAL *alpha, const double *scales,
                  const REAL *root, const int *base, const int *prefix, const int *lengths,
                  double floor, int r) {
    SHARED double sums[WIDE];
    int place = blockIdx.x;
    size_t row = ROW(place, 0, lengths[place]);
    THREADS {
        double sum = 0;
        for (int q = t; q < r; q += BLOCK) sum += (double)alpha[row * r + q] * root[q];
        sums[t] = sum;
    }
    reduce_sum(sums);
    THREADS {
        if (t == 0) {
            double z = sums[0] + floor;
            scaled_z[place] = z;
            log_z[place] = log(z) + scales[row];
        }
    }
}
EXPORT(inside_end)

// Gathers d log Z / d (left, right) of a span from all wider spans that it is a child of.
KERNEL gather(REAL *side_gradient, const REAL *alpha_gradient, const REAL *sides,
              const double *scales, const int *places, const int *starts, const int *base,
              const int *prefix, const int *lengths, int width, int from, int r) {
    SHARED REAL weights[WIDE];
    SHARED size_t parents[WIDE], siblings[WIDE];
    size_t row = from + blockIdx.x;
    int place = places[row], start = starts[row], end = start + width;
    // As a left child of [start, j) beside [end, j), then as a right child of [i, end) beside
    // [i, start).
    int lefts = lengths[place] - end, terms = lefts + start;
    int tile = 0;
    do {
        int count = terms - tile < BLOCK ? terms - tile : BLOCK;
        THREADS {
            if (t < count) {
                int i = tile + t, j = end + 1 + i, k = i - lefts;
                size_t parent = i < lefts ? ROW(place, start, j - start) : ROW(place, k, end - k);
                size_t sibling = i < lefts ? ROW(place, end, j - end) : ROW(place, k, start - k);
                double weight = exp(scales[row] + scales[sibling] - scales[parent]);
                // A parent without probability has no gradient; its scale is minus infinity.
                weights[t] = weight == weight ? (REAL)weight : (REAL)0;
                parents[t] = parent * r;
                siblings[t] = sibling * 2 * r + (i < lefts ? r : 0);
            }
        }
        THREADS {
            for (int q = t; q < r; q += BLOCK) {
                size_t at = row * 2 * r + q;
                REAL left = tile ? side_gradient[at] : (REAL)0;
                REAL right = tile ? side_gradient[at + r] : (REAL)0;
                for (int i = 0; i < count; ++i) {
                    REAL x = sides[siblings[i] + q] * weights[i] * alpha_gradient[parents[i] + q];
                    if (tile + i < lefts)
                        left += x;
                    else
                        right += x;
                }
                side_gradient[at] = left;
                side_gradient[at + r] = right;
            }
        }
        tile += BLOCK;
    } while (tile < terms);
}
EXPORT(gather)

// d log Z / d alpha of whole sentences gets the root. A block a place, from `first`.
KERNEL top_gradient(REAL *alpha_gradient, const REAL *root, const double *scaled_z,
                    const int *base, const int *prefix, const int *lengths, int first, int r) {
    int place = first + blockIdx.x;
    size_t row = ROW(place, 0, lengths[place]);
    THREADS {
        REAL factor = (REAL)(1 / scaled_z[place]);
        for (int q = t; q < r; q += BLOCK) alpha_gradient[row * r + q] += root[q] * factor;
    }
}
EXPORT(top_gradient)

// Posterior of each span; with a floor the scale of a cell is part of its value, and its gradient
// goes through the largest element that was divided out. A block a span.
KERNEL posteriors(double *to, REAL *alpha_gradient, const REAL *alpha, const REAL *sides,
                  const REAL *side_gradient, const int *places, const int *lengths, int width,
                  int from, int r, int with_scales) {
    SHARED double sums[WIDE], others[WIDE];
    size_t row = from + blockIdx.x;
    THREADS {
        double sum = 0, other = 0;
        for (int q = t; q < r; q += BLOCK)
            sum += (double)alpha[row * r + q] * alpha_gradient[row * r + q];
        if (with_scales && lengths[places[row]] != width)
            for (int q = t; q < 2 * r; q += BLOCK)
                other += (double)sides[row * 2 * r + q] * side_gradient[row * 2 * r + q];
        sums[t] = sum;
        others[t] = other;
    }
    reduce_sum(sums);
    reduce_sum(others);
    THREADS {
        if (t == 0) {
            double posterior = sums[0];
            if (with_scales) {
                double by_scale = lengths[places[row]] == width ? 1 : others[0];
                int top = 0;
                for (int q = 1; q < r; ++q)
                    if (alpha[row * r + q] > alpha[row * r + top]) top = q;
                alpha_gradient[row * r + top] += (REAL)(by_scale - posterior);
                posterior = by_scale;
            }
            to[row] = posterior;
        }
    }
}
EXPORT(posteriors)

// Gradient of the root: sum over sentences of alpha of the whole, over Z.
KERNEL root_gradient(REAL *to, const REAL *alpha, const double *scaled_z, const int *base,
                     const int *prefix, const int *lengths, int places, double factor, int r) {
    THREADS {
        EACH(q, (size_t)r) {
            REAL sum = 0;
            for (int place = 0; place < places; ++place) {
                size_t row = ROW(place, 0, lengths[place]);
                sum += alpha[row * r + q] * (REAL)(factor / scaled_z[place]);
            }
            to[q] = sum;
        }
    }
}
EXPORT(root_gradient)
