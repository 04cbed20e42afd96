/* Packing problems: index, repair of a point, and the loop that ends on the certificate.
 *
 * The loop alternates a fast proposer without a proven rate and a slow one with it; a fixed share
 * of the work goes to the latter, so the loop ends on every input (docs/proofs/triangle_cap.md,
 * Theorem 4), and in practice when the fast one is done. There is no limit on rounds: a value that
 * is not certified must never leave (docs/proofs/measurements.md, Lemma C). */
#include "blueprint/packing.h"

pdpr_status pdpr_i_packing_index(pdpr_context *ctx, pdpr_i_packing *p, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    uint64_t total = 0;

    PDPR_TRY(pdpr_i_zalloc(ctx, (uint64_t)p->num_rows + 1, sizeof *p->start, "packing rows",
                           &p->start, err));
    PDPR_TRY(pdpr_i_zalloc(ctx, p->num_rows, sizeof *p->weight, "packing rows", &p->weight, err));
    for (uint32_t j = 0; j < p->num_items; j++)
        for (unsigned k = 0; k < 3 && p->row[j][k] != PDPR_I_NO_ROW; k++) {
            p->start[p->row[j][k] + 1]++;
            p->weight[p->row[j][k]] += p->upper[j];
        }
    for (uint32_t v = 0; v < p->num_rows; v++) {
        p->start[v + 1] += p->start[v];
        if (p->weight[v] < p->cap[v])
            p->weight[v] = p->cap[v];
        total += p->weight[v];
    }
    if (total > PDPR_I_PACKING_MOST_WEIGHT) {
        s = pdpr_i_fail(err, PDPR_EFAILED, "capped triangles: too many to be certified");
        goto done;
    }
    PDPR_TRY(
        pdpr_i_alloc(ctx, p->start[p->num_rows], sizeof *p->item, "packing rows", &p->item, err));
    for (uint32_t j = 0; j < p->num_items; j++)
        for (unsigned k = 0; k < 3 && p->row[j][k] != PDPR_I_NO_ROW; k++)
            p->item[p->start[p->row[j][k]]++] = j;
    for (uint32_t v = p->num_rows; v > 0; v--) /* the filling moved each start to the next one */
        p->start[v] = p->start[v - 1];
    p->start[0] = 0;
done:
    return s;
}

void pdpr_i_packing_clear(pdpr_i_packing *p)
{
    pdpr_free(p->cap);
    pdpr_free(p->row);
    pdpr_free(p->upper);
    pdpr_free(p->start);
    pdpr_free(p->item);
    pdpr_free(p->weight);
    *p = (pdpr_i_packing){0};
}

void pdpr_i_packing_repair(const pdpr_i_packing *p, uint64_t *z, double *scale, uint64_t *room)
{
    /* Below one by more than the five roundings of a scaled value can undo. */
    const double safe = 1 - 0x1p-50;

    for (uint32_t v = 0; v < p->num_rows; v++) {
        pdpr_i_wide load = 0, cap = (pdpr_i_wide)p->cap[v] << PDPR_I_PACKING_BITS;
        for (uint64_t i = p->start[v]; i < p->start[v + 1]; i++)
            load += z[p->item[i]];
        scale[v] = load > cap ? safe * (double)cap / (double)load : 1;
        room[v] = (uint64_t)cap;
    }
    for (uint32_t j = 0; j < p->num_items; j++) {
        double least = 1;
        for (unsigned k = 0; k < 3 && p->row[j][k] != PDPR_I_NO_ROW; k++)
            least = scale[p->row[j][k]] < least ? scale[p->row[j][k]] : least;
        if (least < 1)
            z[j] = (uint64_t)((double)z[j] * least);
        for (unsigned k = 0; k < 3 && p->row[j][k] != PDPR_I_NO_ROW; k++)
            room[p->row[j][k]] -= z[j];
    }
    for (uint32_t j = 0; j < p->num_items; j++) {
        uint64_t more = ((uint64_t)p->upper[j] << PDPR_I_PACKING_BITS) - z[j];
        for (unsigned k = 0; k < 3 && p->row[j][k] != PDPR_I_NO_ROW; k++)
            more = room[p->row[j][k]] < more ? room[p->row[j][k]] : more;
        z[j] += more;
        for (unsigned k = 0; k < 3 && p->row[j][k] != PDPR_I_NO_ROW; k++)
            room[p->row[j][k]] -= more;
    }
}

