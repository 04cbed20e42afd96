/* The eight metrics on graphs whose values are known by formula, the search kernels on their edge
 * cases, sampling, limits of memory, cancellation. */
#include "support/support.h"
#include "metrics/metrics.h"
#include "metrics/msbfs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static pdpr_metrics measure(pdpr_context *ctx, const pdpr_graph *g)
{
    pdpr_metrics m;
    pdpr_error err = {0};
    if (pdpr_metrics_compute(ctx, g, NULL, &m, &err) != PDPR_OK)
        fail_msg("metrics: %s", err.text);
    return m;
}

/* Measures and frees g. */
static pdpr_metrics measure_once(pdpr_context *ctx, pdpr_graph *g)
{
    pdpr_metrics m = measure(ctx, g);
    pdpr_graph_free(g);
    return m;
}

static double share_entropy(double share)
{
    return -share * log(share);
}

/* ---------------------------------------------------------------- graphs with known values */

static void metrics_graph_without_nodes_is_all_zero(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(2);
    pdpr_metrics m = measure_once(ctx, test_graph_empty(ctx, 0));
    assert_int_equal(m.nodes + m.edges + m.triangles + m.lcc + m.components + m.max_degree, 0);
    assert_true(m.have_cpl && m.have_diameter && !m.have_estimate);
    assert_true(m.cpl == 0 && m.rede == 0 && m.diameter == 0);
    pdpr_context_free(ctx);
}

static void metrics_one_node_has_paths_of_length_zero(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(2);
    pdpr_metrics m = measure_once(ctx, test_graph_empty(ctx, 1));
    assert_int_equal(m.nodes, 1);
    assert_int_equal(m.lcc, 1);
    assert_int_equal(m.components, 1);
    assert_true(m.have_cpl && m.have_diameter && m.cpl == 0 && m.diameter == 0 && m.rede == 0);
    pdpr_context_free(ctx);
}

static void metrics_edgeless_graph_has_components_of_one(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(2);
    pdpr_metrics m = measure_once(ctx, test_graph_empty(ctx, 7));
    assert_int_equal(m.components, 7);
    assert_int_equal(m.lcc, 1);
    assert_true(m.cpl == 0 && m.rede == 0);
    pdpr_context_free(ctx);
}

static void metrics_complete_graph_follows_the_formulas(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(2);
    for (uint64_t n = 2; n < 40; n += 5) {
        pdpr_metrics m = measure_once(ctx, test_graph_complete(ctx, (uint32_t)n));
        assert_int_equal(m.edges, n * (n - 1) / 2);
        assert_int_equal(m.triangles, n * (n - 1) * (n - 2) / 6);
        assert_int_equal(m.wedges.low, n * (n - 1) * (n - 2) / 2);
        assert_int_equal(m.claws.low, n < 4 ? 0 : n * (n - 1) * (n - 2) * (n - 3) / 6);
        assert_close(m.rede, 1, 1e-12);
        assert_close(m.cpl, 1, 1e-15);
        assert_int_equal(m.diameter, 1);
        assert_int_equal(m.lcc, n);
        assert_int_equal(m.max_degree, n - 1);
    }
    pdpr_context_free(ctx);
}

static void metrics_star_follows_the_formulas(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(2);
    const uint64_t n = 1200, leaves = n - 1;
    pdpr_metrics m = measure_once(ctx, test_graph_star(ctx, (uint32_t)n));
    assert_int_equal(m.triangles, 0);
    assert_int_equal(m.wedges.low, leaves * (leaves - 1) / 2);
    assert_int_equal(m.claws.low, leaves * (leaves - 1) * (leaves - 2) / 6);
    double entropy = share_entropy(0.5) + (double)leaves * share_entropy(0.5 / (double)leaves);
    assert_close(m.rede, entropy / log((double)n), 1e-12);
    assert_close(m.cpl, (double)(2 * leaves + 2 * leaves * (leaves - 1)) / (double)(n * leaves),
                 1e-15);
    assert_int_equal(m.diameter, 2);
    pdpr_context_free(ctx);
}

