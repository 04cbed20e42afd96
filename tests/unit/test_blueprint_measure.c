/* The blueprint's measurements on small known graphs, their documented errors, failing allocations,
 * and any number of threads. Sensitivities are in tests/check. */
#include "support/support.h"
#include "blueprint/measure_component_cap.h"
#include "blueprint/measure_degree_index.h"
#include "blueprint/measure_projection.h"
#include "blueprint/measure_triangle_cap.h"

#include <stdlib.h>
#include <string.h>

enum { ONE = PDPR_I_INTERVAL_ONE, GAMMA = ONE / 2 };

/* Everything that is measured, for one choice of parameters. */
typedef struct {
    uint64_t projected_edges, at_most[3]; /* theta = 3 */
    uint64_t degree_index;                /* diagonal */
    pdpr_i_interval triangles;            /* cap 2 */
    pdpr_i_interval forest;
} answers;

static pdpr_status measure_all(pdpr_context *ctx, const pdpr_graph *g, uint32_t forest_cap,
                               answers *out)
{
    pdpr_status s = PDPR_OK;
    const uint32_t theta = 3;
    const pdpr_i_line diagonal = {.shift = 0, .slope = 1};
    pdpr_i_projection p = {0};
    pdpr_i_triangle_counts t = {0};
    answers a = {0};

    PDPR_TRY(pdpr_i_projection_measure(ctx, g, 1, 1, &theta, 1, &p, NULL));
    a.projected_edges = p.edges[0];
    memcpy(a.at_most, p.cumulative[0], sizeof a.at_most);
    PDPR_TRY(pdpr_i_degree_index(ctx, g, &diagonal, 1, &a.degree_index, NULL));
    PDPR_TRY(pdpr_i_triangle_counts_init(ctx, g, &t, NULL));
    PDPR_TRY(pdpr_i_triangle_cap(ctx, &t, 2, GAMMA, &a.triangles, NULL));
    PDPR_TRY(pdpr_i_component_cap(ctx, g, forest_cap, GAMMA, &a.forest, NULL));
    *out = a;
done:
    pdpr_i_projection_clear(&p);
    pdpr_i_triangle_counts_clear(&t);
    return s;
}

/* Two complete graphs of `size` nodes and one edge between them. */
static pdpr_graph *two_cliques_and_a_bridge(pdpr_context *ctx, uint32_t size)
{
    uint32_t *pair = calloc(2 * (size_t)size * size, sizeof *pair);
    uint64_t count = 0;
    assert_non_null(pair);
    for (uint32_t u = 0; u < 2 * size; u++)
        for (uint32_t w = u + 1; w < 2 * size; w++)
            if ((u < size) == (w < size) || (u == 0 && w == size)) {
                pair[2 * count] = u;
                pair[2 * count++ + 1] = w;
            }
    pdpr_graph *g = test_graph(ctx, 2 * size, pair, count);
    free(pair);
    return g;
}

/* f as a multiple of 2^-16, within the interval and no wider than gamma. */
static void assert_holds(pdpr_i_interval r, double f)
{
    assert_true((double)r.lo <= f * ONE && f * ONE <= (double)r.hi);
    assert_true(r.hi - r.lo <= GAMMA);
}

static void known_graphs_have_their_known_values(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(2);
    const uint32_t edge[] = {0, 1};
    const struct {
        const char *name;
        pdpr_graph *g;
        uint64_t edges, at_most[3], degree_index;
        double triangles, forest;
    } known[] = {
        {"no node", test_graph_empty(ctx, 0), 0, {0, 0, 0}, 0, 0, 0},
        {"one node", test_graph_empty(ctx, 1), 0, {1, 1, 1}, 0, 0, 0},
        {"two nodes", test_graph_empty(ctx, 2), 0, {2, 2, 2}, 0, 0, 0},
        {"one edge", test_graph(ctx, 2, edge, 1), 1, {0, 2, 2}, 1, 0, 1},
        {"one edge and isolated nodes", test_graph(ctx, 9, edge, 1), 1, {7, 9, 9}, 1, 0, 1},
        {"all isolated", test_graph_empty(ctx, 50), 0, {50, 50, 50}, 0, 0, 0},
        /* the centre keeps 3 of its 9 leaves, and 2 in the forest */
        {"star", test_graph_star(ctx, 10), 3, {6, 9, 9}, 1, 0, 2},
        /* four nodes fit the cap: degrees 3; triangles 2 * 4 / 3; a path has degrees 2 */
        {"clique of 4", test_graph_complete(ctx, 4), 6, {0, 0, 0}, 3, 8.0 / 3, 3},
        {"path", test_graph_path(ctx, 7), 6, {0, 2, 7}, 2, 0, 6},
        {"cycle", test_graph_cycle(ctx, 7), 7, {0, 0, 7}, 2, 0, 6},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        answers a;
        print_message("%s\n", known[i].name);
        assert_ok(measure_all(ctx, known[i].g, 2, &a));
        assert_int_equal(a.projected_edges, known[i].edges);
        for (int k = 0; k < 3; k++)
            assert_int_equal(a.at_most[k], known[i].at_most[k]);
        assert_int_equal(a.degree_index, known[i].degree_index);
        assert_holds(a.triangles, known[i].triangles);
        assert_holds(a.forest, known[i].forest);
        pdpr_graph_free(known[i].g);
    }
    pdpr_context_free(ctx);
}

