/* Fewer triangles for graphs that would be several times too wide, where nothing was asked about
 * paths: post-processing.
 *
 * Small budgets take links away and bring triangles by chance, and together they leave a graph with
 * hardly a way on from its triangles: of one noisy run in ten on Citeseer at epsilon 0.2 a tree of
 * triangles was built, up to five times too wide. Real graphs without streets are seldom more than
 * half as wide again as a random graph of three links a node. So where what is built is wider, some
 * of its triangles are taken for noise, a quarter at a time, until it is not. Where that does not
 * help they stay: what is wide without triangles is a tree, or streets
 * (docs/design/0027-medians-and-widths.md).
 * Cost: one graph built in most cases, eleven at most. */
#include "blueprint/blueprint.h"

#include <math.h>

static const double most_times = 1.5, usual_degree = 3;
static const double part_kept = 0.75;
enum { CUTS = 10, SOURCES = 12 };

static pdpr_status is_too_wide(pdpr_context *ctx, const pdpr_i_build_targets *targets,
                               const pdpr_i_stream *random, bool *out, pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    pdpr_graph *g = NULL;
    pdpr_i_stream stream = *random;
    double distance;
    PDPR_TRY(pdpr_i_build(ctx, targets, &stream, &g, NULL, err));
    PDPR_TRY(pdpr_i_mean_distance(ctx, g, SOURCES, &distance, err));
    *out = distance > most_times * log(targets->num_nodes) / log(usual_degree);
done:
    pdpr_i_stream_wipe(&stream);
    pdpr_graph_free(g);
    return s;
}

pdpr_status pdpr_i_bp_fit_width(pdpr_context *ctx, const pdpr_i_bp_plan *plan,
                                const pdpr_i_stream *random, pdpr_i_build_targets *targets,
                                pdpr_error *err)
{
    pdpr_status s = PDPR_OK;
    pdpr_i_build_targets fewer = *targets;
    bool wide = true;

    if (plan->asks[PDPR_I_BP_PATHS_1])
        return PDPR_OK;
    for (int i = 0; i <= CUTS && wide && fewer.triangles > 0; i++) {
        if (i > 0)
            fewer.triangles = (uint64_t)(part_kept * (double)fewer.triangles);
        PDPR_TRY(is_too_wide(ctx, &fewer, random, &wide, err));
    }
    if (!wide)
        targets->triangles = fewer.triangles;
done:
    return s;
}
