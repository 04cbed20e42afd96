/* The edge-addition projection (after Day, Li and Lyu 2016) over a keyed public order.
 *
 * Pairs are numbered by SipHash of their two ids under a public salt and sorted by (number, ids).
 * Edges leave the CSR arrays in the order of their ids already, so a stable radix sort by the
 * number alone breaks ties by the ids: position in the input never decides, which would void the
 * sensitivity proof (BLUEPRINT_REVIEW, M8). One order serves a whole ladder of caps: each cap is a
 * scan of its own, and scans run in parallel.
 *
 * Cost: O(N + m) for an order (eight passes of a byte each, passes that move nothing are left out)
 * and O(N + m) for a scan. Contract and sensitivity: measure_projection.h. */
#include "blueprint/measure_projection.h"
#include "dp/random_stream.h"

#include <sodium.h>
#include <string.h>

enum { NODES_PER_CHUNK = 1 << 12 };

/* ---------------------------------------------------------------- the order */

typedef struct {
    uint64_t key;
    uint32_t low, high;
} keyed_pair;

typedef struct {
    const pdpr_graph *g;
    pdpr_i_pair_key key;
    const void *arg;
    const uint64_t *start; /* [N + 1]: first pair of each smaller id */
    keyed_pair *pair;
} keying;

