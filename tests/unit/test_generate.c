/* The family of generated graphs: every kind is a valid graph, the same for a seed, different for
 * another, near its wanted density, and refuses what it must. */
#include "support/support.h"
#include "generate/generate.h"

#include <math.h>
#include <string.h>

static pdpr_graph *typical(pdpr_context *ctx, pdpr_kind kind, uint32_t nodes, uint64_t seed)
{
    pdpr_generate_options o;
    pdpr_graph *g = NULL;
    pdpr_generate_options_default(kind, nodes, &o);
    assert_ok(pdpr_generate(ctx, &o, seed, &g, NULL));
    assert_true(pdpr_i_graph_is_valid(g));
    assert_int_equal(pdpr_graph_num_nodes(g), nodes);
    assert_false(pdpr_graph_is_directed(g));
    return g;
}

static bool same_graph(const pdpr_graph *a, const pdpr_graph *b)
{
    return a->num_arcs == b->num_arcs &&
           memcmp(a->target, b->target, a->num_arcs * sizeof *a->target) == 0 &&
           memcmp(a->offset, b->offset, ((size_t)a->num_nodes + 1) * sizeof *a->offset) == 0;
}

/* Each triangle once, by the definition. */
static uint64_t count_triangles(const pdpr_graph *g)
{
    uint64_t found = 0;
    for (uint32_t u = 0; u < g->num_nodes; u++)
        for (uint64_t i = g->offset[u]; i < g->offset[u + 1]; i++)
            for (uint64_t j = i + 1; j < g->offset[u + 1]; j++) {
                uint32_t v = g->target[i], w = g->target[j];
                for (uint64_t k = g->offset[v]; v > u && k < g->offset[v + 1]; k++)
                    found += g->target[k] == w;
            }
    return found;
}

static uint64_t largest_degree(const pdpr_graph *g)
{
    uint64_t most = 0;
    for (uint32_t u = 0; u < g->num_nodes; u++)
        most = pdpr_i_degree(g, u) > most ? pdpr_i_degree(g, u) : most;
    return most;
}

static void kinds_same_seed_gives_same_bytes_for_any_thread_count(void **state)
{
    (void)state;
    pdpr_context *one = test_context(1), *many = test_context(5);
    for (pdpr_kind k = 0; k < PDPR_KINDS; k++) {
        pdpr_graph *a = typical(one, k, 3000, 7), *b = typical(many, k, 3000, 7);
        pdpr_graph *other = typical(one, k, 3000, 8);
        assert_true(same_graph(a, b));
        assert_false(same_graph(a, other));
        pdpr_graph_free(a);
        pdpr_graph_free(b);
        pdpr_graph_free(other);
    }
    pdpr_context_free(one);
    pdpr_context_free(many);
}

static void kinds_tiny_graphs_are_valid(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    for (pdpr_kind k = 0; k < PDPR_KINDS; k++)
        for (uint32_t n = 0; n < 20; n++)
            for (uint64_t seed = 0; seed < 5; seed++) {
                pdpr_generate_options o;
                pdpr_graph *g = NULL;
                pdpr_generate_options_default(k, n, &o);
                if (o.mean_degree > (n > 2 ? (n - 2) / 2.0 : 0))
                    o.mean_degree = n > 2 ? (n - 2) / 2.0 : 0;
                assert_ok(pdpr_generate(ctx, &o, seed, &g, NULL));
                assert_true(pdpr_i_graph_is_valid(g));
                pdpr_graph_free(g);
            }
    pdpr_context_free(ctx);
}

static void kinds_mean_degree_is_near_the_wish(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(2);
    const struct {
        pdpr_kind kind;
        double tolerance; /* what repeats take, and the border of the geometric square */
    } rows[] = {
        {PDPR_KIND_GNM, 0.001},    {PDPR_KIND_SMALL_WORLD, 0.02}, {PDPR_KIND_BLOCKS, 0.15},
        {PDPR_KIND_CLIQUES, 0.35}, {PDPR_KIND_HUBS, 0.1},         {PDPR_KIND_SCATTERED, 0.1},
        {PDPR_KIND_SOCIAL, 0.001}, {PDPR_KIND_GEOMETRIC, 0.06},   {PDPR_KIND_COPYING, 0.2}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        pdpr_generate_options o;
        pdpr_generate_options_default(rows[i].kind, 5000, &o);
        pdpr_graph *g = typical(ctx, rows[i].kind, 5000, 1);
        assert_close((double)g->num_arcs / 5000, o.mean_degree, rows[i].tolerance);
        pdpr_graph_free(g);
    }
    pdpr_context_free(ctx);
}

