/* The fit of released numbers: sane for wild ones, the same for any number of threads, and with
 * what is known of graphs where noise says little. check_blueprint_fit.c fits whole graphs many
 * times. */
#include "support/blueprint_case.h"
#include "support/built.h"
#include "support/noise_support.h"
#include "blueprint/fit_parts.h"
#include "blueprint/tail_law.h"

#include <math.h>
#include <string.h>

/* The last bins say that nobody is above the cap, by noise; the index, which knows, says fifty. */
static void fit_keeps_nodes_above_the_cap_that_the_index_tells_of(void **state)
{
    (void)state;
    enum { N = 4000, THETA = 24 };
    static uint32_t degree[N];
    pdpr_context *ctx = test_context(1);
    int64_t curve[THETA];
    uint32_t above = 0;
    pdpr_i_bp_plan p;
    pdpr_i_build_targets targets;
    for (int k = 0; k < THETA; k++)
        curve[k] = k < 2 ? 0 : k >= 12 ? N : (int64_t)(N * (1 - pow(2.0 / (k + 1), 1.5)));
    pdpr_i_bp_numbers x = {.theta = THETA,
                           .wide = 64,
                           .triangle_cap = {24, 96},
                           .edges = 8500,
                           .edges_wide = 8700,
                           .index_low = 50,
                           .forest = 2 * (N - 1),
                           .cumulative = curve};
    assert_ok(pdpr_i_bp_plan_make(N, 3.2, &p, NULL));
    test_bp_fit_structure(ctx, &p, &x, degree, &targets);
    for (uint32_t u = 0; u < N; u++)
        above += degree[u] >= THETA;
    assert_in_range(above, 38, 60);
    pdpr_context_free(ctx);
}

/* Fewer edges than a tree has, by noise: what is built would be a long one. */
static void fit_of_noise_is_not_a_tree(void **state)
{
    (void)state;
    enum { N = 1000, THETA = 8 };
    static uint32_t degree[N];
    pdpr_context *ctx = test_context(1);
    int64_t curve[THETA];
    double ends = 0;
    pdpr_i_bp_plan p;
    pdpr_i_build_targets targets;
    for (int k = 0; k < THETA; k++)
        curve[k] = N / 2;
    pdpr_i_bp_numbers x = {.theta = THETA,
                           .wide = 16,
                           .triangle_cap = {8, 32},
                           .edges = -12500,
                           .edges_wide = -12500,
                           .cumulative = curve};
    assert_ok(pdpr_i_bp_plan_make(N, 0.02, &p, NULL));
    test_bp_fit_structure(ctx, &p, &x, degree, &targets);
    for (uint32_t u = 0; u < N; u++)
        ends += degree[u];
    assert_true(ends / 2 > 1.1 * N);
    pdpr_context_free(ctx);
}

/* Fifty components beside a noise of eighty: a sparse graph is given some. */
static void fit_of_a_sparse_graph_believes_some_small_components(void **state)
{
    (void)state;
    enum { N = 3000, THETA = 8 };
    static uint32_t degree[N];
    pdpr_context *ctx = test_context(1);
    int64_t curve[THETA] = {0, 300, 1500, 2300, 2700, 2900, 2980, 3000};
    pdpr_i_bp_plan p;
    pdpr_i_build_targets targets;
    pdpr_i_bp_numbers x = {.theta = THETA,
                           .wide = 16,
                           .triangle_cap = {8, 32},
                           .edges = 3700,
                           .edges_wide = 3700,
                           .index_low = 6,
                           .forest = 2 * (N - 1 - 50),
                           .cumulative = curve};
    assert_ok(pdpr_i_bp_plan_make(N, 1, &p, NULL));
    test_bp_fit_structure(ctx, &p, &x, degree, &targets);
    assert_in_range(targets.small_components, 20, 60);
    pdpr_context_free(ctx);
}

/* A graph that hangs together, as far as noise lets one see: most such graphs have a few small
 * components. */