static void two_cliques_and_a_bridge_are_measured_as_two_cliques(void **state)
{
    (void)state;
    enum { SIZE = 12 };
    pdpr_context *ctx = test_context(2);
    pdpr_graph *g = two_cliques_and_a_bridge(ctx, SIZE);
    pdpr_i_triangle_counts t;
    pdpr_i_interval r;
    assert_ok(pdpr_i_triangle_counts_init(ctx, g, &t, NULL));
    assert_int_equal(t.triangles, 2 * 220);
    assert_ok(pdpr_i_triangle_cap(ctx, &t, 5, GAMMA, &r, NULL));
    assert_holds(r, 5 * 2 * SIZE / 3.0);
    assert_ok(pdpr_i_triangle_cap(ctx, &t, 55, GAMMA, &r, NULL)); /* C(11, 2): nobody is above */
    assert_int_equal(r.lo, 440 * ONE);
    assert_int_equal(r.hi, 440 * ONE);
    assert_ok(pdpr_i_component_cap(ctx, g, 2, GAMMA, &r, NULL));
    assert_holds(r, 2 * SIZE - 1);
    assert_ok(pdpr_i_component_cap(ctx, g, 1, GAMMA, &r, NULL));
    assert_holds(r, SIZE); /* a perfect matching */
    pdpr_i_triangle_counts_clear(&t);
    pdpr_graph_free(g);
    pdpr_context_free(ctx);
}

static void answers_are_the_same_for_any_thread_count(void **state)
{
    (void)state;
    const uint32_t threads[] = {1, 2, 5}, thetas[] = {1, 4, 9, 30};
    answers first = {0};
    uint64_t first_cells[1 + 4 + 9 + 30];
    for (size_t i = 0; i < 3; i++) {
        pdpr_context *ctx = test_context(threads[i]);
        pdpr_graph *g = NULL;
        pdpr_i_projection p;
        answers a = {0};
        assert_ok(pdpr_generate_social(ctx, 3000, 18000, 0.6, 7, &g, NULL));
        assert_ok(measure_all(ctx, g, 4, &a));
        assert_ok(pdpr_i_projection_measure(ctx, g, 5, 3, thetas, 4, &p, NULL));
        if (i == 0) {
            first = a;
            memcpy(first_cells, p.cells, sizeof first_cells);
        }
        assert_memory_equal(&a, &first, sizeof a);
        assert_memory_equal(p.cells, first_cells, sizeof first_cells);
        pdpr_i_projection_clear(&p);
        pdpr_graph_free(g);
        pdpr_context_free(ctx);
    }
    assert_true(first.triangles.lo < first.triangles.hi); /* the solver had something to do */
}

static void orders_of_different_seeds_and_numbers_differ(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    pdpr_graph *g = test_graph_complete(ctx, 30);
    pdpr_i_pair_order a, b, c, again;
    assert_ok(pdpr_i_pair_order_init(ctx, g, 1, 0, &a, NULL));
    assert_ok(pdpr_i_pair_order_init(ctx, g, 1, 1, &b, NULL));
    assert_ok(pdpr_i_pair_order_init(ctx, g, 2, 0, &c, NULL));
    assert_ok(pdpr_i_pair_order_init(ctx, g, 1, 0, &again, NULL));
    assert_int_equal(a.count, 435);
    assert_memory_not_equal(a.pair, b.pair, 870 * sizeof *a.pair);
    assert_memory_not_equal(a.pair, c.pair, 870 * sizeof *a.pair);
    assert_memory_equal(a.pair, again.pair, 870 * sizeof *a.pair);
    pdpr_i_pair_order_clear(&a);
    pdpr_i_pair_order_clear(&b);
    pdpr_i_pair_order_clear(&c);
    pdpr_i_pair_order_clear(&again);
    pdpr_graph_free(g);
    pdpr_context_free(ctx);
}

