/* The graph object: construction, invariants, the undirected view. */
#include "support/support.h"

#include <string.h>

static void build_drops_loops_and_repeats(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(2);
    const uint32_t pairs[] = {0, 1, 1, 0, 2, 2, 3, 1, 0, 1};
    pdpr_i_pair_block blocks[2] = {{pairs, 2}, {pairs + 4, 3}};
    for (int directed = 0; directed < 2; directed++) {
        pdpr_graph *g = NULL;
        uint64_t loops = 0, repeats = 0;
        assert_ok(
            pdpr_i_graph_build(ctx, 5, blocks, 2, directed, NULL, &g, &loops, &repeats, NULL));
        assert_true(pdpr_i_graph_is_valid(g));
        assert_int_equal(loops, 1);
        assert_int_equal(repeats, directed ? 1 : 2);
        assert_int_equal(pdpr_graph_num_edges(g), directed ? 3 : 2);
        assert_int_equal(pdpr_graph_is_directed(g), directed);
        assert_int_equal(pdpr_graph_num_nodes(g), 5);
        pdpr_graph_free(g);
    }
    pdpr_context_free(ctx);
}

static void from_pairs_id_out_of_range_is_refused(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    const uint32_t pairs[] = {0, 1, 1, 3};
    pdpr_graph *g = NULL;
    pdpr_error err;
    assert_int_equal(pdpr_graph_from_pairs(ctx, 3, pairs, 2, false, &g, &err), PDPR_EUSAGE);
    assert_string_equal(err.text, "pair 1: expected node ids below 3, found 3");
    assert_null(g);
    pdpr_context_free(ctx);
}

static void undirected_view_merges_directions(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    const uint32_t pairs[] = {0, 1, 1, 0, 3, 1};
    pdpr_graph *g = NULL, *u = NULL, *again = NULL;
    assert_ok(pdpr_graph_from_pairs(ctx, 4, pairs, 3, true, &g, NULL));
    assert_ok(pdpr_graph_undirected(ctx, g, &u, NULL));
    assert_ok(pdpr_graph_undirected(ctx, u, &again, NULL));
    assert_true(pdpr_i_graph_is_valid(u));
    assert_int_equal(pdpr_graph_num_edges(u), 2);
    assert_int_equal(pdpr_graph_num_edges(again), 2);
    uint64_t degree;
    const uint32_t *n = pdpr_graph_neighbours(u, 1, &degree);
    assert_int_equal(degree, 2);
    assert_int_equal(n[0], 0);
    assert_int_equal(n[1], 3);
    pdpr_graph_free(g);
    pdpr_graph_free(u);
    pdpr_graph_free(again);
    pdpr_context_free(ctx);
}

static void build_is_the_same_for_any_thread_count(void **state)
{
    (void)state;
    pdpr_context *one = test_context(1), *many = test_context(4);
    pdpr_graph *a = NULL, *b = NULL;
    assert_ok(pdpr_generate_social(one, 20000, 150000, 0.5, 3, &a, NULL));
    assert_ok(pdpr_generate_social(many, 20000, 150000, 0.5, 3, &b, NULL));
    assert_true(pdpr_i_graph_is_valid(a));
    assert_int_equal(pdpr_graph_num_edges(a), 150000);
    assert_int_equal(a->num_arcs, b->num_arcs);
    assert_memory_equal(a->target, b->target, a->num_arcs * sizeof *a->target);
    assert_memory_equal(a->offset, b->offset, ((size_t)a->num_nodes + 1) * sizeof *a->offset);
    pdpr_graph_free(a);
    pdpr_graph_free(b);
    pdpr_context_free(one);
    pdpr_context_free(many);
}

static void graphs_of_no_or_one_node_are_valid(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    for (uint32_t n = 0; n < 3; n++) {
        pdpr_graph *g = test_graph_empty(ctx, n);
        assert_true(pdpr_i_graph_is_valid(g));
        assert_int_equal(pdpr_graph_num_edges(g), 0);
        pdpr_graph_free(g);
    }
    pdpr_context_free(ctx);
}

