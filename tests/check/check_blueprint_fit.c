/* Whole graphs measured and fitted, with little noise and with much, several seeds each: what comes
 * back must be what was there. */
#include "support/blueprint_case.h"
#include "support/neighbours.h"

#include <math.h>
#include <stdlib.h>

static int by_value(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* Largest difference of the two shares of nodes of degree <= k. Sorts both. */
static double degree_distance(uint32_t *a, uint32_t *b, uint32_t n)
{
    double worst = 0;
    qsort(a, n, sizeof *a, by_value);
    qsort(b, n, sizeof *b, by_value);
    for (uint32_t i = 0, j = 0; i < n || j < n;) {
        uint32_t k = i < n && (j == n || a[i] < b[j]) ? a[i] : b[j];
        while (i < n && a[i] <= k)
            i++;
        while (j < n && b[j] <= k)
            j++;
        worst = fmax(worst, fabs((double)i - (double)j) / n);
    }
    return worst;
}

/* With little noise the degrees come back: closely where the cap hardly cuts them, in the large
 * where hubs lose most of their links to it. */
static void fit_with_little_noise_comes_back_to_the_truth(void **state)
{
    (void)state;
    static const struct {
        pdpr_kind kind;
        double ks, edges; /* most distance of the degrees, most relative error of the edges */
    } known[] = {{PDPR_KIND_GNM, 0.03, 0.03},       {PDPR_KIND_LATTICE, 0.03, 0.03},
                 {PDPR_KIND_BLOCKS, 0.03, 0.03},    {PDPR_KIND_CHAINS, 0.03, 0.03},
                 {PDPR_KIND_POWER_LAW, 0.05, 0.08}, {PDPR_KIND_HUBS, 0.2, 0.3}};
    enum { N = 5000 };
    static uint32_t degree[N], truth[N];
    pdpr_context *ctx = test_context(2);
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        pdpr_generate_options options;
        pdpr_graph *g = NULL;
        pdpr_i_bp_plan p;
        pdpr_i_bp_numbers x = {0};
        pdpr_i_build_targets targets;
        pdpr_generate_options_default(known[i].kind, N, &options);
        assert_ok(pdpr_generate(ctx, &options, 1, &g, NULL));
        test_bp_measure(ctx, g, 50, 2, &p, &x);
        test_bp_fit(ctx, &p, &x, degree, &targets);
        double sum = 0;
        for (uint32_t u = 0; u < N; u++) {
            sum += degree[u];
            truth[u] = (uint32_t)(g->offset[u + 1] - g->offset[u]);
        }
        double edges = (double)pdpr_graph_num_edges(g);
        double ks = degree_distance(degree, truth, N);
        if (ks > known[i].ks || fabs(sum / 2 - edges) > known[i].edges * edges)
            fail_msg("%s: KS %g, edges %g of %g", pdpr_kind_name(known[i].kind), ks, sum / 2,
                     edges);
        pdpr_i_bp_numbers_clear(&x);
        pdpr_graph_free(g);
    }
    pdpr_context_free(ctx);
}

/* One run on a graph: measured with this seed's noise and fitted, but for the locality. */
static void fit_run(pdpr_context *ctx, const pdpr_graph *g, double epsilon, uint64_t seed,
                    uint32_t *degree, pdpr_i_build_targets *targets)
{
    pdpr_i_bp_plan p;
    pdpr_i_bp_numbers x = {0};
    test_bp_measure(ctx, g, epsilon, seed, &p, &x);
    test_bp_fit_structure(ctx, &p, &x, degree, targets);
    pdpr_i_bp_numbers_clear(&x);
}

/* A leaf whose link the cap took looks isolated, and its hub's forest lacks it: neither may be
 * taken for an isolated node or a small component, but for the few that any graph may have. Noise
 * may hide it from some runs. */