static void fit_of_a_dense_graph_believes_a_few_small_components(void **state)
{
    (void)state;
    enum { N = 6000 };
    static uint32_t degree[N];
    pdpr_context *ctx = test_context(1);
    pdpr_graph *g = NULL;
    assert_ok(pdpr_generate_gnm(ctx, N, 6 * N, 1, &g, NULL));
    uint32_t runs_with_some = 0;
    for (uint64_t seed = 1; seed <= 6; seed++) {
        pdpr_i_bp_plan p;
        pdpr_i_bp_numbers x = {0};
        pdpr_i_build_targets targets;
        test_bp_measure(ctx, g, 3.2, seed, &p, &x);
        test_bp_fit_structure(ctx, &p, &x, degree, &targets);
        assert_in_range(targets.small_components, 0, N / 400);
        runs_with_some += targets.small_components > 0;
        pdpr_i_bp_numbers_clear(&x);
    }
    assert_in_range(runs_with_some, 1, 6); /* none, where the answer says that it is connected */
    pdpr_graph_free(g);
    pdpr_context_free(ctx);
}

/* Hardly more links than nodes, and triangles all the same: where noise takes links away, a long
 * chain of triangles would be built. */
static void fit_of_a_sparse_graph_is_no_chain_of_triangles(void **state)
{
    (void)state;
    enum { N = 3000, RUNS = 12 };
    static uint32_t degree[N];
    pdpr_context *ctx = test_context(2);
    uint32_t with_fewer = 0;
    for (uint32_t u = 0; u < N; u++)
        degree[u] = u % 5 == 0 ? 4 : 2;
    pdpr_i_build_targets targets = {
        .num_nodes = N, .degree = degree, .triangles = 400, .small_mean_size = 3};
    pdpr_graph *g = test_build(ctx, &targets, 1, NULL);
    for (uint64_t seed = 1; seed <= RUNS; seed++) {
        pdpr_i_bp_plan p;
        pdpr_i_bp_numbers x = {0};
        pdpr_i_build_targets structure;
        test_bp_measure(ctx, g, 0.2, seed, &p, &x);
        test_bp_fit_structure(ctx, &p, &x, degree, &structure);
        test_bp_fit(ctx, &p, &x, degree, &targets);
        assert_true(targets.triangles <= structure.triangles);
        with_fewer += targets.triangles < structure.triangles;
        pdpr_i_bp_numbers_clear(&x);
    }
    assert_in_range(with_fewer, 1, RUNS / 2);
    pdpr_graph_free(g);
    pdpr_context_free(ctx);
}

/* The second index says 246 by noise, the first 50, and it cannot be the larger one: then 60 nodes
 * of 60 links explain both as well as if the second had said 60. */
static void second_index_above_the_first_is_not_a_misfit(void **state)
{
    (void)state;
    enum { N = 12979, THETA = 8 };
    static uint32_t degree[N];
    pdpr_i_bp_plan p;
    pdpr_i_bp_numbers x = {.theta = THETA, .wide = 16, .edges = 20000, .edges_wide = 20000};
    pdpr_i_fitting f = {.plan = &p, .numbers = &x, .n = N, .theta = THETA, .degree = degree};
    pdpr_i_kept_edges kept = {20000, 20000};
    assert_ok(pdpr_i_bp_plan_make(N, 0.2, &p, NULL));
    for (uint32_t u = 0; u < N; u++)
        degree[u] = u < 60 ? 60 : 3;
    x.index_low = 50;
    x.index_high = 1000;
    x.index_high = (int64_t)ceil(pdpr_i_believed_second_index(&p, &x));
    double near = pdpr_i_fit_tail_misfit(&f, &kept);
    x.index_high = 246;
    assert_true(fabs(pdpr_i_fit_tail_misfit(&f, &kept) - near) < 0.1);
    x.index_high = 0; /* a lesser one counts */
    assert_true(pdpr_i_fit_tail_misfit(&f, &kept) > near + 0.1);
}

/* Two tails that explain as much: the plain mean has a largest degree half way, the careful one is
 * near the lighter, nearer where leaves tell of hubs, and an unlikely one stays without a word. */
