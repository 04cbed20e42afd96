/* The capped forest against a dense simplex over all sets of nodes, its sensitivity by brute force,
 * and the rate that makes the loop end. What its certificate must reject is in
 * tests/unit/test_blueprint_certificates.c. */
#include "support/neighbours.h"
#include "support/simplex.h"
#include "blueprint/measure_component_cap.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { GAMMA = PDPR_I_INTERVAL_ONE / 16, MOST_NODES = 8, MOST_EDGES = 28 };

/* The linear program as it is defined: a column an edge, a row a set of nodes, a row a cap. */
static long double forest_slowly(uint32_t nodes, uint32_t edges, uint32_t (*end)[2],
                                 uint32_t num_capped, const uint32_t *cap)
{
    enum { ROWS = (1 << MOST_NODES) + MOST_NODES };
    static long double a[ROWS * MOST_EDGES], b[ROWS], c[MOST_EDGES];
    uint32_t rows = 0;
    assert_true(nodes <= MOST_NODES && edges <= MOST_EDGES);
    memset(a, 0, sizeof a);
    for (uint32_t set = 1; set < 1U << nodes; set++) {
        uint32_t size = 0, inside = 0;
        for (uint32_t u = 0; u < nodes; u++)
            size += set >> u & 1;
        for (uint32_t e = 0; e < edges; e++) {
            bool in = set >> end[e][0] & 1 && set >> end[e][1] & 1;
            a[rows * edges + e] = in;
            inside += in;
        }
        b[rows] = (int)size - 1;
        rows += size == 2 ? inside > 0 : inside >= size; /* sets with fewer edges never bind */
    }
    for (uint32_t v = 0; v < num_capped; v++, rows++) {
        for (uint32_t e = 0; e < edges; e++)
            a[rows * edges + e] = end[e][0] == v || end[e][1] == v;
        b[rows] = cap[v];
    }
    for (uint32_t e = 0; e < edges; e++)
        c[e] = 1;
    return test_simplex(rows, edges, a, b, c);
}

static long double component_cap_slowly(const pdpr_graph *g, uint32_t cap)
{
    uint32_t end[MOST_EDGES][2], caps[MOST_NODES], edges = 0;
    for (uint32_t u = 0; u < g->num_nodes; u++) {
        caps[u] = cap;
        for (uint64_t i = g->offset[u]; i < g->offset[u + 1]; i++)
            if (g->target[i] > u) {
                end[edges][0] = u;
                end[edges++][1] = g->target[i];
            }
    }
    return forest_slowly(g->num_nodes, edges, end, g->num_nodes, caps);
}

static pdpr_i_interval measure(pdpr_context *ctx, const pdpr_graph *g, uint32_t cap)
{
    pdpr_i_interval r;
    assert_ok(pdpr_i_component_cap(ctx, g, cap, GAMMA, &r, NULL));
    return r;
}

static void measured_interval_holds_the_optimum_of_the_simplex(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    uint32_t with_core = 0, fractional = 0;
    for (uint64_t trial = 0; trial < 1200; trial++) {
        uint32_t n = 3 + (uint32_t)(trial % 5), cap = 1 + (uint32_t)(trial / 5 % 3);
        uint64_t fixed = 0, most = (uint64_t)n * (n - 1) / 2;
        pdpr_graph *g = NULL;
        pdpr_i_forest_problem core;
        assert_ok(pdpr_generate_gnm(ctx, n, most * (2 + trial % 9) / 10, trial, &g, NULL));
        long double f = component_cap_slowly(g, cap);
        fractional += fabsl(f - roundl(f)) > 1e-6L;

        pdpr_i_interval r = measure(ctx, g, cap);
        assert_true((long double)r.lo <= f * PDPR_I_INTERVAL_ONE + 1e-6L);
        assert_true((long double)r.hi >= f * PDPR_I_INTERVAL_ONE - 1e-6L);
        assert_true(r.lo <= r.hi && r.hi - r.lo <= GAMMA);

        assert_ok(pdpr_i_component_reduce(ctx, g, cap, &fixed, &core, NULL));
        long double rest =
            forest_slowly(core.num_nodes, core.num_edges, core.end, core.num_capped, core.cap);
        assert_true(fabsl((long double)fixed + rest - f) < 1e-9L);
        with_core += core.num_edges > 0;
        pdpr_i_forest_problem_clear(&core);
        pdpr_graph_free(g);
    }
    assert_true(with_core > 100);  /* the reductions must not have solved everything, … */
    assert_true(fractional > 100); /* … nor single forests */
    pdpr_context_free(ctx);
}

/* ---------------------------------------------------------------- sensitivity */

enum { CAPS = 3 };

