/* Triangle counting by degree-ordered marks.
 *
 * Nodes are renumbered by descending degree and each edge is kept at its end of lower degree (the
 * larger number) only; row v then holds the neighbours of v that come before it, at most sqrt(2m)
 * of them. A triangle w < u < v is found once, from v: mark row v, then for each u in it count the
 * marked entries of row u. The method is Chiba and Nishizeki's (1985) in the form of Schank and
 * Wagner (2005); against merging of sorted rows and against bitmaps, byte marks were fastest
 * (bench/bench_triangles.c): rows need no sorting, and because rows point to high degrees nearly
 * all marks that are read lie in a few hot cache lines. What is left is the latency of fetching row
 * u, so row heads and rows are prefetched some entries ahead; rows of consecutive nodes stand
 * behind one another, so looking ahead needs no test for the end of a row.
 *
 * Cost: O(m^1.5) time, O(N + m) to prepare; one byte per node and worker.
 * Invariant: every entry of row v is < v; entries behind a row are valid numbers. */
#include "metrics/metrics.h"

enum {
    NODES_PER_CHUNK = 1 << 12,
    ROWS_PER_CHECK = 64, /* between looks at the wish to cancel */
    HEADS_AHEAD = 20,    /* entries between the prefetch of a row's head and its use */
    ROWS_AHEAD = 10,     /* and of the row itself */
};

typedef struct {
    uint64_t start;
    uint32_t length;
} row_head;

typedef struct {
    pdpr_context *ctx;
    const pdpr_graph *g;
    uint32_t *order;       /* [N]: node with number v */
    uint32_t *number;      /* [N]: its inverse */
    row_head *row;         /* [N] */
    uint64_t *chunk_start; /* [chunks + 1]: where a chunk of rows may begin in target */
    uint32_t *target;      /* rows of a chunk stand together */
    uint8_t *marks;        /* [workers][N] */
    uint64_t *chunk_total; /* [chunks] */
    uint64_t *node_counts; /* [workers][N] by number, or NULL */
    atomic_uint_fast64_t chunks_done;
} orientation;

static uint64_t last_of(uint64_t chunk, uint32_t num_nodes)
{
    uint64_t last = (chunk + 1) * NODES_PER_CHUNK;
    return last < num_nodes ? last : num_nodes;
}

/* Numbers nodes by descending degree, ties by id: a counting sort. */
static pdpr_status number_nodes(pdpr_context *ctx, orientation *o, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    uint64_t *first = NULL, largest = 0; /* first[largest - d]: next free number for degree d */
    const pdpr_graph *g = o->g;

    for (uint32_t u = 0; u < g->num_nodes; u++)
        if (pdpr_i_degree(g, u) > largest)
            largest = pdpr_i_degree(g, u);
    PDPR_TRY(pdpr_i_zalloc(ctx, largest + 2, sizeof *first, "degree classes", &first, err));
    for (uint32_t u = 0; u < g->num_nodes; u++)
        first[largest - pdpr_i_degree(g, u) + 1]++;
    for (uint64_t d = 1; d <= largest; d++)
        first[d] += first[d - 1];
    for (uint32_t u = 0; u < g->num_nodes; u++) {
        uint32_t number = (uint32_t)first[largest - pdpr_i_degree(g, u)]++;
        o->number[u] = number;
        o->order[number] = u;
    }
done:
    pdpr_free(first);
    return s;
}

/* Room for each chunk's rows: row v has at most min(degree, v) entries. Known without looking at
 * the arcs, which would cost a second pass over them. */
static uint64_t reserve_chunks(orientation *o, uint64_t chunks)
{
    uint64_t room = 0;
    for (uint64_t chunk = 0; chunk < chunks; chunk++) {
        o->chunk_start[chunk] = room;
        for (uint64_t v = chunk * NODES_PER_CHUNK; v < last_of(chunk, o->g->num_nodes); v++) {
            uint64_t degree = pdpr_i_degree(o->g, o->order[v]);
            room += degree < v ? degree : v;
        }
        room += HEADS_AHEAD + 1; /* zeros for those who look ahead, and a place to write in vain */
    }
    o->chunk_start[chunks] = room;
    return room;
}

static pdpr_status fill_rows(void *arg, uint64_t chunk, uint32_t worker, pdpr_error *err)
{
    (void)worker, (void)err;
    orientation *o = arg;
    const pdpr_graph *g = o->g;
    uint64_t at = o->chunk_start[chunk], last = last_of(chunk, g->num_nodes);
    enum { OFFSETS_AHEAD = 16, ARCS_AHEAD = 8 };

    for (uint64_t v = chunk * NODES_PER_CHUNK; v < last; v++) {
        uint32_t u = o->order[v];
        if (v + OFFSETS_AHEAD < last) {
            __builtin_prefetch(&g->offset[o->order[v + OFFSETS_AHEAD]]);
            __builtin_prefetch(&g->target[g->offset[o->order[v + ARCS_AHEAD]]]);
        }
        o->row[v].start = at;
        for (uint64_t i = g->offset[u]; i < g->offset[u + 1]; i++) {
            uint32_t number = o->number[g->target[i]];
            o->target[at] = number; /* always written, kept if it comes before v: no branch */
            at += number < v;
        }
        o->row[v].length = (uint32_t)(at - o->row[v].start);
    }
    for (int i = 0; i < HEADS_AHEAD; i++)
        o->target[at + (uint64_t)i] = 0;
    return PDPR_OK;
}

