/* The metrics against slow, obviously right versions, on seeded random graphs of ten kinds.
 *
 * Small graphs: triangles over all triples of an adjacency matrix, distances by Floyd and Warshall,
 * components from the distances, core numbers by removing nodes. Every kernel this machine has and
 * 1, 2 and 5 threads must give the same bits. Larger graphs, which need several batches and chunks,
 * are checked against plain searches. iFUB is checked against the exact diameter on all of them. */
#include "support/support.h"
#include "metrics/curves.h"
#include "metrics/msbfs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SMALL_GRAPHS = 2400, MOST_SMALL = 72, LARGE_GRAPHS = 20, KINDS = 10 };

/* ---------------------------------------------------------------- random graphs */

typedef struct {
    uint32_t num_nodes;
    uint64_t count, room;
    uint32_t *pairs;
} pair_list;

static void add_pair(pair_list *list, uint64_t u, uint64_t v)
{
    if (list->count == list->room) {
        list->room = 2 * list->room + 64;
        list->pairs = realloc(list->pairs, 2 * list->room * sizeof *list->pairs);
        assert_non_null(list->pairs);
    }
    list->pairs[2 * list->count] = (uint32_t)u;
    list->pairs[2 * list->count + 1] = (uint32_t)v;
    list->count++;
}

/* Adds pairs of one kind among nodes 0..n-1. */
static void add_kind(pair_list *list, unsigned kind, uint64_t n, pdpr_i_stream *random)
{
    uint64_t side = 1;
    while ((side + 1) * (side + 1) <= n)
        side++;
    for (uint64_t u = 0; u < n; u++)
        switch (kind) {
        case 0: /* sparse random, many components */
            if (pdpr_i_stream_below(random, 2))
                add_pair(list, u, pdpr_i_stream_below(random, n));
            break;
        case 1: /* denser random */
            for (int k = 0; k < 4; k++)
                add_pair(list, u, pdpr_i_stream_below(random, n));
            break;
        case 2: /* nearly complete */
            for (uint64_t v = 0; v < u; v++)
                if (pdpr_i_stream_below(random, 8))
                    add_pair(list, u, v);
            break;
        case 3: /* random tree */
            if (u > 0)
                add_pair(list, u, pdpr_i_stream_below(random, u));
            break;
        case 4: /* path with a few shortcuts */
            if (u + 1 < n)
                add_pair(list, u, u + 1);
            if (pdpr_i_stream_below(random, 20) == 0)
                add_pair(list, u, pdpr_i_stream_below(random, n));
            break;
        case 5: /* streets: a grid with holes */
            if (u % side + 1 < side && u + 1 < n && pdpr_i_stream_below(random, 8))
                add_pair(list, u, u + 1);
            if (u + side < n && pdpr_i_stream_below(random, 8))
                add_pair(list, u, u + side);
            break;
        case 6: /* cliques in a ring */
            for (uint64_t v = u - u % 5; v < u; v++)
                add_pair(list, u, v);
            if (u % 5 == 0)
                add_pair(list, u, (u + 5) % n);
            break;
        case 7: /* two hubs */
            add_pair(list, u, pdpr_i_stream_below(random, 2) ? 0 : n / 2);
            if (pdpr_i_stream_below(random, 4) == 0)
                add_pair(list, u, pdpr_i_stream_below(random, n));
            break;
        case 8: /* bipartite */
            for (int k = 0; k < 2; k++)
                add_pair(list, u,
                         u % 2 ? pdpr_i_stream_below(random, (n + 1) / 2) * 2
                               : pdpr_i_stream_below(random, n / 2 + (n < 2)) * 2 + (n > 1));
            break;
        default: /* heavy-tailed: the square makes low ids popular */
            for (int k = 0; k < 3; k++) {
                uint64_t r = pdpr_i_stream_below(random, n);
                add_pair(list, u, r * r / n);
            }
            break;
        }
}

static pdpr_graph *random_graph(pdpr_context *ctx, uint64_t seed, unsigned kind, uint64_t least,
                                uint64_t most)
{
    pair_list list = {0};
    pdpr_i_key key;
    pdpr_i_stream random;
    pdpr_i_key_from_seed(seed, &key);
    pdpr_i_stream_init(&random, &key, PDPR_I_PURPOSE_TEST, 0);
    list.num_nodes = (uint32_t)(least + pdpr_i_stream_below(&random, most - least + 1));
    add_kind(&list, kind, list.num_nodes, &random);
    for (uint64_t i = 2 * list.count; i-- > 0;) /* a pair may name n if n is odd or 1 */
        list.pairs[i] %= list.num_nodes;
    pdpr_graph *g = NULL; /* every third graph directed */
    assert_ok(pdpr_graph_from_pairs(ctx, list.num_nodes, list.pairs, list.count, seed % 3 == 0, &g,
                                    NULL));
    free(list.pairs);
    return g;
}

