/* Distributions behind the report, against counts by hand and against the metrics. */
#include "support/support.h"
#include "metrics/curves.h"

#include <math.h>
#include <string.h>

static pdpr_i_curves curves_of(pdpr_context *ctx, const pdpr_graph *g)
{
    pdpr_i_curves c;
    assert_ok(pdpr_i_curves_init(ctx, g, 1, &c, NULL));
    return c;
}

static void classes_double(void **state)
{
    (void)state;
    assert_int_equal(pdpr_i_class_of(1), 0);
    assert_int_equal(pdpr_i_class_of(2), 1);
    assert_int_equal(pdpr_i_class_of(3), 2);
    assert_int_equal(pdpr_i_class_of(4), 2);
    assert_int_equal(pdpr_i_class_of(5), 3);
    assert_int_equal(pdpr_i_class_of(UINT64_C(1) << 32), 32);
    assert_int_equal(pdpr_i_class_of(UINT64_MAX), 32);
}

static void curves_of_small_graphs_are_as_counted_by_hand(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    /* a triangle with a tail, a pair, and an isolated node: sizes 4, 2, 1 */
    const uint32_t pairs[] = {0, 1, 1, 2, 0, 2, 2, 3, 4, 5};
    pdpr_graph *g = test_graph(ctx, 7, pairs, 5);
    pdpr_i_curves c = curves_of(ctx, g);
    assert_int_equal(c.nodes, 7);
    assert_int_equal(c.edges, 5);
    assert_int_equal(c.degrees, 4);
    const uint64_t degree[] = {1, 3, 2, 1}, triangles[] = {0, 0, 2, 1};
    assert_memory_equal(c.degree, degree, sizeof degree);
    assert_memory_equal(c.triangles, triangles, sizeof triangles);
    assert_int_equal(c.size[0], 1);
    assert_int_equal(c.size[1], 2);
    assert_int_equal(c.size[2], 4);
    assert_int_equal(c.joint[0][0], 2); /* the pair */
    assert_int_equal(c.joint[0][2], 1); /* the tail */
    assert_int_equal(c.joint[2][0], 1);
    assert_int_equal(c.joint[1][1], 2);
    assert_int_equal(c.joint[1][2], 2);
    assert_int_equal(c.joint[2][1], 2);
    assert_int_equal(c.distances, 3);
    assert_int_equal(c.distance[0], 0);
    assert_int_equal(c.distance[1], 8);
    assert_int_equal(c.distance[2], 4);
    assert_true(c.all_sources);
    assert_int_equal(c.sources, 4);
    assert_close(pdpr_i_curves_clustering(&c, 2, 3), 1, 1e-15);
    assert_close(pdpr_i_curves_clustering(&c, 3, 4), 1.0 / 3, 1e-15);
    assert_close(pdpr_i_curves_mean_clustering(&c), (2 + 1.0 / 3) / 3, 1e-15);
    assert_true(isnan(pdpr_i_curves_clustering(&c, 4, 9)));
    pdpr_i_curves_clear(&c);
    pdpr_graph_free(g);
    pdpr_context_free(ctx);
}

static void curves_of_graphs_without_edges_or_nodes_are_empty(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    for (uint32_t n = 0; n < 4; n++) {
        pdpr_graph *g = test_graph_empty(ctx, n);
        pdpr_i_curves c = curves_of(ctx, g);
        pdpr_i_core core;
        assert_int_equal(c.edges, 0);
        assert_int_equal(c.degrees, 1);
        assert_int_equal(c.degree[0], n);
        assert_int_equal(c.size[0], n);
        assert_int_equal(c.distances, 1);
        assert_true(pdpr_i_curves_mean_clustering(&c) == 0);
        assert_true(pdpr_i_curves_mixing_distance(&c, &c) == 0);
        assert_ok(pdpr_i_core_init(ctx, g, 2, &core, NULL));
        assert_int_equal(core.nodes, n < 2 ? n : 2);
        assert_int_equal(core.edges, 0);
        pdpr_i_core_clear(&core);
        pdpr_i_curves_clear(&c);
        pdpr_graph_free(g);
    }
    pdpr_context_free(ctx);
}