static void measure_exactly(pdpr_context *ctx, const pdpr_graph *g, uint64_t seed, int64_t *value)
{
    (void)ctx, (void)seed;
    for (uint32_t cap = 1; cap <= CAPS; cap++)
        value[cap - 1] = (int64_t)llrintl(component_cap_slowly(g, cap) * 1e9L);
}

static void measure_lower_bound(pdpr_context *ctx, const pdpr_graph *g, uint64_t seed,
                                int64_t *value)
{
    (void)seed;
    for (uint32_t cap = 1; cap <= CAPS; cap++)
        value[cap - 1] = (int64_t)measure(ctx, g, cap).lo;
}

static double exact_distance(const int64_t *a, const int64_t *b)
{
    return test_distance_by_cap(a, b, CAPS, 1e9, 0);
}

static double lower_bound_distance(const int64_t *a, const int64_t *b)
{
    return test_distance_by_cap(a, b, CAPS, PDPR_I_INTERVAL_ONE, GAMMA);
}

static void component_cap_never_exceeds_its_sensitivity_and_reaches_it(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    const test_query queries[] = {
        {"capped forest, simplex", CAPS, measure_exactly, exact_distance, true},
        {"capped forest, certified lower bound", CAPS, measure_lower_bound, lower_bound_distance,
         false},
    };
    test_sensitivity(ctx, &queries[0], 5, 7, 60);
    test_sensitivity(ctx, &queries[1], 6, 8, 150);
    pdpr_context_free(ctx);
}

/* Finds an augmenting path from u in the bipartite double cover (Kuhn). */
static bool augment(const pdpr_graph *g, uint32_t u, bool *seen, uint32_t *match)
{
    for (uint64_t i = g->offset[u]; i < g->offset[u + 1]; i++) {
        uint32_t w = g->target[i];
        if (seen[w])
            continue;
        seen[w] = true;
        if (match[w] == UINT32_MAX || augment(g, match[w], seen, match)) {
            match[w] = u;
            return true;
        }
    }
    return false;
}

/* Twice the fractional matching number: the largest matching of the double cover. */
static uint32_t matching_of_double_cover(const pdpr_graph *g)
{
    uint32_t *match = malloc(g->num_nodes * sizeof *match), size = 0;
    bool *seen = malloc(g->num_nodes * sizeof *seen);
    assert_non_null(match);
    assert_non_null(seen);
    memset(match, 0xff, g->num_nodes * sizeof *match);
    for (uint32_t u = 0; u < g->num_nodes; u++) {
        memset(seen, 0, g->num_nodes * sizeof *seen);
        size += augment(g, u, seen, match);
    }
    free(match);
    free(seen);
    return size;
}

/* With a cap of 1 no set of nodes binds (x(E[S]) <= |S| / 2), so F_1 is the fractional matching
 * number. Graphs of this size take every proposer. Neighbours keep to the sensitivity too. */
static void cap_of_one_gives_the_fractional_matching_number(void **state)
{
    (void)state;
    enum { NODES = 60 };
    pdpr_context *ctx = test_context(1);
    for (uint64_t seed = 0; seed < 4; seed++) {
        pdpr_graph *g = NULL, *rest = NULL;
        pdpr_i_interval a, b;
        assert_ok(pdpr_generate_gnm(ctx, NODES, 2 * NODES, seed, &g, NULL));
        uint64_t size = matching_of_double_cover(g);
        a = measure(ctx, g, 1);
        assert_true(2 * a.lo <= size * PDPR_I_INTERVAL_ONE);
        assert_true(2 * a.hi >= size * PDPR_I_INTERVAL_ONE);
        assert_true(a.hi - a.lo <= GAMMA);
        for (uint32_t v = 0; v < 3; v++) {
            rest = test_graph_without(ctx, g, v);
            b = measure(ctx, rest, 1);
            assert_true(b.lo <= a.hi && a.lo <= b.lo + PDPR_I_INTERVAL_ONE + GAMMA);
            pdpr_graph_free(rest);
        }
        pdpr_graph_free(g);
    }
    pdpr_context_free(ctx);
}

/* The blueprint's cap on hubs with five leaves each: what is left of the caps is a matching of the
 * hubs. Neither exchanges nor single forests come near its optimum. */
