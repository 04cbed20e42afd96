/* What a report draws: distributions over degrees, distances, component sizes, and the core. */
#ifndef PDPR_METRICS_CURVES_H
#define PDPR_METRICS_CURVES_H

#include "metrics/metrics.h"

/* Class k holds the numbers in (2^(k-1), 2^k]: 1, 2, 3-4, 5-8, ... up to 2^32. */
enum { PDPR_I_CLASSES = 33 };
uint32_t pdpr_i_class_of(uint64_t number); /* number >= 1 */

/* Integers only, so that they are the same for any number of threads. */
typedef struct {
    uint64_t nodes, edges;
    uint64_t degrees;    /* largest degree + 1 */
    uint64_t *degree;    /* [degrees]: nodes of each degree */
    uint64_t *triangles; /* [degrees]: triangles through nodes of that degree, summed over them */
    uint64_t joint[PDPR_I_CLASSES][PDPR_I_CLASSES]; /* arcs from degree class to degree class */
    uint64_t size[PDPR_I_CLASSES]; /* nodes in components whose size is of that class */
    uint64_t distances;            /* largest distance seen + 1; 1 for a single node */
    uint64_t *distance;            /* [distances]: pairs (source, other node) at that distance */
    uint32_t sources;              /* behind `distance`, all in the largest component */
    bool all_sources;              /* the whole largest component: exact */
} pdpr_i_curves;

/* All of it, of a graph read as undirected. Distances: from every node of the largest component if
 * it has at most 8192, else from 2048 drawn with `seed`. Cost: O(m^1.5) for the triangles, O(N + m)
 * for the rest beside at most 16 batches of path search. Errors: PDPR_ENOMEM, PDPR_ECANCELLED. */
pdpr_status pdpr_i_curves_init(pdpr_context *ctx, const pdpr_graph *g, uint64_t seed,
                               pdpr_i_curves *out, pdpr_error *err);
void pdpr_i_curves_clear(pdpr_i_curves *c);

/* Fills distances, distance, sources, all_sources from a component. */
pdpr_status pdpr_i_curves_distances(pdpr_context *ctx, const pdpr_i_component *c,
                                    uint32_t graph_nodes, uint64_t seed, pdpr_i_curves *out,
                                    pdpr_error *err);

/* Mean over the nodes of degree from..to-1 (2 at least) of the share of closed pairs of
 * neighbours; NaN if there is no such node. */
double pdpr_i_curves_clustering(const pdpr_i_curves *c, uint64_t from, uint64_t to);
/* The same over all nodes with two neighbours or more; 0 if there is none. */
double pdpr_i_curves_mean_clustering(const pdpr_i_curves *c);
/* Half the sum of the absolute differences of the two tables of shares: 0 equal, 1 disjoint; NaN if
 * exactly one graph has no edge. */
double pdpr_i_curves_mixing_distance(const pdpr_i_curves *a, const pdpr_i_curves *b);

/* Core numbers: core[u] is the largest k such that u lies in a subgraph of minimum degree k.
 * Undirected graphs. Writes core[N]. O(N + m) time, 12 N bytes. Errors: PDPR_ENOMEM,
 * PDPR_ECANCELLED. */
pdpr_status pdpr_i_core_numbers(pdpr_context *ctx, const pdpr_graph *g, uint32_t *core,
                                pdpr_error *err);

/* A connected piece around the innermost node, with the edges in it. */
typedef struct {
    uint32_t nodes;
    uint64_t *degree; /* [nodes]: in the whole graph, not in the core */
    uint64_t edges;
    uint32_t *pairs; /* [2 * edges]: numbers below `nodes`, the smaller first */
} pdpr_i_core;

/* `most` nodes, grown from the one with the largest core number by the best neighbour of what is
 * there: largest core number, then degree, then smallest id. O(N + m) and most * N bytes looked at.
 * Errors: PDPR_ENOMEM, PDPR_ECANCELLED. */
pdpr_status pdpr_i_core_init(pdpr_context *ctx, const pdpr_graph *g, uint32_t most,
                             pdpr_i_core *out, pdpr_error *err);
void pdpr_i_core_clear(pdpr_i_core *core);

#endif