static void build_survives_every_allocation_failure(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(2);
    const uint32_t pairs[] = {0, 1, 1, 2, 1, 0};
    pdpr_status status;
    FOR_EACH_ALLOCATION_FAILURE(ctx, status, {
        pdpr_graph *g = NULL, *u = NULL;
        pdpr_error err;
        status = pdpr_graph_from_pairs(ctx, 3, pairs, 3, true, &g, &err);
        if (status == PDPR_OK)
            status = pdpr_graph_undirected(ctx, g, &u, &err);
        pdpr_graph_free(g);
        pdpr_graph_free(u);
    });
    pdpr_context_free(ctx);
}

static void gnm_has_exactly_m_edges_at_every_density(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    for (uint64_t m = 0; m <= 45; m++) {
        pdpr_graph *g = NULL;
        assert_ok(pdpr_generate_gnm(ctx, 10, m, m, &g, NULL));
        assert_true(pdpr_i_graph_is_valid(g));
        assert_int_equal(pdpr_graph_num_edges(g), m);
        pdpr_graph_free(g);
    }
    pdpr_graph *g = NULL;
    assert_int_equal(pdpr_generate_gnm(ctx, 10, 46, 0, &g, NULL), PDPR_EUSAGE);
    assert_ok(pdpr_generate_gnm(ctx, 0, 0, 0, &g, NULL));
    pdpr_graph_free(g);
    pdpr_context_free(ctx);
}

/* Each of the C(5,2) = 10 pairs must be equally likely: chi-square with 9 degrees of freedom, 1e-6
 * at 45.08. */
static void gnm_pairs_are_equally_likely(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    double seen[5][5] = {{0}}, chi = 0;
    enum { RUNS = 20000, EDGES = 3 };
    for (uint64_t seed = 0; seed < RUNS; seed++) {
        pdpr_graph *g = NULL;
        assert_ok(pdpr_generate_gnm(ctx, 5, EDGES, seed, &g, NULL));
        for (uint32_t u = 0; u < 5; u++)
            for (uint64_t i = g->offset[u]; i < g->offset[u + 1]; i++)
                seen[u][g->target[i]]++;
        pdpr_graph_free(g);
    }
    double expected = RUNS * EDGES / 10.0;
    for (int u = 0; u < 5; u++)
        for (int v = u + 1; v < 5; v++)
            chi += (seen[u][v] - expected) * (seen[u][v] - expected) / expected;
    assert_true(chi < 45.08);
    pdpr_context_free(ctx);
}

static void social_extremes_are_right_or_refused(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    pdpr_graph *g = NULL;
    const struct {
        uint32_t n;
        uint64_t m;
    } good[] = {{0, 0}, {1, 0}, {2, 0}, {5, 5}, {40, 390}, {1000, 3}};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        assert_ok(pdpr_generate_social(ctx, good[i].n, good[i].m, 0.7, 1, &g, NULL));
        assert_true(pdpr_i_graph_is_valid(g));
        assert_int_equal(pdpr_graph_num_edges(g), good[i].m);
        pdpr_graph_free(g);
    }
    assert_int_equal(pdpr_generate_social(ctx, 5, 6, 0.5, 1, &g, NULL), PDPR_EUSAGE);
    assert_int_equal(pdpr_generate_social(ctx, 5, 3, 1.5, 1, &g, NULL), PDPR_EUSAGE);
    pdpr_context_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(build_drops_loops_and_repeats),
        cmocka_unit_test(from_pairs_id_out_of_range_is_refused),
        cmocka_unit_test(undirected_view_merges_directions),
        cmocka_unit_test(build_is_the_same_for_any_thread_count),
        cmocka_unit_test(graphs_of_no_or_one_node_are_valid),
        cmocka_unit_test(build_survives_every_allocation_failure),
        cmocka_unit_test(gnm_has_exactly_m_edges_at_every_density),
        cmocka_unit_test(gnm_pairs_are_equally_likely),
        cmocka_unit_test(social_extremes_are_right_or_refused),
    };
    return cmocka_run_group_tests_name("csr", tests, NULL, NULL);
}
