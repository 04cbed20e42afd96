/* The number of triangles from two capped counts.
 *
 * A cap counts triangles at hubs only in part, so a capped count f is too small where hubs carry
 * them. How much it hides follows from the degrees. Triangles are of two sorts: those that a random
 * graph with these degrees has, R, whose corners fall on nodes in proportion to d (d - 1), and the
 * others, in groups, whose corners fall in proportion to d. Taking any k nodes out leaves
 * (1 - W_k)^3 of each sort, W_k the weight of the k, and each of the k holds c at most: f <= c k +
 * the rest, for every k, and the best k, among the largest degrees, is near equality (linear
 * programming duality). The number of the second sort is found by bisection.
 *
 * Both counts are corrected and averaged by precision, the correction's doubt included. Cost: O(N).
 */
#include "blueprint/fit_parts.h"

#include <math.h>

/* The largest degrees that are looked at: more hubs than any cap can hide behind. */
enum { MOST_HUBS = 4096, HALVINGS = 40 };
/* Beyond this the cap hides nearly all, and what it lets through tells nothing any more. */
static const double most_correction = 2.5;

typedef struct {
    const pdpr_i_fitting *f;
    double ends, wedges; /* sums of d and of d (d - 1) over nodes of degree 2 and more */
    double cap;
} capped;

/* Triangles of a random graph with these degrees (Newman 2003, for the configuration model). */
static double by_chance(const capped *c)
{
    double ratio = c->ends > 0 ? c->wedges / c->ends : 0;
    return ratio * ratio * ratio / 6;
}

/* What a cap lets through of so many triangles. */
static double let_through(const capped *c, double triangles)
{
    double least = triangles, ends = c->ends, wedges = c->wedges;
    double chance = by_chance(c) < triangles ? by_chance(c) : triangles;
    for (uint32_t k = 0; k < c->f->n && k < MOST_HUBS && c->f->degree[k] > 1; k++) {
        double d = c->f->degree[k], held = c->cap * (k + 1.0); /* degrees are descending */
        ends -= d;
        wedges -= d * (d - 1);
        double bound = held + chance * pow(wedges / c->wedges, 3) +
                       (triangles - chance) * pow(ends / c->ends, 3);
        if (bound < least)
            least = bound;
        else if (held > least)
            break;
    }
    return least;
}

/* The number of which the cap lets through `seen`, at most what wedges could hold. */
static double undo_cap(const capped *c, double seen)
{
    double low = seen, high = most_correction * seen, all = c->wedges / 6; /* wedges closed */
    if (high > all)
        high = all;
    if (seen <= 0 || high <= seen)
        return seen;
    for (int i = 0; i < HALVINGS; i++) {
        double middle = (low + high) / 2;
        if (let_through(c, middle) < seen)
            low = middle;
        else
            high = middle;
    }
    return low;
}

double pdpr_i_fit_triangles(const pdpr_i_fitting *f)
{
    static const pdpr_i_bp_query queries[2] = {PDPR_I_BP_TRIANGLES_1, PDPR_I_BP_TRIANGLES_2};
    double sum = 0, weights = 0;
    capped c = {.f = f};
    for (uint32_t u = 0; u < f->n && f->degree[u] > 1; u++) {
        c.ends += f->degree[u];
        c.wedges += (double)f->degree[u] * (f->degree[u] - 1.0);
    }
    for (int i = 0; i < 2; i++) {
        double seen = (double)f->numbers->triangles[i] / 2;
        double sd = pdpr_i_fit_deviation(f, queries[i], f->numbers->triangle_cap[i] + 0.5);
        c.cap = f->numbers->triangle_cap[i];
        double undone = undo_cap(&c, seen);
        /* a correction multiplies the noise, and is itself known by half */
        double factor = seen > 0 ? undone / seen : 1;
        double variance = pdpr_i_square(sd * factor) + pdpr_i_square((undone - seen) / 2) + 1;
        sum += undone / variance;
        weights += 1 / variance;
    }
    return sum / weights;
}