/* A gap that one proposer closes at once would leave the other untested: the fractional forest. */
static void forest_of_an_odd_cycle_is_fractional(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    pdpr_graph *g = test_graph_cycle(ctx, 5);
    pdpr_i_interval r;
    assert_ok(pdpr_i_component_cap(ctx, g, 1, ONE / 16, &r, NULL));
    assert_true(r.lo > 2 * ONE && r.lo <= 5 * ONE / 2 && r.hi >= 5 * ONE / 2);
    assert_true(r.hi - r.lo <= ONE / 16);
    pdpr_graph_free(g);
    pdpr_context_free(ctx);
}

static void wrong_use_is_refused_with_its_reason(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    const uint32_t pairs[] = {0, 1}, theta = 2, zero = 0;
    const pdpr_i_line flat = {.shift = 0, .slope = 0}, diagonal = {.shift = 0, .slope = 1};
    pdpr_graph *directed = NULL, *g = test_graph_path(ctx, 3);
    pdpr_error err;
    pdpr_i_projection p;
    pdpr_i_triangle_counts t;
    pdpr_i_interval r = {1, 2};
    uint64_t index = 77;
    assert_ok(pdpr_graph_from_pairs(ctx, 2, pairs, 1, true, &directed, NULL));

#define REFUSED(call, message)                    \
    do {                                          \
        assert_int_equal((call), PDPR_EUSAGE);    \
        assert_string_equal(err.text, (message)); \
    } while (0)
    REFUSED(pdpr_i_projection_measure(ctx, directed, 1, 1, &theta, 1, &p, &err),
            "projection: expected an undirected graph");
    REFUSED(pdpr_i_projection_measure(ctx, g, 1, 0, &theta, 1, &p, &err),
            "projection: expected at least one cap and one order, found 1 and 0");
    REFUSED(pdpr_i_projection_measure(ctx, g, 1, 1, &zero, 1, &p, &err),
            "projection: expected caps of at least 1, found 0");
    REFUSED(pdpr_i_degree_index(ctx, directed, &diagonal, 1, &index, &err),
            "degree index: expected an undirected graph");
    REFUSED(pdpr_i_degree_index(ctx, g, &flat, 1, &index, &err),
            "degree index: expected a slope of at least 1 in line 0, found 0");
    REFUSED(pdpr_i_triangle_counts_init(ctx, directed, &t, &err),
            "triangles: expected an undirected graph");
    assert_ok(pdpr_i_triangle_counts_init(ctx, g, &t, NULL));
    REFUSED(pdpr_i_triangle_cap(ctx, &t, 0, GAMMA, &r, &err),
            "capped triangles: expected a cap of 1..2^20 with cap * nodes up to 2^46, found 0 with "
            "3 nodes");
    REFUSED(pdpr_i_triangle_cap(ctx, &t, 1, 4095, &r, &err),
            "capped triangles: expected gamma of at least 4096 / 2^16, found 4095");
    REFUSED(pdpr_i_component_cap(ctx, directed, 1, GAMMA, &r, &err),
            "capped forest: expected an undirected graph");
    REFUSED(pdpr_i_component_cap(ctx, g, 0, GAMMA, &r, &err),
            "capped forest: expected a cap of at least 1, found 0");
    REFUSED(pdpr_i_component_cap(ctx, g, 1, 4095, &r, &err),
            "capped forest: expected gamma of at least 4096 / 2^16, found 4095");
#undef REFUSED
    assert_int_equal(index, 77); /* outputs are written on success only */
    assert_true(r.lo == 1 && r.hi == 2);
    pdpr_i_triangle_counts_clear(&t);
    pdpr_graph_free(directed);
    pdpr_graph_free(g);
    pdpr_context_free(ctx);
}

