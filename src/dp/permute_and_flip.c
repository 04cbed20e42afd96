/* Permute-and-flip (McKenna and Sheldon 2020) without floating point on the private side.
 *
 * It needs no normaliser, is never worse than the exponential mechanism, and turns every private
 * decision into tosses of public coins: exp(-rate * s) is the product over the binary digits j of s
 * of exp(-rate * 2^j), so the candidate succeeds if the coins of all its set digits do. From the
 * digit on whose coin is below 2^-256 a loss counts as "never", which is within the coins' own
 * rounding. A candidate with the least loss has no set digit and always succeeds.
 *
 * Cost: count * (8 + log2(1/rate)) tosses. Proof: docs/proofs/permute_and_flip.md. */
#include "dp/permute_and_flip.h"

/* exp(-178) < 2^-256 */
enum { NEVER_EXPONENT = 178 };

pdpr_status pdpr_i_flip_coins_init(pdpr_i_flip_coins *out, pdpr_i_ratio rate, pdpr_error *err)
{
    unsigned never = pdpr_i_ratio_doublings(rate, NEVER_EXPONENT, PDPR_I_FLIP_DIGITS - 1);
    if (rate.num == 0 || rate.den == 0 || never >= PDPR_I_FLIP_DIGITS)
        return pdpr_i_fail(err, PDPR_EUSAGE,
                           "selection: expected a rate of at least 2^-53, found %" PRIu64
                           "/%" PRIu64,
                           rate.num, rate.den);
    out->never = never;
    for (unsigned j = 0; j <= never; j++)
        out->coin[j] = pdpr_i_coin_exp(rate, j);
    return PDPR_OK;
}

/* Succeeds with probability exp(-rate * excess). */
static bool flip(const pdpr_i_flip_coins *coins, uint64_t excess, pdpr_i_stream *stream)
{
    bool success = true;
    if (excess >> coins->never)
        excess = UINT64_C(1) << coins->never;
    for (unsigned j = 0; j <= coins->never; j++) {
        bool toss = pdpr_i_coin_toss(&coins->coin[j], stream);
        success &= toss | !(excess >> j & 1);
    }
    return success;
}

uint32_t pdpr_i_permute_and_flip(const pdpr_i_flip_coins *coins, const int64_t *losses,
                                 uint32_t count, uint32_t *order, pdpr_i_stream *stream)
{
    int64_t least = losses[0];
    for (uint32_t i = 0; i < count; i++) {
        order[i] = i;
        least = losses[i] < least ? losses[i] : least;
    }
    for (uint32_t i = count - 1; i > 0; i--) { /* Fisher and Yates */
        uint32_t j = (uint32_t)pdpr_i_stream_below(stream, (uint64_t)i + 1);
        uint32_t moved = order[i];
        order[i] = order[j];
        order[j] = moved;
    }

    uint32_t winner = UINT32_MAX;
    for (uint32_t i = 0; i < count; i++) {
        /* unsigned difference: right for every pair of signed losses */
        uint64_t excess = (uint64_t)losses[order[i]] - (uint64_t)least;
        bool success = flip(coins, excess, stream);
        winner = success && winner == UINT32_MAX ? order[i] : winner;
    }
    return winner;
}
