/* Sensitivity by brute force. */
#include "support/neighbours.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST_ROWS = 128, MOST_LENGTH = 256 };

double test_distance_by_cap(const int64_t *a, const int64_t *b, uint32_t caps, double unit,
                            double slack)
{
    double worst = 0;
    for (uint32_t cap = 1; cap <= caps; cap++) {
        double d = fabs((double)(a[cap - 1] - b[cap - 1])) / (cap * unit + slack);
        worst = d > worst ? d : worst;
    }
    return worst;
}

void test_stream(pdpr_i_stream *random, uint64_t index)
{
    pdpr_i_key key;
    pdpr_i_key_from_seed(20240613, &key);
    pdpr_i_stream_init(random, &key, PDPR_I_PURPOSE_TEST, index);
}

pdpr_graph *test_graph_of_bits(pdpr_context *ctx, uint32_t n, uint32_t base, uint32_t row)
{
    uint32_t pairs[2 * 28];
    uint64_t count = 0;
    unsigned bit = 0;
    for (uint32_t w = 1; w + 1 < n; w++)
        for (uint32_t u = 0; u < w; u++, bit++)
            if (base >> bit & 1) {
                pairs[2 * count] = u;
                pairs[2 * count++ + 1] = w;
            }
    for (uint32_t u = 0; u + 1 < n; u++)
        if (row >> u & 1) {
            pairs[2 * count] = u;
            pairs[2 * count++ + 1] = n - 1;
        }
    return test_graph(ctx, n, pairs, count);
}

pdpr_graph *test_graph_without(pdpr_context *ctx, const pdpr_graph *g, uint32_t v)
{
    uint32_t *pairs = malloc((size_t)g->num_arcs * sizeof *pairs + 1);
    uint64_t count = 0;
    assert_non_null(pairs);
    for (uint32_t u = 0; u < g->num_nodes; u++)
        for (uint64_t i = g->offset[u]; i < g->offset[u + 1]; i++)
            if (u < g->target[i] && u != v && g->target[i] != v) {
                pairs[2 * count] = u;
                pairs[2 * count++ + 1] = g->target[i];
            }
    pdpr_graph *rest = test_graph(ctx, g->num_nodes, pairs, count);
    free(pairs);
    return rest;
}

/* The worst pair among the given rows of one base. */
static double worst_pair(pdpr_context *ctx, const test_query *q, uint32_t n, uint32_t base,
                         const uint32_t *row, uint32_t rows, uint64_t seed)
{
    static int64_t value[MOST_ROWS][MOST_LENGTH];
    double worst = 0;
    for (uint32_t i = 0; i < rows; i++) {
        pdpr_graph *g = test_graph_of_bits(ctx, n, base, row[i]);
        q->measure(ctx, g, seed, value[i]);
        pdpr_graph_free(g);
        for (uint32_t j = 0; j < i; j++) {
            double d = q->distance(value[i], value[j]);
            if (d > 1)
                fail_msg("%s: distance %.4f with n %u base %#x rows %#x and %#x seed %u", q->name,
                         d, n, base, row[i], row[j], (unsigned)seed);
            worst = d > worst ? d : worst;
        }
    }
    return worst;
}

void test_sensitivity(pdpr_context *ctx, const test_query *q, uint32_t all_up_to, uint32_t most,
                      uint32_t sampled)
{
    pdpr_i_stream random;
    double worst = 0;
    test_stream(&random, q->length);
    assert_true(q->length <= MOST_LENGTH);

    for (uint32_t n = 2; n <= most; n++) {
        uint32_t bits = (n - 1) * (n - 2) / 2, all_rows = 1U << (n - 1);
        uint32_t bases = n <= all_up_to ? 1U << bits : sampled;
        uint32_t rows = all_rows < 64 ? all_rows : 12, row[MOST_ROWS];
        for (uint32_t b = 0; b < bases; b++) {
            uint32_t base =
                n <= all_up_to ? b : (uint32_t)pdpr_i_stream_below(&random, 1ULL << bits);
            for (uint32_t i = 0; i < rows; i++)
                row[i] = rows == all_rows ? i
                         : i == 0         ? 0
                         : i == 1         ? all_rows - 1
                                          : (uint32_t)pdpr_i_stream_below(&random, all_rows);
            double d = worst_pair(ctx, q, n, base, row, rows, b);
            worst = d > worst ? d : worst;
        }
    }
    printf("%s: largest observed / claimed %.4f\n", q->name, worst);
    if (q->tight && worst < 1)
        fail_msg("%s: expected a pair that reaches the bound, found %.4f", q->name, worst);
}
