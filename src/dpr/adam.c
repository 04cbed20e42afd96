/* Adam, as its authors state it (Algorithm 1 of Kingma and Ba 2015):
 *
 *     m = beta1 m + (1 - beta1) g,            v = beta2 v + (1 - beta2) g^2,
 *     x = x - eta (m / (1 - beta1^t)) / (sqrt(v / (1 - beta2^t)) + epsilon).
 *
 * TensorFlow, which the authors of the paper use, adds epsilon before the correction of v; with
 * gradients as small as those of a deep PageRank the two differ, and this is the published one.
 *
 * Embeddings are N r numbers with two moments each: single precision halves the memory of the
 * largest object of a run to 12 bytes a coordinate. The arithmetic between is in single precision
 * too, as in the dense port: a step moves x by some 1e-3 of its size, so 24 bits of that are more
 * than x can hold, and a root and a quotient of eight floats take the time of two of doubles. The
 * gradient arrives as a double and is rounded once, after the factor. */
#include "dpr/adam.h"

#include <math.h>

void pdpr_i_adam_default(pdpr_i_adam *out)
{
    *out = (pdpr_i_adam){.rate = 1e-3, .beta1 = 0.9, .beta2 = 0.999, .epsilon = 1e-8};
}

pdpr_status pdpr_i_adam_check(const pdpr_i_adam *a, pdpr_error *err)
{
    if (!(a->rate > 0 && a->rate < INFINITY))
        return pdpr_i_fail(err, PDPR_EUSAGE, "learning rate: expected a positive number, found %g",
                           a->rate);
    if (!(a->beta1 >= 0 && a->beta1 < 1) || !(a->beta2 >= 0 && a->beta2 < 1))
        return pdpr_i_fail(err, PDPR_EUSAGE,
                           "Adam: expected decay rates from 0 to below 1, found %g and %g",
                           a->beta1, a->beta2);
    if (!(a->epsilon >= 0 && a->epsilon < INFINITY))
        return pdpr_i_fail(err, PDPR_EUSAGE, "Adam: expected an epsilon of at least 0, found %g",
                           a->epsilon);
    return PDPR_OK;
}

pdpr_i_adam_corrections pdpr_i_adam_corrections_of(const pdpr_i_adam *a, uint64_t step)
{
    double t = (double)step;
    return (pdpr_i_adam_corrections){a->rate / (1 - pow(a->beta1, t)), 1 / (1 - pow(a->beta2, t))};
}

void pdpr_i_adam_weights_portable(const pdpr_i_adam *a, uint64_t step, uint64_t count,
                                  double factor, const double *gradient, double *x, double *first,
                                  double *second)
{
    pdpr_i_adam_corrections c = pdpr_i_adam_corrections_of(a, step);
    for (uint64_t i = 0; i < count; i++) {
        double g = isfinite(gradient[i]) ? gradient[i] * factor : 0;
        first[i] = a->beta1 * first[i] + (1 - a->beta1) * g;
        second[i] = a->beta2 * second[i] + (1 - a->beta2) * g * g;
        double below = sqrt(second[i] * c.root) + a->epsilon;
        x[i] -= below > 0 ? c.rate * first[i] / below : 0; /* no gradient so far: x stays */
    }
}

/* The constants of a step on embeddings. */
typedef struct {
    float keep1, take1, keep2, take2, rate, root, epsilon;
} constants;

static constants constants_of(const pdpr_i_adam *a, uint64_t step)
{
    const pdpr_i_adam_corrections c = pdpr_i_adam_corrections_of(a, step);
    return (constants){.keep1 = (float)a->beta1,
                       .take1 = (float)(1 - a->beta1),
                       .keep2 = (float)a->beta2,
                       .take2 = (float)(1 - a->beta2),
                       .rate = (float)c.rate,
                       .root = (float)c.root,
                       .epsilon = (float)a->epsilon};
}

static inline void move(const constants *c, float g, float *x, float *first, float *second)
{
    *first = c->keep1 * *first + c->take1 * g;
    *second = c->keep2 * *second + c->take2 * g * g;
    float below = sqrtf(*second * c->root) + c->epsilon;
    *x -= below > 0 ? c->rate * *first / below : 0;
}

void pdpr_i_adam_embedding_portable(const pdpr_i_adam *a, uint64_t step, uint64_t count,
                                    double factor, const double *gradient, float *x, float *first,
                                    float *second)
{
    const constants c = constants_of(a, step);
    for (uint64_t i = 0; i < count; i++) {
        float g = isfinite(gradient[i]) ? (float)(gradient[i] * factor) : 0;
        move(&c, g, x + i, first + i, second + i);
    }
}

void pdpr_i_adam_grid_portable(const pdpr_i_adam *a, uint64_t step, uint64_t count, double factor,
                               const int64_t *gradient, float *x, float *first, float *second)
{
    const constants c = constants_of(a, step);
    for (uint64_t i = 0; i < count; i++)
        move(&c, (float)((double)gradient[i] * factor), x + i, first + i, second + i);
}

pdpr_i_adam_forms pdpr_i_adam_choose(const pdpr_context *ctx)
{
#if defined(__x86_64__)
    if (ctx->cpu_used >= PDPR_CPU_AVX2)
        return (pdpr_i_adam_forms){pdpr_i_adam_weights_avx2, pdpr_i_adam_embedding_avx2,
                                   pdpr_i_adam_grid_avx2};
#endif
    (void)ctx;
    return (pdpr_i_adam_forms){pdpr_i_adam_weights_portable, pdpr_i_adam_embedding_portable,
                               pdpr_i_adam_grid_portable};
}
