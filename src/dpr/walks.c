/* Random walks to batches of pairs (Algorithm 1, "generate batch samples").
 *
 * A batch has at most b R_wn R_wl pairs and b (R_wn R_wl + 1) distinct nodes; all arrays have that
 * size whatever the graph looks like (P-8). The paper counts batches from 1 and would so leave
 * out the first b nodes and run past the end: here they count from 0. The last N mod b nodes start
 * no walk, as in the paper; walks reach them.
 *
 * Distinct nodes are found with one word per node of the graph, put back after use, so that a
 * batch costs what it holds and not N. */
#include "dpr/walks.h"

#include <string.h>

pdpr_status pdpr_i_batch_init(pdpr_context *ctx, uint32_t num_nodes, const pdpr_i_walk_plan *plan,
                              pdpr_i_batch *out, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    pdpr_i_batch batch = {0};
    if (plan->batch < 1 || plan->batch > num_nodes)
        return pdpr_i_fail(err, PDPR_EUSAGE,
                           "batch: expected 1 to %" PRIu32 " start nodes, found %" PRIu32,
                           num_nodes, plan->batch);
    if (plan->walks < 1 || plan->length < 1 ||
        (uint64_t)plan->walks * plan->length > UINT32_MAX / 2 / plan->batch)
        return pdpr_i_fail(err, PDPR_EUSAGE,
                           "walks: expected 1 to 2^31 pairs a batch, found %" PRIu32 " x %" PRIu32
                           " x %" PRIu32,
                           plan->batch, plan->walks, plan->length);
    batch.max_pairs = (uint64_t)plan->batch * plan->walks * plan->length;
    uint64_t reach = plan->batch + batch.max_pairs;
    batch.max_slots = (uint32_t)(reach < num_nodes ? reach : num_nodes);

    PDPR_TRY(
        pdpr_i_alloc(ctx, batch.max_slots, sizeof *batch.node, "batch nodes", &batch.node, err));
    PDPR_TRY(pdpr_i_alloc(ctx, batch.max_slots, sizeof *batch.out_degree, "batch degrees",
                          &batch.out_degree, err));
    PDPR_TRY(pdpr_i_alloc(ctx, batch.max_slots, sizeof *batch.in_degree, "batch degrees",
                          &batch.in_degree, err));
    PDPR_TRY(
        pdpr_i_alloc(ctx, batch.max_pairs, sizeof *batch.pairs, "batch pairs", &batch.pairs, err));
    PDPR_TRY(
        pdpr_i_alloc(ctx, num_nodes, sizeof *batch.slot_of, "batch slots", &batch.slot_of, err));
    memset(batch.slot_of, 0xff, num_nodes * sizeof *batch.slot_of);
    *out = batch;
    batch = (pdpr_i_batch){0};
done:
    pdpr_i_batch_clear(&batch);
    return s;
}

void pdpr_i_batch_clear(pdpr_i_batch *batch)
{
    pdpr_free(batch->node);
    pdpr_free(batch->out_degree);
    pdpr_free(batch->in_degree);
    pdpr_free(batch->pairs);
    pdpr_free(batch->slot_of);
    *batch = (pdpr_i_batch){0};
}

pdpr_status pdpr_i_in_degrees(pdpr_context *ctx, const pdpr_graph *g, uint32_t **out,
                              pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    uint32_t *degree = NULL;
    PDPR_TRY(pdpr_i_zalloc(ctx, g->num_nodes, sizeof *degree, "in-degrees", &degree, err));
    for (uint64_t i = 0; i < g->num_arcs; i++)
        degree[g->target[i]]++;
    *out = degree;
done:
    return s;
}

/* The slot of a node, a new one if it has none. */
static uint32_t slot_for(pdpr_i_batch *batch, const pdpr_graph *g, const uint32_t *in_degree,
                         uint32_t node)
{
    uint32_t slot = batch->slot_of[node];
    if (slot == PDPR_I_NO_SLOT) {
        slot = batch->num_slots++;
        batch->slot_of[node] = slot;
        batch->node[slot] = node;
        batch->out_degree[slot] = (uint32_t)pdpr_i_degree(g, node);
        batch->in_degree[slot] = in_degree[node];
    }
    return slot;
}

/* All walks from one start node. */
static void walk_from(pdpr_i_batch *batch, const pdpr_graph *g, const uint32_t *in_degree,
                      const pdpr_i_walk_plan *plan, uint32_t start, pdpr_i_stream *random)
{
    for (uint32_t walk = 0; walk < plan->walks; walk++) {
        uint32_t at = start;
        for (uint32_t k = 0; k < plan->length; k++) {
            uint64_t degree = pdpr_i_degree(g, at);
            if (degree == 0)
                break;
            uint32_t next = g->target[g->offset[at] + pdpr_i_stream_below(random, degree)];
            uint32_t from = plan->pairing == PDPR_I_PAIRS_FROM_START ? start : at;
            pdpr_i_slot_pair *pair = &batch->pairs[batch->num_pairs++];
            pair->from = slot_for(batch, g, in_degree, from);
            pair->to = slot_for(batch, g, in_degree, next);
            at = next;
        }
    }
}

void pdpr_i_batch_walk(pdpr_i_batch *batch, const pdpr_graph *g, const uint32_t *in_degree,
                       const pdpr_i_walk_plan *plan, const pdpr_i_key *key, uint32_t epoch,
                       uint32_t first)
{
    pdpr_i_stream random;
    for (uint32_t i = 0; i < batch->num_slots; i++)
        batch->slot_of[batch->node[i]] = PDPR_I_NO_SLOT;
    batch->num_slots = 0;
    batch->num_pairs = 0;
    for (uint32_t u = first; u < first + plan->batch; u++) {
        pdpr_i_stream_init(&random, key, PDPR_I_PURPOSE_WALKS, (uint64_t)epoch << 32 | u);
        walk_from(batch, g, in_degree, plan, u, &random);
    }
    pdpr_i_stream_wipe(&random);
}
