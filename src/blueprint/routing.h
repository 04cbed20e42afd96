/* Joining pairs of nodes by paths when no node shall carry many of them, with a certificate in
 * integers.
 *
 *     F = max over prices 0 <= x_v <= L - l of  sum_i min(L, dist_x(s_i, t_i)) - c sum_v x_v,
 *
 * where dist_x is the least of max(l, hops) plus the prices of a path's nodes, both ends included:
 * paths shorter than the floor l count as l, pairs farther apart than the horizon L as L. By
 * duality F is the least cost of joining every pair by a mixture of paths: a path costs its hops,
 * but no less than l, giving a pair up costs L, and each unit by which a node carries more than c
 * costs L - l.
 *
 * Three parts that know little of each other: routing_path.c and routing_layers.c find cheapest
 * paths, routing_solver.c proposes prices and mixtures, and routing_certificate.c says in integers
 * what a proposal proves. The first and the last are trusted. */
#ifndef PDPR_BLUEPRINT_ROUTING_H
#define PDPR_BLUEPRINT_ROUTING_H

#include "blueprint/interval.h"
#include "graph/graph.h"

/* Prices and costs are given in units of 2^-20: a hop is PDPR_I_ROUTING_HOP. The bounds keep costs
 * in 32 bits and sums in 63 (docs/proofs/path_length.md). */
enum {
    PDPR_I_ROUTING_BITS = 20,
    PDPR_I_ROUTING_HOP = 1 << PDPR_I_ROUTING_BITS,
    PDPR_I_ROUTING_MOST_HORIZON = 1024,
    PDPR_I_ROUTING_MOST_FLOORED = 64, /* horizon where there is a floor: labels take memory, … */
    PDPR_I_ROUTING_MOST_NODES_FLOORED = (1 << 26) - 1, /* … and are numbered in 32 bits */
    PDPR_I_ROUTING_MOST_CAP = 64,
    PDPR_I_ROUTING_MOST_PAIRS = 1 << 24
};

typedef struct {
    const pdpr_graph *g; /* undirected */
    uint32_t num_pairs;
    uint32_t (*pair)[2];  /* [num_pairs]: different ends */
    uint32_t horizon;     /* L, 2 or more */
    uint32_t cap;         /* c, 1 or more */
    uint64_t spare_looks; /* arcs that early rounds may look at for new paths; 0: all they like */
    uint32_t floor;       /* l, below L; 0 and 1 are the same: every path has a hop */
} pdpr_i_routing;

/* Least number of hops that a path counts for: every path has one. */
static inline uint32_t pdpr_i_least_hops(uint32_t floor)
{
    return floor > 1 ? floor : 1;
}
static inline uint32_t pdpr_i_routing_floor(const pdpr_i_routing *r)
{
    return pdpr_i_least_hops(r->floor);
}
/* What a path of so many hops costs without prices, in hops. */
static inline uint32_t pdpr_i_routing_hops(const pdpr_i_routing *r, uint32_t hops)
{
    return hops > pdpr_i_routing_floor(r) ? hops : pdpr_i_routing_floor(r);
}
/* The highest price, in hops: a node that has it is of no use. */
static inline uint32_t pdpr_i_routing_most_price(const pdpr_i_routing *r)
{
    return r->horizon - pdpr_i_routing_floor(r);
}

/* ---------------------------------------------------------------- cheapest paths (trusted) */

/* A way to a node found by routing_layers.c: the prices paid on it, and the label before. */
typedef struct {
    uint32_t node, cost, before;
} pdpr_i_route_label;

/* Workspace of a search: one for each thread that searches. */
typedef struct {
    uint32_t *cost[2];   /* [N] from either end, UINT32_MAX where not reached */
    uint32_t *before[2]; /* [N] the node before on the way from that end; in layers: its label */
    uint64_t *heap[2];   /* [arcs + 1] cost << 32 | node */
    uint64_t heap_length[2];
    pdpr_i_route_label *label[2]; /* [L N]; with a floor */
    uint32_t *touched[2];         /* [N] */
    uint32_t num_touched[2];
    uint32_t *component; /* [N]: union-find over the links */
    uint64_t looks;      /* arcs looked at by all searches: what they cost */
    uint32_t *path;      /* [L]: the nodes of the path found, in order */
    uint32_t length;     /* of path; 0: the pair is given up */
} pdpr_i_route_search;

/* 28 bytes a node and 16 an arc, with a floor 24 L a node more. Errors: PDPR_ENOMEM. */
pdpr_status pdpr_i_route_search_init(pdpr_context *ctx, const pdpr_i_routing *r,
                                     pdpr_i_route_search *out, pdpr_error *err);
void pdpr_i_route_search_clear(pdpr_i_route_search *search);

/* min(L, dist_x) of pair number i in units of 2^-20, with a path of that cost, or none if it is L.
 * x [N] in the same units, at most L - l. Exact. O((N + m) log N) at worst, with a floor
 * O(L (N + m)). */
uint32_t pdpr_i_route(const pdpr_i_routing *r, const uint32_t *x, uint32_t i,
                      pdpr_i_route_search *w);

