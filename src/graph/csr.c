/* The graph object: construction from pairs, the undirected view, and what one may ask of it.
 *
 * Construction is a counting sort by source (count, prefix sum, scatter), then a sort and a
 * deduplication of each row. Counting and scattering run in parallel with atomic counters; which
 * thread writes first changes the order inside a row only, and the sort removes that, so the result
 * is the same for any number of threads. Cost: O(N + m log d), rows that arrive in order are not
 * sorted again. */
#include "graph/graph.h"
#include "base/sort.h"

#include <string.h>

/* ---------------------------------------------------------------- construction */

/* Pairs per chunk of the counting and scattering loops. */
enum { PAIRS_PER_CHUNK = 1 << 16, NODES_PER_CHUNK = 1 << 12 };

typedef struct {
    pdpr_graph *g;
    const pdpr_i_pair_block *block; /* the block being read */
    bool shared;                    /* several threads: counters must be atomic */
    bool count_only;                /* first pass */
    atomic_uint_fast64_t loops;
    uint64_t *kept; /* [num_nodes + 1]: row lengths after deduplication, then the new offsets */
} build;

static uint64_t decrement(uint64_t *counter, bool shared)
{
    return shared ? __atomic_sub_fetch(counter, 1, __ATOMIC_RELAXED) : --*counter;
}

static void increment(uint64_t *counter, bool shared)
{
    if (shared)
        __atomic_fetch_add(counter, 1, __ATOMIC_RELAXED);
    else
        ++*counter;
}

/* Pass 1 counts row lengths into offset[u]; pass 2 writes targets downwards from offset[u], which
 * by then is the end of row u, so that it finishes as the row's start. */
static pdpr_status place_pairs(void *arg, uint64_t chunk, uint32_t worker, pdpr_error *err)
{
    (void)worker, (void)err;
    build *b = arg;
    pdpr_graph *g = b->g;
    uint64_t first = chunk * PAIRS_PER_CHUNK, loops = 0;
    uint64_t last =
        first + PAIRS_PER_CHUNK < b->block->count ? first + PAIRS_PER_CHUNK : b->block->count;

    for (uint64_t i = first; i < last; i++) {
        uint32_t u = b->block->pairs[2 * i], v = b->block->pairs[2 * i + 1];
        if (u == v) {
            loops++;
        } else if (b->count_only) {
            increment(&g->offset[u], b->shared);
            if (!g->directed)
                increment(&g->offset[v], b->shared);
        } else {
            g->target[decrement(&g->offset[u], b->shared)] = v;
            if (!g->directed)
                g->target[decrement(&g->offset[v], b->shared)] = u;
        }
    }
    if (b->count_only)
        atomic_fetch_add(&b->loops, loops);
    return PDPR_OK;
}

static pdpr_status sort_rows(void *arg, uint64_t chunk, uint32_t worker, pdpr_error *err)
{
    (void)worker, (void)err;
    build *b = arg;
    const pdpr_graph *g = b->g;
    uint64_t first = chunk * NODES_PER_CHUNK;
    uint64_t last = first + NODES_PER_CHUNK < g->num_nodes ? first + NODES_PER_CHUNK : g->num_nodes;

    for (uint64_t u = first; u < last; u++) {
        uint32_t *row = g->target + g->offset[u];
        uint64_t length = g->offset[u + 1] - g->offset[u], kept = length > 0;
        pdpr_i_sort_u32(row, length);
        for (uint64_t i = 1; i < length; i++)
            if (row[i] != row[i - 1])
                row[kept++] = row[i];
        b->kept[u] = kept;
    }
    return PDPR_OK;
}

/* Closes the gaps that repeats left; b->kept becomes the offsets. */
static uint64_t close_gaps(build *b)
{
    pdpr_graph *g = b->g;
    uint64_t at = 0;
    for (uint64_t u = 0; u < g->num_nodes; u++) {
        uint64_t length = b->kept[u];
        if (at != g->offset[u])
            memmove(g->target + at, g->target + g->offset[u], length * sizeof *g->target);
        b->kept[u] = at;
        at += length;
    }
    b->kept[g->num_nodes] = at;
    return at;
}

