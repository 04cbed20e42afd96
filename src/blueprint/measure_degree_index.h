/* Q2: where the degree curve meets a line. */
#ifndef PDPR_BLUEPRINT_MEASURE_DEGREE_INDEX_H
#define PDPR_BLUEPRINT_MEASURE_DEGREE_INDEX_H

#include "graph/graph.h"

/* A line over which the curve of a node value is read: rank alpha * j against value shift + j. */
typedef struct {
    int64_t shift;  /* s, any integer */
    uint32_t slope; /* alpha >= 1 */
} pdpr_i_line;

/* max{ j >= 0 : at least alpha * j nodes have value >= s + j }, for node values given as a
 * histogram: count[x] nodes have value x, x < length. O(length). alpha must be at least 1. */
uint64_t pdpr_i_line_index(const uint64_t *count, uint64_t length, pdpr_i_line line);

/* Refuses a slope of 0. `what` names the query in the text. */
pdpr_status pdpr_i_line_check(const char *what, const pdpr_i_line *line, uint32_t num_lines,
                              pdpr_error *err);

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
