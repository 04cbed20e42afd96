/* Connected components by breadth-first search from each node not yet reached.
 *
 * Sequential: one pass over the arcs, a tenth of a second at 3.4 million edges and far below the
 * paths that follow. Starting nodes ascend, so components come by their smallest id, and the first
 * of the largest size is the one whose smallest id is least: a choice that depends on the graph
 * alone.
 *
 * Cost: O(N + m) time, 5 bytes per node. */
#include "metrics/metrics.h"

enum { NODES_PER_CHECK = 1 << 12 }; /* between looks at the wish to cancel */

pdpr_status pdpr_i_components_init(pdpr_context *ctx, const pdpr_graph *g, pdpr_i_components *out,
                                   pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    pdpr_i_components found = {0};
    uint8_t *reached = NULL;
    uint32_t n = g->num_nodes, head = 0, tail = 0; /* the queue is found.nodes itself */

    PDPR_TRY(pdpr_i_alloc(ctx, n, sizeof *found.nodes, "components", &found.nodes, err));
    PDPR_TRY(pdpr_i_zalloc(ctx, n, sizeof *reached, "components", &reached, err));
    for (uint32_t start = 0; start < n; start++) {
        if (reached[start])
            continue;
        uint32_t first = tail;
        reached[start] = 1;
        found.nodes[tail++] = start;
        while (head < tail) {
            uint32_t u = found.nodes[head++];
            if (head % NODES_PER_CHECK == 0)
                PDPR_TRY(pdpr_i_check_cancelled(ctx, err));
            for (uint64_t i = g->offset[u]; i < g->offset[u + 1]; i++) {
                uint32_t w = g->target[i];
                if (!reached[w]) {
                    reached[w] = 1;
                    found.nodes[tail++] = w;
                }
            }
        }
        found.count++;
        if (tail - first > found.largest_size) {
            found.largest_first = first;
            found.largest_size = tail - first;
        }
    }
    *out = found;
    found.nodes = NULL;
done:
    pdpr_free(found.nodes);
    pdpr_free(reached);
    return s;
}

void pdpr_i_components_clear(pdpr_i_components *components)
{
    pdpr_free(components->nodes);
    *components = (pdpr_i_components){0};
}
