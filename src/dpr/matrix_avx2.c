/* The matrix product for CPUs with AVX2 and FMA: the bits of matrix_portable.c, in tiles.
 *
 * Six rows by two vectors of C stay in registers while the inner index runs: twelve sums hide the
 * latency of a fused multiply-add, and eight loads feed twelve of them. What is left below six
 * rows, or eight columns, is done by smaller tiles and single entries. Each entry is still one
 * chain of fused multiply-adds from zero, the inner index upwards, so tiles change no bit.
 *
 * Matrices of the usual 64 or 128 columns are read in place. Wider ones have rows a multiple of
 * 4096 bytes apart, whose cache lines all fall into one set of the first-level cache, so their
 * columns are copied side by side first, 256 rows at a time; a sum that goes on in the next panel
 * waits in C, as the double that it is.
 *
 * Cost: m n k multiply-adds, 21 to 23 a nanosecond on one core of 3.2 GHz (64 x 64 x 64), 15 to 19
 * for 512 x 512 x 512 (9 to 13 without the copies). */
#include "dpr/matrix.h"

#if defined(__x86_64__)
#include <immintrin.h>
#include <math.h>

enum {
    TILE_ROWS = 6,
    LANES = 4,
    MOST_VECTORS = 2,
    PACK_ROWS = 36,  /* at least so many rows of A and */
    PACK_INNER = 192 /* rows of B: then its columns are copied first */
};

/* rows x (4 * vectors) entries; both are constants where it is called. The sums begin at zero, or
 * with `go_on` at what stands in c. */
static inline __attribute__((always_inline)) void
multiply_tile(int rows, int vectors, bool go_on, uint64_t k, const double *a, uint64_t a_row,
              uint64_t a_col, const double *b, uint64_t b_row, double *c, uint64_t c_row)
{
    __m256d sum[TILE_ROWS][MOST_VECTORS], right[MOST_VECTORS];
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < vectors; j++)
            sum[i][j] =
                go_on ? _mm256_loadu_pd(c + (uint64_t)i * c_row + j * LANES) : _mm256_setzero_pd();
    for (uint64_t l = 0; l < k; l++, a += a_col, b += b_row) {
        for (int j = 0; j < vectors; j++)
            right[j] = _mm256_loadu_pd(b + j * LANES);
        for (int i = 0; i < rows; i++) {
            __m256d left = _mm256_broadcast_sd(a + (uint64_t)i * a_row);
            for (int j = 0; j < vectors; j++)
                sum[i][j] = _mm256_fmadd_pd(left, right[j], sum[i][j]);
        }
    }
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < vectors; j++)
            _mm256_storeu_pd(c + (uint64_t)i * c_row + j * LANES, sum[i][j]);
}

/* All rows of 4 * vectors columns. */
static inline __attribute__((always_inline)) void
multiply_columns(int vectors, bool go_on, uint64_t m, uint64_t k, const double *a, uint64_t a_row,
                 uint64_t a_col, const double *b, uint64_t b_row, double *c, uint64_t c_row)
{
    uint64_t i = 0;
    for (; i + TILE_ROWS <= m; i += TILE_ROWS)
        multiply_tile(TILE_ROWS, vectors, go_on, k, a + i * a_row, a_row, a_col, b, b_row,
                      c + i * c_row, c_row);
    if (i + 4 <= m) {
        multiply_tile(4, vectors, go_on, k, a + i * a_row, a_row, a_col, b, b_row, c + i * c_row,
                      c_row);
        i += 4;
    }
    for (; i < m; i++)
        multiply_tile(1, vectors, go_on, k, a + i * a_row, a_row, a_col, b, b_row, c + i * c_row,
                      c_row);
}

/* One column, eight rows side by side: their chains do not wait for each other. */
static void multiply_column(uint64_t m, uint64_t k, const double *a, uint64_t a_row, uint64_t a_col,
                            const double *b, uint64_t b_row, double *c, uint64_t c_row)
{
    enum { ROWS = 8 };
    uint64_t i = 0;
    for (; i + ROWS <= m; i += ROWS) {
        double sum[ROWS] = {0};
        for (uint64_t l = 0; l < k; l++)
            for (uint64_t q = 0; q < ROWS; q++)
                sum[q] = fma(a[(i + q) * a_row + l * a_col], b[l * b_row], sum[q]);
        for (uint64_t q = 0; q < ROWS; q++)
            c[(i + q) * c_row] = sum[q];
    }
    for (; i < m; i++) {
        double sum = 0;
        for (uint64_t l = 0; l < k; l++)
            sum = fma(a[i * a_row + l * a_col], b[l * b_row], sum);
        c[i * c_row] = sum;
    }
}

/* Two vectors of columns, b copied side by side first, PANEL rows of it at a time. */
static void multiply_panel(uint64_t m, uint64_t k, const double *a, uint64_t a_row, uint64_t a_col,
                           const double *b, uint64_t b_row, double *c, uint64_t c_row)
{
    enum { PANEL = 256, COLUMNS = 2 * LANES };
    double panel[PANEL * COLUMNS];
    for (uint64_t first = 0; first < k; first += PANEL) {
        uint64_t some = k - first < PANEL ? k - first : PANEL;
        for (uint64_t l = 0; l < some; l++)
            for (uint64_t j = 0; j < COLUMNS; j++)
                panel[l * COLUMNS + j] = b[(first + l) * b_row + j];
        multiply_columns(2, first > 0, m, some, a + first * a_col, a_row, a_col, panel, COLUMNS, c,
                         c_row);
    }
}

void pdpr_i_multiply_avx2(uint64_t m, uint64_t n, uint64_t k, const double *a, uint64_t a_row,
                          uint64_t a_col, const double *b, uint64_t b_row, double *c,
                          uint64_t c_row)
{
    uint64_t j = 0;
    bool pack = m >= PACK_ROWS && k >= PACK_INNER;
    for (; j + 2 * LANES <= n; j += 2 * LANES)
        if (pack)
            multiply_panel(m, k, a, a_row, a_col, b + j, b_row, c + j, c_row);
        else
            multiply_columns(2, false, m, k, a, a_row, a_col, b + j, b_row, c + j, c_row);
    if (j + LANES <= n) {
        multiply_columns(1, false, m, k, a, a_row, a_col, b + j, b_row, c + j, c_row);
        j += LANES;
    }
    for (; j < n; j++) /* the last few columns, one by one */
        multiply_column(m, k, a, a_row, a_col, b + j, b_row, c + j, c_row);
}
#endif
