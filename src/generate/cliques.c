/* Overlapping cliques: many more triangles than edges, like the authors of common papers.
 *
 * Cliques of power-law size 2..max_degree + 1 are laid until their pairs make the wanted mean
 * degree. A clique's members are neighbours of its centre on a ring (a steady circle of colleagues,
 * so that cliques overlap), or, with probability `share` each, anybody. Repeated pairs count once,
 * so the mean degree stays somewhat below the wish. Cost: O(N + m). */
#include "generate/generate.h"

#include <math.h>

enum { CIRCLE = 4 }; /* mean distance to a colleague, in clique sizes */

pdpr_status pdpr_i_kind_cliques(const pdpr_generate_options *o, pdpr_i_stream *random,
                                pdpr_i_links *links, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    uint32_t n = o->num_nodes, *member = NULL;
    uint32_t most = o->max_degree < n ? o->max_degree + 1 : n;
    uint64_t wanted = n > 1 ? (uint64_t)llround(o->mean_degree * (double)n / 2) : 0;

    PDPR_TRY(pdpr_i_alloc(links->ctx, (uint64_t)most + 1, sizeof *member, "clique members", &member,
                          err));
    while (links->count < wanted) {
        uint32_t size = pdpr_i_draw_power(random, o->exponent, 2, most > 2 ? most : 2);
        uint32_t centre = (uint32_t)pdpr_i_stream_below(random, n);
        for (uint32_t k = 0; k < size; k++) {
            uint64_t ahead = pdpr_i_draw_geometric(random, (double)CIRCLE * size);
            member[k] = (uint32_t)((centre + ahead) % n);
            if (pdpr_i_draw_chance(random, o->share))
                member[k] = (uint32_t)pdpr_i_stream_below(random, n);
        }
        for (uint32_t i = 0; i < size; i++)
            for (uint32_t j = i + 1; j < size; j++)
                PDPR_TRY(pdpr_i_links_add(links, member[i], member[j], err));
    }
done:
    pdpr_free(member);
    return s;
}
