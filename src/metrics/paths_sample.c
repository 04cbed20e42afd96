/* Mean path length and diameter of large components from a sample of sources.
 *
 * Let y_s be the mean distance from s to all other nodes; the mean path length is the mean of y
 * over all n nodes. K nodes drawn without replacement give the estimate mean(y) over the sample,
 * which is unbiased, and its standard error
 *
 *     sqrt( var(y) / K * (1 - K/n) ),   var(y) = sum (y_s - mean)^2 / (K - 1)
 *
 * (Cochran 1977, theorem 2.2). It is itself an estimate: where a few nodes differ greatly from the
 * rest (the hubs of a double star) a sample that misses them knows nothing of them. The draw is
 * addressed by the seed and made among the nodes in the order of their ids in the graph, so it
 * depends on nothing else. The largest distance of the sample is a lower bound of the diameter;
 * iFUB then gets a fixed amount of work to close the interval.
 *
 * Cost: ceil(K / 512) batches, and the bounded work for the diameter. */
#include "metrics/metrics.h"

#include <math.h>

/* Arcs that the diameter's batches may look at: one or two seconds of one core. Counted, not
 * timed: the answer must not depend on the machine. */
enum { DIAMETER_ARCS = 1 << 26 };

/* Floyd's draw of a set: every one equally likely. */
static pdpr_status mark_sources(pdpr_context *ctx, const pdpr_i_component *c, uint32_t graph_nodes,
                                uint32_t samples, uint64_t seed, uint8_t *chosen, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    uint32_t *place = NULL; /* [graph_nodes]: 1 + the node's number in the component, 0: outside */
    uint8_t *drawn = NULL;  /* [n]: by the order of ids in the graph */
    pdpr_i_key key;
    pdpr_i_stream random;

    PDPR_TRY(pdpr_i_zalloc(ctx, graph_nodes, sizeof *place, "sampled sources", &place, err));
    PDPR_TRY(pdpr_i_zalloc(ctx, c->num_nodes, sizeof *drawn, "sampled sources", &drawn, err));
    pdpr_i_key_from_seed(seed, &key);
    pdpr_i_stream_init(&random, &key, PDPR_I_PURPOSE_PATH_SOURCES, 0);
    for (uint32_t j = c->num_nodes - samples; j < c->num_nodes; j++) {
        uint32_t k = (uint32_t)pdpr_i_stream_below(&random, (uint64_t)j + 1);
        drawn[drawn[k] ? j : k] = 1;
    }

    for (uint32_t i = 0; i < c->num_nodes; i++)
        place[c->node[i]] = i + 1;
    uint32_t k = 0;
    for (uint32_t u = 0; u < graph_nodes; u++)
        if (place[u] != 0)
            chosen[place[u] - 1] = drawn[k++];
done:
    pdpr_free(place);
    pdpr_free(drawn);
    return s;
}

pdpr_status pdpr_i_draw_sources(pdpr_context *ctx, const pdpr_i_component *c, uint32_t graph_nodes,
                                uint32_t samples, uint64_t seed, uint32_t *sources, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    uint8_t *chosen = NULL;
    uint32_t count = 0;

    PDPR_TRY(pdpr_i_zalloc(ctx, c->num_nodes, sizeof *chosen, "sampled sources", &chosen, err));
    PDPR_TRY(mark_sources(ctx, c, graph_nodes, samples, seed, chosen, err));
    for (uint32_t i = 0; i < c->num_nodes; i++) /* close ones into one batch */
        if (chosen[c->sources[i]])
            sources[count++] = c->sources[i];
done:
    pdpr_free(chosen);
    return s;
}

/* Estimate and standard error from the sums of distances of the sampled sources. */
static void estimate(const uint64_t *sum, uint32_t samples, pdpr_i_wide total, uint32_t num_nodes,
                     pdpr_metrics *out)
{
    double others = (double)num_nodes - 1, squares = 0;
    double mean = (double)total / ((double)samples * others);
    for (uint32_t i = 0; i < samples; i++) {
        double off = (double)sum[i] / others - mean;
        squares += off * off;
    }
    double variance = squares / ((double)samples - 1); /* 0/0 for a single sample: unknown */
    double unsampled = 1 - (double)samples / (double)num_nodes;
    out->cpl_estimate = mean;
    out->cpl_standard_error = samples > 1 ? sqrt(variance / samples * unsampled) : NAN;
}

pdpr_status pdpr_i_paths_sample(pdpr_context *ctx, const pdpr_i_component *c, uint32_t graph_nodes,
                                uint32_t samples, uint64_t seed, pdpr_metrics *out, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    uint32_t *sources = NULL;
    uint64_t *sum = NULL;
    pdpr_i_search_pool *pool = NULL;
    pdpr_i_search_result all;
    pdpr_i_diameter diameter;

    PDPR_TRY(pdpr_i_alloc(ctx, samples, sizeof *sources, "sampled sources", &sources, err));
    PDPR_TRY(pdpr_i_alloc(ctx, samples, sizeof *sum, "sampled sources", &sum, err));
    PDPR_TRY(pdpr_i_draw_sources(ctx, c, graph_nodes, samples, seed, sources, err));
    PDPR_TRY(pdpr_i_search_pool_new(ctx, c, c->num_nodes, &pool, err));
    PDPR_TRY(
        pdpr_i_search_pool_run(pool, "sampled path lengths", sources, samples, sum, &all, err));
    PDPR_TRY(
        pdpr_i_diameter_ifub(ctx, c, pool, all.largest_distance, DIAMETER_ARCS, &diameter, err));

    estimate(sum, samples, all.distance_sum, c->num_nodes, out);
    out->have_estimate = out->have_bounds = true;
    out->samples = samples;
    out->diameter_lower = diameter.lower;
    out->diameter_upper = diameter.upper;
    out->have_diameter = diameter.lower == diameter.upper;
    out->diameter = out->have_diameter ? diameter.lower : 0;
done:
    pdpr_free(sources);
    pdpr_free(sum);
    pdpr_i_search_pool_free(pool);
    return s;
}
