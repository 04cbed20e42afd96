/* The matrix product for any machine; the reference that other forms are compared with.
 *
 * Product and sum are fused, because the form for AVX2 is twice as fast that way (matrix_avx2.c)
 * and all forms must give the same bits. fma() is one instruction on ARM and on x86-64 since 2013;
 * on older x86-64 it is a subroutine that makes this form slow, and still right. */
#include "dpr/matrix.h"

#include <math.h>

void pdpr_i_multiply_portable(uint64_t m, uint64_t n, uint64_t k, const double *a, uint64_t a_row,
                              uint64_t a_col, const double *b, uint64_t b_row, double *c,
                              uint64_t c_row)
{
    for (uint64_t i = 0; i < m; i++) {
        double *row = c + i * c_row;
        for (uint64_t j = 0; j < n; j++)
            row[j] = 0;
        for (uint64_t l = 0; l < k; l++) {
            double left = a[i * a_row + l * a_col];
            for (uint64_t j = 0; j < n; j++)
                row[j] = fma(left, b[l * b_row + j], row[j]);
        }
    }
}

pdpr_i_multiply pdpr_i_multiply_choose(const pdpr_context *ctx)
{
#if defined(__x86_64__)
    if (ctx->cpu_used >= PDPR_CPU_AVX2)
        return pdpr_i_multiply_avx2;
#endif
    (void)ctx;
    return pdpr_i_multiply_portable;
}

/* By blocks of a cache line: rows of a power of two apart share few places in the first-level
 * cache.
 */
void pdpr_i_transpose(uint64_t rows, uint64_t cols, const double *in, uint64_t in_row, double *out,
                      uint64_t out_row)
{
    enum { BLOCK = 8 };
    for (uint64_t i = 0; i < rows; i += BLOCK)
        for (uint64_t j = 0; j < cols; j += BLOCK) {
            uint64_t i_end = rows - i < BLOCK ? rows : i + BLOCK;
            uint64_t j_end = cols - j < BLOCK ? cols : j + BLOCK;
            for (uint64_t y = j; y < j_end; y++)
                for (uint64_t x = i; x < i_end; x++)
                    out[y * out_row + x] = in[x * in_row + y];
        }
}
