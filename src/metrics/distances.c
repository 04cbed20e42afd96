/* Distribution of hop distances over the largest component, from batches of 512 sources.
 *
 * The bit-parallel search (msbfs.c) counts at each level how many pairs it adds; these counts are
 * the distribution. Small components are searched from every node, which is exact. In larger ones
 * 2048 random sources are enough for a picture: a share p of pairs then has a standard error of
 * at most sqrt(p (1 - p) / 2048), below 1.2 % of all pairs.
 *
 * Batches run one after another in one workspace: at most 16 of them. Cost: 141 bytes a node. */
#include "metrics/curves.h"
#include "metrics/msbfs.h"

enum { MOST_EXACT = 8192, SAMPLED = 2048 };

pdpr_status pdpr_i_curves_distances(pdpr_context *ctx, const pdpr_i_component *c,
                                    uint32_t graph_nodes, uint64_t seed, pdpr_i_curves *out,
                                    pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    pdpr_i_search search = {0};
    pdpr_i_search_result one;
    uint32_t *sources = NULL, n = c->num_nodes;
    uint32_t count = n <= MOST_EXACT ? n : SAMPLED, longest = 0;
    uint64_t *found = NULL;
    const pdpr_i_search_kernel *kernel = pdpr_i_search_kernel_for(ctx->cpu_used);

    PDPR_TRY(pdpr_i_alloc(ctx, count, sizeof *sources, "sampled sources", &sources, err));
    PDPR_TRY(pdpr_i_zalloc(ctx, (uint64_t)n + 1, sizeof *found, "distances", &found, err));
    PDPR_TRY(pdpr_i_draw_sources(ctx, c, graph_nodes, count, seed, sources, err));
    PDPR_TRY(pdpr_i_search_init(ctx, c, &search, err));
    search.by_distance = found;
    for (uint32_t first = 0; first < count; first += PDPR_I_LANES) {
        uint32_t lanes = count - first < PDPR_I_LANES ? count - first : PDPR_I_LANES;
        PDPR_TRY(pdpr_i_check_cancelled(ctx, err));
        if (!pdpr_i_search_run(&search, kernel, sources + first, lanes, NULL, &one)) {
            s = pdpr_i_check_cancelled(ctx, err);
            goto done;
        }
        if (one.largest_distance > longest)
            longest = one.largest_distance;
    }
    PDPR_TRY(pdpr_i_resize(ctx, (uint64_t)longest + 1, sizeof *found, "distances", &found, err));
    out->distance = found;
    out->distances = (uint64_t)longest + 1;
    out->sources = count;
    out->all_sources = count == n;
    found = NULL;
done:
    pdpr_i_search_clear(&search);
    pdpr_free(sources);
    pdpr_free(found);
    return s;
}
