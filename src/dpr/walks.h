/* Batches of node pairs from random walks, and their distinct nodes. */
#ifndef PDPR_DPR_WALKS_H
#define PDPR_DPR_WALKS_H

#include "base/base.h"
#include "dp/random_stream.h"
#include "dpr/edge_loss.h"
#include "dpr/paper_constants.h"
#include "graph/graph.h"

/* The public schedule: batch j of an epoch starts at nodes j b .. (j+1) b - 1, j < floor(N / b);
 * each start makes `walks` walks of at most `length` arcs. */
typedef struct {
    uint32_t batch;  /* b, 1..N */
    uint32_t walks;  /* R_wn >= 1 */
    uint32_t length; /* R_wl >= 1 */
    pdpr_i_pairing pairing;
} pdpr_i_walk_plan;

/* One batch: the distinct nodes of its pairs in order of appearance (a "slot" is a place in that
 * list) and the pairs as slots. Sized once, by N and the plan alone. */
typedef struct {
    uint32_t max_slots;
    uint64_t max_pairs;
    uint32_t num_slots;
    uint64_t num_pairs;
    uint32_t *node;          /* [max_slots] */
    uint32_t *out_degree;    /* [max_slots] */
    uint32_t *in_degree;     /* [max_slots] */
    pdpr_i_slot_pair *pairs; /* [max_pairs] */
    uint32_t *slot_of;       /* [N]: PDPR_I_NO_SLOT for nodes not in the batch */
} pdpr_i_batch;

#define PDPR_I_NO_SLOT UINT32_MAX

/* Errors: PDPR_EUSAGE (plan out of range), PDPR_ENOMEM. */
pdpr_status pdpr_i_batch_init(pdpr_context *ctx, uint32_t num_nodes, const pdpr_i_walk_plan *plan,
                              pdpr_i_batch *out, pdpr_error *err);
void pdpr_i_batch_clear(pdpr_i_batch *batch);

/* In-degrees of all nodes, [N]; of an undirected graph its degrees. The caller frees them with
 * pdpr_free. Errors: PDPR_ENOMEM. */
pdpr_status pdpr_i_in_degrees(pdpr_context *ctx, const pdpr_graph *g, uint32_t **out,
                              pdpr_error *err);

/* Fills the batch with the walks from nodes first .. first + b - 1 (first + b <= N) in this epoch.
 * A walk follows uniformly drawn out-arcs and stops at a node that has none. Node u draws from the
 * stream (walks, epoch 2^32 + u): the same pairs whenever and wherever it is called.
 * Cost: O(b R_wn R_wl). */
void pdpr_i_batch_walk(pdpr_i_batch *batch, const pdpr_graph *g, const uint32_t *in_degree,
                       const pdpr_i_walk_plan *plan, const pdpr_i_key *key, uint32_t epoch,
                       uint32_t first);

#endif
