/* The matrix product compiled for AVX2: the same body, wider registers, the same bits. */
#include "dpr/matrix.h"

#define MATRIX_LANES 4
#include "dpr/matrix_kernel.h"

void pdpr_i_multiply_avx2(uint64_t m, uint64_t n, uint64_t k, const double *a, uint64_t a_row,
                          uint64_t a_col, const double *b, uint64_t b_row, double *c,
                          uint64_t c_row)
{
    multiply_body(m, n, k, a, a_row, a_col, b, b_row, c, c_row);
}
