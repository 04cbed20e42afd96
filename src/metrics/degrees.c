/* Everything that depends on degrees alone: histogram, wedges, claws, entropy, KS distance.
 *
 * All of it is computed from the histogram, not from the nodes: a graph has far fewer distinct
 * degrees than nodes, so the logarithms of the entropy cost nothing, and adding them by ascending
 * degree makes the rounding independent of threads and of the numbering of nodes.
 *
 *   wedges = sum C(d,2)        claws = sum C(d,3)        over nodes of degree d
 *   rede   = -(1/ln N) sum (d/2m) ln(d/2m)               over nodes with d > 0 (Bojchevski et al.
 * 2018)
 *
 * Cost: O(N) for the histogram, O(largest degree) for the rest.
 * Invariant: N < 2^32 and d < 2^32, so claws stay below 2^32 * 2^96 / 6 < 2^126. */
#include "metrics/metrics.h"

#include <math.h>

pdpr_status pdpr_i_undirected_view(pdpr_context *ctx, const pdpr_graph *g, const pdpr_graph **view,
                                   pdpr_graph **owned, pdpr_error *err)
{
    *owned = NULL;
    if (g->directed) {
        pdpr_status s = pdpr_graph_undirected(ctx, g, owned, err);
        if (s != PDPR_OK)
            return s;
    }
    *view = *owned ? *owned : g;
    return PDPR_OK;
}

pdpr_status pdpr_graph_degree_histogram(pdpr_context *ctx, const pdpr_graph *g,
                                        uint64_t **histogram, uint64_t *length, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    const pdpr_graph *view = NULL;
    pdpr_graph *owned = NULL;
    uint64_t *bins = NULL, largest = 0;

    PDPR_TRY(pdpr_i_check_cancelled(ctx, err));
    PDPR_TRY(pdpr_i_undirected_view(ctx, g, &view, &owned, err));
    for (uint32_t u = 0; u < view->num_nodes; u++)
        if (pdpr_i_degree(view, u) > largest)
            largest = pdpr_i_degree(view, u);
    PDPR_TRY(pdpr_i_zalloc(ctx, largest + 1, sizeof *bins, "degree histogram", &bins, err));
    for (uint32_t u = 0; u < view->num_nodes; u++)
        bins[pdpr_i_degree(view, u)]++;

    *histogram = bins;
    *length = largest + 1;
    bins = NULL;
done:
    pdpr_free(bins);
    pdpr_graph_free(owned);
    return s;
}

void pdpr_i_degree_metrics_compute(const uint64_t *histogram, uint64_t length,
                                   pdpr_i_degree_metrics *out)
{
    pdpr_i_wide wedges = 0, claws = 0;
    uint64_t nodes = 0, arcs = 0, largest = 0;

    for (uint64_t d = 0; d < length; d++) {
        uint64_t count = histogram[d];
        if (count == 0)
            continue;
        nodes += count;
        arcs += count * d;
        largest = d;
        if (d >= 2)
            wedges += (pdpr_i_wide)count * ((pdpr_i_wide)d * (d - 1) / 2);
        if (d >= 3)
            claws += (pdpr_i_wide)count * ((pdpr_i_wide)d * (d - 1) * (d - 2) / 6);
    }

    double entropy = 0; /* in nats */
    for (uint64_t d = 1; d < length && arcs > 0; d++)
        if (histogram[d] > 0) {
            double share = (double)d / (double)arcs;
            entropy -= (double)histogram[d] * (share * log(share));
        }
    *out = (pdpr_i_degree_metrics){
        .wedges = pdpr_i_uint128(wedges),
        .claws = pdpr_i_uint128(claws),
        .rede = nodes >= 2 && arcs > 0 ? entropy / log((double)nodes) : 0,
        .max_degree = largest,
    };
}

static uint64_t total_of(const uint64_t *histogram, uint64_t length)
{
    uint64_t total = 0;
    for (uint64_t d = 0; d < length; d++)
        total += histogram[d];
    return total;
}

double pdpr_ks_distance(const uint64_t *a, uint64_t a_length, const uint64_t *b, uint64_t b_length)
{
    uint64_t a_total = total_of(a, a_length), b_total = total_of(b, b_length);
    uint64_t a_sum = 0, b_sum = 0, longer = a_length > b_length ? a_length : b_length;
    pdpr_i_wide widest = 0; /* largest |F_a - F_b|, times a_total * b_total: exact */

    if (a_total == 0 || b_total == 0)
        return a_total == b_total ? 0 : NAN;
    for (uint64_t d = 0; d < longer; d++) {
        a_sum += d < a_length ? a[d] : 0;
        b_sum += d < b_length ? b[d] : 0;
        pdpr_i_wide x = (pdpr_i_wide)a_sum * b_total, y = (pdpr_i_wide)b_sum * a_total;
        pdpr_i_wide gap = x > y ? x - y : y - x;
        if (gap > widest)
            widest = gap;
    }
    return (double)widest / (double)((pdpr_i_wide)a_total * b_total);
}
