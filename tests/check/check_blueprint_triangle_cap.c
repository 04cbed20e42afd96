/* The capped triangle count against a dense simplex, its sensitivity by brute force, what the
 * certificate must reject, and the rate that makes the loop end. */
#include "support/neighbours.h"
#include "support/simplex.h"
#include "blueprint/measure_triangle_cap.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { GAMMA = PDPR_I_INTERVAL_ONE / 16 };

static bool adjacent(const pdpr_graph *g, uint32_t u, uint32_t w)
{
    for (uint64_t i = g->offset[u]; i < g->offset[u + 1]; i++)
        if (g->target[i] == w)
            return true;
    return false;
}

/* The linear program as it is defined: a column a triangle, a row a node, a row a bound. */
static long double triangle_cap_slowly(const pdpr_graph *g, uint32_t cap)
{
    enum { MOST = 56, ROWS = 8 + MOST };
    static long double a[ROWS * MOST], b[ROWS], c[MOST];
    uint32_t triangle[MOST][3], count = 0, n = g->num_nodes;
    for (uint32_t u = 0; u < n; u++)
        for (uint32_t w = u + 1; w < n; w++)
            for (uint32_t x = w + 1; x < n; x++)
                if (adjacent(g, u, w) && adjacent(g, u, x) && adjacent(g, w, x)) {
                    triangle[count][0] = u;
                    triangle[count][1] = w;
                    triangle[count++][2] = x;
                }
    memset(a, 0, sizeof a);
    for (uint32_t j = 0; j < count; j++) {
        for (unsigned k = 0; k < 3; k++)
            a[triangle[j][k] * count + j] = 1;
        a[(n + j) * count + j] = 1;
        b[n + j] = 1;
        c[j] = 1;
    }
    for (uint32_t u = 0; u < n; u++)
        b[u] = cap;
    return test_simplex(n + count, count, a, b, c);
}

/* The optimum of a packing problem by the same oracle. */
static long double packing_slowly(const pdpr_i_packing *p)
{
    uint32_t rows = p->num_rows + p->num_items, columns = p->num_items;
    long double *a = calloc((size_t)rows * columns + 1, sizeof *a);
    long double *b = calloc(rows + 1, sizeof *b), *c = calloc(columns + 1, sizeof *c), value;
    assert_true(a && b && c);
    for (uint32_t j = 0; j < columns; j++) {
        for (unsigned k = 0; k < 3 && p->row[j][k] != PDPR_I_NO_ROW; k++)
            a[(size_t)p->row[j][k] * columns + j] = 1;
        a[(size_t)(p->num_rows + j) * columns + j] = 1;
        b[p->num_rows + j] = p->upper[j];
        c[j] = 1;
    }
    for (uint32_t v = 0; v < p->num_rows; v++)
        b[v] = p->cap[v];
    value = test_simplex(rows, columns, a, b, c);
    free(a);
    free(b);
    free(c);
    return value;
}

static pdpr_i_interval measure(pdpr_context *ctx, const pdpr_graph *g, uint32_t cap, uint64_t gamma)
{
    pdpr_i_triangle_counts t;
    pdpr_i_interval r;
    assert_ok(pdpr_i_triangle_counts_init(ctx, g, &t, NULL));
    assert_ok(pdpr_i_triangle_cap(ctx, &t, cap, gamma, &r, NULL));
    pdpr_i_triangle_counts_clear(&t);
    return r;
}

static void measured_interval_holds_the_optimum_of_the_simplex(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    uint32_t with_core = 0;
    for (uint64_t trial = 0; trial < 1500; trial++) {
        uint32_t n = 3 + (uint32_t)(trial % 6), cap = 1 + (uint32_t)(trial / 7 % 7);
        uint64_t fixed, most = (uint64_t)n * (n - 1) / 2;
        pdpr_graph *g = NULL;
        pdpr_i_triangle_counts t;
        pdpr_i_packing core;
        assert_ok(pdpr_generate_gnm(ctx, n, most * (4 + trial % 7) / 10, trial, &g, NULL));
        long double f = triangle_cap_slowly(g, cap);

        pdpr_i_interval r = measure(ctx, g, cap, GAMMA);
        assert_true((long double)r.lo <= f * PDPR_I_INTERVAL_ONE + 1e-6L);
        assert_true((long double)r.hi >= f * PDPR_I_INTERVAL_ONE - 1e-6L);
        assert_true(r.lo <= r.hi && r.hi - r.lo <= GAMMA);

        assert_ok(pdpr_i_triangle_counts_init(ctx, g, &t, NULL));
        assert_ok(pdpr_i_triangle_reduce(ctx, &t, cap, &fixed, &core, NULL));
        assert_true(fabsl((long double)fixed + packing_slowly(&core) - f) < 1e-9L);
        with_core += core.num_items > 0;
        pdpr_i_packing_clear(&core);
        pdpr_i_triangle_counts_clear(&t);
        pdpr_graph_free(g);
    }
    assert_true(with_core > 100); /* the reductions must not have solved everything */
    pdpr_context_free(ctx);
}

