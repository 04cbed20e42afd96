/* Is every arc of a directed graph there in both directions?
 *
 * A cursor per node stands in its row. Taking the nodes u in ascending order and their arcs u -> v,
 * the cursor of v must stand on u and moves on: the arcs into v come in ascending order of their
 * sources, as its row does. A cursor that stands elsewhere gives away an arc without its other
 * half. Cost: O(N + m) time, 8 bytes per node; a search in each row would cost a factor log d and
 * more cache misses. */
#include "graph/io.h"

#include <string.h>

enum { NODES_PER_CHECK = 1 << 14 };

pdpr_status pdpr_i_graph_lone_arc(pdpr_context *ctx, const pdpr_graph *g, bool *found,
                                  uint32_t *source, uint32_t *target, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    uint64_t *cursor = NULL;

    PDPR_TRY(pdpr_i_alloc(ctx, g->num_nodes, sizeof *cursor, "check of symmetry", &cursor, err));
    memcpy(cursor, g->offset, g->num_nodes * sizeof *cursor);
    *found = false;
    for (uint32_t u = 0; u < g->num_nodes; u++) {
        if (u % NODES_PER_CHECK == 0)
            PDPR_TRY(pdpr_i_check_cancelled(ctx, err));
        for (uint64_t i = g->offset[u]; i < g->offset[u + 1]; i++) {
            uint32_t v = g->target[i];
            if (cursor[v] < g->offset[v + 1] && g->target[cursor[v]] == u) {
                cursor[v]++;
                continue;
            }
            /* v stands before u in its row: v lists an earlier node that does not list v */
            bool earlier = cursor[v] < g->offset[v + 1] && g->target[cursor[v]] < u;
            *found = true;
            *source = earlier ? v : u;
            *target = earlier ? g->target[cursor[v]] : v;
            goto done;
        }
    }
done:
    pdpr_free(cursor);
    return s;
}
