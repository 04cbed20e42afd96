/* The capped triangle count: a linear program, made small by exact reductions and solved with a
 * certificate.
 *
 * Only nodes in more than `cap` triangles can bind. Triangles are merged by the set of such nodes
 * they contain: none (always counted), one (`single`), two (kept per edge) or three (kept one by
 * one). Then, until nothing changes:
 *   - a node's singles are taken first, up to its cap: nobody else is hurt by them;
 *   - a node with no cap left loses its remaining items;
 *   - a node whose remaining items all fit never binds: it leaves its items, and a pair that loses
 *     one node becomes a single of the other.
 * Each step keeps the optimum (docs/proofs/triangle_cap.md, Theorem 2). What remains goes to
 * packing.c. On graphs whose triangles sit on a few hubs nothing remains.
 *
 * Cost: three walks over the triangles, O(m^1.5), and O(items) for the reductions. */
#include "blueprint/measure_triangle_cap.h"

/* ---------------------------------------------------------------- counts per node */

typedef struct {
    uint64_t *count;
    bool shared; /* several threads */
} counting;

static void add(uint64_t *counter, bool shared)
{
    if (shared)
        __atomic_fetch_add(counter, 1, __ATOMIC_RELAXED);
    else
        ++*counter;
}

static void count_triangle(void *arg, uint64_t chunk, const pdpr_i_triangle *t)
{
    (void)chunk;
    const counting *c = arg;
    for (unsigned k = 0; k < 3; k++)
        add(&c->count[t->node[k]], c->shared);
}

pdpr_status pdpr_i_triangle_counts_init(pdpr_context *ctx, const pdpr_graph *g,
                                        pdpr_i_triangle_counts *out, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    pdpr_i_triangle_counts t = {0};

    PDPR_TRY(pdpr_i_forward_init(ctx, g, &t.forward, err));
    PDPR_TRY(pdpr_i_zalloc(ctx, g->num_nodes, sizeof *t.count, "triangle counts", &t.count, err));
    counting c = {.count = t.count, .shared = ctx->threads > 1};
    PDPR_TRY(pdpr_i_triangle_walk(ctx, &t.forward, count_triangle, &c, err));
    for (uint32_t u = 0; u < g->num_nodes; u++)
        t.triangles += t.count[u];
    t.triangles /= 3;
    *out = t;
    t = (pdpr_i_triangle_counts){0};
done:
    pdpr_i_triangle_counts_clear(&t);
    return s;
}

void pdpr_i_triangle_counts_clear(pdpr_i_triangle_counts *t)
{
    pdpr_i_forward_clear(&t->forward);
    pdpr_free(t->count);
    *t = (pdpr_i_triangle_counts){0};
}

/* ---------------------------------------------------------------- merging triangles */

typedef struct {
    const uint64_t *count;
    uint32_t cap;
    bool shared;
    uint64_t *single;       /* [N]: triangles whose only node above the cap this is */
    uint64_t *pair;         /* [arcs]: triangles whose two nodes above the cap are the arc's */
    uint64_t *triple_place; /* [chunks + 1]: where a chunk's triples go */
    uint32_t (*triple)[3];  /* NULL in the pass that only counts them */
} merging;

static void merge_triangle(void *arg, uint64_t chunk, const pdpr_i_triangle *t)
{
    merging *m = arg;
    bool over[3];
    for (unsigned k = 0; k < 3; k++)
        over[k] = m->count[t->node[k]] > m->cap;
    if (over[0] && over[1] && over[2]) {
        uint64_t at = m->triple_place[chunk]++;
        for (unsigned k = 0; m->triple && k < 3; k++)
            m->triple[at][k] = t->node[k];
    } else if (m->triple) {
        return; /* counted in the first pass */
    } else if (over[0] && over[1]) {
        add(&m->pair[t->arc[0]], m->shared);
    } else if (over[0] && over[2]) {
        add(&m->pair[t->arc[1]], m->shared);
    } else if (over[1] && over[2]) {
        add(&m->pair[t->arc[2]], m->shared);
    } else {
        for (unsigned k = 0; k < 3; k++)
            if (over[k])
                add(&m->single[t->node[k]], m->shared);
    }
}