static void mean_tail_leans_to_the_lighter_one(void **state)
{
    (void)state;
    enum { N = 1000, THETA = 8 };
    static uint32_t degree[N];
    double current[THETA];
    pdpr_context *ctx = test_context(1);
    for (int k = 0; k < THETA; k++)
        current[k] = k < 2 ? 0 : N - 20;
    for (int leaves = 0; leaves < 2; leaves++) {
        pdpr_i_fitting f = {.ctx = ctx,
                            .n = N,
                            .theta = THETA,
                            .current = current,
                            .degree = degree,
                            .no_isolated = leaves};
        pdpr_i_tails tails = {.tail = {{2.6, 800, 1}, {2.6, 8, 1}}, .count = 2};
        assert_ok(pdpr_i_fit_mean_tail(&f, &tails, false, NULL));
        uint32_t plain = degree[0];
        assert_ok(pdpr_i_fit_mean_tail(&f, &tails, true, NULL));
        assert_true(degree[0] > THETA && 2 * degree[0] < plain);
        tails.misfit[1] = 9.2; /* a hundredth of the likelihood */
        assert_ok(pdpr_i_fit_mean_tail(&f, &tails, true, NULL));
        assert_true(degree[0] > 1.5 * plain);
    }
    pdpr_context_free(ctx);
}

/* Ten hubs have 2,000 link ends, a thousand leaves one each, 500 other nodes ten each: a sixth of
 * the hubs' links lead to leaves by chance, and 1 / (1 + 5 / 10^clinging) where small nodes cling
 * to them. */
static void simulated_leaves_cling_to_hubs(void **state)
{
    (void)state;
    enum { HUBS = 10, LEAVES = 1000, OTHERS = 500, N = HUBS + LEAVES + OTHERS, THETA = 16 };
    static uint32_t degree[N];
    static double vector[4 * (THETA + 1)];
    pdpr_context *ctx = test_context(1);
    const pdpr_i_key key = {{9}};
    pdpr_i_stream stream;
    for (uint32_t u = 0; u < N; u++)
        degree[u] = u < HUBS ? 200 : u < HUBS + OTHERS ? 10 : 1;
    for (int clinging = 0; clinging < 3; clinging++) {
        uint64_t pairs;
        uint32_t ends[N] = {0}, at_leaves = 0, among_hubs = 0;
        double expected = 2000 / (1 + 5 / pow(10, 0.25 * clinging));
        pdpr_i_stream_init(&stream, &key, PDPR_I_PURPOSE_TEST, 0);
        pdpr_i_fitting f = {.ctx = ctx,
                            .random = &stream,
                            .n = N,
                            .theta = THETA,
                            .degree = degree,
                            .no_isolated = true,
                            .clinging = 0.25 * clinging,
                            .vector = vector};
        assert_ok(pdpr_i_fit_draw_pairs(&f, &pairs, NULL));
        assert_int_equal(pairs, (HUBS * 200 + OTHERS * 10 + LEAVES) / 2);
        for (uint64_t i = 0; i < pairs; i++) {
            uint32_t u = degree[f.pair[2 * i]], v = degree[f.pair[2 * i + 1]];
            ends[f.pair[2 * i]]++;
            ends[f.pair[2 * i + 1]]++;
            at_leaves += (u == 200 && v == 1) || (u == 1 && v == 200);
            among_hubs += u == 200 && v == 200;
        }
        assert_memory_equal(ends, degree, sizeof ends);
        assert_int_equal(among_hubs, 0);
        assert_true(fabs(at_leaves - expected) < 80); /* five deviations, or four */
        pdpr_free(f.stub);
        pdpr_free(f.pair);
    }
    pdpr_context_free(ctx);
}

/* Two bins of 96 depart by six and seven times their noise, all others are as simulated: one
 * amplitude for all draws them back by a good part, one that follows where nodes are does not. */
static void filter_follows_first_bins_where_leaves_are_sought(void **state)
{
    (void)state;
    enum { N = 20000, THETA = 96, NOISE = 187 };
    double measured[THETA], simulated[THETA], wished[THETA], off[2], ends = 0;
    static double matrix[(THETA + 1) * (THETA + 1)], vector[4 * (THETA + 1)];
    pdpr_i_bp_plan p;
    assert_ok(pdpr_i_bp_plan_make(N, 3.2, &p, NULL));
    for (int k = 0; k < THETA; k++) {
        simulated[k] = N * (1 - pow(k + 1.2, -1.5));
        measured[k] = simulated[k] + (k == 0 ? 6 * NOISE : k == 1 ? -7 * NOISE : 0);
        ends += N - measured[k];
    }
    pdpr_i_bp_numbers x = {.theta = THETA, .edges = (int64_t)(ends / 2)};
    for (int sought = 0; sought < 2; sought++) {
        pdpr_i_fitting f = {.plan = &p,
                            .numbers = &x,
                            .n = N,
                            .theta = THETA,
                            .noise = NOISE,
                            .measured = measured,
                            .simulated = simulated,
                            .wished = wished,
                            .no_isolated = sought,
                            .matrix = matrix,
                            .vector = vector};
        pdpr_i_fit_filter(&f);
        off[sought] = fabs(wished[0] - measured[0]) + fabs(wished[1] - measured[1]);
    }
    assert_true(off[0] > 10 * NOISE); /* of 13: nearly as simulated */
    assert_true(off[1] < 7 * NOISE);
}

