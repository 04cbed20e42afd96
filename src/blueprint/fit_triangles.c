/* The number of triangles from two capped counts.
 *
 * A cap counts triangles at hubs only in part, so a capped count f is too small where hubs carry
 * them. How much it hides follows from the degrees: let the corners of T triangles fall on nodes in
 * proportion to weights w_u = d_u (d_u - 1), as in a random graph. Taking any k nodes out leaves
 * T (1 - W_k)^3 triangles, W_k the weight of the k, and each of them can hold c at most: f <=
 * c k + T (1 - W_k)^3 for every k, and the best k, among the largest degrees, is near equality
 * (linear programming duality). T is found by bisection. Where triangles lie in dense groups of low
 * degrees the correction vanishes by itself, since no small set of nodes has much weight.
 *
 * Both counts are corrected and averaged by precision, the correction's doubt included. Cost: O(N).
 */
#include "blueprint/fit_parts.h"

#include <math.h>

/* The largest degrees that are looked at: more hubs than any cap can hide behind. */
enum { MOST_HUBS = 4096, HALVINGS = 60 };

typedef struct {
    const pdpr_i_fitting *f;
    double weight; /* of all nodes */
    double cap;
} capped;

static double weight_of(double degree)
{
    return degree * (degree - 1);
}

/* What a cap lets through of so many triangles. */
static double let_through(const capped *c, double triangles)
{
    double least = triangles, taken = 0;
    for (uint32_t k = 0; k < c->f->n && k < MOST_HUBS && c->weight > 0; k++) {
        taken += weight_of(c->f->degree[k]); /* degrees are descending */
        double left = 1 - taken / c->weight;
        double bound = c->cap * (k + 1.0) + triangles * left * left * left;
        if (bound < least)
            least = bound;
        else if (c->cap * (k + 1.0) > least)
            break;
    }
    return least;
}

/* The number of which the cap lets through `seen`, at most what wedges could hold. */
static double undo_cap(const capped *c, double seen)
{
    double low = seen, high = c->weight / 6; /* every wedge closed */
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
    for (uint32_t u = 0; u < f->n; u++)
        c.weight += weight_of(f->degree[u]);
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
