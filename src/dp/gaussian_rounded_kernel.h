/* The fast path of rounded Gaussian noise, one source for every instruction set.
 *
 * A word gives a sign and a tail probability p in (0, 1/2); the noise is sign * round(sigma * x)
 * with x = Q^-1(p), Q(x) = P(N(0,1) > x). x comes from a Taylor polynomial of degree 7 around the
 * middle of one of 640 segments: 20 octaves of p, 32 segments each. gaussian_table.c states for
 * each octave a bound on everything that can be wrong (bits not yet drawn, remainder of the series,
 * rounding); if sigma * x lies within that of a half-integer the value is left to the exact path.
 *
 * Three loops over 256 values, because the compiler vectorises the first and the last, and the
 * middle one (eight loads of one cache line each) overlaps better without them. No branch, no
 * rejection: every word gives one value.
 *
 * Proof: docs/proofs/rounded_gaussian.md, Lemmas 2 and 3. Include after defining KERNEL. */
#include "dp/gaussian_rounded.h"
#include "dp/gaussian_table.h"

#include "base/double_bits.h"

#ifdef __FAST_MATH__
#error "the error bounds of the noise need IEEE arithmetic: build without -ffast-math"
#endif

enum {
    LANES = PDPR_I_GAUSSIAN_LANES,
    OCTAVES = PDPR_I_GAUSSIAN_OCTAVES,
    SEGMENTS = PDPR_I_GAUSSIAN_SEGMENTS,
    TERMS = PDPR_I_GAUSSIAN_TERMS,
    SEGMENT_BITS = PDPR_I_GAUSSIAN_SEGMENT_BITS,
    FRACTION_BITS = 52 - SEGMENT_BITS /* of a double, below those that choose the segment */
};
/* A place in 1..1 + 1/32 minus the middle, times the scale, is t in [-1, 1]. */
#define SEGMENT_MIDDLE (1 + 0x1p-6)
#define SEGMENT_SCALE  0x1p6
_Static_assert(SEGMENT_BITS == 5, "middle and scale are those of 32 segments an octave");

/* Tail numbers w = p * 2^64 that the table covers: at least 20 octaves below 2^63, and away from
 * 2^63, where rounding to 53 bits could leave the table. */
static inline bool is_covered(uint64_t word)
{
    const uint64_t low = UINT64_C(1) << (63 - OCTAVES);
    const uint64_t high = (UINT64_C(1) << 63) - (UINT64_C(1) << 10);
    return (word >> 1) - low < high - low;
}

uint32_t KERNEL(const uint64_t *words, uint32_t count, double sigma, int64_t *out,
                uint32_t *doubtful)
{
    /* Adding it leaves a number below 2^51 rounded to an integer, in the low bits. */
    const double shifter = 0x1.8p52;
    /* Exponent (biased) and segment bits of the doubles just below 2^63. */
    const uint64_t top_segment = (UINT64_C(1086) << SEGMENT_BITS) - 1;
    double t[LANES], x[LANES], guard[LANES], room[LANES];
    uint32_t segment[LANES];
    uint32_t num_doubtful = 0;

    for (uint32_t at = 0; at < count; at += LANES) {
        const uint64_t *word = words + at;
        int64_t *y = out + at;

        /* The segment and the place in it, t in [-1, 1], from the bits of w as a double. */
        for (int i = 0; i < LANES; i++) {
            uint64_t w = word[i] >> 1;
            double high =
                pdpr_i_double_of_bits(w >> 32 | pdpr_i_bits_of_double(0x1p84)) - (0x1p84 + 0x1p52);
            double low = pdpr_i_double_of_bits((w & UINT32_MAX) | pdpr_i_bits_of_double(0x1p52));
            uint64_t bits = pdpr_i_bits_of_double(high + low); /* w, rounded once */
            uint64_t from_top = top_segment - (bits >> FRACTION_BITS);
            segment[i] = (uint32_t)(from_top < SEGMENTS ? from_top : SEGMENTS - 1);
            double place = pdpr_i_double_of_bits((bits & ((UINT64_C(1) << FRACTION_BITS) - 1)) |
                                                 pdpr_i_bits_of_double(1.0));
            t[i] = (place - SEGMENT_MIDDLE) * SEGMENT_SCALE;
        }
        /* x = Q^-1(p) by Horner's rule, and the bound on its error. */
        for (int i = 0; i < LANES; i++) {
            const double *c = pdpr_i_gaussian_table[segment[i]];
            double sum = c[TERMS - 1];
            for (int n = TERMS - 2; n >= 0; n--)
                sum = sum * t[i] + c[n];
            x[i] = sum;
            guard[i] = pdpr_i_gaussian_guard[segment[i] >> SEGMENT_BITS];
        }
        /* Round sigma * x, and see how much room is left to the next half-integer. */
        uint64_t any = 0;
        for (int i = 0; i < LANES; i++) {
            double v = sigma * x[i];
            double r = v + shifter;
            double off = v - (r - shifter); /* exact */
            double distance = pdpr_i_double_of_bits(pdpr_i_bits_of_double(off) & INT64_MAX);
            room[i] = 0.5 - (sigma * guard[i] + 0x1p-52) - distance;
            int64_t magnitude =
                (int64_t)(pdpr_i_bits_of_double(r) - pdpr_i_bits_of_double(shifter));
            int64_t sign = -(int64_t)(word[i] & 1);
            y[i] = (magnitude ^ sign) - sign;
            any |= (uint64_t)(room[i] <= 0) | (uint64_t)!is_covered(word[i]);
        }
        if (any)
            for (int i = 0; i < LANES; i++)
                if (room[i] <= 0 || !is_covered(word[i]))
                    doubtful[num_doubtful++] = at + (uint32_t)i;
    }
    return num_doubtful;
}
