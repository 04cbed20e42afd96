/* Discrete Laplace noise from independent coins, one for each binary digit.
 *
 * If P(G = g) = (1 - r) r^g, the binary digits of G are independent, and digit j is 1 with
 * probability 1 / (1 + r^-(2^j)). The difference of two such variables is discrete Laplace. The
 * digits from `bits` on are all zero except with probability r^(2^bits) <= 2^-128, which is left
 * out and belongs into delta. Number of draws and running time do not depend on the value, unlike
 * those of a sampler that counts failures (Jin et al. 2022).
 *
 * Cost: 2 * bits tosses, bits = log2(89 / rate) rounded up: 0.9 us at rate 2^-20.
 * Proof: docs/proofs/discrete_laplace.md. */
#include "dp/laplace_discrete.h"

/* exp(-89) < 2^-128 */
enum { TAIL_EXPONENT = 89 };

pdpr_status pdpr_i_laplace_init(pdpr_i_laplace *out, pdpr_i_ratio rate, pdpr_error *err)
{
    unsigned bits = pdpr_i_ratio_doublings(rate, TAIL_EXPONENT, PDPR_I_LAPLACE_BITS);
    if (rate.num == 0 || rate.den == 0 || bits > PDPR_I_LAPLACE_BITS)
        return pdpr_i_fail(
            err, PDPR_EUSAGE,
            "discrete Laplace noise: expected a rate of at least 2^-53, found %" PRIu64 "/%" PRIu64,
            rate.num, rate.den);
    out->bits = bits;
    for (unsigned j = 0; j < bits; j++)
        out->coin[j] = pdpr_i_coin_logistic(rate, j);
    return PDPR_OK;
}

static int64_t geometric(const pdpr_i_laplace *laplace, pdpr_i_stream *stream)
{
    int64_t value = 0;
    for (unsigned j = 0; j < laplace->bits; j++)
        value |= (int64_t)pdpr_i_coin_toss(&laplace->coin[j], stream) << j;
    return value;
}

int64_t pdpr_i_laplace_draw(const pdpr_i_laplace *laplace, pdpr_i_stream *stream)
{
    int64_t first = geometric(laplace, stream);
    return first - geometric(laplace, stream);
}
