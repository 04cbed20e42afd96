/* The fast path of rounded Gaussian noise for CPUs with AVX2, four values at once.
 *
 * Every operation on doubles is that of gaussian_rounded_kernel.h, in its order and rounded where
 * it rounds (no fused product and sum), so its proof covers this form and the integers and the list
 * of doubtful places are the same; the test compares them. Intrinsics rather than the compiler,
 * because the compiler leaves Horner's rule scalar: a table row is one cache line, and the eight
 * coefficients of four rows are put side by side with sixteen half loads and eight shuffles, where
 * gather instructions cost more than scalar code.
 *
 * Noise as wide as plans make it goes through a cheaper pass first (gaussian_quick_avx2.c), which
 * leaves one value in a hundred or two to the full one here.
 *
 * Whether a value is doubtful is asked in two stages: all four against the widest guard of the
 * table, and where one fails, each against the guard of its own octave. The second question is
 * the portable one; the first is cheaper and never lets through what the second would not.
 *
 * Cost: 2.3 ns a value, 1.6 with the quick pass; 3.4 when the compiler vectorised the portable
 * source, whose stages this keeps (256 words a stage: a value's chain of operations is too long to
 * overlap with the next ones). Proof: docs/proofs/rounded_gaussian.md, Lemmas 2 and 3. */
#include "dp/gaussian_rounded.h"

#if defined(__x86_64__)
#include "dp/gaussian_lanes_avx2.h"

enum {
    STEP = 2 * LANES,              /* words that the polynomial takes side by side */
    GROUP = PDPR_I_GAUSSIAN_LANES, /* words that a stage takes before the next begins */
    SEGMENTS = PDPR_I_GAUSSIAN_SEGMENTS,
    TERMS = PDPR_I_GAUSSIAN_TERMS
};

/* Fills up the last eight: p = 1/4, in the middle of the table. */
#define PLAIN_WORD (UINT64_C(1) << 63)

/* Q^-1 by Horner's rule at t in [-1, 1], which x holds at first, in each value's segment, named by
 * the byte at which its row begins; two groups of four side by side, so that one computes while the
 * other waits for its sum. */
static void quantiles(uint32_t count, const uint32_t *row_at, double *x)
{
    const char *table = (const char *)pdpr_i_gaussian_table;
    for (uint32_t at = 0; at < count; at += STEP) {
        const double *row[2][LANES];
        __m256d t[2], sum[2], even, odd;
        for (int g = 0; g < 2; g++) {
            for (int i = 0; i < LANES; i++)
                row[g][i] =
                    (const double *)(const void *)(table + row_at[at + (uint32_t)(g * LANES + i)]);
            t[g] = _mm256_loadu_pd(x + at + g * LANES);
            load_pair(row[g], TERMS / 2 - 1, &even, &odd);
            sum[g] = _mm256_add_pd(_mm256_mul_pd(odd, t[g]), even);
        }
        for (int k = TERMS / 2 - 2; k >= 0; k--)
            for (int g = 0; g < 2; g++) {
                load_pair(row[g], k, &even, &odd);
                sum[g] = _mm256_add_pd(_mm256_mul_pd(sum[g], t[g]), odd);
                sum[g] = _mm256_add_pd(_mm256_mul_pd(sum[g], t[g]), even);
            }
        for (int g = 0; g < 2; g++)
            _mm256_storeu_pd(x + at + g * LANES, sum[g]);
    }
}

/* The segment of each word, as the byte of the table at which its row begins, and the place in the
 * segment, t in [-1, 1], from the bits of its tail number as a double, rounded once. */
static void places(uint32_t count, const uint64_t *words, uint32_t *row_at, double *t)
{
    const __m256i high_bits = _mm256_castpd_si256(_mm256_set1_pd(0x1p84));
    const __m256i low_bits = _mm256_castpd_si256(_mm256_set1_pd(0x1p52));
    const __m256d high_offset = _mm256_set1_pd(0x1p84 + 0x1p52);
    /* Exponent (biased) and segment bits of the doubles just below 2^63. */
    const __m256i top_segment = _mm256_set1_epi64x((INT64_C(1086) << SEGMENT_BITS) - 1);
    const __m256i last_segment = _mm256_set1_epi64x(SEGMENTS - 1);
    const __m256i fraction = _mm256_set1_epi64x((INT64_C(1) << FRACTION_BITS) - 1);
    const __m256i low_halves = _mm256_setr_epi32(0, 2, 4, 6, 0, 2, 4, 6);
    /* t is 64 (place - middle) with the place in 1..1 + 1/32: exact, in whatever order */
    const __m256d scale = _mm256_set1_pd(64), middle = _mm256_set1_pd(65);

    for (uint32_t at = 0; at < count; at += LANES) {
        __m256i w = _mm256_srli_epi64(load_words(words + at), 1);
        __m256d high = _mm256_sub_pd(
            _mm256_castsi256_pd(_mm256_or_si256(_mm256_srli_epi64(w, 32), high_bits)), high_offset);
        __m256d low = _mm256_castsi256_pd(_mm256_blend_epi32(w, low_bits, 0xaa));
        __m256i bits = _mm256_castpd_si256(_mm256_add_pd(high, low));
        /* As 32-bit numbers: one that was negative ends at the last segment, as it should. */
        __m256i from_top = _mm256_sub_epi64(top_segment, _mm256_srli_epi64(bits, FRACTION_BITS));
        from_top =
            _mm256_permutevar8x32_epi32(_mm256_min_epu32(from_top, last_segment), low_halves);
        _mm_storeu_si128((__m128i *)(void *)(row_at + at),
                         _mm_slli_epi32(_mm256_castsi256_si128(from_top), ROW_BITS));
        __m256d place = _mm256_or_pd(_mm256_castsi256_pd(_mm256_and_si256(bits, fraction)), scale);
        _mm256_storeu_pd(t + at, _mm256_sub_pd(place, middle));
    }
}

