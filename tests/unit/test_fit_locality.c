/* The locality of built graphs: the mean distance it is judged by, that a fit without any question
 * about paths gives distances like those of a random graph, and has no locality where noise is
 * large, that long paths are told by both answers and read as those of a plane, and that hubs are
 * reckoned with. */
#include "support/support.h"
#include "blueprint/blueprint.h"

#include <math.h>

static void mean_distance_of_known_graphs(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    pdpr_graph *empty = test_graph_empty(ctx, 10), *full = test_graph_complete(ctx, 10),
               *star = test_graph_star(ctx, 11), *path = test_graph_path(ctx, 4);
    double distance;
    assert_ok(pdpr_i_mean_distance(ctx, full, 5, &distance, NULL));
    assert_true(distance == 1);
    assert_ok(pdpr_i_mean_distance(ctx, path, 100, &distance, NULL)); /* all sources */
    assert_true(fabs(distance - 20 / 12.0) < 1e-12);
    assert_ok(pdpr_i_mean_distance(ctx, star, 11, &distance, NULL));
    assert_true(fabs(distance - (10 + 10 * 19) / 110.0) < 1e-12);
    assert_ok(pdpr_i_mean_distance(ctx, empty, 3, &distance, NULL));
    assert_true(distance == 0); /* nobody is reached */
    pdpr_graph_free(empty);
    pdpr_graph_free(full);
    pdpr_graph_free(star);
    pdpr_graph_free(path);
    pdpr_context_free(ctx);
}

/* A path of six and an edge apart: the edge's nodes do not count. */
static void mean_distance_is_that_of_the_largest_component(void **state)
{
    (void)state;
    static const uint32_t pairs[] = {0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 6, 7};
    pdpr_context *ctx = test_context(1);
    pdpr_graph *g = NULL;
    double distance;
    assert_ok(pdpr_graph_from_pairs(ctx, 8, pairs, 6, false, &g, NULL));
    assert_ok(pdpr_i_mean_distance(ctx, g, 8, &distance, NULL));
    assert_true(fabs(distance - 70 / 30.0) < 1e-12);
    pdpr_graph_free(g);
    pdpr_context_free(ctx);
}

/* Half of what is above 0 of a bell about `centre`, each x weighted by exp(-x), lies below this. */
static double median_of_prior(double centre, double spread)
{
    enum { STEPS = 4000 };
    double all = 0, up_to = 0, step = 2.0 / STEPS;
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < STEPS; i++) {
            double x = (i + 0.5) * step, off = (x - centre) / spread;
            double mass = exp(-off * off / 2 - x);
            *(pass == 0 ? &all : &up_to) += mass;
            if (pass == 1 && up_to >= all / 2)
                return x;
        }
    return NAN;
}

/* Nothing asked about paths: a graph is wider than what its degrees give at random, by a third of
 * one over its mean degree, in logarithms, and a spread of .2; it cannot be narrower. */
static void locality_without_a_question_gives_ordinary_distances(void **state)
{
    (void)state;
    enum { N = 3000 };
    static uint32_t degree[N];
    pdpr_context *ctx = test_context(2);
    for (int hubs = 0; hubs < 2; hubs++) {
        pdpr_i_bp_plan plan;
        pdpr_i_bp_numbers numbers = {.theta = 12};
        pdpr_i_build_targets targets = {.num_nodes = N, .degree = degree, .small_mean_size = 3};
        pdpr_i_stream random;
        pdpr_i_key key;
        pdpr_graph *g = NULL;
        double distance, at_random, mean = 0;
        assert_ok(pdpr_i_bp_plan_make(N, 10, &plan, NULL));
        pdpr_i_bp_leave_out(&plan, PDPR_I_BP_PATHS_1); /* as a release of version 1 has it */
        pdpr_i_bp_leave_out(&plan, PDPR_I_BP_PATHS_2);
        for (uint32_t u = 0; u < N; u++) {
            degree[u] = hubs == 0 ? 4 : u < 60 ? 40 : 2 + u % 2;
            mean += (double)degree[u] / N;
        }
        pdpr_i_key_from_seed(1, &key);
        pdpr_i_stream_init(&random, &key, PDPR_I_PURPOSE_BLUEPRINT_FIT, 0);
        pdpr_i_stream same = random;
        assert_ok(pdpr_i_build(ctx, &targets, &same, &g, NULL, NULL));
        assert_ok(pdpr_i_mean_distance(ctx, g, 100, &at_random, NULL));
        pdpr_graph_free(g);
        assert_ok(pdpr_i_bp_fit_locality(ctx, &plan, &numbers, &targets, &random, &targets.locality,
                                         NULL));
        same = random;
        assert_ok(pdpr_i_build(ctx, &targets, &same, &g, NULL, NULL));
        assert_ok(pdpr_i_mean_distance(ctx, g, 100, &distance, NULL));
        double expected = at_random * exp(median_of_prior(0.35 / mean, 0.2));
        if (fabs(log(distance / expected)) > 0.04)
            fail_msg("hubs %d: distance %.2f, expected about %.2f", hubs, distance, expected);
        pdpr_graph_free(g);
    }
    pdpr_context_free(ctx);
}

