/* Hub-and-spoke: few hubs, many leaves with one or two links, like airlines or network providers.
 *
 * Nodes 0..H-1 are hubs; hub k is chosen in proportion to (k+1)^-exponent. Each leaf links to one
 * hub at least and to more at random, so that leaves reach the wanted mean degree; a share of the
 * further links goes to leaves. Hubs are joined among themselves with probability 1/2 when both
 * are among the first 24, so that the core is dense and its size does not grow with N.
 * Cost: O(N + m log N). */
#include "generate/generate.h"

#include <math.h>

enum { CORE = 24 };

/* First index whose cumulative weight exceeds x. */
static uint32_t find_hub(const double *cumulative, uint32_t hubs, double x)
{
    uint32_t low = 0, high = hubs - 1;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (cumulative[middle] > x)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

pdpr_status pdpr_i_kind_hubs(const pdpr_generate_options *o, pdpr_i_stream *random,
                             pdpr_i_links *links, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    uint32_t n = o->num_nodes, hubs = n / o->group_size ? n / o->group_size : 1;
    double *cumulative = NULL, total = 0;
    double further = o->mean_degree / 2 > 1 ? o->mean_degree / 2 - 1 : 0;

    PDPR_TRY(pdpr_i_alloc(links->ctx, hubs, sizeof *cumulative, "hubs", &cumulative, err));
    for (uint32_t k = 0; k < hubs; k++)
        cumulative[k] = total += pow((double)k + 1, -o->exponent);

    for (uint32_t u = 0; u < hubs && u < CORE; u++)
        for (uint32_t v = 0; v < u; v++)
            if (pdpr_i_draw_chance(random, 0.5))
                PDPR_TRY(pdpr_i_links_add(links, u, v, err));
    for (uint32_t u = 1; u < n; u++) {
        /* a hub links once to a hub before it, so that the graph hangs together */
        uint32_t among = u < hubs ? u : hubs;
        double weight = cumulative[among - 1];
        uint64_t count = 1 + (u < hubs ? 0 : pdpr_i_draw_geometric(random, further));
        for (uint64_t k = 0; k < count; k++) {
            uint32_t v = find_hub(cumulative, among, pdpr_i_stream_unit(random) * weight);
            if (k > 0 && pdpr_i_draw_chance(random, o->share))
                v = (uint32_t)pdpr_i_stream_below(random, n);
            PDPR_TRY(pdpr_i_links_add(links, u, v, err));
        }
    }
done:
    pdpr_free(cumulative);
    return s;
}
