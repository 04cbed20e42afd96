/* Adam on embeddings, four coordinates at once. Every operation is the one that
 * pdpr_i_adam_embedding_portable does on one coordinate, in its order and rounded where it rounds,
 * so the bits are the same; the test compares them. Intrinsics rather than the compiler: sqrt may
 * set errno, which keeps loops that call it scalar. Cost: one root and one quotient of four doubles
 * for four coordinates; 1.6 ns a coordinate where the portable form takes 5. */
#include "dpr/adam.h"

#if defined(__x86_64__)
#include <immintrin.h>

enum { LANES = 4 };

void pdpr_i_adam_embedding_avx2(const pdpr_i_adam *a, uint64_t step, uint64_t count, double factor,
                                const double *gradient, float *x, float *first, float *second)
{
    const pdpr_i_adam_corrections c = pdpr_i_adam_corrections_of(a, step);
    const __m256d zero = _mm256_setzero_pd(), scale = _mm256_set1_pd(factor);
    const __m256d keep1 = _mm256_set1_pd(a->beta1), take1 = _mm256_set1_pd(1 - a->beta1);
    const __m256d keep2 = _mm256_set1_pd(a->beta2), take2 = _mm256_set1_pd(1 - a->beta2);
    const __m256d rate = _mm256_set1_pd(c.rate), root = _mm256_set1_pd(c.root);
    const __m256d epsilon = _mm256_set1_pd(a->epsilon);
    uint64_t i = 0;

    for (; i + LANES <= count; i += LANES) {
        __m256d g = _mm256_loadu_pd(gradient + i);
        __m256d finite = _mm256_cmp_pd(_mm256_sub_pd(g, g), zero, _CMP_EQ_OQ);
        g = _mm256_and_pd(_mm256_mul_pd(g, scale), finite);

        __m256d m = _mm256_cvtps_pd(_mm_loadu_ps(first + i));
        m = _mm256_add_pd(_mm256_mul_pd(keep1, m), _mm256_mul_pd(take1, g));
        __m128 m_short = _mm256_cvtpd_ps(m);
        _mm_storeu_ps(first + i, m_short);
        m = _mm256_cvtps_pd(m_short);

        __m256d v = _mm256_cvtps_pd(_mm_loadu_ps(second + i));
        v = _mm256_add_pd(_mm256_mul_pd(keep2, v), _mm256_mul_pd(_mm256_mul_pd(take2, g), g));
        __m128 v_short = _mm256_cvtpd_ps(v);
        _mm_storeu_ps(second + i, v_short);
        v = _mm256_cvtps_pd(v_short);

        __m256d below = _mm256_add_pd(_mm256_sqrt_pd(_mm256_mul_pd(v, root)), epsilon);
        __m256d change = _mm256_div_pd(_mm256_mul_pd(rate, m), below);
        change = _mm256_and_pd(change, _mm256_cmp_pd(below, zero, _CMP_GT_OQ));
        __m256d moved = _mm256_sub_pd(_mm256_cvtps_pd(_mm_loadu_ps(x + i)), change);
        _mm_storeu_ps(x + i, _mm256_cvtpd_ps(moved));
    }
    pdpr_i_adam_embedding_portable(a, step, count - i, factor, gradient + i, x + i, first + i,
                                   second + i);
}
#endif
