/* Communities: a block model with uneven blocks (Holland, Laskey, Leinhardt 1983, in the sparse
 * form that draws links one by one).
 *
 * Node ids are cut into runs of half to one and a half times group_size. A link starts anywhere;
 * with probability `share` it also ends anywhere, else in the same block. Cost: O(N + m). */
#include "generate/generate.h"

#include <math.h>

pdpr_status pdpr_i_kind_blocks(const pdpr_generate_options *o, pdpr_i_stream *random,
                               pdpr_i_links *links, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    uint32_t n = o->num_nodes;
    uint32_t *first = NULL, *length = NULL; /* [N]: the block of each node */
    uint64_t wanted = (uint64_t)llround(o->mean_degree * (double)n / 2);

    PDPR_TRY(pdpr_i_alloc(links->ctx, n, sizeof *first, "blocks", &first, err));
    PDPR_TRY(pdpr_i_alloc(links->ctx, n, sizeof *length, "blocks", &length, err));
    for (uint32_t start = 0; start < n;) {
        uint64_t size = o->group_size / 2 + 1 + pdpr_i_stream_below(random, o->group_size);
        uint32_t here = size < n - start ? (uint32_t)size : n - start;
        for (uint32_t u = start; u < start + here; u++) {
            first[u] = start;
            length[u] = here;
        }
        start += here;
    }
    for (uint64_t k = 0; k < wanted; k++) {
        uint32_t u = (uint32_t)pdpr_i_stream_below(random, n), v;
        if (pdpr_i_draw_chance(random, o->share))
            v = (uint32_t)pdpr_i_stream_below(random, n);
        else
            v = first[u] + (uint32_t)pdpr_i_stream_below(random, length[u]);
        PDPR_TRY(pdpr_i_links_add(links, u, v, err));
    }
done:
    pdpr_free(first);
    pdpr_free(length);
    return s;
}
