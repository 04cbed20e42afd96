/* The robust path length: its pairs, its errors, small graphs whose value is known, and running out
 * of memory at every point. The simplex and the sensitivity are in check_blueprint_path_length.c.
 */
#include "support/neighbours.h"
#include "support/support.h"
#include "blueprint/measure_path_length.h"

#include <stdlib.h>
#include <string.h>

enum { ONE = PDPR_I_INTERVAL_ONE };

static uint64_t length_of(pdpr_context *ctx, const pdpr_graph *g, const pdpr_i_path_question *q)
{
    pdpr_i_interval r;
    assert_ok(pdpr_i_path_length(ctx, g, q, ONE / 64, &r, NULL));
    assert_true(r.lo <= r.hi && r.hi - r.lo <= ONE / 64);
    return (r.lo + ONE / 2) / ONE; /* the values below are whole */
}

static void pairs_use_every_node_once_before_any_twice(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    uint32_t pair[12][2], again[12][2], seen[9] = {0};
    pdpr_i_path_question q = {.num_pairs = 12, .public_seed = 7, .index = 3};
    assert_ok(pdpr_i_path_pairs(ctx, 9, &q, pair, NULL));
    for (int i = 0; i < 12; i++) {
        assert_int_not_equal(pair[i][0], pair[i][1]);
        for (int k = 0; k < 2; k++) {
            assert_in_range(pair[i][k], 0, 8);
            assert_in_range(++seen[pair[i][k]], 1, (uint32_t)i / 4 + 1); /* four pairs an order */
        }
    }
    assert_ok(pdpr_i_path_pairs(ctx, 9, &q, again, NULL));
    assert_memory_equal(pair, again, sizeof pair);
    q.index = 4;
    assert_ok(pdpr_i_path_pairs(ctx, 9, &q, again, NULL));
    assert_memory_not_equal(pair, again, sizeof pair);
    q.index = 3;
    q.public_seed = 8;
    assert_ok(pdpr_i_path_pairs(ctx, 9, &q, again, NULL));
    assert_memory_not_equal(pair, again, sizeof pair);
    pdpr_context_free(ctx);
}

static void path_length_of_known_graphs(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    pdpr_graph *empty = test_graph_empty(ctx, 10), *full = test_graph_complete(ctx, 10),
               *star = test_graph_star(ctx, 11), *two = test_graph_complete(ctx, 2),
               *path = test_graph_path(ctx, 2);
    pdpr_i_path_question q = {.horizon = 7, .cap = 1, .num_pairs = 5, .public_seed = 1};
    assert_int_equal(length_of(ctx, empty, &q), 5 * 7); /* nobody is joined */
    assert_int_equal(length_of(ctx, full, &q), 5);      /* everybody is next to everybody */
    q.num_pairs = 1;
    assert_int_equal(length_of(ctx, two, &q), 1);
    assert_int_equal(length_of(ctx, path, &q), 1);
    q.num_pairs = 4; /* the same pair four times, ends of load 1 or L - 1 more each */
    assert_int_equal(length_of(ctx, two, &q), 1 + 3 * 7);
    q.cap = 4;
    assert_int_equal(length_of(ctx, two, &q), 4);
    q = (pdpr_i_path_question){.horizon = 7, .cap = 5, .num_pairs = 5, .public_seed = 1};
    uint32_t pair[5][2], hops = 0;
    assert_ok(pdpr_i_path_pairs(ctx, 11, &q, pair, NULL));
    for (int i = 0; i < 5; i++)
        hops += pair[i][0] == 0 || pair[i][1] == 0 ? 1 : 2;
    assert_int_equal(length_of(ctx, star, &q), hops);
    double about;
    assert_ok(pdpr_i_path_length_about(ctx, star, &q, 0.1, &about, NULL));
    assert_true(about > hops - 0.2 && about < hops + 0.2);
    pdpr_graph_free(empty);
    pdpr_graph_free(full);
    pdpr_graph_free(star);
    pdpr_graph_free(two);
    pdpr_graph_free(path);
    pdpr_context_free(ctx);
}

static void path_length_same_bounds_for_any_number_of_threads(void **state)
{
    (void)state;
    pdpr_i_interval r[2];
    for (uint32_t threads = 1; threads <= 2; threads++) {
        pdpr_context *ctx = test_context(threads);
        pdpr_graph *g = NULL;
        assert_ok(pdpr_generate_gnm(ctx, 300, 600, 3, &g, NULL));
        pdpr_i_path_question q = {14, 1, 30, 1, 0, 0};
        assert_ok(pdpr_i_path_length(ctx, g, &q, 3 * ONE, &r[threads - 1], NULL));
        pdpr_graph_free(g);
        pdpr_context_free(ctx);
    }
    assert_memory_equal(&r[0], &r[1], sizeof r[0]);
}

/* Two halves of random links and one bridge: every search looks at much of the graph. The sparing
 * rounds of large graphs are certified as others are, whatever the gap, and their answers agree. */
