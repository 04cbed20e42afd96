/* The matrix product for any machine; the reference that other forms are compared with. */
#include "dpr/matrix.h"

#define MATRIX_LANES 2
#include "dpr/matrix_kernel.h"

void pdpr_i_multiply_portable(uint64_t m, uint64_t n, uint64_t k, const double *a, uint64_t a_row,
                              uint64_t a_col, const double *b, uint64_t b_row, double *c,
                              uint64_t c_row)
{
    multiply_body(m, n, k, a, a_row, a_col, b, b_row, c, c_row);
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

void pdpr_i_transpose(uint64_t rows, uint64_t cols, const double *in, double *out)
{
    for (uint64_t i = 0; i < rows; i++)
        for (uint64_t j = 0; j < cols; j++)
            out[j * rows + i] = in[i * cols + j];
}
