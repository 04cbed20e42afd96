/* Edges between the classes of a public partition. */
#ifndef PDPR_BLUEPRINT_MEASURE_MIXING_H
#define PDPR_BLUEPRINT_MEASURE_MIXING_H

#include "graph/graph.h"

/* A partition of the nodes and a cap for each pair of its blocks. All of it public: declared, or
 * computed from values already released. */
typedef struct {
    uint32_t num_blocks;
    const uint32_t *block; /* [N]: below num_blocks */
    const uint32_t *cap;   /* [num_blocks][num_blocks], symmetric */
} pdpr_i_partition;

/* max over a of sum over b of cap_ab: what a node can move the whole matrix by, for one order. */
uint64_t pdpr_i_mixing_sensitivity(const pdpr_i_partition *partition);

/* The mixing matrix: edges kept when the edges of each class (a, b) are projected on their own with
 * cap_ab, summed over `num_orders` public orders. Writes edges [num_blocks][num_blocks], symmetric;
 * the entries a <= b are the query, the others repeat them.
 *
 * Neighbours:    undirected graphs on the same N nodes that differ in the edges at one node.
 * Precondition:  partition, num_orders and public_seed do not depend on the graph.
 * Guarantee:     sum over a <= b of |edges_ab(G) - edges_ab(G')| <= num_orders *
 *                pdpr_i_mixing_sensitivity(partition).
 * Proof:         docs/proofs/mixing.md, Theorem 1.
 * Rounding:      none, integers.
 *
 * Cost: O(num_orders (N + m)) time, 4 N num_blocks bytes. Errors: PDPR_EUSAGE (directed graph, no
 * order, a block out of range, caps that are not symmetric), PDPR_ENOMEM, PDPR_ECANCELLED. */
pdpr_status pdpr_i_mixing_measure(pdpr_context *ctx, const pdpr_graph *g, uint64_t public_seed,
                                  uint32_t num_orders, const pdpr_i_partition *partition,
                                  uint64_t *edges, pdpr_error *err);

#endif
