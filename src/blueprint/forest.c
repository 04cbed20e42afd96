/* Capped forests: shrinking a mixture to the caps, and the loop that ends on the certificate.
 *
 * Exchanges give a first forest and first prices, which often are optimal. Otherwise, as for
 * packing problems, the loop alternates fast proposers without a proven rate and a slow one with
 * it, so it ends on every input (docs/proofs/component_cap.md, Theorem 4) and has no other way to
 * end but cancellation. There are two fast ones, because no gain suits all: hubs that share leaves
 * want a gentle one, caps of 1 a firm one, each by a factor of ten and more. */
#include "blueprint/forest.h"

#include <string.h>

void pdpr_i_forest_shrink(const pdpr_i_forest_problem *p, const pdpr_i_forest_sum *sum,
                          pdpr_i_forest_work *w, uint64_t *z)
{
    /* Below one by more than the five roundings of a scaled value can undo. */
    const double safe = 1 - 0x1p-50;

    memset(w->load, 0, p->num_capped * sizeof *w->load);
    for (uint32_t e = 0; e < p->num_edges; e++) {
        z[e] = sum->total == 0
                   ? 0
                   : (uint64_t)(((pdpr_i_wide)sum->count[e] << PDPR_I_FOREST_BITS) / sum->total);
        for (unsigned k = 0; k < 2; k++)
            if (p->end[e][k] < p->num_capped)
                w->load[p->end[e][k]] += z[e];
    }
    for (uint32_t e = 0; e < p->num_edges; e++) {
        double least = 1;
        for (unsigned k = 0; k < 2; k++) {
            if (p->end[e][k] >= p->num_capped)
                continue;
            pdpr_i_wide load = w->load[p->end[e][k]];
            pdpr_i_wide cap = (pdpr_i_wide)p->cap[p->end[e][k]] << PDPR_I_FOREST_BITS;
            double scale = load > cap ? safe * (double)cap / (double)load : 1;
            least = scale < least ? scale : least;
        }
        if (least < 1)
            z[e] = (uint64_t)((double)z[e] * least);
    }
}

/* Certifies the forest and the prices that exchanges found. */
static pdpr_status certify_first(pdpr_context *ctx, const pdpr_i_forest_problem *p,
                                 const uint32_t *edge, uint32_t count, const uint64_t *y,
                                 pdpr_i_forest_bounds *b, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    pdpr_i_forest_work work = {0};
    pdpr_i_forest_sum sum = {0};
    uint32_t *heaviest = NULL, heaviest_count;
    uint64_t *z = NULL;
    pdpr_i_wide bound = 0;

    PDPR_TRY(pdpr_i_forest_work_init(ctx, p, &work, err));
    PDPR_TRY(pdpr_i_zalloc(ctx, p->num_edges, sizeof *sum.count, "forest sum", &sum.count, err));
    PDPR_TRY(pdpr_i_alloc(ctx, p->num_edges, sizeof *z, "forest sum", &z, err));
    PDPR_TRY(pdpr_i_alloc(ctx, p->num_nodes, sizeof *heaviest, "forest sum", &heaviest, err));
    if (pdpr_i_forest_upper(p, y, &work, heaviest, &heaviest_count, &bound) && bound < b->hi)
        b->hi = bound;
    if (pdpr_i_forest_sum_add(p, &sum, edge, count, 1, &work)) {
        pdpr_i_forest_shrink(p, &sum, &work, z);
        if (pdpr_i_forest_lower(p, &sum, z, &work, &bound) && bound > b->lo)
            b->lo = bound;
    }
done:
    pdpr_i_forest_work_clear(&work);
    pdpr_free(sum.count);
    pdpr_free(z);
    pdpr_free(heaviest);
    return s;
}

/* Whose turn it is: the one that is ahead works most, once both have shown what they can do. */
static pdpr_i_forest_average *choose(pdpr_i_forest_average *a, pdpr_i_forest_average *b,
                                     uint64_t round)
{
    enum { TRIAL = 512, OTHERS_SHARE = 8 };
    if (round < TRIAL)
        return round % 2 ? a : b;
    bool first = pdpr_i_forest_average_lower(a) >= pdpr_i_forest_average_lower(b);
    return first == (round % OTHERS_SHARE > 0) ? a : b;
}

pdpr_status pdpr_i_forest_solve(pdpr_context *ctx, const pdpr_i_forest_problem *p, pdpr_i_wide gap,
                                pdpr_i_forest_bounds *out, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    pdpr_i_forest_average *gentle = NULL, *firm = NULL;
    pdpr_i_forest_descent *slow = NULL;
    uint32_t *edge = NULL, count = 0;
    uint64_t *y = NULL, round = 1;
    /* No forest has as many edges as there are nodes. */
    pdpr_i_forest_bounds b = {.lo = 0, .hi = (pdpr_i_wide)p->num_nodes << PDPR_I_FOREST_BITS};

    PDPR_TRY(pdpr_i_alloc(ctx, p->num_nodes, sizeof *edge, "capped forest", &edge, err));
    PDPR_TRY(pdpr_i_alloc(ctx, p->num_capped, sizeof *y, "capped forest", &y, err));
    PDPR_TRY(pdpr_i_forest_exchange(ctx, p, edge, &count, y, err));
    PDPR_TRY(certify_first(ctx, p, edge, count, y, &b, err));
    if (b.hi - b.lo > gap) {
        PDPR_TRY(pdpr_i_forest_average_new(ctx, p, 0.3, &gentle, err));
        PDPR_TRY(pdpr_i_forest_average_new(ctx, p, 1, &firm, err));
        PDPR_TRY(pdpr_i_forest_descent_new(ctx, p, &slow, err));
    }
    for (; b.hi - b.lo > gap; round++) {
        PDPR_TRY(pdpr_i_check_cancelled(ctx, err));
        pdpr_i_forest_average_run(choose(gentle, firm, round), 1, &b);
        if (round % 16 == 0) /* a fixed share for the proposer with the proof */
            pdpr_i_forest_descent_run(slow, 1, &b);
        pdpr_i_progress(ctx, "capped forest", round, 0);
    }
    pdpr_i_progress(ctx, "capped forest", round, round);
    *out = b;
done:
    pdpr_i_forest_average_free(gentle);
    pdpr_i_forest_average_free(firm);
    pdpr_i_forest_descent_free(slow);
    pdpr_free(edge);
    pdpr_free(y);
    return s;
}
