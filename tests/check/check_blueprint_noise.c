/* The noise of the blueprint's answers over thousands of runs, and the gaps that large graphs are
 * certified to. */
#include "support/blueprint_case.h"
#include "support/neighbours.h"
#include "support/noise_support.h"
#include "blueprint/measure_component_cap.h"
#include "method/blueprint_part.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The deviation of discrete Laplace noise of scale 1 / rate: its variance is 2 r / (1 - r)^2, r =
 * exp(-rate). */
static double laplace_deviation(double scale)
{
    double r = exp(-1 / scale);
    return sqrt(2 * r) / (1 - r);
}

/* Of a query's box noise, whose sensitivities are those of the proofs, written down once more; in
 * steps. test_box_noise.c has what the law of box noise is. */
static double box_deviation(const pdpr_i_bp_plan *p, const pdpr_i_bp_numbers *x,
                            pdpr_i_bp_query query)
{
    const uint64_t one = 1,
                   of[PDPR_I_BP_QUERIES] = {
                       [PDPR_I_BP_EDGES] = x->theta,
                       [PDPR_I_BP_EDGES_WIDE] = x->wide,
                       [PDPR_I_BP_INDEX_LOW] = one,
                       [PDPR_I_BP_INDEX_HIGH] = one,
                       [PDPR_I_BP_TRIANGLES_1] = test_bp_triangle_steps(x->triangle_cap[0]),
                       [PDPR_I_BP_TRIANGLES_2] = test_bp_triangle_steps(x->triangle_cap[1]),
                       [PDPR_I_BP_FOREST] = pdpr_i_bp_forest_sensitivity(p),
                       [PDPR_I_BP_PATHS_1] = pdpr_i_bp_path_sensitivity(p, x->window[0]),
                       [PDPR_I_BP_PATHS_2] = pdpr_i_bp_path_sensitivity(p, x->window[1])};
    static const pdpr_i_bp_query rounds[][3] = {
        {PDPR_I_BP_INDEX_LOW, PDPR_I_BP_FOREST, PDPR_I_BP_QUERIES},
        {PDPR_I_BP_EDGES, PDPR_I_BP_INDEX_HIGH, PDPR_I_BP_QUERIES},
        {PDPR_I_BP_EDGES_WIDE, PDPR_I_BP_TRIANGLES_1, PDPR_I_BP_PATHS_1},
        {PDPR_I_BP_TRIANGLES_2, PDPR_I_BP_PATHS_2, PDPR_I_BP_QUERIES}};
    static const pdpr_i_bp_charge paid_by[] = {PDPR_I_BP_ROUND_1, PDPR_I_BP_ROUND_2,
                                               PDPR_I_BP_ROUND_3, PDPR_I_BP_ROUND_4};
    for (int r = 0; r < 4; r++) {
        uint64_t sensitivity[3];
        uint32_t count = 0, at = 3;
        for (int i = 0; i < 3; i++)
            if (rounds[r][i] != PDPR_I_BP_QUERIES && p->asks[rounds[r][i]]) {
                at = rounds[r][i] == query ? count : at;
                sensitivity[count++] = of[rounds[r][i]];
            }
        pdpr_i_box box;
        if (at == 3)
            continue;
        assert_ok(pdpr_i_box_init(&box, p->charge[paid_by[r]], sensitivity, count, NULL));
        return pdpr_i_box_deviation(&box, at);
    }
    fail();
    return 0;
}

enum { RUNS = 4000, WATCHED = 5 };

/* Sum of squares of RUNS values: kurtosis 6 (box noise has less) gives the mean square a relative
 * deviation of sqrt(5 / RUNS); 4.9 of them are 1e-6, and the mean moves by sqrt(1 / RUNS). */
static void expect_deviation(const double *error, double deviation, const char *what)
{
    double sum = 0, square = 0, variance = deviation * deviation;
    for (int i = 0; i < RUNS; i++) {
        sum += error[i];
        square += error[i] * error[i];
    }
    double ratio = square / RUNS / variance, centre = sum / RUNS / sqrt(variance);
    if (fabs(ratio - 1) > 4.9 * sqrt(5.0 / RUNS) || fabs(centre) > 4.9 * sqrt(1.0 / RUNS))
        fail_msg("%s: variance %g of the declared one, mean %g deviations", what, ratio, centre);
}

/* N = 4: one candidate for the cap, so every run measures the same numbers. The truth of a triangle
 * and an isolated node: 3 edges, one node of degree <= 1, one triangle (2 halves). */
