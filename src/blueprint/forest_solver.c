/* The fast proposer for capped forests: column generation with smoothed prices.
 *
 * A small linear program mixes the forests found so far; its prices, moved towards the best ones
 * met (Wentges 1997: without that they swing), ask Kruskal's rule for the next forest. Each answer
 * is a true upper bound at its prices, whatever the prices are. When the mixture promises the
 * wanted gap, it is rounded to the grid and handed to the certificate.
 *
 * Untrusted throughout: only what forest_certificate.c proves is kept. Cost of a run: one Kruskal
 * and some pivots. */
#include "blueprint/forest_master.h"

#include <math.h>
#include <string.h>

static const double FIRST_SMOOTHING = 0.7;
enum { RUNS_BETWEEN_CERTIFICATES = 64 };

struct pdpr_i_forest_solver {
    pdpr_context *ctx;
    const pdpr_i_forest_problem *p;
    pdpr_i_forest_master master;
    pdpr_i_forest_work work;
    pdpr_i_forest_sum sum;
    double *best;     /* [num_capped]: the prices with the smallest upper bound so far */
    double *price;    /* [num_capped]: the prices at hand */
    uint64_t *grid;   /* [num_capped] */
    uint32_t *edge;   /* [num_nodes]: the forest at hand */
    uint32_t *degree; /* [num_capped] */
    uint64_t *z;      /* [num_edges] */
    pdpr_i_wide hi;   /* upper bound at `best` */
    double smoothing;
    uint64_t runs;
};

/* Certifies the mixture of the master. */
static void certify(pdpr_i_forest_solver *s, pdpr_i_forest_bounds *bounds)
{
    const pdpr_i_forest_master *m = &s->master;
    pdpr_i_wide lo = 0;

    memset(s->sum.count, 0, s->p->num_edges * sizeof *s->sum.count);
    s->sum.total = 0;
    for (uint32_t k = 0; k < m->num_columns; k++) {
        double times = floor(pdpr_i_forest_master_share(m, k) * (double)PDPR_I_FOREST_ONE);
        if (!(times >= 1)) /* also what is no number: the master is not trusted */
            continue;
        if (times > (double)PDPR_I_FOREST_ONE)
            times = (double)PDPR_I_FOREST_ONE;
        (void)pdpr_i_forest_sum_add(s->p, &s->sum, m->column[k].edge, m->column[k].count,
                                    (uint64_t)times, &s->work);
    }
    /* What the shares lack to one is the empty forest. */
    if (s->sum.total < PDPR_I_FOREST_ONE)
        (void)pdpr_i_forest_sum_add(s->p, &s->sum, NULL, 0, PDPR_I_FOREST_ONE - s->sum.total,
                                    &s->work);
    pdpr_i_forest_shrink(s->p, &s->sum, &s->work, s->z);
    if (pdpr_i_forest_lower(s->p, &s->sum, s->z, &s->work, &lo) && lo > bounds->lo)
        bounds->lo = lo;
}

