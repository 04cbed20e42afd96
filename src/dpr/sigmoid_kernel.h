/* Body of the sigmoid, compiled once per instruction set (sigmoid_portable.c, sigmoid_avx2.c),
 * which define SIGMOID, the name of the function, before including this.
 *
 * exp(y) = 2^n exp(r) with n = round(y / ln 2) and |r| <= ln(2) / 2; ln 2 in two parts, of which
 * the first times n is exact, and exp(r) by its series to r^13 (the rest is below 1e-17). Only
 * sums, products and one quotient, each rounded, so the bits are the same for every target; no call
 * and no branch, so the compiler does four at a time, where the exp of the C library is one call
 * each and may differ between libraries. Cost: 2.4 ns a value with AVX2.
 *
 * Source: Cody and Waite 1980, chapter 6 (the reduction). */
#include "dpr/sigmoid.h"

#include "base/double_bits.h"

#include <math.h>

/* x within +-700, where nothing overflows (e^-700 is 1e-304); NaN becomes an end. On the bits,
 * which are ordered as the sizes are: compilers keep comparisons of doubles apart, for fear of
 * traps. */
static inline double limit(double x)
{
    const int64_t most = (int64_t)pdpr_i_bits_of_double(700);
    int64_t size = (int64_t)(pdpr_i_bits_of_double(x) & INT64_MAX);
    size = size < most ? size : most;
    return pdpr_i_double_of_bits((uint64_t)size |
                                 (pdpr_i_bits_of_double(x) & ~(uint64_t)INT64_MAX));
}

void SIGMOID(uint64_t count, double *x)
{
    /* ln 2 to 32 bits: exact times n, which has at most 11. */
    const double log2_e = 0x1.71547652b82fep+0, ln2 = 0x1.62e42feep-1,
                 ln2_rest = 0x1.a39ef35793c76p-33;
    const double shifter = 0x1.8p52; /* adding it rounds to an integer, in the low bits */

    for (uint64_t i = 0; i < count; i++) {
        double y = -limit(x[i]);
        double shifted = fma(y, log2_e, shifter);
        double n = shifted - shifter;
        double r = fma(-n, ln2_rest, fma(-n, ln2, y));
        double e = 1 / 6227020800.0;
        e = fma(e, r, 1 / 479001600.0);
        e = fma(e, r, 1 / 39916800.0);
        e = fma(e, r, 1 / 3628800.0);
        e = fma(e, r, 1 / 362880.0);
        e = fma(e, r, 1 / 40320.0);
        e = fma(e, r, 1 / 5040.0);
        e = fma(e, r, 1 / 720.0);
        e = fma(e, r, 1 / 120.0);
        e = fma(e, r, 1 / 24.0);
        e = fma(e, r, 1 / 6.0);
        e = fma(e, r, 0.5);
        e = fma(e, r, 1);
        e = fma(e, r, 1);
        /* 2^n: the low bits of the shifted number, moved to where the exponent stands */
        double power = pdpr_i_double_of_bits((pdpr_i_bits_of_double(shifted) + 1023) << 52);
        x[i] = 1 / (1 + e * power);
    }
}
