/* What the certificates of the solved measurements say of proposals that lie, and of honest ones on
 * problems whose optimum is known. They alone are trusted with a solver's answer. The measurements
 * are held against a simplex in tests/check. */
#include "support/neighbours.h"
#include "support/support.h"
#include "blueprint/forest.h"
#include "blueprint/packing.h"
#include "blueprint/routing.h"

#include <string.h>

/* ---------------------------------------------------------------- triangles */

static void certificate_rejects_packings_and_prices_that_lie(void **state)
{
    (void)state;
    /* Three rows of cap 2; an item in all of them, and one in every two. Half a price on each row
     * and one of every pair: the optimum is 3. */
    uint32_t cap[3] = {2, 2, 2}, upper[4] = {1, 2, 2, 2};
    uint32_t row[4][3] = {
        {0, 1, 2}, {0, 1, PDPR_I_NO_ROW}, {1, 2, PDPR_I_NO_ROW}, {0, 2, PDPR_I_NO_ROW}};
    uint64_t start[] = {0, 3, 6, 9};
    uint32_t item[] = {0, 1, 3, 0, 1, 2, 0, 2, 3};
    const pdpr_i_packing p = {.num_rows = 3,
                              .num_items = 4,
                              .cap = cap,
                              .row = row,
                              .upper = upper,
                              .start = start,
                              .item = item};
    const uint64_t one = PDPR_I_PACKING_ONE, half = one / 2;
    uint64_t z[4] = {0, one, one, one}, y[3] = {half, half, half};
    pdpr_i_wide value = -1;

    /* Points: a unit more in any item is over a cap, … */
    for (int j = 0; j < 4; j++) {
        z[j]++;
        assert_false(pdpr_i_packing_lower(&p, z, &value));
        z[j]--;
    }
    assert_true(value == -1);
    assert_true(pdpr_i_packing_lower(&p, z, &value));
    assert_true(value == 3 * (pdpr_i_wide)one);
    /* … and within wide caps over its own bound. */
    cap[0] = cap[1] = cap[2] = 9;
    for (int j = 0; j < 4; j++) {
        z[j] = upper[j] * one + 1;
        assert_false(pdpr_i_packing_lower(&p, z, &value));
        z[j]--;
        assert_true(pdpr_i_packing_lower(&p, z, &value));
    }
    assert_true(value == 7 * (pdpr_i_wide)one);
    cap[0] = cap[1] = cap[2] = 2;
    assert_false(pdpr_i_packing_lower(&p, z, &value));

    /* Prices: out of range in any row (a negative one is a huge unsigned one), … */
    assert_true(pdpr_i_packing_upper(&p, y, &value));
    assert_true(value == 3 * (pdpr_i_wide)one);
    for (int v = 0; v < 3; v++) {
        y[v] = one + 1;
        assert_false(pdpr_i_packing_upper(&p, y, &value));
        y[v] = UINT64_MAX;
        assert_false(pdpr_i_packing_upper(&p, y, &value));
        /* … and 2 for the row, 2 for the pair elsewhere. */
        memset(y, 0, sizeof y);
        y[v] = one;
        assert_true(pdpr_i_packing_upper(&p, y, &value));
        assert_true(value == 4 * (pdpr_i_wide)one);
        y[v] = half; /* 1 for the row, halves of the items in it */
        assert_true(pdpr_i_packing_upper(&p, y, &value));
        assert_true(2 * value == 11 * (pdpr_i_wide)one);
    }
    memset(y, 0, sizeof y);
    assert_true(pdpr_i_packing_upper(&p, y, &value));
    assert_true(value == 7 * (pdpr_i_wide)one);
}

/* ---------------------------------------------------------------- forest */

