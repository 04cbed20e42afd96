/* Configuration model of a given graph: its degrees and nothing else.
 *
 * The ends of all edges are shuffled and paired anew (Bollobas 1980); loops and repeats are dropped
 * when the graph is built, which takes a little off the largest degrees. Beside G(N, m) it tells
 * how much of a figure the degrees alone give. It reads every degree without noise, so it is a
 * yardstick for the owner and no private method. Cost: O(N + m). */
#include "generate/generate.h"

pdpr_status pdpr_generate_configuration(pdpr_context *ctx, const pdpr_graph *g, uint64_t seed,
                                        pdpr_graph **out, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    pdpr_graph *whole = NULL;
    uint32_t *stub = NULL;
    pdpr_i_key key;
    pdpr_i_stream random;

    pdpr_i_key_from_seed(seed, &key);
    pdpr_i_stream_init(&random, &key, PDPR_I_PURPOSE_CONFIGURATION, 0);
    PDPR_TRY(pdpr_graph_undirected(ctx, g, &whole, err));
    PDPR_TRY(pdpr_i_alloc(ctx, whole->num_arcs, sizeof *stub, "stubs", &stub, err));
    for (uint32_t u = 0; u < whole->num_nodes; u++)
        for (uint64_t k = whole->offset[u]; k < whole->offset[u + 1]; k++)
            stub[k] = u;
    pdpr_i_draw_order(&random, stub, whole->num_arcs);
    PDPR_TRY(
        pdpr_graph_from_pairs(ctx, whole->num_nodes, stub, whole->num_arcs / 2, false, out, err));
done:
    pdpr_i_stream_wipe(&random);
    pdpr_free(stub);
    pdpr_graph_free(whole);
    return s;
}
