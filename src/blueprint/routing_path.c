/* Cheapest paths with prices at nodes: Dijkstra's rule from both ends, in integers.
 *
 * An arc u -> v costs one hop and the price of v; the price of the start is paid at the start. The
 * search from the end walks arcs backwards. It may stop when the two frontiers together cost no
 * less than the best path met so far, or than the horizon L, at which a pair is given up: so a
 * search looks at the two balls of half the distance, not at the graph; and at nothing where the
 * ends lie in different components. Equal costs are settled by
 * node number, which makes the path a function of the input. Where short paths count as longer than
 * they are and the path found is one of them, a cheaper one may be longer: routing_layers.c. Cost:
 * O(k log k) for k arcs seen; heaps hold outdated entries, which are skipped. */
#include "blueprint/routing.h"
#include "base/union_find.h"

#include <string.h>

static const uint32_t HOP = PDPR_I_ROUTING_HOP;

pdpr_status pdpr_i_route_search_init(pdpr_context *ctx, const pdpr_i_routing *r,
                                     pdpr_i_route_search *out, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    pdpr_i_route_search x = {0};
    const char *what = "path search";
    uint32_t n = r->g->num_nodes;

    for (int k = 0; k < 2; k++) {
        PDPR_TRY(pdpr_i_alloc(ctx, n, sizeof *x.cost[k], what, &x.cost[k], err));
        PDPR_TRY(pdpr_i_alloc(ctx, n, sizeof *x.before[k], what, &x.before[k], err));
        PDPR_TRY(pdpr_i_alloc(ctx, n, sizeof *x.touched[k], what, &x.touched[k], err));
        PDPR_TRY(pdpr_i_alloc(ctx, r->g->num_arcs + 1, sizeof *x.heap[k], what, &x.heap[k], err));
        if (pdpr_i_routing_floor(r) > 1)
            PDPR_TRY(pdpr_i_alloc(ctx, (uint64_t)r->horizon * n, sizeof *x.label[k], what,
                                  &x.label[k], err));
        memset(x.cost[k], 0xff, n * sizeof *x.cost[k]);
    }
    PDPR_TRY(pdpr_i_alloc(ctx, n, sizeof *x.component, what, &x.component, err));
    pdpr_i_separate(x.component, n);
    for (uint32_t u = 0; u < n; u++)
        for (uint64_t a = r->g->offset[u]; a < r->g->offset[u + 1]; a++)
            (void)pdpr_i_unite(x.component, u, r->g->target[a]);
    PDPR_TRY(pdpr_i_alloc(ctx, r->horizon, sizeof *x.path, what, &x.path, err));
    *out = x;
    memset(&x, 0, sizeof x);
done:
    pdpr_i_route_search_clear(&x);
    return s;
}

void pdpr_i_route_search_clear(pdpr_i_route_search *search)
{
    for (int k = 0; k < 2; k++) {
        pdpr_free(search->cost[k]);
        pdpr_free(search->before[k]);
        pdpr_free(search->touched[k]);
        pdpr_free(search->heap[k]);
        pdpr_free(search->label[k]);
    }
    pdpr_free(search->component);
    pdpr_free(search->path);
    memset(search, 0, sizeof *search);
}

/* ---------------------------------------------------------------- heap */

