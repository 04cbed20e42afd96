/* The blueprint's plan: shares that add up, queries that noise would drown left out, gaps that are
 * charged for. */
#include "support/support.h"
#include "blueprint/blueprint.h"
#include "blueprint/routing.h"

#include <math.h>
#include <string.h>

enum { UNIT = 100000 }; /* epsilon in units of 1e-5 is a whole number in all these tests */

static const uint32_t sizes[] = {2, 3, 10, 1000, 1000000};

/* Epsilons that are not exact in binary are among them, on both sides of the decimal. */
static const uint64_t units[] = {100, 101, 10000, 29000, 57000, 100000, 113001, 320000, 5000000};

static void plan_shares_sum_to_epsilon_exactly(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (size_t j = 0; j < sizeof units / sizeof *units; j++) {
            pdpr_i_bp_plan p;
            assert_ok(pdpr_i_bp_plan_make(sizes[i], (double)units[j] / UNIT, &p, NULL));
            uint64_t sum = 0;
            for (int c = 0; c < PDPR_I_BP_CHARGES; c++) {
                bool asks = pdpr_i_bp_asked_together(&p, (pdpr_i_bp_charge)c, NULL) > 0;
                assert_int_equal(p.charge[c].num > 0, asks);
                assert_int_equal(p.charge[c].den, p.charge[PDPR_I_BP_CURVE].den);
                sum += p.charge[c].num;
            }
            uint64_t den = p.charge[PDPR_I_BP_CURVE].den;
            assert_int_equal(den % UNIT, 0);
            assert_int_equal(sum, den / UNIT * units[j]); /* nothing over, nothing wasted */
            assert_int_equal(p.num_nodes, sizes[i]);
        }
}

/* A release keeps the plan's epsilon and makes the plan again from it. */
static void plan_made_again_from_its_epsilon_is_the_same(void **state)
{
    (void)state;
    for (uint64_t u = 100; u <= 5000000; u += u < 400000 ? 1 : 997) {
        pdpr_i_bp_plan p, again;
        assert_ok(pdpr_i_bp_plan_make(1000, (double)u / UNIT, &p, NULL));
        assert_ok(pdpr_i_bp_plan_make(1000, p.epsilon, &again, NULL));
        assert_memory_equal(p.charge, again.charge, sizeof p.charge);
        assert_memory_equal(p.asks, again.asks, sizeof p.asks);
    }
}

static void plan_takes_epsilon_down_to_its_unit(void **state)
{
    (void)state;
    pdpr_i_bp_plan p, q;
    assert_ok(pdpr_i_bp_plan_make(1000, 1.000009999, &p, NULL));
    assert_ok(pdpr_i_bp_plan_make(1000, 1, &q, NULL));
    assert_memory_equal(p.charge, q.charge, sizeof p.charge);
    assert_ok(pdpr_i_bp_plan_make(1000, nextafter(1, 0), &p, NULL));
    assert_true(p.epsilon < 1);
}

static void plan_candidates_are_below_the_number_of_nodes(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        pdpr_i_bp_plan p;
        assert_ok(pdpr_i_bp_plan_make(sizes[i], 1, &p, NULL));
        assert_in_range(p.num_thetas, 1, p.num_grid);
        assert_in_range(p.num_grid, 1, PDPR_I_BP_MOST_THETAS);
        for (uint32_t k = 0; k < p.num_grid; k++)
            assert_true(k == 0 ||
                        (p.theta_grid[k] > p.theta_grid[k - 1] && p.theta_grid[k] < sizes[i]));
    }
}

/* Queries that could not be told from noise are left out. */
static void plan_leaves_out_what_noise_would_drown(void **state)
{
    (void)state;
    pdpr_i_bp_plan p;
    assert_ok(pdpr_i_bp_plan_make(10, 0.1, &p, NULL));
    assert_false(p.asks[PDPR_I_BP_THETA]);
    assert_false(p.asks[PDPR_I_BP_FOREST]);
    assert_false(p.asks[PDPR_I_BP_INDEX_LOW]);
    assert_false(p.asks[PDPR_I_BP_INDEX_HIGH]);
    assert_ok(pdpr_i_bp_plan_make(10000, 1, &p, NULL));
    for (int q = 0; q < PDPR_I_BP_QUERIES; q++)
        assert_true(p.asks[q]);
    assert_ok(pdpr_i_bp_plan_make(1000000, 1, &p, NULL)); /* its solver would be too slow */
    assert_false(p.asks[PDPR_I_BP_FOREST]);
    assert_true(p.asks[PDPR_I_BP_INDEX_LOW]);
}

