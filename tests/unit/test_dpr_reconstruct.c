/* Score sampling and reconstruction: single draws, invariants, limits. The joint law is compared
 * with a dense reference in tests/check/check_dpr_reconstruct.c. */
#include "support/support.h"

#include "dpr/dpr.h"

#include <math.h>
#include <string.h>

static pdpr_i_key seeded_key(uint64_t seed)
{
    pdpr_i_key key;
    pdpr_i_key_from_seed(seed, &key);
    return key;
}

/* Deterministic numbers in about +-size. */
static void fill(uint64_t count, double size, float *v)
{
    for (uint64_t i = 0; i < count; i++)
        v[i] = (float)(size * sin(1 + 1.7 * (double)i + 0.1 * (double)(i * i % 97)));
}

static double logit(const float *v, uint32_t cols, uint32_t i, uint32_t j)
{
    double sum = 0;
    for (uint32_t k = 0; k < cols; k++)
        sum += (double)v[i * cols + k] * v[j * cols + k];
    return sum;
}

/* ---------------------------------------------------------------- single draws */

/* The two facts that rejection rests on: no centred logit above its bound, mean weight >= 1. */
static void bounds_hold_for_vectors_of_any_size(void **state)
{
    (void)state;
    enum { N = 31, R = 11 };
    pdpr_context *ctx = test_context(1);
    float v[N * R];
    for (int t = 0; t < 60; t++) {
        pdpr_i_score score;
        fill(N * R, pow(10, -4 + t % 6), v);
        if (t >= 30) /* a large common part, which the centre takes out */
            for (int i = 0; i < N * R; i++)
                v[i] += 3;
        assert_ok(pdpr_i_score_init(ctx, v, N, R, &score, NULL));
        for (uint32_t i = 0; i < N; i++) {
            double shift = 0, largest = -INFINITY, sum = 0;
            for (uint32_t k = 0; k < R; k++)
                shift += v[i * R + k] * score.centre[k];
            for (uint32_t j = 0; j < N; j++) {
                double x = logit(v, R, i, j) - shift;
                largest = fmax(largest, x);
                sum += exp(fmin(x, 700)); /* enough to see that it is large */
            }
            assert_true(largest <= score.bound[i]);
            assert_true(sum / N >= 1 - 1e-9);
        }
        pdpr_i_score_clear(&score);
    }
    pdpr_context_free(ctx);
}

/* Both ways of drawing, every row, against the softmax: N - 1 = 6 degrees of freedom, 1e-6 at
 * 38.3. */
static void draws_follow_the_softmax_by_rejection_and_by_row(void **state)
{
    (void)state;
    enum { N = 7, R = 9, DRAWS = 20000 };
    pdpr_context *ctx = test_context(1);
    static uint32_t out[DRAWS];
    float v[N * R];
    double row[N];
    pdpr_i_key key = seeded_key(3);
    const double sizes[] = {0, 0.1, 0.4, 0.7};
    for (int t = 0; t < 4; t++) {
        pdpr_i_score score;
        pdpr_i_stream random;
        fill(N * R, sizes[t], v);
        assert_ok(pdpr_i_score_init(ctx, v, N, R, &score, NULL));
        pdpr_i_stream_init(&random, &key, PDPR_I_PURPOSE_TEST, (uint64_t)t);
        for (uint32_t i = 0; i < N; i++)
            for (int way = 0; way < 2; way++) {
                double seen[N] = {0}, sum = 0, chi = 0;
                if (way)
                    pdpr_i_score_draw_by_row(&score, i, DRAWS, &random, row, out);
                else
                    pdpr_i_score_draw_by_rejection(&score, i, DRAWS, &random, out);
                for (int k = 0; k < DRAWS; k++)
                    seen[out[k]]++;
                for (uint32_t j = 0; j < N; j++)
                    sum += exp(logit(v, R, i, j));
                for (uint32_t j = 0; j < N; j++) {
                    double expected = DRAWS * exp(logit(v, R, i, j)) / sum;
                    chi += (seen[j] - expected) * (seen[j] - expected) / expected;
                }
                assert_true(chi < 38.3);
            }
        pdpr_i_score_clear(&score);
    }
    pdpr_context_free(ctx);
}

