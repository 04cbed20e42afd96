/* Routing: the loop that proposes prices and mixtures until the certificate is met.
 *
 * A turn takes the pairs one by one: each gets the path that is cheapest at the prices of the
 * moment, and the path's nodes become dearer by a step; after the last pair all prices fall by c
 * steps. That is an incremental subgradient step on F; the mean of the prices is the lower bound's
 * proposal, the paths of all turns are the upper bound's. A searching turn looks for paths in the
 * graph. A recalling turn looks only among the paths found before, which is a hundred times
 * cheaper, so a round is a few of the former, to find paths, and many of the latter, to balance
 * them. Steps shrink from round to round.
 *
 * On large graphs a search may look at the whole graph, where a bottleneck parts it: there the
 * searches are what costs. The searching turns of a round then end when they have looked at enough
 * arcs, later rounds have none if a single turn was too much, and the paths that the lower bound
 * finds are kept as well, as in column generation. Small graphs do without.
 *
 * From PDPR_I_ROUTING_SURE_ROUND on the searching turns follow a schedule whose gap goes to zero at
 * a proven rate on every input (docs/proofs/path_length.md, Theorem 3); in practice the loop ends
 * long before. There is no limit on rounds: a value that is not certified must never leave. All in
 * integers, one thread. Method: incremental subgradients after Nedic and Bertsekas (2001), averages
 * after Shor. */
#include "blueprint/routing.h"

#include <math.h>
#include <string.h>

enum {
    SEARCHES = 8,  /* searching turns of a round */
    RECALLS = 128, /* recalling turns of the first round; they double */
    MOST_RECALLS = 1 << 14,
    FIRST_STEP = PDPR_I_ROUTING_HOP / 4
};
static const double step_falls = 0.6; /* from round to round */
#define NO_ROUTE UINT32_MAX

/* A path found before. */
typedef struct {
    uint64_t start; /* in node */
    uint64_t hash;
    uint32_t length;
    uint32_t next; /* of the same pair */
} route;

typedef struct {
    pdpr_context *ctx;
    const pdpr_i_routing *r;
    pdpr_i_route_search search;
    pdpr_i_route_mix mix;
    uint32_t *x;      /* [N]: prices */
    uint32_t *priced; /* [num_priced]: nodes that were on a path: all other prices are 0 */
    uint32_t num_priced;
    bool *has_price;       /* [N] */
    uint64_t turn_looks;   /* arcs that the last searching turn looked at */
    uint64_t *sum;         /* [N]: of the prices after each turn of a block */
    pdpr_i_wide *past_sum; /* [N]: of the blocks before, in this round */
    uint32_t *mean;        /* [N] */
    route *routes;
    uint64_t num_routes, room_routes;
    uint32_t *first; /* [num_pairs]: newest route of the pair */
    uint32_t *node;  /* nodes of all routes */
    uint64_t num_nodes, room_nodes;
} solving;

/* ---------------------------------------------------------------- routes found before */

/* Keeps the path of the last search, unless it is known. Two paths of one hash count as one: that
 * costs a little time, never the bounds. */
static pdpr_status remember(solving *z, uint32_t i, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    uint32_t length = z->search.length;
    uint64_t hash = length;

    for (uint32_t k = 0; k < length; k++)
        hash = (hash ^ z->search.path[k]) * UINT64_C(0x9e3779b97f4a7c15);
    for (uint32_t k = z->first[i]; k != NO_ROUTE; k = z->routes[k].next)
        if (z->routes[k].hash == hash)
            return PDPR_OK;
    if (length == 0 || z->num_routes == NO_ROUTE)
        return PDPR_OK;
    if (z->num_routes == z->room_routes) {
        uint64_t room = 2 * z->room_routes + 64;
        PDPR_TRY(pdpr_i_resize(z->ctx, room, sizeof *z->routes, "routes", &z->routes, err));
        z->room_routes = room;
    }
    if (z->num_nodes + length > z->room_nodes) {
        uint64_t room = 2 * z->room_nodes + length;
        PDPR_TRY(pdpr_i_resize(z->ctx, room, sizeof *z->node, "routes", &z->node, err));
        z->room_nodes = room;
    }
    z->routes[z->num_routes] = (route){z->num_nodes, hash, length, z->first[i]};
    z->first[i] = (uint32_t)z->num_routes++;
    memcpy(z->node + z->num_nodes, z->search.path, length * sizeof *z->node);
    z->num_nodes += length;
done:
    return s;
}