static void fit_of_hubs_and_leaves_has_no_isolated_nodes_and_few_small_components(void **state)
{
    (void)state;
    enum { HUBS = 40, LEAVES = 100, N = HUBS * (1 + LEAVES), RUNS_OF_IT = 12 };
    static uint32_t pairs[2 * N], degree[N];
    pdpr_context *ctx = test_context(1);
    uint64_t count = 0;
    uint32_t linked = 0, few = 0;
    for (uint32_t u = 1; u < N; u++) { /* leaves have one hub, hubs are in a row */
        pairs[2 * count] = u;
        pairs[2 * count++ + 1] = u < HUBS ? u - 1 : u % HUBS;
    }
    pdpr_graph *g = test_graph(ctx, N, pairs, count);
    for (uint32_t run = 0; run < RUNS_OF_IT; run++) {
        pdpr_i_build_targets targets;
        fit_run(ctx, g, 3.2, run + 1, degree, &targets);
        linked += degree[N - 1] > 0;
        few += targets.small_components <= N / 400;
    }
    assert_in_range(linked, 10, RUNS_OF_IT);
    assert_in_range(few, 6, RUNS_OF_IT);
    pdpr_graph_free(g);
    pdpr_context_free(ctx);
}

/* Where noise hides the hubs as well, the leaves that seem isolated have to tell of them. */
static void fit_of_hidden_hubs_is_told_by_their_leaves(void **state)
{
    (void)state;
    enum { N = 6000, RUNS_OF_IT = 24 };
    static uint32_t degree[N];
    pdpr_context *ctx = test_context(1);
    pdpr_graph *g = NULL;
    pdpr_generate_options options;
    uint32_t linked = 0;
    pdpr_generate_options_default(PDPR_KIND_HUBS, N, &options);
    options.mean_degree = 3;
    options.exponent = 1.1;
    options.share = 0.1;
    options.group_size = 100;
    assert_ok(pdpr_generate(ctx, &options, 1, &g, NULL));
    for (uint32_t run = 0; run < RUNS_OF_IT; run++) {
        pdpr_i_build_targets targets;
        fit_run(ctx, g, 1, run + 1, degree, &targets);
        linked += degree[N - 1] > 0;
    }
    assert_in_range(linked, 21, RUNS_OF_IT);
    pdpr_graph_free(g);
    pdpr_context_free(ctx);
}

/* A random graph of one link for two nodes: more than a third of them are isolated in truth, and no
 * hub is there that could have lost them. */
static void fit_of_a_very_sparse_graph_keeps_its_isolated_nodes(void **state)
{
    (void)state;
    enum { N = 2000, RUNS_OF_IT = 36 };
    static uint32_t degree[N];
    pdpr_context *ctx = test_context(1);
    pdpr_graph *g = NULL;
    uint32_t kept = 0;
    assert_ok(pdpr_generate_gnm(ctx, N, N / 2, 1, &g, NULL));
    for (uint32_t run = 0; run < RUNS_OF_IT; run++) {
        pdpr_i_build_targets targets;
        uint32_t isolated = 0;
        fit_run(ctx, g, 1, run + 1, degree, &targets);
        for (uint32_t u = 0; u < N; u++)
            isolated += degree[u] == 0;
        kept += isolated > N / 4;
    }
    assert_in_range(kept, 22, RUNS_OF_IT); /* one of twelve where the index did not count */
    pdpr_graph_free(g);
    pdpr_context_free(ctx);
}

/* As in a collaboration: a dense giant, and many pairs beside it. Dense graphs seldom have so many
 * small components, but the answer leaves no doubt. */