static void draws_of_far_apart_vectors_end(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    float v[6] = {1e18F, 0, -1e18F, 5, 0, 1e18F}; /* logits of 1e36: only itself is likely */
    double row[3];
    uint32_t out[10];
    pdpr_i_key key = seeded_key(3);
    pdpr_i_score score;
    pdpr_i_stream random;
    assert_ok(pdpr_i_score_init(ctx, v, 3, 2, &score, NULL));
    pdpr_i_stream_init(&random, &key, PDPR_I_PURPOSE_TEST, 0);
    for (uint32_t i = 0; i < 3; i++) {
        pdpr_i_score_draw(&score, i, 10, &random, row, out);
        for (int k = 0; k < 10; k++)
            assert_int_equal(out[k], i);
    }
    pdpr_i_score_clear(&score);
    pdpr_context_free(ctx);
}

/* ---------------------------------------------------------------- graphs */

typedef pdpr_status (*reconstruction)(pdpr_context *, const pdpr_i_score *, const pdpr_i_key *,
                                      const pdpr_i_reconstruct_options *, pdpr_graph **,
                                      pdpr_error *);
static const reconstruction ways[] = {pdpr_i_reconstruct_by_tokens, pdpr_i_reconstruct_by_counts};

static void reconstruction_gives_the_wanted_edges_and_leaves_no_node_alone(void **state)
{
    (void)state;
    enum { N = 300, R = 16 };
    static float v[N * R];
    pdpr_context *ctx = test_context(2);
    pdpr_i_key key = seeded_key(5);
    fill(N * R, 0.3, v);
    pdpr_i_score score;
    assert_ok(pdpr_i_score_init(ctx, v, N, R, &score, NULL));
    for (int way = 0; way < 2; way++)
        for (uint64_t wanted = 0; wanted <= 3000; wanted += 600) {
            pdpr_i_reconstruct_options o = {50, wanted, PDPR_I_SYMMETRISE_SUM, 0};
            pdpr_graph *g = NULL;
            assert_ok(ways[way](ctx, &score, &key, &o, &g, NULL));
            assert_true(pdpr_i_graph_is_valid(g));
            assert_false(pdpr_graph_is_directed(g));
            if (wanted >= N)
                assert_int_equal(pdpr_graph_num_edges(g), wanted);
            else
                assert_in_range(pdpr_graph_num_edges(g), N / 2, N);
            for (uint32_t u = 0; u < N; u++)
                assert_true(pdpr_i_degree(g, u) >= 1);
            pdpr_graph_free(g);
        }
    pdpr_i_score_clear(&score);
    pdpr_context_free(ctx);
}

static void reconstruction_is_the_same_for_any_thread_count(void **state)
{
    (void)state;
    enum { N = 700, R = 8 };
    static float v[N * R];
    pdpr_i_key key = seeded_key(6);
    fill(N * R, 0.6, v);
    for (int way = 0; way < 2; way++) {
        pdpr_graph *g[3] = {NULL, NULL, NULL};
        for (int run = 0; run < 3; run++) {
            pdpr_context *ctx = test_context(run == 1 ? 4 : 1);
            pdpr_i_score score;
            pdpr_i_reconstruct_options o = {40, 2000, PDPR_I_SYMMETRISE_SUM, run == 2};
            assert_ok(pdpr_i_score_init(ctx, v, N, R, &score, NULL));
            assert_ok(ways[way](ctx, &score, &key, &o, &g[run], NULL));
            pdpr_i_score_clear(&score);
            pdpr_context_free(ctx);
        }
        assert_int_equal(g[0]->num_arcs, g[1]->num_arcs);
        assert_memory_equal(g[0]->target, g[1]->target, g[0]->num_arcs * sizeof(uint32_t));
        assert_memory_equal(g[0]->offset, g[1]->offset, (N + 1) * sizeof(uint64_t));
        assert_memory_not_equal(g[0]->target, g[2]->target, g[0]->num_arcs * sizeof(uint32_t));
        for (int run = 0; run < 3; run++)
            pdpr_graph_free(g[run]);
    }
}

