/* A first, cheaper pass of rounded Gaussian noise for CPUs with AVX2: it decides 99 values of 100
 * and leaves the others to the full kernel (gaussian_rounded_avx2.c).
 *
 * The full kernel is exact to some 2^-50 sigma, of which sigma near 2^30 needs 2^-40 for nearly all
 * values: only those closer than sigma 2^-40 to a half-integer need more. So this pass takes the
 * first six of a row's eight coefficients, fuses products and sums, drops the last eleven bits of
 * a word, and refuses the tail beyond 3.09, where those bits would count. What it refuses, by
 * PDPR_I_GAUSSIAN_QUICK_GUARD, is a superset of what the full kernel would leave open: integers and
 * doubtful places of both together are those of the full kernel alone, and the test compares them.
 *
 * Cost: 1.4 ns a value where the full kernel takes 2.3. Stages of 256 words, as there.
 * Proof: docs/proofs/rounded_gaussian.md, Lemma 4. */
#include "dp/gaussian_rounded.h"

#if defined(__x86_64__)
#include "dp/gaussian_lanes_avx2.h"

enum {
    GROUP = PDPR_I_GAUSSIAN_LANES,
    TERMS = 6,   /* of eight */
    DROPPED = 12 /* bits of a word: its sign, and eleven of its tail number */
};

/* Byte of the table at which the row of each word begins, and the place in its segment, t in [-1,
 * 1). 52 bits of the tail number are a double as they stand. */
static void places(const uint64_t *words, uint64_t *row_at, double *t)
{
    const __m256d one = _mm256_set1_pd(0x1p52);
    /* Exponent (biased) and segment bits of the doubles just below 2^52. */
    const __m256i top_segment = _mm256_set1_epi64x((INT64_C(1075) << SEGMENT_BITS) - 1);
    const __m256i last_segment = _mm256_set1_epi64x(PDPR_I_GAUSSIAN_SEGMENTS - 1);
    const __m256i fraction = _mm256_set1_epi64x((INT64_C(1) << FRACTION_BITS) - 1);
    const __m256d scale = _mm256_set1_pd(64), middle = _mm256_set1_pd(65);

    for (int at = 0; at < GROUP; at += LANES) {
        __m256i w = _mm256_srli_epi64(load_words(words + at), DROPPED);
        __m256i bits = _mm256_castpd_si256(
            _mm256_sub_pd(_mm256_or_pd(_mm256_castsi256_pd(w), one), one)); /* exact */
        /* Both halves as 32-bit numbers; the high one is 0 */
        __m256i row = _mm256_min_epu32(
            _mm256_sub_epi64(top_segment, _mm256_srli_epi64(bits, FRACTION_BITS)), last_segment);
        _mm256_storeu_si256((__m256i *)(void *)(row_at + at), _mm256_slli_epi64(row, ROW_BITS));
        __m256d place = _mm256_or_pd(_mm256_castsi256_pd(_mm256_and_si256(bits, fraction)), scale);
        _mm256_storeu_pd(t + at, _mm256_sub_pd(place, middle));
    }
}

/* Q^-1 to 2^-40 at the places that x holds at first, by Horner's rule. */
static void quantiles(const uint64_t *row_at, double *x)
{
    const char *table = (const char *)pdpr_i_gaussian_table;
    for (int at = 0; at < GROUP; at += LANES) {
        const double *row[LANES];
        __m256d t = _mm256_loadu_pd(x + at), sum = _mm256_setzero_pd(), even, odd;
        for (int i = 0; i < LANES; i++)
            row[i] = (const double *)(const void *)(table + row_at[at + i]);
        for (int k = TERMS / 2 - 1; k >= 0; k--) {
            load_pair(row, k, &even, &odd);
            sum = k == TERMS / 2 - 1 ? odd : _mm256_fmadd_pd(sum, t, odd);
            sum = _mm256_fmadd_pd(sum, t, even);
        }
        _mm256_storeu_pd(x + at, sum);
    }
}

uint32_t pdpr_i_gaussian_quick_avx2(const uint64_t *words, double sigma, int64_t *out,
                                    uint32_t *refused)
{
    const __m256d sigmas = _mm256_set1_pd(sigma);
    const __m256d safe = _mm256_set1_pd(0.5 - (sigma * PDPR_I_GAUSSIAN_QUICK_GUARD + 0x1p-52));
    const __m256d tail = _mm256_set1_pd(PDPR_I_GAUSSIAN_QUICK_TAIL);
    double x[GROUP];
    uint64_t row_at[GROUP];
    uint32_t num_refused = 0;

    places(words, row_at, x);
    quantiles(row_at, x);
    for (uint32_t at = 0; at < GROUP; at += LANES) {
        __m256d size = _mm256_loadu_pd(x + at);
        __m256d distance = round_values(sigmas, size, load_words(words + at), out + at);
        int open = _mm256_movemask_pd(_mm256_or_pd(_mm256_cmp_pd(distance, safe, _CMP_GE_OQ),
                                                   _mm256_cmp_pd(size, tail, _CMP_GE_OQ)));
        for (uint32_t i = 0; open != 0; i++, open >>= 1)
            if (open & 1)
                refused[num_refused++] = at + i;
    }
    return num_refused;
}
#endif