static void path_length_of_a_large_graph_with_a_bottleneck_is_certified(void **state)
{
    (void)state;
    enum { HALF = 16000, LINKS = 3 * HALF, PAIRS = 60, HORIZON = 24 };
    pdpr_context *ctx = test_context(1);
    pdpr_graph *g = NULL;
    uint32_t *pairs = malloc(sizeof *pairs * 2 * (2 * LINKS + 1)), count = 0;
    pdpr_i_stream random;
    pdpr_i_interval rough, fine;
    const pdpr_i_path_question q = {HORIZON, 1, PAIRS, 1, 0, 0};
    assert_non_null(pairs);
    test_stream(&random, 4);
    for (uint32_t k = 0; k < 2 * LINKS; k++) {
        uint32_t side = k % 2 * HALF, u = (uint32_t)pdpr_i_stream_below(&random, HALF);
        pairs[count++] = side + u;
        pairs[count++] = side + (u + 1 + (uint32_t)pdpr_i_stream_below(&random, HALF - 1)) % HALF;
    }
    pairs[count++] = 0;
    pairs[count++] = HALF;
    assert_ok(pdpr_graph_from_pairs(ctx, 2 * HALF, pairs, count / 2, false, &g, NULL));
    const uint64_t gap = (HORIZON - 1) * (uint64_t)ONE / 2;
    assert_ok(pdpr_i_path_length(ctx, g, &q, gap, &rough, NULL));
    assert_ok(pdpr_i_path_length(ctx, g, &q, gap / 16, &fine, NULL));
    assert_true(rough.lo <= rough.hi && rough.hi - rough.lo <= gap);
    assert_true(fine.lo <= fine.hi && fine.hi - fine.lo <= gap / 16);
    assert_true(rough.lo <= fine.hi && fine.lo <= rough.hi);
    /* about half of the pairs give up: the bridge carries one */
    assert_in_range(fine.lo / ONE, PAIRS * HORIZON / 2, PAIRS * HORIZON * 4 / 5);
    free(pairs);
    pdpr_graph_free(g);
    pdpr_context_free(ctx);
}

/* Spared searches: hardly any in the early rounds, all of Theorem 3's from the sure round on, and a
 * certificate at the end as without. */
static void spared_searches_come_back_in_the_sure_rounds(void **state)
{
    (void)state;
    enum { N = 300, LINKS = 900, PAIRS = 24, HORIZON = 12, SURE = PDPR_I_ROUTING_SURE_ROUND };
    pdpr_context *ctx = test_context(1);
    pdpr_graph *g = NULL;
    uint32_t ends[2 * LINKS], pair[PAIRS][2];
    pdpr_i_stream random;
    pdpr_i_routing_bounds early[2], sure, certified;
    test_stream(&random, 5);
    for (int k = 0; k < 2 * LINKS; k += 2) {
        ends[k] = (uint32_t)pdpr_i_stream_below(&random, N);
        ends[k + 1] = (ends[k] + 1 + (uint32_t)pdpr_i_stream_below(&random, N - 1)) % N;
    }
    assert_ok(pdpr_graph_from_pairs(ctx, N, ends, LINKS, false, &g, NULL));
    const pdpr_i_path_question q = {HORIZON, 1, PAIRS, 1, 0, 0};
    assert_ok(pdpr_i_path_pairs(ctx, N, &q, pair, NULL));
    pdpr_i_routing r = {g, PAIRS, pair, HORIZON, 1, 0, 0};
    const int64_t never = -1, gap = (HORIZON - 1) * (int64_t)PDPR_I_ROUTING_HOP / 4;
    for (int spared = 0; spared < 2; spared++) {
        r.spare_looks = (uint64_t)spared;
        assert_ok(pdpr_i_routing_approach(ctx, &r, never, SURE, UINT64_MAX, &early[spared], NULL));
        assert_true(early[spared].lo <= early[spared].hi);
    }
    assert_ok(pdpr_i_routing_approach(ctx, &r, never, SURE + 1, UINT64_MAX, &sure, NULL));
    assert_true(4 * early[1].looks <
                early[0].looks); /* a search and a lower bound a round, or ten */
    assert_true(sure.looks - early[1].looks > 4 * early[1].looks / SURE);
    assert_true(early[1].lo <= early[0].hi && early[0].lo <= early[1].hi);
    assert_ok(pdpr_i_routing_solve(ctx, &r, gap, &certified, NULL));
    assert_true(certified.lo <= certified.hi && certified.hi - certified.lo <= gap);
    assert_true(certified.lo <= early[0].hi && early[0].lo <= certified.hi);
    pdpr_graph_free(g);
    pdpr_context_free(ctx);
}

static pdpr_status count_visit(void *user, uint32_t i, pdpr_error *err)
{
    uint32_t *next = user;
    assert_int_equal(i, (*next)++);
    return i < 3 ? PDPR_OK : pdpr_i_fail(err, PDPR_ENOMEM, "no more");
}

