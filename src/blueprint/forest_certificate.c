/* What proposed prices and mixtures of forests prove, in exact integers.
 *
 * The trusted half of the component measurement. Upper bound: weak duality; for every y >= 0 the
 * optimum is at most sum cap_v y_v + the heaviest forest for weights 1 - y_u - y_w, which Kruskal's
 * rule finds exactly because weights are integers. Lower bound: the mean of forests lies in the
 * forest polytope, which is closed downwards; so whatever lies below such a mean and within the
 * caps is feasible.
 *
 * Sorting is a stable radix sort of 41-bit weights; the order it gives is checked before use. Cost:
 * O(size) up to the union-find's near-constant factor. Proof: docs/proofs/component_cap.md, Theorem
 * 3. */
#include "blueprint/forest.h"
#include "base/union_find.h"

#include <string.h>

void pdpr_i_forest_problem_clear(pdpr_i_forest_problem *p)
{
    pdpr_free(p->cap);
    pdpr_free(p->end);
    *p = (pdpr_i_forest_problem){0};
}

pdpr_status pdpr_i_forest_work_init(pdpr_context *ctx, const pdpr_i_forest_problem *p,
                                    pdpr_i_forest_work *out, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    pdpr_i_forest_work w = {0};
    const char *what = "forest workspace";

    PDPR_TRY(pdpr_i_alloc(ctx, p->num_nodes, sizeof *w.parent, what, &w.parent, err));
    PDPR_TRY(pdpr_i_alloc(ctx, p->num_edges, sizeof *w.weight, what, &w.weight, err));
    for (int i = 0; i < 2; i++)
        PDPR_TRY(pdpr_i_alloc(ctx, p->num_edges, sizeof *w.order[i], what, &w.order[i], err));
    PDPR_TRY(pdpr_i_alloc(ctx, p->num_capped, sizeof *w.load, what, &w.load, err));
    *out = w;
    w = (pdpr_i_forest_work){0};
done:
    pdpr_i_forest_work_clear(&w);
    return s;
}

void pdpr_i_forest_work_clear(pdpr_i_forest_work *w)
{
    pdpr_free(w->parent);
    pdpr_free(w->weight);
    pdpr_free(w->order[0]);
    pdpr_free(w->order[1]);
    pdpr_free(w->load);
    *w = (pdpr_i_forest_work){0};
}

/* ---------------------------------------------------------------- upper bound */

/* Edges of positive weight by falling weight, equal ones in their own order; returns their list. */
static const uint32_t *sort_edges(pdpr_i_forest_work *w, uint32_t count)
{
    enum { DIGIT = 11, VALUES = 1 << DIGIT, PASSES = 4 };
    uint32_t *from = w->order[0], *to = w->order[1];
    for (unsigned pass = 0; pass < PASSES; pass++) {
        uint32_t place[VALUES] = {0}, at = 0;
        for (uint32_t i = 0; i < count; i++)
            place[w->weight[from[i]] >> (DIGIT * pass) & (VALUES - 1)]++;
        if (count > 0 && place[w->weight[from[0]] >> (DIGIT * pass) & (VALUES - 1)] == count)
            continue; /* all agree in this digit */
        for (uint32_t value = VALUES; value-- > 0;) {
            uint32_t here = place[value];
            place[value] = at;
            at += here;
        }
        for (uint32_t i = 0; i < count; i++)
            to[place[w->weight[from[i]] >> (DIGIT * pass) & (VALUES - 1)]++] = from[i];
        uint32_t *t = from;
        from = to;
        to = t;
    }
    return from;
}

bool pdpr_i_forest_upper(const pdpr_i_forest_problem *p, const uint64_t *y, pdpr_i_forest_work *w,
                         uint32_t *edge, uint32_t *count, pdpr_i_wide *value)
{
    pdpr_i_wide sum = 0;
    uint32_t positive = 0, taken = 0;

    for (uint32_t v = 0; v < p->num_capped; v++) {
        if (y[v] > PDPR_I_FOREST_ONE)
            return false;
        sum += (pdpr_i_wide)p->cap[v] * (pdpr_i_wide)y[v];
    }
    for (uint32_t e = 0; e < p->num_edges; e++) {
        uint64_t price = 0;
        for (unsigned k = 0; k < 2; k++)
            price += p->end[e][k] < p->num_capped ? y[p->end[e][k]] : 0;
        w->weight[e] = price < PDPR_I_FOREST_ONE ? PDPR_I_FOREST_ONE - price : 0;
        if (w->weight[e] > 0)
            w->order[0][positive++] = e;
    }
    const uint32_t *order = sort_edges(w, positive);
    pdpr_i_separate(w->parent, p->num_nodes);
    for (uint32_t i = 0; i < positive; i++) {
        uint32_t e = order[i];
        if (i > 0 && w->weight[e] > w->weight[order[i - 1]])
            return false; /* not sorted: our own mistake, and no bound */
        if (pdpr_i_unite(w->parent, p->end[e][0], p->end[e][1])) {
            sum += w->weight[e];
            edge[taken++] = e;
        }
    }
    *count = taken;
    *value = sum;
    return true;
}

/* ---------------------------------------------------------------- lower bound */

bool pdpr_i_forest_sum_add(const pdpr_i_forest_problem *p, pdpr_i_forest_sum *sum,
                           const uint32_t *edge, uint32_t count, uint64_t times,
                           pdpr_i_forest_work *w)
{
    const uint64_t most = (uint64_t)1 << 62;
    if (times > most || sum->total > most - times)
        return false;
    pdpr_i_separate(w->parent, p->num_nodes);
    for (uint32_t i = 0; i < count; i++)
        if (edge[i] >= p->num_edges ||
            !pdpr_i_unite(w->parent, p->end[edge[i]][0], p->end[edge[i]][1]))
            return false;
    for (uint32_t i = 0; i < count; i++)
        sum->count[edge[i]] += times;
    sum->total += times;
    return true;
}

bool pdpr_i_forest_lower(const pdpr_i_forest_problem *p, const pdpr_i_forest_sum *sum,
                         const uint64_t *z, pdpr_i_forest_work *w, pdpr_i_wide *value)
{
    pdpr_i_wide total = 0;

    if (sum->total == 0)
        return false; /* no forest, no mean */
    memset(w->load, 0, p->num_capped * sizeof *w->load);
    for (uint32_t e = 0; e < p->num_edges; e++) {
        if (z[e] > PDPR_I_FOREST_ONE || (pdpr_i_wide)z[e] * (pdpr_i_wide)sum->total >
                                            (pdpr_i_wide)sum->count[e] << PDPR_I_FOREST_BITS)
            return false;
        for (unsigned k = 0; k < 2; k++)
            if (p->end[e][k] < p->num_capped)
                w->load[p->end[e][k]] += z[e];
        total += z[e];
    }
    for (uint32_t v = 0; v < p->num_capped; v++)
        if (w->load[v] > (pdpr_i_wide)p->cap[v] << PDPR_I_FOREST_BITS)
            return false;
    *value = total;
    return true;
}
