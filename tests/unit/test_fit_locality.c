/* The locality of built graphs: the mean distance it is judged by, and that a fit without any
 * question about paths gives distances like those of a random graph. */
#include "support/support.h"
#include "blueprint/blueprint.h"

#include <math.h>

static void mean_distance_of_known_graphs(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    pdpr_graph *empty = test_graph_empty(ctx, 10), *full = test_graph_complete(ctx, 10),
               *star = test_graph_star(ctx, 11), *path = test_graph_path(ctx, 4);
    double distance, joined;
    assert_ok(pdpr_i_mean_distance(ctx, full, 5, &distance, &joined, NULL));
    assert_true(distance == 1 && joined == 1);
    assert_ok(pdpr_i_mean_distance(ctx, path, 100, &distance, &joined, NULL)); /* all sources */
    assert_true(fabs(distance - 20 / 12.0) < 1e-12);
    assert_ok(pdpr_i_mean_distance(ctx, star, 11, &distance, &joined, NULL));
    assert_true(fabs(distance - (10 + 10 * 19) / 110.0) < 1e-12);
    assert_ok(pdpr_i_mean_distance(ctx, empty, 3, &distance, &joined, NULL));
    assert_true(distance == 0 && joined == 0); /* nobody is reached */
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
    double distance, joined;
    assert_ok(pdpr_graph_from_pairs(ctx, 8, pairs, 6, false, &g, NULL));
    assert_ok(pdpr_i_mean_distance(ctx, g, 8, &distance, &joined, NULL));
    assert_true(fabs(distance - 70 / 30.0) < 1e-12);
    assert_true(fabs(joined - (6 * 5 + 2) / (8.0 * 7)) < 1e-12);
    pdpr_graph_free(g);
    pdpr_context_free(ctx);
}

static double random_graph_distance(double n, double mean_degree)
{
    return (log(n) - 0.5772) / log(mean_degree) + 0.5;
}

/* Nothing asked about paths: a graph of degrees 4 is as wide as a random one, one with hubs lies
 * between what its degrees give at random and that. */
static void locality_without_a_question_gives_ordinary_distances(void **state)
{
    (void)state;
    enum { N = 3000 };
    static uint32_t degree[N];
    pdpr_context *ctx = test_context(2);
    for (int hubs = 0; hubs < 2; hubs++) {
        pdpr_i_bp_plan plan = {.num_nodes = N};
        pdpr_i_bp_numbers numbers = {0};
        pdpr_i_build_targets targets = {.num_nodes = N, .degree = degree, .small_mean_size = 3};
        pdpr_i_stream random;
        pdpr_i_key key;
        pdpr_graph *g = NULL;
        double distance, at_random, joined, mean = 0;
        for (uint32_t u = 0; u < N; u++) {
            degree[u] = hubs == 0 ? 4 : u < 60 ? 40 : 2 + u % 2;
            mean += (double)degree[u] / N;
        }
        pdpr_i_key_from_seed(1, &key);
        pdpr_i_stream_init(&random, &key, PDPR_I_PURPOSE_BLUEPRINT_FIT, 0);
        pdpr_i_stream same = random;
        assert_ok(pdpr_i_build(ctx, &targets, &same, &g, NULL, NULL));
        assert_ok(pdpr_i_mean_distance(ctx, g, 100, &at_random, &joined, NULL));
        pdpr_graph_free(g);
        assert_ok(pdpr_i_bp_fit_locality(ctx, &plan, &numbers, &targets, &random, &targets.locality,
                                         NULL));
        same = random;
        assert_ok(pdpr_i_build(ctx, &targets, &same, &g, NULL, NULL));
        assert_ok(pdpr_i_mean_distance(ctx, g, 100, &distance, &joined, NULL));
        double wide = random_graph_distance(N, mean);
        double expected = hubs == 0 ? fmax(wide, at_random) : sqrt(at_random * wide);
        if (fabs(log(distance / expected)) > 0.1)
            fail_msg("hubs %d: distance %.2f, expected about %.2f", hubs, distance, expected);
        pdpr_graph_free(g);
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
        double distance, joined;
        status = pdpr_i_mean_distance(ctx, path, 4, &distance, &joined, NULL);
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
        cmocka_unit_test(mean_distance_survives_every_allocation_failure),
    };
    return cmocka_run_group_tests_name("blueprint: locality", tests, NULL, NULL);
}