/* Who listens to the lower bound hears of each pair, and may end it. */
static void lower_bound_tells_of_every_pair(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    pdpr_graph *g = test_graph_path(ctx, 9);
    uint32_t pair[4][2] = {{0, 2}, {3, 4}, {5, 8}, {1, 7}}, x[9] = {0}, seen = 0;
    pdpr_i_routing r = {g, 3, pair, 6, 1, 0, 0};
    pdpr_i_route_search w;
    int64_t value = 0;
    bool valid = false;
    assert_ok(pdpr_i_route_search_init(ctx, &r, &w, NULL));
    assert_ok(pdpr_i_routing_lower_visit(ctx, &r, x, &w, count_visit, &seen, &valid, &value, NULL));
    assert_true(valid);
    assert_int_equal(seen, 3);
    assert_int_equal(value, 6 * (int64_t)PDPR_I_ROUTING_HOP);
    r.num_pairs = 4;
    seen = 0;
    assert_int_equal(
        pdpr_i_routing_lower_visit(ctx, &r, x, &w, count_visit, &seen, &valid, &value, NULL),
        PDPR_ENOMEM);
    assert_false(valid);
    pdpr_i_route_search_clear(&w);
    pdpr_graph_free(g);
    pdpr_context_free(ctx);
}

static void path_length_bad_questions_are_refused(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    pdpr_graph *g = test_graph_path(ctx, 6), *one = test_graph_empty(ctx, 1), *arcs = NULL;
    static const uint32_t arc[] = {0, 1};
    const pdpr_i_path_question good = {.horizon = 5, .cap = 1, .num_pairs = 3};
    pdpr_i_interval r = {77, 78};
    pdpr_error err;
    assert_ok(pdpr_graph_from_pairs(ctx, 3, arc, 1, true, &arcs, NULL));
    assert_int_equal(pdpr_i_path_length(ctx, arcs, &good, ONE, &r, &err), PDPR_EUSAGE);
    assert_int_equal(pdpr_i_path_length(ctx, one, &good, ONE, &r, &err), PDPR_EUSAGE);
    for (int k = 0; k < 9; k++) {
        pdpr_i_path_question q = good;
        q.horizon = k == 0 ? 1 : k == 1 ? 1025 : k == 8 ? 65 : 5;
        q.floor = k == 7 ? 5 : k == 8 ? 2 : 0;
        q.cap = k == 2 ? 0 : k == 3 ? 65 : 1;
        q.num_pairs = k == 4 ? 0 : k == 5 ? (1 << 24) + 1 : 3;
        uint64_t gamma = k == 6 ? 2 : ONE; /* below the grid of prices */
        assert_int_equal(pdpr_i_path_length(ctx, g, &q, gamma, &r, &err), PDPR_EUSAGE);
        assert_non_null(strstr(err.text, "path length"));
    }
    assert_int_equal(r.lo, 77); /* untouched */
    assert_int_equal(r.hi, 78);
    pdpr_graph_free(g);
    pdpr_graph_free(one);
    pdpr_graph_free(arcs);
    pdpr_context_free(ctx);
}

static void path_length_out_of_memory_is_reported_without_a_leak(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    pdpr_graph *g = test_graph_cycle(ctx, 12);
    const pdpr_i_path_question q = {
        .horizon = 8, .floor = 3, .cap = 1, .num_pairs = 6, .public_seed = 2};
    pdpr_status status;
    FOR_EACH_ALLOCATION_FAILURE(ctx, status, {
        pdpr_i_interval r;
        status = pdpr_i_path_length(ctx, g, &q, ONE, &r, NULL);
    });
    pdpr_graph_free(g);
    pdpr_context_free(ctx);
}

static void path_length_cancelled_stops(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    pdpr_graph *g = test_graph_cycle(ctx, 12);
    const pdpr_i_path_question q = {.horizon = 8, .cap = 1, .num_pairs = 6, .public_seed = 2};
    pdpr_i_interval r;
    for (int nth = 1; nth <= 30; nth += 7) {
        atomic_store(&ctx->cancelled, -nth);
        assert_int_equal(pdpr_i_path_length(ctx, g, &q, ONE / 64, &r, NULL), PDPR_ECANCELLED);
    }
    atomic_store(&ctx->cancelled, 0);
    pdpr_graph_free(g);
    pdpr_context_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pairs_use_every_node_once_before_any_twice),
        cmocka_unit_test(path_length_of_known_graphs),
        cmocka_unit_test(path_length_same_bounds_for_any_number_of_threads),
        cmocka_unit_test(path_length_of_a_large_graph_with_a_bottleneck_is_certified),
        cmocka_unit_test(spared_searches_come_back_in_the_sure_rounds),
        cmocka_unit_test(lower_bound_tells_of_every_pair),
        cmocka_unit_test(path_length_bad_questions_are_refused),
        cmocka_unit_test(path_length_out_of_memory_is_reported_without_a_leak),
        cmocka_unit_test(path_length_cancelled_stops),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