/* The cheapest known route of pair i, or none if giving up is no dearer. */
static const uint32_t *recall(const solving *z, uint32_t i, uint32_t *length)
{
    uint32_t best = z->r->horizon * PDPR_I_ROUTING_HOP;
    const uint32_t *found = NULL;

    *length = 0;
    for (uint32_t k = z->first[i]; k != NO_ROUTE; k = z->routes[k].next) {
        const uint32_t *path = z->node + z->routes[k].start;
        uint32_t hops = z->routes[k].length - 1, j = 0;
        uint32_t cost = pdpr_i_routing_hops(z->r, hops) * PDPR_I_ROUTING_HOP;
        while (j <= hops && cost < best) /* prices are below 2^30, so no sum wraps */
            cost += z->x[path[j++]];
        if (cost < best) {
            best = cost;
            found = path;
            *length = hops + 1;
        }
    }
    return found;
}

/* ---------------------------------------------------------------- turns and rounds */

/* What the lower bound's search found. */
static pdpr_status remember_found(void *user, uint32_t i, pdpr_error *err)
{
    return remember(user, i, err);
}

static pdpr_status take_turn(solving *z, bool searching, uint32_t step, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    const pdpr_i_routing *r = z->r;
    uint32_t most = pdpr_i_routing_most_price(r) * PDPR_I_ROUTING_HOP, length;
    uint64_t looked = z->search.looks;

    for (uint32_t i = 0; i < r->num_pairs; i++) {
        const uint32_t *path;
        if (i % 64 == 0) {
            PDPR_TRY(pdpr_i_check_cancelled(z->ctx, err));
            pdpr_i_progress(z->ctx, "path lengths", 1, 0);
        }
        if (searching) {
            (void)pdpr_i_route(r, z->x, i, &z->search);
            PDPR_TRY(remember(z, i, err));
            path = z->search.path;
            length = z->search.length;
        } else {
            path = recall(z, i, &length);
        }
        /* a refused path leaves the mixture uneven, and the upper bound says no */
        (void)pdpr_i_route_mix_add(r, &z->mix, i, path, length);
        for (uint32_t k = 0; k < length; k++) {
            uint32_t dearer = z->x[path[k]] + step;
            z->x[path[k]] = dearer < most ? dearer : most;
            if (!z->has_price[path[k]]) {
                z->has_price[path[k]] = true;
                z->priced[z->num_priced++] = path[k];
            }
        }
    }
    if (searching)
        z->turn_looks = z->search.looks - looked;
    uint64_t fall = (uint64_t)step * r->cap;
    for (uint32_t k = 0; k < z->num_priced; k++) {
        uint32_t v = z->priced[k];
        z->x[v] = z->x[v] > fall ? z->x[v] - (uint32_t)fall : 0;
        z->sum[v] += z->x[v];
    }
done:
    return s;
}

/* Keeps what the turns of a block summed, where it cannot wrap (docs/proofs/path_length.md,
 * Lemma 3). */
static void end_block(solving *z)
{
    for (uint32_t v = 0; v < z->r->g->num_nodes; v++) {
        z->past_sum[v] += z->sum[v];
        z->sum[v] = 0;
    }
    pdpr_i_route_mix_end_block(z->r, &z->mix);
}

/* So many turns, fewer if `most_looks` is reached, then what they prove; the lower bound, which
 * costs a searching turn, only if asked for. */
static pdpr_status take_turns(solving *z, bool searching, uint64_t turns, uint64_t most_looks,
                              bool with_lower, uint32_t step, pdpr_i_routing_bounds *bounds,
                              pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    const pdpr_i_routing *r = z->r;
    uint32_t n = r->g->num_nodes;
    uint64_t looked = z->search.looks;
    int64_t lo, hi;
    bool valid = false;

    pdpr_i_route_mix_empty(r, &z->mix);
    memset(z->sum, 0, n * sizeof *z->sum);
    for (uint64_t t = 0; t < turns; t++) {
        if (t > 0 && t % PDPR_I_ROUTING_BLOCK == 0)
            end_block(z);
        PDPR_TRY(take_turn(z, searching, step, err));
        if (z->search.looks - looked >= most_looks)
            turns = t + 1;
    }
    if (turns > PDPR_I_ROUTING_BLOCK) {
        for (uint32_t v = 0; v < n; v++) {
            z->mean[v] = (uint32_t)((z->past_sum[v] + z->sum[v]) / turns);
            z->past_sum[v] = 0;
        }
    } else {
        for (uint32_t v = 0; v < n; v++)
            z->mean[v] = (uint32_t)(z->sum[v] / turns);
    }
    if (with_lower)
        PDPR_TRY(pdpr_i_routing_lower_visit(z->ctx, r, z->mean, &z->search,
                                            r->spare_looks ? remember_found : NULL, z, &valid, &lo,
                                            err));
    if (valid && lo > bounds->lo)
        bounds->lo = lo;
    if (pdpr_i_routing_upper(r, &z->mix, &hi) && hi < bounds->hi)
        bounds->hi = hi;
done:
    return s;
}

