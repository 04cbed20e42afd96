/* The metrics against igraph, an independent implementation, on random graphs and on every file in
 * ../shared/datasets. Integers must be equal, reals agree to 1e-9.
 *
 * igraph's exact path lengths on slashdot0902 (82,168 nodes) and amazon0505_music would take
 * minutes, so there the distances from a few sources are compared instead; the other metrics of
 * these files are compared in full, and for the four graphs of the paper also with the values
 * recorded in the README of the datasets. */
#include "support/support.h"
#include "metrics/metrics.h"

#include <igraph.h>
#include <math.h>
#include <stdlib.h>

enum { RANDOM_GRAPHS = 2000 };

/* ---------------------------------------------------------------- igraph's metrics */

static void to_igraph(const pdpr_graph *g, igraph_t *out)
{
    igraph_vector_int_t ends;
    igraph_integer_t used = 0;
    igraph_vector_int_init(&ends, (igraph_integer_t)(2 * g->num_arcs));
    for (uint32_t u = 0; u < g->num_nodes; u++)
        for (uint64_t i = g->offset[u]; i < g->offset[u + 1]; i++) {
            VECTOR(ends)[used++] = u;
            VECTOR(ends)[used++] = g->target[i];
        }
    igraph_create(out, &ends, g->num_nodes, IGRAPH_UNDIRECTED);
    igraph_simplify(out, true, true, NULL); /* reciprocal arcs, and both halves of edges */
    igraph_vector_int_destroy(&ends);
}

/* A sum of C(d, k) over nodes, exact in long double for the graphs here (below 2^64). */
static long double sum_of_choices(const igraph_vector_int_t *degree, int k)
{
    long double sum = 0;
    for (igraph_integer_t i = 0; i < igraph_vector_int_size(degree); i++) {
        long double choices = 1;
        for (int j = 0; j < k; j++)
            choices = choices * (long double)(VECTOR(*degree)[i] - j) / (j + 1);
        sum += choices;
    }
    return sum;
}

static void degrees_by_igraph(const igraph_t *g, pdpr_metrics *m)
{
    igraph_vector_int_t degree;
    igraph_vector_int_init(&degree, 0);
    igraph_degree(g, &degree, igraph_vss_all(), IGRAPH_ALL, false);
    m->wedges.low = (uint64_t)sum_of_choices(&degree, 2);
    m->claws.low = (uint64_t)sum_of_choices(&degree, 3);
    m->max_degree = igraph_vector_int_size(&degree) ? (uint64_t)igraph_vector_int_max(&degree) : 0;
    double arcs = 2 * (double)m->edges;
    for (igraph_integer_t i = 0; i < igraph_vector_int_size(&degree); i++) {
        double share = (double)VECTOR(degree)[i] / arcs;
        if (share > 0)
            m->rede -= share * log(share) / log((double)m->nodes);
    }
    igraph_vector_int_destroy(&degree);
}

/* The largest component as a graph of its own; igraph numbers components by their smallest node. */
static void components_by_igraph(const igraph_t *g, pdpr_metrics *m, igraph_t *largest)
{
    igraph_vector_int_t member, size, nodes;
    igraph_integer_t count, best = 0;
    igraph_vector_int_init(&member, 0);
    igraph_vector_int_init(&size, 0);
    igraph_vector_int_init(&nodes, 0);
    igraph_connected_components(g, &member, &size, &count, IGRAPH_WEAK);
    for (igraph_integer_t i = 1; i < count; i++)
        if (VECTOR(size)[i] > VECTOR(size)[best])
            best = i;
    for (igraph_integer_t v = 0; v < igraph_vector_int_size(&member); v++)
        if (VECTOR(member)[v] == best)
            igraph_vector_int_push_back(&nodes, v);
    m->components = (uint64_t)count;
    m->lcc = count ? (uint64_t)VECTOR(size)[best] : 0;
    igraph_induced_subgraph(g, largest, igraph_vss_vector(&nodes), IGRAPH_SUBGRAPH_AUTO);
    igraph_vector_int_destroy(&member);
    igraph_vector_int_destroy(&size);
    igraph_vector_int_destroy(&nodes);
}

