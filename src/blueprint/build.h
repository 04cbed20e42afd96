/* Building graphs from public targets: the blueprint's generator.
 *
 * The one function takes targets and a random stream, never a graph: whatever it does is
 * post-processing of released numbers and costs no privacy. The method, its reasons and its limits
 * are in docs/design/0007-building-graphs.md. */
#ifndef PDPR_BLUEPRINT_BUILD_H
#define PDPR_BLUEPRINT_BUILD_H

#include "graph/graph.h"
#include "dp/random_stream.h"

/* What the graph shall have. When targets conflict the earlier yields last: degrees, then a simple
 * graph, then connectivity, then triangles, then locality. */
typedef struct {
    uint32_t num_nodes;
    const uint32_t *degree; /* [num_nodes]; met exactly if graphical, else cut (build_degrees.c) */
    uint64_t triangles;     /* met within 1 % where the degrees allow it */
    uint64_t small_components; /* components with an edge beside the largest */
    double small_mean_size;    /* their mean number of nodes, >= 2 */
    /* 0: links ignore where nodes lie; 1: links reach the nearest nodes only. In between, a link's
     * typical length is num_nodes^-locality of the whole: path lengths grow with it. */
    double locality;
    const uint32_t *place; /* [num_nodes]: where nodes lie along the curve; NULL: by chance */
} pdpr_i_build_targets;

/* What became of them. */
typedef struct {
    uint64_t edges, triangles;
    uint64_t degrees_cut;      /* sum of wanted minus built degrees; 0 if they were graphical */
    uint64_t small_components; /* with an edge, beside the largest; some may be unwished */
    uint64_t strays;           /* of these, how many could not be joined to the largest */
} pdpr_i_build_outcome;

/* Builds one graph. outcome may be NULL. The same for any number of threads. Cost: O(m log m) time
 * expected, about 60 bytes per edge and 40 per node. Errors: PDPR_EUSAGE (locality outside [0,1],
 * mean size below 2), PDPR_ENOMEM, PDPR_ECANCELLED. */
pdpr_status pdpr_i_build(pdpr_context *ctx, const pdpr_i_build_targets *targets,
                         pdpr_i_stream *random, pdpr_graph **out, pdpr_i_build_outcome *outcome,
                         pdpr_error *err);

#endif