/* Cora's size at epsilon 0.2: nothing was asked, and fitted degrees have too few links already. */
static void locality_is_none_where_noise_forbade_the_question(void **state)
{
    (void)state;
    enum { N = 2708 };
    static uint32_t degree[N];
    pdpr_context *ctx = test_context(1);
    pdpr_i_bp_plan plan;
    pdpr_i_bp_numbers numbers = {.theta = 6};
    pdpr_i_build_targets targets = {
        .num_nodes = N, .degree = degree, .small_mean_size = 3, .locality = 0.5};
    pdpr_i_stream random;
    pdpr_i_key key;

    assert_ok(pdpr_i_bp_plan_make(N, 0.2, &plan, NULL));
    assert_false(plan.asks[PDPR_I_BP_PATHS_1]);
    for (uint32_t u = 0; u < N; u++)
        degree[u] = 2 + u % 2;
    pdpr_i_key_from_seed(1, &key);
    pdpr_i_stream_init(&random, &key, PDPR_I_PURPOSE_BLUEPRINT_FIT, 0);
    assert_ok(
        pdpr_i_bp_fit_locality(ctx, &plan, &numbers, &targets, &random, &targets.locality, NULL));
    assert_true(targets.locality == 0);
    pdpr_context_free(ctx);
}

/* What a noiseless answer would be: so many hops a pair, in halves. */
static void answer(const pdpr_i_bp_plan *plan, pdpr_i_bp_numbers *numbers, uint32_t number,
                   uint32_t horizon, double hops)
{
    numbers->window[number] = (pdpr_i_path_window){1, horizon};
    pdpr_i_path_question question = pdpr_i_bp_path_question(plan, numbers->window[number], number);
    numbers->paths[number] = (int64_t)(2 * hops * question.num_pairs);
}

static void long_paths_are_told_by_both_answers(void **state)
{
    (void)state;
    pdpr_i_bp_plan plan;
    assert_ok(pdpr_i_bp_plan_make(3000, 1, &plan, NULL));
    pdpr_i_bp_numbers numbers = {.forest = 2 * 2999, .edges_wide = 6000};
    answer(&plan, &numbers, 0, 24, 12);
    answer(&plan, &numbers, 1, 24, 26); /* the larger share: 0.36 * 12 + 0.64 * 26 = 21.0 */
    assert_true(pdpr_i_bp_paths_are_long(&plan, &numbers));
    answer(&plan, &numbers, 1, 24, 20); /* 17.1, of 24 */
    assert_false(pdpr_i_bp_paths_are_long(&plan, &numbers));
    answer(&plan, &numbers, 0, 24, 20); /* the first alone would be long */
    answer(&plan, &numbers, 1, 24, 16);
    assert_false(pdpr_i_bp_paths_are_long(&plan, &numbers));
    answer(&plan, &numbers, 1, 56, 20); /* a longer horizon was asked for */
    assert_true(pdpr_i_bp_paths_are_long(&plan, &numbers));
    /* all pairs beyond both horizons: long, unless many cannot be joined */
    answer(&plan, &numbers, 0, 24, 24);
    answer(&plan, &numbers, 1, 16, 16);
    assert_true(pdpr_i_bp_paths_are_long(&plan, &numbers));
    assert_true(pdpr_i_bp_second_window(&plan, &numbers).horizon == 56);
    numbers.forest = 2 * 2700; /* some 300 small components */
    assert_false(pdpr_i_bp_paths_are_long(&plan, &numbers));
    assert_true(pdpr_i_bp_second_window(&plan, &numbers).horizon < 24);
}