static void kinds_have_the_structure_they_are_named_after(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(2);
    pdpr_graph *g[PDPR_KINDS];
    double triangles[PDPR_KINDS], edges[PDPR_KINDS], top[PDPR_KINDS];
    for (pdpr_kind k = 0; k < PDPR_KINDS; k++) {
        g[k] = typical(ctx, k, 4000, 3);
        triangles[k] = (double)count_triangles(g[k]);
        edges[k] = (double)pdpr_graph_num_edges(g[k]);
        top[k] = (double)largest_degree(g[k]);
    }
    assert_true(triangles[PDPR_KIND_CLIQUES] > edges[PDPR_KIND_CLIQUES]);
    assert_true(triangles[PDPR_KIND_GEOMETRIC] > edges[PDPR_KIND_GEOMETRIC]);
    assert_true(triangles[PDPR_KIND_SMALL_WORLD] > 0.3 * edges[PDPR_KIND_SMALL_WORLD]);
    assert_true(triangles[PDPR_KIND_GNM] < 0.02 * edges[PDPR_KIND_GNM]);
    assert_true(triangles[PDPR_KIND_CHAINS] == 0);
    assert_true(triangles[PDPR_KIND_LATTICE] < 0.1 * edges[PDPR_KIND_LATTICE]);
    assert_true(top[PDPR_KIND_LATTICE] <= 8);
    assert_true(top[PDPR_KIND_HUBS] > 300);
    assert_true(top[PDPR_KIND_POWER_LAW] > 100 && top[PDPR_KIND_POWER_LAW] <= 300);
    uint32_t isolated = 0;
    for (uint32_t u = 0; u < 4000; u++)
        isolated += pdpr_i_degree(g[PDPR_KIND_SCATTERED], u) == 0;
    assert_true(isolated > 50);
    for (pdpr_kind k = 0; k < PDPR_KINDS; k++)
        pdpr_graph_free(g[k]);
    pdpr_context_free(ctx);
}

/* Chi-square of power-law draws on 1..4 against the law of the integer part: 3 degrees of freedom,
 * 1e-6 at 30.66. */
static void power_draws_follow_the_law(void **state)
{
    (void)state;
    pdpr_i_key key;
    pdpr_i_stream random;
    double seen[5] = {0}, chi = 0;
    enum { DRAWS = 100000 };
    pdpr_i_key_from_seed(1, &key);
    pdpr_i_stream_init(&random, &key, PDPR_I_PURPOSE_TEST, 0);
    for (int i = 0; i < DRAWS; i++)
        seen[pdpr_i_draw_power(&random, 2.0, 1, 4)]++;
    for (int k = 1; k <= 4; k++) { /* integral of x^-2 over [k, k+1), over that of [1, 5) */
        double expected = DRAWS * (1.0 / k - 1.0 / (k + 1)) / (1 - 1.0 / 5);
        chi += (seen[k] - expected) * (seen[k] - expected) / expected;
    }
    assert_true(chi < 30.66);
}

static void draws_have_their_means(void **state)
{
    (void)state;
    pdpr_i_key key;
    pdpr_i_stream random;
    double rounded = 0, geometric = 0, harmonic = 0;
    enum { DRAWS = 100000 };
    pdpr_i_key_from_seed(2, &key);
    pdpr_i_stream_init(&random, &key, PDPR_I_PURPOSE_TEST, 0);
    for (int i = 0; i < DRAWS; i++) {
        rounded += (double)pdpr_i_draw_round(&random, 2.3);
        geometric += (double)pdpr_i_draw_geometric(&random, 4.0);
        harmonic += pdpr_i_draw_power(&random, 1.0, 1, 1) == 1;
    }
    assert_close(rounded / DRAWS, 2.3, 0.004);  /* six standard errors are 0.0087 */
    assert_close(geometric / DRAWS, 4.0, 0.03); /* and 0.085 */
    assert_true(harmonic == DRAWS);
    assert_int_equal(pdpr_i_draw_geometric(&random, 0), 0);
}

