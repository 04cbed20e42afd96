/* Q2: where the degree curve meets a line. */
#ifndef PDPR_BLUEPRINT_MEASURE_DEGREE_INDEX_H
#define PDPR_BLUEPRINT_MEASURE_DEGREE_INDEX_H

#include "graph/graph.h"

/* A line over which the degree curve is read: rank alpha * j against degree shift + j. */
typedef struct {
    int64_t shift;  /* s, any integer */
    uint32_t slope; /* alpha >= 1 */
} pdpr_i_line;

/* The sloped degree index h_{s,alpha} for several lines; alpha = 1 is the diagonal index h_s.
 *
 * Neighbours:    undirected graphs on the same N nodes that differ in the edges at one node.
 * Precondition:  the lines do not depend on the graph; alpha >= 1.
 * Guarantee:     |index_i(G) - index_i(G')| <= 1 for each line on its own.
 * Proof:         docs/proofs/degree_index.md, Theorem 1.
 * Rounding:      none, integers.
 *
 * Cost: O(N) and O(largest degree) per line. Writes index[num_lines]. Errors: PDPR_EUSAGE (directed
 * graph, a slope of 0), PDPR_ENOMEM. */
pdpr_status pdpr_i_degree_index(pdpr_context *ctx, const pdpr_graph *g, const pdpr_i_line *line,
                                uint32_t num_lines, uint64_t *index, pdpr_error *err);

#endif
