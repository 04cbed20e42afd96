/* Triangle listing by marking out-neighbours (Chiba and Nishizeki 1985; Schank and Wagner 2005).
 *
 * Edges point from lower to higher (degree, id). For each u the walk marks u's out-neighbours with
 * the place of their arc; a mark met from an out-neighbour w of u is a triangle. Out-degrees are at
 * most sqrt(2m), which gives O(m^1.5). Chunks are short runs of first nodes, handed out one by one,
 * so a stretch with many triangles does not hold the other threads up.
 *
 * Invariant: the triangles of a chunk and their order depend on the graph only. */
#include "blueprint/triangle_walk.h"

enum { NODES_PER_CHUNK = 512 };

static const uint64_t NO_ARC = UINT64_MAX;

static bool points_to(const pdpr_graph *g, uint32_t u, uint32_t w)
{
    uint64_t a = pdpr_i_degree(g, u), b = pdpr_i_degree(g, w);
    return a < b || (a == b && u < w);
}

pdpr_status pdpr_i_forward_init(pdpr_context *ctx, const pdpr_graph *g, pdpr_i_forward *out,
                                pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    pdpr_i_forward f = {.num_nodes = g->num_nodes, .num_arcs = g->num_arcs / 2};

    if (g->directed)
        return pdpr_i_fail(err, PDPR_EUSAGE, "triangles: expected an undirected graph");
    PDPR_TRY(pdpr_i_alloc(ctx, (uint64_t)g->num_nodes + 1, sizeof *f.offset, "forward arcs",
                          &f.offset, err));
    PDPR_TRY(pdpr_i_alloc(ctx, f.num_arcs, sizeof *f.target, "forward arcs", &f.target, err));
    uint64_t at = 0;
    for (uint32_t u = 0; u < g->num_nodes; u++) {
        f.offset[u] = at;
        for (uint64_t i = g->offset[u]; i < g->offset[u + 1]; i++)
            if (points_to(g, u, g->target[i]))
                f.target[at++] = g->target[i];
    }
    f.offset[g->num_nodes] = at;
    *out = f;
    f = (pdpr_i_forward){0};
done:
    pdpr_i_forward_clear(&f);
    return s;
}

void pdpr_i_forward_clear(pdpr_i_forward *f)
{
    pdpr_free(f->offset);
    pdpr_free(f->target);
    *f = (pdpr_i_forward){0};
}

uint64_t pdpr_i_triangle_chunks(const pdpr_i_forward *f)
{
    return pdpr_i_chunks(f->num_nodes, NODES_PER_CHUNK);
}

typedef struct {
    const pdpr_i_forward *f;
    pdpr_i_triangle_visit visit;
    void *arg;
    uint64_t *mark; /* [workers][num_nodes]: arc from the current first node, or NO_ARC */
} walk;

static pdpr_status walk_chunk(void *arg, uint64_t chunk, uint32_t worker, pdpr_error *err)
{
    (void)err;
    const walk *w = arg;
    const pdpr_i_forward *f = w->f;
    uint64_t *mark = w->mark + (uint64_t)worker * f->num_nodes;
    uint64_t first = chunk * NODES_PER_CHUNK;
    uint64_t last = first + NODES_PER_CHUNK < f->num_nodes ? first + NODES_PER_CHUNK : f->num_nodes;

    for (uint64_t u = first; u < last; u++) {
        for (uint64_t i = f->offset[u]; i < f->offset[u + 1]; i++)
            mark[f->target[i]] = i;
        for (uint64_t i = f->offset[u]; i < f->offset[u + 1]; i++) {
            uint32_t second = f->target[i];
            for (uint64_t k = f->offset[second]; k < f->offset[second + 1]; k++) {
                uint32_t third = f->target[k];
                if (mark[third] != NO_ARC)
                    w->visit(w->arg, chunk,
                             &(pdpr_i_triangle){.node = {(uint32_t)u, second, third},
                                                .arc = {i, mark[third], k}});
            }
        }
        for (uint64_t i = f->offset[u]; i < f->offset[u + 1]; i++)
            mark[f->target[i]] = NO_ARC;
    }
    return PDPR_OK;
}

pdpr_status pdpr_i_triangle_walk(pdpr_context *ctx, const pdpr_i_forward *f,
                                 pdpr_i_triangle_visit visit, void *arg, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    uint64_t chunks = pdpr_i_triangle_chunks(f);
    uint64_t workers = ctx->threads < chunks ? ctx->threads : chunks;
    walk w = {.f = f, .visit = visit, .arg = arg};

    PDPR_TRY(
        pdpr_i_alloc(ctx, workers * f->num_nodes, sizeof *w.mark, "triangle marks", &w.mark, err));
    for (uint64_t i = 0; i < workers * f->num_nodes; i++)
        w.mark[i] = NO_ARC;
    PDPR_TRY(pdpr_i_parallel(ctx, chunks, walk_chunk, &w, err));
done:
    pdpr_free(w.mark);
    return s;
}