/* All metrics; paths only if wanted. */
static pdpr_metrics by_igraph(const pdpr_graph *g, bool paths, igraph_t *largest)
{
    pdpr_metrics m = {0};
    igraph_t ig;
    igraph_vector_t triangles;
    to_igraph(g, &ig);
    m.nodes = (uint64_t)igraph_vcount(&ig);
    m.edges = (uint64_t)igraph_ecount(&ig);
    degrees_by_igraph(&ig, &m);
    igraph_vector_init(&triangles, 0);
    igraph_adjacent_triangles(&ig, &triangles, igraph_vss_all());
    m.triangles = (uint64_t)llround(igraph_vector_sum(&triangles)) / 3;
    igraph_vector_destroy(&triangles);
    components_by_igraph(&ig, &m, largest);
    if (paths) {
        igraph_real_t diameter = 0;
        if (m.lcc > 1) {
            igraph_average_path_length(largest, &m.cpl, NULL, false, true);
            igraph_diameter(largest, &diameter, NULL, NULL, NULL, NULL, false, true);
        }
        m.diameter = (uint32_t)diameter;
    }
    igraph_destroy(&ig);
    return m;
}

static void assert_same_metrics(const pdpr_metrics *m, const pdpr_metrics *oracle, bool paths)
{
    assert_int_equal(m->nodes, oracle->nodes);
    assert_int_equal(m->edges, oracle->edges);
    assert_int_equal(m->triangles, oracle->triangles);
    assert_int_equal(m->wedges.low, oracle->wedges.low);
    assert_int_equal(m->claws.low, oracle->claws.low);
    assert_int_equal(m->wedges.high + m->claws.high, 0);
    assert_int_equal(m->max_degree, oracle->max_degree);
    assert_close(m->rede, oracle->rede, 1e-9);
    assert_int_equal(m->components, oracle->components);
    assert_int_equal(m->lcc, oracle->lcc);
    if (paths) {
        assert_true(m->have_cpl && m->have_diameter);
        assert_close(m->cpl, oracle->cpl, 1e-9);
        assert_int_equal(m->diameter, oracle->diameter);
    }
}

/* ---------------------------------------------------------------- random graphs */

/* Four families by turns, from a handful of nodes to several batches. */
static pdpr_graph *random_graph(pdpr_context *ctx, uint64_t seed)
{
    pdpr_graph *g = NULL;
    uint32_t n = (uint32_t)(seed % 50 == 0 ? 600 + seed / 2 : 2 + seed * 7919 % 120);
    uint64_t most = (uint64_t)n * (n - 1) / 4;
    switch (seed % 4) {
    case 0:
        assert_ok(pdpr_generate_gnm(ctx, n, n / 2, seed, &g, NULL));
        break;
    case 1:
        assert_ok(pdpr_generate_gnm(ctx, n, seed * 31 % (most + 1), seed, &g, NULL));
        break;
    case 2:
        assert_ok(pdpr_generate_social(ctx, n, 3 * n < most ? 3 * n : most, 0.6, seed, &g, NULL));
        break;
    default:
        assert_ok(pdpr_generate_social(ctx, n, n < most ? n : most, 0.2, seed, &g, NULL));
        break;
    }
    return g;
}

static void metrics_equal_igraph_on_random_graphs(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(2);
    for (uint64_t seed = 0; seed < RANDOM_GRAPHS; seed++) {
        pdpr_graph *g = random_graph(ctx, seed);
        pdpr_metrics m, oracle;
        igraph_t largest;
        assert_ok(pdpr_metrics_compute(ctx, g, NULL, &m, NULL));
        oracle = by_igraph(g, true, &largest);
        assert_same_metrics(&m, &oracle, true);
        igraph_destroy(&largest);
        pdpr_graph_free(g);
    }
    pdpr_context_free(ctx);
}

