/* The mixing matrix of a public partition: one projection for each class of edges.
 *
 * Edges between blocks a and b are projected with a cap of their own, so a node has one counter for
 * each block. One common projection would not do: only its degrees are stable, not which edges it
 * keeps (docs/proofs/projection.md, Remark 2). All classes share the scan of one public order,
 * which is the same as scanning each by itself.
 *
 * Source: BLUEPRINT_REVIEW 6.2. Cost: O(N + m) for each order. */
#include "blueprint/measure_mixing.h"
#include "blueprint/measure_projection.h"

#include <string.h>

uint64_t pdpr_i_mixing_sensitivity(const pdpr_i_partition *partition)
{
    uint64_t most = 0, blocks = partition->num_blocks;
    for (uint64_t a = 0; a < blocks; a++) {
        uint64_t sum = 0;
        for (uint64_t b = 0; b < blocks; b++)
            sum += partition->cap[a * blocks + b];
        most = sum > most ? sum : most;
    }
    return most;
}

static pdpr_status check_partition(const pdpr_graph *g, uint32_t num_orders,
                                   const pdpr_i_partition *p, pdpr_error *err)
{
    uint64_t blocks = p->num_blocks;

    if (num_orders == 0)
        return pdpr_i_fail(err, PDPR_EUSAGE, "mixing: expected at least one order, found 0");
    for (uint32_t u = 0; u < g->num_nodes; u++)
        if (p->block[u] >= blocks)
            return pdpr_i_fail(err, PDPR_EUSAGE,
                               "mixing: expected blocks below %" PRIu64 ", found %" PRIu32
                               " at node %" PRIu32,
                               blocks, p->block[u], u);
    for (uint64_t a = 0; a < blocks; a++)
        for (uint64_t b = 0; b < a; b++)
            if (p->cap[a * blocks + b] != p->cap[b * blocks + a])
                return pdpr_i_fail(err, PDPR_EUSAGE,
                                   "mixing: expected symmetric caps, found %" PRIu32 " and %" PRIu32
                                   " for blocks %" PRIu64 " and %" PRIu64,
                                   p->cap[a * blocks + b], p->cap[b * blocks + a], a, b);
    return PDPR_OK;
}

/* Adds one order's counts to edges[a][b], a <= b. kept is [N][num_blocks]. */
static void scan(const pdpr_i_pair_order *order, const pdpr_i_partition *p, uint32_t num_nodes,
                 uint32_t *kept, uint64_t *edges)
{
    uint64_t blocks = p->num_blocks;
    memset(kept, 0, num_nodes * blocks * sizeof *kept);
    for (uint64_t i = 0; i < order->count; i++) {
        uint32_t u = order->pair[2 * i], w = order->pair[2 * i + 1];
        uint32_t a = p->block[u], b = p->block[w], cap = p->cap[a * blocks + b];
        uint32_t *of_u = &kept[u * blocks + b], *of_w = &kept[w * blocks + a];
        if (*of_u >= cap || *of_w >= cap)
            continue;
        ++*of_u;
        ++*of_w;
        edges[(a < b ? a : b) * blocks + (a < b ? b : a)]++;
    }
}

pdpr_status pdpr_i_mixing_measure(pdpr_context *ctx, const pdpr_graph *g, uint64_t public_seed,
                                  uint32_t num_orders, const pdpr_i_partition *partition,
                                  uint64_t *edges, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    pdpr_i_pair_order order = {0};
    uint64_t blocks = partition->num_blocks, *sum = NULL;
    uint32_t *kept = NULL;

    PDPR_TRY(check_partition(g, num_orders, partition, err));
    PDPR_TRY(pdpr_i_zalloc(ctx, blocks * blocks, sizeof *sum, "mixing matrix", &sum, err));
    PDPR_TRY(pdpr_i_alloc(ctx, g->num_nodes * blocks, sizeof *kept, "mixing counters", &kept, err));
    for (uint32_t r = 0; r < num_orders; r++) {
        pdpr_i_pair_order_clear(&order);
        PDPR_TRY(pdpr_i_pair_order_init(ctx, g, public_seed, r, &order, err));
        scan(&order, partition, g->num_nodes, kept, sum);
        pdpr_i_progress(ctx, "mixing", (uint64_t)r + 1, num_orders);
    }
    for (uint64_t a = 0; a < blocks; a++)
        for (uint64_t b = a; b < blocks; b++)
            edges[a * blocks + b] = edges[b * blocks + a] = sum[a * blocks + b];
done:
    pdpr_i_pair_order_clear(&order);
    pdpr_free(sum);
    pdpr_free(kept);
    return s;
}
