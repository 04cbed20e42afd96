/* Path searches: the numbering of components, the bit-parallel kernels against plain searches,
 * iFUB, sampling. */
#include "support/measured.h"
#include "metrics/metrics.h"
#include "metrics/msbfs.h"

#include <math.h>
#include <stdlib.h>

/* The component of all nodes of a connected graph. */
static pdpr_i_component whole(pdpr_context *ctx, const pdpr_graph *g)
{
    pdpr_i_components all;
    pdpr_i_component c;
    assert_ok(pdpr_i_components_init(ctx, g, &all, NULL));
    assert_ok(
        pdpr_i_component_init(ctx, g, all.nodes + all.largest_first, all.largest_size, &c, NULL));
    pdpr_i_components_clear(&all);
    return c;
}

static bool has_arc(const pdpr_graph *g, uint32_t u, uint32_t v)
{
    for (uint64_t i = g->offset[u]; i < g->offset[u + 1]; i++)
        if (g->target[i] == v)
            return true;
    return false;
}

/* Both numberings must describe the same graph, with ascending rows and every node once among the
 * sources. */
static void component_numbering_keeps_the_graph(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    pdpr_graph *graphs[] = {test_graph_star(ctx, 900), test_graph_cycle(ctx, 900), NULL, NULL};
    assert_ok(pdpr_generate_social(ctx, 2000, 9000, 0.4, 5, &graphs[2], NULL));
    assert_ok(pdpr_generate_gnm(ctx, 2000, 9000, 5, &graphs[3], NULL));
    for (size_t k = 0; k < 4; k++) {
        const pdpr_graph *g = graphs[k];
        pdpr_i_component c = whole(ctx, g);
        uint8_t *times = calloc(c.num_nodes, 1);
        assert_non_null(times);
        for (uint32_t i = 0; i < c.num_nodes; i++) {
            assert_int_equal(c.offset[i + 1] - c.offset[i], pdpr_i_degree(g, c.node[i]));
            for (uint64_t j = c.offset[i]; j < c.offset[i + 1]; j++) {
                assert_true(has_arc(g, c.node[i], c.node[c.target[j]]));
                assert_true(j == c.offset[i] || c.target[j - 1] < c.target[j]);
            }
            times[c.sources[i]]++;
        }
        for (uint32_t i = 0; i < c.num_nodes; i++)
            assert_int_equal(times[i], 1);
        free(times);
        pdpr_i_component_clear(&c);
        pdpr_graph_free(graphs[k]);
    }
    pdpr_context_free(ctx);
}

/* Batches of every size around the lane words, all kernels that this machine has, against plain
 * searches. */
static void search_kernels_agree_with_plain_search(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    pdpr_graph *graphs[] = {test_graph_path(ctx, 700), test_graph_star(ctx, 700), NULL, NULL};
    assert_ok(pdpr_generate_social(ctx, 700, 3000, 0.4, 5, &graphs[2], NULL));
    assert_ok(pdpr_generate_gnm(ctx, 700, 1200, 5, &graphs[3], NULL));
    const uint32_t sizes[] = {1, 2, 63, 64, 65, 128, 511, 512};
    for (size_t k = 0; k < 4; k++) {
        pdpr_i_component c = whole(ctx, graphs[k]);
        uint32_t *distance = calloc(c.num_nodes, sizeof *distance);
        uint32_t *queue = calloc(c.num_nodes, sizeof *queue);
        uint64_t *plain = calloc(c.num_nodes, sizeof *plain);
        uint32_t *depth = calloc(c.num_nodes, sizeof *depth);
        assert_true(distance && queue && plain && depth);
        for (uint32_t s = 0; s < c.num_nodes; s++) {
            depth[s] = pdpr_i_bfs(&c, s, distance, queue);
            for (uint32_t v = 0; v < c.num_nodes; v++)
                plain[s] += distance[v];
        }
        for (pdpr_cpu cpu = PDPR_CPU_PORTABLE; cpu <= ctx->cpu_found; cpu++) {
            const pdpr_i_search_kernel *kernel = pdpr_i_search_kernel_for(cpu);
            assert_string_equal(kernel->name, pdpr_i_cpu_name(cpu));
            pdpr_i_search search;
            assert_ok(pdpr_i_search_init(ctx, &c, &search, NULL));
            for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
                uint64_t sums[PDPR_I_LANES], total = 0;
                uint32_t deepest = 0, count = sizes[i] < c.num_nodes ? sizes[i] : c.num_nodes;
                pdpr_i_search_result result;
                assert_true(pdpr_i_search_run(&search, kernel, c.sources, count, sums, &result));
                for (uint32_t l = 0; l < count; l++) {
                    uint32_t s = c.sources[l];
                    assert_int_equal(sums[l], plain[s]);
                    total += plain[s];
                    deepest = depth[s] > deepest ? depth[s] : deepest;
                }
                assert_int_equal((uint64_t)result.distance_sum, total);
                assert_int_equal(result.largest_distance, deepest);
                if (count > 1) /* unused lanes do not keep nodes open */
                    assert_int_equal(search.open_arcs, 0);
            }
            pdpr_i_search_clear(&search);
        }
        free(distance);
        free(queue);
        free(plain);
        free(depth);
        pdpr_i_component_clear(&c);
        pdpr_graph_free(graphs[k]);
    }
    pdpr_context_free(ctx);
}