/* ---------------------------------------------------------------- reductions */

/* The problem while it shrinks. Rows are nodes above the cap, in order of their ids. */
typedef struct {
    pdpr_i_packing p; /* cap: what is left of it; an item's rows may become fewer */
    uint64_t *free;   /* [rows]: sum of upper over the row's live items */
    bool *dead;       /* [items]: taken or lost */
    bool *settled;    /* [rows]: full or loose */
    uint32_t *queue;  /* [rows]: rows to look at again */
    bool *queued;     /* [rows] */
    uint32_t queue_length;
    uint64_t fixed;
} shrinking;

static void look_again(shrinking *x, uint32_t v)
{
    if (!x->queued[v] && !x->settled[v]) {
        x->queued[v] = true;
        x->queue[x->queue_length++] = v;
    }
}

/* Takes up to `amount` for row v alone. */
static void take_single(shrinking *x, uint32_t v, uint64_t amount)
{
    uint32_t taken = amount < x->p.cap[v] ? (uint32_t)amount : x->p.cap[v];
    x->fixed += taken;
    x->p.cap[v] -= taken;
}

static void remove_item(shrinking *x, uint32_t j)
{
    x->dead[j] = true;
    for (unsigned k = 0; k < 3 && x->p.row[j][k] != PDPR_I_NO_ROW; k++) {
        x->free[x->p.row[j][k]] -= x->p.upper[j];
        look_again(x, x->p.row[j][k]);
    }
}

/* Takes row v out of item j; a pair becomes a single of its other row. */
static void leave_item(shrinking *x, uint32_t j, uint32_t v)
{
    uint32_t *row = x->p.row[j];
    unsigned rows = row[2] == PDPR_I_NO_ROW ? 2 : 3, at = row[0] == v ? 0 : row[1] == v ? 1 : 2;
    x->free[v] -= x->p.upper[j];
    row[at] = row[rows - 1];
    row[rows - 1] = PDPR_I_NO_ROW;
    if (rows == 2) {
        uint32_t other = row[0];
        x->dead[j] = true;
        x->free[other] -= x->p.upper[j];
        take_single(x, other, x->p.upper[j]);
        look_again(x, other);
    }
}

static void shrink(shrinking *x)
{
    const pdpr_i_packing *p = &x->p;
    while (x->queue_length > 0) {
        uint32_t v = x->queue[--x->queue_length];
        x->queued[v] = false;
        bool full = p->cap[v] == 0, loose = x->free[v] <= p->cap[v];
        if (!full && !loose)
            continue;
        x->settled[v] = true;
        for (uint64_t i = p->start[v]; i < p->start[v + 1]; i++) {
            if (x->dead[p->item[i]])
                continue;
            if (full)
                remove_item(x, p->item[i]);
            else
                leave_item(x, p->item[i], v);
        }
    }
}

/* The live rows and items of x as a problem of their own. */
static pdpr_status pack_core(pdpr_context *ctx, const shrinking *x, uint32_t *new_row,
                             pdpr_i_packing *core, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    pdpr_i_packing p = {0};

    for (uint32_t v = 0; v < x->p.num_rows; v++)
        new_row[v] = x->settled[v] ? PDPR_I_NO_ROW : p.num_rows++;
    for (uint32_t j = 0; j < x->p.num_items; j++)
        p.num_items += !x->dead[j];
    PDPR_TRY(pdpr_i_alloc(ctx, p.num_rows, sizeof *p.cap, "packing rows", &p.cap, err));
    PDPR_TRY(pdpr_i_alloc(ctx, p.num_items, sizeof *p.row, "packing items", &p.row, err));
    PDPR_TRY(pdpr_i_alloc(ctx, p.num_items, sizeof *p.upper, "packing items", &p.upper, err));
    for (uint32_t v = 0; v < x->p.num_rows; v++)
        if (!x->settled[v])
            p.cap[new_row[v]] = x->p.cap[v];
    for (uint32_t j = 0, at = 0; j < x->p.num_items; j++) {
        if (x->dead[j])
            continue;
        uint32_t upper = x->p.upper[j];
        for (unsigned k = 0; k < 3; k++) {
            uint32_t v = x->p.row[j][k];
            p.row[at][k] = v == PDPR_I_NO_ROW ? v : new_row[v];
            if (v != PDPR_I_NO_ROW && x->p.cap[v] < upper)
                upper = x->p.cap[v];
        }
        p.upper[at++] = upper;
    }
    PDPR_TRY(pdpr_i_packing_index(ctx, &p, err));
    *core = p;
    p = (pdpr_i_packing){0};
done:
    pdpr_i_packing_clear(&p);
    return s;
}

