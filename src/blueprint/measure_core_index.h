/* Where the curve of core numbers meets a line. */
#ifndef PDPR_BLUEPRINT_MEASURE_CORE_INDEX_H
#define PDPR_BLUEPRINT_MEASURE_CORE_INDEX_H

#include "blueprint/measure_degree_index.h"

/* Core numbers: core[u] is the largest k such that u lies in a subgraph of minimum degree k.
 * Writes core[N]. O(N + m) time, 12 N bytes. Errors: PDPR_ENOMEM, PDPR_ECANCELLED. */
pdpr_status pdpr_i_core_numbers(pdpr_context *ctx, const pdpr_graph *g, uint32_t *core,
                                pdpr_error *err);

/* The core index kappa_{s,alpha} = max{ j >= 0 : at least alpha j nodes have core number >= s + j }
 * for several lines.
 *
 * Neighbours:    undirected graphs on the same N nodes that differ in the edges at one node.
 * Precondition:  the lines do not depend on the graph; alpha >= 1.
 * Guarantee:     |index_i(G) - index_i(G')| <= 1 for each line on its own.
 * Proof:         docs/proofs/core_index.md, Theorem 1.
 * Rounding:      none, integers.
 *
 * Cost: O(N + m). Writes index[num_lines]. Errors: PDPR_EUSAGE (directed graph, a slope of 0),
 * PDPR_ENOMEM, PDPR_ECANCELLED. */
pdpr_status pdpr_i_core_index(pdpr_context *ctx, const pdpr_graph *g, const pdpr_i_line *line,
                              uint32_t num_lines, uint64_t *index, pdpr_error *err);

#endif
