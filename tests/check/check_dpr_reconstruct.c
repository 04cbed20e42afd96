/* Both ways of reconstruction against the definition: a dense score matrix, symmetrised, and edges
 * chosen one after another by their probabilities. The whole graph is compared, as one of
 * 2^(N(N-1)/2) outcomes, by a two-sample chi-square at false-alarm rate 1e-6 with fixed seeds: a
 * wrong joint law shows even where every marginal is right. */
#include "support/support.h"

#include "dpr/dpr.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST = 5, GRAPHS = 1 << (MOST * (MOST - 1) / 2), RUNS = 30000 };

typedef struct {
    uint32_t n, cols;
    float v[MOST * 3];
    pdpr_i_reconstruct_options options;
} example;

/* Number of the pair {i, j} among all, as a bit. */
static uint32_t pair_bit(uint32_t i, uint32_t j)
{
    uint32_t u = i < j ? i : j, v = i < j ? j : i;
    return UINT32_C(1) << (v * (v - 1) / 2 + u);
}

/* An index in proportion to weight[count]; count if all are zero. */
static uint32_t pick(uint32_t count, const double *weight, pdpr_i_stream *random)
{
    double sum = 0;
    for (uint32_t i = 0; i < count; i++)
        sum += weight[i];
    if (sum == 0)
        return count;
    double u = pdpr_i_stream_unit(random) * sum;
    for (uint32_t i = 0; i < count; i++) {
        if (u < weight[i])
            return i;
        u -= weight[i];
    }
    return count - 1;
}

/* The definition, step by step. */
static uint32_t dense_graph(const example *e, pdpr_i_stream *random)
{
    uint32_t n = e->n, graph = 0, edges = 0;
    double counted[MOST][MOST] = {{0}}, score[MOST][MOST] = {{0}}, row[MOST];
    for (uint64_t t = 0; t < e->options.rounds; t++)
        for (uint32_t i = 0; i < n; i++) {
            for (uint32_t j = 0; j < n; j++) {
                double logit = 0;
                for (uint32_t k = 0; k < e->cols; k++)
                    logit += (double)e->v[i * e->cols + k] * e->v[j * e->cols + k];
                row[j] = exp(logit);
            }
            counted[i][pick(n, row, random)]++;
        }
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < n; j++)
            if (i != j)
                score[i][j] = e->options.symmetrise == PDPR_I_SYMMETRISE_MAX
                                  ? fmax(counted[i][j], counted[j][i])
                                  : counted[i][j] + counted[j][i];
    for (uint32_t i = 0; i < n; i++) {
        uint32_t j = pick(n, score[i], random);
        if (j < n && !(graph & pair_bit(i, j))) {
            graph |= pair_bit(i, j);
            edges++;
        }
    }
    while (edges < e->options.num_edges) {
        double left[MOST * MOST];
        for (uint32_t i = 0; i < n; i++)
            for (uint32_t j = 0; j < n; j++)
                left[i * n + j] = i < j && !(graph & pair_bit(i, j)) ? score[i][j] : 0;
        uint32_t at = pick(n * n, left, random);
        if (at == n * n)
            break;
        graph |= pair_bit(at / n, at % n);
        edges++;
    }
    return graph;
}

typedef pdpr_status (*reconstruction)(pdpr_context *, const pdpr_i_score *, const pdpr_i_key *,
                                      const pdpr_i_reconstruct_options *, pdpr_graph **,
                                      pdpr_error *);

static uint32_t library_graph(pdpr_context *ctx, const example *e, const pdpr_i_score *score,
                              reconstruction way, const pdpr_i_key *key)
{
    pdpr_graph *g = NULL;
    uint32_t graph = 0;
    assert_ok(way(ctx, score, key, &e->options, &g, NULL));
    for (uint32_t u = 0; u < e->n; u++)
        for (uint64_t i = g->offset[u]; i < g->offset[u + 1]; i++)
            graph |= pair_bit(u, g->target[i]);
    pdpr_graph_free(g);
    return graph;
}

/* 1e-6 point of chi-square (Wilson and Hilferty 1931, good to a percent from 3 degrees on). */
static double critical(double freedom)
{
    double a = 2 / (9 * freedom), b = 1 - a + 4.7534 * sqrt(a);
    return freedom * b * b * b;
}

