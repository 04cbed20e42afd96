/* The fast proposer: a primal-dual hybrid gradient method with restarts.
 *
 * Alternates a step of the items along 1 - (sum of prices of their rows) and a step of the prices
 * along (extrapolated load) - cap, each with the step size of its own row or column (Chambolle and
 * Pock 2011; Pock and Chambolle 2011). Linear programs have sharp solutions, so restarting from the
 * average whenever the gap has fallen enough gives linear convergence (Applegate et al. 2021, whose
 * rule for the balance of primal and dual steps is used too). Prices are kept in [0, 1], where an
 * optimal dual lies.
 *
 * All of it is untrusted: proposals are rounded to the grid, repaired and handed to the
 * certificate, and only what that proves is kept. Sums run over fixed lists in fixed order, so the
 * result is the same for any number of threads. Cost of an iteration: O(size). */
#include "blueprint/packing.h"

#include <math.h>
#include <string.h>

enum { ITERATIONS_PER_RUN = 40, ITEMS_PER_CHUNK = 1 << 15, ROWS_PER_CHUNK = 1 << 12 };

struct pdpr_i_packing_solver {
    pdpr_context *ctx;
    const pdpr_i_packing *p;
    double *z, *bar, *z_sum, *z_start; /* [num_items]: point, extrapolated, window sum, restart */
    double *y, *y_sum, *y_start;       /* [num_rows] */
    uint64_t *z_grid, *y_grid, *room;  /* proposals on the grid; workspace of the repair */
    double *scale;
    double balance;           /* dual step over primal step */
    double gap_start;         /* gap at the last restart */
    double gap_before;        /* gap at the last look */
    uint64_t window, elapsed; /* iterations since the last restart, and in all */
};

/* ---------------------------------------------------------------- iterations */

static double price_of(const pdpr_i_packing *p, const double *y, uint32_t j)
{
    double price = y[p->row[j][0]] + y[p->row[j][1]];
    return p->row[j][2] == PDPR_I_NO_ROW ? price : price + y[p->row[j][2]];
}

static pdpr_status step_items(void *arg, uint64_t chunk, uint32_t worker, pdpr_error *err)
{
    (void)worker, (void)err;
    pdpr_i_packing_solver *s = arg;
    const pdpr_i_packing *p = s->p;
    uint64_t first = chunk * ITEMS_PER_CHUNK;
    uint64_t last = first + ITEMS_PER_CHUNK < p->num_items ? first + ITEMS_PER_CHUNK : p->num_items;

    for (uint64_t j = first; j < last; j++) {
        double upper = p->upper[j], rows = p->row[j][2] == PDPR_I_NO_ROW ? 2 : 3;
        double moved = s->z[j] + upper / (rows * s->balance) * (1 - price_of(p, s->y, (uint32_t)j));
        moved = moved < 0 ? 0 : moved > upper ? upper : moved;
        s->bar[j] = 2 * moved - s->z[j];
        s->z[j] = moved;
        s->z_sum[j] += moved;
    }
    return PDPR_OK;
}

static pdpr_status step_rows(void *arg, uint64_t chunk, uint32_t worker, pdpr_error *err)
{
    (void)worker, (void)err;
    pdpr_i_packing_solver *s = arg;
    const pdpr_i_packing *p = s->p;
    uint64_t first = chunk * ROWS_PER_CHUNK;
    uint64_t last = first + ROWS_PER_CHUNK < p->num_rows ? first + ROWS_PER_CHUNK : p->num_rows;

    for (uint64_t v = first; v < last; v++) {
        double load = 0;
        for (uint64_t i = p->start[v]; i < p->start[v + 1]; i++)
            load += s->bar[p->item[i]];
        double moved = s->y[v] + s->balance * (load - p->cap[v]) / (double)p->weight[v];
        s->y[v] = moved < 0 ? 0 : moved > 1 ? 1 : moved;
        s->y_sum[v] += s->y[v];
    }
    return PDPR_OK;
}

/* ---------------------------------------------------------------- proposals and restarts */

/* Certifies z * share and y * share, tightens the bounds, and returns the proposal's own gap. */
static double propose(pdpr_i_packing_solver *s, const double *z, const double *y, double share,
                      pdpr_i_packing_bounds *bounds)
{
    const pdpr_i_packing *p = s->p;
    pdpr_i_wide lo = 0, hi = 0;

    for (uint32_t j = 0; j < p->num_items; j++) {
        uint64_t most = (uint64_t)p->upper[j] << PDPR_I_PACKING_BITS;
        double grid = z[j] * share * (double)PDPR_I_PACKING_ONE;
        s->z_grid[j] = grid < (double)most ? (uint64_t)grid : most;
    }
    pdpr_i_packing_repair(p, s->z_grid, s->scale, s->room);
    for (uint32_t v = 0; v < p->num_rows; v++) {
        double grid = ceil(y[v] * share * (double)PDPR_I_PACKING_ONE);
        s->y_grid[v] = grid < (double)PDPR_I_PACKING_ONE ? (uint64_t)grid : PDPR_I_PACKING_ONE;
    }
    bool lower = pdpr_i_packing_lower(p, s->z_grid, &lo);
    bool upper = pdpr_i_packing_upper(p, s->y_grid, &hi);
    if (lower && lo > bounds->lo)
        bounds->lo = lo;
    if (upper && hi < bounds->hi)
        bounds->hi = hi;
    return lower && upper ? (double)(hi - lo) : INFINITY;
}