static void wider_cpus_have_kernels_of_their_own(void **state)
{
    (void)state;
    assert_string_equal(pdpr_i_search_kernel_for(PDPR_CPU_AUTO)->name, "portable");
#if defined(__x86_64__)
    assert_string_equal(pdpr_i_search_kernel_for(PDPR_CPU_AVX512)->name, "avx512");
#endif
}

/* Sums of distances on a long path outgrow 32 bits, and the formula is known. */
static void path_lengths_of_a_long_path_are_exact(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(2);
    const uint32_t n = 5000;
    uint32_t *pairs = calloc(2 * (size_t)n, sizeof *pairs);
    assert_non_null(pairs);
    for (uint32_t i = 0; i + 1 < n; i++) {
        pairs[2 * i] = i;
        pairs[2 * i + 1] = i + 1;
    }
    pdpr_metrics m = test_measure_once(ctx, test_graph(ctx, n, pairs, n - 1));
    assert_true(m.cpl == (n + 1) / 3.0);
    assert_int_equal(m.diameter, n - 1);
    free(pairs);
    pdpr_context_free(ctx);
}

/* ---------------------------------------------------------------- diameter */

static void ifub_closes_on_known_diameters(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(2);
    pdpr_graph *graphs[] = {test_graph_path(ctx, 1000),   test_graph_cycle(ctx, 1001),
                            test_graph_star(ctx, 50),     test_graph_complete(ctx, 2),
                            test_graph_complete(ctx, 30), test_graph_empty(ctx, 1)};
    const uint32_t expected[] = {999, 500, 2, 1, 1, 0};
    for (size_t k = 0; k < sizeof expected / sizeof *expected; k++) {
        pdpr_i_component c = whole(ctx, graphs[k]);
        pdpr_i_search_pool *pool = NULL;
        pdpr_i_diameter d;
        assert_ok(pdpr_i_search_pool_new(ctx, &c, c.num_nodes, &pool, NULL));
        assert_ok(pdpr_i_diameter_ifub(ctx, &c, pool, 0, UINT64_MAX, &d, NULL));
        assert_int_equal(d.lower, expected[k]);
        assert_int_equal(d.upper, expected[k]);
        pdpr_i_search_pool_free(pool);
        pdpr_i_component_clear(&c);
        pdpr_graph_free(graphs[k]);
    }
    pdpr_context_free(ctx);
}

/* A cycle is the worst case: no centre is better than another. */
static void ifub_without_work_still_encloses(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(2);
    pdpr_graph *g = test_graph_cycle(ctx, 3001);
    pdpr_i_component c = whole(ctx, g);
    pdpr_i_search_pool *pool = NULL;
    pdpr_i_diameter none, all;
    assert_ok(pdpr_i_search_pool_new(ctx, &c, c.num_nodes, &pool, NULL));
    assert_ok(pdpr_i_diameter_ifub(ctx, &c, pool, 0, 0, &none, NULL));
    assert_ok(pdpr_i_diameter_ifub(ctx, &c, pool, 0, UINT64_MAX, &all, NULL));
    assert_int_equal(none.searched, 0);
    assert_true(none.lower <= 1500 && none.upper > 1500);
    assert_true(all.lower == 1500 && all.upper == 1500 && all.searched > 0);
    pdpr_i_search_pool_free(pool);
    pdpr_i_component_clear(&c);
    pdpr_graph_free(g);
    pdpr_context_free(ctx);
}

/* ---------------------------------------------------------------- sampling */

static pdpr_metrics measure_sample(pdpr_context *ctx, const pdpr_graph *g, uint32_t samples,
                                   uint64_t seed)
{
    pdpr_metrics_options o;
    pdpr_metrics m;
    pdpr_metrics_options_default(&o);
    o.paths = PDPR_PATHS_SAMPLE;
    o.samples = samples;
    o.seed = seed;
    assert_ok(pdpr_metrics_compute(ctx, g, &o, &m, NULL));
    return m;
}

