/* Graph: immutable CSR, names of nodes, readers and writers. */
#ifndef PDPR_GRAPH_GRAPH_H
#define PDPR_GRAPH_GRAPH_H

#include "base/base.h"

/* ---------------------------------------------------------------- names */

/* How node 0..N-1 are called in files. Shared by graphs on the same nodes, counted. */
typedef struct pdpr_i_names pdpr_i_names;

/* Node i is called i + first (0 or 1 in practice). */
pdpr_status pdpr_i_names_numbered(pdpr_context *ctx, uint64_t first, pdpr_i_names **out,
                                  pdpr_error *err);
/* Node i is called id[i]. Takes the array (allocated with pdpr_i_alloc) over on success. */
pdpr_status pdpr_i_names_sparse(pdpr_context *ctx, uint64_t *id, uint32_t count, pdpr_i_names **out,
                                pdpr_error *err);
/* Node i is called text[start[i]..start[i+1]). Takes both arrays over on success. */
pdpr_status pdpr_i_names_text(pdpr_context *ctx, char *text, uint64_t *start, uint32_t count,
                              pdpr_i_names **out, pdpr_error *err);
pdpr_i_names *pdpr_i_names_share(pdpr_i_names *names);
void pdpr_i_names_release(pdpr_i_names *names);
/* True if node i is simply called i. */
bool pdpr_i_names_are_plain(const pdpr_i_names *names);
/* What the names are made of, for writers. The arrays belong to the names. */
typedef enum { PDPR_I_NAMES_NUMBERED, PDPR_I_NAMES_SPARSE, PDPR_I_NAMES_TEXT } pdpr_i_names_kind;
typedef struct {
    pdpr_i_names_kind kind;
    uint64_t first;        /* NUMBERED */
    const uint64_t *id;    /* SPARSE: [N] */
    const char *text;      /* TEXT */
    const uint64_t *start; /* TEXT: [N + 1] */
} pdpr_i_names_view;
pdpr_i_names_view pdpr_i_names_look(const pdpr_i_names *names);
/* Writes the name of node u without a NUL into at most `size` bytes; returns its full length. */
size_t pdpr_i_names_write(const pdpr_i_names *names, uint32_t u, char *text, size_t size);

/* ---------------------------------------------------------------- the graph */

struct pdpr_graph {
    uint32_t num_nodes;
    bool directed;     /* false: every edge stands in the rows of both its ends */
    uint64_t num_arcs; /* entries of target */
    uint64_t *offset;  /* [num_nodes + 1] */
    uint32_t *target;  /* [num_arcs]; row u is target[offset[u] .. offset[u+1]), ascending, no
                          repeats, no u */
    pdpr_i_names *names;
};

static inline uint64_t pdpr_i_degree(const pdpr_graph *g, uint32_t u)
{
    return g->offset[u + 1] - g->offset[u];
}

/* True if v stands in row u. O(log degree). */
bool pdpr_i_graph_has_arc(const pdpr_graph *g, uint32_t u, uint32_t v);

/* A run of pairs as a reader collects them. */
typedef struct {
    const uint32_t *pairs; /* [2 * count], source then target */
    uint64_t count;
} pdpr_i_pair_block;

/* Builds a graph from blocks of pairs, all ids < num_nodes (checked by the caller). Shares `names`.
 * loops and repeats (may be NULL) count what was dropped; a repeat is a second pair for the same
 * arc (directed) or edge (undirected). Cost: O(N + m log d) time, 4 (directed) or 8 bytes per pair
 * beside the result's offsets. */
pdpr_status pdpr_i_graph_build(pdpr_context *ctx, uint32_t num_nodes,
                               const pdpr_i_pair_block *blocks, uint64_t num_blocks, bool directed,
                               pdpr_i_names *names, pdpr_graph **out, uint64_t *loops,
                               uint64_t *repeats, pdpr_error *err);

/* Whether pdpr_graph_save knows the format of that name. Errors: PDPR_EUSAGE. */
pdpr_status pdpr_i_graph_save_check(const char *path, pdpr_error *err);

/* The CSR invariants, for readers of binary files and for tests. */
bool pdpr_i_graph_is_valid(const pdpr_graph *g);

#endif
