/* The fast proposer for capped forests: prices that follow the mean of the forests they asked for.
 *
 * At prices y the heaviest forest is taken and joins a mean in which forest t has weight t. The
 * next prices are a centre plus the mean's excess over the caps, and the centre drifts towards
 * them: a controller with a proportional and an integral part. The excess of the mean alone moves
 * prices, not that of the last forest, so they hardly swing, and bounds were seen to close as 1 / t
 * where subgradient steps have 1 / sqrt(t); that is an observation, not a theorem.
 *
 * Best prices are often small fractions. So every few steps the centre, rounded to halves, thirds
 * or quarters with one of several thresholds, is tried as well: that tends to give the exact upper
 * bound long before the centre arrives there.
 *
 * Untrusted throughout: only what forest_certificate.c proves is kept, and forest_descent.c has the
 * proven rate. Cost of a step: one Kruskal; no memory is asked for after the start. */
#include "blueprint/forest.h"

#include <string.h>

enum {
    STEPS_BETWEEN_ROUNDINGS = 8,
    PRICE_BITS = 22 /* prices proposed on a coarse grid: half the passes of the radix sort */
};

struct pdpr_i_forest_average {
    const pdpr_i_forest_problem *p;
    double gain; /* price of one edge too many, in the long run */
    uint64_t steps, next_certificate;
    uint32_t roundings;
    pdpr_i_wide lo, hi; /* best bounds met here */
    double *centre;     /* [num_capped] */
    double *price;      /* [num_capped] */
    double *load;       /* [num_capped]: of the mean */
    uint64_t *grid;     /* [num_capped] */
    uint32_t *edge;     /* [num_nodes]: the forest at hand */
    uint32_t count;
    uint32_t *degree; /* [num_capped]: in it */
    uint64_t *z;      /* [num_edges] */
    pdpr_i_forest_sum sum;
    pdpr_i_forest_work work;
};

/* Rounds prices down to multiples of 1 / parts after adding `raise` of such a part. */
static void round_prices(pdpr_i_forest_average *a, const double *price, double parts, double raise)
{
    for (uint32_t v = 0; v < a->p->num_capped; v++) {
        double whole = (double)(uint64_t)(price[v] * parts + raise) / parts;
        a->grid[v] = (uint64_t)((whole < 1 ? whole : 1) * (double)PDPR_I_FOREST_ONE);
    }
}

/* The heaviest forest at a->grid, and what it proves. */
static bool ask(pdpr_i_forest_average *a, pdpr_i_forest_bounds *bounds)
{
    pdpr_i_wide hi = 0;
    if (!pdpr_i_forest_upper(a->p, a->grid, &a->work, a->edge, &a->count, &hi))
        return false;
    if (hi < bounds->hi)
        bounds->hi = hi;
    if (hi < a->hi)
        a->hi = hi;
    return true;
}

/* Takes the forest at hand into the mean. */
static void join_mean(pdpr_i_forest_average *a)
{
    const pdpr_i_forest_problem *p = a->p;
    if (!pdpr_i_forest_sum_add(p, &a->sum, a->edge, a->count, a->steps, &a->work))
        return; /* the counters are full: the other proposer goes on */
    memset(a->degree, 0, p->num_capped * sizeof *a->degree);
    for (uint32_t i = 0; i < a->count; i++)
        for (unsigned k = 0; k < 2; k++)
            if (p->end[a->edge[i]][k] < p->num_capped)
                a->degree[p->end[a->edge[i]][k]]++;
    double share = 2 / ((double)a->steps + 1); /* t / (1 + … + t) */
    for (uint32_t v = 0; v < p->num_capped; v++)
        a->load[v] += share * (a->degree[v] - a->load[v]);
}

/* Prices from the centre and the mean's excess, in edges; the centre follows. */
static void move_prices(pdpr_i_forest_average *a)
{
    double t = (double)a->steps, gain = a->gain + 1 / (1 + t / 100), share = 2 / (t + 2);
    for (uint32_t v = 0; v < a->p->num_capped; v++) {
        double y = a->centre[v] + gain * (a->load[v] - a->p->cap[v]);
        a->price[v] = y < 0 ? 0 : y > 1 ? 1 : y;
        a->centre[v] += share * (a->price[v] - a->centre[v]);
    }
}

/* Tries the centre as it is, or one of its roundings, in turn. Towards a rounding that is better
 * than all before the centre moves half of the way: all of it would bring more ties than help. */