/* The mean of the distances must be the metric's, exactly: both are integer sums. */
static void distances_agree_with_the_exact_path_length(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(2);
    pdpr_graph *graphs[3] = {test_graph_path(ctx, 1500), NULL, NULL};
    assert_ok(pdpr_generate_social(ctx, 2000, 5000, 0.5, 3, &graphs[1], NULL));
    assert_ok(pdpr_generate_gnm(ctx, 2500, 3000, 4, &graphs[2], NULL));
    for (int i = 0; i < 3; i++) {
        pdpr_metrics m;
        assert_ok(pdpr_metrics_compute(ctx, graphs[i], NULL, &m, NULL));
        pdpr_i_curves c = curves_of(ctx, graphs[i]);
        double pairs = (double)m.lcc * (double)(m.lcc - 1), sum = 0, count = 0;
        for (uint64_t d = 0; d < c.distances; d++) {
            sum += (double)d * (double)c.distance[d];
            count += (double)c.distance[d];
        }
        assert_true(count == pairs);
        assert_close(sum / pairs, m.cpl, 1e-14);
        assert_int_equal(c.distances - 1, m.diameter);
        uint64_t triangles = 0;
        for (uint64_t d = 0; d < c.degrees; d++)
            triangles += c.triangles[d];
        assert_int_equal(triangles, 3 * m.triangles);
        pdpr_i_curves_clear(&c);
        pdpr_graph_free(graphs[i]);
    }
    pdpr_context_free(ctx);
}

/* 2048 of 20000 sources: the mean is an estimate with its standard error, here within five of them
 * (seed fixed, so the test is not one of chance). */
static void distances_of_large_graphs_are_sampled_and_close(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(2);
    pdpr_graph *g = NULL;
    pdpr_metrics_options o;
    pdpr_metrics m;
    assert_ok(pdpr_generate_social(ctx, 20000, 60000, 0.5, 3, &g, NULL));
    pdpr_metrics_options_default(&o);
    o.paths = PDPR_PATHS_SAMPLE;
    o.seed = 9;
    assert_ok(pdpr_metrics_compute(ctx, g, &o, &m, NULL));
    pdpr_i_curves c = curves_of(ctx, g);
    assert_false(c.all_sources);
    assert_int_equal(c.sources, 2048);
    double sum = 0, count = 0;
    for (uint64_t d = 0; d < c.distances; d++) {
        sum += (double)d * (double)c.distance[d];
        count += (double)c.distance[d];
    }
    assert_true(count == 2048.0 * (double)(m.lcc - 1));
    assert_true(fabs(sum / count - m.cpl_estimate) < 5 * 1.5 * m.cpl_standard_error);
    pdpr_i_curves_clear(&c);
    pdpr_graph_free(g);
    pdpr_context_free(ctx);
}

static void directed_graphs_are_read_as_undirected(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    const uint32_t arcs[] = {0, 1, 1, 0, 1, 2, 2, 0};
    pdpr_graph *g = NULL;
    assert_ok(pdpr_graph_from_pairs(ctx, 3, arcs, 4, true, &g, NULL));
    pdpr_i_curves c = curves_of(ctx, g);
    pdpr_i_core core;
    assert_ok(pdpr_i_core_init(ctx, g, 9, &core, NULL));
    assert_int_equal(c.edges, 3);
    assert_int_equal(c.triangles[2], 3);
    assert_int_equal(core.edges, 3);
    pdpr_i_core_clear(&core);
    pdpr_i_curves_clear(&c);
    pdpr_graph_free(g);
    pdpr_context_free(ctx);
}

static void mixing_distance_is_zero_for_equal_and_one_for_disjoint(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    pdpr_graph *star = test_graph_star(ctx, 9), *cycle = test_graph_cycle(ctx, 9);
    pdpr_graph *empty = test_graph_empty(ctx, 9);
    pdpr_i_curves a = curves_of(ctx, star), b = curves_of(ctx, cycle), c = curves_of(ctx, empty);
    assert_true(pdpr_i_curves_mixing_distance(&a, &a) == 0);
    assert_close(pdpr_i_curves_mixing_distance(&a, &b), 1, 1e-15);
    assert_true(isnan(pdpr_i_curves_mixing_distance(&a, &c)));
    pdpr_i_curves_clear(&a);
    pdpr_i_curves_clear(&b);
    pdpr_i_curves_clear(&c);
    pdpr_graph_free(star);
    pdpr_graph_free(cycle);
    pdpr_graph_free(empty);
    pdpr_context_free(ctx);
}

/* A clique of five hung on a long path, which has the larger ids: the clique is the core, and the
 * node that also holds the path has the largest degree. */
