/* A ring whose nodes know their nearest neighbours, with some links rewired (Watts and Strogatz
 * 1998).
 *
 * A mean degree that is no even number is met on average: the last link ahead is drawn by chance.
 * Many triangles, even degrees, paths between those of a ring and of a random graph.
 * Cost: O(N + m). */
#include "generate/generate.h"

pdpr_status pdpr_i_kind_small_world(const pdpr_generate_options *o, pdpr_i_stream *random,
                                    pdpr_i_links *links, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    uint32_t n = o->num_nodes;

    for (uint32_t u = 0; u < n; u++) {
        uint64_t ahead = pdpr_i_draw_round(random, o->mean_degree / 2);
        for (uint64_t k = 1; k <= ahead; k++) {
            uint32_t v = (uint32_t)((u + k) % n);
            if (pdpr_i_draw_chance(random, o->share))
                v = (uint32_t)pdpr_i_stream_below(random, n);
            PDPR_TRY(pdpr_i_links_add(links, u, v, err));
        }
    }
done:
    return s;
}