static void certificate_rejects_forests_and_points_that_lie(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    /* Triangle 0 1 2 with a tail 2-3; cap 1 at node 2. */
    uint32_t cap[3] = {5, 5, 1}, end[4][2] = {{0, 1}, {0, 2}, {1, 2}, {2, 3}};
    pdpr_i_forest_problem p = {
        .num_nodes = 4, .num_capped = 3, .num_edges = 4, .cap = cap, .end = end};
    pdpr_i_forest_work w;
    uint64_t count[4] = {0}, one = PDPR_I_FOREST_ONE;
    pdpr_i_forest_sum sum = {.count = count};
    pdpr_i_wide value = -1;
    assert_ok(pdpr_i_forest_work_init(ctx, &p, &w, NULL));

    /* Sums: a cycle, an edge twice, an edge that does not exist, a total out of range. */
    const uint32_t cycle[] = {0, 1, 2}, twice[] = {3, 3}, outside[] = {4}, honest[] = {0, 1},
                   tail[] = {0, 3};
    assert_false(pdpr_i_forest_sum_add(&p, &sum, cycle, 3, 1, &w));
    assert_false(pdpr_i_forest_sum_add(&p, &sum, twice, 2, 1, &w));
    assert_false(pdpr_i_forest_sum_add(&p, &sum, outside, 1, 1, &w));
    assert_false(pdpr_i_forest_sum_add(&p, &sum, honest, 2, UINT64_MAX, &w));
    for (int e = 0; e < 4; e++)
        assert_int_equal(count[e], 0);
    assert_int_equal(sum.total, 0);
    uint64_t round[4] = {one, one, one, 0}; /* a cycle whole, within wide caps */
    cap[2] = 5;
    assert_false(pdpr_i_forest_lower(&p, &sum, round, &w, &value)); /* no forest, no mean */
    assert_true(pdpr_i_forest_sum_add(&p, &sum, honest, 2, 1, &w));
    assert_false(pdpr_i_forest_lower(&p, &sum, round, &w, &value)); /* above the mean */
    round[2] = 1;
    assert_false(pdpr_i_forest_lower(&p, &sum, round, &w, &value)); /* by a unit */
    round[2] = 0;
    assert_true(pdpr_i_forest_lower(&p, &sum, round, &w, &value));
    cap[2] = 1;
    assert_true(pdpr_i_forest_sum_add(&p, &sum, tail, 2, 1, &w));
    assert_int_equal(sum.total, 2);

    /* Points: the mean is accepted, a unit more anywhere is not. */
    uint64_t z[4] = {one, one / 2, 0, one / 2};
    assert_true(pdpr_i_forest_lower(&p, &sum, z, &w, &value));
    assert_true(value == 2 * (pdpr_i_wide)one);
    for (int e = 0; e < 4; e++) {
        z[e]++;
        assert_false(pdpr_i_forest_lower(&p, &sum, z, &w, &value));
        z[e]--;
    }
    /* In the polytope but over the cap of node 2. */
    const uint32_t both[] = {1, 3};
    memset(count, 0, sizeof count);
    sum.total = 0;
    assert_true(pdpr_i_forest_sum_add(&p, &sum, both, 2, 1, &w));
    uint64_t over[4] = {0, one, 0, 1};
    assert_false(pdpr_i_forest_lower(&p, &sum, over, &w, &value));
    over[3] = 0;
    assert_true(pdpr_i_forest_lower(&p, &sum, over, &w, &value));

    /* Prices out of range; and any in range bound the optimum, here 2, from above. */
    uint64_t y[3] = {0, 0, one + 1};
    uint32_t edge[4], edges = 0;
    assert_false(pdpr_i_forest_upper(&p, y, &w, edge, &edges, &value));
    pdpr_i_stream random;
    test_stream(&random, 4);
    for (int trial = 0; trial < 500; trial++) {
        for (int v = 0; v < 3; v++)
            y[v] = pdpr_i_stream_below(&random, one + 1) >> trial % 4;
        assert_true(pdpr_i_forest_upper(&p, y, &w, edge, &edges, &value));
        assert_true(value >= 2 * (pdpr_i_wide)one);
    }
    y[0] = y[1] = 0;
    y[2] = one;
    assert_true(pdpr_i_forest_upper(&p, y, &w, edge, &edges, &value));
    assert_true(value == 2 * (pdpr_i_wide)one); /* cap 1 of node 2, and edge 0-1 */
    y[2] = 0;
    assert_true(pdpr_i_forest_upper(&p, y, &w, edge, &edges, &value));
    assert_true(edges == 3 && value == 3 * (pdpr_i_wide)one); /* a tree: not all four edges */
    y[1] = one / 2;
    assert_true(pdpr_i_forest_upper(&p, y, &w, edge, &edges, &value));
    assert_true(2 * value == 10 * (pdpr_i_wide)one); /* five halves of its cap, and 1 + 1 + 1/2 */
    pdpr_i_forest_work_clear(&w);
    pdpr_context_free(ctx);
}

/* ---------------------------------------------------------------- path length */