/* Vectors so long that every node draws itself: no scores, no edges, and an end. */
static void reconstruction_without_scores_has_no_edges(void **state)
{
    (void)state;
    enum { N = 12 };
    float v[N * N] = {0};
    pdpr_context *ctx = test_context(1);
    pdpr_i_key key = seeded_key(7);
    for (int i = 0; i < N; i++)
        v[i * N + i] = 100;
    pdpr_i_score score;
    assert_ok(pdpr_i_score_init(ctx, v, N, N, &score, NULL));
    for (int way = 0; way < 2; way++) {
        pdpr_i_reconstruct_options o = {9, 20, PDPR_I_SYMMETRISE_SUM, 0};
        pdpr_graph *g = NULL;
        assert_ok(ways[way](ctx, &score, &key, &o, &g, NULL));
        assert_int_equal(pdpr_graph_num_edges(g), 0);
        pdpr_graph_free(g);
    }
    pdpr_i_score_clear(&score);
    pdpr_context_free(ctx);
}

static void reconstruction_of_more_edges_than_scores_gives_all_scores(void **state)
{
    (void)state;
    enum { N = 20 };
    float v[N] = {0};
    pdpr_context *ctx = test_context(1);
    pdpr_i_key key = seeded_key(8);
    for (int symmetrise = 0; symmetrise < 2; symmetrise++) {
        pdpr_i_reconstruct_options o = {400, UINT64_MAX, (pdpr_i_symmetrise)symmetrise, 0};
        pdpr_graph *g = NULL;
        assert_ok(pdpr_i_reconstruct(ctx, v, N, 1, &key, &o, &g, NULL));
        assert_int_equal(pdpr_graph_num_edges(g), N * (N - 1) / 2); /* each pair drawn surely */
        pdpr_graph_free(g);
    }
    pdpr_context_free(ctx);
}

static void reconstruction_takes_tokens_for_short_vectors_and_counts_for_long(void **state)
{
    (void)state;
    enum { N = 200, R = 4 };
    static float v[N * R];
    pdpr_context *ctx = test_context(1);
    pdpr_i_key key = seeded_key(9);
    for (int size = 0; size < 3; size++) {
        pdpr_i_reconstruct_options o = {100, 500, PDPR_I_SYMMETRISE_SUM, 0};
        if (size == 2) /* the maximum is not known from tokens */
            o.symmetrise = PDPR_I_SYMMETRISE_MAX;
        fill(N * R, size == 1 ? 3 : 0.1, v);
        pdpr_graph *g = NULL, *expected = NULL;
        pdpr_i_score score;
        assert_ok(pdpr_i_score_init(ctx, v, N, R, &score, NULL));
        assert_ok(pdpr_i_reconstruct(ctx, v, N, R, &key, &o, &g, NULL));
        assert_ok(ways[size > 0](ctx, &score, &key, &o, &expected, NULL));
        assert_int_equal(g->num_arcs, expected->num_arcs);
        assert_memory_equal(g->target, expected->target, g->num_arcs * sizeof(uint32_t));
        pdpr_graph_free(g);
        pdpr_graph_free(expected);
        pdpr_i_score_clear(&score);
    }
    pdpr_context_free(ctx);
}

static void reconstruction_of_one_node_is_one_node(void **state)
{
    (void)state;
    const float v[2] = {1, 2};
    pdpr_context *ctx = test_context(1);
    pdpr_i_key key = seeded_key(1);
    pdpr_i_reconstruct_options o = {3, 5, PDPR_I_SYMMETRISE_SUM, 0};
    pdpr_graph *g = NULL;
    assert_ok(pdpr_i_reconstruct(ctx, v, 1, 2, &key, &o, &g, NULL));
    assert_int_equal(pdpr_graph_num_nodes(g), 1);
    assert_int_equal(pdpr_graph_num_edges(g), 0);
    pdpr_graph_free(g);
    pdpr_context_free(ctx);
}