static uint32_t step_of(double step)
{
    return step > 1 ? (uint32_t)step : 1;
}

pdpr_status pdpr_i_routing_approach(pdpr_context *ctx, const pdpr_i_routing *r, int64_t gap,
                                    uint32_t most_rounds, uint64_t most_looks,
                                    pdpr_i_routing_bounds *out, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    solving z = {.ctx = ctx, .r = r};
    uint32_t n = r->g->num_nodes;
    const char *what = "routing prices";
    /* giving every pair up, and no prices with every pair as near as can be */
    pdpr_i_routing_bounds b = {.lo = (int64_t)r->num_pairs * pdpr_i_routing_floor(r) *
                                     PDPR_I_ROUTING_HOP,
                               .hi = (int64_t)r->num_pairs * r->horizon * PDPR_I_ROUTING_HOP};

    PDPR_TRY(pdpr_i_route_search_init(ctx, r, &z.search, err));
    PDPR_TRY(pdpr_i_route_mix_init(ctx, r, &z.mix, err));
    PDPR_TRY(pdpr_i_zalloc(ctx, n, sizeof *z.x, what, &z.x, err));
    PDPR_TRY(pdpr_i_alloc(ctx, n, sizeof *z.priced, what, &z.priced, err));
    PDPR_TRY(pdpr_i_zalloc(ctx, n, sizeof *z.has_price, what, &z.has_price, err));
    PDPR_TRY(pdpr_i_zalloc(ctx, n, sizeof *z.sum, what, &z.sum, err));
    PDPR_TRY(pdpr_i_zalloc(ctx, n, sizeof *z.past_sum, what, &z.past_sum, err));
    PDPR_TRY(pdpr_i_zalloc(ctx, n, sizeof *z.mean, what, &z.mean, err));
    PDPR_TRY(pdpr_i_alloc(ctx, r->num_pairs, sizeof *z.first, what, &z.first, err));
    memset(z.first, 0xff, r->num_pairs * sizeof *z.first);

    /* who gives up early shall have searched in several rounds by then */
    const uint64_t round_looks = most_looks / 4 < r->spare_looks ? most_looks / 4 : r->spare_looks;
    double step = FIRST_STEP;
    uint64_t searches = SEARCHES, recalls = RECALLS;
    for (uint32_t round = 0;
         b.hi - b.lo > gap && round < most_rounds && z.search.looks < most_looks; round++) {
        bool sure = round >= PDPR_I_ROUTING_SURE_ROUND;
        uint32_t half = sure ? (round - PDPR_I_ROUTING_SURE_ROUND) / 2 : 0;
        double search_step = sure ? ldexp(FIRST_STEP, -(int)half) : step;
        bool sparing = r->spare_looks > 0 && !sure;
        if (!sparing || z.turn_looks < round_looks)
            PDPR_TRY(take_turns(&z, true, searches, sparing ? round_looks : UINT64_MAX, !sparing,
                                step_of(search_step), &b, err));
        if (b.hi - b.lo <= gap)
            break;
        PDPR_TRY(take_turns(&z, false, recalls, UINT64_MAX, true, step_of(step), &b, err));
        if (recalls < MOST_RECALLS)
            recalls *= 2;
        if (sure)
            searches *= 2;
        step *= step_falls;
    }
    b.looks = z.search.looks;
    *out = b;
done:
    pdpr_i_route_search_clear(&z.search);
    pdpr_i_route_mix_clear(&z.mix);
    pdpr_free(z.x);
    pdpr_free(z.priced);
    pdpr_free(z.has_price);
    pdpr_free(z.sum);
    pdpr_free(z.past_sum);
    pdpr_free(z.mean);
    pdpr_free(z.routes);
    pdpr_free(z.first);
    pdpr_free(z.node);
    return s;
}

pdpr_status pdpr_i_routing_solve(pdpr_context *ctx, const pdpr_i_routing *r, int64_t gap,
                                 pdpr_i_routing_bounds *out, pdpr_error *err)
{
    return pdpr_i_routing_approach(ctx, r, gap, UINT32_MAX, UINT64_MAX, out, err);
}

/* What is left of the gap when steps are one unit and turns without end (Theorem 3), doubled. */
bool pdpr_i_routing_can_reach(const pdpr_i_routing *r, int64_t gap)
{
    uint64_t c = r->cap, loads = (uint64_t)r->num_pairs * r->horizon;
    return 2 * (loads * (c + 2) + c * c * r->g->num_nodes) <= (uint64_t)gap;
}