/* For routing_path.c: the cost of a path of pair i that is cheaper than `known`, with the path in
 * w, or `known`, and w->path as it was, if there is none (routing_layers.c). */
uint32_t pdpr_i_route_in_layers(const pdpr_i_routing *r, const uint32_t *x, uint32_t i,
                                uint32_t known, pdpr_i_route_search *w);

/* ---------------------------------------------------------------- certificate (trusted) */

/* Are the prices x [N] within 0..L-l? If so *value = sum_i min(L, dist_x) - c sum x, a lower bound
 * of F in units of 2^-20; may be negative (below -2^63: not valid). Exact. Errors: PDPR_ECANCELLED.
 */
pdpr_status pdpr_i_routing_lower(pdpr_context *ctx, const pdpr_i_routing *r, const uint32_t *x,
                                 pdpr_i_route_search *search, bool *valid, int64_t *value,
                                 pdpr_error *err);

/* The same, and tells what was found: after the search of each pair, `visit` is called with its
 * number, while the search holds the path. What it does changes nothing here; what it returns ends
 * the sum if it is an error. */
typedef pdpr_status (*pdpr_i_route_visit)(void *user, uint32_t i, pdpr_error *err);
pdpr_status pdpr_i_routing_lower_visit(pdpr_context *ctx, const pdpr_i_routing *r,
                                       const uint32_t *x, pdpr_i_route_search *search,
                                       pdpr_i_route_visit visit, void *user, bool *valid,
                                       int64_t *value, pdpr_error *err);

/* A mixture of paths: each pair joined (or given up) the same number of times. Counted in blocks,
 * so that no count wraps however many routes there are (docs/proofs/path_length.md, Lemma 3): the
 * small counters hold the block at hand, of at most PDPR_I_ROUTING_BLOCK routes a pair. */
enum { PDPR_I_ROUTING_BLOCK = 1 << 20 };

typedef struct {
    uint32_t *times; /* [num_pairs]: routes given for the pair */
    uint64_t *load;  /* [N]: routes through the node */
    uint64_t cost;   /* hops, at least l, and L for each route given up */
    /* of the blocks before */
    pdpr_i_wide *past_load, past_cost;
    uint64_t past_times; /* the same for every pair */
} pdpr_i_route_mix;

pdpr_status pdpr_i_route_mix_init(pdpr_context *ctx, const pdpr_i_routing *r, pdpr_i_route_mix *out,
                                  pdpr_error *err);
void pdpr_i_route_mix_clear(pdpr_i_route_mix *mix);
void pdpr_i_route_mix_empty(const pdpr_i_routing *r, pdpr_i_route_mix *mix);

/* Adds a route for pair i: the nodes of a path of g from one end to the other, or length 0 to give
 * the pair up. False, and nothing added, if it is no such path, has more than L nodes, or the block
 * is full for this pair. O(length log degree). */
bool pdpr_i_route_mix_add(const pdpr_i_routing *r, pdpr_i_route_mix *mix, uint32_t i,
                          const uint32_t *path, uint32_t length);

/* Starts a new block, if every pair has as many routes in this one; else the mixture stays uneven
 * and the upper bound says no. */
void pdpr_i_route_mix_end_block(const pdpr_i_routing *r, pdpr_i_route_mix *mix);

/* Has every pair the same number T > 0 of routes? If so *value = (cost + (L - l) sum_v max(0,
 * load_v - c T)) / T rounded up to units of 2^-20: an upper bound of F by weak duality. False also
 * for a bound beyond 63 bits, which is of no use. */
bool pdpr_i_routing_upper(const pdpr_i_routing *r, const pdpr_i_route_mix *mix, int64_t *value);

/* ---------------------------------------------------------------- solver (untrusted) */

/* From this round on the solver keeps to the schedule of Theorem 3, spare_looks or not. */
enum { PDPR_I_ROUTING_SURE_ROUND = 16 };

typedef struct {
    int64_t lo, hi; /* units of 2^-20 */
    uint64_t looks; /* arcs that were looked at: how much work it was */
} pdpr_i_routing_bounds;

/* Whether the gap (units of 2^-20) can be reached on the grid of prices on every input: a public
 * condition on the sizes. */
bool pdpr_i_routing_can_reach(const pdpr_i_routing *r, int64_t gap);

/* Bounds of F at most `gap` apart, if pdpr_i_routing_can_reach says so. Ends on the certificate
 * only, and on every input, after at most 2^59 turns of a round (Theorem 3). Errors: PDPR_ENOMEM,
 * PDPR_ECANCELLED. */
pdpr_status pdpr_i_routing_solve(pdpr_context *ctx, const pdpr_i_routing *r, int64_t gap,
                                 pdpr_i_routing_bounds *out, pdpr_error *err);

/* The same, but gives up after so many rounds, and after the round in which the searches have
 * looked at so many arcs: for public graphs only. */
pdpr_status pdpr_i_routing_approach(pdpr_context *ctx, const pdpr_i_routing *r, int64_t gap,
                                    uint32_t most_rounds, uint64_t most_looks,
                                    pdpr_i_routing_bounds *out, pdpr_error *err);

#endif
