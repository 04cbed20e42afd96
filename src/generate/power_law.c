/* Configuration model of a power-law degree sequence.
 *
 * Degrees are drawn from d^-exponent on min_degree..max_degree; their stubs are shuffled and paired
 * (Bollobas 1980). Loops and repeats are dropped when the graph is built, which lowers the largest
 * degrees a little and leaves the rest uniform ("erased" model; Britton, Deijfen, Martin-Lof 2006).
 * Few triangles, short paths. Cost: O(N + m). */
#include "generate/generate.h"

pdpr_status pdpr_i_kind_power_law(const pdpr_generate_options *o, pdpr_i_stream *random,
                                  pdpr_i_links *links, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    uint32_t *degree = NULL, *stub = NULL;
    uint64_t stubs = 0, at = 0;
    uint32_t most = o->num_nodes > 1 ? o->num_nodes - 1 : 1;
    uint32_t high = o->max_degree < most ? o->max_degree : most;
    uint32_t low = o->min_degree < high ? o->min_degree : high;

    PDPR_TRY(pdpr_i_alloc(links->ctx, o->num_nodes, sizeof *degree, "degrees", &degree, err));
    for (uint32_t u = 0; u < o->num_nodes; u++) {
        degree[u] = pdpr_i_draw_power(random, o->exponent, low, high);
        stubs += degree[u];
    }
    PDPR_TRY(pdpr_i_alloc(links->ctx, stubs, sizeof *stub, "stubs", &stub, err));
    for (uint32_t u = 0; u < o->num_nodes; u++)
        for (uint32_t k = 0; k < degree[u]; k++)
            stub[at++] = u;
    pdpr_i_draw_order(random, stub, stubs);
    for (uint64_t i = 0; i + 1 < stubs; i += 2)
        PDPR_TRY(pdpr_i_links_add(links, stub[i], stub[i + 1], err));
done:
    pdpr_free(degree);
    pdpr_free(stub);
    return s;
}
