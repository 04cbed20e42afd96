/* Q3: triangles, none of whose nodes counts for more than a cap. */
#ifndef PDPR_BLUEPRINT_MEASURE_TRIANGLE_CAP_H
#define PDPR_BLUEPRINT_MEASURE_TRIANGLE_CAP_H

#include "blueprint/interval.h"
#include "blueprint/packing.h"
#include "blueprint/triangle_walk.h"

/* What one graph needs to be measured with several caps. */
typedef struct {
    pdpr_i_forward forward;
    uint64_t *count; /* [N]: triangles at each node */
    uint64_t triangles;
} pdpr_i_triangle_counts;

/* O(m^1.5). Errors: PDPR_EUSAGE (directed graph), PDPR_ENOMEM, PDPR_ECANCELLED. */
pdpr_status pdpr_i_triangle_counts_init(pdpr_context *ctx, const pdpr_graph *g,
                                        pdpr_i_triangle_counts *out, pdpr_error *err);
void pdpr_i_triangle_counts_clear(pdpr_i_triangle_counts *t);

/* What remains of the problem after exact reductions: f_c = fixed + optimum of `core`. Errors:
 * PDPR_ENOMEM, PDPR_ECANCELLED, PDPR_EFAILED (too large to be certified). */
pdpr_status pdpr_i_triangle_reduce(pdpr_context *ctx, const pdpr_i_triangle_counts *t, uint32_t cap,
                                   uint64_t *fixed, pdpr_i_packing *core, pdpr_error *err);

/* Bounds of f_c = max sum x_T over 0 <= x_T <= 1 with sum over triangles T at v of x_T <= cap for
 * every node v; equal to the number of triangles if no node is in more than cap.
 *
 * Neighbours:    undirected graphs on the same N nodes that differ in the edges at one node.
 * Precondition:  cap and gamma (units of 2^-16) do not depend on the graph.
 * Guarantee:     lo <= 2^16 f_c <= hi and hi - lo <= gamma on every input, and |f_c(G) - f_c(G')|
 *                <= cap; so |lo(G) - lo(G')| <= 2^16 cap + gamma.
 * Proof:         docs/proofs/triangle_cap.md, Theorems 1 to 4.
 * Rounding:      lo down, hi up, from certificates in integers.
 *
 * Same bounds for any number of threads. Cost: O(m^1.5) and a solver that ends on its certificate;
 * about 100 bytes for each triangle whose nodes are mostly above the cap. Errors: PDPR_EUSAGE (cap
 * outside 1..2^20, cap * N above 2^46, gamma below 1/16: all public), PDPR_ENOMEM, PDPR_ECANCELLED,
 * PDPR_EFAILED (the weights of packing.h exceed 2^32 before the reductions: depends on the graph,
 * docs/proofs/measurements.md, last paragraph). */
pdpr_status pdpr_i_triangle_cap(pdpr_context *ctx, const pdpr_i_triangle_counts *t, uint32_t cap,
                                uint64_t gamma, pdpr_i_interval *out, pdpr_error *err);

#endif