/* ---------------------------------------------------------------- sensitivity */

enum { CAPS = 4 };

static void measure_exactly(pdpr_context *ctx, const pdpr_graph *g, uint64_t seed, int64_t *value)
{
    (void)ctx, (void)seed;
    for (uint32_t cap = 1; cap <= CAPS; cap++)
        value[cap - 1] = (int64_t)llrintl(triangle_cap_slowly(g, cap) * 1e9L);
}

static void measure_lower_bound(pdpr_context *ctx, const pdpr_graph *g, uint64_t seed,
                                int64_t *value)
{
    (void)seed;
    for (uint32_t cap = 1; cap <= CAPS; cap++)
        value[cap - 1] = (int64_t)measure(ctx, g, cap, GAMMA).lo;
}

static double exact_distance(const int64_t *a, const int64_t *b)
{
    return test_distance_by_cap(a, b, CAPS, 1e9, 0);
}

static double lower_bound_distance(const int64_t *a, const int64_t *b)
{
    return test_distance_by_cap(a, b, CAPS, PDPR_I_INTERVAL_ONE, GAMMA);
}

static void triangle_cap_never_exceeds_its_sensitivity_and_reaches_it(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    const test_query queries[] = {
        {"capped triangles, simplex", CAPS, measure_exactly, exact_distance, true},
        {"capped triangles, certified lower bound", CAPS, measure_lower_bound, lower_bound_distance,
         false},
    };
    test_sensitivity(ctx, &queries[0], 5, 8, 150);
    test_sensitivity(ctx, &queries[1], 6, 8, 300);
    pdpr_context_free(ctx);
}

/* Larger graphs, where the solver works: each of the first nodes, hubs among them, is taken out. */
static void larger_graphs_keep_to_the_sensitivity(void **state)
{
    (void)state;
    enum { NODES = 400 };
    pdpr_context *ctx = test_context(2);
    pdpr_graph *g = NULL;
    assert_ok(pdpr_generate_social(ctx, NODES, 4000, 0.6, 5, &g, NULL));
    for (uint32_t cap = 4; cap <= 64; cap *= 4)
        for (uint32_t v = 0; v < 24; v++) {
            pdpr_graph *rest = test_graph_without(ctx, g, v);
            pdpr_i_interval a = measure(ctx, g, cap, GAMMA), b = measure(ctx, rest, cap, GAMMA);
            assert_true(b.lo <= a.hi); /* monotone */
            assert_true(a.lo <= b.lo + (uint64_t)cap * PDPR_I_INTERVAL_ONE + GAMMA);
            assert_true(a.hi - a.lo <= GAMMA && b.hi - b.lo <= GAMMA);
            pdpr_graph_free(rest);
        }
    pdpr_graph_free(g);
    pdpr_context_free(ctx);
}

/* ---------------------------------------------------------------- known values */

/* `cliques` complete graphs of `size` nodes, and node 0 joined to all of them (or to none). */
static pdpr_graph *star_of_cliques(pdpr_context *ctx, uint32_t cliques, uint32_t size, bool joined)
{
    uint32_t *pair = calloc((size_t)cliques * size * (size + 1) + 1, sizeof *pair);
    uint64_t count = 0;
    assert_non_null(pair);
    for (uint32_t q = 0; q < cliques; q++)
        for (uint32_t i = 0; i < size; i++) {
            uint32_t u = 1 + q * size + i;
            for (uint32_t k = i + 1; k < size; k++) {
                pair[2 * count] = u;
                pair[2 * count++ + 1] = 1 + q * size + k;
            }
            if (joined) {
                pair[2 * count] = 0;
                pair[2 * count++ + 1] = u;
            }
        }
    pdpr_graph *g = test_graph(ctx, 1 + cliques * size, pair, count);
    free(pair);
    return g;
}

