/* An attempt to refute the claim for a round like the blueprint's second: the worst pair of
 * neighbours, many seeded runs in each world, and the best test that tells them apart.
 *
 * Node 0 has theta links in one world and none in the other, so the projected edges differ by
 * theta, the whole sensitivity; the index that is asked together with them is taken to differ by
 * its sensitivity too. The likelihood ratio of box noise is the difference of the levels of the two
 * worlds' noises: whoever sees the answers and says "with" where it is the largest is right
 * e^epsilon times as often as wrong, and the errors of that test bound epsilon from below (Clopper
 * and Pearson). The bound may exceed the charge with probability 1e-6 at most, and must come near
 * it, or the check could see nothing. */
#include "support/noise_support.h"
#include "support/audit.h"
#include "blueprint/blueprint.h"
#include "blueprint/measure_projection.h"

#include <math.h>
#include <stdlib.h>

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

/* One release of the second round, by the steps of blueprint_measure.c. */
static void release_round(pdpr_context *ctx, pdpr_i_ratio epsilon, const int64_t *values,
                          uint64_t seed, int64_t *out)
{
    const char *label = pdpr_i_bp_charge_name(PDPR_I_BP_ROUND_2);
    const pdpr_i_charge charge = noise_pure_charge(label, epsilon.num, epsilon.den);
    pdpr_i_meter *meter = noise_meter(ctx, &charge, 1, seed);
    const uint64_t sensitivity[] = {THETA, 1};
    const pdpr_i_box_request request = {label, epsilon, 2, sensitivity};
    assert_ok(pdpr_i_release_box(meter, &request, values, out, NULL));
    pdpr_i_meter_free(meter);
}

/* The level of the noise that makes `values` of `seen`: |z_i| levels <= level D_i for both. */
static int64_t level_of(const int64_t *seen, const int64_t *values, int64_t levels)
{
    int64_t edges = llabs(seen[0] - values[0]), index = llabs(seen[1] - values[1]);
    int64_t a = (edges * levels + THETA - 1) / THETA, b = index * levels;
    return a > b ? a : b;
}

static void second_round_leaks_its_epsilon_and_no_more(void **state)
{
    (void)state;
    static const double epsilons[] = {10, 25}; /* charges of 1.4 and more: attacks with power */
    pdpr_context *ctx = test_context(1);
    const int64_t with[] = {projected_edges(ctx, THETA), 1},
                  without[] = {projected_edges(ctx, 0), 0};
    assert_int_equal(with[0] - without[0], THETA); /* the pair reaches the sensitivity */
    for (int e = 0; e < 2; e++) {
        pdpr_i_bp_plan plan;
        assert_ok(pdpr_i_bp_plan_make(NODES, epsilons[e], &plan, NULL));
        pdpr_i_ratio charge = plan.charge[PDPR_I_BP_ROUND_2];
        int64_t levels = (int64_t)pdpr_i_chunks(charge.num, charge.den);
        double epsilon = (double)charge.num / (double)charge.den;
        uint64_t missed = 0, raised = 0;
        for (uint64_t seed = 0; seed < 2 * RUNS; seed++) {
            int64_t out[2];
            bool is_with = seed < RUNS;
            release_round(ctx, charge, is_with ? with : without, seed, out);
            bool said = level_of(out, without, levels) - level_of(out, with, levels) == levels;
            missed += is_with && !said;
            raised += !is_with && said;
        }
        double bound = epsilon_lower_bound(missed, raised, RUNS, RUNS, 0, 1e-6);
        print_message("charge %.4f: at least %.4f\n", epsilon, bound);
        assert_true(bound <= epsilon);
        assert_true(bound > epsilon / 2);
    }
    pdpr_context_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(second_round_leaks_its_epsilon_and_no_more),
    };
    return cmocka_run_group_tests_name("blueprint release", tests, NULL, NULL);
}