/* KS by definition, on degrees that igraph counted. */
static void ks_equals_its_definition_on_igraph_degrees(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    for (uint64_t seed = 0; seed < 100; seed++) {
        pdpr_graph *pair[2];
        uint64_t *histogram[2], length[2];
        igraph_vector_int_t degree[2];
        for (int i = 0; i < 2; i++) {
            igraph_t ig;
            pair[i] = random_graph(ctx, 2 * seed + (uint64_t)i);
            assert_ok(pdpr_graph_degree_histogram(ctx, pair[i], &histogram[i], &length[i], NULL));
            to_igraph(pair[i], &ig);
            igraph_vector_int_init(&degree[i], 0);
            igraph_degree(&ig, &degree[i], igraph_vss_all(), IGRAPH_ALL, false);
            igraph_destroy(&ig);
        }
        double widest = 0;
        for (igraph_integer_t d = 0; d < 3000; d++) {
            double share[2] = {0, 0};
            for (int i = 0; i < 2; i++) {
                igraph_integer_t nodes = igraph_vector_int_size(&degree[i]);
                for (igraph_integer_t v = 0; v < nodes; v++)
                    share[i] += VECTOR(degree[i])[v] <= d;
                share[i] /= (double)nodes;
            }
            widest = fmax(widest, fabs(share[0] - share[1]));
            if (share[0] == 1 && share[1] == 1)
                break;
        }
        assert_true(fabs(pdpr_ks_distance(histogram[0], length[0], histogram[1], length[1]) -
                         widest) < 1e-12);
        for (int i = 0; i < 2; i++) {
            igraph_vector_int_destroy(&degree[i]);
            pdpr_free(histogram[i]);
            pdpr_graph_free(pair[i]);
        }
    }
    pdpr_context_free(ctx);
}

/* ---------------------------------------------------------------- datasets */

/* Values of the README in ../shared/datasets; cpl 0: too slow for igraph here, not recorded. */
typedef struct {
    const char *file;
    uint64_t nodes, edges, triangles, wedges, claws, lcc, max_degree;
    double cpl, rede;
    uint32_t diameter;
} recorded;

static const recorded datasets[] = {
    {"cora.edges", 2708, 5278, 1630, 52301, 1101700, 2485, 168, 6.310999, 0.955164, 19},
    {"cora_linqs.edges", 2708, 5278, 1630, 52301, 1101700, 2485, 168, 6.310999, 0.955164, 19},
    {"citeseer.edges", 3327, 4552, 1167, 26918, 250991, 2120, 99, 9.329715, 0.951775, 28},
    {"citeseer_linqs.edges", 3327, 4552, 1167, 26918, 250991, 2120, 99, 9.329715, 0.951775, 28},
    {"p2p.edges", 6301, 20777, 2383, 346033, 4859306, 6299, 97, 4.642992, 0.940926, 9},
    {"p2p_snap.edges", 6301, 20777, 2383, 346033, 4859306, 6299, 97, 4.642992, 0.940926, 9},
    {"chicago.edges", 12979, 20627, 807, 53155, 33878, 12979, 7, 41.968952, 0.992376, 106},
    {"chicago_tntp.edges", 12982, 20627, 807, 53155, 33878, 12979, 7, 41.968952, 0, 106},
    {"amazon0505_music.edges.gz", 62549, 92089, 34581, 687447, 41839523, 46453, 497, 0, 0, 0},
    {"slashdot0902.edges.gz", 82168, 504230, 602592, 74983589, UINT64_C(17151780250), 82168, 2552,
     0, 0, 0},
};

static void assert_recorded(const pdpr_metrics *m, const recorded *r)
{
    assert_int_equal(m->nodes, r->nodes);
    assert_int_equal(m->edges, r->edges);
    assert_int_equal(m->triangles, r->triangles);
    assert_int_equal(m->wedges.low, r->wedges);
    assert_int_equal(m->claws.low, r->claws);
    assert_int_equal(m->lcc, r->lcc);
    assert_int_equal(m->max_degree, r->max_degree);
    if (r->rede > 0)
        assert_true(fabs(m->rede - r->rede) < 1e-6);
    if (r->cpl > 0) {
        assert_true(fabs(m->cpl - r->cpl) < 1e-6);
        assert_int_equal(m->diameter, r->diameter);
    }
}