static void measure_noise_has_the_declared_scale(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    static const uint32_t triangle[] = {0, 1, 1, 2, 0, 2};
    static double error[WATCHED][RUNS];
    pdpr_graph *g = test_graph(ctx, 4, triangle, 3);
    pdpr_i_bp_plan p;
    const double epsilon = 50;
    assert_ok(pdpr_i_bp_plan_make(4, epsilon, &p, NULL));
    assert_int_equal(p.num_thetas, 1);
    double theta = p.theta_grid[0], deviation[WATCHED] = {0};
    deviation[1] = deviation[2] =
        laplace_deviation(2 * theta / pdpr_i_bp_precision(&p, PDPR_I_BP_HISTOGRAM));
    for (uint64_t seed = 0; seed < RUNS; seed++) {
        pdpr_i_bp_numbers x = {0};
        test_bp_measure(ctx, g, epsilon, seed, &p, &x);
        assert_int_equal(x.theta, p.theta_grid[0]);
        if (seed == 0) {
            deviation[0] = box_deviation(&p, &x, PDPR_I_BP_EDGES);
            deviation[3] = box_deviation(&p, &x, PDPR_I_BP_EDGES_WIDE);
            deviation[4] = box_deviation(&p, &x, PDPR_I_BP_TRIANGLES_1);
        }
        error[0][seed] = (double)(x.edges - 3);
        error[1][seed] = (double)(x.cumulative[1] - 1);
        error[2][seed] = (double)(x.cumulative[3] - 4);
        error[3][seed] = (double)(x.edges_wide - 3);
        error[4][seed] = (double)(x.triangles[0] - 2);
        pdpr_i_bp_numbers_clear(&x);
    }
    static const char *const what[WATCHED] = {"edges", "bin 1", "bin 3", "edges, wide",
                                              "triangles, in halves"};
    for (int i = 0; i < WATCHED; i++)
        expect_deviation(error[i], deviation[i], what[i]);
    pdpr_graph_free(g);
    pdpr_context_free(ctx);
}

/* Indices are asked for on larger graphs only: a ring has index 2, and 0 when shifted. */
static void measure_noise_of_the_indices_is_that_of_sensitivity_one(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    static double low[RUNS], high[RUNS];
    pdpr_graph *g = test_graph_cycle(ctx, 200);
    pdpr_i_bp_plan p;
    const double epsilon = 5;
    for (uint64_t seed = 0; seed < RUNS; seed++) {
        pdpr_i_bp_numbers x = {0};
        test_bp_measure(ctx, g, epsilon, seed, &p, &x);
        low[seed] = (double)(x.index_low - 2) / box_deviation(&p, &x, PDPR_I_BP_INDEX_LOW);
        high[seed] = (double)x.index_high / box_deviation(&p, &x, PDPR_I_BP_INDEX_HIGH);
        pdpr_i_bp_numbers_clear(&x);
    }
    assert_true(p.asks[PDPR_I_BP_INDEX_LOW]);
    expect_deviation(low, 1, "index");
    expect_deviation(high, 1, "shifted index");
    pdpr_graph_free(g);
    pdpr_context_free(ctx);
}

/* The wider count: its cap follows released numbers, and so does its noise. */
static void measure_noise_of_the_wider_count_has_the_scale_of_its_cap(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    static double error[RUNS];
    pdpr_graph *g = test_graph_cycle(ctx, 200);
    pdpr_i_bp_plan p;
    uint32_t least = UINT32_MAX, most = 0;
    for (uint64_t seed = 0; seed < RUNS; seed++) {
        pdpr_i_bp_numbers x = {0};
        test_bp_measure(ctx, g, 5, seed, &p, &x);
        assert_int_equal(x.wide, p.theta_grid[pdpr_i_bp_wide_cap(&p, &x)]);
        assert_true(x.wide >= 2 * x.theta);
        least = x.wide < least ? x.wide : least;
        most = x.wide > most ? x.wide : most;
        error[seed] = (double)(x.edges_wide - 200) / box_deviation(&p, &x, PDPR_I_BP_EDGES_WIDE);
        pdpr_i_bp_numbers_clear(&x);
    }
    assert_true(least < most); /* noise has moved it */
    expect_deviation(error, 1, "edges, wide");
    pdpr_graph_free(g);
    pdpr_context_free(ctx);
}

