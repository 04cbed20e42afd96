/* The builder against slow, obvious versions of its parts, and its invariants on hundreds of seeded
 * sets of targets: degrees exact, graph simple, counts true, triangles near, one large component.
 */
#include "support/built.h"
#include "blueprint/build_parts.h"
#include "generate/generate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 400 };

static pdpr_i_stream stream(uint64_t seed)
{
    pdpr_i_key key;
    pdpr_i_stream random;
    pdpr_i_key_from_seed(seed, &key);
    pdpr_i_stream_init(&random, &key, PDPR_I_PURPOSE_TEST, 1);
    return random;
}

static int descending(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? 1 : x > y ? -1 : 0;
}

/* Havel and Hakimi by sorting again and again: true if it ends with nothing left. */
static bool slow_graphical(const uint32_t *degree, uint32_t n)
{
    uint32_t d[MOST];
    memcpy(d, degree, n * sizeof *d);
    for (;;) {
        qsort(d, n, sizeof *d, descending);
        if (n == 0 || d[0] == 0)
            return true;
        if (d[0] >= n)
            return false;
        for (uint32_t i = 1; i <= d[0]; i++)
            if (d[i]-- == 0)
                return false;
        d[0] = 0;
    }
}

static bool fast_graphical(const uint32_t *degree, uint32_t n)
{
    uint64_t histogram[MOST] = {0};
    for (uint32_t u = 0; u < n; u++)
        histogram[degree[u]]++;
    return pdpr_i_degrees_are_graphical(histogram, n);
}

static void graphical_agrees_with_havel_and_hakimi(void **state)
{
    (void)state;
    pdpr_i_stream random = stream(1);
    uint32_t degree[MOST];
    int yes = 0, no = 0;
    for (int k = 0; k < 40000; k++) {
        uint32_t n = 1 + (uint32_t)pdpr_i_stream_below(&random, 12);
        for (uint32_t u = 0; u < n; u++)
            degree[u] = (uint32_t)pdpr_i_stream_below(&random, n);
        bool expected = slow_graphical(degree, n);
        assert_int_equal(fast_graphical(degree, n), expected);
        yes += expected;
        no += !expected;
    }
    assert_true(yes > 2000 && no > 2000);
}

/* The cut sequence is graphical, only the top is lowered, and a cap one higher would not do. */
static void cutting_is_graphical_and_no_deeper_than_needed(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    pdpr_i_stream random = stream(2);
    for (int k = 0; k < 20000; k++) {
        uint32_t n = 1 + (uint32_t)pdpr_i_stream_below(&random, 12), wanted[12], got[12], top = 0;
        uint64_t cut, sum = 0;
        for (uint32_t u = 0; u < n; u++)
            wanted[u] = got[u] = (uint32_t)pdpr_i_stream_below(&random, n + 3);
        assert_ok(pdpr_i_degrees_make_graphical(ctx, got, n, &cut, NULL));
        assert_true(slow_graphical(got, n));
        for (uint32_t u = 0; u < n; u++) {
            assert_true(got[u] <= wanted[u]);
            sum += wanted[u] - got[u];
            top = got[u] > top ? got[u] : top;
        }
        assert_int_equal(sum, cut);
        uint32_t lowered = 0; /* below the cap, at most one node pays for an odd sum */
        for (uint32_t u = 0; u < n; u++)
            lowered += got[u] != wanted[u] && got[u] < top;
        assert_true(lowered <= 1);
        if (slow_graphical(wanted, n))
            assert_int_equal(cut, 0);
    }
    pdpr_context_free(ctx);
}