static pdpr_status new_graph(pdpr_context *ctx, uint32_t num_nodes, bool directed,
                             pdpr_i_names *names, pdpr_graph **out, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    pdpr_graph *g = NULL;

    PDPR_TRY(pdpr_i_zalloc(ctx, 1, sizeof *g, "graph", &g, err));
    g->num_nodes = num_nodes;
    g->directed = directed;
    PDPR_TRY(pdpr_i_zalloc(ctx, (uint64_t)num_nodes + 1, sizeof *g->offset, "graph offsets",
                           &g->offset, err));
    if (names)
        g->names = pdpr_i_names_share(names);
    else
        PDPR_TRY(pdpr_i_names_numbered(ctx, 0, &g->names, err));
    *out = g;
    g = NULL;
done:
    pdpr_graph_free(g);
    return s;
}

pdpr_status pdpr_i_graph_build(pdpr_context *ctx, uint32_t num_nodes,
                               const pdpr_i_pair_block *blocks, uint64_t num_blocks, bool directed,
                               pdpr_i_names *names, pdpr_graph **out, uint64_t *loops,
                               uint64_t *repeats, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    pdpr_graph *g = NULL;
    build b = {.shared = ctx->threads > 1};

    PDPR_TRY(new_graph(ctx, num_nodes, directed, names, &g, err));
    b.g = g;
    for (int pass = 0; pass < 2; pass++) {
        b.count_only = pass == 0;
        for (uint64_t i = 0; i < num_blocks; i++) {
            b.block = &blocks[i];
            PDPR_TRY(pdpr_i_parallel(ctx, pdpr_i_chunks(blocks[i].count, PAIRS_PER_CHUNK),
                                     place_pairs, &b, err));
        }
        if (pass == 0) { /* row lengths to row ends */
            uint64_t end = 0;
            for (uint64_t u = 0; u < num_nodes; u++) {
                end += g->offset[u];
                g->offset[u] = end;
            }
            g->offset[num_nodes] = end;
            PDPR_TRY(pdpr_i_alloc(ctx, end, sizeof *g->target, "graph arcs", &g->target, err));
        }
    }

    PDPR_TRY(
        pdpr_i_alloc(ctx, (uint64_t)num_nodes + 1, sizeof *b.kept, "graph offsets", &b.kept, err));
    PDPR_TRY(pdpr_i_parallel(ctx, pdpr_i_chunks(num_nodes, NODES_PER_CHUNK), sort_rows, &b, err));
    uint64_t placed = g->offset[num_nodes];
    g->num_arcs = close_gaps(&b);
    pdpr_free(g->offset);
    g->offset = b.kept;
    b.kept = NULL;
    if (placed - g->num_arcs >
        placed / 8) /* give back what repeats took; below that the copy is not worth it */
        PDPR_TRY(pdpr_i_resize(ctx, g->num_arcs, sizeof *g->target, "graph arcs", &g->target, err));

    if (loops)
        *loops = atomic_load(&b.loops);
    if (repeats)
        *repeats = (placed - g->num_arcs) / (directed ? 1 : 2);
    *out = g;
    g = NULL;
done:
    pdpr_free(b.kept);
    pdpr_graph_free(g);
    return s;
}

pdpr_status pdpr_graph_from_pairs(pdpr_context *ctx, uint32_t num_nodes, const uint32_t *pairs,
                                  uint64_t count, bool directed, pdpr_graph **out, pdpr_error *err)
{
    for (uint64_t i = 0; i < 2 * count; i++)
        if (pairs[i] >= num_nodes)
            return pdpr_i_fail(err, PDPR_EUSAGE,
                               "pair %" PRIu64 ": expected node ids below %" PRIu32
                               ", found %" PRIu32,
                               i / 2, num_nodes, pairs[i]);
    pdpr_i_pair_block block = {pairs, count};
    return pdpr_i_graph_build(ctx, num_nodes, &block, 1, directed, NULL, out, NULL, NULL, err);
}