static void push(uint64_t *heap, uint64_t *length, uint64_t entry)
{
    uint64_t at = (*length)++;
    while (at > 0 && heap[(at - 1) / 2] > entry) {
        heap[at] = heap[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    heap[at] = entry;
}

static void pop(uint64_t *heap, uint64_t *length)
{
    uint64_t entry = heap[--*length], at = 0;
    for (uint64_t child; (child = 2 * at + 1) < *length; at = child) {
        child += child + 1 < *length && heap[child + 1] < heap[child];
        if (heap[child] >= entry)
            break;
        heap[at] = heap[child];
    }
    heap[at] = entry;
}

/* ---------------------------------------------------------------- search */

/* Notes that side k reaches u at this cost by way of `before`. */
static void reach(pdpr_i_route_search *w, int k, uint32_t u, uint32_t cost, uint32_t before)
{
    if (cost >= w->cost[k][u])
        return;
    if (w->cost[k][u] == UINT32_MAX)
        w->touched[k][w->num_touched[k]++] = u;
    w->cost[k][u] = cost;
    w->before[k][u] = before;
    push(w->heap[k], &w->heap_length[k], (uint64_t)cost << 32 | u);
}

/* The cost at the top of a side's heap, without outdated entries; UINT32_MAX if it is empty. */
static uint32_t top_cost(pdpr_i_route_search *w, int k)
{
    while (w->heap_length[k] > 0) {
        uint64_t entry = w->heap[k][0];
        if (entry >> 32 == w->cost[k][(uint32_t)entry])
            return (uint32_t)(entry >> 32);
        pop(w->heap[k], &w->heap_length[k]);
    }
    return UINT32_MAX;
}

/* Settles the top of side k; *best and *meeting follow the cheapest way met. */
static void settle(const pdpr_graph *g, const uint32_t *x, pdpr_i_route_search *w, int k,
                   uint32_t *best, uint32_t *meeting)
{
    uint32_t u = (uint32_t)w->heap[k][0], cost = w->cost[k][u];
    pop(w->heap[k], &w->heap_length[k]);
    w->looks += g->offset[u + 1] - g->offset[u];
    for (uint64_t a = g->offset[u]; a < g->offset[u + 1]; a++) {
        uint32_t v = g->target[a], there = cost + HOP + x[k == 0 ? v : u];
        if (there >= *best || there >= w->cost[k][v])
            continue; /* no better than before: the sum was compared when the label was written */
        reach(w, k, v, there, u);
        uint32_t other = w->cost[1 - k][v];
        if (other < *best && there + other < *best) {
            *best = there + other;
            *meeting = v;
        }
    }
}

/* The path through the meeting node, from the first end to the second. */
static void write_path(pdpr_i_route_search *w, const uint32_t *ends, uint32_t meeting)
{
    uint32_t length = 0;
    for (uint32_t u = meeting;; u = w->before[0][u]) {
        w->path[length++] = u;
        if (u == ends[0])
            break;
    }
    for (uint32_t i = 0; i < length / 2; i++) {
        uint32_t t = w->path[i];
        w->path[i] = w->path[length - 1 - i];
        w->path[length - 1 - i] = t;
    }
    for (uint32_t u = meeting; u != ends[1];) {
        u = w->before[1][u];
        w->path[length++] = u;
    }
    w->length = length;
}

/* As if there were no floor. */
static uint32_t route_by_hops(const pdpr_i_routing *r, const uint32_t *x, uint32_t i,
                              pdpr_i_route_search *w)
{
    const uint32_t *ends = r->pair[i];
    uint32_t best = r->horizon * HOP, meeting = UINT32_MAX;

    w->length = 0;
    if (pdpr_i_find_root(w->component, ends[0]) != pdpr_i_find_root(w->component, ends[1]))
        return best;
    reach(w, 0, ends[0], x[ends[0]], ends[0]);
    reach(w, 1, ends[1], 0, ends[1]);
    for (;;) {
        uint32_t first = top_cost(w, 0), second = top_cost(w, 1);
        if (first == UINT32_MAX || second == UINT32_MAX || first + second >= best)
            break;
        /* the smaller frontier first: hubs are met as late as possible */
        settle(r->g, x, w, w->heap_length[0] <= w->heap_length[1] ? 0 : 1, &best, &meeting);
    }
    if (meeting != UINT32_MAX)
        write_path(w, ends, meeting);
    for (int k = 0; k < 2; k++) {
        for (uint32_t j = 0; j < w->num_touched[k]; j++)
            w->cost[k][w->touched[k][j]] = UINT32_MAX;
        w->num_touched[k] = 0;
        w->heap_length[k] = 0;
    }
    return best;
}

uint32_t pdpr_i_route(const pdpr_i_routing *r, const uint32_t *x, uint32_t i,
                      pdpr_i_route_search *w)
{
    uint32_t best = route_by_hops(r, x, i, w), floor = pdpr_i_routing_floor(r);
    if (w->length == 0 || w->length > floor) /* no path costs less than it does without a floor */
        return best;
    best += (floor - (w->length - 1)) * HOP; /* what this path costs */
    if (best == floor * HOP)                 /* no path costs less */
        return best;
    if (best >= r->horizon * HOP) {
        best = r->horizon * HOP;
        w->length = 0;
    }
    return pdpr_i_route_in_layers(r, x, i, best, w);
}
