/* The robust path length: public pairs, and the routing problem between them.
 *
 * One node can turn every distance of a graph into 2, so distances themselves cannot be measured.
 * What can: the cost of joining P public pairs when every node carries c of them for nothing and
 * each more at L - l. A node that changes its edges arbitrarily can gain or lose c paths, each
 * worth between l and L: the sensitivity is c (L - l), whatever the graph. On a graph without
 * bottlenecks the value is the sum of the distances, those below l or above L taken for l or L: a
 * window where distances are is told with less noise than all of them.
 *
 * Pairs instead of trees from sources: a node that is in one pair has a load of one, so P may be as
 * small as the noise allows, and a pair is found by two balls of half the distance. Source of the
 * idea of pricing nodes: the blueprint study, Q5. */
#include "blueprint/measure_path_length.h"

#include "dp/random_stream.h"

enum { SHIFT = PDPR_I_ROUTING_BITS - PDPR_I_INTERVAL_BITS, PUBLIC_ROUNDS = 6 };
/* Of large graphs, in arcs: what the searching turns of a round look at, and of public ones what
 * all do, some three seconds. */
enum { ROUND_LOOKS = 120000000, PUBLIC_LOOKS = 100000000 };
/* Lower bounds are near the optimum long before upper ones are. */
static const double towards_upper = 0.2;

uint64_t pdpr_i_path_sensitivity(const pdpr_i_path_question *question)
{
    uint32_t floor = pdpr_i_least_hops(question->floor);
    return question->horizon > floor ? question->cap * (uint64_t)(question->horizon - floor) : 0;
}

pdpr_status pdpr_i_path_pairs(pdpr_context *ctx, uint32_t num_nodes,
                              const pdpr_i_path_question *question, uint32_t (*pair)[2],
                              pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    uint32_t *order = NULL, at = num_nodes;
    pdpr_i_key key;
    pdpr_i_stream random;

    pdpr_i_key_from_seed(question->public_seed, &key);
    pdpr_i_stream_init(&random, &key, PDPR_I_PURPOSE_PATH_PAIRS, question->index);
    PDPR_TRY(pdpr_i_alloc(ctx, num_nodes, sizeof *order, "path pairs", &order, err));
    for (uint32_t u = 0; u < num_nodes; u++)
        order[u] = u;
    for (uint32_t i = 0; i < question->num_pairs; i++, at += 2) {
        if (at + 1 >= num_nodes) { /* all nodes used: a new order */
            for (uint32_t k = num_nodes; k > 1; k--) {
                uint64_t j = pdpr_i_stream_below(&random, k);
                uint32_t t = order[k - 1];
                order[k - 1] = order[j];
                order[j] = t;
            }
            at = 0;
        }
        pair[i][0] = order[at];
        pair[i][1] = order[at + 1];
    }
done:
    pdpr_i_stream_wipe(&random);
    pdpr_free(order);
    return s;
}

/* The routing problem of a question; the caller frees r->pair. */
static pdpr_status pose(pdpr_context *ctx, const pdpr_graph *g, const pdpr_i_path_question *q,
                        pdpr_i_routing *out, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    pdpr_i_routing r = {.g = g,
                        .num_pairs = q->num_pairs,
                        .horizon = q->horizon,
                        .floor = q->floor,
                        .cap = q->cap,
                        .spare_looks = g->num_nodes > PDPR_I_PATH_LARGE ? ROUND_LOOKS : 0};

    if (g->directed || g->num_nodes < 2)
        return pdpr_i_fail(err, PDPR_EUSAGE,
                           "path length: expected an undirected graph of at least 2 nodes");
    if (q->horizon < 2 || q->horizon > PDPR_I_ROUTING_MOST_HORIZON || q->floor >= q->horizon ||
        q->cap < 1 || q->cap > PDPR_I_ROUTING_MOST_CAP || q->num_pairs < 1 ||
        q->num_pairs > PDPR_I_ROUTING_MOST_PAIRS)
        return pdpr_i_fail(err, PDPR_EUSAGE,
                           "path length: expected a horizon of 2..1024, a floor below it, a cap of "
                           "1..64 and 1..2^24 pairs, found %" PRIu32 ", %" PRIu32 ", %" PRIu32
                           " and %" PRIu32,
                           q->horizon, q->floor, q->cap, q->num_pairs);
    if (q->floor > 1 && (q->horizon > PDPR_I_ROUTING_MOST_FLOORED ||
                         g->num_nodes > PDPR_I_ROUTING_MOST_NODES_FLOORED))
        return pdpr_i_fail(err, PDPR_EUSAGE,
                           "path length: expected with a floor a horizon of at most 64 and fewer "
                           "than 2^26 nodes, found %" PRIu32 " and %" PRIu32,
                           q->horizon, g->num_nodes);
    PDPR_TRY(pdpr_i_alloc(ctx, q->num_pairs, sizeof *r.pair, "path pairs", &r.pair, err));
    PDPR_TRY(pdpr_i_path_pairs(ctx, g->num_nodes, q, r.pair, err));
    *out = r;
    r.pair = NULL;
done:
    pdpr_free(r.pair);
    return s;
}

