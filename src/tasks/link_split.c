/* Edges cut into a training and a test part, with as many pairs without an edge beside each.
 *
 * As the paper (section on link prediction): 80 % of the existing links train, 20 % test, and each
 * part gets an equal number of pairs without an edge in the whole graph. A link is an undirected
 * pair: both arcs of a reciprocal pair go together, else the training graph would show the test
 * link. All pairs are distinct. Pairs without an edge are drawn by rejection: at most half of all
 * pairs are edges, so two to four draws a pair are expected at worst. Cost: O(N + m log d). */
#include "tasks/tasks.h"
#include "base/number_map.h"
#include "generate/generate.h"

#include <string.h>

/* Edges of an undirected graph as pairs u < v, [2 * m], in random order. */
static pdpr_status list_edges(pdpr_context *ctx, const pdpr_graph *g, pdpr_i_stream *random,
                              uint32_t **out, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    uint32_t *pairs = NULL, *order = NULL, next = 0;
    uint64_t m = g->num_arcs / 2;
    if (m > UINT32_MAX)
        return pdpr_i_fail(err, PDPR_EUSAGE, "link prediction: expected fewer than 2^32 edges");
    PDPR_TRY(pdpr_i_alloc(ctx, 2 * m, sizeof *pairs, "edges", &pairs, err));
    PDPR_TRY(pdpr_i_alloc(ctx, m, sizeof *order, "edges", &order, err));
    for (uint32_t i = 0; i < m; i++)
        order[i] = i;
    pdpr_i_draw_order(random, order, m);
    for (uint32_t u = 0; u < g->num_nodes; u++)
        for (uint64_t k = g->offset[u]; k < g->offset[u + 1]; k++)
            if (u < g->target[k]) {
                pairs[2 * (uint64_t)order[next]] = u;
                pairs[2 * (uint64_t)order[next++] + 1] = g->target[k];
            }
    *out = pairs;
    pairs = NULL;
done:
    pdpr_free(pairs);
    pdpr_free(order);
    return s;
}

/* A pair that neither is an edge of g nor was drawn before. */
static pdpr_status draw_other(pdpr_context *ctx, const pdpr_graph *g, pdpr_i_stream *random,
                              pdpr_i_number_map *drawn, uint32_t pair[2], pdpr_error *err)
{
    for (bool added = false; !added;) {
        uint64_t u = pdpr_i_stream_below(random, g->num_nodes);
        uint64_t v = pdpr_i_stream_below(random, g->num_nodes - 1);
        v += v >= u;
        pair[0] = (uint32_t)(u < v ? u : v);
        pair[1] = (uint32_t)(u < v ? v : u);
        if (pdpr_i_graph_has_arc(g, pair[0], pair[1]))
            continue;
        pdpr_status s =
            pdpr_i_number_map_add(ctx, drawn, (uint64_t)pair[0] << 32 | pair[1], 0, &added, err);
        if (s != PDPR_OK)
            return s;
    }
    return PDPR_OK;
}

/* g without the arcs between pairs of `without`. */
static pdpr_status remove_edges(pdpr_context *ctx, const pdpr_graph *g, const pdpr_graph *without,
                                pdpr_graph **out, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    uint32_t *pairs = NULL;
    uint64_t count = 0;
    PDPR_TRY(pdpr_i_alloc(ctx, 2 * g->num_arcs, sizeof *pairs, "training edges", &pairs, err));
    for (uint32_t u = 0; u < g->num_nodes; u++)
        for (uint64_t k = g->offset[u]; k < g->offset[u + 1]; k++) {
            uint32_t v = g->target[k];
            if ((g->directed || u < v) && !pdpr_i_graph_has_arc(without, u, v)) {
                pairs[2 * count] = u;
                pairs[2 * count++ + 1] = v;
            }
        }
    const pdpr_i_pair_block block = {pairs, count};
    PDPR_TRY(pdpr_i_graph_build(ctx, g->num_nodes, &block, 1, g->directed, g->names, out, NULL,
                                NULL, err));
done:
    pdpr_free(pairs);
    return s;
}

/* count edges from `edges`, each followed by a pair that is none. */
static pdpr_status interleave(pdpr_context *ctx, const pdpr_graph *g, const uint32_t *edges,
                              uint64_t count, pdpr_i_stream *random, pdpr_i_number_map *drawn,
                              uint32_t **out, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    PDPR_TRY(pdpr_i_alloc(ctx, 4 * count, sizeof **out, "pairs", out, err));
    for (uint64_t i = 0; edges && i < count; i++) { /* a graph without edges has no list */
        memcpy(*out + 4 * i, edges + 2 * i, 2 * sizeof **out);
        PDPR_TRY(draw_other(ctx, g, random, drawn, *out + 4 * i + 2, err));
    }
done:
    return s;
}

pdpr_status pdpr_i_link_split_make(pdpr_context *ctx, const pdpr_graph *g, const pdpr_i_key *key,
                                   pdpr_i_link_split *out, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    pdpr_i_link_split split = {0};
    pdpr_graph *whole = NULL, *test = NULL;
    uint32_t *edges = NULL;
    pdpr_i_number_map drawn = {0};
    pdpr_i_stream random;

    pdpr_i_stream_init(&random, key, PDPR_I_PURPOSE_TASK_SPLIT, 0);
    PDPR_TRY(pdpr_graph_undirected(ctx, g, &whole, err));
    uint64_t m = whole->num_arcs / 2;
    uint64_t pairs = whole->num_nodes ? (uint64_t)whole->num_nodes * (whole->num_nodes - 1) / 2 : 0;
    if (m < 5 || pairs - m < m) {
        s = pdpr_i_fail(err, PDPR_EUSAGE,
                        "link prediction: expected at least 5 edges, and as many pairs of nodes "
                        "without an edge as with one");
        goto done;
    }
    uint64_t train = m - m / 5;
    PDPR_TRY(list_edges(ctx, whole, &random, &edges, err));
    PDPR_TRY(pdpr_i_number_map_init(ctx, m, &drawn, err));
    PDPR_TRY(interleave(ctx, whole, edges, train, &random, &drawn, &split.train, err));
    PDPR_TRY(
        interleave(ctx, whole, edges + 2 * train, m - train, &random, &drawn, &split.test, err));
    split.num_train = 2 * train;
    split.num_test = 2 * (m - train);
    const pdpr_i_pair_block block = {edges + 2 * train, m - train};
    PDPR_TRY(
        pdpr_i_graph_build(ctx, g->num_nodes, &block, 1, false, g->names, &test, NULL, NULL, err));
    PDPR_TRY(remove_edges(ctx, g, test, &split.graph, err));
    *out = split;
    memset(&split, 0, sizeof split);
done:
    pdpr_i_stream_wipe(&random);
    pdpr_i_number_map_clear(&drawn);
    pdpr_free(edges);
    pdpr_graph_free(whole);
    pdpr_graph_free(test);
    pdpr_i_link_split_clear(&split);
    return s;
}

void pdpr_i_link_split_clear(pdpr_i_link_split *split)
{
    pdpr_free(split->train);
    pdpr_free(split->test);
    pdpr_graph_free(split->graph);
    memset(split, 0, sizeof *split);
}