pdpr_status pdpr_i_forest_solver_run(pdpr_i_forest_solver *s, pdpr_i_wide gap,
                                     pdpr_i_forest_bounds *bounds, pdpr_error *err)
{
    const pdpr_i_forest_problem *p = s->p;
    pdpr_status status = PDPR_OK;
    pdpr_i_wide hi = 0;
    uint32_t count = 0;

    for (uint32_t v = 0; v < p->num_capped; v++) {
        double y = pdpr_i_forest_master_price(&s->master, v);
        y = s->smoothing * s->best[v] + (1 - s->smoothing) * (y > 0 ? (y < 1 ? y : 1) : 0);
        s->price[v] = y;
        s->grid[v] = (uint64_t)(y * (double)PDPR_I_FOREST_ONE);
    }
    if (!pdpr_i_forest_upper(p, s->grid, &s->work, s->edge, &count, &hi))
        return PDPR_OK; /* no bound, no forest: the other proposer goes on */
    if (hi < bounds->hi)
        bounds->hi = hi;
    if (hi < s->hi) {
        s->hi = hi;
        memcpy(s->best, s->price, p->num_capped * sizeof *s->best);
    }
    memset(s->degree, 0, p->num_capped * sizeof *s->degree);
    for (uint32_t i = 0; i < count; i++)
        for (unsigned k = 0; k < 2; k++)
            if (p->end[s->edge[i]][k] < p->num_capped)
                s->degree[p->end[s->edge[i]][k]]++;

    bool gains = pdpr_i_forest_master_gain(&s->master, count, s->degree) > 1e-6;
    if (gains) {
        status = pdpr_i_forest_master_add(s->ctx, &s->master, s->edge, count, err);
        if (status != PDPR_OK)
            return status;
    }
    double promised =
        (double)bounds->hi / (double)PDPR_I_FOREST_ONE - pdpr_i_forest_master_value(&s->master);
    if (promised <= 0.99 * (double)gap / (double)PDPR_I_FOREST_ONE ||
        ++s->runs % RUNS_BETWEEN_CERTIFICATES == 0)
        certify(s, bounds);
    /* A forest that gains nothing says that smoothing went too far from the master's prices. */
    s->smoothing = gains ? FIRST_SMOOTHING : s->smoothing < 0.1 ? 0 : s->smoothing / 2;
    return status;
}

pdpr_status pdpr_i_forest_solver_new(pdpr_context *ctx, const pdpr_i_forest_problem *p,
                                     const uint32_t *edge, uint32_t count, const uint64_t *y,
                                     pdpr_i_forest_solver **out, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    pdpr_i_forest_solver *x = NULL;
    const char *what = "forest solver";

    PDPR_TRY(pdpr_i_zalloc(ctx, 1, sizeof *x, what, &x, err));
    x->ctx = ctx;
    x->p = p;
    x->hi = (pdpr_i_wide)(p->num_nodes + (uint64_t)1) << PDPR_I_FOREST_BITS;
    x->smoothing = FIRST_SMOOTHING;
    PDPR_TRY(pdpr_i_forest_master_init(ctx, p, &x->master, err));
    PDPR_TRY(pdpr_i_forest_work_init(ctx, p, &x->work, err));
    PDPR_TRY(pdpr_i_zalloc(ctx, p->num_edges, sizeof *x->sum.count, what, &x->sum.count, err));
    PDPR_TRY(pdpr_i_zalloc(ctx, p->num_capped, sizeof *x->best, what, &x->best, err));
    PDPR_TRY(pdpr_i_zalloc(ctx, p->num_capped, sizeof *x->price, what, &x->price, err));
    PDPR_TRY(pdpr_i_zalloc(ctx, p->num_capped, sizeof *x->grid, what, &x->grid, err));
    PDPR_TRY(pdpr_i_zalloc(ctx, p->num_nodes, sizeof *x->edge, what, &x->edge, err));
    PDPR_TRY(pdpr_i_zalloc(ctx, p->num_capped, sizeof *x->degree, what, &x->degree, err));
    PDPR_TRY(pdpr_i_zalloc(ctx, p->num_edges, sizeof *x->z, what, &x->z, err));
    for (uint32_t v = 0; v < p->num_capped; v++)
        x->best[v] = (double)y[v] / (double)PDPR_I_FOREST_ONE;
    PDPR_TRY(pdpr_i_forest_master_add(ctx, &x->master, edge, count, err));
    *out = x;
    x = NULL;
done:
    pdpr_i_forest_solver_free(x);
    return s;
}

void pdpr_i_forest_solver_free(pdpr_i_forest_solver *s)
{
    if (!s)
        return;
    pdpr_i_forest_master_clear(&s->master);
    pdpr_i_forest_work_clear(&s->work);
    pdpr_free(s->sum.count);
    pdpr_free(s->best);
    pdpr_free(s->price);
    pdpr_free(s->grid);
    pdpr_free(s->edge);
    pdpr_free(s->degree);
    pdpr_free(s->z);
    pdpr_free(s);
}
