/* Discrete Laplace noise: the difference of two geometric variables.
 *
 * Values beyond the digits that are drawn have a probability of exp(-89) <= 2^-128, which is left
 * out and belongs into delta.
 *
 * Cost: 2 * bits tosses, bits = log2(89 / rate) rounded up: 0.9 us at rate 2^-20.
 * Proof: docs/proofs/discrete_laplace.md. */
#include "dp/laplace_discrete.h"

/* exp(-89) < 2^-128 */
enum { TAIL_EXPONENT = 89 };

pdpr_status pdpr_i_laplace_init(pdpr_i_laplace *out, pdpr_i_ratio rate, pdpr_error *err)
{
    if (!pdpr_i_geometric_init(&out->one, rate, TAIL_EXPONENT, PDPR_I_LAPLACE_BITS))
        return pdpr_i_fail(
            err, PDPR_EUSAGE,
            "discrete Laplace noise: expected a rate of at least 2^-53, found %" PRIu64 "/%" PRIu64,
            rate.num, rate.den);
    return PDPR_OK;
}

int64_t pdpr_i_laplace_draw(const pdpr_i_laplace *laplace, pdpr_i_stream *stream)
{
    int64_t first = (int64_t)pdpr_i_geometric_draw(&laplace->one, stream);
    return first - (int64_t)pdpr_i_geometric_draw(&laplace->one, stream);
}
