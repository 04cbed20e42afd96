/* The slow proposer: dual subgradient steps with averaging, in integers, at a proven rate.
 *
 * At prices y an item is taken whole if its rows together ask less than 1, else not at all; the
 * excess of each row over its cap moves its price. Round e makes T = 4^e steps of size 2^-e in the
 * metric of the rows' weights. The average of the items taken, repaired, and the best prices met
 * then prove bounds at most 2^-e * (sum of weights) + 2^-6 apart, whatever the problem
 * (docs/proofs/triangle_cap.md, Theorem 4). It is there so that the loop ends on every input; the
 * fast proposer is done long before. Prices are kept with 120 bits behind the point, so that the
 * proof's rounding terms are negligible. Cost of a step: O(size). */
#include "blueprint/packing.h"

#include <string.h>

enum { PRICE_BITS = 120 };

struct pdpr_i_packing_descent {
    const pdpr_i_packing *p;
    unsigned round;
    uint64_t steps_left;
    pdpr_i_wide *y;   /* [num_rows], 2^-120 */
    uint64_t *load;   /* [num_rows] */
    uint64_t *taken;  /* [num_items]: steps of this round in which the item was taken */
    uint64_t *y_grid; /* [num_rows] */
    uint64_t *z_grid; /* [num_items] */
    uint64_t *room;   /* [num_rows] */
    double *scale;    /* [num_rows] */
};

static void step(pdpr_i_packing_descent *d, pdpr_i_packing_bounds *bounds)
{
    const pdpr_i_packing *p = d->p;
    const pdpr_i_wide one = (pdpr_i_wide)1 << PRICE_BITS;
    pdpr_i_wide hi = 0;

    for (uint32_t v = 0; v < p->num_rows; v++)
        d->y_grid[v] = (uint64_t)(d->y[v] >> (PRICE_BITS - PDPR_I_PACKING_BITS));
    if (pdpr_i_packing_upper(p, d->y_grid, &hi) && hi < bounds->hi)
        bounds->hi = hi;

    memset(d->load, 0, p->num_rows * sizeof *d->load);
    for (uint32_t j = 0; j < p->num_items; j++) {
        pdpr_i_wide price = 0;
        for (unsigned k = 0; k < 3 && p->row[j][k] != PDPR_I_NO_ROW; k++)
            price += d->y[p->row[j][k]];
        if (price >= one)
            continue;
        d->taken[j]++;
        for (unsigned k = 0; k < 3 && p->row[j][k] != PDPR_I_NO_ROW; k++)
            d->load[p->row[j][k]] += p->upper[j];
    }
    for (uint32_t v = 0; v < p->num_rows; v++) {
        pdpr_i_wide size = (one >> d->round) / (pdpr_i_wide)p->weight[v];
        pdpr_i_wide moved = d->y[v] + ((pdpr_i_wide)d->load[v] - p->cap[v]) * size;
        d->y[v] = moved < 0 ? 0 : moved > one ? one : moved;
    }
}

static void finish_round(pdpr_i_packing_descent *d, pdpr_i_packing_bounds *bounds)
{
    const pdpr_i_packing *p = d->p;
    pdpr_i_wide lo = 0;

    for (uint32_t j = 0; j < p->num_items; j++)
        d->z_grid[j] = (uint64_t)((((pdpr_i_wide)p->upper[j] << PDPR_I_PACKING_BITS) *
                                   (pdpr_i_wide)d->taken[j]) >>
                                  (2 * d->round));
    pdpr_i_packing_repair(p, d->z_grid, d->scale, d->room);
    if (pdpr_i_packing_lower(p, d->z_grid, &lo) && lo > bounds->lo)
        bounds->lo = lo;
    d->round++;
    d->steps_left = (uint64_t)1 << (2 * d->round);
    memset(d->taken, 0, p->num_items * sizeof *d->taken);
}

void pdpr_i_packing_descent_run(pdpr_i_packing_descent *d, uint64_t steps,
                                pdpr_i_packing_bounds *bounds)
{
    for (; steps > 0; steps--) {
        step(d, bounds);
        if (--d->steps_left == 0)
            finish_round(d, bounds);
    }
}

pdpr_status pdpr_i_packing_descent_new(pdpr_context *ctx, const pdpr_i_packing *p,
                                       pdpr_i_packing_descent **out, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    pdpr_i_packing_descent *d = NULL;
    const char *what = "packing descent";

    PDPR_TRY(pdpr_i_zalloc(ctx, 1, sizeof *d, what, &d, err));
    d->p = p;
    d->steps_left = 1;
    PDPR_TRY(pdpr_i_zalloc(ctx, p->num_rows, sizeof *d->y, what, &d->y, err));
    PDPR_TRY(pdpr_i_zalloc(ctx, p->num_rows, sizeof *d->load, what, &d->load, err));
    PDPR_TRY(pdpr_i_zalloc(ctx, p->num_items, sizeof *d->taken, what, &d->taken, err));
    PDPR_TRY(pdpr_i_zalloc(ctx, p->num_rows, sizeof *d->y_grid, what, &d->y_grid, err));
    PDPR_TRY(pdpr_i_zalloc(ctx, p->num_items, sizeof *d->z_grid, what, &d->z_grid, err));
    PDPR_TRY(pdpr_i_zalloc(ctx, p->num_rows, sizeof *d->room, what, &d->room, err));
    PDPR_TRY(pdpr_i_zalloc(ctx, p->num_rows, sizeof *d->scale, what, &d->scale, err));
    *out = d;
    d = NULL;
done:
    pdpr_i_packing_descent_free(d);
    return s;
}

void pdpr_i_packing_descent_free(pdpr_i_packing_descent *d)
{
    if (!d)
        return;
    pdpr_free(d->y);
    pdpr_free(d->load);
    pdpr_free(d->taken);
    pdpr_free(d->y_grid);
    pdpr_free(d->z_grid);
    pdpr_free(d->room);
    pdpr_free(d->scale);
    pdpr_free(d);
}