static void metrics_path_follows_the_formulas(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(2);
    for (uint32_t n = 2; n < 1400; n = n * 2 + 1) { /* from one batch to three */
        pdpr_metrics m = measure_once(ctx, test_graph_path(ctx, n));
        assert_close(m.cpl, (n + 1) / 3.0, 1e-15);
        assert_int_equal(m.diameter, n - 1);
        assert_int_equal(m.wedges.low, n - 2);
        assert_int_equal(m.claws.low, 0);
    }
    pdpr_context_free(ctx);
}

static void metrics_cycle_follows_the_formulas(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(2);
    for (uint32_t n = 3; n < 1200; n = n * 3 + 1) {
        pdpr_metrics m = measure_once(ctx, test_graph_cycle(ctx, n));
        uint64_t half = n / 2, sum = n % 2 ? half * (half + 1) : half * half;
        assert_close(m.cpl, (double)sum / (n - 1), 1e-15);
        assert_int_equal(m.diameter, half);
        assert_int_equal(m.triangles, n == 3);
        assert_close(m.rede, 1, 1e-12);
    }
    pdpr_context_free(ctx);
}

static void metrics_of_two_components_follow_the_larger(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(2);
    /* a path of three, a triangle with a tail (larger), a lone node */
    const uint32_t pairs[] = {0, 1, 1, 2, 3, 4, 4, 5, 5, 3, 5, 6};
    pdpr_metrics m = measure_once(ctx, test_graph(ctx, 8, pairs, 6));
    assert_int_equal(m.components, 3);
    assert_int_equal(m.lcc, 4);
    assert_int_equal(m.triangles, 1);
    assert_close(m.cpl, (4 * 1 + 2 * 2) / 6.0, 1e-15);
    assert_int_equal(m.diameter, 2);
    pdpr_context_free(ctx);
}

static void largest_component_tie_goes_to_the_smallest_id(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    /* node 0 is in a path of four, and a star of four has the ids between */
    const uint32_t pairs[] = {0, 5, 5, 6, 6, 7, 2, 1, 2, 3, 2, 4};
    pdpr_graph *g = test_graph(ctx, 8, pairs, 6);
    pdpr_i_components all;
    assert_ok(pdpr_i_components_init(ctx, g, &all, NULL));
    assert_int_equal(all.count, 2);
    assert_int_equal(all.largest_first, 0);
    assert_int_equal(all.largest_size, 4);
    assert_int_equal(all.nodes[0], 0);
    assert_int_equal(measure(ctx, g).diameter, 3);
    pdpr_i_components_clear(&all);
    pdpr_graph_free(g);
    pdpr_context_free(ctx);
}

static void metrics_directed_graph_is_read_as_undirected(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(2);
    const uint32_t arcs[] = {0, 1, 1, 0, 2, 1, 0, 2, 3, 0};
    pdpr_graph *g = NULL;
    assert_ok(pdpr_graph_from_pairs(ctx, 4, arcs, 5, true, &g, NULL));
    pdpr_metrics m = measure(ctx, g);
    assert_int_equal(m.edges, 4);
    assert_int_equal(m.triangles, 1);
    assert_int_equal(m.max_degree, 3);
    assert_int_equal(m.diameter, 2);
    uint64_t *histogram = NULL, length = 0;
    assert_ok(pdpr_graph_degree_histogram(ctx, g, &histogram, &length, NULL));
    const uint64_t expected[] = {0, 1, 2, 1};
    assert_int_equal(length, 4);
    assert_memory_equal(histogram, expected, sizeof expected);
    pdpr_free(histogram);
    pdpr_graph_free(g);
    pdpr_context_free(ctx);
}

static void degree_histogram_of_no_nodes_has_one_empty_bin(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    pdpr_graph *g = test_graph_empty(ctx, 0);
    uint64_t *histogram = NULL, length = 0;
    assert_ok(pdpr_graph_degree_histogram(ctx, g, &histogram, &length, NULL));
    assert_int_equal(length, 1);
    assert_int_equal(histogram[0], 0);
    pdpr_free(histogram);
    pdpr_graph_free(g);
    pdpr_context_free(ctx);
}

/* ---------------------------------------------------------------- degrees and wide counts */

