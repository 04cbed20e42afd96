/* Drawing box noise: a level, then a point of its box, all of them alike.
 *
 * The level T has P(T = t) proportional to V(t) q^t, where V(t), the number of points in the box of
 * level t, is the product of 2 floor(t D_i / levels) + 1, and q = exp(-rate). Proposed is the sum
 * of d + 1 geometric variables, proportional to C(t + d, d) q^t, and kept with probability V(t) /
 * (C(t + d, d) d! prod b_i), b_i = max(2 D_i / levels, 1): a product of d rational numbers of at
 * most 1, the i-th with t + i in its denominator, so d exact coins decide. Whether a proposal is
 * kept tells nothing about the next one, so neither time nor the number of words drawn tells what
 * comes out (but for the rare second draws of pdpr_i_stream_below).
 *
 * Cost: some 5 to 20 proposals of (d + 1) log2(125 / rate) tosses, 3 to 20 us for up to three
 * integers; many integers of a sensitivity far below epsilon are slow (eight of 1 at epsilon 50:
 * seconds).
 * Proof: docs/proofs/box_noise.md. */
#include "dp/box_noise.h"

/* exp(-125) < 2^-180: what is left out, divided by the chance that a proposal is kept, which is
 * above 2^-36, is below 2^-126 */
enum { TAIL_EXPONENT = 125, MOST_BITS = 27 };

static const uint64_t largest_part = UINT64_C(1) << 32;
static const uint64_t largest_sensitivity = UINT64_C(1) << 30;
static const uint64_t largest_epsilon = 1 << 10, largest_inverse = 1 << 20;

pdpr_status pdpr_i_box_init(pdpr_i_box *out, pdpr_i_ratio epsilon, const uint64_t *sensitivity,
                            uint32_t count, pdpr_error *err)
{
    pdpr_i_box box = {.count = count};
    bool good = count >= 1 && count <= PDPR_I_BOX_MOST && epsilon.num >= 1 && epsilon.den >= 1 &&
                epsilon.num <= largest_part && epsilon.den <= largest_part &&
                epsilon.num <= largest_epsilon * epsilon.den &&
                epsilon.den <= largest_inverse * epsilon.num;
    for (uint32_t i = 0; i < count && good; i++) {
        good = sensitivity[i] >= 1 && sensitivity[i] <= largest_sensitivity;
        box.sensitivity[i] = sensitivity[i];
    }
    if (good) {
        box.levels = pdpr_i_chunks(epsilon.num, epsilon.den);
        box.rate = (pdpr_i_ratio){epsilon.num, epsilon.den * box.levels};
        good = pdpr_i_geometric_init(&box.geometric, box.rate, TAIL_EXPONENT, MOST_BITS);
    }
    if (!good)
        return pdpr_i_fail(err, PDPR_EUSAGE,
                           "box noise: expected 1 to 8 sensitivities in 1..2^30 and an epsilon in "
                           "2^-20..2^10, found %" PRIu32 " of them and %" PRIu64 "/%" PRIu64,
                           count, epsilon.num, epsilon.den);
    *out = box;
    return PDPR_OK;
}

uint64_t pdpr_i_box_side(const pdpr_i_box *box, uint32_t i, uint64_t level)
{
    return level * box->sensitivity[i] / box->levels;
}

/* Levels are below 9 * 2^27 < 2^31 and D_i at most 2^30: all products here are below 2^63. */
static bool is_kept(const pdpr_i_box *box, uint64_t level, pdpr_i_stream *stream)
{
    bool kept = true;
    for (uint32_t i = 0; i < box->count; i++) {
        uint64_t twice = 2 * box->sensitivity[i];
        uint64_t bound = twice > box->levels ? twice : box->levels; /* b_i levels */
        uint64_t points = box->levels * (2 * pdpr_i_box_side(box, i, level) + 1);
        kept &= pdpr_i_stream_below(stream, bound * (level + i + 1)) < points;
    }
    return kept;
}

void pdpr_i_box_draw(const pdpr_i_box *box, pdpr_i_stream *stream, int64_t *out)
{
    uint64_t level;
    do {
        level = 0;
        for (uint32_t i = 0; i <= box->count; i++)
            level += pdpr_i_geometric_draw(&box->geometric, stream);
    } while (!is_kept(box, level, stream));
    for (uint32_t i = 0; i < box->count; i++) {
        uint64_t side = pdpr_i_box_side(box, i, level);
        out[i] = (int64_t)pdpr_i_stream_below(stream, 2 * side + 1) - (int64_t)side;
    }
}