static void generate_bad_parameters_are_refused(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    pdpr_generate_options o;
    pdpr_graph *g = NULL;
    pdpr_error err;

    pdpr_generate_options_default(PDPR_KINDS, 10, &o);
    assert_int_equal(pdpr_generate(ctx, &o, 1, &g, &err), PDPR_EUSAGE);
    assert_string_equal(err.text, "generated graph: expected a kind below 12, found 12");
    pdpr_generate_options_default(PDPR_KIND_GNM, 10, &o);
    o.mean_degree = 9.5;
    assert_int_equal(pdpr_generate(ctx, &o, 1, &g, &err), PDPR_EUSAGE);
    assert_string_equal(err.text, "gnm graph: expected a mean degree in 0..9, found 9.5");
    o.mean_degree = NAN;
    assert_int_equal(pdpr_generate(ctx, &o, 1, &g, &err), PDPR_EUSAGE);
    pdpr_generate_options_default(PDPR_KIND_BLOCKS, 100, &o);
    o.share = 1.5;
    assert_int_equal(pdpr_generate(ctx, &o, 1, &g, &err), PDPR_EUSAGE);
    assert_string_equal(err.text, "blocks graph: expected shares in [0,1], found 1.5 and 0");
    pdpr_generate_options_default(PDPR_KIND_BLOCKS, 100, &o);
    o.group_size = 0;
    assert_int_equal(pdpr_generate(ctx, &o, 1, &g, &err), PDPR_EUSAGE);
    assert_string_equal(err.text, "blocks graph: expected a group_size above 0, found 0");
    pdpr_generate_options_default(PDPR_KIND_POWER_LAW, 100, &o);
    o.min_degree = 0;
    assert_int_equal(pdpr_generate(ctx, &o, 1, &g, &err), PDPR_EUSAGE);
    assert_string_equal(err.text, "power_law graph: expected 1 <= min_degree <= max_degree, found "
                                  "0 and 300");
    pdpr_generate_options_default(PDPR_KIND_POWER_LAW, 100, &o);
    o.exponent = INFINITY;
    assert_int_equal(pdpr_generate(ctx, &o, 1, &g, &err), PDPR_EUSAGE);
    assert_string_equal(err.text, "power_law graph: expected an exponent in -20..20, found inf");
    pdpr_generate_options_default(PDPR_KIND_CLIQUES, 100, &o);
    o.max_degree = 0;
    assert_int_equal(pdpr_generate(ctx, &o, 1, &g, &err), PDPR_EUSAGE);
    assert_string_equal(err.text, "cliques graph: expected a max_degree above 0, found 0");
    assert_null(g);
    pdpr_context_free(ctx);
}

static void kinds_survive_every_allocation_failure(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    for (pdpr_kind k = 0; k < PDPR_KINDS; k++) {
        pdpr_status status;
        pdpr_generate_options o;
        pdpr_generate_options_default(k, 60, &o);
        FOR_EACH_ALLOCATION_FAILURE(ctx, status, {
            pdpr_graph *g = NULL;
            pdpr_error err;
            status = pdpr_generate(ctx, &o, 1, &g, &err);
            pdpr_graph_free(g);
        });
    }
    pdpr_context_free(ctx);
}

static void kinds_have_names_and_two_lists(void **state)
{
    (void)state;
    int held_out = 0;
    for (pdpr_kind k = 0; k < PDPR_KINDS; k++) {
        for (pdpr_kind j = 0; j < k; j++)
            assert_string_not_equal(pdpr_kind_name(k), pdpr_kind_name(j));
        held_out += pdpr_kind_is_held_out(k);
    }
    assert_int_equal(held_out, 4);
    assert_string_equal(pdpr_kind_name(PDPR_KINDS), "unknown");
    assert_false(pdpr_kind_is_held_out(PDPR_KINDS));
}

static void generate_cancelled_leaves_nothing(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    pdpr_context_cancel(ctx);
    for (pdpr_kind k = 0; k < PDPR_KINDS; k++) {
        pdpr_generate_options o;
        pdpr_graph *g = NULL;
        pdpr_generate_options_default(k, 2000, &o);
        assert_int_equal(pdpr_generate(ctx, &o, 1, &g, NULL), PDPR_ECANCELLED);
        assert_null(g);
    }
    assert_int_equal(pdpr_context_memory(ctx, NULL), 0);
    pdpr_context_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kinds_same_seed_gives_same_bytes_for_any_thread_count),
        cmocka_unit_test(kinds_tiny_graphs_are_valid),
        cmocka_unit_test(kinds_mean_degree_is_near_the_wish),
        cmocka_unit_test(kinds_have_the_structure_they_are_named_after),
        cmocka_unit_test(power_draws_follow_the_law),
        cmocka_unit_test(draws_have_their_means),
        cmocka_unit_test(generate_bad_parameters_are_refused),
        cmocka_unit_test(kinds_survive_every_allocation_failure),
        cmocka_unit_test(kinds_have_names_and_two_lists),
        cmocka_unit_test(generate_cancelled_leaves_nothing),
    };
    return cmocka_run_group_tests_name("generate", tests, NULL, NULL);
}