static void core_is_the_clique_and_its_hub_comes_first(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    uint32_t pairs[64];
    uint64_t count = 0;
    for (uint32_t u = 0; u < 5; u++)
        for (uint32_t v = u + 1; v < 5; v++, count++) {
            pairs[2 * count] = u;
            pairs[2 * count + 1] = v;
        }
    for (uint32_t u = 5; u < 12; u++, count++) {
        pairs[2 * count] = u == 5 ? 3 : u - 1;
        pairs[2 * count + 1] = u;
    }
    pdpr_graph *g = test_graph(ctx, 12, pairs, count);
    pdpr_i_core core;
    assert_ok(pdpr_i_core_init(ctx, g, 5, &core, NULL));
    assert_int_equal(core.nodes, 5);
    assert_int_equal(core.edges, 10);
    assert_int_equal(core.degree[0], 5);
    assert_int_equal(core.degree[1], 4);
    for (uint64_t e = 0; e < core.edges; e++)
        assert_true(core.pairs[2 * e] < core.pairs[2 * e + 1] && core.pairs[2 * e + 1] < 5);
    pdpr_i_core_clear(&core);
    assert_ok(pdpr_i_core_init(ctx, g, 100, &core, NULL));
    assert_int_equal(core.nodes, 12);
    assert_int_equal(core.edges, count);
    pdpr_i_core_clear(&core);
    pdpr_graph_free(g);
    pdpr_context_free(ctx);
}

/* Two long paths, the second with the better node in its middle: the piece is around it, whole. */
static void core_holds_together(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    uint32_t pairs[400];
    uint64_t count = 0;
    for (uint32_t u = 1; u < 100; u++)
        if (u != 50) {
            pairs[2 * count] = u - 1;
            pairs[2 * count++ + 1] = u;
        }
    pairs[2 * count] = 75; /* a leaf: node 75 has three links */
    pairs[2 * count++ + 1] = 100;
    pdpr_graph *g = test_graph(ctx, 101, pairs, count);
    pdpr_i_core core;
    assert_ok(pdpr_i_core_init(ctx, g, 10, &core, NULL));
    assert_int_equal(core.edges, 9); /* a tree of ten nodes */
    assert_int_equal(core.degree[0], 3);
    pdpr_i_core_clear(&core);
    assert_ok(pdpr_i_core_init(ctx, g, 60, &core, NULL)); /* 51 of the one path, 9 of the other */
    assert_int_equal(core.edges, 50 + 8);
    pdpr_i_core_clear(&core);
    pdpr_graph_free(g);
    pdpr_context_free(ctx);
}

static void curves_survive_every_allocation_failure(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    pdpr_graph *g = test_graph_cycle(ctx, 40);
    pdpr_status status;
    FOR_EACH_ALLOCATION_FAILURE(ctx, status, {
        pdpr_i_curves c = {0};
        status = pdpr_i_curves_init(ctx, g, 1, &c, NULL);
        pdpr_i_curves_clear(&c);
    });
    FOR_EACH_ALLOCATION_FAILURE(ctx, status, {
        pdpr_i_core core = {0};
        status = pdpr_i_core_init(ctx, g, 7, &core, NULL);
        pdpr_i_core_clear(&core);
    });
    pdpr_graph_free(g);
    pdpr_context_free(ctx);
}

static void curves_can_be_cancelled(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    pdpr_graph *g = test_graph_cycle(ctx, 40);
    pdpr_i_curves c = {0};
    pdpr_context_cancel(ctx);
    assert_int_equal(pdpr_i_curves_init(ctx, g, 1, &c, NULL), PDPR_ECANCELLED);
    pdpr_i_core core;
    assert_int_equal(pdpr_i_core_init(ctx, g, 7, &core, NULL), PDPR_ECANCELLED);
    pdpr_graph_free(g);
    pdpr_context_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(classes_double),
        cmocka_unit_test(curves_of_small_graphs_are_as_counted_by_hand),
        cmocka_unit_test(curves_of_graphs_without_edges_or_nodes_are_empty),
        cmocka_unit_test(distances_agree_with_the_exact_path_length),
        cmocka_unit_test(distances_of_large_graphs_are_sampled_and_close),
        cmocka_unit_test(directed_graphs_are_read_as_undirected),
        cmocka_unit_test(mixing_distance_is_zero_for_equal_and_one_for_disjoint),
        cmocka_unit_test(core_is_the_clique_and_its_hub_comes_first),
        cmocka_unit_test(core_holds_together),
        cmocka_unit_test(curves_survive_every_allocation_failure),
        cmocka_unit_test(curves_can_be_cancelled),
    };
    return cmocka_run_group_tests_name("curves", tests, NULL, NULL);
}