/* As many nodes as there can be, all of degree three million. */
static void claws_of_large_hubs_need_more_than_64_bits(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    pdpr_i_degree_metrics m;
    uint64_t *histogram = NULL;
    const uint64_t hub = 3000000;
    char text[PDPR_UINT128_TEXT];

    assert_ok(pdpr_i_zalloc(ctx, hub + 1, sizeof *histogram, "test", &histogram, NULL));
    histogram[hub] = UINT32_MAX;
    pdpr_i_degree_metrics_compute(histogram, hub + 1, &m);
    pdpr_uint128_format(m.claws, text); /* (2^32 - 1) C(3000000, 3), from python's integers */
    assert_string_equal(text, "19327333500151467467295000000");
    pdpr_uint128_format(m.wedges, text);
    assert_string_equal(text, "19327346385049057500000");
    assert_int_equal(m.max_degree, hub);
    pdpr_free(histogram);
    pdpr_context_free(ctx);
}

static void uint128_is_formatted_and_rounded_right(void **state)
{
    (void)state;
    const struct {
        pdpr_uint128 value;
        const char *text;
        double real;
    } cases[] = {
        {{0, 0}, "0", 0},
        {{0, 9}, "9", 9},
        {{0, 10}, "10", 10},
        {{0, UINT64_MAX}, "18446744073709551615", 0x1p64},
        {{1, 0}, "18446744073709551616", 0x1p64},
        {{UINT64_MAX, UINT64_MAX}, "340282366920938463463374607431768211455", 0x1p128},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[PDPR_UINT128_TEXT];
        pdpr_uint128_format(cases[i].value, text);
        assert_string_equal(text, cases[i].text);
        assert_true(pdpr_uint128_to_double(cases[i].value) == cases[i].real);
    }
}

static void ks_distance_is_the_largest_gap(void **state)
{
    (void)state;
    const uint64_t a[] = {1, 1, 2}, b[] = {0, 4}, c[] = {0, 0, 0, 0, 3}, none[] = {0};
    assert_close(pdpr_ks_distance(a, 3, b, 2), 0.5, 1e-15);
    assert_close(pdpr_ks_distance(b, 2, a, 3), 0.5, 1e-15);
    assert_true(pdpr_ks_distance(a, 3, a, 3) == 0);
    assert_true(pdpr_ks_distance(a, 3, c, 5) == 1);
    assert_true(pdpr_ks_distance(none, 1, none, 1) == 0);
    assert_true(isnan(pdpr_ks_distance(none, 1, a, 3)));
    const uint64_t twice[] = {2, 2, 4}; /* the same shares */
    assert_true(pdpr_ks_distance(a, 3, twice, 3) == 0);
}

/* ---------------------------------------------------------------- triangles and searches */

static void triangles_per_node_add_up(void **state)
{
    (void)state;
    for (uint32_t threads = 1; threads <= 5; threads += 2) {
        pdpr_context *ctx = test_context(threads);
        const uint32_t pairs[] = {0, 1, 1, 2, 2, 0, 2, 3, 3, 4, 4, 2, 0, 3};
        pdpr_graph *g = test_graph(ctx, 6, pairs, 7);
        uint64_t count[6], total = 0;
        const uint64_t expected[] = {2, 1, 3, 2, 1, 0};
        assert_ok(pdpr_i_triangles_per_node(ctx, g, count, &total, NULL));
        assert_int_equal(total, 3);
        assert_memory_equal(count, expected, sizeof expected);
        pdpr_graph_free(g);
        pdpr_context_free(ctx);
    }
}

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
    pdpr_metrics m = measure_once(ctx, test_graph(ctx, n, pairs, n - 1));
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

/* Over 400 seeds the standardised errors must have mean 0 and variance 1: the sum of 400 squares
 * lies within 400 +- 150 except with probability 1e-6 (chi-square), the mean within 0.25. */
