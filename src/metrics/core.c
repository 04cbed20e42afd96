/* The innermost part of a graph, small enough to draw.
 *
 * Nodes are ranked by core number, then degree, then id, by two stable counting sorts; the first
 * few hundred and the edges among them are the core. Cost: O(N + m), 28 bytes per node. */
#include "metrics/curves.h"

#include <string.h>

#include "base/sort.h"
#include "blueprint/measure_core_index.h"

static const uint32_t OUTSIDE = UINT32_MAX;

/* order[i] (low half) = the node of rank i. */
static pdpr_status rank_nodes(pdpr_context *ctx, const pdpr_graph *g, const uint32_t *core,
                              uint64_t *order, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    uint64_t *scratch = NULL;
    uint32_t n = g->num_nodes;

    PDPR_TRY(pdpr_i_alloc(ctx, n, sizeof *scratch, "core order", &scratch, err));
    for (uint32_t u = 0; u < n; u++) /* the key is reversed: large ones first */
        order[u] = (uint64_t) ~(uint32_t)pdpr_i_degree(g, u) << 32 | u;
    pdpr_i_sort_by_high(order, scratch, n);
    for (uint32_t i = 0; i < n; i++)
        order[i] = (uint64_t)~core[(uint32_t)order[i]] << 32 | (uint32_t)order[i];
    pdpr_i_sort_by_high(order, scratch, n);
done:
    pdpr_free(scratch);
    return s;
}

/* Pairs within the core; place[u] is a node's number in it, or OUTSIDE. With pairs NULL only
 * counts them. */
static uint64_t list_pairs(const pdpr_graph *g, const uint64_t *order, uint32_t nodes,
                           const uint32_t *place, uint32_t *pairs)
{
    uint64_t count = 0;
    for (uint32_t i = 0; i < nodes; i++) {
        uint32_t u = (uint32_t)order[i];
        for (uint64_t j = g->offset[u]; j < g->offset[u + 1]; j++) {
            uint32_t other = place[g->target[j]];
            if (other == OUTSIDE || other <= i)
                continue;
            if (pairs) {
                pairs[2 * count] = i;
                pairs[2 * count + 1] = other;
            }
            count++;
        }
    }
    return count;
}

pdpr_status pdpr_i_core_init(pdpr_context *ctx, const pdpr_graph *g, uint32_t most,
                             pdpr_i_core *out, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    pdpr_i_core c = {0};
    const pdpr_graph *view = NULL;
    pdpr_graph *owned = NULL;
    uint64_t *order = NULL;
    uint32_t *number = NULL; /* [N]: core numbers, then places */

    PDPR_TRY(pdpr_i_undirected_view(ctx, g, &view, &owned, err));
    uint32_t n = view->num_nodes;
    c.nodes = n < most ? n : most;
    PDPR_TRY(pdpr_i_alloc(ctx, n, sizeof *number, "core numbers", &number, err));
    PDPR_TRY(pdpr_i_alloc(ctx, n, sizeof *order, "core order", &order, err));
    PDPR_TRY(pdpr_i_alloc(ctx, c.nodes, sizeof *c.degree, "core", &c.degree, err));
    PDPR_TRY(pdpr_i_core_numbers(ctx, view, number, err));
    PDPR_TRY(rank_nodes(ctx, view, number, order, err));
    c.least = c.nodes > 0 ? number[(uint32_t)order[c.nodes - 1]] : 0;

    memset(number, 0xff, n * sizeof *number); /* OUTSIDE */
    for (uint32_t i = 0; i < c.nodes; i++) {
        number[(uint32_t)order[i]] = i;
        c.degree[i] = pdpr_i_degree(view, (uint32_t)order[i]);
    }
    c.edges = list_pairs(view, order, c.nodes, number, NULL);
    PDPR_TRY(pdpr_i_alloc(ctx, 2 * c.edges, sizeof *c.pairs, "core edges", &c.pairs, err));
    list_pairs(view, order, c.nodes, number, c.pairs);
    *out = c;
    c = (pdpr_i_core){0};
done:
    pdpr_i_core_clear(&c);
    pdpr_free(order);
    pdpr_free(number);
    pdpr_graph_free(owned);
    return s;
}

void pdpr_i_core_clear(pdpr_i_core *core)
{
    pdpr_free(core->degree);
    pdpr_free(core->pairs);
    *core = (pdpr_i_core){0};
}