/* Two thirds of the nodes, so that the finite population shows. Over 400 seeds the standardised
 * errors must have mean 0 and variance 1: the sum of 400 squares lies within 400 +- 150 except with
 * probability 1e-6 (chi-square), the mean within 0.25. */
static void sampled_cpl_is_unbiased_with_a_right_standard_error(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(2);
    pdpr_graph *g = NULL;
    assert_ok(pdpr_generate_social(ctx, 1500, 5000, 0.5, 2, &g, NULL));
    pdpr_metrics exact = test_measure(ctx, g);
    enum { SEEDS = 400 };
    double sum = 0, squares = 0;
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        pdpr_metrics m = measure_sample(ctx, g, 1000, seed);
        assert_true(m.have_estimate && !m.have_cpl);
        assert_int_equal(m.samples, 1000);
        assert_true(m.diameter_lower <= exact.diameter && exact.diameter <= m.diameter_upper);
        double z = (m.cpl_estimate - exact.cpl) / m.cpl_standard_error;
        sum += z;
        squares += z * z;
    }
    assert_true(fabs(sum / SEEDS) < 0.25);
    assert_true(fabs(squares - SEEDS) < 150);
    pdpr_graph_free(g);
    pdpr_context_free(ctx);
}

static void sample_of_all_nodes_is_exact(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(2);
    pdpr_graph *g = test_graph_path(ctx, 50);
    for (uint32_t samples = 50; samples < 53; samples++) {
        pdpr_metrics m = measure_sample(ctx, g, samples, 1);
        assert_true(m.have_cpl && !m.have_estimate);
        assert_close(m.cpl, 17, 1e-15);
    }
    pdpr_metrics m = measure_sample(ctx, g, 49, 1);
    assert_true(m.have_estimate && !m.have_cpl && m.have_diameter);
    assert_int_equal(m.diameter, 49);
    pdpr_graph_free(g);
    pdpr_context_free(ctx);
}

static void sample_of_one_has_no_standard_error(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    pdpr_graph *g = test_graph_cycle(ctx, 20);
    pdpr_metrics m = measure_sample(ctx, g, 1, 4);
    assert_close(m.cpl_estimate, 100.0 / 19, 1e-15);
    assert_true(isnan(m.cpl_standard_error));
    pdpr_graph_free(g);
    pdpr_context_free(ctx);
}

static void samples_depend_on_the_seed_and_not_on_threads(void **state)
{
    (void)state;
    pdpr_context *one = test_context(1), *many = test_context(5);
    pdpr_graph *g = NULL;
    assert_ok(pdpr_generate_social(one, 3000, 12000, 0.3, 9, &g, NULL));
    pdpr_metrics a = measure_sample(one, g, 1300, 1), b = measure_sample(many, g, 1300, 1);
    assert_memory_equal(&a, &b, sizeof a);
    assert_true(measure_sample(one, g, 1300, 2).cpl_estimate != a.cpl_estimate);
    pdpr_graph_free(g);
    pdpr_context_free(one);
    pdpr_context_free(many);
}

static void paths_none_leaves_paths_out(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    pdpr_graph *g = test_graph_cycle(ctx, 5);
    pdpr_metrics_options o;
    pdpr_metrics m;
    pdpr_metrics_options_default(&o);
    o.paths = PDPR_PATHS_NONE;
    assert_ok(pdpr_metrics_compute(ctx, g, &o, &m, NULL));
    assert_false(m.have_cpl || m.have_estimate || m.have_diameter || m.have_bounds);
    assert_int_equal(m.lcc, 5);
    assert_int_equal(m.components, 1);
    pdpr_graph_free(g);
    pdpr_context_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(component_numbering_keeps_the_graph),
        cmocka_unit_test(search_kernels_agree_with_plain_search),
        cmocka_unit_test(wider_cpus_have_kernels_of_their_own),
        cmocka_unit_test(path_lengths_of_a_long_path_are_exact),
        cmocka_unit_test(ifub_closes_on_known_diameters),
        cmocka_unit_test(ifub_without_work_still_encloses),
        cmocka_unit_test(sampled_cpl_is_unbiased_with_a_right_standard_error),
        cmocka_unit_test(sample_of_all_nodes_is_exact),
        cmocka_unit_test(sample_of_one_has_no_standard_error),
        cmocka_unit_test(samples_depend_on_the_seed_and_not_on_threads),
        cmocka_unit_test(paths_none_leaves_paths_out),
    };
    return cmocka_run_group_tests_name("paths", tests, NULL, NULL);
}
