/* Geometric variables from independent coins, one for each binary digit.
 *
 * If P(G = g) = (1 - r) r^g, the binary digits of G are independent, and digit j is 1 with
 * probability 1 / (1 + r^-(2^j)). Number of draws and running time do not depend on the value,
 * unlike those of a sampler that counts failures (Jin et al. 2022). */
#include "dp/geometric.h"

bool pdpr_i_geometric_init(pdpr_i_geometric *out, pdpr_i_ratio rate, uint64_t tail_exponent,
                           unsigned most_bits)
{
    if (rate.num == 0 || rate.den == 0 || most_bits > PDPR_I_GEOMETRIC_BITS)
        return false;
    unsigned bits = pdpr_i_ratio_doublings(rate, tail_exponent, most_bits);
    if (bits > most_bits)
        return false;
    out->bits = bits;
    for (unsigned j = 0; j < bits; j++)
        out->coin[j] = pdpr_i_coin_logistic(rate, j);
    return true;
}

uint64_t pdpr_i_geometric_draw(const pdpr_i_geometric *geometric, pdpr_i_stream *stream)
{
    uint64_t value = 0;
    for (unsigned j = 0; j < geometric->bits; j++)
        value |= (uint64_t)pdpr_i_coin_toss(&geometric->coin[j], stream) << j;
    return value;
}