/* ---------------------------------------------------------------- slow metrics */

enum { FAR = 1000000 };

typedef struct {
    uint32_t n;
    int distance[MOST_SMALL][MOST_SMALL]; /* FAR: no path */
} matrix;

static void fill_matrix(const pdpr_graph *g, matrix *x)
{
    x->n = g->num_nodes;
    for (uint32_t u = 0; u < x->n; u++)
        for (uint32_t v = 0; v < x->n; v++)
            x->distance[u][v] = u == v ? 0 : FAR;
    for (uint32_t u = 0; u < x->n; u++)
        for (uint64_t i = g->offset[u]; i < g->offset[u + 1]; i++)
            x->distance[u][g->target[i]] = x->distance[g->target[i]][u] = 1;
}

static void close_paths(matrix *x)
{
    for (uint32_t k = 0; k < x->n; k++)
        for (uint32_t u = 0; u < x->n; u++)
            for (uint32_t v = 0; v < x->n; v++)
                if (x->distance[u][k] + x->distance[k][v] < x->distance[u][v])
                    x->distance[u][v] = x->distance[u][k] + x->distance[k][v];
}

/* What depends on neighbours; per_node gets each node's triangles. */
static void slow_local(const matrix *x, pdpr_metrics *m, uint64_t *per_node)
{
    uint32_t n = x->n;
    uint64_t degree[MOST_SMALL] = {0}, wedges = 0, claws = 0;
    memset(per_node, 0, n * sizeof *per_node);
    for (uint32_t u = 0; u < n; u++)
        for (uint32_t v = 0; v < n; v++)
            degree[u] += x->distance[u][v] == 1;
    for (uint32_t u = 0; u < n; u++)
        for (uint32_t v = u + 1; v < n; v++)
            for (uint32_t w = v + 1; w < n; w++)
                if (x->distance[u][v] == 1 && x->distance[v][w] == 1 && x->distance[u][w] == 1) {
                    m->triangles++;
                    per_node[u]++;
                    per_node[v]++;
                    per_node[w]++;
                }
    for (uint32_t u = 0; u < n; u++) {
        uint64_t d = degree[u];
        m->edges += d;
        m->max_degree = d > m->max_degree ? d : m->max_degree;
        wedges += d * (d - (d > 0)) / 2;
        claws += d < 3 ? 0 : d * (d - 1) * (d - 2) / 6;
    }
    m->nodes = n;
    m->wedges.low = wedges;
    m->claws.low = claws;
    for (uint32_t u = 0; u < n && n > 1; u++)
        if (degree[u] > 0) {
            double share = (double)degree[u] / (double)m->edges;
            m->rede -= share * log(share) / log(n);
        }
    m->edges /= 2;
}

/* What depends on closed paths. */
static void slow_paths(const matrix *x, pdpr_metrics *m)
{
    uint32_t centre = 0;
    for (uint32_t u = 0; u < x->n; u++) {
        uint64_t reached = 0, smaller = 0;
        for (uint32_t v = 0; v < x->n; v++) {
            reached += x->distance[u][v] < FAR;
            smaller += x->distance[u][v] < FAR && v < u;
        }
        m->components += smaller == 0;
        if (reached > m->lcc) {
            m->lcc = reached;
            centre = u;
        }
    }
    uint64_t sum = 0;
    for (uint32_t u = 0; u < x->n; u++)
        for (uint32_t v = 0; v < x->n; v++)
            if (x->distance[centre][u] < FAR && x->distance[u][v] < FAR) {
                sum += (uint64_t)x->distance[u][v];
                if ((uint32_t)x->distance[u][v] > m->diameter)
                    m->diameter = (uint32_t)x->distance[u][v];
            }
    m->cpl = m->lcc > 1 ? (double)sum / (double)(m->lcc * (m->lcc - 1)) : 0;
}

static void assert_same_metrics(const pdpr_metrics *m, const pdpr_metrics *slow)
{
    assert_int_equal(m->nodes, slow->nodes);
    assert_int_equal(m->edges, slow->edges);
    assert_int_equal(m->triangles, slow->triangles);
    assert_int_equal(m->wedges.low, slow->wedges.low);
    assert_int_equal(m->claws.low, slow->claws.low);
    assert_int_equal(m->max_degree, slow->max_degree);
    assert_close(m->rede, slow->rede, 1e-12);
    assert_int_equal(m->components, slow->components);
    assert_int_equal(m->lcc, slow->lcc);
    assert_true(m->have_cpl && m->have_diameter);
    assert_close(m->cpl, slow->cpl, 1e-15);
    assert_int_equal(m->diameter, slow->diameter);
}

