/* Building graphs from targets: the cases one can see through, and the ends of every range. */
#include "support/built.h"
#include "support/neighbours.h"
#include "blueprint/build_parts.h"

#include <math.h>
#include <string.h>

enum { MOST = 600 };

/* `count` nodes of one degree each, in a row. */
static void fill(uint32_t *degree, uint32_t count, uint32_t value)
{
    for (uint32_t u = 0; u < count; u++)
        degree[u] = value;
}

static bool graphical(const uint32_t *degree, uint32_t n)
{
    uint64_t histogram[MOST] = {0};
    for (uint32_t u = 0; u < n; u++)
        histogram[degree[u]]++;
    return pdpr_i_degrees_are_graphical(histogram, n);
}

static void degrees_known_sequences_are_told_apart(void **state)
{
    (void)state;
    const struct {
        uint32_t n, degree[6];
        bool is;
    } rows[] = {
        {0, {0}, true},
        {1, {0}, true},
        {2, {1, 1}, true},
        {2, {1, 0}, false},
        {3, {2, 2, 2}, true},
        {3, {2, 1, 1}, true},
        {3, {2, 2, 0}, false},
        {4, {3, 1, 1, 1}, true},
        {4, {3, 3, 1, 1}, false},
        {4, {3, 3, 2, 2}, true},
        {5, {4, 4, 4, 4, 4}, true},
        {6, {5, 5, 1, 1, 1, 1}, false},
        {6, {5, 5, 2, 2, 2, 2}, true},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_int_equal(graphical(rows[i].degree, rows[i].n), rows[i].is);
}

static void degrees_impossible_ones_are_cut_at_the_top(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    const struct {
        uint32_t n, wanted[6], got[6], cut;
    } rows[] = {
        {1, {7}, {0}, 7},
        {2, {1, 0}, {0, 0}, 1},
        {3, {9, 1, 1}, {2, 1, 1}, 7},
        {4, {3, 3, 1, 1}, {2, 2, 1, 1}, 2},
        {6, {5, 5, 1, 1, 1, 1}, {3, 3, 1, 1, 1, 1}, 4},
        {5, {4, 4, 4, 4, 4}, {4, 4, 4, 4, 4}, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint32_t degree[6];
        uint64_t cut;
        memcpy(degree, rows[i].wanted, sizeof degree);
        assert_ok(pdpr_i_degrees_make_graphical(ctx, degree, rows[i].n, &cut, NULL));
        assert_memory_equal(degree, rows[i].got, rows[i].n * sizeof *degree);
        assert_int_equal(cut, rows[i].cut);
    }
    pdpr_context_free(ctx);
}

static void build_no_nodes_or_no_edges_is_an_empty_graph(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    uint32_t degree[MOST] = {0};
    for (uint32_t n = 0; n < 5; n++) {
        pdpr_i_build_targets t = {.num_nodes = n,
                                  .degree = degree,
                                  .triangles = 10,
                                  .small_components = 3,
                                  .small_mean_size = 3,
                                  .locality = 0.5};
        pdpr_i_build_outcome o;
        pdpr_graph *g = test_build(ctx, &t, n, &o);
        assert_int_equal(g->num_arcs, 0);
        assert_int_equal(o.edges + o.triangles + o.small_components + o.strays + o.degrees_cut, 0);
        pdpr_graph_free(g);
    }
    pdpr_context_free(ctx);
}

/* Degrees that only one graph has. */
static void build_forced_graphs_are_exact(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    uint32_t degree[MOST];
    for (uint32_t n = 2; n < 60; n += 3)
        for (uint64_t seed = 0; seed < 4; seed++) {
            double locality = (double)seed / 3;
            fill(degree, n, n - 1); /* clique */
            pdpr_i_build_targets t = {.num_nodes = n,
                                      .degree = degree,
                                      .triangles = seed,
                                      .small_components = seed,
                                      .small_mean_size = 2,
                                      .locality = locality};
            pdpr_i_build_outcome o;
            pdpr_graph *g = test_build(ctx, &t, seed, &o);
            assert_true(test_has_degrees(g, degree));
            assert_int_equal(o.triangles, (uint64_t)n * (n - 1) * (n - 2) / 6);
            pdpr_graph_free(g);

            fill(degree, n, 1); /* star: small components would take its leaves */
            degree[n / 2] = n - 1;
            g = test_build(ctx, &t, seed, &o);
            assert_true(test_has_degrees(g, degree));
            assert_int_equal(o.small_components + o.triangles, 0);
            pdpr_graph_free(g);

            for (uint32_t u = 0; u < n; u++) /* half graph: u-v if u + v >= n */
                degree[u] = u - (2 * u >= n);
            g = test_build(ctx, &t, seed, &o);
            assert_true(test_has_degrees(g, degree));
            assert_int_equal(o.degrees_cut, 0);
            pdpr_graph_free(g);
        }
    pdpr_context_free(ctx);
}

static void build_one_edge_and_two_nodes_are_right(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    uint32_t degree[50] = {0};
    degree[3] = degree[17] = 1;
    for (uint64_t small = 0; small < 3; small++) {
        pdpr_i_build_targets t = {.num_nodes = 50,
                                  .degree = degree,
                                  .triangles = small,
                                  .small_components = small,
                                  .small_mean_size = 2};
        pdpr_graph *g = test_build(ctx, &t, 1, NULL);
        assert_true(test_has_degrees(g, degree));
        pdpr_graph_free(g);
    }
    uint32_t pair[2] = {1, 1};
    pdpr_i_build_targets t = {.num_nodes = 2, .degree = pair, .locality = 1};
    pdpr_graph *g = test_build(ctx, &t, 1, NULL);
    assert_int_equal(pdpr_graph_num_edges(g), 1);
    pdpr_graph_free(g);
    pdpr_context_free(ctx);
}

/* 2(n - 1) link ends can hang together, and then they do. */
static void build_degrees_of_a_tree_give_a_tree(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    uint32_t degree[MOST], largest, nodes;
    for (uint64_t seed = 0; seed < 20; seed++) {
        fill(degree, 400, 1);
        for (uint32_t u = 0; u < 133; u++) /* 133 inner nodes of degree 4 */
            degree[u] = 4;
        pdpr_i_build_targets t = {
            .num_nodes = 401, .degree = degree, .locality = (double)seed / 20};
        degree[400] = 1; /* 133 * 4 + 268 = 800 = 2 * 400 */
        pdpr_i_build_outcome o;
        pdpr_graph *g = test_build(ctx, &t, seed, &o);
        assert_true(test_has_degrees(g, degree));
        assert_int_equal(test_count_components(g, &largest, &nodes), 1);
        assert_int_equal(o.strays, 0);
        pdpr_graph_free(g);
    }
    pdpr_context_free(ctx);
}

static void build_small_components_are_as_many_as_asked(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    uint32_t degree[MOST], largest, nodes;
    for (uint32_t u = 0; u < MOST; u++)
        degree[u] = u < 300 ? 1 : u < 450 ? 2 : u < 550 ? 4 : 9;
    for (uint64_t wanted = 0; wanted <= 60; wanted += 20) {
        pdpr_i_build_targets t = {.num_nodes = MOST,
                                  .degree = degree,
                                  .triangles = 100,
                                  .small_components = wanted,
                                  .small_mean_size = 3};
        pdpr_i_build_outcome o;
        pdpr_graph *g = test_build(ctx, &t, wanted, &o);
        assert_true(test_has_degrees(g, degree));
        assert_int_equal(test_count_components(g, &largest, &nodes), wanted + 1);
        assert_int_equal(o.small_components, wanted);
        assert_int_equal(o.strays, 0);
        if (wanted == 60) { /* mean size 3, standard error below 0.2 */
            double mean = (double)(nodes - largest) / 60;
            assert_true(mean > 2.2 && mean < 3.8);
        }
        pdpr_graph_free(g);
    }
    pdpr_context_free(ctx);
}

/* Fewer links than nodes: components are trees, and hubs are in them, not in a giant of their own.
 */
static void build_small_trees_have_the_hubs(void **state)
{
    (void)state;
    enum { HUBS = 50, LEAVES = 9 * HUBS, N = HUBS + LEAVES };
    pdpr_context *ctx = test_context(1);
    uint32_t degree[N], largest, nodes;
    fill(degree, N, 1);
    fill(degree, HUBS, 9);
    pdpr_i_build_targets t = {
        .num_nodes = N, .degree = degree, .small_components = HUBS - 1, .small_mean_size = 10};
    for (uint64_t seed = 0; seed < 20; seed++) {
        pdpr_graph *g = test_build(ctx, &t, seed, NULL);
        assert_true(test_has_degrees(g, degree));
        /* as many trees as links allow, each with at least one hub or two leaves */
        assert_int_equal(test_count_components(g, &largest, &nodes), N - (9 * HUBS + LEAVES) / 2);
        assert_in_range(largest, 10, N / 2);
        pdpr_graph_free(g);
    }
    pdpr_context_free(ctx);
}

static void build_cliques_of_one_degree_fall_into_small_components(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    uint32_t degree[100], largest, nodes;
    fill(degree, 100, 3); /* no leaves: small components must be K4 */
    pdpr_i_build_targets t = {.num_nodes = 100,
                              .degree = degree,
                              .triangles = 60,
                              .small_components = 10,
                              .small_mean_size = 4};
    pdpr_i_build_outcome o;
    pdpr_graph *g = test_build(ctx, &t, 1, &o);
    assert_true(test_has_degrees(g, degree));
    assert_int_equal(test_count_components(g, &largest, &nodes), 11);
    assert_int_equal(largest, 60);
    pdpr_graph_free(g);
    pdpr_context_free(ctx);
}

static void build_triangles_reach_the_target_at_every_density(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    uint32_t degree[MOST];
    for (uint32_t u = 0; u < MOST; u++)
        degree[u] = 4 + u % 17; /* m = 3600, wedges 43 k */
    const uint64_t wanted[] = {0, 1, 7, 300, 1200, 3600, 7000};
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
        for (uint64_t seed = 0; seed < 3; seed++) {
            pdpr_i_build_targets t = {.num_nodes = MOST,
                                      .degree = degree,
                                      .triangles = wanted[i],
                                      .locality = 0.2 * (double)seed};
            pdpr_i_build_outcome o;
            pdpr_graph *g = test_build(ctx, &t, seed, &o);
            double reached = (double)test_count_triangles(g);
            assert_int_equal(o.triangles, reached);
            assert_true(fabs(reached - (double)wanted[i]) <= 0.01 * (double)wanted[i]);
            assert_true(test_has_degrees(g, degree));
            assert_int_equal(o.small_components, 0);
            pdpr_graph_free(g);
        }
    pdpr_context_free(ctx);
}

static void build_impossible_triangles_keep_the_degrees(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    uint32_t degree[MOST];
    fill(degree, 200, 2);
    pdpr_i_build_targets t = {.num_nodes = 200, .degree = degree, .triangles = UINT64_MAX};
    pdpr_i_build_outcome o;
    pdpr_graph *g = test_build(ctx, &t, 1, &o); /* connectivity wins: one cycle of 200 */
    assert_true(test_has_degrees(g, degree));
    assert_int_equal(o.small_components, 0);
    assert_int_equal(o.triangles, test_count_triangles(g));
    pdpr_graph_free(g);
    fill(degree, 200, 20);
    g = test_build(ctx, &t, 1, &o);
    assert_true(test_has_degrees(g, degree));
    assert_int_equal(o.triangles, test_count_triangles(g));
    assert_true(o.triangles > 6000); /* of 12,667 wedges over 3 */
    pdpr_graph_free(g);
    pdpr_context_free(ctx);
}

/* Mean distance from node 0's component, all pairs. */
static double mean_distance(const pdpr_graph *g)
{
    uint32_t distance[MOST], queue[MOST];
    double sum = 0, pairs = 0;
    for (uint32_t s = 0; s < g->num_nodes; s++) {
        uint32_t head = 0, tail = 0;
        memset(distance, 0xFF, sizeof distance);
        distance[s] = 0;
        queue[tail++] = s;
        while (head < tail) {
            uint32_t x = queue[head++];
            sum += distance[x];
            for (uint64_t i = g->offset[x]; i < g->offset[x + 1]; i++)
                if (distance[g->target[i]] == UINT32_MAX) {
                    distance[g->target[i]] = distance[x] + 1;
                    queue[tail++] = g->target[i];
                }
        }
        pairs += tail - 1;
    }
    return sum / pairs;
}

/* ---------------------------------------------------------------- where nodes lie */

enum { PLACES = 4096 };

/* Nodes without links at these places. */
static void lay_out(pdpr_i_building *b, uint32_t *place, double locality)
{
    static uint32_t degree[PLACES];
    *b = (pdpr_i_building){
        .ctx = b->ctx, .random = b->random, .num_nodes = PLACES, .degree = degree, .place = place};
    assert_ok(pdpr_i_strip_lay_out(b, locality, NULL));
}

static void strip_neighbours_on_the_curve_are_neighbours(void **state)
{
    (void)state;
    static uint32_t place[PLACES];
    pdpr_i_building b = {.ctx = test_context(1)};
    const uint32_t from[] = {0, 0x3FFFF800, 0x7FFFF800, 0xABCDE000, UINT32_MAX - PLACES + 1};
    for (size_t k = 0; k < sizeof from / sizeof *from; k++) {
        for (uint32_t u = 0; u < PLACES; u++)
            place[u] = from[k] + u;
        lay_out(&b, place, 0.325);
        assert_int_equal(b.squares, 1);
        for (uint32_t u = 1; u < PLACES; u++)
            assert_true(pdpr_i_building_share_between(&b, u - 1, u) == 0x1p-32);
        pdpr_free(b.point);
    }
    for (uint32_t u = 0; u < PLACES; u++)
        place[u] = u << 20; /* all over the strip */
    lay_out(&b, place, 0.73);
    assert_int_equal(b.squares, 147);     /* 4096^0.6 */
    for (uint32_t u = 1; u < PLACES; u++) /* no farther than squares of which nine are as much */
        assert_true(pdpr_i_building_share_between(&b, u - 1, u) < 9.0 / PLACES);
    pdpr_free(b.point);
    pdpr_context_free(b.ctx);
}

static void strip_links_that_reach_nowhere_stay_at_their_node(void **state)
{
    (void)state;
    static uint32_t place[PLACES];
    pdpr_i_stream random;
    pdpr_i_building b = {.ctx = test_context(1), .random = &random};
    test_stream(&random, 1);
    for (uint32_t u = 0; u < PLACES; u++)
        place[u] = (uint32_t)pdpr_i_stream_u64(&random);
    for (int k = 0; k <= 10; k++) {
        lay_out(&b, place, 0.1 * k);
        pdpr_i_strip_set_reach(&b, 0);
        for (uint32_t u = 0; u < PLACES; u++)
            assert_int_equal(pdpr_i_building_key(&b, u), place[u]);
        pdpr_free(b.point);
    }
    pdpr_context_free(b.ctx);
}

static void strip_links_without_locality_go_anywhere(void **state)
{
    (void)state;
    enum { CELLS = 16, LINKS = 16000 };
    static uint32_t place[PLACES];
    pdpr_i_stream random;
    pdpr_i_building b = {.ctx = test_context(1), .random = &random};
    double found[CELLS] = {0}, chi = 0;
    test_stream(&random, 2);
    lay_out(&b, place, 0);
    for (int k = 0; k < LINKS; k++)
        found[pdpr_i_building_key(&b, 0) >> 28]++;
    for (int c = 0; c < CELLS; c++)
        chi += (found[c] - 1.0 * LINKS / CELLS) * (found[c] - 1.0 * LINKS / CELLS);
    assert_true(chi / LINKS * CELLS < 37.7); /* chi square, 15 degrees of freedom, 0.1 % */
    pdpr_free(b.point);
    pdpr_context_free(b.ctx);
}

/* Where PLACES links of node 0 go: laid out in *to; the deviation of how far along the strip, in
 * sides. */
static double spread_of_links(pdpr_i_building *b, double locality, pdpr_i_building *to)
{
    static uint32_t key[PLACES];
    double sum = 0;
    for (uint32_t k = 0; k < PLACES; k++)
        key[k] = pdpr_i_building_key(b, 0);
    *to = (pdpr_i_building){.ctx = b->ctx};
    lay_out(to, key, locality);
    for (uint32_t k = 0; k < PLACES; k++) {
        double off = (double)(to->point[k] >> 16) - (double)(b->point[0] >> 16);
        sum += off * off / PLACES;
    }
    return sqrt(sum) / 65536;
}

static void strip_is_as_many_links_long_as_the_locality_says(void **state)
{
    (void)state;
    static uint32_t place[PLACES];
    const double locality[] = {0.2, 0.325, 0.5, 0.8};
    pdpr_i_stream random;
    pdpr_i_building b = {.ctx = test_context(1), .random = &random}, to;
    test_stream(&random, 3);
    place[0] = 0x80000000; /* the middle of a strip, and of a square's side */
    for (int k = 0; k < 4; k++) {
        lay_out(&b, place, locality[k]);
        double length = (double)b.squares * pow(PLACES, -locality[k]);
        double spread = spread_of_links(&b, locality[k], &to);
        assert_true(spread > 0.93 * length && spread < 1.07 * length);
        pdpr_free(to.point);
        b.degree[0] = PLACES / 4; /* a hub needs a quarter of the strip */
        assert_true(spread_of_links(&b, locality[k], &to) > 1.5 * spread);
        b.degree[0] = 0;
        pdpr_free(to.point);
        pdpr_free(b.point);
    }
    pdpr_context_free(b.ctx);
}

/* A node at the end: its links go on at the other end where they are long, and come back where they
 * are short. */
static void strip_ends_are_closed_for_long_links_only(void **state)
{
    (void)state;
    static uint32_t place[PLACES];
    const double locality[] = {0.2, 0.4};
    pdpr_i_stream random;
    pdpr_i_building b = {.ctx = test_context(1), .random = &random}, to;
    test_stream(&random, 4);
    for (int k = 0; k < 2; k++) {
        uint32_t other_end = 0;
        lay_out(&b, place, locality[k]);
        spread_of_links(&b, locality[k], &to);
        for (uint32_t i = 0; i < PLACES; i++)
            other_end += to.point[i] >> 16 >= b.squares << 15;
        if (k == 0)
            assert_in_range(other_end, PLACES / 3, 2 * PLACES / 3);
        else
            assert_int_equal(other_end, 0);
        pdpr_free(to.point);
        pdpr_free(b.point);
    }
    pdpr_context_free(b.ctx);
}

static void build_locality_makes_paths_longer(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    const double locality[] = {0, 0.45, 0.6, 0.75}; /* little happens below 0.3 */
    uint32_t degree[MOST];
    double last = 0;
    for (uint32_t u = 0; u < MOST; u++)
        degree[u] = 3 + u % 3;
    for (int k = 0; k < 4; k++) {
        pdpr_i_build_targets t = {
            .num_nodes = MOST, .degree = degree, .triangles = 50, .locality = locality[k]};
        pdpr_graph *g = test_build(ctx, &t, 1, NULL);
        double now = mean_distance(g);
        assert_true(now > last);
        last = now;
        pdpr_graph_free(g);
    }
    assert_true(last > 15); /* without locality about 5 */
    pdpr_context_free(ctx);
}

/* Short links make some 700 triangles here; opening them all must not make long links. */
static void build_opening_triangles_keeps_links_short(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    uint32_t degree[MOST];
    fill(degree, MOST, 4);
    double mean = 0;
    for (uint64_t seed = 0; seed < 5; seed++) {
        pdpr_i_build_targets t = {.num_nodes = MOST, .degree = degree, .locality = 0.85};
        pdpr_i_build_outcome o;
        pdpr_graph *g = test_build(ctx, &t, seed, &o);
        assert_int_equal(o.triangles, 0);
        mean += mean_distance(g) / 5;
        pdpr_graph_free(g);
    }
    assert_true(mean > 27); /* about 31; 22 when long links are as welcome as short ones */
    pdpr_context_free(ctx);
}

/* Large groups beside short links: they do not find their members within a link's reach. */
static void build_groups_spread_wider_than_links(void **state)
{
    (void)state;
    enum { NODES = 8000 };
    static uint32_t degree[NODES];
    pdpr_context *ctx = test_context(1);
    pdpr_generate_options options;
    pdpr_graph *original = NULL;
    pdpr_generate_options_default(PDPR_KIND_CLIQUES, NODES, &options);
    options.mean_degree *= 2;
    assert_ok(pdpr_generate(ctx, &options, 1, &original, NULL));
    for (uint32_t u = 0; u < NODES; u++)
        degree[u] = (uint32_t)(original->offset[u + 1] - original->offset[u]);
    pdpr_i_build_targets t = {
        .num_nodes = NODES, .degree = degree, .triangles = 516000, .locality = 0.35};
    pdpr_i_build_outcome o;
    pdpr_graph *g = test_build(ctx, &t, 1, &o);
    assert_in_range(o.triangles, 511000, 521000); /* the original has 515,814 */
    pdpr_graph_free(g);
    pdpr_graph_free(original);
    pdpr_context_free(ctx);
}

/* Many short links and few triangles exclude each other: links become longer. */
static void build_locality_yields_to_triangles(void **state)
{
    (void)state;
    enum { NODES = 3000 };
    static uint32_t degree[NODES];
    pdpr_context *ctx = test_context(1);
    fill(degree, NODES, 40);
    pdpr_i_build_targets t = {
        .num_nodes = NODES, .degree = degree, .triangles = 1000, .locality = 1};
    pdpr_i_build_outcome o;
    pdpr_graph *g = test_build(ctx, &t, 1, &o);
    assert_true(test_has_degrees(g, degree));
    assert_true(o.triangles >= 990 && o.triangles <= 1010);
    pdpr_graph_free(g);
    pdpr_context_free(ctx);
}

static void build_small_cliques_leave_the_triangle_count_alone(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    uint32_t degree[MOST];
    for (uint32_t u = 0; u < MOST; u++)
        degree[u] = u < 300 ? 1 : 2 + u % 9;
    for (uint64_t seed = 0; seed < 20; seed++) {
        pdpr_i_build_targets t = {.num_nodes = MOST,
                                  .degree = degree,
                                  .triangles = 150,
                                  .small_components = 40,
                                  .small_mean_size = 6};
        pdpr_i_build_outcome o;
        pdpr_graph *g = test_build(ctx, &t, seed, &o);
        assert_true(o.triangles >= 149 && o.triangles <= 151);
        pdpr_graph_free(g);
    }
    pdpr_context_free(ctx);
}

static void build_is_the_same_for_any_thread_count(void **state)
{
    (void)state;
    const uint32_t threads[] = {1, 2, 5};
    pdpr_graph *built[3], *again = NULL;
    uint32_t degree[20000];
    pdpr_context *ctx = test_context(1);
    for (uint32_t u = 0; u < 20000; u++)
        degree[u] = 1 + u % 13 + (u % 1000 == 0 ? 200 : 0);
    pdpr_i_build_targets t = {.num_nodes = 20000,
                              .degree = degree,
                              .triangles = 30000,
                              .small_components = 100,
                              .small_mean_size = 3,
                              .locality = 0.3};
    for (int i = 0; i < 3; i++) {
        pdpr_context *many = test_context(threads[i]);
        built[i] = test_build(many, &t, 9, NULL);
        pdpr_context_free(many);
    }
    assert_true(test_same_graph(built[0], built[1]));
    assert_true(test_same_graph(built[0], built[2]));
    again = test_build(ctx, &t, 10, NULL);
    assert_false(test_same_graph(built[0], again));
    for (int i = 0; i < 3; i++)
        pdpr_graph_free(built[i]);
    pdpr_graph_free(again);
    pdpr_context_free(ctx);
}

static void build_bad_targets_are_refused(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    uint32_t degree[3] = {1, 1, 0};
    pdpr_i_stream random;
    pdpr_graph *g = NULL;
    pdpr_error err;
    test_stream(&random, 1);
    pdpr_i_build_targets t = {.num_nodes = 3, .degree = degree, .locality = 1.5};
    assert_int_equal(pdpr_i_build(ctx, &t, &random, &g, NULL, &err), PDPR_EUSAGE);
    assert_string_equal(err.text, "targets: expected a locality in [0,1], found 1.5");
    t.locality = NAN;
    assert_int_equal(pdpr_i_build(ctx, &t, &random, &g, NULL, &err), PDPR_EUSAGE);
    t.locality = 0;
    t.small_components = 1;
    t.small_mean_size = 1.5;
    assert_int_equal(pdpr_i_build(ctx, &t, &random, &g, NULL, &err), PDPR_EUSAGE);
    assert_string_equal(err.text, "targets: expected a mean size of small components of 2 or more, "
                                  "found 1.5");
    assert_null(g);
    pdpr_context_free(ctx);
}

static void build_survives_every_allocation_failure(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    uint32_t ordinary[40], clique[12];
    for (uint32_t u = 0; u < 40; u++)
        ordinary[u] = u < 16 ? 1 : u < 30 ? 3 : 5;
    fill(clique, 12, 11); /* goes the certain way */
    const pdpr_i_build_targets targets[] = {{.num_nodes = 40,
                                             .degree = ordinary,
                                             .triangles = 20,
                                             .small_components = 3,
                                             .small_mean_size = 3},
                                            {.num_nodes = 12, .degree = clique, .triangles = 20}};
    for (int i = 0; i < 2; i++) {
        pdpr_status status;
        FOR_EACH_ALLOCATION_FAILURE(ctx, status, {
            pdpr_graph *g = NULL;
            pdpr_error err;
            pdpr_i_stream random;
            test_stream(&random, 1);
            status = pdpr_i_build(ctx, &targets[i], &random, &g, NULL, &err);
            assert_true((status == PDPR_OK) == (g != NULL));
            pdpr_graph_free(g);
        });
    }
    pdpr_context_free(ctx);
}

static void build_cancelled_leaves_nothing(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    uint32_t degree[100];
    fill(degree, 100, 4);
    pdpr_i_build_targets t = {.num_nodes = 100, .degree = degree, .triangles = 30};
    pdpr_i_stream random;
    pdpr_graph *g = NULL;
    test_stream(&random, 1);
    pdpr_context_cancel(ctx);
    assert_int_equal(pdpr_i_build(ctx, &t, &random, &g, NULL, NULL), PDPR_ECANCELLED);
    assert_null(g);
    assert_int_equal(pdpr_context_memory(ctx, NULL), 0);
    pdpr_context_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(degrees_known_sequences_are_told_apart),
        cmocka_unit_test(degrees_impossible_ones_are_cut_at_the_top),
        cmocka_unit_test(build_no_nodes_or_no_edges_is_an_empty_graph),
        cmocka_unit_test(build_forced_graphs_are_exact),
        cmocka_unit_test(build_one_edge_and_two_nodes_are_right),
        cmocka_unit_test(build_degrees_of_a_tree_give_a_tree),
        cmocka_unit_test(build_small_components_are_as_many_as_asked),
        cmocka_unit_test(build_small_trees_have_the_hubs),
        cmocka_unit_test(build_cliques_of_one_degree_fall_into_small_components),
        cmocka_unit_test(build_triangles_reach_the_target_at_every_density),
        cmocka_unit_test(build_impossible_triangles_keep_the_degrees),
        cmocka_unit_test(strip_neighbours_on_the_curve_are_neighbours),
        cmocka_unit_test(strip_links_that_reach_nowhere_stay_at_their_node),
        cmocka_unit_test(strip_links_without_locality_go_anywhere),
        cmocka_unit_test(strip_is_as_many_links_long_as_the_locality_says),
        cmocka_unit_test(strip_ends_are_closed_for_long_links_only),
        cmocka_unit_test(build_locality_makes_paths_longer),
        cmocka_unit_test(build_opening_triangles_keeps_links_short),
        cmocka_unit_test(build_groups_spread_wider_than_links),
        cmocka_unit_test(build_locality_yields_to_triangles),
        cmocka_unit_test(build_small_cliques_leave_the_triangle_count_alone),
        cmocka_unit_test(build_is_the_same_for_any_thread_count),
        cmocka_unit_test(build_bad_targets_are_refused),
        cmocka_unit_test(build_survives_every_allocation_failure),
        cmocka_unit_test(build_cancelled_leaves_nothing),
    };
    return cmocka_run_group_tests_name("build", tests, NULL, NULL);
}