/* What is left is as precise as before, nothing costs more, and a second time changes nothing. */
static void plan_without_a_query_leaves_the_others_as_they_were(void **state)
{
    (void)state;
    for (int left_out = 0; left_out < PDPR_I_BP_QUERIES; left_out++) {
        pdpr_i_bp_plan p, without, again;
        assert_ok(pdpr_i_bp_plan_make(10000, 3.2, &p, NULL));
        without = p;
        pdpr_i_bp_leave_out(&without, (pdpr_i_bp_query)left_out);
        assert_false(without.asks[left_out]);
        assert_true(pdpr_i_bp_precision(&without, (pdpr_i_bp_query)left_out) == 0);
        for (int q = 0; q < PDPR_I_BP_QUERIES; q++)
            if (q != left_out) {
                double before = pdpr_i_bp_precision(&p, (pdpr_i_bp_query)q);
                assert_true(without.asks[q]);
                assert_close(pdpr_i_bp_precision(&without, (pdpr_i_bp_query)q), before,
                             1e-5 * before);
            }
        for (int c = 0; c < PDPR_I_BP_CHARGES; c++) {
            bool asks = pdpr_i_bp_asked_together(&without, (pdpr_i_bp_charge)c, NULL) > 0;
            assert_int_equal(without.charge[c].num > 0, asks);
            assert_true(without.charge[c].num <= p.charge[c].num);
        }
        again = without;
        pdpr_i_bp_leave_out(&again, (pdpr_i_bp_query)left_out);
        assert_memory_equal(again.charge, without.charge, sizeof again.charge);
    }
}

/* Components to half a unit, path lengths to a quarter of their window. */
static void questions_of_small_graphs_are_certified_closely(void **state)
{
    (void)state;
    static const struct {
        uint32_t nodes, pairs_a_node;
    } asked[] = {{2, 4},     {1000, 4},  {12000, 4}, {12001, 3}, {16000, 3}, {16001, 2},
                 {24000, 2}, {24001, 1}, {30000, 1}, {30001, 1}, {50000, 1}};
    static const double epsilons[] = {0.01, 1, 3.2, 50};
    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++)
        for (size_t j = 0; j < sizeof epsilons / sizeof *epsilons; j++) {
            pdpr_i_bp_plan p;
            assert_ok(pdpr_i_bp_plan_make(asked[i].nodes, epsilons[j], &p, NULL));
            assert_int_equal(pdpr_i_bp_forest_gap(asked[i].nodes, p.epsilon), 1);
            uint64_t cap = pdpr_i_bp_forest_cap(asked[i].nodes, p.epsilon);
            assert_in_range(cap, 6, 256);
            assert_true(asked[i].nodes * p.epsilon > 27000 || cap == 6);
            assert_true(asked[i].nodes * p.epsilon < 40000 || cap > 7);
            assert_int_equal(pdpr_i_bp_forest_sensitivity(&p), 2 * cap + 1);
            for (uint32_t horizon = 2; horizon <= 256 && asked[i].nodes <= 30000; horizon++)
                for (uint32_t floor = 0; floor < horizon; floor += 1 + horizon / 8) {
                    const pdpr_i_path_window window = {floor, horizon};
                    uint32_t cap_of_pairs = asked[i].pairs_a_node;
                    double pairs = fmin(2 * sqrt(asked[i].nodes), asked[i].nodes / (1.2 * horizon));
                    uint64_t width = cap_of_pairs * (horizon - (floor > 1 ? floor : 1));
                    pdpr_i_path_question q = pdpr_i_bp_path_question(&p, window, 0);
                    assert_int_equal(q.cap, cap_of_pairs);
                    assert_int_equal(q.num_pairs, (uint32_t)(cap_of_pairs * fmax(pairs, 1)));
                    assert_int_equal(q.horizon, horizon);
                    assert_int_equal(q.floor, floor);
                    assert_int_equal(pdpr_i_path_sensitivity(&q), width);
                    uint64_t gap = pdpr_i_bp_path_gap(&p, window);
                    pdpr_graph size = {.num_nodes = asked[i].nodes};
                    const pdpr_i_routing r = {
                        .g = &size, .num_pairs = q.num_pairs, .horizon = horizon, .cap = q.cap};
                    assert_int_equal(gap, (width + 1) / 2);
                    /* windows that are asked begin in their first half */
                    assert_true(
                        floor > horizon / 2 ||
                        pdpr_i_routing_can_reach(&r, (int64_t)(gap * PDPR_I_ROUTING_HOP / 2) -
                                                         PDPR_I_ROUTING_HOP / 16));
                    assert_int_equal(pdpr_i_bp_path_sensitivity(&p, window),
                                     2 * width + (width + 1) / 2);
                }
        }
}

