/* A certified upper bound of the largest singular value, and weights divided by it. */
#ifndef PDPR_DPR_SPECTRAL_NORM_H
#define PDPR_DPR_SPECTRAL_NORM_H

#include "dpr/matrix.h"

/* ||W||_2 <= bound * 2^exponent, with 1/2 <= bound unless W is zero; kept in two parts because the
 * product may leave the range of a double. bound = 0: W is zero, or has an entry that is no finite
 * number and counts as zero. */
typedef struct {
    double bound;
    int exponent;
} pdpr_i_spectral_norm;

enum { PDPR_I_SQUARINGS = 6 }; /* bound / norm <= d^(1/130): 1.033 for d = 64 */

/* Doubles of workspace for a matrix of this shape. */
uint64_t pdpr_i_spectral_workspace(uint64_t rows, uint64_t cols);

/* Writes out = W / (s bound 2^exponent), whose norm is at most 1/s; a zero W gives zeros.
 * w, out: [rows][cols], not the same array; s >= 1.
 * direction: [rows][cols], a positive multiple of the derivative of the bound with respect to
 * W 2^-exponent, for the gradient below; NULL if no gradient is wanted.
 * Cost: with c = min(rows, cols), about (rows cols c + squarings c^3) / 2 multiply-adds, and
 * rows cols c more for the direction. */
void pdpr_i_spectral_normalise(pdpr_i_multiply multiply, uint64_t rows, uint64_t cols,
                               uint32_t squarings, double s, const double *w, double *workspace,
                               double *out, double *direction, pdpr_i_spectral_norm *norm);

/* Turns the gradient of a loss by `out` into that by W, in place. normalised and direction are
 * what pdpr_i_spectral_normalise wrote. A zero W gets a zero gradient. */
void pdpr_i_spectral_gradient(uint64_t rows, uint64_t cols, double s, const double *normalised,
                              const double *direction, const pdpr_i_spectral_norm *norm,
                              double *gradient);

#endif
