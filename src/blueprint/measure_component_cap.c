/* The capped forest: a linear program over the forest polytope, made small by exact reductions.
 *
 * Nodes whose degree is within their cap are loose. Loose nodes that hang together act as one: a
 * spanning tree inside them hurts nobody. So they are contracted to groups, and edges that become
 * parallel count once. That lowers degrees, so more nodes become loose; a group with one remaining
 * edge is a pendant, whose edge is always taken first; a node with no cap left loses its edges.
 * Repeated until nothing changes, this leaves only the places where the cap really forces a choice:
 * on graphs whose hubs reach one giant group by several ways, nothing.
 *
 * Each step keeps the optimum (docs/proofs/component_cap.md, Theorem 2). Cost: O(m) for a sweep
 * over the nodes above their cap; sweeps end because each but the last settles something. */
#include "blueprint/measure_component_cap.h"
#include "base/union_find.h"

#include <string.h>

/* ---------------------------------------------------------------- nodes and groups */

enum state { OPEN, LOOSE, FULL }; /* above its cap; in a group; without cap and without edges */

typedef struct {
    const pdpr_graph *g;
    uint32_t *parent;   /* [N]: union-find over loose nodes */
    uint8_t *state;     /* [N] */
    bool *taken;        /* [N]: at a group's root: its pendant edge has been taken */
    uint32_t *cap;      /* [N]: what is left of it */
    uint32_t *open;     /* [num_open]: the open nodes, ascending */
    uint32_t *near;     /* [largest degree]: what list_near found */
    uint32_t *visitors; /* [N]: at a group's root: open nodes next to it */
    uint64_t *stamp;    /* [N]: the listing that met this node or root last */
    uint64_t listings;
    uint32_t num_open;
    uint64_t fixed;
} shrinking;

/* Lists the different neighbours that open node u still has, open nodes and roots of groups, in
 * x->near; returns their number. */
static uint32_t list_near(shrinking *x, uint32_t u)
{
    uint32_t count = 0;
    x->listings++;
    for (uint64_t i = x->g->offset[u]; i < x->g->offset[u + 1]; i++) {
        uint32_t w = x->g->target[i];
        if (x->state[w] == FULL)
            continue;
        if (x->state[w] == LOOSE) {
            w = pdpr_i_find_root(x->parent, w);
            if (x->taken[w])
                continue;
        }
        if (x->stamp[w] == x->listings)
            continue;
        x->stamp[w] = x->listings;
        x->near[count++] = w;
    }
    return count;
}

/* ---------------------------------------------------------------- reductions */

/* Open nodes whose neighbours are within their cap join the groups next to them. */
static bool loosen(shrinking *x)
{
    bool changed = false;
    for (uint32_t i = 0; i < x->num_open; i++) {
        uint32_t u = x->open[i], near = list_near(x, u);
        if (near > x->cap[u])
            continue;
        changed = true;
        x->state[u] = LOOSE;
        for (uint32_t k = 0; k < near; k++)
            if (x->state[x->near[k]] == LOOSE)
                x->fixed += pdpr_i_unite(x->parent, u, x->near[k]);
    }
    return changed;
}

/* Takes the edges of groups with one open node next to them. */
static bool take_pendants(shrinking *x)
{
    bool changed = false;
    for (int pass = 0; pass < 2; pass++) /* clear, then count */
        for (uint32_t i = 0; i < x->num_open; i++) {
            if (x->state[x->open[i]] != OPEN)
                continue;
            uint32_t near = list_near(x, x->open[i]);
            for (uint32_t k = 0; k < near; k++)
                x->visitors[x->near[k]] = pass == 0 ? 0 : x->visitors[x->near[k]] + 1;
        }
    for (uint32_t i = 0; i < x->num_open; i++) {
        uint32_t u = x->open[i];
        if (x->state[u] != OPEN)
            continue;
        uint32_t near = list_near(x, u);
        for (uint32_t k = 0; k < near && x->state[u] == OPEN; k++) {
            uint32_t w = x->near[k];
            if (x->state[w] != LOOSE || x->visitors[w] != 1)
                continue;
            changed = true;
            x->taken[w] = true;
            x->fixed++;
            if (--x->cap[u] == 0)
                x->state[u] = FULL;
        }
    }
    return changed;
}