/* Path lengths: the horizon follows the noisy number of edges, so errors are taken in units of the
 * scale that belongs to it. An empty graph: every pair counts as the horizon. */
static void measure_noise_of_the_path_lengths_has_the_declared_scale(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    static double error[2][RUNS];
    uint32_t with_floor = 0;
    pdpr_graph *g = test_graph_empty(ctx, 60);
    pdpr_i_bp_plan p;
    for (uint64_t seed = 0; seed < RUNS; seed++) {
        pdpr_i_bp_numbers x = {0};
        test_bp_measure(ctx, g, 8, seed, &p,
                        &x); /* the forest is not asked: it would say too much */
        pdpr_i_path_window first = pdpr_i_bp_first_window(&p, &x),
                           second = pdpr_i_bp_second_window(&p, &x);
        assert_memory_equal(&x.window[0], &first, sizeof first);
        assert_memory_equal(&x.window[1], &second, sizeof second);
        with_floor += second.floor > 1;
        for (uint32_t i = 0; i < 2; i++) {
            uint32_t horizon = x.window[i].horizon;
            assert_in_range(horizon, 4, 256);
            pdpr_i_path_question question = pdpr_i_bp_path_question(&p, x.window[i], i);
            error[i][seed] = ((double)x.paths[i] - 2.0 * question.num_pairs * horizon) /
                             box_deviation(&p, &x, i == 0 ? PDPR_I_BP_PATHS_1 : PDPR_I_BP_PATHS_2);
        }
        pdpr_i_bp_numbers_clear(&x);
    }
    assert_in_range(with_floor, 1, RUNS - 1); /* noise decides whether the graph seems long */
    expect_deviation(error[0], 1, "first path length");
    expect_deviation(error[1], 1, "second path length");
    pdpr_graph_free(g);
    pdpr_context_free(ctx);
}

/* A hub for every six nodes, with five leaves each, and links at random between the hubs: what
 * leaves take of the caps makes a core that no exchange solves. */
static pdpr_graph *hard_core(pdpr_context *ctx, uint32_t hubs)
{
    uint32_t *pairs = malloc(sizeof *pairs * 2 * 10 * (size_t)hubs), count = 0;
    pdpr_i_stream random;
    pdpr_graph *g = NULL;
    assert_non_null(pairs);
    test_stream(&random, 9);
    for (uint32_t u = 0; u < hubs; u++)
        for (uint32_t k = 0; k < 5; k++) {
            pairs[count++] = u;
            pairs[count++] = hubs + 5 * u + k;
            pairs[count++] = u;
            pairs[count++] = (u + 1 + (uint32_t)pdpr_i_stream_below(&random, hubs - 1)) % hubs;
        }
    assert_ok(pdpr_graph_from_pairs(ctx, 6 * hubs, pairs, count / 2, false, &g, NULL));
    free(pairs);
    return g;
}

/* A star's forest has as many edges as its cap lets through, and the cap grows with N epsilon: what
 * is released is that number, with the noise of that cap. */
static void forest_of_a_large_star_is_the_cap(void **state)
{
    (void)state;
    enum { N = 20000, FEW = 12 };
    static uint32_t pairs[2 * (N - 1)];
    pdpr_context *ctx = test_context(1);
    pdpr_i_bp_plan p;
    double sum = 0, scale = 0;
    for (uint32_t u = 1; u < N; u++)
        pairs[2 * u - 1] = u; /* and 0 */
    pdpr_graph *g = test_graph(ctx, N, pairs, N - 1);
    for (uint64_t seed = 0; seed < FEW; seed++) {
        pdpr_i_bp_numbers x = {0};
        test_bp_measure(ctx, g, 40, seed, &p, &x);
        sum += (double)x.forest / 2 / FEW;
        scale = (double)pdpr_i_bp_forest_sensitivity(&p) / 2 /
                pdpr_i_bp_precision(&p, PDPR_I_BP_FOREST);
        pdpr_i_bp_numbers_clear(&x);
    }
    assert_int_equal(pdpr_i_bp_forest_cap(N, 40), 177);
    assert_true(scale < 40);
    /* five deviations of the mean, and what the certificate leaves open */
    assert_true(fabs(sum - 177) < 5 * sqrt(2) * scale / sqrt(FEW) + 1);
    pdpr_graph_free(g);
    pdpr_context_free(ctx);
}

/* On a large graph the solver may stop early, and does; the certificate and the interval that is
 * told say how far. The noise is that of the sensitivity with the gap. */
