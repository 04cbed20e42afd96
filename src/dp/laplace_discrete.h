/* Discrete Laplace noise: P(Z = z) proportional to exp(-|z| * rate) on the integers, rate rational.
 */
#ifndef PDPR_DP_LAPLACE_DISCRETE_H
#define PDPR_DP_LAPLACE_DISCRETE_H

#include "dp/geometric.h"

enum { PDPR_I_LAPLACE_BITS = PDPR_I_GEOMETRIC_BITS }; /* |Z| < 2^61 */

typedef struct {
    pdpr_i_geometric one;
} pdpr_i_laplace;

/* Errors: PDPR_EUSAGE (rate below 2^-53). */
pdpr_status pdpr_i_laplace_init(pdpr_i_laplace *out, pdpr_i_ratio rate, pdpr_error *err);

/* One value. Its law differs from the discrete Laplace law by at most 2^-126 in total variation;
 * it takes 2 * bits words of the stream whatever comes out (docs/proofs/discrete_laplace.md). */
int64_t pdpr_i_laplace_draw(const pdpr_i_laplace *laplace, pdpr_i_stream *stream);

#endif
