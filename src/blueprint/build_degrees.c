/* Building graphs: which degree sequences are possible, and the nearest one that is.
 *
 * Erdos and Gallai (1960): degrees d_1 >= d_2 >= ... with an even sum belong to a simple graph iff
 * for every k the k largest need no more than k(k-1) links among themselves and min(d_i, k) to each
 * other node. Noisy targets may break this at the top only, and lowering the top always mends it:
 * cutting all degrees to a cap c leaves the right side of each inequality with k <= c alone and
 * lowers the left, and with k > c it holds anyway. So the rule is: the largest cap that works,
 * found by bisection; an odd sum costs one more link at a largest degree. Everything below the cap
 * is kept. Works on histograms: O(N) a check, O(N log N) in all. */
#include "blueprint/build_parts.h"

#include <string.h>

bool pdpr_i_degrees_are_graphical(const uint64_t *histogram, uint32_t num_nodes)
{
    uint64_t sum = 0;
    for (uint32_t d = 0; d < num_nodes; d++)
        sum += d * histogram[d];
    if (sum % 2 != 0)
        return false;

    /* k runs over the nodes from the largest degree down, while d_k >= k: beyond, the inequalities
     * hold (Li 1975). Over all nodes, min(d_i, k) sums to above * k + low_sum; the k largest are k
     * each of that. */
    uint64_t links = 0, k = 0, above = 0, low_sum = 0; /* above: nodes of degree > k */
    for (uint32_t d = 1; d < num_nodes; d++)
        above += histogram[d];
    for (uint32_t d = num_nodes; d-- > 1;)
        for (uint64_t i = 0; i < histogram[d]; i++) {
            if (++k > d)
                return true;
            links += d;
            above -= histogram[k];
            low_sum += k * histogram[k];
            if (links > k * (k - 1) + above * k + low_sum - k * k)
                return false;
        }
    return true;
}

/* Histogram of min(degree, cap), made even; returns what was cut. */
static uint64_t capped_histogram(const uint64_t *histogram, uint32_t num_nodes, uint32_t cap,
                                 uint64_t *out)
{
    uint64_t cut = 0, sum = 0, top = 0;
    memset(out, 0, num_nodes * sizeof *out);
    for (uint32_t d = 0; d < num_nodes; d++) {
        uint32_t kept = d < cap ? d : cap;
        out[kept] += histogram[d];
        cut += (d - kept) * histogram[d];
        sum += kept * histogram[d];
        if (histogram[d])
            top = kept;
    }
    if (sum % 2 != 0) { /* then top > 0 */
        out[top]--;
        out[top - 1]++;
        cut++;
    }
    return cut;
}

/* Cuts degrees to cap; the first node of the largest degree pays for an odd sum. */
static void cut_degrees(uint32_t *degree, uint32_t num_nodes, uint32_t cap)
{
    uint64_t sum = 0;
    uint32_t top = 0;
    for (uint32_t u = 0; u < num_nodes; u++) {
        degree[u] = degree[u] < cap ? degree[u] : cap;
        sum += degree[u];
        top = degree[u] > degree[top] ? u : top;
    }
    if (sum % 2 != 0)
        degree[top]--;
}

pdpr_status pdpr_i_degrees_make_graphical(pdpr_context *ctx, uint32_t *degree, uint32_t num_nodes,
                                          uint64_t *cut, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    uint64_t *histogram = NULL, *trial = NULL, beyond = 0;

    *cut = 0;
    if (num_nodes == 0)
        return s;
    PDPR_TRY(pdpr_i_zalloc(ctx, num_nodes, sizeof *histogram, "degrees", &histogram, err));
    PDPR_TRY(pdpr_i_alloc(ctx, num_nodes, sizeof *trial, "degrees", &trial, err));
    for (uint32_t u = 0; u < num_nodes; u++) {
        uint32_t d = degree[u] < num_nodes ? degree[u] : num_nodes - 1;
        beyond += degree[u] - d;
        histogram[d]++;
    }
    uint32_t low = 0, high = num_nodes - 1; /* the largest cap that works is in low..high */
    while (low < high) {
        uint32_t cap = high - (high - low) / 2;
        capped_histogram(histogram, num_nodes, cap, trial);
        if (pdpr_i_degrees_are_graphical(trial, num_nodes))
            low = cap;
        else
            high = cap - 1;
    }
    *cut = beyond + capped_histogram(histogram, num_nodes, low, trial);
    cut_degrees(degree, num_nodes, low);
done:
    pdpr_free(histogram);
    pdpr_free(trial);
    return s;
}
