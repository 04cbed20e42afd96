/* Every triangle once. */
#ifndef PDPR_BLUEPRINT_TRIANGLE_WALK_H
#define PDPR_BLUEPRINT_TRIANGLE_WALK_H

#include "graph/graph.h"

/* Edges directed from lower to higher (degree, id): no node has more than sqrt(2m) of them. */
typedef struct {
    uint32_t num_nodes;
    uint64_t num_arcs;
    uint64_t *offset; /* [num_nodes + 1] */
    uint32_t *target; /* [num_arcs] */
} pdpr_i_forward;

/* A triangle: its nodes and the three forward arcs (first,second), (first,third), (second,third) as
 * places in target. */
typedef struct {
    uint32_t node[3];
    uint64_t arc[3];
} pdpr_i_triangle;

/* Called for each triangle of a chunk, from the thread that works on the chunk. */
typedef void (*pdpr_i_triangle_visit)(void *arg, uint64_t chunk, const pdpr_i_triangle *t);

/* O(N + m). Errors: PDPR_EUSAGE (g is directed), PDPR_ENOMEM. */
pdpr_status pdpr_i_forward_init(pdpr_context *ctx, const pdpr_graph *g, pdpr_i_forward *out,
                                pdpr_error *err);
void pdpr_i_forward_clear(pdpr_i_forward *f);

/* Number of chunks that a walk over f has: a function of f only. */
uint64_t pdpr_i_triangle_chunks(const pdpr_i_forward *f);

/* Visits every triangle once; within a chunk always in the same order. O(m^1.5) time, 8 N bytes per
 * thread. Errors: PDPR_ENOMEM, PDPR_ECANCELLED. */
pdpr_status pdpr_i_triangle_walk(pdpr_context *ctx, const pdpr_i_forward *f,
                                 pdpr_i_triangle_visit visit, void *arg, pdpr_error *err);

#endif