/* 700 edges, 300 isolated nodes and a ring: all of it is plain to see. */
static void fit_of_many_components_finds_them(void **state)
{
    (void)state;
    enum { SMALL = 700, ALONE = 300, RING = 2000, N = 2 * SMALL + ALONE + RING };
    static uint32_t pairs[2 * (SMALL + RING)], degree[N];
    pdpr_context *ctx = test_context(1);
    uint64_t count = 0;
    uint32_t isolated = 0;
    pdpr_i_build_targets targets;
    for (uint32_t u = 0; u < RING; u++, count++) {
        pairs[2 * count] = u;
        pairs[2 * count + 1] = (u + 1) % RING;
    }
    for (uint32_t k = 0; k < SMALL; k++, count++) {
        pairs[2 * count] = RING + 2 * k;
        pairs[2 * count + 1] = RING + 2 * k + 1;
    }
    pdpr_graph *g = test_graph(ctx, N, pairs, count);
    test_bp_fit_graph(ctx, g, 20, degree, &targets);
    for (uint32_t u = 0; u < N; u++)
        isolated += degree[u] == 0;
    assert_in_range(isolated, 270, 330);
    assert_in_range(targets.small_components, 640, 760);
    assert_true(targets.triangles < 30);
    pdpr_graph_free(g);
    pdpr_context_free(ctx);
}

/* Stars and nothing else: no giant is made of their hubs. */
static void fit_of_stars_leaves_no_giant(void **state)
{
    (void)state;
    enum { STARS = 400, LEAVES = 8, N = STARS * (LEAVES + 1) };
    static uint32_t pairs[2 * STARS * LEAVES], degree[N];
    pdpr_context *ctx = test_context(1);
    pdpr_i_build_targets targets;
    uint64_t count = 0;
    uint32_t largest, nodes;
    for (uint32_t s = 0; s < STARS; s++)
        for (uint32_t k = 1; k <= LEAVES; k++) {
            pairs[count++] = s * (LEAVES + 1);
            pairs[count++] = s * (LEAVES + 1) + k;
        }
    pdpr_graph *g = test_graph(ctx, N, pairs, count / 2);
    test_bp_fit_graph(ctx, g, 3.2, degree, &targets);
    assert_true(targets.small_mean_size > 5 && targets.small_mean_size <= 12);
    pdpr_graph *built = test_build(ctx, &targets, 1, NULL);
    test_count_components(built, &largest, &nodes);
    assert_in_range(largest, LEAVES, N / 5);
    pdpr_graph_free(built);
    pdpr_graph_free(g);
    pdpr_context_free(ctx);
}

/* An answer that noise put far outside of what a graph can have is read as the nearest that it can:
 * as many small components as there may be, or none. */
static void fit_of_an_impossible_forest_takes_the_nearest(void **state)
{
    (void)state;
    enum { N = 3000 };
    static uint32_t degree[N];
    pdpr_context *ctx = test_context(1);
    pdpr_generate_options options;
    pdpr_graph *g = NULL;
    pdpr_i_bp_plan p;
    pdpr_i_bp_numbers x = {0};
    pdpr_i_build_targets targets;
    pdpr_generate_options_default(PDPR_KIND_LATTICE, N, &options);
    assert_ok(pdpr_generate(ctx, &options, 1, &g, NULL));
    test_bp_measure(ctx, g, 20, 2, &p, &x);
    x.forest = -1000000000;
    test_bp_fit(ctx, &p, &x, degree, &targets);
    assert_in_range(targets.small_components, N / 6 - 30, N / 6); /* of three nodes: half of all */
    x.forest = 1000000000;
    test_bp_fit(ctx, &p, &x, degree, &targets);
    assert_int_equal(targets.small_components, 0);
    pdpr_i_bp_numbers_clear(&x);
    pdpr_graph_free(g);
    pdpr_context_free(ctx);
}

