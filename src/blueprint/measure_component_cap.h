/* Q4: the largest fractional forest in which no node has more than a capped degree. */
#ifndef PDPR_BLUEPRINT_MEASURE_COMPONENT_CAP_H
#define PDPR_BLUEPRINT_MEASURE_COMPONENT_CAP_H

#include "blueprint/forest.h"
#include "blueprint/interval.h"
#include "graph/graph.h"

/* What remains of the problem after exact reductions: F_D = fixed + optimum of `core`. Errors:
 * PDPR_ENOMEM, PDPR_ECANCELLED, PDPR_EFAILED (2^32 edges or more remain). */
pdpr_status pdpr_i_component_reduce(pdpr_context *ctx, const pdpr_graph *g, uint32_t cap,
                                    uint64_t *fixed, pdpr_i_forest_problem *core, pdpr_error *err);

/* Most bytes that pdpr_i_component_cap holds at once on an undirected graph of this size. */
uint64_t pdpr_i_component_cap_memory(const pdpr_graph *g);

/* Bounds of F_D = max sum x_e over the forest polytope with sum of x over the edges at v <= cap for
 * every node v. N - F_D is at least the number of components, and equal to it if there is a
 * spanning forest without a degree above the cap.
 *
 * Neighbours:    undirected graphs on the same N nodes that differ in the edges at one node.
 * Precondition:  cap and gamma (units of 2^-16) do not depend on the graph.
 * Guarantee:     lo <= 2^16 F_D <= hi and hi - lo <= gamma on every input, and F_D differs by cap
 *                at most between neighbours; so lo by 2^16 cap + gamma.
 *
 * Proof:         docs/proofs/component_cap.md, Theorems 1 to 4.
 *
 * Rounding:      lo down, hi up, from certificates in integers.
 *
 * Same bounds for any number of threads (it uses one). Cost: O(m) for each sweep of the reductions,
 * then a solver that ends on its certificate. Errors: PDPR_EUSAGE (directed graph, a cap of 0,
 * gamma below 1/16: all public), PDPR_ENOMEM, PDPR_ECANCELLED, PDPR_EFAILED (2^32 edges or more
 * remain: depends on the graph, docs/proofs/measurements.md, last paragraph). */
pdpr_status pdpr_i_component_cap(pdpr_context *ctx, const pdpr_graph *g, uint32_t cap,
                                 uint64_t gamma, pdpr_i_interval *out, pdpr_error *err);

#endif