/* Distances from a few sources of the largest component, by igraph and by a batch. */
static void compare_some_sources(pdpr_context *ctx, const pdpr_graph *directed,
                                 const igraph_t *largest)
{
    enum { SOURCES = 12 };
    pdpr_graph *g = NULL;
    pdpr_i_components all;
    pdpr_i_component c;
    pdpr_i_search_pool *pool = NULL;
    uint32_t sources[SOURCES];
    uint64_t sums[SOURCES];
    pdpr_i_search_result result;
    assert_ok(pdpr_graph_undirected(ctx, directed, &g, NULL));
    assert_ok(pdpr_i_components_init(ctx, g, &all, NULL));
    assert_ok(
        pdpr_i_component_init(ctx, g, all.nodes + all.largest_first, all.largest_size, &c, NULL));
    assert_ok(pdpr_i_search_pool_new(ctx, &c, SOURCES, &pool, NULL));
    for (uint32_t i = 0; i < SOURCES; i++)
        sources[i] = (uint32_t)((uint64_t)c.num_nodes * i / SOURCES);
    assert_ok(pdpr_i_search_pool_run(pool, "test", sources, SOURCES, sums, &result, NULL));

    for (uint32_t i = 0; i < SOURCES; i++) {
        /* igraph's numbers in the subgraph follow the ids: the rank among the component's nodes */
        igraph_integer_t rank = 0;
        for (uint32_t v = 0; v < c.num_nodes; v++)
            rank += c.node[v] < c.node[sources[i]];
        igraph_matrix_t distance;
        igraph_matrix_init(&distance, 0, 0);
        igraph_distances(largest, &distance, igraph_vss_1(rank), igraph_vss_all(), IGRAPH_ALL);
        assert_int_equal(sums[i], (uint64_t)llround(igraph_matrix_sum(&distance)));
        igraph_matrix_destroy(&distance);
    }
    pdpr_i_search_pool_free(pool);
    pdpr_i_component_clear(&c);
    pdpr_i_components_clear(&all);
    pdpr_graph_free(g);
}

static void metrics_equal_igraph_and_the_records_on_the_datasets(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(2);
    for (size_t i = 0; i < sizeof datasets / sizeof *datasets; i++) {
        char path[1024];
        if (!test_dataset(datasets[i].file, path, sizeof path))
            continue;
        bool small = datasets[i].cpl > 0;
        pdpr_graph *g = NULL;
        assert_ok(pdpr_graph_load(ctx, path, NULL, &g, NULL, NULL));
        pdpr_metrics_options o;
        pdpr_metrics m, oracle;
        igraph_t largest;
        pdpr_metrics_options_default(&o);
        o.paths = small ? PDPR_PATHS_EXACT : PDPR_PATHS_NONE;
        assert_ok(pdpr_metrics_compute(ctx, g, &o, &m, NULL));
        assert_recorded(&m, &datasets[i]);
        oracle = by_igraph(g, small && datasets[i].nodes < 8000, &largest);
        assert_same_metrics(&m, &oracle, small && datasets[i].nodes < 8000);
        if (!small || datasets[i].nodes >= 8000)
            compare_some_sources(ctx, g, &largest);
        igraph_destroy(&largest);
        pdpr_graph_free(g);
    }
    pdpr_context_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(metrics_equal_igraph_on_random_graphs),
        cmocka_unit_test(ks_equals_its_definition_on_igraph_degrees),
        cmocka_unit_test(metrics_equal_igraph_and_the_records_on_the_datasets),
    };
    return cmocka_run_group_tests_name("metrics_igraph", tests, NULL, NULL);
}