static void star_of_cliques_loses_exactly_the_cap_with_its_centre(void **state)
{
    (void)state;
    enum { CLIQUES = 30, SIZE = 8, INSIDE = 56, WITH_CENTRE = 28 }; /* C(8,3), C(8,2) */
    pdpr_context *ctx = test_context(2);
    for (uint32_t cap = WITH_CENTRE; cap <= CLIQUES * WITH_CENTRE; cap += 97) {
        pdpr_graph *with = star_of_cliques(ctx, CLIQUES, SIZE, true);
        pdpr_graph *without = star_of_cliques(ctx, CLIQUES, SIZE, false);
        pdpr_i_interval a = measure(ctx, with, cap, GAMMA), b = measure(ctx, without, cap, GAMMA);
        assert_int_equal(b.lo, (uint64_t)CLIQUES * INSIDE * PDPR_I_INTERVAL_ONE);
        assert_int_equal(a.lo - b.lo, (uint64_t)cap * PDPR_I_INTERVAL_ONE);
        pdpr_graph_free(with);
        pdpr_graph_free(without);
    }
    pdpr_context_free(ctx);
}

static void clique_and_book_have_their_closed_forms(void **state)
{
    (void)state;
    enum { SIZE = 40, PAGES = 5000 };
    pdpr_context *ctx = test_context(2);
    pdpr_graph *g = test_graph_complete(ctx, SIZE);
    for (uint32_t cap = 1; cap < 800; cap = cap * 3 + 1) { /* all nodes alike: f = cap N / 3 */
        uint64_t all = SIZE * (SIZE - 1) * (SIZE - 2) / 6;
        uint64_t third = cap * SIZE < 3 * all ? (uint64_t)cap * SIZE : 3 * all;
        pdpr_i_interval r = measure(ctx, g, cap, GAMMA);
        assert_true(3 * r.lo <= third * PDPR_I_INTERVAL_ONE);
        assert_true(3 * r.hi >= third * PDPR_I_INTERVAL_ONE);
        assert_true(r.hi - r.lo <= GAMMA);
    }
    pdpr_graph_free(g);

    uint32_t *pair = calloc(4 * PAGES + 2, sizeof *pair); /* an edge and PAGES nodes on both ends */
    assert_non_null(pair);
    pair[1] = 1;
    for (uint32_t i = 0; i < PAGES; i++) {
        pair[4 * i + 2] = 0;
        pair[4 * i + 3] = pair[4 * i + 5] = i + 2;
        pair[4 * i + 4] = 1;
    }
    g = test_graph(ctx, PAGES + 2, pair, 2 * PAGES + 1);
    for (uint32_t cap = 1; cap < 8000; cap *= 7) {
        pdpr_i_interval r = measure(ctx, g, cap, GAMMA);
        assert_int_equal(r.lo, (cap < PAGES ? cap : (uint64_t)PAGES) * PDPR_I_INTERVAL_ONE);
        assert_int_equal(r.hi, r.lo);
    }
    pdpr_graph_free(g);
    free(pair);
    pdpr_context_free(ctx);
}

/* ---------------------------------------------------------------- certificate and rate */

/* A core that the reductions cannot solve. */
static void make_core(pdpr_context *ctx, uint32_t nodes, uint32_t cap, uint64_t seed,
                      pdpr_i_packing *core)
{
    pdpr_graph *g = NULL;
    pdpr_i_triangle_counts t;
    uint64_t fixed;
    assert_ok(pdpr_generate_gnm(ctx, nodes, (uint64_t)nodes * (nodes - 1) / 4, seed, &g, NULL));
    assert_ok(pdpr_i_triangle_counts_init(ctx, g, &t, NULL));
    assert_ok(pdpr_i_triangle_reduce(ctx, &t, cap, &fixed, core, NULL));
    assert_true(core->num_items > 10);
    pdpr_i_triangle_counts_clear(&t);
    pdpr_graph_free(g);
}