/* The least share of a clique's links that some fits of it have. */
static double least_share_of_a_clique(uint32_t n, double epsilon, uint64_t seeds)
{
    uint32_t degree[150];
    double least = 2, all = (double)n * (n - 1);
    pdpr_context *ctx = test_context(1);
    pdpr_graph *g = test_graph_complete(ctx, n);
    for (uint64_t seed = 1; seed <= seeds; seed++) {
        pdpr_i_bp_plan p;
        pdpr_i_bp_numbers x = {0};
        pdpr_i_build_targets targets;
        uint64_t sum = 0;
        test_bp_measure(ctx, g, epsilon, seed, &p, &x);
        test_bp_fit(ctx, &p, &x, degree, &targets);
        for (uint32_t u = 0; u < n; u++)
            sum += degree[u];
        least = fmin(least, (double)sum / all);
        pdpr_i_bp_numbers_clear(&x);
    }
    pdpr_graph_free(g);
    pdpr_context_free(ctx);
    return least;
}

/* Tails that are tried twice count once, and one always counts. Of a larger clique a Pareto law,
 * which has most nodes just above the cap, would leave a quarter. */
static void fit_of_a_clique_has_its_links(void **state)
{
    (void)state;
    assert_true(least_share_of_a_clique(30, 50, 12) > 0.5);
    assert_true(least_share_of_a_clique(150, 10, 6) > 0.8);
}

/* Without links all caps are alike to the selection; the index keeps theirs from being noise. */
static void first_cap_of_an_empty_graph_is_small(void **state)
{
    (void)state;
    enum { N = 1000, SEEDS = 12 };
    pdpr_context *ctx = test_context(1);
    pdpr_graph *g = test_graph_empty(ctx, N);
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        pdpr_i_bp_plan p;
        pdpr_i_bp_numbers x = {0};
        test_bp_measure(ctx, g, 10, seed, &p, &x);
        assert_in_range(x.theta, 4, 8); /* up to 192 before */
        pdpr_i_bp_numbers_clear(&x);
    }
    pdpr_graph_free(g);
    pdpr_context_free(ctx);
}

/* Indices of political blogs, 1,490 of them, whose largest degree is 351; the Pareto law through
 * them would go on for all of the wider cap and more. */
static void fit_ends_tails_at_a_quarter_of_the_nodes(void **state)
{
    (void)state;
    enum { N = 1490, THETA = 24 };
    static uint32_t degree[N];
    pdpr_context *ctx = test_context(1);
    int64_t curve[THETA];
    pdpr_i_bp_plan p;
    pdpr_i_build_targets targets;
    for (int k = 0; k < THETA; k++)
        curve[k] = k < 4 ? 0 : (int64_t)(N * (1 - pow(4.0 / (k + 1), 1.5)));
    pdpr_i_bp_numbers x = {.theta = THETA,
                           .wide = 512,
                           .triangle_cap = {24, 96},
                           .edges = 12000,
                           .edges_wide = 20000,
                           .index_low = 89,
                           .index_high = 62,
                           .forest = 2 * 1480,
                           .cumulative = curve};
    assert_ok(pdpr_i_bp_plan_make(N, 3.2, &p, NULL));
    test_bp_fit_structure(ctx, &p, &x, degree, &targets);
    assert_in_range(degree[0], 200, 450); /* 733 without an end */
    pdpr_context_free(ctx);
}

/* At N = 1000 and epsilon = 0.4 the lower index is worth its noise and the higher one is not. */
static void fit_with_one_index_only_works(void **state)
{
    (void)state;
    enum { N = 1000 };
    static uint32_t degree[N];
    pdpr_context *ctx = test_context(1);
    pdpr_graph *g = NULL;
    pdpr_i_bp_plan p;
    pdpr_i_build_targets targets;
    assert_ok(pdpr_i_bp_plan_make(N, 0.4, &p, NULL));
    assert_true(p.asks[PDPR_I_BP_INDEX_LOW]);
    assert_false(p.asks[PDPR_I_BP_INDEX_HIGH]);
    assert_ok(pdpr_generate_gnm(ctx, N, 3000, 1, &g, NULL));
    test_bp_fit_graph(ctx, g, 0.4, degree, &targets);
    pdpr_graph_free(g);
    pdpr_context_free(ctx);
}