static pdpr_status shrink(pdpr_context *ctx, shrinking *x, pdpr_error *err)
{
    for (bool changed = true; changed;) {
        pdpr_status s = pdpr_i_check_cancelled(ctx, err);
        if (s != PDPR_OK)
            return s;
        changed = loosen(x);
        changed = take_pendants(x) || changed;
        uint32_t kept = 0;
        for (uint32_t i = 0; i < x->num_open; i++)
            if (x->state[x->open[i]] == OPEN)
                x->open[kept++] = x->open[i];
        x->num_open = kept;
    }
    return PDPR_OK;
}

/* ---------------------------------------------------------------- the core */

/* What is left as a problem of its own: open nodes first, then the groups next to them, numbered in
 * the order in which they are met. Uses visitors for the new numbers. */
static pdpr_status pack_core(pdpr_context *ctx, shrinking *x, pdpr_i_forest_problem *core,
                             pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    pdpr_i_forest_problem p = {.num_nodes = x->num_open, .num_capped = x->num_open};
    uint64_t edges = 0;
    uint32_t *number = x->visitors;

    for (uint32_t i = 0; i < x->num_open; i++)
        number[x->open[i]] = i;
    for (uint32_t i = 0; i < x->num_open; i++) {
        uint32_t u = x->open[i], near = list_near(x, u);
        for (uint32_t k = 0; k < near; k++) {
            edges += x->state[x->near[k]] == LOOSE || x->near[k] > u;
            if (x->state[x->near[k]] == LOOSE)
                number[x->near[k]] = UINT32_MAX;
        }
    }
    if (edges >= UINT32_MAX) {
        s = pdpr_i_fail(err, PDPR_EFAILED, "capped forest: too many edges to be certified");
        goto done;
    }
    PDPR_TRY(pdpr_i_alloc(ctx, p.num_capped, sizeof *p.cap, "capped forest", &p.cap, err));
    PDPR_TRY(pdpr_i_alloc(ctx, edges, sizeof *p.end, "capped forest", &p.end, err));
    for (uint32_t i = 0; i < x->num_open; i++)
        p.cap[i] = x->cap[x->open[i]];
    /* Edges to groups first: at equal weight they are preferred, and use up one cap, not two. */
    for (int pass = 0; pass < 2; pass++)
        for (uint32_t i = 0; i < x->num_open; i++) {
            uint32_t u = x->open[i], near = list_near(x, u);
            for (uint32_t k = 0; k < near; k++) {
                uint32_t w = x->near[k];
                bool group = x->state[w] == LOOSE;
                if (group != (pass == 0) || (!group && w < u))
                    continue;
                if (group && number[w] == UINT32_MAX)
                    number[w] = p.num_nodes++;
                p.end[p.num_edges][0] = i;
                p.end[p.num_edges++][1] = number[w];
            }
        }
    *core = p;
    p = (pdpr_i_forest_problem){0};
done:
    pdpr_i_forest_problem_clear(&p);
    return s;
}