static void certificate_rejects_points_that_lie(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    pdpr_i_packing p;
    pdpr_i_wide value = -1, truth;
    make_core(ctx, 20, 5, 1, &p);
    uint64_t *z = calloc(p.num_items, sizeof *z), *y = calloc(p.num_rows, sizeof *y);
    uint64_t *room = calloc(p.num_rows, sizeof *room);
    double *scale = calloc(p.num_rows, sizeof *scale);
    assert_true(z && y && room && scale);

    /* An honest point is accepted with its exact sum … */
    for (uint32_t j = 0; j < p.num_items; j++)
        z[j] = (uint64_t)p.upper[j] << PDPR_I_PACKING_BITS;
    assert_false(pdpr_i_packing_lower(&p, z, &value)); /* everything at once is over the caps */
    assert_true(value == -1);
    pdpr_i_packing_repair(&p, z, scale, room);
    assert_true(pdpr_i_packing_lower(&p, z, &value));
    truth = 0;
    for (uint32_t j = 0; j < p.num_items; j++)
        truth += z[j];
    assert_true(value == truth);
    /* … and one unit of 2^-40 too much in any full row is not: the repair leaves no item with room
     * in all its rows, so every item below its bound lies in a full row. */
    uint32_t refused = 0;
    for (uint32_t j = 0; j < p.num_items; j++) {
        if (z[j] == (uint64_t)p.upper[j] << PDPR_I_PACKING_BITS)
            continue;
        z[j]++;
        assert_false(pdpr_i_packing_lower(&p, z, &value));
        z[j]--;
        refused++;
    }
    assert_true(refused > 0);
    /* Beyond an item's own bound, with rows that have room. */
    memset(z, 0, p.num_items * sizeof *z);
    z[0] = ((uint64_t)p.upper[0] << PDPR_I_PACKING_BITS) + 1;
    assert_false(pdpr_i_packing_lower(&p, z, &value));
    /* Prices outside [0, 1] (a negative one is a huge unsigned one). */
    y[1] = PDPR_I_PACKING_ONE + 1;
    assert_false(pdpr_i_packing_upper(&p, y, &value));
    y[1] = UINT64_MAX;
    assert_false(pdpr_i_packing_upper(&p, y, &value));
    y[1] = 0;

    /* Any prices in the range give a true upper bound: never below the optimum. */
    long double optimum = packing_slowly(&p) * (long double)PDPR_I_PACKING_ONE;
    pdpr_i_stream random;
    test_stream(&random, 3);
    for (int trial = 0; trial < 200; trial++) {
        for (uint32_t v = 0; v < p.num_rows; v++)
            y[v] = pdpr_i_stream_below(&random, PDPR_I_PACKING_ONE + 1) >> trial % 3;
        assert_true(pdpr_i_packing_upper(&p, y, &value));
        assert_true((long double)value >= optimum * (1 - 1e-12L));
    }
    free(z);
    free(y);
    free(room);
    free(scale);
    pdpr_i_packing_clear(&p);
    pdpr_context_free(ctx);
}

/* Theorem 4: the slow proposer alone, without the fast one, reaches its promised distance. */
static void descent_alone_keeps_its_promised_rate(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    for (uint64_t seed = 0; seed < 12; seed++) {
        pdpr_i_packing p;
        pdpr_i_packing_descent *d = NULL;
        pdpr_i_packing_bounds b = {.lo = 0, .hi = (pdpr_i_wide)1 << 100};
        make_core(ctx, 14 + (uint32_t)seed, 2 + (uint32_t)seed % 4, seed, &p);
        double weights = 0;
        for (uint32_t v = 0; v < p.num_rows; v++)
            weights += (double)p.weight[v];
        assert_ok(pdpr_i_packing_descent_new(ctx, &p, &d, NULL));
        for (unsigned e = 0; e <= 7; e++) {
            pdpr_i_packing_descent_run(d, (uint64_t)1 << 2 * e, &b);
            double gap = (double)(b.hi - b.lo) / (double)PDPR_I_PACKING_ONE;
            assert_true(gap >= 0);
            assert_true(gap <= ldexp(weights, -(int)e) + 0x1p-6);
        }
        pdpr_i_packing_descent_free(d);
        pdpr_i_packing_clear(&p);
    }
    pdpr_context_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(measured_interval_holds_the_optimum_of_the_simplex),
        cmocka_unit_test(triangle_cap_never_exceeds_its_sensitivity_and_reaches_it),
        cmocka_unit_test(larger_graphs_keep_to_the_sensitivity),
        cmocka_unit_test(star_of_cliques_loses_exactly_the_cap_with_its_centre),
        cmocka_unit_test(clique_and_book_have_their_closed_forms),
        cmocka_unit_test(certificate_rejects_points_that_lie),
        cmocka_unit_test(descent_alone_keeps_its_promised_rate),
    };
    return cmocka_run_group_tests_name("blueprint triangle cap", tests, NULL, NULL);
}
