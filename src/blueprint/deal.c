/* Dealing degrees and places to nodes.
 *
 * Scores are ordered by their upper 32 bits as single-precision numbers: a radix sort of integers
 * that gives the same order on every machine, O(N). What single precision cannot tell apart is
 * dealt by chance, like equal scores. */
#include "blueprint/deal.h"
#include "base/sort.h"

#include <string.h>

pdpr_status pdpr_i_degree_counts_init(pdpr_context *ctx, const uint32_t *degree, uint32_t num_nodes,
                                      pdpr_i_degree_counts *out, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    pdpr_i_degree_counts counts = {0};
    uint32_t *histogram = NULL, top = 0;

    for (uint32_t u = 0; u < num_nodes; u++)
        top = degree[u] > top ? degree[u] : top;
    PDPR_TRY(
        pdpr_i_zalloc(ctx, (uint64_t)top + 1, sizeof *histogram, "degree counts", &histogram, err));
    for (uint32_t u = 0; u < num_nodes; u++)
        histogram[degree[u]]++;
    for (uint64_t d = 0; d <= top; d++)
        counts.length += histogram[d] > 0;
    PDPR_TRY(pdpr_i_alloc(ctx, counts.length, sizeof *counts.degree, "degree counts",
                          &counts.degree, err));
    PDPR_TRY(pdpr_i_alloc(ctx, counts.length, sizeof *counts.nodes, "degree counts", &counts.nodes,
                          err));
    uint64_t at = 0;
    for (uint64_t d = (uint64_t)top + 1; d-- > 0;)
        if (histogram[d] > 0) {
            counts.degree[at] = (uint32_t)d;
            counts.nodes[at++] = histogram[d];
        }
    *out = counts;
    counts = (pdpr_i_degree_counts){0};
done:
    pdpr_free(histogram);
    pdpr_i_degree_counts_clear(&counts);
    return s;
}

void pdpr_i_degree_counts_clear(pdpr_i_degree_counts *counts)
{
    pdpr_free(counts->degree);
    pdpr_free(counts->nodes);
    *counts = (pdpr_i_degree_counts){0};
}

bool pdpr_i_degree_counts_spread(const pdpr_i_degree_counts *counts, uint32_t num_nodes,
                                 uint32_t *degree)
{
    uint64_t at = 0;
    for (uint64_t k = 0; k < counts->length; k++) {
        uint32_t d = counts->degree[k];
        if (d >= num_nodes || (k > 0 && d >= counts->degree[k - 1]) ||
            counts->nodes[k] > num_nodes - at)
            return false;
        for (uint32_t i = 0; i < counts->nodes[k]; i++)
            degree[at++] = d;
    }
    return at == num_nodes;
}

void pdpr_i_deal_by_chance(uint32_t *item, uint64_t count, pdpr_i_stream *random)
{
    for (uint64_t i = count; i > 1; i--) {
        uint64_t j = pdpr_i_stream_below(random, i);
        uint32_t t = item[i - 1];
        item[i - 1] = item[j];
        item[j] = t;
    }
}

/* A key that falls as the number rises: the bits of a float are ordered like integers once the
 * negative ones are turned around. */
static uint32_t falling_key(double score)
{
    float number = (float)score;
    uint32_t bits;
    if (number == 0)
        number = 0; /* -0 is 0 */
    memcpy(&bits, &number, sizeof bits);
    return ~(bits >> 31 ? ~bits : bits | UINT32_C(1) << 31);
}

pdpr_status pdpr_i_deal_order(pdpr_context *ctx, const double *score, uint32_t num_nodes,
                              pdpr_i_stream *random, uint32_t *node, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    uint64_t *item = NULL, *scratch = NULL;

    PDPR_TRY(pdpr_i_alloc(ctx, num_nodes, sizeof *item, "order of nodes", &item, err));
    PDPR_TRY(pdpr_i_alloc(ctx, num_nodes, sizeof *scratch, "order of nodes", &scratch, err));
    for (uint32_t u = 0; u < num_nodes; u++)
        node[u] = u;
    pdpr_i_deal_by_chance(node, num_nodes, random); /* the order of equal ones */
    for (uint32_t i = 0; i < num_nodes; i++)
        item[i] = (uint64_t)falling_key(score[node[i]]) << 32 | node[i];
    pdpr_i_sort_by_high(item, scratch, num_nodes);
    for (uint32_t i = 0; i < num_nodes; i++)
        node[i] = (uint32_t)item[i];
done:
    pdpr_free(item);
    pdpr_free(scratch);
    return s;
}

pdpr_status pdpr_i_deal_places(pdpr_context *ctx, const uint32_t *node, uint32_t num_nodes,
                               pdpr_i_stream *random, uint32_t *place, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    uint64_t *item = NULL, *scratch = NULL;

    PDPR_TRY(pdpr_i_alloc(ctx, num_nodes, sizeof *item, "places", &item, err));
    PDPR_TRY(pdpr_i_alloc(ctx, num_nodes, sizeof *scratch, "places", &scratch, err));
    pdpr_i_stream_words(random, item, num_nodes);
    pdpr_i_sort_by_high(item, scratch, num_nodes);
    for (uint32_t i = 0; i < num_nodes; i++)
        place[node[i]] = (uint32_t)(item[i] >> 32);
done:
    pdpr_free(item);
    pdpr_free(scratch);
    return s;
}