static void large_graph_is_certified_to_the_gap_that_is_charged(void **state)
{
    (void)state;
    enum { HUBS = 20000, HARD_CAP = 6, FEW = 10 };
    pdpr_context *ctx = test_context(1);
    pdpr_graph *g = hard_core(ctx, HUBS), *empty = test_graph_empty(ctx, 6 * HUBS);
    pdpr_i_bp_plan p;
    pdpr_i_interval rough, fine;
    assert_ok(pdpr_i_bp_plan_make(6 * HUBS, 3.2, &p, NULL));
    uint64_t gap = pdpr_i_bp_forest_gap(6 * HUBS, p.epsilon);
    assert_true(gap > 100);
    assert_ok(pdpr_i_component_cap(ctx, g, HARD_CAP, gap * PDPR_I_INTERVAL_ONE / 2, &rough, NULL));
    assert_in_range(rough.hi - rough.lo, PDPR_I_INTERVAL_ONE, gap * PDPR_I_INTERVAL_ONE / 2);
    assert_ok(pdpr_i_component_cap(ctx, g, HARD_CAP, gap * PDPR_I_INTERVAL_ONE / 20, &fine, NULL));
    assert_true(rough.lo <= fine.hi && fine.lo <= rough.hi);

    double error = 0;
    for (uint64_t seed = 0; seed < FEW; seed++) {
        pdpr_i_bp_numbers x = {0};
        pdpr_i_certificate_query query[PDPR_I_BP_CHARGES];
        pdpr_released_number told[PDPR_I_BP_QUERIES];
        uint32_t count = 0, told_count = 0, found = 0;
        test_bp_measure(ctx, empty, 3.2, seed, &p, &x);
        assert_ok(pdpr_i_bp_certify(&p, &x, query, &count, NULL));
        assert_ok(pdpr_i_bp_uncertainty(&p, &x, told, &told_count, NULL));
        for (uint32_t k = 0; k < told_count; k++) {
            uint64_t steps = 0, open = 0; /* halves */
            pdpr_i_bp_query asked = PDPR_I_BP_FOREST;
            if (strcmp(told[k].name, "forest") == 0) {
                open = gap;
                steps = 2 * (uint64_t)pdpr_i_bp_forest_cap(6 * HUBS, p.epsilon) + gap;
                error += fabs((double)x.forest) / 2 / told[k].scale; /* there is no forest */
            } else if (strncmp(told[k].name, "paths_", 6) == 0) {
                asked = told[k].name[6] == '1' ? PDPR_I_BP_PATHS_1 : PDPR_I_BP_PATHS_2;
                open = x.window[told[k].name[6] - '1'].horizon - 1;
                steps = 3 * open;
            } else {
                continue;
            }
            for (uint32_t c = 0; c < count; c++)
                for (uint64_t i = 0; i < query[c].values && query[c].kind == PDPR_I_QUERY_BOX; i++)
                    if (strcmp(query[c].answer[i].label, told[k].name) == 0) {
                        assert_int_equal(query[c].answer[i].sensitivity.num, steps);
                        assert_int_equal(query[c].answer[i].sensitivity.den, 2);
                        found++;
                    }
            double scale = (double)steps / 2 / pdpr_i_bp_precision(&p, asked);
            assert_close(told[k].scale, scale, 0.01 * scale); /* small sensitivities beside it */
            assert_close(told[k].high - told[k].value - told[k].half_width, (double)(open + 1) / 2,
                         1e-9);
        }
        assert_int_equal(found, 3);
        pdpr_i_bp_numbers_clear(&x);
    }
    /* about the mean of exponentials: without the gap it would be a tenth */
    assert_true(error / FEW > 0.3 && error / FEW < 2.5);
    pdpr_graph_free(g);
    pdpr_graph_free(empty);
    pdpr_context_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(measure_noise_has_the_declared_scale),
        cmocka_unit_test(measure_noise_of_the_indices_is_that_of_sensitivity_one),
        cmocka_unit_test(measure_noise_of_the_wider_count_has_the_scale_of_its_cap),
        cmocka_unit_test(measure_noise_of_the_path_lengths_has_the_declared_scale),
        cmocka_unit_test(forest_of_a_large_star_is_the_cap),
        cmocka_unit_test(large_graph_is_certified_to_the_gap_that_is_charged),
    };
    return cmocka_run_group_tests_name("blueprint: noise", tests, NULL, NULL);
}
