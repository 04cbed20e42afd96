/* The number of small components from the capped forest.
 *
 * What the forest lacks of a spanning tree is isolated nodes, small components, and what its cap
 * cuts: a hub with many leaves can hold only six of them. The last is found by simulation: on a
 * random graph with the fitted degrees, by how much a forest under the cap, grown greedily from the
 * leaves inwards, falls short of one without a cap. Small components are believed where the rest
 * exceeds two noise scales and the doubt in that correction. Cost: nearly O(N + m). */
#include "blueprint/fit_parts.h"

static const double doubt_in_correction = 1.2;

static uint32_t find_root(uint32_t *parent, uint32_t u)
{
    while (parent[u] != u) {
        parent[u] = parent[parent[u]];
        u = parent[u];
    }
    return u;
}

static uint32_t smaller_degree(const pdpr_i_fitting *f, uint64_t i)
{
    uint32_t a = f->degree[f->pair[2 * i]], b = f->degree[f->pair[2 * i + 1]];
    return a < b ? a : b;
}

/* Edges of a greedy forest over the drawn pairs; parent and used are [n]. Pairs with an end of
 * degree 1 come first, then those of degree 2, then all others. */
static uint64_t grow_forest(const pdpr_i_fitting *f, uint64_t pairs, uint32_t cap, uint32_t *parent,
                            uint32_t *used)
{
    uint64_t edges = 0;
    for (uint32_t u = 0; u < f->n; u++) {
        parent[u] = u;
        used[u] = 0;
    }
    for (uint32_t pass = 1; pass <= 3; pass++)
        for (uint64_t i = 0; i < pairs; i++) {
            uint32_t u = f->pair[2 * i], v = f->pair[2 * i + 1], low = smaller_degree(f, i);
            if ((low < 3 ? low : 3) != pass || used[u] >= cap || used[v] >= cap)
                continue;
            uint32_t ru = find_root(parent, u), rv = find_root(parent, v);
            if (ru == rv)
                continue;
            parent[ru] = rv;
            used[u]++;
            used[v]++;
            edges++;
        }
    return edges;
}

pdpr_status pdpr_i_fit_components(pdpr_i_fitting *f, uint64_t *out, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    uint64_t pairs;
    uint32_t isolated = 0;

    *out = 0;
    if (!f->plan->share[PDPR_I_BP_COMPONENTS].num)
        return PDPR_OK;
    PDPR_TRY(pdpr_i_fit_draw_pairs(f, &pairs, err));
    double cut = (double)grow_forest(f, pairs, UINT32_MAX, f->kept, f->kept_wide);
    cut -= (double)grow_forest(f, pairs, PDPR_I_BP_FOREST_CAP, f->kept, f->kept_wide);
    for (uint32_t u = 0; u < f->n; u++)
        isolated += f->degree[u] == 0;
    double scale = (PDPR_I_BP_FOREST_CAP + 0.5) / pdpr_i_bp_share(f->plan, PDPR_I_BP_COMPONENTS);
    double small = f->n - (double)f->numbers->forest / 2 - isolated - 1 - cut;
    if (small > 2 * scale + doubt_in_correction * cut && small < f->n / 2.0)
        *out = (uint64_t)small;
done:
    return s;
}