static void fit_of_a_dense_graph_believes_clear_small_components(void **state)
{
    (void)state;
    enum { SMALL = 400, GIANT = 3200, LINKS = 8 * GIANT, N = 2 * SMALL + GIANT };
    static uint32_t pairs[2 * (SMALL + GIANT + LINKS)], degree[N];
    pdpr_context *ctx = test_context(1);
    pdpr_i_stream random;
    uint64_t count = 0;
    test_stream(&random, 5);
    for (uint32_t u = 1; u < GIANT; u++) { /* a random tree, so that the giant hangs together */
        pairs[count++] = u;
        pairs[count++] = (uint32_t)pdpr_i_stream_below(&random, u);
    }
    for (uint32_t k = 0; k < LINKS; k++) {
        uint32_t u = (uint32_t)pdpr_i_stream_below(&random, GIANT);
        pairs[count++] = u;
        pairs[count++] = (u + 1 + (uint32_t)pdpr_i_stream_below(&random, GIANT - 1)) % GIANT;
    }
    for (uint32_t k = 0; k < SMALL; k++) {
        pairs[count++] = GIANT + 2 * k;
        pairs[count++] = GIANT + 2 * k + 1;
    }
    pdpr_graph *g = test_graph(ctx, N, pairs, count / 2);
    for (uint64_t seed = 1; seed <= 4; seed++) {
        pdpr_i_bp_plan p;
        pdpr_i_bp_numbers x = {0};
        pdpr_i_build_targets targets;
        test_bp_measure(ctx, g, 3.2, seed, &p, &x);
        test_bp_fit_structure(ctx, &p, &x, degree, &targets);
        assert_in_range(targets.small_components, 3 * SMALL / 4, 5 * SMALL / 4);
        assert_true(targets.small_mean_size == 3);
        pdpr_i_bp_numbers_clear(&x);
    }
    pdpr_graph_free(g);
    pdpr_context_free(ctx);
}

/* Isolated nodes beside cliques with hubs: degrees alone take them for leaves that hubs lost, the
 * forest knows better, for leaves would hang on it. */
static void fit_tells_isolated_nodes_from_leaves_by_the_forest(void **state)
{
    (void)state;
    enum { N = 4000 };
    static uint32_t degree[N];
    pdpr_context *ctx = test_context(1);
    pdpr_generate_options options;
    pdpr_graph *g = NULL;
    uint32_t isolated = 0;
    pdpr_generate_options_default(PDPR_KIND_CLIQUES, N, &options);
    options.mean_degree = 40;
    options.exponent = 1.6;
    options.share = 0.1;
    options.max_degree = 100;
    assert_ok(pdpr_generate(ctx, &options, 101, &g, NULL));
    for (uint32_t u = 0; u < N; u++)
        isolated += g->offset[u + 1] == g->offset[u];
    assert_true(isolated > N / 5);
    uint32_t found[2] = {0, 0}; /* with the forest's answer, without it */
    for (uint64_t seed = 1; seed <= 4; seed++) {
        pdpr_i_bp_plan p;
        pdpr_i_bp_numbers x = {0};
        pdpr_i_build_targets targets;
        test_bp_measure(ctx, g, 1, seed, &p, &x);
        for (int blind = 0; blind < 2; blind++) {
            if (blind)
                pdpr_i_bp_leave_out(&p, PDPR_I_BP_FOREST);
            test_bp_fit_structure(ctx, &p, &x, degree, &targets);
            for (uint32_t u = 0; u < N; u++)
                found[blind] += degree[u] == 0;
        }
        pdpr_i_bp_numbers_clear(&x);
    }
    assert_in_range(found[0], 3 * isolated / 2, 5 * isolated); /* of four times as many */
    assert_true(found[1] < isolated);
    pdpr_graph_free(g);
    pdpr_context_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fit_with_little_noise_comes_back_to_the_truth),
        cmocka_unit_test(fit_of_hubs_and_leaves_has_no_isolated_nodes_and_few_small_components),
        cmocka_unit_test(fit_of_hidden_hubs_is_told_by_their_leaves),
        cmocka_unit_test(fit_of_a_very_sparse_graph_keeps_its_isolated_nodes),
        cmocka_unit_test(fit_of_a_dense_graph_believes_clear_small_components),
        cmocka_unit_test(fit_tells_isolated_nodes_from_leaves_by_the_forest),
    };
    return cmocka_run_group_tests_name("blueprint: fits of whole graphs", tests, NULL, NULL);
}