static void try_rounding(pdpr_i_forest_average *a, pdpr_i_forest_bounds *bounds)
{
    static const double raise[] = {0.5, 0.3, 0.7, 0.1, 0.9};
    enum { RAISES = sizeof raise / sizeof *raise, MOST_PARTS = 4 };
    const pdpr_i_wide before = a->hi;
    uint32_t turn = a->roundings++ % (1 + RAISES * MOST_PARTS);
    if (turn == 0) {
        round_prices(a, a->centre, (double)PDPR_I_FOREST_ONE, 0);
    } else {
        uint32_t parts = 1 + (turn - 1) / RAISES;
        round_prices(a, a->centre, parts, raise[(turn - 1) % RAISES]);
    }
    (void)ask(a, bounds);
    for (uint32_t v = 0; a->hi < before && v < a->p->num_capped; v++)
        a->centre[v] += 0.5 * ((double)a->grid[v] / (double)PDPR_I_FOREST_ONE - a->centre[v]);
}

static void certify(pdpr_i_forest_average *a, pdpr_i_forest_bounds *bounds)
{
    pdpr_i_wide lo = 0;
    pdpr_i_forest_shrink(a->p, &a->sum, &a->work, a->z);
    if (!pdpr_i_forest_lower(a->p, &a->sum, a->z, &a->work, &lo))
        return;
    if (lo > bounds->lo)
        bounds->lo = lo;
    if (lo > a->lo)
        a->lo = lo;
}

pdpr_i_wide pdpr_i_forest_average_lower(const pdpr_i_forest_average *a)
{
    return a->lo;
}

void pdpr_i_forest_average_run(pdpr_i_forest_average *a, uint64_t steps,
                               pdpr_i_forest_bounds *bounds)
{
    for (; steps > 0; steps--) {
        a->steps++;
        round_prices(a, a->price, (double)((uint64_t)1 << PRICE_BITS), 0);
        if (ask(a, bounds))
            join_mean(a);
        move_prices(a);
        if (a->steps % STEPS_BETWEEN_ROUNDINGS == 0)
            try_rounding(a, bounds);
        if (a->steps >= a->next_certificate) { /* costs a few steps, so ever more rarely */
            certify(a, bounds);
            a->next_certificate = a->steps + 1 + a->steps / 32;
        }
    }
}

pdpr_status pdpr_i_forest_average_new(pdpr_context *ctx, const pdpr_i_forest_problem *p,
                                      double gain, pdpr_i_forest_average **out, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    pdpr_i_forest_average *a = NULL;
    const char *what = "forest average";

    PDPR_TRY(pdpr_i_zalloc(ctx, 1, sizeof *a, what, &a, err));
    a->p = p;
    a->gain = gain;
    a->hi = (pdpr_i_wide)(p->num_nodes + (uint64_t)1) << PDPR_I_FOREST_BITS;
    PDPR_TRY(pdpr_i_zalloc(ctx, p->num_capped, sizeof *a->centre, what, &a->centre, err));
    PDPR_TRY(pdpr_i_zalloc(ctx, p->num_capped, sizeof *a->price, what, &a->price, err));
    PDPR_TRY(pdpr_i_zalloc(ctx, p->num_capped, sizeof *a->load, what, &a->load, err));
    PDPR_TRY(pdpr_i_zalloc(ctx, p->num_capped, sizeof *a->grid, what, &a->grid, err));
    PDPR_TRY(pdpr_i_zalloc(ctx, p->num_nodes, sizeof *a->edge, what, &a->edge, err));
    PDPR_TRY(pdpr_i_zalloc(ctx, p->num_capped, sizeof *a->degree, what, &a->degree, err));
    PDPR_TRY(pdpr_i_zalloc(ctx, p->num_edges, sizeof *a->z, what, &a->z, err));
    PDPR_TRY(pdpr_i_zalloc(ctx, p->num_edges, sizeof *a->sum.count, what, &a->sum.count, err));
    PDPR_TRY(pdpr_i_forest_work_init(ctx, p, &a->work, err));
    *out = a;
    a = NULL;
done:
    pdpr_i_forest_average_free(a);
    return s;
}

void pdpr_i_forest_average_free(pdpr_i_forest_average *a)
{
    if (!a)
        return;
    pdpr_free(a->centre);
    pdpr_free(a->price);
    pdpr_free(a->load);
    pdpr_free(a->grid);
    pdpr_free(a->edge);
    pdpr_free(a->degree);
    pdpr_free(a->z);
    pdpr_free(a->sum.count);
    pdpr_i_forest_work_clear(&a->work);
    pdpr_free(a);
}
