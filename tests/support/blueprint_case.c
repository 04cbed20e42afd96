#include "support/blueprint_case.h"

#include "support/neighbours.h"
#include "support/noise_support.h"
#include "method/blueprint_part.h"

pdpr_i_meter *test_bp_meter(pdpr_context *ctx, const pdpr_i_bp_plan *p, uint64_t seed)
{
    pdpr_i_charge charges[PDPR_I_BP_CHARGES];
    return noise_meter(ctx, charges, pdpr_i_bp_charges(p, charges), seed);
}

void test_bp_measure(pdpr_context *ctx, const pdpr_graph *g, double epsilon, uint64_t seed,
                     pdpr_i_bp_plan *p, pdpr_i_bp_numbers *x)
{
    assert_ok(pdpr_i_bp_plan_make(g->num_nodes, epsilon, p, NULL));
    pdpr_i_meter *meter = test_bp_meter(ctx, p, seed);
    assert_ok(pdpr_i_bp_measure(ctx, g, p, meter, x, NULL));
    pdpr_i_meter_free(meter);
}

pdpr_graph *test_bp_odd_graph(pdpr_context *ctx, int number)
{
    static const uint32_t edge[] = {3, 7};
    uint32_t pairs[200], count = 0;
    switch (number) {
    case 0:
        return test_graph_empty(ctx, 2);
    case 1:
        return test_graph_path(ctx, 2);
    case 2:
        return test_graph_empty(ctx, 300); /* all isolated */
    case 3:
        return test_graph(ctx, 50, edge, 1);
    case 4:
        return test_graph_star(ctx, 200);
    case 5:
        return test_graph_complete(ctx, 40);
    case 6:
        return test_graph_path(ctx, 200);
    case 7:
        return test_graph_complete(ctx, 3);
    default: /* two cliques of seven and a bridge */
        for (uint32_t u = 0; u < 14; u++)
            for (uint32_t v = u + 1; v < 14; v++)
                if (u / 7 == v / 7 || (u == 6 && v == 7)) {
                    pairs[count++] = u;
                    pairs[count++] = v;
                }
        return test_graph(ctx, 14, pairs, count / 2);
    }
}

uint64_t test_bp_triangle_steps(uint32_t cap)
{
    return 2 * (uint64_t)cap + 1 + cap / 16;
}

void test_bp_fit(pdpr_context *ctx, const pdpr_i_bp_plan *p, const pdpr_i_bp_numbers *x,
                 uint32_t *degree, pdpr_i_build_targets *targets)
{
    pdpr_i_stream random = noise_stream(1, 0);
    assert_ok(pdpr_i_bp_fit(ctx, p, x, &random, degree, targets, NULL));
    assert_int_equal(targets->num_nodes, p->num_nodes);
    for (uint32_t u = 0; u < p->num_nodes; u++)
        assert_true(degree[u] < p->num_nodes);
}

void test_bp_fit_structure(pdpr_context *ctx, const pdpr_i_bp_plan *p, const pdpr_i_bp_numbers *x,
                           uint32_t *degree, pdpr_i_build_targets *targets)
{
    pdpr_i_stream random = noise_stream(1, 0);
    assert_ok(pdpr_i_bp_fit_structure(ctx, p, x, &random, degree, targets, NULL));
    for (uint32_t u = 0; u < p->num_nodes; u++)
        assert_true(degree[u] < p->num_nodes && (u == 0 || degree[u] <= degree[u - 1]));
}

void test_bp_fit_graph(pdpr_context *ctx, const pdpr_graph *g, double epsilon, uint32_t *degree,
                       pdpr_i_build_targets *targets)
{
    pdpr_i_bp_plan p;
    pdpr_i_bp_numbers x = {0};
    test_bp_measure(ctx, g, epsilon, 4, &p, &x);
    test_bp_fit(ctx, &p, &x, degree, targets);
    pdpr_i_bp_numbers_clear(&x);
}