static void fit_is_sane_and_the_same_for_any_thread_count(void **state)
{
    (void)state;
    static const uint32_t threads[] = {1, 2, 5};
    static const double epsilons[] = {0.01, 1};
    enum { N = 1000 };
    static uint32_t first[N], degree[N];
    for (int e = 0; e < 2; e++)
        for (int t = 0; t < 3; t++) {
            pdpr_context *ctx = test_context(threads[t]);
            pdpr_graph *g = NULL;
            pdpr_i_bp_plan p;
            pdpr_i_bp_numbers x = {0};
            pdpr_i_build_targets targets, again;
            assert_ok(pdpr_generate_social(ctx, N, 4000, 0.5, 1, &g, NULL));
            test_bp_measure(ctx, g, epsilons[e], 9, &p, &x);
            test_bp_fit(ctx, &p, &x, t ? degree : first, &targets);
            assert_true(targets.locality >= 0 && targets.locality <= 1);
            assert_true(targets.small_mean_size >= 2 && targets.small_components < N);
            assert_true(targets.triangles < UINT64_C(1) << 40);
            if (t)
                assert_memory_equal(first, degree, sizeof first);
            test_bp_fit(ctx, &p, &x, degree, &again); /* and of nothing but its arguments */
            assert_memory_equal(first, degree, sizeof first);
            assert_int_equal(targets.triangles, again.triangles);
            pdpr_i_bp_numbers_clear(&x);
            pdpr_graph_free(g);
            pdpr_context_free(ctx);
        }
}

/* Numbers as noise may leave them: the curve far outside [0, N] and falling, counts negative or
 * huge. The degrees must come out in range all the same. */
static void fit_of_wild_numbers_is_in_range(void **state)
{
    (void)state;
    enum { N = 60, THETA = 8 };
    static const int64_t wild[] = {0, -1, 1000000, INT64_C(1) << 61, -(INT64_C(1) << 61)};
    enum { WILD = sizeof wild / sizeof *wild };
    pdpr_context *ctx = test_context(1);
    uint32_t degree[N];
    pdpr_i_bp_plan p, rich;
    assert_ok(pdpr_i_bp_plan_make(N, 1, &p, NULL));
    assert_ok(pdpr_i_bp_plan_make(N, 50, &rich, NULL));
    assert_true(rich.asks[PDPR_I_BP_INDEX_LOW] && rich.asks[PDPR_I_BP_FOREST]);
    for (int a = 0; a < WILD; a++)
        for (int b = 0; b < WILD; b++) {
            int64_t curve[THETA];
            for (int k = 0; k < THETA; k++)
                curve[k] = k % 2 ? wild[a] : wild[b];
            pdpr_i_bp_numbers x = {.theta = THETA,
                                   .wide = 32,
                                   .triangle_cap = {8, 8},
                                   .edges = wild[a],
                                   .edges_wide = wild[b],
                                   .index_low = wild[b],
                                   .index_high = wild[a],
                                   .triangles = {wild[a], wild[b]},
                                   .forest = wild[a],
                                   .cumulative = curve};
            pdpr_i_build_targets targets;
            test_bp_fit(ctx, &p, &x, degree, &targets);
            assert_true(targets.small_components < N);
            /* with a budget that asks for the indices and the forest too, the index on its own */
            for (int c = 0; c < WILD; c++) {
                x.index_low = wild[c];
                test_bp_fit_structure(ctx, &rich, &x, degree, &targets);
                assert_true(targets.small_components < N);
            }
        }
    pdpr_context_free(ctx);
}