/* Random additions and removals beside a matrix; rows long enough for the set of edges. */
static void rows_agree_with_a_matrix(void **state)
{
    (void)state;
    enum { N = 60 };
    static bool there[N][N];
    pdpr_context *ctx = test_context(1);
    for (uint64_t seed = 0; seed < 20; seed++) {
        pdpr_i_stream random = stream(seed);
        uint32_t degree[N];
        pdpr_i_rows rows;
        uint64_t edges = 0;
        memset(there, 0, sizeof there);
        for (uint32_t u = 0; u < N; u++)
            degree[u] = u % 3 == 0 ? N - 1 : (uint32_t)pdpr_i_stream_below(&random, 30);
        assert_ok(pdpr_i_rows_init(ctx, degree, N, &rows, NULL));
        for (int k = 0; k < 20000; k++) {
            uint32_t u = (uint32_t)pdpr_i_stream_below(&random, N);
            uint32_t v = (uint32_t)pdpr_i_stream_below(&random, N);
            if (u == v)
                continue;
            assert_int_equal(pdpr_i_rows_has(&rows, u, v), there[u][v]);
            bool phase = k / 4000 % 2; /* mostly adding, then mostly removing */
            if (there[u][v] && (phase || k % 4 == 0)) {
                pdpr_i_rows_remove(&rows, u, v);
                there[u][v] = there[v][u] = false;
                edges--;
            } else if (!there[u][v]) {
                bool room = pdpr_i_room(&rows, u) && pdpr_i_room(&rows, v);
                assert_int_equal(pdpr_i_rows_try(&rows, u, v), room);
                there[u][v] = there[v][u] = room;
                edges += room;
            }
            if (k % 500 == 0) {
                uint64_t common = 0, triangles = 0;
                for (uint32_t x = 0; x < N; x++)
                    common += there[u][x] && there[v][x];
                for (uint32_t x = 0; x < N; x++)
                    for (uint32_t y = 0; y < x; y++)
                        for (uint32_t z = 0; z < y; z++)
                            triangles += there[x][y] && there[y][z] && there[x][z];
                assert_int_equal(pdpr_i_rows_common(&rows, u, v), common);
                assert_int_equal(pdpr_i_rows_triangles(&rows), triangles);
                assert_int_equal(rows.num_edges, edges);
            }
        }
        pdpr_i_rows_clear(&rows);
    }
    pdpr_context_free(ctx);
}

static void swap_change_agrees_with_counting_again(void **state)
{
    (void)state;
    enum { N = 40 };
    pdpr_context *ctx = test_context(1);
    int made = 0;
    for (uint64_t seed = 0; seed < 30; seed++) {
        pdpr_i_stream random = stream(100 + seed);
        uint32_t degree[N];
        pdpr_i_rows rows;
        for (uint32_t u = 0; u < N; u++)
            degree[u] = N - 1;
        assert_ok(pdpr_i_rows_init(ctx, degree, N, &rows, NULL));
        for (uint64_t k = 0; k < 100 + 20 * seed; k++)
            (void)pdpr_i_rows_try(&rows, (uint32_t)pdpr_i_stream_below(&random, N),
                                  (uint32_t)pdpr_i_stream_below(&random, N));
        for (int k = 0; k < 300; k++) {
            pdpr_i_swap w;
            w.a = (uint32_t)pdpr_i_stream_below(&random, N);
            w.b = (uint32_t)pdpr_i_stream_below(&random, N);
            if (!rows.length[w.a] || !rows.length[w.b])
                continue;
            w.c = pdpr_i_rows_neighbour(&rows, w.a, &random);
            w.d = pdpr_i_rows_neighbour(&rows, w.b, &random);
            if (!pdpr_i_swap_is_possible(&rows, &w))
                continue;
            int64_t before = (int64_t)pdpr_i_rows_triangles(&rows);
            int64_t change = pdpr_i_swap_change(&rows, &w);
            pdpr_i_swap_make(&rows, &w);
            assert_int_equal((int64_t)pdpr_i_rows_triangles(&rows) - before, change);
            made++;
        }
        pdpr_i_rows_clear(&rows);
    }
    assert_true(made > 2000);
    pdpr_context_free(ctx);
}

/* Everything that must hold whatever the targets. */
static void check_invariants(pdpr_context *ctx, const pdpr_i_build_targets *t, uint64_t seed,
                             pdpr_i_build_outcome *o)
{
    uint32_t largest, nodes, *possible = malloc(t->num_nodes * sizeof *possible + 1);
    uint64_t cut;
    assert_non_null(possible);
    memcpy(possible, t->degree, t->num_nodes * sizeof *possible);
    assert_ok(pdpr_i_degrees_make_graphical(ctx, possible, t->num_nodes, &cut, NULL));

    pdpr_graph *g = test_build(ctx, t, seed, o);
    assert_true(test_has_degrees(g, possible));
    assert_int_equal(o->degrees_cut, cut);
    assert_int_equal(o->edges, pdpr_graph_num_edges(g));
    assert_int_equal(o->triangles, test_count_triangles(g));
    uint64_t components = test_count_components(g, &largest, &nodes);
    assert_int_equal(o->small_components, components ? components - 1 : 0);
    /* strays only where there are too few edges to hang together; wished components may be cliques,
     * which leave still fewer to the rest */
    if (o->strays > 0 && t->small_components == 0)
        assert_true(o->edges < nodes);
    pdpr_graph_free(g);
    free(possible);
}

