/* An attempt to refute the blueprint's claim for its edge count: the worst pair of neighbours, many
 * seeded runs in each world, and the best test that tells them apart.
 *
 * Node 0 has theta links in one world and none in the other, so the projected edges differ by
 * theta, the whole sensitivity. A threshold between the two counts is the likelihood-ratio test of
 * Laplace noise; its errors bound epsilon from below (Clopper and Pearson). The bound may exceed
 * the share with probability 1e-6 at most, and must come near it, or the check could see nothing.
 */
#include "support/noise_support.h"
#include "support/audit.h"
#include "blueprint/blueprint.h"
#include "blueprint/measure_projection.h"

#include <math.h>

enum { RUNS = 20000, NODES = 60, THETA = 8, OTHER_EDGES = 5 };

/* Projected edges at the cap THETA of the graph in which node 0 has `links` links. */
static int64_t projected_edges(pdpr_context *ctx, uint32_t links)
{
    uint32_t pairs[2 * (THETA + OTHER_EDGES)], count = 0;
    for (uint32_t i = 0; i < OTHER_EDGES; i++, count++) {
        pairs[2 * count] = 40 + 2 * i;
        pairs[2 * count + 1] = 41 + 2 * i;
    }
    for (uint32_t i = 0; i < links; i++, count++) {
        pairs[2 * count] = 0;
        pairs[2 * count + 1] = 1 + i;
    }
    pdpr_graph *g = test_graph(ctx, NODES, pairs, count);
    pdpr_i_projection p = {0};
    const uint32_t cap = THETA;
    assert_ok(pdpr_i_projection_measure(ctx, g, 1, 1, &cap, 1, &p, NULL));
    int64_t edges = (int64_t)p.edges[0];
    pdpr_i_projection_clear(&p);
    pdpr_graph_free(g);
    return edges;
}

/* One release of the query `edges`, by the steps of blueprint_measure.c. */
static int64_t release_edges(pdpr_context *ctx, pdpr_i_ratio share, int64_t edges, uint64_t seed)
{
    const char *label = pdpr_i_bp_query_name(PDPR_I_BP_EDGES);
    const pdpr_i_charge charge = noise_pure_charge(label, share.num, share.den);
    pdpr_i_meter *meter = noise_meter(ctx, &charge, 1, seed);
    pdpr_i_laplace_request request = {.label = label, .l1_sensitivity = THETA};
    int64_t out = 0;
    assert_ok(pdpr_i_laplace_rate(share, THETA, &request.rate, NULL));
    assert_ok(pdpr_i_release_laplace(meter, &request, &edges, 1, &out, NULL));
    pdpr_i_meter_free(meter);
    return out;
}

static void edge_count_leaks_its_share_of_epsilon_and_no_more(void **state)
{
    (void)state;
    static const double epsilons[] = {20, 50}; /* shares of 1.4 and more: attacks with power */
    pdpr_context *ctx = test_context(1);
    int64_t with = projected_edges(ctx, THETA), without = projected_edges(ctx, 0);
    assert_int_equal(with - without, THETA); /* the pair reaches the sensitivity */
    for (int e = 0; e < 2; e++) {
        pdpr_i_bp_plan plan;
        assert_ok(pdpr_i_bp_plan_make(NODES, epsilons[e], &plan, NULL));
        double share = pdpr_i_bp_share(&plan, PDPR_I_BP_EDGES);
        uint64_t missed = 0, raised = 0;
        /* answers of `with` and above: half of one world, and e^-share of that in the other */
        for (uint64_t seed = 0; seed < RUNS; seed++) {
            missed += release_edges(ctx, plan.share[PDPR_I_BP_EDGES], with, seed) < with;
            raised += release_edges(ctx, plan.share[PDPR_I_BP_EDGES], without, RUNS + seed) >= with;
        }
        double bound = epsilon_lower_bound(missed, raised, RUNS, RUNS, 0, 1e-6);
        print_message("share %.4f: at least %.4f\n", share, bound);
        assert_true(bound <= share);
        assert_true(bound > share / 2);
    }
    pdpr_context_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(edge_count_leaks_its_share_of_epsilon_and_no_more),
    };
    return cmocka_run_group_tests_name("blueprint release", tests, NULL, NULL);
}