pdpr_status pdpr_i_path_length(pdpr_context *ctx, const pdpr_graph *g,
                               const pdpr_i_path_question *question, uint64_t gamma,
                               pdpr_i_interval *out, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    pdpr_i_routing r = {0};
    pdpr_i_routing_bounds b;

    PDPR_TRY(pose(ctx, g, question, &r, err));
    /* lo is rounded down and hi up to 2^-16, so the solver must come closer by two units. */
    int64_t gap = gamma > 2 && gamma < UINT64_C(1) << 40 ? (int64_t)(gamma - 2) << SHIFT : 0;
    if (!pdpr_i_routing_can_reach(&r, gap)) {
        s = pdpr_i_fail(err, PDPR_EUSAGE,
                        "path length: gamma of %" PRIu64 " / 2^16 is out of reach for %" PRIu32
                        " nodes and %" PRIu32 " pairs",
                        gamma, g->num_nodes, r.num_pairs);
        goto done;
    }
    PDPR_TRY(pdpr_i_routing_solve(ctx, &r, gap, &b, err));
    /* The solver is not trusted with this either: what has no small gap must not leave. */
    if (b.lo < 0 || b.hi < b.lo || b.hi - b.lo > gap) {
        s = pdpr_i_fail(err, PDPR_EFAILED, "path length: the solver ended without a certificate");
        goto done;
    }
    *out = pdpr_i_interval_around(0, b.lo, b.hi, PDPR_I_ROUTING_BITS);
done:
    pdpr_free(r.pair);
    return s;
}

pdpr_status pdpr_i_path_length_about(pdpr_context *ctx, const pdpr_graph *g,
                                     const pdpr_i_path_question *question, double gap, double *out,
                                     pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    pdpr_i_routing r = {0};
    pdpr_i_routing_bounds b;

    PDPR_TRY(pose(ctx, g, question, &r, err));
    PDPR_TRY(pdpr_i_routing_approach(ctx, &r, (int64_t)(gap * PDPR_I_ROUTING_HOP), PUBLIC_ROUNDS,
                                     g->num_nodes > PDPR_I_PATH_LARGE ? PUBLIC_LOOKS : UINT64_MAX,
                                     &b, err));
    *out = ((1 - towards_upper) * (double)b.lo + towards_upper * (double)b.hi) / PDPR_I_ROUTING_HOP;
done:
    pdpr_free(r.pair);
    return s;
}

pdpr_status pdpr_i_path_length_plain(pdpr_context *ctx, const pdpr_graph *g,
                                     const pdpr_i_path_question *question, double *out,
                                     pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    pdpr_i_routing r = {0};
    pdpr_i_route_search search = {0};
    uint32_t *x = NULL; /* no prices */
    int64_t value;
    bool valid;

    PDPR_TRY(pose(ctx, g, question, &r, err));
    PDPR_TRY(pdpr_i_zalloc(ctx, g->num_nodes, sizeof *x, "path prices", &x, err));
    PDPR_TRY(pdpr_i_route_search_init(ctx, &r, &search, err));
    PDPR_TRY(pdpr_i_routing_lower(ctx, &r, x, &search, &valid, &value, err));
    *out = (double)value / PDPR_I_ROUTING_HOP;
done:
    pdpr_i_route_search_clear(&search);
    pdpr_free(x);
    pdpr_free(r.pair);
    return s;
}
