/* Q1: degrees under the edge-addition projection, and what may be read from them. */
#ifndef PDPR_BLUEPRINT_MEASURE_PROJECTION_H
#define PDPR_BLUEPRINT_MEASURE_PROJECTION_H

#include "graph/graph.h"

/* ---------------------------------------------------------------- a public order on pairs */

/* The edges of a graph in the order in which a projection scans them. */
typedef struct {
    uint64_t count;
    uint32_t *pair; /* [2 * count]: smaller id, larger id */
} pdpr_i_pair_order;

/* A number for the pair low < high. Must depend on arg and the two ids only, and arg must be
 * public: then (key, low, high) is a total order on all pairs that no edge can influence. */
typedef uint64_t (*pdpr_i_pair_key)(const void *arg, uint32_t low, uint32_t high);

/* Edges of the undirected graph g by ascending (key, low, high). Called from several threads.
 * Cost: O(N + m), 32 bytes per edge while it works, 8 after. Errors: PDPR_EUSAGE (g is directed),
 * PDPR_ENOMEM, PDPR_ECANCELLED. */
pdpr_status pdpr_i_pair_order_by_key(pdpr_context *ctx, const pdpr_graph *g, pdpr_i_pair_key key,
                                     const void *arg, pdpr_i_pair_order *out, pdpr_error *err);

/* The same with SipHash-2-4 of the pair under a salt, number `index` of `public_seed`. The seed is
 * published beside the release: it must be chosen without looking at the graph and must not be the
 * noise key's. */
pdpr_status pdpr_i_pair_order_init(pdpr_context *ctx, const pdpr_graph *g, uint64_t public_seed,
                                   uint64_t index, pdpr_i_pair_order *out, pdpr_error *err);
void pdpr_i_pair_order_clear(pdpr_i_pair_order *order);

/* Scans the order and keeps a pair iff both ends have fewer than theta kept pairs so far. Writes
 * the kept degrees to degree[num_nodes]; returns the number of kept pairs. O(N + m).
 *
 * Only degrees and their sums may be released: the kept edge set itself moves without bound between
 * neighbours (docs/proofs/projection.md, Remark 2). */
uint64_t pdpr_i_projection_scan(const pdpr_i_pair_order *order, uint32_t num_nodes, uint32_t theta,
                                uint32_t *degree);

/* ---------------------------------------------------------------- the measurement */

/* Sums over `num_orders` public orders, in integers: divide by num_orders to have the mean. */
typedef struct {
    uint32_t num_thetas, num_orders;
    uint32_t *theta;       /* [num_thetas] */
    uint64_t *edges;       /* [num_thetas]: kept pairs */
    uint64_t **cumulative; /* [num_thetas][theta]: nodes of kept degree <= k, k = 0..theta-1 */
    uint64_t *cells;       /* the rows of cumulative, one block */
} pdpr_i_projection;

/* Projected degrees for a ladder of caps over the same orders.
 *
 * Neighbours:    undirected graphs on the same N nodes that differ in the edges at one node.
 * Precondition:  theta, num_orders and public_seed do not depend on the graph.
 * Guarantee:     with R = num_orders, for each cap on its own
 *                  sum_k |cumulative_k(G) - cumulative_k(G')| <= 2 R theta   (L1; also L2, Linf)
 *                  |edges(G) - edges(G')|                     <=   R theta.
 *                Values for several caps are several queries: each is paid for.
 * Proof:         docs/proofs/projection.md, Theorems 1 to 3.
 * Rounding:      none, all values are integers.
 *
 * Cost: O(R (m + T (N + m))) for T caps, 32 bytes per edge and 4 N bytes per thread.
 * Errors: PDPR_EUSAGE (directed graph, no cap or order, a cap of 0), PDPR_ENOMEM,
 * PDPR_ECANCELLED. On success the caller clears *out. */
pdpr_status pdpr_i_projection_measure(pdpr_context *ctx, const pdpr_graph *g, uint64_t public_seed,
                                      uint32_t num_orders, const uint32_t *theta,
                                      uint32_t num_thetas, pdpr_i_projection *out, pdpr_error *err);
void pdpr_i_projection_clear(pdpr_i_projection *p);

#endif