static void sampled_cpl_is_unbiased_with_a_right_standard_error(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(2);
    pdpr_graph *g = NULL;
    assert_ok(pdpr_generate_social(ctx, 1500, 5000, 0.5, 2, &g, NULL));
    pdpr_metrics exact = measure(ctx, g);
    enum { SEEDS = 400 };
    double sum = 0, squares = 0;
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        pdpr_metrics m = measure_sample(ctx, g, 300, seed);
        assert_true(m.have_estimate && !m.have_cpl);
        assert_int_equal(m.samples, 300);
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

/* ---------------------------------------------------------------- errors and limits */

static void options_out_of_range_are_refused(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    pdpr_graph *g = test_graph_cycle(ctx, 5);
    pdpr_metrics_options o;
    pdpr_metrics m = {.nodes = 77};
    pdpr_error err;
    pdpr_metrics_options_default(&o);
    o.paths = (pdpr_paths)7;
    assert_int_equal(pdpr_metrics_compute(ctx, g, &o, &m, &err), PDPR_EUSAGE);
    assert_string_equal(err.text, "metrics: expected paths exact, sample or none, found 7");
    o.paths = PDPR_PATHS_SAMPLE;
    o.samples = 0;
    assert_int_equal(pdpr_metrics_compute(ctx, g, &o, &m, &err), PDPR_EUSAGE);
    assert_string_equal(err.text, "metrics: expected at least 1 sample, found 0");
    assert_int_equal(m.nodes, 77);
    pdpr_graph_free(g);
    pdpr_context_free(ctx);
}

static void every_allocation_failure_is_reported_without_leak(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(2);
    pdpr_graph *skewed = NULL, *even = NULL;
    const uint32_t arcs[] = {0, 1, 1, 2, 2, 3, 3, 0, 3, 4};
    assert_ok(pdpr_generate_social(ctx, 1100, 3000, 0.5, 1, &skewed, NULL));
    assert_ok(pdpr_graph_from_pairs(ctx, 6, arcs, 5, true, &even, NULL));
    const pdpr_graph *graphs[] = {skewed, even};
    const pdpr_paths paths[] = {PDPR_PATHS_EXACT, PDPR_PATHS_SAMPLE, PDPR_PATHS_NONE};
    for (int k = 0; k < 6; k++) {
        pdpr_metrics_options o;
        pdpr_status status;
        pdpr_metrics_options_default(&o);
        o.paths = paths[k % 3];
        o.samples = 3;
        FOR_EACH_ALLOCATION_FAILURE(ctx, status, {
            pdpr_metrics m;
            pdpr_error err;
            status = pdpr_metrics_compute(ctx, graphs[k / 3], &o, &m, &err);
        });
    }
    pdpr_status status;
    FOR_EACH_ALLOCATION_FAILURE(ctx, status, {
        uint64_t count[6], total;
        status = pdpr_i_triangles_per_node(ctx, even, count, &total, NULL);
    });
    pdpr_graph_free(skewed);
    pdpr_graph_free(even);
    pdpr_context_free(ctx);
}

/* With room for one workspace only, five threads must still give the answer; with less, an error
 * that names the cap. */
static void memory_cap_reduces_workers_before_it_fails(void **state)
{
    (void)state;
    pdpr_context_options o;
    pdpr_context *free_ctx = test_context(5), *tight = NULL;
    pdpr_graph *g = NULL;
    pdpr_metrics expected, m;
    pdpr_error err;
    assert_ok(pdpr_generate_social(free_ctx, 4000, 12000, 0.5, 1, &g, NULL));
    expected = measure(free_ctx, g);

    pdpr_context_options_default(&o);
    o.threads = 5;
    o.max_memory = pdpr_i_search_bytes(4000) * 2;
    assert_ok(pdpr_context_new(&o, &tight, NULL));
    assert_ok(pdpr_metrics_compute(tight, g, NULL, &m, &err));
    assert_memory_equal(&m, &expected, sizeof m);
    uint64_t peak;
    pdpr_context_memory(tight, &peak);
    assert_true(peak <= o.max_memory);
    pdpr_context_free(tight);

    o.max_memory = pdpr_i_search_bytes(4000);
    assert_ok(pdpr_context_new(&o, &tight, NULL));
    assert_int_equal(pdpr_metrics_compute(tight, g, NULL, &m, &err), PDPR_ENOMEM);
    assert_non_null(strstr(err.text, "above the memory cap"));
    pdpr_context_free(tight);
    pdpr_graph_free(g);
    pdpr_context_free(free_ctx);
}

typedef struct {
    pdpr_context *ctx;
    const char *stop_at; /* cancel at the first report of this work */
    unsigned reports, finished;
} listener;

static void listen(void *user, const char *what, uint64_t done, uint64_t total)
{
    listener *l = user;
    l->reports++;
    l->finished += done == total;
    if (l->stop_at && strcmp(what, l->stop_at) == 0)
        pdpr_context_cancel(l->ctx);
}

static void cancelling_stops_each_long_loop(void **state)
{
    (void)state;
    const char *loops[] = {"triangles", "path lengths", "sampled path lengths", "diameter"};
    pdpr_context *plain = test_context(1);
    pdpr_graph *g = NULL;
    assert_ok(pdpr_generate_gnm(plain, 6000, 12000, 1, &g, NULL));
    for (size_t i = 0; i < 4; i++) {
        listener l = {.stop_at = loops[i]};
        pdpr_context_options o;
        pdpr_metrics_options how;
        pdpr_metrics m = {.nodes = 77};
        pdpr_error err;
        pdpr_context_options_default(&o);
        o.threads = 2;
        o.progress = listen;
        o.user = &l;
        assert_ok(pdpr_context_new(&o, &l.ctx, NULL));
        pdpr_metrics_options_default(&how);
        how.paths = i < 2 ? PDPR_PATHS_EXACT : PDPR_PATHS_SAMPLE;
        how.samples = 100;
        assert_int_equal(pdpr_metrics_compute(l.ctx, g, &how, &m, &err), PDPR_ECANCELLED);
        assert_string_equal(err.text, "interrupted; nothing was written");
        assert_int_equal(m.nodes, 77);
        assert_int_equal(pdpr_context_memory(l.ctx, NULL), 0);
        pdpr_context_free(l.ctx);
    }
    pdpr_graph_free(g);
    pdpr_context_free(plain);
}

static void cancelled_context_measures_nothing(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    pdpr_graph *g = test_graph_cycle(ctx, 5);
    pdpr_metrics m;
    uint64_t *histogram = NULL, length;
    pdpr_context_cancel(ctx);
    assert_int_equal(pdpr_metrics_compute(ctx, g, NULL, &m, NULL), PDPR_ECANCELLED);
    assert_int_equal(pdpr_graph_degree_histogram(ctx, g, &histogram, &length, NULL),
                     PDPR_ECANCELLED);
    assert_null(histogram);
    pdpr_graph_free(g);
    pdpr_context_free(ctx);
}

static void progress_reaches_the_end_of_each_loop(void **state)
{
    (void)state;
    listener l = {.stop_at = NULL};
    pdpr_context_options o;
    pdpr_context_options_default(&o);
    o.threads = 2;
    o.progress = listen;
    o.user = &l;
    assert_ok(pdpr_context_new(&o, &l.ctx, NULL));
    pdpr_graph *g = test_graph_cycle(l.ctx, 2000);
    l.reports = l.finished = 0;
    measure(l.ctx, g);
    assert_int_equal(l.finished, 2); /* triangles, path lengths */
    pdpr_graph_free(g);
    pdpr_context_free(l.ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(metrics_graph_without_nodes_is_all_zero),
        cmocka_unit_test(metrics_one_node_has_paths_of_length_zero),
        cmocka_unit_test(metrics_edgeless_graph_has_components_of_one),
        cmocka_unit_test(metrics_complete_graph_follows_the_formulas),
        cmocka_unit_test(metrics_star_follows_the_formulas),
        cmocka_unit_test(metrics_path_follows_the_formulas),
        cmocka_unit_test(metrics_cycle_follows_the_formulas),
        cmocka_unit_test(metrics_of_two_components_follow_the_larger),
        cmocka_unit_test(largest_component_tie_goes_to_the_smallest_id),
        cmocka_unit_test(metrics_directed_graph_is_read_as_undirected),
        cmocka_unit_test(degree_histogram_of_no_nodes_has_one_empty_bin),
        cmocka_unit_test(claws_of_large_hubs_need_more_than_64_bits),
        cmocka_unit_test(uint128_is_formatted_and_rounded_right),
        cmocka_unit_test(ks_distance_is_the_largest_gap),
        cmocka_unit_test(triangles_per_node_add_up),
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
        cmocka_unit_test(options_out_of_range_are_refused),
        cmocka_unit_test(every_allocation_failure_is_reported_without_leak),
        cmocka_unit_test(memory_cap_reduces_workers_before_it_fails),
        cmocka_unit_test(cancelling_stops_each_long_loop),
        cmocka_unit_test(cancelled_context_measures_nothing),
        cmocka_unit_test(progress_reaches_the_end_of_each_loop),
    };
    return cmocka_run_group_tests_name("metrics", tests, NULL, NULL);
}
