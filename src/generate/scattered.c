/* Sparse: one large component, many small ones and isolated nodes, like citations of small fields.
 *
 * Components are runs of node ids: the first holds 1 - share of all nodes, the others 1 or more
 * with mean group_size. Each is a random recursive tree; the large one gets further links until
 * the mean degree of the whole is met, of which a share `diagonals` closes a wedge at a random
 * node. Cost: O(N + m). */
#include "generate/generate.h"

#include <math.h>

/* Node first + k of each component links to one before it; parent[] remembers. */
static pdpr_status grow_tree(uint32_t first, uint32_t size, uint32_t *parent, pdpr_i_stream *random,
                             pdpr_i_links *links, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    parent[first] = first;
    for (uint32_t k = 1; k < size; k++) {
        parent[first + k] = first + (uint32_t)pdpr_i_stream_below(random, k);
        PDPR_TRY(pdpr_i_links_add(links, first + k, parent[first + k], err));
    }
done:
    return s;
}

pdpr_status pdpr_i_kind_scattered(const pdpr_generate_options *o, pdpr_i_stream *random,
                                  pdpr_i_links *links, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    uint32_t n = o->num_nodes, *parent = NULL;
    uint32_t large = (uint32_t)llround((1 - o->share) * (double)n);
    uint64_t wanted = (uint64_t)llround(o->mean_degree * (double)n / 2);

    large = large < 1 ? 1 : large;
    PDPR_TRY(pdpr_i_alloc(links->ctx, n, sizeof *parent, "trees", &parent, err));
    PDPR_TRY(grow_tree(0, large, parent, random, links, err));
    for (uint32_t first = large; first < n;) {
        uint64_t size = 1 + pdpr_i_draw_geometric(random, (double)o->group_size - 1);
        uint32_t here = size < n - first ? (uint32_t)size : n - first;
        PDPR_TRY(grow_tree(first, here, parent, random, links, err));
        first += here;
    }
    while (links->count < wanted && large > 2) {
        uint32_t u = (uint32_t)pdpr_i_stream_below(random, large);
        uint32_t v = (uint32_t)pdpr_i_stream_below(random, large);
        if (pdpr_i_draw_chance(random, o->diagonals))
            v = parent[parent[u]]; /* closes the wedge at the parent; a loop near the root */
        PDPR_TRY(pdpr_i_links_add(links, u, v, err));
    }
done:
    pdpr_free(parent);
    return s;
}
