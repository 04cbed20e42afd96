/* The eight metrics on graphs whose values are known by formula, degrees, triangles per node,
 * options, limits of memory, cancellation. Paths have a file of their own. */
#include "support/measured.h"
#include "metrics/metrics.h"
#include "metrics/msbfs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static double share_entropy(double share)
{
    return -share * log(share);
}

/* ---------------------------------------------------------------- graphs with known values */

static void metrics_graph_without_nodes_is_all_zero(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(2);
    pdpr_metrics m = test_measure_once(ctx, test_graph_empty(ctx, 0));
    assert_int_equal(m.nodes + m.edges + m.triangles + m.lcc + m.components + m.max_degree, 0);
    assert_true(m.have_cpl && m.have_diameter && !m.have_estimate);
    assert_true(m.cpl == 0 && m.rede == 0 && m.diameter == 0);
    pdpr_context_free(ctx);
}

static void metrics_one_node_has_paths_of_length_zero(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(2);
    pdpr_metrics m = test_measure_once(ctx, test_graph_empty(ctx, 1));
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
    pdpr_metrics m = test_measure_once(ctx, test_graph_empty(ctx, 7));
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
        pdpr_metrics m = test_measure_once(ctx, test_graph_complete(ctx, (uint32_t)n));
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
    pdpr_metrics m = test_measure_once(ctx, test_graph_star(ctx, (uint32_t)n));
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
        pdpr_metrics m = test_measure_once(ctx, test_graph_path(ctx, n));
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
        pdpr_metrics m = test_measure_once(ctx, test_graph_cycle(ctx, n));
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
    pdpr_metrics m = test_measure_once(ctx, test_graph(ctx, 8, pairs, 6));
    assert_int_equal(m.components, 3);
    assert_int_equal(m.lcc, 4);
    assert_int_equal(m.triangles, 1);
    assert_int_equal(m.wedges.low, 1 + 1 + 1 + 3);
    assert_int_equal(m.claws.low, 1);
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
    assert_int_equal(test_measure(ctx, g).diameter, 3);
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
    pdpr_metrics m = test_measure(ctx, g);
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

/* ---------------------------------------------------------------- triangles */

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
    expected = test_measure(free_ctx, g);

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
        assert_string_equal(err.text, "interrupted; no unfinished file is left");
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
    test_measure(l.ctx, g);
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
        cmocka_unit_test(options_out_of_range_are_refused),
        cmocka_unit_test(every_allocation_failure_is_reported_without_leak),
        cmocka_unit_test(memory_cap_reduces_workers_before_it_fails),
        cmocka_unit_test(cancelling_stops_each_long_loop),
        cmocka_unit_test(cancelled_context_measures_nothing),
        cmocka_unit_test(progress_reaches_the_end_of_each_loop),
    };
    return cmocka_run_group_tests_name("metrics", tests, NULL, NULL);
}
