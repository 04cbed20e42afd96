/* G(N, m), the null model: m distinct pairs, every set of m pairs equally likely.
 *
 * Pairs are drawn as indices below N(N-1)/2 and repeats drawn again, which is uniform over sets.
 * Above half of all pairs the complement is drawn instead, so that a draw succeeds at least every
 * second time. Cost: O(N + m) expected, 24 bytes per edge while drawing. */
#include "generate/generate.h"

#include <math.h>
#include <string.h>

/* A set of numbers below 2^63, open addressing; an entry holds number + 1, 0 is free. */
typedef struct {
    uint64_t *slot, mask;
} number_set;

static pdpr_status set_init(pdpr_context *ctx, uint64_t capacity, number_set *set, pdpr_error *err)
{
    uint64_t slots = 16;
    while (slots < 2 * capacity)
        slots *= 2;
    set->mask = slots - 1;
    return pdpr_i_zalloc(ctx, slots, sizeof *set->slot, "edges drawn", &set->slot, err);
}

/* Returns false if it was there already. */
static bool set_add(number_set *set, uint64_t number)
{
    uint64_t at = (number * UINT64_C(0x9E3779B97F4A7C15)) >> 20 & set->mask;
    while (set->slot[at] != 0) {
        if (set->slot[at] == number + 1)
            return false;
        at = (at + 1) & set->mask;
    }
    set->slot[at] = number + 1;
    return true;
}

static bool set_has(const number_set *set, uint64_t number)
{
    uint64_t at = (number * UINT64_C(0x9E3779B97F4A7C15)) >> 20 & set->mask;
    while (set->slot[at] != 0 && set->slot[at] != number + 1)
        at = (at + 1) & set->mask;
    return set->slot[at] != 0;
}

/* Pair number k is (u, v), u < v, with k = v(v-1)/2 + u. */
static void unrank_pair(uint64_t k, uint32_t *pair)
{
    uint64_t v = (uint64_t)((1.0 + sqrt(1.0 + 8.0 * (double)k)) / 2.0);
    while (v * (v - 1) / 2 > k) /* the square root may be off by one */
        v--;
    while (v * (v + 1) / 2 <= k)
        v++;
    pair[0] = (uint32_t)(k - v * (v - 1) / 2);
    pair[1] = (uint32_t)v;
}

pdpr_status pdpr_generate_gnm(pdpr_context *ctx, uint32_t num_nodes, uint64_t num_edges,
                              uint64_t seed, pdpr_graph **out, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    uint64_t all = num_nodes ? (uint64_t)num_nodes * (num_nodes - 1) / 2 : 0;
    bool complement = num_edges > all / 2;
    uint64_t drawn = complement ? all - num_edges : num_edges, count = 0;
    number_set set = {0};
    uint32_t *pairs = NULL;
    pdpr_i_key key;
    pdpr_i_stream random;

    if (num_edges > all)
        return pdpr_i_fail(err, PDPR_EUSAGE,
                           "G(N, m): %" PRIu32 " nodes have at most %" PRIu64
                           " edges, found m = %" PRIu64,
                           num_nodes, all, num_edges);
    pdpr_i_key_from_seed(seed, &key);
    pdpr_i_stream_init(&random, &key, PDPR_I_PURPOSE_NULL_MODEL, 0);
    PDPR_TRY(set_init(ctx, drawn, &set, err));
    PDPR_TRY(pdpr_i_alloc(ctx, num_edges, 2 * sizeof *pairs, "edges drawn", &pairs, err));

    for (uint64_t i = 0; i < drawn; i++) {
        uint64_t k;
        if (i % 65536 == 0)
            PDPR_TRY(pdpr_i_check_cancelled(ctx, err));
        do
            k = pdpr_i_stream_below(&random, all);
        while (!set_add(&set, k));
        if (!complement)
            unrank_pair(k, pairs + 2 * count++);
    }
    if (complement)
        for (uint64_t k = 0; k < all; k++)
            if (!set_has(&set, k))
                unrank_pair(k, pairs + 2 * count++);
    PDPR_TRY(pdpr_graph_from_pairs(ctx, num_nodes, pairs, count, false, out, err));
done:
    pdpr_free(set.slot);
    pdpr_free(pairs);
    return s;
}