/* Lays merged triangles out as items over rows 0, 1, … for the nodes above the cap. */
static pdpr_status lay_out(pdpr_context *ctx, const pdpr_i_forward *f, const merging *m,
                           uint64_t num_triples, uint32_t *row_of, shrinking *x, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    pdpr_i_packing *p = &x->p;
    uint64_t items = num_triples;

    for (uint32_t u = 0; u < f->num_nodes; u++)
        row_of[u] = m->count[u] > m->cap ? p->num_rows++ : PDPR_I_NO_ROW;
    for (uint64_t i = 0; i < f->num_arcs; i++)
        items += m->pair[i] > 0;
    if (items >= UINT32_MAX) {
        s = pdpr_i_fail(err, PDPR_EFAILED, "capped triangles: too many to be certified");
        goto done;
    }
    p->num_items = (uint32_t)items;
    PDPR_TRY(pdpr_i_alloc(ctx, p->num_rows, sizeof *p->cap, "packing rows", &p->cap, err));
    PDPR_TRY(pdpr_i_alloc(ctx, items, sizeof *p->row, "packing items", &p->row, err));
    PDPR_TRY(pdpr_i_alloc(ctx, items, sizeof *p->upper, "packing items", &p->upper, err));
    uint32_t j = 0;
    for (uint32_t u = 0; u < f->num_nodes; u++)
        for (uint64_t i = f->offset[u]; i < f->offset[u + 1]; i++)
            if (m->pair[i] > 0) {
                p->row[j][0] = row_of[u];
                p->row[j][1] = row_of[f->target[i]];
                p->row[j][2] = PDPR_I_NO_ROW;
                p->upper[j++] = m->pair[i] < m->cap ? (uint32_t)m->pair[i] : m->cap;
            }
    for (uint64_t i = 0; i < num_triples; i++, j++) {
        for (unsigned k = 0; k < 3; k++)
            p->row[j][k] = row_of[m->triple[i][k]];
        p->upper[j] = 1;
    }
    for (uint32_t v = 0; v < p->num_rows; v++)
        p->cap[v] = m->cap;
    PDPR_TRY(pdpr_i_packing_index(ctx, p, err));

    PDPR_TRY(pdpr_i_zalloc(ctx, p->num_rows, sizeof *x->free, "packing rows", &x->free, err));
    PDPR_TRY(pdpr_i_zalloc(ctx, items, sizeof *x->dead, "packing items", &x->dead, err));
    PDPR_TRY(pdpr_i_zalloc(ctx, p->num_rows, sizeof *x->settled, "packing rows", &x->settled, err));
    PDPR_TRY(pdpr_i_alloc(ctx, p->num_rows, sizeof *x->queue, "packing rows", &x->queue, err));
    PDPR_TRY(pdpr_i_zalloc(ctx, p->num_rows, sizeof *x->queued, "packing rows", &x->queued, err));
    for (j = 0; j < p->num_items; j++)
        for (unsigned k = 0; k < 3 && p->row[j][k] != PDPR_I_NO_ROW; k++)
            x->free[p->row[j][k]] += p->upper[j];
    for (uint32_t u = 0; u < f->num_nodes; u++)
        if (row_of[u] != PDPR_I_NO_ROW) {
            take_single(x, row_of[u], m->single[u]);
            look_again(x, row_of[u]);
        }
done:
    return s;
}

