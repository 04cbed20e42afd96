/* What a proposal proves: the trusted part of the routing solver, in integers.
 *
 * Lower bound: any prices, with the exact cheapest path of every pair. Upper bound: any mixture of
 * real paths, every pair joined equally often. Nothing here depends on how a proposal was found.
 * Proof: docs/proofs/path_length.md, Lemmas 1 and 2. */
#include "blueprint/routing.h"

#include <string.h>

static const int64_t HOP = PDPR_I_ROUTING_HOP;

pdpr_status pdpr_i_routing_lower(pdpr_context *ctx, const pdpr_i_routing *r, const uint32_t *x,
                                 pdpr_i_route_search *search, bool *valid, int64_t *value,
                                 pdpr_error *err)
{
    return pdpr_i_routing_lower_visit(ctx, r, x, search, NULL, NULL, valid, value, err);
}

pdpr_status pdpr_i_routing_lower_visit(pdpr_context *ctx, const pdpr_i_routing *r,
                                       const uint32_t *x, pdpr_i_route_search *search,
                                       pdpr_i_route_visit visit, void *user, bool *valid,
                                       int64_t *value, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    pdpr_i_wide sum = 0; /* prices alone may come to c N L 2^20 = 2^68 */

    *valid = false;
    for (uint32_t v = 0; v < r->g->num_nodes; v++) {
        if (x[v] > pdpr_i_routing_most_price(r) * (uint64_t)HOP)
            return PDPR_OK;
        sum -= (uint64_t)r->cap * x[v];
    }
    for (uint32_t i = 0; i < r->num_pairs; i++) {
        if (i % 64 == 0)
            PDPR_TRY(pdpr_i_check_cancelled(ctx, err));
        sum += pdpr_i_route(r, x, i, search);
        if (visit)
            PDPR_TRY(visit(user, i, err));
    }
    *valid = sum >= INT64_MIN;
    *value = *valid ? (int64_t)sum : 0; /* at most P L 2^20 = 2^54 */
done:
    return s;
}

pdpr_status pdpr_i_route_mix_init(pdpr_context *ctx, const pdpr_i_routing *r, pdpr_i_route_mix *out,
                                  pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    pdpr_i_route_mix mix = {0};
    PDPR_TRY(pdpr_i_zalloc(ctx, r->num_pairs, sizeof *mix.times, "routes", &mix.times, err));
    PDPR_TRY(pdpr_i_zalloc(ctx, r->g->num_nodes, sizeof *mix.load, "routes", &mix.load, err));
    PDPR_TRY(
        pdpr_i_zalloc(ctx, r->g->num_nodes, sizeof *mix.past_load, "routes", &mix.past_load, err));
    *out = mix;
    memset(&mix, 0, sizeof mix);
done:
    pdpr_i_route_mix_clear(&mix);
    return s;
}

void pdpr_i_route_mix_clear(pdpr_i_route_mix *mix)
{
    pdpr_free(mix->times);
    pdpr_free(mix->load);
    pdpr_free(mix->past_load);
    memset(mix, 0, sizeof *mix);
}

static void empty_block(const pdpr_i_routing *r, pdpr_i_route_mix *mix)
{
    memset(mix->times, 0, r->num_pairs * sizeof *mix->times);
    memset(mix->load, 0, r->g->num_nodes * sizeof *mix->load);
    mix->cost = 0;
}

void pdpr_i_route_mix_empty(const pdpr_i_routing *r, pdpr_i_route_mix *mix)
{
    empty_block(r, mix);
    if (mix->past_times > 0) /* a round of more than a block: they are not touched else */
        memset(mix->past_load, 0, r->g->num_nodes * sizeof *mix->past_load);
    mix->past_cost = 0;
    mix->past_times = 0;
}

/* Whether every pair has as many routes in this block as the first. */
static bool is_even(const pdpr_i_routing *r, const pdpr_i_route_mix *mix)
{
    for (uint32_t i = 0; i < r->num_pairs; i++)
        if (mix->times[i] != mix->times[0])
            return false;
    return true;
}

void pdpr_i_route_mix_end_block(const pdpr_i_routing *r, pdpr_i_route_mix *mix)
{
    if (r->num_pairs == 0 || !is_even(r, mix))
        return;
    for (uint32_t v = 0; v < r->g->num_nodes; v++)
        mix->past_load[v] += mix->load[v];
    mix->past_cost += mix->cost;
    mix->past_times += mix->times[0];
    empty_block(r, mix);
}

bool pdpr_i_route_mix_add(const pdpr_i_routing *r, pdpr_i_route_mix *mix, uint32_t i,
                          const uint32_t *path, uint32_t length)
{
    const uint32_t *ends = r->pair[i];
    if (mix->times[i] == PDPR_I_ROUTING_BLOCK || length > r->horizon)
        return false;
    if (length == 0) {
        mix->cost += r->horizon;
    } else {
        if (length < 2 || path[0] != ends[0] || path[length - 1] != ends[1])
            return false;
        for (uint32_t k = 0; k + 1 < length; k++)
            if (!pdpr_i_graph_has_arc(r->g, path[k], path[k + 1]))
                return false;
        for (uint32_t k = 0; k < length; k++)
            mix->load[path[k]]++;
        mix->cost += pdpr_i_routing_hops(r, length - 1);
    }
    mix->times[i]++;
    return true;
}

bool pdpr_i_routing_upper(const pdpr_i_routing *r, const pdpr_i_route_mix *mix, int64_t *value)
{
    uint64_t times = r->num_pairs > 0 ? mix->past_times + mix->times[0] : 1;
    pdpr_i_wide sum = mix->past_cost + mix->cost, allowed = (pdpr_i_wide)r->cap * times;

    if (times == 0 || !is_even(r, mix))
        return false;
    for (uint32_t v = 0; v < r->g->num_nodes; v++) {
        pdpr_i_wide load = mix->past_load[v] + mix->load[v];
        if (load > allowed)
            sum += pdpr_i_routing_most_price(r) * (load - allowed);
    }
    pdpr_i_wide rounded_up = (sum * HOP + times - 1) / times;
    if (rounded_up > INT64_MAX)
        return false;
    *value = (int64_t)rounded_up;
    return true;
}
