/* Adam on embeddings, eight coordinates at once. Every operation is the one that
 * pdpr_i_adam_embedding_portable does on one coordinate, in its order and rounded where it rounds,
 * so the bits are the same; the test compares them. Intrinsics rather than the compiler: sqrtf may
 * set errno, which keeps loops that call it scalar. Cost: one root and one quotient of eight floats
 * for eight coordinates; MEASURED. */
#include "dpr/adam.h"

#if defined(__x86_64__)
#include <immintrin.h>

enum { LANES = 8 };

/* Four gradients times the factor as floats; zero where one is no finite number. */
static inline __m128 load_gradient(const double *gradient, __m256d factor)
{
    __m256d g = _mm256_loadu_pd(gradient);
    __m256d finite = _mm256_cmp_pd(_mm256_sub_pd(g, g), _mm256_setzero_pd(), _CMP_EQ_OQ);
    return _mm256_cvtpd_ps(_mm256_and_pd(_mm256_mul_pd(g, factor), finite));
}

void pdpr_i_adam_embedding_avx2(const pdpr_i_adam *a, uint64_t step, uint64_t count, double factor,
                                const double *gradient, float *x, float *first, float *second)
{
    const pdpr_i_adam_corrections c = pdpr_i_adam_corrections_of(a, step);
    const __m256d scale = _mm256_set1_pd(factor);
    const __m256 keep1 = _mm256_set1_ps((float)a->beta1);
    const __m256 take1 = _mm256_set1_ps((float)(1 - a->beta1));
    const __m256 keep2 = _mm256_set1_ps((float)a->beta2);
    const __m256 take2 = _mm256_set1_ps((float)(1 - a->beta2));
    const __m256 rate = _mm256_set1_ps((float)c.rate), root = _mm256_set1_ps((float)c.root);
    const __m256 epsilon = _mm256_set1_ps((float)a->epsilon), zero = _mm256_setzero_ps();
    uint64_t i = 0;

    for (; i + LANES <= count; i += LANES) {
        __m256 g = _mm256_set_m128(load_gradient(gradient + i + 4, scale),
                                   load_gradient(gradient + i, scale));
        __m256 m = _mm256_add_ps(_mm256_mul_ps(keep1, _mm256_loadu_ps(first + i)),
                                 _mm256_mul_ps(take1, g));
        __m256 v = _mm256_add_ps(_mm256_mul_ps(keep2, _mm256_loadu_ps(second + i)),
                                 _mm256_mul_ps(_mm256_mul_ps(take2, g), g));
        _mm256_storeu_ps(first + i, m);
        _mm256_storeu_ps(second + i, v);

        __m256 below = _mm256_add_ps(_mm256_sqrt_ps(_mm256_mul_ps(v, root)), epsilon);
        __m256 change = _mm256_div_ps(_mm256_mul_ps(rate, m), below);
        change = _mm256_and_ps(change, _mm256_cmp_ps(below, zero, _CMP_GT_OQ));
        _mm256_storeu_ps(x + i, _mm256_sub_ps(_mm256_loadu_ps(x + i), change));
    }
    pdpr_i_adam_embedding_portable(a, step, count - i, factor, gradient + i, x + i, first + i,
                                   second + i);
}
#endif
