/* Breadth-first search from up to 512 sources at once: the state of a search and its kernels.
 * What the arrays mean, and why the search is right, is told in msbfs.c. */
#ifndef PDPR_METRICS_MSBFS_H
#define PDPR_METRICS_MSBFS_H

#include "metrics/metrics.h"

enum { PDPR_I_LANES = 512, PDPR_I_LANE_WORDS = PDPR_I_LANES / 64 };

/* One bit per source; one cache line. */
typedef struct {
    _Alignas(64) uint64_t word[PDPR_I_LANE_WORDS];
} pdpr_i_lanes;

/* Bits of pdpr_i_search.state. */
enum { PDPR_I_NODE_TOUCHED = 1, PDPR_I_NODE_FULL = 2 };

typedef struct {
    const pdpr_i_component *c;
    const atomic_int *cancelled;
    pdpr_i_lanes *seen, *next; /* [n] */
    uint32_t *changed;         /* [n]: nodes that the last level changed */
    uint32_t *touched;         /* [n]: changed nodes of the level in progress */
    uint32_t *active;          /* [n]: ascending; all nodes that are not full, and some that are */
    uint8_t *state;            /* [n] */
    uint64_t num_changed, num_active;
    uint64_t changed_arcs; /* arcs of changed nodes: the cost of a push */
    uint64_t open_arcs;    /* arcs of nodes that are not full: the most a pull costs */
    uint64_t fresh;        /* bits that the last level added */
    uint64_t arcs;         /* arcs looked at since the start */
    uint64_t *by_distance; /* NULL, or [n]: entry d grows by the pairs found at distance d */
} pdpr_i_search;

/* One level. Both leave the new state in `next`, the changed nodes in `touched` and their number in
 * num_changed, and update num_active, changed_arcs, open_arcs and fresh; the caller swaps the
 * arrays. False if cancelled, which leaves the search unusable. */
typedef struct {
    const char *name;
    bool (*push)(pdpr_i_search *s); /* from changed nodes to their neighbours */
    bool (*pull)(pdpr_i_search *s); /* from neighbours to nodes that are not full */
} pdpr_i_search_kernel;

extern const pdpr_i_search_kernel pdpr_i_search_portable;
#if defined(__x86_64__)
extern const pdpr_i_search_kernel pdpr_i_search_avx2, pdpr_i_search_avx512;
#endif

/* The widest kernel that `cpu` allows. */
const pdpr_i_search_kernel *pdpr_i_search_kernel_for(pdpr_cpu cpu);

/* Bytes of a workspace for n nodes. */
uint64_t pdpr_i_search_bytes(uint32_t num_nodes);
pdpr_status pdpr_i_search_init(pdpr_context *ctx, const pdpr_i_component *c, pdpr_i_search *out,
                               pdpr_error *err);
void pdpr_i_search_clear(pdpr_i_search *search);

/* Searches from `count` <= 512 distinct sources. source_sum: NULL or [count]. False if cancelled.
 */
bool pdpr_i_search_run(pdpr_i_search *search, const pdpr_i_search_kernel *kernel,
                       const uint32_t *sources, uint32_t count, uint64_t *source_sum,
                       pdpr_i_search_result *out);

#endif