/* Neighbours of u with a larger id: their place in the row. */
static uint64_t first_larger(const pdpr_graph *g, uint32_t u)
{
    uint64_t low = g->offset[u], high = g->offset[u + 1];
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (g->target[middle] < u)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static pdpr_status key_pairs(void *arg, uint64_t chunk, uint32_t worker, pdpr_error *err)
{
    (void)worker, (void)err;
    const keying *k = arg;
    const pdpr_graph *g = k->g;
    uint64_t first = chunk * NODES_PER_CHUNK;
    uint64_t last = first + NODES_PER_CHUNK < g->num_nodes ? first + NODES_PER_CHUNK : g->num_nodes;

    for (uint64_t u = first; u < last; u++) {
        uint64_t at = k->start[u], end = g->offset[u + 1];
        for (uint64_t i = end - (k->start[u + 1] - at); i < end; i++, at++)
            k->pair[at] = (keyed_pair){.key = k->key(k->arg, (uint32_t)u, g->target[i]),
                                       .low = (uint32_t)u,
                                       .high = g->target[i]};
    }
    return PDPR_OK;
}

/* Stable, by key, least significant byte first. Returns the buffer that holds the result. */
static pdpr_status sort_by_key(pdpr_context *ctx, keyed_pair *a, keyed_pair *b, uint64_t count,
                               keyed_pair **sorted, pdpr_error *err)
{
    enum { DIGITS = 8, VALUES = 256 };
    uint64_t place[DIGITS][VALUES] = {{0}};

    for (uint64_t i = 0; i < count; i++)
        for (unsigned d = 0; d < DIGITS; d++)
            place[d][a[i].key >> (8 * d) & 255]++;
    for (unsigned d = 0; d < DIGITS; d++) {
        if (count == 0 || place[d][a[0].key >> (8 * d) & 255] == count)
            continue; /* all agree in this byte */
        pdpr_status s = pdpr_i_check_cancelled(ctx, err);
        if (s != PDPR_OK)
            return s;
        uint64_t at = 0;
        for (unsigned value = 0; value < VALUES; value++) {
            uint64_t here = place[d][value];
            place[d][value] = at;
            at += here;
        }
        for (uint64_t i = 0; i < count; i++)
            b[place[d][a[i].key >> (8 * d) & 255]++] = a[i];
        keyed_pair *t = a;
        a = b;
        b = t;
    }
    *sorted = a;
    return PDPR_OK;
}

pdpr_status pdpr_i_pair_order_by_key(pdpr_context *ctx, const pdpr_graph *g, pdpr_i_pair_key key,
                                     const void *arg, pdpr_i_pair_order *out, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    uint64_t *start = NULL;
    keyed_pair *a = NULL, *b = NULL, *sorted = NULL;
    uint32_t *pair = NULL;

    if (g->directed)
        return pdpr_i_fail(err, PDPR_EUSAGE, "projection: expected an undirected graph");
    uint64_t count = g->num_arcs / 2;
    PDPR_TRY(
        pdpr_i_alloc(ctx, (uint64_t)g->num_nodes + 1, sizeof *start, "pair order", &start, err));
    start[0] = 0;
    for (uint32_t u = 0; u < g->num_nodes; u++)
        start[u + 1] = start[u] + (g->offset[u + 1] - first_larger(g, u));
    PDPR_TRY(pdpr_i_alloc(ctx, count, sizeof *a, "pair order", &a, err));
    PDPR_TRY(pdpr_i_alloc(ctx, count, sizeof *b, "pair order", &b, err));

    keying k = {.g = g, .key = key, .arg = arg, .start = start, .pair = a};
    PDPR_TRY(
        pdpr_i_parallel(ctx, pdpr_i_chunks(g->num_nodes, NODES_PER_CHUNK), key_pairs, &k, err));
    PDPR_TRY(sort_by_key(ctx, a, b, count, &sorted, err));
    if (sorted == a) {
        pdpr_free(b);
        b = NULL;
    } else {
        pdpr_free(a);
        a = NULL;
    }
    PDPR_TRY(pdpr_i_alloc(ctx, count, 2 * sizeof *pair, "pair order", &pair, err));
    for (uint64_t i = 0; i < count; i++) {
        pair[2 * i] = sorted[i].low;
        pair[2 * i + 1] = sorted[i].high;
    }
    *out = (pdpr_i_pair_order){.count = count, .pair = pair};
done:
    pdpr_free(start);
    pdpr_free(a);
    pdpr_free(b);
    return s;
}

/* SipHash-2-4 of the two ids, little-endian, under the salt. */
static uint64_t salted_key(const void *salt, uint32_t low, uint32_t high)
{
    unsigned char pair[8], hash[crypto_shorthash_BYTES];
    uint64_t key = 0;
    for (unsigned i = 0; i < 4; i++) {
        pair[i] = (unsigned char)(low >> (8 * i));
        pair[4 + i] = (unsigned char)(high >> (8 * i));
    }
    crypto_shorthash(hash, pair, sizeof pair, salt);
    for (unsigned i = 8; i-- > 0;)
        key = key << 8 | hash[i];
    return key;
}

pdpr_status pdpr_i_pair_order_init(pdpr_context *ctx, const pdpr_graph *g, uint64_t public_seed,
                                   uint64_t index, pdpr_i_pair_order *out, pdpr_error *err)
{
    unsigned char salt[crypto_shorthash_KEYBYTES];
    pdpr_i_key root;
    pdpr_i_stream stream;

    pdpr_i_key_from_seed(public_seed, &root);
    pdpr_i_stream_init(&stream, &root, PDPR_I_PURPOSE_PAIR_ORDER, index);
    pdpr_i_stream_bytes(&stream, salt, sizeof salt);
    return pdpr_i_pair_order_by_key(ctx, g, salted_key, salt, out, err);
}

void pdpr_i_pair_order_clear(pdpr_i_pair_order *order)
{
    pdpr_free(order->pair);
    *order = (pdpr_i_pair_order){0};
}

/* ---------------------------------------------------------------- the projection */

uint64_t pdpr_i_projection_scan(const pdpr_i_pair_order *order, uint32_t num_nodes, uint32_t theta,
                                uint32_t *degree)
{
    uint64_t kept = 0;
    memset(degree, 0, num_nodes * sizeof *degree);
    for (uint64_t i = 0; i < order->count; i++) {
        uint32_t *a = &degree[order->pair[2 * i]], *b = &degree[order->pair[2 * i + 1]];
        uint32_t keep = (uint32_t)(*a < theta) & (uint32_t)(*b < theta);
        *a += keep;
        *b += keep;
        kept += keep;
    }
    return kept;
}

typedef struct {
    const pdpr_i_pair_order *order;
    uint32_t num_nodes;
    uint32_t *degree; /* [threads][num_nodes] */
    pdpr_i_projection *sum;
} scanning;

/* Chunk t adds one order's values for cap t. */
static pdpr_status scan_cap(void *arg, uint64_t t, uint32_t worker, pdpr_error *err)
{
    (void)err;
    const scanning *w = arg;
    uint32_t theta = w->sum->theta[t];
    uint32_t *degree = w->degree + (uint64_t)worker * w->num_nodes;
    uint64_t *row = w->sum->cumulative[t];

    w->sum->edges[t] += pdpr_i_projection_scan(w->order, w->num_nodes, theta, degree);
    /* row holds the cumulative sum of the orders before: undo it, add this order, redo it */
    for (uint32_t k = theta; k-- > 1;)
        row[k] -= row[k - 1];
    for (uint32_t u = 0; u < w->num_nodes; u++)
        if (degree[u] < theta)
            row[degree[u]]++;
    for (uint32_t k = 1; k < theta; k++)
        row[k] += row[k - 1];
    return PDPR_OK;
}

static pdpr_status new_projection(pdpr_context *ctx, uint32_t num_orders, const uint32_t *theta,
                                  uint32_t num_thetas, pdpr_i_projection *out, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    pdpr_i_projection p = {.num_thetas = num_thetas, .num_orders = num_orders};
    uint64_t cells = 0;

    if (num_thetas == 0 || num_orders == 0)
        return pdpr_i_fail(err, PDPR_EUSAGE,
                           "projection: expected at least one cap and one order, found %" PRIu32
                           " and %" PRIu32,
                           num_thetas, num_orders);
    for (uint32_t t = 0; t < num_thetas; t++) {
        if (theta[t] == 0)
            return pdpr_i_fail(err, PDPR_EUSAGE,
                               "projection: expected caps of at least 1, found 0");
        cells += theta[t];
    }
    PDPR_TRY(pdpr_i_alloc(ctx, num_thetas, sizeof *p.theta, "projection", &p.theta, err));
    PDPR_TRY(pdpr_i_zalloc(ctx, num_thetas, sizeof *p.edges, "projection", &p.edges, err));
    PDPR_TRY(pdpr_i_alloc(ctx, num_thetas, sizeof *p.cumulative, "projection", &p.cumulative, err));
    PDPR_TRY(pdpr_i_zalloc(ctx, cells, sizeof *p.cells, "projection", &p.cells, err));
    cells = 0;
    for (uint32_t t = 0; t < num_thetas; t++) {
        p.theta[t] = theta[t];
        p.cumulative[t] = p.cells + cells;
        cells += theta[t];
    }
    *out = p;
    p = (pdpr_i_projection){0};
done:
    pdpr_i_projection_clear(&p);
    return s;
}

pdpr_status pdpr_i_projection_measure(pdpr_context *ctx, const pdpr_graph *g, uint64_t public_seed,
                                      uint32_t num_orders, const uint32_t *theta,
                                      uint32_t num_thetas, pdpr_i_projection *out, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    pdpr_i_projection sum = {0};
    pdpr_i_pair_order order = {0};
    uint32_t *degree = NULL;
    uint64_t workspaces = ctx->threads < num_thetas ? ctx->threads : num_thetas;

    PDPR_TRY(new_projection(ctx, num_orders, theta, num_thetas, &sum, err));
    PDPR_TRY(pdpr_i_alloc(ctx, workspaces * g->num_nodes, sizeof *degree, "projected degrees",
                          &degree, err));
    for (uint32_t r = 0; r < num_orders; r++) {
        pdpr_i_pair_order_clear(&order);
        PDPR_TRY(pdpr_i_pair_order_init(ctx, g, public_seed, r, &order, err));
        scanning w = {.order = &order, .num_nodes = g->num_nodes, .degree = degree, .sum = &sum};
        PDPR_TRY(pdpr_i_parallel(ctx, num_thetas, scan_cap, &w, err));
        pdpr_i_progress(ctx, "projection", (uint64_t)r + 1, num_orders);
    }
    *out = sum;
    sum = (pdpr_i_projection){0};
done:
    pdpr_i_pair_order_clear(&order);
    pdpr_i_projection_clear(&sum);
    pdpr_free(degree);
    return s;
}

void pdpr_i_projection_clear(pdpr_i_projection *p)
{
    pdpr_free(p->theta);
    pdpr_free(p->edges);
    pdpr_free(p->cumulative);
    pdpr_free(p->cells);
    *p = (pdpr_i_projection){0};
}