/* ---------------------------------------------------------------- the checks */

enum { MOST_CONTEXTS = 9 };

/* Each kernel of this machine with 1, 2 and 5 threads. */
static unsigned all_contexts(pdpr_context *ctx[MOST_CONTEXTS])
{
    const uint32_t threads[] = {1, 2, 5};
    unsigned count = 0;
    for (pdpr_cpu cpu = PDPR_CPU_PORTABLE; cpu <= pdpr_i_cpu_detect(); cpu++)
        for (int t = 0; t < 3; t++) {
            pdpr_context_options o;
            pdpr_context_options_default(&o);
            o.cpu = cpu;
            o.threads = threads[t];
            assert_ok(pdpr_context_new(&o, &ctx[count++], NULL));
        }
    return count;
}

/* iFUB, with and without enough work, on the largest component. */
static void check_ifub(pdpr_context *ctx, const pdpr_graph *g, uint32_t diameter)
{
    const pdpr_graph *view = NULL;
    pdpr_graph *owned = NULL;
    pdpr_i_components all;
    pdpr_i_component c;
    pdpr_i_search_pool *pool = NULL;
    pdpr_i_diameter d;

    assert_ok(pdpr_i_undirected_view(ctx, g, &view, &owned, NULL));
    assert_ok(pdpr_i_components_init(ctx, view, &all, NULL));
    assert_ok(pdpr_i_component_init(ctx, view, all.nodes + all.largest_first, all.largest_size, &c,
                                    NULL));
    assert_ok(pdpr_i_search_pool_new(ctx, &c, c.num_nodes, &pool, NULL));
    assert_ok(pdpr_i_diameter_ifub(ctx, &c, pool, 0, UINT64_MAX, &d, NULL));
    assert_int_equal(d.lower, diameter);
    assert_int_equal(d.upper, diameter);
    assert_ok(pdpr_i_diameter_ifub(ctx, &c, pool, 0, 0, &d, NULL));
    assert_true(d.lower <= diameter && diameter <= d.upper);
    pdpr_i_search_pool_free(pool);
    pdpr_i_component_clear(&c);
    pdpr_i_components_clear(&all);
    pdpr_graph_free(owned);
}

/* Core numbers: removes nodes below k until none is left to remove. */
static void cores_slowly(const pdpr_graph *g, uint32_t *core)
{
    bool in[MOST_SMALL];
    memset(core, 0, g->num_nodes * sizeof *core);
    for (uint32_t k = 1; k <= g->num_nodes; k++) {
        memset(in, true, sizeof in);
        for (bool changed = true; changed;) {
            changed = false;
            for (uint32_t u = 0; u < g->num_nodes; u++) {
                uint32_t inside = 0;
                for (uint64_t i = g->offset[u]; i < g->offset[u + 1]; i++)
                    inside += in[g->target[i]];
                if (in[u] && inside < k) {
                    in[u] = false;
                    changed = true;
                }
            }
        }
        for (uint32_t u = 0; u < g->num_nodes; u++)
            if (in[u])
                core[u] = k;
    }
}

static void metrics_equal_the_slow_ones_on_small_graphs(void **state)
{
    (void)state;
    pdpr_context *ctx[MOST_CONTEXTS];
    unsigned contexts = all_contexts(ctx);
    for (uint64_t seed = 0; seed < SMALL_GRAPHS; seed++) {
        unsigned kind = (unsigned)(seed / 7 % KINDS);
        pdpr_graph *g = random_graph(ctx[0], seed, kind, 1, MOST_SMALL);
        static matrix x;
        pdpr_metrics slow = {0}, m, again;
        uint64_t slow_count[MOST_SMALL], count[MOST_SMALL], total;
        uint32_t slow_core[MOST_SMALL], core[MOST_SMALL];
        fill_matrix(g, &x);
        slow_local(&x, &slow, slow_count);
        close_paths(&x);
        slow_paths(&x, &slow);
        assert_ok(pdpr_metrics_compute(ctx[0], g, NULL, &m, NULL));
        assert_same_metrics(&m, &slow);
        for (unsigned i = 1; i < contexts; i++) {
            assert_ok(pdpr_metrics_compute(ctx[i], g, NULL, &again, NULL));
            assert_memory_equal(&m, &again, sizeof m);
        }
        check_ifub(ctx[0], g, slow.diameter);
        if (!g->directed) {
            assert_ok(pdpr_i_triangles_per_node(ctx[1], g, count, &total, NULL));
            assert_int_equal(total, slow.triangles);
            assert_memory_equal(count, slow_count, x.n * sizeof *count);
            cores_slowly(g, slow_core);
            assert_ok(pdpr_i_core_numbers(ctx[1], g, core, NULL));
            assert_memory_equal(core, slow_core, x.n * sizeof *core);
        }
        pdpr_graph_free(g);
    }
    for (unsigned i = 0; i < contexts; i++)
        pdpr_context_free(ctx[i]);
}

