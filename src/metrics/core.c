/* The innermost part of a graph, small enough to draw.
 *
 * Nodes are ranked by core number, then degree, then id, by two stable counting sorts. From the
 * first of them the drawing grows: always by the best-ranked node next to what is there already, so
 * that it holds together; when a component is used up, by the best-ranked node of the rest. In a
 * dense graph that gives the hubs and who they know, on a street map a quarter of the town. The
 * best one is found by a search for its mark among the ranks, at memory speed.
 *
 * Cost: O(N + m) and `most` passes over a byte per node; 33 bytes per node. */
#include "metrics/curves.h"

#include <string.h>

#include "base/sort.h"

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

enum { FAR = 0, NEAR = 1, TAKEN = 2 };

/* Moves the chosen nodes to the front of `order`, in the order of choice. place[] is scratch. */
static pdpr_status grow(pdpr_context *ctx, const pdpr_graph *g, uint32_t nodes, uint64_t *order,
                        uint32_t *place, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    uint8_t *mark = NULL; /* [N], by rank */
    uint32_t *chosen = NULL, n = g->num_nodes;

    PDPR_TRY(pdpr_i_zalloc(ctx, n, sizeof *mark, "core", &mark, err));
    PDPR_TRY(pdpr_i_alloc(ctx, nodes, sizeof *chosen, "core", &chosen, err));
    for (uint32_t i = 0; i < n; i++)
        place[(uint32_t)order[i]] = i;
    for (uint32_t k = 0; k < nodes; k++) {
        const uint8_t *best = memchr(mark, NEAR, n);
        if (!best)
            best = memchr(mark, FAR, n); /* there is one: k < nodes <= n were taken */
        uint32_t u = (uint32_t)order[best - mark];
        mark[best - mark] = TAKEN;
        chosen[k] = u;
        for (uint64_t i = g->offset[u]; i < g->offset[u + 1]; i++) {
            uint8_t *other = &mark[place[g->target[i]]];
            *other = *other == FAR ? NEAR : *other;
        }
    }
    for (uint32_t k = 0; k < nodes; k++)
        order[k] = chosen[k];
done:
    pdpr_free(mark);
    pdpr_free(chosen);
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
    PDPR_TRY(grow(ctx, view, c.nodes, order, number, err));

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