static void certificate_rejects_prices_and_routes_that_lie(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    pdpr_graph *g = test_graph_path(ctx, 5); /* 0-1-2-3-4 */
    uint32_t pair[2][2] = {{0, 2}, {1, 3}};
    pdpr_i_routing r = {g, 2, pair, 6, 1, 0, 0};
    pdpr_i_route_search w;
    pdpr_i_route_mix mix;
    int64_t value = -1;
    bool valid = true;
    assert_ok(pdpr_i_route_search_init(ctx, &r, &w, NULL));
    assert_ok(pdpr_i_route_mix_init(ctx, &r, &mix, NULL));

    /* Routes: a jump, the wrong start, the wrong end, one node, another pair's. */
    const uint32_t jump[] = {0, 2}, start[] = {1, 2}, stop[] = {0, 1}, one[] = {0},
                   honest[] = {0, 1, 2}, other[] = {1, 2, 3}, detour[] = {0, 1, 0, 1, 2};
    assert_false(pdpr_i_route_mix_add(&r, &mix, 0, jump, 2));
    assert_false(pdpr_i_route_mix_add(&r, &mix, 0, start, 2));
    assert_false(pdpr_i_route_mix_add(&r, &mix, 0, stop, 2));
    assert_false(pdpr_i_route_mix_add(&r, &mix, 0, one, 1));
    assert_false(pdpr_i_route_mix_add(&r, &mix, 0, other, 3));
    assert_int_equal(mix.cost, 0);
    for (uint32_t v = 0; v < 5; v++)
        assert_int_equal(mix.load[v], 0);

    /* Mixtures: empty, uneven, even. A walk that returns is dearer but no lie. */
    assert_false(pdpr_i_routing_upper(&r, &mix, &value));
    assert_true(pdpr_i_route_mix_add(&r, &mix, 0, honest, 3));
    assert_false(pdpr_i_routing_upper(&r, &mix, &value));
    assert_true(pdpr_i_route_mix_add(&r, &mix, 1, other, 3));
    assert_true(pdpr_i_routing_upper(&r, &mix, &value));
    /* 4 hops, and nodes 1 and 2 carry one too many: 4 + 2 * 5 */
    assert_int_equal(value, 14 * (int64_t)PDPR_I_ROUTING_HOP);
    assert_true(pdpr_i_route_mix_add(&r, &mix, 0, detour, 5));
    assert_false(pdpr_i_routing_upper(&r, &mix, &value));
    pdpr_i_route_mix_empty(&r, &mix);
    assert_true(pdpr_i_route_mix_add(&r, &mix, 0, NULL, 0));
    assert_true(pdpr_i_route_mix_add(&r, &mix, 1, other, 3));
    assert_true(pdpr_i_routing_upper(&r, &mix, &value));
    assert_int_equal(value, 8 * (int64_t)PDPR_I_ROUTING_HOP); /* the optimum: one gives up */

    /* With a floor of 4: a path counts for 4 hops, and a node too much for 2. */
    pdpr_i_routing floored = r;
    floored.floor = 4;
    uint32_t high[5] = {0, 2 * PDPR_I_ROUTING_HOP, 0, 0, 0};
    pdpr_i_route_search layers;
    assert_ok(pdpr_i_route_search_init(ctx, &floored, &layers, NULL));
    pdpr_i_route_mix_empty(&floored, &mix);
    assert_true(pdpr_i_route_mix_add(&floored, &mix, 0, honest, 3));
    assert_true(pdpr_i_route_mix_add(&floored, &mix, 1, other, 3));
    assert_true(pdpr_i_routing_upper(&floored, &mix, &value));
    assert_int_equal(value, (8 + 2 * 2) * (int64_t)PDPR_I_ROUTING_HOP);
    assert_ok(pdpr_i_routing_lower(ctx, &floored, high, &layers, &valid, &value, NULL));
    assert_true(valid); /* node 1 is of no use: both are given up, for 2 */
    assert_int_equal(value, (12 - 2) * (int64_t)PDPR_I_ROUTING_HOP);
    high[1]++;
    assert_ok(pdpr_i_routing_lower(ctx, &floored, high, &layers, &valid, &value, NULL));
    assert_false(valid);
    pdpr_i_route_search_clear(&layers);

    /* Prices out of range; and any in range bound it from below. */
    uint32_t x[5] = {0, 0, 5 * PDPR_I_ROUTING_HOP + 1, 0, 0};
    assert_ok(pdpr_i_routing_lower(ctx, &r, x, &w, &valid, &value, NULL));
    assert_false(valid);
    pdpr_i_stream random;
    test_stream(&random, 5);
    int64_t best = INT64_MIN;
    for (int trial = 0; trial < 2000; trial++) {
        for (int v = 0; v < 5; v++)
            x[v] = (uint32_t)pdpr_i_stream_below(&random, 5 * PDPR_I_ROUTING_HOP + 1) >>
                   pdpr_i_stream_below(&random, 24);
        assert_ok(pdpr_i_routing_lower(ctx, &r, x, &w, &valid, &value, NULL));
        assert_true(valid && value <= 8 * (int64_t)PDPR_I_ROUTING_HOP);
        best = value > best ? value : best;
    }
    assert_true(best > 6 * (int64_t)PDPR_I_ROUTING_HOP);
    pdpr_i_route_mix_clear(&mix);
    pdpr_i_route_search_clear(&w);
    pdpr_graph_free(g);
    pdpr_context_free(ctx);
}