/* Sum and maximum of distances in the largest component, one plain search per source. */
static void plain_paths(pdpr_context *ctx, const pdpr_graph *g, pdpr_metrics *out)
{
    const pdpr_graph *view = NULL;
    pdpr_graph *owned = NULL;
    pdpr_i_components all;
    pdpr_i_component c;
    assert_ok(pdpr_i_undirected_view(ctx, g, &view, &owned, NULL));
    assert_ok(pdpr_i_components_init(ctx, view, &all, NULL));
    assert_ok(pdpr_i_component_init(ctx, view, all.nodes + all.largest_first, all.largest_size, &c,
                                    NULL));
    uint32_t *distance = calloc(c.num_nodes, sizeof *distance);
    uint32_t *queue = calloc(c.num_nodes, sizeof *queue);
    assert_true(distance && queue);
    uint64_t sum = 0;
    for (uint32_t s = 0; s < c.num_nodes; s++) {
        uint32_t depth = pdpr_i_bfs(&c, s, distance, queue);
        out->diameter = depth > out->diameter ? depth : out->diameter;
        for (uint32_t v = 0; v < c.num_nodes; v++)
            sum += distance[v];
    }
    out->cpl = (double)sum / ((double)c.num_nodes * (c.num_nodes - 1.0));
    free(distance);
    free(queue);
    pdpr_i_component_clear(&c);
    pdpr_i_components_clear(&all);
    pdpr_graph_free(owned);
}

/* Several batches and chunks: the division of labour must not show. */
static void large_graphs_do_not_depend_on_threads_or_kernels(void **state)
{
    (void)state;
    pdpr_context *ctx[MOST_CONTEXTS];
    unsigned contexts = all_contexts(ctx);
    const unsigned kinds[] = {0, 1, 3, 5, 7, 9}; /* those that stay sparse */
    for (uint64_t seed = 0; seed < LARGE_GRAPHS; seed++) {
        pdpr_graph *g = random_graph(ctx[0], seed, kinds[seed % 6], 600, 5200);
        pdpr_metrics exact, sample, plain = {0}, again;
        pdpr_metrics_options o;
        pdpr_metrics_options_default(&o);
        assert_ok(pdpr_metrics_compute(ctx[0], g, &o, &exact, NULL));
        plain_paths(ctx[0], g, &plain);
        assert_true(exact.cpl == plain.cpl);
        assert_int_equal(exact.diameter, plain.diameter);
        check_ifub(ctx[2], g, exact.diameter);

        o.paths = PDPR_PATHS_SAMPLE;
        o.samples = 600 < exact.lcc ? 600 : (uint32_t)exact.lcc / 2;
        assert_ok(pdpr_metrics_compute(ctx[0], g, &o, &sample, NULL));
        assert_true(sample.have_estimate);
        if (kinds[seed % 6] != 7) /* two hubs far below the rest: a sample without them is blind */
            assert_true(fabs(sample.cpl_estimate - exact.cpl) < 6 * sample.cpl_standard_error);
        for (unsigned i = 1; i < contexts; i++) {
            o.paths = PDPR_PATHS_EXACT;
            assert_ok(pdpr_metrics_compute(ctx[i], g, &o, &again, NULL));
            assert_memory_equal(&exact, &again, sizeof exact);
            o.paths = PDPR_PATHS_SAMPLE;
            assert_ok(pdpr_metrics_compute(ctx[i], g, &o, &again, NULL));
            assert_memory_equal(&sample, &again, sizeof sample);
        }
        pdpr_graph_free(g);
    }
    for (unsigned i = 0; i < contexts; i++)
        pdpr_context_free(ctx[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(metrics_equal_the_slow_ones_on_small_graphs),
        cmocka_unit_test(large_graphs_do_not_depend_on_threads_or_kernels),
    };
    return cmocka_run_group_tests_name("metrics_slow", tests, NULL, NULL);
}