pdpr_status pdpr_i_component_reduce(pdpr_context *ctx, const pdpr_graph *g, uint32_t cap,
                                    uint64_t *fixed, pdpr_i_forest_problem *core, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    const char *what = "capped forest";
    shrinking x = {.g = g};
    uint64_t largest = 0;

    PDPR_TRY(pdpr_i_alloc(ctx, g->num_nodes, sizeof *x.parent, what, &x.parent, err));
    PDPR_TRY(pdpr_i_zalloc(ctx, g->num_nodes, sizeof *x.state, what, &x.state, err));
    PDPR_TRY(pdpr_i_zalloc(ctx, g->num_nodes, sizeof *x.taken, what, &x.taken, err));
    PDPR_TRY(pdpr_i_alloc(ctx, g->num_nodes, sizeof *x.cap, what, &x.cap, err));
    PDPR_TRY(pdpr_i_alloc(ctx, g->num_nodes, sizeof *x.open, what, &x.open, err));
    PDPR_TRY(pdpr_i_zalloc(ctx, g->num_nodes, sizeof *x.visitors, what, &x.visitors, err));
    PDPR_TRY(pdpr_i_zalloc(ctx, g->num_nodes, sizeof *x.stamp, what, &x.stamp, err));
    for (uint32_t u = 0; u < g->num_nodes; u++) {
        uint64_t degree = pdpr_i_degree(g, u);
        largest = degree > largest ? degree : largest;
        x.parent[u] = u;
        x.cap[u] = cap;
        x.state[u] = degree > cap ? OPEN : LOOSE;
        if (degree > cap)
            x.open[x.num_open++] = u;
    }
    PDPR_TRY(pdpr_i_alloc(ctx, largest, sizeof *x.near, what, &x.near, err));
    for (uint32_t u = 0; u < g->num_nodes; u++)
        for (uint64_t i = g->offset[u]; x.state[u] == LOOSE && i < g->offset[u + 1]; i++)
            if (x.state[g->target[i]] == LOOSE)
                x.fixed += pdpr_i_unite(x.parent, u, g->target[i]);
    PDPR_TRY(shrink(ctx, &x, err));
    PDPR_TRY(pack_core(ctx, &x, core, err));
    *fixed = x.fixed;
done:
    pdpr_free(x.parent);
    pdpr_free(x.state);
    pdpr_free(x.taken);
    pdpr_free(x.cap);
    pdpr_free(x.open);
    pdpr_free(x.near);
    pdpr_free(x.visitors);
    pdpr_free(x.stamp);
    return s;
}

/* ---------------------------------------------------------------- the measurement */

uint64_t pdpr_i_component_cap_memory(const pdpr_graph *g)
{
    /* The core has no more nodes and edges than the graph. Solving holds most: the core itself, two
     * averages, the descent (forest.c); the test holds this against the peak. */
    enum { BYTES_A_NODE = 200, BYTES_AN_EDGE = 104, REST = 1 << 16 };
    return BYTES_A_NODE * (uint64_t)g->num_nodes + BYTES_AN_EDGE * (g->num_arcs / 2) + REST;
}

pdpr_status pdpr_i_component_cap(pdpr_context *ctx, const pdpr_graph *g, uint32_t cap,
                                 uint64_t gamma, pdpr_i_interval *out, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    enum { SHIFT = PDPR_I_FOREST_BITS - PDPR_I_INTERVAL_BITS };
    const uint64_t least_gamma = PDPR_I_INTERVAL_ONE / 16;
    pdpr_i_forest_problem core = {0};
    pdpr_i_forest_bounds b = {.lo = 0, .hi = 0};
    uint64_t fixed = 0;

    if (g->directed)
        return pdpr_i_fail(err, PDPR_EUSAGE, "capped forest: expected an undirected graph");
    if (cap == 0)
        return pdpr_i_fail(err, PDPR_EUSAGE,
                           "capped forest: expected a cap of at least 1, found 0");
    if (gamma < least_gamma)
        return pdpr_i_fail(err, PDPR_EUSAGE,
                           "capped forest: expected gamma of at least %" PRIu64
                           " / 2^16, found %" PRIu64,
                           least_gamma, gamma);
    PDPR_TRY(pdpr_i_component_reduce(ctx, g, cap, &fixed, &core, err));
    /* lo is rounded down and hi up to 2^-16, so the solver must come closer by two units. */
    if (core.num_edges > 0)
        PDPR_TRY(pdpr_i_forest_solve(ctx, &core, (pdpr_i_wide)(gamma - 2) << SHIFT, &b, err));
    *out = pdpr_i_interval_around(fixed, b.lo, b.hi, PDPR_I_FOREST_BITS);
done:
    pdpr_i_forest_problem_clear(&core);
    return s;
}