/* Several blocks weigh as much as their routes; a block has an end, and an uneven one is none. */
static void mixture_of_several_blocks_counts_every_route(void **state)
{
    (void)state;
    enum { BLOCK = PDPR_I_ROUTING_BLOCK };
    pdpr_context *ctx = test_context(1);
    pdpr_graph *g = test_graph_path(ctx, 3);
    uint32_t pair[][2] = {{0, 2}, {0, 1}};
    static const uint32_t far[] = {0, 1, 2}, near[] = {0, 1};
    const pdpr_i_routing r = {.g = g, .num_pairs = 2, .pair = pair, .horizon = 5, .cap = 1};
    pdpr_i_route_mix mix;
    int64_t value = 0;
    assert_ok(pdpr_i_route_mix_init(ctx, &r, &mix, NULL));
    for (int round = 0; round < 2; round++) { /* the second finds no trace of the first */
        for (int block = 0; block < 3; block++) {
            for (uint32_t t = 0; t < BLOCK; t++) {
                assert_true(pdpr_i_route_mix_add(&r, &mix, 0, far, block == 0 ? 0 : 3));
                assert_true(pdpr_i_route_mix_add(&r, &mix, 1, near, 2));
            }
            assert_false(pdpr_i_route_mix_add(&r, &mix, 1, near, 2));
            if (block < 2)
                pdpr_i_route_mix_end_block(&r, &mix);
        }
        /* hops 5, 2, 2 and three times 1; nodes 0 and 1 carry 5 of 3 allowed, each more costs 4 */
        assert_true(pdpr_i_routing_upper(&r, &mix, &value));
        assert_int_equal(value,
                         ((5 + 2 + 2 + 3 + 2 * 2 * 4) * (int64_t)PDPR_I_ROUTING_HOP + 2) / 3);
        pdpr_i_route_mix_empty(&r, &mix);
        assert_false(pdpr_i_routing_upper(&r, &mix, &value));
    }
    assert_true(pdpr_i_route_mix_add(&r, &mix, 0, far, 3));
    pdpr_i_route_mix_end_block(&r, &mix); /* uneven: it goes on */
    assert_false(pdpr_i_routing_upper(&r, &mix, &value));
    assert_true(pdpr_i_route_mix_add(&r, &mix, 1, near, 2));
    assert_true(pdpr_i_routing_upper(&r, &mix, &value));
    assert_int_equal(value, (3 + 2 * 4) * (int64_t)PDPR_I_ROUTING_HOP);
    static const uint32_t round_about[] = {0, 1, 0, 1, 0, 1, 2};
    assert_false(pdpr_i_route_mix_add(&r, &mix, 0, round_about, 7)); /* more than L nodes */
    pdpr_i_route_mix_clear(&mix);
    pdpr_graph_free(g);
    pdpr_context_free(ctx);
}

/* ---------------------------------------------------------------- intervals */

static void bounds_are_rounded_outwards_and_no_further(void **state)
{
    (void)state;
    enum { SHIFT = 4, BITS = PDPR_I_INTERVAL_BITS + SHIFT };
    for (uint64_t lo = 0; lo < 40; lo++)
        for (uint64_t hi = lo; hi < 40; hi++) {
            pdpr_i_interval r = pdpr_i_interval_around(3, lo, hi, BITS);
            r.lo -= 3 * (uint64_t)PDPR_I_INTERVAL_ONE;
            r.hi -= 3 * (uint64_t)PDPR_I_INTERVAL_ONE;
            assert_true(r.lo << SHIFT <= lo && lo < (r.lo + 1) << SHIFT);
            assert_true(r.hi << SHIFT >= hi && hi + (1U << SHIFT) > r.hi << SHIFT);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(certificate_rejects_packings_and_prices_that_lie),
        cmocka_unit_test(certificate_rejects_forests_and_points_that_lie),
        cmocka_unit_test(certificate_rejects_prices_and_routes_that_lie),
        cmocka_unit_test(mixture_of_several_blocks_counts_every_route),
        cmocka_unit_test(bounds_are_rounded_outwards_and_no_further),
    };
    return cmocka_run_group_tests_name("blueprint certificates", tests, NULL, NULL);
}