/* Sum of H - d over pairs nearer than H, for each pair; count[d] pairs at distance d. */
static double mean_slack(const double *count, int length, double horizon)
{
    double slack = 0, pairs = 0;
    for (int d = 0; d < length; d++) {
        slack += count[d] * fmax(horizon - d, 0);
        pairs += count[d];
    }
    return slack / pairs;
}

/* Against pairs counted one by one: a square grid of side 120 and a line of the same mean. */
static void plane_part_agrees_with_a_grid_and_a_line(void **state)
{
    (void)state;
    enum { SIDE = 120, LINE = 240 };
    static double apart[SIDE], grid[2 * SIDE], line[LINE];
    for (int d = 0; d < SIDE; d++)
        apart[d] = (d == 0 ? 1 : 2) * (SIDE - d);
    for (int x = 0; x < SIDE; x++)
        for (int y = 0; y < SIDE; y++)
            grid[x + y] += apart[x] * apart[y];
    for (int d = 0; d < LINE; d++)
        line[d] = (d == 0 ? 1 : 2) * (LINE - d);
    for (double horizon = 24; horizon < 260; horizon *= 1.5) {
        double counted = mean_slack(grid, 2 * SIDE, horizon) / mean_slack(line, LINE, horizon);
        double part = pdpr_i_bp_plane_part(horizon, 2 * SIDE / 3.0);
        if (fabs(part / counted - 1) > 0.04)
            fail_msg("horizon %g: %.3f, counted %.3f", horizon, part, counted);
    }
    assert_true(pdpr_i_bp_plane_part(1000, 10) == 1); /* all pairs are nearer */
}

/* Mean distance of the graph that is built after a fit to these numbers. */
static double fitted_distance(pdpr_context *ctx, const pdpr_i_bp_plan *plan,
                              const pdpr_i_bp_numbers *numbers, const uint32_t *degree)
{
    pdpr_i_build_targets targets = {
        .num_nodes = plan->num_nodes, .degree = degree, .small_mean_size = 3};
    pdpr_i_stream random;
    pdpr_i_key key;
    pdpr_graph *g = NULL;
    double distance;
    pdpr_i_key_from_seed(1, &key);
    pdpr_i_stream_init(&random, &key, PDPR_I_PURPOSE_BLUEPRINT_FIT, 0);
    assert_ok(
        pdpr_i_bp_fit_locality(ctx, plan, numbers, &targets, &random, &targets.locality, NULL));
    assert_ok(pdpr_i_build(ctx, &targets, &random, &g, NULL, NULL));
    assert_ok(pdpr_i_mean_distance(ctx, g, 100, &distance, NULL));
    pdpr_graph_free(g);
    return distance;
}

static void set_low_degrees(uint32_t *degree, uint32_t n)
{
    for (uint32_t u = 0; u < n; u++)
        degree[u] = 2 + u % 3;
}

/* Answers 4 and 20 hops short of their horizons: 24.0 on a plane with bottlenecks, 29.9 if they are
 * read as those of a strip, 24.8 without bottlenecks and 23.1 with more. And answers of which the
 * second alone is near its horizon: 11 if they are not taken for long. */
static void locality_of_long_paths_is_that_of_a_plane_with_bottlenecks(void **state)
{
    (void)state;
    enum { N = 4000, FIRST = 24, SECOND = 56 };
    static uint32_t degree[N];
    pdpr_context *ctx = test_context(2);
    set_low_degrees(degree, N);
    for (int noisy = 0; noisy < 2; noisy++) { /* noise hid long paths from the first answer */
        pdpr_i_bp_plan plan;
        int64_t isolated = 0;
        pdpr_i_bp_numbers numbers = {.forest = 2 * (N - 1), .cumulative = &isolated};
        assert_ok(pdpr_i_bp_plan_make(N, noisy ? 2 : 20, &plan, NULL));
        answer(&plan, &numbers, 0, FIRST, noisy ? 0.6 * FIRST : FIRST - 4);
        answer(&plan, &numbers, 1, noisy ? FIRST : SECOND, noisy ? FIRST - 1 : SECOND - 20);
        double distance = fitted_distance(ctx, &plan, &numbers, degree);
        if (!(distance > (noisy ? 16 : 23.6) && distance < (noisy ? 19 : 24.4)))
            fail_msg("noisy %d: distance %.2f", noisy, distance);
    }
    pdpr_context_free(ctx);
}