static void leaves_that_use_up_all_caps_but_one_leave_a_matching(void **state)
{
    (void)state;
    enum { HUBS = 1500, LEAVES = 5, LINKS = 3 * HUBS };
    pdpr_context *ctx = test_context(1);
    pdpr_graph *hubs = NULL;
    uint32_t *pair = malloc(2 * (HUBS * LEAVES + LINKS) * sizeof *pair), count = 0;
    pdpr_i_interval r;
    assert_non_null(pair);
    assert_ok(pdpr_generate_gnm(ctx, HUBS, LINKS, 5, &hubs, NULL));
    for (uint32_t u = 0; u < HUBS; u++) {
        for (uint64_t i = hubs->offset[u]; i < hubs->offset[u + 1]; i++)
            if (hubs->target[i] > u) {
                pair[2 * count] = u;
                pair[2 * count++ + 1] = hubs->target[i];
            }
        for (uint32_t leaf = 0; leaf < LEAVES; leaf++) {
            pair[2 * count] = u;
            pair[2 * count++ + 1] = HUBS + u * LEAVES + leaf;
        }
    }
    pdpr_graph *g = test_graph(ctx, HUBS * (1 + LEAVES), pair, count);
    uint64_t twice = 2 * HUBS * LEAVES + matching_of_double_cover(hubs);
    assert_ok(pdpr_i_component_cap(ctx, g, LEAVES + 1, PDPR_I_INTERVAL_ONE / 2, &r, NULL));
    assert_true(2 * r.lo <= twice * PDPR_I_INTERVAL_ONE);
    assert_true(2 * r.hi >= twice * PDPR_I_INTERVAL_ONE);
    assert_true(r.hi - r.lo <= PDPR_I_INTERVAL_ONE / 2);
    free(pair);
    pdpr_graph_free(g);
    pdpr_graph_free(hubs);
    pdpr_context_free(ctx);
}

/* A star, of any size, with its centre isolated: the loss is exactly the cap. */
static void star_loses_exactly_the_cap_with_its_centre(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    pdpr_graph *star = test_graph_star(ctx, 500), *empty = test_graph_empty(ctx, 500);
    for (uint32_t cap = 1; cap < 499; cap = 2 * cap + 1) {
        assert_int_equal(measure(ctx, star, cap).lo, (uint64_t)cap * PDPR_I_INTERVAL_ONE);
        assert_int_equal(measure(ctx, star, cap).hi, (uint64_t)cap * PDPR_I_INTERVAL_ONE);
        assert_int_equal(measure(ctx, empty, cap).hi, 0);
    }
    pdpr_graph_free(star);
    pdpr_graph_free(empty);
    pdpr_context_free(ctx);
}

/* Complete bipartite graphs with few nodes on one side: F = min(rank, caps of that side). */
static void few_hubs_over_many_leaves_use_up_their_caps(void **state)
{
    (void)state;
    enum { HUBS = 6, LEAVES = 300 };
    pdpr_context *ctx = test_context(1);
    uint32_t pair[2 * HUBS * LEAVES];
    for (uint32_t i = 0; i < HUBS * LEAVES; i++) {
        pair[2 * i] = i % HUBS;
        pair[2 * i + 1] = HUBS + i / HUBS;
    }
    pdpr_graph *g = test_graph(ctx, HUBS + LEAVES, pair, HUBS * LEAVES);
    for (uint32_t cap = 7; cap < 80; cap += 9) { /* a leaf has 6 edges: leaves are never full */
        uint64_t whole = HUBS + LEAVES - 1, f = HUBS * cap < whole ? HUBS * cap : whole;
        pdpr_i_interval r = measure(ctx, g, cap);
        assert_int_equal(r.lo, f * PDPR_I_INTERVAL_ONE);
        assert_int_equal(r.hi, f * PDPR_I_INTERVAL_ONE);
    }
    pdpr_graph_free(g);
    pdpr_context_free(ctx);
}

/* ---------------------------------------------------------------- rate */

/* A core that the reductions cannot solve. */
static void make_core(pdpr_context *ctx, uint32_t nodes, uint32_t cap, uint64_t seed,
                      pdpr_i_forest_problem *core)
{
    pdpr_graph *g = NULL;
    uint64_t fixed;
    assert_ok(pdpr_generate_gnm(ctx, nodes, 2 * (uint64_t)nodes, seed, &g, NULL));
    assert_ok(pdpr_i_component_reduce(ctx, g, cap, &fixed, core, NULL));
    assert_true(core->num_edges > 3);
    pdpr_graph_free(g);
}

