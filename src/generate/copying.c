/* Copying: a newcomer takes an earlier node as its model and copies links from it (Kleinberg,
 * Kumar, Raghavan, Rajagopalan, Tomkins 1999), as pages of the web do.
 *
 * Each newcomer makes mean_degree / 2 links; each ends, with probability `share`, anywhere among
 * earlier nodes, else where one of the model's own links ends. Heavy tail, many common neighbours
 * and yet few triangles. Cost: O(N + m). */
#include "generate/generate.h"

pdpr_status pdpr_i_kind_copying(const pdpr_generate_options *o, pdpr_i_stream *random,
                                pdpr_i_links *links, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    uint32_t n = o->num_nodes;
    uint64_t *start = NULL; /* [N + 1]: a node's own links stand together */

    PDPR_TRY(pdpr_i_zalloc(links->ctx, (uint64_t)n + 1, sizeof *start, "link starts", &start, err));
    for (uint32_t u = 1; u < n; u++) {
        uint32_t model = (uint32_t)pdpr_i_stream_below(random, u);
        uint64_t own = start[model + 1] - start[model];
        uint64_t count = pdpr_i_draw_round(random, o->mean_degree / 2);
        start[u] = links->count;
        for (uint64_t k = 0; k < count; k++) {
            uint32_t v = (uint32_t)pdpr_i_stream_below(random, u);
            if (own > 0 && !pdpr_i_draw_chance(random, o->share))
                v = links->pairs[2 * (start[model] + pdpr_i_stream_below(random, own)) + 1];
            PDPR_TRY(pdpr_i_links_add(links, u, v, err));
        }
        start[u + 1] = links->count;
    }
done:
    pdpr_free(start);
    return s;
}