/* The truth about real graphs of every kind is reachable: triangles within 1 %. */
static void build_true_targets_of_every_kind_are_met(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    for (pdpr_kind kind = 0; kind < PDPR_KINDS; kind++)
        for (uint64_t seed = 0; seed < 12; seed++) {
            pdpr_generate_options options;
            pdpr_graph *g = NULL;
            uint32_t n = 300 + 100 * (uint32_t)seed, largest, nodes;
            uint32_t *degree = malloc(n * sizeof *degree);
            pdpr_generate_options_default(kind, n, &options);
            assert_ok(pdpr_generate(ctx, &options, seed, &g, NULL));
            assert_non_null(degree);
            for (uint32_t u = 0; u < n; u++)
                degree[u] = (uint32_t)pdpr_i_degree(g, u);
            uint64_t components = test_count_components(g, &largest, &nodes);
            pdpr_i_build_targets t = {.num_nodes = n,
                                      .degree = degree,
                                      .triangles = test_count_triangles(g),
                                      .small_components = components ? components - 1 : 0,
                                      .small_mean_size = 2,
                                      .locality = 0.1 * (double)(seed % 5)};
            if (t.small_components > 0)
                t.small_mean_size = (double)(nodes - largest) / (double)t.small_components;
            pdpr_i_build_outcome o;
            check_invariants(ctx, &t, seed, &o);
            assert_int_equal(o.degrees_cut, 0);
            double off = fabs((double)o.triangles - (double)t.triangles);
            if (off > 0.01 * (double)t.triangles)
                fail_msg("%s, seed %d: %llu triangles wanted, %llu built", pdpr_kind_name(kind),
                         (int)seed, (unsigned long long)t.triangles,
                         (unsigned long long)o.triangles);
            pdpr_graph_free(g);
            free(degree);
        }
    pdpr_context_free(ctx);
}

/* Targets from nowhere: most are impossible in some way, none may break an invariant. */
static void build_wild_targets_keep_every_invariant(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    uint32_t degree[MOST];
    for (uint64_t seed = 0; seed < 600; seed++) {
        pdpr_i_stream random = stream(1000 + seed);
        uint32_t n = (uint32_t)pdpr_i_stream_below(&random, seed % 3 ? 40 : MOST);
        uint32_t top = 1 + (uint32_t)pdpr_i_stream_below(&random, n + 4);
        double exponent = 3 * pdpr_i_stream_unit(&random);
        for (uint32_t u = 0; u < n; u++)
            degree[u] = pdpr_i_draw_power(&random, exponent, 1, top) - (u % 7 == 0);
        pdpr_i_build_targets t = {.num_nodes = n,
                                  .degree = degree,
                                  .triangles = pdpr_i_stream_below(&random, 1 + 3 * n * top),
                                  .small_components = pdpr_i_stream_below(&random, 1 + n / 2),
                                  .small_mean_size = 2 + 3 * pdpr_i_stream_unit(&random),
                                  .locality = pdpr_i_stream_unit(&random)};
        if (seed % 4 == 0)
            t.triangles = 0;
        if (seed % 5 == 0)
            t.small_components = 0;
        pdpr_i_build_outcome o;
        check_invariants(ctx, &t, seed, &o);
    }
    pdpr_context_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(graphical_agrees_with_havel_and_hakimi),
        cmocka_unit_test(cutting_is_graphical_and_no_deeper_than_needed),
        cmocka_unit_test(rows_agree_with_a_matrix),
        cmocka_unit_test(swap_change_agrees_with_counting_again),
        cmocka_unit_test(build_true_targets_of_every_kind_are_met),
        cmocka_unit_test(build_wild_targets_keep_every_invariant),
    };
    return cmocka_run_group_tests_name("build check", tests, NULL, NULL);
}