static void measurements_survive_every_allocation_failure(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(2);
    pdpr_graph *g = NULL, *cycle = test_graph_cycle(ctx, 41);
    pdpr_status status;
    answers a;
    pdpr_i_interval r;
    assert_ok(pdpr_generate_gnm(ctx, 40, 200, 3, &g, NULL));
    FOR_EACH_ALLOCATION_FAILURE(ctx, status, status = measure_all(ctx, g, 2, &a));
    /* a fractional optimum: all proposers are at work */
    FOR_EACH_ALLOCATION_FAILURE(ctx, status,
                                status = pdpr_i_component_cap(ctx, cycle, 1, ONE / 16, &r, NULL));
    pdpr_graph_free(g);
    pdpr_graph_free(cycle);
    pdpr_context_free(ctx);
}

/* Every hub's cap but one is used up by leaves of its own, so the solver must mix forests. */
static pdpr_graph *hubs_with_leaves(pdpr_context *ctx, uint32_t hubs, uint32_t leaves)
{
    uint32_t *pair = calloc(2 * (size_t)hubs * (leaves + 3), sizeof *pair);
    uint64_t count = 0;
    assert_non_null(pair);
    for (uint32_t h = 0; h < hubs; h++)
        for (uint32_t i = 0; i < leaves + 3; i++, count++) {
            pair[2 * count] = h;
            pair[2 * count + 1] =
                i < leaves ? hubs + h * leaves + i : (h + 1 + 7 * (i - leaves)) % hubs;
        }
    pdpr_graph *g = test_graph(ctx, hubs * (leaves + 1), pair, count);
    free(pair);
    return g;
}

static void forest_keeps_to_the_memory_that_it_announces(void **state)
{
    (void)state;
    for (int kind = 0; kind < 3; kind++) {
        pdpr_context *ctx = test_context(1);
        pdpr_graph *g = NULL;
        pdpr_i_interval r;
        uint64_t peak;
        if (kind < 2)
            assert_ok(pdpr_generate_gnm(ctx, 3000, kind == 0 ? 6000 : 30000, 1, &g, NULL));
        else
            g = hubs_with_leaves(ctx, 600, 5);
        uint64_t before = pdpr_context_memory(ctx, NULL);
        assert_ok(
            pdpr_i_component_cap(ctx, g, kind < 2 ? 1 : 6, kind < 2 ? 64 * ONE : GAMMA, &r, NULL));
        (void)pdpr_context_memory(ctx, &peak);
        uint64_t announced = pdpr_i_component_cap_memory(g);
        assert_true(peak - before <= announced);
        if (kind == 1) /* all nodes and edges are in the core: nearly all of it is needed */
            assert_true(peak - before > announced / 10 * 8);
        pdpr_graph_free(g);
        pdpr_context_free(ctx);
    }
}

static void cancelled_measurements_stop(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(2);
    pdpr_graph *g = NULL;
    pdpr_i_triangle_counts t;
    pdpr_i_interval r;
    const uint32_t theta = 2;
    pdpr_i_projection p;
    assert_ok(pdpr_generate_gnm(ctx, 60, 500, 3, &g, NULL));
    assert_ok(pdpr_i_triangle_counts_init(ctx, g, &t, NULL));
    pdpr_context_cancel(ctx);
    assert_int_equal(pdpr_i_projection_measure(ctx, g, 1, 1, &theta, 1, &p, NULL), PDPR_ECANCELLED);
    assert_int_equal(pdpr_i_triangle_cap(ctx, &t, 2, GAMMA, &r, NULL), PDPR_ECANCELLED);
    assert_int_equal(pdpr_i_component_cap(ctx, g, 2, GAMMA, &r, NULL), PDPR_ECANCELLED);
    pdpr_i_triangle_counts_clear(&t);
    pdpr_graph_free(g);
    pdpr_context_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_graphs_have_their_known_values),
        cmocka_unit_test(two_cliques_and_a_bridge_are_measured_as_two_cliques),
        cmocka_unit_test(answers_are_the_same_for_any_thread_count),
        cmocka_unit_test(orders_of_different_seeds_and_numbers_differ),
        cmocka_unit_test(forest_of_an_odd_cycle_is_fractional),
        cmocka_unit_test(wrong_use_is_refused_with_its_reason),
        cmocka_unit_test(measurements_survive_every_allocation_failure),
        cmocka_unit_test(forest_keeps_to_the_memory_that_it_announces),
        cmocka_unit_test(cancelled_measurements_stop),
    };
    return cmocka_run_group_tests_name("blueprint measure", tests, NULL, NULL);
}