/* ---------------------------------------------------------------- the undirected view */

/* Lays each row's arcs out as pairs, in blocks of bounded size, and builds from them. */
pdpr_status pdpr_graph_undirected(pdpr_context *ctx, const pdpr_graph *g, pdpr_graph **out,
                                  pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    uint32_t *pairs = NULL;
    pdpr_i_pair_block block;

    PDPR_TRY(pdpr_i_alloc(ctx, g->num_arcs, 2 * sizeof *pairs, "arcs of the undirected view",
                          &pairs, err));
    uint64_t count = 0;
    for (uint32_t u = 0; u < g->num_nodes; u++)
        for (uint64_t i = g->offset[u]; i < g->offset[u + 1]; i++) {
            if (!g->directed && g->target[i] < u)
                continue; /* the edge's other half */
            pairs[2 * count] = u;
            pairs[2 * count + 1] = g->target[i];
            count++;
        }
    block = (pdpr_i_pair_block){pairs, count};
    PDPR_TRY(
        pdpr_i_graph_build(ctx, g->num_nodes, &block, 1, false, g->names, out, NULL, NULL, err));
done:
    pdpr_free(pairs);
    return s;
}

/* ---------------------------------------------------------------- questions */

void pdpr_graph_free(pdpr_graph *g)
{
    if (!g)
        return;
    pdpr_free(g->offset);
    pdpr_free(g->target);
    pdpr_i_names_release(g->names);
    pdpr_free(g);
}

uint32_t pdpr_graph_num_nodes(const pdpr_graph *g)
{
    return g->num_nodes;
}

uint64_t pdpr_graph_num_edges(const pdpr_graph *g)
{
    return g->directed ? g->num_arcs : g->num_arcs / 2;
}

bool pdpr_graph_is_directed(const pdpr_graph *g)
{
    return g->directed;
}

const uint32_t *pdpr_graph_neighbours(const pdpr_graph *g, uint32_t u, uint64_t *degree)
{
    *degree = pdpr_i_degree(g, u);
    return g->target + g->offset[u];
}

size_t pdpr_graph_name(const pdpr_graph *g, uint32_t u, char *text, size_t size)
{
    if (size == 0)
        return pdpr_i_names_write(g->names, u, text, 0);
    size_t length = pdpr_i_names_write(g->names, u, text, size - 1);
    text[length < size - 1 ? length : size - 1] = '\0';
    return length;
}

bool pdpr_i_graph_has_arc(const pdpr_graph *g, uint32_t u, uint32_t v)
{
    uint64_t low = g->offset[u], high = g->offset[u + 1];
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (g->target[middle] < v)
            low = middle + 1;
        else
            high = middle;
    }
    return low < g->offset[u + 1] && g->target[low] == v;
}

bool pdpr_i_graph_is_valid(const pdpr_graph *g)
{
    if (g->offset[0] != 0 || g->offset[g->num_nodes] != g->num_arcs)
        return false;
    for (uint32_t u = 0; u < g->num_nodes; u++)
        if (g->offset[u] > g->offset[u + 1] || g->offset[u + 1] > g->num_arcs)
            return false;
    for (uint32_t u = 0; u < g->num_nodes; u++)
        for (uint64_t i = g->offset[u]; i < g->offset[u + 1]; i++) {
            uint32_t v = g->target[i];
            if (v >= g->num_nodes || v == u || (i > g->offset[u] && g->target[i - 1] >= v))
                return false;
        }
    if (!g->directed)
        for (uint32_t u = 0; u < g->num_nodes; u++)
            for (uint64_t i = g->offset[u]; i < g->offset[u + 1]; i++)
                if (!pdpr_i_graph_has_arc(g, g->target[i], u))
                    return false;
    return true;
}
