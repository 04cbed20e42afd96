/* Body of the matrix product, compiled once per instruction set (matrix_portable.c, matrix_avx2.c),
 * which defines MATRIX_LANES, the doubles in one of its registers, before including this.
 *
 * A tile of four rows by two vectors stays in registers while the inner index runs. The vectors
 * are the compiler's own type; one wider than the registers would be spilled at every step
 * (measured: 16 times slower), hence MATRIX_LANES. No instruction fuses product and sum, and the
 * inner index runs upwards for every entry, so that the result does not depend on the target, on
 * the tile, or on how rows are shared out. Cost: m n k multiply-adds. Blocking for caches beyond
 * the registers is left out: the matrices here are 64 to 512 wide and lie in the second-level
 * cache. */
#ifndef PDPR_DPR_MATRIX_KERNEL_H
#define PDPR_DPR_MATRIX_KERNEL_H

#include <stdint.h>
#include <string.h>

enum { TILE_ROWS = 4, LANES = MATRIX_LANES, TILE_COLS = 2 * LANES };

typedef double lanes __attribute__((vector_size(LANES * sizeof(double))));

/* Up to TILE_ROWS rows by TILE_COLS columns. `rows` is a constant where it is called. */
static inline void multiply_tile(uint64_t rows, uint64_t k, const double *a, uint64_t a_row,
                                 uint64_t a_col, const double *b, uint64_t b_row, double *c,
                                 uint64_t c_row)
{
    lanes sum[TILE_ROWS][2];
    memset(sum, 0, sizeof sum);
    for (uint64_t l = 0; l < k; l++) {
        lanes b0, b1;
        memcpy(&b0, b + l * b_row, sizeof b0);
        memcpy(&b1, b + l * b_row + LANES, sizeof b1);
        for (uint64_t i = 0; i < rows; i++) {
            double x = a[i * a_row + l * a_col];
            sum[i][0] += x * b0;
            sum[i][1] += x * b1;
        }
    }
    for (uint64_t i = 0; i < rows; i++)
        memcpy(c + i * c_row, sum[i], sizeof sum[i]);
}

static inline void multiply_body(uint64_t m, uint64_t n, uint64_t k, const double *a,
                                 uint64_t a_row, uint64_t a_col, const double *b, uint64_t b_row,
                                 double *c, uint64_t c_row)
{
    uint64_t j = 0;
    for (; j + TILE_COLS <= n; j += TILE_COLS) {
        uint64_t i = 0;
        for (; i + TILE_ROWS <= m; i += TILE_ROWS)
            multiply_tile(TILE_ROWS, k, a + i * a_row, a_row, a_col, b + j, b_row,
                          c + i * c_row + j, c_row);
        for (; i < m; i++)
            multiply_tile(1, k, a + i * a_row, a_row, a_col, b + j, b_row, c + i * c_row + j,
                          c_row);
    }
    for (; j < n; j++) /* the last few columns one by one */
        for (uint64_t i = 0; i < m; i++) {
            double sum = 0;
            for (uint64_t l = 0; l < k; l++)
                sum += a[i * a_row + l * a_col] * b[l * b_row + j];
            c[i * c_row + j] = sum;
        }
}

#endif
