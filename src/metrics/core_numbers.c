/* Core numbers, for the drawing of the core.
 *
 * The k-core is what remains when nodes of degree below k are removed until there are none. Nodes
 * are kept sorted by remaining degree in an array with the start of each degree's bin; the lowest
 * node is taken out, and each neighbour still above it moves down one bin by a swap with the first
 * node of its own bin (Batagelj and Zaversnik 2003): O(N + m), no heap. */
#include "metrics/curves.h"

#include <string.h>

/* Nodes by remaining degree. */
typedef struct {
    uint32_t *node;  /* [N]: ascending by degree */
    uint32_t *place; /* [N]: where a node stands in it */
    uint32_t *bin;   /* [N + 1]: first place of each degree */
} shelves;

static void fill_shelves(const pdpr_graph *g, const uint32_t *degree, shelves *s)
{
    memset(s->bin, 0, ((size_t)g->num_nodes + 1) * sizeof *s->bin);
    for (uint32_t u = 0; u < g->num_nodes; u++)
        s->bin[degree[u] + 1]++; /* degrees are at most N - 1 */
    for (uint32_t k = 0; k < g->num_nodes; k++)
        s->bin[k + 1] += s->bin[k];
    for (uint32_t u = 0; u < g->num_nodes; u++) {
        s->place[u] = s->bin[degree[u]]++;
        s->node[s->place[u]] = u;
    }
    for (uint32_t k = g->num_nodes; k > 0; k--) /* the filling moved each start to the next one */
        s->bin[k] = s->bin[k - 1];
    s->bin[0] = 0;
}

/* Moves w one degree down: to the front of its bin, whose start then moves past it. */
static void lower(shelves *s, uint32_t *degree, uint32_t w)
{
    uint32_t first = s->bin[degree[w]], there = s->node[first];
    s->node[s->place[w]] = there;
    s->place[there] = s->place[w];
    s->node[first] = w;
    s->place[w] = first;
    s->bin[degree[w]]++;
    degree[w]--;
}

pdpr_status pdpr_i_core_numbers(pdpr_context *ctx, const pdpr_graph *g, uint32_t *core,
                                pdpr_error *err)
{
    enum { NODES_PER_CHECK = 1 << 16 };
    pdpr_status s = PDPR_OK;
    shelves shelf = {0};

    PDPR_TRY(pdpr_i_alloc(ctx, g->num_nodes, sizeof *shelf.node, "cores", &shelf.node, err));
    PDPR_TRY(pdpr_i_alloc(ctx, g->num_nodes, sizeof *shelf.place, "cores", &shelf.place, err));
    PDPR_TRY(
        pdpr_i_alloc(ctx, (uint64_t)g->num_nodes + 1, sizeof *shelf.bin, "cores", &shelf.bin, err));
    for (uint32_t u = 0; u < g->num_nodes; u++)
        core[u] = (uint32_t)pdpr_i_degree(g, u);
    fill_shelves(g, core, &shelf);

    for (uint32_t i = 0; i < g->num_nodes; i++) {
        if (i % NODES_PER_CHECK == 0)
            PDPR_TRY(pdpr_i_check_cancelled(ctx, err));
        uint32_t u = shelf.node[i]; /* its remaining degree is its core number */
        for (uint64_t k = g->offset[u]; k < g->offset[u + 1]; k++)
            if (core[g->target[k]] > core[u])
                lower(&shelf, core, g->target[k]);
    }
done:
    pdpr_free(shelf.node);
    pdpr_free(shelf.place);
    pdpr_free(shelf.bin);
    return s;
}