/* What items in proportion to their rows' room prove, and equal prices of a whole, a half or a
 * third of an item: in a large clique, where there are most items and iterations are slowest, all.
 */
static pdpr_status guess(pdpr_context *ctx, const pdpr_i_packing *p, pdpr_i_packing_bounds *b,
                         pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    uint64_t *z = NULL, *y = NULL, *room = NULL;
    double *scale = NULL;
    pdpr_i_wide bound = 0;
    const char *what = "packing guess";

    PDPR_TRY(pdpr_i_alloc(ctx, p->num_items, sizeof *z, what, &z, err));
    PDPR_TRY(pdpr_i_alloc(ctx, p->num_rows, sizeof *y, what, &y, err));
    PDPR_TRY(pdpr_i_alloc(ctx, p->num_rows, sizeof *room, what, &room, err));
    PDPR_TRY(pdpr_i_alloc(ctx, p->num_rows, sizeof *scale, what, &scale, err));
    for (uint32_t j = 0; j < p->num_items; j++) {
        double least = 1;
        for (unsigned k = 0; k < 3 && p->row[j][k] != PDPR_I_NO_ROW; k++) {
            double part = (double)p->cap[p->row[j][k]] / (double)p->weight[p->row[j][k]];
            least = part < least ? part : least;
        }
        z[j] = (uint64_t)(least * p->upper[j] * (double)PDPR_I_PACKING_ONE);
    }
    pdpr_i_packing_repair(p, z, scale, room);
    if (pdpr_i_packing_lower(p, z, &bound) && bound > b->lo)
        b->lo = bound;
    for (uint64_t parts = 1; parts <= 3; parts++) {
        for (uint32_t v = 0; v < p->num_rows; v++)
            y[v] = (PDPR_I_PACKING_ONE + parts - 1) / parts;
        if (pdpr_i_packing_upper(p, y, &bound) && bound < b->hi)
            b->hi = bound;
    }
done:
    pdpr_free(z);
    pdpr_free(y);
    pdpr_free(room);
    pdpr_free(scale);
    return s;
}

pdpr_status pdpr_i_packing_solve(pdpr_context *ctx, const pdpr_i_packing *p, pdpr_i_wide gap,
                                 pdpr_i_packing_bounds *out, pdpr_error *err)
{
    /* Steps of the slow proposer for each run of the fast one: about a tenth of the work. */
    enum { SLOW_STEPS = 4 };
    pdpr_status s = PDPR_OK;
    pdpr_i_packing_solver *fast = NULL;
    pdpr_i_packing_descent *slow = NULL;
    pdpr_i_packing_bounds b = {.lo = 0, .hi = 0};
    uint64_t round = 1;

    for (uint32_t j = 0; j < p->num_items; j++) /* every item full: above any feasible point */
        b.hi += (pdpr_i_wide)p->upper[j] << PDPR_I_PACKING_BITS;
    PDPR_TRY(guess(ctx, p, &b, err));
    if (b.hi - b.lo > gap) {
        PDPR_TRY(pdpr_i_packing_solver_new(ctx, p, &fast, err));
        PDPR_TRY(pdpr_i_packing_descent_new(ctx, p, &slow, err));
    }
    for (; b.hi - b.lo > gap; round++) {
        PDPR_TRY(pdpr_i_check_cancelled(ctx, err));
        PDPR_TRY(pdpr_i_packing_solver_run(fast, &b, err));
        pdpr_i_packing_descent_run(slow, SLOW_STEPS, &b);
        pdpr_i_progress(ctx, "capped triangles", round, 0);
    }
    pdpr_i_progress(ctx, "capped triangles", round, round);
    *out = b;
done:
    pdpr_i_packing_solver_free(fast);
    pdpr_i_packing_descent_free(slow);
    return s;
}