static void reconstruction_options_out_of_range_are_refused(void **state)
{
    (void)state;
    pdpr_context *ctx = test_context(1);
    pdpr_i_key key = seeded_key(1);
    pdpr_graph *g = NULL;
    pdpr_error err;
    float v[4] = {1, 2, 3, 4};
    pdpr_i_reconstruct_options good = {3, 1, PDPR_I_SYMMETRISE_SUM, 0}, o;
#define REFUSED(rows, change, line)                                                             \
    do {                                                                                        \
        o = good;                                                                               \
        change;                                                                                 \
        assert_int_equal(pdpr_i_reconstruct(ctx, v, rows, 2, &key, &o, &g, &err), PDPR_EUSAGE); \
        assert_string_equal(err.text, line);                                                    \
        assert_null(g);                                                                         \
    } while (0)
    REFUSED(2, o.rounds = 0, "score rounds: expected 1 to 2^62 / N, found 0");
    REFUSED(2, o.rounds = UINT64_C(1) << 62,
            "score rounds: expected 1 to 2^62 / N, found 4611686018427387904");
    REFUSED(2, o.symmetrise = (pdpr_i_symmetrise)2, "symmetrise: expected sum or max, found 2");
    REFUSED(2, o.sample = 1 << 23, "number of the graph: expected below 2^23, found 8388608");
    REFUSED(0, (void)0, "embedding: expected at least one row and one column, found 0 x 2");
    v[3] = NAN;
    REFUSED(2, (void)0, "embedding: expected finite numbers, found nan in row 1");
#undef REFUSED
    pdpr_context_free(ctx);
}

static void reconstruction_cancelled_says_so(void **state)
{
    (void)state;
    float v[40] = {0};
    pdpr_context *ctx = test_context(1);
    pdpr_i_key key = seeded_key(1);
    pdpr_graph *g = NULL;
    pdpr_i_score score;
    pdpr_i_reconstruct_options o = {3, 5, PDPR_I_SYMMETRISE_SUM, 0};
    assert_ok(pdpr_i_score_init(ctx, v, 40, 1, &score, NULL));
    pdpr_context_cancel(ctx);
    for (int way = 0; way < 2; way++)
        assert_int_equal(ways[way](ctx, &score, &key, &o, &g, NULL), PDPR_ECANCELLED);
    assert_null(g);
    pdpr_i_score_clear(&score);
    pdpr_context_free(ctx);
}

static void reconstruction_survives_every_allocation_failure(void **state)
{
    (void)state;
    enum { N = 600 }; /* so many that edges, tokens and batches have to grow */
    static float v[N * 2];
    pdpr_context *ctx = test_context(2);
    pdpr_i_key key = seeded_key(4);
    pdpr_status status;
    fill(N * 2, 0.2, v);
    for (int symmetrise = 0; symmetrise < 2; symmetrise++) {
        pdpr_i_reconstruct_options o = {30, 1500, (pdpr_i_symmetrise)symmetrise, 0};
        FOR_EACH_ALLOCATION_FAILURE(ctx, status, {
            pdpr_graph *g = NULL;
            status = pdpr_i_reconstruct(ctx, v, N, 2, &key, &o, &g, NULL);
            pdpr_graph_free(g);
        });
    }
    pdpr_context_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bounds_hold_for_vectors_of_any_size),
        cmocka_unit_test(draws_follow_the_softmax_by_rejection_and_by_row),
        cmocka_unit_test(draws_of_far_apart_vectors_end),
        cmocka_unit_test(reconstruction_gives_the_wanted_edges_and_leaves_no_node_alone),
        cmocka_unit_test(reconstruction_is_the_same_for_any_thread_count),
        cmocka_unit_test(reconstruction_without_scores_has_no_edges),
        cmocka_unit_test(reconstruction_of_more_edges_than_scores_gives_all_scores),
        cmocka_unit_test(reconstruction_takes_tokens_for_short_vectors_and_counts_for_long),
        cmocka_unit_test(reconstruction_of_one_node_is_one_node),
        cmocka_unit_test(reconstruction_options_out_of_range_are_refused),
        cmocka_unit_test(reconstruction_cancelled_says_so),
        cmocka_unit_test(reconstruction_survives_every_allocation_failure),
    };
    return cmocka_run_group_tests_name("dpr reconstruct", tests, NULL, NULL);
}