/* Statistic over its 1e-6 point; classes with fewer than 20 in both samples together are pooled. */
static double discrepancy(const double *a, const double *b, double *classes)
{
    double chi = 0, rare_a = 0, rare_b = 0, freedom = -1;
    for (int g = 0; g < GRAPHS; g++) {
        if (a[g] + b[g] >= 20) {
            chi += (a[g] - b[g]) * (a[g] - b[g]) / (a[g] + b[g]);
            freedom++;
        } else {
            rare_a += a[g];
            rare_b += b[g];
        }
    }
    if (rare_a + rare_b > 0) {
        chi += (rare_a - rare_b) * (rare_a - rare_b) / (rare_a + rare_b);
        freedom++;
    }
    *classes = freedom + 1;
    return freedom < 1 ? 0 : chi / critical(freedom);
}

static void compare(const example *e, reconstruction way, const char *name)
{
    static double dense[GRAPHS], sparse[GRAPHS];
    double classes;
    pdpr_context *ctx = test_context(1);
    pdpr_i_key key;
    pdpr_i_stream random;
    pdpr_i_score score;
    memset(dense, 0, sizeof dense);
    memset(sparse, 0, sizeof sparse);
    pdpr_i_key_from_seed(1, &key);
    pdpr_i_stream_init(&random, &key, PDPR_I_PURPOSE_TEST, 0);
    assert_ok(pdpr_i_score_init(ctx, e->v, e->n, e->cols, &score, NULL));
    example each = *e;
    for (uint64_t run = 0; run < RUNS; run++) {
        each.options.sample = run;
        dense[dense_graph(e, &random)]++;
        sparse[library_graph(ctx, &each, &score, way, &key)]++;
    }
    double ratio = discrepancy(dense, sparse, &classes);
    printf("%s, N = %u, %llu rounds, %lld edges: %g classes, chi-square %.2f of its 1e-6 point\n",
           name, e->n, (unsigned long long)e->options.rounds, (long long)e->options.num_edges,
           classes, ratio);
    assert_true(ratio < 1);
    pdpr_i_score_clear(&score);
    pdpr_context_free(ctx);
}

/* Logits small, moderate, and large enough that most draws are the node itself. */
static const example examples[] = {
    {3, 1, {0.5F, -1, 1.2F}, {1, 0, PDPR_I_SYMMETRISE_SUM, 0}},
    {3, 1, {0.5F, -1, 1.2F}, {4, 2, PDPR_I_SYMMETRISE_SUM, 0}},
    {4, 2, {0.3F, 0.1F, -0.2F, 0.5F, 0.9F, 0.2F, -0.4F, 0.1F}, {1, 3, PDPR_I_SYMMETRISE_SUM, 0}},
    {4, 2, {0.3F, 0.1F, -0.2F, 0.5F, 0.9F, 1.2F, -0.4F, 0.1F}, {3, 0, PDPR_I_SYMMETRISE_SUM, 0}},
    {4, 2, {0.3F, 0.1F, -0.2F, 0.5F, 0.9F, 1.2F, -0.4F, 0.1F}, {5, 5, PDPR_I_SYMMETRISE_SUM, 0}},
    /* one that all draw and that draws itself: own tokens and hits differ as much as they can */
    {5, 1, {2.5F, 0.7F, 0.8F, 0.9F, -0.3F}, {3, 0, PDPR_I_SYMMETRISE_SUM, 0}},
    {4, 2, {2, 0.1F, -0.2F, 1.5F, 1.9F, 1.2F, -0.4F, 2.1F}, {3, 4, PDPR_I_SYMMETRISE_SUM, 0}},
    {5,
     3,
     {0.3F, 0.1F, -0.2F, 0.5F, 0.9F, 1.2F, -0.4F, 0.1F, 0.7F, 1, -1, 0.2F, 0.1F, 0.6F, 0.8F},
     {2, 5, PDPR_I_SYMMETRISE_SUM, 0}},
    {5,
     3,
     {0.3F, 0.1F, -0.2F, 0.5F, 0.9F, 1.2F, -0.4F, 0.1F, 0.7F, 1, -1, 0.2F, 0.1F, 0.6F, 0.8F},
     {4, UINT64_MAX, PDPR_I_SYMMETRISE_SUM, 0}},
};
enum { EXAMPLES = sizeof examples / sizeof *examples };