static uint64_t count_row(const orientation *o, uint64_t v, const uint8_t *mark)
{
    const uint32_t *mine = o->target + o->row[v].start;
    uint64_t total = 0;
    for (uint32_t i = 0; i < o->row[v].length; i++) {
        __builtin_prefetch(&o->row[mine[i + HEADS_AHEAD]]);
        __builtin_prefetch(&o->target[o->row[mine[i + ROWS_AHEAD]].start]);
        const uint32_t *theirs = o->target + o->row[mine[i]].start;
        uint32_t length = o->row[mine[i]].length, found = 0;
        for (uint32_t j = 0; j < length; j++)
            found += mark[theirs[j]];
        total += found;
    }
    return total;
}

/* As count_row, and credits each triangle to its three nodes. */
static uint64_t credit_row(const orientation *o, uint64_t v, const uint8_t *mark, uint64_t *count)
{
    const uint32_t *mine = o->target + o->row[v].start;
    uint64_t total = 0;
    for (uint32_t i = 0; i < o->row[v].length; i++) {
        const uint32_t *theirs = o->target + o->row[mine[i]].start;
        uint32_t length = o->row[mine[i]].length;
        uint64_t found = 0;
        for (uint32_t j = 0; j < length; j++) {
            found += mark[theirs[j]];
            count[theirs[j]] += mark[theirs[j]];
        }
        count[mine[i]] += found;
        total += found;
    }
    count[v] += total;
    return total;
}

static pdpr_status count_chunk(void *arg, uint64_t chunk, uint32_t worker, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    orientation *o = arg;
    uint64_t total = 0, nodes = o->g->num_nodes;
    uint8_t *mark = o->marks + worker * nodes;

    for (uint64_t v = chunk * NODES_PER_CHUNK; v < last_of(chunk, o->g->num_nodes); v++) {
        const uint32_t *mine = o->target + o->row[v].start;
        uint32_t length = o->row[v].length;
        if (length < 2)
            continue;
        if (v % ROWS_PER_CHECK == 0)
            PDPR_TRY(pdpr_i_check_cancelled(o->ctx, err));
        for (uint32_t i = 0; i < length; i++)
            mark[mine[i]] = 1;
        total += o->node_counts ? credit_row(o, v, mark, o->node_counts + worker * nodes)
                                : count_row(o, v, mark);
        for (uint32_t i = 0; i < length; i++)
            mark[mine[i]] = 0;
    }
    o->chunk_total[chunk] = total;
    pdpr_i_progress(o->ctx, "triangles", atomic_fetch_add(&o->chunks_done, 1) + 1,
                    pdpr_i_chunks(nodes, NODES_PER_CHUNK));
done:
    return s;
}

static pdpr_status count_triangles(pdpr_context *ctx, const pdpr_graph *g, uint64_t *per_node,
                                   uint64_t *total, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    orientation o = {.ctx = ctx, .g = g};
    uint64_t n = g->num_nodes, chunks = pdpr_i_chunks(n, NODES_PER_CHUNK), sum = 0;
    uint64_t workers = chunks < ctx->threads ? chunks : ctx->threads;

    PDPR_TRY(pdpr_i_alloc(ctx, n, sizeof *o.order, "triangle node order", &o.order, err));
    PDPR_TRY(pdpr_i_alloc(ctx, n, sizeof *o.number, "triangle node order", &o.number, err));
    PDPR_TRY(pdpr_i_alloc(ctx, n, sizeof *o.row, "triangle rows", &o.row, err));
    PDPR_TRY(
        pdpr_i_alloc(ctx, chunks + 1, sizeof *o.chunk_start, "triangle rows", &o.chunk_start, err));
    PDPR_TRY(number_nodes(ctx, &o, err));
    uint64_t room = reserve_chunks(&o, chunks);
    PDPR_TRY(pdpr_i_alloc(ctx, room, sizeof *o.target, "triangle rows", &o.target, err));
    PDPR_TRY(pdpr_i_parallel(ctx, chunks, fill_rows, &o, err));

    PDPR_TRY(pdpr_i_zalloc(ctx, workers * n, sizeof *o.marks, "triangle marks", &o.marks, err));
    PDPR_TRY(
        pdpr_i_zalloc(ctx, chunks, sizeof *o.chunk_total, "triangle sums", &o.chunk_total, err));
    if (per_node)
        PDPR_TRY(pdpr_i_zalloc(ctx, workers * n, sizeof *o.node_counts, "triangles per node",
                               &o.node_counts, err));
    PDPR_TRY(pdpr_i_parallel(ctx, chunks, count_chunk, &o, err));

    for (uint64_t chunk = 0; chunk < chunks; chunk++)
        sum += o.chunk_total[chunk];
    for (uint64_t u = 0; per_node && u < n; u++) {
        per_node[u] = 0;
        for (uint64_t w = 0; w < workers; w++)
            per_node[u] += o.node_counts[w * n + o.number[u]];
    }
    *total = sum;
done:
    pdpr_free(o.order);
    pdpr_free(o.number);
    pdpr_free(o.row);
    pdpr_free(o.chunk_start);
    pdpr_free(o.target);
    pdpr_free(o.marks);
    pdpr_free(o.chunk_total);
    pdpr_free(o.node_counts);
    return s;
}

pdpr_status pdpr_i_triangles(pdpr_context *ctx, const pdpr_graph *g, uint64_t *total,
                             pdpr_error *err)
{
    return count_triangles(ctx, g, NULL, total, err);
}

pdpr_status pdpr_i_triangles_per_node(pdpr_context *ctx, const pdpr_graph *g, uint64_t *per_node,
                                      uint64_t *total, pdpr_error *err)
{
    return count_triangles(ctx, g, per_node, total, err);
}
