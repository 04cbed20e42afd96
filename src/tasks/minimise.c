/* L-BFGS: the minimum of a smooth convex function of many variables.
 *
 * Two-loop recursion over the last MEMORY steps (Nocedal 1980; Nocedal and Wright, Numerical
 * Optimization, Algorithm 7.4), steps halved until the value falls enough (Armijo). For a strictly
 * convex function every step has positive curvature; a pair that rounding has spoilt is left out.
 * Cost per step: one to two evaluations and O(MEMORY * size). Sums run in index order: the same
 * bytes whatever the objective's threads. */
#include "tasks/tasks.h"

#include <math.h>
#include <string.h>

enum { MEMORY = 10, MOST_HALVINGS = 40 };

typedef struct {
    double *s[MEMORY], *y[MEMORY]; /* [size] each: moves and changes of the gradient */
    double rho[MEMORY];            /* 1 / (s . y) */
    uint32_t count, newest;
    double *block;
} history;

static double dot(const double *a, const double *b, uint64_t size)
{
    double sum = 0;
    for (uint64_t i = 0; i < size; i++)
        sum += a[i] * b[i];
    return sum;
}

static double largest(const double *a, uint64_t size)
{
    double most = 0;
    for (uint64_t i = 0; i < size; i++)
        most = fmax(most, fabs(a[i]));
    return most;
}

/* d = -H g, H the inverse Hessian that the history suggests. */
static void find_direction(const history *h, const double *g, uint64_t size, double *d)
{
    double alpha[MEMORY];
    for (uint64_t i = 0; i < size; i++)
        d[i] = -g[i];
    for (uint32_t k = 0; k < h->count; k++) {
        uint32_t at = (h->newest + MEMORY - k) % MEMORY;
        alpha[k] = h->rho[at] * dot(h->s[at], d, size);
        for (uint64_t i = 0; i < size; i++)
            d[i] -= alpha[k] * h->y[at][i];
    }
    double scale = h->count ? 1 / (h->rho[h->newest] * dot(h->y[h->newest], h->y[h->newest], size))
                            : 1 / fmax(1, sqrt(dot(g, g, size)));
    for (uint64_t i = 0; i < size; i++)
        d[i] *= scale;
    for (uint32_t k = h->count; k-- > 0;) {
        uint32_t at = (h->newest + MEMORY - k) % MEMORY;
        double beta = h->rho[at] * dot(h->y[at], d, size);
        for (uint64_t i = 0; i < size; i++)
            d[i] += (alpha[k] - beta) * h->s[at][i];
    }
}

static void remember(history *h, const double *x, const double *x_new, const double *g,
                     const double *g_new, uint64_t size)
{
    uint32_t at = (h->newest + 1) % MEMORY;
    for (uint64_t i = 0; i < size; i++) {
        h->s[at][i] = x_new[i] - x[i];
        h->y[at][i] = g_new[i] - g[i];
    }
    double curvature = dot(h->s[at], h->y[at], size);
    if (!(curvature > 1e-14 * dot(h->y[at], h->y[at], size)))
        return;
    h->rho[at] = 1 / curvature;
    h->newest = at;
    if (h->count < MEMORY)
        h->count++;
}

pdpr_status pdpr_i_minimise(pdpr_context *ctx, pdpr_i_objective objective, void *arg, uint64_t size,
                            double tolerance, uint32_t most_steps, double *x, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    history h = {.newest = MEMORY - 1};
    double *work = NULL, value;

    PDPR_TRY(pdpr_i_alloc(ctx, 4 * size, sizeof *work, "minimiser", &work, err));
    PDPR_TRY(pdpr_i_alloc(ctx, 2 * MEMORY * size, sizeof *h.block, "minimiser", &h.block, err));
    for (uint32_t k = 0; k < MEMORY; k++) {
        h.s[k] = h.block + (uint64_t)k * size;
        h.y[k] = h.block + (MEMORY + (uint64_t)k) * size;
    }
    double *g = work, *g_new = work + size, *x_new = work + 2 * size, *d = work + 3 * size;

    PDPR_TRY(objective(arg, x, &value, g, err));
    for (uint32_t step = 0; largest(g, size) > tolerance; step++) {
        if (step == most_steps) {
            s = pdpr_i_fail(err, PDPR_EFAILED,
                            "minimiser: not at the minimum after %" PRIu32 " steps", most_steps);
            goto done;
        }
        PDPR_TRY(pdpr_i_check_cancelled(ctx, err));
        find_direction(&h, g, size, d);
        double slope = dot(g, d, size), length = 1, reached = value;
        bool fell = false;
        for (uint32_t k = 0; slope < 0 && k < MOST_HALVINGS && !fell; k++, length /= 2) {
            for (uint64_t i = 0; i < size; i++)
                x_new[i] = x[i] + length * d[i];
            PDPR_TRY(objective(arg, x_new, &reached, g_new, err));
            fell = reached <= value + 1e-4 * length * slope;
        }
        if (!fell && h.count > 0) { /* a stale history: once more along the gradient */
            h.count = 0;
            continue;
        }
        if (!fell)
            break; /* the value is flat to the last bit */
        remember(&h, x, x_new, g, g_new, size);
        memcpy(x, x_new, size * sizeof *x);
        memcpy(g, g_new, size * sizeof *g);
        value = reached;
    }
done:
    pdpr_free(work);
    pdpr_free(h.block);
    return s;
}
