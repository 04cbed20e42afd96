/* Junctions joined by chains of stops, like pipes, railways or rural roads.
 *
 * The first nodes are junctions of a square grid with missing links; every link that is there gets
 * a geometric number of further nodes with mean group_size along it. Nodes left over when all
 * links are laid hang as leaves at random nodes. Mostly degree 2, hardly a triangle, very long
 * paths. Cost: O(N). */
#include "generate/generate.h"

#include <math.h>

typedef struct {
    uint32_t next, end; /* stops not used yet */
    double mean;
} stops;

/* Lays a chain of stops from u to v. */
static pdpr_status lay_chain(uint32_t u, uint32_t v, stops *free_stops, pdpr_i_stream *random,
                             pdpr_i_links *links, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    uint64_t length = pdpr_i_draw_geometric(random, free_stops->mean);
    for (uint64_t k = 0; k < length && free_stops->next < free_stops->end; k++) {
        PDPR_TRY(pdpr_i_links_add(links, u, free_stops->next, err));
        u = free_stops->next++;
    }
    PDPR_TRY(pdpr_i_links_add(links, u, v, err));
done:
    return s;
}

pdpr_status pdpr_i_kind_chains(const pdpr_generate_options *o, pdpr_i_stream *random,
                               pdpr_i_links *links, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    uint32_t n = o->num_nodes;
    /* about 2 (1 - share) links a junction, each with group_size stops */
    double nodes_each = 1 + 2 * (1 - o->share) * o->group_size;
    uint32_t junctions = (uint32_t)ceil((double)n / nodes_each);
    uint32_t side = (uint32_t)ceil(sqrt((double)junctions));
    stops free_stops = {junctions, n, o->group_size};

    for (uint32_t u = 0; u < junctions; u++) {
        if (u % side + 1 < side && u + 1 < junctions && !pdpr_i_draw_chance(random, o->share))
            PDPR_TRY(lay_chain(u, u + 1, &free_stops, random, links, err));
        if (junctions - u > side && !pdpr_i_draw_chance(random, o->share))
            PDPR_TRY(lay_chain(u, u + side, &free_stops, random, links, err));
    }
    for (; free_stops.next < n; free_stops.next++) {
        uint32_t u = (uint32_t)pdpr_i_stream_below(random, free_stops.next);
        PDPR_TRY(pdpr_i_links_add(links, u, free_stops.next, err));
    }
done:
    return s;
}
