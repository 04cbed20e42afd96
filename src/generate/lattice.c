/* A grid like a street plan: some links are missing, some cells have a diagonal.
 *
 * Nodes fill the rows of a square, the last one perhaps in part. Paths grow with sqrt(N), degrees
 * are at most 8, triangles stand at diagonals only. Cost: O(N). */
#include "generate/generate.h"

#include <math.h>

pdpr_status pdpr_i_kind_lattice(const pdpr_generate_options *o, pdpr_i_stream *random,
                                pdpr_i_links *links, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    uint32_t n = o->num_nodes, side = (uint32_t)ceil(sqrt((double)n));

    for (uint32_t u = 0; u < n; u++) {
        bool right = u % side + 1 < side && u + 1 < n;
        bool below = n - u > side;
        if (right && !pdpr_i_draw_chance(random, o->share))
            PDPR_TRY(pdpr_i_links_add(links, u, u + 1, err));
        if (below && !pdpr_i_draw_chance(random, o->share))
            PDPR_TRY(pdpr_i_links_add(links, u, u + side, err));
        if (right && below && pdpr_i_draw_chance(random, o->diagonals)) {
            bool falling = pdpr_i_draw_chance(random, 0.5);
            if (falling && n - u > side + 1)
                PDPR_TRY(pdpr_i_links_add(links, u, u + side + 1, err));
            else
                PDPR_TRY(pdpr_i_links_add(links, u + 1, u + side, err));
        }
    }
done:
    return s;
}
