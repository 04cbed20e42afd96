/* Triangles from two capped counts without noise: what no cap hides is believed, what a cap hides
 * comes back, and degrees bound it all. */
#include "support/support.h"
#include "blueprint/fit_parts.h"
#include "blueprint/measure_triangle_cap.h"

#include <math.h>
#include <stdlib.h>

enum { N = 4000 };
static uint32_t degree[N];

static double fit(double first, double second, uint32_t cap)
{
    pdpr_i_bp_plan plan;
    assert_ok(pdpr_i_bp_plan_make(N, 50, &plan, NULL));
    pdpr_i_bp_numbers numbers = {.triangle_cap = {cap, 4 * cap},
                                 .triangles = {(int64_t)(2 * first), (int64_t)(2 * second)}};
    /* as the measurement chooses it: where the curve of the degrees meets the diagonal, or below */
    uint32_t theta = 0;
    while (theta < N && degree[theta] > theta)
        theta++;
    pdpr_i_fitting f = {
        .plan = &plan, .numbers = &numbers, .n = N, .theta = theta, .degree = degree};
    return pdpr_i_fit_triangles(&f);
}

/* Degrees 6 everywhere, but for some hubs of 100. */
static void set_degrees(uint32_t hubs)
{
    for (uint32_t u = 0; u < N; u++)
        degree[u] = u < hubs ? 100 : 6;
}

static void triangles_without_hubs_are_those_counted(void **state)
{
    (void)state;
    set_degrees(0);
    double all = fit(3000, 3000, 12); /* 2.25 a node */
    if (fabs(all / 3000 - 1) > 0.06)
        fail_msg("expected about 3000 triangles, found %.0f", all);
}

static int descending(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x < y) - (x > y);
}

/* Generated graphs, their own degrees and exact counts under two caps: what the caps hide comes
 * back, at least by half, and not twice. */
static void hidden_triangles_are_found(void **state)
{
    (void)state;
    static const pdpr_kind kinds[] = {PDPR_KIND_SOCIAL, PDPR_KIND_CLIQUES, PDPR_KIND_BLOCKS};
    pdpr_context *ctx = test_context(2);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        pdpr_generate_options options;
        pdpr_graph *g = NULL;
        pdpr_i_triangle_counts counts = {0};
        pdpr_i_interval capped[2];
        pdpr_generate_options_default(kinds[i], N, &options);
        assert_ok(pdpr_generate(ctx, &options, 1, &g, NULL));
        for (uint32_t u = 0; u < N; u++)
            degree[u] = (uint32_t)(g->offset[u + 1] - g->offset[u]);
        qsort(degree, N, sizeof *degree, descending);
        uint32_t cap = (uint32_t)(2 * g->num_arcs / N); /* twice the mean degree, and four times */
        assert_ok(pdpr_i_triangle_counts_init(ctx, g, &counts, NULL));
        for (uint32_t c = 0; c < 2; c++)
            assert_ok(pdpr_i_triangle_cap(ctx, &counts, cap << 2 * c, PDPR_I_INTERVAL_ONE,
                                          &capped[c], NULL));
        double first = (double)(capped[0].lo / PDPR_I_INTERVAL_ONE),
               second = (double)(capped[1].lo / PDPR_I_INTERVAL_ONE);
        double all = (double)counts.triangles, found = fit(first, second, cap);
        if (fabs(found - all) > fmax(0.5 * (all - second), 0.1 * all))
            fail_msg("kind %d: %.0f triangles, %.0f and %.0f under caps, found %.0f", kinds[i], all,
                     first, second, found);
        pdpr_i_triangle_counts_clear(&counts);
        pdpr_graph_free(g);
    }
    pdpr_context_free(ctx);
}

/* Cliques of twenty: every node is above both caps, and what a cap lets through is a third of it a
 * node, since each triangle counts at three. */
static void triangles_are_found_where_all_nodes_are_above_the_cap(void **state)
{
    (void)state;
    for (uint32_t u = 0; u < N; u++)
        degree[u] = 19;
    double all = N / 20 * 1140.0, found = fit(N * 12 / 3.0, N * 48 / 3.0, 12); /* 171 a node */
    assert_true(found > N * 48 / 3.0 * 1.85 && found <= all); /* 1.75 if each counted at one */
}

/* All nodes have ten links, the first cap holds some back, and yet the second finds far more: nodes
 * of one degree differ, so the second holds some back too. Were they alike, it would hide nothing
 * (12036). */
static void nodes_of_one_degree_may_differ(void **state)
{
    (void)state;
    for (uint32_t u = 0; u < N; u++)
        degree[u] = 10;
    assert_true(fit(7000, 12000, 6) > 1.1 * 12000);
}

/* Counts that rise steeply speak of hubs with most of the triangles; but thirty links make 435
 * pairs only (73107 without that bound). */
static void no_node_has_more_triangles_than_pairs_of_links(void **state)
{
    (void)state;
    for (uint32_t u = 0; u < N; u++)
        degree[u] = u < 800 ? 30 : 8;
    double found = fit(6000, 28000, 12);
    assert_true(found > 45000 && found < 65000);
}

static void no_more_triangles_than_wedges_allow(void **state)
{
    (void)state;
    set_degrees(0);
    assert_true(fit(50000, 90000, 12) <= N * 15 / 3.0); /* 15 wedges a node */
    for (uint32_t u = 0; u < N; u++)
        degree[u] = u < 2; /* one link */
    assert_true(fit(50, 90, 12) == 0);
    set_degrees(10);
    assert_true(fit(0, -30, 12) == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(triangles_without_hubs_are_those_counted),
        cmocka_unit_test(hidden_triangles_are_found),
        cmocka_unit_test(triangles_are_found_where_all_nodes_are_above_the_cap),
        cmocka_unit_test(nodes_of_one_degree_may_differ),
        cmocka_unit_test(no_node_has_more_triangles_than_pairs_of_links),
        cmocka_unit_test(no_more_triangles_than_wedges_allow),
    };
    return cmocka_run_group_tests_name("blueprint: triangles", tests, NULL, NULL);
}