/* The heaviest forest against all sets of edges. */
static void upper_bound_uses_the_heaviest_forest(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    for (uint64_t seed = 0; seed < 60; seed++) {
        pdpr_i_forest_problem p;
        pdpr_i_forest_work w;
        uint64_t y[16], zero[64] = {0};
        uint32_t edge[64], edges = 0;
        pdpr_i_wide value = 0, best = 0, caps = 0;
        pdpr_i_stream random;
        make_core(ctx, 6, 2, seed, &p);
        assert_true(p.num_edges <= 12 && p.num_capped <= 16);
        assert_ok(pdpr_i_forest_work_init(ctx, &p, &w, NULL));
        test_stream(&random, 100 + seed);
        for (uint32_t v = 0; v < p.num_capped; v++) {
            y[v] = pdpr_i_stream_below(&random, PDPR_I_FOREST_ONE / 2);
            caps += (pdpr_i_wide)p.cap[v] * (pdpr_i_wide)y[v];
        }
        assert_true(pdpr_i_forest_upper(&p, y, &w, edge, &edges, &value));
        for (uint32_t set = 0; set < 1U << p.num_edges; set++) {
            uint32_t list[12], count = 0;
            pdpr_i_wide weight = 0;
            pdpr_i_forest_sum sum = {.count = zero};
            for (uint32_t e = 0; e < p.num_edges; e++)
                if (set >> e & 1) {
                    list[count++] = e;
                    weight += PDPR_I_FOREST_ONE;
                    for (int k = 0; k < 2; k++)
                        weight -= p.end[e][k] < p.num_capped ? y[p.end[e][k]] : 0;
                }
            if (pdpr_i_forest_sum_add(&p, &sum, list, count, 0, &w) && weight > best)
                best = weight;
        }
        assert_true(value == caps + best);
        pdpr_i_forest_work_clear(&w);
        pdpr_i_forest_problem_clear(&p);
    }
    pdpr_context_free(ctx);
}

/* Theorem 4: the slow proposer alone reaches its promised distance. */
static void descent_alone_keeps_its_promised_rate(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    for (uint64_t seed = 0; seed < 12; seed++) {
        pdpr_i_forest_problem p;
        pdpr_i_forest_descent *d = NULL;
        pdpr_i_forest_bounds b = {.lo = 0, .hi = (pdpr_i_wide)1 << 100};
        make_core(ctx, 10 + (uint32_t)seed, 2, seed, &p);
        double weights = 0;
        for (uint32_t v = 0; v < p.num_capped; v++) {
            uint32_t degree = 0;
            for (uint32_t e = 0; e < p.num_edges; e++)
                degree += p.end[e][0] == v || p.end[e][1] == v;
            weights += degree > p.cap[v] ? degree : p.cap[v];
        }
        assert_ok(pdpr_i_forest_descent_new(ctx, &p, &d, NULL));
        for (unsigned e = 0; e <= 7; e++) {
            pdpr_i_forest_descent_run(d, (uint64_t)1 << 2 * e, &b);
            double gap = (double)(b.hi - b.lo) / (double)PDPR_I_FOREST_ONE;
            assert_true(gap >= 0);
            assert_true(gap <= ldexp(weights, -(int)e) + 0x1p-6);
        }
        pdpr_i_forest_descent_free(d);
        pdpr_i_forest_problem_clear(&p);
    }
    pdpr_context_free(ctx);
}

/* The fast proposer has no theorem; this is what was seen of it. */
static void average_alone_closes_the_gap_of_small_cores(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    for (uint64_t seed = 0; seed < 12; seed++) {
        pdpr_i_forest_problem p;
        pdpr_i_forest_average *a = NULL;
        pdpr_i_forest_bounds b = {.lo = 0, .hi = (pdpr_i_wide)1 << 100};
        make_core(ctx, 20 + 10 * (uint32_t)seed, 1 + (uint32_t)seed % 3, seed, &p);
        assert_ok(pdpr_i_forest_average_new(ctx, &p, 1, &a, NULL));
        pdpr_i_forest_average_run(a, 2000, &b);
        assert_true(b.hi >= b.lo && b.hi - b.lo <= (pdpr_i_wide)PDPR_I_FOREST_ONE / 4);
        pdpr_i_forest_average_free(a);
        pdpr_i_forest_problem_clear(&p);
    }
    pdpr_context_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(measured_interval_holds_the_optimum_of_the_simplex),
        cmocka_unit_test(component_cap_never_exceeds_its_sensitivity_and_reaches_it),
        cmocka_unit_test(cap_of_one_gives_the_fractional_matching_number),
        cmocka_unit_test(leaves_that_use_up_all_caps_but_one_leave_a_matching),
        cmocka_unit_test(star_loses_exactly_the_cap_with_its_centre),
        cmocka_unit_test(few_hubs_over_many_leaves_use_up_their_caps),
        cmocka_unit_test(upper_bound_uses_the_heaviest_forest),
        cmocka_unit_test(descent_alone_keeps_its_promised_rate),
        cmocka_unit_test(average_alone_closes_the_gap_of_small_cores),
    };
    return cmocka_run_group_tests_name("blueprint component cap", tests, NULL, NULL);
}