/* Beyond them: gaps that are charged, that noise can bear, that the solvers can reach. */
static void questions_of_large_graphs_keep_noise_far_below_the_signal(void **state)
{
    (void)state;
    static const uint32_t nodes[] = {50001, 62549, 120000, 410236, 500000};
    static const double epsilons[] = {0.1, 1, 1.6, 3.2, 50};
    for (size_t i = 0; i < sizeof nodes / sizeof *nodes; i++)
        for (size_t j = 0; j < sizeof epsilons / sizeof *epsilons; j++) {
            pdpr_i_bp_plan p;
            assert_ok(pdpr_i_bp_plan_make(nodes[i], epsilons[j], &p, NULL));
            uint64_t gap = pdpr_i_bp_forest_gap(nodes[i], p.epsilon);
            assert_in_range(gap, 1, 1 + 2 * nodes[i] / 1300);
            assert_true(j == 0 || gap >= pdpr_i_bp_forest_gap(nodes[i], epsilons[j - 1]));
            uint64_t cap = pdpr_i_bp_forest_cap(nodes[i], p.epsilon);
            assert_int_equal(pdpr_i_bp_forest_sensitivity(&p), 2 * cap + gap);
            assert_true(p.asks[PDPR_I_BP_FOREST]);
            double scale = (double)pdpr_i_bp_forest_sensitivity(&p) / 2 /
                           pdpr_i_bp_precision(&p, PDPR_I_BP_FOREST);
            assert_true(scale < 0.011 * nodes[i] / fmin(epsilons[j], 3.2));
            assert_true(epsilons[j] < 3.2 || scale < 0.0035 * nodes[i]);
            for (uint32_t horizon = 4; horizon <= 256; horizon += 2) {
                const pdpr_i_path_window window = {1, horizon};
                pdpr_i_path_question q = pdpr_i_bp_path_question(&p, window, 0);
                pdpr_graph size = {.num_nodes = nodes[i]};
                const pdpr_i_routing r = {
                    .g = &size, .num_pairs = q.num_pairs, .horizon = horizon, .cap = q.cap};
                uint64_t half = pdpr_i_bp_path_gap(&p, window);
                assert_int_equal(half, horizon - 1);
                assert_int_equal(pdpr_i_bp_path_sensitivity(&p, window), 3 * (horizon - 1));
                assert_int_equal(q.cap, 1);
                assert_in_range(q.num_pairs, 1, 1200);
                assert_true(pdpr_i_routing_can_reach(&r, (int64_t)(half * PDPR_I_ROUTING_HOP / 2) -
                                                             PDPR_I_ROUTING_HOP / 16));
            }
        }
}

static void plan_out_of_range_is_refused(void **state)
{
    (void)state;
    pdpr_i_bp_plan p;
    pdpr_error err;
    for (uint32_t n = 0; n < 2; n++)
        assert_int_equal(pdpr_i_bp_plan_make(n, 1, &p, &err), PDPR_EUSAGE);
    assert_string_equal(err.text,
                        "method blueprint: expected a graph of at least 2 nodes, found 1");
    const double bad[] = {0, -1, 0.00099, 50.001, 1e300, INFINITY, NAN};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_int_equal(pdpr_i_bp_plan_make(100, bad[i], &p, &err), PDPR_EUSAGE);
    assert_non_null(strstr(err.text, "from 0.001 to 50"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plan_shares_sum_to_epsilon_exactly),
        cmocka_unit_test(plan_made_again_from_its_epsilon_is_the_same),
        cmocka_unit_test(plan_takes_epsilon_down_to_its_unit),
        cmocka_unit_test(plan_candidates_are_below_the_number_of_nodes),
        cmocka_unit_test(plan_leaves_out_what_noise_would_drown),
        cmocka_unit_test(plan_without_a_query_leaves_the_others_as_they_were),
        cmocka_unit_test(questions_of_small_graphs_are_certified_closely),
        cmocka_unit_test(questions_of_large_graphs_keep_noise_far_below_the_signal),
        cmocka_unit_test(plan_out_of_range_is_refused),
    };
    return cmocka_run_group_tests_name("blueprint: plan", tests, NULL, NULL);
}
