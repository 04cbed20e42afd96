/* Metrics: degrees, triangles, components, path lengths, diameter, and comparison of graphs.
 *
 * Everything here reads an undirected simple graph; pdpr_metrics_compute and its public siblings
 * symmetrise a directed one first. Sums over nodes are integers, or are added in a fixed order, so
 * that every result is the same for any number of threads. */
#ifndef PDPR_METRICS_METRICS_H
#define PDPR_METRICS_METRICS_H

#include "graph/graph.h"
#include "dp/random_stream.h"

/* Sums that outgrow 64 bits on paper: claws, and distances over all pairs. */
__extension__ typedef unsigned __int128 pdpr_i_wide;

static inline pdpr_uint128 pdpr_i_uint128(pdpr_i_wide x)
{
    return (pdpr_uint128){.high = (uint64_t)(x >> 64), .low = (uint64_t)x};
}

/* *view is g itself if it is undirected; else a new graph, which is also *owned, to be freed. */
pdpr_status pdpr_i_undirected_view(pdpr_context *ctx, const pdpr_graph *g, const pdpr_graph **view,
                                   pdpr_graph **owned, pdpr_error *err);

/* ---------------------------------------------------------------- degrees */

typedef struct {
    pdpr_uint128 wedges, claws;
    double rede;
    uint64_t max_degree;
} pdpr_i_degree_metrics;

/* All that depends on degrees alone. histogram[d] = nodes of degree d, d < length. */
void pdpr_i_degree_metrics_compute(const uint64_t *histogram, uint64_t length,
                                   pdpr_i_degree_metrics *out);

/* ---------------------------------------------------------------- triangles */

/* Triangles of an undirected graph, each once. Cost: O(m^1.5) time; 4 bytes per arc, 16 per node
 * and a byte per node and thread. Errors: PDPR_ENOMEM, PDPR_ECANCELLED. */
pdpr_status pdpr_i_triangles(pdpr_context *ctx, const pdpr_graph *g, uint64_t *total,
                             pdpr_error *err);

/* The same, with the number of triangles through each node in per_node[num_nodes]; their sum is
 * three times the total. 8 bytes more per node and thread. */
pdpr_status pdpr_i_triangles_per_node(pdpr_context *ctx, const pdpr_graph *g, uint64_t *per_node,
                                      uint64_t *total, pdpr_error *err);

/* ---------------------------------------------------------------- components */

/* Connected components. `nodes` lists all nodes, component after component, components by their
 * smallest id and each in breadth-first order from it. Of several largest ones the first counts. */
typedef struct {
    uint64_t count;
    uint32_t *nodes; /* [N] */
    uint32_t largest_first, largest_size;
} pdpr_i_components;

pdpr_status pdpr_i_components_init(pdpr_context *ctx, const pdpr_graph *g, pdpr_i_components *out,
                                   pdpr_error *err);
void pdpr_i_components_clear(pdpr_i_components *components);

/* One connected component as a graph of its own, renumbered for path searches (locality.c). */
typedef struct {
    uint32_t num_nodes;
    uint64_t num_arcs;
    uint64_t *offset;  /* [num_nodes + 1] */
    uint32_t *target;  /* [num_arcs + PDPR_I_TARGET_PADDING], rows ascending, padding 0 */
    uint32_t *node;    /* [num_nodes]: the id in the graph */
    uint32_t *sources; /* [num_nodes]: all nodes, close ones together: the order for batches */
} pdpr_i_component;

/* Kernels look this many arcs ahead, past the end of a row and of the array. */
enum { PDPR_I_TARGET_PADDING = 64 };

pdpr_status pdpr_i_component_init(pdpr_context *ctx, const pdpr_graph *g, const uint32_t *members,
                                  uint32_t size, pdpr_i_component *out, pdpr_error *err);
void pdpr_i_component_clear(pdpr_i_component *c);

/* ---------------------------------------------------------------- paths */

/* Hop distances from one source by plain breadth-first search: distance[num_nodes]; queue
 * [num_nodes] ends as the nodes in order of distance. Returns the largest distance. The reference
 * for the bit-parallel search. */
uint32_t pdpr_i_bfs(const pdpr_i_component *c, uint32_t source, uint32_t *distance,
                    uint32_t *queue);

/* Searches from many sources at once, one workspace per worker. */
typedef struct pdpr_i_search_pool pdpr_i_search_pool;

/* At most one workspace per thread and per 512 of `most_sources`; fewer if max_memory demands it.
 * c must live as long. */
pdpr_status pdpr_i_search_pool_new(pdpr_context *ctx, const pdpr_i_component *c,
                                   uint64_t most_sources, pdpr_i_search_pool **out,
                                   pdpr_error *err);
void pdpr_i_search_pool_free(pdpr_i_search_pool *pool);

typedef struct {
    pdpr_i_wide distance_sum;  /* over all sources and all nodes */
    uint32_t largest_distance; /* the largest eccentricity of a source */
    uint64_t arcs;             /* looked at: the work done, some 10 ns each on large graphs */
} pdpr_i_search_result;

/* Distances from each of sources[count] (distinct) to all nodes. source_sum, if not NULL, gets each
 * source's sum of distances, [count]. `what` names the work in progress reports. Cost: count / 512
 * batches of O(m) line accesses per level that changes most nodes. Errors: PDPR_ECANCELLED. */
pdpr_status pdpr_i_search_pool_run(pdpr_i_search_pool *pool, const char *what,
                                   const uint32_t *sources, uint64_t count, uint64_t *source_sum,
                                   pdpr_i_search_result *out, pdpr_error *err);

typedef struct {
    uint32_t lower, upper; /* equal: the diameter is known */
    uint64_t searched;     /* sources of batched searches */
    uint64_t arcs;         /* looked at by them */
} pdpr_i_diameter;

/* Diameter by iFUB. `lower` is a distance already seen (0: none). Stops once its batched
 * searches have looked at `most_arcs`, with what is known then; UINT64_MAX: never. pool must be of
 * c. Errors: PDPR_ENOMEM, PDPR_ECANCELLED. */
pdpr_status pdpr_i_diameter_ifub(pdpr_context *ctx, const pdpr_i_component *c,
                                 pdpr_i_search_pool *pool, uint32_t lower, uint64_t most_arcs,
                                 pdpr_i_diameter *out, pdpr_error *err);

/* Draws samples <= num_nodes of the component's nodes, every set equally likely, into
 * sources[samples], close ones together. The draw depends on the seed and the ids in the graph
 * alone. Errors: PDPR_ENOMEM. */
pdpr_status pdpr_i_draw_sources(pdpr_context *ctx, const pdpr_i_component *c, uint32_t graph_nodes,
                                uint32_t samples, uint64_t seed, uint32_t *sources,
                                pdpr_error *err);

/* Fills the path fields of `out`, exactly or from samples < num_nodes sources. */
pdpr_status pdpr_i_paths_exact(pdpr_context *ctx, const pdpr_i_component *c, pdpr_metrics *out,
                               pdpr_error *err);
pdpr_status pdpr_i_paths_sample(pdpr_context *ctx, const pdpr_i_component *c, uint32_t graph_nodes,
                                uint32_t samples, uint64_t seed, pdpr_metrics *out,
                                pdpr_error *err);

/* ---------------------------------------------------------------- options and comparison */

/* The caller's options, or the defaults for NULL, after a check of their ranges. */
pdpr_status pdpr_i_metrics_options_read(const pdpr_metrics_options *options,
                                        pdpr_metrics_options *out, pdpr_error *err);

uint64_t pdpr_i_comparison_null_seed(const pdpr_comparison *c);

#endif
