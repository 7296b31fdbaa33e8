// Entries that a training step leaves out: the ChaCha generator with 8 rounds, as the host draws
// them (model/hmm/mask.rs), so that a run is the same on every device.

DEVICE unsigned turn(unsigned x, int by) { return x << by | x >> (32 - by); }

DEVICE void quarter(unsigned *s, int a, int b, int c, int d) {
    s[a] += s[b], s[d] = turn(s[d] ^ s[a], 16);
    s[c] += s[d], s[b] = turn(s[b] ^ s[c], 12);
    s[a] += s[b], s[d] = turn(s[d] ^ s[a], 8);
    s[c] += s[d], s[b] = turn(s[b] ^ s[c], 7);
}

DEVICE void chacha8(unsigned *to, const unsigned *key, unsigned long long counter,
                    unsigned long long stream) {
    unsigned start[16] = {0x61707865u, 0x3320646eu, 0x79622d32u, 0x6b206574u};
    for (int i = 0; i < 8; ++i) start[4 + i] = key[i];
    start[12] = (unsigned)counter, start[13] = (unsigned)(counter >> 32);
    start[14] = (unsigned)stream, start[15] = (unsigned)(stream >> 32);
    for (int i = 0; i < 16; ++i) to[i] = start[i];
    for (int round = 0; round < 4; ++round) {
        quarter(to, 0, 4, 8, 12), quarter(to, 1, 5, 9, 13);
        quarter(to, 2, 6, 10, 14), quarter(to, 3, 7, 11, 15);
        quarter(to, 0, 5, 10, 15), quarter(to, 1, 6, 11, 12);
        quarter(to, 2, 7, 8, 13), quarter(to, 3, 4, 9, 14);
    }
    for (int i = 0; i < 16; ++i) to[i] += start[i];
}

// The key of a small seed: a permuted congruential generator fills it.
DEVICE void key_of(unsigned *key, unsigned long long seed) {
    for (int i = 0; i < 8; ++i) {
        seed = seed * 6364136223846793005ull + 11634580027462260723ull;
        unsigned mixed = (unsigned)((seed >> 18 ^ seed) >> 27), by = (unsigned)(seed >> 59);
        key[i] = mixed >> by | mixed << (-by & 31);
    }
}

// Multiplies all entries by `factor` and sets dropped ones to `value`; where `keep_one` is set, a
// row that would lose everything keeps one. A thread a row: the number of entries kept before the
// next one dropped is geometric.
KERNEL drop_rows(REAL *x, int rows, int columns, double share, unsigned long long seed,
                 unsigned long long step, REAL value, REAL factor, int keep_one) {
    THREADS {
        EACH(row, (size_t)rows) {
            REAL *own = x + row * columns;
            if (factor != 1)
                for (int c = 0; c < columns; ++c) own[c] *= factor;
            unsigned key[8], block[16];
            unsigned long long number = row;
            key_of(key, seed ^ (number << 32 | number >> 32));
            unsigned long long counter = 0;
            int used = 16, lost = 0;
            REAL kept = own[row % columns];
            double by = 1 / log1p(-share), column = 0;
            for (;;) {
                if (used == 16) {
                    chacha8(block, key, counter++, step);
                    used = 0;
                }
                unsigned long long bits = (unsigned long long)block[used + 1] << 32 | block[used];
                used += 2;
                double u = (double)(bits >> 11) * (1.0 / 9007199254740992.0);
                column += floor(log1p(-u) * by);
                if (column >= columns) break;
                own[(int)column] = value;
                ++lost;
                column += 1;
            }
            if (keep_one && lost == columns) own[row % columns] = kept;
        }
    }
}
EXPORT(drop_rows)

// The same with dropped entries given: those that are not 0.
KERNEL drop_given(REAL *x, const unsigned char *dropped, int rows, int columns, REAL value,
                  REAL factor, int keep_one) {
    THREADS {
        EACH(row, (size_t)rows) {
            int lost = 0;
            REAL *own = x + row * columns, kept = own[row % columns];
            for (int c = 0; c < columns; ++c) {
                own[c] = dropped[row * columns + c] ? value : own[c] * factor;
                lost += dropped[row * columns + c] != 0;
            }
            if (keep_one && lost == columns) own[row % columns] = kept;
        }
    }
}
EXPORT(drop_given)

// What a column keeps if it would lose everything; then the columns that did get it back.
KERNEL save_spare(REAL *spare, const REAL *x, int rows, int columns) {
    THREADS { EACH(c, (size_t)columns) spare[c] = x[(c % rows) * columns + c]; }
}
EXPORT(save_spare)

KERNEL restore_spare(REAL *x, const REAL *spare, int rows, int columns) {
    THREADS {
        EACH(c, (size_t)columns) {
            bool lost = true;
            for (int row = 0; row < rows && lost; ++row)
                lost = x[(size_t)row * columns + c] == (REAL)lowest();
            if (lost) x[(c % rows) * columns + c] = spare[c];
        }
    }
}
EXPORT(restore_spare)
