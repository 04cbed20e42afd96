/* Which node takes which degree and which place: the part of a graph that its structure leaves
 * open. Public side: released numbers and a random stream.
 *
 * A release keeps degrees as counts (so many nodes of this degree), which is all that a fit knows:
 * no number of a fit belongs to a node. Dealing them out is left to whoever samples. */
#ifndef PDPR_BLUEPRINT_DEAL_H
#define PDPR_BLUEPRINT_DEAL_H

#include "dp/random_stream.h"
#include "graph/graph.h"

/* A multiset of degrees: nodes[k] nodes of degree[k], degrees descending, nobody counted twice. */
typedef struct {
    uint32_t *degree, *nodes; /* [length] */
    uint64_t length;
} pdpr_i_degree_counts;

/* O(N) time. The caller clears *out. Errors: PDPR_ENOMEM. */
pdpr_status pdpr_i_degree_counts_init(pdpr_context *ctx, const uint32_t *degree, uint32_t num_nodes,
                                      pdpr_i_degree_counts *out, pdpr_error *err);
void pdpr_i_degree_counts_clear(pdpr_i_degree_counts *counts);

/* The degrees again, descending, into degree[num_nodes]. False if the counts are not those of
 * num_nodes degrees below num_nodes in descending order: they may come from anybody. */
bool pdpr_i_degree_counts_spread(const pdpr_i_degree_counts *counts, uint32_t num_nodes,
                                 uint32_t *degree);

/* A uniformly random order of the items (Fisher and Yates). */
void pdpr_i_deal_by_chance(uint32_t *item, uint64_t count, pdpr_i_stream *random);

/* The nodes in descending order of a finite score, equal ones in random order, into
 * node[num_nodes]. O(N) time, 16 N bytes. Errors: PDPR_ENOMEM. */
pdpr_status pdpr_i_deal_order(pdpr_context *ctx, const double *score, uint32_t num_nodes,
                              pdpr_i_stream *random, uint32_t *node, pdpr_error *err);

/* Uniform places on the builder's curve, given out so that they ascend in the order of `node`:
 * as a set they are as independent as places drawn node by node. O(N) time, 16 N bytes.
 * Errors: PDPR_ENOMEM. */
pdpr_status pdpr_i_deal_places(pdpr_context *ctx, const uint32_t *node, uint32_t num_nodes,
                               pdpr_i_stream *random, uint32_t *place, pdpr_error *err);

#endif
