/* The slow proposer for capped forests: dual subgradient steps with averaging, in integers, at a
 * proven rate. The twin of packing_descent.c.
 *
 * At prices y the heaviest forest is taken; the excess of each capped node's degree over its cap
 * moves its price. Round e makes T = 4^e steps of size 2^-e in the metric of the nodes' weights
 * (the larger of cap and degree). The mean of the forests, shrunk to the caps, and the best prices
 * met prove bounds at most 2^-e * W + W * 2^-39 + 2^-7 apart, W the sum of weights
 * (docs/proofs/component_cap.md, Theorem 4). Cost of a step: one Kruskal. */
#include "blueprint/forest.h"

#include <string.h>

enum { PRICE_BITS = 120 };

struct pdpr_i_forest_descent {
    const pdpr_i_forest_problem *p;
    unsigned round;
    uint64_t steps_left;
    pdpr_i_wide *y;        /* [num_capped], 2^-120 */
    uint64_t *y_grid;      /* [num_capped] */
    uint32_t *weight;      /* [num_capped]: the larger of cap and degree */
    uint32_t *degree;      /* [num_capped]: in the forest at hand */
    uint32_t *edge;        /* [num_nodes]: that forest */
    uint64_t *z;           /* [num_edges] */
    pdpr_i_forest_sum sum; /* of this round */
    pdpr_i_forest_work work;
};

static void step(pdpr_i_forest_descent *d, pdpr_i_forest_bounds *bounds)
{
    const pdpr_i_forest_problem *p = d->p;
    const pdpr_i_wide one = (pdpr_i_wide)1 << PRICE_BITS;
    pdpr_i_wide hi = 0;
    uint32_t count = 0;

    for (uint32_t v = 0; v < p->num_capped; v++)
        d->y_grid[v] = (uint64_t)(d->y[v] >> (PRICE_BITS - PDPR_I_FOREST_BITS));
    if (pdpr_i_forest_upper(p, d->y_grid, &d->work, d->edge, &count, &hi) && hi < bounds->hi)
        bounds->hi = hi;
    (void)pdpr_i_forest_sum_add(p, &d->sum, d->edge, count, 1, &d->work);

    memset(d->degree, 0, p->num_capped * sizeof *d->degree);
    for (uint32_t i = 0; i < count; i++)
        for (unsigned k = 0; k < 2; k++)
            if (p->end[d->edge[i]][k] < p->num_capped)
                d->degree[p->end[d->edge[i]][k]]++;
    for (uint32_t v = 0; v < p->num_capped; v++) {
        pdpr_i_wide size = (one >> d->round) / (pdpr_i_wide)d->weight[v];
        pdpr_i_wide moved = d->y[v] + ((pdpr_i_wide)d->degree[v] - p->cap[v]) * size;
        d->y[v] = moved < 0 ? 0 : moved > one ? one : moved;
    }
}

static void finish_round(pdpr_i_forest_descent *d, pdpr_i_forest_bounds *bounds)
{
    const pdpr_i_forest_problem *p = d->p;
    pdpr_i_wide lo = 0;

    pdpr_i_forest_shrink(p, &d->sum, &d->work, d->z);
    if (pdpr_i_forest_lower(p, &d->sum, d->z, &d->work, &lo) && lo > bounds->lo)
        bounds->lo = lo;
    d->round++;
    d->steps_left = (uint64_t)1 << (2 * d->round);
    memset(d->sum.count, 0, p->num_edges * sizeof *d->sum.count);
    d->sum.total = 0;
}

void pdpr_i_forest_descent_run(pdpr_i_forest_descent *d, uint64_t steps,
                               pdpr_i_forest_bounds *bounds)
{
    for (; steps > 0; steps--) {
        step(d, bounds);
        if (--d->steps_left == 0)
            finish_round(d, bounds);
    }
}

pdpr_status pdpr_i_forest_descent_new(pdpr_context *ctx, const pdpr_i_forest_problem *p,
                                      pdpr_i_forest_descent **out, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    pdpr_i_forest_descent *d = NULL;
    const char *what = "forest descent";

    PDPR_TRY(pdpr_i_zalloc(ctx, 1, sizeof *d, what, &d, err));
    d->p = p;
    d->steps_left = 1;
    PDPR_TRY(pdpr_i_zalloc(ctx, p->num_capped, sizeof *d->y, what, &d->y, err));
    PDPR_TRY(pdpr_i_zalloc(ctx, p->num_capped, sizeof *d->y_grid, what, &d->y_grid, err));
    PDPR_TRY(pdpr_i_zalloc(ctx, p->num_capped, sizeof *d->weight, what, &d->weight, err));
    PDPR_TRY(pdpr_i_zalloc(ctx, p->num_capped, sizeof *d->degree, what, &d->degree, err));
    PDPR_TRY(pdpr_i_zalloc(ctx, p->num_nodes, sizeof *d->edge, what, &d->edge, err));
    PDPR_TRY(pdpr_i_zalloc(ctx, p->num_edges, sizeof *d->z, what, &d->z, err));
    PDPR_TRY(pdpr_i_zalloc(ctx, p->num_edges, sizeof *d->sum.count, what, &d->sum.count, err));
    PDPR_TRY(pdpr_i_forest_work_init(ctx, p, &d->work, err));
    for (uint32_t e = 0; e < p->num_edges; e++)
        for (unsigned k = 0; k < 2; k++)
            if (p->end[e][k] < p->num_capped)
                d->weight[p->end[e][k]]++;
    for (uint32_t v = 0; v < p->num_capped; v++)
        if (d->weight[v] < p->cap[v])
            d->weight[v] = p->cap[v];
    *out = d;
    d = NULL;
done:
    pdpr_i_forest_descent_free(d);
    return s;
}

void pdpr_i_forest_descent_free(pdpr_i_forest_descent *d)
{
    if (!d)
        return;
    pdpr_free(d->y);
    pdpr_free(d->y_grid);
    pdpr_free(d->weight);
    pdpr_free(d->degree);
    pdpr_free(d->edge);
    pdpr_free(d->z);
    pdpr_free(d->sum.count);
    pdpr_i_forest_work_clear(&d->work);
    pdpr_free(d);
}
