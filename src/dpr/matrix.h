/* The one matrix product of the model, and which compiled form of it to use. */
#ifndef PDPR_DPR_MATRIX_H
#define PDPR_DPR_MATRIX_H

#include "base/base.h"

/* C = A B. A is [m][k], read as a[i * a_row + l * a_col], so that a transposed matrix is read in
 * place; B is [k][n] with rows b_row apart; C is [m][n] with rows c_row apart and is overwritten.
 * Every entry is summed from 0 over l = 0, 1, … in that order by fused multiply-adds, fma(A, B,
 * sum): all forms give the same bits. */
typedef void (*pdpr_i_multiply)(uint64_t m, uint64_t n, uint64_t k, const double *a, uint64_t a_row,
                                uint64_t a_col, const double *b, uint64_t b_row, double *c,
                                uint64_t c_row);

/* The form for the instruction set that ctx may use. */
pdpr_i_multiply pdpr_i_multiply_choose(const pdpr_context *ctx);

void pdpr_i_multiply_portable(uint64_t m, uint64_t n, uint64_t k, const double *a, uint64_t a_row,
                              uint64_t a_col, const double *b, uint64_t b_row, double *c,
                              uint64_t c_row);
#if defined(__x86_64__)
void pdpr_i_multiply_avx2(uint64_t m, uint64_t n, uint64_t k, const double *a, uint64_t a_row,
                          uint64_t a_col, const double *b, uint64_t b_row, double *c,
                          uint64_t c_row);
#endif

/* out[cols][rows] = in[rows][cols], transposed; rows of in are in_row apart, those of out out_row.
 */
void pdpr_i_transpose(uint64_t rows, uint64_t cols, const double *in, uint64_t in_row, double *out,
                      uint64_t out_row);

#endif