static double widest_guard(void)
{
    __m128d most = _mm_setzero_pd();
    for (int i = 0; i < PDPR_I_GAUSSIAN_OCTAVES; i++)
        most = _mm_max_sd(most, _mm_set_sd(pdpr_i_gaussian_guard[i]));
    return _mm_cvtsd_f64(most);
}

/* Y of `count` words, a multiple of 8 up to 256, and the doubtful ones among them. */
static uint32_t full_pass(const uint64_t *words, uint32_t count, double sigma, int64_t *out,
                          uint32_t *doubtful)
{
    const __m256d sigmas = _mm256_set1_pd(sigma);
    const __m256d safe = _mm256_set1_pd(0.5 - (sigma * widest_guard() + 0x1p-52));
    /* Tail numbers that the table covers, from the first on, are those below `uncovered` when they
     * are moved to the lowest signed numbers. */
    const int64_t covered_first = INT64_C(1) << (63 - PDPR_I_GAUSSIAN_OCTAVES);
    const int64_t covered = INT64_MAX - (INT64_C(1) << 10) + 1 - covered_first;
    const __m256i move = _mm256_set1_epi64x(INT64_MIN + covered_first);
    const __m256i last_covered = _mm256_set1_epi64x(INT64_MIN + covered - 1);
    double x[GROUP];
    uint32_t row_at[GROUP];
    uint32_t num_doubtful = 0;

    places(count, words, row_at, x);
    quantiles(count, row_at, x);
    /* Round sigma * x, and see how much room is left to the next half-integer. */
    for (uint32_t at = 0; at < count; at += LANES) {
        __m256i word = load_words(words + at), w = _mm256_srli_epi64(word, 1);
        __m256d distance = round_values(sigmas, _mm256_loadu_pd(x + at), word, out + at);
        __m256d uncovered =
            _mm256_castsi256_pd(_mm256_cmpgt_epi64(_mm256_sub_epi64(w, move), last_covered));
        __m256d close = _mm256_cmp_pd(distance, safe, _CMP_GE_OQ);
        if (_mm256_movemask_pd(_mm256_or_pd(close, uncovered)) == 0)
            continue;
        double distances[LANES];
        int open = _mm256_movemask_pd(uncovered);
        _mm256_storeu_pd(distances, distance);
        for (uint32_t i = 0; i < LANES; i++) {
            double guard = pdpr_i_gaussian_guard[row_at[at + i] >> (SEGMENT_BITS + ROW_BITS)];
            if (0.5 - (sigma * guard + 0x1p-52) - distances[i] <= 0 || (open >> i & 1))
                doubtful[num_doubtful++] = at + i;
        }
    }
    return num_doubtful;
}

/* The full pass over the words at `count` places, in order; those that stay doubtful are left at
 * the beginning of the list. Returns how many. */
static uint32_t decide_refused(const uint64_t *words, uint32_t *place, uint32_t count, double sigma,
                               int64_t *out)
{
    uint64_t again[GROUP];
    int64_t y[GROUP] = {0}; /* filled by vector stores, which clang-tidy does not see */
    uint32_t open[GROUP], num_doubtful = 0;
    for (uint32_t first = 0; first < count; first += GROUP) {
        uint32_t some = count - first < GROUP ? count - first : GROUP;
        uint32_t padded = (uint32_t)pdpr_i_chunks(some, STEP) * STEP;
        for (uint32_t i = 0; i < padded; i++)
            again[i] = i < some ? words[place[first + i]] : PLAIN_WORD;
        uint32_t num_open = full_pass(again, padded, sigma, y, open);
        for (uint32_t i = 0; i < some; i++)
            out[place[first + i]] = y[i];
        for (uint32_t i = 0; i < num_open && open[i] < some; i++)
            place[num_doubtful++] = place[first + open[i]];
    }
    return num_doubtful;
}

uint32_t pdpr_i_gaussian_kernel_avx2(const uint64_t *words, uint32_t count, double sigma,
                                     int64_t *out, uint32_t *doubtful)
{
    /* Where noise is so wide that more than one value in sixteen would be refused, the quick pass
     * is no gain. */
    const bool quick = sigma * PDPR_I_GAUSSIAN_QUICK_GUARD < 0x1p-5;
    uint32_t found = 0;
    for (uint32_t first = 0; first < count; first += GROUP) {
        uint32_t *place = doubtful + found;
        uint32_t more = quick ? pdpr_i_gaussian_quick_avx2(words + first, sigma, out + first, place)
                              : full_pass(words + first, GROUP, sigma, out + first, place);
        for (uint32_t i = 0; i < more; i++)
            place[i] += first;
        found += more;
    }
    return quick ? decide_refused(words, doubtful, found, sigma, out) : found;
}
#endif