static void tokens_have_the_law_of_the_dense_reference(void **state)
{
    (void)state;
    for (int i = 0; i < EXAMPLES; i++)
        compare(&examples[i], pdpr_i_reconstruct_by_tokens, "tokens, sum");
}

static void counts_have_the_law_of_the_dense_reference(void **state)
{
    (void)state;
    for (int i = 0; i < EXAMPLES; i++)
        compare(&examples[i], pdpr_i_reconstruct_by_counts, "counts, sum");
}

static void counts_by_maximum_have_the_law_of_the_dense_reference(void **state)
{
    (void)state;
    for (int i = 0; i < EXAMPLES; i++) {
        example e = examples[i];
        e.options.symmetrise = PDPR_I_SYMMETRISE_MAX;
        compare(&e, pdpr_i_reconstruct_by_counts, "counts, max");
    }
}

/* On 300 nodes the clocks stop long before all tokens have rung. There the two ways are compared
 * with each other in the means of four figures, two-sided at 1e-6 (4.9 standard errors): edges of
 * the partners alone, how many of them lie among the shorter half of the vectors, the degree of the
 * longest vector, and edges among the shorter half when 500 edges are wanted. */
enum { N = 300, FIGURES = 4, LARGE_RUNS = 1000 };

static double edges_among_shorter(const pdpr_graph *g)
{
    double count = 0;
    for (uint32_t u = 0; u < N / 2; u++)
        for (uint64_t i = g->offset[u]; i < g->offset[u + 1]; i++)
            count += g->target[i] < u;
    return count;
}

static void tokens_and_counts_agree_on_a_larger_graph(void **state)
{
    (void)state;
    const reconstruction ways[] = {pdpr_i_reconstruct_by_tokens, pdpr_i_reconstruct_by_counts};
    double sum[2][FIGURES] = {{0}}, squares[2][FIGURES] = {{0}};
    float v[N];
    for (int i = 0; i < N; i++)
        v[i] = 3 * (float)i / N;
    pdpr_context *ctx = test_context(1);
    pdpr_i_key key;
    pdpr_i_score score;
    pdpr_i_key_from_seed(2, &key);
    assert_ok(pdpr_i_score_init(ctx, v, N, 1, &score, NULL));
    for (int way = 0; way < 2; way++)
        for (uint64_t run = 0; run < LARGE_RUNS; run++) {
            pdpr_i_reconstruct_options o = {50, 0, PDPR_I_SYMMETRISE_SUM, run};
            pdpr_graph *partners = NULL, *whole = NULL;
            assert_ok(ways[way](ctx, &score, &key, &o, &partners, NULL));
            o.num_edges = 500;
            assert_ok(ways[way](ctx, &score, &key, &o, &whole, NULL));
            assert_int_equal(pdpr_graph_num_edges(whole), 500);
            const double figure[FIGURES] = {
                (double)pdpr_graph_num_edges(partners), edges_among_shorter(partners),
                (double)pdpr_i_degree(partners, N - 1), edges_among_shorter(whole)};
            for (int k = 0; k < FIGURES; k++) {
                sum[way][k] += figure[k];
                squares[way][k] += figure[k] * figure[k];
            }
            pdpr_graph_free(partners);
            pdpr_graph_free(whole);
        }
    for (int k = 0; k < FIGURES; k++) {
        double mean[2], variance = 0;
        for (int way = 0; way < 2; way++) {
            mean[way] = sum[way][k] / LARGE_RUNS;
            variance += squares[way][k] / LARGE_RUNS - mean[way] * mean[way];
        }
        double z = (mean[0] - mean[1]) / sqrt(variance / LARGE_RUNS);
        printf("figure %d: means %.3f and %.3f, %.2f standard errors apart\n", k, mean[0], mean[1],
               z);
        assert_true(fabs(z) < 4.9);
    }
    pdpr_i_score_clear(&score);
    pdpr_context_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tokens_have_the_law_of_the_dense_reference),
        cmocka_unit_test(counts_have_the_law_of_the_dense_reference),
        cmocka_unit_test(counts_by_maximum_have_the_law_of_the_dense_reference),
        cmocka_unit_test(tokens_and_counts_agree_on_a_larger_graph),
    };
    return cmocka_run_group_tests_name("check reconstruction", tests, NULL, NULL);
}
