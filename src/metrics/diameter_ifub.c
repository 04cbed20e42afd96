/* Diameter without searching from every node: iFUB with batched fringes.
 *
 * From a central node c, let F_i be the nodes at distance i. Two nodes within distance i of c are
 * at most 2i apart, so once all of F_e, ..., F_{i+1} have been searched, the diameter is the
 * largest distance seen if that is at least 2i (Crescenzi, Grossi, Habib, Lanzi and Marino 2013).
 * The centre comes from a few sweeps: the middle of a longest path found so far is searched, twice,
 * beside the hub. Two additions: a fringe is searched 512 nodes at a time, which removes the worst
 * case of the method (large fringes at small diameters), and every sweep from r bounds the
 * eccentricity of each node v by d(v,r) + ecc(r) (Takes and Kosters 2011), so that most of a fringe
 * need not be searched at all.
 *
 * Cost: five plain searches, then a batch per 512 fringe nodes that no bound excludes; 20 bytes per
 * node. Batches are taken in groups of a fixed size, so the work and the answer do not depend on
 * the number of threads.
 * Invariant: lower <= diameter <= upper; every node with bound 0 has eccentricity <= lower. */
#include "metrics/metrics.h"
#include "metrics/msbfs.h"

/* Sources searched between two looks at the bounds. */
enum { GROUP = 4 * PDPR_I_LANES };

typedef struct {
    uint32_t *distance; /* [n] */
    uint32_t *queue;    /* [n]: nodes by distance */
    uint32_t depth;     /* eccentricity of the root */
    uint64_t sum;       /* of distances: how central the root is */
} sweep;

typedef struct {
    pdpr_context *ctx;
    const pdpr_i_component *c;
    sweep centre, latest;
    uint32_t *bound; /* [n]: no node's eccentricity is above it */
    uint32_t lower;
} state;

static pdpr_status sweep_from(state *d, uint32_t root, pdpr_error *err)
{
    sweep *s = &d->latest;
    s->depth = pdpr_i_bfs(d->c, root, s->distance, s->queue);
    s->sum = 0;
    for (uint32_t v = 0; v < d->c->num_nodes; v++) {
        uint32_t most = s->distance[v] + s->depth;
        if (most < d->bound[v])
            d->bound[v] = most;
        s->sum += s->distance[v];
    }
    if (s->depth > d->lower)
        d->lower = s->depth;
    return pdpr_i_check_cancelled(d->ctx, err);
}

/* Keeps the latest sweep if its root is more central. */
static void consider_as_centre(state *d)
{
    if (d->latest.depth < d->centre.depth ||
        (d->latest.depth == d->centre.depth && d->latest.sum < d->centre.sum)) {
        sweep better = d->latest;
        d->latest = d->centre;
        d->centre = better;
    }
}

static uint32_t farthest(const state *d, const sweep *s)
{
    return s->queue[d->c->num_nodes - 1];
}

/* The middle of a shortest path from the latest root to its farthest node. */
static uint32_t middle(const state *d)
{
    const pdpr_i_component *c = d->c;
    uint32_t v = farthest(d, &d->latest);
    for (uint32_t steps = d->latest.depth / 2; steps > 0; steps--) {
        uint64_t i = c->offset[v];
        while (d->latest.distance[c->target[i]] + 1 != d->latest.distance[v])
            i++; /* one neighbour is nearer to the root */
        v = c->target[i];
    }
    return v;
}

/* Node 0 is the hub in either order of locality.c. */
static pdpr_status find_centre(state *d, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    d->centre.depth = UINT32_MAX;
    PDPR_TRY(sweep_from(d, 0, err));
    uint32_t far = farthest(d, &d->latest);
    consider_as_centre(d);
    for (int round = 0; round < 2; round++) {
        PDPR_TRY(sweep_from(d, far, err));
        PDPR_TRY(sweep_from(d, middle(d), err));
        far = farthest(d, &d->latest);
        consider_as_centre(d);
    }
done:
    return s;
}

/* No pair is farther apart: both ends lie within `radius` of the centre or have been searched. */
static uint32_t upper_bound(const state *d, uint32_t radius)
{
    uint32_t most = 0;
    for (uint32_t v = 0; v < d->c->num_nodes; v++)
        if (d->bound[v] > most)
            most = d->bound[v];
    if (most > 2 * radius)
        most = 2 * radius;
    return most > d->lower ? most : d->lower;
}

pdpr_status pdpr_i_diameter_ifub(pdpr_context *ctx, const pdpr_i_component *c,
                                 pdpr_i_search_pool *pool, uint32_t lower, uint64_t most_arcs,
                                 pdpr_i_diameter *out, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    state d = {.ctx = ctx, .c = c, .lower = lower};
    uint64_t searched = 0, arcs = 0, n = c->num_nodes;
    uint32_t group[GROUP];

    if (n < 2) {
        *out = (pdpr_i_diameter){0};
        return PDPR_OK;
    }
    PDPR_TRY(pdpr_i_alloc(ctx, n, sizeof *d.bound, "diameter", &d.bound, err));
    PDPR_TRY(pdpr_i_alloc(ctx, n, sizeof(uint32_t), "diameter", &d.centre.distance, err));
    PDPR_TRY(pdpr_i_alloc(ctx, n, sizeof(uint32_t), "diameter", &d.centre.queue, err));
    PDPR_TRY(pdpr_i_alloc(ctx, n, sizeof(uint32_t), "diameter", &d.latest.distance, err));
    PDPR_TRY(pdpr_i_alloc(ctx, n, sizeof(uint32_t), "diameter", &d.latest.queue, err));
    for (uint64_t v = 0; v < n; v++)
        d.bound[v] = UINT32_MAX;
    PDPR_TRY(find_centre(&d, err));

    /* Fringes from the outside in: `left` nodes of the queue have not been dealt with. */
    uint64_t left = n;
    uint32_t radius = d.centre.depth;
    while (left > 0 && d.lower < 2 * radius && arcs < most_arcs) {
        uint32_t size = 0;
        while (left > 0 && size < GROUP && d.centre.distance[d.centre.queue[left - 1]] == radius) {
            uint32_t v = d.centre.queue[--left];
            if (d.bound[v] > d.lower)
                group[size++] = v;
        }
        if (size > 0) {
            pdpr_i_search_result result;
            PDPR_TRY(pdpr_i_search_pool_run(pool, "diameter", group, size, NULL, &result, err));
            searched += size;
            arcs += result.arcs;
            if (result.largest_distance > d.lower)
                d.lower = result.largest_distance;
            for (uint32_t i = 0; i < size; i++)
                d.bound[group[i]] = 0;
        }
        if (left == 0 || d.centre.distance[d.centre.queue[left - 1]] < radius)
            radius--;
    }
    *out = (pdpr_i_diameter){
        .lower = d.lower, .upper = upper_bound(&d, radius), .searched = searched, .arcs = arcs};
done:
    pdpr_free(d.bound);
    pdpr_free(d.centre.distance);
    pdpr_free(d.centre.queue);
    pdpr_free(d.latest.distance);
    pdpr_free(d.latest.queue);
    return s;
}
