/* What the two passes of rounded Gaussian noise for AVX2 share: the coefficients of four rows of
 * the table side by side, and four values rounded. Proof: docs/proofs/rounded_gaussian.md, Lemma 3.
 */
#ifndef PDPR_DP_GAUSSIAN_LANES_AVX2_H
#define PDPR_DP_GAUSSIAN_LANES_AVX2_H

#include "dp/gaussian_table.h"

#include <immintrin.h>
#include <stdint.h>

#ifdef __FAST_MATH__
#error "the error bounds of the noise need IEEE arithmetic: build without -ffast-math"
#endif

enum {
    LANES = 4,
    ROW_BITS = 6, /* of a row's 64 bytes */
    SEGMENT_BITS = PDPR_I_GAUSSIAN_SEGMENT_BITS,
    FRACTION_BITS = 52 - SEGMENT_BITS /* of a double, below those that choose the segment */
};
_Static_assert(SEGMENT_BITS == 5, "middle and scale are those of 32 segments an octave");
_Static_assert(PDPR_I_GAUSSIAN_TERMS * sizeof(double) == 1 << ROW_BITS,
               "a row is four pairs of coefficients");

static inline __m256i load_words(const uint64_t *from)
{
    return _mm256_loadu_si256((const __m256i *)(const void *)from);
}

/* Coefficients 2 k and 2 k + 1 of four rows, each as one vector. */
static inline void load_pair(const double *const row[LANES], int k, __m256d *even, __m256d *odd)
{
    __m256d a = _mm256_insertf128_pd(_mm256_castpd128_pd256(_mm_load_pd(row[0] + 2 * k)),
                                     _mm_load_pd(row[2] + 2 * k), 1);
    __m256d b = _mm256_insertf128_pd(_mm256_castpd128_pd256(_mm_load_pd(row[1] + 2 * k)),
                                     _mm_load_pd(row[3] + 2 * k), 1);
    *even = _mm256_unpacklo_pd(a, b);
    *odd = _mm256_unpackhi_pd(a, b);
}

/* out = round(sigma x) with the signs of the words; returns how far each was from its integer. */
static inline __m256d round_values(__m256d sigma, __m256d x, __m256i word, int64_t *out)
{
    const __m256d shifter = _mm256_set1_pd(0x1.8p52), sign_bit = _mm256_set1_pd(-0.0);
    /* Rounding to nearest knows no sign, so the sign may come first. */
    __m256d sign = _mm256_castsi256_pd(_mm256_slli_epi64(word, 63));
    __m256d v = _mm256_xor_pd(_mm256_mul_pd(sigma, x), sign);
    __m256d r = _mm256_add_pd(v, shifter);
    __m256d off = _mm256_sub_pd(v, _mm256_sub_pd(r, shifter)); /* exact */
    _mm256_storeu_si256((__m256i *)(void *)out,
                        _mm256_sub_epi64(_mm256_castpd_si256(r), _mm256_castpd_si256(shifter)));
    return _mm256_andnot_pd(sign_bit, off);
}

#endif