/* Noise made the first answer long, the second one, with its longer horizon, is that of short
 * paths: the short case holds, however the other would read them. */
static void locality_of_a_first_answer_that_was_noise_is_that_of_short_paths(void **state)
{
    (void)state;
    enum { N = 4000, FIRST = 24, SECOND = 56 };
    static uint32_t degree[N];
    pdpr_context *ctx = test_context(2);
    set_low_degrees(degree, N);
    pdpr_i_bp_plan plan;
    int64_t isolated = 0;
    pdpr_i_bp_numbers numbers = {.forest = 2 * (N - 1), .cumulative = &isolated};
    assert_ok(pdpr_i_bp_plan_make(N, 1, &plan, NULL));
    answer(&plan, &numbers, 0, FIRST, FIRST - 2);
    answer(&plan, &numbers, 1, SECOND, 12);
    assert_true(pdpr_i_bp_paths_are_long(&plan, &numbers));
    double distance = fitted_distance(ctx, &plan, &numbers, degree);
    if (!(distance > 7 && distance < 13)) /* 8.2 at random */
        fail_msg("distance %.2f", distance);
    pdpr_context_free(ctx);
}

/* Some nodes of ten times the usual degree: 11 hops without a node in more paths than its part are
 * a mean distance of 6.5 (5.3 with twice the correction, 8.0 without), of 7.7 (6.9) where the index
 * tells the hubs well, unless they have lost leaves. */
static void locality_beside_hubs_reads_lengths_as_ways_round_them(void **state)
{
    (void)state;
    enum { N = 3000, HORIZON = 16 };
    static uint32_t degree[N];
    pdpr_context *ctx = test_context(2);
    pdpr_i_bp_plan plan;
    int64_t lost = 0;
    pdpr_i_bp_numbers numbers = {.forest = 2 * (N - 1), .cumulative = &lost};
    for (uint32_t u = 0; u < N; u++)
        degree[u] = u < 150 ? 24 : 2 + u % 2;
    assert_ok(pdpr_i_bp_plan_make(N, 20, &plan, NULL));
    answer(&plan, &numbers, 0, HORIZON, 11);
    answer(&plan, &numbers, 1, HORIZON, 11);
    for (int i = 0; i < 3; i++) {
        bool known = i == 1;
        numbers.index_low = i > 0 ? 100 : 2;
        lost = i == 2 ? N / 10 : 0;
        double distance = fitted_distance(ctx, &plan, &numbers, degree);
        if (!(distance > (known ? 7.35 : 6) && distance < (known ? 7.85 : 7)))
            fail_msg("case %d: distance %.2f", i, distance);
    }
    pdpr_context_free(ctx);
}

static void mean_distance_survives_every_allocation_failure(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    pdpr_graph *path = test_graph_path(ctx, 4);
    pdpr_status status;
    FOR_EACH_ALLOCATION_FAILURE(ctx, status, {
        double distance;
        status = pdpr_i_mean_distance(ctx, path, 4, &distance, NULL);
    });
    pdpr_graph_free(path);
    pdpr_context_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mean_distance_of_known_graphs),
        cmocka_unit_test(mean_distance_is_that_of_the_largest_component),
        cmocka_unit_test(locality_without_a_question_gives_ordinary_distances),
        cmocka_unit_test(locality_is_none_where_noise_forbade_the_question),
        cmocka_unit_test(long_paths_are_told_by_both_answers),
        cmocka_unit_test(plane_part_agrees_with_a_grid_and_a_line),
        cmocka_unit_test(locality_of_long_paths_is_that_of_a_plane_with_bottlenecks),
        cmocka_unit_test(locality_of_a_first_answer_that_was_noise_is_that_of_short_paths),
        cmocka_unit_test(locality_beside_hubs_reads_lengths_as_ways_round_them),
        cmocka_unit_test(mean_distance_survives_every_allocation_failure),
    };
    return cmocka_run_group_tests_name("blueprint: locality", tests, NULL, NULL);
}