/* Starts a new window at z * share, y * share and lets the balance follow the way travelled. */
static void restart(pdpr_i_packing_solver *s, const double *z, const double *y, double share)
{
    const pdpr_i_packing *p = s->p;
    double z_way = 0, y_way = 0;

    for (uint32_t j = 0; j < p->num_items; j++) {
        double rows = p->row[j][2] == PDPR_I_NO_ROW ? 2 : 3;
        s->z[j] = z[j] * share;
        double way = s->z[j] - s->z_start[j];
        z_way += way * way * rows / p->upper[j];
        s->z_start[j] = s->z[j];
        s->z_sum[j] = 0;
    }
    for (uint32_t v = 0; v < p->num_rows; v++) {
        s->y[v] = y[v] * share;
        double way = s->y[v] - s->y_start[v];
        y_way += way * way * (double)p->weight[v];
        s->y_start[v] = s->y[v];
        s->y_sum[v] = 0;
    }
    if (z_way > 1e-20 && y_way > 1e-20) /* half the way, on the scale of logarithms */
        s->balance = sqrt(s->balance * sqrt(y_way / z_way));
    s->window = 0;
}

pdpr_status pdpr_i_packing_solver_run(pdpr_i_packing_solver *s, pdpr_i_packing_bounds *bounds,
                                      pdpr_error *err)
{
    const pdpr_i_packing *p = s->p;
    uint64_t item_chunks = pdpr_i_chunks(p->num_items, ITEMS_PER_CHUNK);
    uint64_t row_chunks = pdpr_i_chunks(p->num_rows, ROWS_PER_CHUNK);

    for (int i = 0; i < ITERATIONS_PER_RUN; i++) {
        pdpr_status status = pdpr_i_parallel(s->ctx, item_chunks, step_items, s, err);
        if (status == PDPR_OK)
            status = pdpr_i_parallel(s->ctx, row_chunks, step_rows, s, err);
        if (status != PDPR_OK)
            return status;
    }
    s->window += ITERATIONS_PER_RUN;
    s->elapsed += ITERATIONS_PER_RUN;

    double share = 1 / (double)s->window;
    double last = propose(s, s->z, s->y, 1, bounds);
    double mean = propose(s, s->z_sum, s->y_sum, share, bounds);
    double gap = mean < last ? mean : last;
    /* Restart on a clear gain, on a gain that is about to be lost, or after a long window. */
    if (gap <= 0.2 * s->gap_start || (gap <= 0.8 * s->gap_start && gap > s->gap_before) ||
        (double)s->window >= 0.36 * (double)s->elapsed) {
        if (mean < last)
            restart(s, s->z_sum, s->y_sum, share);
        else
            restart(s, s->z, s->y, 1);
        s->gap_start = gap;
        s->gap_before = INFINITY;
    } else {
        s->gap_before = gap;
    }
    return PDPR_OK;
}

/* ---------------------------------------------------------------- life */

pdpr_status pdpr_i_packing_solver_new(pdpr_context *ctx, const pdpr_i_packing *p,
                                      pdpr_i_packing_solver **out, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    pdpr_i_packing_solver *x = NULL;
    const char *what = "packing solver";

    PDPR_TRY(pdpr_i_zalloc(ctx, 1, sizeof *x, what, &x, err));
    x->ctx = ctx;
    x->p = p;
    x->balance = 1;
    x->gap_start = x->gap_before = INFINITY;
    PDPR_TRY(pdpr_i_zalloc(ctx, p->num_items, sizeof *x->z, what, &x->z, err));
    PDPR_TRY(pdpr_i_zalloc(ctx, p->num_items, sizeof *x->bar, what, &x->bar, err));
    PDPR_TRY(pdpr_i_zalloc(ctx, p->num_items, sizeof *x->z_sum, what, &x->z_sum, err));
    PDPR_TRY(pdpr_i_zalloc(ctx, p->num_items, sizeof *x->z_start, what, &x->z_start, err));
    PDPR_TRY(pdpr_i_zalloc(ctx, p->num_items, sizeof *x->z_grid, what, &x->z_grid, err));
    PDPR_TRY(pdpr_i_zalloc(ctx, p->num_rows, sizeof *x->y, what, &x->y, err));
    PDPR_TRY(pdpr_i_zalloc(ctx, p->num_rows, sizeof *x->y_sum, what, &x->y_sum, err));
    PDPR_TRY(pdpr_i_zalloc(ctx, p->num_rows, sizeof *x->y_start, what, &x->y_start, err));
    PDPR_TRY(pdpr_i_zalloc(ctx, p->num_rows, sizeof *x->y_grid, what, &x->y_grid, err));
    PDPR_TRY(pdpr_i_zalloc(ctx, p->num_rows, sizeof *x->room, what, &x->room, err));
    PDPR_TRY(pdpr_i_zalloc(ctx, p->num_rows, sizeof *x->scale, what, &x->scale, err));
    *out = x;
    x = NULL;
done:
    pdpr_i_packing_solver_free(x);
    return s;
}

void pdpr_i_packing_solver_free(pdpr_i_packing_solver *s)
{
    if (!s)
        return;
    pdpr_free(s->z);
    pdpr_free(s->bar);
    pdpr_free(s->z_sum);
    pdpr_free(s->z_start);
    pdpr_free(s->z_grid);
    pdpr_free(s->y);
    pdpr_free(s->y_sum);
    pdpr_free(s->y_start);
    pdpr_free(s->y_grid);
    pdpr_free(s->room);
    pdpr_free(s->scale);
    pdpr_free(s);
}