/* A curve that falls where noise made it fall is pooled: its fit is that of the mean. */
static void fit_pools_a_falling_curve(void **state)
{
    (void)state;
    enum { N = 400, THETA = 8 };
    pdpr_context *ctx = test_context(1);
    uint32_t falling[N], level[N];
    int64_t a[THETA] = {0, 0, 150, 250, 400, 400, 400, 400};
    int64_t b[THETA] = {0, 0, 250, 150, 400, 400, 400, 400};
    int64_t c[THETA] = {0, 0, 200, 200, 400, 400, 400, 400};
    pdpr_i_bp_plan p;
    pdpr_i_bp_numbers x = {.theta = THETA,
                           .wide = 32,
                           .triangle_cap = {8, 8},
                           .edges = 600,
                           .edges_wide = 600,
                           .index_low = 4,
                           .cumulative = b};
    pdpr_i_build_targets targets;
    assert_ok(pdpr_i_bp_plan_make(N, 50, &p, NULL));
    test_bp_fit(ctx, &p, &x, falling, &targets);
    x.cumulative = c;
    test_bp_fit(ctx, &p, &x, level, &targets);
    assert_memory_equal(falling, level, sizeof level);
    x.cumulative = a; /* a rising one is left as it is */
    test_bp_fit(ctx, &p, &x, falling, &targets);
    assert_memory_not_equal(falling, level, sizeof level);
    pdpr_context_free(ctx);
}

static void measure_and_fit_survive_every_allocation_failure(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    pdpr_graph *g = test_bp_odd_graph(ctx, TEST_BP_ODD_GRAPHS - 1);
    uint32_t degree[14];
    pdpr_i_bp_plan p;
    assert_ok(pdpr_i_bp_plan_make(14, 20, &p, NULL));
    pdpr_status status;
    for (uint64_t nth = 1;; nth++) { /* the meter is made with memory to spare */
        pdpr_i_meter *meter = test_bp_meter(ctx, &p, 1);
        uint64_t before = pdpr_context_memory(ctx, NULL);
        pdpr_i_bp_numbers x = {0};
        pdpr_i_build_targets targets;
        pdpr_i_stream random = noise_stream(1, 0);
        pdpr_i_fail_allocation(ctx, nth);
        status = pdpr_i_bp_measure(ctx, g, &p, meter, &x, NULL);
        if (status == PDPR_OK)
            status = pdpr_i_bp_fit(ctx, &p, &x, &random, degree, &targets, NULL);
        uint64_t calls = pdpr_i_fail_allocation(ctx, 0);
        pdpr_i_bp_numbers_clear(&x);
        assert_int_equal(pdpr_context_memory(ctx, NULL), before);
        pdpr_i_meter_free(meter);
        assert_int_equal(status, calls < nth ? PDPR_OK : PDPR_ENOMEM);
        if (calls < nth)
            break;
    }
    pdpr_graph_free(g);
    pdpr_context_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fit_keeps_nodes_above_the_cap_that_the_index_tells_of),
        cmocka_unit_test(fit_of_noise_is_not_a_tree),
        cmocka_unit_test(fit_of_a_sparse_graph_believes_some_small_components),
        cmocka_unit_test(fit_of_a_dense_graph_believes_a_few_small_components),
        cmocka_unit_test(fit_of_a_sparse_graph_is_no_chain_of_triangles),
        cmocka_unit_test(second_index_above_the_first_is_not_a_misfit),
        cmocka_unit_test(mean_tail_leans_to_the_lighter_one),
        cmocka_unit_test(simulated_leaves_cling_to_hubs),
        cmocka_unit_test(filter_follows_first_bins_where_leaves_are_sought),
        cmocka_unit_test(fit_of_many_components_finds_them),
        cmocka_unit_test(fit_of_stars_leaves_no_giant),
        cmocka_unit_test(fit_of_an_impossible_forest_takes_the_nearest),
        cmocka_unit_test(fit_of_a_clique_has_its_links),
        cmocka_unit_test(first_cap_of_an_empty_graph_is_small),
        cmocka_unit_test(fit_ends_tails_at_a_quarter_of_the_nodes),
        cmocka_unit_test(fit_with_one_index_only_works),
        cmocka_unit_test(fit_is_sane_and_the_same_for_any_thread_count),
        cmocka_unit_test(fit_of_wild_numbers_is_in_range),
        cmocka_unit_test(fit_pools_a_falling_curve),
        cmocka_unit_test(measure_and_fit_survive_every_allocation_failure),
    };
    return cmocka_run_group_tests_name("blueprint: fit", tests, NULL, NULL);
}