pdpr_status pdpr_i_triangle_reduce(pdpr_context *ctx, const pdpr_i_triangle_counts *t, uint32_t cap,
                                   uint64_t *fixed, pdpr_i_packing *core, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    const pdpr_i_forward *f = &t->forward;
    uint64_t chunks = pdpr_i_triangle_chunks(f), merged = 0;
    merging m = {.count = t->count, .cap = cap, .shared = ctx->threads > 1};
    shrinking x = {0};
    uint32_t *row_of = NULL;

    PDPR_TRY(
        pdpr_i_zalloc(ctx, f->num_nodes, sizeof *m.single, "capped triangles", &m.single, err));
    PDPR_TRY(pdpr_i_zalloc(ctx, f->num_arcs, sizeof *m.pair, "capped triangles", &m.pair, err));
    PDPR_TRY(pdpr_i_zalloc(ctx, chunks + 1, sizeof *m.triple_place, "capped triangles",
                           &m.triple_place, err));
    PDPR_TRY(pdpr_i_alloc(ctx, f->num_nodes, sizeof *row_of, "capped triangles", &row_of, err));
    PDPR_TRY(pdpr_i_triangle_walk(ctx, f, merge_triangle, &m, err));
    uint64_t triples = 0;
    for (uint64_t c = 0; c < chunks; c++) { /* numbers to places */
        uint64_t here = m.triple_place[c];
        m.triple_place[c] = triples;
        triples += here;
    }
    PDPR_TRY(pdpr_i_alloc(ctx, triples, sizeof *m.triple, "capped triangles", &m.triple, err));
    if (triples > 0)
        PDPR_TRY(pdpr_i_triangle_walk(ctx, f, merge_triangle, &m, err));

    PDPR_TRY(lay_out(ctx, f, &m, triples, row_of, &x, err));
    for (uint32_t u = 0; u < f->num_nodes; u++)
        merged += m.single[u];
    for (uint64_t i = 0; i < f->num_arcs; i++)
        merged += m.pair[i];
    x.fixed += t->triangles - merged - triples; /* those without a node above the cap */
    shrink(&x);
    PDPR_TRY(pack_core(ctx, &x, x.queue, core, err));
    *fixed = x.fixed;
done:
    pdpr_free(m.single);
    pdpr_free(m.pair);
    pdpr_free(m.triple_place);
    pdpr_free(m.triple);
    pdpr_free(row_of);
    pdpr_i_packing_clear(&x.p);
    pdpr_free(x.free);
    pdpr_free(x.dead);
    pdpr_free(x.settled);
    pdpr_free(x.queue);
    pdpr_free(x.queued);
    return s;
}

/* ---------------------------------------------------------------- the measurement */

pdpr_status pdpr_i_triangle_cap(pdpr_context *ctx, const pdpr_i_triangle_counts *t, uint32_t cap,
                                uint64_t gamma, pdpr_i_interval *out, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    enum { SHIFT = PDPR_I_PACKING_BITS - PDPR_I_INTERVAL_BITS };
    const uint64_t least_gamma = PDPR_I_INTERVAL_ONE / 16, most_load = (uint64_t)1 << 46;
    pdpr_i_packing core = {0};
    pdpr_i_packing_bounds b = {.lo = 0, .hi = 0};
    uint64_t fixed = 0;

    if (cap == 0 || cap > PDPR_I_PACKING_MOST_UPPER ||
        cap * (uint64_t)t->forward.num_nodes > most_load)
        return pdpr_i_fail(err, PDPR_EUSAGE,
                           "capped triangles: expected a cap of 1..2^20 with cap * nodes up to "
                           "2^46, found %" PRIu32 " with %" PRIu32 " nodes",
                           cap, t->forward.num_nodes);
    if (gamma < least_gamma)
        return pdpr_i_fail(err, PDPR_EUSAGE,
                           "capped triangles: expected gamma of at least %" PRIu64
                           " / 2^16, found %" PRIu64,
                           least_gamma, gamma);
    PDPR_TRY(pdpr_i_triangle_reduce(ctx, t, cap, &fixed, &core, err));
    /* lo is rounded down and hi up to 2^-16, so the solver must come closer by two units. */
    if (core.num_items > 0)
        PDPR_TRY(pdpr_i_packing_solve(ctx, &core, (pdpr_i_wide)(gamma - 2) << SHIFT, &b, err));
    *out = pdpr_i_interval_around(fixed, b.lo, b.hi, PDPR_I_PACKING_BITS);
done:
    pdpr_i_packing_clear(&core);
    return s;
}
