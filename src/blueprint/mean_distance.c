/* About how far apart two nodes of a built graph are: breadth-first searches from a few sources.
 *
 * Public graphs only: this is post-processing, not a measurement. Sources are spread evenly over
 * the numbers, which say nothing about where a node lies; one that sees less than half of the nodes
 * is in a small component and does not count unless all are. Cost: O(sources (N + m)). */
#include "blueprint/blueprint.h"

#include <string.h>

typedef struct {
    uint64_t sum, reached;
} search;

static search search_from(const pdpr_graph *g, uint32_t source, uint32_t *distance, uint32_t *queue)
{
    search found = {0, 0};
    uint32_t first = 0, last = 0;
    memset(distance, 0xff, g->num_nodes * sizeof *distance); /* UINT32_MAX: not seen */
    distance[source] = 0;
    queue[last++] = source;
    while (first < last) {
        uint32_t u = queue[first++];
        for (uint64_t a = g->offset[u]; a < g->offset[u + 1]; a++) {
            uint32_t v = g->target[a];
            if (distance[v] != UINT32_MAX)
                continue;
            distance[v] = distance[u] + 1;
            queue[last++] = v;
            found.sum += distance[v];
            found.reached++;
        }
    }
    return found;
}

pdpr_status pdpr_i_mean_distance(pdpr_context *ctx, const pdpr_graph *g, uint32_t sources,
                                 double *out, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    uint32_t *distance = NULL, *queue = NULL, n = g->num_nodes;
    search near = {0, 0}, giant = {0, 0};

    if (sources > n)
        sources = n;
    PDPR_TRY(pdpr_i_alloc(ctx, n, sizeof *distance, "distances", &distance, err));
    PDPR_TRY(pdpr_i_alloc(ctx, n, sizeof *queue, "distances", &queue, err));
    for (uint32_t i = 0; i < sources; i++) {
        search x = search_from(g, (uint32_t)((uint64_t)n * i / sources), distance, queue);
        search *kind = x.reached >= n / 2 ? &giant : &near;
        kind->sum += x.sum;
        kind->reached += x.reached;
        PDPR_TRY(pdpr_i_check_cancelled(ctx, err));
    }
    if (giant.reached == 0)
        giant = near;
    *out = giant.reached > 0 ? (double)giant.sum / (double)giant.reached : 0;
done:
    pdpr_free(distance);
    pdpr_free(queue);
    return s;
}
